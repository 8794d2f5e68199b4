// A page of livery.wake that another version of the library shares: whoever does not know the version does without it.
#include "seen.h"

#include <sys/mman.h>

enum { PAGE = 4096, VERSION = 64, TOLD = 2048, PLACES = 32, PLACE = 64, LAST_COMMIT = 8 + sizeof(pthread_mutex_t) };
static const uint32_t KNOWN = 1, LATER = 2;

static const char *path;
static int to_other[2], from_other[2];
static pid_t other;

/** The process that has the store open and shares the page: does what it is told, a letter and a number at a time. */
static void run_other(void) {
  livery_store *store = open_store(path);
  int64_t order[2] = {0, 0};
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 1));
  do {
    int64_t answer = 0;
    if (order[0] == 's') OK(livery_set_int(store, LIVERY_LAYER_USER, "number", order[1]));
    if (order[0] == 'g') OK(livery_get_int(store, "number", &answer));
    if (order[0] == 'c') OK(livery_compact(store));
    if (write(from_other[1], &answer, sizeof answer) != sizeof answer) break;
  } while (read(to_other[0], order, sizeof order) == sizeof order && order[0] != 'q');
  OK(livery_close(store));
}

static int64_t answer_of_other(void) {
  int64_t answer = -1;
  EXPECT(read(from_other[0], &answer, sizeof answer) == sizeof answer);
  return answer;
}

static int64_t ask(char what, int64_t number) {
  int64_t order[2] = {what, number};
  EXPECT(write(to_other[1], order, sizeof order) == sizeof order);
  return answer_of_other();
}

static void start_other(void) {
  path = fresh_path();
  EXPECT(pipe(to_other) == 0 && pipe(from_other) == 0);
  fflush(NULL);
  other = fork();
  if (other == 0) {
    check_failures = 0;
    run_other();
    _exit(check_failures > 0);
  }
  answer_of_other();
}

static void end_other(void) {
  int64_t order[2] = {'q', 0};
  int status = -1;
  EXPECT(write(to_other[1], order, sizeof order) == sizeof order);
  EXPECT(waitpid(other, &status, 0) == other && status == 0);
  for (int end = 0; end < 2; end++) {
    close(to_other[end]);
    close(from_other[end]);
  }
}

static unsigned char *map(const char *name) {
  char file[400];
  snprintf(file, sizeof file, "%s/%s", path, name);
  int descriptor = open(file, O_RDWR);
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (page == MAP_FAILED) {
    perror(file);
    exit(2);
  }
  return page;
}

static uint32_t version_of(const unsigned char *wake) {
  uint32_t version;
  memcpy(&version, wake + VERSION, sizeof version);
  return version;
}

/** Fills the part that tells of commits with what would be believed: that the last of them changed nothing. */
static void lie(unsigned char *wake, const unsigned char *lock) {
  uint64_t last;
  memcpy(&last, lock + LAST_COMMIT, sizeof last);
  memset(wake + TOLD, 0, PLACES * PLACE);
  for (uint64_t commit = last; commit > 0 && last - commit < PLACES; commit--)
    memcpy(wake + TOLD + commit % PLACES * PLACE, &commit, sizeof commit);
}

static int64_t number_of(livery_store *store) {
  int64_t number = -1;
  OK(livery_get_int(store, "number", &number));
  return number;
}

TEST("beside a page of a later version reads are right, and nothing is written to it", reads) {
  start_other();
  unsigned char *wake = map("livery.wake"), *lock = map("lock.mdb"), before[PAGE];
  EXPECT_INT(KNOWN, version_of(wake));
  memcpy(wake + VERSION, &LATER, sizeof LATER);
  memcpy(before, wake, PAGE);
  livery_store *store = open_store(path);
  livery_key *key = NULL;
  OK(livery_key_open(store, "number", &key));
  EXPECT_INT(1, number_of(store));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 2));
  EXPECT_INT(2, number_of(store));
  EXPECT(memcmp(before, wake, PAGE) == 0);
  EXPECT_INT(2, ask('g', 0));
  for (int64_t number = 3; number < 40; number++) {
    ask('s', number);
    lie(wake, lock);
    EXPECT_INT(number, number_of(store));
    int64_t by_key = -1;
    OK(livery_key_get_int(key, &by_key));
    EXPECT_INT(number, by_key);
  }
  OK(livery_close(store));
  end_other();
  EXPECT_INT(LATER, version_of(wake));
  // Who is alone makes it what it knows.
  store = open_store(path);
  EXPECT_INT(KNOWN, version_of(wake));
  EXPECT_INT(39, number_of(store));
  OK(livery_close(store));
  munmap(wake, PAGE);
  munmap(lock, PAGE);
}

TEST("a watch beside such a page is told within a second", watched) {
  start_other();
  unsigned char *wake = map("livery.wake");
  memcpy(wake + VERSION, &LATER, sizeof LATER);
  livery_store *store = open_store(path);
  static seen seen;
  if (!seen_start(&seen, store, "number", 0, 0)) return;
  // The fastest of several: a machine that is busy takes as long as it likes for any of them.
  int64_t fastest = INT64_MAX;
  for (int round = 1; round <= 3; round++) {
    int64_t begin = now_microseconds();
    ask('s', 10 + round);
    EXPECT(seen_wait(&seen.calls, round));
    if (now_microseconds() - begin < fastest) fastest = now_microseconds() - begin;
  }
  EXPECT(fastest < 2500000);
  EXPECT_TEXT("13", seen.events[2].new_value);
  // Commits of its own wake it.
  fastest = INT64_MAX;
  for (int round = 4; round <= 8; round++) {
    int64_t begin = now_microseconds();
    OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 20 + round));
    EXPECT(seen_wait(&seen.calls, round));
    if (now_microseconds() - begin < fastest) fastest = now_microseconds() - begin;
  }
  EXPECT(fastest < 900000);
  OK(livery_close(store));
  end_other();
  munmap(wake, PAGE);
}

TEST("who does without the page leaves the file in its place, and follows when others replace it", replaced) {
  start_other();
  unsigned char *wake = map("livery.wake");
  memcpy(wake + VERSION, &LATER, sizeof LATER);
  livery_store *store = open_store(path);
  EXPECT_INT(1, number_of(store));
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_compact(store));
  // Written first, then read first.
  ask('c', 0);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 2));
  EXPECT_INT(2, ask('g', 0));
  ask('c', 0);
  EXPECT_INT(2, number_of(store));
  ask('s', 3);
  EXPECT_INT(3, number_of(store));
  ask('c', 0);
  // Somebody else's handle on the same store asks where it is.
  livery_store *second = open_store(path);
  EXPECT_INT(3, number_of(second));
  OK(livery_close(second));
  OK(livery_close(store));
  end_other();
  munmap(wake, PAGE);
}

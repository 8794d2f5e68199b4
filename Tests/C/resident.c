// What a store takes of the memory of a process that has read all of it: the cache, and not the pages of the file beside it.
#include "check.h"

enum { SETTINGS = 20000, LENGTH = 300, READERS = 3 };

static int order[SETTINGS];
static livery_store *shared;

static size_t name_and_text(int index, char name[32], char text[LENGTH + 1]) {
  snprintf(name, 32, "group%d.setting%d", index % 7, index);
  size_t length = (size_t)snprintf(text, LENGTH + 1, "%d;", index);
  memset(text + length, 'a' + index % 26, LENGTH - length);
  return LENGTH;
}

static void make(const char *path) {
  livery_store *store = new_store(path, NULL);
  livery_change *change = NULL;
  char name[32], text[LENGTH + 1];
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  for (int index = 0; index < SETTINGS; index++) {
    size_t length = name_and_text(index, name, text);
    OK(livery_change_set_string(change, name, text, length));
  }
  OK(livery_change_commit(change, NULL));
  OK(livery_close(store));
  // The same order each time, and none that the file has.
  unsigned long long random = 1;
  for (int index = 0; index < SETTINGS; index++) order[index] = index;
  for (int index = SETTINGS - 1; index > 0; index--) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    int other = (int)((random >> 33) % (unsigned)(index + 1)), kept = order[index];
    order[index] = order[other];
    order[other] = kept;
  }
}

static void read_all(livery_store *store, int from) {
  char name[32], expected[LENGTH + 1], text[LENGTH + 1];
  for (int place = 0; place < SETTINGS; place++) {
    size_t length = 0, wanted = name_and_text(order[(place + from) % SETTINGS], name, expected);
    OK(livery_get_string(store, name, text, sizeof text, &length));
    EXPECT(length == wanted && memcmp(text, expected, length) == 0);
  }
}

// KiB of the data file in the memory of this process.
static long resident(const char *path) {
  char line[4096], *end = NULL;
  size_t length = strlen(path);
  long sum = 0, part = 0;
  bool is_ours = false;
  FILE *file = fopen("/proc/self/smaps", "r");
  EXPECT(file != NULL);
  while (file && fgets(line, sizeof line, file)) {
    char *found = strstr(line, path);
    if (found) is_ours = strncmp(found + length, "/data.mdb", 9) == 0;
    else if (strtoull(line, &end, 16) != 0 && *end == '-') is_ours = false;
    if (is_ours && sscanf(line, "Rss: %ld", &part) == 1) sum += part;
  }
  if (file) fclose(file);
  return sum;
}

static long file_kib(const char *path) {
  char file[512];
  struct stat facts;
  snprintf(file, sizeof file, "%s/data.mdb", path);
  EXPECT_INT(0, stat(file, &facts));
  return (long)(facts.st_size / 1024);
}

TEST("of a store whose settings are all read what is in the cache stays, and not the file's pages as well", pages_go) {
  const char *path = fresh_path();
  make(path);
  livery_store *store = open_store(path);
  read_all(store, 0);
  long left = resident(path), whole = file_kib(path);
  if (left > whole / 3) check_fail(__FILE__, __LINE__, "%ld KiB of a file of %ld are resident", left, whole);
  read_all(store, 0);
  OK(livery_close(store));
}

TEST("where the cache is too small for all the pages stay, which are looked at again", pages_stay) {
  const char *path = fresh_path();
  make(path);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  options.cache_size = 1 << 20;
  OK(livery_open(path, &options, &store));
  for (int round = 0; round < 2; round++) read_all(store, 0);
  long left = resident(path), whole = file_kib(path);
  if (left < whole / 3) check_fail(__FILE__, __LINE__, "%ld KiB of a file of %ld are resident", left, whole);
  OK(livery_close(store));
}

static void *read_from(void *start) {
  read_all(shared, (int)(intptr_t)start);
  return NULL;
}

TEST("threads read right values while pages go, and what others commit meanwhile", pages_go_under_threads) {
  const char *path = fresh_path();
  make(path);
  pthread_t threads[READERS];
  shared = open_store(path);
  for (intptr_t index = 0; index < READERS; index++)
    EXPECT_INT(0, pthread_create(&threads[index], NULL, read_from, (void *)(index * SETTINGS / READERS)));
  for (int number = 0; number < 200; number++) OK(livery_set_int(shared, LIVERY_LAYER_USER, "counter", number));
  for (int index = 0; index < READERS; index++) pthread_join(threads[index], NULL);
  int64_t counter = 0;
  OK(livery_get_int(shared, "counter", &counter));
  EXPECT_INT(199, counter);
  OK(livery_close(shared));
}

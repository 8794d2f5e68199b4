// The measures, the same for every subject in C. A subject's source defines the functions below and then includes this
// file, so that the compiler sees through the calls of the loops.
//
//     SUBJECT make PATH COUNT     makes a store with COUNT settings
//     SUBJECT first PATH COUNT    opens it, reads one setting, closes it
//     SUBJECT maps PATH COUNT     the same, and prints the files that were mapped meanwhile
//     SUBJECT serve PATH COUNT    measures: reads commands, a line each, and answers each with a line of numbers
//
// A subject defines
//
//     session                                    what one thread reads through
//     subject_make(path, count)
//     subject_open(path, count)  subject_close()
//     session_open()  session_close(session)
//     read_bool(session, name)  read_int(session, name)  read_double(session, name)
//     read_string(session, name, buffer, size)   copies the text, returns its length
//     subject_commit(names, values, count)       sets integers, durably, as one commit
//
// and, with HAS_KEYS, the type `key`, key_open(session, name), key_close(key), and read_bool_key(key) and so on. With
// HAS_THREADED_COMMITS several threads may commit at once. UNCHECKED leaves out the comparison of what was read.
#ifndef DRIVER_H
#define DRIVER_H

#include <pthread.h>
#include <unistd.h>

#include "workload.h"

enum { MOST_BATCH = 100, MOST_THREADS = 16 };

// What is read

/** Three reads, as places in `names`. */
typedef struct triple {
  uint32_t places[3];
} triple;

static const int triple_types[3] = {BOOL, INT, DOUBLE};
static long setting_count, triple_count, sequence_length, text_length;
static char (*names)[NAME_SIZE];
static char (*texts)[NAME_SIZE];
static char (*integers)[NAME_SIZE];
static triple *sequence;
static int64_t sequence_sum;
static uint64_t random_state = 0x9E3779B97F4A7C15;

static uint64_t random_below(uint64_t limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % limit;
}

static void shuffle(uint32_t *items, long count) {
  for (long index = count - 1; index > 0; index--) {
    long other = (long)random_below((uint64_t)index + 1);
    uint32_t item = items[index];
    items[index] = items[other];
    items[other] = item;
  }
}

static int64_t sum_of(long index) {
  switch (index % TYPES) {
    case BOOL: return bool_value(index);
    case INT: return int_value(index);
    default: return (int64_t)double_value(index);
  }
}

/** Every truth value and number once in random order, several times in other orders if they are few. The names lie in
    the order in which they are first read: what they cost is the program's, not the store's. */
static void prepare_reads(long count) {
  setting_count = count;
  triple_count = count / TYPES;
  if (triple_count < 2) fail("count", "too small");
  long rounds = triple_count < 1024 ? (1023 + triple_count) / triple_count : 1;
  sequence_length = triple_count * rounds;
  sequence = (triple *)allocated((size_t)sequence_length * sizeof *sequence);
  names = (char (*)[NAME_SIZE])allocated((size_t)triple_count * 3 * sizeof *names);
  uint32_t *order = (uint32_t *)allocated((size_t)triple_count * sizeof *order);
  uint32_t *place = (uint32_t *)allocated((size_t)triple_count * sizeof *place);
  sequence_sum = 0;
  for (int type = 0; type < 3; type++) {
    for (long index = 0; index < triple_count; index++) order[index] = (uint32_t)index;
    for (long round = 0; round < rounds; round++) {
      shuffle(order, triple_count);
      for (long index = 0; index < triple_count; index++) {
        long setting = (long)order[index] * TYPES + triple_types[type];
        if (round == 0) {
          place[order[index]] = (uint32_t)(index * 3 + type);
          setting_name(names[index * 3 + type], setting);
        }
        sequence[round * triple_count + index].places[type] = place[order[index]];
        sequence_sum += sum_of(setting);
      }
    }
  }
  text_length = triple_count;
  texts = (char (*)[NAME_SIZE])allocated((size_t)text_length * sizeof *texts);
  integers = (char (*)[NAME_SIZE])allocated((size_t)triple_count * sizeof *integers);
  for (long index = 0; index < triple_count; index++) order[index] = (uint32_t)index;
  shuffle(order, triple_count);
  for (long index = 0; index < triple_count; index++) {
    setting_name(texts[index], (long)order[index] * TYPES + STRING);
    setting_name(integers[index], (long)order[index] * TYPES + INT);
  }
  free(order);
  free(place);
}

// Reads. An integer counts with its lower half.

static int64_t read_by_name(session *reader, long begin, long end) {
  int64_t sum = 0;
  for (long index = begin; index < end; index++) {
    const triple *item = &sequence[index];
    sum += read_bool(reader, names[item->places[0]]);
    sum += (uint32_t)read_int(reader, names[item->places[1]]);
    sum += (int64_t)read_double(reader, names[item->places[2]]);
  }
  return sum;
}

static int64_t read_texts(session *reader, long begin, long end) {
  char buffer[TEXT_SIZE];
  int64_t sum = 0;
  for (long index = begin; index < end; index++)
    sum += (int64_t)read_string(reader, texts[index], buffer, sizeof buffer);
  return sum;
}

#ifdef HAS_KEYS
static key *keys;

static void open_keys(session *reader) {
  if (keys) return;
  keys = allocated((size_t)triple_count * 3 * sizeof *keys);
  for (long index = 0; index < triple_count * 3; index++) keys[index] = key_open(reader, names[index]);
}

static int64_t read_by_key(session *reader, long begin, long end) {
  int64_t sum = 0;
  (void)reader;
  for (long index = begin; index < end; index++) {
    const triple *item = &sequence[index];
    sum += read_bool_key(keys[item->places[0]]);
    sum += (uint32_t)read_int_key(keys[item->places[1]]);
    sum += (int64_t)read_double_key(keys[item->places[2]]);
  }
  return sum;
}
#endif

typedef struct reads {
  int64_t (*run)(session *, long, long);
  long length, per_item;
  int64_t sum;
} reads;

static reads reads_of(int64_t (*run)(session *, long, long), long length, long per_item, int64_t sum) {
  reads what = {run, length, per_item, sum};
  return what;
}

static reads reads_named(const char *name, session *reader) {
  if (strcmp(name, "name") == 0) return reads_of(read_by_name, sequence_length, 3, sequence_sum);
  if (strcmp(name, "string") == 0) return reads_of(read_texts, text_length, 1, text_length * STRING_LENGTH);
#ifdef HAS_KEYS
  if (strcmp(name, "key") == 0) {
    open_keys(reader);
    return reads_of(read_by_key, sequence_length, 3, sequence_sum);
  }
#endif
  (void)reader;
  fail(name, "no such read");
  return reads_of(NULL, 0, 0, 0);
}

static void check_sum(int64_t sum, int64_t expected) {
#ifndef UNCHECKED
  if (sum != expected) fail("read", "a wrong value");
#else
  (void)sum, (void)expected;
#endif
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

/** Nanoseconds for each read: the median of slices of about a thousand reads, so that what else the machine does
    meanwhile does not count. All slices are read equally often, and once before. */
static double measure_reads(reads what, session *reader, int64_t least) {
  enum { SLICE = 400, MOST_SLICES = 1 << 16 };
  static double times[MOST_SLICES];
  long slices = what.length / SLICE + 1, used = 0;
  check_sum(what.run(reader, 0, what.length), what.sum);
  int64_t begin = now(), time = begin;
  do {
    int64_t sum = 0;
    for (long slice = 0; slice < slices; slice++) {
      long first = what.length * slice / slices, end = what.length * (slice + 1) / slices;
      sum += what.run(reader, first, end);
      int64_t later = now();
      if (used < MOST_SLICES) times[used++] = (double)(later - time) / (double)((end - first) * what.per_item);
      time = later;
    }
    check_sum(sum, what.sum);
  } while (time - begin < least);
  qsort(times, (size_t)used, sizeof *times, by_size);
  return times[used / 2];
}

// Reads by several threads

/** Threads that do the same until it is over. The atomics are the compiler's: C++ has no others in common with C. */
static struct {
  pthread_barrier_t ready;
  bool over;
  long next, done;
} crew;

static bool is_over(void) { return __atomic_load_n(&crew.over, __ATOMIC_RELAXED); }

static void start_crew(pthread_t *members, int count, void *(*run)(void *), void *argument) {
  crew.over = false;
  crew.done = 0;
  pthread_barrier_init(&crew.ready, NULL, (unsigned)count + 1);
  for (int index = 0; index < count; index++)
    if (pthread_create(&members[index], NULL, run, argument) != 0) fail("thread", NULL);
  pthread_barrier_wait(&crew.ready);
}

static void join_crew(pthread_t *members, int count) {
  __atomic_store_n(&crew.over, true, __ATOMIC_RELAXED);
  for (int index = 0; index < count; index++) pthread_join(members[index], NULL);
  pthread_barrier_destroy(&crew.ready);
}

static void *read_in_crew(void *argument) {
  enum { SLICES = 16 };
  const reads what = *(reads *)argument;
  session *reader = session_open();
  check_sum(what.run(reader, 0, what.length), what.sum);
  pthread_barrier_wait(&crew.ready);
  long done = 0;
  while (!is_over()) {
    long slice = done++ % SLICES;
    what.run(reader, what.length * slice / SLICES, what.length * (slice + 1) / SLICES);
  }
  __atomic_fetch_add(&crew.done, done * what.length * what.per_item / SLICES, __ATOMIC_RELAXED);
  session_close(reader);
  return NULL;
}

/** Nanoseconds for each read, of all threads together. */
static double measure_crew(reads what, int threads, int64_t least) {
  pthread_t members[MOST_THREADS];
  start_crew(members, threads, read_in_crew, &what);
  int64_t begin = now();
  usleep((useconds_t)(least / 1000));
  int64_t end = now();
  join_crew(members, threads);
  return (double)(end - begin) / (double)crew.done;
}

// Commits

/** A value that no commit has set before, with the lower half that the reads expect. */
static int64_t next_value(const char *name) {
  static uint32_t counter;
  const char *digits = name + strlen(name);
  while (digits > name && digits[-1] >= '0' && digits[-1] <= '9') digits--;
  uint32_t high = ((uint32_t)(now() >> 12) + __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED)) & 0x3FFFFFFF;
  return int_value(atol(digits)) + ((int64_t)high << 32);
}

static int64_t commit_some(long from, int count) {
  const char *chosen[MOST_BATCH];
  int64_t values[MOST_BATCH];
  for (int index = 0; index < count; index++) {
    chosen[index] = integers[(from + index) % triple_count];
    values[index] = next_value(chosen[index]);
  }
  int64_t begin = now();
  subject_commit(chosen, values, count);
  return now() - begin;
}

static void measure_commits(int batch, int64_t budget, long most) {
  static long next;
  int64_t end = now() + budget;
  if (batch > MOST_BATCH || batch > triple_count) fail("commit", "too many");
  for (long done = 0; done < most && (done == 0 || now() < end); done++) {
    printf("%lld ", (long long)commit_some(next, batch));
    next += batch;
  }
}

static long pace_commits(int each_second, int64_t duration) {
  int64_t begin = now(), due = begin, step = 1000000000 / each_second;
  long done = 0;
  while (due - begin < duration) {
    int64_t wait = due - now();
    if (wait > 0) usleep((useconds_t)(wait / 1000));
    commit_some(done++, 1);
    due += step;
  }
  return done;
}

#ifdef HAS_THREADED_COMMITS
static void *commit_in_crew(void *argument) {
  (void)argument;
  pthread_barrier_wait(&crew.ready);
  while (!is_over()) {
    commit_some(__atomic_fetch_add(&crew.next, 1, __ATOMIC_RELAXED), 1);
    __atomic_fetch_add(&crew.done, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

/** Commits a second, of all threads together. */
static double measure_rate(int threads, int64_t least) {
  pthread_t members[MOST_THREADS];
  start_crew(members, threads, commit_in_crew, NULL);
  int64_t begin = now();
  usleep((useconds_t)(least / 1000));
  long done = __atomic_load_n(&crew.done, __ATOMIC_RELAXED);
  int64_t end = now();
  join_crew(members, threads);
  return (double)done * 1e9 / (double)(end - begin);
}
#endif

// Commands

static long resident_kib(void) {
  char line[256];
  long kib = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file)) sscanf(line, "VmRSS: %ld", &kib);
  if (file) fclose(file);
  return kib;
}

static void answer(const char *line, session *reader) {
  static long cursor;
  char what[16] = "";
  long a = 0, b = 0, c = 0;
  if (sscanf(line, "read %15s %ld", what, &a) == 2) {
    printf("%.3f", measure_reads(reads_named(what, reader), reader, a));
  } else if (sscanf(line, "threads %15s %ld %ld", what, &a, &b) == 3 && a <= MOST_THREADS) {
    printf("%.3f", measure_crew(reads_named(what, reader), (int)a, b));
  } else if (sscanf(line, "cold %ld", &a) == 1) {
    // A few reads that have not been made since the last commit. First the core wakes up.
    long length = a / 3;
    if (length < 1 || length > sequence_length) fail(line, "too many");
    if (cursor + length > sequence_length) cursor = 0;
    for (int64_t end = now() + 200000; now() < end;) {}
    int64_t begin = now();
    read_by_name(reader, cursor, cursor + length);
    printf("%.3f", (double)(now() - begin) / (double)(length * 3));
    cursor += length;
  } else if (sscanf(line, "commit %ld %ld %ld", &a, &b, &c) == 3) {
    measure_commits((int)a, b, c);
  } else if (sscanf(line, "pace %ld %ld", &a, &b) == 2) {
    printf("%ld", pace_commits((int)a, b));
#ifdef HAS_THREADED_COMMITS
  } else if (sscanf(line, "rate %ld %ld", &a, &b) == 2 && a <= MOST_THREADS) {
    printf("%.3f", measure_rate((int)a, b));
#endif
  } else if (strncmp(line, "rss", 3) == 0) {
    printf("%ld", resident_kib());
  } else {
    fail(line, "no such command");
  }
  printf("\n");
  fflush(stdout);
}

static void serve(long count) {
  char line[256];
  prepare_reads(count);
  session *reader = session_open();
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) answer(line, reader);
  session_close(reader);
}

static void print_maps(void) {
  char line[1024];
  FILE *file = fopen("/proc/self/maps", "r");
  while (file && fgets(line, sizeof line, file)) {
    const char *path = strchr(line, '/');
    if (path) fputs(path, stdout);
  }
  if (file) fclose(file);
}

int main(int argc, char **argv) {
  if (argc != 4 || atol(argv[3]) <= 0) {
    fprintf(stderr, "usage: %s make|first|maps|serve PATH COUNT\n", argv[0]);
    return 2;
  }
  const char *mode = argv[1], *path = argv[2];
  long count = atol(argv[3]);
  if (strcmp(mode, "make") == 0) {
    subject_make(path, count);
    return 0;
  }
  subject_open(path, count);
  if (strcmp(mode, "serve") == 0) {
    serve(count);
  } else {
    char name[NAME_SIZE];
    long index = middle_setting(count);
    setting_name(name, index);
    session *reader = session_open();
    int64_t value = read_int(reader, name);
    check_sum((uint32_t)value, int_value(index));
    if (strcmp(mode, "maps") == 0) print_maps();
    session_close(reader);
  }
  subject_close();
  return 0;
}

#endif

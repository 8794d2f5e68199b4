// The work whose cost is guarded: work STORE MEASURE COUNT, where MEASURE is read_name, read_key, read_string,
// read_cold or commit, or `reads` for all warm reads, or `first` to read one setting of a store that is there, or `watch`
// to be told of commits. What is measured runs inside of `measured`, which callgrind looks for; the program itself
// counts allocations, and prints how many there were inside.
#define _GNU_SOURCE
#include <livery.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SETTINGS = 1000 };

// Allocations

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
static unsigned long allocations;

void *malloc(size_t size) { return allocations++, __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return allocations++, __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return allocations++, __libc_realloc(memory, size); }
void *aligned_alloc(size_t alignment, size_t size) { return allocations++, __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  allocations++;
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}

// The library wipes what it frees if who allocates says how large that is.
size_t malloc_usable_size(void *memory) {
  static size_t (*found)(void *);
  if (!found) *(void **)&found = dlsym(RTLD_NEXT, "malloc_usable_size");
  return found(memory);
}

// The store

static livery_store *store;
static char names[SETTINGS][32];
static livery_key *keys[SETTINGS];
static unsigned long counted;
static int makes_copies;

static void check(livery_status status) {
  if (status == LIVERY_OK) return;
  fprintf(stderr, "work: %s\n", livery_last_error()->message);
  exit(1);
}

static void make(const char *path) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  // A copy that is made again makes system calls that are none of reads.
  if (!makes_copies) options.backup_commits = options.backup_age_s = UINT32_MAX;
  check(livery_open(path, &options, &store));
  static char schema[SETTINGS * 128];
  int end = sprintf(schema, "{\"Version\":1,\"Groups\":[{\"Key\":\"all\",\"Settings\":[");
  for (int i = 0; i < SETTINGS; i++) {
    snprintf(names[i], sizeof names[i], "group%d.setting%d", i / 100, i);
    end += sprintf(schema + end, "%s{\"Key\":\"%s\",\"Title\":\"Setting %d\",\"Type\":\"%s\"%s}", i ? "," : "", names[i], i,
                   i % 2 ? "TextField" : "Number", i % 2 ? "" : ",\"Format\":\"integer\"");
  }
  sprintf(schema + end, "]}]}");
  check(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  livery_change *change = NULL;
  check(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  for (int i = 0; i < SETTINGS; i++) {
    if (i % 2) check(livery_change_set_string(change, names[i], "sixteen letters.", LIVERY_ZERO_TERMINATED));
    else check(livery_change_set_int(change, names[i], i));
  }
  check(livery_change_commit(change, NULL));
}

// What is measured: `number` counts on from call to call.

#ifdef __clang__
#define MEASURED __attribute__((noinline))
#else
#define MEASURED __attribute__((noinline, noclone))
#endif

MEASURED static void measured_read_name(int number) {
  int64_t value = 0;
  check(livery_get_int(store, names[number * 2 % SETTINGS], &value));
}
MEASURED static void measured_read_key(int number) {
  int64_t value = 0;
  check(livery_key_get_int(keys[number * 2 % SETTINGS], &value));
}
MEASURED static void measured_read_string(int number) {
  char buffer[32];
  check(livery_get_string(store, names[(number * 2 + 1) % SETTINGS], buffer, sizeof buffer, NULL));
}
MEASURED static void measured_read_any(int number) {
  char buffer[32];
  livery_reading reading;
  check(livery_read(store, names[number % SETTINGS], buffer, sizeof buffer, &reading));
}
MEASURED static void measured_commit(int number) {
  check(livery_set_int(store, LIVERY_LAYER_USER, names[number * 14 % SETTINGS], 1000000 + number));
}

static atomic_int told;
static void note(const livery_event *events, size_t count, void *unused) {
  (void)events, (void)unused;
  atomic_fetch_add(&told, (int)count);
}

static void be_told(int count) {
  livery_watch *watch = NULL;
  check(livery_watch_start(store, names[0], NULL, note, NULL, NULL, &watch));
  for (int i = 0; i < count; i++) {
    check(livery_set_int(store, LIVERY_LAYER_USER, names[0], 3000000 + i));
    while (atomic_load(&told) <= i) usleep(100);
  }
  check(livery_watch_stop(watch));
}

static void repeat(void (*once)(int), int count) {
  unsigned long before = allocations;
  for (int i = 0; i < count; i++) once(i);
  counted += allocations - before;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const char *measure = argv[2];
  int count = atoi(argv[3]);
  if (strcmp(measure, "first") == 0) {
    int64_t value = 0;
    check(livery_open(argv[1], NULL, &store));
    check(livery_get_int(store, "group5.setting500", &value));
    check(livery_close(store));
    return value == 500 ? 0 : 1;
  }
  int is_all = strcmp(measure, "reads") == 0, is_cold = strcmp(measure, "read_cold") == 0;
  makes_copies = !is_all && !is_cold;
  make(argv[1]);
  for (int i = 0; i < SETTINGS; i++) {
    // Each of these settings is read for the first time; no commit comes between, since what is believed of commits depends
    // on a clock.
    if (is_cold) {
      if (i < count) measured_read_name(i);
      continue;
    }
    check(livery_key_open(store, names[i], &keys[i]));
    // Fills the cache.
    measured_read_name(i);
    measured_read_string(i);
  }
  if (is_all || strcmp(measure, "read_name") == 0) repeat(measured_read_name, count);
  if (is_all || strcmp(measure, "read_key") == 0) repeat(measured_read_key, count);
  if (is_all || strcmp(measure, "read_string") == 0) repeat(measured_read_string, count);
  if (is_all || strcmp(measure, "read_any") == 0) repeat(measured_read_any, count);
  if (strcmp(measure, "commit") == 0) repeat(measured_commit, count);
  if (strcmp(measure, "watch") == 0) be_told(count);
  check(livery_close(store));
  printf("%lu\n", counted);
  return 0;
}

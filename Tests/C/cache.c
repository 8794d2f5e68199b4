#define _GNU_SOURCE
// The cache of values by itself, against a store of one lock and an array: threads read while others commit. A read never
// gives a value that is torn, older than the last commit before it, or another setting's; whatever is thrown out, gone
// through or interned meanwhile.
#include "../../Sources/CReadCache/include/creadcache.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define check(condition)                                                          \
  do {                                                                            \
    if (!(condition)) {                                                           \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);     \
      abort();                                                                    \
    }                                                                             \
  } while (0)

enum { SETTINGS = 3000, READERS = 3, COMMITS = 4000, TEXT = 3, INTEGER = 2, COMMIT_WORD = 1 + sizeof(pthread_mutex_t) / 8 };

static pthread_mutex_t store_lock = PTHREAD_MUTEX_INITIALIZER;
// What is stored, and what commits have published.
static _Atomic uint64_t values[SETTINGS], published[SETTINGS];
static uint32_t changed[COMMITS + 2];
static uint64_t last_commit = 1;
static uint64_t *page;
static lvs_wake *wake;
static lvs_cache *cache;
static _Atomic bool is_over;
static _Atomic uint64_t hits, misses;

// Every fourth has a long name, every third a text, every ninth a long one.
static size_t name_of(char *name, uint32_t index) {
  return (size_t)sprintf(name, index % 4 == 0 ? "setting.%u.with.a.name.that.is.rather.long.and.goes.on.and.on.until.it.fits.no.slot.at.all.%u"
                                              : "s%u", index, index);
}
static bool is_text(uint32_t index) { return index % 3 == 0; }
static size_t text_of(char *text, uint32_t index, uint64_t value) {
  size_t length = 0;
  for (uint32_t i = 0; i < (index % 9 == 0 ? 12u : 2u); i++) length += (size_t)sprintf(text + length, "%u=%llu;", index, (unsigned long long)value);
  return length;
}

static void commit(uint32_t index) {
  char name[128];
  lvs_recent recent = {0};
  pthread_mutex_lock(&store_lock);
  atomic_fetch_add(&values[index], 1);
  changed[++last_commit] = index;
  __atomic_store_n(page + COMMIT_WORD, last_commit, __ATOMIC_RELEASE);
  atomic_fetch_add(&published[index], 1);
  // Most writers tell what they have changed, and some have too much to tell.
  recent.commit = recent.revision = last_commit;
  lvs_recent_add(&recent, name, name_of(name, index));
  if (last_commit % 50 == 0) lvs_recent_add_all(&recent);
  if (last_commit % 70 != 0) lvs_wake_tell(wake, &recent);
  pthread_mutex_unlock(&store_lock);
}

// Goes through the commits up to one that a transaction shows.
static void follow(uint64_t to, bool is_complete) {
  uint64_t from, revision;
  if (!lvs_cache_begin_sync(cache, &from, &revision)) return;
  if (to <= from) {
    lvs_cache_cancel_sync(cache);
    return;
  }
  for (uint64_t number = from + 1; from != 0 && number <= to; number++) {
    char name[128];
    size_t length = name_of(name, changed[number]);
    lvs_cache_forget(cache, name, length);
  }
  lvs_cache_end_sync(cache, to, to, from != 0 && is_complete);
}

static uint64_t look_up(uint32_t index, lvs_slot *slot) {
  char name[128], text[256];
  size_t length = name_of(name, index);
  pthread_mutex_lock(&store_lock);
  uint64_t at = last_commit, value = atomic_load(&values[index]);
  pthread_mutex_unlock(&store_lock);
  lvs_entry entry = {.type = INTEGER, .scalar = value};
  if (is_text(index)) entry = (lvs_entry){.type = TEXT, .content = text, .content_length = (uint32_t)text_of(text, index, value)};
  if (lvs_cache_keep(cache, slot, name, length, at, &entry)) follow(at, at % 16 != 0);
  atomic_fetch_add(&misses, 1);
  return value;
}

static void read_one(uint32_t index, lvs_slot *slot) {
  char name[128], expected[256], text[LVS_CACHE_CONTENT_MAX + 1];
  size_t length = name_of(name, index);
  uint64_t before = atomic_load(&published[index]), scalar = 0, value;
  uint8_t type = 0;
  ptrdiff_t count = lvs_cache_copy(cache, slot, name, length, &type, &scalar, text);
  if (count < 0) {
    value = look_up(index, slot);
  } else {
    atomic_fetch_add(&hits, 1);
    check(type == (is_text(index) ? TEXT : INTEGER));
    value = scalar;
    if (is_text(index)) {
      unsigned long long number = 0;
      text[count] = 0;
      check(sscanf(text, "%*u=%llu;", &number) == 1);
      value = number;
      check(text_of(expected, index, value) == (size_t)count && memcmp(expected, text, (size_t)count) == 0);
    }
  }
  uint64_t after = atomic_load(&values[index]);
  check(value >= before && value <= after);
}

static void *read_all(void *context) {
  uint64_t random = (uint64_t)(uintptr_t)context * 0x9E3779B97F4A7C15u + 1;
  uint32_t key = (uint32_t)(uintptr_t)context * 7, reads = 0;
  char name[128];
  lvs_slot *slot = NULL;
  while (!atomic_load(&is_over)) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    // Mostly a few, so that they are found, and at times all, so that they are thrown out.
    uint32_t index = (uint32_t)(random >> 33) % (random >> 20 & 3 ? 40 : SETTINGS);
    read_one(index, NULL);
    if (reads++ % 500 == 0) {
      if (slot) lvs_cache_release(cache, slot);
      key = index;
      slot = lvs_cache_intern(cache, name, name_of(name, key));
    }
    if (slot) read_one(key, slot);
  }
  if (slot) lvs_cache_release(cache, slot);
  return NULL;
}

static void run(uint64_t bytes) {
  char path[] = "cache-lock-XXXXXX";
  int file = mkstemp(path);
  check(file >= 0 && ftruncate(file, 8192) == 0);
  page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  check(page != MAP_FAILED);
  last_commit = 1;
  page[COMMIT_WORD] = 1;
  char wake_path[] = "cache-wake-XXXXXX";
  int wake_file = mkstemp(wake_path);
  check(wake_file >= 0 && ftruncate(wake_file, 4096) == 0);
  wake = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, wake_file, 0);
  check(wake != MAP_FAILED);
  cache = lvs_cache_make(bytes, file, COMMIT_WORD * 8, wake_file);
  check(cache != NULL);
  close(file);
  close(wake_file);
  unlink(path);
  unlink(wake_path);
  check(!lvs_cache_check(cache, 2, 2));
  check(lvs_cache_check(cache, 1, 1));
  atomic_store(&is_over, false);
  pthread_t readers[READERS];
  for (uintptr_t i = 0; i < READERS; i++) pthread_create(&readers[i], NULL, read_all, (void *)(i + 1));
  for (uint32_t i = 0; i < COMMITS; i++) {
    commit(i * 2654435761u % (i % 2 ? 40 : SETTINGS));
    if (i % 4 == 0) usleep(20);
  }
  atomic_store(&is_over, true);
  for (int i = 0; i < READERS; i++) pthread_join(readers[i], NULL);
  lvs_cache_retire(cache);
  munmap(page, 4096);
  munmap(wake, 4096);
  printf("%llu bytes: %llu hits, %llu misses\n", (unsigned long long)bytes, (unsigned long long)hits, (unsigned long long)misses);
}

int main(void) {
  run(1 << 20);
  check(hits > 0 && misses > 0);
  // So small that entries are thrown out all the time; and the memory of the first once more.
  run(1 << 14);
  run(1 << 20);
  puts("ok");
  return 0;
}

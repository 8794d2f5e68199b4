// The regions that caches lie in: made once, emptied, and used again.
#define _GNU_SOURCE
#include "layout.h"

#include <sys/mman.h>

enum { LEAST_RING = 32768 };

static lvs_mutex *pool_lock;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;
static lvs_cache *pool;

static void make_pool_lock(void) { pool_lock = lvs_mutex_make_global(); }

static uint64_t log2_of(uint64_t number) { return 63 - (uint64_t)__builtin_clzll(number | 1); }

// Of this system: what is mapped, and what is given back, begins with one and has whole ones.
static size_t page_size(void) {
  long found = sysconf(_SC_PAGESIZE);
  return found > 0 ? (size_t)found : 4096;
}

static size_t whole(size_t bytes, size_t page) { return (bytes + page - 1) & ~(page - 1); }

// A quarter of the bytes is for slots, an eighth for indices of all sizes, a half for the ring: most settings take a line of
// the processor's cache, and what does not fit into it finds twice as much room outside.
static lvs_cache *map_region(uint64_t bits, size_t offset) {
  uint64_t slots = (uint64_t)1 << bits, most_bits = bits + 1 < FIRST_BITS ? FIRST_BITS : bits + 1;
  size_t index = index_start(most_bits + 1) * 8, keys = slots * 4, ring = slots * sizeof(lvs_slot) * 2;
  if (ring < LEAST_RING) ring = LEAST_RING;
  size_t page = page_size(), entries = whole(slots * sizeof(lvs_slot), page);
  size_t size = 3 * page + whole(index, page) + whole(keys, page) + entries + whole(ring, page);
  char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return NULL;
  // Some of what is kept may be secret.
  madvise(base, size, MADV_DONTDUMP);
  lvs_cache *cache = (lvs_cache *)(base + 2 * page);
  char *next = base + 3 * page;
  cache->last_commit = (const uint64_t *)(base + offset);
  cache->told = (const lvs_wake *)(base + page);
  cache->index = (uint64_t *)next;
  next += whole(index, page);
  cache->keys = (uint32_t *)next;
  next += whole(keys, page);
  cache->slots = (lvs_slot *)next;
  next += entries;
  cache->ring = (uint64_t *)next;
  cache->ring_words = ring / 8;
  cache->slot_count = slots;
  cache->most_bits = most_bits;
  cache->size = size;
  cache->page = page;
  return cache;
}

// The first two pages of the region are the ones that processes share.
static char *shared_pages(lvs_cache *cache) { return (char *)cache - 2 * cache->page; }

lvs_cache *lvs_cache_make(uint64_t bytes, int commit_file, size_t offset, int wake_file) {
  pthread_once(&pool_once, make_pool_lock);
  uint64_t bits = log2_of(bytes / (4 * sizeof(lvs_slot)));
  if (bits < 5) bits = 5;
  if (bits > 22) bits = 22;
  lvs_mutex_lock(pool_lock);
  lvs_cache *cache = NULL;
  for (lvs_cache **link = &pool; *link; link = &(*link)->next) {
    if ((*link)->slot_count != (uint64_t)1 << bits) continue;
    cache = *link;
    *link = cache->next;
    break;
  }
  lvs_mutex_unlock(pool_lock);
  if (!cache) cache = map_region(bits, offset);
  if (!cache) return NULL;
  cache->next = NULL;
  cache->is_blind = true;
  cache->is_in_use = false;
  set(&cache->bits, FIRST_BITS);
  set(&cache->ring_end, 0);
  set(&cache->synced_to, 0);
  set(&cache->synced_from, UINT64_MAX);
  cache->used = cache->hand = cache->patience = 0;
  void *page = mmap(shared_pages(cache), cache->page, PROT_READ, MAP_SHARED | MAP_FIXED, commit_file, 0);
  // Without it the page stays empty, and commits are looked for in the log.
  if (wake_file >= 0) mmap((void *)cache->told, cache->page, PROT_READ, MAP_SHARED | MAP_FIXED, wake_file, 0);
  unlock(cache);
  if (page != MAP_FAILED) return cache;
  lvs_cache_retire(cache);
  return NULL;
}

void lvs_cache_retire(lvs_cache *cache) {
  lock(cache);
  cache->is_blind = true;
  set(&cache->synced_to, 0);
  set(&cache->synced_from, UINT64_MAX);
  // An address that fails to be mapped anew keeps the old pages, which then merely stay.
  mmap(shared_pages(cache), 2 * cache->page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  // The index, the slots and the ring become empty. Whoever reads still finds a slot without its sequence number.
  char *content = (char *)cache + cache->page;
  size_t length = cache->size - 3 * cache->page;
  if (madvise(content, length, MADV_DONTNEED) != 0) memset(content, 0, length);
  lvs_mutex_lock(pool_lock);
  cache->next = pool;
  pool = cache;
  lvs_mutex_unlock(pool_lock);
}

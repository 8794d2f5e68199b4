#define _GNU_SOURCE
#include "csystem.h"

#include <sys/mman.h>

#define HOT __attribute__((hot))
#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

INLINE uint64_t get(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
INLINE uint64_t get_first(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
INLINE void set(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }
INLINE void set_last(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

// The region

enum {
  PAGE = 4096,
  // Where LMDB 0.9 has magic and format of its lock file, and the number of the last commit.
  STAMP_WORD = 0,
  COMMIT_WORD = (8 + sizeof(pthread_mutex_t)) / 8,
  SLOT_WORDS = 16,
  FIRST_BITS = 9,
  // Lookups of outdated entries before the log of commits is gone through.
  PATIENCE = 8,
  MOST_PROBES = 128
};
static const uint64_t LMDB_STAMP = 0x00010001BEEFC0DEu;

// w[0]  hash of the name (32 bits) | sequence number (32 bits), odd while the slot is written
// w[1]  the commit at which it was looked up; 0 if it does not count
// w[2]  type (8) | flags (8) | name's length (16) | content's length (32)
// w[3]  scalar
// w[4…] name, then content, each padded to a word with zeros; or, with OUTSIDE, where they lie in the ring
// w[15] expiry, with EXPIRES
struct lvs_slot {
  uint64_t w[SLOT_WORDS];
};
enum { EXPIRES = 1, OUTSIDE = 2, ALIAS = 4, FIRST_FREE = 4, EXPIRY_WORD = 15 };

struct lvs_cache {
  // The page that LMDB shares, and the one that tells of commits; empty ones once the cache is retired.
  const uint64_t *shared;
  const lvs_wake *told;
  // Entries looked up at `synced_from` or later count up to `synced_to`, unless they were forgotten.
  uint64_t synced_to, synced_from;
  // The index in use has 1 << bits places. Those of all sizes lie one behind the other.
  uint64_t bits;
  // Words ever written to the ring.
  uint64_t ring_end;
  uint64_t *index;
  lvs_slot *slots;
  uint64_t *ring;
  uint64_t slot_count, ring_words, most_bits;
  // From here on only with `busy` held.
  uint64_t busy __attribute__((aligned(64)));
  uint64_t used, hand, patience;
  // Up to where the log was gone through, and when: what writers tell in between is believed for a second only, since
  // whoever may write to the page may tell anything.
  uint64_t true_commit, true_revision, true_ns;
  uint32_t *keys;
  size_t size;
  lvs_cache *next;
  bool is_blind, is_in_use;
};

static lvs_mutex *pool_lock;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;
static lvs_cache *pool;

static void make_pool_lock(void) { pool_lock = lvs_mutex_make_global(); }

static bool try_lock(lvs_cache *cache) {
  return get(&cache->busy) == 0 && __atomic_exchange_n(&cache->busy, 1, __ATOMIC_ACQUIRE) == 0;
}
static void lock(lvs_cache *cache) {
  while (!try_lock(cache)) lvs_sleep_us(1);
}
static void unlock(lvs_cache *cache) { set_last(&cache->busy, 0); }

static size_t index_start(uint64_t bits) { return ((size_t)1 << bits) - ((size_t)1 << FIRST_BITS); }

static uint64_t log2_of(uint64_t number) { return 63 - (uint64_t)__builtin_clzll(number | 1); }

// Half of the bytes are for slots, a sixteenth for the largest index, a quarter for the ring.
static lvs_cache *map_region(uint64_t bits) {
  uint64_t slots = (uint64_t)1 << bits, most_bits = bits + 1 < FIRST_BITS ? FIRST_BITS : bits + 1;
  size_t index = index_start(most_bits + 1) * 8, keys = slots * 4, ring = slots * SLOT_WORDS * 8 / 2;
  if (ring < 8 * PAGE) ring = 8 * PAGE;
  size_t page = PAGE - 1, size = 3 * PAGE + ((index + page) & ~page) + ((keys + page) & ~page) + slots * sizeof(lvs_slot) + ring;
  char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return NULL;
  // Some of what is kept may be secret.
  madvise(base, size, MADV_DONTDUMP);
  lvs_cache *cache = (lvs_cache *)(base + 2 * PAGE);
  char *next = base + 3 * PAGE;
  cache->shared = (const uint64_t *)base;
  cache->told = (const lvs_wake *)(base + PAGE);
  cache->index = (uint64_t *)next;
  next += (index + page) & ~page;
  cache->keys = (uint32_t *)next;
  next += (keys + page) & ~page;
  cache->slots = (lvs_slot *)next;
  next += slots * sizeof(lvs_slot);
  cache->ring = (uint64_t *)next;
  cache->ring_words = ring / 8;
  cache->slot_count = slots;
  cache->most_bits = most_bits;
  cache->size = size;
  return cache;
}

static const uint64_t BELIEVED_NS = 1000000000;

static uint64_t coarse_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void note_truth(lvs_cache *cache, uint64_t commit, uint64_t revision) {
  cache->true_commit = commit;
  cache->true_revision = revision;
  cache->true_ns = coarse_ns();
}

static bool believes(const lvs_cache *cache) { return coarse_ns() - cache->true_ns < BELIEVED_NS; }

lvs_cache *lvs_cache_make(uint64_t bytes, int lock_file, int wake_file) {
  pthread_once(&pool_once, make_pool_lock);
  uint64_t bits = log2_of(bytes / (2 * sizeof(lvs_slot)));
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
  if (!cache) cache = map_region(bits);
  if (!cache) return NULL;
  cache->next = NULL;
  cache->is_blind = true;
  cache->is_in_use = false;
  set(&cache->bits, FIRST_BITS);
  set(&cache->ring_end, 0);
  set(&cache->synced_to, 0);
  set(&cache->synced_from, UINT64_MAX);
  cache->used = cache->hand = cache->patience = 0;
  void *page = mmap((void *)cache->shared, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, lock_file, 0);
  // Without it the page stays empty, and commits are looked for in the log.
  if (wake_file >= 0) mmap((void *)cache->told, PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, wake_file, 0);
  unlock(cache);
  if (page != MAP_FAILED) return cache;
  lvs_cache_retire(cache);
  return NULL;
}

bool lvs_cache_check(lvs_cache *cache, uint64_t commit, uint64_t revision) {
  cache->is_blind = commit == LVS_NO_COMMIT || get(cache->shared + STAMP_WORD) != LMDB_STAMP
                    || get(cache->shared + COMMIT_WORD) != commit;
  if (cache->is_blind) return false;
  // Commits are gone through from here on.
  note_truth(cache, commit, revision);
  set(&cache->synced_from, commit);
  set_last(&cache->synced_to, commit);
  return true;
}

void lvs_cache_retire(lvs_cache *cache) {
  lock(cache);
  cache->is_blind = true;
  set(&cache->synced_to, 0);
  set(&cache->synced_from, UINT64_MAX);
  // An address that fails to be mapped anew keeps the old pages, which then merely stay.
  mmap((void *)cache->shared, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  // The index, the slots and the ring become empty. Whoever reads still finds a slot without its sequence number.
  char *content = (char *)cache + PAGE;
  if (madvise(content, cache->size - 3 * PAGE, MADV_DONTNEED) != 0) memset(content, 0, cache->size - 3 * PAGE);
  lvs_mutex_lock(pool_lock);
  cache->next = pool;
  pool = cache;
  lvs_mutex_unlock(pool_lock);
}

// Names

INLINE uint64_t word_at(const char *bytes) {
  uint64_t word;
  memcpy(&word, bytes, 8);
  return word;
}

// The last `count` (below 8) bytes of a name of `length`, padded with zeros.
INLINE uint64_t tail_of(const char *name, size_t length, size_t count) {
  if (count == 0) return 0;
  if (length >= 8) return word_at(name + length - 8) >> (64 - 8 * count);
  uint64_t word = 0;
  for (size_t i = 0; i < count; i++) word |= (uint64_t)(unsigned char)name[i] << (8 * i);
  return word;
}

INLINE uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

INLINE uint32_t hash_of(const char *name, size_t length) {
  uint64_t hash = length * 0xD6E8FEB86659FD93u;
  size_t words = length / 8;
  for (size_t i = 0; i < words; i++) hash = mixed(hash, word_at(name + 8 * i));
  return (uint32_t)mixed(hash, tail_of(name, length, length % 8));
}

INLINE bool is_name(const uint64_t *words, const char *name, size_t length) {
  size_t count = length / 8, rest = length % 8;
  for (size_t i = 0; i < count; i++)
    if (get(words + i) != word_at(name + 8 * i)) return false;
  return rest == 0 || get(words + count) == tail_of(name, length, rest);
}

static void write_words(uint64_t *words, const char *bytes, size_t length) {
  for (; length >= 8; length -= 8, bytes += 8) set(words++, word_at(bytes));
  if (length > 0) {
    uint64_t word = 0;
    memcpy(&word, bytes, length);
    set(words, word);
  }
}

// The ring's length is a power of two. A block lies in one piece, so the ring's end may stay unused.
INLINE uint64_t *in_ring(lvs_cache *cache, uint64_t position) {
  return cache->ring + (position & (cache->ring_words - 1));
}

// Whether so many words from a position on are inside of the ring: a torn slot may point anywhere.
INLINE bool has_room(lvs_cache *cache, uint64_t position, size_t count) {
  return count <= cache->ring_words - (position & (cache->ring_words - 1));
}

INLINE size_t words_for(size_t bytes) { return (bytes + 7) / 8; }

INLINE uint32_t meta_content(uint64_t meta) { return (uint32_t)(meta >> 32); }
INLINE uint32_t meta_name(uint64_t meta) { return (uint16_t)(meta >> 16); }
INLINE uint32_t meta_flags(uint64_t meta) { return (uint8_t)(meta >> 8); }
INLINE uint8_t meta_type(uint64_t meta) { return (uint8_t)meta; }

// Whether the ring has not come round to a position since.
INLINE bool is_in_ring(lvs_cache *cache, uint64_t position) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return get(&cache->ring_end) - position <= cache->ring_words;
}

// The sequence number of a slot that is to be written, odd from here on.
static uint64_t open_slot(lvs_slot *slot, uint32_t hash) {
  uint64_t sequence = (uint32_t)get(slot->w) | 1;
  set(slot->w, (uint64_t)hash << 32 | sequence);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  return sequence;
}

static void close_slot(lvs_slot *slot, uint32_t hash, uint64_t sequence) {
  set_last(slot->w, (uint64_t)hash << 32 | (uint32_t)(sequence + 1));
}

// Overwrites the content of a slot that is open for writing: a secret is not to stay once it counts no more.
static void wipe_content(lvs_cache *cache, lvs_slot *slot) {
  uint64_t meta = get(slot->w + 2);
  size_t skip = words_for(meta_name(meta)), count = words_for(meta_content(meta));
  set(slot->w + 3, 0);
  if (count == 0) return;
  uint64_t *words = slot->w + FIRST_FREE;
  if (meta_flags(meta) & OUTSIDE) {
    uint64_t position = get(words);
    if (!is_in_ring(cache, position) || !has_room(cache, position, skip + count)) return;
    words = in_ring(cache, position);
  } else if (skip + count > SLOT_WORDS - FIRST_FREE) {
    return;
  }
  for (size_t i = 0; i < count; i++) set(words + skip + i, 0);
}

// Following commits

// Forgets what was looked up under a name before a commit.
static void forget(lvs_cache *cache, uint32_t hash, uint64_t commit) {
  uint64_t bits = get(&cache->bits), mask = ((uint64_t)1 << bits) - 1;
  const uint64_t *index = cache->index + index_start(bits);
  for (uint64_t place = hash & mask, probes = 0; probes <= mask; place = (place + 1) & mask, probes++) {
    uint64_t found = get(index + place);
    if (found == 0) return;
    if (found >> 32 != hash) continue;
    lvs_slot *slot = cache->slots + ((uint32_t)found - 1);
    if (get(slot->w + 1) >= commit) continue;
    uint64_t sequence = open_slot(slot, hash);
    wipe_content(cache, slot);
    set(slot->w + 1, 0);
    close_slot(slot, hash, sequence);
  }
}

// Forgets what a commit has changed; false if its writer did not tell.
static bool forget_changes(lvs_cache *cache, uint64_t commit, uint64_t *revision) {
  const lvs_recent *told = cache->told->recent + commit % LVS_RECENT_COMMITS;
  if (get_first(&told->commit) != commit) return false;
  uint32_t hashes[LVS_RECENT_NAMES], count = __atomic_load_n(&told->count, __ATOMIC_RELAXED);
  if (count > LVS_RECENT_NAMES) return false;
  *revision = get(&told->revision);
  for (uint32_t i = 0; i < count; i++) hashes[i] = __atomic_load_n(told->hashes + i, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (get(&told->commit) != commit) return false;
  for (uint32_t i = 0; i < count; i++) forget(cache, hashes[i], commit);
  return true;
}

// Goes through the commits since the last time, as their writers told of them. True if that made entries count again: the
// read that found its own outdated tries once more.
static __attribute__((noinline)) bool catch_up(lvs_cache *cache) {
  if (get(&cache->synced_to) == get(cache->shared + COMMIT_WORD) || !try_lock(cache)) return false;
  // The cache may be another store's by now: all is looked at anew.
  uint64_t last = get_first(cache->shared + COMMIT_WORD), commit = get(&cache->synced_to), revision = 0;
  bool is_told = !cache->is_blind && commit != 0 && last > commit && last - commit <= LVS_RECENT_COMMITS && believes(cache);
  while (is_told && commit < last) is_told = forget_changes(cache, ++commit, &revision);
  if (is_told) {
    cache->patience = 0;
    set_last(&cache->synced_to, last);
  }
  unlock(cache);
  return is_told;
}

// Reading

INLINE bool has_name(lvs_cache *cache, lvs_slot *slot, uint64_t meta, const char *name, size_t length) {
  if (meta_name(meta) != length) return false;
  const uint64_t *words = slot->w + FIRST_FREE;
  if (!(meta_flags(meta) & OUTSIDE)) return is_name(words, name, length);
  uint64_t position = get(words);
  return has_room(cache, position, words_for(length)) && is_name(in_ring(cache, position), name, length)
         && is_in_ring(cache, position);
}

// The slot of a name, with its first word, or NULL.
INLINE lvs_slot *find(lvs_cache *cache, const char *name, size_t length, uint64_t *first) {
  uint32_t hash = hash_of(name, length);
  uint64_t bits = get_first(&cache->bits), mask = ((uint64_t)1 << bits) - 1;
  const uint64_t *index = cache->index + index_start(bits);
  for (uint64_t place = hash & mask, probes = 0; probes < MOST_PROBES; place = (place + 1) & mask, probes++) {
    uint64_t found = get_first(index + place);
    if (found == 0) return NULL;
    if (found >> 32 != hash) continue;
    lvs_slot *slot = cache->slots + ((uint32_t)found - 1);
    uint64_t head = get_first(slot->w);
    if (head >> 32 != hash || (head & 1)) continue;
    if (!has_name(cache, slot, get(slot->w + 2), name, length)) continue;
    *first = head;
    return slot;
  }
  return NULL;
}

// Whether an entry counts at this moment.
INLINE bool is_current(lvs_cache *cache, lvs_slot *slot, uint64_t meta) {
  uint64_t commit = get_first(cache->shared + COMMIT_WORD), stamp = get(slot->w + 1);
  if (stamp != commit) {
    if (get_first(&cache->synced_to) != commit || stamp < get(&cache->synced_from) || (meta_flags(meta) & ALIAS))
      return false;
  }
  if (stamp == 0) return false;
  if (meta_flags(meta) & EXPIRES) return (int64_t)get(slot->w + EXPIRY_WORD) > lvs_realtime_us();
  return true;
}

// Whether all that was read since `first` belongs together.
INLINE bool is_whole(lvs_slot *slot, uint64_t first) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return get(slot->w) == first;
}

INLINE lvs_answer read_scalar(lvs_cache *cache, lvs_slot *slot, uint64_t first, uint8_t type, uint64_t *scalar) {
  uint64_t meta = get(slot->w + 2);
  if (first & 1 || !is_current(cache, slot, meta)) return LVS_STALE;
  if (meta_type(meta) != type) return LVS_OTHER;
  uint64_t value = get(slot->w + 3);
  if (!is_whole(slot, first)) return LVS_STALE;
  *scalar = value;
  return LVS_READ;
}

// Copies content, with a NUL behind if there is one to be: not more than `capacity` bytes.
INLINE bool read_content(lvs_cache *cache, lvs_slot *slot, uint64_t meta, void *buffer, size_t capacity, bool is_text) {
  size_t length = meta_content(meta), skip = words_for(meta_name(meta));
  if (length > LVS_CACHE_CONTENT_MAX || length + (is_text ? 1 : 0) > capacity) return false;
  const uint64_t *words = slot->w + FIRST_FREE;
  uint64_t position = 0;
  bool is_outside = meta_flags(meta) & OUTSIDE;
  if (is_outside) {
    position = get(words);
    if (!has_room(cache, position, skip + words_for(length))) return false;
    words = in_ring(cache, position);
  } else if (skip + words_for(length) > SLOT_WORDS - FIRST_FREE) {
    return false;
  }
  words += skip;
  char *to = buffer;
  size_t left = length;
  for (; left >= 8; left -= 8, to += 8, words++) {
    uint64_t word = get(words);
    memcpy(to, &word, 8);
  }
  if (left > 0) {
    uint64_t word = get(words);
    for (size_t i = 0; i < left; i++) to[i] = (char)(word >> (8 * i));
  }
  if (is_text) to[left] = 0;
  return !is_outside || is_in_ring(cache, position);
}

INLINE lvs_answer read_bytes(lvs_cache *cache, lvs_slot *slot, uint64_t first, uint32_t types, bool is_text,
                             void *buffer, size_t capacity, size_t *length) {
  uint64_t meta = get(slot->w + 2);
  if (first & 1 || !is_current(cache, slot, meta)) return LVS_STALE;
  if (!(types >> (meta_type(meta) & 31) & 1) || meta_content(meta) + (size_t)(is_text ? 1 : 0) > capacity)
    return LVS_OTHER;
  if (!read_content(cache, slot, meta, buffer, capacity, is_text) || !is_whole(slot, first)) return LVS_STALE;
  *length = meta_content(meta);
  return LVS_READ;
}

ptrdiff_t lvs_cache_copy(lvs_cache *cache, lvs_slot *slot, const char *name, size_t length, uint8_t *type,
                         uint64_t *scalar, void *buffer) {
  lvs_slot *const interned = slot;
  do {
    uint64_t first;
    if (interned) first = get_first(slot->w);
    else slot = find(cache, name, length, &first);
    if (!slot) return -1;
    uint64_t meta = get(slot->w + 2), value = get(slot->w + 3);
    if (first & 1 || !is_current(cache, slot, meta)
        || !read_content(cache, slot, meta, buffer, LVS_CACHE_CONTENT_MAX, false) || !is_whole(slot, first))
      continue;
    *type = meta_type(meta);
    *scalar = value;
    return meta_content(meta);
  } while (catch_up(cache));
  return -1;
}


// Writing, with the cache locked

static uint64_t *place_of(lvs_cache *cache, uint32_t hash, uint32_t number) {
  uint64_t bits = get(&cache->bits), mask = ((uint64_t)1 << bits) - 1;
  uint64_t *index = cache->index + index_start(bits);
  for (uint64_t place = hash & mask;; place = (place + 1) & mask) {
    uint64_t found = get(index + place);
    if (found == 0 || found == ((uint64_t)hash << 32 | (number + 1))) return index + place;
  }
}

// Takes a place out of the index and closes the gap. Readers that miss what is moved look it up.
static void remove_place(lvs_cache *cache, uint32_t hash, uint32_t number) {
  uint64_t bits = get(&cache->bits), mask = ((uint64_t)1 << bits) - 1;
  uint64_t *index = cache->index + index_start(bits);
  uint64_t *found = place_of(cache, hash, number);
  if (get(found) == 0) return;
  uint64_t hole = (uint64_t)(found - index);
  for (uint64_t next = (hole + 1) & mask;; next = (next + 1) & mask) {
    uint64_t entry = get(index + next);
    if (entry == 0) break;
    uint64_t home = (entry >> 32) & mask;
    if (((next - home) & mask) < ((next - hole) & mask)) continue;
    set_last(index + hole, entry);
    hole = next;
  }
  set(index + hole, 0);
}

static void grow_index(lvs_cache *cache) {
  uint64_t bits = get(&cache->bits);
  if (bits >= cache->most_bits) return;
  const uint64_t *old = cache->index + index_start(bits);
  uint64_t *new = cache->index + index_start(bits + 1), mask = ((uint64_t)2 << bits) - 1;
  for (uint64_t i = 0; i < (uint64_t)1 << bits; i++) {
    uint64_t entry = get(old + i);
    if (entry == 0) continue;
    uint64_t place = (entry >> 32) & mask;
    while (get(new + place) != 0) place = (place + 1) & mask;
    set(new + place, entry);
  }
  set_last(&cache->bits, bits + 1);
  // Whoever still reads the old one finds nothing there, and looks up.
  size_t bytes = (size_t)8 << bits;
  char *start = (char *)(((uintptr_t)old + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
  if (bytes >= 4 * PAGE) madvise(start, (size_t)((char *)old + bytes - start) & ~(size_t)(PAGE - 1), MADV_DONTNEED);
}

// A slot that no name has: a new one, or the next in turn that no key holds.
static lvs_slot *take_slot(lvs_cache *cache) {
  if (cache->used < cache->slot_count) {
    if (cache->used * 2 >= (uint64_t)1 << get(&cache->bits)) grow_index(cache);
    return cache->slots + cache->used++;
  }
  for (uint64_t tries = 0; tries < 64; tries++) {
    uint32_t number = (uint32_t)(cache->hand++ & (cache->slot_count - 1));
    if (cache->keys[number] != 0) continue;
    lvs_slot *slot = cache->slots + number;
    remove_place(cache, (uint32_t)(get(slot->w) >> 32), number);
    return slot;
  }
  return NULL;
}

// Room for words in the ring, in one piece.
static uint64_t take_ring(lvs_cache *cache, size_t count) {
  uint64_t position = get(&cache->ring_end);
  if (!has_room(cache, position, count)) position = (position | (cache->ring_words - 1)) + 1;
  set(&cache->ring_end, position + count);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  return position;
}

static void write_slot(lvs_cache *cache, lvs_slot *slot, uint32_t hash, const char *name, size_t length,
                       uint64_t commit, const lvs_entry *entry) {
  size_t name_words = words_for(length), words = name_words + words_for(entry->content_length);
  bool expires = entry->expires != 0;
  bool is_outside = words > (size_t)(SLOT_WORDS - FIRST_FREE - (expires ? 1 : 0));
  uint64_t sequence = open_slot(slot, hash);
  wipe_content(cache, slot);
  uint64_t position = is_outside ? take_ring(cache, words) : 0;
  uint64_t *content = is_outside ? in_ring(cache, position) : slot->w + FIRST_FREE;
  uint64_t flags = (expires ? EXPIRES : 0) | (is_outside ? OUTSIDE : 0) | (entry->is_alias ? ALIAS : 0);
  set(slot->w + 1, commit);
  set(slot->w + 2, entry->type | flags << 8 | (uint64_t)length << 16 | (uint64_t)entry->content_length << 32);
  set(slot->w + 3, entry->scalar);
  write_words(content, name, length);
  if (entry->content_length > 0) write_words(content + name_words, entry->content, entry->content_length);
  if (is_outside) set(slot->w + FIRST_FREE, position);
  if (expires) set(slot->w + EXPIRY_WORD, (uint64_t)entry->expires);
  close_slot(slot, hash, sequence);
}

// A new entry for a name that has none.
static lvs_slot *add(lvs_cache *cache, const char *name, size_t length, uint64_t commit, const lvs_entry *entry) {
  lvs_slot *slot = take_slot(cache);
  if (!slot) return NULL;
  uint32_t hash = hash_of(name, length), number = (uint32_t)(slot - cache->slots);
  write_slot(cache, slot, hash, name, length, commit, entry);
  set_last(place_of(cache, hash, number), (uint64_t)hash << 32 | (number + 1));
  return slot;
}

bool lvs_cache_keep(lvs_cache *cache, lvs_slot *slot, const char *name, size_t length, uint64_t commit,
                    const lvs_entry *entry) {
  if (cache->is_blind || length == 0 || length > LVS_CACHE_NAME_MAX || entry->content_length > LVS_CACHE_CONTENT_MAX)
    return false;
  if (!try_lock(cache)) return false;
  bool is_worth_while = false;
  if (!cache->is_in_use && commit > get(&cache->synced_to)) {
    // Nothing has been outdated yet, so that it does not matter what was committed before; nor which revision this is.
    note_truth(cache, commit, UINT64_MAX);
    set(&cache->synced_from, commit);
    set_last(&cache->synced_to, commit);
  }
  cache->is_in_use = true;
  // What an older transaction has found may have changed in the commits that were gone through since.
  if (commit != LVS_NO_COMMIT && commit >= get(&cache->synced_to)) {
    uint64_t first;
    if (!slot) slot = find(cache, name, length, &first);
    if (!slot) {
      add(cache, name, length, commit, entry);
    } else if (get(slot->w + 1) <= commit) {
      bool is_outdated = get(slot->w + 1) != 0;
      write_slot(cache, slot, (uint32_t)(get(slot->w) >> 32), name, length, commit, entry);
      is_worth_while = is_outdated && ++cache->patience >= PATIENCE && commit > get(&cache->synced_to);
    }
  }
  unlock(cache);
  return is_worth_while;
}

lvs_slot *lvs_cache_intern(lvs_cache *cache, const char *name, size_t length) {
  if (cache->is_blind || length == 0 || length > LVS_CACHE_NAME_MAX) return NULL;
  lock(cache);
  uint64_t first;
  lvs_slot *slot = find(cache, name, length, &first);
  if (!slot) {
    lvs_entry nothing = {0};
    slot = add(cache, name, length, LVS_NO_COMMIT, &nothing);
  }
  if (slot) cache->keys[slot - cache->slots]++;
  unlock(cache);
  return slot;
}

void lvs_cache_release(lvs_cache *cache, lvs_slot *slot) {
  lock(cache);
  if (cache->keys[slot - cache->slots] > 0) cache->keys[slot - cache->slots]--;
  unlock(cache);
}

bool lvs_cache_begin_sync(lvs_cache *cache, uint64_t *commit, uint64_t *revision) {
  if (cache->is_blind || !try_lock(cache)) return false;
  *commit = cache->true_commit;
  *revision = cache->true_revision;
  return true;
}

void lvs_cache_forget(lvs_cache *cache, const char *name, size_t length) {
  forget(cache, hash_of(name, length), UINT64_MAX);
}

void lvs_cache_end_sync(lvs_cache *cache, uint64_t to, uint64_t revision, bool is_complete) {
  if (!is_complete) {
    // What was looked up after the last commit that nobody can tell of still counts.
    uint64_t from = to, ignored;
    while (believes(cache) && from > get(&cache->synced_to) && forget_changes(cache, from, &ignored)) from--;
    set(&cache->synced_from, from);
  }
  cache->patience = 0;
  note_truth(cache, to, revision);
  set_last(&cache->synced_to, to);
  unlock(cache);
}

void lvs_cache_cancel_sync(lvs_cache *cache) { unlock(cache); }

void lvs_cache_drop(lvs_cache *cache, const char *name, size_t length) {
  if (!try_lock(cache)) return;
  forget(cache, hash_of(name, length), UINT64_MAX);
  unlock(cache);
}

// Handles

// No memory until they are used.
enum { FAST_HANDLES = 1 << 17 };
static const uint64_t HANDLE_INDEX = ((uint64_t)1 << 28) - 1;

typedef struct fast_handle {
  // 0 for none; written last, and cleared first.
  uint64_t handle;
  uint64_t token;
  lvs_cache *cache;
  lvs_slot *slot;
} fast_handle;
static fast_handle fast_handles[FAST_HANDLES];

void lvs_fast_publish(uint64_t handle, lvs_cache *cache, lvs_slot *slot) {
  uint64_t number = handle & HANDLE_INDEX;
  if (number >= FAST_HANDLES || !cache) return;
  fast_handle *fast = fast_handles + number;
  __atomic_thread_fence(__ATOMIC_RELEASE);
  set(&fast->token, lvs_process_token());
  __atomic_store_n(&fast->cache, cache, __ATOMIC_RELAXED);
  __atomic_store_n(&fast->slot, slot, __ATOMIC_RELAXED);
  set_last(&fast->handle, handle);
}

void lvs_fast_withdraw(uint64_t handle) {
  uint64_t number = handle & HANDLE_INDEX;
  if (number < FAST_HANDLES && get(&fast_handles[number].handle) == handle)
    __atomic_store_n(&fast_handles[number].handle, 0, __ATOMIC_SEQ_CST);
}

INLINE fast_handle *fast_of(uint64_t handle) {
  uint64_t number = handle & HANDLE_INDEX;
  if (!LIKELY(number < FAST_HANDLES)) return NULL;
  fast_handle *fast = fast_handles + number;
  if (!LIKELY(get_first(&fast->handle) == handle && handle != 0)) return NULL;
  uint64_t *page = __atomic_load_n(&lvs_process_token_page, __ATOMIC_RELAXED);
  return LIKELY(get(&fast->token) == get(page)) ? fast : NULL;
}

// Whether the handle stayed open, so that all that was read was its own.
INLINE bool stays_open(fast_handle *fast, uint64_t handle) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return get(&fast->handle) == handle;
}

HOT lvs_answer lvs_fast_key_scalar(uint64_t handle, uint8_t type, uint64_t *scalar) {
  fast_handle *fast = fast_of(handle);
  if (!LIKELY(fast)) return LVS_OTHER;
  lvs_slot *slot = __atomic_load_n(&fast->slot, __ATOMIC_RELAXED);
  lvs_cache *cache = __atomic_load_n(&fast->cache, __ATOMIC_RELAXED);
  uint64_t value;
  if (!LIKELY(slot && scalar)) return LVS_OTHER;
  lvs_answer answer;
  do answer = read_scalar(cache, slot, get_first(slot->w), type, &value);
  while (!LIKELY(answer != LVS_STALE) && catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(stays_open(fast, handle))) return LVS_OTHER;
  *scalar = value;
  return LVS_READ;
}

INLINE lvs_slot *find_named(lvs_cache *cache, const char *name, uint64_t *first) {
  size_t length = strnlen(name, LVS_CACHE_NAME_MAX + 1);
  return LIKELY(length <= LVS_CACHE_NAME_MAX) ? find(cache, name, length, first) : NULL;
}

HOT lvs_answer lvs_fast_name_scalar(uint64_t handle, const char *name, uint8_t type, uint64_t *scalar) {
  fast_handle *fast = fast_of(handle);
  if (!LIKELY(fast && name && scalar)) return LVS_OTHER;
  lvs_cache *cache = __atomic_load_n(&fast->cache, __ATOMIC_RELAXED);
  uint64_t first, value;
  lvs_answer answer;
  do {
    lvs_slot *slot = find_named(cache, name, &first);
    if (!LIKELY(slot)) return LVS_STALE;
    answer = read_scalar(cache, slot, first, type, &value);
  } while (!LIKELY(answer != LVS_STALE) && catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(stays_open(fast, handle))) return LVS_OTHER;
  *scalar = value;
  return LVS_READ;
}

HOT lvs_answer lvs_fast_key_bytes(uint64_t handle, uint32_t types, bool is_text, void *buffer, size_t capacity,
                                  size_t *length) {
  fast_handle *fast = fast_of(handle);
  if (!LIKELY(fast && buffer)) return LVS_OTHER;
  lvs_slot *slot = __atomic_load_n(&fast->slot, __ATOMIC_RELAXED);
  lvs_cache *cache = __atomic_load_n(&fast->cache, __ATOMIC_RELAXED);
  size_t count;
  if (!LIKELY(slot)) return LVS_OTHER;
  lvs_answer answer;
  do answer = read_bytes(cache, slot, get_first(slot->w), types, is_text, buffer, capacity, &count);
  while (!LIKELY(answer != LVS_STALE) && catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(stays_open(fast, handle))) return LVS_OTHER;
  if (length) *length = count;
  return LVS_READ;
}

HOT lvs_answer lvs_fast_name_bytes(uint64_t handle, const char *name, uint32_t types, bool is_text, void *buffer,
                                   size_t capacity, size_t *length) {
  fast_handle *fast = fast_of(handle);
  if (!LIKELY(fast && name && buffer)) return LVS_OTHER;
  lvs_cache *cache = __atomic_load_n(&fast->cache, __ATOMIC_RELAXED);
  uint64_t first;
  size_t count;
  lvs_answer answer;
  do {
    lvs_slot *slot = find_named(cache, name, &first);
    if (!LIKELY(slot)) return LVS_STALE;
    answer = read_bytes(cache, slot, first, types, is_text, buffer, capacity, &count);
  } while (!LIKELY(answer != LVS_STALE) && catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(stays_open(fast, handle))) return LVS_OTHER;
  if (length) *length = count;
  return LVS_READ;
}

// What commits tell

void lvs_recent_add(lvs_recent *recent, const void *name, size_t length) {
  if (recent->count < LVS_RECENT_NAMES) recent->hashes[recent->count] = hash_of(name, length);
  if (recent->count <= LVS_RECENT_NAMES) recent->count++;
}

void lvs_recent_add_all(lvs_recent *recent) { recent->count = LVS_RECENT_NAMES + 1; }

// Bound keys

// What `state` consists of: a number | whether it is closed | how many calls have it pinned.
static const uint64_t PINS = ((uint64_t)1 << 23) - 1, CLOSED = (uint64_t)1 << 23, NUMBER = (uint64_t)1 << 24;

struct lvs_bound {
  uint64_t state;
  // The process that bound it.
  uint64_t token;
  lvs_cache *cache;
  lvs_slot *slot;
  void *owner;
  lvs_bound *next;
};
static lvs_bound *free_places;

lvs_bound *lvs_bound_make(lvs_cache *cache, lvs_slot *slot, void *owner, uint64_t *tag) {
  enum { CHUNK = 128 };
  pthread_once(&pool_once, make_pool_lock);
  lvs_mutex_lock(pool_lock);
  lvs_bound *place = free_places, *chunk = place ? NULL : calloc(CHUNK, sizeof *chunk);
  for (size_t i = CHUNK; chunk && i-- > 0;) {
    chunk[i].state = CLOSED;
    chunk[i].next = place;
    place = chunk + i;
  }
  if (place) free_places = place->next;
  lvs_mutex_unlock(pool_lock);
  if (!place) return NULL;
  place->owner = owner;
  __atomic_store_n(&place->cache, cache, __ATOMIC_RELAXED);
  __atomic_store_n(&place->slot, slot, __ATOMIC_RELAXED);
  set(&place->token, lvs_process_token());
  *tag = (get(&place->state) & ~(PINS | CLOSED)) + NUMBER;
  set_last(&place->state, *tag);
  return place;
}

HOT bool lvs_bound_scalar(lvs_bound *place, uint64_t tag, uint8_t type, uint64_t *scalar) {
  if (!LIKELY((get_first(&place->state) & ~PINS) == tag)) return false;
  uint64_t *page = __atomic_load_n(&lvs_process_token_page, __ATOMIC_RELAXED);
  lvs_slot *slot = __atomic_load_n(&place->slot, __ATOMIC_RELAXED);
  lvs_cache *cache = __atomic_load_n(&place->cache, __ATOMIC_RELAXED);
  if (!LIKELY(get(&place->token) == get(page) && slot)) return false;
  lvs_answer answer;
  do answer = read_scalar(cache, slot, get_first(slot->w), type, scalar);
  while (!LIKELY(answer != LVS_STALE) && catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return false;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return (get(&place->state) & ~PINS) == tag;
}

void *lvs_bound_pin(lvs_bound *place, uint64_t tag) {
  uint64_t state = get_first(&place->state);
  while ((state & ~PINS) == tag)
    if (__atomic_compare_exchange_n(&place->state, &state, state + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      return place->owner;
  return NULL;
}

static void *let_go(lvs_bound *place) {
  void *owner = place->owner;
  lvs_mutex_lock(pool_lock);
  place->next = free_places;
  free_places = place;
  lvs_mutex_unlock(pool_lock);
  return owner;
}

void *lvs_bound_unpin(lvs_bound *place) {
  uint64_t state = __atomic_sub_fetch(&place->state, 1, __ATOMIC_ACQ_REL);
  return (state & (PINS | CLOSED)) == CLOSED ? let_go(place) : NULL;
}

void *lvs_bound_close(lvs_bound *place, uint64_t tag) {
  uint64_t state = get(&place->state);
  while ((state & ~PINS) == tag)
    if (__atomic_compare_exchange_n(&place->state, &state, state | CLOSED, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      return (state & PINS) == 0 ? let_go(place) : NULL;
  return NULL;
}

// The lock file's number of the last commit

uint64_t *lvs_commit_map(int lock_file) {
  void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, lock_file, 0);
  return page == MAP_FAILED ? NULL : page;
}

void lvs_commit_unmap(uint64_t *page) { munmap(page, PAGE); }

bool lvs_lock_page_is_held(const uint64_t *page, bool is_writers) {
  // The word of a mutex names the thread that has it; the kernel takes the name out when that dies.
  static const uint32_t THREAD = 0x3fffffff;
  enum { READERS = 8, WRITER = ((8 + sizeof(pthread_mutex_t) + 12 + 63) / 64) * 64 };
  if (get(page + STAMP_WORD) != LMDB_STAMP) return false;
  const uint32_t *word = (const uint32_t *)((const char *)page + (is_writers ? WRITER : READERS));
  return (__atomic_load_n(word, __ATOMIC_ACQUIRE) & THREAD) != 0;
}

uint64_t lvs_commit_get(const uint64_t *page) {
  return get(page + STAMP_WORD) == LMDB_STAMP ? get_first(page + COMMIT_WORD) : LVS_NO_COMMIT;
}

int lvs_commit_write(int lock_file, uint64_t commit) {
  uint64_t page[PAGE / 8] = {[STAMP_WORD] = LMDB_STAMP, [COMMIT_WORD] = commit};
  return lvs_write_at(lock_file, page, sizeof page, 0) < 0 ? -1 : 0;
}

void lvs_commit_set(uint64_t *page, uint64_t commit) { __atomic_store_n(page + COMMIT_WORD, commit, __ATOMIC_SEQ_CST); }

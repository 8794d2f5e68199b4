// What the files of the cache know of its memory: a region with slots, an index and a ring, all words atomic.
#ifndef LVS_LAYOUT_H
#define LVS_LAYOUT_H

#include "creadcache.h"

#define HOT __attribute__((hot))
#define INLINE static inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)

INLINE uint64_t get(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
INLINE uint64_t get_first(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
INLINE void set(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }
INLINE void set_last(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

enum {
  SLOT_WORDS = 8,
  FIRST_BITS = 9,
  MOST_PROBES = 128
};

// w[0]  hash of the name (32 bits) | sequence number (32 bits), odd while the slot is written
// w[1]  the commit at which it was looked up; 0 if it does not count
// w[2]  type (8) | flags (8) | name's length (16) | content's length (32)
// w[3]  scalar
// w[4…] name, then content, each padded to a word with zeros; or, with OUTSIDE, where they lie in the ring
// w[7]  expiry, with EXPIRES: by the clock, or if less than 0 by the one since the start of the system
struct lvs_slot {
  uint64_t w[SLOT_WORDS];
};
enum { EXPIRES = 1, OUTSIDE = 2, ALIAS = 4, FIRST_FREE = 4, EXPIRY_WORD = SLOT_WORDS - 1 };

struct lvs_cache {
  // The number of the last commit, and the page that tells of commits; on empty pages once the cache is retired.
  const uint64_t *last_commit;
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
  // Of the region, and of the system's pages, in which it is mapped and emptied.
  size_t size, page;
  lvs_cache *next;
  bool is_blind, is_in_use;
};

// One thread at a time writes.
INLINE bool try_lock(lvs_cache *cache) {
  return get(&cache->busy) == 0 && __atomic_exchange_n(&cache->busy, 1, __ATOMIC_ACQUIRE) == 0;
}
INLINE void lock(lvs_cache *cache) {
  while (!try_lock(cache)) lvs_sleep_us(1);
}
INLINE void unlock(lvs_cache *cache) { set_last(&cache->busy, 0); }

INLINE size_t index_start(uint64_t bits) { return ((size_t)1 << bits) - ((size_t)1 << FIRST_BITS); }

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

// Slots and the ring

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

// Between files, with the cache locked but for `lvs_catch_up`.

// The sequence number of a slot that is to be written, odd from here on.
uint64_t lvs_open_slot(lvs_slot *slot, uint32_t hash);
void lvs_close_slot(lvs_slot *slot, uint32_t hash, uint64_t sequence);
// Overwrites the content of a slot that is open for writing: a secret is not to stay once it counts no more.
void lvs_wipe_content(lvs_cache *cache, lvs_slot *slot);
// Notes up to where the commits were gone through.
void lvs_note_truth(lvs_cache *cache, uint64_t commit, uint64_t revision);
// Goes through the commits since the last time, as their writers told of them. True if that made entries count again: the
// read that found its own outdated tries once more.
bool lvs_catch_up(lvs_cache *cache);

#endif

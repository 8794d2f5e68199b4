// Entries: keeping, copying and interning them.
#define _GNU_SOURCE
#include "reading.h"

#include <sys/mman.h>

// Lookups of outdated entries before the log of commits is gone through.
enum { PATIENCE = 8 };

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
  } while (lvs_catch_up(cache));
  return -1;
}

// Writing, with the cache locked

static void write_words(uint64_t *words, const char *bytes, size_t length) {
  for (; length >= 8; length -= 8, bytes += 8) set(words++, word_at(bytes));
  if (length > 0) {
    uint64_t word = 0;
    memcpy(&word, bytes, length);
    set(words, word);
  }
}

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
  size_t bytes = (size_t)8 << bits, within = cache->page - 1;
  char *start = (char *)(((uintptr_t)old + within) & ~(uintptr_t)within);
  if (bytes >= 4 * cache->page) madvise(start, (size_t)((char *)old + bytes - start) & ~within, MADV_DONTNEED);
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
  uint64_t sequence = lvs_open_slot(slot, hash);
  lvs_wipe_content(cache, slot);
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
  lvs_close_slot(slot, hash, sequence);
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
    lvs_note_truth(cache, commit, UINT64_MAX);
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

bool lvs_cache_holds_all(lvs_cache *cache) {
  if (cache->is_blind || !try_lock(cache)) return false;
  bool holds = cache->hand == 0 && get(&cache->ring_end) <= cache->ring_words;
  unlock(cache);
  return holds;
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

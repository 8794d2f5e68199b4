// Finding an entry and copying it: inline in all that reads.
#ifndef LVS_READING_H
#define LVS_READING_H

#include "layout.h"

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
  uint64_t commit = get_first(cache->last_commit), stamp = get(slot->w + 1);
  if (stamp != commit) {
    if (get_first(&cache->synced_to) != commit || stamp < get(&cache->synced_from) || (meta_flags(meta) & ALIAS))
      return false;
  }
  if (stamp == 0) return false;
  if (!(meta_flags(meta) & EXPIRES)) return true;
  int64_t end = (int64_t)get(slot->w + EXPIRY_WORD);
  return end < 0 ? -end > lvs_boottime_us() : end > lvs_realtime_us();
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

INLINE lvs_answer read_any(lvs_cache *cache, lvs_slot *slot, uint64_t first, uint32_t texts, uint32_t bytes, uint8_t color,
                           void *buffer, size_t capacity, lvs_found *found) {
  uint64_t meta = get(slot->w + 2);
  if (first & 1 || !is_current(cache, slot, meta)) return LVS_STALE;
  uint8_t type = meta_type(meta);
  uint32_t kind = (uint32_t)1 << (type & 31);
  bool is_text = (texts & kind) != 0, is_color = type == color;
  lvs_found here = {get(slot->w + 3), 0, {0}, type};
  if ((texts | bytes) & kind || is_color) {
    here.length = meta_content(meta);
    if (is_color) buffer = here.color, capacity = sizeof here.color;
    if (here.length + (is_text ? 1 : 0) > capacity || !buffer) return LVS_OTHER;
    if (!read_content(cache, slot, meta, buffer, capacity, is_text)) return LVS_STALE;
  }
  if (!is_whole(slot, first)) return LVS_STALE;
  *found = here;
  return LVS_READ;
}

#endif

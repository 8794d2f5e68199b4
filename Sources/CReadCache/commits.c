// Which entries count: forgetting what commits have changed, by what their writers told or by the log.
#include "layout.h"

static const uint64_t BELIEVED_NS = 1000000000;

static uint64_t coarse_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void lvs_note_truth(lvs_cache *cache, uint64_t commit, uint64_t revision) {
  cache->true_commit = commit;
  cache->true_revision = revision;
  cache->true_ns = coarse_ns();
}

static bool believes(const lvs_cache *cache) { return coarse_ns() - cache->true_ns < BELIEVED_NS; }

uint64_t lvs_open_slot(lvs_slot *slot, uint32_t hash) {
  uint64_t sequence = (uint32_t)get(slot->w) | 1;
  set(slot->w, (uint64_t)hash << 32 | sequence);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  return sequence;
}

void lvs_close_slot(lvs_slot *slot, uint32_t hash, uint64_t sequence) {
  set_last(slot->w, (uint64_t)hash << 32 | (uint32_t)(sequence + 1));
}

void lvs_wipe_content(lvs_cache *cache, lvs_slot *slot) {
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

bool lvs_cache_check(lvs_cache *cache, uint64_t commit, uint64_t revision) {
  // A read of the store that had the region before may still be on its way.
  lock(cache);
  bool is_right = commit != LVS_NO_COMMIT && get(cache->last_commit) == commit;
  cache->is_blind = !is_right;
  if (is_right) {
    // Commits are gone through from here on.
    lvs_note_truth(cache, commit, revision);
    set(&cache->synced_from, commit);
    set_last(&cache->synced_to, commit);
  }
  unlock(cache);
  return is_right;
}

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
    uint64_t sequence = lvs_open_slot(slot, hash);
    lvs_wipe_content(cache, slot);
    set(slot->w + 1, 0);
    lvs_close_slot(slot, hash, sequence);
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

bool lvs_catch_up(lvs_cache *cache) {
  if (get(&cache->synced_to) == get(cache->last_commit) || !try_lock(cache)) return false;
  // The cache may be another store's by now: all is looked at anew.
  uint64_t last = get_first(cache->last_commit), commit = get(&cache->synced_to), revision = 0;
  bool is_told = !cache->is_blind && commit != 0 && last > commit && last - commit <= LVS_RECENT_COMMITS && believes(cache);
  while (is_told && commit < last) is_told = forget_changes(cache, ++commit, &revision);
  if (is_told) {
    cache->patience = 0;
    set_last(&cache->synced_to, last);
  }
  unlock(cache);
  return is_told;
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
  lvs_note_truth(cache, to, revision);
  set_last(&cache->synced_to, to);
  unlock(cache);
}

void lvs_cache_cancel_sync(lvs_cache *cache) { unlock(cache); }

void lvs_cache_drop(lvs_cache *cache, const char *name, size_t length) {
  if (!try_lock(cache)) return;
  forget(cache, hash_of(name, length), UINT64_MAX);
  unlock(cache);
}

// What commits tell

void lvs_recent_add(lvs_recent *recent, const void *name, size_t length) {
  if (recent->count < LVS_RECENT_NAMES) recent->hashes[recent->count] = hash_of(name, length);
  if (recent->count <= LVS_RECENT_NAMES) recent->count++;
}

void lvs_recent_add_all(lvs_recent *recent) { recent->count = LVS_RECENT_NAMES + 1; }

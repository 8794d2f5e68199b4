// The table of handles, and the reads that go by their number.
#include "reading.h"

typedef struct place {
  // lvs_pin; the tag is kind and generation, in the bits where handles have them.
  uint64_t state;
  // The process that made the handle.
  uint64_t token;
  // Of a store, for reads by name.
  lvs_cache *cache;
  // Of a key.
  lvs_slot *slot;
  lvs_cache *key_cache;
  void *object;
  // The next free one; 0 for none.
  uint64_t next;
  uint64_t unused;
} place;
_Static_assert(sizeof(place) == 64, "a place is a line");

enum { INDEX_BITS = 28, KIND_SHIFT = 56, FIRST_PLACES_BITS = 17, CHUNKS = INDEX_BITS - FIRST_PLACES_BITS + 1 };
static const uint64_t INDEX = ((uint64_t)1 << INDEX_BITS) - 1, FIRST_PLACES = (uint64_t)1 << FIRST_PLACES_BITS;
static const uint64_t GENERATION = ((uint64_t)1 << KIND_SHIFT) - ((uint64_t)1 << INDEX_BITS);

// No memory until they are used. Further chunks are each as large as all before.
static place first_places[(size_t)1 << FIRST_PLACES_BITS];
static place *chunks[CHUNKS] = {first_places};

// Guards what follows, and growth.
static lvs_mutex *places_lock;
static pthread_once_t places_once = PTHREAD_ONCE_INIT;
static uint64_t first_free, place_count = 1;

static void make_places_lock(void) { places_lock = lvs_mutex_make_global(); }

static unsigned chunk_of(uint64_t index) {
  return index < FIRST_PLACES ? 0 : 64 - FIRST_PLACES_BITS - (unsigned)__builtin_clzll(index);
}

static uint64_t chunk_start(unsigned chunk) { return chunk == 0 ? 0 : FIRST_PLACES << (chunk - 1); }

static __attribute__((noinline)) place *distant_place(uint64_t index) {
  unsigned chunk = chunk_of(index);
  place *base = __atomic_load_n(chunks + chunk, __ATOMIC_ACQUIRE);
  return base ? base + (index - chunk_start(chunk)) : NULL;
}

// NULL if there was never a handle of that index.
INLINE place *place_at(uint64_t handle) {
  uint64_t index = handle & INDEX;
  return LIKELY(index < FIRST_PLACES) ? first_places + index : distant_place(index);
}

// A place that nobody uses, with the lock held; 0 if there is none.
static uint64_t take_place(void) {
  uint64_t index = first_free;
  if (index) {
    first_free = place_at(index)->next;
    return index;
  }
  index = place_count;
  if (index > INDEX) return 0;
  if (!place_at(index)) {
    unsigned chunk = chunk_of(index);
    size_t count = chunk_start(chunk);
    if (!lvs_memory_can_have(count * sizeof(place))) return 0;
    place *base = calloc(count, sizeof(place));
    if (!base) return 0;
    __atomic_store_n(chunks + chunk, base, __ATOMIC_RELEASE);
  }
  place_count++;
  return index;
}

uint64_t lvs_handle_make(uint8_t kind, void *object, lvs_cache *cache, lvs_slot *slot) {
  pthread_once(&places_once, make_places_lock);
  lvs_mutex_lock(places_lock);
  uint64_t index = take_place();
  lvs_mutex_unlock(places_lock);
  if (!index) return 0;
  place *made = place_at(index);
  uint64_t tag = (uint64_t)kind << KIND_SHIFT | (get(&made->state) & GENERATION);
  // Whoever still reads by the place's former handle, and finds what is written here, finds its number changed.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  made->object = object;
  set(&made->token, lvs_process_token());
  __atomic_store_n(&made->cache, slot ? NULL : cache, __ATOMIC_RELAXED);
  __atomic_store_n(&made->slot, slot, __ATOMIC_RELAXED);
  __atomic_store_n(&made->key_cache, cache, __ATOMIC_RELAXED);
  set_last(&made->state, tag | LVS_OPEN);
  return tag | index;
}

lvs_pinned lvs_handle_pin(uint64_t handle, uint8_t kind, bool closes, void **object) {
  place *found = place_at(handle);
  if (handle >> KIND_SHIFT != kind || !found) return LVS_CLOSED;
  uint64_t tag = handle & ~INDEX;
  if ((get_first(&found->state) & ~LVS_PINS) != (tag | LVS_OPEN)) return LVS_CLOSED;
  // No handle is made anew under the same generation.
  if (get(&found->token) != lvs_process_token()) return LVS_FORKED;
  if (!lvs_pin(&found->state, tag, closes)) return LVS_CLOSED;
  *object = found->object;
  return LVS_PINNED;
}

void *lvs_handle_unpin(uint64_t handle) {
  place *left = place_at(handle);
  if (!lvs_unpin(&left->state)) return NULL;
  void *object = left->object;
  lvs_mutex_lock(places_lock);
  set_last(&left->state, (get(&left->state) + ((uint64_t)1 << INDEX_BITS)) & GENERATION);
  left->next = first_free;
  first_free = handle & INDEX;
  lvs_mutex_unlock(places_lock);
  return object;
}

// Reading

// The place of a handle that is open in this process.
INLINE place *open_place(uint64_t handle) {
  place *found = place_at(handle);
  if (!LIKELY(found != NULL)) return NULL;
  uint64_t state = get_first(&found->state);
  if (!LIKELY((state ^ handle) >> INDEX_BITS == 0 && (state & LVS_OPEN))) return NULL;
  uint64_t *page = __atomic_load_n(&lvs_process_token_page, __ATOMIC_RELAXED);
  return LIKELY(get(&found->token) == get(page)) ? found : NULL;
}

// Whether the handle's object was held meanwhile, so that all that was read was its own.
INLINE bool was_held(place *found, uint64_t handle) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return (get(&found->state) ^ handle) >> INDEX_BITS == 0;
}

// For the length of a name that ends with a NUL.
#define TERMINATED SIZE_MAX

INLINE lvs_slot *find_named(lvs_cache *cache, const char *name, size_t length, uint64_t *first) {
  if (length == TERMINATED) length = strnlen(name, LVS_CACHE_NAME_MAX + 1);
  return LIKELY(length <= LVS_CACHE_NAME_MAX) ? find(cache, name, length, first) : NULL;
}

HOT lvs_answer lvs_read_key_scalar(uint64_t key, uint8_t type, uint64_t *scalar) {
  place *found = open_place(key);
  if (!LIKELY(found)) return LVS_OTHER;
  lvs_slot *slot = __atomic_load_n(&found->slot, __ATOMIC_RELAXED);
  lvs_cache *cache = __atomic_load_n(&found->key_cache, __ATOMIC_RELAXED);
  uint64_t value;
  if (!LIKELY(slot && scalar)) return LVS_OTHER;
  lvs_answer answer;
  do answer = read_scalar(cache, slot, get_first(slot->w), type, &value);
  while (!LIKELY(answer != LVS_STALE) && lvs_catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(was_held(found, key))) return LVS_OTHER;
  *scalar = value;
  return LVS_READ;
}

INLINE lvs_answer read_named_scalar(uint64_t store, const char *name, size_t length, uint8_t type, uint64_t *scalar) {
  place *found = open_place(store);
  if (!LIKELY(found && name && scalar)) return LVS_OTHER;
  lvs_cache *cache = __atomic_load_n(&found->cache, __ATOMIC_RELAXED);
  if (!LIKELY(cache)) return LVS_OTHER;
  uint64_t first, value;
  lvs_answer answer;
  do {
    lvs_slot *slot = find_named(cache, name, length, &first);
    if (!LIKELY(slot)) return LVS_STALE;
    answer = read_scalar(cache, slot, first, type, &value);
  } while (!LIKELY(answer != LVS_STALE) && lvs_catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(was_held(found, store))) return LVS_OTHER;
  *scalar = value;
  return LVS_READ;
}

HOT lvs_answer lvs_read_name_scalar(uint64_t store, const char *name, uint8_t type, uint64_t *scalar) {
  return read_named_scalar(store, name, TERMINATED, type, scalar);
}

HOT lvs_answer lvs_read_bytes_scalar(uint64_t store, const void *name, size_t length, uint8_t type, uint64_t *scalar) {
  return read_named_scalar(store, name, length, type, scalar);
}

HOT lvs_answer lvs_read_key_bytes(uint64_t key, uint32_t types, bool is_text, void *buffer, size_t capacity,
                                  size_t *length) {
  place *found = open_place(key);
  if (!LIKELY(found && buffer)) return LVS_OTHER;
  lvs_slot *slot = __atomic_load_n(&found->slot, __ATOMIC_RELAXED);
  lvs_cache *cache = __atomic_load_n(&found->key_cache, __ATOMIC_RELAXED);
  size_t count;
  if (!LIKELY(slot)) return LVS_OTHER;
  lvs_answer answer;
  do answer = read_bytes(cache, slot, get_first(slot->w), types, is_text, buffer, capacity, &count);
  while (!LIKELY(answer != LVS_STALE) && lvs_catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(was_held(found, key))) return LVS_OTHER;
  if (length) *length = count;
  return LVS_READ;
}

INLINE lvs_answer read_named_bytes(uint64_t store, const char *name, size_t name_length, uint32_t types, bool is_text,
                                   void *buffer, size_t capacity, size_t *length) {
  place *found = open_place(store);
  if (!LIKELY(found && name && buffer)) return LVS_OTHER;
  lvs_cache *cache = __atomic_load_n(&found->cache, __ATOMIC_RELAXED);
  if (!LIKELY(cache)) return LVS_OTHER;
  uint64_t first;
  size_t count;
  lvs_answer answer;
  do {
    lvs_slot *slot = find_named(cache, name, name_length, &first);
    if (!LIKELY(slot)) return LVS_STALE;
    answer = read_bytes(cache, slot, first, types, is_text, buffer, capacity, &count);
  } while (!LIKELY(answer != LVS_STALE) && lvs_catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(was_held(found, store))) return LVS_OTHER;
  if (length) *length = count;
  return LVS_READ;
}

HOT lvs_answer lvs_read_name_bytes(uint64_t store, const char *name, uint32_t types, bool is_text, void *buffer,
                                   size_t capacity, size_t *length) {
  return read_named_bytes(store, name, TERMINATED, types, is_text, buffer, capacity, length);
}

HOT lvs_answer lvs_read_bytes_content(uint64_t store, const void *name, size_t name_length, uint32_t types, void *buffer,
                                      size_t capacity, size_t *length) {
  return read_named_bytes(store, name, name_length, types, false, buffer, capacity, length);
}

INLINE lvs_answer read_named_any(uint64_t store, const char *name, size_t length, uint32_t texts, uint32_t bytes,
                                 uint8_t color, void *buffer, size_t capacity, lvs_found *result) {
  place *found = open_place(store);
  if (!LIKELY(found && name)) return LVS_OTHER;
  lvs_cache *cache = __atomic_load_n(&found->cache, __ATOMIC_RELAXED);
  if (!LIKELY(cache)) return LVS_OTHER;
  uint64_t first;
  lvs_found here;
  lvs_answer answer;
  do {
    lvs_slot *slot = find_named(cache, name, length, &first);
    if (!LIKELY(slot)) return LVS_STALE;
    answer = read_any(cache, slot, first, texts, bytes, color, buffer, capacity, &here);
  } while (!LIKELY(answer != LVS_STALE) && lvs_catch_up(cache));
  if (!LIKELY(answer == LVS_READ)) return answer;
  if (!LIKELY(was_held(found, store))) return LVS_OTHER;
  *result = here;
  return LVS_READ;
}

HOT lvs_answer lvs_read_name_any(uint64_t store, const char *name, uint32_t texts, uint32_t bytes, uint8_t color, void *buffer,
                                 size_t capacity, lvs_found *result) {
  return read_named_any(store, name, TERMINATED, texts, bytes, color, buffer, capacity, result);
}

HOT lvs_answer lvs_read_bytes_any(uint64_t store, const void *name, size_t length, uint32_t texts, uint32_t bytes,
                                  uint8_t color, void *buffer, size_t capacity, lvs_found *result) {
  return read_named_any(store, name, length, texts, bytes, color, buffer, capacity, result);
}

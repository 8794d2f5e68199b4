// What a process knows of the settings of one store: copies of decoded values, found by name or by an interned key, without
// a lock, an allocation or a system call.
//
// A cache lies in a region of address space that is never given back, only emptied and used again: a reader that is late
// meets a sequence number that does not fit, and never memory that is gone. All words that readers share with a writer
// are atomic. An entry is a slot of a cache line that is written under a sequence number; names and contents of more
// than 32 bytes together lie in a ring, whose oldest bytes the newest overwrite.
//
// An entry counts while nothing has been committed since it was looked up, or while all that was has been gone through:
// by what its writers told of it (lvs_recent), or by the log (lvs_cache_end_sync). What the last commit was is read from a
// word that the processes share; whoever makes the cache knows where it is.
#ifndef CREADCACHE_H
#define CREADCACHE_H

#include "cwake.h"
#include "pins.h"

typedef struct lvs_cache lvs_cache;
// An entry's place. An interned one stays with its name until it is let go of.
typedef struct lvs_slot lvs_slot;

enum {
  LVS_CACHE_NAME_MAX = 255,
  // The longest content that is kept.
  LVS_CACHE_CONTENT_MAX = 4096
};
// The last commit is unknown.
static const uint64_t LVS_NO_COMMIT = 0;

// A cache of at most so many bytes. The first page of `commit_file` has the number of the last commit at `offset`, which is
// the same for all caches; `wake_file` is where commits are told of, or -1. The pages stay mapped beyond the descriptors.
// NULL if there is no memory for it.
lvs_cache *lvs_cache_make(uint64_t bytes, int commit_file, size_t offset, int wake_file);
// Whether that number is the one of the last commit that a transaction shows. Otherwise nothing is kept.
bool lvs_cache_check(lvs_cache *cache, uint64_t commit, uint64_t revision);
// Empties the cache, for another store to use; readers may still be on their way.
void lvs_cache_retire(lvs_cache *cache);

// An entry as it is kept. Numbers, truth values and moments are the 8 bytes `scalar`; all else is content.
typedef struct lvs_entry {
  uint64_t scalar;
  const void *content;
  uint32_t content_length;
  uint8_t type;
  // Found under another name than the setting's own, so that going through commits does not tell when it changes.
  bool is_alias;
  // In microseconds since 1970; less than 0 for as many since the start of the system; 0 for never.
  int64_t expires;
} lvs_entry;

// Keeps what a transaction of that commit has found. `slot` is that of an interned name, or NULL. True if by now so many
// entries had to be looked up again that going through the commits is worth while. Does nothing if another thread is busy
// with the cache.
bool lvs_cache_keep(lvs_cache *cache, lvs_slot *slot, const char *name, size_t length, uint64_t commit,
                    const lvs_entry *entry);

// Whether nothing had to go for something else to be kept. False if another thread is busy with the cache.
bool lvs_cache_holds_all(lvs_cache *cache);

// Copies an entry: the content's length, or -1 if it has to be looked up. `slot` is that of an interned name, or NULL.
// `buffer` has LVS_CACHE_CONTENT_MAX bytes.
ptrdiff_t lvs_cache_copy(lvs_cache *cache, lvs_slot *slot, const char *name, size_t length, uint8_t *type,
                         uint64_t *scalar, void *buffer);

// The slot of a name, which is its own until `release`; NULL if there is none to be had.
lvs_slot *lvs_cache_intern(lvs_cache *cache, const char *name, size_t length);
void lvs_cache_release(lvs_cache *cache, lvs_slot *slot);

// Going through commits: between `begin` (false if another thread is busy) and `end` no other thread changes the cache.
// `from` is the commit up to which that was done before; entries that were looked up then or later, and not forgotten
// since, count up to `to`. If that was not `complete` only those do that were looked up since the last commit whose writer
// did not tell of it.
bool lvs_cache_begin_sync(lvs_cache *cache, uint64_t *commit, uint64_t *revision);
void lvs_cache_forget(lvs_cache *cache, const char *name, size_t length);
void lvs_cache_end_sync(lvs_cache *cache, uint64_t to, uint64_t revision, bool is_complete);
void lvs_cache_cancel_sync(lvs_cache *cache);
// Forgets what is kept of a name that has no value any more, unless somebody else writes at the moment.
void lvs_cache_drop(lvs_cache *cache, const char *name, size_t length);

// What one commit has changed, for its writer to tell of: notes a name, or more than can be told.
void lvs_recent_add(lvs_recent *recent, const void *name, size_t length);
void lvs_recent_add_all(lvs_recent *recent);

// Handles: numbers that stand for objects, and are never addresses.
//
//     kind (8 bits) | generation (28 bits) | index of the place (28 bits)
//
// A place is never given back, only used again under another generation: a handle that is closed always finds one to be
// compared with, and may be copied and outlive what it stands for. With a cache, and for keys a slot in it, reads go by the
// number alone.
//
// Kinds are the caller's, from 1 on, but for the keys and stores of Swift callers.
enum { LVS_NAMING_STORE = 254, LVS_BOUND_KEY = 255 };
// 0 without memory. The object is held until nobody has it pinned: whoever is handed it by `unpin` lets go of it.
uint64_t lvs_handle_make(uint8_t kind, void *object, lvs_cache *cache, lvs_slot *slot);
typedef enum lvs_pinned { LVS_PINNED, LVS_CLOSED, LVS_FORKED } lvs_pinned;
// Pins a handle of that kind, so that its object stays; each pin wants one `unpin`. With `closes` the handle is dead to all
// later calls. FORKED if it is one of the parent process.
lvs_pinned lvs_handle_pin(uint64_t handle, uint8_t kind, bool closes, void **object);
// The object if the handle is closed and this was the last pin.
void *lvs_handle_unpin(uint64_t handle);

// What a read by handle comes to: READ; STALE when it has to be looked up; OTHER when the ordinary way has to tell: a NULL,
// no such handle, a value of another type, a buffer that is too small. Only READ writes a result.
typedef enum lvs_answer { LVS_OTHER, LVS_STALE, LVS_READ } lvs_answer;
lvs_answer lvs_read_key_scalar(uint64_t key, uint8_t type, uint64_t *scalar);
lvs_answer lvs_read_name_scalar(uint64_t store, const char *name, uint8_t type, uint64_t *scalar);
// The same by the bytes of a name, which may lie anywhere.
lvs_answer lvs_read_bytes_scalar(uint64_t store, const void *name, size_t length, uint8_t type, uint64_t *scalar);
// `types` has a bit for each type that will do. The content is followed by a NUL if `is_text`.
lvs_answer lvs_read_key_bytes(uint64_t key, uint32_t types, bool is_text, void *buffer, size_t capacity, size_t *length);
lvs_answer lvs_read_name_bytes(uint64_t store, const char *name, uint32_t types, bool is_text, void *buffer,
                               size_t capacity, size_t *length);
// The same by the bytes of a name, and without a NUL behind.
lvs_answer lvs_read_bytes_content(uint64_t store, const void *name, size_t name_length, uint32_t types, void *buffer,
                                  size_t capacity, size_t *length);

// What a read of any type finds: the 8 bytes of a scalar, or content and its length.
typedef struct lvs_found {
  uint64_t scalar;
  size_t length;
  // Content that goes here.
  uint32_t color[4];
  uint8_t type;
} lvs_found;
// The same for a value of any type. Content of the types in `texts` and `bytes` goes to the buffer, with a NUL behind if it
// is text; that of the type `color` into what is found; and of others none. Only READ writes to `found`.
lvs_answer lvs_read_name_any(uint64_t store, const char *name, uint32_t texts, uint32_t bytes, uint8_t color, void *buffer,
                             size_t capacity, lvs_found *found);
lvs_answer lvs_read_bytes_any(uint64_t store, const void *name, size_t length, uint32_t texts, uint32_t bytes, uint8_t color,
                              void *buffer, size_t capacity, lvs_found *found);

#endif

// What a process knows of the settings of one store: copies of decoded values, found by name or by an interned key, without
// a lock, an allocation or a system call.
//
// A cache lies in a region of address space that is never given back, only emptied and used again: a reader that is late
// meets a sequence number that does not fit, and never memory that is gone. All words that readers share with a writer
// are atomic. An entry is a slot of two cache lines that is written under a sequence number; long names and contents lie
// in a ring, whose oldest bytes the newest overwrite.
//
// An entry counts while nothing has been committed since it was looked up, or while all that was has been gone through:
// by what its writers told of it (lvs_recent), or by the log (lvs_cache_end_sync). What the last commit was is read from
// the page that LMDB shares among the processes.
#ifndef LVS_CACHE_H
#define LVS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

// A cache of at most so many bytes. `lock_file` is LMDB's lock file, before LMDB has opened it; `wake_file` is where commits
// are told of, or -1. Their pages stay mapped beyond the descriptors. NULL if there is no memory for it.
lvs_cache *lvs_cache_make(uint64_t bytes, int lock_file, int wake_file);
// Whether the page says what a transaction says: that the last commit was `commit`. Otherwise nothing is kept.
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
  // In microseconds since 1970; 0 for never.
  int64_t expires;
} lvs_entry;

// Keeps what a transaction of that commit has found. `slot` is that of an interned name, or NULL. True if by now so many
// entries had to be looked up again that going through the commits is worth while. Does nothing if another thread is busy
// with the cache.
bool lvs_cache_keep(lvs_cache *cache, lvs_slot *slot, const char *name, size_t length, uint64_t commit,
                    const lvs_entry *entry);

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

// Handles of C callers that reads take without the handle table.
void lvs_fast_publish(uint64_t handle, lvs_cache *cache, lvs_slot *slot);
void lvs_fast_withdraw(uint64_t handle);

// What a read by handle comes to: READ; STALE when it has to be looked up; OTHER when the ordinary way has to tell: a NULL,
// no such handle, a value of another type, a buffer that is too small. Only READ writes a result.
typedef enum lvs_answer { LVS_OTHER, LVS_STALE, LVS_READ } lvs_answer;
lvs_answer lvs_fast_key_scalar(uint64_t handle, uint8_t type, uint64_t *scalar);
lvs_answer lvs_fast_name_scalar(uint64_t handle, const char *name, uint8_t type, uint64_t *scalar);
// `types` has a bit for each type that will do. The content is followed by a NUL if `is_text`.
lvs_answer lvs_fast_key_bytes(uint64_t handle, uint32_t types, bool is_text, void *buffer, size_t capacity,
                              size_t *length);
lvs_answer lvs_fast_name_bytes(uint64_t handle, const char *name, uint32_t types, bool is_text, void *buffer,
                               size_t capacity, size_t *length);

// Keys of Swift callers. A place is never given back, only used again under another tag, so that a key is a pair of numbers
// that may be copied at no cost, and outlive what it stands for. `owner` is held until nobody has it pinned: whoever is
// handed it by `unpin` or `close` lets go of it.
typedef struct lvs_bound lvs_bound;
// NULL without memory.
lvs_bound *lvs_bound_make(lvs_cache *cache, lvs_slot *slot, void *owner, uint64_t *tag);
bool lvs_bound_scalar(lvs_bound *place, uint64_t tag, uint8_t type, uint64_t *scalar);
// The owner, which then stays until `unpin`; NULL if the place was closed.
void *lvs_bound_pin(lvs_bound *place, uint64_t tag);
void *lvs_bound_unpin(lvs_bound *place);
void *lvs_bound_close(lvs_bound *place, uint64_t tag);

// Whether LMDB's own lock of the writer, or of the table of readers, is held by a process that lives.
bool lvs_lock_page_is_held(const uint64_t *page, bool is_writers);
// The number of the last commit in LMDB's lock file, for who replaces the data file. NULL without memory; LVS_NO_COMMIT if
// it is not where it is expected. The page stays mapped beyond the descriptor.
uint64_t *lvs_commit_map(int lock_file);
void lvs_commit_unmap(uint64_t *page);
uint64_t lvs_commit_get(const uint64_t *page);
void lvs_commit_set(uint64_t *page, uint64_t commit);
// Gives an empty file the page that LMDB's lock file begins with. -1 and errno on failure.
int lvs_commit_write(int lock_file, uint64_t commit);

#endif

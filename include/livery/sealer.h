/**
 * @file livery/sealer.h
 * Secrets that lie sealed in the store.
 *
 * A sealer is two functions of the program, or of an extension such as `secrets`: one seals the value of a setting that is
 * declared secret before it is written, the other opens it after it was read. Whoever has no sealer, or one that does not
 * open a value, gets #LIVERY_ERROR_UNAVAILABLE for that setting; all others are read and set as ever. The layer `defaults`
 * is not sealed: the schema tells what is in it.
 *
 * What is sealed lies so in layers, log and backups, and is exported so. Once a sealer was there the store seals for good:
 * a process without one cannot set a secret (#LIVERY_ERROR_UNAVAILABLE), only reset it.
 */
#ifndef LIVERY_SEALER_H
#define LIVERY_SEALER_H

#include "change.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes that a sealed value may have beyond the value. */
#define LIVERY_SEAL_OVERHEAD 128

/** The place of a value, valid during a call. */
typedef struct livery_seal_place {
  /** The setting. */
  const char *name;
  /** The layer whose value it is. */
  livery_layer layer;
  /** What the sealed value has to be bound to: the store, the setting, the layer and the type, as bytes. A value must not open
      with another context; give it to an AEAD as associated data. */
  const void *context;
  /** In bytes. */
  size_t context_length;
} livery_seal_place;

/**
 * Seals or opens a value.
 *
 * It writes at most `capacity` bytes into `buffer`, and how many to `written`. To seal there is room for the length of the
 * value and #LIVERY_SEAL_OVERHEAD; to open as much as the sealed value is long. It returns #LIVERY_OK, or
 * #LIVERY_ERROR_UNAVAILABLE if it has not got the key; of what is damaged, or was sealed with another context,
 * #LIVERY_ERROR_CORRUPT. Messages of livery_error_leave() are passed on.
 *
 * Called on any thread that reads or changes the store, on several at once, while other writers wait: it must not use the
 * store, and has to return soon. More than one call may be made for one value.
 */
typedef livery_status (*livery_seal_fn)(const livery_seal_place *place, const void *bytes, size_t length, void *buffer,
                                        size_t capacity, size_t *written, void *user_data);

/** What seals and opens. */
typedef struct livery_sealer {
  /** sizeof(livery_sealer) */
  size_t struct_size;
  /** Seals the stored form of a value. */
  livery_seal_fn seal;
  /** Opens what `seal` has made. */
  livery_seal_fn open;
} livery_sealer;

/** No functions. */
#define LIVERY_SEALER_INIT { sizeof(livery_sealer), NULL, NULL }

/**
 * Have secrets sealed and opened.
 *
 * The sealer counts for all handles of the process on the store, until this handle is closed or gets another; of several
 * handles the latest is asked. It comes into effect at once, also for watches: those that look at a sealed setting get
 * #LIVERY_EVENT_RESYNC.
 *
 * The first time, the store remembers that its secrets are sealed. What it holds is sealed in one commit without a revision,
 * its log and its own backups too; damaged files that were kept are removed, and the file is compacted, so that no page
 * holds a secret as it was. The same is done for what was left plain meanwhile by processes without a sealer, as when a schema
 * or a restore made a setting secret; and what has ceased to be one meanwhile is plain then. A handle for reading alone leaves that to others. If this
 * fails the sealer of before stays.
 *
 * Threads: any. Waits for other writers and for openings, at most `busy_timeout_ms` each, and for the disk, if there is
 * something to seal.
 *
 * @param store      an open store
 * @param sealer     NULL for none
 * @param user_data  handed to the functions and to `destroy`
 * @param destroy    called once when the sealer is needed no more, or when this fails; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_UNAVAILABLE       a secret could not be sealed
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system has no room for a second copy of the store
 *   - #LIVERY_ERROR_PERMISSION        the store's folder may not be written to
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_FORMAT_NEWER      a newer library has made a backup of the store
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or a function is NULL, or `struct_size` is wrong
 * @since 0.1
 */
LIVERY_API livery_status livery_set_sealer(livery_store *store, const livery_sealer *sealer, void *user_data,
                                           livery_destroy_fn destroy);

/** Bits of livery_reseal(). */
enum {
  /** Also the store's own backups; damaged files that were kept are removed. */
  LIVERY_RESEAL_COPIES = 1 << 0
};

/**
 * Seal all secrets anew, as after the key was exchanged: in one commit without a revision, and the file is compacted.
 *
 * What the sealer does not open stays as it is; what is no secret any more is stored plainly. The report is an object: `sealed`
 * (how many values of layers), `wasPlain` (how many of them were not sealed before), `unavailable` (the names of settings with
 * values that were not opened), and with #LIVERY_RESEAL_COPIES `backups` and `damaged` as livery_forget() tells them.
 *
 * Threads: any. Waits for other writers, for openings and for backups that are being made, at most `busy_timeout_ms` each, and
 * for the disk.
 *
 * @param store        an open store
 * @param flags        a sum of `LIVERY_RESEAL_*` bits
 * @param[out] report  release it; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_UNAVAILABLE       there is no sealer, or it does not seal
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store, or a copy its backups, for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system has no room for a second copy of the store
 *   - #LIVERY_ERROR_PERMISSION        the store's folder may not be written to
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_FORMAT_NEWER      a newer library has made a backup of the store
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_reseal(livery_store *store, uint32_t flags, livery_value **report);

/**
 * How the secrets lie in a store: an object `active` (whether the store seals), `sealer` (whether this process has one),
 * `sealed` and `plain` (how many values of layers), `unavailable` (the names of settings with values that cannot be opened
 * here).
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param[out] report  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `report` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_sealing(livery_store *store, livery_value **report);

#ifdef __cplusplus
}
#endif

#endif

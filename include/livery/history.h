/**
 * @file livery/history.h
 * What was changed, when and by whom; and taking it back.
 */
#ifndef LIVERY_HISTORY_H
#define LIVERY_HISTORY_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What livery_history() tells. Zero or NULL in any member means its default. */
typedef struct livery_history_options {
  /** sizeof(livery_history_options) */
  size_t struct_size;
  /** Only commits that touched a setting that matches; see livery_list(). */
  const char *pattern;
  /** Only commits that changed something in this layer, if `has_layer`. */
  livery_layer layer;
  bool has_layer;
  /** Only commits of this origin. */
  const char *origin;
  /** Only commits from this moment on, and before that one, in microseconds since 1970; 0 for no limit. */
  int64_t since, until;
  /** Only commits before this revision; 0 for all. For the next page, the lowest revision of this one. */
  uint64_t before_revision;
  /** The most commits to return; 0 for no limit. */
  size_t limit;
} livery_history_options;

/** The defaults. */
#define LIVERY_HISTORY_OPTIONS_INIT { sizeof(livery_history_options), NULL, 0, false, NULL, 0, 0, 0, 0 }

/**
 * The commits that the log still holds, the latest first.
 *
 * Each item is an object: `revision`, `time` (date), `layer` (text), `origin`, `kind` ("change", "schema",
 * "trial", "confirmed", "reverted") and `changes`: a list of objects `name`, `layer`, `old`, `new` (the effective values;
 * missing for none), `forgotten` (true, only if values of a secret are missing since the log forgot them), `replaced` (only if
 * the commit took away what people had set in favour of `layer`: the names of their layers), `expired` (true, only if so),
 * `writable` (only if that changed), `unavailable` (true, only if values are sealed and cannot be opened here) and `secret`
 * (true, only if so). A setting whose value had expired before the commit gave it another one stands there twice, the expiry
 * first. Of a commit that changed more than 10,000 effective values there is no list: `changes` is empty, and the item has a member `tooLarge` (true). Of a commit on trial `length` says how long that was to be,
 * in microseconds; of one that confirms a trial or takes it back `trial` is the revision that began it. A confirmation has no
 * changes; it is of the settings that its trial changed.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param options      NULL for the defaults
 * @param[out] value   a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `value` is NULL, the pattern is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_history(livery_store *store, const livery_history_options *options,
                                        livery_value **value);

/** Bits of livery_undo(). */
enum {
  /** Undo even if later commits changed the same values, and what can be brought back if the log forgot secrets. */
  LIVERY_UNDO_FORCE = 1 << 0
};

/**
 * Undo a commit: give the layers that it changed back the values that it replaced, as a new commit.
 *
 * A commit can be undone as long as the log holds it, however many values it changed. What expired meanwhile does not
 * come back, and what the commit said of the end of the session (livery_change_session_ends()) stays. What was orphaned comes back
 * as that. With #LIVERY_ERROR_CONFLICT the message names the settings that later commits changed, the first 20 of them:
 * those that the log tells, and those for which a layer does not hold what the commit left there. Where several settings
 * refuse their former value, the status is that of the first by name.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store               an open store
 * @param revision            the commit to undo
 * @param flags               a sum of `LIVERY_UNDO_*` bits
 * @param[out] new_revision   of the new commit; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         the log does not hold that revision (any more); it is a recovery; or the log has
 *     forgotten the value of a secret that was replaced, and #LIVERY_UNDO_FORCE was not given
 *   - #LIVERY_ERROR_CONFLICT          later commits changed the same values, and #LIVERY_UNDO_FORCE was not given
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only; the commit applied a schema, or confirmed a trial: undo
 *     the one that began it; or it changed the layer `override` and the store does not allow that
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value that was set after that commit, or counts only since
 *     then: a commit that was made beneath a lock, as by an import of all layers, is undone beneath it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a former value does not convert to the type that the schema declares by now
 *   - #LIVERY_ERROR_INVALID_VALUE     a former value no longer satisfies the schema
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_undo(livery_store *store, uint64_t revision, uint32_t flags, uint64_t *new_revision);

#ifdef __cplusplus
}
#endif

#endif

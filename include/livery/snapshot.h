/**
 * @file livery/snapshot.h
 * Read several settings that belong together, as they are at one moment.
 */
#ifndef LIVERY_SNAPSHOT_H
#define LIVERY_SNAPSHOT_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One moment of a store, held still. */
typedef struct livery_snapshot livery_snapshot;

/**
 * Hold one moment of the store still, to read several settings that belong together.
 *
 * All reads from a snapshot see the same revision. Writers go on meanwhile, but space they free is not used again
 * until the snapshot is closed: keep it for moments, not for hours. When the store outgrows its `map_size` meanwhile, the
 * process opens the file once more beside the one that the snapshot is held in, which takes address space of that size.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store           an open store
 * @param[out] snapshot   a handle: close it with livery_snapshot_close(), or let livery_close() do it; untouched
 *   on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              all reader slots are taken
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_open(livery_store *store, livery_snapshot **snapshot);

/**
 * Close a snapshot.
 *
 * Threads: any. Calls on this snapshot in other threads finish; what it holds is let go with the last of them.
 *
 * @param snapshot  a snapshot, or NULL for nothing to happen
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_close(livery_snapshot *snapshot);

/**
 * The revision that a snapshot shows.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param snapshot        an open snapshot
 * @param[out] revision   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_revision(livery_snapshot *snapshot, uint64_t *revision);

/**
 * Read a setting as it was at the moment of the snapshot.
 *
 * Returns the effective value. A value that has expired since still counts in the snapshot.
 *
 * Threads: any; calls on one snapshot wait for each other.
 *
 * @param snapshot     an open snapshot
 * @param name         the setting's name, or an alias of it
 * @param[out] value   a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_get(livery_snapshot *snapshot, const char *name, livery_value **value);

/**
 * Read what a layer held for a setting at the moment of the snapshot, be it in effect or not.
 *
 * Threads: any; calls on one snapshot wait for each other.
 *
 * @param snapshot     an open snapshot
 * @param layer        one of `LIVERY_LAYER_*`
 * @param name         the setting's name, or an alias of it
 * @param[out] value   a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          the layer holds nothing for it
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_get_layer(livery_snapshot *snapshot, livery_layer layer, const char *name,
                                                   livery_value **value);

/**
 * The names of what a layer held at the moment of the snapshot, in their order (byte by byte). What had expired by then is among
 * them if no commit had removed it.
 *
 * Threads: any; calls on one snapshot wait for each other.
 *
 * @param snapshot     an open snapshot
 * @param layer        one of `LIVERY_LAYER_*`
 * @param pattern      which names; see livery_list(); NULL for all
 * @param[out] names   a list of strings: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the pattern is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_list(livery_snapshot *snapshot, livery_layer layer, const char *pattern,
                                              livery_value **names);

/**
 * Walk the settings of a snapshot that have a value, in the order of their names (byte by byte). Secrets that are sealed and
 * cannot be opened here are passed over.
 *
 * Begin with an empty name; each call stores the next name and its value:
 *
 *     char name[LIVERY_NAME_MAX + 1] = "";
 *
 *     while (livery_snapshot_next(snapshot, "branding.**", name, &value) == LIVERY_OK) { …
 * livery_value_release(value); }
 *
 * Threads: any; calls on one snapshot wait for each other.
 *
 * @param snapshot       an open snapshot
 * @param pattern        which settings; see livery_list(); NULL for all
 * @param[in,out] name   a buffer of #LIVERY_NAME_MAX + 1 bytes with the name after which to go on; untouched on
 *   failure
 * @param[out] value     a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there are no more
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or name or pattern is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_next(livery_snapshot *snapshot, const char *pattern, char *name,
                                              livery_value **value);

#ifdef __cplusplus
}
#endif

#endif

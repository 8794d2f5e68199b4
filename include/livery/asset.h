/**
 * @file livery/asset.h
 * Assets: images, mostly, that the store keeps under the SHA-256 of their bytes.
 *
 * The same bytes are stored once, whoever stores them, and an asset never changes: a setting that is to show another
 * image refers to another asset. The reference is the asset's id, as an image value (livery_value_make_image()). To
 * store images together with the settings that show them, so that no reader ever sees the one without the other, use
 * livery_change_put_asset().
 *
 *     char id[LIVERY_ASSET_ID_SIZE];
 *     livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change);
 *     livery_change_put_asset(change, png, png_length, 0, id);
 *     livery_value_make_image(id, LIVERY_ZERO_TERMINATED, &image);
 *     livery_change_set_value(change, "branding.image.logo", image);
 *     livery_change_commit(change, NULL);
 *
 * What is known of an asset is told by an object: `id`, `type` (the media type: "image/png", "image/jpeg", "image/gif",
 * "image/webp", "image/svg+xml" or "application/octet-stream"), `width` and `height` (pixels, as they are stored;
 * missing if the image has no size of its own, as some SVG images, or is none), `orientation` (only if a JPEG, PNG or
 * WebP image is to be turned: the Orientation of Exif, 2 to 8; from 5 on width and height change places), `bytes` (how
 * many) and `time` (a date: when it was stored). It is read from the header of the image when that is stored; nothing
 * is decoded.
 *
 * Assets are removed by livery_asset_remove(), or by livery_asset_collect() when nothing refers to them any more.
 * Exports hold references and not the bytes.
 *
 * Whoever looks into an image may keep what was found out with the asset, as a fact under a name: see
 * livery_change_put_fact().
 */
#ifndef LIVERY_ASSET_H
#define LIVERY_ASSET_H

#include "change.h"
#include "snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The largest asset, in bytes. */
#define LIVERY_ASSET_MAX 67108864
/** The most bytes of a fact that is kept with an asset. */
#define LIVERY_ASSET_FACT_MAX 4096
/** The size of an asset's id: 64 hexadecimal digits, and a NUL. */
#define LIVERY_ASSET_ID_SIZE 65

/** Bits of livery_asset_put() and its like. */
enum {
  /** Take bytes that are no image that is known, too, as "application/octet-stream". A damaged image is refused still. */
  LIVERY_ASSET_ANY = 1 << 0
};

/**
 * Tell what some bytes are, without storing them.
 *
 * `time` is the present. The id is what livery_asset_put() would give.
 *
 * Threads: any. Never blocks.
 *
 * @param bytes        the content of an image file
 * @param length       in bytes
 * @param flags        0, or #LIVERY_ASSET_ANY
 * @param[out] value   an object, as told above: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             the bytes are neither PNG, JPEG, GIF, WebP nor SVG; or its header is cut short,
 *     contradicts itself or claims a size that no image has, such as more than 268,435,456 pixels; an
 *     SVG image has none, and is as large as it says
 *   - #LIVERY_ERROR_INVALID_VALUE     there are no bytes, or more than #LIVERY_ASSET_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_describe(const void *bytes, size_t length, uint32_t flags, livery_value **value);

/**
 * Store an asset.
 *
 * Commits at once. Bytes that are stored already are not stored again. It makes no revision and no event, since no
 * reader knows of an asset before a setting refers to it.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store     an open store
 * @param bytes     the content of an image file; copied
 * @param length    in bytes, 1 to #LIVERY_ASSET_MAX
 * @param flags     0, or #LIVERY_ASSET_ANY
 * @param[out] id   a buffer of #LIVERY_ASSET_ID_SIZE bytes: the SHA-256 of the bytes in lower-case hexadecimal, and
 *   a NUL; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             the bytes are neither PNG, JPEG, GIF, WebP nor SVG; or its header is cut short,
 *     contradicts itself or claims a size that no image has, such as more than 268,435,456 pixels; an
 *     SVG image has none, and is as large as it says
 *   - #LIVERY_ERROR_INVALID_VALUE     there are no bytes, or more than #LIVERY_ASSET_MAX
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `bytes` is NULL, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_put(livery_store *store, const void *bytes, size_t length, uint32_t flags,
                                          char *id);

/**
 * Add an asset to a change set: it is stored by the same commit as the edits.
 *
 * The bytes are copied, and kept in memory until the commit. livery_change_commit() stores the asset also if no
 * setting of the change set refers to it, and nothing if the change set is refused.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change    a change set
 * @param bytes     the content of an image file; copied
 * @param length    in bytes, 1 to #LIVERY_ASSET_MAX
 * @param flags     0, or #LIVERY_ASSET_ANY
 * @param[out] id   a buffer of #LIVERY_ASSET_ID_SIZE bytes, as of livery_asset_put(); may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             the bytes are neither PNG, JPEG, GIF, WebP nor SVG; or its header is cut short,
 *     contradicts itself or claims a size that no image has, such as more than 268,435,456 pixels; an
 *     SVG image has none, and is as large as it says
 *   - #LIVERY_ERROR_INVALID_VALUE     there are no bytes, or more than #LIVERY_ASSET_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `change` or `bytes` is NULL, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_change_put_asset(livery_change *change, const void *bytes, size_t length, uint32_t flags,
                                                 char *id);

/**
 * Add what is known of an asset to a change set: it is kept with the asset by the same commit as the edits.
 *
 * A fact is for what takes long to find out, and follows from the bytes: the store keeps it as it is, under a name, and
 * removes it together with the asset. Backups have it, exports do not. It makes no revision and no event. The asset is
 * one of this change set or of the store; if there is none, livery_change_commit() returns #LIVERY_ERROR_NOT_FOUND.
 * What is there under the name is replaced.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change    a change set
 * @param id        the asset's id, in either letter case
 * @param name      1 to 32 of the characters a–z, 0–9, `.` and `-`
 * @param bytes     copied; NULL if there are none
 * @param length    in bytes, at most #LIVERY_ASSET_FACT_MAX; 0 to remove what is there
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     there are more bytes than #LIVERY_ASSET_FACT_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `change`, `id` or `name` is NULL, or `bytes` though there are some; the id or the
 *     name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_put_fact(livery_change *change, const char *id, const char *name,
                                                const void *bytes, size_t length);

/**
 * Read what is known of an asset under a name, as livery_change_put_fact() has put it.
 *
 * A fact that is damaged counts as not known, as it can be found out again.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param id            the asset's id, in either letter case
 * @param name          of the fact
 * @param[out] bytes    the bytes, followed by a NUL: free them with livery_free(); untouched on failure
 * @param[out] length   in bytes, without the NUL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such asset
 *   - #LIVERY_ERROR_NO_VALUE          nothing is known of it under this name
 *   - #LIVERY_ERROR_CORRUPT           the stored asset is damaged: put the same bytes again, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the id or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_fact(livery_store *store, const char *id, const char *name, void **bytes,
                                           size_t *length);

/**
 * Read an asset's bytes as a copy.
 *
 * The bytes are verified by their checksum. livery_snapshot_asset() reads without copying.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param id            the asset's id, in either letter case
 * @param[out] bytes    the bytes, followed by a NUL: free them with livery_free(); untouched on failure
 * @param[out] length   in bytes, without the NUL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such asset
 *   - #LIVERY_ERROR_CORRUPT           the stored asset is damaged: put the same bytes again, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the text is no id
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_get(livery_store *store, const char *id, void **bytes, size_t *length);

/**
 * Read an asset's bytes as they are in the store's memory, without a copy.
 *
 * The bytes are verified by their checksum at each call. They are there until the snapshot is closed, also when the
 * asset is removed meanwhile.
 *
 * Threads: any; calls on one snapshot wait for each other.
 *
 * @param snapshot      an open snapshot
 * @param id            the asset's id, in either letter case
 * @param[out] bytes    valid until the snapshot is closed, also by livery_close(): do not write to it, do not free it;
 *   untouched on failure
 * @param[out] length   in bytes; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such asset
 *   - #LIVERY_ERROR_CORRUPT           the stored asset is damaged: put the same bytes again, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the text is no id
 * @since 0.1
 */
LIVERY_API livery_status livery_snapshot_asset(livery_snapshot *snapshot, const char *id, const void **bytes,
                                               size_t *length);

/**
 * Tell what is known of an asset: its type, size and so on.
 *
 * The bytes are not looked at.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param id           the asset's id, in either letter case
 * @param[out] value   an object, as told above: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such asset
 *   - #LIVERY_ERROR_CORRUPT           the stored asset is damaged: put the same bytes again, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the text is no id
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_info(livery_store *store, const char *id, livery_value **value);

/**
 * List all assets, in the order of their ids.
 *
 * Each item is an object as told above, with `uses`: a list of the names of the settings that refer to it in any
 * layer, each once. Of a damaged asset there are only `id`, `bytes`, `uses`, and `damaged` (true).
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param[out] value   a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           a stored value is damaged, so that what it refers to is not known
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_list(livery_store *store, livery_value **value);

/** Bits of livery_asset_remove(). */
enum {
  /** Remove it also if settings refer to it, which then name an asset that is missing. */
  LIVERY_ASSET_FORCE = 1 << 0
};

/**
 * Remove an asset.
 *
 * That the log refers to it does not keep it. Open snapshots still show it.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store   an open store
 * @param id      the asset's id, in either letter case
 * @param flags   0, or #LIVERY_ASSET_FORCE
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such asset
 *   - #LIVERY_ERROR_CONFLICT          a setting refers to it, in any layer; the error names it
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored value is damaged, so that what it refers to is not known
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the text is no id, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_remove(livery_store *store, const char *id, uint32_t flags);

/** Bits of livery_collect_options.flags. */
enum {
  /** Remove nothing, and tell what would be removed. */
  LIVERY_COLLECT_DRY_RUN = 1 << 0,
  /** Remove also what only the log refers to: undoing then brings back values whose image is missing. */
  LIVERY_COLLECT_IGNORE_LOG = 1 << 1
};

/** What livery_asset_collect() removes. Zero in any member means its default. */
typedef struct livery_collect_options {
  /** sizeof(livery_collect_options) */
  size_t struct_size;
  /** A sum of `LIVERY_COLLECT_*` bits. */
  uint32_t flags;
  /** Keep what was stored so few seconds ago: a program may be about to refer to it. */
  uint32_t min_age_s;
} livery_collect_options;

/** The defaults. */
#define LIVERY_COLLECT_OPTIONS_INIT { sizeof(livery_collect_options), 0, 0 }

/**
 * Remove all assets that nothing refers to.
 *
 * A value refers to an asset if it is its id, as an image or as any other text, or has such a part; values of every
 * layer count, those that were set aside too, and what the log could bring back by livery_undo(). An asset that was
 * put by itself is at risk until a setting refers to it: put it with livery_change_put_asset(), or spare young ones
 * with `min_age_s`.
 *
 * The report is an object: `removed` (a list of ids), `bytes` (that they had) and `kept` (the number of other assets).
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store         an open store
 * @param options       NULL for the defaults
 * @param[out] report   release it; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           a stored value is damaged, so that what it refers to is not known; nothing was
 *     removed
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or an option is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_asset_collect(livery_store *store, const livery_collect_options *options,
                                              livery_value **report);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file livery/schema.h
 * Schemas, and settings in and out as JSON and property lists.
 *
 * A schema is JSON in the format of App Settings Management: `{"Version": 1, "Groups": [{"Title", "Settings": […]}]}`;
 * docs/schema-reference.md describes it whole. A store to which no schema was applied accepts any setting of any type.
 */
#ifndef LIVERY_SCHEMA_H
#define LIVERY_SCHEMA_H

#include "change.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How to apply a schema. Zero in any member means its default. */
typedef struct livery_schema_options {
  /** sizeof(livery_schema_options) */
  size_t struct_size;
  /** Kept with the defaults, as with livery_change_origin(); NULL for "schema". */
  const char *origin;
} livery_schema_options;

/** The defaults. */
#define LIVERY_SCHEMA_OPTIONS_INIT { sizeof(livery_schema_options), NULL }

/**
 * Apply a schema: declare the settings, with their defaults and constraints.
 *
 * A higher `Version` than the stored one is applied, in one transaction. The same version with the same content
 * (formatting aside) changes nothing. The same version with other content is ignored and reported as drift. A lower
 * one is #LIVERY_ERROR_SCHEMA_NEWER. Values of settings that disappear are kept but no longer count; values that no
 * longer satisfy their constraints are kept aside as rejected (livery_inspect()).
 *
 * The report is an object: `applied` (bool), `drift` (bool), `version` (of the schema given), `previousVersion`
 * (stored before, 0 for none), `added`, `removed`, `changed` (lists of names), `rejected` (a list of objects `name`,
 * `layer`, `message`) and `diagnostics`: a list of objects `severity` ("error", "warning"), `code` (text), `message`,
 * `pointer` (JSON pointer, RFC 6901), `line`, `column` (from 1) and, where they apply, `hint` and `setting`.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store         an open store
 * @param json          UTF-8
 * @param length        in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param options       NULL for the defaults
 * @param[out] report   release it; stored on success and also with the first three statuses below; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not JSON; the error has line and column
 *   - #LIVERY_ERROR_SCHEMA_INVALID    the schema breaks a rule; the store is unchanged and the report says where
 *   - #LIVERY_ERROR_SCHEMA_NEWER      the stored schema's version is higher; the store is unchanged
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `json` is NULL, or an option is malformed
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_apply(livery_store *store, const char *json, size_t length,
                                             const livery_schema_options *options, livery_value **report);

/**
 * Check a schema without applying it.
 *
 * With a store, the report also tells what applying it would do (`added`, `removed`, `changed`, `drift`); `applied` is
 * false.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store, or NULL to look at the schema alone
 * @param json          UTF-8
 * @param length        in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param[out] report   as of livery_schema_apply(): release it; stored on success and also with the first three
 *   statuses below
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not JSON; the error has line and column
 *   - #LIVERY_ERROR_SCHEMA_INVALID    the schema breaks a rule
 *   - #LIVERY_ERROR_SCHEMA_NEWER      the stored schema's version is higher
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `json` or `report` is NULL
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_check(livery_store *store, const char *json, size_t length,
                                             livery_value **report);

/**
 * The stored schema's version.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store          an open store
 * @param[out] version   0 if no schema has been applied; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_version(livery_store *store, uint64_t *version);

/**
 * The stored schema's text, as it was applied.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param[out] json     UTF-8, followed by a NUL: free it with livery_free(); untouched on failure
 * @param[out] length   in bytes, without the NUL; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          no schema has been applied
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_copy_json(livery_store *store, char **json, size_t *length);

/**
 * All settings as one dictionary, `{"Version": n, "Values": {name: value, …}}`, as clients of App Settings Management
 * know it.
 *
 * Values are the effective ones, all of one moment. Settings without a value are missing.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param[out] value   an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_settings(livery_store *store, livery_value **value);

/** Bits of the import functions. */
enum {
  /** Skip what is unknown or invalid and report it, in place of refusing the whole. */
  LIVERY_IMPORT_PARTIAL = 1 << 0
};

/**
 * Import settings from JSON, as one commit.
 *
 * The text is an export: `{"Version": n, "Values": {name: value, …}}`, whose values go to `layer`; or one with layers,
 * whose values go each to its own layer with time, origin and expiry as they were (`layer` is ignored, defaults are
 * left to the schema). A plain object `{name: value, …}` is taken as the values. Imported into a store without values
 * of its own, an export with layers also brings back the revisions.
 *
 * The report is an object: `imported` (the number of values), `revision` and `diagnostics`, a list of objects `name`,
 * `status`, `message` and, where it applies, `constraint`.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store         an open store
 * @param layer         one of `LIVERY_LAYER_*`
 * @param json          UTF-8
 * @param length        in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param flags         a sum of `LIVERY_IMPORT_*` bits
 * @param[out] report   release it; stored on success, and also when a value was refused; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not of such a form, or not JSON: then the error has line and column
 *   - #LIVERY_ERROR_NOT_FOUND         a setting is unknown
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a value does not convert to its setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     a value violates a constraint
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_SCHEMA_NEWER      the export's version is higher than the stored schema's
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `json` is NULL, no such layer, or an unknown flag
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_import_json(livery_store *store, livery_layer layer, const char *json, size_t length,
                                            uint32_t flags, livery_value **report);

/**
 * Import settings from a property list, XML or binary, as one commit.
 *
 * The root is a dictionary of settings, or one with `Values` as in livery_import_json().
 *
 * The report is an object: `imported` (the number of values), `revision` and `diagnostics`, a list of objects `name`,
 * `status`, `message` and, where it applies, `constraint`.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store         an open store
 * @param layer         one of `LIVERY_LAYER_*`
 * @param bytes         the property list
 * @param length        in bytes; at most #LIVERY_DOCUMENT_MAX
 * @param flags         a sum of `LIVERY_IMPORT_*` bits
 * @param[out] report   release it; stored on success, and also when a value was refused; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not a property list, or not of such a form
 *   - #LIVERY_ERROR_NOT_FOUND         a setting is unknown
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a value does not convert to its setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     a value violates a constraint
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_SCHEMA_NEWER      the export's version is higher than the stored schema's
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `bytes` is NULL, no such layer, or an unknown flag
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_import_plist(livery_store *store, livery_layer layer, const void *bytes, size_t length,
                                             uint32_t flags, livery_value **report);

/** Bits of livery_export_json(), beside `LIVERY_JSON_*`. */
enum {
  /** One object for each layer, with revision, time, origin and expiry of each value. */
  LIVERY_EXPORT_LAYERS = 1 << 8
};

/**
 * Export settings as JSON: `{"Version", "Values"}` of the effective values, or all layers.
 *
 * Data is base64, colors are `#RRGGBBAA`, dates RFC 3339. Where the schema does not tell the type of such a value,
 * `Types` does. All of it is of one moment, and the same content gives the same bytes. Secrets are included. Components of
 * colors are rounded to 8 bits.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param flags         a sum of `LIVERY_EXPORT_*` and `LIVERY_JSON_*` bits
 * @param[out] json     UTF-8, followed by a NUL: free it with livery_free(); untouched on failure
 * @param[out] length   in bytes, without the NUL; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `json` is NULL, or an unknown flag
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_export_json(livery_store *store, uint32_t flags, char **json, size_t *length);

#ifdef __cplusplus
}
#endif

#endif

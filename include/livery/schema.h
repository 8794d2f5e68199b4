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
  /** The settings that may show what was a secret before: see `declassified` at livery_schema_apply(). */
  const char *const *declassify;
  /** How many names there are. */
  size_t declassify_count;
} livery_schema_options;

/** The defaults. */
#define LIVERY_SCHEMA_OPTIONS_INIT { sizeof(livery_schema_options), NULL, NULL, 0 }

/**
 * Apply a schema: declare the settings, with their defaults and constraints.
 *
 * A higher `Version` than the stored one is applied, in one transaction, with the steps of its `Migrations` from the stored
 * version on (docs/schema-reference.md describes each). Before, a store that has a schema is copied into its own folder of
 * backups. The same version with the same content (formatting aside) changes nothing, so that of several processes that
 * upgrade at once one does it and the others find it done. The same version with other content is ignored and reported
 * as drift. A lower one is #LIVERY_ERROR_SCHEMA_NEWER. Values of settings that disappear are kept as orphaned and no longer
 * count (`orphan_versions` at livery_open_options says for how long; they come back if a later version declares them again);
 * values that no longer satisfy their constraints are kept aside as rejected (livery_inspect()). Watches are told of the
 * schema and of all effective values that change.
 *
 * The report is an object: `applied` (bool), `drift` (bool), `version` (of the schema given), `previousVersion`
 * (stored before, 0 for none), `added`, `removed`, `changed` (lists of names), `steps`, `rejected` (a list of objects
 * `name`, `layer`, `message`), `orphaned`, `dropped`, `backup` (the path, where one was made) and `diagnostics`: a list of objects
 * `severity` ("error", "warning"), `code` (text), `message`, `pointer` (JSON pointer, RFC 6901), `line`, `column` (from 1)
 * and, where they apply, `hint` and `setting`.
 *
 * `orphaned` tells which values no longer count since this version does not declare their settings, and `dropped` which ones
 * go since they were orphaned for long enough: lists of objects `name`, `layer`, `value`, `since` and `until` (the first and
 * the last version that keeps them as orphaned; without `until` for ever), `secret` (bool) and `message`.
 *
 * `steps` tells what the migrations did to each value, in their order: a list of objects `version` (that the step leads
 * to), `step` (its number there, from 1), `op`, `layer`, `name` (the setting, or the path of a member of a list's items),
 * `outcome` ("moved", "copied", "removed", "converted", "set", "defaulted", "skipped", "failed") and `secret` (bool); and
 * where they apply `items` (the items that the path leads through, from 1), `from` and `into` (lists of paths), `before`,
 * `after` (the values) and `reason`. For `call`, `name` is a setting that the function changed, or if it failed its own name.
 * Beyond 10,000 they are counted in `moreSteps`.
 *
 * `declassified` tells which secrets would be none any more, since their settings lose the class `Password` or steps lead
 * them into ones that are not secret: a list of objects `name` (the setting that shows them), `path` (it, or the member of
 * a list's items), `step` (in words, if one led there), `allowed` (bool) and `message`. The upgrade needs consent for
 * each: its `name` in `declassify`; otherwise it is #LIVERY_ERROR_MIGRATION. No report has a secret's value in a message.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store         an open store
 * @param json          UTF-8
 * @param length        in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param options       NULL for the defaults
 * @param[out] report   release it; stored on success and also with the first four statuses below; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not JSON; the error has line and column
 *   - #LIVERY_ERROR_SCHEMA_INVALID    the schema breaks a rule; the store is unchanged and the report says where
 *   - #LIVERY_ERROR_SCHEMA_NEWER      the stored schema's version is higher; the store is unchanged
 *   - #LIVERY_ERROR_MIGRATION         a step failed; the store is unchanged, the message says which step on what and why,
 *     and `steps` of the report has all failures; or a secret would be none any more and `declassify` lacks its setting
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
 * With a store, the report also tells what applying it would do: it is the same, value by value, save that `applied` is
 * false and there is no `backup`. The store is not touched; functions of livery_migration_register() are called, and what
 * they set is thrown away.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store         an open store, or NULL to look at the schema alone
 * @param json          UTF-8
 * @param length        in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param[out] report   as of livery_schema_apply(): release it; stored on success and also with the first four
 *   statuses below
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PARSE             not JSON; the error has line and column
 *   - #LIVERY_ERROR_SCHEMA_INVALID    the schema breaks a rule
 *   - #LIVERY_ERROR_SCHEMA_NEWER      the stored schema's version is higher
 *   - #LIVERY_ERROR_MIGRATION         a step would fail, or a secret would be none any more, which needs consent
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `json` or `report` is NULL
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_check(livery_store *store, const char *json, size_t length,
                                             livery_value **report);

/**
 * Compare a schema with the version that it is to follow: a check for whoever writes schemas, and for their builds.
 *
 * It finds every change by which a value that the old schema allows would be lost: settings and members of lists' items that
 * are gone, other types, stricter constraints, options that are gone. The steps of the new schema's `Migrations` from the
 * old version on are taken into account; what a function that they call does is not known. It also finds steps that
 * find nothing or may fail, and a `Version` that was not raised.
 *
 * The report is an object: `oldVersion`, `version`, `errors`, `warnings` (how many) and `findings`, a list of objects as of
 * `diagnostics` in livery_schema_apply() with `document` ("old" or "new") in front, which says in which of the two the place
 * is; those in the old one come first, each in the order of the text. A finding is an error where values are lost or the
 * schema does no good, and a warning where nothing is lost or a step says so. docs/schema-reference.md lists the codes.
 *
 * Threads: any. Never blocks.
 *
 * @param old_json      UTF-8
 * @param old_length    in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param json          UTF-8
 * @param length        in bytes, or #LIVERY_ZERO_TERMINATED; at most #LIVERY_DOCUMENT_MAX
 * @param[out] report   release it; untouched on failure
 * @return #LIVERY_OK whatever was found, or
 *   - #LIVERY_ERROR_PARSE             one is not JSON; the error has line and column
 *   - #LIVERY_ERROR_SCHEMA_INVALID    one breaks a rule: livery_schema_check() says where
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_compare(const char *old_json, size_t old_length, const char *json, size_t length,
                                               livery_value **report);

/** The values of one layer, while a function of livery_migration_register() runs. Nobody closes it. */
typedef struct livery_migration livery_migration;

/**
 * Carries out a step `call` of a schema's migrations on the values of one layer.
 *
 * It is called by livery_schema_apply() and livery_schema_check() on their thread, once for each layer that holds values
 * except `defaults`, weakest first, and again if the store has to grow meanwhile. While livery_schema_apply() runs other
 * writers wait: the function may read the store, which is as before the upgrade, but must not change it
 * (#LIVERY_ERROR_BUSY after the timeout). Any status but #LIVERY_OK makes the whole upgrade fail with
 * #LIVERY_ERROR_MIGRATION, with the store as it was.
 */
typedef livery_status (*livery_migration_fn)(livery_migration *migration, void *user_data);

/**
 * Make a function known that steps `{"Op": "call", "Name": name}` call, until the store is closed.
 *
 * It belongs to this handle of the store: register it before livery_schema_apply() and livery_schema_check(). One of the
 * same name that was registered through this handle before is replaced.
 *
 * Threads: any.
 *
 * @param store      an open store
 * @param name       1 to #LIVERY_NAME_MAX bytes of UTF-8 without control characters
 * @param fn         the function
 * @param user_data  handed to `fn` and `destroy`
 * @param destroy    called once when the function is replaced, when the store is closed, or when registering fails; may be
 *   NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `name` or `fn` is NULL, or the name is malformed
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_register(livery_store *store, const char *name, livery_migration_fn fn,
                                                   void *user_data, livery_destroy_fn destroy);

/**
 * The layer whose values the function works on.
 *
 * Threads: any, while the function runs.
 *
 * @param migration   what the function was given
 * @param[out] layer  one of `LIVERY_LAYER_*`; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - #LIVERY_ERROR_CLOSED            the function has returned
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_layer(livery_migration *migration, livery_layer *layer);

/**
 * The version that the step leads to: `To` of its migration.
 *
 * Threads: any, while the function runs.
 *
 * @param migration     what the function was given
 * @param[out] version  untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - #LIVERY_ERROR_CLOSED            the function has returned
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_version(livery_migration *migration, uint64_t *version);

/**
 * A value of the layer, as the steps before have left it.
 *
 * Threads: any, while the function runs.
 *
 * @param migration   what the function was given
 * @param name        a setting, of the version that the steps have come to; it need not be declared
 * @param[out] value  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          the layer has no value for it
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 *   - #LIVERY_ERROR_CLOSED            the function has returned
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_get(livery_migration *migration, const char *name, livery_value **value);

/**
 * Set a value of the layer. It keeps who set the former one, when, and when it expires.
 *
 * Whether it satisfies the new schema is found at the end, as of all values.
 *
 * Threads: any, while the function runs.
 *
 * @param migration  what the function was given
 * @param name       a setting
 * @param value      the caller keeps it
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     too large or too deep; or new in `override`, where every value has to expire
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 *   - #LIVERY_ERROR_CLOSED            the function has returned, or the value was released
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_set(livery_migration *migration, const char *name, livery_value *value);

/**
 * Remove a value of the layer; without one nothing happens.
 *
 * Threads: any, while the function runs.
 *
 * @param migration  what the function was given
 * @param name       a setting
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 *   - #LIVERY_ERROR_CLOSED            the function has returned
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_remove(livery_migration *migration, const char *name);

/**
 * The names of all values of the layer, as the steps before have left it, in the order of their bytes.
 *
 * Threads: any, while the function runs.
 *
 * @param migration   what the function was given
 * @param[out] names  a list of strings: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 *   - #LIVERY_ERROR_CLOSED            the function has returned
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_names(livery_migration *migration, livery_value **names);

/**
 * Say why the step fails. The upgrade fails then with #LIVERY_ERROR_MIGRATION and this in its message, whatever the
 * function returns; of several reasons the first is told.
 *
 * Threads: any, while the function runs.
 *
 * @param migration  what the function was given
 * @param reason     one line for people: at most 4,096 bytes of UTF-8
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the reason is not UTF-8 or too long
 *   - #LIVERY_ERROR_CLOSED            the function has returned
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_fail(livery_migration *migration, const char *reason);

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

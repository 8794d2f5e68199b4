/**
 * @file livery/schema.h
 * Schemas, and the settings as they describe them.
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
 * Of what was a secret and is none any more, or is no longer declared, the same commit takes all values out of the log, as
 * a reset does: livery_undo() of an older commit shows none.
 *
 * Threads: any. Waits for other writers and, if it makes a setting secret where secrets are sealed, for openings, at most
 * `busy_timeout_ms` each, and for the disk.
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
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `json` is NULL, or an option is malformed
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
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_IO                the library that reads JSON is not installed, or cannot be loaded
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `json` or `report` is NULL
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
 *   - #LIVERY_ERROR_IO                the library that reads JSON is not installed, or cannot be loaded
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_compare(const char *old_json, size_t old_length, const char *json, size_t length,
                                               livery_value **report);

/**
 * The stored schema's version.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store          an open store
 * @param[out] version   0 if no schema has been applied; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
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
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_copy_json(livery_store *store, char **json, size_t *length);

/**
 * What tells the stored schema from others, also of the same version.
 *
 * Schemas that differ in formatting or in the order of members alone have the same digest. Programs that were made for a
 * schema, as `livery generate` makes them, compare it with theirs.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param[out] digest   32 hexadecimal digits in lower case, followed by a NUL: free it with livery_free(); untouched on
 *   failure
 * @param[out] length   32; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          no schema has been applied
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_schema_copy_digest(livery_store *store, char **digest, size_t *length);

/**
 * All settings as one dictionary, `{"Version": n, "Values": {name: value, …}}`, as clients of App Settings Management
 * know it.
 *
 * Values are the effective ones, all of one moment. Settings without a value are missing, and so are secrets of claimed
 * namespaces (livery_claim_secret()).
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param[out] value   an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_settings(livery_store *store, livery_value **value);

#ifdef __cplusplus
}
#endif

#endif

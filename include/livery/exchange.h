/**
 * @file livery/exchange.h
 * Settings in and out, as JSON and property lists.
 */
#ifndef LIVERY_EXCHANGE_H
#define LIVERY_EXCHANGE_H

#include "change.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of the import functions. */
enum {
  /** Skip what is unknown or invalid and report it, in place of refusing the whole. An integer beyond 64 bits with sign, and
      a number beyond the range of a double, make the whole text malformed. */
  LIVERY_IMPORT_PARTIAL = 1 << 0,
  /** Let each value count, as livery_change_replace() does: what people have set above the layer goes, in the same commit.
      Not for an export with layers. */
  LIVERY_IMPORT_REPLACE = 1 << 1
};

/**
 * Import settings from JSON, as one commit.
 *
 * The text is an export: `{"Version": n, "Values": {name: value, …}}`, whose values go to `layer`; or one with layers,
 * whose values go each to its own layer with time, origin and expiry as they were (`layer` is ignored, defaults are
 * left to the schema). A plain object `{name: value, …}` is taken as the values. Imported into a store without values
 * of its own, an export with layers also brings back the revisions.
 *
 * The report is an object: `imported` (the number of values), `revision`, `diagnostics`, a list of objects `name`,
 * `status`, `message` and, where it applies, `constraint`, and, if an export has members that are none of it,
 * `ignored`, the list of their names. Of an export, settings of claimed namespaces whose owner is not in this process
 * (livery_claim()) are left out and told in `diagnostics` as #LIVERY_ERROR_READ_ONLY: they are about the store itself.
 * What `layer` may not have, since it is locked or read-only, and is in effect as it stands there is left out without a word.
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
 *   - #LIVERY_ERROR_PARSE             not of such a form, or not JSON: then the error has line and column; or two names of
 *     one setting, as an alias and its own, with different values
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
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the named setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `json` is NULL, no such layer, an unknown flag, or
 *     #LIVERY_IMPORT_REPLACE with an export with layers
 * @since 0.1
 */
LIVERY_API livery_status livery_import_json(livery_store *store, livery_layer layer, const char *json, size_t length,
                                            uint32_t flags, livery_value **report);

/**
 * Import settings from a property list, XML or binary, as one commit.
 *
 * The root is a dictionary of settings, or one with `Values` as in livery_import_json(). With #LIVERY_IMPORT_PARTIAL
 * settings are skipped of which a part is no value: a UID, a number that 64 bits do not hold or that is not finite,
 * text with a NUL, a date out of range, data that is not base64, nesting deeper than 32. A key that is in a dictionary
 * twice makes the list malformed.
 *
 * The report is an object: `imported` (the number of values), `revision`, `diagnostics`, a list of objects `name`,
 * `status`, `message` and, where it applies, `constraint`, and, if an export has members that are none of it,
 * `ignored`, the list of their names. Of an export, settings of claimed namespaces whose owner is not in this process
 * (livery_claim()) are left out and told in `diagnostics` as #LIVERY_ERROR_READ_ONLY: they are about the store itself.
 * What `layer` may not have, since it is locked or read-only, and is in effect as it stands there is left out without a word.
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
 *   - #LIVERY_ERROR_PARSE             not a property list, or not of such a form; or two names of one setting with
 *     different values
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
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the named setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `bytes` is NULL, no such layer, an unknown flag, or
 *     #LIVERY_IMPORT_REPLACE with an export with layers
 * @since 0.1
 */
LIVERY_API livery_status livery_import_plist(livery_store *store, livery_layer layer, const void *bytes, size_t length,
                                             uint32_t flags, livery_value **report);

/** Bits of livery_export_json(), beside `LIVERY_JSON_*`. */
enum {
  /** One object for each layer, with revision, time, origin and expiry of each value. */
  LIVERY_EXPORT_LAYERS = 1 << 8,
  /** Secrets of a store that seals them plainly, as far as they can be opened here; without it they stay sealed. */
  LIVERY_EXPORT_REVEAL = 1 << 9
};

/**
 * Export settings as JSON: `{"Version", "Values"}` of the effective values, or all layers; of lists what was set.
 *
 * Data is base64, colors are `#RRGGBBAA`, dates RFC 3339. Where the schema does not tell the type of such a value,
 * `Types` does. All of it is of one moment, and the same content gives the same bytes. Secrets are included, save those of
 * claimed namespaces (livery_claim_secret()); those of a store that seals them (livery_set_sealer()) as base64 of what is
 * stored, of the type `sealed`, unless they are to be revealed. Importing them takes the same store, or one restored from a
 * backup of it, and the key. Components of colors are rounded to 8 bits.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param flags         a sum of `LIVERY_EXPORT_*` and `LIVERY_JSON_*` bits
 * @param[out] json     UTF-8, followed by a NUL: free it with livery_free(); untouched on failure
 * @param[out] length   in bytes, without the NUL; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the named setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `json` is NULL, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_export_json(livery_store *store, uint32_t flags, char **json, size_t *length);

#ifdef __cplusplus
}
#endif

#endif

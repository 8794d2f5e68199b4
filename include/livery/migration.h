/**
 * @file livery/migration.h
 * Functions of a program that carry out steps of a schema's migrations.
 *
 * Most steps need none: docs/migrations.md describes them.
 */
#ifndef LIVERY_MIGRATION_H
#define LIVERY_MIGRATION_H

#include "schema.h"

#ifdef __cplusplus
extern "C" {
#endif

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
 * @param function   the function
 * @param user_data  handed to `function` and `destroy`
 * @param destroy    called once when the function is replaced, when the store is closed, or when registering fails; may be
 *   NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `name` or `function` is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_register(livery_store *store, const char *name, livery_migration_fn function,
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
 * @since 0.1
 */
LIVERY_API livery_status livery_migration_fail(livery_migration *migration, const char *reason);

#ifdef __cplusplus
}
#endif

#endif

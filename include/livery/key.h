/**
 * @file livery/key.h
 * Read a setting often, by a key that was looked up once.
 *
 * Reads by key say and convert what reads by name do; see livery/store.h.
 */
#ifndef LIVERY_KEY_H
#define LIVERY_KEY_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A setting's name, looked up once. */
typedef struct livery_key livery_key;

/**
 * Look a name up once, for reading it often.
 *
 * The key follows the setting: it reads what livery_get_* would read under its name at that time. A name that is no
 * setting yet is accepted; reads then say so.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store      an open store
 * @param name       the setting's name, or an alias of it
 * @param[out] key   a handle: close it with livery_key_close(), or let livery_close() do it; untouched on
 *   failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_key_open(livery_store *store, const char *name, livery_key **key);

/**
 * Close a key.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param key  a key, or NULL for nothing to happen
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_key_close(livery_key *key);

/**
 * Read a setting by key as a truth value.
 *
 * Returns the effective value: the strongest layer that has one. Converts as livery_get_bool().
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param key          an open key
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value neither is a truth value nor spells one
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_key_get_bool(livery_key *key, bool *value);

/**
 * Read a setting by key as a 64-bit integer.
 *
 * Returns the effective value: the strongest layer that has one. Converts as livery_get_int().
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param key          an open key
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is not a whole number in the range of int64_t
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_key_get_int(livery_key *key, int64_t *value);

/**
 * Read a setting by key as a double.
 *
 * Returns the effective value: the strongest layer that has one. Converts as livery_get_double().
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param key          an open key
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is not a number that a double holds
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_key_get_double(livery_key *key, double *value);

/**
 * Read the text of a string, URL or image setting by key into a buffer.
 *
 * Returns the effective value: the strongest layer that has one. The text is always followed by a NUL.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param key           an open key
 * @param[out] buffer   receives the text and a NUL; may be NULL when `capacity` is 0
 * @param capacity      the buffer's size in bytes, for text and NUL
 * @param[out] length   in bytes, without the NUL; stored also with #LIVERY_ERROR_BUFFER_TOO_SMALL, otherwise
 *   untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is no text
 *   - #LIVERY_ERROR_BUFFER_TOO_SMALL  `capacity` is less than needed; `length` tells how much is
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `key` or a needed buffer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_key_get_string(livery_key *key, char *buffer, size_t capacity, size_t *length);

#ifdef __cplusplus
}
#endif

#endif

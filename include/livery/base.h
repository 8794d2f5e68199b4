/**
 * @file livery/base.h
 * Statuses, errors, version, memory and the log handler.
 */
#ifndef LIVERY_BASE_H
#define LIVERY_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIVERY_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

#define LIVERY_VERSION_MAJOR 0
#define LIVERY_VERSION_MINOR 1
#define LIVERY_VERSION_PATCH 0
/** The header's version as one number: major × 1,000,000 + minor × 1,000 + patch. */
#define LIVERY_VERSION_NUMBER (LIVERY_VERSION_MAJOR * 1000000 + LIVERY_VERSION_MINOR * 1000 + LIVERY_VERSION_PATCH)

/** In place of a length: the text ends at its first NUL byte. */
#define LIVERY_ZERO_TERMINATED SIZE_MAX

/** The longest name of a setting, in bytes of UTF-8, without the NUL. */
#define LIVERY_NAME_MAX 255
/** The deepest nesting of lists and objects in a value. A scalar has depth 0, a list of scalars depth 1. */
#define LIVERY_DEPTH_MAX 32
/** The largest value, in bytes as stored. */
#define LIVERY_VALUE_MAX 1048576
/** The largest schema, import or JSON text, in bytes. */
#define LIVERY_DOCUMENT_MAX 67108864
/** The longest origin, in bytes of UTF-8, without the NUL. */
#define LIVERY_ORIGIN_MAX 63

/** 0 for success, negative for failure; one of the constants below. */
typedef int32_t livery_status;

/** Statuses. The numbers are pinned for ever; later versions may add some. */
enum {
  /** Success. */
  LIVERY_OK = 0,
  /** A NULL, an unknown constant, a bad size or a malformed name or pattern: a mistake in the calling program. */
  LIVERY_ERROR_INVALID_ARGUMENT = -1,
  /** The handle was closed, or never was one of this kind. */
  LIVERY_ERROR_CLOSED = -2,
  /** No such setting, member, index or directory. The message names the nearest names. */
  LIVERY_ERROR_NOT_FOUND = -3,
  /** The setting exists and no layer has a value for it. */
  LIVERY_ERROR_NO_VALUE = -4,
  /** The value is of another type and does not convert without loss. */
  LIVERY_ERROR_TYPE_MISMATCH = -5,
  /** The value violates a constraint: range, option, pattern, length, depth, size or encoding. */
  LIVERY_ERROR_INVALID_VALUE = -6,
  /** The `enforced` layer holds a value, so weaker layers cannot be changed. */
  LIVERY_ERROR_LOCKED = -7,
  /** The store was opened read-only, or the setting or layer may not be changed this way. */
  LIVERY_ERROR_READ_ONLY = -8,
  /** The setting has changed since the revision that was expected. Read again and decide anew. */
  LIVERY_ERROR_CONFLICT = -9,
  /** Another writer kept the store for longer than the timeout. Try again. */
  LIVERY_ERROR_BUSY = -10,
  /** The text is not well-formed; the error has line and column. */
  LIVERY_ERROR_PARSE = -11,
  /** The schema is well-formed JSON that breaks the schema's rules; the report says where. */
  LIVERY_ERROR_SCHEMA_INVALID = -12,
  /** The store's schema is of a higher version than this one. */
  LIVERY_ERROR_SCHEMA_NEWER = -13,
  /** A stored record is damaged. */
  LIVERY_ERROR_CORRUPT = -14,
  /** The directory is not a Livery store. */
  LIVERY_ERROR_NOT_A_STORE = -15,
  /** The store was written by a newer Livery in a format that this one does not know. */
  LIVERY_ERROR_FORMAT_NEWER = -16,
  /** The operating system denies access. */
  LIVERY_ERROR_PERMISSION = -17,
  /** The file system or the store's map is full. */
  LIVERY_ERROR_NO_SPACE = -18,
  /** Any other failure of the operating system; the error has errno. */
  LIVERY_ERROR_IO = -19,
  /** The handle was made by this process's parent before a fork. */
  LIVERY_ERROR_FORKED = -20,
  /** The buffer is too small; the length needed was stored. */
  LIVERY_ERROR_BUFFER_TOO_SMALL = -21,
  /** A step of a schema's migrations failed; nothing was changed. The message says which, on what, and why. */
  LIVERY_ERROR_MIGRATION = -22,
  /** Of extensions: the other side cannot be reached, or what it sends breaks off. The message says where. */
  LIVERY_ERROR_NETWORK = -23,
  /** Of extensions: it took longer than it was given. */
  LIVERY_ERROR_TIMEOUT = -24,
  /** Of extensions: somebody has cancelled it. */
  LIVERY_ERROR_CANCELLED = -25,
  /** Of extensions: a person, the other side or a rule said no. Trying again does not help. */
  LIVERY_ERROR_REFUSED = -26,
  /** Of extensions: nobody provides it here, or not now. The message names what to do. */
  LIVERY_ERROR_UNAVAILABLE = -27,
  /**
   * The store's directory, or a file of it, was moved, deleted or exchanged by somebody else. Reads go on showing what is
   * open; close every handle on the store and open it again.
   */
  LIVERY_ERROR_GONE = -28,
  /** There is no memory. Nothing was changed; try again when there is, or with less at once. */
  LIVERY_ERROR_NO_MEMORY = -29,
  /** Another copy of this library in the same process has the store open: load one copy alone, or close it there. */
  LIVERY_ERROR_DUPLICATE = -30
};

/** What went wrong in the calling thread's most recent failing call. */
typedef struct livery_error {
  /** The size of this struct in the library, in bytes. */
  size_t struct_size;
  livery_status status;
  /** errno of the operating system's call that failed, or 0. */
  int32_t system_error;
  /** One line for people, in English, UTF-8; never NULL. Values of secret settings are masked. */
  const char *message;
  /** The setting concerned, or NULL. */
  const char *setting;
  /** Where in a text the error is, counted from 1, the column in characters; 0 when it does not apply. */
  uint32_t line, column;
} livery_error;

/** Called once, when the library lets go of `user_data`. */
typedef void (*livery_destroy_fn)(void *user_data);

/** How grave a message to the log handler is. */
enum {
  /** Something was ignored, or is not as it should be; nothing was lost. */
  LIVERY_LOG_WARNING = 1,
  /** Something failed that no caller was told of through a status. */
  LIVERY_LOG_ERROR = 2
};

/** Receives warnings such as drift and ignored input. `message` is one line of UTF-8, valid during the call. */
typedef void (*livery_log_fn)(int32_t level, const char *message, void *user_data);

/**
 * The version of the library in use, in the form of #LIVERY_VERSION_NUMBER.
 *
 * Threads: any. Never fails.
 *
 * @return the number; compare with #LIVERY_VERSION_NUMBER to see whether library and header belong together
 * @since 0.1
 */
LIVERY_API uint32_t livery_version(void);

/**
 * The version of the library in use as text, such as "0.1.0".
 *
 * Threads: any. Never fails.
 *
 * @return text that is valid for ever; do not free it
 * @since 0.1
 */
LIVERY_API const char *livery_version_string(void);

/** Bits of livery_features(). */
enum {
  /** The library carries its own runtime: no Swift library is needed beside it. */
  LIVERY_FEATURE_STANDALONE = 1 << 0,
  /**
   * The library reads, writes and watches, and no more: the functions of asset.h, branding.h, exchange.h, form.h, maintenance.h,
   * migration.h and schema.h, of claims and of making secrets anew all return #LIVERY_ERROR_UNAVAILABLE (livery_schema_version(),
   * livery_schema_copy_json(), livery_schema_copy_digest() and livery_settings() work).
   */
  LIVERY_FEATURE_CORE_ONLY = 1 << 1
};

/**
 * What this build of the library can do.
 *
 * Threads: any. Never fails.
 *
 * @return a sum of `LIVERY_FEATURE_*` bits; unknown bits are to be ignored
 * @since 0.1
 */
LIVERY_API uint64_t livery_features(void);

/**
 * Free memory that the library returned through a `char **` or `void **` parameter.
 *
 * Threads: any. Never fails.
 *
 * @param memory  the pointer, or NULL for nothing to happen
 * @since 0.1
 */
LIVERY_API void livery_free(void *memory);

/**
 * The name of a status, such as "LIVERY_ERROR_NOT_FOUND".
 *
 * Threads: any. Never fails.
 *
 * @param status  any number
 * @return text that is valid for ever; "LIVERY_ERROR_UNKNOWN" for a number that is no status
 * @since 0.1
 */
LIVERY_API const char *livery_status_name(livery_status status);

/**
 * What went wrong in this thread's most recent failing call.
 *
 * Success does not clear it: look at it only after a status said failure.
 *
 * Threads: any; each has its own.
 *
 * @return never NULL; valid until the thread's next failing call or its end. `status` is #LIVERY_OK and `message` is ""
 *   when nothing has failed yet
 * @since 0.1
 */
LIVERY_API const livery_error *livery_last_error(void);

/**
 * Leave an error for livery_last_error(), for functions that the library calls and for libraries that stand on this one.
 *
 * Such a function then returns the same status.
 *
 * Threads: any; each has its own. Never fails, never waits.
 *
 * @param status   one of `LIVERY_ERROR_*`, or another negative number
 * @param message  UTF-8, of which 4,095 bytes are kept, as one line; NULL for the name of the status
 * @since 0.1
 */
LIVERY_API void livery_error_leave(livery_status status, const char *message);

/**
 * Receive the library's warnings: drift of a schema, ignored input, recovery. By default they are dropped.
 *
 * There is one handler for the process; setting it replaces the one before, whose `destroy` then runs once. `function` may
 * be called from any thread that is inside a Livery function, by several at once, outside every lock: it may call
 * anything, livery_set_log_handler() included. A call that began before the replacement may still be running; `destroy`
 * waits for it, and runs on the thread that lets go last.
 *
 * Threads: any.
 *
 * @param function   the function, or NULL for silence
 * @param user_data  handed to `function` and `destroy`
 * @param destroy    called once when the handler is replaced; may be NULL
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_set_log_handler(livery_log_fn function, void *user_data, livery_destroy_fn destroy);

#ifdef __cplusplus
}
#endif

#endif

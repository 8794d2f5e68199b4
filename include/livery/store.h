/**
 * @file livery/store.h
 * Open a store and read from it.
 *
 * Reads return the *effective* value. They convert only where nothing is lost, and otherwise say
 * #LIVERY_ERROR_TYPE_MISMATCH: never a silent 0, false or empty text. What converts is the same everywhere: in reads, in
 * changes (to the type that the schema declares) and in the `livery_value_as_*` functions:
 *
 * | from → to | bool | int | double | string | data | url | date | color | image |
 * |---|---|---|---|---|---|---|---|---|---|
 * | int | – | = | if exact | – | – | – | – | – | – |
 * | double | – | if whole and in range | = | – | – | – | – | – | – |
 * | string | 1 true yes 0 false no | whole decimal in range | finite decimal | = | base64 | empty or absolute URL | RFC 3339 | #RGB #RRGGBB #RRGGBBAA | if a reference |
 * | url, image | – | – | – | same text | – | = / empty or absolute URL | – | – | if a reference / = |
 *
 * Truth values are read in any ASCII letter case. In range is what an int64_t holds. A reference to an image is 1 to 1,024
 * bytes without control characters. A decimal text becomes the double that is nearest to it. Dates may have a space in the place of the `T` of RFC 3339. All types convert to
 * themselves; lists and objects to nothing else.
 */
#ifndef LIVERY_STORE_H
#define LIVERY_STORE_H

#include "value.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An open store; see the file's comment. */
typedef struct livery_store livery_store;

/** Layers, weakest first. The numbers are pinned for ever. */
typedef int32_t livery_layer;
enum {
  /** The schema's defaults; written by livery_schema_apply() alone. */
  LIVERY_LAYER_DEFAULTS = 0,
  /** What the app ships: a brand's property list, a variant. */
  LIVERY_LAYER_BUNDLE = 1,
  /** From the console; the operator may overrule it. */
  LIVERY_LAYER_RECOMMENDED = 2,
  /** The operator at the device. */
  LIVERY_LAYER_USER = 3,
  /** The logged-in user; goes at logout (livery_session_logout(), livery_change_reset_all()) or when it expires. */
  LIVERY_LAYER_SESSION = 4,
  /** From the console; weaker layers are locked. */
  LIVERY_LAYER_ENFORCED = 5,
  /** For support and testing: needs #LIVERY_OPEN_ALLOW_OVERRIDE, and each value carries an expiry time. */
  LIVERY_LAYER_OVERRIDE = 6
};

/** Bits of livery_open_options.flags. */
enum {
  /** Make the store if the directory is missing or empty. */
  LIVERY_OPEN_CREATE = 1 << 0,
  /** Refuse every change through this handle with #LIVERY_ERROR_READ_ONLY. On a read-only file system nothing else opens a
      store: it is then read from a copy in memory, of what is there when the process opens it. */
  LIVERY_OPEN_READ_ONLY = 1 << 1,
  /** Allow changes to the `override` layer through this handle. */
  LIVERY_OPEN_ALLOW_OVERRIDE = 1 << 2,
  /** Commits of this handle may be lost by a power failure shortly after, the last ones first; the store is never damaged. */
  LIVERY_OPEN_DEFERRED = 1 << 3,
  /** Refuse a damaged store with #LIVERY_ERROR_CORRUPT, in place of bringing back its last good copy. */
  LIVERY_OPEN_NO_RECOVERY = 1 << 4,
  /** Let the directory's group read and write the store too: modes 0770 and 0660, whatever the umask. A store that was made
      so stays so. */
  LIVERY_OPEN_GROUP = 1 << 5,
  /** Keep the store in memory alone, for tests, previews and devices without a disk: no file of it has a name, no other process
      finds it, and it is gone with the last handle on it, or with the process. See livery_open(). */
  LIVERY_OPEN_MEMORY = 1 << 6
};

/** How to open a store. Zero in any member means its default. */
typedef struct livery_open_options {
  /** sizeof(livery_open_options) */
  size_t struct_size;
  /** A sum of `LIVERY_OPEN_*` bits. */
  uint32_t flags;
  /** How long a commit waits for other writers, in milliseconds; default 5,000. */
  uint32_t busy_timeout_ms;
  /** Address space reserved for the store, in bytes; default 1 GiB. It is no memory and no disk space; the store grows
      beyond it when it must. From 1 MiB to 1 TiB. */
  uint64_t map_size;
  /** How many reads can be under way at once in all processes; default 1,024; from 8 to 65,536. The first process to open
      the store decides. */
  uint32_t max_readers;
  /** The most commits that the log keeps; default 10,000. The handle that commits trims by its own limits. */
  uint32_t log_entries;
  /** How long the log keeps a commit, in seconds; default 90 days. What is older goes with later commits, up to 16 with
      each, unless the system's clock was set within the last hour. */
  uint32_t log_age_s;
  /** How many backups of each reason the store keeps in its own folder; default 3. */
  uint32_t backups;
  /** The most memory for values that were read before, in bytes, for all handles of the process on the store; as much as
      is needed is used. Default 32 MiB, which is enough for 130,000 settings; from 64 KiB to 1 GiB. */
  uint64_t cache_size;
  /** The store backs itself up into its own folder after so many commits of this process since the last backup; default
      1,000; UINT32_MAX for never. */
  uint32_t backup_commits;
  /** The store backs itself up after a commit that comes so many seconds after the first one of this process since the last
      backup, or later. It also does at the closing of its last handle in a process or at an opening, where something has
      changed and the last backup is so old, or there is none (docs/reliability.md says when which). Default 600; UINT32_MAX
      for never. */
  uint32_t backup_age_s;
  /** For how many versions of the schema the values of a setting are kept that it no longer declares; default for ever. They
      are kept from the version on that does not declare it: with 2, those of a setting that disappears with version 5 are
      there with versions 5 and 6. An upgrade to a higher version drops them, unless that declares the setting again. It
      is the handle's that upgrades, and the numbers of versions count, not the upgrades that a store went through. */
  uint64_t orphan_versions;
  /** How much of the file the log may take, in bytes; default 16 MiB, or a quarter of what all else in the file takes if
      that is more. The oldest commits go first; the latest is kept, however large it is. See livery_stats(). */
  uint64_t log_bytes;
} livery_open_options;

/** The defaults. */
#define LIVERY_OPEN_OPTIONS_INIT { sizeof(livery_open_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Open a store.
 *
 * Opening the same directory again, also through another path to it, gives a second handle on the same store; each is
 * closed on its own. Options that concern the store as a whole (`map_size`, `max_readers`, `cache_size`) count when the process
 * opens it first.
 *
 * The first process to open a store after a start of the system, after another that did not close it, or after a foreign
 * write to its file looks at the whole of the file; otherwise the cost does not depend on the number of settings. A file
 * that is damaged is kept aside and replaced by the last good copy, with an error to the log handler and a report in
 * livery_stats(); see livery/maintenance.h.
 *
 * With #LIVERY_OPEN_MEMORY `path` is a name within this process: opening the same name again gives a second handle on the
 * same store, and with NULL or "" every call makes another one. It is made if the name is not in use, with
 * or without #LIVERY_OPEN_CREATE. Everything works as with a directory, but for what needs one: the store makes no copies of
 * itself, neither before upgrades nor before livery_restore(), livery_backup() wants the path of a file, and livery_check()
 * looks at such a backup. A process that is forked has none of its parent's: the handles are
 * #LIVERY_ERROR_FORKED as all others, and the same name is a new store there. Opening needs `/proc` and a folder such as
 * `/dev/shm`, in which two links stand for an instant.
 *
 * New directories get mode 0700 and new files 0600, unless #LIVERY_OPEN_GROUP says otherwise. The path may lead through
 * symbolic links to the directory; the files in it may not be links.
 *
 * Threads: any. Waits for writers and for openings, at most `busy_timeout_ms` each. The threads of a process open stores one
 * after the other.
 *
 * @param path         the directory, or a name in memory; NUL-terminated UTF-8
 * @param options      NULL for the defaults
 * @param[out] store   a handle: close it with livery_close(); untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such directory: give #LIVERY_OPEN_CREATE to make it; or no store of that
 *     name is open in memory, where #LIVERY_OPEN_READ_ONLY makes none
 *   - #LIVERY_ERROR_DUPLICATE         another copy of the library in this process has the store open, as when it is linked
 *     statically and loaded as well: use one of them
 *   - #LIVERY_ERROR_NOT_A_STORE       the path is no directory, or one that holds something else
 *   - #LIVERY_ERROR_FORMAT_NEWER      written by a newer Livery: upgrade the library
 *   - #LIVERY_ERROR_PERMISSION        the directory or its files cannot be read, or not written. A read-only open too
 *     needs write access to the lock files, unless the file system is read-only for everybody
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged and there is no good copy, or #LIVERY_OPEN_NO_RECOVERY
 *   - #LIVERY_ERROR_BUSY              another process was opening or writing it for longer than the timeout, or all
 *     reader slots are taken
 *   - #LIVERY_ERROR_IO                another failure of the operating system; see `system_error`
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the path is no UTF-8, or an option is out of range; a store in
 *     memory is to be read-only and has no name
 * @since 0.1
 */
LIVERY_API livery_status livery_open(const char *path, const livery_open_options *options, livery_store **store);

/**
 * Close a store.
 *
 * Calls under way in other threads finish; keys, snapshots and change sets of this handle are closed with it. Values
 * stay valid.
 *
 * Threads: any. Waits for no other process. With the last handle of this process an automatic copy that is due is made if
 * the store has changed and its file is of up to 4 MiB, which takes some milliseconds. A larger one is copied by a thread
 * after it was opened, and when many commits were made; such a copy that is under way goes on, and keeps the files open.
 *
 * @param store  an open store, or NULL for nothing to happen
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_close(livery_store *store);

/**
 * The store's revision: the number of commits that changed something.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store           an open store
 * @param[out] revision   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the store's file is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_revision(livery_store *store, uint64_t *revision);

/**
 * Read a setting as a truth value.
 *
 * Returns the effective value: the strongest layer that has one. The strings "1", "true" and "yes" convert to true,
 * "0", "false" and "no" to false, in any letter case.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value neither is a truth value nor spells one
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_bool(livery_store *store, const char *name, bool *value);

/**
 * Read a setting as a 64-bit integer.
 *
 * Returns the effective value: the strongest layer that has one. A double that is a whole number in range converts,
 * and a string that spells a whole decimal number. Nothing else does.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is not a whole number in the range of int64_t
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_int(livery_store *store, const char *name, int64_t *value);

/**
 * Read a setting as a float: the number nearest to what livery_get_double() gives.
 *
 * Returns the effective value: the strongest layer that has one. Rounding to the precision of a float is what the
 * caller asks for; a number beyond its range is a mismatch, and so is one of which 0 would be left.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is not a number in the range of float
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_float(livery_store *store, const char *name, float *value);

/**
 * Read a setting as a double.
 *
 * Returns the effective value: the strongest layer that has one. An integer that a double holds exactly converts, and
 * a string that spells a finite decimal number.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is not a number that a double holds
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_double(livery_store *store, const char *name, double *value);

/**
 * Read the text of a string, URL or image setting into a buffer.
 *
 * Returns the effective value: the strongest layer that has one.  The text is always followed by a NUL.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param name          the setting's name, or an alias of it
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
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `name` or a needed buffer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_string(livery_store *store, const char *name, char *buffer, size_t capacity,
                                           size_t *length);

/**
 * Read the bytes of a data setting into a buffer.
 *
 * Returns the effective value: the strongest layer that has one. A string converts if it is base64 (RFC 4648 §4).
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param name          the setting's name, or an alias of it
 * @param[out] buffer   receives the bytes; may be NULL when `capacity` is 0
 * @param capacity      the buffer's size in bytes
 * @param[out] length   in bytes; stored also with #LIVERY_ERROR_BUFFER_TOO_SMALL, otherwise untouched on
 *   failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is neither data nor base64
 *   - #LIVERY_ERROR_BUFFER_TOO_SMALL  `capacity` is less than needed; `length` tells how much is
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `name` or a needed buffer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_data(livery_store *store, const char *name, void *buffer, size_t capacity,
                                         size_t *length);

/**
 * Read a URL setting into a buffer.
 *
 * Returns the effective value: the strongest layer that has one. A string converts if it is empty or an absolute URL.
 * The text is always followed by a NUL.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param name          the setting's name, or an alias of it
 * @param[out] buffer   receives the text and a NUL; may be NULL when `capacity` is 0
 * @param capacity      the buffer's size in bytes, for text and NUL
 * @param[out] length   in bytes, without the NUL; stored also with #LIVERY_ERROR_BUFFER_TOO_SMALL, otherwise
 *   untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is neither a URL nor spells one
 *   - #LIVERY_ERROR_BUFFER_TOO_SMALL  `capacity` is less than needed; `length` tells how much is
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `name` or a needed buffer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_url(livery_store *store, const char *name, char *buffer, size_t capacity,
                                        size_t *length);

/**
 * Read a setting as a moment.
 *
 * Returns the effective value: the strongest layer that has one. A string converts if it is an RFC 3339 date-time.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store               an open store
 * @param name                the setting's name, or an alias of it
 * @param[out] microseconds   since 1970-01-01T00:00:00Z; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value neither is a moment nor spells one
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_date(livery_store *store, const char *name, int64_t *microseconds);

/**
 * Read a setting as a color.
 *
 * Returns the effective value: the strongest layer that has one. A string converts if it is written `#RGB`, `#RRGGBB`
 * or `#RRGGBBAA`.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value neither is a color nor spells one
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_color(livery_store *store, const char *name, livery_color *value);

/**
 * Read a list setting.
 *
 * Returns the effective value: the strongest layer that has one. Nothing converts.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is no list
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_list(livery_store *store, const char *name, livery_value **value);

/**
 * Read an object setting.
 *
 * Returns the effective value: the strongest layer that has one. Nothing converts.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is no object
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_object(livery_store *store, const char *name, livery_value **value);

/**
 * Read a setting of any type.
 *
 * Returns the effective value: the strongest layer that has one.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   a new reference: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_get_value(livery_store *store, const char *name, livery_value **value);

/**
 * What livery_read() tells of a value. Members that its type does not name are 0.
 *
 * It has no `struct_size` and never changes.
 */
typedef struct livery_reading {
  /** One of the LIVERY_TYPE_… constants. */
  livery_type type;
  /** Of #LIVERY_TYPE_BOOL. */
  bool as_bool;
  /** Of #LIVERY_TYPE_INT; of #LIVERY_TYPE_DATE the microseconds since 1970. */
  int64_t as_int;
  /** Of #LIVERY_TYPE_DOUBLE. */
  double as_double;
  /** Of #LIVERY_TYPE_COLOR. */
  livery_color as_color;
  /** Of text (a string, a URL, an image) and data: the bytes in the buffer, without the NUL. */
  size_t length;
} livery_reading;

/**
 * Read a setting of any type in one call, without a #livery_value to look into and release.
 *
 * Returns the effective value: the strongest layer that has one. Nothing converts. Text goes to the buffer with a NUL
 * behind it, data without one, and of all else `reading` has the content. Of a list or an object it has the type alone,
 * for livery_get_value() to be called: another commit may have come in between.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store          an open store
 * @param name           the setting's name, or an alias of it
 * @param[out] buffer    receives text and a NUL, or data; may be NULL when `capacity` is 0
 * @param capacity       the buffer's size in bytes
 * @param[out] reading   with #LIVERY_ERROR_BUFFER_TOO_SMALL `type` and `length` are stored, too; otherwise untouched on
 *   failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_BUFFER_TOO_SMALL  text or data needs more than `capacity`: `length` tells how much, for text
 *     without the NUL
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `name`, `reading` or a needed buffer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_read(livery_store *store, const char *name, void *buffer, size_t capacity,
                                     livery_reading *reading);

/**
 * Read the text of a string, URL or image setting as a copy.
 *
 * Returns the effective value: the strongest layer that has one.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param name          the setting's name, or an alias of it
 * @param[out] text     UTF-8, followed by a NUL: free it with livery_free(); untouched on failure
 * @param[out] length   in bytes, without the NUL; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is no text
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_copy_string(livery_store *store, const char *name, char **text, size_t *length);

/**
 * Read the bytes of a data setting as a copy.
 *
 * Returns the effective value: the strongest layer that has one. A string converts if it is base64 (RFC 4648 §4).
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store         an open store
 * @param name          the setting's name, or an alias of it
 * @param[out] bytes    free them with livery_free(); not NULL, even for no bytes; untouched on failure
 * @param[out] length   in bytes
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer has a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value is neither data nor base64
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_copy_data(livery_store *store, const char *name, void **bytes, size_t *length);

/** What livery_list() lists. Zero in any member means its default. */
typedef struct livery_list_options {
  /** sizeof(livery_list_options) */
  size_t struct_size;
  /** List only settings whose name comes after this one; NULL for all. For the next page, the last name of this one. */
  const char *after;
  /** The most items to return; 0 for no limit. */
  size_t limit;
} livery_list_options;

/** The defaults. */
#define LIVERY_LIST_OPTIONS_INIT { sizeof(livery_list_options), NULL, 0 }

/**
 * List settings by pattern, in the order of their names (byte by byte).
 *
 * In a pattern `*` stands for any run of characters other than `.`, `**` for any run, `?` for one character other than
 * `.`; everything else stands for itself: `media*`, `branding.**`.
 *
 * Each item is an object: `name`, `type` (text: "bool", "int", "double", "string", "data", "url", "date", "color",
 * "image", "choice", "list", "object"), `title` (if the schema gives one), `locked` (bool), `secret` (true, only if
 * so), and, if the setting has a value, `value`, `layer` (text) and `revision` (the commit that made it effective).
 * In place of the `value` of a secret that is sealed and cannot be opened here is `unavailable` (true), as in livery_inspect().
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param pattern      NULL for all
 * @param options      NULL for the defaults
 * @param[out] value   a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `value` is NULL, or the pattern is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_list(livery_store *store, const char *pattern, const livery_list_options *options,
                                     livery_value **value);

/**
 * Tell everything about a setting: what it is, every layer's value, which one wins and why.
 *
 * The result is an object: `name`, `type`, `title`, `description`, `group`, `constraints` (object), `secret` (bool),
 * `readOnly` (bool), `volatile` (true, only if so), `survives` (a list of text), `locked` (bool), `alias` (the name asked for, where it is an old name), `reason` (text that says which layer wins and why, and of an old
 * name which to use), `effective` (object:
 * `value`, `layer`, `revision`; missing if there is no value) and `layers`: a list, strongest layer first, of objects
 * `layer`, `value`, `revision`, `time` (date), `origin`, `expires` (date, if it does), `state`: "wins", "shadowed",
 * "expired" (also one that has ended with a boot of the system), "rejected" (it no longer satisfies the schema; then `problem` says why) or "orphaned". Members that do not apply
 * are missing. Values of secrets are included: it is for the program to mask them.
 *
 * Of a setting that is on trial there is `trial`, an object `revision`, `until` (date), `origin` and `former`, a list of objects
 * `layer` and `value`: what the layers go back to, without `value` if that is nothing, or secret; see livery/trial.h.
 *
 * Of a setting of branding there may be `waits`, a list of objects `source` ("console", "bundle"), `layer`, `value` and
 * `reason`: what its sources have and what does not count, since a source is switched off or waits for another. A setting of
 * which nothing counts is then told of all the same.
 *
 * Of a setting that the schema no longer declares, and that layers still hold values of, there is `orphaned`, an object:
 * `since` (the version that did not declare it any more, or the present one where nobody took note) and `until` (the last
 * version that keeps the values; missing for ever, see `orphan_versions` at livery_open_options). None of its values counts;
 * `secret` says whether it was one, or may have been.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param name         the setting's name, or an alias of it
 * @param[out] value   an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_inspect(livery_store *store, const char *name, livery_value **value);

#ifdef __cplusplus
}
#endif

#endif

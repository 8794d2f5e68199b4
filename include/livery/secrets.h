/**
 * @file livery/secrets.h
 * Secrets sealed with a key: an extension, liblivery-secrets.so, on libsodium.
 *
 * The values of settings that are declared secret are sealed with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha), bound to
 * store, setting, layer and type, before they are written; see livery_set_sealer(). Without the key, or with another one,
 * these settings alone are #LIVERY_ERROR_UNAVAILABLE.
 *
 *     livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
 *     options.file = "/etc/kiosk/settings.key";
 *     livery_secrets *secrets = NULL;
 *     livery_secrets_open(store, &options, &secrets);
 *
 * A key lies in a file, in the kernel's keyring, among systemd's credentials, or with a function of the program. Its text
 * is a line for each of up to #LIVERY_SECRETS_KEYS_MAX keys, `livery-key-1 ` and 32 bytes in base64 (RFC 4648); empty
 * lines and such that begin with `#` are passed over. The first key seals, all of them open.
 *
 * **A key is one store's.** Nobody can tell from a key which stores it seals, and livery_secrets_rotate() takes it away: what
 * another store has sealed with it opens with a copy of it alone. Make each store a file, or a key in the keyring, of its own.
 */
#ifndef LIVERY_SECRETS_H
#define LIVERY_SECRETS_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most keys of a source. */
#define LIVERY_SECRETS_KEYS_MAX 8
/** The most bytes of the text of a source. */
#define LIVERY_SECRETS_TEXT_MAX 4096

/** What seals the secrets of a store; see livery_secrets_open(). */
typedef struct livery_secrets livery_secrets;

/**
 * Hands out the text of the keys: writes at most `capacity` bytes (#LIVERY_SECRETS_TEXT_MAX) into `text`, and how many to
 * `length`. It returns #LIVERY_OK, or a status with which reading the key fails, such as #LIVERY_ERROR_UNAVAILABLE.
 *
 * Called by livery_secrets_open(), livery_secrets_reload() and livery_secrets_rotate(); on any thread before a value is sealed,
 * while other writers wait, for the key may have been exchanged; and when a value asks for a key that is not known, at most once
 * a second. It must not use the store. One that takes long, such as that of a server, keeps the key, and only looks whether it
 * is still the same.
 */
typedef livery_status (*livery_secrets_key_fn)(char *text, size_t capacity, size_t *length, void *user_data);

/** Where the key lies: one of `file`, `keyring`, `credential` and `function`. Zero or NULL in any member means none. */
typedef struct livery_secrets_options {
  /** sizeof(livery_secrets_options) */
  size_t struct_size;
  /** A file of this user or of root that nobody else may read: of mode 0400 or 0600. Up to 4,096 bytes of UTF-8. */
  const char *file;
  /** The description of a key of the type `user` in the session's keyring or the user's, keyrings(7). Up to 255 bytes. */
  const char *keyring;
  /** The name of a credential in `$CREDENTIALS_DIRECTORY`, systemd.exec(5) `LoadCredential=`. Up to 255 bytes. */
  const char *credential;
  /** A function of the program. */
  livery_secrets_key_fn function;
  /** Handed to `function` and `destroy`. */
  void *user_data;
  /** Called once when `function` is needed no more, or when opening fails; may be NULL. */
  livery_destroy_fn destroy;
} livery_secrets_options;

/** Nowhere. */
#define LIVERY_SECRETS_OPTIONS_INIT { sizeof(livery_secrets_options), NULL, NULL, NULL, NULL, NULL, NULL }

/**
 * Make a key by chance, where there is none: a file of mode 0400, or a key in the user's keyring, which the kernel forgets when
 * the system ends.
 *
 * Where the file's path is a link that leads to no file, that is made to which it leads.
 *
 * Without the key nobody reads the secrets again: keep a copy apart from the store and from its backups. It is a key for one
 * store.
 *
 * Threads: any. Waits for the disk.
 *
 * @param options  where: `file` or `keyring`
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CONFLICT          there is one already
 *   - #LIVERY_ERROR_PERMISSION        the place may not be written to
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_UNAVAILABLE       libsodium does not work, or there are no keyrings here
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `options` is NULL, or names no such place, or more than one
 * @since 0.1
 */
LIVERY_API livery_status livery_secrets_make_key(const livery_secrets_options *options);

/**
 * Seal the secrets of a store from now on, and open them, for all handles of the process on it: livery_set_sealer() with the
 * keys of a source. What is not sealed yet is sealed now.
 *
 * Another process may exchange the key at any time: before a value is sealed a file or credential that was exchanged, a keyring
 * and a function are read anew, and any source when a value asks for a key that is not known. Where it cannot be read the key of
 * before seals. Of several that were opened on one handle the one that was opened, reloaded or rotated last counts. A value is
 * padded to a multiple of 32 bytes before it is sealed, and takes 56 more.
 *
 * Threads: any. Waits for other writers and for openings, at most `busy_timeout_ms` each, and for the disk, if there is
 * something to seal.
 *
 * @param store         an open store
 * @param options       where the key lies
 * @param[out] secrets  close it with livery_secrets_close(); untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_UNAVAILABLE       there is no key at that place, or libsodium does not work
 *   - #LIVERY_ERROR_PERMISSION        the key may not be read, or others may read it, too
 *   - #LIVERY_ERROR_PARSE             the source's text is none of keys; the message has the line
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `options` or `secrets` is NULL, or `options` names no place, or more than one
 *   - any other of livery_set_sealer()
 * @since 0.1
 */
LIVERY_API livery_status livery_secrets_open(livery_store *store, const livery_secrets_options *options,
                                             livery_secrets **secrets);

/**
 * Stop sealing and opening: the secrets are #LIVERY_ERROR_UNAVAILABLE, unless another handle on the store has the key. When the
 * store was closed that has come about already. Where others were opened or reloaded on the same handle since, these go on.
 *
 * Threads: any. Waits for livery_secrets_open(), livery_secrets_reload() and livery_secrets_rotate() on the same handle.
 *
 * @param secrets  NULL is nothing to close
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED            it was closed before
 * @since 0.1
 */
LIVERY_API livery_status livery_secrets_close(livery_secrets *secrets);

/**
 * Read the key anew, as when it has come or was exchanged: watches of sealed settings are told to read anew. If this fails the
 * keys of before stay.
 *
 * Threads: any. Waits as livery_secrets_open() does.
 *
 * @param secrets  what livery_secrets_open() gave
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_UNAVAILABLE       there is no key at that place
 *   - #LIVERY_ERROR_PERMISSION        the key may not be read, or others may read it, too
 *   - #LIVERY_ERROR_PARSE             the source's text is none of keys; the message has the line
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `secrets` is NULL
 *   - any other of livery_set_sealer()
 * @since 0.1
 */
LIVERY_API livery_status livery_secrets_reload(livery_secrets *secrets);

/**
 * Exchange the key: seal all secrets anew, in one commit, in the store's own backups too, and overwrite what was there.
 *
 * In a file, or in the keyring where the key was found, a new key is put before the others; then everything is sealed with it,
 * and then the keys that were there at the beginning are taken away, unless some value was opened by none of them
 * (`unavailable` of the report). **Another store that was sealed with them cannot be opened any more.** Interrupted anywhere,
 * all values open, and rotating again completes it. Of a credential or a function the new key has to be there already, as the
 * first of its lines; the others can be taken away afterwards.
 *
 * A file is written anew beside the former one, as `FILE.rotating`, and takes its place; where the path is a link, that happens
 * where it leads. One process at a time exchanges the key of a file, or that of a store in a keyring.
 *
 * The report is that of livery_reseal(), with `key`, the id of the key that seals now.
 *
 * Threads: any. Waits for other writers and for openings, at most `busy_timeout_ms` each, and for the disk.
 *
 * @param secrets      what livery_secrets_open() gave
 * @param[out] report  release it; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              another process is exchanging the key, or kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_UNAVAILABLE       there is no key at that place any more
 *   - #LIVERY_ERROR_PERMISSION        the key may not be read or written, or others may read it, too
 *   - #LIVERY_ERROR_PARSE             the source's text is none of keys, or has no room for another
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `secrets` is NULL
 *   - any other of livery_reseal()
 * @since 0.1
 */
LIVERY_API livery_status livery_secrets_rotate(livery_secrets *secrets, livery_value **report);

/**
 * How the secrets lie in the store: the object of livery_sealing() with `source` (`file`, `keyring`, `credential` or
 * `function`) and `keys`, the ids of the keys that are known, the one that seals first: 16 hexadecimal digits each, which tell
 * nothing of the key.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param secrets      what livery_secrets_open() gave
 * @param[out] report  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `secrets` or `report` is NULL
 *   - any other of livery_sealing()
 * @since 0.1
 */
LIVERY_API livery_status livery_secrets_status(livery_secrets *secrets, livery_value **report);

#ifdef __cplusplus
}
#endif

#endif

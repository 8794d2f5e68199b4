/**
 * @file livery/page.h
 * Every setting in a browser, drawn from the schema: for the operator at the device, or somewhere on its network.
 *
 * A library of its own, liblivery-page.so, which links libmicrohttpd, libsodium and zlib; livery.h does not include it.
 *
 *     livery_page *page;
 *     livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
 *     livery_page_start(store, &options, finished, NULL, NULL, &page);
 *     char *address;
 *     livery_page_address(page, &address, NULL);           // http://127.0.0.1:41234/open/5q3…: show it, as a QR code or in a browser
 *
 * The address holds a token that opens one editing session, once. Each call of livery_page_address() makes a new one. A
 * session ends when the person says so, after a while without a sign of life, or when the page is stopped; `finished` is told
 * of each one exactly once.
 *
 * The page listens at 127.0.0.1 unless told otherwise, and elsewhere only if a PIN is asked for. docs/page.md describes what
 * it shows and how it defends itself.
 */
#ifndef LIVERY_PAGE_H
#define LIVERY_PAGE_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A page that is being served. */
typedef struct livery_page livery_page;

/** Why an editing session ended. The numbers are pinned for ever. */
typedef int32_t livery_page_reason;
enum {
  /** The person said that it is done. */
  LIVERY_PAGE_DONE = 1,
  /** No sign of life for as long as `idle_s`: the browser was closed, or nobody is there. */
  LIVERY_PAGE_IDLE = 2,
  /** The page was stopped, or the store was closed. */
  LIVERY_PAGE_STOPPED = 3
};

/** The end of an editing session. It and its texts are valid during the call. */
typedef struct livery_page_finished {
  /** One of `LIVERY_PAGE_*`. */
  livery_page_reason reason;
  /** The revisions of the session's first and last commit; 0 if it changed nothing. */
  uint64_t first_revision, last_revision;
  /** The settings that it changed, each once, in the order of their names; NULL if there are none. */
  const char *const *names;
  /** How many. */
  size_t count;
} livery_page_finished;

/** Receives the end of an editing session, on the store's watcher thread or in livery_dispatch(). It may call anything. */
typedef void (*livery_page_finished_fn)(const livery_page_finished *finished, void *user_data);

/** Bits of livery_page_options.flags. */
enum {
  /** Call `finished` from livery_dispatch() alone, for programs with a main loop, in place of the watcher thread. */
  LIVERY_PAGE_DISPATCH = 1 << 0,
  /** Show settings that the schema declares hidden, too. */
  LIVERY_PAGE_HIDDEN = 1 << 1,
  /** Show everything, and change nothing. */
  LIVERY_PAGE_READ_ONLY = 1 << 2,
  /** Show prompts (livery/prompt.h), too: the page provides #LIVERY_PROMPT_ANY for as long as it is served. A prompt waits for
      whoever opens the page, until it is answered or its request ends. Loads liblivery-workflow.so. */
  LIVERY_PAGE_PROMPTS = 1 << 3
};

/** How to serve a page. Zero in any member means its default. */
typedef struct livery_page_options {
  /** sizeof(livery_page_options) */
  size_t struct_size;
  /** A sum of `LIVERY_PAGE_*` bits. */
  uint32_t flags;
  /** Whether `layer` is meant. */
  bool has_layer;
  /** The layer that is edited, and whose commits can be taken back: `user` by default, or `session`, `recommended`, `enforced`, `bundle`. */
  livery_layer layer;
  /** An address and a port: "127.0.0.1:0" by default, "[::1]:8080", "0.0.0.0:8080". Port 0 is one that is free. Addresses
      other than those of this device itself need `pin_setting`. */
  const char *listen;
  /** The path of a Unix socket to listen at instead, for a web server in front; its mode is 0600. */
  const char *unix_socket;
  /** Names, with a port if it is not the one that is listened at, under which browsers may ask for the page besides its
      address, separated by spaces: "kiosk.local kiosk.local:80". */
  const char *hosts;
  /** A text setting that holds the PIN as livery_page_hash_pin() makes it. Every session has to give the PIN. Declare it a
      secret. It need not have a value yet, without which nobody gets in. */
  const char *pin_setting;
  /** After how many seconds without a sign of life a session ends: 300 by default, 10 to 86,400. */
  uint32_t idle_s;
  /** The language of schema and page, as a tag of BCP 47 ("de-AT") or a locale of the system ("de_AT.UTF-8"); by default what the
      browser prefers. */
  const char *locale;
  /** What the page is called, up to 800 bytes of UTF-8; the schema's title by default. */
  const char *title;
} livery_page_options;

/** The defaults. */
#define LIVERY_PAGE_OPTIONS_INIT { sizeof(livery_page_options), 0, false, 0, NULL, NULL, NULL, NULL, 0, NULL, NULL }

/**
 * Start to serve the settings of a store.
 *
 * It goes on until livery_page_stop() or until the store is closed. What is shown is what livery_form() tells: a store without a
 * schema has nothing to show, and the page says so.
 *
 * Threads: any. Does not wait for a writer.
 *
 * @param store       an open store, which has to stay open; closing it stops the page
 * @param options     NULL for the defaults
 * @param finished    is told of the end of each editing session; may be NULL
 * @param user_data   handed to `finished` and `destroy`
 * @param destroy     called once, after the last call of `finished`, or when starting fails; may be NULL
 * @param[out] page   a handle: end it with livery_page_stop(); untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              the address or the socket is in use, or no thread can be had
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, an option is unknown, malformed or out of range, or an address that
 *     others can reach is asked for without a PIN
 *   - #LIVERY_ERROR_IO                the system refuses the socket
 *   - #LIVERY_ERROR_PERMISSION        the port or the socket's directory is not this process's to use
 *   - #LIVERY_ERROR_READ_ONLY         `layer` cannot be changed through this handle
 *   - #LIVERY_ERROR_UNAVAILABLE       #LIVERY_PAGE_PROMPTS, and liblivery-workflow.so cannot be loaded
 *   - any other of livery_prompt_provide(), with #LIVERY_PAGE_PROMPTS
 * @since 0.1
 */
LIVERY_API livery_status livery_page_start(livery_store *store, const livery_page_options *options,
                                           livery_page_finished_fn finished, void *user_data, livery_destroy_fn destroy,
                                           livery_page **page);

/**
 * An address that opens one editing session.
 *
 * It is good for ten minutes and for one browser; ask again for another. At most 64 are good at a time: the oldest ends.
 *
 * Threads: any. Never blocks.
 *
 * @param page          a page
 * @param[out] address  UTF-8 that ends with NUL: give it back with livery_free(); untouched on failure
 * @param[out] length   in bytes, without NUL; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_page_address(livery_page *page, char **address, size_t *length);

/**
 * Stop serving. Sessions that are open end with #LIVERY_PAGE_STOPPED.
 *
 * Requests under way are answered; no commit is under way when this returns. Also from inside `finished`.
 *
 * Threads: any. Waits for requests under way.
 *
 * @param page  a page, or NULL for nothing to happen
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_page_stop(livery_page *page);

/**
 * What a setting has to hold for a page to ask for a PIN: its hash by Argon2id, with salt and parameters.
 *
 * Threads: any. Takes some tens of milliseconds and 8 MiB.
 *
 * @param pin           4 to 128 bytes of UTF-8 that end with NUL
 * @param[out] hash     text that ends with NUL: give it back with livery_free(); untouched on failure
 * @param[out] length   in bytes, without NUL; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the PIN is too short, too long or not UTF-8
 *   - #LIVERY_ERROR_NO_MEMORY         there is no memory for it
 * @since 0.1
 */
LIVERY_API livery_status livery_page_hash_pin(const char *pin, char **hash, size_t *length);

/**
 * Draw a brand as one HTML document: what the page shows under "Brand". It holds everything that it shows, runs no script
 * and loads nothing, whatever the brand's values and images are. What a schema declares as secret is not in it.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store         an open store
 * @param brand         its identifier, or NULL for what is in effect
 * @param locale        the language of what is not the brand's, as a tag of BCP 47; NULL for English
 * @param[out] html     UTF-8 that ends with NUL: give it back with livery_free(); untouched on failure
 * @param[out] length   in bytes, without NUL; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such brand: the message names the nearest
 *   - #LIVERY_ERROR_CORRUPT           a stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_NO_MEMORY         there is no memory for it
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or `brand` or `locale` is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_page_brand(livery_store *store, const char *brand, const char *locale, char **html,
                                           size_t *length);

#ifdef __cplusplus
}
#endif

#endif

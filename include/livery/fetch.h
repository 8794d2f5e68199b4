/**
 * @file livery/fetch.h
 * Images and documents by URL: fetched once, kept in the store, there when the network is not.
 *
 * A library of its own, liblivery-fetch.so; livery.h does not include it. Requests are made by libcurl, which the first of them
 * loads: what is stored is there without it, and so is a transport of one's own (livery_fetch_set_transport()).
 *
 *     static void done(const livery_fetch_result *result, void *user_data) {
 *       if (result->status == LIVERY_OK) show(result->id, result->data, result->length);
 *       else fprintf(stderr, "%s\n", result->message);
 *     }
 *
 *     livery_fetch *fetch;
 *     livery_fetch_start(store, "https://example.com/logo.png", NULL, done, NULL, NULL, &fetch);
 *
 * What is fetched becomes an asset (livery/asset.h), and what its server said of it a setting below `fetch.`, in the layer
 * `bundle` and in the same commit. That is a private cache by RFC 9111 with RFC 5861: what is fresh is handed out without a
 * request, what is not is asked for anew with its ETag or date, and "not modified" moves no body and makes no commit. What is
 * stored stays until its successor is complete and found to be good, and where the network fails it is handed out as it is.
 *
 * One transfer for each URL is under way among all processes on a store: the others wait, and take what it has stored.
 * http and https alone are fetched, certificates are verified, redirects are followed up to 5 and never from https to http.
 *
 * docs/fetch.md tells the rest.
 */
#ifndef LIVERY_FETCH_H
#define LIVERY_FETCH_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The longest URL, in bytes of ASCII, without the NUL. */
#define LIVERY_FETCH_URL_MAX 2048

/** A fetch that was started. */
typedef struct livery_fetch livery_fetch;

/** What is expected. The numbers are pinned for ever. */
typedef int32_t livery_fetch_kind;
enum {
  /** An image as livery_asset_put() takes it, told by its bytes whatever its server says. The default. */
  LIVERY_FETCH_IMAGE = 1,
  /** Any bytes. */
  LIVERY_FETCH_DOCUMENT = 2,
  /** Any bytes; but where the server says that it is an image it has to be one. */
  LIVERY_FETCH_ANY = 3
};

/** What became of a fetch. The numbers are pinned for ever. */
typedef int32_t livery_fetch_state;
enum {
  /** It is what the server has, or had so lately that it need not be asked. */
  LIVERY_FETCH_READY = 1,
  /** It is what the store holds and may be outdated: the network or the server failed, or is being asked meanwhile. */
  LIVERY_FETCH_STALE = 2,
  /** It failed, and the placeholder that was named is handed out. */
  LIVERY_FETCH_PLACEHOLDER = 3,
  /** It failed, and there is nothing to hand out. */
  LIVERY_FETCH_FAILED = 4
};

/** Where what is handed out came from. The numbers are pinned for ever. */
typedef int32_t livery_fetch_source;
enum {
  /** There is nothing, or it is the placeholder. */
  LIVERY_FETCH_FROM_NOWHERE = 0,
  /** Its bytes came from the server. */
  LIVERY_FETCH_FROM_NETWORK = 1,
  /** Its bytes were in the store, and the server said that they still hold. */
  LIVERY_FETCH_REVALIDATED = 2,
  /** Its bytes were in the store, and the server was not asked. */
  LIVERY_FETCH_FROM_STORE = 3
};

/** The outcome of a fetch. It and all that it points to are valid during the call. */
typedef struct livery_fetch_result {
  /** The size of this struct in the library, in bytes. */
  size_t struct_size;
  /** #LIVERY_OK for what is ready or stale; else why it failed. */
  livery_status status;
  /** One of `LIVERY_FETCH_READY` to `LIVERY_FETCH_FAILED`. */
  livery_fetch_state state;
  /** Where it came from. */
  livery_fetch_source source;
  /** The status of HTTP that the server answered last, such as 200, 304 or 404; 0 if it was not asked, or did not answer. */
  int32_t http_status;
  /** One line for people: why it failed, or why what is handed out may be outdated; "" if all is well. Never NULL. */
  const char *message;
  /** The URL as it was asked for. Never NULL. */
  const char *url;
  /** The asset, or NULL: there is none, or the server forbids to keep it (`no-store`). */
  const char *id;
  /** The media type: of an image by its bytes, of all else as the server says ("application/json"); NULL if it is not known. */
  const char *type;
  /** The bytes; NULL if there are none. */
  const void *data;
  /** How many. */
  size_t length;
  /** How many bytes of a body came from the network for this fetch, all attempts together. */
  uint64_t received;
  /** The ETag as the server sent it, or NULL. */
  const char *etag;
  /** When the server last said that these are the bytes: microseconds since 1970, as of the device's clock; 0 if never. */
  int64_t fetched;
  /** Until when it need not be asked again, in the same way; 0 if never. */
  int64_t fresh_until;
} livery_fetch_result;

/** Receives the outcome, on the store's watcher thread or in livery_dispatch(). It may call anything. */
typedef void (*livery_fetch_fn)(const livery_fetch_result *result, void *user_data);

/**
 * Is told how far a transfer is, where `done` is called, at most ten times a second, and never after `done`.
 *
 * `total` is 0 while it is not known. After an attempt that failed `received` may begin anew.
 */
typedef void (*livery_fetch_progress_fn)(uint64_t received, uint64_t total, void *user_data);

/** Bits of livery_fetch_options.flags. */
enum {
  /** Call `done` and `progress` from livery_dispatch() alone, for programs with a main loop, in place of the watcher thread. */
  LIVERY_FETCH_DISPATCH = 1 << 0,
  /** Ask the server also where what is stored is fresh. */
  LIVERY_FETCH_REVALIDATE = 1 << 1,
  /** Ask nobody: what the store holds, fresh or not, or #LIVERY_ERROR_UNAVAILABLE. */
  LIVERY_FETCH_OFFLINE = 1 << 2
};

/** How to fetch. Zero in any member means its default. */
typedef struct livery_fetch_options {
  /** sizeof(livery_fetch_options) */
  size_t struct_size;
  /** A sum of `LIVERY_FETCH_*` bits. */
  uint32_t flags;
  /** What is expected: #LIVERY_FETCH_IMAGE by default. */
  livery_fetch_kind kind;
  /** The largest body that is taken, in bytes after decompression; default 16 MiB, at most #LIVERY_ASSET_MAX. */
  uint64_t max_size;
  /** The most bytes that the store keeps of what was fetched; default 256 MiB. What was not used for longest goes first, and
      what a setting outside of `fetch.` refers to never goes. The fetch that commits trims by its own. */
  uint64_t quota;
  /** How long all of it may take, attempts and waiting together, in milliseconds; default 60,000; at most 86,400,000. */
  uint32_t timeout_ms;
  /** How often to try in all where the network fails or the server is busy; default 4, at most 100. Waits grow between them,
      by chance more or less, and are as long as the server asks for (`Retry-After`). */
  uint32_t attempts;
  /** The id of an asset of the store that is handed out where there is nothing better; NULL for none. */
  const char *placeholder;
  /** A file of certificates in the form PEM that servers are verified with, in place of the system's. */
  const char *ca_file;
  /** A proxy, such as "http://proxy:3128"; "" for none; NULL for what the environment says (`https_proxy`, `no_proxy`). */
  const char *proxy;
  /** Is told how far it is; may be NULL. It is given the `user_data` of `done`. */
  livery_fetch_progress_fn progress;
} livery_fetch_options;

/** The defaults. */
#define LIVERY_FETCH_OPTIONS_INIT { sizeof(livery_fetch_options), 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, NULL }

/**
 * Fetch what a URL leads to, or take it from the store where that is as good.
 *
 * `done` is called exactly once, and `destroy` once after it: on the watcher thread, or in livery_dispatch(). When the store is
 * closed first, `done` is told #LIVERY_ERROR_CLOSED, mostly on the thread that closes it. When livery_close() returns all have been
 * told, save those whom the same thread is telling at that moment, and those whom others tell that are closing a store
 * themselves. When starting fails it is told the same status on this thread, before this function returns. Nothing partial is
 * ever stored.
 *
 * What is stored is handed out
 *
 *   - as ready, while it is fresh (unless #LIVERY_FETCH_REVALIDATE is given), and when the server says that it still holds;
 *   - as stale, whatever fails but that the server says no (400 to 499 without 408 and 429): also where what comes is no image,
 *     empty or too large, and where it cannot be stored; unless the server said `must-revalidate` or `no-cache`, or limits it by
 *     `stale-if-error`, or its answer varies by `*`; at once, while the server is being asked, if that allows
 *     `stale-while-revalidate`; and with #LIVERY_FETCH_OFFLINE.
 *
 * What `done` is told in livery_fetch_result.status:
 *
 *   - #LIVERY_ERROR_NETWORK        the server cannot be found or reached, or its answer broke off or makes no sense
 *   - #LIVERY_ERROR_TIMEOUT        the time was over
 *   - #LIVERY_ERROR_CANCELLED      livery_fetch_cancel() came first
 *   - #LIVERY_ERROR_REFUSED        the server says no (400 to 499), its certificate is not good, or it redirects more than 5 times
 *     or to where nobody may go
 *   - #LIVERY_ERROR_UNAVAILABLE    the server has nothing to give now (408, 429, 500 to 599), or nothing is stored and nobody may
 *     be asked, or there is no libcurl to ask with: the message says what to install
 *   - #LIVERY_ERROR_NOT_FOUND      the server knows of no such thing (404, 410)
 *   - #LIVERY_ERROR_INVALID_VALUE  the body is empty or larger than `max_size`
 *   - #LIVERY_ERROR_PARSE          it is no image, or a damaged one
 *   - #LIVERY_ERROR_CLOSED         the store was closed
 *   - any other of livery_edit()
 *
 * Threads: any. Does not wait for the network; the first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store       an open store
 * @param url         http: or https:, at most #LIVERY_FETCH_URL_MAX bytes of ASCII, without user and password; a fragment is
 *   left out
 * @param options     NULL for the defaults
 * @param done        the function to call
 * @param user_data   handed to `done`, `progress` and `destroy`
 * @param destroy     called once, after `done`; may be NULL
 * @param[out] fetch  a handle, which ends when `done` has been called; untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only and nothing was ever fetched into it
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `url` or `done` is NULL, the URL is malformed or of another kind, or an option is
 *     unknown, malformed or out of range
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_fetch_start(livery_store *store, const char *url, const livery_fetch_options *options,
                                            livery_fetch_fn done, void *user_data, livery_destroy_fn destroy,
                                            livery_fetch **fetch);

/**
 * Cancel a fetch, also one of livery_fetch_brand_start(): `done` is told #LIVERY_ERROR_CANCELLED, where it would have been told
 * of the outcome, unless that is on its way already. Others that wait for the same URL go on.
 *
 * Threads: any, also from inside `progress`. Never blocks.
 *
 * @param fetch  a fetch, or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it has ended
 * @since 0.1
 */
LIVERY_API livery_status livery_fetch_cancel(livery_fetch *fetch);

/** Receives the outcome of livery_fetch_brand_start(). The report is valid during the call; NULL unless the status says success. */
typedef void (*livery_fetch_brand_fn)(livery_status status, const char *message, livery_value *report, void *user_data);

/**
 * Fetch every remote image of the brand that is in effect, and swap all of them in with one commit.
 *
 * Remote is a variant of a setting `branding.image.…` whose `image` is a URL, or which was fetched before and has a `source`.
 * When it is complete its `image` is the asset, and members tell of it: `source` (the URL), `etag`, `fetched` (a date) and
 * `state` ("ready"). One that cannot be had keeps what it shows and has `state` "ready" if that is an image, "placeholder" if
 * it is `placeholder` of the options, and "failed" else. Watches of `branding.**` hear once, of what has changed; if nothing
 * has, there is no commit. A variant that somebody changes meanwhile is left as it is.
 *
 * The report is an object: `revision` (of the commit, or the present one), `committed` (bool), `ready`, `stale`, `failed` (numbers
 * of images) and `images`, a list of objects `setting`, `index` (of the variant), `url`, `state` ("ready", "stale", "placeholder",
 * "failed") and, as they apply, `image`, `status` (the number of a status) and `message`.
 *
 * `done` and `destroy` are called as by livery_fetch_start(). It is told #LIVERY_OK also if images failed: look at the report.
 * `progress` is told the bytes of all images together.
 *
 * Threads: any. Does not wait for the network; the first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store       an open store
 * @param traits      a device for which the variants that fit it best are fetched, one of each image; NULL for all variants
 * @param options     NULL for the defaults; `kind` has to be 0 or #LIVERY_FETCH_IMAGE
 * @param done        the function to call
 * @param user_data   handed to `done`, `progress` and `destroy`
 * @param destroy     called once, after `done`; may be NULL
 * @param[out] fetch  a handle for livery_fetch_cancel(); untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `done` is NULL, a trait is out of range, or an option is unknown, malformed or out
 *     of range
 *   - any other of livery_list(), livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_fetch_brand_start(livery_store *store, const livery_traits *traits,
                                                  const livery_fetch_options *options, livery_fetch_brand_fn done,
                                                  void *user_data, livery_destroy_fn destroy, livery_fetch **fetch);

/** A field of a request's or an answer's head. */
typedef struct livery_fetch_header {
  const char *name, *value;
} livery_fetch_header;

/** A request that a transport is to make. It is valid during the call. */
typedef struct livery_fetch_request {
  /** The size of this struct in the library, in bytes. */
  size_t struct_size;
  /** http: or https:, absolute, without a fragment. The method is GET. */
  const char *url;
  /** What to send. If there is `Accept-Encoding`, the transport takes the content out of what it is packed in. */
  const livery_fetch_header *headers;
  size_t header_count;
  /** As of the options. */
  const char *ca_file, *proxy;
} livery_fetch_request;

/** A request that is under way: what a transport hands its answer to. */
typedef struct livery_fetch_exchange livery_fetch_exchange;

/**
 * How requests are made: libcurl by default, or an app's own, or none at all for tests.
 *
 * A transport makes each request as it is: it follows no redirect and keeps nothing. It is called on threads of the library,
 * without a lock held, for several requests at once.
 */
typedef struct livery_fetch_transport {
  /** sizeof(livery_fetch_transport) */
  size_t struct_size;
  /**
   * Begin a request. The answer is handed over by livery_fetch_answer(), livery_fetch_receive() and livery_fetch_finish(), from
   * any thread, also from inside. What is returned other than #LIVERY_OK is the end of the request, with the message that
   * livery_error_leave() has left; nothing is handed over then.
   */
  livery_status (*begin)(const livery_fetch_request *request, livery_fetch_exchange *exchange, void *user_data);
  /** Nobody waits for the answer any more: end it soon, with livery_fetch_finish() as ever. May be NULL. */
  void (*cancel)(livery_fetch_exchange *exchange, void *user_data);
} livery_fetch_transport;

/**
 * Exchange the transport of a handle on a store. Requests that are under way go on with theirs.
 *
 * Threads: any. The first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store      an open store
 * @param transport  copied; NULL for libcurl
 * @param user_data  handed to the functions of the transport and to `destroy`
 * @param destroy    called once: when the transport is exchanged or the store is closed, and all its requests have ended, which
 *   may be a moment after livery_close() has returned; or when this fails; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only and nothing was ever fetched into it
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or the transport has no `begin` or is of another size
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_fetch_set_transport(livery_store *store, const livery_fetch_transport *transport,
                                                    void *user_data, livery_destroy_fn destroy);

/**
 * Hand over the head of an answer, once, before anything of its body.
 *
 * Threads: any; calls on one exchange one after another. Never blocks.
 *
 * @param exchange     of livery_fetch_transport.begin()
 * @param http_status  200 to 599
 * @param headers      copied; NULL if there are none
 * @param count        how many, at most 1,000
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CANCELLED         nobody waits for it any more: stop, and call livery_fetch_finish()
 *   - #LIVERY_ERROR_CLOSED            it was finished
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `exchange` or `headers` is NULL, the status or the number is out of range, a name or value
 *     is NULL, or there was a head already
 * @since 0.1
 */
LIVERY_API livery_status livery_fetch_answer(livery_fetch_exchange *exchange, int32_t http_status,
                                             const livery_fetch_header *headers, size_t count);

/**
 * Hand over a piece of the body of an answer.
 *
 * Threads: any; calls on one exchange one after another. Never blocks.
 *
 * @param exchange  of livery_fetch_transport.begin()
 * @param bytes     copied; NULL if there are none
 * @param length    how many
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CANCELLED         nobody waits for it any more: stop, and call livery_fetch_finish()
 *   - #LIVERY_ERROR_INVALID_VALUE     it is larger than may be, or the page of a failure, of which nobody needs more: stop, and call
 *     livery_fetch_finish()
 *   - #LIVERY_ERROR_CLOSED            it was finished
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `exchange` or `bytes` is NULL, `length` is more than there can be, or there was no head yet
 * @since 0.1
 */
LIVERY_API livery_status livery_fetch_receive(livery_fetch_exchange *exchange, const void *bytes, size_t length);

/**
 * End an answer, exactly once for each exchange that `begin` has taken. The exchange ends with it.
 *
 * An answer whose body broke off is ended with #LIVERY_ERROR_NETWORK: what came of it is used where the server lets a transfer
 * be resumed.
 *
 * Threads: any. Never blocks.
 *
 * @param exchange  of livery_fetch_transport.begin()
 * @param status    #LIVERY_OK for an answer that is complete; #LIVERY_ERROR_NETWORK or #LIVERY_ERROR_TIMEOUT, after which it may
 *   be tried again; or another status, after which it is not
 * @param message   one line for people, or NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED            it was finished before
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `exchange` is NULL, or the status is positive
 * @since 0.1
 */
LIVERY_API livery_status livery_fetch_finish(livery_fetch_exchange *exchange, livery_status status, const char *message);

#ifdef __cplusplus
}
#endif

#endif

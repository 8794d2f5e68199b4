/**
 * @file livery/sync.h
 * A device of a fleet: what a console publishes is applied to the store, and what the device has is reported back.
 *
 * A library of its own, liblivery-sync.so, which links libsodium; livery.h does not include it. Requests are made by libcurl,
 * which the first of them loads, and hints are heard by libmosquitto, if they are wanted and it is there.
 *
 *     static void done(livery_status status, const char *message, livery_value *report, void *user_data) {
 *       if (status != LIVERY_OK) fprintf(stderr, "%s\n", message);
 *     }
 *
 *     livery_sync_enroll_start(store, "livery:1?u=https…", NULL, done, NULL, NULL, NULL);    // once
 *     livery_sync *sync;
 *     livery_sync_start(store, NULL, &sync);                                                // in each run of the program
 *
 * The console says for each setting what is to become of it: `recommend` (layer `recommended`: the operator's choice stays),
 * `replace` (it becomes active now, the operator may change it later), `enforce` (layer `enforced`, locked) or `release`. All
 * of it is one commit together with what the device keeps of it; what does not fit is refused whole, and the console is told
 * why. A device that hears nothing goes on as it is.
 *
 * Everything that is kept is in settings below `sync.`, in the layer `bundle`: no other file, but for `sync.lock`, by which
 * the processes on a store agree who of them asks. One does, whichever was first, and another follows it when it ends or dies.
 * A process that cannot open that file does not ask.
 *
 * docs/sync.md tells the rest, docs/sync-protocol.md what travels.
 */
#ifndef LIVERY_SYNC_H
#define LIVERY_SYNC_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most bytes of an enrollment code, without the NUL and without space around it. */
#define LIVERY_SYNC_CODE_MAX 250
/** The most bytes of a device's name, without the NUL. */
#define LIVERY_SYNC_NAME_MAX 64
/** The most bytes of what an app says of its health, without the NUL. */
#define LIVERY_SYNC_HEALTH_MAX 1024

/** A store that takes part in a fleet, for as long as this process sees to it. */
typedef struct livery_sync livery_sync;

/** Something that was started: an enrollment, a pull or a push. */
typedef struct livery_sync_task livery_sync_task;

/**
 * Receives the end of what was started, on the store's watcher thread or in livery_dispatch(). It may call anything.
 *
 * `message` is one line for people, never NULL: what went wrong and what to do; "" if nothing did. `report` is valid during
 * the call, and NULL unless the status says success:
 *
 *   - of an enrollment what livery_sync_status() gives;
 *   - of a pull and of a push what livery_settings() gives, `{"Version", "Values"}`, without what is below `sync.`.
 */
typedef void (*livery_sync_fn)(livery_status status, const char *message, livery_value *report, void *user_data);

/** Bits of livery_sync_options.flags. */
enum {
  /** Call `done` and check functions from livery_dispatch() alone, for programs with a main loop, in place of the watcher
      thread. */
  LIVERY_SYNC_DISPATCH = 1 << 0
};

/** How to take part. Zero in any member means its default. */
typedef struct livery_sync_options {
  /** sizeof(livery_sync_options) */
  size_t struct_size;
  /** A sum of `LIVERY_SYNC_*` bits. */
  uint32_t flags;
  /** What people call the device, up to #LIVERY_SYNC_NAME_MAX bytes of UTF-8; for an enrollment alone. NULL for none. */
  const char *name;
  /** The app that documents are taken for, beside those for every app: 1 to 32 of `a` to `z`, `0` to `9`, `-` and `_`. The store
      keeps it until the device leaves the fleet. NULL for the one that was named last; without any, those for every app alone. */
  const char *scope;
  /** A file of certificates in the form PEM that servers and brokers are verified with, in place of the system's. What is given
      with an enrollment is kept for later, with its absolute path. */
  const char *ca_file;
  /** A proxy for HTTP, such as "http://proxy:3128"; "" for none; NULL for what the environment says (`https_proxy`,
      `no_proxy`). What is given with an enrollment is kept for later. */
  const char *proxy;
  /** The broker of hints, "mqtt://host" or "mqtts://host:8883" and nothing behind it; NULL for none: changes are found by asking
      every so often. */
  const char *broker;
  /** Who the broker is told that this is, 1 to 256 bytes; NULL for nobody. The password is the first line of a file, which each
      attempt to connect reads; NULL for none, and NULL without a user. */
  const char *broker_user, *broker_password_file;
  /** How long an enrollment, a pull or a push may take, in milliseconds; default 60,000; at most 86,400,000. */
  uint32_t timeout_ms;
} livery_sync_options;

/** The defaults. */
#define LIVERY_SYNC_OPTIONS_INIT { sizeof(livery_sync_options), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

/**
 * Join a fleet, with a code that its console has made.
 *
 * The device makes a key, which stays in the store as the secret setting `sync.key`, and tells the console its public half. If
 * the answer is lost, the same code may be given again. Nothing is applied by that: livery_sync_start() or
 * livery_sync_pull_start() does it.
 *
 * `done` is called exactly once, and `destroy` once after it: on the watcher thread, or in livery_dispatch(). When the store is
 * closed first, `done` is told #LIVERY_ERROR_CLOSED, on the thread that closes it. When starting fails it is told the same
 * status on this thread, before this function returns.
 *
 * What `done` is told:
 *
 *   - #LIVERY_ERROR_PARSE        the text is no enrollment code, or was not read or typed as it is
 *   - #LIVERY_ERROR_REFUSED      the code has expired, was used before, or is of another fleet: the message says which; or the
 *     server's certificate is not good
 *   - #LIVERY_ERROR_CONFLICT     the device is of a fleet already: livery_sync_leave() comes first
 *   - #LIVERY_ERROR_NETWORK      the server cannot be found or reached, or its answer broke off
 *   - #LIVERY_ERROR_TIMEOUT      the time was over
 *   - #LIVERY_ERROR_UNAVAILABLE  the server cannot answer now, or there is no libcurl: the message says what to install
 *   - #LIVERY_ERROR_CANCELLED    livery_sync_cancel() came first
 *   - #LIVERY_ERROR_CLOSED       the store was closed
 *   - any other of livery_edit()
 *
 * Threads: any. Does not wait for the network; the first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store      an open store
 * @param code       as the console shows it; space around it is passed over
 * @param options    NULL for the defaults
 * @param done       the function to call
 * @param user_data  handed to `done` and `destroy`
 * @param destroy    called once, after `done`; may be NULL
 * @param[out] task  a handle for livery_sync_cancel(), which ends when `done` has been called; untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store`, `code` or `done` is NULL, or an option is unknown, malformed or out of range
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_enroll_start(livery_store *store, const char *code, const livery_sync_options *options,
                                                  livery_sync_fn done, void *user_data, livery_destroy_fn destroy,
                                                  livery_sync_task **task);

/**
 * Take part in the fleet until livery_sync_stop(): ask for what is published, hear hints, apply, report.
 *
 * It may be called before the device is enrolled, and goes on over livery_sync_leave(): there is nothing to do then. Several
 * processes may call it on a store, and one of them asks; so may one process more than once: what the first one says in its
 * options holds until all of them have stopped.
 *
 * Threads: any. Does not wait for the network; the first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store      an open store
 * @param options    NULL for the defaults
 * @param[out] sync  a handle, to be ended with livery_sync_stop(), before or after the store is closed; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `sync` is NULL, or an option is unknown, malformed or out of range
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_start(livery_store *store, const livery_sync_options *options, livery_sync **sync);

/**
 * End what livery_sync_start() began. What is in effect stays.
 *
 * What is being committed is finished after that, and a request that is under way is given up.
 *
 * Threads: any. Never blocks.
 *
 * @param sync  of livery_sync_start(), or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it has ended
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_stop(livery_sync *sync);

/**
 * Pull: ask now for what is published, and apply it.
 *
 * It is made by whichever process takes part in the fleet, or by this one if none does. `done` is called as by
 * livery_sync_enroll_start(), once all that is published is in effect; also if there was nothing new. It is told
 *
 *   - #LIVERY_ERROR_NOT_FOUND      the device is of no fleet
 *   - #LIVERY_ERROR_REFUSED        what is published cannot be trusted or used; what is in effect stays
 *   - #LIVERY_ERROR_INVALID_VALUE  a value does not fit, and nothing of it is done; the message says which
 *   - #LIVERY_ERROR_BUSY, #LIVERY_ERROR_NO_SPACE  the store could not take it now; it is tried again
 *   - #LIVERY_ERROR_CONFLICT       something that is not the console's is on trial; it is tried again once that has ended
 *   - #LIVERY_ERROR_NETWORK, #LIVERY_ERROR_TIMEOUT, #LIVERY_ERROR_UNAVAILABLE, #LIVERY_ERROR_CANCELLED, #LIVERY_ERROR_CLOSED as
 *     by livery_sync_enroll_start()
 *
 * Threads: any. Does not wait for the network; the first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store      an open store
 * @param options    NULL for the defaults
 * @param done       the function to call
 * @param user_data  handed to `done` and `destroy`
 * @param destroy    called once, after `done`; may be NULL
 * @param[out] task  a handle for livery_sync_cancel(); untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `done` is NULL, or an option is unknown, malformed or out of range
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_pull_start(livery_store *store, const livery_sync_options *options, livery_sync_fn done,
                                                void *user_data, livery_destroy_fn destroy, livery_sync_task **task);

/**
 * Push: report now what the device has, however lately it has reported.
 *
 * `done` is called as by livery_sync_pull_start(), once the console has the report.
 *
 * Threads: any. Does not wait for the network; the first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store      an open store
 * @param options    NULL for the defaults
 * @param done       the function to call
 * @param user_data  handed to `done` and `destroy`
 * @param destroy    called once, after `done`; may be NULL
 * @param[out] task  a handle for livery_sync_cancel(); untouched on failure; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `done` is NULL, or an option is unknown, malformed or out of range
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_push_start(livery_store *store, const livery_sync_options *options, livery_sync_fn done,
                                                void *user_data, livery_destroy_fn destroy, livery_sync_task **task);

/**
 * Wait no longer for what was started: `done` is told #LIVERY_ERROR_CANCELLED, unless its outcome is on its way already.
 *
 * A request for enrollment may have arrived all the same.
 *
 * Threads: any. Never blocks.
 *
 * @param task  a handle of an enrollment, a pull or a push, or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it has ended
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_cancel(livery_sync_task *task);

/**
 * What is known of the device and its fleet, from any process.
 *
 * An object:
 *
 *   - `enrolled` (bool); without it there is nothing else but `state` "none"
 *   - `fleet`, `url`, `device` (the id), `key` (the public half, data), `name` (if it has one), `since` (date)
 *   - `state`: "running" if a process takes part, "stopped" if none does, "damaged" if what is kept of the fleet cannot be read;
 *     `process`, its number
 *   - `keys`: the version of the key document, if there is one; `keysExpire` (date)
 *   - `channels`: a list of objects `name`, `version`, `expires` (date)
 *   - `documents`: a list of objects `name`, `hash` (text), `channel` and `verdict`: "applied", "scheduled", "passed-over",
 *     "refused", "unusable", and as long as it is on trial "trial"; `author` and `comment` (text) if the manifest has them
 *   - `violations`: a list of objects `name`, `message`, if it was refused
 *   - `asked`, `taken` (dates): when the server was asked last, and when it last had what can be trusted; `next` (date): when it
 *     is asked again; as far as it is known
 *   - `problem`, if any: an object `reason` (the word of reports, "damaged", "sealed": whoever tried to take part last cannot open
 *     the device's key, or "barred": this process cannot open `sync.lock`), `message`, and `advice`: what to do
 *   - `reported` (int): the number of the last report that has arrived; `outbox` (int): 1 if there is something to report
 *   - `trial`: an object `until` (date) and `checks` (a list of texts: those that have not said yes, if any is asked), as long
 *     as something is on trial
 *   - `hints`: "off", "connected" or "disconnected", while a process takes part; `hintsProblem` (text): why it is disconnected, as
 *     far as that is known
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store       an open store
 * @param[out] value  an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              all reader slots are taken
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_status(livery_store *store, livery_value **value);

/**
 * Decides whether what is on trial is well: returns #LIVERY_OK for yes, #LIVERY_ERROR_BUSY for not yet, so that it is asked
 * again, and any other status for no, with the message that livery_error_leave() has left: it goes back at once.
 *
 * It is called on the store's watcher thread, or in livery_dispatch(), and may call anything.
 */
typedef livery_status (*livery_sync_check_fn)(const char *name, void *user_data);

/**
 * Provide a check that documents on trial may ask for by its name.
 *
 * A document may be put on trial by its console: what it changes goes back by itself, unless it is confirmed in time. If it
 * names a check, that decides: it is called a moment after the commit, and every second until it says yes or no, in each
 * process that provides it; the first answer counts. Nobody who says yes in time means that it goes back, also if no process
 * provides the check. If it names none, it is confirmed once the server has been reached after the commit: what it changes
 * has not cut the device off. Documents whose trials begin together are one change: all that they ask for has to come true, in
 * the shortest of their times.
 *
 * Threads: any. The first call on a handle waits for other writers, at most `busy_timeout_ms`.
 *
 * @param store      an open store
 * @param name       1 to 32 of `a` to `z`, `0` to `9`, `-` and `_`, the first one a letter or a digit
 * @param flags      0 or #LIVERY_SYNC_DISPATCH
 * @param check      called as long as the store is open, in place of a former one of the name; NULL to remove that
 * @param user_data  handed to `check` and `destroy`
 * @param destroy    called once: when the check is exchanged or removed, the store is closed, or this fails; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had, or another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `name` is NULL, the name is none, or a flag is unknown
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_set_check(livery_store *store, const char *name, uint32_t flags,
                                               livery_sync_check_fn check, void *user_data, livery_destroy_fn destroy);

/**
 * Say how the app is, for the next report: one line for whoever looks at the fleet. Any text but NULL and "" says that it is
 * not well: a rollout stops by itself if too many devices are not.
 *
 * It is kept in the setting `sync.health` until something else is said.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store   an open store
 * @param health  up to #LIVERY_SYNC_HEALTH_MAX bytes of UTF-8, of which line breaks and other controls are told as a space; NULL,
 *                "" or nothing but those for well
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or the text is too long or no UTF-8
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_health(livery_store *store, const char *health);

/**
 * Leave the fleet: what the console has set is taken back, and the key and all that was kept of the fleet goes, in one commit. What of
 * it was on trial ends with that; the end of the trial is a commit of its own.
 * The operator's own values stay as they are. The console is not told; it hears nothing any more. Of a device that is of no
 * fleet nothing is changed.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL
 *   - any other of livery_claim() and livery_watch_start()
 * @since 0.1
 */
LIVERY_API livery_status livery_sync_leave(livery_store *store);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file livery/watch.h
 * Be told of changes.
 *
 * Every commit leaves an entry in the store's log: its revision, time, layer and origin, and for each setting whose
 * effective value or writability changed, from what to what. The log is bounded by number, age and bytes; see
 * livery_open_options. A watch follows the log. Processes wake each other without a daemon; if a wake-up is lost, as when
 * a writer dies right after its commit, watches find the change within a second.
 */
#ifndef LIVERY_WATCH_H
#define LIVERY_WATCH_H

#include "change.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A watch; see the file's comment. */
typedef struct livery_watch livery_watch;

/** What an event tells. The numbers are pinned for ever. */
typedef int32_t livery_event_kind;
enum {
  /** The effective value changed: `old_value` and `new_value` say from what to what, NULL for no value. */
  LIVERY_EVENT_CHANGED = 1,
  /** The value stayed, and weaker layers were locked or unlocked: `writable` says which. */
  LIVERY_EVENT_WRITABILITY = 2,
  /** A schema was applied; changes of values that it brought follow as events of their own. No name. */
  LIVERY_EVENT_SCHEMA = 3,
  /** The effective value changed because a value's time was over. If nobody has committed that yet, as in a process that
      only reads, the revision is the present one; the commit is not told again. */
  LIVERY_EVENT_EXPIRED = 4,
  /** Changes were missed, since the log has been trimmed past them, or sealed values can be opened from now on: read anew
      what you watch. No name. */
  LIVERY_EVENT_RESYNC = 5,
  /** The present value, at the start of a watch with #LIVERY_WATCH_INITIAL. */
  LIVERY_EVENT_INITIAL = 6,
  /** A commit is on trial: see livery/trial.h. Told to every watch, whatever it looks at; what it changed follows as events of
      their own. No name. */
  LIVERY_EVENT_TRIAL = 7,
  /** What was on trial was confirmed, and stays. Told to every watch. No name. */
  LIVERY_EVENT_CONFIRMED = 8,
  /** What was on trial went back. Told to every watch; what that changed follows as events of their own. If nobody has
      committed that yet, as in a process that only reads, the revision is the present one; the commit is not told again. No
      name. */
  LIVERY_EVENT_REVERTED = 9
};

/** One event. It, its texts and its values are valid during the call; livery_value_retain() what is to be kept. */
typedef struct livery_event {
  /** The commit that it belongs to. */
  uint64_t revision;
  /** When that commit was made, in microseconds since 1970-01-01T00:00:00Z. */
  int64_t time;
  /** One of `LIVERY_EVENT_*`. */
  livery_event_kind kind;
  /** The layer that was changed. */
  livery_layer layer;
  /** The setting, or NULL. */
  const char *name;
  /** The effective values before and after, or NULL for none. The log forgets the values of a secret that is reset: then
      `old_value` is NULL, and `new_value` of a commit before that is what is in effect now. */
  livery_value *old_value, *new_value;
  /** The origin of the commit; "" if it has none. */
  const char *origin;
  /** Whether layers beneath `enforced` may be changed. */
  bool writable;
  /** Whether the setting is declared secret, or was before the commit: its values are not for everyone's eyes. */
  bool secret;
  /** Whether a value is not told since it is sealed and cannot be opened here; see livery_set_sealer(). */
  bool unavailable;
} livery_event;

/** Receives the events of one commit, in the order of its edits, or of several if they were coalesced. */
typedef void (*livery_watch_fn)(const livery_event *events, size_t count, void *user_data);

/** Bits of livery_watch_options.flags. */
enum {
  /** Begin with the present values, as events of the kind #LIVERY_EVENT_INITIAL. */
  LIVERY_WATCH_INITIAL = 1 << 0,
  /** Call from livery_dispatch() alone, for programs with a main loop, in place of the watcher thread. */
  LIVERY_WATCH_DISPATCH = 1 << 1
};

/** How to watch. Zero in any member means its default. */
typedef struct livery_watch_options {
  /** sizeof(livery_watch_options) */
  size_t struct_size;
  /** A sum of `LIVERY_WATCH_*` bits. */
  uint32_t flags;
  /** The least time between two calls, in milliseconds. Changes of one setting that fall together are told as one, from
      the first old value to the last new one: as #LIVERY_EVENT_WRITABILITY where only the lock is another one than before,
      and not at all where nothing is. Of schemas the last is told, and of trials what became of the last one. */
  uint32_t min_interval_ms;
} livery_watch_options;

/** The defaults. */
#define LIVERY_WATCH_OPTIONS_INIT { sizeof(livery_watch_options), 0, 0 }

/**
 * Watch settings: be called after every commit, of any process, that changes the effective value or the writability of
 * one of them.
 *
 * The calls come in the order of revisions; none is missed. If the log is trimmed before a slow watcher has read it,
 * the watcher gets #LIVERY_EVENT_RESYNC in place of what it missed. An alias is watched as the setting it stands for,
 * also if a schema makes the name one, or no longer does, while the watch goes on.
 *
 * The function is called by the watcher thread, one thread for all watches of the process on a store, or with
 * #LIVERY_WATCH_DISPATCH by whoever calls livery_dispatch(). It is called outside of every lock and transaction, and
 * may call anything, livery_watch_stop() and livery_close() of its own store included. While it runs no other call to
 * it is made. What it does delays the other watches of the process on that store, and nobody else. It has to return: one
 * that ends the watcher thread with pthread_exit() is not called again for the same events, and another thread goes on,
 * with an error to the log handler; out of livery_dispatch(), or by longjmp() or an exception, it must not leave.
 *
 * When a value's time is over, a watch of a handle that may write commits that; one of a handle for reading alone is told
 * of it all the same, and commits nothing.
 *
 * Threads: any. Does not wait for a writer.
 *
 * @param store        an open store
 * @param pattern      which settings; see livery_list(); NULL for all
 * @param options      NULL for the defaults
 * @param function     the function to call
 * @param user_data    handed to `function` and `destroy`
 * @param destroy      called once after the last call, or when starting fails; may be NULL
 * @param[out] watch   a handle: stop it with livery_watch_stop(), or let livery_close() do it; untouched on
 *   failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the pattern is malformed, or an option is unknown
 * @since 0.1
 */
LIVERY_API livery_status livery_watch_start(livery_store *store, const char *pattern,
                                            const livery_watch_options *options, livery_watch_fn function,
                                            void *user_data, livery_destroy_fn destroy, livery_watch **watch);

/**
 * Stop a watch.
 *
 * A call under way in another thread finishes; none begins afterwards. `destroy` runs when the last call has returned:
 * before this function returns, or after that call.
 *
 * Threads: any, also from inside the function. Does not wait.
 *
 * @param watch  a watch, or NULL for nothing to happen
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_watch_stop(livery_watch *watch);

/**
 * Pause a watch, or let it go on.
 *
 * A watch that is paused costs nothing: with no other watch the watcher thread ends, and the process is not woken. A call
 * under way finishes, and one that is just beginning may come; then none begins until the watch goes on. What was changed
 * meanwhile is told then, as to any slow watcher: in the order of revisions, or as #LIVERY_EVENT_RESYNC if the log has been
 * trimmed past it. For a screen that is dark, or a page that nobody has open.
 *
 * Threads: any, also from inside the function. Does not wait.
 *
 * @param watch   a watch that was started
 * @param paused  true: tell nothing for the time being; false: go on; the same as before: nothing happens
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              it is to go on, and no thread can be had
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `watch` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_watch_pause(livery_watch *watch, bool paused);

/**
 * A descriptor that becomes readable when livery_dispatch() has something to do.
 *
 * For poll, epoll, GLib, libuv, asyncio. It belongs to the store and is closed with it; do not read from it or close
 * it.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store             an open store
 * @param[out] descriptor   untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_IO                no descriptor can be had
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_event_fd(livery_store *store, int *descriptor);

/**
 * Call the functions of the store's watches with #LIVERY_WATCH_DISPATCH, as far as there are events for them, and before
 * them, once each, what livery_post() was given by then to run here.
 *
 * Returns when there are no events left at the moment; call it again when the descriptor is readable.
 *
 * Threads: any. While a thread is inside, another one, and a function that it calls, finds nothing to do: events that come
 * meanwhile are told by the first, and what is posted meanwhile runs in the next call, for which the descriptor is readable.
 *
 * @param store        an open store
 * @param[out] count   the number of calls made; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_dispatch(livery_store *store, size_t *count);

/** A function that is to run once. */
typedef void (*livery_post_fn)(void *user_data);

/** Bits of the flags of livery_post(). */
enum {
  /** Run it in livery_dispatch(), in place of the watcher thread. */
  LIVERY_POST_DISPATCH = 1 << 0
};

/**
 * Have a function run once on the watcher thread, between the calls of watches, or in livery_dispatch().
 *
 * What was posted runs in its order, one after the other, outside of every lock and transaction, and may call anything; like
 * the function of a watch it has to return. What is posted while it runs comes in the next round. It does not run if the store is closed
 * before its turn: then `destroy` alone is called.
 *
 * Threads: any, also from inside such functions. Does not wait.
 *
 * @param store      an open store
 * @param flags      a sum of `LIVERY_POST_*` bits
 * @param function   the function to run
 * @param user_data  handed to `function` and `destroy`
 * @param destroy    called once: after the function has returned, when the store is closed before, or when posting fails;
 *   may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `function` is NULL, or a flag is unknown
 * @since 0.1
 */
LIVERY_API livery_status livery_post(livery_store *store, uint32_t flags, livery_post_fn function, void *user_data,
                                     livery_destroy_fn destroy);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file livery/session.h
 * Who is logged in at this device: one session for all processes on a store.
 *
 * Part of liblivery-workflow.so; livery.h does not include it.
 *
 *     static void fetch(livery_session_fetch *fetch, const livery_session_info *info, const char *token, size_t length,
 *                       void *user_data) {
 *       ask_the_server_who_this_is(token, length, fetch);   // which ends with livery_session_answer(fetch, LIVERY_OK, user)
 *     }
 *
 *     static void ready(livery_status status, const livery_session_info *info, livery_value *user, const char *message,
 *                       void *user_data) {
 *       if (info->state == LIVERY_SESSION_ACTIVE) show_home(user); else show_login();
 *     }
 *
 *     livery_session_bootstrap(store, NULL, fetch, ready, NULL, NULL);
 *     …
 *     livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
 *     options.token = token;
 *     options.token_length = LIVERY_ZERO_TERMINATED;
 *     livery_session_login(store, user, &options);
 *
 * What is where:
 *
 *   - The *user*, any value the app likes, is in the memory of processes alone: of the one that logged in, and of those whose
 *     function fetched it.
 *   - The *token* is the setting `session.token` in the layer `session`, a secret.
 *   - The *session* itself is the setting `session.current` in the layer `session`: an object `id`, `since` and, if it ends by
 *     itself, `expires`. It owns that layer: what was in it before goes with a login, and everything in it goes with the end.
 *   - How the last one ended stays behind as `session.last` in the layer `user`.
 *
 * Only these functions set what is below `session.`; watches see it, so that programs without this library hear, too.
 *
 * Each transition is one commit: all processes see it whole, or not at all. The app makes them; nothing logs in by itself. Only the
 * time that livery_session_login() was told ends a session without anybody's doing: from that moment on none of its values counts
 * in any process, whether one is running that could notice or not (livery_change_session_ends()). A value of a setting of which
 * the schema says `"Survives": ["logout"]` stays.
 *
 * docs/workflow.md has the diagram of the states, and tells the rest.
 */
#ifndef LIVERY_SESSION_H
#define LIVERY_SESSION_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The bytes of a session's id, without the NUL. */
#define LIVERY_SESSION_ID_SIZE 32

/** The most bytes of a token. */
#define LIVERY_SESSION_TOKEN_MAX 65536

/** States, as this process knows them. The numbers are pinned for ever. */
enum {
  /** This process has not been through livery_session_bootstrap() yet. */
  LIVERY_SESSION_UNKNOWN = 0,
  /** Nobody is logged in. */
  LIVERY_SESSION_NONE = 1,
  /** Somebody is. */
  LIVERY_SESSION_ACTIVE = 2,
  /** Somebody was, and did not log out: `reason` says what ended it. */
  LIVERY_SESSION_EXPIRED = 3
};

/** Why the state is what it is. The numbers are pinned for ever. */
enum {
  /** Nobody has logged in yet. */
  LIVERY_SESSION_NEVER = 0,
  /** livery_session_login() */
  LIVERY_SESSION_LOGIN = 1,
  /** livery_session_logout() */
  LIVERY_SESSION_LOGOUT = 2,
  /** Its time was over. */
  LIVERY_SESSION_TIME = 3,
  /** livery_session_expire() */
  LIVERY_SESSION_EXPIRE = 4,
  /** The function that fetches the user was told that the token is no longer good. */
  LIVERY_SESSION_REFUSED = 5,
  /** Somebody has emptied the layer `session`, or restored a backup. */
  LIVERY_SESSION_REMOVED = 6
};

/** What is known of the session. */
typedef struct livery_session_info {
  /** sizeof(livery_session_info), set by whoever has it filled; in callbacks that of the library. */
  size_t struct_size;
  /** One of `LIVERY_SESSION_UNKNOWN` to `LIVERY_SESSION_EXPIRED`. */
  int32_t state;
  /** One of `LIVERY_SESSION_NEVER` to `LIVERY_SESSION_REMOVED`; of a state that is unknown #LIVERY_SESSION_NEVER. */
  int32_t reason;
  /** Tells the session from all others, drawn at its login: hexadecimal digits. Also of one that is over; "" if there was none. */
  char id[LIVERY_SESSION_ID_SIZE + 1];
  /** Whether it has a token. */
  bool has_token;
  /** Whether this process has its user: livery_session_current() gives it. */
  bool has_user;
  /** When it began: microseconds since 1970-01-01T00:00:00Z; 0 if there was none. */
  int64_t since;
  /** When it ends by itself, or was to; 0 for never. */
  int64_t expires;
} livery_session_info;

/** All members zero but the size. */
#define LIVERY_SESSION_INFO_INIT { sizeof(livery_session_info), 0, 0, {0}, false, false, 0, 0 }

/** A request for the user of a session, to be answered by livery_session_answer(). */
typedef struct livery_session_fetch livery_session_fetch;

/** Is told of changes, by livery_session_watch_start(). */
typedef struct livery_session_watch livery_session_watch;

/** Bits of livery_session_options.flags. */
enum {
  /** Call functions from livery_dispatch() alone, for programs with a main loop, in place of the watcher thread. */
  LIVERY_SESSION_DISPATCH = 1 << 0,
  /** Of livery_session_watch_start(): begin with the present state. */
  LIVERY_SESSION_INITIAL = 1 << 1
};

/** How to call functions. Zero in any member means its default. */
typedef struct livery_session_options {
  /** sizeof(livery_session_options) */
  size_t struct_size;
  /** A sum of `LIVERY_SESSION_*` bits. */
  uint32_t flags;
} livery_session_options;

/** The defaults. */
#define LIVERY_SESSION_OPTIONS_INIT { sizeof(livery_session_options), 0 }

/**
 * Fetches the user of a session that another process has begun, or this one in an earlier life.
 *
 * It asks whoever knows, in its own time and on any thread, and answers with livery_session_answer(), once for each call.
 * `info` and `token` are valid during the call; `token` ends with NUL, and is NULL for a session without one. It is called on the
 * store's watcher thread, or in livery_dispatch(); one call at a time is unanswered, unless the session has become another
 * meanwhile. It may call anything.
 */
typedef void (*livery_session_fetch_fn)(livery_session_fetch *fetch, const livery_session_info *info, const char *token,
                                        size_t length, void *user_data);

/**
 * Receives the outcome of livery_session_bootstrap(), once.
 *
 * `status` is #LIVERY_OK once the state is known, or why not; `user` is NULL unless there is one, and valid during the call, as is
 * `info`; `message` is one line for people, "" if all is well. It may call anything.
 */
typedef void (*livery_session_fn)(livery_status status, const livery_session_info *info, livery_value *user,
                                  const char *message, void *user_data);

/** Is told the state after a change. `info` and `user`, which may be NULL, are valid during the call. It may call anything. */
typedef void (*livery_session_watch_fn)(const livery_session_info *info, livery_value *user, void *user_data);

/**
 * Find out, once in each process, who is logged in.
 *
 * If a session is active, `fetcher` is asked for its user, and asked again whenever another process logs somebody in or updates
 * the user. Without a `fetcher` the user of sessions that began elsewhere is not known. `done` is called exactly once:
 *
 *   - with #LIVERY_OK, and a state other than unknown; of an active session with the user, if there is a `fetcher`.
 *   - with the status that the fetcher has answered, such as #LIVERY_ERROR_NETWORK: the session is active all the same, and its
 *     user is not known. Calling livery_session_bootstrap() again asks again. But #LIVERY_ERROR_REFUSED ends the session, in all processes:
 *     the state is then expired, and `done` is told #LIVERY_OK.
 *   - with #LIVERY_ERROR_UNAVAILABLE if the token is sealed and cannot be opened here, or another status if it cannot be read: the
 *     `fetcher` is not asked, and all else is as for what it has answered.
 *   - with #LIVERY_ERROR_CLOSED when the store was closed first.
 *   - with any status of livery_edit() if the store could not be read or changed.
 *
 * `destroy` is called once after the last call of both: when the store is closed, or after `done` without a `fetcher`, or after the
 * next successful call of this function. If this function fails, `done` is told so on this thread before it returns.
 *
 * A session that has ended while no process was there to hear of it is found as expired.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk, at the first call on a store.
 *
 * @param store      an open store
 * @param options    NULL for the defaults
 * @param fetcher    may be NULL
 * @param done       the function to call
 * @param user_data  handed to `fetcher`, `done` and `destroy`
 * @param destroy    may be NULL
 * @return #LIVERY_OK if `done` is to be called later, or
 *   - #LIVERY_ERROR_CONFLICT          it is done already, or under way; or somebody else has claimed `session.`
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `done` is NULL, or an option is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_session_bootstrap(livery_store *store, const livery_session_options *options,
                                                  livery_session_fetch_fn fetcher, livery_session_fn done,
                                                  void *user_data, livery_destroy_fn destroy);

/**
 * Answer a request for the user of a session.
 *
 * #LIVERY_ERROR_REFUSED says that the token is no longer good: the session ends, in all processes. Any other failure leaves it as
 * it is, without a user here: `done` is told the message that livery_error_leave() has left for that status. An answer that comes when the session has become another is passed over. Without an answer until
 * the store is closed the request ends then.
 *
 * Threads: any, also from within the request. After #LIVERY_ERROR_REFUSED it waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param fetch   the request; it has ended when this returns
 * @param status  #LIVERY_OK, or why there is no user: any negative number
 * @param user    the user, of which a copy is kept; NULL if there is none
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED            it was answered, or the store was closed
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `fetch` is NULL, or `status` is positive, or #LIVERY_OK without a user
 * @since 0.1
 */
LIVERY_API livery_status livery_session_answer(livery_session_fetch *fetch, livery_status status, livery_value *user);

/** Bits of livery_session_login_options.flags. */
enum {
  /** End a session that is active, in the same commit. */
  LIVERY_SESSION_REPLACE = 1 << 0
};

/** What livery_session_update() is told for a session that is not to end by itself any more. */
#define LIVERY_SESSION_ENDLESS INT64_MAX

/** What belongs to a session. Zero in any member means its default. */
typedef struct livery_session_login_options {
  /** sizeof(livery_session_login_options) */
  size_t struct_size;
  /** A sum of bits; 0 at livery_session_update(). */
  uint32_t flags;
  /** The token, UTF-8; NULL for none, and at livery_session_update() for the one that there is. */
  const char *token;
  /** How many bytes of it, at most #LIVERY_SESSION_TOKEN_MAX; #LIVERY_ZERO_TERMINATED for all up to a NUL. */
  size_t token_length;
  /** When the session ends by itself: microseconds since 1970-01-01T00:00:00Z, in the future. 0 for never, and at
      livery_session_update() for as it was; #LIVERY_SESSION_ENDLESS for never. */
  int64_t expires;
} livery_session_login_options;

/** The defaults. */
#define LIVERY_SESSION_LOGIN_OPTIONS_INIT { sizeof(livery_session_login_options), 0, NULL, 0, 0 }

/**
 * Log somebody in: all values of the layer `session` go that do not survive, and the session begins, in one commit.
 *
 * From here on what is set in that layer is the session's. Other processes hear of it, and ask their function for the user.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store    an open store, on which livery_session_bootstrap() is done
 * @param user     who it is: any value; a copy is kept in memory, for this process
 * @param options  NULL for the defaults
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CONFLICT          a session is active: log out first, or say #LIVERY_SESSION_REPLACE; or
 *     livery_session_bootstrap() is not done
 *   - #LIVERY_ERROR_INVALID_VALUE     the time to end has passed, or is outside the years 1 to 9999; or the token is too long
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `user` is NULL, the token is no UTF-8 or has a NUL, or an option is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_session_login(livery_store *store, livery_value *user,
                                              const livery_session_login_options *options);

/**
 * Change what belongs to the active session: its user, its token, its end.
 *
 * Another user or token makes other processes ask their function for the user again. A token that takes the place of another is
 * forgotten like that of a session that ends, see livery_session_logout().
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store    an open store, on which livery_session_bootstrap() is done
 * @param user     a copy is kept; NULL for as it was
 * @param options  NULL for all as it was
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CONFLICT          no session is active, or livery_session_bootstrap() is not done
 *   - #LIVERY_ERROR_INVALID_VALUE     the time to end has passed, or is outside the years 1 to 9999; or the token is too long
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, the token is no UTF-8 or has a NUL, or an option is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_session_update(livery_store *store, livery_value *user,
                                               const livery_session_login_options *options);

/**
 * Log out: user, token and everything in the layer `session` that does not survive go in one commit.
 *
 * Then the token is forgotten (livery_forget()): the file is replaced, and the store's own backups lack it. If that fails, it is done
 * by another process that is through livery_session_bootstrap(). A snapshot that is open meanwhile keeps the former file, and
 * backups elsewhere stay as they are. What is locked or read-only is no obstacle. Where nobody is logged in it does nothing; a
 * session that has expired becomes one that was logged out.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms` each time, and for the disk.
 *
 * @param store  an open store, on which livery_session_bootstrap() is done
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CONFLICT          livery_session_bootstrap() is not done
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_session_logout(livery_store *store);

/**
 * End the session as expired, such as when a server says that its token is no longer good. All else is as at
 * livery_session_logout().
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms` each time, and for the disk.
 *
 * @param store  an open store, on which livery_session_bootstrap() is done
 * @return #LIVERY_OK, also if it had expired before, or
 *   - #LIVERY_ERROR_CONFLICT          nobody is logged in, or livery_session_bootstrap() is not done
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_session_expire(livery_store *store);

/**
 * Give the user of the active session, as this process knows it.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store      an open store
 * @param[out] user  release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          nobody is logged in, or this process does not know who
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_session_current(livery_store *store, livery_value **user);

/**
 * Tell the state, as it is now.
 *
 * It is read from the store, by the clock: a session whose time is over is expired, whoever has heard of it.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store      an open store
 * @param[out] info  begin with LIVERY_SESSION_INFO_INIT; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or `struct_size` is none
 * @since 0.1
 */
LIVERY_API livery_status livery_session_state(livery_store *store, livery_session_info *info);

/**
 * Hear of changes: of the state, its reason, the session, its end, or the user as this process knows it.
 *
 * Transitions of all processes are told, the latest state always; what comes in quick succession may be told as one. Before
 * livery_session_bootstrap() is done the state is unknown, and there is nothing to tell.
 *
 * `destroy` is called once after the last call, also when the store is closed or this function fails.
 *
 * Threads: any. `function` is called on the store's watcher thread, or in livery_dispatch().
 *
 * @param store       an open store
 * @param options     NULL for the defaults
 * @param function    the function to call
 * @param user_data   handed to `function` and `destroy`
 * @param destroy     may be NULL
 * @param[out] watch  for livery_session_watch_stop(); may be NULL: it then lasts until the store is closed
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_BUSY              no thread can be had
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `function` is NULL, or an option is out of range
 * @since 0.1
 */
LIVERY_API livery_status livery_session_watch_start(livery_store *store, const livery_session_options *options,
                                                    livery_session_watch_fn function, void *user_data,
                                                    livery_destroy_fn destroy, livery_session_watch **watch);

/**
 * Stop hearing of changes: no call begins after this returns.
 *
 * Threads: any, also from within a call. Waits for a call under way on another thread.
 *
 * @param watch  NULL is fine
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  it was stopped, or the store was closed
 * @since 0.1
 */
LIVERY_API livery_status livery_session_watch_stop(livery_session_watch *watch);

#ifdef __cplusplus
}
#endif

#endif

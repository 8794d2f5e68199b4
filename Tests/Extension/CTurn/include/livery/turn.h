/**
 * @file livery/turn.h
 * Take turns: who wants to be the only one at something stands in a line that the store keeps.
 *
 * A line is a list of names, the setting `turn.<line>` in the layer `user`; the namespace `turn.` is claimed. All processes
 * on a store stand in the same lines.
 */
#ifndef LIVERY_TURN_H
#define LIVERY_TURN_H

#include <livery.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Statuses of its own. */
enum {
  /** The line was left before the turn came. */
  LIVERY_TURN_ERROR_CANCELLED = -1001,
  /** Somebody else has taken the name out of the line. */
  LIVERY_TURN_ERROR_SENT_AWAY = -1002
};

/** A place in a line. */
typedef struct livery_turn livery_turn;

/** Bits of livery_turn_options.flags. */
enum {
  /** Call from livery_dispatch() alone, in place of the watcher thread. */
  LIVERY_TURN_DISPATCH = 1 << 0
};

/** How to stand in a line. Zero in any member means its default. */
typedef struct livery_turn_options {
  /** sizeof(livery_turn_options) */
  size_t struct_size;
  /** A sum of `LIVERY_TURN_*` bits. */
  uint32_t flags;
} livery_turn_options;

/** The defaults. */
#define LIVERY_TURN_OPTIONS_INIT { sizeof(livery_turn_options), 0 }

/** Is told that the turn has come, with the revision since which that is so, or why it does not come. */
typedef void (*livery_turn_fn)(livery_status status, uint64_t revision, void *user_data);

/**
 * Stand in a line, and be called when it is one's turn: when all who came before have left.
 *
 * `done` is called once: on the watcher thread, or in livery_dispatch(). When the store is closed first it is told
 * #LIVERY_ERROR_CLOSED, on the thread that closes it or before. When starting fails it is told the same status on this
 * thread, before this function returns. `destroy` is called once, after it. The place in the line stays until
 * livery_turn_cancel(), also when its process ends.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store      an open store
 * @param line       1 to 64 bytes of UTF-8 without control characters
 * @param who        1 to 64 bytes of UTF-8, not in the line yet
 * @param options    NULL for the defaults
 * @param done       the function to call
 * @param user_data  handed to `done` and `destroy`
 * @param destroy    called once, after `done`; may be NULL
 * @param[out] turn  a handle: end it with livery_turn_cancel(), or let livery_close() do it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CONFLICT          `who` is in the line already
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, a text is malformed, or an option is unknown
 *   - #LIVERY_ERROR_CLOSED            the store was closed
 *   - #LIVERY_ERROR_FORKED            the store belongs to the parent process: open the store again
 *   - any other of livery_edit(), livery_claim() and livery_watch_start()
 */
LIVERY_API livery_status livery_turn_start(livery_store *store, const char *line, const char *who,
                                           const livery_turn_options *options, livery_turn_fn done, void *user_data,
                                           livery_destroy_fn destroy, livery_turn **turn);

/**
 * Leave the line, whether the turn has come or not: it is the next one's then.
 *
 * If `done` has not been called it is told #LIVERY_TURN_ERROR_CANCELLED, where it would have been told of the turn.
 *
 * Threads: any, also from inside `done`. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param turn  a turn, or NULL for nothing to happen
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CLOSED  the turn was cancelled, or its store closed
 *   - #LIVERY_ERROR_FORKED  the turn belongs to the parent process
 *   - any other of livery_edit(): the turn stays, try again
 */
LIVERY_API livery_status livery_turn_cancel(livery_turn *turn);

#ifdef __cplusplus
}
#endif

#endif

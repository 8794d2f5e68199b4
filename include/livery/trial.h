/**
 * @file livery/trial.h
 * Changes that go back by themselves unless they are confirmed in time.
 *
 * Who changes what may cut the device off - an address, a certificate, a brightness of 0 - puts the change set on trial with
 * livery_change_trial(). Committed it is in effect at once and everywhere, and every layer that it changed goes back to what it
 * held before, unless livery_trial_confirm() comes in time: the confirmed commit of RFC 6241. The store itself keeps what is
 * pending. Whatever has become of the processes, the first read after the end finds what was there before: all of it, or
 * after a confirmation none.
 *
 * It ends with the given time, or with a new start of the system if that comes first. The time is that of the clock that
 * counts since the start of the system, also while it sleeps; setting the system's clock neither ends a trial early nor lets
 * it go on.
 *
 * There is one trial at a time. What others change meanwhile stays: a layer's value that somebody sets or removes, by whatever
 * call, is on trial no longer, and nothing comes back to it. docs/trial.md has a table of everything that may come in between.
 */
#ifndef LIVERY_TRIAL_H
#define LIVERY_TRIAL_H

#include "change.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The longest trial, in microseconds: 366 days. */
#define LIVERY_TRIAL_MAX INT64_C(31622400000000)

/**
 * Put what a change set commits on trial.
 *
 * The time begins with the commit. livery_change_commit(), or livery_edit() if the change set is that of an edit, is then
 * #LIVERY_ERROR_CONFLICT while anything of another trial is pending, and nothing is changed. A commit that changes nothing begins no
 * trial. Assets, what is known of them and livery_change_session_ends() are not part of it: they stay.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change        an open change set
 * @param microseconds  how long, from 1 to #LIVERY_TRIAL_MAX; 0 for no trial
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `change` is NULL, or no such length
 * @since 0.1
 */
LIVERY_API livery_status livery_change_trial(livery_change *change, int64_t microseconds);

/**
 * Confirm what is on trial: it stays.
 *
 * Who has lost the answer may ask again: to confirm what was confirmed before is #LIVERY_OK, and changes nothing. A
 * confirmation counts if it begins before the end, also if it is on disk only after that.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store     an open store
 * @param revision  that of the commit that began the trial, as a proof that one has seen it; livery_trial_status() tells it
 * @param origin    who confirms, kept in the history, up to #LIVERY_ORIGIN_MAX bytes; NULL or "" for nothing
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         nothing is on trial: it went back, and the message says when; or there was none
 *   - #LIVERY_ERROR_CONFLICT          another revision is on trial
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; the trial goes on
 *   - #LIVERY_ERROR_IO                another failure of the operating system; the trial goes on
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, `revision` is 0, or the origin is too long or has control characters
 * @since 0.1
 */
LIVERY_API livery_status livery_trial_confirm(livery_store *store, uint64_t revision, const char *origin);

/**
 * Take back what is on trial, before its time is over.
 *
 * To take back what has gone back already is #LIVERY_OK if its revision is given, and changes nothing.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store     an open store
 * @param revision  that of the commit that began the trial; 0 for whichever is pending
 * @param origin    who takes it back, kept in the history, up to #LIVERY_ORIGIN_MAX bytes; NULL or "" for nothing
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         nothing is on trial: it was confirmed, or went back, and the message says when; or there
 *     was none
 *   - #LIVERY_ERROR_CONFLICT          another revision is on trial
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; the trial goes on
 *   - #LIVERY_ERROR_IO                another failure of the operating system; the trial goes on
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or the origin is too long or has control characters
 * @since 0.1
 */
LIVERY_API livery_status livery_trial_revert(livery_store *store, uint64_t revision, const char *origin);

/**
 * What is on trial, or what became of the last trial.
 *
 * An object with `state`: "none", "pending", "confirmed" or "reverted". If there ever was a trial there are `revision` and
 * `origin` of the commit that began it, its `time` (date), and `length`, how long it was to be in microseconds. Of one that is
 * pending: `until` (date), by the system's clock as it is set now; `remaining`, in microseconds; and `settings`, a list of
 * objects `name` and `layer`, of what is still on trial. Of one that has ended: `ended` (date), `endRevision` and `endOrigin`,
 * which is "trial" if it ended by itself; they are missing while no commit has followed the end.
 *
 * Threads: any. Never blocks, never waits for a writer.
 *
 * @param store        an open store
 * @param[out] value   an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           what it has to read of the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_trial_status(livery_store *store, livery_value **value);

#ifdef __cplusplus
}
#endif

#endif

/**
 * @file livery/maintenance.h
 * Keep a store well: back it up, bring a backup back, look for damage, and see how it is.
 *
 * A store looks after itself: the first process to open it after a start of the system, a crash or a foreign write looks
 * at the whole file before it trusts it; a file that is damaged is kept in the folder `damaged` of the store's directory
 * and replaced by the last good copy (unless #LIVERY_OPEN_NO_RECOVERY); copies are made by policy into the folder
 * `backups` (see `backup_commits` and `backup_age_s` at livery_open()), and before a restore. A damaged record in a
 * file that is otherwise sound gives #LIVERY_ERROR_CORRUPT for its setting alone. docs/reliability.md tells the rest.
 */
#ifndef LIVERY_MAINTENANCE_H
#define LIVERY_MAINTENANCE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Look at every page and every record of a store, or of a backup.
 *
 * Nothing that is read is trusted, and nothing is changed: a damaged file gives a report, however damaged it is. The
 * report is an object: `path`, `sound` (bool), `fileBytes`, `pages`, `freePages`, `records`, `revision`, `schemaVersion`
 * and `damage`, a list of objects with a `message` and, as far as they are known, `page`, `database` and `setting`.
 *
 * Threads: any. Writers of the store wait meanwhile, readers do not; waits for a writer, at most 5 seconds.
 *
 * @param path          a store's directory, or a file: a backup or a `data.mdb`
 * @param[out] report   an object, given also with #LIVERY_ERROR_CORRUPT: release it; otherwise untouched on failure; may
 *   be NULL
 * @return #LIVERY_OK if all is sound, or
 *   - #LIVERY_ERROR_CORRUPT           something is damaged: see the report
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such file or directory
 *   - #LIVERY_ERROR_NOT_A_STORE       it is something else
 *   - #LIVERY_ERROR_FORMAT_NEWER      written by a newer Livery: upgrade the library
 *   - #LIVERY_ERROR_PERMISSION        the file cannot be read
 *   - #LIVERY_ERROR_BUSY              a writer kept the store for longer than 5 seconds
 *   - #LIVERY_ERROR_IO                another failure of the operating system, such as a path that is too long
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `path` is NULL, empty or no UTF-8
 * @since 0.1
 */
LIVERY_API livery_status livery_check(const char *path, livery_value **report);

/**
 * Write a copy of the store from which livery_restore() brings it back.
 *
 * The copy is of one moment, without unused space, checked, and durable. It gets its name when it is whole, in place of a
 * file of the same name. It is a store's `data.mdb`: in a directory of its own it can be opened. Without a path it goes
 * to the folder `backups` of the store, where the last of each reason are kept, as many as `backups` says at open.
 *
 * Threads: any. Neither readers nor writers wait. Without a path it waits for who changes the store's own backups, at most
 * `busy_timeout_ms`.
 *
 * @param store  an open store
 * @param path   the file; NULL for the store's own folder
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: no copy was made
 *   - #LIVERY_ERROR_NOT_FOUND         the directory that is to hold the file is missing
 *   - #LIVERY_ERROR_PERMISSION        the file must not be written there: see `system_error`
 *   - #LIVERY_ERROR_NOT_A_STORE       something has that name that is no regular file, such as a pipe
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full
 *   - #LIVERY_ERROR_BUSY              all reader slots are taken: close snapshots; or, without a path, livery_forget() or
 *                                     livery_reseal() was at the store's own backups for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_IO                another failure of the operating system, such as a directory of that name
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or the path is empty or no UTF-8
 * @since 0.1
 */
LIVERY_API livery_status livery_backup(livery_store *store, const char *path);

/**
 * The backups in the store's own folder, the latest first.
 *
 * Each item is an object: `name`, `path`, `revision`, `schemaVersion`, `time` (date), `reason` ("automatic", "manual",
 * "restore", "upgrade") and `bytes`.
 *
 * Threads: any. Never waits for a writer.
 *
 * @param store        an open store
 * @param[out] value   a list: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_PERMISSION        the folder cannot be read
 *   - #LIVERY_ERROR_IO                another failure of the operating system, such as no file descriptor left
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_backups(livery_store *store, livery_value **value);

/**
 * Bring back what a backup holds: the values of all layers and the schema, as one commit.
 *
 * Other processes go on using the store: they see the state before or after, and watches are told what changed. The
 * commit has a new revision; the history stays, and livery_undo() takes a restore back unless it changed the schema; then
 * what was a secret and is none any more is forgotten in the log, as livery_schema_apply() does.
 * The present state is put into the store's own backups first. If the store has the backup's content already, nothing
 * is committed, unless something is on trial, which ends. Of what is known of assets (livery_change_put_fact()) only what is missing or damaged is brought back, which
 * by itself makes no revision. A value that was a secret's whose setting was not declared any more, in a namespace that has been
 * claimed since, is not brought back: its owner would show it. The backup is looked at as by livery_check() before.
 *
 * Threads: any. Waits for other writers and for openings, at most `busy_timeout_ms` each, and for the disk.
 *
 * @param store           an open store
 * @param backup          a file, or a name as livery_backups() gives it; NULL for the latest of those
 * @param origin          kept with the commit; NULL for "restore"
 * @param[out] revision   of the commit, or the present one if nothing changed; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the backup is damaged; nothing was changed: try an older one
 *   - #LIVERY_ERROR_NOT_FOUND         there is no such file, or there are no backups
 *   - #LIVERY_ERROR_NOT_A_STORE       the file is something else
 *   - #LIVERY_ERROR_FORMAT_NEWER      the backup was written by a newer Livery: upgrade the library
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_UNAVAILABLE       the backup holds secrets as they are, and the store seals its own: restore it with the key
 *   - #LIVERY_ERROR_PERMISSION        the backup cannot be read, or the present state not be backed up
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL, or the path or origin is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_restore(livery_store *store, const char *backup, const char *origin,
                                        uint64_t *revision);

/**
 * Give the file system back what the store does not use.
 *
 * A store's file does not shrink by itself: space that is freed is used again. Here the file is replaced by a copy
 * without unused space. Every process goes on with it by itself; open snapshots stay in the former file. Nothing changes
 * for those who read or watch. The log forgets the former values of secrets before, so that none is in the new file.
 * Of a store with secrets the former file, which processes that have read nothing since still map, is overwritten as far as
 * nobody reads it: what a snapshot of an earlier commit needs, and what one of the latest does, stays for as long as it is open.
 *
 * Threads: any. Waits for other writers and for openings, at most `busy_timeout_ms` each.
 *
 * @param store  an open store
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer or opener kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: nothing was changed
 *   - #LIVERY_ERROR_NO_SPACE          there is no room for the copy; nothing was changed
 *   - #LIVERY_ERROR_PERMISSION        the directory must not be written to
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_compact(livery_store *store);

/** Bits of livery_forget(). */
enum {
  /** Also what the store's own folder of backups knows. */
  LIVERY_FORGET_BACKUPS = 1 << 0
};

/**
 * Forget what the store knows of a setting beside its present values: meant for secrets.
 *
 * What the log tells of former values is taken out of it, and the file is then replaced as by livery_compact(), since its
 * unused space may hold some. History goes on to tell who changed the setting and when, with `forgotten` in place of
 * values, and undoing a commit that would bring one back is #LIVERY_ERROR_NOT_FOUND. Resetting a secret does the former
 * by itself, and compaction does it for all secrets.
 *
 * With #LIVERY_FORGET_BACKUPS each file in the folder `backups` is replaced by one that lacks the setting's values, except
 * those that the layers hold now and the default of its schema; restoring one brings back no other. Backups that are
 * damaged, and the files in the folder `damaged`, are removed. Backups elsewhere stay as they are. What its aliases held
 * goes as well, and what another former name holds does not: forget that, too. What a file system or a medium keeps of
 * removed files is not wiped.
 * A backup that is being made there is waited for, also that of another process, and what was left unfinished there by a
 * process that was killed is removed.
 *
 * It can be called again if it fails on its way: what was done stays done.
 *
 * The report is an object: `name`, `commits` (how many the log told of) and, with #LIVERY_FORGET_BACKUPS, `backups` (a list
 * of objects `name` and `outcome`: "rewritten", "unchanged", "removed") and `damaged` (a list of the names removed).
 *
 * Threads: any. Waits for other writers, for openings and for backups that are being made, at most `busy_timeout_ms` each, and
 * for the disk.
 *
 * @param store         an open store
 * @param name          the setting, or an alias; it need not be declared any more
 * @param flags         a sum of `LIVERY_FORGET_*` bits
 * @param[out] report   an object: release it; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only
 *   - #LIVERY_ERROR_BUSY              another writer or opener kept the store, or a copy its backups, for longer than
 *                                     `busy_timeout_ms`
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_FORMAT_NEWER      a backup was written by a newer Livery: upgrade the library
 *   - #LIVERY_ERROR_NO_SPACE          there is no room for a copy
 *   - #LIVERY_ERROR_PERMISSION        a directory must not be written to
 *   - #LIVERY_ERROR_IO                another failure of the operating system
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `name` is NULL, the name is malformed, or an unknown flag
 * @since 0.1
 */
LIVERY_API livery_status livery_forget(livery_store *store, const char *name, uint32_t flags, livery_value **report);

/**
 * Figures about the store.
 *
 * An object: `path` (of the folder, absolute and without links, wherever the process has gone since; `memory` or `memory:NAME` of
 * a store in memory), `id`, `format`, `revision`, `schemaVersion`, `settings`, `values` (an object: number by layer),
 * `assets`, `fileBytes` (on the disk), `usedBytes`, `mapBytes`, `readers`, `maxReaders`, `logBytes` and `maxLogBytes`
 * (what the log takes of the file, and may take by the options of this handle), `lmdb` (its version), `databases` (an
 * object: `entries` and `bytes` by name), `lastBackup` (as in livery_backups(); missing if there is none) and `recovery`
 * (missing if there never was one): `time`, `damage`, `damagedFile`, `copy`, `copyRevision`, `lastRevision` (the last
 * commit known of the damaged file) and `revision`.
 *
 * Threads: any. Never waits for a writer. The cost grows with the number of settings.
 *
 * @param store        an open store
 * @param[out] value   an object: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_PERMISSION        the folder of backups cannot be read
 *   - #LIVERY_ERROR_IO                another failure of the operating system, such as no file descriptor left
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_stats(livery_store *store, livery_value **value);

#ifdef __cplusplus
}
#endif

#endif

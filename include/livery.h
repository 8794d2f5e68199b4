/**
 * @file livery.h
 * Livery: the settings and branding store for apps on devices.
 *
 * ## Model
 *
 * A *store* is a directory. Any number of processes and threads use it at once; there is no daemon. It holds *settings*,
 * named and typed slots described by a *schema*, and for each setting up to seven values, one a *layer*:
 *
 *     defaults < bundle < recommended < user < session < enforced < override
 *
 * The *effective value* is the value of the strongest layer that has one; every plain read (`livery_get_*`) returns it.
 * Removing a layer's value uncovers the one beneath. While `enforced` holds a value, weaker layers refuse changes with
 * #LIVERY_ERROR_LOCKED. `livery_inspect` tells every layer's value, who set it and when, and which one wins and why.
 *
 * Changes are made in *change sets*: a batch of edits to one layer, validated against the schema and committed as one
 * transaction. When a commit returns #LIVERY_OK it survives power loss, and until then no reader in any process sees
 * any part of it. Each commit that changes something raises the store's *revision* by one.
 *
 * ## First steps
 *
 *     livery_store *store = NULL;
 *     livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
 *     options.flags = LIVERY_OPEN_CREATE;
 *     if (livery_open("/var/lib/kiosk/settings", &options, &store) != LIVERY_OK)
 *       return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
 *     int64_t seconds = 120;
 *     livery_get_int(store, "idleResetSeconds", &seconds);
 *     livery_close(store);
 *
 * ## Status and errors
 *
 * Every function that can fail returns a #livery_status: 0 is success, failures are negative, and the numbers never
 * change. Results come through the last parameters and are untouched on failure (the exceptions say so, such as reports,
 * which are released after a failure too). The status is authoritative; livery_last_error() adds, for the calling thread,
 * a message for people, the setting's name, line and column for parse errors, and errno. Success does not clear it.
 *
 * Any function that can fail may return #LIVERY_ERROR_NO_MEMORY, except those that close, release, discard and stop: these
 * work without memory too. What was under way when memory ended is completed or changes nothing; calls that begin later
 * are refused until there is memory again. That holds for the device build (#LIVERY_FEATURE_STANDALONE); Swift's own runtime
 * ends the process instead. The comments of the functions do not list it.
 *
 * Nor do they list what comes of others who meddle with the store's directory. When it, or a file of it, was moved, deleted
 * or exchanged while the store was open, functions that change, copy, compact or open it return #LIVERY_ERROR_GONE, and
 * those that read go on showing what is open. Of a backup that is taken away just then, or exchanged for what is no file,
 * #LIVERY_ERROR_NOT_FOUND or #LIVERY_ERROR_NOT_A_STORE may be said. When another process has replaced the store's file, as
 * compaction and recovery do, or has made it larger than this process has room for, a function that has to look at the file
 * opens the new one first: it may then return #LIVERY_ERROR_IO or #LIVERY_ERROR_PERMISSION, as when the process has no file
 * descriptor left, and #LIVERY_ERROR_BUSY if threads of this process keep it for longer than `busy_timeout_ms`, or if a
 * process was stopped at the very moment at which the file is exchanged or its table of readers changed. It may wait that
 * long. What a function of the program refuses, such as the check of livery_claim(), has the status that it returned.
 *
 * Where secrets are sealed (livery_set_sealer()), functions that read, set, undo, import or migrate one return
 * #LIVERY_ERROR_UNAVAILABLE in a process that cannot seal or open it, and #LIVERY_ERROR_CORRUPT of one that was tampered with.
 *
 * ## Handles
 *
 * The handle types are opaque and are not pointers to memory: a stale, foreign or already closed handle is recognised. Any
 * function that takes a handle may return #LIVERY_ERROR_CLOSED, which the comments of the functions do not list: a handle
 * ends when it is closed, released, stopped, committed or discarded, when its store is closed, and that which a function of
 * the program is given, when that returns. Close, release and discard functions accept NULL. A store may be closed while
 * other threads are inside its functions: they finish, later calls get #LIVERY_ERROR_CLOSED.
 *
 * ## Threads
 *
 * All functions may be called from any thread at any time. Reads take no lock that a writer in another process holds,
 * and never wait for a commit. Commits wait for each other, at most the `busy_timeout_ms` given at open.
 *
 * ## Fork
 *
 * A store does not survive fork(): in the child every function on a handle made by the parent, also on a value, returns
 * #LIVERY_ERROR_FORKED and touches nothing; the comments of the functions do not list it. The child may open the store
 * again. fork() followed by exec is always safe.
 *
 * ## Unloading
 *
 * The shared library stays in memory when a program that loaded it closes it again: dlclose() is safe at any time, and
 * dlopen() then finds it as it was. Handles that were not closed stay open. A library of your own that holds the static
 * archive has to be linked with `-z nodelete`, or must not be unloaded once a watch was started.
 *
 * ## Text, names and values
 *
 * Names, paths and patterns are NUL-terminated UTF-8. Values are pointer and length; where a length is taken
 * #LIVERY_ZERO_TERMINATED may be given. A setting's name has 1 to #LIVERY_NAME_MAX bytes and no control characters; `.`
 * groups names by convention (`branding.color.Toolbar`). Names are compared byte by byte.
 *
 * ## Ownership
 *
 * What a function named `copy`, or one that returns text through a `char **`, gives is freed with livery_free(). A
 * #livery_value is reference-counted: release each one you were given. Option structs belong to the caller and are read
 * only during the call.
 *
 * ## Versions
 *
 * Versions before 1.0 may change the ABI between minor versions (docs/abi-changes.md). Option structs begin with their
 * size and only grow at the end, so a program built against an older header keeps working with a newer library.
 */
#ifndef LIVERY_H
#define LIVERY_H

#include "livery/base.h"
#include "livery/value.h"
#include "livery/store.h"
#include "livery/key.h"
#include "livery/snapshot.h"
#include "livery/change.h"
#include "livery/trial.h"
#include "livery/schema.h"
#include "livery/migration.h"
#include "livery/exchange.h"
#include "livery/watch.h"
#include "livery/history.h"
#include "livery/form.h"
#include "livery/asset.h"
#include "livery/branding.h"
#include "livery/maintenance.h"
#include "livery/sealer.h"

#endif

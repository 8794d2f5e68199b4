/**
 * @file livery/change.h
 * Change settings, one at a time or as a change set.
 */
#ifndef LIVERY_CHANGE_H
#define LIVERY_CHANGE_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A change set: edits to one layer or several, committed together. */
typedef struct livery_change livery_change;

/**
 * Set a truth value.
 *
 * Commits at once; several edits that belong together, or are many, are better made in a change set. Setting what the
 * layer holds already changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param layer  one of `LIVERY_LAYER_*`
 * @param name   the setting's name, or an alias of it
 * @param value  the value
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     the value violates a constraint; or the layer is `override`, whose values
 *     need an expiry: use a change set
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_set_bool(livery_store *store, livery_layer layer, const char *name, bool value);

/**
 * Set an integer.
 *
 * Commits at once; several edits that belong together, or are many, are better made in a change set. Setting what the
 * layer holds already changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param layer  one of `LIVERY_LAYER_*`
 * @param name   the setting's name, or an alias of it
 * @param value  the value
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     the value violates a constraint; or the layer is `override`, whose values
 *     need an expiry: use a change set
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_set_int(livery_store *store, livery_layer layer, const char *name, int64_t value);

/**
 * Set a double.
 *
 * Commits at once; several edits that belong together, or are many, are better made in a change set. Setting what the
 * layer holds already changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param layer  one of `LIVERY_LAYER_*`
 * @param name   the setting's name, or an alias of it
 * @param value  the value; finite
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     the value violates a constraint; or the layer is `override`, whose values
 *     need an expiry: use a change set
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_set_double(livery_store *store, livery_layer layer, const char *name, double value);

/**
 * Set a string, or anything that text converts to: the setting's type decides.
 *
 * Commits at once; several edits that belong together, or are many, are better made in a change set. Setting what the
 * layer holds already changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store   an open store
 * @param layer   one of `LIVERY_LAYER_*`
 * @param name    the setting's name, or an alias of it
 * @param text    UTF-8; may contain NUL when `length` is given
 * @param length  in bytes, or #LIVERY_ZERO_TERMINATED
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     the value violates a constraint; or the layer is `override`, whose values
 *     need an expiry: use a change set
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_set_string(livery_store *store, livery_layer layer, const char *name, const char *text,
                                           size_t length);

/**
 * Set bytes.
 *
 * Commits at once; several edits that belong together, or are many, are better made in a change set. Setting what the
 * layer holds already changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store   an open store
 * @param layer   one of `LIVERY_LAYER_*`
 * @param name    the setting's name, or an alias of it
 * @param bytes   may be NULL when `length` is 0
 * @param length  in bytes
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     the value violates a constraint; or the layer is `override`, whose values
 *     need an expiry: use a change set
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_set_data(livery_store *store, livery_layer layer, const char *name, const void *bytes,
                                         size_t length);

/**
 * Set a color.
 *
 * Commits at once; several edits that belong together, or are many, are better made in a change set. Setting what the
 * layer holds already changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param layer  one of `LIVERY_LAYER_*`
 * @param name   the setting's name, or an alias of it
 * @param value  components from 0 to 1
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     the value violates a constraint; or the layer is `override`, whose values
 *     need an expiry: use a change set
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_set_color(livery_store *store, livery_layer layer, const char *name,
                                          livery_color value);

/**
 * Set a value of any type.
 *
 * Commits at once; several edits that belong together, or are many, are better made in a change set. Setting what the
 * layer holds already changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param layer  one of `LIVERY_LAYER_*`
 * @param name   the setting's name, or an alias of it
 * @param value  a value; the store takes what it needs of it
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     the value does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     the value violates a constraint; or the layer is `override`, whose values
 *     need an expiry: use a change set
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_set_value(livery_store *store, livery_layer layer, const char *name,
                                          livery_value *value);

/**
 * Remove a layer's value of a setting, which uncovers the one beneath.
 *
 * Commits at once. Removing what is not there changes nothing and makes no revision.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store  an open store
 * @param layer  one of `LIVERY_LAYER_*`
 * @param name   the setting's name, or an alias of it: then what has been left under the alias goes as well
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, the schema says ReadOnly, or the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_reset(livery_store *store, livery_layer layer, const char *name);

/**
 * Begin a change set: a list of edits to one layer.
 *
 * It is kept in memory until livery_change_commit(): beginning one locks nothing, and any number may be open at once.
 *
 * Threads: any. Never blocks.
 *
 * @param store         an open store
 * @param layer         one of `LIVERY_LAYER_*`
 * @param[out] change   a handle: commit or discard it, or let livery_close() discard it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, or the layer is `defaults`, or `override`
 *     without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_change_begin(livery_store *store, livery_layer layer, livery_change **change);

/**
 * Add to a change set: set a truth value.
 *
 * A later edit of the same setting replaces an earlier one. Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param value   the value
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_set_bool(livery_change *change, const char *name, bool value);

/**
 * Add to a change set: set an integer.
 *
 * A later edit of the same setting replaces an earlier one. Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param value   the value
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_set_int(livery_change *change, const char *name, int64_t value);

/**
 * Add to a change set: set a double.
 *
 * A later edit of the same setting replaces an earlier one. Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param value   the value
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_set_double(livery_change *change, const char *name, double value);

/**
 * Add to a change set: set a string, or anything that text converts to: the setting's type decides.
 *
 * A later edit of the same setting replaces an earlier one. Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param text    UTF-8; copied
 * @param length  in bytes, or #LIVERY_ZERO_TERMINATED
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     the text is not UTF-8, or longer than #LIVERY_VALUE_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_set_string(livery_change *change, const char *name, const char *text,
                                                  size_t length);

/**
 * Add to a change set: set bytes.
 *
 * A later edit of the same setting replaces an earlier one. Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param bytes   copied; may be NULL when `length` is 0
 * @param length  in bytes
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_VALUE     longer than #LIVERY_VALUE_MAX
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_set_data(livery_change *change, const char *name, const void *bytes,
                                                size_t length);

/**
 * Add to a change set: set a color.
 *
 * A later edit of the same setting replaces an earlier one. Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param value   components from 0 to 1
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_set_color(livery_change *change, const char *name, livery_color value);

/**
 * Add to a change set: set a value of any type.
 *
 * A later edit of the same setting replaces an earlier one. Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param value   a value; the change set takes a reference of its own
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_set_value(livery_change *change, const char *name, livery_value *value);

/**
 * Add to a change set: set a value of any type, and let it count.
 *
 * In the same commit the values of the layers `user` and `session` go that would hide it; what `enforced` or `override`
 * holds is not touched. Meant for consoles, in the layer `recommended`: the value becomes active, and the operator may
 * change it again. livery_undo() brings the values back.
 *
 * A later edit of the same setting in the same layer replaces an earlier one, and a later one in `user` or `session` stays.
 * Whether the value fits the setting is found at commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @param value   a value; the change set takes a reference of its own
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_replace(livery_change *change, const char *name, livery_value *value);

/**
 * Make what follows edits of another layer, in the same commit.
 *
 * Edits made so far stay, and count in the order in which they were made. What livery_change_expires() has said holds for the layer it was said of. The log says of a
 * commit of several layers that it is of the one whose edit came last, and of each change its own.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param layer   one of `LIVERY_LAYER_*`
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_READ_ONLY         the layer is `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `change` is NULL, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_change_layer(livery_change *change, livery_layer layer);

/**
 * Read the value that would be in effect if the change set were committed now.
 *
 * Nothing is held meanwhile: other commits may come before. livery_change_expect() has them refused; livery_edit() holds
 * them off.
 *
 * Threads: any; calls on one change set wait for each other. Never waits for a writer.
 *
 * @param change       an open change set
 * @param name         the setting's name, or an alias of it
 * @param[out] value   release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_NO_VALUE          no layer would have a value for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     what was set does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     what was set violates a constraint
 *   - #LIVERY_ERROR_READ_ONLY         what was set belongs to a namespace whose owner is not in this process
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_get(livery_change *change, const char *name, livery_value **value);

/**
 * Read what a layer would hold for a setting if the change set were committed now, be it in effect or not.
 *
 * For who keeps values of several layers in order: livery_change_get() tells what counts of them.
 *
 * Threads: any; calls on one change set wait for each other. Never waits for a writer.
 *
 * @param change       an open change set
 * @param layer        one of `LIVERY_LAYER_*`
 * @param name         the setting's name, or an alias of it
 * @param[out] value   release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE          the layer would hold nothing for it
 *   - #LIVERY_ERROR_TYPE_MISMATCH     what was set does not convert to the setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     what was set violates a constraint
 *   - #LIVERY_ERROR_READ_ONLY         what was set belongs to a namespace whose owner is not in this process
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_change_get_layer(livery_change *change, livery_layer layer, const char *name,
                                                 livery_value **value);

/**
 * The names of what a layer would hold if the change set were committed now, in their order (byte by byte). What has expired is
 * among them until a commit removes it: the clock may be wrong, and come back.
 *
 * Threads: any; calls on one change set wait for each other. Never waits for a writer.
 *
 * @param change       an open change set
 * @param layer        one of `LIVERY_LAYER_*`
 * @param pattern      which names; see livery_list(); NULL for all
 * @param[out] names   a list of strings: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the pattern is malformed, or no such layer
 * @since 0.1
 */
LIVERY_API livery_status livery_change_list(livery_change *change, livery_layer layer, const char *pattern,
                                            livery_value **names);

/**
 * Add to a change set: remove the layer's value of a setting.
 *
 * A later edit of the same setting replaces an earlier one.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param name    the setting's name
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_reset(livery_change *change, const char *name);

/**
 * Add to a change set: remove all values of the layer.
 *
 * Forgets the edits of it made so far; edits made after it count on top. On the `session` layer it takes away all that a user has
 * left, also what the schema says survives a logout: livery_session_logout() of <livery/session.h> ends a session and keeps that.
 * Locks do not prevent it.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_change_reset_all(livery_change *change);

/**
 * Say when the values that are set from here on expire.
 *
 * From that moment on a value does not count, in any process, without any commit. Required for each value of the
 * `override` layer, possible for the `session` layer.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change        an open change set
 * @param microseconds  since 1970-01-01T00:00:00Z, in the future at commit; 0 for values that follow not to
 *   expire
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `change` is NULL, or the layer is neither `override` nor `session`
 * @since 0.1
 */
LIVERY_API livery_status livery_change_expires(livery_change *change, int64_t microseconds);

/**
 * Say when the session ends by itself: all values of the layer `session` that have no expiry of their own.
 *
 * From that moment on none of them counts, in any process, without any commit, as if each had been set with
 * livery_change_expires(); the next commit removes them together. It holds for those that the layer has, of whatever commit,
 * and for those that anybody sets before that moment, unless it is said anew or livery_change_reset_all() empties the layer.
 * What is set after it is of another session, which does not end by itself until that is said. Settings of which the schema
 * says that they survive a logout are not concerned.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change        an open change set, of any layer
 * @param microseconds  since 1970-01-01T00:00:00Z, in the future at commit, or it is #LIVERY_ERROR_INVALID_VALUE; 0 for a
 *   session that does not end by itself
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `change` is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_change_session_ends(livery_change *change, int64_t microseconds);

/**
 * Commit only if a setting has not changed meanwhile.
 *
 * With a revision read from livery_revision(), a snapshot, a form, or of a value that livery_inspect() shows, the commit fails
 * with #LIVERY_ERROR_CONFLICT if the effective value of the setting, the layer that it is of, or its value in this layer was
 * changed by a later commit; or if the store has no such revision yet. 0 expects a setting that never had a value. What went back to where it was before a trial counts as changed for
 * whoever read it while it was on trial, and for everybody where that made another value effective; a restored backup changes
 * everything. What was removed counts as long as the log tells of it, so that for a layer that shows no value any more the
 * revision of the store is the one to expect. Of one name in one layer the last expectation counts.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change    an open change set
 * @param name      the setting's name
 * @param revision  the last revision at which the caller knows the setting
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the name is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_expect(livery_change *change, const char *name, uint64_t revision);

/**
 * Say where the changes come from: "console", "settings-view", …
 *
 * It is kept with each value and shown by livery_inspect(). The default is "".
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param origin  up to #LIVERY_ORIGIN_MAX bytes of UTF-8 without control characters; copied
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, or the origin is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_origin(livery_change *change, const char *origin);

/**
 * Say who makes the edits that follow, where that is somebody else than who makes the change.
 *
 * Their values keep it in place of the origin of livery_change_origin(), and livery_inspect() shows it; livery_history() and watches tell
 * the change's. A value that is there already keeps the origin that it has. For who brings values of several people in one commit.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @param origin  up to #LIVERY_ORIGIN_MAX bytes of UTF-8 without control characters, copied; NULL for the change's own again
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `change` is NULL, or the origin is malformed
 * @since 0.1
 */
LIVERY_API livery_status livery_change_attribute(livery_change *change, const char *origin);

/**
 * Let the edits change what is locked: values beneath one of `enforced`, which still wins, and settings that the schema
 * declares read-only.
 *
 * For who keeps the values of several sources, as livery_import_json() does with an export of all layers: what lies beneath a lock counts once that is
 * gone. It concerns all edits of the change set.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change  an open change set
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_change_ignore_locks(livery_change *change);

/**
 * Validate the whole change set and commit it as one transaction.
 *
 * On success the handle is closed. On failure nothing was changed and the handle stays open:
 * livery_change_violations() lists everything that is wrong, edits may be corrected and the commit tried again, or the
 * change set discarded. The status is that of the first violation, in the order of the edits.
 *
 * A change set that changes nothing makes no revision; `revision` is then the present one.
 *
 * Threads: any; calls on one change set wait for each other. Waits for other writers, at most `busy_timeout_ms`, and for
 * the disk.
 *
 * @param change          an open change set
 * @param[out] revision   of this commit; may be NULL; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a value does not convert to its setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     a value violates a constraint, or its expiry is missing or past
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value of a setting
 *   - #LIVERY_ERROR_READ_ONLY         the schema says ReadOnly of a setting
 *   - #LIVERY_ERROR_CONFLICT          a setting has changed since the revision that was expected; or the change set is to be on
 *     trial, and another one is: the message names it
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_change_commit(livery_change *change, uint64_t *revision);

/**
 * Everything that was wrong at the last livery_change_commit().
 *
 * Each item is an object: `name`, `status` (text, such as "LIVERY_ERROR_INVALID_VALUE"), `constraint` (text, such as
 * "Maximum", if one was violated) and `message`.
 *
 * Threads: any; calls on one change set wait for each other.
 *
 * @param change            an open change set
 * @param[out] violations   a list, empty if nothing was wrong: release it; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL
 * @since 0.1
 */
LIVERY_API livery_status livery_change_violations(livery_change *change, livery_value **violations);

/**
 * Discard a change set.
 *
 * Threads: any. Never blocks.
 *
 * @param change  a change set, or NULL for nothing to happen
 * @return #LIVERY_OK
 * @since 0.1
 */
LIVERY_API livery_status livery_change_discard(livery_change *change);

/**
 * Reads and edits, for livery_edit().
 *
 * livery_change_get() sees the store as the commit will find it, and the edits made so far. The change set ends when the
 * function returns: with #LIVERY_OK it is committed, with any other status nothing is, and livery_edit() returns that.
 * livery_change_discard() in it has nothing committed either, and so has livery_close() of the store; livery_change_commit() is
 * refused.
 */
typedef livery_status (*livery_edit_fn)(livery_change *change, void *user_data);

/**
 * Read and change values in one transaction: no other writer, of any process, comes between.
 *
 * For what depends on what is there: counting up, adding to a list, taking a lease. `function` runs on the calling thread,
 * while other writers wait: it should be quick, and has to return. It may be run again, with another change set, if the
 * store has to grow or to make room. Other reads of the store in it show what was there before; other changes of it are
 * #LIVERY_ERROR_BUSY after the timeout.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk.
 *
 * @param store            an open store
 * @param layer            the layer that is edited first; see livery_change_layer()
 * @param function         makes the edits
 * @param user_data        handed to `function`
 * @param[out] revision    of the commit, or the present one if nothing changes; may be NULL; untouched on failure
 * @param[out] violations  all that was wrong, as of livery_change_violations(): release it; may be NULL; untouched unless the
 *   edits were refused
 * @return #LIVERY_OK, or what `function` returned, with the message of the call that failed in it, or
 *   - #LIVERY_ERROR_NOT_FOUND         no such setting: the message names the nearest names
 *   - #LIVERY_ERROR_TYPE_MISMATCH     a value does not convert to its setting's type without loss
 *   - #LIVERY_ERROR_INVALID_VALUE     a value violates a constraint, or its expiry is missing or past
 *   - #LIVERY_ERROR_LOCKED            the `enforced` layer holds a value of a setting
 *   - #LIVERY_ERROR_READ_ONLY         the schema says ReadOnly of a setting; the store was opened read-only; the layer is
 *     `defaults`, or `override` without #LIVERY_OPEN_ALLOW_OVERRIDE
 *   - #LIVERY_ERROR_CONFLICT          a setting has changed since the revision that was expected
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the stored record is damaged: set the setting anew, or restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  `store` or `function` is NULL, no such layer, or `function` returned no status
 * @since 0.1
 */
LIVERY_API livery_status livery_edit(livery_store *store, livery_layer layer, livery_edit_fn function, void *user_data,
                                     uint64_t *revision, livery_value **violations);

/**
 * Checks a value of a claimed namespace before it is kept, for livery_claim().
 *
 * `value` is valid during the call. To have another one kept in its place, such as the same in another type, the function
 * puts one in `checked`, whose reference goes over. With #LIVERY_OK the value is taken; any other status refuses it, with the
 * message of livery_error_leave() or of the call that failed in the function. It is called on any thread that changes the store,
 * while other writers wait, or that asks a change set for a value, and more than once for one change if need be: it must
 * neither change the store nor use a change set of it, and has to return.
 */
typedef livery_status (*livery_claim_fn)(const char *name, livery_value *value, livery_value **checked, void *user_data);

/**
 * Claim a namespace: settings whose names begin with `prefix` may be set whatever a schema declares, and `function` sees
 * every value of those that it does not declare before it is kept.
 *
 * For libraries that keep state of their own in a store. The store remembers that the namespace is claimed, for good; the
 * check belongs to this handle, and ends when that is closed. In processes without the owner setting such a value is
 * #LIVERY_ERROR_READ_ONLY, reading and resetting go on. `branding.` and `brands.` are the library's own. Claimed again,
 * by this handle or another, the latest function is asked.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk, if the namespace was not claimed.
 *
 * @param store      an open store
 * @param prefix     ends with a dot, such as "fetch."; up to #LIVERY_NAME_MAX bytes of UTF-8 without control characters
 * @param function   checks a value
 * @param user_data  handed to `function` and `destroy`
 * @param destroy    called once when the store is closed, or when claiming fails; may be NULL
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_CONFLICT          a part of the namespace is claimed, or holds a value that was declared a secret
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, and the namespace was not claimed
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the prefix is malformed or does not end with a dot, or 64 are claimed
 * @since 0.1
 */
LIVERY_API livery_status livery_claim(livery_store *store, const char *prefix, livery_claim_fn function, void *user_data,
                                      livery_destroy_fn destroy);

/**
 * Declare a setting of a claimed namespace to be secret, where no schema declares it.
 *
 * As with a setting that a schema declares so: listings, history and events tell that it is secret, what is no longer in
 * effect is taken out of the log, and freed memory is wiped. Exports and livery_settings() leave it out: it is its owner's.
 * The store remembers it, for good; done again it does nothing.
 *
 * Threads: any. Waits for other writers, at most `busy_timeout_ms`, and for the disk, if it was not declared.
 *
 * @param store  an open store
 * @param name   the setting's name, which has no value yet; with a dot at its end all settings whose names begin so
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NOT_FOUND         the name is in no claimed namespace: call livery_claim() before
 *   - #LIVERY_ERROR_CONFLICT          the namespace is one of the library's own, or the setting has a value
 *   - #LIVERY_ERROR_READ_ONLY         the store was opened read-only, and it was not declared
 *   - #LIVERY_ERROR_BUSY              another writer kept the store for longer than `busy_timeout_ms`
 *   - #LIVERY_ERROR_NO_SPACE          the file system is full; nothing was changed
 *   - #LIVERY_ERROR_IO                another failure of the operating system; nothing was changed
 *   - #LIVERY_ERROR_CORRUPT           the store is damaged: restore a backup
 *   - #LIVERY_ERROR_INVALID_ARGUMENT  a pointer is NULL, the name is malformed, or 64 are declared so
 * @since 0.1
 */
LIVERY_API livery_status livery_claim_secret(livery_store *store, const char *name);

#ifdef __cplusplus
}
#endif

#endif

"""The text of a C header: `@word@` stands for what differs."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, List

_HOLE = re.compile("@([A-Za-z]+)@")


@lru_cache(maxsize=None)
def _pieces(part: str) -> List[str]:
  """Text and holes in turn."""
  return _HOLE.split(part)


def fill(part: str, values: Dict[str, str]) -> str:
  pieces = _pieces(part)
  filled = pieces[:]
  filled[1::2] = [values[hole] for hole in pieces[1::2]]
  return "".join(filled)


HEADER = r'''/* Made by `livery generate c` of @SOURCE@; do not edit. */
#ifndef @P@_SETTINGS_H
#define @P@_SETTINGS_H

#include <inttypes.h>
#include <livery.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif

/** The version of the schema that this header was made of. */
#define @P@_VERSION @VERSION@
/** What tells it from other schemas of that version; see livery_schema_copy_digest(). */
#define @P@_DIGEST "@DIGEST@"
/** How many settings it has. */
#define @P@_COUNT @COUNT@

/** Bits for @p@_open(). */
enum {
  /** Take a store with another schema as well, if that has all settings of this header with their types. */
  @P@_ANY_VERSION = 1 << 0
};

/** The settings of a store: open them with @p@_open(). They may be used by several threads at once. */
typedef struct @p@_settings {
  livery_store *store;
  livery_key *keys[@SLOTS@];
} @p@_settings;

/** Text in an item: UTF-8, followed by a NUL where it was read. `value` is what it lies in; NULL for the program's own. */
typedef struct @p@_text {
  const char *start;
  size_t length;
  livery_value *value;
} @p@_text;

/** Bytes in an item. `value` is what they lie in; NULL for the program's own. */
typedef struct @p@_bytes {
  const void *start;
  size_t length;
  livery_value *value;
} @p@_bytes;

static inline livery_status @p@_fail(livery_status status, const char *message) {
  livery_error_leave(status, message);
  return status;
}

/** Close the keys; the store stays open. */
static inline void @p@_close(@p@_settings *settings) {
  for (size_t index = 0; index != @P@_COUNT; index++) {
    livery_key_close(settings->keys[index]);
    settings->keys[index] = NULL;
  }
}

static inline bool @p@_member_is(livery_value *item, const char *key, const char *wanted, livery_status *status) {
  livery_value *member = NULL;
  const char *text = "";
  if (*status == LIVERY_OK) *status = livery_value_member(item, key, &member);
  if (*status == LIVERY_OK) *status = livery_value_as_string(member, &text, NULL);
  bool same = *status == LIVERY_OK && strcmp(text, wanted) == 0;
  livery_value_release(member);
  return same;
}

static inline bool @p@_is_listed(livery_value *all, size_t at, const char *name, const char *type, livery_status *status) {
  livery_value *item = NULL;
  *status = livery_value_at(all, at, &item);
  bool listed = *status == LIVERY_OK && @p@_member_is(item, "name", name, status) && @p@_member_is(item, "type", type, status);
  livery_value_release(item);
  return listed;
}

/** Name what the store's schema lacks of this header, or has with another type; "" if nothing. */
static inline livery_status @p@_missing(livery_store *store, char *names, size_t capacity) {
  static const struct {
    const char *name, *type;
  } settings[] = {
@ROWS@
  };
  size_t used = 0, count = 0, at = 0;
  if (capacity == 0) return @p@_fail(LIVERY_ERROR_INVALID_ARGUMENT, "there is no room for names");
  names[0] = 0;
  livery_value *all = NULL;
  livery_status status = livery_list(store, NULL, NULL, &all);
  if (status != LIVERY_OK) return status;
  /* Both are in the order of names, so that each is found right after the one before. */
  status = livery_value_count(all, &count);
  for (size_t index = 0; status == LIVERY_OK && index != @P@_COUNT; index++) {
    bool found = false;
    for (size_t step = 0; status == LIVERY_OK && !found && step < count; step++) {
      found = @p@_is_listed(all, (at + step) % count, settings[index].name, settings[index].type, &status);
      if (found) at = (at + step + 1) % count;
    }
    if (found || status != LIVERY_OK) continue;
    const char *parts[] = {used > 0 ? ", " : "", settings[index].name};
    for (size_t part = 0; part < 2; part++) {
      size_t length = strlen(parts[part]);
      if (length >= capacity - used) length = capacity - used - 1;
      memcpy(names + used, parts[part], length);
      used += length;
      names[used] = 0;
    }
  }
  livery_value_release(all);
  return status;
}

/**
 * Bind all settings of a store.
 *
 * A store with another schema is refused, with a message that names what it lacks.
 *
 * @param store           an open store, which has to stay open
 * @param flags           0, or #@P@_ANY_VERSION
 * @param[out] settings   close it with @p@_close() before the store; untouched on failure
 * @return #LIVERY_OK, or
 *   - #LIVERY_ERROR_NO_VALUE      the store has no schema
 *   - #LIVERY_ERROR_SCHEMA_NEWER  the store's schema has a higher version
 *   - #LIVERY_ERROR_CONFLICT      it has a lower one, or other content
 *   - #LIVERY_ERROR_NOT_FOUND     with #@P@_ANY_VERSION: settings are missing, or have another type
 *   - what livery_schema_copy_digest(), livery_list() and livery_key_open() return
 */
static inline livery_status @p@_open(livery_store *store, uint32_t flags, @p@_settings *settings) {
  static const char *const names[] = {@NAMES@};
  char *digest = NULL;
  livery_status status = livery_schema_copy_digest(store, &digest, NULL);
  if (status != LIVERY_OK) return status;
  bool same = strcmp(digest, @P@_DIGEST) == 0;
  livery_free(digest);
  if (!same) {
    uint64_t version = 0;
    char missing[1024], message[1400];
    status = livery_schema_version(store, &version);
    if (status == LIVERY_OK) status = @p@_missing(store, missing, sizeof missing);
    if (status != LIVERY_OK) return status;
    snprintf(message, sizeof message, "the store's schema is version %" PRIu64 " and not that which the program was made for, version %" PRIu64 "%s%s",
             version, (uint64_t)@P@_VERSION, missing[0] ? "; not there, or of another type: " : "", missing);
    if (flags & @P@_ANY_VERSION) {
      if (missing[0]) return @p@_fail(LIVERY_ERROR_NOT_FOUND, message);
    } else {
      return @p@_fail(version > @P@_VERSION ? LIVERY_ERROR_SCHEMA_NEWER : LIVERY_ERROR_CONFLICT, message);
    }
  }
  @p@_settings opened;
  memset(&opened, 0, sizeof opened);
  opened.store = store;
  for (size_t index = 0; status == LIVERY_OK && index != @P@_COUNT; index++) {
    status = livery_key_open(store, names[index], &opened.keys[index]);
  }
  if (status == LIVERY_OK) {
    *settings = opened;
  } else {
    @p@_close(&opened);
  }
  return status;
}

/* What the accessors are made of. */

static inline bool @p@_find(livery_value *object, const char *key, livery_value **member, livery_status *status) {
  *status = livery_value_member(object, key, member);
  if (*status == LIVERY_OK) return true;
  if (*status == LIVERY_ERROR_NOT_FOUND) *status = LIVERY_OK;
  return false;
}

static inline bool @p@_is_bool(livery_value *value, bool wanted) {
  livery_type type = 0;
  bool content = false;
  return livery_value_type(value, &type) == LIVERY_OK && type == LIVERY_TYPE_BOOL
      && livery_value_as_bool(value, &content) == LIVERY_OK && content == wanted;
}

static inline bool @p@_is_string(livery_value *value, const char *wanted, size_t size) {
  const char *text = NULL;
  size_t length = 0;
  return livery_value_as_string(value, &text, &length) == LIVERY_OK && length == size && memcmp(text, wanted, size) == 0;
}

static inline bool @p@_is_int(livery_value *value, int64_t wanted) {
  livery_type type = 0;
  int64_t content = 0;
  return livery_value_type(value, &type) == LIVERY_OK && type == LIVERY_TYPE_INT
      && livery_value_as_int(value, &content) == LIVERY_OK && content == wanted;
}

static inline bool @p@_is_double(livery_value *value, double wanted) {
  livery_type type = 0;
  double content = 0;
  return livery_value_type(value, &type) == LIVERY_OK && type == LIVERY_TYPE_DOUBLE
      && livery_value_as_double(value, &content) == LIVERY_OK && content == wanted;
}
@SCALARS@
@BODY@
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* @P@_SETTINGS_H */
'''

#: A value of one kind, in a list or record.
SCALAR = r'''
static inline livery_status @p@_read_@f@(livery_value *value, @T@ *content) {
  return livery_value_as_@f@(value, content);
}
static inline livery_status @p@_make_@f@(const @T@ *content, livery_value **value) {
  return livery_value_make_@f@(*content, value);
}
static inline void @p@_clear_@f@(@T@ *content) {
  (void)content;
}'''

SPAN = r'''
static inline livery_status @p@_read_@f@(livery_value *value, @T@ *content) {
  livery_status status = livery_value_as_@AS@(value, &content->start, &content->length);
  content->value = NULL;
  if (status == LIVERY_OK) status = livery_value_retain(value);
  if (status == LIVERY_OK) content->value = value;
  return status;
}
static inline livery_status @p@_make_@f@(const @T@ *content, livery_value **value) {
  return livery_value_make_@f@(content->start, content->length, value);
}
static inline void @p@_clear_@f@(@T@ *content) {
  livery_value_release(content->value);
  content->value = NULL;
}'''

NAME = r'''
/** The name of the setting. */
#define @CONSTANT@ @NAME@
'''

BY_KEY = r'''@DOC@
@OLD@static inline livery_status @p@_get_@n@(const @p@_settings *settings, @T@ *value) {
  return livery_key_get_@f@(settings->keys[@INDEX@], value);
}
@OLD@static inline livery_status @p@_set_@n@(const @p@_settings *settings, livery_layer layer, @T@ value) {
  return livery_set_@f@(settings->store, layer, @NAME@, value);
}
@OLD@static inline livery_status @p@_change_@n@(livery_change *change, @T@ value) {
  return livery_change_set_@f@(change, @NAME@, value);
}'''

#: Kinds that have no read by key.
BY_NAME = r'''@DOC@
@OLD@static inline livery_status @p@_get_@n@(const @p@_settings *settings, @T@ *value) {
  return livery_get_@f@(settings->store, @NAME@, value);
}
@OLD@static inline livery_status @p@_change_@n@(livery_change *change, @T@ content) {
  livery_value *value = NULL;
  livery_status status = @p@_make_@f@(&content, &value);
  if (status == LIVERY_OK) status = livery_change_set_value(change, @NAME@, value);
  livery_value_release(value);
  return status;
}
@OLD@static inline livery_status @p@_set_@n@(const @p@_settings *settings, livery_layer layer, @T@ content) {
  livery_value *value = NULL;
  livery_status status = @p@_make_@f@(&content, &value);
  if (status == LIVERY_OK) status = livery_set_value(settings->store, layer, @NAME@, value);
  livery_value_release(value);
  return status;
}'''

TEXT = r'''@DOC@
@OLD@static inline livery_status @p@_get_@n@(const @p@_settings *settings, char *buffer, size_t capacity, size_t *length) {
  return livery_key_get_string(settings->keys[@INDEX@], buffer, capacity, length);
}
@OLD@static inline livery_status @p@_set_@n@(const @p@_settings *settings, livery_layer layer, const char *text, size_t length) {
  return livery_set_string(settings->store, layer, @NAME@, text, length);
}
@OLD@static inline livery_status @p@_change_@n@(livery_change *change, const char *text, size_t length) {
  return livery_change_set_string(change, @NAME@, text, length);
}'''

DATA = r'''@DOC@
@OLD@static inline livery_status @p@_get_@n@(const @p@_settings *settings, void *buffer, size_t capacity, size_t *length) {
  return livery_get_data(settings->store, @NAME@, buffer, capacity, length);
}
@OLD@static inline livery_status @p@_set_@n@(const @p@_settings *settings, livery_layer layer, const void *bytes, size_t length) {
  return livery_set_data(settings->store, layer, @NAME@, bytes, length);
}
@OLD@static inline livery_status @p@_change_@n@(livery_change *change, const void *bytes, size_t length) {
  return livery_change_set_data(change, @NAME@, bytes, length);
}'''

_GET_VALUE = r'''@DOC@
@OLD@static inline livery_status @p@_get_@n@(const @p@_settings *settings, @T@ *content) {
  livery_value *value = NULL;
  livery_status status = livery_get_value(settings->store, @NAME@, &value);
  if (status != LIVERY_OK) return status;
@TAKE@
}
@OLD@static inline livery_status @p@_change_@n@(livery_change *change, @CONST@@T@ @STAR@content) {
  livery_value *value = NULL;
  livery_status status = @p@_make_@f@(@REF@content, &value);
  if (status == LIVERY_OK) status = livery_change_set_value(change, @NAME@, value);
  livery_value_release(value);
  return status;
}
@OLD@static inline livery_status @p@_set_@n@(const @p@_settings *settings, livery_layer layer, @CONST@@T@ @STAR@content) {
  livery_value *value = NULL;
  livery_status status = @p@_make_@f@(@REF@content, &value);
  if (status == LIVERY_OK) status = livery_set_value(settings->store, layer, @NAME@, value);
  livery_value_release(value);
  return status;
}'''

CHOICE = (_GET_VALUE.replace("@TAKE@", "  status = @p@_read_@f@(value, content);\n  livery_value_release(value);\n  return status;")
          .replace("@CONST@", "").replace("@STAR@", "").replace("@REF@", "&"))

LIST = (_GET_VALUE.replace("@TAKE@", "  status = @p@_read_@f@(value, content);\n  livery_value_release(value);\n  return status;")
        .replace("@DOC@", "@DOC@\n/* Clear what was read with @p@_clear_@f@(). */")
        .replace("@CONST@", "const ").replace("@STAR@", "*").replace("@REF@", ""))

SETTING = r'''@OLD@static inline livery_status @p@_reset_@n@(const @p@_settings *settings, livery_layer layer) {
  return livery_reset(settings->store, layer, @NAME@);
}'''

OPTIONS = r'''
/** The options of: @WHAT@ */
typedef enum @T@ {
  /** An option that this header does not know. */
  @UNKNOWN@ = -1,
@CONSTANTS@
} @T@;
static inline livery_status @p@_read_@f@(livery_value *value, @T@ *option) {
  if (value == NULL) return @p@_fail(LIVERY_ERROR_INVALID_ARGUMENT, "the value is NULL");
@KNOWN@
  else *option = @UNKNOWN@;
  return LIVERY_OK;
}
static inline livery_status @p@_make_@f@(const @T@ *option, livery_value **value) {
  switch (*option) {
@MADE@
    default: return @p@_fail(LIVERY_ERROR_INVALID_VALUE, "not one of the options");
  }
}
static inline void @p@_clear_@f@(@T@ *option) {
  (void)option;
}'''

RECORD = r'''
/** An item of: @WHAT@. What it does not have is zero. */
typedef struct @T@ {
@FIELDS@
  /** Which members the item has, or is to have. */
  struct {
@HAS@
  } has;
} @T@;
static inline void @p@_clear_@f@(@T@ *item) {
  (void)item;
@CLEAR@
}
static inline livery_status @p@_read_@f@(livery_value *value, @T@ *item) {
  livery_value *member = NULL;
  livery_status status = LIVERY_OK;
  (void)value;
  memset(item, 0, sizeof *item);
@READ@
  (void)member;
  if (status != LIVERY_OK) @p@_clear_@f@(item);
  return status;
}
static inline livery_status @p@_make_@f@(const @T@ *item, livery_value **value) {
  const char *keys[@COUNT@];
  livery_value *made[@COUNT@];
  size_t count = 0;
  livery_status status = LIVERY_OK;
  (void)item;
@MAKE@
  if (status == LIVERY_OK) status = livery_value_make_object(keys, made, count, value);
  while (count > 0) livery_value_release(made[--count]);
  return status;
}'''

ARRAY = r'''
/** Items in order. */
typedef struct @T@ {
  @ITEM@ *items;
  size_t count;
} @T@;
static inline void @p@_clear_@f@(@T@ *list) {
  for (size_t index = 0; index < list->count; index++) @p@_clear_@g@(&list->items[index]);
  free(list->items);
  memset(list, 0, sizeof *list);
}
static inline livery_status @p@_read_@f@(livery_value *value, @T@ *list) {
  size_t count = 0;
  livery_status status = livery_value_count(value, &count);
  memset(list, 0, sizeof *list);
  if (status != LIVERY_OK || count == 0) return status;
  list->items = (@ITEM@ *)calloc(count, sizeof *list->items);
  if (list->items == NULL) return @p@_fail(LIVERY_ERROR_NO_MEMORY, "there is no memory for a list");
  while (status == LIVERY_OK && list->count < count) {
    livery_value *item = NULL;
    status = livery_value_at(value, list->count, &item);
    if (status == LIVERY_OK) status = @p@_read_@g@(item, &list->items[list->count]);
    if (status == LIVERY_OK) list->count++;
    livery_value_release(item);
  }
  if (status != LIVERY_OK) @p@_clear_@f@(list);
  return status;
}
static inline livery_status @p@_make_@f@(const @T@ *list, livery_value **value) {
  livery_value **made = (livery_value **)calloc(list->count + 1, sizeof *made);
  size_t count = 0;
  livery_status status = LIVERY_OK;
  if (made == NULL) return @p@_fail(LIVERY_ERROR_NO_MEMORY, "there is no memory for a list");
  while (status == LIVERY_OK && count < list->count) {
    status = @p@_make_@g@(&list->items[count], &made[count]);
    if (status == LIVERY_OK) count++;
  }
  if (status == LIVERY_OK) status = livery_value_make_list(made, count, value);
  while (count > 0) livery_value_release(made[--count]);
  free(made);
  return status;
}'''

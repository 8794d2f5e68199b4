// Livery through its C interface, with values in the layer `user`.
#include "mixed.h"

#include <livery.h>

static livery_store *store;

static inline void check(livery_status status) {
  if (status != LIVERY_OK) fail("livery", livery_last_error()->message);
}

static char *schema(void) {
  static const char *const types[KINDS] = {
    "\"ToggleSwitch\"", "\"Number\", \"Format\": \"integer\"", "\"Number\", \"Format\": \"number\"", "\"TextField\"", "\"TextField\""
  };
  char *whole = allocated((size_t)setting_count * 360 + GROUPS * 80 + 200), *end = whole, name[NAME_SIZE];
  long in_group = (setting_count + GROUPS - 1) / GROUPS;
  end += sprintf(end, "{\"Version\": 1, \"Groups\": [");
  for (long index = 0; index < setting_count; index++) {
    value content;
    fill(&content, index, -1);
    setting_name(name, index);
    if (index % in_group == 0) end += sprintf(end, "%s{\"Title\": \"Group %ld\", \"Settings\": [", index ? "]}, " : "", index / in_group);
    end += sprintf(end, "%s{\"Type\": %s, \"Title\": \"Setting %ld\", \"Key\": \"%s\", \"Value\": ", index % in_group ? ", " : "",
                   types[content.kind], index, name);
    switch (content.kind) {
      case BOOL: end += sprintf(end, "%s}", content.truth ? "true" : "false"); break;
      case INT: end += sprintf(end, "%lld}", (long long)content.integer); break;
      case DOUBLE: end += sprintf(end, "%.3f}", content.number); break;
      default: end += sprintf(end, "\"%s\"}", content.text);
    }
  }
  sprintf(end, "]}]}");
  return whole;
}

static void put(livery_change *change, const char *name, const value *value) {
  switch (value->kind) {
    case BOOL: check(livery_change_set_bool(change, name, value->truth)); break;
    case INT: check(livery_change_set_int(change, name, value->integer)); break;
    case DOUBLE: check(livery_change_set_double(change, name, value->number)); break;
    default: check(livery_change_set_string(change, name, value->text, value->length));
  }
}

static void subject_make(const char *path, bool with_schema) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  value content;
  options.flags = LIVERY_OPEN_CREATE;
  check(livery_open(path, &options, &store));
  if (with_schema) {
    char *text = schema();
    check(livery_schema_apply(store, text, LIVERY_ZERO_TERMINATED, NULL, NULL));
    free(text);
  }
  livery_change *change = NULL;
  check(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  for (long place = 0; place < setting_count; place++) {
    fill(&content, order[place], 0);
    put(change, names[place], &content);
  }
  check(livery_change_commit(change, NULL));
  check(livery_close(store));
}

static void subject_open(const char *path) { check(livery_open(path, NULL, &store)); }
static void subject_close(void) { check(livery_close(store)); }

static inline void subject_read(const char *name, kind kind, value *value) {
  switch (kind) {
    case BOOL: check(livery_get_bool(store, name, &value->truth)); break;
    case INT: check(livery_get_int(store, name, &value->integer)); break;
    case DOUBLE: check(livery_get_double(store, name, &value->number)); break;
    default: check(livery_get_string(store, name, value->text, sizeof value->text, &value->length));
  }
}

static void subject_commit(const char *const *chosen, const value *values, int count) {
  if (count > 1) {
    livery_change *change = NULL;
    check(livery_change_begin(store, LIVERY_LAYER_USER, &change));
    for (int item = 0; item < count; item++) put(change, chosen[item], &values[item]);
    check(livery_change_commit(change, NULL));
    return;
  }
  switch (values[0].kind) {
    case BOOL: check(livery_set_bool(store, LIVERY_LAYER_USER, chosen[0], values[0].truth)); break;
    case INT: check(livery_set_int(store, LIVERY_LAYER_USER, chosen[0], values[0].integer)); break;
    case DOUBLE: check(livery_set_double(store, LIVERY_LAYER_USER, chosen[0], values[0].number)); break;
    default: check(livery_set_string(store, LIVERY_LAYER_USER, chosen[0], values[0].text, values[0].length));
  }
}

#include "mixed_driver.h"

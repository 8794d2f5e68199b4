// Livery through its C interface.
#include "workload.h"

#include <livery.h>

enum { MOST_IN_A_SCHEMA = 500000, BATCH = 50000 };

typedef livery_store session;
typedef livery_key *key;
#define HAS_KEYS
#define HAS_THREADED_COMMITS

static livery_store *store;

static inline void check(livery_status status) {
  if (status != LIVERY_OK) fail("livery", livery_last_error()->message);
}

static char *schema_of(long count) {
  static const char *const types[TYPES] = {
    "\"TextField\"", "\"ToggleSwitch\"", "\"Number\", \"Format\": \"integer\"", "\"Number\", \"Format\": \"number\"",
    "\"Color\"", "\"URL\""
  };
  char *schema = allocated((size_t)count * 200 + 200), *end = schema, name[NAME_SIZE], text[TEXT_SIZE];
  end += sprintf(end, "{\"Version\": 1, \"Groups\": [{\"Title\": \"Generated\", \"Settings\": [");
  for (long index = 0; index < count; index++) {
    setting_name(name, index);
    end += sprintf(end, "%s{\"Type\": %s, \"Key\": \"%s\", \"Value\": ", index ? ", " : "", types[index % TYPES], name);
    switch (index % TYPES) {
      case BOOL: end += sprintf(end, "%s}", bool_value(index) ? "true" : "false"); break;
      case INT: end += sprintf(end, "%lld}", (long long)int_value(index)); break;
      case DOUBLE: end += sprintf(end, "%.2f}", double_value(index)); break;
      default:
        text_value(text, index);
        end += sprintf(end, "\"%s\"}", text);
    }
  }
  sprintf(end, "]}]}");
  return schema;
}

/** Without a schema: so many settings are more than one document may declare. */
static void set_all(long count) {
  char name[NAME_SIZE], text[TEXT_SIZE];
  for (long first = 0; first < count; first += BATCH) {
    livery_change *change = NULL;
    check(livery_change_begin(store, LIVERY_LAYER_USER, &change));
    for (long index = first; index < first + BATCH && index < count; index++) {
      setting_name(name, index);
      switch (index % TYPES) {
        case BOOL: check(livery_change_set_bool(change, name, bool_value(index))); break;
        case INT: check(livery_change_set_int(change, name, int_value(index))); break;
        case DOUBLE: check(livery_change_set_double(change, name, double_value(index))); break;
        default:
          text_value(text, index);
          check(livery_change_set_string(change, name, text, LIVERY_ZERO_TERMINATED));
      }
    }
    check(livery_change_commit(change, NULL));
  }
}

static void subject_make(const char *path, long count) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  check(livery_open(path, &options, &store));
  if (count > MOST_IN_A_SCHEMA) {
    set_all(count);
  } else {
    char *schema = schema_of(count);
    check(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
    free(schema);
  }
  check(livery_close(store));
}

static void subject_open(const char *path, long count) {
  (void)count;
  check(livery_open(path, NULL, &store));
}

static void subject_close(void) { check(livery_close(store)); }
static session *session_open(void) { return store; }
static void session_close(session *reader) { (void)reader; }

static inline bool read_bool(session *reader, const char *name) {
  bool value = false;
  check(livery_get_bool(reader, name, &value));
  return value;
}

static inline int64_t read_int(session *reader, const char *name) {
  int64_t value = 0;
  check(livery_get_int(reader, name, &value));
  return value;
}

static inline double read_double(session *reader, const char *name) {
  double value = 0;
  check(livery_get_double(reader, name, &value));
  return value;
}

static inline size_t read_string(session *reader, const char *name, char *buffer, size_t size) {
  size_t length = 0;
  check(livery_get_string(reader, name, buffer, size, &length));
  return length;
}

static key key_open(session *reader, const char *name) {
  livery_key *key = NULL;
  check(livery_key_open(reader, name, &key));
  return key;
}

static inline bool read_bool_key(key key) {
  bool value = false;
  check(livery_key_get_bool(key, &value));
  return value;
}

static inline int64_t read_int_key(key key) {
  int64_t value = 0;
  check(livery_key_get_int(key, &value));
  return value;
}

static inline double read_double_key(key key) {
  double value = 0;
  check(livery_key_get_double(key, &value));
  return value;
}

static void subject_commit(const char *const *names, const int64_t *values, int count) {
  if (count == 1) {
    check(livery_set_int(store, LIVERY_LAYER_USER, names[0], values[0]));
    return;
  }
  livery_change *change = NULL;
  check(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  for (int index = 0; index < count; index++) check(livery_change_set_int(change, names[index], values[index]));
  check(livery_change_commit(change, NULL));
}

#include "driver.h"

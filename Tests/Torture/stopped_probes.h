// What is measured while another process stands still: every function that says how it waits, each with its values known.
#ifndef STOPPED_PROBES_H
#define STOPPED_PROBES_H

#include "torture.h"

/** How a function may wait: not at all; for other writers; for those and an opener besides; up to five seconds. */
typedef enum wait_class { NEVER, WRITES, WRITES_TWICE, CHECKS } wait_class;

static struct measured {
  const char *path;
  livery_store *store;
  livery_key *key, *text_key;
  livery_snapshot *snapshot, *held[200];
  livery_watch *watch;
  size_t held_count;
  char asset[LIVERY_ASSET_ID_SIZE];
  uint64_t round;
  // Whether each round takes a reader's slot that none has used.
  bool takes_slots;
} self;

static const unsigned char probe_bytes[] = {1, 2, 3, 4, 0, 255};
static const char probe_json[] =
    "{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"Number\", \"Format\": \"integer\", "
    "\"Title\": \"N\", \"Key\": \"declared\", \"Value\": 7}, {\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"declared.text\", "
    "\"Value\": \"seven\"}]}]}";
static const char probe_next_json[] =
    "{\"Version\": 2, \"Open\": true, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"Number\", \"Format\": \"integer\", "
    "\"Title\": \"N\", \"Key\": \"declared\", \"Value\": 7}, {\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"declared.text\", "
    "\"Value\": \"seven\"}, {\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"moved\"}]}], \"Migrations\": [{\"To\": 2, \"Steps\": "
    "[{\"Op\": \"copy\", \"From\": \"text\", \"Into\": \"moved\"}]}]}";

// A value that is not the one: never to be had, whatever else happens.
#define RIGHT(condition)                                                                                               \
  do {                                                                                                                 \
    if (status == LIVERY_OK && !(condition)) finding("stopped: wrong value: %s", #condition);                          \
  } while (0)

/** Fills a store with what the probes expect. */
UNUSED static livery_status fill(livery_store *store) {
  livery_value *value = NULL;
  livery_status status = livery_schema_apply(store, probe_json, LIVERY_ZERO_TERMINATED, NULL, NULL);
#define DO(call)                                                                                                       \
  do {                                                                                                                 \
    if (status == LIVERY_OK) status = (call);                                                                          \
  } while (0)
  DO(livery_set_bool(store, LIVERY_LAYER_USER, "flag", true));
  DO(livery_set_int(store, LIVERY_LAYER_USER, "number", 42));
  DO(livery_set_double(store, LIVERY_LAYER_USER, "ratio", 2.5));
  DO(livery_set_string(store, LIVERY_LAYER_USER, "text", "hello, settings", LIVERY_ZERO_TERMINATED));
  DO(livery_set_data(store, LIVERY_LAYER_USER, "bytes", probe_bytes, sizeof probe_bytes));
  DO(livery_set_color(store, LIVERY_LAYER_BUNDLE, "branding.color.Toolbar", (livery_color){1, 0.5f, 0, 1}));
  DO(livery_value_make_url("https://example.org/a", LIVERY_ZERO_TERMINATED, &value));
  DO(livery_set_value(store, LIVERY_LAYER_USER, "link", value));
  livery_value_release(value);
  DO(livery_value_make_date(1000000000000000, &value));
  DO(livery_set_value(store, LIVERY_LAYER_USER, "moment", value));
  livery_value_release(value);
  DO(livery_value_from_json("[1, 2, 3]", LIVERY_ZERO_TERMINATED, &value));
  DO(livery_set_value(store, LIVERY_LAYER_USER, "items", value));
  livery_value_release(value);
  DO(livery_value_from_json("{\"a\": 1}", LIVERY_ZERO_TERMINATED, &value));
  DO(livery_set_value(store, LIVERY_LAYER_USER, "thing", value));
  livery_value_release(value);
  for (int index = 0; index < 60; index++) {
    char name[32], text[600];
    snprintf(name, sizeof name, "filler%d", index);
    memset(text, 'a' + index % 26, sizeof text);
    DO(livery_set_string(store, LIVERY_LAYER_USER, name, text, 100 + (size_t)index * 8));
  }
  return status;
}

#define PROBE(name) static livery_status probe_##name(void)
#define VALUE_PROBE(name, call, expected)                                                                              \
  PROBE(name) {                                                                                                        \
    livery_value *value = NULL;                                                                                        \
    size_t count = 0;                                                                                                  \
    livery_status status = call;                                                                                       \
    if (status == LIVERY_OK) livery_value_count(value, &count);                                                        \
    RIGHT(expected);                                                                                                   \
    livery_value_release(value);                                                                                       \
    return status;                                                                                                     \
  }
#define SCALAR_PROBE(name, type, call, expected)                                                                       \
  PROBE(name) {                                                                                                        \
    type value = (type){0};                                                                                            \
    livery_status status = call;                                                                                       \
    RIGHT(expected);                                                                                                   \
    return status;                                                                                                     \
  }
#define TEXT_PROBE(name, call, expected)                                                                               \
  PROBE(name) {                                                                                                        \
    char text[64] = "";                                                                                                \
    livery_status status = call;                                                                                       \
    RIGHT(strcmp(text, expected) == 0);                                                                                \
    return status;                                                                                                     \
  }

SCALAR_PROBE(get_bool, bool, livery_get_bool(self.store, "flag", &value), value)
PROBE(get_int) {
  int64_t value = 0;
  // For seeing the harness fail: a read that commits.
  if (option_given("--broken")) {
    livery_status status = livery_set_int(self.store, LIVERY_LAYER_USER, "scratch", (int64_t)self.round);
    if (status != LIVERY_OK) return status;
  }
  livery_status status = livery_get_int(self.store, "number", &value);
  RIGHT(value == 42);
  return status;
}
SCALAR_PROBE(get_float, float, livery_get_float(self.store, "ratio", &value), value == 2.5f)
SCALAR_PROBE(get_double, double, livery_get_double(self.store, "ratio", &value), value == 2.5)
TEXT_PROBE(get_string, livery_get_string(self.store, "text", text, sizeof text, NULL), "hello, settings")
PROBE(get_data) {
  unsigned char bytes[16];
  size_t length = 0;
  livery_status status = livery_get_data(self.store, "bytes", bytes, sizeof bytes, &length);
  RIGHT(length == sizeof probe_bytes && memcmp(bytes, probe_bytes, length) == 0);
  return status;
}
TEXT_PROBE(get_url, livery_get_url(self.store, "link", text, sizeof text, NULL), "https://example.org/a")
SCALAR_PROBE(get_date, int64_t, livery_get_date(self.store, "moment", &value), value == 1000000000000000)
SCALAR_PROBE(get_color, livery_color, livery_get_color(self.store, "branding.color.Toolbar", &value), value.red == 1)
VALUE_PROBE(get_list, livery_get_list(self.store, "items", &value), count == 3)
VALUE_PROBE(get_object, livery_get_object(self.store, "thing", &value), count == 1)
VALUE_PROBE(get_value, livery_get_value(self.store, "items", &value), count == 3)
TEXT_PROBE(read, livery_read(self.store, "text", text, sizeof text, &(livery_reading){0}), "hello, settings")
PROBE(get_int_of_default) {
  int64_t value = 0;
  livery_status status = livery_get_int(self.store, "declared", &value);
  RIGHT(value == 7);
  return status;
}
PROBE(get_string_first_time) {
  char name[32], text[800] = "";
  size_t length = 0, index = self.round % 60;
  snprintf(name, sizeof name, "filler%zu", index);
  livery_status status = livery_get_string(self.store, name, text, sizeof text, &length);
  RIGHT(length == 100 + index * 8 && text[0] == (char)('a' + index % 26));
  return status;
}
PROBE(copy_string) {
  char *text = NULL;
  livery_status status = livery_copy_string(self.store, "text", &text, NULL);
  RIGHT(strcmp(text, "hello, settings") == 0);
  livery_free(text);
  return status;
}
PROBE(copy_data) {
  void *bytes = NULL;
  size_t length = 0;
  livery_status status = livery_copy_data(self.store, "bytes", &bytes, &length);
  RIGHT(length == sizeof probe_bytes && memcmp(bytes, probe_bytes, length) == 0);
  livery_free(bytes);
  return status;
}
PROBE(key_open) {
  livery_key_close(self.key);
  livery_key_close(self.text_key);
  self.key = self.text_key = NULL;
  livery_status status = livery_key_open(self.store, "number", &self.key);
  return status == LIVERY_OK ? livery_key_open(self.store, "text", &self.text_key) : status;
}
PROBE(key_get_bool) {
  bool value = false;
  livery_status status = livery_key_get_bool(self.key, &value);
  // 42 is neither.
  return status == LIVERY_ERROR_TYPE_MISMATCH ? LIVERY_OK : status;
}
SCALAR_PROBE(key_get_int, int64_t, livery_key_get_int(self.key, &value), value == 42)
SCALAR_PROBE(key_get_double, double, livery_key_get_double(self.key, &value), value == 42)
TEXT_PROBE(key_get_string, livery_key_get_string(self.text_key, text, sizeof text, NULL), "hello, settings")
PROBE(key_close) {
  livery_status status = livery_key_close(self.text_key);
  self.text_key = NULL;
  return status;
}
SCALAR_PROBE(revision, uint64_t, livery_revision(self.store, &value), value > 60)
VALUE_PROBE(list, livery_list(self.store, "filler*", NULL, &value), count == 60)
VALUE_PROBE(inspect, livery_inspect(self.store, "number", &value), count >= 5)
PROBE(snapshot_open) {
  if (self.takes_slots) {
    // Those that are held have the slots that there are.
    if (self.held_count == COUNT_OF(self.held))
      while (self.held_count > 0) livery_snapshot_close(self.held[--self.held_count]);
    if (self.snapshot) self.held[self.held_count++] = self.snapshot;
  } else {
    livery_snapshot_close(self.snapshot);
  }
  self.snapshot = NULL;
  return livery_snapshot_open(self.store, &self.snapshot);
}
SCALAR_PROBE(snapshot_revision, uint64_t, self.snapshot ? livery_snapshot_revision(self.snapshot, &value) : LIVERY_ERROR_BUSY, value > 60)
VALUE_PROBE(snapshot_get, self.snapshot ? livery_snapshot_get(self.snapshot, "items", &value) : LIVERY_ERROR_BUSY, count == 3)
VALUE_PROBE(snapshot_get_layer,
            self.snapshot ? livery_snapshot_get_layer(self.snapshot, LIVERY_LAYER_USER, "items", &value) : LIVERY_ERROR_BUSY, count == 3)
VALUE_PROBE(snapshot_list,
            self.snapshot ? livery_snapshot_list(self.snapshot, LIVERY_LAYER_USER, "filler*", &value) : LIVERY_ERROR_BUSY, count == 60)
PROBE(snapshot_next) {
  char name[LIVERY_NAME_MAX + 1] = "";
  livery_value *value = NULL;
  livery_status status = self.snapshot ? livery_snapshot_next(self.snapshot, "filler*", name, &value) : LIVERY_ERROR_BUSY;
  RIGHT(strcmp(name, "filler0") == 0);
  livery_value_release(value);
  return status;
}
PROBE(snapshot_asset) {
  const void *bytes = NULL;
  size_t length = 0;
  livery_status status = self.snapshot ? livery_snapshot_asset(self.snapshot, self.asset, &bytes, &length) : LIVERY_ERROR_BUSY;
  RIGHT(length == 5000 && ((const char *)bytes)[4999] == 'x');
  return status;
}
PROBE(snapshot_close) {
  if (self.takes_slots || self.round % 2) return LIVERY_OK;
  livery_status status = livery_snapshot_close(self.snapshot);
  self.snapshot = NULL;
  return status;
}
PROBE(asset_get) {
  void *bytes = NULL;
  size_t length = 0;
  livery_status status = livery_asset_get(self.store, self.asset, &bytes, &length);
  RIGHT(length == 5000 && ((char *)bytes)[0] == 'x');
  livery_free(bytes);
  return status;
}
PROBE(asset_fact) {
  void *bytes = NULL;
  size_t length = 0;
  livery_status status = livery_asset_fact(self.store, self.asset, "x", &bytes, &length);
  livery_free(bytes);
  return status == LIVERY_ERROR_NO_VALUE ? LIVERY_OK : status;
}
VALUE_PROBE(asset_info, livery_asset_info(self.store, self.asset, &value), count >= 2)
VALUE_PROBE(asset_list, livery_asset_list(self.store, &value), count >= 1)
SCALAR_PROBE(branding_color, livery_color, livery_branding_color(self.store, "Toolbar", &value), value.red == 1)
PROBE(branding_shown_color) {
  livery_color color = {0};
  bool is_built_in = true;
  livery_status status = livery_branding_shown_color(self.store, "Toolbar", &color, &is_built_in);
  RIGHT(color.red == 1 && !is_built_in);
  return status;
}
SCALAR_PROBE(branding_enabled, bool, livery_branding_enabled(self.store, LIVERY_LAYER_BUNDLE, &value), value)
VALUE_PROBE(branding_list, livery_branding_list(self.store, &value), true)
VALUE_PROBE(branding_get, livery_branding_get(self.store, NULL, &value), count >= 1)
VALUE_PROBE(branding_check, livery_branding_check(self.store, NULL, NULL, &value), count >= 4)
// There are no images: to say so it reads as well.
PROBE(branding_image) {
  livery_value *value = NULL;
  livery_status status = livery_branding_image(self.store, "logo", NULL, &value);
  livery_value_release(value);
  return status == LIVERY_ERROR_NO_VALUE ? LIVERY_OK : status;
}
PROBE(branding_explain) {
  livery_value *value = NULL;
  livery_status status = livery_branding_explain(self.store, "logo", NULL, &value);
  livery_value_release(value);
  return status == LIVERY_ERROR_NO_VALUE ? LIVERY_OK : status;
}
VALUE_PROBE(form, livery_form(self.store, NULL, &value), count >= 5)
VALUE_PROBE(search, livery_search(self.store, "a", NULL, &value), count == 3)
VALUE_PROBE(history, livery_history(self.store, NULL, &value), count > 10)
VALUE_PROBE(settings, livery_settings(self.store, &value), count == 2)
SCALAR_PROBE(schema_version, uint64_t, livery_schema_version(self.store, &value), value == 1 || value == 2)
PROBE(schema_copy_json) {
  char *json = NULL;
  livery_status status = livery_schema_copy_json(self.store, &json, NULL);
  livery_free(json);
  return status;
}
PROBE(schema_copy_digest) {
  char *digest = NULL;
  livery_status status = livery_schema_copy_digest(self.store, &digest, NULL);
  RIGHT(strlen(digest) == 32);
  livery_free(digest);
  return status;
}
VALUE_PROBE(schema_check, livery_schema_check(self.store, probe_next_json, LIVERY_ZERO_TERMINATED, &value), count > 2)
PROBE(export_json) {
  char *json = NULL;
  livery_status status = livery_export_json(self.store, LIVERY_EXPORT_LAYERS, &json, NULL);
  RIGHT(strstr(json, "hello, settings"));
  livery_free(json);
  return status;
}
VALUE_PROBE(stats, livery_stats(self.store, &value), count > 8)
VALUE_PROBE(backups, livery_backups(self.store, &value), true)
SCALAR_PROBE(event_fd, int, livery_event_fd(self.store, &value), value >= 0)
SCALAR_PROBE(dispatch, size_t, livery_dispatch(self.store, &value), true)
static void probe_hear(const livery_event *events, size_t count, void *context) { (void)events, (void)count, (void)context; }
PROBE(watch_start) {
  if (self.watch) livery_watch_stop(self.watch);
  self.watch = NULL;
  return livery_watch_start(self.store, "scratch*", NULL, probe_hear, NULL, NULL, &self.watch);
}
PROBE(watch_pause) { return self.watch ? livery_watch_pause(self.watch, self.round % 2) : LIVERY_OK; }
PROBE(watch_stop) {
  livery_status status = self.watch ? livery_watch_stop(self.watch) : LIVERY_OK;
  self.watch = NULL;
  return status;
}
static void probe_nothing(void *context) { (void)context; }
PROBE(post) { return livery_post(self.store, 0, probe_nothing, NULL, NULL); }
static livery_status probe_step(livery_migration *migration, void *context) {
  (void)migration, (void)context;
  return LIVERY_OK;
}
PROBE(migration_register) { return livery_migration_register(self.store, "probe", probe_step, NULL, NULL); }
// What a change set would make of the store: a list or a number.
#define CHANGE_PROBE(name, call, expected)                                                                             \
  PROBE(name) {                                                                                                        \
    livery_change *change = NULL;                                                                                      \
    livery_value *value = NULL;                                                                                        \
    int64_t number = 0;                                                                                                \
    size_t count = 0;                                                                                                  \
    livery_status status = livery_change_begin(self.store, LIVERY_LAYER_USER, &change);                                \
    DO(livery_change_set_int(change, "number", 43));                                                                   \
    DO(call);                                                                                                          \
    if (status == LIVERY_OK) livery_value_count(value, &count);                                                        \
    if (status == LIVERY_OK) livery_value_as_int(value, &number);                                                      \
    RIGHT(expected);                                                                                                   \
    livery_value_release(value);                                                                                       \
    livery_change_discard(change);                                                                                     \
    return status;                                                                                                     \
  }
CHANGE_PROBE(change_get, livery_change_get(change, "number", &value), number == 43)
CHANGE_PROBE(change_get_layer, livery_change_get_layer(change, LIVERY_LAYER_USER, "items", &value), count == 3)
CHANGE_PROBE(change_list, livery_change_list(change, LIVERY_LAYER_USER, "filler*", &value), count == 60)
PROBE(branding_preview) {
  livery_change *change = NULL;
  livery_value *brand = NULL, *report = NULL;
  livery_status status = livery_change_begin(self.store, LIVERY_LAYER_USER, &change);
  DO(livery_branding_preview(change, NULL, &brand, &report));
  livery_value_release(brand);
  livery_value_release(report);
  livery_change_discard(change);
  return status;
}
PROBE(change_discard) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(self.store, LIVERY_LAYER_USER, &change);
  DO(livery_change_set_int(change, "scratch", 1));
  DO(livery_change_discard(change));
  return status;
}

// Those that wait for writers

PROBE(set_int) { return livery_set_int(self.store, LIVERY_LAYER_USER, "scratch", (int64_t)self.round); }
PROBE(set_string) {
  char text[3000];
  memset(text, 'a' + (int)(self.round % 26), sizeof text);
  return livery_set_string(self.store, LIVERY_LAYER_USER, "scratch.text", text, sizeof text);
}
PROBE(reset) { return livery_reset(self.store, LIVERY_LAYER_USER, "scratch.text"); }
PROBE(change_commit) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(self.store, LIVERY_LAYER_SESSION, &change);
  DO(livery_change_set_int(change, "scratch", (int64_t)self.round));
  DO(livery_change_reset(change, "scratch.other"));
  DO(livery_change_commit(change, NULL));
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}
PROBE(import_json) {
  char json[64];
  snprintf(json, sizeof json, "{\"scratch.import\": %llu}", (unsigned long long)self.round);
  return livery_import_json(self.store, LIVERY_LAYER_USER, json, LIVERY_ZERO_TERMINATED, 0, NULL);
}
PROBE(import_plist) {
  static const char plist[] = "<plist version=\"1.0\"><dict><key>scratch.plist</key><true/></dict></plist>";
  return livery_import_plist(self.store, LIVERY_LAYER_USER, plist, sizeof plist - 1, 0, NULL);
}
static livery_status probe_edit_step(livery_change *change, void *context) {
  (void)context;
  livery_value *value = NULL;
  livery_status status = livery_change_get(change, "number", &value);
  livery_value_release(value);
  DO(livery_change_set_int(change, "scratch", (int64_t)self.round));
  return status;
}
PROBE(edit) { return livery_edit(self.store, LIVERY_LAYER_USER, probe_edit_step, NULL, NULL, NULL); }
PROBE(change_replace) {
  livery_change *change = NULL;
  livery_value *value = NULL;
  livery_status status = livery_change_begin(self.store, LIVERY_LAYER_RECOMMENDED, &change);
  DO(livery_value_make_int((int64_t)self.round, &value));
  DO(livery_change_replace(change, "scratch", value));
  livery_value_release(value);
  DO(livery_change_layer(change, LIVERY_LAYER_BUNDLE));
  DO(livery_change_set_int(change, "scratch.bundle", (int64_t)self.round));
  DO(livery_change_commit(change, NULL));
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}
PROBE(branding_set_enabled) { return livery_branding_set_enabled(self.store, LIVERY_LAYER_RECOMMENDED, self.round % 2); }
PROBE(forget) {
  livery_value *report = NULL;
  livery_status status = livery_forget(self.store, "scratch.forgotten", 0, &report);
  livery_value_release(report);
  return status == LIVERY_ERROR_NOT_FOUND ? LIVERY_OK : status;
}
PROBE(undo) {
  uint64_t revision = 0;
  livery_status status = livery_revision(self.store, &revision);
  DO(livery_undo(self.store, revision, 0, NULL));
  // What another one has committed, or nobody may take back.
  return status == LIVERY_ERROR_CONFLICT || status == LIVERY_ERROR_READ_ONLY || status == LIVERY_ERROR_NOT_FOUND ? LIVERY_OK : status;
}
PROBE(asset_put) {
  char id[LIVERY_ASSET_ID_SIZE], bytes[64];
  int length = snprintf(bytes, sizeof bytes, "asset %llu", (unsigned long long)self.round % 7);
  return livery_asset_put(self.store, bytes, (size_t)length, LIVERY_ASSET_ANY, id);
}
PROBE(asset_collect) {
  livery_collect_options options = LIVERY_COLLECT_OPTIONS_INIT;
  return livery_asset_collect(self.store, &options, NULL);
}
PROBE(branding_set_color) {
  return livery_branding_set_color(self.store, LIVERY_LAYER_RECOMMENDED, "Scratch", (livery_color){0, (float)(self.round % 2), 0, 1});
}
PROBE(schema_apply) {
  livery_status status = livery_schema_apply(self.store, probe_json, LIVERY_ZERO_TERMINATED, NULL, NULL);
  return status == LIVERY_ERROR_SCHEMA_NEWER ? LIVERY_OK : status;
}
PROBE(backup) { return livery_backup(self.store, NULL); }
PROBE(compact) { return livery_compact(self.store); }
PROBE(check) { return livery_check(self.path, NULL); }

typedef struct probe {
  const char *name;
  wait_class waits;
  livery_status (*run)(void);
} probe;

#define READING(name) {#name, NEVER, probe_##name}
static const probe reading[] = {
    READING(get_bool), READING(get_int), READING(get_float), READING(get_double), READING(get_string), READING(get_data),
    READING(get_url), READING(get_date), READING(get_color), READING(get_list), READING(get_object), READING(get_value),
    READING(read), READING(get_int_of_default), READING(get_string_first_time), READING(copy_string), READING(copy_data), READING(key_open),
    READING(key_get_bool), READING(key_get_int), READING(key_get_double), READING(key_get_string), READING(key_close), READING(revision),
    READING(list), READING(inspect), READING(snapshot_open), READING(snapshot_revision), READING(snapshot_get),
    READING(snapshot_get_layer), READING(snapshot_list), READING(snapshot_next), READING(snapshot_asset), READING(snapshot_close), READING(asset_get), READING(asset_fact), READING(asset_info),
    READING(asset_list), READING(branding_color), READING(branding_shown_color),
    READING(branding_preview), READING(branding_enabled), READING(branding_list), READING(branding_get),
    READING(branding_check), READING(branding_image), READING(branding_explain), READING(history), READING(settings),
    READING(form), READING(search),
    READING(schema_version), READING(schema_copy_json), READING(schema_copy_digest), READING(schema_check), READING(export_json), READING(stats),
    READING(backups), READING(event_fd), READING(dispatch), READING(watch_start), READING(watch_pause), READING(watch_stop),
    READING(post), READING(migration_register), READING(change_get), READING(change_get_layer), READING(change_list),
    READING(change_discard)};
#define WRITING(name) {#name, WRITES, probe_##name}
static const probe writing[] = {
    WRITING(set_int), WRITING(set_string), WRITING(reset), WRITING(change_commit), WRITING(import_json),
    WRITING(import_plist), WRITING(edit), WRITING(change_replace), WRITING(branding_set_enabled), WRITING(forget), WRITING(undo),
    WRITING(asset_put), WRITING(asset_collect), WRITING(branding_set_color), WRITING(schema_apply),
    // Once for the present state's copy, once for the writers.
    {"backup", WRITES, probe_backup}, {"compact", WRITES_TWICE, probe_compact}, {"check", CHECKS, probe_check}};

#endif

// What faults strike: each operation is called with an open store, or with none if it opens one itself. Part of fault_sweep.c.
#ifndef FAULT_SWEEP_OPERATIONS_H
#define FAULT_SWEEP_OPERATIONS_H

#include "workload.h"

// The store, one that an operation makes, and a copy of what the store held earlier.
static char place[300], fresh_place[300], backup[320];

static char schema[8192];
static const char plist[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict><key>from.plist</key>"
                            "<integer>7</integer><key>more</key><array><string>a</string></array></dict></plist>";
static char large[60000];

static livery_status do_set_bool(livery_store *s) { return livery_set_bool(s, LIVERY_LAYER_USER, "one", true); }
static livery_status do_set_int(livery_store *s) { return livery_set_int(s, LIVERY_LAYER_USER, "one", 77); }
static livery_status do_set_double(livery_store *s) { return livery_set_double(s, LIVERY_LAYER_USER, "one", 7.5); }
static livery_status do_set_string(livery_store *s) {
  return livery_set_string(s, LIVERY_LAYER_USER, "one", large, sizeof large);
}
static livery_status do_set_data(livery_store *s) { return livery_set_data(s, LIVERY_LAYER_USER, "one", large, 3000); }
static livery_status do_set_color(livery_store *s) {
  return livery_set_color(s, LIVERY_LAYER_USER, "one", (livery_color){1, 0, 0, 1});
}
static livery_status do_set_value(livery_store *s) {
  livery_value *value = NULL;
  livery_status status = livery_value_from_json("[1, {\"a\": 2.5}]", LIVERY_ZERO_TERMINATED, &value);
  if (status == LIVERY_OK) status = livery_set_value(s, LIVERY_LAYER_USER, "one", value);
  livery_value_release(value);
  return status;
}
static livery_status do_reset(livery_store *s) { return livery_reset(s, LIVERY_LAYER_USER, "two"); }
static livery_status end_change(livery_change *change, livery_status status) {
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}
static livery_status do_change_set(livery_store *s) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(s, LIVERY_LAYER_USER, &change);
  for (int index = 0; index < 40 && status == LIVERY_OK; index++) {
    char name[32];
    snprintf(name, sizeof name, "many.%d", index);
    status = livery_change_set_string(change, name, large, (size_t)(index * 97));
  }
  return end_change(change, status);
}
static livery_status edit_step(livery_change *change, void *user_data) {
  (void)user_data;
  livery_value *value = NULL;
  livery_status status = livery_change_get(change, "two", &value);
  livery_value_release(value);
  if (status == LIVERY_ERROR_NO_VALUE) status = LIVERY_OK;
  return status == LIVERY_OK ? livery_change_set_int(change, "one", 81) : status;
}
static livery_status do_edit(livery_store *s) { return livery_edit(s, LIVERY_LAYER_USER, edit_step, NULL, NULL, NULL); }
static livery_status do_change_layers(livery_store *s) {
  livery_change *change = NULL;
  livery_value *value = NULL;
  livery_status status = livery_change_begin(s, LIVERY_LAYER_RECOMMENDED, &change);
  if (status == LIVERY_OK) status = livery_value_make_int(82, &value);
  if (status == LIVERY_OK) status = livery_change_replace(change, "one", value);
  if (status == LIVERY_OK) status = livery_change_layer(change, LIVERY_LAYER_ENFORCED);
  if (status == LIVERY_OK) status = livery_change_set_value(change, "two", value);
  livery_value_release(value);
  return end_change(change, status);
}
static livery_status do_forget(livery_store *s) {
  livery_value *report = NULL;
  livery_status status = livery_forget(s, "two", 0, &report);
  livery_value_release(report);
  return status;
}
static livery_status do_replace_layer(livery_store *s) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(s, LIVERY_LAYER_USER, &change);
  if (status == LIVERY_OK) status = livery_change_reset_all(change);
  if (status == LIVERY_OK) status = livery_change_set_int(change, "two", 22);
  return end_change(change, status);
}
// Long enough to be pending whenever it is looked.
static livery_status do_trial(livery_store *s) {
  livery_change *change = NULL;
  livery_status status = livery_change_begin(s, LIVERY_LAYER_USER, &change);
  if (status == LIVERY_OK) status = livery_change_trial(change, INT64_C(3600000000));
  if (status == LIVERY_OK) status = livery_change_set_int(change, "one", 83);
  if (status == LIVERY_OK) status = livery_change_reset(change, "two");
  return end_change(change, status);
}
static livery_status do_apply(livery_store *s) { return livery_schema_apply(s, schema, LIVERY_ZERO_TERMINATED, NULL, NULL); }
static livery_status do_import_json(livery_store *s) {
  return livery_import_json(s, LIVERY_LAYER_ENFORCED, "{\"one\": 5, \"from.json\": [1, 2]}", LIVERY_ZERO_TERMINATED, 0, NULL);
}
static livery_status do_import_plist(livery_store *s) {
  return livery_import_plist(s, LIVERY_LAYER_BUNDLE, plist, sizeof plist - 1, 0, NULL);
}
static livery_status do_undo(livery_store *s) {
  uint64_t revision = 0;
  livery_status status = livery_revision(s, &revision);
  return status == LIVERY_OK ? livery_undo(s, revision, 0, NULL) : status;
}
static livery_status open_and_close(const char *path, uint32_t flags, bool sets) {
  livery_store *store = NULL;
  livery_status status = open_with(path, flags, &store);
  if (status == LIVERY_OK && sets) status = livery_set_int(store, LIVERY_LAYER_BUNDLE, "three", 78);
  livery_close(store);
  return status;
}
static livery_status do_open(livery_store *s) {
  (void)s;
  return open_and_close(place, 0, false);
}
static livery_status do_open_and_set(livery_store *s) {
  (void)s;
  return open_and_close(place, 0, true);
}
static livery_status do_make(livery_store *s) {
  (void)s;
  return open_and_close(fresh_place, LIVERY_OPEN_CREATE, true);
}
static livery_status do_grow(livery_store *s) {
  (void)s;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  options.map_size = 1 << 20;
  livery_status status = livery_open(place, &options, &store);
  livery_change *change = NULL;
  if (status == LIVERY_OK) status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
  for (int index = 0; index < 30 && status == LIVERY_OK; index++) {
    char name[32];
    snprintf(name, sizeof name, "grow.%d", index);
    status = livery_change_set_string(change, name, large, sizeof large);
  }
  status = end_change(change, status);
  livery_close(store);
  return status;
}
static void ignore(const livery_event *events, size_t count, void *user_data) { (void)events, (void)count, (void)user_data; }
static livery_status do_watch(livery_store *s) {
  livery_watch *watch = NULL;
  int descriptor = -1;
  livery_status status = livery_watch_start(s, NULL, NULL, ignore, NULL, NULL, &watch);
  if (status == LIVERY_OK) status = livery_event_fd(s, &descriptor);
  if (status == LIVERY_OK) status = livery_set_int(s, LIVERY_LAYER_USER, "one", 79);
  livery_watch_stop(watch);
  return status;
}
static livery_status do_read(livery_store *s) {
  livery_status status = LIVERY_OK;
  digest_of(s, &status);
  return status;
}

// Branding, assets and upkeep. What they need is made with the store.

static const char console[] = "{\"name\": \"Acme\", \"colors\": {\"Toolbar\": \"#204060\", \"PrimaryText\": \"#FFF\"}, "
                              "\"images\": {\"logo\": {\"phone@2x\": \"https://acme.example/p.png\"}}}";
static const char skin[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict><key>Toolbar</key><dict>"
                           "<key>red</key><integer>12</integer><key>green</key><integer>34</integer><key>blue</key>"
                           "<integer>56</integer></dict></dict></plist>";
static char image[70000], stored_image[] = "GIF89a\1\0\1\0\0\0\0;";

static livery_status apply_console(livery_store *s, const char *text) {
  livery_value *payload = NULL;
  livery_status status = livery_value_from_json(text, LIVERY_ZERO_TERMINATED, &payload);
  if (status == LIVERY_OK) status = livery_branding_apply_console(s, payload, NULL, NULL);
  livery_value_release(payload);
  return status;
}
static livery_status do_brand_console(livery_store *s) { return apply_console(s, console); }
static livery_status do_brand_plist(livery_store *s) {
  return livery_branding_apply_plist(s, skin, sizeof skin - 1, NULL, NULL);
}
static livery_status do_brand_enable(livery_store *s) {
  return livery_branding_set_enabled(s, LIVERY_LAYER_BUNDLE, false);
}
static livery_status do_brand_wipe(livery_store *s) { return livery_branding_wipe(s); }
static livery_status do_asset_put(livery_store *s) { return livery_asset_put(s, image, sizeof image, LIVERY_ASSET_ANY, NULL); }
static livery_status do_asset_change(livery_store *s) {
  livery_change *change = NULL;
  char id[LIVERY_ASSET_ID_SIZE] = "";
  livery_status status = livery_change_begin(s, LIVERY_LAYER_USER, &change);
  if (status == LIVERY_OK) status = livery_change_put_asset(change, image, sizeof image - 1, LIVERY_ASSET_ANY, id);
  if (status == LIVERY_OK) status = livery_change_put_fact(change, id, "fact", "known", 5);
  if (status == LIVERY_OK) status = livery_change_set_string(change, "one", id, LIVERY_ZERO_TERMINATED);
  return end_change(change, status);
}
static livery_status do_brand_preview(livery_store *s) {
  livery_change *change = NULL;
  livery_value *brand = NULL, *report = NULL;
  livery_status status = livery_change_begin(s, LIVERY_LAYER_USER, &change);
  if (status == LIVERY_OK) status = livery_change_set_color(change, "branding.color.Toolbar", (livery_color){0, 1, 0, 1});
  if (status == LIVERY_OK) status = livery_branding_preview(change, NULL, &brand, &report);
  livery_value_release(brand);
  livery_value_release(report);
  return end_change(change, status);
}
static livery_status do_asset_remove(livery_store *s) {
  livery_value *assets = NULL, *first = NULL, *id = NULL;
  const char *text = "";
  livery_status status = livery_asset_list(s, &assets);
  if (status == LIVERY_OK) status = livery_value_at(assets, 0, &first);
  if (status == LIVERY_OK) status = livery_value_member(first, "id", &id);
  if (status == LIVERY_OK) status = livery_value_as_string(id, &text, NULL);
  if (status == LIVERY_OK) status = livery_asset_remove(s, text, LIVERY_ASSET_FORCE);
  livery_value_release(id);
  livery_value_release(first);
  livery_value_release(assets);
  return status;
}
static livery_status do_backup(livery_store *s) { return livery_backup(s, NULL); }
static livery_status do_restore(livery_store *s) { return livery_restore(s, backup, NULL, NULL); }
static livery_status do_compact(livery_store *s) { return livery_compact(s); }

static const struct operation {
  const char *name;
  livery_status (*run)(livery_store *);
  bool opens_itself;
} operations[] = {
  {"set_bool", do_set_bool, false}, {"set_int", do_set_int, false}, {"set_double", do_set_double, false},
  {"set_string", do_set_string, false}, {"set_data", do_set_data, false}, {"set_color", do_set_color, false},
  {"set_value", do_set_value, false}, {"reset", do_reset, false}, {"change_commit", do_change_set, false},
  {"edit", do_edit, false}, {"change_layers", do_change_layers, false}, {"forget", do_forget, false},
  {"change_reset_all", do_replace_layer, false}, {"trial", do_trial, false}, {"schema_apply", do_apply, false}, {"import_json", do_import_json, false},
  {"import_plist", do_import_plist, false}, {"undo", do_undo, false}, {"watch", do_watch, false}, {"read", do_read, false},
  {"open", do_open, true}, {"open_and_set", do_open_and_set, true}, {"make", do_make, true}, {"grow", do_grow, true},
  {"brand_console", do_brand_console, false}, {"brand_plist", do_brand_plist, false},
  {"brand_enable", do_brand_enable, false}, {"brand_wipe", do_brand_wipe, false}, {"asset_put", do_asset_put, false},
  {"asset_change", do_asset_change, false}, {"brand_preview", do_brand_preview, false},
  {"asset_remove", do_asset_remove, false}, {"backup", do_backup, false}, {"restore", do_restore, false},
  {"compact", do_compact, false},
};

static void prepare_operations(void) {
  memset(large, 'l', sizeof large);
  memset(image, 'i', sizeof image);
  workload_schema(schema, sizeof schema, 2);
  snprintf(place, sizeof place, "%s/store", torture_directory);
  snprintf(fresh_place, sizeof fresh_place, "%s/made", torture_directory);
  snprintf(backup, sizeof backup, "%s/backup.mdb", torture_directory);
}

#endif

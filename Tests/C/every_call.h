// Every function that takes a handle, called with good arguments beside it: what a dead, foreign or missing handle
// gives must be the same everywhere, and nothing may be stored through the result parameters.
#ifndef EVERY_CALL_H
#define EVERY_CALL_H

#include "fixture.h"

/** An asset's id; there is no such asset. */
#define SOME_ID "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define UNTOUCHED ((void *)(uintptr_t)0x5a5a5a5a)

static int every_destroyed;

__attribute__((unused)) static void every_event(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count, (void)user_data;
}

__attribute__((unused)) static livery_status every_step(livery_migration *migration, void *user_data) {
  (void)migration, (void)user_data;
  return LIVERY_OK;
}

__attribute__((unused)) static void every_post(void *user_data) { (void)user_data; }

__attribute__((unused)) static livery_status every_edit(livery_change *change, void *user_data) {
  (void)change, (void)user_data;
  return LIVERY_OK;
}

__attribute__((unused)) static livery_status every_check(const char *name, livery_value *value, livery_value **checked,
                                                         void *user_data) {
  (void)name, (void)value, (void)checked, (void)user_data;
  return LIVERY_OK;
}

__attribute__((unused)) static void every_destroy(void *user_data) {
  (void)user_data;
  every_destroyed++;
}

__attribute__((unused)) static void every_read(livery_status expected, livery_store *store) {
  const char *name = "title";
  bool truth = true;
  int64_t number = 77;
  uint64_t revision = 77;
  float single = 77;
  double real = 77;
  livery_color color = {0.25f, 0.25f, 0.25f, 0.25f};
  livery_reading reading = {77, true, 77, 77, color, 77};
  char buffer[16] = "untouched";
  size_t length = 77;
  void *pointer = UNTOUCHED;
  livery_value *value = UNTOUCHED;
  int descriptor = 77, destroyed = every_destroyed;

  EXPECT_STATUS(expected, livery_revision(store, &revision));
  EXPECT_STATUS(expected, livery_get_bool(store, name, &truth));
  EXPECT_STATUS(expected, livery_get_int(store, name, &number));
  EXPECT_STATUS(expected, livery_get_float(store, name, &single));
  EXPECT_STATUS(expected, livery_get_double(store, name, &real));
  EXPECT_STATUS(expected, livery_get_string(store, name, buffer, sizeof buffer, &length));
  EXPECT_STATUS(expected, livery_get_data(store, name, buffer, sizeof buffer, &length));
  EXPECT_STATUS(expected, livery_get_url(store, name, buffer, sizeof buffer, &length));
  EXPECT_STATUS(expected, livery_get_date(store, name, &number));
  EXPECT_STATUS(expected, livery_get_color(store, name, &color));
  EXPECT_STATUS(expected, livery_get_list(store, name, &value));
  EXPECT_STATUS(expected, livery_get_object(store, name, &value));
  EXPECT_STATUS(expected, livery_get_value(store, name, &value));
  EXPECT_STATUS(expected, livery_read(store, name, buffer, sizeof buffer, &reading));
  EXPECT_STATUS(expected, livery_copy_string(store, name, (char **)&pointer, &length));
  EXPECT_STATUS(expected, livery_copy_data(store, name, &pointer, &length));
  EXPECT_STATUS(expected, livery_key_open(store, name, (livery_key **)&pointer));
  EXPECT_STATUS(expected, livery_snapshot_open(store, (livery_snapshot **)&pointer));
  EXPECT_STATUS(expected, livery_list(store, NULL, NULL, &value));
  EXPECT_STATUS(expected, livery_inspect(store, name, &value));
  EXPECT_STATUS(expected, livery_form(store, NULL, &value));
  EXPECT_STATUS(expected, livery_search(store, name, NULL, &value));
  EXPECT_STATUS(expected, livery_schema_version(store, &revision));
  EXPECT_STATUS(expected, livery_schema_copy_json(store, (char **)&pointer, &length));
  EXPECT_STATUS(expected, livery_schema_copy_digest(store, (char **)&pointer, &length));
  EXPECT_STATUS(expected, livery_settings(store, &value));
  EXPECT_STATUS(expected, livery_export_json(store, 0, (char **)&pointer, &length));
  EXPECT_STATUS(expected, livery_watch_start(store, NULL, NULL, every_event, NULL, every_destroy, (livery_watch **)&pointer));
  EXPECT_STATUS(expected, livery_event_fd(store, &descriptor));
  EXPECT_STATUS(expected, livery_dispatch(store, &length));
  EXPECT_STATUS(expected, livery_history(store, NULL, &value));
  EXPECT_STATUS(expected, livery_asset_get(store, SOME_ID, &pointer, &length));
  EXPECT_STATUS(expected, livery_asset_fact(store, SOME_ID, "x", &pointer, &length));
  EXPECT_STATUS(expected, livery_asset_info(store, SOME_ID, &value));
  EXPECT_STATUS(expected, livery_asset_list(store, &value));
  EXPECT_STATUS(expected, livery_migration_register(store, name, every_step, NULL, every_destroy));
  EXPECT_STATUS(expected, livery_post(store, 0, every_post, NULL, every_destroy));
  EXPECT(descriptor == 77 && every_destroyed == destroyed + 3);
  EXPECT_STATUS(expected, livery_branding_color(store, "Toolbar", &color));
  EXPECT_STATUS(expected, livery_branding_shown_color(store, "Toolbar", &color, &truth));
  EXPECT_STATUS(expected, livery_branding_gradient(store, "bar", &color, &color));
  EXPECT_STATUS(expected, livery_branding_image(store, "logo", NULL, &value));
  EXPECT_STATUS(expected, livery_branding_explain(store, "logo", NULL, &value));
  EXPECT_STATUS(expected, livery_branding_enabled(store, LIVERY_LAYER_BUNDLE, &truth));
  EXPECT_STATUS(expected, livery_branding_list(store, &value));
  EXPECT_STATUS(expected, livery_branding_get(store, NULL, &value));
  EXPECT_STATUS(expected, livery_branding_check(store, NULL, NULL, &value));
  EXPECT_STATUS(expected, livery_backup(store, NULL));
  EXPECT_STATUS(expected, livery_backups(store, &value));
  EXPECT_STATUS(expected, livery_stats(store, &value));
  EXPECT_STATUS(expected, livery_set_sealer(store, NULL, NULL, NULL));
  EXPECT_STATUS(expected, livery_sealing(store, &value));
  if (store) EXPECT_STATUS(expected, livery_schema_check(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, &value));

  EXPECT(reading.type == 77 && reading.as_bool && reading.as_int == 77 && reading.length == 77);
  EXPECT(truth && number == 77 && revision == 77 && single == 77 && real == 77 && color.red == 0.25f);
  EXPECT(strcmp(buffer, "untouched") == 0 && length == 77 && pointer == UNTOUCHED && value == UNTOUCHED);
}

__attribute__((unused)) static void every_write_of(livery_status expected, livery_store *store, livery_value *list) {
  const livery_layer user = LIVERY_LAYER_USER;
  livery_value *report = UNTOUCHED;
  livery_change *change = UNTOUCHED;
  uint64_t revision = 77;
  char id[LIVERY_ASSET_ID_SIZE] = "untouched";
  EXPECT_STATUS(expected, livery_set_bool(store, user, "attractLoop", false));
  EXPECT_STATUS(expected, livery_set_int(store, user, "idleResetSeconds", 60));
  EXPECT_STATUS(expected, livery_set_double(store, user, "volume", 0.25));
  EXPECT_STATUS(expected, livery_set_string(store, user, "title", "x", LIVERY_ZERO_TERMINATED));
  EXPECT_STATUS(expected, livery_set_data(store, user, "blob", "x", 1));
  EXPECT_STATUS(expected, livery_set_color(store, user, "branding.color.Toolbar", (livery_color){1, 0, 0, 1}));
  EXPECT_STATUS(expected, livery_set_value(store, user, "playlist", list));
  EXPECT_STATUS(expected, livery_reset(store, user, "title"));
  EXPECT_STATUS(expected, livery_change_begin(store, user, &change));
  EXPECT_STATUS(expected, livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, &report));
  EXPECT_STATUS(expected, livery_import_json(store, user, "{}", LIVERY_ZERO_TERMINATED, 0, &report));
  EXPECT_STATUS(expected, livery_import_plist(store, user, TEXT(PLIST("")), 0, &report));
  EXPECT_STATUS(expected, livery_undo(store, 1, 0, NULL));
  EXPECT_STATUS(expected, livery_trial_confirm(store, 1, NULL));
  EXPECT_STATUS(expected, livery_trial_revert(store, 0, NULL));
  EXPECT_STATUS(expected, livery_trial_status(store, &report));
  EXPECT_STATUS(expected, livery_restore(store, NULL, NULL, NULL));
  EXPECT_STATUS(expected, livery_compact(store));
  EXPECT_STATUS(expected, livery_forget(store, "title", 0, NULL));
  EXPECT_STATUS(expected, livery_reseal(store, 0, &report));
  EXPECT_STATUS(expected, livery_asset_put(store, "x", 1, LIVERY_ASSET_ANY, id));
  EXPECT_STATUS(expected, livery_asset_remove(store, SOME_ID, 0));
  EXPECT_STATUS(expected, livery_asset_collect(store, NULL, &report));
  EXPECT_STATUS(expected, livery_branding_set_color(store, user, "Toolbar", (livery_color){1, 0, 0, 1}));
  EXPECT_STATUS(expected, livery_branding_set_image(store, LIVERY_LAYER_BUNDLE, "logo", list));
  EXPECT_STATUS(expected, livery_branding_apply_plist(store, TEXT(PLIST("")), NULL, &report));
  EXPECT_STATUS(expected, livery_branding_apply_directory(store, "/tmp", NULL, &report));
  EXPECT_STATUS(expected, livery_branding_apply_console(store, list, NULL, &report));
  EXPECT_STATUS(expected, livery_branding_set_enabled(store, LIVERY_LAYER_BUNDLE, false));
  EXPECT_STATUS(expected, livery_branding_wipe(store));
  EXPECT_STATUS(expected, livery_branding_use(store, "other"));
  EXPECT_STATUS(expected, livery_branding_remove(store, "other"));
  EXPECT_STATUS(expected, livery_claim(store, "kept.", every_check, NULL, NULL));
  EXPECT_STATUS(expected, livery_claim_secret(store, "kept.secret"));
  EXPECT_STATUS(expected, livery_edit(store, user, every_edit, NULL, &revision, &report));
  EXPECT(report == UNTOUCHED && change == UNTOUCHED && revision == 77 && strcmp(id, "untouched") == 0);
}

__attribute__((unused)) static void every_write(livery_status expected, livery_store *store) {
  livery_value *list = json("[1]");
  every_write_of(expected, store, list);
  OK(livery_value_release(list));
}

__attribute__((unused)) static void every_migration_call(livery_status expected, livery_migration *migration) {
  livery_layer layer = 77;
  uint64_t version = 77;
  livery_value *value = UNTOUCHED, *number = json("1");
  EXPECT_STATUS(expected, livery_migration_layer(migration, &layer));
  EXPECT_STATUS(expected, livery_migration_version(migration, &version));
  EXPECT_STATUS(expected, livery_migration_get(migration, "title", &value));
  EXPECT_STATUS(expected, livery_migration_set(migration, "title", number));
  EXPECT_STATUS(expected, livery_migration_remove(migration, "title"));
  EXPECT_STATUS(expected, livery_migration_names(migration, &value));
  EXPECT_STATUS(expected, livery_migration_fail(migration, "no"));
  EXPECT(layer == 77 && version == 77 && value == UNTOUCHED);
  OK(livery_value_release(number));
}

__attribute__((unused)) static void every_key_call(livery_status expected, livery_key *key) {
  bool truth = true;
  int64_t number = 77;
  double real = 77;
  char buffer[16] = "untouched";
  size_t length = 77;
  EXPECT_STATUS(expected, livery_key_get_bool(key, &truth));
  EXPECT_STATUS(expected, livery_key_get_int(key, &number));
  EXPECT_STATUS(expected, livery_key_get_double(key, &real));
  EXPECT_STATUS(expected, livery_key_get_string(key, buffer, sizeof buffer, &length));
  EXPECT(truth && number == 77 && real == 77 && strcmp(buffer, "untouched") == 0 && length == 77);
}

__attribute__((unused)) static void every_snapshot_call(livery_status expected, livery_snapshot *snapshot) {
  uint64_t revision = 77;
  livery_value *value = UNTOUCHED;
  char name[LIVERY_NAME_MAX + 1] = "";
  EXPECT_STATUS(expected, livery_snapshot_revision(snapshot, &revision));
  EXPECT_STATUS(expected, livery_snapshot_get(snapshot, "title", &value));
  EXPECT_STATUS(expected, livery_snapshot_get_layer(snapshot, LIVERY_LAYER_DEFAULTS, "title", &value));
  EXPECT_STATUS(expected, livery_snapshot_list(snapshot, LIVERY_LAYER_DEFAULTS, NULL, &value));
  EXPECT_STATUS(expected, livery_snapshot_next(snapshot, NULL, name, &value));
  const void *bytes = UNTOUCHED;
  size_t length = 77;
  EXPECT_STATUS(expected, livery_snapshot_asset(snapshot, SOME_ID, &bytes, &length));
  EXPECT(revision == 77 && value == UNTOUCHED && name[0] == 0 && bytes == UNTOUCHED && length == 77);
}

__attribute__((unused)) static void every_change_call(livery_status expected, livery_change *change,
                                                      livery_value *value) {
  uint64_t revision = 77;
  livery_value *violations = UNTOUCHED, *read = UNTOUCHED;
  EXPECT_STATUS(expected, livery_change_set_bool(change, "attractLoop", false));
  EXPECT_STATUS(expected, livery_change_set_int(change, "idleResetSeconds", 60));
  EXPECT_STATUS(expected, livery_change_set_double(change, "volume", 0.25));
  EXPECT_STATUS(expected, livery_change_set_string(change, "title", "x", LIVERY_ZERO_TERMINATED));
  EXPECT_STATUS(expected, livery_change_set_data(change, "blob", "x", 1));
  EXPECT_STATUS(expected, livery_change_set_color(change, "branding.color.Toolbar", (livery_color){1, 0, 0, 1}));
  EXPECT_STATUS(expected, livery_change_set_value(change, "playlist", value));
  EXPECT_STATUS(expected, livery_change_replace(change, "playlist", value));
  EXPECT_STATUS(expected, livery_change_layer(change, LIVERY_LAYER_USER));
  EXPECT_STATUS(expected, livery_change_get(change, "title", &read));
  EXPECT_STATUS(expected, livery_change_get_layer(change, LIVERY_LAYER_DEFAULTS, "title", &read));
  EXPECT_STATUS(expected, livery_change_list(change, LIVERY_LAYER_DEFAULTS, NULL, &read));
  EXPECT_STATUS(expected, livery_branding_preview(change, NULL, &read, &read));
  EXPECT_STATUS(expected, livery_change_ignore_locks(change));
  EXPECT_STATUS(expected, livery_change_reset(change, "title"));
  EXPECT_STATUS(expected, livery_change_reset_all(change));
  EXPECT_STATUS(expected, livery_change_expires(change, 0));
  EXPECT_STATUS(expected, livery_change_session_ends(change, 0));
  EXPECT_STATUS(expected, livery_change_trial(change, 0));
  EXPECT_STATUS(expected, livery_change_expect(change, "title", 0));
  EXPECT_STATUS(expected, livery_change_origin(change, "test"));
  EXPECT_STATUS(expected, livery_change_attribute(change, "test"));
  EXPECT_STATUS(expected, livery_change_put_asset(change, "x", 1, LIVERY_ASSET_ANY, NULL));
  EXPECT_STATUS(expected, livery_change_put_fact(change, SOME_ID, "x", "x", 1));
  EXPECT_STATUS(expected, livery_change_violations(change, &violations));
  EXPECT_STATUS(expected, livery_change_commit(change, &revision));
  EXPECT(revision == 77 && violations == UNTOUCHED && read == UNTOUCHED);
}

__attribute__((unused)) static void every_value_call(livery_status expected, livery_value *value) {
  livery_type type = 77;
  bool truth = true;
  int64_t number = 77;
  double real = 77;
  livery_color color = {0.25f, 0.25f, 0.25f, 0.25f};
  const void *pointer = UNTOUCHED;
  char *text = UNTOUCHED;
  size_t length = 77;
  livery_value *item = UNTOUCHED, *other = NULL;
  const char *key = "a";
  OK(livery_value_make_int(1, &other));
  EXPECT_STATUS(expected, livery_value_retain(value));
  EXPECT_STATUS(expected, livery_value_type(value, &type));
  EXPECT_STATUS(expected, livery_value_as_bool(value, &truth));
  EXPECT_STATUS(expected, livery_value_as_int(value, &number));
  EXPECT_STATUS(expected, livery_value_as_double(value, &real));
  EXPECT_STATUS(expected, livery_value_as_string(value, (const char **)&pointer, &length));
  EXPECT_STATUS(expected, livery_value_as_data(value, &pointer, &length));
  EXPECT_STATUS(expected, livery_value_as_color(value, &color));
  EXPECT_STATUS(expected, livery_value_as_date(value, &number));
  EXPECT_STATUS(expected, livery_value_count(value, &length));
  EXPECT_STATUS(expected, livery_value_at(value, 0, &item));
  EXPECT_STATUS(expected, livery_value_member(value, "a", &item));
  EXPECT_STATUS(expected, livery_value_key_at(value, 0, (const char **)&pointer, &length));
  EXPECT_STATUS(expected, livery_value_equal(value, other, &truth));
  EXPECT_STATUS(expected, livery_value_equal(other, value, &truth));
  EXPECT_STATUS(expected, livery_value_make_list(&value, 1, &item));
  EXPECT_STATUS(expected, livery_value_make_object(&key, &value, 1, &item));
  EXPECT_STATUS(expected, livery_value_to_json(value, 0, &text, &length));
  EXPECT_STATUS(expected, livery_branding_match(value, NULL, &item));
  EXPECT(type == 77 && truth && number == 77 && real == 77 && color.red == 0.25f && length == 77);
  EXPECT(pointer == UNTOUCHED && text == UNTOUCHED && item == UNTOUCHED);
  OK(livery_value_release(other));
}

#endif

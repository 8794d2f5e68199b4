// Changes that concern several layers: what replaces others, change sets of several, what is beneath locks.
#include "fixture.h"

static const livery_layer user = LIVERY_LAYER_USER;

static void set_by(livery_layer layer, livery_store *store, const char *name, int64_t number) {
  OK(livery_set_int(store, layer, name, number));
}

TEST("what the console replaces counts, the operator's value goes, and undo brings it back", replaced) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *number = json("60"), *read = NULL;
  int64_t seconds = 0;
  uint64_t revision = 0, undone = 0;
  set_by(user, store, "idleResetSeconds", 30);
  set_by(LIVERY_LAYER_SESSION, store, "idleResetSeconds", 40);
  OK(livery_change_begin(store, LIVERY_LAYER_RECOMMENDED, &change));
  OK(livery_change_origin(change, "console"));
  OK(livery_change_replace(change, "idleResetSeconds", number));
  OK(livery_change_get(change, "idleResetSeconds", &read));
  EXPECT_JSON("60", read);
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(40, seconds);
  OK(livery_change_commit(change, &revision));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  // The history tells of one change, by the console.
  livery_history_options last = LIVERY_HISTORY_OPTIONS_INIT;
  last.limit = 1;
  OK(livery_history(store, &last, &read));
  char *text = NULL;
  OK(livery_value_to_json(read, 0, &text, NULL));
  EXPECT(strstr(text, "\"layer\":\"recommended\"") && strstr(text, "\"old\":40") && strstr(text, "\"new\":60"));
  EXPECT_CONTAINS("\"replaced\":[\"user\",\"session\"]", text);
  livery_free(text);
  OK(livery_value_release(read));
  livery_value *reason = NULL;
  OK(livery_inspect(store, "idleResetSeconds", &read));
  OK(livery_value_member(read, "reason", &reason));
  OK(livery_value_to_json(reason, 0, &text, NULL));
  EXPECT_CONTAINS("The console replaced the session's 40 by 60 at revision", text);
  livery_free(text);
  OK(livery_value_release(read));
  // The operator may change it again, and the same once more makes room again.
  set_by(user, store, "idleResetSeconds", 50);
  OK(livery_change_begin(store, LIVERY_LAYER_RECOMMENDED, &change));
  OK(livery_change_replace(change, "idleResetSeconds", number));
  OK(livery_change_commit(change, &revision));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  OK(livery_undo(store, revision, 0, &undone));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(50, seconds);
  // A lock stands above it.
  set_by(LIVERY_LAYER_ENFORCED, store, "idleResetSeconds", 70);
  OK(livery_change_begin(store, LIVERY_LAYER_RECOMMENDED, &change));
  OK(livery_change_replace(change, "idleResetSeconds", number));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_change_commit(change, NULL));
  OK(livery_change_discard(change));
  OK(livery_value_release(number));
  OK(livery_close(store));
}

TEST("a change set may be of several layers, and is one commit", several_layers) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  int64_t a = 0, b = 0;
  uint64_t before = 0, revision = 0;
  set_by(LIVERY_LAYER_SESSION, store, "pair.b", 9);
  OK(livery_revision(store, &before));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 1));
  OK(livery_change_layer(change, LIVERY_LAYER_RECOMMENDED));
  OK(livery_change_set_int(change, "pair.a", 2));
  OK(livery_change_set_int(change, "pair.b", 2));
  OK(livery_change_layer(change, LIVERY_LAYER_SESSION));
  OK(livery_change_reset_all(change));
  OK(livery_change_layer(change, user));
  OK(livery_change_set_int(change, "pair.a", 3));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_layer(change, LIVERY_LAYER_DEFAULTS));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_layer(change, LIVERY_LAYER_OVERRIDE));
  OK(livery_change_commit(change, &revision));
  EXPECT_INT(before + 1, revision);
  OK(livery_get_int(store, "pair.a", &a));
  OK(livery_get_int(store, "pair.b", &b));
  EXPECT(a == 3 && b == 2);
  OK(livery_close(store));
}

TEST("a change set tells what would be in effect", read_back) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *read = NULL;
  set_by(user, store, "pair.a", 5);
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_get(change, "pair.a", &read));
  EXPECT_JSON("5", read);
  OK(livery_change_set_string(change, "pair.a", TEXT("7")));
  OK(livery_change_get(change, "pair.a", &read));
  EXPECT_JSON("7", read);
  OK(livery_change_reset(change, "pair.a"));
  OK(livery_change_get(change, "pair.a", &read));
  EXPECT_JSON("0", read);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_change_get(change, "pair.c", &read));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_change_get(change, "note", &read));
  OK(livery_change_set_string(change, "volume", TEXT("loud")));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_change_get(change, "volume", &read));
  OK(livery_change_set_double(change, "volume", 2));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_get(change, "volume", &read));
  OK(livery_change_discard(change));
  OK(livery_close(store));
}

TEST("a change set tells what a layer would hold, and a snapshot what it held", held_by_layers) {
  static const livery_layer bundle = LIVERY_LAYER_BUNDLE;
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_snapshot *snapshot = NULL;
  livery_change *change = NULL;
  livery_value *read = NULL;
  set_by(bundle, store, "pair.a", 1);
  set_by(user, store, "pair.a", 2);
  set_by(user, store, "pair.b", 3);
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_get_layer(change, bundle, "pair.a", &read));
  EXPECT_JSON("1", read);
  OK(livery_change_reset(change, "pair.a"));
  OK(livery_change_set_int(change, "idleResetSeconds", 30));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_change_get_layer(change, user, "pair.a", &read));
  EXPECT_CONTAINS("user", livery_last_error()->message);
  OK(livery_change_list(change, user, NULL, &read));
  EXPECT_JSON("[\"idleResetSeconds\",\"pair.b\"]", read);
  OK(livery_change_list(change, user, "pair.*", &read));
  EXPECT_JSON("[\"pair.b\"]", read);
  OK(livery_change_set_string(change, "volume", TEXT("loud")));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_change_get_layer(change, user, "volume", &read));
  OK(livery_change_set_double(change, "volume", 2));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_get_layer(change, user, "volume", &read));
  OK(livery_change_reset(change, "volume"));
  OK(livery_change_commit(change, NULL));
  OK(livery_snapshot_get_layer(snapshot, user, "pair.a", &read));
  EXPECT_JSON("2", read);
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_snapshot_get_layer(snapshot, bundle, "pair.b", &read));
  OK(livery_snapshot_list(snapshot, user, "pair.*", &read));
  EXPECT_JSON("[\"pair.a\",\"pair.b\"]", read);
  OK(livery_close(store));
}

TEST("a change set reaches what is locked if it is told to, and the lock still counts", beneath_locks) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  char text[16] = "";
  int64_t number = 0;
  set_by(LIVERY_LAYER_ENFORCED, store, "pair.a", 1);
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 2));
  OK(livery_change_set_string(change, "device.id", TEXT("mine")));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_change_commit(change, NULL));
  OK(livery_change_ignore_locks(change));
  OK(livery_change_commit(change, NULL));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(1, number);
  OK(livery_get_string(store, "device.id", text, sizeof text, NULL));
  EXPECT_TEXT("mine", text);
  OK(livery_reset(store, LIVERY_LAYER_ENFORCED, "pair.a"));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(2, number);
  OK(livery_close(store));
}

TEST("edits of several layers count in the order in which they were made", order) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *number = json("60"), *read = NULL;
  int64_t seconds = 0;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "idleResetSeconds", 30));
  OK(livery_change_layer(change, LIVERY_LAYER_RECOMMENDED));
  OK(livery_change_replace(change, "idleResetSeconds", number));
  OK(livery_change_get(change, "idleResetSeconds", &read));
  EXPECT_JSON("60", read);
  OK(livery_change_layer(change, user));
  OK(livery_change_set_int(change, "idleResetSeconds", 45));
  OK(livery_change_get(change, "idleResetSeconds", &read));
  EXPECT_JSON("45", read);
  OK(livery_change_commit(change, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(45, seconds);
  OK(livery_value_release(number));
  OK(livery_close(store));
}

// Handles that are closed, of another kind, or never were: LIVERY_ERROR_CLOSED from every function, and no crash.
#include "every_call.h"

TEST("every function on a closed store says CLOSED", closed_store) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_close(store));
  every_read(LIVERY_ERROR_CLOSED, store);
  every_write(LIVERY_ERROR_CLOSED, store);
}

TEST("closing a store closes its keys, snapshots, change sets and watches", closing_closes_all) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_watch *watch = NULL;
  OK(livery_watch_start(store, NULL, NULL, every_event, NULL, NULL, &watch));
  livery_key *key = NULL;
  livery_snapshot *snapshot = NULL;
  livery_change *change = NULL;
  livery_value *value = NULL;
  OK(livery_key_open(store, "title", &key));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  OK(livery_get_value(store, "title", &value));
  OK(livery_close(store));
  every_key_call(LIVERY_ERROR_CLOSED, key);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_key_close(key));
  every_snapshot_call(LIVERY_ERROR_CLOSED, snapshot);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_snapshot_close(snapshot));
  every_change_call(LIVERY_ERROR_CLOSED, change, value);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_discard(change));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_stop(watch));
  // Values stay.
  const char *text = NULL;
  OK(livery_value_as_string(value, &text, NULL));
  EXPECT_TEXT("Hello", text);
  OK(livery_value_release(value));
}

TEST("a closed key, snapshot or change set says CLOSED while its store is open", closed_part) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_key *key = NULL;
  livery_snapshot *snapshot = NULL;
  livery_change *discarded = NULL, *committed = NULL;
  livery_value *value = json("1");
  OK(livery_key_open(store, "title", &key));
  OK(livery_key_close(key));
  every_key_call(LIVERY_ERROR_CLOSED, key);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_key_close(key));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_snapshot_close(snapshot));
  every_snapshot_call(LIVERY_ERROR_CLOSED, snapshot);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_snapshot_close(snapshot));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &discarded));
  OK(livery_change_discard(discarded));
  every_change_call(LIVERY_ERROR_CLOSED, discarded, value);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_discard(discarded));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &committed));
  OK(livery_change_commit(committed, NULL));
  every_change_call(LIVERY_ERROR_CLOSED, committed, value);
  OK(livery_value_release(value));
  OK(livery_close(store));
}

TEST("every function on a released value says CLOSED", released_value) {
  livery_value *value = json("{\"a\": [1]}");
  OK(livery_value_retain(value));
  OK(livery_value_release(value));
  size_t count = 0;
  OK(livery_value_count(value, &count));
  OK(livery_value_release(value));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_value_release(value));
  every_value_call(LIVERY_ERROR_CLOSED, value);

  livery_store *store = open_store(fresh_path());
  livery_change *change = NULL;
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_set_value(store, LIVERY_LAYER_USER, "x", value));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_set_value(change, "x", value));
  OK(livery_close(store));
}

TEST("a handle of another kind says CLOSED, and is not harmed", wrong_kind) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_key *key = NULL;
  livery_snapshot *snapshot = NULL;
  livery_change *change = NULL;
  livery_value *value = json("1");
  livery_watch *watch = NULL;
  OK(livery_key_open(store, "attractLoop", &key));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  OK(livery_watch_start(store, NULL, NULL, every_event, NULL, NULL, &watch));

  void *not_stores[] = {key, snapshot, change, value, watch};
  for (size_t index = 0; index < COUNT(not_stores); index++) {
    every_read(LIVERY_ERROR_CLOSED, not_stores[index]);
    every_write(LIVERY_ERROR_CLOSED, not_stores[index]);
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_close(not_stores[index]));
  }
  void *not_keys[] = {store, snapshot, change, value, watch};
  void *not_snapshots[] = {store, key, change, value, watch};
  void *not_changes[] = {store, key, snapshot, value, watch};
  void *not_values[] = {store, key, snapshot, change, watch};
  void *not_watches[] = {store, key, snapshot, change, value};
  for (size_t index = 0; index < 5; index++) {
    every_key_call(LIVERY_ERROR_CLOSED, not_keys[index]);
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_key_close(not_keys[index]));
    every_snapshot_call(LIVERY_ERROR_CLOSED, not_snapshots[index]);
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_snapshot_close(not_snapshots[index]));
    every_change_call(LIVERY_ERROR_CLOSED, not_changes[index], value);
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_discard(not_changes[index]));
    every_value_call(LIVERY_ERROR_CLOSED, not_values[index]);
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_value_release(not_values[index]));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_stop(not_watches[index]));
  }

  bool loop = false;
  OK(livery_key_get_bool(key, &loop));
  EXPECT(loop);
  // Nor where the cache has the answer.
  OK(livery_get_bool(store, "attractLoop", &loop));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_get_bool((livery_store *)key, "attractLoop", &loop));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_key_get_bool((livery_key *)store, &loop));
  OK(livery_key_close(key));
  OK(livery_snapshot_close(snapshot));
  OK(livery_change_discard(change));
  OK(livery_watch_stop(watch));
  OK(livery_value_release(value));
  OK(livery_close(store));
}

TEST("a handle that is reused for something new does not revive the old one", no_revival) {
  livery_store *store = open_store(fresh_path());
  livery_key *first = NULL, *other = NULL;
  OK(livery_key_open(store, "a", &first));
  OK(livery_key_close(first));
  for (int round = 0; round < 3000; round++) {
    OK(livery_key_open(store, "b", &other));
    EXPECT(other != first);
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_key_close(first));
    OK(livery_key_close(other));
  }
  OK(livery_close(store));
}

TEST("pointers into memory and small numbers are no handles", arbitrary_bits) {
  uintptr_t local = 0;
  uintptr_t bits[] = {1, 2, 0xff, 0x1000, UINTPTR_MAX, UINTPTR_MAX - 1, (uintptr_t)1 << 63, (uintptr_t)1 << 32,
                      (uintptr_t)&local};
  for (size_t index = 0; index < COUNT(bits); index++) {
    uint64_t revision = 0;
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_revision((livery_store *)bits[index], &revision));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_close((livery_store *)bits[index]));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_key_close((livery_key *)bits[index]));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_snapshot_close((livery_snapshot *)bits[index]));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_discard((livery_change *)bits[index]));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_value_release((livery_value *)bits[index]));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_stop((livery_watch *)bits[index]));
  }
}

TEST("close, release and discard accept NULL", null_is_nothing) {
  OK(livery_close(NULL));
  OK(livery_key_close(NULL));
  OK(livery_snapshot_close(NULL));
  OK(livery_change_discard(NULL));
  OK(livery_value_release(NULL));
  OK(livery_watch_stop(NULL));
  livery_free(NULL);
}

TEST("two handles of one store are closed each on its own", two_handles) {
  const char *path = fresh_path();
  livery_store *first = new_store(path, KIOSK_SCHEMA), *second = open_store(path);
  EXPECT(first != second);
  OK(livery_set_int(first, LIVERY_LAYER_USER, "idleResetSeconds", 33));
  OK(livery_close(first));
  int64_t seconds = 0;
  OK(livery_get_int(second, "idleResetSeconds", &seconds));
  EXPECT_INT(33, seconds);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_get_int(first, "idleResetSeconds", &seconds));
  OK(livery_close(second));
}

TEST("however many handles there are, each is its own", many) {
  enum { VALUES = 300000 };
  livery_value **values = calloc(VALUES, sizeof *values);
  if (!values) return;
  int64_t found = 0;
  int wrong = 0;
  for (int index = 0; index < VALUES; index++) wrong += livery_value_make_int(index, &values[index]) != LIVERY_OK;
  EXPECT_INT(0, wrong);
  // A store and a key among the last of them are read as quickly.
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_key *key = NULL;
  OK(livery_key_open(store, "idleResetSeconds", &key));
  for (int round = 0; round < 3; round++) {
    OK(livery_key_get_int(key, &found));
    EXPECT_INT(120, found);
    OK(livery_get_int(store, "idleResetSeconds", &found));
    EXPECT_INT(120, found);
  }
  for (int index = 0; index < VALUES; index += 2) wrong += livery_value_release(values[index]) != LIVERY_OK;
  EXPECT_INT(0, wrong);
  for (int index = 0; index < VALUES; index++) {
    livery_status status = livery_value_as_int(values[index], &found);
    wrong += index % 2 == 0 ? status != LIVERY_ERROR_CLOSED : status != LIVERY_OK || found != index;
  }
  EXPECT_INT(0, wrong);
  for (int index = 1; index < VALUES; index += 2) wrong += livery_value_release(values[index]) != LIVERY_OK;
  EXPECT_INT(0, wrong);
  OK(livery_key_close(key));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_key_get_int(key, &found));
  OK(livery_close(store));
  free(values);
}

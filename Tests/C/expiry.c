// Values that expire, and the override layer, whose values all do.
#include "fixture.h"

static livery_store *override_store(void) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, KIOSK_SCHEMA)));
  return open_store_with(path, LIVERY_OPEN_ALLOW_OVERRIDE, 0);
}

TEST("an override needs an expiry", needs_expiry) {
  livery_store *store = override_store();
  const livery_layer layer = LIVERY_LAYER_OVERRIDE;
  const livery_status expected = LIVERY_ERROR_INVALID_VALUE;
  livery_value *list = json("[]");
  livery_change *change = NULL;
  EXPECT_STATUS(expected, livery_set_bool(store, layer, "attractLoop", false));
  EXPECT_STATUS(expected, livery_set_int(store, layer, "idleResetSeconds", 60));
  EXPECT_STATUS(expected, livery_set_double(store, layer, "volume", 0.1));
  EXPECT_STATUS(expected, livery_set_string(store, layer, "title", TEXT("x")));
  EXPECT_STATUS(expected, livery_set_data(store, layer, "blob", TEXT("x")));
  EXPECT_STATUS(expected, livery_set_color(store, layer, "branding.color.Toolbar", (livery_color){1, 0, 0, 1}));
  EXPECT_STATUS(expected, livery_set_value(store, layer, "playlist", list));
  OK(livery_change_begin(store, layer, &change));
  OK(livery_change_set_int(change, "idleResetSeconds", 60));
  EXPECT_STATUS(expected, livery_change_commit(change, NULL));
  OK(livery_change_expires(change, now_microseconds() - 1000000));
  OK(livery_change_set_int(change, "idleResetSeconds", 60));
  EXPECT_STATUS(expected, livery_change_commit(change, NULL));
  OK(livery_value_release(list));
  OK(livery_close(store));
}

TEST("an override wins over an enforced value until it expires", override_expires) {
  livery_store *store = override_store();
  livery_change *change = NULL;
  livery_key *key = NULL;
  int64_t seconds = 0;
  OK(livery_set_int(store, LIVERY_LAYER_ENFORCED, "idleResetSeconds", 200));
  OK(livery_key_open(store, "idleResetSeconds", &key));
  OK(livery_change_begin(store, LIVERY_LAYER_OVERRIDE, &change));
  OK(livery_change_expires(change, now_microseconds() + 400000));
  OK(livery_change_set_int(change, "idleResetSeconds", 60));
  OK(livery_change_commit(change, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  OK(livery_key_get_int(key, &seconds));
  EXPECT_INT(60, seconds);
  livery_snapshot *snapshot = NULL;
  livery_value *value = NULL;
  OK(livery_snapshot_open(store, &snapshot));
  sleep_ms(450);
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(200, seconds);
  OK(livery_key_get_int(key, &seconds));
  EXPECT_INT(200, seconds);
  // The snapshot shows the moment it was opened.
  OK(livery_snapshot_get(snapshot, "idleResetSeconds", &value));
  EXPECT_JSON("60", value);
  OK(livery_snapshot_close(snapshot));
  OK(livery_inspect(store, "idleResetSeconds", &value));
  livery_value *layers = NULL, *strongest = NULL;
  OK(livery_value_member(value, "layers", &layers));
  OK(livery_value_at(layers, 0, &strongest));
  EXPECT_TEXT("override", member_text(strongest, "layer"));
  EXPECT_TEXT("expired", member_text(strongest, "state"));
  OK(livery_value_release(strongest));
  OK(livery_value_release(layers));
  OK(livery_value_release(value));
  OK(livery_close(store));
}

TEST("a session ends at once when its layer is cleared", session) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  char text[32];
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, now_microseconds() + 3600000000));
  OK(livery_change_set_string(change, "title", TEXT("Hello, Ada")));
  OK(livery_change_expires(change, 0));
  OK(livery_change_set_string(change, "language", TEXT("de")));
  OK(livery_change_commit(change, NULL));
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("Hello, Ada", text);
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_reset_all(change));
  OK(livery_change_commit(change, NULL));
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("Hello", text);
  OK(livery_get_string(store, "language", text, sizeof text, NULL));
  EXPECT_TEXT("en", text);
  OK(livery_close(store));
}

TEST("only override and session have expiries", no_expiry) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_change_expires(change, now_microseconds() + 1000000));
  OK(livery_close(store));
}

static void expect_latest(livery_store *store, const char *changes) {
  livery_value *told = NULL, *latest = NULL, *found = NULL;
  OK(livery_history(store, NULL, &told));
  OK(livery_value_at(told, 0, &latest));
  OK(livery_value_member(latest, "changes", &found));
  EXPECT_JSON(changes, found);
  OK(livery_value_release(latest));
  OK(livery_value_release(told));
}

TEST("what takes the place of an expired value is told after the expiry", told_twice) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  OK(livery_set_int(store, LIVERY_LAYER_USER, "idleResetSeconds", 200));
  // The same value again, and another one.
  for (int64_t next = 60; next <= 70; next += 10) {
    OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
    OK(livery_change_expires(change, now_microseconds() + 100000));
    OK(livery_change_set_int(change, "idleResetSeconds", 60));
    OK(livery_change_commit(change, NULL));
    sleep_ms(130);
    OK(livery_set_int(store, LIVERY_LAYER_SESSION, "idleResetSeconds", next));
    char expected[300];
    snprintf(expected, sizeof expected,
             "[{\"name\":\"idleResetSeconds\",\"layer\":\"session\",\"old\":60,\"new\":200,\"expired\":true},"
             "{\"name\":\"idleResetSeconds\",\"layer\":\"session\",\"old\":200,\"new\":%d}]", (int)next);
    expect_latest(store, expected);
  }
  OK(livery_close(store));
}

TEST("of a secret that had expired nothing is told that is gone", told_secret) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *told = NULL;
  char *text = NULL;
  OK(livery_set_string(store, LIVERY_LAYER_USER, "pin", TEXT("2222")));
  for (int is_set = 0; is_set < 2; is_set++) {
    OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
    OK(livery_change_expires(change, now_microseconds() + 100000));
    OK(livery_change_set_string(change, "pin", TEXT("3333")));
    OK(livery_change_commit(change, NULL));
    sleep_ms(130);
    if (is_set) OK(livery_set_string(store, LIVERY_LAYER_USER, "pin", TEXT("4444")));
    else OK(livery_reset(store, LIVERY_LAYER_USER, "pin"));
    OK(livery_history(store, NULL, &told));
    OK(livery_value_to_json(told, 0, &text, NULL));
    EXPECT(!strstr(text, "2222") && !strstr(text, "3333"));
    livery_free(text);
    OK(livery_value_release(told));
  }
  OK(livery_close(store));
}

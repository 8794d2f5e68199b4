// Changing settings: one at a time and as change sets, layers and locks, what is refused.
#include "fixture.h"

static const livery_layer user = LIVERY_LAYER_USER;

TEST("a change of each type is read back", each_type) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *list = json("[{\"media\": \"b.mp4\"}]"), *read = NULL;
  OK(livery_set_bool(store, user, "attractLoop", false));
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  OK(livery_set_double(store, user, "volume", 0.25));
  OK(livery_set_string(store, user, "title", "Welcome", LIVERY_ZERO_TERMINATED));
  OK(livery_set_data(store, user, "blob", "\0\1", 2));
  OK(livery_set_color(store, user, "branding.color.Toolbar", (livery_color){1, 0, 0, 1}));
  OK(livery_set_value(store, user, "playlist", list));
  OK(livery_value_release(list));
  bool loop = true;
  int64_t seconds = 0;
  char text[32];
  livery_color color;
  OK(livery_get_bool(store, "attractLoop", &loop));
  EXPECT(!loop);
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("Welcome", text);
  OK(livery_get_color(store, "branding.color.Toolbar", &color));
  EXPECT(color.red == 1 && color.green == 0);
  OK(livery_get_list(store, "playlist", &read));
  EXPECT_JSON("[{\"media\":\"b.mp4\"}]", read);
  // Text converts to the setting's type.
  OK(livery_set_string(store, user, "idleResetSeconds", "30", LIVERY_ZERO_TERMINATED));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(30, seconds);
  OK(livery_close(store));
}

TEST("every edit of a change set arrives, and none before the commit", change_set) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *list = json("[]"), *read = NULL;
  uint64_t before = 0, revision = 0, now = 0;
  OK(livery_revision(store, &before));
  OK(livery_set_string(store, user, "language", TEXT("de")));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_bool(change, "attractLoop", false));
  OK(livery_change_set_int(change, "idleResetSeconds", 500));
  OK(livery_change_set_int(change, "idleResetSeconds", 60));
  OK(livery_change_set_double(change, "volume", 0.75));
  OK(livery_change_set_string(change, "title", TEXT("Shop")));
  OK(livery_change_set_data(change, "blob", NULL, 0));
  OK(livery_change_set_color(change, "branding.color.Toolbar", (livery_color){0, 0, 0, 1}));
  OK(livery_change_set_value(change, "playlist", list));
  OK(livery_change_reset(change, "language"));
  OK(livery_change_origin(change, "settings-view"));
  OK(livery_value_release(list));
  int64_t seconds = 0;
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(120, seconds);
  OK(livery_change_commit(change, &revision));
  EXPECT_INT(before + 2, revision);
  OK(livery_revision(store, &now));
  EXPECT_INT(revision, now);
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  char text[32];
  OK(livery_get_string(store, "language", text, sizeof text, NULL));
  EXPECT_TEXT("en", text);
  size_t length = 7;
  OK(livery_get_data(store, "blob", text, 0, &length));
  EXPECT_INT(0, length);

  OK(livery_inspect(store, "title", &read));
  livery_value *layers = NULL, *strongest = NULL;
  OK(livery_value_member(read, "layers", &layers));
  OK(livery_value_at(layers, 0, &strongest));
  EXPECT_TEXT("user", member_text(strongest, "layer"));
  EXPECT_TEXT("settings-view", member_text(strongest, "origin"));
  EXPECT_TEXT("wins", member_text(strongest, "state"));
  OK(livery_value_release(strongest));
  OK(livery_value_release(layers));
  OK(livery_value_release(read));
  OK(livery_close(store));
}

static void expect_origin(livery_store *store, const char *name, const char *expected) {
  livery_value *read = NULL, *layers = NULL, *strongest = NULL;
  OK(livery_inspect(store, name, &read));
  OK(livery_value_member(read, "layers", &layers));
  OK(livery_value_at(layers, 0, &strongest));
  EXPECT_TEXT(expected, member_text(strongest, "origin"));
  OK(livery_value_release(strongest));
  OK(livery_value_release(layers));
  OK(livery_value_release(read));
}

TEST("values of one commit say who has set each, and history who made the commit", attributed) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_attribute(change, "eva"));
  OK(livery_change_set_double(change, "volume", 0.25));
  OK(livery_change_attribute(change, "otto"));
  OK(livery_change_set_string(change, "title", TEXT("Shop")));
  OK(livery_change_attribute(change, NULL));
  OK(livery_change_set_int(change, "idleResetSeconds", 60));
  OK(livery_change_origin(change, "console"));
  OK(livery_change_commit(change, NULL));
  expect_origin(store, "volume", "eva");
  expect_origin(store, "title", "otto");
  expect_origin(store, "idleResetSeconds", "console");

  livery_history_options options = LIVERY_HISTORY_OPTIONS_INIT;
  livery_value *commits = NULL;
  size_t count = 0;
  options.origin = "console";
  OK(livery_history(store, &options, &commits));
  OK(livery_value_count(commits, &count));
  EXPECT_INT(1, count);
  OK(livery_value_release(commits));

  // What is repeated stays with who has set it.
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_attribute(change, "ida"));
  OK(livery_change_set_double(change, "volume", 0.25));
  OK(livery_change_set_string(change, "title", TEXT("Bar")));
  OK(livery_change_commit(change, NULL));
  expect_origin(store, "volume", "eva");
  expect_origin(store, "title", "ida");
  OK(livery_close(store));
}

TEST("what changes nothing makes no revision", no_change) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  uint64_t before = 0, after = 0;
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  OK(livery_revision(store, &before));
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  OK(livery_reset(store, user, "title"));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_commit(change, &after));
  EXPECT_INT(before, after);
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  OK(livery_close(store));
}

TEST("the stronger layer wins, and removing it uncovers the one beneath", layers) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static const livery_layer order[] = {LIVERY_LAYER_BUNDLE, LIVERY_LAYER_RECOMMENDED, LIVERY_LAYER_USER,
                                       LIVERY_LAYER_SESSION, LIVERY_LAYER_ENFORCED};
  int64_t seconds = 0;
  for (size_t index = 0; index < COUNT(order); index++) {
    OK(livery_set_int(store, order[index], "idleResetSeconds", 100 + (int64_t)index));
    OK(livery_get_int(store, "idleResetSeconds", &seconds));
    EXPECT_INT(100 + index, seconds);
  }
  for (size_t index = COUNT(order); index-- > 0;) {
    OK(livery_reset(store, order[index], "idleResetSeconds"));
    OK(livery_get_int(store, "idleResetSeconds", &seconds));
    EXPECT_INT(index ? 99 + index : 120, seconds);
  }
  OK(livery_close(store));
}

// Every function that sets one value, each on a setting of its type.
static void every_set(livery_status expected, livery_store *store, livery_layer layer) {
  livery_value *list = json("[]");
  EXPECT_STATUS(expected, livery_set_bool(store, layer, "attractLoop", true));
  EXPECT_STATUS(expected, livery_set_int(store, layer, "idleResetSeconds", 61));
  EXPECT_STATUS(expected, livery_set_double(store, layer, "volume", 0.3));
  EXPECT_STATUS(expected, livery_set_string(store, layer, "title", TEXT("x")));
  EXPECT_STATUS(expected, livery_set_data(store, layer, "blob", TEXT("y")));
  EXPECT_STATUS(expected, livery_set_color(store, layer, "branding.color.Toolbar", (livery_color){1, 1, 0, 1}));
  EXPECT_STATUS(expected, livery_set_value(store, layer, "playlist", list));
  OK(livery_value_release(list));
}

TEST("under an enforced value weaker layers are LOCKED until it goes", locked) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  every_set(LIVERY_OK, store, user);
  every_set(LIVERY_OK, store, LIVERY_LAYER_ENFORCED);
  for (livery_layer layer = LIVERY_LAYER_BUNDLE; layer <= LIVERY_LAYER_SESSION; layer++)
    every_set(LIVERY_ERROR_LOCKED, store, layer);
  EXPECT_CONTAINS("enforced", livery_last_error()->message);
  EXPECT_TEXT("playlist", livery_last_error()->setting);
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_reset(store, user, "title"));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_import_json(store, user, TEXT("{\"title\": \"z\"}"), 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED,
                livery_import_plist(store, user, TEXT(PLIST("<key>title</key><string>z</string>")), 0, NULL));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_string(change, "title", TEXT("z")));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_change_commit(change, NULL));
  // Clearing a whole layer is not prevented.
  OK(livery_change_reset_all(change));
  OK(livery_change_commit(change, NULL));
  OK(livery_reset(store, LIVERY_LAYER_ENFORCED, "title"));
  OK(livery_set_string(store, user, "title", TEXT("free")));
  OK(livery_close(store));
}

TEST("the defaults, and override without permission, are READ_ONLY", layers_not_writable) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  every_set(LIVERY_ERROR_READ_ONLY, store, LIVERY_LAYER_DEFAULTS);
  every_set(LIVERY_ERROR_READ_ONLY, store, LIVERY_LAYER_OVERRIDE);
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_reset(store, LIVERY_LAYER_DEFAULTS, "title"));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_begin(store, LIVERY_LAYER_DEFAULTS, &change));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_begin(store, LIVERY_LAYER_OVERRIDE, &change));
  OK(livery_close(store));
}

TEST("what the schema calls ReadOnly is for the console's layers alone", read_only_setting) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_string(store, user, "device.id", TEXT("7")));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_import_json(store, user, TEXT("{\"device.id\": \"7\"}"), 0, NULL));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_string(change, "device.id", TEXT("7")));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_commit(change, NULL));
  OK(livery_change_discard(change));
  OK(livery_set_string(store, LIVERY_LAYER_RECOMMENDED, "device.id", TEXT("7")));
  OK(livery_close(store));
}

TEST("a setting that is not declared cannot be changed", unknown) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *list = json("[]");
  livery_change *change = NULL;
  const livery_status expected = LIVERY_ERROR_NOT_FOUND;
  EXPECT_STATUS(expected, livery_set_bool(store, user, "titel", true));
  EXPECT_STATUS(expected, livery_set_int(store, user, "titel", 61));
  EXPECT_STATUS(expected, livery_set_double(store, user, "titel", 0.3));
  EXPECT_STATUS(expected, livery_set_string(store, user, "titel", TEXT("x")));
  EXPECT_STATUS(expected, livery_set_data(store, user, "titel", TEXT("y")));
  EXPECT_STATUS(expected, livery_set_color(store, user, "titel", (livery_color){1, 1, 0, 1}));
  EXPECT_STATUS(expected, livery_set_value(store, user, "titel", list));
  EXPECT_STATUS(expected, livery_reset(store, user, "titel"));
  EXPECT_CONTAINS("title", livery_last_error()->message);
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "titel", 1));
  EXPECT_STATUS(expected, livery_change_commit(change, NULL));
  OK(livery_value_release(list));
  OK(livery_close(store));
}

TEST("a value of another type is TYPE_MISMATCH and nothing changes", mismatch) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *list = json("[]");
  livery_change *change = NULL;
  uint64_t before = 0, after = 0;
  const livery_status expected = LIVERY_ERROR_TYPE_MISMATCH;
  OK(livery_revision(store, &before));
  EXPECT_STATUS(expected, livery_set_bool(store, user, "idleResetSeconds", true));
  EXPECT_STATUS(expected, livery_set_int(store, user, "attractLoop", 1));
  EXPECT_STATUS(expected, livery_set_double(store, user, "idleResetSeconds", 60.5));
  EXPECT_STATUS(expected, livery_set_string(store, user, "attractLoop", TEXT("perhaps")));
  EXPECT_STATUS(expected, livery_set_data(store, user, "volume", TEXT("y")));
  EXPECT_STATUS(expected, livery_set_color(store, user, "volume", (livery_color){1, 1, 0, 1}));
  EXPECT_STATUS(expected, livery_set_value(store, user, "title", list));
  EXPECT_TEXT("title", livery_last_error()->setting);
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_bool(change, "volume", true));
  EXPECT_STATUS(expected, livery_change_commit(change, NULL));
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  OK(livery_value_release(list));
  OK(livery_close(store));
}

TEST("a value that violates a constraint is INVALID_VALUE, and the constraint is named", constraints) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  const livery_status expected = LIVERY_ERROR_INVALID_VALUE;
  EXPECT_STATUS(expected, livery_set_int(store, user, "idleResetSeconds", 9));
  EXPECT_STATUS(expected, livery_set_int(store, user, "idleResetSeconds", 601));
  EXPECT_CONTAINS("600", livery_last_error()->message);
  EXPECT_STATUS(expected, livery_set_double(store, user, "volume", 1.01));
  EXPECT_STATUS(expected, livery_set_double(store, user, "volume", NAN));
  EXPECT_STATUS(expected, livery_set_double(store, user, "volume", INFINITY));
  EXPECT_STATUS(expected, livery_set_string(store, user, "title", "\xff", 1));
  EXPECT_STATUS(expected, livery_set_string(store, user, "language", TEXT("fr")));
  EXPECT_STATUS(expected, livery_set_color(store, user, "branding.color.Toolbar", (livery_color){2, 0, 0, 1}));
  EXPECT_STATUS(expected, livery_set_color(store, user, "branding.color.Toolbar", (livery_color){0, NAN, 0, 1}));
  EXPECT_STATUS(expected, livery_set_string(store, user, "pin", TEXT("9876543")));
  EXPECT(strstr(livery_last_error()->message, "9876543") == NULL);
  EXPECT_TEXT("pin", livery_last_error()->setting);
  OK(livery_close(store));
}

TEST("a change set reports every violation, and can be corrected", violations) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *list = NULL, *item = NULL;
  size_t count = 0;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "idleResetSeconds", 5000));
  OK(livery_change_set_string(change, "title", TEXT("good")));
  OK(livery_change_set_string(change, "language", TEXT("fr")));
  OK(livery_change_set_bool(change, "nothing", true));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_commit(change, NULL));
  OK(livery_change_violations(change, &list));
  OK(livery_value_count(list, &count));
  EXPECT_INT(3, count);
  OK(livery_value_at(list, 0, &item));
  EXPECT_TEXT("idleResetSeconds", member_text(item, "name"));
  EXPECT_TEXT("LIVERY_ERROR_INVALID_VALUE", member_text(item, "status"));
  EXPECT_TEXT("Maximum", member_text(item, "constraint"));
  OK(livery_value_release(item));
  OK(livery_value_at(list, 2, &item));
  EXPECT_TEXT("LIVERY_ERROR_NOT_FOUND", member_text(item, "status"));
  OK(livery_value_release(item));
  OK(livery_value_release(list));
  OK(livery_change_discard(change));
  char text[32];
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("Hello", text);

  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "idleResetSeconds", 5000));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_commit(change, NULL));
  OK(livery_change_set_int(change, "idleResetSeconds", 50));
  OK(livery_change_commit(change, NULL));
  OK(livery_close(store));
}

TEST("a commit that expects an older state is a CONFLICT", expect) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  uint64_t revision = 0;
  OK(livery_revision(store, &revision));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 1));
  OK(livery_change_expect(change, "pair.a", revision));
  OK(livery_set_int(store, user, "pair.a", 2));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_change_commit(change, NULL));
  // Whoever has looked again expects what is there now, and no more what was.
  OK(livery_revision(store, &revision));
  OK(livery_change_expect(change, "pair.a", revision));
  OK(livery_change_commit(change, NULL));

  // Another setting's change is no conflict; one that never had a value is expected with 0.
  OK(livery_revision(store, &revision));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 3));
  OK(livery_change_expect(change, "pair.a", revision));
  OK(livery_change_expect(change, "note", 0));
  OK(livery_set_int(store, user, "pair.b", 2));
  OK(livery_change_commit(change, NULL));

  // What this store never was is known of another one.
  OK(livery_revision(store, &revision));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 4));
  OK(livery_change_expect(change, "pair.a", revision + 1));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_change_commit(change, NULL));
  OK(livery_change_expect(change, "pair.a", revision));
  OK(livery_change_commit(change, NULL));
  OK(livery_close(store));
}

TEST("a store without a schema takes any setting of any type", without_schema) {
  livery_store *store = open_store(fresh_path());
  livery_value *object = json("{\"a\": [1, 2.5, \"x\", true]}"), *read = NULL;
  OK(livery_set_value(store, user, "anything.at.all", object));
  OK(livery_get_value(store, "anything.at.all", &read));
  EXPECT_JSON("{\"a\":[1,2.5,\"x\",true]}", read);
  OK(livery_value_release(object));
  OK(livery_close(store));
}

TEST("a zero is set over one of the other sign", zeros) {
  livery_store *store = new_store(fresh_path(), NULL);
  double number = 1;
  OK(livery_set_double(store, user, "number", -0.0));
  OK(livery_get_double(store, "number", &number));
  EXPECT(signbit(number));
  OK(livery_set_double(store, user, "number", 0.0));
  OK(livery_get_double(store, "number", &number));
  EXPECT(!signbit(number));
  OK(livery_close(store));
}

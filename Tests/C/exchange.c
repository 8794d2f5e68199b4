// Settings in and out: JSON and property lists.
#include "fixture.h"

static const livery_layer user = LIVERY_LAYER_USER;

static void expect_imported(int64_t expected, livery_value *report) {
  livery_value *member = NULL;
  int64_t count = -1;
  OK(livery_value_member(report, "imported", &member));
  OK(livery_value_as_int(member, &count));
  EXPECT_INT(expected, count);
  OK(livery_value_release(member));
  OK(livery_value_release(report));
}

TEST("JSON is imported as one commit, wrapped or plain", json_forms) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *report = NULL;
  uint64_t before = 0, after = 0;
  int64_t seconds = 0;
  OK(livery_revision(store, &before));
  OK(livery_import_json(store, user, TEXT("{\"Version\": 3, \"Values\": {\"idleResetSeconds\": 60, \"title\": \"T\"}}"),
                        0, &report));
  expect_imported(2, report);
  OK(livery_revision(store, &after));
  EXPECT_INT(before + 1, after);
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  OK(livery_import_json(store, user, "{\"idleResetSeconds\": \"70\"}", LIVERY_ZERO_TERMINATED, 0, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(70, seconds);
  OK(livery_close(store));
}

TEST("a property list is imported, with its own types", plist) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *report = NULL;
  OK(livery_import_plist(store, user,
                         TEXT(PLIST("<key>idleResetSeconds</key><integer>60</integer><key>attractLoop</key><false/>"
                                    "<key>blob</key><data>AQI=</data>")),
                         0, &report));
  expect_imported(3, report);
  size_t length = 0;
  char bytes[8];
  OK(livery_get_data(store, "blob", bytes, sizeof bytes, &length));
  EXPECT_INT(2, length);
  OK(livery_import_plist(store, user, TEXT(PLIST("<key>Values</key><dict><key>title</key><string>P</string></dict>")),
                         0, NULL));
  OK(livery_get_string(store, "title", bytes, sizeof bytes, NULL));
  EXPECT_TEXT("P", bytes);
  OK(livery_close(store));
}

#define XML_ITEM(key, item) PLIST("<key>" key "</key>" item)

TEST("an import with anything wrong is refused whole, and the report lists it", refused) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static const struct {
    livery_status status;
    const char *json, *plist;
  } cases[] = {
    {LIVERY_ERROR_PARSE, "{", "<plist><dict><key>"},
    {LIVERY_ERROR_PARSE, "[1]", "nothing of the kind"},
    {LIVERY_ERROR_NOT_FOUND, "{\"titel\": \"x\"}", XML_ITEM("titel", "<string>x</string>")},
    {LIVERY_ERROR_TYPE_MISMATCH, "{\"idleResetSeconds\": true}", XML_ITEM("idleResetSeconds", "<true/>")},
    {LIVERY_ERROR_INVALID_VALUE, "{\"idleResetSeconds\": 5}", XML_ITEM("idleResetSeconds", "<integer>5</integer>")},
    {LIVERY_ERROR_READ_ONLY, "{\"device.id\": \"x\"}", XML_ITEM("device.id", "<string>x</string>")},
    {LIVERY_ERROR_SCHEMA_NEWER, "{\"Version\": 99, \"Values\": {}}",
     PLIST("<key>Version</key><integer>99</integer><key>Values</key><dict/>")},
  };
  uint64_t before = 0, after = 0;
  OK(livery_revision(store, &before));
  for (size_t index = 0; index < COUNT(cases); index++) {
    livery_value *report = NULL;
    EXPECT_STATUS(cases[index].status,
                  livery_import_json(store, user, cases[index].json, strlen(cases[index].json), 0, &report));
    livery_value_release(report);
    report = NULL;
    EXPECT_STATUS(cases[index].status,
                  livery_import_plist(store, user, cases[index].plist, strlen(cases[index].plist), 0, &report));
    livery_value_release(report);
  }
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_import_json(store, LIVERY_LAYER_DEFAULTS, TEXT("{}"), 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_import_plist(store, LIVERY_LAYER_DEFAULTS, TEXT(PLIST("")), 0, NULL));

  livery_value *report = NULL, *list = NULL, *item = NULL;
  size_t count = 0;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE,
                livery_import_json(store, user, TEXT("{\"idleResetSeconds\": 5, \"title\": \"x\", \"volume\": 2}"), 0,
                                   &report));
  OK(livery_value_member(report, "diagnostics", &list));
  OK(livery_value_count(list, &count));
  EXPECT_INT(2, count);
  OK(livery_value_at(list, 0, &item));
  EXPECT_TEXT("idleResetSeconds", member_text(item, "name"));
  EXPECT_TEXT("Minimum", member_text(item, "constraint"));
  OK(livery_value_release(item));
  OK(livery_value_release(list));
  OK(livery_value_release(report));
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  OK(livery_close(store));
}

TEST("a partial import takes what is good", partial) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *report = NULL;
  char text[16];
  OK(livery_import_json(store, user, TEXT("{\"idleResetSeconds\": 5, \"title\": \"x\", \"titel\": 2}"),
                        LIVERY_IMPORT_PARTIAL, &report));
  expect_imported(1, report);
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("x", text);
  OK(livery_import_plist(store, user, TEXT(PLIST("<key>titel</key><string>x</string>")), LIVERY_IMPORT_PARTIAL,
                         &report));
  expect_imported(0, report);
  // A part that is no value takes its setting with it, and nothing else.
  static const char list[] = PLIST("<key>title</key><integer>99999999999999999999</integer><key>idleResetSeconds</key>"
                                   "<integer>90</integer>");
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_import_plist(store, user, TEXT(list), 0, NULL));
  OK(livery_import_plist(store, user, TEXT(list), LIVERY_IMPORT_PARTIAL, &report));
  expect_imported(1, report);
  EXPECT_STATUS(LIVERY_ERROR_PARSE,
                livery_import_plist(store, user, TEXT(PLIST("<key>a</key><true/><key>a</key><true/>")),
                                    LIVERY_IMPORT_PARTIAL, NULL));
  OK(livery_close(store));
}

TEST("what an import replaces counts, whatever the operator has set", replaced) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  int64_t number = 0;
  OK(livery_set_int(store, user, "idleResetSeconds", 40));
  OK(livery_set_string(store, user, "title", "operator's", LIVERY_ZERO_TERMINATED));
  OK(livery_import_json(store, LIVERY_LAYER_RECOMMENDED, TEXT("{\"idleResetSeconds\": 60}"), 0, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_INT(40, number);
  OK(livery_import_json(store, LIVERY_LAYER_RECOMMENDED, TEXT("{\"idleResetSeconds\": 60}"), LIVERY_IMPORT_REPLACE, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_INT(60, number);
  OK(livery_set_int(store, user, "idleResetSeconds", 50));
  OK(livery_import_plist(store, LIVERY_LAYER_RECOMMENDED, TEXT(PLIST("<key>idleResetSeconds</key><integer>70</integer>")),
                         LIVERY_IMPORT_REPLACE | LIVERY_IMPORT_PARTIAL, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_INT(70, number);
  // Others stay, and one undo brings all back.
  char text[16];
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("operator's", text);
  uint64_t revision = 0;
  OK(livery_revision(store, &revision));
  OK(livery_undo(store, revision, 0, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_INT(50, number);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT,
                livery_import_json(store, user, TEXT("{\"Layers\": {}}"), LIVERY_IMPORT_REPLACE, NULL));
  OK(livery_close(store));
}

TEST("members beside the settings are named", beside) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *report = NULL, *ignored = NULL;
  OK(livery_import_json(store, user, TEXT("{\"Values\": {\"title\": \"x\"}, \"comment\": null}"), 0, &report));
  OK(livery_value_member(report, "ignored", &ignored));
  EXPECT_JSON("[\"comment\"]", ignored);
  expect_imported(1, report);
  OK(livery_close(store));
}

TEST("an import of an export gives the same store back", round_trip) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA), *copy = new_store(fresh_path(), KIOSK_SCHEMA);
  char *exported = NULL, *again = NULL;
  size_t length = 0;
  OK(livery_set_int(store, LIVERY_LAYER_ENFORCED, "idleResetSeconds", 60));
  OK(livery_set_int(store, LIVERY_LAYER_RECOMMENDED, "pair.a", 8));
  OK(livery_set_string(store, user, "title", TEXT("Shop")));
  OK(livery_set_data(store, user, "blob", "\0\xff", 2));
  OK(livery_export_json(store, LIVERY_EXPORT_LAYERS | LIVERY_JSON_PRETTY, &exported, &length));
  EXPECT_INT(strlen(exported), length);
  OK(livery_import_json(copy, user, exported, length, 0, NULL));
  OK(livery_export_json(copy, LIVERY_EXPORT_LAYERS, &again, NULL));
  // All but the defaults, whose time is that of the schema's application: values, revisions, times and origins.
  livery_value *left = json(exported), *right = json(again), *left_layers = NULL, *right_layers = NULL;
  OK(livery_value_member(left, "Layers", &left_layers));
  OK(livery_value_member(right, "Layers", &right_layers));
  static const char *const layers[] = {"recommended", "user", "enforced"};
  for (size_t index = 0; index < COUNT(layers); index++) {
    livery_value *left_layer = NULL, *right_layer = NULL;
    bool equal = false;
    OK(livery_value_member(left_layers, layers[index], &left_layer));
    OK(livery_value_member(right_layers, layers[index], &right_layer));
    OK(livery_value_equal(left_layer, right_layer, &equal));
    EXPECT(equal);
    OK(livery_value_release(left_layer));
    OK(livery_value_release(right_layer));
  }
  OK(livery_value_release(left_layers));
  OK(livery_value_release(right_layers));
  OK(livery_value_release(left));
  OK(livery_value_release(right));
  livery_free(exported);
  livery_free(again);
  uint64_t revision = 0, copied = 0;
  OK(livery_revision(store, &revision));
  OK(livery_revision(copy, &copied));
  EXPECT_INT(revision, copied);
  OK(livery_export_json(store, 0, &exported, NULL));
  EXPECT_CONTAINS("\"title\":\"Shop\"", exported);
  OK(livery_export_json(copy, 0, &again, NULL));
  EXPECT_TEXT(exported, again);
  livery_free(exported);
  livery_free(again);
  OK(livery_close(store));
  OK(livery_close(copy));
}

TEST("a value of an export that tells no revision keeps who set it, and when, through an upgrade", without_revision) {
  static const char *const schema = "{\"Version\": 2, \"Open\": true, \"Groups\": [], \"Migrations\": [{\"To\": 2,"
                                    " \"Steps\": [{\"Op\": \"rename\", \"From\": \"a\", \"Into\": \"b\"}]}]}";
  livery_store *store = new_store(fresh_path(), "{\"Version\": 1, \"Open\": true, \"Groups\": []}");
  livery_value *told = NULL;
  char *text = NULL;
  OK(livery_import_json(store, user,
                        TEXT("{\"Layers\": {\"user\": {\"a\": {\"value\": 1, \"time\": \"2020-01-01T00:00:00Z\", \"origin\": \"bob\"}}}}"),
                        0, NULL));
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_inspect(store, "b", &told));
  OK(livery_value_to_json(told, 0, &text, NULL));
  EXPECT_CONTAINS("\"revision\":2,\"time\":\"2020-01-01T00:00:00Z\",\"origin\":\"bob\"", text);
  livery_free(text);
  OK(livery_value_release(told));
  OK(livery_close(store));
}

// Schemas: applied, checked, refused; what the report says.
#include "fixture.h"

#include <locale.h>

#define SCHEMA(version, settings)                                                                                      \
  "{\"Version\": " version ", \"Groups\": [{\"Title\": \"G\", \"Settings\": [" settings "]}]}"
#define FIELD(key, value) "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"" key "\", \"Value\": \"" value "\"}"

static bool flag(livery_value *report, const char *key) {
  livery_value *member = NULL;
  bool result = false;
  OK(livery_value_member(report, key, &member));
  OK(livery_value_as_bool(member, &result));
  OK(livery_value_release(member));
  return result;
}

static void expect_member(const char *expected, livery_value *report, const char *key) {
  livery_value *member = NULL;
  if (OK(livery_value_member(report, key, &member))) EXPECT_JSON(expected, member);
}

// The first diagnostic of a report.
static livery_value *first_diagnostic(livery_value *report) {
  livery_value *list = NULL, *first = NULL;
  OK(livery_value_member(report, "diagnostics", &list));
  OK(livery_value_at(list, 0, &first));
  OK(livery_value_release(list));
  return first;
}

TEST("a schema brings its settings with their defaults", apply) {
  livery_store *store = open_store(fresh_path());
  livery_value *report = NULL;
  uint64_t version = 77;
  char *text = NULL;
  size_t length = 0;
  OK(livery_schema_version(store, &version));
  EXPECT_INT(0, version);
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_schema_copy_json(store, &text, &length));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_schema_copy_digest(store, &text, &length));
  const char *schema = SCHEMA("2", FIELD("a", "x") "," FIELD("b", "y"));
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, &report));
  EXPECT(flag(report, "applied"));
  EXPECT(!flag(report, "drift"));
  expect_member("2", report, "version");
  expect_member("0", report, "previousVersion");
  expect_member("[\"a\",\"b\"]", report, "added");
  OK(livery_value_release(report));
  OK(livery_schema_version(store, &version));
  EXPECT_INT(2, version);
  OK(livery_schema_copy_json(store, &text, &length));
  EXPECT_TEXT(schema, text);
  EXPECT_INT(strlen(schema), length);
  livery_free(text);
  char *digest;
  OK(livery_schema_copy_digest(store, &digest, &length));
  EXPECT_INT(32, length);
  EXPECT_INT(32, strlen(digest));
  EXPECT_INT(32, strspn(digest, "0123456789abcdef"));

  // The same with other formatting has the same digest.
  livery_store *other;
  livery_open_options memory = LIVERY_OPEN_OPTIONS_INIT;
  memory.flags = LIVERY_OPEN_MEMORY;
  OK(livery_open("", &memory, &other));
  OK(livery_schema_apply(other, " " SCHEMA("2", FIELD("a", "x") " ,\n " FIELD("b", "y")), LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_schema_copy_digest(other, &text, NULL));
  EXPECT_TEXT(digest, text);
  livery_free(text);
  livery_free(digest);
  OK(livery_close(other));

  // A higher version: one goes, one comes, one has another default.
  OK(livery_set_string(store, LIVERY_LAYER_USER, "a", TEXT("mine")));
  const char *next = SCHEMA("3", FIELD("b", "z") "," FIELD("c", "w"));
  OK(livery_schema_apply(store, next, strlen(next), NULL, &report));
  EXPECT(flag(report, "applied"));
  expect_member("[\"c\"]", report, "added");
  expect_member("[\"a\"]", report, "removed");
  expect_member("[\"b\"]", report, "changed");
  OK(livery_value_release(report));
  char value[16];
  OK(livery_get_string(store, "b", value, sizeof value, NULL));
  EXPECT_TEXT("z", value);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_string(store, "a", value, sizeof value, NULL));
  OK(livery_close(store));
}

TEST("the same version again changes nothing; other content is drift and is ignored", drift) {
  livery_store *store = new_store(fresh_path(), SCHEMA("2", FIELD("a", "x")));
  livery_value *report = NULL;
  uint64_t before = 0, after = 0;
  OK(livery_revision(store, &before));
  OK(livery_schema_apply(store, " " SCHEMA("2", FIELD("a", "x")) "\n", LIVERY_ZERO_TERMINATED, NULL, &report));
  EXPECT(!flag(report, "applied"));
  EXPECT(!flag(report, "drift"));
  OK(livery_value_release(report));
  OK(livery_schema_apply(store, SCHEMA("2", FIELD("a", "other")), LIVERY_ZERO_TERMINATED, NULL, &report));
  EXPECT(!flag(report, "applied"));
  EXPECT(flag(report, "drift"));
  OK(livery_value_release(report));
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  char value[16];
  OK(livery_get_string(store, "a", value, sizeof value, NULL));
  EXPECT_TEXT("x", value);
  OK(livery_close(store));
}

TEST("a lower version is SCHEMA_NEWER, with a report, and the store is unchanged", newer) {
  livery_store *store = new_store(fresh_path(), SCHEMA("2", FIELD("a", "x")));
  livery_value *report = NULL;
  const char *older = SCHEMA("1", FIELD("b", "x"));
  EXPECT_STATUS(LIVERY_ERROR_SCHEMA_NEWER, livery_schema_apply(store, older, strlen(older), NULL, &report));
  EXPECT(report != NULL && !flag(report, "applied"));
  OK(livery_value_release(report));
  report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_SCHEMA_NEWER, livery_schema_check(store, older, strlen(older), &report));
  EXPECT(report != NULL);
  OK(livery_value_release(report));
  OK(livery_close(store));
}

TEST("a schema that is not JSON is PARSE, with line and column", not_json) {
  livery_store *store = open_store(fresh_path());
  livery_value *report = NULL;
  const char *broken = "{\"Version\": 1,\n \"Groups\": [}";
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_schema_apply(store, broken, LIVERY_ZERO_TERMINATED, NULL, &report));
  EXPECT_INT(2, livery_last_error()->line);
  EXPECT(report != NULL);
  livery_value *first = first_diagnostic(report);
  EXPECT_TEXT("error", member_text(first, "severity"));
  expect_member("2", first, "line");
  OK(livery_value_release(first));
  OK(livery_value_release(report));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_schema_check(NULL, broken, LIVERY_ZERO_TERMINATED, &report));
  OK(livery_value_release(report));
  OK(livery_close(store));
}

TEST("a schema that breaks a rule is SCHEMA_INVALID; the report says where, and the store is unchanged", invalid) {
  static const char *const broken[] = {
    "[]",
    "{}",
    "{\"Version\": 0, \"Groups\": []}",
    "{\"Version\": \"1\", \"Groups\": []}",
    SCHEMA("1", FIELD("a", "x") "," FIELD("a", "y")),
    SCHEMA("1", "{\"Type\": \"TextField\", \"Title\": \"T\"}"),
    SCHEMA("1", "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"N\", \"Key\": \"n\", \"Value\": 5,"
                " \"Minimum\": 6}"),
    SCHEMA("1", "{\"Type\": \"ComboBox\", \"Title\": \"C\", \"Key\": \"c\", \"Class\": [\"Single\"], \"Value\": \"z\","
                " \"Options\": [{\"Title\": \"A\", \"Value\": \"a\"}]}"),
    SCHEMA("1", "{\"Type\": \"ToggleSwitch\", \"Title\": \"S\", \"Key\": \"s\", \"Value\": \"perhaps\"}"),
    SCHEMA("1", "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"t\", \"Pattern\": \"(\"}"),
  };
  livery_store *store = open_store(fresh_path());
  uint64_t before = 0, after = 0;
  OK(livery_revision(store, &before));
  for (size_t index = 0; index < COUNT(broken); index++) {
    livery_value *report = NULL;
    if (!EXPECT_STATUS(LIVERY_ERROR_SCHEMA_INVALID,
                       livery_schema_apply(store, broken[index], LIVERY_ZERO_TERMINATED, NULL, &report)))
      fprintf(stderr, "    for %s\n", broken[index]);
    if (!report) continue;
    livery_value *first = first_diagnostic(report);
    EXPECT_TEXT("error", member_text(first, "severity"));
    EXPECT(member_text(first, "message")[0] != 0);
    EXPECT(member_text(first, "code")[0] != 0);
    OK(livery_value_release(first));
    OK(livery_value_release(report));
    EXPECT_STATUS(LIVERY_ERROR_SCHEMA_INVALID,
                  livery_schema_check(NULL, broken[index], LIVERY_ZERO_TERMINATED, &report));
    OK(livery_value_release(report));
  }
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  OK(livery_close(store));
}

TEST("a misspelt member is a warning with a hint, not an error", hint) {
  livery_value *report = NULL;
  const char *schema = SCHEMA("1", "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"t\", \"Valeu\": \"x\"}");
  OK(livery_schema_check(NULL, schema, LIVERY_ZERO_TERMINATED, &report));
  EXPECT(!flag(report, "applied"));
  livery_value *first = first_diagnostic(report);
  EXPECT_TEXT("warning", member_text(first, "severity"));
  EXPECT_CONTAINS("Value", member_text(first, "hint"));
  EXPECT_CONTAINS("/Groups/0/Settings/0", member_text(first, "pointer"));
  OK(livery_value_release(first));
  OK(livery_value_release(report));
}

TEST("a check with a store tells what applying would do, and does nothing", check_with_store) {
  livery_store *store = new_store(fresh_path(), SCHEMA("1", FIELD("a", "x")));
  livery_value *report = NULL;
  const char *next = SCHEMA("2", FIELD("b", "x"));
  OK(livery_schema_check(store, next, LIVERY_ZERO_TERMINATED, &report));
  EXPECT(!flag(report, "applied"));
  expect_member("[\"b\"]", report, "added");
  expect_member("[\"a\"]", report, "removed");
  OK(livery_value_release(report));
  uint64_t version = 0;
  OK(livery_schema_version(store, &version));
  EXPECT_INT(1, version);
  OK(livery_close(store));
}

TEST("two versions are compared without a store: what loses values is an error at its place", compare) {
  livery_value *report = NULL, *list = NULL, *first = NULL;
  const char *old = SCHEMA("1", FIELD("idleTime", "x")), *renamed = SCHEMA("2", FIELD("idle_time", "x"));
  OK(livery_schema_compare(old, LIVERY_ZERO_TERMINATED, renamed, strlen(renamed), &report));
  expect_member("1", report, "oldVersion");
  expect_member("2", report, "version");
  expect_member("1", report, "errors");
  expect_member("0", report, "warnings");
  OK(livery_value_member(report, "findings", &list));
  OK(livery_value_at(list, 0, &first));
  EXPECT_TEXT("old", member_text(first, "document"));
  EXPECT_TEXT("error", member_text(first, "severity"));
  EXPECT_TEXT("removed-key", member_text(first, "code"));
  EXPECT_TEXT("idleTime", member_text(first, "setting"));
  EXPECT_TEXT("/Groups/0/Settings/0/Key", member_text(first, "pointer"));
  EXPECT_CONTAINS("did you mean to rename it to `idle_time`?", member_text(first, "hint"));
  OK(livery_value_release(first));
  OK(livery_value_release(list));
  OK(livery_value_release(report));

  OK(livery_schema_compare(old, LIVERY_ZERO_TERMINATED, old, LIVERY_ZERO_TERMINATED, &report));
  expect_member("[]", report, "findings");
  OK(livery_value_release(report));
  report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_schema_compare("{", 1, old, LIVERY_ZERO_TERMINATED, &report));
  EXPECT_STATUS(LIVERY_ERROR_SCHEMA_INVALID, livery_schema_compare(old, LIVERY_ZERO_TERMINATED, "{}", 2, &report));
  EXPECT_CONTAINS("the new schema", livery_last_error()->message);
  EXPECT(report == NULL);
}

TEST("a value that a new schema no longer allows is set aside, and inspect says why", rejected) {
  const char *wide = "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"N\", \"Key\": \"n\", \"Value\": 1}";
  const char *narrow = "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"N\", \"Key\": \"n\", \"Value\": 1,"
                       " \"Maximum\": 10}";
  char schema[512];
  snprintf(schema, sizeof schema, "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [%s]}]}", wide);
  livery_store *store = new_store(fresh_path(), schema);
  livery_value *report = NULL, *list = NULL;
  size_t count = 0;
  int64_t number = 0;
  OK(livery_set_int(store, LIVERY_LAYER_USER, "n", 50));
  snprintf(schema, sizeof schema, "{\"Version\": 2, \"Groups\": [{\"Title\": \"G\", \"Settings\": [%s]}]}", narrow);
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, &report));
  OK(livery_value_member(report, "rejected", &list));
  OK(livery_value_count(list, &count));
  EXPECT_INT(1, count);
  OK(livery_value_release(list));
  OK(livery_value_release(report));
  OK(livery_get_int(store, "n", &number));
  EXPECT_INT(1, number);
  OK(livery_inspect(store, "n", &report));
  OK(livery_value_member(report, "layers", &list));
  livery_value *item = NULL;
  OK(livery_value_at(list, 0, &item));
  EXPECT_TEXT("rejected", member_text(item, "state"));
  EXPECT_CONTAINS("10", member_text(item, "problem"));
  OK(livery_value_release(item));
  OK(livery_value_release(list));
  OK(livery_value_release(report));
  OK(livery_close(store));
}

TEST("settings gives the dictionary that clients of App Settings Management know", settings) {
  livery_store *store = new_store(fresh_path(), SCHEMA("7", FIELD("a", "x") "," "{\"Type\": \"TextField\", "
                                                            "\"Title\": \"T\", \"Key\": \"none\"}"));
  livery_value *value = NULL;
  OK(livery_settings(store, &value));
  EXPECT_JSON("{\"Version\":7,\"Values\":{\"a\":\"x\"}}", value);
  OK(livery_close(store));
}

TEST("the origin given with a schema is kept with its defaults", origin) {
  livery_store *store = open_store(fresh_path());
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  options.origin = "factory";
  OK(livery_schema_apply(store, SCHEMA("1", FIELD("a", "x")), LIVERY_ZERO_TERMINATED, &options, NULL));
  livery_value *report = NULL, *layers = NULL, *item = NULL;
  OK(livery_inspect(store, "a", &report));
  OK(livery_value_member(report, "layers", &layers));
  OK(livery_value_at(layers, 0, &item));
  EXPECT_TEXT("factory", member_text(item, "origin"));
  OK(livery_value_release(item));
  OK(livery_value_release(layers));
  OK(livery_value_release(report));
  options.origin = "line\nbreak";
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT,
                livery_schema_apply(store, SCHEMA("2", ""), LIVERY_ZERO_TERMINATED, &options, NULL));
  OK(livery_close(store));
}

#define PATTERN(key, pattern)                                                                                          \
  "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"" key "\", \"Pattern\": \"" pattern "\"}"

TEST("patterns are about characters in whatever locale the program runs", pattern_locale) {
  const char *schema = SCHEMA("1", PATTERN("three", "^.{3}$") "," PATTERN("name", "^[[:alpha:]]+$"));
  livery_store *store = new_store(fresh_path(), schema);
  EXPECT_TEXT("C", setlocale(LC_ALL, NULL));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "three", TEXT("\u00e4\u00f6\u00fc")));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "name", TEXT("Zo\u00eb")));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE,
                livery_set_string(store, LIVERY_LAYER_USER, "three", TEXT("\u00e4\u00f6")));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE,
                livery_set_string(store, LIVERY_LAYER_USER, "name", TEXT("Zo\u00eb 1")));
  livery_value *report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_SCHEMA_INVALID,
                livery_schema_apply(store, SCHEMA("2", PATTERN("three", "[\u0430-\u044f]")), LIVERY_ZERO_TERMINATED, NULL,
                                    &report));
  livery_value *first = first_diagnostic(report);
  EXPECT_TEXT("invalid-pattern", member_text(first, "code"));
  OK(livery_value_release(first));
  OK(livery_value_release(report));
  OK(livery_close(store));
}

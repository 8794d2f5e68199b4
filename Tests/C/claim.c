// Namespaces that a library claims, and errors of its own.
#include "fixture.h"

static const livery_layer user = LIVERY_LAYER_USER;

static int checks;

static livery_status check_kept(const char *name, livery_value *value, livery_value **checked, void *user_data) {
  int64_t number = 0;
  checks++;
  if (livery_value_as_int(value, &number) != LIVERY_OK) return livery_error_leave(LIVERY_ERROR_TYPE_MISMATCH, "counts only"), LIVERY_ERROR_TYPE_MISMATCH;
  if (strcmp(name, "kept.odd") == 0) return user_data ? 3 : LIVERY_ERROR_INVALID_VALUE;
  return number < 0 ? livery_value_make_int(-number, checked) : LIVERY_OK;
}

static int destroyed;
static void destroy(void *user_data) { (void)user_data, destroyed++; }

static const char *claimed;
static void sets_without_owner(void) {
  livery_store *other = open_store(claimed);
  int64_t number = 0;
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_int(other, user, "kept.a", 8));
  EXPECT_CONTAINS("kept.", livery_last_error()->message);
  livery_change *change = NULL;
  livery_value *value = NULL;
  OK(livery_change_begin(other, user, &change));
  OK(livery_change_set_int(change, "kept.a", 8));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_get(change, "kept.a", &value));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_get_layer(change, user, "kept.a", &value));
  OK(livery_change_discard(change));
  OK(livery_get_int(other, "kept.a", &number));
  EXPECT_INT(7, number);
  OK(livery_reset(other, user, "kept.a"));
  OK(livery_set_int(other, user, "pair.a", 2));
  OK(livery_close(other));
}

TEST("a namespace that is claimed may be set, and its owner checks what", claims) {
  NEEDS_FILES;
  livery_store *store = new_store(claimed = fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *value = NULL;
  int64_t number = 0;
  uint64_t before = 0, after = 0;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_set_int(store, user, "kept.a", 7));
  OK(livery_revision(store, &before));
  OK(livery_claim(store, "kept.", check_kept, NULL, destroy));
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  OK(livery_set_int(store, user, "kept.a", -7));
  OK(livery_get_int(store, "kept.a", &number));
  EXPECT_INT(7, number);
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_set_bool(store, user, "kept.a", true));
  EXPECT_CONTAINS("kept.a", livery_last_error()->message);
  EXPECT_CONTAINS("counts only", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_set_int(store, user, "kept.odd", 1));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "kept.a", -9));
  OK(livery_change_get(change, "kept.a", &value));
  EXPECT_JSON("9", value);
  OK(livery_change_discard(change));
  // The rest is as it was; what is declared is the schema's.
  checks = 0;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_set_int(store, user, "kep.a", 7));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_set_int(store, user, "kept.", 7));
  EXPECT_INT(0, checks);
  IN_CHILD(sets_without_owner);
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(2, number);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(store, "kept.a", &number));
  OK(livery_close(store));
  EXPECT_INT(1, destroyed);
  // It stays claimed, also for those who have not claimed it, and with another schema.
  store = open_store(claimed);
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_int(store, user, "kept.a", 1));
  OK(livery_claim(store, "kept.", check_kept, store, destroy));
  OK(livery_set_int(store, user, "kept.a", 5));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_int(store, user, "kept.odd", 1));
  OK(livery_schema_apply(store, TEXT("{\"Version\": 99, \"Groups\": []}"), NULL, NULL));
  OK(livery_get_int(store, "kept.a", &number));
  EXPECT_INT(5, number);
  OK(livery_close(store));
}

TEST("what a schema has set aside counts again once its namespace is claimed", claims_again) {
  livery_store *store = open_store(fresh_path());
  int64_t number = 0;
  uint64_t before = 0, after = 0;
  OK(livery_set_int(store, user, "kept.a", 7));
  OK(livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(store, "kept.a", &number));
  OK(livery_revision(store, &before));
  OK(livery_claim(store, "kept.", check_kept, NULL, NULL));
  OK(livery_get_int(store, "kept.a", &number));
  EXPECT_INT(7, number);
  OK(livery_revision(store, &after));
  EXPECT_INT(before + 1, after);
  OK(livery_close(store));
}

TEST("a claim that cannot be is refused", claims_refused) {
  const char *path = fresh_path();
  livery_store *store = open_store(path), *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  static const char *const malformed[] = {NULL, "", "kept", ".", "a\tb."};
  destroyed = 0;
  for (size_t index = 0; index < COUNT(malformed); index++)
    EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_claim(store, malformed[index], check_kept, NULL, destroy));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_claim(store, "kept.", NULL, NULL, destroy));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_claim(NULL, "kept.", check_kept, NULL, destroy));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_claim(store, "branding.", check_kept, NULL, destroy));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_claim(store, "branding.color.", check_kept, NULL, destroy));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_claim(reader, "kept.", check_kept, NULL, destroy));
  OK(livery_claim(store, "kept.", check_kept, NULL, NULL));
  OK(livery_claim(store, "kept.", check_kept, NULL, NULL));
  OK(livery_claim(reader, "kept.", check_kept, NULL, NULL));
  OK(livery_close(reader));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_claim(store, "kept.more.", check_kept, NULL, destroy));
  EXPECT_INT(11, destroyed);
  OK(livery_close(store));
}

TEST("a function may leave an error of its own", leaves_error) {
  char long_text[6000];
  livery_error_leave(LIVERY_ERROR_CONFLICT, "not\nnow");
  EXPECT_TEXT("not now", livery_last_error()->message);
  EXPECT_INT(LIVERY_ERROR_CONFLICT, livery_last_error()->status);
  livery_error_leave(-1000, NULL);
  EXPECT_TEXT("LIVERY_ERROR_UNKNOWN", livery_last_error()->message);
  memset(long_text, 'x', sizeof long_text);
  long_text[sizeof long_text - 1] = 0;
  livery_error_leave(LIVERY_ERROR_CONFLICT, long_text);
  EXPECT_INT(4095, strlen(livery_last_error()->message));
}

static livery_status takes_any(const char *name, livery_value *value, livery_value **checked, void *user_data) {
  (void)name, (void)value, (void)checked, (void)user_data;
  return LIVERY_OK;
}

static livery_store *store_with_secret(const char *schema) {
  livery_store *store = open_store(fresh_path());
  if (schema) OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_claim(store, "kept.", takes_any, NULL, NULL));
  OK(livery_claim_secret(store, "kept.token"));
  OK(livery_set_string(store, user, "kept.token", TEXT("hunter2")));
  OK(livery_set_string(store, user, "kept.other", TEXT("hunted")));
  return store;
}

TEST("a secret in a claimed namespace is found by its name alone", secret_searched) {
  livery_store *store = store_with_secret(NULL);
  livery_value *found = NULL;
  OK(livery_search(store, "hunter2", NULL, &found));
  EXPECT_JSON("{\"revision\":2,\"total\":0,\"results\":[]}", found);
  OK(livery_search(store, "tok", NULL, &found));
  EXPECT_JSON("{\"revision\":2,\"total\":1,\"results\":[{\"name\":\"kept.token\",\"type\":\"string\",\"secret\":true,"
              "\"matches\":[{\"field\":\"name\",\"text\":\"kept.token\",\"offset\":5,\"length\":3}]}]}", found);
  // Every word has to be in the name.
  OK(livery_search(store, "kept hunt", NULL, &found));
  EXPECT_JSON("{\"revision\":2,\"total\":1,\"results\":[{\"name\":\"kept.other\",\"type\":\"string\",\"value\":\"hunted\","
              "\"matches\":[{\"field\":\"name\",\"text\":\"kept.other\",\"offset\":0,\"length\":4},"
              "{\"field\":\"value\",\"text\":\"hunted\",\"offset\":0,\"length\":4}]}]}", found);
  OK(livery_close(store));
}

TEST("nor is it in the message of a value that does not convert", secret_mismatch) {
  livery_store *store = store_with_secret(NULL);
  livery_key *key = NULL;
  livery_color color;
  int64_t number = 0;
  OK(livery_key_open(store, "kept.token", &key));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_key_get_int(key, &number));
  EXPECT_CONTAINS("`kept.token` is the string ••••••", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_int(store, "kept.token", &number));
  EXPECT_CONTAINS("••••••", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_color(store, "kept.token", &color));
  EXPECT_CONTAINS("••••••", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_int(store, "kept.other", &number));
  EXPECT_CONTAINS("hunted", livery_last_error()->message);
  OK(livery_key_close(key));
  OK(livery_close(store));
}

#define UPGRADE(key, steps)                                                                                            \
  "{\"Version\": 2, \"Groups\": [{\"Title\": \"All\", \"Settings\": [{\"Type\": \"TextField\", \"Title\": \"X\","      \
  " \"Key\": \"" key "\"}]}], \"Migrations\": [{\"To\": 2, \"Steps\": [" steps "]}]}"

TEST("nor does an upgrade show it without consent", secret_upgraded) {
  static const char *const upgrades[][2] = {
    {"plain", UPGRADE("plain", "{\"Op\": \"copy\", \"From\": \"kept.token\", \"Into\": \"plain\"}")},
    {"kept.open", UPGRADE("plain", "{\"Op\": \"rename\", \"From\": \"kept.token\", \"Into\": \"kept.open\"}")},
    {"kept.token", UPGRADE("kept.token", "{\"Op\": \"remove\", \"Key\": \"kept.other\"}")},
  };
  for (size_t index = 0; index < COUNT(upgrades); index++) {
    livery_store *store = store_with_secret("{\"Version\": 1, \"Groups\": []}");
    const char *name = upgrades[index][0], *schema = upgrades[index][1];
    livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
    livery_value *plan = NULL;
    char *text = NULL;
    EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_check(store, schema, LIVERY_ZERO_TERMINATED, &plan));
    EXPECT_CONTAINS(name, livery_last_error()->message);
    EXPECT(!strstr(livery_last_error()->message, "hunter2"));
    OK(livery_value_to_json(plan, 0, &text, NULL));
    if (index < 2) EXPECT_CONTAINS("\"secret\":true", text);
    EXPECT(strstr(text, "\"declassified\":[]") == NULL);
    livery_free(text);
    OK(livery_value_release(plan));
    EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
    options.declassify = &name;
    options.declassify_count = 1;
    char value[16] = "";
    OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, &options, NULL));
    OK(livery_get_string(store, name, value, sizeof value, NULL));
    EXPECT_TEXT("hunter2", value);
    OK(livery_close(store));
  }
  // What stays a secret needs none.
  livery_store *store = store_with_secret("{\"Version\": 1, \"Groups\": []}");
  static const char schema[] = UPGRADE("plain", "{\"Op\": \"convert\", \"Key\": \"kept.token\", \"Type\": \"string\","
                                                " \"Map\": {\"hunter2\": \"hunter3\"}}");
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_close(store));
}

#define CLOSED(version, settings)                                                                                      \
  "{\"Version\": " #version ", \"Groups\": [{\"Title\": \"All\", \"Settings\": [" settings "]}]}"
#define OTHER "{\"Type\": \"TextField\", \"Title\": \"X\", \"Key\": \"plain\"}"
#define DECLARED(more) "{\"Type\": \"TextField\", \"Title\": \"Old\", \"Key\": \"kept.old\"" more "}"
#define SECRET DECLARED(", \"Class\": [\"Password\"]")

TEST("a secret that a schema declared does not become what its namespace's owner shows", secret_undeclared) {
  livery_store *store = new_store(fresh_path(), CLOSED(1, SECRET));
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  static const char *const name = "kept.old";
  char value[16] = "";
  OK(livery_claim(store, "kept.", takes_any, NULL, NULL));
  OK(livery_set_string(store, user, name, TEXT("hunter2")));
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, CLOSED(2, OTHER), LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_CONTAINS(name, livery_last_error()->message);
  options.declassify = &name;
  options.declassify_count = 1;
  OK(livery_schema_apply(store, CLOSED(2, OTHER), LIVERY_ZERO_TERMINATED, &options, NULL));
  OK(livery_get_string(store, name, value, sizeof value, NULL));
  EXPECT_TEXT("hunter2", value);
  OK(livery_close(store));
}

TEST("nor does a backup bring one back that was set aside before the namespace was claimed", secret_restored) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = new_store(path, CLOSED(1, SECRET));
  char value[16] = "", *text = NULL;
  OK(livery_set_string(store, user, "kept.old", TEXT("hunter2")));
  OK(livery_schema_apply(store, CLOSED(2, OTHER), LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_set_string(store, user, "plain", TEXT("before")));
  OK(livery_backup(store, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_claim(store, "kept.", takes_any, NULL, NULL));
  OK(livery_reset(store, user, "kept.old"));
  OK(livery_claim(store, "kept.", takes_any, NULL, NULL));
  OK(livery_set_string(store, user, "plain", TEXT("after")));
  OK(livery_restore(store, NULL, NULL, NULL));
  OK(livery_get_string(store, "plain", value, sizeof value, NULL));
  EXPECT_TEXT("before", value);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_string(store, "kept.old", value, sizeof value, NULL));
  OK(livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, NULL));
  EXPECT(!strstr(text, "hunter2"));
  livery_free(text);
  OK(livery_check(path, NULL));
  OK(livery_close(store));
}

TEST("what a schema declares openly is exported, also if an owner has declared it a secret", secret_exported) {
  livery_store *store = store_with_secret(CLOSED(1, OTHER));
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  static const char *const name = "kept.token";
  static const char open[] = CLOSED(2, "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"kept.token\"}");
  livery_value *settings = NULL;
  char *text = NULL;
  for (int is_open = 0; is_open < 2; is_open++) {
    for (uint32_t flags = 0;; flags = LIVERY_EXPORT_LAYERS) {
      OK(livery_export_json(store, flags, &text, NULL));
      EXPECT(!strstr(text, "hunter2") == !is_open);
      EXPECT_CONTAINS("hunted", text);
      livery_free(text);
      if (flags) break;
    }
    OK(livery_settings(store, &settings));
    OK(livery_value_to_json(settings, 0, &text, NULL));
    EXPECT(!strstr(text, "hunter2") == !is_open);
    livery_free(text);
    OK(livery_value_release(settings));
    options.declassify = &name;
    options.declassify_count = 1;
    if (!is_open) OK(livery_schema_apply(store, open, LIVERY_ZERO_TERMINATED, &options, NULL));
  }
  OK(livery_close(store));
}

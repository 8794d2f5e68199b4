// What becomes of a secret whose setting is none any more under another schema.
#include "secret.h"

static const livery_layer user = LIVERY_LAYER_USER;

static uint64_t set(livery_store *store, const char *secret) {
  OK(livery_set_string(store, user, "password", secret, LIVERY_ZERO_TERMINATED));
  uint64_t revision = 0;
  OK(livery_revision(store, &revision));
  return revision;
}

// Sets one and then another; the revision of the second.
static uint64_t set_two(livery_store *store, char first[LENGTH + 1], char second[LENGTH + 1]) {
  make_secret(first);
  make_secret(second);
  set(store, first);
  return set(store, second);
}

static bool history_tells(livery_store *store, const char *secret) {
  livery_value *commits = NULL;
  char *text = NULL;
  OK(livery_history(store, NULL, &commits));
  OK(livery_value_to_json(commits, 0, &text, NULL));
  bool tells = strstr(text, secret) != NULL;
  livery_free(text);
  OK(livery_value_release(commits));
  return tells;
}

#define MOVE(op) ", \"Migrations\": [{\"To\": 2, \"Steps\": [{\"Op\": \"" op "\", \"From\": \"password\", \"Into\": \"token\"}]}]"

TEST("a secret that would be none any more is a finding", compared) {
  static const char *const schemas[] = {SECRET("2", "password", "", ""), SECRET("2", "token", "", MOVE("rename"))};
  for (size_t index = 0; index < COUNT(schemas); index++) {
    livery_value *report = NULL;
    OK(livery_schema_compare(SCHEMA, LIVERY_ZERO_TERMINATED, schemas[index], LIVERY_ZERO_TERMINATED, &report));
    char *text = NULL;
    OK(livery_value_to_json(report, 0, &text, NULL));
    EXPECT_CONTAINS("\"code\":\"declassified\"", text);
    livery_free(text);
    OK(livery_value_release(report));
  }
}

TEST("an upgrade that would show a secret needs consent, and tells no value", declassified) {
  char secret[LENGTH + 1], text[LENGTH + 1];
  make_secret(secret);
  livery_store *store = new_store(fresh_path(), SCHEMA);
  set(store, secret);
  static const char schema[] = SECRET("2", "token", "", MOVE("rename"));
  livery_value *report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_check(store, schema, LIVERY_ZERO_TERMINATED, &report));
  EXPECT_CONTAINS("`token`", livery_last_error()->message);
  EXPECT_CONTAINS("step 1 (rename)", livery_last_error()->message);
  OK(livery_value_release(report));
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  const char *names[] = {"other", "token"};
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  options.declassify = names;
  options.declassify_count = 1;
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, &options, NULL));
  OK(livery_get_string(store, "password", text, sizeof text, NULL));
  options.declassify_count = 2;
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, &options, NULL));
  OK(livery_get_string(store, "token", text, sizeof text, NULL));
  EXPECT_TEXT(secret, text);
  options.declassify = NULL;
  EXPECT_STATUS(
    LIVERY_ERROR_INVALID_ARGUMENT, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, &options, NULL));
  OK(livery_close(store));
}

#define REMOVE ", \"Migrations\": [{\"To\": 2, \"Steps\": [{\"Op\": \"remove\", \"Key\": \"password\"}]}]"
#define ALIAS ", \"Aliases\": [\"password\"]"

TEST("what was a secret is not brought back into a setting that is none", undone) {
  // The key becomes another's alias, or goes and comes as one for all to see, or just goes.
  static const char *const schemas[] = {
    SECRET("2", "code", ALIAS, ""), SECRET("2", "password", "", REMOVE), SECRET("2", "code", "", "")};
  for (size_t index = 0; index < COUNT(schemas); index++) {
    char first[LENGTH + 1], second[LENGTH + 1], covered[LENGTH + 1], text[LENGTH + 1];
    make_secret(first);
    make_secret(second);
    make_secret(covered);
    const char *path = fresh_path();
    livery_store *store = new_store(path, SCHEMA);
    set(store, first);
    // One that no reader has seen.
    OK(livery_set_string(store, LIVERY_LAYER_BUNDLE, "password", covered, LIVERY_ZERO_TERMINATED));
    uint64_t replaced = set(store, second);
    OK(livery_schema_apply(store, schemas[index], LIVERY_ZERO_TERMINATED, NULL, NULL));
    EXPECT(!history_tells(store, first) && !history_tells(store, second) && !history_tells(store, covered));
    EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, replaced, 0, NULL));
    EXPECT_CONTAINS("`password`, whose former value the log has forgotten", livery_last_error()->message);
    (void)livery_undo(store, replaced, LIVERY_UNDO_FORCE, NULL);
    const char *name = index == 1 ? "password" : "code";
    EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_get_string(store, name, text, sizeof text, NULL));
    OK(livery_close(store));
    OK(livery_check(path, NULL));
  }
}

TEST("what a secret is consented to show is what is in effect, not what was before", consented) {
  char first[LENGTH + 1], second[LENGTH + 1], text[LENGTH + 1];
  livery_store *store = new_store(fresh_path(), SCHEMA);
  uint64_t replaced = set_two(store, first, second);
  const char *names[] = {"password"};
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  options.declassify = names;
  options.declassify_count = 1;
  OK(livery_schema_apply(store, SECRET("2", "password", "", ""), LIVERY_ZERO_TERMINATED, &options, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, replaced, 0, NULL));
  EXPECT(!history_tells(store, first));
  OK(livery_get_string(store, "password", text, sizeof text, NULL));
  EXPECT_TEXT(second, text);
  OK(livery_close(store));
}

TEST("one that stays a secret under another name or title comes back by undoing", stays) {
  static const char *const schemas[] = {
    SECRET("2", "token", PASSWORD ALIAS, MOVE("rename")), SECRET("2", "password", PASSWORD ", \"Required\": true", "")};
  static const char *const names[] = {"token", "password"};
  for (size_t index = 0; index < COUNT(schemas); index++) {
    char first[LENGTH + 1], second[LENGTH + 1], text[LENGTH + 1];
    livery_store *store = new_store(fresh_path(), SCHEMA);
    uint64_t replaced = set_two(store, first, second);
    OK(livery_schema_apply(store, schemas[index], LIVERY_ZERO_TERMINATED, NULL, NULL));
    OK(livery_undo(store, replaced, LIVERY_UNDO_FORCE, NULL));
    OK(livery_get_string(store, names[index], text, sizeof text, NULL));
    EXPECT_TEXT(first, text);
    OK(livery_close(store));
  }
}

TEST("what is left under an old name is told of by it, and goes by it", left) {
  char secret[LENGTH + 1];
  make_secret(secret);
  const char *path = fresh_path();
  livery_store *store = new_store(path, SCHEMA);
  set(store, secret);
  OK(livery_schema_apply(store, SECRET("2", "code", ALIAS, ""), LIVERY_ZERO_TERMINATED, NULL, NULL));
  livery_value *found = NULL;
  OK(livery_inspect(store, "password", &found));
  EXPECT_TEXT("code", member_text(found, "name"));
  EXPECT_CONTAINS("under the old name does not count: orphaned since version 2.", member_text(found, "reason"));
  OK(livery_value_release(found));
  OK(livery_set_string(store, user, "code", "open", LIVERY_ZERO_TERMINATED));
  OK(livery_reset(store, user, "password"));
  OK(livery_inspect(store, "password", &found));
  EXPECT(strstr(member_text(found, "reason"), "old name does not") == NULL);
  OK(livery_value_release(found));
  OK(livery_compact(store));
  EXPECT_INT(0, in_file(path, "data.mdb", secret));
  OK(livery_close(store));
  OK(livery_check(path, NULL));
}

TEST("nor does it come back under the schema of a backup by which it was none", restored) {
  NEEDS_FILES;
  char first[LENGTH + 1], second[LENGTH + 1], text[LENGTH + 1];
  livery_store *store = new_store(fresh_path(), SECRET("1", "password", "", ""));
  OK(livery_backup(store, NULL));
  OK(livery_schema_apply(store, SECRET("2", "password", PASSWORD, ""), LIVERY_ZERO_TERMINATED, NULL, NULL));
  uint64_t replaced = set_two(store, first, second);
  livery_value *backups = NULL;
  OK(livery_backups(store, &backups));
  livery_value *oldest = NULL;
  size_t count = 0;
  OK(livery_value_count(backups, &count));
  OK(livery_value_at(backups, count - 1, &oldest));
  OK(livery_restore(store, member_text(oldest, "path"), NULL, NULL));
  OK(livery_value_release(oldest));
  OK(livery_value_release(backups));
  EXPECT(!history_tells(store, first) && !history_tells(store, second));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, replaced, 0, NULL));
  (void)livery_undo(store, replaced, LIVERY_UNDO_FORCE, NULL);
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_get_string(store, "password", text, sizeof text, NULL));
  OK(livery_close(store));
}

TEST("nor what was one by how its name begins, once a schema declares it for all to see", claimed) {
  char first[LENGTH + 1], second[LENGTH + 1], text[LENGTH + 1];
  make_secret(first);
  make_secret(second);
  livery_store *store = new_store(fresh_path(), SECRET("1", "other", "", ""));
  OK(livery_claim(store, "kept.", takes_any, NULL, NULL));
  OK(livery_claim_secret(store, "kept."));
  OK(livery_set_string(store, user, "kept.name", first, LIVERY_ZERO_TERMINATED));
  OK(livery_set_string(store, user, "kept.name", second, LIVERY_ZERO_TERMINATED));
  uint64_t replaced = 0;
  OK(livery_revision(store, &replaced));
  const char *names[] = {"kept.name"};
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  static const char schema[] = SECRET("2", "kept.name", "", "");
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  options.declassify = names;
  options.declassify_count = 1;
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, &options, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, replaced, 0, NULL));
  EXPECT(!history_tells(store, first));
  OK(livery_get_string(store, "kept.name", text, sizeof text, NULL));
  EXPECT_TEXT(second, text);
  OK(livery_close(store));
}

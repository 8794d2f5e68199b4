// The log: what was changed when, by whom, and how to take it back.
#include "damage.h"
#include "fixture.h"

static const livery_layer user = LIVERY_LAYER_USER;

static void set_by(livery_store *store, livery_layer layer, const char *origin, const char *name, int64_t number) {
  livery_change *change = NULL;
  OK(livery_change_begin(store, layer, &change));
  OK(livery_change_set_int(change, name, number));
  OK(livery_change_origin(change, origin));
  OK(livery_change_commit(change, NULL));
}

// The revisions of a history, latest first, as "5 4 2".
static const char *revisions(livery_store *store, const livery_history_options *options) {
  static char text[512];
  livery_value *history = NULL;
  size_t count = 0, used = 0;
  text[0] = 0;
  if (!OK(livery_history(store, options, &history))) return text;
  OK(livery_value_count(history, &count));
  for (size_t index = 0; index < count; index++) {
    livery_value *item = NULL, *member = NULL;
    int64_t revision = 0;
    OK(livery_value_at(history, index, &item));
    OK(livery_value_member(item, "revision", &member));
    OK(livery_value_as_int(member, &revision));
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", index ? " " : "", (long long)revision);
    OK(livery_value_release(member));
    OK(livery_value_release(item));
  }
  OK(livery_value_release(history));
  return text;
}

static livery_store *five_commits(const char *path) {
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  set_by(store, user, "console", "pair.a", 1);
  set_by(store, user, "service", "pair.b", 2);
  set_by(store, LIVERY_LAYER_BUNDLE, "console", "idleResetSeconds", 60);
  set_by(store, user, "console", "pair.a", 3);
  return store;
}

TEST("the history tells each commit, the latest first", items) {
  livery_store *store = five_commits(fresh_path());
  livery_value *history = NULL, *item = NULL, *changes = NULL, *time = NULL;
  int64_t when = 0;
  EXPECT_TEXT("5 4 3 2 1", revisions(store, NULL));
  OK(livery_history(store, NULL, &history));
  OK(livery_value_at(history, 0, &item));
  EXPECT_TEXT("user", member_text(item, "layer"));
  EXPECT_TEXT("console", member_text(item, "origin"));
  EXPECT_TEXT("change", member_text(item, "kind"));
  OK(livery_value_member(item, "time", &time));
  OK(livery_value_as_date(time, &when));
  EXPECT(when <= now_microseconds() && when > now_microseconds() - 60000000);
  OK(livery_value_release(time));
  OK(livery_value_member(item, "changes", &changes));
  EXPECT_JSON("[{\"name\":\"pair.a\",\"layer\":\"user\",\"old\":1,\"new\":3}]", changes);
  OK(livery_value_release(item));
  OK(livery_value_at(history, 4, &item));
  EXPECT_TEXT("schema", member_text(item, "kind"));
  OK(livery_value_release(item));
  OK(livery_value_release(history));
  OK(livery_close(store));
}

TEST("secrets, expiries and locks are marked as such", marks) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *history = NULL, *item = NULL, *changes = NULL;
  OK(livery_set_string(store, LIVERY_LAYER_ENFORCED, "pin", TEXT("4321")));
  OK(livery_history(store, NULL, &history));
  OK(livery_value_at(history, 0, &item));
  OK(livery_value_member(item, "changes", &changes));
  EXPECT_JSON("[{\"name\":\"pin\",\"layer\":\"enforced\",\"old\":\"1234\",\"new\":\"4321\",\"writable\":false,"
              "\"secret\":true}]", changes);
  OK(livery_value_release(item));
  OK(livery_value_release(history));
  OK(livery_close(store));
}

TEST("the history can be asked for a setting, a layer, an origin, a time, and page by page", filters) {
  livery_store *store = five_commits(fresh_path());
  livery_history_options options = LIVERY_HISTORY_OPTIONS_INIT, none = options;
  options.pattern = "pair.a";
  EXPECT_TEXT("5 2 1", revisions(store, &options));
  options = none, options.has_layer = true, options.layer = LIVERY_LAYER_BUNDLE;
  EXPECT_TEXT("4", revisions(store, &options));
  options = none, options.layer = LIVERY_LAYER_BUNDLE;
  EXPECT_TEXT("5 4 3 2 1", revisions(store, &options));
  options = none, options.origin = "console";
  EXPECT_TEXT("5 4 2", revisions(store, &options));
  options = none, options.limit = 2;
  EXPECT_TEXT("5 4", revisions(store, &options));
  options.before_revision = 4;
  EXPECT_TEXT("3 2", revisions(store, &options));
  options.limit = (size_t)-1;
  EXPECT_TEXT("3 2 1", revisions(store, &options));
  options = none, options.since = now_microseconds() + 1000000;
  EXPECT_TEXT("", revisions(store, &options));
  options = none, options.until = now_microseconds() + 1000000;
  EXPECT_TEXT("5 4 3 2 1", revisions(store, &options));
  OK(livery_close(store));
}

TEST("options that are wrong are refused", wrong_options) {
  livery_store *store = five_commits(fresh_path());
  livery_value *history = NULL;
  livery_history_options options = LIVERY_HISTORY_OPTIONS_INIT, none = options;
  const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;
  char long_origin[LIVERY_ORIGIN_MAX + 2];
  memset(long_origin, 'o', sizeof long_origin - 1);
  long_origin[sizeof long_origin - 1] = 0;
  EXPECT_STATUS(invalid, livery_history(store, NULL, NULL));
  EXPECT_STATUS(invalid, livery_history(NULL, NULL, &history));
  options.has_layer = true, options.layer = 7;
  EXPECT_STATUS(invalid, livery_history(store, &options, &history));
  options = none, options.pattern = "\xff";
  EXPECT_STATUS(invalid, livery_history(store, &options, &history));
  options = none, options.origin = long_origin;
  EXPECT_STATUS(invalid, livery_history(store, &options, &history));
  options = none, options.struct_size = 0;
  EXPECT_STATUS(invalid, livery_history(store, &options, &history));
  EXPECT(history == NULL);
  EXPECT_STATUS(invalid, livery_undo(NULL, 2, 0, NULL));
  EXPECT_STATUS(invalid, livery_undo(store, 2, 2, NULL));
  OK(livery_close(store));
}

TEST("undo gives back what a commit replaced, as a new commit", undo) {
  livery_store *store = five_commits(fresh_path());
  uint64_t revision = 0;
  int64_t number = 0;
  OK(livery_undo(store, 5, 0, &revision));
  EXPECT_INT(6, revision);
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(1, number);
  OK(livery_undo(store, 3, 0, NULL));
  OK(livery_get_int(store, "pair.b", &number));
  EXPECT_INT(0, number);
  OK(livery_undo(store, 6, 0, &revision));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(3, number);
  OK(livery_close(store));
}

TEST("undo is refused where later commits changed the same, unless it is forced", conflict) {
  livery_store *store = five_commits(fresh_path());
  uint64_t revision = 77;
  int64_t number = 0;
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_undo(store, 2, 0, &revision));
  EXPECT_CONTAINS("pair.a", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, 99, 0, &revision));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, 0, 0, &revision));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, UINT64_MAX, 0, &revision));
  EXPECT_INT(77, revision);
  OK(livery_undo(store, 2, LIVERY_UNDO_FORCE, &revision));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(0, number);
  OK(livery_close(store));
}

TEST("undo obeys locks, schemas and how the store was opened", refused) {
  const char *path = fresh_path();
  livery_store *store = five_commits(path), *other = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  const livery_status read_only = LIVERY_ERROR_READ_ONLY;
  livery_change *change = NULL;
  uint64_t revision = 0;
  EXPECT_STATUS(read_only, livery_undo(other, 5, 0, NULL));
  EXPECT_STATUS(read_only, livery_undo(store, 1, LIVERY_UNDO_FORCE, NULL));
  OK(livery_close(other));
  other = open_store_with(path, LIVERY_OPEN_ALLOW_OVERRIDE, 0);
  OK(livery_change_begin(other, LIVERY_LAYER_OVERRIDE, &change));
  OK(livery_change_expires(change, now_microseconds() + 3600000000));
  OK(livery_change_set_int(change, "pair.b", 9));
  OK(livery_change_commit(change, &revision));
  EXPECT_STATUS(read_only, livery_undo(store, revision, 0, NULL));
  OK(livery_undo(other, revision, 0, NULL));
  OK(livery_close(other));
  OK(livery_set_int(store, LIVERY_LAYER_ENFORCED, "pair.a", 8));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_undo(store, 5, LIVERY_UNDO_FORCE, NULL));
  OK(livery_close(store));
}

TEST("a commit that brought a lock with a value beneath it is undone, and so is that", lock_of_its_own) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  uint64_t revision = 0;
  int64_t number = 0;
  OK(livery_set_int(store, user, "pair.a", 1));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 2));
  OK(livery_change_layer(change, LIVERY_LAYER_ENFORCED));
  OK(livery_change_set_int(change, "pair.a", 3));
  OK(livery_change_commit(change, &revision));
  OK(livery_undo(store, revision, 0, &revision));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(1, number);
  OK(livery_undo(store, revision, 0, NULL));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(3, number);
  OK(livery_reset(store, LIVERY_LAYER_ENFORCED, "pair.a"));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(2, number);
  OK(livery_close(store));
}

static const char beneath[] = "{\"Layers\": {\"user\": {\"pair.a\": {\"value\": 10}}, \"enforced\": {\"pair.a\": {\"value\": 20}}}}";

TEST("a commit that was made beneath a lock is undone beneath it, and not beneath one that came later", beneath_lock) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  const livery_layer enforced = LIVERY_LAYER_ENFORCED;
  livery_change *change = NULL;
  uint64_t revision = 0;
  int64_t number = 0;
  OK(livery_set_int(store, user, "pair.a", 1));
  OK(livery_set_int(store, enforced, "pair.a", 3));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_ignore_locks(change));
  OK(livery_change_set_int(change, "pair.a", 2));
  OK(livery_change_commit(change, &revision));
  OK(livery_undo(store, revision, 0, &revision));
  // So is that, and what an import of all layers has brought.
  OK(livery_undo(store, revision, 0, &revision));
  OK(livery_import_json(store, user, TEXT(beneath), 0, NULL));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(20, number);
  OK(livery_revision(store, &revision));
  OK(livery_undo(store, revision, 0, NULL));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(3, number);
  OK(livery_reset(store, enforced, "pair.a"));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(2, number);
  OK(livery_revision(store, &revision));
  OK(livery_set_int(store, user, "pair.a", 4));
  OK(livery_set_int(store, enforced, "pair.a", 5));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_undo(store, revision + 1, LIVERY_UNDO_FORCE, NULL));
  OK(livery_close(store));
}

#define UP_TO(version, most)                                                                                           \
  "{\"Version\": " version ", \"Groups\": [{\"Title\": \"All\", \"Settings\": [{\"Type\": \"Number\", \"Format\": \"integer\"," \
  " \"Title\": \"Level\", \"Key\": \"level\", \"Maximum\": " most "}]}]}"

TEST("a lock that a schema had put out of effect holds up what was committed meanwhile, once it counts again", later_lock) {
  livery_store *store = new_store(fresh_path(), UP_TO("1", "100"));
  uint64_t revision = 0;
  OK(livery_set_int(store, LIVERY_LAYER_ENFORCED, "level", 50));
  OK(livery_schema_apply(store, TEXT(UP_TO("2", "10")), NULL, NULL));
  OK(livery_set_int(store, user, "level", 5));
  OK(livery_revision(store, &revision));
  OK(livery_schema_apply(store, TEXT(UP_TO("3", "100")), NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_undo(store, revision, LIVERY_UNDO_FORCE, NULL));
  OK(livery_close(store));
}

TEST("a former value that no schema allows any more does not come back", former_value) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  uint64_t revision = 0;
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  OK(livery_set_int(store, user, "idleResetSeconds", 500));
  OK(livery_revision(store, &revision));
  const char *schema = "{\"Version\": 4, \"Groups\": [{\"Title\": \"All\", \"Settings\": [{\"Type\": \"Number\","
                       " \"Format\": \"integer\", \"Title\": \"Idle\", \"Key\": \"idleResetSeconds\", \"Value\": 120,"
                       " \"Minimum\": 100, \"Maximum\": 600}]}]}";
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_undo(store, revision, LIVERY_UNDO_FORCE, NULL));
  OK(livery_close(store));
}

TEST("nor does one that is of another type than the schema has by now", former_type) {
  livery_store *store = new_store(fresh_path(), "{\"Version\": 1, \"Open\": true, \"Groups\": []}");
  uint64_t revision = 0;
  OK(livery_set_string(store, user, "level", TEXT("high")));
  OK(livery_set_int(store, user, "level", 5));
  OK(livery_revision(store, &revision));
  const char *schema = "{\"Version\": 2, \"Open\": true, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["
                       "{\"Type\": \"Number\", \"Title\": \"Level\", \"Key\": \"level\", \"Value\": 1}]}]}";
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_undo(store, revision, LIVERY_UNDO_FORCE, NULL));
  OK(livery_close(store));
}

TEST("a damaged entry is CORRUPT", damaged) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = five_commits(path);
  livery_value *history = NULL;
  EXPECT(damage_log_entry(path, 5) > 0);
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_history(store, NULL, &history));
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_undo(store, 5, 0, NULL));
  EXPECT(history == NULL);
  OK(livery_close(store));
}

// Larger than what an entry keeps the changes of.
enum { MANY = 10001 };

static livery_change *set_many(livery_store *store, int64_t number) {
  livery_change *change = NULL;
  char name[32];
  OK(livery_change_begin(store, user, &change));
  for (int index = 0; index < MANY; index++) {
    snprintf(name, sizeof name, "many.%d", index);
    if (livery_change_set_int(change, name, number) != LIVERY_OK) break;
  }
  return change;
}

static int64_t integer(livery_store *store, const char *name) {
  int64_t number = -1;
  livery_get_int(store, name, &number);
  return number;
}

TEST("a commit of any size can be undone, and is told to have been too large to list", undo_many) {
  livery_store *store = open_store(fresh_path());
  livery_value *history = NULL, *item = NULL, *member = NULL;
  uint64_t revision = 0;
  bool is_too_large = false;
  OK(livery_change_commit(set_many(store, 1), NULL));
  OK(livery_change_commit(set_many(store, 2), &revision));
  OK(livery_history(store, NULL, &history));
  OK(livery_value_at(history, 0, &item));
  OK(livery_value_member(item, "tooLarge", &member));
  OK(livery_value_as_bool(member, &is_too_large));
  EXPECT(is_too_large);
  OK(livery_value_release(member));
  OK(livery_value_release(item));
  OK(livery_value_release(history));
  OK(livery_undo(store, revision, 0, NULL));
  EXPECT_INT(1, integer(store, "many.0"));
  EXPECT_INT(1, integer(store, "many.10000"));
  OK(livery_undo(store, revision - 1, LIVERY_UNDO_FORCE, NULL));
  EXPECT_INT(-1, integer(store, "many.10000"));
  OK(livery_close(store));
}

TEST("undo does not go back over a commit of any size", conflict_with_many) {
  livery_store *store = open_store(fresh_path());
  uint64_t revision = 0;
  OK(livery_set_int(store, user, "many.5", 1));
  OK(livery_set_int(store, user, "many.5", 2));
  OK(livery_revision(store, &revision));
  OK(livery_change_commit(set_many(store, 3), NULL));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_undo(store, revision, 0, NULL));
  EXPECT_CONTAINS("many.5", livery_last_error()->message);
  EXPECT_INT(3, integer(store, "many.5"));
  OK(livery_close(store));
}

TEST("a restore of more than 10,000 values can be undone", undo_restore) {
  livery_store *store = open_store(fresh_path());
  const char *copy = fresh_path();
  uint64_t revision = 0;
  OK(livery_change_commit(set_many(store, 1), NULL));
  OK(livery_backup(store, copy));
  OK(livery_change_commit(set_many(store, 2), NULL));
  OK(livery_restore(store, copy, NULL, &revision));
  EXPECT_INT(1, integer(store, "many.7"));
  OK(livery_undo(store, revision, 0, NULL));
  EXPECT_INT(2, integer(store, "many.7"));
  OK(livery_close(store));
}

TEST("undo does not go back over a commit whose entry is damaged", conflict_with_damage) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  OK(livery_set_int(store, user, "pair.a", 1));
  OK(livery_set_int(store, user, "pair.b", 1));
  OK(livery_set_int(store, user, "pair.a", 5));
  EXPECT(damage_log_entry(path, 4) > 0);
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_undo(store, 2, 0, NULL));
  EXPECT_CONTAINS("pair.a", livery_last_error()->message);
  EXPECT_INT(5, integer(store, "pair.a"));
  OK(livery_undo(store, 3, 0, NULL));
  EXPECT_INT(0, integer(store, "pair.b"));
  OK(livery_close(store));
}

TEST("undo does not go back over a migration that no reader saw", conflict_with_migration) {
  livery_store *store = new_store(fresh_path(), "{\"Version\": 1, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["
    "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"A\", \"Key\": \"a\", \"Value\": 0}]}]}");
  uint64_t revision = 0;
  OK(livery_set_int(store, user, "a", 5));
  OK(livery_set_int(store, LIVERY_LAYER_BUNDLE, "a", 1));
  OK(livery_set_int(store, LIVERY_LAYER_BUNDLE, "a", 2));
  OK(livery_revision(store, &revision));
  OK(livery_schema_apply(store, "{\"Version\": 2, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["
    "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"A\", \"Key\": \"a\", \"Value\": 0}]}],"
    "\"Migrations\": [{\"To\": 2, \"Steps\": [{\"Op\": \"convert\", \"Key\": \"a\", \"Type\": \"integer\","
    "\"Map\": {\"2\": 3}}]}]}", LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_undo(store, revision, 0, NULL));
  OK(livery_close(store));
}

static int64_t figure(livery_store *store, const char *name) {
  livery_value *figures = NULL, *member = NULL;
  int64_t number = -1;
  OK(livery_stats(store, &figures));
  OK(livery_value_member(figures, name, &member));
  OK(livery_value_as_int(member, &number));
  OK(livery_value_release(member));
  OK(livery_value_release(figures));
  return number;
}

TEST("the log has a bound in bytes, and so has the file", log_bytes) {
  NEEDS_FILES;
  enum { SIZE = 500000 };
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  char *bytes = calloc(1, SIZE);
  uint64_t revision = 0;
  for (int round = 0; round < 200 && bytes; round++) {
    memset(bytes, round, SIZE);
    if (!OK(livery_set_data(store, user, "large", bytes, SIZE))) break;
  }
  EXPECT_INT(16 << 20, figure(store, "maxLogBytes"));
  EXPECT(figure(store, "logBytes") <= 16 << 20);
  EXPECT(figure(store, "fileBytes") < 40 << 20);
  OK(livery_revision(store, &revision));
  OK(livery_undo(store, revision, 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_undo(store, 2, LIVERY_UNDO_FORCE, NULL));
  OK(livery_close(store));

  // A bound of the handle's, smaller than a commit: the latest is kept.
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.log_bytes = 100000;
  OK(livery_open(path, &options, &store));
  EXPECT_INT(100000, figure(store, "maxLogBytes"));
  for (int round = 0; round < 3; round++) OK(livery_set_int(store, user, "small", round));
  EXPECT(figure(store, "logBytes") <= 100000);
  bytes[0] = 1;
  OK(livery_set_data(store, user, "large", bytes, SIZE));
  EXPECT_TEXT("205", revisions(store, NULL));
  OK(livery_undo(store, 205, 0, NULL));
  for (int round = 0; round < 3000; round++)
    if (livery_set_int(store, user, "small", round + 10) != LIVERY_OK) break;
  EXPECT(figure(store, "logBytes") <= 110000);
  OK(livery_close(store));
  free(bytes);
}

TEST("large commits do not outgrow the bound though the oldest are small", small_then_large) {
  enum { SIZE = 300000 };
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  options.log_bytes = 2 << 20;
  options.backup_commits = options.backup_age_s = UINT32_MAX;
  OK(livery_open(fresh_path(), &options, &store));
  for (int round = 0; round < 9000; round++)
    if (livery_set_int(store, user, "small", round) != LIVERY_OK) break;
  char *bytes = calloc(1, SIZE);
  int64_t most = 0;
  for (int round = 0; round < 40 && bytes; round++) {
    memset(bytes, round, SIZE);
    if (!OK(livery_set_data(store, user, "large", bytes, SIZE))) break;
    int64_t now = figure(store, "logBytes");
    if (now > most) most = now;
  }
  // One commit more than the bound, at most.
  if (most > (2 << 20) + 4 * SIZE) printf("# %lld\n", (long long)most);
  EXPECT(most <= (2 << 20) + 4 * SIZE);
  free(bytes);
  OK(livery_close(store));
}

// Schema upgrades: what becomes of values, what is told of it, and functions of the program's own.
#include "every_call.h"

#define SCHEMA(version, steps)                                                                                         \
  "{\"Version\": " version ", \"Open\": true, \"Groups\": [], \"Migrations\": [{\"To\": " version                      \
  ", \"Steps\": [" steps "]}]}"
#define EMPTY "{\"Version\": 1, \"Open\": true, \"Groups\": []}"
#define CALL SCHEMA("2", "{\"Op\": \"call\", \"Name\": \"host\"}")

static char *fixture(const char *name) {
  char path[512];
  snprintf(path, sizeof path, FIXTURES "/asm/%s", name);
  return read_file(path, NULL);
}

static void apply_fixture(livery_store *store, const char *name) {
  char *text = fixture(name);
  OK(livery_schema_apply(store, text, LIVERY_ZERO_TERMINATED, NULL, NULL));
  free(text);
}

static livery_store *sample(void) {
  livery_store *store = open_store(fresh_path());
  apply_fixture(store, "SettingsSchema.v1.json");
  char *values = fixture("values.v1.json");
  OK(livery_import_json(store, LIVERY_LAYER_USER, values, LIVERY_ZERO_TERMINATED, 0, NULL));
  free(values);
  return store;
}

static char *exported(livery_store *store) {
  char *text = NULL;
  OK(livery_export_json(store, 0, &text, NULL));
  return text;
}

TEST("version 1 through 2 to 3 and straight to 3 give the same store", same_either_way) {
  livery_store *through = sample(), *straight = sample();
  apply_fixture(through, "SettingsSchema.v2.json");
  apply_fixture(through, "SettingsSchema.v3.json");
  apply_fixture(straight, "SettingsSchema.v3.json");
  char *one = exported(through), *two = exported(straight);
  EXPECT_TEXT(one, two);
  EXPECT_TEXT(
    "{\"Version\":3,\"Values\":{\"adminPassword\":\"s3cr3t\",\"cacheKey\":true,\"idleResetSeconds\":60,"
    "\"mediaUrl\":\"https://media.example/loop.mp4\",\"progressIndicator\":false,\"screensaverPlaylist\":["
    "{\"cacheKey\":true,\"content\":\"https://media.example/a.png\",\"seconds\":10},"
    "{\"cacheKey\":false,\"content\":\"https://media.example/b.png\",\"seconds\":10}]}}",
    one);
  livery_free(one);
  livery_free(two);
  int64_t seconds = 0;
  OK(livery_get_int(straight, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  OK(livery_close(through));
  OK(livery_close(straight));
}

TEST("a plan tells every value before and after, and touches nothing", plan) {
  livery_store *store = sample();
  char *before = exported(store), *schema = fixture("SettingsSchema.v3.json");
  uint64_t revision = 0, after = 0;
  OK(livery_revision(store, &revision));
  livery_value *report = NULL, *steps = NULL, *step = NULL;
  OK(livery_schema_check(store, schema, LIVERY_ZERO_TERMINATED, &report));
  OK(livery_value_member(report, "steps", &steps));
  OK(livery_value_at(steps, 0, &step));
  EXPECT_JSON("{\"version\":2,\"step\":1,\"op\":\"rename\",\"layer\":\"user\",\"name\":\"ProgressIndicator\","
              "\"into\":[\"progressIndicator\"],\"before\":false,\"after\":false,\"outcome\":\"moved\",\"secret\":false}",
              step);
  OK(livery_value_release(steps));
  OK(livery_value_release(report));
  OK(livery_revision(store, &after));
  EXPECT_INT(revision, after);
  char *now = exported(store);
  EXPECT_TEXT(before, now);
  livery_free(before);
  livery_free(now);
  free(schema);
  OK(livery_close(store));
}

TEST("a scaled number is a whole one, or none: it is not rounded", scaled) {
  static const struct {
    int64_t number;
    const char *scale, *result;
  } samples[] = {
    {3, "0.5", NULL},
    {1000000001, "0.5", NULL},
    {2000000001, "0.1", NULL},
    {1125899906842625, "0.5", NULL},
    {4503599627370497, "0.125", NULL},
    {9007199254740993, "0.5", NULL},
    {9007199254740993, "1000.0", NULL},
    {0, "0.1", "0"},
    {30, "0.1", "3"},
    {3, "0.333333333333", "1"},
    {2000000010, "0.1", "200000001"},
    {7000000000000000, "0.001", "7000000000000"},
    {9007199254740992, "0.5", "4503599627370496"},
    {9007199254740993, "60", "540431955284459580"},
  };
  for (size_t index = 0; index < COUNT(samples); index++) {
    livery_store *store = new_store(fresh_path(), EMPTY);
    livery_value *value = NULL;
    char schema[400];
    snprintf(schema, sizeof schema, SCHEMA("2", "{\"Op\": \"convert\", \"Key\": \"a\", \"Type\": \"integer\", \"Scale\": %s}"),
             samples[index].scale);
    OK(livery_set_int(store, LIVERY_LAYER_USER, "a", samples[index].number));
    if (samples[index].result) {
      OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
      OK(livery_get_value(store, "a", &value));
      EXPECT_JSON(samples[index].result, value);
    } else {
      EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
      EXPECT_CONTAINS("is not a value of type int", livery_last_error()->message);
    }
    OK(livery_close(store));
  }
}

TEST("a step that fails is MIGRATION, with the place in the message and the store as it was", failure) {
  livery_store *store = new_store(fresh_path(), EMPTY);
  OK(livery_set_string(store, LIVERY_LAYER_RECOMMENDED, "idle", TEXT("soon")));
  const char *schema = SCHEMA("2", "{\"Op\": \"remove\", \"Key\": \"x\"}, "
                                   "{\"Op\": \"convert\", \"Key\": \"idle\", \"Type\": \"integer\"}");
  livery_value *report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_check(store, schema, LIVERY_ZERO_TERMINATED, &report));
  EXPECT(report != NULL);
  OK(livery_value_release(report));
  report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, &report));
  EXPECT_TEXT("migration to version 2, step 2 (convert): `idle` in the layer recommended: \"soon\" does not convert to "
              "int without loss",
              livery_last_error()->message);
  EXPECT_TEXT("idle", livery_last_error()->setting);
  livery_value *steps = NULL, *step = NULL;
  OK(livery_value_member(report, "steps", &steps));
  OK(livery_value_at(steps, 0, &step));
  EXPECT_TEXT("failed", member_text(step, "outcome"));
  OK(livery_value_release(step));
  OK(livery_value_release(steps));
  OK(livery_value_release(report));
  uint64_t version = 0;
  OK(livery_schema_version(store, &version));
  EXPECT_INT(1, version);
  OK(livery_close(store));
}

TEST("without room for a backup there is no upgrade", no_backup) {
  NEEDS_FILES;
  char path[320], folder[340];
  snprintf(path, sizeof path, "%s", fresh_path());
  snprintf(folder, sizeof folder, "%s/backups", path);
  livery_store *store = new_store(path, EMPTY);
  FILE *file = fopen(folder, "w");
  if (file) fclose(file);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_schema_apply(store, SCHEMA("2", ""), LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_CONTAINS("backup", livery_last_error()->message);
  OK(unlink(folder));
  OK(livery_schema_apply(store, SCHEMA("2", ""), LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_close(store));
}

// Functions

static int calls, destroyed;
static livery_migration *kept;

static void count_destroy(void *user_data) { destroyed += *(int *)user_data; }

static livery_status tenfold(livery_migration *migration, void *user_data) {
  livery_layer layer = 77;
  uint64_t version = 0;
  livery_value *value = NULL, *names = NULL;
  int64_t number = 0;
  calls += *(int *)user_data;
  OK(livery_migration_layer(migration, &layer));
  OK(livery_migration_version(migration, &version));
  EXPECT_INT(2, version);
  OK(livery_migration_names(migration, &names));
  if (layer == LIVERY_LAYER_USER) {
    EXPECT_JSON("[\"a\",\"b\"]", names);
  } else {
    EXPECT_INT(LIVERY_LAYER_BUNDLE, layer);
    EXPECT_JSON("[\"a\"]", names);
  }
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_migration_get(migration, "none", &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_get(migration, "", &value));
  OK(livery_migration_get(migration, "a", &value));
  OK(livery_value_as_int(value, &number));
  OK(livery_value_release(value));
  OK(livery_value_make_int(number * 10, &value));
  OK(livery_migration_set(migration, "a", value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_set(migration, "a\n", value));
  OK(livery_value_release(value));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_migration_set(migration, "a", value));
  OK(livery_migration_remove(migration, "b"));
  OK(livery_migration_remove(migration, "none"));
  kept = migration;
  return LIVERY_OK;
}

TEST("a function changes the values of each layer, and its handle ends with the call", function) {
  static int one = 1;
  livery_store *store = new_store(fresh_path(), EMPTY);
  OK(livery_set_int(store, LIVERY_LAYER_BUNDLE, "a", 1));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "a", 2));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "b", 3));
  calls = destroyed = 0;
  OK(livery_migration_register(store, "host", tenfold, &one, count_destroy));
  OK(livery_migration_register(store, "host", tenfold, &one, count_destroy));
  EXPECT_INT(1, destroyed);
  livery_value *report = NULL;
  OK(livery_schema_check(store, CALL, LIVERY_ZERO_TERMINATED, &report));
  OK(livery_value_release(report));
  EXPECT_INT(2, calls);
  int64_t number = 0;
  OK(livery_get_int(store, "a", &number));
  EXPECT_INT(2, number);
  OK(livery_schema_apply(store, CALL, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_INT(4, calls);
  OK(livery_get_int(store, "a", &number));
  EXPECT_INT(20, number);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(store, "b", &number));
  every_migration_call(LIVERY_ERROR_CLOSED, kept);
  OK(livery_close(store));
  EXPECT_INT(2, destroyed);
}

static livery_status refuse(livery_migration *migration, void *user_data) {
  livery_value *value = json("5");
  OK(livery_migration_set(migration, "a", value));
  OK(livery_value_release(value));
  if (user_data) {
    OK(livery_migration_fail(migration, "the disk\nis too old"));
    OK(livery_migration_fail(migration, "second"));
    return LIVERY_OK;
  }
  return LIVERY_ERROR_BUSY;
}

static livery_status leave_reason(livery_migration *migration, void *user_data) {
  (void)migration, (void)user_data;
  livery_error_leave(LIVERY_ERROR_CONFLICT, "the old server is gone");
  return LIVERY_ERROR_CONFLICT;
}

TEST("a function that fails leaves the store as it was", function_fails) {
  livery_store *store = new_store(fresh_path(), EMPTY);
  int64_t number = 0;
  OK(livery_set_int(store, LIVERY_LAYER_USER, "a", 1));
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, CALL, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_CONTAINS("no function is registered", livery_last_error()->message);
  OK(livery_migration_register(store, "host", leave_reason, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, CALL, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_CONTAINS("LIVERY_ERROR_CONFLICT (-9): the old server is gone", livery_last_error()->message);
  OK(livery_migration_register(store, "host", refuse, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, CALL, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_CONTAINS("LIVERY_ERROR_BUSY", livery_last_error()->message);
  OK(livery_migration_register(store, "host", refuse, store, NULL));
  EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, CALL, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_CONTAINS("`host` in the layer user: the disk", livery_last_error()->message);
  OK(livery_get_int(store, "a", &number));
  EXPECT_INT(1, number);
  OK(livery_close(store));
}

static void use_migration_of_the_parent(void) { every_migration_call(LIVERY_ERROR_FORKED, kept); }

static livery_status misuse(livery_migration *migration, void *user_data) {
  (void)user_data;
  livery_layer layer = 0;
  if (livery_migration_layer(migration, &layer) != LIVERY_OK) return LIVERY_ERROR_IO;
  livery_value *value = json("1");
  if (layer == LIVERY_LAYER_OVERRIDE)
    EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_migration_set(migration, "new", value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_layer(migration, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_version(migration, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_get(migration, "a", NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_set(migration, "a", NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_remove(migration, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_names(migration, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_fail(migration, NULL));
  OK(livery_value_release(value));
  kept = migration;
  IN_CHILD(use_migration_of_the_parent);
  return LIVERY_OK;
}

TEST("mistakes of a function are statuses", function_misuse) {
  livery_store *store = open_store_with(fresh_path(), LIVERY_OPEN_CREATE | LIVERY_OPEN_ALLOW_OVERRIDE, 0);
  OK(livery_schema_apply(store, EMPTY, LIVERY_ZERO_TERMINATED, NULL, NULL));
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_OVERRIDE, &change));
  OK(livery_change_expires(change, ((int64_t)time(NULL) + 3600) * 1000000));
  OK(livery_change_set_int(change, "a", 1));
  OK(livery_change_commit(change, NULL));
  every_migration_call(LIVERY_ERROR_INVALID_ARGUMENT, NULL);
  every_migration_call(LIVERY_ERROR_CLOSED, (livery_migration *)store);
  OK(livery_migration_register(store, "host", misuse, NULL, NULL));
  OK(livery_schema_apply(store, CALL, LIVERY_ZERO_TERMINATED, NULL, NULL));
  static int one = 1;
  destroyed = 0;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_register(store, NULL, misuse, &one, count_destroy));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_register(store, "", misuse, &one, count_destroy));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_register(store, "host", NULL, &one, count_destroy));
  EXPECT_INT(3, destroyed);
  OK(livery_close(store));
}

static void fail_inside(void *user_data) {
  (void)user_data;
  livery_revision(NULL, NULL);
  livery_get_int(NULL, "x", NULL);
}

TEST("what destroy does when registering fails does not hide the failure", destroy_fails) {
  livery_store *store = open_store(fresh_path());
  livery_watch *watch = NULL;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_migration_register(store, "", refuse, NULL, fail_inside));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_watch_start(store, NULL, NULL, NULL, NULL, fail_inside, &watch));
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_migration_register(store, "x", refuse, NULL, fail_inside));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_start(store, NULL, NULL, NULL, NULL, fail_inside, &watch));
}

#define DECLARES_A(version)                                                                                            \
  "{\"Version\": " version ", \"Groups\": [{\"Title\": \"G\", \"Settings\": "                                         \
  "[{\"Type\": \"TextField\", \"Title\": \"A\", \"Key\": \"a\"}]}]}"
#define NOTHING(version) "{\"Version\": " version ", \"Groups\": []}"

// What `dropped` of the plan says, which is what the upgrade does.
static void expect_dropped(const char *expected, livery_store *store, const char *schema) {
  livery_value *plan = NULL, *report = NULL, *planned = NULL, *dropped = NULL;
  bool same = false;
  OK(livery_schema_check(store, schema, LIVERY_ZERO_TERMINATED, &plan));
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, &report));
  OK(livery_value_member(plan, "dropped", &planned));
  OK(livery_value_member(report, "dropped", &dropped));
  OK(livery_value_equal(planned, dropped, &same));
  EXPECT(same);
  EXPECT_JSON(expected, dropped);
  livery_value *all[] = {plan, report, planned};
  for (size_t index = 0; index < 3; index++) OK(livery_value_release(all[index]));
}

TEST("what a schema no longer declares is kept for so many versions, and comes back until then", orphans) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.orphan_versions = 1;
  livery_store *store = NULL;
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_schema_apply(store, DECLARES_A("1"), LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "a", TEXT("x")));
  expect_dropped("[]", store, NOTHING("2"));
  expect_dropped("[]", store, DECLARES_A("3"));
  char text[8];
  OK(livery_get_string(store, "a", text, sizeof text, NULL));
  EXPECT_TEXT("x", text);
  expect_dropped("[]", store, NOTHING("5"));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_string(store, "a", text, sizeof text, NULL));
  livery_value *found = NULL, *orphaned = NULL;
  OK(livery_inspect(store, "a", &found));
  OK(livery_value_member(found, "orphaned", &orphaned));
  EXPECT_JSON("{\"since\":5,\"until\":5}", orphaned);
  OK(livery_value_release(found));
  expect_dropped("[{\"name\":\"a\",\"layer\":\"user\",\"value\":\"x\",\"since\":5,\"until\":5,\"secret\":false,"
                 "\"message\":\"orphaned since version 5, kept up to version 5\"}]",
                 store, NOTHING("6"));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_inspect(store, "a", &found));
  OK(livery_close(store));
}

TEST("without a limit, or with an older header, what a schema no longer declares is kept for ever", orphans_for_ever) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.orphan_versions = 1;
  options.struct_size = offsetof(livery_open_options, orphan_versions);
  livery_store *store = NULL;
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_schema_apply(store, DECLARES_A("1"), LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "a", TEXT("x")));
  expect_dropped("[]", store, NOTHING("2"));
  expect_dropped("[]", store, NOTHING("1000"));
  expect_dropped("[]", store, DECLARES_A("1001"));
  char text[8];
  OK(livery_get_string(store, "a", text, sizeof text, NULL));
  OK(livery_close(store));
}

// Damage to a store's file: a status, never a wrong value and never a crash.
#include "damage.h"
#include "sealer.h"
#include "every_call.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static const livery_layer user = LIVERY_LAYER_USER;
static const livery_status corrupt = LIVERY_ERROR_CORRUPT;

// A store with values in the user layer; its path in `path`.
static livery_store *filled_store(const char **path) {
  *path = fresh_path();
  livery_store *store = new_store(*path, KIOSK_SCHEMA);
  livery_value *list = json("[]");
  OK(livery_set_bool(store, user, "attractLoop", false));
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  OK(livery_set_double(store, user, "volume", 0.25));
  OK(livery_set_string(store, user, "title", TEXT("distinctive")));
  OK(livery_set_data(store, user, "blob", TEXT("x")));
  OK(livery_set_color(store, user, "branding.color.Toolbar", (livery_color){1, 0, 0, 1}));
  OK(livery_set_value(store, user, "playlist", list));
  OK(livery_value_release(list));
  return store;
}

static void read_damaged(livery_store *store) {
  bool truth;
  int64_t number;
  float single;
  double real;
  livery_color color;
  char text[32];
  size_t length;
  livery_value *value = NULL;
  void *bytes = NULL;
  EXPECT_STATUS(corrupt, livery_get_bool(store, "attractLoop", &truth));
  EXPECT_STATUS(corrupt, livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_STATUS(corrupt, livery_get_float(store, "volume", &single));
  EXPECT_STATUS(corrupt, livery_get_double(store, "volume", &real));
  EXPECT_STATUS(corrupt, livery_get_string(store, "title", text, sizeof text, &length));
  EXPECT_STATUS(corrupt, livery_get_data(store, "blob", text, sizeof text, &length));
  EXPECT_STATUS(corrupt, livery_get_url(store, "home", text, sizeof text, &length));
  EXPECT_STATUS(corrupt, livery_get_date(store, "opens", &number));
  EXPECT_STATUS(corrupt, livery_get_color(store, "branding.color.Toolbar", &color));
  EXPECT_STATUS(corrupt, livery_get_list(store, "playlist", &value));
  EXPECT_STATUS(corrupt, livery_get_object(store, "playlist", &value));
  EXPECT_STATUS(corrupt, livery_get_value(store, "title", &value));
  livery_reading reading;
  EXPECT_STATUS(corrupt, livery_read(store, "title", text, sizeof text, &reading));
  EXPECT_STATUS(corrupt, livery_copy_string(store, "title", (char **)&bytes, &length));
  EXPECT_STATUS(corrupt, livery_copy_data(store, "blob", &bytes, &length));
  EXPECT_TEXT("blob", livery_last_error()->setting);
  EXPECT_STATUS(corrupt, livery_inspect(store, "title", &value));
  EXPECT_STATUS(corrupt, livery_list(store, NULL, NULL, &value));
  EXPECT_STATUS(corrupt, livery_settings(store, &value));
  char *json_text = NULL;
  EXPECT_STATUS(corrupt, livery_export_json(store, 0, &json_text, NULL));
  livery_key *key = NULL;
  OK(livery_key_open(store, "attractLoop", &key));
  EXPECT_STATUS(corrupt, livery_key_get_bool(key, &truth));
  EXPECT_STATUS(corrupt, livery_key_get_int(key, &number));
  EXPECT_STATUS(corrupt, livery_key_get_double(key, &real));
  EXPECT_STATUS(corrupt, livery_key_get_string(key, text, sizeof text, NULL));
  livery_snapshot *snapshot = NULL;
  char name[LIVERY_NAME_MAX + 1] = "";
  OK(livery_snapshot_open(store, &snapshot));
  EXPECT_STATUS(corrupt, livery_snapshot_get(snapshot, "title", &value));
  EXPECT_STATUS(corrupt, livery_snapshot_get_layer(snapshot, LIVERY_LAYER_DEFAULTS, "title", &value));
  EXPECT_STATUS(corrupt, livery_snapshot_next(snapshot, NULL, name, &value));
}

static void read_damaged_in_change(livery_store *store) {
  livery_change *change = NULL;
  livery_value *value = NULL;
  OK(livery_change_begin(store, user, &change));
  EXPECT_STATUS(corrupt, livery_change_get(change, "title", &value));
  EXPECT_STATUS(corrupt, livery_change_get_layer(change, LIVERY_LAYER_DEFAULTS, "title", &value));
  OK(livery_change_discard(change));
}

static void damage_every_setting(const char *path) {
  static const char *const names[] = {"attractLoop", "idleResetSeconds", "volume", "title", "blob", "home", "opens",
                                      "branding.color.Toolbar", "playlist"};
  for (size_t index = 0; index < COUNT(names); index++) damage_setting(path, names[index]);
}

static livery_status set_title(livery_change *change, void *user_data) {
  (void)user_data;
  return livery_change_set_string(change, "title", TEXT("x"));
}

TEST("a damaged record is CORRUPT in every read, also while the store is open", reads) {
  const char *path = NULL;
  livery_store *store = filled_store(&path);
  int64_t number = 77;
  OK(livery_get_int(store, "pair.a", &number));
  damage_every_setting(path);
  read_damaged(store);
  read_damaged_in_change(store);
  OK(livery_close(store));
  store = open_store(path);
  read_damaged(store);
  // What is not damaged still reads.
  number = 77;
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(0, number);
  OK(livery_close(store));
}

TEST("a damaged name is CORRUPT where the names of a layer are listed", layer_names) {
  const char *path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  livery_snapshot *snapshot = NULL;
  livery_change *change = NULL;
  livery_value *names = NULL;
  OK(livery_set_string(store, user, "note", TEXT("x")));
  EXPECT(damage_record(path, "note", 4, 0) > 0);
  OK(livery_snapshot_open(store, &snapshot));
  EXPECT_STATUS(corrupt, livery_snapshot_list(snapshot, user, NULL, &names));
  OK(livery_change_begin(store, user, &change));
  EXPECT_STATUS(corrupt, livery_change_list(change, user, NULL, &names));
  OK(livery_close(store));
}

TEST("a damaged declaration is CORRUPT in every change of its setting", writes) {
  const char *path = NULL;
  livery_store *store = filled_store(&path);
  livery_change *change = NULL;
  livery_value *list = json("[1]");
  // A process that has changed a setting remembers how it is declared.
  OK(livery_close(store));
  damage_every_setting(path);
  store = open_store(path);
  EXPECT_STATUS(corrupt, livery_set_bool(store, user, "attractLoop", true));
  EXPECT_STATUS(corrupt, livery_set_int(store, user, "idleResetSeconds", 61));
  EXPECT_STATUS(corrupt, livery_set_double(store, user, "volume", 0.3));
  EXPECT_STATUS(corrupt, livery_set_string(store, user, "title", TEXT("x")));
  EXPECT_STATUS(corrupt, livery_set_data(store, user, "blob", TEXT("y")));
  EXPECT_STATUS(corrupt, livery_set_color(store, user, "branding.color.Toolbar", (livery_color){1, 1, 0, 1}));
  EXPECT_STATUS(corrupt, livery_set_value(store, user, "playlist", list));
  EXPECT_STATUS(corrupt, livery_reset(store, user, "title"));
  EXPECT_STATUS(corrupt, livery_import_json(store, user, TEXT("{\"title\": \"x\"}"), 0, NULL));
  EXPECT_STATUS(corrupt,
                livery_import_plist(store, user, TEXT(PLIST("<key>title</key><string>x</string>")), 0, NULL));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_string(change, "title", TEXT("x")));
  EXPECT_STATUS(corrupt, livery_change_commit(change, NULL));
  EXPECT_STATUS(corrupt, livery_edit(store, user, set_title, NULL, NULL, NULL));
  OK(livery_value_release(list));
  OK(livery_close(store));
}

TEST("a damaged value is made good by setting it anew", set_anew) {
  const char *path = NULL;
  livery_store *store = filled_store(&path);
  livery_store *open_one = open_store(fresh_path());
  OK(livery_close(open_one));
  EXPECT(damage_text(path, "distinctive") > 0);
  char text[32];
  EXPECT_STATUS(corrupt, livery_get_string(store, "title", text, sizeof text, NULL));
  OK(livery_set_string(store, user, "title", TEXT("whole")));
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("whole", text);
  EXPECT(damage_text(path, "whole") > 0);
  // Also by the very value that this process has set last.
  OK(livery_set_string(store, user, "title", TEXT("whole")));
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("whole", text);
  EXPECT(damage_text(path, "whole") > 0);
  OK(livery_reset(store, user, "title"));
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("Hello", text);
  OK(livery_close(store));
}

TEST("a name that is damaged is no absence, whatever is damaged beside it", names) {
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  int64_t number = 0;
  OK(livery_set_int(store, user, "loose.one", 1));
  OK(livery_set_int(store, user, "loose.two", 2));
  EXPECT(damage_record(path, "loose.one", 9, 8) > 0);
  EXPECT_STATUS(corrupt, livery_get_int(store, "loose.one", &number));
  EXPECT(damage_key(path, "loose.two", 9) > 0);
  EXPECT_STATUS(corrupt, livery_get_int(store, "loose.two", &number));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(store, "loose.three", &number));
  OK(livery_close(store));
}

TEST("a damaged revision or schema is CORRUPT", meta) {
  const char *path = NULL;
  livery_snapshot *snapshot = NULL;
  livery_store *store = filled_store(&path);
  uint64_t number = 0;
  char *text = NULL;
  livery_value *report = NULL;
  OK(livery_claim(store, "held.", every_check, NULL, NULL));
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 1));
  OK(livery_change_trial(change, 3600000000));
  OK(livery_change_commit(change, NULL));
  EXPECT(damage_text(path, "{\"Version\"") > 0);
  EXPECT_STATUS(corrupt, livery_schema_copy_json(store, &text, NULL));
  livery_value *value = NULL;
  EXPECT_STATUS(corrupt, livery_form(store, NULL, &value));
  EXPECT_STATUS(corrupt, livery_search(store, "attract", NULL, &value));
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  livery_watch *watch = NULL;
  size_t calls = 77;
  options.flags = LIVERY_WATCH_DISPATCH;
  // What tells a watch how far the log was trimmed.
  livery_open_options briefly = LIVERY_OPEN_OPTIONS_INIT;
  briefly.log_entries = 1;
  livery_store *trimming = NULL;
  OK(livery_open(path, &briefly, &trimming));
  OK(livery_set_string(trimming, user, "title", TEXT("one")));
  OK(livery_set_string(trimming, user, "title", TEXT("two")));
  OK(livery_close(trimming));
  OK(livery_watch_start(store, NULL, &options, every_event, NULL, NULL, &watch));
  EXPECT(damage_key(path, ".log-trimmed", 12) > 0);
  EXPECT_STATUS(corrupt, livery_dispatch(store, &calls));
  EXPECT(damage_key(path, ".revision", 9) > 0);
  EXPECT_STATUS(corrupt, livery_revision(store, &number));
  EXPECT_STATUS(corrupt, livery_claim(store, "kept.", every_check, NULL, NULL));
  EXPECT(damage_key(path, ".trial", 6) > 0);
  EXPECT_STATUS(corrupt, livery_trial_status(store, &report));
  EXPECT_STATUS(corrupt, livery_trial_confirm(store, 1, NULL));
  EXPECT_STATUS(corrupt, livery_trial_revert(store, 0, NULL));
  EXPECT(damage_key(path, ".claims", 7) > 0);
  EXPECT_STATUS(corrupt, livery_claim_secret(store, "kept.secret"));
  EXPECT_STATUS(corrupt, livery_watch_start(store, NULL, NULL, every_event, NULL, NULL, &watch));
  EXPECT_INT(77, calls);
  EXPECT_STATUS(corrupt, livery_snapshot_open(store, &snapshot));
  EXPECT(damage_key(path, ".schema", 7) > 0);
  EXPECT_STATUS(corrupt, livery_schema_version(store, &number));
  EXPECT_STATUS(corrupt, livery_schema_copy_digest(store, &text, NULL));
  EXPECT_STATUS(corrupt, livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_STATUS(corrupt, livery_schema_check(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, &report));
  OK(livery_close(store));
}

TEST("a store whose format number is damaged is CORRUPT at open", format_damaged) {
  const char *path = NULL;
  OK(livery_close(filled_store(&path)));
  EXPECT(damage_key(path, ".format", 7) > 0);
  livery_store *store = NULL;
  EXPECT_STATUS(corrupt, livery_open(path, NULL, &store));
  EXPECT(store == NULL);
}

TEST("a declaration whose key is damaged is CORRUPT at open, and not taken for missing", declaration_key) {
  const char *path = fresh_path();
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.backup_commits = options.backup_age_s = UINT32_MAX;
  livery_store *store = NULL;
  OK(livery_open(path, &options, &store));
  OK(livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_close(store));
  EXPECT(damage_record(path, "idleResetSeconds", 16, 3) > 0);
  livery_store *damaged = NULL;
  EXPECT_STATUS(corrupt, livery_open(path, &options, &damaged));
  EXPECT(damaged == NULL);
}

TEST("a store of a newer format is FORMAT_NEWER at open", format_newer) {
  const char *path = NULL;
  OK(livery_close(filled_store(&path)));
  // The record of the format number: a checksum bound to database and key, and the number.
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  size_t size = 0;
  char *content = read_file(file, &size);
  uint64_t newer = 1000;
  int count = 0;
  for (size_t offset = 8; offset + 23 < size; offset++) {
    if (memcmp(content + offset, ".format", 7) != 0) continue;
    uint64_t sum = XXH3_64bits_withSeed(&newer, 8, XXH3_64bits_withSeed(".format", 7, 1));
    memcpy(content + offset + 7, &sum, 8);
    memcpy(content + offset + 15, &newer, 8);
    count++;
  }
  EXPECT(count > 0);
  write_file(file, content, size);
  free(content);
  livery_store *store = NULL;
  EXPECT_STATUS(LIVERY_ERROR_FORMAT_NEWER, livery_open(path, NULL, &store));
  EXPECT_STATUS(LIVERY_ERROR_FORMAT_NEWER, livery_check(path, NULL));
  const char *second = fresh_path();
  livery_store *other = open_store(second);
  EXPECT_STATUS(LIVERY_ERROR_FORMAT_NEWER, livery_restore(other, file, NULL, NULL));
  // Among the store's own backups.
  OK(livery_backup(other, NULL));
  char backup[500];
  snprintf(backup, sizeof backup, "%s/backups/00000000000000000009-v0-20300101T000000.000000Z-manual.mdb", second);
  char *bytes = read_file(file, &size);
  write_file(backup, bytes, size);
  free(bytes);
  EXPECT_STATUS(LIVERY_ERROR_FORMAT_NEWER, livery_forget(other, "title", LIVERY_FORGET_BACKUPS, NULL));
  toy lent = {.key = 1};
  livery_store *lender = toy_reader(second, &lent);
  EXPECT_STATUS(LIVERY_ERROR_FORMAT_NEWER, livery_set_sealer(other, &toy_sealer, &lent, NULL));
  EXPECT_STATUS(LIVERY_ERROR_FORMAT_NEWER, livery_reseal(other, LIVERY_RESEAL_COPIES, NULL));
  OK(livery_close(lender));
  OK(livery_close(other));
  EXPECT_CONTAINS("1000", livery_last_error()->message);
  EXPECT(store == NULL);
}

static char suspect[320];

static void read_suspect(void) {
  // Whatever the status, no value but the right ones may come out, and nothing may crash.
  static const char *const right[] = {"distinctive", "Hello"};
  livery_store *store = NULL;
  if (livery_open(suspect, NULL, &store) != LIVERY_OK) return;
  char text[64] = "";
  livery_status status = livery_get_string(store, "title", text, sizeof text, NULL);
  if (status == LIVERY_OK) EXPECT(strcmp(text, right[0]) == 0 || strcmp(text, right[1]) == 0);
  int64_t seconds = 0;
  status = livery_get_int(store, "idleResetSeconds", &seconds);
  if (status == LIVERY_OK) EXPECT(seconds == 60 || seconds == 120);
  livery_close(store);
}

TEST("no flipped bit in a record makes a wrong value", flips_in_records) {
  const char *path = NULL;
  OK(livery_close(filled_store(&path)));
  snprintf(suspect, sizeof suspect, "%s", path);
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  size_t size = 0;
  char *good = read_file(file, &size), *bad = malloc(size);
  for (size_t offset = 0; offset + 60 < size; offset++) {
    // Around each copy of the value: its record, and its neighbours.
    if (memcmp(good + offset, "distinctive", 11) != 0) continue;
    for (int place = -40; place < 12; place++) {
      memcpy(bad, good, size);
      bad[(ptrdiff_t)offset + place] ^= (char)(1 << ((unsigned)place % 8));
      write_file(file, bad, size);
      IN_CHILD(read_suspect);
    }
  }
  free(good);
  free(bad);
}

TEST("what replaced a value is told as far as the log can be read", replaced) {
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  livery_change *change = NULL;
  livery_value *number = json("2"), *value = NULL, *reason = NULL;
  uint64_t revision = 0;
  char *text = NULL;
  OK(livery_set_int(store, user, "speed", 1));
  OK(livery_change_begin(store, LIVERY_LAYER_RECOMMENDED, &change));
  OK(livery_change_replace(change, "speed", number));
  OK(livery_change_commit(change, &revision));
  for (int round = 0; round < 2; round++) {
    OK(livery_inspect(store, "speed", &value));
    OK(livery_value_member(value, "reason", &reason));
    OK(livery_value_to_json(reason, 0, &text, NULL));
    EXPECT((strstr(text, "replaced") != NULL) == (round == 0));
    livery_free(text);
    OK(livery_value_release(value));
    if (round == 0) EXPECT(damage_log_entry(path, revision) > 0);
  }
  EXPECT_STATUS(corrupt, livery_history(store, NULL, &value));
  OK(livery_value_release(number));
  OK(livery_close(store));
}

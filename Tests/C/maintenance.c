// Backups, bringing them back, damage, compaction and figures.
#include "damage.h"
#include "sealer.h"
#include "seen.h"

static const livery_layer user = LIVERY_LAYER_USER;

static char *export_of(livery_store *store) {
  char *text = NULL;
  OK(livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, NULL));
  return text;
}

static int64_t number_of(livery_value *object, const char *name) {
  livery_value *member = NULL;
  int64_t number = -1;
  if (livery_value_member(object, name, &member) != LIVERY_OK) return -1;
  livery_value_as_int(member, &number);
  livery_value_release(member);
  return number;
}

static int64_t stat_of(livery_store *store, const char *name) {
  livery_value *figures = NULL;
  OK(livery_stats(store, &figures));
  int64_t number = number_of(figures, name);
  OK(livery_value_release(figures));
  return number;
}

static livery_store *kiosk(const char *path) {
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  OK(livery_set_string(store, user, "title", TEXT("Hello")));
  return store;
}

TEST("a backup that is restored gives the same export, as a commit of its own", restored) {
  const char *path = fresh_path();
  livery_store *store = kiosk(path);
  char file[400];
  snprintf(file, sizeof file, "%s/../copy.mdb", path);
  char *before = export_of(store);
  OK(livery_backup(store, file));
  OK(livery_set_int(store, user, "idleResetSeconds", 90));
  OK(livery_set_string(store, LIVERY_LAYER_ENFORCED, "title", TEXT("Enforced")));
  uint64_t revision = 0, last = 0;
  OK(livery_revision(store, &last));
  OK(livery_restore(store, file, "console", &revision));
  EXPECT_INT(last + 1, revision);
  char *after = export_of(store);
  EXPECT_TEXT(before, after);
  OK(livery_restore(store, file, NULL, &revision));
  EXPECT_INT(last + 1, revision);
  OK(livery_undo(store, revision, 0, NULL));
  int64_t seconds = 0;
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(90, seconds);
  livery_free(before);
  livery_free(after);
  unlink(file);
  OK(livery_close(store));
}

TEST("what a restored backup holds ends when it says, also if it was made during a trial", restored_expiry) {
  const char *path = fresh_path();
  livery_store *store = kiosk(path);
  livery_change *change = NULL;
  char file[400];
  uint64_t revision = 0, again = 0;
  static seen seen;
  snprintf(file, sizeof file, "%s/../trial.mdb", path);
  int64_t end = now_microseconds() + 1500000;
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, end));
  OK(livery_change_set_int(change, "pair.a", 7));
  OK(livery_change_commit(change, NULL));
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_trial(change, 60000000));
  OK(livery_change_reset(change, "pair.a"));
  OK(livery_change_commit(change, NULL));
  OK(livery_backup(store, file));
  OK(livery_trial_revert(store, 0, NULL));
  for (int round = 0; round < 3; round++) {
    OK(livery_restore(store, file, NULL, &again));
    if (round > 0) EXPECT_INT(revision, again);
    revision = again;
  }
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_INITIAL, 0)) return;
  EXPECT(seen_wait(&seen.count, 2));
  EXPECT_EVENT(LIVERY_EVENT_INITIAL, "pair.a", "", "7", &seen.events[0]);
  EXPECT_EVENT(LIVERY_EVENT_EXPIRED, "pair.a", "7", "0", &seen.events[1]);
  // And is not there any more.
  char *text = export_of(store);
  EXPECT(strstr(text, "\"session\":{\"") == NULL);
  livery_free(text);
  unlink(file);
  OK(livery_close(store));
}

TEST("the store keeps backups of its own, and restores the latest or one by name", own_backups) {
  livery_store *store = kiosk(fresh_path());
  livery_value *list = NULL, *item = NULL;
  size_t count = 9;
  OK(livery_backups(store, &list));
  OK(livery_value_count(list, &count));
  EXPECT_INT(0, count);
  OK(livery_value_release(list));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_restore(store, NULL, NULL, NULL));
  OK(livery_backup(store, NULL));
  OK(livery_set_int(store, user, "idleResetSeconds", 90));
  OK(livery_restore(store, NULL, NULL, NULL));
  int64_t seconds = 0;
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(60, seconds);
  OK(livery_backups(store, &list));
  OK(livery_value_count(list, &count));
  EXPECT_INT(2, count);
  OK(livery_value_at(list, 0, &item));
  EXPECT_TEXT("restore", member_text(item, "reason"));
  OK(livery_restore(store, member_text(item, "name"), NULL, NULL));
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(90, seconds);
  OK(livery_value_release(item));
  OK(livery_value_release(list));
  OK(livery_close(store));
}

TEST("what cannot be backed up or restored is a status, and changes nothing", refused) {
  const char *path = fresh_path();
  livery_store *store = kiosk(path), *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  char file[400];
  OK(livery_backup(store, NULL));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_restore(reader, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_compact(reader));
  OK(livery_close(reader));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_backup(store, "/nowhere/at/all/x.mdb"));
  snprintf(file, sizeof file, "%s/backups", path);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_backup(store, file));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_backup(store, ".."));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_restore(store, "/nowhere/x.mdb", NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_restore(store, "/etc/passwd", NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_restore(store, "/", NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_restore(store, "", NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_restore(store, NULL, "a\nb", NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_backup(store, ""));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_backups(store, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_stats(store, NULL));
  char *before = export_of(store);
  snprintf(file, sizeof file, "%s/damaged.mdb", path);
  OK(livery_backup(store, file));
  EXPECT(truncate(file, 12288) == 0);
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_restore(store, file, NULL, NULL));
  char *after = export_of(store);
  EXPECT_TEXT(before, after);
  livery_free(before);
  livery_free(after);
  // A file where the folder should be.
  snprintf(file, sizeof file, "%s/damaged", path);
  write_file(file, "x", 1);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_compact(store));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_forget(store, "title", 0, NULL));
  toy lent = {.key = 1};
  livery_store *lender = toy_reader(path, &lent);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_set_sealer(store, &toy_sealer, &lent, NULL));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_reseal(store, 0, NULL));
  OK(livery_close(lender));
  unlink(file);
  OK(livery_close(store));
}

TEST("a backup needs a reader slot, and goes into no pipe", no_backup) {
  livery_store *store = NULL;
  livery_snapshot *snapshots[16] = {NULL};
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.max_readers = 8;
  char pipe[400];
  const char *path = fresh_path();
  REQUIRE_OK(livery_open(path, &options, &store));
  size_t count = 0;
  while (count < 16 && livery_snapshot_open(store, &snapshots[count]) == LIVERY_OK) count++;
  EXPECT(count < 16);
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_backup(store, NULL));
  while (count > 0) OK(livery_snapshot_close(snapshots[--count]));
  OK(livery_backup(store, NULL));
  snprintf(pipe, sizeof pipe, "%s.pipe", path);
  EXPECT(mkfifo(pipe, 0600) == 0);
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_backup(store, pipe));
  OK(livery_close(store));
}

static const char *guarded;

static void as_somebody_else(void) {
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  toy lent = {.key = 1};
  toy_reader(path, &lent);
  if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return;
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_check(guarded, NULL));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_restore(store, guarded, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_backup(store, "/livery-not-allowed-here.mdb"));
  livery_value *list = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_backups(store, &list));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_stats(store, &list));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_compact(store));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_forget(store, "title", 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_set_sealer(store, &toy_sealer, &lent, NULL));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_reseal(store, 0, NULL));
  EXPECT(list == NULL);
}

TEST("what belongs to somebody else is PERMISSION", permission) {
  static char file[400];
  const char *path = fresh_path();
  livery_store *store = kiosk(path);
  snprintf(file, sizeof file, "%s/guarded.mdb", path);
  OK(livery_backup(store, file));
  OK(livery_close(store));
  guarded = file;
  IN_CHILD(as_somebody_else);
}

TEST("a check tells of damage and changes nothing", checked) {
  const char *path = fresh_path();
  livery_store *store = kiosk(path);
  livery_value *report = NULL, *damage = NULL;
  size_t count = 0;
  OK(livery_check(path, &report));
  EXPECT_INT(3, number_of(report, "revision"));
  EXPECT_INT(3, number_of(report, "schemaVersion"));
  EXPECT(number_of(report, "records") > 20 && number_of(report, "pages") > 5);
  OK(livery_value_release(report));
  OK(livery_close(store));
  damage_setting(path, "title");
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_check(path, &report));
  OK(livery_value_member(report, "damage", &damage));
  OK(livery_value_count(damage, &count));
  EXPECT(count >= 2);
  OK(livery_value_release(damage));
  OK(livery_value_release(report));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_check("/nowhere", NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_check("/etc", NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_check("/etc/passwd", NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_check(NULL, NULL));
  char too_long[1000];
  memset(too_long, 'l', sizeof too_long);
  too_long[sizeof too_long - 1] = 0;
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_check(too_long, NULL));
  store = open_store(path);
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_backup(store, NULL));
  OK(livery_close(store));
}

TEST("a store that describes itself wrongly says so in its figures and is not compacted", damaged_figures) {
  const char *path = fresh_path();
  livery_store *store = kiosk(path);
  livery_value *figures = NULL;
  toy lent = {.key = 1};
  livery_store *lender = toy_reader(path, &lent);
  EXPECT(damage_key(path, ".revision", 9) > 0);
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_stats(store, &figures));
  EXPECT(figures == NULL);
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_compact(store));
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_forget(store, "title", 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_set_sealer(store, &toy_sealer, &lent, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_reseal(store, 0, NULL));
  OK(livery_close(lender));
  OK(livery_close(store));
}

// Breaks the root of the main database in both of the first pages.
static void break_roots(const char *path) {
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  size_t size = 0;
  char *content = read_file(file, &size);
  for (size_t page = 0; page < 2; page++) content[page * 4096 + 16 + 24 + 48 + 40] ^= 0x04;
  write_file(file, content, size);
  free(content);
}

TEST("a damaged file is replaced by the last good copy, or refused", recovered) {
  const char *path = fresh_path();
  livery_store *store = kiosk(path);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  OK(livery_backup(store, NULL));
  char *before = export_of(store);
  OK(livery_close(store));
  break_roots(path);
  options.flags = LIVERY_OPEN_NO_RECOVERY;
  store = NULL;
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_open(path, &options, &store));
  EXPECT(store == NULL);
  options.flags = 0;
  OK(livery_open(path, &options, &store));
  char *after = export_of(store);
  EXPECT_TEXT(before, after);
  livery_free(before);
  livery_free(after);
  livery_value *figures = NULL, *recovery = NULL;
  OK(livery_stats(store, &figures));
  OK(livery_value_member(figures, "recovery", &recovery));
  EXPECT(access(member_text(recovery, "damagedFile"), R_OK) == 0);
  EXPECT_INT(3, number_of(recovery, "copyRevision"));
  EXPECT_INT(4, number_of(recovery, "revision"));
  OK(livery_value_release(recovery));
  OK(livery_value_release(figures));
  OK(livery_close(store));
}

static int told;

// Opens another store, as one does that keeps what it is told.
static void keeps(int32_t level, const char *message, void *user_data) {
  livery_store *store = open_store_with(user_data, LIVERY_OPEN_CREATE, 100);
  EXPECT_INT(LIVERY_LOG_ERROR, level);
  OK(livery_set_string(store, user, "last", message, LIVERY_ZERO_TERMINATED));
  OK(livery_close(store));
  told++;
}

TEST("who is told of a damaged file may open stores: no lock is held", told_of_damage) {
  const char *path = fresh_path();
  char other[400];
  snprintf(other, sizeof other, "%s.messages", path);
  livery_store *store = kiosk(path);
  OK(livery_backup(store, NULL));
  OK(livery_close(store));
  break_roots(path);
  OK(livery_set_log_handler(keeps, other, NULL));
  alarm(60);
  store = open_store(path);
  alarm(0);
  OK(livery_set_log_handler(NULL, NULL, NULL));
  EXPECT_INT(1, told);
  OK(livery_close(store));
}

static const char *shared_path;

static void compact_in_child(void) {
  livery_store *store = open_store(shared_path);
  OK(livery_compact(store));
  OK(livery_set_int(store, user, "idleResetSeconds", 77));
  OK(livery_close(store));
}

TEST("compaction makes the file small, and other processes go on with it", compacted) {
  const char *path = fresh_path();
  livery_store *store = kiosk(path);
  livery_snapshot *snapshot = NULL;
  static char large[400000];
  memset(large, 'x', sizeof large);
  OK(livery_set_data(store, user, "blob", large, sizeof large));
  OK(livery_set_data(store, user, "blob", TEXT("x")));
  OK(livery_snapshot_open(store, &snapshot));
  int64_t before = stat_of(store, "fileBytes"), seconds = 0;
  shared_path = path;
  IN_CHILD(compact_in_child);
  // The snapshot stays in the former file, all else goes on in the new one.
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(77, seconds);
  livery_value *value = NULL;
  OK(livery_snapshot_get(snapshot, "idleResetSeconds", &value));
  OK(livery_value_as_int(value, &seconds));
  EXPECT_INT(60, seconds);
  OK(livery_value_release(value));
  OK(livery_set_int(store, user, "pair.a", 5));
  OK(livery_snapshot_close(snapshot));
  OK(livery_get_int(store, "pair.a", &seconds));
  EXPECT_INT(5, seconds);
  EXPECT(stat_of(store, "fileBytes") < before);
  OK(livery_check(path, NULL));
  OK(livery_close(store));
}

// A store whose directory or files are moved, deleted or exchanged while it is open; and backups that would overwrite it.
#include "check.h"

#include <dirent.h>
#include <sys/syscall.h>

static int64_t number_at(const char *path) {
  livery_store *store = NULL;
  int64_t number = -1;
  OK(livery_open(path, NULL, &store));
  OK(livery_get_int(store, "number", &number));
  OK(livery_close(store));
  return number;
}

static void make_store(const char *path, int64_t number) {
  livery_store *store = open_store(path);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", number));
  OK(livery_close(store));
}

static int backups_at(const char *path) {
  char folder[400];
  int count = 0;
  snprintf(folder, sizeof folder, "%s/backups", path);
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) count += entry->d_name[0] != '.';
  if (directory) closedir(directory);
  return count;
}

typedef enum way { MOVED, DELETED, REPLACED, EXCHANGED, WAYS } way;

static bool remove_store(const char *path) {
  return nftw(path, check_remove, 8, FTW_DEPTH | FTW_PHYS) == 0;
}

// What an app meets that has a store open, when somebody does this to its directory.
static void meet(way way) {
  char path[320], away[340], fresh[340];
  int64_t number = 0;
  snprintf(path, sizeof path, "%s", fresh_path());
  snprintf(away, sizeof away, "%s.away", path);
  snprintf(fresh, sizeof fresh, "%s.fresh", path);
  make_store(path, 1);
  make_store(fresh, 2);
  int backups = backups_at(fresh);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  // It would copy itself after each commit, and when it is closed.
  options.backup_commits = 1;
  options.backup_age_s = 1;
  REQUIRE_OK(livery_open(path, &options, &store));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 10));
  switch (way) {
    case MOVED: EXPECT(rename(path, away) == 0); break;
    case DELETED: EXPECT(remove_store(path)); break;
    case REPLACED: EXPECT(rename(path, away) == 0 && rename(fresh, path) == 0); break;
    default: EXPECT(syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, fresh, 2) == 0); break;
  }
  EXPECT_STATUS(LIVERY_ERROR_GONE, livery_set_int(store, LIVERY_LAYER_USER, "number", 11));
  EXPECT_STATUS(LIVERY_ERROR_GONE, livery_compact(store));
  EXPECT_STATUS(LIVERY_ERROR_GONE, livery_restore(store, NULL, NULL, NULL));
  livery_status status = livery_backup(store, NULL);
  EXPECT(status == LIVERY_ERROR_GONE || status == LIVERY_OK);
  // What was read goes on being right, if it can be had.
  status = livery_get_int(store, "number", &number);
  EXPECT(status == LIVERY_ERROR_GONE || (status == LIVERY_OK && number == 10));
  OK(livery_close(store));
  const char *old = way == EXCHANGED ? fresh : away;
  if (way == REPLACED || way == EXCHANGED) {
    EXPECT_INT(2, number_at(path));
    EXPECT(backups_at(path) <= backups + 1);
  }
  if (way != DELETED) EXPECT_INT(10, number_at(old));
  if (way == MOVED) {
    // It comes back, and can be opened again.
    EXPECT(rename(away, path) == 0);
    REQUIRE_OK(livery_open(path, NULL, &store));
    OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 12));
    OK(livery_close(store));
    EXPECT_INT(12, number_at(path));
  }
}

static void meet_moved(void) { meet(MOVED); }
static void meet_deleted(void) { meet(DELETED); }
static void meet_replaced(void) { meet(REPLACED); }
static void meet_exchanged(void) { meet(EXCHANGED); }

TEST("a commit into a store that was moved away says GONE", moved) { IN_CHILD(meet_moved); }
TEST("a commit into a store that was deleted says GONE", deleted) { IN_CHILD(meet_deleted); }
TEST("a store that took the place of another gets nothing of it", replaced) { IN_CHILD(meet_replaced); }
TEST("stores that were exchanged keep what is theirs", exchanged) { IN_CHILD(meet_exchanged); }

static char small[320];

static void outgrow(void) {
  livery_store *store = open_store(small);
  char *text = calloc(1, 600000);
  memset(text, 'g', 600000);
  for (int index = 0; index < 4; index++) {
    char name[16];
    snprintf(name, sizeof name, "big.%d", index);
    OK(livery_set_string(store, LIVERY_LAYER_USER, name, text, 600000));
  }
  free(text);
  OK(livery_close(store));
}

TEST("a read that has to open the file anew, and finds another kind of file, says GONE", another_kind) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  livery_snapshot *snapshot = NULL;
  char data[400], away[420];
  int64_t number = 0;
  snprintf(small, sizeof small, "%s", fresh_path());
  snprintf(data, sizeof data, "%s/data.mdb", small);
  snprintf(away, sizeof away, "%s.away", small);
  make_store(small, 1);
  options.map_size = 1 << 20;
  options.backup_commits = options.backup_age_s = UINT32_MAX;
  REQUIRE_OK(livery_open(small, &options, &store));
  // What is held keeps the map as it is, so that the larger file is opened beside it.
  OK(livery_snapshot_open(store, &snapshot));
  IN_CHILD(outgrow);
  EXPECT(rename(data, away) == 0);
  write_file(data, "another kind of file", 20);
  EXPECT_STATUS(LIVERY_ERROR_GONE, livery_get_int(store, "number", &number));
  EXPECT(rename(away, data) == 0);
  OK(livery_get_int(store, "number", &number));
  EXPECT_INT(1, number);
  OK(livery_snapshot_close(snapshot));
  OK(livery_close(store));
}

TEST("a backup onto the store's own files is refused, whatever path leads to them", own_files) {
  static const char *const names[] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake"};
  char path[320], own[360], target[700], linked[340], other[400];
  snprintf(path, sizeof path, "%s", fresh_path());
  snprintf(linked, sizeof linked, "%s.linked", path);
  livery_store *store = open_store(path);
  EXPECT(symlink(path, linked) == 0);
  for (size_t index = 0; index < COUNT(names); index++) {
    struct stat before, after;
    int64_t number = 0;
    OK(livery_set_int(store, LIVERY_LAYER_USER, "number", (int64_t)index));
    snprintf(own, sizeof own, "%s/%s", path, names[index]);
    EXPECT(stat(own, &before) == 0);
    EXPECT(livery_backup(store, own) != LIVERY_OK);
    snprintf(target, sizeof target, "%s/./%s", path, names[index]);
    EXPECT(livery_backup(store, target) != LIVERY_OK);
    snprintf(target, sizeof target, "%s/%s", linked, names[index]);
    EXPECT(livery_backup(store, target) != LIVERY_OK);
    snprintf(other, sizeof other, "%s.soft%zu", path, index);
    EXPECT(symlink(own, other) == 0);
    EXPECT(livery_backup(store, other) != LIVERY_OK);
    snprintf(other, sizeof other, "%s.hard%zu", path, index);
    EXPECT(link(own, other) == 0);
    EXPECT(livery_backup(store, other) != LIVERY_OK);
    EXPECT(stat(own, &after) == 0 && after.st_ino == before.st_ino && after.st_size >= before.st_size);
    OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 100 + (int64_t)index));
    OK(livery_get_int(store, "number", &number));
    EXPECT_INT(100 + (int64_t)index, number);
  }
  OK(livery_close(store));
  EXPECT_INT(103, number_at(path));
  OK(livery_check(path, NULL));
}

TEST("what a copy left that was cut short is cleared away at the next opening", leftovers) {
  char path[320], file[400];
  snprintf(path, sizeof path, "%s", fresh_path());
  make_store(path, 1);
  snprintf(file, sizeof file, "%s/backups", path);
  EXPECT(mkdir(file, 0700) == 0 || errno == EEXIST);
  snprintf(file, sizeof file, "%s/backups/.0123456789abcdef.tmp", path);
  write_file(file, "left", 4);
  EXPECT_INT(1, number_at(path));
  EXPECT(access(file, F_OK) != 0);
}

static _Atomic int times_told;

static void note_gone(int32_t level, const char *message, void *user_data) {
  (void)user_data;
  if (level == LIVERY_LOG_ERROR && strstr(message, "moved, deleted or exchanged")) times_told++;
}

static void pass_over(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count, (void)user_data;
}

TEST("who only watches is told once that the store has gone", watching) {
  char path[320], away[340];
  snprintf(path, sizeof path, "%s", fresh_path());
  snprintf(away, sizeof away, "%s.away", path);
  make_store(path, 1);
  livery_store *store = open_store(path);
  OK(livery_set_log_handler(note_gone, NULL, NULL));
  livery_watch *watch = NULL;
  OK(livery_watch_start(store, "number", NULL, pass_over, NULL, NULL, &watch));
  EXPECT(rename(path, away) == 0);
  for (int tries = 0; tries < 1000 && times_told == 0; tries++) usleep(10000);
  EXPECT_INT(1, times_told);
  usleep(1500000);
  EXPECT_INT(1, times_told);
  OK(livery_close(store));
  OK(livery_set_log_handler(NULL, NULL, NULL));
}

static const char *const files[] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake"};

// What becomes of a file in a folder; the folder's times are set to what they were.
static void lose(const char *path, const char *file, int way) {
  char from[400], to[400];
  struct stat before;
  snprintf(from, sizeof from, "%s/%s", path, file);
  snprintf(to, sizeof to, "%s/other", path);
  write_file(to, "another file", 12);
  EXPECT(stat(path, &before) == 0);
  if (way == MOVED) EXPECT(rename(from, to) == 0);
  else if (way == DELETED) EXPECT(unlink(from) == 0);
  else if (way == REPLACED) EXPECT(rename(to, from) == 0);
  else EXPECT(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 2) == 0);
  EXPECT(utimensat(AT_FDCWD, path, (struct timespec[]){before.st_atim, before.st_mtim}, 0) == 0);
}

TEST("in a folder that was left alone for long it is seen that a file has gone, whichever and however", left_alone) {
  livery_store *stores[COUNT(files)][WAYS];
  char paths[COUNT(files)][WAYS][320];
  for (size_t file = 0; file < COUNT(files); file++) {
    for (int way = 0; way < WAYS; way++) {
      snprintf(paths[file][way], sizeof paths[file][way], "%s", fresh_path());
      stores[file][way] = open_store(paths[file][way]);
    }
  }
  sleep(4);
  for (size_t file = 0; file < COUNT(files); file++) {
    for (int way = 0; way < WAYS; way++) {
      for (int time = 0; time < 3; time++) OK(livery_set_int(stores[file][way], LIVERY_LAYER_USER, "number", time));
      lose(paths[file][way], files[file], way);
      EXPECT_STATUS(LIVERY_ERROR_GONE, livery_set_int(stores[file][way], LIVERY_LAYER_USER, "number", 11));
      EXPECT(strstr(livery_last_error()->message, files[file]) != NULL);
      OK(livery_close(stores[file][way]));
    }
  }
}

TEST("a file that goes right after another change of the folder is missed, too", same_moment) {
  char path[320], other[400], data[400];
  for (int time = 0; time < 30; time++) {
    snprintf(path, sizeof path, "%s", fresh_path());
    snprintf(other, sizeof other, "%s/other", path);
    snprintf(data, sizeof data, "%s/data.mdb", path);
    livery_store *store = open_store(path);
    write_file(other, "another file", 12);
    OK(livery_set_int(store, LIVERY_LAYER_USER, "number", time));
    EXPECT(rename(other, data) == 0);
    EXPECT_STATUS(LIVERY_ERROR_GONE, livery_set_int(store, LIVERY_LAYER_USER, "number", 11));
    OK(livery_close(store));
  }
}

TEST("what others put into a store's folder and take out again keeps nobody from committing", foreign_files) {
  char path[320], file[400];
  snprintf(path, sizeof path, "%s", fresh_path());
  snprintf(file, sizeof file, "%s/foreign", path);
  livery_store *store = open_store(path);
  for (int time = 0; time < 5; time++) {
    write_file(file, "foreign", 7);
    OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 2 * time));
    EXPECT(unlink(file) == 0);
    OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 2 * time + 1));
  }
  OK(livery_close(store));
  EXPECT_INT(9, number_at(path));
}

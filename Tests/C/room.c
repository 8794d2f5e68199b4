// Room on the disk: the way out when there is none, and nothing left of copies that were never finished.
#include "fixture.h"

#include <sched.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/vfs.h>

static char mounted[320], path[400];

static livery_status add_one(livery_change *change, void *user_data) {
  return livery_change_set_string(change, "more", user_data, 60000);
}

static livery_status remove_one(livery_change *change, void *user_data) {
  (void)user_data;
  return livery_change_reset(change, "value.0");
}

static void fill_and_empty(void) {
  static char large[60000];
  if (unshare(CLONE_NEWNS | (getuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount("tmpfs", mounted, "tmpfs", 0, "size=2m") != 0)
    return;
  livery_store *store = open_store(path);
  int count = 0;
  char name[32];
  livery_status status = LIVERY_OK;
  for (size_t length = sizeof large; length > 100; length /= 4)
    for (;; count++) {
      snprintf(name, sizeof name, "value.%d", count);
      memset(large, 'a' + count % 26, length);
      status = livery_set_string(store, LIVERY_LAYER_USER, name, large, length);
      if (status != LIVERY_OK) break;
    }
  EXPECT_INT(LIVERY_ERROR_NO_SPACE, status);
  const char *message = livery_last_error()->message;
  EXPECT(strstr(message, "reset") || strstr(message, "remov"));
  // An edit that only removes is let through, too, and one that adds is not.
  EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_edit(store, LIVERY_LAYER_USER, add_one, large, NULL, NULL));
  OK(livery_edit(store, LIVERY_LAYER_USER, remove_one, NULL, NULL, NULL));
  for (int index = 1; index < count; index++) {
    snprintf(name, sizeof name, "value.%d", index);
    OK(livery_reset(store, LIVERY_LAYER_USER, name));
  }
  OK(livery_compact(store));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "again", large, sizeof large));
  OK(livery_close(store));
}

TEST("on a full disk everything can be removed, and then there is room again", full) {
  snprintf(mounted, sizeof mounted, "%s", fresh_path());
  EXPECT(mkdir(mounted, 0700) == 0);
  snprintf(path, sizeof path, "%s/store", mounted);
  IN_CHILD(fill_and_empty);
}

static void reset_large_layer(void) {
  // The layer holds less than what is kept for making room; assets and others have the rest.
  static char large[300000];
  if (unshare(CLONE_NEWNS | (getuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount("tmpfs", mounted, "tmpfs", 0, "size=8300k") != 0)
    return;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  options.flags = LIVERY_OPEN_CREATE;
  options.backup_commits = UINT32_MAX;
  options.backup_age_s = UINT32_MAX;
  options.log_entries = 8;
  OK(livery_open(path, &options, &store));
  char name[32], id[LIVERY_ASSET_ID_SIZE];
  for (int index = 0; index < 3; index++) {
    snprintf(name, sizeof name, "value.%d", index);
    memset(large, 'a' + index, sizeof large);
    OK(livery_set_string(store, LIVERY_LAYER_USER, name, large, sizeof large));
  }
  char filler[400];
  snprintf(filler, sizeof filler, "%s/filler", mounted);
  int file = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  while (write(file, large, 4096) == 4096) continue;
  close(file);
  // Until a small commit is all that there is room for.
  for (int count = 0; count < 100; count++) {
    snprintf(large, sizeof large, "%d", count);
    if (livery_asset_put(store, large, 30000, LIVERY_ASSET_ANY, id) != LIVERY_OK) break;
  }
  // What the layer held must not go to the log instead, at the cost of the room that is kept for what follows.
  char data[420];
  struct stat before, after;
  snprintf(data, sizeof data, "%s/data.mdb", path);
  EXPECT(stat(data, &before) == 0);
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  OK(livery_change_reset_all(change));
  OK(livery_change_commit(change, NULL));
  EXPECT(stat(data, &after) == 0 && after.st_size <= before.st_size + (256 << 10));
  livery_collect_options all = LIVERY_COLLECT_OPTIONS_INIT;
  all.flags = LIVERY_COLLECT_IGNORE_LOG;
  OK(livery_asset_collect(store, &all, NULL));
  OK(livery_compact(store));
  memset(large, 'z', sizeof large);
  OK(livery_set_string(store, LIVERY_LAYER_USER, "again", large, sizeof large));
  OK(livery_close(store));
}

TEST("a layer of large values can be reset on a full disk, and there is room to compact then", full_layer) {
  snprintf(mounted, sizeof mounted, "%s", fresh_path());
  EXPECT(mkdir(mounted, 0700) == 0);
  snprintf(path, sizeof path, "%s/store", mounted);
  IN_CHILD(reset_large_layer);
}

static char said[400];
static pthread_mutex_t saying = PTHREAD_MUTEX_INITIALIZER;

static void listen(int32_t level, const char *message, void *user_data) {
  (void)level, (void)user_data;
  pthread_mutex_lock(&saying);
  snprintf(said, sizeof said, "%s", message);
  pthread_mutex_unlock(&saying);
}

static bool has_said(const char *part) {
  pthread_mutex_lock(&saying);
  bool found = strstr(said, part) != NULL;
  pthread_mutex_unlock(&saying);
  return found;
}

static void copy_without_room(void) {
  static char large[900000];
  if (unshare(CLONE_NEWNS | (getuid() == 0 ? 0 : CLONE_NEWUSER)) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0
      || mount("tmpfs", mounted, "tmpfs", 0, "size=9m") != 0)
    return;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  options.flags = LIVERY_OPEN_CREATE;
  options.backup_commits = 2;
  OK(livery_set_log_handler(listen, NULL, NULL));
  OK(livery_open(path, &options, &store));
  memset(large, 'x', sizeof large);
  // Twice as much as it says, for what is in effect; a copy of it finds no room beside.
  OK(livery_set_string(store, LIVERY_LAYER_USER, "large", large, sizeof large));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "larger", large, sizeof large));
  for (int tries = 0; tries < 2000 && !has_said("no room"); tries++) usleep(1000);
  EXPECT_CONTAINS("no copy could be made: the file system has no room for it", said);
  OK(livery_set_string(store, LIVERY_LAYER_USER, "small", "s", 1));
  OK(livery_close(store));
  OK(livery_set_log_handler(NULL, NULL, NULL));
}

TEST("a copy for which there is no room is not begun", no_copy) {
  snprintf(mounted, sizeof mounted, "%s", fresh_path());
  EXPECT(mkdir(mounted, 0700) == 0);
  snprintf(path, sizeof path, "%s/store", mounted);
  IN_CHILD(copy_without_room);
}

TEST("what a killed process leaves of a copy goes with the next opening", leftovers) {
  static const char *const left[] = {"backups/.1a2b3c4d.tmp", "damaged/recovering.mdb", "damaged/hidden.mdb", "data.mdb.new"};
  const char *store_path = fresh_path();
  char file[400];
  livery_store *store = open_store(store_path);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 1));
  OK(livery_backup(store, NULL));
  OK(livery_close(store));
  snprintf(file, sizeof file, "%s/damaged", store_path);
  EXPECT(mkdir(file, 0700) == 0);
  for (size_t index = 0; index < COUNT(left); index++) {
    snprintf(file, sizeof file, "%s/%s", store_path, left[index]);
    write_file(file, "unfinished", 10);
  }
  OK(livery_close(open_store_with(store_path, 0, 0)));
  for (size_t index = 0; index < COUNT(left); index++) {
    snprintf(file, sizeof file, "%s/%s", store_path, left[index]);
    EXPECT(access(file, F_OK) != 0);
  }
}

// How long the file is, and how long its pages are by the later of its first two.
static off_t file_size(void) {
  struct stat facts = {0};
  char data[420];
  snprintf(data, sizeof data, "%s/data.mdb", path);
  EXPECT(stat(data, &facts) == 0);
  return facts.st_size;
}

static off_t pages_size(void) {
  char data[420];
  uint8_t meta[160];
  uint64_t last = 0, newest = 0, number, commit;
  uint32_t page = 4096;
  snprintf(data, sizeof data, "%s/data.mdb", path);
  int file = open(data, O_RDONLY);
  for (int side = 0; side < 2; side++) {
    EXPECT(pread(file, meta, sizeof meta, side * (off_t)page) == sizeof meta);
    memcpy(&page, meta + 40, 4);
    memcpy(&number, meta + 136, 8);
    memcpy(&commit, meta + 144, 8);
    if (side == 0 || commit > newest) last = number, newest = commit;
  }
  close(file);
  return (off_t)(last + 1) * page;
}

static livery_status set_hundred(livery_change *change, void *user_data) {
  char name[32], text[100];
  for (int index = 0; index < 100; index++) {
    snprintf(name, sizeof name, "group.value.%d", index);
    snprintf(text, sizeof text, "a text of some length, the %dth of its kind, number %d", *(int *)user_data, index);
    livery_status status = livery_change_set_string(change, name, text, LIVERY_ZERO_TERMINATED);
    if (status != LIVERY_OK) return status;
  }
  return LIVERY_OK;
}

enum { GROWING = 40 };

// Commits that make the file longer each; how many of them found it long enough.
static int grow(livery_store *store) {
  int found = 0;
  for (int number = 0; number < GROWING; number++) {
    off_t before = file_size();
    OK(livery_edit(store, LIVERY_LAYER_USER, set_hundred, &number, NULL, NULL));
    found += file_size() == before;
  }
  return found;
}

static void expect_last(void) {
  livery_store *store = open_store(path);
  livery_value *value = NULL;
  char expected[100];
  snprintf(expected, sizeof expected, "\"a text of some length, the %dth of its kind, number 99\"", GROWING - 1);
  OK(livery_get_value(store, "group.value.99", &value));
  EXPECT_JSON(expected, value);
  OK(livery_close(store));
  OK(livery_check(path, NULL));
}

// Zeros are written ahead where that is of use, and where the pages of commits are small.
static bool is_made_longer_ahead(void) {
  struct statfs found;
  return sysconf(_SC_PAGESIZE) == 4096 && statfs(path, &found) == 0
         && ((uint32_t)found.f_type == EXT4_SUPER_MAGIC || (uint32_t)found.f_type == XFS_SUPER_MAGIC);
}

TEST("where commits keep making the file longer it is made longer for many of them", ahead) {
  snprintf(path, sizeof path, "%s", fresh_path());
  livery_store *store = open_store(path);
  // Who commits but once writes nothing ahead.
  OK(livery_set_int(store, LIVERY_LAYER_USER, "one", 1));
  EXPECT_INT(pages_size(), file_size());
  const int found = grow(store);
  if (is_made_longer_ahead()) {
    EXPECT(found >= GROWING / 2);
    EXPECT(file_size() > pages_size());
  }
  const off_t length = file_size();
  EXPECT(length - pages_size() <= 256 << 10);
  OK(livery_close(store));
  expect_last();
  // The next one uses what is there.
  store = open_store(path);
  for (int number = 0; number < 2; number++) OK(livery_edit(store, LIVERY_LAYER_USER, set_hundred, &number, NULL, NULL));
  if (is_made_longer_ahead() && length - pages_size() > 32 << 10) EXPECT_INT(length, file_size());
  grow(store);
  EXPECT(file_size() - pages_size() <= 256 << 10);
  OK(livery_close(store));
  expect_last();
}

static livery_status set_large(livery_change *change, void *user_data) {
  static char text[300000];
  memset(text, 'a' + *(int *)user_data, sizeof text);
  return livery_change_set_string(change, "large", text, sizeof text);
}

TEST("for large commits the file is not made longer ahead, and what it is made longer by stays right", ahead_of_large) {
  snprintf(path, sizeof path, "%s", fresh_path());
  livery_store *store = open_store(path);
  grow(store);
  for (int number = 0; number < 10; number++) OK(livery_edit(store, LIVERY_LAYER_USER, set_large, &number, NULL, NULL));
  off_t behind = file_size() - pages_size();
  for (int number = 0; number < 5; number++) {
    OK(livery_edit(store, LIVERY_LAYER_USER, set_large, &number, NULL, NULL));
    // Of such a commit nothing lies behind, or what was there before it.
    EXPECT(file_size() - pages_size() <= behind);
  }
  OK(livery_close(store));
  expect_last();
}

// It ends without having closed it.
static void grow_and_die(void) { grow(open_store(path)); }

TEST("zeros that a killed process leaves behind the pages are no damage", ahead_of_death) {
  snprintf(path, sizeof path, "%s", fresh_path());
  IN_CHILD(grow_and_die);
  expect_last();
  livery_store *store = open_store(path);
  grow(store);
  OK(livery_close(store));
  expect_last();
}

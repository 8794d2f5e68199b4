// What the operating system refuses: full disks, missing permissions, too few descriptors, broken ones.
#include "brand.h"
#include "refused.h"
#include "sealer.h"

#include <sched.h>
#include <sys/mount.h>

static const livery_layer user = LIVERY_LAYER_USER;

// Of an asset that nothing refers to.
static char asset_id[LIVERY_ASSET_ID_SIZE];

// A backup that has something to bring back.
static char backup_path[400];

static livery_status set_note(livery_change *change, void *user_data) {
  (void)user_data;
  return livery_change_set_string(change, "note", TEXT("edited"));
}

static livery_status take_any(const char *name, livery_value *value, livery_value **checked, void *user_data) {
  (void)name, (void)value, (void)checked, (void)user_data;
  return LIVERY_OK;
}

// Every function that writes, each with something new to write.
static uint64_t on_trial;

#define EVERY_WRITE(before, expected, store)                                                                           \
  do {                                                                                                                 \
    livery_value *list = json("[{\"media\": \"n\"}]");                                                                 \
    livery_change *change = NULL;                                                                                      \
    const char *schema = "{\"Version\": 9, \"Groups\": []}";                                                           \
    const char *plist = PLIST("<key>title</key><string>p</string>");                                                   \
    OK(livery_change_begin(store, user, &change));                                                                     \
    OK(livery_change_set_int(change, "pair.b", 9));                                                                    \
    before, EXPECT_STATUS(expected, livery_set_bool(store, user, "attractLoop", false));                               \
    before, EXPECT_STATUS(expected, livery_set_int(store, user, "idleResetSeconds", 61));                              \
    before, EXPECT_STATUS(expected, livery_set_double(store, user, "volume", 0.75));                                   \
    before, EXPECT_STATUS(expected, livery_set_string(store, user, "note", "x", 1));                                   \
    before, EXPECT_STATUS(expected, livery_set_data(store, user, "blob", "x", 1));                                     \
    before, EXPECT_STATUS(expected, livery_set_color(store, user, "branding.color.Toolbar", (livery_color){1, 1, 1, 1})); \
    before, EXPECT_STATUS(expected, livery_set_value(store, user, "playlist", list));                                  \
    before, EXPECT_STATUS(expected, livery_reset(store, user, "title"));                                               \
    before, EXPECT_STATUS(expected, livery_change_commit(change, NULL));                                               \
    before, EXPECT_STATUS(expected, livery_edit(store, user, set_note, NULL, NULL, NULL));                             \
    before, EXPECT_STATUS(expected, livery_claim(store, "kept.", take_any, NULL, NULL));                               \
    before, EXPECT_STATUS(expected, livery_claim_secret(store, "held.secret"));                                        \
    before, EXPECT_STATUS(expected, livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));           \
    before, EXPECT_STATUS(expected, livery_import_json(store, user, "{\"title\": \"j\"}", 14, 0, NULL));               \
    before, EXPECT_STATUS(expected, livery_undo(store, 2, 0, NULL));                                                   \
    before, EXPECT_STATUS(expected, livery_trial_confirm(store, on_trial, NULL));                                      \
    before, EXPECT_STATUS(expected, livery_trial_revert(store, 0, NULL));                                              \
    before, EXPECT_STATUS(expected, livery_restore(store, backup_path, NULL, NULL));                                   \
    before, EXPECT_STATUS(expected, livery_asset_put(store, "new", 3, LIVERY_ASSET_ANY, NULL));                        \
    before, EXPECT_STATUS(expected, livery_asset_remove(store, asset_id, 0));                                          \
    before, EXPECT_STATUS(expected, livery_asset_collect(store, NULL, NULL));                                          \
    before, EXPECT_STATUS(expected, livery_import_plist(store, user, plist, strlen(plist), 0, NULL));                  \
    OK(livery_value_release(list));                                                                                    \
  } while (0)

static livery_store *ready_store(const char *path) {
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  snprintf(backup_path, sizeof backup_path, "%s.backup", path);
  OK(livery_claim(store, "held.", take_any, NULL, NULL));
  OK(livery_backup(store, backup_path));
  OK(livery_set_string(store, user, "title", TEXT("before")));
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 1));
  OK(livery_change_trial(change, 3600000000));
  OK(livery_change_commit(change, &on_trial));
  return store;
}

static void expect_old_values(livery_store *store) {
  char text[32];
  int64_t seconds = 0;
  OK(livery_get_string(store, "title", text, sizeof text, NULL));
  EXPECT_TEXT("before", text);
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(120, seconds);
}

TEST("when nothing more can be written every change is NO_SPACE, and the old values stay", no_space) {
  const char *path = fresh_path();
  livery_store *store = ready_store(path), *brands = branded_store(fresh_path()), *other = NULL;
  OK(livery_asset_put(store, "old", 3, LIVERY_ASSET_ANY, asset_id));
  signal(SIGXFSZ, SIG_IGN);
  check_before_note = lift_limits;
  EVERY_WRITE(limit_files(), LIVERY_ERROR_NO_SPACE, store);
  EVERY_BRAND_WRITE(limit_files(), LIVERY_ERROR_NO_SPACE, brands);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  const char *fresh = fresh_path();
  limit_files(), EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_open(fresh, &options, &other));
  limit_files(), EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_backup(store, NULL));
  limit_files(), EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_compact(store));
  limit_files(), EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_forget(store, "title", 0, NULL));
  toy lent = {.key = 1};
  livery_store *lender = toy_reader(path, &lent);
  limit_files(), EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_set_sealer(store, &toy_sealer, &lent, NULL));
  limit_files(), EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_reseal(store, 0, NULL));
  OK(livery_close(lender));
  check_before_note = NULL;
  expect_old_values(store);
  OK(livery_set_string(store, user, "title", TEXT("after")));
  OK(livery_close(store));
}

static char mounted[320];

// A file system of this process alone; false where none may be mounted.
static bool mount_memory(const char *options) {
  uid_t uid = getuid();
  gid_t gid = getgid();
  if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (uid != 0) {
    char map[64];
    int length = snprintf(map, sizeof map, "0 %d 1", (int)uid);
    write_file("/proc/self/setgroups", "deny", 4);
    write_file("/proc/self/uid_map", map, (size_t)length);
    length = snprintf(map, sizeof map, "0 %d 1", (int)gid);
    write_file("/proc/self/gid_map", map, (size_t)length);
  }
  mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
  return mkdir(mounted, 0755) == 0 && mount("tmpfs", mounted, "tmpfs", 0, options) == 0;
}

static void fill_a_file_system(void) {
  if (!mount_memory("size=512k")) return;
  char path[400], filler[400];
  snprintf(path, sizeof path, "%s/store", mounted);
  snprintf(filler, sizeof filler, "%s/filler", mounted);
  livery_store *store = ready_store(path), *other = NULL;
  int descriptor = open(filler, O_WRONLY | O_CREAT, 0600);
  static const char block[4096];
  while (write(descriptor, block, sizeof block) > 0) {}
  close(descriptor);

  EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_set_string(store, user, "title", TEXT("x")));
  expect_old_values(store);
  char fresh[400];
  snprintf(fresh, sizeof fresh, "%s/fresh", mounted);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, livery_open(fresh, &options, &other));
  EXPECT(unlink(filler) == 0);
  OK(livery_set_string(store, user, "title", TEXT("x")));
  OK(livery_open(fresh, &options, &other));
  OK(livery_close(other));
  OK(livery_close(store));
}

TEST("a full file system is NO_SPACE, also at open, and no signal", full_disk) {
  snprintf(mounted, sizeof mounted, "%s", fresh_path());
  IN_CHILD(fill_a_file_system);
}

static void remount(unsigned long flags) { EXPECT(mount(NULL, mounted, NULL, MS_REMOUNT | flags, NULL) == 0); }

static livery_store *open_for_reading(const char *path, uint32_t flags) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_READ_ONLY | flags;
  OK(livery_open(path, &options, &store));
  return store;
}

static void expect_no_open(livery_status status, const char *path, uint32_t flags, const char *said) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags;
  EXPECT_STATUS(status, livery_open(path, &options, &store));
  EXPECT_CONTAINS(said, livery_last_error()->message);
}

static void ignore_events(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count, (void)user_data;
}

// All that needs no writing.
static void use_for_reading(livery_store *store, const char *path) {
  char outside[340];
  snprintf(outside, sizeof outside, "%s.outside", mounted);
  uint64_t revision = 0;
  livery_value *value = NULL;
  livery_key *key = NULL;
  livery_snapshot *snapshot = NULL;
  livery_watch *watch = NULL;
  expect_old_values(store);
  OK(livery_revision(store, &revision));
  EXPECT_INT(3, revision);
  OK(livery_key_open(store, "title", &key));
  char text[32];
  OK(livery_key_get_string(key, text, sizeof text, NULL));
  EXPECT_TEXT("before", text);
  OK(livery_key_close(key));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_snapshot_close(snapshot));
  OK(livery_inspect(store, "title", &value)), OK(livery_value_release(value));
  OK(livery_list(store, NULL, NULL, &value)), OK(livery_value_release(value));
  OK(livery_stats(store, &value)), OK(livery_value_release(value));
  OK(livery_check(path, &value)), OK(livery_value_release(value));
  OK(livery_backup(store, outside));
  EXPECT(unlink(outside) == 0);
  OK(livery_watch_start(store, "**", NULL, ignore_events, NULL, NULL, &watch));
  OK(livery_watch_stop(watch));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_backup(store, NULL));
  livery_change *change = NULL;
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_change_begin(store, user, &change));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_string(store, user, "title", TEXT("x")));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_restore(store, "latest", NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_compact(store));
}

static void read_where_nothing_is_written(void) {
  if (!mount_memory("size=8m")) return;
  char path[400], file[440];
  snprintf(path, sizeof path, "%s/store", mounted);
  livery_store *store = ready_store(path), *other = NULL;
  OK(livery_backup(store, NULL));
  OK(livery_close(store));

  remount(MS_RDONLY);
  expect_no_open(LIVERY_ERROR_PERMISSION, path, 0, "for reading alone");
  store = open_for_reading(path, 0);
  use_for_reading(store, path);
  expect_no_open(LIVERY_ERROR_PERMISSION, path, 0, "for reading alone");
  other = open_for_reading(path, 0);
  OK(livery_close(store));
  expect_old_values(other);

  // Mounted for writing: who has it open sees what was there, and who opens it what is there.
  remount(0);
  store = open_store(path);
  OK(livery_set_string(store, user, "title", TEXT("after")));
  expect_old_values(other);
  OK(livery_close(other));
  OK(livery_set_string(store, user, "title", TEXT("before")));
  OK(livery_close(store));

  // Only the data file, as on a medium that was made of it.
  static const char *const shared[] = {"lock.mdb", "livery.lock", "livery.wake"};
  for (size_t index = 0; index < COUNT(shared); index++) {
    snprintf(file, sizeof file, "%s/%s", path, shared[index]);
    EXPECT(unlink(file) == 0);
  }
  remount(MS_RDONLY);
  store = open_for_reading(path, 0);
  expect_old_values(store);
  OK(livery_close(store));

  // A damaged file: the latest sound copy is read.
  remount(0);
  snprintf(file, sizeof file, "%s/data.mdb", path);
  EXPECT(truncate(file, 5 * 4096) == 0);
  remount(MS_RDONLY);
  expect_no_open(LIVERY_ERROR_CORRUPT, path, LIVERY_OPEN_READ_ONLY | LIVERY_OPEN_NO_RECOVERY, "is damaged");
  store = open_for_reading(path, 0);
  expect_old_values(store);
  OK(livery_close(store));
}

TEST("a read-only file system can be read from, and nothing is written", read_only_medium) {
  snprintf(mounted, sizeof mounted, "%s", fresh_path());
  IN_CHILD(read_where_nothing_is_written);
}

static void read_what_others_may_write(void) {
  if (!mount_memory("size=8m")) return;
  char path[400], read_only[400], data[440], from[440], empty[440];
  snprintf(path, sizeof path, "%s/store", mounted);
  snprintf(read_only, sizeof read_only, "%s.nothing", mounted);
  snprintf(data, sizeof data, "%s/data.mdb", read_only);
  snprintf(from, sizeof from, "%s/data.mdb", path);
  snprintf(empty, sizeof empty, "%s/empty", read_only);
  livery_store *store = ready_store(path);
  // The mount has no source, as its line in /proc tells.
  EXPECT(mkdir(read_only, 0755) == 0 && mount("", read_only, "tmpfs", 0, "size=1m") == 0 && mkdir(empty, 0755) == 0);
  OK(livery_backup(store, data));
  OK(livery_close(store));
  EXPECT(mount(NULL, read_only, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0);
  expect_no_open(LIVERY_ERROR_PERMISSION, empty, LIVERY_OPEN_CREATE, "Read-only file system");
  OK(livery_close(open_for_reading(read_only, 0)));
  // Of that one only the data file can be written to.
  EXPECT(mount(from, data, NULL, MS_BIND, NULL) == 0);
  expect_no_open(LIVERY_ERROR_PERMISSION, read_only, LIVERY_OPEN_READ_ONLY, "lock.mdb");

  EXPECT(mount(mounted, mounted, NULL, MS_BIND, NULL) == 0);
  remount(MS_BIND | MS_RDONLY);
  expect_no_open(LIVERY_ERROR_PERMISSION, path, LIVERY_OPEN_READ_ONLY, "lock.mdb");
}

TEST("a store that is mounted read-only while others may write to it is PERMISSION", read_only_mount) {
  snprintf(mounted, sizeof mounted, "%s", fresh_path());
  IN_CHILD(read_what_others_may_write);
}

// Puts a read-only descriptor in the place of each descriptor of the store's data file, or back.
static int replaced[16], saved[16], replaced_count;

static void break_descriptors(const char *path) {
  char file[4200], link[64], target[4200];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  int broken = open(file, O_RDONLY | O_CLOEXEC);
  for (int descriptor = 3; descriptor < 256 && replaced_count < 16; descriptor++) {
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0 || descriptor == broken) continue;
    target[length] = 0;
    if (strcmp(target, file) != 0) continue;
    saved[replaced_count] = fcntl(descriptor, F_DUPFD_CLOEXEC, 256);
    dup2(broken, descriptor);
    replaced[replaced_count++] = descriptor;
  }
  close(broken);
  EXPECT(replaced_count > 0);
}

static void mend_descriptors(void) {
  while (replaced_count > 0) {
    replaced_count--;
    dup2(saved[replaced_count], replaced[replaced_count]);
    close(saved[replaced_count]);
  }
}

TEST("when the file cannot be written every change is IO, and the old values stay", input_output) {
  char path[4096];
  const char *made = fresh_path();
  livery_store *store = ready_store(made);
  OK(livery_asset_put(store, "old", 3, LIVERY_ASSET_ANY, asset_id));
  // As /proc shows it.
  if (!realpath(made, path)) SKIP("no real path");
  break_descriptors(path);
  EVERY_WRITE((void)0, LIVERY_ERROR_IO, store);
  EXPECT(livery_last_error()->system_error == EBADF);
  mend_descriptors();
  expect_old_values(store);
  OK(livery_set_string(store, user, "title", TEXT("after")));
  OK(livery_close(store));
}

TEST("when the file cannot be written every change of a brand is IO", brand_input_output) {
  char path[4096];
  const char *made = fresh_path();
  livery_store *store = branded_store(made);
  if (!realpath(made, path)) SKIP("no real path");
  break_descriptors(path);
  EVERY_BRAND_WRITE((void)0, LIVERY_ERROR_IO, store);
  mend_descriptors();
  EVERY_BRAND_WRITE((void)0, LIVERY_OK, store);
  OK(livery_close(store));
}

static const char *crowded;

static void open_without_descriptors(void) {
  struct rlimit limit;
  livery_store *store = NULL;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_open(crowded, NULL, &store));
  EXPECT_INT(EMFILE, livery_last_error()->system_error);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  OK(livery_open(crowded, NULL, &store));
  OK(livery_close(store));
}

TEST("opening without descriptors left is IO, and works once there are some", no_descriptors) {
  crowded = fresh_path();
  OK(livery_close(ready_store(crowded)));
  IN_CHILD(open_without_descriptors);
}

static void look_for_backups_without_descriptors(void) {
  struct rlimit limit, none;
  livery_value *value = NULL;
  livery_store *store = open_store(fresh_path());
  OK(livery_backup(store, NULL));
  getrlimit(RLIMIT_NOFILE, &limit);
  none = limit;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_backups(store, &value));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_stats(store, &value));
  EXPECT(value == NULL);
  setrlimit(RLIMIT_NOFILE, &limit);
  OK(livery_stats(store, &value));
  OK(livery_value_release(value));
  OK(livery_close(store));
}

TEST("looking for backups without descriptors left is IO", no_descriptors_for_backups) {
  IN_CHILD(look_for_backups_without_descriptors);
}

static char grown[320];

static void grow(void) {
  livery_store *store = open_store(grown);
  char *text = calloc(1, 500000);
  memset(text, 'g', 500000);
  for (int index = 0; index < 8; index++) {
    char name[16];
    snprintf(name, sizeof name, "big.%d", index);
    OK(livery_set_string(store, user, name, text, 500000));
  }
  free(text);
  OK(livery_close(store));
}

static void snapshot_without_room(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.map_size = 1 << 20;
  OK(livery_open(grown, &options, &store));
  IN_CHILD(grow);
  // No address space for the map that the other process has made larger.
  struct rlimit limit, before;
  getrlimit(RLIMIT_AS, &before);
  limit = before;
  limit.rlim_cur = 1 << 20;
  livery_snapshot *snapshot = NULL;
  setrlimit(RLIMIT_AS, &limit);
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_snapshot_open(store, &snapshot));
  setrlimit(RLIMIT_AS, &before);
}

TEST("a snapshot for which there is no address space is NO_MEMORY", no_address_space) {
  snprintf(grown, sizeof grown, "%s", fresh_path());
  OK(livery_close(open_store_with(grown, LIVERY_OPEN_CREATE, 0)));
  IN_CHILD(snapshot_without_room);
}

static const char *guarded;

static void open_as_somebody_else(void) {
  livery_store *store = NULL;
  if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return;
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_open(guarded, NULL, &store));
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_open("/livery-not-allowed-here", &options, &store));
  EXPECT(store == NULL);
}

TEST("a store of somebody else is PERMISSION", permission) {
  guarded = fresh_path();
  OK(livery_close(ready_store(guarded)));
  EXPECT(chmod(guarded, getuid() == 0 ? 0700 : 0) == 0);
  IN_CHILD(open_as_somebody_else);
  EXPECT(chmod(guarded, 0700) == 0);
}

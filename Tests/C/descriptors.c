// What a program that is started by this one inherits: nothing. No descriptor of a store is open in it, at no moment.
#include "check.h"

#include <dirent.h>
#include <spawn.h>
#include <stdatomic.h>

extern char **environ;

// Any setting may be set.
#define OPEN_SCHEMA                                                                                                    \
  "{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"TextField\", "           \
  "\"Title\": \"T\", \"Key\": \"declared\", \"Value\": \"text\"}]}]}"

// This program again, as the child: it tells what it has beside the first three.
__attribute__((constructor)) static void list_descriptors(int argc, char **argv) {
  if (argc != 2 || strcmp(argv[1], "--descriptors") != 0) return;
  DIR *directory = opendir("/proc/self/fd");
  int found = 0;
  if (!directory) _exit(99);
  for (struct dirent *entry; (entry = readdir(directory));) {
    int descriptor = atoi(entry->d_name);
    char link[64], target[400];
    if (entry->d_name[0] == '.' || descriptor < 3 || descriptor == dirfd(directory)) continue;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, target, sizeof target - 1);
    fprintf(stderr, "a child has %.*s\n", (int)(length > 0 ? length : 0), target);
    found++;
  }
  _exit(found > 90 ? 90 : found);
}

static int inherited_by_child(void) {
  pid_t child;
  int status = 0;
  if (posix_spawn(&child, "/proc/self/exe", NULL, NULL, (char *[]){"descriptors", "--descriptors", NULL}, environ) != 0
      || waitpid(child, &status, 0) != child)
    return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

static int found_after_calls;
static void look_after_call(void) {
  int found = inherited_by_child();
  // Once it is there each further call has it too.
  if (found != found_after_calls) check_fail(__FILE__, __LINE__, "a child inherits %d descriptors after the next call told", found);
  found_after_calls = found;
}

// What the program itself was started with is not the library's.
static void begin_clean(void) {
  for (int descriptor = 3; descriptor < 1024; descriptor++) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  EXPECT_INT(0, inherited_by_child());
}

static void hear(const livery_event *events, size_t count, void *user_data) { (void)events, (void)count, (void)user_data; }
static void hear_log(int32_t level, const char *message, void *user_data) { (void)level, (void)message, (void)user_data; }

// A copy whose second half is damaged, if that is asked for; no child may have these descriptors either.
static void copy_file(const char *from, const char *to, bool is_damaged) {
  static char content[1 << 20];
  int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ssize_t length = read(in, content, sizeof content);
  EXPECT(length > 0 && length < (ssize_t)sizeof content);
  if (is_damaged && length > 0) memset(content + length / 2, 0x5a, (size_t)length / 2);
  EXPECT(length > 0 && write(out, content, (size_t)length) == length);
  close(in);
  close(out);
}

// A store of its own with a damaged file and a backup: what is open stays as it is.
static void copy_damaged(const char *path, livery_value *backups, const char *to) {
  char file[1400], target[1400];
  livery_value *first = NULL;
  OK(livery_value_at(backups, 0, &first));
  snprintf(target, sizeof target, "%s/backups", to);
  if (mkdir(to, 0700) != 0 || mkdir(target, 0700) != 0) return;
  snprintf(target, sizeof target, "%s/backups/%s", to, member_text(first, "name"));
  copy_file(member_text(first, "path"), target, false);
  snprintf(file, sizeof file, "%s/data.mdb", path);
  snprintf(target, sizeof target, "%s/data.mdb", to);
  copy_file(file, target, true);
  livery_value_release(first);
}

static void call_all(const char *path) {
  const livery_layer user = LIVERY_LAYER_USER;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL, *reader = NULL;
  livery_snapshot *snapshot = NULL;
  livery_key *key = NULL;
  livery_change *change = NULL;
  livery_watch *watch = NULL;
  livery_value *value = NULL;
  char *text = NULL, id[LIVERY_ASSET_ID_SIZE], buffer[100], file[400], damaged[400];
  void *bytes = NULL;
  size_t length = 0;
  int64_t number = 0;
  uint64_t revision = 0;
  int descriptor = -1;
  options.flags = LIVERY_OPEN_CREATE;
  snprintf(damaged, sizeof damaged, "%s.damaged", path);
  OK(livery_set_log_handler(hear_log, NULL, NULL));
  REQUIRE_OK(livery_open(path, &options, &store));
  OK(livery_schema_apply(store, OPEN_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_set_int(store, user, "count", 1));
  OK(livery_set_string(store, user, "words", "some", LIVERY_ZERO_TERMINATED));
  OK(livery_get_int(store, "count", &number));
  OK(livery_get_string(store, "words", buffer, sizeof buffer, NULL));
  OK(livery_key_open(store, "count", &key));
  OK(livery_key_get_int(key, &number));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_snapshot_get(snapshot, "count", &value));
  livery_value_release(value);
  OK(livery_list(store, NULL, NULL, &value));
  livery_value_release(value);
  OK(livery_inspect(store, "count", &value));
  livery_value_release(value);
  OK(livery_watch_start(store, NULL, NULL, hear, NULL, NULL, &watch));
  OK(livery_event_fd(store, &descriptor));
  OK(livery_dispatch(store, NULL));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_put_asset(change, "asset", 5, LIVERY_ASSET_ANY, id));
  OK(livery_change_set_string(change, "image", id, LIVERY_ZERO_TERMINATED));
  OK(livery_change_commit(change, &revision));
  OK(livery_undo(store, revision, 0, NULL));
  OK(livery_asset_put(store, "asset", 5, LIVERY_ASSET_ANY, id));
  OK(livery_asset_get(store, id, &bytes, &length));
  livery_free(bytes);
  OK(livery_asset_info(store, id, &value));
  livery_value_release(value);
  OK(livery_asset_list(store, &value));
  livery_value_release(value);
  OK(livery_asset_collect(store, NULL, NULL));
  OK(livery_history(store, NULL, &value));
  livery_value_release(value);
  OK(livery_export_json(store, 0, &text, &length));
  OK(livery_import_json(store, user, text, length, 0, NULL));
  livery_free(text);
  OK(livery_settings(store, &value));
  livery_value_release(value);
  OK(livery_branding_set_color(store, user, "Toolbar", (livery_color){1, 0, 0, 1}));
  OK(livery_branding_check(store, NULL, NULL, &value));
  livery_value_release(value);
  OK(livery_stats(store, &value));
  livery_value_release(value);
  snprintf(file, sizeof file, "%s.backup", path);
  OK(livery_backup(store, file));
  OK(livery_backup(store, NULL));
  OK(livery_backups(store, &value));
  copy_damaged(path, value, damaged);
  livery_value_release(value);
  OK(livery_set_int(store, user, "count", 2));
  OK(livery_restore(store, file, NULL, NULL));
  OK(livery_compact(store));
  OK(livery_get_int(store, "count", &number));
  OK(livery_check(path, NULL));
  OK(livery_check(file, NULL));
  options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &options, &reader));
  OK(livery_get_int(reader, "count", &number));
  OK(livery_close(reader));
  OK(livery_watch_stop(watch));
  OK(livery_snapshot_close(snapshot));
  OK(livery_close(store));
  // A file that is damaged is replaced by a copy.
  options.flags = 0;
  OK(livery_open(damaged, &options, &store));
  OK(livery_close(store));
  OK(livery_set_log_handler(NULL, NULL, NULL));
}

TEST("a program that is started after any call inherits no descriptor", every_call) {
  begin_clean();
  check_before_note = look_after_call;
  call_all(fresh_path());
  check_before_note = NULL;
}

static _Atomic int spawned, spoilt;
static _Atomic bool is_over;

static void *spawn_on(void *unused) {
  (void)unused;
  while (!is_over) {
    spawned++;
    spoilt += inherited_by_child() != 0;
  }
  return NULL;
}

TEST("a program that is started during any call inherits no descriptor", at_any_moment) {
  pthread_t thread;
  begin_clean();
  if (pthread_create(&thread, NULL, spawn_on, NULL) != 0) return;
  for (int round = 0; round < 12 || (spawned < 100 && round < 200); round++) call_all(fresh_path());
  is_over = true;
  pthread_join(thread, NULL);
  EXPECT(spawned > 10);
  EXPECT_INT(0, spoilt);
}

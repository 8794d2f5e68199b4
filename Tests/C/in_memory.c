// Stores that are in memory alone: what works as with a directory, what does not and says so, and that nothing is left.
#include "every_call.h"
#include "fixture.h"

#include <dirent.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/stat.h>

static livery_status open_in_memory(const char *name, uint32_t flags, livery_store **store) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_MEMORY | flags;
  return livery_open(name, &options, store);
}

static livery_store *in_memory(const char *name) {
  livery_store *store = NULL;
  livery_status status = open_in_memory(name, 0, &store);
  if (status != LIVERY_OK) check_fail(__FILE__, __LINE__, "opening: %s", livery_last_error()->message);
  return store;
}

TEST("a name in memory is one store in a process, and without a name each is another", named) {
  livery_store *one = in_memory("one"), *again = in_memory("one"), *other = in_memory(NULL), *empty = in_memory("");
  int64_t number = 0;
  OK(livery_set_int(one, LIVERY_LAYER_USER, "a", 1));
  OK(livery_get_int(again, "a", &number));
  EXPECT_INT(1, number);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(other, "a", &number));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(empty, "a", &number));
  OK(livery_close(one));
  OK(livery_get_int(again, "a", &number));
  OK(livery_close(again));
  again = in_memory("one");
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(again, "a", &number));
  OK(livery_close(again));
  OK(livery_close(other));
  OK(livery_close(empty));
}

static void expect_path(livery_store *store, const char *path) {
  livery_value *figures = NULL, *told = NULL;
  const char *text = NULL;
  OK(livery_stats(store, &figures));
  OK(livery_value_member(figures, "path", &told));
  OK(livery_value_as_string(told, &text, NULL));
  EXPECT_TEXT(path, text);
  OK(livery_value_release(told));
  OK(livery_value_release(figures));
}

TEST("where it is told to be is no folder's path, and that of a folder is the same from anywhere", paths) {
  livery_store *named = in_memory("/tmp"), *other = in_memory(NULL);
  expect_path(named, "memory:/tmp");
  expect_path(other, "memory");
  OK(livery_close(named));
  OK(livery_close(other));
  char folder[500], real[PATH_MAX], here[500], link[600];
  snprintf(folder, sizeof folder, "%s", fresh_path());
  snprintf(link, sizeof link, "%s.link", folder);
  unlink(link);
  EXPECT(mkdir(folder, 0700) == 0 && realpath(folder, real) != NULL && symlink(folder, link) == 0);
  EXPECT(getcwd(here, sizeof here) != NULL && chdir(link) == 0);
  livery_store *store = open_store(".");
  EXPECT(chdir("/") == 0);
  expect_path(store, real);
  OK(livery_close(store));
  EXPECT(chdir(here) == 0 && unlink(link) == 0);
}

TEST("one that is read-only is not made, and no path is no name where the store is not in memory", refusals) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL, *kept = in_memory("kept");
  options.flags = LIVERY_OPEN_MEMORY | LIVERY_OPEN_READ_ONLY;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_open("nobody's", &options, &store));
  EXPECT_CONTAINS("nobody's", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(NULL, &options, &store));
  OK(livery_open("kept", &options, &store));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_int(store, LIVERY_LAYER_USER, "a", 1));
  OK(livery_close(store));
  OK(livery_close(kept));
  store = NULL;
  options.flags = LIVERY_OPEN_CREATE;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(NULL, &options, &store));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open("", &options, &store));
  EXPECT(store == NULL);
}

TEST("what needs a folder says so, and a backup in a file is one as any other", backups) {
  livery_store *store = in_memory(NULL);
  livery_value *list = NULL, *report = NULL;
  const char *path = fresh_path();
  int64_t number = 0;
  uint64_t revision = 0;
  OK(livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "pair.a", 1));
  OK(livery_backup(store, path));
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_backup(store, NULL));
  EXPECT_CONTAINS("in memory", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_restore(store, NULL, NULL, &revision));
  OK(livery_backups(store, &list));
  EXPECT_JSON("[]", list);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "pair.a", 2));
  OK(livery_restore(store, path, NULL, &revision));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(1, number);
  OK(livery_check(path, &report));
  OK(livery_value_release(report));
  OK(livery_compact(store));
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(1, number);
  OK(livery_close(store));
}

static livery_store *inherited;
static void use_in_child(void) {
  int64_t number = 0;
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_get_int(inherited, "a", &number));
  every_write(LIVERY_ERROR_FORKED, inherited);
  livery_store *own = in_memory("shared");
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(own, "a", &number));
  OK(livery_set_int(own, LIVERY_LAYER_USER, "a", 2));
  OK(livery_get_int(own, "a", &number));
  EXPECT_INT(2, number);
  OK(livery_close(own));
}

TEST("a process that is forked has stores of its own, by whatever name", forked) {
  int64_t number = 0;
  inherited = in_memory("shared");
  OK(livery_set_int(inherited, LIVERY_LAYER_USER, "a", 1));
  IN_CHILD(use_in_child);
  OK(livery_get_int(inherited, "a", &number));
  EXPECT_INT(1, number);
  OK(livery_close(inherited));
}

static _Atomic int heard;
static void hear(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)user_data;
  heard += (int)count;
}

TEST("watches of every handle hear of what another one commits", watched) {
  livery_store *store = in_memory("watched"), *again = in_memory("watched");
  livery_watch *watch = NULL;
  OK(livery_watch_start(store, "a", NULL, hear, NULL, NULL, &watch));
  OK(livery_set_int(again, LIVERY_LAYER_USER, "a", 1));
  for (int tries = 0; tries < 2000 && heard == 0; tries++) usleep(1000);
  EXPECT_INT(1, heard);
  OK(livery_compact(again));
  OK(livery_set_int(again, LIVERY_LAYER_USER, "a", 2));
  for (int tries = 0; tries < 2000 && heard == 1; tries++) usleep(1000);
  EXPECT_INT(2, heard);
  OK(livery_watch_stop(watch));
  OK(livery_close(store));
  OK(livery_close(again));
}

enum { MOST_NAMES = 64 };
typedef struct names {
  char of[MOST_NAMES][64];
  int count;
} names;

static void look_in(const char *folder, names *found) {
  DIR *directory = opendir(folder);
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory)) && found->count < MOST_NAMES;)
    if (strncmp(entry->d_name, ".livery-", 8) == 0)
      snprintf(found->of[found->count++], sizeof found->of[0], "%.63s", entry->d_name);
  closedir(directory);
}

// The names that open files have for an instant, of this program and of others.
static names look(void) {
  names found = {.count = 0};
  static const char *const folders[] = {"/dev/shm", "/run", "/tmp", "/var/tmp"};
  for (size_t index = 0; index < COUNT(folders); index++) look_in(folders[index], &found);
  return found;
}

static bool has(const names *all, const char *name) {
  for (int index = 0; index < all->count; index++)
    if (strcmp(all->of[index], name) == 0) return true;
  return false;
}

// How many names last that were not there before: those of other programs come and go.
static int left_since(const names *before) {
  int left = 1;
  for (int tries = 0; tries < 50 && left > 0; tries++) {
    names first = look();
    sleep_ms(20);
    names second = look();
    left = 0;
    for (int index = 0; index < second.count; index++)
      left += has(&first, second.of[index]) && !has(before, second.of[index]);
  }
  return left;
}

static int count_entries(const char *folder) {
  int found = 0;
  DIR *directory = opendir(folder);
  if (!directory) return -1;
  while (readdir(directory)) found++;
  closedir(directory);
  return found;
}

TEST("nothing is left of it when the process is killed at any moment, and no file is made", killed) {
  const char *home = fresh_path();
  EXPECT(mkdir(home, 0700) == 0);
  names before = look();
  for (int round = 0; round < 300; round++) {
    pid_t child = fork();
    if (child == 0) {
      livery_store *store = NULL;
      if (chdir(home) != 0) _exit(1);
      for (int turn = 0;; turn++) {
        if (open_in_memory("store", 0, &store) != LIVERY_OK) _exit(2);
        livery_set_int(store, LIVERY_LAYER_USER, "a", turn);
        if (turn % 3 == 0) livery_compact(store);
        livery_close(store);
      }
    }
    usleep(300 + (useconds_t)(round * 37 % 3000));
    int status = 0;
    EXPECT(kill(child, SIGKILL) == 0);
    EXPECT(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  }
  EXPECT_INT(0, left_since(&before));
  EXPECT_INT(2, count_entries(home));
}

static int descriptors(void) { return count_entries("/proc/self/fd"); }

TEST("opening and closing it leaves no descriptor and no memory mapped", repeated) {
  livery_store *store = in_memory(NULL);
  OK(livery_close(store));
  int before = descriptors();
  for (int round = 0; round < 50; round++) {
    store = in_memory(round % 2 ? "again" : NULL);
    OK(livery_set_int(store, LIVERY_LAYER_USER, "a", round));
    if (round % 5 == 0) OK(livery_compact(store));
    OK(livery_close(store));
  }
  EXPECT_INT(before, descriptors());
}

static void note_events(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count;
  atomic_store((atomic_bool *)user_data, true);
}

// The thread that served watches has let go of it by then.
TEST("it is gone with its last handle, also if that has watched, and so are the files of one on disk", closed_watches) {
  int before = descriptors();
  for (int round = 0; round < 40; round++) {
    bool is_on_disk = round % 2;
    livery_store *store = is_on_disk ? open_store(fresh_path()) : in_memory("watched");
    livery_watch *watch = NULL;
    int64_t number = 0;
    atomic_bool is_told = false;
    EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(store, "a", &number));
    livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
    if (round % 4 > 1) options.flags = LIVERY_WATCH_DISPATCH;
    OK(livery_watch_start(store, NULL, &options, note_events, &is_told, NULL, &watch));
    OK(livery_set_int(store, LIVERY_LAYER_USER, "a", round));
    // What is called just then is not waited for.
    for (int tries = 0; !options.flags && !is_told && tries < 1000; tries++) usleep(1000);
    usleep(2000);
    if (round % 3 == 0) OK(livery_watch_stop(watch));
    OK(livery_close(store));
    EXPECT_INT(before, descriptors());
  }
}

// A store beside somebody who puts other things where its files are expected, and forges what processes share.
#include "fixture.h"

#include <signal.h>

static char outside[400];
static const char *const names[] = {"livery.lock", "livery.wake", "lock.mdb", "data.mdb", "backups", "damaged"};

static uint32_t flags;

static livery_store *made_store(const char *path) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | flags;
  OK(livery_open(path, &options, &store));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 42));
  return store;
}

/** Opens and uses what may be anything: a status or the right value, and that soon. */
static void use(const char *path, const char *name) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags;
  options.busy_timeout_ms = 200;
  alarm(10);
  if (livery_open(path, &options, &store) == LIVERY_OK) {
    int64_t number = 0;
    livery_status status = livery_get_int(store, "number", &number);
    if (status == LIVERY_OK && number != 42) check_fail(__FILE__, __LINE__, "with another %s the number is %lld", name, (long long)number);
    livery_backup(store, NULL);
    livery_set_int(store, LIVERY_LAYER_USER, "another", 1);
    livery_compact(store);
    livery_close(store);
  }
  alarm(0);
}

static const char *store_path, *name;
static void use_it(void) { use(store_path, name); }

static void replace_each(void (*put)(const char *file)) {
  for (size_t index = 0; index < COUNT(names); index++) {
    char file[400];
    store_path = fresh_path();
    OK(livery_close(made_store(store_path)));
    snprintf(outside, sizeof outside, "%s.outside", store_path);
    write_file(outside, "untouched", 9);
    EXPECT(chmod(outside, 0640) == 0);
    name = names[index];
    snprintf(file, sizeof file, "%s/%s", store_path, name);
    nftw(file, check_remove, 8, FTW_DEPTH | FTW_PHYS);
    put(file);
    IN_CHILD(use_it);
    struct stat facts;
    char *content = read_file(outside, NULL);
    EXPECT_TEXT("untouched", content);
    EXPECT(stat(outside, &facts) == 0 && (facts.st_mode & 0777) == 0640);
    free(content);
  }
}

static void put_pipe(const char *file) { EXPECT(mkfifo(file, 0600) == 0); }
static void put_link(const char *file) { EXPECT(symlink(outside, file) == 0); }
static void put_name(const char *file) { EXPECT(link(outside, file) == 0); }
static void put_folder(const char *file) { EXPECT(mkdir(file, 0700) == 0); }
static void put_huge(const char *file) {
  write_file(file, "", 0);
  EXPECT(truncate(file, (off_t)1 << 36) == 0);
}

TEST("a pipe in a file's place keeps nobody waiting", pipes) { replace_each(put_pipe); }
TEST("a link in a file's place is not followed", links) { replace_each(put_link); }
TEST("a second name of somebody else's file is not written to", second_names) { replace_each(put_name); }
TEST("nor is the group let into it", second_names_in_group) {
  flags = LIVERY_OPEN_GROUP;
  replace_each(put_name);
  flags = 0;
}
TEST("a folder in a file's place is a status", folders) { replace_each(put_folder); }
TEST("a huge file in another's place is a status", huge_files) { replace_each(put_huge); }

TEST("copies do not go where a linked folder leads", linked_folder) {
  const char *path = fresh_path(), *elsewhere = fresh_path();
  char folder[400];
  livery_store *store = made_store(path);
  snprintf(folder, sizeof folder, "%s/backups", path);
  EXPECT(mkdir(elsewhere, 0700) == 0 && symlink(elsewhere, folder) == 0);
  EXPECT(livery_backup(store, NULL) != LIVERY_OK);
  EXPECT(rmdir(elsewhere) == 0);
  OK(livery_close(store));
}

/** Where LMDB's lock file has its writers' mutex, and whether somebody has it. */
enum { WRITERS = (8 + sizeof(pthread_mutex_t) + 12 + 63) / 64 * 64 };
static uint32_t holder;
static void forge(void) {
  char file[400];
  snprintf(file, sizeof file, "%s/lock.mdb", store_path);
  int descriptor = open(file, O_RDWR);
  EXPECT(pwrite(descriptor, &holder, sizeof holder, WRITERS) == sizeof holder);
  close(descriptor);
}

static void commit_anyway(void) {
  alarm(10);
  livery_store *store = open_store_with(store_path, 0, 200);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 43));
  holder = (uint32_t)getppid();
  IN_CHILD(forge);
  int64_t began = now_microseconds();
  livery_status status = livery_set_int(store, LIVERY_LAYER_USER, "number", 44);
  EXPECT(status == LIVERY_ERROR_BUSY || status == LIVERY_OK);
  // Less than the five seconds that it waits if nobody says otherwise, and as much as a busy machine takes.
  EXPECT(now_microseconds() - began < 4500000);
  holder = 0;
  IN_CHILD(forge);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 45));
  OK(livery_close(store));
}

TEST("a commit behind LMDB's own lock ends within its timeout", held_mutex) {
  store_path = fresh_path();
  OK(livery_close(made_store(store_path)));
  IN_CHILD(commit_anyway);
}

// What must not shake the locks of a store: processes with other options, a second copy of the library, programs that read
// the store's files.
#include "check.h"

#include <dirent.h>
#include <dlfcn.h>

enum { NAMES = 8, MOST = 400 };

static void name_of(int index, char name[16]) { snprintf(name, 16, "name%d", index); }

// All names get one number, in one commit, and texts that take pages.
static livery_status commit_number(livery_store *store, int64_t number) {
  livery_change *change = NULL;
  char name[16], text[900];
  livery_status status = livery_change_begin(store, LIVERY_LAYER_USER, &change);
  memset(text, 'a' + (int)(number % 26), sizeof text);
  for (int index = 0; index < NAMES && status == LIVERY_OK; index++) {
    name_of(index, name);
    status = livery_change_set_int(change, name, number);
    name[0] = 't';
    if (status == LIVERY_OK) status = livery_change_set_string(change, name, text, sizeof text);
  }
  if (status == LIVERY_OK) status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) livery_change_discard(change);
  return status;
}

/** The number that a snapshot shows under all names; -1 if they differ. */
static int64_t shown(livery_snapshot *snapshot) {
  int64_t first = -1;
  for (int index = 0; index < NAMES; index++) {
    livery_value *value = NULL;
    int64_t number = -2;
    const char *text = "";
    char name[16];
    name_of(index, name);
    if (livery_snapshot_get(snapshot, name, &value) == LIVERY_OK) livery_value_as_int(value, &number);
    livery_value_release(value);
    value = NULL;
    name[0] = 't';
    if (index == 0) first = number;
    bool is_right = number == first && livery_snapshot_get(snapshot, name, &value) == LIVERY_OK
      && livery_value_as_string(value, &text, NULL) == LIVERY_OK && text[0] == 'a' + (int)(number % 26);
    livery_value_release(value);
    if (!is_right) return -1;
  }
  return first;
}

static const char *the_path;
static uint32_t readers_of_child;
static int to_child[2], from_child[2];

// Commits and tells, as often as it is asked to.
static void commit_when_asked(void) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  char byte = 'o';
  options.flags = LIVERY_OPEN_CREATE;
  options.max_readers = readers_of_child;
  options.backup_commits = options.backup_age_s = UINT32_MAX;
  REQUIRE_OK(livery_open(the_path, &options, &store));
  for (int64_t number = 1; write(from_child[1], &byte, 1) == 1 && read(to_child[0], &byte, 1) == 1 && byte != 'e'; number++)
    OK(commit_number(store, number));
  OK(livery_close(store));
}

static pid_t start_child(const char *path, uint32_t readers) {
  the_path = path;
  readers_of_child = readers;
  if (pipe(to_child) != 0 || pipe(from_child) != 0) return -1;
  fflush(NULL);
  pid_t child = fork();
  if (child != 0) {
    close(to_child[0]);
    close(from_child[1]);
    return child;
  }
  close(to_child[1]);
  close(from_child[0]);
  check_failures = 0;
  commit_when_asked();
  _exit(check_failures);
}
static bool wait_for_child(void) {
  char byte;
  return read(from_child[0], &byte, 1) == 1;
}
static bool ask_child(char what) { return write(to_child[1], &what, 1) == 1; }
static void end_child(pid_t child) {
  int status = 0;
  ask_child('e');
  EXPECT(waitpid(child, &status, 0) == child);
  EXPECT_INT(0, status);
  close(to_child[1]);
  close(from_child[0]);
}

static int64_t max_readers(livery_store *store) {
  livery_value *stats = NULL, *member = NULL;
  int64_t number = -1;
  OK(livery_stats(store, &stats));
  OK(livery_value_member(stats, "maxReaders", &member));
  OK(livery_value_as_int(member, &number));
  livery_value_release(member);
  livery_value_release(stats);
  return number;
}

// Snapshots beyond the table of the first process, which commits meanwhile.
static void hold_more_than(uint32_t first, uint32_t own) {
  static livery_snapshot *snapshots[MOST];
  static int64_t numbers[MOST];
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  int count = 0, wrong = 0;
  const char *path = fresh_path();
  pid_t child = start_child(path, first);
  EXPECT(wait_for_child() && ask_child('c') && wait_for_child());
  options.max_readers = own;
  options.busy_timeout_ms = 200;
  REQUIRE_OK(livery_open(path, &options, &store));
  EXPECT_INT(first, max_readers(store));
  livery_status status = LIVERY_OK;
  while (count < MOST && (status = livery_snapshot_open(store, &snapshots[count])) == LIVERY_OK) {
    numbers[count] = shown(snapshots[count]);
    EXPECT(numbers[count] > 0);
    count++;
    if (count % 8 == 0) EXPECT(ask_child('c') && wait_for_child());
  }
  // One slot or two belong to the other process.
  EXPECT_INT(LIVERY_ERROR_BUSY, status);
  EXPECT(count <= (int)first && count >= (int)first - 8);
  for (int round = 0; round < 60; round++) EXPECT(ask_child('c') && wait_for_child());
  for (int index = 0; index < count; index++) wrong += shown(snapshots[index]) != numbers[index];
  EXPECT_INT(0, wrong);
  while (count > 0) OK(livery_snapshot_close(snapshots[--count]));
  OK(livery_close(store));
  end_child(child);
}

static void hold_64(void) { hold_more_than(64, 1024); }
static void hold_8(void) { hold_more_than(8, 1024); }
static void hold_128(void) { hold_more_than(128, 65536); }

TEST("the first process to open a store decides how many readers there may be, and snapshots keep what they show", tables) {
  IN_CHILD(hold_64);
  IN_CHILD(hold_8);
  IN_CHILD(hold_128);
}

// A second copy of the library

static void second_copy(void) {
  Dl_info facts;
  char copy[400], other[400];
  size_t length = 0;
  const char *path = fresh_path();
  livery_store *store = NULL, *second = NULL;
  livery_snapshot *snapshot = NULL;
  if (!dladdr((void *)(uintptr_t)livery_open, &facts)) SKIP("the library's file is not known");
  char *content = read_file(facts.dli_fname, &length);
  snprintf(copy, sizeof copy, "%s.copy.so", path);
  snprintf(other, sizeof other, "%s.other", path);
  write_file(copy, content, length);
  free(content);
  void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL);
  __typeof__(&livery_open) open_second = library ? (__typeof__(&livery_open))(uintptr_t)dlsym(library, "livery_open") : NULL;
  __typeof__(&livery_close) close_second = library ? (__typeof__(&livery_close))(uintptr_t)dlsym(library, "livery_close") : NULL;
  __typeof__(&livery_last_error) error_of_second =
      library ? (__typeof__(&livery_last_error))(uintptr_t)dlsym(library, "livery_last_error") : NULL;
  EXPECT(open_second && close_second && error_of_second);
  if (!open_second || !close_second || !error_of_second) return;
  pid_t child = start_child(path, 0);
  EXPECT(wait_for_child() && ask_child('c') && wait_for_child());
  REQUIRE_OK(livery_open(path, NULL, &store));
  OK(livery_snapshot_open(store, &snapshot));
  int64_t number = shown(snapshot);
  for (int tries = 0; tries < 3; tries++) {
    EXPECT_INT(LIVERY_ERROR_DUPLICATE, open_second(path, NULL, &second));
    EXPECT_INT(LIVERY_ERROR_DUPLICATE, error_of_second()->status);
    EXPECT(strlen(error_of_second()->message) > 20);
  }
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  EXPECT_INT(LIVERY_OK, open_second(other, &options, &second));
  EXPECT_INT(LIVERY_OK, close_second(second));
  for (int round = 0; round < 30; round++) EXPECT(ask_child('c') && wait_for_child());
  EXPECT_INT(number, shown(snapshot));
  OK(commit_number(store, 1000));
  OK(livery_get_int(store, "name0", &number));
  EXPECT_INT(1000, number);
  OK(livery_snapshot_close(snapshot));
  OK(livery_close(store));
  // Now it is the second one's turn.
  livery_status status = LIVERY_OK;
  for (int pause = 0; pause < 3000; pause++) {
    status = open_second(path, NULL, &second);
    if (status != LIVERY_ERROR_DUPLICATE) break;
    sleep_ms(1);
  }
  EXPECT_INT(LIVERY_OK, status);
  EXPECT_STATUS(LIVERY_ERROR_DUPLICATE, livery_open(path, NULL, &store));
  EXPECT_INT(LIVERY_OK, close_second(second));
  end_child(child);
}

TEST("a second copy of the library in a process is refused the store that the first has open", copies) { IN_CHILD(second_copy); }

// A program that reads the folder of its store

static void read_all(const char *path) {
  DIR *directory = opendir(path);
  EXPECT(directory);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    char file[700], block[4096];
    snprintf(file, sizeof file, "%s/%.255s", path, entry->d_name);
    int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    while (descriptor >= 0 && read(descriptor, block, sizeof block) > 0) continue;
    close(descriptor);
  }
  if (directory) closedir(directory);
}

static void read_folder(void) {
  const char *path = fresh_path();
  char file[400];
  livery_store *store = NULL;
  pid_t child = start_child(path, 0);
  EXPECT(wait_for_child() && ask_child('c') && wait_for_child());
  REQUIRE_OK(livery_open(path, NULL, &store));
  snprintf(file, sizeof file, "%s/data.mdb", path);
  for (int round = 0; round < 20; round++) {
    livery_snapshot *snapshot = NULL;
    OK(livery_snapshot_open(store, &snapshot));
    int64_t number = shown(snapshot);
    EXPECT(number > 0);
    if (round % 3 == 0) OK(livery_check(file, NULL));
    else if (round % 3 == 1) OK(livery_check(path, NULL));
    read_all(path);
    // Others look for processes that have died when they open.
    fflush(NULL);
    pid_t opener = fork();
    if (opener == 0) {
      livery_store *mine = NULL;
      _exit(livery_open(path, NULL, &mine) == LIVERY_OK && livery_close(mine) == LIVERY_OK ? 0 : 1);
    }
    int status = 0;
    EXPECT(waitpid(opener, &status, 0) == opener && status == 0);
    for (int commits = 0; commits < 12; commits++) EXPECT(ask_child('c') && wait_for_child());
    EXPECT_INT(number, shown(snapshot));
    OK(livery_snapshot_close(snapshot));
    OK(commit_number(store, 5000 + round));
    OK(livery_get_int(store, "name3", &number));
    EXPECT_INT(5000 + round, number);
  }
  OK(livery_close(store));
  end_child(child);
}

TEST("a program may read all files of a store that it has open, and have them checked", files) { IN_CHILD(read_folder); }

// Processes killed while they copy: backups, automatic copies, compaction, restore, recovery, the making of a store. After
// the next opening nothing hidden or unfinished is left, and what was acknowledged is there. Copies that a process is
// at, even one that is stopped, are left alone by those who open the store beside it.
//
//     killed_copies [--rounds N] [--seed S] [--from N] [--broken]
//
// The calls of the system that change files come by here, and one of them is the last.
#include "batches.h"

#include <sys/sendfile.h>
#include <sys/uio.h>

static _Atomic int64_t calls_left;
static int last_signal;
// The library does some of it in processes that share memory with this one: it is this one that ends.
static pid_t victim;

static void step(void) {
  if (calls_left > 0 && --calls_left == 0) kill(victim, last_signal);
}

// Before the call or after it: each is a step.
#define PASS(type, name, parameters, arguments)                                                                        \
  type name parameters {                                                                                               \
    static type(*found) parameters;                                                                                    \
    if (!found) found = (type(*) parameters)(uintptr_t)dlsym(RTLD_NEXT, #name);                                        \
    step();                                                                                                            \
    type result = found arguments;                                                                                     \
    int number = errno;                                                                                                \
    step();                                                                                                            \
    errno = number;                                                                                                    \
    return result;                                                                                                     \
  }
PASS(ssize_t, write, (int file, const void *bytes, size_t length), (file, bytes, length))
PASS(ssize_t, pwrite, (int file, const void *bytes, size_t length, off_t offset), (file, bytes, length, offset))
PASS(ssize_t, writev, (int file, const struct iovec *parts, int count), (file, parts, count))
PASS(ssize_t, sendfile, (int to, int from, off_t *offset, size_t length), (to, from, offset, length))
PASS(ssize_t, copy_file_range, (int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags),
     (from, from_offset, to, to_offset, length, flags))
PASS(int, fsync, (int file), (file))
PASS(int, fdatasync, (int file), (file))
PASS(int, ftruncate, (int file, off_t size), (file, size))
PASS(int, posix_fallocate, (int file, off_t offset, off_t length), (file, offset, length))
PASS(int, rename, (const char *from, const char *to), (from, to))
PASS(int, renameat, (int old, const char *from, int new, const char *to), (old, from, new, to))
PASS(int, renameat2, (int old, const char *from, int new, const char *to, unsigned flags), (old, from, new, to, flags))
PASS(int, link, (const char *from, const char *to), (from, to))
PASS(int, linkat, (int old, const char *from, int new, const char *to, int flags), (old, from, new, to, flags))
PASS(int, unlink, (const char *path), (path))
PASS(int, unlinkat, (int directory, const char *path, int flags), (directory, path, flags))
PASS(int, mkdir, (const char *path, mode_t mode), (path, mode))
PASS(int, mkdirat, (int directory, const char *path, mode_t mode), (directory, path, mode))
int open(const char *path, int flags, ...) {
  static int (*found)(const char *, int, ...);
  if (!found) found = (int (*)(const char *, int, ...))(uintptr_t)dlsym(RTLD_NEXT, "open");
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  int file = found(path, flags, mode);
  if (flags & O_CREAT) step();
  return file;
}
int openat(int directory, const char *path, int flags, ...) {
  static int (*found)(int, const char *, int, ...);
  if (!found) found = (int (*)(int, const char *, int, ...))(uintptr_t)dlsym(RTLD_NEXT, "openat");
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  int file = found(directory, path, flags, mode);
  if (flags & O_CREAT) step();
  return file;
}

enum { TEXTS = 24, TEXT = 8000 };
static struct shared {
  _Atomic int64_t intended, acknowledged;
  _Atomic int status;
  _Atomic bool is_through;
  _Atomic uint64_t killed, stopped, ended;
} *shared;

typedef enum action { BACKUP, COMMITS, COMPACT, RESTORE, RECOVER, HIDDEN, FIRST_COPY, MAKE, ACTIONS } action;
static const char *const action_names[ACTIONS] = {
  "backup", "automatic copies", "compaction", "restore", "recovery", "a hidden commit", "the first copy", "making a store"};

static char path[300], template[300];
static action chosen;

static livery_status open_store(livery_store **store, bool copies) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = chosen == MAKE ? LIVERY_OPEN_CREATE : 0;
  options.map_size = 1 << 24;
  options.busy_timeout_ms = copies ? 5000 : 300;
  options.backup_commits = copies && chosen == COMMITS ? 1 : UINT32_MAX;
  options.backup_age_s = copies && chosen == FIRST_COPY ? 0 : UINT32_MAX;
  return livery_open(path, &options, store);
}

static void text_for(unsigned index, char text[TEXT]) {
  for (unsigned at = 0; at < TEXT; at++) text[at] = (char)('a' + (at / 64 * 7 + index * 3 + at) % 26);
}

static const char *text_name(unsigned index) {
  static char name[16];
  snprintf(name, sizeof name, "text.%u", index);
  return name;
}

static void make_template(void) {
  livery_store *store = NULL;
  char text[TEXT];
  chosen = MAKE;
  if (open_store(&store, false) != LIVERY_OK) give_up("%s", path);
  for (unsigned index = 0; index < TEXTS; index++) {
    text_for(index, text);
    livery_set_string(store, LIVERY_LAYER_USER, text_name(index), text, TEXT);
  }
  livery_set_int(store, LIVERY_LAYER_USER, "number", 1);
  if (livery_backup(store, NULL) != LIVERY_OK) give_up("the backup");
  if (livery_set_int(store, LIVERY_LAYER_USER, "number", 2) != LIVERY_OK) give_up("the number");
  livery_close(store);
}

/** Damages the data file: a page of a tree, or the number of the last commit. */
static void damage(bool hides) {
  char file[340];
  size_t length = 0;
  snprintf(file, sizeof file, "%s/data.mdb", path);
  unsigned char *content = file_content(file, &length);
  if (hides) {
    // Where LMDB keeps a commit's number in each of the two root pages.
    uint64_t first, second;
    memcpy(&first, content + 144, 8);
    memcpy(&second, content + 4096 + 144, 8);
    unsigned char *place = content + 144 + (second > first ? 4096 : 0);
    uint64_t less = (first > second ? first : second) - 2;
    memcpy(place, &less, 8);
  } else {
    for (size_t at = 8192; at < length; at += 4096) memset(content + at + 8, 0x5a, 24);
  }
  put_file(file, content, length);
  free(content);
}

/** What is to be interrupted. */
static void act(void) {
  livery_store *store = NULL;
  livery_status status = LIVERY_OK;
  bool opens = chosen == RECOVER || chosen == HIDDEN || chosen == MAKE;
  victim = getpid();
  int64_t calls = 1 + (int64_t)below(1u << (2 + below(7)));
  if (opens) calls_left = calls;
  status = open_store(&store, true);
  calls_left = 0;
  if (!opens && status == LIVERY_OK) {
    calls_left = calls;
    switch (chosen) {
      case BACKUP: status = livery_backup(store, NULL); break;
      case COMPACT: status = livery_compact(store); break;
      case RESTORE: status = livery_restore(store, NULL, NULL, NULL); break;
      default:
        for (int64_t number = 3; number < 9 && status == LIVERY_OK; number++) {
          shared->intended = number;
          status = livery_set_int(store, LIVERY_LAYER_USER, "number", number);
          if (status == LIVERY_OK) shared->acknowledged = number;
        }
    }
    // Copies may be made beside, until the closing.
    if (chosen != COMMITS && chosen != FIRST_COPY) calls_left = 0;
  }
  shared->status = status;
  shared->is_through = status == LIVERY_OK;
  livery_close(store);
  calls_left = 0;
}

static const char *left_over;
static char left_name[300];
static int backup_count;
static void look_at(const char *file, const char *name, const struct stat *facts, void *unused) {
  (void)file, (void)unused;
  const char *last = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
  if (strncmp(name, "backups/", 8) == 0 && last[0] != '.') backup_count++;
  size_t length = strlen(last);
  if (last[0] != '.' && strcmp(last, "recovering.mdb") != 0 && strcmp(last, "hidden.mdb") != 0
      && !(length > 4 && (strcmp(last + length - 4, ".new") == 0 || strcmp(last + length - 4, ".tmp") == 0)))
    return;
  snprintf(left_name, sizeof left_name, "%.200s (%lld bytes)", name, (long long)facts->st_size);
  left_over = left_name;
}

static void expect_nothing_left(const char *when) {
  if (option_given("--broken") && below(3) == 0) {
    char name[340];
    snprintf(name, sizeof name, "%s/backups/.1a2b3c.tmp", path);
    mkdir(path, 0700);
    int file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    close(file);
  }
  left_over = NULL;
  visit_entries(path, look_at, NULL);
  if (left_over) wrong("%s there is %s", when, left_over);
}

static void check_copies(void) {
  livery_store *store = NULL;
  livery_value *backups = NULL;
  size_t count = 0;
  if (open_store(&store, false) != LIVERY_OK) return;
  if (is_fit("backups", livery_backups(store, &backups), NULL)) livery_value_count(backups, &count);
  for (size_t index = 0; index < count; index++) {
    livery_value *item = NULL, *place = NULL;
    const char *text = "";
    if (livery_value_at(backups, index, &item) == LIVERY_OK && livery_value_member(item, "path", &place) == LIVERY_OK
        && livery_value_as_string(place, &text, NULL) == LIVERY_OK)
      is_fit("a copy is damaged", livery_check(text, NULL), NULL);
    livery_value_release(place);
    livery_value_release(item);
  }
  livery_value_release(backups);
  livery_close(store);
}

static void check_store(void) {
  livery_store *store = NULL;
  int64_t number = 0;
  char expected[TEXT], *text = NULL;
  size_t length = 0;
  if (!is_fit("opening", open_store(&store, false), NULL)) return;
  expect_nothing_left("after the opening");
  livery_status status = livery_get_int(store, "number", &number);
  int64_t least = shared->acknowledged, most = shared->intended;
  if (chosen == RESTORE || chosen == RECOVER || chosen == HIDDEN) least = 1;
  if (chosen == RESTORE && shared->is_through) most = 1;
  if (chosen != MAKE && (status != LIVERY_OK || number < least || number > most))
    wrong("the number is %s %lld, and was %lld", livery_status_name(status), (long long)number, (long long)shared->acknowledged);
  for (unsigned index = 0; chosen != MAKE && index < TEXTS; index++) {
    text_for(index, expected);
    status = livery_copy_string(store, text_name(index), &text, &length);
    if (status != LIVERY_OK || length != TEXT || memcmp(text, expected, TEXT) != 0)
      wrong("a text is not there: %s", livery_status_name(status));
    livery_free(text);
    text = NULL;
  }
  is_fit("setting", livery_set_int(store, LIVERY_LAYER_USER, "later", 1), NULL);
  livery_close(store);
  expect_nothing_left("after the closing");
}

static void open_beside(void) {
  static const livery_status accepted[] = {LIVERY_ERROR_BUSY, 0};
  livery_store *store = NULL;
  livery_status status = open_store(&store, false);
  if (!is_fit("opening beside", status, accepted) || status != LIVERY_OK) return;
  int64_t number = 0;
  if (chosen != MAKE) is_fit("reading beside", livery_get_int(store, "number", &number), NULL);
  livery_close(store);
}

static void one_round(void) {
  chosen = (action)below(ACTIONS);
  bool stops = below(5) == 0;
  last_signal = stops ? SIGSTOP : SIGKILL;
  doing("%s of %s", stops ? "a stop" : "a kill", action_names[chosen]);
  shared->intended = shared->acknowledged = 2;
  shared->status = 1;
  shared->is_through = false;
  copy_tree(template, path);
  if (chosen == RECOVER || chosen == HIDDEN) damage(chosen == HIDDEN);
  if (chosen == MAKE) remove_tree(path);
  char backups[340];
  snprintf(backups, sizeof backups, "%s/backups", path);
  if (chosen == FIRST_COPY) remove_tree(backups);
  pid_t child = start_child(act);
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  if (WIFSTOPPED(status)) {
    shared->stopped++;
    in_process(open_beside);
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    if (shared->status != LIVERY_OK) wrong("it failed after a stop: %s", livery_status_name(shared->status));
    backup_count = 0;
    visit_entries(path, look_at, NULL);
    if (chosen == BACKUP && backup_count != 2) wrong("there are %d copies and not 2", backup_count);
    if (chosen == FIRST_COPY && backup_count < 1) wrong("there is no copy");
    if (chosen == BACKUP || chosen == FIRST_COPY || chosen == COMMITS) in_process(check_copies);
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
    shared->killed++;
    // What it had begun beside itself ends a moment later.
    sleep_us(5000);
  } else if (status != 0) {
    rounds->crashes++;
    wrong("%s", ending(status));
  } else {
    shared->ended++;
    if (shared->status != LIVERY_OK && !stops) wrong("it failed: %s", livery_status_name(shared->status));
  }
  in_process(check_store);
}

int main(int argc, char **argv) {
  begin_rounds("killed_copies", argc, argv, 20000);
  shared = shared_memory(sizeof *shared);
  snprintf(template, sizeof template, "%s/template", torture_directory);
  snprintf(path, sizeof path, "%s", template);
  in_process(make_template);
  snprintf(path, sizeof path, "%s/store", torture_directory);
  run_rounds(one_round, 50);
  figure("killed", shared->killed);
  figure("stopped", shared->stopped);
  figure("ended", shared->ended);
  return end_rounds();
}

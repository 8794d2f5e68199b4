// What the harnesses share: seeded numbers, directories in memory, workers that may die, the line of figures.
//
// Each program ends with one line, "NAME: figure=value …", and with 0 if nothing was found, 1 if something was. What was
// found is told on standard error as it happens, with the command that shows it again.
#ifndef TORTURE_H
#define TORTURE_H

#include <livery.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

// Numbers

static uint64_t torture_state = 1;

UNUSED static uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
UNUSED static void seed_with(uint64_t seed) { torture_state = mixed(seed) | 1; }
UNUSED static uint64_t random_bits(void) {
  torture_state ^= torture_state << 13;
  torture_state ^= torture_state >> 7;
  torture_state ^= torture_state << 17;
  return torture_state * 0x2545f4914f6cdd1du;
}
UNUSED static uint64_t below(uint64_t limit) { return (random_bits() >> 16) % limit; }

UNUSED static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length) {
  const unsigned char *next = bytes;
  hash ^= 0xcbf29ce484222325u;
  for (size_t index = 0; index < length; index++) hash = (hash ^ next[index]) * 0x100000001b3u;
  return mixed(hash + length);
}

// Time

UNUSED static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
UNUSED static void sleep_us(uint64_t microseconds) {
  struct timespec time = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
  nanosleep(&time, NULL);
}

// Arguments: --name value, or --name alone

static int torture_argc;
static char **torture_argv;

UNUSED static const char *option_text(const char *name, const char *otherwise) {
  for (int index = 1; index + 1 < torture_argc; index++)
    if (strcmp(torture_argv[index], name) == 0) return torture_argv[index + 1];
  return otherwise;
}
UNUSED static uint64_t option_number(const char *name, uint64_t otherwise) {
  const char *text = option_text(name, NULL);
  return text ? strtoull(text, NULL, 0) : otherwise;
}
UNUSED static bool option_given(const char *name) {
  for (int index = 1; index < torture_argc; index++)
    if (strcmp(torture_argv[index], name) == 0) return true;
  return false;
}
UNUSED static uint64_t fresh_seed(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return mixed((uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 20) ^ (uint64_t)getpid()) >> 32;
}

// Findings. The count is shared with forked workers.

static _Atomic uint64_t *torture_findings;

__attribute__((format(printf, 1, 2))) UNUSED static void finding(const char *format, ...) {
  // Of many alike the first tell enough.
  if (torture_findings && atomic_fetch_add(torture_findings, 1) >= 40) return;
  char text[2048];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text - 1, format, list);
  va_end(list);
  strcat(text, "\n");
  if (write(2, text, strlen(text)) < 0) _exit(3);
}
UNUSED static uint64_t findings(void) { return atomic_load(torture_findings); }

__attribute__((format(printf, 1, 2), noreturn)) UNUSED static void give_up(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vfprintf(stderr, format, list);
  va_end(list);
  fprintf(stderr, " (%s; livery: %s)\n", strerror(errno), livery_last_error()->message);
  exit(2);
}

UNUSED static void *shared_memory(size_t size) {
  void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) give_up("no memory");
  return place;
}

// Figures: what the line at the end says of a harness's own

static char torture_figures[1000];

__attribute__((format(printf, 1, 2))) UNUSED static void add_figure(const char *format, ...) {
  size_t length = strlen(torture_figures);
  va_list list;
  va_start(list, format);
  vsnprintf(torture_figures + length, sizeof torture_figures - length, format, list);
  va_end(list);
}
UNUSED static void figure(const char *name, uint64_t number) { add_figure("%s=%" PRIu64 " ", name, number); }
UNUSED static void figure_ms(const char *name, double milliseconds) { add_figure("%s=%.1f ", name, milliseconds); }

// Directories: below $TORTURE_DIR, else in memory where that can be had

static char torture_directory[200];
static pid_t torture_process;

UNUSED static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *walk) {
  (void)facts, (void)type, (void)walk;
  return remove(path);
}
UNUSED static void remove_tree(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT); }

/** Is called for an entry beneath a directory: its path, its name as seen from that directory, and what lstat says of it. */
typedef void (*entry_visitor)(const char *path, const char *name, const struct stat *facts, void *context);

static void visit_entries_at(char path[PATH_MAX], size_t top, entry_visitor visit, void *context) {
  DIR *directory = opendir(path);
  size_t length = strlen(path);
  if (!directory) return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    struct stat facts;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (fstatat(dirfd(directory), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
    snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
    visit(path, path + top, &facts, context);
    if (S_ISDIR(facts.st_mode)) visit_entries_at(path, top, visit, context);
  }
  path[length] = 0;
  closedir(directory);
}

/** Visits all that is beneath a directory, each directory before what is in it. What goes meanwhile is passed over. */
UNUSED static void visit_entries(const char *top, entry_visitor visit, void *context) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", top);
  visit_entries_at(path, strlen(path) + 1, visit, context);
}

UNUSED static void remove_directory(void) {
  if (getpid() != torture_process || !torture_directory[0]) return;
  if (torture_findings && findings() && option_given("--keep")) {
    fprintf(stderr, "what is left is in %s\n", torture_directory);
  } else {
    remove_tree(torture_directory);
  }
}

UNUSED static void begin_torture(const char *name, int argc, char **argv) {
  torture_argc = argc;
  torture_argv = argv;
  torture_findings = shared_memory(4096);
  const char *base = getenv("TORTURE_DIR");
  if (!base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(torture_directory, sizeof torture_directory, "%s/livery-%s-XXXXXX", base, name);
  if (!mkdtemp(torture_directory)) give_up("%s: cannot be made", torture_directory);
  torture_process = getpid();
  atexit(remove_directory);
  setvbuf(stdout, NULL, _IOLBF, 0);
  signal(SIGPIPE, SIG_IGN);
}

// Files

UNUSED static unsigned char *file_content(const char *path, size_t *length) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (file < 0 || fstat(file, &facts) != 0) give_up("%s", path);
  unsigned char *content = malloc((size_t)facts.st_size + 1);
  ssize_t got = read(file, content, (size_t)facts.st_size);
  close(file);
  if (got != facts.st_size) give_up("%s", path);
  content[got] = 0;
  if (length) *length = (size_t)got;
  return content;
}
UNUSED static void put_file(const char *path, const void *content, size_t length) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || write(file, content, length) != (ssize_t)length) give_up("%s", path);
  close(file);
}

static void copy_entry(const char *path, const char *name, const struct stat *facts, void *target) {
  char to[PATH_MAX];
  snprintf(to, sizeof to, "%.2000s/%.2000s", *(const char **)target, name);
  if (S_ISDIR(facts->st_mode)) {
    mkdir(to, 0700);
  } else if (S_ISREG(facts->st_mode)) {
    size_t length = 0;
    unsigned char *content = file_content(path, &length);
    put_file(to, content, length);
    free(content);
  } else {
    return;
  }
  if (chown(to, facts->st_uid, facts->st_gid) != 0) return;
  chmod(to, facts->st_mode & 07777);
}

/** Copies a directory with owners and modes; a copy that was there goes. */
UNUSED static void copy_tree(const char *from, const char *to) {
  struct stat facts;
  // An entry that is passed over while others are removed is found the next time.
  for (int tries = 0; tries < 20 && access(to, F_OK) == 0; tries++) remove_tree(to);
  if (stat(from, &facts) != 0 || mkdir(to, 0700) != 0 || chown(to, facts.st_uid, facts.st_gid) != 0) give_up("%s", to);
  chmod(to, facts.st_mode & 07777);
  visit_entries(from, copy_entry, &to);
}

// The store

UNUSED static livery_status open_with(const char *path, uint32_t flags, livery_store **store) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags;
  options.log_entries = 64;
  options.map_size = 1 << 26;
  return livery_open(path, &options, store);
}

/** Adds all assets to a hash, what is known of them and their bytes. */
UNUSED static livery_status hash_assets(livery_store *store, uint64_t *hash) {
  livery_value *list = NULL;
  char *text = NULL;
  size_t count = 0, length = 0;
  livery_status status = livery_asset_list(store, &list);
  if (status == LIVERY_OK) status = livery_value_to_json(list, 0, &text, &length);
  if (status == LIVERY_OK) *hash = hash_bytes(*hash, text, length);
  livery_free(text);
  if (status == LIVERY_OK) status = livery_value_count(list, &count);
  for (size_t index = 0; index < count && status == LIVERY_OK; index++) {
    livery_value *item = NULL, *member = NULL;
    const char *id = NULL;
    void *bytes = NULL;
    status = livery_value_at(list, index, &item);
    if (status == LIVERY_OK) status = livery_value_member(item, "id", &member);
    if (status == LIVERY_OK) status = livery_value_as_string(member, &id, NULL);
    if (status == LIVERY_OK) status = livery_asset_get(store, id, &bytes, &length);
    if (status == LIVERY_OK) *hash = hash_bytes(*hash, bytes, length);
    livery_free(bytes);
    livery_value_release(member);
    livery_value_release(item);
  }
  livery_value_release(list);
  return status;
}

/** A hash of all that a store holds: every layer with times and origins, the schema, the log, the assets. 0 if reading
    failed. */
UNUSED static uint64_t digest_of(livery_store *store, livery_status *status) {
  char *text = NULL;
  size_t length = 0;
  livery_value *history = NULL;
  uint64_t hash = 1, revision = 0;
  livery_status got = livery_revision(store, &revision);
  if (got == LIVERY_OK) {
    hash = hash_bytes(hash, &revision, sizeof revision);
    got = livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, &length);
  }
  if (got == LIVERY_OK) {
    hash = hash_bytes(hash, text, length);
    livery_free(text);
    text = NULL;
    got = livery_schema_copy_json(store, &text, &length);
    if (got == LIVERY_ERROR_NOT_FOUND || got == LIVERY_ERROR_NO_VALUE) got = LIVERY_OK;
    if (got == LIVERY_OK && text) hash = hash_bytes(hash, text, length);
    livery_free(text);
    text = NULL;
  }
  if (got == LIVERY_OK) got = livery_export_json(store, 0, &text, &length);
  if (got == LIVERY_OK) {
    hash = hash_bytes(hash, text, length);
    livery_free(text);
    text = NULL;
    got = livery_history(store, NULL, &history);
  }
  if (got == LIVERY_OK) got = livery_value_to_json(history, 0, &text, &length);
  if (got == LIVERY_OK) hash = hash_bytes(hash, text, length);
  if (got == LIVERY_OK) got = hash_assets(store, &hash);
  livery_free(text);
  livery_value_release(history);
  if (status) *status = got;
  return got == LIVERY_OK ? hash | 1 : 0;
}

// Children

/** Starts a process that does some work and ends. It does not outlive this one. */
UNUSED static pid_t start_child(void (*work)(void)) {
  pid_t child = fork();
  if (child < 0) give_up("no process");
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  work();
  _exit(0);
}

/** Has a process of its own do some work. How it ended, as of waitpid. */
UNUSED static int run_child(void (*work)(void)) {
  pid_t child = start_child(work);
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/** How a child ended: "", or what killed it. */
UNUSED static const char *ending(int status) {
  static char text[80];
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFSIGNALED(status)) {
    snprintf(text, sizeof text, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else {
    snprintf(text, sizeof text, "ended with %d", WEXITSTATUS(status));
  }
  return text;
}

#endif

// A small harness. A test file is a program: TEST("what the user is promised", name) { … } and the checks below; the
// program runs its tests in order and fails if a check did. A failed check is reported and the test goes on.
#ifndef CHECK_H
#define CHECK_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <livery.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef void (*check_fn)(void);
static struct check_test {
  const char *promise;
  check_fn run;
} check_tests[128];
static int check_count, check_failures, check_reached_fd = -1;
static char check_skipped[256];
/** Called after each checked call, before anything is written: lifts what a test had the call run under. */
static check_fn check_before_note;

#define TEST(promise, name)                                                                                            \
  static void name(void);                                                                                              \
  __attribute__((constructor)) static void check_add_##name(void) {                                                    \
    check_tests[check_count++] = (struct check_test){promise, name};                                                   \
  }                                                                                                                    \
  static void name(void)

/** Counts a failure and says where and what. */
__attribute__((format(printf, 3, 4), unused)) static void check_fail(const char *file, int line, const char *format,
                                                                     ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s:%d: ", file, line);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  __atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED);
}

#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) check_fail(__FILE__, __LINE__, "expected: %s", #condition);                                      \
  } while (0)

#define EXPECT_INT(expected, actual)                                                                                   \
  do {                                                                                                                 \
    long long check_expected = (long long)(expected), check_actual = (long long)(actual);                              \
    if (check_expected != check_actual)                                                                                \
      check_fail(__FILE__, __LINE__, "%s is %lld, expected %lld", #actual, check_actual, check_expected);              \
  } while (0)

/** What is compared may lie in what a function returned, which ends with the call. */
__attribute__((unused)) static void check_is_text(const char *file, int line, const char *code, const char *expected,
                                               const char *actual) {
  if (!actual || strcmp(expected, actual) != 0)
    check_fail(file, line, "%s is \"%s\", expected \"%s\"", code, actual ? actual : "(NULL)", expected);
}
#define EXPECT_TEXT(expected, actual) check_is_text(__FILE__, __LINE__, #actual, (expected), (actual))

__attribute__((unused)) static void check_has_text(const char *file, int line, const char *code, const char *part,
                                                   const char *actual) {
  if (!actual || !strstr(actual, part))
    check_fail(file, line, "%s is \"%s\", which lacks \"%s\"", code, actual ? actual : "(NULL)", part);
}
#define EXPECT_CONTAINS(part, actual) check_has_text(__FILE__, __LINE__, #actual, (part), (actual))

/** Calls a function of the library, expects a status, and notes "function STATUS" as reached in $LIVERY_REACHED. */
#define EXPECT_STATUS(expected, call) check_status(__FILE__, __LINE__, (expected), (call), #call)
/** A call that has to succeed. */
#define OK(call) EXPECT_STATUS(LIVERY_OK, call)
/** A call that has to succeed for the test to go on. */
#define REQUIRE_OK(call)                                                                                               \
  do {                                                                                                                 \
    if (!OK(call)) return;                                                                                             \
  } while (0)

__attribute__((unused)) static bool check_status(const char *file, int line, livery_status expected,
                                                 livery_status actual, const char *call) {
  if (check_before_note) check_before_note();
  if (actual != expected) {
    check_fail(file, line, "%s\n    gave %s, expected %s%s%s", call, livery_status_name(actual),
               livery_status_name(expected), actual == LIVERY_OK ? "" : ": ",
               actual == LIVERY_OK ? "" : livery_last_error()->message);
    return false;
  }
  if (actual != LIVERY_OK && livery_last_error()->status != actual)
    check_fail(file, line, "%s\n    gave %s, but the last error has %s", call, livery_status_name(actual),
               livery_status_name(livery_last_error()->status));
  if (actual != LIVERY_OK && livery_last_error()->message[0] == 0)
    check_fail(file, line, "%s\n    gave %s without a message", call, livery_status_name(actual));
  if (check_reached_fd >= 0 && strncmp(call, "livery_", 7) == 0) {
    char text[160];
    int length = snprintf(text, sizeof text, "%.*s %s\n", (int)strcspn(call, "("), call, livery_status_name(actual));
    if (write(check_reached_fd, text, (size_t)length) != length) perror("LIVERY_REACHED");
  }
  return true;
}

/** Ends a test that this system cannot run, and says why; the program then reports it. */
#define SKIP(why)                                                                                                      \
  do {                                                                                                                 \
    snprintf(check_skipped, sizeof check_skipped, "%s", why);                                                          \
    return;                                                                                                            \
  } while (0)

/** Runs a function in a forked child and counts its failures. A child that is killed is a failure. */
#define IN_CHILD(function) check_in_child(__FILE__, __LINE__, function, #function)

__attribute__((unused)) static void check_in_child(const char *file, int line, check_fn run, const char *name) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    check_failures = 0;
    run();
    fflush(NULL);
    _exit(check_failures > 100 ? 100 : check_failures);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    check_fail(file, line, "cannot run %s in a child: %s", name, strerror(errno));
  } else if (WIFSIGNALED(status)) {
    check_fail(file, line, "%s was killed by signal %d (%s)", name, WTERMSIG(status), strsignal(WTERMSIG(status)));
  } else if (WEXITSTATUS(status) != 0) {
    check_fail(file, line, "%s failed in the child (%d)", name, WEXITSTATUS(status));
  }
}

// Directories for stores: below $TMPDIR, removed at the end.

static char check_directory[256];
static int check_directory_count;
static pid_t check_main_process;

__attribute__((unused)) static int check_remove(const char *path, const struct stat *facts, int type,
                                                struct FTW *walk) {
  (void)facts, (void)type, (void)walk;
  return remove(path);
}

static void check_clean(void) {
  if (check_directory[0] && getpid() == check_main_process)
    nftw(check_directory, check_remove, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/** The path of a directory that does not exist yet. Valid until the 16th call after. */
__attribute__((unused)) static const char *fresh_path(void) {
  static char paths[16][320];
  if (!check_directory[0]) {
    const char *base = getenv("TMPDIR");
    snprintf(check_directory, sizeof check_directory, "%s/livery-test-XXXXXX", base && base[0] ? base : "/tmp");
    if (!mkdtemp(check_directory) || chmod(check_directory, 0777) != 0) {
      perror(check_directory);
      exit(2);
    }
    check_main_process = getpid();
    atexit(check_clean);
  }
  char *path = paths[check_directory_count % 16];
  snprintf(path, sizeof paths[0], "%s/%d-%d", check_directory, (int)getpid(), check_directory_count++);
  return path;
}

/** Whether stores are in memory: with $LIVERY_TEST_MEMORY, for the programs that concern no files and no other processes. */
__attribute__((unused)) static bool check_in_memory(void) { return getenv("LIVERY_TEST_MEMORY") != NULL; }

/** Ends a test that looks at files, or at what other processes see, where stores are in memory. */
#define NEEDS_FILES                                                                                                    \
  do {                                                                                                                 \
    if (check_in_memory()) SKIP("it looks at files, or at other processes");                                           \
  } while (0)

/** Keeps a store in memory open until the program ends, as files are kept. */
__attribute__((unused)) static void check_keep(const char *path) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *kept = NULL;
  options.flags = LIVERY_OPEN_MEMORY | LIVERY_OPEN_READ_ONLY;
  if (livery_open(path, &options, &kept) == LIVERY_OK) {
    livery_close(kept);
    return;
  }
  options.flags = LIVERY_OPEN_MEMORY;
  if (livery_open(path, &options, &kept) != LIVERY_OK)
    check_fail(__FILE__, __LINE__, "%s: %s", path, livery_last_error()->message);
}

/** Opens a store, made if it is not there; NULL and a failure if that does not work. */
__attribute__((unused)) static livery_store *open_store_with(const char *path, uint32_t flags,
                                                             uint32_t busy_timeout_ms) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = flags;
  options.busy_timeout_ms = busy_timeout_ms;
  // Nothing brings back what a test damages.
  options.backup_commits = UINT32_MAX;
  options.backup_age_s = UINT32_MAX;
  if (check_in_memory()) {
    check_keep(path);
    options.flags |= LIVERY_OPEN_MEMORY;
  }
  OK(livery_open(path, &options, &store));
  return store;
}

__attribute__((unused)) static livery_store *open_store(const char *path) {
  return open_store_with(path, LIVERY_OPEN_CREATE, 0);
}

/** A new store with a schema. */
__attribute__((unused)) static livery_store *new_store(const char *path, const char *schema) {
  livery_store *store = open_store(path);
  if (store && schema) OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  return store;
}

/** A value from JSON that is known to be good. */
__attribute__((unused)) static livery_value *json(const char *text) {
  livery_value *value = NULL;
  OK(livery_value_from_json(text, LIVERY_ZERO_TERMINATED, &value));
  return value;
}

/** Checks that a value, which is released, is written as this JSON. */
#define EXPECT_JSON(expected, value) check_json(__FILE__, __LINE__, (expected), (value))

__attribute__((unused)) static void check_json(const char *file, int line, const char *expected, livery_value *value) {
  char *text = NULL;
  if (livery_value_to_json(value, 0, &text, NULL) != LIVERY_OK) {
    check_fail(file, line, "no JSON: %s", livery_last_error()->message);
  } else if (strcmp(expected, text) != 0) {
    check_fail(file, line, "the value is %s, expected %s", text, expected);
  }
  livery_free(text);
  livery_value_release(value);
}

/** The text of a member of an object; "" if there is none. Valid until the 8th call after. */
__attribute__((unused)) static const char *member_text(livery_value *object, const char *key) {
  static char texts[8][1024];
  static int next;
  char *result = texts[next++ % 8];
  result[0] = 0;
  livery_value *member = NULL;
  const char *text = NULL;
  if (livery_value_member(object, key, &member) == LIVERY_OK) {
    if (livery_value_as_string(member, &text, NULL) == LIVERY_OK) snprintf(result, sizeof texts[0], "%s", text);
    livery_value_release(member);
  }
  return result;
}

/** The whole of a file, with a NUL after it; malloc'ed. Ends the program if there is none. */
__attribute__((unused)) static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  // Files of the kernel do not tell how long they are.
  size_t size = 0, room = 4096, count;
  char *content = malloc(room + 1);
  while (content && (count = fread(content + size, 1, room - size, file)) > 0) {
    size += count;
    if (size == room) content = realloc(content, (room *= 2) + 1);
  }
  if (!content || ferror(file)) exit(2);
  content[size] = 0;
  fclose(file);
  if (length) *length = size;
  return content;
}

__attribute__((unused)) static void write_file(const char *path, const void *content, size_t length) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(content, 1, length, file) != length || fclose(file) != 0) {
    perror(path);
    exit(2);
  }
}

__attribute__((unused)) static int64_t now_microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

__attribute__((unused)) static void sleep_ms(int milliseconds) {
  struct timespec time = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  nanosleep(&time, NULL);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#ifndef CHECK_NO_MAIN
/** Whether $LIVERY_SKIPPED, a file such as Tests/Arm64/skipped.txt, has a line for a promise; its reason comes to check_skipped. */
static bool check_is_left_out(const char *promise) {
  const char *path = getenv("LIVERY_SKIPPED");
  FILE *file = path ? fopen(path, "r") : NULL;
  char line[1024], wanted[512];
  snprintf(wanted, sizeof wanted, " | %s | ", promise);
  while (file && !check_skipped[0] && fgets(line, sizeof line, file)) {
    const char *found = strstr(line, wanted);
    if (found) snprintf(check_skipped, sizeof check_skipped, "%.200s", found + strlen(wanted));
  }
  if (file) fclose(file);
  check_skipped[strcspn(check_skipped, "\n")] = 0;
  return check_skipped[0] != 0;
}

int main(int argc, char **argv) {
  const char *only = argc > 1 ? argv[1] : NULL;
  const char *reached = getenv("LIVERY_REACHED");
  if (reached && reached[0])
    check_reached_fd = open(reached, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC | O_CLOEXEC, 0644);
  int failed = 0, skipped = 0;
  for (int index = 0; index < check_count; index++) {
    if (only && !strstr(check_tests[index].promise, only)) continue;
    check_failures = 0;
    check_skipped[0] = 0;
    if (!check_is_left_out(check_tests[index].promise)) check_tests[index].run();
    const char *result = check_failures ? "not ok" : check_skipped[0] ? "skipped" : "ok";
    printf("%s - %s%s%s\n", result, check_tests[index].promise, check_skipped[0] ? ": " : "", check_skipped);
    fflush(stdout);
    failed += check_failures != 0;
    skipped += check_failures == 0 && check_skipped[0];
  }
  printf("%d passed, %d failed, %d skipped\n", check_count - failed - skipped, failed, skipped);
  return failed ? 1 : 0;
}
#endif

#endif

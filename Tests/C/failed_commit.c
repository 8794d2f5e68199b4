// A commit whose last write fails leaves its number to the next commit, of whichever process. A reader that has read
// everything before sees neither the values that failed nor takes the old ones for the new: round after round one process
// fails, another commits, and this one reads, by name and by key.
#define _GNU_SOURCE
#include <livery.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 25, SETTINGS = 30 };

#define check(condition)                                                                             \
  do {                                                                                               \
    if (!(condition)) {                                                                              \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition, livery_last_error()->message); \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)

// LMDB's meta pages are the first two of the file, and it writes a part of one.
static int fails, failed;

static ssize_t write_at(int file, const void *bytes, size_t count, off_t offset) {
  if (fails && count < 4096 && offset < 8192) {
    failed++;
    // What is in the file for a moment is the new state, as after a failing sync.
    syscall(SYS_pwrite64, file, bytes, count, offset);
    errno = EIO;
    return -1;
  }
  return syscall(SYS_pwrite64, file, bytes, count, offset);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return write_at(file, bytes, count, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) { return write_at(file, bytes, count, offset); }

static char path[] = "failed-commit-XXXXXX";
static char names[SETTINGS][16];

static void in_child(int number, int64_t value, int is_to_fail) {
  pid_t child = fork();
  check(child >= 0);
  if (child == 0) {
    livery_store *store = NULL;
    check(livery_open(path, NULL, &store) == LIVERY_OK);
    fails = is_to_fail;
    livery_status status = livery_set_int(store, LIVERY_LAYER_USER, names[number], value);
    _exit(is_to_fail ? status != LIVERY_ERROR_IO || failed == 0 : status != LIVERY_OK);
  }
  int status = 0;
  check(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_key *keys[SETTINGS];
  int64_t expected[SETTINGS] = {0};
  options.flags = LIVERY_OPEN_CREATE;
  check(mkdtemp(path) != NULL);
  check(livery_open(path, &options, &store) == LIVERY_OK);
  for (int i = 0; i < SETTINGS; i++) {
    snprintf(names[i], sizeof names[i], "setting%d", i);
    check(livery_set_int(store, LIVERY_LAYER_USER, names[i], 0) == LIVERY_OK);
    check(livery_key_open(store, names[i], &keys[i]) == LIVERY_OK);
  }
  for (int round = 1; round <= ROUNDS; round++) {
    for (int step = 0; step < 3; step++) {
      int failing = round % SETTINGS, committing = (round + round % 3) % SETTINGS;
      if (step == 1) in_child(failing, -round, 1);
      if (step == 2) in_child(committing, round, 0), expected[committing] = round;
      for (int i = 0; i < SETTINGS; i++) {
        int64_t by_name = -1, by_key = -1;
        check(livery_get_int(store, names[i], &by_name) == LIVERY_OK && by_name == expected[i]);
        check(livery_key_get_int(keys[i], &by_key) == LIVERY_OK && by_key == expected[i]);
      }
    }
  }
  check(livery_close(store) == LIVERY_OK);
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", path);
  return system(command) == 0 ? 0 : 1;
}

// Clocks that jump and other boots, for trials: the program's clock_gettime and open are those that the library calls, and a
// program of another boot is the same one, run with a boot ID of its own.
#ifndef MOMENTS_H
#define MOMENTS_H

#include "seen.h"

#include <sys/syscall.h>

static const livery_layer user = LIVERY_LAYER_USER;
__attribute__((unused)) static const int64_t second = 1000000, minute = 60 * second, hour = 60 * minute, day = 24 * hour;

// By how much the clock that can be set, and the one since the start of the system, are moved; in microseconds.
static _Atomic int64_t set_by, passed;

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  int64_t shift = clock == CLOCK_REALTIME ? set_by + passed : clock == CLOCK_BOOTTIME ? passed : 0;
  int64_t sum = time->tv_nsec / 1000 + shift % second;
  time->tv_sec += (time_t)(shift / second + sum / second - (sum % second < 0));
  time->tv_nsec = (long)((sum % second + (sum % second < 0 ? second : 0)) * 1000 + time->tv_nsec % 1000);
  return result;
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  const char *boot = getenv("TEST_BOOT");
  if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) path = boot;
  return openat(AT_FDCWD, path, flags, mode);
}

__attribute__((unused)) static int64_t integer(livery_store *store, const char *name) {
  int64_t number = -1;
  livery_get_int(store, name, &number);
  return number;
}

// Sets both of the pair as one commit that is on trial.
__attribute__((unused)) static uint64_t begin(livery_store *store, int64_t number, int64_t length) {
  uint64_t revision = 0;
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_origin(change, "tester"));
  OK(livery_change_set_int(change, "pair.a", number));
  OK(livery_change_set_int(change, "pair.b", number));
  OK(livery_change_trial(change, length));
  OK(livery_change_commit(change, &revision));
  return revision;
}

__attribute__((unused)) static livery_store *ready_store(const char *path) {
  set_by = passed = 0;
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  OK(livery_set_int(store, user, "pair.a", 1));
  OK(livery_set_int(store, user, "pair.b", 1));
  return store;
}

#define EXPECT_PAIR(number, store)                                                                                     \
  do {                                                                                                                 \
    EXPECT_INT(number, integer(store, "pair.a"));                                                                      \
    EXPECT_INT(number, integer(store, "pair.b"));                                                                      \
  } while (0)

__attribute__((unused)) static const char *state(livery_store *store) {
  static char text[32];
  livery_value *status = NULL, *member = NULL;
  const char *found = "";
  OK(livery_trial_status(store, &status));
  OK(livery_value_member(status, "state", &member));
  OK(livery_value_as_string(member, &found, NULL));
  snprintf(text, sizeof text, "%s", found);
  OK(livery_value_release(member));
  OK(livery_value_release(status));
  return text;
}

#endif

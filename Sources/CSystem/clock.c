// Clocks, and what the processes on a store know of the one that can be set.
#define _GNU_SOURCE
#include "csystem.h"

int64_t lvs_realtime_us(void) {
  // The years 1 and 9999, beyond which no date is.
  const int64_t earliest = -62135596800, latest = 253402300799;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (now.tv_sec > latest) return latest * 1000000 + 999999;
  if (now.tv_sec < earliest) return earliest * 1000000;
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t lvs_boottime_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

uint64_t lvs_boot_number(void) {
  static uint64_t known;
  uint64_t number = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (number) return number;
  char text[36];
  int file = lvs_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
  ssize_t got = file < 0 ? 0 : lvs_read_at(file, text, sizeof text, 0);
  if (file >= 0) close(file);
  number = got > 0 ? 1469598103934665603u : LVS_BOOT_UNKNOWN;
  for (ssize_t i = 0; i < got; i++) number = (number ^ (unsigned char)text[i]) * 1099511628211u;
  __atomic_store_n(&known, number, __ATOMIC_RELAXED);
  return number;
}

// The last words of those that nothing else uses.
static uint64_t *clock_words(lvs_wake *wake) {
  return wake->unused + sizeof wake->unused / sizeof *wake->unused - 4;
}

lvs_clock lvs_clock_read(lvs_wake *wake) {
  uint64_t *words = clock_words(wake);
  return (lvs_clock){
      .boot = __atomic_load_n(words, __ATOMIC_RELAXED),
      .trusted = (int64_t)__atomic_load_n(words + 1, __ATOMIC_RELAXED),
      .candidate = (int64_t)__atomic_load_n(words + 2, __ATOMIC_RELAXED),
      .since = (int64_t)__atomic_load_n(words + 3, __ATOMIC_RELAXED),
  };
}

void lvs_clock_write(lvs_wake *wake, lvs_clock clock) {
  uint64_t *words = clock_words(wake);
  __atomic_store_n(words, clock.boot, __ATOMIC_RELAXED);
  __atomic_store_n(words + 1, (uint64_t)clock.trusted, __ATOMIC_RELAXED);
  __atomic_store_n(words + 2, (uint64_t)clock.candidate, __ATOMIC_RELAXED);
  __atomic_store_n(words + 3, (uint64_t)clock.since, __ATOMIC_RELAXED);
}

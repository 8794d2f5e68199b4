// Clocks.
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
  number = got > 0 ? 14695981039346656037u : LVS_BOOT_UNKNOWN;
  for (ssize_t i = 0; i < got; i++) number = (number ^ (unsigned char)text[i]) * 1099511628211u;
  __atomic_store_n(&known, number, __ATOMIC_RELAXED);
  return number;
}

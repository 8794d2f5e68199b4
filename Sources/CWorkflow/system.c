#define _GNU_SOURCE
#include "cworkflow.h"

#include <string.h>
#include <time.h>

int64_t lvw_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void lvw_wipe(void *bytes, size_t count) {
  if (count > 0) explicit_bzero(bytes, count);
}

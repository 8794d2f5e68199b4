// A time of day that goes ahead or back for the whole program: the library asks for it here, as the program exports what it calls.
#ifndef SKEWED_CLOCK_H
#define SKEWED_CLOCK_H

#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t ahead_us;

int clock_gettime(clockid_t clock, struct timespec *time) {
  long result = syscall(SYS_clock_gettime, clock, time);
  int64_t ahead = ahead_us;
  if (result == 0 && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    time->tv_sec += ahead / 1000000;
    time->tv_nsec += ahead % 1000000 * 1000;
    if (time->tv_nsec >= 1000000000) time->tv_sec++, time->tv_nsec -= 1000000000;
    if (time->tv_nsec < 0) time->tv_sec--, time->tv_nsec += 1000000000;
  }
  return (int)result;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  (void)zone;
  struct timespec now;
  int result = clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return result;
}
time_t time(time_t *place) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (place) *place = now.tv_sec;
  return now.tv_sec;
}

#endif

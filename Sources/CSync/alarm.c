#define _GNU_SOURCE
#include "csync.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { END, DUE, SET, PLACES };

struct lvy_alarm {
  struct pollfd places[PLACES];
  lvy_alarm_function function;
  void *context;
  pthread_t thread;
};

// A timer that never comes, and is cancelled when somebody sets the clock.
static void wait_for_clock(int descriptor) {
  const struct itimerspec never = {.it_value = {.tv_sec = INT64_MAX}};
  timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static void *run(void *argument) {
  lvy_alarm *alarm = argument;
  prctl(PR_SET_NAME, "livery-alarm");
  for (;;) {
    if (poll(alarm->places, PLACES, -1) < 0) {
      if (errno == EINTR) continue;
      return NULL;
    }
    if (alarm->places[END].revents) return NULL;
    uint64_t count;
    uint32_t reasons = 0;
    if (alarm->places[DUE].revents && read(alarm->places[DUE].fd, &count, sizeof count) > 0) reasons |= LVY_ALARM_DUE;
    if (alarm->places[SET].revents) {
      if (read(alarm->places[SET].fd, &count, sizeof count) < 0 && errno == ECANCELED) reasons |= LVY_ALARM_CLOCK;
      wait_for_clock(alarm->places[SET].fd);
    }
    if (reasons) alarm->function(reasons, alarm->context);
  }
}

static void close_all(lvy_alarm *alarm) {
  for (int place = 0; place < PLACES; place++) {
    if (alarm->places[place].fd >= 0) close(alarm->places[place].fd);
  }
  free(alarm);
}

lvy_alarm *lvy_alarm_make(lvy_alarm_function function, void *context) {
  lvy_alarm *alarm = calloc(1, sizeof *alarm);
  if (!alarm) return NULL;
  alarm->function = function;
  alarm->context = context;
  int made[PLACES] = {
    [END] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    [DUE] = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK),
    [SET] = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK),
  };
  for (int place = 0; place < PLACES; place++) alarm->places[place] = (struct pollfd){.fd = made[place], .events = POLLIN};
  if (made[END] < 0 || made[DUE] < 0 || made[SET] < 0) {
    close_all(alarm);
    return NULL;
  }
  wait_for_clock(made[SET]);
  // Signals are for the threads of the program.
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  bool has_started = pthread_create(&alarm->thread, NULL, run, alarm) == 0;
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  if (has_started) return alarm;
  close_all(alarm);
  return NULL;
}

void lvy_alarm_set(lvy_alarm *alarm, int64_t uptime) {
  // 0 would disarm it.
  if (uptime < 1) uptime = 1;
  const struct itimerspec due = {.it_value = {.tv_sec = uptime / 1000, .tv_nsec = uptime % 1000 * 1000000}};
  timerfd_settime(alarm->places[DUE].fd, TFD_TIMER_ABSTIME, &due, NULL);
}

void lvy_alarm_free(lvy_alarm *alarm) {
  uint64_t one = 1;
  while (write(alarm->places[END].fd, &one, sizeof one) < 0 && errno == EINTR) {
  }
  pthread_join(alarm->thread, NULL);
  close_all(alarm);
}

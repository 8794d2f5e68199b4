// For programs that time Livery by themselves: calls that must succeed, a clock, and medians.
#ifndef TIMING_H
#define TIMING_H

#include <livery.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OK(call)                                                                                                       \
  do {                                                                                                                 \
    int status = (call);                                                                                               \
    if (status != 0) {                                                                                                 \
      fprintf(stderr, "%s: %d %s\n", #call, status, livery_last_error()->message);                                     \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

static double now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int ascending(const void *one, const void *other) {
  double left = *(const double *)one, right = *(const double *)other;
  return (left > right) - (left < right);
}

/** Puts the figures in order. */
static double median(double *figures, int count) {
  qsort(figures, (size_t)count, sizeof *figures, ascending);
  return figures[count / 2];
}

#endif

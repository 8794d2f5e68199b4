// The settings that every subject holds, the same in benchmarks/swift and benchmarks/python: six types in turn. A
// commit sets integers, and only their upper half, so that what is read can be checked at any time.
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRING, BOOL, INT, DOUBLE, COLOR, URL, TYPES };
enum { NAME_SIZE = 32, TEXT_SIZE = 64, STRING_LENGTH = 16 };

/** What stands between a group and the setting; GSettings has no dots in names. */
#ifndef NAME_SEPARATOR
#define NAME_SEPARATOR "."
#endif

static inline void setting_name(char name[NAME_SIZE], long index) {
  snprintf(name, NAME_SIZE, "group%u" NAME_SEPARATOR "setting%u", (unsigned)index / 100 % 100000,
           (unsigned)index % 10000000);
}

static inline bool bool_value(long index) { return index % 4 == 1; }
static inline int64_t int_value(long index) { return index * 7; }
static inline double double_value(long index) { return (double)index + 0.25; }

/** The value of the other types. */
static inline void text_value(char text[TEXT_SIZE], long index) {
  switch (index % TYPES) {
    case COLOR: snprintf(text, TEXT_SIZE, "#%06lX", index * 37 % 0x1000000); break;
    case URL: snprintf(text, TEXT_SIZE, "https://media.example/loop/%ld.mp4", index); break;
    default: snprintf(text, TEXT_SIZE, "text %011ld", index); break;
  }
}

/** The integer that is read first: one in the middle. */
static inline long middle_setting(long count) { return count / 2 / TYPES * TYPES + INT; }

static inline int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void fail(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why ? why : "failed");
  _Exit(1);
}

/** Memory, or the end. */
static inline void *allocated(size_t size) {
  void *memory = calloc(size ? size : 1, 1);
  if (!memory) fail("calloc", "out of memory");
  return memory;
}

#endif

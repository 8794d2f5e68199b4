// The mixed workload, the same for Livery and for raw LMDB: a hundred groups of settings, of five types in turn, read and
// written in random order. A subject's source defines the functions below, and then
// includes mixed_driver.h.
//
//     SUBJECT make PATH COUNT [schema]   makes a store with COUNT settings, for Livery also with a schema that declares them
//     SUBJECT first PATH COUNT           opens it, reads one setting, closes it
//     SUBJECT memory PATH COUNT          reads each setting twice, and prints how much of the process is resident, in KiB
//     SUBJECT empty PATH COUNT           the same without opening and reading anything
//     SUBJECT serve PATH COUNT           reads commands, a line each, and answers each with a line of numbers
//
// A subject defines
//
//     subject_make(path, with_schema)   with all settings, as they are in the generation 0, set by one commit
//     subject_open(path)  subject_close()
//     subject_read(name, kind, value)   fills in what belongs to the kind
//     subject_commit(names, values, count)   durably, as one commit
#ifndef MIXED_H
#define MIXED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef enum kind { BOOL, INT, DOUBLE, SHORT_TEXT, LONG_TEXT, KINDS } kind;
enum { GROUPS = 100, NAME_SIZE = 32, TEXT_SIZE = 208, SHORT_LENGTH = 16, LONG_LENGTH = 200, MOST_BATCH = 1000 };

typedef struct value {
  kind kind;
  bool truth;
  int64_t integer;
  double number;
  size_t length;
  char text[TEXT_SIZE];
} value;

static long setting_count;
/** What has changed a setting, and how often. */
static uint32_t *generations;
/** Settings in random order, and their names in that order: what fetching a name costs is the program's, not the store's. */
static uint32_t *order;
static char (*names)[NAME_SIZE];

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

static inline kind kind_of(long index) { return (kind)(index % KINDS); }

static inline void setting_name(char name[NAME_SIZE], long index) {
  long in_group = (setting_count + GROUPS - 1) / GROUPS;
  snprintf(name, NAME_SIZE, "group%02u.setting%04u", (unsigned)(index / in_group) % 100, (unsigned)(index % in_group) % 1000000);
}

/** What the setting holds after so many changes: each time something else. Defaults are of the generation −1. */
static inline void fill(value *value, long index, int64_t generation) {
  uint64_t mixed = ((uint64_t)index * 0x9E3779B97F4A7C15 ^ (uint64_t)(generation + 1)) * 0xD6E8FEB86659FD93;
  mixed ^= mixed >> 32;
  value->kind = kind_of(index);
  switch (value->kind) {
    case BOOL: value->truth = ((uint64_t)(index / KINDS + generation) & 1) == 1; break;
    case INT: value->integer = index * 1000 + generation; break;
    case DOUBLE: value->number = (double)index + (double)generation / 4 + 0.125; break;
    default:
      value->length = value->kind == SHORT_TEXT ? SHORT_LENGTH : LONG_LENGTH;
      for (size_t place = 0; place < value->length; place += 8) {
        char part[9];
        snprintf(part, sizeof part, "%08x", (unsigned)(mixed >> 16) + (unsigned)place);
        memcpy(value->text + place, part, 8);
      }
      value->text[value->length] = 0;
  }
}

static uint64_t random_state = 0x9E3779B97F4A7C15;

static inline uint64_t random_below(uint64_t limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % limit;
}

static void prepare(long count) {
  setting_count = count;
  generations = (uint32_t *)allocated((size_t)count * sizeof *generations);
  order = (uint32_t *)allocated((size_t)count * sizeof *order);
  names = (char (*)[NAME_SIZE])allocated((size_t)count * sizeof *names);
  for (long index = 0; index < count; index++) order[index] = (uint32_t)index;
  for (long index = count - 1; index > 0; index--) {
    long other = (long)random_below((uint64_t)index + 1);
    uint32_t item = order[index];
    order[index] = order[other];
    order[other] = item;
  }
  for (long place = 0; place < count; place++) setting_name(names[place], order[place]);
}

#endif

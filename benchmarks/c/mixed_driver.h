// The measures of the mixed workload; see mixed.h.
#ifndef MIXED_DRIVER_H
#define MIXED_DRIVER_H

#include "mixed.h"

/** Sums up what the setting at that place of the random order holds. */
static inline uint64_t read_at(long place) {
  value found;
  subject_read(names[place], kind_of(order[place]), &found);
  switch (kind_of(order[place])) {
    case BOOL: return found.truth;
    case INT: return (uint64_t)found.integer;
    case DOUBLE: return (uint64_t)found.number;
    default: return found.length;
  }
}

static void check_all(void) {
  for (long place = 0; place < setting_count; place++) {
    value found, expected;
    long index = order[place];
    subject_read(names[place], kind_of(index), &found);
    fill(&expected, index, generations[index]);
    bool same = false;
    switch (expected.kind) {
      case BOOL: same = found.truth == expected.truth; break;
      case INT: same = found.integer == expected.integer; break;
      case DOUBLE: same = found.number == expected.number; break;
      default: same = found.length == expected.length && memcmp(found.text, expected.text, found.length) == 0;
    }
    if (!same) fail(names[place], "another value");
  }
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

/** Nanoseconds for each read, the median of slices: what else the machine does meanwhile does not count. All settings are
    read equally often, and once before. */
static double measure_reads(int64_t least) {
  enum { SLICE = 1000, MOST_SLICES = 1 << 16 };
  static double times[MOST_SLICES];
  long slices = setting_count / SLICE + 1, used = 0;
  volatile uint64_t sum = 0;
  for (long place = 0; place < setting_count; place++) sum += read_at(place);
  int64_t begin = now(), time = begin;
  do {
    for (long slice = 0; slice < slices; slice++) {
      long first = setting_count * slice / slices, end = setting_count * (slice + 1) / slices;
      uint64_t part = 0;
      for (long place = first; place < end; place++) part += read_at(place);
      sum += part;
      int64_t later = now();
      if (used < MOST_SLICES) times[used++] = (double)(later - time) / (double)(end - first);
      time = later;
    }
  } while (time - begin < least);
  qsort(times, (size_t)used, sizeof *times, by_size);
  return times[used / 2];
}

/** A number of a file of /proc/self, behind its label; −1 if it is not there. */
static long long own_figure(const char *path, const char *label) {
  char line[256];
  long long figure = -1;
  FILE *file = fopen(path, "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, label, strlen(label)) == 0) sscanf(line + strlen(label), ": %lld", &figure);
  if (file) fclose(file);
  if (figure < 0) fail(path, label);
  return figure;
}

/** Nanoseconds and pages written. */
static void measure_commit(int batch) {
  static const char *chosen[MOST_BATCH];
  static value values[MOST_BATCH];
  if (batch < 1 || batch > MOST_BATCH || batch > setting_count) fail("commit", "too many");
  for (int item = 0; item < batch; item++) {
    long place = 0;
    bool again = true;
    while (again) {
      place = (long)random_below((uint64_t)setting_count);
      again = false;
      for (int other = 0; other < item; other++) again |= chosen[other] == names[place];
    }
    chosen[item] = names[place];
    fill(&values[item], order[place], ++generations[order[place]]);
  }
  long long page = sysconf(_SC_PAGESIZE), before = own_figure("/proc/self/io", "wchar");
  int64_t begin = now();
  subject_commit(chosen, values, batch);
  int64_t taken = now() - begin;
  printf("%lld %lld ", (long long)taken, (own_figure("/proc/self/io", "wchar") - before + page - 1) / page);
}

static void serve(void) {
  char line[256];
  check_all();
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    long first = 0, second = 0;
    if (sscanf(line, "read %ld", &first) == 1) {
      printf("%.3f", measure_reads(first));
    } else if (sscanf(line, "commit %ld %ld", &first, &second) == 2) {
      for (long number = 0; number < second; number++) measure_commit((int)first);
    } else if (strncmp(line, "check", 5) == 0) {
      check_all();
    } else {
      fail(line, "no such command");
    }
    printf("\n");
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  if (argc < 4 || atol(argv[3]) < 2 * GROUPS) {
    fprintf(stderr, "usage: %s make|first|memory|empty|serve PATH COUNT [schema]\n", argv[0]);
    return 2;
  }
  const char *mode = argv[1], *path = argv[2];
  if (strcmp(mode, "first") == 0) {
    value found;
    char name[NAME_SIZE];
    setting_count = atol(argv[3]);
    long index = setting_count / 2 / KINDS * KINDS + INT;
    setting_name(name, index);
    subject_open(path);
    subject_read(name, INT, &found);
    if (found.integer != index * 1000) fail(name, "another value");
    subject_close();
    return 0;
  }
  prepare(atol(argv[3]));
  if (strcmp(mode, "make") == 0) {
    subject_make(path, argc > 4);
    return 0;
  }
  bool is_empty = strcmp(mode, "empty") == 0;
  if (!is_empty) subject_open(path);
  if (strcmp(mode, "serve") == 0) {
    serve();
  } else {
    volatile uint64_t sum = 0;
    for (int round = 0; round < 2 && !is_empty; round++)
      for (long place = 0; place < setting_count; place++) sum += read_at(place);
    printf("%lld\n", own_figure("/proc/self/smaps_rollup", "Rss"));
  }
  if (!is_empty) subject_close();
  return 0;
}

#endif

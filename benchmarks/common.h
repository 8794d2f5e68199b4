// What the benchmark's programs share: the names and values of the generated settings.
#ifndef COMMON_H
#define COMMON_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The setting that is read: a number in the middle. */
static inline void setting_name(char *name, size_t size, long index) { snprintf(name, size, "group%ld.setting%ld", index / 100, index); }

static inline long middle(long count) { return count / 2 / 6 * 6 + 2; }

/** The default of a setting as JSON; every sixth is of the same type. */
static inline void setting_value(char *value, size_t size, long index) {
  switch (index % 6) {
    case 0: snprintf(value, size, "\"text of setting %ld\"", index); break;
    case 1: snprintf(value, size, index % 4 == 1 ? "true" : "false"); break;
    case 2: snprintf(value, size, "%ld", index * 7); break;
    case 3: snprintf(value, size, "%ld.25", index); break;
    case 4: snprintf(value, size, "\"#%06lX\"", index * 37 % 0x1000000); break;
    default: snprintf(value, size, "\"https://media.example/loop/%ld.mp4\"", index); break;
  }
}

static inline const char *setting_type(long index) {
  static const char *const types[] = {"\"TextField\"", "\"ToggleSwitch\"", "\"Number\", \"Format\": \"integer\"",
                                      "\"Number\", \"Format\": \"number\"", "\"Color\"", "\"URL\""};
  return types[index % 6];
}

#endif

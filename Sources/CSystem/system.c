#define _GNU_SOURCE
#include "csystem.h"

#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <sys/mman.h>

// Clocks

uint64_t lvs_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void lvs_sleep_us(uint64_t microseconds) {
  struct timespec left = {.tv_sec = (time_t)(microseconds / 1000000), .tv_nsec = (long)(microseconds % 1000000) * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

// Memory

bool lvs_can_map(uint64_t size) {
  void *place = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, size);
  return true;
}

// Numbers

static locale_t c_locale(void) {
  static locale_t made;
  locale_t found = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
  if (found) return found;
  locale_t fresh = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t none = (locale_t)0;
  if (!__atomic_compare_exchange_n(&made, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    freelocale(fresh);
    return none;
  }
  return fresh;
}

bool lvs_parse_double(const char *text, size_t length, double *value) {
  char buffer[512];
  if (length == 0 || length >= sizeof buffer) return false;
  bool digit = false;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c >= '0' && c <= '9') digit = true;
    else if (c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E') return false;
  }
  if (!digit) return false;
  memcpy(buffer, text, length);
  buffer[length] = 0;
  char *end = NULL;
  double result = strtod_l(buffer, &end, c_locale());
  if (end != buffer + length || !isfinite(result)) return false;
  *value = result;
  return true;
}

size_t lvs_format_double(double value, char buffer[40]) {
  locale_t before = uselocale(c_locale());
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(buffer, 40, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  uselocale(before);
  if (isfinite(value) && !strpbrk(buffer, ".e")) {
    memcpy(buffer + length, ".0", 3);
    length += 2;
  }
  return (size_t)length;
}

// Regular expressions

struct lvs_regex {
  regex_t compiled;
};

lvs_regex *lvs_regex_make(const char *pattern, char *message, size_t message_size) {
  lvs_regex *regex = calloc(1, sizeof *regex);
  if (!regex) lvs_die("livery: out of memory\n");
  int status = regcomp(&regex->compiled, pattern, REG_EXTENDED | REG_NOSUB);
  if (status == 0) return regex;
  regerror(status, &regex->compiled, message, message_size);
  free(regex);
  return NULL;
}

bool lvs_regex_matches(const lvs_regex *regex, const char *text, size_t length) {
  regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)length};
  return regexec(&regex->compiled, text, 1, &range, REG_STARTEND) == 0;
}

void lvs_regex_free(lvs_regex *regex) {
  regfree(&regex->compiled);
  free(regex);
}

// Commands

static int argument_count;
static char **arguments;

// The GNU loader hands a constructor what it hands main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

int lvs_argument_count(void) { return argument_count; }
const char *lvs_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }

_Noreturn void lvs_die(const char *message) {
  lvs_write_all(2, message, strlen(message));
  abort();
}

#define _GNU_SOURCE
#include "csystem.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
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

uintptr_t lvs_map_start(const void *address) {
  uintptr_t place = (uintptr_t)address, found = 0;
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps) return 0;
  char line[512];
  bool begins = true;
  while (found == 0 && fgets(line, sizeof line, maps)) {
    uintptr_t start, end;
    unsigned long long offset;
    if (begins && sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*3cs %llx", &start, &end, &offset) == 3 && offset == 0
        && start <= place && place < end)
      found = start;
    begins = strchr(line, '\n') != NULL;
  }
  fclose(maps);
  return found;
}

void lvs_forget_pages(uintptr_t start, size_t size) { madvise((void *)start, size, MADV_DONTNEED); }

bool lvs_holds(const void *bytes, size_t count, const void *part, size_t part_count) {
  return memmem(bytes, count, part, part_count) != NULL;
}

void lvs_wipe(void *bytes, size_t count) {
  if (count > 0) explicit_bzero(bytes, count);
}

// The wrapper that this library may have for its own memory is not LMDB's.
extern void *__libc_malloc(size_t size) __attribute__((weak));
extern void __libc_free(void *block) __attribute__((weak));

void lvs_wipe_freed_pages(void) {
  // What is left of a freed page beside such blocks is wiped by smaller ones.
  enum { BLOCKS = 256, SMALLER = 32, LARGEST = 4096, SMALLEST = 128, MOST = BLOCKS + 5 * SMALLER };
  void *blocks[MOST];
  int count = 0;
  for (size_t size = LARGEST; size >= SMALLEST; size /= 2) {
    for (int left = size == LARGEST ? BLOCKS : SMALLER; left > 0 && count < MOST; left--) {
      void *block = __libc_malloc ? __libc_malloc(size) : malloc(size);
      if (!block) break;
      explicit_bzero(block, size);
      blocks[count++] = block;
    }
  }
  while (count-- > 0) __libc_free && __libc_malloc ? __libc_free(blocks[count]) : free(blocks[count]);
}

// Numbers

// A locale that is made once; 0 where the system has none of that name.
static locale_t locale_named(const char *name, locale_t *made) {
  locale_t found = __atomic_load_n(made, __ATOMIC_ACQUIRE);
  if (found) return found;
  locale_t fresh = newlocale(LC_ALL_MASK, name, (locale_t)0);
  locale_t none = (locale_t)0;
  if (fresh && !__atomic_compare_exchange_n(made, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    freelocale(fresh);
    return none;
  }
  return fresh;
}

static locale_t c_locale(void) {
  static locale_t made;
  return locale_named("C", &made);
}

// Patterns mean the same in each process, whatever locale that has set: characters of Unicode, in the order of their numbers.
static locale_t text_locale(void) {
  static locale_t made;
  locale_t found = locale_named("C.UTF-8", &made);
  return found ? found : c_locale();
}

bool lvs_parse_double(const char *text, size_t length, double *value) {
  char buffer[512];
  if (length == 0 || length >= sizeof buffer) return false;
  bool digit = false, is_zero = true, is_power = false;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c == 'e' || c == 'E') is_power = true;
    if (c >= '1' && c <= '9' && !is_power) is_zero = false;
    if (c >= '0' && c <= '9') digit = true;
    else if (c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E') return false;
  }
  if (!digit) return false;
  memcpy(buffer, text, length);
  buffer[length] = 0;
  char *end = NULL;
  double result = strtod_l(buffer, &end, c_locale());
  // What is too small for any number but 0 is lost as what is too large.
  if (end != buffer + length || !isfinite(result) || (result == 0 && !is_zero)) return false;
  *value = result;
  return true;
}

bool lvs_underflows(const char *text, size_t length) {
  // More than a number has that is read.
  char buffer[4096];
  bool is_zero = true;
  for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
    if (text[i] >= '1' && text[i] <= '9') is_zero = false;
  if (is_zero || length >= sizeof buffer) return false;
  memcpy(buffer, text, length);
  buffer[length] = 0;
  return strtod_l(buffer, NULL, c_locale()) == 0;
}

size_t lvs_format_double(double value, char buffer[40]) {
  locale_t before = uselocale(c_locale());
  int length = 0;
  // Any number of 15 digits is its own shortest text, save in the range where doubles have fewer.
  for (int digits = fabs(value) < 2.2250738585072014e-308 ? 1 : 15; digits <= 17; digits++) {
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
  // For bytes, if the pattern is of ASCII: it finds the same in texts of ASCII, and a hundred times as fast. All other characters
  // are one to it, unless it asks of what kind they are.
  regex_t plain;
  bool has_plain, asks_for_kinds;
};

// Classes of characters, and what is made of them; or what looks like it.
static bool asks_for_kinds(const char *pattern) {
  for (const char *at = pattern; *at; at++) {
    if (*at == '[' && (at[1] == ':' || at[1] == '=' || at[1] == '.')) return true;
    if (*at == '\\' && at[1] && strchr("wWsSbB<>", at[1])) return true;
  }
  return false;
}

static __attribute__((noinline)) bool is_ascii(const char *text, size_t length) {
  for (size_t i = 0; i < length; i++)
    if ((unsigned char)text[i] > 127) return false;
  return true;
}

lvs_regex *lvs_regex_make(const char *pattern, char *message, size_t message_size) {
  lvs_regex *regex = calloc(1, sizeof *regex);
  if (!regex) lvs_die("livery: out of memory\n");
  locale_t before = uselocale(text_locale());
  int status = regcomp(&regex->compiled, pattern, REG_EXTENDED | REG_NOSUB);
  if (status != 0) regerror(status, &regex->compiled, message, message_size);
  if (status == 0 && is_ascii(pattern, strlen(pattern))) {
    regex->asks_for_kinds = asks_for_kinds(pattern);
    uselocale(c_locale());
    regex->has_plain = regcomp(&regex->plain, pattern, REG_EXTENDED | REG_NOSUB) == 0;
  }
  uselocale(before);
  if (status == 0) return regex;
  free(regex);
  return NULL;
}

size_t lvs_regex_slow_characters(const lvs_regex *regex, const char *text, size_t length) {
  if (regex->has_plain && (!regex->asks_for_kinds || is_ascii(text, length))) return 0;
  size_t count = 0;
  for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
  // Those of ASCII are much less so.
  return is_ascii(text, length) ? count / 64 + 1 : count;
}

bool lvs_regex_matches(const lvs_regex *regex, const char *text, size_t length) {
  char bytes[4096];
  bool is_plain = regex->has_plain && is_ascii(text, length);
  if (!is_plain && regex->has_plain && !regex->asks_for_kinds && length <= sizeof bytes) {
    // A byte for each character beyond ASCII: there is none of them in the pattern.
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
      unsigned char byte = (unsigned char)text[i];
      if (byte < 0x80) bytes[count++] = text[i];
      else if (byte >= 0xC0) bytes[count++] = (char)0x80;
    }
    text = bytes;
    length = count;
    is_plain = true;
  }
  regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)length};
  locale_t before = uselocale(is_plain ? c_locale() : text_locale());
  bool matches = regexec(is_plain ? &regex->plain : &regex->compiled, text, 1, &range, REG_STARTEND) == 0;
  uselocale(before);
  return matches;
}

void lvs_regex_free(lvs_regex *regex) {
  regfree(&regex->compiled);
  if (regex->has_plain) regfree(&regex->plain);
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

// Where programs of extensions lie, as seen from this one; a folder ends with a slash.
enum { PLACES = 2 };
static bool place_of(int index, char folder[PATH_MAX + 32]) {
  static const char *const places[PLACES] = {"", "../libexec/livery/"};
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  while (length > 0 && self[length - 1] != '/') length--;
  if (length <= 0) return false;
  snprintf(folder, PATH_MAX + 32, "%.*s%s", (int)length, self, places[index]);
  return true;
}

static const char prefix[] = "livery-";

char *lvs_extension_names(size_t *length) {
  char *names = NULL;
  *length = 0;
  FILE *stream = open_memstream(&names, length);
  for (int index = 0; stream && index < PLACES; index++) {
    char folder[PATH_MAX + 32];
    DIR *directory = place_of(index, folder) ? opendir(folder) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
      struct stat facts;
      if (strncmp(entry->d_name, prefix, sizeof prefix - 1) != 0 || fstatat(dirfd(directory), entry->d_name, &facts, 0) != 0) continue;
      if (S_ISREG(facts.st_mode) && faccessat(dirfd(directory), entry->d_name, X_OK, 0) == 0)
        fwrite(entry->d_name + sizeof prefix - 1, strlen(entry->d_name) + 2 - sizeof prefix, 1, stream);
    }
    if (directory) closedir(directory);
  }
  if (stream) fclose(stream);
  return names;
}

// `given` has room for the program at its front, and NULL at its end.
static void become(const char *name, char **given) {
  char folder[PATH_MAX + 32], program[PATH_MAX + 128];
  given[0] = program;
  for (int index = 0; index < PLACES && place_of(index, folder); index++) {
    snprintf(program, sizeof program, "%s%s%s", folder, prefix, name);
    execv(program, given);
  }
  snprintf(program, sizeof program, "%s%s", prefix, name);
  execvp(program, given);
}

void lvs_become(const char *name, int left_out, bool shows_help) {
  char **given = calloc((size_t)argument_count + 2, sizeof *given);
  if (!given) return;
  int count = 1;
  if (shows_help) given[count++] = (char *)(uintptr_t)"--help";
  else
    for (int index = 1; index < argument_count; index++)
      if (index != left_out) given[count++] = arguments[index];
  become(name, given);
  free(given);
}

void lvs_become_with(const char *name, const void *words, size_t length) {
  char **given = calloc(length + 2, sizeof *given);
  if (!given) return;
  int count = 1;
  const char *word = words, *end = word + length;
  for (; word < end; word += strlen(word) + 1) given[count++] = (char *)(uintptr_t)word;
  become(name, given);
  free(given);
}

_Noreturn void lvs_die(const char *message) {
  lvs_write_all(2, message, strlen(message));
  abort();
}

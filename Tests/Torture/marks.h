// Stores that can be told apart by their bytes, wherever these turn up.
#ifndef MARKS_H
#define MARKS_H

#include "rounds.h"

// What tells a whole mark from pieces of several, of which free space may be full.
static uint32_t mark_check(int64_t id, int64_t number) { return (uint32_t)mixed(mixed((uint64_t)id) + (uint64_t)number); }

// What marks a store: its bytes are looked for in all files of all others.
static size_t mark_text(int id, int64_t number, char text[2048]) {
  size_t length = (size_t)snprintf(text, 64, "MARK-%08llx-%04d-%lld-%08x-", (unsigned long long)scene_number, id, (long long)number,
                                   mark_check(id, number));
  size_t whole = length + mixed((uint64_t)number + (uint64_t)id) % (number % 4 ? 60 : 1900);
  for (; length < whole; length++) text[length] = (char)('a' + length % 26);
  return whole;
}

static void scan_entry(const char *path, const char *name, const struct stat *facts, void *context) {
  (void)name;
  char mark[24];
  int length = snprintf(mark, sizeof mark, "MARK-%08llx-", (unsigned long long)scene_number), id = *(const int *)context;
  if (!S_ISREG(facts->st_mode)) return;
  size_t size = 0;
  unsigned char *content = file_content(path, &size), *next = content;
  while ((next = memmem(next, size - (size_t)(next - content), mark, (size_t)length)) != NULL) {
    next += length;
    // A NUL ends the file's content in memory.
    long whose = 0;
    long long number = 0;
    unsigned check = 0;
    if (sscanf((const char *)next, "%4ld-%lld-%8x-", &whose, &number, &check) != 3 || check != mark_check(whose, number)) continue;
    if (whose == id) continue;
    wrong_at("", "%s, of store %d, holds what belongs to %ld: number %lld, at byte %zu of %zu", path, id, whose, number,
             (size_t)(next - content), size);
    break;
  }
  free(content);
}

/** Looks for the marks of other stores in all that lies in a directory. */
static void scan(const char *place, int id) { visit_entries(place, scan_entry, &id); }

#endif

// Stores that can be told apart by their bytes, wherever these turn up.
#ifndef MARKS_H
#define MARKS_H

#include "rounds.h"

// What marks a store: its bytes are looked for in all files of all others.
static size_t mark_text(int id, int64_t number, char text[2048]) {
  size_t length = (size_t)snprintf(text, 64, "MARK-%08llx-%04d-%lld-", (unsigned long long)scene_number, id, (long long)number);
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
    // Pages that are free may hold the beginning of one.
    char *end = NULL;
    long whose = strtol((const char *)next, &end, 10);
    if (end != (const char *)next + 4 || *end != '-' || whose == id) continue;
    wrong_at("", "%s, of store %d, holds what belongs to %ld", path, id, whose);
    break;
  }
  free(content);
}

/** Looks for the marks of other stores in all that lies in a directory. */
static void scan(const char *place, int id) { visit_entries(place, scan_entry, &id); }

#endif

#define _GNU_SOURCE
#include "csync.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAGIC = 0x4c565933 };

// Written by one process at a time, and read by others without a lock: the sum tells a note that is half written.
typedef struct page {
  uint64_t magic;
  lvy_note note;
  uint64_t sum;
} page;

int64_t lvy_uptime(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t sum_of(const page *page) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (size_t index = 0; index < offsetof(struct page, sum); index++) sum = (sum ^ ((const uint8_t *)page)[index]) * 0x100000001b3u;
  return sum;
}

bool lvy_note_write(int descriptor, const lvy_note *note) {
  page written;
  memset(&written, 0, sizeof written);
  written.magic = MAGIC;
  written.note = *note;
  written.sum = sum_of(&written);
  return pwrite(descriptor, &written, sizeof written, 0) == (ssize_t)sizeof written;
}

bool lvy_note_is_same(const lvy_note *one, const lvy_note *other) { return memcmp(one, other, sizeof *one) == 0; }

// The first byte is locked by whoever takes part.
static bool is_held(int descriptor) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
  return fcntl(descriptor, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

bool lvy_note_read(const char *folder, lvy_note *note) {
  int directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return false;
  int descriptor = openat(directory, "sync.lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  close(directory);
  if (descriptor < 0) return false;
  bool is_whole = false;
  page found;
  for (int attempt = 0; attempt < 5 && !is_whole; attempt++)
    is_whole = pread(descriptor, &found, sizeof found, 0) == (ssize_t)sizeof found && found.magic == MAGIC && found.sum == sum_of(&found);
  if (is_whole) {
    *note = found.note;
    note->reason[sizeof note->reason - 1] = note->message[sizeof note->message - 1] = note->scope[sizeof note->scope - 1] = 0;
    note->hints_problem[sizeof note->hints_problem - 1] = 0;
    if (!is_held(descriptor)) note->process = 0;
  }
  close(descriptor);
  return is_whole;
}

bool lvy_note_is_barred(const char *folder) {
  int directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return false;
  int descriptor = openat(directory, "sync.lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  // Whoever may not write the store either does not take part anyway.
  bool is_barred = descriptor < 0 && errno != ENOENT && faccessat(directory, "data.mdb", R_OK | W_OK, AT_EACCESS) == 0;
  if (descriptor >= 0) close(descriptor);
  close(directory);
  return is_barred;
}

void lvy_copy(char *place, const char *text, uint32_t size) {
  size_t length = strnlen(text, size - 1);
  memcpy(place, text, length);
  memset(place + length, 0, size - length);
}

bool lvy_absolute(const char *path, char *place, uint32_t size) {
  // Links stay: what they lead to is exchanged for newer certificates.
  char *folder = path[0] == '/' ? strdup("") : getcwd(NULL, 0), *whole = NULL;
  bool fits = folder && asprintf(&whole, path[0] == '/' ? "%s%s" : "%s/%s", folder, path) >= 0;
  fits = fits && strlen(whole) < size;
  if (fits) lvy_copy(place, whole, size);
  free(folder);
  free(whole);
  return fits;
}

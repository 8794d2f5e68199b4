// A file that is read whole.
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *command_read_file(const char *path, size_t most, size_t *length) {
  bool is_standard = strcmp(path, "-") == 0;
  FILE *file = is_standard ? stdin : fopen(path, "rb");
  if (!file) return NULL;
  // What is secret is to lie nowhere else.
  setvbuf(file, NULL, _IONBF, 0);
  char *bytes = NULL;
  size_t size = 0, used = 0;
  int problem = 0;
  while (problem == 0 && used == size) {
    size_t wanted = size ? 2 * size : 1 << 16;
    char *larger = malloc(wanted + 1);
    if (!larger) {
      problem = ENOMEM;
      break;
    }
    if (used) memcpy(larger, bytes, used);
    if (bytes) explicit_bzero(bytes, size);
    free(bytes);
    bytes = larger;
    size = wanted;
    errno = 0;
    used += fread(bytes + used, 1, size - used, file);
    if (ferror(file)) problem = errno ? errno : EIO;
    else if (used > most) problem = EFBIG;
  }
  if (!is_standard) fclose(file);
  if (problem) {
    if (bytes) explicit_bzero(bytes, size);
    free(bytes);
    errno = problem;
    return NULL;
  }
  bytes[used] = 0;
  *length = used;
  return bytes;
}

#define _GNU_SOURCE
#include <csimulator.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int64_t lvm_processor(void) {
  struct timespec used;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
  return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

uint8_t *lvm_read(const char *path, size_t *count) {
  FILE *file = fopen(path, "rbe");
  if (!file) return NULL;
  uint8_t *bytes = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    const long size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) bytes = malloc((size_t)size + 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
      free(bytes);
      bytes = NULL;
    }
    *count = (size_t)size;
  }
  fclose(file);
  return bytes;
}

void lvm_free(uint8_t *bytes) { free(bytes); }

// Looks for secrets in the memory of this process.
#ifndef SEARCHED_H
#define SEARCHED_H

#include "check.h"

#include <sys/mman.h>

// How often a secret is in what this process may write to. It is told with each byte changed, so that the search is not found.
__attribute__((unused)) static int found_in_memory(const unsigned char *changed, size_t length) {
  FILE *maps = fopen("/proc/self/maps", "r");
  int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC), count = 0;
  char line[512];
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long start, end;
    char mode[8];
    if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) != 3 || mode[0] != 'r' || mode[1] != 'w' || end - start > 256ul << 20) continue;
    unsigned char *copy = mmap(NULL, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ssize_t got = pread(memory, copy, end - start, (off_t)start);
    for (ssize_t place = 0; place + (ssize_t)length <= got; place++) {
      size_t same = 0;
      while (same < length && copy[(size_t)place + same] == (changed[same] ^ 0x55)) same++;
      if (same < length) continue;
      count++;
    }
    munmap(copy, end - start);
  }
  if (maps) fclose(maps);
  close(memory);
  return count;
}

#endif

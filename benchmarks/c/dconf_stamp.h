// What gsettings_notify.c shares with its watcher, and with the service of dconf.
#ifndef DCONF_STAMP_H
#define DCONF_STAMP_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct board {
  int64_t renamed_at, seen_at, seen;
} board;

static inline board *board_at(const char *path) {
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0 || ftruncate(file, sizeof(board)) != 0) return NULL;
  void *place = mmap(NULL, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return place == MAP_FAILED ? NULL : (board *)place;
}

#endif

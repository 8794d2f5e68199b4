// What a system or another process refuses: room for what is written, and the locks of a writer.
#ifndef REFUSED_H
#define REFUSED_H

#include "check.h"

// A limit on the size of files stands for a full disk where no disk can be filled: the next write fails. Checks lift it.
__attribute__((unused)) static void limit_files(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_FSIZE, &limit);
}

__attribute__((unused)) static void lift_limits(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static pid_t holder;
static int holder_pipe[2];

// A child that holds the store's locks, as a writer or opener that is stuck would.
__attribute__((unused)) static bool hold(const char *path) {
  char file[400];
  int ready[2];
  snprintf(file, sizeof file, "%s/livery.lock", path);
  if (pipe(ready) != 0 || pipe(holder_pipe) != 0) return false;
  fflush(NULL);
  holder = fork();
  if (holder == 0) {
    int descriptor = open(file, O_RDWR | O_CREAT, 0600);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 2};
    char byte = fcntl(descriptor, F_SETLKW, &lock) == 0;
    close(holder_pipe[1]);
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    // Until the parent closes its end.
    if (read(holder_pipe[0], &byte, 1) != 0) _exit(1);
    _exit(0);
  }
  close(holder_pipe[0]);
  char byte = 0;
  bool held = read(ready[0], &byte, 1) == 1 && byte;
  close(ready[0]);
  close(ready[1]);
  EXPECT(held);
  return held;
}

__attribute__((unused)) static void let_go(void) {
  close(holder_pipe[1]);
  waitpid(holder, NULL, 0);
}

#endif

// When the system has got a network: what a process has opened for that is its own.
#include "check.h"

#include <csync.h>

static void hear(void) {}

// How many of these are what they were opened as.
static int count_good(const int *files, int count) {
  int good = 0;
  struct stat facts;
  for (int index = 0; index < count; index++) good += fstat(files[index], &facts) == 0 && S_ISCHR(facts.st_mode);
  return good;
}

TEST("a forked child has no descriptor of its parent's, and closes none of its own", forked) {
  enum { FILES = 30 };
  lvy_network_watch(hear);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    // Whatever number it had, it is one of these.
    int files[FILES];
    for (int file = 3; file < 3 + FILES; file++) close(file);
    for (int index = 0; index < FILES; index++) files[index] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    lvy_network_watch(hear);
    _exit(count_good(files, FILES) == FILES ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_INT(0, status);
}

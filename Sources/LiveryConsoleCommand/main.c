// `livery console`: the console of a fleet. All of it is Swift.
#include <cconsole.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words) {
  int status = livery_console_main(count, (const char *const *)words);
  fflush(NULL);
  // Not exit: a thread may still be reaching a broker by what libraries take down at the end of a process.
  _exit(status);
}

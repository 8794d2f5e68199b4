// Runs commands in turn, round after round, and prints for each run its wall time, from before the spawn until it is
// waited for, and its peak memory: "COMMAND NANOSECONDS KIB". Commands are read from standard input, one a line.
//
//     spawn ROUNDS < commands
//
// One core is kept awake by a process of the lowest priority: on an idle machine a wake-up may wait for a timer tick.
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_COMMANDS = 64, MOST_WORDS = 8, WARM_UPS = 2 };
extern char **environ;

static pid_t spin(void) {
  pid_t spinner = fork();
  if (spinner == 0) {
    struct sched_param parameters = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sched_setscheduler(0, SCHED_IDLE, &parameters);
    for (;;) {}
  }
  return spinner;
}

static int run(char **words, long long *nanoseconds, long *kib) {
  struct timespec begin, end;
  struct rusage usage;
  pid_t child;
  int status = 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (posix_spawn(&child, words[0], NULL, NULL, words, environ) != 0) return -1;
  if (wait4(child, &status, 0, &usage) != child) return -1;
  clock_gettime(CLOCK_MONOTONIC, &end);
  *nanoseconds = (end.tv_sec - begin.tv_sec) * 1000000000LL + (end.tv_nsec - begin.tv_nsec);
  *kib = usage.ru_maxrss;
  return status;
}

int main(int argc, char **argv) {
  static char lines[MOST_COMMANDS][1024];
  char *words[MOST_COMMANDS][MOST_WORDS + 1];
  int count = 0, rounds = argc > 1 ? atoi(argv[1]) : 15;
  while (count < MOST_COMMANDS && fgets(lines[count], sizeof lines[count], stdin)) {
    int word = 0;
    for (char *next = strtok(lines[count], " \n"); next && word < MOST_WORDS; next = strtok(NULL, " \n"))
      words[count][word++] = next;
    words[count][word] = NULL;
    if (word) count++;
  }
  pid_t spinner = spin();
  int result = 0;
  for (int round = -WARM_UPS; round < rounds && result == 0; round++) {
    for (int index = 0; index < count; index++) {
      long long nanoseconds = 0;
      long kib = 0;
      if (run(words[index], &nanoseconds, &kib) != 0) {
        fprintf(stderr, "spawn: %s failed\n", words[index][0]);
        result = 1;
        break;
      }
      if (round >= 0) printf("%d %lld %ld\n", index, nanoseconds, kib);
    }
  }
  kill(spinner, SIGKILL);
  waitpid(spinner, NULL, 0);
  return result;
}

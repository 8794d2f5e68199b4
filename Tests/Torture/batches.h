// Rounds in batches: each round has a seed of its own, a batch of them runs in a process, and a process that crashes or does
// not get on is a finding, after which another one goes on with the next round.
#ifndef BATCHES_H
#define BATCHES_H

#include "torture.h"

static const char *rounds_name;
static uint64_t rounds_seed;
static double rounds_began;
static struct rounds {
  // The round under way, the first one of its process, and when the process last got on.
  _Atomic uint64_t round, first, beat_ns;
  // For how long it may not get on.
  _Atomic uint64_t limit_ms;
  _Atomic uint64_t done, crashes, hangs;
  // What it is doing.
  char doing[200];
} *rounds;

UNUSED static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((format(printf, 1, 2))) UNUSED static void doing(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(rounds->doing, sizeof rounds->doing, format, list);
  va_end(list);
  rounds->beat_ns = now_ns();
}

__attribute__((format(printf, 1, 2))) UNUSED static void wrong(const char *format, ...) {
  char text[800];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  uint64_t first = rounds->first, round = rounds->round;
  finding("%s: round %llu: %s: %s (%s)\n  again: scripts/torture again %s --seed %#llx --from %llu --rounds %llu%s", rounds_name,
          (unsigned long long)round, rounds->doing, text, livery_last_error()->message, rounds_name,
          (unsigned long long)rounds_seed, (unsigned long long)first, (unsigned long long)(round - first + 1),
          option_given("--broken") ? " --broken" : "");
}

/** Whether a status is OK or one of some, which end with 0; it is a finding if not. */
UNUSED static bool is_fit(const char *what, livery_status status, const livery_status *accepted) {
  if (status == LIVERY_OK) return true;
  for (; accepted && *accepted; accepted++)
    if (*accepted == status) return true;
  wrong("%s: %s", what, livery_status_name(status));
  return false;
}

/** How much longer than it was at work the calling thread has been ready to run, in nanoseconds: others kept the processor. */
UNUSED static uint64_t kept_waiting_ns(void) {
  char text[96] = "";
  int file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t got = read(file, text, sizeof text - 1);
  close(file);
  unsigned long long ran = 0, waited = 0;
  return got > 0 && sscanf(text, "%llu %llu", &ran, &waited) == 2 ? waited : 0;
}

/** Runs as many rounds as are asked for, so many in each process. */
UNUSED static void run_rounds(void (*body)(void), uint64_t each) {
  uint64_t next = option_number("--from", 0), last = next + option_number("--rounds", 1000);
  rounds_began = seconds_now();
  while (next < last && rounds->crashes + rounds->hangs < 40) {
    uint64_t end = next + each < last ? next + each : last;
    rounds->first = rounds->round = next;
    rounds->beat_ns = now_ns();
    pid_t child = fork();
    if (child < 0) give_up("no process");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      setpgid(0, 0);
      for (uint64_t round = next; round < end; round++) {
        rounds->round = round;
        seed_with(mixed(rounds_seed) + round * 0x9e3779b97f4a7c15u);
        doing("starting");
        body();
        rounds->done++;
      }
      _exit(0);
    }
    setpgid(child, child);
    int status = 0;
    bool hangs = false;
    for (uint64_t pause = 100; waitpid(child, &status, WNOHANG) == 0; sleep_us(pause)) {
      if (pause < 2000) pause *= 2;
      uint64_t beat = rounds->beat_ns, now = now_ns();
      if (now > beat && (now - beat) / 1000000 > rounds->limit_ms) {
        hangs = true;
        rounds->hangs++;
        wrong("it hangs");
        kill(-child, SIGKILL);
        waitpid(child, &status, 0);
        break;
      }
    }
    // What it has started.
    kill(-child, SIGKILL);
    if (status != 0 && !hangs) {
      rounds->crashes++;
      wrong("%s", ending(status));
    }
    next = status != 0 ? rounds->round + 1 : end;
  }
}

/** Runs what must not be done in this process; a signal is a finding. How it ended, as of waitpid. */
UNUSED static int in_process(void (*work)(void)) {
  int status = run_child(work);
  if (status != 0) {
    rounds->crashes += WIFSIGNALED(status);
    wrong("a process %s", ending(status));
  }
  return status;
}

/** Begins a harness. A round that does not get on for so long hangs. */
UNUSED static void begin_rounds(const char *name, int argc, char **argv, uint64_t limit_ms) {
  begin_torture(name, argc, argv);
  rounds_name = name;
  rounds_seed = option_number("--seed", fresh_seed());
  rounds = shared_memory(sizeof *rounds);
  rounds->limit_ms = limit_ms;
}

/** Prints the line of figures. What main returns. */
UNUSED static int end_rounds(void) {
  printf("%s: rounds=%" PRIu64 " %scrashes=%" PRIu64 " hangs=%" PRIu64 " errors=%" PRIu64 " seconds=%.1f seed=%" PRIu64 "\n",
         rounds_name, rounds->done, torture_figures, rounds->crashes, rounds->hangs, findings(), seconds_now() - rounds_began,
         rounds_seed);
  return findings() ? 1 : 0;
}

/** The same where this system does not allow any round. */
UNUSED static int skip_rounds(void) {
  printf("%s: rounds=0 errors=0 skipped=1\n", rounds_name);
  return 0;
}

#endif

// Runs a process with all its threads from system call to system call, and holds it still at one of them.
#ifndef TRACER_H
#define TRACER_H

#include "torture.h"

#include <sys/ptrace.h>

enum { TRACED_MOST = 64 };

typedef struct traced {
  pid_t process;
  pid_t threads[TRACED_MOST];
  // What stands, and the signal that it gets when it goes on.
  bool stands[TRACED_MOST];
  int signals[TRACED_MOST];
  int count, status;
  bool is_over;
} traced;

/** Whether a process that has stopped itself with SIGSTOP can be traced from now on. Children wait for SIGCHLD in vain unless
    they lift its block. */
UNUSED static bool trace(traced *self, pid_t process) {
  sigset_t set;
  int status = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, NULL);
  *self = (traced){.process = process, .threads = {process}, .count = 1};
  if (waitpid(process, &status, WUNTRACED) != process || !WIFSTOPPED(status)) {
    self->status = status;
    self->is_over = true;
    return false;
  }
  if (ptrace(PTRACE_SEIZE, process, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)) != 0)
    give_up("a process cannot be traced");
  kill(process, SIGCONT);
  return true;
}

UNUSED static int traced_thread(traced *self, pid_t thread) {
  for (int index = 0; index < self->count; index++)
    if (self->threads[index] == thread) return index;
  if (self->count == TRACED_MOST) give_up("too many threads");
  self->threads[self->count] = thread;
  self->stands[self->count] = false;
  self->signals[self->count] = 0;
  return self->count++;
}

// Takes note of what a wait has told; whether it was a system call.
static bool take_note(traced *self, pid_t thread, int status) {
  int index = traced_thread(self, thread);
  if (!WIFSTOPPED(status)) {
    if (thread == self->process) {
      self->is_over = true;
      self->status = status;
    }
    self->threads[index] = self->threads[--self->count];
    self->stands[index] = self->stands[self->count];
    self->signals[index] = self->signals[self->count];
    return false;
  }
  bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80), is_event = status >> 16 != 0;
  self->stands[index] = true;
  self->signals[index] = is_call || is_event ? 0 : WSTOPSIG(status);
  return is_call;
}

static void go_on(traced *self, int index) {
  self->stands[index] = false;
  // It may have died meanwhile: the next wait tells.
  ptrace(PTRACE_SYSCALL, self->threads[index], NULL, (void *)(intptr_t)self->signals[index]);
}

// A thread that was made shows itself by its parent.
static void take_made(traced *self, pid_t parent, int status) {
  unsigned long made = 0;
  if (WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_CLONE && ptrace(PTRACE_GETEVENTMSG, parent, NULL, &made) == 0)
    traced_thread(self, (pid_t)made);
}

/** Lets it go on for so many stops at system calls, entries and returns, and stops it there with all its threads; false if it
    ended before, or hung. */
UNUSED static bool run_to(traced *self, uint64_t stops, double seconds) {
  double limit = seconds_now() + seconds;
  struct timespec pause = {0, 5000000};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  for (int index = 0; index < self->count; index++)
    if (self->stands[index]) go_on(self, index);
  while (!self->is_over) {
    bool found = false;
    for (int index = 0; index < self->count && !self->is_over; index++) {
      int status = 0;
      pid_t thread = waitpid(self->threads[index], &status, WNOHANG | __WALL);
      if (thread <= 0) continue;
      found = true;
      take_made(self, thread, status);
      if (take_note(self, thread, status) && --stops == 0) {
        // The others too.
        for (int other = 0; other < self->count; other++) {
          if (self->stands[other]) continue;
          pid_t one = self->threads[other];
          if (ptrace(PTRACE_INTERRUPT, one, NULL, NULL) != 0) continue;
          if (waitpid(one, &status, __WALL) != one) continue;
          take_made(self, one, status);
          take_note(self, one, status);
          if (!WIFSTOPPED(status)) other--;
        }
        return !self->is_over;
      }
      int now = traced_thread(self, thread);
      if (!self->is_over && self->threads[now] == thread && self->stands[now]) go_on(self, now);
    }
    if (found) continue;
    if (seconds_now() > limit) return false;
    sigtimedwait(&set, NULL, &pause);
  }
  return false;
}

static void wait_for_end(pid_t thread, int *status) {
  while (waitpid(thread, status, __WALL) == thread && WIFSTOPPED(*status)) {}
}

/** Lets it go. */
UNUSED static void end_trace(traced *self) {
  int status = 0;
  if (self->is_over) return;
  kill(self->process, SIGKILL);
  // Of the process it is told once its other threads are gone, of which it is told as well.
  for (int index = 0; index < self->count; index++)
    if (self->threads[index] != self->process) wait_for_end(self->threads[index], &status);
  wait_for_end(self->process, &self->status);
  self->is_over = true;
}

#endif

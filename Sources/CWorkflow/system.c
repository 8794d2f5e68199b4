#define _GNU_SOURCE
#include "cworkflow.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Of memory.c, through which an extension of the device build allocates.
extern __attribute__((weak)) void lvs_memory_wipe(void);

static int64_t microseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t lvw_now_us(void) { return microseconds(CLOCK_MONOTONIC); }
int64_t lvw_time_us(void) { return microseconds(CLOCK_REALTIME); }

void lvw_wipe(void *bytes, size_t count) {
  if (count > 0) explicit_bzero(bytes, count);
}

void lvw_memory_wipe(void) {
  if (lvs_memory_wipe) lvs_memory_wipe();
}

bool lvw_memory_can_have(size_t count) {
  void *bytes = malloc(count);
  free(bytes);
  return bytes != NULL;
}

void lvw_free(void *bytes) { free(bytes); }

uint64_t lvw_thread(void) { return (uint64_t)(uintptr_t)pthread_self(); }

bool lvw_thread_start(void *(*function)(void *), void *argument) {
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t thread;
  bool has_started = pthread_create(&thread, NULL, function, argument) == 0;
  if (has_started) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return has_started;
}

struct lvw_gate {
  pthread_mutex_t lock;
  pthread_cond_t opened;
  bool is_open;
  int users;
};

lvw_gate *lvw_gate_make(void) {
  lvw_gate *gate = calloc(1, sizeof *gate);
  if (!gate) abort();
  pthread_mutex_init(&gate->lock, NULL);
  pthread_cond_init(&gate->opened, NULL);
  gate->users = 2;
  return gate;
}

// With the lock held, which it gives back.
static void leave(lvw_gate *gate) {
  bool is_last = --gate->users == 0;
  pthread_mutex_unlock(&gate->lock);
  if (!is_last) return;
  pthread_cond_destroy(&gate->opened);
  pthread_mutex_destroy(&gate->lock);
  free(gate);
}

void lvw_gate_open(lvw_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  gate->is_open = true;
  pthread_cond_signal(&gate->opened);
  leave(gate);
}

void lvw_gate_wait(lvw_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  while (!gate->is_open) pthread_cond_wait(&gate->opened, &gate->lock);
  leave(gate);
}

// Who waits for another thread to end its calls. A thread of these is waited for by nobody, so that there is no circle.
typedef struct waiting {
  struct waiting *next;
  uint64_t thread;
} waiting;

static pthread_once_t calls_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t calls_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t calls_changed = PTHREAD_COND_INITIALIZER;
static waiting *all_waiting;

static void forget_calls(void) {
  pthread_mutex_init(&calls_lock, NULL);
  pthread_cond_init(&calls_changed, NULL);
  all_waiting = NULL;
}

static void watch_forks_of_calls(void) { pthread_atfork(NULL, NULL, forget_calls); }

static bool is_waiting(uint64_t thread) {
  for (const waiting *each = all_waiting; each; each = each->next)
    if (each->thread == thread) return true;
  return false;
}

void lvw_calls_wait(uint64_t (*caller)(void *context), void *context) {
  pthread_once(&calls_once, watch_forks_of_calls);
  waiting self = {NULL, lvw_thread()};
  pthread_mutex_lock(&calls_lock);
  self.next = all_waiting;
  all_waiting = &self;
  pthread_cond_broadcast(&calls_changed);
  for (uint64_t thread; (thread = caller(context)) != 0 && !is_waiting(thread);) pthread_cond_wait(&calls_changed, &calls_lock);
  waiting **place = &all_waiting;
  while (*place != &self) place = &(*place)->next;
  *place = self.next;
  pthread_mutex_unlock(&calls_lock);
}

void lvw_calls_end(void) {
  pthread_mutex_lock(&calls_lock);
  pthread_cond_broadcast(&calls_changed);
  pthread_mutex_unlock(&calls_lock);
}

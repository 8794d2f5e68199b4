#define _GNU_SOURCE
#include "cclient.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

typedef struct work {
  struct work *next;
  int64_t due;
  lvc_work function;
  void *context;
} work;

struct lvc_queue {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  // In the order in which they are due; of the same moment in the order in which they came.
  work *first, *last;
  bool has_ended;
  const char *name;
  // The thread and the owner.
  int users;
  // What is waited for, by its kind.
  int counts[2];
};

// Whom this thread is calling, the innermost first: it cannot wait for itself.
static _Thread_local lvc_telling *telling_here;

int64_t lvc_now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

uint64_t lvc_random(void) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) number = (uint64_t)lvc_now_us() * 0x9E3779B97F4A7C15u;
  return number;
}

// With the lock held, which it gives back.
static void leave(lvc_queue *queue) {
  bool is_last = --queue->users == 0;
  pthread_mutex_unlock(&queue->lock);
  if (!is_last) return;
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->lock);
  free(queue);
}

static void *run(void *argument) {
  lvc_queue *queue = argument;
  pthread_setname_np(pthread_self(), queue->name);
  pthread_mutex_lock(&queue->lock);
  for (;;) {
    work *next = queue->first;
    if (!next) {
      if (queue->has_ended) break;
      pthread_cond_wait(&queue->changed, &queue->lock);
      continue;
    }
    if (!queue->has_ended && next->due > lvc_now_us()) {
      struct timespec until = {.tv_sec = next->due / 1000000, .tv_nsec = next->due % 1000000 * 1000};
      pthread_cond_timedwait(&queue->changed, &queue->lock, &until);
      continue;
    }
    queue->first = next->next;
    bool has_ended = queue->has_ended;
    pthread_mutex_unlock(&queue->lock);
    next->function(next->context, has_ended);
    free(next);
    pthread_mutex_lock(&queue->lock);
  }
  leave(queue);
  return NULL;
}

// Signals are for the threads of the program.
bool lvc_thread_start(void *(*function)(void *), void *argument) {
  sigset_t all, former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  pthread_t thread;
  bool has_started = pthread_create(&thread, NULL, function, argument) == 0;
  if (has_started) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return has_started;
}

lvc_queue *lvc_queue_make(const char *name) {
  lvc_queue *queue = calloc(1, sizeof *queue);
  if (!queue) return NULL;
  queue->name = name;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&queue->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&queue->lock, NULL);
  queue->users = 2;
  if (lvc_thread_start(run, queue)) return queue;
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->lock);
  free(queue);
  return NULL;
}

bool lvc_queue_add(lvc_queue *queue, int64_t delay_us, lvc_work function, void *context) {
  work *added = malloc(sizeof *added);
  if (!added) return false;
  *added = (work){.due = delay_us > 0 ? lvc_now_us() + delay_us : 0, .function = function, .context = context};
  pthread_mutex_lock(&queue->lock);
  bool has_ended = queue->has_ended;
  if (!has_ended) {
    // Most is due last: of many that wait as long each.
    work **place = queue->first && queue->last->due <= added->due ? &queue->last->next : &queue->first;
    while (*place && (*place)->due <= added->due) place = &(*place)->next;
    added->next = *place;
    *place = added;
    if (!added->next) queue->last = added;
    pthread_cond_signal(&queue->changed);
  }
  pthread_mutex_unlock(&queue->lock);
  if (has_ended) free(added);
  return !has_ended;
}

void lvc_queue_count(lvc_queue *queue, lvc_kind kind, int change) {
  pthread_mutex_lock(&queue->lock);
  queue->counts[kind] += change;
  pthread_cond_broadcast(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

void lvc_telling_begin(lvc_telling *telling, lvc_queue *queue, lvc_kind kind) {
  *telling = (lvc_telling){queue, kind, telling_here};
  telling_here = telling;
}

void lvc_telling_end(lvc_telling *telling) { telling_here = telling->outer; }

void lvc_queue_wait(lvc_queue *queue, lvc_kind kind) {
  // Nobody waits for those whom this thread is calling: who calls them may be waited for here, in a circle.
  for (lvc_telling *telling = telling_here; telling; telling = telling->outer) lvc_queue_count(telling->queue, telling->kind, -1);
  pthread_mutex_lock(&queue->lock);
  while (queue->counts[kind] > 0) pthread_cond_wait(&queue->changed, &queue->lock);
  pthread_mutex_unlock(&queue->lock);
  for (lvc_telling *telling = telling_here; telling; telling = telling->outer) lvc_queue_count(telling->queue, telling->kind, 1);
}

void lvc_queue_end(lvc_queue *queue) {
  pthread_mutex_lock(&queue->lock);
  queue->has_ended = true;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->lock);
}

void lvc_queue_free(lvc_queue *queue) {
  pthread_mutex_lock(&queue->lock);
  queue->has_ended = true;
  pthread_cond_signal(&queue->changed);
  leave(queue);
}

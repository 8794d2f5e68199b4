#define _GNU_SOURCE
#include "cclient.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Of memory.c, through which an extension of the device build allocates.
#define OPTIONAL __attribute__((weak))
extern OPTIONAL uint32_t lvs_memory_state;
extern OPTIONAL bool lvs_memory_look(void);
extern OPTIONAL void lvs_memory_before_fork(void);
extern OPTIONAL void lvs_memory_after_fork(void);

bool lvc_memory_is_short(void) {
  if (!lvs_memory_look) return false;
  return __atomic_load_n(&lvs_memory_state, __ATOMIC_RELAXED) != 0 && lvs_memory_look();
}

struct lvc_mutex {
  pthread_mutex_t lock;
  lvc_mutex *next_global;
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t globals_lock = PTHREAD_MUTEX_INITIALIZER;
static lvc_mutex *globals;

static void before_fork(void) {
  pthread_mutex_lock(&globals_lock);
  for (lvc_mutex *m = globals; m; m = m->next_global) pthread_mutex_lock(&m->lock);
  if (lvs_memory_before_fork) lvs_memory_before_fork();
}

static void after_fork(void) {
  if (lvs_memory_after_fork) lvs_memory_after_fork();
  for (lvc_mutex *m = globals; m; m = m->next_global) pthread_mutex_unlock(&m->lock);
  pthread_mutex_unlock(&globals_lock);
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

lvc_mutex *lvc_mutex_make(void) {
  lvc_mutex *mutex = calloc(1, sizeof *mutex);
  if (!mutex) {
    static const char message[] = "livery: out of memory\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)written;
    abort();
  }
  pthread_mutex_init(&mutex->lock, NULL);
  return mutex;
}

lvc_mutex *lvc_mutex_make_global(void) {
  pthread_once(&once, watch_forks);
  lvc_mutex *mutex = lvc_mutex_make();
  pthread_mutex_lock(&globals_lock);
  mutex->next_global = globals;
  globals = mutex;
  pthread_mutex_unlock(&globals_lock);
  return mutex;
}

void lvc_mutex_free(lvc_mutex *mutex) {
  pthread_mutex_destroy(&mutex->lock);
  free(mutex);
}

void lvc_mutex_lock(lvc_mutex *mutex) { pthread_mutex_lock(&mutex->lock); }
void lvc_mutex_unlock(lvc_mutex *mutex) { pthread_mutex_unlock(&mutex->lock); }

int64_t lvc_process(void) { return getpid(); }

int64_t lvc_realtime_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

size_t lvc_length(const char *text, size_t limit) { return strnlen(text, limit); }

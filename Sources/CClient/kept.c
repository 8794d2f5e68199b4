#define _GNU_SOURCE
#include "cclient.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct kept {
  struct kept *next;
  int descriptor;
} kept;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Guarded by `lock`: all that are open, and the place of the one that is just being opened.
static kept *all, *coming;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
  for (kept *each = all; each; each = each->next) close(each->descriptor);
  all = NULL;
  pthread_mutex_unlock(&lock);
}
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

bool lvc_keep_begin(void) {
  pthread_once(&once, watch_forks);
  kept *entry = malloc(sizeof *entry);
  if (!entry) {
    errno = ENOMEM;
    return false;
  }
  pthread_mutex_lock(&lock);
  coming = entry;
  return true;
}

int lvc_keep_end(int descriptor) {
  int error = errno;
  kept *entry = coming;
  coming = NULL;
  if (descriptor >= 0) {
    entry->descriptor = descriptor;
    entry->next = all;
    all = entry;
    entry = NULL;
  }
  pthread_mutex_unlock(&lock);
  free(entry);
  errno = error;
  return descriptor;
}

static void end(int descriptor, bool closes) {
  pthread_mutex_lock(&lock);
  for (kept **place = &all; *place; place = &(*place)->next) {
    kept *entry = *place;
    if (entry->descriptor != descriptor) continue;
    *place = entry->next;
    free(entry);
    if (closes) close(descriptor);
    break;
  }
  pthread_mutex_unlock(&lock);
}

void lvc_kept_forget(int descriptor) { end(descriptor, false); }
void lvc_kept_close(int descriptor) { end(descriptor, true); }

bool lvc_kept_lock(int descriptor) {
  pthread_mutex_lock(&lock);
  for (const kept *each = all; each; each = each->next)
    if (each->descriptor == descriptor) return true;
  return false;
}

void lvc_kept_unlock(void) { pthread_mutex_unlock(&lock); }

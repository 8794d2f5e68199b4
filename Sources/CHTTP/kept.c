#define _GNU_SOURCE
#include "kept.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct kept {
  struct kept *next;
  int descriptor;
} kept;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static kept *all;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
  for (kept *each = all; each; each = each->next) close(each->descriptor);
  all = NULL;
  pthread_mutex_unlock(&lock);
}
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

// With the lock held.
static void add(kept *entry, int descriptor) {
  entry->descriptor = descriptor;
  entry->next = all;
  all = entry;
}

int lvh_socket_open(int family) {
  pthread_once(&once, watch_forks);
  kept *entry = malloc(sizeof *entry);
  if (!entry) {
    errno = ENOMEM;
    return -1;
  }
  pthread_mutex_lock(&lock);
  int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor >= 0) add(entry, descriptor);
  pthread_mutex_unlock(&lock);
  if (descriptor < 0) free(entry);
  return descriptor;
}

void lvh_keep(int descriptor) {
  kept *entry = malloc(sizeof *entry);
  if (!entry) return;
  pthread_mutex_lock(&lock);
  add(entry, descriptor);
  pthread_mutex_unlock(&lock);
}

void lvh_forget(int descriptor) {
  pthread_mutex_lock(&lock);
  for (kept **place = &all; *place; place = &(*place)->next) {
    kept *entry = *place;
    if (entry->descriptor != descriptor) continue;
    *place = entry->next;
    free(entry);
    break;
  }
  pthread_mutex_unlock(&lock);
}

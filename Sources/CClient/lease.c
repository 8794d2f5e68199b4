#define _GNU_SOURCE
#include "cclient.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// A lock of the open file, which the kernel takes back with its last descriptor. A forked child would hold on to it: it closes
// all of them.
typedef struct lease_file {
  struct lease_file *next;
  int descriptor;
} lease_file;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static lease_file *files;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
  for (lease_file *file = files; file; file = file->next) close(file->descriptor);
  files = NULL;
  pthread_mutex_unlock(&lock);
}

static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

int lvc_lease_open(const char *folder, const char *name) {
  pthread_once(&once, watch_forks);
  lease_file *file = malloc(sizeof *file);
  int directory = file ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  struct stat facts;
  // A store in memory has a name, which may be that of any folder.
  if (directory < 0 || fstat(directory, &facts) != 0 || faccessat(directory, "data.mdb", F_OK, 0) != 0) {
    if (directory >= 0) close(directory);
    free(file);
    return -1;
  }
  // A child that is forked before it is known would keep it.
  pthread_mutex_lock(&lock);
  bool is_new = true;
  int descriptor = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0 && errno == EEXIST) {
    is_new = false;
    descriptor = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  }
  // Where a group shares the store it shares the leases.
  if (descriptor >= 0 && is_new && facts.st_mode & S_IWGRP) {
    int ignored = fchown(descriptor, (uid_t)-1, facts.st_gid);
    ignored = fchmod(descriptor, 0660);
    (void)ignored;
  }
  if (descriptor >= 0) {
    file->descriptor = descriptor;
    file->next = files;
    files = file;
  }
  pthread_mutex_unlock(&lock);
  close(directory);
  if (descriptor < 0) free(file);
  return descriptor < 0 ? -1 : descriptor;
}

void lvc_lease_close(int descriptor) {
  pthread_mutex_lock(&lock);
  for (lease_file **place = &files; *place; place = &(*place)->next) {
    lease_file *file = *place;
    if (file->descriptor != descriptor) continue;
    *place = file->next;
    free(file);
    close(descriptor);
    break;
  }
  pthread_mutex_unlock(&lock);
}

static bool set(int descriptor, uint64_t place, short type) {
  // Positions are signed.
  struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(place >> 1), .l_len = 1};
  bool is_set = false;
  pthread_mutex_lock(&lock);
  for (const lease_file *file = files; file; file = file->next)
    if (file->descriptor == descriptor) is_set = fcntl(descriptor, F_OFD_SETLK, &range) == 0;
  pthread_mutex_unlock(&lock);
  return is_set;
}

bool lvc_lease_take(int descriptor, uint64_t place) { return set(descriptor, place, F_WRLCK); }
void lvc_lease_give(int descriptor, uint64_t place) { set(descriptor, place, F_UNLCK); }

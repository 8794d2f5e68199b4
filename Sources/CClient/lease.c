#define _GNU_SOURCE
#include "cclient.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int lvc_lease_open(const char *folder, const char *name) {
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat facts;
  // A store in memory has a name, which may be that of any folder.
  if (directory < 0 || fstat(directory, &facts) != 0 || faccessat(directory, "data.mdb", F_OK, 0) != 0) {
    if (directory >= 0) close(directory);
    return -1;
  }
  // A lock of the open file, which the kernel takes back with its last descriptor: a forked child would hold on to it.
  if (!lvc_keep_begin()) {
    close(directory);
    return -1;
  }
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
  descriptor = lvc_keep_end(descriptor);
  close(directory);
  return descriptor < 0 ? -1 : descriptor;
}

void lvc_lease_close(int descriptor) { lvc_kept_close(descriptor); }

static bool set(int descriptor, uint64_t place, short type) {
  // Positions are signed.
  struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)(place >> 1), .l_len = 1};
  bool is_set = lvc_kept_lock(descriptor) && fcntl(descriptor, F_OFD_SETLK, &range) == 0;
  lvc_kept_unlock();
  return is_set;
}

bool lvc_lease_take(int descriptor, uint64_t place) { return set(descriptor, place, F_WRLCK); }
void lvc_lease_give(int descriptor, uint64_t place) { set(descriptor, place, F_UNLCK); }

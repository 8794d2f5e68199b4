#define _GNU_SOURCE
#include "cclient.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// A file of its own for each process would be no lease: whoever may write the store may have it.
static void share(int descriptor, const struct stat *store) {
  struct stat made;
  if (fstat(descriptor, &made) != 0) return;
  // Services may be forbidden to ask for what is so already.
  int ignored = made.st_gid == store->st_gid ? 0 : fchown(descriptor, (uid_t)-1, store->st_gid);
  if (made.st_uid != store->st_uid) ignored = fchown(descriptor, store->st_uid, (gid_t)-1);
  if ((made.st_mode & 0777) != (store->st_mode & 0666)) ignored = fchmod(descriptor, store->st_mode & 0666);
  (void)ignored;
}

// A store in memory has a name, at which there is nothing. What cannot be looked at may be there.
static lvc_lease none_or_failed(void) { return errno == ENOENT || errno == ENOTDIR ? LVC_LEASE_NONE : LVC_LEASE_FAILED; }

lvc_lease lvc_lease_open(const char *folder, const char *name, int *descriptor) {
  *descriptor = -1;
  // A folder may be one that is not to be listed.
  int directory = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return none_or_failed();
  struct stat store;
  if (fstatat(directory, "data.mdb", &store, 0) != 0) {
    const lvc_lease outcome = none_or_failed();
    close(directory);
    return outcome;
  }
  // A lock of the open file, which the kernel takes back with its last descriptor: a forked child would hold on to it.
  if (!lvc_keep_begin()) {
    close(directory);
    return LVC_LEASE_FAILED;
  }
  int opened = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (opened >= 0)
    share(opened, &store);
  else if (errno == EEXIST)
    opened = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  opened = lvc_keep_end(opened);
  close(directory);
  if (opened < 0) return LVC_LEASE_FAILED;
  *descriptor = opened;
  return LVC_LEASE_OPEN;
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

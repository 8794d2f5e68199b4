// Locks on bytes of files.
#define _GNU_SOURCE
#include "csystem.h"
#include "locks.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/file.h>

struct lvs_lock_file {
  int descriptor;
  // Whether it has been locked as a whole, too.
  bool is_whole;
  lvs_lock_file *next;
};
// Guarded by the lock that is held over a fork.
static lvs_lock_file *lock_files;

lvs_lock_file *lvs_lock_file_make(int descriptor) {
  lvs_lock_file *file = malloc(sizeof *file);
  if (!file) {
    close(descriptor);
    return NULL;
  }
  file->descriptor = descriptor;
  file->is_whole = false;
  lvs_fork_lock();
  file->next = lock_files;
  lock_files = file;
  lvs_fork_unlock();
  return file;
}

void lvs_lock_file_free(lvs_lock_file *file) {
  if (!file) return;
  lvs_fork_lock();
  for (lvs_lock_file **place = &lock_files; *place; place = &(*place)->next)
    if (*place == file) {
      *place = file->next;
      break;
    }
  if (file->descriptor >= 0) {
    // A child that is just being made may have it still.
    struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(file->descriptor, F_OFD_SETLK, &all);
    if (file->is_whole) flock(file->descriptor, LOCK_UN);
    close(file->descriptor);
  }
  lvs_fork_unlock();
  free(file);
}

// A child shares the open file: while it had it, the parent's locks would outlive the parent.
void lvs_lock_files_forked(void) {
  for (lvs_lock_file *file = lock_files; file; file = file->next) {
    if (file->descriptor >= 0) close(file->descriptor);
    file->descriptor = -1;
  }
}

static int call(int descriptor, int command, short kind, int64_t byte, struct flock *range) {
  *range = (struct flock){.l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  int status;
  do status = fcntl(descriptor, command, range);
  while (status < 0 && errno == EINTR);
  return status;
}

static int set_lock(const lvs_lock_file *file, short kind, int64_t byte) {
  struct flock range;
  return call(file->descriptor, F_OFD_SETLK, kind, byte, &range);
}

int lvs_lock_byte(const lvs_lock_file *file, int64_t byte) { return set_lock(file, F_WRLCK, byte); }
int lvs_unlock_byte(const lvs_lock_file *file, int64_t byte) { return set_lock(file, F_UNLCK, byte); }
int lvs_share_byte(const lvs_lock_file *file, int64_t byte) { return set_lock(file, F_RDLCK, byte); }

int lvs_lock_whole(lvs_lock_file *file, bool is_shared) {
  int status;
  file->is_whole = true;
  do status = flock(file->descriptor, (is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
  while (status != 0 && errno == EINTR);
  return status;
}

bool lvs_is_byte_taken(const lvs_lock_file *file, int64_t byte) {
  struct flock range;
  return call(file->descriptor, F_OFD_GETLK, F_WRLCK, byte, &range) == 0 && range.l_type != F_UNLCK;
}

pid_t lvs_lock_holder(const lvs_lock_file *file, int64_t byte) {
  struct flock range;
  if (call(file->descriptor, F_OFD_GETLK, F_WRLCK, byte, &range) != 0 || range.l_type == F_UNLCK) return 0;
  return range.l_pid > 0 ? range.l_pid : 0;
}

int lvs_keep_byte(const lvs_lock_file *file, int64_t byte) {
  struct flock range;
  if (call(file->descriptor, F_SETLK, F_RDLCK, byte, &range) != 0) return -1;
  return set_lock(file, F_RDLCK, byte);
}

static bool is_other(const lvs_lock_file *file, const struct stat *wanted, int descriptor) {
  struct stat found;
  if (descriptor == file->descriptor || fstat(descriptor, &found) != 0) return false;
  if (found.st_dev != wanted->st_dev || found.st_ino != wanted->st_ino) return false;
  // Who only reads it is a program that copies files.
  int flags = fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) == O_RDWR;
}

bool lvs_is_open_elsewhere(const lvs_lock_file *file) {
  struct stat wanted;
  if (fstat(file->descriptor, &wanted) != 0) return false;
  bool is_found = false;
  DIR *descriptors = opendir("/proc/self/fd");
  if (!descriptors) {
    long most = sysconf(_SC_OPEN_MAX);
    for (int i = 0; i < most && i < 65536 && !is_found; i++) is_found = is_other(file, &wanted, i);
    return is_found;
  }
  for (struct dirent *entry; !is_found && (entry = readdir(descriptors));) {
    int descriptor = entry->d_name[0] == '.' ? -1 : atoi(entry->d_name);
    is_found = descriptor >= 0 && is_other(file, &wanted, descriptor);
  }
  closedir(descriptors);
  return is_found;
}

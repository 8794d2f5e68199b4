// Where keys lie: files, the kernel's keyrings, systemd's credentials.
#define _GNU_SOURCE
#include "csecrets.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void stamp_of(const struct stat *facts, lvk_stamp *stamp) {
  stamp->device = (uint64_t)facts->st_dev;
  stamp->inode = (uint64_t)facts->st_ino;
  stamp->size = (uint64_t)facts->st_size;
  stamp->seconds = facts->st_mtim.tv_sec;
  stamp->nanoseconds = facts->st_mtim.tv_nsec;
}

int lvk_file_stamp(const char *path, lvk_stamp *stamp) {
  struct stat facts;
  if (stat(path, &facts) != 0) return errno;
  stamp_of(&facts, stamp);
  return 0;
}

// Reads to the end; EOVERFLOW if there is more than fits.
static int read_all(int file, uint8_t *buffer, size_t capacity, size_t *length) {
  size_t count = 0;
  for (;;) {
    ssize_t got = read(file, buffer + count, capacity - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    count += (size_t)got;
    if (count == capacity) return EOVERFLOW;
  }
  *length = count;
  return 0;
}

int lvk_file_read(const char *path, bool is_private, void *buffer, size_t capacity, size_t *length, lvk_stamp *stamp) {
  // What is no file, such as a pipe, keeps nobody waiting.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return errno;
  struct stat facts;
  int error = fstat(file, &facts) == 0 ? 0 : errno;
  if (!error && !S_ISREG(facts.st_mode)) error = EINVAL;
  bool is_own = facts.st_uid == geteuid() || facts.st_uid == 0;
  if (!error && is_private && (!is_own || (facts.st_mode & (S_IRWXG | S_IRWXO)))) error = EPERM;
  if (!error) {
    stamp_of(&facts, stamp);
    error = read_all(file, buffer, capacity, length);
  }
  close(file);
  return error;
}

static int write_all(int file, const uint8_t *bytes, size_t length) {
  while (length > 0) {
    ssize_t put = write(file, bytes, length);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    bytes += put;
    length -= (size_t)put;
  }
  return fsync(file) == 0 ? 0 : errno;
}

// Has the folder of a file on the disk.
static int sync_folder(const char *path) {
  char folder[4200];
  const char *slash = strrchr(path, '/');
  int length = slash == path ? 1 : slash ? (int)(slash - path) : 1;
  if ((size_t)snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".") >= sizeof folder) return ENAMETOOLONG;
  int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error;
}

// Gives a file its name, unless there is one of that name.
static int name_file(const char *fresh, const char *path) {
  if (renameat2(AT_FDCWD, fresh, AT_FDCWD, path, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Not every file system knows that.
  int error = link(fresh, path) == 0 ? 0 : errno;
  if (!error) unlink(fresh);
  return error;
}

// Makes a file beside another one, for what is to have its name.
static int make_beside(const char *path, char *fresh, size_t capacity, int *file) {
  if ((size_t)snprintf(fresh, capacity, "%s.XXXXXX", path) >= capacity) return ENAMETOOLONG;
  *file = mkostemp(fresh, O_CLOEXEC);
  return *file < 0 ? errno : 0;
}

int lvk_file_make(const char *path, const void *bytes, size_t length) {
  char fresh[4200];
  struct stat facts;
  int file = -1;
  if (lstat(path, &facts) == 0) return EEXIST;
  // The file has its name only once all of it is on the disk.
  int error = make_beside(path, fresh, sizeof fresh, &file);
  if (error) return error;
  if (fchmod(file, 0400) != 0) error = errno;
  if (!error) error = write_all(file, bytes, length);
  if (close(file) != 0 && !error) error = errno;
  if (!error) error = name_file(fresh, path);
  if (error) {
    unlink(fresh);
    return error;
  }
  return sync_folder(path);
}

int lvk_file_replace(const char *path, const void *bytes, size_t length) {
  char fresh[4200];
  struct stat facts;
  int file = -1;
  if (stat(path, &facts) != 0) return errno;
  int error = make_beside(path, fresh, sizeof fresh, &file);
  if (error) return error;
  if ((facts.st_uid != geteuid() || facts.st_gid != getegid()) && fchown(file, facts.st_uid, facts.st_gid) != 0) error = errno;
  if (!error && fchmod(file, facts.st_mode & 0700) != 0) error = errno;
  if (!error) error = write_all(file, bytes, length);
  if (close(file) != 0 && !error) error = errno;
  if (!error && rename(fresh, path) != 0) error = errno;
  if (error) {
    unlink(fresh);
    return error;
  }
  return sync_folder(path);
}

int lvk_file_lock(const char *path, int *descriptor) {
  for (;;) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return errno;
    struct stat held, there;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 || fstat(file, &held) != 0) {
      int error = errno;
      close(file);
      return error;
    }
    // It may have been exchanged meanwhile.
    if (stat(path, &there) == 0 && there.st_ino == held.st_ino && there.st_dev == held.st_dev) {
      *descriptor = file;
      return 0;
    }
    close(file);
  }
}

void lvk_file_unlock(int descriptor) { close(descriptor); }

int lvk_keyring_read(const char *name, void *buffer, size_t capacity, size_t *length) {
  long key = -1;
  int error = ENOKEY;
  const int rings[] = {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING};
  for (size_t i = 0; i < sizeof rings / sizeof *rings && key < 0; i++) {
    key = syscall(SYS_keyctl, KEYCTL_SEARCH, rings[i], "user", name, 0);
    if (key < 0) error = errno;
  }
  if (key < 0) return error;
  long size = syscall(SYS_keyctl, KEYCTL_READ, key, buffer, capacity);
  if (size < 0) return errno;
  if ((size_t)size >= capacity) return EOVERFLOW;
  *length = (size_t)size;
  return 0;
}

int lvk_keyring_write(const char *name, const void *bytes, size_t length) {
  return syscall(SYS_add_key, "user", name, bytes, length, KEY_SPEC_USER_KEYRING) < 0 ? errno : 0;
}

const char *lvk_credentials(void) { return secure_getenv("CREDENTIALS_DIRECTORY"); }

int64_t lvk_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

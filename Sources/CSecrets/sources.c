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

// Bytes of a path: the longest that is given has 4,096.
enum { LONGEST = 4200 };

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

// Opens the folder of a file, or something in it; -1 and errno.
static int open_folder(const char *path, int flags, mode_t mode) {
  char folder[LONGEST];
  const char *slash = strrchr(path, '/');
  int length = slash == path ? 1 : slash ? (int)(slash - path) : 1;
  if ((size_t)snprintf(folder, sizeof folder, "%.*s", length, slash ? path : ".") >= sizeof folder) {
    errno = ENAMETOOLONG;
    return -1;
  }
  return open(folder, flags | O_CLOEXEC, mode);
}

// Has the folder of a file on the disk.
static int sync_folder(const char *path) {
  int descriptor = open_folder(path, O_RDONLY | O_DIRECTORY, 0);
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

// Where the links lead that a file has the name of; there may be no file yet.
static int follow_links(const char *path, char *place) {
  size_t length = strlen(path);
  if (length >= LONGEST) return ENAMETOOLONG;
  memcpy(place, path, length + 1);
  for (int steps = 0; steps < 40; steps++) {
    char target[LONGEST];
    ssize_t count = readlink(place, target, sizeof target);
    if (count < 0) return errno == EINVAL || errno == ENOENT ? 0 : errno;
    const char *slash = count > 0 && target[0] == '/' ? NULL : strrchr(place, '/');
    size_t folder = slash ? (size_t)(slash - place) + 1 : 0;
    if (folder + (size_t)count >= LONGEST) return ENAMETOOLONG;
    memcpy(place + folder, target, (size_t)count);
    place[folder + (size_t)count] = 0;
  }
  return ELOOP;
}

// Writes a file that has no name until all of it is on the disk: one that is killed meanwhile leaves nothing of the key.
// -1 where a system has no such files.
static int make_unnamed(const char *place, const void *bytes, size_t length) {
  char own[40];
  int file = open_folder(place, O_TMPFILE | O_WRONLY, 0400);
  if (file < 0) return -1;
  int error = fchmod(file, 0400) == 0 ? write_all(file, bytes, length) : errno;
  snprintf(own, sizeof own, "/proc/self/fd/%d", file);
  if (!error && linkat(AT_FDCWD, own, AT_FDCWD, place, AT_SYMLINK_FOLLOW) != 0) error = errno == EEXIST ? EEXIST : -1;
  if (close(file) != 0 && !error) error = errno;
  return error;
}

int lvk_file_make(const char *path, const void *bytes, size_t length) {
  char place[LONGEST], fresh[LONGEST + 20];
  struct stat facts;
  int error = follow_links(path, place);
  if (error) return error;
  if (lstat(place, &facts) == 0) return EEXIST;
  error = make_unnamed(place, bytes, length);
  if (error >= 0) return error ? error : sync_folder(place);
  // The file has its name only once all of it is on the disk.
  error = 0;
  snprintf(fresh, sizeof fresh, "%s.XXXXXX", place);
  int file = mkostemp(fresh, O_CLOEXEC);
  if (file < 0) return errno;
  if (fchmod(file, 0400) != 0) error = errno;
  if (!error) error = write_all(file, bytes, length);
  if (close(file) != 0 && !error) error = errno;
  if (!error) error = name_file(fresh, place);
  if (error) {
    unlink(fresh);
    return error;
  }
  return sync_folder(place);
}

struct lvk_lock {
  int descriptor;
  // What was locked at the beginning: while it is open no file that takes its place has its number, by which it is known.
  int former;
  // Of the file that is exchanged, without links.
  char place[LONGEST];
};

// A forked child may have the descriptor, too.
static void let_go(int descriptor) {
  flock(descriptor, LOCK_UN);
  close(descriptor);
}

static int lock_place(lvk_lock *lock) {
  struct stat held, there;
  for (int tries = 0; tries < 100; tries++) {
    int file = open(lock->place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return errno;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 || fstat(file, &held) != 0) {
      int error = errno;
      close(file);
      return error;
    }
    // Who had the lock before may have put another file in its place.
    if (lstat(lock->place, &there) == 0 && there.st_ino == held.st_ino && there.st_dev == held.st_dev) {
      lock->descriptor = lock->former = file;
      return 0;
    }
    let_go(file);
  }
  return EWOULDBLOCK;
}

int lvk_file_lock(const char *path, lvk_lock **lock) {
  lvk_lock *made = malloc(sizeof *made);
  if (!made) return ENOMEM;
  int error = follow_links(path, made->place);
  if (!error) error = lock_place(made);
  if (error) free(made);
  else *lock = made;
  return error;
}

void lvk_unlock(lvk_lock *lock) {
  if (!lock) return;
  if (lock->former != lock->descriptor) let_go(lock->former);
  let_go(lock->descriptor);
  free(lock);
}

int lvk_file_replace(lvk_lock *lock, const void *bytes, size_t length) {
  char fresh[LONGEST + 20];
  struct stat facts;
  if (fstat(lock->descriptor, &facts) != 0) return errno;
  // One name, so that what is left of a process that was killed goes now.
  snprintf(fresh, sizeof fresh, "%s.rotating", lock->place);
  if (unlink(fresh) != 0 && errno != ENOENT) return errno;
  int file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), error = 0;
  if (file < 0) return errno;
  if ((facts.st_uid != geteuid() || facts.st_gid != getegid()) && fchown(file, facts.st_uid, facts.st_gid) != 0) error = errno;
  if (!error && fchmod(file, facts.st_mode & 0700) != 0) error = errno;
  if (!error) error = write_all(file, bytes, length);
  // Nobody else gets the lock by opening what has the name from now on.
  if (!error && flock(file, LOCK_EX | LOCK_NB) != 0) error = errno;
  if (!error && rename(fresh, lock->place) != 0) error = errno;
  if (error) {
    unlink(fresh);
    close(file);
    return error;
  }
  if (lock->former != lock->descriptor) let_go(lock->descriptor);
  lock->descriptor = file;
  return sync_folder(lock->place);
}

// Of the session, then of the user.
static int find_key(const char *name, long *key) {
  const int rings[] = {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING};
  int error = ENOKEY;
  for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
    *key = syscall(SYS_keyctl, KEYCTL_SEARCH, rings[i], "user", name, 0);
    if (*key >= 0) return 0;
    error = errno;
  }
  return error;
}

int lvk_keyring_read(const char *name, void *buffer, size_t capacity, size_t *length) {
  long key = -1;
  int error = find_key(name, &key);
  if (error) return error;
  long size = syscall(SYS_keyctl, KEYCTL_READ, key, buffer, capacity);
  if (size < 0) return errno;
  if ((size_t)size >= capacity) return EOVERFLOW;
  *length = (size_t)size;
  return 0;
}

// Whether what was written is what is found; EIO if not.
static int read_back(const char *name, const void *bytes, size_t length) {
  uint8_t buffer[LVK_MOST_TEXT + 1];
  size_t count = 0;
  int error = lvk_keyring_read(name, buffer, sizeof buffer, &count);
  if (!error && (count != length || memcmp(buffer, bytes, length) != 0)) error = EIO;
  lvk_wipe(buffer, sizeof buffer);
  return error;
}

int lvk_keyring_make(const char *name, const void *bytes, size_t length) {
  if (syscall(SYS_add_key, "user", name, bytes, length, KEY_SPEC_USER_KEYRING) < 0) return errno;
  return read_back(name, bytes, length);
}

int lvk_keyring_replace(const char *name, const void *bytes, size_t length) {
  long key = -1;
  int error = find_key(name, &key);
  if (error) return error;
  if (syscall(SYS_keyctl, KEYCTL_UPDATE, key, bytes, length) < 0) return errno;
  return read_back(name, bytes, length);
}

int64_t lvk_process(void) { return (int64_t)getpid(); }

const char *lvk_credentials(void) { return secure_getenv("CREDENTIALS_DIRECTORY"); }

int64_t lvk_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

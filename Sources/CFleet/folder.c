// Files that a web server delivers: each appears whole, under its name, once it is on the disk.
#define _GNU_SOURCE
#include "cfleet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int lvd_folder_open(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder < 0 ? -errno : folder;
}

int lvd_folder_none(void) {
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return nothing < 0 ? -errno : nothing;
}

int lvd_folder_follow(int folder, const char *path) {
  struct stat held, there;
  if (fstat(folder, &held) != 0 || stat(path, &there) != 0) return -errno;
  bool is_same = held.st_dev == there.st_dev && held.st_ino == there.st_ino;
  // What is written last.
  if (is_same) return faccessat(folder, "v1/channels/fleet/manifest", F_OK, 0) == 0 ? 0 : 1;
  int other = lvd_folder_open(path);
  if (other < 0) return other;
  // Who uses the descriptor meanwhile has one of the two.
  int result = dup3(other, folder, O_CLOEXEC) < 0 ? -errno : 2;
  close(other);
  return result;
}

uint64_t lvd_folder_identity(int folder) {
  struct stat held;
  return fstat(folder, &held) == 0 ? (uint64_t)held.st_dev * 0x9e3779b97f4a7c15 ^ (uint64_t)held.st_ino : 0;
}

void lvd_folder_close(int folder) { close(folder); }

int lvd_folder_lock(int folder, int milliseconds) {
  for (;; milliseconds -= 5) {
    if (flock(folder, LOCK_EX | LOCK_NB) == 0) return 0;
    if (errno != EWOULDBLOCK && errno != EINTR) return errno;
    if (milliseconds <= 0) return EWOULDBLOCK;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
}

void lvd_folder_unlock(int folder) { flock(folder, LOCK_UN); }

static int write_all(int file, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    ssize_t written = write(file, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes += written;
    count -= (size_t)written;
  }
  return 0;
}

// A web server reads what is made in a folder, whatever the umask is; and what root makes in a folder of somebody else's is theirs, as
// the folder is: a service goes on with it. 0 or errno.
static int open_to_all(int folder, int made, mode_t mode) {
  struct stat own, of_folder;
  if (fstat(made, &own) != 0 || fstat(folder, &of_folder) != 0) return errno;
  if (geteuid() == 0 && fchown(made, of_folder.st_uid, of_folder.st_gid) != 0) return errno;
  return fchmod(made, (own.st_mode & 07777) | mode) == 0 ? 0 : errno;
}

// The folder in which a name lies, made where it is missing; `name` is moved to its last part.
static int folder_of(int folder, const char **name) {
  int at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  for (const char *slash; at >= 0 && (slash = strchr(*name, '/')); *name = slash + 1) {
    char part[256];
    const size_t length = (size_t)(slash - *name);
    if (length == 0 || length >= sizeof part || **name == '.') {
      close(at);
      errno = EINVAL;
      return -1;
    }
    memcpy(part, *name, length);
    part[length] = 0;
    const bool is_new = mkdirat(at, part, 0755) == 0;
    if (!is_new && errno != EEXIST) {
      const int error = errno;
      close(at);
      errno = error;
      return -1;
    }
    const int inner = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = inner < 0 ? errno : 0;
    if (is_new && !error) error = open_to_all(at, inner, 0755);
    if (is_new) fsync(at);
    if (error && inner >= 0) {
      close(inner);
      close(at);
      errno = error;
      return -1;
    }
    close(at);
    errno = error;
    at = inner;
  }
  return at;
}

// Gives a file a time that is later by a whole second at least than its predecessor's: web servers make the entity tag of seconds and
// size, and would take what was exchanged within a second for the same.
static int set_later(int file, time_t former) {
  struct stat facts;
  if (fstat(file, &facts) != 0) return errno;
  if (facts.st_mtim.tv_sec > former) return 0;
  const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = former + 1}};
  return futimens(file, times) == 0 ? 0 : errno;
}

int lvd_folder_write(int folder, const char *path, const uint8_t *bytes, size_t count, bool is_immutable) {
  const char *name = path;
  const int at = folder_of(folder, &name);
  if (at < 0) return errno;
  char temporary[300];
  const int length = snprintf(temporary, sizeof temporary, ".%s.new", name);
  struct stat present;
  int error = *name && *name != '.' && length > 0 && (size_t)length < sizeof temporary ? 0 : EINVAL;
  const bool is_there = !error && fstatat(at, name, &present, AT_SYMLINK_NOFOLLOW) == 0;
  // What never changes need not be written again, unless it was cut short.
  if (is_there && is_immutable && (uint64_t)present.st_size == count) {
    close(at);
    return 0;
  }
  if (!error) {
    // Whoever has the folder may have put something there that leads elsewhere.
    unlinkat(at, temporary, 0);
    const int file = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file < 0) {
      error = errno;
    } else {
      error = write_all(file, bytes, count);
      if (!error) error = open_to_all(at, file, 0644);
      if (!error && is_there) error = set_later(file, present.st_mtim.tv_sec);
      if (!error && fsync(file) != 0) error = errno;
      if (close(file) != 0 && !error) error = errno;
      if (!error && renameat(at, temporary, at, name) != 0) error = errno;
      if (error) unlinkat(at, temporary, 0);
      if (!error && fsync(at) != 0) error = errno;
    }
  }
  close(at);
  return error;
}

// A library to preload: writes down, in order, what a program writes to files below $RECORD_ROOT and when it waits for
// the disk, into $RECORD_LOG. Memory that is shared through a map is not seen: of the store's files that concerns
// those that only processes alive share, and not the data.
#include "write_log.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))
#define FILES 1024

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static const char *root;
static size_t root_length;
static struct { uint64_t file; int flags; } files[FILES];

static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("RECORD_LOG");
  root = getenv("RECORD_ROOT");
  if (!path || !root) return;
  root_length = strlen(root);
  int made = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  // Out of the way of the program's own descriptors.
  log_file = REAL(fcntl)(made, F_DUPFD_CLOEXEC, 900);
  close(made);
}

static void note(log_kind kind, uint64_t file, uint64_t offset, uint32_t flags, const void *bytes, size_t length) {
  log_entry entry = {kind, flags, file, offset, length};
  struct iovec parts[2] = {{&entry, sizeof entry}, {(void *)(uintptr_t)bytes, length}};
  if (REAL(writev)(log_file, parts, 2) != (ssize_t)(sizeof entry + length)) abort();
}

static int is_root(const char *path) { return log_file >= 0 && strcmp(path, root) == 0; }

static const char *below_root(const char *path) {
  if (log_file < 0 || strncmp(path, root, root_length) != 0 || path[root_length] != '/') return NULL;
  return path + root_length + 1;
}

// The whole path of a name in a directory, also where that is given by the number of its descriptor.
static const char *whole(int directory, const char *path, char room[4096]) {
  static const char own[] = "/proc/self/fd/";
  char link[64];
  const char *rest = path;
  if (strncmp(path, own, sizeof own - 1) == 0) {
    char *end;
    directory = (int)strtol(path + sizeof own - 1, &end, 10);
    if (*end != '/') return path;
    rest = end + 1;
  } else if (path[0] == '/' || directory == AT_FDCWD) {
    return path;
  }
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  ssize_t length = readlink(link, room, 3800);
  if (length <= 0) return path;
  snprintf(room + length, 4096 - (size_t)length, "/%s", rest);
  return room;
}

static uint64_t file_of(int descriptor) {
  return log_file >= 0 && descriptor >= 0 && descriptor < FILES ? files[descriptor].file : 0;
}

static int opened(int descriptor, const char *path, int flags, int existed) {
  const char *name = below_root(path);
  struct stat facts;
  if (descriptor < 0 || descriptor >= FILES || fstat(descriptor, &facts) != 0) return descriptor;
  files[descriptor].file = 0;
  if (!name && !is_root(path)) return descriptor;
  files[descriptor].file = facts.st_ino;
  files[descriptor].flags = S_ISDIR(facts.st_mode) ? O_DIRECTORY : flags;
  if (S_ISREG(facts.st_mode) && !existed) note(LOG_NAME, facts.st_ino, 0, 0, name, strlen(name));
  if (flags & O_TRUNC && existed) note(LOG_SIZE, facts.st_ino, 0, 0, NULL, 0);
  return descriptor;
}

static int open_whole(const char *path, int flags, mode_t mode) {
  if (!below_root(path) && !is_root(path)) return REAL(open)(path, flags, mode);
  pthread_mutex_lock(&lock);
  int existed = access(path, F_OK) == 0;
  int descriptor = opened(REAL(open)(path, flags, mode), path, flags, existed);
  pthread_mutex_unlock(&lock);
  return descriptor;
}

int open(const char *path, int flags, ...) {
  char room[4096];
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_whole(whole(AT_FDCWD, path, room), flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
  char room[4096];
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return open_whole(whole(directory, path, room), flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int directory, const char *path, int flags, ...) __attribute__((alias("openat")));

int mkostemp(char *path, int flags) {
  pthread_mutex_lock(&lock);
  int descriptor = REAL(mkostemp)(path, flags);
  if (descriptor >= 0 && below_root(path)) opened(descriptor, path, O_RDWR, 0);
  pthread_mutex_unlock(&lock);
  return descriptor;
}

// A second descriptor is one of the same file.
int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  int result = REAL(fcntl)(descriptor, command, argument);
  if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && result >= 0 && result < FILES) {
    files[result].file = file_of(descriptor);
    files[result].flags = files[result].file ? files[descriptor].flags : 0;
  }
  return result;
}
int fcntl64(int descriptor, int command, ...) __attribute__((alias("fcntl")));

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < FILES) files[descriptor].file = 0;
  return REAL(close)(descriptor);
}

static void wrote(int descriptor, off_t offset, const struct iovec *parts, int count, ssize_t length) {
  uint32_t waited = (files[descriptor].flags & O_DSYNC) != 0;
  size_t left = (size_t)length;
  // One call is one entry: what is torn is torn anywhere in it.
  char *whole = malloc(left ? left : 1), *next = whole;
  for (int index = 0; index < count && left > 0; index++) {
    size_t part = parts[index].iov_len < left ? parts[index].iov_len : left;
    memcpy(next, parts[index].iov_base, part);
    next += part;
    left -= part;
  }
  note(LOG_WRITE, files[descriptor].file, (uint64_t)offset, waited, whole, (size_t)length);
  free(whole);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  if (!file_of(descriptor)) return REAL(pwrite)(descriptor, bytes, length, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = REAL(pwrite)(descriptor, bytes, length, offset);
  struct iovec part = {(void *)(uintptr_t)bytes, length};
  if (written > 0) wrote(descriptor, offset, &part, 1, written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
  if (!file_of(descriptor)) return REAL(pwritev)(descriptor, parts, count, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = REAL(pwritev)(descriptor, parts, count, offset);
  if (written > 0) wrote(descriptor, offset, parts, count, written);
  pthread_mutex_unlock(&lock);
  return written;
}

static off_t end_of(int descriptor) {
  struct stat facts;
  if (files[descriptor].flags & O_APPEND && fstat(descriptor, &facts) == 0) return facts.st_size;
  return lseek(descriptor, 0, SEEK_CUR);
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  if (!file_of(descriptor)) return REAL(write)(descriptor, bytes, length);
  pthread_mutex_lock(&lock);
  off_t offset = end_of(descriptor);
  ssize_t written = REAL(write)(descriptor, bytes, length);
  struct iovec part = {(void *)(uintptr_t)bytes, length};
  if (written > 0) wrote(descriptor, offset, &part, 1, written);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (!file_of(descriptor)) return REAL(writev)(descriptor, parts, count);
  pthread_mutex_lock(&lock);
  off_t offset = end_of(descriptor);
  ssize_t written = REAL(writev)(descriptor, parts, count);
  if (written > 0) wrote(descriptor, offset, parts, count, written);
  pthread_mutex_unlock(&lock);
  return written;
}

int ftruncate(int descriptor, off_t size) {
  pthread_mutex_lock(&lock);
  int status = REAL(ftruncate)(descriptor, size);
  if (status == 0 && file_of(descriptor)) note(LOG_SIZE, file_of(descriptor), (uint64_t)size, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return status;
}

int posix_fallocate(int descriptor, off_t offset, off_t length) {
  pthread_mutex_lock(&lock);
  int status = REAL(posix_fallocate)(descriptor, offset, length);
  struct stat facts;
  if (status == 0 && file_of(descriptor) && fstat(descriptor, &facts) == 0)
    note(LOG_SIZE, file_of(descriptor), (uint64_t)facts.st_size, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return status;
}

static int synced(int descriptor, int (*sync)(int)) {
  pthread_mutex_lock(&lock);
  int status = sync(descriptor);
  if (status == 0 && file_of(descriptor))
    note(files[descriptor].flags & O_DIRECTORY ? LOG_SYNC_NAMES : LOG_SYNC, file_of(descriptor), 0, 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  return status;
}

int fsync(int descriptor) { return synced(descriptor, REAL(fsync)); }
int fdatasync(int descriptor) { return synced(descriptor, REAL(fdatasync)); }

int rename(const char *from, const char *to) {
  const char *old_name = below_root(from), *new_name = below_root(to);
  pthread_mutex_lock(&lock);
  int status = REAL(rename)(from, to);
  if (status == 0 && old_name && new_name) {
    char both[8192];
    size_t first = strlen(old_name) + 1, second = strlen(new_name) + 1;
    memcpy(both, old_name, first);
    memcpy(both + first, new_name, second);
    note(LOG_RENAME, 0, 0, 0, both, first + second);
  }
  pthread_mutex_unlock(&lock);
  return status;
}

int renameat2(int folder, const char *from, int other, const char *to, unsigned flags) {
  char rooms[2][4096];
  from = whole(folder, from, rooms[0]), to = whole(other, to, rooms[1]);
  // Who asks for that gives a name to what is new.
  if (flags == RENAME_NOREPLACE && access(to, F_OK) == 0) return errno = EEXIST, -1;
  return flags & ~(unsigned)RENAME_NOREPLACE ? (errno = EINVAL, -1) : rename(from, to);
}

int renameat(int folder, const char *from, int other, const char *to) {
  char rooms[2][4096];
  return rename(whole(folder, from, rooms[0]), whole(other, to, rooms[1]));
}

int link(const char *path, const char *second) {
  const char *name = below_root(second);
  struct stat facts;
  pthread_mutex_lock(&lock);
  int status = REAL(link)(path, second);
  if (status == 0 && name && stat(second, &facts) == 0) note(LOG_NAME, facts.st_ino, 0, 0, name, strlen(name));
  pthread_mutex_unlock(&lock);
  return status;
}

int linkat(int folder, const char *path, int other, const char *second, int flags) {
  char rooms[2][4096];
  (void)flags;
  return link(whole(folder, path, rooms[0]), whole(other, second, rooms[1]));
}

int unlink(const char *path) {
  const char *name = below_root(path);
  pthread_mutex_lock(&lock);
  int status = REAL(unlink)(path);
  if (status == 0 && name) note(LOG_REMOVE, 0, 0, 0, name, strlen(name));
  pthread_mutex_unlock(&lock);
  return status;
}

int unlinkat(int folder, const char *path, int flags) {
  char room[4096];
  return flags == 0 ? unlink(whole(folder, path, room)) : REAL(unlinkat)(folder, path, flags);
}

/** For the workload: a commit begins, or has returned. */
void record_commit(int has_returned, uint64_t number, uint64_t digest, int is_deferred) {
  if (log_file < 0) return;
  pthread_mutex_lock(&lock);
  note(has_returned ? LOG_END : LOG_BEGIN, digest, number, is_deferred != 0, NULL, 0);
  pthread_mutex_unlock(&lock);
}

// _GNU_SOURCE has what names errors.
#define _GNU_SOURCE

#include <cconsole.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static uint8_t *read_all(int file, size_t most, size_t *count, int *error) {
  size_t room = 4096, used = 0;
  uint8_t *bytes = malloc(room);
  while (bytes) {
    ssize_t size = read(file, bytes + used, room - used);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      *error = errno;
      free(bytes);
      return NULL;
    }
    if (size == 0) break;
    used += (size_t)size;
    if (used > most) {
      *error = EFBIG;
      free(bytes);
      return NULL;
    }
    if (used == room) {
      uint8_t *larger = realloc(bytes, room * 2);
      if (!larger) free(bytes);
      bytes = larger;
      room *= 2;
    }
  }
  if (!bytes) *error = ENOMEM;
  *count = used;
  return bytes;
}

uint8_t *lvo_read(const char *path, size_t most, size_t *count, int *error) {
  // A pipe that nobody writes to keeps nobody waiting; what somebody is about to write does.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  *error = errno;
  if (file < 0) return NULL;
  int flags = fcntl(file, F_GETFL);
  if (flags >= 0) fcntl(file, F_SETFL, flags & ~O_NONBLOCK);
  uint8_t *bytes = read_all(file, most, count, error);
  close(file);
  return bytes;
}

void lvo_free(void *pointer) { free(pointer); }

// The folder that a path lies in, and its last part; -1 with errno.
static int open_folder(const char *path, const char **name) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  size_t length = slash ? (size_t)(slash - path) : 0;
  if (!slash) snprintf(folder, sizeof folder, ".");
  else if (length == 0) snprintf(folder, sizeof folder, "/");
  else if (length < sizeof folder) snprintf(folder, sizeof folder, "%.*s", (int)length, path);
  else return errno = ENAMETOOLONG, -1;
  return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

// What root makes in a folder of somebody else's is theirs, as the folder is: a service goes on with it. 0 or errno.
static int give_as(int folder, int made) {
  struct stat facts;
  if (geteuid() != 0) return 0;
  return fstat(folder, &facts) < 0 || fchown(made, facts.st_uid, facts.st_gid) < 0 ? errno : 0;
}

static int write_in(int folder, const char *name, const uint8_t *bytes, size_t count, unsigned mode, bool replaces) {
  char temporary[300];
  if (snprintf(temporary, sizeof temporary, "%s.%ld.new", name, (long)getpid()) >= (int)sizeof temporary) return ENAMETOOLONG;
  // Whoever has the folder may have put something there that leads elsewhere.
  unlinkat(folder, temporary, 0);
  int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), error = 0;
  if (file < 0) return errno;
  while (!error && count) {
    ssize_t size = write(file, bytes, count);
    if (size < 0) error = errno == EINTR ? 0 : errno;
    else bytes += size, count -= (size_t)size;
  }
  if (!error) error = give_as(folder, file);
  if (!error && (fchmod(file, mode) < 0 || fsync(file) < 0)) error = errno;
  if (close(file) < 0 && !error) error = errno;
  // A link fails where there is something already.
  if (!error && (replaces ? renameat(folder, temporary, folder, name) : linkat(folder, temporary, folder, name, 0)) < 0) error = errno;
  if (error || !replaces) unlinkat(folder, temporary, 0);
  if (!error) fsync(folder);
  return error;
}

int lvo_write(const char *path, const uint8_t *bytes, size_t count, unsigned mode, bool replaces) {
  const char *name;
  int folder = open_folder(path, &name);
  if (folder < 0) return errno;
  int error = write_in(folder, name, bytes, count, mode, replaces);
  close(folder);
  return error;
}

static int make_one(const char *path, unsigned mode) {
  const char *name;
  int folder = open_folder(path, &name);
  if (folder < 0) return errno;
  int error = mkdirat(folder, name, 0700) < 0 ? errno : 0;
  if (!error) {
    int made = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat facts;
    error = made < 0 ? errno : give_as(folder, made);
    // Whatever the umask is; what the folder hands on, as its group, stays.
    if (!error && (fstat(made, &facts) < 0 || fchmod(made, (facts.st_mode & 07000) | mode) < 0)) error = errno;
    if (made >= 0) close(made);
  }
  close(folder);
  return error == EEXIST ? 0 : error;
}

int lvo_make_folder(const char *path, unsigned mode) {
  char part[4096];
  if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) return ENAMETOOLONG;
  for (size_t length = strlen(part); length > 1 && part[length - 1] == '/';) part[--length] = 0;
  for (char *next = part + 1; *next; next++) {
    if (*next != '/') continue;
    *next = 0;
    int error = make_one(part, 0755);
    if (error) return error;
    *next = '/';
  }
  return make_one(part, mode);
}

bool lvo_is_open_to_others(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0 && (facts.st_mode & 077) != 0;
}

uint64_t lvo_stamp(const char *path) {
  struct stat facts;
  if (stat(path, &facts) < 0) return 0;
  const uint64_t parts[] = { facts.st_ino, (uint64_t)facts.st_mtim.tv_sec, (uint64_t)facts.st_mtim.tv_nsec, (uint64_t)facts.st_size,
                             (uint64_t)facts.st_ctim.tv_sec, (uint64_t)facts.st_ctim.tv_nsec };
  uint64_t stamp = 1;
  for (size_t index = 0; index < sizeof parts / sizeof *parts; index++) stamp = (stamp ^ parts[index]) * 1099511628211u;
  return stamp ? stamp : 1;
}

int lvo_lock(const char *folder, int *error) {
  int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *error = errno;
  if (lock < 0) return -1;
  while (flock(lock, LOCK_EX) < 0) {
    if (errno == EINTR) continue;
    *error = errno;
    close(lock);
    return -1;
  }
  return lock;
}

void lvo_unlock(int lock) { close(lock); }

const char *lvo_reason(int error) { return strerrordesc_np(error) ? strerrordesc_np(error) : "unknown error"; }

size_t lvo_network(const char *address, uint8_t network[8]) {
  static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
  uint8_t bytes[16];
  if (inet_pton(AF_INET, address, network) == 1) return 4;
  // In brackets, as with a port, or without.
  char plain[64];
  size_t count = strlen(address);
  if (count > 2 && address[0] == '[' && address[count - 1] == ']') address++, count -= 2;
  if (count >= sizeof plain) return 0;
  memcpy(plain, address, count);
  plain[count] = 0;
  // The interface that it is reached by.
  plain[strcspn(plain, "%")] = 0;
  if (inet_pton(AF_INET6, plain, bytes) != 1) return 0;
  if (memcmp(bytes, mapped, sizeof mapped) == 0) {
    memcpy(network, bytes + 12, 4);
    return 4;
  }
  memcpy(network, bytes, 8);
  return 8;
}

void lvo_user(char *name, size_t size) {
  struct passwd entry, *found = NULL;
  char buffer[4096];
  if (getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found) snprintf(name, size, "%s", entry.pw_name);
  else snprintf(name, size, "uid %u", (unsigned)getuid());
}

const char *lvo_environment(const char *name) {
  const char *value = getenv(name);
  return value ? value : "";
}

int64_t lvo_room(const char *folder) {
  struct statvfs facts;
  return statvfs(folder, &facts) == 0 ? (int64_t)facts.f_bavail * (int64_t)facts.f_frsize : -1;
}

bool lvo_print(bool is_error, const char *text, size_t count) {
  FILE *file = is_error ? stderr : stdout;
  return fwrite(text, 1, count, file) == count && fflush(file) == 0;
}

bool lvo_print_has_failed(void) { return ferror(stdout); }

static int stops = -1;

void lvo_catch_signals(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  if (stops < 0) stops = signalfd(-1, &signals, SFD_CLOEXEC);
}

bool lvo_wait(int milliseconds) {
  struct pollfd wait = { stops, POLLIN, 0 };
  return poll(&wait, 1, milliseconds) > 0;
}

struct lvo_latch {
  pthread_mutex_t lock;
  pthread_cond_t has_ended;
  size_t count;
};

lvo_latch *lvo_latch_make(size_t count) {
  lvo_latch *latch = malloc(sizeof *latch);
  if (!latch) return NULL;
  pthread_mutex_init(&latch->lock, NULL);
  pthread_cond_init(&latch->has_ended, NULL);
  latch->count = count;
  return latch;
}

// What is signalled with the lock held is not freed before it is let go of.
void lvo_latch_end_one(lvo_latch *latch) {
  pthread_mutex_lock(&latch->lock);
  if (--latch->count == 0) pthread_cond_signal(&latch->has_ended);
  pthread_mutex_unlock(&latch->lock);
}

void lvo_latch_wait(lvo_latch *latch) {
  pthread_mutex_lock(&latch->lock);
  while (latch->count) pthread_cond_wait(&latch->has_ended, &latch->lock);
  pthread_mutex_unlock(&latch->lock);
  pthread_cond_destroy(&latch->has_ended);
  pthread_mutex_destroy(&latch->lock);
  free(latch);
}

int lvo_become(const char *program, const char *const *words) {
  char own[4096], path[4200];
  ssize_t size = readlink("/proc/self/exe", own, sizeof own - 1);
  own[size < 0 ? 0 : size] = 0;
  char *slash = strrchr(own, '/');
  if (slash) {
    slash[1] = 0;
    snprintf(path, sizeof path, "%s%s", own, program);
    execv(path, (char *const *)words);
  }
  execvp(program, (char *const *)words);
  return errno;
}

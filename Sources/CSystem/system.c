#define _GNU_SOURCE
#include "csystem.h"

#include <dirent.h>
#include <linux/futex.h>
#include <locale.h>
#include <math.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>

// Files

int lvs_open(const char *path, int flags, unsigned mode) {
  int descriptor;
  do descriptor = open(path, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

static void let_group_in(int descriptor, unsigned mode) {
  struct stat facts;
  if ((mode & 0060) == 0 || fstat(descriptor, &facts) != 0) return;
  if (facts.st_uid == geteuid() && (facts.st_mode & mode) != mode && fchmod(descriptor, mode) != 0) return;
}

int lvs_make(const char *path, int flags, unsigned mode) {
  int descriptor = lvs_open(path, O_RDWR | O_CREAT | O_NOFOLLOW | flags, mode);
  if (descriptor >= 0) let_group_in(descriptor, mode);
  return descriptor;
}

void lvs_allow_group(const char *path, unsigned mode) {
  if ((mode & 0060) == 0) return;
  int descriptor = lvs_open(path, O_RDONLY | O_NOFOLLOW, 0);
  if (descriptor < 0) return;
  let_group_in(descriptor, mode);
  close(descriptor);
}

bool lvs_is_link(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
}

int lvs_reserve(int descriptor, uint64_t size) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return -1;
  if ((uint64_t)facts.st_size >= size && (uint64_t)facts.st_blocks * 512 >= size) return 0;
  int status;
  do status = posix_fallocate(descriptor, 0, (off_t)size);
  while (status == EINTR);
  if (status == 0 || status == EOPNOTSUPP || status == EINVAL) return 0;
  errno = status;
  return -1;
}

ssize_t lvs_write_all(int descriptor, const void *bytes, size_t count) {
  const char *next = bytes;
  size_t left = count;
  while (left > 0) {
    ssize_t written = write(descriptor, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -1;
    next += written;
    left -= (size_t)written;
  }
  return (ssize_t)count;
}

char *lvs_read_file(const char *path, int descriptor, size_t limit, size_t *count) {
  int file = descriptor >= 0 ? descriptor : lvs_open(path, O_RDONLY, 0);
  if (file < 0) return NULL;
  char *bytes = NULL;
  size_t used = 0, room = 0;
  int failure = 0;
  for (;;) {
    if (used == room) {
      size_t larger = room ? room * 2 : 65536;
      char *moved = realloc(bytes, larger + 1);
      if (!moved) { failure = ENOMEM; break; }
      bytes = moved;
      room = larger;
    }
    ssize_t got = read(file, bytes + used, room - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) { failure = errno; break; }
    if (got == 0) break;
    used += (size_t)got;
    if (used > limit) { failure = EFBIG; break; }
  }
  if (descriptor < 0) close(file);
  if (failure) {
    free(bytes);
    errno = failure;
    return NULL;
  }
  bytes[used] = 0;
  *count = used;
  return bytes;
}

char *lvs_read_beneath(const char *folder, const char *path, size_t limit, size_t *count) {
  char part[256];
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (directory >= 0) {
    size_t length = strcspn(path, "/");
    bool is_last = path[length] == 0;
    int failure = 0;
    if (length >= sizeof part) {
      failure = ENAMETOOLONG;
    } else if ((length == 0 && is_last) || path[0] == '/' || (length == 2 && memcmp(path, "..", 2) == 0)) {
      failure = EXDEV;
    }
    int next = -1;
    if (!failure) {
      memcpy(part, path, length);
      part[length] = 0;
      // Not blocking: a pipe in the place of a file would keep the caller for ever.
      int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (is_last ? O_NONBLOCK : O_DIRECTORY);
      next = openat(directory, part, flags);
      if (next < 0) failure = errno;
      // A link to a directory is no directory.
      struct stat found;
      if (failure == ENOTDIR && fstatat(directory, part, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode))
        failure = ELOOP;
    }
    close(directory);
    if (failure) {
      errno = failure;
      return NULL;
    }
    directory = next;
    if (!is_last) {
      path += length + 1;
      while (path[0] == '/') path++;
      continue;
    }
    struct stat found;
    char *bytes = NULL;
    if (fstat(directory, &found) != 0) failure = errno;
    else if (!S_ISREG(found.st_mode)) failure = S_ISDIR(found.st_mode) ? EISDIR : EINVAL;
    else if (found.st_size > (off_t)limit) failure = EFBIG;
    else if (!(bytes = lvs_read_file(NULL, directory, limit, count))) failure = errno;
    close(directory);
    if (failure) errno = failure;
    return bytes;
  }
  return NULL;
}

static lvs_file_facts facts_from(const struct stat *found) {
  return (lvs_file_facts){
      .device = found->st_dev,
      .inode = found->st_ino,
      .size = (uint64_t)found->st_size,
      .allocated = (uint64_t)found->st_blocks * 512,
      .mode = found->st_mode,
      .is_directory = S_ISDIR(found->st_mode),
  };
}

int lvs_file_facts_of(const char *path, lvs_file_facts *facts) {
  struct stat found;
  if (stat(path, &found) != 0) return -1;
  *facts = facts_from(&found);
  return 0;
}

int lvs_file_facts_at(int descriptor, lvs_file_facts *facts) {
  struct stat found;
  if (fstat(descriptor, &found) != 0) return -1;
  *facts = facts_from(&found);
  return 0;
}

ssize_t lvs_read_at(int descriptor, void *bytes, size_t count, uint64_t offset) {
  size_t got = 0;
  while (got < count) {
    ssize_t more = pread(descriptor, (char *)bytes + got, count - got, (off_t)(offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    if (more == 0) break;
    got += (size_t)more;
  }
  return (ssize_t)got;
}

ssize_t lvs_write_at(int descriptor, const void *bytes, size_t count, uint64_t offset) {
  size_t put = 0;
  while (put < count) {
    ssize_t more = pwrite(descriptor, (const char *)bytes + put, count - put, (off_t)(offset + put));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    put += (size_t)more;
  }
  return (ssize_t)put;
}

char *lvs_directory_names(const char *path, size_t *length) {
  DIR *directory = opendir(path);
  if (!directory) return NULL;
  char *names = calloc(1, 1);
  size_t used = 0;
  for (struct dirent *entry; names && (entry = readdir(directory));) {
    size_t size = strlen(entry->d_name) + 1;
    char *grown = realloc(names, used + size);
    if (!grown) {
      free(names);
      names = NULL;
      break;
    }
    names = grown;
    memcpy(names + used, entry->d_name, size);
    used += size;
  }
  closedir(directory);
  if (!names) errno = ENOMEM;
  *length = used;
  return names;
}

int lvs_rename(const char *from, const char *to) { return rename(from, to); }

int lvs_copy(int from, int to) {
  char buffer[65536];
  for (;;) {
    ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return (int)got;
    if (lvs_write_all(to, buffer, (size_t)got) < 0) return -1;
  }
}

int lvs_sync_directory(const char *path) {
  int directory = lvs_open(path, O_RDONLY | O_DIRECTORY, 0);
  if (directory < 0) return -1;
  // Some file systems know no such thing.
  int status = fsync(directory) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1;
  int failure = errno;
  close(directory);
  errno = failure;
  return status;
}

bool lvs_is_full(int descriptor) {
  struct statvfs facts;
  return fstatvfs(descriptor, &facts) == 0 && (uint64_t)facts.f_bavail * facts.f_frsize < 65536;
}

int lvs_count_foreign_entries(const char *path) {
  static const char *const known[] = {".", "..", "data.mdb", "data.mdb.new", "lock.mdb", "livery.lock", "livery.wake",
                                      "backups", "damaged"};
  DIR *directory = opendir(path);
  if (!directory) return -1;
  int foreign = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    bool expected = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !expected; i++)
      expected = strcmp(entry->d_name, known[i]) == 0;
    if (!expected) foreign++;
  }
  closedir(directory);
  return foreign;
}

int lvs_name_too(const char *path, const char *second) {
  if (link(path, second) == 0) return 0;
  return errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK ? rename(path, second) : -1;
}

int lvs_sync_names(const char *path) {
  char around[4096];
  int length = snprintf(around, sizeof around, "%s/..", path);
  if (length < 0 || (size_t)length >= sizeof around) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (lvs_sync_directory(path) != 0) return -1;
  // Not everybody may read the directory around.
  return lvs_sync_directory(around) == 0 || errno == EACCES ? 0 : -1;
}

static int set_lock(int descriptor, short kind, int64_t byte) {
  struct flock range = {.l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  int status;
  do status = fcntl(descriptor, F_SETLK, &range);
  while (status < 0 && errno == EINTR);
  return status;
}

int lvs_lock_byte(int descriptor, int64_t byte) { return set_lock(descriptor, F_WRLCK, byte); }
int lvs_unlock_byte(int descriptor, int64_t byte) { return set_lock(descriptor, F_UNLCK, byte); }

pid_t lvs_lock_holder(int descriptor, int64_t byte) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  if (fcntl(descriptor, F_GETLK, &range) != 0 || range.l_type == F_UNLCK) return 0;
  return range.l_pid;
}

int lvs_share_byte(int descriptor, int64_t byte) { return set_lock(descriptor, F_RDLCK, byte); }

int lvs_hold_byte(const char *path, int64_t byte) {
  int descriptor = lvs_open(path, O_RDWR | O_NOFOLLOW, 0);
  struct flock range = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  if (descriptor >= 0) fcntl(descriptor, F_OFD_SETLK, &range);
  return descriptor;
}

bool lvs_is_byte_taken(int descriptor, int64_t byte) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(descriptor, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

bool lvs_can_map(uint64_t size) {
  void *place = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, size);
  return true;
}

// Clocks

uint64_t lvs_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t lvs_realtime_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void lvs_sleep_us(uint64_t microseconds) {
  struct timespec left = {.tv_sec = (time_t)(microseconds / 1000000), .tv_nsec = (long)(microseconds % 1000000) * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

// Waking

lvs_wake *lvs_wake_open(const char *path, unsigned mode) {
  int file = lvs_make(path, 0, mode);
  if (file < 0) return NULL;
  void *place = MAP_FAILED;
  if (lvs_reserve(file, 4096) == 0) place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int failure = errno;
  close(file);
  errno = failure;
  return place == MAP_FAILED ? NULL : place;
}

void lvs_wake_close(lvs_wake *wake) { munmap(wake, 4096); }
uint32_t lvs_wake_count(lvs_wake *wake) { return __atomic_load_n(&wake->count, __ATOMIC_SEQ_CST); }
void lvs_wake_join(lvs_wake *wake) { __atomic_fetch_add(&wake->sleepers, 1, __ATOMIC_SEQ_CST); }
void lvs_wake_leave(lvs_wake *wake) { __atomic_fetch_sub(&wake->sleepers, 1, __ATOMIC_SEQ_CST); }

uint32_t lvs_wake_generation(lvs_wake *wake) { return __atomic_load_n(&wake->generation, __ATOMIC_ACQUIRE); }
void lvs_wake_begin_replacing(lvs_wake *wake) { __atomic_store_n(&wake->replacing, 1, __ATOMIC_SEQ_CST); }
bool lvs_wake_is_replacing(lvs_wake *wake) { return __atomic_load_n(&wake->replacing, __ATOMIC_SEQ_CST) != 0; }

void lvs_wake_end_replacing(lvs_wake *wake) {
  __atomic_fetch_add(&wake->generation, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(&wake->replacing, 0, __ATOMIC_SEQ_CST);
}

// A number that is another one after each start of the system; 0 where that cannot be told.
static uint64_t boot_number(void) {
  int file = lvs_open("/proc/sys/kernel/random/boot_id", O_RDONLY, 0);
  if (file < 0) return 0;
  char text[36];
  ssize_t got = lvs_read_at(file, text, sizeof text, 0);
  close(file);
  uint64_t number = 1469598103934665603u;
  for (ssize_t i = 0; i < got; i++) number = (number ^ (unsigned char)text[i]) * 1099511628211u;
  return number;
}

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static uint64_t sum_of(const lvs_wake *note) {
  uint64_t sum = 0x9E3779B97F4A7C15u;
  const uint64_t parts[] = {note->boot, note->device, note->inode, note->size, (uint64_t)note->changed_ns};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) sum = (sum ^ parts[i]) * 0xBF58476D1CE4E5B9u + (sum >> 29);
  return sum;
}

static bool describe(lvs_wake *note, const char *path) {
  struct stat found;
  if (stat(path, &found) != 0) return false;
  note->device = found.st_dev;
  note->inode = found.st_ino;
  note->size = (uint64_t)found.st_size;
  note->changed_ns = nanoseconds(found.st_ctim);
  return true;
}

void lvs_wake_note(lvs_wake *wake, const char *path) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  lvs_wake note = {.boot = boot_number()};
  wake->sum = 0;
  if (!describe(&note, path)) return;
  int64_t age = nanoseconds(now) - note.changed_ns;
  if (age < 20000000) return;
  wake->boot = note.boot;
  wake->device = note.device;
  wake->inode = note.inode;
  wake->size = note.size;
  wake->changed_ns = note.changed_ns;
  wake->sum = sum_of(&note);
}

bool lvs_wake_is_noted(lvs_wake *wake, const char *path) {
  lvs_wake now = {0};
  if (wake->sum == 0 || wake->sum != sum_of(wake) || !describe(&now, path)) return false;
  return now.device == wake->device && now.inode == wake->inode && now.size == wake->size &&
         now.changed_ns == wake->changed_ns && boot_number() == wake->boot;
}

void lvs_wake_signal(lvs_wake *wake) {
  __atomic_fetch_add(&wake->count, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&wake->sleepers, __ATOMIC_SEQ_CST) == 0) return;
  syscall(SYS_futex, &wake->count, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void lvs_wake_tell(lvs_wake *wake, const lvs_recent *recent) {
  lvs_recent *place = wake->recent + recent->commit % LVS_RECENT_COMMITS;
  __atomic_store_n(&place->commit, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  if (recent->count > LVS_RECENT_NAMES) return;
  __atomic_store_n(&place->revision, recent->revision, __ATOMIC_RELAXED);
  __atomic_store_n(&place->count, recent->count, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < recent->count; i++)
    __atomic_store_n(place->hashes + i, recent->hashes[i], __ATOMIC_RELAXED);
  __atomic_store_n(&place->commit, recent->commit, __ATOMIC_RELEASE);
}

void lvs_wake_clear_recent(lvs_wake *wake) {
  for (int i = 0; i < LVS_RECENT_COMMITS; i++) __atomic_store_n(&wake->recent[i].commit, 0, __ATOMIC_SEQ_CST);
}

void lvs_wake_wait(lvs_wake *wake, uint32_t count, uint64_t timeout_ns) {
  struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / 1000000000u), .tv_nsec = (long)(timeout_ns % 1000000000u)};
  syscall(SYS_futex, &wake->count, FUTEX_WAIT, count, &timeout, NULL, 0);
}

typedef struct thread_task {
  void (*function)(void *);
  void *context;
} thread_task;

static void *run_task(void *pointer) {
  thread_task task = *(thread_task *)pointer;
  free(pointer);
  task.function(task.context);
  return NULL;
}

int lvs_thread_start(void (*function)(void *), void *context) {
  thread_task *task = malloc(sizeof *task);
  if (!task) return ENOMEM;
  *task = (thread_task){function, context};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  // The signals of the program are for its own threads; a new thread begins with the mask of its maker.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  int status = pthread_create(&thread, &attributes, run_task, task);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (status != 0) free(task);
  return status;
}

int lvs_event_make(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void lvs_event_signal(int descriptor) {
  uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

void lvs_event_drain(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {}
}

// Fork detection and locks

uint64_t *lvs_process_token_page;
static uint64_t fallback_token;
static pthread_mutex_t token_lock = PTHREAD_MUTEX_INITIALIZER;

struct lvs_mutex {
  pthread_mutex_t lock;
  lvs_mutex *next_global;
};
static lvs_mutex *global_mutexes;

static void before_fork(void) {
  pthread_mutex_lock(&token_lock);
  for (lvs_mutex *m = global_mutexes; m; m = m->next_global) pthread_mutex_lock(&m->lock);
}

static void after_fork_in_parent(void) {
  for (lvs_mutex *m = global_mutexes; m; m = m->next_global) pthread_mutex_unlock(&m->lock);
  pthread_mutex_unlock(&token_lock);
}

static void after_fork_in_child(void) {
  uint64_t *page = lvs_process_token_page;
  if (page) __atomic_store_n(page, 0, __ATOMIC_RELAXED);
  after_fork_in_parent();
}

static void make_token_page(void) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) page = &fallback_token;
  else madvise(page, 4096, MADV_WIPEONFORK);
  __atomic_store_n(&lvs_process_token_page, page, __ATOMIC_RELEASE);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

uint64_t lvs_process_token_make(void) {
  pthread_mutex_lock(&token_lock);
  if (!lvs_process_token_page) make_token_page();
  uint64_t token = __atomic_load_n(lvs_process_token_page, __ATOMIC_RELAXED);
  if (token == 0) {
    // The process id alone could repeat one of an ancestor's; the time makes the pair unique.
    token = ((uint64_t)getpid() << 40) ^ lvs_monotonic_ns();
    token |= 1;
    __atomic_store_n(lvs_process_token_page, token, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&token_lock);
  return token;
}

lvs_mutex *lvs_mutex_make(void) {
  lvs_mutex *mutex = calloc(1, sizeof *mutex);
  if (!mutex) lvs_die("livery: out of memory\n");
  pthread_mutex_init(&mutex->lock, NULL);
  return mutex;
}

lvs_mutex *lvs_mutex_make_global(void) {
  lvs_process_token();
  lvs_mutex *mutex = lvs_mutex_make();
  pthread_mutex_lock(&token_lock);
  mutex->next_global = global_mutexes;
  global_mutexes = mutex;
  pthread_mutex_unlock(&token_lock);
  return mutex;
}

void lvs_mutex_free(lvs_mutex *mutex) {
  pthread_mutex_destroy(&mutex->lock);
  free(mutex);
}

void lvs_mutex_lock(lvs_mutex *mutex) { pthread_mutex_lock(&mutex->lock); }
void lvs_mutex_unlock(lvs_mutex *mutex) { pthread_mutex_unlock(&mutex->lock); }

static struct timespec time_of(uint64_t ns) {
  return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
}

bool lvs_mutex_lock_until(lvs_mutex *mutex, uint64_t deadline_ns) {
  struct timespec deadline = time_of(deadline_ns);
  return pthread_mutex_clocklock(&mutex->lock, CLOCK_MONOTONIC, &deadline) == 0;
}

struct lvs_condition {
  pthread_cond_t condition;
};

lvs_condition *lvs_condition_make(void) {
  lvs_condition *condition = calloc(1, sizeof *condition);
  if (!condition) lvs_die("livery: out of memory\n");
  pthread_cond_init(&condition->condition, NULL);
  return condition;
}

void lvs_condition_free(lvs_condition *condition) {
  pthread_cond_destroy(&condition->condition);
  free(condition);
}

bool lvs_condition_wait(lvs_condition *condition, lvs_mutex *mutex, uint64_t deadline_ns) {
  struct timespec deadline = time_of(deadline_ns);
  return pthread_cond_clockwait(&condition->condition, &mutex->lock, CLOCK_MONOTONIC, &deadline) != ETIMEDOUT;
}

void lvs_condition_wake_all(lvs_condition *condition) { pthread_cond_broadcast(&condition->condition); }

struct lvs_rwlock {
  pthread_rwlock_t lock;
};

lvs_rwlock *lvs_rwlock_make(void) {
  lvs_rwlock *lock = calloc(1, sizeof *lock);
  if (!lock) lvs_die("livery: out of memory\n");
  pthread_rwlock_init(&lock->lock, NULL);
  return lock;
}

void lvs_rwlock_free(lvs_rwlock *lock) {
  pthread_rwlock_destroy(&lock->lock);
  free(lock);
}

void lvs_rwlock_read(lvs_rwlock *lock) { pthread_rwlock_rdlock(&lock->lock); }
void lvs_rwlock_write(lvs_rwlock *lock) { pthread_rwlock_wrlock(&lock->lock); }
void lvs_rwlock_unlock(lvs_rwlock *lock) { pthread_rwlock_unlock(&lock->lock); }

bool lvs_rwlock_write_until(lvs_rwlock *lock, uint64_t deadline_ns) {
  struct timespec deadline = time_of(deadline_ns);
  return pthread_rwlock_clockwrlock(&lock->lock, CLOCK_MONOTONIC, &deadline) == 0;
}

// The thread's last error

// Thread-specific data rather than _Thread_local: that would need the dynamic loader by name, and the surplus of static
// TLS that a library loaded at run time gets is smaller than a message.
typedef struct thread_error {
  lvs_error error;
  bool has_setting;
  lvs_error_view view;
} thread_error;

static pthread_once_t thread_error_once = PTHREAD_ONCE_INIT;
static pthread_key_t thread_error_key;
static bool thread_error_has_key;

static void make_thread_error_key(void) { thread_error_has_key = pthread_key_create(&thread_error_key, free) == 0; }

// A thread that ends after the library was unloaded must not call into it.
__attribute__((destructor)) static void drop_thread_error_key(void) {
  if (thread_error_has_key) pthread_key_delete(thread_error_key);
}

static thread_error *own_thread_error(void) {
  // Shared by threads only when there is no memory left for one of their own.
  static thread_error last_resort;
  pthread_once(&thread_error_once, make_thread_error_key);
  if (!thread_error_has_key) return &last_resort;
  thread_error *own = pthread_getspecific(thread_error_key);
  if (own) return own;
  own = calloc(1, sizeof *own);
  if (!own) return &last_resort;
  if (pthread_setspecific(thread_error_key, own) != 0) {
    free(own);
    return &last_resort;
  }
  return own;
}

static void keep_line(char *buffer, size_t size, const char *text, size_t length) {
  size_t count = length < size ? length : size - 1;
  if (count < length)
    while (count > 0 && ((unsigned char)text[count] & 0xC0) == 0x80) count--;
  for (size_t i = 0; i < count; i++) {
    unsigned char c = (unsigned char)text[i];
    buffer[i] = c < 0x20 || c == 0x7F ? ' ' : text[i];
  }
  buffer[count] = 0;
}

void lvs_thread_error_set(int32_t status, int32_t system_error, uint32_t line, uint32_t column, const void *message,
                          size_t message_length, bool has_setting, const void *setting, size_t setting_length) {
  thread_error *own = own_thread_error();
  lvs_error *error = &own->error;
  error->status = status;
  error->system_error = system_error;
  error->line = line;
  error->column = column;
  keep_line(error->message, sizeof error->message, message, message_length);
  keep_line(error->setting, sizeof error->setting, setting, setting_length);
  own->has_setting = has_setting;
}

const lvs_error_view *lvs_thread_error_view(void) {
  thread_error *own = own_thread_error();
  lvs_error *error = &own->error;
  own->view = (lvs_error_view){
      .struct_size = sizeof own->view,
      .status = error->status,
      .system_error = error->system_error,
      .message = error->message,
      .setting = own->has_setting ? error->setting : NULL,
      .line = error->line,
      .column = error->column,
  };
  return &own->view;
}

// Numbers

static locale_t c_locale(void) {
  static locale_t made;
  locale_t found = __atomic_load_n(&made, __ATOMIC_ACQUIRE);
  if (found) return found;
  locale_t fresh = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t none = (locale_t)0;
  if (!__atomic_compare_exchange_n(&made, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    freelocale(fresh);
    return none;
  }
  return fresh;
}

bool lvs_parse_double(const char *text, size_t length, double *value) {
  char buffer[512];
  if (length == 0 || length >= sizeof buffer) return false;
  bool digit = false;
  for (size_t i = 0; i < length; i++) {
    char c = text[i];
    if (c >= '0' && c <= '9') digit = true;
    else if (c != '+' && c != '-' && c != '.' && c != 'e' && c != 'E') return false;
  }
  if (!digit) return false;
  memcpy(buffer, text, length);
  buffer[length] = 0;
  char *end = NULL;
  double result = strtod_l(buffer, &end, c_locale());
  if (end != buffer + length || !isfinite(result)) return false;
  *value = result;
  return true;
}

size_t lvs_format_double(double value, char buffer[40]) {
  locale_t before = uselocale(c_locale());
  int length = 0;
  for (int digits = 15; digits <= 17; digits++) {
    length = snprintf(buffer, 40, "%.*g", digits, value);
    if (strtod(buffer, NULL) == value) break;
  }
  uselocale(before);
  if (isfinite(value) && !strpbrk(buffer, ".e")) {
    memcpy(buffer + length, ".0", 3);
    length += 2;
  }
  return (size_t)length;
}

// Regular expressions

struct lvs_regex {
  regex_t compiled;
};

lvs_regex *lvs_regex_make(const char *pattern, char *message, size_t message_size) {
  lvs_regex *regex = calloc(1, sizeof *regex);
  if (!regex) lvs_die("livery: out of memory\n");
  int status = regcomp(&regex->compiled, pattern, REG_EXTENDED | REG_NOSUB);
  if (status == 0) return regex;
  regerror(status, &regex->compiled, message, message_size);
  free(regex);
  return NULL;
}

bool lvs_regex_matches(const lvs_regex *regex, const char *text, size_t length) {
  regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)length};
  return regexec(&regex->compiled, text, 1, &range, REG_STARTEND) == 0;
}

void lvs_regex_free(lvs_regex *regex) {
  regfree(&regex->compiled);
  free(regex);
}

// Commands

static int argument_count;
static char **arguments;

// The GNU loader hands a constructor what it hands main.
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  arguments = values;
}

int lvs_argument_count(void) { return argument_count; }
const char *lvs_argument(int index) { return index >= 0 && index < argument_count ? arguments[index] : NULL; }

_Noreturn void lvs_die(const char *message) {
  lvs_write_all(2, message, strlen(message));
  abort();
}

int lvs_call_as_child(int (*function)(void *), void *argument) {
  enum { STACK = 256 << 10 };
  char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  // No signal at its end: a program may wait for children of its own.
  int child = clone(function, stack + STACK, CLONE_VM | CLONE_VFORK | CLONE_FILES, argument), status = -1;
  if (child > 0)
    while (waitpid(child, &status, __WCLONE) < 0 && errno == EINTR) {}
  munmap(stack, STACK);
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define _GNU_SOURCE
#include "csystem.h"
#include "locks.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>

// Threads

typedef struct thread_task {
  void (*function)(void *), (*ended)(void *);
  void *context;
} thread_task;

static void end_early(void *pointer) {
  const thread_task *task = pointer;
  if (task->ended) task->ended(task->context);
}

static void *run_task(void *pointer) {
  thread_task task = *(thread_task *)pointer;
  free(pointer);
  // What it calls may end it with pthread_exit, and not at any other place.
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_cleanup_push(end_early, &task);
  task.function(task.context);
  pthread_cleanup_pop(0);
  return NULL;
}

int lvs_thread_start(void (*function)(void *), void *context) { return lvs_thread_start_watched(function, NULL, context); }

int lvs_thread_start_watched(void (*function)(void *), void (*ended)(void *), void *context) {
  thread_task *task = malloc(sizeof *task);
  if (!task) return ENOMEM;
  *task = (thread_task){function, ended, context};
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

// Work that the end of the program waits for

static pthread_mutex_t background_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t background_ended = PTHREAD_COND_INITIALIZER;
static unsigned background_count;
static pid_t background_process;

void lvs_background_begin(void) {
  pthread_mutex_lock(&background_lock);
  // Threads do not come along when a process is forked.
  if (background_process != getpid()) background_count = 0;
  background_process = getpid();
  background_count++;
  pthread_mutex_unlock(&background_lock);
}

void lvs_background_end(void) {
  pthread_mutex_lock(&background_lock);
  if (background_count > 0 && --background_count == 0) pthread_cond_broadcast(&background_ended);
  pthread_mutex_unlock(&background_lock);
}

__attribute__((destructor)) static void await_background(void) {
  if (background_process != getpid() || pthread_mutex_trylock(&background_lock) != 0) return;
  struct timespec deadline;
  clock_gettime(CLOCK_MONOTONIC, &deadline);
  deadline.tv_sec += 30;
  while (background_count > 0 &&
         pthread_cond_clockwait(&background_ended, &background_lock, CLOCK_MONOTONIC, &deadline) == 0) {}
  pthread_mutex_unlock(&background_lock);
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

// Whoever holds one of them may wait for any other: nobody is waited for while others are held.
static void before_fork(void) {
  for (;;) {
    pthread_mutex_lock(&token_lock);
    lvs_mutex *taken = NULL;
    for (lvs_mutex *m = global_mutexes; m && !taken; m = m->next_global)
      if (pthread_mutex_trylock(&m->lock) != 0) taken = m;
    if (!taken) break;
    for (lvs_mutex *m = global_mutexes; m != taken; m = m->next_global) pthread_mutex_unlock(&m->lock);
    pthread_mutex_unlock(&token_lock);
    pthread_mutex_lock(&taken->lock);
    pthread_mutex_unlock(&taken->lock);
  }
  // Its holder waits for nothing.
  lvs_memory_before_fork();
}

static void after_fork_in_parent(void) {
  lvs_memory_after_fork();
  for (lvs_mutex *m = global_mutexes; m; m = m->next_global) pthread_mutex_unlock(&m->lock);
  pthread_mutex_unlock(&token_lock);
}

static void after_fork_in_child(void) {
  uint64_t *page = lvs_process_token_page;
  if (page) __atomic_store_n(page, 0, __ATOMIC_RELAXED);
  lvs_lock_files_forked();
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

void lvs_fork_lock(void) {
  lvs_process_token();
  pthread_mutex_lock(&token_lock);
}

void lvs_fork_unlock(void) { pthread_mutex_unlock(&token_lock); }

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

// A process of our own

enum { CHILD_STACK = 256 << 10 };

static int call_in_child(int (*function)(void *), void *argument, int sharing) {
  char *stack = mmap(NULL, CHILD_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  // The signals of the program are not for the child, whose handlers would run in the program's memory.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // No signal at its end: a program may wait for children of its own.
  int child = clone(function, stack + CHILD_STACK, CLONE_VM | CLONE_VFORK | sharing, argument), status = -1;
  if (child > 0)
    while (waitpid(child, &status, __WCLONE) < 0 && errno == EINTR) {}
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  munmap(stack, CHILD_STACK);
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int lvs_call_as_child(int (*function)(void *), void *argument) {
  return call_in_child(function, argument, CLONE_FILES);
}

// Files that others must not inherit

enum { MOST_FILES = 3 };

typedef struct opening {
  int (*function)(void *);
  void *argument;
  // Numbers that are kept free for the files, the lowest first.
  int places[MOST_FILES];
  int pair[2];
  // What the child has opened; -1 before it was run.
  int count;
  int opened[MOST_FILES];
} opening;

typedef union ancillary {
  struct cmsghdr header;
  char room[CMSG_SPACE(sizeof(int) * MOST_FILES)];
} ancillary;

static struct msghdr message_with(ancillary *part, struct iovec *content) {
  return (struct msghdr){.msg_iov = content, .msg_iovlen = 1, .msg_control = part, .msg_controllen = sizeof *part};
}

// Keeps a number, which need not be higher than those before: another thread may have closed a file meanwhile.
static bool keep_place(opening *task, int kept, int folder) {
  int place = fcntl(folder, F_DUPFD_CLOEXEC, 3);
  if (place < 0) return false;
  for (; kept > 0 && task->places[kept - 1] > place; kept--) task->places[kept] = task->places[kept - 1];
  task->places[kept] = place;
  return true;
}

static bool send_files(const opening *task) {
  ancillary part = {0};
  char byte = 0;
  struct iovec content = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = message_with(&part, &content);
  message.msg_controllen = CMSG_LEN(sizeof(int) * (size_t)task->count);
  part.header = (struct cmsghdr){.cmsg_len = message.msg_controllen, .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  memcpy(CMSG_DATA(&part.header), task->opened, sizeof(int) * (size_t)task->count);
  return sendmsg(task->pair[1], &message, MSG_NOSIGNAL) == 1;
}

// In a process that shares memory with this one, and has the descriptors for itself.
static int open_apart(void *pointer) {
  opening *task = pointer;
  // Or it would keep the locks of a process that was killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The next numbers that are free are to be those that are kept.
  for (int filled = 0; filled >= 0 && filled < task->places[MOST_FILES - 1];) filled = dup(task->places[0]);
  for (int i = 0; i < MOST_FILES; i++) close(task->places[i]);
  task->function(task->argument);
  int count = 0;
  for (int i = 0; i < MOST_FILES; i++)
    if (fcntl(task->places[i], F_GETFD) >= 0) task->opened[count++] = task->places[i];
  task->count = count;
  return count == 0 || send_files(task) ? 0 : 1;
}

static bool take_files(const opening *task) {
  if (task->count == 0) return true;
  ancillary part = {0};
  char byte;
  struct iovec content = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = message_with(&part, &content);
  if (recvmsg(task->pair[0], &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1) return false;
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  int count = header ? (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int)) : 0, files[MOST_FILES];
  if (count > MOST_FILES) count = MOST_FILES;
  if (count > 0) memcpy(files, CMSG_DATA(header), sizeof(int) * (size_t)count);
  bool is_whole = count == task->count;
  for (int i = 0; i < count; i++) {
    if (dup3(files[i], task->opened[i], O_CLOEXEC) < 0) is_whole = false;
    close(files[i]);
  }
  return is_whole;
}

// Whether the program runs in a tool that takes such a child for a fork.
static bool is_watched(void) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return true;
#endif
#endif
  const char *preloaded = getenv("LD_PRELOAD");
  return preloaded && strstr(preloaded, "vgpreload");
}

// glibc's, since 2.32.
extern char __libc_single_threaded __attribute__((weak));

static bool is_alone(void) { return &__libc_single_threaded && __libc_single_threaded; }

static bool is_place_of(const opening *task, int place) {
  for (int i = 0; i < task->count; i++)
    if (task->opened[i] == place) return true;
  return false;
}

int lvs_call_opening(int (*function)(void *), void *argument, int folder, bool leaves_names) {
  opening task = {.function = function, .argument = argument, .places = {-1, -1, -1}, .count = -1};
  bool is_needed = leaves_names || !is_alone(), is_taken = false;
  bool can_try = is_needed && !is_watched() && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, task.pair) == 0;
  if (can_try) {
    int kept = 0;
    while (kept < MOST_FILES && keep_place(&task, kept, folder)) kept++;
    int status = kept == MOST_FILES ? call_in_child(open_apart, &task, 0) : -1;
    is_taken = task.count >= 0 && status == 0 && take_files(&task);
    for (int i = 0; i < kept; i++)
      // What the function has opened is its own to close, though it may have come to nothing.
      if (!is_place_of(&task, task.places[i])) close(task.places[i]);
    close(task.pair[0]);
    close(task.pair[1]);
  }
  if (task.count >= 0) {
    if (!is_taken) errno = EMFILE;
    return is_taken ? 0 : -1;
  }
  function(argument);
  return 1;
}

// Names for files that have none

static bool link_to(int file, const char *path) {
  char target[32];
  snprintf(target, sizeof target, "/proc/self/fd/%d", file);
  return symlink(target, path) == 0;
}

enum { NAME = 64, LOCK_NAME = NAME + sizeof "-lock" };

static bool name_in(const char *folder, int file, int lock, char path[NAME], char lock_path[LOCK_NAME]) {
  uint64_t number = lvs_monotonic_ns();
  (void)!getrandom(&number, sizeof number, GRND_NONBLOCK);
  snprintf(path, NAME, "%s/.livery-%016llx", folder, (unsigned long long)number);
  snprintf(lock_path, LOCK_NAME, "%s-lock", path);
  if (!link_to(file, path)) return false;
  if (link_to(lock, lock_path)) return true;
  int failure = errno;
  unlink(path);
  errno = failure;
  return false;
}

int lvs_call_naming(int file, int lock, void (*function)(const char *path, void *argument), void *argument) {
  static const char *const folders[] = {"/dev/shm", "/run", "/tmp", "/var/tmp"};
  char path[NAME], lock_path[LOCK_NAME];
  int signal = 0;
  bool is_named = false;
  prctl(PR_GET_PDEATHSIG, &signal);
  prctl(PR_SET_PDEATHSIG, 0);
  for (size_t i = 0; i < sizeof folders / sizeof *folders && !is_named; i++)
    is_named = name_in(folders[i], file, lock, path, lock_path);
  int failure = errno;
  if (is_named) {
    function(path, argument);
    unlink(lock_path);
    unlink(path);
  }
  prctl(PR_SET_PDEATHSIG, signal);
  errno = failure;
  return is_named ? 0 : -1;
}

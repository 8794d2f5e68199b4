// How long a change takes from one process to another, beside a bare futex between the same processes, and what
// watchers elsewhere cost a commit. Prints one line for each figure: "NAME NANOSECONDS".
//
//     notify STORE COMMITS
//
// Time begins when the commit's last write returns: from then on it is on disk. The commits are durable, and come one
// after the other, when the watcher sleeps again. As in spawn.c the cores are kept awake by processes of the
// lowest priority.
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <livery.h>

enum { WATCHERS = 8, PAUSE_US = 300 };
static const char *const setting = "bench.notify";
static const char *path;

/** What the processes share. */
static struct {
  atomic_uint ping;
  _Atomic int64_t ping_seen, ping_at, value_seen, value_at;
} *board;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "notify: %s: %s\n", what, livery_last_error()->message);
  _exit(1);
}

// The writes of LMDB come by here.
static int64_t last_write;

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  static ssize_t (*real)(int, const void *, size_t, off_t);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwrite");
  ssize_t written = real(file, bytes, count, offset);
  last_write = now();
  return written;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return pwrite(file, bytes, count, (off_t)offset);
}

static pid_t start(void (*run)(int, int), int *commands, int *answers) {
  int down[2], up[2];
  if (pipe(down) != 0 || pipe(up) != 0) fail("pipe");
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(down[1]);
    close(up[0]);
    run(down[0], up[1]);
    _exit(0);
  }
  close(down[0]);
  close(up[1]);
  *commands = down[1];
  *answers = up[0];
  return child;
}

static void spin(int commands, int answers) {
  struct sched_param parameters = {0};
  (void)commands, (void)answers;
  sched_setscheduler(0, SCHED_IDLE, &parameters);
  for (;;) {}
}

/** Binds the calling process to the first or the last of its cores, or lets it go. */
enum { FIRST, LAST, ALL };
static void keep_to(int place) {
  static cpu_set_t all;
  cpu_set_t one;
  if (CPU_COUNT(&all) == 0) sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (int core = 0; core < CPU_SETSIZE; core++) {
    if (!CPU_ISSET(core, &all)) continue;
    if (place == LAST) CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (place == FIRST) break;
  }
  sched_setaffinity(0, sizeof one, &one);
}

static bool tell(int commands, int answers) {
  char byte = 1;
  return write(commands, &byte, 1) == 1 && read(answers, &byte, 1) == 1;
}

static livery_store *opened(void) {
  livery_store *store = NULL;
  if (livery_open(path, NULL, &store) != LIVERY_OK) fail("open");
  return store;
}

// The processes that watch

static void notes(const livery_event *events, size_t count, void *unused) {
  int64_t value = 0, at = now();
  (void)unused;
  if (livery_value_as_int(events[count - 1].new_value, &value) != LIVERY_OK) fail("value");
  atomic_store(&board->value_at, at);
  atomic_store(&board->value_seen, value);
}

static void ignores(const livery_event *events, size_t count, void *unused) { (void)events, (void)count, (void)unused; }

static void by_callback(int commands, int answers) {
  keep_to(LAST);
  livery_watch *watch = NULL;
  char byte = 1;
  if (livery_watch_start(opened(), setting, NULL, notes, NULL, NULL, &watch) != LIVERY_OK) fail("watch");
  if (write(answers, &byte, 1) != 1) return;
  if (read(commands, &byte, 1) < 0) return;
}

static void by_descriptor(int commands, int answers) {
  keep_to(LAST);
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  livery_store *store = opened();
  livery_watch *watch = NULL;
  struct pollfd entries[2] = {{.events = POLLIN}, {.fd = commands, .events = POLLIN}};
  char byte = 1;
  options.flags = LIVERY_WATCH_DISPATCH;
  if (livery_watch_start(store, setting, &options, notes, NULL, NULL, &watch) != LIVERY_OK) fail("watch");
  if (livery_event_fd(store, &entries[0].fd) != LIVERY_OK) fail("descriptor");
  if (write(answers, &byte, 1) != 1) return;
  for (;;) {
    if (poll(entries, 2, -1) < 0 || entries[1].revents) return;
    if (livery_dispatch(store, NULL) != LIVERY_OK) fail("dispatch");
  }
}

static void by_futex(int commands, int answers) {
  char byte = 1;
  unsigned seen = atomic_load(&board->ping);
  (void)commands;
  keep_to(LAST);
  if (write(answers, &byte, 1) != 1) return;
  for (;;) {
    while (atomic_load(&board->ping) == seen) syscall(SYS_futex, &board->ping, FUTEX_WAIT, seen, NULL, NULL, 0);
    atomic_store(&board->ping_at, now());
    seen = atomic_load(&board->ping);
    atomic_store(&board->ping_seen, seen);
  }
}

/** Watches, and stops, and watches, as it is told. */
static void now_and_then(int commands, int answers) {
  livery_store *store = opened();
  livery_watch *watch = NULL;
  char byte;
  while (read(commands, &byte, 1) == 1) {
    livery_status status = LIVERY_OK;
    if (watch) {
      status = livery_watch_stop(watch);
      watch = NULL;
      usleep(20000);
    } else {
      status = livery_watch_start(store, setting, NULL, ignores, NULL, NULL, &watch);
    }
    if (status != LIVERY_OK) fail("watch");
    if (write(answers, &byte, 1) != 1) return;
  }
}

// The one that writes

static void wait_for(_Atomic int64_t *seen, int64_t value) {
  int64_t end = now() + 5000000000;
  while (atomic_load(seen) != value) {
    if (now() > end) {
      fprintf(stderr, "notify: nothing came within 5 s\n");
      _exit(1);
    }
    usleep(20);
  }
  usleep(PAUSE_US);
}

static int by_size(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return a < b ? -1 : a > b;
}

static void print(const char *name, int64_t *times, int count, int percent) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("%s_p%d %lld\n", name, percent, (long long)times[(count - 1) * percent / 100]);
}

static int64_t commit(livery_store *store, int64_t number) {
  int64_t begin = now();
  if (livery_set_int(store, LIVERY_LAYER_USER, setting, number) != LIVERY_OK) fail("set");
  return now() - begin;
}

static void measure(const char *name, void (*watcher)(int, int), int count, int64_t *times, int64_t *pings) {
  static int64_t number;
  int commands[2], answers[2];
  char byte;
  pid_t children[2] = {start(watcher, &commands[0], &answers[0]), start(by_futex, &commands[1], &answers[1])};
  if (read(answers[0], &byte, 1) != 1 || read(answers[1], &byte, 1) != 1) _exit(1);
  usleep(10000);
  keep_to(FIRST);
  livery_store *store = opened();
  for (int index = -10; index < count; index++) {
    int64_t begin = now();
    unsigned ping = atomic_fetch_add(&board->ping, 1) + 1;
    syscall(SYS_futex, &board->ping, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    wait_for(&board->ping_seen, ping);
    if (index >= 0) pings[index] = atomic_load(&board->ping_at) - begin;
    commit(store, ++number);
    begin = last_write;
    wait_for(&board->value_seen, number);
    if (index >= 0) times[index] = atomic_load(&board->value_at) - begin;
  }
  livery_close(store);
  keep_to(ALL);
  for (int child = 0; child < 2; child++) {
    close(commands[child]);
    kill(children[child], SIGKILL);
    waitpid(children[child], NULL, 0);
  }
  print(name, times, count, 50);
  print(name, times, count, 99);
}

static void measure_commits(int count, int64_t *alone, int64_t *watched) {
  enum { BLOCK = 50 };
  int commands[WATCHERS], answers[WATCHERS], used[2] = {0, 0};
  pid_t children[WATCHERS];
  for (int index = 0; index < WATCHERS; index++)
    children[index] = start(now_and_then, &commands[index], &answers[index]);
  livery_store *store = opened();
  for (int64_t number = -BLOCK; used[1] < count; number++) {
    if (number >= 0 && number % BLOCK == 0)
      for (int index = 0; index < WATCHERS; index++)
        if (!tell(commands[index], answers[index])) _exit(1);
    bool is_watched = number >= 0 && number / BLOCK % 2 == 0;
    int64_t time = commit(store, number);
    int *next = &used[is_watched];
    if (*next < count) (is_watched ? watched : alone)[(*next)++] = time;
  }
  livery_close(store);
  for (int index = 0; index < WATCHERS; index++) {
    kill(children[index], SIGKILL);
    waitpid(children[index], NULL, 0);
  }
  print("commit_alone", alone, used[0], 50);
  print("commit_watched", watched, used[1], 50);
}

int main(int argc, char **argv) {
  if (argc != 3 || atoi(argv[2]) < 100) return 2;
  path = argv[1];
  keep_to(ALL);
  int count = atoi(argv[2]), spinners = 0, unused;
  pid_t spinner[2];
  int64_t *times = calloc((size_t)count, sizeof *times), *others = calloc((size_t)count, sizeof *others);
  board = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (!times || !others || board == MAP_FAILED) return 1;
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(path, &options, &store) != LIVERY_OK) fail("open");
  livery_close(store);
  while (spinners < 2) spinner[spinners++] = start(spin, &unused, &unused);
  measure("callback", by_callback, count, times, others);
  print("ping", others, count, 50);
  print("ping", others, count, 99);
  measure("descriptor", by_descriptor, count, times, others);
  measure_commits(count, times, others);
  while (spinners-- > 0) kill(spinner[spinners], SIGKILL);
  free(times);
  free(others);
  return 0;
}

// A watcher that sleeps in each call while others commit: its memory stays bounded, and when the log has been trimmed past
// it, it gets one resync, then what the log still holds.
//
// $LIVERY_WATCH_COMMITS commits of 1 KB (2,000 by default), $LIVERY_WATCH_SLEEP_MS for each call (100 by default). Prints
// one line with figures.
#include <livery.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { log_holds = 5, most_kilobytes = 4096 };

/** What the processes share. */
static struct {
  atomic_bool has_begun, all_committed, stop;
  atomic_int resyncs, changes;
  _Atomic uint64_t revision, last;
  _Atomic long before, most;
} *board;

static char path[64] = "/tmp/livery-watch-slow-XXXXXX";
static int commits = 2000, sleep_ms = 100;

static void fail(const char *what) {
  fprintf(stderr, "watch_slow: %s: %s\n", what, livery_last_error()->message);
  _exit(1);
}

static livery_store *open_store(uint32_t log_entries) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  options.log_entries = log_entries;
  if (livery_open(path, &options, &store) != LIVERY_OK) fail("opening");
  return store;
}

/** What the process has for itself, in kilobytes; the pages of the store are everyone's. */
static long own_memory(void) {
  char line[128];
  long kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "r");
  if (!file) fail("memory");
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "RssAnon: %ld", &kilobytes) == 1) break;
  fclose(file);
  return kilobytes;
}

static void hear(const livery_event *events, size_t count, void *unused) {
  (void)unused;
  for (size_t i = 0; i < count; i++) {
    if (events[i].revision <= atomic_load(&board->last)) fail("revisions do not rise");
    atomic_store(&board->last, events[i].revision);
    if (events[i].kind == LIVERY_EVENT_RESYNC) {
      atomic_fetch_add(&board->resyncs, 1);
    } else {
      atomic_fetch_add(&board->changes, 1);
    }
  }
  if (!atomic_load(&board->has_begun)) atomic_store(&board->before, own_memory());
  atomic_store(&board->has_begun, true);
  usleep((useconds_t)sleep_ms * 1000);
  while (!atomic_load(&board->all_committed)) usleep(1000);
  long memory = own_memory();
  if (memory > atomic_load(&board->most)) atomic_store(&board->most, memory);
}

static void watch(int ready) {
  livery_store *store = open_store(0);
  livery_watch *handle = NULL;
  if (livery_watch_start(store, "s", NULL, hear, NULL, NULL, &handle) != LIVERY_OK) fail("watching");
  if (write(ready, "r", 1) != 1) _exit(1);
  while (!atomic_load(&board->stop)) usleep(1000);
  _exit(livery_close(store) == LIVERY_OK ? 0 : 1);
}

static void commit(livery_store *store, int number) {
  char text[1024];
  memset(text, 'x', sizeof text);
  int length = snprintf(text, sizeof text, "%d", number);
  text[length] = ' ';
  if (livery_set_string(store, LIVERY_LAYER_USER, "s", text, sizeof text) != LIVERY_OK) fail("setting");
}

/** How much memory the watcher gained; it is looked at for some calls, or until it has heard of everything. */
static long lag(uint32_t log_entries, int calls) {
  int ready[2], status = 0;
  char byte;
  memset(board, 0, sizeof *board);
  if (pipe(ready) != 0) fail("pipe");
  pid_t child = fork();
  if (child == 0) watch(ready[1]);
  if (read(ready[0], &byte, 1) != 1) fail("the watcher did not start");
  livery_store *store = open_store(log_entries);
  commit(store, -1);
  while (!atomic_load(&board->has_begun)) usleep(1000);
  for (int i = 0; i < commits; i++) commit(store, i);
  uint64_t revision = 0;
  livery_revision(store, &revision);
  atomic_store(&board->all_committed, true);
  while (atomic_load(&board->last) < revision && atomic_load(&board->changes) < calls) {
    if (waitpid(child, &status, WNOHANG) == child) fail("the watcher ended");
    usleep(1000);
  }
  livery_close(store);
  // Its last call is still under way.
  usleep((useconds_t)sleep_ms * 1000);
  atomic_store(&board->stop, true);
  if (waitpid(child, &status, 0) != child || status != 0) fail("the watcher failed");
  return atomic_load(&board->most) - atomic_load(&board->before);
}

int main(void) {
  const char *given = getenv("LIVERY_WATCH_COMMITS"), *slow = getenv("LIVERY_WATCH_SLEEP_MS");
  if (given) commits = atoi(given);
  if (slow) sleep_ms = atoi(slow);
  board = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (board == MAP_FAILED || !mkdtemp(path)) return 1;
  int failures = 0;
  long trimmed = lag(log_holds, 1 << 30);
  int resyncs = atomic_load(&board->resyncs), changes = atomic_load(&board->changes);
  if (resyncs != 1 || changes != 1 + log_holds || trimmed > most_kilobytes) failures++;
  // All of it is in the log, and none but what comes next in memory.
  long kept = lag((uint32_t)commits * 4, 4);
  if (atomic_load(&board->resyncs) != 0 || kept > most_kilobytes) failures++;
  printf("watch_slow: %d commits during a call of %d ms: %d resync, then %d changes; memory +%ld KB, +%ld KB with all in "
         "the log; %d failures\n",
         commits, sleep_ms, resyncs, changes - 1, trimmed, kept, failures);
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", path);
  return system(command) != 0 || failures != 0;
}

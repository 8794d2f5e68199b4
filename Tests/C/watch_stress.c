// Many processes watch one store while others write to it: every watcher hears every commit, in order, and ends at the
// final state. Each event's old value is the new value of the one before, so that a gap cannot hide.
//
// $LIVERY_WATCH_COMMITS commits in all (2,000 by default). Prints one line with figures.
#include <livery.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { watchers = 8, writers = 4 };

static char path[64] = "/tmp/livery-watch-stress-XXXXXX";
static int commits_each;

static void fail(const char *what) {
  fprintf(stderr, "watch_stress: %s: %s\n", what, livery_last_error()->message);
  _exit(1);
}

static livery_store *open_store(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  options.busy_timeout_ms = 60000;
  options.log_entries = 1000000;
  if (livery_open(path, &options, &store) != LIVERY_OK) fail("opening");
  return store;
}

typedef struct seen {
  uint64_t revision;
  int64_t last[writers];
  atomic_int finished;
} seen;

static void hear(const livery_event *events, size_t count, void *context) {
  seen *seen = context;
  if (count == 0 || events[0].revision <= seen->revision) fail("revisions do not rise");
  seen->revision = events[0].revision;
  for (size_t i = 0; i < count; i++) {
    int64_t before = -1, after = 0;
    if (events[i].kind != LIVERY_EVENT_CHANGED) fail("an event of another kind");
    int writer = events[i].name[1] - '0';
    if (events[i].old_value) livery_value_as_int(events[i].old_value, &before);
    livery_value_as_int(events[i].new_value, &after);
    if (before != seen->last[writer] || after != before + 1) fail("a commit was missed");
    seen->last[writer] = after;
    if (after == commits_each - 1) atomic_fetch_add(&seen->finished, 1);
  }
}

static int watch(int ready) {
  seen seen = {.revision = 0};
  for (int i = 0; i < writers; i++) seen.last[i] = -1;
  livery_store *store = open_store();
  livery_watch *handle = NULL;
  if (livery_watch_start(store, "w*", NULL, hear, &seen, NULL, &handle) != LIVERY_OK) fail("watching");
  if (write(ready, "r", 1) != 1) return 1;
  for (int i = 0; i < 6000 && atomic_load(&seen.finished) < writers; i++) usleep(20000);
  if (atomic_load(&seen.finished) < writers) fail("the final state did not come");
  livery_watch_stop(handle);
  return livery_close(store) == LIVERY_OK ? 0 : 1;
}

static int write_values(int writer) {
  livery_store *store = open_store();
  char name[3] = {'w', (char)('0' + writer), 0};
  for (int i = 0; i < commits_each; i++) {
    if (livery_set_int(store, LIVERY_LAYER_USER, name, i) != LIVERY_OK) fail("setting");
  }
  return livery_close(store) == LIVERY_OK ? 0 : 1;
}

int main(void) {
  const char *given = getenv("LIVERY_WATCH_COMMITS");
  commits_each = (given ? atoi(given) : 2000) / writers;
  int ready[2];
  if (!mkdtemp(path) || pipe(ready) != 0) return 1;
  for (int i = 0; i < watchers; i++)
    if (fork() == 0) _exit(watch(ready[1]));
  char byte;
  for (int i = 0; i < watchers; i++)
    if (read(ready[0], &byte, 1) != 1) return 1;
  for (int i = 0; i < writers; i++)
    if (fork() == 0) _exit(write_values(i));
  int failures = 0, status = 0;
  while (wait(&status) > 0) failures += status != 0;
  printf("watch_stress: %d watchers, %d writers, %d commits, %d failures\n", watchers, writers, commits_each * writers,
         failures);
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", path);
  return system(command) != 0 || failures != 0;
}

// Processes that watch one store while others write to it: every one hears every commit, in order, and ends at the final
// state. An event's old value is the new value of the one before, so that a gap cannot hide.
//
//     subscribers [--commits N] [--broken]
#include "torture.h"

enum { WATCHERS = 8, WRITERS = 4, PATIENCE_S = 60 };

static char path[240];
static int64_t commits_each;
static struct figures { _Atomic uint64_t commits, events, calls; } *figures;

static livery_store *open_store(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED;
  options.busy_timeout_ms = 60000;
  // Nobody is to be so late that the log has gone.
  options.log_entries = 10000000;
  options.backup_age_s = options.backup_commits = UINT32_MAX;
  if (livery_open(path, &options, &store) != LIVERY_OK) give_up("opening");
  return store;
}

typedef struct heard {
  uint64_t revision;
  int64_t last[WRITERS];
  _Atomic int finished;
  _Atomic uint64_t calls;
} heard;

static void hear(const livery_event *events, size_t count, void *context) {
  heard *heard = context;
  if (count == 0 || events[0].revision <= heard->revision) {
    finding("subscribers: revision %" PRIu64 " after %" PRIu64, count ? events[0].revision : 0, heard->revision);
    return;
  }
  heard->revision = events[0].revision;
  for (size_t index = 0; index < count; index++) {
    const livery_event *event = &events[index];
    int64_t before = -1, after = -1;
    if (event->kind != LIVERY_EVENT_CHANGED) {
      finding("subscribers: an event of kind %d", (int)event->kind);
      continue;
    }
    int writer = event->name[1] - '0';
    if (event->old_value) livery_value_as_int(event->old_value, &before);
    livery_value_as_int(event->new_value, &after);
    if (before != heard->last[writer] || after != before + 1)
      finding("subscribers: %s from %" PRId64 " to %" PRId64 " where %" PRId64 " was heard last", event->name, before, after,
              heard->last[writer]);
    heard->last[writer] = after;
    if (after == commits_each - 1) heard->finished++;
  }
  figures->events += count;
  heard->calls++;
}

static int watch(int ready) {
  heard heard = {0};
  for (int index = 0; index < WRITERS; index++) heard.last[index] = -1;
  // For seeing the harness fail: a commit that never was.
  if (option_given("--broken")) heard.last[0] = 0;
  livery_store *store = open_store();
  livery_watch *handle = NULL;
  if (livery_watch_start(store, "w*", NULL, hear, &heard, NULL, &handle) != LIVERY_OK) give_up("watching");
  if (write(ready, "r", 1) != 1) give_up("the pipe");
  uint64_t calls = 0;
  double last = seconds_now();
  while (heard.finished < WRITERS && seconds_now() - last < PATIENCE_S) {
    if (heard.calls != calls) last = seconds_now();
    calls = heard.calls;
    sleep_us(20000);
  }
  if (heard.finished < WRITERS) finding("subscribers: the final state did not come");
  livery_watch_stop(handle);
  figures->calls += heard.calls;
  return livery_close(store) == LIVERY_OK ? 0 : 1;
}

static int write_values(int writer) {
  livery_store *store = open_store();
  char name[3] = {'w', (char)('0' + writer), 0};
  for (int64_t value = 0; value < commits_each; value++) {
    if (livery_set_int(store, LIVERY_LAYER_USER, name, value) != LIVERY_OK) give_up("setting %s", name);
    figures->commits++;
  }
  return livery_close(store) == LIVERY_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  begin_torture("subscribers", argc, argv);
  commits_each = (int64_t)option_number("--commits", 2000) / WRITERS;
  figures = shared_memory(sizeof *figures);
  snprintf(path, sizeof path, "%s/store", torture_directory);
  double began = seconds_now();
  int ready[2];
  char byte;
  if (pipe(ready) != 0) give_up("a pipe");
  for (int index = 0; index < WATCHERS; index++)
    if (fork() == 0) _exit(watch(ready[1]));
  close(ready[1]);
  for (int index = 0; index < WATCHERS; index++)
    if (read(ready[0], &byte, 1) != 1) give_up("a watcher did not begin");
  for (int index = 0; index < WRITERS; index++)
    if (fork() == 0) _exit(write_values(index));
  int status = 0;
  while (wait(&status) > 0)
    if (status != 0) finding("subscribers: a process %s", ending(status));
  printf("subscribers: commits=%" PRIu64 " processes=%d events=%" PRIu64 " calls=%" PRIu64 " errors=%" PRIu64 " seconds=%.1f\n",
         figures->commits, WATCHERS, figures->events, figures->calls, findings(), seconds_now() - began);
  return findings() ? 1 : 0;
}

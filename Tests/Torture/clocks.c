// Clocks that jump: the time of day goes ahead or back by seconds, days or thousands of years for some commits, and comes
// back. No entry of the log and no value whose time is not over may be lost by that; revisions rise, exports can be
// imported again, the first event of a watch comes, and what expires by the true clock does.
//
//     clocks [--rounds N] [--seed S] [--from N] [--broken]
#include "batches.h"
#include "skewed_clock.h"

#include <poll.h>

static int64_t true_us(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

enum { DAY = 86400 };

static int64_t random_jump_us(void) {
  static const int64_t seconds[] = {1, 61, 3601, DAY, 10 * DAY, 89 * DAY, 91 * DAY, 100 * DAY, 366 * DAY, 3660LL * DAY,
                                    // 1970 and before, a clock that has only 32 bits, and beyond the year 9999.
                                    57LL * 365 * DAY, 70LL * 365 * DAY, 4294967296LL, 7973LL * 365 * DAY, 8000LL * 366 * DAY};
  int64_t jump = seconds[below(COUNT_OF(seconds))] * 1000000 + (int64_t)below(2000000);
  // The year 1 is the first of all moments.
  return below(2) && jump < 2000LL * 365 * DAY * 1000000 ? -jump : jump;
}

static char path[300], other[300];
static livery_store *store;
enum { SESSIONS = 40 };
static struct { int64_t expires, value; } sessions[SESSIONS];
static int session_count;
static uint64_t last_revision;
static bool is_broken;
// The first event has to come however short the system has been up.
static uint32_t long_interval_ms;
static size_t heard;

static void hear(const livery_event *list, size_t count, void *context) {
  (void)list, (void)context;
  heard += count;
}

static bool open_store(void) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_ALLOW_OVERRIDE | (below(4) ? LIVERY_OPEN_DEFERRED : 0);
  options.map_size = 1 << 24;
  // For seeing the harness fail.
  if (is_broken) options.log_entries = 5;
  if (below(3) == 0) options.backup_commits = 1 + (uint32_t)below(20);
  return is_fit("opening", livery_open(path, &options, &store), NULL);
}

static void note_revision(uint64_t revision) {
  if (revision != last_revision + 1) wrong("revision %llu follows %llu", (unsigned long long)revision, (unsigned long long)last_revision);
  last_revision = revision;
}

static void commit(void) {
  livery_change *change = NULL;
  uint64_t revision = 0;
  // Its time can be said as long as the clock is right.
  bool is_session = ahead_us == 0 && session_count < SESSIONS && below(2);
  livery_layer layer = is_session ? below(3) ? LIVERY_LAYER_SESSION : LIVERY_LAYER_OVERRIDE : LIVERY_LAYER_USER;
  if (!is_fit("beginning", livery_change_begin(store, layer, &change), NULL)) return;
  char name[32];
  int64_t value = (int64_t)random_bits();
  livery_status status = LIVERY_OK;
  if (is_session) {
    static const int64_t seconds[] = {600, 3600, DAY, 30 * DAY, 400 * DAY};
    sessions[session_count].expires = true_us() + seconds[below(COUNT_OF(seconds))] * 1000000;
    sessions[session_count].value = value;
    snprintf(name, sizeof name, "session.%d", session_count);
    status = livery_change_expires(change, sessions[session_count].expires);
  } else {
    snprintf(name, sizeof name, "plain.%llu", (unsigned long long)below(6));
  }
  if (status == LIVERY_OK) status = livery_change_set_int(change, name, value);
  if (status == LIVERY_OK) status = livery_change_commit(change, &revision);
  if (status != LIVERY_OK) {
    livery_change_discard(change);
    wrong("a commit at %+lld s: %s", (long long)(ahead_us / 1000000), livery_status_name(status));
    return;
  }
  session_count += is_session;
  note_revision(revision);
}

static size_t history_count(void) {
  livery_value *history = NULL;
  size_t count = 0;
  if (is_fit("history", livery_history(store, NULL, &history), NULL)) livery_value_count(history, &count);
  livery_value_release(history);
  return count;
}

static void check_all(void) {
  size_t count = history_count();
  if (count != last_revision) wrong("%zu of %llu commits are in the history", count, (unsigned long long)last_revision);
  for (int index = 0; index < session_count; index++) {
    char name[32];
    int64_t value = 0;
    snprintf(name, sizeof name, "session.%d", index);
    livery_status status = livery_get_int(store, name, &value);
    if (status != LIVERY_OK || value != sessions[index].value)
      wrong("a value that expires in %lld s is gone: %s", (long long)((sessions[index].expires - true_us()) / 1000000),
            livery_status_name(status));
  }
  uint64_t revision = 0;
  if (is_fit("revision", livery_revision(store, &revision), NULL) && revision != last_revision)
    wrong("the revision is %llu and not %llu", (unsigned long long)revision, (unsigned long long)last_revision);
}

static void export_and_import(void) {
  char *text = NULL, *again = NULL;
  size_t length = 0, again_length = 0;
  doing("exporting at %+lld s", (long long)(ahead_us / 1000000));
  if (!is_fit("exporting", livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, &length), NULL)) return;
  livery_store *into = NULL;
  remove_tree(other);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | LIVERY_OPEN_ALLOW_OVERRIDE;
  if (is_fit("opening another", livery_open(other, &options, &into), NULL)) {
    if (is_fit("importing", livery_import_json(into, LIVERY_LAYER_USER, text, length, 0, NULL), NULL)
        && is_fit("exporting again", livery_export_json(into, 0, &again, &again_length), NULL)) {
      char *before = NULL;
      if (is_fit("exporting", livery_export_json(store, 0, &before, &length), NULL) && strcmp(before, again) != 0)
        wrong("what was imported is something else");
      livery_free(before);
    }
    livery_close(into);
  }
  livery_free(text);
  livery_free(again);
}

static void watch(void) {
  livery_watch *handle = NULL;
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  size_t count = 0;
  options.flags = LIVERY_WATCH_DISPATCH;
  options.min_interval_ms = long_interval_ms;
  heard = 0;
  doing("waiting for the first event at %+lld s", (long long)(ahead_us / 1000000));
  if (!is_fit("watching", livery_watch_start(store, NULL, &options, hear, NULL, NULL, &handle), NULL)) return;
  uint64_t revision = 0;
  is_fit("setting", livery_set_int(store, LIVERY_LAYER_USER, "watched", (int64_t)random_bits()), NULL);
  if (livery_revision(store, &revision) == LIVERY_OK) note_revision(revision);
  uint64_t limit = now_ns() + 2500000000u;
  int descriptor = -1;
  is_fit("descriptor", livery_event_fd(store, &descriptor), NULL);
  while (heard == 0 && now_ns() < limit) {
    struct pollfd poll_for = {descriptor, POLLIN, 0};
    is_fit("dispatching", livery_dispatch(store, &count), NULL);
    if (heard == 0) poll(&poll_for, 1, 50);
  }
  if (heard == 0) wrong("the first event does not come, with an interval of %u ms", long_interval_ms);
  livery_watch_stop(handle);
}

/** A value that expires soon, by the true clock, goes in the end. */
static void expire(void) {
  livery_change *change = NULL;
  int64_t value = 0;
  uint64_t revision = 0;
  doing("waiting for the end of a value");
  livery_status status = livery_change_begin(store, LIVERY_LAYER_SESSION, &change);
  if (status == LIVERY_OK) status = livery_change_expires(change, true_us() + 150000);
  if (status == LIVERY_OK) status = livery_change_set_int(change, "short", 5);
  if (status == LIVERY_OK) status = livery_change_commit(change, &revision);
  if (!is_fit("setting for 150 ms", status, NULL)) return;
  note_revision(revision);
  uint64_t limit = now_ns() + 3000000000u;
  while ((status = livery_get_int(store, "short", &value)) == LIVERY_OK && now_ns() < limit) sleep_us(20000);
  if (status == LIVERY_OK) wrong("it does not end");
}

static void one_round(void) {
  // A copy of the store before may be under way still: what it leaves would be taken for the store.
  while (access(path, F_OK) == 0) remove_tree(path);
  session_count = 0;
  last_revision = 0;
  struct timespec up;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &up);
  long_interval_ms = (uint32_t)up.tv_sec * 1000 + 3600000;
  ahead_us = below(4) ? 0 : random_jump_us();
  doing("making a store at %+lld s", (long long)(ahead_us / 1000000));
  if (!open_store()) return;
  uint64_t parts = 1 + below(4);
  for (uint64_t part = 0; part < parts; part++) {
    ahead_us = 0;
    doing("commits by the right clock");
    for (uint64_t left = below(12); left > 0; left--) commit();
    int64_t jump = ahead_us = random_jump_us();
    doing("commits at %+lld s", (long long)(jump / 1000000));
    if (below(3) == 0) {
      livery_close(store);
      if (!open_store()) return;
    }
    for (uint64_t left = 1 + below(20); left > 0; left--) commit();
    if (below(8) == 0) watch();
    if (below(6) == 0) export_and_import();
    if (below(3) == 0) {
      livery_close(store);
      if (below(2)) ahead_us = 0;
      if (!open_store()) return;
    }
  }
  ahead_us = 0;
  doing("looking by the right clock");
  if (below(2)) commit();
  check_all();
  if (below(6) == 0) export_and_import();
  if (below(60) == 0) expire();
  livery_close(store);
  if (!open_store()) return;
  doing("looking after opening it anew");
  check_all();
  livery_close(store);
}

int main(int argc, char **argv) {
  begin_rounds("clocks", argc, argv, 10000);
  is_broken = option_given("--broken");
  snprintf(path, sizeof path, "%s/store", torture_directory);
  snprintf(other, sizeof other, "%s/other", torture_directory);
  run_rounds(one_round, 25);
  return end_rounds();
}

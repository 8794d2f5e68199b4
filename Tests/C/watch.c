// Watches: what they tell, in what order, from which process.
#include "seen.h"

#include <dirent.h>
#include <poll.h>

static const livery_layer user = LIVERY_LAYER_USER;

TEST("a watch tells from what to what a value changed, in which layer, and by whom", changed) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  livery_change *change = NULL;
  uint64_t revision = 0;
  int64_t before = now_microseconds();
  if (!seen_start(&seen, store, NULL, 0, 0)) return;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "idleResetSeconds", 60));
  OK(livery_change_set_string(change, "note", TEXT("new")));
  OK(livery_change_origin(change, "console"));
  OK(livery_change_commit(change, &revision));
  EXPECT(seen_wait(&seen.calls, 1));
  EXPECT_INT(2, seen.count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "idleResetSeconds", "120", "60", &seen.events[0]);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "note", "", "\"new\"", &seen.events[1]);
  EXPECT_INT(revision, seen.events[0].revision);
  EXPECT_INT(user, seen.events[0].layer);
  EXPECT_TEXT("console", seen.events[0].origin);
  EXPECT(seen.events[0].writable);
  EXPECT(seen.events[0].time >= before && seen.events[0].time <= now_microseconds());
  OK(livery_reset(store, user, "note"));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "note", "\"new\"", "", &seen.events[2]);
  EXPECT_TEXT("", seen.events[2].origin);
  OK(livery_watch_stop(seen.watch));
  EXPECT(seen_wait(&seen.destroyed, 1));
  OK(livery_set_string(store, user, "note", TEXT("unseen")));
  sleep_ms(50);
  EXPECT_INT(2, seen.calls);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_stop(seen.watch));
  OK(livery_close(store));
  EXPECT_INT(1, seen.destroyed);
}

TEST("a watch with a pattern is told of what matches alone, and of no layer that loses", pattern) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  if (!seen_start(&seen, store, "pair.*", 0, 0)) return;
  OK(livery_set_string(store, user, "title", TEXT("x")));
  OK(livery_set_int(store, user, "pair.a", 1));
  // The user's value wins over it.
  OK(livery_set_int(store, LIVERY_LAYER_BUNDLE, "pair.a", 7));
  OK(livery_set_int(store, user, "pair.b", 2));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT_INT(2, seen.count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "0", "1", &seen.events[0]);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "0", "2", &seen.events[1]);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));
}

static bool stored_first;

static void looks_for_its_handle(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  stored_first = seen->watch != NULL;
}

TEST("a watch can begin with the present values; its handle is stored before the first call", initial) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  for (int round = 0; round < 20; round++) {
    static seen seen;
    memset(&seen, 0, sizeof seen);
    seen.action = looks_for_its_handle;
    if (!seen_start(&seen, store, "pair.*", LIVERY_WATCH_INITIAL, 0)) return;
    EXPECT(seen_wait(&seen.calls, 1));
    EXPECT_INT(2, seen.count);
    EXPECT_EVENT(LIVERY_EVENT_INITIAL, "pair.a", "", "0", &seen.events[0]);
    EXPECT_EVENT(LIVERY_EVENT_INITIAL, "pair.b", "", "0", &seen.events[1]);
    OK(livery_watch_stop(seen.watch));
    EXPECT(seen_wait(&seen.destroyed, 1));
    EXPECT(stored_first);
  }
  OK(livery_close(store));
}

TEST("locking, schemas and expiry are told as what they are", kinds) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  livery_change *change = NULL;
  if (!seen_start(&seen, store, "title", 0, 0)) return;
  OK(livery_set_string(store, LIVERY_LAYER_ENFORCED, "title", TEXT("Hello")));
  EXPECT(seen_wait(&seen.calls, 1));
  EXPECT_EVENT(LIVERY_EVENT_WRITABILITY, "title", "\"Hello\"", "\"Hello\"", &seen.events[0]);
  EXPECT(!seen.events[0].writable);
  OK(livery_reset(store, LIVERY_LAYER_ENFORCED, "title"));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT_INT(LIVERY_EVENT_WRITABILITY, seen.events[1].kind);
  EXPECT(seen.events[1].writable);

  const char *schema = "{\"Version\": 4, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["
                       "{\"Type\": \"TextField\", \"Title\": \"Title\", \"Key\": \"title\", \"Value\": \"Four\"}]}]}";
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT(seen_wait(&seen.calls, 3));
  EXPECT_EVENT(LIVERY_EVENT_SCHEMA, "(none)", "", "", &seen.events[2]);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "title", "\"Hello\"", "\"Four\"", &seen.events[3]);

  int64_t end = now_microseconds() + 300000;
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, end));
  OK(livery_change_set_string(change, "title", TEXT("for a while")));
  OK(livery_change_commit(change, NULL));
  EXPECT(seen_wait(&seen.calls, 5));
  // Not before; how soon after it depends on what else the machine does.
  EXPECT(now_microseconds() >= end);
  EXPECT_EVENT(LIVERY_EVENT_EXPIRED, "title", "\"for a while\"", "\"Four\"", &seen.events[5]);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));
}

TEST("an event says whether its setting is secret", secret) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  if (!seen_start(&seen, store, NULL, 0, 0)) return;
  OK(livery_set_string(store, user, "pin", TEXT("4321")));
  OK(livery_set_string(store, user, "note", TEXT("open")));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT(seen.events[0].secret && !seen.events[1].secret);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));
}

// A store whose commits wait for no disk: all fall within an interval, however slow it is.
static livery_store *quick_store(void) {
  livery_store *store = open_store_with(fresh_path(), LIVERY_OPEN_MEMORY, 0);
  if (!store) exit(1);
  OK(livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  return store;
}

TEST("changes that fall together within the interval are told as one", coalesced) {
  livery_store *store = quick_store();
  static seen seen;
  if (!seen_start(&seen, store, "pair.a", 0, 300)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT(seen_wait(&seen.calls, 1));
  for (int number = 2; number <= 9; number++) OK(livery_set_int(store, user, "pair.a", number));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT_INT(2, seen.count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "1", "9", &seen.events[1]);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));
}

// Has a watch see the first change at once, so that those that follow fall together.
static livery_store *about_to_coalesce(seen *seen) {
  livery_store *store = quick_store();
  memset(seen, 0, sizeof *seen);
  OK(livery_set_int(store, user, "pair.a", 1));
  if (!seen_start(seen, store, "pair.*", 0, 500)) return NULL;
  OK(livery_set_int(store, user, "pair.b", 1));
  EXPECT(seen_wait(&seen->calls, 1));
  return store;
}

TEST("of a value and a lock that change within the interval both are told, and what is as it was is not", coalesced_locks) {
  static seen seen;
  const livery_layer enforced = LIVERY_LAYER_ENFORCED;
  livery_store *store = about_to_coalesce(&seen);
  if (!store) return;
  // Another value, which is then locked.
  OK(livery_set_int(store, user, "pair.a", 2));
  OK(livery_set_int(store, enforced, "pair.a", 2));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT_INT(2, seen.count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "1", "2", &seen.events[1]);
  EXPECT(!seen.events[1].writable);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));

  // Locked, with the value that was there in the end.
  store = about_to_coalesce(&seen);
  if (!store) return;
  OK(livery_set_int(store, enforced, "pair.a", 2));
  OK(livery_set_int(store, enforced, "pair.a", 1));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT_INT(2, seen.count);
  EXPECT_EVENT(LIVERY_EVENT_WRITABILITY, "pair.a", "1", "1", &seen.events[1]);
  EXPECT(!seen.events[1].writable);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));

  // Locked and unlocked again; and another value for a while.
  store = about_to_coalesce(&seen);
  if (!store) return;
  livery_change *change = NULL;
  OK(livery_set_int(store, enforced, "pair.a", 1));
  OK(livery_reset(store, enforced, "pair.a"));
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, now_microseconds() + 100000));
  OK(livery_change_set_int(change, "pair.a", 7));
  OK(livery_change_commit(change, NULL));
  sleep_ms(250);
  OK(livery_set_int(store, user, "pair.b", 2));
  EXPECT(seen_wait(&seen.calls, 2));
  EXPECT_INT(2, seen.count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "1", "2", &seen.events[1]);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));
}

static const char *path;
enum { CHILD_COMMITS = 200 };

static void changes_it(void) {
  livery_store *store = open_store(path);
  for (int number = 1; number <= CHILD_COMMITS; number++) OK(livery_set_int(store, user, "pair.a", number));
  OK(livery_close(store));
}

TEST("every change of another process arrives, in order, with old and new value", another_process) {
  NEEDS_FILES;
  path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  static seen seen;
  if (!seen_start(&seen, store, "pair.a", 0, 0)) return;
  IN_CHILD(changes_it);
  EXPECT(seen_wait(&seen.count, CHILD_COMMITS));
  for (int index = 0; index < seen.count; index++) {
    char old[16], new[16];
    snprintf(old, sizeof old, "%d", index);
    snprintf(new, sizeof new, "%d", index + 1);
    EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", old, new, &seen.events[index]);
    if (index > 0) EXPECT(seen.events[index].revision > seen.events[index - 1].revision);
  }
  EXPECT_INT(CHILD_COMMITS, seen.count);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));
}

TEST("a process has one thread for all its watches on a store, and none without", one_thread) {
  // That of the test before ends by itself.
  threads_wait(1);
  const int alone = count_of_threads();
#ifndef LIVERY_SANITIZED
  EXPECT_INT(1, alone);
#endif
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen[8];
  memset(seen, 0, sizeof seen);
  livery_value *all = NULL;
  livery_snapshot *moment = NULL;
  OK(livery_set_int(store, user, "pair.a", 1));
  OK(livery_list(store, NULL, NULL, &all));
  OK(livery_value_release(all));
  OK(livery_snapshot_open(store, &moment));
  OK(livery_snapshot_close(moment));
  EXPECT_INT(alone, count_of_threads());
  for (size_t index = 0; index < COUNT(seen); index++) seen_start(&seen[index], store, NULL, 0, 0);
  EXPECT_INT(alone + 1, count_of_threads());
  for (size_t index = 0; index < COUNT(seen); index++) OK(livery_watch_stop(seen[index].watch));
  EXPECT(threads_wait(alone));
  OK(livery_close(store));
}

/** How often the process's other threads have gone to sleep. */
static long naps(void) {
  long all = 0;
  DIR *tasks = opendir("/proc/self/task");
  for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
    char path[300], line[256];
    snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
    // Not `.`, not `..`, not the thread that tests.
    FILE *file = atoi(task->d_name) > 0 && atoi(task->d_name) != getpid() ? fopen(path, "r") : NULL;
    if (!file) continue;
    long count = 0;
    while (fgets(line, sizeof line, file))
      if (sscanf(line, "voluntary_ctxt_switches: %ld", &count) == 1) all += count;
    fclose(file);
  }
  if (tasks) closedir(tasks);
  return all;
}

TEST("a process that watches wakes no more than once a second while nothing happens", idle) {
#ifdef LIVERY_SANITIZED
  SKIP("a sanitizer has a thread of its own");
#endif
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen[8];
  livery_change *change = NULL;
  memset(seen, 0, sizeof seen);
  // A value that expires later is waited for as well.
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, now_microseconds() + 3600000000));
  OK(livery_change_set_int(change, "pair.a", 1));
  OK(livery_change_commit(change, NULL));
  for (size_t index = 0; index < COUNT(seen); index++)
    seen_start(&seen[index], store, NULL, index % 2 ? LIVERY_WATCH_DISPATCH : 0, index % 4 < 2 ? 0 : 100);
  OK(livery_set_int(store, user, "pair.b", 1));
  for (size_t index = 0; index < COUNT(seen); index += 2) EXPECT(seen_wait(&seen[index].calls, 1));
  sleep_ms(300);
  int64_t begin = now_microseconds();
  long before = naps();
  EXPECT(before > 0);
  sleep_ms(3000);
  long woken = naps() - before;
  // The first one counted may have been due already.
  EXPECT(woken <= (now_microseconds() - begin) / 1000000 + 1);
  EXPECT(woken > 0);
  OK(livery_close(store));
}

static livery_value *kept, *borrowed;

static void keeps_a_value(seen *seen, const livery_event *events, size_t count) {
  (void)seen, (void)count;
  kept = events[0].new_value;
  borrowed = events[0].old_value;
  OK(livery_value_retain(kept));
}

TEST("values last as long as the call, and longer if they are retained", values) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  seen.action = keeps_a_value;
  if (!seen_start(&seen, store, "pair.a", 0, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 42));
  EXPECT(seen_wait(&seen.calls, 1));
  OK(livery_watch_stop(seen.watch));
  EXPECT(seen_wait(&seen.destroyed, 1));
  int64_t number = 0;
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_value_as_int(borrowed, &number));
  OK(livery_close(store));
  OK(livery_value_as_int(kept, &number));
  EXPECT_INT(42, number);
  OK(livery_value_release(kept));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_value_release(kept));
}

TEST("a handle for reading alone commits nothing, and its watch is told of what expires all the same", reads_only) {
  const char *path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  livery_change *change = NULL;
  uint64_t before = 0, after = 0;
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, now_microseconds() + 500000));
  OK(livery_change_set_int(change, "pair.a", 9));
  OK(livery_change_commit(change, &before));
  OK(livery_close(store));
  store = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  static seen seen, dispatched;
  int descriptor = -1;
  if (!seen_start(&seen, store, "pair.*", 0, 0) || !seen_start(&dispatched, store, NULL, LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_event_fd(store, &descriptor));
  OK(livery_dispatch(store, NULL));
  EXPECT(seen_wait(&seen.count, 1));
  EXPECT_EVENT(LIVERY_EVENT_EXPIRED, "pair.a", "9", "0", &seen.events[0]);
  EXPECT_INT(LIVERY_LAYER_SESSION, seen.events[0].layer);
  struct pollfd poller = {.fd = descriptor, .events = POLLIN};
  EXPECT_INT(1, poll(&poller, 1, 2000));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(1, dispatched.count);
  EXPECT_EVENT(LIVERY_EVENT_EXPIRED, "pair.a", "9", "0", &dispatched.events[0]);
  sleep_ms(1200);
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  // Whoever commits makes it a revision; who was told is not told again.
  livery_store *other = open_store(path);
  OK(livery_set_int(other, user, "pair.b", 5));
  EXPECT(seen_wait(&seen.count, 2));
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "0", "5", &seen.events[1]);
  EXPECT_INT(2, seen.count);
  OK(livery_close(other));
  OK(livery_close(store));
}

TEST("the first event is told at once, however long the interval is", first_event) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  if (!seen_start(&seen, store, NULL, 0, UINT32_MAX)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT(seen_wait(&seen.count, 1));
  OK(livery_close(store));
}

TEST("a watch lives with a value that expires in the year 9999", far_expiry) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  static seen seen;
  if (!seen_start(&seen, store, NULL, 0, 0)) return;
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, 253402300799999999));
  OK(livery_change_set_int(change, "pair.a", 9));
  OK(livery_change_commit(change, NULL));
  EXPECT(seen_wait(&seen.count, 1));
  sleep_ms(50);
  OK(livery_set_int(store, LIVERY_LAYER_ENFORCED, "pair.a", 1));
  EXPECT(seen_wait(&seen.count, 2));
  OK(livery_close(store));
}

// Watches for main loops: a descriptor to poll, and calls on the thread that asks. And what a slow one misses.
#include "seen.h"

#include <poll.h>

static const livery_layer user = LIVERY_LAYER_USER;

static bool readable(int descriptor, int milliseconds) {
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  return poll(&entry, 1, milliseconds) == 1;
}

static const char *path;

static void sets_a(void) {
  livery_store *store = open_store(path);
  OK(livery_set_int(store, user, "pair.a", 5));
  OK(livery_close(store));
}

TEST("the descriptor becomes readable after a change of any process, and calls are made by who dispatches", polled) {
  NEEDS_FILES;
  path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  static seen seen;
  int descriptor = -1;
  size_t count = 77;
  OK(livery_event_fd(store, &descriptor));
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_dispatch(store, &count));
  EXPECT_INT(0, count);
  EXPECT(!readable(descriptor, 50));
  for (int round = 1; round <= 3; round++) {
    IN_CHILD(sets_a);
    OK(livery_reset(store, user, "pair.a"));
    EXPECT(readable(descriptor, 2000));
    EXPECT_INT(2 * (round - 1), seen.calls);
    OK(livery_dispatch(store, &count));
    EXPECT_INT(2, count);
    EXPECT(pthread_equal(seen.thread, pthread_self()));
    EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "0", "5", &seen.events[2 * round - 2]);
    EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "5", "0", &seen.events[2 * round - 1]);
  }
  int again = -1;
  OK(livery_event_fd(store, &again));
  EXPECT_INT(descriptor, again);
  OK(livery_dispatch(store, NULL));
  OK(livery_close(store));
  EXPECT_INT(1, seen.destroyed);
  EXPECT(fcntl(descriptor, F_GETFD) == -1);
}

TEST("the descriptor tells of initial values, and of an interval that is over", due) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  int descriptor = -1;
  size_t count = 0;
  OK(livery_event_fd(store, &descriptor));
  OK(livery_dispatch(store, NULL));
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_DISPATCH | LIVERY_WATCH_INITIAL, 150)) return;
  EXPECT(readable(descriptor, 2000));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, count);
  EXPECT_EVENT(LIVERY_EVENT_INITIAL, "pair.a", "", "0", &seen.events[0]);
  for (int number = 1; number <= 5; number++) OK(livery_set_int(store, user, "pair.a", number));
  for (int round = 0; round < 200 && seen.calls < 2; round++) {
    if (readable(descriptor, 20)) OK(livery_dispatch(store, NULL));
  }
  EXPECT_INT(2, seen.count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "0", "5", &seen.events[1]);
  OK(livery_close(store));
  EXPECT_INT(1, seen.destroyed);
}

static void closes(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  OK(livery_close(seen->store));
}

TEST("a dispatched function may close its own store, and dispatch again", close_inside) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  size_t count = 0;
  seen.action = closes;
  if (!seen_start(&seen, store, NULL, LIVERY_WATCH_DISPATCH, 0)) return;
  for (int number = 1; number <= 3; number++) OK(livery_set_int(store, user, "pair.a", number));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, seen.calls);
  EXPECT_INT(1, seen.destroyed);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_dispatch(store, &count));
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void waits_at_the_gate(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  EXPECT_INT(0, seen->destroyed);
}

static void *dispatch_once(void *store) {
  livery_dispatch(store, NULL);
  return NULL;
}

TEST("a store closed while another thread dispatches lets the function finish, and destroy runs after it", meanwhile) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  pthread_t thread;
  seen.action = waits_at_the_gate;
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_DISPATCH, 0)) return;
  for (int number = 1; number <= 3; number++) OK(livery_set_int(store, user, "pair.a", number));
  pthread_mutex_lock(&gate);
  EXPECT(pthread_create(&thread, NULL, dispatch_once, store) == 0);
  EXPECT(seen_wait(&seen.calls, 1));
  OK(livery_close(store));
  EXPECT_INT(0, seen.destroyed);
  pthread_mutex_unlock(&gate);
  pthread_join(thread, NULL);
  EXPECT(seen.calls == 1 && seen.destroyed == 1);
}

TEST("what comes while a thread dispatches is told, though another thread's dispatch found nothing to do", asked) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  pthread_t thread;
  size_t count = 77;
  seen.action = waits_at_the_gate;
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  pthread_mutex_lock(&gate);
  EXPECT(pthread_create(&thread, NULL, dispatch_once, store) == 0);
  EXPECT(seen_wait(&seen.calls, 1));
  OK(livery_set_int(store, user, "pair.a", 2));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(0, count);
  pthread_mutex_unlock(&gate);
  pthread_join(thread, NULL);
  EXPECT_INT(2, seen.calls);
  OK(livery_close(store));
}

static void dispatches(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  OK(livery_dispatch(seen->store, NULL));
}

TEST("a function that dispatches is not called within itself", dispatch_inside) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  seen.action = dispatches;
  if (!seen_start(&seen, store, NULL, LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  OK(livery_set_int(store, user, "pair.a", 2));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(2, seen.calls);
  EXPECT_TEXT("2", seen.events[1].new_value);
  OK(livery_close(store));
}

TEST("a watch that the log has left behind gets one resync, then what the log still holds", resync) {
  NEEDS_FILES;
  path = fresh_path();
  OK(livery_close(new_store(path, KIOSK_SCHEMA)));
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.log_entries = 10;
  OK(livery_open(path, &options, &store));
  static seen seen;
  if (!seen_start(&seen, store, NULL, LIVERY_WATCH_DISPATCH, 0)) return;
  for (int number = 1; number <= 50; number++) OK(livery_set_int(store, user, "pair.a", number));
  OK(livery_dispatch(store, NULL));
  EXPECT_EVENT(LIVERY_EVENT_RESYNC, "(none)", "", "", &seen.events[0]);
  EXPECT_INT(11, seen.count);
  for (int index = 1; index < seen.count; index++) {
    EXPECT_INT(LIVERY_EVENT_CHANGED, seen.events[index].kind);
    EXPECT_INT(seen.events[index - 1].revision + 1, seen.events[index].revision);
  }
  EXPECT_TEXT("50", seen.events[10].new_value);
  livery_value *history = NULL;
  size_t count = 0;
  OK(livery_history(store, NULL, &history));
  OK(livery_value_count(history, &count));
  EXPECT_INT(10, count);
  OK(livery_value_release(history));
  OK(livery_close(store));
}

TEST("what waited for an interval to pass is not told after a resync", resync_coalesced) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.log_entries = 2;
  // All of them within the interval, however slow the disk is.
  options.flags = LIVERY_OPEN_MEMORY;
  REQUIRE_OK(livery_open(fresh_path(), &options, &store));
  OK(livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  static seen seen;
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_DISPATCH, 1500)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(1, seen.calls);
  OK(livery_set_int(store, user, "pair.a", 2));
  OK(livery_dispatch(store, NULL));
  for (int number = 1; number <= 20; number++) OK(livery_set_int(store, user, number == 10 ? "pair.a" : "pair.b", number));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(1, seen.calls);
  for (int round = 0; round < 500 && seen.calls < 2; round++) {
    sleep_ms(20);
    OK(livery_dispatch(store, NULL));
  }
  EXPECT_INT(2, seen.count);
  EXPECT_INT(LIVERY_EVENT_RESYNC, seen.events[1].kind);
  OK(livery_close(store));
}

TEST("a log that keeps a second has nothing older", log_age) {
  NEEDS_FILES;
  path = fresh_path();
  OK(livery_close(new_store(path, KIOSK_SCHEMA)));
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.log_age_s = 1;
  OK(livery_open(path, &options, &store));
  for (int number = 1; number <= 5; number++) OK(livery_set_int(store, user, "pair.a", number));
  sleep_ms(1100);
  OK(livery_set_int(store, user, "pair.a", 6));
  livery_value *history = NULL;
  size_t count = 0;
  OK(livery_history(store, NULL, &history));
  OK(livery_value_count(history, &count));
  EXPECT_INT(1, count);
  OK(livery_value_release(history));
  OK(livery_close(store));
}

static void without_descriptors(void) {
  struct rlimit limit;
  int descriptor = 77;
  livery_store *store = open_store(path);
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_event_fd(store, &descriptor));
  EXPECT_INT(77, descriptor);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  OK(livery_event_fd(store, &descriptor));
  OK(livery_close(store));
}

static void nothing(void *user_data) { (void)user_data; }

static void without_threads(void) {
  static seen seen, paused;
  const int alone = count_of_threads();
  livery_store *store = open_store(path);
  if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return;
  if (!seen_start(&paused, store, NULL, 0, 0)) return;
  OK(livery_watch_pause(paused.watch, true));
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_NPROC, &none);
  EXPECT(threads_wait(alone));
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_watch_pause(paused.watch, false));
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_watch_start(store, NULL, NULL, seen_call, &seen, seen_destroy, &seen.watch));
  EXPECT(seen.destroyed == 1 && seen.watch == NULL);
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_post(store, 0, nothing, NULL, NULL));
}

TEST("without descriptors there is none, and without threads no watch", refused) {
  path = fresh_path();
  OK(livery_close(new_store(path, KIOSK_SCHEMA)));
  IN_CHILD(without_descriptors);
  IN_CHILD(without_threads);
}

static void grows(void) {
  livery_store *store = open_store(path);
  char *text = calloc(1, 500000);
  memset(text, 'g', 500000);
  for (int index = 0; index < 8; index++) {
    char name[16];
    snprintf(name, sizeof name, "big.%d", index);
    OK(livery_set_string(store, user, name, text, 500000));
  }
  free(text);
  OK(livery_close(store));
}

static void without_room(void) {
  static seen seen;
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.map_size = 1 << 20;
  OK(livery_open(path, &options, &store));
  IN_CHILD(grows);
  // No address space for the map that the other process has made larger.
  struct rlimit limit, before;
  getrlimit(RLIMIT_AS, &before);
  limit = before;
  limit.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_AS, &limit);
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_watch_start(store, NULL, NULL, seen_call, &seen, seen_destroy, &seen.watch));
  setrlimit(RLIMIT_AS, &before);
  EXPECT(seen.destroyed == 1 && seen.watch == NULL);
}

TEST("a watch for whose first look there is no address space is NO_MEMORY", no_address_space) {
  NEEDS_FILES;
#ifdef LIVERY_SANITIZED
  SKIP("a sanitizer needs address space without limit");
#endif
  path = fresh_path();
  OK(livery_close(open_store(path)));
  IN_CHILD(without_room);
}

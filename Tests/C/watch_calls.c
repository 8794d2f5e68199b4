// What a watch's function may do, and when `destroy` runs: once, whatever ends the watch.
#include "seen.h"

#include <poll.h>

static const livery_layer user = LIVERY_LAYER_USER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static livery_store *watched_store(void) { return new_store(fresh_path(), KIOSK_SCHEMA); }

static void stops_itself(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  OK(livery_watch_stop(seen->watch));
  EXPECT_INT(0, seen->destroyed);
}

TEST("a function may stop its own watch: it is not called again, and destroy runs after it", stop_inside) {
  livery_store *store = watched_store();
  static seen seen;
  seen.action = stops_itself;
  if (!seen_start(&seen, store, NULL, 0, 0)) return;
  for (int number = 1; number <= 10; number++) OK(livery_set_int(store, user, "pair.a", number));
  EXPECT(seen_wait(&seen.destroyed, 1));
  sleep_ms(30);
  EXPECT_INT(1, seen.calls);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_stop(seen.watch));
  OK(livery_close(store));
  EXPECT_INT(1, seen.destroyed);
}

static void sets(seen *seen, const livery_event *events, size_t count) {
  int64_t number = 0;
  (void)count;
  if (strcmp(events[0].name, "pair.a") != 0) return;
  OK(livery_get_int(seen->store, "pair.a", &number));
  OK(livery_set_int(seen->store, user, "pair.b", number * 2));
}

TEST("a function may read and set, and is told of its own change in turn", set_inside) {
  livery_store *store = watched_store();
  static seen seen;
  seen.action = sets;
  if (!seen_start(&seen, store, "pair.*", 0, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 21));
  EXPECT(seen_wait(&seen.count, 2));
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "0", "42", &seen.events[1]);
  OK(livery_close(store));
  EXPECT(seen_wait(&seen.destroyed, 1));
}

static seen inner;

static void watches(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  if (!inner.watch) seen_start(&inner, seen->store, "pair.b", LIVERY_WATCH_INITIAL, 0);
}

TEST("a function may start another watch", watch_inside) {
  livery_store *store = watched_store();
  static seen outer;
  outer.action = watches;
  if (!seen_start(&outer, store, "pair.a", 0, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT(seen_wait(&inner.calls, 1));
  OK(livery_set_int(store, user, "pair.b", 5));
  EXPECT(seen_wait(&inner.calls, 2));
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "0", "5", &inner.events[1]);
  OK(livery_close(store));
  EXPECT(seen_wait(&outer.destroyed, 1) && seen_wait(&inner.destroyed, 1));
}

static void closes(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  OK(livery_close(seen->store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_stop(seen->watch));
}

TEST("a function may close its own store", close_inside) {
  livery_store *store = watched_store();
  static seen seen, other;
  seen.action = closes;
  if (!seen_start(&seen, store, NULL, 0, 0) || !seen_start(&other, store, "title", 0, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT(seen_wait(&seen.destroyed, 1) && seen_wait(&other.destroyed, 1));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_close(store));
  EXPECT_INT(1, seen.calls);
  sleep_ms(30);
  EXPECT(seen.destroyed == 1 && other.destroyed == 1);
}

static void waits_at_the_gate(seen *seen, const livery_event *events, size_t count) {
  (void)count;
  pthread_mutex_lock(&gate);
  pthread_mutex_unlock(&gate);
  // What the call was given is still good.
  char text[16];
  seen_json(text, sizeof text, events[0].new_value);
  EXPECT_TEXT("1", text);
  EXPECT_INT(0, seen->destroyed);
}

static void end_while_it_runs(bool by_closing) {
  livery_store *store = watched_store();
  static seen seen;
  memset(&seen, 0, sizeof seen);
  seen.action = waits_at_the_gate;
  pthread_mutex_lock(&gate);
  if (!seen_start(&seen, store, "pair.a", 0, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT(seen_wait(&seen.calls, 1));
  OK(livery_set_int(store, user, "pair.a", 2));
  if (by_closing) {
    OK(livery_close(store));
  } else {
    OK(livery_watch_stop(seen.watch));
  }
  EXPECT_INT(0, seen.destroyed);
  pthread_mutex_unlock(&gate);
  EXPECT(seen_wait(&seen.destroyed, 1));
  sleep_ms(30);
  EXPECT(seen.calls == 1 && seen.destroyed == 1);
  if (!by_closing) OK(livery_close(store));
}

TEST("a store closed while the function runs in another thread lets it finish", close_meanwhile) {
  end_while_it_runs(true);
}

TEST("a watch stopped while the function runs in another thread lets it finish", stop_meanwhile) {
  end_while_it_runs(false);
}

static void stops_or_is_stopped(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  livery_watch_stop(seen->watch);
}

static void *commits(void *store) {
  for (int number = 0; livery_set_int(store, user, "pair.a", number) == LIVERY_OK; number++) {}
  return NULL;
}

TEST("watches that begin and end amid commits each have their destroy run once", races) {
  static seen seen[100];
  memset(seen, 0, sizeof seen);
  size_t next = 0;
  for (int round = 0; round < 10; round++) {
    livery_store *store = watched_store();
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, commits, store) == 0);
    for (int index = 0; index < 10; index++) {
      struct seen *one = &seen[next++];
      one->action = index % 3 == 0 ? stops_or_is_stopped : NULL;
      seen_start(one, store, NULL, index % 2 ? LIVERY_WATCH_INITIAL : 0, 0);
      sleep_ms(index % 3);
      if (index % 3 == 1) OK(livery_watch_stop(one->watch));
    }
    OK(livery_close(store));
    pthread_join(thread, NULL);
  }
  for (size_t index = 0; index < next; index++) EXPECT(seen_wait(&seen[index].destroyed, 1));
  sleep_ms(30);
  for (size_t index = 0; index < next; index++) EXPECT_INT(1, seen[index].destroyed);
}

TEST("a watch that is paused costs no thread, and is told what it missed when it goes on", paused) {
  livery_store *store = watched_store();
  static seen seen, initial;
  const int alone = count_of_threads();
  if (!seen_start(&seen, store, "pair.*", 0, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT(seen_wait(&seen.count, 1));
  OK(livery_watch_pause(seen.watch, true));
  OK(livery_watch_pause(seen.watch, true));
  EXPECT(threads_wait(alone));
  OK(livery_set_int(store, user, "pair.a", 2));
  OK(livery_set_int(store, user, "pair.b", 3));
  sleep_ms(50);
  EXPECT_INT(1, seen.count);
  // Initial values wait as well.
  if (!seen_start(&initial, store, "pair.a", LIVERY_WATCH_INITIAL, 0)) return;
  EXPECT(seen_wait(&initial.count, 1));
  EXPECT_INT(1, seen.count);
  OK(livery_watch_pause(seen.watch, false));
  EXPECT(seen_wait(&seen.count, 3));
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "1", "2", &seen.events[1]);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "0", "3", &seen.events[2]);
  OK(livery_watch_pause(seen.watch, true));
  OK(livery_watch_stop(seen.watch));
  EXPECT(seen_wait(&seen.destroyed, 1));
  OK(livery_watch_pause(initial.watch, true));
  OK(livery_close(store));
  EXPECT(seen_wait(&initial.destroyed, 1));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_pause(initial.watch, false));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_watch_pause(NULL, false));
}

static void pauses_itself(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  OK(livery_watch_pause(seen->watch, true));
}

TEST("a function may pause its own watch: of a backlog it is told one call at a time", pause_inside) {
  livery_store *store = watched_store();
  static seen seen;
  seen.action = pauses_itself;
  if (!seen_start(&seen, store, "pair.a", 0, 0)) return;
  for (int number = 1; number <= 5; number++) OK(livery_set_int(store, user, "pair.a", number));
  for (int number = 1; number <= 5; number++) {
    EXPECT(seen_wait(&seen.calls, number));
    sleep_ms(20);
    EXPECT_INT(number, seen.calls);
    OK(livery_watch_pause(seen.watch, false));
  }
  EXPECT_TEXT("5", seen.events[4].new_value);
  OK(livery_close(store));
}

TEST("a watch that is dispatched can be paused: the descriptor is readable when it goes on", pause_dispatched) {
  livery_store *store = watched_store();
  static seen seen;
  size_t count = 0;
  int descriptor;
  if (!seen_start(&seen, store, "pair.*", LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_event_fd(store, &descriptor));
  OK(livery_dispatch(store, NULL));
  OK(livery_set_int(store, user, "pair.a", 1));
  struct pollfd readable = {descriptor, POLLIN, 0};
  EXPECT_INT(1, poll(&readable, 1, 5000));
  OK(livery_watch_pause(seen.watch, true));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(0, count);
  EXPECT_INT(0, poll(&readable, 1, 100));
  OK(livery_watch_pause(seen.watch, false));
  EXPECT_INT(1, poll(&readable, 1, 5000));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, count);
  EXPECT_INT(1, seen.count);
  OK(livery_close(store));
}

TEST("when starting fails destroy has run, and the handle is untouched", failed_start) {
  livery_store *store = watched_store(), *closed = watched_store();
  livery_watch *watch = NULL;
  seen seen;
  const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;
  memset(&seen, 0, sizeof seen);
  livery_watch_options unknown = LIVERY_WATCH_OPTIONS_INIT, sizeless = {0, 0, 0};
  unknown.flags = 4;
  char long_pattern[2000];
  memset(long_pattern, 'p', sizeof long_pattern - 1);
  long_pattern[sizeof long_pattern - 1] = 0;
  OK(livery_close(closed));
  EXPECT_STATUS(invalid, livery_watch_start(store, NULL, NULL, NULL, &seen, seen_destroy, &watch));
  EXPECT_STATUS(invalid, livery_watch_start(store, NULL, NULL, seen_call, &seen, seen_destroy, NULL));
  EXPECT_STATUS(invalid, livery_watch_start(NULL, NULL, NULL, seen_call, &seen, seen_destroy, &watch));
  EXPECT_STATUS(invalid, livery_watch_start(store, "\xff", NULL, seen_call, &seen, seen_destroy, &watch));
  EXPECT_STATUS(invalid, livery_watch_start(store, long_pattern, NULL, seen_call, &seen, seen_destroy, &watch));
  EXPECT_STATUS(invalid, livery_watch_start(store, NULL, &unknown, seen_call, &seen, seen_destroy, &watch));
  EXPECT_STATUS(invalid, livery_watch_start(store, NULL, &sizeless, seen_call, &seen, seen_destroy, &watch));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_watch_start(closed, NULL, NULL, seen_call, &seen, seen_destroy, &watch));
  EXPECT_INT(8, seen.destroyed);
  EXPECT(watch == NULL);
  EXPECT_STATUS(invalid, livery_watch_start(store, NULL, NULL, NULL, NULL, NULL, &watch));
  OK(livery_watch_stop(NULL));
  OK(livery_close(store));
}

static void ends_its_thread(seen *seen, const livery_event *events, size_t count) {
  (void)seen, (void)events, (void)count;
  pthread_exit(NULL);
}

static int thread_errors;

static void count_thread_errors(int32_t level, const char *message, void *user_data) {
  (void)user_data;
  if (level == LIVERY_LOG_ERROR && strstr(message, "thread")) __atomic_fetch_add(&thread_errors, 1, __ATOMIC_SEQ_CST);
}

TEST("a function that ends its thread ends no watch: another thread goes on", end_thread) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen ending, other, late;
  OK(livery_set_log_handler(count_thread_errors, NULL, NULL));
  ending.action = ends_its_thread;
  if (!seen_start(&ending, store, "pair.*", 0, 0) || !seen_start(&other, store, NULL, 0, 0)) return;
  for (int number = 1; number <= 5; number++) {
    OK(livery_set_int(store, user, "pair.a", number));
    EXPECT(seen_wait(&ending.calls, number));
    EXPECT(seen_wait(&other.count, number));
  }
  EXPECT_INT(5, ending.count);
  EXPECT_TEXT("5", ending.events[4].new_value);
  if (!seen_start(&late, store, NULL, 0, 0)) return;
  OK(livery_watch_stop(ending.watch));
  EXPECT(seen_wait(&ending.destroyed, 1));
  OK(livery_set_int(store, user, "pair.a", 6));
  EXPECT(seen_wait(&other.count, 6));
  EXPECT(seen_wait(&late.count, 1));
  EXPECT_INT(5, ending.calls);
  for (int round = 0; round < 100 && __atomic_load_n(&thread_errors, __ATOMIC_SEQ_CST) < 5; round++) sleep_ms(10);
  EXPECT_INT(5, __atomic_load_n(&thread_errors, __ATOMIC_SEQ_CST));
  OK(livery_close(store));
  EXPECT(seen_wait(&other.destroyed, 1));
  OK(livery_set_log_handler(NULL, NULL, NULL));
}

static void stops_and_ends(seen *seen, const livery_event *events, size_t count) {
  (void)events, (void)count;
  OK(livery_watch_stop(seen->watch));
  pthread_exit(NULL);
}

TEST("a function that stops its watch and ends its thread has its destroy run once", stop_and_end_thread) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  static seen seen;
  seen.action = stops_and_ends;
  if (!seen_start(&seen, store, NULL, 0, 0)) return;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT(seen_wait(&seen.destroyed, 1));
  sleep_ms(50);
  EXPECT_INT(1, seen.destroyed);
  OK(livery_close(store));
}

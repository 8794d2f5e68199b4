// What a watch was told, kept for tests to look at.
#ifndef SEEN_H
#define SEEN_H

#include "fixture.h"

enum { SEEN_MOST = 512 };

typedef struct seen_event {
  uint64_t revision;
  int64_t time;
  livery_event_kind kind;
  livery_layer layer;
  char name[64], old_value[64], new_value[64], origin[64];
  bool writable, secret;
} seen_event;

/** Zero it, set what is wanted, and pass it as user_data with seen_call and seen_destroy. */
typedef struct seen {
  livery_store *store;
  livery_watch *watch;
  /** Runs within each call, after it was noted. */
  void (*action)(struct seen *seen, const livery_event *events, size_t count);
  int calls, count, destroyed;
  pthread_t thread;
  seen_event events[SEEN_MOST];
} seen;

static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;

/** A value as JSON; "" for NULL. */
__attribute__((unused)) static void seen_json(char *text, size_t size, livery_value *value) {
  char *json_text = NULL;
  text[0] = 0;
  if (!value) return;
  OK(livery_value_to_json(value, 0, &json_text, NULL));
  snprintf(text, size, "%s", json_text ? json_text : "?");
  livery_free(json_text);
}

__attribute__((unused)) static void seen_call(const livery_event *events, size_t count, void *user_data) {
  seen *seen = user_data;
  pthread_mutex_lock(&seen_lock);
  EXPECT(seen->destroyed == 0 && count > 0);
  for (size_t index = 0; index < count && seen->count < SEEN_MOST; index++) {
    const livery_event *event = &events[index];
    seen_event *kept = &seen->events[seen->count];
    kept->revision = event->revision;
    kept->time = event->time;
    kept->kind = event->kind;
    kept->layer = event->layer;
    kept->writable = event->writable;
    kept->secret = event->secret;
    snprintf(kept->name, sizeof kept->name, "%s", event->name ? event->name : "(none)");
    snprintf(kept->origin, sizeof kept->origin, "%s", event->origin);
    seen_json(kept->old_value, sizeof kept->old_value, event->old_value);
    seen_json(kept->new_value, sizeof kept->new_value, event->new_value);
    seen->count++;
  }
  seen->thread = pthread_self();
  seen->calls++;
  pthread_mutex_unlock(&seen_lock);
  if (seen->action) seen->action(seen, events, count);
}

__attribute__((unused)) static void seen_destroy(void *user_data) {
  seen *seen = user_data;
  pthread_mutex_lock(&seen_lock);
  seen->destroyed++;
  pthread_mutex_unlock(&seen_lock);
}

/** Whether a number comes to be at least so much within some seconds. */
__attribute__((unused)) static bool seen_wait(const int *number, int wanted) {
  for (int round = 0; round < 5000; round++) {
    pthread_mutex_lock(&seen_lock);
    bool reached = *number >= wanted;
    pthread_mutex_unlock(&seen_lock);
    if (reached) return true;
    sleep_ms(1);
  }
  return false;
}

/** Starts a watch that notes what it is told. */
__attribute__((unused)) static bool seen_start(seen *seen, livery_store *store, const char *pattern, uint32_t flags,
                                               uint32_t min_interval_ms) {
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = flags;
  options.min_interval_ms = min_interval_ms;
  seen->store = store;
  return OK(livery_watch_start(store, pattern, &options, seen_call, seen, seen_destroy, &seen->watch));
}

/** How many threads the process has. */
__attribute__((unused)) static int count_of_threads(void) {
  struct stat facts;
  return stat("/proc/self/task", &facts) == 0 ? (int)facts.st_nlink - 2 : 1;
}

/** Until threads that end have ended; whether they did. */
__attribute__((unused)) static bool threads_wait(int count) {
  for (int round = 0; round < 5000 && count_of_threads() > count; round++) sleep_ms(1);
  return count_of_threads() <= count;
}

#define EXPECT_EVENT(expected_kind, expected_name, old, new, event)                                                    \
  do {                                                                                                                 \
    const seen_event *check_event = (event);                                                                           \
    EXPECT_INT(expected_kind, check_event->kind);                                                                      \
    EXPECT_TEXT(expected_name, check_event->name);                                                                     \
    EXPECT_TEXT(old, check_event->old_value);                                                                          \
    EXPECT_TEXT(new, check_event->new_value);                                                                          \
  } while (0)

#endif

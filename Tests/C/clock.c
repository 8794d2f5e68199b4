// A clock that is wrong for a while takes nothing with it. The program's clock_gettime is the one that the library calls.
#include "moments.h"

static const int64_t year = 365 * day;

static int commits(livery_store *store) {
  livery_value *history = NULL;
  size_t count = 0;
  OK(livery_history(store, NULL, &history));
  OK(livery_value_count(history, &count));
  OK(livery_value_release(history));
  return (int)count;
}

static void set_in_session(livery_store *store, const char *name, int64_t number, int64_t lifetime) {
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, now_microseconds() + lifetime));
  OK(livery_change_set_int(change, name, number));
  OK(livery_change_commit(change, NULL));
}

static int warnings;

static void count_warnings(int32_t level, const char *message, void *user_data) {
  (void)user_data;
  if (level == LIVERY_LOG_WARNING && strstr(message, "clock")) warnings++;
}

TEST("a clock that is 100 days ahead for a commit takes no history and no session with it", ahead) {
  set_by = passed = warnings = 0;
  OK(livery_set_log_handler(count_warnings, NULL, NULL));
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  for (int number = 1; number <= 60; number++) OK(livery_set_int(store, user, "pair.a", number));
  set_in_session(store, "pair.b", 7, hour);
  set_in_session(store, "idleResetSeconds", 77, hour);
  set_by = 100 * day;
  EXPECT_INT(0, integer(store, "pair.b"));
  OK(livery_set_int(store, user, "pair.a", 61));
  // The setting that is touched meanwhile keeps its value of the session too.
  OK(livery_set_int(store, user, "idleResetSeconds", 50));
  EXPECT_INT(50, integer(store, "idleResetSeconds"));
  EXPECT_INT(1, warnings);
  set_by = 0;
  EXPECT_INT(7, integer(store, "pair.b"));
  EXPECT_INT(77, integer(store, "idleResetSeconds"));
  OK(livery_set_int(store, user, "pair.a", 62));
  EXPECT_INT(66, commits(store));
  EXPECT_INT(7, integer(store, "pair.b"));
  EXPECT_INT(1, warnings);
  OK(livery_set_log_handler(NULL, NULL, NULL));
  OK(livery_close(store));
}

TEST("what stays for an hour is what the time is", stays) {
  set_by = passed = 0;
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  for (int number = 1; number <= 40; number++) OK(livery_set_int(store, user, "pair.a", number));
  set_in_session(store, "pair.b", 7, hour);
  set_by = 100 * day;
  OK(livery_set_int(store, user, "pair.a", 41));
  passed = 59 * 60 * second;
  OK(livery_set_int(store, user, "pair.a", 42));
  EXPECT_INT(44, commits(store));
  passed += 61 * second;
  OK(livery_set_int(store, user, "pair.a", 43));
  // The session is committed to be over, and no commit takes more than 16 others for their age.
  EXPECT_INT(45 - 16, commits(store));
  set_by = 0;
  EXPECT_INT(0, integer(store, "pair.b"));
  OK(livery_close(store));
}

TEST("a clock that was not set yet is no reason to forget what was done then", not_set_yet) {
  set_by = passed = 0;
  set_by = -now_microseconds() + hour;
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  for (int number = 1; number <= 10; number++) OK(livery_set_int(store, user, "pair.a", number));
  set_by = 0;
  for (int number = 1; number <= 3; number++) {
    passed += hour;
    OK(livery_set_int(store, user, "pair.a", 10 + number));
  }
  EXPECT_INT(14, commits(store));
  passed += 91 * day;
  OK(livery_set_int(store, user, "pair.a", 20));
  EXPECT_INT(1, commits(store));
  OK(livery_close(store));
}

TEST("a clock that is as wrong again as it was for a new store takes nothing with it", wrong_again) {
  set_by = passed = 0;
  set_by = 400 * day;
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  OK(livery_set_int(store, user, "pair.a", 1));
  set_by = 0;
  set_in_session(store, "pair.b", 7, 30 * day);
  set_by = 400 * day;
  OK(livery_set_int(store, user, "pair.a", 2));
  set_by = 10 * day;
  OK(livery_set_int(store, user, "pair.a", 3));
  set_by = 0;
  EXPECT_INT(7, integer(store, "pair.b"));
  OK(livery_close(store));
}

TEST("time that passes is no doubt about the clock", passes) {
  set_by = passed = 0;
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  uint64_t before = 0, after = 0;
  set_in_session(store, "pair.b", 7, 80 * day);
  passed = 89 * day;
  OK(livery_set_int(store, user, "pair.a", 1));
  EXPECT_INT(3, commits(store));
  EXPECT_INT(0, integer(store, "pair.b"));
  passed += 2 * day;
  OK(livery_revision(store, &before));
  OK(livery_set_int(store, user, "pair.a", 2));
  OK(livery_revision(store, &after));
  EXPECT_INT(before + 1, after);
  EXPECT_INT(2, commits(store));
  OK(livery_close(store));
}

TEST("a watch goes by the clock as readers do, there and back, and is told nothing twice", watch) {
  set_by = passed = 0;
  const char *path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  static seen seen, dispatched;
  uint64_t before = 0, after = 0;
  set_in_session(store, "pair.b", 7, hour);
  if (!seen_start(&seen, store, NULL, 0, 0)) return;
  if (!seen_start(&dispatched, store, "pair.b", LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_revision(store, &before));
  set_by = day;
  EXPECT(seen_wait(&seen.count, 1));
  EXPECT_EVENT(LIVERY_EVENT_EXPIRED, "pair.b", "7", "0", &seen.events[0]);
  EXPECT_INT(LIVERY_LAYER_SESSION, seen.events[0].layer);
  for (int round = 0; round < 200 && dispatched.count < 1; round++, sleep_ms(10)) OK(livery_dispatch(store, NULL));
  EXPECT_EVENT(LIVERY_EVENT_EXPIRED, "pair.b", "7", "0", &dispatched.events[0]);
  OK(livery_set_int(store, user, "pair.b", 3));
  EXPECT(seen_wait(&seen.count, 2));
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "0", "3", &seen.events[1]);
  set_by = 0;
  EXPECT(seen_wait(&seen.count, 3));
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "3", "7", &seen.events[2]);
  set_by = day;
  EXPECT(seen_wait(&seen.count, 4));
  EXPECT_EVENT(LIVERY_EVENT_EXPIRED, "pair.b", "7", "3", &seen.events[3]);
  OK(livery_revision(store, &after));
  EXPECT_INT(before + 1, after);
  // After an hour it is committed, and everybody knows already.
  passed = hour + 61 * second;
  for (int round = 0; round < 500 && after < before + 2; round++, sleep_ms(10)) OK(livery_revision(store, &after));
  EXPECT_INT(before + 2, after);
  sleep_ms(100);
  EXPECT_INT(4, seen.count);
  OK(livery_dispatch(store, NULL));
  EXPECT_TEXT("3", dispatched.events[dispatched.count - 1].new_value);
  OK(livery_close(store));
  set_by = passed = 0;
}

TEST("what is exported in the year 12,000 can be imported", far_future) {
  set_by = passed = 0;
  set_by = 10000 * year;
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA), *other = new_store(fresh_path(), KIOSK_SCHEMA);
  char *text = NULL;
  OK(livery_set_int(store, user, "pair.a", 5));
  OK(livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, NULL));
  EXPECT_CONTAINS("9999-12-31T23:59:59.999999Z", text);
  OK(livery_import_json(other, user, text, LIVERY_ZERO_TERMINATED, 0, NULL));
  EXPECT_INT(5, integer(other, "pair.a"));
  livery_free(text);
  set_by = -5000 * year;
  text = NULL;
  OK(livery_set_int(store, user, "pair.a", 6));
  OK(livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, NULL));
  EXPECT_CONTAINS("0001-01-01T00:00:00Z", text);
  OK(livery_import_json(other, user, text, LIVERY_ZERO_TERMINATED, 0, NULL));
  livery_free(text);
  OK(livery_close(store));
  OK(livery_close(other));
  set_by = 0;
}

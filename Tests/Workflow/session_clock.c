// Sessions under clocks that jump. The program's clock_gettime is the one that the libraries call.
#include "check.h"
#include <livery/session.h>
#include <sys/syscall.h>

static const int64_t second = 1000000, hour = 3600 * second, day = 24 * hour;

// By how much the clock that can be set, and the one since the start of the system, are moved; in microseconds.
static _Atomic int64_t set_by, passed;

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  int64_t shift = clock == CLOCK_REALTIME ? set_by + passed : clock == CLOCK_BOOTTIME ? passed : 0;
  int64_t sum = time->tv_nsec / 1000 + shift % second;
  time->tv_sec += (time_t)(shift / second + sum / second - (sum % second < 0));
  time->tv_nsec = (long)((sum % second + (sum % second < 0 ? second : 0)) * 1000 + time->tv_nsec % 1000);
  return result;
}

static _Atomic int done_count;

static void done(livery_status status, const livery_session_info *info, livery_value *user, const char *message, void *data) {
  (void)status, (void)info, (void)user, (void)message, (void)data;
  done_count++;
}

static void fetch(livery_session_fetch *fetch, const livery_session_info *info, const char *token, size_t length, void *data) {
  (void)info, (void)token, (void)length, (void)data;
  livery_value *user = json("\"fetched\"");
  livery_session_answer(fetch, LIVERY_OK, user);
  livery_value_release(user);
}

static livery_store *begun(const char *path) {
  livery_store *store = open_store(path);
  int before = done_count;
  OK(livery_session_bootstrap(store, NULL, fetch, done, NULL, NULL));
  for (int tries = 0; done_count == before && tries < 500; tries++) sleep_ms(10);
  return store;
}

static void login(livery_store *store, int64_t lifetime) {
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  options.token = "token";
  options.token_length = LIVERY_ZERO_TERMINATED;
  options.expires = now_microseconds() + lifetime;
  livery_value *user = json("\"ada\"");
  OK(livery_session_login(store, user, &options));
  OK(livery_value_release(user));
  OK(livery_set_string(store, LIVERY_LAYER_SESSION, "theme", "dark", 4));
}

static livery_session_info state_of(livery_store *store) {
  livery_session_info info = LIVERY_SESSION_INFO_INIT;
  OK(livery_session_state(store, &info));
  return info;
}

static const char *theme(livery_store *store) {
  static char text[40];
  snprintf(text, sizeof text, "none");
  livery_get_string(store, "theme", text, sizeof text, NULL);
  return text;
}

#define SCHEMA "{\"Version\": 1, \"Open\": true, \"Groups\": []}"

TEST("a clock that is ahead for a while ends a session for that while", ahead) {
  set_by = passed = 0;
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  livery_store *store = begun(path);
  login(store, hour);
  set_by = 100 * day;
  EXPECT_INT(LIVERY_SESSION_EXPIRED, state_of(store).state);
  EXPECT_INT(LIVERY_SESSION_TIME, state_of(store).reason);
  EXPECT_TEXT("none", theme(store));
  // A commit meanwhile takes nothing with it.
  OK(livery_set_string(store, LIVERY_LAYER_USER, "other", "x", 1));
  sleep_ms(50);
  set_by = 0;
  EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
  EXPECT_TEXT("dark", theme(store));
  OK(livery_close(store));
  // So it is over a restart.
  set_by = 100 * day;
  store = begun(path);
  EXPECT_INT(LIVERY_SESSION_EXPIRED, state_of(store).state);
  OK(livery_close(store));
  set_by = 0;
  store = begun(path);
  EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
  EXPECT_TEXT("dark", theme(store));
  OK(livery_close(store));
}

TEST("a clock that is set back does not make a session longer than that, and time that passes ends it", passes) {
  set_by = passed = 0;
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  livery_store *store = begun(path);
  login(store, 2 * hour);
  set_by = -day;
  EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
  set_by = 0;
  passed = hour;
  EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
  OK(livery_close(store));
  passed = 3 * hour;
  store = begun(path);
  EXPECT_INT(LIVERY_SESSION_EXPIRED, state_of(store).state);
  EXPECT_TEXT("none", theme(store));
  // For good.
  OK(livery_set_string(store, LIVERY_LAYER_USER, "other", "x", 1));
  set_by = -3 * hour;
  EXPECT_INT(LIVERY_SESSION_EXPIRED, state_of(store).state);
  EXPECT_TEXT("none", theme(store));
  OK(livery_close(store));
}

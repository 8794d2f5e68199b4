// Sessions under clocks that jump. The program's clock_gettime is the one that the libraries call.
#include "check.h"
#include <livery/session.h>
#include <stdarg.h>
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

TEST("who logs in or out while the clock is ahead leaves nothing of who was there before", after_ahead) {
  for (int logs_in = 0; logs_in < 2; logs_in++) {
    set_by = passed = 0;
    const char *path = fresh_path();
    OK(livery_close(new_store(path, SCHEMA)));
    livery_store *store = begun(path);
    login(store, hour);
    set_by = 100 * day;
    if (logs_in) {
      livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
      options.expires = now_microseconds() + hour;
      livery_value *user = json("\"bob\"");
      OK(livery_session_login(store, user, &options));
      OK(livery_value_release(user));
      EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
    } else {
      OK(livery_session_logout(store));
    }
    EXPECT_TEXT("none", theme(store));
    char token[40] = "none";
    livery_get_string(store, "session.token", token, sizeof token, NULL);
    EXPECT_TEXT("none", token);
    set_by = 0;
    EXPECT_TEXT("none", theme(store));
    if (!logs_in) EXPECT_INT(LIVERY_SESSION_NONE, state_of(store).state);
    OK(livery_close(store));
  }
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

TEST("a clock that is set by hours, back and forward, ends no session that is not over, and none later than it is", by_hours) {
  for (int64_t hours = 1; hours <= 5; hours++) {
    set_by = passed = 0;
    const char *path = fresh_path();
    OK(livery_close(new_store(path, SCHEMA)));
    livery_store *store = begun(path);
    login(store, 4 * hour);
    // Forward: over for as long as the clock says so.
    set_by = hours * hour;
    EXPECT_INT(hours >= 4 ? LIVERY_SESSION_EXPIRED : LIVERY_SESSION_ACTIVE, state_of(store).state);
    EXPECT_TEXT(hours >= 4 ? "none" : "dark", theme(store));
    set_by = 0;
    EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
    // Back, and another process begins meanwhile.
    set_by = -hours * hour;
    EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
    livery_store *other = begun(path);
    EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(other).state);
    EXPECT_TEXT("dark", theme(other));
    OK(livery_close(other));
    // Set right again, all goes on as before.
    set_by = 0;
    EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
    passed = 4 * hour + second;
    EXPECT_INT(LIVERY_SESSION_EXPIRED, state_of(store).state);
    EXPECT_INT(LIVERY_SESSION_TIME, state_of(store).reason);
    OK(livery_close(store));
  }
}

TEST("a session whose time passes while the system is suspended is over when that wakes", suspended) {
  set_by = passed = 0;
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  livery_store *store = begun(path);
  login(store, 2 * hour);
  // The clock since the start of the system goes on, that of the processes stands still.
  passed = hour;
  EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
  EXPECT_TEXT("dark", theme(store));
  passed = 2 * hour + second;
  EXPECT_INT(LIVERY_SESSION_EXPIRED, state_of(store).state);
  EXPECT_INT(LIVERY_SESSION_TIME, state_of(store).reason);
  EXPECT_TEXT("none", theme(store));
  OK(livery_close(store));
}

// A process of another boot: this program, whose boot ID is that of a file.
int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  const char *boot = getenv("TEST_BOOT");
  return openat(AT_FDCWD, boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0 ? boot : path, flags, mode);
}

TEST("as a program of another boot", there) {
  const char *path = getenv("TEST_STORE");
  if (!path) SKIP("it is run by others");
  livery_store *store = begun(path);
  int64_t mode = 0;
  EXPECT_INT(atoi(getenv("TEST_STATE")), state_of(store).state);
  EXPECT_TEXT(getenv("TEST_THEME"), theme(store));
  // Volatile values have gone with the boot, whatever the session is.
  EXPECT_STATUS(LIVERY_OK, livery_get_int(store, "mode", &mode));
  EXPECT_INT(1, mode);
  OK(livery_close(store));
}

static void in_another_boot(const char *path, int state, const char *says) {
  char file[400], number[8];
  static int boots;
  snprintf(file, sizeof file, "%s.boot", path);
  FILE *written = fopen(file, "w");
  fprintf(written, "%08d-0000-4000-8000-000000000000\n", ++boots);
  fclose(written);
  snprintf(number, sizeof number, "%d", state);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    setenv("TEST_BOOT", file, 1);
    setenv("TEST_STORE", path, 1);
    setenv("TEST_STATE", number, 1);
    setenv("TEST_THEME", says, 1);
    execl("/proc/self/exe", "session_clock", "as a program of another boot", (char *)NULL);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) check_fail(__FILE__, __LINE__, "in another boot the state is not %d (%d)", state, status);
  unlink(file);
}

TEST("a session lasts over a start of the system, until its time; volatile values do not", restarted) {
  static const char schema[] = "{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["
                               "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"Mode\", \"Key\": \"mode\", \"Value\": 1, "
                               "\"Volatile\": true}]}]}";
  set_by = passed = 0;
  const char *path = fresh_path();
  OK(livery_close(new_store(path, schema)));
  livery_store *store = begun(path);
  login(store, 2 * second);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "mode", 2));
  OK(livery_set_int(store, LIVERY_LAYER_SESSION, "mode", 3));
  OK(livery_close(store));
  in_another_boot(path, LIVERY_SESSION_ACTIVE, "dark");
  // Its time is over while nothing runs.
  sleep_ms(2100);
  in_another_boot(path, LIVERY_SESSION_EXPIRED, "none");
}

// Memory that ends, a disk that is full and a store that another process keeps, while people log in and out: there is a status,
// the session is as it was or as it is to be, and the token of one that is over goes with the next end of a session.
#include "memory.h"
#include "refused.h"

#include <dirent.h>
#include <livery/session.h>

#define SCHEMA "{\"Version\": 1, \"Open\": true, \"Groups\": []}"
#define FORMER "session-token-former"
#define LATER "session-token-later"

static char path[300];

typedef struct told {
  _Atomic int done, destroyed;
  _Atomic livery_status status;
} told;

static void note_done(livery_status status, const livery_session_info *info, livery_value *person, const char *message, void *data) {
  told *told = data;
  (void)info, (void)person, (void)message;
  told->status = status;
  told->done++;
}
static void note_destroyed(void *data) { ((told *)data)->destroyed++; }
static void note_change(const livery_session_info *info, livery_value *person, void *data) { (void)info, (void)person, (void)data; }

static void fetch(livery_session_fetch *fetch, const livery_session_info *info, const char *token, size_t length, void *data) {
  (void)info, (void)token, (void)length, (void)data;
  livery_session_answer(fetch, LIVERY_ERROR_NETWORK, NULL);
}

static bool comes(_Atomic int *count) {
  for (int tries = 0; tries < 5000 && *count == 0; tries++) usleep(1000);
  return *count > 0;
}

static livery_status set_up(livery_store *store, const char *token, bool updates) {
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  livery_value *person = NULL;
  options.token = token;
  options.token_length = LIVERY_ZERO_TERMINATED;
  livery_status status = livery_value_make_int(1, &person);
  if (status == LIVERY_OK) status = updates ? livery_session_update(store, person, &options) : livery_session_login(store, person, &options);
  livery_value_release(person);
  return status;
}

static bool holds(const char *token) {
  bool found = false;
  DIR *entries = opendir(path);
  for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
    char file[700];
    size_t size = 0;
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    if (entry->d_type != DT_REG) continue;
    char *bytes = read_file(file, &size);
    found |= bytes && memmem(bytes, size, token, strlen(token));
    free(bytes);
  }
  if (entries) closedir(entries);
  return found;
}

static livery_session_info state_of(livery_store *store) {
  livery_session_info info = LIVERY_SESSION_INFO_INIT;
  OK(livery_session_state(store, &info));
  return info;
}

static void bootstrapped(livery_store *store) {
  told own = {0};
  OK(livery_session_bootstrap(store, NULL, NULL, note_done, &own, note_destroyed));
  EXPECT(comes(&own.destroyed));
  EXPECT_INT(LIVERY_OK, own.status);
}

// A piece of work, from the state that it begins in to the one that it leads to.
typedef struct work {
  const char *name;
  int from, to;
  livery_status (*run)(livery_store *store);
  bool writes;
} work;

static livery_status run_login(livery_store *store) { return set_up(store, LATER, false); }
static livery_status run_update(livery_store *store) { return set_up(store, LATER, true); }
static livery_status run_logout(livery_store *store) { return livery_session_logout(store); }
static livery_status run_expire(livery_store *store) { return livery_session_expire(store); }
static livery_status run_look(livery_store *store) {
  livery_session_info info = LIVERY_SESSION_INFO_INIT;
  livery_value *person = NULL;
  livery_status status = livery_session_current(store, &person);
  livery_value_release(person);
  return status == LIVERY_OK ? livery_session_state(store, &info) : status;
}
static livery_status run_watch(livery_store *store) {
  livery_session_watch *watch = NULL;
  livery_status status = livery_session_watch_start(store, NULL, note_change, NULL, NULL, &watch);
  if (status == LIVERY_OK) OK(livery_session_watch_stop(watch));
  return status;
}

static const work works[] = {
  {"login", LIVERY_SESSION_NONE, LIVERY_SESSION_ACTIVE, run_login, true},
  {"update", LIVERY_SESSION_ACTIVE, LIVERY_SESSION_ACTIVE, run_update, true},
  {"logout", LIVERY_SESSION_ACTIVE, LIVERY_SESSION_NONE, run_logout, true},
  {"expire", LIVERY_SESSION_ACTIVE, LIVERY_SESSION_EXPIRED, run_expire, true},
  {"look", LIVERY_SESSION_ACTIVE, LIVERY_SESSION_ACTIVE, run_look, false},
  {"watch", LIVERY_SESSION_ACTIVE, LIVERY_SESSION_ACTIVE, run_watch, false},
};
enum { WORKS = sizeof works / sizeof *works };

static livery_store *ready(const work *work) {
  livery_store *store = open_store_with(path, 0, 50);
  bootstrapped(store);
  if (state_of(store).state == LIVERY_SESSION_ACTIVE) OK(livery_session_logout(store));
  if (work->from == LIVERY_SESSION_ACTIVE) OK(set_up(store, FORMER, false));
  return store;
}

// As it was, or as it is to be: with the token that belongs to it.
static void expect_whole(livery_store *store, const work *work, livery_status status, const char *what) {
  int before = check_failures;
  char token[40] = "", former[40] = "";
  bool is_done = status == LIVERY_OK;
  livery_session_info info = state_of(store);
  EXPECT_INT(is_done ? work->to : work->from, info.state);
  livery_get_string(store, "session.token", token, sizeof token, NULL);
  snprintf(former, sizeof former, "%s", work->from == LIVERY_SESSION_ACTIVE ? FORMER : "");
  bool sets = work->run == run_login || work->run == run_update;
  EXPECT_TEXT(is_done && sets ? LATER : is_done && work->to != LIVERY_SESSION_ACTIVE ? "" : former, token);
  EXPECT_INT(token[0] != 0, info.has_token);
  // Another process comes; with it, and with the next end of a session, all that was left goes.
  OK(livery_close(store));
  store = open_store(path);
  bootstrapped(store);
  EXPECT_INT(is_done ? work->to : work->from, state_of(store).state);
  if (token[0] == 0) OK(set_up(store, FORMER, false));
  OK(livery_session_logout(store));
  EXPECT(!holds(FORMER) && !holds(LATER));
  OK(livery_close(store));
  if (check_failures > before) fprintf(stderr, "  %s, %s\n", work->name, what);
}

static void make(void) {
  snprintf(path, sizeof path, "%s", fresh_path());
  OK(livery_close(new_store(path, SCHEMA)));
}

TEST("at whatever allocation memory ends, once or for good, a session is as it was or as it is to be", memory_ends) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  make();
  for (int index = 0; index < WORKS; index++) {
    const work *work = &works[index];
    int refused = 0;
    for (long count = 0, quiet = 0; quiet < 4 && count < 500 && check_failures < 20; count += 1 + count / 12) {
      for (int for_good = 0; for_good < 2; for_good++) {
        char what[60];
        snprintf(what, sizeof what, "after %ld allocations, %s", count, for_good ? "for good" : "once");
        livery_store *store = ready(work);
        memory_ends_after(count, for_good);
        livery_status status = work->run(store);
        memory_is_back();
        quiet = struck ? 0 : quiet + 1;
        if (status != LIVERY_OK && status != LIVERY_ERROR_NO_MEMORY)
          check_fail(__FILE__, __LINE__, "%s, %s: %s, %s", work->name, what, livery_status_name(status), livery_last_error()->message);
        refused += status != LIVERY_OK;
        expect_whole(store, work, status, what);
      }
    }
    EXPECT(refused > 0);
  }
}

TEST("at whatever allocation memory ends, the one who asks who is logged in is told once", bootstrap_memory) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  make();
  OK(livery_close(ready(&works[2])));
  int refused = 0;
  for (long count = 0, quiet = 0; quiet < 4 && count < 500 && check_failures < 20; count += 1 + count / 12) {
    for (int for_good = 0; for_good < 2; for_good++) {
      told own = {0};
      livery_store *store = open_store(path);
      memory_ends_after(count, for_good);
      livery_status status = livery_session_bootstrap(store, NULL, count % 2 ? fetch : NULL, note_done, &own, note_destroyed);
      for (int tries = 0; tries < 20 && !own.done; tries++) usleep(1000);
      memory_is_back();
      quiet = struck ? 0 : quiet + 1;
      EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY);
      EXPECT(comes(&own.done));
      EXPECT(own.status == LIVERY_OK || own.status == LIVERY_ERROR_NO_MEMORY || (count % 2 && own.status == LIVERY_ERROR_NETWORK));
      if (status != LIVERY_OK) EXPECT_INT(status, own.status);
      refused += own.status == LIVERY_ERROR_NO_MEMORY;
      // It works when there is memory again.
      if (own.status == LIVERY_ERROR_NO_MEMORY) {
        told again = {0};
        OK(livery_session_bootstrap(store, NULL, NULL, note_done, &again, note_destroyed));
        EXPECT(comes(&again.destroyed));
        EXPECT_INT(LIVERY_OK, again.status);
      }
      EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
      OK(livery_close(store));
      EXPECT_INT(1, own.done);
      EXPECT_INT(1, own.destroyed);
    }
  }
  EXPECT(refused > 0);
}

TEST("with no room for what is written each transition is NO_SPACE, and the session is as it was", full) {
  signal(SIGXFSZ, SIG_IGN);
  make();
  for (int index = 0; index < WORKS; index++) {
    livery_store *store = ready(&works[index]);
    limit_files();
    livery_status status = works[index].run(store);
    lift_limits();
    if (status != (works[index].writes ? LIVERY_ERROR_NO_SPACE : LIVERY_OK))
      check_fail(__FILE__, __LINE__, "%s: %s", works[index].name, livery_status_name(status));
    expect_whole(store, &works[index], status, "full");
  }
}

TEST("while another process keeps the store each transition is BUSY after its timeout, and the session is as it was", busy) {
  make();
  for (int index = 0; index < WORKS; index++) {
    livery_store *store = ready(&works[index]);
    if (!hold(path)) return;
    livery_status status = works[index].run(store);
    let_go();
    if (status != (works[index].writes ? LIVERY_ERROR_BUSY : LIVERY_OK))
      check_fail(__FILE__, __LINE__, "%s: %s", works[index].name, livery_status_name(status));
    expect_whole(store, &works[index], status, "busy");
  }
  // Who asks is told once, and may ask again.
  told own = {0};
  make();
  livery_store *store = open_store_with(path, 0, 50);
  if (!hold(path)) return;
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_session_bootstrap(store, NULL, NULL, note_done, &own, note_destroyed));
  let_go();
  EXPECT_INT(LIVERY_ERROR_BUSY, own.status);
  EXPECT_INT(1, own.done);
  EXPECT_INT(1, own.destroyed);
  bootstrapped(store);
  EXPECT_INT(LIVERY_SESSION_NONE, state_of(store).state);
  OK(livery_close(store));
}

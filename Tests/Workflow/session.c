// Sessions in one process: each transition from each state, who is told what, and what callers get wrong.
#include "sealer.h"
#include <livery/session.h>
#include <pthread.h>

static const livery_layer user_layer = LIVERY_LAYER_USER, session = LIVERY_LAYER_SESSION;

#define SCHEMA                                                                                                         \
  "{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["                                 \
  "{\"Type\": \"TextField\", \"Title\": \"Language\", \"Key\": \"language\", \"Value\": \"en\", \"Survives\": [\"logout\"]}," \
  "{\"Type\": \"TextField\", \"Title\": \"Theme\", \"Key\": \"theme\", \"Value\": \"light\"}]}]}"

// What functions were told.
typedef struct heard {
  _Atomic int done, destroyed, asked, changes;
  _Atomic livery_status status;
  livery_session_info info;
  char user[200], message[200], token[200];
  // Whom the function that is asked for the user answers with, and how.
  const char *answer;
  livery_status refuses;
  bool waits;
  livery_session_fetch *_Atomic fetch;
} heard;

static void text_of(livery_value *value, char *text, size_t size) {
  char *made = NULL;
  if (value && livery_value_to_json(value, 0, &made, NULL) == LIVERY_OK) snprintf(text, size, "%s", made);
  else text[0] = 0;
  livery_free(made);
}

static void done(livery_status status, const livery_session_info *info, livery_value *user, const char *message, void *data) {
  heard *heard = data;
  heard->status = status;
  heard->info = *info;
  text_of(user, heard->user, sizeof heard->user);
  snprintf(heard->message, sizeof heard->message, "%s", message);
  heard->done++;
}

static void changed(const livery_session_info *info, livery_value *user, void *data) {
  heard *heard = data;
  heard->info = *info;
  text_of(user, heard->user, sizeof heard->user);
  heard->changes++;
}

static void destroy(void *data) { ((heard *)data)->destroyed++; }

static void fetch(livery_session_fetch *fetch, const livery_session_info *info, const char *token, size_t length, void *data) {
  heard *heard = data;
  (void)info;
  snprintf(heard->token, sizeof heard->token, "%s", token ? token : "(none)");
  EXPECT_INT(token ? strlen(token) : 0, length);
  if (heard->waits) {
    heard->fetch = fetch;
  } else if (heard->refuses) {
    OK(livery_session_answer(fetch, heard->refuses, NULL));
  } else {
    livery_value *user = json(heard->answer);
    OK(livery_session_answer(fetch, LIVERY_OK, user));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_answer(fetch, LIVERY_OK, user));
    OK(livery_value_release(user));
  }
  heard->asked++;
}

static void wait_for(const _Atomic int *count, int least) {
  for (int tries = 0; *count < least && tries < 500; tries++) sleep_ms(10);
  EXPECT(*count >= least);
}

static livery_store *begun_with(const char *path, heard *heard, livery_session_fetch_fn fetcher) {
  livery_store *store = open_store(path);
  int before = heard->done;
  OK(livery_session_bootstrap(store, NULL, fetcher, done, heard, destroy));
  wait_for(&heard->done, before + 1);
  return store;
}

static livery_status login(livery_store *store, const char *user, const char *token, int64_t expires, uint32_t flags) {
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  options.flags = flags;
  options.token = token;
  options.token_length = LIVERY_ZERO_TERMINATED;
  options.expires = expires;
  livery_value *value = json(user);
  livery_status status = livery_session_login(store, value, &options);
  OK(livery_value_release(value));
  return status;
}

static livery_session_info state_of(livery_store *store) {
  livery_session_info info = LIVERY_SESSION_INFO_INIT;
  OK(livery_session_state(store, &info));
  return info;
}

static void expect_state(livery_store *store, int state, int reason, const char *user, int line) {
  livery_session_info info = state_of(store);
  livery_value *value = NULL;
  char text[200] = "";
  livery_status status = livery_session_current(store, &value);
  text_of(value, text, sizeof text);
  if (info.state != state || info.reason != reason || strcmp(text, user) != 0 || info.has_user != (user[0] != 0))
    check_fail(__FILE__, line, "the state is %d %d with %s, not %d %d with %s", info.state, info.reason, text, state, reason, user);
  if (status != (user[0] ? LIVERY_OK : LIVERY_ERROR_NO_VALUE)) check_fail(__FILE__, line, "the user is %d", status);
  livery_value_release(value);
}
#define EXPECT_STATE(store, state, reason, user) expect_state(store, LIVERY_SESSION_##state, LIVERY_SESSION_##reason, user, __LINE__)

static int names_in(livery_store *store, livery_layer layer) {
  livery_snapshot *snapshot = NULL;
  livery_value *names = NULL;
  size_t count = 0;
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_snapshot_list(snapshot, layer, NULL, &names));
  OK(livery_value_count(names, &count));
  OK(livery_value_release(names));
  OK(livery_snapshot_close(snapshot));
  return (int)count;
}

static const char *text_setting(livery_store *store, const char *name) {
  static char text[200];
  text[0] = 0;
  livery_get_string(store, name, text, sizeof text, NULL);
  return text;
}

TEST("before it is found out who is logged in the state is unknown, and nothing is done", unknown) {
  livery_store *store = new_store(fresh_path(), SCHEMA);
  EXPECT_STATE(store, UNKNOWN, NEVER, "");
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, login(store, "\"ada\"", NULL, 0, 0));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_update(store, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_logout(store));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_expire(store));
  EXPECT_INT(0, names_in(store, session));
  OK(livery_close(store));
}

// Has a handle in a state, by its own doing.
static void lead(livery_store *store, int state) {
  OK(livery_session_logout(store));
  if (state != LIVERY_SESSION_NONE) OK(login(store, "\"ada\"", "token-1", 0, 0));
  if (state == LIVERY_SESSION_EXPIRED) OK(livery_session_expire(store));
}

TEST("each state gives way to what another handle makes, and one that does not know yet stays at that", by_others) {
  static const int states[] = {LIVERY_SESSION_NONE, LIVERY_SESSION_ACTIVE, LIVERY_SESSION_EXPIRED};
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0}, there = {0};
  livery_store *store = begun_with(path, &heard, NULL), *other = begun_with(path, &there, NULL), *third = open_store(path);
  for (int from = 0; from < 3; from++) {
    for (int to = 0; to < 3; to++) {
      lead(store, states[from]);
      EXPECT_INT(states[from], state_of(store).state);
      lead(other, states[to]);
      EXPECT_INT(states[to], state_of(store).state);
      EXPECT_TEXT(state_of(other).id, state_of(store).id);
      EXPECT_INT(0, state_of(store).has_user && states[to] != LIVERY_SESSION_ACTIVE);
      EXPECT_STATE(third, UNKNOWN, NEVER, "");
    }
  }
  // Nor does time change what is not known, and its time ends a session that another has begun.
  OK(livery_session_logout(store));
  OK(login(other, "\"ada\"", "token-1", now_microseconds() + 150000, 0));
  EXPECT_INT(LIVERY_SESSION_ACTIVE, state_of(store).state);
  sleep_ms(200);
  EXPECT_STATE(store, EXPIRED, TIME, "");
  EXPECT_STATE(other, EXPIRED, TIME, "");
  EXPECT_STATE(third, UNKNOWN, NEVER, "");
  OK(livery_close(third));
  OK(livery_close(other));
  OK(livery_close(store));
}

TEST("from none: a login makes it active, nothing else does anything", from_none) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0};
  livery_store *store = begun_with(path, &heard, NULL);
  EXPECT_INT(LIVERY_OK, heard.status);
  EXPECT_INT(LIVERY_SESSION_NONE, heard.info.state);
  EXPECT_STATE(store, NONE, NEVER, "");
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_bootstrap(store, NULL, NULL, done, &heard, destroy));
  EXPECT_INT(2, heard.done);
  EXPECT_INT(LIVERY_ERROR_CONFLICT, heard.status);
  uint64_t before = 0, after = 0;
  OK(livery_revision(store, &before));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_update(store, NULL, NULL));
  OK(livery_session_logout(store));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_expire(store));
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  // What was in the layer before goes.
  OK(livery_set_string(store, session, "theme", "dark", 4));
  OK(livery_revision(store, &before));
  OK(login(store, "{\"name\":\"ada\"}", "token-1", 0, 0));
  OK(livery_revision(store, &after));
  EXPECT_INT(before + 1, after);
  EXPECT_STATE(store, ACTIVE, LOGIN, "{\"name\":\"ada\"}");
  EXPECT_TEXT("light", text_setting(store, "theme"));
  EXPECT_TEXT("token-1", text_setting(store, "session.token"));
  livery_session_info info = state_of(store);
  EXPECT(info.has_token && info.since > 0 && info.expires == 0 && strlen(info.id) == LIVERY_SESSION_ID_SIZE);
  OK(livery_close(store));
  EXPECT_INT(2, heard.destroyed);
}

TEST("from active: another login is refused or replaces it, and it is updated, logged out and expired", from_active) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0};
  livery_store *store = begun_with(path, &heard, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  livery_session_info first = state_of(store);
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, login(store, "\"bob\"", "token-2", 0, 0));
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"ada\"");
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_bootstrap(store, NULL, NULL, done, &heard, destroy));
  OK(livery_set_string(store, session, "theme", "dark", 4));
  OK(livery_set_string(store, session, "language", "de", 2));

  // The user alone, the token alone, the end alone.
  livery_value *eve = json("\"eve\"");
  OK(livery_session_update(store, eve, NULL));
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"eve\"");
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  options.token = "token-3";
  options.token_length = 7;
  OK(livery_session_update(store, NULL, &options));
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"eve\"");
  EXPECT_TEXT("token-3", text_setting(store, "session.token"));
  options.token = NULL;
  options.expires = now_microseconds() + 3600000000;
  OK(livery_session_update(store, NULL, &options));
  EXPECT_INT(options.expires, state_of(store).expires);
  EXPECT_TEXT(first.id, state_of(store).id);
  EXPECT_TEXT("dark", text_setting(store, "theme"));
  options.expires = LIVERY_SESSION_ENDLESS;
  OK(livery_session_update(store, NULL, &options));
  EXPECT_INT(0, state_of(store).expires);
  OK(livery_value_release(eve));

  OK(login(store, "\"bob\"", "token-2", 0, LIVERY_SESSION_REPLACE));
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"bob\"");
  EXPECT(strcmp(first.id, state_of(store).id) != 0);
  EXPECT_TEXT("light", text_setting(store, "theme"));
  EXPECT_TEXT("de", text_setting(store, "language"));

  OK(livery_set_string(store, session, "theme", "dark", 4));
  uint64_t before = 0;
  OK(livery_revision(store, &before));
  OK(livery_session_logout(store));
  EXPECT_STATE(store, NONE, LOGOUT, "");
  EXPECT_TEXT("light", text_setting(store, "theme"));
  EXPECT_TEXT("de", text_setting(store, "language"));
  EXPECT_TEXT("", text_setting(store, "session.token"));
  EXPECT_INT(1, names_in(store, session));

  OK(login(store, "\"ada\"", NULL, 0, 0));
  EXPECT(!state_of(store).has_token);
  OK(livery_session_expire(store));
  EXPECT_STATE(store, EXPIRED, EXPIRE, "");
  OK(livery_close(store));
}

TEST("from expired: a login begins anew, a logout makes it none, all else leaves it", from_expired) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0};
  livery_store *store = begun_with(path, &heard, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  OK(livery_session_expire(store));
  uint64_t before = 0, after = 0;
  OK(livery_revision(store, &before));
  OK(livery_session_expire(store));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_update(store, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_bootstrap(store, NULL, NULL, done, &heard, destroy));
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  EXPECT_STATE(store, EXPIRED, EXPIRE, "");
  OK(livery_session_logout(store));
  EXPECT_STATE(store, NONE, LOGOUT, "");
  OK(login(store, "\"bob\"", NULL, 0, 0));
  OK(livery_session_expire(store));
  OK(login(store, "\"eve\"", NULL, 0, 0));
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"eve\"");
  OK(livery_close(store));
}

typedef struct { _Atomic bool begun, goes_on, over; } lingering;

static void linger(const livery_session_info *info, livery_value *user, void *data) {
  lingering *call = data;
  (void)info, (void)user;
  call->begun = true;
  while (!call->goes_on) sleep_ms(1);
  call->over = true;
}

static void *let_go_on(void *data) {
  sleep_ms(100);
  ((lingering *)data)->goes_on = true;
  return NULL;
}

TEST("whoever stops watching waits for the call that is under way", stop_waits) {
  heard heard = {0};
  lingering call = {0};
  livery_store *store = begun_with(fresh_path(), &heard, NULL);
  livery_session_watch *watch = NULL;
  pthread_t thread;
  OK(livery_session_watch_start(store, NULL, linger, &call, NULL, &watch));
  OK(login(store, "\"ada\"", NULL, 0, 0));
  for (int tries = 0; !call.begun && tries < 5000; tries++) sleep_ms(1);
  EXPECT_INT(0, pthread_create(&thread, NULL, let_go_on, &call));
  OK(livery_session_watch_stop(watch));
  EXPECT(call.over);
  pthread_join(thread, NULL);
  OK(livery_close(store));
}

static void stop_in_call(const livery_session_info *info, livery_value *user, void *data) {
  livery_session_watch *_Atomic *watch = data;
  (void)info, (void)user;
  while (!*watch) sleep_ms(1);
  livery_session_watch *here = *watch;
  OK(livery_session_watch_stop(here));
  *watch = NULL;
}

TEST("a watch may be stopped within its own call", stop_within) {
  heard heard = {0};
  livery_store *store = begun_with(fresh_path(), &heard, NULL);
  livery_session_watch *_Atomic watch = NULL;
  livery_session_watch *made = NULL;
  OK(livery_session_watch_start(store, NULL, stop_in_call, (void *)&watch, NULL, &made));
  watch = made;
  OK(login(store, "\"ada\"", NULL, 0, 0));
  for (int tries = 0; watch && tries < 5000; tries++) sleep_ms(1);
  EXPECT(!watch);
  OK(livery_close(store));
}

TEST("a token that is refused after it was exchanged ends nothing", refused_too_late) {
  const char *path = fresh_path();
  heard first = {0}, second = {.waits = true};
  livery_store *store = begun_with(path, &first, NULL), *other = open_store(path);
  OK(login(store, "\"ada\"", "old", 0, 0));
  OK(livery_session_bootstrap(other, NULL, fetch, done, &second, destroy));
  wait_for(&second.asked, 1);
  EXPECT_TEXT("old", second.token);
  livery_session_fetch *asked = second.fetch;
  second.waits = false;
  second.answer = "\"ada\"";
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  options.token = "new";
  options.token_length = LIVERY_ZERO_TERMINATED;
  OK(livery_session_update(store, NULL, &options));
  // It may know already that somebody else is meant.
  livery_status status = livery_session_answer(asked, LIVERY_ERROR_REFUSED, NULL);
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_CLOSED);
  wait_for(&second.asked, 2);
  EXPECT_TEXT("new", second.token);
  for (int tries = 0; !state_of(other).has_user && tries < 500; tries++) sleep_ms(10);
  EXPECT_STATE(other, ACTIVE, LOGIN, "\"ada\"");
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"ada\"");
  OK(livery_close(other));
  OK(livery_close(store));
}

typedef struct { livery_store *store; heard heard; } exchanging;

/** Exchanges the token while its user is asked for, and refuses the former one before the watcher can hear of that. */
static void exchange(livery_session_fetch *fetched, const livery_session_info *info, const char *token, size_t length, void *data) {
  exchanging *here = data;
  if (token && strcmp(token, "old") == 0) {
    livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
    options.token = "new";
    options.token_length = LIVERY_ZERO_TERMINATED;
    OK(livery_session_update(here->store, NULL, &options));
    OK(livery_session_answer(fetched, LIVERY_ERROR_REFUSED, NULL));
  } else {
    fetch(fetched, info, token, length, &here->heard);
  }
}

static void exchanged(livery_status status, const livery_session_info *info, livery_value *user, const char *message, void *data) {
  done(status, info, user, message, &((exchanging *)data)->heard);
}

TEST("a token that is refused while it is exchanged ends nothing", refused_meanwhile) {
  const char *path = fresh_path();
  heard first = {0};
  exchanging second = {.heard = {.answer = "\"ada\""}};
  livery_store *store = begun_with(path, &first, NULL), *other = open_store(path);
  second.store = store;
  OK(login(store, "\"ada\"", "old", 0, 0));
  OK(livery_session_bootstrap(other, NULL, exchange, exchanged, &second, NULL));
  wait_for(&second.heard.asked, 1);
  for (int tries = 0; !state_of(other).has_user && tries < 500; tries++) sleep_ms(10);
  EXPECT_STATE(other, ACTIVE, LOGIN, "\"ada\"");
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"ada\"");
  OK(livery_close(other));
  OK(livery_close(store));
}

TEST("its time ends a session: everything of it at once, and those who watch hear why", time_ends) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0}, watching = {0};
  livery_store *store = begun_with(path, &heard, NULL);
  livery_session_watch *watch = NULL;
  OK(livery_session_watch_start(store, NULL, changed, &watching, destroy, &watch));
  OK(login(store, "\"ada\"", "token-1", now_microseconds() + 500000, 0));
  OK(livery_set_string(store, session, "theme", "dark", 4));
  OK(livery_set_string(store, session, "language", "de", 2));
  wait_for(&watching.changes, 1);
  EXPECT_TEXT("\"ada\"", watching.user);
  EXPECT_TEXT("dark", text_setting(store, "theme"));
  sleep_ms(550);
  EXPECT_STATE(store, EXPIRED, TIME, "");
  EXPECT_TEXT("light", text_setting(store, "theme"));
  EXPECT_TEXT("de", text_setting(store, "language"));
  EXPECT_TEXT("", text_setting(store, "session.token"));
  wait_for(&watching.changes, 2);
  EXPECT_INT(LIVERY_SESSION_EXPIRED, watching.info.state);
  EXPECT_INT(LIVERY_SESSION_TIME, watching.info.reason);
  EXPECT_TEXT("", watching.user);
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_update(store, NULL, NULL));
  OK(livery_session_expire(store));
  EXPECT_STATE(store, EXPIRED, TIME, "");
  // All of it went with one commit.
  for (int tries = 0; names_in(store, session) > 1 && tries < 100; tries++) sleep_ms(10);
  EXPECT_INT(1, names_in(store, session));
  OK(livery_session_logout(store));
  EXPECT_STATE(store, NONE, LOGOUT, "");
  OK(livery_session_watch_stop(watch));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_watch_stop(watch));
  OK(livery_session_watch_stop(NULL));
  OK(livery_close(store));
  EXPECT_INT(1, watching.destroyed);
}

TEST("a session is found again, by the function that knows the user of a token", found_again) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {.answer = "{\"name\":\"ada\"}"};
  livery_store *store = begun_with(path, &heard, fetch);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  EXPECT_INT(0, heard.asked);
  OK(livery_close(store));
  wait_for(&heard.destroyed, 1);
  store = begun_with(path, &heard, fetch);
  EXPECT_INT(LIVERY_OK, heard.status);
  EXPECT_INT(LIVERY_SESSION_ACTIVE, heard.info.state);
  EXPECT_TEXT("{\"name\":\"ada\"}", heard.user);
  EXPECT_TEXT("token-1", heard.token);
  EXPECT_STATE(store, ACTIVE, LOGIN, "{\"name\":\"ada\"}");
  EXPECT_INT(1, heard.asked);
  OK(livery_close(store));
  // Without one the user is not known.
  store = begun_with(path, &heard, NULL);
  EXPECT_STATE(store, ACTIVE, LOGIN, "");
  OK(livery_close(store));
  wait_for(&heard.destroyed, 3);
}

TEST("when the user cannot be fetched the session stays, and it can be tried again; a token that is refused ends it", refused) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {.answer = "\"ada\"", .refuses = LIVERY_ERROR_NETWORK};
  livery_store *store = begun_with(path, &heard, fetch);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  OK(livery_close(store));
  store = begun_with(path, &heard, fetch);
  EXPECT_INT(LIVERY_ERROR_NETWORK, heard.status);
  EXPECT_INT(LIVERY_SESSION_ACTIVE, heard.info.state);
  EXPECT(heard.message[0] != 0);
  EXPECT_STATE(store, ACTIVE, LOGIN, "");
  heard.refuses = 0;
  OK(livery_session_bootstrap(store, NULL, fetch, done, &heard, destroy));
  wait_for(&heard.done, 3);
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"ada\"");
  OK(livery_close(store));
  heard.refuses = LIVERY_ERROR_REFUSED;
  store = begun_with(path, &heard, fetch);
  EXPECT_INT(LIVERY_OK, heard.status);
  EXPECT_INT(LIVERY_SESSION_EXPIRED, heard.info.state);
  EXPECT_STATE(store, EXPIRED, REFUSED, "");
  EXPECT_TEXT("", text_setting(store, "session.token"));
  OK(livery_close(store));
  wait_for(&heard.destroyed, 4);
}

TEST("a token that cannot be opened here is why there is no user, and with its key it can be tried again", sealed) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  toy toy = {.key = 7};
  heard heard = {.answer = "\"ada\""}, other = {0};
  livery_store *store = open_store(path);
  OK(toy_set(store, &toy));
  OK(livery_session_bootstrap(store, NULL, NULL, done, &other, destroy));
  wait_for(&other.done, 1);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  OK(livery_close(store));
  for (int round = 0; round < 2; round++) {
    if (round == 0) store = begun_with(path, &heard, fetch);
    else OK(livery_session_bootstrap(store, NULL, fetch, done, &heard, destroy));
    wait_for(&heard.done, round + 1);
    EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, heard.status);
    EXPECT_INT(LIVERY_SESSION_ACTIVE, heard.info.state);
    EXPECT_STATE(store, ACTIVE, LOGIN, "");
    EXPECT_INT(0, heard.asked);
  }
  OK(toy_set(store, &toy));
  OK(livery_session_bootstrap(store, NULL, fetch, done, &heard, destroy));
  wait_for(&heard.done, 3);
  EXPECT_INT(LIVERY_OK, heard.status);
  EXPECT_TEXT("token-1", heard.token);
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"ada\"");
  OK(livery_close(store));
  wait_for(&heard.destroyed, 3);
}

TEST("an answer that comes too late is passed over", late) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {.waits = true}, other = {0};
  livery_store *store = begun_with(path, &other, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  livery_store *second = open_store(path);
  livery_value *user = json("\"ada\"");
  OK(livery_session_bootstrap(second, NULL, fetch, done, &heard, destroy));
  wait_for(&heard.asked, 1);
  EXPECT_STATE(second, UNKNOWN, NEVER, "");
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_session_logout(second));
  livery_session_fetch *former = heard.fetch;
  OK(login(store, "\"bob\"", "token-2", 0, LIVERY_SESSION_REPLACE));
  wait_for(&heard.asked, 2);
  EXPECT_TEXT("token-2", heard.token);
  OK(livery_session_answer(former, LIVERY_OK, user));
  EXPECT_INT(0, heard.done);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_answer(former, LIVERY_OK, user));
  OK(livery_session_logout(store));
  wait_for(&heard.done, 1);
  EXPECT_INT(LIVERY_SESSION_NONE, heard.info.state);
  OK(livery_session_answer(heard.fetch, LIVERY_OK, user));
  EXPECT_STATE(second, NONE, LOGOUT, "");
  OK(livery_value_release(user));
  OK(livery_close(second));
  OK(livery_close(store));
}

TEST("closing ends what is under way", closes) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {.waits = true}, other = {0};
  livery_store *store = begun_with(path, &other, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  livery_store *second = open_store(path);
  OK(livery_session_bootstrap(second, NULL, fetch, done, &heard, destroy));
  wait_for(&heard.asked, 1);
  OK(livery_close(second));
  EXPECT_INT(1, heard.done);
  EXPECT_INT(LIVERY_ERROR_CLOSED, heard.status);
  EXPECT_INT(1, heard.destroyed);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_answer(heard.fetch, LIVERY_ERROR_NETWORK, NULL));
  OK(livery_close(store));
}

TEST("other handles hear of each transition, and of the user by asking", others_hear) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard here = {0}, there = {.answer = "\"by token\""}, watching = {0};
  livery_store *store = begun_with(path, &here, NULL), *other = begun_with(path, &there, fetch);
  livery_session_options options = LIVERY_SESSION_OPTIONS_INIT;
  options.flags = LIVERY_SESSION_INITIAL;
  OK(livery_session_watch_start(other, &options, changed, &watching, destroy, NULL));
  wait_for(&watching.changes, 1);
  EXPECT_INT(LIVERY_SESSION_NONE, watching.info.state);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  EXPECT_STATE(store, ACTIVE, LOGIN, "\"ada\"");
  wait_for(&there.asked, 1);
  for (int tries = 0; tries < 200 && !state_of(other).has_user; tries++) sleep_ms(5);
  EXPECT_STATE(other, ACTIVE, LOGIN, "\"by token\"");
  // Another user or token is asked for anew, another end is not.
  livery_session_login_options update = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  update.expires = now_microseconds() + 3600000000;
  OK(livery_session_update(store, NULL, &update));
  for (int tries = 0; tries < 200 && watching.info.expires == 0; tries++) sleep_ms(5);
  EXPECT_INT(update.expires, watching.info.expires);
  EXPECT_INT(1, there.asked);
  livery_value *eve = json("\"eve\"");
  there.answer = "\"eve by token\"";
  OK(livery_session_update(store, eve, NULL));
  wait_for(&there.asked, 2);
  for (int tries = 0; tries < 200 && strcmp(watching.user, "\"eve by token\"") != 0; tries++) sleep_ms(5);
  EXPECT_TEXT("\"eve by token\"", watching.user);
  OK(livery_value_release(eve));
  // The other one may end it.
  OK(livery_session_expire(other));
  EXPECT_STATE(store, EXPIRED, EXPIRE, "");
  for (int tries = 0; tries < 200 && watching.info.state != LIVERY_SESSION_EXPIRED; tries++) sleep_ms(5);
  EXPECT_INT(LIVERY_SESSION_EXPIRED, watching.info.state);
  OK(livery_close(other));
  EXPECT_INT(1, watching.destroyed);
  OK(livery_close(store));
}

TEST("who empties the layer ends the session, and nobody sets or undoes it past these functions", removed) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0};
  livery_store *store = begun_with(path, &heard, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_string(store, session, "session.token", "x", 1));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_string(store, user_layer, "session.other", "x", 1));
  livery_change *change = NULL;
  OK(livery_change_begin(store, session, &change));
  OK(livery_change_reset_all(change));
  OK(livery_change_commit(change, NULL));
  EXPECT_STATE(store, EXPIRED, REMOVED, "");
  OK(login(store, "\"bob\"", NULL, 0, 0));
  OK(livery_session_logout(store));
  uint64_t last = 0;
  OK(livery_revision(store, &last));
  for (uint64_t revision = last; revision > 1; revision--) {
    livery_undo(store, revision, LIVERY_UNDO_FORCE, NULL);
    EXPECT(state_of(store).state != LIVERY_SESSION_ACTIVE);
  }
  OK(livery_close(store));
}

TEST("a lock of the console keeps nobody logged in", locked) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0};
  livery_store *store = begun_with(path, &heard, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  OK(livery_set_string(store, session, "theme", "dark", 4));
  OK(livery_set_string(store, LIVERY_LAYER_ENFORCED, "theme", "blue", 4));
  OK(livery_session_logout(store));
  EXPECT_STATE(store, NONE, LOGOUT, "");
  EXPECT_INT(0, names_in(store, session));
  OK(livery_close(store));
}

TEST("who may only read is told, and changes nothing", reads_only) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0}, other = {.answer = "\"ada\""};
  livery_store *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  OK(livery_session_bootstrap(reader, NULL, fetch, done, &other, destroy));
  wait_for(&other.done, 1);
  EXPECT_STATE(reader, NONE, NEVER, "");
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, login(reader, "\"ada\"", NULL, 0, 0));
  livery_store *store = begun_with(path, &heard, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  wait_for(&other.asked, 1);
  for (int tries = 0; tries < 200 && !state_of(reader).has_user; tries++) sleep_ms(5);
  EXPECT_STATE(reader, ACTIVE, LOGIN, "\"ada\"");
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_session_update(reader, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_session_logout(reader));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_session_expire(reader));
  EXPECT_STATE(reader, ACTIVE, LOGIN, "\"ada\"");
  OK(livery_close(store));
  OK(livery_close(reader));
}

TEST("functions are called where the host dispatches, if it asks for that", dispatched) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {.answer = "\"ada\""}, watching = {0}, other = {0};
  livery_store *writer = begun_with(path, &other, NULL);
  OK(login(writer, "\"ada\"", "token-1", 0, 0));
  livery_store *store = open_store(path);
  livery_session_options options = LIVERY_SESSION_OPTIONS_INIT;
  options.flags = LIVERY_SESSION_DISPATCH;
  OK(livery_session_bootstrap(store, &options, fetch, done, &heard, destroy));
  options.flags |= LIVERY_SESSION_INITIAL;
  OK(livery_session_watch_start(store, &options, changed, &watching, destroy, NULL));
  sleep_ms(100);
  EXPECT_INT(0, heard.asked + heard.done + watching.changes);
  for (int tries = 0; tries < 100 && (heard.done == 0 || watching.info.state != LIVERY_SESSION_ACTIVE); tries++) {
    OK(livery_dispatch(store, NULL));
    sleep_ms(5);
  }
  EXPECT_INT(1, heard.asked);
  EXPECT_TEXT("\"ada\"", heard.user);
  EXPECT_TEXT("\"ada\"", watching.user);
  OK(livery_close(store));
  OK(livery_close(writer));
}

static livery_store *inherited;
static livery_session_watch *inherited_watch;
static livery_session_fetch *inherited_fetch;

static void as_a_child(void) {
  livery_session_info info = LIVERY_SESSION_INFO_INIT;
  livery_value *user = NULL;
  EXPECT_STATUS(LIVERY_ERROR_FORKED, login(inherited, "\"ada\"", NULL, 0, 0));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_update(inherited, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_logout(inherited));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_expire(inherited));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_current(inherited, &user));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_state(inherited, &info));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_watch_stop(inherited_watch));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_answer(inherited_fetch, LIVERY_ERROR_NETWORK, NULL));
  static heard heard;
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_session_bootstrap(inherited, NULL, NULL, done, &heard, destroy));
  EXPECT_INT(1, heard.done);
  EXPECT_INT(1, heard.destroyed);
}

TEST("a forked child is told that it is one", forked) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {.waits = true}, other = {0}, watching = {0};
  livery_store *store = begun_with(path, &other, NULL);
  OK(login(store, "\"ada\"", "token-1", 0, 0));
  inherited = open_store(path);
  OK(livery_session_bootstrap(inherited, NULL, fetch, done, &heard, destroy));
  OK(livery_session_watch_start(inherited, NULL, changed, &watching, destroy, &inherited_watch));
  wait_for(&heard.asked, 1);
  inherited_fetch = heard.fetch;
  IN_CHILD(as_a_child);
  EXPECT_INT(0, heard.destroyed + watching.destroyed);
  OK(livery_close(inherited));
  OK(livery_close(store));
}

static livery_store *shared_store;
static _Atomic bool stops;

static void *by_a_thread(void *number) {
  unsigned seed = (unsigned)(uintptr_t)number;
  while (!stops) {
    livery_session_info info = LIVERY_SESSION_INFO_INIT;
    livery_value *user = NULL;
    switch (rand_r(&seed) % 7) {
      case 0: login(shared_store, "\"ada\"", "token", 0, LIVERY_SESSION_REPLACE); break;
      case 1: livery_session_logout(shared_store); break;
      case 2: livery_session_expire(shared_store); break;
      case 3: livery_session_update(shared_store, NULL, NULL); break;
      default:
        livery_session_state(shared_store, &info);
        if (livery_session_current(shared_store, &user) == LIVERY_OK) livery_value_release(user);
    }
  }
  return NULL;
}

TEST("any number of threads at once", threads) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0}, watching = {0};
  shared_store = begun_with(path, &heard, NULL);
  OK(livery_session_watch_start(shared_store, NULL, changed, &watching, destroy, NULL));
  pthread_t threads[6];
  stops = false;
  for (uintptr_t index = 0; index < 6; index++) pthread_create(&threads[index], NULL, by_a_thread, (void *)index);
  sleep_ms(1500);
  stops = true;
  for (int index = 0; index < 6; index++) pthread_join(threads[index], NULL);
  OK(login(shared_store, "\"eve\"", "token", 0, LIVERY_SESSION_REPLACE));
  EXPECT_STATE(shared_store, ACTIVE, LOGIN, "\"eve\"");
  OK(livery_session_logout(shared_store));
  EXPECT_STATE(shared_store, NONE, LOGOUT, "");
  EXPECT_INT(0, names_in(shared_store, session));
  EXPECT(watching.changes > 0);
  OK(livery_close(shared_store));
}

static void *tries_in_vain(void *unused) {
  while (!stops) {
    if (login(shared_store, "\"bob\"", NULL, 0, 0) != LIVERY_ERROR_CONFLICT) check_fail(__FILE__, __LINE__, "bob is logged in");
  }
  return unused;
}

static void *changes_nothing(void *unused) {
  while (!stops) OK(livery_session_update(shared_store, NULL, NULL));
  return unused;
}

TEST("who has logged in is known, whatever other threads try meanwhile", known_meanwhile) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0}, watching = {0};
  shared_store = begun_with(path, &heard, NULL);
  OK(livery_session_watch_start(shared_store, NULL, changed, &watching, destroy, NULL));
  OK(login(shared_store, "\"eve\"", NULL, 0, 0));
  pthread_t threads[2];
  stops = false;
  pthread_create(&threads[0], NULL, tries_in_vain, NULL);
  pthread_create(&threads[1], NULL, changes_nothing, NULL);
  for (int round = 0, before = check_failures; round < 300 && check_failures == before; round++) {
    OK(login(shared_store, "\"ada\"", NULL, 0, LIVERY_SESSION_REPLACE));
    EXPECT_STATE(shared_store, ACTIVE, LOGIN, "\"ada\"");
  }
  stops = true;
  for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
  EXPECT_STATE(shared_store, ACTIVE, LOGIN, "\"ada\"");
  OK(livery_close(shared_store));
}

TEST("what callers get wrong is a status", wrong) {
  const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;
  const char *path = fresh_path();
  OK(livery_close(new_store(path, SCHEMA)));
  heard heard = {0};
  EXPECT_STATUS(invalid, livery_session_bootstrap(NULL, NULL, NULL, done, &heard, destroy));
  EXPECT_INT(1, heard.destroyed);
  EXPECT_INT(1, heard.done);
  livery_store *store = open_store(path);
  EXPECT_STATUS(invalid, livery_session_bootstrap(store, NULL, NULL, NULL, &heard, destroy));
  livery_session_options options = LIVERY_SESSION_OPTIONS_INIT;
  options.flags = 8;
  EXPECT_STATUS(invalid, livery_session_bootstrap(store, &options, NULL, done, &heard, destroy));
  EXPECT_INT(3, heard.destroyed);
  OK(livery_session_bootstrap(store, NULL, NULL, done, &heard, destroy));
  wait_for(&heard.done, 3);
  livery_value *user = json("\"ada\"");
  livery_session_login_options login_options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  EXPECT_STATUS(invalid, livery_session_login(NULL, user, NULL));
  EXPECT_STATUS(invalid, livery_session_login(store, NULL, NULL));
  login_options.flags = 2;
  EXPECT_STATUS(invalid, livery_session_login(store, user, &login_options));
  login_options.flags = 0;
  login_options.expires = -1;
  EXPECT_STATUS(invalid, livery_session_login(store, user, &login_options));
  login_options.expires = now_microseconds() - 1;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_session_login(store, user, &login_options));
  login_options.expires = 0;
  login_options.token = "\xff";
  login_options.token_length = 1;
  EXPECT_STATUS(invalid, livery_session_login(store, user, &login_options));
  login_options.token = "a\0b";
  login_options.token_length = 3;
  EXPECT_STATUS(invalid, livery_session_login(store, user, &login_options));
  char *long_token = calloc(1, LIVERY_SESSION_TOKEN_MAX + 2);
  memset(long_token, 'x', LIVERY_SESSION_TOKEN_MAX + 1);
  login_options.token = long_token;
  login_options.token_length = LIVERY_SESSION_TOKEN_MAX + 1;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_session_login(store, user, &login_options));
  login_options.token_length = LIVERY_ZERO_TERMINATED;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_session_login(store, user, &login_options));
  EXPECT_STATE(store, NONE, NEVER, "");
  login_options.token_length = LIVERY_SESSION_TOKEN_MAX;
  OK(livery_session_login(store, user, &login_options));
  free(long_token);
  EXPECT_STATUS(invalid, livery_session_update(NULL, user, NULL));
  EXPECT_STATUS(invalid, livery_session_logout(NULL));
  EXPECT_STATUS(invalid, livery_session_expire(NULL));
  EXPECT_STATUS(invalid, livery_session_current(store, NULL));
  EXPECT_STATUS(invalid, livery_session_state(store, NULL));
  livery_session_info info = {0};
  EXPECT_STATUS(invalid, livery_session_state(store, &info));
  EXPECT_STATUS(invalid, livery_session_answer(NULL, LIVERY_OK, user));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_answer((livery_session_fetch *)(uintptr_t)77, LIVERY_OK, user));
  EXPECT_STATUS(invalid, livery_session_watch_start(store, NULL, NULL, &heard, destroy, NULL));
  EXPECT_INT(5, heard.destroyed);
  // A handle of another kind, and one that is closed.
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_logout((livery_store *)(void *)user));
  livery_value_release(user);
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_logout(store));
  livery_session_info none = LIVERY_SESSION_INFO_INIT;
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_session_state(store, &none));
}

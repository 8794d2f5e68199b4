// Kills processes with SIGKILL that log in and out of one session: they log in, update, log out, expire and set what belongs to
// the session, all at once and against each other. Whoever looks finds the session whole or gone, also in the midst of it; one
// that was ended does not come back. From time to time all are killed, and the next process to begin finds no token in any file
// of the store but that of the session which is active.
//
//     session_kill [--kills N] [--seed S] [--keep] [--broken]
#include "torture.h"

#include <livery/session.h>

enum { WORKERS = 4, SESSIONS = 1 << 20, ROUND = 12 };

// A token is this and its number, which the session's end tells as well.
#define MARK "session-kill-token-"
static const int64_t far = 4102444800000000;

// Shared by all processes.
static struct state {
  _Atomic bool has_looked[WORKERS];
  _Atomic uint64_t next;
  // When a token had come for certain, and when it had ended: microseconds of the steady clock.
  _Atomic uint64_t begun[SESSIONS], ended[SESSIONS];
  _Atomic uint64_t looks, active, logins, updates, logouts, expiries, conflicts, searches, left;
} *state;

static char path[256];
static uint64_t seed;
// For seeing the harness fail: a token of a session that goes on counts as ended.
static bool is_broken;
static int self;

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...) {
  char text[1400];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  finding("session_kill: process %d: %s\n  again: scripts/torture again session_kill --seed %#" PRIx64 " --keep", self, text, seed);
}

static uint64_t now_us(void) { return (uint64_t)(seconds_now() * 1e6); }

static _Atomic int ready;

static void note_ready(livery_status status, const livery_session_info *info, livery_value *user, const char *message, void *data) {
  (void)info, (void)user, (void)data;
  ready = status == LIVERY_OK ? 1 : -1;
  if (status != LIVERY_OK) wrong("bootstrap: %s", message);
}

static livery_store *begun(void) {
  livery_store *store = NULL;
  if (open_with(path, 0, &store) != LIVERY_OK) {
    wrong("the store does not open: %s", livery_last_error()->message);
    _exit(1);
  }
  ready = 0;
  // If it fails, `note_ready` is told why.
  livery_session_bootstrap(store, NULL, NULL, note_ready, NULL, NULL);
  for (double limit = seconds_now() + 30; !ready && seconds_now() < limit;) sleep_us(200);
  if (!ready) wrong("it is not found out who is logged in");
  return store;
}

// The number of the token that a snapshot shows; 0 for none.
static uint64_t look(livery_store *store) {
  livery_snapshot *snapshot = NULL;
  livery_value *current = NULL, *token = NULL, *expires = NULL;
  uint64_t since = now_us(), number = 0;
  int64_t end = 0;
  const char *text = "";
  state->looks++;
  if (livery_snapshot_open(store, &snapshot) != LIVERY_OK) return wrong("a snapshot: %s", livery_last_error()->message), 0;
  livery_status is_active = livery_snapshot_get(snapshot, "session.current", &current);
  livery_status has_token = livery_snapshot_get(snapshot, "session.token", &token);
  if (is_active != has_token) {
    wrong("session.current is %s, session.token %s", livery_status_name(is_active), livery_status_name(has_token));
  } else if (is_active == LIVERY_OK) {
    if (livery_value_as_string(token, &text, NULL) != LIVERY_OK || sscanf(text, MARK "%" SCNu64, &number) != 1 || number >= SESSIONS)
      wrong("the token is %.40s", text);
    else if (livery_value_member(current, "expires", &expires) != LIVERY_OK || livery_value_as_date(expires, &end) != LIVERY_OK
             || end != far + (int64_t)number)
      wrong("token %" PRIu64 " is of a session that ends at %" PRId64, number, end);
    else if (state->ended[number] && state->ended[number] < since)
      wrong("token %" PRIu64 " is there again", number);
    // Who logged it in may have been killed before he was told.
    if (number < SESSIONS && !state->begun[number]) state->begun[number] = since;
    state->active++;
  }
  livery_value_release(expires);
  livery_value_release(token);
  livery_value_release(current);
  livery_snapshot_close(snapshot);
  return number;
}

static void note_end(uint64_t number) {
  uint64_t none = 0;
  if (number) atomic_compare_exchange_strong(&state->ended[number], &none, now_us());
}

static bool is_expected(livery_status status, const char *what) {
  if (status == LIVERY_OK) return true;
  if (status == LIVERY_ERROR_CONFLICT) state->conflicts++;
  else wrong("%s: %s %s", what, livery_status_name(status), livery_last_error()->message);
  return false;
}

static void log_in(livery_store *store, bool updates, bool replaces) {
  static char token[3000];
  uint64_t number = ++state->next, former = look(store);
  if (number >= SESSIONS) _exit(0);
  int length = snprintf(token, sizeof token, MARK "%" PRIu64 "-", number);
  memset(token + length, 'k', sizeof token - (size_t)length);
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  options.flags = replaces ? LIVERY_SESSION_REPLACE : 0;
  options.token = token;
  options.token_length = (size_t)length + number * 37 % 2000;
  options.expires = far + (int64_t)number;
  livery_value *user = NULL;
  if (livery_value_make_int((int64_t)number, &user) != LIVERY_OK) _exit(1);
  livery_status status = updates ? livery_session_update(store, user, &options) : livery_session_login(store, user, &options);
  livery_value_release(user);
  if (!is_expected(status, updates ? "update" : "login")) return;
  state->begun[number] = now_us();
  // Whichever was there before is none any more.
  note_end(former);
  if (updates) state->updates++;
  else state->logins++;
}

static void end_it(livery_store *store, bool expires) {
  uint64_t former = look(store);
  if (!is_expected(expires ? livery_session_expire(store) : livery_session_logout(store), expires ? "expire" : "logout")) return;
  note_end(former);
  if (expires) state->expiries++;
  else state->logouts++;
}

static uint64_t own_seed;
static void work(void) {
  seed_with(own_seed);
  livery_store *store = begun();
  look(store);
  state->has_looked[self] = true;
  for (;;) {
    switch (below(8)) {
      case 0:
      case 1: log_in(store, false, below(2)); break;
      case 2: log_in(store, true, false); break;
      case 3: end_it(store, false); break;
      case 4: end_it(store, true); break;
      case 5: livery_set_int(store, LIVERY_LAYER_SESSION, "value", (int64_t)below(1000)); break;
      default: look(store);
    }
    if (below(40) == 0) {
      livery_close(store);
      store = begun();
    }
  }
}

// Numbers of tokens in the files of the store that had come for certain, but for one.
static void search_file(const char *entry, const char *name, const struct stat *facts, void *context) {
  if (!S_ISREG(facts->st_mode)) return;
  const uint64_t current = *(const uint64_t *)context;
  size_t length = 0;
  unsigned char *content = file_content(entry, &length);
  for (const unsigned char *at = content; content && (at = memmem(at, length - (size_t)(at - content), MARK, strlen(MARK))); at++) {
    uint64_t number = 0;
    for (const unsigned char *digit = at + strlen(MARK); digit < content + length && *digit >= '0' && *digit <= '9'; digit++)
      number = number * 10 + (uint64_t)(*digit - '0');
    // What was cut off is told by no number, and is looked for at the end.
    if (number == 0 || number >= SESSIONS || !state->begun[number]) continue;
    if (number != current || is_broken) wrong("%s holds token %" PRIu64 ", %" PRIu64 " is active", name, number, current);
  }
  free(content);
}

/** When all are dead: the next process to begin has forgotten what the others have left. */
static void search(void) {
  livery_store *store = begun();
  uint64_t current = look(store);
  // It forgets after it is through bootstrap, if somebody was killed at it.
  state->searches++;
  visit_entries(path, search_file, &current);
  livery_close(store);
}

static void count_marks(const char *entry, const char *name, const struct stat *facts, void *context) {
  (void)name;
  if (!S_ISREG(facts->st_mode)) return;
  size_t length = 0;
  unsigned char *content = file_content(entry, &length);
  *(bool *)context |= content && memmem(content, length, MARK, strlen(MARK)) != NULL;
  free(content);
}

/** At the end, after a login and a logout, no file holds anything of any token, also not of logins that never came about. */
static void look_at_end(void) {
  livery_store *store = begun();
  bool holds = false;
  if (look(store) == 0) log_in(store, false, true);
  end_it(store, false);
  visit_entries(path, count_marks, &holds);
  if (holds) wrong("at the end there is a token in a file");
  livery_status status = LIVERY_OK;
  if (digest_of(store, &status) == 0) wrong("the store cannot be read to the end: %s", livery_status_name(status));
  livery_close(store);
}

static void make(void) {
  livery_store *store = NULL;
  if (open_with(path, LIVERY_OPEN_CREATE, &store) != LIVERY_OK) give_up("the store");
  livery_close(store);
}

typedef struct victim {
  pid_t process;
  double started, end;
} victim;

static victim start(int index) {
  self = index;
  own_seed = random_bits();
  state->has_looked[index] = false;
  return (victim){.process = start_child(work), .started = seconds_now()};
}

static bool is_due(victim *victim, int index) {
  double now = seconds_now();
  if (!state->has_looked[index]) {
    if (now - victim->started > 60) wrong("process %d does not get on", index);
    return false;
  }
  if (victim->end == 0) victim->end = now + (double)below(below(4) ? 20000 : 120000) / 1e6;
  return now >= victim->end;
}

static void end_victim(victim *victim, int index) {
  int status = 0;
  kill(victim->process, SIGKILL);
  waitpid(victim->process, &status, 0);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) wrong("process %d %s", index, ending(status));
}

int main(int argc, char **argv) {
  begin_torture("session_kill", argc, argv);
  uint64_t kills = option_number("--kills", 300), killed = 0;
  seed = option_number("--seed", fresh_seed());
  seed_with(seed);
  is_broken = option_given("--broken");
  snprintf(path, sizeof path, "%s/store", torture_directory);
  state = shared_memory(sizeof *state);
  if (run_child(make) != 0) give_up("the store is not made");

  double began = seconds_now();
  victim victims[WORKERS];
  while (killed < kills && findings() == 0) {
    for (int index = 0; index < WORKERS; index++) victims[index] = start(index);
    for (uint64_t last = killed + ROUND; killed < last && findings() == 0;) {
      for (int index = 0; index < WORKERS; index++) {
        if (!is_due(&victims[index], index)) continue;
        end_victim(&victims[index], index);
        killed++;
        victims[index] = start(index);
      }
      sleep_us(100);
    }
    for (int index = 0; index < WORKERS; index++) {
      end_victim(&victims[index], index);
      killed++;
    }
    self = -1;
    if (findings() == 0 && run_child(search) != 0) wrong("the process that searches did not end well");
  }
  if (findings() == 0 && run_child(look_at_end) != 0) wrong("the last process did not end well");
  figure("kills", killed);
  figure("looks", state->looks);
  figure("looks_active", state->active);
  figure("logins", state->logins);
  figure("updates", state->updates);
  figure("logouts", state->logouts);
  figure("expiries", state->expiries);
  figure("conflicts", state->conflicts);
  figure("searches", state->searches);
  printf("session_kill: %serrors=%" PRIu64 " seconds=%.1f seed=%#" PRIx64 "\n", torture_figures, findings(), seconds_now() - began, seed);
  return findings() ? 1 : 0;
}

// Power cuts while people log in and out: power_cut.h tells how they are replayed. Of each state the session is looked at: it is
// whole, with the token and the values of its own, or gone with all of them.
#include "power_cut.h"

#include <livery/session.h>

static uint64_t number;
static _Atomic int ready;

static void note_ready(livery_status status, const livery_session_info *info, livery_value *user, const char *message, void *data) {
  (void)info, (void)user, (void)data;
  ready = status == LIVERY_OK ? 1 : -1;
  if (status != LIVERY_OK) fprintf(stderr, "session_replay: %s\n", message);
}

static void begin_session(livery_store *store) {
  ready = 0;
  if (livery_session_bootstrap(store, NULL, NULL, note_ready, NULL, NULL) != LIVERY_OK) give_up("bootstrap");
  while (!ready) sleep_us(500);
  if (ready < 0) give_up("bootstrap");
}

// A token whose length and letters follow from a number.
static const char *token_of(uint64_t of, char text[4000]) {
  int length = snprintf(text, 40, "token-%" PRIu64 "-", of), whole = length + (int)(of * 977 % 3000);
  for (; length < whole; length++) text[length] = (char)('a' + (of + (uint64_t)length) % 26);
  text[length] = 0;
  return text;
}

static bool log_in(livery_store *store, bool updates) {
  static char token[4000];
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  livery_value *user = NULL;
  number++;
  options.flags = updates ? 0 : LIVERY_SESSION_REPLACE;
  options.token = token_of(number, token);
  options.token_length = LIVERY_ZERO_TERMINATED;
  if (livery_value_make_int((int64_t)number, &user) != LIVERY_OK) return false;
  livery_status status = updates ? livery_session_update(store, user, &options) : livery_session_login(store, user, &options);
  livery_value_release(user);
  return status == LIVERY_OK;
}

static int32_t state_of(livery_store *store) {
  livery_session_info info = LIVERY_SESSION_INFO_INIT;
  return livery_session_state(store, &info) == LIVERY_OK ? info.state : -1;
}

static bool step(livery_store *store) {
  if (state_of(store) != LIVERY_SESSION_ACTIVE) return log_in(store, false);
  switch (below(6)) {
    case 0: return livery_session_logout(store) == LIVERY_OK;
    case 1: return livery_session_expire(store) == LIVERY_OK;
    case 2: return log_in(store, true);
    case 3: return log_in(store, false);
    default: return livery_set_int(store, LIVERY_LAYER_SESSION, "value", (int64_t)number++) == LIVERY_OK;
  }
}

static uint64_t text_digest(livery_store *store, const char *name, uint64_t digest) {
  static char text[4000];
  text[0] = 0;
  livery_status status = livery_get_string(store, name, text, sizeof text, NULL);
  if (status != LIVERY_OK && status != LIVERY_ERROR_NOT_FOUND && status != LIVERY_ERROR_NO_VALUE) return 0;
  return hash_bytes(digest, text, strlen(text));
}

// A text member of an object in a setting.
static uint64_t member_digest(livery_store *store, const char *name, const char *member, uint64_t digest) {
  livery_value *value = NULL, *part = NULL;
  const char *text = "";
  size_t length = 0;
  if (livery_get_value(store, name, &value) == LIVERY_OK && livery_value_member(value, member, &part) == LIVERY_OK)
    livery_value_as_string(part, &text, &length);
  digest = hash_bytes(digest, text, length);
  livery_value_release(part);
  livery_value_release(value);
  return digest;
}

static uint64_t digest(livery_store *store, livery_status *status) {
  livery_status got = LIVERY_OK;
  uint64_t digest = 1;
  int64_t value = -1;
  livery_value *current = NULL;
  char token[8] = "";
  // All of it can be read.
  if (digest_of(store, &got) == 0) {
    if (status) *status = got;
    return 0;
  }
  bool is_active = livery_get_value(store, "session.current", &current) == LIVERY_OK;
  livery_value_release(current);
  livery_status has_token = livery_get_string(store, "session.token", token, sizeof token, NULL);
  bool is_whole = is_active == (has_token == LIVERY_OK || has_token == LIVERY_ERROR_BUFFER_TOO_SMALL);
  livery_get_int(store, "value", &value);
  if (!is_whole || (!is_active && value >= 0)) {
    if (!is_canary) fprintf(stderr, "session_replay: %s, %s token, value %" PRId64 "\n", is_active ? "active" : "over",
                            is_whole == is_active ? "a" : "no", value);
    return 0;
  }
  digest = text_digest(store, "session.token", digest);
  digest = member_digest(store, "session.current", "id", digest);
  digest = member_digest(store, "session.last", "id", digest);
  digest = member_digest(store, "session.last", "state", digest);
  return hash_bytes(digest, &value, sizeof value) | 1;
}

int main(int argc, char **argv) {
  return replay(&(workload){"session_replay", begin_session, step, digest, NULL}, argc, argv);
}

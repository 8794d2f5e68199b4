// Trials, and what comes in between.
#include "moments.h"

static uint64_t put_on_trial(livery_store *store, const char *name, const char *text, int64_t length) {
  uint64_t revision = 0;
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_string(change, name, text, strlen(text)));
  OK(livery_change_trial(change, length));
  OK(livery_change_commit(change, &revision));
  return revision;
}

static char *told(livery_store *store, const char *pattern) {
  livery_history_options options = LIVERY_HISTORY_OPTIONS_INIT;
  livery_value *items = NULL;
  char *text = NULL;
  options.pattern = pattern;
  OK(livery_history(store, &options, &items));
  OK(livery_value_to_json(items, 0, &text, NULL));
  OK(livery_value_release(items));
  return text;
}

static bool holds(const char *path, const char *part) {
  char name[4096];
  snprintf(name, sizeof name, "%s/data.mdb", path);
  FILE *file = fopen(name, "rb");
  if (!file) return false;
  fseek(file, 0, SEEK_END);
  size_t length = (size_t)ftell(file);
  char *content = malloc(length);
  rewind(file);
  bool is_there = fread(content, 1, length, file) == length && memmem(content, length, part, strlen(part));
  free(content);
  fclose(file);
  return is_there;
}

TEST("a secret that went back is forgotten, also where another one comes back", secret_replaced) {
  livery_store *store = ready_store(fresh_path());
  OK(livery_set_string(store, user, "pin", TEXT("1111")));
  put_on_trial(store, "pin", "7391", minute);
  OK(livery_trial_revert(store, 0, NULL));
  char value[16] = "", *text = told(store, NULL);
  EXPECT(!strstr(text, "7391"));
  livery_free(text);
  OK(livery_get_string(store, "pin", value, sizeof value, NULL));
  EXPECT_TEXT("1111", value);
  OK(livery_close(store));
}

TEST("to forget a secret forgets what has gone back by the clock", forgotten) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = ready_store(path);
  livery_value *report = NULL;
  OK(livery_set_string(store, user, "pin", TEXT("1111")));
  put_on_trial(store, "pin", "7391", minute);
  passed = hour;
  OK(livery_forget(store, "pin", 0, &report));
  OK(livery_value_release(report));
  EXPECT(!holds(path, "7391"));
  OK(livery_close(store));
}

TEST("and in backups what a trial had replaced", forgotten_in_backups) {
  NEEDS_FILES;
  livery_store *store = ready_store(fresh_path());
  livery_value *report = NULL;
  char value[16] = "";
  OK(livery_set_string(store, user, "pin", TEXT("1111")));
  uint64_t revision = put_on_trial(store, "pin", "7391", minute);
  OK(livery_backup(store, NULL));
  OK(livery_trial_confirm(store, revision, NULL));
  OK(livery_forget(store, "pin", LIVERY_FORGET_BACKUPS, &report));
  OK(livery_value_release(report));
  OK(livery_restore(store, NULL, NULL, NULL));
  livery_get_string(store, "pin", value, sizeof value, NULL);
  EXPECT(strcmp(value, "1111") != 0);
  OK(livery_close(store));
}

TEST("what only a trial had set is unknown after its time, and no damage", inspected) {
  livery_store *store = open_store(fresh_path());
  livery_value *value = NULL;
  set_by = passed = 0;
  put_on_trial(store, "only", "here", minute);
  OK(livery_inspect(store, "only", &value));
  OK(livery_value_release(value));
  passed = hour;
  value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_inspect(store, "only", &value));
  OK(livery_close(store));
}

TEST("a session's value that a trial had removed ends with the session", session_cleared) {
  for (int which = 0; which < 2; which++) {
    livery_store *store = ready_store(fresh_path());
    livery_change *change = NULL;
    OK(livery_set_int(store, LIVERY_LAYER_SESSION, "pair.a", 5));
    OK(livery_change_begin(store, which ? user : LIVERY_LAYER_SESSION, &change));
    OK(livery_change_reset_all(change));
    OK(livery_change_layer(change, LIVERY_LAYER_SESSION));
    if (which) OK(livery_change_set_int(change, "pair.a", 6));
    OK(livery_change_session_ends(change, now_microseconds() + hour));
    OK(livery_change_trial(change, minute));
    OK(livery_change_commit(change, NULL));
    OK(livery_trial_revert(store, 0, NULL));
    EXPECT_INT(5, integer(store, "pair.a"));
    passed = 2 * hour;
    EXPECT_INT(1, integer(store, "pair.a"));
    OK(livery_close(store));
  }
}

TEST("what is told of trials in an interval is the last", coalesced) {
  livery_store *store = ready_store(fresh_path());
  static seen seen;
  size_t count = 0;
  memset(&seen, 0, sizeof seen);
  if (!seen_start(&seen, store, "pair.a", LIVERY_WATCH_DISPATCH | LIVERY_WATCH_INITIAL, 300)) return;
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, seen.count);
  begin(store, 3, hour);
  OK(livery_trial_revert(store, 0, NULL));
  uint64_t last = begin(store, 5, hour);
  for (int round = 0; round < 100 && seen.count < 3; round++) {
    sleep_ms(20);
    OK(livery_dispatch(store, &count));
  }
  EXPECT_INT(3, seen.count);
  EXPECT_INT(LIVERY_EVENT_TRIAL, seen.events[1].kind);
  EXPECT_INT((int64_t)last, (int64_t)seen.events[1].revision);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.a", "1", "5", &seen.events[2]);
  OK(livery_close(store));
}

TEST("what went back beneath another layer counts as changed for who expects that nobody has", expected) {
  livery_store *store = ready_store(fresh_path());
  livery_change *change = NULL;
  OK(livery_set_int(store, LIVERY_LAYER_SESSION, "pair.a", 9));
  uint64_t seen = begin(store, 2, hour), back = 0;
  OK(livery_trial_revert(store, 0, NULL));
  OK(livery_revision(store, &back));
  for (int round = 0; round < 2; round++) {
    OK(livery_change_begin(store, user, &change));
    OK(livery_change_expect(change, "pair.a", round ? back : seen));
    OK(livery_change_set_int(change, "pair.a", 3));
    if (round) OK(livery_change_commit(change, NULL));
    else EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_change_commit(change, NULL));
    if (!round) OK(livery_change_discard(change));
  }
  OK(livery_close(store));
}

TEST("a confirmation beneath another layer is found by the setting", confirmed_beneath) {
  livery_store *store = ready_store(fresh_path());
  OK(livery_set_int(store, LIVERY_LAYER_SESSION, "pair.a", 9));
  OK(livery_trial_confirm(store, begin(store, 2, hour), NULL));
  char *text = told(store, "pair.a");
  EXPECT_CONTAINS("\"confirmed\"", text);
  livery_free(text);
  OK(livery_close(store));
}

TEST("the answer can be asked for again when another trial has begun, and has ended", asked_again) {
  livery_store *store = ready_store(fresh_path());
  uint64_t confirmed = begin(store, 2, hour), back = 0, pending = 0, present = 0;
  OK(livery_trial_confirm(store, confirmed, NULL));
  back = begin(store, 3, hour);
  OK(livery_trial_revert(store, back, NULL));
  for (int round = 0; round < 2; round++) {
    if (!round) pending = begin(store, 4, hour);
    else OK(livery_trial_revert(store, pending, NULL));
    OK(livery_revision(store, &present));
    OK(livery_trial_confirm(store, confirmed, NULL));
    OK(livery_trial_revert(store, back, NULL));
    EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_trial_confirm(store, back, NULL));
    EXPECT_CONTAINS("went back", livery_last_error()->message);
    EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_trial_revert(store, confirmed, NULL));
    EXPECT_CONTAINS("was confirmed", livery_last_error()->message);
    uint64_t after = 0;
    OK(livery_revision(store, &after));
    EXPECT_INT((int64_t)present, (int64_t)after);
    EXPECT_PAIR(round ? 2 : 4, store);
  }
  OK(livery_close(store));
}

TEST("to undo a restore brings back what had been confirmed", restored) {
  NEEDS_FILES;
  livery_store *store = ready_store(fresh_path());
  uint64_t revision = 0;
  OK(livery_backup(store, NULL));
  OK(livery_set_int(store, user, "pair.a", 2));
  OK(livery_set_int(store, user, "pair.b", 2));
  begin(store, 7, hour);
  OK(livery_restore(store, NULL, NULL, &revision));
  EXPECT_PAIR(1, store);
  OK(livery_undo(store, revision, 0, NULL));
  EXPECT_PAIR(2, store);
  OK(livery_close(store));
}

TEST("who reads alone is told nothing that has gone back by the clock", read_only_forgotten) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = ready_store(path), *reader = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  static seen seen;
  memset(&seen, 0, sizeof seen);
  options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &options, &reader));
  if (!seen_start(&seen, reader, "pin", LIVERY_WATCH_DISPATCH, 0)) return;
  OK(livery_set_string(store, user, "pin", TEXT("1111")));
  OK(livery_reset(store, user, "pin"));
  put_on_trial(store, "pin", "7391", minute);
  passed = hour;
  OK(livery_dispatch(reader, NULL));
  EXPECT(seen.count > 0);
  EXPECT_INT(LIVERY_EVENT_CHANGED, seen.events[0].kind);
  EXPECT(!strstr(seen.events[0].new_value, "7391"));
  OK(livery_close(reader));
  OK(livery_close(store));
}

// Changes that go back by themselves.
#include "moments.h"

TEST("a trial counts at once, and goes back as a whole at the first read after its time", goes_back) {
  const char *path = fresh_path();
  livery_store *store = ready_store(path);
  EXPECT_TEXT("none", state(store));
  uint64_t revision = begin(store, 2, 10 * minute), present = 0;
  EXPECT_PAIR(2, store);
  EXPECT_TEXT("pending", state(store));
  passed = 10 * minute - second;
  EXPECT_PAIR(2, store);
  passed = 10 * minute + second;
  EXPECT_PAIR(1, store);
  EXPECT_TEXT("reverted", state(store));
  // Nobody has committed anything.
  OK(livery_revision(store, &present));
  EXPECT_INT(revision, present);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_trial_confirm(store, revision, NULL));
  EXPECT_CONTAINS("went back", livery_last_error()->message);
  EXPECT_PAIR(1, store);
  OK(livery_close(store));
}

TEST("a snapshot goes on to show what counted when it was opened", snapshot) {
  livery_store *store = ready_store(fresh_path());
  begin(store, 2, minute);
  livery_snapshot *before = NULL, *after = NULL;
  OK(livery_snapshot_open(store, &before));
  passed = 2 * minute;
  OK(livery_snapshot_open(store, &after));
  for (int round = 0; round < 2; round++) {
    livery_value *value = NULL;
    int64_t number = 0;
    OK(livery_snapshot_get(before, round ? "pair.a" : "pair.b", &value));
    OK(livery_value_as_int(value, &number));
    EXPECT_INT(2, number);
    OK(livery_value_release(value));
    OK(livery_snapshot_get(after, round ? "pair.a" : "pair.b", &value));
    OK(livery_value_as_int(value, &number));
    EXPECT_INT(1, number);
    OK(livery_value_release(value));
  }
  OK(livery_snapshot_close(before));
  OK(livery_snapshot_close(after));
  OK(livery_close(store));
}

TEST("setting the clock neither ends a trial early nor lets it go on", clock_jumps) {
  livery_store *store = ready_store(fresh_path());
  begin(store, 2, 10 * minute);
  const int64_t jumps[] = {day, -day, 400 * day, -400 * day, hour, 0};
  for (size_t index = 0; index < sizeof jumps / sizeof *jumps; index++) {
    set_by = jumps[index];
    EXPECT_PAIR(2, store);
    EXPECT_TEXT("pending", state(store));
    OK(livery_set_int(store, user, "idleResetSeconds", 20 + (int64_t)index));
    EXPECT_PAIR(2, store);
  }
  passed = 11 * minute;
  for (size_t index = 0; index < sizeof jumps / sizeof *jumps; index++) {
    set_by = jumps[index];
    EXPECT_PAIR(1, store);
    EXPECT_TEXT("reverted", state(store));
  }
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  EXPECT_PAIR(1, store);
  OK(livery_close(store));
}

TEST("a trial is confirmed with its revision alone, and the answer can be asked for again", confirm) {
  livery_store *store = ready_store(fresh_path());
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_trial_confirm(store, 1, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_trial_revert(store, 0, NULL));
  uint64_t revision = begin(store, 2, minute);
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_trial_confirm(store, revision + 1, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_trial_revert(store, revision - 1, NULL));
  OK(livery_trial_confirm(store, revision, "console"));
  OK(livery_trial_confirm(store, revision, "console"));
  EXPECT_TEXT("confirmed", state(store));
  passed = hour;
  EXPECT_PAIR(2, store);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_trial_revert(store, revision, NULL));
  EXPECT_CONTAINS("was confirmed", livery_last_error()->message);
  OK(livery_close(store));
}

TEST("a trial is taken back before its time, and that too can be asked for again", revert) {
  livery_store *store = ready_store(fresh_path());
  uint64_t revision = begin(store, 2, minute);
  OK(livery_trial_revert(store, 0, "operator"));
  OK(livery_trial_revert(store, revision, "operator"));
  EXPECT_PAIR(1, store);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_trial_confirm(store, revision, NULL));
  OK(livery_close(store));
}

static livery_status begin_in_edit(livery_change *change, void *user_data) {
  (void)user_data;
  OK(livery_change_set_int(change, "pair.a", 9));
  return livery_change_trial(change, minute);
}

TEST("while one is pending another cannot begin", one_at_a_time) {
  livery_store *store = ready_store(fresh_path());
  uint64_t revision = begin(store, 2, minute);
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 3));
  OK(livery_change_trial(change, minute));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_change_commit(change, NULL));
  EXPECT_CONTAINS("is on trial until", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_edit(store, user, begin_in_edit, NULL, NULL, NULL));
  EXPECT_PAIR(2, store);
  // Without a trial the same change set may be committed.
  OK(livery_change_trial(change, 0));
  OK(livery_change_commit(change, NULL));
  EXPECT_INT(3, integer(store, "pair.a"));
  OK(livery_trial_revert(store, revision, NULL));
  EXPECT_INT(3, integer(store, "pair.a"));
  EXPECT_INT(1, integer(store, "pair.b"));
  OK(livery_edit(store, user, begin_in_edit, NULL, &revision, NULL));
  passed = hour;
  EXPECT_INT(3, integer(store, "pair.a"));
  OK(livery_close(store));
}

TEST("who may only read sees it go back, and may neither confirm nor take back", read_only) {
  const char *path = fresh_path();
  livery_store *store = ready_store(path), *reader = NULL;
  uint64_t revision = begin(store, 2, minute);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &options, &reader));
  EXPECT_PAIR(2, reader);
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_trial_confirm(reader, revision, NULL));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_trial_revert(reader, 0, NULL));
  passed = hour;
  EXPECT_PAIR(1, reader);
  OK(livery_close(reader));
  OK(livery_close(store));
}

// In another process, which may be of another boot.
static const char *expected_pair;

TEST("(as another program)", there) {
  const char *path = getenv("TEST_STORE");
  if (!path) return;
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  if (getenv("TEST_READS")) options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &options, &store));
  expected_pair = getenv("TEST_SAYS");
  EXPECT_PAIR(atoi(expected_pair), store);
  if (getenv("TEST_WATCHES")) {
    static seen seen;
    // What ended with the boot was over when the watch began.
    if (!seen_start(&seen, store, NULL, 0, 0)) return;
    sleep_ms(300);
    EXPECT_INT(0, seen.count);
    EXPECT_TEXT("reverted", state(store));
  }
  OK(livery_close(store));
}

static void in_boot(const char *boot, const char *path, const char *says, bool only_reads) {
  char file[400];
  snprintf(file, sizeof file, "%s.%s", path, boot);
  FILE *written = fopen(file, "w");
  if (!written) {
    check_fail(__FILE__, __LINE__, "%s", file);
    return;
  }
  fprintf(written, "%s-0000-4000-8000-000000000000\n", boot);
  fclose(written);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    if (boot[0] != '-') setenv("TEST_BOOT", file, 1);
    setenv("TEST_STORE", path, 1);
    setenv("TEST_SAYS", says, 1);
    if (only_reads) setenv("TEST_READS", "1", 1);
    unsetenv("LIVERY_REACHED");
    execl("/proc/self/exe", "test-trial", "(as another program)", (char *)NULL);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) check_fail(__FILE__, __LINE__, "in the boot %s the pair is not %s (%d)", boot, says, status);
}

TEST("a new start of the system ends it, at the first read, also for who may not write", new_boot) {
  if (getenv("TEST_STORE")) return;
  const char *path = fresh_path();
  livery_store *store = ready_store(path);
  begin(store, 2, day);
  OK(livery_close(store));
  in_boot("-", path, "2", false);
  in_boot("b2", path, "1", true);
  setenv("TEST_WATCHES", "1", 1);
  in_boot("b2", path, "1", true);
  unsetenv("TEST_WATCHES");
  // What only read has left it as it is.
  in_boot("-", path, "2", false);
  in_boot("b2", path, "1", false);
  // Once somebody has committed that, it does not come back.
  in_boot("-", path, "1", false);
}

TEST("whoever began it may be dead: it goes back all the same", killed) {
  if (getenv("TEST_STORE")) return;
  const char *path = fresh_path();
  livery_store *store = ready_store(path);
  OK(livery_close(store));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    OK(livery_open(path, NULL, &store));
    begin(store, 2, 10 * minute);
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT(WIFSIGNALED(status));
  OK(livery_open(path, NULL, &store));
  EXPECT_PAIR(2, store);
  passed = 11 * minute;
  EXPECT_PAIR(1, store);
  OK(livery_close(store));
}

static bool wait_for_events(seen *seen, int count) {
  for (int round = 0; round < 5000; round++) {
    pthread_mutex_lock(&seen_lock);
    bool are_there = seen->count >= count;
    pthread_mutex_unlock(&seen_lock);
    if (are_there) return true;
    usleep(2000);
  }
  return false;
}

TEST("every watch is told of a trial and of its end, and of what that changes where it looks", watched) {
  const char *path = fresh_path();
  livery_store *store = ready_store(path);
  static seen pair, other;
  memset(&pair, 0, sizeof pair);
  memset(&other, 0, sizeof other);
  livery_watch *watch = NULL, *second_watch = NULL;
  OK(livery_watch_start(store, "pair.a", NULL, seen_call, &pair, seen_destroy, &watch));
  OK(livery_watch_start(store, "volume", NULL, seen_call, &other, seen_destroy, &second_watch));
  uint64_t revision = begin(store, 2, minute);
  OK(livery_trial_confirm(store, revision, NULL));
  begin(store, 3, minute);
  passed = hour;
  EXPECT(wait_for_events(&pair, 7) && wait_for_events(&other, 4));
  const livery_event_kind kinds[] = {LIVERY_EVENT_TRIAL,   LIVERY_EVENT_CHANGED,  LIVERY_EVENT_CONFIRMED, LIVERY_EVENT_TRIAL,
                                     LIVERY_EVENT_CHANGED, LIVERY_EVENT_REVERTED, LIVERY_EVENT_CHANGED};
  for (int index = 0; index < 7; index++) EXPECT_INT(kinds[index], pair.events[index].kind);
  EXPECT_TEXT("3", pair.events[6].old_value);
  EXPECT_TEXT("2", pair.events[6].new_value);
  EXPECT_TEXT("trial", pair.events[5].origin);
  EXPECT_INT(4, other.count);
  EXPECT_INT(LIVERY_EVENT_REVERTED, other.events[3].kind);
  OK(livery_watch_stop(watch));
  OK(livery_watch_stop(second_watch));
  OK(livery_close(store));
}

TEST("a process that only reads is told without a commit, and once", watched_read_only) {
  const char *path = fresh_path();
  livery_store *store = ready_store(path), *reader = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &options, &reader));
  static seen pair;
  memset(&pair, 0, sizeof pair);
  livery_watch *watch = NULL;
  begin(store, 2, minute);
  OK(livery_watch_start(reader, "pair.*", NULL, seen_call, &pair, seen_destroy, &watch));
  passed = hour;
  EXPECT(wait_for_events(&pair, 3));
  EXPECT_INT(LIVERY_EVENT_REVERTED, pair.events[0].kind);
  EXPECT_INT(LIVERY_EVENT_CHANGED, pair.events[1].kind);
  EXPECT_TEXT("1", pair.events[1].new_value);
  // The commit, once somebody makes it, is no news.
  OK(livery_set_int(store, user, "pair.b", 8));
  EXPECT(wait_for_events(&pair, 4));
  EXPECT_INT(4, pair.count);
  EXPECT_TEXT("8", pair.events[3].new_value);
  OK(livery_watch_stop(watch));
  OK(livery_close(reader));
  OK(livery_close(store));
}

TEST("and of a lock that went with it, also where the value is the same", watched_lock) {
  const char *path = fresh_path();
  livery_store *store = ready_store(path), *reader = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &options, &reader));
  static seen pair;
  livery_watch *watch = NULL;
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_ENFORCED, &change));
  OK(livery_change_set_int(change, "pair.a", 1));
  OK(livery_change_trial(change, minute));
  OK(livery_change_commit(change, NULL));
  OK(livery_watch_start(reader, "pair.*", NULL, seen_call, &pair, seen_destroy, &watch));
  passed = hour;
  EXPECT(wait_for_events(&pair, 2));
  EXPECT_INT(LIVERY_EVENT_REVERTED, pair.events[0].kind);
  EXPECT_EVENT(LIVERY_EVENT_WRITABILITY, "pair.a", "1", "1", &pair.events[1]);
  EXPECT(pair.events[1].writable);
  // The commit is no news of it.
  OK(livery_set_int(store, user, "pair.b", 8));
  EXPECT(wait_for_events(&pair, 3));
  EXPECT_INT(3, pair.count);
  EXPECT_EVENT(LIVERY_EVENT_CHANGED, "pair.b", "1", "8", &pair.events[2]);
  OK(livery_watch_stop(watch));
  OK(livery_close(reader));
  OK(livery_close(store));
}

TEST("history tells who began a trial, who confirmed it and what went back", history) {
  livery_store *store = ready_store(fresh_path());
  OK(livery_trial_confirm(store, begin(store, 2, minute), "console"));
  begin(store, 3, minute);
  passed = hour;
  OK(livery_set_int(store, user, "idleResetSeconds", 60));
  livery_value *items = NULL;
  char *text = NULL;
  livery_history_options options = LIVERY_HISTORY_OPTIONS_INIT;
  options.pattern = "pair.a";
  OK(livery_history(store, &options, &items));
  OK(livery_value_to_json(items, 0, &text, NULL));
  EXPECT_CONTAINS("\"kind\":\"confirmed\"", text);
  EXPECT_CONTAINS("\"kind\":\"reverted\"", text);
  EXPECT_CONTAINS("\"origin\":\"console\"", text);
  EXPECT_CONTAINS("\"length\":60000000", text);
  livery_free(text);
  OK(livery_value_release(items));
  OK(livery_close(store));
}

TEST("what went back is told with the layer that was changed", layer_told) {
  livery_store *store = ready_store(fresh_path());
  livery_history_options options = LIVERY_HISTORY_OPTIONS_INIT;
  livery_value *items = NULL;
  char *text = NULL;
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_set_int(change, "idleResetSeconds", 61));
  OK(livery_change_layer(change, LIVERY_LAYER_ENFORCED));
  OK(livery_change_set_int(change, "pair.a", 62));
  OK(livery_change_trial(change, minute));
  OK(livery_change_commit(change, NULL));
  OK(livery_trial_revert(store, 0, NULL));
  options.limit = 1;
  OK(livery_history(store, &options, &items));
  OK(livery_value_to_json(items, 0, &text, NULL));
  EXPECT_CONTAINS("{\"name\":\"idleResetSeconds\",\"layer\":\"session\"", text);
  EXPECT_CONTAINS("{\"name\":\"pair.a\",\"layer\":\"enforced\"", text);
  livery_free(text);
  OK(livery_value_release(items));
  OK(livery_close(store));
}

TEST("a confirmation is found by the setting, the origin and the time together", confirmation_found) {
  livery_store *store = ready_store(fresh_path());
  livery_history_options options = LIVERY_HISTORY_OPTIONS_INIT;
  livery_value *items = NULL;
  size_t count = 0;
  OK(livery_trial_confirm(store, begin(store, 2, minute), "console"));
  options.pattern = "pair.a";
  options.origin = "console";
  OK(livery_history(store, &options, &items));
  OK(livery_value_count(items, &count));
  EXPECT_INT(1, (int64_t)count);
  OK(livery_value_release(items));
  options.pattern = "idleResetSeconds";
  OK(livery_history(store, &options, &items));
  OK(livery_value_count(items, &count));
  EXPECT_INT(0, (int64_t)count);
  OK(livery_value_release(items));
  OK(livery_close(store));
}

TEST("a value of the session that comes back ends with the session, as all of it", session_former) {
  livery_store *store = ready_store(fresh_path());
  livery_change *change = NULL;
  OK(livery_set_int(store, LIVERY_LAYER_SESSION, "pair.a", 5));
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_set_int(change, "pair.a", 6));
  OK(livery_change_trial(change, hour));
  OK(livery_change_commit(change, NULL));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_session_ends(change, now_microseconds() + minute));
  OK(livery_change_commit(change, NULL));
  OK(livery_trial_revert(store, 0, NULL));
  EXPECT_INT(5, integer(store, "pair.a"));
  passed = 2 * minute;
  EXPECT_INT(1, integer(store, "pair.a"));
  OK(livery_close(store));
}

TEST("a secret that went back is in no file", secret) {
  const char *path = fresh_path();
  livery_store *store = ready_store(path);
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_string(change, "pin", TEXT("7391")));
  OK(livery_change_trial(change, minute));
  OK(livery_change_commit(change, NULL));
  livery_value *told = NULL;
  char *text = NULL;
  OK(livery_inspect(store, "pin", &told));
  OK(livery_value_to_json(told, 0, &text, NULL));
  EXPECT_CONTAINS("\"trial\"", text);
  livery_free(text);
  OK(livery_value_release(told));
  OK(livery_trial_revert(store, 0, NULL));
  OK(livery_history(store, NULL, &told));
  OK(livery_value_to_json(told, 0, &text, NULL));
  EXPECT(!strstr(text, "7391"));
  livery_free(text);
  OK(livery_value_release(told));
  OK(livery_close(store));
}

// Takes the value of `pair.a` away in a layer, on trial, and replaces it by the console's; what counts in the end.
static int64_t replaced_beside_trial(livery_layer layer, bool sets, bool expires) {
  livery_store *store = ready_store(fresh_path());
  livery_change *change = NULL;
  OK(livery_set_int(store, layer, "pair.a", 5));
  OK(livery_change_begin(store, layer, &change));
  if (sets) OK(livery_change_set_int(change, "pair.a", 6));
  else OK(livery_change_reset(change, "pair.a"));
  if (expires) OK(livery_change_expires(change, now_microseconds() + minute / 2));
  OK(livery_change_trial(change, hour));
  OK(livery_change_commit(change, NULL));
  if (expires) passed += minute;
  OK(livery_change_begin(store, LIVERY_LAYER_RECOMMENDED, &change));
  livery_value *nine = NULL;
  OK(livery_value_make_int(9, &nine));
  OK(livery_change_replace(change, "pair.a", nine));
  OK(livery_value_release(nine));
  OK(livery_change_commit(change, NULL));
  EXPECT_INT(9, integer(store, "pair.a"));
  livery_status status = livery_trial_revert(store, 0, NULL);
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_NOT_FOUND);
  passed += 2 * hour;
  int64_t left = integer(store, "pair.a");
  OK(livery_close(store));
  return left;
}

TEST("what the console lets count in place of what is on trial stays, also where the trial took a value away", replaced) {
  EXPECT_INT(9, replaced_beside_trial(user, false, false));
  EXPECT_INT(9, replaced_beside_trial(user, true, false));
  EXPECT_INT(9, replaced_beside_trial(LIVERY_LAYER_SESSION, false, false));
  EXPECT_INT(9, replaced_beside_trial(LIVERY_LAYER_SESSION, true, false));
  EXPECT_INT(9, replaced_beside_trial(LIVERY_LAYER_SESSION, true, true));
}

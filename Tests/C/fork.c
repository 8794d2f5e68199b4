// A fork ends every handle in the child, which may open the store again; the parent goes on undisturbed.
#include "every_call.h"

#include <stdatomic.h>

static livery_store *store;
static livery_key *key;
static livery_snapshot *snapshot;
static livery_change *change;
static livery_watch *watch;
static livery_value *value;
static char path[320];

static void open_all(void) {
  snprintf(path, sizeof path, "%s", fresh_path());
  store = new_store(path, KIOSK_SCHEMA);
  OK(livery_key_open(store, "title", &key));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  OK(livery_watch_start(store, NULL, NULL, every_event, NULL, every_destroy, &watch));
  value = json("{\"a\": [1]}");
}

static void close_all(void) {
  OK(livery_key_close(key));
  OK(livery_snapshot_close(snapshot));
  OK(livery_change_discard(change));
  OK(livery_watch_stop(watch));
  OK(livery_value_release(value));
  OK(livery_close(store));
}

static void use_everything_of_the_parent(void) {
  every_read(LIVERY_ERROR_FORKED, store);
  every_write(LIVERY_ERROR_FORKED, store);
  every_key_call(LIVERY_ERROR_FORKED, key);
  every_snapshot_call(LIVERY_ERROR_FORKED, snapshot);
  every_change_call(LIVERY_ERROR_FORKED, change, value);
  every_value_call(LIVERY_ERROR_FORKED, value);
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_key_close(key));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_snapshot_close(snapshot));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_change_discard(change));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_value_release(value));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_watch_pause(watch, true));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_watch_stop(watch));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_set_value(store, LIVERY_LAYER_USER, "playlist", value));
}

TEST("in a forked child every function on the parent's handles says FORKED", child_uses_handles) {
  open_all();
  IN_CHILD(use_everything_of_the_parent);
  // The parent's are as they were.
  char text[16] = "";
  OK(livery_key_get_string(key, text, sizeof text, NULL));
  EXPECT_TEXT("Hello", text);
  OK(livery_change_set_string(change, "title", "parent", LIVERY_ZERO_TERMINATED));
  uint64_t revision = 0;
  OK(livery_snapshot_revision(snapshot, &revision));
  close_all();
}

static void open_again(void) {
  livery_store *own = open_store(path);
  int64_t seconds = 0;
  OK(livery_get_int(own, "idleResetSeconds", &seconds));
  EXPECT_INT(120, seconds);
  livery_watch *own_watch = NULL;
  OK(livery_watch_start(own, NULL, NULL, every_event, NULL, NULL, &own_watch));
  OK(livery_set_int(own, LIVERY_LAYER_USER, "idleResetSeconds", 44));
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_get_int(store, "idleResetSeconds", &seconds));
  livery_value *mine = NULL;
  OK(livery_value_make_int(5, &mine));
  OK(livery_value_release(mine));
  OK(livery_close(own));
}

TEST("a child may open the store again, and the parent sees what it sets", child_opens_again) {
  open_all();
  int64_t seconds = 0;
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  IN_CHILD(open_again);
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(44, seconds);
  close_all();
}

static void ends_at_once(void) {}

TEST("a child that ends without a word leaves the parent's locks and readers alone", child_ends) {
  open_all();
  for (int round = 0; round < 5; round++) IN_CHILD(ends_at_once);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "idleResetSeconds", 55));
  livery_value *seen = NULL;
  OK(livery_snapshot_get(snapshot, "idleResetSeconds", &seen));
  EXPECT_JSON("120", seen);
  close_all();
}

static volatile bool stop;

static void *writes(void *unused) {
  (void)unused;
  for (int64_t number = 0; !stop; number++) {
    livery_status status = livery_set_int(store, LIVERY_LAYER_USER, "pair.a", number);
    if (status != LIVERY_OK) check_fail(__FILE__, __LINE__, "%s", livery_last_error()->message);
  }
  return NULL;
}

static void child_of_threads(void) {
  alarm(20);
  int64_t number = 0;
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_get_int(store, "pair.a", &number));
  livery_store *own = open_store(path);
  OK(livery_get_int(own, "pair.a", &number));
  OK(livery_set_int(own, LIVERY_LAYER_USER, "pair.b", getpid()));
  OK(livery_close(own));
}

static atomic_bool has_ended;

static void *open_and_close(void *path) {
  while (!atomic_load(&has_ended)) OK(livery_close(open_store(path)));
  return NULL;
}

static void fork_often(void) {
  pthread_t thread;
  const char *path = fresh_path();
  // A fork that waits for ever ends the process.
  alarm(60);
  pthread_create(&thread, NULL, open_and_close, (void *)(uintptr_t)path);
  for (int count = 0; count < 300; count++) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
  }
  atomic_store(&has_ended, true);
  pthread_join(thread, NULL);
  alarm(0);
}

TEST("a fork amid another thread's openings does not wait for ever", fork_amid_openings) { IN_CHILD(fork_often); }

TEST("a fork amid another thread's commits leaves a child that can open the store", fork_amid_commits) {
  open_all();
  pthread_t thread;
  stop = false;
  EXPECT(pthread_create(&thread, NULL, writes, NULL) == 0);
  for (int round = 0; round < 20; round++) IN_CHILD(child_of_threads);
  stop = true;
  pthread_join(thread, NULL);
  close_all();
}

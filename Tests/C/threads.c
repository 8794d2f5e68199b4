// All functions from any thread at any time.
#include "fixture.h"

enum { THREADS = 4, ROUNDS = 400 };

static livery_store *shared;
static livery_key *shared_key;
static int unexpected;

static void expect_either(livery_status status, livery_status allowed) {
  if (status != LIVERY_OK && status != allowed) {
    __atomic_add_fetch(&unexpected, 1, __ATOMIC_RELAXED);
    fprintf(stderr, "unexpected: %s\n", livery_last_error()->message);
  }
}

static void in_threads(void *(*run)(void *)) {
  pthread_t threads[THREADS];
  for (int index = 0; index < THREADS; index++) pthread_create(&threads[index], NULL, run, (void *)(intptr_t)index);
  for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
}

static void *read_and_write(void *argument) {
  int index = (int)(intptr_t)argument;
  char name[16];
  snprintf(name, sizeof name, "own.%d", index);
  for (int64_t round = 1; round <= ROUNDS; round++) {
    int64_t number = 0;
    if (round % 16 == 0) {
      expect_either(livery_set_int(shared, LIVERY_LAYER_USER, name, round), LIVERY_OK);
      expect_either(livery_get_int(shared, name, &number), LIVERY_OK);
      if (number != round) expect_either(LIVERY_ERROR_CORRUPT, LIVERY_OK);
    }
    expect_either(livery_key_get_int(shared_key, &number), LIVERY_OK);
    livery_value *value = NULL;
    expect_either(livery_get_value(shared, "own.0", &value), LIVERY_ERROR_NOT_FOUND);
    livery_value_release(value);
  }
  return NULL;
}

TEST("threads read and write one store through one handle", share_handle) {
  shared = open_store(fresh_path());
  OK(livery_set_int(shared, LIVERY_LAYER_USER, "key", 1));
  OK(livery_key_open(shared, "key", &shared_key));
  unexpected = 0;
  in_threads(read_and_write);
  EXPECT_INT(0, unexpected);
  OK(livery_close(shared));
}

static const char *shared_path;

static void *open_and_close(void *unused) {
  (void)unused;
  for (int round = 0; round < 60; round++) {
    livery_store *store = NULL;
    int64_t number = 0;
    expect_either(livery_open(shared_path, NULL, &store), LIVERY_OK);
    expect_either(livery_get_int(store, "n", &number), LIVERY_OK);
    if (number != 9) expect_either(LIVERY_ERROR_CORRUPT, LIVERY_OK);
    expect_either(livery_close(store), LIVERY_OK);
  }
  return NULL;
}

TEST("threads open and close the same store at once", open_close) {
  NEEDS_FILES;
  shared_path = fresh_path();
  livery_store *store = open_store(shared_path);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "n", 9));
  OK(livery_close(store));
  unexpected = 0;
  in_threads(open_and_close);
  EXPECT_INT(0, unexpected);
}

static void *use_until_closed(void *unused) {
  (void)unused;
  for (;;) {
    int64_t number = 0;
    livery_snapshot *snapshot = NULL;
    livery_value *value = NULL;
    livery_status status = livery_get_int(shared, "n", &number);
    expect_either(status, LIVERY_ERROR_CLOSED);
    if (status == LIVERY_ERROR_CLOSED) return NULL;
    expect_either(livery_key_get_int(shared_key, &number), LIVERY_ERROR_CLOSED);
    if (livery_snapshot_open(shared, &snapshot) == LIVERY_OK) {
      expect_either(livery_snapshot_get(snapshot, "n", &value), LIVERY_ERROR_CLOSED);
      livery_value_release(value);
      expect_either(livery_snapshot_close(snapshot), LIVERY_ERROR_CLOSED);
    }
    expect_either(livery_set_int(shared, LIVERY_LAYER_USER, "n", number + 1), LIVERY_ERROR_CLOSED);
  }
}

TEST("a store may be closed while other threads are inside its functions", close_amid_calls) {
  unexpected = 0;
  for (int round = 0; round < 8; round++) {
    shared = open_store(fresh_path());
    OK(livery_set_int(shared, LIVERY_LAYER_USER, "n", 1));
    OK(livery_key_open(shared, "n", &shared_key));
    pthread_t threads[THREADS];
    for (int index = 0; index < THREADS; index++) pthread_create(&threads[index], NULL, use_until_closed, NULL);
    sleep_ms(15);
    OK(livery_close(shared));
    for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
  }
  EXPECT_INT(0, unexpected);
}

static livery_value *shared_value;

static void *retain_and_release(void *unused) {
  (void)unused;
  for (int round = 0; round < 5000; round++) {
    livery_value *item = NULL;
    expect_either(livery_value_retain(shared_value), LIVERY_OK);
    expect_either(livery_value_at(shared_value, 1, &item), LIVERY_OK);
    expect_either(livery_value_release(item), LIVERY_OK);
    expect_either(livery_value_release(shared_value), LIVERY_OK);
  }
  return NULL;
}

TEST("threads share a value", share_value) {
  shared_value = json("[1, [2, 3]]");
  unexpected = 0;
  in_threads(retain_and_release);
  EXPECT_INT(0, unexpected);
  OK(livery_value_release(shared_value));
}

// The calls of livery/sync.h: wrong arguments, ends that come once, closing, cancelling, children of a fork, many threads.
#include "fixture.h"

#include "code.h"

#include <livery/sync.h>
#include <poll.h>

typedef struct told {
  _Atomic int done, destroyed;
  livery_status status;
  char message[200];
  bool has_report;
} told;

static void note(livery_status status, const char *message, livery_value *report, void *user_data) {
  told *told = user_data;
  told->status = status;
  snprintf(told->message, sizeof told->message, "%s", message);
  told->has_report = report != NULL;
  told->done++;
}

static void note_end(void *user_data) {
  told *told = user_data;
  EXPECT_INT(1, told->done);
  told->destroyed++;
}

static void wait_for(told *told) {
  for (int tries = 0; tries < 2000 && !told->destroyed; tries++) usleep(5000);
  EXPECT_INT(1, told->done);
  EXPECT_INT(1, told->destroyed);
}

TEST("wrong arguments are refused, with a message, and whoever waits is told the same", arguments) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_sync *sync = NULL;
  livery_value *value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_start(NULL, NULL, &sync));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_start(store, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_status(store, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_status(NULL, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_leave(NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_health(NULL, "x"));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_health(store, "\xff"));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_pull_start(store, NULL, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_set_check(store, NULL, 0, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_set_check(store, "No", 0, NULL, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_set_check(store, "screen", 2, NULL, NULL, NULL));
  livery_sync_options wrong[] = {LIVERY_SYNC_OPTIONS_INIT, LIVERY_SYNC_OPTIONS_INIT, LIVERY_SYNC_OPTIONS_INIT,
                                 LIVERY_SYNC_OPTIONS_INIT, LIVERY_SYNC_OPTIONS_INIT, LIVERY_SYNC_OPTIONS_INIT};
  wrong[0].flags = 1u << 31;
  wrong[1].scope = "Not A Name";
  wrong[2].broker = "http://broker";
  wrong[3].timeout_ms = 86400001;
  wrong[4].name = "a\nb";
  wrong[5].struct_size = 3;
  for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    told told = {0};
    EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_start(store, &wrong[index], &sync));
    EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_push_start(store, &wrong[index], note, &told, note_end, NULL));
    EXPECT_INT(1, told.done);
    EXPECT_INT(1, told.destroyed);
    EXPECT_INT(LIVERY_ERROR_INVALID_ARGUMENT, told.status);
  }
  told nothing = {0};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_enroll_start(store, NULL, NULL, note, &nothing, note_end, NULL));
  EXPECT_INT(1, nothing.destroyed);
  EXPECT(sync == NULL);
  OK(livery_sync_stop(NULL));
  OK(livery_sync_cancel(NULL));
  OK(livery_close(store));
}

TEST("a device of no fleet says so, and takes part once it has joined", none) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_sync *sync = NULL, *other = NULL;
  livery_value *value = NULL, *member = NULL;
  bool is_enrolled = true;
  REQUIRE_OK(livery_sync_start(store, NULL, &sync));
  REQUIRE_OK(livery_sync_start(store, NULL, &other));
  OK(livery_sync_status(store, &value));
  OK(livery_value_member(value, "enrolled", &member));
  OK(livery_value_as_bool(member, &is_enrolled));
  EXPECT(!is_enrolled);
  livery_value_release(member);
  livery_value_release(value);
  told pulled = {0}, pushed = {0};
  OK(livery_sync_pull_start(store, NULL, note, &pulled, note_end, NULL));
  OK(livery_sync_push_start(store, NULL, note, &pushed, note_end, NULL));
  wait_for(&pulled);
  wait_for(&pushed);
  EXPECT_INT(LIVERY_ERROR_NOT_FOUND, pulled.status);
  EXPECT_INT(LIVERY_ERROR_NOT_FOUND, pushed.status);
  EXPECT_CONTAINS("enroll", pulled.message);
  EXPECT(!pulled.has_report);
  OK(livery_sync_stop(sync));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_sync_stop(sync));
  OK(livery_sync_stop(other));
  OK(livery_sync_leave(store));
  OK(livery_close(store));
}

TEST("a store that is read-only is told of, and not taken part with", read_only) {
  const char *path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA), *reader = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_sync *sync = NULL;
  livery_value *value = NULL;
  options.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_close(store));
  REQUIRE_OK(livery_open(path, &options, &reader));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_sync_start(reader, NULL, &sync));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_sync_leave(reader));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_sync_health(reader, "x"));
  OK(livery_sync_status(reader, &value));
  livery_value_release(value);
  OK(livery_close(reader));
}

TEST("closing tells whoever waits, once, before it returns", closing) {
  for (int round = 0; round < 20; round++) {
    int port = 0, listener = silent(&port);
    livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
    livery_sync *sync = NULL;
    told told[4] = {0};
    REQUIRE_OK(livery_sync_start(store, NULL, &sync));
    for (int index = 0; index < 4; index++)
      OK(livery_sync_enroll_start(store, code_for(port), NULL, note, &told[index], note_end, NULL));
    usleep((useconds_t)(round * 1000));
    OK(livery_close(store));
    for (int index = 0; index < 4; index++) {
      EXPECT_INT(1, told[index].done);
      EXPECT_INT(1, told[index].destroyed);
      EXPECT_INT(LIVERY_ERROR_CLOSED, told[index].status);
    }
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_sync_start(store, NULL, &sync));
    close(listener);
  }
}

TEST("cancelling ends what waits, and the handle with it", cancelling) {
  int port = 0, listener = silent(&port);
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_sync_task *task = NULL;
  told told = {0};
  REQUIRE_OK(livery_sync_enroll_start(store, code_for(port), NULL, note, &told, note_end, &task));
  OK(livery_sync_cancel(task));
  wait_for(&told);
  EXPECT_INT(LIVERY_ERROR_CANCELLED, told.status);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_sync_cancel(task));
  OK(livery_close(store));
  close(listener);
}

TEST("where the host dispatches it is told there, and nowhere else", dispatching) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_sync_options options = LIVERY_SYNC_OPTIONS_INIT;
  options.flags = LIVERY_SYNC_DISPATCH;
  told told = {0};
  int descriptor = -1;
  OK(livery_event_fd(store, &descriptor));
  REQUIRE_OK(livery_sync_enroll_start(store, "no code", &options, note, &told, note_end, NULL));
  usleep(100000);
  EXPECT_INT(0, told.done);
  for (int tries = 0; tries < 100 && !told.destroyed; tries++) {
    struct pollfd wait = {descriptor, POLLIN, 0};
    poll(&wait, 1, 100);
    OK(livery_dispatch(store, NULL));
  }
  EXPECT_INT(LIVERY_ERROR_PARSE, told.status);
  OK(livery_close(store));
}

static livery_status say_yes(const char *name, void *user_data) {
  (void)name, (void)user_data;
  return LIVERY_OK;
}

static void count(void *user_data) { (*(_Atomic int *)user_data)++; }

TEST("a check is let go of once: when it is exchanged, removed, or the store is closed", checks) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  _Atomic int first = 0, second = 0, third = 0, wrong = 0;
  OK(livery_sync_set_check(store, "screen", 0, say_yes, &first, count));
  OK(livery_sync_set_check(store, "screen", 0, say_yes, &second, count));
  EXPECT_INT(1, first);
  OK(livery_sync_set_check(store, "screen", 0, NULL, NULL, NULL));
  EXPECT_INT(1, second);
  OK(livery_sync_set_check(store, "sound", 0, say_yes, &third, count));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sync_set_check(store, "", 0, say_yes, &wrong, count));
  EXPECT_INT(1, wrong);
  OK(livery_close(store));
  EXPECT_INT(1, third);
}

TEST("a child of a fork is told that it is one", forked) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_sync *sync = NULL;
  REQUIRE_OK(livery_sync_start(store, NULL, &sync));
  pid_t child = fork();
  if (child == 0) {
    livery_sync *own = NULL;
    livery_value *value = NULL;
    int good = livery_sync_start(store, NULL, &own) == LIVERY_ERROR_FORKED && livery_sync_stop(sync) == LIVERY_ERROR_FORKED
               && livery_sync_status(store, &value) == LIVERY_ERROR_FORKED && livery_sync_leave(store) == LIVERY_ERROR_FORKED;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_INT(0, status);
  OK(livery_sync_stop(sync));
  OK(livery_close(store));
}

static void *hammer(void *argument) {
  livery_store *store = argument;
  for (int round = 0; round < 40; round++) {
    livery_sync *sync = NULL;
    livery_value *value = NULL;
    told told = {0};
    EXPECT_INT(LIVERY_OK, livery_sync_start(store, NULL, &sync));
    EXPECT_INT(LIVERY_OK, livery_sync_pull_start(store, NULL, note, &told, note_end, NULL));
    EXPECT_INT(LIVERY_OK, livery_sync_status(store, &value));
    livery_value_release(value);
    wait_for(&told);
    EXPECT_INT(LIVERY_OK, livery_sync_stop(sync));
  }
  return NULL;
}

TEST("many threads start, ask and stop at once", threads) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  pthread_t all[6];
  for (int index = 0; index < 6; index++) pthread_create(&all[index], NULL, hammer, store);
  for (int index = 0; index < 6; index++) pthread_join(all[index], NULL);
  OK(livery_close(store));
}

typedef struct starter {
  pthread_t thread;
  livery_store *store;
  told told[400];
  livery_status started[400];
  _Atomic int count;
} starter;

// Asks until the store is closed.
static void *ask_on(void *argument) {
  starter *starter = argument;
  while (starter->count < 400) {
    int place = starter->count;
    starter->started[place] = livery_sync_pull_start(starter->store, NULL, note, &starter->told[place], note_end, NULL);
    starter->count++;
    if (starter->started[place] == LIVERY_ERROR_CLOSED) break;
  }
  return NULL;
}

TEST("who asks while the store is closed is told once, also if nothing comes of it", closing_meanwhile) {
  enum { ROUNDS = 40, THREADS = 4 };
  starter *starters = calloc(THREADS, sizeof *starters);
  for (int round = 0; round < ROUNDS; round++) {
    livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
    memset(starters, 0, THREADS * sizeof *starters);
    for (int index = 0; index < THREADS; index++) {
      starters[index].store = store;
      EXPECT_INT(0, pthread_create(&starters[index].thread, NULL, ask_on, &starters[index]));
    }
    while (starters[round % THREADS].count < 1 + round % 5) sched_yield();
    OK(livery_close(store));
    for (int index = 0; index < THREADS; index++) {
      pthread_join(starters[index].thread, NULL);
      for (int place = 0; place < starters[index].count; place++) {
        EXPECT_INT(1, starters[index].told[place].done);
        EXPECT_INT(1, starters[index].told[place].destroyed);
      }
    }
  }
  free(starters);
}

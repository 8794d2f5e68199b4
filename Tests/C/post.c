// Functions that run once on the watcher thread, or where a program dispatches.
#include "fixture.h"

#include <poll.h>
#include <stdatomic.h>

static atomic_int runs, ends;
static pthread_t ran_on;
static char order[64];

static void note(void *user_data) {
  ran_on = pthread_self();
  size_t length = strlen(order);
  if (length < sizeof order - 1) order[length] = *(const char *)user_data;
  runs++;
}
static void ended(void *user_data) { (void)user_data, ends++; }

static void begin(void) {
  memset(order, 0, sizeof order);
  runs = ends = 0;
}

static void wait_for(atomic_int *number, int expected) {
  for (int tries = 0; tries < 5000 && *number < expected; tries++) usleep(1000);
  EXPECT_INT(expected, *number);
}

TEST("what is posted runs once on the watcher thread, in its order", on_thread) {
  livery_store *store = open_store(fresh_path());
  begin();
  for (int index = 0; index < 10; index++) OK(livery_post(store, 0, note, &"0123456789"[index], ended));
  wait_for(&ends, 10);
  EXPECT_TEXT("0123456789", order);
  EXPECT(!pthread_equal(ran_on, pthread_self()));
  // The thread has gone meanwhile, and comes again.
  usleep(20000);
  OK(livery_post(store, 0, note, "a", NULL));
  wait_for(&runs, 11);
  OK(livery_close(store));
  EXPECT_INT(10, ends);
}

TEST("or where a program dispatches, whose descriptor tells of it", dispatched) {
  livery_store *store = open_store(fresh_path());
  int descriptor = -1;
  size_t count = 0;
  begin();
  OK(livery_event_fd(store, &descriptor));
  OK(livery_dispatch(store, NULL));
  OK(livery_post(store, LIVERY_POST_DISPATCH, note, "a", ended));
  OK(livery_post(store, LIVERY_POST_DISPATCH, note, "b", ended));
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  EXPECT_INT(1, poll(&entry, 1, 2000));
  EXPECT_INT(0, runs);
  OK(livery_dispatch(store, &count));
  EXPECT(count == 2 && runs == 2 && ends == 2 && pthread_equal(ran_on, pthread_self()));
  EXPECT_TEXT("ab", order);
  EXPECT_INT(0, poll(&entry, 1, 20));
  OK(livery_close(store));
}

static livery_store *own;
static void posts_again(void *user_data) {
  note("x");
  if (runs < 5) OK(livery_post(own, user_data ? LIVERY_POST_DISPATCH : 0, posts_again, user_data, ended));
}

TEST("a function may post, and comes to its turn after others", again) {
  livery_store *store = own = open_store(fresh_path());
  size_t count = 0;
  begin();
  OK(livery_post(store, 0, posts_again, NULL, ended));
  wait_for(&ends, 5);
  begin();
  OK(livery_post(store, LIVERY_POST_DISPATCH, posts_again, "", ended));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, count);
  for (int round = 0; round < 4; round++) OK(livery_dispatch(store, &count));
  EXPECT(runs == 5 && ends == 5);
  OK(livery_close(store));
}

static void closes(void *user_data) {
  note("c");
  OK(livery_close(user_data));
}

TEST("what has not run when its store is closed does not, and its data is let go", closed) {
  livery_store *store = open_store(fresh_path());
  begin();
  OK(livery_post(store, LIVERY_POST_DISPATCH, note, "a", ended));
  OK(livery_post(store, LIVERY_POST_DISPATCH, note, "b", ended));
  OK(livery_close(store));
  EXPECT(runs == 0 && ends == 2);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_post(store, 0, note, "a", ended));
  EXPECT_INT(3, ends);
  // It may close its own store, and the next one does not come.
  begin();
  store = open_store(fresh_path());
  OK(livery_post(store, LIVERY_POST_DISPATCH, closes, store, ended));
  OK(livery_post(store, LIVERY_POST_DISPATCH, note, "b", ended));
  OK(livery_dispatch(store, NULL));
  EXPECT(runs == 1 && ends == 2);
}

TEST("posting nothing, or with unknown flags, is refused", refused) {
  livery_store *store = open_store(fresh_path());
  begin();
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_post(store, 0, NULL, NULL, ended));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_post(store, 2, note, NULL, ended));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_post(NULL, 0, note, NULL, ended));
  EXPECT(runs == 0 && ends == 3);
  OK(livery_close(store));
}

static void leaves(void *user_data) {
  (void)user_data;
  runs++;
  pthread_exit(NULL);
}

static void hear(const livery_event *events, size_t count, void *user_data) { (void)events, (void)count, (void)user_data, runs++; }

TEST("one that ends the thread takes nobody with it", thread_ends) {
  livery_store *store = open_store(fresh_path());
  livery_watch *watch = NULL;
  begin();
  OK(livery_watch_start(store, NULL, NULL, hear, NULL, NULL, &watch));
  OK(livery_post(store, 0, leaves, NULL, ended));
  wait_for(&ends, 1);
  OK(livery_post(store, 0, note, "a", ended));
  wait_for(&ends, 2);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "number", 1));
  wait_for(&runs, 3);
  OK(livery_close(store));
}

static atomic_int posted;
static void nothing(void *user_data) { (void)user_data; }
static void *posts_much(void *store) {
  while (livery_post(store, (uint32_t)(rand() % 2), nothing, NULL, ended) == LIVERY_OK) {
    posted++;
    if (rand() % 4 == 0) livery_dispatch(store, NULL);
  }
  // The one that was refused is let go, too.
  posted++;
  return NULL;
}

TEST("each is let go once, whoever posts, dispatches and closes", busy) {
  for (int round = 0; round < 20; round++) {
    livery_store *store = open_store(fresh_path());
    pthread_t threads[3];
    begin();
    posted = 0;
    for (int index = 0; index < 3; index++) pthread_create(&threads[index], NULL, posts_much, store);
    usleep(3000);
    OK(livery_close(store));
    for (int index = 0; index < 3; index++) pthread_join(threads[index], NULL);
    wait_for(&ends, posted);
  }
}

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static int inside, overlaps, wrong;
static long latest;

static void takes_its_turn(void *user_data) {
  long number = *(long *)user_data;
  pthread_mutex_lock(&turn);
  overlaps += inside++ > 0;
  wrong += number < latest;
  latest = number;
  pthread_mutex_unlock(&turn);
  usleep(100);
  pthread_mutex_lock(&turn);
  inside--;
  runs++;
  pthread_mutex_unlock(&turn);
}

static void *dispatches_until_all_ran(void *store) {
  for (int tries = 0; tries < 20000 && runs < 200; tries++) {
    livery_dispatch(store, NULL);
    usleep(50);
  }
  return NULL;
}

TEST("they run one at a time and in their order, however many threads dispatch", threads) {
  static long numbers[200];
  livery_store *store = open_store(fresh_path());
  pthread_t threads[3];
  begin();
  for (long index = 0; index < 200; index++) {
    numbers[index] = index;
    OK(livery_post(store, LIVERY_POST_DISPATCH, takes_its_turn, &numbers[index], ended));
  }
  for (int index = 0; index < 3; index++) pthread_create(&threads[index], NULL, dispatches_until_all_ran, store);
  for (int index = 0; index < 3; index++) pthread_join(threads[index], NULL);
  EXPECT(runs == 200 && ends == 200 && overlaps == 0 && wrong == 0);
  OK(livery_close(store));
}

static void posts_meanwhile(void *user_data) {
  size_t count = 77;
  note("p");
  OK(livery_post(own, LIVERY_POST_DISPATCH, note, "q", ended));
  OK(livery_dispatch(own, &count));
  EXPECT_INT(0, count);
  (void)user_data;
}

TEST("what is posted while a thread dispatches keeps the descriptor readable", meanwhile) {
  livery_store *store = own = open_store(fresh_path());
  int descriptor = -1;
  size_t count = 0;
  begin();
  OK(livery_event_fd(store, &descriptor));
  OK(livery_post(store, LIVERY_POST_DISPATCH, posts_meanwhile, NULL, ended));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, count);
  struct pollfd entry = {.fd = descriptor, .events = POLLIN};
  EXPECT_INT(1, poll(&entry, 1, 2000));
  OK(livery_dispatch(store, &count));
  EXPECT_INT(1, count);
  EXPECT_TEXT("pq", order);
  EXPECT_INT(0, poll(&entry, 1, 20));
  OK(livery_close(store));
}

TEST("one that posts itself runs once in a round, whatever others have posted", others_posted) {
  const char *path = fresh_path();
  livery_store *store = own = open_store(path), *other = open_store(path);
  size_t count = 0;
  begin();
  for (int index = 0; index < 20; index++) OK(livery_post(other, LIVERY_POST_DISPATCH, note, "o", ended));
  OK(livery_post(store, LIVERY_POST_DISPATCH, posts_again, "", ended));
  OK(livery_dispatch(store, &count));
  EXPECT(count == 1 && runs == 1);
  OK(livery_close(store));
  OK(livery_close(other));
}

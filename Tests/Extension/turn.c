// An extension beside the library that it stands on: one engine, one last error, and each end told once.
#include "fixture.h"

#include <dlfcn.h>
#include <link.h>
#include <livery/turn.h>
#include <poll.h>
#include <stdatomic.h>

static const livery_layer user = LIVERY_LAYER_USER;

// What one who stands in a line was told.
typedef struct told {
  atomic_int done, destroyed;
  livery_status status;
  uint64_t revision;
  pthread_t thread;
  // What to do when told.
  livery_store *closes;
  _Atomic(livery_turn *) *cancels;
  // Others may come and go meanwhile.
  bool is_late;
} told;

static void note_done(livery_status status, uint64_t revision, void *user_data) {
  told *who = user_data;
  if (who->destroyed) who->is_late = true;
  who->status = status;
  who->revision = revision;
  who->thread = pthread_self();
  if (who->closes) OK(livery_close(who->closes));
  if (who->cancels) OK(livery_turn_cancel(atomic_load(who->cancels)));
  // What fails in it must not change what is told.
  livery_set_int(NULL, user, "x", 1);
  who->done++;
}

static void note_destroyed(void *user_data) {
  told *who = user_data;
  who->destroyed++;
}

static livery_status start(livery_store *store, const char *line, const char *name, told *who, uint32_t flags,
                           livery_turn **turn) {
  livery_turn_options options = LIVERY_TURN_OPTIONS_INIT;
  options.flags = flags;
  return livery_turn_start(store, line, name, &options, note_done, who, note_destroyed, turn);
}

static void wait_for(told *who) {
  for (int tries = 0; tries < 5000 && !who->destroyed; tries++) usleep(1000);
}

static void expect_told(const char *file, int line, livery_status status, told *who) {
  wait_for(who);
  if (who->done != 1 || who->destroyed != 1 || who->is_late)
    check_fail(file, line, "told %d times, let go %d times%s", who->done, who->destroyed, who->is_late ? ", told late" : "");
  if (who->status != status) check_fail(file, line, "told %d, expected %d", who->status, status);
}
#define EXPECT_TOLD(status, who) expect_told(__FILE__, __LINE__, (status), (who))
#define EXPECT_WAITS(who) EXPECT((who)->done == 0 && (who)->destroyed == 0)

static void expect_line(livery_store *store, const char *name, const char *expected) {
  livery_value *value = NULL;
  if (OK(livery_get_value(store, name, &value))) EXPECT_JSON(expected, value);
}

TEST("the turn of the first comes at once, on the watcher thread; the next one's when it leaves", turns) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  told ada = {0}, bert = {0};
  livery_turn *first = NULL, *second = NULL;
  uint64_t revision = 0;
  REQUIRE_OK(start(store, "till", "ada", &ada, 0, &first));
  EXPECT_TOLD(LIVERY_OK, &ada);
  EXPECT(!pthread_equal(ada.thread, pthread_self()));
  OK(livery_revision(store, &revision));
  EXPECT_INT(revision, ada.revision);
  OK(start(store, "till", "bert", &bert, 0, &second));
  expect_line(store, "turn.till", "[\"ada\",\"bert\"]");
  usleep(50000);
  EXPECT_WAITS(&bert);
  OK(livery_turn_cancel(first));
  EXPECT_TOLD(LIVERY_OK, &bert);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel(first));
  OK(livery_turn_cancel(second));
  EXPECT_TOLD(LIVERY_OK, &bert);
  // A line without anybody is none.
  livery_value *value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_value(store, "turn.till", &value));
  OK(livery_turn_cancel(NULL));
  OK(livery_close(store));
}

TEST("or where the host dispatches", dispatched) {
  livery_store *store = open_store(fresh_path());
  told ada = {0}, bert = {0};
  livery_turn *first = NULL, *second = NULL;
  int descriptor = -1;
  OK(livery_event_fd(store, &descriptor));
  OK(start(store, "till", "ada", &ada, LIVERY_TURN_DISPATCH, &first));
  for (int tries = 0; tries < 100 && !ada.destroyed; tries++) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    EXPECT_INT(1, poll(&entry, 1, 5000));
    OK(livery_dispatch(store, NULL));
  }
  EXPECT_TOLD(LIVERY_OK, &ada);
  EXPECT(pthread_equal(ada.thread, pthread_self()));
  OK(start(store, "till", "bert", &bert, LIVERY_TURN_DISPATCH, &second));
  OK(livery_turn_cancel(second));
  EXPECT_WAITS(&bert);
  OK(livery_dispatch(store, NULL));
  EXPECT_TOLD(LIVERY_TURN_ERROR_CANCELLED, &bert);
  OK(livery_turn_cancel(first));
  OK(livery_close(store));
}

TEST("who leaves before is told so once, and is in the line no more", cancelled) {
  livery_store *store = open_store(fresh_path());
  told ada = {0}, bert = {0}, cora = {0};
  livery_turn *turns[3] = {NULL};
  OK(start(store, "till", "ada", &ada, 0, &turns[0]));
  OK(start(store, "till", "bert", &bert, 0, &turns[1]));
  OK(start(store, "till", "cora", &cora, 0, &turns[2]));
  OK(livery_turn_cancel(turns[1]));
  EXPECT_TOLD(LIVERY_TURN_ERROR_CANCELLED, &bert);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel(turns[1]));
  expect_line(store, "turn.till", "[\"ada\",\"cora\"]");
  // One who is taken out by others hears of it.
  EXPECT_WAITS(&cora);
  OK(livery_reset(store, user, "turn.till"));
  EXPECT_TOLD(LIVERY_TURN_ERROR_SENT_AWAY, &cora);
  OK(livery_turn_cancel(turns[2]));
  OK(livery_close(store));
  EXPECT_TOLD(LIVERY_OK, &ada);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel(turns[0]));
}

TEST("when the store is closed all who wait are told, and their places stay", closed) {
  char path[320];
  snprintf(path, sizeof path, "%s", fresh_path());
  livery_store *store = open_store(path);
  told ada = {0}, bert = {0}, cora = {0};
  livery_turn *turns[3] = {NULL};
  OK(start(store, "till", "ada", &ada, 0, &turns[0]));
  EXPECT_TOLD(LIVERY_OK, &ada);
  OK(start(store, "till", "bert", &bert, 0, &turns[1]));
  OK(start(store, "till", "cora", &cora, LIVERY_TURN_DISPATCH, &turns[2]));
  OK(livery_close(store));
  EXPECT_TOLD(LIVERY_OK, &ada);
  EXPECT_TOLD(LIVERY_ERROR_CLOSED, &bert);
  EXPECT_TOLD(LIVERY_ERROR_CLOSED, &cora);
  for (int index = 0; index < 3; index++) EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel(turns[index]));
  store = open_store(path);
  expect_line(store, "turn.till", "[\"ada\",\"bert\",\"cora\"]");
  OK(livery_close(store));
}

TEST("it may close its own store, or leave, when it is told", from_inside) {
  told ada = {0}, bert = {0};
  livery_turn *first = NULL;
  _Atomic(livery_turn *) second = NULL;
  livery_store *store = open_store(fresh_path());
  ada.closes = store;
  OK(start(store, "till", "ada", &ada, 0, &first));
  EXPECT_TOLD(LIVERY_OK, &ada);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel(first));

  store = open_store(fresh_path());
  bert.cancels = &second;
  livery_turn *handle = NULL;
  OK(start(store, "till", "bert", &bert, LIVERY_TURN_DISPATCH, &handle));
  second = handle;
  for (int tries = 0; tries < 1000 && !bert.destroyed; tries++) OK((usleep(1000), livery_dispatch(store, NULL)));
  EXPECT_TOLD(LIVERY_OK, &bert);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel(handle));
  OK(livery_close(store));
}

// Expects that starting fails, that this is told on the spot, and that nothing is left behind.
#define EXPECT_REFUSED(expected, store, line, name, options, turn)                                                     \
  do {                                                                                                                 \
    told who = {0};                                                                                                    \
    EXPECT_STATUS((expected), livery_turn_start(store, line, name, options, note_done, &who, note_destroyed, turn));   \
    EXPECT_INT(1, who.destroyed);                                                                                      \
    EXPECT_TOLD((expected), &who);                                                                                     \
  } while (0)

TEST("where starting fails the same status is told at once, and a message tells why", refused) {
  char path[320], long_name[66];
  snprintf(path, sizeof path, "%s", fresh_path());
  memset(long_name, 'x', sizeof long_name - 1);
  long_name[65] = 0;
  livery_store *store = open_store(path);
  livery_turn *turn = NULL, *other = (livery_turn *)&turn;
  told ada = {0};
  OK(start(store, "till", "ada", &ada, 0, &turn));
  EXPECT_REFUSED(LIVERY_ERROR_CONFLICT, store, "till", "ada", NULL, &other);
  EXPECT_CONTAINS("`ada` is in the line already", livery_last_error()->message);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, NULL, "till", "bert", NULL, &other);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, NULL, "bert", NULL, &other);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "", "bert", NULL, &other);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "a\n", "bert", NULL, &other);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "till", NULL, NULL, &other);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "till", long_name, NULL, &other);
  EXPECT_CONTAINS("who is longer than 64 bytes", livery_last_error()->message);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "till", "\xff", NULL, &other);
  told nobody = {0};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT,
                livery_turn_start(store, "till", "bert", NULL, NULL, &nobody, note_destroyed, &other));
  EXPECT_INT(1, nobody.destroyed);
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "till", "bert", NULL, NULL);
  livery_turn_options options = {.struct_size = 3};
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "till", "bert", &options, &other);
  options = (livery_turn_options){.struct_size = sizeof options, .flags = 8};
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "till", "bert", &options, &other);
  struct {
    livery_turn_options options;
    size_t newer;
  } newer = {{sizeof newer, 0}, 1};
  EXPECT_REFUSED(LIVERY_ERROR_INVALID_ARGUMENT, store, "till", "bert", &newer.options, &other);
  EXPECT(other == (livery_turn *)&turn);
  expect_line(store, "turn.till", "[\"ada\"]");
  OK(livery_close(store));
  EXPECT_REFUSED(LIVERY_ERROR_CLOSED, store, "till", "bert", NULL, &other);
  store = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  EXPECT_REFUSED(LIVERY_ERROR_READ_ONLY, store, "till", "bert", NULL, &other);
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel((livery_turn *)store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_turn_cancel((livery_turn *)&turn));
  EXPECT(other == (livery_turn *)&turn);
}

TEST("it lets only lines into its namespace, and says why", checks) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  told ada = {0};
  livery_turn *turn = NULL;
  OK(start(store, "till", "ada", &ada, 0, &turn));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_set_int(store, user, "turn.door", 3));
  EXPECT_CONTAINS("a line is a list of names", livery_last_error()->message);
  EXPECT_TEXT("turn.door", livery_last_error()->setting);
  livery_value *value = json("[\"ada\", \"bert\", \"ada\"]");
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_set_value(store, user, "turn.door", value));
  EXPECT_CONTAINS("`ada` is in the line twice", livery_last_error()->message);
  OK(livery_value_release(value));
  value = json("[\"cora\"]");
  OK(livery_set_value(store, user, "turn.door", value));
  OK(livery_value_release(value));
  OK(livery_close(store));
}

static char common[320];

static void goes_first(void) {
  livery_store *store = open_store(common);
  told ada = {0};
  livery_turn *turn = NULL;
  OK(start(store, "till", "ada", &ada, 0, &turn));
  EXPECT_TOLD(LIVERY_OK, &ada);
  OK(livery_close(store));
}

static void leaves_for_another(void) {
  livery_store *store = open_store(common);
  livery_value *line = json("[\"bert\"]");
  // Here nobody has claimed the lines.
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_set_value(store, user, "turn.till", line));
  told cora = {0};
  livery_turn *turn = NULL;
  OK(start(store, "till", "cora", &cora, 0, &turn));
  OK(livery_set_value(store, user, "turn.till", line));
  EXPECT_TOLD(LIVERY_TURN_ERROR_SENT_AWAY, &cora);
  OK(livery_value_release(line));
  OK(livery_close(store));
}

TEST("all processes stand in the same line", processes) {
  snprintf(common, sizeof common, "%s", fresh_path());
  IN_CHILD(goes_first);
  livery_store *store = open_store(common);
  told bert = {0};
  livery_turn *turn = NULL;
  OK(start(store, "till", "bert", &bert, 0, &turn));
  usleep(20000);
  EXPECT_WAITS(&bert);
  IN_CHILD(leaves_for_another);
  EXPECT_TOLD(LIVERY_OK, &bert);
  OK(livery_turn_cancel(turn));
  OK(livery_close(store));
}

static livery_store *parents;
static livery_turn *turn_of_parent;

static void uses_what_the_parent_has(void) {
  told bert = {0};
  livery_turn *other = NULL;
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_turn_cancel(turn_of_parent));
  EXPECT_CONTAINS("turn belongs to the parent process", livery_last_error()->message);
  EXPECT_REFUSED(LIVERY_ERROR_FORKED, parents, "till", "cora", NULL, &other);
  livery_store *store = open_store(common);
  OK(start(store, "door", "bert", &bert, 0, &other));
  EXPECT_TOLD(LIVERY_OK, &bert);
  OK(livery_turn_cancel(other));
  OK(livery_close(store));
}

TEST("a forked child has turns of its own", forks) {
  snprintf(common, sizeof common, "%s", fresh_path());
  parents = open_store(common);
  told ada = {0};
  OK(start(parents, "till", "ada", &ada, 0, &turn_of_parent));
  EXPECT_TOLD(LIVERY_OK, &ada);
  IN_CHILD(uses_what_the_parent_has);
  OK(livery_turn_cancel(turn_of_parent));
  EXPECT_TOLD(LIVERY_OK, &ada);
  OK(livery_close(parents));
}

static int engines;
static int count_engines(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  if (strstr(info->dlpi_name, "liblivery.so")) engines++;
  return 0;
}

static void *fails_elsewhere(void *store) {
  livery_turn *turn = NULL;
  told who = {0};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, start(store, "", "ada", &who, 0, &turn));
  return NULL;
}

TEST("there is one engine in the process, and one last error for each thread", one_engine) {
  dl_iterate_phdr(count_engines, NULL);
  EXPECT_INT(1, engines);
  void *extension = dlopen("liblivery-turn.so.0", RTLD_NOW | RTLD_NOLOAD);
  EXPECT(extension != NULL);
  if (extension) {
    EXPECT(dlsym(extension, "livery_open") == dlsym(RTLD_DEFAULT, "livery_open"));
    // It is linked so that it stays.
    dlclose(extension);
    dlclose(extension);
  }
  livery_store *store = open_store(fresh_path());
  int64_t number = 0;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(store, "nothing", &number));
  pthread_t thread;
  pthread_create(&thread, NULL, fails_elsewhere, store);
  pthread_join(thread, NULL);
  EXPECT_INT(LIVERY_ERROR_NOT_FOUND, livery_last_error()->status);
  OK(livery_close(store));
}

enum { THREADS = 4, TURNS = 30 };
static livery_store *crowded;
static atomic_int crowd;
static told crowd_told[THREADS * TURNS];

static void *comes_and_goes(void *line) {
  livery_turn *turns[TURNS] = {NULL};
  for (int round = 0; round < TURNS; round++) {
    char name[16];
    int number = crowd++;
    snprintf(name, sizeof name, "%d", number);
    start(crowded, line, name, &crowd_told[number], (uint32_t)(number % 2), &turns[round]);
    if (number % 3 == 0) livery_turn_cancel(turns[round]);
    if (number % 7 == 0) livery_dispatch(crowded, NULL);
  }
  return NULL;
}

TEST("each is told once, whoever starts, cancels, dispatches and closes", busy) {
  for (int round = 0; round < 3; round++) {
    pthread_t threads[THREADS];
    static const char *const lines[] = {"till", "door"};
    memset(crowd_told, 0, sizeof crowd_told);
    crowd = 0;
    crowded = open_store_with(fresh_path(), LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED, 0);
    for (int index = 0; index < THREADS; index++)
      pthread_create(&threads[index], NULL, comes_and_goes, (void *)(uintptr_t)lines[index % 2]);
    usleep(5000 * (useconds_t)round * 4);
    if (round > 0) OK(livery_close(crowded));
    for (int index = 0; index < THREADS; index++) pthread_join(threads[index], NULL);
    if (round == 0) OK(livery_close(crowded));
    for (int index = 0; index < THREADS * TURNS; index++) {
      wait_for(&crowd_told[index]);
      EXPECT(crowd_told[index].done == 1 && crowd_told[index].destroyed == 1 && !crowd_told[index].is_late);
    }
  }
}

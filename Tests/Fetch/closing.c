// Closing a store while it fetches: when livery_close() returns everybody has been told, whatever the threads are at.
#include "fixture.h"
#include "scripted.h"

#include <arpa/inet.h>
#include <sys/socket.h>

enum { ROUNDS = 60, FETCHES = 12 };

typedef struct told {
  _Atomic int done, destroyed, progressed;
  livery_status status;
  livery_store *closes;
  _Atomic int *starts;
  useconds_t pause;
} told;

static void note(told *told, livery_status status) {
  told->status = status;
  if (told->starts) {
    (*told->starts)++;
    // Both of two that close each other's store are here.
    for (int tries = 0; tries < 100 && *told->starts < 2; tries++) usleep(1000);
  }
  if (told->pause) usleep(told->pause);
  if (told->closes) livery_close(told->closes);
  told->done++;
}

static void note_fetch(const livery_fetch_result *result, void *user_data) { note(user_data, result->status); }

static void note_images(livery_status status, const char *message, livery_value *report, void *user_data) {
  (void)message, (void)report;
  note(user_data, status);
}

static void note_end(void *user_data) {
  told *told = user_data;
  EXPECT_INT(1, told->done);
  told->destroyed++;
}

static void expect_told(const told *told, size_t count) {
  for (size_t index = 0; index < count; index++) {
    EXPECT_INT(1, told[index].done);
    EXPECT_INT(1, told[index].destroyed);
  }
}

typedef struct answering {
  livery_fetch_exchange *exchange;
  int number;
  useconds_t pause;
} answering;

static void *answer_later(void *argument) {
  answering *answering = argument;
  static const char image[] = "GIF89a\1\0\1\0\0\0\0";
  char bytes[64];
  memcpy(bytes, image, sizeof image);
  snprintf(bytes + sizeof image, 20, "%d", answering->number);
  usleep(answering->pause);
  livery_fetch_answer(answering->exchange, 200, NULL, 0);
  livery_fetch_receive(answering->exchange, bytes, sizeof bytes);
  livery_fetch_finish(answering->exchange, LIVERY_OK, NULL);
  free(answering);
  return NULL;
}

// Each answer comes on a thread of its own, a moment later.
static livery_status begin_thread(const livery_fetch_request *request, livery_fetch_exchange *exchange, void *user_data) {
  static _Atomic int number;
  (void)request, (void)user_data;
  answering *answering = calloc(1, sizeof *answering);
  answering->exchange = exchange;
  answering->number = ++number;
  answering->pause = (useconds_t)(number * 7919 % 3000);
  pthread_t thread;
  if (pthread_create(&thread, NULL, answer_later, answering) != 0) {
    free(answering);
    return LIVERY_ERROR_BUSY;
  }
  pthread_detach(thread);
  return LIVERY_OK;
}

static livery_store *open_with_threads(void) {
  livery_store *store = open_store(fresh_path());
  livery_fetch_transport transport = {sizeof transport, begin_thread, NULL};
  OK(livery_fetch_set_transport(store, &transport, NULL, NULL));
  return store;
}

static void start_fetches(livery_store *store, told *told, const livery_fetch_options *options) {
  for (int index = 0; index < FETCHES; index++) {
    char url[40];
    snprintf(url, sizeof url, "http://h/%d", index % 9);
    OK(livery_fetch_start(store, url, options, note_fetch, &told[index], note_end, NULL));
  }
}

static void set_image(livery_store *store, int number) {
  char json[80];
  snprintf(json, sizeof json, "[{\"image\": \"http://h/brand/%d\"}]", number);
  livery_value *variants = NULL;
  OK(livery_value_from_json(json, LIVERY_ZERO_TERMINATED, &variants));
  OK(livery_branding_set_image(store, LIVERY_LAYER_BUNDLE, "logo", variants));
  livery_value_release(variants);
}

TEST("everybody has been told when the store is closed, at whatever moment that is", at_any_moment) {
  for (int round = 0; round < ROUNDS; round++) {
    livery_store *store = open_with_threads();
    set_image(store, round);
    told told[FETCHES + 1] = {0};
    if (round % 3 == 0) told[3].pause = 2000;
    OK(livery_fetch_brand_start(store, NULL, NULL, note_images, &told[FETCHES], note_end, NULL));
    start_fetches(store, told, NULL);
    usleep((useconds_t)(round * 331 % 8000));
    OK(livery_close(store));
    expect_told(told, COUNT(told));
  }
}

TEST("so it is where nobody dispatches any more", dispatched) {
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_DISPATCH;
  for (int round = 0; round < ROUNDS / 3; round++) {
    livery_store *store = open_with_threads();
    told told[FETCHES] = {0};
    start_fetches(store, told, &options);
    usleep((useconds_t)(round * 997 % 9000));
    if (round % 2) OK(livery_dispatch(store, NULL));
    OK(livery_close(store));
    expect_told(told, COUNT(told));
  }
}

TEST("a `done` may close the store; all others are told, too", from_inside) {
  for (int round = 0; round < ROUNDS / 3; round++) {
    livery_store *store = open_with_threads();
    told told[FETCHES] = {0};
    told[round % FETCHES].closes = store;
    start_fetches(store, told, NULL);
    for (int index = 0; index < FETCHES; index++) wait_until(&told[index].destroyed, 1);
    expect_told(told, COUNT(told));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_close(store));
  }
}

TEST("two that close each other's store do not wait for each other", each_other) {
  for (int round = 0; round < ROUNDS / 6; round++) {
    livery_store *one = open_with_threads(), *other = open_with_threads();
    _Atomic int starts = 0;
    told told[2] = {{.closes = other, .starts = &starts}, {.closes = one, .starts = &starts}};
    OK(livery_fetch_start(one, "http://h/a", NULL, note_fetch, &told[0], note_end, NULL));
    OK(livery_fetch_start(other, "http://h/a", NULL, note_fetch, &told[1], note_end, NULL));
    for (int index = 0; index < 2; index++) wait_until(&told[index].destroyed, 1);
    expect_told(told, COUNT(told));
    livery_close(one);
    livery_close(other);
  }
}

static void note_slowly(uint64_t received, uint64_t total, void *user_data) {
  told *told = user_data;
  (void)received, (void)total;
  told->progressed = 1;
  usleep(30000);
  // What it belongs to is there as long as it runs.
  EXPECT_INT(0, told->destroyed);
  told->progressed = 2;
}

TEST("nothing is let go while the progress is told", progress) {
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.progress = note_slowly;
  for (int round = 0; round < 5; round++) {
    livery_store *store = open_with_threads();
    told told = {0};
    OK(livery_fetch_start(store, "http://h/a", &options, note_fetch, &told, note_end, NULL));
    wait_until(&told.progressed, 1);
    OK(livery_close(store));
    expect_told(&told, 1);
    EXPECT_INT(2, told.progressed);
  }
}

static void close_at_once(uint64_t received, uint64_t total, void *user_data) {
  told *told = user_data;
  (void)received, (void)total;
  if (told->progressed++ == 0) OK(livery_close(told->closes));
}

TEST("who is told the progress may close the store", from_progress) {
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.progress = close_at_once;
  livery_store *store = open_with_threads();
  told told = {0};
  told.closes = store;
  OK(livery_fetch_start(store, "http://h/a", &options, note_fetch, &told, note_end, NULL));
  wait_until(&told.destroyed, 1);
  expect_told(&told, 1);
}

typedef struct starter {
  pthread_t thread;
  livery_store *store;
  told *told;
} starter;

static void *start_many(void *argument) {
  starter *starter = argument;
  for (int index = 0; index < 200; index++) {
    char url[40];
    snprintf(url, sizeof url, "http://h/%d", index % 5);
    // Once it is closed each is told so here.
    livery_fetch_start(starter->store, url, NULL, note_fetch, &starter->told[index], note_end, NULL);
  }
  return NULL;
}

TEST("those that are started while the store is closed are told as well", while_starting) {
  for (int round = 0; round < ROUNDS / 6; round++) {
    livery_store *store = open_with_threads();
    static told told[2][200];
    memset(told, 0, sizeof told);
    starter starters[2] = {{.store = store, .told = told[0]}, {.store = store, .told = told[1]}};
    for (int index = 0; index < 2; index++) EXPECT_INT(0, pthread_create(&starters[index].thread, NULL, start_many, &starters[index]));
    usleep((useconds_t)(round * 1777 % 9000));
    OK(livery_close(store));
    for (int index = 0; index < 2; index++) {
      pthread_join(starters[index].thread, NULL);
      expect_told(told[index], 200);
    }
  }
}

/** A port of the loopback at which nobody listens. */
static int free_port(void) {
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  bind(file, (struct sockaddr *)&address, sizeof address);
  getsockname(file, (struct sockaddr *)&address, &length);
  close(file);
  return ntohs(address.sin_port);
}

/** A server that speaks TLS with a certificate of its own; its process, or -1. */
static pid_t start_server(const char *folder, int port) {
  char command[900];
  snprintf(command, sizeof command,
           "cd %s && openssl req -x509 -newkey ed25519 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
           " -keyout key -out certificate >/dev/null 2>&1",
           folder);
  if (system(command) != 0) return -1;
  pid_t process = fork();
  if (process == 0) {
    int nothing = open("/dev/null", O_RDWR);
    for (int file = 0; file < 3; file++) dup2(nothing, file);
    snprintf(command, sizeof command, "cd %s && exec openssl s_server -accept 127.0.0.1:%d -key key -cert certificate -www", folder, port);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  return process;
}

TEST("a process may end while a server is being reached, and asked", ended) {
  enum { PROCESSES = 300, AT_ONCE = 8 };
  const char *folder = fresh_path();
  EXPECT_INT(0, mkdir(folder, 0755));
  int port = free_port();
  pid_t server = start_server(folder, port);
  if (server < 0) SKIP("openssl is not there");
  char url[64], certificate[400];
  snprintf(url, sizeof url, "https://127.0.0.1:%d/", port);
  snprintf(certificate, sizeof certificate, "%s/certificate", folder);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.ca_file = certificate;
  fflush(NULL);
  for (int begun = 0; begun < PROCESSES + AT_ONCE; begun++) {
    if (begun >= AT_ONCE) {
      int status = 0;
      pid_t child;
      while ((child = waitpid(-1, &status, 0)) == server) {
      }
      EXPECT(child > 0);
      EXPECT_INT(0, status);
    }
    if (begun >= PROCESSES || fork() != 0) continue;
    livery_open_options in_memory = LIVERY_OPEN_OPTIONS_INIT;
    in_memory.flags = LIVERY_OPEN_MEMORY | LIVERY_OPEN_CREATE;
    livery_store *store = NULL;
    static told told;
    if (livery_open("", &in_memory, &store) != LIVERY_OK) _exit(1);
    if (livery_fetch_start(store, url, &options, note_fetch, &told, NULL, NULL) != LIVERY_OK) _exit(2);
    usleep((useconds_t)(begun * 37 % 4000));
    exit(0);
  }
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
}

// A mosquitto of the test's own, on a free port of the loopback; and what plays a broker that is none.
#ifndef MOSQUITTO_H
#define MOSQUITTO_H

#include "check.h"

#include <arpa/inet.h>
#include <cmosquitto.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>

typedef struct mosquitto_server {
  pid_t process;
  int port;
  char folder[320], url[64];
} mosquitto_server;

static int free_port(void) {
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  bind(file, (struct sockaddr *)&address, sizeof address);
  getsockname(file, (struct sockaddr *)&address, &length);
  close(file);
  return ntohs(address.sin_port);
}

static bool answers(int port) {
  int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {
    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
  bool answer = connect(file, (struct sockaddr *)&address, sizeof address) == 0;
  close(file);
  return answer;
}

static void pause_ms(int milliseconds) { usleep((useconds_t)milliseconds * 1000); }

/** Starts what was prepared; false, with a failure, if it does not come up. */
__attribute__((unused)) static bool server_start(mosquitto_server *server) {
  char configuration[400];
  snprintf(configuration, sizeof configuration, "%s/mosquitto.conf", server->folder);
  server->process = fork();
  if (server->process == 0) {
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, 1);
    dup2(nothing, 2);
    setenv("PATH", "/usr/sbin:/usr/bin:/bin", 1);
    execlp("mosquitto", "mosquitto", "-c", configuration, (char *)NULL);
    _exit(127);
  }
  for (int turn = 0; turn < 3000; turn++) {
    if (answers(server->port)) return true;
    if (waitpid(server->process, NULL, WNOHANG) == server->process) break;
    pause_ms(10);
  }
  check_fail(__FILE__, __LINE__, "mosquitto does not start with %s", configuration);
  return false;
}

__attribute__((unused)) static void server_kill(mosquitto_server *server) {
  kill(server->process, SIGKILL);
  waitpid(server->process, NULL, 0);
}

/** `more` are lines of its configuration. */
__attribute__((unused)) static bool server_open(mosquitto_server *server, const char *scheme, const char *more) {
  if (!server->folder[0]) {
    snprintf(server->folder, sizeof server->folder, "%s", fresh_path());
    if (mkdir(server->folder, 0755) != 0) return false;
  }
  server->port = free_port();
  snprintf(server->url, sizeof server->url, "%s://127.0.0.1:%d", scheme, server->port);
  char path[400];
  snprintf(path, sizeof path, "%s/mosquitto.conf", server->folder);
  FILE *file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "listener %d 127.0.0.1\npersistence true\npersistence_location %s/\nautosave_interval 1\nuser root\n%s\n", server->port,
          server->folder, more);
  fclose(file);
  return server_start(server);
}

/** Waits until the condition holds; a failure where it does not within a minute, as when it never will. */
#define EVENTUALLY(condition)                                                                                          \
  do {                                                                                                                 \
    int eventually_turn = 0;                                                                                           \
    while (!(condition) && eventually_turn++ < 6000) pause_ms(10);                                                     \
    if (eventually_turn > 6000) check_fail(__FILE__, __LINE__, "never: %s", #condition);                               \
  } while (0)

/** What a client heard. */
typedef struct heard {
  pthread_mutex_t lock;
  int count, states;
  char topic[LVB_TOPIC_MAX + 1], payload[LVB_PAYLOAD_MAX + 1], reason[160];
  lvb_state state;
  lvb_broker *to_close;
} heard;

static void hear(void *context, const char *topic, const uint8_t *payload, size_t length) {
  heard *h = context;
  pthread_mutex_lock(&h->lock);
  h->count++;
  snprintf(h->topic, sizeof h->topic, "%s", topic);
  snprintf(h->payload, sizeof h->payload, "%.*s", (int)length, (const char *)payload);
  lvb_broker *closed = h->to_close;
  h->to_close = NULL;
  pthread_mutex_unlock(&h->lock);
  lvb_close(closed);
}

static void note_state(void *context, lvb_state state, const char *reason) {
  heard *h = context;
  pthread_mutex_lock(&h->lock);
  h->states++;
  h->state = state;
  snprintf(h->reason, sizeof h->reason, "%s", reason);
  pthread_mutex_unlock(&h->lock);
}

__attribute__((unused)) static bool heard_last(heard *h, const char *payload) {
  pthread_mutex_lock(&h->lock);
  bool answer = strcmp(h->payload, payload) == 0;
  pthread_mutex_unlock(&h->lock);
  return answer;
}

__attribute__((unused)) static int heard_count(heard *h) {
  pthread_mutex_lock(&h->lock);
  int answer = h->count;
  pthread_mutex_unlock(&h->lock);
  return answer;
}

static lvb_facts facts_of(lvb_broker *broker) {
  lvb_facts facts;
  lvb_look(broker, &facts);
  return facts;
}

#define HEARD {.lock = PTHREAD_MUTEX_INITIALIZER}

/** A client that comes back soon. */
__attribute__((unused)) static lvb_broker *client(const char *url, heard *h) {
  lvb_options options = {.url = url, .spread = 100, .message = hear, .changed = note_state, .context = h};
  lvb_broker *broker = NULL;
  OK(lvb_open(&options, &broker));
  return broker;
}

__attribute__((unused)) static void subscribe_to(lvb_broker *broker, const char *topic) { OK(lvb_subscribe(broker, &topic, 1)); }

#endif

#define _GNU_SOURCE
#include "broker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  // How long a broker may take to accept a client, in milliseconds.
  ACCEPTED_WITHIN = 20000,
  // The bytes of which nothing was made when a broker is held to be none.
  IDLE_TALK_MAX = 256 * 1024,
  // The bytes that are on their way to it at most.
  RECEIVED_AT_ONCE = 8 * 1024,
  // Messages a second: those after them stay with the broker.
  MESSAGES_MAX = 1000,
  PASSWORD_MAX = 256,
  SHORTEST_WAIT = 50,
  DOUBLINGS_MAX = 3,
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static bool is_closing(lvb_broker *broker) {
  pthread_mutex_lock(&broker->lock);
  bool answer = broker->is_closing;
  pthread_mutex_unlock(&broker->lock);
  return answer;
}

// Says why; what is said first of a connection counts.
__attribute__((format(printf, 2, 3))) static void say(lvb_broker *broker, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  pthread_mutex_lock(&broker->lock);
  if (!broker->has_said) vsnprintf(broker->facts.reason, sizeof broker->facts.reason, format, arguments);
  broker->has_said = true;
  pthread_mutex_unlock(&broker->lock);
  va_end(arguments);
}

static void enter(lvb_broker *broker, lvb_state state) {
  char reason[sizeof broker->facts.reason];
  pthread_mutex_lock(&broker->lock);
  bool is_new_state = broker->facts.state != state;
  broker->facts.state = state;
  if (state == LVB_CONNECTED) {
    broker->facts.reason[0] = 0;
    if (is_new_state) broker->facts.connections++;
  }
  bool is_news = is_new_state || strcmp(broker->told_reason, broker->facts.reason) != 0;
  memcpy(reason, broker->facts.reason, sizeof reason);
  memcpy(broker->told_reason, reason, sizeof reason);
  bool is_told = is_news && !broker->is_closing && broker->options.changed;
  pthread_mutex_unlock(&broker->lock);
  if (is_told) broker->options.changed(broker->options.context, state, reason);
}

// What the socket has received; 0 where the system does not say.
static uint64_t received(lvb_broker *broker) {
  struct tcp_info info = {0};
  socklen_t length = sizeof info;
  if (getsockopt(broker->mqtt->socket(broker->client), IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return length >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received ? info.tcpi_bytes_received : 0;
}

// What libmosquitto calls while it reads.

static void on_connect(struct mosquitto *client, void *context, int code) {
  lvb_broker *broker = context;
  (void)client;
  broker->received = received(broker);
  if (code == 0) {
    broker->is_accepted = true;
  } else {
    say(broker, "the broker refuses the client: %s", broker->mqtt->connack_string(code));
    broker->is_lost = true;
  }
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
  lvb_broker *broker = context;
  (void)client;
  broker->received = received(broker);
  broker->in_second++;
  bool is_hint = message->payloadlen >= 0 && message->payloadlen <= LVB_PAYLOAD_MAX && strlen(message->topic) <= LVB_TOPIC_MAX;
  pthread_mutex_lock(&broker->lock);
  bool is_told = is_hint && !broker->is_closing && broker->options.message;
  if (is_told) broker->facts.messages++;
  else broker->facts.ignored++;
  pthread_mutex_unlock(&broker->lock);
  if (!is_told) return;
  static const uint8_t nothing[1];
  const uint8_t *payload = message->payloadlen > 0 ? message->payload : nothing;
  broker->options.message(broker->options.context, message->topic, payload, (size_t)message->payloadlen);
}

static void on_publish(struct mosquitto *client, void *context, int id) {
  lvb_broker *broker = context;
  (void)client;
  broker->received = received(broker);
  pthread_mutex_lock(&broker->lock);
  lvb_pending_acknowledged(broker->pending, id);
  broker->facts.pending = broker->pending->count;
  if (broker->pending->count == 0) pthread_cond_broadcast(&broker->changed);
  pthread_mutex_unlock(&broker->lock);
}

static void on_subscribe(struct mosquitto *client, void *context, int id, int count, const int *granted) {
  lvb_broker *broker = context;
  (void)client;
  (void)id;
  broker->received = received(broker);
  for (int index = 0; index < count; index++)
    if (granted[index] > 2) {
      pthread_mutex_lock(&broker->lock);
      snprintf(broker->facts.reason, sizeof broker->facts.reason, "the broker refuses a subscription");
      pthread_mutex_unlock(&broker->lock);
      return;
    }
}

// The first line; false, and said why, if there is none.
static bool read_password(lvb_broker *broker, char password[PASSWORD_MAX + 2]) {
  int file = open(broker->password_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t length = file < 0 ? -1 : read(file, password, PASSWORD_MAX + 1);
  int code = errno;
  if (file >= 0) close(file);
  if (length < 0) {
    say(broker, "the password file cannot be read: %s: %s", strerror(code), broker->password_file);
    return false;
  }
  password[length] = 0;
  password[strcspn(password, "\r\n")] = 0;
  if (strlen(password) <= PASSWORD_MAX) return true;
  say(broker, "the first line of the password file is too long: %s", broker->password_file);
  return false;
}

static bool set_up(lvb_broker *broker) {
  const lvb_functions *mqtt = broker->mqtt;
  struct mosquitto *client = broker->client;
  mqtt->connect_callback_set(client, on_connect);
  mqtt->message_callback_set(client, on_message);
  mqtt->publish_callback_set(client, on_publish);
  mqtt->subscribe_callback_set(client, on_subscribe);
  mqtt->int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  if (broker->user) {
    char password[PASSWORD_MAX + 2] = "";
    if (broker->password_file && !read_password(broker, password)) return false;
    int code = mqtt->username_pw_set(client, broker->user, broker->password_file ? password : NULL);
    explicit_bzero(password, sizeof password);
    if (code != MOSQ_ERR_SUCCESS) {
      say(broker, "user and password: %s", mqtt->strerror(code));
      return false;
    }
  }
  if (!broker->address.is_secure) return true;
  int code = broker->ca_file ? mqtt->tls_set(client, broker->ca_file, NULL, NULL, NULL, NULL)
                             : mqtt->int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1);
  if (code == MOSQ_ERR_SUCCESS) return true;
  if (broker->ca_file) say(broker, "the CA file cannot be read, or has no certificates: %s", broker->ca_file);
  else say(broker, "TLS: %s", mqtt->strerror(code));
  return false;
}

static void say_lost(lvb_broker *broker, int code, int error) {
  if (code == MOSQ_ERR_ERRNO) say(broker, "%s", strerror(error));
  else if (code == MOSQ_ERR_TLS && broker->is_accepted) say(broker, "the connection was lost");
  else if (code == MOSQ_ERR_TLS) say(broker, "the broker's certificate is not trusted, or it does not speak TLS");
  else if (code == MOSQ_ERR_EAI) say(broker, "the host %s is not known", broker->address.host);
  else say(broker, "%s", broker->mqtt->strerror(code));
}

// Whether it is reached; then all goes on without waiting.
static bool reach(lvb_broker *broker) {
  pthread_mutex_lock(&broker->lock);
  bool is_wanted = !broker->is_closing;
  broker->is_reaching = is_wanted;
  broker->facts.attempts += is_wanted;
  pthread_mutex_unlock(&broker->lock);
  if (!is_wanted) return false;
  errno = 0;
  int code = broker->mqtt->connect(broker->client, broker->address.host, broker->address.port, (int)broker->options.keep_alive);
  int error = errno;
  pthread_mutex_lock(&broker->lock);
  broker->is_reaching = false;
  is_wanted = !broker->is_closing;
  pthread_mutex_unlock(&broker->lock);
  if (code != MOSQ_ERR_SUCCESS) {
    say_lost(broker, code, error);
    return false;
  }
  // libmosquitto reads a message as long as there is something of it: whoever sends without end has to wait for it more often than
  // that, and is found out in between.
  int size = RECEIVED_AT_ONCE;
  setsockopt(broker->mqtt->socket(broker->client), SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  setsockopt(broker->mqtt->socket(broker->client), IPPROTO_TCP, TCP_WINDOW_CLAMP, &size, sizeof size);
  return is_wanted;
}

// Of the topics that are wanted those that are new, and none that are not wanted any more.
static int subscribe(lvb_broker *broker) {
  pthread_mutex_lock(&broker->lock);
  lvb_topics wanted = {0}, *now_wanted = &broker->wanted;
  bool is_whole = true;
  if (broker->has_new_topics) {
    wanted.names = calloc(now_wanted->count + 1, sizeof *wanted.names);
    for (size_t index = 0; wanted.names && index < now_wanted->count; index++) {
      wanted.names[wanted.count] = strdup(now_wanted->names[index]);
      if (wanted.names[wanted.count]) wanted.count++;
      else is_whole = false;
    }
  }
  bool is_new = broker->has_new_topics && wanted.names;
  if (is_new) broker->has_new_topics = !is_whole;
  pthread_mutex_unlock(&broker->lock);
  if (!is_new) return MOSQ_ERR_SUCCESS;
  lvb_topics *former = &broker->subscribed;
  char *added[LVB_TOPICS_MAX], *removed[LVB_TOPICS_MAX];
  int added_count = 0, removed_count = 0, code = MOSQ_ERR_SUCCESS;
  for (size_t index = 0; index < wanted.count; index++)
    if (!lvb_topics_contain(former, wanted.names[index])) added[added_count++] = wanted.names[index];
  for (size_t index = 0; index < former->count; index++)
    if (!lvb_topics_contain(&wanted, former->names[index])) removed[removed_count++] = former->names[index];
  if (removed_count) code = broker->mqtt->unsubscribe_multiple(broker->client, NULL, removed_count, removed, NULL);
  if (code == MOSQ_ERR_SUCCESS && added_count)
    code = broker->mqtt->subscribe_multiple(broker->client, NULL, added_count, added, 1, 0, NULL);
  lvb_topics_free(former);
  *former = wanted;
  return code;
}

static int send_pending(lvb_broker *broker) {
  for (;;) {
    uint8_t payload[LVB_PAYLOAD_MAX];
    size_t length = 0;
    pthread_mutex_lock(&broker->lock);
    const lvb_message *message = lvb_pending_take(broker->pending, payload, &length);
    pthread_mutex_unlock(&broker->lock);
    if (!message) return MOSQ_ERR_SUCCESS;
    int id = 0, code = broker->mqtt->publish(broker->client, &id, message->topic, (int)length, payload, 1, true);
    if (code != MOSQ_ERR_SUCCESS) return code;
    pthread_mutex_lock(&broker->lock);
    lvb_pending_sent(broker->pending, id);
    pthread_mutex_unlock(&broker->lock);
  }
}

// Waits until there is something to be done, at most so many milliseconds, 0 or more.
static short wait_for(lvb_broker *broker, int socket, short events, int64_t milliseconds) {
  struct pollfd files[2] = {{.fd = broker->wake, .events = POLLIN}, {.fd = socket, .events = events}};
  poll(files, socket < 0 ? 1 : 2, (int)milliseconds);
  if (files[0].revents) {
    uint64_t count;
    ssize_t length = read(broker->wake, &count, sizeof count);
    (void)length;
  }
  return files[1].revents;
}

// One turn of an open connection; a code of libmosquitto.
static int turn(lvb_broker *broker, int64_t began) {
  const lvb_functions *mqtt = broker->mqtt;
  int code = MOSQ_ERR_SUCCESS;
  if (broker->is_accepted) code = subscribe(broker);
  if (broker->is_accepted && code == MOSQ_ERR_SUCCESS) code = send_pending(broker);
  if (code != MOSQ_ERR_SUCCESS) return code;
  int socket = mqtt->socket(broker->client);
  if (socket < 0) return MOSQ_ERR_CONN_LOST;
  int64_t moment = now(), wait = broker->options.keep_alive * 250;
  if (!broker->is_accepted) {
    wait = began + ACCEPTED_WITHIN - moment;
    if (wait <= 0) {
      say(broker, "the broker does not answer");
      return MOSQ_ERR_CONN_LOST;
    }
  }
  if (moment / 1000 != broker->second) {
    broker->second = moment / 1000;
    broker->in_second = 0;
  }
  // In the middle of a message no answer to a ping comes, and the connection ends: few windows make up a message.
  if (moment - broker->window >= broker->options.keep_alive * 1000) {
    broker->window = moment;
    broker->received = received(broker);
  }
  short events = POLLIN;
  if (broker->in_second >= MESSAGES_MAX) {
    events = 0;
    wait = 1000 - moment % 1000;
  }
  if (mqtt->want_write(broker->client)) events |= POLLOUT;
  short found = wait_for(broker, socket, events, wait);
  if (is_closing(broker)) return MOSQ_ERR_SUCCESS;
  if (found & POLLOUT) code = mqtt->loop_write(broker->client, 1);
  if (code == MOSQ_ERR_SUCCESS && (found & (POLLIN | POLLERR | POLLHUP))) {
    code = mqtt->loop_read(broker->client, 1);
    if (code == MOSQ_ERR_SUCCESS && mqtt->socket(broker->client) >= 0 && received(broker) > broker->received + IDLE_TALK_MAX) {
      say(broker, "the broker sends what is no hint");
      return MOSQ_ERR_CONN_LOST;
    }
  }
  if (code == MOSQ_ERR_SUCCESS) code = mqtt->loop_misc(broker->client);
  return code;
}

// One connection, from the attempt to its end.
static void connect_once(lvb_broker *broker) {
  broker->is_accepted = broker->is_lost = broker->has_said = false;
  broker->received = 0;
  broker->window = now();
  errno = 0;
  broker->client = broker->mqtt->new(broker->client_id, true, broker);
  if (!broker->client) {
    say(broker, "there is no memory for a connection");
    return;
  }
  int64_t began = now();
  if (set_up(broker) && reach(broker)) {
    int code = MOSQ_ERR_SUCCESS;
    bool was_accepted = false;
    while (code == MOSQ_ERR_SUCCESS && !broker->is_lost && !is_closing(broker)) {
      errno = 0;
      code = turn(broker, began);
      int error = errno;
      if (broker->is_accepted && !was_accepted) {
        was_accepted = true;
        enter(broker, LVB_CONNECTED);
      }
      if (code != MOSQ_ERR_SUCCESS) say_lost(broker, code, error);
    }
    if (broker->is_accepted && code == MOSQ_ERR_SUCCESS) broker->mqtt->disconnect(broker->client);
  }
  broker->mqtt->destroy(broker->client);
  broker->client = NULL;
  lvb_topics_free(&broker->subscribed);
  pthread_mutex_lock(&broker->lock);
  broker->has_new_topics = true;
  lvb_pending_lost(broker->pending);
  pthread_mutex_unlock(&broker->lock);
}

static uint64_t chance(uint64_t below) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) number = (uint64_t)now() * 0x9E3779B97F4A7C15u;
  return number % below;
}

// Clients that lost the same broker come back one after another. All have lost it at once: the next attempt is drawn from the
// whole of the spread. Those after failures come about as long after each other as it is, so that clients stay as far apart as they
// were drawn, however long it takes.
typedef struct pace {
  bool is_drawn;
  // Connections one after another that were lost within a quarter of the spread, and attempts that failed since.
  int short_lived, failed;
} pace;

static int64_t next_wait(pace *pace, uint64_t spread, bool was_connected, int64_t lasted) {
  if (was_connected) {
    pace->failed = 0;
    pace->short_lived = lasted >= (int64_t)spread / 4 ? 0 : pace->short_lived < DOUBLINGS_MAX ? pace->short_lived + 1 : DOUBLINGS_MAX;
  }
  if (was_connected || !pace->is_drawn) {
    pace->is_drawn = true;
    return SHORTEST_WAIT + (int64_t)chance(spread << pace->short_lived);
  }
  uint64_t period = spread << pace->failed;
  if (pace->failed < DOUBLINGS_MAX) pace->failed++;
  return SHORTEST_WAIT + (int64_t)(period - period / 10 + chance(period / 5 + 1));
}

void *lvb_run(void *argument) {
  lvb_broker *broker = argument;
  pthread_setname_np(pthread_self(), "livery-mqtt");
  pace pace = {0};
  while (!is_closing(broker)) {
    int64_t began = now();
    connect_once(broker);
    if (is_closing(broker)) break;
    enter(broker, LVB_WAITING);
    int64_t until = now() + next_wait(&pace, broker->options.spread, broker->is_accepted, now() - began);
    for (int64_t moment; (moment = now()) < until && !is_closing(broker);) wait_for(broker, -1, 0, until - moment);
  }
  pthread_mutex_lock(&broker->lock);
  bool is_left = broker->is_left;
  broker->has_ended = true;
  pthread_cond_broadcast(&broker->changed);
  pthread_mutex_unlock(&broker->lock);
  if (is_left) lvb_free(broker);
  return NULL;
}

#define _GNU_SOURCE
#include "broker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static livery_status leave(livery_status status, const char *message) {
  livery_error_leave(status, message);
  return status;
}

static livery_status no_memory(void) { return leave(LIVERY_ERROR_NO_MEMORY, "there is no memory for a connection to the broker"); }

static livery_status invalid(const char *message) {
  char whole[200];
  snprintf(whole, sizeof whole, "the broker: %s", message);
  return leave(LIVERY_ERROR_INVALID_ARGUMENT, whole);
}

// A forked child has the memory and not the thread.
static bool is_here(const lvb_broker *broker) { return broker && broker->process == getpid(); }

static livery_status closed(void) { return leave(LIVERY_ERROR_CLOSED, "the connection to the broker is another process's"); }

void lvb_topics_free(lvb_topics *topics) {
  for (size_t index = 0; index < topics->count; index++) free(topics->names[index]);
  free(topics->names);
  *topics = (lvb_topics){0};
}

bool lvb_topics_contain(const lvb_topics *topics, const char *name) {
  for (size_t index = 0; index < topics->count; index++)
    if (strcmp(topics->names[index], name) == 0) return true;
  return false;
}

void lvb_free(lvb_broker *broker) {
  lvb_topics_free(&broker->wanted);
  lvb_topics_free(&broker->subscribed);
  if (broker->pending) lvb_pending_free(broker->pending);
  if (broker->wake >= 0) close(broker->wake);
  free(broker->user);
  free(broker->password_file);
  free(broker->ca_file);
  free(broker->client_id);
  pthread_cond_destroy(&broker->changed);
  pthread_mutex_destroy(&broker->lock);
  free(broker);
}

static void wake(const lvb_broker *broker) {
  uint64_t one = 1;
  ssize_t written = write(broker->wake, &one, sizeof one);
  (void)written;
}

static const char *find_wrong(const lvb_options *options, lvb_address *address) {
  const char *problem = lvb_address_read(options->url, address);
  if (problem) return problem;
  if (options->keep_alive && (options->keep_alive < 5 || options->keep_alive > 3600)) return "keep_alive is not 5 to 3600 seconds";
  if (options->spread > 3600 * 1000) return "spread is more than an hour";
  if (options->ca_file && !address->is_secure) return "a CA file is of use with mqtts:// alone";
  if (options->password_file && !options->user) return "a password goes with a user";
  if (options->client_id && (!options->client_id[0] || strlen(options->client_id) > 64)) return "client_id is not 1 to 64 bytes";
  if (options->user && (!options->user[0] || strlen(options->user) > 256)) return "user is not 1 to 256 bytes";
  return NULL;
}

const char *lvb_wrong(const lvb_options *options) {
  lvb_address address;
  return find_wrong(options, &address);
}

static char *copy(const char *text, bool *is_good) {
  if (!text) return NULL;
  char *made = strdup(text);
  *is_good = *is_good && made;
  return made;
}

static bool start(lvb_broker *broker) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  sigset_t all, before;
  sigfillset(&all);
  // Also what is sent when the broker has closed its end.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool is_started = pthread_create(&broker->thread, &attributes, lvb_run, broker) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return is_started;
}

livery_status lvb_open(const lvb_options *options, lvb_broker **opened) {
  if (!options || !opened) return invalid("options and a place for it are wanted");
  lvb_address address;
  const char *problem = find_wrong(options, &address);
  if (problem) return invalid(problem);
  const lvb_functions *mqtt = lvb_library();
  if (!mqtt) return LIVERY_ERROR_UNAVAILABLE;
  lvb_broker *broker = calloc(1, sizeof *broker);
  if (!broker) return no_memory();
  bool is_good = true;
  char drawn[32];
  if (!options->client_id) {
    uint64_t number[2] = {0};
    ssize_t length = getrandom(number, sizeof number, 0);
    (void)length;
    snprintf(drawn, sizeof drawn, "livery-%016llx", (unsigned long long)(number[0] ^ number[1]));
  }
  broker->mqtt = mqtt;
  broker->address = address;
  broker->options = *options;
  broker->user = copy(options->user, &is_good);
  broker->password_file = copy(options->password_file, &is_good);
  broker->ca_file = copy(options->ca_file, &is_good);
  broker->client_id = copy(options->client_id ? options->client_id : drawn, &is_good);
  broker->process = getpid();
  broker->pending = lvb_pending_make();
  broker->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  pthread_mutex_init(&broker->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&broker->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  if (!options->keep_alive) broker->options.keep_alive = 60;
  if (!options->spread) broker->options.spread = 20000;
  if (!is_good || !broker->pending) {
    lvb_free(broker);
    return no_memory();
  }
  if (broker->wake < 0 || !start(broker)) {
    lvb_free(broker);
    return leave(LIVERY_ERROR_BUSY, "no thread for the connection to the broker can be had");
  }
  *opened = broker;
  return LIVERY_OK;
}

livery_status lvb_subscribe(lvb_broker *broker, const char *const *topics, size_t count) {
  if (!is_here(broker)) return closed();
  if (count > LVB_TOPICS_MAX || (count > 0 && !topics)) return invalid("too many topics");
  lvb_topics made = {0};
  made.names = calloc(count + 1, sizeof *made.names);
  if (!made.names) return no_memory();
  for (size_t index = 0; index < count; index++) {
    const char *topic = topics[index];
    size_t length = topic ? strnlen(topic, LVB_TOPIC_MAX + 1) : 0;
    bool is_right = length > 0 && length <= LVB_TOPIC_MAX && broker->mqtt->sub_topic_check(topic) == MOSQ_ERR_SUCCESS
                    && broker->mqtt->validate_utf8(topic, (int)length) == MOSQ_ERR_SUCCESS;
    if (is_right && lvb_topics_contain(&made, topic)) continue;
    if (!is_right || !(made.names[made.count] = strdup(topic))) {
      lvb_topics_free(&made);
      return is_right ? no_memory() : invalid("a topic is empty, too long or none");
    }
    made.count++;
  }
  pthread_mutex_lock(&broker->lock);
  lvb_topics former = broker->wanted;
  broker->wanted = made;
  broker->has_new_topics = true;
  pthread_mutex_unlock(&broker->lock);
  lvb_topics_free(&former);
  wake(broker);
  return LIVERY_OK;
}

livery_status lvb_publish(lvb_broker *broker, const char *topic, const void *payload, size_t length) {
  if (!is_here(broker)) return closed();
  size_t topic_length = topic ? strnlen(topic, LVB_TOPIC_MAX + 1) : 0;
  if (topic_length == 0 || topic_length > LVB_TOPIC_MAX || broker->mqtt->pub_topic_check(topic) != MOSQ_ERR_SUCCESS
      || broker->mqtt->validate_utf8(topic, (int)topic_length) != MOSQ_ERR_SUCCESS)
    return invalid("a topic is empty, too long or none");
  if (length > LVB_PAYLOAD_MAX || (length > 0 && !payload)) return invalid("a message is too long");
  pthread_mutex_lock(&broker->lock);
  livery_status status = lvb_pending_add(broker->pending, topic, payload, length);
  broker->facts.pending = broker->pending->count;
  pthread_mutex_unlock(&broker->lock);
  if (status == LIVERY_ERROR_BUSY) return leave(status, "the broker: too many messages wait for it");
  if (status != LIVERY_OK) return no_memory();
  wake(broker);
  return LIVERY_OK;
}

livery_status lvb_flush(lvb_broker *broker, uint32_t milliseconds) {
  if (!is_here(broker)) return closed();
  if (pthread_equal(pthread_self(), broker->thread))
    return leave(LIVERY_ERROR_BUSY, "the thread that acknowledges cannot wait for it");
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  char reason[sizeof broker->facts.reason];
  pthread_mutex_lock(&broker->lock);
  int waited = 0;
  while (broker->pending->count > 0 && waited != ETIMEDOUT) waited = pthread_cond_timedwait(&broker->changed, &broker->lock, &until);
  bool is_done = broker->pending->count == 0;
  memcpy(reason, broker->facts.reason, sizeof reason);
  pthread_mutex_unlock(&broker->lock);
  if (is_done) return LIVERY_OK;
  char message[300];
  snprintf(message, sizeof message, "the broker has not acknowledged everything yet%s%s", reason[0] ? ": " : "", reason);
  return leave(LIVERY_ERROR_TIMEOUT, message);
}

void lvb_look(lvb_broker *broker, lvb_facts *facts) {
  *facts = (lvb_facts){.state = LVB_WAITING};
  if (!is_here(broker)) return;
  pthread_mutex_lock(&broker->lock);
  *facts = broker->facts;
  pthread_mutex_unlock(&broker->lock);
}

void lvb_close(lvb_broker *broker) {
  if (!is_here(broker)) return;
  pthread_t thread = broker->thread;
  bool is_own = pthread_equal(pthread_self(), thread);
  pthread_mutex_lock(&broker->lock);
  broker->is_closing = true;
  wake(broker);
  // Looking up a host and reaching it may take minutes, and calls nobody.
  while (!is_own && !broker->has_ended && !broker->is_reaching) pthread_cond_wait(&broker->changed, &broker->lock);
  bool has_ended = broker->has_ended;
  broker->is_left = !has_ended;
  pthread_mutex_unlock(&broker->lock);
  if (has_ended) {
    pthread_join(thread, NULL);
    lvb_free(broker);
  } else {
    pthread_detach(thread);
  }
}

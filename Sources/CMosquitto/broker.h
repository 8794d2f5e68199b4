// What a connection is made of; broker.c has what callers call, connection.c what its thread does.
#ifndef CMOSQUITTO_BROKER_H
#define CMOSQUITTO_BROKER_H

#include "address.h"
#include "library.h"
#include "pending.h"

#include <pthread.h>
#include <sys/types.h>

typedef struct lvb_topics {
  size_t count;
  char **names;
} lvb_topics;

struct lvb_broker {
  const lvb_functions *mqtt;
  lvb_address address;
  lvb_options options;
  char *user, *password_file, *ca_file, *client_id;
  pid_t process;
  pthread_t thread;
  // Readable when there is something to be done.
  int wake;

  // Guards what follows.
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool is_closing, has_ended, is_reaching;
  // Nobody waits for the thread: it lets go of everything itself.
  bool is_left;
  lvb_facts facts;
  lvb_topics wanted;
  bool has_new_topics;
  lvb_pending *pending;

  // The thread's own.
  struct mosquitto *client;
  lvb_topics subscribed;
  bool is_accepted, is_lost, has_said;
  // The reason that `changed` was called with last.
  char told_reason[sizeof((lvb_facts *)0)->reason];
  // Bytes received by the socket when something was last made of them, or when the window began.
  uint64_t received;
  int64_t window;
  // Messages in this second of the clock.
  int64_t second;
  uint32_t in_second;
};

// The thread.
void *lvb_run(void *broker);

void lvb_topics_free(lvb_topics *topics);
bool lvb_topics_contain(const lvb_topics *topics, const char *name);
void lvb_free(lvb_broker *broker);

#endif

// One connection to a broker of MQTT 3.1.1, by libmosquitto, which the first one loads: hints come by it, and go.
//
// A connection has a thread of its own, which connects, stays connected as long as that is wanted, and calls the functions
// of its options. All functions may be called on any thread and by the functions of the options. A forked child has no
// connection: there they answer LIVERY_ERROR_CLOSED, and lvb_close() does nothing.
#ifndef CMOSQUITTO_H
#define CMOSQUITTO_H

#include <livery/base.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  // Bytes of a message's content: what is longer is nobody's hint, and passed over.
  LVB_PAYLOAD_MAX = 64,
  // Bytes of a topic, and how many may be subscribed to.
  LVB_TOPIC_MAX = 200,
  LVB_TOPICS_MAX = 256,
  // How many messages wait for the broker.
  LVB_PENDING_MAX = 100000,
};

typedef struct lvb_broker lvb_broker;

typedef enum lvb_state {
  // The first attempt is under way.
  LVB_CONNECTING,
  LVB_CONNECTED,
  // There is no connection, and another attempt comes by itself.
  LVB_WAITING,
} lvb_state;

typedef struct lvb_options {
  // `mqtt://host`, `mqtts://host`, with `:port` if it is another than 1883 and 8883; a host may be `[::1]`.
  const char *url;
  // NULL for none. The password is the first line of the file, which each attempt reads.
  const char *user, *password_file;
  // Whom to trust, in PEM; NULL for those whom the system trusts. With `mqtts` alone.
  const char *ca_file;
  // 1 to 64 bytes; the broker ends a connection when another one comes with the same. NULL for one by chance.
  const char *client_id;
  // Seconds after which silence is broken, 5 to 3,600; 0 for 60.
  uint32_t keep_alive;
  // Milliseconds among which the first attempt after a loss is drawn by chance; 0 for 20,000. They are more, up to eight times, after
  // a connection that lasted less than a quarter of it. After a failure the next attempt comes after as many, give or take a tenth, then after
  // twice as many, up to eight times: so the clients of a broker that is started again come one after another.
  uint32_t spread;
  // Called for each message of the topics that are subscribed to, retained ones as well. What is handed over is valid
  // during the call, and may be anything: anybody may send. The topic ends with NUL, the content does not.
  void (*message)(void *context, const char *topic, const uint8_t *payload, size_t length);
  // Called after each change of the state, or of why there is no connection: "" for nothing. Both may be NULL.
  void (*changed)(void *context, lvb_state state, const char *reason);
  void *context;
} lvb_options;

typedef struct lvb_facts {
  lvb_state state;
  // Why there is no connection, or what the broker refuses; "" for nothing.
  char reason[160];
  // Since it was opened: attempts, those that became connections, messages handed over and passed over.
  uint64_t attempts, connections, messages, ignored;
  // Messages that the broker has not acknowledged yet.
  size_t pending;
} lvb_facts;

// What is wrong with options, such as the URL; NULL for nothing. Nothing is loaded, and nobody asked.
const char *lvb_wrong(const lvb_options *options);

// Begins to connect. LIVERY_ERROR_INVALID_ARGUMENT: an option is not what it should be; LIVERY_ERROR_UNAVAILABLE: libmosquitto
// cannot be loaded; LIVERY_ERROR_NO_MEMORY; LIVERY_ERROR_BUSY: no thread can be had. livery_last_error() has more. A broker
// that cannot be reached is none: it may be there later.
livery_status lvb_open(const lvb_options *options, lvb_broker **broker);

// Has these topics in place of those before, now and after each loss. LIVERY_ERROR_INVALID_ARGUMENT: too many, too long, empty.
livery_status lvb_subscribe(lvb_broker *broker, const char *const *topics, size_t count);

// Has the broker keep a message as the topic's retained one. It is sent until the broker acknowledges it, unless a later
// one for the same topic takes its place. LIVERY_ERROR_BUSY: LVB_PENDING_MAX wait already.
livery_status lvb_publish(lvb_broker *broker, const char *topic, const void *payload, size_t length);

// Waits until all that was published is acknowledged. LIVERY_ERROR_TIMEOUT: it was not within the milliseconds, and is sent on;
// LIVERY_ERROR_BUSY: called by a function of the options.
livery_status lvb_flush(lvb_broker *broker, uint32_t milliseconds);

// What is so now.
void lvb_look(lvb_broker *broker, lvb_facts *facts);

// Ends the connection; what is not acknowledged is given up. Afterwards no function of the options runs, except the one that
// called this. NULL is passed over.
void lvb_close(lvb_broker *broker);

#endif

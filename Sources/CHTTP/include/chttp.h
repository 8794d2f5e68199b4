// What LiveryHTTP takes of libmicrohttpd, libsodium, zlib and libc.
#ifndef CHTTP_H
#define CHTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Sockets. Functions that give a descriptor give a negative errno where they fail.

// What such an errno means.
typedef enum lvh_failure { LVH_BUSY = 1, LVH_PERMISSION, LVH_NO_PLACE, LVH_IO } lvh_failure;
lvh_failure lvh_failure_of(int error);
const char *lvh_reason(int error);

enum {
  // The longest text of an address with its port, and NUL.
  LVH_ADDRESS_MAX = 80,
};

// An address of numbers with a port: "127.0.0.1:0", "[::1]:8080". Whether it is one.
typedef struct lvh_address {
  _Alignas(8) uint8_t bytes[128];
  uint32_t size;
  // Whether only this device reaches it, and whether it stands for every address of the device.
  bool is_loopback, is_any;
} lvh_address;
bool lvh_address_parse(const char *text, lvh_address *address);

int lvh_listen(const lvh_address *address);
// At a path, for this user alone. A socket there that nobody listens at any more is replaced.
int lvh_listen_at_path(const char *path);
// Removes the socket at a path, while it is still listened at: others do not replace one that answers.
void lvh_remove_socket(const char *path);
// The address of this side, as text; "" for a socket that has none. Whether only this device reaches it.
bool lvh_local_address(int descriptor, char text[LVH_ADDRESS_MAX]);
// The address of the other side, without a port; "" for a socket that has none.
void lvh_remote_address(int descriptor, char text[LVH_ADDRESS_MAX]);
uint16_t lvh_local_port(int descriptor);
// The address by which the device reaches others of the same family, without a port; "" where it has none.
void lvh_primary_address(const lvh_address *like, char text[LVH_ADDRESS_MAX]);
// Lets the system find out that the other side has vanished.
void lvh_keep_alive(int descriptor);
// Cuts a connection; whoever reads from it sees its end.
void lvh_cut(int descriptor);
void lvh_close(int descriptor);

// Waiting: for the other side of connections to hang up, for a moment, and for being woken.

typedef struct lvh_poller lvh_poller;
lvh_poller *lvh_poller_make(void);
void lvh_poller_free(lvh_poller *poller);
void lvh_poller_wake(lvh_poller *poller);
// Tells of `number`, once, when the other side of a connection has hung up.
bool lvh_poller_watch(lvh_poller *poller, int descriptor, uint64_t number);
// Waits for so many milliseconds, for ever if they are negative. How many numbers there are.
int lvh_poller_wait(lvh_poller *poller, int64_t milliseconds, uint64_t *numbers, int most);

// Milliseconds of a clock that never goes back.
int64_t lvh_now(void);
void lvh_sleep(int64_t milliseconds);

// A thread that takes no signals; NULL if there is none to be had. One that is alone is not to be joined.
typedef struct lvh_thread lvh_thread;
lvh_thread *lvh_thread_start(void (*run)(void *object), void *object, bool is_alone);
void lvh_thread_join(lvh_thread *thread);
// Tells threads apart.
uintptr_t lvh_thread_self(void);

// The server: what comes in is told to functions, which all run on its one thread.

typedef struct lvh_exchange lvh_exchange;
typedef struct lvh_handlers {
  // Whether there is room for one more connection.
  bool (*accepts)(void *context);
  // A connection; what it gives stands for the connection.
  void *(*opened)(void *context, int descriptor);
  void (*closed)(void *connection);
  // The head of a request. What it gives stands for the request, which goes on unless an answer was given; NULL drops it.
  void *(*began)(void *context, void *connection, lvh_exchange *exchange);
  void (*received)(void *request, const uint8_t *bytes, size_t count);
  // All of it has come: an answer is to be given.
  void (*finished)(void *request);
  // The answer is on its way, or the request was dropped.
  void (*ended)(void *request);
} lvh_handlers;

typedef struct lvh_server lvh_server;
// The most connections, which is more than `accepts` lets in, the most from one address, and the memory for the head of a
// request in each.
typedef struct lvh_limits {
  uint32_t connections, per_address, memory;
} lvh_limits;
// Serves what comes in at a listening socket; NULL where the system has no thread for it.
lvh_server *lvh_server_start(int listening, const lvh_handlers *handlers, void *context, const lvh_limits *limits);
// Ends the thread and every connection. No answer may be waiting.
void lvh_server_stop(lvh_server *server);

const uint8_t *lvh_exchange_target(const lvh_exchange *exchange, size_t *count);
const char *lvh_exchange_method(const lvh_exchange *exchange);
const char *lvh_exchange_version(const lvh_exchange *exchange);
typedef void (*lvh_header_fn)(void *headers, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size);
void lvh_exchange_headers(lvh_exchange *exchange, lvh_header_fn take, void *headers);
// Has `finished` be called once more after lvh_exchange_resume(), in place of an answer; to be called by `finished`. What is deferred
// has to be resumed before the server stops.
void lvh_exchange_defer(lvh_exchange *exchange);
// An answer that waits for something to send, and goes on; or a request that waits for its answer.
void lvh_exchange_suspend(lvh_exchange *exchange);
void lvh_exchange_resume(lvh_exchange *exchange);

// An answer: bytes, which are copied, or what `read` gives: a count, 0 after it has suspended the exchange, or -1 at the end.
typedef struct lvh_answer lvh_answer;
typedef ssize_t (*lvh_read_fn)(void *object, uint8_t *buffer, size_t most);
lvh_answer *lvh_answer_make(const uint8_t *bytes, size_t count);
lvh_answer *lvh_answer_make_stream(lvh_read_fn read, void *object, void (*free)(void *object));
bool lvh_answer_add(lvh_answer *answer, const char *name, const char *value);
// Gives the answer, which is used up.
bool lvh_answer_give(lvh_answer *answer, lvh_exchange *exchange, unsigned status);

// Secrets.

// Whether libsodium can be used; call it first.
bool lvh_crypto_begin(void);
void lvh_random(uint8_t *bytes, size_t count);
// In a time that does not depend on the content.
bool lvh_same(const uint8_t *left, const uint8_t *right, size_t count);
enum { LVH_HASH_MAX = 128 };
// Argon2id with 8 MiB; the text ends with NUL.
bool lvh_password_hash(const char *password, size_t size, char hash[LVH_HASH_MAX]);
bool lvh_password_verify(const char *hash, const char *password, size_t size);

// In the form of gzip; how many bytes, 0 if that does not get shorter.
size_t lvh_gzip(const uint8_t *bytes, size_t count, uint8_t *out);

// Whether so much memory can be had.
bool lvh_can_allocate(size_t count);

#endif

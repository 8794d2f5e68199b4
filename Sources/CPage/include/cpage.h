// What LiveryPage takes of libmicrohttpd, libsodium, zlib and libc.
#ifndef CPAGE_H
#define CPAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <livery/prompt.h>

// Sockets. Functions that give a descriptor give a negative errno where they fail.

// What such an errno means.
typedef enum lvp_failure { LVP_BUSY = 1, LVP_PERMISSION, LVP_NO_PLACE, LVP_IO } lvp_failure;
lvp_failure lvp_failure_of(int error);
const char *lvp_reason(int error);

enum {
  // The longest text of an address with its port, and NUL.
  LVP_ADDRESS_MAX = 80,
};

// An address of numbers with a port: "127.0.0.1:0", "[::1]:8080". Whether it is one.
typedef struct lvp_address {
  _Alignas(8) uint8_t bytes[128];
  uint32_t size;
  // Whether only this device reaches it, and whether it stands for every address of the device.
  bool is_loopback, is_any;
} lvp_address;
bool lvp_address_parse(const char *text, lvp_address *address);

int lvp_listen(const lvp_address *address);
// At a path, for this user alone. A socket there that nobody listens at any more is replaced.
int lvp_listen_at_path(const char *path);
// Removes the socket at a path, while it is still listened at: others do not replace one that answers.
void lvp_remove_socket(const char *path);
// The address of this side, as text; "" for a socket that has none. Whether only this device reaches it.
bool lvp_local_address(int descriptor, char text[LVP_ADDRESS_MAX]);
uint16_t lvp_local_port(int descriptor);
// The address by which the device reaches others of the same family, without a port; "" where it has none.
void lvp_primary_address(const lvp_address *like, char text[LVP_ADDRESS_MAX]);
// Lets the system find out that the other side has vanished.
void lvp_keep_alive(int descriptor);
// Cuts a connection; whoever reads from it sees its end.
void lvp_cut(int descriptor);
void lvp_close(int descriptor);

// Waiting: for the other side of connections to hang up, for a moment, and for being woken.

typedef struct lvp_poller lvp_poller;
lvp_poller *lvp_poller_make(void);
void lvp_poller_free(lvp_poller *poller);
void lvp_poller_wake(lvp_poller *poller);
// Tells of `number`, once, when the other side of a connection has hung up.
bool lvp_poller_watch(lvp_poller *poller, int descriptor, uint64_t number);
// Waits for so many milliseconds, for ever if they are negative. How many numbers there are.
int lvp_poller_wait(lvp_poller *poller, int64_t milliseconds, uint64_t *numbers, int most);

// Milliseconds of a clock that never goes back.
int64_t lvp_now(void);
void lvp_sleep(int64_t milliseconds);

// A thread that takes no signals; NULL if there is none to be had. One that is alone is not to be joined.
typedef struct lvp_thread lvp_thread;
lvp_thread *lvp_thread_start(void (*run)(void *object), void *object, bool is_alone);
void lvp_thread_join(lvp_thread *thread);
// Tells threads apart.
uintptr_t lvp_thread_self(void);

// The server: what comes in is told to functions, which all run on its one thread.

typedef struct lvp_exchange lvp_exchange;
typedef struct lvp_handlers {
  // Whether there is room for one more connection.
  bool (*accepts)(void *context);
  // A connection; what it gives stands for the connection.
  void *(*opened)(void *context, int descriptor);
  void (*closed)(void *connection);
  // The head of a request. What it gives stands for the request, which goes on unless an answer was given; NULL drops it.
  void *(*began)(void *context, void *connection, lvp_exchange *exchange);
  void (*received)(void *request, const uint8_t *bytes, size_t count);
  // All of it has come: an answer is to be given.
  void (*finished)(void *request);
  // The answer is on its way, or the request was dropped.
  void (*ended)(void *request);
} lvp_handlers;

typedef struct lvp_server lvp_server;
// Serves what comes in at a listening socket; NULL where the system has no thread for it.
lvp_server *lvp_server_start(int listening, const lvp_handlers *handlers, void *context, uint32_t per_address, uint32_t memory);
// Ends the thread and every connection. No answer may be waiting.
void lvp_server_stop(lvp_server *server);

const uint8_t *lvp_exchange_target(const lvp_exchange *exchange, size_t *count);
const char *lvp_exchange_method(const lvp_exchange *exchange);
const char *lvp_exchange_version(const lvp_exchange *exchange);
typedef void (*lvp_header_fn)(void *headers, const uint8_t *name, size_t name_size, const uint8_t *value, size_t value_size);
void lvp_exchange_headers(lvp_exchange *exchange, lvp_header_fn take, void *headers);
// An answer that waits for something to send, and goes on.
void lvp_exchange_suspend(lvp_exchange *exchange);
void lvp_exchange_resume(lvp_exchange *exchange);

// An answer: bytes, which are copied, or what `read` gives: a count, 0 after it has suspended the exchange, or -1 at the end.
typedef struct lvp_answer lvp_answer;
typedef ssize_t (*lvp_read_fn)(void *object, uint8_t *buffer, size_t most);
lvp_answer *lvp_answer_make(const uint8_t *bytes, size_t count);
lvp_answer *lvp_answer_make_stream(lvp_read_fn read, void *object, void (*free)(void *object));
bool lvp_answer_add(lvp_answer *answer, const char *name, const char *value);
// Gives the answer, which is used up.
bool lvp_answer_give(lvp_answer *answer, lvp_exchange *exchange, unsigned status);

// Secrets.

// Whether libsodium can be used; call it first.
bool lvp_crypto_begin(void);
void lvp_random(uint8_t *bytes, size_t count);
// In a time that does not depend on the content.
bool lvp_same(const uint8_t *left, const uint8_t *right, size_t count);
enum { LVP_HASH_MAX = 128 };
// Argon2id with 8 MiB; the text ends with NUL.
bool lvp_pin_hash(const char *pin, size_t size, char hash[LVP_HASH_MAX]);
bool lvp_pin_verify(const char *hash, const char *pin, size_t size);

// Prompts, of liblivery-workflow.so: nothing else may be called before that is loaded, or where it cannot be.
bool lvp_prompts_load(void);
// Provides what nobody provides by its kind.
livery_status lvp_prompt_provide(livery_store *store, livery_prompt_present_fn present, livery_prompt_dismiss_fn dismiss,
                                 void *object, livery_destroy_fn destroy, livery_prompt_provider **provider);
livery_status lvp_prompt_withdraw(livery_prompt_provider *provider);
livery_status lvp_prompt_answer(livery_prompt *prompt, livery_value *answer, livery_prompt_verdict_fn verdict, void *object,
                                livery_destroy_fn destroy);
livery_status lvp_prompt_dismiss(livery_prompt *prompt);
// From now on memory is wiped before it is given back.
void lvp_memory_wipe(void);

// In the form of gzip; how many bytes, 0 if that does not get shorter.
size_t lvp_gzip(const uint8_t *bytes, size_t count, uint8_t *out);

// Whether so much memory can be had.
bool lvp_can_allocate(size_t count);
// Memory that livery_free gives back; NULL if there is none.
void *lvp_allocate(size_t count);


// What is sent to browsers as it is.
typedef enum lvp_asset_name { LVP_STYLE, LVP_SCRIPT, LVP_WORKER } lvp_asset_name;
// For livery_free; nothing if there is no memory.
uint8_t *lvp_asset(lvp_asset_name name, size_t *count);

#endif

#define _GNU_SOURCE
#include "chttp.h"
#include <cclient.h>

#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct lvh_server {
  struct MHD_Daemon *daemon;
  int listening;
  lvh_handlers handlers;
  void *context;
};

struct lvh_exchange {
  lvh_server *server;
  struct MHD_Connection *connection;
  const char *method, *version;
  // What stands for the request; NULL before its head has come.
  void *request;
  // Waits for an answer that comes later: the server's thread alone looks at it.
  bool is_answered, is_deferred;
  char target[];
};

static int descriptor_of(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

// libmicrohttpd takes arguments apart in what memory a connection has, and where that is too little nobody hears of the request.
static bool has_too_many_arguments(const char *uri) {
  enum { MOST = 256 };
  int count = 0;
  for (; *uri; uri++) count += *uri == '&';
  return count > MOST;
}

static void refuse_at_once(struct MHD_Connection *connection) {
  static const char answer[] = "HTTP/1.1 414 URI Too Long\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  int descriptor = descriptor_of(connection);
  send(descriptor, answer, sizeof answer - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(descriptor, SHUT_RDWR);
}

// What was asked for as it came: neither cut at `?` nor decoded.
static void *note_target(void *cls, const char *uri, struct MHD_Connection *connection) {
  if (has_too_many_arguments(uri)) {
    refuse_at_once(connection);
    return NULL;
  }
  size_t size = strlen(uri) + 1;
  lvh_exchange *exchange = calloc(1, sizeof *exchange + size);
  if (!exchange) return NULL;
  exchange->server = cls;
  exchange->connection = connection;
  memcpy(exchange->target, uri, size);
  return exchange;
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *bytes, size_t *count, void **place) {
  (void)url;
  lvh_server *server = cls;
  lvh_exchange *exchange = *place;
  if (!exchange) return MHD_NO;
  if (!exchange->request) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    exchange->method = method;
    exchange->version = version;
    exchange->request = server->handlers.began(server->context, info ? info->socket_context : NULL, exchange);
    return exchange->request ? MHD_YES : MHD_NO;
  }
  if (*count > 0) {
    server->handlers.received(exchange->request, (const uint8_t *)bytes, *count);
    // It may be a password, and libmicrohttpd has no more use for it than to read over it.
    explicit_bzero((void *)(uintptr_t)bytes, *count);
    *count = 0;
    return MHD_YES;
  }
  exchange->is_deferred = false;
  if (!exchange->is_answered) server->handlers.finished(exchange->request);
  return exchange->is_answered || exchange->is_deferred ? MHD_YES : MHD_NO;
}

static void end(void *cls, struct MHD_Connection *connection, void **place, enum MHD_RequestTerminationCode code) {
  (void)connection, (void)code;
  lvh_server *server = cls;
  lvh_exchange *exchange = *place;
  if (!exchange) return;
  *place = NULL;
  if (exchange->request) server->handlers.ended(exchange->request);
  free(exchange);
}

static void note_connection(void *cls, struct MHD_Connection *connection, void **place, enum MHD_ConnectionNotificationCode code) {
  lvh_server *server = cls;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    int descriptor = descriptor_of(connection);
    if (lvc_keep_begin()) lvc_keep_end(descriptor);
    *place = server->handlers.opened(server->context, descriptor);
  } else {
    lvc_kept_forget(descriptor_of(connection));
    if (*place) server->handlers.closed(*place);
    *place = NULL;
  }
}

static enum MHD_Result accept_connection(void *cls, const struct sockaddr *address, socklen_t size) {
  (void)address, (void)size;
  lvh_server *server = cls;
  return server->handlers.accepts(server->context) ? MHD_YES : MHD_NO;
}

// What is asked for is decoded by whoever reads it.
static size_t leave_encoded(void *cls, struct MHD_Connection *connection, char *text) {
  (void)cls, (void)connection;
  return strlen(text);
}

lvh_server *lvh_server_start(int listening, const lvh_handlers *handlers, void *context,
                             const lvh_limits *limits) {
  lvh_server *server = calloc(1, sizeof *server);
  if (!server) return NULL;
  server->handlers = *handlers;
  server->context = context;
  server->listening = listening;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  server->daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME, 0, accept_connection, server, handle, server,
      MHD_OPTION_LISTEN_SOCKET, listening, MHD_OPTION_CONNECTION_LIMIT, limits->connections,
      MHD_OPTION_PER_IP_CONNECTION_LIMIT, limits->per_address,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)limits->memory, MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_URI_LOG_CALLBACK, note_target, server, MHD_OPTION_NOTIFY_COMPLETED, end, server,
      MHD_OPTION_NOTIFY_CONNECTION, note_connection, server, MHD_OPTION_UNESCAPE_CALLBACK, leave_encoded, server,
      MHD_OPTION_END);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (server->daemon) return server;
  free(server);
  return NULL;
}

// MHD_quiesce_daemon would race with the thread: both take the socket out of the set that is waited for, and MHD aborts.
void lvh_server_stop(lvh_server *server) {
  lvc_kept_forget(server->listening);
  MHD_stop_daemon(server->daemon);
  free(server);
}

const uint8_t *lvh_exchange_target(const lvh_exchange *exchange, size_t *count) {
  *count = strlen(exchange->target);
  return (const uint8_t *)exchange->target;
}
const char *lvh_exchange_method(const lvh_exchange *exchange) { return exchange->method; }
const char *lvh_exchange_version(const lvh_exchange *exchange) { return exchange->version; }

typedef struct header_reader {
  lvh_header_fn take;
  void *headers;
} header_reader;

static enum MHD_Result take_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size, const char *value,
                                   size_t value_size) {
  (void)kind;
  header_reader *reader = cls;
  reader->take(reader->headers, (const uint8_t *)name, name_size, (const uint8_t *)value, value ? value_size : 0);
  return MHD_YES;
}

void lvh_exchange_headers(lvh_exchange *exchange, lvh_header_fn take, void *headers) {
  header_reader reader = {take, headers};
  MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, take_header, &reader);
}

void lvh_exchange_defer(lvh_exchange *exchange) {
  exchange->is_deferred = true;
  MHD_suspend_connection(exchange->connection);
}
void lvh_exchange_suspend(lvh_exchange *exchange) { MHD_suspend_connection(exchange->connection); }
void lvh_exchange_resume(lvh_exchange *exchange) { MHD_resume_connection(exchange->connection); }

// A response of libmicrohttpd is one; the object of a stream is read by a function of its own.
typedef struct stream {
  lvh_read_fn read;
  void *object;
  void (*free)(void *object);
} stream;

static ssize_t read_stream(void *cls, uint64_t position, char *buffer, size_t most) {
  (void)position;
  stream *source = cls;
  ssize_t count = source->read(source->object, (uint8_t *)buffer, most);
  return count < 0 ? MHD_CONTENT_READER_END_OF_STREAM : count;
}

static void free_stream(void *cls) {
  stream *source = cls;
  source->free(source->object);
  free(source);
}

lvh_answer *lvh_answer_make(const uint8_t *bytes, size_t count) {
  return (lvh_answer *)MHD_create_response_from_buffer(count, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
}

lvh_answer *lvh_answer_make_stream(lvh_read_fn read, void *object, void (*release)(void *object)) {
  stream *source = malloc(sizeof *source);
  struct MHD_Response *response = NULL;
  if (source) {
    *source = (stream){read, object, release};
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 2048, read_stream, source, free_stream);
  }
  if (!response) {
    release(object);
    free(source);
  }
  return (lvh_answer *)response;
}

bool lvh_answer_add(lvh_answer *answer, const char *name, const char *value) {
  return MHD_add_response_header((struct MHD_Response *)answer, name, value) == MHD_YES;
}

bool lvh_answer_give(lvh_answer *answer, lvh_exchange *exchange, unsigned status) {
  exchange->is_answered = MHD_queue_response(exchange->connection, status, (struct MHD_Response *)answer) == MHD_YES;
  MHD_destroy_response((struct MHD_Response *)answer);
  return exchange->is_answered;
}

// A server on loopback for the images of fetched.h, in a process of its own, that also does much of what servers do wrong. It
// is asked as a proxy. By the address, 127.A.B.C, it knows who asks and for which download: all images of the brand in one
// download are of one generation.
#ifndef IMAGE_SERVER_H
#define IMAGE_SERVER_H

#include "fetched.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>

enum { ASKERS = 8 };

// Shared by all processes.
static struct served {
  uint16_t port;
  // Begins with a download; what asks with an older one is dead.
  _Atomic uint16_t download[ASKERS];
  _Atomic uint64_t generation_of[ASKERS], served_of[ASKERS];
  _Atomic uint64_t generation, versions[SINGLES];
  _Atomic uint64_t requests, not_modified, partial, faults;
} *served;
static pthread_mutex_t serving = PTHREAD_MUTEX_INITIALIZER;

// Each connection has a thread, and numbers of its own.
static _Thread_local uint64_t drawn;
static uint64_t draw(uint64_t limit) { return mixed(drawn++) % limit; }

/** Begins a download of its own; the proxy to ask for it. */
UNUSED static const char *begin_download(int asker) {
  static char proxy[64];
  uint16_t number = ++served->download[asker];
  served->served_of[asker] = 0;
  snprintf(proxy, sizeof proxy, "http://127.%u.%u.%d:%u", number >> 8, number & 255, asker + 1, served->port);
  return proxy;
}

// Known while one request is answered.
typedef struct visit {
  int socket, asker;
  uint16_t download;
  // Of the bytes that were asked for: those from there on, if that is what the If-Range has.
  size_t from;
  char url[300], wanted_tag[80], range_tag[80];
} visit;

static bool send_all(int socket, const void *bytes, size_t length) {
  const char *next = bytes;
  while (length > 0) {
    ssize_t sent = send(socket, next, length, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    next += sent;
    length -= (size_t)sent;
  }
  return true;
}

static bool send_head(const visit *visit, const char *status, const char *fields, size_t length) {
  char head[600];
  int used = snprintf(head, sizeof head, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status, fields, length);
  return send_all(visit->socket, head, (size_t)used);
}

static bool send_slowly(const visit *visit, const unsigned char *bytes, size_t length) {
  for (size_t at = 0, part = length / 8 + 1; at < length; at += part) {
    if (!send_all(visit->socket, bytes + at, part < length - at ? part : length - at)) return false;
    sleep_us(draw(1500));
  }
  return true;
}

/** The generation of a download is drawn at its first request: downloads follow one another, and so generations do. */
static uint64_t version_for(const visit *visit, const fetched_name *name) {
  static uint16_t known[ASKERS];
  pthread_mutex_lock(&serving);
  uint64_t version = 0;
  if (visit->download == served->download[visit->asker]) {
    if (name->kind == 'b') {
      if (known[visit->asker] != visit->download) served->generation_of[visit->asker] = ++served->generation;
      known[visit->asker] = visit->download;
      version = brand_version(name->number, served->generation_of[visit->asker]);
    } else {
      if (draw(8) == 0) served->versions[name->number]++;
      version = served->versions[name->number];
    }
  }
  bool is_late = visit->download != served->download[visit->asker];
  pthread_mutex_unlock(&serving);
  return is_late ? UINT64_MAX : version;
}

typedef enum fault { NO_FAULT, BREAKS_OFF, TOO_SHORT, SLOW, BUSY, GONE, GARBAGE, EMPTY, REDIRECT, OTHER_PART, NEVER, NOT_KEPT } fault;

/** For the brand only what another attempt mends, and seldom, as waiting takes long. */
static fault fault_for(char kind) {
  static const fault mended[] = {BREAKS_OFF, TOO_SHORT, SLOW, BUSY, OTHER_PART};
  if (kind == 'b') return draw(100) ? NO_FAULT : mended[draw(COUNT_OF(mended))];
  return draw(3) ? NO_FAULT : (fault)(1 + draw(NOT_KEPT));
}

/** Answers a request; false where the connection is to be closed. */
static bool answer(const visit *visit) {
  fetched_name name = {0};
  served->requests++;
  if (!parse_url(visit->url, &name)) return send_head(visit, "404 Not Found", "", 0);
  name.version = version_for(visit, &name);
  if (name.version == UINT64_MAX) return false;
  char tag[80], fields[300];
  snprintf(tag, sizeof tag, "\"%c%u-%" PRIu64 "\"", name.kind, name.number, name.version);
  fault fault = fault_for(name.kind);
  served->faults += fault != NO_FAULT;
  int used = snprintf(fields, sizeof fields, "ETag: %s\r\nCache-Control: %s\r\nContent-Type: image/gif\r\n", tag,
                      fault == NOT_KEPT ? "no-store" : "max-age=0");
  switch (fault) {
    case BUSY: return send_head(visit, "503 Service Unavailable", "", 0);
    case GONE: return send_head(visit, "404 Not Found", "", 0);
    case GARBAGE: return send_head(visit, "200 OK", fields, 7) && send_all(visit->socket, "GIF8no!", 7);
    case EMPTY: return send_head(visit, "200 OK", fields, 0);
    case NEVER: sleep_us(300000); return false;
    case REDIRECT:
      if (strchr(visit->url, '?')) break;
      snprintf(fields, sizeof fields, "Location: %s?again\r\n", visit->url);
      return send_head(visit, "302 Found", fields, 0);
    default: break;
  }
  if (strcmp(visit->wanted_tag, tag) == 0 && !visit->from) {
    served->not_modified++;
    served->served_of[visit->asker]++;
    char head[400];
    int length = snprintf(head, sizeof head, "HTTP/1.1 304 Not Modified\r\n%s\r\n", fields);
    return send_all(visit->socket, head, (size_t)length);
  }
  unsigned char *bytes = malloc(IMAGE_ROOM);
  size_t length = fetched_image(name.kind, name.number, name.version, bytes);
  size_t from = visit->from && visit->from < length && strcmp(visit->range_tag, tag) == 0 ? visit->from : 0;
  if (from) {
    served->partial++;
    snprintf(fields + used, sizeof fields - (size_t)used, "Content-Range: bytes %zu-%zu/%zu\r\n", fault == OTHER_PART ? from - 1 : from,
             length - 1, length);
  }
  size_t left = length - from;
  bool goes_on = send_head(visit, from ? "206 Partial Content" : "200 OK", fields, fault == TOO_SHORT ? left + 5 : left);
  if (goes_on && fault == SLOW) goes_on = send_slowly(visit, bytes + from, left);
  else if (goes_on) goes_on = send_all(visit->socket, bytes + from, fault == BREAKS_OFF ? draw(left) : left);
  free(bytes);
  served->served_of[visit->asker]++;
  return goes_on && fault != BREAKS_OFF && fault != TOO_SHORT;
}

static void take_field(visit *visit, const char *line) {
  if (strncasecmp(line, "If-None-Match: ", 15) == 0) snprintf(visit->wanted_tag, sizeof visit->wanted_tag, "%.79s", line + 15);
  if (strncasecmp(line, "If-Range: ", 10) == 0) snprintf(visit->range_tag, sizeof visit->range_tag, "%.79s", line + 10);
  if (strncasecmp(line, "Range: bytes=", 13) == 0) visit->from = strtoull(line + 13, NULL, 10);
}

static void *serve_connection(void *number) {
  visit visit = {.socket = (int)(intptr_t)number};
  struct sockaddr_in own;
  socklen_t size = sizeof own;
  static const int on = 1;
  drawn = fresh_seed() << 20 ^ mixed((uint64_t)visit.socket);
  setsockopt(visit.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  char head[4096];
  size_t used = 0;
  bool goes_on = getsockname(visit.socket, (struct sockaddr *)&own, &size) == 0;
  uint32_t address = ntohl(own.sin_addr.s_addr);
  visit.asker = (int)(address & 255) - 1;
  visit.download = (uint16_t)(address >> 8);
  while (goes_on && visit.asker >= 0 && visit.asker < ASKERS) {
    ssize_t got = recv(visit.socket, head + used, sizeof head - 1 - used, 0);
    if (got <= 0) break;
    head[used += (size_t)got] = 0;
    if (!strstr(head, "\r\n\r\n")) continue;
    visit.wanted_tag[0] = visit.range_tag[0] = visit.url[0] = 0;
    visit.from = used = 0;
    char *rest = NULL;
    for (char *line = strtok_r(head, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest))
      if (sscanf(line, "GET %299s", visit.url) != 1) take_field(&visit, line);
    goes_on = answer(&visit);
  }
  close(visit.socket);
  return NULL;
}

static int listening;

static void serve(void) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
  for (;;) {
    pthread_t thread;
    int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0 && pthread_create(&thread, &small, serve_connection, (void *)(intptr_t)connection) != 0) close(connection);
  }
}

/** Starts the server; its process. */
UNUSED static pid_t start_serving(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  served = shared_memory(sizeof *served);
  for (int number = 0; number < SINGLES; number++) served->versions[number] = 1;
  listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listening < 0 || bind(listening, (struct sockaddr *)&address, size) != 0 || listen(listening, 1024) != 0
      || getsockname(listening, (struct sockaddr *)&address, &size) != 0)
    give_up("no server");
  served->port = ntohs(address.sin_port);
  // The environment does not say which proxies these are not for.
  unsetenv("no_proxy");
  unsetenv("NO_PROXY");
  return start_child(serve);
}

#endif

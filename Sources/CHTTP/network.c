#define _GNU_SOURCE
#include "address.h"
#include "chttp.h"
#include <cclient.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 256 };

lvh_failure lvh_failure_of(int error) {
  switch (error) {
    case EADDRINUSE: return LVH_BUSY;
    case EACCES: case EPERM: case EROFS: return LVH_PERMISSION;
    case ENAMETOOLONG: case ENOENT: case ENOTDIR: case EEXIST: case EADDRNOTAVAIL: return LVH_NO_PLACE;
    default: return LVH_IO;
  }
}

const char *lvh_reason(int error) { return strerrordesc_np(error); }

static int failed(int descriptor) {
  int error = errno;
  if (descriptor >= 0) lvh_close(descriptor);
  return -error;
}

static int socket_open(int family) {
  return lvc_keep_begin() ? lvc_keep_end(socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) : -1;
}

int lvh_listen(const lvh_address *address) {
  const struct sockaddr *name = (const void *)address->bytes;
  int descriptor = socket_open(name->sa_family);
  if (descriptor < 0) return failed(-1);
  int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(descriptor, name, address->size) != 0 || listen(descriptor, BACKLOG) != 0) return failed(descriptor);
  return descriptor;
}

// Where something in a folder is, however long that one's own path is.
static void place(char path[static sizeof(((struct sockaddr_un *)0)->sun_path)], int folder, const char *name) {
  snprintf(path, sizeof(((struct sockaddr_un *)0)->sun_path), "/proc/self/fd/%d/%s", folder, name);
}

// A socket that a process has left behind when it was killed.
static bool is_abandoned(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  strcpy(name.sun_path, path);
  struct stat facts;
  if (lstat(path, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return false;
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return false;
  bool is_refused = connect(probe, (const void *)&name, sizeof name) != 0 && errno == ECONNREFUSED;
  close(probe);
  return is_refused;
}

// Puts a socket that listens in its place, which nothing else may have.
static bool put(int folder, const char *hidden, const struct sockaddr_un *name, const char *own) {
  if (renameat2(folder, hidden, folder, own, RENAME_NOREPLACE) == 0) return true;
  struct stat facts;
  if (errno != EEXIST || (lstat(name->sun_path, &facts) == 0 && !S_ISSOCK(facts.st_mode))) return false;
  // Another server may have found it, too, and be there by now: what was there is looked at once it is away.
  if (is_abandoned(name->sun_path) && renameat2(folder, hidden, folder, own, RENAME_EXCHANGE) == 0) {
    char former[sizeof name->sun_path];
    place(former, folder, hidden);
    if (is_abandoned(former)) {
      unlinkat(folder, hidden, 0);
      return true;
    }
    if (renameat2(folder, hidden, folder, own, RENAME_EXCHANGE) != 0) renameat2(folder, hidden, folder, own, RENAME_NOREPLACE);
  } else if (renameat2(folder, hidden, folder, own, RENAME_NOREPLACE) == 0) {
    return true;
  }
  errno = EADDRINUSE;
  return false;
}

int lvh_listen_at_path(const char *path) {
  struct sockaddr_un name = {.sun_family = AF_UNIX}, address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof name.sun_path) return -ENAMETOOLONG;
  strcpy(name.sun_path, path);
  char parent[sizeof name.sun_path];
  strcpy(parent, path);
  char *slash = strrchr(parent, '/');
  const char *own = slash ? path + (slash - parent) + 1 : path;
  if (slash) slash[slash == parent] = 0;
  int folder = open(slash ? parent : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return failed(-1);
  // Somebody who finds a socket at which nobody listens yet takes it for abandoned: it is bound by another name before.
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number) number = (uint64_t)getpid();
  char hidden[40];
  snprintf(hidden, sizeof hidden, ".livery-%016" PRIx64, number);
  place(address.sun_path, folder, hidden);
  int descriptor = socket_open(AF_UNIX);
  // A socket that is bound has the mode that its descriptor has.
  bool is_bound = descriptor >= 0 && fchmod(descriptor, 0600) == 0 && bind(descriptor, (const void *)&address, sizeof address) == 0;
  if (!is_bound || listen(descriptor, BACKLOG) != 0 || !put(folder, hidden, &name, own)) {
    int error = failed(descriptor);
    if (is_bound) unlinkat(folder, hidden, 0);
    close(folder);
    return error;
  }
  close(folder);
  return descriptor;
}

void lvh_remove_socket(const char *path) {
  struct stat facts;
  if (lstat(path, &facts) == 0 && S_ISSOCK(facts.st_mode)) unlink(path);
}

// The text of an address, without its port; an IPv6 address in brackets.
static void write_host(const any_address *address, char text[LVH_ADDRESS_MAX]) {
  char host[64] = "";
  text[0] = 0;
  if (address->any.sa_family == AF_INET) {
    inet_ntop(AF_INET, &address->v4.sin_addr, text, LVH_ADDRESS_MAX);
  } else if (address->any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr)) {
    inet_ntop(AF_INET, &address->v6.sin6_addr.s6_addr[12], text, LVH_ADDRESS_MAX);
  } else if (address->any.sa_family == AF_INET6 && inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof host)) {
    snprintf(text, LVH_ADDRESS_MAX, "[%s]", host);
  }
}

static bool local_name(int descriptor, any_address *address) {
  socklen_t size = sizeof *address;
  memset(address, 0, sizeof *address);
  return getsockname(descriptor, &address->any, &size) == 0;
}

bool lvh_local_address(int descriptor, char text[LVH_ADDRESS_MAX]) {
  any_address address;
  text[0] = 0;
  if (!local_name(descriptor, &address)) return false;
  write_host(&address, text);
  size_t count = strlen(text);
  if (count > 0) snprintf(text + count, LVH_ADDRESS_MAX - count, ":%u", lvh_local_port(descriptor));
  return lvh_is_loopback(&address);
}

void lvh_remote_address(int descriptor, char text[LVH_ADDRESS_MAX]) {
  any_address address;
  socklen_t size = sizeof address;
  text[0] = 0;
  if (getpeername(descriptor, &address.any, &size) == 0) write_host(&address, text);
}

uint16_t lvh_local_port(int descriptor) {
  any_address address;
  if (!local_name(descriptor, &address)) return 0;
  // At the same place in both.
  return address.any.sa_family == AF_INET || address.any.sa_family == AF_INET6 ? ntohs(address.v4.sin_port) : 0;
}

void lvh_primary_address(const lvh_address *like, char text[LVH_ADDRESS_MAX]) {
  const struct sockaddr *name = (const void *)like->bytes;
  any_address far = {0}, near;
  text[0] = 0;
  int descriptor = socket(name->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return;
  // An address kept for documentation; connecting a datagram socket sends nothing.
  far.any.sa_family = name->sa_family;
  far.v4.sin_port = htons(9);
  if (name->sa_family == AF_INET6) inet_pton(AF_INET6, "2001:db8::1", &far.v6.sin6_addr);
  else inet_pton(AF_INET, "192.0.2.1", &far.v4.sin_addr);
  if (connect(descriptor, &far.any, like->size) == 0 && local_name(descriptor, &near) && !lvh_is_any(&near)) write_host(&near, text);
  close(descriptor);
}

void lvh_keep_alive(int descriptor) {
  int on = 1, idle = 60, interval = 15, count = 4;
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

void lvh_cut(int descriptor) { shutdown(descriptor, SHUT_RDWR); }
void lvh_close(int descriptor) {
  lvc_kept_forget(descriptor);
  close(descriptor);
}

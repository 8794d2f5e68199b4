// Addresses to listen at, as text. Nothing of this needs a library: programs that only look whether one is right have this file alone.
#define _GNU_SOURCE
#include "address.h"
#include "chttp.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

bool lvh_is_loopback(const any_address *address) {
  switch (address->any.sa_family) {
    case AF_INET: return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
    case AF_INET6:
      if (IN6_IS_ADDR_V4MAPPED(&address->v6.sin6_addr)) return address->v6.sin6_addr.s6_addr[12] == 127;
      return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
    default: return true;
  }
}

bool lvh_is_any(const any_address *address) {
  if (address->any.sa_family == AF_INET) return address->v4.sin_addr.s_addr == htonl(INADDR_ANY);
  return address->any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr);
}

// The port as digits alone, behind the last colon.
static bool is_port(const char *text) {
  size_t count = strspn(text, "0123456789");
  return count > 0 && count <= 5 && text[count] == 0 && atoi(text) <= 65535;
}

bool lvh_address_parse(const char *text, lvh_address *address) {
  char host[64];
  const char *colon = strrchr(text, ':');
  if (!colon || !is_port(colon + 1)) return false;
  size_t count = (size_t)(colon - text);
  bool is_bracketed = count > 2 && text[0] == '[' && colon[-1] == ']';
  if (is_bracketed) text++, count -= 2;
  if (count == 0 || count >= sizeof host) return false;
  memcpy(host, text, count);
  host[count] = 0;
  if (!is_bracketed && strcmp(host, "localhost") == 0) strcpy(host, "127.0.0.1");
  struct addrinfo hints = {.ai_family = is_bracketed ? AF_INET6 : AF_INET, .ai_socktype = SOCK_STREAM,
                           .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
  // What inet_aton takes besides, such as 127.1, would be shown in another form than it was given in.
  struct in_addr numbers;
  if (!is_bracketed && inet_pton(AF_INET, host, &numbers) != 1) return false;
  struct addrinfo *found;
  if (getaddrinfo(host, colon + 1, &hints, &found) != 0) return false;
  bool fits = found->ai_addrlen <= sizeof address->bytes;
  if (fits) {
    any_address copy = {0};
    memcpy(&copy, found->ai_addr, found->ai_addrlen);
    memset(address, 0, sizeof *address);
    memcpy(address->bytes, &copy, found->ai_addrlen);
    address->size = found->ai_addrlen;
    address->is_loopback = lvh_is_loopback(&copy);
    address->is_any = lvh_is_any(&copy);
  }
  freeaddrinfo(found);
  return fits;
}

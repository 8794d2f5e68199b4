// What address.c and network.c know of addresses.
#ifndef LVH_ADDRESS_H
#define LVH_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef union any_address {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  struct sockaddr_un local;
  struct sockaddr_storage storage;
} any_address;

bool lvh_is_loopback(const any_address *address);
bool lvh_is_any(const any_address *address);

#endif

// The URL of a broker.
#ifndef CMOSQUITTO_ADDRESS_H
#define CMOSQUITTO_ADDRESS_H

#include <stdbool.h>

typedef struct lvb_address {
  char host[256];
  int port;
  bool is_secure;
} lvb_address;

// NULL, or what is wrong with it.
const char *lvb_address_read(const char *url, lvb_address *address);

#endif

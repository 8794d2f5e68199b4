#include "address.h"

#include <string.h>

static bool is_of_host(char c, bool is_in_brackets) {
  bool is_digit = c >= '0' && c <= '9', is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (is_in_brackets) return is_digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
  return is_digit || is_letter || c == '-' || c == '.' || c == '_';
}

const char *lvb_address_read(const char *url, lvb_address *address) {
  if (!url) return "no URL is given";
  const char *rest;
  if (strncmp(url, "mqtt://", 7) == 0) {
    *address = (lvb_address){.port = 1883};
    rest = url + 7;
  } else if (strncmp(url, "mqtts://", 8) == 0) {
    *address = (lvb_address){.port = 8883, .is_secure = true};
    rest = url + 8;
  } else {
    return "its URL begins neither with mqtt:// nor with mqtts://";
  }
  bool is_in_brackets = *rest == '[';
  if (is_in_brackets) rest++;
  size_t length = 0;
  while (is_of_host(rest[length], is_in_brackets)) length++;
  if (length == 0 || length >= sizeof address->host) return "its URL has no host";
  memcpy(address->host, rest, length);
  rest += length;
  if (is_in_brackets && *rest++ != ']') return "the host in its URL has no closing bracket";
  if (*rest == ':') {
    int port = 0, digits = 0;
    for (rest++; *rest >= '0' && *rest <= '9' && digits < 5; rest++, digits++) port = port * 10 + (*rest - '0');
    if (digits == 0 || port < 1 || port > 65535) return "the port in its URL is not one of 1 to 65535";
    address->port = port;
  }
  if (*rest == '/') rest++;
  return *rest ? "its URL has more than host and port" : NULL;
}

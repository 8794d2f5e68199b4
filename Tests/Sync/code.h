// A server on loopback that says nothing, and enrollment codes for it.
#ifndef CODE_H
#define CODE_H

#include <arpa/inet.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/socket.h>

// It takes connections, and says nothing.
static inline int silent(int *port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  EXPECT(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 100) == 0);
  getsockname(listener, (struct sockaddr *)&address, &size);
  *port = ntohs(address.sin_port);
  return listener;
}

static inline const char *code_for(int port) {
  static char code[300];
  unsigned char hash[crypto_hash_sha256_BYTES];
  char check[16];
  int length = snprintf(code, sizeof code, "livery:1?u=http://127.0.0.1:%d&f=kiosks&t=AAAAAAAAAAAAAAAAAAAAAA&k=%s&e=4000000000", port,
                        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  crypto_hash_sha256(hash, (const unsigned char *)code, (unsigned long long)length);
  sodium_bin2base64(check, sizeof check, hash, 5, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  snprintf(code + length, sizeof code - (size_t)length, "&c=%.6s", check);
  return code;
}

#endif

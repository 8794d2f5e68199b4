// What systemd hears of a service of the type `notify`: a datagram to $NOTIFY_SOCKET.
#define _GNU_SOURCE
#include "agent.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void agent_notify(const char *format, ...) {
  const char *path = getenv("NOTIFY_SOCKET");
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = path ? strlen(path) : 0;
  if (length < 2 || length >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@')) return;
  memcpy(address.sun_path, path, length);
  // A name without a file.
  if (path[0] == '@') address.sun_path[0] = 0;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (size < 0) return;
  if ((size_t)size >= sizeof message) size = sizeof message - 1;
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return;
  socklen_t address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
  ssize_t sent = sendto(file, message, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT, (struct sockaddr *)&address, address_length);
  (void)sent;
  close(file);
}

int64_t agent_watchdog_ms(void) {
  const char *text = getenv("WATCHDOG_USEC"), *process = getenv("WATCHDOG_PID");
  if (!text || (process && strtoll(process, NULL, 10) != getpid())) return 0;
  long long microseconds = strtoll(text, NULL, 10);
  // Twice as often as it must.
  return microseconds >= 2000 ? microseconds / 2000 : 0;
}

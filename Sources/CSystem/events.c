// Descriptors that poll finds.
#define _GNU_SOURCE
#include "csystem.h"

#include <sys/eventfd.h>

int lvs_event_make(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void lvs_event_signal(int descriptor) {
  uint64_t one = 1;
  while (write(descriptor, &one, sizeof one) < 0 && errno == EINTR) {}
}

void lvs_event_drain(int descriptor) {
  uint64_t count;
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {}
}

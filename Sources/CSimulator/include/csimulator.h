// Remembers which signatures are right, in place of verifying each of them for each device anew.
#ifndef CSIMULATOR_H
#define CSIMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What becomes of signatures that the thread has verified until it asks for something else.
enum lvm_mode {
  // Each is verified: what holds unless a thread asks for another.
  LVM_VERIFY,
  // Each is verified once by the thread; the same bytes, key and signature get the same verdict from then on.
  LVM_REMEMBER,
  // All are right: a fault that is planted.
  LVM_TRUST
};

void lvm_set_mode(enum lvm_mode mode);

// How many signatures the thread was asked for since the last call, and how many of these it has verified.
void lvm_take_counts(uint64_t *asked, uint64_t *verified);

// How long the thread has been running on a processor, in nanoseconds.
int64_t lvm_processor(void);

// The bytes of a file, to be freed by `lvm_free`; NULL if it cannot be read.
uint8_t *lvm_read(const char *path, size_t *count);
void lvm_free(uint8_t *bytes);

#endif

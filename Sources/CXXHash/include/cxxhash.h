#ifndef CXXHASH_H
#define CXXHASH_H

#include <stddef.h>
#include <stdint.h>

// XXH3, 64 bits, seeded.
uint64_t lvs_xxh3(const void *bytes, size_t count, uint64_t seed);

#endif

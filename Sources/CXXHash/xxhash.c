#include "cxxhash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t lvs_xxh3(const void *bytes, size_t count, uint64_t seed) { return XXH3_64bits_withSeed(bytes, count, seed); }

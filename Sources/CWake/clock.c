// What the processes on a store know of the clock that can be set.
#include "cwake.h"

// The last words of those that nothing else uses.
static uint64_t *clock_words(lvs_wake *wake) {
  return wake->unused + sizeof wake->unused / sizeof *wake->unused - 4;
}

lvs_clock lvs_clock_read(lvs_wake *wake) {
  uint64_t *words = clock_words(wake);
  return (lvs_clock){
      .boot = __atomic_load_n(words, __ATOMIC_RELAXED),
      .trusted = (int64_t)__atomic_load_n(words + 1, __ATOMIC_RELAXED),
      .candidate = (int64_t)__atomic_load_n(words + 2, __ATOMIC_RELAXED),
      .since = (int64_t)__atomic_load_n(words + 3, __ATOMIC_RELAXED),
  };
}

void lvs_clock_write(lvs_wake *wake, lvs_clock clock) {
  uint64_t *words = clock_words(wake);
  __atomic_store_n(words, clock.boot, __ATOMIC_RELAXED);
  __atomic_store_n(words + 1, (uint64_t)clock.trusted, __ATOMIC_RELAXED);
  __atomic_store_n(words + 2, (uint64_t)clock.candidate, __ATOMIC_RELAXED);
  __atomic_store_n(words + 3, (uint64_t)clock.since, __ATOMIC_RELAXED);
}

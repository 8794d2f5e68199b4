// A word that says whether something is open, and how many calls are inside. Whoever closes it is not waited for, nor waits:
// the last call out, or the one that closes it, lets go of what it stands for, exactly once.
//
//     tag (36 bits) | open (1 bit) | pins (27 bits)
//
// The tag is the owner's: handles have kind and generation there, so that one comparison recognizes them; all else has 0.
#ifndef LVS_PINS_H
#define LVS_PINS_H

#include <stdbool.h>
#include <stdint.h>

static const uint64_t LVS_OPEN = (uint64_t)1 << 27, LVS_PINS = ((uint64_t)1 << 27) - 1;

static inline bool lvs_is_open(const uint64_t *word) { return (__atomic_load_n(word, __ATOMIC_ACQUIRE) & LVS_OPEN) != 0; }

// Enters, which wants one `lvs_unpin`; false if it is closed, or has another tag. With `closes` nobody enters after.
static inline __attribute__((always_inline)) bool lvs_pin(uint64_t *word, uint64_t tag, bool closes) {
  uint64_t state = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  while ((state & ~LVS_PINS) == (tag | LVS_OPEN)) {
    uint64_t next = (closes ? state & ~LVS_OPEN : state) + 1;
    if (__atomic_compare_exchange_n(word, &state, next, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return true;
  }
  return false;
}

// Leaves; whether the caller has to let go.
static inline __attribute__((always_inline)) bool lvs_unpin(uint64_t *word) {
  return (__atomic_sub_fetch(word, 1, __ATOMIC_ACQ_REL) & (LVS_OPEN | LVS_PINS)) == 0;
}

#endif

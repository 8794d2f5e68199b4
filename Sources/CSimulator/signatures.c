#include <cfleet.h>
#include <csimulator.h>
#include <sodium.h>
#include <string.h>

// A verdict, by the BLAKE2b hash of key, signature and what is signed: there is no second one with the same hash.
struct verdict {
  uint8_t hash[32];
  bool is_known, is_right;
};

enum { VERDICTS = 1 << 13 };

static _Thread_local struct {
  enum lvm_mode mode;
  uint64_t asked, verified;
  struct verdict verdicts[VERDICTS];
} memory;

void lvm_set_mode(enum lvm_mode mode) { memory.mode = mode; }

void lvm_take_counts(uint64_t *asked, uint64_t *verified) {
  *asked = memory.asked;
  *verified = memory.verified;
  memory.asked = memory.verified = 0;
}

// The linker puts these in the place of `lvd_verify` and of what calls it (--wrap).
bool __real_lvd_verify(const uint8_t *key, const uint8_t *bytes, size_t count, const uint8_t *signature);
bool __wrap_lvd_verify(const uint8_t *key, const uint8_t *bytes, size_t count, const uint8_t *signature);

bool __wrap_lvd_verify(const uint8_t *key, const uint8_t *bytes, size_t count, const uint8_t *signature) {
  if (memory.mode == LVM_VERIFY) return __real_lvd_verify(key, bytes, count, signature);
  if (memory.mode == LVM_TRUST) return true;
  memory.asked++;
  struct verdict asked = {.is_known = true};
  crypto_generichash_state state;
  if (crypto_generichash_init(&state, NULL, 0, sizeof asked.hash) != 0 ||
      crypto_generichash_update(&state, key, LVD_PUBLIC) != 0 ||
      crypto_generichash_update(&state, signature, LVD_SIGNATURE) != 0 ||
      crypto_generichash_update(&state, bytes, count) != 0 ||
      crypto_generichash_final(&state, asked.hash, sizeof asked.hash) != 0)
    return __real_lvd_verify(key, bytes, count, signature);
  uint32_t place;
  memcpy(&place, asked.hash, sizeof place);
  struct verdict *known = &memory.verdicts[place % VERDICTS];
  if (!known->is_known || memcmp(known->hash, asked.hash, sizeof asked.hash) != 0) {
    memory.verified++;
    asked.is_right = __real_lvd_verify(key, bytes, count, signature);
    *known = asked;
  }
  return known->is_right;
}

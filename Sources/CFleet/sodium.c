// Hashes and signatures: libsodium.
#include "cfleet.h"

#include <sodium.h>

_Static_assert(LVD_HASH == crypto_hash_sha256_BYTES && LVD_PUBLIC == crypto_sign_PUBLICKEYBYTES && LVD_SEED == crypto_sign_SEEDBYTES &&
                 LVD_SECRET == crypto_sign_SECRETKEYBYTES && LVD_SIGNATURE == crypto_sign_BYTES,
               "Ed25519 and SHA-256");

bool lvd_begin(void) { return sodium_init() >= 0; }

void lvd_hash(const uint8_t *bytes, size_t count, uint8_t *hash) { crypto_hash_sha256(hash, bytes, count); }

uint32_t lvd_remainder(const uint8_t *hash, uint32_t divisor) {
  uint64_t rest = 0;
  if (divisor == 0) return 0;
  for (size_t index = 0; index < LVD_HASH; index++) rest = (rest << 8 | hash[index]) % divisor;
  return (uint32_t)rest;
}

void lvd_key_pair(const uint8_t *seed, uint8_t *public_key, uint8_t *secret_key) {
  crypto_sign_seed_keypair(public_key, secret_key, seed);
}

bool lvd_sign(const uint8_t *secret_key, const uint8_t *bytes, size_t count, uint8_t *signature) {
  return crypto_sign_detached(signature, NULL, bytes, count, secret_key) == 0;
}

bool lvd_verify(const uint8_t *public_key, const uint8_t *bytes, size_t count, const uint8_t *signature) {
  return crypto_sign_verify_detached(signature, bytes, count, public_key) == 0;
}

void lvd_random(uint8_t *bytes, size_t count) { randombytes_buf(bytes, count); }

void lvd_wipe(void *bytes, size_t count) {
  if (count) sodium_memzero(bytes, count);
}

// Keys, and values under them: libsodium.
#include "csecrets.h"

#include <sodium.h>
#include <string.h>

_Static_assert(LVK_KEY == crypto_aead_xchacha20poly1305_ietf_KEYBYTES && LVK_NONCE == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES &&
                 LVK_TAG == crypto_aead_xchacha20poly1305_ietf_ABYTES,
               "XChaCha20-Poly1305");

bool lvk_begin(void) { return sodium_init() >= 0; }

// What is allocated before libsodium is ready does not look like its own afterwards: freeing it would end the process.
uint8_t *lvk_key_make(void) { return lvk_begin() ? sodium_malloc(LVK_KEY) : NULL; }

void lvk_key_free(uint8_t *key) { sodium_free(key); }

void lvk_random(void *bytes, size_t count) { randombytes_buf(bytes, count); }

void lvk_wipe(void *bytes, size_t count) {
  if (count) sodium_memzero(bytes, count);
}

// The beginning of BLAKE2b of the key, under a name of its own.
void lvk_key_id(const uint8_t *key, uint8_t *id) {
  static const char name[] = "livery key id";
  uint8_t hash[crypto_generichash_BYTES];
  crypto_generichash_state state;
  crypto_generichash_init(&state, NULL, 0, sizeof hash);
  crypto_generichash_update(&state, (const uint8_t *)name, sizeof name - 1);
  crypto_generichash_update(&state, key, LVK_KEY);
  crypto_generichash_final(&state, hash, sizeof hash);
  memcpy(id, hash, LVK_ID);
  sodium_memzero(&state, sizeof state);
}

// A context is bounded: the names of settings are. With the id behind it.
static bool associate(uint8_t *associated, size_t capacity, const void *context, size_t length, const uint8_t *id) {
  if (length > capacity - LVK_ID) return false;
  memcpy(associated, context, length);
  memcpy(associated + length, id, LVK_ID);
  return true;
}

size_t lvk_seal(const uint8_t *key, const void *context, size_t context_length, const void *bytes, size_t length,
                void *buffer, size_t capacity) {
  uint8_t associated[1024], *out = buffer;
  const size_t padded = length - length % LVK_BLOCK + LVK_BLOCK, head = LVK_ID + LVK_NONCE;
  if (capacity < head + padded + LVK_TAG) return 0;
  lvk_key_id(key, out);
  if (!associate(associated, sizeof associated, context, context_length, out)) return 0;
  randombytes_buf(out + LVK_ID, LVK_NONCE);
  size_t end = 0;
  if (length) memcpy(out + head, bytes, length);
  if (sodium_pad(&end, out + head, length, LVK_BLOCK, padded) != 0 || end != padded) return 0;
  unsigned long long written = 0;
  crypto_aead_xchacha20poly1305_ietf_encrypt(out + head, &written, out + head, padded, associated, context_length + LVK_ID, NULL,
                                             out + LVK_ID, key);
  return head + (size_t)written;
}

bool lvk_open(const uint8_t *key, const void *context, size_t context_length, const void *bytes, size_t length,
              void *buffer, size_t capacity, size_t *written) {
  uint8_t associated[1024];
  const uint8_t *from = bytes;
  const size_t head = LVK_ID + LVK_NONCE;
  if (length < head + LVK_BLOCK + LVK_TAG || (length - head - LVK_TAG) % LVK_BLOCK != 0 || capacity < length - head - LVK_TAG)
    return false;
  if (!associate(associated, sizeof associated, context, context_length, from)) return false;
  unsigned long long opened = 0;
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(buffer, &opened, NULL, from + head, length - head, associated,
                                                 context_length + LVK_ID, from + LVK_ID, key) != 0)
    return false;
  if (sodium_unpad(written, buffer, (size_t)opened, LVK_BLOCK) == 0) return true;
  sodium_memzero(buffer, (size_t)opened);
  return false;
}

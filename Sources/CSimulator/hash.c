#include <cfleet.h>
#include <string.h>

// SHA-256 with the instructions that processors have for it: libsodium does without them, and devices take hashes all the time.
// The linker puts it in the place of `lvd_hash` (--wrap).
void __real_lvd_hash(const uint8_t *bytes, size_t count, uint8_t *hash);
void __wrap_lvd_hash(const uint8_t *bytes, size_t count, uint8_t *hash);

#if defined __x86_64__
#include <immintrin.h>

// FIPS 180-4, §4.2.2: the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] __attribute__((aligned(16))) = {
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

typedef struct {
  __m128i abef, cdgh;
} state;

__attribute__((target("sha,sse4.1"))) static state compress(state before, const uint8_t *block) {
  const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i words[4];
  for (int part = 0; part < 4; part++)
    words[part] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * part)), order);
  state now = before;
#pragma GCC unroll 16
  for (int step = 0; step < 16; step++) {
    const __m128i first = words[step % 4], second = words[(step + 1) % 4], third = words[(step + 2) % 4],
                  fourth = words[(step + 3) % 4];
    const __m128i sum = _mm_add_epi32(first, _mm_load_si128((const __m128i *)(constants + 4 * step)));
    now.cdgh = _mm_sha256rnds2_epu32(now.cdgh, now.abef, sum);
    now.abef = _mm_sha256rnds2_epu32(now.abef, now.cdgh, _mm_shuffle_epi32(sum, 0x0e));
    // The words of the fourth step from here.
    if (step < 12)
      words[step % 4] = _mm_sha256msg2_epu32(
        _mm_add_epi32(_mm_sha256msg1_epu32(first, second), _mm_alignr_epi8(fourth, third, 4)), fourth);
  }
  return (state){_mm_add_epi32(now.abef, before.abef), _mm_add_epi32(now.cdgh, before.cdgh)};
}

__attribute__((target("sha,sse4.1"))) static void hash_of(const uint8_t *bytes, size_t count, uint8_t *hash) {
  state now = {
    _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c),
    _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19)};
  size_t left = count;
  for (; left >= 64; left -= 64, bytes += 64) now = compress(now, bytes);
  uint8_t end[128] = {0};
  if (left) memcpy(end, bytes, left);
  end[left] = 0x80;
  const size_t size = left < 56 ? 64 : 128;
  for (int place = 0; place < 8; place++) end[size - 1 - place] = (uint8_t)((uint64_t)count * 8 >> 8 * place);
  now = compress(now, end);
  if (size == 128) now = compress(now, end + 64);
  const uint32_t words[8] = {
    (uint32_t)_mm_extract_epi32(now.abef, 3), (uint32_t)_mm_extract_epi32(now.abef, 2),
    (uint32_t)_mm_extract_epi32(now.cdgh, 3), (uint32_t)_mm_extract_epi32(now.cdgh, 2),
    (uint32_t)_mm_extract_epi32(now.abef, 1), (uint32_t)_mm_extract_epi32(now.abef, 0),
    (uint32_t)_mm_extract_epi32(now.cdgh, 1), (uint32_t)_mm_extract_epi32(now.cdgh, 0)};
  for (int place = 0; place < LVD_HASH; place++) hash[place] = (uint8_t)(words[place / 4] >> (24 - place % 4 * 8));
}

// Whether the processor can, and it comes to the same as libsodium's for every length of an end.
static bool is_usable(void) {
  if (!__builtin_cpu_supports("sse4.1")) return false;
  unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
  __asm__("cpuid" : "=a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx) : "a"(7), "c"(0));
  if (!(ebx >> 29 & 1)) return false;
  uint8_t bytes[200], mine[LVD_HASH], known[LVD_HASH];
  for (size_t count = 0; count < sizeof bytes; count++) {
    bytes[count] = (uint8_t)(count * 151 + 7);
    hash_of(bytes, count, mine);
    __real_lvd_hash(bytes, count, known);
    if (memcmp(mine, known, sizeof known) != 0) return false;
  }
  return true;
}

static bool has_instructions;

__attribute__((constructor)) static void look(void) { has_instructions = is_usable(); }

void __wrap_lvd_hash(const uint8_t *bytes, size_t count, uint8_t *hash) {
  if (has_instructions)
    hash_of(bytes, count, hash);
  else
    __real_lvd_hash(bytes, count, hash);
}
#else
void __wrap_lvd_hash(const uint8_t *bytes, size_t count, uint8_t *hash) { __real_lvd_hash(bytes, count, hash); }
#endif

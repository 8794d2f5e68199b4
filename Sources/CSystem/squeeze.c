// Text in less space: the block format of LZ4, as its specification has it (lz4_Block_format.md).
//
// A block is a row of sequences. Each begins with a token: 4 bits for the number of literals, 4 bits for the length of the match
// less 4; 15 says that bytes follow that are added, up to one that is not 255. Then come the literals, 2 bytes of how far back
// the match is, little-endian, and the rest of its length. The last sequence has literals alone, at least 5 of them.
#include "csystem.h"

#include <string.h>

enum { LEAST_MATCH = 4, LAST_LITERALS = 5, MATCH_MARGIN = 12, FARTHEST = 65535, HASH_BITS = 12 };

static uint32_t four(const uint8_t *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static size_t put_rest(uint8_t *out, size_t rest) {
  size_t used = 0;
  for (; rest >= 255; rest -= 255) out[used++] = 255;
  out[used++] = (uint8_t)rest;
  return used;
}

static size_t put_sequence(uint8_t *out, const uint8_t *literals, size_t count, size_t distance, size_t match) {
  size_t used = 1, more = match - LEAST_MATCH;
  uint8_t token = (uint8_t)((count < 15 ? count : 15) << 4);
  if (count >= 15) used += put_rest(out + used, count - 15);
  memcpy(out + used, literals, count);
  used += count;
  if (distance) {
    token |= (uint8_t)(more < 15 ? more : 15);
    out[used++] = (uint8_t)distance;
    out[used++] = (uint8_t)(distance >> 8);
    if (more >= 15) used += put_rest(out + used, more - 15);
  }
  out[0] = token;
  return used;
}

size_t lvs_squeeze_bound(size_t count) { return count + count / 255 + 16; }

size_t lvs_squeeze(const uint8_t *text, size_t count, uint8_t *out) {
  // Places where four bytes were seen last, by their hash, plus one.
  uint32_t seen[1 << HASH_BITS];
  memset(seen, 0, sizeof seen);
  size_t used = 0, anchor = 0, at = 0;
  while (count > MATCH_MARGIN && at < count - MATCH_MARGIN) {
    uint32_t *place = &seen[four(text + at) * 2654435761u >> (32 - HASH_BITS)];
    size_t before = *place;
    *place = (uint32_t)(at + 1);
    if (before == 0 || at + 1 - before > FARTHEST || four(text + before - 1) != four(text + at)) {
      at++;
      continue;
    }
    size_t distance = at + 1 - before, match = LEAST_MATCH;
    while (at + match < count - LAST_LITERALS && text[at + match] == text[at + match - distance]) match++;
    used += put_sequence(out + used, text + anchor, at - anchor, distance, match);
    at += match;
    anchor = at;
  }
  return used + put_sequence(out + used, text + anchor, count - anchor, 0, LEAST_MATCH);
}

// A length that goes on behind its 4 bits; false if it is cut off, or longer than anything can be.
static bool take_rest(const uint8_t *block, size_t count, size_t *at, size_t *length, size_t most) {
  if (*length != 15) return true;
  uint8_t byte = 255;
  while (byte == 255) {
    if (*at == count || *length > most) return false;
    byte = block[(*at)++];
    *length += byte;
  }
  return true;
}

bool lvs_unsqueeze(const uint8_t *block, size_t count, uint8_t *out, size_t size) {
  size_t at = 0, made = 0;
  while (at < count) {
    size_t literals = block[at] >> 4, match = block[at] & 15;
    at++;
    if (!take_rest(block, count, &at, &literals, size) || literals > count - at || literals > size - made) return false;
    memcpy(out + made, block + at, literals);
    at += literals;
    made += literals;
    if (at == count) return match == 0 && made == size;
    if (count - at < 2) return false;
    size_t distance = block[at] | (size_t)block[at + 1] << 8;
    at += 2;
    if (!take_rest(block, count, &at, &match, size)) return false;
    match += LEAST_MATCH;
    if (distance == 0 || distance > made || match > size - made) return false;
    // The match may overlap what it makes.
    for (size_t index = 0; index < match; index++) out[made + index] = out[made + index - distance];
    made += match;
  }
  return false;
}

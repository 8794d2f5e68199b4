#define _GNU_SOURCE
#include "csystem.h"

#include "fold-table.h"

// The folding of a character into UTF-8; see tools/fold.

static size_t put(uint32_t number, uint8_t *out) {
  if (number < 0x80) {
    out[0] = (uint8_t)number;
    return 1;
  }
  size_t count = number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
  for (size_t index = count - 1; index > 0; index--) {
    out[index] = (uint8_t)(0x80 | (number & 0x3F));
    number >>= 6;
  }
  static const uint8_t heads[] = {0, 0, 0xC0, 0xE0, 0xF0};
  out[0] = (uint8_t)(heads[count] | number);
  return count;
}

// The run that a character is in, or NULL.
static const fold_run *run_of(uint32_t number) {
  size_t low = fold_planes[number >> 16], end = fold_planes[(number >> 16) + 1], high = end;
  uint16_t wanted = (uint16_t)number;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (fold_runs[middle].first <= wanted) low = middle + 1; else high = middle;
  }
  if (low == fold_planes[number >> 16]) return NULL;
  const fold_run *run = &fold_runs[low - 1];
  uint32_t distance = (uint32_t)wanted - run->first;
  if ((run->form & FOLD_FORMS) == FOLD_EVERY_SECOND) return distance % 2 == 0 && distance / 2 < run->count ? run : NULL;
  return distance < run->count ? run : NULL;
}

static size_t fold_other(uint32_t number, uint8_t *out) {
  const fold_run *run = run_of(number);
  if (!run) return put(number, out);
  uint32_t rest = run->form >> FOLD_SHIFT, distance = (uint16_t)number - (uint32_t)run->first;
  switch (run->form & FOLD_FORMS) {
  case FOLD_AWAY: return 0;
  case FOLD_ALIKE: return put(rest << 16 | run->target, out);
  case FOLD_EXPAND:
    memcpy(out, fold_expansions + run->target, rest);
    return rest;
  default: return put((rest << 16 | run->target) + distance, out);
  }
}

static size_t fold_hangul(uint32_t syllable, uint8_t *out) {
  size_t count = put(0x1100 + syllable / 588, out);
  count += put(0x1161 + syllable % 588 / 28, out + count);
  return syllable % 28 == 0 ? count : count + put(0x11A7 + syllable % 28, out + count);
}

// The character at a place of UTF-8, and its bytes; UINT32_MAX for what is none.
static uint32_t character(const uint8_t *text, size_t left, size_t *length) {
  static const uint8_t lengths[16] = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 3, 4};
  size_t count = *length = lengths[text[0] >> 4];
  if (count == 1) return text[0];
  if (count == 0 || count > left) return *length = 1, UINT32_MAX;
  uint32_t number = text[0] & (0x7Fu >> count);
  for (size_t index = 1; index < count; index++) number = number << 6 | (text[index] & 0x3Fu);
  return number < 0x110000 ? number : UINT32_MAX;
}

// Writes what the character at a place folds to, and tells its bytes.
static size_t fold_character(const uint8_t *text, size_t left, uint8_t *out, size_t *length) {
  uint32_t number = character(text, left, length);
  if (number == UINT32_MAX) return 0;
  if (number - 0xAC00 < 11172) return fold_hangul(number - 0xAC00, out);
  return fold_other(number, out);
}

size_t lvs_fold(const uint8_t *text, size_t count, uint8_t *out) {
  uint8_t *start = out;
  for (size_t place = 0; place < count;) {
    uint8_t byte = text[place];
    if (byte < 0x80) {
      *out++ = (uint8_t)(byte - 'A') < 26 ? byte + 32 : byte;
      place++;
    } else {
      size_t length;
      out += fold_character(text + place, count - place, out, &length);
      place += length;
    }
  }
  return (size_t)(out - start);
}

void lvs_fold_place(const uint8_t *text, size_t count, size_t *start, size_t *end) {
  size_t from = *start, to = *end, folded = 0;
  bool has_begun = false;
  for (size_t place = 0, length; place < count; place += length) {
    uint8_t out[LVS_FOLD_MOST * 4];
    size_t made = fold_character(text + place, count - place, out, &length);
    // What follows the last character and folds to nothing belongs to it.
    if (has_begun && folded >= to && made > 0) return;
    if (!has_begun && folded + made > from) {
      *start = place;
      has_begun = true;
    }
    folded += made;
    if (has_begun) *end = place + length;
  }
}

size_t lvs_find(const uint8_t *text, size_t count, const uint8_t *word, size_t length) {
  const uint8_t *found = memmem(text, count, word, length);
  return found ? (size_t)(found - text) : SIZE_MAX;
}

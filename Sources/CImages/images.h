// Between the decoders and what they share.
#ifndef IMAGES_H
#define IMAGES_H

#include "cimages.h"

#define HIDDEN __attribute__((visibility("hidden")))

// What becomes of the pixels of an image.
typedef struct tally tally;

// What a decoder works with.
typedef struct source {
  const uint8_t *bytes;
  size_t length;
  tally *tally;
  // Monotonic, in milliseconds.
  int64_t deadline;
  lvi_outcome outcome;
  char *reason;
} source;

// Says why an image cannot be judged; false. What `outcome` says already stays.
HIDDEN bool refuse(source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same for what may be otherwise another time.
HIDDEN bool fail_for_now(source *source, lvi_outcome outcome, const char *format, ...) __attribute__((format(printf, 3, 4)));
HIDDEN bool fail_for_memory(source *source);
HIDDEN bool fail_for_time(source *source);
HIDDEN bool is_late(const source *source);
HIDDEN int64_t now_ms(void);
// Whether an image of this size may be decoded, for which so many bytes of memory are needed.
HIDDEN bool may_have(source *source, uint64_t width, uint64_t height, uint64_t memory);

// A tally for an image of a size; false if there is no memory.
HIDDEN bool tally_begin(source *source, uint32_t width, uint32_t height);
// Adds one pixel after another of a row: from column `x` on, each `step` columns.
HIDDEN void tally_rgba(tally *tally, uint32_t y, uint32_t x, uint32_t step, const uint8_t *pixels, uint32_t count);
HIDDEN void tally_rgb(tally *tally, uint32_t y, uint32_t x, uint32_t step, const uint8_t *pixels, uint32_t count);
HIDDEN void tally_gray(tally *tally, uint32_t y, uint32_t x, uint32_t step, const uint8_t *pixels, uint32_t count);
// Adds pixels of which nothing is seen.
HIDDEN void tally_nothing(tally *tally, uint32_t y, uint32_t x, uint32_t count);
// The length of the fact; 0 if there was no memory.
HIDDEN size_t tally_end(tally *tally, int orientation, uint8_t fact[LVI_FACT_MAX]);
HIDDEN void tally_free(tally *tally);

HIDDEN bool decode_png(source *source);
HIDDEN bool decode_jpeg(source *source);
HIDDEN bool decode_webp(source *source);
HIDDEN bool decode_svg(source *source);
// What the program that draws SVG has written.
HIDDEN bool take_pixels(source *source, const uint8_t *drawn, size_t size);

#endif

// Decodes images row by row, within limits, into what legibility is judged by (clegibility.h).
#ifndef CIMAGES_H
#define CIMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Media types that are decoded.
typedef enum lvi_type { LVI_OTHER, LVI_PNG, LVI_JPEG, LVI_WEBP, LVI_SVG } lvi_type;

enum {
  // The most bytes of buffers that judging an image takes, beside those of the image.
  LVI_MEMORY_MAX = 256 << 20,
  // The address space of the process that draws SVG.
  LVI_SVG_MEMORY_MAX = 512 << 20,
  // The longest a decoder works, in milliseconds.
  LVI_TIME_MAX = 10000,
#ifdef LIVERY_FUZZ
  // As many inputs as can be.
  LVI_PIXELS_MAX = 1 << 14,
#else
  LVI_PIXELS_MAX = 1 << 26,
#endif
  // The longer side that an SVG image is drawn at, and its longest document in bytes.
  LVI_SVG_SIDE = 1024,
  LVI_SVG_BYTES_MAX = 4 << 20,
  LVI_FACT_MAX = 4096,
  LVI_REASON_MAX = 200,
};

typedef enum lvi_outcome {
  LVI_DONE,
  // The image will never be judged.
  LVI_REFUSED,
  // It may be another time: there is nothing to draw SVG with, what draws it did not get to the document's end, or no memory.
  LVI_UNAVAILABLE,
  LVI_NO_MEMORY,
} lvi_outcome;

// Judges an image: the fact, or the reason why it cannot be judged.
lvi_outcome lvi_judge(const void *bytes, size_t length, lvi_type type, int orientation, uint8_t fact[LVI_FACT_MAX],
                      size_t *fact_length, char reason[LVI_REASON_MAX]);

// The fact that an image cannot be judged.
size_t lvi_refusal(const char *reason, uint8_t fact[LVI_FACT_MAX]);

// What the program that draws SVG is called with (svg.c): the document is at standard input, and what is drawn goes to the file
// at standard output, as lvi_drawn and its pixels. An lvi_drawn without size and reason is there while it draws: if it ends
// then, the document has ended it.
#define LVI_DRAW_SVG "--draw-svg"

// Stands before pixels of four bytes: red, green, blue, alpha.
typedef struct lvi_drawn {
  uint32_t magic, width, height;
  // What is wrong with the document, if there are no pixels.
  char reason[116];
} lvi_drawn;
enum { LVI_DRAWN = 0x4c495653 };

#endif

// What is kept of an image to judge text on it by, and the judgement: how much of it a text has too little contrast on.
//
// An image is reduced to the luminance of its pixels, in two ways: quantiles of the whole, and a grid of cells with fewer
// quantiles each, for text that lies in some places only. What is behind pixels that are not opaque is not known yet, so
// these are kept as colors with alpha. Layout, little-endian, unaligned:
//
//     0   version      u8    1
//     1   kind         u8    0: the image was refused, and the rest is the reason, UTF-8; 1: it was judged
//     2   hasAlpha     u8    whether some pixel is not opaque
//     3   colors       u8    how many colors with alpha there are
//     4   width        u32   in pixels, as shown
//     8   height       u32
//    12   opaque       u32   share of opaque pixels, in 1/1,000,000,000
//    16   transparent  u32   share of pixels of which nothing is seen
//    20   levels       384 u16: the luminance of opaque pixels in 1/65535, at the quantiles 1/768, 3/768 … 767/768
//    788  cells        10 rows of 10 cells of 12 u8: the square root of the luminance in 1/255, at 1/24, 3/24 … 23/24. Of a
//                      cell with one luminance 255, 0, and a u16: the luminance in 1/65535. These two bytes begin no other cell,
//                      as quantiles do not fall.
//   If it has alpha:
//   1988  cells        100 of 6 u8: opaque and transparent pixels in 1/255; mean red, green, blue, alpha of the others
//   2588  colors       6 bytes each: red, green, blue, alpha, and a u16: how much of what is left each of them is
#ifndef CLEGIBILITY_H
#define CLEGIBILITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  LVL_VERSION = 1,
  LVL_REFUSED = 0,
  LVL_JUDGED = 1,
  LVL_LEVELS = 384,
  LVL_GRID = 10,
  LVL_CELLS = LVL_GRID * LVL_GRID,
  LVL_CELL_LEVELS = 12,
  LVL_FLAT = 255,
  LVL_COLORS = 250,
  LVL_AT_LEVELS = 20,
  LVL_AT_CELLS = LVL_AT_LEVELS + 2 * LVL_LEVELS,
  LVL_AT_ALPHA = LVL_AT_CELLS + LVL_CELLS * LVL_CELL_LEVELS,
  LVL_AT_COLORS = LVL_AT_ALPHA + LVL_CELLS * 6,
  LVL_SIZE_MAX = LVL_AT_COLORS + LVL_COLORS * 6,
  LVL_UNIT = 1000000000,
};
_Static_assert(LVL_AT_CELLS == 788 && LVL_AT_ALPHA == 1988 && LVL_AT_COLORS == 2588 && LVL_SIZE_MAX <= 4096, "the layout");

// A color in sRGB, components from 0 to 1, alpha not premultiplied.
typedef struct lvl_color {
  double red, green, blue, alpha;
} lvl_color;

// A part of the image in fractions of its sides, and how much it counts for its area.
typedef struct lvl_area {
  double x, y, width, height, weight;
} lvl_area;

// The relative luminance of WCAG 2.x; alpha does not count.
double lvl_luminance(lvl_color color);

// The contrast of WCAG 2.x of two luminances, from 1 to 21.
double lvl_contrast(double one, double other);

// What the bytes are: LVL_REFUSED or LVL_JUDGED, or -1 if they are damaged, or of a newer version.
int lvl_kind(const uint8_t *fact, size_t length);

// The share of pixels on which text has a contrast of less than `required`, from 0 to 1: of the whole image, or of areas.
// Pixels that are not opaque are seen over the background, which is seen over white. -1 if the bytes are no judgement, or if
// no area is in the image.
double lvl_share(const uint8_t *fact, size_t length, lvl_color text, lvl_color background, double required,
                 const lvl_area *areas, size_t count);

#endif

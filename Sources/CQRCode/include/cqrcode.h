// A short text as a QR code (ISO/IEC 18004), by libqrencode, which the first one loads; and the code as a drawing.
#ifndef CQRCODE_H
#define CQRCODE_H

#include <livery/base.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  // Modules along a side of the largest code.
  LVQ_SIDE_MAX = 177,
  // The light ones that have to surround a code, along each side.
  LVQ_QUIET = 4,
};

// How much of a code may be unreadable: about 7, 15, 25, 30 percent of it. More makes it larger, and its modules smaller.
typedef enum lvq_level { LVQ_LOW, LVQ_MEDIUM, LVQ_QUARTILE, LVQ_HIGH } lvq_level;

typedef struct lvq_code {
  // Modules along a side, without those that surround it.
  size_t side;
  // Row by row; 1 for dark.
  uint8_t modules[LVQ_SIDE_MAX * LVQ_SIDE_MAX];
} lvq_code;

// The code of a text. LVQ_ENROLLMENT is the level for the codes of an enrollment.
// LIVERY_ERROR_INVALID_ARGUMENT: it is empty, or longer than a code can be; LIVERY_ERROR_UNAVAILABLE: libqrencode cannot be
// loaded; LIVERY_ERROR_NO_MEMORY. livery_last_error() has more.
livery_status lvq_make(const char *text, lvq_level level, lvq_code *code);
// As Tests/QRCode/measure.py has found.
#define LVQ_ENROLLMENT LVQ_MEDIUM

// Both draw what surrounds it, too, write at most `capacity` bytes with a NUL at the end, and return how many bytes the whole has
// without it.

// As an image in SVG 1.1: an element `svg` without a size, to stand in a page or alone, black on white.
size_t lvq_draw_svg(const lvq_code *code, char *text, size_t capacity);
// As lines of half blocks in UTF-8, two rows each. With colors, by escape sequences of ECMA-48, it is black on white
// everywhere; without, the letters have to be lighter than what is behind them.
size_t lvq_draw_blocks(const lvq_code *code, bool has_colors, char *text, size_t capacity);

#endif

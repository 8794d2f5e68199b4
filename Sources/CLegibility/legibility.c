#include "clegibility.h"

#include <math.h>

static double linear(double component) {
  return component <= 0.04045 ? component / 12.92 : pow((component + 0.055) / 1.055, 2.4);
}

double lvl_luminance(lvl_color color) {
  return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

double lvl_contrast(double one, double other) { return (fmax(one, other) + 0.05) / (fmin(one, other) + 0.05); }

static uint32_t u16(const uint8_t *bytes) { return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8; }
static uint32_t u32(const uint8_t *bytes) { return u16(bytes) | u16(bytes + 2) << 16; }

int lvl_kind(const uint8_t *fact, size_t length) {
  if (length < 2 || fact[0] != LVL_VERSION) return -1;
  if (fact[1] == LVL_REFUSED) return LVL_REFUSED;
  if (fact[1] != LVL_JUDGED || length < LVL_AT_ALPHA) return -1;
  size_t colors = fact[3];
  bool has_alpha = fact[2] != 0;
  if (colors > LVL_COLORS || (!has_alpha && colors > 0)) return -1;
  if (length != (has_alpha ? LVL_AT_COLORS + colors * 6 : LVL_AT_ALPHA)) return -1;
  uint64_t opaque = u32(fact + 12), transparent = u32(fact + 16);
  if (opaque + transparent > LVL_UNIT || (!has_alpha && opaque != LVL_UNIT)) return -1;
  return LVL_JUDGED;
}

static lvl_color over(lvl_color above, lvl_color beneath) {
  double rest = 1 - above.alpha;
  return (lvl_color){above.red * above.alpha + beneath.red * rest, above.green * above.alpha + beneath.green * rest,
                     above.blue * above.alpha + beneath.blue * rest, 1};
}

// What is judged: a text, and what is behind what is not opaque.
typedef struct judge {
  lvl_color text, background;
  double luminance, required;
} judge;

static bool fails_on(const judge *judge, double luminance) {
  double text = judge->luminance;
  if (judge->text.alpha < 1) {
    // Of the color behind it the luminance alone is known: it is taken for the gray that has it.
    double gray = luminance <= 0.0031308 ? luminance * 12.92 : 1.055 * pow(luminance, 1 / 2.4) - 0.055;
    text = lvl_luminance(over(judge->text, (lvl_color){gray, gray, gray, 1}));
  }
  return lvl_contrast(text, luminance) < judge->required;
}

static bool fails_on_color(const judge *judge, const uint8_t *rgba) {
  lvl_color color = {rgba[0] / 255.0, rgba[1] / 255.0, rgba[2] / 255.0, rgba[3] / 255.0};
  return fails_on(judge, lvl_luminance(over(color, judge->background)));
}

static double whole(const uint8_t *fact, const judge *judge) {
  int failing = 0;
  for (int index = 0; index < LVL_LEVELS; index++)
    failing += fails_on(judge, u16(fact + LVL_AT_LEVELS + 2 * index) / 65535.0);
  double opaque = u32(fact + 12) / (double)LVL_UNIT, transparent = u32(fact + 16) / (double)LVL_UNIT;
  double share = opaque * failing / LVL_LEVELS;
  if (transparent > 0 && fails_on(judge, lvl_luminance(judge->background))) share += transparent;
  double weights = 0, failed = 0;
  for (int index = 0; index < fact[3]; index++) {
    const uint8_t *color = fact + LVL_AT_COLORS + 6 * index;
    weights += u16(color + 4);
    if (fails_on_color(judge, color)) failed += u16(color + 4);
  }
  return weights > 0 ? share + (1 - opaque - transparent) * failed / weights : share;
}

static double of_cell(const uint8_t *fact, const judge *judge, int cell) {
  const uint8_t *levels = fact + LVL_AT_CELLS + cell * LVL_CELL_LEVELS;
  int failing = 0;
  bool is_flat = levels[0] == LVL_FLAT && levels[1] == 0;
  for (int index = 0; !is_flat && index < LVL_CELL_LEVELS; index++) {
    double root = levels[index] / 255.0;
    failing += fails_on(judge, root * root);
  }
  double share = is_flat ? fails_on(judge, u16(levels + 2) / 65535.0) : (double)failing / LVL_CELL_LEVELS;
  if (!fact[2]) return share;
  const uint8_t *alpha = fact + LVL_AT_ALPHA + 6 * cell;
  double opaque = alpha[0] / 255.0, transparent = alpha[1] / 255.0, rest = fmax(0, 1 - opaque - transparent);
  share *= opaque;
  if (transparent > 0 && fails_on(judge, lvl_luminance(judge->background))) share += transparent;
  if (rest > 0 && fails_on_color(judge, alpha + 2)) share += rest;
  return share;
}

// How much of the step of the grid that begins at `start` is within two bounds, all in steps.
static double covered(double from, double to, int start) {
  return fmax(0, fmin(to, start + 1) - fmax(from, start));
}

double lvl_share(const uint8_t *fact, size_t length, lvl_color text, lvl_color background, double required,
                 const lvl_area *areas, size_t count) {
  if (lvl_kind(fact, length) != LVL_JUDGED) return -1;
  judge judge = {text, over(background, (lvl_color){1, 1, 1, 1}), lvl_luminance(text), required};
  if (count == 0) return fmin(1, whole(fact, &judge));
  double cells[LVL_CELLS], weights = 0, failed = 0;
  for (int cell = 0; cell < LVL_CELLS; cell++) cells[cell] = of_cell(fact, &judge, cell);
  for (size_t index = 0; index < count; index++) {
    lvl_area area = areas[index];
    double left = area.x * LVL_GRID, right = left + area.width * LVL_GRID;
    double top = area.y * LVL_GRID, bottom = top + area.height * LVL_GRID;
    for (int cell = 0; cell < LVL_CELLS; cell++) {
      double part = covered(left, right, cell % LVL_GRID) * covered(top, bottom, cell / LVL_GRID) * area.weight;
      weights += part;
      failed += part * cells[cell];
    }
  }
  return weights > 0 ? fmin(1, failed / weights) : -1;
}

// From pixels to what is kept of an image.
#include "images.h"

#include <clegibility.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
  SLOT_BITS = 13,
  SLOTS = 1 << SLOT_BITS,
  COLORS = SLOTS / 2,
  // Where the parts of a color's key are: luma, two differences of colors, alpha.
  LUMA = 0,
  CO = 8,
  CG = 16,
  ALPHA = 24,
};

// Pixels that are much the same and not opaque. The sums of red, green and blue are weighted by alpha.
typedef struct color {
  uint32_t key, count;
  uint64_t red, green, blue, alpha;
} color;

typedef struct cell {
  uint32_t levels[256];
  uint32_t opaque, transparent;
  // The least and the greatest luminance of opaque pixels, in 1/65535.
  uint16_t darkest, lightest;
  color others;
} cell;

// A color for what it adds to what is seen: premultiplied luma, alpha, and differences of colors, which count less.
typedef struct point {
  double at[4];
  const color *color;
} point;

// Points that are to become one color, and how to take them apart: by whether they are above the mean on an axis.
typedef struct box {
  uint32_t start, count;
  int axis;
  double mean, spread;
} box;

// Colors whose bits of `mask` are the same are one.
typedef struct palette {
  uint32_t mask, colors;
  int coarser;
  color table[SLOTS], kept[COLORS];
  point points[COLORS];
} palette;

struct tally {
  uint32_t width, height;
  // Where each column of cells begins, and where the last one ends.
  uint32_t bounds[LVL_GRID + 1];
  uint32_t levels[65536];
  uint64_t opaque, transparent, translucent;
  cell cells[LVL_CELLS];
  // Made for the first pixel that is neither opaque nor transparent.
  palette *palette;
  bool has_no_memory;
};

// Luminance in 1/65535 that a component adds, and the root of a luminance in 1/255.
static float red_part[256], green_part[256], blue_part[256];
static uint8_t roots[65536];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_tables(void) {
  for (int value = 0; value < 256; value++) {
    double share = value / 255.0;
    double luminance = 65535 * lvl_luminance((lvl_color){share, share, share, 1});
    red_part[value] = (float)(0.2126 * luminance);
    green_part[value] = (float)(0.7152 * luminance);
    blue_part[value] = (float)(0.0722 * luminance);
  }
  for (int level = 0; level < 65536; level++) roots[level] = (uint8_t)lround(255 * sqrt(level / 65535.0));
}

bool tally_begin(source *source, uint32_t width, uint32_t height) {
  pthread_once(&once, fill_tables);
  tally *tally = calloc(1, sizeof *tally);
  if (!tally) return fail_for_memory(source);
  tally->width = width;
  tally->height = height;
  for (uint64_t index = 0; index <= LVL_GRID; index++)
    tally->bounds[index] = (uint32_t)((index * width + LVL_GRID - 1) / LVL_GRID);
  source->tally = tally;
  return true;
}

void tally_free(tally *tally) {
  if (tally) free(tally->palette);
  free(tally);
}

// The place of a color in the table, which there is room in.
static color *slot_for(palette *palette, uint32_t key) {
  uint32_t slot = (key * 2654435761u) >> (32 - SLOT_BITS);
  while (palette->table[slot].count && palette->table[slot].key != key) slot = (slot + 1) % SLOTS;
  if (!palette->table[slot].count) {
    palette->table[slot] = (color){.key = key};
    palette->colors++;
  }
  return &palette->table[slot];
}

static void add(color *to, const color *from) {
  to->count += from->count;
  to->red += from->red;
  to->green += from->green;
  to->blue += from->blue;
  to->alpha += from->alpha;
}

// Makes one of colors that differ in the last bit that tells them apart, of one part of the key after the other. What a color
// adds to luminance, and alpha, are told apart the longest.
static void coarsen(palette *palette) {
  static const uint8_t order[] = {CO, CG, CO, CG, CO, CG, LUMA, ALPHA, LUMA, ALPHA, CO, CG};
  int part = order[palette->coarser++ % sizeof order];
  uint32_t bits = palette->mask >> part & 0xFF;
  palette->mask = (palette->mask & ~(0xFFu << part)) | (bits << 1 & 0xFF) << part;
  uint32_t count = 0;
  for (int slot = 0; slot < SLOTS; slot++) {
    if (palette->table[slot].count) palette->kept[count++] = palette->table[slot];
    palette->table[slot].count = 0;
  }
  palette->colors = 0;
  for (uint32_t index = 0; index < count; index++) {
    const color *color = &palette->kept[index];
    add(slot_for(palette, color->key & palette->mask), color);
  }
}

static uint32_t key_of(const uint8_t *rgba) {
  int red = rgba[0], green = rgba[1], blue = rgba[2];
  uint32_t luma = (uint32_t)(54 * red + 183 * green + 19 * blue) >> 8;
  uint32_t co = (uint32_t)(255 + red - blue) >> 1, cg = (uint32_t)(255 + green - (red + blue) / 2) >> 1;
  return luma << LUMA | co << CO | cg << CG | (uint32_t)rgba[3] << ALPHA;
}

static void add_translucent(tally *tally, cell *cell, const uint8_t *rgba) {
  uint64_t alpha = rgba[3];
  color one = {0, 1, rgba[0] * alpha, rgba[1] * alpha, rgba[2] * alpha, alpha};
  tally->translucent++;
  add(&cell->others, &one);
  palette *palette = tally->palette;
  if (!palette) {
    palette = tally->palette = calloc(1, sizeof *palette);
    tally->has_no_memory = !palette;
    if (!palette) return;
    palette->mask = 0xFFFFFFFF;
  }
  while (palette->colors >= COLORS) coarsen(palette);
  add(slot_for(palette, key_of(rgba) & palette->mask), &one);
}

static void add_opaque(tally *tally, cell *cell, uint8_t red, uint8_t green, uint8_t blue) {
  uint32_t level = (uint32_t)(red_part[red] + green_part[green] + blue_part[blue] + 0.5f);
  if (level > 65535) level = 65535;
  tally->levels[level]++;
  cell->levels[roots[level]]++;
  if (!cell->opaque || level < cell->darkest) cell->darkest = (uint16_t)level;
  if (level > cell->lightest) cell->lightest = (uint16_t)level;
  cell->opaque++;
}

// Calls for each pixel with its cell.
#define EACH_PIXEL(statement)                                                                                           \
  cell *row = &tally->cells[(uint64_t)y * LVL_GRID / tally->height * LVL_GRID];                                        \
  int column = 0;                                                                                                      \
  for (uint32_t index = 0; index < count && x < tally->width; index++, x += step) {                                    \
    while (x >= tally->bounds[column + 1]) column++;                                                                   \
    cell *cell = &row[column];                                                                                         \
    statement;                                                                                                         \
  }

void tally_rgb(tally *tally, uint32_t y, uint32_t x, uint32_t step, const uint8_t *pixels, uint32_t count) {
  if (y >= tally->height) return;
  tally->opaque += count;
  EACH_PIXEL(add_opaque(tally, cell, pixels[0], pixels[1], pixels[2]); pixels += 3)
}

void tally_gray(tally *tally, uint32_t y, uint32_t x, uint32_t step, const uint8_t *pixels, uint32_t count) {
  if (y >= tally->height) return;
  tally->opaque += count;
  EACH_PIXEL(add_opaque(tally, cell, *pixels, *pixels, *pixels); pixels++)
}

void tally_rgba(tally *tally, uint32_t y, uint32_t x, uint32_t step, const uint8_t *pixels, uint32_t count) {
  if (y >= tally->height) return;
  EACH_PIXEL(
      if (pixels[3] == 255) {
        tally->opaque++;
        add_opaque(tally, cell, pixels[0], pixels[1], pixels[2]);
      } else if (pixels[3] == 0) {
        tally->transparent++;
        cell->transparent++;
      } else add_translucent(tally, cell, pixels);
      pixels += 4)
}

void tally_nothing(tally *tally, uint32_t y, uint32_t x, uint32_t count) {
  uint32_t step = 1;
  if (y >= tally->height) return;
  tally->transparent += count;
  EACH_PIXEL(cell->transparent++)
}

static void put16(uint8_t *bytes, uint32_t value) {
  bytes[0] = (uint8_t)value;
  bytes[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *bytes, uint32_t value) {
  put16(bytes, value & 0xFFFF);
  put16(bytes + 2, value >> 16);
}

// The level at each of so many quantiles; zeros if there is nothing.
static void quantiles(const uint32_t *counts, int levels, uint64_t total, int many, uint8_t *bytes, int size) {
  uint64_t below = 0;
  int level = 0;
  for (int index = 0; index < many; index++) {
    uint64_t rank = (2 * (uint64_t)index + 1) * total / (2 * (uint64_t)many);
    while (level < levels - 1 && below + counts[level] <= rank) below += counts[level++];
    uint32_t found = total ? (uint32_t)level : 0;
    if (size == 2) put16(bytes + 2 * index, found);
    else bytes[index] = (uint8_t)found;
  }
}

static void put_mean(const color *color, uint8_t *bytes) {
  uint64_t alpha = color->alpha, half = alpha / 2;
  if (!color->count || !alpha) return;
  bytes[0] = (uint8_t)((color->red + half) / alpha);
  bytes[1] = (uint8_t)((color->green + half) / alpha);
  bytes[2] = (uint8_t)((color->blue + half) / alpha);
  bytes[3] = (uint8_t)((alpha + color->count / 2) / color->count);
}

// Small images have cells without pixels: they are those of the pixel at their middle.
static int with_pixels(int place, uint32_t size) {
  uint64_t pixel = (2 * (uint64_t)place + 1) * size / (2 * LVL_GRID);
  return (int)(pixel * LVL_GRID / size);
}

// Where a cell of what is shown lies in what is stored, by the Orientation of Exif.
static int stored_place(int place, int orientation) {
  int x = place % LVL_GRID, y = place / LVL_GRID, last = LVL_GRID - 1, kept = x;
  switch (orientation) {
    case 2: x = last - x; break;
    case 3: x = last - x, y = last - y; break;
    case 4: y = last - y; break;
    case 5: x = y, y = kept; break;
    case 6: x = y, y = last - kept; break;
    case 7: x = last - y, y = last - kept; break;
    case 8: x = last - y, y = kept; break;
    default: break;
  }
  return y * LVL_GRID + x;
}

static void put_cell(const cell *cell, bool has_alpha, int place, uint8_t *fact) {
  uint8_t *levels = fact + LVL_AT_CELLS + place * LVL_CELL_LEVELS;
  if (cell->opaque && cell->darkest == cell->lightest) {
    levels[0] = LVL_FLAT;
    put16(levels + 2, cell->darkest);
  } else quantiles(cell->levels, 256, cell->opaque, LVL_CELL_LEVELS, levels, 1);
  if (!has_alpha) return;
  uint8_t *alpha = fact + LVL_AT_ALPHA + 6 * place;
  double total = (double)cell->opaque + cell->transparent + cell->others.count;
  if (total > 0) {
    alpha[0] = (uint8_t)lround(255 * cell->opaque / total);
    alpha[1] = (uint8_t)lround(255 * cell->transparent / total);
  }
  put_mean(&cell->others, alpha + 2);
}

static void measure(const point *points, box *box) {
  box->spread = 0;
  for (int axis = 0; axis < 4; axis++) {
    double weight = 0, sum = 0, squares = 0;
    for (uint32_t index = box->start; index < box->start + box->count; index++) {
      double at = points[index].at[axis], count = points[index].color->count;
      weight += count;
      sum += count * at;
      squares += count * at * at;
    }
    double spread = squares - sum * sum / weight;
    if (spread <= box->spread) continue;
    box->spread = spread;
    box->axis = axis;
    box->mean = sum / weight;
  }
}

// Takes apart a box; the upper half is another one then. False if that is not possible.
static bool split(point *points, box *box, struct box *upper) {
  uint32_t low = box->start, high = box->start + box->count;
  while (low < high) {
    if (points[low].at[box->axis] <= box->mean) {
      low++;
    } else {
      point kept = points[low];
      points[low] = points[--high];
      points[high] = kept;
    }
  }
  *upper = (struct box){.start = low, .count = box->start + box->count - low};
  box->count = low - box->start;
  if (box->count == 0 || upper->count == 0) {
    box->count += upper->count;
    box->start = box->count == upper->count ? upper->start : box->start;
    box->spread = 0;
    return false;
  }
  measure(points, box);
  measure(points, upper);
  return true;
}

// The colors with alpha as so many that the fact has room for them: what is most spread is told apart.
static uint32_t put_colors(palette *palette, uint64_t pixels, uint8_t *fact) {
  box boxes[LVL_COLORS];
  uint32_t count = 0, many = 0;
  for (int slot = 0; slot < SLOTS; slot++) {
    const color *color = &palette->table[slot];
    if (!color->count) continue;
    double full = 255.0 * 255.0 * color->count, red = (double)color->red / full, green = (double)color->green / full,
           blue = (double)color->blue / full;
    palette->points[count++] = (point){{0.2126 * red + 0.7152 * green + 0.0722 * blue, (double)color->alpha / (255.0 * color->count),
                                      (red - blue) / 4, (green - (red + blue) / 2) / 4}, color};
  }
  if (count > 0) boxes[many++] = (box){.start = 0, .count = count};
  if (count > 0) measure(palette->points, &boxes[0]);
  while (many > 0 && many < LVL_COLORS) {
    uint32_t widest = 0;
    for (uint32_t index = 1; index < many; index++)
      if (boxes[index].spread > boxes[widest].spread) widest = index;
    if (!(boxes[widest].spread > 0)) break;
    if (split(palette->points, &boxes[widest], &boxes[many])) many++;
  }
  for (uint32_t index = 0; index < many; index++) {
    color all = {0};
    for (uint32_t place = 0; place < boxes[index].count; place++) add(&all, palette->points[boxes[index].start + place].color);
    uint8_t *bytes = fact + LVL_AT_COLORS + 6 * index;
    put_mean(&all, bytes);
    uint64_t weight = ((uint64_t)all.count * 65535 + pixels / 2) / pixels;
    put16(bytes + 4, weight ? (uint32_t)weight : 1);
  }
  return many;
}

size_t tally_end(tally *tally, int orientation, uint8_t fact[LVI_FACT_MAX]) {
  if (tally->has_no_memory) return 0;
  bool is_turned = orientation >= 5, has_alpha = tally->transparent + tally->translucent > 0;
  uint64_t total = tally->opaque + tally->transparent + tally->translucent;
  memset(fact, 0, LVI_FACT_MAX);
  fact[0] = LVL_VERSION;
  fact[1] = LVL_JUDGED;
  fact[2] = has_alpha;
  put32(fact + 4, is_turned ? tally->height : tally->width);
  put32(fact + 8, is_turned ? tally->width : tally->height);
  put32(fact + 12, total ? (uint32_t)(tally->opaque * LVL_UNIT / total) : LVL_UNIT);
  put32(fact + 16, total ? (uint32_t)(tally->transparent * LVL_UNIT / total) : 0);
  quantiles(tally->levels, 65536, tally->opaque, LVL_LEVELS, fact + LVL_AT_LEVELS, 2);
  for (int place = 0; place < LVL_CELLS; place++) {
    int stored = stored_place(place, orientation);
    int x = with_pixels(stored % LVL_GRID, tally->width), y = with_pixels(stored / LVL_GRID, tally->height);
    put_cell(&tally->cells[y * LVL_GRID + x], has_alpha, place, fact);
  }
  if (!has_alpha) return LVL_AT_ALPHA;
  uint32_t count = tally->palette ? put_colors(tally->palette, tally->translucent, fact) : 0;
  fact[3] = (uint8_t)count;
  return LVL_AT_COLORS + 6 * count;
}

#include "cqrcode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Text that is written as far as there is room, and counted whole.
typedef struct writer {
  char *text;
  size_t capacity, length;
} writer;

static void put(writer *w, const char *text) {
  size_t length = strlen(text);
  if (w->length < w->capacity) {
    size_t room = w->capacity - w->length;
    memcpy(w->text + w->length, text, length < room ? length : room);
  }
  w->length += length;
}

__attribute__((format(printf, 2, 3))) static void print(writer *w, const char *format, ...) {
  char part[160];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(part, sizeof part, format, arguments);
  va_end(arguments);
  put(w, part);
}

static size_t end(const writer *w) {
  if (w->capacity > 0) w->text[w->length < w->capacity ? w->length : w->capacity - 1] = 0;
  return w->length;
}

// Whether a module is dark, with those that surround the code; its own begin at LVQ_QUIET.
static bool is_dark(const lvq_code *code, size_t row, size_t column) {
  size_t y = row - LVQ_QUIET, x = column - LVQ_QUIET;
  return y < code->side && x < code->side && code->modules[y * code->side + x];
}

size_t lvq_draw_svg(const lvq_code *code, char *text, size_t capacity) {
  writer w = {text, capacity, 0};
  size_t side = code->side + 2 * LVQ_QUIET;
  print(&w, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" shape-rendering=\"crispEdges\">", side, side);
  print(&w, "<path fill=\"#fff\" d=\"M0 0h%zuv%zuH0z\"/><path fill=\"#000\" d=\"", side, side);
  for (size_t row = 0; row < side; row++)
    for (size_t column = 0, run; column < side; column += run) {
      for (run = 1; column + run < side && is_dark(code, row, column + run) == is_dark(code, row, column);) run++;
      if (is_dark(code, row, column)) print(&w, "M%zu %zuh%zuv1H%zuz", column, row, run, column);
    }
  put(&w, "\"/></svg>");
  return end(&w);
}

size_t lvq_draw_blocks(const lvq_code *code, bool has_colors, char *text, size_t capacity) {
  // By what is drawn of the upper and of the lower row.
  static const char *const blocks[2][2] = {{" ", "▄"}, {"▀", "█"}};
  writer w = {text, capacity, 0};
  size_t side = code->side + 2 * LVQ_QUIET;
  for (size_t row = 0; row < side; row += 2) {
    // The colors of 256, since themes change the first sixteen.
    if (has_colors) put(&w, "\x1b[38;5;16;48;5;231m");
    for (size_t column = 0; column < side; column++) {
      bool upper = is_dark(code, row, column), lower = is_dark(code, row + 1, column);
      // Without colors light is what is drawn; a last row without a second half is light below, too.
      put(&w, blocks[upper == has_colors][lower == has_colors]);
    }
    put(&w, has_colors ? "\x1b[0m\n" : "\n");
  }
  return end(&w);
}

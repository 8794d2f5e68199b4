// Draws SVG for the library, in a process of its own with limits on memory, time and what it writes: see svg.c of CImages.
#define _GNU_SOURCE
#include "draw.h"

#include <cairo.h>
#include <cimages.h>
#include <fcntl.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  DOCUMENT_MAX = LVI_SVG_BYTES_MAX,
  UNKNOWN_SIDE = LVI_SVG_SIDE,
  PIXELS_AT = sizeof(lvi_drawn),
  PIXELS_MAX = 4 * LVI_SVG_SIDE * LVI_SVG_SIDE,
};

// Where the pixels go.
static int output = -1;

static void limit(int what, rlim_t value, rlim_t hard) {
  struct rlimit limits = {value, hard};
  setrlimit(what, &limits);
}

static void limit_process(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CORE, 0, 0);
  // The signal of the first tells the library which limit it was; the second ends it without one of its own.
  limit(RLIMIT_CPU, LVI_TIME_MAX / 1000, LVI_TIME_MAX / 1000 + 1);
  limit(RLIMIT_AS, LVI_SVG_MEMORY_MAX, LVI_SVG_MEMORY_MAX);
  limit(RLIMIT_FSIZE, PIXELS_AT + PIXELS_MAX, PIXELS_AT + PIXELS_MAX);
}

// What libraries print, as they do when their variables for finding faults are set, must not get among the pixels.
static bool keep_output(void) {
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  return output >= 0 && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0;
}

static bool write_all(const void *bytes, size_t count, off_t place) {
  for (const char *at = bytes; count > 0;) {
    ssize_t written = pwrite(output, at, count, place);
    if (written <= 0) return false;
    at += written;
    place += written;
    count -= (size_t)written;
  }
  return true;
}

static bool write_head(uint32_t width, uint32_t height, const char *reason) {
  lvi_drawn head = {.magic = LVI_DRAWN, .width = width, .height = height};
  snprintf(head.reason, sizeof head.reason, "%s", reason);
  return write_all(&head, sizeof head, 0);
}

static int fail(const char *reason) { return write_head(0, 0, reason) ? 0 : 1; }

static char *read_document(size_t *length) {
  char *document = malloc(DOCUMENT_MAX + 1);
  ssize_t count;
  *length = 0;
  while (document && (count = read(STDIN_FILENO, document + *length, DOCUMENT_MAX + 1 - *length)) > 0) *length += (size_t)count;
  return document;
}

// The longer side has LVI_SVG_SIDE pixels, whatever size the document says that it has.
static void choose_size(RsvgHandle *handle, uint32_t *width, uint32_t *height) {
  double wide = 0, high = 0;
  if (!rsvg_handle_get_intrinsic_size_in_pixels(handle, &wide, &high)) {
    RsvgRectangle box;
    gboolean has_width, has_height, has_box;
    RsvgLength ignored, ignored_too;
    rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &ignored, &has_height, &ignored_too, &has_box, &box);
    if (has_box) wide = box.width, high = box.height;
  }
  if (!(wide > 0) || !(high > 0) || !isfinite(wide) || !isfinite(high)) wide = high = 1;
  double scale = UNKNOWN_SIDE / fmax(wide, high);
  *width = (uint32_t)fmin(LVI_SVG_SIDE, fmax(1, round(wide * scale)));
  *height = (uint32_t)fmin(LVI_SVG_SIDE, fmax(1, round(high * scale)));
}

// Cairo's pixels have their alpha in them. The head says that they are there once they are.
static bool write_pixels(cairo_surface_t *surface, uint32_t width, uint32_t height) {
  cairo_surface_flush(surface);
  const unsigned char *data = cairo_image_surface_get_data(surface);
  size_t stride = (size_t)cairo_image_surface_get_stride(surface);
  uint8_t row[4 * LVI_SVG_SIDE];
  for (uint32_t y = 0; y < height; y++) {
    for (uint32_t x = 0; x < width; x++) {
      uint32_t pixel;
      memcpy(&pixel, data + y * stride + 4 * x, 4);
      uint32_t alpha = pixel >> 24;
      for (int component = 0; component < 3; component++) {
        uint32_t value = pixel >> (16 - 8 * component) & 0xFF;
        row[4 * x + component] = (uint8_t)(alpha ? fmin(255, (value * 255 + alpha / 2) / alpha) : 0);
      }
      row[4 * x + 3] = (uint8_t)alpha;
    }
    if (!write_all(row, (size_t)width * 4, (off_t)(PIXELS_AT + (size_t)y * width * 4))) return false;
  }
  return write_head(width, height, "");
}

static int draw(void) {
  size_t length;
  if (!keep_output()) return 1;
  limit_process();
  char *document = read_document(&length);
  // From here on it is the document that ends it.
  if (!document || !write_head(0, 0, "")) return 1;
  GError *error = NULL;
  // Without a file it came from, nothing that the document refers to outside of itself is loaded.
  RsvgHandle *handle = rsvg_handle_new_from_data((const guint8 *)document, length, &error);
  if (!handle) return fail(error ? error->message : "it cannot be read");
  uint32_t width, height;
  choose_size(handle, &width, &height);
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)width, (int)height);
  cairo_t *cairo = cairo_create(surface);
  RsvgRectangle viewport = {0, 0, width, height};
  if (!rsvg_handle_render_document(handle, cairo, &viewport, &error)) return fail(error ? error->message : "it cannot be drawn");
  if (cairo_status(cairo) != CAIRO_STATUS_SUCCESS) return fail(cairo_status_to_string(cairo_status(cairo)));
  return write_pixels(surface, width, height) ? 0 : 1;
}

// What libraries would do at the end of a process has no time and no file to do it with.
_Noreturn void draw_svg(void) { _exit(draw()); }

// Limits, and which decoder takes an image.
#define _GNU_SOURCE
#include "images.h"

#include <clegibility.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool is_late(const source *source) { return now_ms() > source->deadline; }

static void say(source *source, lvi_outcome outcome, const char *format, va_list arguments) {
  vsnprintf(source->reason, LVI_REASON_MAX, format, arguments);
  // What a decoder says may quote the image, and end in a new line.
  size_t length = strlen(source->reason);
  while (length > 0 && source->reason[length - 1] <= ' ') source->reason[--length] = 0;
  for (char *at = source->reason; *at; at++)
    if (*at < ' ' || *at > '~') *at = '?';
  if (source->outcome == LVI_DONE) source->outcome = outcome;
}

bool refuse(source *source, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(source, LVI_REFUSED, format, arguments);
  va_end(arguments);
  return false;
}

bool fail_for_now(source *source, lvi_outcome outcome, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(source, outcome, format, arguments);
  va_end(arguments);
  return false;
}

bool fail_for_memory(source *source) { return fail_for_now(source, LVI_NO_MEMORY, "there is no memory"); }

bool fail_for_time(source *source) { return refuse(source, "decoding the image takes too long"); }

bool may_have(source *source, uint64_t width, uint64_t height, uint64_t memory) {
  if (width == 0 || height == 0) return refuse(source, "the image has no pixels");
  if (width > LVI_PIXELS_MAX || height > LVI_PIXELS_MAX || width * height > LVI_PIXELS_MAX)
    return refuse(source, "the image has more than %d,%03d,%03d pixels", LVI_PIXELS_MAX / 1000000, LVI_PIXELS_MAX / 1000 % 1000,
                  LVI_PIXELS_MAX % 1000);
  if (memory > LVI_MEMORY_MAX)
    return refuse(source, "decoding the image takes more than %d MiB", LVI_MEMORY_MAX >> 20);
  return true;
}

size_t lvi_refusal(const char *reason, uint8_t fact[LVI_FACT_MAX]) {
  size_t length = strnlen(reason, LVI_REASON_MAX);
  fact[0] = LVL_VERSION;
  fact[1] = LVL_REFUSED;
  memcpy(fact + 2, reason, length);
  return 2 + length;
}

lvi_outcome lvi_judge(const void *bytes, size_t length, lvi_type type, int orientation, uint8_t fact[LVI_FACT_MAX],
                      size_t *fact_length, char reason[LVI_REASON_MAX]) {
  source source = {.bytes = bytes, .length = length, .deadline = now_ms() + LVI_TIME_MAX, .reason = reason};
  reason[0] = 0;
  bool is_decoded = false;
  switch (type) {
    case LVI_PNG: is_decoded = decode_png(&source); break;
    case LVI_JPEG: is_decoded = decode_jpeg(&source); break;
    case LVI_WEBP: is_decoded = decode_webp(&source); break;
    case LVI_SVG: is_decoded = decode_svg(&source); break;
    default: refuse(&source, "only PNG, JPEG, WebP and SVG are judged");
  }
  if (is_decoded) {
    *fact_length = tally_end(source.tally, orientation, fact);
    if (*fact_length == 0) is_decoded = fail_for_memory(&source);
  }
  tally_free(source.tally);
  return is_decoded ? LVI_DONE : source.outcome;
}

// libFuzzer's targets of the extension `images`: decoders, what the program that draws SVG writes, and what is kept of images.
#include "../../Sources/CImages/images.h"

#include <clegibility.h>
#include <stdlib.h>

static const lvl_color text = {1, 1, 1, 1}, shade = {0.2, 0.3, 0.4, 0.5};
static const lvl_area areas[2] = {{0, 0, 0.5, 1, 1}, {0.3, -1, 9, 1.2, 2}};

// What is kept has to be judged in any case, and to be a share.
static void look(const uint8_t *fact, size_t length) {
  double whole = lvl_share(fact, length, text, shade, 4.5, NULL, 0);
  double parts = lvl_share(fact, length, shade, text, 4.5, areas, 2);
  int kind = lvl_kind(fact, length);
  if (kind == LVL_JUDGED && !(whole >= 0 && whole <= 1 && parts >= 0 && parts <= 1)) abort();
  if (kind != LVL_JUDGED && (whole != -1 || parts != -1)) abort();
}

static void judge(const uint8_t *bytes, ptrdiff_t count, lvi_type type) {
  uint8_t fact[LVI_FACT_MAX];
  size_t length = 0;
  char reason[LVI_REASON_MAX];
  lvi_outcome outcome = lvi_judge(bytes, (size_t)count, type, count > 30 ? 1 + bytes[30] % 8 : 1, fact, &length, reason);
  if (outcome != LVI_DONE) length = lvi_refusal(reason, fact);
  if (outcome == LVI_DONE ? lvl_kind(fact, length) != LVL_JUDGED : lvl_kind(fact, length) != LVL_REFUSED || !reason[0]) abort();
  look(fact, length);
}

void fuzz_images_png(const uint8_t *bytes, ptrdiff_t count) { judge(bytes, count, LVI_PNG); }
void fuzz_images_jpeg(const uint8_t *bytes, ptrdiff_t count) { judge(bytes, count, LVI_JPEG); }
void fuzz_images_webp(const uint8_t *bytes, ptrdiff_t count) { judge(bytes, count, LVI_WEBP); }
void fuzz_images_kept(const uint8_t *bytes, ptrdiff_t count) { look(bytes, (size_t)count); }

void fuzz_images_drawn(const uint8_t *bytes, ptrdiff_t count) {
  char reason[LVI_REASON_MAX] = "";
  source source = {.reason = reason, .deadline = now_ms() + LVI_TIME_MAX};
  uint8_t fact[LVI_FACT_MAX];
  bool is_taken = take_pixels(&source, bytes, (size_t)count);
  if (is_taken == (source.outcome != LVI_DONE)) abort();
  if (is_taken) look(fact, tally_end(source.tally, 1, fact));
  tally_free(source.tally);
}

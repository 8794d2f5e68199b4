// PNG, row by row. An interlaced image comes as seven small ones, each of whose pixels counts once: it need not be put together.
#include "images.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

typedef struct decoder {
  source *source;
  size_t offset;
  png_structp png;
  png_infop info;
  uint8_t *row;
} decoder;

static void fail(png_structp png, png_const_charp message) {
  decoder *decoder = png_get_error_ptr(png);
  if (!decoder->source->reason[0]) refuse(decoder->source, "the PNG image is damaged: %s", message);
  png_longjmp(png, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

// What fails for want of memory is no fault of the image.
static png_voidp allocate(png_structp png, png_alloc_size_t size) {
  decoder *decoder = png_get_mem_ptr(png);
  void *memory = malloc(size);
  if (!memory && decoder->source->outcome == LVI_DONE) fail_for_memory(decoder->source);
  return memory;
}

static void release(png_structp png, png_voidp memory) {
  (void)png;
  free(memory);
}

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
  decoder *decoder = png_get_io_ptr(png);
  if (count > decoder->source->length - decoder->offset) png_error(png, "it is cut short");
  memcpy(bytes, decoder->source->bytes + decoder->offset, count);
  decoder->offset += count;
}

// The passes of Adam7: where the first pixel is, and how far the next ones are.
static const struct pass {
  uint8_t x, y, right, down;
} adam7[7] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
static const struct pass whole = {0, 0, 1, 1};

static void read_pass(decoder *decoder, struct pass pass, uint32_t width, uint32_t height, bool has_alpha) {
  if (width <= pass.x || height <= pass.y) return;
  uint32_t count = (width - pass.x + pass.right - 1) / pass.right, rows = 0;
  for (uint32_t y = pass.y; y < height; y += pass.down) {
    png_read_row(decoder->png, decoder->row, NULL);
    if (has_alpha) tally_rgba(decoder->source->tally, y, pass.x, pass.right, decoder->row, count);
    else tally_rgb(decoder->source->tally, y, pass.x, pass.right, decoder->row, count);
    if (++rows % 64 == 0 && is_late(decoder->source)) {
      fail_for_time(decoder->source);
      png_error(decoder->png, "");
    }
  }
}

static void read_image(decoder *decoder) {
  png_structp png = decoder->png;
  png_set_read_fn(png, decoder, read_bytes);
  // The size is looked at below, where it has a message.
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(png, 1 << 20);
  // What is beside the pixels and what they are made of is skipped.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
#ifdef LIVERY_FUZZ
  // What is made up has no right sums.
  png_set_crc_action(png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
  png_set_option(png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
  png_read_info(png, decoder->info);
  uint32_t width = png_get_image_width(png, decoder->info), height = png_get_image_height(png, decoder->info);
  // Rows are kept by libpng twice, in 16 bits at most, and here.
  if (!may_have(decoder->source, width, height, 24 * (uint64_t)width)) png_error(png, "");
  png_set_expand(png);
  png_set_scale_16(png);
  png_set_gray_to_rgb(png);
  png_read_update_info(png, decoder->info);
  bool has_alpha = png_get_channels(png, decoder->info) == 4;
  decoder->row = malloc(png_get_rowbytes(png, decoder->info));
  if (!decoder->row) fail_for_memory(decoder->source);
  if (!decoder->row || !tally_begin(decoder->source, width, height)) png_error(png, "");
  if (png_get_interlace_type(png, decoder->info) == PNG_INTERLACE_NONE) {
    read_pass(decoder, whole, width, height, has_alpha);
  } else {
    for (int pass = 0; pass < 7; pass++) read_pass(decoder, adam7[pass], width, height, has_alpha);
  }
}

// What changes after setjmp is not on the stack, where it would be lost.
static bool read_with(decoder *decoder) {
  if (setjmp(png_jmpbuf(decoder->png)) != 0) return false;
  read_image(decoder);
  return true;
}

bool decode_png(source *source) {
  decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return fail_for_memory(source);
  decoder->source = source;
  decoder->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, decoder, fail, ignore_warning, decoder, allocate, release);
  if (decoder->png) decoder->info = png_create_info_struct(decoder->png);
  bool is_read = decoder->info ? read_with(decoder) : fail_for_memory(source);
  png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
  free(decoder->row);
  free(decoder);
  return is_read;
}

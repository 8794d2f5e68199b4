// JPEG, row by row; the coefficients of a progressive one are in memory together.
#include "images.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include <jerror.h>

enum { SCANS_MAX = 100 };

typedef struct decoder {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_progress_mgr progress;
  source *source;
  uint8_t *row;
  jmp_buf failed;
} decoder;

static void fail(j_common_ptr jpeg) {
  decoder *decoder = jpeg->client_data;
  char message[JMSG_LENGTH_MAX];
  jpeg->err->format_message(jpeg, message);
  if (!decoder->source->reason[0]) {
    switch (jpeg->err->msg_code) {
      case JERR_NO_BACKING_STORE: refuse(decoder->source, "decoding the image takes more than %d MiB", LVI_MEMORY_MAX >> 20); break;
      case JERR_OUT_OF_MEMORY: fail_for_memory(decoder->source); break;
      // Nothing is wrong with such an image.
      case JERR_ARITH_NOTIMPL: case JERR_BAD_PRECISION: case JERR_CCIR601_NOTIMPL: case JERR_COMPONENT_COUNT:
      case JERR_CONVERSION_NOTIMPL: case JERR_FRACT_SAMPLE_NOTIMPL: case JERR_IMAGE_TOO_BIG: case JERR_NOTIMPL:
      case JERR_NOT_COMPILED: case JERR_SOF_UNSUPPORTED: case JERR_WIDTH_OVERFLOW:
        refuse(decoder->source, "the JPEG image is of a kind that is not supported: %s", message);
        break;
      default: refuse(decoder->source, "the JPEG image is damaged: %s", message);
    }
  }
  longjmp(decoder->failed, 1);
}

// Some damage is told as a warning, and made up for by gray.
static void look_at_warning(j_common_ptr jpeg, int level) {
  (void)level;
  int code = jpeg->err->msg_code;
  if (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE || code == JWRN_ARITH_BAD_CODE) fail(jpeg);
}

// A small file may have any number of scans, each over the whole image.
static void look_at_time(j_common_ptr jpeg) {
  decoder *decoder = jpeg->client_data;
  if (jpeg->is_decompressor && decoder->jpeg.input_scan_number > SCANS_MAX)
    refuse(decoder->source, "the image has more than %d scans", SCANS_MAX);
  else if (is_late(decoder->source)) fail_for_time(decoder->source);
  else return;
  ERREXIT(jpeg, JERR_INPUT_EOF);
}

// Of Adobe's programs comes ink that is inverted.
static void make_rgb(uint8_t *row, uint32_t count, bool is_inverted) {
  uint8_t *rgb = row;
  for (uint32_t index = 0; index < count; index++, row += 4, rgb += 3) {
    for (int component = 0; component < 3; component++) {
      unsigned ink = row[component], black = row[3];
      if (!is_inverted) ink = 255 - ink, black = 255 - black;
      rgb[component] = (uint8_t)((ink * black + 127) / 255);
    }
  }
}

static void read_image(decoder *decoder) {
  struct jpeg_decompress_struct *jpeg = &decoder->jpeg;
  jpeg_create_decompress(jpeg);
  jpeg->mem->max_memory_to_use = LVI_MEMORY_MAX;
  jpeg->progress = &decoder->progress;
  jpeg_mem_src(jpeg, decoder->source->bytes, decoder->source->length);
  jpeg_read_header(jpeg, TRUE);
  if (!may_have(decoder->source, jpeg->image_width, jpeg->image_height, 0)) ERREXIT(jpeg, JERR_INPUT_EOF);
  bool is_ink = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
  bool is_gray = jpeg->jpeg_color_space == JCS_GRAYSCALE;
  jpeg->out_color_space = is_ink ? JCS_CMYK : is_gray ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(jpeg);
  decoder->row = malloc((size_t)jpeg->output_width * 4);
  if (!decoder->row) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
  if (!tally_begin(decoder->source, jpeg->output_width, jpeg->output_height)) ERREXIT(jpeg, JERR_INPUT_EOF);
  while (jpeg->output_scanline < jpeg->output_height) {
    uint32_t y = jpeg->output_scanline, count = jpeg->output_width;
    jpeg_read_scanlines(jpeg, &decoder->row, 1);
    if (is_ink) make_rgb(decoder->row, count, jpeg->saw_Adobe_marker);
    if (is_gray) tally_gray(decoder->source->tally, y, 0, 1, decoder->row, count);
    else tally_rgb(decoder->source->tally, y, 0, 1, decoder->row, count);
  }
}

bool decode_jpeg(source *source) {
  decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return fail_for_memory(source);
  decoder->source = source;
  decoder->jpeg.err = jpeg_std_error(&decoder->errors);
  decoder->jpeg.client_data = decoder;
  decoder->errors.error_exit = fail;
  decoder->errors.emit_message = look_at_warning;
  decoder->progress.progress_monitor = look_at_time;
  bool is_read = !setjmp(decoder->failed);
  if (is_read) read_image(decoder);
  jpeg_destroy_decompress(&decoder->jpeg);
  free(decoder->row);
  free(decoder);
  return is_read;
}

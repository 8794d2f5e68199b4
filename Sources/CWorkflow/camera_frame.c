// What is made of a camera's frames: JPEG (ITU-T T.81) as it is, and PNG (ISO/IEC 15948) of those that are not compressed.
#include "camera.h"

#include <linux/videodev2.h>
#include <stdlib.h>
#include <string.h>

uint32_t lvw_frame_known(size_t index) {
  static const uint32_t known[] = {V4L2_PIX_FMT_MJPEG,  V4L2_PIX_FMT_JPEG,  V4L2_PIX_FMT_YUYV,  V4L2_PIX_FMT_UYVY, V4L2_PIX_FMT_NV12,
                                   V4L2_PIX_FMT_YUV420, V4L2_PIX_FMT_RGB24, V4L2_PIX_FMT_BGR24, V4L2_PIX_FMT_GREY};
  return index < sizeof known / sizeof known[0] ? known[index] : 0;
}

static bool is_jpeg(const lvw_frame_format *format) {
  return format->fourcc == V4L2_PIX_FMT_MJPEG || format->fourcc == V4L2_PIX_FMT_JPEG;
}

size_t lvw_frame_least(lvw_frame_format *format) {
  uint64_t width = format->width, height = format->height;
  if (width == 0 || height == 0 || width > LVW_SIDE_MAX || height > LVW_SIDE_MAX) return 0;
  if (is_jpeg(format)) return 4;
  uint64_t even = width + width % 2, shortest;
  switch (format->fourcc) {
  case V4L2_PIX_FMT_YUYV:
  case V4L2_PIX_FMT_UYVY: shortest = 2 * even; break;
  case V4L2_PIX_FMT_RGB24:
  case V4L2_PIX_FMT_BGR24: shortest = 3 * width; break;
  case V4L2_PIX_FMT_NV12: shortest = even; break;
  default: shortest = width;
  }
  if (format->line == 0) format->line = (uint32_t)shortest;
  uint64_t line = format->line, halves = (height + 1) / 2;
  if (line < shortest || line > LVW_FRAME_MAX) return 0;
  uint64_t least = line * (height - 1) + shortest;
  // Behind the lines of NV12 and YU12 lie those of the colours: one of pairs, and two of half the length.
  if (format->fourcc == V4L2_PIX_FMT_NV12) least = line * height + line * (halves - 1) + even;
  if (format->fourcc == V4L2_PIX_FMT_YUV420) {
    uint64_t half = (line + 1) / 2;
    least = line * height + half * halves + half * (halves - 1) + even / 2;
  }
  return least <= LVW_FRAME_MAX ? (size_t)least : 0;
}

// JPEG

// The tables of ITU-T T.81, K.3.3, as one segment: cameras leave them out, as AVI's Motion JPEG does.
static const uint8_t huffman[] = {
    0xff, 0xc4, 0x01, 0xa2,
    0x00, 0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    0x10, 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7d,
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
    0x14, 0x32, 0x81, 0x91, 0xa1, 0x08, 0x23, 0x42, 0xb1, 0xc1, 0x15, 0x52, 0xd1, 0xf0, 0x24, 0x33, 0x62, 0x72,
    0x82, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x34, 0x35, 0x36, 0x37,
    0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
    0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x83,
    0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a, 0xa2, 0xa3,
    0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba, 0xc2, 0xc3,
    0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xe1, 0xe2,
    0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa,
    0x01, 0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
    0x11, 0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 0x77,
    0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61, 0x71, 0x13, 0x22,
    0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xa1, 0xb1, 0xc1, 0x09, 0x23, 0x33, 0x52, 0xf0, 0x15, 0x62, 0x72, 0xd1,
    0x0a, 0x16, 0x24, 0x34, 0xe1, 0x25, 0xf1, 0x17, 0x18, 0x19, 0x1a, 0x26, 0x27, 0x28, 0x29, 0x2a, 0x35, 0x36,
    0x37, 0x38, 0x39, 0x3a, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58,
    0x59, 0x5a, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a,
    0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9a,
    0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, 0xa9, 0xaa, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7, 0xb8, 0xb9, 0xba,
    0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda,
    0xe2, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa};
_Static_assert(sizeof huffman == 2 + 0x1a2, "a segment's length counts all but its marker");

// Where a JPEG ends, behind its EOI; 0 where its markers do not lead there. `tables` is where the Huffman tables belong that it
// lacks; 0 where it has some.
static size_t end_of(const uint8_t *bytes, size_t count, size_t *tables) {
  enum { SOF0 = 0xc0, SOF1, SOF2, DHT = 0xc4, RST0 = 0xd0, RST7 = 0xd7, SOI = 0xd8, EOI, SOS, TEM = 0x01 };
  bool has_frame = false, is_progressive = false, has_tables = false, in_scan = false;
  *tables = 0;
  if (count < 4 || bytes[0] != 0xff || bytes[1] != SOI) return 0;
  for (size_t at = 2; at + 2 <= count;) {
    if (bytes[at] != 0xff) {
      if (!in_scan) return 0;
      const uint8_t *next = memchr(bytes + at, 0xff, count - at);
      if (!next) return 0;
      at = (size_t)(next - bytes);
      continue;
    }
    uint8_t marker = bytes[at + 1];
    // A byte that fills; a byte 0xff of a scan; what has no length.
    if (marker == 0xff) {
      at++;
      continue;
    }
    if (in_scan && (marker == 0 || (marker >= RST0 && marker <= RST7))) {
      at += 2;
      continue;
    }
    if (marker == TEM) {
      at += 2;
      continue;
    }
    if (marker == EOI) return in_scan ? at + 2 : 0;
    if (marker < SOF0 || (marker >= RST0 && marker <= SOI) || at + 4 > count) return 0;
    size_t length = (size_t)bytes[at + 2] << 8 | bytes[at + 3];
    if (length < 2 || length > count - at - 2) return 0;
    if (marker == DHT) {
      has_tables = true;
    } else if (marker == SOS) {
      if (!has_frame) return 0;
      if (!has_tables && !in_scan) {
        if (is_progressive) return 0;
        *tables = at;
      }
      in_scan = true;
    } else if (marker >= SOF0 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc) {
      // A frame has a precision, the two sides and the count of its components. Others than these are not found in browsers.
      if (marker > SOF2 || has_frame || length < 8 || in_scan) return 0;
      const uint8_t *sides = bytes + at + 5;
      if ((sides[0] | sides[1]) == 0 || (sides[2] | sides[3]) == 0) return 0;
      has_frame = true;
      is_progressive = marker == SOF2;
    }
    at += 2 + length;
  }
  return 0;
}

// The copy is looked at, which nobody changes. What is longer than `most` matters only if it does not end before.
static int finish_jpeg(const uint8_t *frame, size_t count, size_t most, void **bytes, size_t *length) {
  size_t taken = count < most ? count : most, tables;
  uint8_t *copy = malloc(taken + sizeof huffman);
  if (!copy) return -ENOMEM;
  memcpy(copy, frame, taken);
  size_t end = end_of(copy, taken, &tables);
  size_t more = tables > 0 ? sizeof huffman : 0;
  if (end == 0 || end + more > most) {
    int status = end > 0 || taken < count ? -EFBIG : -EPROTO;
    free(copy);
    return status;
  }
  if (more > 0) {
    memmove(copy + tables + more, copy + tables, end - tables);
    memcpy(copy + tables, huffman, more);
  }
  void *fitting = realloc(copy, end + more);
  *bytes = fitting ? fitting : copy;
  *length = end + more;
  return 0;
}

// PNG

static uint8_t *put32(uint8_t *out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = (uint8_t)(number >> shift);
  return out;
}

static uint8_t *put_text(uint8_t *out, const char *text, size_t count) {
  memcpy(out, text, count);
  return out + count;
}

// The check of a chunk, CRC-32, from its type on.
static uint8_t *put_check(uint8_t *out, const uint8_t *start, const uint32_t table[256]) {
  uint32_t check = UINT32_MAX;
  for (const uint8_t *at = start; at < out; at++) check = table[(check ^ *at) & 0xff] ^ check >> 8;
  return put32(out, ~check);
}

typedef struct adler {
  uint32_t a, b;
} adler;

static void add(adler *sums, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    size_t part = count < 5552 ? count : 5552;
    count -= part;
    while (part-- > 0) sums->a += *bytes++, sums->b += sums->a;
    sums->a %= 65521;
    sums->b %= 65521;
  }
}

static uint8_t clamped(int number) { return number < 0 ? 0 : number > 255 ? 255 : (uint8_t)number; }

// ITU-R BT.601 with the limited range, in 256ths.
static uint8_t *put_yuv(uint8_t *out, int y, int u, int v) {
  int grey = 298 * (y - 16) + 128;
  u -= 128, v -= 128;
  *out++ = clamped((grey + 409 * v) >> 8);
  *out++ = clamped((grey - 100 * u - 208 * v) >> 8);
  *out++ = clamped((grey + 516 * u) >> 8);
  return out;
}

static uint8_t *put_line(uint8_t *out, const lvw_frame_format *format, const uint8_t *frame, size_t y) {
  size_t width = format->width, height = format->height, line = format->line, half = (line + 1) / 2;
  const uint8_t *from = frame + y * line, *colors = frame + height * line;
  switch (format->fourcc) {
  case V4L2_PIX_FMT_YUYV:
    for (size_t x = 0; x < width; x++) out = put_yuv(out, from[2 * x], from[x / 2 * 4 + 1], from[x / 2 * 4 + 3]);
    return out;
  case V4L2_PIX_FMT_UYVY:
    for (size_t x = 0; x < width; x++) out = put_yuv(out, from[2 * x + 1], from[x / 2 * 4], from[x / 2 * 4 + 2]);
    return out;
  case V4L2_PIX_FMT_NV12:
    colors += y / 2 * line;
    for (size_t x = 0; x < width; x++) out = put_yuv(out, from[x], colors[x / 2 * 2], colors[x / 2 * 2 + 1]);
    return out;
  case V4L2_PIX_FMT_YUV420:
    colors += y / 2 * half;
    half *= (height + 1) / 2;
    for (size_t x = 0; x < width; x++) out = put_yuv(out, from[x], colors[x / 2], colors[half + x / 2]);
    return out;
  case V4L2_PIX_FMT_BGR24:
    for (size_t x = 0; x < width; x++, from += 3) *out++ = from[2], *out++ = from[1], *out++ = from[0];
    return out;
  default: return put_text(out, (const char *)from, width * (format->fourcc == V4L2_PIX_FMT_GREY ? 1 : 3));
  }
}

// The pixels are not compressed: each line is a block that DEFLATE (RFC 1951) stores, which has up to 65535 bytes.
static int finish_png(const lvw_frame_format *format, const uint8_t *frame, size_t most, void **bytes, size_t *length) {
  bool is_grey = format->fourcc == V4L2_PIX_FMT_GREY;
  uint64_t block = 1 + (uint64_t)format->width * (is_grey ? 1 : 3), data = 2 + format->height * (5 + block) + 4;
  uint64_t whole = 8 + 25 + 12 + data + 12;
  _Static_assert(1 + LVW_SIDE_MAX * 3 <= 65535, "a line is one block");
  if (whole > most) return -EFBIG;
  uint8_t *out = malloc((size_t)whole), *at = out;
  if (!out) return -ENOMEM;
  uint32_t table[256];
  for (uint32_t index = 0; index < 256; index++) {
    table[index] = index;
    for (int bit = 0; bit < 8; bit++) table[index] = table[index] >> 1 ^ (table[index] & 1 ? 0xedb88320 : 0);
  }
  at = put_text(at, "\x89PNG\r\n\x1a\n\0\0\0\r", 12);
  uint8_t *chunk = at;
  at = put32(put32(put_text(at, "IHDR", 4), format->width), format->height);
  // Eight bits of grey, or of red, green and blue.
  at = put_check(put_text(at, is_grey ? "\x08\0\0\0\0" : "\x08\2\0\0\0", 5), chunk, table);
  at = put32(at, (uint32_t)data);
  chunk = at;
  at = put_text(at, "IDAT\x78\x01", 6);
  adler sums = {1, 0};
  for (uint32_t y = 0; y < format->height; y++) {
    *at++ = y + 1 == format->height;
    *at++ = (uint8_t)block;
    *at++ = (uint8_t)(block >> 8);
    *at++ = (uint8_t)~block;
    *at++ = (uint8_t)(~block >> 8);
    uint8_t *line = at;
    *at++ = 0;
    at = put_line(at, format, frame, y);
    add(&sums, line, (size_t)block);
  }
  at = put_check(put32(at, sums.b << 16 | sums.a), chunk, table);
  put_text(at, "\0\0\0\0IEND\xae\x42\x60\x82", 12);
  *bytes = out;
  *length = (size_t)whole;
  return 0;
}

int lvw_frame_finish(const lvw_frame_format *format, const uint8_t *frame, size_t count, size_t most, void **bytes, size_t *length) {
  lvw_frame_format copy = *format;
  size_t least = lvw_frame_least(&copy);
  if (least == 0 || count < least || count > LVW_FRAME_MAX) return -EPROTO;
  return is_jpeg(&copy) ? finish_jpeg(frame, count, most, bytes, length) : finish_png(&copy, frame, most, bytes, length);
}

// What the parts of a camera share.
#ifndef CAMERA_H
#define CAMERA_H

#include "cworkflow.h"

// The longest side of a picture in pixels, and the most bytes of a frame.
enum { LVW_SIDE_MAX = 16384, LVW_FRAME_MAX = 1 << 30 };

// How frames lie in memory: one of V4L2's formats, the sides in pixels, and the bytes from one line to the next.
typedef struct lvw_frame_format {
  uint32_t fourcc, width, height, line;
} lvw_frame_format;

// Whether a format is one that is known here, the better ones first: `index` counts from 0, and 0 is what comes after the last.
uint32_t lvw_frame_known(size_t index);
// How many bytes a frame has at least; 0 where the sides or the lines cannot be. A line of 0 bytes becomes the shortest.
size_t lvw_frame_least(lvw_frame_format *format);
// A JPEG or a PNG that malloc has made of a frame, whose bytes another process may change meanwhile: 0, -EPROTO for a frame
// that is not whole, -EFBIG or -ENOMEM.
int lvw_frame_finish(const lvw_frame_format *format, const uint8_t *frame, size_t count, size_t most, void **bytes, size_t *length);

#endif

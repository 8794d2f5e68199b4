// libFuzzer's target of the camera: a frame that a device has given becomes a whole picture, or none.
#include "../../Sources/CWorkflow/camera.h"

#include <stdlib.h>
#include <string.h>

static uint32_t number(const uint8_t *bytes) { return (uint32_t)bytes[0] << 24 | (uint32_t)(bytes[1] << 16 | bytes[2] << 8 | bytes[3]); }

// The format, the sides, what each line has more, how many bytes are taken at most; then the frame.
void fuzz_camera_frame(const uint8_t *bytes, ptrdiff_t count) {
  if (count < 5) return;
  size_t known = bytes[0] % 16, size = (size_t)count - 5, length = 0;
  // JPEGs are what there is most to find in.
  lvw_frame_format format = {lvw_frame_known(known < 9 ? known : 0), bytes[1], bytes[2], 0};
  if (lvw_frame_least(&format) > 0 && format.line > 0) format.line += bytes[3] % 4;
  size_t most = bytes[4] < 128 ? 1 << 20 : (size_t)(bytes[4] - 128) * 16;
  // Memory of just that size, so that what is read behind it is seen.
  uint8_t *frame = malloc(size ? size : 1);
  if (!frame) return;
  memcpy(frame, bytes + 5, size);
  void *made = NULL;
  int status = lvw_frame_finish(&format, frame, size, most, &made, &length);
  if (status != 0 && status != -EPROTO && status != -EFBIG) abort();
  if ((status == 0) != (made != NULL) || (status == 0 && length > most)) abort();
  if (status == 0) {
    const uint8_t *picture = made;
    bool is_jpeg = length > 4 && memcmp(picture, "\xff\xd8\xff", 3) == 0 && memcmp(picture + length - 2, "\xff\xd9", 2) == 0;
    bool is_png = length > 57 && memcmp(picture, "\x89PNG\r\n\x1a\n", 8) == 0 && number(picture + 16) == format.width &&
                  number(picture + 20) == format.height && number(picture + 33) == length - 57 &&
                  memcmp(picture + length - 12, "\0\0\0\0IEND\xae\x42\x60\x82", 12) == 0;
    if (!is_jpeg && !is_png) abort();
    // A picture is whole, and has its tables: it is taken as it is.
    void *again = NULL;
    size_t again_length = 0;
    if (is_jpeg && (lvw_frame_finish(&format, picture, length, length, &again, &again_length) != 0 || again_length != length ||
                    memcmp(again, picture, length) != 0))
      abort();
    free(again);
  }
  free(made);
  free(frame);
}

// The camera: pictures of each format, and whatever a device may do. The code is compiled in.
#include "camera_device.h"

static uint8_t jpeg[4096], bare[4096], pixels[64 * 64 * 3 + 1024];
static size_t jpeg_size, bare_size;

// What a capture has given.
static void *picture;
static size_t picture_size;

static void load_jpeg(void) {
  FILE *file = fopen(FIXTURES "/images/baseline.jpg", "rb");
  jpeg_size = file ? fread(jpeg, 1, sizeof jpeg, file) : 0;
  if (file) fclose(file);
  EXPECT(jpeg_size > 600);
  bare_size = 2;
  memcpy(bare, jpeg, 2);
  for (size_t at = 2; at + 4 < jpeg_size;) {
    size_t length = 2u + (size_t)(jpeg[at + 2] << 8 | jpeg[at + 3]);
    if (jpeg[at + 1] == 0xda) length = jpeg_size - at;
    if (jpeg[at + 1] != 0xc4) memcpy(bare + bare_size, jpeg + at, length), bare_size += length;
    at += length;
  }
  EXPECT(bare_size < jpeg_size);
}

// A camera that has frames of a format, of 32 x 16 pixels.
static void begin(uint32_t fourcc, const uint8_t *frame, size_t size) {
  memset(&device, 0, sizeof device);
  device.path = DEVICE;
  device.mode = S_IFCHR | 0660;
  device.number = 81;
  device.abilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  device.formats[0] = (device_format){.fourcc = fourcc, .sizes = {{32, 16}}};
  device.frame = frame;
  device.frame_size = size;
  device.frames = 1000;
}

static void begin_jpeg(void) {
  if (jpeg_size == 0) load_jpeg();
  begin(V4L2_PIX_FMT_MJPEG, jpeg, jpeg_size);
}

static bool is_cancelled_when_asked(void *context) { return --*(int *)context < 0; }

static void drop(void) {
  if (picture) __wrap_free(picture);
  picture = NULL;
}

// Takes a picture, and looks whether everything is as it was.
static int capture_of(uint32_t width, uint32_t height, int timeout_ms, size_t most, int *asked) {
  drop();
  device.allocated = 0;
  int status = lvw_camera_capture(DEVICE, width, height, timeout_ms, most, asked ? is_cancelled_when_asked : NULL, asked, &picture, &picture_size);
  EXPECT_INT(0, device.opened);
  EXPECT_INT(0, device.mapped);
  EXPECT_INT(status == 0, device.allocated);
  EXPECT_INT(status == 0, picture != NULL);
  EXPECT(status == 0 ? picture_size > 0 && picture_size <= most : picture_size == 0);
  EXPECT(!device.is_streaming);
  return status;
}

static int capture(void) { return capture_of(0, 0, 150, 1 << 20, NULL); }

// Leaves a picture for who looks at it with other eyes.
static void leave(const char *name) {
  const char *folder = getenv("CAMERA_PICTURES");
  char path[512];
  if (!folder || !picture) return;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  EXPECT(file && fwrite(picture, 1, picture_size, file) == picture_size);
  if (file) fclose(file);
}

static uint32_t number(const uint8_t *bytes) { return (uint32_t)bytes[0] << 24 | (uint32_t)(bytes[1] << 16 | bytes[2] << 8 | bytes[3]); }

static uint32_t crc_of(const uint8_t *bytes, size_t count) {
  uint32_t check = UINT32_MAX;
  while (count-- > 0) {
    check ^= *bytes++;
    for (int bit = 0; bit < 8; bit++) check = check >> 1 ^ (check & 1 ? 0xedb88320 : 0);
  }
  return ~check;
}

// The pixels of a PNG of stored blocks; every check is looked at.
static uint8_t decoded[1 << 16];
static size_t decode(uint32_t *width, uint32_t *height, int *colors) {
  const uint8_t *png = picture;
  size_t count = 0, raw = 0;
  EXPECT(picture_size > 57 && memcmp(png, "\x89PNG\r\n\x1a\n", 8) == 0);
  for (size_t at = 8, length; at < picture_size; at += 12 + length) {
    length = number(png + at);
    EXPECT(length <= picture_size - at - 12);
    EXPECT_INT(number(png + at + 8 + length), crc_of(png + at + 4, length + 4));
    const uint8_t *data = png + at + 8;
    if (memcmp(png + at + 4, "IHDR", 4) == 0) {
      *width = number(data), *height = number(data + 4);
      *colors = data[9] == 2 ? 3 : 1;
      EXPECT(data[8] == 8 && data[10] == 0 && data[11] == 0 && data[12] == 0 && (data[9] == 0 || data[9] == 2));
    } else if (memcmp(png + at + 4, "IDAT", 4) == 0) {
      uint32_t a = 1, b = 0;
      size_t stride = 1 + *width * (size_t)*colors, in = 2;
      EXPECT((data[0] << 8 | data[1]) % 31 == 0 && (data[0] & 15) == 8);
      for (bool is_last = false; !is_last && in + 5 < length;) {
        size_t block = (size_t)(data[in + 1] | data[in + 2] << 8);
        is_last = data[in] & 1;
        EXPECT_INT(0, data[in] >> 1);
        EXPECT_INT(0xffff, block ^ (size_t)(data[in + 3] | data[in + 4] << 8));
        for (size_t each = in + 5; each < in + 5 + block; each++, raw++) {
          a = (a + data[each]) % 65521, b = (b + a) % 65521;
          if (raw % stride != 0) decoded[count++] = data[each];
          else EXPECT_INT(0, data[each]);
        }
        in += 5 + block;
      }
      EXPECT_INT(in + 4, length);
      EXPECT_INT(b << 16 | a, number(data + in));
      EXPECT_INT(stride * *height, raw);
    }
  }
  return count;
}

static void expect_pixel(size_t x, size_t y, size_t width, int red, int green, int blue) {
  const uint8_t *pixel = decoded + (y * width + x) * 3;
  if (abs(pixel[0] - red) > 2 || abs(pixel[1] - green) > 2 || abs(pixel[2] - blue) > 2)
    check_fail(__FILE__, __LINE__, "pixel %zu, %zu is %d, %d, %d, expected %d, %d, %d", x, y, pixel[0], pixel[1], pixel[2], red, green, blue);
}

// BT.601 of red, green, blue, white, black and a grey.
static const uint8_t colors[6][6] = {{81, 90, 240, 255, 0, 0},     {145, 54, 34, 0, 255, 0}, {41, 240, 110, 0, 0, 255},
                                     {235, 128, 128, 255, 255, 255}, {16, 128, 128, 0, 0, 0},  {126, 128, 128, 128, 128, 128}};
// Fields of 2 x 2 pixels, each of one color.
static const uint8_t *color_at(size_t x, size_t y) { return colors[(x / 2 + y / 2) % 6]; }

static size_t draw(uint32_t fourcc, size_t width, size_t height, size_t padding) {
  lvw_frame_format format = {fourcc, (uint32_t)width, (uint32_t)height, 0};
  lvw_frame_least(&format);
  size_t line = format.line += (uint32_t)padding, half = (line + 1) / 2;
  uint8_t *chroma = pixels + line * height, *other = chroma + half * ((height + 1) / 2);
  size_t count = lvw_frame_least(&format);
  EXPECT(count > 0 && count <= sizeof pixels);
  memset(pixels, 0xa5, sizeof pixels);
  for (size_t y = 0; y < height; y++)
    for (size_t x = 0; x < width; x++) {
      const uint8_t *color = color_at(x, y);
      uint8_t *at = pixels + y * line;
      switch (fourcc) {
      case V4L2_PIX_FMT_YUYV: at[2 * x] = color[0], at[x / 2 * 4 + 1] = color[1], at[x / 2 * 4 + 3] = color[2]; break;
      case V4L2_PIX_FMT_UYVY: at[2 * x + 1] = color[0], at[x / 2 * 4] = color[1], at[x / 2 * 4 + 2] = color[2]; break;
      case V4L2_PIX_FMT_NV12: at[x] = color[0], memcpy(chroma + y / 2 * line + x / 2 * 2, color + 1, 2); break;
      case V4L2_PIX_FMT_YUV420: at[x] = color[0], chroma[y / 2 * half + x / 2] = color[1], other[y / 2 * half + x / 2] = color[2]; break;
      case V4L2_PIX_FMT_RGB24: memcpy(at + 3 * x, color + 3, 3); break;
      case V4L2_PIX_FMT_BGR24: at[3 * x] = color[5], at[3 * x + 1] = color[4], at[3 * x + 2] = color[3]; break;
      default: at[x] = color[0];
      }
    }
  return count;
}

TEST("frames that are not compressed become PNGs of the same pixels", raw) {
  static const uint32_t kinds[] = {V4L2_PIX_FMT_YUYV,  V4L2_PIX_FMT_UYVY,  V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_YUV420,
                                   V4L2_PIX_FMT_RGB24, V4L2_PIX_FMT_BGR24, V4L2_PIX_FMT_GREY};
  static const size_t sides[][3] = {{32, 16, 0}, {31, 15, 0}, {30, 7, 18}, {1, 1, 0}, {7, 3, 1}};
  for (size_t kind = 0; kind < 7; kind++)
    for (size_t side = 0; side < 5; side++) {
      size_t width = sides[side][0], height = sides[side][1], padding = sides[side][2];
      begin(kinds[kind], pixels, draw(kinds[kind], width, height, padding));
      device.formats[0].sizes[0] = (struct v4l2_frmsize_discrete){(uint32_t)width, (uint32_t)height};
      device.padding = (uint32_t)padding;
      EXPECT_INT(0, capture());
      uint32_t is_width = 0, is_height = 0;
      int has_colors = 0;
      size_t count = decode(&is_width, &is_height, &has_colors);
      EXPECT_INT(width, is_width);
      EXPECT_INT(height, is_height);
      bool is_grey = kinds[kind] == V4L2_PIX_FMT_GREY;
      EXPECT_INT(is_grey ? 1 : 3, has_colors);
      EXPECT_INT(width * height * (is_grey ? 1 : 3), count);
      for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
          const uint8_t *color = color_at(x, y);
          if (is_grey) EXPECT_INT(color[0], decoded[y * width + x]);
          else expect_pixel(x, y, width, color[3], color[4], color[5]);
        }
      char name[32];
      snprintf(name, sizeof name, "%.4s-%zu.png", (const char *)&kinds[kind], side);
      leave(name);
    }
  drop();
}

TEST("a JPEG is cut behind its end, and is given the Huffman tables that it lacks", jpegs) {
  begin_jpeg();
  EXPECT_INT(0, capture());
  EXPECT(picture_size == jpeg_size && memcmp(picture, jpeg, jpeg_size) == 0);
  leave("whole.jpg");
  memset(jpeg + jpeg_size, 0, 100);
  device.frame_size += 100;
  EXPECT_INT(0, capture());
  EXPECT(picture_size == jpeg_size && memcmp(picture, jpeg, jpeg_size) == 0);
  // With whom `most` ends: what lies behind the picture does not count.
  EXPECT_INT(0, capture_of(0, 0, 150, jpeg_size, NULL));
  EXPECT_INT(-EFBIG, capture_of(0, 0, 150, jpeg_size - 1, NULL));
  device.frame = bare;
  device.frame_size = bare_size;
  EXPECT_INT(0, capture());
  EXPECT_INT(bare_size + 420, picture_size);
  leave("bare.jpg");
  EXPECT_INT(-EFBIG, capture_of(0, 0, 150, bare_size + 419, NULL));
  EXPECT_INT(0, capture_of(0, 0, 150, bare_size + 420, NULL));
  EXPECT_INT(-EFBIG, capture_of(0, 0, 150, 0, NULL));
  // Cut short, at each byte.
  for (size_t count = 0; count < bare_size; count++) {
    lvw_frame_format format = {V4L2_PIX_FMT_MJPEG, 32, 16, 0};
    void *made = NULL;
    size_t length;
    EXPECT_INT(-EPROTO, lvw_frame_finish(&format, bare, count, 1 << 20, &made, &length));
  }
  drop();
}

TEST("the first frames are passed over, unless no others come", passed) {
  begin_jpeg();
  EXPECT_INT(0, capture_of(0, 0, 10000, 1 << 20, NULL));
  EXPECT_INT(5, device.given);
  // No longer than half a second.
  begin_jpeg();
  device.frame_ms = 300;
  EXPECT_INT(0, capture_of(0, 0, 10000, 1 << 20, NULL));
  EXPECT_INT(3, device.given);
  // One, and no other.
  begin_jpeg();
  device.frames = 1;
  EXPECT_INT(0, capture());
  EXPECT_INT(1, device.given);
  // When the time is nearly over, what comes is taken.
  begin_jpeg();
  device.frame_ms = 80;
  EXPECT_INT(0, capture_of(0, 0, 100, 1 << 20, NULL));
  EXPECT_INT(1, device.given);
  drop();
}

TEST("faulty frames are not taken", faulty) {
  begin_jpeg();
  device.faulty = 0x3ff;
  EXPECT_INT(0, capture_of(0, 0, 10000, 1 << 20, NULL));
  EXPECT_INT(15, device.given);
  device.faulty = UINT64_MAX;
  device.given = 0;
  device.frames = 5;
  EXPECT_INT(-EPROTO, capture());
  // Short ones.
  begin(V4L2_PIX_FMT_YUYV, pixels, draw(V4L2_PIX_FMT_YUYV, 32, 16, 0) - 1);
  EXPECT_INT(-EPROTO, capture());
  device.frame_size = 0;
  EXPECT_INT(-EPROTO, capture());
  // What is no JPEG.
  begin(V4L2_PIX_FMT_MJPEG, pixels, 500);
  EXPECT_INT(-EPROTO, capture());
  drop();
}

TEST("a device that is read from gives pictures too", reading) {
  begin_jpeg();
  device.abilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE;
  EXPECT_INT(0, capture());
  EXPECT_INT(5, device.reads);
  EXPECT(picture_size == jpeg_size && memcmp(picture, jpeg, jpeg_size) == 0);
  begin(V4L2_PIX_FMT_YUYV, pixels, draw(V4L2_PIX_FMT_YUYV, 32, 16, 0));
  device.abilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE;
  EXPECT_INT(0, capture());
  device.frame_size--;
  EXPECT_INT(-EPROTO, capture());
  drop();
}

TEST("whether there is a camera, and what else is there", checks) {
  char path[64];
  static const struct { uint32_t abilities; int status; } able[] = {
      {V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING, 0}, {V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE, 0},
      {V4L2_CAP_VIDEO_CAPTURE, -ENOTSUP}, {V4L2_CAP_VIDEO_CAPTURE_MPLANE | V4L2_CAP_STREAMING, -ENOTSUP},
      {V4L2_CAP_META_CAPTURE | V4L2_CAP_STREAMING, -ENOTTY}, {V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING, -ENOTTY},
      {V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING, -ENOTTY}};
  for (size_t index = 0; index < sizeof able / sizeof able[0]; index++) {
    begin_jpeg();
    device.abilities = able[index].abilities;
    EXPECT_INT(able[index].status, lvw_camera_check(DEVICE));
    EXPECT_INT(able[index].status, capture());
    EXPECT_INT(able[index].status == 0 ? 11 : -ENODEV, lvw_camera_find(path, sizeof path));
    EXPECT_INT(0, device.opened);
  }
  begin_jpeg();
  EXPECT_INT(11, lvw_camera_find(path, 12));
  EXPECT_TEXT(DEVICE, path);
  EXPECT_INT(-ENAMETOOLONG, lvw_camera_find(path, 11));
  device.path = "/dev/video13";
  EXPECT_INT(12, lvw_camera_find(path, sizeof path));
  EXPECT_TEXT("/dev/video13", path);
  EXPECT_INT(-ENOENT, lvw_camera_check(DEVICE));
  EXPECT_INT(-ENODEV, capture());
  static const int errors[][3] = {{EACCES, -EACCES, -EACCES}, {EPERM, -EACCES, -EACCES}, {EBUSY, -EBUSY, -EBUSY}, {ENODEV, -ENODEV, -ENODEV}, {ENXIO, -ENODEV, -ENODEV}};
  for (size_t index = 0; index < 5; index++) {
    begin_jpeg();
    device.open_error = errors[index][0];
    EXPECT_INT(errors[index][1], lvw_camera_check(DEVICE));
    EXPECT_INT(errors[index][1], capture());
    EXPECT_INT(errors[index][2], lvw_camera_find(path, sizeof path));
  }
  // What is no device of the kind is not even opened.
  static const struct { mode_t mode; unsigned number; } others[] = {{S_IFREG, 0}, {S_IFDIR, 0}, {S_IFIFO, 0}, {S_IFSOCK, 0}, {S_IFBLK, 81}, {S_IFCHR, 10}};
  for (size_t index = 0; index < 6; index++) {
    begin_jpeg();
    device.mode = others[index].mode;
    device.number = others[index].number;
    EXPECT_INT(-ENOTTY, lvw_camera_check(DEVICE));
    EXPECT_INT(-ENOTTY, capture());
  }
  begin_jpeg();
  device.is_exchanged = true;
  EXPECT_INT(-ENOTTY, lvw_camera_check(DEVICE));
  EXPECT_INT(-ENOTTY, capture());
  EXPECT_INT(0, device.opened);
  begin_jpeg();
  device.path = NULL;
  EXPECT_INT(-ENOTTY, lvw_camera_check("/dev/null"));
  EXPECT_INT(-ENOTTY, lvw_camera_check("/"));
  EXPECT_INT(-ENOENT, lvw_camera_check("/nowhere"));
  // None of the known formats, and none at all.
  begin_jpeg();
  device.formats[0].fourcc = V4L2_PIX_FMT_SRGGB10;
  EXPECT_INT(-ENOTSUP, lvw_camera_check(DEVICE));
  EXPECT_INT(-ENOTSUP, capture());
  device.formats[0].fourcc = 0;
  EXPECT_INT(-ENOTSUP, capture());
  drop();
}

static uint32_t size_set(const device_format *format, uint32_t width, uint32_t height) {
  begin(format->fourcc, jpeg, jpeg_size);
  device.formats[0] = *format;
  EXPECT_INT(0, capture_of(width, height, 150, 1 << 20, NULL));
  return device.set.width * 10000 + device.set.height;
}

TEST("the size is the nearest to the wanted one, and the best of the formats is taken", sizes) {
  begin_jpeg();
  device_format named = {.fourcc = V4L2_PIX_FMT_MJPEG, .sizes = {{640, 480}, {2592, 1944}, {1280, 720}, {320, 240}}};
  EXPECT_INT(12800720, size_set(&named, 0, 0));
  EXPECT_INT(6400480, size_set(&named, 640, 480));
  EXPECT_INT(6400480, size_set(&named, 700, 0));
  EXPECT_INT(3200240, size_set(&named, 0, 100));
  EXPECT_INT(25921944, size_set(&named, 5000, 5000));
  EXPECT_INT(3200240, size_set(&named, 1, 1));
  device_format large = {.fourcc = V4L2_PIX_FMT_MJPEG, .sizes = {{2592, 1944}, {2048, 1536}}};
  EXPECT_INT(20481536, size_set(&large, 0, 0));
  device_format steps = {.fourcc = V4L2_PIX_FMT_MJPEG, .range = {64, 3000, 16, 48, 3000, 8}};
  EXPECT_INT(19201080, size_set(&steps, 0, 0));
  EXPECT_INT(6400480, size_set(&steps, 645, 483));
  EXPECT_INT(640048, size_set(&steps, 6400 / 100, 1));
  EXPECT_INT(29923000, size_set(&steps, UINT32_MAX, UINT32_MAX));
  device_format silent = {.fourcc = V4L2_PIX_FMT_MJPEG};
  EXPECT_INT(19201080, size_set(&silent, 0, 0));
  EXPECT_INT(8000600, size_set(&silent, 800, 600));
  // Compressed ones come first, wherever they are named.
  begin_jpeg();
  device.formats[0].fourcc = V4L2_PIX_FMT_GREY;
  device.formats[1].fourcc = V4L2_PIX_FMT_SRGGB10;
  device.formats[2] = (device_format){.fourcc = V4L2_PIX_FMT_MJPEG, .sizes = {{32, 16}}};
  device.formats[3].fourcc = V4L2_PIX_FMT_YUYV;
  EXPECT_INT(0, capture());
  EXPECT_INT(V4L2_PIX_FMT_MJPEG, device.set.pixelformat);
  drop();
}

TEST("no frames, and nobody who wants them any longer", waits) {
  begin_jpeg();
  device.frames = 0;
  int64_t begun = lvw_now_us();
  EXPECT_INT(-ETIMEDOUT, capture());
  int64_t took = lvw_now_us() - begun;
  EXPECT(took >= 150000 && took < 1000000);
  EXPECT_INT(-ETIMEDOUT, capture_of(0, 0, 0, 1 << 20, NULL));
  EXPECT_INT(-ETIMEDOUT, capture_of(0, 0, -5, 1 << 20, NULL));
  for (int asked = 0; asked < 4; asked++) {
    int left = asked;
    begun = lvw_now_us();
    EXPECT_INT(-ECANCELED, capture_of(0, 0, 10000, 1 << 20, &left));
    EXPECT(lvw_now_us() - begun < 1000000);
  }
  // Also where a frame has come already.
  begin_jpeg();
  int left = 3;
  EXPECT_INT(-ECANCELED, capture_of(0, 0, 10000, 1 << 20, &left));
  drop();
}

// Lies of a device: which answer, and what becomes of it.
static int lied_about;
static int lie(unsigned long request, void *answer) {
  struct v4l2_pix_format *set = &((struct v4l2_format *)answer)->fmt.pix;
  struct v4l2_buffer *buffer = answer;
  switch (lied_about) {
  case 0: if (request == VIDIOC_S_FMT) set->width = 0; break;
  case 1: if (request == VIDIOC_S_FMT) set->height = 0; break;
  case 2: if (request == VIDIOC_S_FMT) set->width = UINT32_MAX; break;
  case 3: if (request == VIDIOC_S_FMT) set->height = 16385; break;
  case 4: if (request == VIDIOC_S_FMT) set->bytesperline = 63; break;
  case 5: if (request == VIDIOC_S_FMT) set->bytesperline = UINT32_MAX; break;
  case 6: if (request == VIDIOC_S_FMT) set->sizeimage = 1023; break;
  case 7: if (request == VIDIOC_S_FMT) set->sizeimage = UINT32_MAX; break;
  case 8: if (request == VIDIOC_S_FMT) set->height = 17; break;
  case 9: if (request == VIDIOC_REQBUFS) ((struct v4l2_requestbuffers *)answer)->count = 0; break;
  case 10: if (request == VIDIOC_REQBUFS) ((struct v4l2_requestbuffers *)answer)->count = UINT32_MAX; break;
  case 11: if (request == VIDIOC_QUERYBUF) buffer->length = 0; break;
  case 12: if (request == VIDIOC_QUERYBUF) buffer->length = 1023; break;
  case 13: if (request == VIDIOC_QUERYBUF) buffer->length = UINT32_MAX; break;
  case 14: if (request == VIDIOC_DQBUF) buffer->index = 4; break;
  case 15: if (request == VIDIOC_DQBUF) buffer->index = UINT32_MAX; break;
  case 16: if (request == VIDIOC_DQBUF) buffer->bytesused = buffer->length + 1; break;
  case 17: if (request == VIDIOC_DQBUF) buffer->bytesused = UINT32_MAX; break;
  case 18: if (request == VIDIOC_S_FMT) set->width = 16384, set->height = 16384, set->bytesperline = 0, set->sizeimage = 1 << 30; break;
  default: return 0;
  }
  return 0;
}

TEST("what a device says that cannot be is a status", lies) {
  for (lied_about = 0; lied_about < 19; lied_about++) {
    int before = check_failures;
    begin(V4L2_PIX_FMT_YUYV, pixels, draw(V4L2_PIX_FMT_YUYV, 32, 16, 0));
    device.lie = lie;
    EXPECT_INT(-EPROTO, capture());
    if (check_failures > before) fprintf(stderr, "  of lie %d\n", lied_about);
  }
  drop();
}

static int other_format(unsigned long request, void *answer) {
  if (request == VIDIOC_S_FMT) ((struct v4l2_format *)answer)->fmt.pix.pixelformat = V4L2_PIX_FMT_SRGGB10;
  return 0;
}
static int odd_sizes(unsigned long request, void *answer) {
  struct v4l2_frmsizeenum *sizes = answer;
  if (request != VIDIOC_ENUM_FRAMESIZES) return 0;
  sizes->type = sizes->index % 3 + 1;
  memset(&sizes->stepwise, sizes->index % 2 ? 0xff : 0, sizeof sizes->stepwise);
  return 0;
}
static int no_end(unsigned long request, void *answer) {
  if (request == VIDIOC_DQBUF) return EAGAIN;
  return 0 * (int)(answer == NULL);
}
static int no_buffers(unsigned long request, void *answer) { return request == VIDIOC_REQBUFS && answer ? EBUSY : 0; }

TEST("odd devices", odd) {
  begin_jpeg();
  device.lie = other_format;
  EXPECT_INT(-ENOTSUP, capture());
  begin_jpeg();
  device.lie = odd_sizes;
  EXPECT_INT(0, capture());
  // It says that there is a frame, and has none.
  begin_jpeg();
  device.lie = no_end;
  EXPECT_INT(-ETIMEDOUT, capture());
  EXPECT(device.calls < 200);
  begin_jpeg();
  device.lie = no_buffers;
  EXPECT_INT(-EBUSY, capture());
  // Too large for who asks, and looked at before memory is taken for it.
  begin(V4L2_PIX_FMT_RGB24, pixels, draw(V4L2_PIX_FMT_RGB24, 32, 16, 0));
  EXPECT_INT(-EFBIG, capture_of(0, 0, 150, 1000, NULL));
  EXPECT_INT(-EFBIG, capture_of(0, 0, 150, 1694, NULL));
  EXPECT_INT(0, capture_of(0, 0, 150, 1695, NULL));
  drop();
}

TEST("whichever call fails, once or for good, there is a status and all is given back", fails) {
  static const int errors[] = {ENODEV, EIO, EINTR, EBUSY, EAGAIN, EINVAL, ENOTTY, EACCES, ENOMEM, ENOSPC};
  for (int kind = 0; kind < 3; kind++)
    for (size_t error = 0; error < sizeof errors / sizeof errors[0]; error++)
      for (int for_good = 0; for_good < 2; for_good++)
        for (int call = 1; call < 200; call++) {
          int before = check_failures;
          begin_jpeg();
          if (kind == 1) begin(V4L2_PIX_FMT_NV12, pixels, draw(V4L2_PIX_FMT_NV12, 32, 16, 0));
          if (kind == 2) device.abilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE;
          device.fails_at = call;
          device.fails_with = errors[error];
          device.fails_for_good = for_good;
          int status = capture_of(0, 0, 40, 1 << 20, NULL);
          EXPECT(status <= 0 && status > -4096);
          bool was_reached = device.calls >= call;
          // What ends a device ends the capture; what a signal interrupts goes on.
          if (was_reached && errors[error] == ENODEV && call < device.calls) EXPECT_INT(-ENODEV, status);
          if (errors[error] == EINTR && !for_good && call != 1 && call != 3) EXPECT_INT(0, status);
          if (check_failures > before) fprintf(stderr, "  kind %d, error %d, call %d, %s\n", kind, errors[error], call, for_good ? "for good" : "once");
          if (!was_reached || check_failures > 50) break;
        }
  drop();
}

static int io_faults;
static int io_fails(unsigned long request, void *answer) { return answer && request == VIDIOC_DQBUF && io_faults-- > 0 ? EIO : 0; }

TEST("one fault while frames come is passed over, two are not", io) {
  begin_jpeg();
  device.lie = io_fails;
  io_faults = 1;
  EXPECT_INT(0, capture());
  begin_jpeg();
  device.lie = io_fails;
  io_faults = 2;
  EXPECT_INT(-EIO, capture());
  drop();
}

TEST("memory that ends is a status", memory) {
  for (int kind = 0; kind < 3; kind++)
    for (int nth = 1; nth < 10; nth++) {
      begin_jpeg();
      if (kind == 1) begin(V4L2_PIX_FMT_YUYV, pixels, draw(V4L2_PIX_FMT_YUYV, 32, 16, 0));
      if (kind == 2) device.abilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_READWRITE;
      device.memory_fails_at = nth;
      int status = capture();
      EXPECT(status == 0 || status == -ENOMEM);
      EXPECT(nth > 1 || status == -ENOMEM);
      if (device.allocations < nth) break;
    }
  drop();
}

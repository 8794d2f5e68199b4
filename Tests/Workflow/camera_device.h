// A V4L2 device that is not there: the linker has the calls of the code that is tested come here (--wrap), and those that
// concern other files go on to the C library.
#ifndef CAMERA_DEVICE_H
#define CAMERA_DEVICE_H

#include "check.h"
#include "../../Sources/CWorkflow/camera.h"

#include <linux/videodev2.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define DEVICE "/dev/video0"

typedef struct device_format {
  uint32_t fourcc;
  // Discrete ones, up to one of width 0; or the range of a stepwise one.
  struct v4l2_frmsize_discrete sizes[4];
  struct v4l2_frmsize_stepwise range;
} device_format;

static struct device {
  const char *path;
  int open_error;
  // Another file takes the place of the device before it is opened.
  bool is_exchanged;
  mode_t mode;
  unsigned number;
  uint32_t abilities;
  device_format formats[4];
  const uint8_t *frame;
  size_t frame_size;
  // How many frames there are, and how long each takes; which have an error, of the first 64.
  int frames, frame_ms;
  uint64_t faulty;
  // The format before another one is set, and what is set.
  uint32_t padding;
  struct v4l2_pix_format set;
  // Changes an answer, or refuses it with the errno that it returns.
  int (*lie)(unsigned long request, void *answer);
  // The call that fails, counted from 1, and with what; negative: all from there on.
  int fails_at, fails_with;
  bool fails_for_good;
  // What happens.
  int calls, opened, mapped, given, taken, reads;
  long allocated;
  int memory_fails_at, allocations;
  bool is_streaming;
  uint32_t queued, requested;
  uint8_t *buffers[VIDEO_MAX_FRAME];
} device;

/** Whether this call is one that fails. */
static bool device_fails(void) {
  device.calls++;
  if (device.fails_at == 0 || device.calls < device.fails_at || (device.calls > device.fails_at && !device.fails_for_good)) return false;
  errno = device.fails_with;
  return true;
}

static int device_descriptor = -1;

int __real_open(const char *path, int flags, ...);
int __real_close(int descriptor);
int __real_stat(const char *path, struct stat *facts);
int __real_fstat(int descriptor, struct stat *facts);
int __real_ioctl(int descriptor, unsigned long request, ...);
int __real_poll(struct pollfd *descriptors, nfds_t count, int timeout);
ssize_t __real_read(int descriptor, void *bytes, size_t count);
void *__real_mmap(void *start, size_t length, int protection, int flags, int descriptor, off_t offset);
int __real_munmap(void *start, size_t length);
int __real_madvise(void *start, size_t length, int advice);
void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);

static bool is_device(const char *path) { return device.path && strcmp(path, device.path) == 0; }

int __wrap_open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (!is_device(path)) return __real_open(path, flags, mode);
  EXPECT_INT(O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, flags);
  // A device that waits while it is opened, or one that is opened and is none, would be a fault.
  EXPECT(S_ISCHR(device.mode) && device.number == 81);
  if (device_fails()) return -1;
  errno = device.open_error;
  if (device.open_error) return -1;
  device.opened++;
  return device_descriptor = __real_open("/dev/null", O_RDWR | O_CLOEXEC);
}

int __wrap_close(int descriptor) {
  if (descriptor == device_descriptor && descriptor >= 0) {
    device.opened--;
    EXPECT(!device.is_streaming);
    EXPECT_INT(0, device.mapped);
    device_descriptor = -1;
  }
  return __real_close(descriptor);
}

static int device_facts(struct stat *facts) {
  if (device_fails()) return -1;
  *facts = (struct stat){.st_mode = device.mode, .st_rdev = makedev(device.number, 0)};
  return 0;
}
int __wrap_stat(const char *path, struct stat *facts) {
  // Other cameras, which this system may have, are not looked at.
  if (device.path && strncmp(path, "/dev/video", 10) == 0 && !is_device(path)) {
    errno = ENOENT;
    return -1;
  }
  return is_device(path) ? device_facts(facts) : __real_stat(path, facts);
}
int __wrap_fstat(int descriptor, struct stat *facts) {
  if (descriptor != device_descriptor || device.is_exchanged) return __real_fstat(descriptor, facts);
  return device_facts(facts);
}

static int refuse_call(int error) {
  errno = error;
  return -1;
}

static const device_format *format_of(uint32_t fourcc) {
  for (int index = 0; index < 4; index++)
    if (device.formats[index].fourcc && device.formats[index].fourcc == fourcc) return &device.formats[index];
  return NULL;
}

static uint32_t distance_of(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

static void set_pixels(struct v4l2_pix_format *pixels) {
  const device_format *format = format_of(pixels->pixelformat);
  if (!format) format = &device.formats[0];
  pixels->pixelformat = format->fourcc;
  if (format->sizes[0].width) {
    struct v4l2_frmsize_discrete best = format->sizes[0];
    for (int index = 1; index < 4 && format->sizes[index].width; index++)
      if (distance_of(format->sizes[index].width, pixels->width) < distance_of(best.width, pixels->width)) best = format->sizes[index];
    pixels->width = best.width;
    pixels->height = best.height;
  }
  lvw_frame_format known = {pixels->pixelformat, pixels->width, pixels->height, 0};
  lvw_frame_least(&known);
  bool is_compressed = known.line == 0;
  pixels->bytesperline = is_compressed ? 0 : known.line + device.padding;
  known.line = pixels->bytesperline;
  size_t least = lvw_frame_least(&known);
  pixels->sizeimage = (uint32_t)(is_compressed ? device.frame_size + 64 : least);
  device.set = *pixels;
}

static int device_control(unsigned long request, void *argument) {
  switch (request) {
  case VIDIOC_QUERYCAP: {
    struct v4l2_capability *answer = argument;
    answer->device_caps = device.abilities;
    answer->capabilities = V4L2_CAP_DEVICE_CAPS | V4L2_CAP_VIDEO_OUTPUT | device.abilities;
    return 0;
  }
  case VIDIOC_ENUM_FMT: {
    struct v4l2_fmtdesc *answer = argument;
    EXPECT_INT(V4L2_BUF_TYPE_VIDEO_CAPTURE, answer->type);
    if (answer->index >= 4 || device.formats[answer->index].fourcc == 0) return refuse_call(EINVAL);
    answer->pixelformat = device.formats[answer->index].fourcc;
    return 0;
  }
  case VIDIOC_ENUM_FRAMESIZES: {
    struct v4l2_frmsizeenum *answer = argument;
    const device_format *format = format_of(answer->pixel_format);
    if (format && format->range.max_width && answer->index == 0) {
      answer->type = V4L2_FRMSIZE_TYPE_STEPWISE;
      answer->stepwise = format->range;
      return 0;
    }
    if (!format || answer->index >= 4 || format->sizes[answer->index].width == 0) return refuse_call(EINVAL);
    answer->type = V4L2_FRMSIZE_TYPE_DISCRETE;
    answer->discrete = format->sizes[answer->index];
    return 0;
  }
  case VIDIOC_S_FMT: set_pixels(&((struct v4l2_format *)argument)->fmt.pix); return 0;
  case VIDIOC_REQBUFS: {
    struct v4l2_requestbuffers *answer = argument;
    if (!(device.abilities & V4L2_CAP_STREAMING)) return refuse_call(EINVAL);
    EXPECT_INT(V4L2_MEMORY_MMAP, answer->memory);
    EXPECT(answer->count >= 2);
    device.requested = answer->count;
    return 0;
  }
  case VIDIOC_QUERYBUF: {
    struct v4l2_buffer *answer = argument;
    EXPECT(answer->index < device.requested);
    answer->length = device.set.sizeimage;
    answer->m.offset = answer->index * 4096;
    return 0;
  }
  case VIDIOC_QBUF: {
    const struct v4l2_buffer *buffer = argument;
    EXPECT(buffer->index < device.requested && !(device.queued & 1u << buffer->index));
    device.queued |= 1u << buffer->index;
    return 0;
  }
  case VIDIOC_STREAMON:
    EXPECT(device.queued != 0);
    device.is_streaming = true;
    return 0;
  case VIDIOC_STREAMOFF:
    device.is_streaming = false;
    device.queued = 0;
    return 0;
  case VIDIOC_DQBUF: {
    struct v4l2_buffer *answer = argument;
    if (!device.is_streaming) return refuse_call(EINVAL);
    if (device.queued == 0 || device.given >= device.frames) return refuse_call(EAGAIN);
    uint32_t index = (uint32_t)__builtin_ctz(device.queued);
    device.queued &= ~(1u << index);
    answer->index = index;
    answer->length = device.set.sizeimage;
    answer->bytesused = (uint32_t)(device.frame_size < answer->length ? device.frame_size : answer->length);
    memcpy(device.buffers[index], device.frame, answer->bytesused);
    if (device.given < 64 && device.faulty >> device.given & 1) answer->flags = V4L2_BUF_FLAG_ERROR;
    device.given++;
    return 0;
  }
  default: return refuse_call(ENOTTY);
  }
}

int __wrap_ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  if (descriptor != device_descriptor) return __real_ioctl(descriptor, request, argument);
  if (request == VIDIOC_STREAMOFF) device.is_streaming = false;
  if (device_fails()) return -1;
  int result = device_control(request, argument);
  int error = result == 0 && device.lie ? device.lie(request, argument) : 0;
  return error ? refuse_call(error) : result;
}

// Buffers of just the size that they have, so that a sanitizer sees what is read behind them.
void *__wrap_mmap(void *start, size_t length, int protection, int flags, int descriptor, off_t offset) {
  if (descriptor != device_descriptor || descriptor < 0) return __real_mmap(start, length, protection, flags, descriptor, offset);
  if (device_fails()) return MAP_FAILED;
  device.mapped++;
  return device.buffers[offset / 4096] = __real_malloc(length);
}

static bool is_buffer(const void *start) {
  for (int index = 0; index < VIDEO_MAX_FRAME; index++)
    if (device.buffers[index] == start) return true;
  return false;
}

int __wrap_munmap(void *start, size_t length) {
  if (!is_buffer(start)) return __real_munmap(start, length);
  EXPECT(!device.is_streaming);
  device.mapped--;
  for (int index = 0; index < VIDEO_MAX_FRAME; index++)
    if (device.buffers[index] == start) device.buffers[index] = NULL;
  __real_free(start);
  return 0;
}
int __wrap_madvise(void *start, size_t length, int advice) {
  return is_buffer(start) ? 0 : __real_madvise(start, length, advice);
}

int __wrap_poll(struct pollfd *descriptors, nfds_t count, int timeout) {
  if (count != 1 || descriptors->fd != device_descriptor) return __real_poll(descriptors, count, timeout);
  descriptors->revents = 0;
  EXPECT(timeout >= 0 && timeout <= 50);
  if (device_fails()) {
    // So it is when a device is pulled out.
    if (errno != ENODEV) return -1;
    descriptors->revents = POLLERR | POLLHUP;
    return 1;
  }
  if (device.given >= device.frames) return __real_poll(NULL, 0, timeout);
  if (device.frame_ms > 0) __real_poll(NULL, 0, device.frame_ms);
  descriptors->revents = POLLIN;
  return 1;
}

ssize_t __wrap_read(int descriptor, void *bytes, size_t count) {
  if (descriptor != device_descriptor) return __real_read(descriptor, bytes, count);
  if (device_fails()) return -1;
  if (device.given >= device.frames) return refuse_call(EAGAIN);
  device.given++;
  device.reads++;
  size_t part = device.frame_size < count ? device.frame_size : count;
  memcpy(bytes, device.frame, part);
  return (ssize_t)part;
}

// Memory that the code takes, which has to be given back.
static bool memory_fails(void) { return device.path && device.memory_fails_at > 0 && ++device.allocations == device.memory_fails_at; }
void *__wrap_malloc(size_t size) {
  void *memory = memory_fails() ? NULL : __real_malloc(size);
  if (memory) device.allocated++;
  return memory;
}
void *__wrap_realloc(void *memory, size_t size) { return memory_fails() ? NULL : __real_realloc(memory, size); }
void __wrap_free(void *memory) {
  if (memory) device.allocated--;
  __real_free(memory);
}

#endif

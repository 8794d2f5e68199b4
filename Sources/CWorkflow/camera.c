// A camera by Video4Linux. Whatever a device says is looked at before it is used.
#define _GNU_SOURCE
#include "camera.h"

#include <linux/videodev2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Major number of V4L2's devices (Documentation/admin-guide/devices.txt of Linux); how often a call is begun anew that a signal
// has interrupted; how many formats and sizes are looked at; how many buffers are asked for.
enum { VIDEO_MAJOR = 81, TRIES = 100, FORMATS_MAX = 64, SIZES_MAX = 256, BUFFERS = 4 };
// Cameras adjust to the light by the first frames: how many are passed over, and for how long at most.
enum { PASSED_FRAMES = 4, PASSED_MS = 500, SLICE_MS = 50, PAUSE_MS = 5 };

typedef struct camera {
  int descriptor;
  lvw_frame_format format;
  size_t least;
  // What frames are read into; or the buffers that the device shares.
  uint8_t *room;
  size_t size;
  uint32_t count;
  struct {
    uint8_t *start;
    size_t length;
  } buffers[VIDEO_MAX_FRAME];
} camera;

static int failure(int error) {
  return error == ENXIO ? -ENODEV : error == EPERM ? -EACCES : error > 0 ? -error : -EIO;
}

static int control(int descriptor, unsigned long request, void *argument) {
  for (int tries = 0; tries < TRIES; tries++) {
    if (ioctl(descriptor, request, argument) >= 0) return 0;
    if (errno != EINTR) return failure(errno);
  }
  return -EINTR;
}

// To open another kind of device may have effects, as that of a watchdog has.
static int is_video(const struct stat *facts) {
  return S_ISCHR(facts->st_mode) && major(facts->st_rdev) == VIDEO_MAJOR ? 0 : -ENOTTY;
}

static int open_camera(const char *path) {
  struct stat facts;
  if (stat(path, &facts) != 0) return failure(errno);
  int status = is_video(&facts), descriptor = -EINTR;
  for (int tries = 0; status == 0 && tries < TRIES && descriptor == -EINTR; tries++) descriptor = lvw_device_open(path);
  if (status < 0) return status;
  if (descriptor < 0) return failure(-descriptor);
  status = fstat(descriptor, &facts) == 0 ? is_video(&facts) : failure(errno);
  if (status == 0) return descriptor;
  lvw_close(descriptor);
  return status;
}

// What the device can do, and which of the known formats it has, as bits.
static int ask(int descriptor, uint32_t *abilities, uint32_t *formats) {
  struct v4l2_capability answer = {0};
  int status = control(descriptor, VIDIOC_QUERYCAP, &answer);
  if (status < 0) return status == -EINVAL ? -ENOTTY : status;
  *abilities = answer.capabilities & V4L2_CAP_DEVICE_CAPS ? answer.device_caps : answer.capabilities;
  if (*abilities & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) return -ENOTTY;
  if (!(*abilities & V4L2_CAP_VIDEO_CAPTURE)) return *abilities & V4L2_CAP_VIDEO_CAPTURE_MPLANE ? -ENOTSUP : -ENOTTY;
  if (!(*abilities & (V4L2_CAP_STREAMING | V4L2_CAP_READWRITE))) return -ENOTSUP;
  *formats = 0;
  for (uint32_t index = 0; index < FORMATS_MAX; index++) {
    struct v4l2_fmtdesc format = {.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    status = control(descriptor, VIDIOC_ENUM_FMT, &format);
    if (status == -EINVAL) break;
    if (status < 0) return status;
    for (size_t known = 0; lvw_frame_known(known) != 0; known++)
      if (lvw_frame_known(known) == format.pixelformat) *formats |= UINT32_C(1) << known;
  }
  return *formats ? 0 : -ENOTSUP;
}

int lvw_camera_check(const char *path) {
  uint32_t abilities, formats;
  int descriptor = open_camera(path);
  if (descriptor < 0) return descriptor;
  int status = ask(descriptor, &abilities, &formats);
  lvw_close(descriptor);
  return status;
}

int lvw_camera_find(char *path, size_t room) {
  int found = -ENODEV;
  for (int number = 0; number < 256; number++) {
    char name[32];
    int length = snprintf(name, sizeof name, "/dev/video%d", number), status = lvw_camera_check(name);
    if (status == 0) {
      if ((size_t)length >= room) return -ENAMETOOLONG;
      memcpy(path, name, (size_t)length + 1);
      return length;
    }
    // That there may be one, though not for us, is worth to know.
    if (found == -ENODEV && (status == -EACCES || status == -EBUSY)) found = status;
  }
  return found;
}

// Sizes

typedef struct extent {
  uint32_t width, height;
} extent;

static bool is_sane(extent size) {
  return size.width > 0 && size.height > 0 && size.width <= LVW_SIDE_MAX && size.height <= LVW_SIDE_MAX;
}

static uint32_t apart(uint32_t wanted, uint32_t found) {
  return wanted == 0 ? 0 : wanted < found ? found - wanted : wanted - found;
}

// How far a size is from the wanted one. Where any is wanted, those that are too large come last.
static uint64_t distance(extent wanted, extent size) {
  uint64_t area = (uint64_t)size.width * size.height, most = (uint64_t)LVW_SIDE_MAX * LVW_SIDE_MAX;
  bool is_large = (wanted.width == 0 && size.width > 1920) || (wanted.height == 0 && size.height > 1080);
  uint64_t sides = apart(wanted.width, size.width) + apart(wanted.height, size.height);
  return (sides * 2 + is_large) * (most + 1) + (is_large ? area : most - area);
}

static uint32_t stepped(uint32_t wanted, uint32_t otherwise, uint32_t least, uint32_t most, uint32_t step) {
  uint32_t side = wanted ? wanted : otherwise;
  if (most > LVW_SIDE_MAX) most = LVW_SIDE_MAX;
  if (least > most) return 0;
  if (side < least) side = least;
  if (side > most) side = most;
  if (step == 0) step = 1;
  uint32_t below = least + (side - least) / step * step;
  return wanted && side - below > step / 2 && step <= most - below ? below + step : below;
}

// The size of a format that is nearest to the wanted one; the wanted one where the device names none.
static int choose(int descriptor, uint32_t fourcc, extent wanted, extent *chosen) {
  *chosen = (extent){wanted.width ? wanted.width : 1920, wanted.height ? wanted.height : 1080};
  bool has_one = false;
  for (uint32_t index = 0; index < SIZES_MAX; index++) {
    struct v4l2_frmsizeenum answer = {.index = index, .pixel_format = fourcc};
    int status = control(descriptor, VIDIOC_ENUM_FRAMESIZES, &answer);
    if (status == -EINVAL || status == -ENOTTY) break;
    if (status < 0) return status;
    bool is_discrete = answer.type == V4L2_FRMSIZE_TYPE_DISCRETE;
    extent size = {answer.discrete.width, answer.discrete.height};
    if (!is_discrete) {
      const struct v4l2_frmsize_stepwise *range = &answer.stepwise;
      size.width = stepped(wanted.width, 1920, range->min_width, range->max_width, range->step_width);
      size.height = stepped(wanted.height, 1080, range->min_height, range->max_height, range->step_height);
    }
    if (is_sane(size) && (!has_one || distance(wanted, size) < distance(wanted, *chosen))) {
      *chosen = size;
      has_one = true;
    }
    if (!is_discrete) break;
  }
  return 0;
}

// Sets the best of the formats that the device takes.
static int set_format(camera *self, uint32_t formats, extent wanted) {
  int worst = -ENOTSUP;
  for (size_t known = 0; lvw_frame_known(known) != 0; known++) {
    if (!(formats & UINT32_C(1) << known)) continue;
    extent size;
    int status = choose(self->descriptor, lvw_frame_known(known), wanted, &size);
    if (status < 0) return status;
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    format.fmt.pix.width = size.width;
    format.fmt.pix.height = size.height;
    format.fmt.pix.pixelformat = lvw_frame_known(known);
    status = control(self->descriptor, VIDIOC_S_FMT, &format);
    if (status < 0 && status != -EINVAL) return status;
    const struct v4l2_pix_format *set = &format.fmt.pix;
    if (status < 0 || set->pixelformat != lvw_frame_known(known)) continue;
    self->format = (lvw_frame_format){set->pixelformat, set->width, set->height, set->bytesperline};
    self->least = lvw_frame_least(&self->format);
    self->size = set->sizeimage;
    if (self->least > 0 && set->sizeimage >= self->least && set->sizeimage <= LVW_FRAME_MAX) return 0;
    worst = -EPROTO;
  }
  return worst;
}

// Frames

static int give(const camera *self, uint32_t index) {
  struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP, .index = index};
  return control(self->descriptor, VIDIOC_QBUF, &buffer);
}

static int share(camera *self) {
  struct v4l2_requestbuffers request = {
      .count = BUFFERS, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  int status = control(self->descriptor, VIDIOC_REQBUFS, &request);
  if (status < 0) return status;
  if (request.count == 0 || request.count > VIDEO_MAX_FRAME) return -EPROTO;
  for (uint32_t index = 0; index < request.count; index++) {
    struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP, .index = index};
    status = control(self->descriptor, VIDIOC_QUERYBUF, &buffer);
    if (status < 0) return status;
    if (buffer.length < self->least || buffer.length > LVW_FRAME_MAX) return -EPROTO;
    // Not all drivers allow to map for reading alone.
    void *start = MAP_FAILED;
    errno = EINTR;
    for (int tries = 0; tries < TRIES && start == MAP_FAILED && errno == EINTR; tries++)
      start = mmap(NULL, buffer.length, PROT_READ | PROT_WRITE, MAP_SHARED, self->descriptor, buffer.m.offset);
    if (start == MAP_FAILED) return failure(errno);
    // A child that had it too would keep the device from being given back.
    madvise(start, buffer.length, MADV_DONTFORK);
    self->buffers[index].start = start;
    self->buffers[index].length = buffer.length;
    self->count = index + 1;
    status = give(self, index);
    if (status < 0) return status;
  }
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  return control(self->descriptor, VIDIOC_STREAMON, &type);
}

static int begin(camera *self, uint32_t abilities) {
  int status = abilities & V4L2_CAP_STREAMING ? share(self) : -EINVAL;
  // Before there are buffers: the device can share none.
  if (status != -EINVAL || self->count > 0 || !(abilities & V4L2_CAP_READWRITE)) return status;
  self->room = malloc(self->size);
  return self->room ? 0 : -ENOMEM;
}

static void end(camera *self) {
  int type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
  if (self->count > 0) control(self->descriptor, VIDIOC_STREAMOFF, &type);
  for (uint32_t index = 0; index < self->count; index++) munmap(self->buffers[index].start, self->buffers[index].length);
  free(self->room);
  lvw_close(self->descriptor);
}

// A frame that is there, of 0 bytes if the device says that it is faulty; -EAGAIN where there is none.
static int next_frame(camera *self, const uint8_t **frame, size_t *count, uint32_t *index) {
  *count = 0;
  if (self->room) {
    ssize_t got = read(self->descriptor, self->room, self->size);
    if (got < 0) return errno == EINTR ? -EAGAIN : failure(errno);
    if ((size_t)got > self->size) return -EPROTO;
    *frame = self->room;
    *count = (size_t)got;
    return 0;
  }
  struct v4l2_buffer buffer = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP};
  int status = control(self->descriptor, VIDIOC_DQBUF, &buffer);
  if (status < 0) return status;
  if (buffer.index >= self->count || buffer.bytesused > self->buffers[buffer.index].length) return -EPROTO;
  *index = buffer.index;
  *frame = self->buffers[buffer.index].start;
  if (!(buffer.flags & V4L2_BUF_FLAG_ERROR)) *count = buffer.bytesused;
  return 0;
}

// Whether there is a frame: 1, or 0 for not yet.
static int wait_for_frame(const camera *self, int64_t left_us) {
  struct pollfd device = {.fd = self->descriptor, .events = POLLIN};
  int ready = poll(&device, 1, left_us < SLICE_MS * 1000 ? (int)(left_us / 1000) + 1 : SLICE_MS);
  if (ready < 0) return errno == EINTR ? 0 : failure(errno);
  if (ready > 0 && device.revents & (POLLERR | POLLHUP | POLLNVAL)) return -ENODEV;
  return ready > 0 && device.revents & POLLIN;
}

typedef struct demand {
  int64_t patience_us;
  size_t most;
  bool (*is_cancelled)(void *context);
  void *context;
} demand;

static bool is_cancelled(const demand *wish) { return wish->is_cancelled && wish->is_cancelled(wish->context); }

// Takes a frame after those that are passed over; the first one where no other comes in time.
static int take(camera *self, const demand *wish, int64_t deadline, void **bytes, size_t *length) {
  int otherwise = -ETIMEDOUT, faults = 0, passed = 0;
  int64_t first = 0;
  for (;;) {
    int64_t now = lvw_now_us();
    if (is_cancelled(wish)) return -ECANCELED;
    if (now >= deadline) return *bytes ? 0 : otherwise;
    int status = wait_for_frame(self, deadline - now);
    if (status < 0) return status;
    if (status == 0) continue;
    const uint8_t *frame = NULL;
    size_t count = 0;
    uint32_t index = 0;
    status = next_frame(self, &frame, &count, &index);
    if (status == -EAGAIN || (status == -EIO && ++faults < 2)) {
      poll(NULL, 0, PAUSE_MS);
      continue;
    }
    if (status < 0) return status;
    now = lvw_now_us();
    if (first == 0) first = now;
    bool is_last = passed >= PASSED_FRAMES || now - first >= PASSED_MS * 1000 || deadline - now <= wish->patience_us / 4;
    if (count >= self->least && (is_last || !*bytes)) {
      void *made = NULL;
      status = lvw_frame_finish(&self->format, frame, count, wish->most, &made, length);
      if (status == 0) {
        free(*bytes);
        *bytes = made;
        if (is_last) return 0;
      } else if (status == -ENOMEM || (status == -EFBIG && is_last)) {
        return status;
      }
    }
    status = self->room ? 0 : give(self, index);
    if (status < 0) return status;
    if (count >= self->least) passed++;
    if (*bytes) continue;
    otherwise = -EPROTO;
    poll(NULL, 0, PAUSE_MS);
  }
}

int lvw_camera_capture(const char *path, uint32_t width, uint32_t height, int timeout_ms, size_t most,
                       bool (*is_cancelled_by)(void *context), void *context, void **bytes, size_t *length) {
  demand wish = {timeout_ms > 0 ? (int64_t)timeout_ms * 1000 : 0, most, is_cancelled_by, context};
  int64_t deadline = lvw_now_us() + wish.patience_us;
  extent wanted = {width < LVW_SIDE_MAX ? width : LVW_SIDE_MAX, height < LVW_SIDE_MAX ? height : LVW_SIDE_MAX};
  uint32_t abilities, formats;
  *bytes = NULL;
  *length = 0;
  if (is_cancelled(&wish)) return -ECANCELED;
  camera self = {.descriptor = open_camera(path)};
  if (self.descriptor < 0) return self.descriptor == -ENOENT ? -ENODEV : self.descriptor;
  int status = ask(self.descriptor, &abilities, &formats);
  if (status == 0) status = set_format(&self, formats, wanted);
  if (status == 0) status = begin(&self, abilities);
  if (status == 0) status = take(&self, &wish, deadline, bytes, length);
  end(&self);
  if (status == 0) return 0;
  free(*bytes);
  *bytes = NULL;
  *length = 0;
  return status;
}

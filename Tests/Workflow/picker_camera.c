// Picking from a camera of the system's: the library's calls come to a device that this program plays.
#include "picked.h"

#include <dlfcn.h>

#define __wrap_open open
#define __wrap_close close
#define __wrap_stat stat
#define __wrap_fstat fstat
#define __wrap_ioctl ioctl
#define __wrap_poll poll
#define __wrap_read read
#define __wrap_mmap mmap
#define __wrap_munmap munmap
#define __wrap_madvise madvise
#include "camera_device.h"

// The C library's own, which the linker would have named so.
#define NEXT(type, name, parameters, arguments)                     \
  type __real_##name parameters {                                   \
    static type(*next) parameters;                                  \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #name);           \
    return next arguments;                                          \
  }
int __real_open(const char *path, int flags, ...) {
  static int (*next)(const char *, int, ...);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "open");
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return next(path, flags, mode);
}
int __real_ioctl(int descriptor, unsigned long request, ...) {
  static int (*next)(int, unsigned long, ...);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  return next(descriptor, request, argument);
}
NEXT(int, close, (int descriptor), (descriptor))
NEXT(int, stat, (const char *path, struct stat *facts), (path, facts))
NEXT(int, fstat, (int descriptor, struct stat *facts), (descriptor, facts))
NEXT(int, poll, (struct pollfd *descriptors, nfds_t count, int timeout), (descriptors, count, timeout))
NEXT(ssize_t, read, (int descriptor, void *bytes, size_t count), (descriptor, bytes, count))
NEXT(void *, mmap, (void *start, size_t length, int protection, int flags, int descriptor, off_t offset),
     (start, length, protection, flags, descriptor, offset))
NEXT(int, munmap, (void *start, size_t length), (start, length))
NEXT(int, madvise, (void *start, size_t length, int advice), (start, length, advice))
void *__real_malloc(size_t size) { return malloc(size); }
void *__real_realloc(void *memory, size_t size) { return realloc(memory, size); }
void __real_free(void *memory) { free(memory); }

static livery_store *picking_store(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "usage.camera", TEXT("Your picture is your badge")));
  return store;
}

static uint8_t *jpeg;
static size_t jpeg_size;

// A camera that has a picture, over and over.
static void begin(void) {
  if (!jpeg) jpeg = read_whole(FIXTURES "/images/baseline.jpg", &jpeg_size);
  device = (struct device){.path = DEVICE, .mode = S_IFCHR | 0660, .number = 81,
                           .abilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING,
                           .formats = {{.fourcc = V4L2_PIX_FMT_MJPEG, .sizes = {{32, 16}}}},
                           .frame = jpeg, .frame_size = jpeg_size, .frames = 1000};
}

static int sets_busy(unsigned long request, void *answer) {
  (void)answer;
  return request == VIDIOC_S_FMT ? EBUSY : 0;
}
static int lies_of_size(unsigned long request, void *answer) {
  if (request == VIDIOC_DQBUF) ((struct v4l2_buffer *)answer)->index = 1000;
  return 0;
}
static int is_gone(unsigned long request, void *answer) {
  (void)answer;
  return request == VIDIOC_DQBUF ? ENODEV : 0;
}
static int fails(unsigned long request, void *answer) {
  (void)answer;
  return request == VIDIOC_DQBUF ? EIO : 0;
}

static livery_picker_options of_camera(void) {
  livery_picker_options options = LIVERY_PICKER_OPTIONS_INIT;
  options.source = LIVERY_PICKER_CAMERA;
  return options;
}

TEST("each way of a device ends in its status, whether it is named or found", devices) {
  static const struct { const char *what; livery_status status; bool is_available; } cases[] = {
    {"good", LIVERY_OK, true}, {"none", LIVERY_ERROR_UNAVAILABLE, false}, {"busy", LIVERY_ERROR_BUSY, true},
    {"denied", LIVERY_ERROR_PERMISSION, true}, {"pulled out before", LIVERY_ERROR_UNAVAILABLE, false},
    {"pulled out", LIVERY_ERROR_UNAVAILABLE, true}, {"in use", LIVERY_ERROR_BUSY, true}, {"dark", LIVERY_ERROR_TIMEOUT, true},
    {"too large", LIVERY_ERROR_INVALID_VALUE, true}, {"no camera", LIVERY_ERROR_UNAVAILABLE, false},
    {"unknown format", LIVERY_ERROR_UNAVAILABLE, false}, {"liar", LIVERY_ERROR_IO, true}, {"broken", LIVERY_ERROR_IO, true},
    {"no picture", LIVERY_ERROR_IO, true},
  };
  static uint8_t noise[700];
  memset(noise, 0x5a, sizeof noise);
  livery_store *store = picking_store();
  for (size_t place = 0; place < 2 * (sizeof cases / sizeof *cases); place++) {
    int before = check_failures;
    const char *what = cases[place / 2].what;
    livery_picker_options options = of_camera();
    bool available = false, is_named = place % 2;
    begin();
    if (is_named) options.device = DEVICE;
    options.timeout_ms = 2000;
    if (strcmp(what, "none") == 0) device.path = "/dev/video/none";
    if (strcmp(what, "busy") == 0) device.open_error = EBUSY;
    if (strcmp(what, "denied") == 0) device.open_error = EACCES;
    if (strcmp(what, "pulled out before") == 0) device.open_error = ENXIO;
    if (strcmp(what, "pulled out") == 0) device.lie = is_gone;
    if (strcmp(what, "in use") == 0) device.lie = sets_busy;
    if (strcmp(what, "dark") == 0) device.frames = 0, options.timeout_ms = 60;
    if (strcmp(what, "too large") == 0) options.max_size = 100;
    if (strcmp(what, "no camera") == 0) device.abilities = V4L2_CAP_VIDEO_OUTPUT;
    if (strcmp(what, "unknown format") == 0) device.formats[0].fourcc = V4L2_PIX_FMT_H264;
    if (strcmp(what, "liar") == 0) device.lie = lies_of_size;
    if (strcmp(what, "broken") == 0) device.lie = fails;
    if (strcmp(what, "no picture") == 0) device.frame = noise, device.frame_size = sizeof noise, options.timeout_ms = 600;
    picked told = {.decisions = "s"};
    OK(livery_picker_camera_available(store, &available));
    EXPECT_INT(cases[place / 2].is_available, available);
    begin_picking(store, options, &told);
    // Either of the two clocks may be the first to say that the time is over.
    if (strcmp(what, "no picture") == 0 && told.status == LIVERY_ERROR_TIMEOUT) continue;
    EXPECT(comes(&told.destroyed, 1));
    if (strcmp(what, "no picture") == 0) EXPECT(told.status == LIVERY_ERROR_IO || told.status == LIVERY_ERROR_TIMEOUT);
    else expect_end(&told, cases[place / 2].status);
    EXPECT_INT(1, told.done);
    EXPECT_INT(cases[place / 2].status == LIVERY_ERROR_PERMISSION, told.refused);
    for (int tries = 0; tries < 1000 && device.opened; tries++) usleep(1000);
    EXPECT_INT(0, device.opened);
    EXPECT_INT(0, device.mapped);
    if (check_failures > before) fprintf(stderr, "  %s, %s: %s\n", what, is_named ? "named" : "found", told.message);
  }
  OK(livery_close(store));
}

TEST("a device that takes its time is cancelled, and let go of when the store is closed", slow_devices) {
  livery_store *store = picking_store();
  begin();
  device.frames = 0;
  picked cancelled = {0}, closed = {0};
  begin_picking(store, of_camera(), &cancelled);
  for (int tries = 0; tries < 1000 && !device.is_streaming; tries++) usleep(1000);
  OK(livery_picker_cancel(cancelled.picker));
  expect_end(&cancelled, LIVERY_ERROR_CANCELLED);
  for (int tries = 0; tries < 1000 && device.opened; tries++) usleep(1000);
  EXPECT_INT(0, device.opened);
  begin_picking(store, of_camera(), &closed);
  for (int tries = 0; tries < 1000 && !device.is_streaming; tries++) usleep(1000);
  OK(livery_close(store));
  EXPECT_INT(LIVERY_ERROR_CLOSED, closed.status);
  EXPECT_INT(1, closed.done);
  EXPECT_INT(1, closed.destroyed);
  for (int tries = 0; tries < 1000 && device.opened; tries++) usleep(1000);
  EXPECT_INT(0, device.opened);
  EXPECT_INT(0, device.mapped);
}

TEST("what a device took is the asset, of the size that was wanted", picture) {
  livery_store *store = picking_store();
  begin();
  picked told = {0};
  livery_picker_options options = of_camera();
  options.setting = "badge";
  options.width = 32;
  options.height = 16;
  begin_picking(store, options, &told);
  expect_end(&told, LIVERY_OK);
  void *bytes = NULL;
  size_t length = 0;
  OK(livery_asset_get(store, told.asset, &bytes, &length));
  EXPECT_INT((int64_t)jpeg_size, (int64_t)length);
  EXPECT(length == jpeg_size && memcmp(bytes, jpeg, length) == 0);
  livery_free(bytes);
  free(jpeg), jpeg = NULL;
  OK(livery_close(store));
}

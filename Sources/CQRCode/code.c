// Of libqrencode the headers alone are needed to build.
#define _GNU_SOURCE
#include "cqrcode.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <qrencode.h>

static struct {
  __typeof__(QRcode_encodeString) *encode;
  __typeof__(QRcode_free) *free;
} library;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

static livery_status leave(livery_status status, const char *message) {
  livery_error_leave(status, message);
  return status;
}

// Without the lock: the loader has one of its own, which constructors of other libraries may hold while they fork.
static bool load(void) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  bool was_loaded = is_loaded;
  pthread_mutex_unlock(&lock);
  if (was_loaded) return true;
  void *handle = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
  void *encode = handle ? dlsym(handle, "QRcode_encodeString") : NULL, *release = handle ? dlsym(handle, "QRcode_free") : NULL;
  if (!encode || !release) return false;
  pthread_mutex_lock(&lock);
  library.encode = (__typeof__(library.encode))encode;
  library.free = (__typeof__(library.free))release;
  is_loaded = true;
  pthread_mutex_unlock(&lock);
  return true;
}

livery_status lvq_make(const char *text, lvq_level level, lvq_code *code) {
  static const QRecLevel levels[] = {QR_ECLEVEL_L, QR_ECLEVEL_M, QR_ECLEVEL_Q, QR_ECLEVEL_H};
  if (!text || !text[0] || !code || level < LVQ_LOW || level > LVQ_HIGH)
    return leave(LIVERY_ERROR_INVALID_ARGUMENT, "the QR code: no text is given");
  if (!load()) return leave(LIVERY_ERROR_UNAVAILABLE, "libqrencode is missing: install libqrencode4, or use the code as text");
  errno = 0;
  QRcode *made = library.encode(text, 0, levels[level], QR_MODE_8, 1);
  if (!made && errno == ENOMEM) return leave(LIVERY_ERROR_NO_MEMORY, "there is no memory for a QR code");
  if (!made || made->width < 1 || made->width > LVQ_SIDE_MAX) {
    if (made) library.free(made);
    return leave(LIVERY_ERROR_INVALID_ARGUMENT, "the QR code: the text is too long");
  }
  code->side = (size_t)made->width;
  for (size_t index = 0; index < code->side * code->side; index++) code->modules[index] = made->data[index] & 1;
  library.free(made);
  return LIVERY_OK;
}

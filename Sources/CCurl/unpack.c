// Bodies that are packed by gzip on their way (RFC 1952), by zlib, which libcurl stands on as well. libcurl takes the beginning of
// such a body for the whole where its end does not come; here that is told.
#include "unpack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FUNCTIONS(each) each(inflateInit2_) each(inflate) each(inflateReset) each(inflateEnd)

static struct functions {
#define PLACE(name) __typeof__(name) *name;
  FUNCTIONS(PLACE)
#undef PLACE
} zlib;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

struct unpacker {
  z_stream stream;
  bool has_begun, is_at_end;
};

static void load(void) {
  void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  bool is_whole = true;
#define TAKE(name) is_whole = (zlib.name = (__typeof__(zlib.name))dlsym(library, #name)) && is_whole;
  FUNCTIONS(TAKE)
#undef TAKE
  is_loaded = is_whole;
}

bool lvu_can_unpack(void) {
  pthread_once(&once, load);
  return is_loaded;
}

unpacker *lvu_unpacker_new(void) {
  unpacker *made = lvu_can_unpack() ? calloc(1, sizeof *made) : NULL;
  enum { GZIP = 16 + MAX_WBITS };
  if (made && zlib.inflateInit2_(&made->stream, GZIP, ZLIB_VERSION, (int)sizeof made->stream) == Z_OK) return made;
  free(made);
  return NULL;
}

void lvu_unpacker_free(unpacker *u) {
  if (!u) return;
  zlib.inflateEnd(&u->stream);
  free(u);
}

unpacking lvu_unpack(unpacker *u, const void *bytes, size_t length, unpacked_fn take, void *context) {
  unsigned char out[16384];
  u->stream.next_in = (unsigned char *)(uintptr_t)bytes;
  u->stream.avail_in = (unsigned)length;
  for (bool is_full = false; u->stream.avail_in > 0 || is_full;) {
    if (u->is_at_end) {
      // One body may be several that were packed by themselves; what is none is filling, as gzip(1) has it.
      enum { FIRST = 0x1F };
      if (*u->stream.next_in != FIRST) return UNPACKING_GOES_ON;
      if (zlib.inflateReset(&u->stream) != Z_OK) return UNPACKING_DAMAGED;
    }
    u->has_begun = true;
    u->is_at_end = false;
    u->stream.next_out = out;
    u->stream.avail_out = sizeof out;
    int status = zlib.inflate(&u->stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) return UNPACKING_DAMAGED;
    is_full = u->stream.avail_out == 0 && status != Z_STREAM_END;
    size_t made = sizeof out - u->stream.avail_out;
    if (made > 0 && !take(context, out, made)) return UNPACKING_UNWANTED;
    u->is_at_end = status == Z_STREAM_END;
    if (status == Z_BUF_ERROR && made == 0) break;
  }
  return UNPACKING_GOES_ON;
}

bool lvu_is_unpacked(const unpacker *u) { return u->is_at_end || !u->has_begun; }

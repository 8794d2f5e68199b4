// What is sent to browsers as it is. It is kept compressed: `python3 tools/assets` does that.
#include "cpage.h"

#include <stdlib.h>
#include <zlib.h>

// Of C23, and known to the compiler that comes with Swift before.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t style[] = {
#embed "style.css.z"
};
static const uint8_t script[] = {
#embed "script.js.z"
};
static const uint8_t worker[] = {
#embed "worker.js.z"
};

uint8_t *lvp_asset(lvp_asset_name name, size_t *count) {
  static const struct {
    const uint8_t *bytes;
    size_t count;
  } assets[] = {{style, sizeof style}, {script, sizeof script}, {worker, sizeof worker}};
  enum { MOST = 64 << 10 };
  uLongf length = MOST;
  uint8_t *plain = malloc(MOST);
  // They are the library's own: nothing but a want of memory can be wrong.
  if (!plain || uncompress(plain, &length, assets[name].bytes, assets[name].count) != Z_OK) length = 0;
  *count = length;
  return plain;
}

void *lvp_allocate(size_t count) { return malloc(count); }

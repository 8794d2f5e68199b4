// docs/console-api.openapi.json, as the console tells it. It is kept compressed: `python3 tools/assets` does that.
#include <cconsole.h>

#include <stdlib.h>
#include <zlib.h>

// Of C23, and known to the compiler that comes with Swift before.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t text[] = {
#embed "openapi.json.z"
};

uint8_t *lvo_openapi(size_t *count) {
  enum { MOST = 256 << 10 };
  uLongf length = MOST;
  uint8_t *plain = malloc(MOST);
  // It is the program's own: nothing but a want of memory can be wrong.
  if (plain && uncompress(plain, &length, text, sizeof text) != Z_OK) {
    free(plain);
    plain = NULL;
  }
  *count = plain ? length : 0;
  return plain;
}

// What Embedded Swift's own runtime gets wrong. These definitions are strong, and take the place of its weak ones.
#include "csystem.h"

#if defined(LIVERY_EMBEDDED) && UINTPTR_MAX > 0xffffffffu

// Swift 6.3's is declared to return its argument and returns it without its tag bits (swiftlang/swift#91151). Code that uses
// what is returned then takes a small string, or one that was read from C, for something else: on AArch64 always, on
// x86-64 sometimes.
#define HIDDEN __attribute__((visibility("hidden")))

static const uintptr_t PLACE = 0x0ffffffffffffff8u;

void *swift_retain(void *object);
void *swift_retain_n(void *object, uint32_t count);

// The highest bit is that of what is not counted. NULL is not either, and both know that.
HIDDEN void *swift_bridgeObjectRetain(void *object) {
  if ((intptr_t)object >= 0) swift_retain((void *)((uintptr_t)object & PLACE));
  return object;
}

HIDDEN void *swift_bridgeObjectRetain_n(void *object, uint32_t count) {
  if ((intptr_t)object >= 0) swift_retain_n((void *)((uintptr_t)object & PLACE), count);
  return object;
}

#endif

// What Embedded Swift's own runtime gets wrong, or does slowly. These definitions are strong, and take the place of its weak
// ones.
#include "csystem.h"

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

#if defined(LIVERY_EMBEDDED) && UINTPTR_MAX > 0xffffffffu

// As they are here also where the linker compiles the whole: code that it generates calls them by their names.
#define HIDDEN __attribute__((visibility("hidden"), used))

// An object as Swift 6.3 lays it out. The highest bit of the count says that the memory is the stack's; all others set, that
// the object is not counted.
typedef struct object {
  const struct class {
    const void *parent;
    void (*destroy)(__attribute__((swift_context)) struct object *) __attribute__((swiftcall));
  } *class;
  intptr_t count;
} object;

#define COUNTED INTPTR_MAX

// Counting is a quarter of what a commit of many settings does with the processor, and half of that is for being atomic: it
// is not while the process has one thread, as the C library tells since glibc 2.32.
static inline __attribute__((always_inline)) bool is_alone(void) {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded;
#else
  return false;
#endif
}

static inline __attribute__((always_inline)) bool is_counted(const object *one) {
  // NULL is not counted, nor what has the highest bit.
  return (intptr_t)one > 0 && (__atomic_load_n(&one->count, __ATOMIC_RELAXED) & COUNTED) != COUNTED;
}

static inline __attribute__((always_inline)) void retain(object *one, uint32_t more) {
  if (!is_counted(one)) return;
  if (is_alone()) one->count += more;
  else __atomic_fetch_add(&one->count, more, __ATOMIC_RELAXED);
}

static __attribute__((noinline)) void destroy(object *one) {
  // Whatever retains or releases it from now on is not to count.
  one->count |= COUNTED;
  one->class->destroy(one);
}

static inline __attribute__((always_inline)) void release(object *one, uint32_t less) {
  if (!is_counted(one)) return;
  intptr_t left;
  // Of one that nobody else holds nobody else changes the count.
  if (is_alone() || (__atomic_load_n(&one->count, __ATOMIC_ACQUIRE) & COUNTED) == less) left = one->count -= less;
  else left = __atomic_sub_fetch(&one->count, less, __ATOMIC_ACQ_REL);
  if ((left & COUNTED) == 0) destroy(one);
}

HIDDEN void *swift_retain(object *one) {
  retain(one, 1);
  return one;
}

HIDDEN void *swift_retain_n(object *one, uint32_t more) {
  retain(one, more);
  return one;
}

HIDDEN void swift_release(object *one) { release(one, 1); }
HIDDEN void swift_release_n(object *one, uint32_t less) { release(one, less); }

// Of a pointer with tags: what has the highest bit is not counted.
static inline __attribute__((always_inline)) object *untagged(void *tagged) {
  return (object *)((uintptr_t)tagged & 0x8ffffffffffffff8u);
}

// Swift 6.3's are declared to return their argument and return it without its tag bits (swiftlang/swift#91151). Code that
// uses what is returned then takes a small string, or one that was read from C, for something else: on AArch64 always, on
// x86-64 sometimes.
HIDDEN void *swift_bridgeObjectRetain(void *tagged) {
  retain(untagged(tagged), 1);
  return tagged;
}

HIDDEN void *swift_bridgeObjectRetain_n(void *tagged, uint32_t more) {
  retain(untagged(tagged), more);
  return tagged;
}

HIDDEN void swift_bridgeObjectRelease(void *tagged) { release(untagged(tagged), 1); }
HIDDEN void swift_bridgeObjectRelease_n(void *tagged, uint32_t less) { release(untagged(tagged), less); }

#endif

// Preloaded: locks that should belong to the open file description belong to the process, and so go when the process closes any
// descriptor of the file.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>

static int pass_on(int descriptor, int command, void *argument) {
  static int (*next)(int, int, ...);
  if (!next) next = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
  switch (command) {
    case F_OFD_GETLK: return next(descriptor, F_GETLK, argument);
    case F_OFD_SETLK: return next(descriptor, F_SETLK, argument);
    case F_OFD_SETLKW: return next(descriptor, F_SETLKW, argument);
    default: return next(descriptor, command, argument);
  }
}

#define PASS_ON(name)                                                                                                  \
  int name(int descriptor, int command, ...) {                                                                         \
    va_list list;                                                                                                      \
    va_start(list, command);                                                                                           \
    void *argument = va_arg(list, void *);                                                                             \
    va_end(list);                                                                                                      \
    return pass_on(descriptor, command, argument);                                                                     \
  }

PASS_ON(fcntl)
PASS_ON(fcntl64)

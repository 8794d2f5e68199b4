// Preloaded into a writer: it is killed at the moment it would wake the watchers, after its commit.
#include <dlfcn.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
       e = va_arg(list, long), f = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && (b & FUTEX_CMD_MASK) == FUTEX_WAKE && !(b & FUTEX_PRIVATE_FLAG)) raise(SIGKILL);
  long (*next)(long, ...);
  *(void **)&next = dlsym(RTLD_NEXT, "syscall");
  return next(number, a, b, c, d, e, f);
}

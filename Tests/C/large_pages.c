// Linked with --wrap: the system's mapping as it is where pages have 16 KiB. Addresses are multiples of that or refused, lengths
// are rounded up to it, and so what is mapped or emptied reaches further than somebody thinks who counts in smaller ones.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 16384 };

void *__real_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t length);
int __real_madvise(void *address, size_t length, int advice);
long __real_sysconf(int name);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t length);
int __wrap_madvise(void *address, size_t length, int advice);
long __wrap_sysconf(int name);

static size_t whole(size_t length) { return (length + PAGE - 1) & ~(size_t)(PAGE - 1); }

static int is_refused(const void *address) {
  if ((uintptr_t)address % PAGE == 0) return 0;
  errno = EINVAL;
  return 1;
}

long __wrap_sysconf(int name) { return name == _SC_PAGESIZE ? PAGE : __real_sysconf(name); }

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  length = whole(length);
  if (flags & MAP_FIXED) {
    if (is_refused(address)) return MAP_FAILED;
    return __real_mmap(address, length, protection, flags, file, offset);
  }
  char *room = __real_mmap(NULL, length + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return MAP_FAILED;
  char *start = (char *)(((uintptr_t)room + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
  return __real_mmap(start, length, protection, flags | MAP_FIXED, file, offset);
}

int __wrap_munmap(void *address, size_t length) { return is_refused(address) ? -1 : __real_munmap(address, whole(length)); }

int __wrap_madvise(void *address, size_t length, int advice) {
  return is_refused(address) ? -1 : __real_madvise(address, whole(length), advice);
}

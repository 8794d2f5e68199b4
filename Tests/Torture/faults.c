// A library to preload: makes chosen calls fail. See faults.h; fault_sweep.c and others use it.
//
// Memory: only calls of those who look whether they were given any fail.
//
// $FAULT_DROP=N without anything armed: every Nth write to a data file is dropped although it says that it was made. That
// is for seeing the harnesses fail.
#include "../C/allocator.h"
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name)                                                                                                     \
  ({                                                                                                                   \
    static __typeof__(&name) found;                                                                                    \
    if (!found) found = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                    \
    found;                                                                                                             \
  })

static fault_call armed_call;
static fault_kind armed_kind;
static _Atomic uint64_t armed_nth, seen, struck;
static int armed_sticky;
static _Atomic int64_t blocks;
static uint64_t drop_every;
static _Atomic uint64_t drop_count;

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("FAULT_DROP");
  drop_every = text ? strtoull(text, NULL, 10) : 0;
}

void fault_arm(fault_call call, fault_kind kind, uint64_t nth, int is_sticky) {
  look_after_libraries();
  armed_call = call;
  armed_kind = kind;
  armed_sticky = is_sticky;
  seen = struck = 0;
  armed_nth = nth;
}

uint64_t fault_disarm(uint64_t *count) {
  armed_nth = 0;
  if (count) *count = struck;
  return seen;
}

int64_t fault_blocks(void) { return blocks; }

// Whether this call is to fail; errno is set then.
static int fails(fault_call call) {
  if (armed_nth == 0 || call != armed_call) return 0;
  uint64_t number = ++seen;
  if (number != armed_nth && !(armed_sticky && number > armed_nth)) return 0;
  // A program may try again after EINTR as often as it happens: it does not happen for ever.
  if (armed_sticky && armed_kind == FAULT_EINTR && number > armed_nth + 3) return 0;
  struck++;
  static const int numbers[FAULT_KINDS] = {EIO, ENOSPC, EINTR, ENOSPC, EMFILE, EACCES, 0};
  errno = numbers[armed_kind];
  return 1;
}

// A part is done, at least one byte; a call of one byte then fails.
static size_t part_of(size_t length) { return length / 2; }

static int is_data_file(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 8) return 0;
  path[length] = 0;
  return strcmp(path + length - 8, "data.mdb") == 0;
}

static int drops(int descriptor) {
  return drop_every && is_data_file(descriptor) && ++drop_count % drop_every == 0;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  if (drops(descriptor)) return (ssize_t)length;
  if (!fails(FAULT_PWRITE)) return REAL(pwrite)(descriptor, bytes, length, offset);
  if (armed_kind == FAULT_DROP) return (ssize_t)length;
  return armed_kind == FAULT_SHORT && length > 1 ? REAL(pwrite)(descriptor, bytes, part_of(length), offset) : -1;
}

ssize_t write(int descriptor, const void *bytes, size_t length) {
  if (descriptor <= 2 || !fails(FAULT_WRITE)) return REAL(write)(descriptor, bytes, length);
  return armed_kind == FAULT_SHORT && length > 1 ? REAL(write)(descriptor, bytes, part_of(length)) : -1;
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  if (drops(descriptor) || fails(FAULT_WRITEV)) {
    size_t length = 0;
    for (int index = 0; index < count; index++) length += parts[index].iov_len;
    if (!struck || armed_nth == 0 || armed_kind == FAULT_DROP) return lseek(descriptor, (off_t)length, SEEK_CUR), (ssize_t)length;
    return armed_kind == FAULT_SHORT ? REAL(writev)(descriptor, parts, 1) : -1;
  }
  return REAL(writev)(descriptor, parts, count);
}

// Short is no way for these to fail.
static int refuses(fault_call call) {
  if (armed_kind == FAULT_SHORT) return 0;
  return fails(call);
}

int fdatasync(int descriptor) { return refuses(FAULT_FDATASYNC) ? -1 : REAL(fdatasync)(descriptor); }
int fsync(int descriptor) { return refuses(FAULT_FSYNC) ? -1 : REAL(fsync)(descriptor); }
int msync(void *place, size_t length, int flags) { return refuses(FAULT_MSYNC) ? -1 : REAL(msync)(place, length, flags); }
int ftruncate(int descriptor, off_t size) { return refuses(FAULT_FTRUNCATE) ? -1 : REAL(ftruncate)(descriptor, size); }
int posix_fallocate(int descriptor, off_t offset, off_t length) {
  return refuses(FAULT_FALLOCATE) ? errno : REAL(posix_fallocate)(descriptor, offset, length);
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return refuses(FAULT_OPEN) ? -1 : REAL(open)(path, flags, mode);
}
int openat(int directory, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
  va_end(list);
  return refuses(FAULT_OPEN) ? -1 : REAL(openat)(directory, path, flags, mode);
}

int stat(const char *path, struct stat *facts) { return refuses(FAULT_STAT) ? -1 : REAL(stat)(path, facts); }
int lstat(const char *path, struct stat *facts) { return refuses(FAULT_STAT) ? -1 : REAL(lstat)(path, facts); }
int fstat(int descriptor, struct stat *facts) { return refuses(FAULT_STAT) ? -1 : REAL(fstat)(descriptor, facts); }
int rename(const char *from, const char *to) { return refuses(FAULT_RENAME) ? -1 : REAL(rename)(from, to); }
int link(const char *from, const char *to) { return refuses(FAULT_LINK) ? -1 : REAL(link)(from, to); }
int unlink(const char *path) { return refuses(FAULT_UNLINK) ? -1 : REAL(unlink)(path); }
int mkdir(const char *path, mode_t mode) { return refuses(FAULT_MKDIR) ? -1 : REAL(mkdir)(path, mode); }
DIR *opendir(const char *path) { return refuses(FAULT_OPENDIR) ? NULL : REAL(opendir)(path); }

void *mmap(void *place, size_t length, int protection, int flags, int descriptor, off_t offset) {
  return refuses(FAULT_MMAP) ? MAP_FAILED : REAL(mmap)(place, length, protection, flags, descriptor, offset);
}

int fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK;
  // A lock that another holds is no failure; giving one back cannot fail.
  if (is_lock && ((struct flock *)argument)->l_type != F_UNLCK && refuses(FAULT_FCNTL)) return -1;
  return REAL(fcntl)(descriptor, command, argument);
}

ssize_t read(int descriptor, void *bytes, size_t length) {
  if (!fails(FAULT_READ)) return REAL(read)(descriptor, bytes, length);
  return armed_kind == FAULT_SHORT && length > 1 ? REAL(read)(descriptor, bytes, part_of(length)) : -1;
}
ssize_t pread(int descriptor, void *bytes, size_t length, off_t offset) {
  if (!fails(FAULT_READ)) return REAL(pread)(descriptor, bytes, length, offset);
  return armed_kind == FAULT_SHORT && length > 1 ? REAL(pread)(descriptor, bytes, part_of(length), offset) : -1;
}

int eventfd(unsigned count, int flags) { return refuses(FAULT_EVENTFD) ? -1 : REAL(eventfd)(count, flags); }

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  return refuses(FAULT_THREAD) ? EAGAIN : REAL(pthread_create)(thread, attributes, run, argument);
}

// Memory. The counts serve to find what is not freed.

static void *counted(void *place) {
  if (place) blocks++;
  return place;
}

static int no_memory(void *caller) {
  if (armed_nth == 0 || armed_call != FAULT_MALLOC) return 0;
  if (!is_looked_after(caller) || !refuses(FAULT_MALLOC)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return no_memory(__builtin_return_address(0)) ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return no_memory(__builtin_return_address(0)) ? NULL : counted(__libc_calloc(count, size)); }
void *realloc(void *place, size_t size) {
  if (no_memory(__builtin_return_address(0))) return NULL;
  if (place && size == 0) {
    free(place);
    return NULL;
  }
  void *moved = __libc_realloc(place, size);
  return place ? moved : counted(moved);
}
void free(void *place) {
  if (place) blocks--;
  __libc_free(place);
}
int posix_memalign(void **place, size_t alignment, size_t size) {
  if (no_memory(__builtin_return_address(0))) return ENOMEM;
  *place = counted(__libc_memalign(alignment, size));
  return *place ? 0 : ENOMEM;
}
// The library asks how large a block is before it wipes it, if who allocates also says so.
size_t malloc_usable_size(void *place) { return REAL(malloc_usable_size)(place); }
void *aligned_alloc(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

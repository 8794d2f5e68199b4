// Room on the disk: blocks for what is to be written, and how many are left.
#define _GNU_SOURCE
#include "csystem.h"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

int lvs_reserve(int descriptor, uint64_t size) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return -1;
  if ((uint64_t)facts.st_size >= size && (uint64_t)facts.st_blocks * 512 >= size) return 0;
  int status;
  do status = posix_fallocate(descriptor, 0, (off_t)size);
  while (status == EINTR);
  if (status == 0 || status == EOPNOTSUPP || status == EINVAL) return 0;
  errno = status;
  return -1;
}

int lvs_reserve_behind(int descriptor, uint64_t from, uint64_t count) {
  int status;
  do status = fallocate(descriptor, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)count);
  while (status != 0 && errno == EINTR);
  return status == 0 || (errno != ENOSPC && errno != EDQUOT) ? 0 : -1;
}

void lvs_release_behind(int descriptor, uint64_t end) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return;
  // File systems differ in which of the two gives back what is behind the end.
  fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)end, (off_t)1 << 40);
  if ((uint64_t)facts.st_size >= end && ftruncate(descriptor, (off_t)end) != 0) return;
}

bool lvs_writes_over(int descriptor) {
  struct statfs found;
  if (fstatfs(descriptor, &found) != 0) return false;
  return (uint32_t)found.f_type == EXT4_SUPER_MAGIC || (uint32_t)found.f_type == XFS_SUPER_MAGIC;
}

void lvs_write_zeros(int descriptor, uint64_t from, uint64_t to) {
  // Not constant, so that they take no room in the library.
  static char zeros[1 << 14];
  while (from < to) {
    size_t count = to - from < sizeof zeros ? (size_t)(to - from) : sizeof zeros;
    ssize_t written = pwrite(descriptor, zeros, count, (off_t)from);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    from += (uint64_t)written;
  }
}

uint64_t lvs_file_system_size(int descriptor) {
  struct statvfs facts;
  return fstatvfs(descriptor, &facts) == 0 ? (uint64_t)facts.f_blocks * facts.f_frsize : 0;
}

uint64_t lvs_file_system_room(int descriptor) {
  struct statvfs facts;
  // Of no blocks at all is what has no limit, as memory.
  return fstatvfs(descriptor, &facts) == 0 && facts.f_blocks > 0 ? (uint64_t)facts.f_bavail * facts.f_frsize : UINT64_MAX;
}

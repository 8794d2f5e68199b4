#define _GNU_SOURCE
#include "cworkflow.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// Files of people, on media that may be pulled out at any moment.

static int open_at(int folder, const char *name, int flags) {
  int descriptor;
  do descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | flags);
  while (descriptor < 0 && errno == EINTR);
  return descriptor < 0 ? -errno : descriptor;
}

int lvw_medium_open(const char *path) { return open_at(AT_FDCWD, path, O_DIRECTORY); }

bool lvw_medium_is_there(int folder, const char *path) {
  struct stat held, found;
  if (fstat(folder, &held) != 0) return false;
  // Whoever may not look cannot tell.
  if (stat(path, &found) != 0) return errno == EACCES || errno == EPERM || errno == ENOMEM || errno == EINTR;
  if (held.st_dev != found.st_dev || held.st_ino != found.st_ino) return false;
  // A medium that was pulled out stays mounted; the kernel knows its device no more. File systems without one have the number 0.
  char device[64];
  if (major(held.st_dev) == 0 || access("/sys/dev/block", F_OK) != 0) return true;
  snprintf(device, sizeof device, "/sys/dev/block/%u:%u", major(held.st_dev), minor(held.st_dev));
  return access(device, F_OK) == 0;
}

void lvw_medium_close(int descriptor) { close(descriptor); }

int lvw_medium_list(int folder, bool (*function)(const char *name, void *context), void *context) {
  int descriptor = open_at(folder, ".", O_DIRECTORY);
  if (descriptor < 0) return descriptor;
  DIR *directory = fdopendir(descriptor);
  if (!directory) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  errno = 0;
  for (struct dirent *entry; (entry = readdir(directory)); errno = 0) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (!function(entry->d_name, context)) break;
    errno = 0;
  }
  int error = errno;
  closedir(directory);
  return -error;
}

// The time of a last change, which a medium may have any of, within the years 1 to 9999.
static int64_t microseconds(const struct timespec *time) {
  static const int64_t first = -62135596800, last = 253402300799;
  int64_t seconds = time->tv_sec, fraction = time->tv_nsec / 1000;
  if (seconds < first) return first * 1000000;
  if (seconds > last) return last * 1000000 + 999999;
  return seconds * 1000000 + (fraction < 0 || fraction > 999999 ? 0 : fraction);
}

int lvw_medium_file(int folder, const char *name, int64_t *size, int64_t *changed_us) {
  // To open a device may have effects, as that of a watchdog has: what is no file is not opened.
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
  if (!S_ISREG(found.st_mode)) return -ENOENT;
  // Meanwhile it may have been exchanged: a pipe is opened at once, a link not at all.
  int file = open_at(folder, name, O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return file == -ELOOP || file == -ENXIO ? -ENOENT : file;
  int error = fstat(file, &found) != 0 ? errno : S_ISREG(found.st_mode) ? 0 : ENOENT;
  if (error) {
    close(file);
    return -error;
  }
  *size = found.st_size;
  *changed_us = microseconds(&found.st_mtim);
  return file;
}

long lvw_medium_read(int file, void *to, size_t room) {
  ssize_t count;
  do count = read(file, to, room);
  while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count;
}

long lvw_file_text(const char *path, void *to, size_t room) {
  int file = open_at(AT_FDCWD, path, 0);
  if (file < 0) return file;
  size_t length = 0;
  long count = 0;
  while (length < room && (count = lvw_medium_read(file, (char *)to + length, room - length)) > 0) length += (size_t)count;
  close(file);
  return count < 0 ? count : (long)length;
}

// Whether a file in a folder of sysfs begins with a text.
static bool says(const char *folder, const char *file, const char *text) {
  char path[PATH_MAX + 32], found[16] = "";
  if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path) return false;
  return lvw_file_text(path, found, sizeof found - 1) > 0 && strncmp(found, text, strlen(text)) == 0;
}

// The folder of a disk in sysfs, for one of its partitions or for itself.
static bool disk_of(const char *sysfs, uint32_t major, uint32_t minor, char *disk) {
  char path[PATH_MAX];
  if (snprintf(path, sizeof path, "%s/dev/block/%u:%u", sysfs, major, minor) >= (int)sizeof path) return false;
  if (!realpath(path, disk)) return false;
  char partition[PATH_MAX + 32];
  snprintf(partition, sizeof partition, "%s/partition", disk);
  char *name = strrchr(disk, '/');
  if (access(partition, F_OK) == 0 && name) *name = 0;
  return true;
}

bool lvw_medium_is_removable(const char *sysfs, uint32_t major, uint32_t minor, uint32_t root_major, uint32_t root_minor) {
  char disk[PATH_MAX], root[PATH_MAX];
  if (!disk_of(sysfs, major, minor, disk)) return false;
  if (disk_of(sysfs, root_major, root_minor, root) && strcmp(disk, root) == 0) return false;
  return says(disk, "removable", "1") || strstr(disk, "/usb") || says(disk, "device/type", "SD");
}

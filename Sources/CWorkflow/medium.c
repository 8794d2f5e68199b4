#define _GNU_SOURCE
#include "cworkflow.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Files of people, on media that may be pulled out at any moment.

int lvw_medium_open(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder < 0 ? -errno : folder;
}

void lvw_medium_close(int descriptor) { close(descriptor); }

int lvw_medium_list(int folder, bool (*function)(const char *name, void *context), void *context) {
  int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
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

int lvw_medium_file(int folder, const char *name, int64_t *size, int64_t *changed_us) {
  // A pipe is opened at once, and found to be none of ours.
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  // A link, or a device or socket without anybody behind it.
  if (file < 0) return errno == ELOOP || errno == ENXIO ? -ENOENT : -errno;
  struct stat found;
  int error = fstat(file, &found) != 0 ? errno : S_ISREG(found.st_mode) ? 0 : ENOENT;
  if (error) {
    close(file);
    return -error;
  }
  *size = found.st_size;
  *changed_us = (int64_t)found.st_mtim.tv_sec * 1000000 + found.st_mtim.tv_nsec / 1000;
  return file;
}

long lvw_medium_read(int file, void *to, size_t room) {
  ssize_t count;
  do count = read(file, to, room);
  while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count;
}

long lvw_file_text(const char *path, void *to, size_t room) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -errno;
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

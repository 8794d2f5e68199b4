// Files, and locks on their bytes.
#define _GNU_SOURCE
#include "csystem.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

int lvs_open(const char *path, int flags, unsigned mode) {
  int descriptor;
  do descriptor = open(path, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

static void let_group_in(int descriptor, unsigned mode) {
  struct stat facts;
  if ((mode & 0060) == 0 || fstat(descriptor, &facts) != 0) return;
  if (facts.st_uid == geteuid() && (facts.st_mode & mode) != mode && fchmod(descriptor, mode) != 0) return;
}

int lvs_make(const char *path, int flags, unsigned mode) {
  int descriptor = lvs_open(path, O_RDWR | O_CREAT | O_NOFOLLOW | flags, mode);
  if (descriptor >= 0) let_group_in(descriptor, mode);
  return descriptor;
}

void lvs_allow_group(const char *path, unsigned mode) {
  if ((mode & 0060) == 0) return;
  int descriptor = lvs_open(path, O_RDONLY | O_NOFOLLOW, 0);
  if (descriptor < 0) return;
  let_group_in(descriptor, mode);
  close(descriptor);
}

bool lvs_is_link(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode);
}

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

ssize_t lvs_write_all(int descriptor, const void *bytes, size_t count) {
  const char *next = bytes;
  size_t left = count;
  while (left > 0) {
    ssize_t written = write(descriptor, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -1;
    next += written;
    left -= (size_t)written;
  }
  return (ssize_t)count;
}

char *lvs_read_file(const char *path, int descriptor, size_t limit, size_t *count) {
  int file = descriptor >= 0 ? descriptor : lvs_open(path, O_RDONLY, 0);
  if (file < 0) return NULL;
  char *bytes = NULL;
  size_t used = 0, room = 0;
  int failure = 0;
  for (;;) {
    if (used == room) {
      size_t larger = room ? room * 2 : 65536;
      char *moved = realloc(bytes, larger + 1);
      if (!moved) { failure = ENOMEM; break; }
      bytes = moved;
      room = larger;
    }
    ssize_t got = read(file, bytes + used, room - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) { failure = errno; break; }
    if (got == 0) break;
    used += (size_t)got;
    if (used > limit) { failure = EFBIG; break; }
  }
  if (descriptor < 0) close(file);
  if (failure) {
    free(bytes);
    errno = failure;
    return NULL;
  }
  bytes[used] = 0;
  *count = used;
  return bytes;
}

char *lvs_read_beneath(const char *folder, const char *path, size_t limit, size_t *count) {
  char part[256];
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (directory >= 0) {
    size_t length = strcspn(path, "/");
    bool is_last = path[length] == 0;
    int failure = 0;
    if (length >= sizeof part) {
      failure = ENAMETOOLONG;
    } else if ((length == 0 && is_last) || path[0] == '/' || (length == 2 && memcmp(path, "..", 2) == 0)) {
      failure = EXDEV;
    }
    int next = -1;
    if (!failure) {
      memcpy(part, path, length);
      part[length] = 0;
      // Not blocking: a pipe in the place of a file would keep the caller for ever.
      int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (is_last ? O_NONBLOCK : O_DIRECTORY);
      next = openat(directory, part, flags);
      if (next < 0) failure = errno;
      // A link to a directory is no directory.
      struct stat found;
      if (failure == ENOTDIR && fstatat(directory, part, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(found.st_mode))
        failure = ELOOP;
    }
    close(directory);
    if (failure) {
      errno = failure;
      return NULL;
    }
    directory = next;
    if (!is_last) {
      path += length + 1;
      while (path[0] == '/') path++;
      continue;
    }
    struct stat found;
    char *bytes = NULL;
    if (fstat(directory, &found) != 0) failure = errno;
    else if (!S_ISREG(found.st_mode)) failure = S_ISDIR(found.st_mode) ? EISDIR : EINVAL;
    else if (found.st_size > (off_t)limit) failure = EFBIG;
    else if (!(bytes = lvs_read_file(NULL, directory, limit, count))) failure = errno;
    close(directory);
    if (failure) errno = failure;
    return bytes;
  }
  return NULL;
}

static lvs_file_facts facts_from(const struct stat *found) {
  return (lvs_file_facts){
      .device = found->st_dev,
      .inode = found->st_ino,
      .size = (uint64_t)found->st_size,
      .allocated = (uint64_t)found->st_blocks * 512,
      .changed_ns = (int64_t)found->st_ctim.tv_sec * 1000000000 + found->st_ctim.tv_nsec,
      .mode = found->st_mode,
      .is_directory = S_ISDIR(found->st_mode),
  };
}

int lvs_file_facts_of(const char *path, lvs_file_facts *facts) {
  struct stat found;
  if (stat(path, &found) != 0) return -1;
  *facts = facts_from(&found);
  return 0;
}

int lvs_file_facts_at(int descriptor, lvs_file_facts *facts) {
  struct stat found;
  if (fstat(descriptor, &found) != 0) return -1;
  *facts = facts_from(&found);
  return 0;
}

ssize_t lvs_read_at(int descriptor, void *bytes, size_t count, uint64_t offset) {
  size_t got = 0;
  while (got < count) {
    ssize_t more = pread(descriptor, (char *)bytes + got, count - got, (off_t)(offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    if (more == 0) break;
    got += (size_t)more;
  }
  return (ssize_t)got;
}

ssize_t lvs_write_at(int descriptor, const void *bytes, size_t count, uint64_t offset) {
  size_t put = 0;
  while (put < count) {
    ssize_t more = pwrite(descriptor, (const char *)bytes + put, count - put, (off_t)(offset + put));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return -1;
    put += (size_t)more;
  }
  return (ssize_t)put;
}

char *lvs_directory_names(const char *path, size_t *length) {
  DIR *directory = opendir(path);
  if (!directory) return NULL;
  char *names = calloc(1, 1);
  size_t used = 0;
  for (struct dirent *entry; names && (entry = readdir(directory));) {
    size_t size = strlen(entry->d_name) + 1;
    char *grown = realloc(names, used + size);
    if (!grown) {
      free(names);
      names = NULL;
      break;
    }
    names = grown;
    memcpy(names + used, entry->d_name, size);
    used += size;
  }
  closedir(directory);
  if (!names) errno = ENOMEM;
  *length = used;
  return names;
}

int lvs_rename(const char *from, const char *to) { return rename(from, to); }

int lvs_copy(int from, int to) {
  char buffer[65536];
  for (;;) {
    ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return (int)got;
    if (lvs_write_all(to, buffer, (size_t)got) < 0) return -1;
  }
}

int lvs_sync_directory(const char *path) {
  int directory = lvs_open(path, O_RDONLY | O_DIRECTORY, 0);
  if (directory < 0) return -1;
  // Some file systems know no such thing.
  int status = fsync(directory) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1;
  int failure = errno;
  close(directory);
  errno = failure;
  return status;
}

bool lvs_is_full(int descriptor) {
  struct statvfs facts;
  return fstatvfs(descriptor, &facts) == 0 && (uint64_t)facts.f_bavail * facts.f_frsize < 65536;
}

// The number of the mount that a file is on; -1 and errno on failure.
static int mount_of(const char *path) {
  char name[64], line[256];
  int number = -1, file = lvs_open(path, O_PATH, 0);
  if (file < 0) return -1;
  snprintf(name, sizeof name, "/proc/self/fdinfo/%d", file);
  FILE *facts = fopen(name, "re");
  int failure = errno;
  while (facts && number < 0 && fgets(line, sizeof line, facts)) sscanf(line, "mnt_id: %d", &number);
  if (facts) fclose(facts);
  close(file);
  errno = facts ? ENODATA : failure;
  return number;
}

static bool has_option(const char *options, const char *wanted) {
  size_t length = strlen(wanted);
  for (; *options; options += strcspn(options, ",\n"), options += *options != 0)
    if (strncmp(options, wanted, length) == 0 && strchr(",\n", options[length])) return true;
  return false;
}

int lvs_is_read_only(const char *path) {
  int mount = mount_of(path), number, found = -1;
  if (mount < 0) return -1;
  FILE *mounts = fopen("/proc/self/mountinfo", "re");
  if (!mounts) return -1;
  char *line = NULL;
  size_t room = 0;
  errno = ENODATA;
  while (found < 0 && getline(&line, &room, mounts) > 0) {
    if (sscanf(line, "%d", &number) != 1 || number != mount) continue;
    // Behind the hyphen: the kind of file system, its source, which may be empty, and the options for all who mount it.
    const char *rest = strstr(line, " - ");
    for (int field = 0; rest && field < 2; field++) rest = strchr(rest + (field == 0 ? 3 : 1), ' ');
    // One that the kernel has stopped writing to after an error may still say that it could be written to.
    if (rest) found = has_option(rest + 1, "ro") || has_option(rest + 1, "emergency_ro");
  }
  free(line);
  fclose(mounts);
  return found;
}

int lvs_make_in_memory(void) {
  // Systems that forbid files of programs in memory ask to be told that this is none; older ones do not know the flag.
  static const unsigned no_exec = 8;
  int file = memfd_create("livery", MFD_CLOEXEC | no_exec);
  return file < 0 && errno == EINVAL ? memfd_create("livery", MFD_CLOEXEC) : file;
}

int lvs_count_foreign_entries(const char *path) {
  static const char *const known[] = {".", "..", "data.mdb", "data.mdb.new", "lock.mdb", "livery.lock", "livery.wake",
                                      "backups", "damaged"};
  DIR *directory = opendir(path);
  if (!directory) return -1;
  int foreign = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    bool expected = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !expected; i++)
      expected = strcmp(entry->d_name, known[i]) == 0;
    if (!expected) foreign++;
  }
  closedir(directory);
  return foreign;
}

int lvs_name_too(const char *path, const char *second) {
  if (link(path, second) == 0) return 0;
  return errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK ? rename(path, second) : -1;
}

int lvs_sync_names(const char *path) {
  char around[4096];
  int length = snprintf(around, sizeof around, "%s/..", path);
  if (length < 0 || (size_t)length >= sizeof around) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (lvs_sync_directory(path) != 0) return -1;
  // Not everybody may read the directory around.
  return lvs_sync_directory(around) == 0 || errno == EACCES ? 0 : -1;
}

static int set_lock(int descriptor, short kind, int64_t byte) {
  struct flock range = {.l_type = kind, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  int status;
  do status = fcntl(descriptor, F_SETLK, &range);
  while (status < 0 && errno == EINTR);
  return status;
}

int lvs_lock_byte(int descriptor, int64_t byte) { return set_lock(descriptor, F_WRLCK, byte); }
int lvs_unlock_byte(int descriptor, int64_t byte) { return set_lock(descriptor, F_UNLCK, byte); }

pid_t lvs_lock_holder(int descriptor, int64_t byte) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  if (fcntl(descriptor, F_GETLK, &range) != 0 || range.l_type == F_UNLCK) return 0;
  return range.l_pid;
}

int lvs_share_byte(int descriptor, int64_t byte) { return set_lock(descriptor, F_RDLCK, byte); }

int lvs_hold_byte(const char *path, int64_t byte) {
  int descriptor = lvs_open(path, O_RDWR | O_NOFOLLOW, 0);
  struct flock range = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  if (descriptor >= 0) fcntl(descriptor, F_OFD_SETLK, &range);
  return descriptor;
}

bool lvs_is_byte_taken(int descriptor, int64_t byte) {
  struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
  return fcntl(descriptor, F_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

// Files, by a descriptor of their folder.
#define _GNU_SOURCE
#include "csystem.h"

#include <dirent.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/syscall.h>

int lvs_open(const char *path, int flags, unsigned mode) {
  int descriptor;
  do descriptor = open(path, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

int lvs_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 3); }

int lvs_open_directory(const char *path) {
  int directory = lvs_open(path, O_RDONLY | O_DIRECTORY, 0);
  return directory < 0 && errno == EACCES ? lvs_open(path, O_PATH | O_DIRECTORY, 0) : directory;
}

void lvs_close_on_exec(int descriptor) { fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

int lvs_open_at(int folder, const char *name, int flags, unsigned mode) {
  int descriptor;
  do descriptor = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

void lvs_let_group_in(int descriptor, unsigned mode) {
  struct stat facts;
  if ((mode & 0060) == 0 || fstat(descriptor, &facts) != 0) return;
  // A second name may be of a file that belongs elsewhere.
  if (S_ISREG(facts.st_mode) && facts.st_nlink > 1) return;
  if (facts.st_uid == geteuid() && (facts.st_mode & mode) != mode && fchmod(descriptor, mode) != 0) return;
}

int lvs_give(int descriptor, const lvs_owner *owner, bool is_loose) {
  struct stat facts;
  if (fstat(descriptor, &facts) != 0) return -1;
  if (facts.st_uid == owner->user && facts.st_gid == owner->group) return 0;
  if (fchown(descriptor, owner->user, owner->group) == 0) return 0;
  bool is_owners = facts.st_uid == owner->user;
  if (is_owners && !owner->is_shared) return 0;
  if (is_loose && owner->is_shared &&
      (facts.st_gid == owner->group || fchown(descriptor, (uid_t)-1, owner->group) == 0))
    return 0;
  errno = EPERM;
  return -1;
}

int lvs_make_at(int folder, const char *name, int flags, unsigned mode, const lvs_owner *owner, bool is_loose) {
  for (int tries = 0; tries < 100; tries++) {
    if ((flags & O_EXCL) == 0) {
      int there = lvs_open_at(folder, name, O_RDWR | flags, 0);
      if (there >= 0) lvs_let_group_in(there, mode);
      if (there >= 0 || errno != ENOENT) return there;
    }
    int made = lvs_open_at(folder, name, O_RDWR | O_CREAT | O_EXCL | flags, mode & 0600);
    if (made < 0 && errno == EEXIST && (flags & O_EXCL) == 0) continue;
    // Nobody else is let in before it is the owner's.
    if (made < 0 || (lvs_give(made, owner, is_loose) == 0 && fchmod(made, mode) == 0)) return made;
    int failure = errno;
    unlinkat(folder, name, 0);
    close(made);
    errno = failure;
    return -1;
  }
  return -1;
}

int lvs_make_folder_at(int folder, const char *name, unsigned mode, const lvs_owner *owner) {
  if (mkdirat(folder, name, mode & 0700) != 0) return errno == EEXIST ? 0 : -1;
  int made = lvs_open_at(folder, name, O_RDONLY | O_DIRECTORY, 0);
  if (made < 0) return -1;
  int status = lvs_give(made, owner, true) == 0 && fchmod(made, mode) == 0 ? 0 : -1, failure = errno;
  close(made);
  if (status != 0) unlinkat(folder, name, AT_REMOVEDIR);
  errno = failure;
  return status;
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
      .user = found->st_uid,
      .group = found->st_gid,
      .names = (uint32_t)found->st_nlink,
      .is_directory = S_ISDIR(found->st_mode),
      .is_regular = S_ISREG(found->st_mode),
      .is_link = S_ISLNK(found->st_mode),
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

int lvs_file_facts_in(int folder, const char *name, lvs_file_facts *facts) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  *facts = facts_from(&found);
  return 0;
}

uint64_t lvs_root_inode(void) {
  struct stat found;
  return stat("/", &found) == 0 ? found.st_ino : 0;
}

// As lvs_leads_to; `changed` is when the directory was changed last, and zero where that cannot be told.
static bool leads_to(const char *path, uint64_t device, uint64_t inode, uint64_t root, struct timespec *changed) {
  struct stat found;
  *changed = (struct timespec){0};
  if (stat(path, &found) != 0) return (errno != ENOENT && errno != ENOTDIR && errno != ELOOP) || lvs_root_inode() != root;
  *changed = found.st_ctim;
  return found.st_dev == device && found.st_ino == inode;
}

int lvs_leads_to(const char *path, uint64_t device, uint64_t inode, uint64_t root) {
  struct timespec changed;
  return leads_to(path, device, inode, root, &changed);
}

// To look at the files would cost more than the look: of a file that was looked at the next write notes its time anew, and some
// file systems write that to the disk with the commit.
enum { SETTLED_US = 100000 };

const char *lvs_place_check(lvs_place *place) {
  static const char *const names[LVS_PLACE_FILES] = {"data.mdb", "lock.mdb", "livery.lock", "livery.wake"};
  struct timespec changed, none = {0};
  if (!leads_to(place->path, place->directory.device, place->directory.inode, place->root, &changed)) return "";
  if (changed.tv_sec != 0 && changed.tv_sec == place->settled.tv_sec && changed.tv_nsec == place->settled.tv_nsec) return NULL;
  // Times have steps of up to a hundredth of a second: what comes within the same one does not show. Where steps are seconds a
  // clock that was set back comes to the same one again.
  int64_t age = lvs_realtime_us() - ((int64_t)changed.tv_sec * 1000000 + changed.tv_nsec / 1000);
  bool is_settled = place->keeps_changes && changed.tv_nsec != 0 && age > SETTLED_US;
  for (int i = 0; i < LVS_PLACE_FILES; i++) {
    struct stat found;
    bool is_found = fstatat(place->folder, names[i], &found, AT_SYMLINK_NOFOLLOW) == 0;
    // Who may not look cannot tell; what it does next says why.
    if (!is_found && errno != ENOENT) is_settled = false;
    else if (!is_found || found.st_dev != place->files[i].device || found.st_ino != place->files[i].inode) return names[i];
  }
  place->settled = is_settled ? changed : none;
  return NULL;
}

bool lvs_keeps_changes(int folder) {
  enum { UBIFS_MAGIC = 0x24051905 };
  struct statfs found;
  if (fstatfs(folder, &found) != 0) return false;
  switch ((uint32_t)found.f_type) {
  case EXT4_SUPER_MAGIC:
  case XFS_SUPER_MAGIC:
  case BTRFS_SUPER_MAGIC:
  case F2FS_SUPER_MAGIC:
  case UBIFS_MAGIC:
  case TMPFS_MAGIC:
  case OVERLAYFS_SUPER_MAGIC: return true;
  default: return false;
  }
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

char *lvs_directory_names(int folder, size_t *length) {
  // Opened by itself it begins with the first entry. A stream would take 32 KiB, and each opening of a store looks here.
  int again = lvs_open_at(folder, ".", O_RDONLY | O_DIRECTORY, 0);
  if (again < 0) return NULL;
  _Alignas(struct dirent) char some[2048];
  char *names = malloc(1);
  size_t used = 0;
  long got = 0;
  while (names && (got = syscall(SYS_getdents64, again, some, sizeof some)) > 0) {
    // An entry is smaller than its name and what stands before it.
    char *grown = realloc(names, used + (size_t)got);
    if (!grown) free(names);
    names = grown;
    for (long place = 0; names && place < got;) {
      const struct dirent *entry = (const struct dirent *)(some + place);
      size_t size = strlen(entry->d_name) + 1;
      memcpy(names + used, entry->d_name, size);
      used += size;
      place += entry->d_reclen;
    }
  }
  int failure = names ? errno : ENOMEM;
  // There is nothing in one that was removed.
  if (got < 0 && failure == ENOENT) got = 0;
  close(again);
  if (names && got == 0) {
    *length = used;
    return names;
  }
  free(names);
  errno = failure;
  return NULL;
}

int lvs_rename_at(int folder, const char *from, int other, const char *to) { return renameat(folder, from, other, to); }
int lvs_link_at(int folder, const char *from, int other, const char *to) { return linkat(folder, from, other, to, 0); }
int lvs_unlink_at(int folder, const char *name) { return unlinkat(folder, name, 0); }

void *lvs_page_map(int descriptor) {
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return page == MAP_FAILED ? NULL : page;
}

void lvs_page_unmap(void *page) { munmap(page, 4096); }

int lvs_copy(int from, int to) {
  char buffer[65536];
  ssize_t got;
  while ((got = read(from, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
    if (got > 0 && lvs_write_all(to, buffer, (size_t)got) < 0) {
      got = -1;
      break;
    }
  // A store's file may hold secrets, and the stack of a thread that sleeps stays as it is.
  int failure = errno;
  explicit_bzero(buffer, sizeof buffer);
  errno = failure;
  return (int)got;
}

int lvs_sync_folder(int folder) {
  // Some file systems know no such thing.
  return fsync(folder) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EBADF ? 0 : -1;
}

bool lvs_is_full(int descriptor) {
  return lvs_file_system_room(descriptor) < 65536;
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

int lvs_open_again(int file) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return lvs_open(path, O_RDWR, 0);
}

int lvs_exchange(int descriptor, int file) { return dup3(file, descriptor, O_CLOEXEC); }

int lvs_count_foreign_entries(int folder) {
  static const char *const known[] = {".", "..", "data.mdb", "data.mdb.new", "lock.mdb", "livery.lock", "livery.wake",
                                      "backups", "damaged"};
  size_t length = 0;
  char *names = lvs_directory_names(folder, &length);
  if (!names) return -1;
  int foreign = 0;
  for (const char *name = names; name < names + length; name += strlen(name) + 1) {
    bool expected = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !expected; i++) expected = strcmp(name, known[i]) == 0;
    if (!expected) foreign++;
  }
  free(names);
  return foreign;
}

int lvs_name_too(int folder, const char *name, const char *second) {
  if (linkat(folder, name, folder, second, 0) == 0) return 0;
  return errno == EPERM || errno == EOPNOTSUPP || errno == EMLINK ? renameat(folder, name, folder, second) : -1;
}

int lvs_sync_names(int folder) {
  if (lvs_sync_folder(folder) != 0) return -1;
  int around = lvs_open_at(folder, "..", O_RDONLY | O_DIRECTORY, 0);
  // Not everybody may read the directory around.
  if (around < 0) return errno == EACCES ? 0 : -1;
  int status = lvs_sync_folder(around), failure = errno;
  close(around);
  errno = failure;
  return status;
}

// What somebody with write access to a store's folder may put where its files are expected.
#ifndef ATTACKS_H
#define ATTACKS_H

#include "batches.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

enum { MEMBER = 65534, TEAM = 65531 };

// The store's folder, and one that is somebody else's, with a file `victim` and a folder `folder`.
static char path[300], outside[300];
static bool is_root;

typedef enum form {
  PIPE, LINK_TO_FILE, LINK_TO_NOTHING, LINK_TO_FOLDER, LOOP, FOLDER, DEVICE_NULL, DEVICE_ZERO, DEVICE_FULL, SOCKET, SECOND_NAME,
  EMPTY, SHORT, HUGE, GARBAGE, BAD_HEADER, NO_MODE, MISSING, FORMS
} form;
static const char *const form_names[FORMS] = {
  "a pipe", "a link to a file", "a dangling link", "a link to a folder", "a link to itself", "a folder", "/dev/null", "/dev/zero",
  "/dev/full", "a socket", "a second name of another file", "empty", "short", "huge", "garbage", "with a bad header",
  "without a mode", "missing"};
static const char *const targets[] = {
  "livery.lock", "livery.wake", "lock.mdb", "data.mdb", "backups", "damaged", "data.mdb.new", "damaged/recovering.mdb",
  "damaged/hidden.mdb", "backups/.12ab.tmp", "backups/00000000000000000099-v0-20300101T000000.000000Z-manual.mdb"};

static form attack_form;
static const char *attack_target;
static bool attacks_as_member;

static void become_member(void) {
  gid_t groups[] = {TEAM};
  if (!is_root || !attacks_as_member) return;
  if (setgroups(1, groups) != 0 || setgid(TEAM) != 0 || setuid(MEMBER) != 0) give_up("cannot be a member");
}

static void write_junk(const char *name, off_t from, size_t length, bool makes) {
  unsigned char junk[8192];
  int file = open(name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | (makes ? O_CREAT | O_TRUNC : 0), 0660);
  for (size_t at = 0; at < sizeof junk; at++) junk[at] = (unsigned char)random_bits();
  if (file >= 0 && pwrite(file, junk, length, from) < 0) close(file), file = -1;
  if (file >= 0) close(file);
}

/** Puts something else in a file's place; to be run in a process of the attacker's. */
static void attack(void) {
  become_member();
  umask(0);
  char name[420], other[420], parent[420];
  snprintf(name, sizeof name, "%s/%s", path, attack_target);
  snprintf(parent, sizeof parent, "%s", name);
  *strrchr(parent, '/') = 0;
  mkdir(parent, 0770);
  if (attack_form != BAD_HEADER && attack_form != NO_MODE) remove_tree(name);
  snprintf(other, sizeof other, "%s/victim", outside);
  int result = 0;
  switch (attack_form) {
    case PIPE: result = mkfifo(name, 0666); break;
    case LINK_TO_FILE: result = symlink(other, name); break;
    case LINK_TO_NOTHING:
      snprintf(other, sizeof other, "%s/made", outside);
      result = symlink(other, name);
      break;
    case LINK_TO_FOLDER:
      snprintf(other, sizeof other, "%s/folder", outside);
      result = symlink(other, name);
      break;
    case LOOP: result = symlink(name, name); break;
    case FOLDER: result = mkdir(name, 0770); break;
    case DEVICE_NULL: result = mknod(name, S_IFCHR | 0666, makedev(1, 3)); break;
    case DEVICE_ZERO: result = mknod(name, S_IFCHR | 0666, makedev(1, 5)); break;
    case DEVICE_FULL: result = mknod(name, S_IFCHR | 0666, makedev(1, 7)); break;
    case SOCKET: {
      struct sockaddr_un address = {.sun_family = AF_UNIX};
      snprintf(address.sun_path, sizeof address.sun_path, "%.100s", name);
      int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      result = bind(file, (struct sockaddr *)&address, sizeof address);
      close(file);
      break;
    }
    case SECOND_NAME: result = link(other, name); break;
    case EMPTY: write_junk(name, 0, 0, true); break;
    case SHORT: write_junk(name, 0, 1 + below(200), true); break;
    case HUGE:
      write_junk(name, 0, 64, true);
      result = truncate(name, (off_t)1 << 40);
      break;
    case GARBAGE: write_junk(name, 0, 4096 + below(4096), true); break;
    case BAD_HEADER: write_junk(name, (off_t)below(160), 1 + below(160), false); break;
    case NO_MODE: result = chmod(name, 0); break;
    default: break;
  }
  // Members cannot make devices: it is a pipe then.
  if (result != 0 && attack_form <= DEVICE_FULL) mkfifo(name, 0666);
}

#endif

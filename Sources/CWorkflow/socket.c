#define _GNU_SOURCE
#include "cworkflow.h"

#include <cclient.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// A forked child closes what is open here.
#define OPENING(call)                                                                                                  \
  do {                                                                                                                 \
    if (!lvc_keep_begin()) return -ENOMEM;                                                                             \
    int descriptor = lvc_keep_end(call);                                                                               \
    return descriptor < 0 ? -errno : descriptor;                                                                       \
  } while (0)

// The same of what may take its time to be opened: the lock is held by who forks.
static int kept(int opened) {
  if (opened < 0) return -errno;
  if (lvc_keep_begin()) return lvc_keep_end(opened);
  close(opened);
  return -ENOMEM;
}

static int open_socket(void) { OPENING(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }
static int open_directory(const char *path) { return kept(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }
int lvw_device_open(const char *path) { return kept(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)); }
int lvw_wake_open(void) { OPENING(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)); }
int lvw_accept(int listener) { OPENING(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)); }

void lvw_close(int descriptor) { lvc_kept_close(descriptor); }

int lvw_folder_open(const char *path) {
  int folder = open_directory(path);
  // A store in memory has a name, which may be that of any folder.
  if (folder >= 0 && faccessat(folder, "data.mdb", F_OK, 0) != 0) {
    lvw_close(folder);
    return -ENOENT;
  }
  return folder;
}

void lvw_folder_list(int folder, const char *prefix, void (*function)(const char *name, void *user_data), void *user_data) {
  int descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
  if (!directory) {
    if (descriptor >= 0) close(descriptor);
    return;
  }
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0) continue;
    struct stat facts;
    if (fstatat(folder, entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(facts.st_mode)) function(entry->d_name, user_data);
  }
  closedir(directory);
}

void lvw_folder_remove(int folder, const char *name) { unlinkat(folder, name, 0); }

// The folder's own path may be longer than an address.
static bool address_of(int folder, const char *name, struct sockaddr_un *address) {
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  int length = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d/%s", folder, name);
  return length > 0 && (size_t)length < sizeof address->sun_path;
}

int lvw_listen(int folder, const char *name) {
  char hidden[128];
  struct sockaddr_un address;
  snprintf(hidden, sizeof hidden, ".%s", name);
  if (!address_of(folder, hidden, &address)) return -ENAMETOOLONG;
  int listener = open_socket();
  if (listener < 0) return listener;
  // A socket that is bound has the mode that its descriptor has.
  if (fchmod(listener, 0600) == 0 && bind(listener, (struct sockaddr *)&address, sizeof address) == 0) {
    if (listen(listener, 64) == 0 && renameat(folder, hidden, folder, name) == 0) return listener;
    int error = errno;
    unlinkat(folder, hidden, 0);
    errno = error;
  }
  int error = errno;
  lvw_close(listener);
  return -error;
}

int lvw_connect(int folder, const char *name) {
  struct sockaddr_un address;
  if (!address_of(folder, name, &address)) return -ENAMETOOLONG;
  int descriptor = open_socket();
  if (descriptor < 0) return descriptor;
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
  int error = errno;
  lvw_close(descriptor);
  return -error;
}

bool lvw_peer_is_trusted(int descriptor) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || size != sizeof peer) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

bool lvw_send(int descriptor, const void *bytes, size_t count) {
  ssize_t sent;
  do {
    sent = send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
  } while (sent < 0 && errno == EINTR);
  return sent == (ssize_t)count;
}

long lvw_receive(int descriptor, void *bytes, size_t room) {
  struct iovec part = {bytes, room};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  ssize_t received;
  do {
    received = recvmsg(descriptor, &message, MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return -errno;
  return message.msg_flags & MSG_TRUNC ? -EMSGSIZE : received;
}

void lvw_wake(int descriptor) {
  uint64_t one = 1;
  ssize_t written = write(descriptor, &one, sizeof one);
  (void)written;
}

void lvw_sleep(int descriptor) {
  uint64_t count;
  ssize_t got = read(descriptor, &count, sizeof count);
  (void)got;
}

int lvw_poll(struct pollfd *descriptors, size_t count, int milliseconds) {
  return poll(descriptors, (nfds_t)count, milliseconds);
}

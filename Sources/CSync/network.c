// When the system has got an address or a route: by netlink, on one thread for the whole process.
#define _GNU_SOURCE
#include "csync.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cclient.h>

// How long it is waited for what comes along with it, such as a route after an address, in milliseconds.
enum { SETTLED = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Guarded by `lock`.
static bool is_watching;
static int descriptor = -1;
static lvy_network_heard heard_by;

// A forked child has the descriptor, and not the thread.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
  is_watching = false;
  pthread_mutex_unlock(&lock);
}
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, in_child); }

// Reads a message; whether it says that there is something new. False in `is_good` if nothing can be read any more.
static bool read_one(int file, int flags, bool *is_good) {
  _Alignas(struct nlmsghdr) char bytes[8192];
  struct sockaddr_nl sender = {0};
  struct iovec place = {.iov_base = bytes, .iov_len = sizeof bytes};
  struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &place, .msg_iovlen = 1};
  ssize_t length = recvmsg(file, &message, flags);
  // What did not fit any more may have been it.
  if (length < 0) *is_good = errno == EINTR || errno == ENOBUFS || errno == EAGAIN;
  if (length <= 0 || sender.nl_pid != 0) return length < 0 && errno == ENOBUFS;
  size_t left = (size_t)length;
  for (size_t at = 0; left - at >= sizeof(struct nlmsghdr);) {
    struct nlmsghdr header;
    memcpy(&header, bytes + at, sizeof header);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > left - at) break;
    if (header.nlmsg_type == RTM_NEWADDR || header.nlmsg_type == RTM_NEWROUTE) return true;
    size_t step = NLMSG_ALIGN((size_t)header.nlmsg_len);
    if (step > left - at) break;
    at += step;
  }
  return false;
}

static void *run(void *argument) {
  int file = (int)(intptr_t)argument;
  pthread_setname_np(pthread_self(), "livery-network");
  for (bool is_good = true; is_good;) {
    if (!read_one(file, 0, &is_good)) continue;
    struct pollfd more = {.fd = file, .events = POLLIN};
    for (int count = 0; is_good && count < 64 && poll(&more, 1, SETTLED) > 0; count++) read_one(file, MSG_DONTWAIT, &is_good);
    heard_by();
  }
  pthread_mutex_lock(&lock);
  is_watching = false;
  descriptor = -1;
  close(file);
  pthread_mutex_unlock(&lock);
  return NULL;
}

void lvy_network_watch(lvy_network_heard heard) {
  pthread_once(&once, watch_forks);
  pthread_mutex_lock(&lock);
  if (!is_watching) {
    heard_by = heard;
    descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    const struct sockaddr_nl address = {
      .nl_family = AF_NETLINK, .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
    if (descriptor >= 0
        && (bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0 || !lvc_thread_start(run, (void *)(intptr_t)descriptor))) {
      close(descriptor);
      descriptor = -1;
    }
    // Where the system does not let it, it is not tried over and over.
    is_watching = true;
  }
  pthread_mutex_unlock(&lock);
}

#define _GNU_SOURCE
#include "chttp.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

// The number that stands for being woken.
#define WAKE UINT64_MAX

struct lvh_poller {
  int epoll, event;
};

lvh_poller *lvh_poller_make(void) {
  lvh_poller *poller = calloc(1, sizeof *poller);
  if (!poller) return NULL;
  poller->epoll = epoll_create1(EPOLL_CLOEXEC);
  poller->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct epoll_event wanted = {.events = EPOLLIN, .data.u64 = WAKE};
  if (poller->epoll >= 0 && poller->event >= 0 && epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->event, &wanted) == 0)
    return poller;
  lvh_poller_free(poller);
  return NULL;
}

void lvh_poller_free(lvh_poller *poller) {
  if (poller->epoll >= 0) close(poller->epoll);
  if (poller->event >= 0) close(poller->event);
  free(poller);
}

void lvh_poller_wake(lvh_poller *poller) {
  uint64_t one = 1;
  ssize_t written = write(poller->event, &one, sizeof one);
  (void)written;
}

bool lvh_poller_watch(lvh_poller *poller, int descriptor, uint64_t number) {
  struct epoll_event wanted = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.u64 = number};
  if (epoll_ctl(poller->epoll, EPOLL_CTL_ADD, descriptor, &wanted) == 0) return true;
  return errno == EEXIST && epoll_ctl(poller->epoll, EPOLL_CTL_MOD, descriptor, &wanted) == 0;
}

int lvh_poller_wait(lvh_poller *poller, int64_t milliseconds, uint64_t *numbers, int most) {
  struct epoll_event events[32];
  if (most > 32) most = 32;
  // Rounded up by what is left of a millisecond, so that a deadline has passed when it ends.
  int timeout = milliseconds < 0 ? -1 : milliseconds >= INT_MAX ? INT_MAX : (int)milliseconds + 1;
  int count = epoll_wait(poller->epoll, events, most, timeout), found = 0;
  for (int index = 0; index < count; index++) {
    if (events[index].data.u64 != WAKE) {
      numbers[found++] = events[index].data.u64;
      continue;
    }
    uint64_t drained;
    ssize_t taken = read(poller->event, &drained, sizeof drained);
    (void)taken;
  }
  return found;
}

int64_t lvh_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void lvh_sleep(int64_t milliseconds) {
  struct timespec wanted = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000};
  nanosleep(&wanted, NULL);
}

struct lvh_thread {
  pthread_t thread;
  void (*run)(void *object);
  void *object;
  bool is_alone;
};

static void *run(void *argument) {
  lvh_thread *thread = argument;
  pthread_setname_np(pthread_self(), "livery-http");
  thread->run(thread->object);
  if (thread->is_alone) free(thread);
  return NULL;
}

lvh_thread *lvh_thread_start(void (*function)(void *object), void *object, bool is_alone) {
  lvh_thread *thread = calloc(1, sizeof *thread);
  if (!thread) return NULL;
  thread->run = function;
  thread->object = object;
  thread->is_alone = is_alone;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (is_alone) pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_t made;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&made, &attributes, run, thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    free(thread);
    return NULL;
  }
  // One that is alone may be gone already.
  if (!is_alone) thread->thread = made;
  return thread;
}

void lvh_thread_join(lvh_thread *thread) {
  pthread_join(thread->thread, NULL);
  free(thread);
}

uintptr_t lvh_thread_self(void) { return (uintptr_t)pthread_self(); }

bool lvh_crypto_begin(void) { return sodium_init() >= 0; }
void lvh_random(uint8_t *bytes, size_t count) { randombytes_buf(bytes, count); }
bool lvh_same(const uint8_t *left, const uint8_t *right, size_t count) { return sodium_memcmp(left, right, count) == 0; }

_Static_assert(LVH_HASH_MAX >= crypto_pwhash_STRBYTES, "a hash has room");

bool lvh_password_hash(const char *password, size_t size, char hash[LVH_HASH_MAX]) {
  return crypto_pwhash_str_alg(hash, password, size, 3, (size_t)8 << 20, crypto_pwhash_ALG_ARGON2ID13) == 0;
}

bool lvh_password_verify(const char *hash, const char *password, size_t size) {
  return crypto_pwhash_str_verify(hash, password, size) == 0;
}

size_t lvh_gzip(const uint8_t *bytes, size_t count, uint8_t *out) {
  z_stream stream = {0};
  if (count > UINT_MAX || deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  stream.next_in = (Bytef *)(uintptr_t)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)count;
  int status = deflate(&stream, Z_FINISH);
  size_t made = count - stream.avail_out;
  deflateEnd(&stream);
  return status == Z_STREAM_END ? made : 0;
}

bool lvh_can_allocate(size_t count) {
  void *probe = malloc(count);
  free(probe);
  return probe != NULL;
}

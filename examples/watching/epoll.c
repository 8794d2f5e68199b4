// Follows the volume with epoll, until it is 0.
//
//     watch-epoll STORE
#include <livery.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

static void fail(const char *what) {
  fprintf(stderr, "watch-epoll: %s: %s\n", what, livery_last_error()->message);
  exit(EXIT_FAILURE);
}

static void on_change(const livery_event *events, size_t count, void *user_data) {
  int64_t *volume = user_data;
  for (size_t i = 0; i < count; i++) {
    const livery_event *event = &events[i];
    if (event->kind == LIVERY_EVENT_RESYNC) {
      puts("changes were missed: read anew");
      continue;
    }
    int64_t before = 0, now = 0;
    if (!event->new_value || livery_value_as_int(event->new_value, &now) != LIVERY_OK) continue;
    if (event->kind == LIVERY_EVENT_INITIAL) {
      printf("volume is %lld\n", (long long)now);
    } else if (event->old_value && livery_value_as_int(event->old_value, &before) == LIVERY_OK) {
      printf("volume: %lld -> %lld\n", (long long)before, (long long)now);
    }
    *volume = now;
  }
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: watch-epoll STORE\n"), 2;
  livery_store *store = NULL;
  if (livery_open(argv[1], NULL, &store) != LIVERY_OK) fail("opening");

  int64_t volume = -1;
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = LIVERY_WATCH_INITIAL | LIVERY_WATCH_DISPATCH;
  livery_watch *watch = NULL;
  if (livery_watch_start(store, "volume", &options, on_change, &volume, NULL, &watch) != LIVERY_OK) fail("watching");
  int descriptor = -1;
  if (livery_event_fd(store, &descriptor) != LIVERY_OK) fail("the descriptor");

  int loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event interest = {.events = EPOLLIN, .data.fd = descriptor};
  if (loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &interest) != 0) return perror("epoll"), EXIT_FAILURE;
  while (volume != 0) {
    struct epoll_event ready;
    if (epoll_wait(loop, &ready, 1, -1) == 1 && ready.data.fd == descriptor) {
      if (livery_dispatch(store, NULL) != LIVERY_OK) fail("dispatching");
    }
  }
  return livery_close(store) == LIVERY_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

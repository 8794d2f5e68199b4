// The display of the demo: reads its settings typed, as a C program does; with --watch it waits for the next media.
//
//     display STORE [--watch]
#include <livery.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what) {
  fprintf(stderr, "display: %s: %s\n", what, livery_last_error()->message);
  exit(EXIT_FAILURE);
}

static void on_media(const livery_event *events, size_t count, void *user_data) {
  for (size_t i = 0; i < count; i++) {
    const char *media = "none";
    if (events[i].new_value) livery_value_as_string(events[i].new_value, &media, NULL);
    printf("  %s is now %s, says %s (revision %llu)\n", events[i].name, media, events[i].origin,
           (unsigned long long)events[i].revision);
  }
  *(bool *)user_data = true;
}

/** Sleeps until the media changes, and tells it. */
static void wait_for_media(livery_store *store) {
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  livery_watch *watch = NULL;
  struct pollfd entry = {.events = POLLIN};
  bool has_changed = false;
  options.flags = LIVERY_WATCH_DISPATCH;
  if (livery_watch_start(store, "mediaUrl", &options, on_media, &has_changed, NULL, &watch) != LIVERY_OK) fail("watch");
  if (livery_event_fd(store, &entry.fd) != LIVERY_OK) fail("descriptor");
  printf("  waiting for mediaUrl\n");
  fflush(stdout);
  while (!has_changed) {
    if (poll(&entry, 1, 60000) <= 0) fail("nothing came within a minute");
    if (livery_dispatch(store, NULL) != LIVERY_OK) fail("dispatch");
  }
}

int main(int argc, char **argv) {
  bool waits = argc == 3 && strcmp(argv[2], "--watch") == 0;
  if (argc != 2 && !waits) return fprintf(stderr, "usage: display STORE [--watch]\n"), 2;
  livery_store *store = NULL;
  if (livery_open(argv[1], NULL, &store) != LIVERY_OK) fail("opening");
  if (waits) {
    wait_for_media(store);
    livery_close(store);
    return EXIT_SUCCESS;
  }

  int64_t minutes = 0;
  bool progress = false, cache = false;
  char media[256];
  // The idle time is a string in this schema, "1" or "2"; a read as a number converts it, since nothing is lost.
  if (livery_get_int(store, "duration", &minutes) != LIVERY_OK) fail("duration");
  if (livery_get_bool(store, "ProgressIndicator", &progress) != LIVERY_OK) fail("ProgressIndicator");
  if (livery_get_bool(store, "cache_key", &cache) != LIVERY_OK) fail("cache_key");
  if (livery_get_url(store, "mediaUrl", media, sizeof media, NULL) != LIVERY_OK) fail("mediaUrl");

  printf("  idle reset after %lld min, progress indicator %s, media %s (%s)\n", (long long)minutes,
         progress ? "on" : "off", media[0] ? media : "none", cache ? "cached" : "not cached");

  // The operator's own program may not overrule the console.
  if (livery_set_string(store, LIVERY_LAYER_USER, "mediaUrl", "https://elsewhere.example/", LIVERY_ZERO_TERMINATED) ==
      LIVERY_ERROR_LOCKED) {
    printf("  setting mediaUrl from C: %s\n", livery_last_error()->message);
  }
  livery_close(store);
  return EXIT_SUCCESS;
}

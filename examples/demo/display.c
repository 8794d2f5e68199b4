// The display of the demo: reads its settings typed, as a C program does.
//
//     display STORE
#include <livery.h>

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *what) {
  fprintf(stderr, "display: %s: %s\n", what, livery_last_error()->message);
  exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: display STORE\n"), 2;
  livery_store *store = NULL;
  if (livery_open(argv[1], NULL, &store) != LIVERY_OK) fail("opening");

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

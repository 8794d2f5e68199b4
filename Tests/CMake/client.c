// A client as any other: it makes a store in the directory given, sets, reads and prints.
#include <livery.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]), 2;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_store *store = NULL;
  int64_t seconds = 0;
  if (livery_open(argv[1], &options, &store) != LIVERY_OK
      || livery_set_int(store, LIVERY_LAYER_USER, "idleResetSeconds", 90) != LIVERY_OK
      || livery_get_int(store, "idleResetSeconds", &seconds) != LIVERY_OK
      || livery_close(store) != LIVERY_OK)
    return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  printf("livery %s: %lld seconds\n", livery_version_string(), (long long)seconds);
  return seconds == 90 && livery_version() == LIVERY_VERSION_NUMBER ? 0 : 1;
}

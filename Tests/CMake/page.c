// A client of the extension `page`: a page is served, has an address, and stops.
#include <livery/page.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]), 2;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  livery_page *page = NULL;
  char *address = NULL;
  size_t length = 0;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(argv[1], &options, &store) != LIVERY_OK || livery_page_start(store, NULL, NULL, NULL, NULL, &page) != LIVERY_OK
      || livery_page_address(page, &address, &length) != LIVERY_OK || livery_page_stop(page) != LIVERY_OK)
    return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  int status = strncmp(address, "http://", 7) == 0 ? 0 : 1;
  livery_free(address);
  return livery_close(store) == LIVERY_OK ? status : 1;
}

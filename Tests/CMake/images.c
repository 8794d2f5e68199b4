// A client of the extension `images`: it judges an SVG image, for which the library has to find its program.
#include <livery/images.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  static const char svg[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"><rect width=\"2\" height=\"4\"/></svg>";
  if (argc != 2) return fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]), 2;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  livery_color black = {0, 0, 0, 1}, white = {1, 1, 1, 1};
  livery_store *store = NULL;
  char id[LIVERY_ASSET_ID_SIZE];
  double share = -1;
  if (livery_open(argv[1], &options, &store) != LIVERY_OK || livery_images_put(store, svg, strlen(svg), 0, id) != LIVERY_OK
      || livery_images_legibility(store, id, black, white, NULL, &share) != LIVERY_OK || livery_close(store) != LIVERY_OK)
    return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  return share == 0.5 ? 0 : 1;
}

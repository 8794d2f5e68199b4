// Memory that ends while an image is judged: there is a status, and no judgement of the image.
#include "memory.h"

#include <livery/images.h>

static char *file;
static size_t length;

// Whether memory ended before the work did.
static bool work(livery_store *store, long count, bool for_good, int *refused) {
  char id[LIVERY_ASSET_ID_SIZE];
  memory_ends_after(count, for_good);
  livery_status status = livery_images_put(store, file, length, 0, id);
  memory_is_back();
  bool has_ended = struck > 0;
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY);
  if (status == LIVERY_ERROR_NO_MEMORY) (*refused)++;
  else if (status != LIVERY_OK) fprintf(stderr, "  %s\n", livery_last_error()->message);
  return has_ended;
}

static void exhaust(const char *name) {
  char path[400];
  int refused = 0;
  bool has_ended = true;
  snprintf(path, sizeof path, "%s/images/%s", FIXTURES, name);
  file = read_file(path, &length);
  livery_store *store = ready_store(fresh_path(), KIOSK_SCHEMA);
  for (long count = 0; has_ended && count < 2000; count++) {
    int before = check_failures;
    has_ended = work(store, count, count % 2 == 0, &refused);
    if (check_failures > before) fprintf(stderr, "  %s: after %ld allocations\n", name, count);
    if (check_failures > 20) break;
  }
  expect_all_well(store);
  OK(livery_close(store));
  EXPECT(refused > 0);
  free(file);
}

TEST("at whatever allocation memory ends, once or for good, an image is no damaged one for that", memory_ends) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  exhaust("rgba.png");
  exhaust("progressive.jpg");
  exhaust("lossless.webp");
  exhaust("lossy.webp");
}

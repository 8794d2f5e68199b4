// A brand of 6 colors and 10 images of 200 KB is switched again and again, while other processes read it: whatever moment
// they see, all of it is of one brand. Every so often the brand comes with new images, and what nothing refers to is
// collected.
//
// $LIVERY_BRAND_SWITCHES switches (200 by default). Prints one line with figures.
#include <livery.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { readers = 4, colors = 6, images = 10, image_size = 200 * 1024, renewal = 20 };

static char path[64] = "/tmp/livery-brand-switch-XXXXXX";
static _Atomic long *shared;
enum { finished, moments, brands };

static void fail(const char *what) {
  fprintf(stderr, "brand_switch: %s: %s\n", what, livery_last_error()->message);
  _exit(1);
}
#define OK(call) ((call) == LIVERY_OK ? (void)0 : fail(#call))

static livery_store *open_store(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.busy_timeout_ms = 60000;
  options.map_size = 64 << 20;
  options.log_entries = 4;
  OK(livery_open(path, &options, &store));
  return store;
}

static void name_of(char *name, const char *kind, int index) { snprintf(name, 64, "branding.%s.n%d", kind, index); }

// An image that says which brand it is of, and which of its images, at its beginning, in its middle and at its end.
static const size_t marks[] = {40, image_size / 2, image_size - 8};

static void draw(unsigned char *bytes, uint32_t brand, int index) {
  static const unsigned char header[] = "GIF89a\x40\x01\xf0\0\0\0";
  memset(bytes, (int)(brand * 31 + (uint32_t)index), image_size);
  memcpy(bytes, header, sizeof header);
  for (int mark = 0; mark < 3; mark++) {
    memcpy(bytes + marks[mark], &brand, 4);
    memcpy(bytes + marks[mark] + 4, &index, 4);
  }
}

static void install(livery_store *store, uint32_t brand) {
  static unsigned char bytes[image_size];
  char name[64], id[LIVERY_ASSET_ID_SIZE];
  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change));
  for (int index = 0; index < colors; index++) {
    name_of(name, "color", index);
    livery_color color = {(float)(brand & 255) / 255, (float)(brand >> 8 & 255) / 255, (float)index / 255, 1};
    OK(livery_change_set_color(change, name, color));
  }
  for (int index = 0; index < images; index++) {
    livery_value *image = NULL;
    draw(bytes, brand, index);
    OK(livery_change_put_asset(change, bytes, image_size, 0, id));
    OK(livery_value_make_image(id, LIVERY_ZERO_TERMINATED, &image));
    name_of(name, "image", index);
    OK(livery_change_set_value(change, name, image));
    OK(livery_value_release(image));
  }
  OK(livery_change_commit(change, NULL));
}

// Reads a whole brand in a snapshot; its number.
static uint32_t read_brand(livery_store *store) {
  livery_snapshot *snapshot = NULL;
  uint32_t seen = 0;
  char name[64];
  OK(livery_snapshot_open(store, &snapshot));
  for (int index = 0; index < colors; index++) {
    livery_value *value = NULL;
    livery_color color;
    name_of(name, "color", index);
    OK(livery_snapshot_get(snapshot, name, &value));
    OK(livery_value_as_color(value, &color));
    OK(livery_value_release(value));
    uint32_t brand = (uint32_t)(color.red * 255 + 0.5f) | (uint32_t)(color.green * 255 + 0.5f) << 8;
    if (index > 0 && brand != seen) fail("colors of two brands");
    seen = brand;
  }
  for (int index = 0; index < images; index++) {
    livery_value *value = NULL;
    const char *id = NULL;
    const void *bytes = NULL;
    size_t length = 0;
    name_of(name, "image", index);
    OK(livery_snapshot_get(snapshot, name, &value));
    OK(livery_value_as_string(value, &id, NULL));
    OK(livery_snapshot_asset(snapshot, id, &bytes, &length));
    OK(livery_value_release(value));
    if (length != image_size) fail("an image of another size");
    for (int mark = 0; mark < 3; mark++) {
      if (memcmp((const char *)bytes + marks[mark], &seen, 4) != 0) fail("an image of another brand");
      if (memcmp((const char *)bytes + marks[mark] + 4, &index, 4) != 0) fail("another image of the brand");
    }
  }
  OK(livery_snapshot_close(snapshot));
  return seen;
}

static void read_on(void) {
  livery_store *store = open_store();
  uint32_t last = UINT32_MAX;
  while (!atomic_load(&shared[finished])) {
    uint32_t brand = read_brand(store);
    atomic_fetch_add(&shared[moments], 1);
    if (brand != last) atomic_fetch_add(&shared[brands], 1);
    last = brand;
  }
  OK(livery_close(store));
  _exit(0);
}

int main(void) {
  const char *wanted = getenv("LIVERY_BRAND_SWITCHES");
  int switches = wanted ? atoi(wanted) : 200, failed = 0;
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || !mkdtemp(path)) return 2;
  livery_store *store = open_store();
  install(store, 0);
  for (int index = 0; index < readers; index++) {
    if (fork() == 0) read_on();
  }
  for (int number = 1; number <= switches; number++) {
    // Two brands in turn; both are drawn anew every so often.
    install(store, (uint32_t)(2 * (number / renewal) + number % 2) & 0xFFFF);
    if (number % renewal == 0) {
      livery_collect_options options = LIVERY_COLLECT_OPTIONS_INIT;
      options.flags = LIVERY_COLLECT_IGNORE_LOG;
      OK(livery_asset_collect(store, &options, NULL));
    }
  }
  atomic_store(&shared[finished], 1);
  for (int index = 0; index < readers; index++) {
    int status = 0;
    wait(&status);
    if (status != 0) failed = 1;
  }
  OK(livery_close(store));
  printf("%d switches of 6 colors and 10 images of 200 KB; %d processes read %ld moments, and saw the brand change %ld times:"
         " %s\n",
         switches, readers, atomic_load(&shared[moments]), atomic_load(&shared[brands]),
         failed ? "a half was seen" : "none saw half of it");
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", path);
  if (system(command) != 0) return 2;
  return failed;
}

// The extension `images` beside the library that it stands on: what is kept with an image, and what it answers.
#include "fixture.h"

#include <livery/images.h>

static const livery_color white = {1, 1, 1, 1}, black = {0, 0, 0, 1};
static const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;

// A white rectangle on the left half, and nothing on the right.
static const char half[] =
  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20\"><rect width=\"20\" height=\"20\" fill=\"#fff\"/></svg>";

static char *fixture(const char *name, size_t *length) {
  char path[400];
  snprintf(path, sizeof path, "%s/images/%s", FIXTURES, name);
  return read_file(path, length);
}

static livery_status put_fixture(livery_store *store, const char *name, uint32_t flags, char *id) {
  size_t length = 0;
  char *bytes = fixture(name, &length);
  livery_status status = livery_images_put(store, bytes, length, flags, id);
  free(bytes);
  return status;
}

static double share_of(livery_store *store, const char *id, livery_color text, livery_color background) {
  double share = -1;
  OK(livery_images_legibility(store, id, text, background, NULL, &share));
  return share;
}

static double share_in(livery_store *store, const char *id, livery_color text, livery_images_area area) {
  double share = -1;
  livery_images_options options = LIVERY_IMAGES_OPTIONS_INIT;
  options.areas = &area;
  options.area_count = 1;
  OK(livery_images_legibility(store, id, text, black, &options, &share));
  return share;
}

TEST("what legibility follows from is kept with the image, for any text and background", put) {
  livery_store *store = open_store(fresh_path());
  char id[LIVERY_ASSET_ID_SIZE], plain[LIVERY_ASSET_ID_SIZE];
  uint64_t before = 0, after = 0;
  void *fact = NULL;
  size_t length = 0;
  OK(livery_revision(store, &before));
  OK(livery_images_put(store, TEXT(half), 0, id));
  OK(livery_revision(store, &after));
  EXPECT_INT((int64_t)before, (int64_t)after);
  OK(livery_asset_put(store, TEXT(half), 0, plain));
  EXPECT_TEXT(plain, id);
  OK(livery_asset_fact(store, id, "legibility", &fact, &length));
  EXPECT(length > 0 && length <= LIVERY_ASSET_FACT_MAX);
  livery_free(fact);
  EXPECT(share_of(store, id, white, black) == 0.5);
  EXPECT(share_of(store, id, black, black) == 0.5);
  EXPECT(share_of(store, id, white, white) == 1);
  EXPECT(share_of(store, id, black, white) == 0);
  // Text lies on the left, on the right, and across; outside of the image it does not count.
  EXPECT(share_in(store, id, white, (livery_images_area){0, 0, 0.4, 1, 1}) == 1);
  EXPECT(share_in(store, id, white, (livery_images_area){0.6, 0.2, 9, 0.1, 3}) == 0);
  double across = share_in(store, id, white, (livery_images_area){0.25, 0, 0.5, 1, 1});
  EXPECT(across > 0.49 && across < 0.51);
  // Nobody knows of it any more.
  OK(livery_asset_remove(store, id, 0));
  OK(livery_asset_put(store, TEXT(half), 0, id));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_asset_fact(store, id, "legibility", &fact, &length));
  OK(livery_close(store));
}

TEST("an image is put by the commit of the setting that shows it", put_into) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *image = NULL;
  char id[LIVERY_ASSET_ID_SIZE];
  double share = -1;
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  OK(livery_images_put_into(change, TEXT(half), 0, id));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_images_legibility(store, id, white, black, NULL, &share));
  OK(livery_value_make_image(id, LIVERY_ZERO_TERMINATED, &image));
  OK(livery_change_set_value(change, "branding.logo", image));
  OK(livery_value_release(image));
  OK(livery_change_commit(change, NULL));
  EXPECT(share_of(store, id, white, black) == 0.5);
  OK(livery_close(store));
}

TEST("every format is judged, in each of its forms", formats) {
  static const char *const names[] = {"alpha.webp", "arithmetic.jpg", "baseline.jpg", "box.svg", "cmyk.jpg", "gray-alpha.png",
    "gray.jpg", "gray.png", "gray16.png", "lossless.webp", "lossy.webp", "moving.webp", "one-bit.png", "palette.png",
    "progressive.jpg", "restarts.jpg", "rgb.png", "rgba.png", "subsampled.jpg", "turned-3.jpg", "turned-6.jpg", "turned-8.jpg"};
  livery_store *store = open_store(fresh_path());
  for (size_t index = 0; index < COUNT(names); index++) {
    char id[LIVERY_ASSET_ID_SIZE] = "";
    livery_status status = put_fixture(store, names[index], 0, id);
    if (status != LIVERY_OK) check_fail(__FILE__, __LINE__, "%s: %s", names[index], livery_last_error()->message);
    else share_of(store, id, white, black);
  }
  OK(livery_close(store));
}

TEST("what is refused is refused with its reason, and kept with it if that is asked for", refused) {
  livery_store *store = open_store(fresh_path());
  char id[LIVERY_ASSET_ID_SIZE] = "untouched";
  double share = -1;
  livery_value *report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PARSE, put_fixture(store, "still.gif", 0, id));
  EXPECT_CONTAINS("only PNG, JPEG, WebP and SVG", livery_last_error()->message);
  EXPECT_TEXT("untouched", id);
  size_t length = 0;
  char *cut = fixture("rgb.png", &length);
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_images_put(store, cut, length - 20, 0, id));
  EXPECT_CONTAINS("damaged", livery_last_error()->message);
  free(cut);
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_images_put(store, "text", 4, 0, id));
  OK(put_fixture(store, "still.gif", LIVERY_IMAGES_ANY, id));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_images_legibility(store, id, white, black, NULL, &share));
  EXPECT_CONTAINS("only PNG, JPEG, WebP and SVG", livery_last_error()->message);
  OK(livery_images_judge(store, NULL, 0, &report));
  EXPECT_JSON("{\"judged\":0,\"known\":1,\"refused\":[]}", report);
  OK(livery_close(store));
}

TEST("images that were stored without it are judged later, once", judge) {
  livery_store *store = open_store(fresh_path());
  char id[LIVERY_ASSET_ID_SIZE], text[LIVERY_ASSET_ID_SIZE];
  livery_value *report = NULL;
  double share = -1;
  OK(livery_asset_put(store, TEXT(half), 0, id));
  OK(livery_asset_put(store, TEXT("text"), LIVERY_ASSET_ANY, text));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_images_legibility(store, id, white, black, NULL, &share));
  EXPECT_CONTAINS("livery images judge", livery_last_error()->message);
  OK(livery_images_judge(store, id, 0, NULL));
  EXPECT(share_of(store, id, white, black) == 0.5);
  OK(livery_images_judge(store, NULL, 0, &report));
  EXPECT_JSON("{\"judged\":0,\"known\":1,\"refused\":[]}", report);
  OK(livery_images_judge(store, NULL, LIVERY_IMAGES_AGAIN, &report));
  EXPECT_JSON("{\"judged\":1,\"known\":0,\"refused\":[]}", report);
  OK(livery_close(store));
}

TEST("wrong arguments are refused", arguments) {
  char path[320];
  snprintf(path, sizeof path, "%s", fresh_path());
  livery_store *store = open_store(path);
  char id[LIVERY_ASSET_ID_SIZE];
  double share = -1;
  livery_value *report = NULL;
  OK(livery_images_put(store, TEXT(half), 0, id));
  EXPECT_STATUS(invalid, livery_images_put(NULL, TEXT(half), 0, id));
  EXPECT_STATUS(invalid, livery_images_put(store, NULL, 1, 0, id));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_images_put(store, half, 0, 0, id));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_images_put(store, half, (size_t)LIVERY_ASSET_MAX + 1, 0, id));
  EXPECT_STATUS(invalid, livery_images_put(store, TEXT(half), 2, id));
  EXPECT_STATUS(invalid, livery_images_put_into(NULL, TEXT(half), 0, id));
  EXPECT_STATUS(invalid, livery_images_judge(NULL, NULL, 0, &report));
  EXPECT_STATUS(invalid, livery_images_judge(store, "x", 0, &report));
  EXPECT_STATUS(invalid, livery_images_judge(store, NULL, 2, &report));
  char first = id[0];
  id[0] = first == '0' ? '1' : '0';
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_images_judge(store, id, 0, &report));
  id[0] = first;
  livery_color no_color = {2, 0, 0, 1};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_images_legibility(store, id, no_color, black, NULL, &share));
  EXPECT_STATUS(invalid, livery_images_legibility(store, id, white, black, NULL, NULL));
  EXPECT_STATUS(invalid, livery_images_legibility(store, "x", white, black, NULL, &share));
  livery_images_area area = {2, 2, 1, 1, 1};
  livery_images_options options = {sizeof options, &area, 1, 0};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_images_legibility(store, id, white, black, &options, &share));
  area = (livery_images_area){0, 0, 1, 1, -1};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_images_legibility(store, id, white, black, &options, &share));
  options = (livery_images_options){sizeof options, NULL, 1, 0};
  EXPECT_STATUS(invalid, livery_images_legibility(store, id, white, black, &options, &share));
  options = (livery_images_options){sizeof options, NULL, 0, 22};
  EXPECT_STATUS(invalid, livery_images_legibility(store, id, white, black, &options, &share));
  EXPECT(share == -1 && !report);
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_images_put(store, TEXT(half), 0, id));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_images_legibility(store, id, white, black, NULL, &share));
  store = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_images_put(store, TEXT(half), 0, id));
  EXPECT(share_of(store, id, white, black) == 0.5);
  OK(livery_close(store));
}

static livery_store *shared;

static void *judges(void *unused) {
  (void)unused;
  for (int round = 0; round < 5; round++) {
    OK(livery_images_judge(shared, NULL, LIVERY_IMAGES_AGAIN, NULL));
    OK(put_fixture(shared, "progressive.jpg", 0, NULL));
  }
  return NULL;
}

TEST("many threads judge at once", threads) {
  pthread_t threads[4];
  shared = open_store_with(fresh_path(), LIVERY_OPEN_CREATE | LIVERY_OPEN_DEFERRED, 0);
  OK(livery_images_put(shared, TEXT(half), 0, NULL));
  OK(put_fixture(shared, "rgba.png", 0, NULL));
  for (int index = 0; index < 4; index++) pthread_create(&threads[index], NULL, judges, NULL);
  for (int index = 0; index < 4; index++) pthread_join(threads[index], NULL);
  OK(livery_close(shared));
}

// What an element refers to outside of the document is not there, and what takes for ever is ended.
TEST("a document cannot look around, nor take all there is", hostile) {
  livery_store *store = open_store(fresh_path());
  char id[LIVERY_ASSET_ID_SIZE];
  static const char outside[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" "
    "width=\"10\" height=\"10\"><image width=\"10\" height=\"10\" xlink:href=\"file://" FIXTURES "/images/rgb.png\"/></svg>";
  OK(livery_images_put(store, TEXT(outside), 0, id));
  EXPECT(share_of(store, id, white, white) == 1);
  EXPECT(share_of(store, id, white, black) == 0);
  // Each of 40 groups shows the one before twice.
  static char nested[16384];
  size_t length = (size_t)snprintf(nested, sizeof nested, "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink="
    "\"http://www.w3.org/1999/xlink\" width=\"9\" height=\"9\"><defs><rect id=\"g0\" width=\"9\" height=\"9\"/>");
  for (int index = 1; index < 40; index++)
    length += (size_t)snprintf(nested + length, sizeof nested - length, "<g id=\"g%d\"><use xlink:href=\"#g%d\"/>"
      "<use xlink:href=\"#g%d\"/></g>", index, index - 1, index - 1);
  length += (size_t)snprintf(nested + length, sizeof nested - length, "</defs><use xlink:href=\"#g39\"/></svg>");
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_images_put(store, nested, length, 0, id));
  OK(livery_close(store));
}

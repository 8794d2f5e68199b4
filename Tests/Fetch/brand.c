// The images of a brand by the C functions: one commit, one report, and what is refused.
#include "fixture.h"
#include "scripted.h"

#include <malloc.h>

static const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;

typedef struct told {
  _Atomic int done, destroyed;
  livery_status status;
  char message[256], report[4096];
} told;

static void note_brand(livery_status status, const char *message, livery_value *report, void *user_data) {
  told *told = user_data;
  told->status = status;
  note_text(told->message, sizeof told->message, message);
  char *text = NULL;
  EXPECT((status == LIVERY_OK) == (report != NULL));
  if (report && OK(livery_value_to_json(report, 0, &text, NULL))) note_text(told->report, sizeof told->report, text);
  livery_free(text);
  told->done++;
}

static void note_let_go(void *user_data) { ((told *)user_data)->destroyed++; }

static void wait_for_brand(told *told) {
  for (int tries = 0; tries < 10000 && !told->destroyed; tries++) usleep(1000);
  EXPECT_INT(1, told->done);
  EXPECT_INT(1, told->destroyed);
}

static void set_logo(livery_store *store, livery_layer layer, const char *json) {
  livery_value *variants = NULL;
  OK(livery_value_from_json(json, LIVERY_ZERO_TERMINATED, &variants));
  OK(livery_branding_set_image(store, layer, "logo", variants));
  livery_value_release(variants);
}

static void expect_state(livery_store *store, const char *expected) {
  livery_value *image = NULL, *state = NULL;
  const char *text = "";
  if (OK(livery_branding_image(store, "logo", NULL, &image)) && OK(livery_value_member(image, "state", &state)))
    OK(livery_value_as_string(state, &text, NULL));
  EXPECT_TEXT(expected, text);
  livery_value_release(state);
  livery_value_release(image);
}

TEST("images are swapped where they are in effect, and keep their layer and what else their variants say", layers) {
  static const livery_layer layers[] = {LIVERY_LAYER_BUNDLE, LIVERY_LAYER_RECOMMENDED, LIVERY_LAYER_USER, LIVERY_LAYER_ENFORCED};
  for (size_t index = 0; index < COUNT(layers); index++) {
    livery_store *store = open_store(fresh_path());
    SCRIPT(script, false);
    use_script(store, &script);
    add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
    set_logo(store, layers[index], "[{\"image\": \"http://h/logo\", \"scale\": 2, \"note\": \"x\"}, {\"image\": \"other\", \"scale\": 3}]");
    expect_state(store, "loading");
    told told = {0};
    OK(livery_fetch_brand_start(store, NULL, NULL, note_brand, &told, note_let_go, NULL));
    wait_for_brand(&told);
    EXPECT_INT(LIVERY_OK, told.status);
    EXPECT_CONTAINS("\"ready\":1", told.report);
    expect_state(store, "ready");
    livery_value *explained = NULL;
    char *text = NULL;
    OK(livery_inspect(store, "branding.image.logo", &explained));
    OK(livery_value_to_json(explained, 0, &text, NULL));
    EXPECT_CONTAINS("\"source\":\"http://h/logo\"", text);
    EXPECT_CONTAINS("\"note\":\"x\"", text);
    EXPECT_CONTAINS("{\"image\":\"other\",\"scale\":3}", text);
    livery_free(text);
    livery_value_release(explained);
    OK(livery_close(store));
  }
}

TEST("what somebody changes meanwhile stays", meanwhile) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, true);
  use_script(store, &script);
  set_logo(store, LIVERY_LAYER_BUNDLE, "[{\"image\": \"http://h/logo\"}]");
  told told = {0};
  OK(livery_fetch_brand_start(store, NULL, NULL, note_brand, &told, note_let_go, NULL));
  wait_until(&script.held_count, 1);
  set_logo(store, LIVERY_LAYER_BUNDLE, "[{\"image\": \"http://h/other\"}]");
  size_t length = 0;
  char *bytes = fixture_image("rgba.png", &length);
  OK(livery_fetch_answer(script.held[0], 200, NULL, 0));
  OK(livery_fetch_receive(script.held[0], bytes, length));
  free(bytes);
  finish_held(&script);
  wait_for_brand(&told);
  expect_state(store, "loading");
  OK(livery_close(store));
}

TEST("an image that goes while the server says that it still holds is not shown", gone) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .image = "rgba.png"});
  outcome first = {0};
  fetch_and_wait(store, "http://h/logo", NULL, &first);
  set_logo(store, LIVERY_LAYER_BUNDLE, "[{\"image\": \"http://h/logo\"}]");
  script.holds = true;
  told told = {0};
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_REVALIDATE;
  OK(livery_fetch_brand_start(store, NULL, &options, note_brand, &told, note_let_go, NULL));
  wait_until(&script.held_count, 1);
  EXPECT_TEXT("\"1\"", script.conditions[1]);
  OK(livery_asset_remove(store, first.id, LIVERY_ASSET_FORCE));
  script.holds = false;
  script.count = 2;
  add_answer(&script, (answer){.status = 404});
  OK(livery_fetch_answer(script.held[0], 304, NULL, 0));
  finish_held(&script);
  wait_for_brand(&told);
  // It is asked for again, by who has nothing.
  EXPECT_INT(3, script.requests);
  EXPECT_TEXT("", script.conditions[2]);
  EXPECT_CONTAINS("\"failed\":1", told.report);
  expect_state(store, "failed");
  OK(livery_close(store));
}

static void note_progress(uint64_t received, uint64_t total, void *user_data) {
  (void)user_data;
  EXPECT(received == 0 && total == 0);
}

TEST("however large pages of failures claim to be, they are no progress", failing) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  char list[1000] = "[";
  for (int number = 0; number < 12; number++) {
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s{\"image\": \"http://h/%d\", \"scale\": %d}", number ? ", " : "",
             number, number + 1);
    add_answer(&script, (answer){.status = 404, .headers = "Content-Length: 999999999999999999", .body = "x"});
  }
  strcat(list, "]");
  set_logo(store, LIVERY_LAYER_BUNDLE, list);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.attempts = 1;
  options.progress = note_progress;
  told told = {0};
  OK(livery_fetch_brand_start(store, NULL, &options, note_brand, &told, note_let_go, NULL));
  wait_for_brand(&told);
  EXPECT_CONTAINS("\"failed\":12", told.report);
  OK(livery_close(store));
}

TEST("an image that is a URL alone becomes a variant", alone) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
  set_logo(store, LIVERY_LAYER_BUNDLE, "\"http://h/logo\"");
  told told = {0};
  OK(livery_fetch_brand_start(store, NULL, NULL, note_brand, &told, note_let_go, NULL));
  wait_for_brand(&told);
  expect_state(store, "ready");
  OK(livery_close(store));
}

TEST("the end is told once: cancelled, closed, dispatched", ends) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, true);
  use_script(store, &script);
  set_logo(store, LIVERY_LAYER_BUNDLE, "[{\"image\": \"http://h/logo\"}]");
  told cancelled = {0}, closed = {0};
  livery_fetch *fetch = NULL;
  OK(livery_fetch_brand_start(store, NULL, NULL, note_brand, &cancelled, note_let_go, &fetch));
  wait_until(&script.held_count, 1);
  OK(livery_fetch_cancel(fetch));
  wait_for_brand(&cancelled);
  EXPECT_INT(LIVERY_ERROR_CANCELLED, cancelled.status);
  EXPECT(cancelled.message[0] != 0);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_fetch_cancel(fetch));
  OK(livery_fetch_brand_start(store, NULL, NULL, note_brand, &closed, note_let_go, &fetch));
  OK(livery_close(store));
  wait_for_brand(&closed);
  EXPECT_INT(LIVERY_ERROR_CLOSED, closed.status);
  finish_held(&script);
}

// Answers with another image each time.
static livery_status give_large(const livery_fetch_request *request, livery_fetch_exchange *exchange, void *user_data) {
  static char image[200000] = "GIF89a\1\0\1\0\0\0";
  static int number;
  (void)request, (void)user_data;
  snprintf(image + 20, 20, "%d", ++number);
  livery_fetch_answer(exchange, 200, NULL, 0);
  livery_fetch_receive(exchange, image, sizeof image);
  return livery_fetch_finish(exchange, LIVERY_OK, NULL);
}

TEST("what images came in is let go when they are stored", let_go) {
  livery_store *store = open_store(fresh_path());
  livery_fetch_transport transport = {sizeof transport, give_large, NULL};
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  OK(livery_fetch_set_transport(store, &transport, NULL, NULL));
  set_logo(store, LIVERY_LAYER_BUNDLE, "[{\"image\": \"http://h/logo\"}]");
  options.flags = LIVERY_FETCH_REVALIDATE;
  size_t before = 0;
  for (int round = 0; round < 25; round++) {
    told told = {0};
    OK(livery_fetch_brand_start(store, NULL, &options, note_brand, &told, note_let_go, NULL));
    wait_for_brand(&told);
    EXPECT_CONTAINS("\"ready\":1", told.report);
    if (round == 4) before = mallinfo2().uordblks + mallinfo2().hblkhd;
  }
  // Twenty times 200,000 bytes have come.
  size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
  EXPECT(after < before + 1500000);
  OK(livery_close(store));
}

TEST("wrong arguments are refused, and told here and now", arguments) {
  livery_store *store = open_store(fresh_path());
  told told = {0};
  EXPECT_STATUS(invalid, livery_fetch_brand_start(NULL, NULL, NULL, note_brand, &told, note_let_go, NULL));
  EXPECT_INT(1, told.done);
  EXPECT_STATUS(invalid, livery_fetch_brand_start(store, NULL, NULL, NULL, &told, note_let_go, NULL));
  EXPECT_INT(1, told.done);
  EXPECT_INT(2, told.destroyed);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  EXPECT_STATUS(invalid, livery_fetch_brand_start(store, NULL, &options, note_brand, &told, note_let_go, NULL));
  livery_traits traits = LIVERY_TRAITS_INIT;
  traits.idiom = 99;
  EXPECT_STATUS(invalid, livery_fetch_brand_start(store, &traits, NULL, note_brand, &told, note_let_go, NULL));
  EXPECT_INT(4, told.destroyed);
  OK(livery_close(store));
}

TEST("a store that is read-only is told so", read_only) {
  const char *path = fresh_path();
  livery_store *store = open_store(path), *reader = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_READ_ONLY;
  REQUIRE_OK(livery_open(path, &options, &reader));
  told told = {0};
  outcome outcome = {0};
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_fetch_brand_start(reader, NULL, NULL, note_brand, &told, note_let_go, NULL));
  EXPECT_INT(LIVERY_ERROR_READ_ONLY, told.status);
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_fetch_start(reader, "http://h/", NULL, note_done, &outcome, note_destroyed, NULL));
  // Once something was fetched, readers get it, too.
  SCRIPT(script, false);
  SCRIPT(none, false);
  use_script(store, &script);
  add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
  struct outcome first = {0}, second = {0};
  fetch_and_wait(store, "http://h/", NULL, &first);
  use_script(reader, &none);
  livery_fetch_options offline = LIVERY_FETCH_OPTIONS_INIT;
  offline.flags = LIVERY_FETCH_OFFLINE;
  fetch_and_wait(reader, "http://h/", &offline, &second);
  EXPECT_TEXT(first.id, second.id);
  OK(livery_close(reader));
  OK(livery_close(store));
}

// The C functions of the extension `fetch`, with a transport of the test's own: what they refuse, what they hand out, and that
// each end is told once.
#include "fixture.h"
#include "scripted.h"

#include <sys/stat.h>

static const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;

TEST("an image is fetched once, and handed out of the store afterwards", once) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"\nCache-Control: max-age=600", .image = "rgba.png"});
  outcome first = {0}, second = {0};
  fetch_and_wait(store, "http://h/logo.png#top", NULL, &first);
  EXPECT_INT(LIVERY_OK, first.status);
  EXPECT_INT(LIVERY_FETCH_READY, first.state);
  EXPECT_INT(LIVERY_FETCH_FROM_NETWORK, first.source);
  EXPECT_INT(200, first.http_status);
  EXPECT_TEXT("image/png", first.type);
  EXPECT_TEXT("\"1\"", first.etag);
  EXPECT_TEXT("http://h/logo.png#top", first.url);
  EXPECT_TEXT("", first.message);
  EXPECT(first.length > 0 && first.received == first.length);
  EXPECT(first.fetched > 0 && first.fresh_until > first.fetched);
  void *bytes = NULL;
  size_t length = 0;
  OK(livery_asset_get(store, first.id, &bytes, &length));
  EXPECT(length == first.length && memcmp(bytes, first.data, length) == 0);
  livery_free(bytes);
  fetch_and_wait(store, "http://h/logo.png", NULL, &second);
  EXPECT_INT(LIVERY_FETCH_FROM_STORE, second.source);
  EXPECT_TEXT(first.id, second.id);
  EXPECT(second.length == first.length && second.received == 0 && second.http_status == 0);
  EXPECT_INT(1, script.requests);
  EXPECT_TEXT("http://h/logo.png", script.urls[0]);
  OK(livery_close(store));
  wait_until(&script.destroyed, 1);
}

TEST("what is not modified moves no body and makes no commit", not_modified) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  add_answer(&script, (answer){.status = 200, .headers = "ETag: W/\"1\"", .image = "rgba.png"});
  add_answer(&script, (answer){.status = 304, .headers = "Cache-Control: max-age=60"});
  outcome first = {0}, second = {0}, third = {0};
  fetch_and_wait(store, "http://h/a", NULL, &first);
  uint64_t before = 0, after = 0;
  OK(livery_revision(store, &before));
  fetch_and_wait(store, "http://h/a", NULL, &second);
  EXPECT_INT(LIVERY_FETCH_REVALIDATED, second.source);
  EXPECT(second.received == 0 && second.length == first.length);
  EXPECT_TEXT("W/\"1\"", script.conditions[1]);
  EXPECT_TEXT("", script.conditions[0]);
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  fetch_and_wait(store, "http://h/a", NULL, &third);
  EXPECT_INT(LIVERY_FETCH_FROM_STORE, third.source);
  EXPECT_INT(2, script.requests);
  OK(livery_close(store));
}

TEST("a failing network hands out what is stored; must-revalidate forbids it; a placeholder takes its place", failing) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  char placeholder[LIVERY_ASSET_ID_SIZE];
  size_t length = 0;
  char *bytes = fixture_image("still.gif", &length);
  OK(livery_asset_put(store, bytes, length, 0, placeholder));
  free(bytes);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.attempts = 1;
  options.placeholder = placeholder;
  outcome outcomes[6] = {0};
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .image = "rgba.png"});
  add_answer(&script, (answer){.ends = LIVERY_ERROR_NETWORK, .message = "no route"});
  add_answer(&script, (answer){.status = 503});
  add_answer(&script, (answer){.status = 404});
  fetch_and_wait(store, "http://h/a", &options, &outcomes[0]);
  for (int index = 1; index < 3; index++) {
    fetch_and_wait(store, "http://h/a", &options, &outcomes[index]);
    EXPECT_INT(LIVERY_OK, outcomes[index].status);
    EXPECT_INT(LIVERY_FETCH_STALE, outcomes[index].state);
    EXPECT_TEXT(outcomes[0].id, outcomes[index].id);
    EXPECT_CONTAINS(index == 1 ? "no route" : "503", outcomes[index].message);
  }
  fetch_and_wait(store, "http://h/a", &options, &outcomes[3]);
  EXPECT_INT(LIVERY_ERROR_NOT_FOUND, outcomes[3].status);
  EXPECT_INT(LIVERY_FETCH_PLACEHOLDER, outcomes[3].state);
  EXPECT_TEXT(placeholder, outcomes[3].id);
  EXPECT(outcomes[3].length == length);
  add_answer(&script, (answer){.status = 200, .headers = "Cache-Control: must-revalidate, max-age=0", .image = "rgba.png"});
  add_answer(&script, (answer){.ends = LIVERY_ERROR_NETWORK});
  fetch_and_wait(store, "http://h/b", &options, &outcomes[4]);
  fetch_and_wait(store, "http://h/b", &options, &outcomes[5]);
  EXPECT_INT(LIVERY_OK, outcomes[4].status);
  EXPECT_INT(LIVERY_ERROR_NETWORK, outcomes[5].status);
  EXPECT_INT(LIVERY_FETCH_PLACEHOLDER, outcomes[5].state);
  OK(livery_close(store));
}

TEST("who is offline gets what is stored, and otherwise nothing", offline) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_OFFLINE;
  outcome outcomes[3] = {0};
  fetch_and_wait(store, "http://h/a", &options, &outcomes[0]);
  EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, outcomes[0].status);
  add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
  fetch_and_wait(store, "http://h/a", NULL, &outcomes[1]);
  fetch_and_wait(store, "http://h/a", &options, &outcomes[2]);
  EXPECT_INT(LIVERY_FETCH_STALE, outcomes[2].state);
  EXPECT_TEXT(outcomes[1].id, outcomes[2].id);
  EXPECT_INT(1, script.requests);
  OK(livery_close(store));
}

TEST("a document is any bytes, and is no image for who wants one; what may not be kept is handed out alone", documents) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  outcome outcomes[4] = {0};
  const char *json = "Content-Type: application/json; charset=utf-8\nCache-Control: max-age=60";
  add_answer(&script, (answer){.status = 200, .headers = json, .body = "{}"});
  add_answer(&script, (answer){.status = 200, .headers = json, .body = "{}"});
  add_answer(&script, (answer){.status = 200, .headers = "Cache-Control: no-store\nContent-Type: text/plain", .body = "secret"});
  add_answer(&script, (answer){.status = 200, .headers = "Content-Type: image/png", .body = "no image"});
  fetch_and_wait(store, "http://h/a", &options, &outcomes[0]);
  EXPECT_TEXT("application/json", outcomes[0].type);
  EXPECT(outcomes[0].length == 2 && memcmp(outcomes[0].data, "{}", 2) == 0);
  fetch_and_wait(store, "http://h/a", NULL, &outcomes[1]);
  EXPECT_INT(LIVERY_ERROR_PARSE, outcomes[1].status);
  fetch_and_wait(store, "http://h/b", &options, &outcomes[2]);
  EXPECT_INT(LIVERY_OK, outcomes[2].status);
  EXPECT(outcomes[2].length == 6 && !outcomes[2].id[0]);
  EXPECT_TEXT("text/plain", outcomes[2].type);
  options.kind = LIVERY_FETCH_ANY;
  fetch_and_wait(store, "http://h/c", &options, &outcomes[3]);
  EXPECT_INT(LIVERY_ERROR_PARSE, outcomes[3].status);
  livery_value *assets = NULL;
  OK(livery_asset_list(store, &assets));
  size_t count = 0;
  OK(livery_value_count(assets, &count));
  EXPECT_INT(1, count);
  livery_value_release(assets);
  OK(livery_close(store));
}

TEST("an answer that breaks off is resumed where the server lets it, and tried anew where not", resumed) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  outcome outcomes[3] = {0};
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"\nContent-Length: 10", .body = "01234", .ends = LIVERY_ERROR_NETWORK});
  add_answer(&script, (answer){.status = 206, .headers = "ETag: \"1\"\nContent-Range: bytes 5-9/10", .body = "56789"});
  fetch_and_wait(store, "http://h/a", &options, &outcomes[0]);
  EXPECT(outcomes[0].length == 10 && memcmp(outcomes[0].data, "0123456789", 10) == 0);
  EXPECT(outcomes[0].received == 10);
  EXPECT_TEXT("bytes=5-", script.ranges[1]);
  EXPECT_TEXT("\"1\"", script.if_ranges[1]);
  // The rest of another body, and one that is not there any more.
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"\nContent-Length: 10", .body = "01234", .ends = LIVERY_ERROR_NETWORK});
  add_answer(&script, (answer){.status = 206, .headers = "ETag: \"2\"\nContent-Range: bytes 5-9/10", .body = "xxxxx"});
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"2\"", .body = "abc"});
  fetch_and_wait(store, "http://h/b", &options, &outcomes[1]);
  EXPECT(outcomes[1].length == 3 && memcmp(outcomes[1].data, "abc", 3) == 0);
  EXPECT_TEXT("", script.ranges[4]);
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"\nContent-Length: 10", .body = "01234", .ends = LIVERY_ERROR_NETWORK});
  add_answer(&script, (answer){.status = 416});
  add_answer(&script, (answer){.status = 200, .body = "abc"});
  fetch_and_wait(store, "http://h/c", &options, &outcomes[2]);
  EXPECT(outcomes[2].length == 3);
  EXPECT_INT(8, script.requests);
  OK(livery_close(store));
}

TEST("what nobody has told the size of is not taken for whole because a part of it has come", unknown_size) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  outcome outcomes[2] = {0};
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .body = "01234", .ends = LIVERY_ERROR_NETWORK});
  add_answer(&script, (answer){.status = 206, .headers = "ETag: \"1\"\nContent-Range: bytes 5-9/*", .body = "56789"});
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .body = "0123456789abcde"});
  fetch_and_wait(store, "http://h/a", &options, &outcomes[0]);
  EXPECT_INT(LIVERY_OK, outcomes[0].status);
  EXPECT(outcomes[0].length == 15 && memcmp(outcomes[0].data, "0123456789abcde", 15) == 0);
  EXPECT_TEXT("bytes=5-", script.ranges[1]);
  EXPECT_TEXT("", script.ranges[2]);
  // The size may be told later, also by a part that breaks off in turn.
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .body = "01234", .ends = LIVERY_ERROR_NETWORK});
  add_answer(&script, (answer){.status = 206, .headers = "ETag: \"1\"\nContent-Range: bytes 5-9/10", .body = "56", .ends = LIVERY_ERROR_NETWORK});
  add_answer(&script, (answer){.status = 206, .headers = "ETag: \"1\"\nContent-Range: bytes 7-9/*", .body = "789"});
  fetch_and_wait(store, "http://h/b", &options, &outcomes[1]);
  EXPECT(outcomes[1].length == 10 && memcmp(outcomes[1].data, "0123456789", 10) == 0);
  EXPECT_INT(6, script.requests);
  OK(livery_close(store));
}

TEST("redirects are followed, and what is kept of them is what they allow", redirected) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  outcome outcomes[3] = {0};
  add_answer(&script, (answer){.status = 302, .headers = "Location: ../b?x=1#y"});
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"\nCache-Control: max-age=600", .image = "rgba.png"});
  add_answer(&script, (answer){.status = 302, .headers = "Location: //h/dir/b?x=1"});
  add_answer(&script, (answer){.status = 304});
  fetch_and_wait(store, "http://h/dir/deep/a", NULL, &outcomes[0]);
  EXPECT_INT(LIVERY_OK, outcomes[0].status);
  EXPECT_TEXT("http://h/dir/b?x=1", script.urls[1]);
  // The redirect says nothing of how long it counts: it is asked for again, and what it leads to conditionally.
  fetch_and_wait(store, "http://h/dir/deep/a", NULL, &outcomes[1]);
  EXPECT_INT(LIVERY_FETCH_FROM_NETWORK, outcomes[0].source);
  EXPECT_INT(LIVERY_FETCH_REVALIDATED, outcomes[1].source);
  EXPECT_INT(4, script.requests);
  EXPECT_TEXT("", script.conditions[2]);
  EXPECT_TEXT("\"1\"", script.conditions[3]);
  add_answer(&script, (answer){.status = 301, .headers = "Location: http://h/c"});
  fetch_and_wait(store, "https://h/s", NULL, &outcomes[2]);
  EXPECT_INT(LIVERY_ERROR_REFUSED, outcomes[2].status);
  EXPECT_CONTAINS("from https to http", outcomes[2].message);
  OK(livery_close(store));
}

TEST("what a redirect says of how long it counts holds for what it leads to", cautious) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  options.attempts = 1;
  // It says nothing: nobody is handed what is behind it before it was asked for again.
  outcome outcomes[8] = {0};
  add_answer(&script, (answer){.status = 302, .headers = "Location: /a2"});
  add_answer(&script, (answer){.status = 200, .headers = "Cache-Control: max-age=0, stale-while-revalidate=1000\nETag: \"1\"", .body = "{}"});
  add_answer(&script, (answer){.status = 302, .headers = "Location: /a2"});
  add_answer(&script, (answer){.status = 304});
  for (int round = 0; round < 2; round++) fetch_and_wait(store, "http://h/a", &options, &outcomes[round]);
  EXPECT_INT(LIVERY_FETCH_REVALIDATED, outcomes[1].source);
  // It forbids what is behind it to be used where the network fails.
  static const char *const forbidding[] = {"Location: /b2\nCache-Control: must-revalidate", "Location: /c2\nCache-Control: stale-if-error=0"};
  for (int number = 0; number < 2; number++) {
    add_answer(&script, (answer){.status = 302, .headers = forbidding[number]});
    add_answer(&script, (answer){.status = 200, .headers = "Cache-Control: max-age=1000\nETag: \"1\"", .body = "{}"});
    add_answer(&script, (answer){.ends = LIVERY_ERROR_NETWORK});
    for (int round = 0; round < 2; round++)
      fetch_and_wait(store, number ? "http://h/c" : "http://h/b", &options, &outcomes[2 + 2 * number + round]);
    EXPECT_INT(LIVERY_OK, outcomes[2 + 2 * number].status);
    EXPECT_INT(LIVERY_ERROR_NETWORK, outcomes[3 + 2 * number].status);
  }
  // It is not to be stored, nor where it leads.
  for (int round = 0; round < 2; round++) {
    add_answer(&script, (answer){.status = 301, .headers = "Cache-Control: no-store\nLocation: /d2?token=TOKEN"});
    add_answer(&script, (answer){.status = 200, .headers = "Cache-Control: max-age=1000", .body = "{}"});
    fetch_and_wait(store, "http://h/d", &options, &outcomes[6 + round]);
    EXPECT_INT(LIVERY_OK, outcomes[6 + round].status);
    EXPECT_INT(LIVERY_FETCH_FROM_NETWORK, outcomes[6 + round].source);
  }
  char *text = NULL;
  OK(livery_export_json(store, LIVERY_EXPORT_LAYERS, &text, NULL));
  EXPECT(text && !strstr(text, "TOKEN"));
  livery_free(text);
  OK(livery_close(store));
}

TEST("what was resumed is what its beginning said", beginning) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  static const char *const begin = "ETag: \"1\"\nContent-Type: %s\nLast-Modified: Mon, 01 Jan 2024 00:00:00 GMT\nContent-Length: 10";
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  outcome outcomes[3] = {0};
  char heads[2][200];
  for (int number = 0; number < 2; number++) {
    snprintf(heads[number], sizeof heads[number], begin, number ? "image/png" : "application/json");
    add_answer(&script, (answer){.status = 200, .headers = heads[number], .body = "[1,2", .ends = LIVERY_ERROR_NETWORK});
    add_answer(&script, (answer){.status = 206, .headers = "ETag: \"1\"\nContent-Range: bytes 4-9/10", .body = ",3,44]"});
    options.kind = number ? LIVERY_FETCH_ANY : LIVERY_FETCH_DOCUMENT;
    fetch_and_wait(store, number ? "http://h/b" : "http://h/a", &options, &outcomes[number]);
  }
  EXPECT_INT(LIVERY_OK, outcomes[0].status);
  EXPECT_TEXT("application/json", outcomes[0].type);
  EXPECT_INT(10, outcomes[0].length);
  // It has not changed for long: it is fresh for a while.
  options.kind = LIVERY_FETCH_DOCUMENT;
  fetch_and_wait(store, "http://h/a", &options, &outcomes[2]);
  EXPECT_INT(LIVERY_FETCH_FROM_STORE, outcomes[2].source);
  // It is called an image, and is none.
  EXPECT_INT(LIVERY_ERROR_PARSE, outcomes[1].status);
  OK(livery_close(store));
}

TEST("what is evicted while the server is asked whether it is new is fetched", evicted) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  outcome outcomes[3] = {0};
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .body = "{\"a\": 1}"});
  fetch_and_wait(store, "http://h/a", &options, &outcomes[0]);
  script.holds = true;
  OK(livery_fetch_start(store, "http://h/a", &options, note_done, &outcomes[1], note_destroyed, NULL));
  wait_until(&script.held_count, 1);
  script.holds = false;
  // The second answer is that of the request which is held.
  add_answer(&script, (answer){.status = 304});
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"2\"", .body = "[1,2,3,4]"});
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .body = "{\"a\": 1}"});
  options.quota = 12;
  fetch_and_wait(store, "http://h/b", &options, &outcomes[2]);
  OK(livery_fetch_answer(script.held[0], 304, NULL, 0));
  finish_held(&script);
  wait_for(&outcomes[1]);
  EXPECT_INT(LIVERY_OK, outcomes[1].status);
  EXPECT_INT(LIVERY_FETCH_FROM_NETWORK, outcomes[1].source);
  EXPECT_TEXT("", script.conditions[3]);
  EXPECT_INT(8, outcomes[1].length);
  OK(livery_close(store));
}

TEST("a store that was opened by a relative path has its leases wherever the process goes", moved) {
  char folder[500], here[500];
  snprintf(folder, sizeof folder, "%s", fresh_path());
  EXPECT(getcwd(here, sizeof here) != NULL && mkdir(folder, 0700) == 0 && chdir(folder) == 0);
  livery_store *store = open_store("store");
  EXPECT(chdir("/") == 0);
  SCRIPT(script, false);
  use_script(store, &script);
  outcome outcome = {0};
  add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
  fetch_and_wait(store, "http://h/a", NULL, &outcome);
  EXPECT_INT(LIVERY_OK, outcome.status);
  char lease[600];
  snprintf(lease, sizeof lease, "%s/store/fetch.lock", folder);
  EXPECT(access(lease, F_OK) == 0);
  OK(livery_close(store));
  EXPECT(chdir(here) == 0);
}

TEST("cancelling is told once, where the outcome would have been; others go on", cancelled) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, true);
  use_script(store, &script);
  outcome outcome = {0}, dispatched = {0};
  livery_fetch *fetch = NULL;
  REQUIRE_OK(livery_fetch_start(store, "http://h/a", NULL, note_done, &outcome, note_destroyed, &fetch));
  wait_until(&script.held_count, 1);
  OK(livery_fetch_cancel(fetch));
  wait_for(&outcome);
  EXPECT_INT(LIVERY_ERROR_CANCELLED, outcome.status);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_fetch_cancel(fetch));
  OK(livery_fetch_cancel(NULL));
  wait_until(&script.cancelled, 1);
  // The transport learns it from each of the functions.
  EXPECT_STATUS(LIVERY_ERROR_CANCELLED, livery_fetch_answer(script.held[0], 200, NULL, 0));
  EXPECT_STATUS(LIVERY_ERROR_CANCELLED, livery_fetch_receive(script.held[0], "x", 1));
  OK(livery_fetch_finish(script.held[0], LIVERY_ERROR_CANCELLED, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_fetch_finish(script.held[0], LIVERY_OK, NULL));
  // Dispatched: nobody is told before.
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_DISPATCH;
  REQUIRE_OK(livery_fetch_start(store, "http://h/b", &options, note_done, &dispatched, note_destroyed, &fetch));
  OK(livery_fetch_cancel(fetch));
  usleep(20000);
  EXPECT_INT(0, dispatched.done);
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(1, dispatched.done);
  EXPECT_INT(1, dispatched.destroyed);
  EXPECT(pthread_equal(dispatched.thread, pthread_self()));
  finish_held(&script);
  OK(livery_close(store));
}

TEST("closing the store ends what is under way, and is told once", closed) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, true);
  use_script(store, &script);
  outcome outcomes[20] = {0};
  for (size_t index = 0; index < COUNT(outcomes); index++) {
    char url[40];
    snprintf(url, sizeof url, "http://h/%zu", index % 7);
    REQUIRE_OK(livery_fetch_start(store, url, NULL, note_done, &outcomes[index], note_destroyed, NULL));
  }
  wait_until(&script.held_count, 7);
  OK(livery_close(store));
  for (size_t index = 0; index < COUNT(outcomes); index++) {
    EXPECT_INT(1, outcomes[index].done);
    EXPECT_INT(1, outcomes[index].destroyed);
    EXPECT_INT(LIVERY_ERROR_CLOSED, outcomes[index].status);
  }
  EXPECT_INT(0, script.destroyed);
  finish_held(&script);
  wait_until(&script.destroyed, 1);
}

TEST("many that want the same at once are served by one request", together) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, true);
  use_script(store, &script);
  outcome outcomes[30] = {0};
  for (size_t index = 0; index < COUNT(outcomes); index++)
    REQUIRE_OK(livery_fetch_start(store, "http://h/same", NULL, note_done, &outcomes[index], note_destroyed, NULL));
  wait_until(&script.held_count, 1);
  size_t length = 0;
  char *bytes = fixture_image("rgba.png", &length);
  OK(livery_fetch_answer(script.held[0], 200, NULL, 0));
  OK(livery_fetch_receive(script.held[0], bytes, length));
  finish_held(&script);
  free(bytes);
  for (size_t index = 0; index < COUNT(outcomes); index++) {
    wait_for(&outcomes[index]);
    EXPECT_INT(LIVERY_FETCH_READY, outcomes[index].state);
  }
  EXPECT_INT(1, script.requests);
  OK(livery_close(store));
}

TEST("what takes too long is told so, and waits as long as the server asks", slow) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.timeout_ms = 100;
  outcome outcomes[3] = {0};
  script.holds = true;
  add_answer(&script, (answer){.status = 0});
  fetch_and_wait(store, "http://h/a", &options, &outcomes[0]);
  EXPECT_INT(LIVERY_ERROR_TIMEOUT, outcomes[0].status);
  finish_held(&script);
  script.holds = false;
  // There is no time for what the server asks for: it is told at once.
  options.timeout_ms = 5000;
  add_answer(&script, (answer){.status = 503, .headers = "Retry-After: 10"});
  fetch_and_wait(store, "http://h/b", &options, &outcomes[1]);
  EXPECT_INT(LIVERY_ERROR_UNAVAILABLE, outcomes[1].status);
  add_answer(&script, (answer){.status = 503, .headers = "Retry-After: 1"});
  add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  fetch_and_wait(store, "http://h/c", &options, &outcomes[2]);
  clock_gettime(CLOCK_MONOTONIC, &after);
  EXPECT_INT(LIVERY_OK, outcomes[2].status);
  EXPECT((after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000 >= 1000);
  OK(livery_close(store));
}

TEST("wrong arguments are refused, and told to `done` and `destroy` here and now", arguments) {
  livery_store *store = open_store(fresh_path());
  static const char *const urls[] = {
    "", "h", "ftp://h/", "http://", "http://u:p@h/", "http://h/\x01", "http:///a", "http://h\\@x/", "file:///a"};
  for (size_t index = 0; index < COUNT(urls); index++) {
    outcome outcome = {0};
    EXPECT_STATUS(invalid, livery_fetch_start(store, urls[index], NULL, note_done, &outcome, note_destroyed, NULL));
    EXPECT_INT(1, outcome.done);
    EXPECT_INT(1, outcome.destroyed);
    EXPECT_INT(invalid, outcome.status);
    EXPECT_TEXT(urls[index], outcome.url);
  }
  outcome outcome = {0};
  EXPECT_STATUS(invalid, livery_fetch_start(NULL, "http://h/", NULL, note_done, &outcome, note_destroyed, NULL));
  EXPECT_STATUS(invalid, livery_fetch_start(store, NULL, NULL, note_done, &outcome, note_destroyed, NULL));
  EXPECT_INT(2, outcome.destroyed);
  EXPECT_STATUS(invalid, livery_fetch_start(store, "http://h/", NULL, NULL, &outcome, note_destroyed, NULL));
  EXPECT_INT(2, outcome.done);
  EXPECT_INT(3, outcome.destroyed);
  livery_fetch_options wrong[] = {
    {.struct_size = 3}, {.flags = 8}, {.kind = 4}, {.kind = -1}, {.max_size = LIVERY_ASSET_MAX + 1}, {.timeout_ms = 86400001},
    {.attempts = 101}, {.placeholder = "x"}, {.ca_file = "\xff"}, {.flags = LIVERY_FETCH_OFFLINE | LIVERY_FETCH_REVALIDATE},
    {.quota = UINT64_MAX}};
  for (size_t index = 0; index < COUNT(wrong); index++) {
    if (!wrong[index].struct_size) wrong[index].struct_size = sizeof wrong[index];
    EXPECT_STATUS(invalid, livery_fetch_start(store, "http://h/", &wrong[index], note_done, &outcome, note_destroyed, NULL));
  }
  livery_fetch_transport without = {sizeof without, NULL, NULL};
  EXPECT_STATUS(invalid, livery_fetch_set_transport(store, &without, &outcome, note_destroyed));
  EXPECT_STATUS(invalid, livery_fetch_set_transport(NULL, NULL, NULL, NULL));
  EXPECT_STATUS(invalid, livery_fetch_answer(NULL, 200, NULL, 0));
  EXPECT_STATUS(invalid, livery_fetch_receive(NULL, NULL, 0));
  EXPECT_STATUS(invalid, livery_fetch_finish(NULL, 0, NULL));
  SCRIPT(script, true);
  use_script(store, &script);
  OK(livery_fetch_start(store, "http://h/", NULL, note_done, &outcome, note_destroyed, NULL));
  wait_until(&script.held_count, 1);
  livery_fetch_exchange *held = script.held[0];
  livery_fetch_header half = {"Name", NULL};
  EXPECT_STATUS(invalid, livery_fetch_receive(held, "x", 1));
  EXPECT_STATUS(invalid, livery_fetch_answer(held, 199, NULL, 0));
  EXPECT_STATUS(invalid, livery_fetch_answer(held, 600, NULL, 0));
  EXPECT_STATUS(invalid, livery_fetch_answer(held, 200, NULL, 1));
  EXPECT_STATUS(invalid, livery_fetch_answer(held, 200, &half, 1));
  EXPECT_STATUS(invalid, livery_fetch_answer(held, 200, &half, 1001));
  EXPECT_STATUS(invalid, livery_fetch_answer(held, 200, &half, SIZE_MAX));
  OK(livery_fetch_answer(held, 200, NULL, 0));
  EXPECT_STATUS(invalid, livery_fetch_answer(held, 200, NULL, 0));
  EXPECT_STATUS(invalid, livery_fetch_receive(held, NULL, 1));
  EXPECT_STATUS(invalid, livery_fetch_receive(held, "x", SIZE_MAX));
  OK(livery_fetch_receive(held, "x", 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_fetch_receive(held, "x", SIZE_MAX / 2));
  EXPECT_STATUS(invalid, livery_fetch_finish(held, 1, NULL));
  finish_held(&script);
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_fetch_start(store, "http://h/", NULL, note_done, &outcome, note_destroyed, NULL));
}

TEST("the fetched stay below the quota: what was not used for longest goes, what a setting shows never", quota) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  options.quota = 250;
  outcome outcomes[5] = {0};
  for (int index = 0; index < 5; index++) {
    char body[101], url[20];
    memset(body, 'a' + index, 100);
    body[100] = 0;
    snprintf(url, sizeof url, "http://h/%d", index);
    add_answer(&script, (answer){.status = 200, .body = body});
    fetch_and_wait(store, url, &options, &outcomes[index]);
    EXPECT_INT(LIVERY_OK, outcomes[index].status);
    if (index > 0) continue;
    livery_value *image = NULL;
    OK(livery_value_make_image(outcomes[0].id, LIVERY_ZERO_TERMINATED, &image));
    livery_value *variant = NULL;
    char json[200];
    snprintf(json, sizeof json, "{\"image\": \"%s\"}", outcomes[0].id);
    OK(livery_value_from_json(json, LIVERY_ZERO_TERMINATED, &variant));
    OK(livery_branding_set_image(store, LIVERY_LAYER_BUNDLE, "logo", variant));
    livery_value_release(variant);
    livery_value_release(image);
    sleep(1);
  }
  livery_value *info = NULL;
  OK(livery_asset_info(store, outcomes[0].id, &info));
  livery_value_release(info);
  for (int index = 1; index < 4; index++) EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_info(store, outcomes[index].id, &info));
  OK(livery_asset_info(store, outcomes[4].id, &info));
  livery_value_release(info);
  OK(livery_close(store));
}

static void set_entry(livery_store *store, const char *name, const char *id, int64_t bytes) {
  static const char *const keys[] = {"url", "image", "bytes", "fetched"};
  livery_value *members[4] = {NULL}, *entry = NULL;
  OK(livery_value_make_string("http://h/other", LIVERY_ZERO_TERMINATED, &members[0]));
  OK(livery_value_make_string(id, LIVERY_ZERO_TERMINATED, &members[1]));
  OK(livery_value_make_int(bytes, &members[2]));
  OK(livery_value_make_date(0, &members[3]));
  OK(livery_value_make_object(keys, members, 4, &entry));
  OK(livery_set_value(store, LIVERY_LAYER_BUNDLE, name, entry));
  for (int index = 0; index < 4; index++) livery_value_release(members[index]);
  livery_value_release(entry);
}

TEST("what others have written of bodies that are larger than can be counts for nothing", mangled) {
  livery_store *store = open_store(fresh_path());
  // Before anything was fetched the settings are anybody's.
  set_entry(store, "fetch.a", "00000000000000000000000000000001", INT64_MAX);
  set_entry(store, "fetch.b", "10000000000000000000000000000000", INT64_MAX);
  SCRIPT(script, false);
  use_script(store, &script);
  add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
  outcome outcome = {0};
  fetch_and_wait(store, "http://h/a", NULL, &outcome);
  EXPECT_INT(LIVERY_OK, outcome.status);
  OK(livery_close(store));
}

static livery_store *parents_store;

static void in_child(void) {
  outcome refused = {0}, outcome = {0};
  EXPECT_STATUS(LIVERY_ERROR_FORKED, livery_fetch_start(parents_store, "http://h/", NULL, note_done, &refused, note_destroyed, NULL));
  EXPECT_INT(1, refused.destroyed);
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  add_answer(&script, (answer){.status = 200, .image = "rgba.png"});
  fetch_and_wait(store, "http://h/a", NULL, &outcome);
  EXPECT_INT(LIVERY_OK, outcome.status);
  OK(livery_close(store));
}

TEST("a forked child has nothing of its parent's, and fetches for itself", forked) {
  parents_store = open_store(fresh_path());
  SCRIPT(script, true);
  use_script(parents_store, &script);
  outcome outcome = {0};
  OK(livery_fetch_start(parents_store, "http://h/a", NULL, note_done, &outcome, note_destroyed, NULL));
  wait_until(&script.held_count, 1);
  IN_CHILD(in_child);
  finish_held(&script);
  OK(livery_close(parents_store));
}

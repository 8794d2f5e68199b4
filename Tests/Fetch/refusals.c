// How a fetch fails, and what is handed out then.
#include "fixture.h"
#include "scripted.h"

typedef struct refusal {
  const char *what;
  answer answer;
  livery_status status;
  const char *message;
} refusal;

TEST("each way to fail has its own status and message, and leaves nothing behind", refusals) {
  static const refusal refusals[] = {
    {"not there", {.status = 404}, LIVERY_ERROR_NOT_FOUND, "404"},
    {"gone", {.status = 410}, LIVERY_ERROR_NOT_FOUND, "410"},
    {"forbidden", {.status = 403}, LIVERY_ERROR_REFUSED, "403"},
    {"broken server", {.status = 500}, LIVERY_ERROR_UNAVAILABLE, "500"},
    {"not implemented", {.status = 501}, LIVERY_ERROR_UNAVAILABLE, "501"},
    {"too many", {.status = 429}, LIVERY_ERROR_UNAVAILABLE, "429"},
    {"empty", {.status = 200}, LIVERY_ERROR_INVALID_VALUE, "empty"},
    {"no image", {.status = 200, .headers = "Content-Type: image/png", .body = "hello"}, LIVERY_ERROR_PARSE, "http://h/"},
    {"damaged", {.status = 200, .body = "\x89PNG\r\n\x1a\n"}, LIVERY_ERROR_PARSE, "http://h/"},
    {"cut short", {.status = 200, .headers = "Content-Length: 100", .body = "hello"}, LIVERY_ERROR_NETWORK, "breaks off after 5 of 100"},
    {"a part", {.status = 206, .headers = "Content-Range: bytes 0-4/9", .body = "hello"}, LIVERY_ERROR_NETWORK, "another part"},
    {"nothing new", {.status = 304}, LIVERY_ERROR_NETWORK, "nothing is new"},
    {"nowhere", {.status = 302}, LIVERY_ERROR_NETWORK, "nowhere"},
    {"to a file", {.status = 302, .headers = "Location: file:///etc/passwd"}, LIVERY_ERROR_REFUSED, "nobody may go"},
    {"in circles", {.status = 302, .headers = "Location: /again", .repeats = 9}, LIVERY_ERROR_REFUSED, "more than 5"},
    {"unreachable", {.ends = LIVERY_ERROR_NETWORK, .message = "no route"}, LIVERY_ERROR_NETWORK, "no route"},
    {"too slow", {.ends = LIVERY_ERROR_TIMEOUT}, LIVERY_ERROR_TIMEOUT, "LIVERY_ERROR_TIMEOUT"},
    {"not taken", {.refuses = LIVERY_ERROR_PERMISSION, .message = "no radio"}, LIVERY_ERROR_PERMISSION, "no radio"},
    {"without a head", {.is_headless = true}, LIVERY_ERROR_NETWORK, "without a head"},
    {"too large", {.status = 200, .image = "rgba.png", .repeats = 1000}, LIVERY_ERROR_INVALID_VALUE, "larger than 100"},
    {"an error page that is too large", {.status = 503, .image = "rgba.png"}, LIVERY_ERROR_UNAVAILABLE, "503"},
    {"one said to be too large", {.status = 404, .headers = "Content-Length: 101", .body = "x"}, LIVERY_ERROR_NOT_FOUND, "404"},
    {"a page that is too large, to a file", {.status = 302, .headers = "Location: file:///a", .image = "rgba.png"}, LIVERY_ERROR_REFUSED, "nobody may go"},
    {"said to be too large", {.status = 200, .headers = "Content-Length: 101", .body = "x"}, LIVERY_ERROR_INVALID_VALUE, "larger than 100"},
  };
  for (size_t index = 0; index < COUNT(refusals); index++) {
    const refusal *refusal = &refusals[index];
    livery_store *store = open_store(fresh_path());
    SCRIPT(script, false);
    use_script(store, &script);
    int repeats = refusal->answer.repeats > 0 && refusal->answer.status == 302 ? refusal->answer.repeats : 1;
    for (int count = 0; count < repeats; count++) add_answer(&script, refusal->answer);
    livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
    options.attempts = 1;
    if (strstr(refusal->what, "too large")) options.max_size = 100;
    outcome outcome = {0};
    fetch_and_wait(store, "http://h/x", &options, &outcome);
    if (outcome.status != refusal->status) check_fail(__FILE__, __LINE__, "%s: %d, %s", refusal->what, outcome.status, outcome.message);
    EXPECT_CONTAINS(refusal->message, outcome.message);
    EXPECT_INT(refusal->answer.status, outcome.http_status);
    EXPECT_INT(LIVERY_FETCH_FAILED, outcome.state);
    EXPECT_INT(LIVERY_FETCH_FROM_NOWHERE, outcome.source);
    EXPECT(outcome.length == 0 && !outcome.id[0]);
    livery_value *assets = NULL;
    OK(livery_asset_list(store, &assets));
    EXPECT_JSON("[]", assets);
    OK(livery_close(store));
  }
}

TEST("a server that fails with a page larger than may be has what is stored handed out, as with a short one", stale_by_page) {
  livery_store *store = open_store(fresh_path());
  SCRIPT(script, false);
  use_script(store, &script);
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.kind = LIVERY_FETCH_DOCUMENT;
  options.attempts = 1;
  options.max_size = 100;
  outcome outcomes[3] = {0};
  add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .body = "{}"});
  add_answer(&script, (answer){.status = 503, .image = "rgba.png"});
  add_answer(&script, (answer){.status = 302, .headers = "Location: /b", .image = "rgba.png"});
  add_answer(&script, (answer){.status = 200, .body = "[]"});
  for (int index = 0; index < 3; index++) fetch_and_wait(store, "http://h/a", &options, &outcomes[index]);
  EXPECT_INT(LIVERY_FETCH_STALE, outcomes[1].state);
  EXPECT_INT(503, outcomes[1].http_status);
  EXPECT(outcomes[1].length == 2 && memcmp(outcomes[1].data, "{}", 2) == 0);
  EXPECT_INT(LIVERY_OK, outcomes[2].status);
  EXPECT(outcomes[2].length == 2 && memcmp(outcomes[2].data, "[]", 2) == 0);
  OK(livery_close(store));
}

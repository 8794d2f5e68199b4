// A client of the extension `fetch`: a transport of its own answers once, and then the store does without it.
#include <livery/fetch.h>
#include <stdio.h>
#include <string.h>

static const char document[] = "{}";
static int requests;

static livery_status answer(const livery_fetch_request *request, livery_fetch_exchange *exchange, void *user_data) {
  livery_fetch_header fields[] = {{"Content-Type", "application/json"}, {"Cache-Control", "max-age=600"}};
  (void)request, (void)user_data;
  requests++;
  livery_fetch_answer(exchange, 200, fields, 2);
  livery_fetch_receive(exchange, document, strlen(document));
  return livery_fetch_finish(exchange, LIVERY_OK, NULL);
}

static void done(const livery_fetch_result *result, void *user_data) {
  int *good = user_data;
  if (result->status != LIVERY_OK) fprintf(stderr, "%s\n", result->message);
  *good += result->status == LIVERY_OK && result->length == strlen(document) && memcmp(result->data, document, result->length) == 0;
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]), 2;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_fetch_options wish = LIVERY_FETCH_OPTIONS_INIT;
  livery_fetch_transport transport = {sizeof transport, answer, NULL};
  livery_store *store = NULL;
  int good = 0;
  options.flags = LIVERY_OPEN_CREATE;
  wish.flags = LIVERY_FETCH_DISPATCH;
  wish.kind = LIVERY_FETCH_DOCUMENT;
  if (livery_open(argv[1], &options, &store) != LIVERY_OK
      || livery_fetch_set_transport(store, &transport, NULL, NULL) != LIVERY_OK)
    return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  for (int wanted = 1; wanted <= 2; wanted++) {
    if (livery_fetch_start(store, "https://example.com/x.json", &wish, done, &good, NULL, NULL) != LIVERY_OK)
      return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
    while (good < wanted && livery_dispatch(store, NULL) == LIVERY_OK) continue;
  }
  return livery_close(store) == LIVERY_OK && requests == 1 ? 0 : 1;
}

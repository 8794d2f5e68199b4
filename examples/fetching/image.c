// Fetches one image, or with `--mock` takes a transport that needs no network: image STORE URL [--mock]
#include <livery/fetch.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

static const unsigned char gif[] = "GIF89a\1\0\1\0\200\0\0\0\0\0\377\377\377,\0\0\0\0\1\0\1\0\0\2\2D\1\0;";

static livery_status answer(const livery_fetch_request *request, livery_fetch_exchange *exchange, void *user_data) {
  (void)request, (void)user_data;
  livery_fetch_header fields[] = {{"ETag", "\"1\""}, {"Cache-Control", "max-age=600"}};
  livery_fetch_answer(exchange, 200, fields, 2);
  livery_fetch_receive(exchange, gif, sizeof gif - 1);
  return livery_fetch_finish(exchange, LIVERY_OK, NULL);
}

static void done(const livery_fetch_result *result, void *user_data) {
  if (result->status == LIVERY_OK) printf("%s %s, %zu bytes\n", result->id, result->type, result->length);
  else fprintf(stderr, "%s\n", result->message);
  *(livery_status *)user_data = result->status;
}

int main(int count, char **words) {
  if (count < 3) return fprintf(stderr, "image STORE URL [--mock]\n"), 2;
  livery_store *store = NULL;
  livery_open_options open = LIVERY_OPEN_OPTIONS_INIT;
  open.flags = LIVERY_OPEN_CREATE;
  if (livery_open(words[1], &open, &store) != LIVERY_OK) return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  livery_fetch_transport mock = {sizeof mock, answer, NULL};
  if (count > 3 && strcmp(words[3], "--mock") == 0) livery_fetch_set_transport(store, &mock, NULL, NULL);

  // A program with a main loop: it is told where it dispatches.
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.flags = LIVERY_FETCH_DISPATCH;
  livery_status outcome = 1;
  int events = -1;
  livery_event_fd(store, &events);
  livery_fetch_start(store, words[2], &options, done, &outcome, NULL, NULL);
  while (outcome == 1) {
    struct pollfd wait = {events, POLLIN, 0};
    poll(&wait, 1, -1);
    livery_dispatch(store, NULL);
  }
  livery_close(store);
  return outcome == LIVERY_OK ? 0 : 1;
}

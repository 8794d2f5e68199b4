// A transport that answers by a script, and notes of what fetches were told.
#ifndef SCRIPTED_H
#define SCRIPTED_H

#include <livery/fetch.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

__attribute__((unused)) static char *fixture_image(const char *name, size_t *length) {
  char path[400];
  snprintf(path, sizeof path, "%s/images/%s", FIXTURES, name);
  return read_file(path, length);
}

// What the transport does with a request: an answer without a status is an end without one.
typedef struct answer {
  int status;
  // Lines `Name: value`.
  const char *headers;
  // The name of a fixture's image, or text.
  const char *image, *body;
  int repeats;
  bool is_headless;
  // How it ends, and what `begin` returns.
  livery_status ends, refuses;
  const char *message;
} answer;

typedef struct script {
  answer answers[40];
  char bodies[40][128];
  _Atomic int count;
  // Requests are kept until finish_held().
  bool holds;
  _Atomic int requests, held_count, cancelled, destroyed;
  // How often it was made a transport.
  int uses;
  livery_fetch_exchange *held[40];
  char urls[40][256], conditions[40][64], ranges[40][64], if_ranges[40][64];
} script;

__attribute__((unused)) static void add_answer(script *script, answer answer) {
  int place = script->count;
  if (answer.body) {
    snprintf(script->bodies[place], sizeof script->bodies[place], "%s", answer.body);
    answer.body = script->bodies[place];
  }
  script->answers[place] = answer;
  script->count++;
}

static void give(livery_fetch_exchange *exchange, const answer *answer) {
  if (answer->status) {
    char lines[512];
    livery_fetch_header headers[16];
    size_t count = 0;
    snprintf(lines, sizeof lines, "%s", answer->headers ? answer->headers : "");
    char *rest = lines;
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
      char *colon = strstr(line, ": ");
      *colon = 0;
      headers[count++] = (livery_fetch_header){line, colon + 2};
    }
    livery_fetch_answer(exchange, answer->status, headers, count);
    size_t length = answer->body ? strlen(answer->body) : 0;
    char *bytes = answer->image ? fixture_image(answer->image, &length) : NULL;
    if (length > 0) livery_fetch_receive(exchange, bytes ? bytes : answer->body, length);
    free(bytes);
  }
  livery_fetch_finish(exchange, answer->ends, answer->message);
}

static void note_header(char place[64], const livery_fetch_header *header, const char *name) {
  if (strcmp(header->name, name) == 0) snprintf(place, 64, "%s", header->value);
}

static livery_status script_begin(const livery_fetch_request *request, livery_fetch_exchange *exchange, void *user_data) {
  script *script = user_data;
  int number = script->requests;
  snprintf(script->urls[number], sizeof script->urls[number], "%s", request->url);
  for (size_t index = 0; index < request->header_count; index++) {
    note_header(script->conditions[number], &request->headers[index], "If-None-Match");
    note_header(script->ranges[number], &request->headers[index], "Range");
    note_header(script->if_ranges[number], &request->headers[index], "If-Range");
  }
  script->requests++;
  if (script->holds) {
    script->held[script->held_count] = exchange;
    script->held_count++;
    return LIVERY_OK;
  }
  if (number >= script->count) {
    livery_error_leave(LIVERY_ERROR_IO, "the script is over");
    return LIVERY_ERROR_IO;
  }
  const answer *answer = &script->answers[number];
  if (answer->refuses) {
    livery_error_leave(answer->refuses, answer->message);
    return answer->refuses;
  }
  give(exchange, answer);
  return LIVERY_OK;
}

static void script_cancel(livery_fetch_exchange *exchange, void *user_data) {
  (void)exchange;
  ((script *)user_data)->cancelled++;
}

static void script_destroyed(void *user_data) { ((script *)user_data)->destroyed++; }

__attribute__((unused)) static void use_script(livery_store *store, script *script) {
  livery_fetch_transport transport = {sizeof transport, script_begin, script_cancel};
  script->uses++;
  OK(livery_fetch_set_transport(store, &transport, script, script_destroyed));
}

__attribute__((unused)) static void finish_held(script *script) {
  for (int index = 0; index < script->held_count; index++) livery_fetch_finish(script->held[index], LIVERY_OK, NULL);
  // Who begins may be between the function and the end of its call.
  usleep(20000);
}

__attribute__((unused)) static void wait_until(_Atomic int *number, int wanted) {
  for (int tries = 0; tries < 5000 && *number < wanted; tries++) usleep(1000);
  EXPECT(*number >= wanted);
}

// A transport may be let go a moment after its store was closed: a script is there until then.
__attribute__((unused)) static void wait_for_script(script *script) { wait_until(&script->destroyed, script->uses); }
#define SCRIPT(name, is_holding) __attribute__((cleanup(wait_for_script))) struct script name = {.holds = is_holding}

// What a fetch was told.
typedef struct outcome {
  _Atomic int done, destroyed;
  livery_status status;
  livery_fetch_state state;
  livery_fetch_source source;
  int32_t http_status;
  char message[256], url[256], id[LIVERY_ASSET_ID_SIZE], type[64], etag[64], data[4096];
  size_t length;
  uint64_t received;
  int64_t fetched, fresh_until;
  pthread_t thread;
} outcome;

static void note_text(char *place, size_t size, const char *text) { snprintf(place, size, "%s", text ? text : ""); }

__attribute__((unused)) static void note_done(const livery_fetch_result *result, void *user_data) {
  outcome *outcome = user_data;
  EXPECT_INT(sizeof *result, result->struct_size);
  outcome->status = result->status;
  outcome->state = result->state;
  outcome->source = result->source;
  outcome->http_status = result->http_status;
  note_text(outcome->message, sizeof outcome->message, result->message);
  note_text(outcome->url, sizeof outcome->url, result->url);
  note_text(outcome->id, sizeof outcome->id, result->id);
  note_text(outcome->type, sizeof outcome->type, result->type);
  note_text(outcome->etag, sizeof outcome->etag, result->etag);
  outcome->length = result->length;
  if (result->data && result->length <= sizeof outcome->data) memcpy(outcome->data, result->data, result->length);
  outcome->received = result->received;
  outcome->fetched = result->fetched;
  outcome->fresh_until = result->fresh_until;
  outcome->thread = pthread_self();
  outcome->done++;
}

__attribute__((unused)) static void note_destroyed(void *user_data) {
  outcome *outcome = user_data;
  outcome->destroyed++;
}

__attribute__((unused)) static void wait_for(outcome *outcome) {
  for (int tries = 0; tries < 10000 && !outcome->destroyed; tries++) usleep(1000);
  EXPECT_INT(1, outcome->done);
  EXPECT_INT(1, outcome->destroyed);
}

__attribute__((unused)) static void fetch_and_wait(livery_store *store, const char *url, const livery_fetch_options *options,
                                                   outcome *outcome) {
  if (OK(livery_fetch_start(store, url, options, note_done, outcome, note_destroyed, NULL))) wait_for(outcome);
}

#endif

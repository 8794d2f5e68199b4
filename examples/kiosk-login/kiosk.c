// A kiosk that needs somebody to log in, and shows nothing itself: kiosk STORE [--script]
//
// Run it, and in another terminal `livery prompt provide login --store STORE`, which asks for user and password there. The user is
// "ada", the password "lovelace": a wrong one is told, and asked for again. With --script it answers itself, first wrongly.
#include <livery/prompt.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct kiosk {
  livery_store *store;
  bool is_over, is_logged_in;
} kiosk;

static bool is_text(livery_value *object, const char *name, const char *wanted) {
  livery_value *member = NULL;
  const char *text = NULL;
  size_t length = 0;
  bool is_same = livery_value_member(object, name, &member) == LIVERY_OK && livery_value_as_string(member, &text, &length) == LIVERY_OK
                 && length == strlen(wanted) && memcmp(text, wanted, length) == 0;
  livery_value_release(member);
  return is_same;
}

// A real kiosk asks its server, and decides when that has answered.
static void answered(livery_prompt_request *request, livery_value *answer, void *user_data) {
  (void)user_data;
  if (is_text(answer, "user", "ada") && is_text(answer, "password", "lovelace")) livery_prompt_accept(request);
  else livery_prompt_reject(request, "User or password is wrong", true);
}

static void done(const livery_prompt_result *result, void *user_data) {
  kiosk *kiosk = user_data;
  kiosk->is_over = true;
  kiosk->is_logged_in = result->outcome == LIVERY_PROMPT_COMPLETED;
  puts(kiosk->is_logged_in ? "logged in" : result->message);
}

// -- With --script: who shows the prompt, here in place of a person.

static livery_prompt *shown;
static const char *passwords[] = {"byron", "lovelace"};
static int attempts;

static void give(void);

static void told(livery_status status, const char *message, bool retry, void *user_data) {
  (void)user_data;
  if (status != LIVERY_OK) printf("told: %s\n", message);
  if (retry) give();
}

static void give(void) {
  const char *keys[] = {"user", "password"};
  livery_value *values[2] = {NULL, NULL}, *answer = NULL;
  livery_value_make_string("ada", LIVERY_ZERO_TERMINATED, &values[0]);
  livery_value_make_string(passwords[attempts++ % 2], LIVERY_ZERO_TERMINATED, &values[1]);
  if (livery_value_make_object(keys, values, 2, &answer) == LIVERY_OK) livery_prompt_answer(shown, answer, told, NULL, NULL);
  livery_value_release(answer);
  livery_value_release(values[0]);
  livery_value_release(values[1]);
}

static livery_status present(livery_prompt *prompt, livery_value *request, void *user_data) {
  (void)request, (void)user_data;
  shown = prompt;
  give();
  return LIVERY_OK;
}

static void dismiss(livery_prompt *prompt, livery_status reason, const char *message, void *user_data) {
  (void)prompt, (void)reason, (void)message, (void)user_data;
  shown = NULL;
}

int main(int count, char **words) {
  if (count < 2) return fprintf(stderr, "usage: %s STORE [--script]\n", words[0]), 2;
  bool is_scripted = count > 2 && strcmp(words[2], "--script") == 0;
  livery_open_options opening = LIVERY_OPEN_OPTIONS_INIT;
  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  livery_prompt_functions functions = {sizeof functions, LIVERY_PROMPT_DISPATCH, present, dismiss};
  kiosk kiosk = {0};
  int events = -1;
  opening.flags = LIVERY_OPEN_CREATE;
  options.flags = LIVERY_PROMPT_DISPATCH;
  options.answered = answered;
  if (livery_open(words[1], &opening, &kiosk.store) != LIVERY_OK || livery_event_fd(kiosk.store, &events) != LIVERY_OK
      || (is_scripted && livery_prompt_provide(kiosk.store, "login", &functions, NULL, NULL, NULL) != LIVERY_OK)
      || livery_prompt_request_start(kiosk.store, "login", NULL, &options, done, &kiosk, NULL, NULL) != LIVERY_OK)
    return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  while (!kiosk.is_over) {
    struct pollfd wait = {events, POLLIN, 0};
    poll(&wait, 1, -1);
    livery_dispatch(kiosk.store, NULL);
  }
  livery_close(kiosk.store);
  return kiosk.is_logged_in ? 0 : 1;
}

// A kiosk that needs somebody to log in, and shows nothing itself: kiosk STORE [--script]
//
// Run it, and in another terminal
//
//     livery page --prompts --store STORE            asks for user and password in a browser, at the address that it prints
//     livery prompt provide login --store STORE      asks for them there
//
// It may come later, and go. The user is "ada", the password "lovelace": a wrong one is told, and asked for again. What she has set lies in the layer `session`, and goes
// when she logs out: `livery session logout --store STORE`. With --script it does all of that itself, first with a wrong password.
#include <livery/prompt.h>
#include <livery/session.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char schema[] =
  "{\"Version\": 1, \"Groups\": [{\"Title\": \"Look\", \"Settings\": [{\"Title\": \"Theme\", \"Key\": \"theme\","
  " \"Type\": \"ComboBox\", \"Class\": [\"Single\"], \"Value\": \"light\","
  " \"Options\": [{\"Title\": \"Light\", \"Value\": \"light\"}, {\"Title\": \"Dark\", \"Value\": \"dark\"}]}]}]}";

typedef struct kiosk {
  livery_store *store;
  bool is_over, is_scripted, was_logged_in, is_waiting;
  livery_status status;
} kiosk;

static void ask(kiosk *kiosk);

static void end(kiosk *kiosk, livery_status status, const char *message) {
  kiosk->is_over = true;
  kiosk->status = status;
  if (status != LIVERY_OK) fprintf(stderr, "%s\n", message);
}

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

// What the server says of her, and what she has chosen there.
static livery_status log_in(livery_store *store) {
  const char *names[] = {"name"};
  livery_value *name = NULL, *user = NULL;
  livery_session_login_options options = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  options.token = "eyJhZGEi";
  options.token_length = LIVERY_ZERO_TERMINATED;
  livery_status status = livery_value_make_string("Ada", LIVERY_ZERO_TERMINATED, &name);
  if (status == LIVERY_OK) status = livery_value_make_object(names, &name, 1, &user);
  if (status == LIVERY_OK) status = livery_session_login(store, user, &options);
  if (status == LIVERY_OK) status = livery_set_string(store, LIVERY_LAYER_SESSION, "theme", "dark", LIVERY_ZERO_TERMINATED);
  livery_value_release(user);
  livery_value_release(name);
  return status;
}

static void prompted(const livery_prompt_result *result, void *user_data) {
  kiosk *kiosk = user_data;
  // Nobody shows it, or somebody has closed it: perhaps a moment later.
  if (result->status == LIVERY_ERROR_UNAVAILABLE || result->status == LIVERY_ERROR_CANCELLED) {
    if (!kiosk->is_waiting) fprintf(stderr, "%s\n", result->message);
    kiosk->is_waiting = true;
    return;
  }
  kiosk->is_waiting = false;
  bool is_completed = result->outcome == LIVERY_PROMPT_COMPLETED;
  livery_status status = is_completed ? log_in(kiosk->store) : result->status;
  if (status != LIVERY_OK) end(kiosk, status, is_completed ? livery_last_error()->message : result->message);
}

// Of this process, and of any other on the store.
static void changed(const livery_session_info *info, livery_value *user, void *user_data) {
  kiosk *kiosk = user_data;
  char theme[16] = "";
  size_t length = 0;
  (void)user;
  livery_get_string(kiosk->store, "theme", theme, sizeof theme, &length);
  bool is_active = info->state == LIVERY_SESSION_ACTIVE;
  printf("%s, the theme is %s\n", is_active ? "logged in" : "nobody is logged in", theme);
  fflush(stdout);
  if (is_active) {
    kiosk->was_logged_in = true;
    // A person would do something first.
    if (kiosk->is_scripted && strcmp(theme, "dark") == 0) livery_session_logout(kiosk->store);
  } else if (kiosk->was_logged_in && kiosk->is_scripted) {
    end(kiosk, LIVERY_OK, "");
  } else {
    ask(kiosk);
  }
}

static void ready(livery_status status, const livery_session_info *info, livery_value *user, const char *message, void *user_data) {
  (void)info, (void)user;
  kiosk *kiosk = user_data;
  livery_session_options options = LIVERY_SESSION_OPTIONS_INIT;
  options.flags = LIVERY_SESSION_DISPATCH | LIVERY_SESSION_INITIAL;
  if (status == LIVERY_OK) {
    status = livery_session_watch_start(kiosk->store, &options, changed, kiosk, NULL, NULL);
    message = livery_last_error()->message;
  }
  if (status != LIVERY_OK) end(kiosk, status, message);
}

static void ask(kiosk *kiosk) {
  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  options.flags = LIVERY_PROMPT_DISPATCH;
  options.answered = answered;
  livery_status status = livery_prompt_request_start(kiosk->store, "login", NULL, &options, prompted, kiosk, NULL, NULL);
  if (status != LIVERY_OK) end(kiosk, status, livery_last_error()->message);
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

static livery_status begin(kiosk *kiosk, const char *path, int *events) {
  livery_open_options opening = LIVERY_OPEN_OPTIONS_INIT;
  livery_session_options options = LIVERY_SESSION_OPTIONS_INIT;
  livery_prompt_functions functions = {sizeof functions, LIVERY_PROMPT_DISPATCH, present, dismiss};
  opening.flags = LIVERY_OPEN_CREATE;
  options.flags = LIVERY_SESSION_DISPATCH;
  livery_status status = livery_open(path, &opening, &kiosk->store);
  if (status == LIVERY_OK) status = livery_schema_apply(kiosk->store, schema, strlen(schema), NULL, NULL);
  if (status == LIVERY_OK) status = livery_event_fd(kiosk->store, events);
  if (status == LIVERY_OK && kiosk->is_scripted)
    status = livery_prompt_provide(kiosk->store, "login", &functions, NULL, NULL, NULL);
  if (status == LIVERY_OK) status = livery_session_bootstrap(kiosk->store, &options, NULL, ready, kiosk, NULL);
  return status;
}

int main(int count, char **words) {
  if (count < 2) return fprintf(stderr, "usage: %s STORE [--script]\n", words[0]), 2;
  kiosk kiosk = {.is_scripted = count > 2 && strcmp(words[2], "--script") == 0};
  int events = -1;
  if (begin(&kiosk, words[1], &events) != LIVERY_OK) return fprintf(stderr, "%s\n", livery_last_error()->message), 1;
  while (!kiosk.is_over) {
    struct pollfd wait = {events, POLLIN, 0};
    if (poll(&wait, 1, kiosk.is_waiting ? 1000 : -1) == 0) ask(&kiosk);
    livery_dispatch(kiosk.store, NULL);
  }
  livery_close(kiosk.store);
  return kiosk.status == LIVERY_OK ? 0 : 1;
}

// Who asks and who shows, by a script: for tests of prompts in one process and in two.
#ifndef ASKED_H
#define ASKED_H

#include "check.h"
#include "fixture.h"
#include <livery/prompt.h>
#include <stdatomic.h>

// What was told of a request.
typedef struct outcome {
  atomic_int done, destroyed, answers;
  livery_prompt_outcome outcome;
  livery_status status;
  bool is_default;
  char message[512], answer[1024];
  // What to do with the first answers: accept, reject with another try, reject for good.
  const char *decisions;
} outcome;

static inline void note_done(const livery_prompt_result *result, void *user_data) {
  outcome *told = user_data;
  told->outcome = result->outcome;
  told->status = result->status;
  told->is_default = result->is_default;
  snprintf(told->message, sizeof told->message, "%s", result->message);
  if (result->answer) {
    char *text = NULL;
    size_t length = 0;
    OK(livery_value_to_json(result->answer, 0, &text, &length));
    snprintf(told->answer, sizeof told->answer, "%s", text);
    livery_free(text);
  }
  atomic_fetch_add(&told->done, 1);
}

static inline void note_destroyed(void *user_data) { atomic_fetch_add(&((outcome *)user_data)->destroyed, 1); }

// Whether a call did what it is to, or memory ended in it.
#define GONE_ON(call)                                                                                                  \
  do {                                                                                                                 \
    livery_status gone_on = (call);                                                                                    \
    EXPECT(gone_on == LIVERY_OK || gone_on == LIVERY_ERROR_NO_MEMORY);                                                 \
  } while (0)

static inline void decide(livery_prompt_request *request, livery_value *answer, void *user_data) {
  outcome *told = user_data;
  EXPECT(answer != NULL);
  int place = atomic_fetch_add(&told->answers, 1);
  char decision = place < (int)strlen(told->decisions) ? told->decisions[place] : 'a';
  if (decision == 'a') GONE_ON(livery_prompt_accept(request));
  else if (decision != 'w') GONE_ON(livery_prompt_reject(request, "The answer is wrong", decision == 'r'));
}

// Whoever shows prompts. The script: a letter for each prompt that is presented.
//   a answers within `present`, l answers later, d declines, f fails, c is closed by the person, w waits, k kills its process.
typedef struct shower {
  const char *script, *answer;
  atomic_int presented, dismissed, verdicts, destroyed;
  livery_status reason, verdict;
  bool retry;
  char message[512];
  livery_prompt *_Atomic prompt;
} shower;

static inline void note_verdict(livery_status status, const char *message, bool retry, void *user_data) {
  shower *self = user_data;
  self->verdict = status;
  self->retry = retry;
  snprintf(self->message, sizeof self->message, "%s", message);
  atomic_fetch_add(&self->verdicts, 1);
  // The person tries again.
  if (status != LIVERY_OK && retry && self->prompt) {
    livery_value *value = NULL;
    OK(livery_value_from_json(self->answer, strlen(self->answer), &value));
    OK(livery_prompt_answer(self->prompt, value, note_verdict, self, NULL));
    livery_value_release(value);
  }
}

static inline livery_status give(shower *self, livery_prompt *prompt) {
  livery_value *value = NULL;
  OK(livery_value_from_json(self->answer, strlen(self->answer), &value));
  livery_status status = livery_prompt_answer(prompt, value, note_verdict, self, NULL);
  livery_value_release(value);
  return status;
}

static inline void *give_later(void *user_data) {
  shower *self = user_data;
  usleep(5000);
  give(self, self->prompt);
  return NULL;
}

static inline livery_status show(livery_prompt *prompt, livery_value *request, void *user_data) {
  shower *self = user_data;
  EXPECT(request != NULL);
  size_t place = (size_t)atomic_fetch_add(&self->presented, 1), length = strlen(self->script);
  char letter = self->script[place < length ? place : length - 1];
  if (letter == 'd') return LIVERY_ERROR_UNAVAILABLE;
  if (letter == 'f') return livery_error_leave(LIVERY_ERROR_IO, "the screen is broken"), LIVERY_ERROR_IO;
  if (letter == 'k') kill(getpid(), SIGKILL);
  self->prompt = prompt;
  if (letter == 'a') {
    // On a machine that is busy its time may be over already.
    livery_status given = give(self, prompt);
    EXPECT(given == LIVERY_OK || given == LIVERY_ERROR_CLOSED);
  }
  if (letter == 'c') OK(livery_prompt_dismiss(prompt));
  if (letter == 'l') {
    pthread_t thread;
    pthread_create(&thread, NULL, give_later, self);
    pthread_detach(thread);
  }
  return LIVERY_OK;
}

static inline void hide(livery_prompt *prompt, livery_status reason, const char *message, void *user_data) {
  shower *self = user_data;
  EXPECT(prompt != NULL && message != NULL);
  if (prompt == self->prompt) self->prompt = NULL;
  self->reason = reason;
  atomic_fetch_add(&self->dismissed, 1);
}

static inline void note_shower_destroyed(void *user_data) { atomic_fetch_add(&((shower *)user_data)->destroyed, 1); }

static inline livery_prompt_provider *provide(livery_store *store, const char *kind, shower *self) {
  livery_prompt_functions functions = {sizeof functions, 0, show, hide};
  livery_prompt_provider *provider = NULL;
  OK(livery_prompt_provide(store, kind, &functions, self, note_shower_destroyed, &provider));
  return provider;
}

static inline bool comes(atomic_int *count, int wanted) {
  for (int tries = 0; tries < 10000 && atomic_load(count) < wanted; tries++) usleep(1000);
  return atomic_load(count) >= wanted;
}

// Each kind, with an answer that fits its form.
static const struct kind {
  const char *name, *answer;
  bool is_required;
} kinds[] = {
  {"login", "{\"user\":\"ada\",\"password\":\"Zq-secret-7731\"}", true},
  {"device-provisioning", "{\"code\":\"livery:1?x\"}", true},
  {"location-consent", "{\"granted\":true,\"precision\":\"approximate\"}", true},
  {"passcode", "{\"passcode\":\"Zq-secret-7731\"}", true},
  {"geofence", "{\"action\":\"leave\"}", true},
  {"bluetooth-consent", "{\"granted\":false}", true},
  {"photo-upload", "{\"photo\":\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}", true},
  {"user-agreement", "{\"accepted\":true,\"version\":\"3\"}", true},
  {"time-restriction", "{\"action\":\"retry\"}", true},
  {"server-switch", "{\"switch\":true,\"server\":\"https://example.com/\"}", false},
  {"email-recovery", "{\"recover\":true,\"email\":\"ada@example.com\"}", false},
  {"badge-picker", "{\"badge\":\"7\"}", false},
  {"sso-confirmation", "{\"confirmed\":true}", false},
  {"revoked", "{\"acknowledged\":true}", false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Asks, and waits until all is told.
static inline void ask(livery_store *store, const char *kind, const char *decisions, uint32_t timeout_ms, outcome *told) {
  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  options.timeout_ms = timeout_ms;
  told->decisions = decisions;
  if (decisions) options.answered = decide;
  livery_value *subject = NULL;
  OK(livery_value_from_json("{\"user\":\"ada\"}", 14, &subject));
  OK(livery_prompt_request_start(store, kind, subject, &options, note_done, told, note_destroyed, NULL));
  livery_value_release(subject);
  EXPECT(comes(&told->destroyed, 1));
  EXPECT_INT(1, told->done);
}

#endif

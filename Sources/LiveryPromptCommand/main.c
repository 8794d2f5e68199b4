// `livery prompt`: asks for prompts, shows them on a terminal, and tells which kinds nobody shows.
#include <command.h>
#include <livery/prompt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char help[] =
  "livery prompt: pieces of user interface that a workflow needs\n"
  "\n"
  "  livery prompt missing                   the kinds that nobody shows, and what is answered in their place\n"
  "  livery prompt request KIND [SUBJECT]    ask for a prompt, and print the answer as JSON; the subject is an object of JSON\n"
  "  livery prompt provide [KIND…]           show prompts of these kinds on this terminal, or of every kind that nobody else\n"
  "                                          names, until SIGTERM or SIGINT\n"
  "\n"
  "  --store PATH           the directory of the store; else $LIVERY_STORE\n"
  "  --answer JSON          with provide: answer with this, and ask nobody\n"
  "  --once                 with provide: end after the first prompt\n"
  "  --wait MS              with request: how long all of it may take; as long as the person needs without it\n"
  "  --schema FILE          with request: what an answer of a kind with a name of your own looks like\n"
  "  --reveal               with request: print what a person has typed as a secret, too\n"
  "  --timeout MS           how long to wait for other writers; 5000 without it\n"
  "  --json                 print everything as JSON\n"
  "  -h, --help             print this\n"
  "  --version              print the version\n";

static livery_prompt_options asking = LIVERY_PROMPT_OPTIONS_INIT;
static const char *fixed, *schema_file;
static bool is_once, reveals;

static const char *take_wait(const char *value, void *unused) {
  (void)unused;
  char *end = NULL;
  unsigned long number = strtoul(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end || number == 0 || number > 86400000) return "no number that is possible";
  asking.timeout_ms = (uint32_t)number;
  return NULL;
}

static const command_option options[] = {
  {"answer", "JSON", .text = &fixed, .only = "provide"}, {"once", .flag = &is_once, .only = "provide"},
  {"wait", "MS", .take = take_wait, .only = "request"}, {"schema", "FILE", .text = &schema_file, .only = "request"},
  {"reveal", .flag = &reveals, .only = "request"},
};

// What is under way.
typedef struct work {
  const command *command;
  livery_store *store;
  const char *kind;
  // Of the answer, for as long as that may come.
  char *schema;
  bool is_over;
  int done;
  // At who shows: what is on the terminal.
  livery_prompt *prompt;
  livery_value *request;
} work;

static char *text_of(livery_value *object, const char *name) {
  livery_value *member = NULL;
  char *text = NULL;
  const char *start = NULL;
  size_t length = 0;
  if (livery_value_member(object, name, &member) == LIVERY_OK && livery_value_as_string(member, &start, &length) == LIVERY_OK)
    text = strndup(start, length);
  livery_value_release(member);
  return text;
}

static bool is_true(livery_value *object, const char *name) {
  livery_value *member = NULL;
  bool flag = false;
  if (livery_value_member(object, name, &member) == LIVERY_OK) livery_value_as_bool(member, &flag);
  livery_value_release(member);
  return flag;
}

// -- missing

static int print_missing(work *work) {
  livery_value *missing = NULL;
  char *text = NULL;
  size_t count = 0;
  livery_status status = livery_prompt_missing(work->store, &missing);
  if (status == LIVERY_OK && work->command->is_json) status = livery_value_to_json(missing, 0, &text, NULL);
  if (status != LIVERY_OK) {
    livery_value_release(missing);
    return command_fail(work->command, status, NULL);
  }
  if (text) puts(text);
  livery_free(text);
  livery_value_count(missing, &count);
  for (size_t index = 0; !work->command->is_json && index < count; index++) {
    livery_value *kind = NULL, *answer = NULL;
    char *name = NULL, *json = NULL;
    livery_value_at(missing, index, &kind);
    name = text_of(kind, "kind");
    if (livery_value_member(kind, "default", &answer) == LIVERY_OK) livery_value_to_json(answer, 0, &json, NULL);
    if (is_true(kind, "required")) printf("%-20s required\n", name);
    else printf("%-20s optional: %s\n", name, json ? json : "");
    livery_free(json);
    free(name);
    livery_value_release(answer);
    livery_value_release(kind);
  }
  livery_value_release(missing);
  return DONE;
}

// -- request

// The form of an answer, for what it says of secrets; NULL if it has none.
static livery_value *form_of(const char *kind) {
  livery_value *form = NULL;
  livery_store *store = NULL;
  livery_open_options memory = LIVERY_OPEN_OPTIONS_INIT;
  if (!asking.schema) return livery_prompt_form(kind, &form) == LIVERY_OK ? form : NULL;
  memory.flags = LIVERY_OPEN_MEMORY;
  if (livery_open(NULL, &memory, &store) != LIVERY_OK) return NULL;
  if (livery_schema_apply(store, asking.schema, LIVERY_ZERO_TERMINATED, NULL, NULL) != LIVERY_OK || livery_form(store, NULL, &form) != LIVERY_OK)
    form = NULL;
  livery_close(store);
  return form;
}

// Whether a member is a secret, or holds one, as groups or elements tell.
static bool is_secret(livery_value *form, const char *list, const char *key) {
  livery_value *elements = NULL;
  size_t count = 0;
  bool found = false;
  if (livery_value_member(form, list, &elements) == LIVERY_OK) livery_value_count(elements, &count);
  for (size_t place = 0; place < count && !found; place++) {
    livery_value *element = NULL;
    if (livery_value_at(elements, place, &element) != LIVERY_OK) break;
    char *name = text_of(element, "name"), *type = text_of(element, "kind");
    // What is in a list counts for the whole of it.
    bool is_meant = !key || (name && strcmp(name, key) == 0);
    found = (is_meant && type && strcmp(type, "secret") == 0) || is_secret(element, "elements", key)
            || (is_meant && is_secret(element, "template", NULL));
    free(name), free(type);
    livery_value_release(element);
  }
  livery_value_release(elements);
  return found;
}

// The answer without what the form says is a secret; NULL if there is no form.
static livery_value *masked(const char *kind, livery_value *answer) {
  enum { MOST = 256 };
  livery_value *form = form_of(kind), *kept = NULL;
  const char *keys[MOST];
  livery_value *values[MOST];
  size_t count = 0, members = 0;
  if (!form) return NULL;
  livery_value_count(answer, &members);
  for (size_t index = 0; index < members && count < MOST; index++) {
    size_t length = 0;
    livery_value *value = NULL;
    if (livery_value_key_at(answer, index, &keys[count], &length) != LIVERY_OK) continue;
    bool is_kept = is_secret(form, "groups", keys[count]) ? livery_value_make_string("••••••", LIVERY_ZERO_TERMINATED, &value) == LIVERY_OK
                                                           : livery_value_at(answer, index, &value) == LIVERY_OK;
    if (is_kept) values[count++] = value;
  }
  // Rather nothing than a secret.
  if (livery_value_make_object(keys, values, count, &kept) != LIVERY_OK
      && livery_value_make_string("••••••", LIVERY_ZERO_TERMINATED, &kept) != LIVERY_OK)
    exit(SYSTEM);
  while (count > 0) livery_value_release(values[--count]);
  livery_value_release(form);
  return kept;
}

static void print_result(const livery_prompt_result *result, void *user_data) {
  work *work = user_data;
  // Of what a signal has ended nothing is told.
  if (work->is_over) return;
  work->is_over = true;
  if (result->outcome != LIVERY_PROMPT_COMPLETED) {
    livery_error_leave(result->status, result->message);
    work->done = result->outcome == LIVERY_PROMPT_DISMISSED ? (command_fail(work->command, result->status, NULL), REFUSED)
                                                            : command_fail(work->command, result->status, NULL);
    return;
  }
  livery_value *kept = reveals ? NULL : masked(work->kind, result->answer);
  char *text = NULL;
  if (livery_value_to_json(kept ? kept : result->answer, 0, &text, NULL) == LIVERY_OK) puts(text);
  if (result->is_default && !work->command->is_json) fprintf(stderr, "livery prompt: nobody shows it, this is the default\n");
  livery_free(text);
  livery_value_release(kept);
  fflush(stdout);
}

// -- provide

static livery_status answer(work *work, livery_value *value);

// Asks for each element of the form; false where the person ends it.
static livery_value *ask_person(work *work, bool *has_ended) {
  livery_value *form = NULL, *groups = NULL, *group = NULL, *list = NULL, *made = NULL;
  const char *keys[64];
  char *names[64];
  livery_value *values[64];
  size_t count = 0, elements = 0;
  char *message = text_of(work->request, "message"), *title = text_of(work->request, "title"), *kind = text_of(work->request, "kind");
  fprintf(stderr, "\n%s\n", title ? title : kind ? kind : "");
  if (message && *message) fprintf(stderr, "%s\n", message);
  free(message), free(title), free(kind);
  if (livery_value_member(work->request, "form", &form) == LIVERY_OK && livery_value_member(form, "groups", &groups) == LIVERY_OK
      && livery_value_at(groups, 0, &group) == LIVERY_OK && livery_value_member(group, "elements", &list) == LIVERY_OK)
    livery_value_count(list, &elements);
  for (size_t place = 0; place < elements && count < 64 && !*has_ended; place++) {
    livery_value *element = NULL;
    livery_value_at(list, place, &element);
    char *name = text_of(element, "name"), *label = text_of(element, "title"), *type = text_of(element, "kind");
    livery_value_release(element);
    size_t length = 0;
    char *line = name ? command_read_line(label ? label : name, type && strcmp(type, "secret") == 0, &length) : NULL;
    *has_ended = name && !line;
    if (line && *line && livery_value_make_string(line, LIVERY_ZERO_TERMINATED, &values[count]) == LIVERY_OK) {
      keys[count] = names[count] = name;
      count++;
      name = NULL;
    }
    if (line) explicit_bzero(line, length);
    free(line), free(name), free(label), free(type);
  }
  if (!*has_ended) livery_value_make_object(keys, values, count, &made);
  while (count > 0) {
    livery_value_release(values[--count]);
    free(names[count]);
  }
  livery_value_release(list);
  livery_value_release(group);
  livery_value_release(groups);
  livery_value_release(form);
  return made;
}

// Answers what is shown, until an answer is taken on its way.
static void converse(work *work) {
  bool has_ended = false;
  while (work->prompt) {
    livery_value *value = ask_person(work, &has_ended);
    livery_status status = has_ended ? livery_prompt_dismiss(work->prompt) : answer(work, value);
    livery_value_release(value);
    if (status == LIVERY_OK) return;
    work->done = command_fail(work->command, status, NULL);
    if (has_ended || status == LIVERY_ERROR_CLOSED) {
      livery_prompt_dismiss(work->prompt);
      return;
    }
  }
}

static void note_verdict(livery_status status, const char *message, bool retry, void *user_data) {
  work *work = user_data;
  if (status == LIVERY_OK) work->done = DONE;
  if (status == LIVERY_OK || !work->prompt) return;
  fprintf(stderr, "livery prompt: %s\n", message);
  if (retry) converse(work);
}

static livery_status answer(work *work, livery_value *value) {
  return livery_prompt_answer(work->prompt, value, note_verdict, work, NULL);
}

static void begin(void *user_data) { converse(user_data); }

// -- Answers that are given: to as many as are shown

static struct {
  work *work;
  livery_prompt **all;
  size_t count, capacity;
} shown;

// Its place among those that are shown, or their number.
static size_t place_of(const livery_prompt *prompt) {
  size_t place = 0;
  while (place < shown.count && shown.all[place] != prompt) place++;
  return place;
}

static void note_given(livery_status status, const char *message, bool retry, void *user_data) {
  if (status == LIVERY_OK) shown.work->done = DONE;
  if (status == LIVERY_OK || place_of(user_data) == shown.count) return;
  fprintf(stderr, "livery prompt: %s\n", message);
  if (retry) livery_prompt_dismiss(user_data);
}

static void give(void *user_data) {
  livery_value *value = NULL;
  if (place_of(user_data) == shown.count) return;
  livery_status status = livery_value_from_json(fixed, LIVERY_ZERO_TERMINATED, &value);
  if (status == LIVERY_OK) status = livery_prompt_answer(user_data, value, note_given, user_data, NULL);
  livery_value_release(value);
  if (status == LIVERY_OK) return;
  shown.work->done = command_fail(shown.work->command, status, NULL);
  livery_prompt_dismiss(user_data);
}

static livery_status present_given(livery_prompt *prompt, livery_value *request, void *user_data) {
  (void)request;
  shown.work = user_data;
  if (is_once && shown.count > 0) return LIVERY_ERROR_UNAVAILABLE;
  if (shown.count == shown.capacity) {
    size_t capacity = shown.capacity * 2 + 8;
    livery_prompt **all = realloc(shown.all, capacity * sizeof *all);
    if (!all) return LIVERY_ERROR_NO_MEMORY;
    shown.all = all;
    shown.capacity = capacity;
  }
  livery_status status = livery_post(shown.work->store, LIVERY_POST_DISPATCH, give, prompt, NULL);
  if (status == LIVERY_OK) shown.all[shown.count++] = prompt;
  return status;
}

static void dismiss_given(livery_prompt *prompt, livery_status reason, const char *message, void *user_data) {
  size_t place = place_of(prompt);
  if (place == shown.count) return;
  if (reason != LIVERY_OK) fprintf(stderr, "livery prompt: %s\n", message);
  shown.all[place] = shown.all[--shown.count];
  work *work = user_data;
  if (is_once) work->is_over = true;
}

static livery_status present(livery_prompt *prompt, livery_value *request, void *user_data) {
  work *work = user_data;
  // One at a time has the terminal.
  if (work->prompt) return LIVERY_ERROR_UNAVAILABLE;
  if (livery_value_retain(request) != LIVERY_OK) return LIVERY_ERROR_UNAVAILABLE;
  work->prompt = prompt;
  work->request = request;
  // It is shown first, and asked about then.
  return livery_post(work->store, LIVERY_POST_DISPATCH, begin, work, NULL);
}

static void dismiss(livery_prompt *prompt, livery_status reason, const char *message, void *user_data) {
  work *work = user_data;
  if (prompt != work->prompt) return;
  if (reason != LIVERY_OK) fprintf(stderr, "livery prompt: %s\n", message);
  livery_value_release(work->request);
  work->prompt = NULL;
  work->request = NULL;
  if (is_once) work->is_over = true;
}

// -- All

// Goes on until it is over, or until a signal.
static livery_status wait_for(work *work, bool is_request) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int stops = signalfd(-1, &signals, SFD_CLOEXEC), events = -1;
  livery_status status = livery_event_fd(work->store, &events);
  struct pollfd waits[] = {{stops, POLLIN, 0}, {events, POLLIN, 0}};
  while (status == LIVERY_OK && !work->is_over) {
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents) {
      if (is_request) work->done = OTHER;
      work->is_over = true;
      break;
    }
    if (waits[1].revents) status = livery_dispatch(work->store, NULL);
  }
  close(stops);
  return status;
}

static int provide(work *work) {
  livery_prompt_functions functions = {sizeof functions, LIVERY_PROMPT_DISPATCH, fixed ? present_given : present,
                                       fixed ? dismiss_given : dismiss};
  livery_status status = LIVERY_OK;
  if (work->command->count < 2) status = livery_prompt_provide(work->store, LIVERY_PROMPT_ANY, &functions, work, NULL, NULL);
  for (int index = 1; index < work->command->count && status == LIVERY_OK; index++)
    status = livery_prompt_provide(work->store, work->command->words[index], &functions, work, NULL, NULL);
  if (status == LIVERY_OK) status = wait_for(work, false);
  return status == LIVERY_OK ? work->done : command_fail(work->command, status, NULL);
}

// What it is to answer with, if that is given. GO_ON, or the exit status.
static int check_fixed(const command *command) {
  livery_value *value = NULL;
  livery_status status = fixed ? livery_value_from_json(fixed, LIVERY_ZERO_TERMINATED, &value) : LIVERY_OK;
  livery_value_release(value);
  return status == LIVERY_OK ? GO_ON : command_fail(command, status, "--answer");
}

static int request(work *work, const char *subject) {
  livery_value *about = NULL;
  livery_status status = subject ? livery_value_from_json(subject, LIVERY_ZERO_TERMINATED, &about) : LIVERY_OK;
  if (status != LIVERY_OK) return command_fail(work->command, status, "the subject");
  livery_type type = LIVERY_TYPE_OBJECT;
  if (about && livery_value_type(about, &type) == LIVERY_OK && type != LIVERY_TYPE_OBJECT) {
    livery_value_release(about);
    return command_usage(work->command, "the subject is an object of JSON, not %.80s", subject);
  }
  size_t length = 0;
  if (schema_file && !(work->schema = command_read_file(schema_file, LIVERY_PROMPT_SIZE_MAX, &length)))
    return command_unreadable(work->command, schema_file);
  asking.flags = LIVERY_PROMPT_DISPATCH;
  asking.schema = work->schema;
  // What fails to start is told, too.
  livery_prompt_request_start(work->store, work->kind, about, &asking, print_result, work, NULL, NULL);
  livery_value_release(about);
  if (!work->is_over) status = wait_for(work, true);
  return status == LIVERY_OK ? work->done : command_fail(work->command, status, NULL);
}

int main(int count, char **words) {
  command command = {.name = "livery prompt", .help = help, .options = options, .option_count = sizeof options / sizeof *options};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  const char *verb = command.count > 0 ? command.words[0] : "";
  bool is_missing = strcmp(verb, "missing") == 0, is_request = strcmp(verb, "request") == 0, is_provide = strcmp(verb, "provide") == 0;
  if (!is_missing && !is_request && !is_provide) return command_usage(&command, "missing, request or provide?");
  if (is_request && command.count < 2) return command_usage(&command, "which KIND?");
  int most = is_request ? 3 : 1;
  if (!is_provide && command.count > most) return command_usage(&command, "unknown argument %s", command.words[most]);
  done = check_fixed(&command);
  if (done != GO_ON) return done;
  work work = {.command = &command, .kind = command.count > 1 ? command.words[1] : NULL};
  done = command_open(&command, 0, &work.store);
  if (done != GO_ON) return done;
  if (is_missing) done = print_missing(&work);
  else if (is_provide) done = provide(&work);
  else done = request(&work, command.count > 2 ? command.words[2] : NULL);
  livery_close(work.store);
  free(work.schema);
  return command_end(&command, done);
}

// `livery sync`: a device of a fleet, from a shell.
#include <command.h>
#include <livery/sync.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
  "livery sync: a device of a fleet: what a console publishes is applied, and what the device has is reported\n"
  "\n"
  "  livery sync enroll CODE    join a fleet, with a code of its console\n"
  "  livery sync run            take part until SIGTERM or SIGINT\n"
  "  livery sync pull           ask now for what is published, and apply it\n"
  "  livery sync push           report now what the device has\n"
  "  livery sync status         which fleet, what is applied, and what is wrong\n"
  "  livery sync health [TEXT]  say how the app is, for the next report; without a text that it is well\n"
  "  livery sync keys           the device's id and its public key\n"
  "  livery sync leave          leave the fleet: what the console has set is taken back\n"
  "\n"
  "  --store PATH           the directory of the store; else $LIVERY_STORE\n"
  "  --name NAME            with enroll: what people call the device\n"
  "  --app NAME             the app that documents are taken for, beside those for every app; the one named last without it\n"
  "  --broker URL           a broker of hints, mqtt://host or mqtts://host; without one it is asked every so often\n"
  "  --broker-user NAME     who the broker is told that this is\n"
  "  --broker-password FILE  a file whose first line is the password for the broker\n"
  "  --ca-file FILE         certificates that servers are verified with, in place of the system's\n"
  "  --proxy URL            a proxy; \"\" for none\n"
  COMMAND_KEY_HELP("  ")
  "  --wait MS              how long an enrollment, a pull or a push may take; 60000 without it\n"
  "  --timeout MS           how long to wait for other writers; 5000 without it\n"
  "  --json                 print what is known as JSON\n"
  "  -h, --help             print this\n"
  "  --version              print the version\n";

static livery_sync_options sync_options = LIVERY_SYNC_OPTIONS_INIT;

static const char *take_wait(const char *value, void *unused) {
  (void)unused;
  char *end = NULL;
  unsigned long long number = strtoull(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end || number == 0 || number > 86400000) return "takes a number from 1 to 86400000";
  sync_options.timeout_ms = (uint32_t)number;
  return NULL;
}

static const command_option options[] = {
  {"name", "NAME", .text = &sync_options.name, .only = "enroll"}, {"app", "NAME", .text = &sync_options.scope, .only = "enroll run pull push"},
  {"broker", "URL", .text = &sync_options.broker, .only = "run"},
  {"broker-user", "NAME", .text = &sync_options.broker_user, .only = "run"},
  {"broker-password", "FILE", .text = &sync_options.broker_password_file, .only = "run"},
  {"ca-file", "FILE", .text = &sync_options.ca_file, .only = "enroll run pull push"},
  {"proxy", "URL", .text = &sync_options.proxy, .may_be_empty = true, .only = "enroll run pull push"},
  {"wait", "MS", .take = take_wait, .only = "enroll run pull push"},
};

// Where there is nothing else to tell.
#define DONE_IN_JSON "{\"done\":true}"

// What is under way.
typedef struct work {
  const command *command;
  bool is_ended;
  int done;
} work;

static void note_end(livery_status status, const char *message, livery_value *report, void *user_data) {
  work *work = user_data;
  // Of what a signal has ended nothing is told.
  if (work->is_ended) return;
  work->is_ended = true;
  if (status != LIVERY_OK) {
    livery_error_leave(status, message);
    work->done = command_fail(work->command, status, NULL);
    return;
  }
  work->done = DONE;
  char *text = NULL;
  if (work->command->is_json && (!report || livery_value_to_json(report, 0, &text, NULL) == LIVERY_OK)) puts(text ? text : DONE_IN_JSON);
  livery_free(text);
}

// Goes on until the end of what was started, or a signal.
static int wait_for(livery_store *store, work *work) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int stops = signalfd(-1, &signals, SFD_CLOEXEC), events = -1;
  livery_status status = livery_event_fd(store, &events);
  struct pollfd waits[] = {{stops, POLLIN, 0}, {events, POLLIN, 0}};
  while (status == LIVERY_OK && !work->is_ended) {
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents) {
      work->is_ended = true;
      break;
    }
    if (waits[1].revents) status = livery_dispatch(store, NULL);
  }
  close(stops);
  return status == LIVERY_OK ? work->done : command_fail(work->command, status, NULL);
}

static livery_value *member(livery_value *value, const char *name) {
  livery_value *found = NULL;
  return value && livery_value_member(value, name, &found) == LIVERY_OK ? found : NULL;
}

// The text of a member, which is the caller's to free; NULL if there is none.
static char *text_of(livery_value *value, const char *name) {
  livery_value *found = member(value, name);
  const char *text = NULL;
  char *copy = found && livery_value_as_string(found, &text, NULL) == LIVERY_OK ? strdup(text) : NULL;
  livery_value_release(found);
  return copy;
}

static int64_t number_of(livery_value *value, const char *name) {
  livery_value *found = member(value, name);
  int64_t number = 0;
  if (found) livery_value_as_int(found, &number);
  livery_value_release(found);
  return number;
}

static bool flag_of(livery_value *value, const char *name) {
  livery_value *found = member(value, name);
  bool flag = false;
  if (found) livery_value_as_bool(found, &flag);
  livery_value_release(found);
  return flag;
}

static void print_text(livery_value *value, const char *name, const char *label) {
  char *text = text_of(value, name);
  if (text) printf("%-10s%s\n", label, text);
  free(text);
}

static void print_date(livery_value *value, const char *name, const char *label) {
  livery_value *found = member(value, name);
  int64_t microseconds = 0;
  if (found && livery_value_as_date(found, &microseconds) == LIVERY_OK) {
    time_t seconds = (time_t)(microseconds / 1000000);
    struct tm parts;
    char text[32];
    if (localtime_r(&seconds, &parts) && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts) > 0) printf("%-10s%s\n", label, text);
  }
  livery_value_release(found);
}

static livery_value *item(livery_value *list, size_t index) {
  livery_value *found = NULL;
  return livery_value_at(list, index, &found) == LIVERY_OK ? found : NULL;
}

// Calls a function with each object of a list.
static void each(livery_value *value, const char *name, void (*print)(livery_value *)) {
  livery_value *list = member(value, name);
  size_t count = 0;
  if (list) livery_value_count(list, &count);
  for (size_t index = 0; index < count; index++) {
    livery_value *one = item(list, index);
    if (one) print(one);
    livery_value_release(one);
  }
  livery_value_release(list);
}

static void print_channel(livery_value *channel) {
  char *name = text_of(channel, "name");
  printf("%-10s%s %lld\n", "channel", name ? name : "", (long long)number_of(channel, "version"));
  free(name);
}

static void print_document(livery_value *document) {
  char *name = text_of(document, "name"), *channel = text_of(document, "channel"), *verdict = text_of(document, "verdict");
  char *author = text_of(document, "author"), *comment = text_of(document, "comment");
  printf("%-10s%s of %s: %s", "document", name ? name : "", channel ? channel : "", verdict ? verdict : "");
  if (author) printf(", by %s", author);
  if (comment) printf(": %s", comment);
  putchar('\n');
  free(author);
  free(comment);
  free(name);
  free(channel);
  free(verdict);
}

static void print_violation(livery_value *violation) {
  char *name = text_of(violation, "name"), *message = text_of(violation, "message");
  printf("%-10s%s: %s\n", "refused", name ? name : "", message ? message : "");
  free(name);
  free(message);
}

static void print_status(livery_value *status) {
  if (!flag_of(status, "enrolled")) {
    puts("of no fleet: livery sync enroll CODE joins one");
    return;
  }
  print_text(status, "fleet", "fleet");
  print_text(status, "url", "server");
  print_text(status, "device", "device");
  print_text(status, "name", "name");
  print_text(status, "state", "state");
  print_text(status, "hints", "hints");
  print_text(status, "hintsProblem", "");
  each(status, "channels", print_channel);
  each(status, "documents", print_document);
  each(status, "violations", print_violation);
  print_date(status, "asked", "asked");
  print_date(status, "taken", "taken");
  print_date(status, "next", "next");
  livery_value *trial = member(status, "trial");
  if (trial) print_date(trial, "until", "trial to");
  livery_value_release(trial);
  if (number_of(status, "outbox") > 0) printf("%-10sa report waits\n", "outbox");
  livery_value *problem = member(status, "problem");
  if (problem) {
    char *reason = text_of(problem, "reason"), *message = text_of(problem, "message");
    if (reason && message) printf("%-10s%s: %s\n", "problem", reason, message);
    free(reason);
    free(message);
    print_text(problem, "advice", "advice");
  }
  livery_value_release(problem);
}

static int show_status(const command *command, livery_store *store) {
  livery_value *status = NULL;
  livery_status result = livery_sync_status(store, &status);
  if (result != LIVERY_OK) return command_fail(command, result, NULL);
  char *text = NULL;
  if (command->is_json) {
    if (livery_value_to_json(status, 0, &text, NULL) == LIVERY_OK) puts(text);
  } else {
    print_status(status);
  }
  livery_free(text);
  livery_value_release(status);
  return DONE;
}

static int show_keys(const command *command, livery_store *store) {
  livery_value *status = NULL;
  livery_status result = livery_sync_status(store, &status);
  if (result != LIVERY_OK) return command_fail(command, result, NULL);
  if (!flag_of(status, "enrolled")) {
    livery_value_release(status);
    livery_error_leave(LIVERY_ERROR_NOT_FOUND, "the device is of no fleet: livery sync enroll CODE joins one");
    return command_fail(command, LIVERY_ERROR_NOT_FOUND, NULL);
  }
  char *device = text_of(status, "device");
  livery_value *key = member(status, "key");
  const void *bytes = NULL;
  size_t length = 0;
  if (key && livery_value_as_data(key, &bytes, &length) == LIVERY_OK && device) {
    printf(command->is_json ? "{\"device\":\"%s\",\"key\":\"" : "device    %s\nkey       ", device);
    for (size_t index = 0; index < length; index++) printf("%02x", ((const unsigned char *)bytes)[index]);
    puts(command->is_json ? "\"}" : "");
  }
  livery_value_release(key);
  free(device);
  livery_value_release(status);
  return DONE;
}

static int finish(const command *command, livery_status status) {
  if (status != LIVERY_OK) return command_fail(command, status, NULL);
  if (command->is_json) puts(DONE_IN_JSON);
  return DONE;
}

static int run(const command *command, livery_store *store) {
  livery_sync *sync = NULL;
  livery_status status = livery_sync_start(store, &sync_options, &sync);
  if (status != LIVERY_OK) return command_fail(command, status, NULL);
  work work = {.command = command, .done = DONE};
  int done = wait_for(store, &work);
  livery_sync_stop(sync);
  return done;
}

static int perform(const command *command, livery_store *store, const char *verb, const char *argument) {
  // Its end may come when the store is closed.
  static work work;
  work.command = command;
  work.done = OTHER;
  if (strcmp(verb, "enroll") == 0) livery_sync_enroll_start(store, argument, &sync_options, note_end, &work, NULL, NULL);
  else if (strcmp(verb, "pull") == 0) livery_sync_pull_start(store, &sync_options, note_end, &work, NULL, NULL);
  else livery_sync_push_start(store, &sync_options, note_end, &work, NULL, NULL);
  return wait_for(store, &work);
}

int main(int count, char **words) {
  command command = {.name = "livery sync", .help = help, .options = options, .option_count = sizeof options / sizeof *options,
                     // The device's own key is a secret, and so is what is kept of documents.
                     .takes_key = true};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  if (command.count == 0) return command_usage(&command, "what? livery sync --help tells");
  const char *verb = command.words[0], *argument = command.count > 1 ? command.words[1] : NULL;
  const char *const verbs[] = {"enroll", "run", "pull", "push", "status", "health", "keys", "leave"};
  bool is_known = false;
  for (size_t index = 0; index < sizeof verbs / sizeof *verbs; index++) is_known |= strcmp(verb, verbs[index]) == 0;
  if (!is_known) return command_usage(&command, "unknown command %s", verb);
  const bool takes_one = strcmp(verb, "enroll") == 0 || strcmp(verb, "health") == 0;
  if (strcmp(verb, "enroll") == 0 && !argument) return command_usage(&command, "which code?");
  if (command.count > (takes_one ? 2 : 1)) return command_usage(&command, "unknown argument %s", command.words[takes_one ? 2 : 1]);
  sync_options.flags = LIVERY_SYNC_DISPATCH;
  const bool is_reading = strcmp(verb, "status") == 0 || strcmp(verb, "keys") == 0;
  livery_store *store = NULL;
  done = command_open(&command, is_reading ? LIVERY_OPEN_READ_ONLY : 0, &store);
  if (done != GO_ON) return done;
  if (strcmp(verb, "status") == 0) done = show_status(&command, store);
  else if (strcmp(verb, "keys") == 0) done = show_keys(&command, store);
  else if (strcmp(verb, "health") == 0) done = finish(&command, livery_sync_health(store, argument));
  else if (strcmp(verb, "leave") == 0) done = finish(&command, livery_sync_leave(store));
  else if (strcmp(verb, "run") == 0) done = run(&command, store);
  else done = perform(&command, store, verb, argument);
  livery_close(store);
  return command_end(&command, done);
}

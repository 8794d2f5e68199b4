// `livery agent`: page, fetch and sync in one process, by the settings of a store of its own.
#include "agent.h"
#include "../CMosquitto/address.h"
#include <chttp.h>

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
  "livery agent: the page, the images of the brand and the fleet, in one process\n"
  "\n"
  "  livery agent run      run what the agent's store says, until SIGTERM or SIGINT\n"
  "  livery agent status   how the agent is that runs with this store\n"
  "  livery agent check    whether what the store says can run here\n"
  "  livery agent schema   print the schema of the agent's store\n"
  "\n"
  "  --settings PATH      the directory of the store with the settings; --store, $LIVERY_STORE, or settings in\n"
  "                       $STATE_DIRECTORY without it\n"
  "  --config PATH        the directory of the agent's own store; $LIVERY_AGENT_CONFIG, or agent in $STATE_DIRECTORY\n"
  "                       without it\n"
  "  --group              make both for their group, too, where they are not there yet\n"
  "  --timeout MS         how long to wait for other writers; 5000 without it\n"
  "  --json               print what is known as JSON\n"
  "  -h, --help           print this\n"
  "  --version            print the version\n"
  "\n"
  "The agent is configured as an app is: livery set --store PATH agent.page.enabled true, and it serves the page at once.\n"
  "SIGHUP has it begin anew what it runs.\n";

static const char *settings_path, *config_path;
static bool is_for_group;

static const command_option options[] = {
  {"settings", "PATH", .text = &settings_path}, {"config", "PATH", .text = &config_path}, {"group", .flag = &is_for_group},
};

// The paths where they are not given. A path that is found in the environment stays as long as the program.
static void find_paths(command *command) {
  const char *state = getenv("STATE_DIRECTORY");
  static char found[2][1100];
  if (settings_path) command->store = settings_path;
  if (!config_path) config_path = getenv("LIVERY_AGENT_CONFIG");
  if (!state || !state[0] || strlen(state) > 1000) return;
  // The first of several.
  int length = (int)strcspn(state, ":");
  snprintf(found[0], sizeof found[0], "%.*s/settings", length, state);
  snprintf(found[1], sizeof found[1], "%.*s/agent", length, state);
  if (!command->store || !command->store[0]) command->store = found[0];
  if (!config_path || !config_path[0]) config_path = found[1];
}

static livery_status open_store(const command *command, const char *path, uint32_t flags, livery_store **store) {
  livery_open_options open_options = LIVERY_OPEN_OPTIONS_INIT;
  open_options.flags = flags;
  if (command->timeout_ms) open_options.busy_timeout_ms = command->timeout_ms;
  return livery_open(path, &open_options, store);
}

// How it is, as one line of JSON; to be freed.
static char *describe(size_t *length) {
  static const char *const states[] = {"off", "running", "failed"};
  char *text = NULL;
  FILE *output = open_memstream(&text, length);
  if (!output) return NULL;
  fprintf(output, "{\"pid\":%d,\"parts\":{", (int)getpid());
  const char *gap = "";
  for (size_t index = 0; index < PARTS; index++) {
    const part *part = agent_parts[index];
    if (part->is_helper && part->state == PART_OFF) continue;
    fprintf(output, "%s\"%s\":{\"state\":\"%s\"", gap, part->name, states[part->state]);
    gap = ",";
    if (part->message[0]) {
      fputs(",\"problem\":", output);
      agent_print_text(output, part->message);
    }
    if (part->state == PART_RUNNING && part->describe) part->describe(output);
    fputc('}', output);
  }
  fputs("}}\n", output);
  return fclose(output) == 0 ? text : NULL;
}

static void note_change(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count;
  *(bool *)user_data = true;
}

static void tell_state(void) {
  int running = 0, failed = 0;
  for (size_t index = 0; index < PARTS; index++) {
    running += agent_parts[index]->state == PART_RUNNING;
    failed += agent_parts[index]->state == PART_FAILED;
  }
  static int told_running = -1, told_failed = -1;
  if (running == told_running && failed == told_failed) return;
  told_running = running;
  told_failed = failed;
  agent_notify("STATUS=%d parts run, %d cannot", running, failed);
}

// Whether there is a store at a path, and which.
static bool place_of(const char *path, struct stat *place) {
  char data[5000];
  struct stat facts;
  bool fits = snprintf(data, sizeof data, "%s/data.mdb", path) < (int)sizeof data;
  return fits && stat(data, &facts) == 0 && stat(path, place) == 0;
}

// Until a signal. A store whose file is exchanged is heard of as its changes are; `is_other` is set, and it ends, once the folder
// itself is another one.
static livery_status serve(const command *command, livery_store *config, livery_store *store, const agent_socket *asked, int signals, bool *is_other) {
  enum { LOOK_MS = 10000 };
  struct stat opened, own, found;
  bool is_known = place_of(command->store, &opened), is_own = place_of(config_path, &own);
  int config_events = -1, events = -1;
  bool has_changed = true, is_first = true;
  livery_watch *watch = NULL;
  livery_watch_options watching = LIVERY_WATCH_OPTIONS_INIT;
  watching.flags = LIVERY_WATCH_DISPATCH;
  livery_status status = livery_event_fd(config, &config_events);
  if (status == LIVERY_OK) status = livery_event_fd(store, &events);
  if (status == LIVERY_OK) status = livery_watch_start(config, "agent.**", &watching, note_change, &has_changed, NULL, &watch);
  static agent_settings settings, former;
  memset(&settings, 0, sizeof settings);
  int64_t watchdog = agent_watchdog_ms(), told = agent_now_ms();
  while (status == LIVERY_OK) {
    bool is_new = has_changed;
    has_changed = false;
    if (is_new) {
      former = settings;
      agent_settings_read(config, &settings);
    }
    int64_t wait = agent_parts_attend(store, &settings, is_new && !is_first ? &former : NULL, agent_now_ms());
    if (is_first) agent_notify("READY=1");
    is_first = false;
    tell_state();
    int64_t now = agent_now_ms();
    if (watchdog && now - told >= watchdog) {
      agent_notify("WATCHDOG=1");
      told = now;
    }
    if (watchdog && (wait < 0 || wait > told + watchdog - now)) wait = told + watchdog - now;
    if (wait < 0 || wait > LOOK_MS) wait = LOOK_MS;
    struct pollfd waits[] = {{signals, POLLIN, 0}, {config_events, POLLIN, 0}, {events, POLLIN, 0}, {asked->listener, POLLIN, 0}};
    if (poll(waits, 4, (int)wait) < 0) continue;
    if (is_own && place_of(config_path, &found) && (found.st_dev != own.st_dev || found.st_ino != own.st_ino)) {
      // Its lock and its socket are of the former one: whoever starts it next belongs to this.
      status = LIVERY_ERROR_GONE;
      break;
    }
    if (is_known && place_of(command->store, &found) && (found.st_dev != opened.st_dev || found.st_ino != opened.st_ino)) {
      *is_other = true;
      break;
    }
    if (waits[0].revents) {
      struct signalfd_siginfo signal;
      if (read(signals, &signal, sizeof signal) != sizeof signal) continue;
      if (signal.ssi_signo != SIGHUP) break;
      agent_say("agent", "begins anew");
      agent_parts_stop();
      has_changed = true;
    }
    if (waits[1].revents) status = livery_dispatch(config, NULL);
    if (status == LIVERY_OK && waits[2].revents) status = livery_dispatch(store, NULL);
    if (status == LIVERY_OK && waits[3].revents) {
      size_t length = 0;
      char *text = describe(&length);
      agent_socket_answer(asked, text ? text : "", text ? length : 0);
      free(text);
    }
  }
  if (!*is_other) agent_notify("STOPPING=1");
  agent_parts_stop();
  livery_watch_stop(watch);
  if (status == LIVERY_ERROR_GONE) livery_error_leave(status, "another store is in the place of the agent's own");
  return status;
}

static int run(const command *command) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  // Before there are threads, which take it over.
  sigprocmask(SIG_BLOCK, &set, NULL);
  signal(SIGPIPE, SIG_IGN);
  int signals = signalfd(-1, &set, SFD_CLOEXEC);
  if (signals < 0) {
    livery_error_leave(LIVERY_ERROR_IO, "signals cannot be heard");
    return command_fail(command, LIVERY_ERROR_IO, NULL);
  }
  uint32_t flags = LIVERY_OPEN_CREATE | (is_for_group ? LIVERY_OPEN_GROUP : 0);
  livery_store *config = NULL, *store = NULL;
  agent_socket asked;
  livery_status status = open_store(command, config_path, flags, &config);
  // A second one is to change nothing of what the first one goes by.
  bool is_asked = status == LIVERY_OK && (status = agent_socket_open(config_path, &asked)) == LIVERY_OK;
  if (status == LIVERY_OK) status = agent_settings_apply(config);
  for (bool is_other = true; status == LIVERY_OK && is_other;) {
    is_other = false;
    status = open_store(command, command->store, flags, &store);
    if (status == LIVERY_OK) status = serve(command, config, store, &asked, signals, &is_other);
    if (!is_other) break;
    agent_say("agent", "another store is in the place of the settings: goes on with that");
    livery_close(store);
    store = NULL;
  }
  int done = status == LIVERY_OK ? DONE : command_fail(command, status, NULL);
  livery_close(store);
  if (is_asked) agent_socket_close(&asked);
  livery_close(config);
  close(signals);
  return done;
}

static livery_value *member(livery_value *value, const char *name) {
  livery_value *found = NULL;
  return value && livery_value_member(value, name, &found) == LIVERY_OK ? found : NULL;
}

static void print_member(livery_value *value, const char *name, const char *label) {
  livery_value *found = member(value, name);
  const char *text = NULL;
  int64_t number = 0;
  if (found && livery_value_as_string(found, &text, NULL) == LIVERY_OK) printf("  %-10s%s\n", label, text);
  else if (found && livery_value_as_int(found, &number) == LIVERY_OK) printf("  %-10s%lld\n", label, (long long)number);
  livery_value_release(found);
}

static void print_status(livery_value *status) {
  livery_value *parts = member(status, "parts");
  for (size_t index = 0; index < PARTS; index++) {
    livery_value *part = member(parts, agent_parts[index]->name), *state = member(part, "state"), *fleet = member(part, "fleet");
    livery_value *enrolled = member(fleet, "enrolled");
    const char *text = NULL;
    bool is_enrolled = true;
    if (state && livery_value_as_string(state, &text, NULL) == LIVERY_OK) printf("%-8s%s\n", agent_parts[index]->name, text);
    print_member(part, "problem", "problem");
    print_member(part, "address", "address");
    print_member(part, "ready", "ready");
    print_member(part, "failed", "failed");
    if (enrolled && livery_value_as_bool(enrolled, &is_enrolled) == LIVERY_OK && !is_enrolled) puts("  of no fleet: livery sync enroll CODE joins one");
    print_member(fleet, "fleet", "fleet");
    print_member(fleet, "device", "device");
    print_member(fleet, "state", "state");
    print_member(fleet, "hints", "hints");
    print_member(fleet, "hintsProblem", "");
    livery_value *problem = member(fleet, "problem");
    print_member(problem, "message", "problem");
    print_member(problem, "advice", "advice");
    livery_value_release(problem);
    livery_value_release(enrolled);
    livery_value_release(fleet);
    livery_value_release(state);
    livery_value_release(part);
  }
  livery_value_release(parts);
}

static int show_status(const command *command) {
  char *text = NULL;
  livery_status status = agent_socket_ask(config_path, &text);
  livery_value *value = NULL;
  if (status == LIVERY_OK && command->is_json) fputs(text, stdout);
  else if (status == LIVERY_OK) status = livery_value_from_json(text, LIVERY_ZERO_TERMINATED, &value);
  free(text);
  if (status != LIVERY_OK) return command_fail(command, status, config_path);
  if (value) print_status(value);
  livery_value_release(value);
  return DONE;
}

// What cannot be here, each with the part that it keeps from running.
typedef struct problems {
  const command *command;
  int count;
  bool keeps[PARTS];
} problems;

__attribute__((format(printf, 3, 4))) static void note_problem(problems *found, const char *part, const char *format, ...) {
  // Of a path and what is wrong with it.
  char message[sizeof((agent_settings *)0)->network.ca_file + 400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  for (size_t index = 0; index < PARTS; index++)
    if (strcmp(agent_parts[index]->name, part) == 0) found->keeps[index] = true;
  if (found->command->is_json) {
    printf("%s{\"part\":\"%s\",\"message\":", found->count ? "," : "", part);
    command_print_text(message);
    putchar('}');
  } else {
    printf("%s: %s\n", part, message);
  }
  found->count++;
}

static void check_library(problems *found, const char *part, const char *file, const char *package) {
  void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
  if (library) dlclose(library);
  else note_problem(found, part, "%s is missing: install %s", file, package);
}

static void check_file(problems *found, const char *part, const char *path) {
  if (path[0] && access(path, R_OK) != 0) note_problem(found, part, "%s: %s", path, strerror(errno));
}

static void check_listen(problems *found, const char *listen, const char *pin) {
  lvh_address address;
  if (!lvh_address_parse(listen, &address))
    note_problem(found, "page", "%s is no address with a port, such as 127.0.0.1:8080 or [::1]:0: agent.page.listen", listen);
  else if (!pin[0] && !address.is_loopback)
    note_problem(found, "page", "others reach %s: it needs a PIN, whose setting agent.page.pinSetting names", listen);
}

static void check_broker(problems *found, const agent_settings *settings) {
  const char *url = settings->sync.broker, *user = settings->sync.broker_user, *password = settings->sync.broker_password_file;
  lvb_address address;
  const char *wrong = url[0] ? lvb_address_read(url, &address) : NULL;
  if (wrong) note_problem(found, "sync", "%s: %s: agent.sync.broker", url, wrong);
  else if (url[0]) check_library(found, "sync", "libmosquitto.so.1", "libmosquitto1");
  else if (user[0] || password[0]) note_problem(found, "sync", "who the broker is told that this is, and no broker: agent.sync.broker");
  if (password[0] && !user[0]) note_problem(found, "sync", "a password, and nobody whose it is: agent.sync.brokerUser");
  check_file(found, "sync", password);
}

static void check_secrets(problems *found, const agent_settings *settings, livery_store *store) {
  if (!agent_secrets.is_wanted(settings)) return;
  if (store && agent_secrets_open(store, settings) != LIVERY_OK) note_problem(found, "secrets", "%s", livery_last_error()->message);
}

// What the page compares with what is typed.
static void check_pin(problems *found, livery_store *store, const char *setting) {
  static const char beginning[] = "$argon2id$";
  char hash[256];
  livery_status status = livery_get_string(store, setting, hash, sizeof hash, NULL);
  bool is_hash = status == LIVERY_OK && strncmp(hash, beginning, strlen(beginning)) == 0;
  explicit_bzero(hash, sizeof hash);
  if (is_hash) return;
  if (status == LIVERY_OK || status == LIVERY_ERROR_BUFFER_TOO_SMALL)
    note_problem(found, "page", "nobody gets in: what %s holds is no PIN's hash: livery page pin %s", setting, setting);
  else note_problem(found, "page", "nobody gets in without a PIN: livery page pin %s", setting);
}

static void check_parts(problems *found, const agent_settings *settings, livery_store *store) {
  const char *pin = settings->page.pin_setting;
  if (settings->page.is_enabled && settings->page.listen[0]) check_listen(found, settings->page.listen, pin);
  if (settings->page.is_enabled && store && pin[0]) check_pin(found, store, pin);
  if (settings->fetch.is_enabled || settings->sync.is_enabled) {
    const char *part = settings->sync.is_enabled ? "sync" : "fetch";
    check_library(found, part, "libcurl.so.4", "libcurl4");
    check_file(found, part, settings->network.ca_file);
  }
  if (settings->sync.is_enabled) check_broker(found, settings);
}

static bool is_same_place(const char *one, const char *other) {
  struct stat first, second;
  if (stat(one, &first) != 0 || stat(other, &second) != 0) return strcmp(one, other) == 0;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static int check(const command *command) {
  livery_store *config = NULL, *store = NULL;
  livery_status status = open_store(command, config_path, LIVERY_OPEN_READ_ONLY, &config);
  if (status == LIVERY_OK) status = agent_settings_check(config);
  if (status != LIVERY_OK) {
    int failed = command_fail(command, status, NULL);
    livery_close(config);
    return failed;
  }
  static agent_settings settings;
  agent_settings_read(config, &settings);
  livery_close(config);
  problems found = {.command = command};
  if (command->is_json) fputs("{\"problems\":[", stdout);
  status = open_store(command, command->store, LIVERY_OPEN_READ_ONLY, &store);
  if (status != LIVERY_OK) note_problem(&found, "settings", "%s", livery_last_error()->message);
  check_secrets(&found, &settings, store);
  check_parts(&found, &settings, store);
  livery_close(store);
  if (command->is_json) fputs("],\"parts\":{", stdout);
  const char *gap = "";
  for (size_t index = 0; index < PARTS; index++) {
    bool is_on = agent_parts[index]->is_wanted(&settings);
    if (agent_parts[index]->is_helper && !is_on) continue;
    if (command->is_json) printf("%s\"%s\":%s", gap, agent_parts[index]->name, is_on ? "true" : "false");
    gap = ",";
    const char *state = !is_on ? "is off" : found.keeps[index] ? "cannot run" : "is to run";
    if (!command->is_json) printf("%s: %s\n", agent_parts[index]->name, state);
  }
  if (command->is_json) puts("}}");
  return found.count ? INVALID : DONE;
}

int main(int count, char **words) {
  command command = {.name = "livery agent", .help = help, .options = options, .option_count = sizeof options / sizeof *options};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  if (command.count == 0) return command_usage(&command, "what? livery agent --help tells");
  const char *verb = command.words[0];
  if (command.count > 1) return command_usage(&command, "unknown argument %s", command.words[1]);
  if (strcmp(verb, "schema") == 0) {
    puts(agent_schema);
    return command_end(&command, DONE);
  }
  find_paths(&command);
  bool is_run = strcmp(verb, "run") == 0, is_check = strcmp(verb, "check") == 0;
  if (!is_run && !is_check && strcmp(verb, "status") != 0) return command_usage(&command, "unknown command %s", verb);
  if (!config_path || !config_path[0]) return command_usage(&command, "no store of the agent's given: use --config PATH or set LIVERY_AGENT_CONFIG");
  if ((is_run || is_check) && (!command.store || !command.store[0]))
    return command_usage(&command, "no store given: use --settings PATH or set LIVERY_STORE");
  if ((is_run || is_check) && is_same_place(config_path, command.store))
    return command_usage(&command, "--config and --settings are the same store: the agent has one of its own");
  done = is_run ? run(&command) : is_check ? check(&command) : show_status(&command);
  return command_end(&command, done);
}

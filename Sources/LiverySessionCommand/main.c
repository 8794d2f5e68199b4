// `livery session`: who is logged in, for tests, kiosks and scripts.
#include <command.h>
#include <errno.h>
#include <livery/session.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
  "livery session: who is logged in at this device\n"
  "\n"
  "  livery session                  the state, and why it is so\n"
  "  livery session login [USER]     log somebody in; USER is JSON, or a name\n"
  "  livery session update [USER]    change the token or the end of the session\n"
  "  livery session logout           log out: the token and the layer session go\n"
  "  livery session expire           end the session as expired\n"
  "\n"
  "  --store PATH           the directory of the store; else $LIVERY_STORE\n"
  "  --token-file FILE      with login and update: the token, - for standard input; a newline at its end is left out\n"
  "  --expires-in SECONDS   with login and update: when the session ends by itself; 0 for never\n"
  "  --replace              with login: end a session that is active\n"
  "  --watch                print the state whenever it changes, until SIGTERM or SIGINT\n"
  COMMAND_KEY_HELP("  ")
  "  --timeout MS           how long to wait for other writers; 5000 without it\n"
  "  --json                 print the state as JSON, a line each\n"
  "  -h, --help             print this\n"
  "  --version              print the version\n";

static bool watches, replaces, has_end;
static const char *token_file;
static int64_t lifetime;

static const char *take_seconds(const char *value, void *unused) {
  (void)unused;
  char *end = NULL;
  long long number = strtoll(value, &end, 10);
  if (value[0] < '0' || value[0] > '9' || *end || number > 3153600000LL) return "takes seconds, from 0 to 3153600000";
  lifetime = number;
  has_end = true;
  return NULL;
}

static const command_option options[] = {
  {"token-file", "FILE", .text = &token_file},
  {"expires-in", "SECONDS", .take = take_seconds},
  {"replace", .flag = &replaces},
  {"watch", .flag = &watches},
};

static const char *state_name(int32_t state) {
  static const char *const names[] = {"unknown", "none", "active", "expired"};
  return state >= 0 && state < 4 ? names[state] : "unknown";
}

static const char *reason_name(int32_t reason) {
  static const char *const names[] = {"never", "login", "logout", "time", "expire", "refused", "removed"};
  return reason >= 0 && reason < 7 ? names[reason] : "unknown";
}

static const char *reason_text(int32_t reason) {
  static const char *const texts[] = {"nobody has logged in yet", "somebody logged in", "logged out", "its time was over",
                                      "the app said so", "the token was refused", "the layer session was emptied"};
  return reason >= 0 && reason < 7 ? texts[reason] : "unknown";
}

static void print_time(const char *name, int64_t microseconds, bool is_json) {
  if (!microseconds) return;
  time_t seconds = (time_t)(microseconds / 1000000);
  struct tm parts;
  char text[64] = "";
  if (!gmtime_r(&seconds, &parts) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) return;
  if (is_json) printf(",\"%s\":\"%s\"", name, text);
  else printf(", %s %s", name, text);
}

static void print_state(const command *command, const livery_session_info *info) {
  if (command->is_json) {
    printf("{\"state\":\"%s\",\"reason\":\"%s\"", state_name(info->state), reason_name(info->reason));
    if (info->id[0]) {
      fputs(",\"id\":", stdout);
      command_print_text(info->id);
    }
    printf(",\"token\":%s", info->has_token ? "true" : "false");
    print_time("since", info->since, true);
    print_time("expires", info->expires, true);
    puts("}");
  } else {
    printf("%s: %s", state_name(info->state), reason_text(info->reason));
    print_time("since", info->since, false);
    print_time(info->state == LIVERY_SESSION_ACTIVE ? "until" : "was to end", info->expires, false);
    if (info->state == LIVERY_SESSION_ACTIVE && !info->has_token) fputs(", without a token", stdout);
    putchar('\n');
  }
  fflush(stdout);
}

// What livery_session_bootstrap() came to.
typedef struct outcome {
  bool is_known;
  livery_status status;
} outcome;

static void known(livery_status status, const livery_session_info *info, livery_value *user, const char *message, void *user_data) {
  outcome *outcome = user_data;
  (void)info, (void)user;
  if (status != LIVERY_OK) livery_error_leave(status, message);
  outcome->status = status;
  outcome->is_known = true;
}

static void changed(const livery_session_info *info, livery_value *user, void *user_data) {
  (void)user;
  print_state(user_data, info);
}

static livery_status wait_for(livery_store *store, const bool *is_over) {
  int events = -1;
  livery_status status = livery_event_fd(store, &events);
  while (status == LIVERY_OK && !*is_over) {
    struct pollfd wait = {events, POLLIN, 0};
    if (poll(&wait, 1, -1) > 0) status = livery_dispatch(store, NULL);
  }
  return status;
}

// Of what is longer than a token the library says so.
enum { TOKEN_FILE_MAX = 1 << 20 };

// The token, to be wiped and freed; NULL with errno if it cannot be read.
static char *read_token(size_t *length) {
  char *token = command_read_file(token_file, TOKEN_FILE_MAX, length);
  if (token && *length > 0 && token[*length - 1] == '\n') --*length;
  return token;
}

static livery_status make_user(const char *word, livery_value **user) {
  if (!word) return livery_value_make_string("", 0, user);
  livery_status status = livery_value_from_json(word, LIVERY_ZERO_TERMINATED, user);
  // What begins as an object or a list is meant as one, and is no name.
  if (status == LIVERY_OK) return status;
  if (word[0] == '{' || word[0] == '[') {
    char message[400];
    snprintf(message, sizeof message, "USER: %s", livery_last_error() ? livery_last_error()->message : livery_status_name(status));
    livery_error_leave(status, message);
    return status;
  }
  return livery_value_make_string(word, LIVERY_ZERO_TERMINATED, user);
}

static int begin(const command *command, livery_store *store, bool is_login, const char *word) {
  livery_session_login_options login = LIVERY_SESSION_LOGIN_OPTIONS_INIT;
  livery_value *user = NULL;
  char *token = NULL;
  if (replaces) login.flags = LIVERY_SESSION_REPLACE;
  if (token_file) {
    token = read_token(&login.token_length);
    if (!token) return command_unreadable(command, token_file);
    if (login.token_length == 0) {
      free(token);
      return command_usage(command, "%s holds no token", token_file);
    }
    login.token = token;
  }
  if (has_end && lifetime == 0) {
    login.expires = LIVERY_SESSION_ENDLESS;
  } else if (has_end) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    login.expires = ((int64_t)now.tv_sec + lifetime) * 1000000 + now.tv_nsec / 1000;
  }
  livery_status status = word || is_login ? make_user(word, &user) : LIVERY_OK;
  if (status == LIVERY_OK)
    status = is_login ? livery_session_login(store, user, &login) : livery_session_update(store, user, &login);
  livery_value_release(user);
  if (token) {
    explicit_bzero(token, login.token_length);
    free(token);
  }
  return status == LIVERY_OK ? GO_ON : command_fail(command, status, NULL);
}

static int watch(const command *command, livery_store *store) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int stops = signalfd(-1, &signals, SFD_CLOEXEC), events = -1;
  livery_session_options dispatched = LIVERY_SESSION_OPTIONS_INIT;
  dispatched.flags = LIVERY_SESSION_DISPATCH | LIVERY_SESSION_INITIAL;
  livery_status status = livery_event_fd(store, &events);
  if (status == LIVERY_OK)
    status = livery_session_watch_start(store, &dispatched, changed, (void *)command, NULL, NULL);
  struct pollfd waits[] = {{stops, POLLIN, 0}, {events, POLLIN, 0}};
  while (status == LIVERY_OK) {
    if (poll(waits, 2, -1) < 0) continue;
    if (waits[0].revents) break;
    if (waits[1].revents) status = livery_dispatch(store, NULL);
  }
  close(stops);
  return status == LIVERY_OK ? DONE : command_fail(command, status, NULL);
}

static int run(const command *command, livery_store *store) {
  livery_session_options dispatched = LIVERY_SESSION_OPTIONS_INIT;
  dispatched.flags = LIVERY_SESSION_DISPATCH;
  // It may come when the store is closed.
  static outcome outcome;
  livery_status status = livery_session_bootstrap(store, &dispatched, NULL, known, &outcome, NULL);
  if (status == LIVERY_OK) status = wait_for(store, &outcome.is_known);
  if (status == LIVERY_OK) status = outcome.status;
  if (status != LIVERY_OK) return command_fail(command, status, NULL);

  const char *verb = command->count > 0 ? command->words[0] : "";
  int done = GO_ON;
  if (strcmp(verb, "login") == 0 || strcmp(verb, "update") == 0) {
    done = begin(command, store, verb[0] == 'l', command->count > 1 ? command->words[1] : NULL);
  } else if (*verb) {
    status = verb[0] == 'l' ? livery_session_logout(store) : livery_session_expire(store);
    if (status != LIVERY_OK) done = command_fail(command, status, NULL);
  }
  if (done != GO_ON) return done;
  if (watches) return watch(command, store);
  livery_session_info info = LIVERY_SESSION_INFO_INIT;
  status = livery_session_state(store, &info);
  if (status != LIVERY_OK) return command_fail(command, status, NULL);
  print_state(command, &info);
  return DONE;
}

int main(int count, char **words) {
  command command = {.name = "livery session", .help = help, .options = options, .option_count = sizeof options / sizeof *options,
                     // The token is a secret.
                     .takes_key = true};
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  const char *verb = command.count > 0 ? command.words[0] : "";
  bool is_login = strcmp(verb, "login") == 0, is_update = strcmp(verb, "update") == 0;
  if (*verb && !is_login && !is_update && strcmp(verb, "logout") != 0 && strcmp(verb, "expire") != 0)
    return command_usage(&command, "unknown argument %s", verb);
  int most = is_login || is_update ? 2 : 1;
  if (command.count > most) return command_usage(&command, "unknown argument %s", command.words[most]);
  if (!is_login && !is_update && (token_file || has_end))
    return command_usage(&command, "--token-file and --expires-in are for login and update");
  if (replaces && !is_login) return command_usage(&command, "--replace is for login");
  livery_store *store = NULL;
  // Who may write forgets the token of a session that has ended by its time.
  done = command_open(&command, *verb ? 0 : COMMAND_OPEN_AS_MAY_BE, &store);
  if (done != GO_ON) return done;
  done = run(&command, store);
  livery_close(store);
  return command_end(&command, done);
}

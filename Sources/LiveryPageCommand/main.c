// `livery page`: serves the settings of a store to browsers.
#include <livery/page.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

// Exit statuses as those of `livery`.
enum { DONE = 0, OTHER = 1, USAGE = 2, MISSING = 3, INVALID = 4, REFUSED = 5, BUSY = 6, UNREADABLE = 7, SYSTEM = 8 };

static const char help[] =
  "livery page: every setting in a browser\n"
  "\n"
  "  livery page [OPTION…]     serve the settings; the first line of output is the address to open\n"
  "  livery page pin SETTING   read a PIN from standard input, and keep its hash in a setting\n"
  "\n"
  "  --store PATH         the directory of the store; else $LIVERY_STORE\n"
  "  --layer LAYER        what is edited: user (as without it), session, recommended, enforced, bundle\n"
  "  --listen ADDRESS     an address and a port, such as 0.0.0.0:8080; 127.0.0.1 and a free port without it\n"
  "  --socket PATH        listen at a Unix socket instead, for a web server in front\n"
  "  --host NAME          a name under which browsers may ask for it; can be given more than once\n"
  "  --pin-setting NAME   ask for the PIN whose hash the setting holds; needed for addresses that others reach\n"
  "  --idle SECONDS       end a session after so long without a sign of life: 10 to 86400, 300 without it\n"
  "  --locale TAG         the language of texts, such as de-AT; as the browser prefers without it\n"
  "  --title TEXT         what the page is called\n"
  "  --hidden             show settings that the schema hides, too\n"
  "  --read-only          show everything, and change nothing\n"
  "  --once               end with the first session\n"
  "  --json               print what happens as JSON, a line each\n"
  "  -h, --help           print this\n"
  "\n"
  "A line on standard input makes another address. SIGTERM and SIGINT stop it.\n";

typedef struct command {
  const char *store, *pin;
  char hosts[4096];
  livery_page_options options;
  bool is_json, is_once, asks_pin;
} command;

typedef struct end {
  livery_store *store;
  bool is_json, has_come;
} end;

static int status_of(livery_status status) {
  switch (status) {
    case LIVERY_OK: return DONE;
    case LIVERY_ERROR_INVALID_ARGUMENT: return USAGE;
    case LIVERY_ERROR_NOT_FOUND: case LIVERY_ERROR_NO_VALUE: return MISSING;
    case LIVERY_ERROR_PARSE: case LIVERY_ERROR_INVALID_VALUE: case LIVERY_ERROR_TYPE_MISMATCH: return INVALID;
    case LIVERY_ERROR_READ_ONLY: case LIVERY_ERROR_LOCKED: case LIVERY_ERROR_CONFLICT: return REFUSED;
    case LIVERY_ERROR_BUSY: return BUSY;
    case LIVERY_ERROR_NOT_A_STORE: case LIVERY_ERROR_CORRUPT: case LIVERY_ERROR_FORMAT_NEWER: return UNREADABLE;
    case LIVERY_ERROR_PERMISSION: case LIVERY_ERROR_NO_SPACE: case LIVERY_ERROR_IO: case LIVERY_ERROR_NO_MEMORY: return SYSTEM;
    default: return OTHER;
  }
}

static int fail(livery_status status) {
  const livery_error *error = livery_last_error();
  fprintf(stderr, "livery page: %s\n", error ? error->message : livery_status_name(status));
  return status_of(status);
}

static int usage(const char *problem, const char *word) {
  fprintf(stderr, "livery page: %s%s%s; see `livery page --help`\n", problem, word ? " " : "", word ? word : "");
  return USAGE;
}

static void print_text(const char *text) {
  putchar('"');
  for (; *text; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte == '"' || byte == '\\') printf("\\%c", byte);
    else if (byte < 32) printf("\\u%04x", byte);
    else putchar(byte);
  }
  putchar('"');
}

static void print_end(const livery_page_finished *finished, void *user_data) {
  static const char *const reasons[] = { "", "done", "idle", "stopped" };
  end *end = user_data;
  const char *reason = reasons[finished->reason >= 1 && finished->reason <= 3 ? finished->reason : 0];
  if (end->is_json) {
    printf("{\"finished\":\"%s\",\"first\":%llu,\"last\":%llu,\"names\":[", reason, (unsigned long long)finished->first_revision,
           (unsigned long long)finished->last_revision);
    for (size_t index = 0; index < finished->count; index++) {
      if (index) putchar(',');
      print_text(finished->names[index]);
    }
    puts("]}");
  } else {
    printf("finished: %s", reason);
    for (size_t index = 0; index < finished->count; index++) printf("%s %s", index ? "," : ", changed", finished->names[index]);
    putchar('\n');
  }
  fflush(stdout);
  end->has_come = true;
}

static livery_status print_address(livery_page *page, bool is_json) {
  char *address = NULL;
  livery_status status = livery_page_address(page, &address, NULL);
  if (status == LIVERY_OK) printf(is_json ? "{\"address\":\"%s\"}\n" : "%s\n", address);
  fflush(stdout);
  livery_free(address);
  return status;
}

static bool read_layer(const char *text, livery_layer *layer) {
  static const struct { const char *name; livery_layer layer; } layers[] = {
    { "user", LIVERY_LAYER_USER }, { "session", LIVERY_LAYER_SESSION }, { "recommended", LIVERY_LAYER_RECOMMENDED },
    { "enforced", LIVERY_LAYER_ENFORCED }, { "bundle", LIVERY_LAYER_BUNDLE },
  };
  for (size_t index = 0; index < sizeof layers / sizeof *layers; index++) {
    if (text && strcmp(layers[index].name, text) == 0) {
      *layer = layers[index].layer;
      return true;
    }
  }
  return false;
}

// The value of an option, `--name VALUE` or `--name=VALUE`; NULL where it has none.
static bool takes(const char *name, int count, char **words, int *index, const char **value) {
  size_t length = strlen(name);
  if (strncmp(words[*index], name, length) != 0) return false;
  if (words[*index][length] == '=') *value = words[*index] + length + 1;
  else if (words[*index][length]) return false;
  else *value = *index + 1 < count ? words[++*index] : NULL;
  return true;
}

static int read_options(int count, char **words, command *command) {
  livery_page_options *options = &command->options;
  for (int index = 1; index < count; index++) {
    const char *word = words[index], *value = "", *timeout = "";
    if (strcmp(word, "--json") == 0) command->is_json = true;
    else if (strcmp(word, "--once") == 0) command->is_once = true;
    else if (strcmp(word, "--hidden") == 0) options->flags |= LIVERY_PAGE_HIDDEN;
    else if (strcmp(word, "--read-only") == 0) options->flags |= LIVERY_PAGE_READ_ONLY;
    else if (takes("--store", count, words, &index, &command->store) || takes("--listen", count, words, &index, &options->listen)
             || takes("--socket", count, words, &index, &options->unix_socket)
             || takes("--pin-setting", count, words, &index, &options->pin_setting)
             || takes("--locale", count, words, &index, &options->locale) || takes("--title", count, words, &index, &options->title)
             || takes("--timeout", count, words, &index, &timeout)) continue;
    else if (takes("--host", count, words, &index, &value)) {
      size_t used = strlen(command->hosts);
      if (!value || used + strlen(value) + 2 > sizeof command->hosts) return usage("no host:", value);
      if (used) command->hosts[used++] = ' ';
      strcpy(command->hosts + used, value);
      options->hosts = command->hosts;
    } else if (takes("--layer", count, words, &index, &value)) {
      if (!read_layer(value, &options->layer)) return usage("no layer that can be edited:", value);
      options->has_layer = true;
    } else if (takes("--idle", count, words, &index, &value)) {
      char *rest = NULL;
      unsigned long seconds = value ? strtoul(value, &rest, 10) : 0;
      if (!rest || *rest || seconds < 10 || seconds > 86400) return usage("no number of seconds from 10 to 86400:", value);
      options->idle_s = (uint32_t)seconds;
    } else if (word[0] == '-') return usage("unknown option", word);
    else if (!command->asks_pin && strcmp(word, "pin") == 0) command->asks_pin = true;
    else if (command->asks_pin && !command->pin) command->pin = word;
    else return usage("unknown argument", word);
  }
  return DONE;
}

static livery_status keep_pin(livery_store *store, const char *setting) {
  char pin[256] = "";
  struct termios state;
  bool is_terminal = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &state) == 0;
  if (is_terminal) {
    struct termios quiet = state;
    quiet.c_lflag &= ~(tcflag_t)ECHO;
    fputs("PIN: ", stderr);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
  }
  bool is_read = fgets(pin, sizeof pin, stdin);
  if (is_terminal) {
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &state);
    fputc('\n', stderr);
  }
  pin[is_read ? strcspn(pin, "\r\n") : 0] = 0;
  char *hash = NULL;
  size_t length = 0;
  livery_status status = livery_page_hash_pin(pin, &hash, &length);
  memset(pin, 0, sizeof pin);
  __asm__ volatile("" : : "r"(pin) : "memory");
  if (status == LIVERY_OK) status = livery_set_string(store, LIVERY_LAYER_USER, setting, hash, length);
  livery_free(hash);
  return status;
}

static livery_status serve(livery_store *store, command *command) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int stops = signalfd(-1, &signals, SFD_CLOEXEC), events = -1;
  end end = { store, command->is_json, false };
  livery_page *page = NULL;
  command->options.flags |= LIVERY_PAGE_DISPATCH;
  livery_status status = livery_event_fd(store, &events);
  if (status == LIVERY_OK) status = livery_page_start(store, &command->options, print_end, &end, NULL, &page);
  if (status == LIVERY_OK) status = print_address(page, command->is_json);
  struct pollfd waits[] = { { stops, POLLIN, 0 }, { events, POLLIN, 0 }, { STDIN_FILENO, POLLIN, 0 } };
  while (status == LIVERY_OK && !(command->is_once && end.has_come)) {
    if (poll(waits, 3, -1) < 0) continue;
    if (waits[0].revents) break;
    if (waits[1].revents) status = livery_dispatch(store, NULL);
    if (waits[2].revents) {
      char line[256];
      ssize_t size = read(STDIN_FILENO, line, sizeof line);
      // Without more input it goes on until it is told to stop.
      if (size <= 0) waits[2].fd = -1;
      else if (memchr(line, '\n', (size_t)size)) status = print_address(page, command->is_json);
    }
  }
  livery_page_stop(page);
  livery_dispatch(store, NULL);
  close(stops);
  return status;
}

int main(int count, char **words) {
  command command = { .options = LIVERY_PAGE_OPTIONS_INIT };
  for (int index = 1; index < count; index++) {
    if (strcmp(words[index], "-h") == 0 || strcmp(words[index], "--help") == 0) return fputs(help, stdout) < 0 ? OTHER : DONE;
  }
  int problem = read_options(count, words, &command);
  if (problem != DONE) return problem;
  if (!command.store) command.store = getenv("LIVERY_STORE");
  if (!command.store || !*command.store) return usage("no store: give --store, or set LIVERY_STORE", NULL);
  if (command.asks_pin && !command.pin) return usage("which setting?", NULL);
  livery_store *store = NULL;
  livery_status status = livery_open(command.store, NULL, &store);
  if (status == LIVERY_OK) status = command.asks_pin ? keep_pin(store, command.pin) : serve(store, &command);
  int result = status == LIVERY_OK ? DONE : fail(status);
  livery_close(store);
  return result;
}

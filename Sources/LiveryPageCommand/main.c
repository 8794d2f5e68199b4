// `livery page`: serves the settings of a store to browsers.
#include <command.h>
#include <livery/page.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char help[] =
  "livery page: every setting in a browser\n"
  "\n"
  "  livery page [OPTION…]     serve the settings; the first line of output is the address to open\n"
  "  livery page brand [BRAND] draw a brand, or what is in effect, as one HTML document: `livery brand show --html`\n"
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
  "  --prompts            show prompts that no program shows, such as logins, for whoever has the page open\n"
  "  --once               end with the first session\n"
  "  --html FILE          where `brand` writes to; standard output without it\n"
  COMMAND_KEY_HELP("")
  "  --timeout MS         how long to wait for other writers; 5000 without it\n"
  "  --json               print what happens as JSON, a line each\n"
  "  -h, --help           print this\n"
  "  --version            print the version\n"
  "\n"
  "A line on standard input makes another address. SIGTERM and SIGINT stop it.\n";

// What is asked for.
static livery_page_options page_options = LIVERY_PAGE_OPTIONS_INIT;
static char hosts[4096];
static bool is_once, shows_hidden, is_read_only, shows_prompts;
static const char *html_file;

typedef struct end {
  livery_store *store;
  bool is_json, has_come;
} end;

static void print_end(const livery_page_finished *finished, void *user_data) {
  static const char *const reasons[] = { "", "done", "idle", "stopped" };
  end *end = user_data;
  const char *reason = reasons[finished->reason >= 1 && finished->reason <= 3 ? finished->reason : 0];
  if (end->is_json) {
    printf("{\"finished\":\"%s\",\"first\":%llu,\"last\":%llu,\"names\":[", reason, (unsigned long long)finished->first_revision,
           (unsigned long long)finished->last_revision);
    for (size_t index = 0; index < finished->count; index++) {
      if (index) putchar(',');
      command_print_text(finished->names[index]);
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

static const char *take_layer(const char *value, void *unused) {
  static const struct { const char *name; livery_layer layer; } layers[] = {
    { "user", LIVERY_LAYER_USER }, { "session", LIVERY_LAYER_SESSION }, { "recommended", LIVERY_LAYER_RECOMMENDED },
    { "enforced", LIVERY_LAYER_ENFORCED }, { "bundle", LIVERY_LAYER_BUNDLE },
  };
  (void)unused;
  for (size_t index = 0; index < sizeof layers / sizeof *layers; index++) {
    if (strcmp(layers[index].name, value) != 0) continue;
    page_options.layer = layers[index].layer;
    page_options.has_layer = true;
    return NULL;
  }
  return "takes a layer that can be edited";
}

static const char *take_idle(const char *value, void *unused) {
  (void)unused;
  unsigned long seconds = strtoul(value, NULL, 10);
  if (value[strspn(value, "0123456789")] || strlen(value) > 5 || seconds < 10 || seconds > 86400)
    return "takes seconds, from 10 to 86400";
  page_options.idle_s = (uint32_t)seconds;
  return NULL;
}

static const char *take_host(const char *value, void *unused) {
  (void)unused;
  size_t used = strlen(hosts);
  if (used + strlen(value) + 2 > sizeof hosts) return "is there too often";
  if (used) hosts[used++] = ' ';
  strcpy(hosts + used, value);
  page_options.hosts = hosts;
  return NULL;
}

static const command_option options[] = {
  { "layer", "LAYER", .take = take_layer, .only = "-" }, { "listen", "ADDRESS", .text = &page_options.listen, .only = "-" },
  { "socket", "PATH", .text = &page_options.unix_socket, .only = "-" }, { "host", "NAME", .take = take_host, .only = "-" },
  { "pin-setting", "NAME", .text = &page_options.pin_setting, .only = "-" },
  { "idle", "SECONDS", .take = take_idle, .only = "-" }, { "locale", "TAG", .text = &page_options.locale, .only = "- brand" },
  { "title", "TEXT", .text = &page_options.title, .only = "-" }, { "hidden", .flag = &shows_hidden, .only = "-" },
  { "read-only", .flag = &is_read_only, .only = "-" }, { "once", .flag = &is_once, .only = "-" },
  { "prompts", .flag = &shows_prompts, .only = "-" }, { "html", "FILE", .text = &html_file, .only = "brand" },
};

static livery_status keep_pin(livery_store *store, const char *setting) {
  size_t count = 0;
  char *pin = command_read_line("PIN", true, &count);
  char *hash = NULL;
  size_t length = 0;
  livery_status status = livery_page_hash_pin(pin ? pin : "", &hash, &length);
  if (pin) explicit_bzero(pin, count);
  free(pin);
  if (status == LIVERY_OK) status = livery_set_string(store, LIVERY_LAYER_USER, setting, hash, length);
  livery_free(hash);
  // The engine's own words have the beginning of the hash.
  if (status == LIVERY_ERROR_INVALID_VALUE || status == LIVERY_ERROR_TYPE_MISMATCH) {
    char message[400];
    snprintf(message, sizeof message, "`%.255s` cannot hold a PIN: its hash is a text of %zu letters", setting, length);
    livery_error_leave(status, message);
  }
  return status;
}

// Draws a brand; what went wrong with the file is the exit status, and with the store a status.
static livery_status draw_brand(livery_store *store, const command *command, int *done) {
  const char *brand = command->count > 1 ? command->words[1] : NULL;
  char *drawn = NULL;
  size_t length = 0;
  livery_status status = livery_page_brand(store, brand, page_options.locale, &drawn, &length);
  bool is_output = !html_file || strcmp(html_file, "-") == 0;
  if (status == LIVERY_OK && is_output) fwrite(drawn, 1, length, stdout);
  if (status == LIVERY_OK && !is_output) {
    FILE *file = fopen(html_file, "we");
    bool is_written = file && fwrite(drawn, 1, length, file) == length;
    if (file && fclose(file) != 0) is_written = false;
    if (!is_written) *done = command_unwritable(command, html_file);
    else if (command->is_json) {
      printf("{\"written\":");
      command_print_text(html_file);
      puts("}");
    }
  }
  livery_free(drawn);
  return status;
}

static livery_status serve(livery_store *store, const command *command) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  int stops = signalfd(-1, &signals, SFD_CLOEXEC), events = -1;
  end end = { store, command->is_json, false };
  livery_page *page = NULL;
  page_options.flags = LIVERY_PAGE_DISPATCH | (shows_hidden ? LIVERY_PAGE_HIDDEN : 0) | (is_read_only ? LIVERY_PAGE_READ_ONLY : 0)
                       | (shows_prompts ? LIVERY_PAGE_PROMPTS : 0);
  livery_status status = livery_event_fd(store, &events);
  if (status == LIVERY_OK) status = livery_page_start(store, &page_options, print_end, &end, NULL, &page);
  if (status == LIVERY_OK) status = print_address(page, command->is_json);
  struct pollfd waits[] = { { stops, POLLIN, 0 }, { events, POLLIN, 0 }, { STDIN_FILENO, POLLIN, 0 } };
  while (status == LIVERY_OK && !(is_once && end.has_come)) {
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
  command command = { .name = "livery page", .help = help, .options = options, .option_count = sizeof options / sizeof *options,
    // The hash of a PIN is a secret, and others may be shown.
    .takes_key = true };
  int done = command_read(&command, count, words);
  if (done != GO_ON) return done;
  bool asks_pin = command.count > 0 && strcmp(command.words[0], "pin") == 0;
  bool draws = command.count > 0 && strcmp(command.words[0], "brand") == 0;
  if (command.count > 0 && !asks_pin && !draws) return command_usage(&command, "unknown argument %s", command.words[0]);
  if (asks_pin && command.count == 1) return command_usage(&command, "which setting?");
  if (command.count > 2) return command_usage(&command, "unknown argument %s", command.words[2]);
  livery_store *store = NULL;
  // Of what goes wrong with a brand `livery brand show` tells, too.
  if (draws) command.name = "livery";
  done = command_open(&command, draws ? LIVERY_OPEN_READ_ONLY : 0, &store);
  if (done != GO_ON) return done;
  done = DONE;
  livery_status status = asks_pin ? keep_pin(store, command.words[1])
    : draws ? draw_brand(store, &command, &done) : serve(store, &command);
  uint64_t revision = 0;
  if (status != LIVERY_OK) done = command_fail(&command, status, NULL);
  else if (asks_pin && command.is_json && livery_revision(store, &revision) == LIVERY_OK)
    printf("{\"revision\":%llu}\n", (unsigned long long)revision);
  livery_close(store);
  return command_end(&command, done);
}

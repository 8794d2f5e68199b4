// Serves the settings of a store for a test to attack, and does what it is told line by line:
//
//     serve STORE [OPTION=VALUE...]
//
// Options are those of livery_page_options, and `pin`, which is put into `page.pin`. `address`, `stop`, `set NAME VALUE` and
// `quit` are understood; each is answered with a line. Each session's end prints `finished REASON COUNT`.
#include <livery.h>
#include <livery/page.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_finished(const livery_page_finished *finished, void *user_data) {
  (void)user_data;
  printf("finished %d %zu\n", finished->reason, finished->count);
  fflush(stdout);
}

static void print_destroyed(void *user_data) {
  (void)user_data;
  printf("destroyed\n");
  fflush(stdout);
}

static void say(livery_status status, const char *text) {
  const livery_error *error = livery_last_error();
  if (status == LIVERY_OK) printf("ok %s\n", text);
  else printf("error %d %s\n", status, error ? error->message : "");
  fflush(stdout);
}

static void set_pin(livery_store *store, const char *pin) {
  char *hash = NULL;
  if (livery_page_hash_pin(pin, &hash, NULL) == LIVERY_OK) livery_set_string(store, LIVERY_LAYER_USER, "page.pin", hash, strlen(hash));
  livery_free(hash);
}

static void take_option(livery_store *store, livery_page_options *options, char *text) {
  char *value = strchr(text, '=');
  if (!value) return;
  *value++ = 0;
  if (strcmp(text, "listen") == 0) options->listen = value;
  if (strcmp(text, "unix_socket") == 0) options->unix_socket = value;
  if (strcmp(text, "hosts") == 0) options->hosts = value;
  if (strcmp(text, "prompts") == 0) options->flags |= LIVERY_PAGE_PROMPTS;
  if (strcmp(text, "idle_s") == 0) options->idle_s = (uint32_t)atoi(value);
  if (strcmp(text, "pin") == 0) {
    set_pin(store, value);
    options->pin_setting = "page.pin";
  }
}

static void print_address(livery_page *page) {
  char *address = NULL;
  livery_status status = livery_page_address(page, &address, NULL);
  say(status, address ? address : "");
  livery_free(address);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  livery_store *store = NULL;
  livery_open_options opening = LIVERY_OPEN_OPTIONS_INIT;
  opening.flags = LIVERY_OPEN_CREATE;
  livery_status status = livery_open(argv[1], &opening, &store);
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  for (int index = 2; index < argc; index++) take_option(store, &options, argv[index]);
  livery_page *page = NULL;
  if (status == LIVERY_OK) status = livery_page_start(store, &options, print_finished, NULL, print_destroyed, &page);
  if (status != LIVERY_OK) {
    say(status, "");
    return 1;
  }
  print_address(page);
  char line[1024];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    if (strcmp(line, "address") == 0) print_address(page);
    if (strcmp(line, "stop") == 0) say(livery_page_stop(page), "stopped");
    if (strncmp(line, "set ", 4) == 0) {
      char *value = strchr(line + 4, ' ');
      if (value) *value++ = 0;
      say(livery_set_string(store, LIVERY_LAYER_USER, line + 4, value ? value : "", value ? strlen(value) : 0), "");
    }
    if (strcmp(line, "close") == 0) say(livery_close(store), "closed");
    if (strcmp(line, "quit") == 0) break;
  }
  livery_close(store);
  return 0;
}

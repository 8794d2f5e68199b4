// The C functions of the extension `page`: what they refuse, what they hand out, and the end of sessions.
#include "fixture.h"

#include <arpa/inet.h>
#include <livery/page.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

static const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;

typedef struct notes {
  int ends, destroyed;
  livery_page_reason reason;
  size_t count;
} notes;

static void note_end(const livery_page_finished *finished, void *user_data) {
  notes *notes = user_data;
  notes->ends++;
  notes->reason = finished->reason;
  notes->count = finished->count;
}

static void note_destroy(void *user_data) { ((notes *)user_data)->destroyed++; }

// Opens the address, as a browser does: what it is answered with.
static int visit(const char *address) {
  unsigned port = 0;
  char path[200] = "", request[512], answer[64] = "";
  if (sscanf(address, "http://127.0.0.1:%u%199s", &port, path) != 2) return -1;
  struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int status = -1;
  if (connect(descriptor, (struct sockaddr *)&place, sizeof place) == 0) {
    int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", path, port);
    if (write(descriptor, request, (size_t)length) == length && read(descriptor, answer, sizeof answer - 1) > 12) status = atoi(answer + 9);
  }
  close(descriptor);
  return status;
}

TEST("an address opens one session, which ends with the page, and is told of once", session) {
  livery_store *store = open_store(fresh_path());
  notes notes = {0, 0, 0, 0};
  livery_page *page = NULL;
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  options.flags = LIVERY_PAGE_DISPATCH;
  OK(livery_page_start(store, &options, note_end, &notes, note_destroy, &page));
  char *address = NULL, *other = NULL;
  size_t length = 0;
  OK(livery_page_address(page, &address, &length));
  EXPECT(length == strlen(address));
  OK(livery_page_address(page, &other, NULL));
  EXPECT(strcmp(address, other) != 0);
  EXPECT(visit(address) == 303);
  EXPECT(visit(address) == 403);
  livery_free(address);
  livery_free(other);
  EXPECT(notes.ends == 0);
  OK(livery_page_stop(page));
  OK(livery_dispatch(store, NULL));
  EXPECT(notes.ends == 1 && notes.reason == LIVERY_PAGE_STOPPED && notes.count == 0);
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_page_stop(page));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_page_address(page, &address, NULL));
  OK(livery_close(store));
  EXPECT(notes.destroyed == 1);
}

TEST("closing the store stops the page", closing) {
  livery_store *store = open_store(fresh_path());
  notes notes = {0, 0, 0, 0};
  livery_page *page = NULL;
  OK(livery_page_start(store, NULL, note_end, &notes, note_destroy, &page));
  char *address = NULL;
  OK(livery_page_address(page, &address, NULL));
  EXPECT(visit(address) == 303);
  OK(livery_close(store));
  for (int round = 0; round < 200 && notes.destroyed == 0; round++) usleep(10000);
  EXPECT(notes.ends == 1 && notes.destroyed == 1);
  EXPECT(visit(address) == -1);
  livery_free(address);
}

TEST("what is wrong with an option is told, and the end of user_data all the same", refused) {
  livery_store *store = open_store(fresh_path());
  notes notes = {0, 0, 0, 0};
  livery_page *page = NULL;
  EXPECT_STATUS(invalid, livery_page_start(NULL, NULL, note_end, &notes, note_destroy, &page));
  EXPECT_STATUS(invalid, livery_page_start(store, NULL, note_end, &notes, note_destroy, NULL));
  EXPECT(notes.destroyed == 2);
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  options.flags = 1u << 30;
  EXPECT_STATUS(invalid, livery_page_start(store, &options, NULL, NULL, NULL, &page));
  options.flags = 0;
  options.idle_s = 9;
  EXPECT_STATUS(invalid, livery_page_start(store, &options, NULL, NULL, NULL, &page));
  options.idle_s = 0;
  options.listen = "0.0.0.0:0";
  EXPECT_STATUS(invalid, livery_page_start(store, &options, NULL, NULL, NULL, &page));
  options.listen = "somewhere";
  EXPECT_STATUS(invalid, livery_page_start(store, &options, NULL, NULL, NULL, &page));
  options.listen = NULL;
  options.has_layer = true;
  options.layer = LIVERY_LAYER_DEFAULTS;
  EXPECT_STATUS(invalid, livery_page_start(store, &options, NULL, NULL, NULL, &page));
  options.layer = 99;
  EXPECT_STATUS(invalid, livery_page_start(store, &options, NULL, NULL, NULL, &page));
  options.has_layer = false;
  options.hosts = "not a:host:name";
  EXPECT_STATUS(invalid, livery_page_start(store, &options, NULL, NULL, NULL, &page));
  options.hosts = NULL;
  options.unix_socket = "/nowhere/at/all";
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_page_address(NULL, NULL, NULL));
  EXPECT(livery_page_start(store, &options, NULL, NULL, NULL, &page) != LIVERY_OK);
  OK(livery_page_stop(NULL));
  EXPECT(page == NULL);
  OK(livery_close(store));
}

TEST("a port that is taken is BUSY", taken) {
  livery_store *store = open_store(fresh_path());
  livery_page *first = NULL, *second = NULL;
  OK(livery_page_start(store, NULL, NULL, NULL, NULL, &first));
  char *address = NULL, listen[40];
  unsigned port = 0;
  OK(livery_page_address(first, &address, NULL));
  EXPECT(sscanf(address, "http://127.0.0.1:%u", &port) == 1);
  livery_free(address);
  snprintf(listen, sizeof listen, "127.0.0.1:%u", port);
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  options.listen = listen;
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_page_start(store, &options, NULL, NULL, NULL, &second));
  OK(livery_page_stop(first));
  OK(livery_page_start(store, &options, NULL, NULL, NULL, &second));
  OK(livery_close(store));
}

TEST("a forked child does not keep the port", forked) {
  livery_store *store = open_store(fresh_path());
  livery_page *page = NULL, *again = NULL;
  OK(livery_page_start(store, NULL, NULL, NULL, NULL, &page));
  char *address = NULL, listen[40];
  unsigned port = 0;
  OK(livery_page_address(page, &address, NULL));
  EXPECT(sscanf(address, "http://127.0.0.1:%u", &port) == 1);
  livery_free(address);
  int ends[2];
  char byte = 0;
  EXPECT_INT(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    // It says that it is there, and stays.
    close(ends[1]);
    if (write(ends[0], &byte, 1) != 1) _exit(1);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }
  EXPECT(read(ends[1], &byte, 1) == 1);
  OK(livery_page_stop(page));
  snprintf(listen, sizeof listen, "127.0.0.1:%u", port);
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  options.listen = listen;
  OK(livery_page_start(store, &options, NULL, NULL, NULL, &again));
  close(ends[1]);
  close(ends[0]);
  waitpid(child, NULL, 0);
  OK(livery_close(store));
}

TEST("a store that is only read is shown, and not edited", reading) {
  const char *path = fresh_path();
  livery_store *store = open_store(path), *reader = NULL;
  livery_open_options opening = LIVERY_OPEN_OPTIONS_INIT;
  opening.flags = LIVERY_OPEN_READ_ONLY;
  OK(livery_open(path, &opening, &reader));
  livery_page *page = NULL;
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_page_start(reader, NULL, NULL, NULL, NULL, &page));
  livery_page_options options = LIVERY_PAGE_OPTIONS_INIT;
  options.flags = LIVERY_PAGE_READ_ONLY;
  OK(livery_page_start(reader, &options, NULL, NULL, NULL, &page));
  OK(livery_page_stop(page));
  OK(livery_close(reader));
  OK(livery_close(store));
}

TEST("a brand is drawn as one document, without a page", brand) {
  livery_store *store = open_store(fresh_path());
  char *html = NULL;
  size_t length = 0;
  OK(livery_set_string(store, LIVERY_LAYER_BUNDLE, "branding.name", TEXT("Harbor <b>")));
  OK(livery_set_string(store, LIVERY_LAYER_BUNDLE, "branding.color.Toolbar", TEXT("#123456")));
  OK(livery_page_brand(store, NULL, NULL, &html, &length));
  EXPECT(length == strlen(html));
  EXPECT_CONTAINS("<!DOCTYPE html>", html);
  EXPECT_CONTAINS("Harbor &lt;b&gt;", html);
  EXPECT_CONTAINS("rgb(18, 52, 86)", html);
  EXPECT_CONTAINS("lang=\"en\"", html);
  livery_free(html);
  html = NULL;
  OK(livery_page_brand(store, NULL, "de-AT", &html, NULL));
  EXPECT_CONTAINS("Farben", html);
  livery_free(html);
  html = NULL;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_page_brand(store, "nobody", NULL, &html, NULL));
  EXPECT_STATUS(invalid, livery_page_brand(NULL, NULL, NULL, &html, NULL));
  EXPECT_STATUS(invalid, livery_page_brand(store, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(invalid, livery_page_brand(store, "\xff", NULL, &html, NULL));
  EXPECT_STATUS(invalid, livery_page_brand(store, NULL, "\xff", &html, NULL));
  EXPECT(!html);
  OK(livery_close(store));
}

TEST("a PIN's hash has a salt, and the PIN a length", pin) {
  char *hash = NULL, *again = NULL;
  size_t length = 0;
  OK(livery_page_hash_pin("4711", &hash, &length));
  OK(livery_page_hash_pin("4711", &again, NULL));
  EXPECT(length == strlen(hash) && strncmp(hash, "$argon2id$", 10) == 0 && strcmp(hash, again) != 0);
  livery_free(hash);
  livery_free(again);
  EXPECT_STATUS(invalid, livery_page_hash_pin("471", &hash, NULL));
  EXPECT_STATUS(invalid, livery_page_hash_pin("\xff\xfe\xff\xfe", &hash, NULL));
  EXPECT_STATUS(invalid, livery_page_hash_pin(NULL, &hash, NULL));
  EXPECT_STATUS(invalid, livery_page_hash_pin("4711", NULL, NULL));
}

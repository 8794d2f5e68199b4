// One connection to a broker: a real one that is killed, refuses, and comes back, and others that say what they like.
#include "mosquitto.h"

#include <dlfcn.h>

static atomic_bool has_no_library;
void *__real_dlopen(const char *file, int flags);
void *__wrap_dlopen(const char *file, int flags);
void *__wrap_dlopen(const char *file, int flags) { return has_no_library ? NULL : __real_dlopen(file, flags); }

// The first test: afterwards the library is loaded.
TEST("without libmosquitto it says so, and what to install", without_library) {
  has_no_library = true;
  lvb_options options = {.url = "mqtt://127.0.0.1:1"};
  lvb_broker *broker = NULL;
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, lvb_open(&options, &broker));
  EXPECT_CONTAINS("libmosquitto1", livery_last_error()->message);
  EXPECT(!broker);
  has_no_library = false;
}

TEST("what is no broker's URL, and options that cannot be, are refused", options) {
  static const char *const wrong[] = {
    "", "mqtt:", "mqtt://", "http://host", "mqtt://host:0", "mqtt://host:65536", "mqtt://host:x", "mqtt://host:", "mqtt://a b",
    "mqtt://user@host", "mqtt://host/path", "mqtt://[::1", "mqtt://[]", "mqtt://host:123456", "mqtt://[::1]x",
  };
  lvb_broker *broker = NULL;
  for (size_t index = 0; index < sizeof wrong / sizeof *wrong; index++) {
    lvb_options options = {.url = wrong[index]};
    if (!EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_open(&options, &broker))) fprintf(stderr, "    %s\n", wrong[index]);
  }
  char long_host[400] = "mqtt://";
  memset(long_host + 7, 'a', 380);
  char long_id[66];
  memset(long_id, 'a', 65);
  long_id[65] = 0;
  const char *good = "mqtt://127.0.0.1:1";
  lvb_options refused[] = {
    {.url = NULL}, {.url = long_host}, {.url = good, .keep_alive = 4}, {.url = good, .keep_alive = 3601},
    {.url = good, .spread = 3600001}, {.url = good, .client_id = ""}, {.url = good, .client_id = long_id},
    {.url = good, .user = ""}, {.url = good, .password_file = "x"}, {.url = good, .ca_file = "x"},
  };
  for (size_t index = 0; index < sizeof refused / sizeof *refused; index++)
    EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_open(&refused[index], &broker));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_open(NULL, &broker));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_open(&refused[9], NULL));
  EXPECT(!broker);
  lvb_close(NULL);
}

TEST("topics and messages that cannot be are refused", messages) {
  heard h = HEARD;
  lvb_broker *broker = client("mqtt://127.0.0.1:1", &h);
  if (!broker) return;
  char long_topic[LVB_TOPIC_MAX + 2], payload[LVB_PAYLOAD_MAX + 1] = "";
  memset(long_topic, 'a', sizeof long_topic - 1);
  long_topic[sizeof long_topic - 1] = 0;
  const char *topics[] = {"", long_topic, "a#b", "\xff", NULL};
  for (size_t index = 0; index < sizeof topics / sizeof *topics; index++) {
    EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_subscribe(broker, &topics[index], 1));
    EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_publish(broker, topics[index], "1", 1));
  }
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_publish(broker, "a/+", "1", 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_publish(broker, "a", payload, sizeof payload));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_publish(broker, "a", NULL, 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, lvb_subscribe(broker, topics, LVB_TOPICS_MAX + 1));
  EXPECT_INT(0, facts_of(broker).pending);
  lvb_close(broker);
}

TEST("what is published reaches those who subscribe, also later; and after a broker was killed again", reaches) {
  mosquitto_server server = {0};
  if (!server_open(&server, "mqtt", "allow_anonymous true")) return;
  heard early = HEARD, late = HEARD, none = HEARD;
  lvb_broker *listener = client(server.url, &early), *teller = client(server.url, &none);
  subscribe_to(listener, "livery/shop/fleet");
  OK(lvb_publish(teller, "livery/shop/fleet", "7", 1));
  OK(lvb_publish(teller, "livery/shop/group.a", "8", 1));
  OK(lvb_flush(teller, 60000));
  EVENTUALLY(heard_last(&early, "7"));
  EXPECT_TEXT("livery/shop/fleet", early.topic);
  lvb_broker *later = client(server.url, &late);
  subscribe_to(later, "livery/shop/fleet");
  EVENTUALLY(heard_last(&late, "7"));

  for (int round = 0; round < 5; round++) {
    server_kill(&server);
    EVENTUALLY(facts_of(listener).state == LVB_WAITING && facts_of(teller).state == LVB_WAITING);
    EXPECT(facts_of(listener).reason[0]);
    char version[16];
    snprintf(version, sizeof version, "%d", 10 + round);
    OK(lvb_publish(teller, "livery/shop/fleet", version, strlen(version)));
    EXPECT_INT(1, facts_of(teller).pending);
    EXPECT_STATUS(LIVERY_ERROR_TIMEOUT, lvb_flush(teller, 0));
    EXPECT_CONTAINS(facts_of(teller).reason, livery_last_error()->message);
    if (!server_start(&server)) return;
    OK(lvb_flush(teller, 60000));
    EVENTUALLY(heard_last(&early, version) && heard_last(&late, version));
    EXPECT_INT(0, facts_of(teller).pending);
    EXPECT_INT(LVB_CONNECTED, facts_of(teller).state);
    EXPECT_TEXT("", facts_of(teller).reason);
  }
  EXPECT_INT(0, heard_count(&none));
  lvb_close(listener);
  lvb_close(later);
  lvb_close(teller);
  server_kill(&server);
}

TEST("of a topic the latest message counts, however many were published without a broker", latest) {
  mosquitto_server server = {0};
  if (!server_open(&server, "mqtt", "allow_anonymous true")) return;
  server_kill(&server);
  heard h = HEARD, none = HEARD;
  lvb_broker *teller = client(server.url, &none), *listener = client(server.url, &h);
  subscribe_to(listener, "t/#");
  for (int version = 1; version <= 1000; version++) {
    char text[16], topic[16];
    snprintf(text, sizeof text, "%d", version);
    snprintf(topic, sizeof topic, "t/%d", version % 200);
    OK(lvb_publish(teller, topic, text, strlen(text)));
  }
  EXPECT_INT(200, facts_of(teller).pending);
  if (!server_start(&server)) return;
  OK(lvb_flush(teller, 60000));
  // Whoever comes now finds one message for each topic: of the last two hundred.
  heard late = HEARD;
  lvb_broker *later = client(server.url, &late);
  subscribe_to(later, "t/#");
  EVENTUALLY(heard_count(&late) == 200);
  pthread_mutex_lock(&late.lock);
  EXPECT(atoi(late.payload) > 800);
  pthread_mutex_unlock(&late.lock);
  // Topics that are not wanted any more are silent.
  subscribe_to(later, "else");
  OK(lvb_publish(teller, "else", "x", 1));
  EVENTUALLY(heard_last(&late, "x"));
  OK(lvb_publish(teller, "t/1", "z", 1));
  OK(lvb_publish(teller, "else", "y", 1));
  EVENTUALLY(heard_last(&late, "y"));
  EXPECT_INT(202, heard_count(&late));
  OK(lvb_subscribe(later, NULL, 0));
  lvb_close(listener);
  lvb_close(later);
  lvb_close(teller);
  server_kill(&server);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file) return;
  fputs(text, file);
  fclose(file);
}

static bool heard_reason(heard *h, const char *part) {
  pthread_mutex_lock(&h->lock);
  bool answer = strstr(h->reason, part);
  pthread_mutex_unlock(&h->lock);
  return answer;
}

TEST("who is refused hears why, and gets in once the password file has the right one", passwords) {
  mosquitto_server server = {0};
  snprintf(server.folder, sizeof server.folder, "%s", fresh_path());
  mkdir(server.folder, 0755);
  char command[900], password[400];
  snprintf(password, sizeof password, "%s/password", server.folder);
  snprintf(command, sizeof command, "mosquitto_passwd -b -c %s/users livery right 2>/dev/null", server.folder);
  if (system(command) != 0) SKIP("mosquitto_passwd is not there");
  char more[400];
  snprintf(more, sizeof more, "allow_anonymous false\npassword_file %s/users", server.folder);
  if (!server_open(&server, "mqtt", more)) return;
  heard h = HEARD;
  lvb_options options = {.url = server.url, .spread = 100, .user = "livery", .password_file = password, .changed = note_state, .context = &h};
  lvb_broker *broker = NULL;
  REQUIRE_OK(lvb_open(&options, &broker));
  EVENTUALLY(strstr(facts_of(broker).reason, "password file cannot be read"));
  write_text(password, "wrong\n");
  EVENTUALLY(strstr(facts_of(broker).reason, "the broker refuses the client"));
  EXPECT_INT(0, facts_of(broker).connections);
  char longer[400];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  write_text(password, longer);
  EVENTUALLY(strstr(facts_of(broker).reason, "too long"));
  // Each reason is told when it comes up, though the state is the same.
  EVENTUALLY(heard_reason(&h, "too long"));
  write_text(password, "right\nand more\n");
  EVENTUALLY(facts_of(broker).state == LVB_CONNECTED);
  lvb_close(broker);
  EXPECT_INT(LVB_CONNECTED, h.state);
  server_kill(&server);
}

/** Starts one that speaks TLS. `ca.pem` in its folder has signed its certificate, `other.pem` has not. */
static bool tls_server_open(mosquitto_server *server) {
  snprintf(server->folder, sizeof server->folder, "%s", fresh_path());
  mkdir(server->folder, 0755);
  char command[1200], more[1000];
  const char *f = server->folder;
  snprintf(command, sizeof command,
           "cd %s && { for n in ca other; do openssl req -x509 -newkey ed25519 -nodes -days 2 -subj /CN=$n -keyout $n.key -out $n.pem; done;"
           " openssl req -newkey ed25519 -nodes -subj /CN=127.0.0.1 -keyout server.key -out server.csr;"
           " printf 'subjectAltName=IP:127.0.0.1' > extension;"
           " openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile extension -out server.pem;"
           " chmod 644 *.key; } >/dev/null 2>&1",
           f);
  EXPECT_INT(0, system(command));
  snprintf(more, sizeof more, "allow_anonymous true\ncertfile %s/server.pem\nkeyfile %s/server.key", f, f);
  return server_open(server, "mqtts", more);
}

TEST("with mqtts a broker is believed by its certificate alone", certificates) {
  mosquitto_server server = {0};
  if (!tls_server_open(&server)) return;
  char right[400], other[400];
  snprintf(right, sizeof right, "%s/ca.pem", server.folder);
  snprintf(other, sizeof other, "%s/other.pem", server.folder);
  static const char *reasons[] = {NULL, "not trusted", "not trusted", "CA file cannot be read"};
  const char *files[] = {right, other, NULL, "/nonexistent"};
  for (int index = 0; index < 4; index++) {
    lvb_options options = {.url = server.url, .spread = 100, .ca_file = files[index]};
    lvb_broker *broker = NULL;
    REQUIRE_OK(lvb_open(&options, &broker));
    if (!reasons[index]) {
      EVENTUALLY(facts_of(broker).state == LVB_CONNECTED);
      OK(lvb_publish(broker, "a", "1", 1));
      OK(lvb_flush(broker, 60000));
      server_kill(&server);
      EVENTUALLY(facts_of(broker).state == LVB_WAITING);
      if (!server_start(&server)) return;
      EVENTUALLY(facts_of(broker).state == LVB_CONNECTED);
    } else {
      EVENTUALLY(strstr(facts_of(broker).reason, reasons[index]));
      EXPECT_INT(0, facts_of(broker).connections);
    }
    lvb_close(broker);
  }
  // Another name than that of the certificate.
  char url[64];
  snprintf(url, sizeof url, "mqtts://localhost:%d", server.port);
  lvb_options options = {.url = url, .spread = 100, .ca_file = right};
  lvb_broker *broker = NULL;
  REQUIRE_OK(lvb_open(&options, &broker));
  EVENTUALLY(strstr(facts_of(broker).reason, "not trusted"));
  lvb_close(broker);
  server_kill(&server);
}

TEST("a process may end while a broker is being reached", ended) {
  enum { PROCESSES = 400, AT_ONCE = 8 };
  mosquitto_server server = {0};
  if (!tls_server_open(&server)) return;
  char right[400];
  snprintf(right, sizeof right, "%s/ca.pem", server.folder);
  fflush(NULL);
  for (int begun = 0; begun < PROCESSES + AT_ONCE; begun++) {
    if (begun >= AT_ONCE) {
      int status = 0;
      pid_t child;
      while ((child = waitpid(-1, &status, 0)) == server.process) {
      }
      EXPECT(child > 0);
      EXPECT_INT(0, status);
    }
    if (begun >= PROCESSES || fork() != 0) continue;
    lvb_options options = {.url = server.url, .spread = 1, .ca_file = right};
    lvb_broker *broker = NULL;
    if (lvb_open(&options, &broker) != LIVERY_OK) _exit(1);
    usleep((useconds_t)(begun * 37 % 4000));
    lvb_close(broker);
    exit(0);
  }
  server_kill(&server);
}

TEST("a child has no connection, and ends none", forked) {
  mosquitto_server server = {0};
  if (!server_open(&server, "mqtt", "allow_anonymous true")) return;
  heard h = HEARD;
  lvb_broker *broker = client(server.url, &h);
  EVENTUALLY(facts_of(broker).state == LVB_CONNECTED);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    check_failures = 0;
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, lvb_publish(broker, "a", "1", 1));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, lvb_subscribe(broker, NULL, 0));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, lvb_flush(broker, 1000));
    EXPECT_INT(LVB_WAITING, facts_of(broker).state);
    lvb_close(broker);
    // One of its own.
    heard own = HEARD;
    lvb_broker *another = client(server.url, &own);
    OK(lvb_publish(another, "a", "2", 1));
    OK(lvb_flush(another, 60000));
    lvb_close(another);
    _exit(check_failures);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_INT(0, status);
  subscribe_to(broker, "a");
  EVENTUALLY(heard_last(&h, "2"));
  lvb_close(broker);
  server_kill(&server);
}

TEST("a function of the options may close it", closed_within) {
  mosquitto_server server = {0};
  if (!server_open(&server, "mqtt", "allow_anonymous true")) return;
  heard h = HEARD;
  lvb_broker *broker = client(server.url, &h);
  subscribe_to(broker, "a");
  EVENTUALLY(facts_of(broker).state == LVB_CONNECTED);
  h.to_close = broker;
  heard none = HEARD;
  lvb_broker *teller = client(server.url, &none);
  OK(lvb_publish(teller, "a", "1", 1));
  EVENTUALLY(heard_count(&h) == 1);
  OK(lvb_publish(teller, "a", "2", 1));
  OK(lvb_flush(teller, 60000));
  lvb_close(teller);
  EXPECT_INT(1, heard_count(&h));
  server_kill(&server);
}

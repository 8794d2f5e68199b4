// What plays a broker and is none: it is believed nothing, and costs next to nothing.
#include "mosquitto.h"

typedef struct pretender {
  int listener, port;
  // Said to each client once it has asked to be let in.
  const uint8_t *said;
  size_t length;
  // And these many zeros.
  size_t zeros;
  bool says_nothing;
  atomic_int clients;
  atomic_bool has_ended;
  pthread_t thread;
  char url[64];
} pretender;

static bool say_all(int file, const uint8_t *bytes, size_t length) {
  for (size_t sent = 0; sent < length;) {
    ssize_t part = send(file, bytes + sent, length - sent, MSG_NOSIGNAL);
    if (part <= 0) return false;
    sent += (size_t)part;
  }
  return true;
}

static void *pretend(void *argument) {
  pretender *p = argument;
  for (;;) {
    int file = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC);
    if (file < 0 || p->has_ended) break;
    p->clients++;
    uint8_t asked[512];
    if (recv(file, asked, sizeof asked, 0) > 0 && !p->says_nothing && say_all(file, p->said, p->length)) {
      static const uint8_t zeros[65536];
      size_t left = p->zeros;
      while (left > 0 && say_all(file, zeros, left < sizeof zeros ? left : sizeof zeros)) left -= left < sizeof zeros ? left : sizeof zeros;
      // Until the client goes, or has nothing to say for a moment.
      struct pollfd waiting = {.fd = file, .events = POLLIN};
      while (poll(&waiting, 1, 300) > 0 && recv(file, asked, sizeof asked, 0) > 0) {}
    }
    if (p->says_nothing)
      while (recv(file, asked, sizeof asked, 0) > 0) {}
    close(file);
  }
  return NULL;
}

static void pretend_start(pretender *p) {
  p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  EXPECT_INT(0, bind(p->listener, (struct sockaddr *)&address, sizeof address));
  EXPECT_INT(0, listen(p->listener, 16));
  getsockname(p->listener, (struct sockaddr *)&address, &length);
  snprintf(p->url, sizeof p->url, "mqtt://127.0.0.1:%d", ntohs(address.sin_port));
  EXPECT_INT(0, pthread_create(&p->thread, NULL, pretend, p));
}

static void pretend_stop(pretender *p) {
  p->has_ended = true;
  shutdown(p->listener, SHUT_RDWR);
  pthread_join(p->thread, NULL);
  close(p->listener);
}

static long resident_kib(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return -1;
  if (fscanf(file, "%*d %ld", &pages) != 1) pages = -1;
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

#define ACCEPTED 0x20, 0x02, 0x00, 0x00

TEST("a message of 256 MB is neither kept nor waited for", enormous) {
  // The longest that there is: PUBLISH with a remaining length of 268,435,455.
  static const uint8_t said[] = {ACCEPTED, 0x30, 0xff, 0xff, 0xff, 0x7f, 0x00, 0x01, 'a'};
  pretender p = {.said = said, .length = sizeof said, .zeros = 268435452};
  pretend_start(&p);
  heard h = HEARD;
  long before = resident_kib();
  lvb_broker *broker = client(p.url, &h);
  EVENTUALLY(p.clients >= 3);
  EVENTUALLY(strstr(facts_of(broker).reason, "what is no hint"));
  // A good deal may be handed over at once on a busy machine.
  EXPECT(resident_kib() - before < 96 * 1024);
  lvb_close(broker);
  EXPECT_INT(0, heard_count(&h));
  pretend_stop(&p);
}

TEST("what is longer than a hint is passed over, and what follows is heard", longer) {
  static uint8_t said[4 + 2 + 3 + 65 + 2 + 3 + 64] = {ACCEPTED, 0x30, 3 + 65, 0, 1, 'a'};
  memset(said + 9, 'x', 65);
  memcpy(said + 9 + 65, (uint8_t[]){0x30, 3 + 64, 0, 1, 'b'}, 5);
  memset(said + 9 + 65 + 5, 'y', 64);
  pretender p = {.said = said, .length = sizeof said};
  pretend_start(&p);
  heard h = HEARD;
  lvb_broker *broker = client(p.url, &h);
  EVENTUALLY(heard_count(&h) >= 1);
  lvb_close(broker);
  EXPECT_TEXT("b", h.topic);
  EXPECT_INT(64, strlen(h.payload));
  EXPECT_INT('y', h.payload[0]);
  pretend_stop(&p);
}

TEST("whatever a broker says, the client lives", anything) {
  unsigned seed = (unsigned)time(NULL) ^ (unsigned)getpid();
  const char *given = getenv("LIVERY_SEED");
  if (given) seed = (unsigned)strtoul(given, NULL, 10);
  printf("LIVERY_SEED=%u\n", seed);
  srand(seed);
  for (int round = 0; round < 40; round++) {
    static const uint8_t begin[] = {ACCEPTED, 0x30, 6, 0, 1, 'a', '1', '2', '3', 0x90, 3, 0, 1, 0, 0x40, 2, 0, 1, 0xd0, 0};
    uint8_t said[200];
    size_t length = sizeof begin + (size_t)rand() % 100;
    for (size_t index = 0; index < length; index++) said[index] = (uint8_t)rand();
    memcpy(said, begin, (size_t)rand() % (sizeof begin + 1));
    for (int flips = rand() % 3; flips > 0; flips--) said[(size_t)rand() % length] ^= (uint8_t)(1 << rand() % 8);
    pretender p = {.said = said, .length = length};
    pretend_start(&p);
    heard h = HEARD;
    lvb_broker *broker = client(p.url, &h);
    subscribe_to(broker, "a");
    OK(lvb_publish(broker, "b", "1", 1));
    EVENTUALLY(p.clients >= 2);
    lvb_close(broker);
    pretend_stop(&p);
  }
}

TEST("one that never answers is closed at once", silent) {
  pretender p = {.says_nothing = true};
  pretend_start(&p);
  heard h = HEARD;
  lvb_broker *broker = client(p.url, &h);
  EVENTUALLY(p.clients >= 1);
  lvb_close(broker);
  EXPECT_INT(0, h.states);
  pretend_stop(&p);
}

TEST("it may be closed at any moment, and then calls nobody", at_any_moment) {
  static const uint8_t said[] = {ACCEPTED, 0x30, 4, 0, 1, 'a', '1'};
  pretender p = {.said = said, .length = sizeof said};
  pretend_start(&p);
  for (int round = 0; round < 200; round++) {
    heard h = HEARD;
    lvb_broker *broker = client(p.url, &h);
    subscribe_to(broker, "a");
    if (round % 4) usleep((useconds_t)(round * 37 % 3000));
    lvb_close(broker);
    int heard_then = h.count, states_then = h.states;
    pause_ms(round % 10 == 0 ? 5 : 0);
    EXPECT_INT(heard_then, h.count);
    EXPECT_INT(states_then, h.states);
  }
  pretend_stop(&p);
}

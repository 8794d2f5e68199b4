// Writers that are killed between their commit and the wake-up: watchers find the change within a second all the same.
//
//     wake_kill [--kills N] [--limit-ms N] [--broken]
#include "torture.h"

enum { AT_ONCE = 16, PATIENCE_S = 30 };

typedef struct place {
  char path[260];
  livery_store *store;
  livery_watch *watch;
  _Atomic double heard;
  pid_t writer;
  double died;
} place;

static place places[AT_ONCE];

static void hear(const livery_event *events, size_t count, void *context) {
  (void)events, (void)count;
  ((place *)context)->heard = seconds_now();
}

static livery_store *open_store(const char *path) {
  livery_store *store = NULL;
  if (open_with(path, LIVERY_OPEN_CREATE, &store) != LIVERY_OK) give_up("%s", path);
  return store;
}

/** In a process of its own, into which the library that kills is loaded. */
static int write_and_die(const char *path, const char *value) {
  livery_set_int(open_store(path), LIVERY_LAYER_USER, "n", atoi(value));
  return 1;
}

static void start_writer(place *place, const char *killer, uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  place->heard = 0;
  place->writer = fork();
  if (place->writer != 0) return;
  setenv("LD_PRELOAD", killer, 1);
  execl("/proc/self/exe", "wake_kill", "--write", place->path, text, (char *)NULL);
  _exit(2);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--write") == 0) return write_and_die(argv[2], argv[3]);
  begin_torture("wake_kill", argc, argv);
  uint64_t kills = option_number("--kills", 32), done = 0;
  // For seeing the harness fail: nobody hears before the writer has died.
  double limit_ms = option_given("--broken") ? -1000 : (double)option_number("--limit-ms", 1100), worst = 0;
  char self[512], killer[600];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length < 0) give_up("no path");
  self[length] = 0;
  snprintf(killer, sizeof killer, "%.*s/libdie_before_wake.so", (int)(strrchr(self, '/') - self), self);
  double began = seconds_now();
  for (int index = 0; index < AT_ONCE; index++) {
    place *place = &places[index];
    snprintf(place->path, sizeof place->path, "%s/%d", torture_directory, index);
    place->store = open_store(place->path);
    if (livery_watch_start(place->store, "n", NULL, hear, place, NULL, &place->watch) != LIVERY_OK) give_up("watching");
  }
  while (done < kills) {
    uint64_t batch = kills - done < AT_ONCE ? kills - done : AT_ONCE;
    for (uint64_t index = 0; index < batch; index++) start_writer(&places[index], killer, done + index);
    for (uint64_t index = 0; index < batch; index++) {
      int status = 0;
      waitpid(places[index].writer, &status, 0);
      places[index].died = seconds_now();
      if (!WIFSIGNALED(status)) finding("wake_kill: the writer was not killed: it %s", ending(status));
    }
    for (uint64_t index = 0; index < batch; index++) {
      place *place = &places[index];
      while (place->heard == 0 && seconds_now() - place->died < PATIENCE_S) sleep_us(2000);
      double delay = place->heard == 0 ? PATIENCE_S * 1000.0 : (place->heard - place->died) * 1000;
      if (delay > worst) worst = delay;
      if (delay > limit_ms) finding("wake_kill: heard %.0f ms after the writer's death", delay);
    }
    done += batch;
  }
  for (int index = 0; index < AT_ONCE; index++) livery_close(places[index].store);
  printf("wake_kill: wake_kills=%" PRIu64 " delay_ms_max=%.1f errors=%" PRIu64 " seconds=%.1f\n", done, worst, findings(),
         seconds_now() - began);
  return findings() ? 1 : 0;
}

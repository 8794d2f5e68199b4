// A writer is killed between its commit and the wake-up: the watcher finds the change within a second all the same.
//
//     watch_killed PRELOAD     $LIVERY_WATCH_KILLS times (3 by default), several at once
#include <livery.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { at_once = 16 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

typedef struct place {
  char path[64];
  livery_store *store;
  livery_watch *watch;
  _Atomic double heard;
  pid_t writer;
  double died;
} place;

static void hear(const livery_event *events, size_t count, void *context) {
  (void)events;
  (void)count;
  atomic_store(&((place *)context)->heard, now());
}

static livery_store *open_store(const char *path) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(path, &options, &store) != LIVERY_OK) {
    fprintf(stderr, "watch_killed: %s\n", livery_last_error()->message);
    exit(1);
  }
  return store;
}

static int write_and_die(const char *path, const char *value) {
  livery_set_int(open_store(path), LIVERY_LAYER_USER, "n", atoi(value));
  return 1;  // it was to be killed
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "--write") == 0) return write_and_die(argv[2], argv[3]);
  const char *given = getenv("LIVERY_WATCH_KILLS");
  int kills = given ? atoi(given) : 3, done = 0, failures = 0;
  double worst = 0;
  place places[at_once];
  memset(places, 0, sizeof places);
  for (int i = 0; i < at_once; i++) {
    strcpy(places[i].path, "/tmp/livery-watch-killed-XXXXXX");
    if (!mkdtemp(places[i].path)) return 1;
    places[i].store = open_store(places[i].path);
    if (livery_watch_start(places[i].store, "n", NULL, hear, &places[i], NULL, &places[i].watch) != LIVERY_OK) return 1;
  }
  while (done < kills) {
    int batch = kills - done < at_once ? kills - done : at_once;
    for (int i = 0; i < batch; i++) {
      char value[16];
      snprintf(value, sizeof value, "%d", done + i);
      atomic_store(&places[i].heard, 0);
      places[i].writer = fork();
      if (places[i].writer == 0) {
        setenv("LD_PRELOAD", argv[1], 1);
        execl("/proc/self/exe", "watch_killed", "--write", places[i].path, value, NULL);
        _exit(2);
      }
    }
    for (int i = 0; i < batch; i++) {
      int status = 0;
      waitpid(places[i].writer, &status, 0);
      places[i].died = now();
      if (!WIFSIGNALED(status)) failures++;
    }
    for (int i = 0; i < batch; i++) {
      while (atomic_load(&places[i].heard) == 0 && now() - places[i].died < 3) usleep(2000);
      double delay = atomic_load(&places[i].heard) == 0 ? 99 : atomic_load(&places[i].heard) - places[i].died;
      if (delay > worst) worst = delay;
      if (delay > 1.1) failures++;
    }
    done += batch;
  }
  printf("watch_killed: %d writers killed before waking, worst delay %.3f s, %d failures\n", done, worst, failures);
  for (int i = 0; i < at_once; i++) {
    livery_close(places[i].store);
    char command[2048];
    snprintf(command, sizeof command, "rm -rf %s", places[i].path);
    if (system(command) != 0) failures++;
  }
  return failures != 0;
}

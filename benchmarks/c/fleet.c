// Devices of a fleet, each with a store of its own, for benchmarks/fleet.py.
//
//   bench-fleet devices FOLDER FIRST BROKER    reads a code from each line of standard input, joins, and takes part; then
//                                              writes "ready NUMBER ID" for each, and "value NUMBER VALUE NANOSECONDS" when its
//                                              setting `volume` has another value, by the clock that never goes back. Ends with
//                                              its input.
//   bench-fleet hint BROKER TOPIC VERSION      has the broker keep a hint
#include <cmosquitto.h>
#include <livery.h>
#include <livery/sync.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEVICES_MAX = 4096 };

typedef struct device {
  int number;
  livery_store *store;
  livery_sync *sync;
  livery_watch *watch;
  bool has_joined, has_failed;
  int64_t value;
} device;

static device devices[DEVICES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int under_way;

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void note_joined(livery_status status, const char *message, livery_value *report, void *user_data) {
  (void)report;
  device *d = user_data;
  if (status != LIVERY_OK) fprintf(stderr, "device %d: %s\n", d->number, message);
  pthread_mutex_lock(&lock);
  d->has_joined = status == LIVERY_OK;
  under_way--;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}

static void note_value(const livery_event *events, size_t count, void *user_data) {
  (void)events, (void)count;
  device *d = user_data;
  long long moment = now();
  int64_t value = 0;
  if (livery_get_int(d->store, "volume", &value) != LIVERY_OK || value == d->value) return;
  d->value = value;
  pthread_mutex_lock(&lock);
  printf("value %d %lld %lld\n", d->number, (long long)value, moment);
  fflush(stdout);
  pthread_mutex_unlock(&lock);
}

static bool join(device *d, const char *folder, const char *code) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%d", folder, d->number);
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(path, &options, &d->store) != LIVERY_OK) return false;
  pthread_mutex_lock(&lock);
  // A few at a time.
  while (under_way >= 8) pthread_cond_wait(&changed, &lock);
  under_way++;
  pthread_mutex_unlock(&lock);
  livery_sync_enroll_start(d->store, code, NULL, note_joined, d, NULL, NULL);
  return true;
}

static bool take_part(device *d, const char *broker) {
  livery_sync_options options = LIVERY_SYNC_OPTIONS_INIT;
  options.broker = broker;
  return d->has_joined && livery_watch_start(d->store, "volume", NULL, note_value, d, NULL, &d->watch) == LIVERY_OK
         && livery_sync_start(d->store, &options, &d->sync) == LIVERY_OK;
}

static void tell(device *d) {
  livery_value *status = NULL, *id = NULL;
  const char *text = NULL;
  if (livery_sync_status(d->store, &status) == LIVERY_OK && livery_value_member(status, "device", &id) == LIVERY_OK
      && livery_value_as_string(id, &text, NULL) == LIVERY_OK) {
    pthread_mutex_lock(&lock);
    printf("ready %d %s\n", d->number, text);
    fflush(stdout);
    pthread_mutex_unlock(&lock);
  }
  livery_value_release(id);
  livery_value_release(status);
}

static int run_devices(const char *folder, int first, const char *broker) {
  int count = 0, failed = 0;
  char line[400];
  while (count < DEVICES_MAX && fgets(line, sizeof line, stdin) && line[0] != '\n') {
    line[strcspn(line, "\n")] = 0;
    devices[count].number = first + count;
    if (!join(&devices[count], folder, line)) {
      fprintf(stderr, "device %d: %s\n", first + count, livery_last_error()->message);
      return 1;
    }
    count++;
  }
  pthread_mutex_lock(&lock);
  while (under_way > 0) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  for (int index = 0; index < count; index++) {
    if (take_part(&devices[index], broker)) tell(&devices[index]);
    else failed++;
  }
  if (failed) fprintf(stderr, "%d devices do not take part\n", failed);
  while (fgets(line, sizeof line, stdin)) {}
  for (int index = 0; index < count; index++) {
    livery_watch_stop(devices[index].watch);
    livery_sync_stop(devices[index].sync);
    livery_close(devices[index].store);
  }
  return failed != 0;
}

static int hint(const char *url, const char *topic, const char *version) {
  lvb_options options = {.url = url, .spread = 200};
  lvb_broker *broker = NULL;
  livery_status status = lvb_open(&options, &broker);
  if (status == LIVERY_OK) status = lvb_publish(broker, topic, version, strlen(version));
  if (status == LIVERY_OK) status = lvb_flush(broker, 30000);
  if (status != LIVERY_OK) fprintf(stderr, "%s\n", livery_last_error()->message);
  lvb_close(broker);
  return status != LIVERY_OK;
}

int main(int count, char **words) {
  if (count == 5 && strcmp(words[1], "devices") == 0) return run_devices(words[2], atoi(words[3]), words[4]);
  if (count == 5 && strcmp(words[1], "hint") == 0) return hint(words[2], words[3], words[4]);
  fprintf(stderr, "bench-fleet: see benchmarks/c/fleet.c\n");
  return 2;
}

// Threads that read, write, watch, hold snapshots and keys, while others close all that under their hands, also from
// inside of callbacks. Whatever a call meets, it gives a status that fits; what is open works; destroy functions run once.
//
//     close_load [--operations N] [--threads N] [--seed S] [--broken]
//
// Built with ThreadSanitizer by `scripts/torture`, which finds what no status shows.
#include "torture.h"

#include <pthread.h>

enum { SLOTS = 12, MOST_THREADS = 64 };

static char path[256];
static _Atomic(void *) stores[SLOTS], keys[SLOTS], snapshots[SLOTS], watches[SLOTS], changes[SLOTS];
static _Atomic uint64_t operations, opened, closed_statuses, events_seen, started, destroyed;
static uint64_t wanted, seed;

// Each thread has numbers of its own.
static __thread uint64_t state;
static uint64_t drawn(uint64_t limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state >> 11) % limit;
}

static void expect(livery_status status, const char *call) {
  operations++;
  switch (status) {
    case LIVERY_OK: case LIVERY_ERROR_NOT_FOUND: case LIVERY_ERROR_NO_VALUE: case LIVERY_ERROR_CONFLICT:
    case LIVERY_ERROR_BUSY: case LIVERY_ERROR_LOCKED: return;
    case LIVERY_ERROR_CLOSED: closed_statuses++; return;
    // An empty slot.
    case LIVERY_ERROR_INVALID_ARGUMENT: return;
    default:
      finding("close_load: %s gave %s: %s\n  again: scripts/torture again close_load --seed %#llx", call,
              livery_status_name(status), livery_last_error()->message, (unsigned long long)seed);
  }
}

// Puts a handle into a slot; what was there is closed by whoever takes it out.
static void *swap(_Atomic(void *) *slots, void *fresh) { return atomic_exchange(&slots[drawn(SLOTS)], fresh); }
static void *any(_Atomic(void *) *slots) { return atomic_load(&slots[drawn(SLOTS)]); }

static void drop(void *user_data) {
  (void)user_data;
  destroyed++;
}

static void take(const livery_event *events, size_t count, void *user_data) {
  uint64_t last = 0;
  (void)user_data;
  if (state == 0) state = mixed(seed ^ (uintptr_t)&last) | 1;
  for (size_t index = 0; index < count; index++) {
    if (events[index].revision < last && events[index].kind != LIVERY_EVENT_INITIAL)
      finding("close_load: revisions fall within a call");
    last = events[index].revision;
  }
  events_seen += count;
  // From inside anything may be done, also to its own store and watch.
  switch (drawn(40)) {
    case 0: expect(livery_close(swap(stores, NULL)), "livery_close in a callback"); break;
    case 1: expect(livery_watch_stop(swap(watches, NULL)), "livery_watch_stop in a callback"); break;
    case 2: expect(livery_set_int(any(stores), LIVERY_LAYER_USER, "from.callback", (int64_t)drawn(5)), "livery_set_int in a callback"); break;
    case 3: expect(livery_dispatch(any(stores), NULL), "livery_dispatch in a callback"); break;
    default: break;
  }
}

static livery_store *open_one(void) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE | (drawn(2) ? LIVERY_OPEN_DEFERRED : 0);
  options.log_entries = 200;
  livery_status status = livery_open(path, &options, &store);
  expect(status, "livery_open");
  opened += status == LIVERY_OK;
  return store;
}

static void log_nothing(int32_t level, const char *message, void *user_data) { (void)level, (void)message, (void)user_data; }

static void one_operation(void) {
  int64_t number = 0;
  char text[64];
  livery_value *value = NULL;
  void *made = NULL;
  char *json = NULL;
  switch (drawn(40)) {
    case 0: expect(livery_close(swap(stores, open_one())), "livery_close"); break;
    case 1: expect(livery_close(swap(stores, NULL)), "livery_close"); break;
    case 2:
      expect(livery_key_open(any(stores), "number", (livery_key **)&made), "livery_key_open");
      expect(livery_key_close(swap(keys, made)), "livery_key_close");
      break;
    case 3:
      if (drawn(4)) break;
      expect(livery_snapshot_open(any(stores), (livery_snapshot **)&made), "livery_snapshot_open");
      expect(livery_snapshot_close(swap(snapshots, made)), "livery_snapshot_close");
      break;
    case 4: expect(livery_snapshot_close(swap(snapshots, NULL)), "livery_snapshot_close"); break;
    case 5: {
      livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
      options.flags = (drawn(2) ? LIVERY_WATCH_INITIAL : 0) | (drawn(3) ? 0 : LIVERY_WATCH_DISPATCH);
      // `destroy` runs also when starting fails.
      started++;
      expect(livery_watch_start(any(stores), drawn(2) ? NULL : "n*", &options, take, NULL, drop, (livery_watch **)&made),
             "livery_watch_start");
      expect(livery_watch_stop(swap(watches, made)), "livery_watch_stop");
      break;
    }
    case 6: expect(livery_watch_stop(swap(watches, NULL)), "livery_watch_stop"); break;
    case 7:
      expect(livery_change_begin(any(stores), LIVERY_LAYER_USER, (livery_change **)&made), "livery_change_begin");
      expect(livery_change_discard(swap(changes, made)), "livery_change_discard");
      break;
    case 8: expect(livery_change_set_int(any(changes), "number", (int64_t)drawn(1000)), "livery_change_set_int"); break;
    case 9: expect(livery_change_commit(swap(changes, NULL), NULL), "livery_change_commit"); break;
    case 10: expect(livery_set_int(any(stores), LIVERY_LAYER_USER, "number", (int64_t)drawn(1000)), "livery_set_int"); break;
    case 11:
      expect(livery_set_string(any(stores), LIVERY_LAYER_USER, "text", "some text", (size_t)drawn(10)), "livery_set_string");
      break;
    case 12: expect(livery_list(any(stores), NULL, NULL, &value), "livery_list"); break;
    case 13: expect(livery_inspect(any(stores), "number", &value), "livery_inspect"); break;
    case 14: expect(livery_history(any(stores), NULL, &value), "livery_history"); break;
    case 15: expect(livery_export_json(any(stores), 0, &json, NULL), "livery_export_json"); break;
    case 16: expect(livery_dispatch(any(stores), NULL), "livery_dispatch"); break;
    case 17: {
      int descriptor;
      expect(livery_event_fd(any(stores), &descriptor), "livery_event_fd");
      break;
    }
    case 18: expect(livery_set_log_handler(drawn(2) ? log_nothing : NULL, NULL, NULL), "livery_set_log_handler"); break;
    case 19: case 20: expect(livery_snapshot_get(any(snapshots), "number", &value), "livery_snapshot_get"); break;
    case 21: {
      char name[LIVERY_NAME_MAX + 1] = "";
      expect(livery_snapshot_next(any(snapshots), NULL, name, &value), "livery_snapshot_next");
      break;
    }
    case 22: case 23: case 24: case 25: {
      livery_status status = livery_key_get_int(any(keys), &number);
      expect(status, "livery_key_get_int");
      break;
    }
    case 26: case 27: expect(livery_get_string(any(stores), "text", text, sizeof text, NULL), "livery_get_string"); break;
    case 28: expect(livery_get_value(any(stores), "number", &value), "livery_get_value"); break;
    default: expect(livery_get_int(any(stores), "number", &number), "livery_get_int"); break;
  }
  livery_value_release(value);
  livery_free(json);
}

static void *run(void *argument) {
  state = mixed(seed + (uintptr_t)argument) | 1;
  while (operations < wanted && findings() == 0) one_operation();
  return NULL;
}

static uint64_t descriptors(void) {
  uint64_t count = 0;
  for (int descriptor = 0; descriptor < 4096; descriptor++) count += fcntl(descriptor, F_GETFD) >= 0;
  return count;
}

int main(int argc, char **argv) {
  begin_torture("close", argc, argv);
  wanted = option_number("--operations", 50000);
  seed = option_number("--seed", fresh_seed());
  uint64_t count = option_number("--threads", 8);
  if (count > MOST_THREADS) count = MOST_THREADS;
  snprintf(path, sizeof path, "%s/store", torture_directory);
  double began = seconds_now();
  uint64_t before = descriptors();
  state = mixed(seed) | 1;
  livery_store *kept = open_one();
  expect(livery_set_int(kept, LIVERY_LAYER_USER, "number", 1), "livery_set_int");
  pthread_t threads[MOST_THREADS];
  for (uint64_t index = 0; index < count; index++) pthread_create(&threads[index], NULL, run, (void *)(uintptr_t)(index + 1));
  for (uint64_t index = 0; index < count; index++) pthread_join(threads[index], NULL);
  for (int index = 0; index < SLOTS; index++) {
    livery_watch_stop(atomic_exchange(&watches[index], NULL));
    livery_snapshot_close(atomic_exchange(&snapshots[index], NULL));
    livery_key_close(atomic_exchange(&keys[index], NULL));
    livery_change_discard(atomic_exchange(&changes[index], NULL));
    livery_close(atomic_exchange(&stores[index], NULL));
  }
  // For seeing the harness fail: a watch that is never let go.
  if (option_given("--broken")) started++;
  int64_t number = 0;
  if (livery_get_int(kept, "number", &number) != LIVERY_OK) finding("close_load: the store that nobody closed does not read");
  livery_close(kept);
  livery_set_log_handler(NULL, NULL, NULL);
  // Watchers end in their own time.
  for (int pause = 0; pause < 5000 && (destroyed != started || descriptors() != before); pause++) sleep_us(1000);
  if (destroyed != started)
    finding("close_load: %llu watches were started, %llu were let go\n  again: scripts/torture again close_load --seed %#llx",
            (unsigned long long)started, (unsigned long long)destroyed, (unsigned long long)seed);
  if (descriptors() != before) finding("close_load: %lld descriptors are lost", (long long)(descriptors() - before));
  printf("close_load: operations=%llu threads=%llu opens=%llu closed_statuses=%llu events=%llu watches=%llu errors=%llu "
         "seconds=%.1f seed=%#llx\n", (unsigned long long)operations, (unsigned long long)count, (unsigned long long)opened,
         (unsigned long long)closed_statuses, (unsigned long long)events_seen, (unsigned long long)started,
         (unsigned long long)findings(), seconds_now() - began, (unsigned long long)seed);
  return findings() ? 1 : 0;
}

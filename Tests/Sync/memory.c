// Memory that ends while a device joins a fleet, asks and stops: there is a status, and each end is told once.
#include "memory.h"

#include "code.h"

#include <livery/sync.h>

typedef struct told {
  _Atomic int done, destroyed;
  livery_status status;
} told;

static void note(livery_status status, const char *message, livery_value *report, void *user_data) {
  told *told = user_data;
  (void)message, (void)report;
  told->status = status;
  told->done++;
}

static void note_end(void *user_data) {
  told *told = user_data;
  told->destroyed++;
}

static bool is_of_memory(livery_status status) {
  return status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY || status == LIVERY_ERROR_BUSY;
}

// Whether memory ended before the work did.
static bool work(livery_store *store, int port, long count, bool for_good, int *refused) {
  told joined = {0}, pulled = {0};
  livery_sync *sync = NULL;
  livery_value *value = NULL;
  livery_sync_options options = LIVERY_SYNC_OPTIONS_INIT;
  options.timeout_ms = 200;
  memory_ends_after(count, for_good);
  livery_status started = livery_sync_start(store, NULL, &sync), looked = livery_sync_status(store, &value);
  livery_status enrolled = livery_sync_enroll_start(store, code_for(port), &options, note, &joined, note_end, NULL);
  livery_status asked = livery_sync_pull_start(store, &options, note, &pulled, note_end, NULL);
  for (int tries = 0; tries < 300 && !(joined.destroyed && pulled.destroyed); tries++) usleep(1000);
  memory_is_back();
  bool has_ended = struck > 0;
  for (int tries = 0; tries < 3000 && !(joined.destroyed && pulled.destroyed); tries++) usleep(1000);
  EXPECT_INT(1, joined.done);
  EXPECT_INT(1, pulled.done);
  EXPECT_INT(1, joined.destroyed);
  EXPECT_INT(1, pulled.destroyed);
  EXPECT(is_of_memory(started) && is_of_memory(looked) && is_of_memory(enrolled) && is_of_memory(asked));
  EXPECT(is_of_memory(joined.status) || joined.status == LIVERY_ERROR_NETWORK || joined.status == LIVERY_ERROR_TIMEOUT);
  EXPECT(is_of_memory(pulled.status) || pulled.status == LIVERY_ERROR_NOT_FOUND || pulled.status == LIVERY_ERROR_TIMEOUT);
  if (started == LIVERY_ERROR_NO_MEMORY || joined.status == LIVERY_ERROR_NO_MEMORY) (*refused)++;
  livery_value_release(value);
  OK(livery_sync_stop(sync));
  return has_ended;
}

TEST("at whatever allocation memory ends, once or for good, there is a status and one end", memory_ends) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  int refused = 0, port = 0;
  // Nobody listens there.
  close(silent(&port));
  bool has_ended = true;
  livery_store *store = NULL;
  for (long count = 0; has_ended && count < 1500; count += 1 + count / 100) {
    int before = check_failures;
    if (count < 8 || count % 8 == 0) {
      if (store) expect_all_well(store), OK(livery_close(store));
      store = ready_store(fresh_path(), KIOSK_SCHEMA);
    }
    has_ended = work(store, port, count, count / 2 % 2 == 0, &refused);
    if (check_failures > before) fprintf(stderr, "  after %ld allocations\n", count);
    if (check_failures > 20) break;
  }
  OK(livery_close(store));
  EXPECT(refused > 0);
}

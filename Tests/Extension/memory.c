// Memory that ends while an extension works: each call gives a status, and each end is told once.
#include "memory.h"

#include <livery/turn.h>
#include <stdatomic.h>

static atomic_int done, destroyed;
static livery_status told;

static void note_done(livery_status status, uint64_t revision, void *user_data) {
  (void)revision, (void)user_data;
  told = status;
  done++;
}

static void note_destroyed(void *user_data) {
  (void)user_data;
  destroyed++;
}

// Whether memory ended before the work did.
static bool work(livery_store *store, long count, bool for_good) {
  livery_turn *turn = NULL;
  livery_turn_options options = LIVERY_TURN_OPTIONS_INIT;
  options.flags = LIVERY_TURN_DISPATCH;
  done = destroyed = 0;
  memory_ends_after(count, for_good);
  livery_status status = livery_turn_start(store, "till", "ada", &options, note_done, NULL, note_destroyed, &turn);
  livery_status cancelled = status == LIVERY_OK ? livery_turn_cancel(turn) : status;
  memory_is_back();
  bool has_ended = struck > 0;
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY);
  EXPECT(cancelled == LIVERY_OK || cancelled == LIVERY_ERROR_NO_MEMORY);
  if (status == LIVERY_OK && cancelled != LIVERY_OK) OK(livery_turn_cancel(turn));
  OK(livery_dispatch(store, NULL));
  EXPECT(done == 1 && destroyed == 1);
  if (status != LIVERY_OK) EXPECT_INT(status, told);
  return has_ended;
}

TEST("at whatever allocation memory ends, once or for good, there is a status and one end", memory_ends) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  int refused = 0;
  bool has_ended = true;
  livery_store *store = NULL;
  for (long count = 0; has_ended && count < 2000; count++) {
    int before = check_failures;
    // At the first turn the lines are claimed.
    if (count % 8 == 0) {
      if (store) expect_all_well(store), OK(livery_close(store));
      store = ready_store(fresh_path(), KIOSK_SCHEMA);
    }
    has_ended = work(store, count, count / 2 % 2 == 0);
    refused += told == LIVERY_ERROR_NO_MEMORY;
    if (check_failures > before) fprintf(stderr, "  after %ld allocations\n", count);
    if (check_failures > 20) break;
  }
  OK(livery_close(store));
  EXPECT(refused > 0);
}

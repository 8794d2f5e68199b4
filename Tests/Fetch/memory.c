// Memory that ends while something is fetched: there is a status, and each end is told once.
#include "memory.h"
#include "scripted.h"

// Whether memory ended before the work did.
static bool work(livery_store *store, script *script, long count, bool for_good, int *refused) {
  outcome outcome = {0};
  livery_fetch_options options = LIVERY_FETCH_OPTIONS_INIT;
  options.attempts = 1;
  options.flags = LIVERY_FETCH_REVALIDATE;
  script->requests = 0;
  memory_ends_after(count, for_good);
  livery_status status = livery_fetch_start(store, "http://h/a", &options, note_done, &outcome, note_destroyed, NULL);
  for (int tries = 0; tries < 3000 && !outcome.destroyed; tries++) usleep(1000);
  memory_is_back();
  bool has_ended = struck > 0;
  wait_for(&outcome);
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY || status == LIVERY_ERROR_BUSY);
  EXPECT(outcome.status == LIVERY_OK || outcome.status == LIVERY_ERROR_NO_MEMORY || outcome.status == LIVERY_ERROR_BUSY);
  if (outcome.status != LIVERY_OK) (*refused)++;
  return has_ended;
}

TEST("at whatever allocation memory ends, once or for good, there is a status and one end", memory_ends) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  int refused = 0;
  bool has_ended = true;
  livery_store *store = NULL;
  static script script;
  for (long count = 0; has_ended && count < 2000; count++) {
    int before = check_failures;
    // At the first fetch the namespace is claimed.
    if (count % 8 == 0) {
      if (store) expect_all_well(store), OK(livery_close(store));
      store = ready_store(fresh_path(), KIOSK_SCHEMA);
      memset(&script, 0, sizeof script);
      use_script(store, &script);
      add_answer(&script, (answer){.status = 200, .headers = "ETag: \"1\"", .image = "rgba.png"});
    }
    has_ended = work(store, &script, count, count / 2 % 2 == 0, &refused);
    if (check_failures > before) fprintf(stderr, "  after %ld allocations\n", count);
    if (check_failures > 20) break;
  }
  OK(livery_close(store));
  EXPECT(refused > 0);
}

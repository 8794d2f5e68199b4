// Memory that ends while a prompt is asked for, shown and answered: there is a status, and each end is told once.
#include "memory.h"

#include "asked.h"

// Whether memory ended before the work did.
static bool work(livery_store *store, long count, bool for_good, int *refused) {
  outcome told = {.decisions = "ra"};
  shower self = {.script = "w", .answer = kinds[0].answer};
  livery_prompt_functions functions = {sizeof functions, 0, show, hide};
  livery_prompt_provider *provider = NULL;
  livery_prompt_options options = LIVERY_PROMPT_OPTIONS_INIT;
  livery_value *answer = NULL;
  options.answered = decide;
  options.timeout_ms = 100;
  OK(livery_value_from_json(kinds[0].answer, strlen(kinds[0].answer), &answer));
  memory_ends_after(count, for_good);
  livery_status provided = livery_prompt_provide(store, "login", &functions, &self, note_shower_destroyed, &provider);
  livery_status status = livery_prompt_request_start(store, "login", NULL, &options, note_done, &told, note_destroyed, NULL);
  for (int tries = 0; tries < 100 && !self.prompt && !told.destroyed; tries++) usleep(1000);
  livery_prompt *prompt = self.prompt;
  if (prompt) livery_prompt_answer(prompt, answer, NULL, NULL, NULL);
  for (int tries = 0; tries < 300 && !told.destroyed; tries++) usleep(1000);
  memory_is_back();
  bool has_ended = struck > 0;
  EXPECT(comes(&told.destroyed, 1));
  EXPECT_INT(1, told.done);
  EXPECT_INT(1, told.destroyed);
  EXPECT(provided == LIVERY_OK || provided == LIVERY_ERROR_NO_MEMORY || provided == LIVERY_ERROR_BUSY);
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY || status == LIVERY_ERROR_BUSY);
  if (status != LIVERY_OK || provided != LIVERY_OK) (*refused)++;
  livery_prompt_withdraw(provider);
  EXPECT(comes(&self.destroyed, 1));
  EXPECT_INT(self.dismissed, self.presented);
  livery_value_release(answer);
  return has_ended;
}

TEST("at whatever allocation memory ends, once or for good, there is a status and one end", memory_ends) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  int refused = 0, quiet = 0;
  livery_store *store = NULL;
  // The threads share what is counted: some runs are over before it ends.
  for (long count = 0; quiet < 3 && count < 600; count++) {
    int before = check_failures;
    if (count % 16 == 0) {
      if (store) expect_all_well(store), OK(livery_close(store));
      store = ready_store(fresh_path(), KIOSK_SCHEMA);
    }
    quiet = work(store, count, count / 2 % 2 == 0, &refused) ? 0 : quiet + 1;
    if (check_failures > before) fprintf(stderr, "  after %ld allocations\n", count);
    if (check_failures > 20) break;
  }
  OK(livery_close(store));
  EXPECT(refused > 0);
}

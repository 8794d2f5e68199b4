// Memory that ends while a prompt is asked for, shown and answered, or an image is picked: there is a status, and each end is told once.
#include "memory.h"

#include "picked.h"

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

// Whether memory ended before the picking did.
static bool pick(livery_store *store, long count, bool for_good, int *refused) {
  picked told = {.permits = "m"};
  booth camera = {.script = "m"};
  livery_picker_options options = LIVERY_PICKER_OPTIONS_INIT;
  options.source = count % 2 ? LIVERY_PICKER_FOLDER : LIVERY_PICKER_CAMERA;
  options.folder = FIXTURES "/images";
  options.file = "rgb.png";
  options.setting = "branding.logo";
  options.permission = permit;
  livery_picker_camera functions = {sizeof functions, 0, booth_is_there, booth_take, booth_cancel};
  memory_ends_after(count / 2, for_good);
  livery_status set = livery_picker_set_camera(store, &functions, &camera, booth_destroyed);
  livery_status status = livery_picker_start(store, &options, note_picked, &told, note_picked_destroyed, NULL);
  for (int tries = 0; tries < 300 && !told.destroyed; tries++) usleep(1000);
  memory_is_back();
  bool has_ended = struck > 0;
  EXPECT(comes(&told.destroyed, 1));
  EXPECT_INT(1, told.done);
  EXPECT_INT(1, told.destroyed);
  EXPECT(set == LIVERY_OK || set == LIVERY_ERROR_NO_MEMORY || set == LIVERY_ERROR_BUSY);
  EXPECT(status == LIVERY_OK || status == LIVERY_ERROR_NO_MEMORY || status == LIVERY_ERROR_BUSY);
  EXPECT(told.status == LIVERY_OK || told.status == LIVERY_ERROR_NO_MEMORY || told.status == LIVERY_ERROR_BUSY
         || told.status == LIVERY_ERROR_UNAVAILABLE);
  if (told.status != LIVERY_OK) (*refused)++;
  OK(livery_picker_set_camera(store, NULL, NULL, NULL));
  EXPECT(comes(&camera.destroyed, 1));
  EXPECT_INT(1, camera.destroyed);
  return has_ended;
}

TEST("at whatever allocation memory ends while an image is picked, there is a status and one end", memory_ends_while_picking) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  int refused = 0, quiet = 0;
  livery_store *store = NULL;
  for (long count = 0; quiet < 4 && count < 1200; count++) {
    int before = check_failures;
    if (count % 16 == 0) {
      if (store) expect_all_well(store), OK(livery_close(store));
      store = ready_store(fresh_path(), "{\"Version\": 3, \"Open\": true, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" KIOSK_SETTINGS "]}]}");
      OK(livery_set_string(store, user, "usage.camera", TEXT("Your picture is your badge")));
    }
    quiet = pick(store, count, count / 4 % 2 == 0, &refused) ? 0 : quiet + 1;
    if (check_failures > before) fprintf(stderr, "  after %ld allocations\n", count / 2);
    if (check_failures > 20) break;
  }
  OK(livery_close(store));
  EXPECT(refused > 0);
}

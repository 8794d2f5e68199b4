// Another process that keeps the store from writers: they wait as long as they were told, readers do not wait at all.
#include "brand.h"
#include "every_call.h"
#include "refused.h"
#include "sealer.h"

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

TEST("a commit waits busy_timeout_ms for another writer, then says BUSY and changes nothing", writers) {
  const char *path = fresh_path();
  OK(livery_close(branded_store(path)));
  livery_store *store = open_store_with(path, 0, 100);
  const livery_layer user = LIVERY_LAYER_USER;
  const livery_status busy = LIVERY_ERROR_BUSY;
  toy lent = {.key = 1};
  livery_store *lender = toy_reader(path, &lent);
  livery_value *list = json("[]");
  livery_change *change = NULL;
  uint64_t before = 0, after = 0;
  OK(livery_set_int(store, user, "pair.b", 1));
  OK(livery_revision(store, &before));
  char backup[400];
  snprintf(backup, sizeof backup, "%s.backup", path);
  OK(livery_backup(store, backup));
  OK(livery_set_int(store, user, "pair.b", 1));
  OK(livery_revision(store, &before));
  OK(livery_claim(store, "held.", every_check, NULL, NULL));
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_set_int(change, "pair.a", 1));
  if (!hold(path)) return;

  int64_t start = milliseconds();
  EXPECT_STATUS(busy, livery_set_bool(store, user, "attractLoop", false));
  int64_t waited = milliseconds() - start;
  EXPECT(waited >= 90 && waited < 2000);
  char pid[32];
  snprintf(pid, sizeof pid, "%d", (int)holder);
  EXPECT_CONTAINS(pid, livery_last_error()->message);

  EXPECT_STATUS(busy, livery_set_int(store, user, "idleResetSeconds", 60));
  EXPECT_STATUS(busy, livery_set_double(store, user, "volume", 0.1));
  EXPECT_STATUS(busy, livery_set_string(store, user, "title", TEXT("x")));
  EXPECT_STATUS(busy, livery_set_data(store, user, "blob", TEXT("x")));
  EXPECT_STATUS(busy, livery_set_color(store, user, "branding.color.Toolbar", (livery_color){1, 0, 0, 1}));
  EXPECT_STATUS(busy, livery_set_value(store, user, "playlist", list));
  EXPECT_STATUS(busy, livery_reset(store, user, "title"));
  EXPECT_STATUS(busy, livery_undo(store, before, 0, NULL));
  EXPECT_STATUS(busy, livery_trial_confirm(store, before, NULL));
  EXPECT_STATUS(busy, livery_trial_revert(store, 0, NULL));
  EXPECT_STATUS(busy, livery_compact(store));
  EXPECT_STATUS(busy, livery_forget(store, "title", LIVERY_FORGET_BACKUPS, NULL));
  EXPECT_STATUS(busy, livery_set_sealer(store, &toy_sealer, &lent, NULL));
  EXPECT_STATUS(busy, livery_reseal(store, 0, NULL));
  EXPECT_STATUS(busy, livery_restore(store, backup, NULL, NULL));
  EXPECT_STATUS(busy, livery_check(path, NULL));
  EXPECT_STATUS(busy, livery_asset_put(store, "x", 1, LIVERY_ASSET_ANY, NULL));
  EXPECT_STATUS(busy, livery_asset_remove(store, SOME_ID, 0));
  EXPECT_STATUS(busy, livery_asset_collect(store, NULL, NULL));
  EXPECT_STATUS(busy, livery_change_commit(change, NULL));
  EXPECT_STATUS(busy, livery_edit(store, user, every_edit, NULL, NULL, NULL));
  EXPECT_STATUS(busy, livery_claim(store, "kept.", every_check, NULL, NULL));
  EXPECT_STATUS(busy, livery_claim_secret(store, "held.secret"));
  EXPECT_STATUS(busy, livery_schema_apply(store, "{\"Version\": 9, \"Groups\": []}", LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_STATUS(busy, livery_import_json(store, user, TEXT("{\"title\": \"x\"}"), 0, NULL));
  EXPECT_STATUS(busy,
                livery_import_plist(store, user, TEXT(PLIST("<key>title</key><string>x</string>")), 0, NULL));
  EVERY_BRAND_WRITE((void)0, busy, store);

  // Readers do not wait.
  start = milliseconds();
  int64_t seconds = 0;
  for (int round = 0; round < 100; round++) OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT(milliseconds() - start < 90);
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);

  let_go();
  // What was refused can be tried again.
  OK(livery_change_commit(change, NULL));
  OK(livery_get_int(store, "pair.a", &seconds));
  EXPECT_INT(1, seconds);
  OK(livery_value_release(list));
  OK(livery_close(lender));
  OK(livery_close(store));
}

TEST("opening waits for another opener, then says BUSY", opener) {
  const char *path = fresh_path();
  OK(livery_close(open_store(path)));
  if (!hold(path)) return;
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.busy_timeout_ms = 50;
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_open(path, &options, &store));
  EXPECT(store == NULL);
  let_go();
  OK(livery_open(path, &options, &store));
  OK(livery_close(store));
}

static const char *dying_path;

static void dies_holding_the_gate(void) {
  if (hold(dying_path)) {
    kill(holder, SIGKILL);
    waitpid(holder, NULL, 0);
    close(holder_pipe[1]);
  }
}

TEST("a writer that dies lets the next one in at once", dead_writer) {
  dying_path = fresh_path();
  livery_store *store = open_store_with(dying_path, LIVERY_OPEN_CREATE, 500);
  dies_holding_the_gate();
  OK(livery_set_int(store, LIVERY_LAYER_USER, "n", 1));
  OK(livery_close(store));
}

// Reading and changing in one transaction.
#include "fixture.h"

static const livery_layer user = LIVERY_LAYER_USER;

static livery_status count_up(livery_change *change, void *user_data) {
  livery_value *value = NULL;
  int64_t number = 0;
  livery_status status = livery_change_get(change, "pair.a", &value);
  if (status != LIVERY_OK) return status;
  OK(livery_value_as_int(value, &number));
  OK(livery_value_release(value));
  // What others do meanwhile waits.
  if (user_data) usleep(100);
  OK(livery_change_origin(change, "counter"));
  return livery_change_set_int(change, "pair.a", number + 1);
}

static const char *counted;
static void count_much(void) {
  livery_store *store = open_store(counted);
  for (int round = 0; round < 100; round++) OK(livery_edit(store, user, count_up, store, NULL, NULL));
  OK(livery_close(store));
}

static void *count_beside(void *store) {
  for (int round = 0; round < 100; round++) OK(livery_edit(store, user, count_up, store, NULL, NULL));
  return NULL;
}

TEST("what an edit reads does not change until it is committed, whoever writes", counting) {
  NEEDS_FILES;
  livery_store *store = new_store(counted = fresh_path(), KIOSK_SCHEMA);
  pthread_t threads[2];
  int64_t number = 0;
  pid_t child = fork();
  if (child == 0) count_much(), _exit(0);
  for (int index = 0; index < 2; index++) pthread_create(&threads[index], NULL, count_beside, store);
  for (int index = 0; index < 2; index++) pthread_join(threads[index], NULL);
  waitpid(child, NULL, 0);
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(300, number);
  OK(livery_close(store));
}

static livery_status edit_by(livery_change *change, void *user_data) {
  livery_value *value = NULL;
  switch (*(int *)user_data) {
    case 0: OK(livery_change_set_int(change, "pair.a", 9)); return LIVERY_ERROR_CONFLICT;
    case 1: return livery_change_get(change, "titel", &value);
    case 2: OK(livery_change_set_int(change, "pair.a", 9)); return livery_change_discard(change);
    case 3: EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_change_commit(change, NULL)); return LIVERY_OK;
    case 4: return 17;
    case 5:
      OK(livery_change_set_double(change, "volume", 2));
      return livery_change_set_string(change, "idleResetSeconds", TEXT("soon"));
    case 6:
      OK(livery_change_layer(change, LIVERY_LAYER_RECOMMENDED));
      OK(livery_change_set_int(change, "pair.b", 4));
      OK(livery_change_layer(change, user));
      return livery_change_reset(change, "pair.a");
    case 7: return livery_change_set_int(change, "attractLoop", 1);
    case 8: return livery_change_set_string(change, "title", TEXT("x"));
    default: return LIVERY_OK;
  }
}

TEST("an edit is made whole or not at all, and says why", edits) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *violations = NULL, *first = NULL, *text = NULL;
  uint64_t before = 0, revision = 77;
  int64_t number = 0;
  int way = 0;
  size_t count = 0;
  OK(livery_set_int(store, user, "pair.a", 5));
  OK(livery_revision(store, &before));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_edit(store, user, edit_by, &way, &revision, &violations));
  EXPECT_CONTAINS("LIVERY_ERROR_CONFLICT", livery_last_error()->message);
  way = 1;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_edit(store, user, edit_by, &way, &revision, &violations));
  EXPECT_CONTAINS("title", livery_last_error()->message);
  EXPECT_TEXT("titel", livery_last_error()->setting);
  way = 4;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_edit(store, user, edit_by, &way, &revision, &violations));
  EXPECT_CONTAINS("17", livery_last_error()->message);
  EXPECT(revision == 77 && violations == NULL);
  for (way = 2; way <= 3; way++) {
    OK(livery_edit(store, user, edit_by, &way, &revision, &violations));
    EXPECT_INT(before, revision);
  }
  revision = 77, way = 5;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_edit(store, user, edit_by, &way, &revision, &violations));
  OK(livery_value_count(violations, &count));
  EXPECT(count == 2 && revision == 77);
  OK(livery_value_at(violations, 1, &first));
  OK(livery_value_member(first, "name", &text));
  EXPECT_JSON("\"idleResetSeconds\"", text);
  OK(livery_value_release(violations));
  way = 6;
  OK(livery_edit(store, user, edit_by, &way, &revision, NULL));
  EXPECT_INT(before + 1, revision);
  OK(livery_get_int(store, "pair.b", &number));
  EXPECT_INT(4, number);
  OK(livery_get_int(store, "pair.a", &number));
  EXPECT_INT(0, number);
  way = 7;
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_edit(store, user, edit_by, &way, NULL, NULL));
  OK(livery_set_string(store, LIVERY_LAYER_ENFORCED, "title", TEXT("fixed")));
  way = 8;
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_edit(store, user, edit_by, &way, NULL, NULL));
  way = 9;
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_edit(store, LIVERY_LAYER_DEFAULTS, edit_by, &way, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_edit(store, 99, edit_by, &way, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_edit(store, user, NULL, &way, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_edit(NULL, user, edit_by, &way, NULL, NULL));
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_edit(store, user, edit_by, &way, NULL, NULL));
}

static livery_change *kept;
static livery_status keep_it(livery_change *change, void *user_data) {
  uint64_t revision = 0;
  kept = change;
  // Reads see what was there before, other writes wait in vain.
  OK(livery_revision(user_data, &revision));
  EXPECT_STATUS(LIVERY_ERROR_BUSY, livery_set_int(user_data, user, "pair.b", 1));
  return LIVERY_OK;
}

TEST("the change set of an edit ends with it", edit_ends) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  livery_value *value = NULL;
  options.flags = LIVERY_OPEN_CREATE;
  options.busy_timeout_ms = 50;
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_edit(store, user, keep_it, store, NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_set_int(kept, "pair.a", 1));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_get(kept, "pair.a", &value));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_change_discard(kept));
  OK(livery_close(store));
}

static int runs;
static livery_status much(livery_change *change, void *user_data) {
  char name[16];
  runs++;
  for (int index = 0; index < 8; index++) {
    snprintf(name, sizeof name, "big.%d", index);
    livery_status status = livery_change_set_string(change, name, user_data, 400000);
    if (status != LIVERY_OK) return status;
  }
  return LIVERY_OK;
}

TEST("an edit for which the store has to grow is run again, and made once", grows) {
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  livery_store *store = NULL;
  uint64_t revision = 0;
  size_t length = 0;
  char *text = calloc(1, 400001), *copy = NULL;
  memset(text, 'g', 400000);
  options.flags = LIVERY_OPEN_CREATE;
  options.map_size = 1 << 20;
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_edit(store, user, much, text, &revision, NULL));
  EXPECT(runs > 1 && revision == 1);
  OK(livery_copy_string(store, "big.7", &copy, &length));
  EXPECT_INT(400000, length);
  livery_free(copy);
  free(text);
  OK(livery_close(store));
}

// Secrets that lie sealed: who has the key reads and sets them as ever, who has not gets UNAVAILABLE for them alone.
#include "damage.h"
#include "sealer.h"

#define SETTINGS(password, note)                                                                                       \
  "{\"Type\": \"TextField\", \"Title\": \"Password\", \"Key\": \"" password "\", \"Class\": [\"Password\"]},"           \
  "{\"Type\": \"TextField\", \"Title\": \"Note\", \"Key\": \"" note "\"}"
#define SCHEMA(version, settings, more)                                                                                \
  "{\"Version\": " version ", \"Groups\": [{\"Title\": \"All\", \"Settings\": [" settings "]}]" more "}"
#define FIRST SCHEMA("1", SETTINGS("password", "note"), "")

static const livery_layer user = LIVERY_LAYER_USER;

static livery_status set(livery_store *store, const char *name, const char *text) {
  return livery_set_string(store, user, name, text, LIVERY_ZERO_TERMINATED);
}

static const char *get(livery_store *store, const char *name) {
  static char text[200];
  text[0] = 0;
  livery_status status = livery_get_string(store, name, text, sizeof text, NULL);
  return status == LIVERY_OK ? text : livery_status_name(status);
}

static uint64_t revision(livery_store *store) {
  uint64_t revision = 0;
  OK(livery_revision(store, &revision));
  return revision;
}

TEST("what was set plainly is sealed when the key first comes, and no file holds it any more", first) {
  const char *path = fresh_path();
  char before[LENGTH + 1], former[LENGTH + 1], later[LENGTH + 1];
  make_secret(before), make_secret(former), make_secret(later);
  livery_store *store = new_store(path, FIRST);
  OK(set(store, "password", former));
  OK(set(store, "password", before));
  OK(set(store, "note", "plain"));
  OK(livery_backup(store, NULL));
  EXPECT(count_in(path, before) > 2 && count_in(path, former) > 0);
  toy toy = {.key = 1};
  uint64_t seen = revision(store);
  OK(toy_set(store, &toy));
  EXPECT_INT(seen, revision(store));
  EXPECT_INT(0, count_in(path, before));
  EXPECT_INT(0, count_in(path, former));
  EXPECT_TEXT(before, get(store, "password"));
  OK(set(store, "password", later));
  EXPECT_TEXT(later, get(store, "password"));
  OK(livery_undo(store, revision(store), 0, NULL));
  EXPECT_TEXT(before, get(store, "password"));
  OK(livery_compact(store));
  OK(livery_backup(store, NULL));
  OK(livery_reset(store, user, "password"));
  EXPECT_TEXT("LIVERY_ERROR_NO_VALUE", get(store, "password"));
  OK(livery_restore(store, NULL, NULL, NULL));
  EXPECT_TEXT(before, get(store, "password"));
  EXPECT_INT(0, count_in(path, before) + count_in(path, later) + count_in(path, former));
  EXPECT(count_in(path, "plain") > 0);
  livery_value *report = NULL;
  OK(livery_sealing(store, &report));
  EXPECT_JSON("{\"active\":true,\"sealer\":true,\"sealed\":1,\"plain\":0,\"unavailable\":[]}", report);
  OK(livery_close(store));
  EXPECT_INT(1, toy.destroyed);
}

#define MORE "{\"Version\": 1, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" SETTINGS("password", "note") \
  ",{\"Type\": \"TextField\", \"Title\": \"PIN\", \"Key\": \"pin\", \"Class\": [\"Password\"]}]}]}"

TEST("of what lay behind a shorter value nothing is left, when long secrets are sealed or forgotten", tails) {
  static char longer[4000], shorter[2500];
  const char *path = fresh_path();
  toy toy = {.key = 1};
  for (size_t index = 0; index < sizeof longer - 1; index++) longer[index] = "lying-behind-"[index % 13];
  memset(shorter, 'x', sizeof shorter - 1);
  livery_store *store = new_store(path, MORE);
  // LMDB uses the memory of a page again for another one.
  for (int round = 0; round < 4; round++) {
    OK(set(store, "password", longer));
    OK(set(store, "note", shorter));
    OK(set(store, "pin", shorter));
    OK(livery_reset(store, user, "password"));
    OK(livery_reset(store, user, "pin"));
  }
  OK(livery_backup(store, NULL));
  OK(set(store, "note", shorter + 10));
  OK(livery_forget(store, "password", LIVERY_FORGET_BACKUPS, NULL));
  EXPECT_INT(0, count_in(path, "lying-behind-"));
  OK(set(store, "password", longer));
  OK(set(store, "pin", shorter));
  OK(toy_set(store, &toy));
  EXPECT_INT(0, count_in(path, "lying-behind-"));
  EXPECT_TEXT("LIVERY_ERROR_BUFFER_TOO_SMALL", get(store, "password"));
  OK(livery_close(store));
  EXPECT_INT(0, count_in(path, "lying-behind-"));
}

TEST("setting what is there already changes nothing, though no value is sealed twice alike", no_op) {
  toy toy = {.key = 1};
  livery_store *store = new_store(fresh_path(), FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "one"));
  uint64_t seen = revision(store);
  OK(set(store, "password", "one"));
  EXPECT_INT(seen, revision(store));
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_expect(change, "password", seen - 1));
  OK(livery_change_set_string(change, "password", "two", 3));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_change_commit(change, NULL));
  OK(livery_change_discard(change));
  EXPECT_TEXT("one", get(store, "password"));
  OK(livery_close(store));
}

TEST("without the key a secret is UNAVAILABLE, and all else goes on", without) {
  const char *path = fresh_path();
  toy right = {.key = 1}, wrong = {.key = 2};
  livery_store *store = new_store(path, FIRST);
  OK(toy_set(store, &right));
  OK(set(store, "password", "one"));
  OK(livery_close(store));
  store = open_store(path);
  char text[20] = "as it was";
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_get_string(store, "password", text, sizeof text, NULL));
  EXPECT_CONTAINS("`password`", livery_last_error()->message);
  livery_key *key = NULL;
  OK(livery_key_open(store, "password", &key));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_key_get_string(key, text, sizeof text, NULL));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, set(store, "password", "two"));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_reseal(store, 0, NULL));
  OK(set(store, "note", "fine"));
  EXPECT_TEXT("fine", get(store, "note"));
  livery_value *value = NULL;
  OK(livery_list(store, NULL, NULL, &value));
  char *list = NULL;
  OK(livery_value_to_json(value, 0, &list, NULL));
  EXPECT_CONTAINS("\"unavailable\":true", list);
  livery_free(list);
  OK(livery_value_release(value));
  OK(livery_settings(store, &value));
  EXPECT_JSON("{\"Version\":1,\"Values\":{\"note\":\"fine\"}}", value);
  OK(livery_inspect(store, "password", &value));
  OK(livery_value_release(value));
  OK(livery_history(store, NULL, &value));
  OK(livery_value_release(value));
  OK(livery_form(store, NULL, &value));
  OK(livery_value_release(value));
  OK(livery_sealing(store, &value));
  EXPECT_JSON("{\"active\":true,\"sealer\":false,\"sealed\":1,\"plain\":0,\"unavailable\":[\"password\"]}", value);
  // Another's key opens nothing, and seals what is set anew.
  OK(toy_set(store, &wrong));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  OK(set(store, "password", "two"));
  EXPECT_TEXT("two", get(store, "password"));
  OK(toy_set(store, &right));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_undo(store, 2, LIVERY_UNDO_FORCE, NULL) == LIVERY_OK ? -27 : -27);
  EXPECT_INT(1, wrong.destroyed);
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  OK(livery_reset(store, user, "password"));
  EXPECT_TEXT("LIVERY_ERROR_NO_VALUE", get(store, "password"));
  OK(livery_key_close(key));
  OK(livery_close(store));
}

TEST("rotation seals everything anew: the former key opens nothing then", rotation) {
  const char *path = fresh_path();
  toy former = {.key = 1}, both = {.key = 2, .former = 1}, fresh = {.key = 2};
  livery_store *store = new_store(path, FIRST);
  OK(toy_set(store, &former));
  OK(set(store, "password", "one"));
  OK(set(store, "password", "two"));
  OK(livery_backup(store, NULL));
  OK(toy_set(store, &both));
  livery_value *report = NULL, *sealed = NULL;
  uint64_t seen = revision(store);
  OK(livery_reseal(store, LIVERY_RESEAL_COPIES, &report));
  OK(livery_value_member(report, "sealed", &sealed));
  EXPECT_JSON("1", sealed);
  OK(livery_value_release(report));
  EXPECT_INT(seen, revision(store));
  OK(toy_set(store, &fresh));
  EXPECT_TEXT("two", get(store, "password"));
  OK(livery_undo(store, revision(store), 0, NULL));
  EXPECT_TEXT("one", get(store, "password"));
  OK(livery_restore(store, NULL, NULL, NULL));
  EXPECT_TEXT("two", get(store, "password"));
  OK(toy_set(store, &former));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  OK(livery_close(store));
}

TEST("a value that was moved to another place, or changed, is CORRUPT", moved) {
  toy toy = {.key = 1};
  livery_store *store = new_store(fresh_path(), FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "one"));
  toy.key = 3, toy.former = 1;
  toy.answer = LIVERY_ERROR_CORRUPT;
  EXPECT_TEXT("LIVERY_ERROR_CORRUPT", get(store, "password"));
  toy.answer = LIVERY_OK;
  EXPECT_TEXT("one", get(store, "password"));
  toy.lies = true;
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, set(store, "password", "two"));
  toy.lies = false;
  toy.answer = LIVERY_ERROR_IO;
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, set(store, "password", "two"));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_reseal(store, 0, NULL) == LIVERY_OK ? LIVERY_ERROR_UNAVAILABLE : -27);
  toy.answer = LIVERY_OK;
  EXPECT_TEXT("one", get(store, "password"));
  OK(livery_close(store));
}

TEST("a migration moves and copies a secret with the key, and is UNAVAILABLE without; others go on", migration) {
  const char *path = fresh_path();
  toy toy = {.key = 1};
  char secret[LENGTH + 1];
  make_secret(secret);
  livery_store *store = new_store(path, FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", secret));
  OK(set(store, "note", "n"));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  const char *moves = SCHEMA("2", SETTINGS("pin", "note"),
    ", \"Migrations\": [{\"To\": 2, \"Steps\": [{\"Op\": \"rename\", \"From\": \"password\", \"Into\": \"pin\"}]}]");
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_schema_apply(store, moves, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(toy_set(store, &toy));
  OK(livery_schema_apply(store, moves, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_TEXT(secret, get(store, "pin"));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  const char *others = SCHEMA("3", SETTINGS("pin", "remark"),
    ", \"Migrations\": [{\"To\": 3, \"Steps\": [{\"Op\": \"rename\", \"From\": \"note\", \"Into\": \"remark\"}]}]");
  OK(livery_schema_apply(store, others, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_TEXT("n", get(store, "remark"));
  OK(toy_set(store, &toy));
  EXPECT_TEXT(secret, get(store, "pin"));
  EXPECT_INT(0, count_in(path, secret));
  OK(livery_close(store));
}

TEST("a schema that makes a setting secret has its values sealed, with the key at once, else when it comes", becomes) {
  toy toy = {.key = 1};
  char secret[LENGTH + 1];
  make_secret(secret);
  for (int has_key = 0; has_key < 2; has_key++) {
    const char *path = fresh_path();
    livery_store *store = open_store_with(path, LIVERY_OPEN_CREATE, 5000);
    OK(livery_schema_apply(store, SCHEMA("1", "{\"Type\": \"TextField\", \"Title\": \"Note\", \"Key\": \"note\"}", ""),
                           LIVERY_ZERO_TERMINATED, NULL, NULL));
    OK(toy_set(store, &toy));
    OK(set(store, "note", secret));
    EXPECT(count_in(path, secret) > 0);
    if (!has_key) OK(livery_set_sealer(store, NULL, NULL, NULL));
    OK(livery_schema_apply(store, SCHEMA("2", SETTINGS("note", "other"), ""), LIVERY_ZERO_TERMINATED, NULL, NULL));
    EXPECT_TEXT(secret, get(store, "note"));
    if (!has_key) {
      EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, set(store, "note", "x"));
      OK(toy_set(store, &toy));
    }
    EXPECT_TEXT(secret, get(store, "note"));
    char data[400];
    snprintf(data, sizeof data, "%s/data.mdb", path);
    size_t size = 0;
    char *bytes = read_file(data, &size);
    EXPECT(memmem(bytes, size, secret, LENGTH) == NULL);
    free(bytes);
    OK(livery_close(store));
  }
}

TEST("a secret that is none any more is plain, by consent", declassified) {
  toy toy = {.key = 1};
  const char *path = fresh_path();
  livery_store *store = new_store(path, FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "one"));
  const char *names[] = {"password"};
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  options.declassify = names;
  options.declassify_count = 1;
  OK(livery_schema_apply(
    store, SCHEMA("2", "{\"Type\": \"TextField\", \"Title\": \"Open\", \"Key\": \"password\"}", ""), LIVERY_ZERO_TERMINATED,
    &options, NULL));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  EXPECT_TEXT("one", get(store, "password"));
  OK(livery_close(store));
}

#define OPEN SCHEMA("2", "{\"Type\": \"TextField\", \"Title\": \"Open\", \"Key\": \"password\"}", "")

static livery_status declassify(livery_store *store) {
  const char *names[] = {"password"};
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  options.declassify = names;
  options.declassify_count = 1;
  return livery_schema_apply(store, OPEN, LIVERY_ZERO_TERMINATED, &options, NULL);
}

TEST("what ceases to be a secret while nobody has the key is plain once somebody has it", declassified_without) {
  toy first = {.key = 1}, later = {.key = 1};
  livery_store *store = new_store(fresh_path(), FIRST);
  OK(toy_set(store, &first));
  OK(set(store, "password", "one"));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  OK(declassify(store));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  OK(toy_set(store, &later));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  EXPECT_TEXT("one", get(store, "password"));
  OK(livery_close(store));
}

static int in_data(const char *path, const char *text) {
  char backups[500];
  snprintf(backups, sizeof backups, "%s/backups", path);
  return count_in(path, text) - count_in(backups, text);
}

TEST("a restore that makes a secret again of what was plain leaves none of it", restored) {
  for (int has_key = 0; has_key < 2; has_key++) {
    toy first = {.key = 1}, later = {.key = 1};
    char secret[LENGTH + 1];
    make_secret(secret);
    const char *path = fresh_path();
    livery_store *store = new_store(path, FIRST);
    OK(toy_set(store, &first));
    OK(set(store, "password", secret));
    OK(declassify(store));
    EXPECT(in_data(path, secret) > 0);
    if (!has_key) OK(livery_set_sealer(store, NULL, NULL, NULL));
    OK(livery_restore(store, NULL, NULL, NULL));
    if (!has_key) {
      EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
      OK(toy_set(store, &later));
    }
    EXPECT_TEXT(secret, get(store, "password"));
    EXPECT_INT(0, in_data(path, secret));
    OK(livery_close(store));
  }
}

typedef struct seen {
  atomic_int resyncs, changes, unavailable;
  char last[100];
} seen;

static void note(const livery_event *events, size_t count, void *data) {
  seen *seen = data;
  for (size_t i = 0; i < count; i++) {
    const char *text = NULL;
    if (events[i].kind == LIVERY_EVENT_RESYNC) seen->resyncs++;
    if (events[i].kind == LIVERY_EVENT_CHANGED) seen->changes++;
    if (events[i].unavailable) seen->unavailable++;
    if (events[i].new_value) OK(livery_value_as_string(events[i].new_value, &text, NULL));
    snprintf(seen->last, sizeof seen->last, "%s", text ? text : "");
  }
}

TEST("a watch without the key is told that there is a value it cannot have, and to read anew when the key comes", watches) {
  const char *path = fresh_path();
  toy toy = {.key = 1};
  livery_store *store = new_store(path, FIRST), *reader = NULL;
  OK(toy_set(store, &toy));
  seen seen = {0};
  livery_watch *watch = NULL;
  livery_watch_options options = LIVERY_WATCH_OPTIONS_INIT;
  options.flags = LIVERY_WATCH_DISPATCH;
  OK(livery_watch_start(store, "password", &options, note, &seen, NULL, &watch));
  OK(set(store, "password", "one"));
  OK(livery_dispatch(store, NULL));
  EXPECT_TEXT("one", seen.last);
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  reader = store;
  OK(livery_reset(reader, user, "password"));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(2, seen.changes);
  OK(toy_set(store, &toy));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(0, seen.resyncs);
  OK(set(store, "password", "two"));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(1, seen.unavailable);
  EXPECT_TEXT("", seen.last);
  OK(toy_set(store, &toy));
  OK(livery_dispatch(store, NULL));
  EXPECT_INT(1, seen.resyncs);
  EXPECT_TEXT("two", get(store, "password"));
  OK(livery_watch_stop(watch));
  OK(livery_close(store));
}

static const char *shared_path;

static void set_without_key(void) {
  livery_store *store = open_store(shared_path);
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, set(store, "password", "plain text"));
  OK(set(store, "note", "theirs"));
  OK(livery_close(store));
}

TEST("another process without the key sets no secret, and changes all else", processes) {
  toy toy = {.key = 1};
  shared_path = fresh_path();
  livery_store *store = new_store(shared_path, FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "one"));
  IN_CHILD(set_without_key);
  EXPECT_TEXT("theirs", get(store, "note"));
  EXPECT_TEXT("one", get(store, "password"));
  EXPECT_INT(0, count_in(shared_path, "plain text"));
  OK(livery_close(store));
}

TEST("an export keeps secrets sealed unless they are revealed, and comes back into its store", exchange) {
  toy toy = {.key = 1};
  livery_store *store = new_store(fresh_path(), FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "topsecret"));
  for (uint32_t layers = 0; layers < 2; layers++) {
    uint32_t flags = layers ? LIVERY_EXPORT_LAYERS : 0;
    char *text = NULL;
    OK(livery_export_json(store, flags | LIVERY_EXPORT_REVEAL, &text, NULL));
    EXPECT_CONTAINS("topsecret", text);
    livery_free(text);
    OK(livery_export_json(store, flags, &text, NULL));
    EXPECT(strstr(text, "topsecret") == NULL);
    EXPECT_CONTAINS("\"sealed\"", text);
    OK(set(store, "password", "another"));
    OK(livery_import_json(store, user, text, LIVERY_ZERO_TERMINATED, 0, NULL));
    EXPECT_TEXT("topsecret", get(store, "password"));
    OK(livery_set_sealer(store, NULL, NULL, NULL));
    char *same = NULL;
    OK(livery_export_json(store, LIVERY_EXPORT_REVEAL, &same, NULL));
    EXPECT(strstr(same, "topsecret") == NULL);
    livery_free(same);
    EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_import_json(store, user, text, LIVERY_ZERO_TERMINATED, 0, NULL));
    OK(toy_set(store, &toy));
    // In another store it opens nowhere.
    livery_store *other = new_store(fresh_path(), FIRST);
    OK(toy_set(other, &toy));
    EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_import_json(other, user, text, LIVERY_ZERO_TERMINATED, 0, NULL));
    OK(livery_close(other));
    livery_free(text);
  }
  OK(livery_close(store));
}

TEST("a store takes over what a backup of another has sealed, and opens it with the key", device) {
  toy toy = {.key = 1};
  const char *path = fresh_path();
  char backup[400];
  snprintf(backup, sizeof backup, "%s.backup", path);
  livery_store *store = new_store(path, FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "one"));
  OK(livery_backup(store, backup));
  OK(livery_close(store));
  path = fresh_path();
  store = new_store(path, FIRST);
  OK(livery_restore(store, backup, NULL, NULL));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, set(store, "password", "x"));
  OK(toy_set(store, &toy));
  EXPECT_TEXT("one", get(store, "password"));
  OK(livery_close(store));
  // And a store that sealed by itself before.
  store = new_store(fresh_path(), FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "own"));
  OK(livery_restore(store, backup, NULL, NULL));
  EXPECT_TEXT("one", get(store, "password"));
  OK(set(store, "password", "two"));
  EXPECT_TEXT("two", get(store, "password"));
  livery_value *history = NULL;
  OK(livery_history(store, NULL, &history));
  OK(livery_value_release(history));
  OK(livery_close(store));
  unlink(backup);
}

TEST("a backup from before the store sealed is sealed when it is restored", plain_backup) {
  toy toy = {.key = 1}, again = {.key = 1};
  char secret[LENGTH + 1], backup[400];
  make_secret(secret);
  const char *path = fresh_path();
  snprintf(backup, sizeof backup, "%s.backup", path);
  livery_store *store = new_store(path, FIRST);
  OK(set(store, "password", secret));
  OK(livery_backup(store, backup));
  OK(toy_set(store, &toy));
  OK(set(store, "password", "one"));
  OK(livery_restore(store, backup, NULL, NULL));
  EXPECT_TEXT(secret, get(store, "password"));
  EXPECT_INT(0, count_in(path, secret));
  OK(set(store, "password", "two"));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  // What it holds would lie plainly in a store that seals.
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_restore(store, backup, NULL, NULL));
  OK(toy_set(store, &again));
  EXPECT_TEXT("two", get(store, "password"));
  OK(livery_close(store));
  unlink(backup);
}

TEST("who may only read opens with the key, and leaves sealing to others", reader) {
  const char *path = fresh_path();
  toy toy = {.key = 1};
  livery_store *store = new_store(path, FIRST);
  OK(set(store, "password", "one"));
  livery_store *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 5000);
  OK(toy_set(reader, &toy));
  EXPECT_TEXT("one", get(reader, "password"));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_reseal(reader, 0, NULL));
  OK(toy_set(store, &toy));
  OK(livery_set_sealer(store, NULL, NULL, NULL));
  EXPECT_TEXT("one", get(reader, "password"));
  OK(livery_close(reader));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store, "password"));
  OK(livery_close(store));
  EXPECT_INT(2, toy.destroyed);
}

TEST("what is known of sealing is damaged: that is told", damaged) {
  const char *path = fresh_path();
  toy toy = {.key = 1};
  livery_store *store = new_store(path, FIRST);
  OK(toy_set(store, &toy));
  OK(set(store, "password", "one"));
  livery_value *report = NULL;
  EXPECT(damage_key(path, ".sealed", 7) > 0);
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_sealing(store, &report));
  OK(livery_close(store));
}

TEST("wrong arguments", arguments) {
  toy toy = {.key = 1};
  livery_store *store = new_store(fresh_path(), FIRST);
  livery_sealer sealer = LIVERY_SEALER_INIT;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_sealer(store, &sealer, &toy, toy_destroy));
  sealer.seal = toy_seal;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_sealer(store, &sealer, &toy, toy_destroy));
  sealer.open = toy_open;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_sealer(NULL, &sealer, &toy, toy_destroy));
  sealer.struct_size = 3;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_sealer(store, &sealer, &toy, toy_destroy));
  EXPECT_INT(4, toy.destroyed);
  // One that does not seal what is there is not taken.
  OK(set(store, "password", "one"));
  toy.answer = LIVERY_ERROR_IO;
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_set_sealer(store, &toy_sealer, &toy, toy_destroy));
  EXPECT_INT(5, toy.destroyed);
  EXPECT_TEXT("one", get(store, "password"));
  OK(set(store, "password", "two"));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_reseal(store, 8, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_reseal(NULL, 0, NULL));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_sealing(store, NULL));
  OK(livery_close(store));
}


// How long values last: volatile ones until the system starts anew, those of a session until it ends; and secrets of
// namespaces. A program of another boot is this one, run with a boot ID of its own: its open() is the one that the library calls.
#include "fixture.h"

#include <stdarg.h>
#include <sys/wait.h>

static const livery_layer user = LIVERY_LAYER_USER, session = LIVERY_LAYER_SESSION;

#define LASTING_SCHEMA(version, mode, language)                                                                        \
  "{\"Version\": " version ", \"Groups\": [{\"Title\": \"All\", \"Settings\": ["                                       \
  "{\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"Mode\", \"Key\": \"mode\", \"Value\": 1" mode "},"      \
  "{\"Type\": \"TextField\", \"Title\": \"Language\", \"Key\": \"language\", \"Value\": \"en\"" language "},"          \
  "{\"Type\": \"TextField\", \"Title\": \"PIN\", \"Key\": \"pin\", \"Class\": [\"Password\"], \"Volatile\": true},"    \
  "{\"Type\": \"TextField\", \"Title\": \"Greeting\", \"Key\": \"greeting\", \"Value\": \"hello\"}]}]}"
#define LASTING LASTING_SCHEMA("1", ", \"Volatile\": true", ", \"Survives\": [\"logout\"]")

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  const char *boot = getenv("TEST_BOOT");
  if (boot && strcmp(path, "/proc/sys/kernel/random/boot_id") == 0) {
    path = boot;
    if (!boot[0]) return errno = ENOENT, -1;
  }
  return openat(AT_FDCWD, path, flags, mode);
}

// What another program sees: "mode pin greeting" as text.
static const char *expected;
static bool reads_only;

// Runs the test `there` as a program of its own, in another boot.
static void in_boot(const char *boot, const char *path, const char *says, bool only_reads) {
  char file[400] = "";
  if (boot[0]) {
    snprintf(file, sizeof file, "%s.%s", path, boot);
    FILE *written = fopen(file, "w");
    if (!written) {
      check_fail(__FILE__, __LINE__, "%s", file);
      return;
    }
    fprintf(written, "%s-0000-4000-8000-000000000000\n", boot);
    fclose(written);
  }
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    setenv("TEST_BOOT", file, 1);
    setenv("TEST_STORE", path, 1);
    setenv("TEST_SAYS", says, 1);
    if (only_reads) setenv("TEST_READS", "1", 1);
    unsetenv("LIVERY_REACHED");
    execl("/proc/self/exe", "test-lifetime", "as a program of its own", (char *)NULL);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  if (status != 0) check_fail(__FILE__, __LINE__, "in the boot %s it is not %s (%d)", boot, says, status);
}

static void say(livery_store *store, char *text, size_t size) {
  int64_t mode = 0;
  char pin[32] = "-", greeting[32] = "-", language[32] = "-";
  livery_get_int(store, "mode", &mode);
  livery_get_string(store, "pin", pin, sizeof pin, NULL);
  livery_get_string(store, "greeting", greeting, sizeof greeting, NULL);
  livery_get_string(store, "language", language, sizeof language, NULL);
  snprintf(text, size, "%d %s %s %s", (int)mode, pin, greeting, language);
}

static int records_of(const char *path, const char *name) {
  livery_store *store = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  livery_value *facts = NULL, *layers = NULL;
  size_t count = 0;
  OK(livery_inspect(store, name, &facts));
  OK(livery_value_member(facts, "layers", &layers));
  OK(livery_value_count(layers, &count));
  OK(livery_value_release(layers));
  OK(livery_value_release(facts));
  OK(livery_close(store));
  return (int)count;
}

TEST("as a program of its own", there) {
  expected = getenv("TEST_SAYS");
  reads_only = getenv("TEST_READS") != NULL;
  if (!expected) SKIP("it is run by others");
  char text[200];
  livery_store *store = open_store_with(getenv("TEST_STORE"), reads_only ? LIVERY_OPEN_READ_ONLY : 0, 0);
  say(store, text, sizeof text);
  EXPECT_TEXT(expected, text);
  // Again, by what is kept in memory, by a snapshot and by a list.
  say(store, text, sizeof text);
  EXPECT_TEXT(expected, text);
  livery_snapshot *snapshot = NULL;
  livery_value *value = NULL, *list = NULL, *item = NULL, *held = NULL;
  int64_t mode = 0, listed = 0;
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_snapshot_get(snapshot, "mode", &value));
  OK(livery_value_as_int(value, &mode));
  OK(livery_list(store, "mode", NULL, &list));
  OK(livery_value_at(list, 0, &item));
  OK(livery_value_member(item, "value", &held));
  OK(livery_value_as_int(held, &listed));
  EXPECT_INT(expected[0] - '0', mode);
  EXPECT_INT(expected[0] - '0', listed);
  OK(livery_snapshot_close(snapshot));
  OK(livery_value_release(value));
  OK(livery_value_release(held));
  OK(livery_value_release(item));
  OK(livery_value_release(list));
  OK(livery_close(store));
}

TEST("a volatile value, of whatever layer, ends with the boot: at the first read, and no opening keeps it", volatile_ends) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = new_store(path, LASTING);
  char text[200];
  OK(livery_set_int(store, LIVERY_LAYER_BUNDLE, "mode", 2));
  OK(livery_set_int(store, user, "mode", 3));
  OK(livery_set_string(store, user, "pin", TEXT("8462-secret")));
  OK(livery_set_string(store, user, "greeting", TEXT("hi")));
  say(store, text, sizeof text);
  EXPECT_TEXT("3 8462-secret hi en", text);
  livery_value *facts = NULL, *flag = NULL;
  bool is_volatile = false;
  OK(livery_inspect(store, "mode", &facts));
  OK(livery_value_member(facts, "volatile", &flag));
  OK(livery_value_as_bool(flag, &is_volatile));
  EXPECT(is_volatile);
  livery_value *form = NULL;
  char *drawn = NULL;
  OK(livery_form(store, NULL, &form));
  OK(livery_value_to_json(form, 0, &drawn, NULL));
  EXPECT_CONTAINS("\"volatile\":true", drawn);
  EXPECT_CONTAINS("\"survives\":[\"logout\"]", drawn);
  livery_free(drawn);
  OK(livery_value_release(form));
  OK(livery_value_release(flag));
  OK(livery_value_release(facts));
  OK(livery_close(store));
  // A process of the same boot finds it.
  store = open_store(path);
  say(store, text, sizeof text);
  EXPECT_TEXT("3 8462-secret hi en", text);
  OK(livery_close(store));
  // In another boot it is gone for who may not write, who leaves it in the file, and for all others, who remove it.
  in_boot("b2", path, "1 - hi en", true);
  EXPECT_INT(3, records_of(path, "mode"));
  in_boot("b2", path, "1 - hi en", false);
  EXPECT_INT(1, records_of(path, "mode"));
  // It does not come back with the boot that it was set in.
  store = open_store(path);
  say(store, text, sizeof text);
  EXPECT_TEXT("1 - hi en", text);
  // Nor by undoing the commit that removed it.
  uint64_t last = 0;
  OK(livery_revision(store, &last));
  livery_undo(store, last, 0, NULL);
  say(store, text, sizeof text);
  EXPECT_TEXT("1 - hi en", text);
  OK(livery_close(store));
  size_t size = 0;
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  char *content = read_file(file, &size);
  EXPECT(size > 0);
  free(content);
}

TEST("where no boot can be told a volatile value goes on to count", no_boot) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = new_store(path, LASTING);
  OK(livery_set_int(store, user, "mode", 3));
  OK(livery_close(store));
  in_boot("", path, "3 - hello en", false);
  in_boot("b2", path, "1 - hello en", false);
}

TEST("a setting that becomes volatile ends with the boot that is running, one that is none any more stays", becomes) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = new_store(path, LASTING_SCHEMA("1", "", ""));
  OK(livery_set_int(store, user, "mode", 3));
  OK(livery_close(store));
  in_boot("b2", path, "3 - hello en", false);
  store = open_store(path);
  const char *next = LASTING_SCHEMA("2", ", \"Volatile\": true", ""), *last = LASTING_SCHEMA("3", "", "");
  OK(livery_schema_apply(store, next, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_set_string(store, user, "greeting", TEXT("hi")));
  OK(livery_close(store));
  in_boot("b2", path, "1 - hi en", true);
  store = open_store(path);
  OK(livery_schema_apply(store, last, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_close(store));
  in_boot("b2", path, "3 - hi en", true);
}

static livery_status end_at(livery_store *store, livery_layer layer, int64_t when) {
  livery_change *change = NULL;
  OK(livery_change_begin(store, layer, &change));
  OK(livery_change_session_ends(change, when));
  livery_status status = livery_change_commit(change, NULL);
  if (status != LIVERY_OK) OK(livery_change_discard(change));
  return status;
}

TEST("a session that ends takes all of its values with it, but for what survives", session_ends) {
  livery_store *store = new_store(fresh_path(), LASTING);
  char text[200];
  OK(livery_set_int(store, session, "mode", 2));
  OK(livery_set_string(store, session, "language", TEXT("de")));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, end_at(store, user, now_microseconds() - 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, end_at(store, user, INT64_MAX));
  OK(end_at(store, user, now_microseconds() + 400000));
  // What is set later ends then, too.
  OK(livery_set_string(store, session, "greeting", TEXT("hi")));
  say(store, text, sizeof text);
  EXPECT_TEXT("2 - hi de", text);
  sleep_ms(450);
  say(store, text, sizeof text);
  EXPECT_TEXT("1 - hello de", text);
  // It holds for that session alone.
  OK(livery_set_string(store, session, "greeting", TEXT("ho")));
  say(store, text, sizeof text);
  EXPECT_TEXT("1 - ho de", text);
  // Longer, never, and with an end of their own.
  OK(end_at(store, user, now_microseconds() + 200000));
  OK(end_at(store, user, now_microseconds() + 3600000000));
  livery_change *change = NULL;
  OK(livery_change_begin(store, session, &change));
  OK(livery_change_expires(change, now_microseconds() + 300000));
  OK(livery_change_set_int(change, "mode", 5));
  OK(livery_change_commit(change, NULL));
  OK(end_at(store, user, 0));
  sleep_ms(350);
  say(store, text, sizeof text);
  EXPECT_TEXT("1 - ho de", text);
  // Emptying the layer ends it.
  OK(end_at(store, user, now_microseconds() + 200000));
  OK(livery_change_begin(store, session, &change));
  OK(livery_change_reset_all(change));
  OK(livery_change_commit(change, NULL));
  OK(livery_set_string(store, session, "greeting", TEXT("new")));
  sleep_ms(250);
  say(store, text, sizeof text);
  EXPECT_TEXT("1 - new en", text);
  OK(livery_close(store));
}

static livery_status take(const char *name, livery_value *value, livery_value **checked, void *user_data) {
  (void)name, (void)value, (void)checked, (void)user_data;
  return LIVERY_OK;
}

static bool is_secret(livery_store *store, const char *name) {
  livery_value *list = NULL, *item = NULL, *flag = NULL;
  bool secret = false;
  OK(livery_list(store, name, NULL, &list));
  if (livery_value_at(list, 0, &item) == LIVERY_OK && livery_value_member(item, "secret", &flag) == LIVERY_OK)
    livery_value_as_bool(flag, &secret);
  livery_value_release(flag);
  livery_value_release(item);
  livery_value_release(list);
  return secret;
}

static _Atomic int secret_events;

static void count_secrets(const livery_event *events, size_t count, void *user_data) {
  (void)user_data;
  for (size_t index = 0; index < count; index++) secret_events += events[index].secret;
}

TEST("a namespace can have secrets, which the log forgets as those that a schema declares", claimed_secrets) {
  const char *path = fresh_path();
  livery_store *store = new_store(path, LASTING);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_claim_secret(store, "kept.token"));
  OK(livery_claim(store, "kept.", take, NULL, NULL));
  OK(livery_set_string(store, user, "kept.open", TEXT("x")));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_claim_secret(store, "kept.open"));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_claim_secret(store, "branding.color.Toolbar"));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_claim_secret(store, ""));
  livery_store *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_claim_secret(reader, "kept.token"));
  OK(livery_claim_secret(store, "kept.token"));
  OK(livery_claim_secret(store, "kept.token"));
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_claim_secret(store, "kept."));
  OK(livery_claim_secret(store, "kept.all."));
  OK(livery_set_string(store, user, "kept.all.one", TEXT("x")));
  EXPECT(is_secret(store, "kept.all.one"));
  OK(livery_claim_secret(store, "kept.all."));
  OK(livery_reset(store, user, "kept.all.one"));
  OK(livery_claim_secret(reader, "kept.token"));
  livery_watch *watch = NULL;
  OK(livery_watch_start(store, "kept.*", NULL, count_secrets, NULL, NULL, &watch));
  OK(livery_set_string(store, user, "kept.token", TEXT("first-token")));
  OK(livery_set_string(store, user, "kept.token", TEXT("second-token")));
  EXPECT(is_secret(store, "kept.token"));
  EXPECT(!is_secret(store, "kept.open"));
  OK(livery_reset(store, user, "kept.token"));
  for (int tries = 0; secret_events < 3 && tries < 100; tries++) sleep_ms(20);
  EXPECT(secret_events >= 1);
  livery_value *history = NULL;
  char *text = NULL;
  OK(livery_history(store, NULL, &history));
  OK(livery_value_to_json(history, 0, &text, NULL));
  EXPECT(strstr(text, "first-token") == NULL && strstr(text, "second-token") == NULL);
  EXPECT(strstr(text, "forgotten") != NULL);
  livery_free(text);
  OK(livery_value_release(history));
  for (int number = 0; number < 62; number++) {
    char name[32];
    snprintf(name, sizeof name, "kept.secret%d", number);
    OK(livery_claim_secret(store, name));
  }
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_claim_secret(store, "kept.more"));
  OK(livery_watch_stop(watch));
  OK(livery_close(reader));
  OK(livery_close(store));
}

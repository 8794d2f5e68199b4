// The extension `secrets`: keys, where they lie, what they seal, and how they are exchanged.
#include "searched.h"

#include <livery/secrets.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>

#define SCHEMA                                                                                                         \
  "{\"Version\": 1, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["                                                 \
  "{\"Type\": \"TextField\", \"Title\": \"Password\", \"Key\": \"password\", \"Class\": [\"Password\"]},"              \
  "{\"Type\": \"TextField\", \"Title\": \"Note\", \"Key\": \"note\"}]}]}"

static const livery_layer user = LIVERY_LAYER_USER;

static const char *key_path(const char *store) {
  static char path[400];
  snprintf(path, sizeof path, "%s.key", store);
  unlink(path);
  return path;
}

static livery_secrets_options in_file(const char *path) {
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.file = path;
  return options;
}

static livery_status set(livery_store *store, const char *text) {
  return livery_set_string(store, user, "password", text, LIVERY_ZERO_TERMINATED);
}

static const char *get(livery_store *store) {
  static char text[200];
  text[0] = 0;
  livery_status status = livery_get_string(store, "password", text, sizeof text, NULL);
  return status == LIVERY_OK ? text : livery_status_name(status);
}

TEST("a key is made once, in a file that nobody else reads", keys) {
  const char *path = key_path(fresh_path());
  livery_secrets_options options = in_file(path);
  OK(livery_secrets_make_key(&options));
  struct stat facts;
  EXPECT(stat(path, &facts) == 0);
  EXPECT_INT(0100400, facts.st_mode);
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_secrets_make_key(&options));
  options.file = "/nowhere/at/all";
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_secrets_make_key(&options));
  options.file = NULL;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_make_key(&options));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_make_key(NULL));
  options.credential = "x";
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_make_key(&options));
  unlink(path);
}

TEST("a secret is read and set as ever with the key, and is UNAVAILABLE without", sealed) {
  const char *path = fresh_path(), *key = key_path(path);
  livery_secrets_options options = in_file(key);
  livery_store *store = new_store(path, SCHEMA);
  livery_secrets *secrets = NULL;
  OK(set(store, "before"));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_secrets_open(store, &options, &secrets));
  EXPECT(secrets == NULL);
  EXPECT_TEXT("before", get(store));
  OK(livery_secrets_make_key(&options));
  OK(livery_secrets_open(store, &options, &secrets));
  EXPECT_TEXT("before", get(store));
  OK(set(store, "after"));
  EXPECT_TEXT("after", get(store));
  OK(livery_secrets_close(secrets));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_secrets_close(secrets));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_secrets_reload(secrets));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store));
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, set(store, "x"));
  // Another key opens nothing, and what is set anew is under it.
  unlink(key);
  OK(livery_secrets_make_key(&options));
  OK(livery_secrets_open(store, &options, &secrets));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store));
  OK(set(store, "anew"));
  EXPECT_TEXT("anew", get(store));
  OK(livery_close(store));
  OK(livery_secrets_close(secrets));
  unlink(key);
}

static void write_text(const char *path, const char *text, mode_t mode) {
  unlink(path);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
  chmod(path, mode);
}

TEST("a key that others may read, or that is none, is refused with its place", refused) {
  const char *path = fresh_path(), *key = key_path(path);
  livery_secrets_options options = in_file(key);
  livery_store *store = new_store(path, SCHEMA);
  livery_secrets *secrets = NULL;
  OK(livery_secrets_make_key(&options));
  chmod(key, 0440);
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_secrets_open(store, &options, &secrets));
  EXPECT_CONTAINS("chmod 400", livery_last_error()->message);
  write_text(key, "# a key\n\nlivery-key-1 short=\n", 0400);
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_secrets_open(store, &options, &secrets));
  EXPECT_CONTAINS("line 3", livery_last_error()->message);
  write_text(key, "", 0400);
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_secrets_open(store, &options, &secrets));
  options.file = path;
  EXPECT(livery_secrets_open(store, &options, &secrets) == LIVERY_ERROR_PARSE);
  options.keyring = "both";
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_open(store, &options, &secrets));
  options.keyring = NULL, options.file = key;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_open(NULL, &options, &secrets));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_open(store, NULL, &secrets));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_open(store, &options, NULL));
  options.file = NULL, options.credential = "../x";
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_open(store, &options, &secrets));
  options.credential = "kiosk";
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_secrets_open(store, &options, &secrets));
  OK(livery_close(store));
  unlink(key);
}

TEST("rotation puts a new key in the place of the old one, and another process goes on with it", rotation) {
  const char *path = fresh_path(), *key = key_path(path);
  livery_secrets_options options = in_file(key);
  livery_store *store = new_store(path, SCHEMA);
  livery_secrets *secrets = NULL, *other = NULL;
  OK(livery_secrets_make_key(&options));
  OK(livery_secrets_open(store, &options, &secrets));
  livery_store *second = open_store(path);
  OK(livery_secrets_open(second, &options, &other));
  OK(set(store, "one"));
  livery_value *before = NULL, *after = NULL, *report = NULL;
  OK(livery_secrets_status(secrets, &before));
  OK(livery_secrets_rotate(secrets, &report));
  OK(livery_secrets_status(secrets, &after));
  bool same = true;
  OK(livery_value_equal(before, after, &same));
  EXPECT(!same);
  OK(livery_value_release(report)), OK(livery_value_release(before)), OK(livery_value_release(after));
  EXPECT_TEXT("one", get(store));
  // The one that was not told reads the file anew. It was opened last, so it is asked.
  EXPECT_TEXT("one", get(second));
  OK(set(second, "two"));
  OK(livery_secrets_close(other));
  EXPECT_TEXT("two", get(store));
  char text[1000] = "";
  FILE *file = fopen(key, "r");
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  EXPECT_INT(58, length);
  OK(livery_secrets_rotate(secrets, NULL));
  OK(livery_undo(store, 3, 0, NULL));
  OK(livery_close(second));
  OK(livery_close(store));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_secrets_rotate(secrets, NULL));
  OK(livery_secrets_close(secrets));
  unlink(key);
}

typedef struct source {
  const char *text;
  int calls, destroyed;
} source;

static livery_status hand_out(char *text, size_t capacity, size_t *length, void *user_data) {
  source *source = user_data;
  source->calls++;
  if (!source->text) return LIVERY_ERROR_UNAVAILABLE;
  *length = strlen(source->text);
  if (*length > capacity) return LIVERY_ERROR_INVALID_ARGUMENT;
  memcpy(text, source->text, *length);
  return LIVERY_OK;
}

static void note_destroyed(void *user_data) { ((source *)user_data)->destroyed++; }

#define KEY_A "livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
#define KEY_B "livery-key-1 HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"

TEST("a function hands out keys; one that comes later makes the values known", function) {
  source source = {NULL, 0, 0};
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.function = hand_out, options.user_data = &source, options.destroy = note_destroyed;
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_secrets *secrets = NULL;
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_secrets_open(store, &options, &secrets));
  EXPECT_INT(1, source.destroyed);
  source.text = KEY_A;
  OK(livery_secrets_open(store, &options, &secrets));
  OK(set(store, "one"));
  source.text = KEY_B;
  OK(livery_secrets_reload(secrets));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store));
  source.text = KEY_B KEY_A;
  OK(livery_secrets_rotate(secrets, NULL));
  EXPECT_TEXT("one", get(store));
  source.text = KEY_B;
  OK(livery_secrets_reload(secrets));
  EXPECT_TEXT("one", get(store));
  source.text = "livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=\n";
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_secrets_reload(secrets));
  EXPECT_TEXT("one", get(store));
  OK(livery_secrets_close(secrets));
  OK(livery_close(store));
  EXPECT_INT(2, source.destroyed);
}

TEST("a function is asked anew before a value is sealed, so that nothing is under a key that is taken away", asked_anew) {
  source source = {KEY_A, 0, 0};
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.function = hand_out, options.user_data = &source, options.destroy = note_destroyed;
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_secrets *secrets = NULL;
  OK(livery_secrets_open(store, &options, &secrets));
  // Somebody else has put another key first, and takes the first one away.
  source.text = KEY_B KEY_A;
  OK(set(store, "one"));
  source.text = KEY_B;
  OK(livery_secrets_reload(secrets));
  EXPECT_TEXT("one", get(store));
  // Where there is none to be had the one of before seals.
  source.text = NULL;
  OK(set(store, "two"));
  EXPECT_TEXT("two", get(store));
  OK(livery_secrets_close(secrets));
  OK(livery_close(store));
  EXPECT_INT(1, source.destroyed);
}

static sem_t asked, answered;
static _Atomic int closed, is_late;
static livery_secrets *shared;

static livery_status hand_out_late(char *text, size_t capacity, size_t *length, void *user_data) {
  if (is_late) {
    sem_post(&asked);
    sem_wait(&answered);
  }
  return hand_out(text, capacity, length, user_data);
}

static void *reload(void *rotates) {
  OK(rotates ? livery_secrets_rotate(shared, NULL) : livery_secrets_reload(shared));
  return NULL;
}

static void *close_shared(void *unused) {
  OK(livery_secrets_close(shared));
  closed = 1;
  return unused;
}

TEST("closing waits for what reads the source, and nothing seals afterwards", closing) {
  for (int rotates = 0; rotates < 2; rotates++) {
    source source = {KEY_A, 0, 0};
    livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
    options.function = hand_out_late, options.user_data = &source, options.destroy = note_destroyed;
    livery_store *store = new_store(fresh_path(), SCHEMA);
    closed = 0;
    sem_init(&asked, 0, 0);
    sem_init(&answered, 0, 0);
    OK(set(store, "one"));
    OK(livery_secrets_open(store, &options, &shared));
    is_late = 1;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, reload, rotates ? &source : NULL);
    sem_wait(&asked);
    pthread_create(&threads[1], NULL, close_shared, NULL);
    usleep(50000);
    EXPECT_INT(0, closed);
    EXPECT_INT(0, source.destroyed);
    // However often it is asked from now on.
    for (int times = 0; times < 20; times++) sem_post(&answered);
    for (int thread = 0; thread < 2; thread++) pthread_join(threads[thread], NULL);
    EXPECT_INT(1, source.destroyed);
    EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store));
    EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_secrets_close(shared));
    is_late = 0;
    OK(livery_close(store));
  }
}

TEST("of several on a handle the latest counts, and closing another one changes nothing", several) {
  source former = {KEY_A, 0, 0}, later = {KEY_B KEY_A, 0, 0};
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.function = hand_out, options.destroy = note_destroyed;
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_secrets *first = NULL, *second = NULL, *third = NULL;
  options.user_data = &former;
  OK(livery_secrets_open(store, &options, &first));
  OK(set(store, "one"));
  options.user_data = &later;
  OK(livery_secrets_open(store, &options, &second));
  OK(livery_secrets_close(first));
  EXPECT_INT(1, former.destroyed);
  EXPECT_TEXT("one", get(store));
  OK(set(store, "two"));
  // One that cannot be opened takes nothing away, either.
  former.text = NULL;
  options.user_data = &former;
  EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, livery_secrets_open(store, &options, &third));
  EXPECT_TEXT("two", get(store));
  options.user_data = &former, former.text = KEY_A;
  OK(livery_secrets_open(store, &options, &third));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store));
  // Reloaded, it is the latest.
  OK(livery_secrets_reload(second));
  EXPECT_TEXT("two", get(store));
  OK(livery_secrets_close(third));
  EXPECT_TEXT("two", get(store));
  OK(livery_secrets_close(second));
  EXPECT_TEXT("LIVERY_ERROR_UNAVAILABLE", get(store));
  OK(livery_close(store));
  EXPECT_INT(3, former.destroyed);
  EXPECT_INT(1, later.destroyed);
}

TEST("the kernel's keyring holds a key", keyring) {
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  char name[64];
  snprintf(name, sizeof name, "livery-test-%d", (int)getpid());
  options.keyring = name;
  livery_status made = livery_secrets_make_key(&options);
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_secrets *secrets = NULL;
  if (made != LIVERY_OK) {
    EXPECT(made == LIVERY_ERROR_UNAVAILABLE || made == LIVERY_ERROR_PERMISSION);
    livery_status opened = livery_secrets_open(store, &options, &secrets);
    EXPECT(opened == LIVERY_ERROR_UNAVAILABLE || opened == LIVERY_ERROR_PERMISSION);
    snprintf(check_skipped, sizeof check_skipped, "no keyrings here");
  } else {
    OK(livery_secrets_open(store, &options, &secrets));
    OK(set(store, "one"));
    OK(livery_secrets_rotate(secrets, NULL));
    EXPECT_TEXT("one", get(store));
    OK(livery_secrets_close(secrets));
  }
  OK(livery_close(store));
}

TEST("a credential of systemd's is a file in its folder", credential) {
  char folder[300], file[400];
  snprintf(folder, sizeof folder, "%s.credentials", fresh_path());
  snprintf(file, sizeof file, "%s/kiosk", folder);
  mkdir(folder, 0700);
  write_text(file, KEY_A, 0440);
  setenv("CREDENTIALS_DIRECTORY", folder, 1);
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.credential = "kiosk";
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_secrets *secrets = NULL;
  OK(livery_secrets_open(store, &options, &secrets));
  OK(set(store, "one"));
  EXPECT_TEXT("one", get(store));
  livery_value *report = NULL;
  OK(livery_secrets_status(secrets, &report));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_secrets_status(secrets, NULL));
  OK(livery_value_release(report));
  OK(livery_secrets_close(secrets));
  OK(livery_close(store));
  unsetenv("CREDENTIALS_DIRECTORY");
}

// "a secret that nobody else knows 4711", changed.
static const unsigned char changed[] = {52, 117, 38, 48, 54, 39, 48, 33, 117, 33, 61, 52, 33, 117, 59, 58, 55, 58, 49, 44, 117, 48, 57, 38, 48,
                                        117, 62, 59, 58, 34, 38, 117, 97, 98, 100, 100};

TEST("a secret that was set, read, listed and replaced is in no memory of the libraries, nor in what they share", wiped) {
  if (!(livery_features() & LIVERY_FEATURE_STANDALONE)) SKIP("Swift's own runtime does not wipe");
  const char *path = fresh_path(), *key = key_path(path);
  livery_secrets_options options = in_file(key);
  livery_store *store = new_store(path, SCHEMA);
  livery_secrets *secrets = NULL;
  livery_key *handle = NULL;
  livery_snapshot *snapshot = NULL;
  livery_value *value = NULL;
  char typed[sizeof changed + 1] = "", *text = NULL;
  OK(livery_secrets_make_key(&options));
  OK(livery_secrets_open(store, &options, &secrets));
  for (size_t place = 0; place < sizeof changed; place++) typed[place] = (char)(changed[place] ^ 0x55);
  OK(livery_set_string(store, user, "password", typed, sizeof changed));
  OK(livery_key_open(store, "password", &handle));
  OK(livery_key_get_string(handle, typed, sizeof typed, NULL));
  OK(livery_key_close(handle));
  OK(livery_copy_string(store, "password", &text, NULL));
  explicit_bzero(text, strlen(text));
  livery_free(text);
  OK(livery_list(store, NULL, NULL, &value));
  OK(livery_value_release(value));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_snapshot_get(snapshot, "password", &value));
  OK(livery_value_release(value));
  OK(livery_snapshot_close(snapshot));
  OK(livery_export_json(store, LIVERY_EXPORT_REVEAL, &text, NULL));
  explicit_bzero(text, strlen(text));
  livery_free(text);
  // The search finds what is there.
  EXPECT(found_in_memory(changed, sizeof changed) > 0);
  explicit_bzero(typed, sizeof typed);
  OK(livery_secrets_rotate(secrets, NULL));
  // The cache of values, what was freed, what is mapped of the file and of livery.wake.
  EXPECT_INT(0, found_in_memory(changed, sizeof changed));
  OK(livery_secrets_close(secrets));
  OK(livery_close(store));
  EXPECT_INT(0, found_in_memory(changed, sizeof changed));
  unlink(key);
}

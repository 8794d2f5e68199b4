// Memory that ends, a disk that is full and a store that another process keeps, while secrets begin to be sealed, are set and
// read, and the key is exchanged: there is a status, no value is lost, and nothing lies plainly that was sealed.
#include "memory.h"
#include "refused.h"

#include <dirent.h>
#include <livery/secrets.h>

#define SCHEMA                                                                                                         \
  "{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"All\", \"Settings\": ["                                  \
  "{\"Type\": \"TextField\", \"Title\": \"Password\", \"Key\": \"password\", \"Class\": [\"Password\"]}]}]}"

// No file holds these once they are sealed.
#define BEFORE "plain-secret-before"
#define AFTER "plain-secret-after"

static char path[300], key[400];

static livery_secrets_options in_file(void) {
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.file = key;
  return options;
}

static bool holds_plainly(const char *folder) {
  bool found = false;
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries && (entry = readdir(entries)) != NULL;) {
    char file[800];
    size_t size = 0;
    snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] == '.') continue;
    if (entry->d_type == DT_DIR) {
      found |= holds_plainly(file);
      continue;
    }
    char *bytes = read_file(file, &size);
    found |= bytes && memmem(bytes, size, "plain-secret-", 13);
    free(bytes);
  }
  if (entries) closedir(entries);
  return found;
}

static livery_store *made(bool seals, livery_secrets **secrets) {
  livery_secrets_options options = in_file();
  snprintf(path, sizeof path, "%s", fresh_path());
  snprintf(key, sizeof key, "%s.key", path);
  unlink(key);
  OK(livery_secrets_make_key(&options));
  livery_store *store = open_store_with(path, LIVERY_OPEN_CREATE, 50);
  OK(livery_schema_apply(store, SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  if (seals) OK(livery_secrets_open(store, &options, secrets));
  OK(livery_set_string(store, user, "password", TEXT(BEFORE)));
  OK(livery_backup(store, NULL));
  return store;
}

// One piece of work: what it returns, and whether it is done.
typedef struct work {
  const char *name;
  bool is_beginning, sets;
  livery_status (*run)(livery_store *store, livery_secrets **secrets);
} work;

static livery_status run_open(livery_store *store, livery_secrets **secrets) {
  livery_secrets_options options = in_file();
  return livery_secrets_open(store, &options, secrets);
}
static livery_status run_set(livery_store *store, livery_secrets **secrets) {
  (void)secrets;
  return livery_set_string(store, user, "password", TEXT(AFTER));
}
static livery_status run_get(livery_store *store, livery_secrets **secrets) {
  char text[40] = "";
  (void)secrets;
  livery_status status = livery_get_string(store, "password", text, sizeof text, NULL);
  if (status == LIVERY_OK) EXPECT_TEXT(BEFORE, text);
  return status;
}
static livery_status run_reload(livery_store *store, livery_secrets **secrets) {
  (void)store;
  return livery_secrets_reload(*secrets);
}
static livery_status run_rotate(livery_store *store, livery_secrets **secrets) {
  livery_value *report = NULL;
  (void)store;
  livery_status status = livery_secrets_rotate(*secrets, &report);
  livery_value_release(report);
  return status;
}
static livery_status run_reseal(livery_store *store, livery_secrets **secrets) {
  (void)secrets;
  return livery_reseal(store, LIVERY_RESEAL_COPIES, NULL);
}
static livery_status run_status(livery_store *store, livery_secrets **secrets) {
  livery_value *report = NULL;
  (void)store;
  livery_status status = livery_secrets_status(*secrets, &report);
  livery_value_release(report);
  return status;
}

static const work works[] = {
  {"open", true, false, run_open},     {"set", false, true, run_set},       {"get", false, false, run_get},
  {"reload", false, false, run_reload}, {"rotate", false, false, run_rotate}, {"reseal", false, false, run_reseal},
  {"status", false, false, run_status},
};
enum { WORKS = sizeof works / sizeof *works };

// The value is one of both, opens with the key that is in the file now, and lies nowhere plainly once all is sealed.
static void expect_kept(livery_store *store, livery_secrets **secrets, const work *work, livery_status status, const char *what) {
  int before = check_failures;
  livery_secrets_options options = in_file();
  char text[40] = "";
  // Another process comes.
  livery_secrets_close(*secrets);
  *secrets = NULL;
  OK(livery_secrets_open(store, &options, secrets));
  OK(livery_get_string(store, "password", text, sizeof text, NULL));
  EXPECT_TEXT(work->sets && status == LIVERY_OK ? AFTER : BEFORE, text);
  EXPECT(!holds_plainly(path));
  if (check_failures > before) fprintf(stderr, "  %s, %s\n", work->name, what);
}

static void end(livery_store *store, livery_secrets *secrets) {
  OK(livery_close(store));
  livery_secrets_close(secrets);
  unlink(key);
}

TEST("at whatever allocation memory ends, once or for good, secrets are sealed or are not, and none is lost", memory_ends) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
  for (int index = 0; index < WORKS; index++) {
    const work *work = &works[index];
    int refused = 0;
    livery_store *store = NULL;
    livery_secrets *secrets = NULL;
    for (long count = 0, quiet = 0; quiet < 2 && check_failures < 20; count += 1 + count / 12) {
      for (int for_good = 0; for_good < 2; for_good++) {
        char what[60];
        snprintf(what, sizeof what, "after %ld allocations, %s", count, for_good ? "for good" : "once");
        if (!store || work->is_beginning || work->sets) {
          if (store) end(store, secrets);
          secrets = NULL;
          store = made(!work->is_beginning, &secrets);
        }
        memory_ends_after(count, for_good);
        livery_status status = work->run(store, &secrets);
        memory_is_back();
        if (status != LIVERY_OK && status != LIVERY_ERROR_NO_MEMORY)
          check_fail(__FILE__, __LINE__, "%s, %s: %s, %s", work->name, what, livery_status_name(status), livery_last_error()->message);
        refused += status != LIVERY_OK;
        expect_kept(store, &secrets, work, status, what);
        quiet = struck ? 0 : quiet + 1;
      }
    }
    EXPECT(refused > 0);
    end(store, secrets);
  }
}

TEST("with no room for what is written each is NO_SPACE, and the values stay", full) {
  signal(SIGXFSZ, SIG_IGN);
  check_before_note = lift_limits;
  for (int index = 0; index < WORKS; index++) {
    const work *work = &works[index];
    livery_secrets *secrets = NULL;
    livery_store *store = made(!work->is_beginning, &secrets);
    bool writes = work->run != run_get && work->run != run_status && work->run != run_reload;
    limit_files();
    livery_status status = work->run(store, &secrets);
    lift_limits();
    if (status != (writes ? LIVERY_ERROR_NO_SPACE : LIVERY_OK))
      check_fail(__FILE__, __LINE__, "%s: %s", work->name, livery_status_name(status));
    expect_kept(store, &secrets, work, status, "full");
    end(store, secrets);
  }
  char other[420];
  livery_secrets_options options = in_file();
  snprintf(other, sizeof other, "%s.other", key);
  options.file = other;
  limit_files();
  livery_status status = livery_secrets_make_key(&options);
  lift_limits();
  EXPECT_STATUS(LIVERY_ERROR_NO_SPACE, status);
  // Nothing is left of it.
  OK(livery_secrets_make_key(&options));
  unlink(other);
  check_before_note = NULL;
}

TEST("while another process keeps the store each is BUSY after its timeout, and the values stay", busy) {
  for (int index = 0; index < WORKS; index++) {
    const work *work = &works[index];
    livery_secrets *secrets = NULL;
    livery_store *store = made(!work->is_beginning, &secrets);
    bool writes = work->run != run_get && work->run != run_status && work->run != run_reload;
    if (!hold(path)) return;
    livery_status status = work->run(store, &secrets);
    let_go();
    if (status != (writes ? LIVERY_ERROR_BUSY : LIVERY_OK))
      check_fail(__FILE__, __LINE__, "%s: %s", work->name, livery_status_name(status));
    expect_kept(store, &secrets, work, status, "busy");
    end(store, secrets);
  }
}

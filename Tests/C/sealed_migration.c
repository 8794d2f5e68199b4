// Upgrades that copy, rename and split a sealed secret, into secrets and into settings that are none: no file holds it plainly
// unless that was consented to, and without the key nothing happens.
#include "sealer.h"

static const livery_layer user = LIVERY_LAYER_USER;

#define SECRET(key) "{\"Type\": \"TextField\", \"Title\": \"S\", \"Key\": \"" key "\", \"Class\": [\"Password\"]}"
#define OPEN(key) "{\"Type\": \"TextField\", \"Title\": \"O\", \"Key\": \"" key "\"}"
#define UPGRADE(settings, step)                                                                                        \
  "{\"Version\": 2, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" settings                                       \
  "]}], \"Migrations\": [{\"To\": 2, \"Steps\": [" step "]}]}"

// An upgrade, and what each setting is afterwards: `w`hole, the `l`eft or the `r`ight half of the secret.
typedef struct upgrade {
  const char *name, *schema, *settings[3], *holds;
  // The setting that shows what was a secret; NULL if all are secrets.
  const char *declassified;
} upgrade;

static const upgrade upgrades[] = {
  {"copy", UPGRADE(SECRET("password") "," SECRET("spare"), "{\"Op\": \"copy\", \"From\": \"password\", \"Into\": \"spare\"}"),
   {"password", "spare"}, "ww", NULL},
  {"rename", UPGRADE(SECRET("pin"), "{\"Op\": \"rename\", \"From\": \"password\", \"Into\": \"pin\"}"), {"pin"}, "w", NULL},
  {"split", UPGRADE(SECRET("left") "," SECRET("right"), "{\"Op\": \"split\", \"Key\": \"password\", \"By\": \"-\", \"Into\": [\"left\", \"right\"]}"),
   {"left", "right"}, "lr", NULL},
  {"copy to an open one", UPGRADE(SECRET("password") "," OPEN("spare"), "{\"Op\": \"copy\", \"From\": \"password\", \"Into\": \"spare\"}"),
   {"password", "spare"}, "ww", "spare"},
  {"rename to an open one", UPGRADE(OPEN("pin"), "{\"Op\": \"rename\", \"From\": \"password\", \"Into\": \"pin\"}"), {"pin"}, "w", "pin"},
  {"split to an open one", UPGRADE(OPEN("left") "," SECRET("right"), "{\"Op\": \"split\", \"Key\": \"password\", \"By\": \"-\", \"Into\": [\"left\", \"right\"]}"),
   {"left", "right"}, "lr", "left"},
};

static char left[LENGTH + 1], right[LENGTH + 1], whole[2 * LENGTH + 2];

static livery_status apply(livery_store *store, const upgrade *upgrade, bool consents, bool plans, livery_value **report) {
  livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
  if (consents) options.declassify = &upgrade->declassified, options.declassify_count = 1;
  return plans ? livery_schema_check(store, upgrade->schema, LIVERY_ZERO_TERMINATED, report)
               : livery_schema_apply(store, upgrade->schema, LIVERY_ZERO_TERMINATED, &options, report);
}

static int plain_in(const char *path) { return count_in(path, left) + count_in(path, right); }

// That a status comes, whose message and report do not show the secret, and that the store is as it was.
static void expect_refused(livery_store *store, const char *path, const upgrade *upgrade, bool plans, livery_status status) {
  livery_value *report = NULL;
  char *text = NULL;
  uint64_t before = 0, after = 0;
  OK(livery_revision(store, &before));
  livery_status got = apply(store, upgrade, false, plans, &report);
  if (got != status) check_fail(__FILE__, __LINE__, "%s: %s, not %s", upgrade->name, livery_status_name(got), livery_status_name(status));
  EXPECT(strstr(livery_last_error()->message, left) == NULL && strstr(livery_last_error()->message, right) == NULL);
  if (report && livery_value_to_json(report, 0, &text, NULL) == LIVERY_OK && status == LIVERY_ERROR_UNAVAILABLE)
    EXPECT(strstr(text, left) == NULL && strstr(text, right) == NULL);
  livery_free(text);
  livery_value_release(report);
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  EXPECT_INT(0, plain_in(path));
}

TEST("a secret that is copied, renamed or split stays sealed; without the key, or consent, nothing happens", moves) {
  for (size_t index = 0; index < sizeof upgrades / sizeof *upgrades; index++) {
    const upgrade *upgrade = &upgrades[index];
    const char *path = fresh_path();
    toy toy = {.key = 1};
    char text[100];
    make_secret(left), make_secret(right);
    snprintf(whole, sizeof whole, "%s-%s", left, right);
    livery_store *store = new_store(path, "{\"Version\": 1, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" SECRET("password") "]}]}");
    OK(toy_set(store, &toy));
    OK(livery_set_string(store, user, "password", whole, LIVERY_ZERO_TERMINATED));

    OK(livery_set_sealer(store, NULL, NULL, NULL));
    expect_refused(store, path, upgrade, true, LIVERY_ERROR_UNAVAILABLE);
    expect_refused(store, path, upgrade, false, LIVERY_ERROR_UNAVAILABLE);
    if (upgrade->declassified) EXPECT_STATUS(LIVERY_ERROR_UNAVAILABLE, apply(store, upgrade, true, false, NULL));
    OK(toy_set(store, &toy));
    if (upgrade->declassified) {
      expect_refused(store, path, upgrade, true, LIVERY_ERROR_MIGRATION);
      expect_refused(store, path, upgrade, false, LIVERY_ERROR_MIGRATION);
    }
    OK(livery_get_string(store, "password", text, sizeof text, NULL));
    EXPECT_TEXT(whole, text);

    livery_value *report = NULL;
    EXPECT_STATUS(upgrade->declassified ? LIVERY_ERROR_MIGRATION : LIVERY_OK, apply(store, upgrade, false, true, &report));
    livery_value_release(report);
    EXPECT_INT(0, plain_in(path));
    OK(apply(store, upgrade, upgrade->declassified != NULL, false, NULL));
    for (size_t place = 0; place < strlen(upgrade->holds); place++) {
      const char *name = upgrade->settings[place], *holds = upgrade->holds[place] == 'w' ? whole : upgrade->holds[place] == 'l' ? left : right;
      OK(livery_get_string(store, name, text, sizeof text, NULL));
      EXPECT_TEXT(holds, text);
    }
    if (!upgrade->declassified) EXPECT_INT(0, plain_in(path));
    // What is none any more is read without the key, all else is not.
    OK(livery_set_sealer(store, NULL, NULL, NULL));
    for (size_t place = 0; place < strlen(upgrade->holds); place++) {
      bool is_open = upgrade->declassified && strcmp(upgrade->declassified, upgrade->settings[place]) == 0;
      EXPECT_STATUS(is_open ? LIVERY_OK : LIVERY_ERROR_UNAVAILABLE, livery_get_string(store, upgrade->settings[place], text, sizeof text, NULL));
    }
    OK(livery_close(store));
    if (upgrade->declassified && strcmp(upgrade->name, "split to an open one") == 0) EXPECT_INT(0, count_in(path, right));
    if (check_failures) fprintf(stderr, "  %s\n", upgrade->name);
  }
}

static livery_status take_any(const char *name, livery_value *value, livery_value **checked, void *user_data) {
  (void)name, (void)value, (void)checked, (void)user_data;
  return LIVERY_OK;
}

TEST("a sealed secret that no schema declared is declared openly by consent alone, also by who has no key", declared_openly) {
  static toy key = {.key = 42};
  static const char *const first[] = {"{\"Version\": 1, \"Groups\": []}",
                                      "{\"Version\": 1, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" SECRET("kept.token") "]}]}"};
  static const char next[] = "{\"Version\": 3, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" OPEN("kept.token") "]}]}";
  for (int was_declared = 0; was_declared < 2; was_declared++) {
    const char *path = fresh_path();
    livery_store *store = open_store(path);
    OK(livery_schema_apply(store, first[was_declared], LIVERY_ZERO_TERMINATED, NULL, NULL));
    if (!was_declared) {
      OK(livery_claim(store, "kept.", take_any, NULL, NULL));
      OK(livery_claim_secret(store, "kept.token"));
    }
    OK(livery_set_sealer(store, &toy_sealer, &key, NULL));
    OK(livery_set_string(store, user, "kept.token", "hunter2", LIVERY_ZERO_TERMINATED));
    // It is an orphan then.
    if (was_declared) OK(livery_schema_apply(store, "{\"Version\": 2, \"Groups\": []}", LIVERY_ZERO_TERMINATED, NULL, NULL));
    OK(livery_close(store));
    store = open_store(path);
    EXPECT_STATUS(LIVERY_ERROR_MIGRATION, livery_schema_apply(store, next, LIVERY_ZERO_TERMINATED, NULL, NULL));
    EXPECT_CONTAINS("kept.token", livery_last_error()->message);
    livery_schema_options options = LIVERY_SCHEMA_OPTIONS_INIT;
    const char *name = "kept.token";
    options.declassify = &name;
    options.declassify_count = 1;
    OK(livery_schema_apply(store, next, LIVERY_ZERO_TERMINATED, &options, NULL));
    OK(livery_set_sealer(store, &toy_sealer, &key, NULL));
    char value[16] = "";
    OK(livery_get_string(store, name, value, sizeof value, NULL));
    EXPECT_TEXT("hunter2", value);
    OK(livery_close(store));
  }
}

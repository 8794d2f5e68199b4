// Power cuts while the secrets of a store are sealed, sealed anew, set and forgotten, and while the key is exchanged: power_cut.h
// tells how they are replayed. The key lies beside the store's files, so that a cut leaves both as they were at one moment. Of
// each state every secret opens with the keys that are in that file then. Once sealing was on the disk no file holds one
// plainly, nor once somebody has opened the store with the key.
#include "power_cut.h"

#include <livery/secrets.h>

enum { SECRETS = 5, HANDLES = 2 };

// All secrets begin with it.
#define MARK "seal-replay-secret-"
#define SETTING(number)                                                                                                \
  "{\"Type\": \"TextField\", \"Title\": \"S\", \"Key\": \"secret" number "\", \"Class\": [\"Password\"]}"
static const char schema[] = "{\"Version\": 1, \"Open\": true, \"Groups\": [{\"Title\": \"All\", \"Settings\": [" SETTING("0")
  "," SETTING("1") "," SETTING("2") "," SETTING("3") "," SETTING("4") "]}]}";

// By which step everything is sealed: before it come the schema and secrets that are set plainly.
enum { SEALING = 5 };
static uint64_t steps, number;
static livery_secrets *opened[HANDLES];
static unsigned next_opened;

static const char *key_path(void) {
  static char path[400];
  const char *into = option_text("--workload", NULL);
  snprintf(path, sizeof path, "%s/secrets.key", into ? into : place);
  return path;
}

static livery_secrets_options in_file(void) {
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.file = key_path();
  return options;
}

static livery_secrets *seal(livery_store *store) {
  livery_secrets_options options = in_file();
  livery_secrets *secrets = NULL;
  if (livery_secrets_open(store, &options, &secrets) != LIVERY_OK) return NULL;
  return secrets;
}

static void open_key(livery_store *store) {
  if (access(key_path(), F_OK) != 0) return;
  livery_secrets **place = &opened[next_opened++ % HANDLES];
  livery_secrets_close(*place);
  if (!(*place = seal(store))) give_up("the key");
}

static bool step(livery_store *store) {
  static char text[3000];
  char name[20];
  snprintf(name, sizeof name, "secret%" PRIu64, below(SECRETS));
  int length = snprintf(text, sizeof text, MARK "%" PRIu64 "-", ++number), whole = length + (int)(number * 977 % 2000);
  memset(text + length, 's', (size_t)(whole - length));
  text[whole] = 0;
  steps++;
  if (steps == 1) return livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL) == LIVERY_OK;
  if (steps == SEALING) {
    livery_secrets_options options = in_file();
    if (livery_secrets_make_key(&options) != LIVERY_OK) return false;
    open_key(store);
    return true;
  }
  bool is_sealing = steps > SEALING;
  switch (is_sealing ? below(12) : 11) {
    case 0:
    case 1: return livery_secrets_rotate(opened[(next_opened - 1) % HANDLES], NULL) == LIVERY_OK;
    case 2: return livery_reseal(store, below(2) ? LIVERY_RESEAL_COPIES : 0, NULL) == LIVERY_OK;
    case 3: return livery_forget(store, name, below(2) ? LIVERY_FORGET_BACKUPS : 0, NULL) == LIVERY_OK;
    case 4: return livery_reset(store, LIVERY_LAYER_USER, name) == LIVERY_OK;
    case 5: return livery_backup(store, NULL) == LIVERY_OK;
    case 6: return livery_compact(store) == LIVERY_OK;
    case 7: return livery_set_int(store, LIVERY_LAYER_USER, "note", (int64_t)number) == LIVERY_OK;
    default: return livery_set_string(store, LIVERY_LAYER_USER, name, text, (size_t)whole) == LIVERY_OK;
  }
}

static void search(const char *entry, const char *name, const struct stat *facts, void *context) {
  if (!S_ISREG(facts->st_mode)) return;
  size_t length = 0;
  unsigned char *content = file_content(entry, &length);
  if (content && memmem(content, length, MARK, strlen(MARK))) snprintf(context, 80, "%s holds a secret plainly", name);
  free(content);
}

static uint64_t digest(livery_store *store, livery_status *status) {
  static char text[3000];
  uint64_t digest = 1;
  livery_secrets *own = NULL;
  livery_status got = LIVERY_OK;
  // A state is opened with the key that it has; the workload has it open.
  const bool opens = option_text("--workload", NULL) == NULL && access(key_path(), F_OK) == 0;
  if (opens && !(own = seal(store))) {
    if (status) *status = livery_last_error()->status;
    return 0;
  }
  // Who comes with the key completes what was interrupted.
  char found[80] = "";
  if (opens) visit_entries(place, search, found);
  if (found[0]) {
    if (!is_canary) fprintf(stderr, "seal_replay: with the key %s\n", found);
    livery_secrets_close(own);
    return 0;
  }
  for (int index = 0; index < SECRETS && digest; index++) {
    char name[20];
    snprintf(name, sizeof name, "secret%d", index);
    text[0] = 0;
    got = livery_get_string(store, name, text, sizeof text, NULL);
    bool is_there = got == LIVERY_OK;
    if (!is_there && got != LIVERY_ERROR_NOT_FOUND && got != LIVERY_ERROR_NO_VALUE) digest = 0;
    else digest = hash_bytes(digest, text, strlen(text)) | 1;
  }
  if (digest == 0 && status) *status = got;
  int64_t note = -1;
  livery_get_int(store, "note", &note);
  if (digest) digest = hash_bytes(digest, &note, sizeof note) | 1;
  livery_secrets_close(own);
  return digest;
}

static bool is_sealed_for_good(void) {
  for (size_t index = 0; index <= position; index++) {
    uint64_t commit = entries[index]->offset;
    if (entries[index]->kind != LOG_END || entries[index]->flags & 1 || commit < SEALING) continue;
    // One that changed nothing did not bring to the disk what was deferred before it.
    if (commit == SEALING || digests[commit] != digests[commit - 1]) return true;
  }
  return false;
}

static const char *inspect(void) {
  static char found[80];
  found[0] = 0;
  if (is_sealed_for_good()) visit_entries(place, search, found);
  return found[0] ? found : NULL;
}

int main(int argc, char **argv) {
  return replay(&(workload){"seal_replay", open_key, step, digest, inspect}, argc, argv);
}

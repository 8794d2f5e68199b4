// Where secrets would be found that are not sealed: nowhere; and values that were mangled, of which none opens.
#define _GNU_SOURCE
#include "check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <livery/secrets.h>
#include <sys/random.h>

enum { SECRETS = 1000, LENGTH = 24 };
static char all[SECRETS][LENGTH + 1], later[SECRETS][LENGTH + 1];
static const livery_layer user = LIVERY_LAYER_USER;

static void make(char secrets[SECRETS][LENGTH + 1]) {
  for (int i = 0; i < SECRETS; i++) {
    if (getrandom(secrets[i], LENGTH, 0) != LENGTH) abort();
    for (int j = 0; j < LENGTH; j++) secrets[i][j] = (char)('a' + (unsigned char)secrets[i][j] % 26);
    secrets[i][LENGTH] = 0;
  }
}

static int compare(const void *left, const void *right) { return memcmp(left, right, LENGTH); }

static char sorted[2 * SECRETS][LENGTH + 1];

// How many of the secrets a file holds.
static int count_in_file(const char *path) {
  size_t size = 0;
  char *bytes = read_file(path, &size);
  int count = 0;
  size_t run = 0;
  for (size_t i = 0; bytes && i < size; i++) {
    run = bytes[i] >= 'a' && bytes[i] <= 'z' ? run + 1 : 0;
    if (run >= LENGTH && bsearch(bytes + i + 1 - LENGTH, sorted, 2 * SECRETS, LENGTH + 1, compare)) count++;
  }
  free(bytes);
  return count;
}

static int count_in(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  if (!folder) return count_in_file(path);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    char file[900];
    snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
    count += entry->d_type == DT_DIR ? count_in(file) : count_in_file(file);
  }
  closedir(folder);
  return count;
}

static char *schema(int version, const char *prefix, bool renames) {
  size_t size = 600 * SECRETS, end = 0;
  char *text = malloc(size);
  end += (size_t)snprintf(text, size, "{\"Version\": %d, \"Groups\": [{\"Title\": \"All\", \"Settings\": [", version);
  for (int i = 0; i < SECRETS; i++)
    end += (size_t)snprintf(
      text + end, size - end, "%s{\"Type\": \"TextField\", \"Title\": \"S\", \"Key\": \"%s%d\", \"Class\": [\"Password\"]}",
      i ? "," : "", prefix, i);
  end += (size_t)snprintf(text + end, size - end, "]}], \"Migrations\": [");
  for (int i = 0; renames && i < SECRETS; i++)
    end += (size_t)snprintf(
      text + end, size - end, "%s{\"Op\": \"rename\", \"From\": \"s%d\", \"Into\": \"%s%d\"}",
      i ? "," : "{\"To\": 2, \"Steps\": [", i, prefix, i);
  snprintf(text + end, size - end, renames ? "]}]}" : "]}");
  return text;
}

static void set_all(livery_store *store, char secrets[SECRETS][LENGTH + 1]) {
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  for (int i = 0; i < SECRETS; i++) {
    char name[20];
    snprintf(name, sizeof name, "s%d", i);
    OK(livery_change_set_string(change, name, secrets[i], LENGTH));
  }
  OK(livery_change_commit(change, NULL));
}

// Damages the pages of a store that nobody has open, and opens it: the damaged file is kept beside what was brought back.
static livery_store *recovered(const char *path) {
  char file[900];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  size_t size = 0;
  char *bytes = read_file(file, &size);
  // Not the first two pages, so that the damaged file holds all that it held.
  for (size_t page = 2 * 4096; page + 16 < size; page += 4096) bytes[page + 12] ^= 0x40;
  write_file(file, bytes, size);
  free(bytes);
  return open_store(path);
}

static int damaged_copies(const char *path) {
  int count = 0;
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
    char part[900];
    snprintf(part, sizeof part, "%s/%s", path, entry->d_name);
    if (entry->d_name[0] == '.') continue;
    count += entry->d_type == DT_DIR ? damaged_copies(part) : strstr(part, "damaged") != NULL;
  }
  if (folder) closedir(folder);
  return count;
}

TEST("no file of the store holds one of 1,000 secrets, whatever was done", everywhere) {
  make(all), make(later);
  memcpy(sorted, all, sizeof all), memcpy(sorted + SECRETS, later, sizeof later);
  qsort(sorted, 2 * SECRETS, LENGTH + 1, compare);
  const char *path = fresh_path();
  char key[400], backup[400], restored[400];
  snprintf(key, sizeof key, "%s.key", path);
  snprintf(backup, sizeof backup, "%s.backup", path);
  snprintf(restored, sizeof restored, "%s.restored", path);
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.file = key;
  unlink(key);
  OK(livery_secrets_make_key(&options));
  char *first = schema(1, "s", false), *second = schema(2, "t", true);
  livery_store *store = new_store(path, first);
  // Plainly at first, with a backup.
  set_all(store, all);
  OK(livery_backup(store, NULL));
  EXPECT(count_in(path) >= SECRETS);
  livery_secrets *secrets = NULL;
  OK(livery_secrets_open(store, &options, &secrets));
  EXPECT_INT(0, count_in(path));
  set_all(store, later);
  EXPECT_INT(0, count_in(path));
  uint64_t revision = 0;
  OK(livery_revision(store, &revision));
  OK(livery_undo(store, revision, 0, NULL));
  EXPECT_INT(0, count_in(path));
  OK(livery_reset(store, user, "s0"));
  OK(livery_set_string(store, user, "s0", all[0], LENGTH));
  OK(livery_backup(store, backup));
  OK(livery_backup(store, NULL));
  OK(livery_compact(store));
  OK(livery_secrets_rotate(secrets, NULL));
  EXPECT_INT(0, count_in(path) + count_in(backup));
  OK(livery_schema_apply(store, second, LIVERY_ZERO_TERMINATED, NULL, NULL));
  char *text = NULL;
  OK(livery_copy_string(store, "t7", &text, NULL));
  EXPECT_TEXT(all[7], text);
  livery_free(text);
  EXPECT_INT(0, count_in(path));
  OK(livery_restore(store, NULL, NULL, NULL));
  OK(livery_export_json(store, 0, &text, NULL));
  EXPECT(strstr(text, all[7]) == NULL);
  livery_free(text);
  OK(livery_forget(store, "t1", LIVERY_FORGET_BACKUPS, NULL));
  OK(livery_reseal(store, LIVERY_RESEAL_COPIES, NULL));
  EXPECT_INT(0, count_in(path));
  OK(livery_secrets_close(secrets));
  OK(livery_close(store));
  EXPECT_INT(0, count_in(path));
  // Of a damaged file the store keeps a copy.
  store = recovered(path);
  EXPECT(damaged_copies(path) > 0);
  EXPECT_INT(0, count_in(path));
  OK(livery_close(store));
  free(first), free(second);
  unlink(backup), unlink(key);
}

// The functions of the sealer that the extension has set, taken on their way into the engine.
static livery_sealer functions;
static void *context;
livery_status livery_set_sealer(livery_store *store, const livery_sealer *sealer, void *user_data, livery_destroy_fn destroy) {
  livery_status (*real)(livery_store *, const livery_sealer *, void *, livery_destroy_fn) = NULL;
  void *found = dlsym(RTLD_NEXT, "livery_set_sealer");
  memcpy(&real, &found, sizeof found);
  if (sealer) functions = *sealer, context = user_data;
  return real(store, sealer, user_data, destroy);
}

TEST("of 1,000,000 sealed values that were mangled none opens", mangled) {
  const char *path = fresh_path();
  char key[400];
  snprintf(key, sizeof key, "%s.key", path);
  livery_secrets_options options = LIVERY_SECRETS_OPTIONS_INIT;
  options.file = key;
  unlink(key);
  OK(livery_secrets_make_key(&options));
  livery_store *store = new_store(path, NULL);
  livery_secrets *secrets = NULL;
  OK(livery_secrets_open(store, &options, &secrets));
  unsigned char sealed[300], mangled[300], opened[300];
  size_t length = 0, written = 0;
  livery_seal_place place = {"password", user, "a context", 9};
  OK(functions.seal(&place, "a secret", 8, sealed, 8 + LIVERY_SEAL_OVERHEAD, &length, context));
  OK(functions.open(&place, sealed, length, opened, length, &written, context));
  EXPECT(written == 8 && memcmp(opened, "a secret", 8) == 0);
  long accepted = 0, unexpected = 0;
  uint64_t state = 88172645463325252u;
  for (long i = 0; i < 1000000; i++) {
    memcpy(mangled, sealed, length);
    size_t count = length;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    switch (state % 5) {
      case 0: mangled[state / 8 % length] ^= (unsigned char)(1u << (state / 4096 % 8)); break;
      case 1: count = state / 8 % length; break;
      case 2: mangled[8 + state / 8 % (length - 8)] ^= (unsigned char)(1 + state / 4096 % 255); break;
      case 3: memset(mangled + 8 + state / 8 % (length - 8), (int)(state >> 50), 1), mangled[length - 1] ^= 0x80; break;
      case 4: place.context = "b context"; break;
    }
    // What came out as it was is not mangled.
    if (count == length && strcmp(place.context, "a context") == 0 && memcmp(mangled, sealed, length) == 0) mangled[i % (long)length] ^= 1;
    livery_status status = functions.open(&place, mangled, count, opened, count, &written, context);
    place.context = "a context";
    accepted += status == LIVERY_OK;
    unexpected += status != LIVERY_OK && status != LIVERY_ERROR_CORRUPT && status != LIVERY_ERROR_UNAVAILABLE;
  }
  EXPECT_INT(0, accepted);
  EXPECT_INT(0, unexpected);
  // One that is changed back opens.
  OK(functions.open(&place, sealed, length, opened, length, &written, context));
  OK(livery_secrets_close(secrets));
  OK(livery_close(store));
  unlink(key);
}

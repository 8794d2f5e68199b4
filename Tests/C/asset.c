// Assets: images under the SHA-256 of their bytes, alone and together with the settings that show them.
#include "damage.h"
#include "fixture.h"

static const livery_layer user = LIVERY_LAYER_USER;
static const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;

static char *image(const char *name, size_t *length) {
  char path[400];
  snprintf(path, sizeof path, "%s/images/%s", FIXTURES, name);
  return read_file(path, length);
}

static int64_t member_int(livery_value *object, const char *key) {
  livery_value *member = NULL;
  int64_t number = -1;
  if (livery_value_member(object, key, &member) == LIVERY_OK) {
    OK(livery_value_as_int(member, &number));
    OK(livery_value_release(member));
  }
  return number;
}

static void put_image(livery_store *store, const char *name, char *id) {
  size_t length = 0;
  char *bytes = image(name, &length);
  OK(livery_asset_put(store, bytes, length, 0, id));
  free(bytes);
}

static void refer(livery_store *store, livery_layer layer, const char *name, const char *id) {
  livery_value *value = NULL;
  OK(livery_value_make_image(id, LIVERY_ZERO_TERMINATED, &value));
  OK(livery_set_value(store, layer, name, value));
  OK(livery_value_release(value));
}

TEST("an asset comes back byte by byte, with what its header says", put_and_get) {
  livery_store *store = open_store(fresh_path());
  size_t length = 0, read = 0;
  char *bytes = image("turned-6.jpg", &length), id[LIVERY_ASSET_ID_SIZE], again[LIVERY_ASSET_ID_SIZE];
  livery_value *info = NULL, *list = NULL, *uses = NULL;
  void *copy = NULL;
  OK(livery_asset_put(store, bytes, length, 0, id));
  OK(livery_asset_put(store, bytes, length, 0, again));
  OK(livery_asset_put(store, bytes, length, LIVERY_ASSET_ANY, NULL));
  EXPECT_TEXT(id, again);
  EXPECT_INT(64, strspn(id, "0123456789abcdef"));
  EXPECT(id[64] == 0);
  OK(livery_asset_get(store, id, &copy, &read));
  EXPECT(read == length && memcmp(copy, bytes, length) == 0 && ((char *)copy)[length] == 0);
  livery_free(copy);
  for (char *letter = again; *letter; letter++) *letter = (char)(*letter >= 'a' ? *letter - 32 : *letter);
  OK(livery_asset_info(store, again, &info));
  EXPECT_TEXT(id, member_text(info, "id"));
  EXPECT_TEXT("image/jpeg", member_text(info, "type"));
  EXPECT_INT(50, member_int(info, "width"));
  EXPECT_INT(34, member_int(info, "height"));
  EXPECT_INT(6, member_int(info, "orientation"));
  EXPECT_INT(length, member_int(info, "bytes"));
  OK(livery_value_release(info));
  OK(livery_asset_list(store, &list));
  OK(livery_value_at(list, 0, &info));
  OK(livery_value_member(info, "uses", &uses));
  EXPECT_JSON("[]", uses);
  OK(livery_value_release(info));
  OK(livery_value_release(list));
  OK(livery_close(store));
  free(bytes);
}

TEST("bytes can be described without a store", describe) {
  size_t length = 0;
  char *bytes = image("alpha.webp", &length);
  livery_value *value = NULL, *missing = NULL;
  OK(livery_asset_describe(bytes, length, 0, &value));
  EXPECT_TEXT("image/webp", member_text(value, "type"));
  EXPECT_INT(47, member_int(value, "width"));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_value_member(value, "orientation", &missing));
  OK(livery_value_release(value));
  value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_asset_describe(bytes, 19, 0, &value));
  EXPECT_CONTAINS("WebP", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_asset_describe(bytes, 0, 0, &value));
  EXPECT_STATUS(invalid, livery_asset_describe(NULL, 1, 0, &value));
  EXPECT_STATUS(invalid, livery_asset_describe(bytes, length, 2, &value));
  EXPECT_STATUS(invalid, livery_asset_describe(bytes, length, 0, NULL));
  EXPECT(value == NULL);
  OK(livery_asset_describe(TEXT("\0font"), LIVERY_ASSET_ANY, &value));
  EXPECT_TEXT("application/octet-stream", member_text(value, "type"));
  OK(livery_value_release(value));
  free(bytes);
}

TEST("what is no image, or a damaged one, is refused, and the store is unchanged", refused) {
  livery_store *store = open_store(fresh_path());
  livery_change *change = NULL;
  livery_value *list = NULL;
  char id[LIVERY_ASSET_ID_SIZE] = "untouched";
  static const char claim[] = "\x89PNG\r\n\x1a\n\x7f\xff\xff\xffIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0\0\0\0\0";
  OK(livery_change_begin(store, user, &change));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_asset_put(store, TEXT("<html></html>"), 0, id));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_asset_put(store, TEXT(claim), LIVERY_ASSET_ANY, id));
  EXPECT_CONTAINS("IHDR", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_asset_put(store, claim, 0, 0, id));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_asset_put(store, claim, LIVERY_ASSET_MAX + 1, 0, id));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_asset_put(store, claim, SIZE_MAX, 0, id));
  EXPECT_STATUS(invalid, livery_asset_put(store, NULL, 1, 0, id));
  EXPECT_STATUS(invalid, livery_asset_put(store, claim, 8, 4, id));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_change_put_asset(change, TEXT("text"), 0, id));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_put_asset(change, claim, 0, 0, id));
  EXPECT_STATUS(invalid, livery_change_put_asset(change, NULL, 1, 0, id));
  EXPECT_STATUS(invalid, livery_change_put_asset(change, claim, 8, 4, id));
  OK(livery_change_commit(change, NULL));
  EXPECT_TEXT("untouched", id);
  OK(livery_asset_list(store, &list));
  EXPECT_JSON("[]", list);
  OK(livery_close(store));
}

TEST("images and colors change in one commit", one_commit) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_change *change = NULL;
  livery_value *value = NULL, *info = NULL;
  size_t length = 0;
  uint64_t before = 0, after = 0;
  char *bytes = image("rgba.png", &length), id[LIVERY_ASSET_ID_SIZE];
  OK(livery_revision(store, &before));
  OK(livery_change_begin(store, LIVERY_LAYER_BUNDLE, &change));
  OK(livery_change_put_asset(change, bytes, length, 0, id));
  OK(livery_value_make_image(id, LIVERY_ZERO_TERMINATED, &value));
  OK(livery_change_set_value(change, "branding.logo", value));
  OK(livery_change_set_color(change, "branding.color.Toolbar", (livery_color){1, 0, 0, 1}));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_info(store, id, &info));
  OK(livery_change_commit(change, &after));
  EXPECT_INT(before + 1, after);
  OK(livery_asset_info(store, id, &info));
  OK(livery_value_release(info));
  OK(livery_value_release(value));
  // A change set that is refused stores nothing.
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_put_asset(change, TEXT("other"), LIVERY_ASSET_ANY, id));
  OK(livery_change_set_int(change, "idleResetSeconds", -1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_commit(change, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_info(store, id, &info));
  OK(livery_close(store));
  free(bytes);
}

TEST("a snapshot shows an asset in place, also after its removal", snapshot) {
  livery_store *store = open_store(fresh_path());
  livery_snapshot *snapshot = NULL;
  const void *place = NULL, *same = NULL;
  void *copy = NULL;
  size_t length = 0, count = 0;
  char *bytes = image("progressive.jpg", &length), id[LIVERY_ASSET_ID_SIZE];
  OK(livery_asset_put(store, bytes, length, 0, id));
  OK(livery_snapshot_open(store, &snapshot));
  OK(livery_snapshot_asset(snapshot, id, &place, &count));
  OK(livery_asset_remove(store, id, 0));
  for (int index = 0; index < 20; index++) OK(livery_asset_put(store, &index, sizeof index, LIVERY_ASSET_ANY, NULL));
  EXPECT(count == length && memcmp(place, bytes, length) == 0);
  OK(livery_snapshot_asset(snapshot, id, &same, &count));
  EXPECT(same == place);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_get(store, id, &copy, &count));
  id[0] = id[0] == '0' ? '1' : '0';
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_snapshot_asset(snapshot, id, &place, &count));
  EXPECT_STATUS(invalid, livery_snapshot_asset(snapshot, "logo.png", &place, &count));
  EXPECT_STATUS(invalid, livery_snapshot_asset(snapshot, NULL, &place, &count));
  EXPECT_STATUS(invalid, livery_snapshot_asset(snapshot, id, NULL, &count));
  EXPECT_STATUS(invalid, livery_snapshot_asset(snapshot, id, &place, NULL));
  OK(livery_snapshot_close(snapshot));
  OK(livery_close(store));
  free(bytes);
}

TEST("an asset that a setting refers to is removed by force alone", removal) {
  const char *path = fresh_path();
  livery_store *store = open_store(path), *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  char id[LIVERY_ASSET_ID_SIZE];
  void *bytes = NULL;
  size_t length = 77;
  put_image(store, "still.gif", id);
  refer(store, LIVERY_LAYER_RECOMMENDED, "logo", id);
  EXPECT_STATUS(LIVERY_ERROR_CONFLICT, livery_asset_remove(store, id, 0));
  EXPECT_TEXT("logo", livery_last_error()->setting);
  EXPECT_STATUS(invalid, livery_asset_remove(store, id, 2));
  EXPECT_STATUS(invalid, livery_asset_remove(store, "abc", 0));
  EXPECT_STATUS(invalid, livery_asset_remove(store, NULL, 0));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_asset_remove(reader, id, LIVERY_ASSET_FORCE));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_asset_put(reader, "x", 1, LIVERY_ASSET_ANY, NULL));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_asset_collect(reader, NULL, NULL));
  OK(livery_asset_remove(store, id, LIVERY_ASSET_FORCE));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_remove(store, id, 0));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_get(store, id, &bytes, &length));
  EXPECT_STATUS(invalid, livery_asset_get(store, "../etc", &bytes, &length));
  EXPECT_STATUS(invalid, livery_asset_get(store, id, NULL, &length));
  EXPECT_STATUS(invalid, livery_asset_get(store, id, &bytes, NULL));
  EXPECT(bytes == NULL && length == 77);
  OK(livery_close(reader));
  OK(livery_close(store));
}

TEST("collecting removes what nothing refers to, and keeps what undoing needs", collecting) {
  livery_store *store = open_store(fresh_path());
  livery_collect_options options = LIVERY_COLLECT_OPTIONS_INIT, none = options;
  livery_value *report = NULL, *removed = NULL;
  char used[LIVERY_ASSET_ID_SIZE], former[LIVERY_ASSET_ID_SIZE], loose[LIVERY_ASSET_ID_SIZE], expected[80];
  put_image(store, "rgb.png", used);
  put_image(store, "gray.png", former);
  put_image(store, "palette.png", loose);
  refer(store, user, "logo", former);
  refer(store, user, "logo", used);
  options.min_age_s = 3600;
  OK(livery_asset_collect(store, &options, &report));
  EXPECT_INT(3, member_int(report, "kept"));
  OK(livery_value_release(report));
  options = none, options.flags = LIVERY_COLLECT_DRY_RUN;
  OK(livery_asset_collect(store, &options, &report));
  EXPECT_INT(2, member_int(report, "kept"));
  OK(livery_value_release(report));
  OK(livery_asset_collect(store, NULL, &report));
  OK(livery_value_member(report, "removed", &removed));
  snprintf(expected, sizeof expected, "[\"%s\"]", loose);
  EXPECT_JSON(expected, removed);
  OK(livery_value_release(report));
  options.flags = LIVERY_COLLECT_IGNORE_LOG;
  OK(livery_asset_collect(store, &options, &report));
  EXPECT_INT(1, member_int(report, "kept"));
  OK(livery_value_release(report));
  OK(livery_asset_collect(store, NULL, NULL));
  options.flags = 4;
  EXPECT_STATUS(invalid, livery_asset_collect(store, &options, NULL));
  options.struct_size = 3;
  EXPECT_STATUS(invalid, livery_asset_collect(store, &options, NULL));
  EXPECT_STATUS(invalid, livery_asset_list(store, NULL));
  EXPECT_STATUS(invalid, livery_asset_info(store, used, NULL));
  EXPECT_STATUS(invalid, livery_asset_info(store, "logo", &report));
  OK(livery_close(store));
}

TEST("a damaged asset is CORRUPT, and is mended by the same bytes", damaged) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  livery_snapshot *snapshot = NULL;
  livery_value *info = NULL;
  const livery_status corrupt = LIVERY_ERROR_CORRUPT;
  char id[LIVERY_ASSET_ID_SIZE], key[32];
  const void *place = NULL;
  void *bytes = NULL;
  size_t length = 0;
  put_image(store, "gray-alpha.png", id);
  for (int index = 0; index < 32; index++) {
    unsigned byte = 0;
    sscanf(id + 2 * index, "%2x", &byte);
    key[index] = (char)byte;
  }
  EXPECT(damage_key(path, key, sizeof key) > 0);
  EXPECT_STATUS(corrupt, livery_asset_get(store, id, &bytes, &length));
  EXPECT_STATUS(corrupt, livery_asset_info(store, id, &info));
  EXPECT_STATUS(corrupt, livery_asset_fact(store, id, "x", &bytes, &length));
  OK(livery_snapshot_open(store, &snapshot));
  EXPECT_STATUS(corrupt, livery_snapshot_asset(snapshot, id, &place, &length));
  OK(livery_snapshot_close(snapshot));
  put_image(store, "gray-alpha.png", id);
  OK(livery_asset_info(store, id, &info));
  OK(livery_value_release(info));
  OK(livery_close(store));
}

TEST("where a value is damaged nothing is said of what it refers to", damaged_value) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  livery_value *list = NULL;
  char id[LIVERY_ASSET_ID_SIZE];
  put_image(store, "rgb.png", id);
  OK(livery_set_int(store, user, "number", 1));
  damage_setting(path, "number");
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_asset_list(store, &list));
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_asset_remove(store, id, 0));
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_asset_collect(store, NULL, &list));
  EXPECT(list == NULL);
  OK(livery_asset_remove(store, id, LIVERY_ASSET_FORCE));
  EXPECT(damage_key(path, ".revision", 9) > 0);
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_asset_put(store, "x", 1, LIVERY_ASSET_ANY, NULL));
  OK(livery_close(store));
}

static void put_fact(livery_store *store, const char *id, const char *name, const void *bytes, size_t length) {
  livery_change *change = NULL;
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_put_fact(change, id, name, bytes, length));
  OK(livery_change_commit(change, NULL));
}

static void expect_fact(livery_store *store, const char *id, const char *name, const char *expected) {
  void *bytes = NULL;
  size_t length = 0;
  if (!expected) {
    EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_asset_fact(store, id, name, &bytes, &length));
    EXPECT(bytes == NULL && length == 0);
    return;
  }
  OK(livery_asset_fact(store, id, name, &bytes, &length));
  if (bytes) EXPECT_TEXT(expected, (char *)bytes);
  EXPECT_INT((int64_t)strlen(expected), (int64_t)length);
  livery_free(bytes);
}

TEST("what is known of an asset is kept with it, by the same commit, and goes with it", facts) {
  char path[320], id[LIVERY_ASSET_ID_SIZE], other[LIVERY_ASSET_ID_SIZE];
  snprintf(path, sizeof path, "%s", fresh_path());
  livery_store *store = open_store(path);
  livery_change *change = NULL;
  livery_value *list = NULL, *report = NULL;
  uint64_t before = 0, after = 0;
  void *bytes = NULL;
  size_t length = 0;
  put_image(store, "rgb.png", other);
  OK(livery_revision(store, &before));
  char *content = image("rgba.png", &length);
  OK(livery_change_begin(store, user, &change));
  OK(livery_change_put_asset(change, content, length, 0, id));
  OK(livery_change_put_fact(change, id, "colors", TEXT("many")));
  OK(livery_change_put_fact(change, id, "a.b-2", TEXT("x")));
  OK(livery_change_commit(change, NULL));
  free(content);
  OK(livery_revision(store, &after));
  EXPECT_INT((int64_t)before, (int64_t)after);
  expect_fact(store, id, "colors", "many");
  expect_fact(store, id, "a.b-2", "x");
  expect_fact(store, id, "color", NULL);
  expect_fact(store, other, "colors", NULL);
  put_fact(store, id, "colors", TEXT("few"));
  put_fact(store, id, "a.b-2", NULL, 0);
  put_fact(store, other, "colors", TEXT("none"));
  expect_fact(store, id, "colors", "few");
  expect_fact(store, id, "a.b-2", NULL);
  // Facts are no assets.
  size_t count = 0;
  OK(livery_asset_list(store, &list));
  OK(livery_value_count(list, &count));
  EXPECT_INT(2, (int64_t)count);
  OK(livery_value_release(list));
  OK(livery_stats(store, &report));
  EXPECT_INT(2, member_int(report, "assets"));
  OK(livery_value_release(report));
  OK(livery_close(store));
  store = open_store(path);
  expect_fact(store, id, "colors", "few");
  OK(livery_asset_remove(store, id, 0));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_fact(store, id, "colors", &bytes, &length));
  put_image(store, "rgba.png", id);
  expect_fact(store, id, "colors", NULL);
  expect_fact(store, other, "colors", "none");
  OK(livery_asset_collect(store, NULL, NULL));
  put_image(store, "rgb.png", other);
  expect_fact(store, other, "colors", NULL);
  OK(livery_close(store));
}

static int64_t revision_of(livery_store *store) {
  uint64_t revision = 0;
  OK(livery_revision(store, &revision));
  return (int64_t)revision;
}

TEST("a restore brings back facts that are gone or damaged, keeps those that are there, and tells nobody", restored_facts) {
  NEEDS_FILES;
  char path[320], file[340], id[LIVERY_ASSET_ID_SIZE], other[LIVERY_ASSET_ID_SIZE];
  snprintf(path, sizeof path, "%s", fresh_path());
  snprintf(file, sizeof file, "%s.backup", path);
  livery_store *store = open_store(path);
  uint64_t made = 0;
  put_image(store, "rgb.png", id);
  put_image(store, "rgba.png", other);
  put_fact(store, id, "colors", TEXT("old"));
  put_fact(store, id, "gone", TEXT("here"));
  put_fact(store, other, "colors", TEXT("of the other"));
  OK(livery_set_int(store, user, "number", 1));
  OK(livery_backup(store, file));
  put_fact(store, id, "colors", TEXT("new"));
  put_fact(store, id, "gone", NULL, 0);
  put_fact(store, id, "later", TEXT("since"));
  int64_t before = revision_of(store);
  OK(livery_restore(store, file, NULL, &made));
  EXPECT_INT(before, (int64_t)made);
  EXPECT_INT(before, revision_of(store));
  expect_fact(store, id, "colors", "new");
  expect_fact(store, id, "gone", "here");
  expect_fact(store, id, "later", "since");
  // With what is damaged comes back what the backup has, with a setting a revision; newer facts stay then too.
  char key[32 + 6];
  for (int index = 0; index < 32; index++) {
    unsigned byte = 0;
    sscanf(other + 2 * index, "%2x", &byte);
    key[index] = (char)byte;
  }
  memcpy(key + 32, "colors", 6);
  EXPECT(damage_key(path, key, sizeof key) > 0);
  expect_fact(store, other, "colors", NULL);
  OK(livery_set_int(store, user, "number", 2));
  OK(livery_restore(store, file, NULL, &made));
  EXPECT_INT(before + 2, (int64_t)made);
  expect_fact(store, id, "colors", "new");
  expect_fact(store, other, "colors", "of the other");
  // They pass a compaction, and go with their asset; the same bytes have none until a backup brings them back.
  OK(livery_compact(store));
  expect_fact(store, id, "colors", "new");
  OK(livery_asset_collect(store, NULL, NULL));
  put_image(store, "rgb.png", id);
  expect_fact(store, id, "colors", NULL);
  OK(livery_restore(store, file, NULL, NULL));
  expect_fact(store, id, "colors", "old");
  expect_fact(store, id, "later", NULL);
  OK(livery_close(store));
}

TEST("a fact needs an asset, a name and not too many bytes", wrong_facts) {
  livery_store *store = open_store(fresh_path());
  livery_change *change = NULL;
  char id[LIVERY_ASSET_ID_SIZE], large[LIVERY_ASSET_FACT_MAX + 1] = {0};
  void *bytes = NULL;
  size_t length = 0;
  put_image(store, "rgb.png", id);
  OK(livery_change_begin(store, user, &change));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_put_fact(change, id, "x", large, sizeof large));
  EXPECT_STATUS(invalid, livery_change_put_fact(change, id, "", "x", 1));
  EXPECT_STATUS(invalid, livery_change_put_fact(change, id, "A", "x", 1));
  EXPECT_STATUS(invalid, livery_change_put_fact(change, id, "a234567890123456789012345678901234", "x", 1));
  EXPECT_STATUS(invalid, livery_change_put_fact(change, id, NULL, "x", 1));
  EXPECT_STATUS(invalid, livery_change_put_fact(change, NULL, "x", "x", 1));
  EXPECT_STATUS(invalid, livery_change_put_fact(change, "x", "x", "x", 1));
  EXPECT_STATUS(invalid, livery_change_put_fact(change, id, "x", NULL, 1));
  OK(livery_change_put_fact(change, id, "x", large, LIVERY_ASSET_FACT_MAX));
  char first = id[0];
  id[0] = first == '0' ? '1' : '0';
  OK(livery_change_put_fact(change, id, "x", "x", 1));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_change_commit(change, NULL));
  OK(livery_change_discard(change));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_asset_fact(store, id, "x", &bytes, &length));
  id[0] = first;
  expect_fact(store, id, "x", NULL);
  EXPECT_STATUS(invalid, livery_asset_fact(store, id, "X", &bytes, &length));
  EXPECT_STATUS(invalid, livery_asset_fact(store, "x", "x", &bytes, &length));
  EXPECT_STATUS(invalid, livery_asset_fact(store, NULL, "x", &bytes, &length));
  EXPECT_STATUS(invalid, livery_asset_fact(store, id, NULL, &bytes, &length));
  EXPECT_STATUS(invalid, livery_asset_fact(store, id, "x", NULL, &length));
  EXPECT_STATUS(invalid, livery_asset_fact(store, id, "x", &bytes, NULL));
  OK(livery_close(store));
}

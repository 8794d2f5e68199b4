// Opening a store and reading single settings.
#include "fixture.h"

TEST("a store opens again with what was set", reopen) {
  const char *path = fresh_path();
  livery_store *store = new_store(path, KIOSK_SCHEMA);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "idleResetSeconds", 90));
  OK(livery_close(store));
  OK(livery_open(path, NULL, &store));
  int64_t seconds = 0;
  OK(livery_get_int(store, "idleResetSeconds", &seconds));
  EXPECT_INT(90, seconds);
  OK(livery_close(store));
}

TEST("a path that is no store has a status", no_store) {
  livery_store *store = NULL;
  livery_open_options create = LIVERY_OPEN_OPTIONS_INIT;
  create.flags = LIVERY_OPEN_CREATE;
  const char *missing = fresh_path();
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_open(missing, NULL, &store));
  EXPECT(access(missing, F_OK) != 0);

  const char *file = fresh_path();
  write_file(file, "x", 1);
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_open(file, NULL, &store));
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_open(file, &create, &store));

  const char *other = fresh_path();
  char inside[400];
  mkdir(other, 0755);
  snprintf(inside, sizeof inside, "%s/letter.txt", other);
  write_file(inside, "x", 1);
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_open(other, &create, &store));
  snprintf(inside, sizeof inside, "%s/data.mdb", other);
  char noise[8192];
  memset(noise, 'n', sizeof noise);
  write_file(inside, noise, sizeof noise);
  EXPECT_STATUS(LIVERY_ERROR_NOT_A_STORE, livery_open(other, NULL, &store));
  EXPECT(store == NULL);
}

TEST("directories get mode 0700, files 0600", modes) {
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  struct stat facts;
  EXPECT(stat(path, &facts) == 0 && (facts.st_mode & 0777) == 0700);
  char file[400];
  snprintf(file, sizeof file, "%s/data.mdb", path);
  EXPECT(stat(file, &facts) == 0 && (facts.st_mode & 0777) == 0600);
  OK(livery_close(store));
}

TEST("the same store through another path is the same store", another_path) {
  const char *path = fresh_path(), *link = fresh_path();
  livery_store *first = open_store(path), *second = NULL;
  EXPECT(symlink(path, link) == 0);
  second = open_store(link);
  OK(livery_set_int(first, LIVERY_LAYER_USER, "n", 5));
  int64_t number = 0;
  OK(livery_get_int(second, "n", &number));
  EXPECT_INT(5, number);
  OK(livery_close(first));
  OK(livery_get_int(second, "n", &number));
  OK(livery_close(second));
}

TEST("a setting of each type is read by its own function", typed) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  bool truth = false;
  int64_t number = 0;
  float single = 0;
  double real = 0;
  livery_color color;
  char text[64];
  size_t length = 0;
  livery_value *value = NULL;
  OK(livery_get_bool(store, "attractLoop", &truth));
  EXPECT(truth);
  OK(livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_INT(120, number);
  OK(livery_get_float(store, "volume", &single));
  EXPECT(single == 0.5f);
  OK(livery_get_double(store, "volume", &real));
  EXPECT(real == 0.5);
  OK(livery_get_string(store, "title", text, sizeof text, &length));
  EXPECT_TEXT("Hello", text);
  OK(livery_get_data(store, "blob", text, sizeof text, &length));
  EXPECT(length == 3 && memcmp(text, "\1\2\3", 3) == 0);
  OK(livery_get_url(store, "home", text, sizeof text, &length));
  EXPECT_TEXT("https://example.com/", text);
  OK(livery_get_date(store, "opens", &number));
  EXPECT(number == INT64_C(1767323045000000));
  OK(livery_get_color(store, "branding.color.Toolbar", &color));
  EXPECT(fabsf(color.red - 0.2f) < 0.001f && fabsf(color.green - 0.4f) < 0.001f && color.alpha == 1);
  OK(livery_get_list(store, "playlist", &value));
  size_t count = 0;
  OK(livery_value_count(value, &count));
  EXPECT_INT(1, count);
  OK(livery_value_release(value));
  OK(livery_get_value(store, "language", &value));
  EXPECT_JSON("\"en\"", value);
  char *copy = NULL;
  OK(livery_copy_string(store, "title", &copy, &length));
  EXPECT_TEXT("Hello", copy);
  EXPECT_INT(5, length);
  livery_free(copy);
  void *bytes = NULL;
  OK(livery_copy_data(store, "blob", &bytes, &length));
  EXPECT(length == 3 && memcmp(bytes, "\1\2\3", 3) == 0);
  livery_free(bytes);
  OK(livery_close(store));

  store = open_store(fresh_path());
  livery_value *object = json("{\"a\":1}");
  OK(livery_set_value(store, LIVERY_LAYER_USER, "object", object));
  OK(livery_get_object(store, "object", &value));
  EXPECT_JSON("{\"a\":1}", value);
  OK(livery_value_release(object));
  OK(livery_close(store));
}

// Twice, since the second comes out of the cache.
TEST("a value of any type is read in one call", one_call) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *object = json("{\"a\":1}"), *nothing = NULL;
  OK(livery_value_make_data("", 0, &nothing));
  OK(livery_set_value(store, LIVERY_LAYER_USER, "blob", nothing));
  for (int round = 0; round < 2; round++) {
    livery_reading reading = {0};
    char text[64] = "";
    OK(livery_read(store, "attractLoop", NULL, 0, &reading));
    EXPECT(reading.type == LIVERY_TYPE_BOOL && reading.as_bool && reading.as_int == 0 && reading.length == 0);
    OK(livery_read(store, "idleResetSeconds", text, sizeof text, &reading));
    EXPECT(reading.type == LIVERY_TYPE_INT && reading.as_int == 120 && !reading.as_bool && reading.as_double == 0);
    OK(livery_read(store, "volume", text, sizeof text, &reading));
    EXPECT(reading.type == LIVERY_TYPE_DOUBLE && reading.as_double == 0.5 && reading.as_int == 0);
    OK(livery_read(store, "opens", text, sizeof text, &reading));
    EXPECT(reading.type == LIVERY_TYPE_DATE && reading.as_int == INT64_C(1767323045000000));
    OK(livery_read(store, "branding.color.Toolbar", NULL, 0, &reading));
    EXPECT(reading.type == LIVERY_TYPE_COLOR && fabsf(reading.as_color.red - 0.2f) < 0.001f);
    EXPECT(fabsf(reading.as_color.green - 0.4f) < 0.001f && reading.as_color.alpha == 1 && reading.length == 0);
    EXPECT_TEXT("", text);
    OK(livery_read(store, "title", text, sizeof text, &reading));
    EXPECT(reading.type == LIVERY_TYPE_STRING && reading.length == 5 && reading.as_color.red == 0);
    EXPECT_TEXT("Hello", text);
    OK(livery_read(store, "home", text, sizeof text, &reading));
    EXPECT(reading.type == LIVERY_TYPE_URL && reading.length == 20);
    EXPECT_TEXT("https://example.com/", text);
    OK(livery_read(store, "blob", text, sizeof text, &reading));
    EXPECT(reading.type == LIVERY_TYPE_DATA && reading.length == 0 && text[0] == 'h');
    OK(livery_read(store, "blob", NULL, 0, &reading));
    OK(livery_read(store, "playlist", text, sizeof text, &reading));
    EXPECT(reading.type == LIVERY_TYPE_LIST && reading.length == 0 && text[0] == 'h');
    EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_read(store, "title", text, 5, &reading));
    EXPECT(reading.type == LIVERY_TYPE_STRING && reading.length == 5);
  }
  OK(livery_set_string(store, LIVERY_LAYER_USER, "title", TEXT("changed")));
  livery_reading reading = {0};
  char text[64];
  OK(livery_read(store, "title", text, sizeof text, &reading));
  EXPECT_TEXT("changed", text);
  OK(livery_close(store));

  store = open_store(fresh_path());
  livery_value *image = NULL;
  OK(livery_value_make_image(TEXT("some image"), &image));
  OK(livery_set_value(store, LIVERY_LAYER_USER, "image", image));
  OK(livery_set_value(store, LIVERY_LAYER_USER, "value", object));
  for (int round = 0; round < 2; round++) {
    char id[16];
    OK(livery_read(store, "image", id, sizeof id, &reading));
    EXPECT(reading.type == LIVERY_TYPE_IMAGE && reading.length == 10);
    EXPECT_TEXT("some image", id);
    OK(livery_read(store, "value", NULL, 0, &reading));
    EXPECT(reading.type == LIVERY_TYPE_OBJECT && reading.length == 0);
  }
  // Of another type now.
  OK(livery_set_int(store, LIVERY_LAYER_USER, "value", 7));
  OK(livery_read(store, "value", NULL, 0, &reading));
  EXPECT(reading.type == LIVERY_TYPE_INT && reading.as_int == 7);
  OK(livery_value_release(image));
  OK(livery_value_release(nothing));
  OK(livery_value_release(object));
  OK(livery_close(store));
}

static void every_get(livery_status expected, livery_store *store, const char *name) {
  bool truth;
  int64_t number;
  float single;
  double real;
  livery_color color;
  char text[64];
  size_t length = 0;
  livery_value *value = NULL;
  void *bytes = NULL;
  EXPECT_STATUS(expected, livery_get_bool(store, name, &truth));
  EXPECT_STATUS(expected, livery_get_int(store, name, &number));
  EXPECT_STATUS(expected, livery_get_float(store, name, &single));
  EXPECT_STATUS(expected, livery_get_double(store, name, &real));
  EXPECT_STATUS(expected, livery_get_string(store, name, text, sizeof text, &length));
  EXPECT_STATUS(expected, livery_get_data(store, name, text, sizeof text, &length));
  EXPECT_STATUS(expected, livery_get_url(store, name, text, sizeof text, &length));
  EXPECT_STATUS(expected, livery_get_date(store, name, &number));
  EXPECT_STATUS(expected, livery_get_color(store, name, &color));
  EXPECT_STATUS(expected, livery_get_list(store, name, &value));
  EXPECT_STATUS(expected, livery_get_object(store, name, &value));
  EXPECT_STATUS(expected, livery_copy_string(store, name, (char **)&bytes, &length));
  EXPECT_STATUS(expected, livery_copy_data(store, name, &bytes, &length));
  livery_reading reading;
  if (expected != LIVERY_ERROR_TYPE_MISMATCH) {
    EXPECT_STATUS(expected, livery_get_value(store, name, &value));
    EXPECT_STATUS(expected, livery_read(store, name, text, sizeof text, &reading));
  }

  livery_key *key = NULL;
  OK(livery_key_open(store, name, &key));
  EXPECT_STATUS(expected, livery_key_get_bool(key, &truth));
  EXPECT_STATUS(expected, livery_key_get_int(key, &number));
  EXPECT_STATUS(expected, livery_key_get_double(key, &real));
  EXPECT_STATUS(expected, livery_key_get_string(key, text, sizeof text, &length));
  OK(livery_key_close(key));
}

TEST("a setting that is not declared is NOT_FOUND, and the nearest names are told", not_found) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  every_get(LIVERY_ERROR_NOT_FOUND, store, "titel");
  EXPECT_CONTAINS("title", livery_last_error()->message);
  EXPECT_TEXT("titel", livery_last_error()->setting);
  livery_value *value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_inspect(store, "titel", &value));
  OK(livery_close(store));
}

TEST("a setting without a value in any layer is NO_VALUE", no_value) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  every_get(LIVERY_ERROR_NO_VALUE, store, "note");
  EXPECT_TEXT("note", livery_last_error()->setting);
  OK(livery_close(store));
}

TEST("a value of another type is TYPE_MISMATCH, never 0 or empty", mismatch) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  bool truth;
  int64_t number;
  float single;
  double real;
  livery_color color;
  char text[64];
  size_t length = 0;
  livery_value *value = NULL;
  void *bytes = NULL;
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_bool(store, "title", &truth));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_int(store, "volume", &number));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_float(store, "title", &single));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_double(store, "attractLoop", &real));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_string(store, "volume", text, sizeof text, &length));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_data(store, "volume", text, sizeof text, &length));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_url(store, "title", text, sizeof text, &length));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_date(store, "title", &number));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_color(store, "title", &color));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_list(store, "title", &value));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_object(store, "playlist", &value));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_copy_string(store, "volume", (char **)&bytes, &length));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_copy_data(store, "attractLoop", &bytes, &length));
  livery_key *key = NULL, *toggle = NULL;
  OK(livery_key_open(store, "title", &key));
  OK(livery_key_open(store, "attractLoop", &toggle));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_key_get_bool(key, &truth));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_key_get_int(key, &number));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_key_get_double(key, &real));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_key_get_string(toggle, text, sizeof text, &length));
  OK(livery_close(store));
}

TEST("a key reads what its setting holds at the time", keys) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_key *loop = NULL, *idle = NULL, *volume = NULL, *title = NULL, *later = NULL;
  bool truth = false;
  int64_t number = 0;
  double real = 0;
  char text[32];
  OK(livery_key_open(store, "attractLoop", &loop));
  OK(livery_key_open(store, "idleResetSeconds", &idle));
  OK(livery_key_open(store, "volume", &volume));
  OK(livery_key_open(store, "title", &title));
  OK(livery_key_open(store, "later", &later));
  OK(livery_key_get_bool(loop, &truth));
  OK(livery_key_get_int(idle, &number));
  EXPECT_INT(120, number);
  OK(livery_key_get_double(volume, &real));
  OK(livery_key_get_string(title, text, sizeof text, NULL));
  EXPECT_TEXT("Hello", text);
  OK(livery_set_int(store, LIVERY_LAYER_USER, "idleResetSeconds", 60));
  OK(livery_key_get_int(idle, &number));
  EXPECT_INT(60, number);
  OK(livery_reset(store, LIVERY_LAYER_USER, "idleResetSeconds"));
  OK(livery_key_get_int(idle, &number));
  EXPECT_INT(120, number);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_key_get_int(later, &number));
  const char *schema = "{\"Version\": 4, \"Groups\": [{\"Title\": \"T\", \"Settings\": [{\"Type\": \"Number\", "
                       "\"Format\": \"integer\", \"Title\": \"L\", \"Key\": \"later\", \"Value\": 7}]}]}";
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  OK(livery_key_get_int(later, &number));
  EXPECT_INT(7, number);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_key_get_int(idle, &number));
  OK(livery_close(store));
}

TEST("a read-only handle reads and refuses every change", read_only) {
  const char *path = fresh_path();
  OK(livery_close(new_store(path, KIOSK_SCHEMA)));
  livery_store *store = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  livery_value *list = json("[]");
  livery_change *change = NULL;
  const livery_layer user = LIVERY_LAYER_USER;
  const livery_status no = LIVERY_ERROR_READ_ONLY;
  int64_t number = 0;
  OK(livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_STATUS(no, livery_set_bool(store, user, "attractLoop", false));
  EXPECT_STATUS(no, livery_set_int(store, user, "idleResetSeconds", 60));
  EXPECT_STATUS(no, livery_set_double(store, user, "volume", 0.1));
  EXPECT_STATUS(no, livery_set_string(store, user, "title", TEXT("x")));
  EXPECT_STATUS(no, livery_set_data(store, user, "blob", TEXT("x")));
  EXPECT_STATUS(no, livery_set_color(store, user, "branding.color.Toolbar", (livery_color){1, 1, 1, 1}));
  EXPECT_STATUS(no, livery_set_value(store, user, "playlist", list));
  EXPECT_STATUS(no, livery_reset(store, user, "title"));
  EXPECT_STATUS(no, livery_change_begin(store, user, &change));
  EXPECT_STATUS(no, livery_schema_apply(store, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_STATUS(no, livery_import_json(store, user, TEXT("{}"), 0, NULL));
  EXPECT_STATUS(no, livery_import_plist(store, user, TEXT(PLIST("")), 0, NULL));
  OK(livery_value_release(list));
  OK(livery_close(store));
}

// The limits of base.h: what is at a limit works, what is past it has a status.
#include "fixture.h"

static char *filled(size_t length, char content) {
  char *text = malloc(length + 1);
  if (!text) exit(2);
  memset(text, content, length);
  text[length] = 0;
  return text;
}

TEST("names have 1 to 255 bytes without control characters", names) {
  livery_store *store = open_store(fresh_path());
  char *longest = filled(LIVERY_NAME_MAX, 'n'), *longer = filled(LIVERY_NAME_MAX + 1, 'n');
  int64_t number = 0;
  OK(livery_set_int(store, LIVERY_LAYER_USER, longest, 1));
  OK(livery_get_int(store, longest, &number));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_int(store, LIVERY_LAYER_USER, longer, 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_int(store, LIVERY_LAYER_USER, "", 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_int(store, LIVERY_LAYER_USER, "a\nb", 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_int(store, LIVERY_LAYER_USER, "a\x7f", 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_set_int(store, LIVERY_LAYER_USER, "\xff", 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_get_int(store, longer, &number));
  // Names that differ in bytes are different names, however they look.
  OK(livery_set_int(store, LIVERY_LAYER_USER, "\xc3\xa9", 1));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "e\xcc\x81", 2));
  OK(livery_get_int(store, "\xc3\xa9", &number));
  EXPECT_INT(1, number);
  free(longest);
  free(longer);
  OK(livery_close(store));
}

TEST("a value may be as large as LIVERY_VALUE_MAX, and no larger", sizes) {
  livery_store *store = open_store(fresh_path());
  char *half = filled(LIVERY_VALUE_MAX / 2, 'v'), *over = filled(LIVERY_VALUE_MAX + 1, 'v');
  livery_value *value = NULL;
  livery_change *change = NULL;
  OK(livery_set_string(store, LIVERY_LAYER_USER, "text", half, LIVERY_VALUE_MAX / 2));
  char *copy = NULL;
  size_t length = 0;
  OK(livery_copy_string(store, "text", &copy, &length));
  EXPECT(length == LIVERY_VALUE_MAX / 2 && memcmp(copy, half, length) == 0);
  livery_free(copy);
  OK(livery_set_data(store, LIVERY_LAYER_USER, "data", over, LIVERY_VALUE_MAX));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE,
                livery_set_string(store, LIVERY_LAYER_USER, "text", over, LIVERY_VALUE_MAX + 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE,
                livery_set_data(store, LIVERY_LAYER_USER, "text", over, LIVERY_VALUE_MAX + 1));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_string(over, LIVERY_ZERO_TERMINATED, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_data(over, LIVERY_VALUE_MAX + 1, &value));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE,
                livery_change_set_string(change, "text", over, LIVERY_ZERO_TERMINATED));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_set_string(change, "text", "\xc3\x28", 2));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_change_set_data(change, "data", over, LIVERY_VALUE_MAX + 1));
  OK(livery_change_discard(change));

  // A list of parts that fit each is too large as a whole.
  livery_value *parts[3] = {NULL};
  for (size_t index = 0; index < COUNT(parts); index++)
    OK(livery_value_make_string(half, LIVERY_VALUE_MAX / 2, &parts[index]));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_list(parts, COUNT(parts), &value));
  const char *keys[] = {"a", "b", "c"};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_object(keys, parts, COUNT(parts), &value));
  for (size_t index = 0; index < COUNT(parts); index++) OK(livery_value_release(parts[index]));
  free(half);
  free(over);
  OK(livery_close(store));
}

static void nested(char *text, int depth) {
  memset(text, '[', (size_t)depth);
  memset(text + depth, ']', (size_t)depth);
  text[2 * depth] = 0;
}

TEST("values nest to LIVERY_DEPTH_MAX, and a million brackets do no harm", depth) {
  static char text[2 * 1000000 + 1];
  livery_store *store = open_store(fresh_path());
  livery_value *value = NULL, *deeper = NULL;
  nested(text, LIVERY_DEPTH_MAX);
  OK(livery_value_from_json(text, LIVERY_ZERO_TERMINATED, &value));
  OK(livery_set_value(store, LIVERY_LAYER_USER, "deep", value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_list(&value, 1, &deeper));
  const char *key = "a";
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_object(&key, &value, 1, &deeper));
  OK(livery_value_release(value));
  nested(text, LIVERY_DEPTH_MAX + 1);
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_from_json(text, LIVERY_ZERO_TERMINATED, &deeper));
  nested(text, 1000000);
  livery_status status = livery_value_from_json(text, LIVERY_ZERO_TERMINATED, &deeper);
  EXPECT(status == LIVERY_ERROR_PARSE || status == LIVERY_ERROR_INVALID_VALUE);
  status = livery_schema_check(NULL, text, LIVERY_ZERO_TERMINATED, &deeper);
  EXPECT(status == LIVERY_ERROR_PARSE || status == LIVERY_ERROR_SCHEMA_INVALID);
  livery_value_release(deeper);
  OK(livery_close(store));
}

TEST("a buffer must hold text and NUL; the length needed is told", buffers) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  char buffer[64];
  size_t length = 0;
  OK(livery_get_string(store, "title", buffer, 6, &length));
  EXPECT_TEXT("Hello", buffer);
  EXPECT_INT(5, length);
  length = 0;
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_get_string(store, "title", buffer, 5, &length));
  EXPECT_INT(5, length);
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_get_string(store, "title", NULL, 0, &length));
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_get_url(store, "home", buffer, 3, &length));
  EXPECT_INT(20, length);
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_get_data(store, "blob", buffer, 2, &length));
  EXPECT_INT(3, length);
  OK(livery_get_data(store, "blob", buffer, 3, &length));
  livery_reading reading = {0};
  OK(livery_read(store, "title", buffer, 6, &reading));
  EXPECT(reading.type == LIVERY_TYPE_STRING && reading.length == 5 && strcmp(buffer, "Hello") == 0);
  reading.length = 0;
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_read(store, "home", buffer, 20, &reading));
  EXPECT(reading.type == LIVERY_TYPE_URL && reading.length == 20);
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_read(store, "blob", NULL, 0, &reading));
  EXPECT(reading.type == LIVERY_TYPE_DATA && reading.length == 3);
  OK(livery_read(store, "blob", buffer, 3, &reading));
  OK(livery_read(store, "volume", NULL, 0, &reading));
  livery_key *key = NULL;
  OK(livery_key_open(store, "title", &key));
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_key_get_string(key, buffer, 1, &length));
  EXPECT_INT(5, length);
  OK(livery_key_get_string(key, buffer, sizeof buffer, NULL));
  OK(livery_close(store));
}

TEST("an option struct of an older, smaller header is accepted, a broken size is not", struct_sizes) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  options.struct_size = offsetof(livery_open_options, map_size);
  OK(livery_open(fresh_path(), &options, &store));
  OK(livery_close(store));
  livery_list_options list_options = {offsetof(livery_list_options, after) + 2, "name", 0};
  livery_value *list = NULL;
  store = open_store(fresh_path());
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_list(store, NULL, &list_options, &list));
  OK(livery_close(store));
  store = NULL;
  options.struct_size = 0;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(fresh_path(), &options, &store));
  options.struct_size = sizeof options;
  options.flags = 1u << 31;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(fresh_path(), &options, &store));
  options.flags = LIVERY_OPEN_CREATE;
  options.max_readers = 7;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(fresh_path(), &options, &store));
  options.max_readers = 0;
  options.cache_size = (1 << 16) - 1;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(fresh_path(), &options, &store));
  options.cache_size = ((uint64_t)1 << 30) + 1;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(fresh_path(), &options, &store));
  options.cache_size = 1 << 16;
  options.map_size = 4096;
  EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, livery_open(fresh_path(), &options, &store));
}

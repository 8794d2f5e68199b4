// Mistakes in the calling program: LIVERY_ERROR_INVALID_ARGUMENT from every function, for each parameter.
#include "every_call.h"

static const livery_layer user = LIVERY_LAYER_USER;
#define BAD(call) EXPECT_STATUS(LIVERY_ERROR_INVALID_ARGUMENT, call)

TEST("a NULL handle is INVALID_ARGUMENT in every function", null_handles) {
  livery_value *value = json("1");
  every_read(LIVERY_ERROR_INVALID_ARGUMENT, NULL);
  every_write(LIVERY_ERROR_INVALID_ARGUMENT, NULL);
  every_key_call(LIVERY_ERROR_INVALID_ARGUMENT, NULL);
  every_snapshot_call(LIVERY_ERROR_INVALID_ARGUMENT, NULL);
  every_change_call(LIVERY_ERROR_INVALID_ARGUMENT, NULL, value);
  every_value_call(LIVERY_ERROR_INVALID_ARGUMENT, NULL);
  OK(livery_value_release(value));
}

TEST("opening with a NULL, a path that is no UTF-8 or options out of range", open_arguments) {
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  BAD(livery_open(NULL, NULL, &store));
  BAD(livery_open("/tmp", NULL, NULL));
  BAD(livery_open("", NULL, &store));
  BAD(livery_open("/tmp/\xff", NULL, &store));
  options.max_readers = 65537;
  BAD(livery_open("/tmp/x", &options, &store));
  options.max_readers = 0;
  options.map_size = UINT64_MAX;
  BAD(livery_open("/tmp/x", &options, &store));
  options.map_size = 0;
  options.flags = 1u << 30;
  BAD(livery_open("/tmp/x", &options, &store));
}

TEST("reading with a NULL or a malformed name", reads) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  char buffer[16];
  size_t length = 0;
  void *pointer = NULL;
  livery_value *value = NULL;
  livery_reading reading;
  livery_list_options list_options = LIVERY_LIST_OPTIONS_INIT;
  BAD(livery_revision(store, NULL));
  BAD(livery_get_bool(store, "attractLoop", NULL));
  BAD(livery_get_int(store, "idleResetSeconds", NULL));
  BAD(livery_get_float(store, "volume", NULL));
  BAD(livery_get_double(store, "volume", NULL));
  BAD(livery_get_string(store, "title", NULL, 16, &length));
  BAD(livery_get_data(store, "blob", NULL, 16, &length));
  BAD(livery_get_url(store, "home", NULL, 16, &length));
  BAD(livery_get_date(store, "opens", NULL));
  BAD(livery_get_color(store, "branding.color.Toolbar", NULL));
  BAD(livery_get_list(store, "playlist", NULL));
  BAD(livery_get_object(store, "playlist", NULL));
  BAD(livery_get_value(store, "title", NULL));
  BAD(livery_read(store, "title", buffer, sizeof buffer, NULL));
  BAD(livery_read(store, "title", NULL, 16, &reading));
  BAD(livery_copy_string(store, "title", NULL, &length));
  BAD(livery_copy_data(store, "blob", NULL, &length));
  BAD(livery_copy_data(store, "blob", &pointer, NULL));
  BAD(livery_key_open(store, "title", NULL));
  BAD(livery_snapshot_open(store, NULL));
  BAD(livery_list(store, NULL, NULL, NULL));
  BAD(livery_list(store, "\xff", NULL, &value));
  list_options.struct_size = 1;
  BAD(livery_list(store, NULL, &list_options, &value));
  BAD(livery_inspect(store, "title", NULL));
  livery_form_options form_options = LIVERY_FORM_OPTIONS_INIT;
  BAD(livery_form(store, NULL, NULL));
  form_options.struct_size = 1;
  BAD(livery_form(store, &form_options, &value));
  form_options.struct_size = sizeof form_options;
  form_options.has_layer = true;
  form_options.layer = 7;
  BAD(livery_form(store, &form_options, &value));
  form_options.has_layer = false;
  livery_search_options search_options = LIVERY_SEARCH_OPTIONS_INIT;
  BAD(livery_search(store, NULL, NULL, &value));
  BAD(livery_search(store, "a", NULL, NULL));
  BAD(livery_search(store, "\xff", NULL, &value));
  static const char *const no_languages[] = {"", "d", "de-", "-de", "deutschland", "d3", "de AT", "de-\xff", "x", "a-b"};
  for (size_t index = 0; index < COUNT(no_languages); index++) {
    form_options.locale = search_options.locale = no_languages[index];
    BAD(livery_form(store, &form_options, &value));
    BAD(livery_search(store, "a", &search_options, &value));
  }
  search_options.locale = NULL;
  search_options.struct_size = 1;
  BAD(livery_search(store, "a", &search_options, &value));
  char query[LIVERY_QUERY_MAX + 2];
  memset(query, 'a', sizeof query - 1);
  query[LIVERY_QUERY_MAX + 1] = 0;
  BAD(livery_search(store, query, NULL, &value));
  query[LIVERY_QUERY_MAX] = 0;
  OK(livery_search(store, query, NULL, &value));
  OK(livery_value_release(value));
  value = NULL;
  query[0] = 0;
  for (int word = 0; word < 65; word++) snprintf(query + strlen(query), 12, "w%d ", word);
  BAD(livery_search(store, query, NULL, &value));
  *strrchr(query, 'w') = 0;
  OK(livery_search(store, query, NULL, &value));
  OK(livery_value_release(value));
  value = NULL;
  BAD(livery_settings(store, NULL));

  // A value that is known already, and one that is not.
  for (int round = 0; round < 2; round++) {
    memset(&reading, 0, sizeof reading);
    OK(livery_read(store, "pair.a", NULL, 16, &reading));
    EXPECT_INT(LIVERY_TYPE_INT, reading.type);
    reading.type = 0;
    BAD(livery_read(store, "title", NULL, 16, &reading));
    BAD(livery_get_string(store, "title", NULL, 16, NULL));
    EXPECT_INT(0, reading.type);
    BAD(livery_read(store, "pair.a", buffer, sizeof buffer, NULL));
    BAD(livery_get_int(store, "pair.a", NULL));
    OK(livery_get_string(store, "title", buffer, sizeof buffer, NULL));
  }

  static const char *const malformed[] = {NULL, "", "a\tb", "\xff\xfe", "a\x01"};
  for (size_t index = 0; index < COUNT(malformed); index++) {
    const char *name = malformed[index];
    bool truth;
    int64_t number;
    float single;
    double real;
    livery_color color;
    BAD(livery_get_bool(store, name, &truth));
    BAD(livery_get_int(store, name, &number));
    BAD(livery_get_float(store, name, &single));
    BAD(livery_get_double(store, name, &real));
    BAD(livery_get_string(store, name, buffer, sizeof buffer, NULL));
    BAD(livery_get_data(store, name, buffer, sizeof buffer, NULL));
    BAD(livery_get_url(store, name, buffer, sizeof buffer, NULL));
    BAD(livery_get_date(store, name, &number));
    BAD(livery_get_color(store, name, &color));
    BAD(livery_get_list(store, name, &value));
    BAD(livery_get_object(store, name, &value));
    BAD(livery_get_value(store, name, &value));
    BAD(livery_read(store, name, buffer, sizeof buffer, &reading));
    BAD(livery_copy_string(store, name, (char **)&pointer, &length));
    BAD(livery_copy_data(store, name, &pointer, &length));
    BAD(livery_key_open(store, name, (livery_key **)&pointer));
    BAD(livery_inspect(store, name, &value));
  }

  livery_key *key = NULL;
  livery_snapshot *snapshot = NULL;
  char name[LIVERY_NAME_MAX + 1] = "";
  OK(livery_key_open(store, "title", &key));
  BAD(livery_key_get_bool(key, NULL));
  BAD(livery_key_get_int(key, NULL));
  BAD(livery_key_get_double(key, NULL));
  BAD(livery_key_get_string(key, NULL, 16, &length));
  OK(livery_snapshot_open(store, &snapshot));
  BAD(livery_snapshot_revision(snapshot, NULL));
  BAD(livery_snapshot_get(snapshot, NULL, &value));
  BAD(livery_snapshot_get(snapshot, "a\n", &value));
  BAD(livery_snapshot_get(snapshot, "title", NULL));
  BAD(livery_snapshot_get_layer(snapshot, user, NULL, &value));
  BAD(livery_snapshot_get_layer(snapshot, user, "a\n", &value));
  BAD(livery_snapshot_get_layer(snapshot, 7, "title", &value));
  BAD(livery_snapshot_get_layer(snapshot, user, "title", NULL));
  BAD(livery_snapshot_list(snapshot, -1, NULL, &value));
  BAD(livery_snapshot_list(snapshot, user, "", &value));
  BAD(livery_snapshot_list(snapshot, user, NULL, NULL));
  BAD(livery_snapshot_next(snapshot, NULL, NULL, &value));
  BAD(livery_snapshot_next(snapshot, NULL, name, NULL));
  BAD(livery_snapshot_next(snapshot, "\xff", name, &value));
  OK(livery_close(store));
}

TEST("changing with a NULL, a malformed name or no such layer", changes) {
  livery_store *store = open_store(fresh_path());
  livery_value *value = json("1"), *read = NULL;
  livery_change *change = NULL;
  static const char *const malformed[] = {NULL, "", "a\tb", "\xff\xfe"};
  for (size_t index = 0; index < COUNT(malformed); index++) {
    const char *name = malformed[index];
    BAD(livery_set_bool(store, user, name, true));
    BAD(livery_set_int(store, user, name, 1));
    BAD(livery_set_double(store, user, name, 1));
    BAD(livery_set_string(store, user, name, TEXT("x")));
    BAD(livery_set_data(store, user, name, TEXT("x")));
    BAD(livery_set_color(store, user, name, (livery_color){0, 0, 0, 1}));
    BAD(livery_set_value(store, user, name, value));
    BAD(livery_reset(store, user, name));
    OK(livery_change_begin(store, user, &change));
    BAD(livery_change_set_bool(change, name, true));
    BAD(livery_change_set_int(change, name, 1));
    BAD(livery_change_set_double(change, name, 1));
    BAD(livery_change_set_string(change, name, TEXT("x")));
    BAD(livery_change_set_data(change, name, TEXT("x")));
    BAD(livery_change_set_color(change, name, (livery_color){0, 0, 0, 1}));
    BAD(livery_change_set_value(change, name, value));
    BAD(livery_change_replace(change, name, value));
    BAD(livery_change_get(change, name, &read));
    BAD(livery_change_get_layer(change, user, name, &read));
    if (name) BAD(livery_change_list(change, user, name, &read));
    BAD(livery_change_reset(change, name));
    BAD(livery_change_expect(change, name, 1));
    OK(livery_change_discard(change));
  }
  static const livery_layer no_layers[] = {-1, 7, INT32_MAX, INT32_MIN};
  for (size_t index = 0; index < COUNT(no_layers); index++) {
    livery_layer layer = no_layers[index];
    BAD(livery_set_bool(store, layer, "a", true));
    BAD(livery_set_int(store, layer, "a", 1));
    BAD(livery_set_double(store, layer, "a", 1));
    BAD(livery_set_string(store, layer, "a", TEXT("x")));
    BAD(livery_set_data(store, layer, "a", TEXT("x")));
    BAD(livery_set_color(store, layer, "a", (livery_color){0, 0, 0, 1}));
    BAD(livery_set_value(store, layer, "a", value));
    BAD(livery_reset(store, layer, "a"));
    BAD(livery_change_begin(store, layer, &change));
    BAD(livery_import_json(store, layer, TEXT("{}"), 0, NULL));
    BAD(livery_import_plist(store, layer, TEXT(PLIST("")), 0, NULL));
  }
  BAD(livery_set_string(store, user, "a", NULL, 1));
  BAD(livery_set_data(store, user, "a", NULL, 1));
  BAD(livery_set_value(store, user, "a", NULL));
  BAD(livery_change_begin(store, user, NULL));
  OK(livery_change_begin(store, user, &change));
  BAD(livery_change_set_string(change, "a", NULL, 0));
  BAD(livery_change_set_data(change, "a", NULL, 1));
  OK(livery_change_set_data(change, "a", NULL, 0));
  BAD(livery_change_set_value(change, "a", NULL));
  BAD(livery_change_replace(change, "a", NULL));
  BAD(livery_change_get(change, "a", NULL));
  BAD(livery_change_get_layer(change, user, "a", NULL));
  BAD(livery_change_list(change, user, NULL, NULL));
  for (size_t index = 0; index < COUNT(no_layers); index++) {
    BAD(livery_change_layer(change, no_layers[index]));
    BAD(livery_change_get_layer(change, no_layers[index], "a", &read));
    BAD(livery_change_list(change, no_layers[index], NULL, &read));
  }
  BAD(livery_change_violations(change, NULL));
  BAD(livery_change_origin(change, NULL));
  BAD(livery_change_origin(change, "a\nb"));
  BAD(livery_change_origin(change, "\xff"));
  BAD(livery_change_attribute(NULL, "eva"));
  BAD(livery_change_attribute(change, "a\nb"));
  BAD(livery_change_attribute(change, "\xff"));
  char origin[LIVERY_ORIGIN_MAX + 2];
  memset(origin, 'o', sizeof origin);
  origin[LIVERY_ORIGIN_MAX + 1] = 0;
  BAD(livery_change_origin(change, origin));
  BAD(livery_change_attribute(change, origin));
  origin[LIVERY_ORIGIN_MAX] = 0;
  OK(livery_change_origin(change, origin));
  BAD(livery_change_trial(change, -1));
  BAD(livery_change_trial(change, LIVERY_TRIAL_MAX + 1));
  OK(livery_change_trial(change, LIVERY_TRIAL_MAX));
  OK(livery_change_trial(change, 0));
  OK(livery_change_discard(change));
  OK(livery_value_release(value));
  OK(livery_close(store));
}

TEST("schemas, imports and exports with a NULL or an unknown flag", documents) {
  livery_store *store = open_store(fresh_path());
  livery_value *report = NULL;
  const char *schema = KIOSK_SCHEMA;
  char *text = NULL;
  BAD(livery_schema_apply(store, NULL, 0, NULL, NULL));
  BAD(livery_schema_check(store, NULL, 0, &report));
  BAD(livery_schema_check(NULL, KIOSK_SCHEMA, LIVERY_ZERO_TERMINATED, NULL));
  BAD(livery_schema_compare(NULL, 0, schema, LIVERY_ZERO_TERMINATED, &report));
  BAD(livery_schema_compare(schema, LIVERY_ZERO_TERMINATED, NULL, 0, &report));
  BAD(livery_schema_compare(schema, LIVERY_ZERO_TERMINATED, schema, LIVERY_ZERO_TERMINATED, NULL));
  BAD(livery_schema_version(store, NULL));
  BAD(livery_schema_copy_json(store, NULL, NULL));
  BAD(livery_schema_copy_digest(store, NULL, NULL));
  BAD(livery_import_json(store, user, NULL, 0, 0, NULL));
  BAD(livery_import_json(store, user, TEXT("{}"), 1u << 31, NULL));
  BAD(livery_import_plist(store, user, NULL, 0, 0, NULL));
  BAD(livery_import_plist(store, user, TEXT(PLIST("")), 1u << 31, NULL));
  BAD(livery_export_json(store, 0, NULL, NULL));
  BAD(livery_export_json(store, 1u << 31, &text, NULL));
  OK(livery_close(store));
}

TEST("values with a NULL", values) {
  livery_value *value = json("{\"a\": [1]}"), *other = NULL;
  const char *text = NULL, *key = "a";
  const void *bytes = NULL;
  size_t length = 0;
  char *json_text = NULL;
  bool equal = false;
  BAD(livery_value_type(value, NULL));
  BAD(livery_value_as_bool(value, NULL));
  BAD(livery_value_as_int(value, NULL));
  BAD(livery_value_as_double(value, NULL));
  BAD(livery_value_as_string(value, NULL, &length));
  BAD(livery_value_as_data(value, NULL, &length));
  BAD(livery_value_as_data(value, &bytes, NULL));
  BAD(livery_value_as_color(value, NULL));
  BAD(livery_value_as_date(value, NULL));
  BAD(livery_value_count(value, NULL));
  BAD(livery_value_at(value, 0, NULL));
  BAD(livery_value_member(value, NULL, &other));
  BAD(livery_value_member(value, "a", NULL));
  BAD(livery_value_key_at(value, 0, NULL, &length));
  BAD(livery_value_equal(value, value, NULL));
  BAD(livery_value_equal(value, NULL, &equal));
  BAD(livery_value_to_json(value, 0, NULL, NULL));
  BAD(livery_value_to_json(value, 1u << 31, &json_text, NULL));
  BAD(livery_value_from_json(NULL, 0, &other));
  BAD(livery_value_from_json("1", 1, NULL));
  BAD(livery_value_make_bool(true, NULL));
  BAD(livery_value_make_int(1, NULL));
  BAD(livery_value_make_double(1, NULL));
  BAD(livery_value_make_string(NULL, 0, &other));
  BAD(livery_value_make_string("x", 1, NULL));
  BAD(livery_value_make_data(NULL, 1, &other));
  BAD(livery_value_make_data("x", 1, NULL));
  BAD(livery_value_make_url(NULL, 0, &other));
  BAD(livery_value_make_url("", 0, NULL));
  BAD(livery_value_make_date(0, NULL));
  BAD(livery_value_make_color((livery_color){0, 0, 0, 0}, NULL));
  BAD(livery_value_make_image(NULL, 0, &other));
  BAD(livery_value_make_image("x", 1, NULL));
  BAD(livery_value_make_list(NULL, 1, &other));
  BAD(livery_value_make_list(&value, 1, NULL));
  BAD(livery_value_make_object(NULL, &value, 1, &other));
  BAD(livery_value_make_object(&key, NULL, 1, &other));
  BAD(livery_value_make_object(&key, &value, 1, NULL));
  BAD(livery_value_make_object(&text, &value, 1, &other));
  EXPECT(other == NULL);
  OK(livery_value_release(value));
}

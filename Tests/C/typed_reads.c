// The table of typed reads that all languages share: Tests/Fixtures/typed-reads.json says how it is used.
#include "fixture.h"

static livery_value *member(livery_value *object, const char *key) {
  livery_value *found = NULL;
  livery_value_member(object, key, &found);
  return found;
}

// The text of a string value, which may hold NUL; borrowed.
static const char *text_of(livery_value *value, size_t *length) {
  const char *text = NULL;
  livery_value_as_string(value, &text, length);
  return text ? text : "";
}

// A value of the type named, made of what JSON can say: the value of a `values` member.
static livery_value *typed(const char *type, livery_value *plain) {
  livery_value *made = NULL;
  const void *bytes = NULL;
  size_t length = 0;
  int64_t moment = 0;
  livery_color color;
  if (strcmp(type, "data") == 0) {
    OK(livery_value_as_data(plain, &bytes, &length));
    OK(livery_value_make_data(bytes, length, &made));
  } else if (strcmp(type, "url") == 0) {
    bytes = text_of(plain, &length);
    OK(livery_value_make_url(bytes, length, &made));
  } else if (strcmp(type, "image") == 0) {
    bytes = text_of(plain, &length);
    OK(livery_value_make_image(bytes, length, &made));
  } else if (strcmp(type, "date") == 0) {
    OK(livery_value_as_date(plain, &moment));
    OK(livery_value_make_date(moment, &made));
  } else if (strcmp(type, "color") == 0) {
    OK(livery_value_as_color(plain, &color));
    OK(livery_value_make_color(color, &made));
  } else {
    OK(livery_value_retain(plain));
    made = plain;
  }
  return made;
}

static bool same(livery_value *left, livery_value *right) {
  bool equal = false;
  OK(livery_value_equal(left, right, &equal));
  return equal;
}

// Reads `name` as `read`; on success stores whether the result is the one expected.
static livery_status read_as(livery_store *store, const char *name, const char *read, const char *type,
                             livery_value *expect, bool *as_expected) {
  livery_status status;
  size_t length = 0;
  if (strcmp(read, "bool") == 0) {
    bool result = false, wanted = false;
    status = livery_get_bool(store, name, &result);
    *as_expected = expect && livery_value_as_bool(expect, &wanted) == LIVERY_OK && result == wanted;
  } else if (strcmp(read, "int") == 0) {
    int64_t result = 0, wanted = 0;
    status = livery_get_int(store, name, &result);
    *as_expected = expect && livery_value_as_int(expect, &wanted) == LIVERY_OK && result == wanted;
  } else if (strcmp(read, "float") == 0) {
    float result = 0;
    double wanted = 0;
    status = livery_get_float(store, name, &result);
    *as_expected = expect && livery_value_as_double(expect, &wanted) == LIVERY_OK && result == (float)wanted;
  } else if (strcmp(read, "double") == 0) {
    double result = 0, wanted = 0;
    status = livery_get_double(store, name, &result);
    *as_expected = expect && livery_value_as_double(expect, &wanted) == LIVERY_OK && result == wanted
                   && signbit(result) == signbit(wanted);
  } else if (strcmp(read, "date") == 0) {
    int64_t result = 0, wanted = 0;
    status = livery_get_date(store, name, &result);
    *as_expected = expect && livery_value_as_date(expect, &wanted) == LIVERY_OK && result == wanted;
  } else if (strcmp(read, "color") == 0) {
    livery_color result, wanted;
    status = livery_get_color(store, name, &result);
    *as_expected = status == LIVERY_OK && expect && livery_value_as_color(expect, &wanted) == LIVERY_OK
                   && memcmp(&result, &wanted, sizeof result) == 0;
  } else if (strcmp(read, "data") == 0) {
    char buffer[4096], *copy = NULL;
    const void *wanted = NULL;
    size_t wanted_length = 0, copy_length = 0;
    status = livery_get_data(store, name, buffer, sizeof buffer, &length);
    livery_status copied = livery_copy_data(store, name, (void **)&copy, &copy_length);
    EXPECT_INT(status, copied);
    *as_expected = status == LIVERY_OK && expect && livery_value_as_data(expect, &wanted, &wanted_length) == LIVERY_OK
                   && length == wanted_length && memcmp(buffer, wanted, length) == 0 && copy_length == length
                   && memcmp(copy, wanted, length) == 0;
    livery_free(copy);
  } else if (strcmp(read, "string") == 0 || strcmp(read, "url") == 0) {
    char buffer[4096];
    status = read[0] == 's' ? livery_get_string(store, name, buffer, sizeof buffer, &length)
                            : livery_get_url(store, name, buffer, sizeof buffer, &length);
    if (expect) {
      size_t wanted_length = 0;
      const char *wanted = text_of(expect, &wanted_length);
      *as_expected = status == LIVERY_OK && length == wanted_length && memcmp(buffer, wanted, length + 1) == 0;
    }
    if (read[0] == 's') {
      char *copy = NULL;
      size_t copy_length = 0;
      EXPECT_INT(status, livery_copy_string(store, name, &copy, &copy_length));
      if (copy) EXPECT(copy_length == length && memcmp(copy, buffer, length + 1) == 0);
      livery_free(copy);
    }
  } else {
    livery_value *result = NULL;
    if (strcmp(read, "list") == 0) {
      status = livery_get_list(store, name, &result);
    } else if (strcmp(read, "object") == 0) {
      status = livery_get_object(store, name, &result);
    } else {
      status = livery_get_value(store, name, &result);
    }
    if (result && expect) {
      livery_value *wanted = type[0] ? typed(type, expect) : NULL;
      *as_expected = same(wanted ? wanted : expect, result);
      livery_value_release(wanted);
    }
    livery_value_release(result);
  }
  return status;
}

TEST("every typed read of the shared table gives what the table says", table) {
  size_t length = 0;
  char *text = read_file(FIXTURES "/typed-reads.json", &length);
  livery_value *root = NULL;
  REQUIRE_OK(livery_value_from_json(text, length, &root));
  free(text);

  livery_store *store = open_store(fresh_path());
  livery_value *schema = member(root, "schema"), *values = member(root, "values"), *cases = member(root, "cases");
  OK(livery_value_to_json(schema, 0, &text, &length));
  OK(livery_schema_apply(store, text, length, NULL, NULL));
  livery_free(text);

  livery_change *change = NULL;
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  size_t count = 0;
  OK(livery_value_count(values, &count));
  for (size_t index = 0; index < count; index++) {
    const char *name = NULL;
    livery_value *entry = NULL;
    OK(livery_value_key_at(values, index, &name, NULL));
    OK(livery_value_at(values, index, &entry));
    livery_value *plain = member(entry, "value"), *value = typed(member_text(entry, "type"), plain);
    OK(livery_change_set_value(change, name, value));
    OK(livery_value_release(value));
    OK(livery_value_release(plain));
    OK(livery_value_release(entry));
  }
  OK(livery_change_commit(change, NULL));

  OK(livery_value_count(cases, &count));
  EXPECT(count > 100);
  for (size_t index = 0; index < count; index++) {
    livery_value *entry = NULL;
    OK(livery_value_at(cases, index, &entry));
    const char *name = member_text(entry, "name"), *read = member_text(entry, "read"),
               *error = member_text(entry, "error"), *type = member_text(entry, "type");
    livery_value *expect = member(entry, "expect");
    bool as_expected = false;
    livery_status status = read_as(store, name, read, type, expect, &as_expected);
    const char *status_name = livery_status_name(status);
    if (error[0]) {
      if (strncmp(status_name, "LIVERY_ERROR_", 13) != 0 || strcmp(status_name + 13, error) != 0)
        check_fail(__FILE__, __LINE__, "%s as %s gave %s, expected %s", name, read, status_name, error);
    } else if (status != LIVERY_OK || !as_expected) {
      check_fail(__FILE__, __LINE__, "%s as %s gave %s, %s", name, read, status_name,
                 status == LIVERY_OK ? "another value than expected" : livery_last_error()->message);
    }
    livery_value_release(expect);
    OK(livery_value_release(entry));
  }
  OK(livery_value_release(schema));
  OK(livery_value_release(values));
  OK(livery_value_release(cases));
  OK(livery_value_release(root));
  OK(livery_close(store));
}

TEST("a number of which a float would leave 0 is a mismatch, whether it is read before or not", small_floats) {
  livery_store *store = new_store(fresh_path(), NULL);
  float value = 7;
  OK(livery_set_double(store, LIVERY_LAYER_USER, "tiny", 1e-50));
  OK(livery_set_double(store, LIVERY_LAYER_USER, "small", 1e-40));
  OK(livery_set_double(store, LIVERY_LAYER_USER, "zero", -0.0));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "text", TEXT("1e-50")));
  for (int round = 0; round < 2; round++) {
    EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_float(store, "tiny", &value));
    EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_get_float(store, "text", &value));
    EXPECT(value == 7);
    OK(livery_get_float(store, "small", &value));
    EXPECT(value > 0 && value < 2e-40f);
    OK(livery_get_float(store, "zero", &value));
    EXPECT(value == 0 && signbit(value));
    value = 7;
  }
  OK(livery_close(store));
}

// Values: made, read, compared, written as JSON.
#include "fixture.h"

TEST("a value gives back what it was made of", round_trip) {
  livery_value *value = NULL;
  bool truth = false;
  int64_t number = 0;
  double real = 0;
  livery_color color = {0, 0, 0, 0};
  const char *text = NULL;
  const void *bytes = NULL;
  size_t length = 0;

  OK(livery_value_make_bool(true, &value));
  OK(livery_value_as_bool(value, &truth));
  EXPECT(truth);
  OK(livery_value_release(value));
  OK(livery_value_make_int(INT64_MIN, &value));
  OK(livery_value_as_int(value, &number));
  EXPECT(number == INT64_MIN);
  OK(livery_value_release(value));
  OK(livery_value_make_double(-0.125, &value));
  OK(livery_value_as_double(value, &real));
  EXPECT(real == -0.125);
  OK(livery_value_release(value));
  OK(livery_value_make_string("a\0b", 3, &value));
  OK(livery_value_as_string(value, &text, &length));
  EXPECT(length == 3 && memcmp(text, "a\0b", 4) == 0);
  OK(livery_value_release(value));
  OK(livery_value_make_string("", 0, &value));
  OK(livery_value_as_string(value, &text, &length));
  EXPECT(length == 0 && text[0] == 0);
  OK(livery_value_release(value));
  OK(livery_value_make_data("\0\xff", 2, &value));
  OK(livery_value_as_data(value, &bytes, &length));
  EXPECT(length == 2 && memcmp(bytes, "\0\xff", 2) == 0);
  OK(livery_value_release(value));
  OK(livery_value_make_data(NULL, 0, &value));
  OK(livery_value_as_data(value, &bytes, &length));
  EXPECT(length == 0 && bytes != NULL);
  OK(livery_value_release(value));
  OK(livery_value_make_url("https://example.com/a?b#c", LIVERY_ZERO_TERMINATED, &value));
  OK(livery_value_as_string(value, &text, NULL));
  EXPECT_TEXT("https://example.com/a?b#c", text);
  OK(livery_value_release(value));
  OK(livery_value_make_date(-62135596800000000, &value));
  OK(livery_value_as_date(value, &number));
  EXPECT(number == -62135596800000000);
  OK(livery_value_release(value));
  OK(livery_value_make_color((livery_color){0.25f, 0.5f, 0.75f, 1}, &value));
  OK(livery_value_as_color(value, &color));
  EXPECT(color.red == 0.25f && color.green == 0.5f && color.blue == 0.75f && color.alpha == 1);
  OK(livery_value_release(value));
  OK(livery_value_make_image("logo.png", LIVERY_ZERO_TERMINATED, &value));
  OK(livery_value_as_string(value, &text, &length));
  EXPECT_TEXT("logo.png", text);
  OK(livery_value_release(value));
}

TEST("a list and an object hold references of their own", containers) {
  livery_value *items[2] = {NULL, NULL}, *list = NULL, *object = NULL, *found = NULL;
  OK(livery_value_make_int(1, &items[0]));
  OK(livery_value_make_string("two", LIVERY_ZERO_TERMINATED, &items[1]));
  OK(livery_value_make_list(items, 2, &list));
  OK(livery_value_release(items[0]));
  OK(livery_value_release(items[1]));
  const char *keys[] = {"list", "again"};
  livery_value *members[] = {list, list};
  OK(livery_value_make_object(keys, members, 2, &object));
  OK(livery_value_release(list));

  size_t count = 0, length = 0;
  OK(livery_value_count(object, &count));
  EXPECT_INT(2, count);
  OK(livery_value_member(object, "again", &found));
  OK(livery_value_release(object));
  livery_value *item = NULL;
  OK(livery_value_at(found, 1, &item));
  OK(livery_value_release(found));
  const char *text = NULL;
  OK(livery_value_as_string(item, &text, &length));
  EXPECT_TEXT("two", text);
  OK(livery_value_count(item, &count));
  EXPECT_INT(0, count);
  OK(livery_value_release(item));

  OK(livery_value_make_list(NULL, 0, &list));
  EXPECT_JSON("[]", list);
  OK(livery_value_make_object(NULL, NULL, 0, &object));
  EXPECT_JSON("{}", object);
}

TEST("members are found by key and by position", members) {
  livery_value *object = json("{\"b\": true, \"a\": 1}"), *item = NULL;
  size_t count = 0;
  OK(livery_value_count(object, &count));
  EXPECT_INT(2, count);
  int seen = 0;
  for (size_t index = 0; index < count; index++) {
    const char *key = NULL;
    size_t length = 0;
    OK(livery_value_key_at(object, index, &key, &length));
    EXPECT_INT(1, length);
    livery_value *by_position = NULL, *by_key = NULL;
    OK(livery_value_at(object, index, &by_position));
    OK(livery_value_member(object, key, &by_key));
    bool equal = false;
    OK(livery_value_equal(by_position, by_key, &equal));
    EXPECT(equal);
    seen |= key[0] == 'a' ? 1 : 2;
    OK(livery_value_release(by_position));
    OK(livery_value_release(by_key));
  }
  EXPECT_INT(3, seen);
  const char *key = NULL;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_value_member(object, "c", &item));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_value_member(object, "", &item));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_value_at(object, 2, &item));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_value_at(object, SIZE_MAX, &item));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_value_key_at(object, 2, &key, NULL));
  OK(livery_value_release(object));

  livery_value *list = json("[1]"), *scalar = json("1");
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_member(list, "a", &item));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_key_at(list, 0, &key, NULL));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_at(scalar, 0, &item));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_key_at(scalar, 0, &key, NULL));
  OK(livery_value_release(list));
  OK(livery_value_release(scalar));
}

TEST("each value has a type", types) {
  static const struct {
    const char *text;
    livery_type type;
  } cases[] = {{"true", LIVERY_TYPE_BOOL},     {"1", LIVERY_TYPE_INT},        {"1.0", LIVERY_TYPE_DOUBLE},
               {"1e3", LIVERY_TYPE_DOUBLE},    {"\"1\"", LIVERY_TYPE_STRING}, {"[]", LIVERY_TYPE_LIST},
               {"{}", LIVERY_TYPE_OBJECT},     {"-0.0", LIVERY_TYPE_DOUBLE}};
  for (size_t index = 0; index < COUNT(cases); index++) {
    livery_value *value = json(cases[index].text);
    livery_type type = 0;
    OK(livery_value_type(value, &type));
    EXPECT_INT(cases[index].type, type);
    OK(livery_value_release(value));
  }
  livery_value *made[5] = {NULL};
  static const livery_type types[] = {LIVERY_TYPE_DATA, LIVERY_TYPE_URL, LIVERY_TYPE_DATE, LIVERY_TYPE_COLOR,
                                      LIVERY_TYPE_IMAGE};
  OK(livery_value_make_data("x", 1, &made[0]));
  OK(livery_value_make_url("", 0, &made[1]));
  OK(livery_value_make_date(0, &made[2]));
  OK(livery_value_make_color((livery_color){0, 0, 0, 0}, &made[3]));
  OK(livery_value_make_image("x", 1, &made[4]));
  for (size_t index = 0; index < COUNT(made); index++) {
    livery_type type = 0;
    OK(livery_value_type(made[index], &type));
    EXPECT_INT(types[index], type);
    OK(livery_value_release(made[index]));
  }
}

TEST("values convert where nothing is lost, and say TYPE_MISMATCH elsewhere", conversions) {
  bool truth = false;
  int64_t number = 0;
  double real = 0;
  livery_color color;
  const void *bytes = NULL;
  const char *text = NULL;
  size_t length = 0;
  livery_value *one = json("\"1\""), *yes = json("\"YES\""), *half = json("2.5"), *two = json("2.0"),
               *word = json("\"soon\""), *big = json("9007199254740993"), *hex = json("\"#0f0\""),
               *base64 = json("\"AQID\""), *day = json("\"1970-01-01T00:00:01Z\""), *list = json("[]"),
               *truthful = json("true");
  OK(livery_value_as_int(one, &number));
  EXPECT_INT(1, number);
  OK(livery_value_as_bool(yes, &truth));
  EXPECT(truth);
  OK(livery_value_as_int(two, &number));
  EXPECT_INT(2, number);
  OK(livery_value_as_double(one, &real));
  EXPECT(real == 1);
  OK(livery_value_as_color(hex, &color));
  EXPECT(color.red == 0 && color.green == 1 && color.blue == 0 && color.alpha == 1);
  OK(livery_value_as_data(base64, &bytes, &length));
  EXPECT(length == 3 && memcmp(bytes, "\1\2\3", 3) == 0);
  OK(livery_value_as_date(day, &number));
  EXPECT_INT(1000000, number);

  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_int(half, &number));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_int(truthful, &number));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_bool(two, &truth));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_bool(word, &truth));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_double(big, &real));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_string(half, &text, NULL));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_data(list, &bytes, &length));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_color(word, &color));
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_value_as_date(word, &number));
  EXPECT_INT(1000000, number);
  livery_value *all[] = {one, yes, half, two, word, big, hex, base64, day, list, truthful};
  for (size_t index = 0; index < COUNT(all); index++) OK(livery_value_release(all[index]));
}

TEST("equality looks at type and content, not at the order of members", equality) {
  static const struct {
    const char *left, *right;
    bool equal;
  } cases[] = {{"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", true}, {"2", "2.0", false},
               {"[1,2]", "[2,1]", false},                        {"\"e\\u0301\"", "\"\\u00e9\"", false},
               {"\"a\"", "\"a\"", true},  {"0.0", "-0.0", false}, {"[-0.0]", "[-0.0]", true},
               {"5e-324", "5e-324", true},                         {"{\"a\":1}", "{\"a\":1,\"b\":2}", false}};
  for (size_t index = 0; index < COUNT(cases); index++) {
    livery_value *left = json(cases[index].left), *right = json(cases[index].right);
    bool equal = !cases[index].equal;
    OK(livery_value_equal(left, right, &equal));
    EXPECT_INT(cases[index].equal, equal);
    OK(livery_value_release(left));
    OK(livery_value_release(right));
  }
}

TEST("JSON comes back as it was written", to_json) {
  static const char *const same[] = {"true",    "-1",     "9223372036854775807", "0.1",         "1e+300", "5e-324",
                                     "\"a\\nb\"", "[1,[]]", "{\"a\":{\"b\":[true,false]}}", "\"\xc3\xa9\""};
  for (size_t index = 0; index < COUNT(same); index++) {
    livery_value *value = json(same[index]), *again = NULL;
    char *text = NULL;
    size_t length = 0;
    OK(livery_value_to_json(value, 0, &text, &length));
    EXPECT_INT(strlen(text), length);
    OK(livery_value_from_json(text, length, &again));
    bool equal = false;
    OK(livery_value_equal(value, again, &equal));
    EXPECT(equal);
    livery_free(text);
    OK(livery_value_release(value));
    OK(livery_value_release(again));
  }
  livery_value *value = NULL;
  OK(livery_value_make_data("\1\2\3", 3, &value));
  EXPECT_JSON("\"AQID\"", value);
  OK(livery_value_make_color((livery_color){1, 0, 0, 1}, &value));
  EXPECT_JSON("\"#FF0000FF\"", value);
  OK(livery_value_make_date(1000000, &value));
  EXPECT_JSON("\"1970-01-01T00:00:01Z\"", value);
  OK(livery_value_make_double(2, &value));
  EXPECT_JSON("2.0", value);
  value = json("{\"a\": [1]}");
  char *pretty = NULL;
  OK(livery_value_to_json(value, LIVERY_JSON_PRETTY, &pretty, NULL));
  EXPECT_CONTAINS("\n  \"a\": [", pretty);
  livery_free(pretty);
  OK(livery_value_release(value));
}

TEST("text that is not JSON is PARSE, and says where", parse_errors) {
  static const char *const broken[] = {"", " ", "{", "[1,]", "nul", "{\"a\":1,\"a\":2}", "1e999", "12345678901234567890",
                                       "\"\\ud800\"", "01", "1 2", "\"\xff\"", "{\"a\" 1}", "1e-400", "-2e-324"};
  for (size_t index = 0; index < COUNT(broken); index++) {
    livery_value *value = NULL;
    if (!EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_value_from_json(broken[index], strlen(broken[index]), &value)))
      fprintf(stderr, "    for %s\n", broken[index]);
    EXPECT(value == NULL);
    EXPECT(livery_last_error()->line >= 1);
  }
  livery_value *value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_value_from_json("123\0", 4, &value));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_value_from_json("1\0" "2", 3, &value));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_value_from_json("\"a\0b\"", 5, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_from_json("null", 4, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_from_json("[1, null]", 9, &value));
}

TEST("what is no value of its type is INVALID_VALUE", invalid_values) {
  livery_value *value = NULL, *item = json("1");
  const char *twice[] = {"a", "a"}, *broken[] = {"\xff", "b"};
  livery_value *members[] = {item, item};
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_double(NAN, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_double(-INFINITY, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_string("\xc3", 1, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_url("no scheme", LIVERY_ZERO_TERMINATED, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_date(INT64_MAX, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_date(INT64_MIN, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_color((livery_color){1.5f, 0, 0, 1}, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_color((livery_color){0, 0, 0, NAN}, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_image("", 0, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_image("a\nb", 3, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_object(twice, members, 2, &value));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_value_make_object(broken, members, 2, &value));
  EXPECT(value == NULL);
  OK(livery_value_release(item));
}

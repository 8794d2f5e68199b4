// Branding: colors, images, brands and their sources, as a program in C sees them.
#include "brand.h"
#include "damage.h"

static const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;
static const livery_status value_invalid = LIVERY_ERROR_INVALID_VALUE;
static const livery_layer bundle = LIVERY_LAYER_BUNDLE, console = LIVERY_LAYER_RECOMMENDED;

static livery_color parsed(const char *text) {
  livery_color color = {-1, -1, -1, -1};
  OK(livery_color_parse(text, LIVERY_ZERO_TERMINATED, &color));
  return color;
}

static const char *formatted(livery_color color, livery_color_style style) {
  static char text[64];
  OK(livery_color_format(color, style, text, sizeof text, NULL));
  return text;
}

#define EXPECT_COLOR(expected, store, role)                                                                            \
  do {                                                                                                                 \
    livery_color check_color = {0, 0, 0, 0};                                                                           \
    OK(livery_branding_color(store, role, &check_color));                                                              \
    EXPECT_TEXT(expected, formatted(check_color, LIVERY_COLOR_HEX));                                                   \
  } while (0)

#define EXPECT_NO_COLOR(store, role)                                                                                   \
  do {                                                                                                                 \
    livery_color check_color;                                                                                          \
    EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_branding_color(store, role, &check_color));                            \
  } while (0)

TEST("a color is read and written as CSS does", colors) {
  livery_color color = {0.25f, 0, 0, 0};
  char text[16];
  size_t length = 0;
  EXPECT_TEXT("#0C2640", formatted(parsed(" rgb(12 38 64 / 100%) "), LIVERY_COLOR_HEX));
  EXPECT_TEXT("#00008080", formatted(parsed("rgba(0, 0, 128, .5)"), LIVERY_COLOR_HEX));
  EXPECT_TEXT("#663399FF", formatted(parsed("RebeccaPurple"), LIVERY_COLOR_HEX_ALPHA));
  EXPECT_TEXT("rgb(12, 38, 64)", formatted(parsed("#0c2640"), LIVERY_COLOR_RGB));
  EXPECT_TEXT("hsl(210, 68.42%, 14.9%)", formatted(parsed("#0c2640"), LIVERY_COLOR_HSL));
  EXPECT_TEXT("navy", formatted(parsed("#000080"), LIVERY_COLOR_NAME));
  // Of every space, and cut to sRGB.
  EXPECT_TEXT("#777777", formatted(parsed("lab(50% 0 0)"), LIVERY_COLOR_HEX));
  EXPECT_TEXT("#00FF00", formatted(parsed("color(display-p3 0 1 0)"), LIVERY_COLOR_HEX));
  EXPECT_TEXT("#7B8C00", formatted(parsed("oklab(60% -25% 50%)"), LIVERY_COLOR_HEX));
  EXPECT_TEXT("#33FFFF", formatted(parsed("hwb(0.5turn 20% 0%)"), LIVERY_COLOR_HEX));
  OK(livery_color_parse("#fffx", 4, &color));
  EXPECT(color.red == 1 && color.alpha == 1);
  color.red = 0.25f;
  static const char *const bad[] = {"", "reddish", "#12345", "rgb(1 2)", "\xff"};
  for (size_t index = 0; index < COUNT(bad); index++)
    EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_color_parse(bad[index], LIVERY_ZERO_TERMINATED, &color));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_color_parse("red", 1025, &color));
  EXPECT_STATUS(invalid, livery_color_parse(NULL, 0, &color));
  EXPECT_STATUS(invalid, livery_color_parse("red", 3, NULL));
  EXPECT(color.red == 0.25f);
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_color_format(color, LIVERY_COLOR_HEX_ALPHA, text, 9, &length));
  EXPECT_INT(9, length);
  EXPECT_STATUS(LIVERY_ERROR_BUFFER_TOO_SMALL, livery_color_format(color, LIVERY_COLOR_HEX, NULL, 0, &length));
  EXPECT_STATUS(invalid, livery_color_format(color, LIVERY_COLOR_HEX, NULL, 9, NULL));
  EXPECT_STATUS(invalid, livery_color_format(color, 5, text, sizeof text, NULL));
  color.green = NAN;
  EXPECT_STATUS(value_invalid, livery_color_format(color, LIVERY_COLOR_HEX, text, sizeof text, NULL));
}

TEST("contrast is that of WCAG, and what would pass is told", contrast) {
  double ratio = 0;
  livery_color color = {0.25f, 0, 0, 1}, bad = {0, 2, 0, 1};
  OK(livery_color_contrast(parsed("black"), parsed("white"), &ratio));
  EXPECT(fabs(ratio - 21) < 0.001);
  OK(livery_color_contrast(parsed("#777"), parsed("#fff"), &ratio));
  EXPECT(fabs(ratio - 4.48) < 0.01);
  EXPECT_STATUS(value_invalid, livery_color_contrast(bad, parsed("white"), &ratio));
  EXPECT_STATUS(invalid, livery_color_contrast(parsed("black"), parsed("white"), NULL));
  OK(livery_color_legible_on(parsed("yellow"), &color));
  EXPECT_TEXT("black", formatted(color, LIVERY_COLOR_NAME));
  EXPECT_STATUS(value_invalid, livery_color_legible_on(bad, &color));
  EXPECT_STATUS(invalid, livery_color_legible_on(parsed("white"), NULL));
  OK(livery_color_nearest_passing(parsed("#777"), parsed("white"), 4.5, &color));
  EXPECT_TEXT("#767676", formatted(color, LIVERY_COLOR_HEX));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_color_nearest_passing(parsed("#777"), parsed("#888"), 7, &color));
  EXPECT_STATUS(value_invalid, livery_color_nearest_passing(bad, parsed("#888"), 3, &color));
  EXPECT_STATUS(invalid, livery_color_nearest_passing(color, color, 0.5, &color));
  EXPECT_STATUS(invalid, livery_color_nearest_passing(color, color, NAN, &color));
  EXPECT_STATUS(invalid, livery_color_nearest_passing(color, color, 3, NULL));
}

TEST("an image fits its place whole and in the middle", fit) {
  livery_rect rect = {0, 0, 0, 0};
  OK(livery_aspect_fit(100, 50, 200, 200, &rect));
  EXPECT(rect.x == 0 && rect.y == 50 && rect.width == 200 && rect.height == 100);
  EXPECT_STATUS(invalid, livery_aspect_fit(0, 50, 200, 200, &rect));
  EXPECT_STATUS(invalid, livery_aspect_fit(1, 50, 200, INFINITY, &rect));
  EXPECT_STATUS(invalid, livery_aspect_fit(1, 1, 1, 1, NULL));
}

TEST("variants are chosen by the device, without a store", match) {
  livery_value *variants = json("[{\"image\": \"a\", \"idiom\": \"phone\"}, {\"image\": \"b\", \"scale\": 2}]"), *match = NULL;
  livery_value *bad = json("[{\"scale\": 2}]");
  livery_traits traits = LIVERY_TRAITS_INIT;
  traits.idiom = LIVERY_IDIOM_TABLET;
  OK(livery_branding_match(variants, &traits, &match));
  EXPECT_JSON("{\"index\":1,\"steps\":[{\"stage\":\"contradiction\",\"qualifier\":\"idiom\",\"dropped\":[0]}]}", match);
  OK(livery_branding_match(variants, NULL, &match));
  OK(livery_value_release(match));
  EXPECT_STATUS(value_invalid, livery_branding_match(bad, NULL, &match));
  EXPECT_CONTAINS("variant 0", livery_last_error()->message);
  static const struct { size_t offset; int32_t value; } wrong[] = {
      {offsetof(livery_traits, idiom), 6}, {offsetof(livery_traits, appearance), -1},
      {offsetof(livery_traits, orientation), 3}, {offsetof(livery_traits, contrast), INT32_MIN}};
  for (size_t index = 0; index < COUNT(wrong); index++) {
    livery_traits given = LIVERY_TRAITS_INIT;
    memcpy((char *)&given + wrong[index].offset, &wrong[index].value, 4);
    EXPECT_STATUS(invalid, livery_branding_match(variants, &given, &match));
  }
  traits.scale = NAN;
  EXPECT_STATUS(invalid, livery_branding_match(variants, &traits, &match));
  traits.scale = 1;
  traits.locale = "a\nb";
  EXPECT_STATUS(invalid, livery_branding_match(variants, &traits, &match));
  EXPECT_STATUS(invalid, livery_branding_match(variants, NULL, NULL));
  OK(livery_value_release(variants));
  OK(livery_value_release(bad));
}

TEST("console is over bundle over default, and the switches act at once", sources) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *payload = json("{\"colors\": {\"Toolbar\": \"#445566\"}, \"urls\": {\"help\": \"https://a.example\"}}"), *item = NULL;
  bool enabled = false;
  EXPECT_COLOR("#336699", store, "Toolbar");
  apply_skin(store, NULL, SKIN(101));
  EXPECT_COLOR("#650203", store, "Toolbar");
  OK(livery_branding_apply_console(store, payload, "mdm", &item));
  EXPECT_TEXT("", member_text(item, "dialect"));
  OK(livery_value_release(item));
  EXPECT_COLOR("#445566", store, "Toolbar");
  OK(livery_inspect(store, "branding.color.Toolbar", &item));
  livery_value *effective = NULL;
  OK(livery_value_member(item, "effective", &effective));
  EXPECT_TEXT("recommended", member_text(effective, "layer"));
  OK(livery_value_release(effective));
  OK(livery_value_release(item));
  OK(livery_branding_set_enabled(store, console, false));
  EXPECT_COLOR("#650203", store, "Toolbar");
  OK(livery_branding_enabled(store, console, &enabled));
  EXPECT(!enabled);
  OK(livery_branding_set_enabled(store, bundle, false));
  EXPECT_COLOR("#336699", store, "Toolbar");
  OK(livery_branding_set_enabled(store, console, true));
  OK(livery_branding_set_enabled(store, bundle, true));
  OK(livery_branding_enabled(store, console, &enabled));
  EXPECT(enabled);
  EXPECT_COLOR("#445566", store, "Toolbar");
  OK(livery_branding_wipe(store));
  EXPECT_COLOR("#650203", store, "Toolbar");
  OK(livery_branding_set_color(store, LIVERY_LAYER_USER, "Toolbar", parsed("red")));
  EXPECT_COLOR("#FF0000", store, "Toolbar");
  EXPECT_STATUS(invalid, livery_branding_enabled(store, LIVERY_LAYER_USER, &enabled));
  EXPECT_STATUS(invalid, livery_branding_enabled(store, console, NULL));
  EXPECT_STATUS(invalid, livery_branding_set_enabled(store, LIVERY_LAYER_DEFAULTS, true));
  EXPECT_STATUS(invalid, livery_branding_set_enabled(store, 7, true));
  OK(livery_value_release(payload));
  OK(livery_close(store));
}

TEST("several brands, one of them active, are switched as one commit", brands) {
  const char *path = fresh_path();
  livery_store *store = branded_store(path), *reader = open_store_with(path, LIVERY_OPEN_READ_ONLY, 0);
  livery_value *value = NULL, *colors = NULL;
  uint64_t before = 0, after = 0;
  OK(livery_branding_wipe(store));
  EXPECT_COLOR("#660203", store, "Toolbar");
  OK(livery_revision(store, &before));
  OK(livery_branding_use(store, "one"));
  OK(livery_revision(store, &after));
  EXPECT_INT(before + 1, after);
  EXPECT_COLOR("#650203", store, "Toolbar");
  OK(livery_branding_list(reader, &value));
  EXPECT_JSON("[{\"id\":\"one\",\"active\":true,\"enabled\":true},{\"id\":\"two\",\"active\":false,\"enabled\":true}]", value);
  OK(livery_branding_get(store, "two", &value));
  EXPECT_TEXT("two", member_text(value, "id"));
  OK(livery_value_member(value, "colors", &colors));
  EXPECT_JSON("{\"Toolbar\":\"#660203FF\"}", colors);
  OK(livery_value_release(value));
  OK(livery_branding_get(store, NULL, &value));
  EXPECT_TEXT("", member_text(value, "id"));
  OK(livery_value_release(value));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_branding_use(store, "twoo"));
  EXPECT_CONTAINS("`two`", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_branding_remove(store, "three"));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_branding_get(store, "three", &value));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_branding_check(store, "three", NULL, &value));
  EVERY_BRAND_WRITE((void)0, LIVERY_ERROR_READ_ONLY, reader);
  OK(livery_branding_remove(store, "one"));
  EXPECT_COLOR("#336699", store, "Toolbar");
  char longest[256];
  memset(longest, 'b', sizeof longest);
  longest[201] = 0;
  static const char *const malformed[] = {NULL, "", "a\nb", "\xff"};
  for (size_t index = 0; index < COUNT(malformed); index++) {
    EXPECT_STATUS(invalid, livery_branding_use(store, malformed[index]));
    EXPECT_STATUS(invalid, livery_branding_remove(store, malformed[index]));
    if (malformed[index]) EXPECT_STATUS(invalid, livery_branding_get(store, malformed[index], &value));
    if (malformed[index]) EXPECT_STATUS(invalid, livery_branding_check(store, malformed[index], NULL, &value));
  }
  EXPECT_STATUS(invalid, livery_branding_use(store, longest));
  EXPECT_STATUS(invalid, livery_branding_list(store, NULL));
  EXPECT_STATUS(invalid, livery_branding_get(store, NULL, NULL));
  EXPECT_STATUS(invalid, livery_branding_check(store, NULL, NULL, NULL));
  OK(livery_close(reader));
  OK(livery_close(store));
}

TEST("an image is matched to the device, and the choice is explained", images) {
  livery_store *store = branded_store(fresh_path());
  livery_traits traits = LIVERY_TRAITS_INIT;
  livery_value *value = NULL, *images = json("[{\"image\": \"p\", \"idiom\": \"phone\"}]"), *bad = json("[{\"scale\": 1}]");
  OK(livery_branding_set_image(store, bundle, "logo", images));
  traits.idiom = LIVERY_IDIOM_PHONE;
  OK(livery_branding_image(store, "logo", &traits, &value));
  EXPECT_TEXT("p", member_text(value, "image"));
  OK(livery_value_release(value));
  traits.idiom = LIVERY_IDIOM_TV;
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_branding_image(store, "logo", &traits, &value));
  OK(livery_branding_explain(store, "logo", &traits, &value));
  EXPECT_TEXT("bundle", member_text(value, "layer"));
  EXPECT_CONTAINS("No variant", member_text(value, "reason"));
  OK(livery_value_release(value));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_branding_image(store, "none", NULL, &value));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_branding_explain(store, "none", NULL, &value));
  EXPECT_STATUS(invalid, livery_branding_image(store, NULL, NULL, &value));
  EXPECT_STATUS(invalid, livery_branding_image(store, "", NULL, &value));
  EXPECT_STATUS(invalid, livery_branding_image(store, "logo", NULL, NULL));
  EXPECT_STATUS(invalid, livery_branding_explain(store, "logo", NULL, NULL));
  EXPECT_STATUS(invalid, livery_branding_set_image(store, bundle, "logo", NULL));
  EXPECT_STATUS(invalid, livery_branding_set_image(store, 9, "logo", images));
  EXPECT_STATUS(value_invalid, livery_branding_set_image(store, bundle, "logo", bad));
  OK(livery_branding_set_image(store, LIVERY_LAYER_ENFORCED, "logo", images));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_branding_set_image(store, bundle, "logo", images));
  OK(livery_value_release(images));
  OK(livery_value_release(bad));
  OK(livery_close(store));
}

TEST("a property list is read whole with a report, or refused with one", documents) {
  NEEDS_FILES;
  livery_store *store = open_store(fresh_path());
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  livery_value *report = NULL, *problems = NULL;
  uint64_t revision = 77;
  char path[400];
  size_t length = 0;
  const char *missing = PLIST("<key>Toolbar</key><dict><key>red</key><real>0.5</real></dict>");
  static const char *const dialects[][2] = {
      {"branding/skin.plist", "skin"}, {"branding/skin.binary.plist", "skin"},
      {"branding/AWSDKDefaultSettings.plist", "AWSDKDefaultSettings"},
      {"variants/Wire-Info.plist", "CharacterVariantsConfiguration"}};
  EXPECT_STATUS(value_invalid, livery_branding_apply_plist(store, missing, strlen(missing), NULL, &report));
  OK(livery_value_member(report, "problems", &problems));
  EXPECT_JSON("[{\"path\":\"/Toolbar\",\"code\":\"missing-component\",\"message\":\"the color has no green\"},"
              "{\"path\":\"/Toolbar\",\"code\":\"missing-component\",\"message\":\"the color has no blue\"}]",
              problems);
  OK(livery_value_release(report));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_branding_apply_plist(store, TEXT("no plist"), NULL, NULL));
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_branding_apply_plist(store, TEXT(PLIST("")), NULL, NULL));
  options.bundle = "/nowhere/at/all";
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_branding_apply_plist(store, TEXT(SKIN(1)), &options, NULL));
  options.bundle = NULL;
  options.flags = 2;
  EXPECT_STATUS(invalid, livery_branding_apply_plist(store, TEXT(SKIN(1)), &options, NULL));
  options.flags = 0;
  options.brand = "";
  EXPECT_STATUS(invalid, livery_branding_apply_plist(store, TEXT(SKIN(1)), &options, NULL));
  options.brand = NULL;
  options.origin = "a\nb";
  EXPECT_STATUS(invalid, livery_branding_apply_plist(store, TEXT(SKIN(1)), &options, NULL));
  EXPECT_STATUS(invalid, livery_branding_apply_plist(store, NULL, 0, NULL, NULL));
  OK(livery_revision(store, &revision));
  EXPECT_INT(0, revision);
  for (size_t index = 0; index < COUNT(dialects); index++) {
    snprintf(path, sizeof path, "%s/%s", FIXTURES, dialects[index][0]);
    char *bytes = read_file(path, &length);
    OK(livery_branding_apply_plist(store, bytes, length, NULL, &report));
    EXPECT_TEXT(dialects[index][1], member_text(report, "dialect"));
    OK(livery_value_release(report));
    free(bytes);
  }
  livery_value *payload = json("{\"colors\": {\"Toolbar\": 5}}");
  EXPECT_STATUS(value_invalid, livery_branding_apply_console(store, payload, NULL, &report));
  OK(livery_value_release(report));
  EXPECT_STATUS(invalid, livery_branding_apply_console(store, NULL, NULL, NULL));
  EXPECT_STATUS(invalid, livery_branding_apply_console(store, payload, "a\nb", NULL));
  OK(livery_value_release(payload));
  EXPECT_STATUS(LIVERY_ERROR_CLOSED, livery_branding_apply_console(store, payload, NULL, NULL));
  OK(livery_close(store));
}

TEST("a file that is no image is told and left out, and the switch stands where it may", lenient) {
  livery_store *store = open_store(fresh_path());
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  livery_value *report = NULL, *problems = NULL;
  char *text = NULL;
  size_t count = 0;
  static const char list[] = PLIST("<key>EnableBranding</key><true/><key>Branding</key><dict><key>AppLogo_1x</key>"
                                   "<string>facts.txt</string><key>AppLogo_2x</key><string>rgb</string><key>Colors</key>"
                                   "<dict><key>EnableBranding</key><false/></dict></dict>");
  options.bundle = FIXTURES "/images";
  OK(livery_branding_apply_plist(store, TEXT(list), &options, &report));
  OK(livery_value_member(report, "problems", &problems));
  OK(livery_value_count(problems, &count));
  EXPECT_INT(1, count);
  OK(livery_value_to_json(report, 0, &text, NULL));
  EXPECT_CONTAINS("bad-image", text);
  EXPECT_CONTAINS("`rgb` is `rgb.png`", text);
  EXPECT_CONTAINS("\"enabled\":false", text);
  livery_free(text);
  OK(livery_value_release(problems));
  OK(livery_value_release(report));
  OK(livery_close(store));
}

TEST("a schema may declare colors, and what does not fit it is TYPE_MISMATCH", declared) {
  const char *schema =
      "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": ["
      "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"branding.color.Toolbar\", \"Value\": \"none\"},"
      "{\"Type\": \"TextField\", \"Title\": \"L\", \"Key\": \"branding.image.logo\", \"Value\": \"none\"}]}]}";
  livery_store *store = new_store(fresh_path(), schema);
  livery_value *payload = json("{\"colors\": {\"Toolbar\": \"#fff\"}}"), *images = json("[]"), *value = NULL;
  livery_color color = {0.25f, 0, 0, 1};
  const livery_status mismatch = LIVERY_ERROR_TYPE_MISMATCH;
  EXPECT_STATUS(mismatch, livery_branding_color(store, "Toolbar", &color));
  EXPECT_STATUS(mismatch, livery_branding_set_color(store, bundle, "Toolbar", color));
  EXPECT_STATUS(mismatch, livery_branding_set_image(store, bundle, "logo", images));
  EXPECT_STATUS(mismatch, livery_branding_apply_plist(store, TEXT(SKIN(1)), NULL, NULL));
  EXPECT_STATUS(mismatch, livery_branding_apply_console(store, payload, NULL, NULL));
  EXPECT_NO_COLOR(store, "Tolbar");
  EXPECT_CONTAINS("`Toolbar`", livery_last_error()->message);
  // Text is one variant; a number is none.
  OK(livery_branding_image(store, "logo", NULL, &value));
  OK(livery_value_release(value));
  OK(livery_close(store));
  store = new_store(fresh_path(), "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"Number\","
                                  "\"Title\": \"L\", \"Key\": \"branding.image.logo\", \"Value\": 5}]}]}");
  EXPECT_STATUS(value_invalid, livery_branding_image(store, "logo", NULL, &value));
  EXPECT_STATUS(value_invalid, livery_branding_explain(store, "logo", NULL, &value));
  OK(livery_value_release(payload));
  OK(livery_value_release(images));
  OK(livery_close(store));
}

// Puts the active brand `two`, which has a name, away, and declares something of it.
static livery_store *declared_later(bool is_off, const char *declaration) {
  livery_store *store = branded_store(fresh_path());
  char schema[400];
  OK(livery_set_string(store, bundle, "branding.name", TEXT("Long")));
  if (is_off) OK(livery_branding_set_enabled(store, bundle, false));
  if (!is_off) OK(livery_branding_use(store, "one"));
  snprintf(schema, sizeof schema, "{\"Version\": 9, \"Groups\": [{\"Title\": \"G\", \"Settings\": [%s]}]}", declaration);
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
  return store;
}

TEST("a brand that was put away comes back as the schema has it by now, or not at all", declared_meanwhile) {
  const char *color = "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"branding.color.Toolbar\"}";
  const char *name = "{\"Type\": \"TextField\", \"Title\": \"N\", \"Key\": \"branding.name\", \"MaxLength\": 2}";
  livery_store *store = declared_later(true, color);
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_branding_set_enabled(store, bundle, true));
  OK(livery_close(store));
  store = declared_later(true, name);
  EXPECT_STATUS(value_invalid, livery_branding_set_enabled(store, bundle, true));
  OK(livery_close(store));
  store = declared_later(false, color);
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_branding_use(store, "two"));
  OK(livery_close(store));
  store = declared_later(false, name);
  EXPECT_STATUS(value_invalid, livery_branding_use(store, "two"));
  OK(livery_close(store));
}

TEST("setting with arguments that are none", arguments) {
  livery_store *store = open_store(fresh_path());
  livery_color color = {0, 0, 0, 1}, bad = {NAN, 0, 0, 1};
  char longest[LIVERY_NAME_MAX + 1];
  memset(longest, 'c', sizeof longest);
  longest[LIVERY_NAME_MAX] = 0;
  const char *const malformed[] = {NULL, "", "a\nb", "\xff", longest};
  for (size_t index = 0; index < COUNT(malformed); index++) {
    EXPECT_STATUS(invalid, livery_branding_color(store, malformed[index], &color));
    EXPECT_STATUS(invalid, livery_branding_set_color(store, bundle, malformed[index], color));
  }
  EXPECT_STATUS(invalid, livery_branding_color(store, "Toolbar", NULL));
  EXPECT_STATUS(invalid, livery_branding_set_color(store, -1, "Toolbar", color));
  EXPECT_STATUS(value_invalid, livery_branding_set_color(store, bundle, "Toolbar", bad));
  EXPECT_STATUS(LIVERY_ERROR_READ_ONLY, livery_branding_set_color(store, LIVERY_LAYER_DEFAULTS, "Toolbar", color));
  OK(livery_branding_set_color(store, LIVERY_LAYER_ENFORCED, "Toolbar", color));
  EXPECT_STATUS(LIVERY_ERROR_LOCKED, livery_branding_set_color(store, bundle, "Toolbar", color));
  OK(livery_close(store));
}

TEST("a check finds illegible pairs, and images smaller than the device", check) {
  livery_store *store = branded_store(fresh_path());
  livery_value *report = NULL, *number = NULL;
  livery_traits traits = LIVERY_TRAITS_INIT;
  int64_t errors = -1;
  OK(livery_branding_set_color(store, bundle, "PrimaryHighlight", parsed("#eee")));
  OK(livery_branding_check(store, NULL, NULL, &report));
  OK(livery_value_member(report, "errors", &number));
  OK(livery_value_as_int(number, &errors));
  EXPECT_INT(1, errors);
  OK(livery_value_release(number));
  OK(livery_value_release(report));
  traits.width = -1;
  EXPECT_STATUS(invalid, livery_branding_check(store, NULL, &traits, &report));
  OK(livery_close(store));
}

TEST("damage is CORRUPT, and nothing else", damaged) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = branded_store(path);
  const livery_status corrupt = LIVERY_ERROR_CORRUPT;
  livery_value *value = NULL, *payload = json("{}"), *images = json("{\"image\": \"x\"}");
  livery_color color = {0, 0, 0, 1};
  bool enabled = false;
  OK(livery_branding_set_image(store, bundle, "logo", images));
  damage_setting(path, "branding.image.logo");
  EXPECT_STATUS(corrupt, livery_branding_image(store, "logo", NULL, &value));
  EXPECT_STATUS(corrupt, livery_branding_explain(store, "logo", NULL, &value));
  EXPECT_STATUS(corrupt, livery_branding_check(store, NULL, NULL, &value));
  EXPECT_STATUS(corrupt, livery_branding_get(store, NULL, &value));
  damage_setting(path, "branding.color.Toolbar");
  EXPECT_STATUS(corrupt, livery_branding_color(store, "Toolbar", &color));
  EXPECT_STATUS(corrupt, livery_branding_wipe(store));
  damage_setting(path, "brands.console.enabled");
  EXPECT_STATUS(corrupt, livery_branding_enabled(store, console, &enabled));
  EXPECT_STATUS(corrupt, livery_branding_apply_console(store, payload, NULL, NULL));
  damage_setting(path, "brands.active");
  EXPECT_STATUS(corrupt, livery_branding_set_color(store, bundle, "Toolbar", color));
  EXPECT_STATUS(corrupt, livery_branding_set_image(store, bundle, "logo", images));
  EXPECT_STATUS(corrupt, livery_branding_apply_plist(store, TEXT(SKIN(1)), NULL, NULL));
  EXPECT_STATUS(corrupt, livery_branding_set_enabled(store, bundle, false));
  EXPECT_STATUS(corrupt, livery_branding_use(store, "one"));
  EXPECT_STATUS(corrupt, livery_branding_remove(store, "one"));
  EXPECT_STATUS(corrupt, livery_branding_list(store, &value));
  OK(livery_value_release(payload));
  OK(livery_value_release(images));
  OK(livery_close(store));
}

static char folder[320];

static void apply_as_somebody_else(void) {
  if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return;
  livery_store *store = open_store(fresh_path());
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  options.bundle = folder;
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_branding_apply_plist(store, TEXT(SKIN(1)), &options, NULL));
  OK(livery_close(store));
}

TEST("an image that may not be read is PERMISSION", permission) {
  NEEDS_FILES;
  char file[400];
  snprintf(folder, sizeof folder, "%s", fresh_path());
  snprintf(file, sizeof file, "%s/bg.png", folder);
  if (mkdir(folder, 0755) != 0) return;
  write_file(file, "x", 1);
  EXPECT(chmod(file, 0) == 0);
  IN_CHILD(apply_as_somebody_else);
}

// Which brand counts and what waits, what is told of a brand's document, and where brands are found.
#include "brand.h"
#include "damage.h"

#include <sys/stat.h>
#include <unistd.h>

static const livery_status invalid = LIVERY_ERROR_INVALID_ARGUMENT;
static const livery_layer bundle = LIVERY_LAYER_BUNDLE, console = LIVERY_LAYER_RECOMMENDED;

#define EXPECT_COLOR(expected, store, role)                                                                            \
  do {                                                                                                                 \
    livery_color check_color = {0, 0, 0, 0};                                                                           \
    char check_text[64] = "";                                                                                          \
    OK(livery_branding_color(store, role, &check_color));                                                              \
    OK(livery_color_format(check_color, LIVERY_COLOR_HEX, check_text, sizeof check_text, NULL));                       \
    EXPECT_TEXT(expected, check_text);                                                                                 \
  } while (0)

#define EXPECT_NO_COLOR(store, role)                                                                                   \
  do {                                                                                                                 \
    livery_color check_color;                                                                                          \
    EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_branding_color(store, role, &check_color));                            \
  } while (0)

static void apply_console(livery_store *store, const char *text) {
  livery_value *payload = json(text);
  OK(livery_branding_apply_console(store, payload, NULL, NULL));
  OK(livery_value_release(payload));
}

static void apply_file(livery_store *store, const char *name) {
  char path[400];
  size_t length = 0;
  snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
  char *bytes = read_file(path, &length);
  OK(livery_branding_apply_plist(store, bytes, length, NULL, NULL));
  free(bytes);
}

// Whether the JSON of a value, which is released, contains a text.
static void expect_in_json(livery_value *value, const char *text) {
  char *shown = NULL;
  OK(livery_value_to_json(value, 0, &shown, NULL));
  EXPECT_CONTAINS(text, shown);
  livery_free(shown);
  OK(livery_value_release(value));
}

// Whether the JSON of a value, which is released, lacks a text.
static void expect_not_in_json(livery_value *value, const char *text) {
  char *shown = NULL;
  OK(livery_value_to_json(value, 0, &shown, NULL));
  EXPECT(!strstr(shown, text));
  livery_free(shown);
  OK(livery_value_release(value));
}

TEST("a brand is looked at before it is committed, with the images that come with it", preview) {
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  livery_change *change = NULL;
  livery_value *brand = NULL, *report = NULL, *logo = NULL;
  livery_traits traits = LIVERY_TRAITS_INIT;
  uint64_t before = 0, after = 0;
  char id[LIVERY_ASSET_ID_SIZE];
  size_t length = 0;
  OK(livery_branding_set_color(store, bundle, "Toolbar", (livery_color){1, 1, 1, 1}));
  OK(livery_branding_set_color(store, bundle, "Accent", (livery_color){1, 0, 0, 1}));
  OK(livery_revision(store, &before));
  OK(livery_change_begin(store, LIVERY_LAYER_USER, &change));
  OK(livery_change_set_color(change, "branding.color.ToolbarText", (livery_color){0.9f, 0.9f, 0.9f, 1}));
  OK(livery_branding_preview(change, NULL, &brand, &report));
  expect_in_json(brand, "\"ToolbarText\":\"#E6E6E6FF\"");
  expect_in_json(report, "\"code\":\"low-contrast\"");
  OK(livery_change_set_string(change, "branding.color.ToolbarText", TEXT("#000080")));
  char *bytes = read_file(FIXTURES "/images/rgb.png", &length);
  OK(livery_change_put_asset(change, bytes, length, 0, id));
  free(bytes);
  OK(livery_value_make_image(id, LIVERY_ZERO_TERMINATED, &logo));
  OK(livery_change_set_value(change, "branding.image.logo", logo));
  OK(livery_value_release(logo));
  OK(livery_change_layer(change, bundle));
  OK(livery_change_reset(change, "branding.color.Accent"));
  OK(livery_branding_preview(change, NULL, &brand, &report));
  OK(livery_value_retain(brand));
  expect_in_json(brand, "\"ToolbarText\":\"#000080FF\"");
  expect_not_in_json(brand, "Accent");
  OK(livery_value_retain(report));
  expect_not_in_json(report, "low-contrast");
  expect_not_in_json(report, "missing-asset");
  OK(livery_revision(store, &after));
  EXPECT_INT(before, after);
  OK(livery_change_set_string(change, "branding.color.Accent", TEXT("no color")));
  brand = report = NULL;
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_branding_preview(change, NULL, &brand, &report));
  OK(livery_change_reset(change, "branding.color.Accent"));
  livery_value *odd = json("{\"image\": 1}");
  OK(livery_change_set_value(change, "branding.image.splash", odd));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_branding_preview(change, NULL, &brand, &report));
  OK(livery_value_release(odd));
  OK(livery_change_reset(change, "branding.image.splash"));
  traits.scale = -1;
  EXPECT_STATUS(invalid, livery_branding_preview(change, &traits, &brand, &report));
  EXPECT_STATUS(invalid, livery_branding_preview(change, NULL, NULL, &report));
  EXPECT_STATUS(invalid, livery_branding_preview(change, NULL, &brand, NULL));
  EXPECT_STATUS(invalid, livery_branding_preview(NULL, NULL, &brand, &report));
  EXPECT(!brand && !report);
  damage_setting(path, "branding.color.Toolbar");
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_branding_preview(change, NULL, &brand, &report));
  OK(livery_change_discard(change));
  OK(livery_close(store));
}

TEST("the roles have names, and one that reads like a role is told", roles) {
  livery_store *store = open_store(fresh_path());
  livery_color color = {0, 0, 0, 1};
  livery_value *report = NULL;
  static const char *const names[] = {LIVERY_COLOR_TOOLBAR, LIVERY_COLOR_TOOLBAR_TEXT, LIVERY_COLOR_PRIMARY_HIGHLIGHT,
                                      LIVERY_COLOR_PRIMARY_TEXT, LIVERY_COLOR_SECONDARY_HIGHLIGHT,
                                      LIVERY_COLOR_SECONDARY_TEXT};
  apply_file(store, "branding/skin.plist");
  for (size_t index = 0; index < COUNT(names); index++) OK(livery_branding_color(store, names[index], &color));
  EXPECT_NO_COLOR(store, "PrimaryColor");
  EXPECT_CONTAINS("did you mean `PrimaryHighlight`", livery_last_error()->message);
  OK(livery_branding_set_color(store, bundle, "PrimaryColor", color));
  OK(livery_branding_check(store, NULL, NULL, &report));
  expect_in_json(report, "\"code\":\"misspelled-role\"");
  livery_value *payload = json("{\"colors\": {\"SecondaryColor\": \"#123456\"}, \"CompanyLogo\": \"https://a.example/l\", \"x\": 1}");
  OK(livery_branding_apply_console(store, payload, NULL, &report));
  OK(livery_value_retain(report));
  expect_in_json(report, "did you mean `SecondaryHighlight`");
  expect_in_json(report, "\"ignored\":[{\"path\":\"/x\"");
  OK(livery_branding_image(store, "logo", NULL, &report));
  expect_in_json(report, "https://a.example/l");
  OK(livery_value_release(payload));
  OK(livery_close(store));
}

TEST("options are truth values", options) {
  livery_store *store = open_store(fresh_path());
  bool truth = true;
  OK(livery_set_string(store, bundle, "branding.option.UsePrimaryImage", TEXT("NO")));
  OK(livery_get_bool(store, "branding.option.UsePrimaryImage", &truth));
  EXPECT(!truth);
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_set_string(store, bundle, "branding.option.UsePrimaryImage", TEXT("maybe")));
  EXPECT_CONTAINS("true and false", livery_last_error()->message);
  OK(livery_close(store));
}

TEST("what waits is told by reads and explained", waiting) {
  livery_store *store = open_store(fresh_path());
  livery_value *value = NULL;
  livery_color color;
  apply_console(store, "{\"colors\": {\"Toolbar\": \"#222222\"}}");
  OK(livery_branding_set_enabled(store, console, false));
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_color(store, "branding.color.Toolbar", &color));
  EXPECT_CONTAINS("the console's branding is switched off", livery_last_error()->message);
  EXPECT_NO_COLOR(store, LIVERY_COLOR_TOOLBAR);
  EXPECT_CONTAINS("the console's branding is switched off", livery_last_error()->message);
  OK(livery_inspect(store, "branding.color.Toolbar", &value));
  expect_in_json(value, "\"waits\":[{\"source\":\"console\",\"layer\":\"recommended\",\"value\":\"#222222FF\"");
  OK(livery_close(store));
}

TEST("a payload may count as a whole, and may replace what people have set", whole) {
  livery_store *store = open_store(fresh_path());
  livery_color white = {1, 1, 1, 1};
  apply_file(store, "branding/skin.plist");
  OK(livery_branding_set_color(store, LIVERY_LAYER_USER, LIVERY_COLOR_TOOLBAR, white));
  apply_console(store, "{\"whole\": true, \"replace\": true, \"colors\": {\"Toolbar\": \"#333333\"}}");
  EXPECT_COLOR("#333333", store, LIVERY_COLOR_TOOLBAR);
  EXPECT_NO_COLOR(store, LIVERY_COLOR_PRIMARY_TEXT);
  EXPECT_CONTAINS("counts as a whole", livery_last_error()->message);
  uint64_t revision = 0;
  OK(livery_revision(store, &revision));
  OK(livery_undo(store, revision, 0, NULL));
  EXPECT_COLOR("#FFFFFF", store, LIVERY_COLOR_TOOLBAR);
  EXPECT_COLOR("#FFFFFF", store, LIVERY_COLOR_PRIMARY_TEXT);
  apply_console(store, "{\"whole\": true}");
  EXPECT_NO_COLOR(store, LIVERY_COLOR_PRIMARY_TEXT);
  OK(livery_branding_wipe(store));
  EXPECT_COLOR("#FFFFFF", store, LIVERY_COLOR_PRIMARY_TEXT);
  OK(livery_close(store));
}

TEST("a brand that waited comes back as the schema has it by now, or not at all", declared_meanwhile) {
  static const char *const declarations[] = {
      "{\"Type\": \"TextField\", \"Title\": \"T\", \"Key\": \"branding.color.Toolbar\"}",
      "{\"Type\": \"TextField\", \"Title\": \"N\", \"Key\": \"branding.name\", \"MaxLength\": 2}"};
  static const livery_status expected[] = {LIVERY_ERROR_TYPE_MISMATCH, LIVERY_ERROR_INVALID_VALUE};
  for (size_t index = 0; index < COUNT(declarations); index++) {
    livery_store *store = open_store(fresh_path());
    char schema[400];
    OK(livery_branding_apply_plist(store, TEXT(SKIN(1)), NULL, NULL));
    OK(livery_set_string(store, bundle, "branding.name", TEXT("Long")));
    apply_console(store, "{\"whole\": true}");
    snprintf(schema, sizeof schema, "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [%s]}]}", declarations[index]);
    OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
    EXPECT_STATUS(expected[index], livery_branding_wipe(store));
    OK(livery_close(store));
  }
}

TEST("what a document lacks is told by its own keys, and brands that are alike", parts) {
  livery_store *store = open_store(fresh_path());
  livery_value *report = NULL;
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  options.brand = "twin";
  const char *const named = PLIST("<key>CFBundleIdentifier</key><string>a.b</string><key>CharacterVariantsConfiguration</key>"
                                  "<dict><key>URL</key><dict><key>api</key><string>https://a.example</string></dict></dict>");
  OK(livery_branding_apply_plist(store, TEXT(SKIN(1)), NULL, NULL));
  OK(livery_branding_check(store, NULL, NULL, &report));
  expect_in_json(report, "skin.plist has no SecondaryiPad2X");
  OK(livery_branding_apply_plist(store, named, strlen(named), NULL, &report));
  OK(livery_value_release(report));
  OK(livery_branding_check(store, NULL, NULL, &report));
  expect_in_json(report, "the variant has no logoImage in URL");
  OK(livery_branding_apply_plist(store, named, strlen(named), &options, &report));
  OK(livery_value_retain(report));
  expect_in_json(report, "same-identifier");
  expect_in_json(report, "same-url");
  OK(livery_branding_list(store, &report));
  expect_in_json(report, "\"twins\":[{\"brand\":\"twin\",\"part\":\"identifier\"}");
  OK(livery_branding_check(store, NULL, NULL, &report));
  expect_in_json(report, "same-identifier");
  OK(livery_branding_apply_plist(store, TEXT(SKIN(1)), &options, &report));
  expect_in_json(report, "\"former\":{\"differing\":");
  OK(livery_close(store));
}

TEST("where nobody has set a role it is shown in a built-in color that can be read", built_in) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  livery_color color = {0.25f, 0, 0, 0}, white = {1, 1, 1, 1}, back = {0, 0, 0, 0};
  static const char *const pairs[][2] = {{LIVERY_COLOR_TOOLBAR_TEXT, LIVERY_COLOR_TOOLBAR},
                                         {LIVERY_COLOR_PRIMARY_TEXT, LIVERY_COLOR_PRIMARY_HIGHLIGHT},
                                         {LIVERY_COLOR_SECONDARY_TEXT, LIVERY_COLOR_SECONDARY_HIGHLIGHT}};
  bool built_in = false;
  for (int is_white = 0; is_white < 2; is_white++) {
    for (size_t index = 0; index < COUNT(pairs); index++) {
      double ratio = 0;
      if (is_white) OK(livery_branding_set_color(store, bundle, pairs[index][1], white));
      OK(livery_branding_shown_color(store, pairs[index][1], &back, &built_in));
      EXPECT(built_in == !is_white);
      OK(livery_branding_shown_color(store, pairs[index][0], &color, &built_in));
      EXPECT(built_in);
      OK(livery_color_contrast(color, back, &ratio));
      EXPECT(ratio > 4.5);
      EXPECT_NO_COLOR(store, pairs[index][0]);
    }
  }
  OK(livery_branding_shown_color(store, LIVERY_COLOR_TOOLBAR, &color, NULL));
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_branding_shown_color(store, "Accent", &color, &built_in));
  EXPECT_STATUS(invalid, livery_branding_shown_color(store, NULL, &color, &built_in));
  EXPECT_STATUS(invalid, livery_branding_shown_color(store, "", &color, &built_in));
  EXPECT_STATUS(invalid, livery_branding_shown_color(store, "Toolbar", NULL, &built_in));
  damage_setting(path, "branding.color.Toolbar");
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_branding_shown_color(store, "Toolbar", &color, &built_in));
  OK(livery_close(store));
  store = new_store(fresh_path(), "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"TextField\","
                                  "\"Title\": \"L\", \"Key\": \"branding.color.Toolbar\", \"Value\": \"none\"}]}]}");
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_branding_shown_color(store, "Toolbar", &color, &built_in));
  OK(livery_close(store));
}

TEST("a gradient is two colors of one moment", gradient) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  livery_color dark = {0.25f, 0, 0, 0}, light = {0.25f, 0, 0, 0};
  livery_value *value = NULL;
  apply_file(store, "variants/Wire-Info.plist");
  OK(livery_branding_gradient(store, "listBackground", &dark, &light));
  EXPECT(dark.red < light.red && dark.alpha == 1);
  OK(livery_branding_get(store, NULL, &value));
  expect_in_json(value, "\"listBackground\":{\"dark\":\"#0A0A0AFF\",\"light\":\"#3C3C3CFF\"}");
  dark.red = light.red = 0.25f;
  EXPECT_STATUS(LIVERY_ERROR_NO_VALUE, livery_branding_gradient(store, "none", &dark, &light));
  EXPECT_CONTAINS("branding.color.noneDark", livery_last_error()->message);
  EXPECT_STATUS(invalid, livery_branding_gradient(store, NULL, &dark, &light));
  EXPECT_STATUS(invalid, livery_branding_gradient(store, "", &dark, &light));
  EXPECT_STATUS(invalid, livery_branding_gradient(store, "a\nb", &dark, &light));
  EXPECT_STATUS(invalid, livery_branding_gradient(store, "listBackground", NULL, &light));
  EXPECT_STATUS(invalid, livery_branding_gradient(store, "listBackground", &dark, NULL));
  damage_setting(path, "branding.color.listBackgroundDark");
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_branding_gradient(store, "listBackground", &dark, &light));
  EXPECT(dark.red == 0.25f && light.red == 0.25f);
  OK(livery_close(store));
  store = new_store(fresh_path(), "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"TextField\","
                                  "\"Title\": \"L\", \"Key\": \"branding.color.barDark\", \"Value\": \"none\"},"
                                  "{\"Type\": \"Color\", \"Title\": \"R\", \"Key\": \"branding.color.barLight\", \"Value\": \"#fff\"}]}]}");
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_branding_gradient(store, "bar", &dark, &light));
  OK(livery_close(store));
}

static char folder[320];

static void in_folder(const char *name, const char *text) {
  char file[400];
  snprintf(file, sizeof file, "%s/%s", folder, name);
  write_file(file, text, strlen(text));
}

static void apply_as_somebody_else(void) {
  if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return;
  livery_store *store = open_store(fresh_path());
  EXPECT_STATUS(LIVERY_ERROR_PERMISSION, livery_branding_apply_directory(store, folder, NULL, NULL));
  OK(livery_close(store));
}

TEST("a directory is looked through for a brand", directory) {
  NEEDS_FILES;
  const char *path = fresh_path();
  livery_store *store = open_store(path);
  livery_branding_options options = LIVERY_BRANDING_OPTIONS_INIT;
  livery_value *report = NULL;
  snprintf(folder, sizeof folder, "%s", fresh_path());
  if (mkdir(folder, 0755) != 0) return;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_branding_apply_directory(store, folder, NULL, NULL));
  EXPECT_CONTAINS("AWSDKDefaultSettings.plist", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_branding_apply_directory(store, "/nowhere/at/all", NULL, NULL));
  in_folder("A-Info.plist", PLIST("<key>CharacterVariantsConfiguration</key><dict/>"));
  OK(livery_branding_apply_directory(store, folder, NULL, &report));
  EXPECT_TEXT("A-Info.plist", member_text(report, "file"));
  OK(livery_value_release(report));
  in_folder("B-Info.plist", PLIST("<key>CharacterVariantsConfiguration</key><dict/>"));
  EXPECT_STATUS(LIVERY_ERROR_INVALID_VALUE, livery_branding_apply_directory(store, folder, NULL, NULL));
  in_folder("skin.plist", SKIN(101));
  OK(livery_branding_apply_directory(store, folder, NULL, &report));
  EXPECT_TEXT("skin.plist", member_text(report, "file"));
  OK(livery_value_release(report));
  EXPECT_COLOR("#650203", store, LIVERY_COLOR_TOOLBAR);
  options.flags = 2;
  EXPECT_STATUS(invalid, livery_branding_apply_directory(store, folder, &options, NULL));
  options.flags = 0;
  options.brand = "";
  EXPECT_STATUS(invalid, livery_branding_apply_directory(store, folder, &options, NULL));
  EXPECT_STATUS(invalid, livery_branding_apply_directory(store, NULL, NULL, NULL));
  EXPECT_STATUS(invalid, livery_branding_apply_directory(store, "", NULL, NULL));
  damage_setting(path, "brands.active");
  EXPECT_STATUS(LIVERY_ERROR_CORRUPT, livery_branding_apply_directory(store, folder, NULL, NULL));
  OK(livery_close(store));
  store = new_store(fresh_path(), "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"TextField\","
                                  "\"Title\": \"L\", \"Key\": \"branding.color.Toolbar\", \"Value\": \"none\"}]}]}");
  EXPECT_STATUS(LIVERY_ERROR_TYPE_MISMATCH, livery_branding_apply_directory(store, folder, NULL, NULL));
  in_folder("skin.plist", "no list");
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_branding_apply_directory(store, folder, NULL, NULL));
  OK(livery_close(store));
  EXPECT(chmod(folder, 0) == 0);
  IN_CHILD(apply_as_somebody_else);
  EXPECT(chmod(folder, 0755) == 0);
}

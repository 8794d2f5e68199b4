// Forms, and searches.
#include "fixture.h"

#define SETTINGS                                                                                                       \
  "{\"Type\": \"Header\", \"Title\": \"What it shows\", \"Description\": \"At first\"},"                               \
  "{\"Type\": \"TextField\", \"Title\": \"Greeting\", \"Key\": \"greeting\", \"Value\": \"Hello\", \"MaxLength\": 40," \
  " \"Placeholder\": \"A word\", \"Aliases\": [\"welcome\"], \"Restart\": true, \"Required\": true},"                  \
  "{\"Type\": \"TextField\", \"Title\": \"PIN\", \"Key\": \"pin\", \"Value\": \"\", \"Class\": [\"Password\"]},"       \
  "{\"Type\": \"ToggleSwitch\", \"Title\": \"Screen saver\", \"Key\": \"saver\", \"Value\": false},"                   \
  "{\"Type\": \"Pane\", \"Title\": \"Idle\", \"Settings\": ["                                                          \
  "  {\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"After\", \"Key\": \"idle\", \"Value\": 120,"         \
  "   \"Minimum\": 10, \"Maximum\": 600, \"Step\": 10, \"Unit\": \"seconds\", \"Description\": \"Without touch\","     \
  "   \"EnabledBy\": {\"Key\": \"saver\", \"Equals\": true}},"                                                         \
  "  {\"Type\": \"TextField\", \"Title\": \"Trace\", \"Key\": \"trace\", \"Hidden\": true}]},"                         \
  "{\"Type\": \"ComboBox\", \"Title\": \"Language\", \"Key\": \"language\", \"Value\": \"en\", \"Class\": [\"Single\"]," \
  " \"Options\": [{\"Title\": \"English\", \"Value\": \"en\"}, {\"Title\": \"German\", \"Value\": \"de\"}]},"          \
  "{\"Type\": \"TextField\", \"Title\": \"Device\", \"Key\": \"device\", \"ReadOnly\": true},"                         \
  "{\"Type\": \"List\", \"Title\": \"Playlist\", \"Key\": \"playlist\", \"MaxItems\": 9, \"UniqueBy\": \"url\","       \
  " \"ItemTemplate\": [{\"Type\": \"Header\", \"Title\": \"One clip\"},"                                               \
  "  {\"Type\": \"TextField\", \"Title\": \"Address\", \"Key\": \"url\"},"                                             \
  "  {\"Type\": \"TextField\", \"Title\": \"Token\", \"Key\": \"token\", \"Class\": [\"Password\"]},"                  \
  "  {\"Type\": \"Number\", \"Format\": \"integer\", \"Title\": \"Length\", \"Key\": \"length\", \"Value\": 10}]}"

#define TEXTS                                                                                                          \
  "{\"de\": {\"Kiosk\": \"Stand\", \"Shown\": \"Angezeigt\", \"Greeting\": \"Gru\u00df\", \"A word\": \"Ein Wort\","   \
  " \"seconds\": \"Sekunden\", \"German\": \"Deutsch\", \"Idle\": \"Leerlauf\", \"Address\": \"Adresse\"},"            \
  " \"de-AT\": {\"Greeting\": \"Servus\"}}"

#define SCHEMA                                                                                                         \
  "{\"Version\": 2, \"Title\": \"Kiosk\", \"Groups\": [{\"Title\": \"Shown\", \"Description\": \"To all\","            \
  " \"Settings\": [" SETTINGS "]}, {\"Title\": \"Empty\"}], \"Texts\": " TEXTS "}"

// A part of a value as JSON: `path` has keys and places in lists, between slashes. "" for what is not there.
static const char *part(livery_value *value, const char *path) {
  static char texts[8][4096];
  static int next;
  char *text = texts[next++ % 8];
  char steps[200];
  snprintf(steps, sizeof steps, "%s", path);
  OK(livery_value_retain(value));
  for (char *step = strtok(steps, "/"); step && value; step = strtok(NULL, "/")) {
    livery_value *inner = NULL;
    bool is_place = step[0] >= '0' && step[0] <= '9';
    livery_status status = is_place ? livery_value_at(value, strtoul(step, NULL, 10), &inner)
                                    : livery_value_member(value, step, &inner);
    OK(livery_value_release(value));
    value = status == LIVERY_OK ? inner : NULL;
  }
  text[0] = 0;
  if (!value) return text;
  char *written = NULL;
  OK(livery_value_to_json(value, 0, &written, NULL));
  snprintf(text, sizeof texts[0], "%s", written);
  livery_free(written);
  OK(livery_value_release(value));
  return text;
}

static livery_value *form_of(livery_store *store, const livery_form_options *options) {
  livery_value *form = NULL;
  OK(livery_form(store, options, &form));
  return form;
}

#define ELEMENT "groups/0/elements/"

TEST("a form has all that the schema says, in its order", declared) {
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_value *form = form_of(store, NULL);
  static const struct {
    const char *path, *json;
  } cases[] = {
    {"title", "\"Kiosk\""},
    {"version", "2"},
    {"revision", "1"},
    {"layer", "\"user\""},
    {"locale", ""},
    {"languages", "[\"de\",\"de-AT\"]"},
    {"groups/0/title", "\"Shown\""},
    {"groups/0/description", "\"To all\""},
    {"groups/1/elements", "[]"},
    {"groups/2", ""},
    {ELEMENT "0/kind", "\"header\""},
    {ELEMENT "0/description", "\"At first\""},
    {ELEMENT "1/kind", "\"text\""},
    {ELEMENT "1/name", "\"greeting\""},
    {ELEMENT "1/aliases", "[\"welcome\"]"},
    {ELEMENT "1/placeholder", "\"A word\""},
    {ELEMENT "1/maxLength", "40"},
    {ELEMENT "1/required", "true"},
    {ELEMENT "1/restart", "true"},
    {ELEMENT "1/hidden", ""},
    {ELEMENT "1/default", "\"Hello\""},
    {ELEMENT "2/kind", "\"secret\""},
    {ELEMENT "3/kind", "\"switch\""},
    {ELEMENT "4/kind", "\"pane\""},
    {ELEMENT "4/title", "\"Idle\""},
    {ELEMENT "4/elements/0/kind", "\"integer\""},
    {ELEMENT "4/elements/0/minimum", "10"},
    {ELEMENT "4/elements/0/maximum", "600"},
    {ELEMENT "4/elements/0/step", "10"},
    {ELEMENT "4/elements/0/unit", "\"seconds\""},
    {ELEMENT "4/elements/0/enabledBy/name", "\"saver\""},
    {ELEMENT "4/elements/0/enabledBy/equals", "true"},
    {ELEMENT "4/elements/1", ""},
    {ELEMENT "5/kind", "\"choice\""},
    {ELEMENT "5/options/1/title", "\"German\""},
    {ELEMENT "5/options/1/value", "\"de\""},
    {ELEMENT "6/readOnly", "true"},
    {ELEMENT "7/kind", "\"list\""},
    {ELEMENT "7/maxItems", "9"},
    {ELEMENT "7/uniqueBy", "\"url\""},
    {ELEMENT "7/template/0/kind", "\"header\""},
    {ELEMENT "7/template/2/kind", "\"secret\""},
    {ELEMENT "7/template/3/default", "10"},
    {ELEMENT "7/template/3/writable", ""},
    {ELEMENT "8", ""},
  };
  for (size_t index = 0; index < COUNT(cases); index++) EXPECT_TEXT(cases[index].json, part(form, cases[index].path));
  OK(livery_value_release(form));
  livery_form_options options = LIVERY_FORM_OPTIONS_INIT;
  options.hidden = true;
  form = form_of(store, &options);
  EXPECT_TEXT("\"trace\"", part(form, ELEMENT "4/elements/1/name"));
  EXPECT_TEXT("true", part(form, ELEMENT "4/elements/1/hidden"));
  OK(livery_value_release(form));
  OK(livery_close(store));
}

TEST("a form says how each setting is, and who decides", state) {
  livery_store *store = new_store(fresh_path(), SCHEMA);
  OK(livery_set_string(store, LIVERY_LAYER_USER, "greeting", TEXT("Hi")));
  OK(livery_set_string(store, LIVERY_LAYER_ENFORCED, "language", TEXT("de")));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "idle", 60));
  livery_value *form = form_of(store, NULL);
  static const struct {
    const char *path, *json;
  } cases[] = {
    {"revision", "4"},
    {ELEMENT "1/value", "\"Hi\""},
    {ELEMENT "1/layer", "\"user\""},
    {ELEMENT "1/revision", "2"},
    {ELEMENT "1/isDefault", "false"},
    {ELEMENT "1/hasOwnValue", "true"},
    {ELEMENT "1/writable", "true"},
    {ELEMENT "1/reason", ""},
    {ELEMENT "3/value", "false"},
    {ELEMENT "3/layer", "\"defaults\""},
    {ELEMENT "3/origin", "\"schema\""},
    {ELEMENT "3/isDefault", "true"},
    {ELEMENT "3/hasOwnValue", "false"},
    {ELEMENT "4/elements/0/value", "60"},
    {ELEMENT "4/elements/0/writable", "false"},
    {ELEMENT "4/elements/0/reason", "\"disabled\""},
    {ELEMENT "4/elements/0/disabledBy/name", "\"saver\""},
    {ELEMENT "4/elements/0/disabledBy/title", "\"Screen saver\""},
    {ELEMENT "4/elements/0/disabledBy/equals", "true"},
    {ELEMENT "5/value", "\"de\""},
    {ELEMENT "5/reason", "\"locked\""},
    {ELEMENT "5/lockedBy", "\"enforced\""},
    {ELEMENT "6/isSet", "false"},
    {ELEMENT "6/value", ""},
    {ELEMENT "6/layer", ""},
    {ELEMENT "6/revision", "0"},
    {ELEMENT "6/isDefault", "true"},
    {ELEMENT "6/reason", "\"read-only\""},
  };
  for (size_t index = 0; index < COUNT(cases); index++) EXPECT_TEXT(cases[index].json, part(form, cases[index].path));
  OK(livery_value_release(form));
  // For the console nothing is locked, and it may set what is read-only.
  livery_form_options options = LIVERY_FORM_OPTIONS_INIT;
  options.has_layer = true;
  options.layer = LIVERY_LAYER_ENFORCED;
  OK(livery_set_bool(store, LIVERY_LAYER_USER, "saver", true));
  form = form_of(store, &options);
  EXPECT_TEXT("\"enforced\"", part(form, "layer"));
  EXPECT_TEXT("true", part(form, ELEMENT "4/elements/0/writable"));
  EXPECT_TEXT("true", part(form, ELEMENT "5/writable"));
  EXPECT_TEXT("true", part(form, ELEMENT "5/hasOwnValue"));
  EXPECT_TEXT("false", part(form, ELEMENT "1/hasOwnValue"));
  EXPECT_TEXT("true", part(form, ELEMENT "6/writable"));
  OK(livery_value_release(form));
  // What nobody can change: the defaults, and the layer override without leave.
  for (int layer = LIVERY_LAYER_DEFAULTS; layer <= LIVERY_LAYER_OVERRIDE; layer += LIVERY_LAYER_OVERRIDE) {
    options.layer = layer;
    form = form_of(store, &options);
    EXPECT_TEXT("\"read-only\"", part(form, ELEMENT "1/reason"));
    OK(livery_value_release(form));
  }
  OK(livery_close(store));
}

TEST("a form has no secret, and items have the defaults of what they lack", items) {
  livery_store *store = new_store(fresh_path(), SCHEMA);
  livery_value *form = form_of(store, NULL);
  EXPECT_TEXT("false", part(form, ELEMENT "2/isSet"));
  OK(livery_value_release(form));
  OK(livery_set_string(store, LIVERY_LAYER_USER, "pin", TEXT("hush-1")));
  livery_value *playlist = json("[{\"url\": \"a\", \"token\": \"hush-2\", \"length\": 5}, {\"url\": \"b\", \"token\": \"\"}]");
  OK(livery_set_value(store, LIVERY_LAYER_USER, "playlist", playlist));
  OK(livery_value_release(playlist));
  form = form_of(store, NULL);
  EXPECT_TEXT("true", part(form, ELEMENT "2/isSet"));
  EXPECT_TEXT("", part(form, ELEMENT "2/value"));
  EXPECT_TEXT("", part(form, ELEMENT "2/default"));
  EXPECT_TEXT("", part(form, ELEMENT "7/value"));
  EXPECT_TEXT("5", part(form, ELEMENT "7/items/0/length"));
  EXPECT_TEXT("true", part(form, ELEMENT "7/items/0/token"));
  EXPECT_TEXT("10", part(form, ELEMENT "7/items/1/length"));
  EXPECT_TEXT("false", part(form, ELEMENT "7/items/1/token"));
  EXPECT(strstr(part(form, ""), "hush") == NULL);
  OK(livery_value_release(form));
  livery_value *found = NULL;
  OK(livery_search(store, "hush", NULL, &found));
  EXPECT_TEXT("0", part(found, "total"));
  OK(livery_value_release(found));
  OK(livery_search(store, "pin", NULL, &found));
  EXPECT_TEXT("true", part(found, "results/0/secret"));
  EXPECT_TEXT("", part(found, "results/0/value"));
  OK(livery_value_release(found));
  OK(livery_close(store));
}

TEST("texts are in the language asked for, else in the next one, else as the schema has them", languages) {
  livery_store *store = new_store(fresh_path(), SCHEMA);
  static const struct {
    const char *locale, *first, *greeting, *group, *option;
  } cases[] = {
    {NULL, "", "\"Greeting\"", "\"Shown\"", "\"German\""},
    {"de", "\"de\"", "\"Gru\u00df\"", "\"Angezeigt\"", "\"Deutsch\""},
    {"DE", "\"de\"", "\"Gru\u00df\"", "\"Angezeigt\"", "\"Deutsch\""},
    {"de-AT", "\"de-AT\"", "\"Servus\"", "\"Angezeigt\"", "\"Deutsch\""},
    {"de_AT.UTF-8", "\"de-AT\"", "\"Servus\"", "\"Angezeigt\"", "\"Deutsch\""},
    {"de-AT-1996-x-home", "\"de-AT\"", "\"Servus\"", "\"Angezeigt\"", "\"Deutsch\""},
    {"de-CH", "\"de\"", "\"Gru\u00df\"", "\"Angezeigt\"", "\"Deutsch\""},
    {"fr", "", "\"Greeting\"", "\"Shown\"", "\"German\""},
    {"den", "", "\"Greeting\"", "\"Shown\"", "\"German\""},
  };
  for (size_t index = 0; index < COUNT(cases); index++) {
    livery_form_options options = LIVERY_FORM_OPTIONS_INIT;
    options.locale = cases[index].locale;
    livery_value *form = form_of(store, &options);
    EXPECT_TEXT(cases[index].first, part(form, "locale"));
    EXPECT_TEXT(cases[index].greeting, part(form, ELEMENT "1/title"));
    EXPECT_TEXT(cases[index].group, part(form, "groups/0/title"));
    EXPECT_TEXT(cases[index].option, part(form, ELEMENT "5/options/1/title"));
    OK(livery_value_release(form));
  }
  // The same in searches.
  livery_search_options options = LIVERY_SEARCH_OPTIONS_INIT;
  livery_value *found = NULL;
  options.locale = "de";
  OK(livery_search(store, "GRUSS", &options, &found));
  EXPECT_TEXT("\"greeting\"", part(found, "results/0/name"));
  EXPECT_TEXT("[\"Angezeigt\"]", part(found, "results/0/group"));
  EXPECT_TEXT("5", part(found, "results/0/matches/0/length"));
  OK(livery_value_release(found));
  OK(livery_search(store, "gruss", NULL, &found));
  EXPECT_TEXT("0", part(found, "total"));
  OK(livery_value_release(found));
  OK(livery_close(store));
}

TEST("a form is of one moment, and of the schema that there is", moments) {
  livery_store *store = open_store(fresh_path());
  livery_value *form = form_of(store, NULL);
  EXPECT_TEXT("0", part(form, "version"));
  EXPECT_TEXT("[]", part(form, "groups"));
  OK(livery_value_release(form));
  for (int version = 1; version < 4; version++) {
    char schema[300];
    snprintf(schema, sizeof schema,
             "{\"Version\": %d, \"Groups\": [{\"Title\": \"G\", \"Settings\": [{\"Type\": \"TextField\", \"Title\": \"T%d\","
             " \"Key\": \"t\"}]}]}", version, version);
    OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL));
    form = form_of(store, NULL);
    char title[8];
    snprintf(title, sizeof title, "\"T%d\"", version);
    EXPECT_TEXT(title, part(form, ELEMENT "0/title"));
    OK(livery_value_release(form));
    livery_value *found = NULL;
    title[3] = 0;
    OK(livery_search(store, title + 1, NULL, &found));
    EXPECT_TEXT("1", part(found, "total"));
    OK(livery_value_release(found));
  }
  OK(livery_close(store));
}

// The names of what was found, in order.
static const char *found_names(livery_store *store, const char *query, const livery_search_options *options) {
  static char names[512];
  livery_value *found = NULL, *results = NULL;
  names[0] = 0;
  if (!OK(livery_search(store, query, options, &found))) return names;
  size_t count = 0;
  OK(livery_value_member(found, "results", &results));
  OK(livery_value_count(results, &count));
  for (size_t index = 0; index < count; index++) {
    livery_value *item = NULL;
    OK(livery_value_at(results, index, &item));
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", index ? " " : "", member_text(item, "name"));
    OK(livery_value_release(item));
  }
  OK(livery_value_release(results));
  OK(livery_value_release(found));
  return names;
}

TEST("a search finds what contains every word, the best first", search) {
  livery_store *store = new_store(fresh_path(), SCHEMA);
  OK(livery_set_string(store, LIVERY_LAYER_USER, "greeting", TEXT("Wait idle, \xC3\x9C" "ber all")));
  static const struct {
    const char *query, *names;
  } cases[] = {
    {"greeting", "greeting"},
    {"GREET", "greeting"},
    {"welcome", "greeting"},
    {"a word", "greeting"},
    {"idle", "idle greeting"},
    {"idle seconds", "idle"},
    {"without touch", "idle"},
    {"german", "language"},
    {"english language", "language"},
    {"uber", "greeting"},
    {"u\xCC\x88" "ber", "greeting"},
    {"120", "idle"},
    {"trace", ""},
    {"shown device", "device"},
    {"nothing of this", ""},
    {"", ""},
    {" \xCC\x88 ", ""},
    // At the beginning of the title, in it, in an option, and by the group.
    {"s", "saver playlist language greeting pin idle device"},
  };
  for (size_t index = 0; index < COUNT(cases); index++)
    EXPECT_TEXT(cases[index].names, found_names(store, cases[index].query, NULL));
  livery_search_options options = LIVERY_SEARCH_OPTIONS_INIT;
  options.hidden = true;
  EXPECT_TEXT("trace", found_names(store, "trace", &options));
  options.limit = 2;
  EXPECT_TEXT("saver playlist", found_names(store, "s", &options));
  livery_value *found = NULL;
  OK(livery_search(store, "s", &options, &found));
  EXPECT_TEXT("8", part(found, "total"));
  OK(livery_value_release(found));
  OK(livery_close(store));
}

TEST("matches say where the words are, in bytes", matches) {
  livery_store *store = new_store(fresh_path(), SCHEMA);
  OK(livery_set_string(store, LIVERY_LAYER_USER, "greeting", TEXT("O\xCC\x88" "de \xC3\x9C" "ber ALLES")));
  livery_value *found = NULL;
  OK(livery_search(store, "uber alle ode", NULL, &found));
  EXPECT_TEXT("2", part(found, "revision"));
  EXPECT_TEXT("\"text\"", part(found, "results/0/kind"));
  EXPECT_TEXT("\"string\"", part(found, "results/0/type"));
  EXPECT_TEXT("\"Greeting\"", part(found, "results/0/title"));
  EXPECT_TEXT("[\"Shown\"]", part(found, "results/0/group"));
  static const char *const places[][2] = {{"6", "5"}, {"12", "4"}, {"0", "5"}};
  for (size_t index = 0; index < COUNT(places); index++) {
    char path[60];
    for (int part_number = 0; part_number < 2; part_number++) {
      snprintf(path, sizeof path, "results/0/matches/%zu/%s", index, part_number ? "length" : "offset");
      EXPECT_TEXT(places[index][part_number], part(found, path));
    }
  }
  EXPECT_TEXT("\"value\"", part(found, "results/0/matches/0/field"));
  EXPECT_TEXT("", part(found, "results/0/matches/3"));
  OK(livery_value_release(found));
  OK(livery_close(store));
}

TEST("what no schema declares is found by name and value, also in lists and objects", undeclared) {
  livery_store *store = open_store(fresh_path());
  OK(livery_set_string(store, LIVERY_LAYER_USER, "media.title", TEXT("Nordsee")));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "volume", 17));
  livery_value *list = json("[{\"name\": \"Ostsee\", \"n\": 17}]");
  OK(livery_set_value(store, LIVERY_LAYER_USER, "zones", list));
  OK(livery_value_release(list));
  EXPECT_TEXT("media.title", found_names(store, "MEDIA nord", NULL));
  EXPECT_TEXT("media.title zones", found_names(store, "see", NULL));
  EXPECT_TEXT("volume zones", found_names(store, "17", NULL));
  EXPECT_TEXT("volume", found_names(store, "vol", NULL));
  livery_value *found = NULL;
  OK(livery_search(store, "ostsee", NULL, &found));
  EXPECT_TEXT("\"/0/name\"", part(found, "results/0/matches/0/pointer"));
  EXPECT_TEXT("\"list\"", part(found, "results/0/type"));
  EXPECT_TEXT("", part(found, "results/0/kind"));
  OK(livery_value_release(found));
  // In a store that takes declared settings alone, what is not declared counts no more.
  OK(livery_schema_apply(store, SCHEMA, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_TEXT("", found_names(store, "nordsee", NULL));
  OK(livery_close(store));
}

TEST("a value that has expired is found no more", expired) {
  livery_store *store = open_store(fresh_path());
  livery_change *change = NULL;
  OK(livery_set_string(store, LIVERY_LAYER_USER, "note", TEXT("beneath")));
  OK(livery_change_begin(store, LIVERY_LAYER_SESSION, &change));
  OK(livery_change_expires(change, now_microseconds() + 300000));
  OK(livery_change_set_string(change, "note", TEXT("on top")));
  OK(livery_change_commit(change, NULL));
  EXPECT_TEXT("note", found_names(store, "top", NULL));
  sleep_ms(400);
  EXPECT_TEXT("", found_names(store, "top", NULL));
  EXPECT_TEXT("note", found_names(store, "beneath", NULL));
  OK(livery_close(store));
}

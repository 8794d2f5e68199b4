// Listing and inspecting.
#include "fixture.h"

// The names of a list of objects, joined by spaces; the list is released.
static const char *names_of(livery_value *list) {
  static char names[2048];
  names[0] = 0;
  size_t count = 0;
  OK(livery_value_count(list, &count));
  for (size_t index = 0; index < count; index++) {
    livery_value *item = NULL;
    OK(livery_value_at(list, index, &item));
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", index ? " " : "", member_text(item, "name"));
    OK(livery_value_release(item));
  }
  OK(livery_value_release(list));
  return names;
}

TEST("a pattern selects settings, in the order of their names", patterns) {
  livery_store *store = open_store(fresh_path());
  static const char *const names[] = {"media", "media.a", "media.a.b", "mediaX", "zebra", "Alpha"};
  static const struct {
    const char *pattern, *names;
  } cases[] = {
    {NULL, "Alpha media media.a media.a.b mediaX zebra"},
    {"**", "Alpha media media.a media.a.b mediaX zebra"},
    {"*", "Alpha media mediaX zebra"},
    {"media*", "media mediaX"},
    {"media**", "media media.a media.a.b mediaX"},
    {"media.*", "media.a"},
    {"media.**", "media.a media.a.b"},
    {"media?", "mediaX"},
    {"**b", "media.a.b"},
    {"zebra", "zebra"},
    {"nothing", ""},
  };
  for (size_t index = 0; index < COUNT(names); index++)
    OK(livery_set_int(store, LIVERY_LAYER_USER, names[index], (int64_t)index));
  for (size_t index = 0; index < COUNT(cases); index++) {
    livery_value *list = NULL;
    OK(livery_list(store, cases[index].pattern, NULL, &list));
    EXPECT_TEXT(cases[index].names, names_of(list));
  }
  OK(livery_close(store));
}

TEST("a long list comes in pages", pages) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_list_options options = LIVERY_LIST_OPTIONS_INIT;
  livery_value *list = NULL, *last = NULL;
  char after[LIVERY_NAME_MAX + 1] = "";
  int seen = 0, pages = 0;
  options.limit = 4;
  for (;; pages++) {
    size_t count = 0;
    options.after = after[0] ? after : NULL;
    OK(livery_list(store, NULL, &options, &list));
    OK(livery_value_count(list, &count));
    EXPECT(count <= 4);
    seen += (int)count;
    if (count > 0) {
      OK(livery_value_at(list, count - 1, &last));
      snprintf(after, sizeof after, "%s", member_text(last, "name"));
      OK(livery_value_release(last));
    }
    OK(livery_value_release(list));
    if (count == 0 || pages > 20) break;
  }
  EXPECT_INT(16, seen);
  EXPECT_INT(4, pages);
  OK(livery_close(store));
}

TEST("a listed setting has type, title, layer and value; a secret says so", items) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *list = NULL, *item = NULL, *member = NULL;
  OK(livery_set_string(store, LIVERY_LAYER_USER, "pin", TEXT("4321")));
  OK(livery_list(store, "pin", NULL, &list));
  OK(livery_value_at(list, 0, &item));
  EXPECT_TEXT("string", member_text(item, "type"));
  EXPECT_TEXT("PIN", member_text(item, "title"));
  EXPECT_TEXT("user", member_text(item, "layer"));
  EXPECT_TEXT("4321", member_text(item, "value"));
  OK(livery_value_member(item, "secret", &member));
  EXPECT_JSON("true", member);
  OK(livery_value_release(item));
  OK(livery_value_release(list));
  OK(livery_close(store));
}

TEST("inspect tells what each of three layers holds, and why one wins", inspect) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  livery_value *report = NULL, *layers = NULL, *member = NULL;
  OK(livery_set_int(store, LIVERY_LAYER_RECOMMENDED, "idleResetSeconds", 200));
  OK(livery_set_int(store, LIVERY_LAYER_USER, "idleResetSeconds", 60));
  OK(livery_inspect(store, "idleResetSeconds", &report));
  EXPECT_TEXT("idleResetSeconds", member_text(report, "name"));
  EXPECT_TEXT("Idle", member_text(report, "title"));
  EXPECT_TEXT("All", member_text(report, "group"));
  EXPECT_CONTAINS("user", member_text(report, "reason"));
  static const char *const order[] = {"user", "recommended", "defaults"};
  static const char *const states[] = {"wins", "shadowed", "shadowed"};
  static const char *const values[] = {"60", "200", "120"};
  size_t count = 0;
  OK(livery_value_member(report, "layers", &layers));
  OK(livery_value_count(layers, &count));
  EXPECT_INT(3, count);
  for (size_t index = 0; index < 3 && index < count; index++) {
    livery_value *layer = NULL;
    OK(livery_value_at(layers, index, &layer));
    EXPECT_TEXT(order[index], member_text(layer, "layer"));
    EXPECT_TEXT(states[index], member_text(layer, "state"));
    OK(livery_value_member(layer, "value", &member));
    EXPECT_JSON(values[index], member);
    OK(livery_value_release(layer));
  }
  OK(livery_value_release(layers));
  OK(livery_value_release(report));
  OK(livery_close(store));
}

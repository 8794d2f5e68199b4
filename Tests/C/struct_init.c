// An option struct's macro is a zeroed struct with its size: the two ways to begin are the same.
#include "check.h"

#define EXPECT_SAME(type, macro)                                                                                       \
  do {                                                                                                                 \
    static const type from_macro = macro; /* Of one on the stack what lies between members may be anything. */         \
    type zeroed;                                                                                                       \
    memset(&zeroed, 0, sizeof zeroed);                                                                                 \
    zeroed.struct_size = sizeof zeroed;                                                                                \
    EXPECT_INT(sizeof(type), from_macro.struct_size);                                                                  \
    EXPECT(memcmp(&from_macro, &zeroed, sizeof zeroed) == 0);                                                          \
    EXPECT_INT(0, offsetof(type, struct_size));                                                                        \
  } while (0)

TEST("each _INIT macro is zero but for the size", macros) {
  EXPECT_SAME(livery_open_options, LIVERY_OPEN_OPTIONS_INIT);
  EXPECT_SAME(livery_list_options, LIVERY_LIST_OPTIONS_INIT);
  EXPECT_SAME(livery_schema_options, LIVERY_SCHEMA_OPTIONS_INIT);
  EXPECT_SAME(livery_watch_options, LIVERY_WATCH_OPTIONS_INIT);
  EXPECT_SAME(livery_history_options, LIVERY_HISTORY_OPTIONS_INIT);
  EXPECT_SAME(livery_form_options, LIVERY_FORM_OPTIONS_INIT);
  EXPECT_SAME(livery_search_options, LIVERY_SEARCH_OPTIONS_INIT);
  EXPECT_SAME(livery_collect_options, LIVERY_COLLECT_OPTIONS_INIT);
  EXPECT_SAME(livery_traits, LIVERY_TRAITS_INIT);
  EXPECT_SAME(livery_branding_options, LIVERY_BRANDING_OPTIONS_INIT);
}

TEST("zero in any option is its default", zeroes) {
  livery_store *store = NULL;
  livery_open_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = LIVERY_OPEN_CREATE;
  OK(livery_open(fresh_path(), &options, &store));
  livery_list_options list_options;
  memset(&list_options, 0, sizeof list_options);
  list_options.struct_size = sizeof list_options;
  livery_value *value = NULL;
  OK(livery_list(store, NULL, &list_options, &value));
  EXPECT_JSON("[]", value);
  livery_schema_options schema_options;
  memset(&schema_options, 0, sizeof schema_options);
  schema_options.struct_size = sizeof schema_options;
  const char *schema = "{\"Version\": 1, \"Groups\": []}";
  OK(livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, &schema_options, NULL));
  OK(livery_close(store));
}

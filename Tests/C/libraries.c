// What is loaded when it is needed first: jansson and libplist. This program has read neither JSON nor a property list before.
#include "check.h"

#include <sys/resource.h>

static const livery_layer user = LIVERY_LAYER_USER;
static const char JSON[] = "{\"Version\": 1, \"Settings\": []}", LIST[] = "<plist version=\"1.0\"><dict/></plist>";

// Of a store with a schema, which another process has applied.
static char path[4096];

static void apply(void) {
  static const char schema[] = "{\"Version\":1,\"Groups\":[{\"Title\":\"G\",\"Settings\":["
                               "{\"Type\":\"TextField\",\"Title\":\"Text\",\"Key\":\"text\"}]}]}";
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  OK(livery_open(path, &options, &store));
  OK(livery_schema_apply(store, schema, strlen(schema), NULL, NULL));
  OK(livery_close(store));
}

static void read_without_descriptors(void) {
  struct rlimit limit, none;
  livery_value *value = NULL;
  livery_store *store = NULL;
  OK(livery_open(path, NULL, &store));
  getrlimit(RLIMIT_NOFILE, &limit);
  none = limit;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_value_from_json(JSON, strlen(JSON), &value));
  EXPECT_TEXT("the library libjansson.so.4 is not installed, or cannot be loaded", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_schema_check(store, JSON, strlen(JSON), &value));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_schema_compare(JSON, strlen(JSON), JSON, strlen(JSON), &value));
  // The store is as good as ever.
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_form(store, NULL, &value));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_search(store, "text", NULL, &value));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_import_plist(store, user, LIST, strlen(LIST), 0, NULL));
  EXPECT(value == NULL);
  setrlimit(RLIMIT_NOFILE, &limit);
  OK(livery_value_from_json(JSON, strlen(JSON), &value));
  OK(livery_value_release(value));
  OK(livery_form(store, NULL, &value));
  OK(livery_value_release(value));
  OK(livery_search(store, "text", NULL, &value));
  OK(livery_value_release(value));
  OK(livery_import_plist(store, user, LIST, strlen(LIST), 0, NULL));
  OK(livery_close(store));
}

TEST("a library that cannot be loaded is IO, and is looked for again", libraries) {
  snprintf(path, sizeof path, "%s", fresh_path());
  IN_CHILD(apply);
  IN_CHILD(read_without_descriptors);
}

// What is loaded when it is needed first: jansson and libplist. This program has read neither JSON nor a property list before.
#include "check.h"

#include <sys/resource.h>

static const livery_layer user = LIVERY_LAYER_USER;
static const char JSON[] = "{\"Version\": 1, \"Settings\": []}", LIST[] = "<plist version=\"1.0\"><dict/></plist>";

static void read_without_descriptors(void) {
  struct rlimit limit, none;
  livery_value *value = NULL;
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  OK(livery_open(fresh_path(), &options, &store));
  getrlimit(RLIMIT_NOFILE, &limit);
  none = limit;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_value_from_json(JSON, strlen(JSON), &value));
  EXPECT_TEXT("the library libjansson.so.4 is not installed, or cannot be loaded", livery_last_error()->message);
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_schema_check(store, JSON, strlen(JSON), &value));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_schema_compare(JSON, strlen(JSON), JSON, strlen(JSON), &value));
  EXPECT_STATUS(LIVERY_ERROR_IO, livery_import_plist(store, user, LIST, strlen(LIST), 0, NULL));
  EXPECT(value == NULL);
  setrlimit(RLIMIT_NOFILE, &limit);
  OK(livery_value_from_json(JSON, strlen(JSON), &value));
  OK(livery_value_release(value));
  OK(livery_import_plist(store, user, LIST, strlen(LIST), 0, NULL));
  OK(livery_close(store));
}

TEST("a library that cannot be loaded is IO, and is looked for again", libraries) { IN_CHILD(read_without_descriptors); }

// Address space has a limit that is reached: what is large is refused with NO_MEMORY, and works when there is more.
#include "memory.h"

static const char *path;

static void limit_to(size_t more) {
  char *status = read_file("/proc/self/statm", NULL);
  size_t pages = strtoull(status, NULL, 10);
  free(status);
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + more;
  setrlimit(RLIMIT_AS, &limit);
}
static void lift_limit(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
}

enum { MEGABYTE = 1000000, BIG = 16 };

static int limited_refusals;

static void fitting(livery_status status, const char *what, size_t more) {
  // LMDB copies with a second thread, which may not be had.
  bool is_busy = status == LIVERY_ERROR_BUSY && strcmp(what, "backup") == 0;
  if (status == LIVERY_ERROR_NO_MEMORY) limited_refusals++;
  else if (status != LIVERY_OK && !is_busy)
    check_fail(__FILE__, __LINE__, "%s with %zu bytes: %s: %s", what, more, livery_status_name(status),
               livery_last_error()->message);
}

static void use_large_things(void) {
  livery_store *store = ready_store(path, NULL);
  char *content = malloc(MEGABYTE), *exported = NULL, *image = malloc(BIG * MEGABYTE), id[LIVERY_ASSET_ID_SIZE];
  size_t length = 0, got = 0;
  memset(content, 'c', MEGABYTE);
  memset(image, 'i', BIG * MEGABYTE);
  for (int index = 0; index < BIG; index++) {
    char name[32];
    snprintf(name, sizeof name, "big.%d", index);
    OK(livery_set_string(store, user, name, content, MEGABYTE));
  }
  OK(livery_asset_put(store, image, BIG * MEGABYTE, LIVERY_ASSET_ANY, id));
  OK(livery_export_json(store, 0, &exported, &length));
  EXPECT(length > BIG * MEGABYTE);
  for (size_t more = 0; more < (size_t)200 << 20; more = more * 3 / 2 + (1 << 20)) {
    livery_value *value = NULL;
    char *text = NULL;
    void *bytes = NULL;
    limit_to(more);
    fitting(livery_set_string(store, user, "big.0", content, MEGABYTE - more % 1000), "set", more);
    fitting(livery_copy_string(store, "big.1", &text, NULL), "copy", more);
    livery_free(text), text = NULL;
    fitting(livery_list(store, NULL, NULL, &value), "list", more);
    livery_value_release(value), value = NULL;
    fitting(livery_export_json(store, 0, &text, NULL), "export", more);
    livery_free(text), text = NULL;
    fitting(livery_export_json(store, LIVERY_EXPORT_LAYERS | LIVERY_JSON_PRETTY, &text, NULL), "export of layers", more);
    livery_free(text), text = NULL;
    fitting(livery_import_json(store, user, exported, length, LIVERY_IMPORT_PARTIAL, NULL), "import", more);
    fitting(livery_value_from_json(exported, length, &value), "parse", more);
    if (value) fitting(livery_value_to_json(value, 0, &text, NULL), "write", more), livery_free(text), text = NULL;
    livery_value_release(value), value = NULL;
    fitting(livery_asset_get(store, id, &bytes, &got), "asset", more);
    livery_free(bytes);
    image[0] ^= 1;
    fitting(livery_asset_put(store, image, BIG * MEGABYTE, LIVERY_ASSET_ANY, NULL), "new asset", more);
    fitting(livery_history(store, NULL, &value), "history", more);
    livery_value_release(value), value = NULL;
    uint64_t last = 0;
    if (livery_revision(store, &last) == LIVERY_OK) fitting(livery_undo(store, last, LIVERY_UNDO_FORCE, NULL), "undo", more);
    fitting(livery_backup(store, NULL), "backup", more);
    fitting(livery_check(path, &value), "check", more);
    livery_value_release(value);
    lift_limit();
    expect_all_well(store);
  }
  EXPECT(limited_refusals > 10);
  free(content), free(image);
  livery_free(exported);
  OK(livery_close(store));
}

// Many settings of one title, which a language has a long text for.
static char *schema_of_long_texts(void) {
  enum { SETTINGS = 3000 };
  char *text = malloc(SETTINGS * 100 + MEGABYTE + 200);
  size_t used = (size_t)sprintf(text, "{\"Version\": 1, \"Groups\": [{\"Title\": \"G\", \"Settings\": [");
  for (int index = 0; index < SETTINGS; index++)
    used += (size_t)sprintf(text + used, "%s{\"Type\": \"ToggleSwitch\", \"Title\": \"a\", \"Key\": \"k%d\", \"Value\": true}",
                            index ? "," : "", index);
  used += (size_t)sprintf(text + used, "]}], \"Texts\": {\"de\": {\"G\": \"G\", \"a\": \"");
  memset(text + used, 'x', MEGABYTE);
  sprintf(text + used + MEGABYTE, "\"}}}");
  return text;
}

static void search_long_texts(void) {
  livery_store *store = open_store(path);
  livery_search_options search = LIVERY_SEARCH_OPTIONS_INIT;
  livery_form_options form = LIVERY_FORM_OPTIONS_INIT;
  search.locale = form.locale = "de";
  livery_value *value = NULL;
  char *text = schema_of_long_texts(), *written = NULL;
  OK(livery_schema_apply(store, text, LIVERY_ZERO_TERMINATED, NULL, NULL));
  free(text);
  limit_to((size_t)500 << 20);
  // Each text is there once, and is told of once for each setting.
  OK(livery_search(store, "zz", &search, &value));
  OK(livery_value_release(value));
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_search(store, "xx", &search, &value));
  search.limit = 10;
  OK(livery_search(store, "xx", &search, &value));
  OK(livery_value_release(value));
  OK(livery_form(store, &form, &value));
  EXPECT_STATUS(LIVERY_ERROR_NO_MEMORY, livery_value_to_json(value, 0, &written, NULL));
  OK(livery_value_release(value));
  lift_limit();
  OK(livery_close(store));
}

TEST("a long text of many settings takes no more than a text, or is NO_MEMORY", long_texts) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
#ifdef LIVERY_SANITIZED
  SKIP("a sanitizer needs address space without limit");
#endif
  path = fresh_path();
  IN_CHILD(search_long_texts);
}

TEST("large things in little address space are NO_MEMORY, and work when there is more", limited) {
  if (!can_run_out()) SKIP("Swift's runtime ends the process when memory ends");
#ifdef LIVERY_SANITIZED
  SKIP("a sanitizer needs address space without limit");
#endif
  path = fresh_path();
  IN_CHILD(use_large_things);
}

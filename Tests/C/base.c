// Version, status names, the last error, and the log handler.
#include "fixture.h"

TEST("the library says its version, and it is the header's", version) {
  EXPECT_INT(LIVERY_VERSION_NUMBER, livery_version());
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", LIVERY_VERSION_MAJOR, LIVERY_VERSION_MINOR, LIVERY_VERSION_PATCH);
  EXPECT_TEXT(text, livery_version_string());
}

TEST("every status has a name, and other numbers have one too", status_names) {
  static const struct {
    livery_status status;
    const char *name;
  } names[] = {
    {0, "LIVERY_OK"},
    {-1, "LIVERY_ERROR_INVALID_ARGUMENT"},
    {-2, "LIVERY_ERROR_CLOSED"},
    {-3, "LIVERY_ERROR_NOT_FOUND"},
    {-4, "LIVERY_ERROR_NO_VALUE"},
    {-5, "LIVERY_ERROR_TYPE_MISMATCH"},
    {-6, "LIVERY_ERROR_INVALID_VALUE"},
    {-7, "LIVERY_ERROR_LOCKED"},
    {-8, "LIVERY_ERROR_READ_ONLY"},
    {-9, "LIVERY_ERROR_CONFLICT"},
    {-10, "LIVERY_ERROR_BUSY"},
    {-11, "LIVERY_ERROR_PARSE"},
    {-12, "LIVERY_ERROR_SCHEMA_INVALID"},
    {-13, "LIVERY_ERROR_SCHEMA_NEWER"},
    {-14, "LIVERY_ERROR_CORRUPT"},
    {-15, "LIVERY_ERROR_NOT_A_STORE"},
    {-16, "LIVERY_ERROR_FORMAT_NEWER"},
    {-17, "LIVERY_ERROR_PERMISSION"},
    {-18, "LIVERY_ERROR_NO_SPACE"},
    {-19, "LIVERY_ERROR_IO"},
    {-20, "LIVERY_ERROR_FORKED"},
    {-21, "LIVERY_ERROR_BUFFER_TOO_SMALL"},
    {-22, "LIVERY_ERROR_MIGRATION"},
    {-23, "LIVERY_ERROR_NETWORK"},
    {-24, "LIVERY_ERROR_TIMEOUT"},
    {-25, "LIVERY_ERROR_CANCELLED"},
    {-26, "LIVERY_ERROR_REFUSED"},
    {-27, "LIVERY_ERROR_UNAVAILABLE"},
    {-28, "LIVERY_ERROR_GONE"},
    {-29, "LIVERY_ERROR_NO_MEMORY"},
    {-30, "LIVERY_ERROR_DUPLICATE"},
  };
  for (size_t index = 0; index < COUNT(names); index++)
    EXPECT_TEXT(names[index].name, livery_status_name(names[index].status));
  EXPECT_TEXT("LIVERY_ERROR_UNKNOWN", livery_status_name(1));
  EXPECT_TEXT("LIVERY_ERROR_UNKNOWN", livery_status_name(-31));
  EXPECT_TEXT("LIVERY_ERROR_UNKNOWN", livery_status_name(INT32_MIN));
}

static void *fresh_thread(void *unused) {
  (void)unused;
  const livery_error *error = livery_last_error();
  EXPECT_INT(sizeof(livery_error), error->struct_size);
  EXPECT_INT(LIVERY_OK, error->status);
  EXPECT_TEXT("", error->message);
  EXPECT(error->setting == NULL && error->line == 0 && error->column == 0 && error->system_error == 0);
  livery_value *value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_value_from_json("[1,\n 2,}", LIVERY_ZERO_TERMINATED, &value));
  return NULL;
}

TEST("each thread has its own last error, empty at first", error_per_thread) {
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  int64_t number = 0;
  EXPECT_STATUS(LIVERY_ERROR_NOT_FOUND, livery_get_int(store, "idleResetSecond", &number));
  const livery_error *error = livery_last_error();
  pthread_t thread;
  pthread_create(&thread, NULL, fresh_thread, NULL);
  pthread_join(thread, NULL);
  EXPECT_INT(LIVERY_ERROR_NOT_FOUND, error->status);
  EXPECT_TEXT("idleResetSecond", error->setting);
  EXPECT_CONTAINS("idleResetSeconds", error->message);
  // Success does not clear it.
  OK(livery_get_int(store, "idleResetSeconds", &number));
  EXPECT_INT(LIVERY_ERROR_NOT_FOUND, livery_last_error()->status);
  OK(livery_close(store));
}

TEST("an error in a text has line and column, counted in characters", error_position) {
  livery_value *value = NULL;
  EXPECT_STATUS(LIVERY_ERROR_PARSE, livery_value_from_json("{\n  \"ä\": 1,\n  x\n}", LIVERY_ZERO_TERMINATED, &value));
  EXPECT_INT(3, livery_last_error()->line);
  EXPECT_INT(3, livery_last_error()->column);
}

struct log {
  int calls, destroyed;
  char last[512];
};

static void note(int32_t level, const char *message, void *user_data) {
  struct log *log = user_data;
  EXPECT(level == LIVERY_LOG_WARNING || level == LIVERY_LOG_ERROR);
  log->calls++;
  snprintf(log->last, sizeof log->last, "%s", message);
}

static void destroy(void *user_data) { ((struct log *)user_data)->destroyed++; }

TEST("drift of a schema reaches the log handler, and destroy runs exactly once", log_handler) {
  struct log first = {0}, second = {0};
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  const char *drifted = "{\"Version\": 3, \"Groups\": []}";
  OK(livery_set_log_handler(note, &first, destroy));
  OK(livery_schema_apply(store, drifted, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT(first.calls > 0);
  EXPECT_CONTAINS("3", first.last);
  OK(livery_set_log_handler(note, &second, destroy));
  EXPECT_INT(1, first.destroyed);
  int calls = first.calls;
  OK(livery_schema_apply(store, drifted, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_INT(calls, first.calls);
  EXPECT(second.calls > 0);
  OK(livery_set_log_handler(NULL, NULL, NULL));
  EXPECT_INT(1, second.destroyed);
  OK(livery_schema_apply(store, drifted, LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_INT(1, first.destroyed);
  EXPECT_INT(1, second.destroyed);
  OK(livery_close(store));
}

static void replaces_itself(int32_t level, const char *message, void *user_data) {
  note(level, message, user_data);
  livery_set_log_handler(NULL, NULL, NULL);
}

TEST("a log handler may replace itself", log_handler_replaces_itself) {
  struct log log = {0};
  livery_store *store = new_store(fresh_path(), KIOSK_SCHEMA);
  OK(livery_set_log_handler(replaces_itself, &log, destroy));
  OK(livery_schema_apply(store, "{\"Version\": 3, \"Groups\": []}", LIVERY_ZERO_TERMINATED, NULL, NULL));
  EXPECT_INT(1, log.calls);
  EXPECT_INT(1, log.destroyed);
  OK(livery_close(store));
}

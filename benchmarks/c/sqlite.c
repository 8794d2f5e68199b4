// SQLite with a write-ahead log, synchronous=FULL: a table of names and values, and prepared statements.
#include "workload.h"

#include <sqlite3.h>
#include <sys/stat.h>

typedef struct session {
  sqlite3 *connection;
  sqlite3_stmt *select;
} session;

static char file[512];
static sqlite3_stmt *begin, *replace, *commit;
static session *writer;

static inline void check(sqlite3 *connection, int code) {
  if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) fail("sqlite", sqlite3_errmsg(connection));
}

static sqlite3_stmt *prepared(sqlite3 *connection, const char *text) {
  sqlite3_stmt *statement = NULL;
  check(connection, sqlite3_prepare_v3(connection, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL));
  return statement;
}

static session *session_open(void) {
  session *opened = allocated(sizeof *opened);
  check(opened->connection, sqlite3_open(file, &opened->connection));
  check(opened->connection, sqlite3_exec(opened->connection, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                                         "PRAGMA busy_timeout=5000", NULL, NULL, NULL));
  return opened;
}

static void session_close(session *opened) {
  sqlite3_finalize(opened->select);
  sqlite3_close(opened->connection);
  free(opened);
}

static void subject_open(const char *path, long count) {
  (void)count;
  snprintf(file, sizeof file, "%s/settings.db", path);
}

static void run(sqlite3_stmt *statement) {
  check(sqlite3_db_handle(statement), sqlite3_step(statement));
  sqlite3_reset(statement);
}

static void begin_writing(void) {
  if (writer) return;
  writer = session_open();
  begin = prepared(writer->connection, "BEGIN IMMEDIATE");
  commit = prepared(writer->connection, "COMMIT");
  replace = prepared(writer->connection, "REPLACE INTO settings VALUES (?, ?)");
}

static void subject_close(void) {
  if (!writer) return;
  sqlite3_finalize(begin);
  sqlite3_finalize(commit);
  sqlite3_finalize(replace);
  session_close(writer);
}

static void subject_make(const char *path, long count) {
  char name[NAME_SIZE], text[TEXT_SIZE];
  mkdir(path, 0700);
  subject_open(path, count);
  session *maker = session_open();
  check(maker->connection, sqlite3_exec(maker->connection, "CREATE TABLE settings (name TEXT PRIMARY KEY, value) "
                                        "WITHOUT ROWID", NULL, NULL, NULL));
  session_close(maker);
  begin_writing();
  run(begin);
  for (long index = 0; index < count; index++) {
    setting_name(name, index);
    sqlite3_bind_text(replace, 1, name, -1, SQLITE_STATIC);
    switch (index % TYPES) {
      case BOOL: sqlite3_bind_int(replace, 2, bool_value(index)); break;
      case INT: sqlite3_bind_int64(replace, 2, int_value(index)); break;
      case DOUBLE: sqlite3_bind_double(replace, 2, double_value(index)); break;
      default:
        text_value(text, index);
        sqlite3_bind_text(replace, 2, text, -1, SQLITE_STATIC);
    }
    run(replace);
  }
  run(commit);
  subject_close();
}

static inline sqlite3_stmt *found(session *reader, const char *name) {
  if (!reader->select) reader->select = prepared(reader->connection, "SELECT value FROM settings WHERE name = ?");
  sqlite3_bind_text(reader->select, 1, name, -1, SQLITE_STATIC);
  if (sqlite3_step(reader->select) != SQLITE_ROW) fail("sqlite", sqlite3_errmsg(reader->connection));
  return reader->select;
}

static inline bool read_bool(session *reader, const char *name) {
  sqlite3_stmt *row = found(reader, name);
  bool value = sqlite3_column_int(row, 0);
  sqlite3_reset(row);
  return value;
}

static inline int64_t read_int(session *reader, const char *name) {
  sqlite3_stmt *row = found(reader, name);
  int64_t value = sqlite3_column_int64(row, 0);
  sqlite3_reset(row);
  return value;
}

static inline double read_double(session *reader, const char *name) {
  sqlite3_stmt *row = found(reader, name);
  double value = sqlite3_column_double(row, 0);
  sqlite3_reset(row);
  return value;
}

static inline size_t read_string(session *reader, const char *name, char *buffer, size_t size) {
  sqlite3_stmt *row = found(reader, name);
  size_t length = (size_t)sqlite3_column_bytes(row, 0);
  if (length < size) memcpy(buffer, sqlite3_column_text(row, 0), length + 1);
  sqlite3_reset(row);
  return length;
}

static void subject_commit(const char *const *names, const int64_t *values, int count) {
  begin_writing();
  run(begin);
  for (int index = 0; index < count; index++) {
    sqlite3_bind_text(replace, 1, names[index], -1, SQLITE_STATIC);
    sqlite3_bind_int64(replace, 2, values[index]);
    run(replace);
  }
  run(commit);
}

#include "driver.h"

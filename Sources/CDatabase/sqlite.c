// A file of SQLite: write-ahead log, each commit on the disk before it counts.
#include "database.h"

#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static lvdb_result result_of(lvdb_database *database, int code) {
  switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE: return LVDB_DONE;
    case SQLITE_ROW: return LVDB_ROW;
    case SQLITE_CONSTRAINT: return lvdb_fail(database, LVDB_CONSTRAINT, sqlite3_errmsg(database->connection));
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return lvdb_fail(database, LVDB_BUSY, "the database is kept by somebody else");
    case SQLITE_FULL: return lvdb_fail(database, LVDB_FULL, "there is no room for the database");
    case SQLITE_NOMEM: return lvdb_fail(database, LVDB_NO_MEMORY, "there is no memory");
    default: return lvdb_fail(database, LVDB_FAILED, sqlite3_errmsg(database->connection));
  }
}

static lvdb_result run(lvdb_database *database, const char *sql) {
  return result_of(database, sqlite3_exec(database->connection, sql, NULL, NULL, NULL));
}

static lvdb_result begin(lvdb_database *database) { return run(database, "BEGIN IMMEDIATE"); }
static lvdb_result commit(lvdb_database *database) { return run(database, "COMMIT"); }
static void rollback(lvdb_database *database) {
  if (!sqlite3_get_autocommit(database->connection)) run(database, "ROLLBACK");
}

static bool prepare(lvdb_statement *statement) {
  (void)statement;
  return true;
}

static lvdb_result bind(lvdb_statement *statement) {
  lvdb_database *database = statement->database;
  sqlite3_stmt *made = NULL;
  int code = sqlite3_prepare_v2(database->connection, statement->sql, -1, &made, NULL);
  statement->state = made;
  for (int index = 0; code == SQLITE_OK && index < statement->count; index++) {
    lvdb_parameter *given = &statement->parameters[index];
    switch (given->type) {
      case LVDB_INT: code = sqlite3_bind_int64(made, index + 1, given->number); break;
      case LVDB_TEXT: code = sqlite3_bind_text64(made, index + 1, (char *)given->bytes, given->count, SQLITE_STATIC, SQLITE_UTF8); break;
      case LVDB_BYTES: code = sqlite3_bind_blob64(made, index + 1, given->bytes, given->count, SQLITE_STATIC); break;
      case LVDB_NULL: code = sqlite3_bind_null(made, index + 1); break;
    }
  }
  return result_of(database, code);
}

static lvdb_result step(lvdb_statement *statement) {
  if (!statement->state) {
    lvdb_result bound = bind(statement);
    if (bound != LVDB_DONE) return bound;
  }
  return result_of(statement->database, sqlite3_step(statement->state));
}

static bool is_null(lvdb_statement *statement, int column) {
  return sqlite3_column_type(statement->state, column) == SQLITE_NULL;
}
static int64_t number(lvdb_statement *statement, int column) { return sqlite3_column_int64(statement->state, column); }
static const uint8_t *bytes(lvdb_statement *statement, int column, size_t *count) {
  const uint8_t *start = sqlite3_column_blob(statement->state, column);
  *count = start ? (size_t)sqlite3_column_bytes(statement->state, column) : 0;
  return start;
}
static void finish(lvdb_statement *statement) { sqlite3_finalize(statement->state); }
static void close_connection(lvdb_database *database) { sqlite3_close_v2(database->connection); }

static const lvdb_backend backend = {
  .begin = begin, .commit = commit, .rollback = rollback, .run = run, .prepare = prepare, .step = step, .is_null = is_null,
  .number = number, .bytes = bytes, .finish = finish, .close = close_connection,
};

// A text in small letters. SQLite's own function knows those of ASCII alone.
static void lower(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *text = (const char *)sqlite3_value_text(values[0]);
  size_t size = (size_t)sqlite3_value_bytes(values[0]), used = 0;
  if (!text) return sqlite3_result_null(context);
  // A letter has at most four bytes.
  char *lowered = sqlite3_malloc64(4 * (sqlite3_uint64)size + 1);
  if (!lowered) return sqlite3_result_error_nomem(context);
  locale_t before = uselocale(sqlite3_user_data(context));
  for (size_t at = 0; at < size;) {
    mbstate_t read = {0}, written = {0};
    wchar_t letter;
    char made[MB_LEN_MAX];
    size_t length = mbrtowc(&letter, text + at, size - at, &read);
    // What is no UTF-8 stays as it is.
    bool is_letter = length > 0 && length <= size - at;
    size_t wanted = is_letter ? wcrtomb(made, (wchar_t)towlower((wint_t)letter), &written) : (size_t)-1;
    if (wanted > 4) {
      length = is_letter ? length : 1;
      memcpy(lowered + used, text + at, length);
      wanted = length;
    } else {
      memcpy(lowered + used, made, wanted);
    }
    used += wanted;
    at += length;
  }
  uselocale(before);
  sqlite3_result_text64(context, lowered, used, sqlite3_free, SQLITE_UTF8);
}

static void free_letters(void *letters) { freelocale(letters); }

lvdb_result lvdb_sqlite_open(lvdb_database *database) {
  sqlite3 *connection = NULL;
  database->backend = &backend;
  // What is secret lies in it. A file that is there is left alone: to close it would give up locks that this process has on it.
  int file = access(database->place, F_OK) == 0 ? -1 : open(database->place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  int code = sqlite3_open_v2(database->place, &connection,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
  database->connection = connection;
  if (!connection) return lvdb_fail(database, LVDB_NO_MEMORY, "there is no memory");
  if (code != SQLITE_OK) return result_of(database, code);
  sqlite3_busy_timeout(connection, 10000);
  // What a file holds is not trusted with more than its content.
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  locale_t letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  if (letters)
    sqlite3_create_function_v2(connection, "lower", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, letters, lower, NULL, NULL, free_letters);
  return run(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
}

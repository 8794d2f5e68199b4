// What the two kinds of databases have in common.
#ifndef DATABASE_H
#define DATABASE_H

#include <cdatabase.h>
#include <pthread.h>

enum { LVDB_PARAMETERS_MAX = 32 };

typedef struct lvdb_backend {
  lvdb_result (*begin)(lvdb_database *database);
  lvdb_result (*commit)(lvdb_database *database);
  void (*rollback)(lvdb_database *database);
  lvdb_result (*run)(lvdb_database *database, const char *sql);
  // What stands for the statement; NULL without memory.
  bool (*prepare)(lvdb_statement *statement);
  lvdb_result (*step)(lvdb_statement *statement);
  bool (*is_null)(lvdb_statement *statement, int column);
  int64_t (*number)(lvdb_statement *statement, int column);
  const uint8_t *(*bytes)(lvdb_statement *statement, int column, size_t *count);
  void (*finish)(lvdb_statement *statement);
  void (*close)(lvdb_database *database);
} lvdb_backend;

struct lvdb_database {
  const lvdb_backend *backend;
  void *connection;
  char *place;
  // Which thread is changing something; 0 for none.
  uintptr_t owner;
  char reason[LVDB_REASON_MAX];
  char detail[LVDB_REASON_MAX];
  // When a server was looked for last and was not there, in milliseconds; 0 while it is.
  int64_t lost;
};

typedef enum lvdb_type { LVDB_NULL, LVDB_INT, LVDB_TEXT, LVDB_BYTES } lvdb_type;

typedef struct lvdb_parameter {
  lvdb_type type;
  int64_t number;
  uint8_t *bytes;
  size_t count;
} lvdb_parameter;

struct lvdb_statement {
  lvdb_database *database;
  char *sql;
  lvdb_parameter parameters[LVDB_PARAMETERS_MAX];
  int count;
  // There was no memory for one of them, or there are too many.
  bool is_short;
  void *state;
  int row;
};

lvdb_result lvdb_sqlite_open(lvdb_database *database);
lvdb_result lvdb_postgres_open(lvdb_database *database);
lvdb_result lvdb_fail(lvdb_database *database, lvdb_result result, const char *reason);
// The same, and what else there is to say of it.
lvdb_result lvdb_fail_with(lvdb_database *database, lvdb_result result, const char *reason, const char *detail);

#endif

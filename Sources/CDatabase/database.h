// What the two kinds of databases have in common.
#ifndef DATABASE_H
#define DATABASE_H

#include <cdatabase.h>
#include <pthread.h>

enum { LVQ_PARAMETERS_MAX = 24 };

typedef struct lvq_backend {
  lvq_result (*begin)(lvq_database *database);
  lvq_result (*commit)(lvq_database *database);
  void (*rollback)(lvq_database *database);
  lvq_result (*run)(lvq_database *database, const char *sql);
  // What stands for the statement; NULL without memory.
  bool (*prepare)(lvq_statement *statement);
  lvq_result (*step)(lvq_statement *statement);
  bool (*is_null)(lvq_statement *statement, int column);
  int64_t (*number)(lvq_statement *statement, int column);
  const uint8_t *(*bytes)(lvq_statement *statement, int column, size_t *count);
  void (*finish)(lvq_statement *statement);
  void (*close)(lvq_database *database);
} lvq_backend;

struct lvq_database {
  const lvq_backend *backend;
  void *connection;
  char *place;
  // Who began to change something.
  pthread_t owner;
  _Atomic bool is_changing;
  char reason[LVQ_REASON_MAX];
};

typedef enum lvq_type { LVQ_NULL, LVQ_INT, LVQ_TEXT, LVQ_BYTES } lvq_type;

typedef struct lvq_parameter {
  lvq_type type;
  int64_t number;
  uint8_t *bytes;
  size_t count;
} lvq_parameter;

struct lvq_statement {
  lvq_database *database;
  char *sql;
  lvq_parameter parameters[LVQ_PARAMETERS_MAX];
  int count;
  // There was no memory for one of them, or there are too many.
  bool is_short;
  void *state;
  int row;
};

lvq_result lvq_sqlite_open(lvq_database *database);
lvq_result lvq_postgres_open(lvq_database *database);
lvq_result lvq_fail(lvq_database *database, lvq_result result, const char *reason);

#endif

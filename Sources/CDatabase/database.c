// What is the same for both kinds.
#include "database.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lvdb_result lvdb_fail(lvdb_database *database, lvdb_result result, const char *reason) {
  size_t count = 0;
  // One line of it.
  for (; reason[count] && reason[count] != '\n' && count + 1 < sizeof database->reason; count++)
    database->reason[count] = reason[count];
  database->reason[count] = 0;
  database->detail[0] = 0;
  return result;
}

lvdb_result lvdb_fail_with(lvdb_database *database, lvdb_result result, const char *reason, const char *detail) {
  lvdb_fail(database, result, reason);
  size_t count = strcspn(detail, "\n");
  if (count >= sizeof database->detail) count = sizeof database->detail - 1;
  memcpy(database->detail, detail, count);
  database->detail[count] = 0;
  return result;
}

static bool is_address(const char *place) {
  return strncmp(place, "postgresql://", 13) == 0 || strncmp(place, "postgres://", 11) == 0;
}

lvdb_result lvdb_open(const char *place, lvdb_database **result, char reason[LVDB_REASON_MAX]) {
  lvdb_database *database = calloc(1, sizeof *database);
  char *copy = strdup(place);
  strcpy(reason, "there is no memory");
  if (!database || !copy) {
    free(database);
    free(copy);
    return LVDB_NO_MEMORY;
  }
  database->place = copy;
  lvdb_result opened = is_address(place) ? lvdb_postgres_open(database) : lvdb_sqlite_open(database);
  if (opened == LVDB_DONE) {
    reason[0] = 0;
    *result = database;
    return LVDB_DONE;
  }
  snprintf(reason, LVDB_REASON_MAX, "%s%s%s", database->reason, database->detail[0] ? ": " : "", database->detail);
  lvdb_close(database);
  return opened;
}

void lvdb_close(lvdb_database *database) {
  if (!database) return;
  if (database->backend && database->connection) database->backend->close(database);
  free(database->place);
  free(database);
}

const char *lvdb_reason(const lvdb_database *database) { return database->reason; }

const char *lvdb_detail(const lvdb_database *database) { return database->detail; }

bool lvdb_is_server(const lvdb_database *database) { return is_address(database->place); }

// The address of what each thread has of its own.
static uintptr_t this_thread(void) {
  static _Thread_local char own;
  return (uintptr_t)&own;
}

// Read without a lock, by each thread for itself: what it has not set itself is not its own.
static void set_owner(lvdb_database *database, uintptr_t owner) {
  __atomic_store_n(&database->owner, owner, __ATOMIC_RELAXED);
}

lvdb_result lvdb_begin(lvdb_database *database) {
  lvdb_result begun = database->backend->begin(database);
  if (begun == LVDB_DONE) {
    set_owner(database, this_thread());
  } else {
    char reason[LVDB_REASON_MAX], detail[LVDB_REASON_MAX];
    memcpy(reason, database->reason, sizeof reason);
    memcpy(detail, database->detail, sizeof detail);
    database->backend->rollback(database);
    memcpy(database->reason, reason, sizeof reason);
    memcpy(database->detail, detail, sizeof detail);
  }
  return begun;
}

lvdb_result lvdb_commit(lvdb_database *database) {
  lvdb_result done = database->backend->commit(database);
  if (done == LVDB_DONE) set_owner(database, 0);
  return done;
}

void lvdb_rollback(lvdb_database *database) {
  set_owner(database, 0);
  database->backend->rollback(database);
}

bool lvdb_is_own(const lvdb_database *database) {
  return __atomic_load_n(&database->owner, __ATOMIC_RELAXED) == this_thread();
}

lvdb_result lvdb_run(lvdb_database *database, const char *sql) { return database->backend->run(database, sql); }

lvdb_statement *lvdb_prepare(lvdb_database *database, const char *sql) {
  lvdb_statement *statement = calloc(1, sizeof *statement);
  if (!statement) return NULL;
  statement->database = database;
  statement->sql = strdup(sql);
  if (!statement->sql || !database->backend->prepare(statement)) {
    free(statement->sql);
    free(statement);
    return NULL;
  }
  return statement;
}

static lvdb_parameter *next(lvdb_statement *statement, lvdb_type type) {
  if (statement->count == LVDB_PARAMETERS_MAX) {
    statement->is_short = true;
    return NULL;
  }
  lvdb_parameter *parameter = &statement->parameters[statement->count++];
  parameter->type = type;
  return parameter;
}

void lvdb_bind_int(lvdb_statement *statement, int64_t number) {
  lvdb_parameter *parameter = next(statement, LVDB_INT);
  if (parameter) parameter->number = number;
}

static void bind(lvdb_statement *statement, lvdb_type type, const void *bytes, size_t count) {
  lvdb_parameter *parameter = next(statement, type);
  if (!parameter) return;
  parameter->bytes = malloc(count + 1);
  if (!parameter->bytes) {
    statement->is_short = true;
    return;
  }
  if (count) memcpy(parameter->bytes, bytes, count);
  parameter->bytes[count] = 0;
  parameter->count = count;
}

void lvdb_bind_text(lvdb_statement *statement, const char *text, size_t count) { bind(statement, LVDB_TEXT, text, count); }
void lvdb_bind_bytes(lvdb_statement *statement, const uint8_t *bytes, size_t count) { bind(statement, LVDB_BYTES, bytes, count); }
void lvdb_bind_null(lvdb_statement *statement) { next(statement, LVDB_NULL); }

lvdb_result lvdb_step(lvdb_statement *statement) {
  if (statement->is_short) return lvdb_fail(statement->database, LVDB_NO_MEMORY, "there is no memory");
  return statement->database->backend->step(statement);
}

bool lvdb_is_null(lvdb_statement *statement, int column) { return statement->database->backend->is_null(statement, column); }
int64_t lvdb_int(lvdb_statement *statement, int column) { return statement->database->backend->number(statement, column); }

const uint8_t *lvdb_bytes(lvdb_statement *statement, int column, size_t *count) {
  *count = 0;
  return statement->database->backend->bytes(statement, column, count);
}

void lvdb_finish(lvdb_statement *statement) {
  if (!statement) return;
  statement->database->backend->finish(statement);
  for (int index = 0; index < statement->count; index++) free(statement->parameters[index].bytes);
  free(statement->sql);
  free(statement);
}

// What is the same for both kinds.
#include "database.h"

#include <stdlib.h>
#include <string.h>

lvq_result lvq_fail(lvq_database *database, lvq_result result, const char *reason) {
  size_t count = 0;
  // One line of it.
  for (; reason[count] && reason[count] != '\n' && count + 1 < sizeof database->reason; count++)
    database->reason[count] = reason[count];
  database->reason[count] = 0;
  return result;
}

static bool is_address(const char *place) {
  return strncmp(place, "postgresql://", 13) == 0 || strncmp(place, "postgres://", 11) == 0;
}

lvq_result lvq_open(const char *place, lvq_database **result, char reason[LVQ_REASON_MAX]) {
  lvq_database *database = calloc(1, sizeof *database);
  char *copy = strdup(place);
  strcpy(reason, "there is no memory");
  if (!database || !copy) {
    free(database);
    free(copy);
    return LVQ_NO_MEMORY;
  }
  database->place = copy;
  lvq_result opened = is_address(place) ? lvq_postgres_open(database) : lvq_sqlite_open(database);
  if (opened == LVQ_DONE) {
    reason[0] = 0;
    *result = database;
    return LVQ_DONE;
  }
  memcpy(reason, database->reason, LVQ_REASON_MAX);
  lvq_close(database);
  return opened;
}

void lvq_close(lvq_database *database) {
  if (!database) return;
  if (database->backend && database->connection) database->backend->close(database);
  free(database->place);
  free(database);
}

const char *lvq_reason(const lvq_database *database) { return database->reason; }

bool lvq_is_server(const lvq_database *database) { return is_address(database->place); }

lvq_result lvq_begin(lvq_database *database) {
  lvq_result begun = database->backend->begin(database);
  if (begun == LVQ_DONE) {
    database->owner = pthread_self();
    database->is_changing = true;
  } else {
    char reason[LVQ_REASON_MAX];
    memcpy(reason, database->reason, sizeof reason);
    database->backend->rollback(database);
    memcpy(database->reason, reason, sizeof reason);
  }
  return begun;
}

lvq_result lvq_commit(lvq_database *database) {
  lvq_result done = database->backend->commit(database);
  if (done == LVQ_DONE) database->is_changing = false;
  return done;
}

void lvq_rollback(lvq_database *database) {
  database->is_changing = false;
  database->backend->rollback(database);
}

bool lvq_is_own(const lvq_database *database) {
  return database->is_changing && pthread_equal(database->owner, pthread_self());
}

lvq_result lvq_run(lvq_database *database, const char *sql) { return database->backend->run(database, sql); }

lvq_statement *lvq_prepare(lvq_database *database, const char *sql) {
  lvq_statement *statement = calloc(1, sizeof *statement);
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

static lvq_parameter *next(lvq_statement *statement, lvq_type type) {
  if (statement->count == LVQ_PARAMETERS_MAX) {
    statement->is_short = true;
    return NULL;
  }
  lvq_parameter *parameter = &statement->parameters[statement->count++];
  parameter->type = type;
  return parameter;
}

void lvq_bind_int(lvq_statement *statement, int64_t number) {
  lvq_parameter *parameter = next(statement, LVQ_INT);
  if (parameter) parameter->number = number;
}

static void bind(lvq_statement *statement, lvq_type type, const void *bytes, size_t count) {
  lvq_parameter *parameter = next(statement, type);
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

void lvq_bind_text(lvq_statement *statement, const char *text, size_t count) { bind(statement, LVQ_TEXT, text, count); }
void lvq_bind_bytes(lvq_statement *statement, const uint8_t *bytes, size_t count) { bind(statement, LVQ_BYTES, bytes, count); }
void lvq_bind_null(lvq_statement *statement) { next(statement, LVQ_NULL); }

lvq_result lvq_step(lvq_statement *statement) {
  if (statement->is_short) return lvq_fail(statement->database, LVQ_NO_MEMORY, "there is no memory");
  return statement->database->backend->step(statement);
}

bool lvq_is_null(lvq_statement *statement, int column) { return statement->database->backend->is_null(statement, column); }
int64_t lvq_int(lvq_statement *statement, int column) { return statement->database->backend->number(statement, column); }

const uint8_t *lvq_bytes(lvq_statement *statement, int column, size_t *count) {
  *count = 0;
  return statement->database->backend->bytes(statement, column, count);
}

void lvq_finish(lvq_statement *statement) {
  if (!statement) return;
  statement->database->backend->finish(statement);
  for (int index = 0; index < statement->count; index++) free(statement->parameters[index].bytes);
  free(statement->sql);
  free(statement);
}

// A server of PostgreSQL, by libpq, which is loaded when it is needed first. Numbers and bytes travel in binary.
#include "database.h"

#include "cclient.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// As libpq-fe.h has them, which says that they stay as they are.
typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;
enum { CONNECTION_OK = 0, PGRES_EMPTY_QUERY = 0, PGRES_COMMAND_OK = 1, PGRES_TUPLES_OK = 2 };
enum { OID_BYTEA = 17, OID_INT8 = 20, OID_TEXT = 25, SQLSTATE = 'C' };

static struct {
  PGconn *(*connect)(const char *);
  int (*status)(const PGconn *);
  void (*reset)(PGconn *);
  char *(*error)(const PGconn *);
  void (*finish)(PGconn *);
  PGresult *(*exec)(PGconn *, const char *);
  PGresult *(*exec_params)(PGconn *, const char *, int, const unsigned *, const char *const *, const int *, const int *, int);
  int (*result_status)(const PGresult *);
  char *(*field)(const PGresult *, int);
  char *(*result_error)(const PGresult *);
  int (*tuples)(const PGresult *);
  int (*is_null)(const PGresult *, int, int);
  char *(*value)(const PGresult *, int, int);
  int (*length)(const PGresult *, int, int);
  void (*clear)(PGresult *);
  void (*(*notices)(PGconn *, void (*)(void *, const PGresult *), void *))(void *, const PGresult *);
  bool is_loaded;
} pq;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  // A command may end while others of its threads speak TLS.
  lvc_openssl_keep();
  struct { const char *name; void *place; } functions[] = {
    { "PQconnectdb", &pq.connect }, { "PQstatus", &pq.status }, { "PQreset", &pq.reset }, { "PQerrorMessage", &pq.error },
    { "PQfinish", &pq.finish }, { "PQexec", &pq.exec }, { "PQexecParams", &pq.exec_params },
    { "PQresultStatus", &pq.result_status }, { "PQresultErrorField", &pq.field }, { "PQresultErrorMessage", &pq.result_error },
    { "PQntuples", &pq.tuples }, { "PQgetisnull", &pq.is_null }, { "PQgetvalue", &pq.value }, { "PQgetlength", &pq.length },
    { "PQclear", &pq.clear }, { "PQsetNoticeReceiver", &pq.notices },
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
    void *found = dlsym(library, functions[index].name);
    if (!found) return;
    memcpy(functions[index].place, &found, sizeof found);
  }
  pq.is_loaded = true;
}

static void ignore(void *context, const PGresult *result) {
  (void)context;
  (void)result;
}

static lvdb_result lost(lvdb_database *database) {
  return lvdb_fail_with(database, LVDB_BUSY, "the database cannot be reached", pq.error(database->connection));
}

// What a result says; the result is cleared unless it has rows.
static lvdb_result result_of(lvdb_database *database, PGresult *result) {
  if (!result) return lost(database);
  int status = pq.result_status(result);
  if (status == PGRES_TUPLES_OK) return LVDB_ROW;
  if (status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY) {
    pq.clear(result);
    return LVDB_DONE;
  }
  lvdb_result failed = LVDB_FAILED;
  const char *state = pq.field(result, SQLSTATE);
  if (pq.status(database->connection) != CONNECTION_OK) failed = lost(database);
  else {
    if (state && strncmp(state, "23", 2) == 0) failed = LVDB_CONSTRAINT;
    if (state && (strncmp(state, "40", 2) == 0 || strncmp(state, "55", 2) == 0 || strncmp(state, "57", 2) == 0)) failed = LVDB_BUSY;
    if (state && strncmp(state, "53100", 5) == 0) failed = LVDB_FULL;
    lvdb_fail(database, failed, pq.result_error(result));
  }
  pq.clear(result);
  return failed;
}

static lvdb_result run(lvdb_database *database, const char *sql) {
  PGresult *result = pq.exec(database->connection, sql);
  lvdb_result done = result_of(database, result);
  if (done == LVDB_ROW) {
    pq.clear(result);
    return LVDB_DONE;
  }
  return done;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// To compile a statement takes longer than any of these does. A server that does not know of it has none to switch off.
static void settle(lvdb_database *database) {
  PGresult *result = pq.exec(database->connection, "SET jit = off");
  if (result) pq.clear(result);
}

// A server that is gone is looked for once in a while, and not by everybody who asks: that may take seconds.
static bool reconnect(lvdb_database *database) {
  enum { PAUSE = 500 };
  if (pq.status(database->connection) == CONNECTION_OK) return true;
  if (database->lost && now() - database->lost < PAUSE) return false;
  pq.reset(database->connection);
  const bool is_there = pq.status(database->connection) == CONNECTION_OK;
  database->lost = is_there ? 0 : now();
  if (is_there) settle(database);
  return is_there;
}

// An address with what it does not say itself: a server that says nothing is given up, and text is UTF-8, after each reconnection.
static char *address_of(const char *place) {
  static const char *const usual[] = {
    "connect_timeout=5", "tcp_user_timeout=20000", "keepalives_idle=20", "keepalives_interval=5", "client_encoding=UTF8",
  };
  size_t room = strlen(place) + 1;
  for (size_t index = 0; index < sizeof usual / sizeof *usual; index++) room += strlen(usual[index]) + 1;
  char *address = malloc(room);
  if (!address) return NULL;
  strcpy(address, place);
  for (size_t index = 0; index < sizeof usual / sizeof *usual; index++) {
    char name[32];
    snprintf(name, sizeof name, "%.*s=", (int)strcspn(usual[index], "="), usual[index]);
    if (strstr(place, name)) continue;
    strcat(address, strchr(address, '?') ? "&" : "?");
    strcat(address, usual[index]);
  }
  return address;
}

static lvdb_result begin(lvdb_database *database) {
  if (!reconnect(database)) return lost(database);
  lvdb_result begun = run(database, "BEGIN");
  // A connection may have been lost without anybody having noticed.
  if (begun == LVDB_BUSY && reconnect(database)) begun = run(database, "BEGIN");
  if (begun != LVDB_DONE) return begun;
  // One writer at a time, as with a file. One whose machine is gone within a change is given up by the server, too.
  begun = run(database, "SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '30s'; "
                        "SELECT pg_advisory_xact_lock(7598807748135284)");
  if (begun == LVDB_BUSY && pq.status(database->connection) == CONNECTION_OK)
    lvdb_fail(database, LVDB_BUSY, "the database is kept by somebody else");
  return begun;
}
static lvdb_result commit(lvdb_database *database) { return run(database, "COMMIT"); }
static void rollback(lvdb_database *database) {
  if (pq.status(database->connection) == CONNECTION_OK) run(database, "ROLLBACK");
}

// `?` becomes `$1`, `$2` and so on.
static bool prepare(lvdb_statement *statement) {
  size_t marks = 0;
  for (const char *next = statement->sql; *next; next++) marks += *next == '?';
  char *sql = malloc(strlen(statement->sql) + marks * 3 + 1), *out = sql;
  if (!sql) return false;
  int number = 0;
  for (const char *next = statement->sql; *next; next++) {
    if (*next == '?') out += sprintf(out, "$%d", ++number);
    else *out++ = *next;
  }
  *out = 0;
  free(statement->sql);
  statement->sql = sql;
  statement->row = -1;
  return true;
}

static bool is_read(const char *sql) { return strncmp(sql, "SELECT", 6) == 0; }

static lvdb_result execute(lvdb_statement *statement) {
  lvdb_database *database = statement->database;
  // What was begun went with its connection: on another one its rest would be done by itself.
  const bool is_alone = !lvdb_is_own(database);
  if (is_alone ? !reconnect(database) : pq.status(database->connection) != CONNECTION_OK) return lost(database);
  unsigned types[LVDB_PARAMETERS_MAX];
  const char *values[LVDB_PARAMETERS_MAX];
  int lengths[LVDB_PARAMETERS_MAX], formats[LVDB_PARAMETERS_MAX];
  uint64_t numbers[LVDB_PARAMETERS_MAX];
  for (int index = 0; index < statement->count; index++) {
    lvdb_parameter *given = &statement->parameters[index];
    if (given->count > INT32_MAX) return lvdb_fail(database, LVDB_FAILED, "a value is too large");
    types[index] = given->type == LVDB_INT ? OID_INT8 : given->type == LVDB_TEXT ? OID_TEXT : given->type == LVDB_BYTES ? OID_BYTEA : 0;
    values[index] = (const char *)given->bytes;
    lengths[index] = (int)given->count;
    formats[index] = 1;
    if (given->type == LVDB_INT) {
      numbers[index] = __builtin_bswap64((uint64_t)given->number);
      values[index] = (const char *)&numbers[index];
      lengths[index] = 8;
    }
  }
  PGresult *result = NULL;
  lvdb_result done = LVDB_BUSY;
  // A connection may have been lost without anybody having noticed: what only reads is asked for again.
  for (bool is_again = false; done == LVDB_BUSY; is_again = true) {
    result = pq.exec_params(database->connection, statement->sql, statement->count, types, values, lengths, formats, 1);
    done = result_of(database, result);
    const bool is_lost = pq.status(database->connection) != CONNECTION_OK;
    if (!is_lost || is_again || !is_alone || !is_read(statement->sql) || !reconnect(database)) break;
  }
  if (done == LVDB_ROW) statement->state = result;
  return done;
}

static lvdb_result step(lvdb_statement *statement) {
  if (!statement->state) {
    lvdb_result done = execute(statement);
    if (done != LVDB_ROW) return done;
  }
  if (statement->row + 1 >= pq.tuples(statement->state)) return LVDB_DONE;
  statement->row++;
  return LVDB_ROW;
}

static bool is_null(lvdb_statement *statement, int column) { return pq.is_null(statement->state, statement->row, column); }

static int64_t number(lvdb_statement *statement, int column) {
  const uint8_t *bytes = (const uint8_t *)pq.value(statement->state, statement->row, column);
  int count = pq.length(statement->state, statement->row, column);
  if (!bytes || count < 1 || count > 8) return 0;
  // Numbers of 2, 4 and 8 bytes, the highest first.
  uint64_t read = bytes[0] & 0x80 ? UINT64_MAX : 0;
  for (int index = 0; index < count; index++) read = read << 8 | bytes[index];
  return (int64_t)read;
}

static const uint8_t *bytes(lvdb_statement *statement, int column, size_t *count) {
  if (is_null(statement, column)) return NULL;
  *count = (size_t)pq.length(statement->state, statement->row, column);
  return (const uint8_t *)pq.value(statement->state, statement->row, column);
}

static void finish(lvdb_statement *statement) {
  if (statement->state) pq.clear(statement->state);
}
static void close_connection(lvdb_database *database) { pq.finish(database->connection); }

static const lvdb_backend backend = {
  .begin = begin, .commit = commit, .rollback = rollback, .run = run, .prepare = prepare, .step = step, .is_null = is_null,
  .number = number, .bytes = bytes, .finish = finish, .close = close_connection,
};

lvdb_result lvdb_postgres_open(lvdb_database *database) {
  pthread_once(&once, load);
  if (!pq.is_loaded) return lvdb_fail(database, LVDB_FAILED, "libpq.so.5 cannot be loaded: install libpq5");
  database->backend = &backend;
  char *address = address_of(database->place);
  database->connection = address ? pq.connect(address) : NULL;
  free(address);
  if (!database->connection) return lvdb_fail(database, LVDB_NO_MEMORY, "there is no memory");
  pq.notices(database->connection, ignore, NULL);
  if (pq.status(database->connection) != CONNECTION_OK) return lost(database);
  settle(database);
  return LVDB_DONE;
}

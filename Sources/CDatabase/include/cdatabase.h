// A database of SQL: a file of SQLite, or a server of PostgreSQL, whose library the first connection loads. One dialect for both:
// parameters are `?`, types are BIGINT, TEXT and BYTEA, and what changes something comes between lvdb_begin() and lvdb_commit().
//
// A connection is used by one thread at a time.
#ifndef CDATABASE_H
#define CDATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lvdb_database lvdb_database;
typedef struct lvdb_statement lvdb_statement;

typedef enum lvdb_result {
  LVDB_DONE,
  // A row is there.
  LVDB_ROW,
  // What must be there once is there already, or something that is referred to is not.
  LVDB_CONSTRAINT,
  // Somebody else keeps it for too long, or there is no connection for the moment.
  LVDB_BUSY,
  // The disk is full.
  LVDB_FULL,
  LVDB_NO_MEMORY,
  // Anything else: lvdb_reason() says what.
  LVDB_FAILED,
} lvdb_result;

enum { LVDB_REASON_MAX = 512 };

// Opens a file, which is made if it is missing, or connects: `postgresql://…` and `postgres://…` are servers. A server that
// cannot be reached is LVDB_BUSY, one whose library is missing LVDB_FAILED. The reason is there on failure.
lvdb_result lvdb_open(const char *place, lvdb_database **database, char reason[LVDB_REASON_MAX]);
void lvdb_close(lvdb_database *database);
// One line for people: why the last call failed.
const char *lvdb_reason(const lvdb_database *database);
// What else there is to say of it, as where the database is: nothing for who asks over a network. "" if there is nothing.
const char *lvdb_detail(const lvdb_database *database);
bool lvdb_is_server(const lvdb_database *database);

// Begins to change: alone, until lvdb_commit() or lvdb_rollback(). A lost connection is made anew first.
lvdb_result lvdb_begin(lvdb_database *database);
// Whether it is on the disk. If the answer was lost it is LVDB_BUSY, and may be there or not.
lvdb_result lvdb_commit(lvdb_database *database);
void lvdb_rollback(lvdb_database *database);
// Whether it was this thread that began.
bool lvdb_is_own(const lvdb_database *database);

// Statements without parameters, separated by `;`.
lvdb_result lvdb_run(lvdb_database *database, const char *sql);

// A statement with its parameters, which are copied, in their order. NULL without memory. One that is wrong fails in lvdb_step().
lvdb_statement *lvdb_prepare(lvdb_database *database, const char *sql);
void lvdb_bind_int(lvdb_statement *statement, int64_t number);
void lvdb_bind_text(lvdb_statement *statement, const char *text, size_t count);
void lvdb_bind_bytes(lvdb_statement *statement, const uint8_t *bytes, size_t count);
void lvdb_bind_null(lvdb_statement *statement);
// The next row, or the end.
lvdb_result lvdb_step(lvdb_statement *statement);
bool lvdb_is_null(lvdb_statement *statement, int column);
int64_t lvdb_int(lvdb_statement *statement, int column);
// Text or bytes, until the next call of lvdb_step().
const uint8_t *lvdb_bytes(lvdb_statement *statement, int column, size_t *count);
void lvdb_finish(lvdb_statement *statement);

#endif

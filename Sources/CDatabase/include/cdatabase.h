// A database of SQL: a file of SQLite, or a server of PostgreSQL, whose library the first connection loads. One dialect for both:
// parameters are `?`, types are BIGINT, TEXT and BYTEA, and what changes something comes between lvq_begin() and lvq_commit().
//
// A connection is used by one thread at a time.
#ifndef CDATABASE_H
#define CDATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lvq_database lvq_database;
typedef struct lvq_statement lvq_statement;

typedef enum lvq_result {
  LVQ_DONE,
  // A row is there.
  LVQ_ROW,
  // What must be there once is there already, or something that is referred to is not.
  LVQ_CONSTRAINT,
  // Somebody else keeps it for too long, or there is no connection for the moment.
  LVQ_BUSY,
  // The disk is full.
  LVQ_FULL,
  LVQ_NO_MEMORY,
  // Anything else: lvq_reason() says what.
  LVQ_FAILED,
} lvq_result;

enum { LVQ_REASON_MAX = 512 };

// Opens a file, which is made if it is missing, or connects: `postgresql://…` and `postgres://…` are servers. A server that
// cannot be reached is LVQ_BUSY, one whose library is missing LVQ_FAILED. The reason is there on failure.
lvq_result lvq_open(const char *place, lvq_database **database, char reason[LVQ_REASON_MAX]);
void lvq_close(lvq_database *database);
// One line for people: why the last call failed.
const char *lvq_reason(const lvq_database *database);
bool lvq_is_server(const lvq_database *database);

// Begins to change: alone, until lvq_commit() or lvq_rollback(). A lost connection is made anew first.
lvq_result lvq_begin(lvq_database *database);
// Whether it is on the disk. If the answer was lost it is LVQ_BUSY, and may be there or not.
lvq_result lvq_commit(lvq_database *database);
void lvq_rollback(lvq_database *database);
// Whether it was this thread that began.
bool lvq_is_own(const lvq_database *database);

// Statements without parameters, separated by `;`.
lvq_result lvq_run(lvq_database *database, const char *sql);

// A statement with its parameters, which are copied, in their order. NULL without memory. One that is wrong fails in lvq_step().
lvq_statement *lvq_prepare(lvq_database *database, const char *sql);
void lvq_bind_int(lvq_statement *statement, int64_t number);
void lvq_bind_text(lvq_statement *statement, const char *text, size_t count);
void lvq_bind_bytes(lvq_statement *statement, const uint8_t *bytes, size_t count);
void lvq_bind_null(lvq_statement *statement);
// The next row, or the end.
lvq_result lvq_step(lvq_statement *statement);
bool lvq_is_null(lvq_statement *statement, int column);
int64_t lvq_int(lvq_statement *statement, int column);
// Text or bytes, until the next call of lvq_step().
const uint8_t *lvq_bytes(lvq_statement *statement, int column, size_t *count);
void lvq_finish(lvq_statement *statement);

#endif

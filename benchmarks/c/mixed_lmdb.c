// LMDB as a careful program uses it, with the plain bytes of each value: one read transaction, renewed for each read so that
// commits are seen, and reset after it.
#include "mixed.h"

#include <lmdb.h>

static MDB_env *environment;
static MDB_dbi database;
static MDB_txn *reader;

static inline void check(int code) {
  if (code != 0) fail("lmdb", mdb_strerror(code));
}

/** The limits are those of a Livery store. */
static void open_environment(const char *path) {
  check(mdb_env_create(&environment));
  check(mdb_env_set_mapsize(environment, (size_t)1 << 30));
  check(mdb_env_set_maxreaders(environment, 1024));
  check(mdb_env_set_maxdbs(environment, 16));
  check(mdb_env_open(environment, path, MDB_NOTLS, 0600));
}

static void put(MDB_txn *transaction, const char *name, const value *value) {
  MDB_val place = {strlen(name), (void *)name}, data = {0, NULL};
  switch (value->kind) {
    case BOOL: data = (MDB_val){sizeof value->truth, (void *)&value->truth}; break;
    case INT: data = (MDB_val){sizeof value->integer, (void *)&value->integer}; break;
    case DOUBLE: data = (MDB_val){sizeof value->number, (void *)&value->number}; break;
    default: data = (MDB_val){value->length, (void *)value->text};
  }
  check(mdb_put(transaction, database, &place, &data, 0));
}

static void subject_make(const char *path, bool with_schema) {
  MDB_txn *transaction = NULL;
  value content;
  (void)with_schema;
  mkdir(path, 0700);
  open_environment(path);
  check(mdb_txn_begin(environment, NULL, 0, &transaction));
  check(mdb_dbi_open(transaction, "settings", MDB_CREATE, &database));
  for (long place = 0; place < setting_count; place++) {
    fill(&content, order[place], 0);
    put(transaction, names[place], &content);
  }
  check(mdb_txn_commit(transaction));
  mdb_env_close(environment);
}

static void subject_open(const char *path) {
  open_environment(path);
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &reader));
  check(mdb_dbi_open(reader, "settings", 0, &database));
  check(mdb_txn_commit(reader));
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &reader));
  mdb_txn_reset(reader);
}

static void subject_close(void) {
  mdb_txn_abort(reader);
  mdb_env_close(environment);
}

/** Copies a value of that size, or a text of at most that size, and returns its length. */
static inline size_t copied(const char *name, void *content, size_t size, bool is_text) {
  MDB_val place = {strlen(name), (void *)name}, data;
  check(mdb_txn_renew(reader));
  check(mdb_get(reader, database, &place, &data));
  if (is_text ? data.mv_size > size : data.mv_size != size) fail(name, "another size");
  memcpy(content, data.mv_data, data.mv_size);
  mdb_txn_reset(reader);
  return data.mv_size;
}

static inline void subject_read(const char *name, kind kind, value *value) {
  switch (kind) {
    case BOOL: copied(name, &value->truth, sizeof value->truth, false); break;
    case INT: copied(name, &value->integer, sizeof value->integer, false); break;
    case DOUBLE: copied(name, &value->number, sizeof value->number, false); break;
    default:
      value->length = copied(name, value->text, sizeof value->text - 1, true);
      value->text[value->length] = 0;
  }
}

static void subject_commit(const char *const *chosen, const value *values, int count) {
  MDB_txn *transaction = NULL;
  check(mdb_txn_begin(environment, NULL, 0, &transaction));
  for (int item = 0; item < count; item++) put(transaction, chosen[item], &values[item]);
  check(mdb_txn_commit(transaction));
}

#include "mixed_driver.h"

// LMDB as a careful program uses it: one read transaction for each thread, renewed for each read so that commits are
// seen, and reset after it. A value is a byte that tells its type, and then the number or text.
#include "workload.h"

#include <lmdb.h>
#include <sys/stat.h>

typedef struct session {
  MDB_txn *transaction;
} session;
#define HAS_THREADED_COMMITS

static MDB_env *environment;
static MDB_dbi database;

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

static void put(MDB_txn *transaction, const char *name, char type, const void *value, size_t length) {
  MDB_val place = {strlen(name), (void *)name}, data = {length + 1, NULL};
  check(mdb_put(transaction, database, &place, &data, MDB_RESERVE));
  *(char *)data.mv_data = type;
  memcpy((char *)data.mv_data + 1, value, length);
}

static void subject_make(const char *path, long count) {
  MDB_txn *transaction = NULL;
  char name[NAME_SIZE], text[TEXT_SIZE];
  mkdir(path, 0700);
  open_environment(path);
  check(mdb_txn_begin(environment, NULL, 0, &transaction));
  check(mdb_dbi_open(transaction, "settings", MDB_CREATE, &database));
  for (long index = 0; index < count; index++) {
    bool truth = bool_value(index);
    int64_t integer = int_value(index);
    double number = double_value(index);
    setting_name(name, index);
    switch (index % TYPES) {
      case BOOL: put(transaction, name, 'b', &truth, sizeof truth); break;
      case INT: put(transaction, name, 'i', &integer, sizeof integer); break;
      case DOUBLE: put(transaction, name, 'd', &number, sizeof number); break;
      default:
        text_value(text, index);
        put(transaction, name, 's', text, strlen(text));
    }
  }
  check(mdb_txn_commit(transaction));
  mdb_env_close(environment);
}

static session *session_open(void) {
  session *reader = allocated(sizeof *reader);
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &reader->transaction));
  mdb_txn_reset(reader->transaction);
  return reader;
}

static void session_close(session *reader) {
  mdb_txn_abort(reader->transaction);
  free(reader);
}

static void subject_open(const char *path, long count) {
  MDB_txn *transaction = NULL;
  (void)count;
  open_environment(path);
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction));
  check(mdb_dbi_open(transaction, "settings", 0, &database));
  check(mdb_txn_commit(transaction));
}

static void subject_close(void) { mdb_env_close(environment); }

/** Copies a value of at most `size` bytes and returns its length. */
static inline size_t read_value(session *reader, const char *name, char type, void *value, size_t size) {
  MDB_val place = {strlen(name), (void *)name}, data;
  check(mdb_txn_renew(reader->transaction));
  check(mdb_get(reader->transaction, database, &place, &data));
  const char *bytes = data.mv_data;
  if (data.mv_size < 1 || bytes[0] != type || data.mv_size - 1 > size) fail("lmdb", "another type");
  memcpy(value, bytes + 1, data.mv_size - 1);
  mdb_txn_reset(reader->transaction);
  return data.mv_size - 1;
}

static inline bool read_bool(session *reader, const char *name) {
  bool value = false;
  read_value(reader, name, 'b', &value, sizeof value);
  return value;
}

static inline int64_t read_int(session *reader, const char *name) {
  int64_t value = 0;
  read_value(reader, name, 'i', &value, sizeof value);
  return value;
}

static inline double read_double(session *reader, const char *name) {
  double value = 0;
  read_value(reader, name, 'd', &value, sizeof value);
  return value;
}

static inline size_t read_string(session *reader, const char *name, char *buffer, size_t size) {
  size_t length = read_value(reader, name, 's', buffer, size - 1);
  buffer[length] = 0;
  return length;
}

static void subject_commit(const char *const *names, const int64_t *values, int count) {
  MDB_txn *transaction = NULL;
  check(mdb_txn_begin(environment, NULL, 0, &transaction));
  for (int index = 0; index < count; index++) put(transaction, names[index], 'i', &values[index], sizeof values[index]);
  check(mdb_txn_commit(transaction));
}

#include "driver.h"

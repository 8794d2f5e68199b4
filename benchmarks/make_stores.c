// Makes the stores that are measured: a Livery store and a raw LMDB environment with the same settings.
//
//     make_stores COUNT LIVERY_STORE LMDB_DIRECTORY
#include "common.h"

#include <livery.h>
#include <lmdb.h>
#include <sys/stat.h>

static void make_livery(const char *path, long count) {
  char *schema = malloc((size_t)count * 200 + 200), name[64], value[96];
  char *end = schema;
  if (!schema) exit(1);
  end += sprintf(end, "{\"Version\": 1, \"Groups\": [{\"Title\": \"Generated\", \"Settings\": [");
  for (long index = 0; index < count; index++) {
    setting_name(name, sizeof name, index);
    setting_value(value, sizeof value, index);
    end += sprintf(end, "%s{\"Type\": %s, \"Title\": \"Setting %ld\", \"Key\": \"%s\", \"Value\": %s}",
                   index ? "," : "", setting_type(index), index, name, value);
  }
  sprintf(end, "]}]}");
  livery_store *store = NULL;
  livery_open_options options = LIVERY_OPEN_OPTIONS_INIT;
  options.flags = LIVERY_OPEN_CREATE;
  if (livery_open(path, &options, &store) != LIVERY_OK
      || livery_schema_apply(store, schema, LIVERY_ZERO_TERMINATED, NULL, NULL) != LIVERY_OK) {
    fprintf(stderr, "make_stores: %s\n", livery_last_error()->message);
    exit(1);
  }
  livery_close(store);
  free(schema);
}

static void check(int code) {
  if (code == 0) return;
  fprintf(stderr, "make_stores: %s\n", mdb_strerror(code));
  exit(1);
}

static void make_lmdb(const char *path, long count) {
  MDB_env *env = NULL;
  MDB_txn *transaction = NULL;
  MDB_dbi database = 0;
  mkdir(path, 0700);
  check(mdb_env_create(&env));
  check(mdb_env_set_mapsize(env, (size_t)1 << 30));
  check(mdb_env_set_maxreaders(env, 1024));
  check(mdb_env_set_maxdbs(env, 16));
  check(mdb_env_open(env, path, MDB_NOTLS, 0600));
  check(mdb_txn_begin(env, NULL, 0, &transaction));
  check(mdb_dbi_open(transaction, "settings", MDB_CREATE, &database));
  for (long index = 0; index < count; index++) {
    char name[64], value[96];
    setting_name(name, sizeof name, index);
    setting_value(value, sizeof value, index);
    MDB_val key = {strlen(name), name}, data = {strlen(value), value};
    check(mdb_put(transaction, database, &key, &data, 0));
  }
  check(mdb_txn_commit(transaction));
  mdb_env_close(env);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  make_livery(argv[2], atol(argv[1]));
  make_lmdb(argv[3], atol(argv[1]));
  return 0;
}

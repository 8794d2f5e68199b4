// Opens a raw LMDB environment and reads one value, with the same limits as a Livery store.
#include "common.h"

#include <lmdb.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  long index = middle(atol(argv[2]));
  char name[64], expected[96];
  setting_name(name, sizeof name, index);
  setting_value(expected, sizeof expected, index);
  MDB_env *env = NULL;
  MDB_txn *transaction = NULL;
  MDB_dbi database = 0;
  MDB_val key = {strlen(name), name}, data;
  if (mdb_env_create(&env) || mdb_env_set_mapsize(env, (size_t)1 << 30) || mdb_env_set_maxreaders(env, 1024)
      || mdb_env_set_maxdbs(env, 16) || mdb_env_open(env, argv[1], MDB_NOTLS, 0600)
      || mdb_txn_begin(env, NULL, MDB_RDONLY, &transaction) || mdb_dbi_open(transaction, "settings", 0, &database)
      || mdb_get(transaction, database, &key, &data))
    return 1;
  int same = data.mv_size == strlen(expected) && memcmp(data.mv_data, expected, data.mv_size) == 0;
  mdb_txn_abort(transaction);
  mdb_env_close(env);
  return same ? 0 : 1;
}

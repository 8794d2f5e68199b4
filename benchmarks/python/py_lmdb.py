"""py-lmdb, with a transaction for each read, so that commits are seen. It reads the store that c/raw_lmdb.c made."""
import struct

import driver
import lmdb


def open_subject(path: str, count: int) -> driver.Subject:
  environment = lmdb.open(path, map_size=1 << 30, max_readers=1024, max_dbs=16)
  database = environment.open_db(b"settings")
  begin, integer, number = environment.begin, struct.Struct("<q").unpack_from, struct.Struct("<d").unpack_from

  def get(name):
    with begin(database) as transaction:
      return transaction.get(name)

  def commit(edits):
    with begin(database, write=True) as transaction:
      for name, value in edits:
        transaction.put(name, b"i" + value.to_bytes(8, "little", signed=True))

  return driver.Subject(lambda name: get(name)[1] != 0, lambda name: integer(get(name), 1)[0],
                        lambda name: number(get(name), 1)[0], lambda name: get(name)[1:].decode(), commit,
                        encoded=str.encode)


driver.main(open_subject)

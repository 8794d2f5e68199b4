"""Python's dbm.gnu on a copy of the store that c/gdbm.c made: its writer and readers keep each other out."""
import dbm.gnu
import os
import shutil
import struct

import driver


def open_subject(path: str, count: int) -> driver.Subject:
  copy = shutil.copy(os.path.join(path, "settings.gdbm"), os.path.join(path, "copy.gdbm"))
  get = dbm.gnu.open(copy, "r").get
  integer, number = struct.Struct("<q").unpack_from, struct.Struct("<d").unpack_from
  return driver.Subject(lambda name: get(name)[1] != 0, lambda name: integer(get(name), 1)[0],
                        lambda name: number(get(name), 1)[0], lambda name: get(name)[1:].decode(), encoded=str.encode)


driver.main(open_subject)

"""What lies in the file of a store that seals, read by docs/file-format.md alone: with LMDB itself and Tests/Docs/read_record.py."""

import ctypes
import ctypes.util
import importlib.util
import os
from datetime import datetime, timedelta, timezone

import pytest

import livery
import livery.secrets
from conftest import ROOT

SPEC = importlib.util.spec_from_file_location("read_record", ROOT / "Tests" / "Docs" / "read_record.py")
read_record = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(read_record)

SCHEMA = """{"Version": 1, "Open": true, "Groups": [{"Title": "All", "Settings": [
  {"Type": "TextField", "Title": "Password", "Key": "password", "Class": ["Password"]},
  {"Type": "TextField", "Title": "PIN", "Key": "pin", "Class": ["Password"], "Volatile": true},
  {"Type": "Number", "Title": "Mode", "Key": "mode", "Format": "integer", "Value": 1, "Volatile": true},
  {"Type": "TextField", "Title": "Language", "Key": "language", "Value": "en", "Survives": ["logout"]}]}]}"""


class Value(ctypes.Structure):
  _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_void_p)]

  def bytes(self):
    return ctypes.string_at(self.data, self.size)


def databases(path):
  """All that a file holds, by LMDB: keys and values of each database, of which the unnamed one is `meta`."""
  lmdb = ctypes.CDLL(ctypes.util.find_library("lmdb"))
  for name in ("env_open", "txn_begin", "dbi_open", "cursor_open", "cursor_get"):
    getattr(lmdb, "mdb_" + name).restype = ctypes.c_int
  environment, transaction = ctypes.c_void_p(), ctypes.c_void_p()
  assert lmdb.mdb_env_create(ctypes.byref(environment)) == 0
  lmdb.mdb_env_set_maxdbs(environment, 16)
  # MDB_NOSUBDIR, MDB_NOLOCK, MDB_RDONLY
  assert lmdb.mdb_env_open(environment, os.fsencode(path), 0x4000 | 0x400000 | 0x20000, 0o600) == 0
  assert lmdb.mdb_txn_begin(environment, None, 0x20000, ctypes.byref(transaction)) == 0
  found = {}
  for name in ("meta", "schema", "settings", "expiries", "log", "assets"):
    database, cursor = ctypes.c_uint(), ctypes.c_void_p()
    label = None if name == "meta" else name.encode()
    assert lmdb.mdb_dbi_open(transaction, label, 0, ctypes.byref(database)) == 0
    assert lmdb.mdb_cursor_open(transaction, database, ctypes.byref(cursor)) == 0
    key, value = Value(), Value()
    found[name] = {}
    # MDB_NEXT
    while lmdb.mdb_cursor_get(cursor, ctypes.byref(key), ctypes.byref(value), 8) == 0:
      if label or key.bytes().startswith(b"."):
        found[name][key.bytes()] = value.bytes()
    lmdb.mdb_cursor_close(cursor)
  lmdb.mdb_txn_abort(transaction)
  lmdb.mdb_env_close(environment)
  return found


def fnv1a(text):
  number = 0xcbf29ce484222325
  for byte in text:
    number = (number ^ byte) * 0x100000001b3 % 2**64
  return number


def test_the_page_tells_sealed_volatile_and_session_values_and_what_is_claimed(tmp_path, key):
  path = tmp_path / "store"
  with livery.open(path, create=True) as store:
    store.apply_schema(SCHEMA)
    with livery.secrets.open(store, file=key) as secrets:
      name = bytes.fromhex(secrets.status()["keys"][0])
      store.set("password", "swordfish")
      store.set("pin", "1234")
      store.set("mode", 7)
      with store.change(layer="session") as change:
        change.expires(timedelta(hours=1))
        change.set("language", "de")
  found = databases(path / "data.mdb")
  sums = read_record.find_xxh3()
  for database, tag in read_record.TAGS.items():
    for one, value in found[database].items():
      if database != "assets" and sums:
        assert read_record.checksums(database, one, value, tag, sums), (database, one)
      # All of it can be told.
      read_record.described(database, one, value) if database != "meta" else None
  user, session = 3, 4
  records = {one.decode(): read_record.setting(value) for one, value in found["settings"].items()}

  # In effect, and converted nowhere: what is sealed is stored once.
  assert records["password"]["head"] == 2 and len(records["password"]["entries"]) == 1
  password = records["password"]["entries"][0]
  assert password["type"] == 4 and password["flags"] == 8 and password["layer"] == "user"
  assert "string sealed form=1 type=string" in read_record.described_setting(found["settings"][b"password"])
  content = password["payload"]
  assert content[:3] == bytes([1, 4, user])
  # The key's name, a nonce of 24 bytes, the payload padded to 32, and 16 of Poly1305.
  assert content[3:11] == name and len(content) == 3 + 8 + 24 + 32 + 16

  boot = fnv1a(open("/proc/sys/kernel/random/boot_id", "rb").read().strip())
  mode = records["mode"]["entries"][0]
  assert mode["type"] == 2 and mode["flags"] == 2 and mode["payload"] == (7).to_bytes(8, "little")
  pin = records["pin"]["entries"][0]
  assert {mode["boot"], pin["boot"]} == {boot}
  assert pin["type"] == 4 and pin["flags"] == 2 + 8 and pin["payload"][:3] == bytes([1, 4, user])
  forever = (2**63 - 1).to_bytes(8, "big")
  assert {one[9:] for one in found["expiries"] if one[:8] == forever} == {b"mode", b"pin"}

  language = records["language"]["entries"][0]
  assert language["layer"] == "session"
  end = language["expires"]
  assert end > 0 and end.to_bytes(8, "big") + bytes([session]) + b"language" in found["expiries"]

  meta = {one.decode()[1:]: value[8:] for one, value in found["meta"].items()}
  assert meta["sealed"] == b"\0" + found["meta"][b".id"][-16:]
  latest = [value for one, value in found["meta"].items() if one.startswith(b".log:")]
  log = [read_record.whole(value[8:]) for value in [*found["log"].values(), *latest]]
  assert all(set(entry) == {"t", "l", "o", "k", "c", "e"} for entry in log)
  told = [change for entry in log for change in entry["c"] if change[0] == "password"]
  # There is a new value, and the setting held a secret.
  assert len(told) == 1 and told[0][2] & 34 == 34 and told[0][3][0] == "sealed" and told[0][3][1][:3] == bytes([1, 4, user])


def test_what_a_session_leaves_is_told_too(tmp_path):
  session = pytest.importorskip("livery.session")
  path = tmp_path / "store"
  with livery.open(path, create=True) as store:
    try:
      session.bootstrap(store, None).result(20)
    except OSError:
      pytest.skip("the extension `workflow` is not built")
    end = datetime.now(timezone.utc) + timedelta(hours=1)
    session.login(store, "Ada", token="a token", expires=end)
  found = databases(path / "data.mdb")
  meta = {one.decode()[1:]: value[8:] for one, value in found["meta"].items()}
  assert abs(int.from_bytes(meta["session-ends"], "little") - end.timestamp() * 1e6) < 2
  prefixes = read_record.whole(meta["claims"])
  assert "session." in repr(prefixes) and "session.token" in repr(prefixes)
  token = read_record.setting(found["settings"][b"session.token"])["entries"][0]
  assert token["layer"] == "session" and token["payload"] == b"a token"
  assert token["expires"] == int.from_bytes(meta["session-ends"], "little")

"""Keys that are exchanged: by several processes at once, in files, behind links and in the kernel's keyrings."""

import base64
import ctypes
import fcntl
import os
import subprocess
import uuid

import pytest

import livery
import livery.secrets
from conftest import SCHEMA, run, started

ROTATE = """
store = livery.open(sys.argv[1])
secrets = livery.secrets.open(store, **{sys.argv[2]: sys.argv[3]})
for _ in range(int(sys.argv[4])):
  try:
    secrets.rotate()
    print("OK")
  except livery.BusyError:
    print("BUSY")
"""
SET = "store = livery.open(sys.argv[1]); secrets = livery.secrets.open(store, **{sys.argv[2]: sys.argv[3]}); store.set('password', sys.argv[4])"
GET = "store = livery.open(sys.argv[1]); secrets = livery.secrets.open(store, **{sys.argv[2]: sys.argv[3]}); print(store['password'])"

KEEP = """
def wait(name, value):
  print("kept", flush=True)
  sys.stdin.readline()
  return value
store = livery.open(sys.argv[1])
store.claim("kept.", wait)
store.set("kept.a", 1)
"""

# The numbers of the system calls keyctl and add_key, where they are known.
NUMBERS = {"x86_64": (250, 248), "aarch64": (219, 217)}.get(os.uname().machine)


def forget(name):
  """Takes a key out of the user's keyring, by KEYCTL_SEARCH and KEYCTL_UNLINK."""
  call, user, long = ctypes.CDLL(None).syscall, ctypes.c_long(-4), ctypes.c_long
  key = call(long(NUMBERS[0]), long(10), user, b"user", name.encode(), long(0)) if NUMBERS else -1
  if key > 0:
    call(long(NUMBERS[0]), long(9), long(key), user)


@pytest.fixture
def keyring():
  name = f"livery-test-{uuid.uuid4()}"
  try:
    livery.secrets.make_key(keyring=name)
  except (livery.UnavailableError, livery.PermissionDeniedError):
    pytest.skip("no keyrings here")
  yield name
  forget(name)


@pytest.fixture(params=["file", "keyring"])
def source(request):
  """The name of the option, and what it is set to."""
  return request.param, request.getfixturevalue("key" if request.param == "file" else "keyring")


def test_processes_that_rotate_at_once_lose_nothing(path, source):
  run(SET, path, *source, "round 0")
  for number in range(3):
    processes = [started(ROTATE, path, *source, 6) for _ in range(4)]
    told = [word for process in processes for word in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0] * 4
    assert len(told) == 24 and set(told) <= {"OK", "BUSY"} and "OK" in told
    with livery.open(path) as store, livery.secrets.open(store, **dict([source])) as secrets:
      assert store["password"] == f"round {number}"
      status = secrets.status()
      assert status["unavailable"] == [] and len(status["keys"]) == 1
    run(SET, path, *source, f"round {number + 1}")


def test_what_is_set_after_another_process_has_exchanged_the_key_opens_for_all(path, source):
  option, place = source
  with livery.open(path) as store, livery.secrets.open(store, **{option: place}):
    store.set("password", "one")
    assert run(ROTATE, path, option, place, 1) == "OK"
    store.set("password", "two")
    assert store["password"] == "two"
    assert run(GET, path, option, place) == "two"


def test_a_key_that_is_behind_a_link_is_exchanged_where_it_is(path, key, tmp_path):
  folder = tmp_path / "elsewhere"
  folder.mkdir()
  real, inner, link = folder / "real.key", folder / "inner", tmp_path / "link"
  key.rename(real)
  inner.symlink_to("real.key")
  link.symlink_to("elsewhere/inner")
  run(SET, path, "file", link, "one")
  before = real.read_text()
  assert run(ROTATE, path, "file", link, 2) == "OK\nOK"
  assert os.readlink(link) == "elsewhere/inner" and os.readlink(inner) == "real.key"
  assert real.read_text() != before and len(real.read_text().splitlines()) == 1
  assert sorted(each.name for each in folder.iterdir()) == ["inner", "real.key"]
  assert run(GET, path, "file", real) == "one"


def test_a_key_is_made_where_a_link_leads(tmp_path):
  (tmp_path / "elsewhere").mkdir()
  link = tmp_path / "link"
  link.symlink_to(tmp_path / "elsewhere" / "real.key")
  livery.secrets.make_key(file=link)
  assert link.is_symlink() and link.stat().st_mode & 0o777 == 0o400
  with pytest.raises(livery.ConflictError):
    livery.secrets.make_key(file=link)
  loop = tmp_path / "loop"
  loop.symlink_to("loop")
  with pytest.raises(livery.LiveryError):
    livery.secrets.make_key(file=loop)


def test_the_next_rotation_removes_what_a_killed_one_has_left(path, key):
  run(SET, path, "file", key, "one")
  left = key.with_name(key.name + ".rotating")
  left.write_text(key.read_text())
  assert run(ROTATE, path, "file", key, 1) == "OK"
  assert sorted(each.name for each in key.parent.iterdir()) == [key.name, path.name]
  assert key.stat().st_mode & 0o777 == 0o400
  # Not even one that leads elsewhere is written through.
  elsewhere = path.parent / "elsewhere"
  elsewhere.write_text("untouched")
  left.symlink_to(elsewhere)
  assert run(ROTATE, path, "file", key, 1) == "OK"
  assert elsewhere.read_text() == "untouched" and not left.is_symlink()


def test_a_process_that_holds_the_lock_keeps_others_from_rotating_and_loses_it_with_its_end(path, source):
  option, place = source
  run(SET, path, option, place, "one")
  code = """
import fcntl, os
if sys.argv[1].endswith("secrets.lock"):
  fcntl.lockf(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600), fcntl.LOCK_EX, 1)
else:
  fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
  holder = started(code, place if option == "file" else path / "secrets.lock", stdin=subprocess.PIPE)
  assert holder.stdout.readline() == "held\n"
  assert run(ROTATE, path, option, place, 1) == "BUSY"
  holder.kill()
  holder.communicate()
  assert run(ROTATE, path, option, place, 1) == "OK"
  assert run(GET, path, option, place) == "one"


IN_A_SESSION = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
# A session's keyring of its own, without a link to the user's: KEYCTL_JOIN_SESSION_KEYRING, add_key.
name, text = sys.argv[2].encode(), sys.argv[3].encode()
if libc.syscall(ctypes.c_long(KEYCTL), ctypes.c_long(1), None) < 0:
  print("none")
  sys.exit()
if libc.syscall(ctypes.c_long(ADD_KEY), b"user", name, text, ctypes.c_size_t(len(text)), ctypes.c_long(-3)) < 0:
  print("none")
  sys.exit()
with livery.open(sys.argv[1]) as store, livery.secrets.open(store, keyring=sys.argv[2]) as secrets:
  store.set("password", "one")
  before = secrets.status()["keys"]
  secrets.rotate()
  after = secrets.status()["keys"]
  assert len(before) == len(after) == 1 and before != after, (before, after)
with livery.open(sys.argv[1]) as store, livery.secrets.open(store, keyring=sys.argv[2]) as secrets:
  assert secrets.status()["keys"] == after
  print(store["password"])
"""


def test_a_key_of_the_sessions_keyring_is_exchanged_there(path):
  if NUMBERS is None:
    pytest.skip("the numbers of the system calls are not known")
  text = "livery-key-1 " + base64.b64encode(os.urandom(32)).decode() + "\n"
  code = IN_A_SESSION.replace("KEYCTL)", f"{NUMBERS[0]})").replace("ADD_KEY)", f"{NUMBERS[1]})")
  told = run(code, path, f"livery-test-{uuid.uuid4()}", text)
  if told == "none":
    pytest.skip("no keyrings here")
  assert told == "one"


def test_a_key_of_a_store_in_memory_is_exchanged_too(keyring):
  with livery.open("/exchange-tests/memory", create=True, memory=True) as store:
    store.apply_schema(SCHEMA)
    with livery.secrets.open(store, keyring=keyring) as secrets:
      store.set("password", "one")
      before = secrets.status()["keys"]
      for _ in range(2):
        secrets.rotate()
      assert store["password"] == "one" and secrets.status()["keys"] != before


def keys(file):
  return [line for line in open(file) if line.startswith("livery-key-1")]


def test_a_store_that_cannot_be_sealed_anew_keeps_its_keys(path, key):
  run(SET, path, "file", key, "one")
  before = keys(key)
  with livery.open(path, read_only=True) as store, livery.secrets.open(store, file=key) as secrets:
    for _ in range(10):
      with pytest.raises(livery.ReadOnlyError):
        secrets.rotate()
  # Nor does one that is kept by somebody else.
  keeper = started(KEEP, path, stdin=subprocess.PIPE)
  assert keeper.stdout.readline() == "kept\n"
  with livery.open(path, busy_timeout=0.05) as store, livery.secrets.open(store, file=key) as secrets:
    for _ in range(10):
      with pytest.raises(livery.BusyError):
        secrets.rotate()
  keeper.communicate("\n")
  assert keys(key) == before
  assert run(GET, path, "file", key) == "one"


def test_what_was_interrupted_however_often_is_completed(path, key):
  """Each that was killed behind its first step has left a key."""
  run(SET, path, "file", key, "one")
  former = keys(key)
  os.chmod(key, 0o600)
  with open(key, "w") as file:
    file.writelines(["livery-key-1 " + base64.b64encode(os.urandom(32)).decode() + "\n" for _ in range(7)] + former)
  os.chmod(key, 0o400)
  with livery.open(path) as store, livery.secrets.open(store, file=key) as secrets:
    secrets.rotate()
    assert store["password"] == "one"
  assert len(keys(key)) == 1 and keys(key) != former
  run(ROTATE, path, "file", key, "2")
  assert run(GET, path, "file", key) == "one"


def test_who_may_list_the_folder_cannot_keep_others_from_rotating(path, keyring):
  run(SET, path, "keyring", keyring, "one")
  holder = os.open(path, os.O_RDONLY)
  try:
    fcntl.flock(holder, fcntl.LOCK_EX)
    assert run(ROTATE, path, "keyring", keyring, 1) == "OK"
  finally:
    os.close(holder)
  assert (path / "secrets.lock").stat().st_mode == (path / "data.mdb").stat().st_mode
  assert run(GET, path, "keyring", keyring) == "one"

"""Closed, collected, shared between threads, forked: an exception at worst, never a crash."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import textwrap
import threading
import warnings
from pathlib import Path

import livery
import pytest


def uses(store, key, snapshot, change):
  return [
    lambda: store["a"],
    lambda: store.get("a"),
    lambda: "a" in store,
    lambda: len(store),
    lambda: list(store),
    lambda: list(store.items()),
    lambda: store.get_bool("a"),
    lambda: store.get_string("a"),
    lambda: store.get_date("a"),
    lambda: store.get_list("a"),
    lambda: store.list(),
    lambda: store.list(limit=0),
    lambda: store.inspect("a"),
    lambda: store.settings(),
    lambda: store.revision,
    lambda: store.key("a"),
    lambda: store.snapshot(),
    lambda: store.change(),
    lambda: store.set("a", 1),
    lambda: store.reset("a"),
    lambda: store.apply_schema("{}"),
    lambda: store.check_schema("{}"),
    lambda: store.schema_version,
    lambda: store.schema_json(),
    lambda: store.import_json("{}"),
    lambda: store.import_plist(b""),
    lambda: store.export_json(),
    lambda: store.assets.put(b"x", any=True),
    lambda: store.assets.get("0" * 64),
    lambda: store.assets.info("0" * 64),
    lambda: store.assets.list(),
    lambda: store.assets.remove("0" * 64),
    lambda: store.assets.collect(),
    lambda: snapshot.asset("0" * 64),
    lambda: change.put(b"x", any=True),
    lambda: key.get_int(),
    lambda: key.get_string(),
    lambda: key.get_url(),
    lambda: snapshot["a"],
    lambda: "a" in snapshot,
    lambda: list(snapshot),
    lambda: snapshot.revision,
    lambda: change.set("a", 1),
    lambda: change.reset("a"),
    lambda: change.reset_all(),
    lambda: change.expires(None),
    lambda: change.expect("a", 1),
    lambda: change.violations(),
    lambda: change.commit(),
  ]


def test_a_closed_store_and_all_of_its_handles_raise(path):
  store = livery.open(path, create=True)
  store.set("a", 1)
  key, snapshot, change = store.key("a"), store.snapshot(), store.change()
  assert not store.closed and "open" in repr(store)
  store.close()
  assert store.closed and "closed" in repr(store)
  for use in uses(store, key, snapshot, change):
    with pytest.raises(livery.ClosedError):
      use()
  for handle in (store, key, snapshot, change):
    handle.close()
    handle.close()
    with pytest.raises(livery.ClosedError):
      handle.__enter__()


def test_values_outlive_their_store(path):
  with livery.open(path, create=True) as store:
    store.set("a", ["x", {"y": b"z"}])
    value = store["a"]
  assert value == ["x", {"y": b"z"}]


def test_handles_are_neither_copied_nor_pickled(store):
  for handle in (store, store.key("a"), store.change()):
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
      with pytest.raises(TypeError, match="neither copied nor pickled"):
        attempt(handle)


def test_what_is_collected_is_closed_with_a_warning(path):
  livery.open(path, create=True).close()
  with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    store = livery.open(path)
    store.change()["a"] = 1
    store.key("a")
    store.snapshot()
    del store
    gc.collect()
  assert {str(warning.message) for warning in caught} == {"a store was not closed", "a snapshot was not closed"}
  assert all(warning.category is ResourceWarning for warning in caught)


@pytest.mark.parametrize("part", [lambda store: store.key("a"), lambda store: store.assets, lambda store: store.branding])
def test_what_is_of_a_store_keeps_it_open(path, part):
  kept = part(livery.open(path, create=True))
  gc.collect()
  with livery.open(path) as other:
    other.set("a", 5)
  if isinstance(kept, livery.Key):
    assert kept.get_int() == 5
  else:
    assert "closed" not in repr(kept) and (kept.list() if isinstance(kept, livery.Assets) else kept.brands()) == []
  with pytest.warns(ResourceWarning, match="a store was not closed"):
    del kept
    gc.collect()


def test_a_store_that_nobody_holds_is_closed_at_once(path):
  gc.disable()
  try:
    store = livery.open(path, create=True)
    store.set("a", 1)
    assert store.get_int("a") == store["a"] == 1 and store.assets.list() == store.branding.brands() == []
    with pytest.warns(ResourceWarning, match="a store was not closed"):
      del store
  finally:
    gc.enable()


def test_many_handles_leave_nothing_behind(store):
  store.set("a", [1, {"b": "c"}])
  for _ in range(3000):
    with store.snapshot() as snapshot, store.key("a") as key:
      assert snapshot["a"] == key.get_value()
    store.change().discard()


def resident():
  """Memory that the process has, in bytes."""
  return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_values_are_released(store):
  value = {"text": "x" * 100_000, "items": [b"y" * 100_000, "z" * 100_000]}
  store.set("a", value)

  def use():
    assert store["a"]["text"] == value["text"] and "a" in store and len(list(store)) == 1
    assert store.list("a")[0]["value"] == dict(store.items())["a"]
    with store.change() as change:
      change["a"] = value
      change.discard()
    with pytest.raises(livery.InvalidValueError):
      store.set("a", [value, "\ud800"])
    with pytest.raises(livery.TypeMismatchError):
      store.get_bool("a")

  for _ in range(20):
    use()
  before = resident()
  # Anything kept of these would be a hundred times the limit.
  for _ in range(200):
    use()
  assert resident() - before < 16 << 20


def test_threads_that_read_while_another_closes(path):
  with livery.open(path, create=True) as store:
    store.set("a", ["x"] * 50)
    store.set("n", 5)
    store.set("t", "text")
  for _ in range(20):
    store = livery.open(path)
    key, number = store.key("a"), store.key("n")
    started = threading.Barrier(5)
    surprises = []

    def read():
      started.wait()
      try:
        while True:
          assert store["a"] == key.get_value() == ["x"] * 50
          assert store["n"] == store.get_int("n") == number.get_int() == store.get_double("n") == 5
          assert store["t"] == store.get_string("t") == "text"
          list(store.items())
      except livery.ClosedError:
        pass
      except BaseException as error:
        surprises.append(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
      thread.start()
    started.wait()
    store.close()
    for thread in threads:
      thread.join(20)
      assert not thread.is_alive()
    assert surprises == []


@pytest.mark.parametrize("others", [0, 3000], ids=["of names that are kept", "of others"])
def test_threads_that_read_get_what_they_asked_for(store, others):
  with store.change() as change:
    for number in range(8):
      change[f"n{number}"], change[f"t{number}"], change[f"b{number}"] = number, f"text {number}" * (number + 1), number % 2 == 0
    for number in range(others):
      change[f"other{number}"] = number
  for number in range(others):
    store.get_int(f"other{number}")
  surprises = []

  def read(number):
    text = f"text {number}" * (number + 1)
    try:
      for _ in range(300):
        assert store[f"n{number}"] == store.get_int(f"n{number}") == store.get_double(f"n{number}") == number
        assert store[f"t{number}"] == store.get_string(f"t{number}") == text
        assert store[f"b{number}"] is store.get_bool(f"b{number}") is (number % 2 == 0)
    except BaseException as error:
      surprises.append(error)

  threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
  interval = sys.getswitchinterval()
  sys.setswitchinterval(1e-6)
  try:
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
  finally:
    sys.setswitchinterval(interval)
  assert surprises == []


def test_threads_that_write_see_no_torn_commit(store):
  surprises = []
  done = threading.Event()

  def write(number):
    try:
      for count in range(15):
        with store.change(origin=f"t{number}") as change:
          change["x"] = change["y"] = f"{number}.{count}"
    except BaseException as error:
      surprises.append(error)

  def read():
    try:
      while not done.is_set():
        with store.snapshot() as snapshot:
          assert snapshot.get("x") == snapshot.get("y")
    except BaseException as error:
      surprises.append(error)

  writers = [threading.Thread(target=write, args=(number,)) for number in range(3)]
  reader = threading.Thread(target=read)
  for thread in [*writers, reader]:
    thread.start()
  for thread in writers:
    thread.join()
  done.set()
  reader.join()
  assert surprises == [] and store.revision == 45


def test_errors_of_threads_do_not_mix(declared):
  surprises = []

  def fail(name):
    for _ in range(300):
      try:
        declared[name]
      except livery.NotFoundError as error:
        if error.setting != name or name not in str(error):
          surprises.append((name, str(error)))

  threads = [threading.Thread(target=fail, args=(f"none{number}",)) for number in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert surprises == []


def in_child(function):
  """What the function returns in a forked child, or the exception there, as text."""
  reader, writer = os.pipe()
  child = os.fork()
  if child == 0:
    try:
      outcome = repr(function())
    except BaseException as error:
      outcome = f"{type(error).__name__}: {error}"
    os.write(writer, outcome.encode()[:4000])
    os._exit(0)
  os.close(writer)
  with open(reader, "rb") as pipe:
    outcome = pipe.read().decode()
  assert os.waitpid(child, 0)[1] == 0
  return outcome


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_is_told_and_may_open_again(store, path):
  store.set("a", 1)
  key, snapshot, change = store.key("a"), store.snapshot(), store.change()
  change["a"] = 2

  def child():
    for use in uses(store, key, snapshot, change):
      try:
        use()
      except livery.ForkedError:
        continue
      except livery.LiveryError as error:
        return f"{use.__code__.co_firstlineno}: {error!r}"
    for handle in (change, snapshot, key, store):
      handle.close()
    with livery.open(path) as again:
      again.set("a", 3)
      return again["a"]

  expected = [use for use in uses(store, key, snapshot, change)]
  assert expected
  assert in_child(child) == "3"
  assert store["a"] == 3 and snapshot["a"] == 1
  change.commit()
  assert store["a"] == 2
  snapshot.close()


def run(script, *arguments):
  command = [sys.executable, "-X", "dev", "-c", textwrap.dedent(script), *map(str, arguments)]
  return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


def test_leaving_the_interpreter_with_everything_open_is_quiet(path):
  result = run(
    """
    import livery, sys, threading
    store = livery.open(sys.argv[1], create=True)
    store.set("a", 1)
    key, snapshot, change = store.key("a"), store.snapshot(), store.change()
    livery.set_log_handler(print)
    def forever():
      while True:
        store["a"]
    for _ in range(3):
      threading.Thread(target=forever, daemon=True).start()
    print(store["a"])
    """,
    path,
  )
  assert (result.returncode, result.stdout, result.stderr) == (0, "1\n", "")


def test_an_interpreter_that_is_killed_leaves_a_good_store(path):
  result = run(
    """
    import livery, os, signal, sys
    store = livery.open(sys.argv[1], create=True)
    store.set("a", 1)
    change = store.change()
    change["a"] = 2
    os.kill(os.getpid(), signal.SIGKILL)
    """,
    path,
  )
  assert result.returncode == -9
  with livery.open(path) as store:
    assert store["a"] == 1


def test_a_method_of_a_key_keeps_it_open(store):
  store.set("sound", True)
  reads = [store.key("sound").get_bool for _ in range(3)]
  gc.collect()
  assert all(read() for read in reads)

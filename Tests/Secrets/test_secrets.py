"""Secrets with a key, from Python: also by several processes."""

import ctypes
import gc
import json
import os
import subprocess
import threading
import time

import pytest

import livery
import livery.secrets
from conftest import BUILD, contains, run


def test_a_secret_is_read_and_set_as_ever_and_lies_in_no_file(path, store, key):
  store.set("password", "swordfish-before")
  store.backup()
  with livery.secrets.open(store, file=key) as secrets:
    assert store["password"] == "swordfish-before"
    store.set("password", "swordfish-after")
    assert store["password"] == "swordfish-after"
    assert contains(path, "swordfish") == []
    status = secrets.status()
    assert (status["source"], status["sealed"], status["plain"], status["unavailable"]) == ("file", 1, 0, [])
  with pytest.raises(livery.UnavailableError):
    store["password"]
  with pytest.raises(livery.UnavailableError):
    store.set("password", "swordfish-plain")
  store.set("note", "all else goes on")
  assert dict(store.settings()["Values"]) == {"networks": [], "note": "all else goes on"}


def test_a_list_with_a_secret_member_is_a_secret_as_a_whole(path, store, key):
  networks = [{"name": "lobby-net", "key": "hunter22-and-more"}]
  with livery.secrets.open(store, file=key):
    store.set("networks", networks)
    assert [dict(item) for item in store["networks"]] == networks
    assert contains(path, "hunter22") == [] and contains(path, "lobby-net") == []
  form = json.dumps(store.form(), default=str)
  assert "unavailable" in form and "hunter22" not in form


def test_what_is_there_already_is_not_set_again(store, key):
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
    revision = store.revision
    store.set("password", "one")
    assert store.revision == revision


def test_another_process_needs_the_key_too(path, store, key):
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
    without = "store = livery.open(sys.argv[1])\ntry: store['password']\nexcept livery.UnavailableError: print('unavailable')"
    assert run(without, path) == "unavailable"
    with_key = "store = livery.open(sys.argv[1]); livery.secrets.open(store, file=sys.argv[2]); print(store['password'])"
    assert run(with_key, path, key) == "one"


def test_a_process_goes_on_while_another_exchanges_the_key(path, store, key):
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
    rotate = "store = livery.open(sys.argv[1]); print(livery.secrets.open(store, file=sys.argv[2]).rotate()['sealed'])"
    for number in range(3):
      assert run(rotate, path, key) == "1"
      assert store["password"] == ("one" if number == 0 else f"value {number - 1}")
      store.set("password", f"value {number}")
    assert run("store = livery.open(sys.argv[1]); livery.secrets.open(store, file=sys.argv[2]); print(store['password'])", path, key) \
      == "value 2"
  assert len(key.read_text().splitlines()) == 1


def test_rotation_that_was_interrupted_is_completed(path, store, key):
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
  # The new key is there, and nothing is sealed with it yet.
  livery.secrets.make_key(file=key.with_name("other.key"))
  text = key.with_name("other.key").read_text() + key.read_text()
  key.chmod(0o600)
  key.write_text(text)
  with livery.secrets.open(store, file=key) as secrets:
    assert store["password"] == "one"
    assert len(secrets.status()["keys"]) == 2
    assert secrets.rotate()["unavailable"] == []
    assert len(secrets.status()["keys"]) == 1
    assert store["password"] == "one"


def test_a_key_that_comes_while_the_process_runs_is_told_to_watches(store, key):
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
  events = []
  heard = threading.Event()
  with store.watch("password", lambda event: (events.append(event), heard.set())):
    with livery.secrets.open(store, file=key):
      assert heard.wait(5)
      assert events[0].kind is livery.EventKind.RESYNC
      assert store["password"] == "one"


def test_a_watch_without_the_key_hears_that_there_is_a_value(path, store, key):
  events = []
  heard = threading.Event()
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
  with store.watch("password", lambda event: (events.append(event), heard.set())):
    run("store = livery.open(sys.argv[1]); livery.secrets.open(store, file=sys.argv[2]); store.set('password', 'two')", path, key)
    assert heard.wait(5)
  assert (events[0].unavailable, events[0].new, events[0].secret) == (True, None, True)


def test_a_function_hands_out_the_key(store):
  text = ["livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]
  with livery.secrets.open(store, function=lambda: text[0]) as secrets:
    store.set("password", "one")
    text[0] = "nonsense"
    with pytest.raises(livery.ParseError):
      secrets.reload()
    assert store["password"] == "one"
  with pytest.raises(livery.UnavailableError):
    livery.secrets.open(store, function=lambda: 1 / 0)


def test_a_function_is_called_for_as_long_as_it_seals_whether_that_is_kept_or_not(path, store, tmp_path):
  text = ["livery-key-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="]
  livery.secrets.open(store, function=lambda: text[0])
  gc.collect()
  # Where the function was, there is something else.
  others = [ctypes.CFUNCTYPE(None)(lambda: None) for _ in range(1000)]
  text[0] = "livery-key-1 AQECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n" + text[0]
  file = tmp_path / "both"
  file.write_text(text[0] + "\n")
  file.chmod(0o400)
  run("store = livery.open(sys.argv[1]); livery.secrets.open(store, file=sys.argv[2]); store.set('password', 'two')", path, file)

  def read():
    try:
      return store["password"]
    except livery.UnavailableError:
      return None

  # It is asked again once a second.
  until = time.monotonic() + 20
  while read() is None and time.monotonic() < until:
    time.sleep(0.05)
  assert read() == "two" and others


@pytest.mark.parametrize("raised", [ValueError("livery-key-1 \udcff"), SystemExit(0), livery.RefusedError("\udcff")], ids=repr)
def test_a_function_that_hands_out_the_key_may_raise_anything(store, monkeypatch, raised):
  monkeypatch.setattr("sys.unraisablehook", lambda _: None)

  def key():
    raise raised

  with pytest.raises(livery.RefusedError if isinstance(raised, livery.LiveryError) else livery.UnavailableError) as caught:
    livery.secrets.open(store, function=key)
  assert "livery-key-1" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() != 0, reason="another owner takes root")
def test_a_key_of_somebody_else_is_refused(store, key):
  os.chown(key, 12345, 12345)
  with pytest.raises(livery.PermissionDeniedError):
    livery.secrets.open(store, file=key)


def test_an_export_is_sealed_unless_it_is_to_be_revealed(store, key):
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
    text = store.export_json(layers=True)
    assert '"one"' not in text and '"one"' in store.export_json(layers=True, reveal=True)
    store.set("password", "two")
    store.import_json(text)
    assert store["password"] == "one"
  with pytest.raises(livery.UnavailableError):
    store.import_json(text)


def test_a_backup_on_another_device_takes_the_key(tmp_path, store, key):
  with livery.secrets.open(store, file=key):
    store.set("password", "one")
    store.backup(tmp_path / "backup")
  with livery.open(tmp_path / "device", create=True) as device:
    device.restore(tmp_path / "backup")
    with pytest.raises(livery.UnavailableError):
      device["password"]
    device.set("note", "works")
    with livery.secrets.open(device, file=key):
      assert device["password"] == "one"


def test_many_threads_read_and_set_while_the_key_is_exchanged(store, key):
  failures = []
  with livery.secrets.open(store, file=key) as secrets:
    store.set("password", "start")
    stop = threading.Event()

    def work(number):
      try:
        while not stop.is_set():
          assert store["password"]
          store.set("password", f"value {number}")
      except Exception as error:
        failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
      thread.start()
    for _ in range(5):
      secrets.rotate()
    stop.set()
    for thread in threads:
      thread.join()
    assert store["password"].startswith("value")
  assert failures == []


def test_a_key_is_made_in_a_folder_that_is_there(tmp_path):
  with pytest.raises(livery.LiveryError, match="the folder that is to hold the key is missing"):
    livery.secrets.make_key(file=tmp_path / "missing" / "key")


def test_secrets_that_were_closed_say_so(store, key):
  secrets = livery.secrets.open(store, file=key)
  secrets.close()
  for call in (secrets.status, secrets.rotate, secrets.reload):
    with pytest.raises(livery.ClosedError):
      call()

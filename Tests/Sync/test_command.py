"""`livery sync`, from the outside."""

import json
import signal
import socket
import subprocess

import livery
import livery.sync
import pytest
from conftest import BUILD, SCHEMA, wait


@pytest.fixture
def path(tmp_path):
  with livery.open(tmp_path / "store", create=True) as store:
    store.apply_schema(SCHEMA)
  return tmp_path / "store"


def run(path, *words, expected=0):
  done = subprocess.run([BUILD / "livery", "sync", "--store", path, *words], capture_output=True, text=True, timeout=60)
  assert done.returncode == expected, done.stderr
  return done.stdout if expected == 0 else done.stderr


def test_a_device_from_a_shell(path, console):
  assert "of no fleet" in run(path, "status")
  assert json.loads(run(path, "status", "--json")) == {"enrolled": False, "state": "none"}
  assert "livery sync enroll" in run(path, "keys", expected=3)
  run(path, "enroll", console.code(), "--name", "till 4")
  (device, content), = console.publisher.devices.items()
  assert content["name"] == "till 4"
  assert f"device    {device}\nkey       {content['device'].hex()}\n" in run(path, "keys")
  console.publisher.settings("fleet", "opening", ("volume", "enforce", 33))
  assert json.loads(run(path, "pull", "--json"))["Values"]["volume"] == 33
  told = run(path, "status")
  assert "fleet     kiosks\n" in told and "document  opening of fleet: applied\n" in told and device in told
  run(path, "health", "it is too hot")
  run(path, "push")
  assert console.reports()[-1]["health"] == "it is too hot"
  run(path, "leave")
  assert "of no fleet" in run(path, "status")


def test_a_store_that_seals_its_secrets_takes_part_with_its_key(path, console, tmp_path, monkeypatch):
  secrets = pytest.importorskip("livery.secrets")
  key, other = tmp_path / "settings.key", tmp_path / "other.key"
  secrets.make_key(file=key)
  secrets.make_key(file=other)
  with livery.open(path) as store, secrets.open(store, file=key):
    pass
  run(path, "enroll", console.code(), "--key-file", key)
  console.publisher.settings("fleet", "opening", ("token", "enforce", "for the till alone"))
  assert "sealed" in run(path, "pull", "--wait", "10000", expected=8)
  assert "sealed" in run(path, "pull", "--wait", "10000", "--key-file", other, expected=8)
  monkeypatch.setenv("LIVERY_KEY_FILE", str(key))
  run(path, "pull")
  run(path, "push")
  assert b"for the till alone" not in (path / "data.mdb").read_bytes()
  with livery.open(path) as store, secrets.open(store, file=key):
    assert store["token"] == "for the till alone"
  assert "one of --key-file" in run(path, "pull", "--key-file", key, "--keyring", "till", expected=2)
  assert str(tmp_path / "none") in run(path, "pull", "--key-file", tmp_path / "none", expected=8)


def test_it_takes_part_until_it_is_asked_to_end(path, console):
  run(path, "enroll", console.code())
  process = subprocess.Popen([BUILD / "livery", "sync", "--store", path, "run"])
  try:
    wait(lambda: json.loads(run(path, "status", "--json"))["state"] == "running", "that it runs")
    console.publisher.settings("fleet", "opening", ("volume", "enforce", 33))
    run(path, "pull")
    assert json.loads(run(path, "status", "--json"))["process"] == process.pid
  finally:
    process.send_signal(signal.SIGTERM)
  assert process.wait(20) == 0
  assert json.loads(run(path, "status", "--json"))["state"] == "stopped"


@pytest.mark.parametrize("verb", ["pull", "push", "enroll"])
def test_a_signal_ends_it_while_nobody_answers(path, console, verb):
  if verb != "enroll":
    run(path, "enroll", console.code())
  code = console.code()
  port = console._server.server_address[1]
  console.close()
  # Somebody who listens and says nothing.
  with socket.create_server(("127.0.0.1", port)) as silent:
    process = subprocess.Popen([BUILD / "livery", "sync", "--store", path, verb, *([code] if verb == "enroll" else [])],
                               stderr=subprocess.PIPE, text=True)
    silent.settimeout(20)
    taken, _ = silent.accept()
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=20)[1]
    taken.close()
  assert (process.returncode, told) == (1, "")


@pytest.mark.parametrize("words, expected", [
  ((), 2), (("dance",), 2), (("enroll",), 2), (("pull", "now"), 2), (("status", "--name", "x"), 2), (("enroll", "nonsense"), 4),
  (("pull",), 3), (("pull", "--wait", "0"), 2), (("pull", "--app", "No Name"), 2),
])
def test_exit_statuses(path, words, expected):
  assert run(path, *words, expected=expected).startswith("livery sync: ")


def test_no_network_is_a_failure_of_the_system_and_says_what_to_do(path, console):
  run(path, "enroll", console.code())
  console.close()
  assert run(path, "pull", expected=8)
  assert "advice    look whether the device has a network" in run(path, "status")


def test_the_key_is_not_shown(path, console):
  run(path, "enroll", console.code())
  with livery.open(path) as store:
    secret = store.get("sync.key")
  for words in (("status",), ("status", "--json"), ("keys",)):
    assert secret.hex() not in run(path, *words)
  listed = subprocess.run([BUILD / "livery", "list", "--store", path, "--json"], capture_output=True, text=True, check=True).stdout
  assert secret.hex() not in listed and "sync.key" in listed


def test_no_proxy_can_be_said(path, console, monkeypatch):
  for name in ("no_proxy", "NO_PROXY"):
    monkeypatch.delenv(name)
  monkeypatch.setenv("http_proxy", "http://proxy.invalid:3128")
  run(path, "enroll", console.code(), "--proxy", "")
  assert "volume" in run(path, "pull", "--json")

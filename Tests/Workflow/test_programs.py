"""What the programs of extensions take, and what they refuse: an option of another action is passed over by none of them."""

import json
import os
import pty
import subprocess
import termios
import time

import livery
import pytest
from conftest import BUILD

FOREIGN = {
  "secrets export --layer user": "--layer is for `livery secrets set`",
  "secrets status --layers": "--layers is for `livery secrets export`",
  "page --html x": "--html is for `livery page brand`",
  "page pin x --once": "--once is for `livery page`",
  "images judge --any": "--any is for `livery images put`",
  "images put f --text red": "--text is for `livery images show`",
  "prompt missing --once": "--once is for `livery prompt provide`",
  "prompt provide --wait 5": "--wait is for `livery prompt request`",
  "sync status --broker x": "--broker is for `livery sync run`",
  "sync leave --wait 5": "--wait is for `livery sync enroll` and `livery sync run` and `livery sync pull` and `livery sync push`",
}


def run(path, words, *more, **options):
  return subprocess.run(
    [str(BUILD / "livery"), *words.split(), *more, "--store", str(path)], capture_output=True, text=True, timeout=60, **options)


@pytest.fixture
def path(tmp_path):
  livery.open(tmp_path / "store", create=True).close()
  return tmp_path / "store"


@pytest.mark.parametrize("words", FOREIGN)
def test_an_option_of_another_action_is_refused(path, words):
  done = run(path, words, "--json")
  assert done.returncode == 2 and FOREIGN[words] in done.stderr and len(done.stderr.splitlines()) == 1
  assert json.loads(done.stdout)["error"]["status"] == "LIVERY_ERROR_INVALID_ARGUMENT"


@pytest.mark.parametrize("words", ["prompt provide --answer {", "session login {", "session login [1"])
def test_what_is_no_json_is_told_at_once(path, words):
  done = run(path, words)
  assert done.returncode == 4 and "line 1" in done.stderr


def test_a_subject_is_an_object(path):
  assert "is an object of JSON" in run(path, "prompt request passcode []").stderr


def test_what_has_nothing_else_to_tell_is_json_too(path, tmp_path):
  key = ("--key-file", str(tmp_path / "key"), "--json")
  assert json.loads(run(path, "secrets key", *key).stdout) == {"made": True}
  assert json.loads(run(path, "secrets set note", *key, input="word\n").stdout)["revision"] > 0
  assert json.loads(run(path, "page pin lock", "--json", input="1234\n").stdout)["revision"] > 0


def test_an_empty_file_is_no_token(path):
  done = run(path, "session login ada --token-file -", input="\n")
  assert done.returncode == 2 and "holds no token" in done.stderr
  assert json.loads(run(path, "session --json").stdout)["state"] == "none"


def test_what_cannot_hold_a_pin_is_told_without_its_hash(path):
  with livery.open(path) as store:
    store.apply_schema({"Version": 1, "Groups": [{"Title": "One", "Settings": [
      {"Type": "Number", "Title": "Volume", "Key": "volume"}, {"Type": "TextField", "Title": "Short", "Key": "short", "MaxLength": 8}]}]})
  for name in ("volume", "short"):
    done = run(path, "page pin", name, input="1234\n")
    assert done.returncode == 4 and f"`{name}` cannot hold a PIN" in done.stderr and "argon" not in done.stderr


@pytest.mark.parametrize("words, title", [("secrets set password --key-file KEY", b"password: "), ("page pin lock", b"PIN: ")])
def test_whoever_gives_up_typing_what_nobody_is_to_see_sees_what_is_typed_next(path, tmp_path, words, title):
  key = str(tmp_path / "key")
  run(path, "secrets key --key-file", key)
  main, side = pty.openpty()
  command = [BUILD / "livery", *words.replace("KEY", key).split(), "--store", path]
  with subprocess.Popen(["setsid", "--ctty", "--wait", *command], stdin=side, stdout=side, stderr=side) as process:
    told = b""
    while title not in told:
      told += os.read(main, 100)
    assert not termios.tcgetattr(side)[3] & termios.ECHO
    os.write(main, b"\x03")
    process.wait(20)
  assert termios.tcgetattr(side)[3] & termios.ECHO


def test_an_answer_that_is_given_answers_all_that_ask_at_once(path):
  answer = {"user": "ada", "password": "enigma"}
  command = [str(BUILD / "livery"), "prompt", "provide", "login", "--answer", json.dumps(answer), "--store", str(path)]
  with subprocess.Popen(command, stdout=subprocess.PIPE) as provider:
    try:
      wait = [str(BUILD / "livery"), "prompt", "request", "login", "--reveal", "--wait", "20000", "--store", str(path)]
      # Until it shows them nobody does.
      end = time.monotonic() + 30
      while subprocess.run(wait, capture_output=True, timeout=60, check=False).returncode != 0:
        assert time.monotonic() < end and provider.poll() is None
      asking = [subprocess.Popen(wait, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(6)]
      for one in asking:
        out, said = one.communicate(timeout=60)
        assert one.returncode == 0 and json.loads(out) == answer, said
    finally:
      provider.terminate()

"""`livery convert`: what it writes, what it tells, and its exit statuses."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import threading

import pytest
from conftest import SAMPLES, convert

from livery.convert import main

SAMPLE = "example.gschema.xml"


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
  shutil.copy(SAMPLES / SAMPLE, tmp_path)
  return tmp_path


def test_a_schema_to_standard_output(folder: pathlib.Path) -> None:
  done = convert("gsettings", SAMPLE, folder=folder)
  assert done.returncode == 0 and json.loads(done.stdout)["Groups"][0]["Title"] == "org.example"
  assert f"{SAMPLE}:14: org.example.big: numbers above" in done.stderr and done.stderr.endswith("4 of 13 settings lose something\n")


def test_strict_writes_nothing(folder: pathlib.Path) -> None:
  done = convert("gsettings", SAMPLE, "--strict", "-o", "schema.json", folder=folder)
  assert done.returncode == 9 and not (folder / "schema.json").exists()


def test_json_tells_the_losses(folder: pathlib.Path) -> None:
  done = convert("gsettings", SAMPLE, "--json", "-o", "schema.json", folder=folder)
  told = json.loads(done.stdout)
  assert done.returncode == 0 and (told["settings"], told["losing"]) == (13, 4) and not done.stderr
  assert told["losses"][1] == {"file": SAMPLE, "line": 8, "setting": "org.example.any",
                               "message": "Livery has no type for `a{sv}`: the value is kept as text and not checked"}


def test_values_there_and_back(folder: pathlib.Path) -> None:
  (folder / "user.ini").write_text("[org/example]\nn=7\nmaybe='a'\n")
  assert convert("gsettings", SAMPLE, "-o", "schema.json", folder=folder).returncode == 0
  assert convert("gsettings", SAMPLE, "--values", "user.ini", "-o", "values.json", "--strict", folder=folder).returncode == 0
  assert json.loads((folder / "values.json").read_text()) == {"org.example.n": 7, "org.example.maybe": ["a"]}
  back = convert("livery:gsettings", "schema.json", "--values", "values.json", "--strict", folder=folder)
  assert back.returncode == 0 and back.stdout.split() == ["[org/example]", "n=7", "maybe='a'"]


@pytest.mark.parametrize("arguments, status, message", [
  ((), 2, "usage: livery convert"), (("gsettings",), 2, "usage: livery convert"),
  (("registry", SAMPLE), 2, "`registry` is none of the formats livery, gsettings"), (("gsettings", SAMPLE, "--json"), 2, "--json needs --output"),
  (("gsettings", "missing.xml"), 8, "missing.xml: No such file or directory"),
  (("gsettings", SAMPLE, "-o", "no/such/folder"), 8, "No such file"),
  (("livery", SAMPLE), 4, SAMPLE), (("gsettings", "broken.xml"), 4, "broken.xml:1: column")])
def test_misuse_and_bad_files(folder: pathlib.Path, arguments: "tuple[str, ...]", status: int, message: str) -> None:
  (folder / "broken.xml").write_text("<schemalist")
  done = convert(*arguments, folder=folder)
  assert done.returncode == status and message in done.stderr and "Traceback" not in done.stderr


def test_nothing_is_written_over_its_source(folder: pathlib.Path) -> None:
  given = "[org/example]\nn=7\n"
  (folder / "user.ini").write_text(given)
  assert convert("gsettings", SAMPLE, "--values", "user.ini", "--output", ".", folder=folder).returncode == 0
  assert (folder / "user.ini").read_text() == given and json.loads((folder / "values.json").read_text()) == {"org.example.n": 7}
  (folder / "link").symlink_to("user.ini")
  for output in ("user.ini", "link", SAMPLE):
    done = convert("gsettings", SAMPLE, "--values", "user.ini", "-o", output, folder=folder)
    assert done.returncode == 2 and "written over what it is made of" in done.stderr and (folder / "user.ini").read_text() == given
  # In a folder, too.
  (folder / "values.json").write_text("{}")
  assert convert("gsettings", SAMPLE, "-o", "schema.json", folder=folder).returncode == 0
  assert convert("livery", "schema.json", "--values", "values.json", "-o", ".", folder=folder).returncode == 2
  for target, name in (("gsettings", "values.ini"), ("apple-bundle", "values.plist"), ("android", "values.json")):
    (folder / target).mkdir()
    assert convert(f"livery:{target}", "schema.json", "--values", "values.json", "-o", target, folder=folder).returncode == 0
    assert [one.name for one in (folder / target).iterdir()] == [name]


def test_links_stay_and_pipes_take_it(folder: pathlib.Path) -> None:
  (folder / "real").mkdir()
  (folder / "link.json").symlink_to("real/schema.json")
  for _ in range(2):
    assert convert("gsettings", SAMPLE, "-o", "link.json", folder=folder).returncode == 0
    written = (folder / "real" / "schema.json").read_bytes()
    assert (folder / "link.json").is_symlink() and json.loads(written)
  os.mkfifo(folder / "pipe")
  read = []
  reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()), daemon=True)
  reader.start()
  assert convert("gsettings", SAMPLE, "-o", "pipe", folder=folder).returncode == 0
  reader.join(60)
  assert read == [written]
  done = convert("gsettings", SAMPLE, "-o", "/dev/full", folder=folder)
  assert done.returncode == 8 and done.stderr.endswith("/dev/full: No space left on device\n")


@pytest.mark.parametrize("arguments, status, name, message", [
  (("--json",), 2, "INVALID_ARGUMENT", "the following arguments are required: FORMAT[:FORMAT], FILE"),
  (("gsettings", SAMPLE, "--json"), 2, "INVALID_ARGUMENT", "--json needs --output"),
  (("registry", SAMPLE, "-sj", "-o", "made"), 2, "INVALID_ARGUMENT", "`registry` is none of the formats livery"),
  (("gsettings", SAMPLE, "-j", "--other", "-o", "made"), 2, "INVALID_ARGUMENT", "unrecognized arguments: --other"),
  (("gsettings", SAMPLE, "-j", "-o", SAMPLE), 2, "INVALID_ARGUMENT", f"{SAMPLE}: would be written over what it is made of"),
  (("gsettings", "broken.xml", "--json", "-o", "made"), 4, "PARSE", "broken.xml:1: column"),
  (("livery", "broken.xml", "--json", "-o", "made"), 4, "PARSE", "broken.xml:1: "),
  (("livery", "wrong.json", "--json", "-o", "made"), 4, "SCHEMA_INVALID", 'wrong.json:1: "Nope" is not'),
  (("gsettings", "missing.xml", "--json", "-o", "made"), 8, "NOT_FOUND", "missing.xml: No such file or directory"),
  (("gsettings", os.fsdecode(b"\xff\n.xml"), "--json", "-o", "made"), 8, "NOT_FOUND", "\\udcff\\u000a.xml: No such file or directory"),
  (("gsettings", SAMPLE, "--json", "-o", "no/made"), 8, "NOT_FOUND", "no/made: No such file or directory"),
  (("gsettings", SAMPLE, "--json", "-o", "/dev/full"), 8, "NO_SPACE", "/dev/full: No space left on device"),
  (("gsettings", ".", "--json", "-o", "made"), 8, "IO", ".: Is a directory")])
def test_json_tells_what_failed(folder: pathlib.Path, arguments: "tuple[str, ...]", status: int, name: str, message: str) -> None:
  (folder / "broken.xml").write_text("<schemalist")
  (folder / "wrong.json").write_text('{"Version": 1, "Groups": [{"Title": "A", "Settings": [{"Key": "a", "Type": "Nope"}]}]}')
  done = convert(*arguments, folder=folder)
  error = json.loads(done.stdout)["error"]
  assert done.returncode == status and error["status"] == f"LIVERY_ERROR_{name}" and error["message"].startswith(message)
  assert done.stderr.splitlines()[-1].endswith(error["message"]) and not (folder / "made").exists()


def test_without_json_failures_are_on_standard_error_alone(folder: pathlib.Path) -> None:
  for arguments in (("gsettings", "missing.xml"), ("registry", SAMPLE), ("gsettings", "--", "--json"), ("gsettings", SAMPLE, "-o", SAMPLE)):
    done = convert(*arguments, folder=folder)
    assert done.returncode in (2, 8) and not done.stdout and done.stderr


def test_json_is_one_value_where_something_is_lost(folder: pathlib.Path) -> None:
  done = convert("gsettings", SAMPLE, "--json", "--strict", "-o", "made", folder=folder)
  assert done.returncode == 9 and json.loads(done.stdout)["losing"] == 4 and not (folder / "made").exists()


def test_the_file_that_was_asked_for_is_named(folder: pathlib.Path) -> None:
  (folder / "link").symlink_to("no/such/file")
  for output in ("/nonexistent/x", "link"):
    done = convert("gsettings", SAMPLE, "-o", output, folder=folder)
    assert done.returncode == 8 and done.stderr.splitlines()[-1] == f"{output}: No such file or directory"


def test_help_that_cannot_be_written_is_said(folder: pathlib.Path) -> None:
  assert convert("--help", folder=folder).stdout.startswith("livery convert: schemas and values")
  for shell, told in (('exec "$@" >/dev/full', "No space left on device"), ('exec "$@" >&-', "Bad file descriptor")):
    done = subprocess.run(["sh", "-c", shell, "sh", sys.executable, "-m", "livery.convert", "--help"], cwd=folder, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 8 and done.stderr == f"standard output: {told}\n"


def test_json_that_cannot_be_written_changes_no_status(folder: pathlib.Path) -> None:
  for arguments, status in ((["--json"], 2), (["gsettings", "missing.xml", "--json", "-o", "made"], 8)):
    with open("/dev/full", "wb") as full:
      done = subprocess.run([sys.executable, "-m", "livery.convert", *arguments], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True,
                            timeout=60, check=False)
    assert done.returncode == status and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [["convert", "gsettings", SAMPLE], ["convert", "gsettings", SAMPLE, "--json", "-o", "schema.json"],
                                     ["generate", "c", "made.json"]])
def test_a_full_standard_output_is_named(folder: pathlib.Path, command: "list[str]") -> None:
  assert convert("gsettings", SAMPLE, "-o", "made.json", folder=folder).returncode == 0
  with open("/dev/full", "wb") as full:
    done = subprocess.run([sys.executable, "-m", f"livery.{command[0]}", *command[1:]], cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True,
                          timeout=60, check=False)
  assert done.returncode == 8 and done.stderr.splitlines()[-1] == "standard output: No space left on device"


@pytest.mark.parametrize("command", [["convert", "gsettings", SAMPLE], ["generate", "c", "made.json"]])
def test_without_a_standard_output_it_is_said(folder: pathlib.Path, command: "list[str]") -> None:
  assert convert("gsettings", SAMPLE, "-o", "made.json", folder=folder).returncode == 0
  done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", sys.executable, "-m", f"livery.{command[0]}", *map(str, command[1:])], cwd=folder,
                        stderr=subprocess.PIPE, text=True, timeout=60, check=False)
  assert done.returncode == 8 and done.stderr.splitlines()[-1] == "standard output: Bad file descriptor"


@pytest.mark.parametrize("command", [["convert", "livery:gsettings", "made.json"], ["generate", "c", "made.json"]])
def test_a_failure_always_has_its_reason(folder: pathlib.Path, command: "list[str]") -> None:
  assert convert("gsettings", SAMPLE, "-o", "made.json", folder=folder).returncode == 0
  # No file may have more than a few blocks, the library's own neither.
  done = subprocess.run(["sh", "-c", 'ulimit -f 2; exec "$@"', "sh", sys.executable, "-m", f"livery.{command[0]}", *command[1:], "-o", "out"], cwd=folder,
                        capture_output=True, text=True, timeout=60, check=False)
  assert done.returncode == 8 and "None" not in done.stderr and re.search("No space left|File too large", done.stderr), done.stderr


def test_the_mode_of_a_file_stays(folder: pathlib.Path) -> None:
  for mode in (0o600, 0o640):
    made = folder / "schema.json"
    made.write_text("old")
    made.chmod(mode)
    assert convert("gsettings", SAMPLE, "-o", "schema.json", folder=folder).returncode == 0
    assert stat.S_IMODE(made.stat().st_mode) == mode and made.read_text() != "old"


def test_what_this_user_may_not_write_is_left_alone(folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
  made = folder / "schema.json"
  made.write_text("old")
  made.chmod(0o444)
  # The superuser may write everything.
  monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
  for arguments in (["--json"], []):
    assert main(["gsettings", str(folder / SAMPLE), "-o", str(made), *arguments]) == 8
    assert capsys.readouterr().err.endswith(f"{made}: Permission denied\n") and made.read_text() == "old"


def test_files_from_standard_input(folder: pathlib.Path) -> None:
  (folder / "user.ini").write_text("[org/example]\nn=7\n")
  for arguments, name in (((SAMPLE, "--values", "-"), "user.ini"), (("-", "--values", "user.ini"), SAMPLE)):
    with open(folder / name, "rb") as file:
      done = subprocess.run([sys.executable, "-m", "livery.convert", "gsettings", *arguments], cwd=folder, stdin=file, capture_output=True, text=True,
                            timeout=60, check=False)
    assert done.returncode == 0 and json.loads(done.stdout) == {"org.example.n": 7}, done.stderr


def test_the_place_in_broken_json_is_said_once(folder: pathlib.Path) -> None:
  (folder / "broken.json").write_text('{"Version": 1,\n "Groups": [}')
  done = convert("livery", "broken.json", folder=folder)
  assert done.returncode == 4 and done.stderr.startswith("broken.json:2: column 13: ") and "at line" not in done.stderr

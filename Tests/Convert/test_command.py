"""`livery convert`: what it writes, what it tells, and its exit statuses."""

from __future__ import annotations

import json
import pathlib
import shutil

import pytest
from conftest import SAMPLES, convert

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

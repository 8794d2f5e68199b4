"""The kept corpora of the fuzzers: each in one file, in one form, and small."""

import os
import random
import subprocess
import sys

import pytest
from conftest import ROOT

FUZZ = ROOT / "Tests" / "Fuzz"
sys.path.insert(0, os.fspath(FUZZ))

import fuzz  # noqa: E402
import pack  # noqa: E402

INPUTS = [b"", b"\n", b" ", b"\\", b"\\5c", "\u20ac".encode(), b"{\"a\": 1}", bytes(range(256))]


def test_every_target_has_its_corpus_and_nothing_else_lies_there():
  assert sorted(file.name for file in pack.CORPUS.iterdir()) == sorted(f"{target}.txt" for target in fuzz.TARGETS)


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_a_corpus_is_in_the_form_that_is_made(target):
  inputs = pack.load(target)
  assert inputs and max(map(len, inputs)) <= fuzz.KEPT_LENGTH


def test_all_corpora_take_less_than_a_mebibyte_and_a_half():
  assert sum(file.stat().st_size for file in pack.CORPUS.iterdir()) < 3 << 19


def test_all_bytes_come_back():
  assert pack.decode(pack.encode(INPUTS)) == INPUTS


def test_a_line_is_printable_ascii():
  assert pack.encode(INPUTS).replace("\n", "").isprintable() and pack.encode(INPUTS).isascii()
  assert pack.encode([b"a\\b\x00\xff"]) == "a\\5cb\\00\\ff\n"


def test_the_same_inputs_make_the_same_text():
  shuffled = INPUTS * 2
  random.Random(1).shuffle(shuffled)
  assert pack.encode(shuffled) == pack.encode(INPUTS)
  assert pack.encode([b"ab", b"b", b"a", b""]) == "\na\nb\nab\n"


@pytest.mark.parametrize("text", [
  pytest.param("a", id="a last line without an end"), pytest.param("b\na\n", id="out of order"),
  pytest.param("a\na\n", id="twice"), pytest.param("\\41\n", id="an escape that none needs"),
  pytest.param("\\5C\n", id="a capital digit"), pytest.param("\\5\n", id="half an escape"),
  pytest.param("\t\n", id="a control character"), pytest.param("\u20ac\n", id="not ASCII"),
  pytest.param("a\r\n", id="a carriage return"),
])
def test_another_form_is_refused(text):
  with pytest.raises(ValueError):
    pack.decode(text)


def test_nothing_is_no_input():
  assert pack.decode(pack.encode([])) == []


def test_folders_are_packed_and_unpacked(tmp_path, monkeypatch):
  monkeypatch.setattr(pack, "CORPUS", tmp_path / "corpus")
  assert pack.load("new") == []
  (tmp_path / "found").mkdir()
  for number, content in enumerate(INPUTS):
    (tmp_path / "found" / str(number)).write_bytes(content)
  pack.pack("new", tmp_path / "found")
  pack.unpack("new", tmp_path / "again")
  assert sorted(file.read_bytes() for file in (tmp_path / "again").iterdir()) == sorted(INPUTS)


def test_the_program_unpacks(tmp_path):
  subprocess.run([sys.executable, FUZZ / "pack.py", "unpack", "gif", tmp_path], check=True)
  assert sorted(file.read_bytes() for file in tmp_path.iterdir()) == sorted(pack.load("gif"))

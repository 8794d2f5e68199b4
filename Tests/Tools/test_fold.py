"""What characters fold to, as the library has it: compared with Python's own data of Unicode, character by character."""

import ctypes
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest
from fold import table

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources" / "CSystem"

known = pytest.mark.skipif(unicodedata.unidata_version != table.VERSION,
                           reason="Python has other data of Unicode than the tables")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
  compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
  if compiler is None:
    pytest.skip("there is no compiler of C")
  made = tmp_path_factory.mktemp("fold") / "fold.so"
  subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC",
                  f"-I{SOURCES / 'include'}", str(SOURCES / "fold.c"), "-o", str(made)], check=True)
  loaded = ctypes.CDLL(str(made))
  loaded.lvs_fold.restype = loaded.lvs_find.restype = ctypes.c_size_t
  loaded.lvs_fold.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p)
  loaded.lvs_find.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
  return loaded


def fold(library, text):
  out = ctypes.create_string_buffer(len(text) * 3 + 1)
  count = library.lvs_fold(text, len(text), out)
  return out.raw[:count]


#: All of them but the one that parts them.
CHARACTERS = [chr(number) for number in range(0x110000) if not 0xD800 <= number < 0xE000 and number != 10]


def fold_each(library, texts):
  return fold(library, "\n".join(texts).encode()).decode().split("\n")


@known
def test_every_character_folds_as_unicode_has_it(library):
  wanted = ["".join(part for part in unicodedata.normalize("NFD", each.casefold()) if unicodedata.category(part) != "Mn")
            for each in CHARACTERS]
  assert fold_each(library, CHARACTERS) == wanted


def test_what_is_folded_folds_to_itself(library):
  once = fold_each(library, CHARACTERS)
  assert fold_each(library, once) == once


def test_what_is_no_text_is_passed_over(library):
  for broken in (b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80\x80", b"\xf7\xbf\xbf\xbf", b"\xed\xa0\x80"):
    assert fold(library, b"A" + broken + b"B").startswith(b"a")


def test_words_are_found_with_their_marks(library):
  def place(text, word):
    text, word = text.encode(), fold(library, word.encode())
    start = ctypes.c_size_t(library.lvs_find(folded := fold(library, text), len(folded), word, len(word)))
    end = ctypes.c_size_t(start.value + len(word))
    library.lvs_fold_place(text, ctypes.c_size_t(len(text)), ctypes.byref(start), ctypes.byref(end))
    return text[start.value:end.value].decode()
  assert place("Die Straße", "STRASSE") == "Straße"
  assert place("O\u0308de", "ode") == "O\u0308de"
  assert place("xe\u0301\u0323y", "e") == "e\u0301\u0323"
  assert place("Maß", "as") == "aß"
  assert place("ﬃ", "f") == "ﬃ"
  assert place("한국", "ᄒ") == "한"
  assert place("abc", "c") == "c"


@known
def test_the_tables_are_made_of_that():
  assert (SOURCES / "fold-table.h").read_text(encoding="utf-8") == table.text()


def test_the_tables_are_small():
  runs, expansions = table.packed() if unicodedata.unidata_version == table.VERSION else ([], b"")
  assert len(runs) * 6 + len(expansions) <= 20 * 1024

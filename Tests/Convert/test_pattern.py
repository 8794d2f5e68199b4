"""Regular expressions of ECMA-262 in POSIX: the same texts match, or there is none."""

from __future__ import annotations

import json
import re

import livery
import pytest

from livery.convert.pattern import to_ecma, to_posix

SAME = [r"^\d+$", r"^[\w.-]+@[\w-]+\.\w+$", r"^(?:ab|cd)*$", r"[^\s]+", r"^[a-z\d]{2,4}$", r"^\/dev\/\w+$", r"^[\]\[]$", r"^[\^a]$", r"^[^\]-]$", r"^a{2}\}$",
        r"\x41\u0042", r"^[\\/]$", r"^\.$", r"^(#|0x)?[0-9a-fA-F]+$", r"^\t$", r"^[-+]?\d*$", r"^x|y$", r"^[a^-]$"]
TEXTS = ["", "1", "12", "a", "ab", "abcd", "a.b@c-d.ef", " ", "x y", "ab12", "/dev/sda1", "]", "[", "^", "-", "aa}", "AB", "\\", "/", ".", "#ff", "0xFF", "\t", "+5", "x", "yy"]
NONE = [r"a+?", r"(?=a)b", r"(?<n>a)", r"(a)\1", r"\p{L}", r"\cA", r"a++", r"[\d-z-]\q", r"[", r"[]", "a\\", r"[a-\d]x\0"]


def matches(pattern: str, text: str) -> bool:
  schema = {"Version": 1, "Groups": [{"Title": "A", "Settings": [{"Type": "TextField", "Key": "k", "Title": "K", "Pattern": pattern}]}]}
  with livery.open("", memory=True) as store:
    store.apply_schema(json.dumps(schema))
    try:
      store.set("k", text)
      return True
    except livery.InvalidValueError:
      return False


@pytest.mark.parametrize("pattern", SAME)
def test_the_same_texts_match(pattern: str) -> None:
  posix = to_posix(pattern)
  assert posix is not None
  expected = [bool(re.search(pattern, text, re.ASCII)) for text in TEXTS]
  assert [matches(posix, text) for text in TEXTS] == expected, posix
  back = to_ecma(posix)
  assert back is not None and [bool(re.search(back, text, re.ASCII)) for text in TEXTS] == expected, back


@pytest.mark.parametrize("pattern", NONE)
def test_what_posix_lacks(pattern: str) -> None:
  assert to_posix(pattern) is None

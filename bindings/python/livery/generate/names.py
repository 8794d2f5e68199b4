"""Identifiers made of names that may be any text."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Iterable, List, Set

_OTHER = re.compile("[^A-Za-z0-9]")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[A-Z]")


def ascii_form(text: str) -> str:
  """The text in letters, digits and "_"; other characters that are letters as their number."""
  if text.isascii():
    return _OTHER.sub("_", text)
  return "".join(one if one.isascii() and one.isalnum() else f"_u{ord(one):04x}_" if one.isalnum() else "_" for one in text)


def words(text: str) -> List[str]:
  """The words of a name, in lower case: of "idleResetSeconds" idle, reset, seconds."""
  return [word.lower() for part in ascii_form(text).split("_") for word in _WORDS.findall(part)] or ["setting"]


@lru_cache(maxsize=None)
def snake(text: str) -> str:
  return _begun("_".join(words(text)))


@lru_cache(maxsize=None)
def camel(text: str) -> str:
  first, *others = words(text)
  return _begun(first + "".join(one.capitalize() for one in others))


@lru_cache(maxsize=None)
def pascal(text: str) -> str:
  return _begun("".join(one.capitalize() for one in words(text)))


def _begun(identifier: str) -> str:
  return f"n{identifier}" if identifier[0].isdigit() else identifier


class Names:
  """Gives identifiers out, each once: what is taken gets a number."""

  def __init__(self, taken: Iterable[str] = ()) -> None:
    self._taken: Set[str] = set(taken)

  def take(self, wanted: str) -> str:
    name, number = wanted, 1
    while name in self._taken:
      number += 1
      name = f"{wanted}_{number}"
    self._taken.add(name)
    return name

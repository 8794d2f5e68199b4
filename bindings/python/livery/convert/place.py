"""Where something is in a file, and files that are refused."""

from __future__ import annotations

import re
from typing import NamedTuple

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


class Place(NamedTuple):
  """Where in a file; line 0 is the file as a whole."""

  file: str
  line: int = 0

  def __str__(self) -> str:
    return f"{self.file}:{self.line}" if self.line else self.file


class Refused(Exception):
  """A file is not what it is said to be."""

  def __init__(self, place: Place, message: str) -> None:
    super().__init__(printable(f"{place}: {message}" if place.file else message))
    self.place, self.message = place, message


def printable(text: str) -> str:
  """A text in one line that changes nothing else of a terminal than that line."""
  return _CONTROL.sub(lambda match: "\\u%04x" % ord(match.group()), text)

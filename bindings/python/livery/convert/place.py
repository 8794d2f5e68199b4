"""Where something is in a file, and files that are refused."""

from __future__ import annotations

from typing import NamedTuple

from .._command import printable


class Place(NamedTuple):
  """Where in a file; line 0 is the file as a whole."""

  file: str
  line: int = 0

  def __str__(self) -> str:
    return f"{self.file}:{self.line}" if self.line else self.file


class Refused(Exception):
  """A file is not what it is said to be."""

  def __init__(self, place: Place, message: str, status: str = "PARSE") -> None:
    super().__init__(printable(f"{place}: {message}" if place.file else message))
    self.place, self.message, self.status = place, message, status

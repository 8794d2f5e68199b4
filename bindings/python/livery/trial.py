"""Changes that go back by themselves unless they are confirmed in time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Dict, Optional

from . import _convert, _native
from ._handle import Handle


class Trials:
  """The trial of a store: there is one at a time."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def status(self) -> Dict[str, Any]:
    found: Dict[str, Any] = _convert.take(_native.trial_status(self._store.number))
    return found

  def confirm(self, revision: int, origin: Optional[str]) -> None:
    number = self._store.number
    _native.trial_confirm(number, _convert.within("revision", revision, 64), _convert.origin(origin))

  def revert(self, revision: Optional[int], origin: Optional[str]) -> None:
    number = self._store.number
    begun = 0 if revision is None else _convert.within("revision", revision, 64)
    _native.trial_revert(number, begun, _convert.origin(origin))


def length(time: Optional[_convert.Duration]) -> int:
  """In microseconds; 0 for no trial. What is no length is left to the library, which refuses it."""
  if time is None:
    return 0
  microseconds = _convert.length(time) // timedelta(microseconds=1)
  return microseconds if 0 < microseconds < 1 << 63 else -1

"""What happened to a store, and taking it back."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Optional, Union

from . import _convert, _native
from ._handle import Handle
from .value import Layer


class History:
  """The log of a store."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def commits(
    self,
    pattern: Optional[str],
    layer: Union[Layer, str, int, None],
    origin: Optional[str],
    since: Optional[datetime],
    until: Optional[datetime],
    before: Optional[int],
    limit: Optional[int],
  ) -> List[Dict[str, Any]]:
    number = self._store.number
    most = None if limit is None else _convert.within("limit", limit, 63)
    end = None if before is None else _convert.within("before", before, 64)
    # For the library 0 is no limit in all of these.
    if most == 0 or end == 0:
      return []
    commits: List[Dict[str, Any]] = _convert.take(
      _native.history(
        number,
        _convert.pattern(pattern),
        None if layer is None else Layer.of(layer),
        _convert.origin(origin),
        0 if since is None else _convert.microseconds(since) or 1,
        0 if until is None else _convert.microseconds(until) or 1,
        end or 0,
        most or 0,
      )
    )
    return commits

  def undo(self, revision: int, force: bool) -> int:
    return _native.undo(self._store.number, _convert.within("revision", revision, 64), force)

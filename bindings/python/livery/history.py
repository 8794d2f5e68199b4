"""What happened to a store, and taking it back."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Optional, Union

from . import _convert, _native
from ._handle import Handle
from .errors import InvalidArgumentError
from .value import Layer


class Recording(Handle):
  """The log of a store."""

  def history(
    self,
    pattern: Optional[str] = None,
    layer: Union[Layer, str, int, None] = None,
    origin: Optional[str] = None,
    since: Optional[datetime] = None,
    until: Optional[datetime] = None,
    before: Optional[int] = None,
    limit: Optional[int] = None,
  ) -> List[Dict[str, Any]]:
    """The commits that the log still holds, the latest first.

    Each has ``revision``, ``time``, ``layer``, ``origin``, ``kind`` and ``changes``: dicts with ``name``, ``layer``,
    ``old`` and ``new`` (missing for no value) and, where they apply, ``expired``, ``writable`` and ``secret``. A
    commit of more than 10,000 changes has none of them listed, and ``tooLarge``.
    ``since`` is inclusive, ``until`` and ``before``, a revision, are not.
    """
    number = self._number
    if limit is not None and not 0 <= limit < 1 << 63:
      raise InvalidArgumentError(f"limit is out of range: {limit}")
    if before is not None and not 0 <= before < 1 << 64:
      raise InvalidArgumentError(f"before is out of range: {before}")
    # For the library 0 is no limit in all of these.
    if limit == 0 or before == 0:
      return []
    commits: List[Dict[str, Any]] = _convert.take(
      _native.history(
        number,
        _convert.pattern(pattern),
        None if layer is None else Layer.of(layer),
        None if origin is None else _native.text("an origin", origin),
        0 if since is None else _convert.microseconds(since) or 1,
        0 if until is None else _convert.microseconds(until) or 1,
        before or 0,
        limit or 0,
      )
    )
    return commits

  def undo(self, revision: int, force: bool = False) -> int:
    """Take a commit back, as a new commit whose revision is returned.

    ConflictError if later commits changed the same settings, unless ``force`` is given.
    """
    if not 0 <= revision < 1 << 64:
      raise InvalidArgumentError(f"revision is out of range: {revision}")
    return _native.undo(self._number, revision, force)

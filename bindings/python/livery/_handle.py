"""What stores, keys, snapshots and change sets have in common: a handle that is closed once."""

from __future__ import annotations

import warnings
import weakref
from types import TracebackType
from typing import Any, Callable, Optional, Type, TypeVar

from .errors import ClosedError, ForkedError

_Self = TypeVar("_Self", bound="Handle")


def _abandoned(close: Callable[[int], None], number: int, warning: Optional[str]) -> None:
  """A handle that nobody closed was collected."""
  try:
    close(number)
  except (ClosedError, ForkedError):
    return
  if warning:
    warnings.warn(warning, ResourceWarning, stacklevel=2)


class Handle:
  """A handle of the library, closed by close(), by leaving a ``with`` block, or when it is collected."""

  _kind = "handle"
  _warns = False

  def __init__(self, number: int, close: Callable[[int], None]) -> None:
    self._open_number = number
    self._close = close
    warning = f"a {self._kind} was not closed" if self._warns else None
    self._finalizer = weakref.finalize(self, _abandoned, close, number, warning)
    # At exit the process goes anyway; other threads may still be reading.
    self._finalizer.atexit = False

  @property
  def closed(self) -> bool:
    """Whether this was closed. A key, snapshot or change set is closed with its store, which shows when it is used."""
    return not self._finalizer.alive

  @property
  def _number(self) -> int:
    if not self._finalizer.alive:
      raise ClosedError(f"the {self._kind} was closed")
    return self._open_number

  def close(self) -> None:
    """Close it. Closing twice does nothing, nor does closing in a forked child what the parent opened."""
    if self._finalizer.detach() is not None:
      try:
        self._close(self._open_number)
      except (ClosedError, ForkedError):
        pass

  def __enter__(self: _Self) -> _Self:
    _ = self._number
    return self

  def __exit__(
    self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
  ) -> None:
    self.close()

  def __reduce__(self) -> Any:
    raise TypeError(f"a {self._kind} can be neither copied nor pickled: open it where it is needed")

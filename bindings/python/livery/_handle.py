"""Handles of the library, and who owns one."""

from __future__ import annotations

import warnings
import weakref
from types import TracebackType
from typing import Any, Callable, Optional, Type, TypeVar

from .errors import ClosedError, ForkedError

_Owner = TypeVar("_Owner", bound="Owner")


def _abandoned(close: Callable[[int], None], number: int, warning: Optional[str]) -> None:
  """A handle that nobody closed was collected."""
  try:
    close(number)
  except (ClosedError, ForkedError):
    return
  if warning:
    warnings.warn(warning, ResourceWarning, stacklevel=2)


class Handle:
  """A handle of the library, closed by close(), or when nobody holds it any more."""

  def __init__(self, kind: str, number: int, close: Callable[[int], None], *, warns: bool = False) -> None:
    self.kind = kind
    self._open_number = number
    self._close = close
    self._finalizer = weakref.finalize(self, _abandoned, close, number, f"a {kind} was not closed" if warns else None)
    # At exit the process goes anyway; other threads may still be reading.
    self._finalizer.atexit = False

  @property
  def closed(self) -> bool:
    return not self._finalizer.alive

  @property
  def number(self) -> int:
    if not self._finalizer.alive:
      raise ClosedError(f"the {self.kind} was closed")
    return self._open_number

  def close(self) -> None:
    if self._finalizer.detach() is not None:
      try:
        self._close(self._open_number)
      except (ClosedError, ForkedError):
        pass

  def ended(self) -> None:
    """The library has closed it itself."""
    self._finalizer.detach()


class Owner:
  """What a user opens and closes: stores, keys, snapshots and change sets."""

  def __init__(self, handle: Handle) -> None:
    self._handle = handle

  @property
  def closed(self) -> bool:
    """Whether this was closed. A key, snapshot or change set is closed with its store, which shows when it is used."""
    return self._handle.closed

  def close(self) -> None:
    """Close it. Closing twice does nothing, nor does closing in a forked child what the parent opened."""
    self._handle.close()

  def __enter__(self: _Owner) -> _Owner:
    _ = self._handle.number
    return self

  def __exit__(
    self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
  ) -> None:
    self.close()

  def __reduce__(self) -> Any:
    raise TypeError(f"a {self._handle.kind} can be neither copied nor pickled: open it where it is needed")

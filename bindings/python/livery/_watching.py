"""What the ways to watch a store have in common."""

from __future__ import annotations

import math
import os
from types import TracebackType
from typing import Any, Mapping, NamedTuple, Optional, Type, TypeVar

from . import _constants, _convert, _native
from .errors import ClosedError, ForkedError, GoneError, NotAStoreError, NotFoundError

_Watching = TypeVar("_Watching", bound="Watching")


_GONE = "the store's directory was moved, deleted or exchanged: open the store again"


class Wanted(NamedTuple):
  """What a watch is to tell of."""

  pattern: Optional[bytes]
  flags: int
  milliseconds: int

  @classmethod
  def of(cls, pattern: Optional[str], initial: bool, min_interval: _convert.Duration) -> Wanted:
    raw = _convert.pattern(pattern)
    milliseconds = math.ceil(min(_convert.seconds("min_interval", min_interval), 1e9) * 1000)
    flags = _constants.WATCH_DISPATCH | (_constants.WATCH_INITIAL if initial else 0)
    return cls(raw, flags, min(milliseconds, 0xFFFF_FFFF))


class Source(NamedTuple):
  """Where a store is, for handles beside the first one."""

  path: bytes
  device: int
  inode: int
  #: What the first one was opened with.
  options: Mapping[str, int]

  @classmethod
  def of(cls, path: bytes, options: Mapping[str, int]) -> Source:
    if options["flags"] & _constants.OPEN_MEMORY:
      return cls(path, 0, 0, options)
    path = os.path.abspath(path)
    facts = os.stat(path)
    return cls(path, facts.st_dev, facts.st_ino, options)

  def open(self, alike: bool = False) -> int:
    """A handle that can do what the first one can, or one that only reads."""
    flags = self.options["flags"] & ~_constants.OPEN_CREATE
    members = {**self.options, "flags": flags} if alike else {"flags": (flags & _constants.OPEN_MEMORY) | _constants.OPEN_READ_ONLY}
    try:
      handle = _native.open(self.path, **members)
    except (NotFoundError, NotAStoreError) as error:
      raise GoneError(_GONE) from error
    if flags & _constants.OPEN_MEMORY:
      return handle
    try:
      facts = os.stat(self.path)
      if (facts.st_dev, facts.st_ino) != (self.device, self.inode):
        raise GoneError(_GONE)
    except BaseException:
      _native.close(handle)
      raise
    return handle


def close(handle: int) -> None:
  try:
    _native.close(handle)
  except (ClosedError, ForkedError):
    pass


class Watching:
  """What the three ways have in common: stop(), also by leaving a ``with`` block, and by closing the store."""

  def stop(self) -> None:
    raise NotImplementedError

  @property
  def stopped(self) -> bool:
    """Whether it was stopped, or its store closed."""
    raise NotImplementedError

  def __enter__(self: _Watching) -> _Watching:
    return self

  def __exit__(
    self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
  ) -> None:
    self.stop()

  def __reduce__(self) -> Any:
    raise TypeError("a watch can be neither copied nor pickled: begin it where it is needed")

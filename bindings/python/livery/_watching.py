"""What the ways to watch a store have in common."""

from __future__ import annotations

import math
import os
from types import TracebackType
from typing import Any, NamedTuple, Optional, Type, TypeVar

from . import _constants, _convert, _native
from .errors import ClosedError, ForkedError, InvalidArgumentError

_Watching = TypeVar("_Watching", bound="Watching")


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
  is_in_memory: bool = False

  @classmethod
  def in_memory(cls, name: bytes) -> Source:
    return cls(name, 0, 0, True)

  @classmethod
  def of(cls, path: bytes) -> Source:
    path = os.path.abspath(path)
    facts = os.stat(path)
    return cls(path, facts.st_dev, facts.st_ino)

  def open(self, writes: bool = False) -> int:
    flags = 0 if writes else _constants.OPEN_READ_ONLY
    if self.is_in_memory:
      return _native.open(self.path, flags=flags | _constants.OPEN_MEMORY)
    handle = _native.open(self.path, flags=flags)
    try:
      facts = os.stat(self.path)
      if (facts.st_dev, facts.st_ino) != (self.device, self.inode):
        raise InvalidArgumentError("the store's directory was moved: open the store again to watch it")
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

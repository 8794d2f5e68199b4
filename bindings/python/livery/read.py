"""What a store can be asked for."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Optional

from . import _convert, _native
from ._handle import Handle
from .value import URL, Color


class Reads:
  """The reads of a store. Those that programs make often are in `names`."""

  def __init__(self, handle: Handle) -> None:
    self.handle = handle
    self.names = _native.NameReader(handle.number)
    #: Reads a value of any type.
    self.get_value = self.names.reader(_convert.MAKERS, _convert.large)

  def get_float(self, name: str) -> float:
    return _native.get_float(self.handle.number, _convert.name(name))

  def get_data(self, name: str) -> bytes:
    return _native.get_data(self.handle.number, _convert.name(name))

  def get_url(self, name: str) -> URL:
    return URL(_native.get_url(self.handle.number, _convert.name(name)))

  def get_date(self, name: str) -> datetime:
    return _convert.moment(_native.get_date(self.handle.number, _convert.name(name)))

  def get_color(self, name: str) -> Color:
    return Color(*_native.get_color(self.handle.number, _convert.name(name)))

  def get_list(self, name: str) -> List[Any]:
    items: List[Any] = _convert.take(_native.get_list(self.handle.number, _convert.name(name)))
    return items

  def get_object(self, name: str) -> Dict[str, Any]:
    members: Dict[str, Any] = _convert.take(_native.get_object(self.handle.number, _convert.name(name)))
    return members

  def list(self, pattern: Optional[str], after: Optional[str], limit: Optional[int]) -> List[Dict[str, Any]]:
    number = self.handle.number
    # For the library 0 is no limit.
    if limit is not None and _convert.within("limit", limit, 63) == 0:
      return []
    raw_after = None if after is None else _convert.name(after)
    items: List[Dict[str, Any]] = _convert.take(
      _native.list_settings(number, _convert.pattern(pattern), raw_after, limit or 0)
    )
    return items

  def inspect(self, name: str) -> Dict[str, Any]:
    facts: Dict[str, Any] = _convert.take(_native.inspect(self.handle.number, _convert.name(name)))
    return facts

  def settings(self) -> Dict[str, Any]:
    everything: Dict[str, Any] = _convert.take(_native.settings(self.handle.number))
    return everything

  def revision(self) -> int:
    return _native.revision(self.handle.number)

"""What a store can be asked for."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List, Optional

from . import _convert, _native
from ._handle import Handle
from .errors import InvalidArgumentError
from .key import Key
from .snapshot import Snapshot
from .value import URL, Color

#: What list() returns; inside the class, `list` is that method.
Listing = List[Dict[str, Any]]
_List = List[Any]


#: Names whose keys a store keeps for reading them again.
_MOST_READERS = 2048


class Reading(Handle):
  """The reads of a store."""

  _readers: Dict[str, _native.KeyReader]
  _others: _native.NameReader
  _interns: bool

  def _read(self, number: int) -> None:
    """Reads are of the store with this number."""
    self._readers, self._others, self._interns = {}, _native.NameReader(number), True

  def close(self) -> None:
    super().close()
    self._readers, self._interns = {}, False

  def _interned(self, name: str) -> _native.KeyReader:
    """The key of a name, kept for the next time. It is closed with the store."""
    readers = self._readers
    self._interns = len(readers) + 1 < _MOST_READERS
    reader = _native.KeyReader(_native.key_open(self._number, _convert.name(name)))
    kept = readers.setdefault(name, reader)
    if kept is not reader:
      _native.key_close(reader._raw_key)
    return kept

  # -- Typed reads: a value that does not convert without loss is a TypeMismatchError

  def get_bool(self, name: str) -> bool:
    """Read a truth value; text such as "yes" or "0" converts."""
    reader = self._readers.get(name)
    if reader or self._interns:
      return (reader or self._interned(name)).get_bool()
    return self._others.get_bool(name)

  def get_int(self, name: str) -> int:
    """Read an integer of 64 bits; whole doubles convert, and text that spells a whole decimal number."""
    reader = self._readers.get(name)
    if reader or self._interns:
      return (reader or self._interned(name)).get_int()
    return self._others.get_int(name)

  def get_float(self, name: str) -> float:
    """Read a number rounded to the 32 bits of C's float. Python's own precision is get_double()."""
    return _native.get_float(self._number, _convert.name(name))

  def get_double(self, name: str) -> float:
    """Read a number of 64 bits; integers that it holds exactly convert, and text that spells a decimal number."""
    reader = self._readers.get(name)
    if reader or self._interns:
      return (reader or self._interned(name)).get_double()
    return self._others.get_double(name)

  def get_string(self, name: str) -> str:
    """Read text; URLs and image references are text, too."""
    reader = self._readers.get(name)
    if reader or self._interns:
      return (reader or self._interned(name)).get_string()
    return self._others.get_string(name)

  def get_data(self, name: str) -> bytes:
    """Read bytes; base64 text converts."""
    return _native.get_data(self._number, _convert.name(name))

  def get_url(self, name: str) -> URL:
    """Read a URL; text converts if it is empty or an absolute URL."""
    return URL(_native.get_url(self._number, _convert.name(name)))

  def get_date(self, name: str) -> datetime:
    """Read a moment, as an aware datetime in UTC; RFC 3339 text converts."""
    return _convert.moment(_native.get_date(self._number, _convert.name(name)))

  def get_color(self, name: str) -> Color:
    """Read a color; text such as "#336699" converts."""
    return Color(*_native.get_color(self._number, _convert.name(name)))

  def get_list(self, name: str) -> _List:
    """Read a list; nothing converts."""
    items: _List = _convert.take(_native.get_list(self._number, _convert.name(name)))
    return items

  def get_object(self, name: str) -> Dict[str, Any]:
    """Read an object as a dict; nothing converts."""
    members: Dict[str, Any] = _convert.take(_native.get_object(self._number, _convert.name(name)))
    return members

  def get_value(self, name: str) -> Any:
    """Read a value of any type, as Python's own; the same as store[name]."""
    return _convert.take(_native.get_value(self._number, _convert.name(name)))

  # -- More ways to read

  def key(self, name: str) -> Key:
    """Look a name up once, for reading it often."""
    return Key(self, name)

  def snapshot(self) -> Snapshot:
    """Hold one moment still, to read several settings that belong together; use it in a ``with`` block."""
    return Snapshot(self)

  def list(self, pattern: Optional[str] = None, *, after: Optional[str] = None, limit: Optional[int] = None) -> Listing:
    """List settings, with or without a value, in the order of their names.

    In a pattern ``*`` stands for any run of characters other than ``.``, ``**`` for any run, ``?`` for one character.
    Each item has ``name``, ``type``, ``locked`` and, where they apply, ``title``, ``secret``, ``value``, ``layer`` and
    ``revision``. For the next page give the last name as ``after``.
    """
    number = self._number
    if limit is not None and not 0 <= limit < 1 << 63:
      raise InvalidArgumentError(f"limit is out of range: {limit}")
    if limit == 0:
      return []
    raw_after = None if after is None else _convert.name(after)
    items: Listing = _convert.take(_native.list_settings(number, _convert.pattern(pattern), raw_after, limit or 0))
    return items

  def inspect(self, name: str) -> Dict[str, Any]:
    """Everything about a setting: what it is, every layer's value, which one wins and why."""
    facts: Dict[str, Any] = _convert.take(_native.inspect(self._number, _convert.name(name)))
    return facts

  def settings(self) -> Dict[str, Any]:
    """All settings as ``{"Version": n, "Values": {name: value, …}}``, of one moment."""
    everything: Dict[str, Any] = _convert.take(_native.settings(self._number))
    return everything

  @property
  def revision(self) -> int:
    """The number of commits that changed something."""
    return _native.revision(self._number)

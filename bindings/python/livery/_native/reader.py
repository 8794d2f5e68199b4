"""Reading by name and by key for next to nothing beside the call.

A function of Python's own takes a tenth of the time of a call or more, so these do themselves what place() and the like do
for others.
"""

from __future__ import annotations

from ctypes import byref, c_bool, c_double, c_int64, c_size_t, create_string_buffer
from typing import Any, Callable, Dict, List, Optional, Tuple

from .. import _constants
from ..errors import BufferTooSmallError
from . import store
from .calls import argument, failure, held, text
from .interface import Reading
from .value import CAPACITY, Place, components
from .value import free_places as _places

_NAME = "a setting's name"

_key_get_bool, _key_get_int = held.key_get_bool, held.key_get_int
_key_get_double, _key_get_string = held.key_get_double, held.key_get_string
_get_bool, _get_int, _get_double = held.get_bool, held.get_int, held.get_double
_get_string, _get_value, _read = held.get_string, held.get_value, held.read

_CAPACITY = argument(CAPACITY)

#: Names as the library takes them, of the settings that were read first.
_names: Dict[str, bytes] = {}
_MOST_NAMES = 16_384


def _raw(name: str) -> bytes:
  try:
    return _names[name]
  except (KeyError, TypeError):
    pass
  raw = text(_NAME, name)
  if len(_names) < _MOST_NAMES:
    _names[name] = raw
  return raw


class KeyReader:
  """Reads one setting by its key.

  The arguments of the calls are made once. One place for a result does for all threads: what another thread puts there
  before it is looked at is a later reading of the same setting.
  """

  __slots__ = (
    *("_raw_key", "_key", "_bool", "_bool_out", "_int", "_int_out", "_double", "_double_out"),
    *("_text", "_length", "_length_out"),
  )

  def __init__(self, key: int) -> None:
    self._raw_key, self._key = key, argument(key)
    self._bool, self._int, self._double, self._length = c_bool(), c_int64(), c_double(), c_size_t()
    self._bool_out, self._int_out, self._double_out = byref(self._bool), byref(self._int), byref(self._double)
    self._length_out = byref(self._length)
    self._text: Optional[Tuple[Any, Any]] = None

  def get_bool(self) -> bool:
    status = _key_get_bool(self._key, self._bool_out)
    if status:
      raise failure(status)
    return self._bool.value

  def get_int(self) -> int:
    status = _key_get_int(self._key, self._int_out)
    if status:
      raise failure(status)
    return self._int.value

  def get_double(self) -> float:
    status = _key_get_double(self._key, self._double_out)
    if status:
      raise failure(status)
    return self._double.value

  def get_string(self) -> str:
    place = self._text
    if place is None:
      buffer = create_string_buffer(CAPACITY)
      self._text = place = buffer, byref(buffer)
    text, text_out = place
    if _key_get_string(self._key, text_out, _CAPACITY, self._length_out):
      # It is longer, or there is none.
      return store.key_get_string(self._raw_key)
    raw: bytes = text.value
    # Text that holds a NUL, or the text of another reading than the length.
    if len(raw) != self._length.value:
      return store.key_get_string(self._raw_key)
    return raw.decode()


class Keys:
  """The keys of the first names of a store that are read as a type; they are closed with it."""

  MOST = 2048

  def __init__(self, number: int) -> None:
    self.number, self.store = number, argument(number)
    self.readers: Dict[str, KeyReader] = {}
    self.has_room = True

  def open(self, name: str) -> KeyReader:
    self.has_room = len(self.readers) + 1 < self.MOST
    reader = KeyReader(store.key_open(self.number, text(_NAME, name)))
    kept = self.readers.setdefault(name, reader)
    if kept is not reader:
      store.key_close(reader._raw_key)
    return kept

  def forget(self) -> None:
    """Let go of them: their store was closed."""
    self.readers.clear()
    self.has_room = False


_BOOL, _INT, _DOUBLE, _STRING = _constants.TYPE_BOOL, _constants.TYPE_INT, _constants.TYPE_DOUBLE, _constants.TYPE_STRING
_DATE, _COLOR, _DATA = _constants.TYPE_DATE, _constants.TYPE_COLOR, _constants.TYPE_DATA

#: Room for what a call tells: the struct, the buffer, and as arguments both and the struct's length.
_Room = Tuple[Reading, Any, Any, Any, Any]
_rooms: List[_Room] = []


def _room() -> _Room:
  reading, buffer = Reading(), create_string_buffer(CAPACITY)
  return reading, byref(reading), buffer, byref(buffer), byref(reading, Reading.length.offset)


def _content(reading: Reading, buffer: Any) -> Any:
  """What is neither a number nor a string, as the numbers and bytes that the library tells."""
  kind = reading.type
  if kind == _DATE:
    return reading.as_int
  if kind == _COLOR:
    return components(reading.as_color)
  content: bytes = buffer.raw[:reading.length]
  return content if kind == _DATA else content.decode()


def _by_name(store: Any, function: Any, kind: Any) -> Callable[[str], Any]:
  """A function that reads numbers of a store by their names."""
  places: List[Tuple[Any, Any]] = []
  names, take, give = _names, places.pop, places.append

  def read(name: str) -> Any:
    try:
      raw = names[name]
    except (KeyError, TypeError):
      raw = _raw(name)
    try:
      place = take()
    except IndexError:
      number = kind()
      place = number, byref(number)
    number, out = place
    status = function(store, raw, out)
    if status:
      raise failure(status)
    value = number.value
    give(place)
    return value

  return read


def _texts_by_name(number: int, argument: Any) -> Callable[[str], str]:
  """The same for text."""
  names, take, give = _names, _rooms.pop, _rooms.append

  def read(name: str) -> str:
    try:
      raw = names[name]
    except (KeyError, TypeError):
      raw = _raw(name)
    try:
      room = take()
    except IndexError:
      room = _room()
    reading, _, buffer, buffer_out, length_out = room
    if _get_string(argument, raw, buffer_out, _CAPACITY, length_out):
      # It is longer, or there is none.
      return store.get_string(number, raw)
    content: bytes = buffer.value
    if len(content) != reading.length:
      # Text may hold a NUL.
      content = buffer.raw[:reading.length]
    give(room)
    return content.decode()

  return read


_NUMBERS = {"get_bool": (_get_bool, c_bool), "get_int": (_get_int, c_int64), "get_double": (_get_double, c_double)}
_BY_KEY: Dict[str, Callable[[KeyReader], Any]] = {
  "get_bool": KeyReader.get_bool,
  "get_int": KeyReader.get_int,
  "get_double": KeyReader.get_double,
  "get_string": KeyReader.get_string,
}


class NameReader:
  """Reads the settings of a store by their names: as a type by a key, while there is room for more."""

  get_bool: Callable[[str], bool]
  get_int: Callable[[str], int]
  get_double: Callable[[str], float]
  get_string: Callable[[str], str]

  def __init__(self, number: int) -> None:
    self.keys = Keys(number)

  def __getattr__(self, name: str) -> Any:
    """What reads as a type. It is made once and for all when there is no room for keys any more."""
    if name not in _BY_KEY:
      raise AttributeError(name)
    if self.keys.has_room:
      by_key = _BY_KEY[name]
      return lambda setting: by_key(self.keys.open(setting))
    if name in _NUMBERS:
      reader = _by_name(self.keys.store, *_NUMBERS[name])
    else:
      reader = _texts_by_name(self.keys.number, self.keys.store)
    setattr(self, name, reader)
    return reader

  def reader(self, makers: Makers, large: Callable[[Place], Any]) -> Callable[[str], Any]:
    """A function that reads values of any type: of the types in `makers` by these, and large ones out of a place."""
    number, names = self.keys.store, _names
    take, give = _rooms.pop, _rooms.append

    def read(name: str) -> Any:
      try:
        raw = names[name]
      except (KeyError, TypeError):
        raw = _raw(name)
      try:
        room = take()
      except IndexError:
        room = _room()
      reading, reading_out, buffer, buffer_out, _ = room
      status = _read(number, raw, buffer_out, _CAPACITY, reading_out)
      if status:
        if status == BufferTooSmallError.status:
          return large(self.get_value(raw))
        raise failure(status)
      kind = reading.type
      if kind == _INT:
        value = reading.as_int
      elif kind == _BOOL:
        value = reading.as_bool
      elif kind == _STRING:
        content = buffer.value
        # Text may hold a NUL.
        value = (content if len(content) == reading.length else buffer.raw[:reading.length]).decode()
      elif kind == _DOUBLE:
        value = reading.as_double
      elif kind in makers:
        value = makers[kind](_content(reading, buffer))
      else:
        value = large(self.get_value(raw))
      give(room)
      return value

    return read

  def check(self, name: str) -> None:
    """Raise what a read would, but for a value that does not convert."""
    try:
      room = _rooms.pop()
    except IndexError:
      room = _room()
    status = _read(self.keys.store, _raw(name), room[3], _CAPACITY, room[1])
    if status and status != BufferTooSmallError.status:
      raise failure(status)
    _rooms.append(room)

  def get_value(self, raw: bytes) -> Place:
    """A place with a reference to the value of any type."""
    try:
      place = _places.pop()
    except IndexError:
      place = Place()
    status = _get_value(self.keys.store, raw, place.value_out)
    if status:
      raise failure(status)
    return place


#: What makes Python's own of what the library tells, by the types of values.
Makers = Dict[int, Callable[[Any], Any]]

"""Reading by name and by key for next to nothing beside the call."""

from __future__ import annotations

from ctypes import byref, c_bool, c_double, c_int64
from typing import Any, Dict

from . import store
from .calls import argument, failure, held, text
from .value import CAPACITY, Place, place

_NAME = "a setting's name"

_key_get_bool, _key_get_int = held.key_get_bool, held.key_get_int
_key_get_double, _key_get_string = held.key_get_double, held.key_get_string
_get_bool, _get_int, _get_double = held.get_bool, held.get_int, held.get_double
_get_string, _get_value = held.get_string, held.get_value

_CAPACITY = argument(CAPACITY)


def _content(found: Place) -> str:
  """The text in a place's buffer."""
  raw, length = found.buffer.value, found.length.value
  # Text may hold a NUL.
  return (raw if len(raw) == length else found.buffer.raw[:length]).decode()


class KeyReader:
  """Reads one setting by its key.

  The arguments of the calls are made once. One place for a number does for all threads: what another thread puts there
  before it is looked at is a later reading of the same setting.
  """

  __slots__ = ("_raw_key", "_key", "_bool", "_bool_out", "_int", "_int_out", "_double", "_double_out")

  def __init__(self, key: int) -> None:
    self._raw_key, self._key = key, argument(key)
    self._bool, self._int, self._double = c_bool(), c_int64(), c_double()
    self._bool_out, self._int_out, self._double_out = byref(self._bool), byref(self._int), byref(self._double)

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
    found = place()
    if _key_get_string(self._key, found.buffer_out, _CAPACITY, found.length_out):
      # It is longer, or there is none.
      return store.key_get_string(self._raw_key)
    content = _content(found)
    found.free()
    return content


class NameReader:
  """Reads the settings of a store by their names. It keeps the keys of the first names that are read as a type."""

  #: Names whose keys are kept.
  MOST_KEPT = 2048

  def __init__(self, number: int) -> None:
    self._raw_store, self._store = number, argument(number)
    #: The keys by name, for whoever looks here before he asks.
    self.kept: Dict[str, KeyReader] = {}
    self._keeps = True

  def forget(self) -> None:
    """Let go of the keys, which were closed with their store."""
    self.kept.clear()
    self._keeps = False

  def _key(self, name: str) -> KeyReader:
    """The key of a name, kept for the next time."""
    self._keeps = len(self.kept) + 1 < self.MOST_KEPT
    reader = KeyReader(store.key_open(self._raw_store, text(_NAME, name)))
    kept = self.kept.setdefault(name, reader)
    if kept is not reader:
      store.key_close(reader._raw_key)
    return kept

  def get_bool(self, name: str) -> bool:
    if self._keeps:
      return self._key(name).get_bool()
    raw, found = text(_NAME, name), place()
    status = _get_bool(self._store, raw, found.truth_out)
    if status:
      raise failure(status)
    value = found.truth.value
    found.free()
    return value

  def get_int(self, name: str) -> int:
    if self._keeps:
      return self._key(name).get_int()
    raw, found = text(_NAME, name), place()
    status = _get_int(self._store, raw, found.integer_out)
    if status:
      raise failure(status)
    value = found.integer.value
    found.free()
    return value

  def get_double(self, name: str) -> float:
    if self._keeps:
      return self._key(name).get_double()
    raw, found = text(_NAME, name), place()
    status = _get_double(self._store, raw, found.number_out)
    if status:
      raise failure(status)
    value = found.number.value
    found.free()
    return value

  def get_string(self, name: str) -> str:
    if self._keeps:
      return self._key(name).get_string()
    raw, found = text(_NAME, name), place()
    if _get_string(self._store, raw, found.buffer_out, _CAPACITY, found.length_out):
      # It is longer, or there is none.
      return store.get_string(self._raw_store, raw)
    content = _content(found)
    found.free()
    return content

  def get_value(self, name: str) -> Place:
    """A place with a reference to the value of any type."""
    raw, found = text(_NAME, name), place()
    status = _get_value(self._store, raw, found.value_out)
    if status:
      raise failure(status)
    return found

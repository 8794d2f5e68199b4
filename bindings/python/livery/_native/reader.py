"""Reading without what ctypes does for every call."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_bool, c_char, c_double, c_int32, c_int64, c_size_t
from typing import Any, Optional, Tuple

from . import store
from .calls import text

_CAPACITY = 256
_NAME = "a setting's name"


def _argument(number: int) -> Any:
  """A number as an argument that calls take as it is, where they would wrap one of ctypes' own anew each time.

  It is made as a reference to the address of that number, where nothing ever looks.
  """
  return byref(c_char.from_address(number))


_CAPACITY_ARGUMENT = _argument(_CAPACITY)

_get_bool: Any
_get_int: Any
_get_double: Any
_get_string: Any
_get_bool_of: Any
_get_int_of: Any
_get_double_of: Any
_get_string_of: Any

_Text = c_char * _CAPACITY


def prepare(library_path: str) -> None:
  """Declare the functions once more: called with the interpreter's lock held, their arguments not converted."""
  global _get_bool, _get_int, _get_double, _get_string
  global _get_bool_of, _get_int_of, _get_double_of, _get_string_of
  library = ctypes.PyDLL(library_path)
  _get_bool, _get_int = library.livery_key_get_bool, library.livery_key_get_int
  _get_double, _get_string = library.livery_key_get_double, library.livery_key_get_string
  _get_bool_of, _get_int_of = library.livery_get_bool, library.livery_get_int
  _get_double_of, _get_string_of = library.livery_get_double, library.livery_get_string
  by_key, by_name = (_get_bool, _get_int, _get_double, _get_string), (_get_bool_of, _get_int_of, _get_double_of, _get_string_of)
  for function in by_key + by_name:
    function.restype = c_int32


class KeyReader:
  """Reads one setting by its key.

  The arguments of the calls are made once. A read waits for nothing, so that the interpreter's lock can be held; and so
  one place for the result does for all threads: what another thread puts there before it is looked at is a later
  reading of the same setting.
  """

  __slots__ = (
    *("_raw_key", "_key", "_bool", "_bool_out", "_int", "_int_out", "_double", "_double_out"),
    *("_text", "_length", "_length_out"),
  )

  def __init__(self, key: int) -> None:
    self._raw_key, self._key = key, _argument(key)
    self._bool, self._int, self._double, self._length = c_bool(), c_int64(), c_double(), c_size_t()
    self._bool_out, self._int_out, self._double_out = byref(self._bool), byref(self._int), byref(self._double)
    self._length_out = byref(self._length)
    self._text: Optional[Tuple[ctypes.Array[ctypes.c_char], Any]] = None

  def get_bool(self) -> bool:
    if _get_bool(self._key, self._bool_out):
      return store.key_get_bool(self._raw_key)
    return self._bool.value

  def get_int(self) -> int:
    if _get_int(self._key, self._int_out):
      return store.key_get_int(self._raw_key)
    return self._int.value

  def get_double(self) -> float:
    if _get_double(self._key, self._double_out):
      return store.key_get_double(self._raw_key)
    return self._double.value

  def get_string(self) -> str:
    place = self._text
    if place is None:
      buffer = ctypes.create_string_buffer(_CAPACITY)
      self._text = place = buffer, byref(buffer)
    text, text_out = place
    if _get_string(self._key, text_out, _CAPACITY_ARGUMENT, self._length_out):
      return store.key_get_string(self._raw_key)
    raw = text.value
    # Text that holds a NUL, or the text of another reading than the length.
    if len(raw) != self._length.value:
      return store.key_get_string(self._raw_key)
    return raw.decode()


class NameReader:
  """Reads settings by their names.

  Each call has a place of its own for the result: another thread may read another setting before it is looked at.
  """

  __slots__ = ("_raw_store", "_store")

  def __init__(self, number: int) -> None:
    self._raw_store, self._store = number, _argument(number)

  def get_bool(self, name: str) -> bool:
    raw, value = text(_NAME, name), c_bool()
    if _get_bool_of(self._store, raw, byref(value)):
      return store.get_bool(self._raw_store, raw)
    return value.value

  def get_int(self, name: str) -> int:
    raw, value = text(_NAME, name), c_int64()
    if _get_int_of(self._store, raw, byref(value)):
      return store.get_int(self._raw_store, raw)
    return value.value

  def get_double(self, name: str) -> float:
    raw, value = text(_NAME, name), c_double()
    if _get_double_of(self._store, raw, byref(value)):
      return store.get_double(self._raw_store, raw)
    return value.value

  def get_string(self, name: str) -> str:
    raw, place, length = text(_NAME, name), _Text(), c_size_t()
    if _get_string_of(self._store, raw, byref(place), _CAPACITY_ARGUMENT, byref(length)):
      return store.get_string(self._raw_store, raw)
    return place.raw[:length.value].decode()

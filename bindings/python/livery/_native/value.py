"""value.h: looking into values, and making them."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_bool, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p
from typing import Any, Callable, Dict, List, Tuple

from ..errors import TypeMismatchError
from .calls import argument, failure, handle, held, lib
from .interface import Color

Components = Tuple[float, float, float, float]

#: How much text a place has room for, with a NUL.
CAPACITY = 256


def components(color: Color) -> Components:
  return color.red, color.green, color.blue, color.alpha


_release, _type, _count = held.value_release, held.value_type, held.value_count
_as_bool, _as_int, _as_double, _as_date = held.value_as_bool, held.value_as_int, held.value_as_double, held.value_as_date
_as_string, _as_data, _as_color = held.value_as_string, held.value_as_data, held.value_as_color
_at, _key_at = held.value_at, held.value_key_at


class Place:
  """Room for a value and for what the library tells of it.

  Making one costs more than a read does, so they are used again: place() gives one that nobody else has, and free() is
  for whoever had it last. One that is lost on the way of an exception is not missed.
  """

  __slots__ = (
    *("value", "value_out", "_kind", "_kind_out", "truth", "truth_out", "integer", "integer_out", "number", "number_out"),
    *("_color", "_color_out", "_text", "_text_out", "_memory", "_memory_out", "length", "length_out", "buffer", "buffer_out"),
  )

  def __init__(self) -> None:
    self.value, self._kind, self.length = c_void_p(), c_int32(), c_size_t()
    self.truth, self.integer, self.number, self._color = c_bool(), c_int64(), c_double(), Color()
    self._text, self._memory, self.buffer = c_char_p(), c_void_p(), ctypes.create_string_buffer(CAPACITY)
    self.value_out, self._kind_out, self.length_out = byref(self.value), byref(self._kind), byref(self.length)
    self.truth_out, self.integer_out, self.number_out = byref(self.truth), byref(self.integer), byref(self.number)
    self._color_out, self._text_out = byref(self._color), byref(self._text)
    self._memory_out, self.buffer_out = byref(self._memory), byref(self.buffer)

  def free(self) -> None:
    free_places.append(self)

  def release(self) -> None:
    """Let go of the reference to the value."""
    _release(self.value)

  def take(self, readers: Readers) -> Any:
    """What the reader for the value's type gives. The reference is let go of, and the place is free."""
    try:
      return self.read(readers)
    finally:
      _release(self.value)
      free_places.append(self)

  def read(self, readers: Readers) -> Any:
    """The same while the reference stays."""
    status = _type(self.value, self._kind_out)
    if status:
      raise failure(status)
    reader = readers.get(self._kind.value)
    if reader is None:
      raise TypeMismatchError(f"the value is of type {self._kind.value}, which this package does not know")
    return reader(self)

  def as_bool(self) -> bool:
    status = _as_bool(self.value, self.truth_out)
    if status:
      raise failure(status)
    return self.truth.value

  def as_int(self) -> int:
    status = _as_int(self.value, self.integer_out)
    if status:
      raise failure(status)
    return self.integer.value

  def as_double(self) -> float:
    status = _as_double(self.value, self.number_out)
    if status:
      raise failure(status)
    return self.number.value

  def as_string(self) -> str:
    status = _as_string(self.value, self._text_out, self.length_out)
    if status:
      raise failure(status)
    raw, length = self._text.value or b"", self.length.value
    # Text may hold a NUL.
    return raw.decode() if len(raw) == length else ctypes.string_at(self._text, length).decode()

  def as_data(self) -> bytes:
    status = _as_data(self.value, self._memory_out, self.length_out)
    if status:
      raise failure(status)
    return self._content()

  def as_date(self) -> int:
    """In microseconds since 1970."""
    status = _as_date(self.value, self.integer_out)
    if status:
      raise failure(status)
    return self.integer.value

  def as_color(self) -> Components:
    status = _as_color(self.value, self._color_out)
    if status:
      raise failure(status)
    return components(self._color)

  def count(self) -> int:
    status = _count(self.value, self.length_out)
    if status:
      raise failure(status)
    return self.length.value

  def item(self, index: int, inner: Place) -> None:
    """Put a new reference to an item into another place."""
    status = _at(self.value, argument(index), inner.value_out)
    if status:
      raise failure(status)

  def key(self, index: int) -> str:
    status = _key_at(self.value, argument(index), self._memory_out, self.length_out)
    if status:
      raise failure(status)
    return self._content().decode()

  def _content(self) -> bytes:
    return ctypes.string_at(self._memory.value or 0, self.length.value)


#: By the types of values.
Readers = Dict[int, Callable[[Place], Any]]

free_places: List[Place] = []


def place() -> Place:
  """A place that nobody else has."""
  try:
    return free_places.pop()
  except IndexError:
    return Place()


def value_release(value: int) -> None:
  lib.value_release(value)


# -- Makers: each returns a new reference, to be released -------------------------------------------------------------


def make_bool(content: bool) -> int:
  return handle(lib.value_make_bool, content)


def make_int(content: int) -> int:
  return handle(lib.value_make_int, content)


def make_double(content: float) -> int:
  return handle(lib.value_make_double, content)


def make_string(content: bytes) -> int:
  return handle(lib.value_make_string, content, len(content))


def make_url(content: bytes) -> int:
  return handle(lib.value_make_url, content, len(content))


def make_image(content: bytes) -> int:
  return handle(lib.value_make_image, content, len(content))


def make_data(content: bytes) -> int:
  return handle(lib.value_make_data, content, len(content))


def make_date(microseconds: int) -> int:
  return handle(lib.value_make_date, microseconds)


def make_color(components: Components) -> int:
  return handle(lib.value_make_color, Color(*components))


def make_list(items: List[int]) -> int:
  return handle(lib.value_make_list, (c_void_p * len(items))(*items), len(items))


def make_object(keys: List[bytes], members: List[int]) -> int:
  count = len(keys)
  return handle(lib.value_make_object, (c_char_p * count)(*keys), (c_void_p * count)(*members), count)

"""value.h: looking into values, and making them."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_bool, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p
from typing import List, Tuple

from .calls import check, handle, lib
from .interface import Color

Components = Tuple[float, float, float, float]


def components(color: Color) -> Components:
  return color.red, color.green, color.blue, color.alpha


class ValueReader:
  """Looks into values. Its result variables are made once for a whole tree, so one thread alone may use it."""

  def __init__(self) -> None:
    self._kind, self._pointer, self._length = c_int32(), c_void_p(), c_size_t()
    self._bool, self._int, self._double, self._color = c_bool(), c_int64(), c_double(), Color()
    self._pointer_ref, self._length_ref = byref(self._pointer), byref(self._length)

  def kind(self, value: int) -> int:
    check(lib.value_type(value, byref(self._kind)))
    return self._kind.value

  def as_bool(self, value: int) -> bool:
    check(lib.value_as_bool(value, byref(self._bool)))
    return self._bool.value

  def as_int(self, value: int) -> int:
    check(lib.value_as_int(value, byref(self._int)))
    return self._int.value

  def as_double(self, value: int) -> float:
    check(lib.value_as_double(value, byref(self._double)))
    return self._double.value

  def as_string(self, value: int) -> str:
    check(lib.value_as_string(value, self._pointer_ref, self._length_ref))
    return self._bytes().decode()

  def as_data(self, value: int) -> bytes:
    check(lib.value_as_data(value, self._pointer_ref, self._length_ref))
    return self._bytes()

  def as_date(self, value: int) -> int:
    check(lib.value_as_date(value, byref(self._int)))
    return self._int.value

  def as_color(self, value: int) -> Components:
    check(lib.value_as_color(value, byref(self._color)))
    return components(self._color)

  def count(self, value: int) -> int:
    check(lib.value_count(value, self._length_ref))
    return self._length.value

  def item(self, value: int, index: int) -> int:
    """A new reference, to be released."""
    check(lib.value_at(value, index, self._pointer_ref))
    return self._pointer.value or 0

  def key(self, value: int, index: int) -> str:
    check(lib.value_key_at(value, index, self._pointer_ref, self._length_ref))
    return self._bytes().decode()

  def _bytes(self) -> bytes:
    return ctypes.string_at(self._pointer.value or 0, self._length.value)


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

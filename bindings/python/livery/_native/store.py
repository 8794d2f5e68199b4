"""store.h: opening, reading, keys and snapshots."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_bool, c_double, c_float, c_int64, c_uint64
from typing import Optional, Tuple

from .._constants import NAME_MAX
from .calls import check, fill, handle, lib, options, out
from .interface import Color, ListOptions, OpenOptions
from .value import Components, components


def open(path: bytes, **members: int) -> int:
  """The members are those of livery_open_options."""
  given = options(OpenOptions, **members)
  return handle(lib.open, path, byref(given))


def close(store: int) -> None:
  check(lib.close(store))


def revision(store: int) -> int:
  return int(out(c_uint64, lib.revision, store))


def get_bool(store: int, name: bytes) -> bool:
  return bool(out(c_bool, lib.get_bool, store, name))


def get_int(store: int, name: bytes) -> int:
  return int(out(c_int64, lib.get_int, store, name))


def get_float(store: int, name: bytes) -> float:
  return float(out(c_float, lib.get_float, store, name))


def get_double(store: int, name: bytes) -> float:
  return float(out(c_double, lib.get_double, store, name))


def get_string(store: int, name: bytes) -> str:
  return fill(lib.get_string, store, name).decode()


def get_data(store: int, name: bytes) -> bytes:
  return fill(lib.get_data, store, name)


def get_url(store: int, name: bytes) -> str:
  return fill(lib.get_url, store, name).decode()


def get_date(store: int, name: bytes) -> int:
  """In microseconds since 1970."""
  return int(out(c_int64, lib.get_date, store, name))


def get_color(store: int, name: bytes) -> Components:
  color = Color()
  check(lib.get_color(store, name, byref(color)))
  return components(color)


def get_list(store: int, name: bytes) -> int:
  return handle(lib.get_list, store, name)


def get_object(store: int, name: bytes) -> int:
  return handle(lib.get_object, store, name)


def get_value(store: int, name: bytes) -> int:
  return handle(lib.get_value, store, name)


def list_settings(store: int, pattern: Optional[bytes], after: Optional[bytes], limit: int) -> int:
  given = options(ListOptions, after=after, limit=limit)
  return handle(lib.list, store, pattern, byref(given))


def inspect(store: int, name: bytes) -> int:
  return handle(lib.inspect, store, name)


def key_open(store: int, name: bytes) -> int:
  return handle(lib.key_open, store, name)


def key_close(key: int) -> None:
  check(lib.key_close(key))


def key_get_bool(key: int) -> bool:
  return bool(out(c_bool, lib.key_get_bool, key))


def key_get_int(key: int) -> int:
  return int(out(c_int64, lib.key_get_int, key))


def key_get_double(key: int) -> float:
  return float(out(c_double, lib.key_get_double, key))


def key_get_string(key: int) -> str:
  return fill(lib.key_get_string, key).decode()


def snapshot_open(store: int) -> int:
  return handle(lib.snapshot_open, store)


def snapshot_close(snapshot: int) -> None:
  check(lib.snapshot_close(snapshot))


def snapshot_revision(snapshot: int) -> int:
  return int(out(c_uint64, lib.snapshot_revision, snapshot))


def snapshot_get(snapshot: int, name: bytes) -> int:
  return handle(lib.snapshot_get, snapshot, name)


def snapshot_get_layer(snapshot: int, layer: int, name: bytes) -> int:
  return handle(lib.snapshot_get_layer, snapshot, layer, name)


def snapshot_list(snapshot: int, layer: int, pattern: Optional[bytes]) -> int:
  return handle(lib.snapshot_list, snapshot, layer, pattern)


def snapshot_next(snapshot: int, pattern: Optional[bytes], after: bytes) -> Tuple[bytes, int]:
  """The next name and its value; NotFoundError after the last one."""
  name = ctypes.create_string_buffer(after, max(len(after), NAME_MAX) + 1)
  value = handle(lib.snapshot_next, snapshot, pattern, name)
  return name.value, value

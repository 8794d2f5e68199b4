"""store.h: opening, reading, keys and snapshots."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_float, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Optional, Tuple

from .calls import FILL, HANDLE, OUT, SIZE_OUT, TEXT, Prototypes, check, fill, handle, lib, out
from .value import Color, Components, components

NAME_MAX = 255


class _OpenOptions(ctypes.Structure):
  _fields_ = [
    ("struct_size", c_size_t),
    ("flags", c_uint32),
    ("busy_timeout_ms", c_uint32),
    ("map_size", c_uint64),
    ("max_readers", c_uint32),
    ("log_entries", c_uint32),
    ("log_age_s", c_uint32),
    ("backups", c_uint32),
    ("cache_size", c_uint64),
    ("snapshot_commits", c_uint32),
    ("snapshot_age_s", c_uint32),
    ("orphan_versions", c_uint64),
    ("log_bytes", c_uint64),
  ]


class _ListOptions(ctypes.Structure):
  _fields_ = [("struct_size", c_size_t), ("after", c_char_p), ("limit", c_size_t)]


_PROTOTYPES: Prototypes = {
  "open": (TEXT, POINTER(_OpenOptions), OUT),
  "close": (HANDLE,),
  "revision": (HANDLE, POINTER(c_uint64)),
  "get_bool": (HANDLE, TEXT, POINTER(c_bool)),
  "get_int": (HANDLE, TEXT, POINTER(c_int64)),
  "get_float": (HANDLE, TEXT, POINTER(c_float)),
  "get_double": (HANDLE, TEXT, POINTER(c_double)),
  "get_string": FILL,
  "get_data": FILL,
  "get_url": FILL,
  "get_date": (HANDLE, TEXT, POINTER(c_int64)),
  "get_color": (HANDLE, TEXT, POINTER(Color)),
  "get_list": (HANDLE, TEXT, OUT),
  "get_object": (HANDLE, TEXT, OUT),
  "get_value": (HANDLE, TEXT, OUT),
  "key_open": (HANDLE, TEXT, OUT),
  "key_close": (HANDLE,),
  "key_get_bool": (HANDLE, POINTER(c_bool)),
  "key_get_int": (HANDLE, POINTER(c_int64)),
  "key_get_double": (HANDLE, POINTER(c_double)),
  "key_get_string": (HANDLE, c_void_p, c_size_t, SIZE_OUT),
  "snapshot_open": (HANDLE, OUT),
  "snapshot_close": (HANDLE,),
  "snapshot_revision": (HANDLE, POINTER(c_uint64)),
  "snapshot_get": (HANDLE, TEXT, OUT),
  "snapshot_next": (HANDLE, TEXT, c_void_p, OUT),
  "list": (HANDLE, TEXT, POINTER(_ListOptions), OUT),
  "inspect": (HANDLE, TEXT, OUT),
}


def open(
  path: bytes,
  flags: int,
  busy_timeout_ms: int = 0,
  map_size: int = 0,
  max_readers: int = 0,
  log_entries: int = 0,
  log_age_s: int = 0,
  cache_size: int = 0,
  orphan_versions: int = 0,
  backups: int = 0,
  log_bytes: int = 0,
) -> int:
  options = _OpenOptions(
    ctypes.sizeof(_OpenOptions),
    flags,
    busy_timeout_ms,
    map_size,
    max_readers,
    log_entries,
    log_age_s,
    backups,
    cache_size,
    0,
    0,
    orphan_versions,
    log_bytes,
  )
  return handle(lib.open, path, byref(options))


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
  options = _ListOptions(ctypes.sizeof(_ListOptions), after, limit)
  return handle(lib.list, store, pattern, byref(options))


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


def snapshot_next(snapshot: int, pattern: Optional[bytes], after: bytes) -> Tuple[bytes, int]:
  """The next name and its value; NotFoundError after the last one."""
  name = ctypes.create_string_buffer(after, max(len(after), NAME_MAX) + 1)
  value = handle(lib.snapshot_next, snapshot, pattern, name)
  return name.value, value

"""asset.h: images under the SHA-256 of their bytes."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_void_p
from typing import Any

from .._constants import ASSET_ID_SIZE
from .calls import check, handle, lib, options
from .interface import CollectOptions

def asset_describe(content: bytes, flags: int) -> int:
  return handle(lib.asset_describe, content, len(content), flags)


def asset_put(store: int, content: bytes, flags: int) -> str:
  return _put(lib.asset_put, store, content, flags)


def change_put_asset(change: int, content: bytes, flags: int) -> str:
  return _put(lib.change_put_asset, change, content, flags)


def _put(function: Any, target: int, content: bytes, flags: int) -> str:
  asset_id = ctypes.create_string_buffer(ASSET_ID_SIZE)
  check(function(target, content, len(content), flags, asset_id))
  return asset_id.value.decode()


def asset_get(store: int, asset_id: bytes) -> bytes:
  memory, length = c_void_p(), c_size_t()
  check(lib.asset_get(store, asset_id, byref(memory), byref(length)))
  try:
    return ctypes.string_at(memory.value or 0, length.value)
  finally:
    lib.free(memory)


def asset_fact(store: int, asset_id: bytes, name: bytes) -> bytes:
  memory, length = c_void_p(), c_size_t()
  check(lib.asset_fact(store, asset_id, name, byref(memory), byref(length)))
  try:
    return ctypes.string_at(memory.value or 0, length.value)
  finally:
    lib.free(memory)


def change_put_fact(change: int, asset_id: bytes, name: bytes, content: bytes) -> None:
  check(lib.change_put_fact(change, asset_id, name, content, len(content)))


def snapshot_asset(snapshot: int, asset_id: bytes) -> bytes:
  """A copy: a view would not survive its snapshot."""
  memory, length = c_void_p(), c_size_t()
  check(lib.snapshot_asset(snapshot, asset_id, byref(memory), byref(length)))
  return ctypes.string_at(memory.value or 0, length.value)


def asset_info(store: int, asset_id: bytes) -> int:
  return handle(lib.asset_info, store, asset_id)


def asset_list(store: int) -> int:
  return handle(lib.asset_list, store)


def asset_remove(store: int, asset_id: bytes, flags: int) -> None:
  check(lib.asset_remove(store, asset_id, flags))


def asset_collect(store: int, flags: int, min_age_s: int) -> int:
  given = options(CollectOptions, flags=flags, min_age_s=min_age_s)
  return handle(lib.asset_collect, store, byref(given))

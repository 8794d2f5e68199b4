"""schema.h: schemas, import and export."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Optional, Sequence, Tuple

from ..errors import LiveryError
from .calls import HANDLE, OUT, SIZE_OUT, Prototypes, copied, failure, handle, lib, out

#: A report may come with a failure, so those that report return both.
Report = Tuple[Optional[LiveryError], int]


class _SchemaOptions(ctypes.Structure):
  _fields_ = [
    ("struct_size", c_size_t),
    ("origin", c_char_p),
    ("declassify", POINTER(c_char_p)),
    ("declassify_count", c_size_t),
  ]


_PROTOTYPES: Prototypes = {
  "schema_apply": (HANDLE, c_char_p, c_size_t, POINTER(_SchemaOptions), OUT),
  "schema_check": (HANDLE, c_char_p, c_size_t, OUT),
  "schema_compare": (c_char_p, c_size_t, c_char_p, c_size_t, OUT),
  "schema_version": (HANDLE, POINTER(c_uint64)),
  "schema_copy_json": (HANDLE, OUT, SIZE_OUT),
  "settings": (HANDLE, OUT),
  "import_json": (HANDLE, c_int32, c_char_p, c_size_t, c_uint32, OUT),
  "import_plist": (HANDLE, c_int32, c_char_p, c_size_t, c_uint32, OUT),
  "export_json": (HANDLE, c_uint32, OUT, SIZE_OUT),
}


def _report(function: Any, *arguments: Any) -> Report:
  report = c_void_p()
  status = function(*arguments, byref(report))
  return (failure(status) if status else None), report.value or 0


def schema_apply(store: int, json: bytes, origin: Optional[bytes], declassify: Sequence[bytes]) -> Report:
  names = (c_char_p * len(declassify))(*declassify)
  options = _SchemaOptions(ctypes.sizeof(_SchemaOptions), origin, names, len(declassify))
  return _report(lib.schema_apply, store, json, len(json), byref(options))


def schema_check(store: Optional[int], json: bytes) -> Report:
  return _report(lib.schema_check, store, json, len(json))


def schema_compare(old: bytes, new: bytes) -> Report:
  return _report(lib.schema_compare, old, len(old), new, len(new))


def schema_version(store: int) -> int:
  return int(out(c_uint64, lib.schema_version, store))


def schema_json(store: int) -> str:
  return copied(lib.schema_copy_json, store)


def settings(store: int) -> int:
  return handle(lib.settings, store)


def import_json(store: int, layer: int, json: bytes, flags: int) -> Report:
  return _report(lib.import_json, store, layer, json, len(json), flags)


def import_plist(store: int, layer: int, plist: bytes, flags: int) -> Report:
  return _report(lib.import_plist, store, layer, plist, len(plist), flags)


def export_json(store: int, flags: int) -> str:
  return copied(lib.export_json, store, flags)

"""schema.h: schemas, import and export."""

from __future__ import annotations

from ctypes import byref, c_char_p, c_uint64, c_void_p
from typing import Any, Optional, Sequence, Tuple

from ..errors import LiveryError
from .calls import copied, failure, handle, lib, options, out
from .interface import SchemaOptions

#: A report may come with a failure, so those that report return both.
Report = Tuple[Optional[LiveryError], int]


def _report(function: Any, *arguments: Any) -> Report:
  report = c_void_p()
  status = function(*arguments, byref(report))
  return (failure(status) if status else None), report.value or 0


def schema_apply(store: int, json: bytes, origin: Optional[bytes], declassify: Sequence[bytes]) -> Report:
  names = (c_char_p * len(declassify))(*declassify)
  given = options(SchemaOptions, origin=origin, declassify=names, declassify_count=len(declassify))
  return _report(lib.schema_apply, store, json, len(json), byref(given))


def schema_check(store: Optional[int], json: bytes) -> Report:
  return _report(lib.schema_check, store, json, len(json))


def schema_compare(old: bytes, new: bytes) -> Report:
  return _report(lib.schema_compare, old, len(old), new, len(new))


def schema_version(store: int) -> int:
  return int(out(c_uint64, lib.schema_version, store))


def schema_json(store: int) -> str:
  return copied(lib.schema_copy_json, store)


def schema_digest(store: int) -> str:
  return copied(lib.schema_copy_digest, store)


def settings(store: int) -> int:
  return handle(lib.settings, store)


def import_json(store: int, layer: int, json: bytes, flags: int) -> Report:
  return _report(lib.import_json, store, layer, json, len(json), flags)


def import_plist(store: int, layer: int, plist: bytes, flags: int) -> Report:
  return _report(lib.import_plist, store, layer, plist, len(plist), flags)


def export_json(store: int, flags: int) -> str:
  return copied(lib.export_json, store, flags)

"""maintenance.h: checks, backups, compaction and figures."""

from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p
from typing import Optional

from .._constants import FORGET_BACKUPS
from .calls import check, failure, handle, lib, out
from .schema import Report

def store_check(path: bytes) -> Report:
  report = c_void_p()
  status = lib.check(path, byref(report))
  return (failure(status) if status else None), report.value or 0


def backup(store: int, path: Optional[bytes]) -> None:
  check(lib.backup(store, path))


def backups(store: int) -> int:
  return handle(lib.backups, store)


def restore(store: int, source: Optional[bytes], origin: Optional[bytes]) -> int:
  return int(out(c_uint64, lib.restore, store, source, origin))


def compact(store: int) -> None:
  check(lib.compact(store))


def forget(store: int, name: bytes, in_backups: bool) -> int:
  return handle(lib.forget, store, name, FORGET_BACKUPS if in_backups else 0)


def stats(store: int) -> int:
  return handle(lib.stats, store)

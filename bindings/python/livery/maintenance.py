"""Keep a store well: backups, checks, compaction and figures."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

from . import _convert, _native
from ._handle import Handle


def check_store(path: _convert.Path) -> Dict[str, Any]:
  """Look at every page and record of a store's directory, or of a backup, and return the report.

  CorruptError, whose ``report`` has it too, if something is damaged.
  """
  return _convert.report(_native.store_check(_convert.path(path)))


class Maintenance:
  """The upkeep of a store."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def backup(self, path: Optional[_convert.Path]) -> None:
    _native.backup(self._store.number, None if path is None else _convert.path(path))

  def backups(self) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = _convert.take(_native.backups(self._store.number))
    return found

  def restore(self, backup: Optional[_convert.Path], origin: Optional[str]) -> int:
    source = None if backup is None else _convert.path(backup)
    return _native.restore(self._store.number, source, _convert.origin(origin))

  def compact(self) -> None:
    _native.compact(self._store.number)

  def forget(self, name: str, backups: bool) -> Dict[str, Any]:
    done: Dict[str, Any] = _convert.take(_native.forget(self._store.number, _convert.name(name), backups))
    return done

  def reseal(self, copies: bool) -> Dict[str, Any]:
    done: Dict[str, Any] = _convert.take(_native.reseal(self._store.number, copies))
    return done

  def sealing(self) -> Dict[str, Any]:
    found: Dict[str, Any] = _convert.take(_native.sealing(self._store.number))
    return found

  def stats(self) -> Dict[str, Any]:
    figures: Dict[str, Any] = _convert.take(_native.stats(self._store.number))
    return figures

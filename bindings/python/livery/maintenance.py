"""Keep a store well: backups, checks, compaction and figures."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Union

from . import _convert, _native
from ._handle import Handle
from .errors import InvalidArgumentError

_Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


def check_store(path: _Path) -> Dict[str, Any]:
  """Look at every page and record of a store's directory, or of a backup, and return the report.

  CorruptError, whose ``report`` has it too, if something is damaged.
  """
  return _convert.report(_native.store_check(_raw(path)))


class Maintaining(Handle):
  """The upkeep of a store."""

  def backup(self, path: Optional[_Path] = None) -> None:
    """Write a checked copy of the store to a file, or into the store's own folder. Nobody has to wait."""
    _native.backup(self._number, None if path is None else _raw(path))

  def backups(self) -> List[Dict[str, Any]]:
    """The backups in the store's own folder, the latest first.

    Each has ``name``, ``path``, ``revision``, ``schemaVersion``, ``time``, ``reason`` and ``bytes``.
    """
    found: List[Dict[str, Any]] = _convert.take(_native.backups(self._number))
    return found

  def restore(self, backup: Optional[_Path] = None, origin: Optional[str] = None) -> int:
    """Bring back what a backup holds, as one commit whose revision is returned.

    ``backup`` is a file or the ``name`` of one of backups(), the latest of those unless told. CorruptError if it is
    damaged: the store is then unchanged.
    """
    return _native.restore(
      self._number,
      None if backup is None else _raw(backup),
      None if origin is None else _native.text("an origin", origin),
    )

  def compact(self) -> None:
    """Give the file system back what the store does not use. Other processes go on with the smaller file.

    The log forgets the former values of secrets before.
    """
    _native.compact(self._number)

  def forget(self, name: str, *, backups: bool = False) -> Dict[str, Any]:
    """Forget what the store knows of a setting, such as a secret, beside its present values, and report what was done.

    The log forgets former values, and the file is compacted. With ``backups`` the store's own backups forget them, too:
    values there other than the present ones go, and damaged files are removed.
    """
    done: Dict[str, Any] = _convert.take(_native.forget(self._number, _native.text("a name", name), backups))
    return done

  def stats(self) -> Dict[str, Any]:
    """Figures about the store, such as ``revision``, ``fileBytes``, ``databases``, ``lastBackup`` and ``recovery``."""
    figures: Dict[str, Any] = _convert.take(_native.stats(self._number))
    return figures


def _raw(path: _Path) -> bytes:
  raw = os.fsencode(path)
  if b"\0" in raw:
    raise InvalidArgumentError("the path contains a NUL")
  return raw

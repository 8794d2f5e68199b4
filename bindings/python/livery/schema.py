"""The schema of a store, and schemas by themselves."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, Optional

from . import _convert, _native
from ._convert import Document
from ._handle import Handle
from .errors import MigrationError
from .migration import Migration, MigrationFunction


def check_schema(text: Document) -> Dict[str, Any]:
  """Check a schema on its own, and return the report; ParseError and SchemaInvalidError carry it, too."""
  return _convert.report(_native.schema_check(None, _convert.document(text)))


def compare_schemas(old: Document, new: Document) -> Dict[str, Any]:
  """Compare a schema with the one it is to follow, and return the report: ``findings``, and how many ``errors``.

  An error is a change by which values that the old schema allows are lost, with the steps of migrations taken into account.
  """
  return _convert.report(_native.schema_compare(_convert.document(old), _convert.document(new)))


def _migrated(call: Callable[..., _native.Report], *arguments: Any) -> Dict[str, Any]:
  """The report of a call in which functions of the program's own run."""
  _native.raised()
  outcome = call(*arguments)
  raised = _native.raised()
  if raised is not None and not isinstance(raised, Exception):
    if outcome[1]:
      _native.value_release(outcome[1])
    raise raised
  try:
    return _convert.report(outcome)
  except MigrationError as error:
    raise error from raised


class Schema:
  """The schema of a store."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def apply(self, text: Document, origin: Optional[str], declassify: Iterable[str]) -> Dict[str, Any]:
    names = [_convert.name(name) for name in declassify]
    return _migrated(
      _native.schema_apply, self._store.number, _convert.document(text), _convert.origin(origin), names
    )

  def check(self, text: Document) -> Dict[str, Any]:
    return _migrated(_native.schema_check, self._store.number, _convert.document(text))

  def register_migration(self, name: str, function: MigrationFunction) -> None:
    raw = _native.text("a migration's name", name)
    if not callable(function):
      raise TypeError(f"a function is wanted, not {type(function).__name__}")
    _native.migration_register(self._store.number, raw, lambda number: function(Migration(number)))

  def version(self) -> int:
    return _native.schema_version(self._store.number)

  def json(self) -> str:
    return _native.schema_json(self._store.number)

  def digest(self) -> str:
    return _native.schema_digest(self._store.number)

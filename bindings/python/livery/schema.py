"""Schemas and other documents as the library takes them."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Union

from . import _constants, _convert, _native
from ._handle import Handle
from .errors import InvalidValueError, MigrationError
from .migration import Migration, MigrationFunction
from .value import Layer

#: A document: its text, or what it would be read to.
Document = Union[str, bytes, bytearray, Mapping[str, Any]]


def check_schema(text: Document) -> Dict[str, Any]:
  """Check a schema on its own, and return the report; ParseError and SchemaInvalidError carry it, too."""
  return _convert.report(_native.schema_check(None, encoded(text)))


def compare_schemas(old: Document, new: Document) -> Dict[str, Any]:
  """Compare a schema with the one it is to follow, and return the report: ``findings``, and how many ``errors``.

  An error is a change by which values that the old schema allows are lost, with the steps of migrations taken into account.
  """
  return _convert.report(_native.schema_compare(encoded(old), encoded(new)))


def encoded(document: Document) -> bytes:
  """The document's text in UTF-8."""
  if isinstance(document, (bytes, bytearray)):
    return bytes(document)
  if isinstance(document, str):
    try:
      return document.encode()
    except UnicodeEncodeError:
      raise InvalidValueError("the text is not valid Unicode: it contains a surrogate") from None
  if isinstance(document, Mapping):
    try:
      return json.dumps(document, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
      raise InvalidValueError(f"the document cannot be written as JSON: {error}") from None
  raise TypeError(f"a document is text, bytes or a mapping, not {type(document).__name__}")


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


class Documents(Handle):
  """The schema of a store, and what it imports and exports."""

  def apply_schema(
    self, text: Document, origin: Optional[str] = None, *, declassify: Iterable[str] = ()
  ) -> Dict[str, Any]:
    """Declare the settings, with their defaults and constraints, and return the report.

    Values are brought from the stored version to the new one by the schema's migrations, all or nothing, after a backup
    into the store's own folder. MigrationError tells which step failed; its ``report["steps"]`` has all that was done.
    It also refuses to show what was a secret, as ``report["declassified"]`` tells: ``declassify`` names the settings that
    may.
    """
    raw_origin = None if origin is None else _native.text("an origin", origin)
    return _migrated(_native.schema_apply, self._number, encoded(text), raw_origin, [_native.text("a name", n) for n in declassify])

  def check_schema(self, text: Document) -> Dict[str, Any]:
    """The report that apply_schema() would give, without applying anything: the plan of an upgrade."""
    return _migrated(_native.schema_check, self._number, encoded(text))

  def register_migration(self, name: str, function: MigrationFunction) -> None:
    """Have a function carry out the steps ``{"Op": "call", "Name": name}``, until the store is closed.

    apply_schema() and check_schema() call it with a Migration for each layer that holds values, weakest first. It may
    read the store but not change it. What it raises makes the upgrade fail with MigrationError, whose cause it is.
    """
    raw = _convert.name(name)
    if not callable(function):
      raise TypeError(f"a function is wanted, not {type(function).__name__}")
    _native.migration_register(self._number, raw, lambda number: function(Migration(number)))

  @property
  def schema_version(self) -> int:
    """The stored schema's version; 0 if none has been applied."""
    return _native.schema_version(self._number)

  def schema_json(self) -> str:
    """The stored schema's text, as it was applied; NoValueError if none has been."""
    return _native.schema_json(self._number)

  def import_json(
    self, text: Document, layer: Union[Layer, str, int] = Layer.USER, *, partial: bool = False
  ) -> Dict[str, Any]:
    """Import settings as one commit: an export, or an object of values. ``partial`` skips what is invalid."""
    number, target = self._number, Layer.of(layer)
    flags = _constants.IMPORT_PARTIAL if partial else 0
    return _convert.report(_native.import_json(number, target, encoded(text), flags))

  def import_plist(
    self, plist: Union[bytes, str], layer: Union[Layer, str, int] = Layer.USER, *, partial: bool = False
  ) -> Dict[str, Any]:
    """Import settings from a property list, XML or binary, as one commit. ``partial`` skips what is invalid."""
    number, target = self._number, Layer.of(layer)
    flags = _constants.IMPORT_PARTIAL if partial else 0
    return _convert.report(_native.import_plist(number, target, encoded(plist), flags))

  def export_json(self, *, layers: bool = False, pretty: bool = False) -> str:
    """All settings as JSON: the effective values, or all layers with revision, time, origin and expiry."""
    flags = (_constants.EXPORT_LAYERS if layers else 0) | (_constants.JSON_PRETTY if pretty else 0)
    return _native.export_json(self._number, flags)

"""Schemas and other documents as the library takes them."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Union

from . import _convert, _native
from .errors import InvalidValueError

#: A document: its text, or what it would be read to.
Document = Union[str, bytes, bytearray, Mapping[str, Any]]


def check_schema(text: Document) -> Dict[str, Any]:
  """Check a schema on its own, and return the report; ParseError and SchemaInvalidError carry it, too."""
  return _convert.report(_native.schema_check(None, encoded(text)))


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

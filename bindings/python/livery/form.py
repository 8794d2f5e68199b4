"""What a person may set, and finding it."""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

from . import _convert, _native
from ._handle import Handle
from .value import Layer


class Forms:
  """The schema of a store as people see it."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def form(self, layer: Union[Layer, str, int], locale: Optional[str], hidden: bool) -> Dict[str, Any]:
    number = self._store.number
    found: Dict[str, Any] = _convert.take(_native.form(number, Layer.of(layer), _locale(locale), bool(hidden)))
    return found

  def search(self, query: str, limit: Optional[int], locale: Optional[str], hidden: bool) -> Dict[str, Any]:
    number = self._store.number
    most = 0 if limit is None else _convert.within("limit", limit, 63)
    raw_query = _native.text("a query", query)
    found: Dict[str, Any] = _convert.take(_native.search(number, raw_query, most, _locale(locale), bool(hidden)))
    return found


def _locale(locale: Optional[str]) -> Optional[bytes]:
  return None if locale is None else _native.text("a locale", locale)

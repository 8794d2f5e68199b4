"""A setting's name, looked up once."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Dict, List

from . import _convert, _native
from ._handle import Handle
from .value import URL, Color

if TYPE_CHECKING:
  from ._reading import Reading


class Key(_native.KeyReader, Handle):
  """A setting's name, looked up once. It follows the setting, and is closed with its store."""

  _kind = "key"

  def __init__(self, store: Reading, name: str) -> None:
    self._store, self._name, self._raw = store, name, _convert.name(name)
    number = _native.key_open(store._number, self._raw)
    _native.KeyReader.__init__(self, number)
    Handle.__init__(self, number, _native.key_close)

  def __repr__(self) -> str:
    return f"<livery.Key {self._name!r}>"

  @property
  def name(self) -> str:
    """The setting's name, as it was given."""
    return self._name

  @property
  def _store_open(self) -> Reading:
    """The store, for reads that the library has no function on keys for."""
    _ = self._number
    return self._store

  def get_float(self) -> float:
    return self._store_open.get_float(self._name)

  def get_data(self) -> bytes:
    return self._store_open.get_data(self._name)

  def get_url(self) -> URL:
    return self._store_open.get_url(self._name)

  def get_date(self) -> datetime:
    return self._store_open.get_date(self._name)

  def get_color(self) -> Color:
    return self._store_open.get_color(self._name)

  def get_list(self) -> List[Any]:
    return self._store_open.get_list(self._name)

  def get_object(self) -> Dict[str, Any]:
    return self._store_open.get_object(self._name)

  def get_value(self) -> Any:
    return self._store_open.get_value(self._name)

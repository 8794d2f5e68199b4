"""A setting's name, looked up once."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Dict, List

from . import _convert, _native
from ._handle import Handle, Owner
from .read import Reads
from .value import URL, Color


class Key(_native.KeyReader, Owner):
  """A setting's name, looked up once. It follows the setting, and is closed with its store."""

  def __init__(self, reads: Reads, name: str) -> None:
    self._reads, self._name = reads, name
    number = _native.key_open(reads.handle.number, _convert.name(name))
    _native.KeyReader.__init__(self, number)
    Owner.__init__(self, Handle("key", number, _native.key_close))

  def __repr__(self) -> str:
    return f"<livery.Key {self._name!r}>"

  @property
  def name(self) -> str:
    """The setting's name, as it was given."""
    return self._name

  @property
  def _by_name(self) -> Reads:
    """For reads that the library has no function on keys for."""
    _ = self._handle.number
    return self._reads

  def get_float(self) -> float:
    return self._by_name.get_float(self._name)

  def get_data(self) -> bytes:
    return self._by_name.get_data(self._name)

  def get_url(self) -> URL:
    return self._by_name.get_url(self._name)

  def get_date(self) -> datetime:
    return self._by_name.get_date(self._name)

  def get_color(self) -> Color:
    return self._by_name.get_color(self._name)

  def get_list(self) -> List[Any]:
    return self._by_name.get_list(self._name)

  def get_object(self) -> Dict[str, Any]:
    return self._by_name.get_object(self._name)

  def get_value(self) -> Any:
    return self._by_name.get_value(self._name)

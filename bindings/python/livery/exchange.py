"""What a store imports and exports."""

from __future__ import annotations

from typing import Any, Dict, Union

from . import _constants, _convert, _native
from ._convert import Document
from ._handle import Handle
from .value import Layer


class Exchange:
  """The settings of a store as documents."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def import_json(self, text: Document, layer: Union[Layer, str, int], partial: bool) -> Dict[str, Any]:
    number, target = self._store.number, Layer.of(layer)
    flags = _constants.IMPORT_PARTIAL if partial else 0
    return _convert.report(_native.import_json(number, target, _convert.document(text), flags))

  def import_plist(self, plist: Union[bytes, str], layer: Union[Layer, str, int], partial: bool) -> Dict[str, Any]:
    number, target = self._store.number, Layer.of(layer)
    flags = _constants.IMPORT_PARTIAL if partial else 0
    return _convert.report(_native.import_plist(number, target, _convert.document(plist), flags))

  def export_json(self, layers: bool, pretty: bool) -> str:
    flags = (_constants.EXPORT_LAYERS if layers else 0) | (_constants.JSON_PRETTY if pretty else 0)
    return _native.export_json(self._store.number, flags)

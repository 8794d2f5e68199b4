"""What a store imports and exports."""

from __future__ import annotations

from typing import Any, Dict, Union

from . import _constants, _convert, _native
from ._convert import Document
from ._handle import Handle
from .value import Layer


_Layer = Union[Layer, str, int, None]


def _target(layer: _Layer, replace: bool) -> Layer:
  if layer is None:
    return Layer.RECOMMENDED if replace else Layer.USER
  return Layer.of(layer)


def _flags(partial: bool, replace: bool) -> int:
  return (_constants.IMPORT_PARTIAL if partial else 0) | (_constants.IMPORT_REPLACE if replace else 0)


class Exchange:
  """The settings of a store as documents."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def import_json(self, text: Document, layer: _Layer, partial: bool, replace: bool) -> Dict[str, Any]:
    number, target, flags = self._store.number, _target(layer, replace), _flags(partial, replace)
    return _convert.report(_native.import_json(number, target, _convert.document(text), flags))

  def import_plist(self, plist: Union[bytes, str], layer: _Layer, partial: bool, replace: bool) -> Dict[str, Any]:
    number, target, flags = self._store.number, _target(layer, replace), _flags(partial, replace)
    return _convert.report(_native.import_plist(number, target, _convert.property_list(plist), flags))

  def export_json(self, layers: bool, pretty: bool, reveal: bool) -> str:
    flags = (_constants.EXPORT_LAYERS if layers else 0) | (_constants.JSON_PRETTY if pretty else 0)
    flags |= _constants.EXPORT_REVEAL if reveal else 0
    return _native.export_json(self._store.number, flags)

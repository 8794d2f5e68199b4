"""One moment of a store."""

from __future__ import annotations

from typing import Any, Iterator, List, Optional, Tuple, Union

from . import _convert, _native
from ._handle import Handle, Owner
from .errors import InvalidArgumentError, NotFoundError, NoValueError
from .value import Layer


class Snapshot(Owner):
  """One moment of a store, held still. Keep it for moments, not for hours."""

  def __init__(self, store: Handle) -> None:
    self._store = store
    super().__init__(Handle("snapshot", _native.snapshot_open(store.number), _native.snapshot_close, warns=True))

  @property
  def revision(self) -> int:
    """The revision that it shows."""
    return _native.snapshot_revision(self._handle.number)

  def __getitem__(self, name: str) -> Any:
    return _convert.take(_native.snapshot_get(self._handle.number, _convert.name(name)))

  def asset(self, image: str) -> bytes:
    """An asset's bytes, also if the asset was removed meanwhile."""
    return _native.snapshot_asset(self._handle.number, _native.text("an asset's id", image))

  def get(self, name: str, default: Any = None, *, layer: Union[Layer, str, int, None] = None) -> Any:
    """The value, or the default if there is no such setting or it has no value; with a layer what that holds."""
    try:
      if layer is None:
        return self[name]
      return _convert.take(_native.snapshot_get_layer(self._handle.number, Layer.of(layer), _convert.name(name)))
    except (NotFoundError, NoValueError):
      return default

  def names(self, layer: Union[Layer, str, int], pattern: Optional[str] = None) -> List[str]:
    """The names of what a layer holds, in their order."""
    found: List[str] = _convert.take(
      _native.snapshot_list(self._handle.number, Layer.of(layer), _convert.pattern(pattern))
    )
    return found

  def __contains__(self, name: object) -> bool:
    if not isinstance(name, str):
      return False
    try:
      _native.value_release(_native.snapshot_get(self._handle.number, _convert.name(name)))
    except (NotFoundError, NoValueError, InvalidArgumentError):
      return False
    return True

  def __iter__(self) -> Iterator[str]:
    """The names of the settings that have a value, in order."""
    for name, value in self._walk(None):
      _native.value_release(value)
      yield name

  def items(self, pattern: Optional[str] = None) -> Iterator[Tuple[str, Any]]:
    """Names and values in the order of the names, for the names that match the pattern (see Store.list())."""
    for name, value in self._walk(_convert.pattern(pattern)):
      yield name, _convert.take(value)

  def _walk(self, pattern: Optional[bytes]) -> Iterator[Tuple[str, int]]:
    name = b""
    while True:
      try:
        name, value = _native.snapshot_next(self._handle.number, pattern, name)
      except NotFoundError:
        return
      yield name.decode(), value

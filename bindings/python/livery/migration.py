"""Carry out steps of a schema's migrations in Python."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, MutableMapping

from . import _convert, _native
from .errors import InvalidArgumentError, NoValueError
from .value import Layer


class Migration(MutableMapping[str, Any]):
  """The values of one layer, as a mapping of names, while a function of Store.register_migration() runs.

  Afterwards everything raises ClosedError. A value that is set keeps who set the former one, when, and its expiry.
  """

  def __init__(self, number: int) -> None:
    self._number = number

  @property
  def layer(self) -> Layer:
    """The layer whose values these are."""
    return Layer(_native.migration_layer(self._number))

  @property
  def version(self) -> int:
    """The version that the step leads to."""
    return _native.migration_version(self._number)

  def __getitem__(self, name: str) -> Any:
    return _convert.take(_native.migration_get(self._number, _convert.name(name)))

  def __setitem__(self, name: str, value: Any) -> None:
    raw = _convert.name(name)
    handle = _convert.make(name, value)
    try:
      _native.migration_set(self._number, raw, handle)
    finally:
      _native.value_release(handle)

  def __delitem__(self, name: str) -> None:
    if name not in self:
      raise NoValueError(f"the layer has no value for `{name}`", setting=name)
    _native.migration_remove(self._number, _convert.name(name))

  def __contains__(self, name: object) -> bool:
    if not isinstance(name, str):
      return False
    try:
      _native.value_release(_native.migration_get(self._number, _convert.name(name)))
    except (NoValueError, InvalidArgumentError):
      return False
    return True

  def __iter__(self) -> Iterator[str]:
    """The names that have a value, in the order of their bytes."""
    names: List[str] = _convert.take(_native.migration_names(self._number))
    return iter(names)

  def __len__(self) -> int:
    return sum(1 for _ in self)

  def __reduce__(self) -> Any:
    raise TypeError("a migration can be neither copied nor pickled")


#: Carries out a step on the values of one layer; what it raises makes the upgrade fail.
MigrationFunction = Callable[[Migration], object]

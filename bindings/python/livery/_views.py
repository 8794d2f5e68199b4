"""The items and values of a store."""

from __future__ import annotations

from typing import Any, Callable, ItemsView, Iterator, List, Mapping, Tuple, ValuesView

#: Gives the names and values of one moment.
Pairs = Callable[[], List[Tuple[str, Any]]]


class Items(ItemsView[str, Any]):
  """The items of a store; each walk over them is of one moment."""

  def __init__(self, store: Mapping[str, Any], pairs: Pairs) -> None:
    super().__init__(store)
    self._store = store
    self._pairs = pairs

  def __iter__(self) -> Iterator[Tuple[str, Any]]:
    return iter(self._pairs())

  def __contains__(self, item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and item[0] in self._store and super().__contains__(item)


class Values(ValuesView[Any]):
  """The values of a store; each walk over them is of one moment."""

  def __init__(self, store: Mapping[str, Any], pairs: Pairs) -> None:
    super().__init__(store)
    self._pairs = pairs

  def __iter__(self) -> Iterator[Any]:
    return (value for _, value in self._pairs())

  def __contains__(self, value: object) -> bool:
    return any(value == one for one in self)

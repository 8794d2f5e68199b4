"""What extensions have in common that tell of what was started, later and on a thread of the store's."""

from __future__ import annotations

import threading
import weakref
from typing import Any, ClassVar, Dict, Type, TypeVar

from ._dispatcher import Dispatcher
from ._native.calls import pointer
from .store import Store

_Of = TypeVar("_Of", bound="Serving")


class Serving:
  """The thread that what was started on a store is told by, the handle that it is started with, and what the library may call meanwhile."""

  _all: ClassVar["weakref.WeakKeyDictionary[Store, Any]"]
  _lock = threading.Lock()

  def __init_subclass__(cls) -> None:
    cls._all = weakref.WeakKeyDictionary()

  @classmethod
  def of(cls: Type[_Of], store: Store) -> _Of:
    with cls._lock:
      known: Any = cls._all.get(store)
      if known is None or known._dispatcher.is_over():
        cls._all[store] = known = cls(store._watches.serving())
      found: _Of = known
      return found

  def __init__(self, dispatcher: Dispatcher) -> None:
    self._dispatcher = dispatcher
    # What the library calls has to live as long as it may be called.
    self._called: Dict[int, object] = {}
    self._next = 0
    self._own = threading.Lock()

  @property
  def handle(self) -> Any:
    return pointer(self._dispatcher.handle)

  def keep(self, called: object) -> int:
    """Until `forget` is given the number, or the store is closed."""
    with self._own:
      self._next += 1
      self._called[self._next] = called
      return self._next

  def forget(self, number: int) -> None:
    with self._own:
      # It is running now: it goes with the next one.
      former, self._called[0] = self._called.get(0), self._called.pop(number, None)
    del former

"""What extensions have in common that tell of what was started, later and on a thread of the store's."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, ClassVar, Type, TypeVar

from ._dispatcher import Dispatcher
from ._native.calls import pointer
from .store import Store

_Of = TypeVar("_Of", bound="Serving")


class Serving:
  """The thread that what was started on a store is told by, and the handle that it is started with."""

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

  @property
  def handle(self) -> Any:
    return pointer(self._dispatcher.handle)


def _renew() -> None:
  """Another thread of the parent's may have had it."""
  Serving._lock = threading.Lock()


os.register_at_fork(after_in_child=_renew)

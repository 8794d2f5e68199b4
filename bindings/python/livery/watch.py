"""Be told of changes by a callback, and all the watches of a store.

A thread of this package calls, or the program itself; no thread of the library calls into Python.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Callable, List, Optional, Union

from . import _native
from ._dispatcher import Dispatcher
from ._handle import Handle
from ._watching import Source, Wanted, Watching
from .errors import ClosedError, ForkedError
from .event import Event, from_raw
from .events import AsyncEvents, Events

Callback = Callable[[Event], object]


class Watch(Watching):
  """A callback that is told of changes, until it is stopped or its store is closed. Keep it only to stop it."""

  def __init__(self, store: int, wanted: Wanted, callback: Callback, is_over: Callable[[], bool]) -> None:
    self._ended = threading.Event()

    def receive(events: List[_native.RawEvent]) -> None:
      interrupt: Optional[BaseException] = None
      for event in [from_raw(raw) for raw in events]:
        if self._ended.is_set() or is_over():
          break
        try:
          callback(event)
        except Exception as error:
          _native.unraisable(error)
        except BaseException as error:
          # The others are told all the same: nobody will tell them again.
          if interrupt is not None:
            _native.unraisable(interrupt)
          interrupt = error
      if interrupt is not None:
        raise interrupt

    self._number = _native.watch_start(store, *wanted, receive, self._ended.set)

  def stop(self) -> None:
    """No call begins afterwards; one under way in another thread finishes. Stopping twice does nothing."""
    self._ended.set()
    try:
      _native.watch_stop(self._number)
    except (ClosedError, ForkedError):
      pass

  def pause(self, paused: bool = True) -> None:
    """Tell nothing for the time being, and cost nothing; with False go on, with what happened meanwhile."""
    _native.watch_pause(self._number, paused)

  @property
  def stopped(self) -> bool:
    return self._ended.is_set()


class Watches:
  """The watches of a store; they end with it."""

  def __init__(self, store: Handle, source: Source) -> None:
    self._store, self._source = store, source
    self._process = os.getpid()
    self._lock = threading.Lock()
    self._dispatcher: Optional[Dispatcher] = None
    self._iterators: weakref.WeakSet[Union[Events, AsyncEvents]] = weakref.WeakSet()
    self._serving: List[Dispatcher] = []

  def end(self) -> None:
    with self._lock:
      dispatcher, iterators, serving = self._dispatcher, [*self._iterators], [*self._serving]
      self._dispatcher, self._serving = None, []
    for iterator in iterators:
      iterator.stop()
    for ended in serving + ([] if dispatcher is None else [dispatcher]):
      ended.stop(1)

  def _check(self) -> None:
    """Asks before the lock is taken, which a thread of the parent may hold for ever."""
    if os.getpid() != self._process:
      raise ForkedError("the store was opened by this process's parent: open it again in the child")
    _ = self._store.number

  def call(self, wanted: Wanted, callback: Callback, dispatch: bool) -> Watch:
    if not callable(callback):
      raise TypeError(f"a callback is callable, not {type(callback).__name__}")
    if dispatch:
      return Watch(self._store.number, wanted, callback, lambda: False)
    dispatcher = self._dispatching()
    return Watch(dispatcher.handle, wanted, callback, dispatcher.is_over)

  def iterate(self, wanted: Wanted) -> Events:
    self._check()
    events = Events(self._source, wanted)
    self._adopt(events)
    return events

  def iterate_async(self, wanted: Wanted) -> AsyncEvents:
    self._check()
    events = AsyncEvents(self._source, wanted)
    self._adopt(events)
    return events

  def post(self, function: Callable[[], object], dispatch: bool) -> None:
    if not callable(function):
      raise TypeError(f"a function is wanted, not {type(function).__name__}")
    _native.post(self._store.number if dispatch else self._dispatching().handle, function)

  def serving(self) -> Dispatcher:
    """A thread with a handle that may do what the store's may: for a library on top, whose functions the thread calls."""
    self._check()
    with self._lock:
      _ = self._store.number
      dispatcher = Dispatcher(self._source, alike=True)
      weakref.finalize(self._store, dispatcher.stop).atexit = False
      self._serving.append(dispatcher)
      return dispatcher

  def event_fd(self) -> int:
    return _native.event_fd(self._store.number)

  def dispatch(self) -> int:
    return _native.dispatch(self._store.number)

  def _dispatching(self) -> Dispatcher:
    self._check()
    with self._lock:
      _ = self._store.number
      dispatcher = self._dispatcher
      if dispatcher is None:
        self._dispatcher = dispatcher = Dispatcher(self._source)
        # A store that is collected takes its thread with it.
        weakref.finalize(self._store, dispatcher.stop).atexit = False
      return dispatcher

  def _adopt(self, iterator: Union[Events, AsyncEvents]) -> None:
    with self._lock:
      self._iterators.add(iterator)
      is_late = self._store.closed
    if is_late:
      iterator.stop()
      raise ClosedError("the store was closed")

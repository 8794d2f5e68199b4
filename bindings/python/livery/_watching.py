"""How a store is watched."""

from __future__ import annotations

import threading
import weakref
from typing import Callable, Optional, Union, overload

from . import _convert, _native
from ._handle import Handle
from .errors import ClosedError
from .watch import AsyncEvents, Callback, Dispatcher, Events, Source, Watch, milliseconds


class Watching(Handle):
  """The watches of a store; they end with it."""

  def __init__(self, number: int, close: Callable[[int], None], source: Source) -> None:
    super().__init__(number, close)
    self._source = source
    self._watching = threading.Lock()
    self._dispatcher: Optional[Dispatcher] = None
    self._iterators: weakref.WeakSet[Union[Events, AsyncEvents]] = weakref.WeakSet()

  def close(self) -> None:
    """Close the store, and end its watches. Closing twice does nothing."""
    # A callback under way may still read; then those that began meanwhile end, too.
    self._end_watches()
    super().close()
    self._end_watches()

  def _end_watches(self) -> None:
    with self._watching:
      dispatcher, iterators = self._dispatcher, [*self._iterators]
      self._dispatcher = None
    for iterator in iterators:
      iterator.stop()
    if dispatcher is not None:
      dispatcher.stop(1)

  @overload
  def watch(
    self, pattern: Optional[str] = None, callback: None = None, *, initial: bool = False, min_interval: float = 0.0
  ) -> Events: ...

  @overload
  def watch(
    self,
    pattern: Optional[str] = None,
    *,
    callback: Callback,
    initial: bool = False,
    min_interval: float = 0.0,
    dispatch: bool = False,
  ) -> Watch: ...

  @overload
  def watch(
    self,
    pattern: Optional[str],
    callback: Callback,
    *,
    initial: bool = False,
    min_interval: float = 0.0,
    dispatch: bool = False,
  ) -> Watch: ...

  def watch(
    self,
    pattern: Optional[str] = None,
    callback: Optional[Callback] = None,
    *,
    initial: bool = False,
    min_interval: float = 0.0,
    dispatch: bool = False,
  ) -> Union[Events, Watch]:
    """Be told of changes, of any process, to the settings that match the pattern (see list()).

    Without a callback this is an iterator that waits for the next Event. A callback is called with each Event by a
    thread of this package, or, with ``dispatch``, by whoever calls dispatch(). It may call anything; an exception in
    it goes to ``sys.unraisablehook``. It stays until it is stopped or the store closed.

    ``initial`` begins with the present values. With ``min_interval``, in seconds, changes of one setting that fall
    together are told as one.
    """
    number, raw, interval = self._number, _convert.pattern(pattern), milliseconds(min_interval)
    if callback is None:
      if dispatch:
        raise TypeError("dispatch needs a callback")
      events = Events(self._source, raw, initial, interval)
      self._adopt(events)
      return events
    if not callable(callback):
      raise TypeError(f"a callback is callable, not {type(callback).__name__}")
    if dispatch:
      return Watch(number, raw, callback, initial, interval, lambda: False)
    dispatcher = self._dispatching()
    return Watch(dispatcher.handle, raw, callback, initial, interval, dispatcher.is_over)

  def _dispatching(self) -> Dispatcher:
    with self._watching:
      _ = self._number
      dispatcher = self._dispatcher
      if dispatcher is None:
        self._dispatcher = dispatcher = Dispatcher(self._source)
        # A store that is collected takes its thread with it.
        weakref.finalize(self, dispatcher.stop).atexit = False
      return dispatcher

  def post(self, function: Callable[[], object], *, dispatch: bool = False) -> None:
    """Call a function once, by the thread that calls the callbacks of watches, or with ``dispatch`` by dispatch().

    What was posted is called in its order, and not if the store is closed before. An exception in it goes to
    ``sys.unraisablehook``.
    """
    if not callable(function):
      raise TypeError(f"a function is wanted, not {type(function).__name__}")
    _native.post(self._number if dispatch else self._dispatching().handle, function)

  def watch_async(
    self, pattern: Optional[str] = None, *, initial: bool = False, min_interval: float = 0.0
  ) -> AsyncEvents:
    """The same as an asynchronous iterator, for asyncio."""
    _ = self._number
    events = AsyncEvents(self._source, _convert.pattern(pattern), initial, milliseconds(min_interval))
    self._adopt(events)
    return events

  def _adopt(self, iterator: Union[Events, AsyncEvents]) -> None:
    with self._watching:
      self._iterators.add(iterator)
      is_late = self.closed
    if is_late:
      iterator.stop()
      raise ClosedError("the store was closed")

  @property
  def event_fd(self) -> int:
    """A descriptor that is readable when dispatch() has something to do. Do not read from it or close it."""
    return _native.event_fd(self._number)

  def dispatch(self) -> int:
    """Call the callbacks of the watches with ``dispatch``; the number of calls, each for all changes of a commit."""
    return _native.dispatch(self._number)

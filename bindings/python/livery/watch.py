"""Be told of changes: by a callback, a blocking iterator, or an asyncio iterator.

Each way reads from a handle and a descriptor of its own, so that none takes another's events. The log keeps what an
iterator has not asked for yet. No thread of the library calls into Python.
"""

from __future__ import annotations

import atexit
import math
import os
import select
import threading
import time
import weakref
from collections import deque
from datetime import datetime
from enum import IntEnum
from types import TracebackType
from typing import (
  TYPE_CHECKING, Any, AsyncIterator, Callable, Deque, Iterator, List, NamedTuple, Optional, Type, TypeVar
)

from . import _constants, _convert, _native
from .errors import ClosedError, ForkedError, InvalidArgumentError, LiveryError
from .value import Layer

if TYPE_CHECKING:
  # Costs more time than all the rest; who iterates with it has it already.
  import asyncio

_Self = TypeVar("_Self", bound="_Watching")


class EventKind(IntEnum):
  """What an event tells."""

  #: The effective value changed.
  CHANGED = _constants.EVENT_CHANGED
  #: The value stayed, and weaker layers were locked or unlocked: ``writable`` says which.
  WRITABILITY = _constants.EVENT_WRITABILITY
  #: A schema was applied; changes of values that it brought follow. No name.
  SCHEMA = _constants.EVENT_SCHEMA
  #: The effective value changed because a value's time was over.
  EXPIRED = _constants.EVENT_EXPIRED
  #: Changes were missed, since the log has been trimmed past them: read anew what you watch. No name.
  RESYNC = _constants.EVENT_RESYNC
  #: The present value, at the start.
  INITIAL = _constants.EVENT_INITIAL


class Event(NamedTuple):
  """A change, and the commit that made it. The values are the effective ones; None for no value.

  Those of a setting that is ``secret`` are not for everyone's eyes.
  """

  revision: int
  time: datetime
  kind: EventKind
  layer: Layer
  name: Optional[str]
  old: Any
  new: Any
  origin: str
  writable: bool
  secret: bool


def _event(raw: _native.RawEvent) -> Event:
  return Event(
    raw.revision,
    _convert.moment(raw.time),
    EventKind(raw.kind),
    Layer(raw.layer),
    raw.name,
    _convert.look(raw.old) if raw.old else None,
    _convert.look(raw.new) if raw.new else None,
    raw.origin,
    raw.writable,
    raw.secret,
  )


def _flags(initial: bool) -> int:
  return _constants.WATCH_DISPATCH | (_constants.WATCH_INITIAL if initial else 0)


def milliseconds(seconds: float) -> int:
  if math.isnan(seconds) or seconds < 0:
    raise InvalidArgumentError("min_interval is negative or NaN")
  return min(0xFFFF_FFFF, math.ceil(min(seconds, 1e9) * 1000))


class Source(NamedTuple):
  """Where a store is, for handles beside the first one."""

  path: bytes
  device: int
  inode: int
  is_in_memory: bool = False

  @classmethod
  def in_memory(cls, name: bytes) -> Source:
    return cls(name, 0, 0, True)

  @classmethod
  def of(cls, path: bytes) -> Source:
    path = os.path.abspath(path)
    facts = os.stat(path)
    return cls(path, facts.st_dev, facts.st_ino)

  def open(self) -> int:
    if self.is_in_memory:
      return _native.open(self.path, _constants.OPEN_READ_ONLY | _constants.OPEN_MEMORY)
    handle = _native.open(self.path, _constants.OPEN_READ_ONLY)
    try:
      facts = os.stat(self.path)
      if (facts.st_dev, facts.st_ino) != (self.device, self.inode):
        raise InvalidArgumentError("the store's directory was moved: open the store again to watch it")
    except BaseException:
      _native.close(handle)
      raise
    return handle


def _close(handle: int) -> None:
  try:
    _native.close(handle)
  except (ClosedError, ForkedError):
    pass


class _Watching:
  """What the three ways have in common: stop(), also by leaving a ``with`` block, and by closing the store."""

  def stop(self) -> None:
    raise NotImplementedError

  @property
  def stopped(self) -> bool:
    """Whether it was stopped, or its store closed."""
    raise NotImplementedError

  def __enter__(self: _Self) -> _Self:
    return self

  def __exit__(
    self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
  ) -> None:
    self.stop()

  def __reduce__(self) -> Any:
    raise TypeError("a watch can be neither copied nor pickled: begin it where it is needed")


# -- By callback ------------------------------------------------------------------------------------------------------

Callback = Callable[[Event], object]


class Watch(_Watching):
  """A callback that is told of changes, until it is stopped or its store is closed. Keep it only to stop it."""

  def __init__(
    self,
    store: int,
    pattern: Optional[bytes],
    callback: Callback,
    initial: bool,
    interval: int,
    is_over: Callable[[], bool],
  ) -> None:
    self._ended = threading.Event()

    def receive(events: List[_native.RawEvent]) -> None:
      for event in [_event(raw) for raw in events]:
        if self._ended.is_set() or is_over():
          return
        try:
          callback(event)
        except Exception as error:
          _native.unraisable(error)

    self._number = _native.watch_start(store, pattern, _flags(initial), interval, receive, self._ended.set)

  def stop(self) -> None:
    """No call begins afterwards; one under way in another thread finishes. Stopping twice does nothing."""
    self._ended.set()
    try:
      _native.watch_stop(self._number)
    except (ClosedError, ForkedError):
      pass

  @property
  def stopped(self) -> bool:
    return self._ended.is_set()


class Dispatcher:
  """The thread that calls the callbacks of a store; it runs from the first one on, until the store is closed."""

  def __init__(self, source: Source) -> None:
    self.handle = source.open()
    try:
      descriptor = _native.event_fd(self.handle)
      self._wake_read, self._wake_write = os.pipe()
    except BaseException:
      _close(self.handle)
      raise
    self._process = os.getpid()
    # A collection inside may drop a store, which stops its dispatcher.
    self._lock = threading.RLock()
    self._stopped = False
    self._thread = threading.Thread(target=self._run, args=(descriptor,), name="livery watch", daemon=True)
    try:
      self._thread.start()
    except BaseException:
      self._release()
      raise
    _dispatchers.add(self)

  def _run(self, descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.register(self._wake_read, select.POLLIN)
    try:
      while not self._stopped:
        try:
          poll.poll()
          if not self._stopped:
            _native.dispatch(self.handle)
        except (ClosedError, ForkedError):
          return
        except BaseException as error:
          _native.unraisable(error)
          if isinstance(error, LiveryError):
            # A damaged store is damaged a moment later, too.
            select.select([self._wake_read], [], [], 1)
    finally:
      self._release()

  def is_over(self) -> bool:
    return self._stopped

  def stop(self, patience: float = 0) -> None:
    """The thread ends after the callback that it may be in; it is waited for so many seconds."""
    if os.getpid() != self._process:
      return
    with self._lock:
      if not self._stopped:
        self._stopped = True
        os.write(self._wake_write, b".")
    if threading.current_thread() is not self._thread:
      self._thread.join(patience)

  def _release(self) -> None:
    with self._lock:
      self._stopped = True
      os.close(self._wake_read)
      os.close(self._wake_write)
    # This lets go of the callbacks and what they hold, which may be the last reference to the store.
    _close(self.handle)


# Python must not end under a thread that is inside a callback.
_dispatchers: "weakref.WeakSet[Dispatcher]" = weakref.WeakSet()


@atexit.register
def _stop_dispatchers() -> None:
  for dispatcher in list(_dispatchers):
    dispatcher.stop(5)


# -- By iterator ------------------------------------------------------------------------------------------------------


class _Queue:
  """The events of a watch with a handle of its own, fetched when asked for."""

  def __init__(self, source: Source, pattern: Optional[bytes], initial: bool, interval: int) -> None:
    self.events: Deque[Event] = deque()
    self.handle = source.open()
    events = self.events

    def receive(raws: List[_native.RawEvent]) -> None:
      events.extend([_event(raw) for raw in raws])

    try:
      _native.watch_start(self.handle, pattern, _flags(initial), interval, receive, lambda: None)
      self.descriptor = _native.event_fd(self.handle)
    except BaseException:
      _close(self.handle)
      raise
    self.close = weakref.finalize(self, _close, self.handle)
    self.close.atexit = False

  def fetch(self) -> None:
    _native.dispatch(self.handle)


class Events(_Watching, Iterator[Event]):
  """An iterator over changes that waits for the next one. It ends when it is stopped or its store closed."""

  def __init__(self, source: Source, pattern: Optional[bytes], initial: bool, interval: int) -> None:
    self._queue = _Queue(source, pattern, initial, interval)
    self._wake_read, self._wake_write = os.pipe()
    self._close_pipe = weakref.finalize(self, _close_pipe, self._wake_read, self._wake_write)
    self._close_pipe.atexit = False
    self._turn = threading.Lock()
    self._state = threading.Lock()
    self._process = os.getpid()
    self._stopped = False

  def __iter__(self) -> Events:
    return self

  def __next__(self) -> Event:
    event = self._next(None)
    if event is None:
      raise StopIteration
    return event

  def events(self, timeout: Optional[float] = None) -> Iterator[Event]:
    """The same, and end as well when nothing has come for so many seconds."""
    while True:
      event = self._next(timeout)
      if event is None:
        return
      yield event

  def _next(self, timeout: Optional[float]) -> Optional[Event]:
    """None if the time is over, or the watch."""
    end = None if timeout is None else time.monotonic() + timeout
    if not self._turn.acquire(timeout=-1 if timeout is None else max(0, min(timeout, threading.TIMEOUT_MAX))):
      return None
    try:
      poll = select.poll()
      poll.register(self._queue.descriptor, select.POLLIN)
      poll.register(self._wake_read, select.POLLIN)
      while not self._stopped:
        if not self._queue.events:
          self._queue.fetch()
        if self._queue.events:
          return self._queue.events.popleft()
        left = None if end is None else min(max(0.0, end - time.monotonic()), 1e6)
        if left == 0:
          return None
        poll.poll(None if left is None else math.ceil(left * 1000))
      return None
    finally:
      self._turn.release()
      self._release()

  def stop(self) -> None:
    """End the iteration, also one that waits in another thread."""
    with self._state:
      if not self._stopped:
        # First the byte: once it is stopped, whoever waits may close the pipe. A forked child shares it.
        if os.getpid() == self._process:
          os.write(self._wake_write, b".")
        self._stopped = True
    self._release()

  def _release(self) -> None:
    """Nothing is closed under a thread that waits: that one closes it."""
    if self._stopped and self._turn.acquire(blocking=False):
      try:
        self._queue.close()
        self._close_pipe()
      finally:
        self._turn.release()

  @property
  def stopped(self) -> bool:
    return self._stopped


def _close_pipe(read: int, write: int) -> None:
  os.close(read)
  os.close(write)


# -- By asyncio -------------------------------------------------------------------------------------------------------


class AsyncEvents(_Watching, AsyncIterator[Event]):
  """An asynchronous iterator over changes. It ends when it is stopped or its store closed."""

  def __init__(self, source: Source, pattern: Optional[bytes], initial: bool, interval: int) -> None:
    self._queue = _Queue(source, pattern, initial, interval)
    self._loop: Optional[asyncio.AbstractEventLoop] = None
    self._waiter: Optional["asyncio.Future[None]"] = None
    self._stopped = False

  def __aiter__(self) -> AsyncEvents:
    return self

  async def __anext__(self) -> Event:
    import asyncio
    self._loop = loop = asyncio.get_running_loop()
    while not self._stopped:
      if not self._queue.events:
        self._queue.fetch()
      if self._queue.events:
        return self._queue.events.popleft()
      await self._readable(loop)
    raise StopAsyncIteration

  async def _readable(self, loop: asyncio.AbstractEventLoop) -> None:
    if self._waiter is not None:
      raise RuntimeError("another task waits for the events of this watch: give each a watch of its own")
    self._waiter = waiter = loop.create_future()
    try:
      loop.add_reader(self._queue.descriptor, _finish, waiter)
      await waiter
    finally:
      loop.remove_reader(self._queue.descriptor)
      self._waiter = None
      if self._stopped:
        self._queue.close()

  def stop(self) -> None:
    """End the iteration; from any thread."""
    import asyncio
    self._stopped = True
    loop = self._loop
    try:
      here: Optional[asyncio.AbstractEventLoop] = asyncio.get_running_loop()
    except RuntimeError:
      here = None
    if loop is None or loop is here or not loop.is_running():
      self._end()
    else:
      # Between two steps of the loop nothing is under way with the descriptor.
      loop.call_soon_threadsafe(self._end)

  def _end(self) -> None:
    if self._waiter is None:
      self._queue.close()
    else:
      _finish(self._waiter)

  @property
  def stopped(self) -> bool:
    return self._stopped

  async def __aenter__(self) -> AsyncEvents:
    return self

  async def __aexit__(
    self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
  ) -> None:
    self.stop()


def _finish(waiter: "asyncio.Future[None]") -> None:
  if not waiter.done():
    waiter.set_result(None)

"""Iterators over changes: one that blocks, and one for asyncio.

Each reads from a handle and a descriptor of its own, so that none takes another's events. The log keeps what an iterator
has not asked for yet.
"""

from __future__ import annotations

import math
import os
import select
import threading
import time
import weakref
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, AsyncIterator, Deque, Iterator, List, Optional, Type

from . import _convert, _native
from ._watching import Source, Wanted, Watching, close
from .errors import ForkedError
from .event import Event, from_raw

if TYPE_CHECKING:
  # Costs more time than all the rest; who iterates with it has it already.
  import asyncio


# -- By waiting -------------------------------------------------------------------------------------------------------


class _Queue:
  """The events of a watch with a handle of its own, fetched when asked for."""

  def __init__(self, source: Source, wanted: Wanted) -> None:
    self.events: Deque[Event] = deque()
    self.handle = source.open()
    events = self.events

    def receive(raws: List[_native.RawEvent]) -> None:
      events.extend([from_raw(raw) for raw in raws])

    try:
      _native.watch_start(self.handle, *wanted, receive, lambda: None)
      self.descriptor = _native.event_fd(self.handle)
    except BaseException:
      close(self.handle)
      raise
    self.close = weakref.finalize(self, close, self.handle)
    self.close.atexit = False

  def fetch(self) -> None:
    _native.dispatch(self.handle)


class Events(Watching, Iterator[Event]):
  """An iterator over changes that waits for the next one. It ends when it is stopped or its store closed."""

  def __init__(self, source: Source, wanted: Wanted) -> None:
    self._queue = _Queue(source, wanted)
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

  def events(self, timeout: Optional[_convert.Duration] = None) -> Iterator[Event]:
    """The same, and end as well when nothing has come for so many seconds, or a timedelta."""
    patience = _convert.patience(timeout)
    while True:
      event = self._next(patience)
      if event is None:
        return
      yield event

  def _next(self, timeout: Optional[float]) -> Optional[Event]:
    """None if the time is over, or the watch."""
    # Its turn may be that of a thread of the parent's, for ever.
    if os.getpid() != self._process:
      raise ForkedError("the store was opened by this process's parent: open it again in the child")
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


class AsyncEvents(Watching, AsyncIterator[Event]):
  """An asynchronous iterator over changes. It ends when it is stopped or its store closed."""

  def __init__(self, source: Source, wanted: Wanted) -> None:
    self._queue = _Queue(source, wanted)
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

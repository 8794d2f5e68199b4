"""What takes time, and is told its outcome once."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable, Generator, Generic, List, Optional, TypeVar

from . import _convert

_Outcome = TypeVar("_Outcome")


class Awaited(Generic[_Outcome]):
  """What ends once: ``result()`` waits for it, and so does ``await``."""

  def __init__(self) -> None:
    self._ended = threading.Event()
    self._lock = threading.Lock()
    self._waiting: List[Callable[[], None]] = []
    self._outcome: Optional[_Outcome] = None
    self._error: Optional[BaseException] = None

  @property
  def done(self) -> bool:
    return self._ended.is_set()

  def result(self, timeout: Optional[_convert.Duration] = None) -> _Outcome:
    """Wait for the outcome; the built-in TimeoutError if it does not come within so many seconds, or a timedelta."""
    if not self._ended.wait(_convert.patience(timeout)):
      raise TimeoutError(self._unfinished())
    return self._get()

  def _unfinished(self) -> str:
    """What to say to whoever has waited long enough."""
    raise NotImplementedError

  def __await__(self) -> Generator[Any, None, _Outcome]:
    loop = asyncio.get_running_loop()
    future: "asyncio.Future[None]" = loop.create_future()

    def wake() -> None:
      if not future.done():
        future.set_result(None)

    def tell() -> None:
      try:
        loop.call_soon_threadsafe(wake)
      except RuntimeError:
        pass  # The loop was closed.

    with self._lock:
      if self._ended.is_set():
        wake()
      else:
        self._waiting.append(tell)
    yield from future
    return self._get()

  def _get(self) -> _Outcome:
    if self._error is not None:
      raise self._error
    assert self._outcome is not None
    return self._outcome

  def _end(self, outcome: Optional[_Outcome], error: Optional[BaseException]) -> None:
    with self._lock:
      self._outcome, self._error = outcome, error
      self._ended.set()
      waiting, self._waiting = self._waiting, []
    for tell in waiting:
      tell()


class Pending(Awaited[_Outcome]):
  """What was started and can be cancelled. Cancelling the task that awaits it cancels it."""

  #: What to call it in messages.
  _noun = "work"

  def cancel(self) -> None:
    """Cancel it: CancelledError is its outcome, unless it has one already."""
    raise NotImplementedError

  def __await__(self) -> Generator[Any, None, _Outcome]:
    try:
      return (yield from super().__await__())
    except asyncio.CancelledError:
      if not self.done:
        self.cancel()
      raise

  def _unfinished(self) -> str:
    return f"the {self._noun} is still under way"

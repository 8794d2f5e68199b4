"""The thread that calls callbacks."""

from __future__ import annotations

import atexit
import os
import select
import threading
import weakref

from . import _native
from ._watching import Source, close
from .errors import ClosedError, ForkedError, LiveryError


class Dispatcher:
  """The thread that calls the callbacks of a store; it runs from the first one on, until the store is closed."""

  def __init__(self, source: Source, alike: bool = False) -> None:
    self.handle = source.open(alike)
    try:
      descriptor = _native.event_fd(self.handle)
      self._wake_read, self._wake_write = os.pipe()
    except BaseException:
      close(self.handle)
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
    pause = select.poll()
    pause.register(self._wake_read, select.POLLIN)
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
            pause.poll(1000)
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
    close(self.handle)


# Python must not end under a thread that is inside a callback.
_dispatchers: "weakref.WeakSet[Dispatcher]" = weakref.WeakSet()


@atexit.register
def _stop_dispatchers() -> None:
  for dispatcher in list(_dispatchers):
    dispatcher.stop(5)

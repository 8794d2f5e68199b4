"""base.h: the log handler."""

from __future__ import annotations

import atexit
import sys
import threading
from typing import Callable, Dict, Optional

from .calls import check, lib
from .interface import DestroyFunction, LogFunction

LogHandler = Callable[[int, str], object]

# The library knows a handler by its number alone, and the two functions that it calls live as long as the process: what
# it holds is never freed under it. A handler is kept until the library has let go of it.
_handlers: Dict[int, LogHandler] = {}
_handler_count = 0
_handler_lock = threading.Lock()


def _log(level: int, message: Optional[bytes], number: Optional[int]) -> None:
  handler = _handlers.get(number or 0)
  if handler is not None and not sys.is_finalizing():
    handler(level, (message or b"").decode("utf-8", "replace"))


def _forget(number: Optional[int]) -> None:
  _handlers.pop(number or 0, None)


_log_function, _forget_function = LogFunction(_log), DestroyFunction(_forget)


def set_log_handler(handler: Optional[LogHandler]) -> None:
  """Exceptions of the handler go to sys.unraisablehook: that is what ctypes does with them."""
  global _handler_count
  if handler is None:
    check(lib.set_log_handler(LogFunction(0), None, DestroyFunction(0)))
    return
  with _handler_lock:
    _handler_count += 1
    number = _handler_count
  if number == 1:
    atexit.register(set_log_handler, None)
  _handlers[number] = handler
  check(lib.set_log_handler(_log_function, number, _forget_function))

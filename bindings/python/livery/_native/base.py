"""base.h: the log handler."""

from __future__ import annotations

import atexit
import ctypes
import sys
import threading
from ctypes import c_int32, c_void_p
from typing import Callable, Dict, Optional

from .calls import DestroyFunction, Prototypes, check, lib

_LogFunction = ctypes.CFUNCTYPE(None, c_int32, c_void_p, c_void_p)

_PROTOTYPES: Prototypes = {
  "set_log_handler": (_LogFunction, c_void_p, DestroyFunction),
}


LogHandler = Callable[[int, str], object]

# The library knows a handler by its number alone, and the two functions that it calls live as long as the process: what
# it holds is never freed under it. A handler is kept until the library has let go of it.
_handlers: Dict[int, LogHandler] = {}
_handler_count = 0
_handler_lock = threading.Lock()


def _log(level: int, message: Optional[int], number: Optional[int]) -> None:
  handler = _handlers.get(number or 0)
  if handler is not None and not sys.is_finalizing():
    handler(level, ctypes.string_at(message or 0).decode("utf-8", "replace") if message else "")


def _forget(number: Optional[int]) -> None:
  _handlers.pop(number or 0, None)


_log_function, _forget_function = _LogFunction(_log), DestroyFunction(_forget)


def set_log_handler(handler: Optional[LogHandler]) -> None:
  """Exceptions of the handler go to sys.unraisablehook: that is what ctypes does with them."""
  global _handler_count
  if handler is None:
    check(lib.set_log_handler(_LogFunction(0), None, DestroyFunction(0)))
    return
  with _handler_lock:
    _handler_count += 1
    number = _handler_count
  if number == 1:
    atexit.register(set_log_handler, None)
  _handlers[number] = handler
  check(lib.set_log_handler(_log_function, number, _forget_function))

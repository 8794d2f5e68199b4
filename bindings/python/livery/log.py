"""The library's warnings."""

from __future__ import annotations

from enum import IntEnum
from typing import Callable, Optional

from . import _constants, _native


class LogLevel(IntEnum):
  """How grave a message is."""

  #: Something was ignored, or is not as it should be; nothing was lost.
  WARNING = _constants.LOG_WARNING
  #: Something failed that no caller was told of.
  ERROR = _constants.LOG_ERROR


def set_log_handler(handler: Optional[Callable[[LogLevel, str], object]]) -> None:
  """Receive the library's warnings: drift of a schema, ignored input, recovery. By default they are dropped.

  There is one handler for the process; None brings silence back. It is called with a LogLevel and a line of text, on any thread that is inside a Livery function, several at once. It may call anything. An exception
  in it goes to ``sys.unraisablehook`` and nowhere else.
  """
  if handler is not None and not callable(handler):
    raise TypeError(f"a log handler is callable or None, not {type(handler).__name__}")
  _native.set_log_handler(None if handler is None else lambda level, message: handler(LogLevel(level), message))

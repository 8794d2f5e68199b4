"""schema.h: functions that carry out steps of migrations."""

from __future__ import annotations

import itertools
import threading
from ctypes import c_int32, c_uint64
from typing import Callable, Dict, Optional

from ..errors import MigrationError
from .calls import check, handle, lib, line, out, said
from .interface import DestroyFunction, MigrationFunction

Step = Callable[[int], object]

# As with log handlers: the library knows a function by its number, and what it calls lives as long as the process.
_steps: Dict[int, Step] = {}
_step_numbers = itertools.count(1)
_raised = threading.local()


def _step(migration: int, number: Optional[int]) -> int:
  step = _steps.get(number or 0)
  try:
    if step is None:
      raise RuntimeError("the interpreter is shutting down")
    step(migration)
  except BaseException as error:
    if getattr(_raised, "error", None) is None:
      _raised.error = error
    kind, text = type(error).__name__, said(error)
    lib.migration_fail(migration, line(kind if text == kind else f"{kind}: {text}", 2000))
    return MigrationError.status
  return 0


def _forget_step(number: Optional[int]) -> None:
  _steps.pop(number or 0, None)


_step_function, _forget_function = MigrationFunction(_step), DestroyFunction(_forget_step)


def raised() -> Optional[BaseException]:
  """What a function raised in this thread since this was last asked."""
  error: Optional[BaseException] = getattr(_raised, "error", None)
  _raised.error = None
  return error


def migration_register(store: int, name: bytes, step: Step) -> None:
  number = next(_step_numbers)
  _steps[number] = step
  check(lib.migration_register(store, name, _step_function, number, _forget_function))


def migration_layer(migration: int) -> int:
  return int(out(c_int32, lib.migration_layer, migration))


def migration_version(migration: int) -> int:
  return int(out(c_uint64, lib.migration_version, migration))


def migration_get(migration: int, name: bytes) -> int:
  return handle(lib.migration_get, migration, name)


def migration_set(migration: int, name: bytes, value: int) -> None:
  check(lib.migration_set(migration, name, value))


def migration_remove(migration: int, name: bytes) -> None:
  check(lib.migration_remove(migration, name))


def migration_names(migration: int) -> int:
  return handle(lib.migration_names, migration)

"""change.h: setting one value, change sets, and edits."""

from __future__ import annotations

import itertools
from ctypes import byref, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..errors import InvalidArgumentError, InvalidValueError, LiveryError
from .calls import check, failure, handle, lib, out, refuse, status_of
from .interface import ClaimFunction, DestroyFunction, EditFunction


def set_value(store: int, layer: int, name: bytes, value: int) -> None:
  check(lib.set_value(store, layer, name, value))


def reset(store: int, layer: int, name: bytes) -> None:
  check(lib.reset(store, layer, name))


def change_begin(store: int, layer: int) -> int:
  return handle(lib.change_begin, store, layer)


def change_set_value(change: int, name: bytes, value: int) -> None:
  check(lib.change_set_value(change, name, value))


def change_replace(change: int, name: bytes, value: int) -> None:
  check(lib.change_replace(change, name, value))


def change_layer(change: int, layer: int) -> None:
  check(lib.change_layer(change, layer))


def change_get(change: int, name: bytes) -> int:
  return handle(lib.change_get, change, name)


def change_get_layer(change: int, layer: int, name: bytes) -> int:
  return handle(lib.change_get_layer, change, layer, name)


def change_list(change: int, layer: int, pattern: Optional[bytes]) -> int:
  return handle(lib.change_list, change, layer, pattern)


def change_ignore_locks(change: int) -> None:
  check(lib.change_ignore_locks(change))


def change_reset(change: int, name: bytes) -> None:
  check(lib.change_reset(change, name))


def change_reset_all(change: int) -> None:
  check(lib.change_reset_all(change))


def change_expires(change: int, microseconds: int) -> None:
  check(lib.change_expires(change, microseconds))


def change_expect(change: int, name: bytes, revision: int) -> None:
  check(lib.change_expect(change, name, revision))


def change_origin(change: int, origin: bytes) -> None:
  check(lib.change_origin(change, origin))


def change_commit(change: int) -> int:
  return int(out(c_uint64, lib.change_commit, change))


def change_violations(change: int) -> int:
  return handle(lib.change_violations, change)


def change_discard(change: int) -> None:
  check(lib.change_discard(change))


def edit(store: int, layer: int, body: Callable[[int], object]) -> Tuple[int, Optional[LiveryError], int]:
  """The revision, or what failed, with what was refused if that is why. What the body raises is raised."""
  raised: List[BaseException] = []

  def run(change: int, _: object) -> int:
    # It may be run again.
    raised.clear()
    try:
      body(change)
    except BaseException as error:
      raised.append(error)
      return InvalidArgumentError.status
    return 0

  revision, violations = c_uint64(), c_void_p()
  status = lib.edit(store, layer, EditFunction(run), None, byref(revision), byref(violations))
  if raised:
    raise raised[0]
  return revision.value, (failure(status) if status else None), violations.value or 0


#: Gives a value in place of the one that is to be checked, or raises.
Check = Callable[[str, int], int]

# As with log handlers: the library knows a check by its number, and what it calls lives as long as the process.
_checks: Dict[int, Check] = {}
_check_numbers = itertools.count(1)


def _check(name: bytes, value: int, checked: Any, number: Optional[int]) -> int:
  try:
    checked[0] = _checks[number or 0](name.decode(), value)
  except BaseException as error:
    return refuse(status_of(error, InvalidValueError.status), error)
  return 0


def _forget_check(number: Optional[int]) -> None:
  _checks.pop(number or 0, None)


_check_function, _forget_check_function = ClaimFunction(_check), DestroyFunction(_forget_check)


def claim(store: int, prefix: bytes, function: Check) -> None:
  number = next(_check_numbers)
  _checks[number] = function
  check(lib.claim(store, prefix, _check_function, number, _forget_check_function))

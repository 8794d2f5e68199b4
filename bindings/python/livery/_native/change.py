"""change.h: setting one value, change sets, and edits."""

from __future__ import annotations

from ctypes import byref, c_uint64, c_void_p
from typing import Callable, List, Optional, Tuple

from ..errors import InvalidArgumentError, LiveryError
from .calls import check, failure, handle, lib, out
from .interface import EditFunction


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

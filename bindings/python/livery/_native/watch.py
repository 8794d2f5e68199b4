"""watch.h: watches, history and undo."""

from __future__ import annotations

import ctypes
import itertools
import threading
from ctypes import POINTER, byref, c_bool, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .calls import HANDLE, OUT, SIZE_OUT, TEXT, DestroyFunction, Prototypes, check, handle, lib, out


class _Event(ctypes.Structure):
  _fields_ = [
    ("revision", c_uint64),
    ("time", c_int64),
    ("kind", c_int32),
    ("layer", c_int32),
    ("name", c_char_p),
    ("old_value", c_void_p),
    ("new_value", c_void_p),
    ("origin", c_char_p),
    ("writable", c_bool),
    ("secret", c_bool),
  ]


class _WatchOptions(ctypes.Structure):
  _fields_ = [("struct_size", c_size_t), ("flags", c_uint32), ("min_interval_ms", c_uint32)]


class _HistoryOptions(ctypes.Structure):
  _fields_ = [
    ("struct_size", c_size_t),
    ("pattern", c_char_p),
    ("layer", c_int32),
    ("has_layer", c_bool),
    ("origin", c_char_p),
    ("since", c_int64),
    ("until", c_int64),
    ("before_revision", c_uint64),
    ("limit", c_size_t),
  ]


_WatchFunction = ctypes.CFUNCTYPE(None, POINTER(_Event), c_size_t, c_void_p)

_PROTOTYPES: Prototypes = {
  "watch_start": (HANDLE, TEXT, POINTER(_WatchOptions), _WatchFunction, c_void_p, DestroyFunction, OUT),
  "watch_stop": (HANDLE,),
  "event_fd": (HANDLE, POINTER(ctypes.c_int)),
  "dispatch": (HANDLE, SIZE_OUT),
  "history": (HANDLE, POINTER(_HistoryOptions), OUT),
  "undo": (HANDLE, c_uint64, c_uint32, POINTER(c_uint64)),
}


class RawEvent(NamedTuple):
  """An event as the library tells it; its values are handles that are valid during the call."""

  revision: int
  time: int
  kind: int
  layer: int
  name: Optional[str]
  old: Optional[int]
  new: Optional[int]
  origin: str
  writable: bool
  secret: bool


Receiver = Callable[[List[RawEvent]], object]

# As with log handlers: the library knows a watch by its number, and what it calls lives as long as the process.
_receivers: Dict[int, Tuple[Receiver, Callable[[], object]]] = {}
_receiver_numbers = itertools.count(1)
_interrupts = threading.local()


def _watch(events: Any, count: int, number: Optional[int]) -> None:
  found = _receivers.get(number or 0)
  if found is None:
    return
  try:
    found[0]([_raw(events[index]) for index in range(count)])
  except Exception:
    raise
  except BaseException as error:
    # KeyboardInterrupt and the like are for whoever dispatches.
    _interrupts.error = error


def _raw(event: _Event) -> RawEvent:
  name, origin = event.name, event.origin or b""
  return RawEvent(
    event.revision,
    event.time,
    event.kind,
    event.layer,
    None if name is None else name.decode(),
    event.old_value,
    event.new_value,
    origin.decode(),
    event.writable,
    event.secret,
  )


def _unwatch(number: Optional[int]) -> None:
  found = _receivers.pop(number or 0, None)
  if found is not None:
    found[1]()


_watch_function, _unwatch_function = _WatchFunction(_watch), DestroyFunction(_unwatch)


def watch_start(
  store: int,
  pattern: Optional[bytes],
  flags: int,
  min_interval_ms: int,
  receiver: Receiver,
  ended: Callable[[], object],
) -> int:
  """Exceptions of the receiver go to sys.unraisablehook; what is no Exception is raised by dispatch()."""
  options = _WatchOptions(ctypes.sizeof(_WatchOptions), flags, min_interval_ms)
  number = next(_receiver_numbers)
  _receivers[number] = receiver, ended
  return handle(lib.watch_start, store, pattern, byref(options), _watch_function, number, _unwatch_function)


def watch_stop(watch: int) -> None:
  check(lib.watch_stop(watch))


def event_fd(store: int) -> int:
  return int(out(ctypes.c_int, lib.event_fd, store))


def dispatch(store: int) -> int:
  _interrupts.error = None
  count = int(out(c_size_t, lib.dispatch, store))
  error: Optional[BaseException] = _interrupts.error
  if error is not None:
    _interrupts.error = None
    raise error
  return count


def unraisable(error: BaseException) -> None:
  """Hand an exception to sys.unraisablehook, which is what ctypes does with those of callbacks."""

  def fail() -> None:
    raise error

  ctypes.CFUNCTYPE(None)(fail)()


def history(
  store: int,
  pattern: Optional[bytes],
  layer: Optional[int],
  origin: Optional[bytes],
  since: int,
  until: int,
  before: int,
  limit: int,
) -> int:
  options = _HistoryOptions(
    ctypes.sizeof(_HistoryOptions), pattern, layer or 0, layer is not None, origin, since, until, before, limit
  )
  return handle(lib.history, store, byref(options))


def undo(store: int, revision: int, force: bool) -> int:
  return int(out(c_uint64, lib.undo, store, revision, 1 if force else 0))

"""watch.h: watches, history and undo."""

from __future__ import annotations

import ctypes
import itertools
import threading
from ctypes import byref, c_size_t, c_uint64
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from .._constants import POST_DISPATCH, UNDO_FORCE
from .calls import check, handle, lib, options, out, unraisable
from .interface import DestroyFunction, Event, HistoryOptions, PostFunction, WatchFunction, WatchOptions


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
  unavailable: bool


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
    _interrupt(error)


def _interrupt(error: BaseException) -> None:
  """KeyboardInterrupt and the like are for whoever dispatches."""
  former, _interrupts.error = getattr(_interrupts, "error", None), error
  if former is not None:
    unraisable(former)


def _raw(event: Event) -> RawEvent:
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
    event.unavailable,
  )


def _unwatch(number: Optional[int]) -> None:
  found = _receivers.pop(number or 0, None)
  if found is not None:
    found[1]()


_watch_function, _unwatch_function = WatchFunction(_watch), DestroyFunction(_unwatch)


def watch_start(
  store: int,
  pattern: Optional[bytes],
  flags: int,
  min_interval_ms: int,
  receiver: Receiver,
  ended: Callable[[], object],
) -> int:
  """Exceptions of the receiver go to sys.unraisablehook; what is no Exception is raised by dispatch()."""
  given = options(WatchOptions, flags=flags, min_interval_ms=min_interval_ms)
  number = next(_receiver_numbers)
  _receivers[number] = receiver, ended
  return handle(lib.watch_start, store, pattern, byref(given), _watch_function, number, _unwatch_function)


def watch_stop(watch: int) -> None:
  check(lib.watch_stop(watch))


def watch_pause(watch: int, paused: bool) -> None:
  check(lib.watch_pause(watch, paused))


def event_fd(store: int) -> int:
  return int(out(ctypes.c_int, lib.event_fd, store))


def dispatch(store: int) -> int:
  # It may be called by what another one calls.
  former, _interrupts.error = getattr(_interrupts, "error", None), None
  try:
    return int(out(c_size_t, lib.dispatch, store))
  finally:
    error: Optional[BaseException] = _interrupts.error
    _interrupts.error = former
    if error is not None:
      raise error


_posts: Dict[int, Callable[[], object]] = {}


def _post(number: Optional[int]) -> None:
  function = _posts.get(number or 0)
  if function is None:
    return
  try:
    function()
  except Exception:
    raise
  except BaseException as error:
    _interrupt(error)


def _forget_post(number: Optional[int]) -> None:
  _posts.pop(number or 0, None)


_post_function, _forget_post_function = PostFunction(_post), DestroyFunction(_forget_post)


def post(store: int, function: Callable[[], object]) -> None:
  """To be run by dispatch(). Exceptions go to sys.unraisablehook; what is no Exception is raised by dispatch()."""
  number = next(_receiver_numbers)
  _posts[number] = function
  check(lib.post(store, POST_DISPATCH, _post_function, number, _forget_post_function))


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
  given = options(
    HistoryOptions,
    pattern=pattern,
    layer=layer or 0,
    has_layer=layer is not None,
    origin=origin,
    since=since,
    until=until,
    before_revision=before,
    limit=limit,
  )
  return handle(lib.history, store, byref(given))


def undo(store: int, revision: int, force: bool) -> int:
  return int(out(c_uint64, lib.undo, store, revision, UNDO_FORCE if force else 0))

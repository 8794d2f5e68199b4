"""A device of a fleet: what a console publishes is applied to the store: the extension ``liblivery-sync.so``.

    with livery.open("store", create=True) as store:
      livery.sync.enroll(store, "livery:1?u=https…").result()
      with livery.sync.start(store, broker="mqtts://broker"):
        await livery.sync.pull(store)
        print(livery.sync.status(store)["documents"])
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Callable, Dict, NamedTuple, Optional, Union

from . import _convert, _native
from ._native.called import entry, forgotten, keep
from ._native.calls import check, handle as _out, optional_text
from ._pending import Pending
from ._serving import Serving
from .errors import error_class
from .store import Store

#: Decides whether what is on trial is well: True for yes, False for no, None to be asked again.
Check = Callable[[str], Optional[bool]]

_Path = Union[str, "os.PathLike[str]"]

_DONE = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)
_CHECK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p)
_DISPATCH, _BUSY, _REFUSED = 1, -10, -26
_done, _ask = entry(_DONE), entry(_CHECK, otherwise=_REFUSED)


class _Options(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("name", ctypes.c_char_p), ("scope", ctypes.c_char_p),
    ("ca_file", ctypes.c_char_p), ("proxy", ctypes.c_char_p), ("broker", ctypes.c_char_p), ("broker_user", ctypes.c_char_p),
    ("broker_password_file", ctypes.c_char_p), ("timeout_ms", ctypes.c_uint32),
  ]


class Task(Pending[Dict[str, Any]]):
  """An enrollment, a pull or a push that was started: ``result()`` waits for it, and so does ``await``.

  The outcome of an enrollment is what status() gives; that of a pull and a push ``{"Version", "Values"}``. Both raise the
  exception of the status where it failed.
  """

  _noun = "task"

  def __init__(self) -> None:
    super().__init__()
    self._handle = ctypes.c_void_p()

  def cancel(self) -> None:
    """Wait no longer for it: CancelledError is its outcome, unless it has one already."""
    if not self._ended.is_set() and self._handle:
      # It may end just now.
      _library().livery_sync_cancel(self._handle)


class Sync:
  """A store that takes part in a fleet, until ``stop()`` or the end of a ``with``."""

  def __init__(self, handle: ctypes.c_void_p, syncing: "_Syncing") -> None:
    self._handle: Optional[ctypes.c_void_p] = handle
    self._syncing = syncing

  def stop(self) -> None:
    """End it; twice is fine. What is in effect stays."""
    handle, self._handle = self._handle, None
    if handle is not None:
      # The store may have been closed before.
      _library().livery_sync_stop(handle)

  def __enter__(self) -> "Sync":
    return self

  def __exit__(self, *_: object) -> None:
    self.stop()


class _Wanted(NamedTuple):
  """How to take part."""

  name: Optional[str] = None
  scope: Optional[str] = None
  ca_file: Optional[_Path] = None
  proxy: Optional[str] = None
  broker: Optional[str] = None
  broker_user: Optional[str] = None
  broker_password_file: Optional[_Path] = None
  timeout: _convert.Duration = 60

  def options(self) -> _Options:

    def path(given: Optional[_Path]) -> Optional[bytes]:
      return None if given is None else _convert.path(given)

    return _Options(
      struct_size=ctypes.sizeof(_Options), flags=_DISPATCH, name=optional_text("name", self.name),
      scope=optional_text("scope", self.scope), ca_file=path(self.ca_file), proxy=optional_text("proxy", self.proxy),
      broker=optional_text("broker", self.broker), broker_user=optional_text("broker_user", self.broker_user),
      broker_password_file=path(self.broker_password_file), timeout_ms=_convert.milliseconds("timeout", self.timeout))


def enroll(
  store: Store, code: str, *, name: Optional[str] = None, ca_file: Optional[_Path] = None, proxy: Optional[str] = None,
  timeout: _convert.Duration = 60,
) -> Task:
  """Begin to join a fleet, with a code that its console has made. ``name`` is what people call the device.

  ParseError is its outcome for what is no code, RefusedError for one that has expired, was used before or is of another
  fleet, ConflictError if the device is of a fleet already.
  """
  wanted = _Wanted(name=name, ca_file=ca_file, proxy=proxy, timeout=timeout)
  text = _native.text("the code", code)
  return _start(store, "enroll", wanted, text)


def pull(
  store: Store, *, scope: Optional[str] = None, ca_file: Optional[_Path] = None, proxy: Optional[str] = None, timeout: _convert.Duration = 60,
) -> Task:
  """Begin to ask for what is published, and to apply it, by whichever process takes part.

  RefusedError is its outcome if that cannot be trusted, InvalidValueError if a value does not fit, NotFoundError if the
  device is of no fleet, NetworkError and others if the server cannot be asked.
  """
  return _start(store, "pull", _Wanted(scope=scope, ca_file=ca_file, proxy=proxy, timeout=timeout))


def push(
  store: Store, *, scope: Optional[str] = None, ca_file: Optional[_Path] = None, proxy: Optional[str] = None, timeout: _convert.Duration = 60,
) -> Task:
  """Begin to report what the device has. As pull()."""
  return _start(store, "push", _Wanted(scope=scope, ca_file=ca_file, proxy=proxy, timeout=timeout))


def start(
  store: Store, *, scope: Optional[str] = None, ca_file: Optional[_Path] = None, proxy: Optional[str] = None,
  broker: Optional[str] = None, broker_user: Optional[str] = None, broker_password_file: Optional[_Path] = None,
) -> Sync:
  """Take part in the fleet until the outcome is stopped: ask for what is published, hear hints, apply, report.

  ``scope`` is the app that documents are taken for, ``broker`` that of hints: ``mqtt://host`` or ``mqtts://host``.
  """
  wanted = _Wanted(
    scope=scope, ca_file=ca_file, proxy=proxy, broker=broker, broker_user=broker_user, broker_password_file=broker_password_file)
  options, syncing = wanted.options(), _Syncing.of(store)
  handle = ctypes.c_void_p()
  check(_library().livery_sync_start(syncing.handle, ctypes.byref(options), ctypes.byref(handle)))
  return Sync(handle, syncing)


def status(store: Store) -> Dict[str, Any]:
  """What is known of the device and its fleet, from any process: see ``livery_sync_status`` in C."""
  content: Dict[str, Any] = _convert.take(_out(_library().livery_sync_status, store._handle.number))
  return content


def set_check(store: Store, name: str, function: Optional[Check]) -> None:
  """Provide a check that documents on trial may ask for by its name; None to remove it.

  It is called on a thread of this package: True confirms, False and what it raises takes back, None is asked again.
  """
  text = _native.text("the name", name)
  syncing = _Syncing.of(store)
  if function is None:
    check(_library().livery_sync_set_check(syncing.handle, text, 0, None, None, None))
    return
  given = function

  def ask(_: bytes) -> int:
    try:
      answer = given(name)
      if answer is None:
        return _BUSY
      if answer:
        return 0
      return _native.leave(_REFUSED, "")
    except BaseException as error:
      return _native.refuse(_REFUSED, error)

  check(_library().livery_sync_set_check(syncing.handle, text, _DISPATCH, _ask, keep(ask), forgotten))


def health(store: Store, text: str = "") -> None:
  """Say how the app is, for the next report; "" that it is well."""
  check(_library().livery_sync_health(_Syncing.of(store).handle, _native.text("the text", text)))


def leave(store: Store) -> None:
  """Leave the fleet: what the console has set is taken back, in one commit."""
  check(_library().livery_sync_leave(_Syncing.of(store).handle))


def _start(store: Store, verb: str, wanted: _Wanted, *words: bytes) -> Task:
  options, syncing, task = wanted.options(), _Syncing.of(store), Task()

  def done(status: int, message: bytes, report: int) -> None:
    try:
      if status == 0:
        task._end(_convert.look(report), None)
      else:
        task._end(None, error_class(status)(message.decode(errors="replace")))
    except Exception as failure:
      _native.unraisable(failure)
      task._end(None, failure)

  function = getattr(_library(), f"livery_sync_{verb}_start")
  # `done` is called, whatever happens.
  check(function(syncing.handle, *words, ctypes.byref(options), _done, keep(done), forgotten, ctypes.byref(task._handle)))
  return task


class _Syncing(Serving):
  """The thread that a store's tasks are told by, and the handle that they are made with."""


_loaded: Optional[ctypes.CDLL] = None


def _library() -> ctypes.CDLL:
  global _loaded
  if _loaded is None:
    loaded = _native.extension("sync")
    pointer = ctypes.c_void_p
    loaded.livery_sync_health.argtypes = [pointer, ctypes.c_char_p]
    loaded.livery_sync_leave.argtypes = [pointer]
    loaded.livery_sync_stop.argtypes = [pointer]
    loaded.livery_sync_status.argtypes = [pointer, ctypes.POINTER(pointer)]
    loaded.livery_sync_set_check.argtypes = [pointer, ctypes.c_char_p, ctypes.c_uint32, pointer, pointer, pointer]
    _loaded = loaded
  return _loaded

"""Every setting in a browser, drawn from the schema: the extension ``liblivery-page.so``.

    with livery.open("store") as store, livery.page.start(store, finished=print) as page:
      print(page.address())
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from enum import Enum
from typing import Any, Callable, List, Optional, Sequence, Union

from . import _convert, _native
from ._dispatcher import Dispatcher
from ._native.called import entry, forgotten, keep
from ._native.calls import check, optional_text
from .errors import ClosedError, InvalidArgumentError
from .store import Store
from .value import Layer


class Reason(Enum):
  """Why an editing session ended."""

  DONE = 1
  IDLE = 2
  STOPPED = 3


@dataclass(frozen=True)
class Finished:
  """The end of an editing session: the revisions of its first and last commit, 0 for none, and what it changed."""

  reason: Reason
  first_revision: int
  last_revision: int
  names: List[str]


class _Finished(ctypes.Structure):
  _fields_ = [
    ("reason", ctypes.c_int32), ("first_revision", ctypes.c_uint64), ("last_revision", ctypes.c_uint64),
    ("names", ctypes.POINTER(ctypes.c_char_p)), ("count", ctypes.c_size_t),
  ]


class _Options(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("has_layer", ctypes.c_bool), ("layer", ctypes.c_int32),
    ("listen", ctypes.c_char_p), ("unix_socket", ctypes.c_char_p), ("hosts", ctypes.c_char_p), ("pin_setting", ctypes.c_char_p),
    ("idle_s", ctypes.c_uint32), ("locale", ctypes.c_char_p), ("title", ctypes.c_char_p),
  ]


_FINISHED = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Finished), ctypes.c_void_p)
_finished = entry(_FINISHED)
_DISPATCH, _HIDDEN, _READ_ONLY, _PROMPTS = 1, 2, 4, 8


class Page:
  """A page that is being served, until it is stopped or its store is closed. Keep it for as long as it is to be served."""

  def __init__(self, handle: ctypes.c_void_p, dispatcher: Dispatcher) -> None:
    self._handle: Optional[ctypes.c_void_p] = handle
    self._dispatcher = dispatcher

  def address(self) -> str:
    """A new address, which opens one editing session, once and within ten minutes."""
    if self._handle is None:
      raise ClosedError("the page was stopped")
    text = ctypes.c_void_p()
    length = ctypes.c_size_t()
    check(_library().livery_page_address(self._handle, ctypes.byref(text), ctypes.byref(length)))
    try:
      return ctypes.string_at(text.value or 0, length.value).decode()
    finally:
      _library().livery_free(text)

  def stop(self) -> None:
    """Stop serving; sessions that are open end with ``Reason.STOPPED``. Stopping twice does nothing."""
    handle, self._handle = self._handle, None
    if handle is not None:
      _library().livery_page_stop(handle)
      # What sessions end with is told before its handle is closed.
      self._dispatcher.stop(1)

  def __enter__(self) -> Page:
    return self

  def __exit__(self, *_: object) -> None:
    self.stop()

  def __del__(self) -> None:
    self.stop()


def start(
  store: Store,
  *,
  finished: Optional[Callable[[Finished], object]] = None,
  layer: Union[Layer, str, int] = Layer.USER,
  listen: Optional[str] = None,
  unix_socket: Optional[Union[str, os.PathLike[str]]] = None,
  hosts: Sequence[str] = (),
  pin_setting: Optional[str] = None,
  idle: int = 300,
  locale: Optional[str] = None,
  title: Optional[str] = None,
  hidden: bool = False,
  read_only: bool = False,
  prompts: bool = False,
) -> Page:
  """Serve the settings of a store at an address of this device, or elsewhere if a PIN is asked for.

  ``finished`` is told of the end of each editing session by a thread of this package, once each. With ``prompts`` whoever opens the
  page is asked what nobody else shows: see ``livery.prompt``.

  InvalidArgumentError for an option that is malformed, out of range or unsafe, BusyError if the address is in use,
  PermissionError_ if it is not this process's to use, UnavailableError for prompts without ``liblivery-workflow.so``.
  """

  if not 10 <= idle <= 86_400:
    raise InvalidArgumentError("idle is from 10 to 86400 seconds")

  def tell(content: Any) -> None:
    told = content.contents
    if finished is not None:
      names = [told.names[index].decode() for index in range(told.count)]
      finished(Finished(Reason(told.reason), told.first_revision, told.last_revision, names))

  options = _Options(
    struct_size=ctypes.sizeof(_Options), flags=_DISPATCH | (_HIDDEN if hidden else 0) | (_READ_ONLY if read_only else 0) | (_PROMPTS if prompts else 0),
    has_layer=True, layer=Layer.of(layer), listen=optional_text("listen", listen),
    unix_socket=None if unix_socket is None else _convert.path(unix_socket), hosts=optional_text("hosts", " ".join(hosts) or None),
    pin_setting=optional_text("pin_setting", pin_setting), idle_s=idle,
    locale=optional_text("locale", locale), title=optional_text("title", title),
  )
  handle = ctypes.c_void_p()
  dispatcher = store._watches.serving()
  try:
    check(_library().livery_page_start(
      ctypes.c_void_p(dispatcher.handle), ctypes.byref(options), _finished, keep(tell), forgotten, ctypes.byref(handle)))
  except BaseException:
    dispatcher.stop(1)
    raise
  return Page(handle, dispatcher)


def brand_html(store: Store, brand: Optional[str] = None, *, locale: Optional[str] = None) -> str:
  """A brand, or what is in effect, as one HTML document that needs nothing else; NotFoundError if there is no such brand."""
  text = ctypes.c_void_p()
  length = ctypes.c_size_t()
  check(_library().livery_page_brand(
    ctypes.c_void_p(store._handle.number), optional_text("brand", brand), optional_text("locale", locale),
    ctypes.byref(text), ctypes.byref(length)))
  try:
    return ctypes.string_at(text.value or 0, length.value).decode()
  finally:
    _library().livery_free(text)


def hash_pin(pin: str) -> str:
  """What a setting has to hold for a page to ask for this PIN: 4 to 128 bytes of UTF-8."""
  text = ctypes.c_void_p()
  check(_library().livery_page_hash_pin(_native.text("the PIN", pin, is_secret=True), ctypes.byref(text), None))
  try:
    return ctypes.string_at(text.value or 0).decode()
  finally:
    _library().livery_free(text)


_loaded: Optional[ctypes.CDLL] = None


def _library() -> ctypes.CDLL:
  global _loaded
  if _loaded is None:
    _loaded = _native.extension("page")
    _loaded.livery_free.restype = None
  return _loaded

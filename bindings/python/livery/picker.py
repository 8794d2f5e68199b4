"""Picking an image: from a folder, from a camera, or from a person who uploads it. Of the extension ``liblivery-workflow.so``.

    with livery.open("store") as store:
      images = livery.picker.list("/media/stick")
      picked = livery.picker.pick(store, "folder", folder="/media/stick", file=images[0]["name"],
                                  setting="branding.image.backgroundImage").result()     # or: await livery.picker.pick(…)
      print(picked.asset, picked.info["width"])

    class Booth(livery.picker.Camera):
      def take(self, shot, width, height):
        shot.taken(open("picture.jpg", "rb").read())

    livery.picker.set_camera(store, Booth())

What is picked is an asset, and one commit stores it together with the setting that shows it. ``docs/workflow.md`` tells the rest.
"""

from __future__ import annotations

import asyncio
import builtins
import ctypes
import inspect
from dataclasses import dataclass
from enum import Enum
from typing import Any, Awaitable, Callable, Dict, List, Optional, Tuple, Union

from . import _convert, _native
from ._native.called import entry, forgotten, keep
from ._native.calls import check, optional_text
from ._pending import Pending
from ._serving import Serving
from .asset import Content, as_bytes
from .errors import InvalidArgumentError, LiveryError, UnavailableError, error_class
from .store import Store
from .value import Image, Layer


class Source(Enum):
  """Where an image comes from. Functions that take one take its name in lower case, too."""

  FOLDER = 1
  CAMERA = 2
  UPLOAD = 3


class Permission(Enum):
  """What is known about the permission to use a source."""

  NOT_ASKED = 0
  GRANTED = 1
  DENIED = 2
  RESTRICTED = 3


class Decision(Enum):
  """What comes where a source may not be used; another Source is a decision, too."""

  STOP = 0
  AGAIN = 1


@dataclass(frozen=True)
class Result:
  """An image that was picked.

  ``info`` is what Assets.info() tells of it, ``source`` what was used last, ``permission`` what was known about it, and ``revision``
  that of the commit that stored it.
  """

  asset: Image
  info: Dict[str, Any]
  source: Source
  permission: Permission
  revision: int


#: Asks for permission: is given the source and what is known, and says whether it may be used, True and False for GRANTED and
#: DENIED. A function, or a coroutine function.
AskPermission = Callable[
  [Source, Permission], Union[Permission, bool, Awaitable[Union[Permission, bool]]]]

#: Decides what comes where a source may not be used: is given the source, DENIED or RESTRICTED, and why. A function, or a coroutine
#: function.
AskDecision = Callable[
  [Source, Permission, str], Union[Decision, Source, Awaitable[Union[Decision, Source]]]]


class _Result(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("status", ctypes.c_int32), ("message", ctypes.c_char_p), ("source", ctypes.c_int32),
    ("permission", ctypes.c_int32), ("asset", ctypes.c_char_p), ("info", ctypes.c_void_p), ("revision", ctypes.c_uint64),
  ]


_DONE = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Result), ctypes.c_void_p)
_PERMISSION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_void_p)
_DENIED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p)
_AVAILABLE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
_TAKE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)
_CANCEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class _Options(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("source", ctypes.c_int32), ("folder", ctypes.c_char_p),
    ("file", ctypes.c_char_p), ("device", ctypes.c_char_p), ("width", ctypes.c_uint32), ("height", ctypes.c_uint32),
    ("max_size", ctypes.c_uint32), ("timeout_ms", ctypes.c_uint32), ("setting", ctypes.c_char_p), ("layer", ctypes.c_int32),
    ("permission", _PERMISSION), ("denied", _DENIED),
  ]


class _Functions(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("available", _AVAILABLE), ("take", _TAKE),
    ("cancel", _CANCEL),
  ]


_DISPATCH, _OTHER = 1, 2
_UNAVAILABLE = -27
_done, _permission, _denied = entry(_DONE), entry(_PERMISSION, 1), entry(_DENIED, 2)
_available, _take, _cancel = entry(_AVAILABLE, 0, False), entry(_TAKE, 1, _UNAVAILABLE), entry(_CANCEL, 2)


class Picking(Pending[Result]):
  """An image on its way: ``result()`` waits for it, and so does ``await``; cancelling the task cancels it.

  Both raise the exception of what has failed: RefusedError where the source may not be used, UnavailableError where there is none,
  CancelledError, TimedOutError, BusyError, NotFoundError, PermissionDeniedError, ParseError for what is no image, InvalidValueError
  for one that is too large, InputOutputError, and what Change.put() and commit() raise.
  """

  _noun = "picking"

  def __init__(self) -> None:
    super().__init__()
    self._handle = ctypes.c_void_p()

  def cancel(self) -> None:
    """Pick no longer: nothing is stored, unless that is under way."""
    if not self._ended.is_set() and self._handle:
      _library().livery_picker_cancel(self._handle)


def pick(
  store: Store,
  source: Union[Source, str],
  *,
  folder: Optional[_convert.Path] = None,
  file: Optional[str] = None,
  device: Optional[_convert.Path] = None,
  size: Optional[Tuple[int, int]] = None,
  max_size: int = 0,
  timeout: Optional[_convert.Duration] = None,
  setting: Optional[str] = None,
  layer: Union[Layer, str] = Layer.USER,
  permission: Optional[AskPermission] = None,
  denied: Optional[AskDecision] = None,
) -> Picking:
  """Begin to pick an image, and commit it together with the ``setting`` that shows it.

  ``folder`` and ``file``, as list() tells it, are for a folder; ``device`` and ``size``, width and height, for a camera. ``max_size``
  is in bytes, 0 for 16 MiB; ``timeout`` in seconds or a timedelta, None for the source's own. ``permission`` and ``denied`` are called by a thread of
  this package, or, if they are coroutine functions, in the running event loop; what they raise is the end, as if ``permission`` had
  said NOT_ASKED and ``denied`` STOP.

  InvalidArgumentError for what is malformed, or missing for the source.
  """
  where = _source(source)
  timeout_ms = 0 if timeout is None else _convert.milliseconds("timeout", timeout)
  where_to = Layer.of(layer)
  if where_to is Layer.DEFAULTS:
    raise InvalidArgumentError("nothing can be set in the layer defaults")
  width, height = (0, 0) if size is None else size
  loop = _running_loop()
  made = Picking()
  desk = _Picker.of(store)

  def done(content: Any) -> None:
    try:
      result = content.contents
      if result.status == 0:
        made._end(Result(
          Image(result.asset.decode()), _convert.look(result.info), Source(result.source), Permission(result.permission),
          result.revision), None)
      else:
        made._end(None, error_class(result.status)(result.message.decode(errors="replace")))
    except Exception as failure:
      _native.unraisable(failure)
      made._end(None, failure)

  def permit(ask: int, asked: int, known: int) -> None:
    def answer(said: Union[Permission, bool]) -> None:
      _permit(ask, said)

    assert permission is not None
    function = permission
    _ask(loop, lambda: function(Source(asked), Permission(known)), answer, Permission.NOT_ASKED)

  def decide(ask: int, asked: int, known: int, message: bytes) -> None:
    def answer(decision: Union[Decision, Source]) -> None:
      _decide(ask, decision)

    assert denied is not None
    function, why = denied, message.decode(errors="replace")
    _ask(loop, lambda: function(Source(asked), Permission(known), why), answer, Decision.STOP)

  options = _Options(
    struct_size=ctypes.sizeof(_Options), flags=_DISPATCH, source=where.value,
    folder=None if folder is None else _convert.path(folder), file=optional_text("the file", file),
    device=None if device is None else _convert.path(device), width=_convert.within("the width", width, 32),
    height=_convert.within("the height", height, 32), max_size=_convert.within("max_size", max_size, 32),
    timeout_ms=timeout_ms, setting=optional_text("the setting", setting),
    layer=where_to.value,
    permission=_PERMISSION() if permission is None else _permission, denied=_DENIED() if denied is None else _denied)
  # From here on `done` is called, whatever happens.
  check(_library().livery_picker_start(
    desk.handle, ctypes.byref(options), _done, keep(done, permit, decide), forgotten, ctypes.byref(made._handle)))
  return made


def known_permission(store: Store, source: Union[Source, str]) -> Permission:
  """What is known about the permission to use a source: the setting ``picker.`` and its name."""
  known = ctypes.c_int32()
  check(_library().livery_picker_known_permission(_Picker.of(store).handle, _source(source).value, ctypes.byref(known)))
  return Permission(known.value)


def camera_available(store: Store) -> bool:
  """Whether there is a camera that can be used, and ``usage.camera`` has a text that tells people what for."""
  available = ctypes.c_bool()
  check(_library().livery_picker_camera_available(_Picker.of(store).handle, ctypes.byref(available)))
  return available.value


def list(folder: _convert.Path) -> List[Dict[str, Any]]:
  """The images in a folder, in the order of their names: dictionaries with ``name``, ``type``, ``bytes`` and ``time``.

  UnavailableError if there is no such folder, or the medium was pulled out.
  """
  return _value(lambda place: _library().livery_picker_list(_convert.path(folder), place))


def media() -> List[Dict[str, Any]]:
  """The removable media that are mounted: dictionaries with ``path``, ``device``, ``fileSystem`` and ``readOnly``."""
  return _value(lambda place: _library().livery_picker_media(place))


class Shot:
  """A picture that a Camera is to take. Two of them are equal if they are the same."""

  def __init__(self, handle: int) -> None:
    self._handle = ctypes.c_void_p(handle)

  def __eq__(self, other: object) -> bool:
    return isinstance(other, Shot) and other._handle.value == self._handle.value

  def __hash__(self) -> int:
    return hash(self._handle.value)

  def taken(self, picture: Content) -> None:
    """Hand over the picture, once, in a format that assets know; ClosedError if it is wanted no longer."""
    content = as_bytes(picture)
    check(_library().livery_picker_taken(self._handle, 0, content, len(content)))

  def failed(self, error: LiveryError) -> None:
    """Say why there is none: picking fails with that."""
    status = _native.leave(_native.status_of(error, _UNAVAILABLE), _native.said(error))
    check(_library().livery_picker_taken(self._handle, status, None, 0))


class Camera:
  """A camera of the program's. Derive from it, and hand it to set_camera(). Its methods are called on any thread, and return soon."""

  def available(self) -> bool:
    """Whether there is a camera at the moment."""
    return True

  def take(self, shot: Shot, width: int, height: int) -> None:
    """Begin to take a picture of about that size, 0 for nothing in particular; ``shot.taken()`` hands it over, now or later.

    A LiveryError is what picking fails with: BusyError, UnavailableError, PermissionDeniedError, which counts as denied.
    """
    raise NotImplementedError

  def cancel(self, shot: Shot) -> None:
    """The picture is wanted no longer."""


def set_camera(store: Store, camera: Optional[Camera]) -> None:
  """Use a camera of the program's for picking on this store, in place of devices; None for devices again."""
  desk = _Picker.of(store)
  if camera is None:
    check(_library().livery_picker_set_camera(desk.handle, None, None, None))
    return
  own = camera

  def available() -> bool:
    return bool(own.available())

  def take(shot: int, width: int, height: int) -> int:
    try:
      own.take(Shot(shot), width, height)
      return 0
    except LiveryError as error:
      return _native.refuse(_native.status_of(error, _UNAVAILABLE), error)
    except BaseException as failure:
      _native.unraisable(failure)
      return _native.leave(_UNAVAILABLE, f"the camera has failed: {_native.said(failure)}")

  def cancel(shot: int) -> None:
    own.cancel(Shot(shot))

  functions = _Functions(ctypes.sizeof(_Functions), 0, _available, _take, _cancel)
  check(_library().livery_picker_set_camera(desk.handle, ctypes.byref(functions), keep(available, take, cancel), forgotten))


def _ask(
  loop: Optional[asyncio.AbstractEventLoop], question: Callable[[], Any], answer: Callable[[Any], None], otherwise: object
) -> None:
  """Hands what the program says to `answer`, at once or when its coroutine has ended."""

  async def awaited(said: Awaitable[Any]) -> None:
    try:
      answer(await said)
    except BaseException as failure:
      failed(failure)
      if not isinstance(failure, Exception):
        raise

  def failed(failure: BaseException) -> None:
    _native.unraisable(failure)
    answer(otherwise)

  try:
    said = question()
    if not inspect.isawaitable(said):
      answer(said)
    elif loop is None:
      if inspect.iscoroutine(said):
        said.close()
      raise InvalidArgumentError("a coroutine function needs an event loop: call pick() in one")
    else:
      asyncio.run_coroutine_threadsafe(awaited(said), loop)
  except BaseException as failure:
    failed(failure)


def _permit(ask: int, said: Union[Permission, bool]) -> None:
  if isinstance(said, bool):
    said = Permission.GRANTED if said else Permission.DENIED
  # Nobody waits any more if picking has ended.
  _library().livery_picker_permit(ctypes.c_void_p(ask), Permission(said).value)


def _decide(ask: int, decision: Union[Decision, Source]) -> None:
  if isinstance(decision, Source):
    status = _library().livery_picker_decide(ctypes.c_void_p(ask), _OTHER, decision.value)
    if status == InvalidArgumentError.status:
      # The options lack what that source needs.
      check(status)
  else:
    _library().livery_picker_decide(ctypes.c_void_p(ask), Decision(decision).value, 0)


def _running_loop() -> Optional[asyncio.AbstractEventLoop]:
  try:
    return asyncio.get_running_loop()
  except RuntimeError:
    return None


def _source(source: Union[Source, str]) -> Source:
  if isinstance(source, Source):
    return source
  found = Source.__members__.get(source.upper()) if isinstance(source, str) and source == source.lower() else None
  if found is None:
    raise InvalidArgumentError(f"no such source: {source!r}; there are folder, camera, upload")
  return found


class _Picker(Serving):
  """The thread that a store's picking is told by, and the handle that it is done with."""


def _value(call: Callable[[Any], int]) -> builtins.list[Dict[str, Any]]:
  place = ctypes.c_void_p()
  check(call(ctypes.byref(place)))
  taken: builtins.list[Dict[str, Any]] = _convert.take(place.value or 0)
  return taken


_loaded: Optional[ctypes.CDLL] = None


def _library() -> ctypes.CDLL:
  global _loaded
  if _loaded is None:
    library = _native.extension("workflow")
    library.livery_picker_taken.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p, ctypes.c_size_t]
    _loaded = library
  return _loaded

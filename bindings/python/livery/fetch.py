"""Images and documents by URL, there when the network is not: the extension ``liblivery-fetch.so``.

    with livery.open("store", create=True) as store:
      logo = livery.fetch.get(store, "https://example.com/logo.png")          # blocks
      print(logo.id, len(logo.data), logo.state)

      news = await livery.fetch.start(store, "https://example.com/news.json", kind="document")
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from . import _convert, _native
from ._native import interface as _interface
from ._native.called import entry, forgotten, keep
from ._native.calls import check, optional_text
from ._pending import Pending
from ._serving import Serving
from .branding import Traits, _traits
from .errors import InvalidArgumentError, error_class
from .store import Store

_Outcome = TypeVar("_Outcome")

#: Is told the bytes that came, and those of the whole, 0 if that is not known.
Progress = Callable[[int, int], object]


class Kind(Enum):
  """What is expected: an image, any bytes, or any bytes that are an image where the server says so."""

  IMAGE = "image"
  DOCUMENT = "document"
  ANY = "any"


class State(Enum):
  """Whether what is handed out is what the server has, or may be outdated."""

  READY = 1
  STALE = 2
  PLACEHOLDER = 3
  FAILED = 4


class Source(Enum):
  """Where what is handed out came from."""

  NOWHERE = 0
  NETWORK = 1
  REVALIDATED = 2
  STORE = 3


@dataclass(frozen=True)
class Fetched:
  """What a fetch has brought.

  ``id`` is the asset's, None where the server forbids to keep it. ``received`` is how many bytes of a body came from the
  network. ``message`` is why it may be outdated, or "" if all is well.
  """

  url: str
  state: State
  source: Source
  id: Optional[str]
  type: Optional[str]
  data: bytes
  received: int
  http_status: int
  etag: Optional[str]
  fetched: Optional[datetime]
  fresh_until: Optional[datetime]
  message: str


class _Result(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("status", ctypes.c_int32), ("state", ctypes.c_int32), ("source", ctypes.c_int32),
    ("http_status", ctypes.c_int32), ("message", ctypes.c_char_p), ("url", ctypes.c_char_p), ("id", ctypes.c_char_p),
    ("type", ctypes.c_char_p), ("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("received", ctypes.c_uint64),
    ("etag", ctypes.c_char_p), ("fetched", ctypes.c_int64), ("fresh_until", ctypes.c_int64),
  ]


_DONE = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Result), ctypes.c_void_p)
_BRAND_DONE = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)
_PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_void_p)
_BEGIN = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_CANCEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class _Options(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("kind", ctypes.c_int32), ("max_size", ctypes.c_uint64),
    ("quota", ctypes.c_uint64), ("timeout_ms", ctypes.c_uint32), ("attempts", ctypes.c_uint32),
    ("placeholder", ctypes.c_char_p), ("ca_file", ctypes.c_char_p), ("proxy", ctypes.c_char_p), ("progress", _PROGRESS),
  ]


class _Header(ctypes.Structure):
  _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Request(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("url", ctypes.c_char_p), ("headers", ctypes.POINTER(_Header)),
    ("header_count", ctypes.c_size_t), ("ca_file", ctypes.c_char_p), ("proxy", ctypes.c_char_p),
  ]


class _Transport(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("begin", _BEGIN), ("cancel", _CANCEL)]


_DISPATCH, _REVALIDATE, _OFFLINE = 1, 2, 4
_NETWORK = -23
_done, _brand_done, _tell = entry(_DONE), entry(_BRAND_DONE), entry(_PROGRESS, 1)
_begin, _cancel = entry(_BEGIN, otherwise=_NETWORK), entry(_CANCEL, 1)
_KINDS = {Kind.IMAGE: 1, Kind.DOCUMENT: 2, Kind.ANY: 3}


class Fetch(Pending[_Outcome]):
  """A fetch that was started: ``result()`` waits for it, and so does ``await``.

  Both raise the exception of the status if there is nothing to hand out. Its member ``placeholder`` is then what was handed out
  in its place, a Fetched, or None.
  """

  _noun = "fetch"

  def __init__(self) -> None:
    super().__init__()
    self._handle = ctypes.c_void_p()

  def cancel(self) -> None:
    """Cancel it: CancelledError is its outcome, unless it has one already."""
    if not self._ended.is_set() and self._handle:
      # It may end just now.
      _library().livery_fetch_cancel(self._handle)


def start(
  store: Store,
  url: str,
  *,
  kind: Union[Kind, str] = Kind.IMAGE,
  revalidate: bool = False,
  offline: bool = False,
  max_size: int = 0,
  quota: int = 0,
  timeout: _convert.Duration = 60,
  attempts: int = 0,
  placeholder: Optional[str] = None,
  ca_file: Optional[Union[str, "os.PathLike[str]"]] = None,
  proxy: Optional[str] = None,
  progress: Optional[Progress] = None,
) -> Fetch[Fetched]:
  """Begin to fetch what a URL leads to, or take it from the store where that is as good.

  ``timeout`` is in seconds or a timedelta. ``progress`` is told the bytes that came and those of the whole, 0 if that is not known, by a thread of
  this package. 0 stands for the library's own ``max_size``, ``quota`` and ``attempts``.

  InvalidArgumentError for a URL or an option that is malformed or out of range, ReadOnlyError for a store that is.
  """
  wanted = _Wanted(kind, revalidate, offline, max_size, quota, timeout, attempts, placeholder, ca_file, proxy, progress)
  address = _native.text("the URL", url)
  fetch: Fetch[Fetched] = Fetch()
  fetching = _Fetching.of(store)

  def done(content: Any) -> None:
    try:
      result = content.contents
      fetched = _fetched(result)
      error = None
      if result.status != 0:
        error = error_class(result.status)(fetched.message)
        error.placeholder = fetched if fetched.state is State.PLACEHOLDER else None  # type: ignore[attr-defined]
      fetch._end(fetched, error)
    except Exception as failure:
      _native.unraisable(failure)
      fetch._end(None, failure)

  options = wanted.options()
  # From here on `done` is called, whatever happens.
  check(_library().livery_fetch_start(
    fetching.handle, address, ctypes.byref(options), _done, keep(done, wanted.tell), forgotten, ctypes.byref(fetch._handle)))
  return fetch


def brand(
  store: Store,
  *,
  traits: Optional[Traits] = None,
  revalidate: bool = False,
  offline: bool = False,
  max_size: int = 0,
  quota: int = 0,
  timeout: _convert.Duration = 60,
  attempts: int = 0,
  placeholder: Optional[str] = None,
  ca_file: Optional[Union[str, "os.PathLike[str]"]] = None,
  proxy: Optional[str] = None,
  progress: Optional[Progress] = None,
) -> Fetch[Dict[str, Any]]:
  """Begin to fetch every remote image of the brand in effect, and swap all of them in with one commit.

  With ``traits`` those that fit a device best, one of each image; without, all. The outcome is a dictionary: ``revision``,
  ``committed``, ``ready``, ``stale``, ``failed`` and ``images``, a list of dictionaries. Options are as of start().
  """
  wanted = _Wanted(Kind.IMAGE, revalidate, offline, max_size, quota, timeout, attempts, placeholder, ca_file, proxy, progress)
  fetch: Fetch[Dict[str, Any]] = Fetch()
  fetching = _Fetching.of(store)

  def done(status: int, message: bytes, report: int) -> None:
    try:
      if status == 0:
        fetch._end(_convert.look(report), None)
      else:
        fetch._end(None, error_class(status)(message.decode(errors="replace")))
    except Exception as failure:
      _native.unraisable(failure)
      fetch._end(None, failure)

  options = wanted.options()
  given = _traits(traits)
  device = None if given is None else ctypes.byref(_interface.Traits(ctypes.sizeof(_interface.Traits), *given))
  check(_library().livery_fetch_brand_start(
    fetching.handle, device, ctypes.byref(options), _brand_done, keep(done, wanted.tell), forgotten, ctypes.byref(fetch._handle)))
  return fetch


class _Wanted(NamedTuple):
  """The options of a fetch."""

  kind: Union[Kind, str]
  revalidate: bool
  offline: bool
  max_size: int
  quota: int
  timeout: _convert.Duration
  attempts: int
  placeholder: Optional[str]
  ca_file: Optional[Union[str, "os.PathLike[str]"]]
  proxy: Optional[str]
  told: Optional[Progress]

  def tell(self, received: int, total: int) -> None:
    if self.told is not None:
      self.told(received, total)

  def options(self) -> _Options:
    for name, given, most in (("max_size", self.max_size, 1 << 63), ("quota", self.quota, 1 << 63), ("attempts", self.attempts, 100)):
      if not 0 <= given <= most:
        raise InvalidArgumentError(f"{name} is out of range")
    flags = _DISPATCH | (_REVALIDATE if self.revalidate else 0) | (_OFFLINE if self.offline else 0)
    return _Options(
      struct_size=ctypes.sizeof(_Options), flags=flags, kind=_KINDS[Kind(self.kind)], max_size=self.max_size, quota=self.quota,
      timeout_ms=_convert.milliseconds("timeout", self.timeout), attempts=self.attempts, placeholder=optional_text("placeholder", self.placeholder),
      ca_file=None if self.ca_file is None else _convert.path(self.ca_file), proxy=optional_text("proxy", self.proxy),
      progress=_PROGRESS() if self.told is None else _tell,
    )


def get(store: Store, url: str, **options: Any) -> Fetched:
  """Fetch what a URL leads to, and wait for it: as start()."""
  return start(store, url, **options).result()


class Exchange:
  """A request that a transport has begun: what its answer is handed to, from any thread."""

  def __init__(self, handle: int) -> None:
    self._handle = ctypes.c_void_p(handle)

  def answer(self, status: int, headers: Union[Mapping[str, str], Sequence[Tuple[str, str]]] = ()) -> None:
    """The head, once. CancelledError if nobody waits for it any more: stop, and call finish()."""
    pairs = list(headers.items() if isinstance(headers, Mapping) else headers)
    fields = (_Header * max(1, len(pairs)))()
    for index, (name, value) in enumerate(pairs):
      fields[index] = _Header(name.encode("latin-1"), value.encode("latin-1"))
    check(_library().livery_fetch_answer(self._handle, status, fields, len(pairs)))

  def receive(self, data: bytes) -> None:
    """A piece of the body. CancelledError if nobody waits for it, InvalidValueError if it is too large: stop, and finish()."""
    check(_library().livery_fetch_receive(self._handle, data, len(data)))

  def finish(self, error: Optional[BaseException] = None) -> None:
    """The end, exactly once; a LiveryError for what went wrong, anything else counts as a failure of the network."""
    status, message = 0, None
    if error is not None:
      status, message = _native.status_of(error, _NETWORK), _native.line(_native.said(error), 1000)
    check(_library().livery_fetch_finish(self._handle, status, message))


class Transport:
  """How requests are made. Derive from it, and hand it to set_transport()."""

  def begin(self, url: str, headers: Mapping[str, str], exchange: Exchange) -> None:
    """Begin a request GET, and hand the answer to the exchange, now or later. What is raised is its end."""
    raise NotImplementedError

  def cancel(self, exchange: Exchange) -> None:
    """Nobody waits for the answer any more: finish the exchange soon."""


def set_transport(store: Store, transport: Optional[Transport]) -> None:
  """Make requests by a transport of the program's own; None for libcurl. It is used until the store is closed."""
  _Fetching.of(store).use(transport)


class _Fetching(Serving):
  """The thread that a store's fetches are told by, and the handle that they are made with."""

  def use(self, transport: Optional[Transport]) -> None:
    if transport is None:
      check(_library().livery_fetch_set_transport(self.handle, None, None, None))
      return

    def begin(content: int, handle: int) -> int:
      try:
        request = ctypes.cast(content, ctypes.POINTER(_Request)).contents
        headers = {
          request.headers[index].name.decode("latin-1"): request.headers[index].value.decode("latin-1")
          for index in range(request.header_count)
        }
        transport.begin(request.url.decode(), headers, Exchange(handle))
        return 0
      except BaseException as error:
        return _native.refuse(_native.status_of(error, _NETWORK), error)

    def cancel(handle: int) -> None:
      transport.cancel(Exchange(handle))

    content = _Transport(ctypes.sizeof(_Transport), _begin, _cancel)
    # Requests that are under way go on with theirs, also for a moment after the store was closed.
    check(_library().livery_fetch_set_transport(self.handle, ctypes.byref(content), keep(begin, cancel), forgotten))


def _fetched(result: Any) -> Fetched:
  def moment(microseconds: int) -> Optional[datetime]:
    return datetime.fromtimestamp(microseconds / 1e6, timezone.utc) if microseconds else None

  def text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode(errors="replace")

  return Fetched(
    url=result.url.decode(errors="replace"), state=State(result.state), source=Source(result.source), id=text(result.id),
    type=text(result.type), data=ctypes.string_at(result.data, result.length) if result.length else b"",
    received=result.received, http_status=result.http_status, etag=text(result.etag), fetched=moment(result.fetched),
    fresh_until=moment(result.fresh_until), message=result.message.decode(errors="replace"))


_loaded: Optional[ctypes.CDLL] = None


def _library() -> ctypes.CDLL:
  global _loaded
  if _loaded is None:
    loaded = _native.extension("fetch")
    pointer = ctypes.c_void_p
    loaded.livery_fetch_receive.argtypes = [pointer, ctypes.c_char_p, ctypes.c_size_t]
    loaded.livery_fetch_answer.argtypes = [pointer, ctypes.c_int32, ctypes.POINTER(_Header), ctypes.c_size_t]
    loaded.livery_fetch_finish.argtypes = [pointer, ctypes.c_int32, ctypes.c_char_p]
    _loaded = loaded
  return _loaded

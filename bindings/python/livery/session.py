"""Who is logged in at this device: one session for all processes on a store. Of the extension ``liblivery-workflow.so``.

    with livery.open("store", create=True) as store:
      livery.session.bootstrap(store, fetch=ask_the_server).result()     # or: await livery.session.bootstrap(…)
      if livery.session.state(store).state is livery.session.State.NONE:
        livery.session.login(store, {"name": "Ada"}, token="…", expires=timedelta(hours=8))
      print(livery.session.current(store))
      livery.session.logout(store)

The user is in the memory of processes alone. ``docs/workflow.md`` has the diagram of the states.
"""

from __future__ import annotations

import asyncio
import ctypes
import inspect
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any, Awaitable, Callable, Optional, Union

from . import _convert, _native
from ._native.called import entry, forgotten, keep
from ._native.calls import check, text
from ._pending import Awaited
from ._serving import Serving
from .errors import InvalidArgumentError, LiveryError, NoValueError, error_class
from .store import Store


class State(Enum):
  """Where the session is."""

  UNKNOWN = 0
  NONE = 1
  ACTIVE = 2
  EXPIRED = 3


class Reason(Enum):
  """Why the state is what it is."""

  NEVER = 0
  LOGIN = 1
  LOGOUT = 2
  TIME = 3
  EXPIRE = 4
  REFUSED = 5
  REMOVED = 6


@dataclass(frozen=True)
class Info:
  """What is known of the session; ``id`` and times are also of one that is over, None if there was none."""

  state: State
  reason: Reason
  id: Optional[str]
  has_token: bool
  has_user: bool
  since: Optional[datetime]
  expires: Optional[datetime]


#: Fetches the user of a session by its token, None for one without: a function, or a coroutine function. What it raises leaves
#: the user unknown; RefusedError says that the token is no longer good.
Fetch = Callable[[Optional[str], Info], Union[Any, Awaitable[Any]]]

#: When a session ends by itself: at a moment, after a time, or never.
Expiry = Union[datetime, _convert.Duration, None]


class _Keep(Enum):
  KEEP = 0


#: What update() leaves as it was.
KEEP = _Keep.KEEP


class _Info(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("state", ctypes.c_int32), ("reason", ctypes.c_int32), ("id", ctypes.c_char * 33),
    ("has_token", ctypes.c_bool), ("has_user", ctypes.c_bool), ("since", ctypes.c_int64), ("expires", ctypes.c_int64),
  ]


class _Options(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32)]


class _LoginOptions(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("token", ctypes.c_char_p),
    ("token_length", ctypes.c_size_t), ("expires", ctypes.c_int64),
  ]


_FETCH = ctypes.CFUNCTYPE(
  None, ctypes.c_void_p, ctypes.POINTER(_Info), ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
_DONE = ctypes.CFUNCTYPE(
  None, ctypes.c_int32, ctypes.POINTER(_Info), ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_CHANGED = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Info), ctypes.c_void_p, ctypes.c_void_p)
_DISPATCH, _INITIAL, _REPLACE, _ENDLESS = 1, 2, 1, (1 << 63) - 1
_NETWORK = -23
_done, _fetch, _changed = entry(_DONE), entry(_FETCH, 1), entry(_CHANGED)


class Bootstrap(Awaited[Info]):
  """The finding out who is logged in: ``result()`` waits for it, and so does ``await``; both give an Info.

  They raise the exception of this package that ``fetch`` has raised, for any other a NetworkError that tells of it: the session is active then, and its user not known.
  """

  #: By what was to fetch the user.
  _raised: Optional[LiveryError] = None

  def _unfinished(self) -> str:
    return "it is not known yet who is logged in"

  def _answer(self, handle: ctypes.c_void_p, user: Any) -> None:
    value = ctypes.c_void_p(_convert.make("the user", user))
    try:
      # Nobody waits any more if the store was closed.
      _library().livery_session_answer(handle, 0, value)
    finally:
      _native.value_release(value.value or 0)

  def _fail(self, handle: ctypes.c_void_p, failure: BaseException) -> None:
    """Who waits here is told as it was raised, and all others what it says."""
    self._raised = failure if isinstance(failure, LiveryError) else None
    _library().livery_session_answer(handle, _native.refuse(_native.status_of(failure, _NETWORK), failure, LiveryError), None)


class Watch:
  """Hears of changes, until ``stop()`` or the end of a ``with`` block."""

  def __init__(self) -> None:
    self._handle = ctypes.c_void_p()

  def stop(self) -> None:
    """No call begins after this returns. Twice is fine."""
    handle, self._handle = self._handle, ctypes.c_void_p()
    if handle:
      # The store may have been closed.
      _library().livery_session_watch_stop(handle)

  def __enter__(self) -> Watch:
    return self

  def __exit__(self, *_: object) -> None:
    self.stop()


def bootstrap(store: Store, fetch: Optional[Fetch] = None) -> Bootstrap:
  """Find out, once for each store, who is logged in; all other functions need it.

  ``fetch`` is called for the user of a session that another process has begun, or this one in an earlier life: with the token and
  an Info, by a thread of this package, or, if it is a coroutine function, in the running event loop.

  ConflictError if it is done, or under way; after a failure of ``fetch`` it asks again.
  """
  sessions = _Sessions.of(store)
  outcome = Bootstrap()
  try:
    loop: Optional[asyncio.AbstractEventLoop] = asyncio.get_running_loop()
  except RuntimeError:
    loop = None

  def ask(request: int, info: Any, start: Optional[int], length: int) -> None:
    handle = ctypes.c_void_p(request)
    outcome._raised = None
    try:
      assert fetch is not None
      token = None if start is None else ctypes.string_at(start, length).decode()
      user = fetch(token, _info(info.contents))
      if not inspect.isawaitable(user):
        outcome._answer(handle, user)
      elif loop is None:
        if inspect.iscoroutine(user):
          user.close()
        raise InvalidArgumentError("a coroutine function needs an event loop: call bootstrap() in one")
      else:
        asyncio.run_coroutine_threadsafe(_awaited(outcome, handle, user), loop)
    except BaseException as failure:
      outcome._fail(handle, failure)

  def done(status: int, info: Any, _: Optional[int], message: bytes) -> None:
    try:
      if status == 0:
        outcome._end(_info(info.contents), None)
      else:
        raised = outcome._raised
        is_its = raised is not None and raised.status == status
        outcome._end(None, raised if is_its else error_class(status)(message.decode(errors="replace")))
    except Exception as failure:
      _native.unraisable(failure)
      outcome._end(None, failure)

  fetching = _FETCH() if fetch is None else _fetch
  check(_library().livery_session_bootstrap(
    sessions.handle, ctypes.byref(_Options(ctypes.sizeof(_Options), _DISPATCH)), fetching, _done, keep(done, ask), forgotten))
  return outcome


async def _awaited(outcome: Bootstrap, handle: ctypes.c_void_p, user: Awaitable[Any]) -> None:
  try:
    outcome._answer(handle, await user)
  except BaseException as failure:
    outcome._fail(handle, failure)
    if not isinstance(failure, Exception):
      raise


def login(store: Store, user: Any, *, token: Optional[str] = None, expires: Expiry = None, replace: bool = False) -> None:
  """Log somebody in: what the layer ``session`` held goes, and the session begins, in one commit.

  ConflictError if a session is active, unless ``replace`` ends it.
  """
  options = _login_options(token, _moment(expires), _REPLACE if replace else 0)
  value = ctypes.c_void_p(_convert.make("the user", user))
  try:
    check(_library().livery_session_login(_Sessions.of(store).handle, value, ctypes.byref(options)))
  finally:
    _native.value_release(value.value or 0)


def update(store: Store, user: Any = KEEP, *, token: Optional[str] = None, expires: Union[Expiry, _Keep] = KEEP) -> None:
  """Change what belongs to the active session; ConflictError if there is none. ``expires=None`` has it end no more by itself."""
  when = 0 if isinstance(expires, _Keep) else _moment(expires) or _ENDLESS
  options = _login_options(token, when, 0)
  value = ctypes.c_void_p(None if user is KEEP else _convert.make("the user", user))
  try:
    check(_library().livery_session_update(_Sessions.of(store).handle, value, ctypes.byref(options)))
  finally:
    if value:
      _native.value_release(value.value or 0)


def logout(store: Store) -> None:
  """Log out: user, token and the layer ``session`` go in one commit, but for what survives."""
  check(_library().livery_session_logout(_Sessions.of(store).handle))


def expire(store: Store) -> None:
  """End the session as expired; ConflictError if nobody is logged in."""
  check(_library().livery_session_expire(_Sessions.of(store).handle))


def current(store: Store) -> Any:
  """The user as this process knows it; None if nobody is logged in, or it does not know who."""
  user = ctypes.c_void_p()
  try:
    check(_library().livery_session_current(_Sessions.of(store).handle, ctypes.byref(user)))
  except NoValueError:
    return None
  return _convert.take(user.value or 0)


def state(store: Store) -> Info:
  """The state, as it is now."""
  info = _Info(struct_size=ctypes.sizeof(_Info))
  check(_library().livery_session_state(_Sessions.of(store).handle, ctypes.byref(info)))
  return _info(info)


def watch(store: Store, callback: Callable[[Info, Any], object], *, initial: bool = False) -> Watch:
  """Hear of changes of the state, the session or the user as this process knows it: an Info and the user, or None.

  ``callback`` is called by a thread of this package; ``initial`` begins with the present state.
  """
  sessions = _Sessions.of(store)
  watch = Watch()

  def changed(info: Any, user: Optional[int]) -> None:
    callback(_info(info.contents), None if user is None else _convert.look(user))

  options = _Options(ctypes.sizeof(_Options), _DISPATCH | (_INITIAL if initial else 0))
  check(_library().livery_session_watch_start(
    sessions.handle, ctypes.byref(options), _changed, keep(changed), forgotten, ctypes.byref(watch._handle)))
  return watch


def _moment(expires: Expiry) -> int:
  if expires is None:
    return 0
  if not isinstance(expires, datetime):
    expires = _convert.later(expires)
  moment = _convert.microseconds(expires)
  if moment <= 0:
    raise InvalidArgumentError("expires is before 1970")
  return moment


def _login_options(token: Optional[str], expires: int, flags: int) -> _LoginOptions:
  content = None if token is None else text("the token", token, is_secret=True)
  return _LoginOptions(ctypes.sizeof(_LoginOptions), flags, content, 0 if content is None else len(content), expires)


def _info(info: Any) -> Info:
  def moment(microseconds: int) -> Optional[datetime]:
    return _convert.moment(microseconds) if microseconds else None

  return Info(
    state=State(info.state), reason=Reason(info.reason), id=info.id.decode() or None, has_token=info.has_token,
    has_user=info.has_user, since=moment(info.since), expires=moment(info.expires))


class _Sessions(Serving):
  """The thread that a store's sessions are told by, and the handle that they are made with."""


_loaded: Optional[ctypes.CDLL] = None


def _library() -> ctypes.CDLL:
  global _loaded
  if _loaded is None:
    loaded = _native.extension("workflow")
    loaded.livery_session_answer.argtypes = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p]
    _loaded = loaded
  return _loaded

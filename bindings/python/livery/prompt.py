"""Pieces of user interface that a workflow needs and somebody else provides: the extension ``liblivery-workflow.so``.

    with livery.open("store") as store:
      answer = livery.prompt.request(store, "login").result()      # or: await livery.prompt.request(store, "login")

    class Login(livery.prompt.Provider):
      def present(self, prompt, request):
        show_dialog(request["form"], answered=prompt.answer)

      def dismiss(self, prompt, error):
        close_dialog()

    with livery.prompt.provide(store, "login", Login()):
      ...
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Mapping, Optional

from . import _convert, _native
from ._native.called import entry, forgotten, keep
from ._native.calls import check, optional_text
from ._pending import Pending
from ._serving import Serving
from .errors import LiveryError, error_class
from .store import Store


@dataclass(frozen=True)
class Answer:
  """What a person has answered: the members of the kind's form.

  ``is_default`` says that nobody shows the kind, and this is its default.
  """

  content: Any
  is_default: bool

  def __getitem__(self, name: str) -> Any:
    return self.content[name]


class _Result(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("outcome", ctypes.c_int32), ("status", ctypes.c_int32), ("message", ctypes.c_char_p),
    ("answer", ctypes.c_void_p), ("is_default", ctypes.c_bool),
  ]


_DONE = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Result), ctypes.c_void_p)
_ANSWERED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_PRESENT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_DISMISS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p, ctypes.c_void_p)
_VERDICT = ctypes.CFUNCTYPE(None, ctypes.c_int32, ctypes.c_char_p, ctypes.c_bool, ctypes.c_void_p)


class _Options(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("timeout_ms", ctypes.c_uint32),
    ("patience_ms", ctypes.c_uint32), ("schema", ctypes.c_char_p), ("answered", _ANSWERED),
  ]


class _Functions(ctypes.Structure):
  _fields_ = [("struct_size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("present", _PRESENT), ("dismiss", _DISMISS)]


_DISPATCH, _REPLACE = 1, 2

#: For provide(): every kind that nobody shows who names it.
ANY = "*"
_DISMISSED = 3
_UNAVAILABLE = -27
_done, _answered, _told = entry(_DONE), entry(_ANSWERED, 1), entry(_VERDICT)
_present, _dismiss = entry(_PRESENT, otherwise=_UNAVAILABLE), entry(_DISMISS, 1)

#: Is told what became of an answer: None if it was accepted, else why not, and whether another one may be given.
Verdict = Callable[[Optional[LiveryError], bool], object]


def kinds() -> List[Dict[str, Any]]:
  """The kinds that every program knows: dictionaries with ``kind``, ``title``, ``required`` and ``default``."""
  return _value(lambda place: _library().livery_prompt_kinds(place))


def form(kind: str) -> Dict[str, Any]:
  """What an answer of such a kind looks like, ready to be drawn; NotFoundError for one with a name of its own."""
  name = _native.text("the kind", kind)
  place = ctypes.c_void_p()
  check(_library().livery_prompt_form(name, ctypes.byref(place)))
  drawn: Dict[str, Any] = _convert.take(place.value or 0)
  return drawn


def missing(store: Store) -> List[Dict[str, Any]]:
  """The kinds of ``kinds()`` that nobody shows."""
  handle = _Prompting.of(store).handle
  return _value(lambda place: _library().livery_prompt_missing(handle, place))


class Request(Pending[Answer]):
  """A request for a prompt: ``result()`` waits for the answer, and so does ``await``.

  Both raise CancelledError if it was dismissed, TimedOutError if its time was over, UnavailableError if nobody shows the kind, and
  RefusedError if an answer was rejected for good.
  """

  _noun = "request"

  def __init__(self) -> None:
    super().__init__()
    self._handle = ctypes.c_void_p()

  def cancel(self) -> None:
    """Take it back: what is shown is dismissed."""
    if not self._ended.is_set() and self._handle:
      _library().livery_prompt_request_cancel(self._handle)

  def accept(self) -> None:
    """Accept the answer that ``answered`` was given."""
    check(_library().livery_prompt_accept(self._handle))

  def reject(self, message: str, *, retry: bool = True) -> None:
    """Reject it, with a line for the person, who may answer again with ``retry``."""
    check(_library().livery_prompt_reject(self._handle, _native.text("the message", message), retry))


def request(
  store: Store,
  kind: str,
  subject: Optional[Mapping[str, Any]] = None,
  *,
  answered: Optional[Callable[[Request, Any], object]] = None,
  timeout: Optional[_convert.Duration] = None,
  patience: _convert.Duration = 10,
  replace: bool = False,
  schema: Optional[str] = None,
) -> Request:
  """Begin to ask for a prompt.

  ``answered`` is given the request and each answer by a thread of this package, and calls ``accept()`` or ``reject()``, then or
  later; without it every answer that fits the form is accepted. What it raises rejects the answer for good. ``timeout`` is in
  seconds or a timedelta, None for as long as the person needs; ``patience`` is how long each provider may take to show it. With ``replace`` the
  topmost request of this store goes. ``schema`` says what an answer of a kind with a name of its own looks like.

  InvalidArgumentError for what is malformed, SchemaInvalidError for a schema that has errors.
  """
  name = _native.text("the kind", kind)
  timeout_ms = 0 if timeout is None else _convert.milliseconds("timeout", timeout)
  patience_ms = _convert.milliseconds("patience", patience)
  made = Request()
  prompting = _Prompting.of(store)

  def done(content: Any) -> None:
    try:
      result = content.contents
      if result.status == 0:
        made._end(Answer(_convert.look(result.answer), result.is_default), None)
      else:
        made._end(None, error_class(result.status)(result.message.decode(errors="replace")))
    except Exception as failure:
      _native.unraisable(failure)
      made._end(None, failure)

  def look(handle: int, answer: int) -> None:
    made._handle = ctypes.c_void_p(handle)
    try:
      if answered is not None:
        answered(made, _convert.look(answer))
    except BaseException as failure:
      _native.unraisable(failure)
      _library().livery_prompt_reject(made._handle, _native.line(_native.said(failure), 1024), False)

  options = _Options(
    struct_size=ctypes.sizeof(_Options), flags=_DISPATCH | (_REPLACE if replace else 0),
    timeout_ms=timeout_ms, patience_ms=patience_ms,
    schema=optional_text("schema", schema), answered=_ANSWERED() if answered is None else _answered)
  about = None if subject is None else ctypes.c_void_p(_convert.make("the subject", dict(subject)))
  try:
    # From here on `done` is called, whatever happens.
    check(_library().livery_prompt_request_start(
      prompting.handle, name, about, ctypes.byref(options), _done, keep(done, look), forgotten, ctypes.byref(made._handle)))
  finally:
    if about is not None:
      _library().livery_value_release(about)
  return made


def pop(store: Store) -> None:
  """Take back the topmost request of this store: the one that was made last. NotFoundError if there is none."""
  check(_library().livery_prompt_pop(_Prompting.of(store).handle))


class Prompt:
  """A prompt that is to be shown. Two of them are equal if they are the same."""

  def __init__(self, handle: int) -> None:
    self._handle = ctypes.c_void_p(handle)

  def __eq__(self, other: object) -> bool:
    return isinstance(other, Prompt) and other._handle.value == self._handle.value

  def __hash__(self) -> int:
    return hash(self._handle.value)

  def answer(self, content: Any, verdict: Optional[Verdict] = None) -> None:
    """Answer it. InvalidValueError, TypeMismatchError or NotFoundError at once for what does not fit the form; ``verdict`` is told
    what the requester makes of it."""

    def told(status: int, message: bytes, retry: bool) -> None:
      if verdict is not None:
        verdict(None if status == 0 else error_class(status)(message.decode(errors="replace")), retry)

    value = ctypes.c_void_p(_convert.make("the answer", content))
    try:
      check(_library().livery_prompt_answer(self._handle, value, _told, keep(told), forgotten))
    finally:
      _library().livery_value_release(value)

  def dismiss(self) -> None:
    """The person has closed it."""
    check(_library().livery_prompt_dismiss(self._handle))


class Provider:
  """Shows prompts of a kind. Derive from it, and hand it to provide(). Its methods are called by a thread of this package."""

  def present(self, prompt: Prompt, request: Dict[str, Any]) -> None:
    """Show it, and return soon. UnavailableError leaves it to the next provider, any other LiveryError fails the request.

    What else is raised goes to ``sys.unraisablehook``, and the next provider is asked.
    """
    raise NotImplementedError

  def dismiss(self, prompt: Prompt, error: Optional[LiveryError]) -> None:
    """Take it away: it was completed, or has ended for a reason."""


class Provision:
  """A provider that is known, until ``withdraw()``, the end of its block, or the end of its store."""

  def __init__(self, handle: ctypes.c_void_p) -> None:
    self._handle = handle

  def withdraw(self) -> None:
    """Show no more; twice is fine."""
    _library().livery_prompt_withdraw(self._handle)

  def __enter__(self) -> Provision:
    return self

  def __exit__(self, *_: object) -> None:
    self.withdraw()


def provide(store: Store, kind: str, provider: Provider) -> Provision:
  """Let a provider show the prompts of a kind, also those of other processes, or with ``ANY`` all that nobody shows who names them."""
  name = _native.text("the kind", kind)
  prompting = _Prompting.of(store)

  def present(handle: int, content: int) -> int:
    try:
      provider.present(Prompt(handle), _convert.look(content))
      return 0
    except BaseException as error:
      return _native.refuse(_native.status_of(error, _UNAVAILABLE), error, LiveryError)

  def dismiss(handle: int, status: int, message: bytes) -> None:
    provider.dismiss(Prompt(handle), None if status == 0 else error_class(status)(message.decode(errors="replace")))

  functions = _Functions(ctypes.sizeof(_Functions), _DISPATCH, _present, _dismiss)
  handle = ctypes.c_void_p()
  check(_library().livery_prompt_provide(
    prompting.handle, name, ctypes.byref(functions), keep(present, dismiss), forgotten, ctypes.byref(handle)))
  return Provision(handle)


class _Prompting(Serving):
  """The thread that a store's prompts are told by, and the handle that they are made with."""


def _value(call: Callable[[Any], int]) -> List[Dict[str, Any]]:
  place = ctypes.c_void_p()
  check(call(ctypes.byref(place)))
  taken: List[Dict[str, Any]] = _convert.take(place.value or 0)
  return taken


_loaded: Optional[ctypes.CDLL] = None


def _library() -> ctypes.CDLL:
  global _loaded
  if _loaded is None:
    library = _native.extension("workflow")
    library.livery_prompt_reject.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_bool]
    library.livery_value_release.restype = None
    _loaded = library
  return _loaded

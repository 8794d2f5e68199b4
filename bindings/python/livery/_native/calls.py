"""How the library is found and called: its functions by name, its errors as exceptions, its results as Python's own.

Each function is there twice. Those of `lib` let other threads run meanwhile and convert their arguments. Those of `held`
keep the interpreter's lock and take their arguments as they are, which is most of the price of a call: for reads by name
or key and for looking into values, which wait for nothing. An integer that is handed to them is cut off at 32 bits, so
handles and sizes are wrapped by argument().
"""

from __future__ import annotations

import ctypes
import os
from ctypes import byref, c_char, c_int32, c_size_t, c_void_p
from typing import Any, List, Optional, Type, TypeVar

from .. import _constants, _library
from ..errors import BufferTooSmallError, InvalidArgumentError, LiveryError, error_class
from .interface import FUNCTIONS

#: Major and minor version of the header that this package was written from; before 1.0 both must be the library's.
ABI = (_constants.VERSION_MAJOR, _constants.VERSION_MINOR)

_Options = TypeVar("_Options", bound=ctypes.Structure)


class Functions:
  """The library's functions without their prefix. There are none before load().

  ctypes passes integers of the wrong size silently cut off, so the modules outside this package check ranges before they
  call.
  """

  def declare(self, library: ctypes.CDLL) -> None:
    for name, (result, parameters) in FUNCTIONS.items():
      function = getattr(library, "livery_" + name)
      function.restype, function.argtypes = result, parameters
      setattr(self, name, function)

  def __getattr__(self, name: str) -> Any:
    raise AttributeError(name)


class HeldFunctions:
  """The same functions for calls that keep the interpreter's lock, their arguments not converted."""

  def __init__(self, library_path: str) -> None:
    self._library = ctypes.PyDLL(library_path)

  def __getattr__(self, name: str) -> Any:
    function = getattr(self._library, "livery_" + name)
    function.restype = c_int32
    return function


def load() -> str:
  """Find a library that has all these functions, and return its path."""
  failures: List[str] = []
  for where, path in _library.candidates():
    if not path:
      failures.append(where)
      continue
    try:
      lib.declare(ctypes.CDLL(path))
    except (OSError, AttributeError) as error:
      failures.append(f"{where}: {error}")
      continue
    number = lib.version()
    if (number // 1_000_000, number // 1_000 % 1_000) == ABI:
      return path
    version = lib.version_string().decode()
    failures.append(f"{where}: {path} is version {version}, and this package needs {ABI[0]}.{ABI[1]}")
  raise ImportError(_library.not_found(failures))


lib = Functions()
library_path: str = load()
library_version: str = lib.version_string().decode()
held = HeldFunctions(library_path)


def argument(number: int) -> Any:
  """A handle or a size as an argument that calls take as it is, where they would wrap one of ctypes' own anew each time.

  It is made as a reference to the address of that number, where nothing ever looks.
  """
  return byref(c_char.from_address(number))


def failure(status: int) -> LiveryError:
  kind = error_class(status)
  last = lib.last_error().contents
  if last.status != status:
    return kind(kind.status_name)
  error = kind(
    (last.message or b"").decode("utf-8", "replace"),
    setting=None if last.setting is None else last.setting.decode("utf-8", "replace"),
    line=last.line or None,
    column=last.column or None,
    errno=last.system_error or None,
  )
  error.status = status
  return error


def said(error: BaseException) -> str:
  """What an exception says, or else its class; also of one that cannot say it."""
  try:
    text = str(error)
  except BaseException:
    text = ""
  return text or type(error).__name__


def line(content: str, limit: int = 4095) -> bytes:
  """Text of any kind as a message that the library takes: so many bytes of UTF-8 at most, of whole characters and without a NUL."""
  raw = content.encode("utf-8", "replace").replace(b"\0", b" ")[:limit]
  return raw.decode("utf-8", "ignore").encode()


def status_of(error: BaseException, otherwise: int) -> int:
  """The status of an exception of this package. Those of others may have a member of that name, too, such as HTTP's."""
  status = error.status if isinstance(error, LiveryError) else None
  return status if isinstance(status, int) and -(1 << 31) <= status < 0 else otherwise


def leave(status: int, message: str) -> int:
  """The status that a function returns which the library has called, with a message for whoever is told of it."""
  lib.error_leave(status, line(message))
  return status


def refuse(status: int, error: BaseException, expected: Type[Exception] = Exception) -> int:
  """The same in place of raising: of what raises, the library would read any number at all.

  What is not expected goes to sys.unraisablehook, too.
  """
  if not isinstance(error, expected):
    unraisable(error)
  return leave(status, said(error))


def unraisable(error: BaseException) -> None:
  """Hand an exception to sys.unraisablehook, which is what ctypes does with those of callbacks."""

  def fail() -> None:
    raise error

  ctypes.CFUNCTYPE(None)(fail)()


def check(status: int) -> None:
  if status:
    raise failure(status)


def options(kind: Type[_Options], **members: Any) -> _Options:
  """A struct of options; members that are not given are zero, which is their default."""
  return kind(struct_size=ctypes.sizeof(kind), **members)


def out(kind: Any, function: Any, *arguments: Any) -> Any:
  """Call a function whose last parameter is a result of this kind."""
  result = kind()
  status = function(*arguments, byref(result))
  if status:
    raise failure(status)
  return result.value


def fill(function: Any, *arguments: Any) -> bytes:
  """Call a function that fills a buffer, with a larger one until it fits."""
  capacity = 256
  length = c_size_t()
  while True:
    buffer = ctypes.create_string_buffer(capacity)
    status = function(*arguments, buffer, capacity, byref(length))
    if not status:
      return ctypes.string_at(buffer, length.value)
    if status != BufferTooSmallError.status:
      raise failure(status)
    capacity = max(2 * capacity, length.value + 1)


def copied(function: Any, *arguments: Any) -> str:
  """Call a function that returns text to be freed."""
  memory, length = c_void_p(), c_size_t()
  check(function(*arguments, byref(memory), byref(length)))
  try:
    return ctypes.string_at(memory.value or 0, length.value).decode()
  finally:
    lib.free(memory)


def handle(function: Any, *arguments: Any) -> int:
  return int(out(c_void_p, function, *arguments))


def pointer(number: Any) -> c_void_p:
  """A handle for functions of extensions, whose arguments are not declared one by one."""
  return c_void_p(number)


def text(what: str, value: object, *, is_secret: bool = False) -> bytes:
  """A name, pattern or origin as the library takes it; InvalidArgumentError if it cannot be one, without a secret."""
  if not isinstance(value, str):
    raise TypeError(f"{what} is text, not {type(value).__name__}")
  try:
    raw = value.encode()
  except UnicodeEncodeError:
    raise InvalidArgumentError(f"{_shown(what, value, is_secret)} is not valid Unicode") from None
  # A search in bytes takes ten times as long.
  if "\0" in value:
    raise InvalidArgumentError(f"{_shown(what, value, is_secret)} contains a NUL")
  return raw


def optional_text(what: str, value: object) -> Optional[bytes]:
  return None if value is None else text(what, value)


def _shown(what: str, value: str, is_secret: bool) -> str:
  return what if is_secret else f"{what} {value!r}"


def extension(noun: str) -> ctypes.CDLL:
  """The library of an extension: beside the one that this package has loaded, or where the system's loader finds it."""
  beside = os.path.join(os.path.dirname(os.path.abspath(library_path)), f"liblivery-{noun}.so")
  is_there = os.path.sep in library_path and os.path.exists(beside)
  try:
    return ctypes.CDLL(beside if is_there else f"liblivery-{noun}.so.0")
  except OSError as error:
    raise ImportError(f"the extension `{noun}` cannot be loaded: {error}") from None

"""What can go wrong: one exception class per status of the C library."""

from __future__ import annotations

import builtins
from typing import Any, Dict, List, Optional, Tuple, Type

from . import _constants


class LiveryError(Exception):
  """The base of all Livery exceptions.

  ``status`` and ``status_name`` are those of the C library, ``message`` is one line for people and ``hint`` says what
  to do about such an error. Where they apply: ``setting`` is the setting's name, ``line`` and ``column`` are a place
  in a text, counted from 1, ``errno`` is the operating system's, ``violations`` lists everything that was wrong with a
  change set, and ``report`` is the report of a schema or an import.
  """

  status: int = -1000
  status_name: str = "LIVERY_ERROR_UNKNOWN"
  hint: str = "The library is newer than this package: upgrade the package."

  def __init__(
    self,
    message: str = "",
    *,
    setting: Optional[str] = None,
    line: Optional[int] = None,
    column: Optional[int] = None,
    errno: Optional[int] = None,
  ) -> None:
    super().__init__(message)
    self.message = message
    self.setting = setting
    self.line = line
    self.column = column
    self.errno = errno
    self.violations: List[Dict[str, Any]] = []
    self.report: Optional[Dict[str, Any]] = None

  def __str__(self) -> str:
    return self.message or self.status_name

  def __reduce__(self) -> Tuple[Any, ...]:
    members = ("status", "status_name", "setting", "line", "column", "errno", "violations", "report")
    state = {member: getattr(self, member) for member in members}
    # What add_note() has added.
    if hasattr(self, "__notes__"):
      state["__notes__"] = self.__notes__
    return type(self), (self.message,), state

  def __setstate__(self, state: Optional[Dict[str, Any]]) -> None:
    for member, value in (state or {}).items():
      setattr(self, member, value)


class InvalidArgumentError(LiveryError, ValueError):
  """An argument is malformed: a name, a pattern, a layer, an option."""

  status, status_name = _constants.ERROR_INVALID_ARGUMENT, "LIVERY_ERROR_INVALID_ARGUMENT"
  hint = "This is a mistake in the program: correct the argument."


class ClosedError(LiveryError):
  """The store, key, snapshot or change set was closed."""

  status, status_name = _constants.ERROR_CLOSED, "LIVERY_ERROR_CLOSED"
  hint = "Open the store again, or keep it open for longer."


class NotFoundError(LiveryError, KeyError):
  """No such setting; the message names the nearest names. When opening: no such directory."""

  status, status_name = _constants.ERROR_NOT_FOUND, "LIVERY_ERROR_NOT_FOUND"
  hint = "Check the spelling, or whether it is there any more; livery.open(path, create=True) makes a store, the schema a setting."


class NoValueError(LiveryError, KeyError):
  """The setting exists and no layer has a value for it."""

  status, status_name = _constants.ERROR_NO_VALUE, "LIVERY_ERROR_NO_VALUE"
  hint = "Give the setting a default in the schema, or read with store.get(name, default)."


class TypeMismatchError(LiveryError, TypeError):
  """The value is of another type and does not convert without loss."""

  status, status_name = _constants.ERROR_TYPE_MISMATCH, "LIVERY_ERROR_TYPE_MISMATCH"
  hint = "Read or set it as the type that it has: store.inspect(name)['type'] tells."


class InvalidValueError(LiveryError, ValueError):
  """The value violates a constraint: range, option, pattern, length, depth, size or encoding."""

  status, status_name = _constants.ERROR_INVALID_VALUE, "LIVERY_ERROR_INVALID_VALUE"
  hint = "Of a setting that the schema declares store.inspect(name).get('constraints') tells what is allowed."


class LockedError(LiveryError):
  """The ``enforced`` layer holds a value, so weaker layers cannot be changed."""

  status, status_name = _constants.ERROR_LOCKED, "LIVERY_ERROR_LOCKED"
  hint = "The console decides this setting; show it as locked."


class ReadOnlyError(LiveryError):
  """The store was opened read-only, or the setting or layer may not be changed this way."""

  status, status_name = _constants.ERROR_READ_ONLY, "LIVERY_ERROR_READ_ONLY"
  hint = "Open without read_only; `override` needs allow_override; ReadOnly settings take values from the console only."


class ConflictError(LiveryError):
  """The setting has changed since the revision that was expected."""

  status, status_name = _constants.ERROR_CONFLICT, "LIVERY_ERROR_CONFLICT"
  hint = "Read again and decide anew; undo(revision, force=True) takes back in any case."


class BusyError(LiveryError, TimeoutError):
  """Another writer kept the store for longer than the timeout."""

  status, status_name = _constants.ERROR_BUSY, "LIVERY_ERROR_BUSY"
  hint = "Try again, or open with a longer busy_timeout."


class ParseError(LiveryError, ValueError):
  """The text is not well-formed; ``line`` and ``column`` say where."""

  status, status_name = _constants.ERROR_PARSE, "LIVERY_ERROR_PARSE"
  hint = "Correct the text at the line and column given."


class SchemaInvalidError(LiveryError, ValueError):
  """The schema breaks the schema's rules; ``report`` says where."""

  status, status_name = _constants.ERROR_SCHEMA_INVALID, "LIVERY_ERROR_SCHEMA_INVALID"
  hint = "Correct what error.report['diagnostics'] lists; the store is unchanged."


class SchemaNewerError(LiveryError):
  """The store's schema is of a higher version than this one."""

  status, status_name = _constants.ERROR_SCHEMA_NEWER, "LIVERY_ERROR_SCHEMA_NEWER"
  hint = "Upgrade the program: a newer one has used this store."


class CorruptError(LiveryError):
  """A stored record is damaged."""

  status, status_name = _constants.ERROR_CORRUPT, "LIVERY_ERROR_CORRUPT"
  hint = "Set the setting anew, or restore a backup."


class NotAStoreError(LiveryError):
  """The directory is not a Livery store."""

  status, status_name = _constants.ERROR_NOT_A_STORE, "LIVERY_ERROR_NOT_A_STORE"
  hint = "Give the directory of a store, or an empty one with create=True."


class FormatNewerError(LiveryError):
  """The store was written by a newer Livery in a format that this one does not know."""

  status, status_name = _constants.ERROR_FORMAT_NEWER, "LIVERY_ERROR_FORMAT_NEWER"
  hint = "Upgrade the library."


class PermissionDeniedError(LiveryError, builtins.PermissionError):
  """The operating system denies access."""

  status, status_name = _constants.ERROR_PERMISSION, "LIVERY_ERROR_PERMISSION"
  hint = "See what the message says of the file; a store wants this user to read and write its directory and the files in it."


class NoSpaceError(LiveryError, OSError):
  """The file system or the store's map is full."""

  status, status_name = _constants.ERROR_NO_SPACE, "LIVERY_ERROR_NO_SPACE"
  hint = "Free space on the file system; nothing was changed."


class InputOutputError(LiveryError, OSError):
  """Any other failure of the operating system; ``errno`` tells which."""

  status, status_name = _constants.ERROR_IO, "LIVERY_ERROR_IO"
  hint = "See errno; nothing was changed."


class ForkedError(LiveryError, RuntimeError):
  """The store was opened by this process's parent before a fork."""

  status, status_name = _constants.ERROR_FORKED, "LIVERY_ERROR_FORKED"
  hint = "Open the store again in the child."


class BufferTooSmallError(LiveryError):
  """A buffer is too small. This package grows its buffers, so nobody should ever see this."""

  status, status_name = _constants.ERROR_BUFFER_TOO_SMALL, "LIVERY_ERROR_BUFFER_TOO_SMALL"
  hint = "Report it as a defect of this package."


class MigrationError(LiveryError):
  """A step of a schema's migrations failed, and nothing was changed; ``report["steps"]`` has all failures."""

  status, status_name = _constants.ERROR_MIGRATION, "LIVERY_ERROR_MIGRATION"
  hint = "Correct the step, or the value that it fails on; `livery migrate --plan` shows both. A secret ceases to be one only by declassify=[name]."


class NetworkError(LiveryError):
  """The other side cannot be reached, or what it sends breaks off."""

  status, status_name = _constants.ERROR_NETWORK, "LIVERY_ERROR_NETWORK"
  hint = "Try again when there is a network."


class TimedOutError(LiveryError, TimeoutError):
  """It took longer than it was given."""

  status, status_name = _constants.ERROR_TIMEOUT, "LIVERY_ERROR_TIMEOUT"
  hint = "Try again, or give it more time."


class CancelledError(LiveryError):
  """Somebody has cancelled it."""

  status, status_name = _constants.ERROR_CANCELLED, "LIVERY_ERROR_CANCELLED"
  hint = "Start it again if it is still wanted."


class RefusedError(LiveryError):
  """A person, the other side or a rule said no."""

  status, status_name = _constants.ERROR_REFUSED, "LIVERY_ERROR_REFUSED"
  hint = "Trying again does not help; the message says who said no, and why."


class UnavailableError(LiveryError):
  """Nobody provides it here, or not now."""

  status, status_name = _constants.ERROR_UNAVAILABLE, "LIVERY_ERROR_UNAVAILABLE"
  hint = "The message names what to do."


class GoneError(LiveryError):
  """The store's directory, or a file of it, was moved, deleted or exchanged by somebody else."""

  status, status_name = _constants.ERROR_GONE, "LIVERY_ERROR_GONE"
  hint = "Reads go on showing what is open. Close every handle on the store and open it again."


class NoMemoryError(LiveryError, MemoryError):
  """There is no memory; nothing was changed."""

  status, status_name = _constants.ERROR_NO_MEMORY, "LIVERY_ERROR_NO_MEMORY"
  hint = "Try again when there is memory, or with less at once."


class DuplicateError(LiveryError):
  """Another copy of the C library in this process has the store open."""

  status, status_name = _constants.ERROR_DUPLICATE, "LIVERY_ERROR_DUPLICATE"
  hint = "Load one copy of liblivery alone: set LIVERY_LIBRARY to the one that the program uses."


_CLASSES: Dict[int, Type[LiveryError]] = {kind.status: kind for kind in LiveryError.__subclasses__()}


def error_class(status: int) -> Type[LiveryError]:
  """The exception class of a status of the C library; LiveryError itself for one that is not known."""
  return _CLASSES.get(status, LiveryError)

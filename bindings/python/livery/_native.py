"""The C library as functions on integers, bytes and text: the only module that knows ctypes.

A handle is an integer here. The library recognizes stale handles, so nothing in this module needs a lock. What a value
means to Python is told in `_convert`.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64
from ctypes import c_void_p
import sys
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import _library
from .errors import BufferTooSmallError, InvalidArgumentError, LiveryError, error_class

NAME_MAX = 255
DEPTH_MAX = 32
VALUE_MAX = 1 << 20
#: Major and minor version of the header that this module was written from; before 1.0 both must be the library's.
ABI = (0, 1)


class _Error(ctypes.Structure):
  _fields_ = [
    ("struct_size", c_size_t),
    ("status", c_int32),
    ("system_error", c_int32),
    ("message", c_char_p),
    ("setting", c_char_p),
    ("line", c_uint32),
    ("column", c_uint32),
  ]


class _OpenOptions(ctypes.Structure):
  _fields_ = [
    ("struct_size", c_size_t),
    ("flags", c_uint32),
    ("busy_timeout_ms", c_uint32),
    ("map_size", c_uint64),
    ("max_readers", c_uint32),
    ("log_entries", c_uint32),
    ("log_age_s", c_uint32),
    ("reserved", c_uint32),
  ]


class _ListOptions(ctypes.Structure):
  _fields_ = [("struct_size", c_size_t), ("after", c_char_p), ("limit", c_size_t)]


class _SchemaOptions(ctypes.Structure):
  _fields_ = [("struct_size", c_size_t), ("origin", c_char_p)]


class _Color(ctypes.Structure):
  _fields_ = [("red", c_float), ("green", c_float), ("blue", c_float), ("alpha", c_float)]


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
_LogFunction = ctypes.CFUNCTYPE(None, c_int32, c_void_p, c_void_p)
_DestroyFunction = ctypes.CFUNCTYPE(None, c_void_p)

_HANDLE, _TEXT, _OUT = c_void_p, c_char_p, POINTER(c_void_p)
_SIZE_OUT = POINTER(c_size_t)
_FILL = (_HANDLE, _TEXT, c_void_p, c_size_t, _SIZE_OUT)

# Parameters of every function that returns a status. ctypes passes integers of the wrong size silently cut off, so the
# modules above check ranges before they call.
_PROTOTYPES: Dict[str, Tuple[Any, ...]] = {
  "open": (_TEXT, POINTER(_OpenOptions), _OUT),
  "close": (_HANDLE,),
  "revision": (_HANDLE, POINTER(c_uint64)),
  "get_bool": (_HANDLE, _TEXT, POINTER(c_bool)),
  "get_int": (_HANDLE, _TEXT, POINTER(c_int64)),
  "get_float": (_HANDLE, _TEXT, POINTER(c_float)),
  "get_double": (_HANDLE, _TEXT, POINTER(c_double)),
  "get_string": _FILL,
  "get_data": _FILL,
  "get_url": _FILL,
  "get_date": (_HANDLE, _TEXT, POINTER(c_int64)),
  "get_color": (_HANDLE, _TEXT, POINTER(_Color)),
  "get_list": (_HANDLE, _TEXT, _OUT),
  "get_object": (_HANDLE, _TEXT, _OUT),
  "get_value": (_HANDLE, _TEXT, _OUT),
  "key_open": (_HANDLE, _TEXT, _OUT),
  "key_close": (_HANDLE,),
  "key_get_bool": (_HANDLE, POINTER(c_bool)),
  "key_get_int": (_HANDLE, POINTER(c_int64)),
  "key_get_double": (_HANDLE, POINTER(c_double)),
  "key_get_string": (_HANDLE, c_void_p, c_size_t, _SIZE_OUT),
  "snapshot_open": (_HANDLE, _OUT),
  "snapshot_close": (_HANDLE,),
  "snapshot_revision": (_HANDLE, POINTER(c_uint64)),
  "snapshot_get": (_HANDLE, _TEXT, _OUT),
  "snapshot_next": (_HANDLE, _TEXT, c_void_p, _OUT),
  "list": (_HANDLE, _TEXT, POINTER(_ListOptions), _OUT),
  "inspect": (_HANDLE, _TEXT, _OUT),
  "set_value": (_HANDLE, c_int32, _TEXT, _HANDLE),
  "reset": (_HANDLE, c_int32, _TEXT),
  "change_begin": (_HANDLE, c_int32, _OUT),
  "change_set_value": (_HANDLE, _TEXT, _HANDLE),
  "change_reset": (_HANDLE, _TEXT),
  "change_reset_all": (_HANDLE,),
  "change_expires": (_HANDLE, c_int64),
  "change_expect": (_HANDLE, _TEXT, c_uint64),
  "change_origin": (_HANDLE, _TEXT),
  "change_commit": (_HANDLE, POINTER(c_uint64)),
  "change_violations": (_HANDLE, _OUT),
  "change_discard": (_HANDLE,),
  "schema_apply": (_HANDLE, c_char_p, c_size_t, POINTER(_SchemaOptions), _OUT),
  "schema_check": (_HANDLE, c_char_p, c_size_t, _OUT),
  "schema_version": (_HANDLE, POINTER(c_uint64)),
  "schema_copy_json": (_HANDLE, _OUT, _SIZE_OUT),
  "settings": (_HANDLE, _OUT),
  "import_json": (_HANDLE, c_int32, c_char_p, c_size_t, c_uint32, _OUT),
  "import_plist": (_HANDLE, c_int32, c_char_p, c_size_t, c_uint32, _OUT),
  "export_json": (_HANDLE, c_uint32, _OUT, _SIZE_OUT),
  "value_release": (_HANDLE,),
  "value_type": (_HANDLE, POINTER(c_int32)),
  "value_as_bool": (_HANDLE, POINTER(c_bool)),
  "value_as_int": (_HANDLE, POINTER(c_int64)),
  "value_as_double": (_HANDLE, POINTER(c_double)),
  "value_as_string": (_HANDLE, _OUT, _SIZE_OUT),
  "value_as_data": (_HANDLE, _OUT, _SIZE_OUT),
  "value_as_color": (_HANDLE, POINTER(_Color)),
  "value_as_date": (_HANDLE, POINTER(c_int64)),
  "value_count": (_HANDLE, _SIZE_OUT),
  "value_at": (_HANDLE, c_size_t, _OUT),
  "value_key_at": (_HANDLE, c_size_t, _OUT, _SIZE_OUT),
  "value_make_bool": (c_bool, _OUT),
  "value_make_int": (c_int64, _OUT),
  "value_make_double": (c_double, _OUT),
  "value_make_string": (c_char_p, c_size_t, _OUT),
  "value_make_data": (c_char_p, c_size_t, _OUT),
  "value_make_url": (c_char_p, c_size_t, _OUT),
  "value_make_date": (c_int64, _OUT),
  "value_make_color": (_Color, _OUT),
  "value_make_image": (c_char_p, c_size_t, _OUT),
  "value_make_list": (POINTER(c_void_p), c_size_t, _OUT),
  "value_make_object": (POINTER(c_char_p), POINTER(c_void_p), c_size_t, _OUT),
  "watch_start": (_HANDLE, _TEXT, POINTER(_WatchOptions), _WatchFunction, c_void_p, _DestroyFunction, _OUT),
  "watch_stop": (_HANDLE,),
  "event_fd": (_HANDLE, POINTER(ctypes.c_int)),
  "dispatch": (_HANDLE, _SIZE_OUT),
  "history": (_HANDLE, POINTER(_HistoryOptions), _OUT),
  "undo": (_HANDLE, c_uint64, c_uint32, POINTER(c_uint64)),
  "set_log_handler": (_LogFunction, c_void_p, _DestroyFunction),
}


class _Functions:
  """The library's functions without their prefix."""

  def __init__(self, library: ctypes.CDLL) -> None:
    for name, parameters in _PROTOTYPES.items():
      self._declare(library, name, c_int32, parameters)
    self._declare(library, "version", c_uint32, ())
    self._declare(library, "version_string", c_char_p, ())
    self._declare(library, "last_error", POINTER(_Error), ())
    self._declare(library, "free", None, (c_void_p,))

  def _declare(self, library: ctypes.CDLL, name: str, result: Any, parameters: Tuple[Any, ...]) -> None:
    function = getattr(library, "livery_" + name)
    function.restype, function.argtypes = result, parameters
    setattr(self, name, function)

  def __getattr__(self, name: str) -> Any:
    raise AttributeError(name)


def _load() -> Tuple[_Functions, str]:
  failures: List[str] = []
  for where, path in _library.candidates():
    if not path:
      failures.append(where)
      continue
    try:
      functions = _Functions(ctypes.CDLL(path))
    except (OSError, AttributeError) as error:
      failures.append(f"{where}: {error}")
      continue
    number = functions.version()
    if (number // 1_000_000, number // 1_000 % 1_000) == ABI:
      return functions, path
    version = functions.version_string().decode()
    failures.append(f"{where}: {path} is version {version}, and this package needs {ABI[0]}.{ABI[1]}")
  raise ImportError(_library.not_found(failures))


_lib, library_path = _load()
library_version: str = _lib.version_string().decode()

# -- Calls ------------------------------------------------------------------------------------------------------------


def _failure(status: int) -> LiveryError:
  kind = error_class(status)
  last = _lib.last_error().contents
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


def _check(status: int) -> None:
  if status:
    raise _failure(status)


def _out(kind: Any, function: Any, *arguments: Any) -> Any:
  """Call a function whose last parameter is a result of this kind."""
  result = kind()
  status = function(*arguments, byref(result))
  if status:
    raise _failure(status)
  return result.value


def _fill(function: Any, *arguments: Any) -> bytes:
  """Call a function that fills a buffer, with a larger one until it fits."""
  capacity = 256
  length = c_size_t()
  while True:
    buffer = ctypes.create_string_buffer(capacity)
    status = function(*arguments, buffer, capacity, byref(length))
    if not status:
      return ctypes.string_at(buffer, length.value)
    if status != BufferTooSmallError.status:
      raise _failure(status)
    capacity = max(2 * capacity, length.value + 1)


def _copied(function: Any, *arguments: Any) -> str:
  """Call a function that returns text to be freed."""
  memory, length = c_void_p(), c_size_t()
  _check(function(*arguments, byref(memory), byref(length)))
  try:
    return ctypes.string_at(memory.value or 0, length.value).decode()
  finally:
    _lib.free(memory)


def _handle(function: Any, *arguments: Any) -> int:
  return int(_out(c_void_p, function, *arguments))


def text(what: str, value: object) -> bytes:
  """A name, pattern or origin as the library takes it; InvalidArgumentError if it cannot be one."""
  if not isinstance(value, str):
    raise TypeError(f"{what} is text, not {type(value).__name__}")
  try:
    raw = value.encode()
  except UnicodeEncodeError:
    raise InvalidArgumentError(f"{what} {value!r} is not valid Unicode") from None
  if b"\0" in raw:
    raise InvalidArgumentError(f"{what} {value!r} contains a NUL")
  return raw


# -- Reading values ---------------------------------------------------------------------------------------------------

Components = Tuple[float, float, float, float]


def _components(color: _Color) -> Components:
  return color.red, color.green, color.blue, color.alpha


class ValueReader:
  """Looks into values. Its result variables are made once for a whole tree, so one thread alone may use it."""

  def __init__(self) -> None:
    self._kind, self._pointer, self._length = c_int32(), c_void_p(), c_size_t()
    self._bool, self._int, self._double, self._color = c_bool(), c_int64(), c_double(), _Color()
    self._pointer_ref, self._length_ref = byref(self._pointer), byref(self._length)

  def kind(self, value: int) -> int:
    _check(_lib.value_type(value, byref(self._kind)))
    return self._kind.value

  def as_bool(self, value: int) -> bool:
    _check(_lib.value_as_bool(value, byref(self._bool)))
    return self._bool.value

  def as_int(self, value: int) -> int:
    _check(_lib.value_as_int(value, byref(self._int)))
    return self._int.value

  def as_double(self, value: int) -> float:
    _check(_lib.value_as_double(value, byref(self._double)))
    return self._double.value

  def as_string(self, value: int) -> str:
    _check(_lib.value_as_string(value, self._pointer_ref, self._length_ref))
    return self._bytes().decode()

  def as_data(self, value: int) -> bytes:
    _check(_lib.value_as_data(value, self._pointer_ref, self._length_ref))
    return self._bytes()

  def as_date(self, value: int) -> int:
    _check(_lib.value_as_date(value, byref(self._int)))
    return self._int.value

  def as_color(self, value: int) -> Components:
    _check(_lib.value_as_color(value, byref(self._color)))
    return _components(self._color)

  def count(self, value: int) -> int:
    _check(_lib.value_count(value, self._length_ref))
    return self._length.value

  def item(self, value: int, index: int) -> int:
    """A new reference, to be released."""
    _check(_lib.value_at(value, index, self._pointer_ref))
    return self._pointer.value or 0

  def key(self, value: int, index: int) -> str:
    _check(_lib.value_key_at(value, index, self._pointer_ref, self._length_ref))
    return self._bytes().decode()

  def _bytes(self) -> bytes:
    return ctypes.string_at(self._pointer.value or 0, self._length.value)


def value_release(value: int) -> None:
  _lib.value_release(value)


# -- Making values: each returns a new reference, to be released ------------------------------------------------------


def make_bool(content: bool) -> int:
  return _handle(_lib.value_make_bool, content)


def make_int(content: int) -> int:
  return _handle(_lib.value_make_int, content)


def make_double(content: float) -> int:
  return _handle(_lib.value_make_double, content)


def make_string(content: bytes) -> int:
  return _handle(_lib.value_make_string, content, len(content))


def make_url(content: bytes) -> int:
  return _handle(_lib.value_make_url, content, len(content))


def make_image(content: bytes) -> int:
  return _handle(_lib.value_make_image, content, len(content))


def make_data(content: bytes) -> int:
  return _handle(_lib.value_make_data, content, len(content))


def make_date(microseconds: int) -> int:
  return _handle(_lib.value_make_date, microseconds)


def make_color(components: Components) -> int:
  return _handle(_lib.value_make_color, _Color(*components))


def make_list(items: List[int]) -> int:
  return _handle(_lib.value_make_list, (c_void_p * len(items))(*items), len(items))


def make_object(keys: List[bytes], members: List[int]) -> int:
  count = len(keys)
  return _handle(_lib.value_make_object, (c_char_p * count)(*keys), (c_void_p * count)(*members), count)


# -- The store --------------------------------------------------------------------------------------------------------


def open(
  path: bytes,
  flags: int,
  busy_timeout_ms: int = 0,
  map_size: int = 0,
  max_readers: int = 0,
  log_entries: int = 0,
  log_age_s: int = 0,
) -> int:
  options = _OpenOptions(
    ctypes.sizeof(_OpenOptions), flags, busy_timeout_ms, map_size, max_readers, log_entries, log_age_s, 0
  )
  return _handle(_lib.open, path, byref(options))


def close(store: int) -> None:
  _check(_lib.close(store))


def revision(store: int) -> int:
  return int(_out(c_uint64, _lib.revision, store))


def get_bool(store: int, name: bytes) -> bool:
  return bool(_out(c_bool, _lib.get_bool, store, name))


def get_int(store: int, name: bytes) -> int:
  return int(_out(c_int64, _lib.get_int, store, name))


def get_float(store: int, name: bytes) -> float:
  return float(_out(c_float, _lib.get_float, store, name))


def get_double(store: int, name: bytes) -> float:
  return float(_out(c_double, _lib.get_double, store, name))


def get_string(store: int, name: bytes) -> str:
  return _fill(_lib.get_string, store, name).decode()


def get_data(store: int, name: bytes) -> bytes:
  return _fill(_lib.get_data, store, name)


def get_url(store: int, name: bytes) -> str:
  return _fill(_lib.get_url, store, name).decode()


def get_date(store: int, name: bytes) -> int:
  """In microseconds since 1970."""
  return int(_out(c_int64, _lib.get_date, store, name))


def get_color(store: int, name: bytes) -> Components:
  color = _Color()
  _check(_lib.get_color(store, name, byref(color)))
  return _components(color)


def get_list(store: int, name: bytes) -> int:
  return _handle(_lib.get_list, store, name)


def get_object(store: int, name: bytes) -> int:
  return _handle(_lib.get_object, store, name)


def get_value(store: int, name: bytes) -> int:
  return _handle(_lib.get_value, store, name)


def list_settings(store: int, pattern: Optional[bytes], after: Optional[bytes], limit: int) -> int:
  options = _ListOptions(ctypes.sizeof(_ListOptions), after, limit)
  return _handle(_lib.list, store, pattern, byref(options))


def inspect(store: int, name: bytes) -> int:
  return _handle(_lib.inspect, store, name)


def key_open(store: int, name: bytes) -> int:
  return _handle(_lib.key_open, store, name)


def key_close(key: int) -> None:
  _check(_lib.key_close(key))


def key_get_bool(key: int) -> bool:
  return bool(_out(c_bool, _lib.key_get_bool, key))


def key_get_int(key: int) -> int:
  return int(_out(c_int64, _lib.key_get_int, key))


def key_get_double(key: int) -> float:
  return float(_out(c_double, _lib.key_get_double, key))


def key_get_string(key: int) -> str:
  return _fill(_lib.key_get_string, key).decode()


def snapshot_open(store: int) -> int:
  return _handle(_lib.snapshot_open, store)


def snapshot_close(snapshot: int) -> None:
  _check(_lib.snapshot_close(snapshot))


def snapshot_revision(snapshot: int) -> int:
  return int(_out(c_uint64, _lib.snapshot_revision, snapshot))


def snapshot_get(snapshot: int, name: bytes) -> int:
  return _handle(_lib.snapshot_get, snapshot, name)


def snapshot_next(snapshot: int, pattern: Optional[bytes], after: bytes) -> Tuple[bytes, int]:
  """The next name and its value; NotFoundError after the last one."""
  name = ctypes.create_string_buffer(after, max(len(after), NAME_MAX) + 1)
  value = _handle(_lib.snapshot_next, snapshot, pattern, name)
  return name.value, value


# -- Changes ----------------------------------------------------------------------------------------------------------


def set_value(store: int, layer: int, name: bytes, value: int) -> None:
  _check(_lib.set_value(store, layer, name, value))


def reset(store: int, layer: int, name: bytes) -> None:
  _check(_lib.reset(store, layer, name))


def change_begin(store: int, layer: int) -> int:
  return _handle(_lib.change_begin, store, layer)


def change_set_value(change: int, name: bytes, value: int) -> None:
  _check(_lib.change_set_value(change, name, value))


def change_reset(change: int, name: bytes) -> None:
  _check(_lib.change_reset(change, name))


def change_reset_all(change: int) -> None:
  _check(_lib.change_reset_all(change))


def change_expires(change: int, microseconds: int) -> None:
  _check(_lib.change_expires(change, microseconds))


def change_expect(change: int, name: bytes, revision: int) -> None:
  _check(_lib.change_expect(change, name, revision))


def change_origin(change: int, origin: bytes) -> None:
  _check(_lib.change_origin(change, origin))


def change_commit(change: int) -> int:
  return int(_out(c_uint64, _lib.change_commit, change))


def change_violations(change: int) -> int:
  return _handle(_lib.change_violations, change)


def change_discard(change: int) -> None:
  _check(_lib.change_discard(change))


# -- Schema, import and export. A report may come with a failure, so those that report return both --------------------

Report = Tuple[Optional[LiveryError], int]


def _report(function: Any, *arguments: Any) -> Report:
  report = c_void_p()
  status = function(*arguments, byref(report))
  return (_failure(status) if status else None), report.value or 0


def schema_apply(store: int, json: bytes, origin: Optional[bytes]) -> Report:
  options = _SchemaOptions(ctypes.sizeof(_SchemaOptions), origin)
  return _report(_lib.schema_apply, store, json, len(json), byref(options))


def schema_check(store: Optional[int], json: bytes) -> Report:
  return _report(_lib.schema_check, store, json, len(json))


def schema_version(store: int) -> int:
  return int(_out(c_uint64, _lib.schema_version, store))


def schema_json(store: int) -> str:
  return _copied(_lib.schema_copy_json, store)


def settings(store: int) -> int:
  return _handle(_lib.settings, store)


def import_json(store: int, layer: int, json: bytes, flags: int) -> Report:
  return _report(_lib.import_json, store, layer, json, len(json), flags)


def import_plist(store: int, layer: int, plist: bytes, flags: int) -> Report:
  return _report(_lib.import_plist, store, layer, plist, len(plist), flags)


def export_json(store: int, flags: int) -> str:
  return _copied(_lib.export_json, store, flags)


# -- Watches and history ----------------------------------------------------------------------------------------------


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
  )


def _unwatch(number: Optional[int]) -> None:
  found = _receivers.pop(number or 0, None)
  if found is not None:
    found[1]()


_watch_function, _unwatch_function = _WatchFunction(_watch), _DestroyFunction(_unwatch)


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
  return _handle(_lib.watch_start, store, pattern, byref(options), _watch_function, number, _unwatch_function)


def watch_stop(watch: int) -> None:
  _check(_lib.watch_stop(watch))


def event_fd(store: int) -> int:
  return int(_out(ctypes.c_int, _lib.event_fd, store))


def dispatch(store: int) -> int:
  _interrupts.error = None
  count = int(_out(c_size_t, _lib.dispatch, store))
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
  return _handle(_lib.history, store, byref(options))


def undo(store: int, revision: int, force: bool) -> int:
  return int(_out(c_uint64, _lib.undo, store, revision, 1 if force else 0))


# -- The log handler --------------------------------------------------------------------------------------------------

LogHandler = Callable[[int, str], object]

# The library knows a handler by its number alone, and the two functions that it calls live as long as the process: what
# it holds is never freed under it. A handler is kept until the library has let go of it.
_handlers: Dict[int, LogHandler] = {}
_handler_count = 0


def _log(level: int, message: Optional[int], number: Optional[int]) -> None:
  handler = _handlers.get(number or 0)
  if handler is not None and not sys.is_finalizing():
    handler(level, ctypes.string_at(message or 0).decode("utf-8", "replace") if message else "")


def _forget(number: Optional[int]) -> None:
  _handlers.pop(number or 0, None)


_log_function, _forget_function = _LogFunction(_log), _DestroyFunction(_forget)


def set_log_handler(handler: Optional[LogHandler]) -> None:
  """Exceptions of the handler go to sys.unraisablehook: that is what ctypes does with them."""
  global _handler_count
  if handler is None:
    _check(_lib.set_log_handler(_LogFunction(0), None, _DestroyFunction(0)))
    return
  with _handler_lock:
    _handler_count += 1
    number = _handler_count
  if number == 1:
    atexit.register(set_log_handler, None)
  _handlers[number] = handler
  _check(_lib.set_log_handler(_log_function, number, _forget_function))


_handler_lock = threading.Lock()

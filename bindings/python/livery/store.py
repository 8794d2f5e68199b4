"""Open a store and read from it."""

from __future__ import annotations

import math
import os
import threading
import weakref
from datetime import datetime, timedelta
from typing import Any, Dict, ItemsView, Iterator, List, Mapping, Optional, Tuple, Union, ValuesView, overload

from . import _convert, _native, schema
from . import watch as _watch
from ._handle import Handle
from .change import Change
from .errors import ClosedError, InvalidArgumentError, NotFoundError, NoValueError
from .value import URL, Color, Layer, Settable

_CREATE, _READ_ONLY, _ALLOW_OVERRIDE, _DEFERRED = 1, 2, 4, 8

#: What Store.list() returns; inside the class, `list` is that method.
Listing = List[Dict[str, Any]]
_List = List[Any]


def open(
  path: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"],
  *,
  create: bool = False,
  read_only: bool = False,
  allow_override: bool = False,
  deferred: bool = False,
  busy_timeout: Optional[float] = None,
  map_size: Optional[int] = None,
  max_readers: Optional[int] = None,
  log_entries: Optional[int] = None,
  log_age: Union[float, timedelta, None] = None,
) -> Store:
  """Open the store in a directory.

  ``create`` makes it if the directory is missing or empty. ``read_only`` refuses every change. ``allow_override``
  allows changes to the ``override`` layer. ``deferred`` lets a power failure take the last commits. ``busy_timeout``
  is how long a commit waits for other writers, in seconds (5 unless told). ``map_size`` reserves address space, in
  bytes. ``max_readers`` is how many reads can be under way at once. ``log_entries`` and ``log_age`` are how many
  commits the log keeps (10,000 unless told) and for how many seconds, or a timedelta (90 days).
  """
  flags = (
    (_CREATE if create else 0)
    | (_READ_ONLY if read_only else 0)
    | (_ALLOW_OVERRIDE if allow_override else 0)
    | (_DEFERRED if deferred else 0)
  )
  raw = os.fsencode(path)
  if b"\0" in raw:
    raise InvalidArgumentError("the path contains a NUL")
  milliseconds = 0 if busy_timeout is None else _milliseconds(busy_timeout)
  number = _native.open(
    raw,
    flags,
    milliseconds,
    _within("map_size", map_size, 64),
    _within("max_readers", max_readers, 32),
    _within("log_entries", log_entries, 32),
    0 if log_age is None else _age(log_age),
  )
  try:
    source = _watch.Source.of(raw)
  except OSError:
    _native.close(number)
    raise
  return Store(number, source)


def _age(age: Union[float, timedelta]) -> int:
  seconds = age.total_seconds() if isinstance(age, timedelta) else age
  if not seconds > 0:
    raise InvalidArgumentError(f"log_age is out of range: {age}")
  return math.ceil(min(seconds, 0xFFFF_FFFF))


def _milliseconds(seconds: float) -> int:
  """For the library 0 is its default, so no waiting at all is the shortest that can be asked for."""
  if math.isnan(seconds) or seconds < 0:
    raise InvalidArgumentError("busy_timeout is negative or NaN")
  return max(1, int(min(seconds * 1000, 0xFFFF_FFFF)))


def _within(what: str, number: Optional[int], bits: int) -> int:
  if number is None:
    return 0
  if not 0 < number < 1 << bits:
    raise InvalidArgumentError(f"{what} is out of range: {number}")
  return int(number)


class Store(Handle, Mapping[str, Any]):
  """An open store: a mapping from the names of settings to their effective values.

  The mapping has the settings that have a value, in the order of their names' bytes. Any number of threads may use it.
  """

  _kind = "store"
  _warns = True

  def __init__(self, number: int, source: _watch.Source) -> None:
    super().__init__(number, _native.close)
    self._source = source
    self._watching = threading.Lock()
    self._dispatcher: Optional[_watch.Dispatcher] = None
    self._iterators: weakref.WeakSet[Union[_watch.Events, _watch.AsyncEvents]] = weakref.WeakSet()

  def close(self) -> None:
    """Close the store, and end its watches. Closing twice does nothing."""
    # A callback under way may still read; then those that began meanwhile end, too.
    self._end_watches()
    super().close()
    self._end_watches()

  def _end_watches(self) -> None:
    with self._watching:
      dispatcher, iterators = self._dispatcher, [*self._iterators]
      self._dispatcher = None
    for iterator in iterators:
      iterator.stop()
    if dispatcher is not None:
      dispatcher.stop(1)

  def __repr__(self) -> str:
    return f"<livery.Store {'closed' if self.closed else 'open'}>"

  __eq__ = object.__eq__
  __hash__ = object.__hash__

  # -- As a mapping

  def __getitem__(self, name: str) -> Any:
    return self.get_value(name)

  def __contains__(self, name: object) -> bool:
    if not isinstance(name, str):
      return False
    try:
      _native.value_release(_native.get_value(self._number, _native.text("a setting's name", name)))
    except (NotFoundError, NoValueError, InvalidArgumentError):
      return False
    return True

  def __iter__(self) -> Iterator[str]:
    with self.snapshot() as snapshot:
      return iter([name for name in snapshot])

  def __len__(self) -> int:
    """The number of settings that have a value; found by walking over them."""
    with self.snapshot() as snapshot:
      return sum(1 for _ in snapshot)

  def items(self) -> ItemsView[str, Any]:
    return _Items(self)

  def values(self) -> ValuesView[Any]:
    return _Values(self)

  def _pairs(self) -> List[Tuple[str, Any]]:
    """Names and values of one moment."""
    with self.snapshot() as snapshot:
      return [pair for pair in snapshot.items()]

  # -- Typed reads: a value that does not convert without loss is a TypeMismatchError

  def get_bool(self, name: str) -> bool:
    """Read a truth value; text such as "yes" or "0" converts."""
    return _native.get_bool(self._number, _name(name))

  def get_int(self, name: str) -> int:
    """Read an integer of 64 bits; whole doubles convert, and text that spells a whole decimal number."""
    return _native.get_int(self._number, _name(name))

  def get_float(self, name: str) -> float:
    """Read a number rounded to the 32 bits of C's float. Python's own precision is get_double()."""
    return _native.get_float(self._number, _name(name))

  def get_double(self, name: str) -> float:
    """Read a number of 64 bits; integers that it holds exactly convert, and text that spells a decimal number."""
    return _native.get_double(self._number, _name(name))

  def get_string(self, name: str) -> str:
    """Read text; URLs and image references are text, too."""
    return _native.get_string(self._number, _name(name))

  def get_data(self, name: str) -> bytes:
    """Read bytes; base64 text converts."""
    return _native.get_data(self._number, _name(name))

  def get_url(self, name: str) -> URL:
    """Read a URL; text converts if it is empty or an absolute URL."""
    return URL(_native.get_url(self._number, _name(name)))

  def get_date(self, name: str) -> datetime:
    """Read a moment, as an aware datetime in UTC; RFC 3339 text converts."""
    return _convert.moment(_native.get_date(self._number, _name(name)))

  def get_color(self, name: str) -> Color:
    """Read a color; text such as "#336699" converts."""
    return Color(*_native.get_color(self._number, _name(name)))

  def get_list(self, name: str) -> _List:
    """Read a list; nothing converts."""
    items: _List = _convert.take(_native.get_list(self._number, _name(name)))
    return items

  def get_object(self, name: str) -> Dict[str, Any]:
    """Read an object as a dict; nothing converts."""
    members: Dict[str, Any] = _convert.take(_native.get_object(self._number, _name(name)))
    return members

  def get_value(self, name: str) -> Any:
    """Read a value of any type, as Python's own; the same as store[name]."""
    return _convert.take(_native.get_value(self._number, _name(name)))

  # -- More ways to read

  def key(self, name: str) -> Key:
    """Look a name up once, for reading it often."""
    return Key(self, name)

  def snapshot(self) -> Snapshot:
    """Hold one moment still, to read several settings that belong together; use it in a ``with`` block."""
    return Snapshot(self)

  def list(self, pattern: Optional[str] = None, *, after: Optional[str] = None, limit: Optional[int] = None) -> Listing:
    """List settings, with or without a value, in the order of their names.

    In a pattern ``*`` stands for any run of characters other than ``.``, ``**`` for any run, ``?`` for one character.
    Each item has ``name``, ``type``, ``locked`` and, where they apply, ``title``, ``secret``, ``value``, ``layer`` and
    ``revision``. For the next page give the last name as ``after``.
    """
    number = self._number
    if limit is not None and not 0 <= limit < 1 << 63:
      raise InvalidArgumentError(f"limit is out of range: {limit}")
    if limit == 0:
      return []
    raw_after = None if after is None else _name(after)
    items: Listing = _convert.take(_native.list_settings(number, _pattern(pattern), raw_after, limit or 0))
    return items

  def inspect(self, name: str) -> Dict[str, Any]:
    """Everything about a setting: what it is, every layer's value, which one wins and why."""
    facts: Dict[str, Any] = _convert.take(_native.inspect(self._number, _name(name)))
    return facts

  def settings(self) -> Dict[str, Any]:
    """All settings as ``{"Version": n, "Values": {name: value, …}}``, of one moment."""
    everything: Dict[str, Any] = _convert.take(_native.settings(self._number))
    return everything

  @property
  def revision(self) -> int:
    """The number of commits that changed something."""
    return _native.revision(self._number)

  # -- Changes

  def set(self, name: str, value: Settable, layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Set one setting and commit at once. Edits that belong together are better made with change()."""
    number, raw, target = self._number, _name(name), Layer.of(layer)
    handle = _convert.make(name, value)
    try:
      _native.set_value(number, target, raw, handle)
    finally:
      _native.value_release(handle)

  def reset(self, name: str, layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Remove a layer's value of a setting, which uncovers the one beneath."""
    _native.reset(self._number, Layer.of(layer), _name(name))

  def change(self, layer: Union[Layer, str, int] = Layer.USER, *, origin: Optional[str] = None) -> Change:
    """Begin a change set: leaving its ``with`` block commits it, an exception discards it."""
    return Change(self, self._number, Layer.of(layer), origin)

  # -- Watches and history

  @overload
  def watch(
    self, pattern: Optional[str] = None, callback: None = None, *, initial: bool = False, min_interval: float = 0.0
  ) -> _watch.Events: ...

  @overload
  def watch(
    self,
    pattern: Optional[str] = None,
    *,
    callback: _watch.Callback,
    initial: bool = False,
    min_interval: float = 0.0,
    dispatch: bool = False,
  ) -> _watch.Watch: ...

  @overload
  def watch(
    self,
    pattern: Optional[str],
    callback: _watch.Callback,
    *,
    initial: bool = False,
    min_interval: float = 0.0,
    dispatch: bool = False,
  ) -> _watch.Watch: ...

  def watch(
    self,
    pattern: Optional[str] = None,
    callback: Optional[_watch.Callback] = None,
    *,
    initial: bool = False,
    min_interval: float = 0.0,
    dispatch: bool = False,
  ) -> Union[_watch.Events, _watch.Watch]:
    """Be told of changes, of any process, to the settings that match the pattern (see list()).

    Without a callback this is an iterator that waits for the next Event. A callback is called with each Event by a
    thread of this package, or, with ``dispatch``, by whoever calls dispatch(). It may call anything; an exception in
    it goes to ``sys.unraisablehook``. It stays until it is stopped or the store closed.

    ``initial`` begins with the present values. With ``min_interval``, in seconds, changes of one setting that fall
    together are told as one.
    """
    number, raw, interval = self._number, _pattern(pattern), _watch._interval(min_interval)
    if callback is None:
      if dispatch:
        raise TypeError("dispatch needs a callback")
      events = _watch.Events(self._source, raw, initial, interval)
      self._adopt(events)
      return events
    if not callable(callback):
      raise TypeError(f"a callback is callable, not {type(callback).__name__}")
    if dispatch:
      return _watch.Watch(number, raw, callback, initial, interval, lambda: False)
    with self._watching:
      _ = self._number
      dispatcher = self._dispatcher
      if dispatcher is None:
        self._dispatcher = dispatcher = _watch.Dispatcher(self._source)
        # A store that is collected takes its thread with it.
        weakref.finalize(self, dispatcher.stop).atexit = False
    return _watch.Watch(dispatcher.handle, raw, callback, initial, interval, dispatcher.is_over)

  def watch_async(
    self, pattern: Optional[str] = None, *, initial: bool = False, min_interval: float = 0.0
  ) -> _watch.AsyncEvents:
    """The same as an asynchronous iterator, for asyncio."""
    _ = self._number
    events = _watch.AsyncEvents(self._source, _pattern(pattern), initial, _watch._interval(min_interval))
    self._adopt(events)
    return events

  def _adopt(self, iterator: Union[_watch.Events, _watch.AsyncEvents]) -> None:
    with self._watching:
      self._iterators.add(iterator)
      is_late = self.closed
    if is_late:
      iterator.stop()
      raise ClosedError("the store was closed")

  @property
  def event_fd(self) -> int:
    """A descriptor that is readable when dispatch() has something to do. Do not read from it or close it."""
    return _native.event_fd(self._number)

  def dispatch(self) -> int:
    """Call the callbacks of the watches with ``dispatch``; the number of calls, each for all changes of a commit."""
    return _native.dispatch(self._number)

  def history(
    self,
    pattern: Optional[str] = None,
    layer: Union[Layer, str, int, None] = None,
    origin: Optional[str] = None,
    since: Optional[datetime] = None,
    until: Optional[datetime] = None,
    before: Optional[int] = None,
    limit: Optional[int] = None,
  ) -> Listing:
    """The commits that the log still holds, the latest first.

    Each has ``revision``, ``time``, ``layer``, ``origin``, ``kind`` and ``changes``: dicts with ``name``, ``layer``,
    ``old`` and ``new`` (missing for no value) and, where they apply, ``expired``, ``writable`` and ``secret``.
    ``since`` is inclusive, ``until`` and ``before``, a revision, are not.
    """
    number = self._number
    if limit is not None and not 0 <= limit < 1 << 63:
      raise InvalidArgumentError(f"limit is out of range: {limit}")
    if before is not None and not 0 <= before < 1 << 64:
      raise InvalidArgumentError(f"before is out of range: {before}")
    # For the library 0 is no limit in all of these.
    if limit == 0 or before == 0:
      return []
    commits: Listing = _convert.take(
      _native.history(
        number,
        _pattern(pattern),
        None if layer is None else Layer.of(layer),
        None if origin is None else _native.text("an origin", origin),
        0 if since is None else _convert.microseconds(since) or 1,
        0 if until is None else _convert.microseconds(until) or 1,
        before or 0,
        limit or 0,
      )
    )
    return commits

  def undo(self, revision: int, force: bool = False) -> int:
    """Take a commit back, as a new commit whose revision is returned.

    ConflictError if later commits changed the same settings, unless ``force`` is given.
    """
    if not 0 <= revision < 1 << 64:
      raise InvalidArgumentError(f"revision is out of range: {revision}")
    return _native.undo(self._number, revision, force)

  # -- Schema, import and export

  def apply_schema(self, text: schema.Document, origin: Optional[str] = None) -> Dict[str, Any]:
    """Declare the settings, with their defaults and constraints, and return the report."""
    raw_origin = None if origin is None else _native.text("an origin", origin)
    return _convert.report(_native.schema_apply(self._number, schema.encoded(text), raw_origin))

  def check_schema(self, text: schema.Document) -> Dict[str, Any]:
    """The report that apply_schema() would give, without applying anything."""
    return _convert.report(_native.schema_check(self._number, schema.encoded(text)))

  @property
  def schema_version(self) -> int:
    """The stored schema's version; 0 if none has been applied."""
    return _native.schema_version(self._number)

  def schema_json(self) -> str:
    """The stored schema's text, as it was applied; NoValueError if none has been."""
    return _native.schema_json(self._number)

  def import_json(
    self, text: schema.Document, layer: Union[Layer, str, int] = Layer.USER, *, partial: bool = False
  ) -> Dict[str, Any]:
    """Import settings as one commit: an export, or an object of values. ``partial`` skips what is invalid."""
    number, target = self._number, Layer.of(layer)
    return _convert.report(_native.import_json(number, target, schema.encoded(text), 1 if partial else 0))

  def import_plist(
    self, plist: Union[bytes, str], layer: Union[Layer, str, int] = Layer.USER, *, partial: bool = False
  ) -> Dict[str, Any]:
    """Import settings from a property list, XML or binary, as one commit. ``partial`` skips what is invalid."""
    number, target = self._number, Layer.of(layer)
    return _convert.report(_native.import_plist(number, target, schema.encoded(plist), 1 if partial else 0))

  def export_json(self, *, layers: bool = False, pretty: bool = False) -> str:
    """All settings as JSON: the effective values, or all layers with revision, time, origin and expiry."""
    return _native.export_json(self._number, (256 if layers else 0) | (1 if pretty else 0))


class _Items(ItemsView[str, Any]):
  """The items of a store; each walk over them is of one moment."""

  def __init__(self, store: Store) -> None:
    super().__init__(store)
    self._store = store

  def __iter__(self) -> Iterator[Tuple[str, Any]]:
    return iter(self._store._pairs())


class _Values(ValuesView[Any]):
  """The values of a store; each walk over them is of one moment."""

  def __init__(self, store: Store) -> None:
    super().__init__(store)
    self._store = store

  def __iter__(self) -> Iterator[Any]:
    return (value for _, value in self._store._pairs())

  def __contains__(self, value: object) -> bool:
    return any(value == one for one in self)


class Key(Handle):
  """A setting's name, looked up once. It follows the setting, and is closed with its store."""

  _kind = "key"

  def __init__(self, store: Store, name: str) -> None:
    self._store, self._name, self._raw = store, name, _name(name)
    super().__init__(_native.key_open(store._number, self._raw), _native.key_close)

  def __repr__(self) -> str:
    return f"<livery.Key {self._name!r}>"

  @property
  def name(self) -> str:
    """The setting's name, as it was given."""
    return self._name

  @property
  def _store_open(self) -> Store:
    """The store, for reads that the library has no function on keys for."""
    _ = self._number
    return self._store

  def get_bool(self) -> bool:
    return _native.key_get_bool(self._number)

  def get_int(self) -> int:
    return _native.key_get_int(self._number)

  def get_float(self) -> float:
    return self._store_open.get_float(self._name)

  def get_double(self) -> float:
    return _native.key_get_double(self._number)

  def get_string(self) -> str:
    return _native.key_get_string(self._number)

  def get_data(self) -> bytes:
    return self._store_open.get_data(self._name)

  def get_url(self) -> URL:
    return self._store_open.get_url(self._name)

  def get_date(self) -> datetime:
    return self._store_open.get_date(self._name)

  def get_color(self) -> Color:
    return self._store_open.get_color(self._name)

  def get_list(self) -> List[Any]:
    return self._store_open.get_list(self._name)

  def get_object(self) -> Dict[str, Any]:
    return self._store_open.get_object(self._name)

  def get_value(self) -> Any:
    return self._store_open.get_value(self._name)


class Snapshot(Handle):
  """One moment of a store, held still. Keep it for moments, not for hours."""

  _kind = "snapshot"
  _warns = True

  def __init__(self, store: Store) -> None:
    self._store = store
    super().__init__(_native.snapshot_open(store._number), _native.snapshot_close)

  @property
  def revision(self) -> int:
    """The revision that it shows."""
    return _native.snapshot_revision(self._number)

  def __getitem__(self, name: str) -> Any:
    return _convert.take(_native.snapshot_get(self._number, _name(name)))

  def get(self, name: str, default: Any = None) -> Any:
    """The value, or the default if there is no such setting or it has no value."""
    try:
      return self[name]
    except (NotFoundError, NoValueError):
      return default

  def __contains__(self, name: object) -> bool:
    if not isinstance(name, str):
      return False
    try:
      _native.value_release(_native.snapshot_get(self._number, _native.text("a setting's name", name)))
    except (NotFoundError, NoValueError, InvalidArgumentError):
      return False
    return True

  def __iter__(self) -> Iterator[str]:
    """The names of the settings that have a value, in order."""
    for name, value in self._walk(None):
      _native.value_release(value)
      yield name

  def items(self, pattern: Optional[str] = None) -> Iterator[Tuple[str, Any]]:
    """Names and values in the order of the names, for the names that match the pattern (see Store.list())."""
    for name, value in self._walk(_pattern(pattern)):
      yield name, _convert.take(value)

  def _walk(self, pattern: Optional[bytes]) -> Iterator[Tuple[str, int]]:
    name = b""
    while True:
      try:
        name, value = _native.snapshot_next(self._number, pattern, name)
      except NotFoundError:
        return
      yield name.decode(), value


def _name(name: str) -> bytes:
  return _native.text("a setting's name", name)


def _pattern(pattern: Optional[str]) -> Optional[bytes]:
  return None if pattern is None else _native.text("a pattern", pattern)

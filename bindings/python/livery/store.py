"""Open a store."""

from __future__ import annotations

import math
import os
import uuid
from datetime import timedelta
from typing import Any, ItemsView, Iterator, List, Mapping, Optional, Tuple, Union, ValuesView

from . import _constants, _convert, _native
from ._reading import Reading
from ._watching import Watching
from .assets import Keeping
from .branding import Branded
from .change import Changing
from .errors import InvalidArgumentError, NotFoundError, NoValueError
from .history import Recording
from .maintenance import Maintaining
from .schema import Documents
from .watch import Source

#: For ``backup_commits`` and ``backup_age`` of ``open``: no copies.
NEVER = 0xFFFF_FFFF


def open(
  path: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]", None] = None,
  *,
  memory: bool = False,
  create: bool = False,
  read_only: bool = False,
  allow_override: bool = False,
  deferred: bool = False,
  no_recovery: bool = False,
  group: bool = False,
  busy_timeout: Optional[float] = None,
  map_size: Optional[int] = None,
  max_readers: Optional[int] = None,
  log_entries: Optional[int] = None,
  log_age: Union[float, timedelta, None] = None,
  log_bytes: Optional[int] = None,
  cache_size: Optional[int] = None,
  orphan_versions: Optional[int] = None,
  backups: Optional[int] = None,
  backup_commits: Optional[int] = None,
  backup_age: Union[float, timedelta, None] = None,
) -> Store:
  """Open the store in a directory, or with ``memory`` one that is in memory alone.

  A store in memory is found by no other process and gone with its last handle. ``path`` is then its name in this process,
  where the same name is the same store; without one every call makes another store.

  ``create`` makes it if the directory is missing or empty. ``read_only`` refuses every change, and is what opens a
  store on a read-only file system. ``allow_override`` allows changes to the ``override`` layer. ``deferred`` lets a
  power failure take the last commits. ``no_recovery`` refuses a damaged store with CorruptError in place of bringing
  back its last good copy. ``group`` lets the directory's group read and write the store too. ``busy_timeout`` is how
  long a commit waits for other writers, in seconds (5 unless told). ``map_size`` reserves address space, in bytes.
  ``max_readers`` is how many reads can be under way at once. ``log_entries`` and ``log_age`` are how many commits the
  log keeps (10,000 unless told) and for how many seconds, or a timedelta (90 days); ``log_bytes`` is how much of the
  file it may take (16 MiB, or a quarter of all else if that is more). ``cache_size`` is the most memory for values
  that were read before, in bytes (32 MiB). ``orphan_versions`` is for how many versions of the schema the values of a
  setting are kept that it no longer declares (for ever). ``backups`` is how many backups of each reason the store
  keeps in its own folder (3).

  The store copies itself after ``backup_commits`` commits of this process since its last copy (1,000), and after a
  commit that comes ``backup_age`` seconds, or a timedelta (10 minutes), after the first one since then, or later; with
  ``NEVER`` for both it does not.
  """
  flags = (
    (_constants.OPEN_CREATE if create else 0)
    | (_constants.OPEN_READ_ONLY if read_only else 0)
    | (_constants.OPEN_ALLOW_OVERRIDE if allow_override else 0)
    | (_constants.OPEN_DEFERRED if deferred else 0)
    | (_constants.OPEN_NO_RECOVERY if no_recovery else 0)
    | (_constants.OPEN_GROUP if group else 0)
    | (_constants.OPEN_MEMORY if memory else 0)
  )
  if path is None:
    if not memory:
      raise TypeError("open() wants a path, or memory=True")
    # A name that nobody else has, by which watches find it.
    path = f"livery.open-{uuid.uuid4().hex}"
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
    _age("log_age", log_age),
    _within("cache_size", cache_size, 64),
    _within("orphan_versions", orphan_versions, 64),
    _within("backups", backups, 32),
    _within("log_bytes", log_bytes, 64),
    _within("backup_commits", backup_commits, 32),
    _age("backup_age", backup_age),
  )
  try:
    source = Source.in_memory(raw) if memory else Source.of(raw)
  except OSError:
    _native.close(number)
    raise
  return Store(number, source)


def _age(what: str, age: Union[float, timedelta, None]) -> int:
  if age is None:
    return 0
  seconds = age.total_seconds() if isinstance(age, timedelta) else age
  if not seconds > 0:
    raise InvalidArgumentError(f"{what} is out of range: {age}")
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


class Store(Reading, Changing, Watching, Recording, Documents, Keeping, Maintaining, Branded, Mapping[str, Any]):
  """An open store: a mapping from the names of settings to their effective values.

  The mapping has the settings that have a value, in the order of their names' bytes. Any number of threads may use it.
  """

  _kind = "store"
  _warns = True

  def __init__(self, number: int, source: Source) -> None:
    super().__init__(number, _native.close, source)
    self._read(number)

  def __repr__(self) -> str:
    return f"<livery.Store {'closed' if self.closed else 'open'}>"

  __eq__ = object.__eq__
  __hash__ = object.__hash__

  def __getitem__(self, name: str) -> Any:
    return self.get_value(name)

  def __contains__(self, name: object) -> bool:
    if not isinstance(name, str):
      return False
    try:
      _native.value_release(_native.get_value(self._number, _convert.name(name)))
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

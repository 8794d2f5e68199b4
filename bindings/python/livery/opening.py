"""Open a store."""

from __future__ import annotations

import math
import uuid
from typing import Optional

from . import _constants, _convert, _native
from ._watching import Source
from .errors import InvalidArgumentError
from .store import Store

#: For ``backup_commits`` and ``backup_age`` of ``open``: no backups.
NEVER = math.inf

# The library's.
_NEVER = 0xFFFF_FFFF


def open(
  path: Optional[_convert.Path] = None,
  *,
  memory: bool = False,
  create: bool = False,
  read_only: bool = False,
  allow_override: bool = False,
  deferred: bool = False,
  no_recovery: bool = False,
  group: bool = False,
  busy_timeout: Optional[_convert.Duration] = None,
  map_size: Optional[int] = None,
  max_readers: Optional[int] = None,
  log_entries: Optional[int] = None,
  log_age: Optional[_convert.Duration] = None,
  log_bytes: Optional[int] = None,
  cache_size: Optional[int] = None,
  orphan_versions: Optional[int] = None,
  backups: Optional[int] = None,
  backup_commits: Optional[float] = None,
  backup_age: Optional[_convert.Duration] = None,
) -> Store:
  """Open the store in a directory, or with ``memory`` one that is in memory alone.

  A store in memory is found by no other process and gone with its last handle. ``path`` is then its name in this process,
  where the same name is the same store; without one every call makes another store.

  ``create`` makes it if the directory is missing or empty. ``read_only`` refuses every change, and is what opens a
  store on a read-only file system. ``allow_override`` allows changes to the ``override`` layer. ``deferred`` lets a
  power failure take the last commits. ``no_recovery`` refuses a damaged store with CorruptError in place of bringing
  back its last good copy. ``group`` lets the directory's group read and write the store too. ``busy_timeout`` is how
  long a commit waits for other writers (5 seconds unless told). ``map_size`` reserves address space, in bytes.
  ``max_readers`` is how many reads can be under way at once. ``log_entries`` and ``log_age`` are how many commits the
  log keeps (10,000 unless told) and for how long (90 days); ``log_bytes`` is how much of the file it may take (16 MiB,
  or a quarter of all else if that is more). ``cache_size`` is the most memory for values that were read before, in
  bytes (32 MiB). ``orphan_versions`` is for how many versions of the schema the values of a setting are kept that it no
  longer declares (for ever). ``backups`` is how many backups of each reason the store keeps in its own folder (3).

  The store backs itself up after ``backup_commits`` commits of this process since the last backup (1,000), and after a
  commit that comes ``backup_age`` (10 minutes) after the first one since then, or later; with ``NEVER`` for both it
  does not. Durations are seconds or a timedelta.
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
  # For the library 0 is the default of each, and no waiting at all the shortest that can be asked for.
  members = {"flags": flags}
  if busy_timeout is not None:
    milliseconds = _convert.seconds("busy_timeout", busy_timeout) * 1000
    members["busy_timeout_ms"] = max(1, int(min(milliseconds, _NEVER)))
  for what, age in (("log_age", log_age), ("backup_age", backup_age)):
    if age is not None:
      seconds = math.ceil(min(_convert.seconds(what, age), _NEVER))
      members[what + "_s"] = _convert.within(what, seconds, 32, least=1)
  for what, number, bits in (
    ("map_size", map_size, 64),
    ("max_readers", max_readers, 32),
    ("log_entries", log_entries, 32),
    ("log_bytes", log_bytes, 64),
    ("cache_size", cache_size, 64),
    ("orphan_versions", orphan_versions, 64),
    ("backups", backups, 32),
    ("backup_commits", _NEVER if backup_commits == NEVER else backup_commits, 32),
  ):
    if number is not None:
      members[what] = _convert.within(what, number, bits, least=1)
  if path is None:
    if not memory:
      raise TypeError("open() wants a path, or memory=True")
    if read_only:
      raise InvalidArgumentError("a store in memory that is to be read-only needs the name of one that is open")
    # A name that nobody else has, by which watches find it.
    path = f"livery.open-{uuid.uuid4().hex}"
  raw = _convert.path(path)
  handle = _native.open(raw, **members)
  try:
    source = Source.of(raw, members)
  except OSError:
    _native.close(handle)
    raise
  return Store(handle, source)

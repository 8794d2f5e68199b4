"""A store, as programs use it: each method hands over to the part of the store that its noun is.

The parts hold the store's handle and what they need beside it. Those that hold nothing else are made when they are asked,
so that opening a store costs no more for them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Callable, Dict, ItemsView, Iterable, Iterator, List, Mapping, Optional, Tuple, Union, ValuesView, overload

from . import _native
from ._convert import Document, Duration, Path
from ._handle import Handle, Owner
from ._views import Items, Values
from ._watching import Source, Wanted
from .asset import Assets
from .branding import Branding
from .change import Change, Changes
from .errors import InvalidArgumentError, LiveryError, NotFoundError, NoValueError
from .events import AsyncEvents, Events
from .exchange import Exchange
from .form import Forms
from .history import History
from .key import Key
from .maintenance import Maintenance
from .migration import MigrationFunction
from .read import Reads
from .schema import Schema
from .snapshot import Snapshot
from .trial import Trials
from .value import URL, Color, Layer, Settable
from .watch import Callback, Watch, Watches

#: Reports of several things; inside the class, `list` is the method.
_Listing = List[Dict[str, Any]]
_List = List[Any]


class Store(Owner, Mapping[str, Any]):
  """An open store: a mapping from the names of settings to their effective values.

  The mapping has the settings that have a value, in the order of their names' bytes. Any number of threads may use it.
  """

  def __init__(self, number: int, source: Source) -> None:
    handle = Handle("store", number, _native.close, warns=True)
    super().__init__(handle)
    self._reads = Reads(handle)
    self._names = self._reads.names
    self._readers = self._names.keys.readers
    self._read = self._reads.get_value
    self._watches = Watches(handle, source)

  def close(self) -> None:
    """Close the store, and end its watches. Closing twice does nothing."""
    # A callback under way may still read; then those that began meanwhile end, too.
    self._watches.end()
    super().close()
    self._names.keys.forget()
    self._watches.end()

  def __repr__(self) -> str:
    return f"<livery.Store {'closed' if self.closed else 'open'}>"

  # -- The mapping

  __eq__ = object.__eq__
  __hash__ = object.__hash__

  def __getitem__(self, name: str) -> Any:
    return self._read(name)

  def get(self, name: str, default: Any = None) -> Any:
    """The value, or the default if there is no such setting or it has no value."""
    try:
      return self._read(name)
    except (NotFoundError, NoValueError):
      return default

  def __contains__(self, name: object) -> bool:
    if not isinstance(name, str):
      return False
    try:
      self._names.check(name)
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
    return Items(self, self._pairs)

  def values(self) -> ValuesView[Any]:
    return Values(self, self._pairs)

  def _pairs(self) -> List[Tuple[str, Any]]:
    with self.snapshot() as snapshot:
      return [pair for pair in snapshot.items()]

  # -- Typed reads: a value that does not convert without loss is a TypeMismatchError
  #
  # The keys that are kept are looked at here: one call more would be a fifth of the price of a read.

  def get_bool(self, name: str) -> bool:
    """Read a truth value; text such as "yes" or "0" converts."""
    reader = self._readers.get(name)
    return reader.get_bool() if reader else self._names.get_bool(name)

  def get_int(self, name: str) -> int:
    """Read an integer of 64 bits; whole doubles convert, and text that spells a whole decimal number."""
    reader = self._readers.get(name)
    return reader.get_int() if reader else self._names.get_int(name)

  def get_float(self, name: str) -> float:
    """Read a number rounded to the 32 bits of C's float. Python's own precision is get_double()."""
    return self._reads.get_float(name)

  def get_double(self, name: str) -> float:
    """Read a number of 64 bits; integers that it holds exactly convert, and text that spells a decimal number."""
    reader = self._readers.get(name)
    return reader.get_double() if reader else self._names.get_double(name)

  def get_string(self, name: str) -> str:
    """Read text; URLs and image references are text, too."""
    reader = self._readers.get(name)
    return reader.get_string() if reader else self._names.get_string(name)

  def get_data(self, name: str) -> bytes:
    """Read bytes; base64 text converts."""
    return self._reads.get_data(name)

  def get_url(self, name: str) -> URL:
    """Read a URL; text converts if it is empty or an absolute URL."""
    return self._reads.get_url(name)

  def get_date(self, name: str) -> datetime:
    """Read a moment, as an aware datetime in UTC; RFC 3339 text converts."""
    return self._reads.get_date(name)

  def get_color(self, name: str) -> Color:
    """Read a color; text such as "#336699" converts."""
    return self._reads.get_color(name)

  def get_list(self, name: str) -> _List:
    """Read a list; nothing converts."""
    return self._reads.get_list(name)

  def get_object(self, name: str) -> Dict[str, Any]:
    """Read an object as a dict; nothing converts."""
    return self._reads.get_object(name)

  def get_value(self, name: str) -> Any:
    """Read a value of any type, as Python's own; the same as store[name]."""
    return self._read(name)

  # -- More ways to read

  def key(self, name: str) -> Key:
    """Look a name up once, for reading it often."""
    return Key(self._reads, name)

  def snapshot(self) -> Snapshot:
    """Hold one moment still, to read several settings that belong together; use it in a ``with`` block."""
    return Snapshot(self._handle)

  def list(self, pattern: Optional[str] = None, *, after: Optional[str] = None, limit: Optional[int] = None) -> _Listing:
    """List settings, with or without a value, in the order of their names.

    In a pattern ``*`` stands for any run of characters other than ``.``, ``**`` for any run, ``?`` for one character other than ``.``.
    Each item has ``name``, ``type``, ``locked`` and, where they apply, ``title``, ``secret``, ``value``, ``layer`` and
    ``revision``. For the next page give the last name as ``after``.
    """
    return self._reads.list(pattern, after, limit)

  def inspect(self, name: str) -> Dict[str, Any]:
    """Everything about a setting: what it is, every layer's value, which one wins and why."""
    return self._reads.inspect(name)

  def form(
    self, *, layer: Union[Layer, str, int] = Layer.USER, locale: Optional[str] = None, hidden: bool = False
  ) -> Dict[str, Any]:
    """What a person may set, in the schema's order, ready to be drawn: all of one moment.

    A dict with ``title``, ``version``, ``revision``, ``layer`` (that the form is to change), ``languages``, ``locale`` and
    ``groups``; each of these has ``title``, ``description`` and ``elements``. An element has ``kind``: "header", "pane" (with
    ``elements`` of its own), or what it sets ("text", "secret", "switch", "choice", "choices", "list", "integer",
    "number", "url", "color", "date", "image", "data"), with what the schema says of it and how it is. docs/form.md has all
    members. Texts are in the language of ``locale``, a tag such as ``de-AT``, as far as the schema has them. No value of a
    secret is among it. With ``hidden`` also what the schema hides.
    """
    return Forms(self._handle).form(layer, locale, hidden)

  def search(
    self, query: str, *, limit: Optional[int] = None, locale: Optional[str] = None, hidden: bool = False
  ) -> Dict[str, Any]:
    """Find the settings that contain every word of the query, in their texts or values: the best first.

    Letter case and marks make no difference. A dict with ``revision``, ``total`` and ``results``, each with ``name``,
    ``type``, ``matches`` and, where they apply, ``kind``, ``title``, ``group`` (titles from without), ``value``, ``secret``
    and ``hidden``. A match has ``field``, ``text``, ``offset`` and ``length``: bytes of the text in UTF-8.
    ``limit`` is the most results; 0 and None are no limit.
    """
    return Forms(self._handle).search(query, limit, locale, hidden)

  def settings(self) -> Dict[str, Any]:
    """All settings as ``{"Version": n, "Values": {name: value, …}}``, of one moment."""
    return self._reads.settings()

  @property
  def revision(self) -> int:
    """The number of commits that changed something."""
    return self._reads.revision()

  # -- Changes

  def set(self, name: str, value: Settable, layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Set one setting and commit at once. Edits that belong together are better made with change()."""
    Changes(self._handle).set(name, value, layer)

  def reset(self, name: str, layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Remove a layer's value of a setting, which uncovers the one beneath."""
    Changes(self._handle).reset(name, layer)

  def change(
    self,
    layer: Union[Layer, str, int] = Layer.USER,
    *,
    origin: Optional[str] = None,
    trial: Optional[Duration] = None,
  ) -> Change:
    """Begin a change set: leaving its ``with`` block commits it, an exception discards it.

    With ``trial`` it goes back by itself after that time, unless confirm_trial() comes before.
    """
    change = Changes(self._handle).begin(layer, origin)
    if trial is not None:
      try:
        change.trial(trial)
      except (LiveryError, TypeError):
        change.discard()
        raise
    return change

  def edit(
    self, function: Callable[[Change], object], layer: Union[Layer, str, int] = Layer.USER, *, origin: Optional[str] = None
  ) -> int:
    """Read and change settings in one transaction, and return its revision: no other writer, of any process, comes between.

    For what depends on what is there: ``store.edit(lambda change: change.set("count", change.get("count") + 1))``. The
    function is called with a Change, whose edits are committed when it returns; what it raises leaves the store as it is. It
    may be called again if the store has to grow. Other changes of the store in it raise BusyError after the timeout.
    """
    return Changes(self._handle).edit(function, layer, origin)

  def claim(self, prefix: str, check: Callable[[str, Any], Settable]) -> None:
    """Claim a namespace: settings whose names begin with the prefix, such as ``"fetch."``, may be set whatever a schema says.

    ``check`` is called with the name and the value of every setting there that the schema does not declare, and returns the
    value to be kept; what it raises refuses the value, and KeyboardInterrupt and what else is no Exception goes to
    sys.unraisablehook, too, since a thread commits for others as well. It must not change the store. The store remembers the claim; the check
    ends with this store object, and where nobody checks, setting raises ReadOnlyError.
    """
    Changes(self._handle).claim(prefix, check)

  # -- Trials

  def trial(self) -> Dict[str, Any]:
    """What is on trial, or what became of the last one: ``state`` is "none", "pending", "confirmed" or "reverted".

    Of one that is pending there are ``revision``, ``origin``, ``until``, ``remaining`` in microseconds and ``settings``.
    """
    return Trials(self._handle).status()

  def confirm_trial(self, revision: int, *, origin: Optional[str] = None) -> None:
    """Let stay what is on trial, by the revision of the commit that began it.

    NotFoundError if it went back already, ConflictError if another revision is on trial.
    """
    Trials(self._handle).confirm(revision, origin)

  def revert_trial(self, revision: Optional[int] = None, *, origin: Optional[str] = None) -> None:
    """Take back what is on trial: a revision, or whichever is pending. NotFoundError if nothing is."""
    Trials(self._handle).revert(revision, origin)

  # -- Watches

  @overload
  def watch(
    self, pattern: Optional[str] = None, callback: None = None, *, initial: bool = False, min_interval: Duration = 0.0
  ) -> Events: ...

  @overload
  def watch(
    self,
    pattern: Optional[str] = None,
    *,
    callback: Callback,
    initial: bool = False,
    min_interval: Duration = 0.0,
    dispatch: bool = False,
  ) -> Watch: ...

  @overload
  def watch(
    self,
    pattern: Optional[str],
    callback: Callback,
    *,
    initial: bool = False,
    min_interval: Duration = 0.0,
    dispatch: bool = False,
  ) -> Watch: ...

  def watch(
    self,
    pattern: Optional[str] = None,
    callback: Optional[Callback] = None,
    *,
    initial: bool = False,
    min_interval: Duration = 0.0,
    dispatch: bool = False,
  ) -> Union[Events, Watch]:
    """Be told of changes, of any process, to the settings that match the pattern (see list()).

    Without a callback this is an iterator that waits for the next Event. A callback is called with each Event by a
    thread of this package, or, with ``dispatch``, by whoever calls dispatch(). It may call anything; an exception in
    it goes to ``sys.unraisablehook``. It stays until it is stopped or the store closed.

    ``initial`` begins with the present values. With ``min_interval``, in seconds or a timedelta, changes of one setting
    that fall together are told as one.
    """
    wanted = Wanted.of(pattern, initial, min_interval)
    if callback is not None:
      return self._watches.call(wanted, callback, dispatch)
    if dispatch:
      raise TypeError("dispatch needs a callback")
    return self._watches.iterate(wanted)

  def watch_async(
    self, pattern: Optional[str] = None, *, initial: bool = False, min_interval: Duration = 0.0
  ) -> AsyncEvents:
    """The same as an asynchronous iterator, for asyncio."""
    return self._watches.iterate_async(Wanted.of(pattern, initial, min_interval))

  def post(self, function: Callable[[], object], *, dispatch: bool = False) -> None:
    """Call a function once, by the thread that calls the callbacks of watches, or with ``dispatch`` by dispatch().

    What was posted is called in its order, and not if the store is closed before. An exception in it goes to
    ``sys.unraisablehook``.
    """
    self._watches.post(function, dispatch)

  @property
  def event_fd(self) -> int:
    """A descriptor that is readable when dispatch() has something to do. Do not read from it or close it."""
    return self._watches.event_fd()

  def dispatch(self) -> int:
    """Call the callbacks of the watches with ``dispatch``; the number of calls, each for all changes of a commit.

    KeyboardInterrupt and what else is no Exception is raised once all were called.
    """
    return self._watches.dispatch()

  # -- History

  def history(
    self,
    pattern: Optional[str] = None,
    layer: Union[Layer, str, int, None] = None,
    origin: Optional[str] = None,
    since: Optional[datetime] = None,
    until: Optional[datetime] = None,
    before: Optional[int] = None,
    limit: Optional[int] = None,
  ) -> _Listing:
    """The commits that the log still holds, the latest first.

    Each has ``revision``, ``time``, ``layer``, ``origin``, ``kind`` and ``changes``: dicts with ``name``, ``layer``,
    ``old`` and ``new`` (missing for no value) and, where they apply, ``expired``, ``writable`` and ``secret``. A
    commit of more than 10,000 changes has none of them listed, and ``tooLarge``.
    ``since`` is inclusive, ``until`` and ``before``, a revision, are not.
    """
    return History(self._handle).commits(pattern, layer, origin, since, until, before, limit)

  def undo(self, revision: int, force: bool = False) -> int:
    """Take a commit back, as a new commit whose revision is returned.

    ConflictError if later commits changed the same settings, unless ``force`` is given.
    """
    return History(self._handle).undo(revision, force)

  # -- Schema

  def apply_schema(
    self, text: Document, origin: Optional[str] = None, *, declassify: Iterable[str] = ()
  ) -> Dict[str, Any]:
    """Declare the settings, with their defaults and constraints, and return the report.

    Values are brought from the stored version to the new one by the schema's migrations, all or nothing, after a backup
    into the store's own folder. MigrationError tells which step failed; its ``report["steps"]`` has all that was done.
    It also refuses to show what was a secret, as ``report["declassified"]`` tells: ``declassify`` names the settings that
    may.
    """
    return Schema(self._handle).apply(text, origin, declassify)

  def check_schema(self, text: Document) -> Dict[str, Any]:
    """The report that apply_schema() would give, without applying anything: the plan of an upgrade."""
    return Schema(self._handle).check(text)

  def register_migration(self, name: str, function: MigrationFunction) -> None:
    """Have a function carry out the steps ``{"Op": "call", "Name": name}``, until the store is closed.

    apply_schema() and check_schema() call it with a Migration for each layer that holds values, weakest first. It may
    read the store but not change it. What it raises makes the upgrade fail with MigrationError, whose cause it is.
    """
    Schema(self._handle).register_migration(name, function)

  @property
  def schema_version(self) -> int:
    """The stored schema's version; 0 if none has been applied."""
    return Schema(self._handle).version()

  def schema_json(self) -> str:
    """The stored schema's text, as it was applied; NoValueError if none has been."""
    return Schema(self._handle).json()

  @property
  def schema_digest(self) -> str:
    """What tells the stored schema from others, also of the same version; NoValueError if none has been applied."""
    return Schema(self._handle).digest()

  # -- Import and export

  def import_json(
    self,
    text: Document,
    layer: Union[Layer, str, int, None] = None,
    *,
    partial: bool = False,
    replace: bool = False,
  ) -> Dict[str, Any]:
    """Import settings as one commit: an export, or an object of values.

    ``partial`` skips what is invalid. ``replace`` lets each value count: what people have set above the layer goes. The
    layer is ``user`` unless told, and ``recommended`` for what replaces.
    """
    return Exchange(self._handle).import_json(text, layer, partial, replace)

  def import_plist(
    self,
    plist: Union[bytes, str],
    layer: Union[Layer, str, int, None] = None,
    *,
    partial: bool = False,
    replace: bool = False,
  ) -> Dict[str, Any]:
    """Import settings from a property list, XML or binary, as one commit; see import_json()."""
    return Exchange(self._handle).import_plist(plist, layer, partial, replace)

  def export_json(self, *, layers: bool = False, pretty: bool = False, reveal: bool = False) -> str:
    """All settings as JSON: the effective values, or all layers with revision, time, origin and expiry.

    Secrets of a store that seals them stay sealed unless ``reveal`` is given and they can be opened here.
    """
    return Exchange(self._handle).export_json(layers, pretty, reveal)

  # -- Assets and branding

  @property
  def assets(self) -> Assets:
    """Images, under the SHA-256 of their bytes."""
    return Assets(self._handle)

  @property
  def branding(self) -> Branding:
    """The brands of the store."""
    return Branding(self._handle)

  # -- Maintenance

  def backup(self, path: Optional[Path] = None) -> None:
    """Write a checked copy of the store to a file, or into the store's own folder. Nobody has to wait."""
    Maintenance(self._handle).backup(path)

  def backups(self) -> _Listing:
    """The backups in the store's own folder, the latest first.

    Each has ``name``, ``path``, ``revision``, ``schemaVersion``, ``time``, ``reason`` and ``bytes``.
    """
    return Maintenance(self._handle).backups()

  def restore(self, backup: Optional[Path] = None, origin: Optional[str] = None) -> int:
    """Bring back what a backup holds, as one commit whose revision is returned.

    ``backup`` is a file or the ``name`` of one of backups(), the latest of those unless told. CorruptError if it is
    damaged: the store is then unchanged.
    """
    return Maintenance(self._handle).restore(backup, origin)

  def compact(self) -> None:
    """Give the file system back what the store does not use. Other processes go on with the smaller file.

    The log forgets the former values of secrets before.
    """
    Maintenance(self._handle).compact()

  def forget(self, name: str, *, backups: bool = False) -> Dict[str, Any]:
    """Forget what the store knows of a setting, such as a secret, beside its present values, and report what was done.

    The log forgets former values, and the file is compacted. With ``backups`` the store's own backups forget them, too:
    values there other than the present ones go, and damaged files are removed.
    """
    return Maintenance(self._handle).forget(name, backups)

  def reseal(self, *, copies: bool = False) -> Dict[str, Any]:
    """Seal all secrets anew, in the store's own backups too if ``copies`` is given, and report what was done.

    UnavailableError if nobody in this process seals; see ``livery.secrets``.
    """
    return Maintenance(self._handle).reseal(copies)

  def sealing(self) -> Dict[str, Any]:
    """How the secrets lie in the store: ``active``, ``sealer``, ``sealed``, ``plain`` and ``unavailable``."""
    return Maintenance(self._handle).sealing()

  def stats(self) -> Dict[str, Any]:
    """Figures about the store, such as ``revision``, ``fileBytes``, ``databases``, ``lastBackup`` and ``recovery``."""
    return Maintenance(self._handle).stats()

"""Change settings together."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Type, Union

from . import _constants, _convert, _native
from ._handle import Handle
from .assets import Content, _bytes
from .errors import ClosedError, ForkedError, InvalidArgumentError, LiveryError
from .value import Image, Layer, Settable


class Change(Handle):
  """A change set: edits to one layer or several, committed together.

  Leaving its ``with`` block commits, an exception in the block discards. Whether the values fit is found at commit;
  the exception's ``violations`` then list everything that was wrong, and nothing was changed.
  """

  _kind = "change set"

  def __init__(self, store: Handle, number: int, layer: Layer, origin: Optional[str] = None) -> None:
    self._store, self._layer = store, layer
    self._revision: Optional[int] = None
    super().__init__(number, _native.change_discard)
    if origin is not None:
      try:
        _native.change_origin(self._number, _native.text("an origin", origin))
      except (LiveryError, TypeError, ValueError):
        self.close()
        raise

  @property
  def layer(self) -> Layer:
    """The layer that it changes."""
    return self._layer

  @property
  def revision(self) -> Optional[int]:
    """The revision of the commit; None until then."""
    return self._revision

  def __setitem__(self, name: str, value: Settable) -> None:
    self.set(name, value)

  def __delitem__(self, name: str) -> None:
    self.reset(name)

  def set(self, name: str, value: Settable) -> None:
    """Set a setting; a later edit of the same setting replaces an earlier one."""
    self._add(_native.change_set_value, name, value)

  def _add(self, edit: Callable[[int, bytes, int], None], name: str, value: Settable) -> None:
    number, raw = self._number, _convert.name(name)
    handle = _convert.make(name, value)
    try:
      edit(number, raw, handle)
    finally:
      _native.value_release(handle)

  def replace(self, name: str, value: Settable) -> None:
    """Set a setting and let it count: the values of ``user`` and ``session`` go that would hide it.

    For consoles, in the layer ``recommended``. Undoing the commit brings the values back.
    """
    self._add(_native.change_replace, name, value)

  def use(self, layer: Union[Layer, str]) -> None:
    """Make what follows edits of another layer, in the same commit."""
    layer = Layer.of(layer)
    _native.change_layer(self._number, layer)
    self._layer = layer

  def get(self, name: str, layer: Union[Layer, str, int, None] = None) -> Any:
    """The value that would be in effect if this were committed now, or what a layer would hold."""
    number, raw = self._number, _convert.name(name)
    if layer is None:
      return _convert.take(_native.change_get(number, raw))
    return _convert.take(_native.change_get_layer(number, Layer.of(layer), raw))

  def names(self, layer: Union[Layer, str, int], pattern: Optional[str] = None) -> List[str]:
    """The names of what a layer would hold if this were committed now, in their order."""
    found: List[str] = _convert.take(
      _native.change_list(self._number, Layer.of(layer), _convert.pattern(pattern))
    )
    return found

  def ignore_locks(self) -> None:
    """Let the edits change what is locked: values beneath one of ``enforced``, which still wins, and settings that the
    schema declares read-only."""
    _native.change_ignore_locks(self._number)

  def put(self, content: Content, *, any: bool = False) -> Image:
    """Store an image with the same commit, as of Assets.put(), and return what settings are set to:

    ``change["branding.image.logo"] = change.put(png)``
    """
    return Image(_native.change_put_asset(self._number, _bytes(content), _constants.ASSET_ANY if any else 0))

  def reset(self, name: str) -> None:
    """Remove the layer's value of a setting, which uncovers the one beneath."""
    _native.change_reset(self._number, _convert.name(name))

  def reset_all(self) -> None:
    """Remove all values of the layer, and forget the edits made so far."""
    _native.change_reset_all(self._number)

  def expires(self, when: Union[datetime, timedelta, None]) -> None:
    """Say when the values that are set from here on expire: a moment, a time from now, or None for never.

    Only values of the ``session`` and ``override`` layers can.
    """
    if isinstance(when, timedelta):
      when = _later(when)
    if when is not None and not isinstance(when, datetime):
      raise TypeError(f"an expiry is a datetime, a timedelta or None, not {type(when).__name__}")
    # For the library 0 is never, so the moment 0, which is past, becomes its neighbor.
    _native.change_expires(self._number, 0 if when is None else _convert.microseconds(when) or 1)

  def expect(self, name: str, revision: int) -> None:
    """Commit only if the setting was not changed after that revision; 0 expects that it never had a value."""
    raw = _convert.name(name)
    if not 0 <= revision < 1 << 64:
      raise InvalidArgumentError(f"revision is out of range: {revision}")
    _native.change_expect(self._number, raw, revision)

  def commit(self) -> int:
    """Validate and commit, and return the revision. On failure the change set stays open, to be corrected."""
    number = self._number
    try:
      revision = _native.change_commit(number)
    except (ClosedError, ForkedError):
      raise
    except LiveryError as error:
      error.violations = self.violations()
      raise
    self._finalizer.detach()
    self._revision = revision
    return revision

  def violations(self) -> List[Dict[str, Any]]:
    """Everything that was wrong at the last commit: dicts with name, status, message and, if it applies, constraint."""
    found: List[Dict[str, Any]] = _convert.take(_native.change_violations(self._number))
    return found

  def discard(self) -> None:
    """Forget the edits. The same as close()."""
    self.close()

  def __exit__(
    self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
  ) -> None:
    try:
      if kind is None and not self.closed:
        self.commit()
    finally:
      self.close()


def _later(delay: timedelta) -> datetime:
  try:
    return datetime.now(timezone.utc) + delay
  except OverflowError:
    raise InvalidArgumentError(f"{delay} from now is beyond the year 9999") from None


class Changing(Handle):
  """The changes of a store."""

  def set(self, name: str, value: Settable, layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Set one setting and commit at once. Edits that belong together are better made with change()."""
    number, raw, target = self._number, _convert.name(name), Layer.of(layer)
    handle = _convert.make(name, value)
    try:
      _native.set_value(number, target, raw, handle)
    finally:
      _native.value_release(handle)

  def reset(self, name: str, layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Remove a layer's value of a setting, which uncovers the one beneath."""
    _native.reset(self._number, Layer.of(layer), _convert.name(name))

  def change(self, layer: Union[Layer, str, int] = Layer.USER, *, origin: Optional[str] = None) -> Change:
    """Begin a change set: leaving its ``with`` block commits it, an exception discards it."""
    target = Layer.of(layer)
    return Change(self, _native.change_begin(self._number, target), target, origin)

  def edit(
    self, function: Callable[[Change], object], layer: Union[Layer, str, int] = Layer.USER, *, origin: Optional[str] = None
  ) -> int:
    """Read and change settings in one transaction, and return its revision: no other writer, of any process, comes between.

    For what depends on what is there: ``store.edit(lambda change: change.set("count", change.get("count") + 1))``. The
    function is called with a Change, whose edits are committed when it returns; what it raises leaves the store as it is. It
    may be called again if the store has to grow. Other changes of the store in it raise BusyError after the timeout.
    """
    if not callable(function):
      raise TypeError(f"a function is wanted, not {type(function).__name__}")
    number, target = self._number, Layer.of(layer)

    def run(handle: int) -> None:
      change = Change(self, handle, target, origin)
      try:
        function(change)
      finally:
        # It ends with the edit.
        change._finalizer.detach()

    revision, error, violations = _native.edit(number, target, run)
    if error is not None:
      if violations:
        error.violations = _convert.take(violations)
      raise error
    return revision

  def claim(self, prefix: str, check: Callable[[str, Any], Settable]) -> None:
    """Claim a namespace: settings whose names begin with the prefix, such as ``"fetch."``, may be set whatever a schema says.

    ``check`` is called with the name and the value of every setting there that the schema does not declare, and returns the
    value to be kept; what it raises refuses the value. It must not change the store. The store remembers the claim; the check
    ends with this store object, and where nobody checks, setting raises ReadOnlyError.
    """
    if not callable(check):
      raise TypeError(f"a function is wanted, not {type(check).__name__}")
    _native.claim(
      self._number, _convert.name(prefix), lambda name, value: _convert.make(name, check(name, _convert.look(value)))
    )

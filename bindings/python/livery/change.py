"""Change settings together."""

from __future__ import annotations

from datetime import datetime
from types import TracebackType
from typing import Any, Callable, Dict, List, Optional, Type, Union

from . import _constants, _convert, _native
from . import trial as _trial
from ._handle import Handle, Owner
from .asset import Content, as_bytes
from .errors import ClosedError, ForkedError, LiveryError
from .value import Image, Layer, Settable


class Change(Owner):
  """A change set: edits to one layer or several, committed together.

  Leaving its ``with`` block commits, an exception in the block discards. Whether the values fit is found at commit;
  the exception's ``violations`` then list everything that was wrong, and nothing was changed.
  """

  def __init__(self, store: Handle, number: int, layer: Layer, origin: Optional[str] = None) -> None:
    super().__init__(Handle("change set", number, _native.change_discard))
    self._store, self._layer = store, layer
    self._revision: Optional[int] = None
    if origin is not None:
      try:
        _native.change_origin(number, _native.text("an origin", origin))
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
    number, raw = self._handle.number, _convert.name(name)
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
    _native.change_layer(self._handle.number, layer)
    self._layer = layer

  def get(self, name: str, layer: Union[Layer, str, int, None] = None) -> Any:
    """The value that would be in effect if this were committed now, or what a layer would hold."""
    number, raw = self._handle.number, _convert.name(name)
    if layer is None:
      return _convert.take(_native.change_get(number, raw))
    return _convert.take(_native.change_get_layer(number, Layer.of(layer), raw))

  def names(self, layer: Union[Layer, str, int], pattern: Optional[str] = None) -> List[str]:
    """The names of what a layer would hold if this were committed now, in their order."""
    found: List[str] = _convert.take(
      _native.change_list(self._handle.number, Layer.of(layer), _convert.pattern(pattern))
    )
    return found

  def ignore_locks(self) -> None:
    """Let the edits change what is locked: values beneath one of ``enforced``, which still wins, and settings that the
    schema declares read-only."""
    _native.change_ignore_locks(self._handle.number)

  def put(self, content: Content, *, any: bool = False) -> Image:
    """Store an image with the same commit, as of Assets.put(), and return what settings are set to:

    ``change["branding.image.logo"] = change.put(png)``
    """
    return Image(_native.change_put_asset(self._handle.number, as_bytes(content), _constants.ASSET_ANY if any else 0))

  def put_fact(self, image: str, name: str, content: Content) -> None:
    """Keep what is known of an asset with it, under a name, by the same commit: up to 4,096 bytes, none to remove it.

    It goes when the asset goes. The name consists of a–z, 0–9, ``.`` and ``-``.
    """
    asset_id, name_bytes = _native.text("an asset's id", image), _native.text("the name of a fact", name)
    _native.change_put_fact(self._handle.number, asset_id, name_bytes, as_bytes(content))

  def reset(self, name: str) -> None:
    """Remove the layer's value of a setting, which uncovers the one beneath."""
    _native.change_reset(self._handle.number, _convert.name(name))

  def reset_all(self) -> None:
    """Remove all values of the layer, and forget the edits made so far."""
    _native.change_reset_all(self._handle.number)

  def expires(self, when: Union[datetime, _convert.Duration, None]) -> None:
    """Say when the values that are set from here on expire: a moment, a time from now in seconds or a
    timedelta, or None for never.

    Only values of the ``session`` and ``override`` layers can.
    """
    if when is not None and not isinstance(when, datetime):
      when = _convert.later(when)
    # For the library 0 is never, so the moment 0, which is past, becomes its neighbor.
    _native.change_expires(self._handle.number, 0 if when is None else _convert.microseconds(when) or 1)

  def trial(self, time: Optional[_convert.Duration]) -> None:
    """Let what is committed go back by itself after a time, in seconds or a timedelta, unless Store.confirm_trial() comes before.

    None for no trial.

    The commit raises ConflictError while another trial is pending.
    """
    _native.change_trial(self._handle.number, _trial.length(time))

  def expect(self, name: str, revision: int) -> None:
    """Commit only if the setting was not changed after that revision; 0 expects that it never had a value."""
    raw = _convert.name(name)
    _native.change_expect(self._handle.number, raw, _convert.within("revision", revision, 64))

  def commit(self) -> int:
    """Validate and commit, and return the revision. On failure the change set stays open, to be corrected."""
    number = self._handle.number
    try:
      revision = _native.change_commit(number)
    except (ClosedError, ForkedError):
      raise
    except LiveryError as error:
      error.violations = self.violations()
      raise
    self._handle.ended()
    self._revision = revision
    return revision

  def violations(self) -> List[Dict[str, Any]]:
    """Everything that was wrong at the last commit: dicts with name, status, message and, if it applies, constraint."""
    found: List[Dict[str, Any]] = _convert.take(_native.change_violations(self._handle.number))
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


class Changes:
  """The changes of a store."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def set(self, name: str, value: Settable, layer: Union[Layer, str, int]) -> None:
    number, raw, target = self._store.number, _convert.name(name), Layer.of(layer)
    handle = _convert.make(name, value)
    try:
      _native.set_value(number, target, raw, handle)
    finally:
      _native.value_release(handle)

  def reset(self, name: str, layer: Union[Layer, str, int]) -> None:
    _native.reset(self._store.number, Layer.of(layer), _convert.name(name))

  def begin(self, layer: Union[Layer, str, int], origin: Optional[str]) -> Change:
    target = Layer.of(layer)
    return Change(self._store, _native.change_begin(self._store.number, target), target, origin)

  def edit(self, function: Callable[[Change], object], layer: Union[Layer, str, int], origin: Optional[str]) -> int:
    if not callable(function):
      raise TypeError(f"a function is wanted, not {type(function).__name__}")
    number, target = self._store.number, Layer.of(layer)

    def run(handle: int) -> None:
      change = Change(self._store, handle, target, origin)
      try:
        function(change)
      finally:
        # It ends with the edit.
        change._handle.ended()

    revision, error, violations = _native.edit(number, target, run)
    if error is not None:
      if violations:
        error.violations = _convert.take(violations)
      raise error
    return revision

  def claim(self, prefix: str, check: Callable[[str, Any], Settable]) -> None:
    if not callable(check):
      raise TypeError(f"a function is wanted, not {type(check).__name__}")
    _native.claim(
      self._store.number,
      _native.text("a prefix", prefix),
      lambda name, value: _convert.make(name, check(name, _convert.look(value))),
    )

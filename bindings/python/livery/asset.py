"""Images that the store keeps under the SHA-256 of their bytes."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Union

from . import _constants, _convert, _native
from ._handle import Handle
from .errors import InvalidArgumentError, NotFoundError, NoValueError
from .value import Image

#: The content of an image file.
Content = Union[bytes, bytearray, memoryview]


def describe_image(content: Content, *, any: bool = False) -> Dict[str, Any]:
  """What some bytes are, without storing them: a dict as of Assets.info()."""
  described: Dict[str, Any] = _convert.take(_native.asset_describe(as_bytes(content), _constants.ASSET_ANY if any else 0))
  return described


class Assets:
  """The assets of a store.

  The same bytes are stored once, and an asset never changes. To store images together with the settings that show
  them, use Change.put().
  """

  def __init__(self, store: Handle) -> None:
    self._store = store

  def put(self, content: Content, *, any: bool = False) -> Image:
    """Store an image, and commit; the reference to it is what settings are set to.

    ParseError if the bytes are no PNG, JPEG, GIF, WebP or SVG image, unless ``any`` is given; and, in any case, for an
    image whose header is damaged.
    """
    return Image(_native.asset_put(self._store.number, as_bytes(content), _constants.ASSET_ANY if any else 0))

  def get(self, image: str) -> bytes:
    """An asset's bytes; NotFoundError if there is no such asset, CorruptError if it is damaged."""
    return _native.asset_get(self._store.number, _id(image))

  def info(self, image: str) -> Dict[str, Any]:
    """What is known of an asset: ``id``, ``type`` (the media type), ``bytes``, ``time`` and, where there are any,
    ``width`` and ``height`` in pixels and ``orientation``."""
    info: Dict[str, Any] = _convert.take(_native.asset_info(self._store.number, _id(image)))
    return info

  def fact(self, image: str, name: str) -> Optional[bytes]:
    """What somebody has found out about an asset, and put with Change.put_fact(); None if nothing is known."""
    try:
      return _native.asset_fact(self._store.number, _id(image), _native.text("the name of a fact", name))
    except NoValueError:
      return None

  def list(self) -> List[Dict[str, Any]]:
    """All assets, in the order of their ids: dicts as of info(), with ``uses``, the settings that refer to them."""
    found: List[Dict[str, Any]] = _convert.take(_native.asset_list(self._store.number))
    return found

  def __contains__(self, image: object) -> bool:
    if not isinstance(image, str):
      return False
    try:
      self.info(image)
    except (NotFoundError, InvalidArgumentError):
      return False
    return True

  def remove(self, image: str, *, force: bool = False) -> None:
    """Remove an asset; ConflictError if a setting refers to it, unless ``force`` is given."""
    _native.asset_remove(self._store.number, _id(image), _constants.ASSET_FORCE if force else 0)

  def collect(
    self, *, dry_run: bool = False, ignore_log: bool = False, min_age: Optional[_convert.Duration] = None
  ) -> Dict[str, Any]:
    """Remove all assets that nothing refers to, and tell which: a dict with ``removed``, ``bytes`` and ``kept``.

    ``dry_run`` removes nothing. ``ignore_log`` removes also what only undoing would bring back. ``min_age`` spares what
    was stored so few seconds ago, or a timedelta.
    """
    seconds = 0 if min_age is None else _convert.seconds("min_age", min_age)
    flags = (_constants.COLLECT_DRY_RUN if dry_run else 0) | (_constants.COLLECT_IGNORE_LOG if ignore_log else 0)
    report: Dict[str, Any] = _convert.take(
      _native.asset_collect(self._store.number, flags, math.ceil(min(seconds, 0xFFFF_FFFF)))
    )
    return report


def as_bytes(content: Content) -> bytes:
  """The content as the library takes it."""
  if not isinstance(content, (bytes, bytearray, memoryview)):
    raise TypeError(f"an asset is bytes, not {type(content).__name__}")
  return bytes(content)


def _id(image: Optional[str]) -> bytes:
  return _native.text("an asset's id", image)

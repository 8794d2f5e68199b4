"""Branding: colors, images that are matched to the device, and brands that are switched as one."""

from __future__ import annotations

from enum import Enum
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _constants, _convert, _native
from ._handle import Handle
from .change import Change
from .errors import InvalidArgumentError
from .value import Color, Layer

_IDIOMS = {
  "phone": _constants.IDIOM_PHONE,
  "tablet": _constants.IDIOM_TABLET,
  "tv": _constants.IDIOM_TV,
  "desktop": _constants.IDIOM_DESKTOP,
  "watch": _constants.IDIOM_WATCH,
}
_APPEARANCES = {"light": _constants.APPEARANCE_LIGHT, "dark": _constants.APPEARANCE_DARK}
_ORIENTATIONS = {"portrait": _constants.ORIENTATION_PORTRAIT, "landscape": _constants.ORIENTATION_LANDSCAPE}
_CONTRASTS = {"normal": _constants.CONTRAST_NORMAL, "high": _constants.CONTRAST_HIGH}

#: An image: a list of its variants, or one alone.
Variants = Union[Sequence[Mapping[str, Any]], Mapping[str, Any], str]


class ColorRole(str, Enum):
  """The six colors that every brand has. They are text, so each stands wherever the name of a color does."""

  TOOLBAR = "Toolbar"
  TOOLBAR_TEXT = "ToolbarText"
  PRIMARY_HIGHLIGHT = "PrimaryHighlight"
  PRIMARY_TEXT = "PrimaryText"
  SECONDARY_HIGHLIGHT = "SecondaryHighlight"
  SECONDARY_TEXT = "SecondaryText"

  def __str__(self) -> str:
    return str(self.value)


class ShownColor(NamedTuple):
  """A color as it is shown, and whether it is built in, since no source has set it."""

  color: Color
  is_built_in: bool


class Gradient(NamedTuple):
  """The two ends of a gradient: of the colors ``NAMEDark`` and ``NAMELight``."""

  dark: Color
  light: Color


class Traits(NamedTuple):
  """What is known of a device. An image is chosen by it; what is None or 0 is not known.

  ``idiom`` is phone, tablet, tv, desktop or watch; ``appearance`` light or dark; ``orientation`` portrait or landscape;
  ``contrast`` normal or high. ``scale`` is pixels a point, ``width`` and ``height`` are points, ``locale`` is a
  language tag.
  """

  idiom: Optional[str] = None
  scale: float = 0.0
  width: float = 0.0
  height: float = 0.0
  appearance: Optional[str] = None
  orientation: Optional[str] = None
  contrast: Optional[str] = None
  locale: Optional[str] = None

  def _given(self) -> _native.Traits:
    return (
      _number("idiom", self.idiom, _IDIOMS),
      _number("appearance", self.appearance, _APPEARANCES),
      _number("orientation", self.orientation, _ORIENTATIONS),
      _number("contrast", self.contrast, _CONTRASTS),
      float(self.scale),
      float(self.width),
      float(self.height),
      None if self.locale is None else _native.text("a locale", self.locale),
    )


class Rect(NamedTuple):
  """A rectangle; x and y are those of its upper left corner."""

  x: float
  y: float
  width: float
  height: float


def _number(what: str, word: Optional[str], words: Dict[str, int]) -> int:
  if word is None:
    return 0
  if word not in tuple(words):
    raise InvalidArgumentError(f"no such {what}: {word!r}; there are {', '.join(words)}")
  return words[word]


def _traits(traits: Optional[Traits]) -> Optional[_native.Traits]:
  if traits is None:
    return None
  if not isinstance(traits, Traits):
    raise TypeError(f"Traits are wanted, not {type(traits).__name__}")
  return traits._given()


def _brand(brand: Optional[str]) -> Optional[bytes]:
  return None if brand is None else _native.text("a brand", brand)


def aspect_fit(width: float, height: float, available_width: float, available_height: float) -> Rect:
  """Where an image goes that is shown whole, as large as it can be and in the middle."""
  return Rect(*_native.aspect_fit(width, height, available_width, available_height))


def match(variants: Variants, traits: Optional[Traits] = None) -> Dict[str, Any]:
  """Choose among variants of an image by a device: ``index`` (missing if none fits) and ``steps``."""
  value = _convert.make("variants", variants)
  try:
    found: Dict[str, Any] = _convert.take(_native.branding_match(value, _traits(traits)))
    return found
  finally:
    _native.value_release(value)


class Branding:
  """The brands of a store, and what of them is in effect; see docs/branding.md."""

  def __init__(self, store: Handle) -> None:
    self._store = store

  def __repr__(self) -> str:
    return f"<livery.Branding of a{' closed' if self._store.closed else 'n open'} store>"

  # -- What is in effect

  def color(self, role: str) -> Color:
    """The color of a role, such as ColorRole.TOOLBAR, or of any name; NoValueError if no source that counts has it."""
    return Color(*_native.branding_color(self._store.number, _native.text("a color's name", role)))

  def shown_color(self, role: str) -> ShownColor:
    """The color that a role is shown in: the one in effect, else the built-in of the six roles."""
    color, is_built_in = _native.branding_shown_color(self._store.number, _native.text("a color's name", role))
    return ShownColor(Color(*color), is_built_in)

  def gradient(self, name: str) -> Gradient:
    """The gradient of two colors, as of one moment: "listBackground" of listBackgroundDark and listBackgroundLight."""
    dark, light = _native.branding_gradient(self._store.number, _native.text("a gradient's name", name))
    return Gradient(Color(*dark), Color(*light))

  def image(self, name: str, traits: Optional[Traits] = None) -> Dict[str, Any]:
    """The variant of an image that fits the device best; NoValueError if there is none."""
    found: Dict[str, Any] = _convert.take(
      _native.branding_image(self._store.number, _native.text("an image's name", name), _traits(traits))
    )
    return found

  def explain(self, name: str, traits: Optional[Traits] = None) -> Dict[str, Any]:
    """How the variant of an image is chosen: ``variants``, ``steps``, ``reason``, ``index`` and ``image``."""
    found: Dict[str, Any] = _convert.take(
      _native.branding_explain(self._store.number, _native.text("an image's name", name), _traits(traits))
    )
    return found

  def check(self, brand: Optional[str] = None, traits: Optional[Traits] = None) -> Dict[str, Any]:
    """Look for what makes a brand hard to read or incomplete: ``passes``, ``findings``, ``pairs``, ``notes``."""
    found: Dict[str, Any] = _convert.take(
      _native.branding_check(self._store.number, _brand(brand), _traits(traits))
    )
    return found

  def preview(self, change: Change, traits: Optional[Traits] = None) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """What the brand in effect would be if a change set were committed now, and what ``check`` would say of it."""
    brand, report = _native.branding_preview(change._handle.number, _traits(traits))
    return _convert.take(brand), _convert.take(report)

  # -- Setting

  def set_color(self, role: str, color: Union[Color, str], layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Set a color; text is read as CSS writes colors."""
    number, target = self._store.number, Layer.of(layer)
    given = Color.parse(color) if isinstance(color, str) else color
    _native.branding_set_color(number, target, _native.text("a color's name", role), _convert.components(given))

  def set_image(self, name: str, variants: Variants, layer: Union[Layer, str, int] = Layer.USER) -> None:
    """Set the variants of an image."""
    number, target = self._store.number, Layer.of(layer)
    value = _convert.make(name, variants)
    try:
      _native.branding_set_image(number, target, _native.text("an image's name", name), value)
    finally:
      _native.value_release(value)

  # -- Sources

  def apply_plist(
    self,
    plist: Union[bytes, str],
    *,
    brand: Optional[str] = None,
    bundle: Optional[_convert.Path] = None,
    origin: Optional[str] = None,
    keep: bool = False,
  ) -> Dict[str, Any]:
    """Apply a branding property list of any dialect, in one commit, and return the report.

    ``bundle`` is the directory that the images are in. ``keep`` keeps the brand for use(). A list that is
    malformed is refused whole: ParseError and InvalidValueError carry the report.
    """
    number = self._store.number
    folder = None if bundle is None else _convert.path(bundle)
    source = _convert.origin(origin)
    flags = _constants.BRANDING_KEEP if keep else 0
    return _convert.report(_native.branding_apply_plist(number, _convert.property_list(plist), _brand(brand), folder, source, flags))

  def apply_directory(
    self,
    directory: _convert.Path,
    *,
    brand: Optional[str] = None,
    bundle: Optional[_convert.Path] = None,
    origin: Optional[str] = None,
    keep: bool = False,
  ) -> Dict[str, Any]:
    """Find the branding property list of a directory, apply it as apply_plist() does, and return the report.

    Its ``file`` is the list that was taken: skin.plist, AWSDKDefaultSettings.plist, Info.plist or the one of a variant,
    such as Wire-Info.plist. The images are those beside it, unless there is ``bundle``.
    """
    number = self._store.number
    folder = None if bundle is None else _convert.path(bundle)
    source = _convert.origin(origin)
    flags = _constants.BRANDING_KEEP if keep else 0
    return _convert.report(
      _native.branding_apply_directory(number, _convert.path(directory), _brand(brand), folder, source, flags)
    )

  def apply_console(
    self,
    payload: Mapping[str, Any],
    origin: Optional[str] = None,
    *,
    whole: Optional[bool] = None,
    replace: Optional[bool] = None,
  ) -> Dict[str, Any]:
    """Save what the console sends, in one commit, and return the report; what it sent before is replaced.

    ``whole`` makes it count alone: the brand of the bundle waits meanwhile. ``replace`` makes it become active: what
    people have set of it goes. Both may be said by the payload as well.
    """
    number = self._store.number
    source = _convert.origin(origin)
    told = {key: told for key, told in (("whole", whole), ("replace", replace)) if told is not None}
    if told and isinstance(payload, Mapping):
      payload = {**{key: part for key, part in payload.items() if str(key).lower() not in told}, **told}
    value = _convert.make("the payload", payload)
    try:
      return _convert.report(_native.branding_apply_console(number, value, source))
    finally:
      _native.value_release(value)

  def enabled(self, layer: Union[Layer, str, int]) -> bool:
    """Whether the values of a source count: of "bundle" or of "recommended", the console's."""
    return _native.branding_enabled(self._store.number, Layer.of(layer))

  def set_enabled(self, layer: Union[Layer, str, int], enabled: bool) -> None:
    """Switch a source on or off: all its values count, or stop counting, at once."""
    _native.branding_set_enabled(self._store.number, Layer.of(layer), enabled)

  def wipe(self) -> None:
    """Remove everything of branding that the console has set."""
    _native.branding_wipe(self._store.number)

  # -- Brands

  def use(self, brand: str) -> None:
    """Make another brand the active one, in one commit; NotFoundError if there is none of that name."""
    _native.branding_use(self._store.number, _native.text("a brand", brand))

  def remove(self, brand: str) -> None:
    """Remove a brand; if it is the active one, none is active afterwards."""
    _native.branding_remove(self._store.number, _native.text("a brand", brand))

  def brands(self) -> List[Dict[str, Any]]:
    """All brands: ``id``, ``active``, ``enabled``, ``name`` and ``identifier`` of each."""
    found: List[Dict[str, Any]] = _convert.take(_native.branding_list(self._store.number))
    return found

  def get(self, brand: Optional[str] = None) -> Dict[str, Any]:
    """A whole brand, active or not: ``colors``, ``images``, ``urls``, ``files`` and ``options``; without one, what is
    in effect."""
    found: Dict[str, Any] = _convert.take(_native.branding_get(self._store.number, _brand(brand)))
    return found

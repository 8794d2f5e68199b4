"""The types of values that Python has no type of its own for."""

from __future__ import annotations

import re
import struct
from datetime import datetime
from enum import IntEnum
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple, Union

from . import _constants, _native
from .errors import InvalidArgumentError, InvalidValueError


class Layer(IntEnum):
  """Where a value was set, weakest first. Every function that takes a layer takes its name in lower case, too."""

  DEFAULTS = _constants.LAYER_DEFAULTS
  BUNDLE = _constants.LAYER_BUNDLE
  RECOMMENDED = _constants.LAYER_RECOMMENDED
  USER = _constants.LAYER_USER
  SESSION = _constants.LAYER_SESSION
  ENFORCED = _constants.LAYER_ENFORCED
  OVERRIDE = _constants.LAYER_OVERRIDE

  @classmethod
  def of(cls, layer: Union["Layer", str, int]) -> "Layer":
    """The layer of that name or number; InvalidArgumentError if there is none."""
    if isinstance(layer, str):
      found = cls.__members__.get(layer.upper()) if layer == layer.lower() else None
    elif isinstance(layer, int) and not isinstance(layer, bool):
      found = next((one for one in cls if one == layer), None)
    else:
      raise TypeError(f"a layer is a name or a Layer, not {type(layer).__name__}")
    if found is None:
      names = ", ".join(name.lower() for name in cls.__members__)
      raise InvalidArgumentError(f"no such layer: {layer!r}; there are {names}")
    return found


class URL(str):
  """Text that is empty or an absolute URL. It is checked when it is set, not when it is made."""

  __slots__ = ()

  def __repr__(self) -> str:
    return f"URL({str.__repr__(self)})"


class Image(str):
  """A reference to an image asset, by convention the SHA-256 of its bytes in hexadecimal."""

  __slots__ = ()

  def __repr__(self) -> str:
    return f"Image({str.__repr__(self)})"


class Color(NamedTuple):
  """An sRGB color: components and alpha from 0 to 1, alpha not premultiplied. Stored with 32 bits a component."""

  red: float
  green: float
  blue: float
  alpha: float = 1.0

  @property
  def hex(self) -> str:
    """The color as ``#RRGGBBAA``, each component rounded to 8 bits."""
    return Color(*(max(0.0, min(1.0, component)) for component in self)).format("hexalpha")

  @classmethod
  def from_hex(cls, text: str) -> "Color":
    """The color that ``#RGB``, ``#RRGGBB`` or ``#RRGGBBAA`` spells, equal to what a store gives back for it.

    InvalidValueError for any other text.
    """
    if not re.fullmatch(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})", text):
      raise InvalidValueError(f"{text!r} is no color: write #RGB, #RRGGBB or #RRGGBBAA")
    digits = text[1:] if len(text) > 4 else "".join(digit * 2 for digit in text[1:])
    components = [int(digits[at : at + 2], 16) / 255 for at in range(0, len(digits), 2)]
    precision = f"{len(components)}f"
    return cls(*struct.unpack(precision, struct.pack(precision, *components)))


  @classmethod
  def parse(cls, text: str) -> "Color":
    """The color that a text of CSS spells: ``#RGB``, ``rgb(…)``, ``hsl(…)``, ``oklch(…)``, a name; ParseError for any
    other text."""
    return cls(*_native.color_parse(text.encode("utf-8", "surrogatepass")))

  def format(self, style: str = "hex") -> str:
    """The color as text that parse() reads back to the same 8 bits a component.

    ``style`` is hex (``#RRGGBB``, or ``#RRGGBBAA`` if it is not opaque), hexalpha, rgb, hsl, or name.
    """
    if style not in tuple(_STYLES):
      raise InvalidArgumentError(f"no such style: {style!r}; there are {', '.join(_STYLES)}")
    return _native.color_format(self, _STYLES[style])

  def contrast(self, background: "Color") -> float:
    """The contrast of WCAG 2.x of text in this color on a background, from 1 to 21."""
    return _native.color_contrast(self, background)

  def legible_text(self) -> "Color":
    """Black or white, whichever is more legible on this color."""
    return Color(*_native.color_legible_on(self))

  def nearest_passing(self, other: "Color", ratio: float = 4.5) -> "Color":
    """The color nearest to this one that has a contrast with another; NoValueError if none has."""
    return Color(*_native.color_nearest_passing(self, other, ratio))


_STYLES = {
  "hex": _constants.COLOR_HEX,
  "hexalpha": _constants.COLOR_HEX_ALPHA,
  "rgb": _constants.COLOR_RGB,
  "hsl": _constants.COLOR_HSL,
  "name": _constants.COLOR_NAME,
}

#: What a read returns, and what a list or an object is made of.
Value = Union[bool, int, float, str, bytes, datetime, Color, List[Any], Dict[str, Any]]

#: What can be set: the same, and what converts to it without a doubt.
Settable = Union[
  bool, int, float, str, bytes, bytearray, memoryview, datetime, Color, List[Any], Tuple[Any, ...], Mapping[str, Any]
]

"""Images that text is shown on: an extension, the library liblivery-images.so, which decodes images and judges by their pixels.

    from livery import images

    background = images.put(store, png)
    images.illegible_share(store, background, Color.parse("white"))
"""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Iterable, List, NamedTuple, Optional

from . import _convert, _native
from ._native import calls
from ._native.interface import Color as _Color
from .asset import Content, as_bytes
from .change import Change
from .store import Store
from .value import Color, Image

_ID_SIZE = 65
_ANY = 1
_AGAIN = 1
_AREAS_MAX = 1000
_WHITE = Color(1, 1, 1, 1)


class Area(NamedTuple):
  """A part of an image that text lies on, in fractions of its sides as shown."""

  x: float
  y: float
  width: float
  height: float
  #: How much it counts for its size.
  weight: float = 1


class _Area(ctypes.Structure):
  _fields_ = [(name, ctypes.c_double) for name in Area._fields]


class _Options(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("areas", ctypes.POINTER(_Area)), ("area_count", ctypes.c_size_t),
    ("required", ctypes.c_double),
  ]


def _load() -> ctypes.CDLL:
  library = _native.extension("images")
  pointer, size, flags = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
  library.livery_images_put.argtypes = [pointer, ctypes.c_char_p, size, flags, ctypes.c_char_p]
  library.livery_images_put_into.argtypes = [pointer, ctypes.c_char_p, size, flags, ctypes.c_char_p]
  library.livery_images_judge.argtypes = [pointer, ctypes.c_char_p, flags, pointer]
  library.livery_images_legibility.argtypes = [
    pointer, ctypes.c_char_p, _Color, _Color, ctypes.POINTER(_Options), ctypes.POINTER(ctypes.c_double)
  ]
  return library


_library = _load()


def put(store: Store, content: Content, *, any: bool = False) -> Image:
  """Store an image, and with it what legibility follows from, in one commit.

  ParseError if it cannot be judged, unless ``any`` is given; the message says why.
  """
  return _put(_library.livery_images_put, store._handle.number, content, any)


def put_into(change: Change, content: Content, *, any: bool = False) -> Image:
  """The same by the commit of a change set: ``change["branding.image.background"] = images.put_into(change, png)``."""
  return _put(_library.livery_images_put_into, change._handle.number, content, any)


def _put(function: Any, target: int, content: Content, any: bool) -> Image:
  asset_id = ctypes.create_string_buffer(_ID_SIZE)
  raw = as_bytes(content)
  calls.check(function(target, raw, len(raw), _ANY if any else 0, asset_id))
  return Image(asset_id.value.decode())


def judge(store: Store, image: Optional[str] = None, *, again: bool = False) -> Dict[str, Any]:
  """Judge an image that was stored without it, or all such images; with ``again`` also those that were judged before.

  The report has ``judged`` and ``known``, numbers, and ``refused``, a list of dicts ``id``, ``reason`` and ``final``.
  """
  asset_id = None if image is None else _native.text("an asset's id", image)
  report: Dict[str, Any] = _convert.take(
    calls.handle(_library.livery_images_judge, store._handle.number, asset_id, _AGAIN if again else 0)
  )
  return report


def illegible_share(
  store: Store, image: str, text: Color, background: Color = _WHITE, *, areas: Iterable[Area] = (), required: float = 4.5
) -> float:
  """The share of an image on which a text has too little contrast, from 0 to 1; with areas, of these parts of it.

  Where the image is not opaque it is seen over the background. NoValueError if the image was never judged, or cannot be.
  """
  places: List[_Area] = [_Area(*(float(number) for number in area)) for area in areas]
  options = calls.options(
    _Options, areas=(_Area * len(places))(*places), area_count=min(len(places), _AREAS_MAX + 1), required=float(required)
  )
  share: float = calls.out(
    ctypes.c_double, _library.livery_images_legibility, store._handle.number, _native.text("an asset's id", image),
    _Color(*_convert.components(text)), _Color(*_convert.components(background)), ctypes.byref(options),
  )
  return share

"""branding.h: colors, images matched to devices, and brands."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_bool, c_double
from typing import Optional, Tuple

from . import interface
from .calls import check, fill, handle, lib, options, out
from .interface import Color
from .schema import Report, _report
from .value import Components, components


#: idiom, appearance, orientation, contrast, scale, width, height, locale
Traits = Tuple[int, int, int, int, float, float, float, Optional[bytes]]

def _color(color: Components) -> Color:
  return Color(*color)


def _given(traits: Optional[Traits]) -> Optional["ctypes._Pointer[interface.Traits]"]:
  return None if traits is None else ctypes.pointer(interface.Traits(ctypes.sizeof(interface.Traits), *traits))


def color_parse(text: bytes) -> Components:
  color = Color()
  check(lib.color_parse(text, len(text), byref(color)))
  return components(color)


def color_format(color: Components, style: int) -> str:
  return fill(lib.color_format, _color(color), style).decode()


def color_contrast(text: Components, background: Components) -> float:
  return float(out(c_double, lib.color_contrast, _color(text), _color(background)))


def color_legible_on(background: Components) -> Components:
  color = Color()
  check(lib.color_legible_on(_color(background), byref(color)))
  return components(color)


def color_nearest_passing(color: Components, other: Components, ratio: float) -> Components:
  nearest = Color()
  check(lib.color_nearest_passing(_color(color), _color(other), ratio, byref(nearest)))
  return components(nearest)


def aspect_fit(width: float, height: float, wide: float, high: float) -> Components:
  rect = interface.Rect()
  check(lib.aspect_fit(width, height, wide, high, byref(rect)))
  return rect.x, rect.y, rect.width, rect.height


def branding_match(variants: int, traits: Optional[Traits]) -> int:
  return handle(lib.branding_match, variants, _given(traits))


def branding_color(store: int, role: bytes) -> Components:
  color = Color()
  check(lib.branding_color(store, role, byref(color)))
  return components(color)


def branding_shown_color(store: int, role: bytes) -> Tuple[Components, bool]:
  color, is_built_in = Color(), c_bool()
  check(lib.branding_shown_color(store, role, byref(color), byref(is_built_in)))
  return components(color), bool(is_built_in.value)


def branding_gradient(store: int, name: bytes) -> Tuple[Components, Components]:
  dark, light = Color(), Color()
  check(lib.branding_gradient(store, name, byref(dark), byref(light)))
  return components(dark), components(light)


def branding_set_color(store: int, layer: int, role: bytes, color: Components) -> None:
  check(lib.branding_set_color(store, layer, role, _color(color)))


def branding_set_image(store: int, layer: int, name: bytes, variants: int) -> None:
  check(lib.branding_set_image(store, layer, name, variants))


def branding_image(store: int, name: bytes, traits: Optional[Traits]) -> int:
  return handle(lib.branding_image, store, name, _given(traits))


def branding_explain(store: int, name: bytes, traits: Optional[Traits]) -> int:
  return handle(lib.branding_explain, store, name, _given(traits))


def branding_apply_plist(
  store: int, plist: bytes, brand: Optional[bytes], bundle: Optional[bytes], origin: Optional[bytes], flags: int
) -> Report:
  given = options(interface.BrandingOptions, brand=brand, bundle=bundle, origin=origin, flags=flags)
  return _report(lib.branding_apply_plist, store, plist, len(plist), byref(given))


def branding_apply_directory(
  store: int, directory: bytes, brand: Optional[bytes], bundle: Optional[bytes], origin: Optional[bytes], flags: int
) -> Report:
  given = options(interface.BrandingOptions, brand=brand, bundle=bundle, origin=origin, flags=flags)
  return _report(lib.branding_apply_directory, store, directory, byref(given))


def branding_apply_console(store: int, payload: int, origin: Optional[bytes]) -> Report:
  return _report(lib.branding_apply_console, store, payload, origin)


def branding_enabled(store: int, layer: int) -> bool:
  return bool(out(c_bool, lib.branding_enabled, store, layer))


def branding_set_enabled(store: int, layer: int, enabled: bool) -> None:
  check(lib.branding_set_enabled(store, layer, enabled))


def branding_wipe(store: int) -> None:
  check(lib.branding_wipe(store))


def branding_use(store: int, brand: bytes) -> None:
  check(lib.branding_use(store, brand))


def branding_remove(store: int, brand: bytes) -> None:
  check(lib.branding_remove(store, brand))


def branding_list(store: int) -> int:
  return handle(lib.branding_list, store)


def branding_get(store: int, brand: Optional[bytes]) -> int:
  return handle(lib.branding_get, store, brand)


def branding_check(store: int, brand: Optional[bytes], traits: Optional[Traits]) -> int:
  return handle(lib.branding_check, store, brand, _given(traits))


def branding_preview(change: int, traits: Optional[Traits]) -> Tuple[int, int]:
  brand, report = ctypes.c_void_p(), ctypes.c_void_p()
  check(lib.branding_preview(change, _given(traits), byref(brand), byref(report)))
  return brand.value or 0, report.value or 0

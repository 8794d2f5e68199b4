"""form.h."""

from __future__ import annotations

from ctypes import byref
from typing import Optional

from .calls import handle, lib, options
from .interface import FormOptions, SearchOptions


def form(store: int, layer: int, locale: Optional[bytes], hidden: bool) -> int:
  given = options(FormOptions, layer=layer, has_layer=True, hidden=hidden, locale=locale)
  return handle(lib.form, store, byref(given))


def search(store: int, query: bytes, limit: int, locale: Optional[bytes], hidden: bool) -> int:
  given = options(SearchOptions, limit=limit, locale=locale, hidden=hidden)
  return handle(lib.search, store, query, byref(given))

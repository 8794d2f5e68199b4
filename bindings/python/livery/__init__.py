"""Livery: the settings and branding store for apps on devices.

    with livery.open("/var/lib/kiosk/settings", create=True) as store:
      store.set("idleResetSeconds", 120)
      print(store.get_int("idleResetSeconds"))

A store is a directory that any number of processes and threads use at once. See docs/python.md.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

from ._native import library_path, library_version
from .asset import Assets, describe_image
from .branding import Branding, ColorRole, Gradient, Rect, ShownColor, Traits, aspect_fit, match
from .change import Change
from .errors import (
  BufferTooSmallError,
  BusyError,
  CancelledError,
  ClosedError,
  ConflictError,
  CorruptError,
  DuplicateError,
  ForkedError,
  FormatNewerError,
  GoneError,
  InputOutputError,
  InvalidArgumentError,
  InvalidValueError,
  LiveryError,
  LockedError,
  MigrationError,
  NetworkError,
  NoMemoryError,
  NoSpaceError,
  NoValueError,
  NotAStoreError,
  NotFoundError,
  ParseError,
  PermissionDeniedError,
  ReadOnlyError,
  RefusedError,
  SchemaInvalidError,
  SchemaNewerError,
  TimedOutError,
  TypeMismatchError,
  UnavailableError,
)
from .event import Event, EventKind
from .events import AsyncEvents, Events
from .key import Key
from .log import LogLevel, set_log_handler
from .maintenance import check_store
from .migration import Migration, MigrationFunction
from .opening import NEVER, open
from .schema import check_schema, compare_schemas
from .snapshot import Snapshot
from .store import Store
from .value import URL, Color, Image, Layer, Settable, Value
from .watch import Watch

__version__ = "0.1.0"

#: Extensions, each with a library of its own, which is loaded when the module is used first.
_EXTENSIONS = ("fetch", "images", "page", "picker", "prompt", "secrets", "session", "sync")


def _extension(name: str) -> ModuleType:
  """The module of an extension, as `livery.sync`, without an import of its own."""
  if name in _EXTENSIONS:
    return importlib.import_module(f"{__name__}.{name}")
  raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if TYPE_CHECKING:
  # A function for any name would have checkers take what is misspelt for a module.
  from . import fetch, images, page, picker, prompt, secrets, session, sync
else:
  __getattr__ = _extension


__all__ = [
  "Assets",
  "AsyncEvents",
  "Branding",
  "BufferTooSmallError",
  "BusyError",
  "CancelledError",
  "Change",
  "ClosedError",
  "Color",
  "ColorRole",
  "ConflictError",
  "CorruptError",
  "DuplicateError",
  "Event",
  "EventKind",
  "Events",
  "ForkedError",
  "FormatNewerError",
  "GoneError",
  "Gradient",
  "Image",
  "InputOutputError",
  "InvalidArgumentError",
  "InvalidValueError",
  "Key",
  "Layer",
  "LiveryError",
  "LockedError",
  "LogLevel",
  "Migration",
  "MigrationError",
  "MigrationFunction",
  "NEVER",
  "NetworkError",
  "NoMemoryError",
  "NoSpaceError",
  "NoValueError",
  "NotAStoreError",
  "NotFoundError",
  "ParseError",
  "PermissionDeniedError",
  "ReadOnlyError",
  "Rect",
  "RefusedError",
  "SchemaInvalidError",
  "SchemaNewerError",
  "Settable",
  "ShownColor",
  "Snapshot",
  "Store",
  "TimedOutError",
  "Traits",
  "TypeMismatchError",
  "URL",
  "UnavailableError",
  "Value",
  "Watch",
  "aspect_fit",
  "check_schema",
  "compare_schemas",
  "check_store",
  "describe_image",
  "library_path",
  "library_version",
  "match",
  "open",
  "set_log_handler",
]

"""Secrets sealed with a key: an extension, the library liblivery-secrets.so, on libsodium.

    from livery import secrets

    with livery.open("store") as store, secrets.open(store, file="/etc/kiosk/settings.key"):
      store.set("token", "…")
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, Optional, Union

from . import _convert, _native
from ._native import calls
from ._native.called import entry, forgotten, keep
from ._native.interface import DestroyFunction
from .errors import ClosedError, LiveryError
from .store import Store

#: Hands out the text of the keys: a line `livery-key-1 ` and base64 for each, the one that seals first.
KeyFunction = Callable[[], Union[str, bytes]]

_KEY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t), ctypes.c_void_p)
_UNAVAILABLE = -27
_hand_out = entry(_KEY, otherwise=_UNAVAILABLE)


class _Options(ctypes.Structure):
  _fields_ = [
    ("struct_size", ctypes.c_size_t), ("file", ctypes.c_char_p), ("keyring", ctypes.c_char_p),
    ("credential", ctypes.c_char_p), ("function", _KEY), ("user_data", ctypes.c_void_p), ("destroy", DestroyFunction),
  ]


def _load() -> ctypes.CDLL:
  library = _native.extension("secrets")
  pointer = ctypes.c_void_p
  library.livery_secrets_make_key.argtypes = [ctypes.POINTER(_Options)]
  library.livery_secrets_open.argtypes = [pointer, ctypes.POINTER(_Options), ctypes.POINTER(pointer)]
  for name in ("close", "reload"):
    getattr(library, "livery_secrets_" + name).argtypes = [pointer]
  for name in ("rotate", "status"):
    getattr(library, "livery_secrets_" + name).argtypes = [pointer, pointer]
  return library


_library = _load()


class Secrets:
  """What seals the secrets of a store, until it is closed."""

  def __init__(self, handle: int) -> None:
    self._handle = handle

  def reload(self) -> None:
    """Read the key anew, as when it has come or was exchanged."""
    calls.check(_library.livery_secrets_reload(self._open))

  @property
  def _open(self) -> int:
    if not self._handle:
      raise ClosedError("these secrets were closed")
    return self._handle

  def rotate(self) -> Dict[str, Any]:
    """Exchange the key, seal everything anew, and report what was done."""
    report: Dict[str, Any] = _convert.take(calls.handle(_library.livery_secrets_rotate, self._open))
    return report

  def status(self) -> Dict[str, Any]:
    """How the secrets lie in the store, where the key is, and the ids of those that are known."""
    report: Dict[str, Any] = _convert.take(calls.handle(_library.livery_secrets_status, self._open))
    return report

  def close(self) -> None:
    """Stop sealing and opening; closing twice is fine."""
    handle, self._handle = self._handle, 0
    if handle:
      calls.check(_library.livery_secrets_close(handle))

  def __enter__(self) -> "Secrets":
    return self

  def __exit__(self, *_: object) -> None:
    self.close()


def make_key(*, file: Optional[_convert.Path] = None, keyring: Optional[str] = None) -> None:
  """Make a key by chance, where there is none; ConflictError if there is one."""
  options = _options(file, keyring, None, None)
  calls.check(_library.livery_secrets_make_key(ctypes.byref(options)))


def open(
  store: Store, *, file: Optional[_convert.Path] = None, keyring: Optional[str] = None, credential: Optional[str] = None,
  function: Optional[KeyFunction] = None,
) -> Secrets:
  """Seal the secrets of a store from now on, and open them: one of ``file``, ``keyring``, ``credential`` and ``function``.

  UnavailableError if there is no key, PermissionDeniedError if others may read it, too.
  """
  number = store._handle.number
  options = _options(file, keyring, credential, function)
  handle = ctypes.c_void_p()
  calls.check(_library.livery_secrets_open(number, ctypes.byref(options), ctypes.byref(handle)))
  return Secrets(handle.value or 0)


def _options(
  file: Optional[_convert.Path], keyring: Optional[str], credential: Optional[str], function: Optional[KeyFunction]
) -> _Options:
  options = calls.options(
    _Options, file=None if file is None else _convert.path(file),
    keyring=None if keyring is None else _native.text("a key's description", keyring),
    credential=None if credential is None else _native.text("a credential's name", credential),
  )
  if function is not None:
    # Whoever hands these over hands on the number.
    options.function, options.user_data, options.destroy = _hand_out, keep(_calling(function)), forgotten
  return options


def _calling(function: KeyFunction) -> Callable[..., int]:
  def hand_out(place: int, capacity: int, length: Any) -> int:
    try:
      text = function()
      raw = text.encode() if isinstance(text, str) else bytes(text)
      length[0] = len(raw)
      if len(raw) <= capacity:
        ctypes.memmove(place, raw, len(raw))
      return 0
    except LiveryError as error:
      return _native.refuse(_native.status_of(error, _UNAVAILABLE), error)
    except BaseException as failure:
      _native.unraisable(failure)
      # What it says may have something of the key.
      return _native.leave(_UNAVAILABLE, f"the function that hands out the key has raised {type(failure).__name__}")

  return hand_out

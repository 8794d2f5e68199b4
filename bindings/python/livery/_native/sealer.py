"""sealer.h: secrets that lie sealed."""

from __future__ import annotations

from .._constants import RESEAL_COPIES
from .calls import handle, lib


def reseal(store: int, copies: bool) -> int:
  return handle(lib.reseal, store, RESEAL_COPIES if copies else 0)


def sealing(store: int) -> int:
  return handle(lib.sealing, store)

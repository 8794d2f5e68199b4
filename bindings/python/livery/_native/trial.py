"""trial.h."""

from __future__ import annotations

from typing import Optional

from .calls import check, handle, lib


def change_trial(change: int, microseconds: int) -> None:
  check(lib.change_trial(change, microseconds))


def trial_confirm(store: int, revision: int, origin: Optional[bytes]) -> None:
  check(lib.trial_confirm(store, revision, origin))


def trial_revert(store: int, revision: int, origin: Optional[bytes]) -> None:
  check(lib.trial_revert(store, revision, origin))


def trial_status(store: int) -> int:
  return handle(lib.trial_status, store)

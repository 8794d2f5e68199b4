"""What is told of a change."""

from __future__ import annotations

from datetime import datetime
from enum import IntEnum
from typing import Any, NamedTuple, Optional

from . import _constants, _convert, _native
from .value import Layer


class EventKind(IntEnum):
  """What an event tells."""

  #: The effective value changed.
  CHANGED = _constants.EVENT_CHANGED
  #: The value stayed, and weaker layers were locked or unlocked: ``writable`` says which.
  WRITABILITY = _constants.EVENT_WRITABILITY
  #: A schema was applied; changes of values that it brought follow. No name.
  SCHEMA = _constants.EVENT_SCHEMA
  #: The effective value changed because a value's time was over.
  EXPIRED = _constants.EVENT_EXPIRED
  #: Changes were missed, since the log has been trimmed past them: read anew what you watch. No name.
  RESYNC = _constants.EVENT_RESYNC
  #: The present value, at the start.
  INITIAL = _constants.EVENT_INITIAL
  #: A commit is on trial; what it changed follows. No name.
  TRIAL = _constants.EVENT_TRIAL
  #: What was on trial was confirmed, and stays. No name.
  CONFIRMED = _constants.EVENT_CONFIRMED
  #: What was on trial went back; what that changed follows. No name.
  REVERTED = _constants.EVENT_REVERTED


class Event(NamedTuple):
  """A change, and the commit that made it. The values are the effective ones; None for no value.

  Those of a setting that is ``secret`` are not for everyone's eyes.
  """

  revision: int
  time: datetime
  kind: EventKind
  layer: Layer
  name: Optional[str]
  old: Any
  new: Any
  origin: str
  writable: bool
  secret: bool
  #: A value is not told since it is sealed and cannot be opened here.
  unavailable: bool = False


def from_raw(raw: _native.RawEvent) -> Event:
  return Event(
    raw.revision,
    _convert.moment(raw.time),
    EventKind(raw.kind),
    Layer(raw.layer),
    raw.name,
    _convert.look(raw.old) if raw.old else None,
    _convert.look(raw.new) if raw.new else None,
    raw.origin,
    raw.writable,
    raw.secret,
    raw.unavailable,
  )

"""What Apple's formats share: values of property lists, and texts in languages."""

from __future__ import annotations

import base64
import datetime
import plistlib
from typing import Any, Dict, Optional

from .document import Document, Element
from .nested import flatten
from .place import Refused
from .source import Object, Source, read_plist


def plain(value: Any) -> Any:
  """A value of a property list as JSON: moments as RFC 3339, bytes as base64."""
  if isinstance(value, datetime.datetime):
    return value.replace(tzinfo=None).isoformat() + "Z"
  if isinstance(value, bytes):
    return base64.b64encode(value).decode()
  if isinstance(value, list):
    return [plain(one) for one in value]
  if isinstance(value, dict):
    made = Object({name: plain(one) for name, one in value.items()})
    if isinstance(value, Object):
      made.line, made.lines = value.line, value.lines
    return made
  return value


def moment(text: str) -> Optional[datetime.datetime]:
  """A moment of RFC 3339 as property lists have it, in seconds of UTC; a leap second is the one after it. None if it is none."""
  leap = text[17:19] == "60"
  if leap:
    text = f"{text[:17]}59{text[19:]}"
  try:
    parsed = datetime.datetime.fromisoformat(text.replace("Z", "+00:00").replace("z", "+00:00")) + datetime.timedelta(seconds=leap)
  except (ValueError, OverflowError):
    return None
  return parsed.astimezone(datetime.timezone.utc).replace(tzinfo=None) if parsed.tzinfo else parsed


def typed(setting: Dict[str, Any], value: Any) -> Any:
  """A value that is no list as property lists have it: moments and bytes by the setting's type."""
  kind = setting.get("Type")
  if kind == "Date" and isinstance(value, str):
    return moment(value) or value
  if kind == "Data" and isinstance(value, str):
    return base64.b64decode(value)
  if kind == "Number" and setting.get("Format") != "integer" and isinstance(value, int):
    return float(value)
  return value


def read_values(document: Document, source: Source) -> None:
  """The values of a property list; dictionaries in it by names with dots."""
  value = plain(read_plist(source))
  if not isinstance(value, Object):
    raise Refused(source.place(1), "not a dictionary")
  flatten(document, value, source)


def plist(value: Any) -> bytes:
  return plistlib.dumps(value, sort_keys=False)


def whole(document: Document, setting: Optional[Element], name: str, value: Any) -> Any:
  """A value of a property list, whose moments are of whole seconds."""
  if isinstance(value, list):
    return [whole(document, setting, name, one) for one in value]
  if isinstance(value, dict):
    return {member: whole(document, setting, name, one) for member, one in value.items()}
  if isinstance(value, datetime.datetime) and value.microsecond:
    document.lose(setting.place if setting else document.place, name, "property lists have no fractions of seconds")
  return value

"""Python's own types to the library's values and back."""

from __future__ import annotations

import json
import os
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import _constants, _native
from .errors import InvalidArgumentError, InvalidValueError, LiveryError, TypeMismatchError
from .value import URL, Color, Image

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)

# -- Values to Python -------------------------------------------------------------------------------------------------


def moment(microseconds: int) -> datetime:
  """The library's dates are of the years 1 to 9999, and so are Python's."""
  return _EPOCH + timedelta(microseconds=microseconds)


def take(value: int) -> Any:
  """The value as Python's own types; its reference is released."""
  place = _native.place()
  place.value.value = value
  return place.take(READERS)


def look(value: int) -> Any:
  """The value as Python's own types; the reference stays the library's."""
  place = _native.place()
  place.value.value = value
  content = place.read(READERS)
  place.free()
  return content


def _items(place: _native.Place) -> List[Any]:
  items: List[Any] = []
  inner = _native.place()
  for index in range(place.count()):
    place.item(index, inner)
    try:
      items.append(inner.read(READERS))
    finally:
      inner.release()
  inner.free()
  return items


def _members(place: _native.Place) -> Dict[str, Any]:
  keys = [place.key(index) for index in range(place.count())]
  return dict(zip(keys, _items(place)))


#: What gives the value in a place as Python's own types.
READERS: _native.Readers = {
  _constants.TYPE_BOOL: _native.Place.as_bool,
  _constants.TYPE_INT: _native.Place.as_int,
  _constants.TYPE_DOUBLE: _native.Place.as_double,
  _constants.TYPE_STRING: _native.Place.as_string,
  _constants.TYPE_DATA: _native.Place.as_data,
  _constants.TYPE_URL: lambda place: URL(place.as_string()),
  _constants.TYPE_DATE: lambda place: moment(place.as_date()),
  _constants.TYPE_COLOR: lambda place: Color(*place.as_color()),
  _constants.TYPE_IMAGE: lambda place: Image(place.as_string()),
  _constants.TYPE_LIST: _items,
  _constants.TYPE_OBJECT: _members,
}


def large(place: _native.Place) -> Any:
  """The value in a place as Python's own types; its reference is released."""
  return place.take(READERS)


#: What makes Python's own of what the library tells of small values, but for those that need nothing made.
MAKERS: _native.Makers = {
  _constants.TYPE_DATA: bytes,
  _constants.TYPE_URL: URL,
  _constants.TYPE_DATE: moment,
  _constants.TYPE_COLOR: lambda components: Color(*components),
  _constants.TYPE_IMAGE: Image,
}


def report(outcome: _native.Report) -> Dict[str, Any]:
  """The report of a call; on failure the exception carries it."""
  error, value = outcome
  content: Optional[Dict[str, Any]] = take(value) if value else None
  if error is not None:
    error.report = content
    raise error
  return content or {}


# -- Names, paths and documents ---------------------------------------------------------------------------------------

#: A path, as the functions of `os` take it.
Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

#: A document: its text, or what it would be read to.
Document = Union[str, bytes, bytearray, Mapping[str, Any]]


def name(name: str) -> bytes:
  return _native.text("a setting's name", name)


def pattern(pattern: Optional[str]) -> Optional[bytes]:
  return None if pattern is None else _native.text("a pattern", pattern)


def origin(origin: Optional[str]) -> Optional[bytes]:
  return None if origin is None else _native.text("an origin", origin)


def path(path: Path) -> bytes:
  raw = os.fsencode(path)
  if b"\0" in raw:
    raise InvalidArgumentError("the path contains a NUL")
  return raw


def _plain(value: object) -> object:
  """A value that JSON has; TypeError for what it would take for something else."""
  if isinstance(value, Mapping):
    for key in value:
      if not isinstance(key, str):
        raise TypeError(f"the name {key!r} is not text")
    return {key: _plain(one) for key, one in value.items()}
  if isinstance(value, Color):
    raise TypeError("JSON has no colors: write it as text")
  if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63:
    raise ValueError(f"the integer {value} does not fit in 64 bits with sign")
  return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def property_list(plist: Union[bytes, str]) -> bytes:
  """Its bytes, of XML in UTF-8."""
  if isinstance(plist, Mapping):
    raise TypeError(f"a property list is text or bytes, not {type(plist).__name__}: plistlib.dumps() makes one")
  return document(plist)


def document(document: Document) -> bytes:
  """The document's text in UTF-8."""
  if isinstance(document, (bytes, bytearray)):
    return bytes(document)
  if isinstance(document, str):
    try:
      return document.encode()
    except UnicodeEncodeError:
      raise InvalidValueError("the text is not valid Unicode: it contains a surrogate") from None
  if isinstance(document, Mapping):
    try:
      return json.dumps(_plain(document), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
      raise InvalidValueError(f"the document cannot be written as JSON: {error}") from None
  raise TypeError(f"a document is text, bytes or a mapping, not {type(document).__name__}")


# -- Numbers and durations --------------------------------------------------------------------------------------------

#: A time in seconds.
Duration = Union[float, timedelta]


def seconds(what: str, duration: Duration) -> float:
  """InvalidArgumentError if it is negative or NaN."""
  number = duration.total_seconds() if isinstance(duration, timedelta) else duration
  if not hasattr(number, "__float__"):
    raise TypeError(f"{what} is seconds or a timedelta, not {type(duration).__name__}")
  if not number >= 0:
    raise InvalidArgumentError(f"{what} is negative or NaN: {duration}")
  return number


def patience(timeout: Optional[Duration]) -> Optional[float]:
  """How long somebody waits, in seconds; None for as long as it takes."""
  return timeout.total_seconds() if isinstance(timeout, timedelta) else timeout


def milliseconds(what: str, duration: Duration) -> int:
  """InvalidArgumentError for none, and for more than a day."""
  number = seconds(what, duration)
  if not 0 < number <= 86_400:
    raise InvalidArgumentError(f"{what} is more than 0 and at most 86400 seconds")
  return max(1, int(number * 1000))


def length(delay: Duration) -> timedelta:
  """From seconds too. InvalidArgumentError for what is NaN, or longer than the calendar."""
  if isinstance(delay, timedelta):
    return delay
  if isinstance(delay, bool) or not isinstance(delay, (int, float)):
    raise TypeError(f"a time is in seconds or a timedelta, not {type(delay).__name__}")
  try:
    return timedelta(seconds=delay)
  except (OverflowError, ValueError):
    raise InvalidArgumentError(f"there is no time of {delay} seconds") from None


def later(delay: Duration) -> datetime:
  """So long from now. InvalidArgumentError beyond the calendar."""
  try:
    return datetime.now(timezone.utc) + length(delay)
  except OverflowError:
    raise InvalidArgumentError(f"{delay} from now is beyond the year 9999") from None


def within(what: str, number: float, bits: int, least: int = 0) -> int:
  """The number, if so many bits hold it: to C it would be handed cut off."""
  if not hasattr(number, "__float__"):
    raise TypeError(f"{what} is a number, not {type(number).__name__}")
  if not least <= number < 1 << bits:
    raise InvalidArgumentError(f"{what} is out of range: {number}")
  if number != int(number):
    raise InvalidArgumentError(f"{what} is not whole: {number}")
  return int(number)


# -- Python to values -------------------------------------------------------------------------------------------------


def make(name: str, value: object) -> int:
  """A new reference to a value for a setting, to be released. Errors name the setting and the place in the value."""
  path: List[str] = []
  try:
    return _make(value, path)
  except LiveryError as error:
    raise type(error)(f"{name}{''.join(path)}: {error.message}", setting=name) from None


def microseconds(when: datetime) -> int:
  """Since 1970; InvalidValueError for a datetime without a time zone."""
  if not isinstance(when, datetime):
    raise TypeError(f"a datetime is wanted, not {type(when).__name__}")
  if when.utcoffset() is None:
    raise InvalidValueError(f"{when.isoformat()} has no time zone: use an aware datetime")
  return (when - _EPOCH) // _MICROSECOND


def _make(value: object, path: List[str]) -> int:
  if isinstance(value, bool):
    return _native.make_bool(value)
  if isinstance(value, int):
    if not -(1 << 63) <= value < 1 << 63:
      raise InvalidValueError("the integer does not fit in 64 bits with sign")
    return _native.make_int(int(value))
  if isinstance(value, float):
    return _native.make_double(value)
  if isinstance(value, URL):
    return _native.make_url(_utf8(value))
  if isinstance(value, Image):
    return _native.make_image(_utf8(value))
  if isinstance(value, str):
    return _native.make_string(_utf8(value))
  if isinstance(value, (bytes, bytearray, memoryview)):
    return _native.make_data(bytes(value))
  if isinstance(value, datetime):
    return _native.make_date(microseconds(value))
  if isinstance(value, Color):
    return _native.make_color(components(value))
  if isinstance(value, (list, tuple)):
    return _assembled(len(value), ((f"[{i}]", item) for i, item in enumerate(value)), path, _native.make_list)
  if isinstance(value, Mapping):
    keys, members = [_key(key) for key in value], [(f".{key}", member) for key, member in value.items()]
    return _assembled(len(keys), members, path, lambda items: _native.make_object(keys, items))
  if value is None:
    raise TypeMismatchError("None is no value; use reset() to remove one")
  kind = type(value)
  known = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
  raise TypeMismatchError(f"{known} is no type that a setting can have")


def _assembled(
  count: int, parts: Iterable[Tuple[str, Any]], path: List[str], assemble: Callable[[List[int]], int]
) -> int:
  if len(path) >= _constants.DEPTH_MAX:
    raise InvalidValueError(f"the value is nested deeper than {_constants.DEPTH_MAX}")
  if count > _constants.VALUE_MAX:
    raise InvalidValueError(f"the value is larger than {_constants.VALUE_MAX} bytes")
  items: List[int] = []
  try:
    for step, part in parts:
      path.append(step)
      items.append(_make(part, path))
      path.pop()
    return assemble(items)
  finally:
    for item in items:
      _native.value_release(item)


def _utf8(value: str) -> bytes:
  try:
    return value.encode()
  except UnicodeEncodeError:
    raise InvalidValueError("the text is not valid Unicode: it contains a surrogate") from None


def _key(key: object) -> bytes:
  if not isinstance(key, str):
    raise TypeMismatchError(f"the key {key!r} is not text")
  raw = _utf8(key)
  if b"\0" in raw:
    raise InvalidValueError(f"the key {key!r} contains a NUL")
  return raw


def components(color: Color) -> _native.Components:
  try:
    red, green, blue, alpha = (float(component) for component in color)
  except (TypeError, ValueError, OverflowError):
    raise InvalidValueError("a color's components are numbers from 0 to 1") from None
  return red, green, blue, alpha

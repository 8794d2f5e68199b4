"""Files that are read: JSON, XML and property lists, each part with its line."""

from __future__ import annotations

import datetime
import json
import json.decoder
import json.scanner
import math
import os
import plistlib
import re
import xml.parsers.expat
from typing import Any, Dict, List, Optional, Tuple

from .place import Place, Refused

#: Beyond these no file of settings is one.
MOST_BYTES, MOST_DEPTH, MOST_VALUES = 64 << 20, 100, 1_000_000


class Source:
  """A file, as bytes."""

  def __init__(self, path: str, data: bytes) -> None:
    self.path, self.data = path, data
    self.name = os.path.basename(path)
    if len(data) > MOST_BYTES:
      raise Refused(Place(path), f"larger than {MOST_BYTES >> 20} MiB")

  @classmethod
  def open(cls, path: str) -> "Source":
    with open(path, "rb") as file:
      return cls(path, file.read(MOST_BYTES + 1))

  def beside(self, *parts: str) -> Optional["Source"]:
    """Another file by its path from this one's folder; None if there is none."""
    path = os.path.join(os.path.dirname(self.path), *parts)
    return Source.open(path) if os.path.isfile(path) else None

  def place(self, line: int = 0) -> Place:
    return Place(self.path, line)

  @property
  def text(self) -> str:
    """The text, which is UTF-8, or UTF-16 with a byte order mark."""
    encoding = "utf-16" if self.data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
      return self.data.decode(encoding)
    except UnicodeDecodeError as error:
      raise Refused(self.place(self.data.count(b"\n", 0, error.start) + 1), f"byte {error.start} is not UTF-8") from None


class Object(Dict[str, Any]):
  """An object of a JSON file, with its line and those of its members."""

  line = 0

  def __init__(self, *given: Any) -> None:
    super().__init__(*given)
    self.lines: Dict[str, int] = {}

  def at(self, member: str) -> int:
    return self.lines.get(member, self.line)


class _Decoder(json.decoder.JSONDecoder):
  """The standard library's decoder, with the line of each object and of its members."""

  def __init__(self, text: str) -> None:
    super().__init__(object_pairs_hook=self._object, parse_constant=self._constant, parse_float=self._float)
    self._text = text
    self._starts = [-1] + [match.start() for match in re.finditer("\n", text)]
    #: Of each object and array that is being read, where its values begin.
    self._begun: List[List[int]] = []

    def located(read: Any, scan_at: int) -> Any:
      def parse(position: Tuple[str, int], *rest: Any) -> Any:
        if len(self._begun) >= MOST_DEPTH:
          raise json.JSONDecodeError("nested too deep", text, position[1])
        begun: List[int] = []
        scan = rest[scan_at]

        def noting(text: str, at: int) -> Any:
          begun.append(at)
          return scan(text, at)

        self._begun.append(begun)
        value, end = read(position, *rest[:scan_at], noting, *rest[scan_at + 1:])
        self._begun.pop()
        if isinstance(value, Object):
          value.line = self.line(position[1])
        return value, end

      return parse

    self.parse_object: Any = located(self.parse_object, 1)
    self.parse_array: Any = located(self.parse_array, 0)
    self.scan_once = json.scanner.py_make_scanner(self)  # type: ignore[attr-defined]

  def line(self, offset: int) -> int:
    low, high = 0, len(self._starts)
    while high - low > 1:
      middle = (low + high) // 2
      low, high = (middle, high) if self._starts[middle] < offset else (low, middle)
    return low + 1

  def _object(self, pairs: List[Tuple[str, Any]]) -> Object:
    made = Object()
    for (name, value), at in zip(pairs, self._begun[-1]):
      if name in made:
        raise json.JSONDecodeError(f"`{name}` is there twice", self._text, at)
      made[name] = value
      made.lines[name] = self.line(at)
    return made

  def _float(self, text: str) -> float:
    value = float(text)
    if math.isinf(value):
      raise self._refused(f"{text} is beyond all numbers")
    return value

  def _constant(self, name: str) -> Any:
    raise self._refused(f"{name} is no JSON")

  def _refused(self, message: str) -> json.JSONDecodeError:
    """At the value that was begun last."""
    return json.JSONDecodeError(message, self._text, self._begun[-1][-1] if self._begun and self._begun[-1] else 0)


def read_json(source: Source, comments: bool = False) -> Any:
  """The value of a JSON file; with `comments` also with comments and commas behind the last item, as editors take it."""
  text = _without_comments(source.text) if comments else source.text
  try:
    return _Decoder(text).decode(text)
  except json.JSONDecodeError as error:
    raise Refused(source.place(error.lineno), f"column {error.colno}: {error.msg}") from None
  except (ValueError, RecursionError) as error:
    raise Refused(source.place(), str(error)) from None


def read_object(source: Source, comments: bool = False) -> Object:
  """The object of a JSON file."""
  value = read_json(source, comments)
  if not isinstance(value, Object):
    raise Refused(source.place(1), "not an object")
  return value


# What does not end is taken to the end of its line, or of the file: it is looked for once.
_COMMENTS = re.compile(r'"(?:\\.|[^"\\\n])*"?|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_LAST_COMMAS = re.compile(r'"(?:\\.|[^"\\\n])*"?|,(?=\s*[\]}])', re.DOTALL)


def _without_comments(text: str) -> str:
  def blank(match: "re.Match[str]") -> str:
    found = match.group()
    return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)

  return _LAST_COMMAS.sub(blank, _COMMENTS.sub(blank, text))


class Tag:
  """An element of XML. Names are without their namespaces."""

  def __init__(self, name: str, attributes: Dict[str, str], line: int) -> None:
    self.name, self.attributes, self.line = name, attributes, line
    self.children: List["Tag"] = []
    self.parts: List[str] = []

  def get(self, name: str, default: str = "") -> str:
    return self.attributes.get(name, default)

  def all(self, name: str) -> List["Tag"]:
    return [one for one in self.children if one.name == name]

  def one(self, name: str) -> Optional["Tag"]:
    return next((one for one in self.children if one.name == name), None)

  @property
  def text(self) -> str:
    """The text in it and in what it holds."""
    return "".join(self.parts)

  def said(self, name: str) -> str:
    """The text of a child, in one line; nothing if there is no such child."""
    found = self.one(name)
    return " ".join(found.text.split()) if found else ""


def read_xml(source: Source) -> Tag:
  """The root of a file in XML. Entities of its own are refused, and nothing else is ever loaded."""
  parser = xml.parsers.expat.ParserCreate(namespace_separator=" ")
  parser.buffer_text = True
  root: List[Tag] = []
  stack: List[Tag] = []

  def start(name: str, attributes: Dict[str, str]) -> None:
    made = Tag(name.rpartition(" ")[2], {}, parser.CurrentLineNumber)
    for key in sorted(attributes):
      made.attributes[key.rpartition(" ")[2]] = attributes[key]
    if len(stack) >= MOST_DEPTH:
      raise Refused(source.place(made.line), "nested too deep")
    (stack[-1].children if stack else root).append(made)
    stack.append(made)

  def end(_: str) -> None:
    done = stack.pop()
    if stack:
      stack[-1].parts.append(done.text)

  def text(data: str) -> None:
    stack[-1].parts.append(data)

  def entity(name: str, *_: Any) -> None:
    raise Refused(source.place(parser.CurrentLineNumber), f"declares the entity `{name}`, which is not taken")

  parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
  parser.EntityDeclHandler = entity
  try:
    parser.Parse(source.data, True)
  except xml.parsers.expat.ExpatError as error:
    raise Refused(source.place(error.lineno), f"column {error.offset + 1}: {xml.parsers.expat.ErrorString(error.code)}") from None
  except (ValueError, LookupError) as error:
    raise Refused(source.place(), str(error)) from None
  return root[0]


def read_plist(source: Source) -> Any:
  """The value of a property list, with lines where it is in XML; binary ones have none."""
  if source.data[:6] != b"bplist":
    return _plist_value(source, read_xml(source))
  try:
    value = plistlib.loads(source.data, fmt=plistlib.FMT_BINARY)
  except Exception as error:  # plistlib raises whatever its reading meets.
    raise Refused(source.place(), f"not a property list: {error}") from None
  return _Copying(source).copy(value, 0)


class _Copying:
  """What binary property lists have once, and may refer to from many places: each has its own afterwards."""

  def __init__(self, source: Source) -> None:
    self.source, self.left = source, MOST_VALUES

  def copy(self, value: Any, depth: int) -> Any:
    self.left -= 1
    if self.left < 0:
      raise Refused(self.source.place(), f"has more than {MOST_VALUES:,} values")
    if depth > MOST_DEPTH:
      raise Refused(self.source.place(), f"is nested deeper than {MOST_DEPTH}")
    if isinstance(value, dict):
      return Object({str(name): self.copy(one, depth + 1) for name, one in value.items()})
    return [self.copy(one, depth + 1) for one in value] if isinstance(value, list) else value


def _plist_value(source: Source, tag: Tag) -> Any:
  try:
    if tag.name == "plist" and len(tag.children) == 1:
      return _plist_value(source, tag.children[0])
    if tag.name == "dict":
      return _plist_dict(source, tag)
    if tag.name == "array":
      return [_plist_value(source, one) for one in tag.children]
    if tag.name in ("true", "false"):
      return tag.name == "true"
    if tag.name == "string":
      return tag.text
    if tag.name == "integer":
      return int(tag.text.strip(), 16 if tag.text.strip().lower().lstrip("-").startswith("0x") else 10)
    if tag.name == "real":
      return float(tag.text)
    if tag.name == "date":
      return datetime.datetime.strptime(tag.text.strip(), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
    if tag.name == "data":
      return plistlib.loads(b"<plist><data>" + tag.text.encode() + b"</data></plist>", fmt=plistlib.FMT_XML)
  except ValueError as error:
    raise Refused(source.place(tag.line), str(error)) from None
  raise Refused(source.place(tag.line), f"<{tag.name}> is not of property lists")


def _plist_dict(source: Source, tag: Tag) -> Object:
  made = Object()
  made.line = tag.line
  if len(tag.children) % 2:
    raise Refused(source.place(tag.line), "a key without a value")
  for key, value in zip(tag.children[::2], tag.children[1::2]):
    if key.name != "key":
      raise Refused(source.place(key.line), f"<key> is expected, not <{key.name}>")
    made[key.text] = _plist_value(source, value)
    made.lines[key.text] = key.line
  return made


_STRINGS = re.compile(r'\s+|//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\])*"|[\w.-]+)\s*=\s*("(?:\\.|[^"\\])*"|[\w.-]+)\s*;', re.DOTALL)
_ESCAPE = re.compile(r"\\(U[0-9a-fA-F]{4}|.)", re.DOTALL)


def read_strings(source: Source) -> Dict[str, str]:
  """A strings table: pairs of texts, or a property list."""
  if source.data[:6] == b"bplist" or source.data.lstrip()[:1] == b"<":
    value = read_plist(source)
    if not isinstance(value, dict):
      raise Refused(source.place(1), "not a table of strings")
    return {str(name): str(one) for name, one in value.items()}
  text, at, found = source.text, 0, {}
  while at < len(text):
    match = _STRINGS.match(text, at)
    if not match:
      raise Refused(source.place(text.count("\n", 0, at) + 1), '"text" = "text"; is expected')
    if match.group(1):
      found[_unquoted(match.group(1))] = _unquoted(match.group(2))
    at = match.end()
  return found


def _unquoted(text: str) -> str:
  if text[:1] != '"':
    return text
  known = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
  return _ESCAPE.sub(lambda match: chr(int(match.group(1)[1:], 16)) if len(match.group(1)) == 5 else known.get(match.group(1), match.group(1)),
                     text[1:-1])

"""Values in the text form of GVariant, by their types.

The grammar is that of GLib's "GVariant Text Format"; type strings are those of D-Bus with `m` for maybe.
"""

from __future__ import annotations

import math
import re
from typing import Any, Dict, List, Tuple

#: The ranges of whole numbers by their types. Livery's end at 64 bits with a sign.
RANGES = {"y": (0, 255), "n": (-2**15, 2**15 - 1), "q": (0, 2**16 - 1), "i": (-2**31, 2**31 - 1), "u": (0, 2**32 - 1),
          "x": (-2**63, 2**63 - 1), "t": (0, 2**64 - 1), "h": (-2**31, 2**31 - 1)}
LARGEST = 2**63 - 1
_WORDS = {"byte", "int16", "uint16", "int32", "uint32", "int64", "uint64", "handle", "double", "boolean", "string", "objectpath", "signature"}
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|inf(?:inity)?|nan|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|\n|.)", re.DOTALL)
_ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}


def split(signature: str) -> List[str]:
  """The complete types of which a signature consists; ValueError if it is none."""
  found, at = [], 0
  while at < len(signature):
    end = _end(signature, at, 0)
    found.append(signature[at:end])
    at = end
  return found


def _end(signature: str, at: int, depth: int) -> int:
  if at >= len(signature) or depth > 60:
    raise ValueError(f"`{signature}` is not a type")
  letter = signature[at]
  if letter in "bynqiuxtdsogvh":
    return at + 1
  if letter in "am":
    return _end(signature, at + 1, depth + 1)
  closing = {"(": ")", "{": "}"}.get(letter)
  if closing is None:
    raise ValueError(f"`{signature}` is not a type")
  at, count = at + 1, 0
  while signature[at:at + 1] != closing:
    at, count = _end(signature, at, depth + 1), count + 1
  if letter == "{" and count != 2:
    raise ValueError(f"`{signature}` is not a type")
  return at + 1


def parts(signature: str) -> List[str]:
  """What is in a tuple or an entry."""
  return split(signature[1:-1])


class _Reader:
  """Reads one value of a known type."""

  def __init__(self, text: str) -> None:
    self.text, self.at = text, 0

  def fail(self, expected: str) -> ValueError:
    return ValueError(f"character {self.at + 1}: {expected} is expected")

  def skip(self) -> None:
    while self.at < len(self.text) and self.text[self.at].isspace():
      self.at += 1

  def take(self, token: str) -> bool:
    self.skip()
    if not self.text.startswith(token, self.at):
      return False
    self.at += len(token)
    return True

  def need(self, token: str) -> None:
    if not self.take(token):
      raise self.fail(f"`{token}`")

  def annotation(self) -> None:
    """A type before a value says what is known already."""
    while self.take("@"):
      self.at = _end(self.text, self.at, 0)
    self.skip()
    word = re.compile(r"[a-z]+\d*").match(self.text, self.at)
    if word and word.group() in _WORDS:
      self.at = word.end()
      self.skip()

  def value(self, signature: str) -> Any:
    self.annotation()
    letter = signature[0]
    if letter == "m":
      return self.maybe(signature[1:])
    if letter == "b":
      return self.boolean()
    if letter in RANGES or letter == "d":
      return self.number(letter)
    if letter in "sog":
      return self.string()
    if letter == "(":
      return self.tuple(parts(signature))
    if letter == "a":
      return self.array(signature[1:])
    raise self.fail("a value of another type")

  def maybe(self, signature: str) -> List[Any]:
    if self.take("nothing"):
      return []
    self.take("just ")
    return [self.value(signature)]

  def boolean(self) -> bool:
    for word in ("true", "false"):
      if self.take(word):
        return word == "true"
    raise self.fail("`true` or `false`")

  def number(self, letter: str) -> Any:
    self.skip()
    match = _NUMBER.match(self.text, self.at)
    if not match:
      raise self.fail("a number")
    text = match.group().lower()
    if letter == "d":
      value: Any = float(int(text, 16)) if "x" in text else float(text)
    elif text.lstrip("+-")[:2] == "0x":
      value = int(text, 16)
    elif not text.lstrip("+-").isdigit():
      raise self.fail("a whole number")
    else:
      digits = text.lstrip("+-")
      value = int(text, 8 if len(digits) > 1 and digits[0] == "0" and set(digits) <= set("01234567") else 10)
    if letter != "d" and not RANGES[letter][0] <= value <= RANGES[letter][1]:
      raise self.fail(f"a number of type {letter}")
    self.at = match.end()
    return value

  def string(self) -> str:
    self.skip()
    quote = self.text[self.at:self.at + 1]
    if quote not in ("'", '"') or not quote:
      raise self.fail("a text in quotes")
    end = self.at + 1
    while end < len(self.text) and self.text[end] != quote:
      end += 2 if self.text[end] == "\\" else 1
    if end >= len(self.text):
      raise self.fail("the text's other quote")
    content, self.at = self.text[self.at + 1:end], end + 1
    return _ESCAPE.sub(_escaped, content)

  def tuple(self, members: List[str]) -> Tuple[Any, ...]:
    self.need("(")
    found = []
    for index, member in enumerate(members):
      if index:
        self.need(",")
      found.append(self.value(member))
    if len(members) == 1:
      self.need(",")
    self.need(")")
    return tuple(found)

  def array(self, member: str) -> Any:
    if member == "y":
      self.skip()
      if self.text[self.at:self.at + 2] in ("b'", 'b"'):
        self.at += 1
        return self.string().encode("latin-1", "replace") + b"\0"
    if member[0] == "{":
      return self.entries(*parts(member))
    self.need("[")
    found: List[Any] = []
    while not self.take("]"):
      if found:
        self.need(",")
      found.append(self.value(member))
    return bytes(found) if member == "y" else found

  def entries(self, key: str, value: str) -> Dict[Any, Any]:
    found: Dict[Any, Any] = {}
    if self.take("["):
      while not self.take("]"):
        if found:
          self.need(",")
        self.need("{")
        name = self.value(key)
        self.need(",")
        found[name] = self.value(value)
        self.need("}")
      return found
    self.need("{")
    while not self.take("}"):
      if found:
        self.need(",")
      name = self.value(key)
      self.need(":")
      found[name] = self.value(value)
    return found


def _escaped(match: "re.Match[str]") -> str:
  text = match.group(1)
  if text[0] in "uU" and len(text) > 1:
    return chr(int(text[1:], 16))
  if text[0] in "01234567":
    return chr(int(text, 8))
  return _ESCAPED.get(text, text)


def parse(text: str, signature: str) -> Any:
  """The value of a text: numbers, texts, bytes, lists, tuples, dictionaries; ValueError with the place in it."""
  reader = _Reader(text)
  try:
    value = reader.value(signature)
  except (OverflowError, RecursionError) as error:
    raise ValueError(str(error)) from None
  reader.skip()
  if reader.at < len(text):
    raise reader.fail("the end")
  return value


def text_of(value: Any, signature: str) -> str:
  """The text of a value, which says its type wherever the value alone would not."""
  letter = signature[0]
  if letter == "m":
    return f"@{signature} nothing" if not value else f"just {text_of(value[0], signature[1:])}" if signature[1] == "m" else text_of(value[0], signature[1:])
  if letter == "b":
    return "true" if value else "false"
  if letter == "d":
    return repr(float(value)) if math.isfinite(value) else "nan" if value != value else "inf" if value > 0 else "-inf"
  if letter in RANGES:
    return str(value)
  if letter in "sog":
    return quoted(value)
  if letter == "(":
    members = [text_of(one, member) for one, member in zip(value, parts(signature))]
    return "(" + ", ".join(members) + ("," if len(members) == 1 else "") + ")"
  if not value:
    return f"@{signature} " + ("{}" if signature[1] == "{" else "[]")
  if signature == "ay":
    return "[" + ", ".join(f"0x{byte:02x}" for byte in value) + "]"
  if signature[1] == "{":
    key, member = parts(signature[1:])
    return "{" + ", ".join(f"{text_of(name, key)}: {text_of(one, member)}" for name, one in value.items()) + "}"
  return "[" + ", ".join(text_of(one, signature[1:]) for one in value) + "]"


#: A text that does not end reaches to the end, so that it is looked for once.
_PARTS = re.compile(r"""('(?:\\.|[^'\\])*\\?(?:'|\Z)|"(?:\\.|[^"\\])*\\?(?:"|\Z))|\s+""", re.DOTALL)


def in_a_line(text: str) -> str:
  """The same value in one line: white space between its parts is one space, and in texts a line's end is written as an escape."""
  def written(match: "re.Match[str]") -> str:
    inside = match.group(1)
    return " " if inside is None else inside.replace("\\\n", "").replace("\n", "\\n").replace("\r", "\\r")

  # What is in no quotes that end has no place in a value; it is in one line all the same.
  return _PARTS.sub(written, text.strip()).replace("\n", " ")


def quoted(text: str) -> str:
  for character, escape in (("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
    text = text.replace(character, escape)
  return "'" + "".join(f"\\u{ord(one):04x}" if ord(one) < 32 or ord(one) == 127 else one for one in text) + "'"

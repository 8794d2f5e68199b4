"""The words of a header."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import List

from .model import HeaderError

SCANNER = re.compile(
  r"""
  (?P<space> \s+ )
| (?P<comment> /\*.*?\*/ | //[^\n]* )
| (?P<directive> \#(?:[^\n\\]|\\.)* )
| (?P<number> (?:0[xX][0-9a-fA-F]+|[1-9][0-9]*|0)[uUlL]*\b )
| (?P<word> [A-Za-z_]\w* )
| (?P<text> "(?:[^"\\\n]|\\.)*" )
| (?P<mark> << | >> | [-+*&|~(){}\[\];,=] )
""",
  re.X | re.S | re.A,
)


@dataclass
class Token:
  #: "doc", "directive", "number", "word", "text", "mark" or "end"
  kind: str
  text: str
  line: int


def scan(source: str, file: object, first_line: int = 1) -> List[Token]:
  """All tokens, without space and without the comments that document nothing; the last is the end."""
  tokens, at, line = [], 0, first_line
  while at < len(source):
    match = SCANNER.match(source, at)
    if match is None:
      what = "a comment without an end" if source.startswith("/*", at) else f"{source[at]!r} is not understood"
      raise HeaderError(file, line, what)
    kind, text = str(match.lastgroup), match[0]
    if kind == "comment" and text.startswith("/**") and text != "/**/":
      kind = "doc"
    if text.startswith("/*") and "/*" in text[2:]:
      raise HeaderError(file, line, "a comment in a comment: the first has no end")
    if kind == "directive":
      if source[source.rfind("\n", 0, at) + 1:at].strip():
        raise HeaderError(file, line, "a directive does not begin its line")
      if re.search(r"/\*|//", re.sub(r'"[^"]*"', "", text)):
        raise HeaderError(file, line, "a comment behind a directive: write it above")
    if kind not in ("space", "comment"):
      tokens.append(Token(kind, text, line))
    line += text.count("\n")
    at = match.end()
  return tokens + [Token("end", "", line)]

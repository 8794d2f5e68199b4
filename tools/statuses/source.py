"""What a Swift file tells without its types: blocks, conditions, and what becomes of an error that is thrown at a place.

Offsets count bytes from the file's beginning. Comments and texts are blank to all that is here.
"""
from __future__ import annotations

import bisect
import pathlib
import re
from dataclasses import dataclass, field
from typing import Callable, Dict, Iterator, List, Optional, Tuple

BLANK = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:\\.|.)*?"""|"(?:\\\((?:[^()"]|"[^"\n]*"|\((?:[^()]|\([^()]*\))*\))*\)|\\.|[^"\\\n])*"',
                   re.S)
TOKEN = re.compile(r"[A-Za-z_]\w*|\d\w*|==|!=|\|\||&&|\?\?|->|\.\.[.<]|&[+*-]|[^\s\w]")
CLOSING = {"(": ")", "[": "]", "{": "}"}
#: What an expression goes on with on the next line.
GOES_ON = {".", "?", ":", "==", "!=", "||", "&&", "??", "+", "-", "|", "&"}
#: What an expression does not end with on its line.
GOES_ON_BEHIND = GOES_ON | {"=", "in", "return", "try", ","}
#: A condition about what an error or a code is: it is one of these, or none of these.
Claim = Tuple[bool, Tuple[str, ...]]
CLAUSE = re.compile(r"([\w.()]+?) *(==|!=) *(\.?\w+)")


@dataclass
class Block:
  """What stands between braces."""

  start: int
  end: int
  #: "do", "catch", "guard" for what stands behind its else, "if", or "" for all else.
  kind: str = ""
  #: Where the condition of a guard or if stands.
  condition: Tuple[int, int] = (0, 0)
  #: Of a do: what catches its errors.
  handler: Optional["Block"] = None
  parent: Optional["Block"] = None
  inner: List["Block"] = field(default_factory=list)


def blanked(text: str) -> str:
  return BLANK.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


class Source:
  def __init__(self, path: pathlib.Path) -> None:
    self.path = path
    self.original = path.read_text(encoding="latin-1")
    self.text = blanked(self.original)
    self.lines = [0] + [match.end() for match in re.finditer("\n", self.text)]
    found = list(TOKEN.finditer(self.text))
    self.tokens = [match[0] for match in found]
    self.starts = [match.start() for match in found]
    self.partner = self.partners()
    self.top = Block(0, len(self.text))
    self.read_blocks()

  def offset(self, line: int, column: int) -> int:
    return self.lines[line - 1] + column - 1

  def line(self, offset: int) -> int:
    return bisect.bisect_right(self.lines, offset)

  def where(self, offset: int) -> str:
    """For people."""
    return f"{self.path.name}:{self.line(offset)}"

  def spelled(self, part: Tuple[int, int]) -> str:
    return "".join(self.tokens[slice(*part)])

  def at(self, offset: int) -> int:
    """The number of the first token that does not begin before an offset."""
    return bisect.bisect_left(self.starts, offset)

  def partners(self) -> Dict[int, int]:
    """For each bracket the one that goes with it, by their numbers."""
    found: Dict[int, int] = {}
    opened: List[int] = []
    for number, token in enumerate(self.tokens):
      if token in CLOSING:
        opened.append(number)
      elif opened and token == CLOSING[self.tokens[opened[-1]]]:
        found[opened[-1]], found[number] = number, opened[-1]
        opened.pop()
    return found

  # -- Blocks

  def read_blocks(self) -> None:
    headed: Dict[int, Tuple[str, Tuple[int, int]]] = {}
    for number, token in enumerate(self.tokens):
      if token in ("do", "catch", "guard", "if") and (number == 0 or self.tokens[number - 1] != "."):
        opening = self.past(number + 1, lambda token: token == ("else" if self.tokens[number] == "guard" else "{"))
        if token == "guard":
          headed[opening + 1] = token, (self.starts[number + 1], self.starts[opening])
        else:
          headed[opening] = token, (self.starts[number + 1], self.starts[opening])
    around = self.top
    for number, token in enumerate(self.tokens):
      if token == "{" and number in self.partner:
        kind, condition = headed.get(number, ("", (0, 0)))
        block = Block(self.starts[number], self.starts[self.partner[number]], kind, condition, parent=around)
        if kind == "catch":
          tried = [each for each in around.inner if each.kind == "do"][-1]
          tried.handler = tried.handler or block
        around.inner.append(block)
        around = block
      elif token == "}" and number in self.partner:
        around = around.parent or self.top

  def past(self, number: int, is_end: Callable[[str], bool]) -> int:
    """The number of the first token from one on, outside of brackets, that is the end."""
    while number < len(self.tokens) and not is_end(self.tokens[number]):
      number = self.partner.get(number, number) + 1 if self.tokens[number] in CLOSING else number + 1
    return number

  def around(self, offset: int) -> List[Block]:
    """The blocks around a place, from the inside out."""
    found = [self.top]
    while True:
      inner = [each for each in found[0].inner if each.start < offset < each.end]
      if not inner:
        return found
      found.insert(0, inner[0])

  def end_of_expression(self, number: int) -> int:
    """The number of the token behind the expression that begins with a token."""
    is_condition = any(each.condition[0] <= self.starts[number] < each.condition[1] for each in self.conditions(number))
    first = number
    while number < len(self.tokens):
      token = self.tokens[number]
      if token in (")", "]", "}", ",", ";", "else") or (token == "{" and is_condition):
        return number
      is_new_line = number > first and "\n" in self.text[self.starts[number - 1]:self.starts[number]]
      if is_new_line and token not in GOES_ON and self.tokens[number - 1] not in GOES_ON_BEHIND:
        return number
      number = self.partner.get(number, number) + 1 if token in CLOSING else number + 1
    return number

  def conditions(self, number: int) -> List[Block]:
    """The blocks beside which a token may be a part of the condition."""
    return self.around(self.starts[number])[0].inner

  def arguments(self, number: int) -> List[Tuple[int, int]]:
    """Where the arguments of a call stand, as numbers of tokens; of the name, or of what it is called with."""
    opening = number + 1
    if opening >= len(self.tokens) or self.tokens[opening] != "(":
      return []
    found, start = [], opening + 1
    while start < self.partner[opening]:
      end = self.past(start, lambda token: token in (",", ")"))
      found.append((start, min(end, self.partner[opening])))
      start = end + 1
    return found

  def handed(self, offset: int) -> Tuple[int, int]:
    """Where the arguments of a call begin and end, or its closure if there is nothing else."""
    opening = self.at(offset) + 1
    return self.starts[opening], self.starts[self.partner.get(opening, opening)]

  def between(self, start: int, end: int) -> List[str]:
    return self.tokens[self.at(start):self.at(end)]

  def unlabelled(self, argument: Tuple[int, int]) -> Tuple[int, int]:
    start, end = argument
    return (start + 2 if self.tokens[start + 1] == ":" else start), end

  def is_beside(self, offset: int, other: int, block: Block) -> bool:
    """Whether two places of a block are on one line, or in one condition."""
    return self.line(offset) == self.line(other) or any(
      each.condition[0] <= min(offset, other) and max(offset, other) < each.condition[1] for each in block.inner)

  # -- Errors

  def is_thrown(self, offset: int) -> bool:
    """Whether what stands at a place is a part of a throw."""
    number = self.at(offset) - 1
    while number >= 0:
      token = self.tokens[number]
      if token == "throw":
        return True
      if token in ("{", "}", ";", "case", "default", "return", "=", "let", "var", "guard", "if"):
        return False
      number = self.partner.get(number, number) - 1 if token in ")]" else number - 1
    return False

  def is_compared(self, offset: int) -> bool:
    """Whether the name at a place is one that something is compared with."""
    number = self.at(offset)
    while number >= 2 and self.tokens[number - 1] == ".":
      number -= 2 if re.match(r"\w", self.tokens[number - 2]) else 1
    before = self.tokens[number - 1]
    return before in ("==", "!=") or self.tokens[self.at(offset) + 1] in ("==", "!=") or self.is_pattern(number)

  def is_pattern(self, number: int) -> bool:
    """Whether a token is in the pattern of a case."""
    while number > 0 and self.tokens[number] not in ("case", "{", "}", ":", "=", "return"):
      number -= 1
    return self.tokens[number] == "case"

  def is_swallowed(self, offset: int, since: int) -> bool:
    """Whether a `try?` that begins behind a place makes nothing of what is thrown at another."""
    number = self.at(offset)
    for tried in range(number - 1, -1, -1):
      if self.starts[tried] < since:
        return False
      if self.tokens[tried] == "try" and self.tokens[tried + 1] == "?" and self.end_of_expression(tried) > number:
        return True
    return False

  def sieves(self, offset: int, since: int) -> Optional[List["Sieve"]]:
    """What is done with an error that is thrown at a place, in what begins behind another; None if nobody gets it."""
    if self.is_swallowed(offset, since):
      return None
    found: List[Sieve] = []
    for block in self.around(offset):
      if block.start < since:
        break
      if block.kind == "do" and block.handler:
        found.append([self.claims(use, "error", block.handler.start) for use in self.uses(block.handler)])
    return found

  def uses(self, handler: Block) -> Iterator[int]:
    """Where a catch hands its error on."""
    for number in range(self.at(handler.start), self.at(handler.end)):
      if self.tokens[number] != "error" or self.tokens[number - 1] == "." or self.tokens[number + 1] == ":":
        continue
      if [each for each in self.around(self.starts[number]) if each.kind == "catch"][0] is not handler:
        continue
      member = self.tokens[number + 2] if self.tokens[number + 1] == "." else ""
      if member in ("message", "reason", "location", "setting", "systemError"):
        continue
      if member == "code" and self.tokens[number + 3] in ("==", "!="):
        continue
      yield self.starts[number]

  def claims(self, offset: int, subject: str, since: int) -> List[Claim]:
    """What conditions say of an error or a code at a place, as far as they begin behind another."""
    found: List[Claim] = []
    for block in self.around(offset):
      if block.start < since:
        break
      if block.kind in ("guard", "if"):
        found += self.said(block, subject, holds=block.kind == "if")
    for block in self.around(offset):
      if block.end < since:
        break
      found += [claim for guard in block.inner if guard.kind == "guard" and since < guard.start and guard.end < offset
                for claim in self.said(guard, subject, holds=True)]
    return found

  def said(self, block: Block, subject: str, holds: bool) -> List[Claim]:
    """What a condition says of a subject if it holds, or if it does not."""
    clauses = [clause(text.strip(), subject) for text in self.text[slice(*block.condition)].split(",")]
    if holds:
      return [each for each in clauses if each]
    if len(clauses) == 1 and clauses[0]:
      return [(not clauses[0][0], clauses[0][1])]
    if all(each and not each[0] for each in clauses):
      return [(True, tuple(name for each in clauses if each for name in each[1]))]
    return []


#: For each place at which an error is handed on: what it can only be there.
Sieve = List[List[Claim]]


def clause(text: str, subject: str) -> Optional[Claim]:
  """`a == .b || a == .c` or `a != .b && a != .c`; None for all else."""
  parts = re.split(r"\|\||&&", text)
  matches = [CLAUSE.fullmatch(part.strip()) for part in parts]
  if not all(match and (match[1] == subject or match[1].startswith(subject + ".")) for match in matches):
    return None
  signs = {match[2] for match in matches if match}
  joint = {"==": "&&", "!=": "||"}
  if len(signs) != 1 or joint[signs.copy().pop()] in text:
    return None
  return "==" in signs, tuple(match[3].lstrip(".") for match in matches if match)

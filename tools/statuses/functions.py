"""The functions of the sources, and the names that they use."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Dict, Iterable, Iterator, List, Optional, Tuple

from .index import Index, Occurrence
from .source import Source


@dataclass(frozen=True)
class Outcome:
  """What calling a function can come to."""

  #: A status as Swift has it, a code of the system or of LMDB that becomes one, or what is waited for.
  name: str
  is_wait: bool = False
  #: Whether livery.h tells of it for all functions at once.
  is_told: bool = False


@dataclass(eq=False)
class Function:
  symbol: str
  #: As the tables name it, by its file: `WriterGate.whileWriting(timeout:saying:_:)`.
  title: str
  source: Source
  offset: int
  end: int = 0
  throws: bool = False
  result: str = ""
  #: The names by which it knows its arguments.
  parameters: List[str] = field(default_factory=list)
  #: Its body, as numbers of tokens.
  body: Tuple[int, int] = (0, 0)
  overrides: Tuple[str, ...] = ()
  #: What it can come to, and where from: a place in it, and the function that is called there, if one is.
  outcomes: Dict[Outcome, Tuple[str, Optional[str]]] = field(default_factory=dict)

  def __post_init__(self) -> None:
    source, number = self.source, self.source.at(self.offset)
    opening = source.past(number + 1, lambda token: token in ("{", "}", "func", "var", "let", "init", "case"))
    signature = list(outside(source.tokens[number:opening]))
    self.throws = "throws" in signature
    self.result = signature[signature.index("->") + 1] if "->" in signature[:-1] else ""
    self.body = opening, source.partner.get(opening, opening)
    self.end = source.starts[self.body[1]]
    generic = source.tokens.index("(", number, opening) - 1 if "(" in source.tokens[number:opening] else number
    for start, end in source.arguments(generic):
      names = source.tokens[start:end]
      self.parameters.append(names[names.index(":") - 1] if ":" in names else "")


@dataclass(eq=False)
class Use:
  """A name that is used in a function."""

  symbol: str
  name: str
  caller: Function
  offset: int

  @property
  def source(self) -> Source:
    return self.caller.source

  @property
  def where(self) -> str:
    return self.source.where(self.offset)


def read(index: Index, files: Iterable[pathlib.Path]) -> Tuple[Dict[str, Function], List[Use]]:
  """The functions of some files by their symbols, and what they use."""
  sources = {file: Source(file) for file in files}
  found = [(each, sources[each.file], sources[each.file].offset(each.line, each.column))
           for each in index.occurrences(list(sources))]
  functions: Dict[str, Function] = {}
  for each, source, offset in found:
    if each.is_definition and is_function(each):
      functions.setdefault(each.symbol, Function(
        each.symbol, f"{source.path.stem}.{each.name}", source, offset, overrides=each.overrides))
  # What stands in texts is said to people, and throws nothing.
  return functions, [Use(each.symbol, each.name, functions[each.inside], offset) for each, source, offset in found
                     if not each.is_definition and each.inside in functions and not source.text[offset].isspace()]


def is_function(each: Occurrence) -> bool:
  return "(" in each.name or each.name.startswith("getter:")


def outside(tokens: List[str]) -> Iterator[str]:
  """The tokens that no brackets are around."""
  depth = 0
  for token in tokens:
    depth -= token in ")]}"
    if depth == 0:
      yield token
    depth += token in "([{"

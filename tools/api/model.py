"""What the headers declare."""
from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple


#: The statuses that livery.h tells of under *Status and errors* for all functions: their comments do not list them.
COMMON = ("NO_MEMORY", "GONE")
#: Those that it tells of under *Handles* and *Fork*, for all functions that take a handle.
OF_HANDLES = ("CLOSED", "FORKED")


class HeaderError(Exception):
  """A header that is not understood: says where, as file:line, and what."""

  def __init__(self, file: object, line: int, message: str) -> None:
    super().__init__(f"{file}:{line}: {message}")


@dataclass(frozen=True)
class Type:
  """A type: `const char *const *` is the base `char`, constant, behind two pointers of which the first is constant."""

  base: str
  is_const: bool = False
  #: For each `*`, from left to right, whether `const` follows it.
  pointers: Tuple[bool, ...] = ()

  def __str__(self) -> str:
    stars = "".join("*const " if is_const else "*" for is_const in self.pointers)
    return ("const " if self.is_const else "") + self.base + (" " + stars.rstrip() if stars else "")

  @property
  def depth(self) -> int:
    return len(self.pointers)

  @property
  def gives(self) -> bool:
    """Whether what it points to can be written."""
    return bool(self.pointers) and not (self.pointers[-2] if self.depth > 1 else self.is_const)


def declaration(kind: Type, name: str) -> str:
  """As C declares it: `const char *name`."""
  text = str(kind)
  return text + ("" if text.endswith("*") else " ") + name


@dataclass
class Status:
  """A status that a function returns, and when."""

  name: str
  line: int
  text: str


@dataclass
class Returns:
  text: str
  statuses: List[Status] = field(default_factory=list)


@dataclass
class Parameter:
  name: str
  type: Type
  #: "in", "out" or "in,out"
  direction: str = "in"
  text: str = ""


@dataclass
class Declared:
  name: str
  #: As `#include <…>` names it.
  file: str
  line: int


@dataclass
class Function(Declared):
  result: Type
  parameters: List[Parameter]
  summary: str
  description: str
  threads: str
  returns: Optional[Returns]
  since: str
  deprecated: Optional[str]
  #: Whether it is given a handle.
  takes_handle: bool = False

  @property
  def listed(self) -> List[str]:
    """The names of the statuses that its comment lists."""
    return [status.name for status in self.returns.statuses] if self.returns else []

  @property
  def statuses(self) -> List[str]:
    """The names of the statuses that it returns, save those that any function may."""
    return self.listed + ["LIVERY_ERROR_" + name for name in OF_HANDLES if self.listed and self.takes_handle]


@dataclass
class Callback(Declared):
  result: Type
  parameters: List[Parameter]
  text: str


@dataclass
class Member:
  name: str
  line: int
  type: Type
  text: str


@dataclass
class Struct(Declared):
  members: List[Member]
  text: str


@dataclass
class Constant:
  name: str
  line: int
  value: int
  text: str


@dataclass
class Enum:
  """Constants that belong together. `type` is the number type that was declared right before them, if one was."""

  file: str
  line: int
  type: Optional[str]
  constants: List[Constant]
  text: str


@dataclass
class Macro(Declared):
  body: str
  #: What it comes to, if that is a whole number.
  value: Optional[int]
  #: The struct that it initializes, if it is that.
  struct: Optional[str]
  text: str


@dataclass
class Handle(Declared):
  """An opaque type."""

  text: str


@dataclass
class Number(Declared):
  """A number type under another name, such as `livery_status`."""

  type: Type
  text: str


@dataclass
class Header:
  #: As `#include <…>` names it.
  file: str
  text: str
  includes: List[str] = field(default_factory=list)
  functions: List[Function] = field(default_factory=list)
  callbacks: List[Callback] = field(default_factory=list)
  structs: List[Struct] = field(default_factory=list)
  enums: List[Enum] = field(default_factory=list)
  macros: List[Macro] = field(default_factory=list)
  handles: List[Handle] = field(default_factory=list)
  numbers: List[Number] = field(default_factory=list)


@dataclass
class Interface:
  """All headers, in the order of their names."""

  headers: List[Header]

  def _all(self, kind: str) -> List[Any]:
    return [each for header in self.headers for each in getattr(header, kind)]

  @property
  def functions(self) -> List[Function]:
    return self._all("functions")

  @property
  def callbacks(self) -> List[Callback]:
    return self._all("callbacks")

  @property
  def structs(self) -> List[Struct]:
    return self._all("structs")

  @property
  def enums(self) -> List[Enum]:
    return self._all("enums")

  @property
  def macros(self) -> List[Macro]:
    return self._all("macros")

  @property
  def handles(self) -> List[Handle]:
    return self._all("handles")

  @property
  def numbers(self) -> List[Number]:
    return self._all("numbers")

  @property
  def constants(self) -> Dict[str, int]:
    """Everything that has a name and is a whole number."""
    found = {each.name: each.value for each in self.macros if each.value is not None}
    found.update((each.name, each.value) for enum in self.enums for each in enum.constants)
    return found

  @property
  def types(self) -> List[str]:
    return [each.name for kind in (self.handles, self.structs, self.callbacks, self.numbers) for each in kind]


def plain(value: Any) -> Any:
  """As JSON has it."""
  if isinstance(value, Type):
    return str(value)
  if dataclasses.is_dataclass(value):
    return {each.name: plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
  if isinstance(value, list):
    return [plain(each) for each in value]
  return value

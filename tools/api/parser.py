"""Reads the headers. What is not understood is refused: nothing is passed over in silence.

They are a small part of C: numbers, opaque handles, structs, callbacks, functions, and constants with a number each.
"""
from __future__ import annotations

import os
import pathlib
import re
from typing import Dict, List, Optional, Set

from .comments import Comment, read_comment
from .expressions import evaluate
from .model import (
  Callback, Constant, Enum, Function, Handle, Header, HeaderError, Interface, Macro, Member, Number, Parameter, Struct,
  Type
)
from .tokens import Token, scan

#: Of C and its library.
NUMBERS = {"bool", "char", "double", "float", "int", "size_t"} | {
  f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def read(folder: os.PathLike[str] | str) -> Interface:
  """The headers of a folder, and the one beside it that includes them all if there is one.

  A header that includes that one is of a library of its own, and is left out.
  """
  folder = pathlib.Path(folder)
  found = Known(folder.resolve().parent)
  on_top = re.compile(rf'^#include [<"](?:\.\./)?{re.escape(folder.resolve().name)}\.h[>"]'.encode(), re.M)
  files = [file for file in sorted(folder.glob("*.h")) if not on_top.search(file.read_bytes())]
  if not files:
    raise HeaderError(folder, 1, "there are no headers")
  for file in files:
    found.read(file)
  whole = pathlib.Path(os.path.normpath(folder / ".." / (folder.resolve().name + ".h")))
  if whole.is_file():
    included = found.read(whole).includes
    for header in found.headers.values():
      if header.file not in included and header.file != whole.name:
        raise HeaderError(whole, 1, f"{header.file} is not included")
  return Interface(sorted(found.headers.values(), key=lambda header: header.file))


def read_or_exit(folder: os.PathLike[str] | str) -> Interface:
  """For scripts: as read(), but what is refused ends the program with a line that says where."""
  try:
    return read(folder)
  except HeaderError as error:
    raise SystemExit(str(error)) from None


class Known:
  """What the headers that were read declare."""

  def __init__(self, include: pathlib.Path) -> None:
    self.include = include
    self.headers: Dict[pathlib.Path, Header] = {}
    self.unfinished: Set[pathlib.Path] = set()
    #: Where each name is declared.
    self.places: Dict[str, str] = {}
    self.constants: Dict[str, int] = {}
    self.numbers, self.opaque = set(NUMBERS), {"void"}
    self.callbacks: Set[str] = set()
    self.structs: Dict[str, Struct] = {}

  def read(self, file: pathlib.Path) -> Header:
    """The header in a file, unless it was read before."""
    place = file.resolve()
    if place not in self.headers:
      self.headers[place] = Header(os.path.relpath(place, self.include), "")
      self.unfinished.add(place)
      Parser(file, self.headers[place], self).parse()
      self.unfinished.remove(place)
    return self.headers[place]


class Parser:
  """Reads one header, and before it those that it includes."""

  def __init__(self, file: pathlib.Path, header: Header, known: Known) -> None:
    self.file, self.header, self.known = file, header, known
    try:
      source = file.read_text(encoding="utf-8")
    except ValueError as error:
      raise HeaderError(file, 1, f"the header is not UTF-8: {error}") from None
    self.tokens = scan(source, file)
    self.at = 0
    self.is_extern_c = False
    self.last_number: Optional[Number] = None

  # -- Tokens

  @property
  def token(self) -> Token:
    return self.tokens[self.at]

  def refuse(self, message: str, line: Optional[int] = None) -> HeaderError:
    return HeaderError(self.file, self.token.line if line is None else line, message)

  def next(self) -> Token:
    token = self.token
    if token.kind != "end":
      self.at += 1
    return token

  def accept(self, text: str) -> bool:
    if self.token.text != text or self.token.kind not in ("word", "mark"):
      return False
    self.at += 1
    return True

  def expect(self, text: str) -> None:
    if not self.accept(text):
      raise self.refuse(f"{text} is expected, and not {self.shown()}")

  def shown(self) -> str:
    """The present token, for people."""
    return {"end": "the end of the file", "doc": "a comment"}.get(self.token.kind, self.token.text.split("\n")[0])

  def name(self, what: str, prefix: str = "") -> str:
    if self.token.kind != "word" or not self.token.text.startswith(prefix) or self.token.text == "const":
      wanted = f"the name of {what}" + (f", {prefix}…," if prefix else "")
      raise self.refuse(f"{wanted} is expected, and not {self.shown()}")
    return self.next().text

  def new(self, name: str, line: int) -> None:
    if name in self.known.places:
      raise self.refuse(f"{name} is declared again; the first is {self.known.places[name]}", line)
    self.known.places[name] = f"{self.file}:{line}"

  def comment(self) -> Optional[Comment]:
    if self.token.kind != "doc":
      return None
    token = self.next()
    return read_comment(token.text, self.file, token.line)

  def text(self, comment: Optional[Comment]) -> str:
    """The comment of what is no function: prose alone."""
    if comment is None:
      return ""
    if comment.has_tags or comment.file:
      raise self.refuse("the comment of what is no function has tags, and is not understood", comment.line)
    return comment.text

  # -- The file

  def parse(self) -> None:
    comment = self.comment()
    if comment is None or comment.file != self.header.file:
      raise self.refuse(f"the header does not begin with a comment with @file {self.header.file}", 1)
    self.header.text = comment.text
    guard = self.next()
    if not guard.text.startswith("#ifndef ") or self.next().text != f"#define {guard.text[len('#ifndef '):]}":
      raise self.refuse("#ifndef and #define of one name are expected in front of everything else", guard.line)
    while self.token.text != "#endif":
      self.declaration(self.comment())
    self.at += 1
    if self.is_extern_c:
      raise self.refuse('extern "C" has no end')
    if self.token.kind != "end":
      raise self.refuse(f"behind the end of the header is {self.shown()}")

  def declaration(self, comment: Optional[Comment]) -> None:
    token, last_number = self.token, self.last_number
    self.last_number = None
    if token.kind == "directive" and re.match(r"#define\s", token.text):
      self.macro(comment)
    elif self.accept("typedef"):
      self.typedef(comment, token.line)
    elif self.accept("enum"):
      self.enum(comment, token.line, last_number)
    elif self.accept("LIVERY_API"):
      self.function(comment, token.line)
    elif comment is not None:
      raise self.refuse(f"a comment describes {self.shown()}", comment.line)
    elif token.kind == "directive":
      self.directive(self.next())
    else:
      raise self.refuse(f"{self.shown()} is not understood")

  def directive(self, token: Token) -> None:
    include = re.fullmatch(r'#include (?:<([\w./]+)>|"([\w./]+)")', token.text)
    if include and include[1]:
      self.header.includes.append(include[1])
    elif include:
      file = self.file.parent / include[2]
      if not file.is_file():
        raise self.refuse(f"there is no {include[2]}", token.line)
      if file.resolve() in self.known.unfinished:
        raise self.refuse(f"{include[2]} includes this header in turn", token.line)
      self.header.includes.append(self.known.read(file).file)
    elif token.text == "#ifdef __cplusplus":
      self.cplusplus()
    else:
      raise self.refuse(f"{token.text} is not understood", token.line)

  def cplusplus(self) -> None:
    """Between the lines for C++ are the beginning or the end of extern "C", and nothing that C would not see."""
    words = ["}"] if self.is_extern_c else ["extern", '"C"', "{"]
    for word in words + ["#endif"]:
      if self.token.text != word:
        raise self.refuse(f"{word} is expected for C++, and not {self.shown()}")
      self.next()
    self.is_extern_c = not self.is_extern_c

  # -- Constants

  def macro(self, comment: Optional[Comment]) -> None:
    token = self.next()
    match = re.fullmatch(r"#define\s+(LIVERY_\w+)(?:\s+(\S.*))?", token.text.replace("\\\n", " "), re.S)
    if match is None:
      raise self.refuse("a macro is a name, LIVERY_…, and what it stands for", token.line)
    name, body = match[1], " ".join((match[2] or "").split())
    self.new(name, token.line)
    words = scan(body, self.file, token.line)[:-1]
    if any(word.text in ("LIVERY_API", "typedef") for word in words):
      raise self.refuse(f"{name} declares something, which is to be declared by itself", token.line)
    value = evaluate(words, self.known.constants)
    if value is not None:
      self.known.constants[name] = value
    struct = self.initializer(words, token.line) if name.endswith("_INIT") else None
    self.header.macros.append(Macro(name, self.header.file, token.line, body, value, struct, self.text(comment)))

  def initializer(self, words: List[Token], line: int) -> str:
    """The struct that `{ sizeof(livery_x), 0, … }` initializes, with a value for each member."""
    texts = [word.text for word in words]
    struct = self.known.structs.get(texts[3]) if texts[:3] == ["{", "sizeof", "("] and len(texts) > 5 else None
    if struct is None or texts[4] != ")" or texts[-1] != "}":
      raise self.refuse("an initializer begins with sizeof of a struct", line)
    members, values = len(struct.members), texts.count(",") + 1
    if values != members:
      raise self.refuse(f"{struct.name} has {members} members, and here are {values} values", line)
    return struct.name

  def enum(self, comment: Optional[Comment], line: int, number: Optional[Number]) -> None:
    self.expect("{")
    constants: List[Constant] = []
    while not self.accept("}"):
      described = self.comment()
      place = self.token.line
      name = self.name("a constant", "LIVERY_")
      self.new(name, place)
      self.expect("=")
      words = []
      while self.token.kind in ("number", "word", "mark") and self.token.text not in (",", "}", ";"):
        words.append(self.next())
      value = evaluate(words, self.known.constants)
      if value is None:
        raise self.refuse(f"{name} is no whole number that is understood", place)
      self.known.constants[name] = value
      constants.append(Constant(name, place, value, self.text(described)))
      if not self.accept(",") and self.token.text != "}":
        raise self.refuse(f", or }} is expected, and not {self.shown()}")
    self.expect(";")
    if not constants:
      raise self.refuse("there are no constants", line)
    kind = number.name if number else None
    self.header.enums.append(Enum(self.header.file, line, kind, constants, self.text(comment)))

  # -- Types

  def type(self) -> Type:
    is_const = self.accept("const")
    line, base = self.token.line, self.name("a type")
    known = self.known
    if not any(base in kind for kind in (known.numbers, known.opaque, known.callbacks, known.structs)):
      raise self.refuse(f"{base} is no type that is known", line)
    return self.pointers(Type(base, is_const))

  def pointers(self, kind: Type) -> Type:
    stars: List[bool] = []
    while self.accept("*"):
      stars.append(self.accept("const"))
    return Type(kind.base, kind.is_const, tuple(stars))

  def value_of(self, kind: Type) -> Type:
    if kind.base in self.known.opaque and not kind.pointers:
      raise self.refuse(f"{kind.base} is opaque: there are only pointers to it")
    return kind

  def typedef(self, comment: Optional[Comment], line: int) -> None:
    if self.accept("struct"):
      self.struct(comment, line)
      return
    kind = self.type()
    if self.accept("("):
      self.expect("*")
      name = self.name("a callback", "livery_")
      self.expect(")")
      self.new(name, line)
      parameters = self.parameters()
      self.expect(";")
      self.known.callbacks.add(name)
      self.header.callbacks.append(Callback(name, self.header.file, line, kind, parameters, self.text(comment)))
      return
    name = self.name("a type", "livery_")
    self.expect(";")
    if kind.base not in NUMBERS or kind.pointers or kind.is_const:
      raise self.refuse(f"{name} is not one of C's numbers", line)
    self.new(name, line)
    self.known.numbers.add(name)
    self.last_number = Number(name, self.header.file, line, kind, self.text(comment))
    self.header.numbers.append(self.last_number)

  def struct(self, comment: Optional[Comment], line: int) -> None:
    name = self.name("a struct", "livery_")
    self.new(name, line)
    if self.accept("{"):
      struct = self.known.structs[name] = Struct(name, self.header.file, line, [], self.text(comment))
      while not self.accept("}"):
        struct.members += self.members()
      if not struct.members:
        raise self.refuse(f"{name} has no members", line)
      self.header.structs.append(struct)
    else:
      self.known.opaque.add(name)
      self.header.handles.append(Handle(name, self.header.file, line, self.text(comment)))
    if self.name("a struct") != name:
      raise self.refuse(f"the struct {name} has another name as a type", line)
    self.expect(";")

  def members(self) -> List[Member]:
    """Those of one declaration: `uint32_t line, column;`"""
    text = self.text(self.comment())
    kind = self.type()
    found = []
    while True:
      own = self.value_of(kind)
      line, name = self.token.line, self.name("a member")
      found.append(Member(name, line, own, text))
      if self.accept(";"):
        return found
      if not self.accept(","):
        raise self.refuse(f"; is expected behind {name}, and not {self.shown()}")
      kind = self.pointers(Type(kind.base, kind.is_const))

  # -- Functions

  def parameters(self) -> List[Parameter]:
    self.expect("(")
    if self.token.text == "void" and self.tokens[self.at + 1].text == ")":
      self.at += 2
      return []
    found: List[Parameter] = []
    while True:
      kind = self.value_of(self.type())
      found.append(Parameter(self.name("a parameter"), kind))
      if self.accept(")"):
        return found
      if not self.accept(","):
        raise self.refuse(f", or ) is expected, and not {self.shown()}")

  def function(self, comment: Optional[Comment], line: int) -> None:
    result = self.type()
    name = self.name("a function", "livery_")
    self.new(name, line)
    parameters = self.parameters()
    self.expect(";")
    if not self.is_extern_c:
      raise self.refuse(f'{name} is outside of extern "C"', line)
    if comment is None:
      raise self.refuse(f"{name} has no comment", line)
    self.describe(comment, name, result, parameters)
    self.header.functions.append(
      Function(name, self.header.file, line, result, parameters, comment.summary, comment.description, comment.threads,
               comment.returns, comment.since or "", comment.deprecated,
               any(each.direction == "in" and each.type.base in self.known.opaque - {"void"} for each in parameters)))

  def describe(self, comment: Comment, name: str, result: Type, parameters: List[Parameter]) -> None:
    """Put what the comment says to what is declared; both have to say the same."""
    for what, text in (("a summary", comment.summary), ("Threads:", comment.threads), ("@since", comment.since)):
      if not text:
        raise self.refuse(f"the comment of {name} lacks {what}", comment.line)
    described, declared = (", ".join(each.name for each in some) for some in (comment.parameters, parameters))
    if described != declared:
      raise self.refuse(f"the comment of {name} describes ({described}), declared is ({declared})", comment.line)
    for parameter, said in zip(parameters, comment.parameters):
      parameter.direction, parameter.text = said.direction, said.text
      is_anything = parameter.type.base in self.known.opaque and parameter.type.depth == 1
      if said.direction != "in" and not parameter.type.gives:
        raise self.refuse(f"nothing can be stored in {parameter.name}, a {parameter.type}", said.line)
      if said.direction == "in" and parameter.type.gives and not is_anything:
        raise self.refuse(f"{parameter.name}, a {parameter.type}, is written to: @param[out]", said.line)
    if (comment.returns is None) != (str(result) == "void"):
      raise self.refuse(f"{name} returns {result}, and the comment says otherwise", comment.line)
    statuses = comment.returns.statuses if comment.returns else []
    if bool(statuses) != (str(result) == "livery_status"):
      raise self.refuse(f"{name} returns {result}, and the comment lists {len(statuses)} statuses", comment.line)
    for status in statuses:
      if status.name not in self.known.constants:
        raise self.refuse(f"there is no status {status.name}", status.line)

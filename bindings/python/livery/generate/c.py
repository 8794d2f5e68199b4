"""Accessors in C: one header of inline functions over bound keys."""

from __future__ import annotations

import re
from typing import Any, List, NamedTuple, Tuple

from .._native.interface import FUNCTIONS
from . import c_parts
from .model import Model, Setting
from .names import Names, snake

#: The shapes of kinds that are the same in every header; see c_parts.SCALARS.
SCALARS = {"bool": ("bool", "bool"), "integer": ("int64_t", "int"), "number": ("double", "double"),
           "color": ("livery_color", "color"), "date": ("int64_t", "date"), "text": ("%p_text", "string"),
           "url": ("%p_text", "url"), "image": ("%p_text", "image"), "data": ("%p_bytes", "data")}
#: What no member of an item may be called: keywords of C and C++, and macros of compilers and of the headers that are included.
KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
double dynamic_cast else enum errno explicit export extern false float for friend goto has i386 if inline int linux long
mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
requires restrict return short signed sizeof static static_assert static_cast stderr stdin stdout struct switch template this
thread_local throw true try typedef typeid typename typeof typeof_unqual union unix unsigned using virtual void volatile
wchar_t while xor xor_eq""".split()


_PLAIN = re.compile(r"[ !#->@-\[\]-~]*")


class Shape(NamedTuple):
  """How a value is held: its type, and the end of the names of the functions that read, make and clear it."""

  type: str
  functions: str


def is_reserved(prefix: str) -> bool:
  """Whether functions of the library begin so."""
  return any(f"livery_{name}".startswith(f"{prefix}_") for name in FUNCTIONS)


def write(model: Model, prefix: str, source: str) -> str:
  """The header; `prefix` begins all names, `source` tells what it was made of."""
  return _Header(model, prefix, source).text()


class _Header:
  def __init__(self, model: Model, prefix: str, source: str) -> None:
    self.model, self.prefix, self.source = model, prefix, source
    self.functions = Names(["name", "open", "close", "missing", *(function for _, function in SCALARS.values())])
    self.constants = Names([f"{prefix}_{one}".upper() for one in ("VERSION", "DIGEST", "COUNT", "ANY_VERSION", "SETTINGS_H")])
    self.out: List[str] = []

  def text(self) -> str:
    for index, setting in enumerate(self.model.settings):
      self._accessors(setting, self.functions.take(snake(setting.name)), index)
    rows = ",\n".join(f"    {{{literal(one.name)}, {literal(one.listed)}}}"
                      for one in sorted(self.model.settings, key=lambda one: one.name.encode()))
    names = ", ".join(literal(one.name) for one in self.model.settings) or '""'
    parts = {"p": self.prefix, "P": self.prefix.upper(), "SOURCE": comment(self.source), "VERSION": str(self.model.version),
             "DIGEST": self.model.digest, "COUNT": str(len(self.model.settings)),
             "SLOTS": str(max(len(self.model.settings), 1)), "ROWS": rows or '    {"", ""}', "NAMES": names, "SCALARS": self._scalars(),
             "BODY": "\n".join(self.out)}
    return c_parts.fill(c_parts.HEADER, parts)

  def _scalars(self) -> str:
    shapes = {functions: kind.replace("%p", self.prefix) for kind, functions in SCALARS.values()}
    return "\n".join(
      c_parts.fill(c_parts.SPAN if kind.startswith(f"{self.prefix}_") else c_parts.SCALAR,
                   {"p": self.prefix, "f": functions, "T": kind, "AS": "data" if functions == "data" else "string"})
      for functions, kind in shapes.items())

  def _part(self, part: str, **parts: str) -> None:
    self.out.append(c_parts.fill(part, {"p": self.prefix, **parts}))

  # -- Accessors of one setting

  def _accessors(self, setting: Setting, name: str, index: int) -> None:
    shape = self._shape(setting, name)
    told = {"n": name, "NAME": literal(setting.name), "INDEX": str(index), "T": shape.type, "f": shape.functions,
            "DOC": doc(setting), "OLD": _deprecated(setting),
            "CONSTANT": self.constants.take(f"{self.prefix}_name_{name}".upper())}
    self._part(c_parts.NAME, **told)
    if setting.kind in ("bool", "integer", "number"):
      self._part(c_parts.BY_KEY, **told)
    elif setting.kind in ("color", "date"):
      self._part(c_parts.BY_NAME, **told)
    elif setting.kind in ("text", "url", "image"):
      self._part(c_parts.TEXT, **told)
    elif setting.kind == "data":
      self._part(c_parts.DATA, **told)
    elif setting.kind == "choice":
      self._part(c_parts.CHOICE, **told)
    else:
      self._part(c_parts.LIST, **told)
    self._part(c_parts.SETTING, **told)

  # -- Shapes

  def _shape(self, setting: Setting, name: str) -> Shape:
    """What holds a value of the setting; what is not there yet of it is written."""
    if setting.kind in SCALARS:
      kind, functions = SCALARS[setting.kind]
      return Shape(kind.replace("%p", self.prefix), functions)
    if setting.kind == "choice":
      return self._options(setting, name)
    if setting.kind == "choices":
      return self._array(self._options(setting, name), name)
    if setting.items_are_plain:
      return self._array(self._shape(setting.template[0], self.functions.take(f"{name}_item")), name)
    return self._array(self._record(setting, name), name)

  def _options(self, setting: Setting, name: str) -> Shape:
    functions = self.functions.take(f"option_{name}")
    kind = f"{self.prefix}_{functions}"
    unknown = self.constants.take(f"{self.prefix}_{name}_UNKNOWN".upper())
    constants = [self.constants.take(f"{self.prefix}_{name}_{option_name(one.value)}".upper()) for one in setting.options]
    rows = list(zip(constants, setting.options))
    self._part(
      c_parts.OPTIONS, T=kind, f=functions, UNKNOWN=unknown, WHAT=comment(setting.title),
      CONSTANTS=",\n".join(f"  /** {comment(one.title)} */\n  {constant} = {number}" for number, (constant, one) in enumerate(rows)),
      KNOWN="\n".join(f"  else if ({self._is(one.value)}) *option = {constant};" for constant, one in rows),
      MADE="\n".join(f"    case {constant}: return {_made(one.value)};" for constant, one in rows))
    return Shape(kind, functions)

  def _record(self, setting: Setting, name: str) -> Shape:
    functions = self.functions.take(f"item_{name}")
    kind, fields = f"{self.prefix}_{functions}", Names(KEYWORDS)
    members: List[Tuple[Setting, str, Shape]] = []
    for member in setting.template:
      field = fields.take(snake(member.name))
      members.append((member, field, self._shape(member, self.functions.take(f"{name}_{snake(member.name)}"))))
    self._part(
      c_parts.RECORD, T=kind, f=functions, WHAT=comment(setting.title), COUNT=str(max(len(members), 1)),
      FIELDS="\n".join(f"{doc(member, '  ')}\n  {shape.type} {field};" for member, field, shape in members),
      HAS="\n".join(f"    bool {field};" for _, field, _ in members) or "    bool nothing;",
      READ="\n".join(
        f"  if (status == LIVERY_OK && {self.prefix}_find(value, {literal(member.name)}, &member, &status)) {{\n"
        f"    status = {self.prefix}_read_{shape.functions}(member, &item->{field});\n    item->has.{field} = status == LIVERY_OK;\n    livery_value_release(member);\n  }}"
        for member, field, shape in members),
      MAKE="\n".join(
        f"  if (status == LIVERY_OK && item->has.{field}) {{\n    keys[count] = {literal(member.name)};\n"
        f"    status = {self.prefix}_make_{shape.functions}(&item->{field}, &made[count]);\n    if (status == LIVERY_OK) count++;\n  }}"
        for member, field, shape in members),
      CLEAR="\n".join(f"  {self.prefix}_clear_{shape.functions}(&item->{field});" for _, field, shape in members))
    return Shape(kind, functions)

  def _array(self, item: Shape, name: str) -> Shape:
    functions = self.functions.take(f"list_{name}")
    self._part(c_parts.ARRAY, T=f"{self.prefix}_{functions}", f=functions, ITEM=item.type, g=item.functions)
    return Shape(f"{self.prefix}_{functions}", functions)

  def _is(self, value: Any) -> str:
    """A condition: `value` of C is this option's."""
    if isinstance(value, bool):
      return f"{self.prefix}_is_bool(value, {_literal(value)})"
    if isinstance(value, str):
      return f"{self.prefix}_is_string(value, {literal(value)}, {len(value.encode())})"
    return f"{self.prefix}_is_{'int' if isinstance(value, int) else 'double'}(value, {_literal(value)})"


def _made(value: Any) -> str:
  if isinstance(value, bool):
    return f"livery_value_make_bool({_literal(value)}, value)"
  if isinstance(value, str):
    return f"livery_value_make_string({literal(value)}, {len(value.encode())}, value)"
  return f"livery_value_make_{'int' if isinstance(value, int) else 'double'}({_literal(value)}, value)"


def _literal(value: Any) -> str:
  if isinstance(value, bool):
    return "true" if value else "false"
  if isinstance(value, int):
    return "INT64_MIN" if value == -(2**63) else f"INT64_C({value})"
  return repr(float(value))


def literal(text: str) -> str:
  """A string literal of the text's bytes."""
  if _PLAIN.fullmatch(text):
    return f'"{text}"'
  out = []
  for byte in text.encode():
    plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
    out.append(chr(byte) if plain else f"\\{byte:03o}")
  return '"' + "".join(out) + '"'


def comment(text: str) -> str:
  """Text in a comment: in one line, with nothing that ends or begins one, nor continues a line."""
  plain = "".join(one if one.isprintable() else " " for one in text)
  return " ".join(plain.split()).replace("*/", "* /").replace("/*", "/ *").replace("\\", "\\ ").replace("??/", "? ?/").strip()


def doc(setting: Setting, indent: str = "") -> str:
  lines = [comment(line) for line in setting.lines()]
  if setting.deprecated:
    lines.append(f"Deprecated: {comment(setting.deprecated)}")
  return f"{indent}/**\n" + "".join(f"{indent} * {line}\n" for line in lines if line) + f"{indent} */"


def _deprecated(setting: Setting) -> str:
  if not setting.deprecated:
    return ""
  # Compilers show it and take no bytes by number there.
  plain = "".join(f"\\{one}" if one in '"\\?' else one if one.isprintable() else " " for one in setting.deprecated)
  return f'__attribute__((deprecated("{plain}")))\n'


def option_name(value: Any) -> str:
  return snake(str(value).replace("-", "minus ") if not isinstance(value, str) and value < 0 else str(value).lower()
               if isinstance(value, bool) else str(value))

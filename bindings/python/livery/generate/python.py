"""Accessors in Python: a class with typed properties, and the stub that tells checkers of what is deprecated."""

from __future__ import annotations

import keyword
import re
from typing import Any, Dict, List, Tuple

from .model import Model, Setting
from .names import Names, pascal, snake

TYPES = {"bool": "bool", "integer": "int", "number": "float", "text": "str", "url": "livery.URL", "image": "livery.Image",
         "color": "livery.Color", "date": "datetime.datetime", "data": "bytes"}
#: What reads each kind by a bound key.
READS = {"bool": "get_bool", "integer": "get_int", "number": "get_double", "text": "get_string", "url": "get_url",
         "color": "get_color", "date": "get_date", "data": "get_data"}
TAKEN = [*keyword.kwlist, "match", "case", "type", "self", "store", "layer", "at", "reset", "missing", "update", "watch",
         "VERSION", "DIGEST", "deprecated", "livery", "datetime", "bool", "int", "float", "str", "bytes", "property", "List", "Union"]
#: What no class may be called.
RESERVED = ["Settable", "None", "True", "False", "List", "Union", "Optional", "Any", "Dict"]


def is_reserved(name: str) -> bool:
  """Whether a class of that name would be none, or another than the module needs."""
  return name in RESERVED


def write(model: Model, name: str, source: str) -> str:
  """The module."""
  return _Module(model, name, source).text(stub=False)


def write_stub(model: Model, name: str, source: str) -> str:
  """The module's stub."""
  return _Module(model, name, source).text(stub=True)


class _Module:
  def __init__(self, model: Model, name: str, source: str) -> None:
    self.model, self.name, self.source = model, name, source
    self.types = Names([name, *RESERVED])
    self.out: List[str] = []

  def text(self, stub: bool) -> str:
    idents, rows = Names(TAKEN), []
    for setting in self.model.settings:
      rows.append((setting, idents.take(snake(setting.name)), self._type(setting, pascal(setting.name), stub)))
    words = {"@NAME@": self.name, "@SOURCE@": line(self.source) if stub else text(self.source), "@TITLE@": text(self.model.title or "The settings"),
             "@VERSION@": str(self.model.version), "@DIGEST@": self.model.digest,
             "@TYPES@": ", ".join(f"{setting.name!a}: {setting.listed!a}" for setting, _, _ in rows)}
    parts = [_filled(STUB_BEGINNING if stub else BEGINNING, words), *self.out, _filled(STUB_CLASS if stub else CLASS, words)]
    for number, (setting, ident, kind) in enumerate(rows):
      parts.append(_stub_property(setting, ident, kind) if stub else self._property(setting, ident, kind, number))
    return "\n".join(parts) + "\n"

  def _property(self, setting: Setting, ident: str, kind: str, number: int) -> str:
    if setting.kind in READS:
      read = f"self._keys[{number}].{READS[setting.kind]}()"
    elif setting.kind == "image":
      read = f"livery.Image(self._keys[{number}].get_string())"
    else:
      read = _from_value(setting, kind, f"self._keys[{number}].get_value()")
    made = _to_value(setting, "value")
    return "\n".join([
      "", "  @property", f"  def {ident}(self) -> {kind}:", doc(setting, "    "), f"    value: {kind} = {read}", "    return value", "",
      f"  @{ident}.setter", f"  def {ident}(self, value: {kind}) -> None:",
      f"    self.store.set({setting.name!a}, {made}, self.layer)", "",
      f"  @{ident}.deleter", f"  def {ident}(self) -> None:", f"    self.store.reset({setting.name!a}, self.layer)"])

  def _type(self, setting: Setting, name: str, stub: bool) -> str:
    if setting.kind in TYPES:
      return TYPES[setting.kind]
    if setting.kind in ("choice", "choices"):
      kind = self._options(setting, self.types.take(name))
      return kind if setting.kind == "choice" else f"List[{kind}]"
    if setting.items_are_plain:
      return f"List[{self._type(setting.template[0], f'{name}Value', stub)}]"
    return f"List[{self._record(setting, self.types.take(f'{name}Item'), stub)}]"

  def _options(self, setting: Setting, name: str) -> str:
    """Constants for the options; an option that is not among them is what it is."""
    idents = Names([*keyword.kwlist, "mro"])
    lines = ["", "", f"class {name}:", f"  {docstring(['The options of: ' + setting.title])}", ""]
    for option in setting.options:
      ident = idents.take(snake(_spelled(option.value)).upper())
      lines += [f"  {ident}: {type(option.value).__name__} = {option.value!a}"]
    self.out.append("\n".join(lines))
    kinds = sorted({type(option.value).__name__ for option in setting.options})
    return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"

  def _record(self, setting: Setting, name: str, stub: bool) -> str:
    idents = Names([*TAKEN, "_of", "_value", "classmethod"])
    rows: List[Tuple[Setting, str, str]] = [
      (member, idents.take(snake(member.name)), self._type(member, f"{name}{pascal(member.name)}", stub))
      for member in setting.template]
    lines = ["", "", "@dataclasses.dataclass", f"class {name}:",
             f"  {docstring(['An item of: ' + setting.title + '. What it does not have is None.'])}", ""]
    # What is printed of an item is in some log: no secret is.
    lines += [f"  {ident}: Optional[{kind}] = " + ("dataclasses.field(default=None, repr=False)" if member.holds_secret else "None")
              for member, ident, kind in rows]
    if not stub:
      lines += ["", "  @classmethod", f"  def _of(cls, value: Dict[str, Any]) -> {name!a}:", "    return cls("]
      lines += [f"      {ident}=" + _optional(f"value.get({member.name!a})", lambda one, m=member, k=kind: _from_value(m, k, one))
                + "," for member, ident, kind in rows]
      lines += ["    )", "", "  def _value(self) -> Dict[str, Any]:", "    members: Dict[str, Any] = {}"]
      for member, ident, _ in rows:
        lines += [f"    if self.{ident} is not None:", f"      members[{member.name!a}] = {_to_value(member, f'self.{ident}')}"]
      lines.append("    return members")
    self.out.append("\n".join(lines))
    return name


def _optional(place: str, convert: Any) -> str:
  converted = convert("one")
  return place if converted == "one" else f"(lambda one: None if one is None else {converted})({place})"


def _record_type(kind: str) -> str:
  return kind[len("List["):-1]


def _from_value(setting: Setting, kind: str, value: str) -> str:
  if setting.kind != "list":
    return value
  if setting.items_are_plain:
    item = _from_value(setting.template[0], _record_type(kind), "item")
    return value if item == "item" else f"[{item} for item in {value}]"
  return f"[{_record_type(kind)}._of(item) for item in {value}]"


def _to_value(setting: Setting, value: str) -> str:
  if setting.kind != "list":
    return value
  if setting.items_are_plain:
    item = _to_value(setting.template[0], "item")
    return value if item == "item" else f"[{item} for item in {value}]"
  return f"[item._value() for item in {value}]"


def _stub_property(setting: Setting, ident: str, kind: str) -> str:
  old = f"  @deprecated({setting.deprecated!a})\n" if setting.deprecated else ""
  return (f"  @property\n{old}  def {ident}(self) -> {kind}: ...\n  @{ident}.setter\n{old}  def {ident}(self, value: {kind}) -> None: ...\n"
          f"  @{ident}.deleter\n{old}  def {ident}(self) -> None: ...")


def _spelled(value: Any) -> str:
  return f"minus {-value}" if isinstance(value, (int, float)) and not isinstance(value, bool) and value < 0 else str(value)


def _filled(part: str, words: Dict[str, str]) -> str:
  return re.sub("@[A-Z]+@", lambda match: words[match.group()], part)


def line(content: str) -> str:
  return " ".join(content.split())


def text(content: str) -> str:
  """Text in a docstring."""
  escaped = line(content).replace("\\", "\\\\").replace('"', '\\"')
  return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in escaped)


def docstring(lines: List[str], indent: str = "  ") -> str:
  told = [text(one) for one in lines]
  if len(told) == 1:
    return f'"""{told[0]}"""'
  return '"""' + told[0] + "\n\n" + "".join(f"{indent}{one}\n" for one in told[1:]) + f'{indent}"""'


def doc(setting: Setting, indent: str) -> str:
  lines = setting.lines()
  if setting.deprecated:
    lines.append(f"Deprecated: {setting.deprecated}")
  return indent + docstring(lines, indent)


BEGINNING = '''"""@TITLE@, version @VERSION@: made by `livery generate python` of @SOURCE@; do not edit."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any, Dict, List, Optional, Union

import livery'''

STUB_BEGINNING = '''# Made by `livery generate python` of @SOURCE@; do not edit.
import dataclasses
import datetime
from typing import List, Optional, Union

import livery
from typing_extensions import deprecated'''

CLASS = '''

class @NAME@:
  """@TITLE@. Reads give the value in effect; what is set goes into ``layer``, and ``del`` resets it there.

  A store with another schema is refused: SchemaNewerError if its version is higher, ConflictError if it is lower or
  the content another; NoValueError if it has none. With ``any_version`` it is taken if it has all settings with their
  types, else NotFoundError names what is missing.
  """

  VERSION = @VERSION@
  DIGEST = "@DIGEST@"
  _TYPES = {@TYPES@}

  def __init__(
    self, store: livery.Store, layer: Union[livery.Layer, str, int] = livery.Layer.USER, *, any_version: bool = False
  ) -> None:
    self.store, self.layer = store, livery.Layer.of(layer)
    if store.schema_digest != self.DIGEST:
      missing = self.missing(store)
      message = (f"the store's schema is version {store.schema_version} and not that which the program was made for, "
                 f"version {self.VERSION}" + (f"; not there, or of another type: {', '.join(missing)}" if missing else ""))
      if not any_version:
        raise (livery.SchemaNewerError if store.schema_version > self.VERSION else livery.ConflictError)(message)
      if missing:
        raise livery.NotFoundError(message)
    self._keys = [store.key(name) for name in self._TYPES]

  @classmethod
  def missing(cls, store: livery.Store) -> List[str]:
    """What the store's schema lacks of this, or has with another type."""
    types = {item["name"]: item["type"] for item in store.list()}
    return [name for name, kind in cls._TYPES.items() if types.get(name) != kind]

  def at(self, layer: Union[livery.Layer, str, int]) -> "@NAME@":
    """The same settings, with another layer to set them in."""
    other: "@NAME@" = object.__new__(type(self))
    other.store, other.layer, other._keys = self.store, livery.Layer.of(layer), self._keys
    return other'''

STUB_CLASS = '''

class @NAME@:
  VERSION: int
  DIGEST: str
  store: livery.Store
  layer: livery.Layer
  def __init__(
    self, store: livery.Store, layer: Union[livery.Layer, str, int] = ..., *, any_version: bool = ...
  ) -> None: ...
  @classmethod
  def missing(cls, store: livery.Store) -> List[str]: ...
  def at(self, layer: Union[livery.Layer, str, int]) -> "@NAME@": ...'''

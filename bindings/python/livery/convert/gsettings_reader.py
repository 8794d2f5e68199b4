"""Reads the schemas of GSettings."""

from __future__ import annotations

import glob
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import gvariant
from . import gvariant_settings as held
from .document import Document, Element
from .place import Place, Refused
from .source import Source, Tag, read_xml

TYPES = {"enum", "flags"}
#: What stands for the type of a key whose values Livery keeps as text.
AS_TEXT = "text"


class _Named(NamedTuple):
  """An enumeration or flags: the names of its values in their order, and whether their numbers are those of the order."""

  nicks: List[str]
  in_order: bool


class Reader:
  """Reads the schemas of one or more files into one document."""

  def __init__(self, files: Sequence[Source]) -> None:
    self.document = Document()
    self.named: Dict[Tuple[str, str], _Named] = {}
    self.schemas: Dict[str, Tuple[Source, Tag]] = {}
    self.files = files
    self.beside_read = False

  def read(self) -> Document:
    for file in self.files:
      self.collect(file, read_xml(file))
    first = next(iter(self.schemas), None)
    self.document.title = first or ""
    for name, (file, tag) in self.schemas.items():
      self.schema(name, file, tag)
    self.document.mend()
    return self.document

  def collect(self, file: Source, root: Tag) -> None:
    if root.name != "schemalist":
      raise Refused(file.place(root.line), f"<schemalist> is expected, not <{root.name}>")
    for tag in root.children:
      name = tag.get("id")
      if tag.name in ("enum", "flags"):
        self.named[(tag.name, name)] = _named(tag)
      elif tag.name == "schema":
        if not name:
          raise Refused(file.place(tag.line), "a schema without `id`")
        if name in self.schemas:
          raise Refused(file.place(tag.line), f"the schema `{name}` is there twice")
        self.schemas[name] = (file, tag)

  def find(self, kind: str, name: str) -> Optional[_Named]:
    """An enumeration by its name; those of other files of the same folder count as well."""
    if (kind, name) not in self.named and not self.beside_read:
      self.beside_read = True
      known = {os.path.abspath(file.path) for file in self.files}
      for folder in sorted({os.path.dirname(path) for path in known}):
        for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.enums.xml"))):
          if path not in known:
            for tag in read_xml(Source.open(path)).children:
              if tag.name in TYPES:
                self.named.setdefault((tag.name, tag.get("id")), _named(tag))
    return self.named.get((kind, name))

  def schema(self, name: str, file: Source, tag: Tag) -> None:
    group = self.document.group(file.place(tag.line), name)
    group.path = tag.get("path")  # type: ignore[attr-defined]
    if not tag.get("path") and tag.all("key"):
      self.document.lose(file.place(tag.line), "", f"`{name}` has no path and may be used at many: its settings are there once")
    for child in tag.all("child"):
      self.document.lose(file.place(child.line), "", f"the child `{child.get('name')}` of `{name}` is not kept")
    seen: Dict[str, Tuple[Source, Tag]] = {}
    overrides: Dict[str, Tag] = {}
    for where, one in self.line(name, file, tag):
      own = set()
      for key in one.all("key"):
        if key.get("name") in own:
          raise Refused(where.place(key.line), f"the key `{key.get('name')}` is there twice")
        own.add(key.get("name"))
        seen.setdefault(key.get("name"), (where, key))
      for override in one.all("override"):
        overrides.setdefault(override.get("name"), override)
    for key_name, (where, key) in seen.items():
      group["Settings"].append(self.key(f"{name}.{key_name}", where, key, overrides.get(key_name)))

  def line(self, name: str, file: Source, tag: Tag) -> List[Tuple[Source, Tag]]:
    """A schema and those that it extends."""
    found, names = [(file, tag)], {name}
    while tag.get("extends"):
      base = self.schemas.get(tag.get("extends"))
      if tag.get("extends") in names:
        raise Refused(file.place(tag.line), f"the schema `{name}` extends itself, by way of `{tag.get('id')}`")
      if base is None:
        self.document.lose(file.place(tag.line), "", f"`{tag.get('id')}` extends `{tag.get('extends')}`, which is not among the files")
        break
      names.add(tag.get("extends"))
      file, tag = base
      found.append(base)
    return found

  def key(self, name: str, file: Source, tag: Tag, override: Optional[Tag]) -> Element:
    place = file.place(tag.line)
    kind = next((one for one in ("enum", "flags") if tag.get(one)), "")
    members, signature = self.named_type(name, place, kind, tag.get(kind)) if kind else self.plain_type(name, place, tag)
    made = Element(place, Key=name, Title=tag.said("summary") or name.rpartition(".")[2],
                   Description=tag.said("description") or None, **members)
    made.signature = signature  # type: ignore[attr-defined]
    self.range(name, file, tag, made)
    if not kind and made["Type"] == "Number" and held.signature_of(made) != signature:
      self.document.lose(place, name, f"of the type `{signature}` only the range is kept")
    default = override or tag.one("default")
    if default is None:
      raise Refused(place, f"the key `{name}` has no default")
    if default.get("l10n"):
      self.document.lose(file.place(default.line), name, f"its default differs by language ({default.get('l10n')}): that of the file is taken")
    try:
      made["Value"] = value_of(default.text.strip(), signature)
    except ValueError as error:
      self.document.lose(file.place(default.line), name, f"no default, since {one_line(default.text)} is not one: {error}")
    return made

  def named_type(self, name: str, place: Place, kind: str, called: str) -> Tuple[Dict[str, Any], str]:
    found = self.find(kind, called)
    if found is None or not found.nicks:
      self.document.lose(place, name, f"the {kind} `{called}` is not among the files: any text is taken")
      return held.members_of("s" if kind == "enum" else "as", place) or {}, "s" if kind == "enum" else "as"
    if not found.in_order:
      self.document.lose(place, name, f"the numbers of the {kind} `{called}` are not kept")
    return _choice(found.nicks, kind == "flags"), "s" if kind == "enum" else "as"

  def plain_type(self, name: str, place: Place, tag: Tag) -> Tuple[Dict[str, Any], str]:
    signature = tag.get("type")
    try:
      if len(gvariant.split(signature)) != 1:
        raise ValueError("one type is expected")
    except ValueError as error:
      raise Refused(place, f"the key `{name}`: {error}") from None
    choices = tag.one("choices")
    if choices and signature in ("s", "as", "ms"):
      return _choice([one.get("value") for one in choices.all("choice")], signature == "as"), signature
    members = held.members_of(signature, place)
    if members is not None:
      return members, signature
    self.document.lose(place, name, f"Livery has no type for `{signature}`: the value is kept as text and not checked")
    return {"Type": "TextField"}, AS_TEXT

  def range(self, name: str, file: Source, tag: Tag, made: Element) -> None:
    bounds = tag.one("range")
    if bounds:
      for attribute, member in (("min", "Minimum"), ("max", "Maximum")):
        if bounds.get(attribute):
          try:
            made[member] = float(bounds.get(attribute)) if made.get("Format") == "number" else int(bounds.get(attribute), 0)
          except ValueError:
            raise Refused(file.place(bounds.line), f"the key `{name}`: `{attribute}` is not a number") from None
    largest = made.get("Maximum", 0)
    if isinstance(largest, int) and (largest > gvariant.LARGEST or largest == gvariant.LARGEST and tag.get("type") == "t"):
      made.pop("Maximum", None)
      self.document.lose(file.place(tag.line), name, "numbers above 9223372036854775807 are not taken")
    aliases = tag.one("aliases")
    for alias in aliases.all("alias") if aliases else []:
      self.document.lose(file.place(alias.line), name, f"the option `{alias.get('target')}` is not read as `{alias.get('value')}` any more")


def _named(tag: Tag) -> _Named:
  values = tag.all("value")
  numbers = [str(index if tag.name == "enum" else 1 << index) for index in range(len(values))]
  return _Named([one.get("nick") for one in values], [_number(one.get("value")) for one in values] == numbers)


def _number(text: str) -> str:
  try:
    return str(int(text, 0))
  except ValueError:
    return text


def _choice(values: List[str], multiple: bool) -> Dict[str, Any]:
  return {"Type": "ComboBox", "Class": ["Multiple" if multiple else "Single"],
          "Options": [{"Title": one, "Value": one} for one in dict.fromkeys(values)]}


def one_line(text: str) -> str:
  text = " ".join(text.split())
  return text if len(text) <= 60 else text[:57] + "..."


def value_of(text: str, signature: str) -> Any:
  return gvariant.in_a_line(text) if signature == AS_TEXT else held.to_livery(gvariant.parse(text, signature), signature)

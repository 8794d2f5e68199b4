"""Schemas of GSettings (`.gschema.xml`, with enumerations and flags), and values in keyfiles.

The format is that of glib-compile-schemas; a keyfile's groups are paths, as the keyfile backend of GSettings writes them, or the
names of schemas, as in `.gschema.override`.
"""

from __future__ import annotations

import glob
import json
import os
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple
from xml.sax.saxutils import escape, quoteattr

from . import gvariant
from .document import Document, Element, Place, Refused, is_multiple, option_values
from .source import Source, Tag, read_xml

TITLE = "GSettings (.gschema.xml; values in keyfiles)"
TYPES = {"enum", "flags"}
NICK = re.compile(r"[a-z][a-z0-9-]*\Z")
KEY = re.compile(r"[a-z](?:-?[a-z0-9])*\Z")
#: What stands for the type of a key whose values Livery keeps as text.
AS_TEXT = "text"


class _Named(NamedTuple):
  """An enumeration or flags: the names of its values in their order."""

  nicks: List[str]


class _Reader:
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
        self.named[(tag.name, name)] = _Named([one.get("nick") for one in tag.all("value")])
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
                self.named.setdefault((tag.name, tag.get("id")), _Named([one.get("nick") for one in tag.all("value")]))
    return self.named.get((kind, name))

  def schema(self, name: str, file: Source, tag: Tag) -> None:
    group = self.document.group(file.place(tag.line), name)
    group.path = tag.get("path")  # type: ignore[attr-defined]
    if not tag.get("path") and tag.all("key"):
      self.document.lose(file.place(tag.line), "", f"`{name}` has no path and may be used at many: its settings are there once")
    seen: Dict[str, Tuple[Source, Tag]] = {}
    overrides: Dict[str, Tag] = {}
    for where, one in self.line(name, file, tag):
      for key in one.all("key"):
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
      if base is None or tag.get("extends") in names:
        self.document.lose(file.place(tag.line), "", f"`{name}` extends `{tag.get('extends')}`, which is not among the files")
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
    if not kind and made["Type"] == "Number" and gvariant.signature_of(made) != signature:
      self.document.lose(place, name, f"of the type `{signature}` only the range is kept")
    default = override or tag.one("default")
    if default is None:
      raise Refused(place, f"the key `{name}` has no default")
    if default.get("l10n"):
      self.document.lose(file.place(default.line), name, f"its default differs by language ({default.get('l10n')}): that of the file is taken")
    try:
      made["Value"] = _value(default.text.strip(), signature)
    except ValueError as error:
      self.document.lose(file.place(default.line), name, f"no default, since {_one_line(default.text)} is not one: {error}")
    return made

  def named_type(self, name: str, place: Place, kind: str, called: str) -> Tuple[Dict[str, Any], str]:
    found = self.find(kind, called)
    if found is None or not found.nicks:
      self.document.lose(place, name, f"the {kind} `{called}` is not among the files: any text is taken")
      return gvariant.members_of("s" if kind == "enum" else "as", place) or {}, "s" if kind == "enum" else "as"
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
    members = gvariant.members_of(signature, place)
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
    if made.get("Maximum", 0) == gvariant.LARGEST and tag.get("type") == "t" or made.get("Maximum", 0) > gvariant.LARGEST:
      made.pop("Maximum", None)
      self.document.lose(file.place(tag.line), name, "numbers above 9223372036854775807 are not taken")
    aliases = tag.one("aliases")
    for alias in aliases.all("alias") if aliases else []:
      self.document.lose(file.place(alias.line), name, f"the option `{alias.get('target')}` is not read as `{alias.get('value')}` any more")


def _choice(values: List[str], multiple: bool) -> Dict[str, Any]:
  return {"Type": "ComboBox", "Class": ["Multiple" if multiple else "Single"],
          "Options": [{"Title": one, "Value": one} for one in dict.fromkeys(values)]}


def _one_line(text: str) -> str:
  text = " ".join(text.split())
  return text if len(text) <= 60 else text[:57] + "..."


def _value(text: str, signature: str) -> Any:
  return text if signature == AS_TEXT else gvariant.to_livery(gvariant.parse(text, signature), signature)


def read(files: Sequence[Source]) -> Document:
  """The settings of schemas, each by the schema's name and the key's: `org.example.idle-seconds`."""
  return _Reader(files).read()


def _read_value(setting: Element, text: str) -> Any:
  signature = getattr(setting, "signature", None) or gvariant.signature_of(setting)
  if signature is None:
    # GSettings has it as a text with JSON.
    return json.loads(gvariant.parse(text, "s"))
  return _value(text, signature)


_GROUP, _PAIR = re.compile(r"\[([^\]]+)\]\s*\Z"), re.compile(r"([^=\s]+)\s*=\s*(.*)\Z")


def read_values(document: Document, source: Source) -> None:
  """The values of a keyfile, of a dump of dconf with whole paths, or of an override."""
  paths = {str(getattr(group, "path", "")).strip("/"): str(group["Title"]) for group in document.groups if getattr(group, "path", "")}
  names = names_of(document)
  paths.update({schema.replace(".", "/"): schema for schema, _ in names.values()})
  named = {".".join(names[setting["Key"]]): setting for setting in document.settings()}
  schema = ""
  for line, raw in enumerate(source.text.splitlines(), 1):
    text, place = raw.strip(), source.place(line)
    if not text or text[0] in "#;":
      continue
    group, pair = _GROUP.match(text), _PAIR.match(text)
    if group:
      # Of an override, what is behind the colon is the desktop that it is for.
      name = group.group(1)
      schema = paths.get(name.strip("/"), name.partition(":")[0])
    elif not pair:
      raise Refused(place, "neither a [group] nor `key=value`")
    else:
      name = f"{schema}.{pair.group(1)}"
      setting = named.get(name)
      if setting is None:
        document.lose(place, name, "no such setting")
        continue
      try:
        document.values[setting["Key"]] = _read_value(setting, pair.group(2))
      except ValueError as error:
        document.lose(place, name, f"{_one_line(pair.group(2))} is not its value: {error}")


def names_of(document: Document) -> Dict[str, Tuple[str, str]]:
  """The schema and the key of each setting. What stands before the last dot is the schema, where that can be."""
  schema_of_all = re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-") or "settings"
  found: Dict[str, Tuple[str, str]] = {}
  taken = set()
  for setting in document.settings():
    schema, _, key = setting["Key"].rpartition(".")
    if hasattr(setting, "signature"):
      # It comes from GSettings, and is called so there.
      found[setting["Key"]] = (schema, key)
      continue
    schema = re.sub(r"[^A-Za-z0-9.-]+", "-", schema).strip(".-") or schema_of_all
    spelt = key if KEY.match(key) else _hyphens(key)
    while (schema, spelt) in taken:
      spelt += "-x"
    taken.add((schema, spelt))
    found[setting["Key"]] = (schema, spelt)
  return found


def _hyphens(name: str) -> str:
  spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "-", name).lower()
  spelt = re.sub(r"-+", "-", spaced).strip("-")
  return spelt if KEY.match(spelt) else f"x-{spelt}".strip("-")


class _Writer:
  def __init__(self, document: Document) -> None:
    self.document = document
    self.names = names_of(document)
    self.enums: List[str] = []

  def write(self) -> str:
    schemas: Dict[str, List[str]] = {}
    for setting in self.document.settings():
      schema, key = self.names[setting["Key"]]
      if f"{schema}.{key}" != setting["Key"]:
        self.document.lose(setting.place, setting["Key"], f"it is called `{key}` in `{schema}`")
      schemas.setdefault(schema, []).extend(self.key(schema, key, setting))
    if any(self.document.texts.values()):
      self.document.lose(Place(next((g.place.file for g in self.document.groups), "")), "", "texts in other languages are kept apart by gettext")
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<schemalist>", *self.enums]
    for schema, keys in schemas.items():
      lines += [f"  <schema id={quoteattr(schema)} path={quoteattr('/' + schema.replace('.', '/') + '/')}>", *keys, "  </schema>"]
    return "\n".join([*lines, "</schemalist>", ""])

  def key(self, schema: str, key: str, setting: Element) -> List[str]:
    signature = gvariant.signature_of(setting)
    name, kind, extra = setting["Key"], "", []
    said = {"Description", "MaxItems", "Required", "UniqueBy"} if setting["Type"] == "List" else {"Description"}
    if setting["Type"] == "Number":
      low, high = gvariant.RANGES.get(signature or "", (None, None))
      if "Minimum" in setting and setting["Minimum"] != low or "Maximum" in setting and setting["Maximum"] not in (high, gvariant.LARGEST):
        bounds = [f"{one}={quoteattr(str(setting[member]))}" for one, member in (("min", "Minimum"), ("max", "Maximum")) if member in setting]
        extra.append(f"      <range {' '.join(bounds)}/>")
      said |= {"Minimum", "Maximum"}
    if setting.get("Pattern") == gvariant.OBJECT_PATH:
      said.add("Pattern")
    if setting["Type"] == "ComboBox" and signature in ("s", "as"):
      kind, extra = self.choices(schema, key, setting)
    elif setting["Type"] == "ComboBox":
      self.document.lose(setting.place, name, "its options are no texts: any value of the type is taken")
    elif setting["Type"] in ("URL", "Color", "Date", "Image"):
      self.document.lose(setting.place, name, f"GSettings has no {setting['Type']}: it is a text")
    if signature is None:
      signature = "s"
      self.document.lose(setting.place, name, "GSettings has no type for it: it is a text with JSON")
    if setting["Type"] == "TextField" and setting.get("Class"):
      self.document.lose(setting.place, name, "GSettings knows no secrets: it is a text")
    self.document.unsaid(setting, said, "GSettings")
    value = self.default(setting, signature)
    return [f"    <key name={quoteattr(key)} {kind or 'type=' + quoteattr(signature)}>", *extra, f"      <default>{escape(value)}</default>",
            f"      <summary>{escape(str(setting.get('Title') or key))}</summary>",
            *([f"      <description>{escape(setting['Description'])}</description>"] if setting.get("Description") else []), "    </key>"]

  def choices(self, schema: str, key: str, setting: Element) -> Tuple[str, List[str]]:
    values = option_values(setting)
    if any(str(one.get("Title") or one["Value"]) != one["Value"] for one in setting["Options"]):
      self.document.lose(setting.place, setting["Key"], "GSettings has no titles of options")
    if not is_multiple(setting):
      return "", ["      <choices>", *(f"        <choice value={quoteattr(one)}/>" for one in values), "      </choices>"]
    if len(values) > 32 or not all(NICK.match(one) and len(one) > 1 for one in values):
      return "", ["      <choices>", *(f"        <choice value={quoteattr(one)}/>" for one in values), "      </choices>"]
    name = f"{schema}.{key}"
    self.enums += [f"  <flags id={quoteattr(name)}>",
                   *(f"    <value nick={quoteattr(one)} value=\"{1 << index}\"/>" for index, one in enumerate(values)), "  </flags>"]
    return f"flags={quoteattr(name)}", []

  def default(self, setting: Element, signature: str) -> str:
    value = setting.get("Value")
    if "Value" not in setting or value == "" and signature not in "so":
      self.document.lose(setting.place, setting["Key"], "GSettings has no settings without a default: it has an empty one")
      return _empty(setting, signature)
    return _text(value, setting, signature)


def _text(value: Any, setting: Element, signature: str) -> str:
  if getattr(setting, "signature", None) == AS_TEXT:
    return str(value)
  if signature == "s" and not isinstance(value, str):
    return gvariant.quoted(json.dumps(value, ensure_ascii=False))
  return gvariant.text_of(gvariant.from_livery(value, signature), signature)


def _empty(setting: Element, signature: str) -> str:
  if setting["Type"] == "ComboBox" and not is_multiple(setting):
    return _text(option_values(setting)[0], setting, signature)
  if signature[0] in "bdsxynqiut":
    zero: Any = {"b": False, "d": 0.0, "s": ""}.get(signature[0], 0)
    if signature[0] not in "bs":
      zero = max(zero, setting.get("Minimum", zero)) if "Minimum" in setting else min(zero, setting.get("Maximum", zero))
    return gvariant.text_of(zero, signature)
  if signature == "o":
    return "'/'"
  if signature[0] == "(":
    return "(" + ", ".join(_empty(one, inner) for one, inner in zip(setting["ItemTemplate"], gvariant.parts(signature))) + \
           ("," if len(setting["ItemTemplate"]) == 1 else "") + ")"
  return gvariant.text_of([], signature)


def write(document: Document) -> Dict[str, bytes]:
  text = _Writer(document).write()
  return {f"{re.sub(r'[^A-Za-z0-9.-]+', '-', document.title).strip('-') or 'settings'}.gschema.xml": text.encode()}


def write_values(document: Document) -> bytes:
  """The values as a keyfile of the keyfile backend."""
  groups: Dict[str, List[str]] = {}
  paths = {str(group["Title"]): str(getattr(group, "path", "")).strip("/") for group in document.groups}
  names = names_of(document)
  for name, value in document.values.items():
    setting = document.find(name)
    if setting is None:
      document.lose(Place(""), name, "no such setting")
      continue
    schema, key = names[name]
    signature = getattr(setting, "signature", None) or gvariant.signature_of(setting) or "s"
    try:
      text = str(value) if signature == AS_TEXT else _text(value, setting, signature)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
      document.lose(setting.place, name, f"{_one_line(str(value))} is not its value")
      continue
    groups.setdefault(paths.get(schema) or schema.replace(".", "/"), []).append(f"{key}={text}")
  return "\n".join(line for group, lines in groups.items() for line in (f"[{group}]", *lines, "")).encode()

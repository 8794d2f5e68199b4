"""Writes schemas of GSettings."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Tuple
from xml.sax.saxutils import escape, quoteattr

from . import gvariant
from . import gvariant_settings as held
from .document import Document, Element, is_multiple, members_of, option_values, title_of, within
from .gsettings_reader import AS_TEXT
from .place import Place

NICK = re.compile(r"[a-z][a-z0-9-]*\Z")
KEY = re.compile(r"[a-z](?:-?[a-z0-9])*\Z")


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


class Writer:
  def __init__(self, document: Document) -> None:
    self.document = document
    self.names = names_of(document)
    self.enums: List[str] = []

  def write(self) -> str:
    schemas: Dict[str, List[str]] = {}
    self.document.reread(lambda text: " ".join(text.split()), "GSettings")
    self.document.unheaded(lambda group: all(self.names[one["Key"]][0] == title_of(group) for _, one in within(group, ())))
    for holders, setting in self.document.placed():
      self.document.panes_of(setting, [setting["Key"]], holders, {})
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
    signature = held.signature_of(setting)
    name, kind, extra = setting["Key"], "", []
    said = {"Description"} | held.said_by(signature, setting)
    if setting["Type"] == "Number":
      low, high = gvariant.RANGES.get(signature or "", (None, None))
      if "Minimum" in setting and setting["Minimum"] != low or "Maximum" in setting and setting["Maximum"] not in (high, gvariant.LARGEST):
        bounds = [f"{one}={quoteattr(str(setting[member]))}" for one, member in (("min", "Minimum"), ("max", "Maximum")) if member in setting]
        extra.append(f"      <range {' '.join(bounds)}/>")
      said |= {"Minimum", "Maximum"}
    if setting.get("Pattern") == held.OBJECT_PATH:
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
    if signature != "s":
      self.members(setting, name)
    value = self.default(setting, signature)
    return [f"    <key name={quoteattr(key)} {kind or 'type=' + quoteattr(signature)}>", *extra, f"      <default>{escape(value)}</default>",
            f"      <summary>{escape(str(setting.get('Title') or key))}</summary>",
            *([f"      <description>{escape(setting['Description'])}</description>"] if setting.get("Description") else []), "    </key>"]

  def members(self, setting: Element, name: str) -> None:
    """Note what the types of a list's items do not say."""
    for one in members_of(setting.get("ItemTemplate") or []):
      signature = held.signature_of(one)
      said = held.said_by(signature, one) | ({"Required"} if one["Type"] in held.ALWAYS else set())
      if one["Type"] == "ComboBox":
        self.document.lose(one.place, name, "the options of its items are not kept")
      self.document.unsaid(one, said, "GSettings", name)
      self.members(one, name)

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
    return text_of(value, setting, signature)


def text_of(value: Any, setting: Element, signature: str) -> str:
  if getattr(setting, "signature", None) == AS_TEXT:
    return gvariant.in_a_line(str(value))
  if signature == "s" and not isinstance(value, str):
    return gvariant.quoted(json.dumps(value, ensure_ascii=False))
  return gvariant.text_of(held.from_livery(value, signature), signature)


def _empty(setting: Element, signature: str) -> str:
  if setting["Type"] == "ComboBox" and not is_multiple(setting):
    return text_of(option_values(setting)[0], setting, signature)
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

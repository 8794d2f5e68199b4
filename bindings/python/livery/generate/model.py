"""What a schema declares, as the writers of each language need it."""

from __future__ import annotations

import json
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import livery

from .._command import without_place

#: The kinds of settings, by `Type` and what refines it.
PLAIN = {"TextField": "text", "ToggleSwitch": "bool", "URL": "url", "Color": "color", "Date": "date", "Image": "image",
         "Data": "data"}
#: Members that bound a value, with how a sentence names them.
BOUNDS = (("Minimum", "at least"), ("Maximum", "at most"), ("Step", "in steps of"), ("MinLength", "at least this long:"),
          ("MaxLength", "at most this long:"), ("Pattern", "matches"), ("MaxItems", "at most this many:"),
          ("UniqueBy", "distinct by"))


class SchemaError(Exception):
  """The schema is not one: a line for each thing that is wrong, with its place."""


class Option(NamedTuple):
  """One value of a setting that is chosen."""

  title: str
  #: A text, whole number, double or truth value.
  value: Any


class Setting(NamedTuple):
  """A setting, a member of a list's items, or with the name "" the item itself."""

  name: str
  #: text, bool, integer, number, url, color, date, image, data, choice, choices or list.
  kind: str
  raw: Dict[str, Any]
  options: List[Option]
  #: Of a list: the settings that are the members of its items, or one without a name.
  template: List[Any]

  @property
  def title(self) -> str:
    return str(self.raw.get("Title") or self.name)

  @property
  def deprecated(self) -> Optional[str]:
    reason = self.raw.get("Deprecated")
    return reason if isinstance(reason, str) and reason else None

  @property
  def secret(self) -> bool:
    return self.kind == "text" and "Password" in (self.raw.get("Class") or [])

  @property
  def holds_secret(self) -> bool:
    """Whether it or a member of its items is one."""
    return self.secret or any(one.holds_secret for one in self.template)

  @property
  def listed(self) -> str:
    """Its type as the store's list of settings tells it."""
    return {"integer": "int", "number": "double", "text": "string", "choices": "list"}.get(self.kind, self.kind)

  @property
  def items_are_plain(self) -> bool:
    return self.kind == "list" and len(self.template) == 1 and not self.template[0].name

  @property
  def bounds(self) -> List[Tuple[str, Any]]:
    """What bounds a value, each behind the words that a sentence names it with."""
    return [(words, self.raw[member]) for member, words in BOUNDS if self.raw.get(member) not in (None, "")]

  @property
  def constraints(self) -> List[str]:
    """What a value has to satisfy, each in a few words."""
    found = [f"{words} {f'`{value}`' if isinstance(value, str) else number(value)}" for words, value in self.bounds]
    return [*found, "required"] if self.raw.get("Required") else found

  @property
  def default(self) -> Optional[str]:
    """The default as JSON; None for none, and where a secret is in it."""
    if "Value" not in self.raw or self.holds_secret:
      return None
    value = self.raw["Value"]
    if value == "" and self.kind in ("color", "date", "image", "integer", "number"):
      return None
    return json.dumps(value, ensure_ascii=False)

  def lines(self) -> List[str]:
    """What a comment on it says, line by line."""
    said = [self.title]
    if self.raw.get("Description"):
      said += str(self.raw["Description"]).splitlines()
    facts = []
    if self.raw.get("Unit"):
      facts.append(f"Unit: {self.raw['Unit']}.")
    if self.default is not None:
      text = self.default if len(self.default) <= 80 else self.default[:77] + "..."
      facts.append(f"Default: {text}.")
    if self.constraints:
      facts.append(f"Constraints: {', '.join(self.constraints)}.")
    for member, words in (("ReadOnly", "Set by the console alone."), ("Restart", "Takes effect at the next start."),
                          ("Volatile", "Ends with the boot of the system.")):
      if self.raw.get(member):
        facts.append(words)
    if self.secret:
      facts.append("A secret.")
    if facts:
      said.append(" ".join(facts))
    return [" ".join(line.split()) for line in said if line.strip()]


class Group(NamedTuple):
  """A group of the schema, or a pane of one: its settings in order."""

  title: str
  description: str
  #: The titles of what it lies in.
  path: Tuple[str, ...]
  settings: List[Setting]


class Model(NamedTuple):
  """A schema, read."""

  title: str
  version: int
  #: What tells schemas of the same version apart: 32 hexadecimal digits, as livery_schema_digest() gives them.
  digest: str
  groups: List[Group]

  @property
  def settings(self) -> List[Setting]:
    return [setting for group in self.groups for setting in group.settings]


def read(text: str, name: str) -> Model:
  """Read a schema, which the library checks first; SchemaError has a line for each thing that is wrong."""
  with livery.open("", memory=True) as store:
    try:
      store.apply_schema(text)
    except livery.LiveryError as error:
      raise SchemaError(_faults(error, name)) from None
    digest = store.schema_digest
  root = json.loads(text)
  groups: List[Group] = []
  for group in root["Groups"]:
    _collect(group, (), groups)
  return Model(str(root.get("Title") or ""), int(root["Version"]), digest, [one for one in groups if one.settings])


def _faults(error: livery.LiveryError, name: str) -> str:
  report = getattr(error, "report", None) or {}
  faults = [one for one in report.get("diagnostics", []) if one["severity"] == "error"]
  if not faults:
    place = f":{error.line}:{error.column}" if getattr(error, "line", 0) else ""
    return f"{name}{place}: {without_place(error.message) if place else error.message}"
  return "\n".join(f"{name}:{one['line']}:{one['column']}: {without_place(one['message'])}" for one in faults)


def _collect(source: Dict[str, Any], path: Tuple[str, ...], groups: List[Group]) -> None:
  here = Group(str(source.get("Title") or ""), str(source.get("Description") or ""), path, [])
  groups.append(here)
  for raw in source.get("Settings") or []:
    if raw.get("Type") == "Pane":
      _collect(raw, (*path, here.title), groups)
    elif raw.get("Type") != "Header":
      here.settings.append(_setting(raw))


def _setting(raw: Dict[str, Any]) -> Setting:
  kind, options, template = raw["Type"], [], []
  if kind == "ComboBox":
    kind = "choices" if "Multiple" in (raw.get("Class") or []) else "choice"
    options = [Option(str(one.get("Title") or one["Value"]), one["Value"]) for one in raw["Options"]]
  elif kind == "List":
    kind, template = "list", _template(raw["ItemTemplate"])
  elif kind == "Number":
    kind = "integer" if raw.get("Format") == "integer" else "number"
  else:
    kind = PLAIN[kind]
  return Setting(str(raw.get("Key") or ""), kind, raw, options, template)


def _template(source: List[Dict[str, Any]]) -> List[Setting]:
  found: List[Setting] = []
  for raw in source:
    if raw["Type"] == "Pane":
      found += _template(raw.get("Settings") or [])
    elif raw["Type"] != "Header":
      found.append(_setting(raw))
  return found


def number(value: Any) -> str:
  return repr(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else str(value)

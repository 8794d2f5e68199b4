"""Values of formats that nest: objects in objects, where Livery has names with dots."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List

from .document import MAP_KEY, MAP_VALUE, Document, is_map, is_plain_list
from .source import Object, Source


def flatten(document: Document, given: Object, source: Source) -> None:
  """Take the values of an object, those in objects by names with dots."""
  settings = {setting["Key"]: setting for setting in document.settings()}

  def walk(here: Dict[str, Any], prefix: str, line: int) -> None:
    for member, value in here.items():
      name = prefix + member
      at = here.at(member) if isinstance(here, Object) else line
      if name in settings:
        document.values[name] = taken(settings[name], value)
      elif isinstance(value, dict) and any(one.startswith(name + ".") for one in settings):
        walk(value, name + ".", at)
      elif value is not None:
        document.lose(source.place(at), name, "no such setting")

  walk(given, "", given.line)


def taken(setting: Dict[str, Any], value: Any) -> Any:
  """A value as the setting has it: maps and records as lists of items, and what has no type as text."""
  if is_map(setting) and isinstance(value, dict):
    inner = setting["ItemTemplate"][1]
    return [{MAP_KEY: name, MAP_VALUE: taken(inner, one)} for name, one in value.items()]
  if setting["Type"] == "List" and isinstance(value, list):
    if is_plain_list(setting):
      return [taken(setting["ItemTemplate"][0], one) for one in value]
    return [_record(setting["ItemTemplate"], one) for one in value]
  if getattr(setting, "as_text", False):
    return json.dumps(value, ensure_ascii=False)
  return value


def _record(template: List[Dict[str, Any]], value: Any) -> Any:
  if not isinstance(value, dict):
    return value
  members = {one["Key"]: one for one in template}
  found: Dict[str, Any] = {}

  def walk(here: Dict[str, Any], prefix: str) -> None:
    for member, one in here.items():
      name = prefix + member
      if name in members:
        found[name] = taken(members[name], one)
      elif isinstance(one, dict) and any(known.startswith(name + ".") for known in members):
        walk(one, name + ".")
      else:
        found[name] = one

  walk(value, "")
  return found


def nest(document: Document, maps: bool) -> Dict[str, Any]:
  """The values as objects in objects; with `maps` also maps as objects."""
  settings = {setting["Key"]: setting for setting in document.settings()}
  return unflatten({name: given(settings.get(name) or {}, value, maps) for name, value in document.values.items()}, settings)


def given(setting: Dict[str, Any], value: Any, maps: bool) -> Any:
  """What a setting's value is where objects nest."""
  if maps and is_map(setting):
    inner = setting["ItemTemplate"][1]
    return {str(one.get(MAP_KEY) or ""): given(inner, one.get(MAP_VALUE), maps) for one in value if isinstance(one, dict)}
  if setting.get("Type") == "List" and isinstance(value, list):
    if is_plain_list(setting):
      return [given(setting["ItemTemplate"][0], one, maps) for one in value]
    members = {one["Key"]: one for one in setting["ItemTemplate"] if one.get("Key")}
    return [unflatten({name: given(members.get(name, {}), one, maps) for name, one in item.items()}, members) for item in value]
  if getattr(setting, "as_text", False) and isinstance(value, str):
    try:
      return json.loads(value)
    except ValueError:
      return value
  return value


def unflatten(values: Dict[str, Any], names: Iterable[str]) -> Dict[str, Any]:
  """Objects of names with dots. A name of which a part is a setting or a value itself stays as it is."""
  taken_names = {*names, *values}
  made: Dict[str, Any] = {}
  for name, value in values.items():
    parts = path(name, taken_names)
    here = made
    for part in parts[:-1]:
      here = here.setdefault(part, {})
    here[parts[-1]] = value
  return made


def path(name: str, names: Iterable[str]) -> List[str]:
  """The steps of a name where objects nest: one alone where a part of it is a setting, or empty."""
  parts = name.split(".")
  prefixes = {".".join(parts[:count]) for count in range(1, len(parts))}
  return [name] if "" in parts or prefixes & set(names) else parts

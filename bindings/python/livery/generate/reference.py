"""What a reference page tells of each setting, whatever the page is written in."""

from __future__ import annotations

import json
from typing import Iterable, List, Tuple

from .model import Setting, number

_WORDS = {"text": "text", "bool": "true or false", "integer": "whole number", "number": "number", "url": "URL", "color": "color",
          "date": "date", "image": "image", "data": "bytes", "choice": "one of", "choices": "any of", "list": "list"}


class Code(str):
  """A part of what is told that is a value or a name, and stands in code."""


def facts(setting: Setting) -> List[Tuple[str, List[str]]]:
  """Pairs of a heading and the parts of what is told under it."""
  kind = _WORDS[setting.kind] + (", a secret" if setting.secret else "")
  if setting.kind == "list":
    items = "values" if setting.items_are_plain else "records"
    kind = f"list of {items}"
  told: List[Tuple[str, List[str]]] = [("Type", [kind])]
  if setting.raw.get("Unit"):
    told.append(("Unit", [str(setting.raw["Unit"])]))
  if setting.default is not None:
    told.append(("Default", [Code(setting.default)]))
  if setting.options:
    told.append(("Options", _listed([Code(json.dumps(one.value, ensure_ascii=False)), f" {one.title}"] for one in setting.options)))
  if setting.constraints:
    bounds = [[f"{words} ", Code(value) if isinstance(value, str) else number(value)] for words, value in setting.bounds]
    told.append(("Constraints", _listed([*bounds, ["required"]] if setting.raw.get("Required") else bounds)))
  condition = setting.raw.get("EnabledBy")
  if isinstance(condition, dict):
    told.append(("Offered while", [Code(condition.get("Key")), " is ", Code(json.dumps(condition.get("Equals"), ensure_ascii=False))]))
  for member, words in (("Since", "Since"), ("Deprecated", "Deprecated")):
    if setting.raw.get(member):
      told.append((words, [str(setting.raw[member])]))
  if setting.raw.get("Aliases"):
    told.append(("Former names", _listed([Code(one)] for one in setting.raw["Aliases"])))
  notes = [words for member, words in (("ReadOnly", "set by the console alone"), ("Restart", "takes effect at the next start"),
                                       ("Hidden", "not shown to people"), ("Volatile", "ends with the boot of the system"),
                                       ("Survives", "survives logout")) if setting.raw.get(member)]
  if notes:
    told.append(("Notes", [", ".join(notes)]))
  return told


def _listed(items: Iterable[List[str]]) -> List[str]:
  """The parts of all items, with commas between these."""
  return [part for index, item in enumerate(items) for part in ([", ", *item] if index else item)]


def members(setting: Setting) -> List[Setting]:
  """The members of a list's items, in the order of the schema; of plain values the one."""
  return setting.template

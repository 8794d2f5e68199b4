"""What a reference page tells of each setting, whatever the page is written in."""

from __future__ import annotations

import json
from typing import List, Tuple

from .model import Setting

_WORDS = {"text": "text", "bool": "true or false", "integer": "whole number", "number": "number", "url": "URL", "color": "color",
          "date": "date", "image": "image", "data": "bytes", "choice": "one of", "choices": "any of", "list": "list"}


def facts(setting: Setting) -> List[Tuple[str, str]]:
  """Pairs of a heading and what is told under it; values are in backquotes."""
  kind = _WORDS[setting.kind] + (", a secret" if setting.secret else "")
  if setting.kind == "list":
    items = "values" if setting.items_are_plain else "records"
    kind = f"list of {items}"
  told = [("Type", kind)]
  if setting.raw.get("Unit"):
    told.append(("Unit", str(setting.raw["Unit"])))
  if setting.default is not None:
    told.append(("Default", f"`{setting.default}`"))
  if setting.options:
    told.append(("Options", ", ".join(f"`{json.dumps(one.value, ensure_ascii=False)}` {one.title}" for one in setting.options)))
  if setting.constraints:
    told.append(("Constraints", ", ".join(setting.constraints)))
  condition = setting.raw.get("EnabledBy")
  if isinstance(condition, dict):
    told.append(("Offered while", f"`{condition.get('Key')}` is `{json.dumps(condition.get('Equals'), ensure_ascii=False)}`"))
  for member, words in (("Since", "Since"), ("Deprecated", "Deprecated")):
    if setting.raw.get(member):
      told.append((words, str(setting.raw[member])))
  if setting.raw.get("Aliases"):
    told.append(("Former names", ", ".join(f"`{one}`" for one in setting.raw["Aliases"])))
  notes = [words for member, words in (("ReadOnly", "set by the console alone"), ("Restart", "takes effect at the next start"),
                                       ("Hidden", "not shown to people"), ("Volatile", "ends with the boot of the system"),
                                       ("Survives", "survives logout")) if setting.raw.get(member)]
  if notes:
    told.append(("Notes", ", ".join(notes)))
  return told


def members(setting: Setting) -> List[Setting]:
  """The members of a list's items, in the order of the schema; of plain values the one."""
  return setting.template

"""The one spelling of what Livery takes in several: \"no\" for false, "0.5" for a number, 5.0 for a whole one."""

from __future__ import annotations

import json
import math
from typing import Any, Dict, Iterator, List

import livery

from .place import Place

#: The members that say of which type a value is.
TYPED = ("Type", "Class", "Format", "Options", "ItemTemplate", "Value")


def settle(document: Any) -> None:
  """Give the defaults and limits of a document, which document.py defines, the spelling of their types."""
  settings = [one for setting in document.settings() for one in _with_members(setting)]
  defaults = {str(index): one for index, one in enumerate(settings) if "Value" in one}
  scratch = [{"Title": "", "Key": key, **{member: one[member] for member in TYPED if member in one}} for key, one in defaults.items()]
  with livery.open("", memory=True) as store:
    store.apply_schema(json.dumps({"Version": 1, "Groups": [{"Title": "", "Settings": scratch}]}))
    taken = json.loads(store.export_json(reveal=True))["Values"]
  for key, one in defaults.items():
    if key in taken:
      one["Value"] = spelled(one, one["Value"], taken[key])
  for one in settings:
    _settle_limits(document, one)


def _with_members(setting: Dict[str, Any]) -> Iterator[Dict[str, Any]]:
  yield setting
  for one in _members(setting.get("ItemTemplate") or []):
    yield from _with_members(one)


def _members(template: List[Dict[str, Any]]) -> Iterator[Dict[str, Any]]:
  for one in template:
    if one["Type"] == "Pane":
      yield from _members(one.get("Settings") or [])
    elif one["Type"] != "Header":
      yield one


def _settle_limits(document: Any, setting: Dict[str, Any]) -> None:
  whole = ("MinLength", "MaxLength", "MaxItems") + (("Minimum", "Maximum") if setting.get("Format") == "integer" else ())
  for member in whole:
    bound = setting.get(member)
    # What is beyond 64 bits bounds nothing, and would be no number that is read.
    if isinstance(bound, float) and abs(bound) < 2**63:
      setting[member] = math.ceil(bound) if member == "Minimum" else math.floor(bound)
      if member == "Minimum" and setting[member] != bound and "Step" in setting:
        document.lose(getattr(setting, "place", Place("")), str(setting.get("Key") or ""), f"its steps begin at {setting[member]}, and not at {bound}")


def spelled(setting: Dict[str, Any], value: Any, taken: Any) -> Any:
  """A value as it was given, with truth values, numbers and options in it as the library took them."""
  if setting["Type"] == "List" and isinstance(value, list) and isinstance(taken, list) and len(value) == len(taken):
    members = {str(one.get("Key") or ""): one for one in _members(setting["ItemTemplate"])}
    return [_item(members, one, other) for one, other in zip(value, taken)]
  if setting["Type"] not in ("ToggleSwitch", "Number", "ComboBox"):
    return value
  # A double may be written as a whole number.
  same = value == taken and isinstance(value, bool) == isinstance(taken, bool) and not (isinstance(taken, int) and isinstance(value, float))
  return value if same and not isinstance(value, list) else taken


def _item(members: Dict[str, Dict[str, Any]], value: Any, taken: Any) -> Any:
  if "" in members:
    return spelled(members[""], value, taken)
  if not isinstance(value, dict) or not isinstance(taken, dict):
    return taken
  return type(value)({name: spelled(members[name], one, taken[name]) if name in members and name in taken else one for name, one in value.items()})

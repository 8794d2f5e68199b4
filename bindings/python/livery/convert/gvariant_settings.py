"""The settings of Livery that hold values of GVariant's types, and the types for settings."""

from __future__ import annotations

import base64
import math
from typing import Any, Dict, List, Optional, Set, Tuple

from .document import MAP_KEY, MAP_VALUE, Element, is_map, is_multiple, is_plain_list, option_values
from .gvariant import LARGEST, RANGES, parts
from .place import Place

#: The types of members whose values are never empty.
ALWAYS = ("ToggleSwitch", "Number")
OBJECT_PATH = "^/$|^(/[A-Za-z0-9_]+)+$"


def members_of(signature: str, place: Place) -> Optional[Dict[str, Any]]:
  """The members of a setting that holds values of a type; None if none does."""
  letter = signature[0]
  if letter == "b":
    return {"Type": "ToggleSwitch"}
  if letter == "d":
    return {"Type": "Number", "Format": "number"}
  if letter in RANGES:
    low, high = RANGES[letter]
    return {"Type": "Number", "Format": "integer", **({} if letter == "x" else {"Minimum": low, "Maximum": min(high, LARGEST)})}
  if letter in "sg":
    return {"Type": "TextField"}
  if letter == "o":
    return {"Type": "TextField", "Pattern": OBJECT_PATH}
  if signature == "ay":
    return {"Type": "Data"}
  if letter == "(":
    # One item, whose members are the tuple's.
    members = _members([(str(index + 1), one) for index, one in enumerate(parts(signature))], place)
    return None if members is None else {"Type": "List", "ItemTemplate": members, "MaxItems": 1, "Required": True}
  if signature[:2] == "a(":
    members = _members([(str(index + 1), one) for index, one in enumerate(parts(signature[1:]))], place)
    return None if members is None else {"Type": "List", "ItemTemplate": members}
  if signature[:2] == "a{":
    key, value = parts(signature[1:])
    members = _members([(MAP_KEY, key), (MAP_VALUE, value)], place)
    return None if members is None else {"Type": "List", "ItemTemplate": members, "UniqueBy": MAP_KEY}
  if letter in "am":
    inner = members_of(signature[1:], place)
    if inner is None:
      return None
    return {"Type": "List", "ItemTemplate": [Element(place, **inner)], **({"MaxItems": 1} if letter == "m" else {})}
  return None


def _members(named: List[Tuple[str, str]], place: Place) -> Optional[List[Element]]:
  found = []
  for name, signature in named:
    inner = members_of(signature, place)
    if inner is None:
      return None
    # What may be empty cannot be required; without a value it is empty.
    made = Element(place, **{**inner, "Key": name, "Title": name})
    if made["Type"] in ALWAYS:
      made["Required"] = True
    found.append(made)
  return found or None


def to_livery(value: Any, signature: str) -> Any:
  """A value as JSON for the setting that members_of() makes of its type; ValueError where Livery has no such value."""
  letter = signature[0]
  if letter in RANGES and value > LARGEST:
    raise ValueError(f"{value} is beyond 64 bits with a sign")
  if letter == "d" and not math.isfinite(value):
    raise ValueError(f"{value} is not finite")
  if signature == "ay":
    return base64.b64encode(value).decode()
  if letter == "(":
    return [{str(index + 1): to_livery(one, member) for index, (one, member) in enumerate(zip(value, parts(signature)))}]
  if signature[:2] == "a(":
    return [to_livery(one, signature[1:])[0] for one in value]
  if signature[:2] == "a{":
    key, member = parts(signature[1:])
    return [{MAP_KEY: to_livery(name, key), MAP_VALUE: to_livery(one, member)} for name, one in value.items()]
  if letter in "am":
    return [to_livery(one, signature[1:]) for one in value]
  return value


def from_livery(value: Any, signature: str) -> Any:
  """The value of a type that a setting's value stands for."""
  letter = signature[0]
  if signature == "ay":
    return base64.b64decode(value)
  if letter == "(":
    return tuple(from_livery(value[0].get(str(index + 1), _empty(member)), member) for index, member in enumerate(parts(signature)))
  if signature[:2] == "a(":
    return [from_livery([one], signature[1:]) for one in value]
  if signature[:2] == "a{":
    key, member = parts(signature[1:])
    return {from_livery(one.get(MAP_KEY, _empty(key)), key): from_livery(one.get(MAP_VALUE, _empty(member)), member) for one in value}
  if letter in "am":
    return [from_livery(one, signature[1:]) for one in value]
  return value


def _empty(signature: str) -> Any:
  return "" if signature[0] in "sog" or signature == "ay" else []


def signature_of(setting: Dict[str, Any]) -> Optional[str]:
  """The type for the values of a setting; None if it has none."""
  kind = setting["Type"]
  if kind == "ToggleSwitch":
    return "b"
  if kind in ("TextField", "URL", "Color", "Date", "Image"):
    return "o" if setting.get("Pattern") == OBJECT_PATH else "s"
  if kind == "Data":
    return "ay"
  if kind == "Number":
    return "d" if setting.get("Format") != "integer" else _whole(setting)
  if kind == "ComboBox":
    return _options(setting)
  if is_map(setting):
    inner = [signature_of(one) for one in setting["ItemTemplate"]]
    return None if None in inner or inner[0] not in tuple("bynqiuxtdsog") else "a{" + "".join(str(one) for one in inner) + "}"
  if is_plain_list(setting):
    one = signature_of(setting["ItemTemplate"][0])
    return one and ("m" if setting.get("MaxItems") == 1 else "a") + one
  return _records(setting)


def said_by(signature: Optional[str], setting: Dict[str, Any]) -> Set[str]:
  """What the type of a setting's values says of them."""
  if signature is None:
    return set()
  if setting["Type"] == "List":
    return {"(": {"MaxItems", "Required"}, "m": {"MaxItems"}}.get(signature[0], {"UniqueBy"} if is_map(setting) else set())
  if setting.get("Pattern") == OBJECT_PATH:
    return {"Pattern"}
  low, high = RANGES.get(signature, (None, None))
  if setting["Type"] == "Number" and low is not None and high is not None:
    return ({"Minimum"} if setting.get("Minimum", low) == low else set()) | ({"Maximum"} if setting.get("Maximum") in (None, high, min(high, LARGEST)) else set())
  return set()


def _records(setting: Dict[str, Any]) -> Optional[str]:
  template = setting.get("ItemTemplate") or []
  if any(one.get("Key") != str(index + 1) or one["Type"] in ALWAYS and not one.get("Required") for index, one in enumerate(template)):
    return None
  inner = [signature_of(one) for one in template]
  if None in inner or not inner:
    return None
  return ("" if setting.get("MaxItems") == 1 and setting.get("Required") else "a") + "(" + "".join(str(one) for one in inner) + ")"


def _whole(setting: Dict[str, Any]) -> str:
  low, high = setting.get("Minimum", -2**63), setting.get("Maximum", LARGEST)
  for letter in "yqutnix":
    if (low, high) == (RANGES[letter][0], min(RANGES[letter][1], LARGEST)):
      return letter
  return "i" if low >= RANGES["i"][0] and high <= RANGES["i"][1] else "x"


def _options(setting: Dict[str, Any]) -> Optional[str]:
  values = option_values(setting)
  if all(isinstance(one, str) for one in values):
    inner = "s"
  elif all(isinstance(one, bool) for one in values):
    inner = "b"
  elif all(isinstance(one, int) and not isinstance(one, bool) for one in values):
    inner = "x" if any(not RANGES["i"][0] <= one <= RANGES["i"][1] for one in values) else "i"
  elif all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in values):
    inner = "d"
  else:
    return None
  return "a" + inner if is_multiple(setting) else inner

"""What JSON Schema says of settings."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Set

from . import nested
from .document import Document, Element, is_map, is_multiple, is_plain_list, is_secret, members_of, option_values
from .pattern import to_ecma

TYPES = {"ToggleSwitch": "boolean", "TextField": "string", "URL": "string", "Color": "string", "Date": "string", "Data": "string", "Image": "string"}
FORMATS = {"URL": "uri", "Color": "color", "Date": "date-time"}


class Writer:
  """Makes schemas of settings."""

  def __init__(self, document: Document, target: str, said: Set[str] = frozenset()) -> None:  # type: ignore[assignment]
    self.document, self.target = document, target
    #: Members of settings that are told of elsewhere.
    self.said = said

  def tree(self) -> Dict[str, Any]:
    """An object of all settings, with objects in it for the parts of their names."""
    placed = {setting["Key"]: (holders, setting) for holders, setting in self.document.placed()}
    root: Dict[str, Any] = {"type": "object", "properties": {}}
    panes: Dict[str, Optional[Element]] = {}
    for name, (holders, setting) in placed.items():
      here, path = root, nested.path(name, placed)
      for part, pane in zip(path, self.document.panes_of(setting, path, holders, panes)):
        said = {keyword: pane[member] for member, keyword in (("Title", "title"), ("Description", "description")) if pane and pane.get(member)}
        here = here["properties"].setdefault(part, {"type": "object", **said, "properties": {}})
      here["properties"][path[-1]] = self.schema(setting)
      self.required(setting, path[-1], here)
    return root

  def required(self, setting: Element, name: str, holder: Dict[str, Any]) -> None:
    """A value that is not empty: by its length, or as one that is there."""
    if setting.get("Required"):
      made = holder["properties"][name]
      if made.get("type") == "string" and "enum" not in made and "oneOf" not in made:
        made.setdefault("minLength", 1)
      elif made.get("type") == "array":
        made["minItems"] = 1
        return
      holder.setdefault("required", []).append(name)

  def required_alone(self, setting: Element, made: Dict[str, Any]) -> None:
    """The same where nothing holds the value that could say that it is there."""
    holder: Dict[str, Any] = {"properties": {"it": made}}
    self.required(setting, "it", holder)
    if "required" in holder and "minLength" not in made:
      self.document.lose(setting.place, setting["Key"], f"{self.target} has nothing for `Required`")

  def schema(self, setting: Element) -> Dict[str, Any]:
    made: Dict[str, Any] = {}
    if setting.get("Title"):
      made["title"] = setting["Title"]
    if setting.get("Description"):
      made["description"] = setting["Description"]
    said = {"Description", "Required", "ReadOnly", "Deprecated", *self.said} | self.kind(setting, made)
    if is_secret(setting):
      made["writeOnly"] = True
    if setting.get("ReadOnly"):
      made["readOnly"] = True
    if setting.get("Deprecated"):
      made["deprecated"] = True
      if setting["Deprecated"] != "Deprecated" and "Deprecated" not in self.said:
        self.document.lose(setting.place, str(setting.get("Key") or ""), f"{self.target} has no reason of `Deprecated`")
    if "Value" in setting and (setting["Value"] != "" or made.get("type") == "string" and setting["Type"] in ("TextField", "URL", "ComboBox")):
      made["default"] = nested.given(setting, setting["Value"], maps=True)
    self.document.unsaid(setting, said, self.target)
    return made

  def kind(self, setting: Element, made: Dict[str, Any]) -> Set[str]:
    """What the value is; the members of the setting that this says."""
    kind = setting["Type"]
    if kind == "ComboBox":
      return self.choice(setting, made)
    if kind == "List":
      return self.list(setting, made)
    if kind == "Number":
      made["type"] = "integer" if setting.get("Format") == "integer" else "number"
      for member, keyword in (("Minimum", "minimum"), ("Maximum", "maximum"), ("Step", "multipleOf")):
        if member in setting:
          made[keyword] = setting[member]
      low, step = setting.get("Minimum", 0), setting.get("Step")
      if step and abs(low / step - round(low / step)) > 1e-9:
        made.pop("multipleOf")
        return {"Minimum", "Maximum"}
      return {"Minimum", "Maximum", "Step"}
    made["type"] = TYPES[kind]
    if kind in FORMATS:
      made["format"] = FORMATS[kind]
    if kind == "Data":
      made["contentEncoding"] = "base64"
    if kind == "Image":
      self.document.lose(setting.place, str(setting.get("Key") or ""), f"{self.target} has no Image: it is a text")
    return self.text(setting, made) if kind in ("TextField", "URL") else set()

  @staticmethod
  def text(setting: Element, made: Dict[str, Any]) -> Set[str]:
    said = {"MinLength", "MaxLength"}
    for member, keyword in (("MinLength", "minLength"), ("MaxLength", "maxLength")):
      if member in setting:
        made[keyword] = setting[member]
    pattern = to_ecma(setting["Pattern"]) if "Pattern" in setting else None
    if pattern is not None:
      made["pattern"] = pattern
      said.add("Pattern")
    return said

  def choice(self, setting: Element, made: Dict[str, Any]) -> Set[str]:
    values = option_values(setting)
    into = made
    if is_multiple(setting):
      made.update(type="array", uniqueItems=True, items={})
      into = made["items"]
      if "MaxItems" in setting:
        made["maxItems"] = setting["MaxItems"]
    kinds = {"boolean" if isinstance(one, bool) else "integer" if isinstance(one, int) else "number" if isinstance(one, float) else "string" for one in values}
    if len(kinds) == 1:
      into["type"] = kinds.pop()
    if all(str(one.get("Title") or one["Value"]) == one["Value"] for one in setting["Options"]):
      into["enum"] = values
    else:
      into["oneOf"] = [{"const": one["Value"], "title": str(one.get("Title") or one["Value"])} for one in setting["Options"]]
    return {"MaxItems"}

  def list(self, setting: Element, made: Dict[str, Any]) -> Set[str]:
    if is_map(setting):
      made.update(type="object", additionalProperties=self.item(setting["ItemTemplate"][1], titled=False))
      if "MaxItems" in setting:
        made["maxProperties"] = setting["MaxItems"]
      return {"MaxItems", "UniqueBy"}
    made["type"] = "array"
    if is_plain_list(setting):
      made["items"] = self.item(setting["ItemTemplate"][0], titled=True)
    else:
      made["items"] = self.record(members_of(setting["ItemTemplate"]))
    if "MaxItems" in setting:
      made["maxItems"] = setting["MaxItems"]
    return {"MaxItems"}

  def item(self, inner: Element, titled: bool) -> Dict[str, Any]:
    made = self.schema(inner)
    if not titled or made.get("title") in ("Item", ""):
      made.pop("title", None)
    return made

  def record(self, members: List[Element]) -> Dict[str, Any]:
    names = [one["Key"] for one in members]
    root: Dict[str, Any] = {"type": "object", "properties": {}}
    for one in members:
      here, path = root, nested.path(one["Key"], names)
      for part in path[:-1]:
        here = here["properties"].setdefault(part, {"type": "object", "properties": {}})
      here["properties"][path[-1]] = self.schema(one)
      self.required(one, path[-1], here)
    return root

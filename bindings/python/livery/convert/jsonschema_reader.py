"""Settings of what JSON Schema says of a value. Extensions of VS Code and policies of Chromium are described so, too."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from .document import MAP_KEY, MAP_VALUE, Document, Element, within
from .jsonschema_references import DEEPEST, References, Refs
from .nested import taken
from .pattern import to_posix
from .source import Object, Source

#: What says nothing of a value.
SILENT = {"$schema", "$id", "id", "$comment", "$defs", "definitions", "$anchor", "$ref", "title", "type", "default", "enum", "const", "properties",
          "additionalProperties", "required", "examples"}
#: What an option says that comes along, or is said by its value.
OPTION = {"const", "enum", "title", "type", "$comment"}
#: What makes a text a secret.
SECRET = {"writeOnly", "sensitiveValue"}
SCALARS = (str, int, float, bool)
LOW, HIGH = -2**63, 2**63 - 1
#: What keywords bound, by the kind of setting.
BOUNDS = {"TextField": {"minLength": "MinLength", "maxLength": "MaxLength"}, "URL": {"minLength": "MinLength", "maxLength": "MaxLength"},
          "Number": {"minimum": "Minimum", "maximum": "Maximum"}}
FORMATS = {"uri": "URL", "url": "URL", "iri": "URL", "date-time": "Date", "color": "Color", "color-hex": "Color"}


class Reader(References):
  """Makes settings of schemas."""

  def __init__(self, document: Document, file: Source, root: Dict[str, Any], said: Callable[[Any], str] = lambda text: str(text or "")) -> None:
    super().__init__(document, file, root)
    #: How texts are read, which other files may have.
    self.said = said
    #: Keywords that others understand.
    self.known: Set[str] = set()
    #: The list that is read.
    self.owner = ""

  def lose(self, line: int, name: str, message: str) -> None:
    self.document.lose(self.file.place(line), self.owner or name, message)

  # Settings

  def properties(self, raw: Dict[str, Any], prefix: str, default: Any, refs: Refs, inside: bool) -> List[Element]:
    """The settings for the properties of an object."""
    needed = raw.get("required") if isinstance(raw.get("required"), list) else []
    given = raw.get("properties")
    found: List[Element] = []
    for name, one in (given if isinstance(given, dict) else {}).items():
      line = given.at(name) if isinstance(given, Object) else 0
      if "." in name:
        self.lose(line, prefix + name, "a dot in a name is an object where it is written back")
      made = self.setting(prefix + name, one, line, refs, inside, (default or {}).get(name) if isinstance(default, dict) else None)
      if name in (needed or []):
        self.require(made, prefix + name)
      found += made
    for name in needed or []:
      if isinstance(name, str) and not (isinstance(given, dict) and name in given):
        self.lose(raw.at("required") if isinstance(raw, Object) else 0, prefix + name, "`required` names it, and nothing else is said of it")
    return found

  def others(self, raw: Object, name: str) -> None:
    """What an object with known properties may have besides."""
    if isinstance(raw.get("additionalProperties"), dict) and raw["additionalProperties"]:
      self.lose(raw.at("additionalProperties"), name, "properties besides those that are named are not kept")

  def require(self, made: List[Element], name: str) -> None:
    for one in made:
      if one.get("Key") != name:
        return
      if one.get("MinLength") == 1:
        # Which is the same, and says it for addresses, too.
        del one["MinLength"]
      elif one["Type"] in ("TextField", "List") and not one.get("MinLength") and not one.get("Required"):
        self.document.lose(one.place, self.owner or name, "`required` is not kept, since it may be empty")
        return
      one["Required"] = True

  def setting(self, name: str, raw: Any, line: int, refs: Refs, inside: bool, default: Any = None) -> List[Element]:
    """The setting for a schema, or for an object of which properties are known a pane of them; in a list just those."""
    self.here = self.owner or name
    found = self.resolved(raw, line, refs) if raw is not True else (Object(), refs)
    if found is None or len(name) > 255 or name.count(".") > DEEPEST:
      reason = "refers to itself, or to what is not in the file" if isinstance(raw, dict) else "is no schema"
      self.lose(line, name, f"{reason}: the value is kept as JSON text and not checked")
      return [self.as_text(name, raw if isinstance(raw, dict) else {}, line, default)]
    raw, refs = found
    line = raw.line or line
    inner = (*refs, "")
    if len(inner) <= DEEPEST and isinstance(raw.get("properties"), dict) and raw["properties"] and _type(raw) in ("object", None):
      settings = self.properties(raw, name + ".", default if default is not None else raw.get("default"), inner, inside)
      self.unknown(raw, name, {"description"} if not inside else set())
      self.others(raw, name)
      pane = Element(self.file.place(line), Type="Pane", Title=self.title(raw, name), Description=self.description(raw), Settings=settings)
      self.mark_all(pane, raw)
      return settings if inside else [pane]
    made = Element(self.file.place(line), Key=name or None)
    members, said = self.kind(raw, name, line, inner)
    if members is None:
      return [self.as_text(name, raw, line, default)]
    made.update(members, Title=self.title(raw, name))
    if made.get("MinLength") == 1 and not inside:
      self.require([made], name)
    self.describe(made, raw)
    if default is None:
      default = raw.get("default")
    if default is not None:
      made["Value"] = taken(made, default)
    self.unknown(raw, name, said | {"description"} | (SECRET if made["Type"] == "TextField" else set()))
    return [made]

  def as_text(self, name: str, raw: Dict[str, Any], line: int, default: Any) -> Element:
    """A setting of text that holds JSON."""
    made = Element(self.file.place(line), Key=name or None, Type="TextField", Title=self.title(raw, name))
    made.as_text = True  # type: ignore[attr-defined]
    self.describe(made, raw)
    default = raw.get("default") if default is None else default
    if default is not None:
      made["Value"] = json.dumps(default, ensure_ascii=False)
    return made

  def title(self, raw: Dict[str, Any], name: str) -> str:
    return self.said(raw.get("title")) or name.rpartition(".")[2] or "Item"

  def description(self, raw: Dict[str, Any]) -> Optional[str]:
    return self.said(raw.get("description")) or None

  def describe(self, made: Element, raw: Dict[str, Any]) -> None:
    """What is said of any value."""
    if self.description(raw):
      made["Description"] = self.description(raw)
    self.mark(made, raw)
    if made["Type"] == "TextField" and (raw.get("writeOnly") is True or raw.get("format") == "password" or raw.get("sensitiveValue") is True):
      made["Class"] = ["Password"]

  def mark(self, made: Element, raw: Dict[str, Any]) -> None:
    """What holds for all that is in an object, too."""
    if raw.get("deprecated") is True:
      made.setdefault("Deprecated", "Deprecated")
    if raw.get("readOnly") is True:
      made["ReadOnly"] = True

  def mark_all(self, pane: Element, raw: Dict[str, Any]) -> None:
    for _, one in within(pane, ()):
      self.mark(one, raw)

  def unknown(self, raw: Object, name: str, said: Set[str]) -> None:
    understood = SILENT | said | self.known | {"deprecated", "readOnly"}
    for keyword, value in raw.items():
      if keyword not in understood and not keyword.startswith("x-") and not (keyword in SECRET and value is False):
        self.lose(raw.at(keyword), name, f"`{keyword}` is not kept")

  # What the value is

  def kind(self, raw: Object, name: str, line: int, refs: Refs) -> Tuple[Optional[Dict[str, Any]], Set[str]]:
    """The members of the setting, and the keywords that they say; no members where Livery has no such setting."""
    options = self.options(raw, name)
    if options is not None:
      if sorted(json.dumps(one["Value"]) for one in options) == ["false", "true"] and all(one["Title"] == json.dumps(one["Value"]) for one in options):
        return {"Type": "ToggleSwitch"}, {"oneOf", "anyOf"}
      return {"Type": "ComboBox", "Class": ["Single"], "Options": options}, {"oneOf", "anyOf", "enumDescriptions", "minLength", "maxLength"}
    raw = self.without_null(raw, refs)
    kind = _type(raw)
    if kind == "boolean":
      return {"Type": "ToggleSwitch"}, set()
    if kind in ("integer", "number"):
      return self.number(raw, name, kind)
    if kind == "string":
      return self.string(raw, name)
    if kind == "array":
      return self.array(raw, name, line, refs)
    if kind == "object":
      return self.map(raw, name, line, refs)
    told = raw.get("type")
    self.lose(raw.line or line, name, (f"Livery has no type for {json.dumps(told)}" if told else "says no type") + ": the value is kept as JSON text and not checked")
    return None, set()

  def options(self, raw: Object, name: str) -> Optional[List[Dict[str, Any]]]:
    """The options of a value that is one of some."""
    titles: List[str] = []
    alternatives: Any = []
    if "const" in raw:
      values: Any = [raw["const"]]
    elif isinstance(raw.get("enum"), list):
      values = raw["enum"]
      labels = raw.get("enumItemLabels") or raw.get("enumDescriptions")
      titles = [self.said(one) for one in labels] if isinstance(labels, list) else []
    else:
      alternatives = raw.get("oneOf") or raw.get("anyOf")
      if not isinstance(alternatives, list) or not all(isinstance(one, dict) for one in alternatives):
        return None
      if not all("const" in one or isinstance(one.get("enum"), list) and len(one["enum"]) == 1 for one in alternatives):
        return None
      values = [one["const"] if "const" in one else one["enum"][0] for one in alternatives]
      titles = [self.said(one.get("title") or one.get("description")) for one in alternatives]
    if not values or not all(one is None or isinstance(one, SCALARS) for one in values):
      return None
    if _type(raw) is not None:
      # What is of another type no value can be.
      others = [one for one in values if one is not None and not _is_of(one, str(_type(raw)))]
      for one in others:
        self.lose(raw.at("enum" if "enum" in raw else "const"), name, f"the option {json.dumps(one, ensure_ascii=False)} is left out: it is of another type")
      titles = [title for title, one in zip([*titles, *[""] * len(values)], values) if not any(one is other for other in others)]
      values = [one for one in values if not any(one is other for other in others)]
    found: List[Dict[str, Any]] = []
    for index, value in enumerate(values):
      if value is not None and not any(type(one["Value"]) is type(value) and one["Value"] == value for one in found):
        title = titles[index] if index < len(titles) else ""
        found.append({"Title": title or (value if isinstance(value, str) and value else json.dumps(value)), "Value": value})
    for one in alternatives:
      for keyword in one:
        if keyword not in OPTION and not keyword.startswith("x-") and (keyword != "description" or one.get("title")):
          self.lose(one.at(keyword) if isinstance(one, Object) else 0, name, f"`{keyword}` of an option is not kept")
    return found or None

  def without_null(self, raw: Object, refs: Refs) -> Object:
    """A schema without null as an alternative: a setting without a value says as much."""
    for keyword in ("anyOf", "oneOf"):
      alternatives = raw.get(keyword)
      if isinstance(alternatives, list):
        others = [one for one in alternatives if not (isinstance(one, dict) and one.get("type") == "null")]
        if len(others) == 1 and isinstance(others[0], dict):
          raw.pop(keyword)
          found = self.resolved(others[0], raw.line, refs)
          for inner, value in found[0].items() if found else ():
            raw.setdefault(inner, value)
    return raw

  def number(self, raw: Object, name: str, kind: str) -> Tuple[Dict[str, Any], Set[str]]:
    made: Dict[str, Any] = {"Type": "Number", "Format": kind}
    said_by: Dict[str, str] = {}
    whole = kind == "integer"
    for keyword, member in BOUNDS["Number"].items():
      if isinstance(raw.get(keyword), (int, float)) and not isinstance(raw[keyword], bool):
        said_by[member] = keyword
        made[member] = _whole(raw[keyword], up=keyword == "minimum") if whole else raw[keyword]
    for keyword, member, step in (("exclusiveMinimum", "Minimum", 1), ("exclusiveMaximum", "Maximum", -1)):
      bound = raw.get(keyword)
      if isinstance(bound, bool) or not isinstance(bound, (int, float)):
        if bound is True and member in made:
          bound = made[member]
        else:
          continue
      edge = _whole(bound, up=step > 0) if whole else bound
      if whole and edge == bound:
        edge += step
      # The other bound may be the tighter one.
      if member in made and (made[member] - edge) * step > 0:
        continue
      made[member], said_by[member] = edge, keyword
      if not whole:
        self.lose(raw.at(keyword), name, f"{bound} itself is allowed, too")
    for member, keyword in said_by.items():
      if not whole or member not in made or LOW <= made[member] <= HIGH:
        continue
      bound = made.pop(member)
      # What all numbers are within says nothing.
      if bound > HIGH if member == "Minimum" else bound < LOW:
        self.lose(raw.at(keyword), name, f"`{keyword}` {raw[keyword]} is not kept, since no number of 64 bits is there")
    self.step(raw, name, whole, made)
    return made, {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}

  def step(self, raw: Object, name: str, whole: bool, made: Dict[str, Any]) -> None:
    step = raw.get("multipleOf")
    if isinstance(step, bool) or not isinstance(step, (int, float)) or step <= 0:
      return
    low, size = made.get("Minimum", 0), int(step) if whole and step == step // 1 else step
    if not _is_multiple(low, size) or whole and not isinstance(size, int):
      self.lose(raw.at("multipleOf"), name, f"`multipleOf` {step} is not kept, since steps begin at the minimum")
    elif size != 1 or not whole:
      made["Step"] = size

  def string(self, raw: Object, name: str) -> Tuple[Dict[str, Any], Set[str]]:
    said = {"minLength", "maxLength", "pattern", "contentEncoding"}
    if raw.get("contentEncoding") == "base64":
      return {"Type": "Data"}, {"contentEncoding"}
    kind = FORMATS.get(str(raw.get("format")), "TextField")
    made: Dict[str, Any] = {"Type": kind}
    if kind != "TextField" or raw.get("format") == "password":
      said.add("format")
    for keyword, member in BOUNDS.get(kind, {}).items():
      if isinstance(raw.get(keyword), int) and not isinstance(raw[keyword], bool) and (raw[keyword] or keyword != "minLength"):
        made[member] = raw[keyword]
    if isinstance(raw.get("pattern"), str) and kind in BOUNDS:
      pattern = to_posix(raw["pattern"])
      if pattern is None:
        self.lose(raw.at("pattern"), name, f"`pattern` is not kept, since POSIX has no such expression: {raw['pattern']}")
      elif pattern not in ("", ".*", "^.*$"):
        made["Pattern"] = pattern
    elif kind not in BOUNDS:
      said -= {"minLength", "maxLength", "pattern"}
    return made, said

  def array(self, raw: Object, name: str, line: int, refs: Refs) -> Tuple[Optional[Dict[str, Any]], Set[str]]:
    items = raw.get("items")
    found = self.resolved(items, raw.at("items"), refs) if isinstance(items, dict) and "prefixItems" not in raw else None
    if found is None:
      self.lose(raw.line or line, name, "says no type of its items that Livery has: the value is kept as JSON text and not checked")
      return None, set()
    made: Dict[str, Any] = {"Type": "List"}
    said = {"items", "maxItems", "enumDescriptions"}
    if isinstance(raw.get("maxItems"), int):
      made["MaxItems"] = raw["maxItems"]
    if raw.get("minItems") == 1:
      made["Required"] = True
    if raw.get("minItems") in (0, 1):
      said.add("minItems")
    inner, refs = found
    options = self.options(inner, name)
    if options is not None and raw.get("uniqueItems") is True:
      return {**made, "Type": "ComboBox", "Class": ["Multiple"], "Options": options}, said | {"uniqueItems"}
    if raw.get("uniqueItems") is False:
      said.add("uniqueItems")
    template = self.inner(name, "", inner, raw.at("items"), refs)
    if not template or len(template) == 1 and getattr(template[0], "as_text", False):
      self.lose(raw.line or line, name, "says nothing of its items: the value is kept as JSON text and not checked")
      return None, set()
    if len(template) == 1 and not template[0].get("Key") and template[0].pop("Value", None) is not None:
      self.lose(inner.line, name, "an item has no default")
    return {**made, "ItemTemplate": template}, said

  def inner(self, name: str, key: str, raw: Any, line: int, refs: Refs) -> List[Element]:
    """The settings for what is in a list; what they lose, the list loses."""
    outer, self.owner = self.owner, self.owner or name
    made = self.setting(key, raw, line, refs, inside=True)
    self.owner = outer
    for one in made:
      if one.get("Key"):
        one["Key"] = one["Key"].lstrip(".")
    return made

  def map(self, raw: Object, name: str, line: int, refs: Refs) -> Tuple[Optional[Dict[str, Any]], Set[str]]:
    """An object of any names: a list of keys and values."""
    value = raw.get("additionalProperties")
    if not isinstance(value, dict) or not value or raw.get("patternProperties"):
      self.lose(raw.line or line, name, "says nothing of its properties that Livery has: the value is kept as JSON text and not checked")
      return None, set()
    inner = self.inner(name, MAP_VALUE, value, raw.at("additionalProperties"), refs)
    if len(inner) != 1 or inner[0].get("Key") != MAP_VALUE or getattr(inner[0], "as_text", False):
      self.lose(raw.line or line, name, "has objects that Livery has no map of: the value is kept as JSON text and not checked")
      return None, set()
    made = {"Type": "List", "UniqueBy": MAP_KEY, "ItemTemplate": [Element(self.file.place(line), Type="TextField", Key=MAP_KEY, Title=MAP_KEY), inner[0]]}
    if isinstance(raw.get("maxProperties"), int):
      made["MaxItems"] = raw["maxProperties"]
    return made, {"maxProperties"}


def _type(raw: Dict[str, Any]) -> Optional[str]:
  """The type of a value, where it is one beside null; told by other keywords where it is not said."""
  told = raw.get("type")
  kinds = [one for one in told if isinstance(one, str) and one != "null"] if isinstance(told, list) else [told] if isinstance(told, str) else []
  if not kinds:
    for keyword, kind in (("properties", "object"), ("additionalProperties", "object"), ("items", "array"), ("pattern", "string"), ("format", "string"),
                          ("minLength", "string"), ("maxLength", "string"), ("minimum", "number"), ("maximum", "number"), ("multipleOf", "number")):
      if keyword in raw:
        return kind
    default = raw.get("default")
    return "boolean" if isinstance(default, bool) else "string" if isinstance(default, str) else None
  if set(kinds) == {"integer", "number"}:
    return "number"
  return kinds[0] if len(kinds) == 1 else None


def _is_of(value: Any, kind: str) -> bool:
  """Whether a value is of a type of JSON Schema."""
  if isinstance(value, bool):
    return kind == "boolean"
  if isinstance(value, (int, float)):
    return kind == "number" or kind == "integer" and value == value // 1
  return kind == "string" and isinstance(value, str) or kind not in ("boolean", "number", "integer", "string")


def _is_multiple(value: Any, step: Any) -> bool:
  try:
    return bool(abs(value / step - round(value / step)) <= 1e-9)
  except ArithmeticError:
    return False


def _whole(value: Any, up: bool) -> int:
  """The next whole number that is a value or beyond it."""
  floor = int(value // 1) if value == value and abs(value) != float("inf") else (LOW if up else HIGH)
  return floor + (1 if up and floor != value else 0)


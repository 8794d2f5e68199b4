"""Chromium's policy templates: `policy_templates.json`, a literal of Python or JSON, or policies in YAML; values as managed policies."""

from __future__ import annotations

import json
import os
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import nested
from .chromium_files import OF_GROUPS, group_of, is_yaml, named_schemas, read_templates, read_yaml, said
from .document import Document, Element, is_multiple, option_values
from .jsonschema_reader import Reader
from .jsonschema_writer import Writer
from .place import Refused
from .source import Object, Source, read_object

TITLE = "Chromium's policy templates (policy_templates.json or YAML; values as an object in JSON)"
CHOICES = ("int-enum", "string-enum", "string-enum-list")


def _list(value: Any) -> List[Any]:
  return value if isinstance(value, list) else []


class _Schema(Reader):
  """As JSON Schema; what is referred to by its `id` may be of another policy."""

  named: Dict[str, Any]

  def pointed(self, reference: str) -> Any:
    found = super().pointed(reference)
    return self.named.get(reference) if found is None else found


class _Reader:
  def __init__(self, named: Dict[str, Any]) -> None:
    self.document = Document("Policies")
    self.groups: Dict[str, Element] = {}
    #: The schemas that others refer to by their `id`, whichever policy has them.
    self.named = named

  def definitions(self, file: Source, given: Any) -> None:
    """Policies and groups of them; a group names its policies, or holds them."""
    named: Dict[str, str] = {}
    titles: Dict[str, str] = {}
    for one in given:
      if not isinstance(one, Object):
        raise Refused(file.place(1), "a policy is an object")
      if one.get("type") == "group":
        title = said(one.get("caption")) or str(one.get("name") or "")
        titles[title] = said(one.get("desc"))
        for inner in _list(one.get("policies")):
          if isinstance(inner, Object):
            self.policy(file, inner, str(inner.get("name") or ""), title, titles[title])
          else:
            named[str(inner)] = title
    for one in given:
      if one.get("type") != "group":
        name = str(one.get("name") or "")
        title = named.get(name, "")
        self.policy(file, one, name, title or "Policies", titles.get(title, ""))

  def policy(self, file: Source, raw: Object, name: str, title: str, description: str) -> None:
    if not name:
      raise Refused(file.place(raw.line), "a policy without a name")
    if title not in self.groups:
      self.groups[title] = self.document.group(file.place(raw.line), title, description or None)
    made = self.setting(file, raw, name)
    for one in made:
      if one["Type"] == "Pane":
        one["Title"] = said(raw.get("caption")) or one["Title"]
        if raw.get("desc"):
          one["Description"] = said(raw["desc"])
      else:
        self.describe(one, raw)
      for inner in _within(one):
        self.mark(inner, raw)
    self.groups[title]["Settings"] += made

  def setting(self, file: Source, raw: Object, name: str) -> List[Element]:
    place, kind, schema = file.place(raw.line), raw.get("type"), raw.get("schema")
    schema = schema if isinstance(schema, dict) else {}
    reader = _Schema(self.document, file, schema, said)
    reader.named = self.named
    if "validation_schema" in raw and kind in ("string", "list"):
      self.document.lose(file.place(raw.at("validation_schema")), name, "the JSON in its text is not checked")
    is_sensitive = raw.get("sensitiveValue", False) is not False
    if kind in CHOICES:
      for one in (raw, schema, schema.get("items")):
        resolved = reader.resolved(one, raw.line, ())
        if resolved and resolved[0].get("sensitiveValue", False) is not False:
          self.document.lose(file.place(resolved[0].at("sensitiveValue")), name, "`sensitiveValue` is not kept")
      return [Element(place, Type="ComboBox", Key=name, Class=["Multiple" if kind == "string-enum-list" else "Single"],
                      Options=self.options(file, raw, name, schema), Value=raw.get("default"))]
    if kind not in ("main", "int", "string", "list", "dict", "external"):
      self.document.lose(place, name, f"the type `{kind}` is not known: the value is kept as JSON text and not checked")
      return [reader.as_text(name, {"sensitiveValue": is_sensitive or schema.get("sensitiveValue")}, raw.line, raw.get("default"))]
    described = Object(schema) if schema else Object(
      {"main": {"type": "boolean"}, "int": {"type": "integer"}, "string": {"type": "string"}, "list": {"type": "array", "items": {"type": "string"}}}.get(kind, {}))
    described.line, described.lines = getattr(schema, "line", raw.line) or raw.line, dict(getattr(schema, "lines", {}))
    if is_sensitive:
      described["sensitiveValue"], described.lines["sensitiveValue"] = raw["sensitiveValue"], raw.at("sensitiveValue")
    described.pop("description", None)
    made = reader.setting(name, described, raw.line, (), inside=False, default=raw.get("default"))
    return made

  def options(self, file: Source, raw: Object, name: str, schema: Dict[str, Any]) -> List[Dict[str, Any]]:
    values = [(one.get("value"), said(one.get("caption"))) for one in _list(raw.get("items")) if isinstance(one, dict)]
    inner = schema.get("items") if isinstance(schema.get("items"), dict) else schema
    known = [one for one, _ in values]
    values += [(one, "") for one in _list(inner.get("enum")) if one not in known]  # type: ignore[union-attr]
    found: List[Dict[str, Any]] = []
    for value, title in values:
      if value is not None and not any(one["Value"] == value for one in found):
        found.append({"Title": title or str(value), "Value": value})
    if not found:
      raise Refused(file.place(raw.line), f"the policy `{name}` has no items")
    return found

  @staticmethod
  def describe(made: Element, raw: Object) -> None:
    made["Title"] = said(raw.get("caption")) or made["Key"]
    states = {one["value"]: said(one.get("caption")) for one in _list(raw.get("items")) if isinstance(one, dict) and isinstance(one.get("value"), bool)}
    means = [f"{word}: {states[state]}" for state, word in ((True, "On"), (False, "Off")) if states.get(state) and made["Type"] == "ToggleSwitch"]
    if said(raw.get("desc")) or means:
      made["Description"] = "\n\n".join([said(raw.get("desc")), *means]).strip()

  @staticmethod
  def mark(made: Element, raw: Object) -> None:
    features = raw.get("features")
    if raw.get("deprecated") is True:
      made["Deprecated"] = "Deprecated"
    if isinstance(features, dict) and features.get("dynamic_refresh") is False:
      made["Restart"] = True


def _within(element: Element) -> List[Element]:
  if element["Type"] != "Pane":
    return [element]
  return [inner for one in element["Settings"] for inner in _within(one)]


def read(files: Sequence[Source]) -> Document:
  """The policies of templates, or of files in YAML, each called as its file."""
  contents = [(file, read_yaml(file) if is_yaml(file) else read_templates(file)) for file in files]
  reader = _Reader(named_schemas(contents))
  for file, content in contents:
    if is_yaml(file):
      if file.name not in OF_GROUPS:
        reader.policy(file, content, os.path.splitext(file.name)[0], *group_of(file))
      continue
    if not isinstance(content, Object) or not isinstance(content.get("policy_definitions"), list):
      raise Refused(file.place(1), "there are no policy_definitions")
    reader.definitions(file, content["policy_definitions"])
  reader.document.mend()
  return reader.document


def read_values(document: Document, source: Source) -> None:
  nested.flatten(document, read_object(source), source)


def write(document: Document) -> Dict[str, bytes]:
  """Templates in JSON. A policy is what has a name of its own; objects in it are of its schema."""
  writer = Writer(document, "Chromium", {"Restart"})
  definitions: List[Dict[str, Any]] = []
  tree = writer.tree()["properties"]
  for setting in document.settings():
    if setting["Key"] in tree:
      writer.required_alone(setting, tree[setting["Key"]])
  settings = {setting["Key"]: (holders[0], setting) for holders, setting in document.placed()}
  for group in document.groups:
    names: List[str] = []
    for name, schema in tree.items():
      members = [setting for key, (holder, setting) in settings.items() if (key == name or key.startswith(name + ".")) and holder is group]
      if members and name not in names:
        names.append(name)
        definitions.append(_policy(name, schema, settings[name][1] if name in settings else None, members))
    definitions.append({"name": re.sub(r"[^A-Za-z0-9]+", "", str(group.get("Title") or "")) or "Settings", "type": "group",
                        "caption": str(group.get("Title") or ""), "desc": str(group.get("Description") or ""), "policies": names})
  document.reread(said, "Chromium")
  document.unheaded(described=True)
  if document.texts:
    document.lose(document.place, "", "texts in other languages are kept apart by Chromium")
  return {"policy_templates.json": (json.dumps({"policy_definitions": definitions}, ensure_ascii=False, indent=2) + "\n").encode()}


def _policy(name: str, schema: Dict[str, Any], setting: Optional[Element], members: List[Element]) -> Dict[str, Any]:
  kind = {"boolean": "main", "integer": "int", "string": "string"}.get(schema.get("type", ""), "dict")
  made: Dict[str, Any] = {"name": name, "type": kind, "caption": schema.pop("title", name), "desc": schema.pop("description", "")}
  if setting is not None and setting["Type"] == "ComboBox":
    whole = all(isinstance(one, int) and not isinstance(one, bool) for one in option_values(setting))
    texts = all(isinstance(one, str) for one in option_values(setting))
    if texts or whole and not is_multiple(setting):
      made["type"] = "string-enum-list" if is_multiple(setting) else "string-enum" if texts else "int-enum"
      made["items"] = [{"name": f"{name}{index}", "value": one["Value"], "caption": str(one.get("Title") or one["Value"])}
                       for index, one in enumerate(setting["Options"])]
  elif schema.get("type") == "array" and (schema.get("items") or {}).get("type") == "string":
    made["type"] = "list"
  made["features"] = {"dynamic_refresh": not any(one.get("Restart") for one in members), "per_profile": True}
  if schema.pop("deprecated", False):
    made["deprecated"] = True
  if "default" in schema:
    made["default"] = schema.pop("default")
  if schema.pop("writeOnly", False):
    schema["sensitiveValue"] = True
  made["schema"] = schema
  return made


def write_values(document: Document) -> bytes:
  return (json.dumps(nested.nest(document, maps=True), ensure_ascii=False, indent=2) + "\n").encode()

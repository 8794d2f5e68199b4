"""Android's managed configurations: `app_restrictions.xml` with its resources, and bundles of values as JSON.

The format is that of RestrictionsManager: bool, string, integer, choice, multi-select, hidden, bundle and bundle_array.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple
from xml.sax.saxutils import escape, quoteattr

from . import fitting, nested
from .document import Document, Element, is_multiple, is_plain_list, members_of, option_of, option_values, title_of
from .place import Refused
from .resources import Resources, folder_of, text_of
from .source import Source, Tag, read_object, read_xml

TITLE = "Android managed configurations (app_restrictions.xml with resources; values as an object in JSON)"
LOW, HIGH = -2**31, 2**31 - 1
#: The types whose values are texts.
TEXTS = ("string", "hidden")


class _Reader:
  def __init__(self, files: Sequence[Source]) -> None:
    self.file = files[0]
    self.document = Document()
    self.resources = Resources(files[0], list(files[1:]))

  def read(self) -> Document:
    root = read_xml(self.file)
    if root.name != "restrictions":
      raise Refused(self.file.place(root.line), f"<restrictions> is expected, not <{root.name}>")
    group = self.document.group(self.file.place(root.line), "Settings")
    self.settings(root, "", group["Settings"], inside=False)
    self.document.mend()
    return self.document

  def settings(self, tag: Tag, prefix: str, into: List[Element], inside: bool) -> None:
    for one in tag.children:
      if one.name != "restriction":
        self.document.lose(self.file.place(one.line), "", f"<{one.name}> is not of restrictions")
        continue
      key = one.get("key")
      if not key:
        raise Refused(self.file.place(one.line), "a restriction without `android:key`")
      if "." in key:
        self.document.lose(self.file.place(one.line), prefix + key, "a dot in a name is a bundle where it is written back")
      made = self.setting(one, prefix + key, inside)
      into += made

  def setting(self, tag: Tag, name: str, inside: bool) -> List[Element]:
    place, kind = self.file.place(tag.line), tag.get("restrictionType")
    common: Dict[str, Any] = {"Key": name, "Title": self.said(tag, "title", name) or name.rpartition(".")[2],
                              "Description": self.said(tag, "description", name) or None}
    if kind == "bundle":
      found: List[Element] = []
      self.settings(tag, name + ".", found, inside)
      if inside or not found:
        return found
      return [Element(place, Type="Pane", Title=common["Title"], Description=common["Description"], Settings=found)]
    if kind == "bundle_array":
      return [Element(place, Type="List", **common, ItemTemplate=self.template(tag, name))]
    if kind in ("choice", "multi-select"):
      return [Element(place, Type="ComboBox", **common, **self.choice(tag, name, kind == "multi-select"))]
    default = self.one(tag, "defaultValue", name)
    if kind == "bool":
      if default is not None and default.lower() not in ("true", "false"):
        self.document.lose(place, name, f"no default, since `{default}` is neither true nor false")
        default = None
      return [Element(place, Type="ToggleSwitch", **common, Value=None if default is None else default.lower() == "true")]
    if kind == "integer":
      value: Optional[int] = None
      if default is not None:
        try:
          value = int(default, 0)
        except ValueError:
          self.document.lose(place, name, f"no default, since `{default}` is no whole number")
      return [Element(place, Type="Number", Format="integer", Minimum=LOW, Maximum=HIGH, **common, Value=value)]
    if kind in ("string", "hidden"):
      return [Element(place, Type="TextField", **common, Hidden=True if kind == "hidden" else None, Value=default)]
    self.document.lose(place, name, f"the type `{kind}` is not known: the value is kept as text")
    return [Element(place, Type="TextField", **common, Value=default)]

  def template(self, tag: Tag, name: str) -> List[Element]:
    bundles = [one for one in tag.all("restriction") if one.get("restrictionType") == "bundle"]
    if len(bundles) > 1:
      self.document.lose(self.file.place(tag.line), name, "has several kinds of bundles: the first one counts")
    found: List[Element] = []
    if bundles:
      self.settings(bundles[0], "", found, inside=True)
    if not found:
      self.document.lose(self.file.place(tag.line), name, "says nothing of its bundles: their text is kept")
      return [Element(self.file.place(tag.line), Type="TextField")]
    return found

  def choice(self, tag: Tag, name: str, multiple: bool) -> Dict[str, Any]:
    values, titles = self.all(tag, "entryValues", name) or [], self.all(tag, "entries", name)
    titles = titles or values
    if not values:
      raise Refused(self.file.place(tag.line), f"the {'multi-select' if multiple else 'choice'} `{name}` has no `android:entryValues`")
    if len(titles) != len(values):
      self.document.lose(self.file.place(tag.line), name, f"{len(titles)} entries for {len(values)} values: those without are called as their values")
    options = {value: titles[index] if index < len(titles) else value for index, value in reversed(list(enumerate(values)))}
    default: Any = self.all(tag, "defaultValue", name) if "defaultValue" in tag.attributes else None
    if not multiple and default is not None:
      default = default[0] if default else None
    return {"Class": ["Multiple" if multiple else "Single"], "Value": default,
            "Options": [{"Title": options[one], "Value": one} for one in dict.fromkeys(values)]}

  def all(self, tag: Tag, attribute: str, name: str) -> Optional[List[str]]:
    """The texts of an attribute; None if it is not there, or what it refers to."""
    written = tag.attributes.get(attribute)
    if written is None:
      return None
    found = self.resources.texts(written)
    if found is None:
      self.document.lose(self.file.place(tag.line), name, f"`{written}` is not among the resources")
      return None
    for language, texts in self.resources.in_languages(written).items():
      for text, translated in zip(found, texts):
        if text != translated and attribute in ("title", "description", "entries"):
          self.document.texts.setdefault(language, {})[text] = translated
    for place in self.resources.unmarked:
      self.document.lose(place, name, "the markup in its text is not kept")
    self.resources.unmarked.clear()
    return found

  def one(self, tag: Tag, attribute: str, name: str) -> Optional[str]:
    found = self.all(tag, attribute, name)
    return found[0] if found else None

  def said(self, tag: Tag, attribute: str, name: str) -> str:
    return self.one(tag, attribute, name) or ""


def read(files: Sequence[Source]) -> Document:
  """The restrictions of a file, with resources of the files behind it and of the folders `values` beside its own."""
  return _Reader(files).read()


def read_values(document: Document, source: Source) -> None:
  nested.flatten(document, read_object(source), source)


class _Writer:
  def __init__(self, document: Document) -> None:
    self.document = document
    self.strings: Dict[str, str] = {}
    self.arrays: Dict[str, List[str]] = {}
    self.names = [setting["Key"] for setting in document.settings()]
    #: What each resource is of.
    self.owners: Dict[str, Tuple[str, str]] = {}

  def write(self) -> Dict[str, bytes]:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<restrictions xmlns:android="http://schemas.android.com/apk/res/android">']
    tree: Dict[str, Any] = {}
    panes: Dict[str, Optional[Element]] = {}
    for holders, setting in self.document.placed():
      path = nested.path(setting["Key"], self.names)
      here = tree
      for part, _ in zip(path, self.document.panes_of(setting, path, holders, panes)):
        here = here.setdefault(part, {})
      here[path[-1]] = setting
    lines += self.level(tree, "", 1, panes)
    self.document.unheaded(lambda group: title_of(group) == "Settings")
    files = {"xml/app_restrictions.xml": "\n".join([*lines, "</restrictions>", ""]).encode(), "values/app_restrictions.xml": self.resources(None)}
    for language, texts in self.document.texts.items():
      files[f"{folder_of(language)}/app_restrictions.xml"] = self.resources(texts)
    return files

  def level(self, tree: Dict[str, Any], prefix: str, depth: int, panes: Dict[str, Optional[Element]]) -> List[str]:
    lines = []
    for key, one in tree.items():
      if isinstance(one, Element):
        lines += self.setting(one, key, prefix + key, depth)
      else:
        name = prefix + key
        pane: Dict[str, Any] = panes.get(name) or {}
        attributes = {"title": self.text(name, "title", str(pane.get("Title") or key))}
        if pane.get("Description"):
          attributes["description"] = self.text(name, "description", pane["Description"])
        lines += self.tag(depth, key, name, "bundle", attributes, self.level(one, f"{name}.", depth + 1, panes))
    return lines

  def setting(self, setting: Element, key: str, name: str, depth: int) -> List[str]:
    attributes = {"title": self.text(name, "title", str(setting.get("Title") or key))}
    if setting.get("Description"):
      attributes["description"] = self.text(name, "description", setting["Description"])
    kind, said, inner = self.kind(setting), {"Description", "Hidden"}, []
    if kind == "integer" and (setting.get("Minimum"), setting.get("Maximum")) == (LOW, HIGH):
      said |= {"Minimum", "Maximum"}
    if kind in ("choice", "multi-select"):
      self.arrays[self.resource(name, "entries")] = [str(one.get("Title") or one["Value"]) for one in setting["Options"]]
      self.arrays[self.resource(name, "values")] = [_written(one) for one in option_values(setting)]
      attributes.update(entries=f"@array/{self.resource(name, 'entries')}", entryValues=f"@array/{self.resource(name, 'values')}")
    if kind == "bundle_array":
      members = {one["Key"]: one for one in members_of(setting["ItemTemplate"])}
      tree = nested.unflatten(members, members)
      inner = self.tag(depth + 1, f"{key}_item", f"{name}_item", "bundle", {"title": attributes["title"]},
                       self.level(tree, f"{name}.", depth + 2, {}))
    attributes.update(self.default(setting, kind, name))
    if setting.get("Hidden") and kind != "hidden":
      said.discard("Hidden")
    self.document.unsaid(setting, said, "Android")
    return self.tag(depth, key, name, kind, attributes, inner)

  def kind(self, setting: Element) -> str:
    kind, name = _kind(setting), str(setting.get("Key") or "")
    if kind == "integer" and ("Minimum" not in setting or "Maximum" not in setting):
      self.document.lose(setting.place, name, "a whole number of Android has 32 bits")
    if setting["Type"] == "ComboBox" and not all(isinstance(one, str) for one in option_values(setting)):
      self.document.lose(setting.place, name, "options of Android are texts: numbers and truth values are written as such")
    if kind in TEXTS and setting["Type"] != "TextField":
      self.document.lose(setting.place, name, f"Android has no {'list of plain values' if setting['Type'] == 'List' else setting['Type']}: it is a text")
    elif kind in TEXTS and setting.get("Class"):
      self.document.lose(setting.place, name, "Android knows no secrets: it is a text")
    return kind

  def default(self, setting: Element, kind: str, name: str) -> Dict[str, str]:
    value = setting.get("Value")
    if value is None or value == "" and kind == "integer":
      return {}
    if kind == "bundle_array":
      if value:
        self.document.lose(setting.place, name, "a list of bundles has no default")
      return {}
    if kind == "multi-select":
      self.arrays[self.resource(name, "default")] = [_written(one) for one in value]
      return {"defaultValue": f"@array/{self.resource(name, 'default')}"}
    written = _written(value)
    return {"defaultValue": text_of(written)}

  def text(self, name: str, what: str, text: str) -> str:
    self.strings[self.resource(name, what)] = text
    return f"@string/{self.resource(name, what)}"

  def resource(self, name: str, what: str) -> str:
    """The name of a resource: letters, digits and underscores, distinct for each setting."""
    plain = re.sub(r"[^A-Za-z0-9]", lambda match: "_" if match.group() == "." else f"_{ord(match.group()):x}_", name)
    made = f"{plain if plain[:1].isalpha() else 'r_' + plain}_{what}"
    while self.owners.setdefault(made, (name, what)) != (name, what):
      made = f"r_{made}"
    return made

  @staticmethod
  def tag(depth: int, key: str, name: str, kind: str, attributes: Dict[str, str], inner: List[str]) -> List[str]:
    indent = "  " * depth
    said = "".join(f"\n{indent}  android:{one}={quoteattr(value, {chr(10): '&#10;'})}" for one, value in attributes.items())
    head = f"{indent}<restriction android:key={quoteattr(key)} android:restrictionType=\"{kind}\"{said}"
    return [f"{head}>", *inner, f"{indent}</restriction>"] if inner else [f"{head}/>"]

  def resources(self, texts: Optional[Dict[str, str]]) -> bytes:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', "<resources>"]
    for name, text in self.strings.items():
      if texts is None or text in texts:
        lines.append(f"  <string name=\"{name}\">{escape(text_of(text if texts is None else texts[text]))}</string>")
    for name, items in self.arrays.items():
      if texts is None or name.endswith("_entries") and any(one in texts for one in items):
        lines += [f"  <string-array name=\"{name}\">",
                  *(f"    <item>{escape(text_of((texts or {}).get(one, one)))}</item>" for one in items), "  </string-array>"]
    return "\n".join([*lines, "</resources>", ""]).encode()


def _kind(setting: Element) -> str:
  """The type of the restriction that a setting is written as."""
  kind = setting["Type"]
  if kind == "ToggleSwitch":
    return "bool"
  if kind == "Number" and setting.get("Format") == "integer" and LOW <= setting.get("Minimum", LOW) and setting.get("Maximum", HIGH) <= HIGH:
    return "integer"
  if kind == "ComboBox":
    return "multi-select" if is_multiple(setting) else "choice"
  if kind == "List" and not is_plain_list(setting):
    return "bundle_array"
  return "hidden" if setting.get("Hidden") else "string"


def _written(value: Any) -> str:
  return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write(document: Document) -> Dict[str, bytes]:
  """`xml/app_restrictions.xml`, and its resources in each language."""
  fitting.fit_xml(document)
  return _Writer(document).write()


def write_values(document: Document) -> bytes:
  values = {}
  for setting, value in document.settled():
    try:
      values[setting["Key"]] = _value(setting, value)
    except fitting.Unfit as error:
      document.lose(setting.place, setting["Key"], f"its value is left out: {error}")
  made = nested.unflatten(values, [setting["Key"] for setting in document.settings()])
  return (json.dumps(made, ensure_ascii=False, indent=2) + "\n").encode()


def _value(setting: Element, value: Any) -> Any:
  """A value as its restriction has it; Unfit where that has none."""
  kind = _kind(setting)
  if kind == "bool":
    return value
  if kind == "integer":
    if isinstance(value, int) and not LOW <= value <= HIGH:
      raise fitting.Unfit(f"{value} has more than 32 bits")
    return value
  if kind == "multi-select" and isinstance(value, list):
    return [_written(option_of(setting, one)) for one in value]
  if kind == "bundle_array" and isinstance(value, list):
    members = {one["Key"]: one for one in members_of(setting["ItemTemplate"])}
    return [nested.unflatten({name: _value(members[name], one) if name in members else one for name, one in item.items()}, members) for item in value]
  return _written(option_of(setting, value) if kind == "choice" else value)

"""Apple's managed app configuration, as the AppConfig community specifies its XML; values in a property list."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple
from xml.sax.saxutils import escape, quoteattr

from . import apple, fitting, nested
from .document import Document, Element, is_multiple, is_plain_list, option_of, option_values, title_of
from .place import Refused
from .source import Source, Tag, read_xml

TITLE = "Apple managed app configuration (AppConfig XML; values in a property list)"
KINDS: Dict[str, Dict[str, Any]] = {
  "string": {"Type": "TextField"}, "boolean": {"Type": "ToggleSwitch"}, "integer": {"Type": "Number", "Format": "integer"},
  "float": {"Type": "Number", "Format": "number"}, "date": {"Type": "Date"}, "data": {"Type": "Data"},
}
ARRAYS = {f"{kind}Array": kind for kind in KINDS}


class _Shown:
  """What the presentation says of a setting."""

  def __init__(self, group: str, field: Tag) -> None:
    self.group, self.field = group, field


class _Reader:
  def __init__(self, file: Source) -> None:
    self.file = file
    self.document = Document()
    self.shown: Dict[str, _Shown] = {}
    self.language = "en"

  def read(self) -> Document:
    root = read_xml(self.file)
    if root.name != "managedAppConfiguration":
      raise Refused(self.file.place(root.line), f"<managedAppConfiguration> is expected, not <{root.name}>")
    self.document.title = root.said("bundleId")
    presentation = root.one("presentation")
    if presentation:
      self.language = presentation.get("defaultLocale", "en")
      self.fields(presentation)
    found = [one for tag in root.all("dict") for one in self.dictionary(tag, "")]
    groups: Dict[str, Element] = {}
    # In the presentation's order, and what it does not show behind that.
    order = {name: index for index, name in enumerate(self.shown)}
    for setting in sorted(found, key=lambda one: order.get(one.get("Key") or "", len(order))):
      title = self.shown[setting["Key"]].group if setting.get("Key") in self.shown else ""
      if title not in groups:
        groups[title] = self.document.group(setting.place, title or "Settings")
      groups[title]["Settings"].append(setting)
    self.document.mend()
    return self.document

  def fields(self, presentation: Tag) -> None:
    for tag in presentation.children:
      if tag.name == "fieldGroup":
        name = tag.one("name")
        title = self.said(name) if name else ""
        for field in tag.all("field"):
          self.shown[field.get("keyName")] = _Shown(title, field)
      elif tag.name == "field":
        self.shown[tag.get("keyName")] = _Shown("", tag)

  def said(self, tag: Optional[Tag]) -> str:
    """A text in the default language; its others go to the document's texts."""
    if tag is None:
      return ""
    texts = {one.get("value"): " ".join(one.text.split()) for one in tag.all("language")}
    if not texts:
      return " ".join(tag.text.split())
    text = texts.get(self.language) or next(iter(texts.values()))
    for language, translated in texts.items():
      if language != self.language and translated != text and text:
        self.document.texts.setdefault(language.replace("_", "-"), {})[text] = translated
    return text

  def dictionary(self, tag: Tag, prefix: str) -> List[Element]:
    found: List[Element] = []
    for one in tag.children:
      name = prefix + one.get("keyName")
      if not one.get("keyName"):
        raise Refused(self.file.place(one.line), f"a {one.name} without `keyName`")
      if one.name == "dict":
        found += self.dictionary(one, name + ".")
      else:
        found.append(self.setting(one, name))
    return found

  def setting(self, tag: Tag, name: str) -> Element:
    place, field = self.file.place(tag.line), self.shown[name].field if name in self.shown else None
    title = self.said(field.one("label")) if field else ""
    made = Element(place, Key=name, Title=title or name.rpartition(".")[2], Description=(self.said(field.one("description")) if field else "") or None)
    if tag.name == "dictArray":
      template = [one for inner in tag.all("dict") for one in self.dictionary(inner, "")] or self.dictionary(tag, "")
      made.update(Type="List", ItemTemplate=template or [Element(place, Type="TextField")])
      if not template:
        self.document.lose(place, name, "says nothing of its items: their text is kept")
      return made
    kind = ARRAYS.get(tag.name, tag.name)
    if kind not in KINDS:
      self.document.lose(place, name, f"<{tag.name}> is not known: the value is kept as text")
      kind = "string"
    inner, options = self.constrained(tag, kind, name, field)
    multiple = tag.name in ARRAYS
    if options:
      made.update(Type="ComboBox", Class=["Multiple" if multiple else "Single"], Options=options,
                  **{member: inner[member] for member in ("Required",) if member in inner})
    elif multiple:
      required = {"Required": inner.pop("Required")} if "Required" in inner else {}
      made.update(Type="List", ItemTemplate=[Element(place, **inner)], **required)
    else:
      made.update(inner)
    self.default(tag, kind, name, multiple, made)
    return made

  def constrained(self, tag: Tag, kind: str, name: str, field: Optional[Tag]) -> Tuple[Dict[str, Any], List[Dict[str, Any]]]:
    made, constraint = dict(KINDS[kind]), tag.one("constraint")
    titles = {one.get("value"): self.said(one) for options in (field.all("options") if field else []) for one in options.all("option")}
    written = [one.text.strip() for values in (constraint.all("values") if constraint else []) for one in values.all("value")] or list(titles)
    options = [{"Title": titles.get(one) or one, "Value": self.value(tag, kind, name, one)} for one in dict.fromkeys(written)]
    if constraint:
      low, high = ("MinLength", "MaxLength") if kind in ("string", "data") else ("Minimum", "Maximum")
      for attribute, member in (("min", low), ("max", high)):
        if constraint.get(attribute):
          made[member] = self.value(tag, "integer" if kind in ("string", "data") else kind, name, constraint.get(attribute))
      if constraint.get("pattern"):
        made["Pattern"] = constraint.get("pattern")
      if constraint.get("nullable") == "false":
        made["Required"] = True
    return {member: one for member, one in made.items() if one is not None}, [one for one in options if one["Value"] is not None]

  def default(self, tag: Tag, kind: str, name: str, multiple: bool, made: Element) -> None:
    default = tag.one("defaultValue")
    if default is None:
      return
    for variable in default.all("userVariable"):
      self.document.lose(self.file.place(variable.line), name, f"the user's `{variable.get('value')}` is no default")
    values = [self.value(tag, kind, name, one.text if kind == "string" else one.text.strip()) for one in default.all("value")]
    if multiple:
      made["Value"] = [one for one in values if one is not None]
    elif values and values[0] is not None:
      made["Value"] = values[0]

  def value(self, tag: Tag, kind: str, name: str, text: str) -> Any:
    try:
      if kind == "integer":
        return int(text)
      if kind == "float":
        return float(text)
      if kind == "boolean":
        return {"true": True, "false": False, "1": True, "0": False}[text.lower()]
      return text
    except (ValueError, KeyError):
      self.document.lose(self.file.place(tag.line), name, f"`{text}` is no {kind}")
      return None


def read(files: Sequence[Source]) -> Document:
  if len(files) > 1:
    raise Refused(files[1].place(), "a managed app configuration is one file")
  return _Reader(files[0]).read()


read_values = apple.read_values


class _Writer:
  def __init__(self, document: Document) -> None:
    self.document = document
    self.names = [setting["Key"] for setting in document.settings()]

  def write(self) -> bytes:
    tree = nested.unflatten({setting["Key"]: setting for setting in self.document.settings()}, self.names)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<managedAppConfiguration>", "  <version>1</version>",
             f"  <bundleId>{escape(self.document.title)}</bundleId>", "  <dict>", *self.level(tree, 2), "  </dict>",
             '  <presentation defaultLocale="en">']
    groups: Dict[str, List[Element]] = {}
    for holders, setting in self.document.placed():
      if setting.get("Hidden"):
        self.document.lose(setting.place, setting["Key"], "AppConfig keeps nothing that people read of hidden settings, nor that they are hidden")
      else:
        groups.setdefault(title_of(holders[-1]), []).append(setting)
      if len(holders) > 1:
        self.document.lose(setting.place, setting["Key"], f"its pane `{title_of(holders[-1])}` is a group among the others")
    self.document.reread(lambda text: " ".join(text.split()), "AppConfig")
    self.document.unheaded()
    for title, settings in groups.items():
      lines += ["    <fieldGroup>", *self.said("name", title, 3, settings[0]), *(line for one in settings for line in self.field(one)), "    </fieldGroup>"]
    return "\n".join([*lines, "  </presentation>", "</managedAppConfiguration>", ""]).encode()

  def level(self, tree: Dict[str, Any], depth: int) -> List[str]:
    lines: List[str] = []
    indent = "  " * depth
    for key, one in tree.items():
      if isinstance(one, Element):
        lines += self.setting(one, key, depth)
      else:
        lines += [f"{indent}<dict keyName={quoteattr(key)}>", *self.level(one, depth + 1), f"{indent}</dict>"]
    return lines

  def setting(self, setting: Element, key: str, depth: int) -> List[str]:
    indent, said = "  " * depth, {"Description", "Hidden"}
    kind, inner = self.kind(setting)
    if kind == "dictArray":
      members = {one["Key"]: one for one in setting["ItemTemplate"] if one.get("Key")}
      if setting.get("Value"):
        self.document.lose(setting.place, setting.get("Key") or key, "a list of dictionaries has no default")
      for name, one in members.items():
        if one.get("Description") or one.get("Hidden") or title_of(one) not in ("", name.rpartition(".")[2]):
          self.document.lose(setting.place, setting.get("Key") or key, f"AppConfig keeps nothing that people read of `{name}` in its items")
      self.document.unsaid(setting, said, "AppConfig")
      return [f"{indent}<dictArray keyName={quoteattr(key)}>", f"{indent}  <dict>", *self.level(nested.unflatten(members, members), depth + 2),
              f"{indent}  </dict>", f"{indent}</dictArray>"]
    constraint, known = self.constraint(inner, setting)
    self.document.unsaid(setting, said | (known if inner is setting else {"Required"} & known), "AppConfig")
    if inner is not setting:
      self.document.unsaid(Element(setting.place, **{**inner, "Key": setting.get("Key")}), known, "AppConfig")
    body = []
    if "Value" in setting and (setting["Value"] != "" or kind == "string"):
      values = setting["Value"] if isinstance(setting["Value"], list) else [setting["Value"]]
      body = [f"{indent}  <defaultValue>", *(f"{indent}    <value>{escape(_text(one))}</value>" for one in values), f"{indent}  </defaultValue>"]
    options = option_values(setting) if setting["Type"] == "ComboBox" else []
    if any(isinstance(one, str) and one != one.strip() for one in options):
      self.document.lose(setting.place, setting.get("Key") or key, "AppConfig keeps no spaces around options")
    if options:
      body += [f"{indent}  <constraint{constraint}>", f"{indent}    <values>",
               *(f"{indent}      <value>{escape(_text(one))}</value>" for one in options), f"{indent}    </values>", f"{indent}  </constraint>"]
    elif constraint:
      body.append(f"{indent}  <constraint{constraint}/>")
    return [f"{indent}<{kind} keyName={quoteattr(key)}>", *body, f"{indent}</{kind}>"]

  def kind(self, setting: Element) -> Tuple[str, Element]:
    """The element for a setting, and what has the constraints of its values: itself, or the item of a list."""
    if setting["Type"] == "ComboBox":
      kinds = _kinds(setting)
      if len(kinds) > 1:
        self.document.lose(setting.place, setting["Key"], "its options are of several types: they are texts")
      kind = kinds.pop() if len(kinds) == 1 else "string"
      return kind + "Array" if is_multiple(setting) else kind, setting
    if setting["Type"] == "List":
      if not is_plain_list(setting):
        return "dictArray", setting
      inner = setting["ItemTemplate"][0]
      if inner["Type"] == "List":
        self.document.lose(setting.place, str(setting.get("Key")), "AppConfig has no lists of lists: the items are texts with JSON")
        return "stringArray", Element(setting.place, Type="TextField")
      return self.plain(inner, setting) + "Array", inner
    return self.plain(setting, setting), setting

  def plain(self, setting: Element, outer: Element) -> str:
    kind = setting["Type"]
    if kind == "Number":
      return "integer" if setting.get("Format") == "integer" else "float"
    known = {"TextField": "string", "ToggleSwitch": "boolean", "Date": "date", "Data": "data"}
    if kind not in known:
      self.document.lose(outer.place, str(outer.get("Key") or ""), f"AppConfig has no {kind}: it is a text")
    elif kind == "TextField" and setting.get("Class"):
      self.document.lose(outer.place, str(outer.get("Key") or ""), "AppConfig knows no secrets: it is a text")
    return known.get(kind, "string")

  @staticmethod
  def constraint(inner: Element, outer: Element) -> "tuple[str, set[str]]":
    found, said = "", set()
    if outer.get("Required"):
      found, said = ' nullable="false"', {"Required"}
    for members, attribute in ((("Minimum", "MinLength"), "min"), (("Maximum", "MaxLength"), "max"), (("Pattern",), "pattern")):
      for member in members:
        if member in inner:
          found += f" {attribute}={quoteattr(str(inner[member]))}"
          said.add(member)
    return found, said

  def field(self, setting: Element) -> List[str]:
    kind = {"ToggleSwitch": "checkbox", "Date": "datetime", "List": "list"}.get(setting["Type"], "input")
    if setting["Type"] == "ComboBox":
      kind = "multiselect" if is_multiple(setting) else "select"
    lines = [f"      <field keyName={quoteattr(setting['Key'])} type=\"{kind}\">", *self.said("label", str(setting.get("Title") or setting["Key"]), 4, setting)]
    if setting.get("Description"):
      lines += self.said("description", setting["Description"], 4, setting)
    if setting["Type"] == "ComboBox":
      lines.append("        <options>")
      for one in setting["Options"]:
        lines += self.said("option", str(one.get("Title") or one["Value"]), 5, setting, f" value={quoteattr(_text(one['Value']))}")
      lines.append("        </options>")
    return [*lines, "      </field>"]

  def said(self, tag: str, text: str, depth: int, setting: Element, attributes: str = "") -> List[str]:
    indent = "  " * depth
    texts = self.document.translate(text, setting.place, "" if tag == "name" else setting["Key"], "AppConfig")
    return [f"{indent}<{tag}{attributes}>", *(f"{indent}  <language value={quoteattr(language)}>{escape(one)}</language>" for language, one in texts.items()),
            f"{indent}</{tag}>"]


def _kinds(setting: Element) -> Set[str]:
  """The types of a setting's options."""
  return {"boolean" if isinstance(one, bool) else "integer" if isinstance(one, int) else "float" if isinstance(one, float) else "string"
          for one in option_values(setting)}


def _text(value: Any) -> str:
  return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def write(document: Document) -> Dict[str, bytes]:
  fitting.fit_lines(document)
  return {"managed-app-configuration.xml": _Writer(document).write()}


def write_values(document: Document) -> bytes:
  fitting.fit_lines(document)
  values = {setting["Key"]: apple.whole(document, setting, setting["Key"], _value(setting, value)) for setting, value in document.settled()}
  return apple.plist(nested.unflatten(values, [setting["Key"] for setting in document.settings()]))


def _value(setting: Element, value: Any) -> Any:
  """A value as the schema has it that is written here."""
  if setting["Type"] == "ComboBox":
    if isinstance(value, list):
      return [_value(setting, one) for one in value]
    # Texts without the spaces around them.
    return _text(option_of(setting, value)).strip() if len(_kinds(setting)) > 1 or isinstance(value, str) else value
  if setting["Type"] != "List" or not isinstance(value, list):
    return apple.typed(setting, value)
  if is_plain_list(setting):
    inner = setting["ItemTemplate"][0]
    return [_text(one) if inner["Type"] in ("List", "ComboBox") else apple.typed(inner, one) for one in value]
  members = {one["Key"]: one for one in setting["ItemTemplate"] if one.get("Key")}
  return [nested.unflatten({name: _value(members[name], one) if name in members else one for name, one in item.items()}, members) for item in value]

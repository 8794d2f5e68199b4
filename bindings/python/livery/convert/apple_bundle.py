"""Apple's Settings.bundle: `Root.plist`, its child panes and strings tables; values as a property list of the defaults.

The format is that of Apple's "Settings Application Schema Reference".
"""

from __future__ import annotations

import glob
import json
import os
import re
from typing import Any, Dict, List, Optional, Sequence

from . import apple, fitting
from .document import Document, Element, is_multiple, is_secret, option_values, title_of
from .place import Place, Refused
from .source import Object, Source, read_plist, read_strings

TITLE = "Apple Settings.bundle (Root.plist with panes and strings; values in a property list)"
#: What each kind of specifier says that comes along, besides Type, Key, Title and DefaultValue.
SAID = {
  "PSGroupSpecifier": ("FooterText",), "PSTextFieldSpecifier": ("IsSecure",), "PSToggleSwitchSpecifier": ("TrueValue", "FalseValue"),
  "PSSliderSpecifier": ("MinimumValue", "MaximumValue"), "PSTitleValueSpecifier": ("Titles", "Values"),
  "PSMultiValueSpecifier": ("Titles", "Values"), "PSRadioGroupSpecifier": ("Titles", "Values", "FooterText"), "PSChildPaneSpecifier": ("File",),
}
#: Members that say what is so without them.
PLAIN = {"KeyboardType": "Alphabet", "AutocapitalizationType": "Sentences", "AutocorrectionType": "Default"}
DEEPEST = 16


class _Reader:
  def __init__(self, file: Source) -> None:
    self.root = file
    self.document = Document()
    #: Of each table the texts by language, English first where it is there.
    self.tables: Dict[str, Dict[str, Dict[str, str]]] = {}
    #: The panes that are read: each lies in one place.
    self.panes = {os.path.splitext(file.name)[0]}

  def read(self) -> Document:
    self.pane(self.root, None, 0)
    self.document.mend()
    return self.document

  def pane(self, file: Source, into: Optional[List[Element]], depth: int) -> None:
    root = read_plist(file)
    if not isinstance(root, Object) or not isinstance(root.get("PreferenceSpecifiers"), list):
      raise Refused(file.place(1), "there are no PreferenceSpecifiers")
    table = str(root.get("StringsTable") or os.path.splitext(file.name)[0])
    if into is None:
      self.document.title = self.text(file, table, str(root.get("Title") or ""))
    for raw in root["PreferenceSpecifiers"]:
      if not isinstance(raw, Object):
        raise Refused(file.place(root.at("PreferenceSpecifiers")), "a specifier is a dictionary")
      kind = raw.get("Type")
      if kind == "PSGroupSpecifier" and into is None:
        self.group(file, table, raw)
        continue
      here = into if into is not None else self.open_group(file, raw)
      here += self.specifier(file, table, raw, depth)

  def open_group(self, file: Source, raw: Object) -> List[Element]:
    if not self.document.groups:
      self.document.group(file.place(raw.line), "Settings")
    settings: List[Element] = self.document.groups[-1]["Settings"]
    return settings

  def group(self, file: Source, table: str, raw: Object) -> None:
    self.document.group(file.place(raw.line), self.text(file, table, raw.get("Title")), self.text(file, table, raw.get("FooterText")))
    self.unknown(file, raw, "")

  def specifier(self, file: Source, table: str, raw: Object, depth: int) -> List[Element]:
    kind, place, name = str(raw.get("Type")), file.place(raw.line), str(raw.get("Key") or "")
    title = self.text(file, table, raw.get("Title"))
    if kind not in SAID:
      self.document.lose(place, name, f"a {kind} is not known")
      return []
    self.unknown(file, raw, name)
    if kind == "PSGroupSpecifier":
      if raw.get("FooterText"):
        self.document.lose(file.place(raw.at("FooterText")), "", "a footer in a pane is not kept")
      return [Element(place, Type="Header", Title=title)] if title else []
    if kind == "PSChildPaneSpecifier":
      return self.child(file, raw, title, depth)
    if not name:
      self.document.lose(place, "", f"a {kind} without a Key")
      return []
    members = getattr(self, kind[2:-len("Specifier")].lower())(file, table, raw, name)
    if "DefaultValue" in raw and "Value" not in members:
      members["Value"] = apple.plain(raw["DefaultValue"])
    return [Element(place, Key=name, Title=title or name, **members)]

  def child(self, file: Source, raw: Object, title: str, depth: int) -> List[Element]:
    place, called = file.place(raw.line), str(raw.get("File") or "")
    found = file.beside(f"{called}.plist") if re.match(r"[^/\0]+\Z", called) else None
    if found is None or depth > DEEPEST or called in self.panes:
      reason = "not beside the file" if found is None else "nested too deep" if depth > DEEPEST else "there already"
      self.document.lose(place, "", f"the pane `{called}` is {reason}")
      return []
    self.panes.add(called)
    made = Element(place, Type="Pane", Title=title or called, Settings=[])
    self.pane(found, made["Settings"], depth + 1)
    return [made] if made["Settings"] else []

  # Each kind of specifier

  def textfield(self, file: Source, table: str, raw: Object, name: str) -> Dict[str, Any]:
    return {"Type": "TextField", "Class": ["Password"] if raw.get("IsSecure") is True else None}

  def toggleswitch(self, file: Source, table: str, raw: Object, name: str) -> Dict[str, Any]:
    on, off = raw.get("TrueValue", True), raw.get("FalseValue", False)
    if on is True and off is False:
      return {"Type": "ToggleSwitch"}
    self.document.lose(file.place(raw.line), name, "a switch of values that are no truth values is a choice")
    return {"Type": "ComboBox", "Class": ["Single"], "Options": [{"Title": "Off", "Value": off}, {"Title": "On", "Value": on}]}

  def slider(self, file: Source, table: str, raw: Object, name: str) -> Dict[str, Any]:
    return {"Type": "Number", "Format": "number", "Minimum": raw.get("MinimumValue", 0), "Maximum": raw.get("MaximumValue", 1)}

  def titlevalue(self, file: Source, table: str, raw: Object, name: str) -> Dict[str, Any]:
    if raw.get("Values"):
      return {**self.multivalue(file, table, raw, name), "ReadOnly": True}
    value = raw.get("DefaultValue")
    kind = {"Type": "ToggleSwitch"} if isinstance(value, bool) else {"Type": "TextField"} if not isinstance(value, (int, float)) else \
           {"Type": "Number", "Format": "integer" if isinstance(value, int) else "number"}
    return {**kind, "ReadOnly": True}

  def multivalue(self, file: Source, table: str, raw: Object, name: str) -> Dict[str, Any]:
    values, titles = raw.get("Values") or [], raw.get("Titles") or []
    if not isinstance(values, list) or not isinstance(titles, list) or not values:
      raise Refused(file.place(raw.line), f"`{name}` has no Values")
    if len(values) != len(titles):
      self.document.lose(file.place(raw.line), name, f"{len(titles)} Titles for {len(values)} Values: those without are called as their values")
    options, seen = [], []
    for index, value in enumerate(values):
      if [type(value), value] not in seen:
        seen.append([type(value), value])
        title = self.text(file, table, titles[index]) if index < len(titles) else str(value)
        options.append({"Title": title, "Value": apple.plain(value)})
    return {"Type": "ComboBox", "Class": ["Single"], "Options": options}

  def radiogroup(self, file: Source, table: str, raw: Object, name: str) -> Dict[str, Any]:
    return {**self.multivalue(file, table, raw, name), "Description": self.text(file, table, raw.get("FooterText")) or None}

  def unknown(self, file: Source, raw: Object, name: str) -> None:
    known = {"Type", "Key", "Title", "DefaultValue", *SAID[str(raw["Type"])]}
    for member, value in raw.items():
      if member not in known and value != PLAIN.get(member):
        self.document.lose(file.place(raw.at(member)), name, f"`{member}` is not kept")

  def text(self, file: Source, table: str, written: Any) -> str:
    """A text in English where there is a table for it, and its other languages beside it."""
    if not isinstance(written, str) or not written:
      return ""
    if table not in self.tables:
      self.tables[table] = _tables(file, table)
    english = self.tables[table].get("en", {}).get(written, written)
    for language, texts in self.tables[table].items():
      if language != "en" and texts.get(written, english) != english:
        self.document.texts.setdefault(language, {})[english] = texts[written]
    return english


def _tables(file: Source, table: str) -> Dict[str, Dict[str, str]]:
  found: Dict[str, Dict[str, str]] = {}
  for folder in sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(file.path)), "*.lproj"))):
    language = os.path.basename(folder)[:-len(".lproj")].replace("_", "-")
    strings = file.beside(os.path.basename(folder), f"{table}.strings") if re.match(r"[^/\0]+\Z", table) else None
    if strings:
      found[{"Base": "en", "English": "en"}.get(language, language)] = read_strings(strings)
  return found


def read(files: Sequence[Source]) -> Document:
  """`Root.plist`; panes and texts are found beside it."""
  if len(files) > 1:
    raise Refused(files[1].place(), "give Root.plist alone: panes and texts are found beside it")
  return _Reader(files[0]).read()


read_values = apple.read_values


class _Writer:
  def __init__(self, document: Document) -> None:
    self.document = document
    self.files: Dict[str, bytes] = {}

  def write(self) -> Dict[str, bytes]:
    specifiers: List[Dict[str, Any]] = []
    for group in self.document.groups:
      title = {"Type": "PSGroupSpecifier", "Title": str(group.get("Title") or "")}
      specifiers.append({**title, "FooterText": group["Description"]} if group.get("Description") else title)
      specifiers += self.level(group.get("Settings") or [])
    self.files["Root.plist"] = self.file(specifiers, self.document.title)
    for text in self.document.texts.get("en", {}):
      self.document.translate(text, self.document.place, "", "Settings")
    for language, texts in self.document.texts.items():
      lines = [f'"{_quoted(text)}" = "{_quoted(translated)}";' for text, translated in texts.items()]
      self.files[f"{language}.lproj/Root.strings"] = "\n".join([*lines, ""]).encode()
    return self.files

  @staticmethod
  def file(specifiers: List[Dict[str, Any]], title: str) -> bytes:
    return apple.plist({"StringsTable": "Root", **({"Title": title} if title else {}), "PreferenceSpecifiers": specifiers})

  def level(self, settings: List[Element]) -> List[Dict[str, Any]]:
    found: List[Dict[str, Any]] = []
    for one in settings:
      if one["Type"] == "Header":
        found.append({"Type": "PSGroupSpecifier", "Title": str(one.get("Title") or "")})
      elif one["Type"] == "Pane":
        name = re.sub(r"[^A-Za-z0-9]+", "", str(one.get("Title") or "")) or "Pane"
        while f"{name}.plist" in self.files or name == "Root":
          name += "2"
        if one.get("Description"):
          self.document.lose(one.place, "", f"the description of `{title_of(one)}` is not kept")
        self.files[f"{name}.plist"] = b""
        self.files[f"{name}.plist"] = self.file(self.level(one["Settings"]), "")
        found.append({"Type": "PSChildPaneSpecifier", "Title": str(one.get("Title") or ""), "File": name})
      else:
        found += self.setting(one)
    return found

  def setting(self, setting: Element) -> List[Dict[str, Any]]:
    name, kind, written = setting["Key"], setting["Type"], _kind(setting)
    if not written:
      self.document.lose(setting.place, name, _unshown(setting))
      return []
    made: Dict[str, Any] = {"Type": written, "Title": str(setting.get("Title") or name), "Key": name}
    said = {"ReadOnly"} if setting.get("ReadOnly") else set()
    if kind == "ComboBox":
      made.update(Titles=[str(one.get("Title") or one["Value"]) for one in setting["Options"]], Values=option_values(setting))
    elif written == "PSSliderSpecifier":
      made.update(MinimumValue=setting["Minimum"], MaximumValue=setting["Maximum"])
      if made.pop("Title") != name:
        self.document.lose(setting.place, name, "a slider has no title")
      if setting.get("Format") == "integer":
        self.document.lose(setting.place, name, "a slider gives fractions, too")
      said |= {"Minimum", "Maximum"}
    elif is_secret(setting) and written == "PSTextFieldSpecifier":
      made["IsSecure"] = True
    elif kind != "TextField" and written == "PSTextFieldSpecifier":
      self.document.lose(setting.place, name, f"Settings has no {kind}: it is a text")
      if kind in ("Number", "URL"):
        made["KeyboardType"] = "URL" if kind == "URL" else "NumbersAndPunctuation"
    if _has_default(setting):
      made["DefaultValue"] = _value(self.document, setting, setting["Value"])
    elif written != "PSTextFieldSpecifier":
      self.document.lose(setting.place, name, "Settings needs a default there: it shows none")
    self.document.unsaid(setting, said, "Settings")
    return [made]


def _kind(setting: Element) -> str:
  """The specifier that a setting is written as; none where Settings does not show it."""
  kind = setting["Type"]
  if setting.get("Hidden") or kind in ("List", "Data", "Image") or is_multiple(setting):
    return ""
  if setting.get("ReadOnly"):
    return "PSTitleValueSpecifier"
  if kind == "Number" and "Minimum" in setting and "Maximum" in setting:
    return "PSSliderSpecifier"
  return {"ComboBox": "PSMultiValueSpecifier", "ToggleSwitch": "PSToggleSwitchSpecifier"}.get(kind, "PSTextFieldSpecifier")


def _unshown(setting: Element) -> str:
  return "is left out: Settings shows no " + ("hidden settings" if setting.get("Hidden") else "such values")


def _has_default(setting: Element) -> bool:
  return "Value" in setting and (setting["Value"] != "" or setting["Type"] == "TextField")


def _value(document: Document, setting: Element, value: Any) -> Any:
  """A value as its specifier has it; of titles the default says what they are, and without one they are texts."""
  is_text = _kind(setting) == "PSTextFieldSpecifier" or setting.get("ReadOnly") and setting["Type"] != "ComboBox" and not _has_default(setting)
  if is_text:
    return value if isinstance(value, str) else json.dumps(value)
  return apple.whole(document, setting, setting["Key"], apple.typed(setting, value))


def _quoted(text: str) -> str:
  return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def write(document: Document) -> Dict[str, bytes]:
  """`Root.plist`, a file for each pane, and the texts of each language."""
  fitting.fit_lines(document)
  made = _Writer(document).write()
  if not any(group.get("Settings") for group in document.groups):
    document.lose(Place(document.groups[0].place.file if document.groups else ""), "", "there is nothing to show")
  return made


def write_values(document: Document) -> bytes:
  fitting.fit_lines(document)
  values: Dict[str, Any] = {}
  for setting, value in document.settled():
    if _kind(setting):
      values[setting["Key"]] = _value(document, setting, value)
    else:
      document.lose(setting.place, setting["Key"], _unshown(setting))
  return apple.plist(values)

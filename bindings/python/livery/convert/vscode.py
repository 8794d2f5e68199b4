"""Settings of extensions of VS Code: `contributes.configuration` of a package.json with its texts; values as in settings.json."""

from __future__ import annotations

import glob
import json
import os
import re
from typing import Any, Dict, List, Sequence

from . import nested
from .document import Document, Element, title_of, within
from .jsonschema_reader import Reader
from .jsonschema_writer import Writer
from .place import Refused
from .source import Object, Source, read_object

TITLE = "VS Code (contributes.configuration of package.json; values as in settings.json)"
#: What is told of in another way, or is of the editor alone: where a setting may be written and how it is shown in its list.
KNOWN = {"order", "scope", "restricted", "tags", "keywords", "ignoreSync", "markdownDescription", "deprecationMessage", "markdownDeprecationMessage", "enumItemLabels",
         "enumDescriptions", "markdownEnumDescriptions", "agentsWindow", "policy"}
#: Members that people read.
SHOWN = {"title", "description", "deprecationMessage", "enumItemLabels"}
_KEY = re.compile(r"%([^%]+)%\Z")


class _Texts:
  """The texts of package.nls.json, in the languages beside it."""

  def __init__(self, document: Document, file: Source) -> None:
    self.document = document
    base = file.beside("package.nls.json")
    self.texts = _strings(read_object(base)) if base else {}
    self.translated: Dict[str, Dict[str, str]] = {}
    for path in sorted(glob.glob(os.path.join(glob.escape(os.path.dirname(file.path)), "package.nls.*.json"))):
      language = os.path.basename(path)[len("package.nls."):-len(".json")]
      if language:
        self.translated[_tag(language)] = _strings(read_object(Source.open(path)))

  def said(self, written: Any) -> str:
    text = written if isinstance(written, str) else ""
    match = _KEY.match(text)
    if not match:
      return text
    found = self.texts.get(match.group(1), text)
    for language, texts in self.translated.items():
      if texts.get(match.group(1), found) != found:
        self.document.texts.setdefault(language, {})[found] = texts[match.group(1)]
    return found


def _tag(language: str) -> str:
  head, _, tail = language.partition("-")
  return f"{head}-{tail.upper() if len(tail) == 2 else tail}" if tail else head


def _strings(given: Object) -> Dict[str, str]:
  """Texts by their names; a text may come with a comment for who translates."""
  found = {}
  for name, one in given.items():
    text = one.get("message") if isinstance(one, dict) else one
    if isinstance(text, str):
      found[name] = text
  return found


class _Reader(Reader):
  """As JSON Schema, with what VS Code says of settings besides."""

  def description(self, raw: Dict[str, Any]) -> "str | None":
    return self.said(raw.get("markdownDescription")) or self.said(raw.get("description")) or None

  def options(self, raw: Object, name: str) -> "List[Dict[str, Any]] | None":
    if "enum" in raw and "markdownEnumDescriptions" in raw:
      raw.setdefault("enumDescriptions", raw["markdownEnumDescriptions"])
    return super().options(raw, name)

  def describe(self, made: Element, raw: Dict[str, Any]) -> None:
    super().describe(made, raw)
    if "enum" in raw and raw.get("enumItemLabels") and raw.get("enumDescriptions"):
      line = raw.at("enumDescriptions") if isinstance(raw, Object) else 0
      self.lose(line or made.place.line, str(made.get("Key") or ""), "options have a title and no description")

  def mark(self, made: Element, raw: Dict[str, Any]) -> None:
    reason = self.said(raw.get("deprecationMessage")) or self.said(raw.get("markdownDeprecationMessage"))
    if reason:
      made.setdefault("Deprecated", reason)
    super().mark(made, raw)


def read(files: Sequence[Source]) -> Document:
  """The settings that an extension contributes, each by its name."""
  if len(files) > 1:
    raise Refused(files[1].place(), "give package.json alone: its texts are found beside it")
  file = files[0]
  package = read_object(file)
  contributes = package.get("contributes")
  given = contributes.get("configuration") if isinstance(contributes, dict) else None
  configurations = given if isinstance(given, list) else [given]
  if not configurations or not all(isinstance(one, Object) for one in configurations):
    raise Refused(file.place(package.at("contributes")), "there is no contributes.configuration")
  document = Document()
  texts = _Texts(document, file)
  document.title = texts.said(package.get("displayName")) or str(package.get("name") or "")
  for one in sorted(configurations, key=_order):
    _group(document, file, texts, one)
  document.mend()
  return document


def _group(document: Document, file: Source, texts: _Texts, raw: Object) -> None:
  reader = _Reader(document, file, raw, texts.said)
  reader.known = KNOWN
  group = document.group(file.place(raw.line), texts.said(raw.get("title")) or document.title or "Settings")
  properties = raw.get("properties")
  if not isinstance(properties, Object):
    return
  for name, one in sorted(properties.items(), key=lambda pair: _order(pair[1])):
    group["Settings"] += reader.setting(name, one, properties.at(name), (), inside=False)


def _order(raw: Any) -> float:
  order = raw.get("order") if isinstance(raw, dict) else None
  return float(order) if isinstance(order, (int, float)) else float("inf")


def read_values(document: Document, source: Source) -> None:
  nested.flatten(document, read_object(source, comments=True), source)


def write(document: Document) -> Dict[str, bytes]:
  writer = Writer(document, "VS Code", {"Deprecated"})
  texts = _Named(document)
  configurations = []
  for group in document.groups:
    properties: Dict[str, Any] = {}
    for holders, setting in within(group, (group,)):
      document.panes_of(setting, [setting["Key"]], holders, {})
      made = writer.schema(setting)
      writer.required_alone(setting, made)
      _respell(setting, made)
      properties[setting["Key"]] = texts.name(made)
    configurations.append({"title": texts.named(title_of(group)), "properties": properties})
  document.unheaded()
  package: Dict[str, Any] = {"displayName": texts.named(document.title)} if document.title else {}
  package["contributes"] = {"configuration": configurations}
  return {name: (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode() for name, content in {"package.json": package, **texts.files()}.items()}


class _Named:
  """Texts that are there in other languages, by names as package.nls.json has them."""

  def __init__(self, document: Document) -> None:
    self.texts = document.texts
    self.names: Dict[str, str] = {}

  def named(self, text: str) -> str:
    if not any(text in texts for texts in self.texts.values()):
      return text
    return f"%{self.names.setdefault(text, f'text{len(self.names) + 1}')}%"

  def name(self, made: Any, member: str = "") -> Any:
    """What is written of a setting, with names in the place of its texts."""
    if isinstance(made, dict):
      return {inner: one if inner in ("default", "enum", "const", "pattern") else self.name(one, inner) for inner, one in made.items()}
    if isinstance(made, list):
      return [self.name(one, member) for one in made]
    return self.named(made) if isinstance(made, str) and member in SHOWN else made

  def files(self) -> Dict[str, Dict[str, str]]:
    if not self.names:
      return {}
    made = {"package.nls.json": {name: text for text, name in self.names.items()}}
    for language, texts in self.texts.items():
      made[f"package.nls.{language.lower()}.json"] = {name: texts[text] for text, name in self.names.items() if text in texts}
    return made


def _respell(setting: Element, made: Dict[str, Any]) -> None:
  """What VS Code says in other words than JSON Schema."""
  if setting.get("Deprecated"):
    made["deprecationMessage"] = setting["Deprecated"]
    made.pop("deprecated")
  into = made["items"] if made.get("type") == "array" and isinstance(made.get("items"), dict) and "oneOf" in made["items"] else made
  if "oneOf" in into:
    options = into.pop("oneOf")
    into["enum"] = [one["const"] for one in options]
    into["enumItemLabels"] = [one["title"] for one in options]


def write_values(document: Document) -> bytes:
  settings = {setting["Key"]: setting for setting in document.settings()}
  values = {name: nested.given(settings.get(name) or {}, value, maps=True) for name, value in document.values.items()}
  return (json.dumps(values, ensure_ascii=False, indent=2) + "\n").encode()

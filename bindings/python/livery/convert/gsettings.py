"""Schemas of GSettings (`.gschema.xml`, with enumerations and flags), and values in keyfiles.

The format is that of glib-compile-schemas; a keyfile's groups are paths, as the keyfile backend of GSettings writes them, or the
names of schemas, as in `.gschema.override`.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Sequence

from . import fitting, gvariant
from . import gvariant_settings as held
from .document import Document, Element
from .gsettings_reader import Reader, one_line, value_of
from .gsettings_writer import Writer, names_of, text_of
from .place import Place, Refused
from .source import Source

TITLE = "GSettings (.gschema.xml; values in keyfiles)"


def read(files: Sequence[Source]) -> Document:
  """The settings of schemas, each by the schema's name and the key's: `org.example.idle-seconds`."""
  return Reader(files).read()


def _read_value(setting: Element, text: str) -> Any:
  signature = getattr(setting, "signature", None) or held.signature_of(setting)
  if signature is None:
    # GSettings has it as a text with JSON.
    return json.loads(gvariant.parse(text, "s"))
  return value_of(text, signature)


_GROUP, _PAIR = re.compile(r"\[([^\]]+)\]\s*\Z"), re.compile(r"([^=\s]+)\s*=\s*(.*)\Z")


def _paths(document: Document) -> Dict[str, str]:
  """The paths of the schemas that have one."""
  return {str(group["Title"]): str(getattr(group, "path", "")).strip("/") for group in document.groups if getattr(group, "path", "")}


def read_values(document: Document, source: Source) -> None:
  """The values of a keyfile, of a dump of dconf with whole paths, or of an override."""
  paths = _paths(document)
  names = names_of(document)
  # Several schemas may have one path; without one it is the schema's name.
  schemas: Dict[str, List[str]] = {}
  for schema, path in [*paths.items(), *((schema, schema.replace(".", "/")) for schema, _ in names.values())]:
    schemas.setdefault(path, []).append(schema)
  named = {".".join(names[setting["Key"]]): setting for setting in document.settings()}
  here: List[str] = []
  for line, raw in enumerate(source.text.split("\n"), 1):
    text, place = raw.strip(), source.place(line)
    if not text or text[0] in "#;":
      continue
    group, pair = _GROUP.match(text), _PAIR.match(text)
    if group:
      # Of an override, what is behind the colon is the desktop that it is for.
      name = group.group(1)
      here = schemas.get(name.strip("/"), [name.partition(":")[0]])
    elif not pair:
      raise Refused(place, "neither a [group] nor `key=value`")
    else:
      found = [f"{schema}.{pair.group(1)}" for schema in here or [""]]
      name = next((one for one in found if one in named), found[0])
      setting = named.get(name)
      if setting is None:
        document.lose(place, name, "no such setting")
        continue
      try:
        document.values[setting["Key"]] = _read_value(setting, pair.group(2))
      except ValueError as error:
        document.lose(place, name, f"{one_line(pair.group(2))} is not its value: {error}")


def write(document: Document) -> Dict[str, bytes]:
  fitting.fit_xml(document)
  text = Writer(document).write()
  return {f"{re.sub(r'[^A-Za-z0-9.-]+', '-', document.title).strip('-') or 'settings'}.gschema.xml": text.encode()}


def write_values(document: Document) -> bytes:
  """The values as a keyfile of the keyfile backend."""
  groups: Dict[str, List[str]] = {}
  paths = _paths(document)
  taken = set(paths.values())
  names = names_of(document)
  for name, value in document.values.items():
    setting = document.find(name)
    if setting is None:
      document.lose(Place(""), name, "no such setting")
      continue
    schema, key = names[name]
    signature = getattr(setting, "signature", None) or held.signature_of(setting) or "s"
    try:
      text = text_of(value, setting, signature)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
      document.lose(setting.place, name, f"{one_line(str(value))} is not its value")
      continue
    path = paths.get(schema) or schema.replace(".", "/")
    # By its name where the path is another schema's.
    groups.setdefault(schema if path in taken and schema not in paths else path, []).append(f"{key}={text}")
  return "\n".join(line for group, lines in groups.items() for line in (f"[{group}]", *lines, "")).encode()

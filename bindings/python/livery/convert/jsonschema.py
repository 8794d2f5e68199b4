"""JSON Schema of 2020-12, of that what describes settings; values as an object in JSON."""

from __future__ import annotations

import json
from typing import Any, Dict, Sequence

from . import nested
from .document import Document, title_of
from .jsonschema_reader import Reader
from .jsonschema_writer import Writer
from .place import Refused
from .source import Source, read_object

TITLE = "JSON Schema (2020-12; values as an object in JSON)"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def read(files: Sequence[Source]) -> Document:
  """The properties of a schema: each a setting, those of objects in panes, with dots in their names."""
  if len(files) > 1:
    raise Refused(files[1].place(), "a JSON Schema is one file")
  file = files[0]
  root = read_object(file)
  document = Document(str(root.get("title") or ""))
  reader = Reader(document, file, root)
  found = reader.resolved(root, root.line, ())
  raw, refs = found or (root, ())
  if found is None or not isinstance(raw.get("properties"), dict):
    raise Refused(file.place(root.line), "there are no properties")
  group = document.group(file.place(root.line), document.title or "Settings", raw.get("description") if isinstance(raw.get("description"), str) else None)
  reader.unknown(raw, "", {"description"})
  reader.others(raw, "")
  if raw.get("additionalProperties") is True:
    document.others["Open"] = True
  group["Settings"] += reader.properties(raw, "", raw.get("default"), refs, inside=False)
  reader.mark_all(group, raw)
  document.mend()
  return document


def read_values(document: Document, source: Source) -> None:
  nested.flatten(document, read_object(source), source)


def write(document: Document) -> Dict[str, bytes]:
  root: Dict[str, Any] = {"$schema": DIALECT}
  if document.title:
    root["title"] = document.title
  alone = len(document.groups) == 1
  if alone and document.groups[0].get("Description"):
    root["description"] = document.groups[0]["Description"]
  document.unheaded(lambda group: alone and title_of(group) == (document.title or "Settings"), described=alone)
  if document.texts:
    document.lose(document.place, "", "texts in other languages are not kept")
  root.update(Writer(document, "JSON Schema").tree())
  if document.others.get("Open"):
    root["additionalProperties"] = True
  return {"schema.json": (json.dumps(root, ensure_ascii=False, indent=2) + "\n").encode()}


def write_values(document: Document) -> bytes:
  return (json.dumps(nested.nest(document, maps=True), ensure_ascii=False, indent=2) + "\n").encode()

"""Livery's own schema, and values as `livery export` writes them."""

from __future__ import annotations

import json
from typing import Dict, Sequence

import livery

from .._command import without_place
from . import spelling
from .document import Document, Element
from .place import Refused
from .source import Object, Source, read_object

TITLE = "Livery (schema in JSON; values as an object of them)"


def read(files: Sequence[Source]) -> Document:
  """A schema, which the library checks."""
  if len(files) > 1:
    raise Refused(files[1].place(), "a schema is one file")
  file = files[0]
  try:
    livery.check_schema(file.text)
  except livery.LiveryError as error:
    report = getattr(error, "report", None) or {}
    first = next((one for one in report.get("diagnostics", []) if one["severity"] == "error"), None)
    status = error.status_name[len("LIVERY_ERROR_"):]
    message = first["message"] if first else error.message
    if first and without_place(message) != message:
      message = f"column {first['column']}: {without_place(message)}"
    raise Refused(file.place(first["line"] if first else 0), message, status) from None
  root = read_object(file)
  document = Document(str(root.get("Title") or ""))
  document.version = int(root["Version"])
  document.others = {name: root[name] for name in root if name not in ("Version", "Title", "Groups", "Texts")}
  document.texts = {language: dict(texts) for language, texts in (root.get("Texts") or {}).items()}
  document.groups = [_element(file, group) for group in root["Groups"]]
  spelling.settle(document)
  return document


def _element(file: Source, raw: Object) -> Element:
  made = Element(file.place(raw.line), **raw)
  for member in ("Settings", "ItemTemplate"):
    if isinstance(raw.get(member), list):
      made[member] = [_element(file, one) for one in raw[member]]
  return made


def read_values(document: Document, source: Source) -> None:
  names = {setting["Key"] for setting in document.settings()}
  given = read_object(source)
  if isinstance(given.get("Layers"), dict) and "Layers" not in names:
    raise Refused(source.place(given.at("Layers")), "an export with layers has several values of a setting: export without --layers")
  if isinstance(given.get("Values"), dict) and "Values" not in names:
    given = given["Values"]
  for name, value in given.items():
    if name in names or document.others.get("Open"):
      document.values[name] = value
    else:
      document.lose(source.place(given.at(name)), name, "no such setting")


def write(document: Document) -> Dict[str, bytes]:
  return {"schema.json": (json.dumps(document.schema(), ensure_ascii=False, indent=2) + "\n").encode()}


def write_values(document: Document) -> bytes:
  return (json.dumps(document.values, ensure_ascii=False, indent=2) + "\n").encode()

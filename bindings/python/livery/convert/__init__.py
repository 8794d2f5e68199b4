"""Schemas and values of other systems, to and from those of Livery: `livery convert`, or `python -m livery.convert`."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import sys
from typing import Any, Callable, Dict, List, Optional

from .._command import Parser, complain, failure_of, input_file, is_among, status_of, store, tell
from .document import Document
from .place import Place, Refused
from .source import Source

#: The formats, each with its module here.
FORMATS = {
  "livery": "own", "gsettings": "gsettings", "android": "android", "apple-bundle": "apple_bundle", "apple-config": "apple_appconfig",
  "json-schema": "jsonschema", "vscode": "vscode", "chromium": "chromium",
}
#: What files of values end with, in the formats that have no JSON there.
ENDINGS = {"gsettings": "ini", "apple-bundle": "plist", "apple-config": "plist"}
HELP = """livery convert: schemas and values of other systems, to and from those of Livery

  livery convert FORMAT FILE...         to a schema of Livery
  livery convert FORMAT:FORMAT FILE...  from one format to another, such as livery:android

  -v, --values FILE  convert these values in place of the schema, which says what they are
  -o, --output FILE  the file to write, or the folder where the format has several files; standard output without it
  -s, --strict       write nothing where anything is lost, and exit with 9
  -j, --json         print what is lost as one JSON value; needs --output
  -h, --help         print this
  --version          print the version

The formats are livery, gsettings, android, apple-bundle, apple-config, json-schema, vscode and chromium.
A file that is read is standard input if it is -.

exit status
  0  done
  2  the command line is wrong
  4  a file is wrong
  8  a file cannot be read or written
  9  something is lost, with --strict
"""
LOST = 9


def main(arguments: Optional[List[str]] = None) -> int:
  """The command; returns its exit status: 0, 2 for a misuse, 4 for a file that is wrong, 8 for files, 9 for a loss with --strict."""
  given = _parse(arguments)
  try:
    made, document = _convert(given)
    is_lost = given.strict and bool(document.losses)
    # In JSON there is one value: the losses, or what failed after all.
    if is_lost or not given.json:
      _tell(given, document)
    if is_lost:
      return LOST
    paths = _paths(given, made)
    if paths is None:
      complain(f"{given.output}: would be written over what it is made of", "INVALID_ARGUMENT", given.json)
      return 2
    _write(paths, made)
    if given.json:
      _tell(given, document)
  except Refused as error:
    complain(str(error), error.status, given.json)
    return 4
  except OSError as error:
    complain(failure_of(error, given.output or ""), status_of(error), given.json)
    return 8
  return 0


def _parse(arguments: Optional[List[str]]) -> argparse.Namespace:
  parser = Parser("convert", HELP, "FORMAT[:FORMAT] FILE... [--values FILE] [--output FILE] [--strict] [--json]")
  parser.add_argument("formats", metavar="FORMAT[:FORMAT]")
  parser.add_argument("files", nargs="+", metavar="FILE", type=input_file)
  parser.add_argument("-v", "--values", type=input_file)
  parser.add_argument("-o", "--output")
  parser.add_argument("-s", "--strict", action="store_true")
  parser.add_argument("-j", "--json", action="store_true")
  parser.is_json = _asks_for_json(sys.argv[1:] if arguments is None else arguments)
  given = parser.parse_args(arguments)
  given.source, _, given.target = given.formats.partition(":")
  given.target = given.target or "livery"
  for name in (given.source, given.target):
    if name not in FORMATS:
      parser.error(f"`{name}` is none of the formats {', '.join(FORMATS)}")
  if given.json and not given.output:
    parser.error("--json needs --output")
  return given


def _asks_for_json(words: List[str]) -> bool:
  """Known before the rest is, so that mistakes in the rest are told in the form asked for."""
  options = words[:words.index("--")] if "--" in words else words
  return any(word == "--json" or re.match("-s*j", word) for word in options)


def _convert(given: argparse.Namespace) -> "tuple[Dict[str, bytes], Document]":
  """What is written, and the document with what was lost."""
  source, target = (importlib.import_module(f".{FORMATS[name]}", __name__) for name in (given.source, given.target))
  files = [Source.open(path) for path in given.files]
  document: Document = _in_form(given.files[0], given.source, lambda: source.read(files))
  if given.target != "livery":
    # No other format has anything among the members of items.
    document.flatten_items()
  if not given.values:
    return target.write(document), document
  # What the schema loses is told where the schema is converted.
  document.losses.clear()
  values = Source.open(given.values)
  _in_form(given.values, given.source, lambda: source.read_values(document, values))
  document.check_values()
  return {f"values.{ENDINGS.get(given.target, 'json')}": target.write_values(document)}, document


def _in_form(path: str, name: str, read: Callable[[], Any]) -> Any:
  """What is read; a file whose parts are of other kinds than a reader expects is refused as one that is none."""
  try:
    return read()
  except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError, MemoryError) as error:
    raise Refused(Place(path), f"not in the form of {name}: {error or type(error).__name__}") from error


def _tell(given: argparse.Namespace, document: Document) -> None:
  names = {str(setting["Key"]) for setting in document.settings()}
  lost = {loss.setting for loss in document.losses if loss.setting}
  # Those that are left out count as well.
  settings, losing = len(names if given.values else names | lost), len(lost)
  if given.json:
    losses: List[Dict[str, Any]] = [
      {"file": loss.place.file, "line": loss.place.line, "setting": loss.setting, "message": loss.message} for loss in document.losses]
    told = {"settings": settings, "losing": losing, "values": len(document.values), "losses": losses}
    tell((json.dumps(told) + "\n").encode())
    return
  for loss in document.losses:
    print(loss, file=sys.stderr)
  if document.losses:
    print(f"{losing} of {settings} settings lose something", file=sys.stderr)


def _paths(given: argparse.Namespace, made: Dict[str, bytes]) -> "Optional[Dict[str, Optional[str]]]":
  """Where each file goes, None for standard output; no paths where one is that of a file that was read."""
  if given.output is None:
    return dict.fromkeys(made)
  alone = len(made) == 1 and not os.path.isdir(given.output)
  paths: Dict[str, Optional[str]] = {name: given.output if alone else os.path.join(given.output, name) for name in made}
  return None if any(path and is_among(path, (*given.files, given.values)) for path in paths.values()) else paths


def _write(paths: Dict[str, Optional[str]], made: Dict[str, bytes]) -> None:
  for name, content in made.items():
    path = paths[name]
    if path is None:
      tell((f"==> {name} <==\n".encode() if len(made) > 1 else b"") + content)
      continue
    if len(made) > 1:
      os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    store(path, content)

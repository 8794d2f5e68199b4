"""Typed accessors for the settings of a schema: `livery generate`, or `python -m livery.generate`."""

from __future__ import annotations

import argparse
import gc
import importlib
import keyword
import os
import sys
from typing import Dict, List, Optional

from .._command import Parser, failure_of, input_file, is_among, store, tell
from .model import Model, SchemaError, read
from .names import pascal, snake

HELP = """livery generate: typed accessors for the settings of a schema, and pages that describe them

  livery generate c SCHEMA          a header of inline functions in C
  livery generate swift SCHEMA      a struct in Swift
  livery generate python SCHEMA     a class in Python, and with --output its stub
  livery generate markdown SCHEMA   a page in Markdown
  livery generate html SCHEMA       a page in HTML

  -n, --name NAME     what the type is called, and what names in C begin with; the name of the file without it
  -o, --output FILE   write this file, unless it is there with the same content; standard output without it
  -h, --help          print this
  --version           print the version

SCHEMA is standard input if it is -.

exit status
  0  done
  2  the command line is wrong
  4  the schema is wrong
  8  a file cannot be read or written
"""
LANGUAGES = ("c", "swift", "python", "markdown", "html")


def main(arguments: Optional[List[str]] = None) -> int:
  """The command; returns its exit status: 0, 2 for a misuse, 4 for a schema that is wrong, 8 for files."""
  parser = _parser()
  given = parser.parse_args(arguments)
  # It ends before there is anything to be collected.
  gc.disable()
  try:
    with open(given.schema, "rb") as file:
      data = file.read()
    model = read(data.decode(), given.schema)
    files = _files(given, model)
    if any(path and is_among(path, [given.schema]) for path in files):
      raise Misuse(f"{given.output}: would be written over what it is made of")
    for path, content in files.items():
      _store(path, content)
  except Misuse as error:
    parser.error(str(error))
  except SchemaError as error:
    print(error, file=sys.stderr)
    return 4
  except UnicodeDecodeError as error:
    lines = data[:error.start].decode().split("\n")
    print(f"{given.schema}:{len(lines)}:{len(lines[-1]) + 1}: not UTF-8", file=sys.stderr)
    return 4
  except OSError as error:
    print(failure_of(error, given.output or ""), file=sys.stderr)
    return 8
  return 0


class Misuse(Exception):
  """The command line asks for what cannot be made."""


def _parser() -> argparse.ArgumentParser:
  parser = Parser("generate", HELP, "c|swift|python|markdown|html SCHEMA [--name NAME] [--output FILE]")
  parser.add_argument("language", choices=LANGUAGES, metavar="LANGUAGE")
  parser.add_argument("schema", metavar="SCHEMA", type=input_file)
  parser.add_argument("-o", "--output")
  parser.add_argument("-n", "--name")
  return parser


def _files(given: argparse.Namespace, model: Model) -> Dict[Optional[str], str]:
  """What is written, by where to; None for standard output."""
  # What is not UTF-8 in the name of a file can be written nowhere.
  source = os.path.basename(given.schema).encode("utf-8", "replace").decode()
  name = given.name or source.split(".")[0]
  prefix, type_name = (name, name[0].upper() + name[1:]) if given.name and _is_identifier(name) else (snake(name), pascal(name))
  # The one that is wanted alone: the command is to be quick.
  writer = importlib.import_module(f".{'page' if given.language == 'html' else given.language}", __name__)
  if given.language in ("markdown", "html"):
    return {given.output: writer.write(model, name)}
  called, behind = (prefix, "_app") if given.language == "c" else (type_name, "Settings")
  if writer.is_reserved(called):
    if given.name:
      raise Misuse(f"`{called}` means something else in {given.language.capitalize()} or to the library: give it another --name")
    called += behind
  files: Dict[Optional[str], str] = {given.output: writer.write(model, called, source)}
  # Beside a pipe or a device there is no place for one.
  if given.language == "python" and given.output and (not os.path.exists(given.output) or os.path.isfile(given.output)):
    stub = os.path.splitext(given.output)[0] + ".pyi"
    if os.path.realpath(stub) == os.path.realpath(given.output):
      raise Misuse(f"{given.output}: the stub would be written over the module: give a file that ends with .py")
    files[stub] = writer.write_stub(model, called, source)
  return files


def _is_identifier(name: str) -> bool:
  return name.isascii() and name.isidentifier() and not keyword.iskeyword(name)


def _store(path: Optional[str], content: str) -> None:
  if path is not None:
    store(path, content.encode())
    return
  tell(content.encode())

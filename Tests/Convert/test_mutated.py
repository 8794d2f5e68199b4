"""Files whose parts are of other kinds than a reader expects, and files made to hurt: each is read or refused with its place, soon."""

from __future__ import annotations

import ast
import copy
import json
import os
import pathlib
import plistlib
import random
import re
from typing import Any, Dict, Iterator, List, Tuple

import livery
import pytest
from conftest import SAMPLES, convert
from test_formats import FILES, VALUES, module, told
from test_vscode import configuration

from livery.convert import FORMATS, chromium, jsonschema
from livery.convert.document import Document
from livery.convert.place import Refused
from livery.convert.source import Source

SEED = int(os.environ.get("LIVERY_SEED", "1"))
COUNT = int(os.environ.get("LIVERY_CONVERT_FILES", "150"))
#: What stands where something else is expected.
OTHERS: List[Any] = [
  None, True, False, 0, -1, 1.5, 2**70, -2**63, "", "x", "a.b.c", ".", "\ud800", "\0", "%x%", "@string/x", "#/", {}, [], [[]], {"a": 1}, [None], [{}],
  "string", "object", "array", ["string", "null"], {"$ref": "#"}, {"type": "string"}, {"enum": []}, {"const": {}}, "x" * 300, "^(", "main", "int-enum"]
NAMES = """type properties items enum default required additionalProperties allOf anyOf oneOf $ref pattern minimum exclusiveMinimum multipleOf minLength
  maxItems title format const enumDescriptions enumItemLabels markdownEnumDescriptions order prefixItems deprecated policies name caption schema features
  validation_schema value Type Key DefaultValue Titles Values MinimumValue File StringsTable id $anchor uniqueItems""".split()
TEXTS = ["", "0", "-1", "nan", "inf", "1e999", "9" * 20, "x", "true", "@string/x", "@array/v", "choice", "bundle", "bundle_array", "as", "a{sv}", "(ii)", "m",
         "v", "t", "'x'", "[1,2]", "{'a': <1>}", "\\'", "\\ud800", "&#10;", "@@", "x" * 300, "a.b.c", ".", "/"]


def places(tree: Any, path: Tuple[Any, ...] = ()) -> Iterator[Tuple[Any, ...]]:
  yield path
  for step, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
    yield from places(inner, (*path, step))


def at(tree: Any, path: Tuple[Any, ...]) -> Any:
  for step in path:
    tree = tree[step]
  return tree


def mutated(tree: Any, dice: random.Random) -> Any:
  """A tree with some of its parts exchanged, gone, moved or called by another name."""
  tree = copy.deepcopy(tree)
  for _ in range(dice.randint(1, 4)):
    path = dice.choice([one for one in places(tree) if one] or [()])
    if not path:
      continue
    here, step = at(tree, path[:-1]), path[-1]
    change = dice.randrange(5)
    if change == 0:
      here[step] = copy.deepcopy(dice.choice(OTHERS))
    elif change == 1:
      del here[step]
    elif change == 2:
      here[step] = copy.deepcopy(at(tree, dice.choice(list(places(tree)))))
    elif isinstance(here, dict):
      here[dice.choice(NAMES)] = here.pop(step) if change == 3 else copy.deepcopy(dice.choice(OTHERS))
  return tree


def mutated_xml(text: str, dice: random.Random) -> str:
  for _ in range(dice.randint(1, 4)):
    texts = [match.span(1) for match in re.finditer(r'"([^"]*)"|>([^<]*)<', text) if match.group(1) is not None]
    tags = [match.span() for match in re.finditer(r"<[^>]*/>|<(\w+)[^>]*>[^<]*</\1>", text)]
    if not texts or not tags:
      break
    (start, end), (other, behind), (tag, gone) = dice.choice(texts), dice.choice(texts), dice.choice(tags)
    change = dice.randrange(4)
    if change == 0:
      text = text[:start] + dice.choice(TEXTS) + text[end:]
    elif change == 1:
      text = text[:tag] + text[gone:]
    elif change == 2:
      text = text[:dice.choice(tags)[0]] + text[tag:gone] + text[tag:]
    else:
      text = text[:start] + text[other:behind] + text[end:]
  return text


def as_plist(value: Any) -> Any:
  """What a property list can hold of a tree."""
  if isinstance(value, dict):
    return {name: as_plist(one) for name, one in value.items() if name not in ("\ud800", "\0")}
  if isinstance(value, list):
    return [as_plist(one) for one in value]
  if value is None or value in ("\ud800", "\0") or isinstance(value, int) and not -2**63 <= value < 2**64:
    return plistlib.UID(3) if value is None else 5
  return value


def file_of(name: str, dice: random.Random) -> bytes:
  data = (SAMPLES / FILES[name][0]).read_bytes()
  if name == "apple-bundle":
    tree = as_plist(mutated(plistlib.loads(data), dice))
    # Only a binary one can hold all of it.
    return plistlib.dumps(tree, fmt=plistlib.FMT_BINARY)
  if name in ("json-schema", "vscode", "chromium"):
    tree = configuration(dice.randrange(100))[0] if name == "vscode" and dice.random() < 0.5 else \
      ast.literal_eval(re.sub(r"\b(true|false|null)\b", lambda match: {"true": "True", "false": "False", "null": "None"}[match.group()], data.decode()))
    return json.dumps(mutated(tree, dice), indent=1).encode()
  return mutated_xml(data.decode(), dice).encode()


def values_of(name: str, dice: random.Random) -> bytes:
  if name == "gsettings":
    return "\n".join(["[org/example]", *(f"{key}={dice.choice(TEXTS)}" for key in ("n", "d", "s", "flags", "maybe", "any", "map"))]).encode()
  values = mutated(VALUES[name][0], dice)
  return plistlib.dumps(as_plist(values), fmt=plistlib.FMT_BINARY) if name.startswith("apple") else json.dumps(values).encode()


@pytest.mark.parametrize("name", FILES)
def test_parts_of_other_kinds_are_read_or_refused(name: str) -> None:
  """The readers alone: the command would refuse what they trip over."""
  read = 0
  for seed in range(SEED, SEED + COUNT):
    dice = random.Random(seed)
    try:
      document: Document = module(name).read([Source(str(SAMPLES / FILES[name][0]), file_of(name, dice))])
    except Refused as error:
      assert error.place.file, (seed, str(error))
      continue
    read += 1
    livery.check_schema(json.dumps(document.schema()))
    assert all(loss.place.file for loss in document.losses), seed
    target = module(dice.choice(list(FORMATS)))
    try:
      module(name).read_values(document, Source("values", values_of(name, dice)))
      document.check_values()
      target.write_values(document)
    except Refused:
      pass
    target.write(document)
  assert read, "every file was refused"


def fan(width: int, made: Any) -> Dict[str, Any]:
  """A schema in which each part refers to the next one several times: as a tree it would fill any memory."""
  parts = {f"d{level}": made([{"$ref": f"#/$defs/d{level + 1}"}] * width) for level in range(22)}
  return {"$defs": {**parts, "d22": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/d0"}}}


@pytest.mark.parametrize("schema", [
  fan(10, lambda parts: {"properties": dict(zip("abcdefghij", parts))}),
  fan(10, lambda parts: {"items": {"properties": dict(zip("abcdefghij", parts))}}), fan(2, lambda parts: {"allOf": [*parts, {"allOf": parts}]})])
def test_references_that_grow_without_bound_are_refused(schema: Dict[str, Any]) -> None:
  # One that follows all of them does not come back.
  try:
    assert jsonschema.read([Source("a.json", json.dumps(schema).encode())]).losses
  except Refused as error:
    assert str(error) == "a.json:1: refers to too much"


def test_a_pane_is_read_once(tmp_path: pathlib.Path) -> None:
  panes = [{"Type": "PSChildPaneSpecifier", "Title": "x", "File": one} for one in ["Root", "More"] * 10]
  toggle = {"Type": "PSToggleSwitchSpecifier", "Title": "y", "Key": "y", "DefaultValue": True}
  for name, specifiers in (("Root", panes), ("More", [*panes, toggle])):
    (tmp_path / f"{name}.plist").write_bytes(plistlib.dumps({"PreferenceSpecifiers": specifiers}))
  document = module("apple-bundle").read([Source.open(str(tmp_path / "Root.plist"))])
  assert [one["Key"] for one in document.settings()] == ["y"]
  assert "the pane `Root` is there already" in told(document)[0]


HOSTILE: List[Tuple[str, str, bytes, str]] = [
  ("gsettings", "a.gschema.xml", b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><schemalist>&b;</schemalist>', "declares the entity `a`"),
  ("android", "a.xml", b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><restrictions>&e;</restrictions>', "declares the entity `e`"),
  ("apple-config", "a.xml", b'<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><x/>', "declares the entity `p`"),
  ("apple-bundle", "Root.plist", b"<a>" * 100_000, "nested too deep"), ("apple-bundle", "Root.plist", b"bplist00", "not a property list"),
  ("gsettings", "a.gschema.xml", b'<?xml version="1.0" encoding="hex"?><schemalist/>', "a.gschema.xml: "),
  ("gsettings", "a.gschema.xml", b"\0" * 9, "a.gschema.xml:1: "), ("android", "a.xml", b"", "no element found"),
  ("json-schema", "a.json", b"[" * 100_000, "nested too deep"), ("json-schema", "a.json", b"\xff\xfe{\0", "column 2"),
  ("json-schema", "a.json", b'{"properties": {"a": {"default": 1e999}}}', "1e999 is beyond all numbers"),
  ("vscode", "package.json", b'{"a": 1, "a": 2}', "`a` is there twice"), ("json-schema", "a.json", b'{"a": ' + b"9" * 9000 + b"}", "digits"),
  ("chromium", "a.json", b"[" * 100_000, "too many nested parentheses"), ("chromium", "a.json", b"\0", "null bytes"),
  ("chromium", "a.json", b"{'a': __import__('os')}", "not a literal"), ("chromium", "a.json", b"{'a': 1, 'a': 2}", "`a` is there twice"),
  ("chromium", "A.yaml", b"- " * 9000, "nested too deep"), ("chromium", "A.yaml", b"a: !!python/object:os.system x", "A.yaml:1: "),
  ("chromium", "A.yaml", b"1: 2", "a name is a text"), ("chromium", "A.yaml", b"a: !!binary aGk=", "is not of policies"),
  ("chromium", "A.yaml", b"a: 1\na: 2", "A.yaml:2: `a` is there twice"), ("chromium", "A.yaml", b"a: !!int x", "A.yaml: ")]


@pytest.mark.parametrize("name, file, data, message", HOSTILE, ids=range(len(HOSTILE)))
def test_files_made_to_hurt_are_refused(name: str, file: str, data: bytes, message: str, tmp_path: pathlib.Path) -> None:
  if file.endswith(".yaml"):
    pytest.importorskip("yaml")
  (tmp_path / file).write_bytes(data)
  done = convert(name, file, folder=tmp_path)
  assert done.returncode == 4 and message in done.stderr and done.stderr.startswith(file) and done.stderr.count("\n") == 1, done.stderr


def test_halves_of_characters_are_replaced_and_told(tmp_path: pathlib.Path) -> None:
  (tmp_path / "a.json").write_bytes(b'{"properties": {"a": {"type": "string", "default": "\\ud800", "description": "x\\u001b[2J\\ny"}}}')
  done = convert("json-schema", "a.json", folder=tmp_path)
  assert done.returncode == 0 and json.loads(done.stdout)["Groups"][0]["Settings"][0]["Value"] == "\ufffd"
  assert done.stderr.splitlines()[0] == 'a.json:1: a: there are halves of characters in "\\ud800": they are replaced'


def test_messages_change_nothing_of_a_terminal(tmp_path: pathlib.Path) -> None:
  (tmp_path / "a.json").write_bytes(b'{"properties": {"a\\u001b[2J\\nb": {"type": "string", "format": "x"}}}')
  done = convert("json-schema", "a.json", folder=tmp_path)
  assert "\x1b" not in done.stderr and done.stderr.splitlines()[0] == "a.json:1: a\\u001b[2J\\u000ab: `format` is not kept"


def test_schemas_of_other_policies_are_found(tmp_path: pathlib.Path) -> None:
  shared = Source("policy_templates.json", json.dumps({"policy_definitions": [
    {"name": "A", "type": "dict", "schema": {"type": "array", "items": {"$ref": "Day"}}},
    {"name": "B", "type": "dict", "schema": {"type": "object", "properties": {"day": {"id": "Day", "type": "string", "enum": ["mon", "tue"]}}}}]}).encode())
  document = chromium.read([shared])
  assert not document.losses and document.find("A")["ItemTemplate"][0]["Type"] == "ComboBox"  # type: ignore[index]


def test_a_folder_of_policies_in_yaml(tmp_path: pathlib.Path) -> None:
  pytest.importorskip("yaml")
  folder = tmp_path / "policy_definitions" / "Access"
  folder.mkdir(parents=True)
  (tmp_path / "common_schemas.yaml").write_text("Day:\n  enum: [mon, tue]\n  type: string\n")
  (folder / ".group.details.yaml").write_text("caption: Accessibility\ndesc: For <ph name=\"P\">$1<ex>C</ex></ph>.\n")
  (folder / "policy_atomic_groups.yaml").write_text("A:\n  caption: x\n  policies: [Day]\n")
  (folder / "Times.yaml").write_text("caption: Times\ntype: dict\nschema:\n  type: array\n  items:\n    type: object\n    properties:\n      day:\n        $ref: Day\n")
  document = chromium.read([Source.open(str(one)) for one in sorted(folder.iterdir())])
  assert not document.losses and [(one["Title"], one["Description"]) for one in document.groups] == [("Accessibility", "For Chromium.")]
  assert [one["Key"] for one in document.settings()] == ["Times"]


MANY = 1_000_000
#: A package and its settings, or one file, in which something begins a million times and does not end.
ENDLESS: List[Tuple[str, str, str, str]] = [
  ("vscode", '{"contributes": {"configuration": {"properties": {"a": {"type": "string"}}}}}', "/* " * MANY, "column"),
  ("vscode", '{"contributes": {"configuration": {"properties": {"a": {"type": "string"}}}}}', '"' + "\\\"" * MANY, "column"),
  ("vscode", '{"contributes": {"configuration": {"properties": {"a": {"type": "string"}}}}}', '{"a": 1' + ", //" * MANY, "column"),
  ("vscode", '{"contributes": {"configuration": {"properties": {"a": {"type": "string"}}}}}', '{"a": "1",\n' + "// http://a//b /* c */\n" * 60 + ' "b": 2}', "no such setting"),
  ("gsettings", "<schemalist><schema id='a'><key name='b' type='v'><default>'" + "\\'" * MANY + "</default></key></schema></schemalist>", "", "not checked"),
  ("chromium", json.dumps({"policy_definitions": [{"name": "A", "type": "main", "desc": "<ex>" * MANY, "caption": "<ph " * MANY}]}), "", "")]


@pytest.mark.parametrize("index", range(len(ENDLESS)))
def test_what_does_not_end_is_looked_for_once(index: int, tmp_path: pathlib.Path) -> None:
  name, text, values, message = ENDLESS[index]
  (tmp_path / "file").write_text(text)
  (tmp_path / "values").write_text(values)
  done = convert(name, "file", *(["--values", "values"] if values else []), "--output", "out", folder=tmp_path)
  assert done.returncode in (0, 4) and message in done.stderr, done.stderr[-300:]

"""Many configurations in the shapes that extensions of VS Code have."""

from __future__ import annotations

import json
import random
from typing import Any, Dict

from conftest import told

from livery.convert import vscode
from livery.convert.source import Source

SHAPES = [
  {"type": "boolean", "default": True}, {"type": "boolean", "default": False, "scope": "resource"},
  {"type": "string", "default": "", "scope": "machine-overridable"}, {"type": "string", "enum": ["off", "messages", "verbose"], "default": "off"},
  {"type": ["string", "null"], "default": None}, {"type": "number", "default": 100, "minimum": 0, "maximum": 1000},
  {"type": "integer", "default": 4, "minimum": 1}, {"type": "array", "items": {"type": "string"}, "default": ["**/node_modules"]},
  {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "uniqueItems": True, "default": []},
  {"type": "object", "additionalProperties": {"type": "string"}, "default": {}},
  {"type": "object", "additionalProperties": {"type": "boolean"}, "default": {"**/.git": True}},
  {"type": "object", "properties": {"path": {"type": "string", "default": ""}, "on": {"type": "boolean"}}},
  {"type": "string", "enum": ["x", "y"], "enumDescriptions": ["The X", "The Y"], "default": "x"},
  {"type": "string", "enum": ["x", "y"], "markdownEnumDescriptions": ["The `x`", "The `y`"], "default": "y"},
  {"type": "string", "format": "color", "default": "#ff0000"}, {"type": "string", "pattern": "^\\d+(\\.\\d+)*$", "default": "1.0"},
  {"type": "array", "items": {"type": "object", "required": ["on"], "properties": {"name": {"type": "string"}, "on": {"type": "boolean"}}}},
  {"type": ["boolean", "string"], "enum": [True, False, "auto"], "default": "auto"},
  {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}, {"type": "string", "markdownDeprecationMessage": "Use **another**"}]
VALUES: Dict[int, Any] = {0: False, 1: True, 2: "a", 3: "verbose", 4: "b", 5: 7.5, 6: 9, 7: ["c"], 8: ["b"], 9: {"k": "v"}, 10: {"k": False}, 12: "y",
                          14: "#00ff00", 15: "2.0", 16: [{"name": "n", "on": True}], 17: True, 18: "z", 19: "old"}


def configuration(seed: int) -> "tuple[Dict[str, Any], Dict[str, Any]]":
  dice, properties, values = random.Random(seed), {}, {}
  name = f"ext{seed}"
  for number in range(dice.randint(5, 40)):
    shape = dice.randrange(len(SHAPES))
    key = f"{name}.{dice.choice(['trace', 'lint', 'format.on'])}{number}"
    properties[key] = {**SHAPES[shape], "markdownDescription" if dice.random() < 0.5 else "description": f"Says *what* {number} does", "order": dice.randint(0, 9)}
    if shape in VALUES:
      values[key] = VALUES[shape]
  given: Any = {"type": "object", "title": name, "properties": properties}
  return {"name": name, "contributes": {"configuration": given if dice.random() < 0.5 else [given]}}, values


def test_a_hundred_configurations_come_along_with_their_values() -> None:
  settings = losing = 0
  for seed in range(100):
    package, values = configuration(seed)
    document = vscode.read([Source("package.json", json.dumps(package, indent=1).encode())])
    settings += sum(1 for _ in document.settings())
    losing += len({loss.setting for loss in document.losses})
    for line in told(document):
      assert "ext" in line
    document.losses.clear()
    vscode.read_values(document, Source("settings.json", json.dumps(values).encode()))
    document.check_values()
    assert not document.losses
    assert json.loads(vscode.write_values(document)) == values
  assert settings > 1500 and losing <= 0.05 * settings


def test_settings_with_comments() -> None:
  document = vscode.read([Source("package.json", b'{"contributes":{"configuration":{"properties":{"a.b":{"type":"string"},"a.c":{"type":"array","items":{"type":"number"}}}}}}')])
  vscode.read_values(document, Source("settings.json", b'{ // first\n "a.b": "// no comment, /* nor */ this,]", /* second */\n "a.c": [1, 2, ],\n "other": 1,\n}'))
  assert document.values == {"a.b": "// no comment, /* nor */ this,]", "a.c": [1, 2]}
  assert [loss.setting for loss in document.losses] == ["other"]


def test_what_objects_may_have_besides_and_what_options_mean_is_told() -> None:
  properties = {
    "a.o": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": {"type": "string"}},
    "a.e": {"type": "string", "enum": ["p", "q"], "enumItemLabels": ["P", "Q"], "enumDescriptions": ["The P", "The Q"]},
    "a.k": {"type": "string", "keywords": ["b"], "restricted": True}, "a.n": {"type": "object", "properties": {"x": {"type": "string"}}, "additionalProperties": False}}
  document = vscode.read([Source("package.json", json.dumps({"contributes": {"configuration": {"properties": properties}}}).encode())])
  assert told(document) == ["1 a.o: properties besides those that are named are not kept", "1 a.e: options have a title and no description"]

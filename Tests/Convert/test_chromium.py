"""Policies in the shapes that Chromium's templates have, in the file of old, and in YAML as they are kept today."""

from __future__ import annotations

import json
import pathlib
import random
from typing import Any, Dict, List, Tuple

import pytest
from conftest import told

from livery.convert import chromium
from livery.convert.document import Document, holds_secret
from livery.convert.source import Source

ITEMS = [{"name": "Off", "value": 0, "caption": "Off"}, {"name": "On", "value": 1, "caption": "On for <ph name=\"P\">$1<ex>C</ex></ph>"}]
WORDS = [{"name": "A", "value": "always", "caption": "Always"}, {"name": "N", "value": "never", "caption": "Never"}]
#: The body of a policy, and values of it; nothing is lost.
SHAPES: List[Tuple[Dict[str, Any], List[Any]]] = [
  ({"type": "main", "schema": {"type": "boolean"}, "items": [{"value": True, "caption": "Enable"}, {"value": False, "caption": "Disable"}], "default": False}, [True, False]),
  ({"type": "main", "schema": {"type": "boolean"}, "default": None}, [True]),
  ({"type": "int", "schema": {"type": "integer", "minimum": 0, "maximum": 365}}, [0, 365]),
  ({"type": "string", "schema": {"type": "string"}}, ["", "https://example.com/é"]),
  ({"type": "string", "schema": {"type": "string", "sensitiveValue": True}}, ["secret"]),
  ({"type": "int-enum", "schema": {"type": "integer", "enum": [0, 1]}, "items": ITEMS, "default": 1}, [0, 1]),
  ({"type": "string-enum", "schema": {"type": "string", "enum": ["always", "never"]}, "items": WORDS}, ["never"]),
  ({"type": "string-enum-list", "schema": {"type": "array", "items": {"type": "string", "enum": ["always", "never"]}}, "items": WORDS}, [["always"], []]),
  ({"type": "list", "schema": {"type": "array", "items": {"type": "string"}}}, [["example.com", "*"]]),
  ({"type": "dict", "schema": {"type": "array", "items": {"type": "object", "properties": {"day": {"$ref": "Day"}, "from": {"type": "integer", "minimum": 0, "maximum": 86400000}}}}},
   [[{"day": "MONDAY", "from": 5}]]),
  ({"type": "dict", "schema": {"type": "object", "properties": {"mode": {"type": "string", "enum": ["on", "off"]}, "hosts": {"type": "array", "items": {"type": "string"}},
                                                                "times": {"type": "object", "properties": {"idle": {"type": "integer"}}}}}},
   [{"mode": "off", "hosts": ["a"], "times": {"idle": 3}}]),
  ({"type": "external", "schema": {"type": "object", "properties": {"url": {"type": "string"}, "hash": {"type": "string"}}}}, [{"url": "u", "hash": "h"}]),
  ({"type": "dict", "schema": {"type": "object", "additionalProperties": {"type": "integer"}}}, [{"a": 1}])]
DAY = {"type": "string", "enum": ["MONDAY", "TUESDAY"], "id": "Day"}
OTHERS = {"owners": ["a@b"], "supported_on": ["chrome.*:8-"], "tags": [], "example_value": 1, "features": {"dynamic_refresh": True, "per_profile": True},
          "caption": "Allow <ph name=\"P\">$1<ex>C</ex></ph>", "desc": "First\nline.\n\nSecond."}


def policies(seed: int, count: int) -> "tuple[List[Dict[str, Any]], Dict[str, Any]]":
  dice, found, values = random.Random(seed), [], {}
  for number in range(count):
    body, several = dice.choice(SHAPES)
    name = f"Policy{number}"
    found.append({"name": name, **OTHERS, **body, "id": number, **({"deprecated": True} if dice.random() < 0.1 else {})})
    values[name] = dice.choice(several)
  return [*found, {"name": "Days", **OTHERS, "type": "string-enum", "schema": DAY, "items": [{"value": one, "caption": one.title()} for one in DAY["enum"]]}], values


def come_along(document: Document, values: Dict[str, Any], count: int) -> None:
  assert not document.losses, told(document)
  assert len({str(setting["Key"]).partition(".")[0] for setting in document.settings()}) == count + 1
  chromium.read_values(document, Source("values", json.dumps(values).encode()))
  document.check_values()
  assert not document.losses, told(document)
  assert json.loads(chromium.write_values(document)) == values


@pytest.mark.parametrize("seed", range(4))
def test_templates_come_along_with_their_values(seed: int) -> None:
  found, values = policies(seed, 250)
  groups = [{"name": "Group", "type": "group", "caption": "A group", "desc": "d", "policies": [one["name"] for one in found[::2]]}]
  # A literal of Python, as the file of old is.
  text = "# Of policies\n" + repr({"policy_definitions": [*groups, *found], "messages": {}, "placeholders": []}).replace("{'name'", "\n{'name'")
  come_along(chromium.read([Source("policy_templates.json", text.encode())]), values, 250)
  come_along(chromium.read([Source("policy_templates.json", json.dumps({"policy_definitions": found}).encode())]), values, 250)


@pytest.mark.parametrize("kind, schema", [
  ("string", {"type": "string"}), ("string-enum", {"type": "string", "enum": ["a"]}), ("string-enum-list", {"type": "array", "items": {"type": "string", "enum": ["a"]}}),
  ("int-enum", {"type": "integer", "enum": [1]}), ("int", {"type": "integer"}), ("main", {"type": "boolean"}), ("list", {"type": "array", "items": {"type": "string"}}),
  ("dict", {"type": "object", "properties": {"a": {"type": "string"}}}), ("external", {}), ("other", {"type": "string"})])
@pytest.mark.parametrize("where", ["policy", "schema", "items"])
def test_what_is_sensitive_is_a_secret_or_told(kind: str, schema: Dict[str, Any], where: str) -> None:
  policy: Dict[str, Any] = {"name": "P", **OTHERS, "type": kind, "schema": dict(schema)}
  if kind in chromium.CHOICES:
    policy["items"] = [{"value": (schema.get("items") or schema)["enum"][0], "caption": "A"}]
  if where == "items" and "items" not in schema:
    return
  holder = {"policy": policy, "schema": policy["schema"], "items": policy["schema"]}[where]
  if where == "items":
    holder["items"] = {**holder["items"], "sensitiveValue": True}
  else:
    holder["sensitiveValue"] = True
  document = chromium.read([Source("policy_templates.json", json.dumps({"policy_definitions": [policy]}).encode())])
  setting = next(document.settings())
  secret = holds_secret(setting)
  assert secret == (kind in ("string", "other") or kind == "external" or kind == "list" and where == "items")
  assert secret or any("`sensitiveValue` is not kept" in one for one in told(document)), told(document)


def test_policies_in_yaml_come_along_with_their_values(tmp_path: pathlib.Path) -> None:
  yaml = pytest.importorskip("yaml")
  found, values = policies(9, 100)
  folder = tmp_path / "policy_definitions" / "Group"
  folder.mkdir(parents=True)
  (tmp_path / "common_schemas.yaml").write_text(yaml.safe_dump({"Day": DAY}))
  for one in found:
    (folder / f"{one['name']}.yaml").write_text(yaml.dump({key: value for key, value in one.items() if key not in ("name", "id")}, Dumper=dumper(yaml)))
  come_along(chromium.read([Source.open(str(one)) for one in sorted(folder.iterdir())]), values, 100)


def dumper(yaml: Any) -> Any:
  """A dumper that repeats what is there twice, as files written by people do."""
  class Dumper(yaml.SafeDumper):  # type: ignore[misc]
    def ignore_aliases(self, data: Any) -> bool:
      return True

  return Dumper

"""What Livery takes in several spellings comes to every format in one; exports are values like others."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List

import livery
import pytest
from conftest import convert, source, told
from test_formats import FILES, module, plain

from livery.convert import jsonschema, own
from livery.convert.document import Document
from livery.convert.place import Refused
from livery.convert.source import Source

SETTINGS: List[Dict[str, Any]] = [
  {"Type": "ToggleSwitch", "Key": "on", "Title": "On", "Value": "no"}, {"Type": "Number", "Key": "ratio", "Title": "Ratio", "Value": "0.5"},
  {"Type": "Number", "Key": "count", "Title": "Count", "Format": "integer", "Minimum": 0.5, "Maximum": 9.5, "Value": 5.0},
  {"Type": "ComboBox", "Key": "level", "Title": "Level", "Options": [{"Title": "One", "Value": 1}, {"Title": "Two", "Value": 2}], "Value": "2"},
  {"Type": "TextField", "Key": "text", "Title": "Text", "Value": "no", "MaxLength": 80.0}]
SCHEMA = json.dumps({"Version": 1.0, "Groups": [{"Title": "All", "Settings": SETTINGS}]})
SPELLED = {"on": False, "ratio": 0.5, "count": 5, "level": 2, "text": "no"}


def exactly(values: Dict[str, Any]) -> Dict[str, Any]:
  """Values with their types: 5.0 is not 5."""
  return {name: (type(one).__name__, one) for name, one in values.items()}


def document() -> Document:
  return own.read([source(SCHEMA, "schema.json")])


def test_defaults_and_limits_have_one_spelling() -> None:
  read = document()
  assert exactly({one["Key"]: one["Value"] for one in read.settings()}) == exactly(SPELLED)
  count, text = read.find("count"), read.find("text")
  assert count and text and (repr(count["Minimum"]), repr(count["Maximum"]), repr(text["MaxLength"])) == ("1", "9", "80")
  assert repr(read.version) == "1" and not read.losses


@pytest.mark.parametrize("name", FILES)
def test_spellings_in_every_format(name: str, tmp_path: pathlib.Path) -> None:
  read = document()
  for path, content in module(name).write(read).items():
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_bytes(content)
  main = "settings.gschema.xml" if name == "gsettings" else FILES[name][1]
  again = module(name).read([Source.open(str(tmp_path / main))])
  found = {one["Key"].rpartition(".")[2]: one.get("Value") for one in again.settings()}
  # Fractions and options are texts in Android, numbers without limits are in Settings.
  others: Dict[str, Any] = {"android": {"ratio": "0.5", "level": "2"}, "apple-bundle": {"ratio": "0.5"}}
  assert exactly(found) == exactly({**SPELLED, **others.get(name, {})})


@pytest.mark.parametrize("name", FILES)
def test_spellings_of_values(name: str) -> None:
  read = document()
  own.read_values(read, source(json.dumps({"on": "YES", "ratio": "1.5", "count": 7.0, "level": "1", "text": "yes"})))
  read.check_values()
  expected = {"on": True, "ratio": 1.5, "count": 7, "level": 1, "text": "yes"}
  assert exactly(read.values) == exactly(expected)
  written = module(name).write_values(read)
  read.values = {}
  module(name).read_values(read, Source("values", written))
  read.check_values()
  assert read.values == expected and not read.losses


def test_spellings_in_lists() -> None:
  template = [{"Type": "ToggleSwitch", "Key": "on", "Title": "On", "Value": "no"}, {"Type": "Color", "Key": "color", "Title": "Color"},
              {"Type": "List", "Key": "ports", "Title": "Ports", "ItemTemplate": [{"Type": "Number", "Title": "Port", "Format": "integer"}]}]
  setting = {"Type": "List", "Key": "rows", "Title": "Rows", "ItemTemplate": template, "Value": [{"on": "1", "ports": ["80", 443.0]}, {"color": "#369"}]}
  read = own.read([source(json.dumps({"Version": 1, "Groups": [{"Title": "All", "Settings": [setting]}]}))])
  found = next(read.settings())
  assert plain(found["Value"]) == [{"on": True, "ports": [80, 443]}, {"color": "#369"}] and repr(found["Value"][0]["ports"]) == "[80, 443]"
  assert found["ItemTemplate"][0]["Value"] is False


def test_spellings_of_other_formats() -> None:
  text = '{"properties": {"on": {"type": "boolean", "default": "no"}, "count": {"type": "integer", "default": 5.0}}}'
  assert exactly({one["Key"]: one["Value"] for one in jsonschema.read([source(text)]).settings()}) == exactly({"on": False, "count": 5})


def test_steps_that_begin_elsewhere_are_told() -> None:
  setting = {"Type": "Number", "Key": "n", "Title": "N", "Format": "integer", "Minimum": 0.5, "Step": 0.5}
  read = own.read([source(json.dumps({"Version": 1, "Groups": [{"Title": "All", "Settings": [setting]}]}))])
  assert told(read) == ["1 n: its steps begin at 1, and not at 0.5"]


def test_exports_are_values(tmp_path: pathlib.Path) -> None:
  (tmp_path / "schema.json").write_text(SCHEMA)
  with livery.open("", memory=True) as store:
    store.apply_schema(SCHEMA)
    store.set("count", 7)
    (tmp_path / "export.json").write_text(store.export_json())
    (tmp_path / "layers.json").write_text(store.export_json(layers=True))
  expected = {**SPELLED, "count": 7}
  for name in ["livery", *FILES]:
    output = f"{name}.values"
    done = convert(f"livery:{name}", "schema.json", "--values", "export.json", "--strict", "-o", output, folder=tmp_path)
    assert done.returncode == 0 and not done.stderr
    read = document()
    module(name).read_values(read, Source.open(str(tmp_path / output)))
    read.check_values()
    assert read.values == expected and not read.losses
  done = convert("livery", "schema.json", "--values", "layers.json", folder=tmp_path)
  assert done.returncode == 4 and done.stderr.startswith("layers.json:1: an export with layers")
  # A setting of that name is one.
  named = own.read([source(SCHEMA.replace('"on"', '"Values"').replace('"count"', '"Layers"'))])
  own.read_values(named, source('{"Values": true, "Layers": 3}'))
  assert named.values == {"Values": True, "Layers": 3}
  with pytest.raises(Refused, match="without --layers"):
    own.read_values(document(), source('{"Layers": {}}'))

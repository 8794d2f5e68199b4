"""What holds for every format: samples come along, every loss has its line, and both schema and values go back."""

from __future__ import annotations

import importlib
import json
import pathlib
import plistlib
from typing import Any, Dict, List, Tuple

import pytest
from conftest import SAMPLES, never_raises, source, told

from livery.convert import FORMATS, own
from livery.convert.document import Document
from livery.convert.place import Refused
from livery.convert.source import Source

#: The sample of each format, and the file that is read when a schema of it was written.
FILES = {
  "gsettings": ("example.gschema.xml", "org.example.gschema.xml"), "android": ("android/xml/app_restrictions.xml", "xml/app_restrictions.xml"),
  "apple-bundle": ("Settings.bundle/Root.plist", "Root.plist"), "apple-config": ("appconfig.xml", "managed-app-configuration.xml"),
  "json-schema": ("settings.schema.json", "schema.json"), "vscode": ("package.json", "package.json"),
  "chromium": ("policy_templates.json", "policy_templates.json")}
LOSSES = {
  "android": ["23 gone: `@string/missing` is not among the resources"],
  "apple-bundle": ["15 name_preference: `KeyboardType` is not kept", "16 name_preference: `AutocapitalizationType` is not kept",
                   "19 yn: a switch of values that are no truth values is a choice"],
  "apple-config": ["13 user: the user's `USERNAME` is no default"],
  "json-schema": [
    "15 lazy: `pattern` is not kept, since POSIX has no such expression: a+?(?=b)", "19 ratio: 1 itself is allowed, too",
    "25 mail: `format` is not kept",
    '38 any: Livery has no type for ["string", "number"]: the value is kept as JSON text and not checked',
    "8 tree.child: refers to itself, or to what is not in the file: the value is kept as JSON text and not checked",
    "40 pair: says no type of its items that Livery has: the value is kept as JSON text and not checked", "41 old: `not` is not kept"],
  "vscode": ["15 tidy.old: `editPresentation` is not kept",
             "16 tidy.env: says nothing of its properties that Livery has: the value is kept as JSON text and not checked"],
  "chromium": ["40 Bookmarks: says no type of its items that Livery has: the value is kept as JSON text and not checked",
               "40 Bookmarks: says nothing of its items: the value is kept as JSON text and not checked"],
}
#: Values in each format's notation, and what they are in Livery.
VALUES: Dict[str, Tuple[Any, Dict[str, Any]]] = {
  "android": ({"kiosk": False, "idle": 5, "proxy": {"host": "h", "auth": {"on": True}}, "wifi": [{"ssid": "a", "tls": {"level": 3}}], "days": ["mon"]},
              {"kiosk": False, "idle": 5, "proxy.host": "h", "proxy.auth.on": True, "wifi": [{"ssid": "a", "tls.level": 3}], "days": ["mon"]}),
  "apple-bundle": ({"enabled": False, "yn": "NO", "volume": 0.25, "pace": 0, "size": "l"},
                   {"enabled": False, "yn": "NO", "volume": 0.25, "pace": 0, "size": "l"}),
  "apple-config": ({"server": "https://b", "port": 80, "hosts": ["x"], "days": ["tue"], "proxy": {"host": "h", "on": False}, "nets": [{"ssid": "s", "prio": 1}]},
                   {"server": "https://b", "port": 80, "hosts": ["x"], "days": ["tue"], "proxy.host": "h", "proxy.on": False,
                    "nets": [{"ssid": "s", "prio": 1}]}),
  "json-schema": ({"port": 80, "labels": {"x": "y", "": "z"}, "proxy": {"auth": {"on": True}}, "networks": [{"ssid": "a", "tls": {"level": 1}}],
                   "any": 7, "tree": {"child": {"child": {}}}, "level": 3, "days": ["tue"], "since": "2026-01-02T03:04:05Z"},
                  {"port": 80, "labels": [{"key": "x", "value": "y"}, {"key": "", "value": "z"}], "proxy.auth.on": True,
                   "networks": [{"ssid": "a", "tls.level": 1}], "any": "7", "tree.child": '{"child": {}}', "level": 3, "days": ["tue"],
                   "since": "2026-01-02T03:04:05Z"}),
  "vscode": ({"tidy.mode": "off", "tidy.exclude": {"a": False}, "tidy.env": {"x": [1]}},
             {"tidy.mode": "off", "tidy.exclude": [{"key": "a", "value": False}], "tidy.env": '{"x": [1]}'}),
  "chromium": ({"HomeIsNewTab": True, "Startup": 1, "Kinds": ["a"], "Managed": [{"url": "u", "depth": 2}], "Proxy": {"Mode": "fixed"}, "Bookmarks": [{}]},
               {"HomeIsNewTab": True, "Startup": 1, "Kinds": ["a"], "Managed": [{"url": "u", "depth": 2}], "Proxy.Mode": "fixed", "Bookmarks": "[{}]"}),
}


def module(name: str) -> Any:
  return importlib.import_module(f"livery.convert.{FORMATS[name]}")


def sample(name: str) -> Document:
  document: Document = module(name).read([Source.open(str(SAMPLES / FILES[name][0]))])
  return document


def as_own(document: Document) -> Document:
  """What was read, by way of Livery's own file."""
  return own.read([Source("schema.json", own.write(document)["schema.json"])])


def written(name: str, document: Document, folder: pathlib.Path) -> Document:
  """A document as it is read again from what was written of it."""
  for path, content in module(name).write(document).items():
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(content)
  again: Document = module(name).read([Source.open(str(folder / FILES[name][1]))])
  return again


def plain(value: Any) -> Any:
  return json.loads(json.dumps(value))


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_has_its_line(name: str) -> None:
  assert told(sample(name)) == LOSSES[name]


@pytest.mark.parametrize("name", FILES)
def test_a_schema_comes_back_as_it_was(name: str, tmp_path: pathlib.Path) -> None:
  first = as_own(sample(name))
  again = written(name, first, tmp_path)
  before, after = first.schema(), again.schema()
  if name == "chromium":
    # The templates have no title.
    before.pop("Title"), after.pop("Title")
  assert plain(before) == plain(after)


@pytest.mark.parametrize("name", VALUES)
def test_values_go_there_and_back(name: str) -> None:
  given, expected = VALUES[name]
  document = sample(name)
  document.losses.clear()
  apple = name.startswith("apple")
  module(name).read_values(document, Source("values", plistlib.dumps(given) if apple else json.dumps(given).encode()))
  document.check_values()
  assert not document.losses and document.values == expected
  back = module(name).write_values(document)
  assert (plistlib.loads(back) if apple else json.loads(back)) == given


@pytest.mark.parametrize("name", VALUES)
def test_values_that_are_none_are_told(name: str) -> None:
  document = sample(name)
  document.losses.clear()
  first = next(iter(VALUES[name][1]))
  given = {"no.such": 1, first: {"x": [1]}}
  module(name).read_values(document, Source("values", plistlib.dumps(given) if name.startswith("apple") else json.dumps(given).encode()))
  document.check_values()
  assert not document.values
  assert any(loss.setting.startswith("no") and loss.message == "no such setting" for loss in document.losses)
  assert any(loss.setting.startswith(first) for loss in document.losses)


@pytest.mark.parametrize("name", FILES)
def test_mangled_files_are_read_or_refused(name: str) -> None:
  path = SAMPLES / FILES[name][0]
  # By its own name, so that what lies beside it is found.
  never_raises(lambda file: module(name).read([file]), path.read_bytes(), str(path), count=400)


@pytest.mark.parametrize("name", VALUES)
def test_mangled_values_are_read_or_refused(name: str) -> None:
  given = VALUES[name][0]
  data = plistlib.dumps(given) if name.startswith("apple") else json.dumps(given).encode()
  document = sample(name)

  def read(file: Source) -> None:
    document.values.clear()
    module(name).read_values(document, file)
    document.check_values()
    module(name).write_values(document)

  never_raises(read, data, "values", count=300)


# Schemas of Livery, in every format

KIOSK: List[Dict[str, Any]] = [
  {"Type": "ToggleSwitch", "Key": "clock", "Title": "Clock", "Value": True, "Description": "Shown above"},
  {"Type": "TextField", "Key": "welcomeText", "Title": "Welcome", "Value": "Hi \"you\" & <us>\n'x' \\ ☃", "MaxLength": 80, "Pattern": "^[^0-9]"},
  {"Type": "TextField", "Key": "pin", "Title": "PIN", "Class": ["Password"], "Hidden": True},
  {"Type": "Number", "Key": "idle.seconds", "Title": "Idle", "Format": "integer", "Minimum": 15, "Maximum": 3600, "Step": 15, "Unit": "s", "Value": 120},
  {"Type": "Number", "Key": "volume", "Title": "Volume", "Minimum": 0, "Maximum": 1, "Step": 0.05, "Value": 0.5},
  {"Type": "Number", "Key": "any", "Title": "Any"},
  {"Type": "URL", "Key": "home", "Title": "Home", "Value": "https://www.example/", "Required": True},
  {"Type": "Color", "Key": "color", "Title": "Color", "Value": "#336699"},
  {"Type": "Date", "Key": "until", "Title": "Until", "Value": "2026-12-31T23:59:59Z", "Minimum": "2026-01-01T00:00:00Z"},
  {"Type": "Image", "Key": "logo", "Title": "Logo", "Value": ""},
  {"Type": "Data", "Key": "certificate", "Title": "Certificate", "Value": "AQIDBA=="},
  {"Type": "ComboBox", "Key": "pace", "Title": "Pace", "Options": [{"Title": "Slow", "Value": "slow"}, {"Title": "Fast", "Value": "fast"}], "Value": "slow"},
  {"Type": "ComboBox", "Key": "mixed", "Title": "Mixed", "Options": [{"Title": "One", "Value": 1}, {"Title": "B", "Value": "b"}, {"Title": "T", "Value": True}]},
  {"Type": "ComboBox", "Key": "days", "Title": "Days", "Class": ["Multiple"], "MaxItems": 2,
   "Options": [{"Title": "Mo", "Value": 1}, {"Title": "Tu", "Value": 2}], "Value": [2]},
  {"Type": "List", "Key": "ports", "Title": "Ports", "MaxItems": 8, "Value": [80],
   "ItemTemplate": [{"Type": "Number", "Title": "Port", "Format": "integer", "Minimum": 1, "Maximum": 65535}]},
  {"Type": "List", "Key": "playlist", "Title": "Playlist", "UniqueBy": "content", "Value": [{"content": "https://a.example/", "seconds": 5}],
   "ItemTemplate": [{"Type": "URL", "Title": "Content", "Key": "content", "Required": True},
                    {"Type": "Number", "Title": "Seconds", "Key": "seconds", "Format": "integer", "Value": 10},
                    {"Type": "List", "Title": "Tags", "Key": "tags", "ItemTemplate": [{"Type": "TextField", "Title": "Tag"}]}]},
  {"Type": "Pane", "Title": "More", "Settings": [
    {"Type": "Header", "Title": "Old"},
    {"Type": "ToggleSwitch", "Key": "more.old", "Title": "Old", "Deprecated": "Use clock", "ReadOnly": True, "Restart": True,
     "EnabledBy": {"Key": "clock", "Equals": True}, "Volatile": True, "Aliases": ["older"]}]}]


def kiosk() -> Document:
  schema = {"Version": 3, "Title": "Kiosk", "Groups": [{"Title": "All", "Settings": KIOSK}, {"Title": "Empty", "Settings": []}],
            "Texts": {"de": {"Clock": "Uhr", "Slow": "Langsam"}}}
  return own.read([Source("kiosk.json", json.dumps(schema, indent=1).encode())])


@pytest.mark.parametrize("name", FILES)
def test_a_schema_with_everything_is_kept_or_told(name: str, tmp_path: pathlib.Path) -> None:
  document = kiosk()
  files = module(name).write(document)
  for path, content in files.items():
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_bytes(content)
  main = "Kiosk.gschema.xml" if name == "gsettings" else FILES[name][1]
  again: Document = module(name).read([Source.open(str(tmp_path / main))])
  lost: Dict[str, List[str]] = {}
  for loss in document.losses:
    assert loss.place.file == "kiosk.json" and (loss.place.line > 1 or not loss.setting)
    lost.setdefault(loss.setting, []).append(loss.message)
  found = {setting["Key"]: plain(setting) for setting in again.settings()}
  for setting in document.settings():
    before = plain(setting)
    before.pop("Class", None) if before.get("Class") == ["Single"] else None
    after = found.get(setting["Key"])
    if after is None:
      assert setting["Key"] in lost, f"{setting['Key']} is gone without a word"
      continue
    after.pop("Class", None) if after.get("Class") == ["Single"] else None
    if before["Type"] == "Number":
      before.setdefault("Format", "number")
    if before.get("Value") == "":
      before.pop("Value"), after.pop("Value", None)
    if setting["Key"] not in lost:
      assert after == before, f"{setting['Key']} is another without a word"


#: Those whose schemas have texts, or nothing, where Livery has other types.
FEWER = ("android", "apple-bundle", "apple-config")


@pytest.mark.parametrize("name", FEWER)
def test_values_fit_the_schema_that_is_written(name: str, tmp_path: pathlib.Path) -> None:
  document = kiosk()
  more: List[Dict[str, Any]] = [
    {"Type": "Number", "Key": "ratio", "Title": "Ratio"}, {"Type": "Number", "Key": "whole", "Title": "Whole", "Format": "integer"},
    {"Type": "ComboBox", "Key": "mode", "Title": "Mode", "Options": [{"Title": "A", "Value": 1}, {"Title": "B", "Value": 2}]},
    {"Type": "ComboBox", "Key": "several", "Title": "Several", "Class": ["Multiple"], "Options": [
      {"Title": "One", "Value": 1}, {"Title": "B", "Value": "b"}, {"Title": "T", "Value": True}, {"Title": "H", "Value": 0.5}]},
    {"Type": "List", "Key": "rows", "Title": "Rows", "ItemTemplate": [{"Type": "List", "ItemTemplate": [{"Type": "Number", "Title": "N", "Format": "integer"}]}]},
    {"Type": "List", "Key": "picks", "Title": "Picks", "ItemTemplate": [{"Type": "ComboBox", "Title": "P", "Options": [{"Title": "A", "Value": 1}]}]},
    {"Type": "List", "Key": "nets", "Title": "Nets", "ItemTemplate": [
      {"Type": "Number", "Key": "a.ratio", "Title": "R"}, {"Type": "ToggleSwitch", "Key": "a.on", "Title": "On"}, {"Type": "Date", "Key": "at", "Title": "At"}]},
    {"Type": "Number", "Key": "shown", "Title": "Shown", "ReadOnly": True}, {"Type": "Number", "Key": "shown5", "Title": "Shown", "ReadOnly": True, "Value": 5},
    {"Type": "ToggleSwitch", "Key": "on", "Title": "On"}, {"Type": "Date", "Key": "from", "Title": "From"}]
  document.groups[0]["Settings"] += own.read([source(json.dumps({"Version": 1, "Groups": [{"Title": "A", "Settings": more}]}), "b.json")]).groups[0]["Settings"]
  document.values = {setting["Key"]: setting["Value"] for setting in document.settings() if setting.get("Value", "") != ""}
  document.values.update({
    "more.old": True, "mixed": True, "ratio": 0.25, "whole": -7, "mode": 2, "several": [1, "b", True, 0.5], "rows": [[1, 2], []], "picks": [1], "shown": 2.5, "shown5": 6,
    "nets": [{"a.ratio": 0.5, "a.on": True, "at": "2026-01-02T03:04:05Z"}], "on": True, "from": "2026-01-02T03:04:05Z"})
  values = plain(document.values)
  again = written(name, document, tmp_path)
  document.losses.clear()
  text = module(name).write_values(document)
  left = {loss.setting for loss in document.losses}
  assert left == ({setting["Key"] for setting in document.settings() if setting["Type"] == "List" or setting["Key"] in ("several", "days", "certificate")}
                  if name == "apple-bundle" else set())
  again.losses.clear()
  module(name).read_values(again, Source("values", text))
  again.check_values()
  assert not again.losses, told(again)
  assert again.values.keys() == values.keys() - left
  for key, one in again.values.items():
    assert as_given(one, values[key]) == values[key], key


def as_given(value: Any, given: Any) -> Any:
  """A value with the texts in it read where other values were given."""
  if isinstance(value, str) and not isinstance(given, str):
    value = json.loads(value)
  if isinstance(value, list):
    return [as_given(one, other) for one, other in zip(value, given)]
  return {name: as_given(one, given[name]) for name, one in value.items()} if isinstance(value, dict) else value


def test_whole_numbers_that_android_lacks_are_told() -> None:
  document = own.read([source('{"Version": 1, "Groups": [{"Title": "A", "Settings": [{"Type": "Number", "Format": "integer", "Key": "n", "Title": "N"}]}]}', "a.json")])
  document.values = {"n": 2**31}
  assert json.loads(module("android").write_values(document)) == {}
  assert told(document) == ["1 n: its value is left out: 2147483648 has more than 32 bits"]


@pytest.mark.parametrize("name", [one for one in FILES if one not in FEWER])
def test_values_of_everything_go_there_and_back(name: str) -> None:
  document = kiosk()
  document.values = {setting["Key"]: setting["Value"] for setting in document.settings() if setting.get("Value", "") != ""}
  document.values["more.old"] = True
  values = plain(document.values)
  text = module(name).write_values(document)
  assert not document.losses
  document.values = {}
  module(name).read_values(document, Source("values", text))
  document.check_values()
  assert plain(document.values) == values and not document.losses


@pytest.mark.parametrize("name", ["gsettings", "android", "apple-bundle", "apple-config"])
def test_characters_that_xml_lacks_are_told(name: str, tmp_path: pathlib.Path) -> None:
  setting = {"Type": "TextField", "Key": "k", "Title": "A\x0bB", "Value": "x\x01y", "Description": "\ttab\nline"}
  document = own.read([Source("a.json", json.dumps({"Version": 1, "Groups": [{"Title": "G", "Settings": [setting]}]}).encode())])
  for path, content in module(name).write(document).items():
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_bytes(content)
  main = "settings.gschema.xml" if name == "gsettings" else FILES[name][1]
  again: Document = module(name).read([Source.open(str(tmp_path / main))])
  assert next(again.settings())["Title"] == "A\ufffdB"
  assert any("XML has no way to write" in loss.message and loss.setting == "k" and loss.place.line == 1 for loss in document.losses)
  document.values = {"k": "p\x02q"}
  module(name).read_values(document, Source("v", module(name).write_values(document)))


def test_what_policies_say_is_read() -> None:
  document = sample("chromium")
  assert document.find("HomeLocation")["Description"] == "The address of the Chromium home page."  # type: ignore[index]
  tab = document.find("HomeIsNewTab")
  assert tab and tab["Description"] == "Use it\n\nOn: Opens it" and tab["Restart"] is True and tab["Deprecated"]
  assert document.groups[0]["Description"] == "Which page Chromium opens.\n\nSecond part."


def test_policies_in_yaml(tmp_path: pathlib.Path) -> None:
  pytest.importorskip("yaml")
  text = "caption: Blocked\ndesc: |-\n  Which.\ntype: list\nschema:\n  type: array\n  items:\n    type: string\n    contentMediaType: a/b\n"
  (tmp_path / "Blocked.yaml").write_text(text)
  document = module("chromium").read([Source.open(str(tmp_path / "Blocked.yaml"))])
  assert [(one["Key"], one["Type"], one["Title"]) for one in document.settings()] == [("Blocked", "List", "Blocked")]
  assert told(document) == ["9 Blocked: `contentMediaType` is not kept"]
  for wrong, message in ((b"a: &x [1]\nb: *x\n", "references are not taken"), (b"a: [", "Blocked.yaml:"), (b"- 1", "not a policy")):
    (tmp_path / "Blocked.yaml").write_bytes(wrong)
    with pytest.raises(Refused, match=message):
      module("chromium").read([Source.open(str(tmp_path / "Blocked.yaml"))])


def test_a_loss_has_the_line_of_what_is_lost() -> None:
  text = '{\n "properties": {\n  "a": {\n   "type": "string",\n   "format": "email",\n   "pattern": "(?=x)"\n  },\n  "b":\n   {"type": ["string", "number"]}\n }\n}'
  document = module("json-schema").read([Source("a.json", text.encode())])
  assert [(loss.place.line, loss.setting) for loss in document.losses] == [(6, "a"), (5, "a"), (9, "b")]
  with pytest.raises(Refused, match="a.json:3: column .*`a` is there twice"):
    module("json-schema").read([Source("a.json", b'{"properties": {},\n "a": 1,\n "a": 2}')])


def test_a_schema_of_livery_is_checked() -> None:
  with pytest.raises(Refused, match="a.json:1: "):
    own.read([Source("a.json", b'{"Version": 0}')])

"""What a format has no place for is told: what arranges settings, and what is said of them by halves."""

from __future__ import annotations

import datetime
import json
import pathlib
import plistlib
from typing import Any, Dict

import pytest
from conftest import convert, source, told
from test_formats import module, plain, written

from livery.convert import android, apple_appconfig, apple_bundle, chromium, jsonschema, own, vscode
from livery.convert.document import Document
from livery.convert.source import Source


def schema(*settings: Dict[str, Any], **group: Any) -> Document:
  return own.read([source(json.dumps({"Version": 1, "Groups": [{"Title": "Settings", "Settings": list(settings), **group}]}), "a.json")])


def text(key: str, **members: Any) -> Dict[str, Any]:
  return {"Type": "TextField", "Key": key, "Title": key, "Value": "", **members}


def properties(**given: Any) -> Document:
  return jsonschema.read([source(json.dumps({"properties": given}))])


HEADED = [{"Type": "Header", "Title": "Above"}, {"Type": "Pane", "Title": "Flat", "Description": "Of it", "Settings": [text("flat")]},
          {"Type": "Pane", "Title": "Deep", "Description": "Of deep", "Settings": [text("deep.one")]}]


@pytest.mark.parametrize("name", ["json-schema", "android", "chromium", "vscode", "gsettings", "apple-config"])
def test_what_heads_settings_is_told(name: str, tmp_path: pathlib.Path) -> None:
  document = schema(*HEADED, Title="First", Description="Of first")
  module(name).write(document)
  messages = {loss.message for loss in document.losses}
  assert "the header `Above` is not kept" in messages
  assert "its pane `Flat` is not kept" in messages or "its pane `Flat` is a group among the others" in messages
  nests = name in ("json-schema", "android", "chromium")
  assert ("its pane `Deep` is not kept" in messages) == (not nests and name != "apple-config")
  assert ("the group `First` is not kept" in messages) == (name in ("json-schema", "android", "gsettings"))
  assert ("the description of `First` is not kept" in messages) == (name in ("vscode", "apple-config"))
  (tmp_path / "a.json").write_text(json.dumps(document.schema()))
  assert convert(f"livery:{name}", "a.json", "--strict", "-o", "out", folder=tmp_path).returncode == 9


@pytest.mark.parametrize("name", ["json-schema", "android", "chromium"])
def test_panes_that_names_tell_come_back(name: str, tmp_path: pathlib.Path) -> None:
  document = schema(HEADED[2])
  again = written(name, document, tmp_path)
  assert not document.losses and plain(again.groups[0]["Settings"][0]["Description"]) == "Of deep"


def test_secrets_that_are_no_texts_are_told() -> None:
  document = properties(url={"type": "string", "format": "uri", "writeOnly": True}, pin={"type": "string", "writeOnly": True},
                        data={"type": "string", "contentEncoding": "base64", "writeOnly": True}, none={"type": "string", "format": "uri", "writeOnly": False},
                        pick={"type": "string", "enum": ["a"], "sensitiveValue": True}, box={"writeOnly": True, "properties": {"a": {"type": "string"}}})
  assert {line.partition(" ")[2] for line in told(document)} == {
    "url: `writeOnly` is not kept", "data: `writeOnly` is not kept", "pick: `sensitiveValue` is not kept", "box: `writeOnly` is not kept"}
  pin = document.find("pin")
  assert pin and pin["Class"] == ["Password"]


def test_truth_values_with_titles_are_options() -> None:
  document = properties(plain={"enum": [True, False]}, words={"enum": ["True", "False"]},
                        titled={"oneOf": [{"const": True, "title": "Bright"}, {"const": False, "title": "Dark"}]})
  assert [one["Type"] for one in document.settings()] == ["ToggleSwitch", "ComboBox", "ComboBox"] and not document.losses
  titled = document.find("titled")
  assert titled and [one["Title"] for one in titled["Options"]] == ["Bright", "Dark"]


@pytest.mark.parametrize("inside", [False, True])
def test_what_holds_for_an_object_holds_inside(inside: bool) -> None:
  box = {"type": "object", "readOnly": True, "deprecated": True, "properties": {"a": {"type": "string"}, "b": {"properties": {"c": {"type": "string"}}}}}
  document = properties(box={"type": "array", "items": box} if inside else box)
  found = next(document.settings())["ItemTemplate"] if inside else list(document.settings())
  assert [(one["ReadOnly"], one["Deprecated"]) for one in found] == [(True, "Deprecated")] * 2 and not document.losses
  root = jsonschema.read([source('{"readOnly": true, "properties": {"a": {"type": "string"}}}')])
  assert next(root.settings())["ReadOnly"] is True


def test_the_reason_of_an_object_holds_inside() -> None:
  box = {"type": "object", "deprecationMessage": "Gone", "properties": {"a": {"type": "string"}, "b": {"type": "string", "deprecationMessage": "Other"}}}
  document = vscode.read([source(json.dumps({"contributes": {"configuration": {"properties": {"x.box": box}}}}), "package.json")])
  assert [one["Deprecated"] for one in document.settings()] == ["Gone", "Other"]


def test_what_is_said_of_an_option_is_told() -> None:
  document = properties(pick={"oneOf": [{"const": "a", "title": "A", "description": "First"}, {"const": "b", "description": "B", "type": "string"},
                                        {"const": "c", "deprecated": True}]})
  assert told(document) == ["1 pick: `description` of an option is not kept", "1 pick: `deprecated` of an option is not kept"]


def test_dots_in_names_of_properties_are_told() -> None:
  document = jsonschema.read([source('{"properties": {\n"a.b": {"type": "string"}}}')])
  assert told(document) == ["2 a.b: a dot in a name is an object where it is written back"]


@pytest.mark.parametrize("name", ["apple-bundle", "apple-config"])
def test_moments_and_carriage_returns_of_apple(name: str) -> None:
  # As Settings has moments: where it shows them alone.
  until = {"Type": "Date", "Key": "until", "Title": "Until", "ReadOnly": True, "Value": "2026-01-01T00:00:00Z"}
  document = schema(until, text("note", Value="a\r\nb", Description="c\rd"))
  document.values = {"until": "2026-01-02T03:04:05.25Z", "note": "x\ry"}
  values = plistlib.loads(module(name).write_values(document))
  assert values["note"] == "x\ny" and values["until"].second == 5
  messages = [loss.message for loss in document.losses if loss.setting == "until"]
  assert messages == ["property lists have no fractions of seconds"]
  assert sum("carriage return" in loss.message for loss in document.losses if loss.setting == "note") == 3
  document.losses.clear()
  document.values = {"until": "2026-01-02T03:04:05Z"}
  module(name).write_values(document)
  assert not document.losses


def test_fractions_of_seconds_of_binary_lists_are_read() -> None:
  document = schema({"Type": "Date", "Key": "until", "Title": "Until"})
  moment = datetime.datetime(2026, 1, 2, 3, 4, 5, 250000)
  apple_bundle.read_values(document, Source("v", plistlib.dumps({"until": moment}, fmt=plistlib.FMT_BINARY)))
  assert document.values == {"until": "2026-01-02T03:04:05.250000Z"}


TWO = "one  two\nthree"


@pytest.mark.parametrize("writer, target", [(apple_appconfig, "AppConfig"), (chromium, "Chromium"), (module("gsettings"), "GSettings")])
def test_texts_that_read_back_as_others_are_told(writer: Any, target: str) -> None:
  pick = {"Type": "ComboBox", "Key": "pick", "Title": "Pick", "Options": [{"Title": TWO, "Value": "a"}], "Value": "a"}
  document = schema(text("told", Description=TWO), text("plain", Description="one two"), pick)
  writer.write(document)
  losing = [loss.setting for loss in document.losses if loss.message.startswith(f'{target} has another form of "one  two')]
  assert losing == ["told", "pick"]


def test_spaces_around_options_are_told() -> None:
  document = schema({"Type": "ComboBox", "Key": "pick", "Title": "Pick", "Options": [{"Title": "A", "Value": " a"}], "Value": " a"})
  apple_appconfig.write(document)
  assert [loss.message for loss in document.losses] == ["AppConfig keeps no spaces around options"]


def test_what_is_hidden_from_people_is_told_to_appconfig(tmp_path: pathlib.Path) -> None:
  document = schema(text("shown"), text("behind", Hidden=True, Title="Behind", Description="Of it"))
  again = written("apple-config", document, tmp_path)
  found = again.find("behind")
  assert found and not found.get("Hidden") and "Description" not in found
  assert [(loss.setting, "hidden" in loss.message) for loss in document.losses] == [("behind", True)]


def test_what_people_read_of_members_is_told_to_appconfig() -> None:
  members = [text("a.b", Title="b"), text("c", Title="C"), text("d", Description="Of d"), text("e", Hidden=True)]
  document = schema({"Type": "List", "Key": "rows", "Title": "Rows", "ItemTemplate": members})
  apple_appconfig.write(document)
  assert [loss.message for loss in document.losses] == [f"AppConfig keeps nothing that people read of `{name}` in its items" for name in "cde"]
  assert {loss.setting for loss in document.losses} == {"rows"}


def test_texts_of_android_are_read_once(tmp_path: pathlib.Path) -> None:
  (tmp_path / "values").mkdir()
  (tmp_path / "values-de").mkdir()
  (tmp_path / "xml").mkdir()
  texts = {"p": "C:\\\\new", "at": "\\@string/p", "again": " @string/p ", "spaces": '"a  b"'}
  for folder in ("values", "values-de"):
    rows = "".join(f'<string name="{name}">{one}{"s" if folder != "values" and name == "p" else ""}</string>' for name, one in texts.items())
    (tmp_path / folder / "strings.xml").write_text(f'<resources>{rows}<string-array name="all"><item>C:\\\\new</item><item>@string/p</item></string-array></resources>')
  rows = "".join(f'<restriction android:key="{name}" android:restrictionType="string" android:title="@string/p" android:defaultValue="@string/{name}"/>'
                 for name in texts)
  rows += '<restriction android:key="all" android:restrictionType="multi-select" android:title="All" android:entryValues="@array/all" android:entries="@array/all"/>'
  (tmp_path / "xml" / "app_restrictions.xml").write_text(f'<restrictions xmlns:android="http://schemas.android.com/apk/res/android">{rows}</restrictions>')
  document = android.read([Source.open(str(tmp_path / "xml" / "app_restrictions.xml"))])
  found = {one["Key"]: one.get("Value") for one in document.settings()}
  assert found == {"p": "C:\\new", "at": "@string/p", "again": "C:\\new", "spaces": "a  b", "all": None} and not document.losses
  options = document.find("all")
  assert options and [one["Value"] for one in options["Options"]] == ["C:\\new"] and document.texts == {"de": {"C:\\new": "C:\\news"}}


@pytest.mark.parametrize("raw, read", [
  ('say "two  spaces" now', "say two  spaces now"), ('"  all  quoted "', "  all  quoted "), ("  plain \n text ", "plain text"), ("a\\n b", "a\n b"),
  ('a " b', "a  b"), ('\\"a\\"', '"a"'), ('" "x', " x"), ("\\u0020 a", "  a"), ("it\\'s", "it's"), ("\\@a \\?b", "@a ?b"), ("end\\", "end\\"), ('""', "")])
def test_quotes_keep_spaces_in_texts_of_android(raw: str, read: str) -> None:
  rows = "<restriction android:restrictionType='string' android:key='a' android:title='A' android:defaultValue='@string/a'/>"
  restrictions = source(f"<restrictions xmlns:android='http://schemas.android.com/apk/res/android'>{rows}</restrictions>", "a.xml")
  document = android.read([restrictions, source(f"<resources><string name='a'>{raw}</string></resources>", "b.xml")])
  assert next(document.settings())["Value"] == read and not document.losses


def test_markup_in_texts_of_android_is_told() -> None:
  row = "<restriction android:restrictionType='string' android:key='{0}' android:title='@string/{0}'/>"
  rows = "".join(row.format(name) for name in ("bold", "more", "user"))
  restrictions = source(f"<restrictions xmlns:android='http://schemas.android.com/apk/res/android'>{rows}</restrictions>", "a.xml")
  texts = ("<resources xmlns:x='urn:oasis:names:tc:xliff:document:1.2'>\n<string name='bold'>Very <b>bold</b></string><string name='more'>@string/bold</string>\n"
           "<string name='user'>Of <x:g>%s</x:g></string><string name='other'><i>x</i></string></resources>")
  document = android.read([restrictions, source(texts, "b.xml")])
  assert [one["Title"] for one in document.settings()] == ["Very bold", "Very bold", "Of %s"]
  assert told(document) == ["2 bold: the markup in its text is not kept", "2 more: the markup in its text is not kept"]


def test_texts_of_android_come_back(tmp_path: pathlib.Path) -> None:
  for number, one in enumerate(["C:\\new\n  two  spaces\\n", "\\", "@string/x", "?x", '"a"', "it's", "\ttab\r\n", " around ", "\\u0041"]):
    document = schema(text("told", Value=one, Description=one))
    again = written("android", document, tmp_path / str(number))
    found = next(again.settings())
    assert (found["Value"], found["Description"]) == (one, one) and not document.losses


def test_limits_of_nothing_are_told_as_others_are() -> None:
  document = schema({"Type": "Number", "Key": "gain", "Title": "Gain", "Value": -3, "Minimum": -40, "Maximum": 0},
                    {"Type": "Number", "Key": "rise", "Title": "Rise", "Value": 3, "Minimum": 0})
  android.write(document)
  messages = {(loss.setting, loss.message) for loss in document.losses}
  assert {("gain", "Android has nothing for `Minimum`"), ("gain", "Android has nothing for `Maximum`"),
          ("rise", "Android has nothing for `Minimum`")} <= messages


def test_no_loss_shows_a_secret() -> None:
  secret = {"Type": "TextField", "Class": ["Password"], "Title": "PIN", "MaxLength": 3}
  document = schema({**secret, "Key": "pin"}, {"Type": "List", "Key": "pins", "Title": "PINs", "ItemTemplate": [{**secret, "Key": "pin"}]},
                    {"Type": "List", "Key": "plain", "Title": "Plain", "ItemTemplate": [secret]})
  document.values.update({"pin": "hunter2", "pins": [{"pin": "hunter2"}], "plain": ["hunter2"]})
  document.check_values()
  assert document.values == {} and len(document.losses) == 3
  made = properties(pin={"type": "string", "writeOnly": True, "maxLength": 3, "default": "hunter2"})
  document = properties(pin={"type": "string", "writeOnly": True, "default": "hun\ud800ter2"})
  other = properties(pin={"type": "string", "writeOnly": True, "default": "hunter2\r"})
  apple_appconfig.write(other)
  for one in (document, made, other):
    assert one.losses and not any("hun" in loss.message for loss in one.losses)


@pytest.mark.parametrize("number", [2**63, 2**64 - 1, -2**63 - 1, 10**40])
def test_numbers_of_more_than_64_bits_are_left_out_alone(number: int) -> None:
  document = properties(a={"type": "number", "maximum": number}, b={"type": "integer", "default": number}, c={"enum": [1, number]},
                        d={"type": "string", "maxLength": number})
  assert {loss.setting for loss in document.losses} == {"a", "b", "c", "d"}
  assert json.loads(own.write(document)["schema.json"])["Groups"]
  assert own.read([source(own.write(document)["schema.json"].decode(), "a.json")]).losses == []


def test_limits_far_beyond_whole_numbers_are_read_again() -> None:
  document = schema({"Type": "Number", "Key": "a", "Title": "A", "Format": "integer", "Value": 1, "Maximum": 1e30})
  assert own.read([source(own.write(document)["schema.json"].decode(), "a.json")]).losses == []


def test_what_android_calls_true() -> None:
  restriction = "<restrictions xmlns:android='http://schemas.android.com/apk/res/android'>{}</restrictions>"
  one = "<restriction android:restrictionType='bool' android:key='{0}' android:title='{0}' android:defaultValue='{1}'/>"
  document = android.read([source(restriction.format("".join(one.format(*pair) for pair in (("a", "TRUE"), ("b", "False"), ("c", "1")))), "a.xml")])
  assert {setting["Key"]: setting.get("Value") for setting in document.settings()} == {"a": True, "b": False, "c": None}
  assert [(loss.setting, loss.message) for loss in document.losses if "default" in loss.message] == [
    ("c", "no default, since `1` is neither true nor false")]


def test_values_of_names_within_each_other_stay_as_they_are() -> None:
  document = Document()
  document.groups = own.read([source(json.dumps({"Version": 1, "Open": True, "Groups": [{"Title": "S", "Settings": [text("x")]}]}), "a.json")]).groups
  document.values.update({"a": 1, "a.b": 2})
  assert json.loads(jsonschema.write_values(document)) == {"a": 1, "a.b": 2}


@pytest.mark.parametrize("name", ["json-schema", "chromium"])
def test_texts_without_a_group_are_told(name: str) -> None:
  document = own.read([source(json.dumps({"Version": 1, "Groups": [], "Texts": {"de": {"a": "b"}}}), "a.json")])
  module(name).write(document)
  assert any("other languages" in loss.message for loss in document.losses)


def test_a_binary_property_list_that_refers_to_itself_many_times_is_refused(tmp_path: pathlib.Path) -> None:
  shared: Any = ["a"]
  for _ in range(40):
    shared = [shared, shared]
  (tmp_path / "Root.plist").write_bytes(plistlib.dumps({"PreferenceSpecifiers": shared}, fmt=plistlib.FMT_BINARY))
  done = convert("apple-bundle", "Root.plist", folder=tmp_path)
  assert done.returncode == 4 and "1,000,000 values" in done.stderr


ARRANGED = {"Type": "List", "Key": "rows", "Title": "Rows", "ItemTemplate": [
  {"Type": "Header", "Title": "Above"}, {"Type": "Pane", "Title": "More", "Settings": [{"Type": "TextField", "Key": "name", "Title": "Name", "Required": True}, {"Type": "Header", "Title": "Between"}]},
  {"Type": "Number", "Key": "count", "Title": "Count", "Value": 1}]}


@pytest.mark.parametrize("name", ["json-schema", "android", "chromium", "vscode", "gsettings", "apple-config", "apple-bundle"])
def test_what_arranges_the_items_of_lists_is_told(name: str, tmp_path: pathlib.Path) -> None:
  (tmp_path / "a.json").write_text(json.dumps(schema(ARRANGED, text("plain")).schema()))
  (tmp_path / "v.json").write_text('{"rows": [{"name": "a", "count": 2}]}')
  done = convert(f"livery:{name}", "a.json", "-o", "out", folder=tmp_path)
  assert done.returncode == 0 and "Traceback" not in done.stderr
  for one in ("header `Above`", "pane `More`", "header `Between`"):
    assert f"rows: the {one} in its items is not kept" in done.stderr
  done = convert(f"livery:{name}", "a.json", "-v", "v.json", "-o", "values", folder=tmp_path)
  assert done.returncode == 0 and "Traceback" not in done.stderr
  again = convert("livery:livery", "a.json", "--strict", folder=tmp_path)
  assert again.returncode == 0 and '"Above"' in again.stdout


def test_limits_that_types_of_gsettings_do_not_say_are_told() -> None:
  rows = {"Type": "List", "Key": "rows", "Title": "Rows", "MaxItems": 5, "Required": True, "UniqueBy": "1", "ItemTemplate": [
    {**text("1"), "MaxLength": 8, "Pattern": "[a-z]*"}, {"Type": "Number", "Format": "integer", "Key": "2", "Title": "2", "Minimum": 0, "Maximum": 9, "Required": True},
    {"Type": "ComboBox", "Key": "3", "Title": "3", "Options": [{"Title": "A", "Value": "a"}]}]}
  names = {"Type": "List", "Key": "names", "Title": "Names", "MaxItems": 3, "ItemTemplate": [{"Type": "TextField", "Title": "Name", "MinLength": 2}]}
  bytewise = {"Type": "List", "Key": "levels", "Title": "Levels", "ItemTemplate": [
    {"Type": "Number", "Format": "integer", "Title": "Level", "Minimum": 0, "Maximum": 255}]}
  document = schema(rows, names, bytewise)
  module("gsettings").write(document)
  nothing = "GSettings has nothing for "
  found = {(loss.setting, loss.message[len(nothing):]) for loss in document.losses if loss.message.startswith(nothing)}
  assert found == {("rows", "`MaxItems`"), ("rows", "`Required`"), ("rows", "`UniqueBy`"), ("rows", "`MaxLength` of `1` in its items"),
                   ("rows", "`Pattern` of `1` in its items"), ("rows", "`Minimum` of `2` in its items"), ("rows", "`Maximum` of `2` in its items"),
                   ("names", "`MaxItems`"), ("names", "`MinLength` of its items")}
  assert any(loss.message == "the options of its items are not kept" for loss in document.losses)


def test_the_tighter_of_two_bounds_holds() -> None:
  document = properties(
    a={"type": "integer", "minimum": 5, "exclusiveMinimum": 2, "maximum": 7, "exclusiveMaximum": 20},
    b={"type": "integer", "minimum": 1, "exclusiveMinimum": 5}, c={"type": "number", "maximum": 3.5, "exclusiveMaximum": 9},
    d={"allOf": [{"type": "string", "minLength": 2, "maxLength": 9}, {"minLength": 3, "maxLength": 5}]},
    e={"allOf": [{"type": "string", "pattern": "^a"}, {"pattern": "b$"}]})
  found = {one["Key"]: one for one in document.settings()}
  assert (found["a"]["Minimum"], found["a"]["Maximum"], found["b"]["Minimum"], found["c"]["Maximum"]) == (5, 7, 6, 3.5)
  assert (found["d"]["MinLength"], found["d"]["MaxLength"]) == (3, 5)
  assert told(document) == ['1 e: `pattern` "b$" is not kept beside "^a"']


def test_resources_of_android_are_of_one_setting_each(tmp_path: pathlib.Path) -> None:
  names = ["1", "r.1", "a_b", "a.5f.b", "r_1"]
  document = schema(*(text(name, Title=f"Title of {name}") for name in names))
  again = written("android", document, tmp_path)
  assert {one["Key"]: one["Title"] for one in again.settings()} == {name: f"Title of {name}" for name in names}


@pytest.mark.parametrize("name, target", [("apple-bundle", "Settings"), ("apple-config", "AppConfig")])
def test_texts_that_have_others_in_english_are_told(name: str, target: str) -> None:
  document = own.read([source(json.dumps({"Version": 1, "Groups": [{"Title": "Allgemein", "Settings": [text("x", Title="Titel")]}],
                                          "Texts": {"en": {"Titel": "Title"}, "fr": {"Titel": "Titre"}}}), "a.json")])
  module(name).write(document)
  assert [loss.message for loss in document.losses if "English" in loss.message] == [f'{target} has "Titel" in English alone: "Title"']


def test_leap_seconds_are_the_seconds_after_them() -> None:
  document = schema({"Type": "Date", "Key": "until", "Title": "Until"})
  document.values = {"until": "2016-12-31T23:59:60Z"}
  assert plistlib.loads(apple_appconfig.write_values(document)) == {"until": datetime.datetime(2017, 1, 1)} and not document.losses


@pytest.mark.parametrize("raw, what", [
  ({"type": "integer", "minimum": 2**63}, "`minimum` 9223372036854775808 is not kept"),
  ({"type": "integer", "minimum": 1e308}, "`minimum` 1e+308 is not kept"),
  ({"type": "integer", "exclusiveMinimum": 2**63 - 1}, "`exclusiveMinimum` 9223372036854775807 is not kept"),
  ({"type": "integer", "maximum": -1e308}, "`maximum` -1e+308 is not kept"),
  ({"type": "integer", "minimum": 1, "exclusiveMinimum": 2**70}, "`exclusiveMinimum` 1180591620717411303424 is not kept"),
  ({"allOf": [{"type": "string"}, {"type": "integer"}]}, '`type` "integer" is not kept beside "string"'),
  ({"type": "string", "enum": ["a", 1]}, "the option 1 is left out: it is of another type"),
])
def test_nothing_goes_without_a_word(raw: Any, what: str) -> None:
  document = properties(x=raw)
  assert any(what in one for one in told(document)), told(document)


@pytest.mark.parametrize("raw", [{"type": "integer", "minimum": -1e308}, {"type": "integer", "maximum": 2**63}, {"enum": ["a", 1]},
                                 {"allOf": [{"type": "integer"}, {"type": "number"}]}, {"type": ["string", "null"], "allOf": [{"type": "string"}]}])
def test_what_says_nothing_is_no_loss(raw: Any) -> None:
  assert not properties(x=raw).losses


def test_what_is_left_out_counts_among_the_settings(tmp_path: pathlib.Path) -> None:
  (tmp_path / "a.json").write_text('{"required": ["z"], "properties": {"a": {"type": "string"}, "\\u0001": {"type": "string"}}}')
  told = json.loads(convert("json-schema", "a.json", "--json", "-o", "out.json", folder=tmp_path).stdout)
  assert (told["settings"], told["losing"]) == (3, 2)
  assert ("z", "`required` names it, and nothing else is said of it") in {(loss["setting"], loss["message"]) for loss in told["losses"]}


def test_where_json_is_none_is_told(tmp_path: pathlib.Path) -> None:
  (tmp_path / "a.json").write_text('{"properties": {\n  "x": {"type": "number",\n  "default": NaN}}}')
  failed = convert("json-schema", "a.json", folder=tmp_path)
  assert failed.returncode == 4 and failed.stderr == "a.json:3: column 14: NaN is no JSON\n"

"""Schemas are checked and applied with a report; settings go in and out as JSON and property lists."""

import json
import plistlib

import livery
import pytest
from conftest import FIXTURES, OPEN

V1 = (FIXTURES / "asm" / "SettingsSchema.v1.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
  "document", [V1, V1.encode(), bytearray(V1.encode()), json.loads(V1)], ids=lambda d: type(d).__name__
)
def test_a_schema_is_text_bytes_or_a_dict(store, document):
  assert store.schema_version == 0
  with pytest.raises(livery.NoValueError):
    store.schema_json()
  report = store.apply_schema(document, origin="console")
  assert report["applied"] is True and report["version"] == 1 and report["previousVersion"] == 0
  assert "adminPassword" in report["added"] and report["rejected"] == []
  assert store.schema_version == 1
  assert json.loads(store.schema_json()) == json.loads(V1)
  assert store.inspect("ProgressIndicator")["layers"][0]["origin"] == "console"


def test_the_same_schema_again_changes_nothing_and_another_is_drift(store):
  store.apply_schema(V1)
  revision = store.revision
  again = store.apply_schema(json.dumps(json.loads(V1)))
  assert not again["applied"] and not again["drift"] and store.revision == revision
  other = json.loads(V1)
  other["Groups"][0]["Title"] = "Other"
  drift = store.apply_schema(other)
  assert not drift["applied"] and drift["drift"] and store.revision == revision


@pytest.mark.parametrize("wrong", [{"c": livery.Color.from_hex("#336699")}, {"list": [{"c": livery.Color(1, 0, 0, 1)}]}, {1: 2}])
def test_what_json_would_take_for_something_else_is_refused(store, wrong):
  revision = store.revision
  with pytest.raises(livery.InvalidValueError, match="cannot be written as JSON"):
    store.import_json(wrong)
  assert store.revision == revision


def test_a_lower_version_is_newer_here(store):
  store.apply_schema({**OPEN, "Version": 3})
  with pytest.raises(livery.SchemaNewerError) as caught:
    store.apply_schema(OPEN)
  assert caught.value.report["previousVersion"] == 3
  with pytest.raises(livery.SchemaNewerError):
    store.check_schema(OPEN)


def test_broken_json_is_a_parse_error_with_a_place(store):
  text = '{\n  "Version": 1,\n  "Groups" []\n}'
  for attempt in (store.apply_schema, store.check_schema, livery.check_schema, store.import_json):
    with pytest.raises(livery.ParseError) as caught:
      attempt(text)
    assert caught.value.line == 3 and caught.value.column >= 1 and isinstance(caught.value, ValueError)
  assert store.schema_version == 0


def test_a_broken_schema_gives_a_full_report(store):
  schema = {
    "Version": 1,
    "Groups": [
      {
        "Title": "G",
        "Settings": [
          {"Type": "TextField", "Title": "A", "Key": "a", "Value": "x"},
          {"Type": "TextField", "Title": "A", "Key": "a", "Value": "x"},
          {"Type": "Number", "Title": "N", "Key": "n", "Format": "integer", "Value": 5, "Maximum": 1},
        ],
      }
    ],
  }
  for attempt in (store.apply_schema, store.check_schema, livery.check_schema):
    with pytest.raises(livery.SchemaInvalidError) as caught:
      attempt(schema)
    errors = [found for found in caught.value.report["diagnostics"] if found["severity"] == "error"]
    assert len(errors) >= 2
    assert all(found["pointer"].startswith("/Groups/0/Settings/") and found["line"] >= 1 for found in errors)
  assert store.schema_version == 0


def test_checking_applies_nothing(store):
  report = store.check_schema(V1)
  assert not report["applied"] and "duration" in report["added"] and store.schema_version == 0
  assert livery.check_schema(V1)["diagnostics"] == []


def test_a_misspelling_gets_a_hint():
  schema = json.loads(V1)
  schema["Groups"][1]["Settings"][1]["Defualt"] = ""
  report = livery.check_schema(schema)
  assert any("Defualt" in found["message"] and found["severity"] == "warning" for found in report["diagnostics"])


@pytest.mark.parametrize("document", [{"Version": float("nan")}, {"Version": object()}, "\ud800"], ids=str)
def test_documents_that_are_no_json(store, document):
  for attempt in (store.apply_schema, store.import_json, livery.check_schema):
    with pytest.raises(livery.InvalidValueError):
      attempt(document)


@pytest.mark.parametrize("document", [None, 1, ["a"]], ids=str)
def test_documents_of_other_types(store, document):
  for attempt in (store.apply_schema, store.import_json, store.import_plist, livery.check_schema):
    with pytest.raises(TypeError):
      attempt(document)


@pytest.mark.parametrize(
  "garbage", [b"", b"\xff", b"\0", b"[" * 100_000, b'{"Version":' + b"9" * 400 + b"}", b"bplist00" + b"\xff" * 64]
)
def test_garbage_is_refused(store, garbage):
  for attempt in (store.apply_schema, store.import_json, store.import_plist, livery.check_schema):
    with pytest.raises(livery.LiveryError):
      attempt(garbage)
  assert store.revision == 0


def test_an_export_imported_gives_the_same_store_back(kiosk, tmp_path):
  kiosk.set("mediaUrl", "https://media.example/brand.mp4", "bundle")
  everything = kiosk.export_json(layers=True)
  with livery.open(tmp_path / "other", create=True) as other:
    other.apply_schema(V1)
    report = other.import_json(everything)
    assert report["imported"] == 7
    assert other.settings() == kiosk.settings()
    assert other.export_json() == kiosk.export_json()
    bundled = [layer for layer in other.inspect("mediaUrl")["layers"] if layer["layer"] == "bundle"]
    assert bundled[0]["value"] == "https://media.example/brand.mp4"


def test_exports_are_json(kiosk):
  effective = json.loads(kiosk.export_json())
  assert effective["Version"] == 1 and effective["Values"] == kiosk.settings()["Values"]
  assert "\n" in kiosk.export_json(pretty=True)
  assert json.loads(kiosk.export_json(pretty=True)) == effective
  assert kiosk.export_json() == kiosk.export_json()


def test_a_partial_import_skips_what_is_invalid(declared):
  values = {"volume": 500, "title": "Fine", "nothing": 1}
  with pytest.raises(livery.LiveryError) as caught:
    declared.import_json(values)
  assert {found["name"] for found in caught.value.report["diagnostics"]} == {"volume", "nothing"}
  assert declared["title"] == "Welcome"
  report = declared.import_json(values, partial=True)
  assert report["imported"] == 1 and declared["title"] == "Fine" and declared["volume"] == 50


def test_what_an_import_replaces_counts_whatever_the_operator_has_set(declared):
  declared.set("volume", 3)
  declared.import_json({"volume": 4}, "recommended")
  assert declared["volume"] == 3
  declared.import_json({"volume": 4}, replace=True)
  assert declared["volume"] == 4 and declared.inspect("volume")["layers"][0]["layer"] == "recommended"
  declared.set("volume", 5)
  declared.import_plist(plistlib.dumps({"volume": 6}), replace=True)
  assert declared["volume"] == 6
  with pytest.raises(livery.InvalidArgumentError):
    declared.import_json(declared.export_json(layers=True), replace=True)


@pytest.mark.parametrize("form", [plistlib.FMT_XML, plistlib.FMT_BINARY], ids=["xml", "binary"])
def test_property_lists_go_in(declared, form):
  report = declared.import_plist(plistlib.dumps({"volume": 7, "sound": False}, fmt=form), "bundle")
  assert report["imported"] == 2
  assert declared["volume"] == 7 and declared["sound"] is False
  assert declared.list("volume")[0]["layer"] == "bundle"


def test_an_export_that_is_malformed_names_the_setting(kiosk):
  everything = json.loads(kiosk.export_json(layers=True))
  for member, value in (("origin", 5), ("origin", "x" * 64), ("origin", "a\nb"), ("setAside", "yes"), ("asSet", 1)):
    layers = {"user": {"duration": {"value": 3, member: value}}}
    with pytest.raises(livery.ParseError, match=f"`{member}` of `duration` is malformed"):
      kiosk.import_json({**everything, "Layers": layers})


def test_an_export_has_values_or_layers(kiosk):
  everything = json.loads(kiosk.export_json(layers=True))
  assert kiosk.import_json({**everything, "Values": {"duration": 3}, "Note": "x"})["ignored"] == ["Values", "Note"]
  assert "ignored" not in kiosk.import_json(everything)


@pytest.mark.parametrize("text, line", [("{\n", 2), ("[1,\n", 2), ('{"a":\n\n', 3)])
def test_columns_count_from_one_also_at_the_end(store, text, line):
  with pytest.raises(livery.ParseError) as caught:
    store.import_json(text)
  assert (caught.value.line, caught.value.column) == (line, 1)


def test_what_is_exported_can_be_imported_however_many_values_it_has():
  with livery.open(memory=True) as store, livery.open(memory=True) as other:
    store.set("list", [1] * 1_048_570)
    with pytest.raises(livery.InvalidValueError, match="larger than 1048576 bytes"):
      store.set("list", [1] * 1_048_575)
    other.import_json(store.export_json())
    assert len(other["list"]) == 1_048_570


def test_an_import_passes_over_what_is_barred_and_in_effect_alone():
  with livery.open(memory=True, allow_override=True) as store:
    store.set("a", 3, layer="enforced")
    assert store.import_json({"a": 3})["imported"] == 0
    with pytest.raises(livery.LockedError):
      store.import_json({"a": 4})
    # What is missing is missing, whatever is in effect.
    store.set("b", 3, layer="recommended")
    with pytest.raises(livery.InvalidValueError, match="expiry"):
      store.import_json({"b": 3}, layer="override")


def test_of_many_names_that_there_are_not_some_are_explained():
  with livery.open(memory=True) as store:
    store.apply_schema({"Version": 1, "Groups": [{"Title": "All", "Settings": [
      {"Type": "TextField", "Title": "T", "Key": f"setting{number}"} for number in range(50)]}]})
    report = store.import_json({f"settin{number}": 1 for number in range(50)}, partial=True)
    messages = [one["message"] for one in report["diagnostics"]]
    assert len(messages) == 50 and all("there is no setting" in one for one in messages)
    assert sum("did you mean" in one for one in messages) == 20


def test_a_bundle_that_is_a_file_is_none(tmp_path):
  with livery.open(memory=True) as store:
    with pytest.raises(livery.NotFoundError, match="no directory"):
      store.branding.apply_plist(b'<plist version="1.0"><dict><key>Toolbar</key><string>#123</string>'
                                 b'<key>PrimaryiPad</key><string>x.png</string></dict></plist>', bundle="/etc/hostname")


def test_what_an_item_lacks_counts_as_its_default_for_unique_members():
  members = [{"Type": "TextField", "Title": "PIN", "Key": "pin", "Value": "0000"}, {"Type": "TextField", "Title": "Name", "Key": "name"}]
  with livery.open(memory=True) as store:
    store.apply_schema({"Version": 1, "Groups": [{"Title": "All", "Settings": [
      {"Type": "List", "Title": "Staff", "Key": "staff", "UniqueBy": "pin", "ItemTemplate": members}]}]})
    store.set("staff", [{"name": "Eva"}, {"pin": "1234"}])
    for items in ([{"name": "Eva"}, {"name": "Nils"}], [{"name": "Eva"}, {"pin": "0000"}]):
      with pytest.raises(livery.InvalidValueError, match="`pin` is \"0000\", as in an item before"):
        store.set("staff", items)
    store.set("staff", [])


def test_a_value_that_is_not_of_the_type_that_is_said_of_it_is_one_refusal(store):
  text = '{"Version": 0, "Values": {"good": 1, "when": "soon"}, "Types": {"when": "date"}}'
  with pytest.raises(livery.TypeMismatchError, match="expected date, found a string"):
    store.import_json(text)
  report = store.import_json(text, partial=True)
  assert report["imported"] == 1 and store["good"] == 1 and "when" not in store
  assert [one["name"] for one in report["diagnostics"]] == ["when"]
  assert store.import_json(text.replace('"date"', '"sealed"'), partial=True)["imported"] == 1
  with pytest.raises(livery.ParseError, match="`type` of `when`"):
    store.import_json(text.replace('"date"', '"dates"'), partial=True)

"""A form has what a person may set, as the schema and the store have it; no secret is in it."""

import json

import livery
import pytest
from conftest import FIXTURES
from livery import Layer

SCHEMA = {
  "Version": 1,
  "Title": "Kiosk",
  "Groups": [
    {
      "Title": "Screen",
      "Settings": [
        {"Type": "Number", "Format": "integer", "Title": "Brightness", "Key": "brightness", "Value": 80, "Unit": "%"},
        {"Type": "Pane", "Title": "Idle", "Settings": [
          {"Type": "ToggleSwitch", "Title": "Saver", "Key": "saver", "Value": False},
          {"Type": "TextField", "Title": "Trace", "Key": "trace", "Hidden": True}]},
        {"Type": "TextField", "Title": "PIN", "Key": "pin", "Class": ["Password"], "Value": "hush-0"},
      ],
    }
  ],
  "Texts": {"de": {"Screen": "Bildschirm", "Brightness": "Helligkeit", "Idle": "Leerlauf", "Saver": "Schoner",
                   "Trace": "Spur", "PIN": "PIN", "Kiosk": "Kiosk"}},
}


@pytest.fixture
def shown(store):
  store.apply_schema(SCHEMA)
  return store


def names(elements):
  for element in elements:
    if "name" in element:
      yield element["name"]
    yield from names(element.get("elements", ()))


def test_it_is_in_the_schemas_order(shown):
  form = shown.form()
  assert form["title"] == "Kiosk" and form["version"] == 1 and form["revision"] == shown.revision
  assert form["layer"] == "user" and form["languages"] == ["de"] and "locale" not in form
  (group,) = form["groups"]
  assert [element["kind"] for element in group["elements"]] == ["integer", "pane", "secret"]
  assert list(names(group["elements"])) == ["brightness", "saver", "pin"]
  assert list(names(shown.form(hidden=True)["groups"][0]["elements"])) == ["brightness", "saver", "trace", "pin"]


def test_it_says_how_things_are(shown):
  shown.set("brightness", 50)
  element = shown.form()["groups"][0]["elements"][0]
  assert element["value"] == 50 and element["default"] == 80 and element["unit"] == "%"
  assert element["layer"] == "user" and not element["isDefault"] and element["hasOwnValue"] and element["writable"]
  with shown.change("enforced") as change:
    change["brightness"] = 20
  element = shown.form()["groups"][0]["elements"][0]
  assert element["value"] == 20 and element["reason"] == "locked" and element["lockedBy"] == "enforced"
  element = shown.form(layer=Layer.ENFORCED)["groups"][0]["elements"][0]
  assert element["writable"] and "reason" not in element
  assert shown.form(layer="recommended")["layer"] == "recommended"


def test_texts_are_in_the_language_asked_for(shown):
  form = shown.form(locale="de-AT")
  assert form["locale"] == "de"
  assert form["groups"][0]["title"] == "Bildschirm" and form["groups"][0]["elements"][0]["title"] == "Helligkeit"
  assert shown.search("helligkeit", locale="de")["total"] == 1 and shown.search("helligkeit")["total"] == 0
  for locale in ("", "d", "de at", "de\0"):
    with pytest.raises(livery.InvalidArgumentError):
      shown.form(locale=locale)


def test_no_secret_is_in_it(shown):
  shown.set("pin", "hush-1")
  assert "hush" not in repr(shown.form(hidden=True)) and shown.form()["groups"][0]["elements"][2]["isSet"] is True
  for word in ("hush", "hush-0", "hush-1"):
    assert shown.search(word, hidden=True) == {"revision": 2, "total": 0, "results": []}


def test_other_texts_alone_are_drift(shown):
  other = json.loads(json.dumps(SCHEMA))
  other["Texts"]["de"]["Screen"] = "Schirm"
  report = shown.apply_schema(other)
  assert report["drift"] and not report["applied"]
  assert shown.form(locale="de")["groups"][0]["title"] == "Bildschirm"
  other["Version"] = 2
  assert shown.apply_schema(other)["applied"]
  assert shown.form(locale="de")["groups"][0]["title"] == "Schirm"
  assert shown.search("schirm", locale="de")["results"][0]["group"][0] == "Schirm"


def test_the_sample_schemas_have_forms(store):
  for version in (1, 2, 3):
    schema = json.loads((FIXTURES / "asm" / f"SettingsSchema.v{version}.json").read_text(encoding="utf-8"))
    store.apply_schema(schema)
    form = store.form()
    assert [group["title"] for group in form["groups"]] == [group["Title"] for group in schema["Groups"]]
    assert all(result["name"] for result in store.search("media")["results"])


def test_a_match_can_be_cut_out(shown):
  (result,) = shown.search("BRIGHT ness")["results"]
  cut = [match["text"].encode()[match["offset"]:match["offset"] + match["length"]].decode()
         for match in result["matches"] if match["field"] == "title"]
  assert cut == ["Bright", "ness"] and result["group"] == ["Screen"] and result["value"] == 80


def test_a_closed_store_has_none(shown):
  shown.close()
  with pytest.raises(livery.ClosedError):
    shown.form()
  with pytest.raises(livery.ClosedError):
    shown.search("a")

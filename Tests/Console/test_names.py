"""Settings that have several names: aliases, and the name that another version of the schema has for them."""

import copy
import hashlib
import json

import publisher
from conftest import SCHEMA, join


def schema(version, key="volume", *aliases, **more):
  made = copy.deepcopy(SCHEMA)
  made["Version"] = version
  made["Groups"][0]["Settings"][0].update({"Key": key, "Aliases": list(aliases), **more})
  made["Groups"][0]["Settings"][2]["Aliases"] = ["pin"]
  return made


def change(console, *settings, expected=200):
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  listed = [{"name": name, "verb": verb, "value": value} for name, verb, value in settings]
  return console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": listed}, expected)


def test_what_is_renamed_is_the_same_setting(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 40), ("welcomeText", "recommend", "Hello"))
  assert device.report().status == 204
  console.api("POST", "schemas", schema(2, "loudness", "volume"), 201)
  # It is said, by its new name, and what the device tells by the former one is that.
  draft = console.api("GET", "channels/fleet/draft")
  assert [(one["name"], one["value"]) for one in draft["settings"]] == [("loudness", 40), ("welcomeText", "Hello")]
  told = console.api("GET", "devices/" + device.id)["settings"]
  assert [(one["name"], one["decidedBy"]) for one in told] == [
    ("volume", "enforced by publication 1 of fleet"), ("welcomeText", "recommended by publication 1 of fleet")]
  # Whoever asks may use either.
  for name in ("volume", "loudness"):
    asked = console.api("GET", f"devices/{device.id}/settings/{name}")
    assert (asked["name"], asked["value"]) == ("volume", 40)
    assert "volume = 40: enforced by publication 1 of fleet" in console.run("explain", device.id, name)
    assert console.json("explain", device.id, name) == asked
  assert console.ask("GET", f"/api/v1/devices/{device.id}/settings/noise").status == 404
  console.run("explain", device.id, "noise", expected=3)
  # As long as nobody changes it, it is published as devices with either schema know it.
  console.set("fleet", ("welcomeText", "recommend", "Hi"))
  assert device.pull() == {"volume": ("enforce", 40), "welcomeText": ("recommend", "Hi")}
  change(console, ("loudness", "enforce", 70))
  difference = console.api("GET", "channels/fleet/difference")
  assert [(one["name"], one["before"]["value"], one["after"]["value"], one["devices"]) for one in difference["settings"]] == [
    ("loudness", 40, 70, 1)]
  number = console.api("POST", "channels/fleet/publications", {"revision": difference["revision"], "steps": [100, 10000]}, 201)["number"]
  while console.api("GET", f"publications/{number}")["state"] == "rolling":
    console.api("POST", f"publications/{number}/raise", {})
  assert device.pull() == {"loudness": ("enforce", 70), "welcomeText": ("recommend", "Hi")}
  assert device.report(schema=2).status in (200, 204)
  told = console.api("GET", "devices/" + device.id)["settings"]
  assert [one["name"] for one in told] == ["loudness", "welcomeText"]
  console.api("POST", f"publications/{number}/undo", {})
  assert device.pull()["volume"] == ("enforce", 40) and "loudness" not in device.pull()


def test_what_rolls_out_by_a_new_name_is_not_released_by_the_former_one(console):
  devices = join(console, 2)
  console.set("fleet", ("volume", "enforce", 40))
  console.api("POST", "schemas", schema(2, "loudness", "volume"), 201)
  console.set("fleet", ("loudness", "enforce", 70), steps=[1, 10000])
  for device in devices:
    for _, document in device.wanted():
      assert [one["verb"] for one in document["settings"]] == ["enforce"]


def test_an_alias_is_the_setting(console):
  console.api("POST", "schemas", schema(2, "volume", "vol"), 201)
  change(console, ("vol", "enforce", 11))
  change(console, ("volume", "recommend", 30))
  assert [(one["name"], one["value"]) for one in change(console)["settings"]] == [("volume", 30)]
  assert [(one["name"], one["verb"]) for one in change(console, ("vol", "enforce", 12))["settings"]] == [("volume", "enforce")]
  assert "there twice: also as vol" in change(console, ("vol", "enforce", 1), ("volume", "enforce", 2), expected=422)["detail"]
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  console.api("PUT", "channels/fleet/draft", {"revision": revision, "settings": [{"name": "vol", "verb": "enforce", "value": 13}]})
  assert console.sql("SELECT name FROM draft_settings") == [["vol"]]
  console.run("draft", "unset", "fleet", "volume")
  assert console.api("GET", "channels/fleet/draft")["settings"] == []


def test_a_secret_is_one_by_each_of_its_names(console):
  console.api("POST", "schemas", schema(2), 201)
  shown = change(console, ("pin", "enforce", "4711"))
  assert shown["settings"] == [{"name": "servicePin", "written": "pin", "verb": "enforce", "secret": True}]
  assert "4711" not in json.dumps(console.api("GET", "channels/fleet/difference"))
  assert "4711" not in json.dumps(console.api("GET", "history"))
  # And by the name that it has in a later version, though that does not call it secret.
  later = schema(3)
  later["Groups"][0]["Settings"][2] = {"Type": "TextField", "Title": "PIN", "Key": "code", "Aliases": ["pin", "servicePin"]}
  console.api("POST", "schemas", later, 201)
  assert console.api("GET", "channels/fleet/draft")["settings"] == [
      {"name": "code", "written": "pin", "verb": "enforce", "secret": True}]


def test_what_the_present_schema_does_not_take_is_told_and_not_newly_published(console):
  device, = join(console)
  console.set("fleet", ("welcomeText", "recommend", "Hello"))
  change(console, ("volume", "enforce", 95))
  later = schema(2, Maximum=50)
  del later["Groups"][0]["Settings"][1]
  console.api("POST", "schemas", later, 201)
  difference = console.api("GET", "channels/fleet/difference")
  assert [one["name"] for one in difference["unfit"]] == ["volume", "welcomeText"]
  assert "does not fit the present schema: " in console.run("diff")
  refused = console.api("POST", "channels/fleet/publications", {"revision": difference["revision"]}, 422)
  assert "volume" in refused["detail"] and "50" in refused["detail"]
  assert "volume" in console.run("publish", expected=4)
  # What is said already is there for devices whose schema has it.
  console.set("fleet", ("volume", "enforce", 30))
  assert device.pull() == {"volume": ("enforce", 30), "welcomeText": ("recommend", "Hello")}
  assert [one["name"] for one in console.api("GET", "channels/fleet/difference")["unfit"]] == ["welcomeText"]


def test_who_has_chosen_something_else_is_not_counted_for_a_recommendation(console):
  device, other = join(console, 2)
  for one, layer in ((device, "user"), (other, "bundle")):
    value = {"name": "volume", "layer": layer, "value": 80}
    assert one.report(values=[value], digest=digest(value)).status == 204
  change(console, ("volume", "recommend", 30))
  assert console.api("GET", "channels/fleet/difference")["changed"] == 1
  change(console, ("volume", "enforce", 30))
  assert console.api("GET", "channels/fleet/difference")["changed"] == 2


def digest(*values):
  return hashlib.sha256(b"".join(hashlib.sha256(publisher.cbor(one)).digest()[:8] for one in values)).digest()

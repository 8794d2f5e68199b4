"""A fleet from its first day on: over HTTP and by the command, with devices that verify all that they read."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.parse

import pytest
import read_sync
from conftest import PROGRAM, Console, Device, join, wait


def test_history_cuts_no_character(console):
  for before in range(4):
    console.run("draft", "set", "fleet", "recommend", "welcomeText", "x" * before + "\u00e4\u20ac\U0001f600" * 12)
  told = console.run("history")
  assert "\ufffd" not in told and told.count("\u2026") >= 4


def test_history_has_no_secret(console):
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [
    {"name": "servicePin", "verb": "enforce", "value": "hunter22"}, {"name": "volume", "verb": "enforce", "value": 4}]})
  line = console.api("GET", "history")["items"][0]
  assert "servicePin" in line["detail"] and "hunter22" not in line["detail"] and "enforce 4" in line["detail"]


def test_a_secret_is_shown_to_nobody(console):
  device, = join(console)
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  draft = console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [
    {"name": "servicePin", "verb": "enforce", "value": "hunter22"}, {"name": "volume", "verb": "enforce", "value": 4}]})
  assert {"name": "servicePin", "verb": "enforce", "secret": True} in draft["settings"]
  told = [draft, console.api("GET", "channels/fleet/draft"), console.api("GET", "channels/fleet/difference"),
          console.run("draft", "show", "fleet", "--json"), console.run("draft", "show"), console.run("diff"), console.run("diff", "--json")]
  console.api("POST", "channels/fleet/publications", {"revision": draft["revision"]}, 201)
  # Devices get it, and it is not lost when others are changed.
  assert device.pull()["servicePin"] == ("enforce", "hunter22")
  device.report()
  told += [console.api("GET", "devices/" + device.id), console.run("explain", device.id, "--json"),
           console.api("GET", "publications/1"), console.api("GET", "history")]
  console.set("fleet", ("volume", "enforce", 5))
  assert device.pull()["servicePin"] == ("enforce", "hunter22")
  assert all("servicePin" in str(one) for one in told[:7])
  for one in told[:7] + told[9:]:
    assert "hunter22" not in str(one), one


def test_a_value_comes_to_a_device_and_its_report_back(console):
  device, = join(console)
  published = console.set("fleet", ("volume", "recommend", 30), ("welcomeText", "enforce", "Hello"), comment="first")
  assert published["state"] == "complete"
  assert device.pull() == {"volume": ("recommend", 30), "welcomeText": ("enforce", "Hello")}
  assert device.report().status == 204
  told = console.api("GET", "devices/" + device.id)
  assert told["state"] == "right"
  decided = {one["name"]: one for one in told["settings"]}
  assert decided["volume"]["value"] == 30 and decided["volume"]["layer"] == "recommended"
  assert decided["welcomeText"]["decidedBy"] == f"enforced by publication {published['number']} of fleet"
  assert decided["welcomeText"]["author"] == "eva"
  # The command tells the same.
  assert "enforced by publication" in console.run("explain", device.id, "welcomeText")
  assert console.json("explain", device.id, "welcomeText") == console.api("GET", f"devices/{device.id}/settings/welcomeText")
  assert console.json("explain", device.id) == console.json("device", "show", device.id) == told


def test_the_folder_has_what_the_console_delivers(console):
  join(console)
  console.set("fleet", ("volume", "enforce", 3))
  for file in ("v1/keys/latest", "v1/keys/1", "v1/channels/fleet/manifest"):
    assert (console.published / file).read_bytes() == console.ask("GET", "/" + file, token=False).body
  for blob in (console.published / "v1/blobs").iterdir():
    assert hashlib.sha256(blob.read_bytes()).hexdigest() == blob.name


def test_a_request_that_changes_nothing_is_answered_304(console):
  first = console.ask("GET", "/v1/channels/fleet/manifest", token=False)
  again = console.ask("GET", "/v1/channels/fleet/manifest", headers={"If-None-Match": first.headers["ETag"]}, token=False)
  assert again.status == 304 and again.body == b""
  assert "immutable" in console.ask("GET", "/v1/keys/1", token=False).headers["Cache-Control"]


def test_groups_go_over_the_fleet_and_the_device_over_both(console):
  for group in ("lobby", "shop"):
    console.api("POST", "groups", {"name": group}, 201)
  device, = join(console, groups=["shop", "lobby"])
  console.set("fleet", ("volume", "recommend", 1))
  console.set("group.shop", ("volume", "recommend", 3))
  console.set("group.lobby", ("volume", "recommend", 2))
  assert device.manifest("device." + device.id)["groups"] == ["lobby", "shop"]
  assert device.pull()["volume"] == ("recommend", 3)
  assert device.manifest("fleet")["versions"]["shop"] == device.manifest("group.shop")["version"]
  assert console.run("group", "up", "shop") == "moved group shop\n"
  assert console.run("group", "up", "shop") == "group shop is the weakest already\n"
  assert console.run("group", "down", "lobby") == "group lobby is the strongest already\n"
  assert device.pull()["volume"] == ("recommend", 2)
  console.set("device." + device.id, ("volume", "enforce", 9))
  assert device.pull()["volume"] == ("enforce", 9)
  console.api("PATCH", "devices/" + device.id, {"groups": []})
  assert "groups" not in device.manifest("device." + device.id)


def test_a_group_that_is_removed_says_nothing_any_more(console):
  console.api("POST", "groups", {"name": "lobby"}, 201)
  device, = join(console, groups=["lobby"])
  console.set("group.lobby", ("volume", "enforce", 2))
  assert device.pull()["volume"] == ("enforce", 2)
  console.api("DELETE", "groups/lobby", expected=204)
  assert device.pull() == {}
  console.api("POST", "groups", {"name": "lobby"}, 201)
  console.api("PATCH", "devices/" + device.id, {"groups": ["lobby"]})
  assert device.pull() == {}
  assert console.api("GET", "channels/group.lobby/draft")["settings"] == []


def test_who_saves_names_what_was_seen(console):
  draft = console.api("GET", "channels/fleet/draft")
  change = {"revision": draft["revision"], "settings": [{"name": "volume", "verb": "enforce", "value": 5}]}
  console.api("PATCH", "channels/fleet/draft", change)
  refused = console.ask("PATCH", "/api/v1/channels/fleet/draft", change)
  assert refused.status == 409 and refused.headers["Content-Type"] == "application/problem+json"
  tag = console.ask("GET", "/api/v1/channels/fleet/draft").headers["ETag"]
  by_tag = console.ask("PATCH", "/api/v1/channels/fleet/draft", {"settings": [{"name": "volume"}]}, {"If-Match": tag})
  assert by_tag.status == 200 and by_tag.json["settings"] == []


def test_what_the_schema_has_against_a_value_is_told_with_its_place(console):
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  bad = {"revision": revision, "settings": [{"name": "volume", "verb": "enforce", "value": 500}]}
  refused = console.ask("PATCH", "/api/v1/channels/fleet/draft", bad)
  assert refused.status == 422 and refused.json["pointer"] == "/settings/0/value" and "volume" in refused.json["detail"]
  bad["settings"][0]["name"] = "nothing"
  refused = console.ask("PATCH", "/api/v1/channels/fleet/draft", bad)
  assert refused.status == 422 and refused.json["pointer"] == "/settings/0/name"


def test_a_replaced_value_keeps_its_number_as_long_as_it_stays(console):
  device, = join(console)

  def serial():
    return next(one["serial"] for _, document in device.wanted() for one in document["settings"] if one["name"] == "volume")

  console.set("fleet", ("volume", "replace", 7))
  first = serial()
  console.set("fleet", ("welcomeText", "recommend", "Hi"))
  assert serial() == first
  console.set("fleet", ("volume", "replace", 8))
  assert serial() > first


def test_undo_brings_back_what_was_there(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 1))
  number = console.set("fleet", ("volume", "enforce", 2))["number"]
  undone = console.api("POST", f"publications/{number}/undo", {})
  assert device.pull()["volume"] == ("enforce", 1)
  assert console.api("GET", f"publications/{number}")["state"] == "undone"
  assert undone["number"] > number
  assert [line["what"] for line in console.api("GET", "history")["items"]][0] == f"undid publication {number}"


def refused(document):
  return any(one.get("value") == 99 for one in document["settings"])


@pytest.mark.parametrize("by_itself", [False, True])
def test_what_has_failed_stays_with_what_was_stopped(console, by_itself):
  devices = join(console, 4)
  console.set("fleet", ("volume", "enforce", 10))
  bound = 0 if by_itself else 10000
  number = console.set("fleet", ("volume", "enforce", 99), steps=[9999, 10000], pause=3600, bound=bound)["number"]
  for device in devices:
    assert device.report(refuses=refused).status in (200, 204)
  if not by_itself:
    console.api("POST", f"publications/{number}/stop", {})
  stopped = wait(lambda: (told := console.api("GET", f"publications/{number}"))["state"] == "stopped" and told)
  assert stopped["failed"] == len(stopped["failures"]) >= 1
  assert by_itself or (stopped["failed"], stopped["expected"]) == (4, 4)
  assert "it is too loud" in stopped["failures"][0]["problem"]
  # Devices have something else by now, and are well.
  for device in devices:
    assert device.report().status in (200, 204)
    assert console.api("GET", "devices/" + device.id)["state"] == "right"
  assert console.api("GET", f"publications/{number}") == stopped
  assert "it is too loud" in console.run("rollout", "show", str(number))
  # It goes on with what they tell from then on.
  assert console.api("POST", f"publications/{number}/resume", {})["failed"] == 0


def test_what_is_removed_stops_what_rolls_out_in_it(console):
  console.api("POST", "groups", {"name": "lobby"}, 201)
  device, = join(console, groups=["lobby"])
  numbers = []
  for channel in ("group.lobby", "device." + device.id):
    console.set(channel, ("volume", "enforce", 10))
    numbers.append(console.set(channel, ("volume", "enforce", 99), steps=[9999, 10000], pause=3600, bound=10000)["number"])
  assert device.report(refuses=refused).status in (200, 204)
  console.api("DELETE", "groups/lobby", expected=204)
  console.api("DELETE", "devices/" + device.id, expected=204)
  for number, what in zip(numbers, ("group", "device")):
    told = console.api("GET", f"publications/{number}")
    assert told["state"] == "stopped" and told["reason"] == f"the {what} was removed" and told["failed"] == 1
  assert console.api("GET", "status")["rolling"] == 0 and device.pull() == {"volume": ("enforce", 10)}


def test_a_session_that_cannot_be_ended_is_not_said_to_be(tmp_path):
  console = Console(tmp_path).make().serve()
  try:
    place = "/api/v1/session"
    signed = console.ask("POST", place, {"name": "eva", "password": "correct horse"}, token=False)
    own = {"Cookie": signed.headers["Set-Cookie"].split(";")[0], "X-Livery-CSRF": signed.json["csrf"]}
    with contextlib.closing(sqlite3.connect(console.state / "console.db", isolation_level=None)) as database:
      database.execute("BEGIN IMMEDIATE")
      busy = console.ask("DELETE", place, headers=own, token=False)
      assert busy.status == 503 and "Set-Cookie" not in busy.headers
      database.execute("COMMIT")
    assert console.ask("GET", place, headers=own, token=False).status == 200
    without = console.ask("DELETE", place, headers={"Cookie": own["Cookie"]}, token=False)
    assert without.status == 403 and "X-Livery-CSRF" in without.json["detail"]
    assert console.ask("DELETE", place, headers=own, token=False).status == 204
    assert console.ask("GET", place, headers=own, token=False).status == 401
  finally:
    console.stop()


def test_a_device_is_removed_also_where_nothing_can_be_signed(console):
  device, = join(console)
  channel = "device." + device.id
  console.set(channel, ("volume", "enforce", 10))
  numbers = [console.set(channel, ("volume", "enforce", 20), **{"from": int(time.time()) + 3600})["number"],
             console.set(channel, ("volume", "enforce", 99), steps=[9999, 10000], pause=3600)["number"]]
  other = console.folder / "other"
  console.run("keys", "make", other)
  signing = console.state / "signing.key"
  former = signing.read_bytes()
  signing.chmod(0o600)
  signing.write_bytes(other.read_bytes())
  try:
    draft = console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [{"name": "volume", "verb": "enforce", "value": 1}]})
    refused = console.ask("POST", "/api/v1/channels/fleet/publications", {"revision": draft["revision"]})
    assert refused.status in (409, 503)
    console.api("DELETE", "devices/" + device.id, expected=204)
  finally:
    signing.write_bytes(former)
  for number in numbers:
    assert console.api("GET", f"publications/{number}")["state"] == "stopped", number
  assert console.api("GET", "status")["rolling"] == 0


def test_a_bad_rollout_stops_at_its_first_step(console):
  devices = join(console, 12)
  console.set("fleet", ("volume", "enforce", 10))
  rolling = console.set("fleet", ("volume", "enforce", 99), steps=[4000, 10000], pause=3600, bound=1000)
  assert rolling["state"] == "rolling"
  taken = [device for device in devices if device.pull()["volume"] == ("enforce", 99)]
  expected = console.api("GET", f"publications/{rolling['number']}")["expected"]
  assert len(taken) == expected < 12
  if not taken:
    pytest.skip("chance has drawn no device: 1 of 459")
  for device in taken:
    answer = device.report(refuses=lambda document: any(one.get("value") == 99 for one in document["settings"]))
    assert answer.status in (200, 204)
  stopped = wait(lambda: (told := console.api("GET", f"publications/{rolling['number']}"))["state"] == "stopped" and told)
  assert "failed" in stopped["reason"]
  assert all(device.pull()["volume"] == ("enforce", 10) for device in devices)
  assert console.api("GET", "history")["items"][0]["author"] == "console"
  # It was mended: it goes on, and comes to its end.
  console.run("rollout", "resume", str(rolling["number"]))
  console.run("rollout", "raise", str(rolling["number"]))
  assert all(device.pull()["volume"] == ("enforce", 99) for device in devices)


def test_the_first_step_has_each_version_of_the_schema(console):
  devices = join(console, 12)
  console.set("fleet", ("volume", "enforce", 10))
  for device in devices:
    assert device.report(schema=2 if device is devices[7] else 1).status in (200, 204)
  for number in range(20, 25):
    rolling = console.set("fleet", ("volume", "enforce", number), steps=[1500, 10000], pause=3600)["number"]
    taken = [device for device in devices if device.pull()["volume"] == ("enforce", number)]
    assert devices[7] in taken and len(taken) > 1
    console.api("POST", f"publications/{rolling}/stop", {})


def test_a_first_step_finds_versions_that_few_devices_have(console):
  devices = join(console, 12)
  console.set("fleet", ("volume", "enforce", 10))
  for index, device in enumerate(devices):
    assert device.report(schema=max(1, index - 8)).status in (200, 204)
  console.set("fleet", ("volume", "enforce", 20), steps=[500, 10000], pause=3600)
  taken = [device for device in devices if device.pull()["volume"] == ("enforce", 20)]
  assert set(devices[10:]) <= set(taken)


def test_the_next_step_waits_for_each_version_of_the_schema(console):
  devices = join(console, 20)
  console.set("fleet", ("volume", "enforce", 10))
  for device in devices:
    assert device.report(schema=2 if device is devices[7] else 1).status in (200, 204)
  # Without a draw all are in: nineteen of twenty tell, and the twentieth has another schema.
  number = console.set("fleet", ("volume", "enforce", 20), steps=[9999, 10000], pause=0)["number"]
  for device in devices[:7] + devices[8:]:
    assert device.report().status in (200, 204)
  time.sleep(3)
  told = console.api("GET", f"publications/{number}")
  assert told["state"] == "rolling" and told["applied"] == 19, told
  assert devices[7].report(schema=2).status in (200, 204)
  wait(lambda: console.api("GET", f"publications/{number}")["state"] == "complete")


def test_a_good_rollout_comes_to_its_end_by_itself(console):
  devices = join(console, 6)
  console.set("fleet", ("volume", "enforce", 10), ("welcomeText", "recommend", "Hi"))
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [
    {"name": "volume", "verb": "enforce", "value": 20}, {"name": "welcomeText"}]})
  rolling = console.api("POST", "channels/fleet/publications", {"revision": revision + 1, "steps": [3000, 6000, 10000]}, 201)

  def over():
    for device in devices:
      device.report()
    return console.api("GET", f"publications/{rolling['number']}")["state"] == "complete"

  wait(over, 60)
  assert all(device.pull() == {"volume": ("enforce", 20)} for device in devices)


def test_a_code_lets_one_device_in(console):
  code = console.code(label="till")
  first, second = Device(console, code), Device(console, code)
  assert first.enroll().status == 204
  assert first.enroll().status == 204, "the answer may have been lost"
  refused = second.enroll()
  assert refused.status == 403 and refused.body.startswith(b"used")
  foreign = Device(console, code)
  foreign.token = bytes(16)
  assert foreign.enroll().body.startswith(b"foreign")
  assert console.api("GET", "devices")["total"] == 1
  # A device that was removed is heard no more.
  console.api("DELETE", "devices/" + first.id, expected=204)
  assert first.report().status == 403


def test_a_report_counts_once_and_a_gap_is_found(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 3))
  assert device.report().status == 204
  assert console.ask("POST", "/v1/reports", device.last, token=False).status == 409
  told = device.report(since=1, digest=bytes(32))
  assert told.status == 200 and told.body == b"full"
  assert device.report().status == 204


def test_nobody_gets_in_without_being_known(console):
  for path in ("devices", "status", "history", "tokens"):
    assert console.ask("GET", "/api/v1/" + path, token=False).status == 401
    assert console.ask("GET", "/api/v1/" + path, headers={"Authorization": "Bearer nobody"}).status == 401
  signed = console.ask("POST", "/api/v1/session", {"name": "eva", "password": "correct horse"}, token=False)
  assert signed.status == 201
  cookie = {"Cookie": signed.headers["Set-Cookie"].split(";")[0]}
  assert console.ask("GET", "/api/v1/status", headers=cookie, token=False).status == 200
  assert console.ask("POST", "/api/v1/groups", {"name": "a"}, cookie, token=False).status == 403
  with_token = {**cookie, "X-Livery-CSRF": signed.json["csrf"]}
  assert console.ask("POST", "/api/v1/groups", {"name": "a"}, with_token, token=False).status == 201
  assert console.ask("POST", "/api/v1/session", {"name": "eva", "password": "wrong"}, token=False).status == 403
  console.run("admin", "add", "vic", "--role", "viewer", text="only looking\n")
  console.token = console.run("token", "make", "vic").strip()
  assert console.api("GET", "devices")["total"] == 0
  console.api("POST", "groups", {"name": "b"}, 403)


def test_a_device_is_found_by_its_name_however_it_is_written(console):
  device, = join(console)
  for name in ("KÄSETHEKE ÉLÉGANTE", "Kasse_1 100%", "Λόμπι"):
    console.api("PATCH", "devices/" + device.id, {"name": name})
    for query in (name, name[1:6], name.lower(), name.upper(), device.id.upper()):
      found = console.api("GET", "devices?query=" + urllib.parse.quote(query))["items"]
      assert [one["id"] for one in found] == [device.id], query
  console.api("PATCH", "devices/" + device.id, {"name": "Till"})
  assert console.api("GET", "devices?query=TILL")["total"] == 1
  assert console.api("GET", "devices?query=T_ll")["total"] == 0


def test_keys_change_and_devices_follow(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 3))
  before = device.manifest("fleet")
  console.stop()
  assert "--root-key" in console.run("keys", "rotate", expected=2)
  console.run("keys", "revoke", "--root-key", console.state / "root.key")
  console.serve()
  after = device.manifest("fleet")
  assert after["version"] > before["version"] and after["keys"] == 2
  kind, payload, _ = read_sync.cbor(console.ask("GET", "/v1/keys/latest", token=False).body)
  document = read_sync.cbor(payload)
  assert document["version"] == 2 and len(document["signers"]) == 1
  assert console.ask("GET", "/v1/keys/1", token=False).status == 200
  assert device.pull()["volume"] == ("enforce", 3)


def test_the_command_says_what_is_wrong(console):
  assert "no command" in console.run("dance", expected=2)
  assert "no option" in console.run("status", "--dance", expected=2)
  assert "`group add NAME`" in console.run("group", "add", expected=2)
  assert "`rollout stop NUMBER`" in console.run("rollout", "halt", "1", expected=2)
  assert "--role is no option of `group add`" in console.run("group", "add", "a", "--role", "viewer", expected=2)
  assert "--json takes no value" in console.run("status", "--json=no", expected=2)
  for words in (("history", "--limit", "none"), ("publish", "--steps", "many"), ("rollout", "show", "latest"),
                ("publish", "--steps", "5,,100"), ("publish", "--steps", "5,100,"), ("publish", "--steps", ""),
                ("publish", "--bound", "2,5"), ("publish", "--bound", ""), ("diff", "--bound", "2,"), ("draft", "set", "fleet", "enforce", "volume"), ("admin", "add", "ann", "--role", "king")):
    error = json.loads(console.run(*words, "--json", expected=2))["error"]
    assert error["status"] == "LIVERY_ERROR_INVALID_ARGUMENT", words
  assert console.json("group", "list") == []
  assert subprocess.run([PROGRAM, "status"], env={}, capture_output=True).returncode == 2
  assert "no such channel" in console.run("draft", "show", "group.none", expected=3).lower()
  error = json.loads(console.run("draft", "show", "group.none", "--json", expected=3))["error"]
  assert error["status"] == "LIVERY_ERROR_NOT_FOUND" and "no such channel" in error["message"].lower()
  missing = subprocess.run([PROGRAM, "status", "--state", "/nonexistent"], capture_output=True, text=True)
  assert missing.returncode == 3 and "no fleet yet in /nonexistent" in missing.stderr
  assert subprocess.run([PROGRAM], capture_output=True, text=True).returncode == 2
  assert "already" in console.run("init", "other", expected=5)
  if not shutil.which("livery-simulate") and not (PROGRAM.parent / "livery-simulate").exists():
    assert "docs/fleet.md" in console.run("simulate", expected=3)


def test_a_text_may_look_like_a_number_or_like_an_option(console):
  console.run("draft", "set", "fleet", "enforce", "welcomeText", "47111")
  assert "47111" in console.run("draft", "show") and console.json("draft", "show")["settings"][0]["value"] == "47111"
  words = [PROGRAM, "--state", console.state, *(["--database", console.database] if console.database else []),
           "--", "draft", "set", "fleet", "enforce", "welcomeText", "--json"]
  assert subprocess.run([str(word) for word in words], capture_output=True).returncode == 0
  assert console.json("draft", "show")["settings"][0]["value"] == "--json"


def test_a_name_does_nothing_to_a_terminal(console):
  name = "till\x1b[2J\r\nffff\tright\x7f\u009b2J\u00a0é"
  device = Device(console, console.code())
  assert device.enroll(name).status == 204
  assert console.api("GET", "devices")["items"][0]["name"] == name == console.json("device", "list")[0]["name"]
  lines = console.run("device", "list").split("\n")
  assert lines == [f"{device.id}\tbehind\ttill�[2J��ffff�right��2J\u00a0é\t", ""]
  for words in (("explain", device.id), ("history",)):
    told = console.run(*words)
    assert "[2J" in told and not any(one in told for one in ("\x1b", "\r", "\x7f", "\u009b", "\nffff"))


def test_the_command_takes_no_text_of_several_lines(console):
  device, = join(console)
  before = console.json("history")
  for text in ("a\nb", "a\tb", "\x1b[2J", "a\u202eb"):
    for words in (("device", "name", device.id, text), ("enroll", "--label", text), ("publish", "--comment", text),
                  ("token", "make", "eva", "--label", text)):
      assert "one line" in console.run(*words, expected=4), words
    assert "control" in console.run("admin", "add", text, text="battery staple\n", expected=4)
  assert "space" in console.run("admin", "add", "eva ", text="battery staple\n", expected=4)
  assert console.json("history") == before


def test_the_last_editor_stays_one_by_the_command_too(console):
  assert "only editor" in console.run("admin", "remove", "eva", expected=5)
  assert "only editor" in console.run("admin", "set", "eva", "--role", "viewer", text="correct horse\n", expected=5)
  console.run("admin", "set", "eva", text="another horse\n")
  console.run("admin", "add", "otto", text="battery staple\n")
  console.run("admin", "remove", "eva")
  assert [(one["name"], one["role"]) for one in console.json("admin", "list")] == [("otto", "editor")]


def test_the_command_tells_moments_as_people_read_them(console):
  moment = r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"
  assert re.search(rf"^keysExpire: {moment}$", console.run("status"), re.M)
  assert re.search(rf"^version 1, until {moment}$", console.run("keys"), re.M)
  assert re.search(rf"^1\t{moment}\t\S+\tmade the fleet", console.run("history"), re.M)
  assert isinstance(console.json("history")[0]["time"], int)


def test_a_password_may_come_late(console, tmp_path):
  pipe = tmp_path / "pipe"
  os.mkfifo(pipe)
  writer = os.open(pipe, os.O_RDWR)

  def write():
    os.write(writer, b"battery staple\n")
    os.close(writer)

  timer = threading.Timer(1, write)
  timer.start()
  console.run("admin", "add", "otto", "--password-file", pipe)
  timer.join()
  assert console.ask("POST", "/api/v1/session", {"name": "otto", "password": "battery staple"}, token=False).status == 201


def test_a_folder_that_holds_no_console(tmp_path):
  console = Console(tmp_path)
  console.state.mkdir()
  assert "no fleet" in console.run("status", expected=3)


def test_devices_that_are_silent_do_not_tell_for_others(console):
  """Half has told and was switched off: the next step waits for the other half."""
  console.api("POST", "groups", {"name": "lobby"}, 201)
  devices = join(console, 4)
  console.set("fleet", ("volume", "enforce", 1))
  first = console.set("fleet", ("volume", "enforce", 2), steps=[9999, 10000])["number"]
  for device in devices[:2]:
    assert device.report().status in (200, 204)
  console.sql(f"UPDATE devices SET seen = seen - 200000 WHERE id IN ('{devices[0].id}', '{devices[1].id}')")
  # What comes later is looked at later: nobody is in that group.
  console.set("group.lobby", ("volume", "enforce", 1))
  later = console.set("group.lobby", ("volume", "enforce", 3), steps=[9999, 10000])["number"]
  wait(lambda: console.api("GET", f"publications/{later}")["state"] == "complete")
  told = console.api("GET", f"publications/{first}")
  assert told["state"] == "rolling" and told["applied"] == 2 and told["expected"] == 4
  for device in devices[2:]:
    assert device.report().status in (200, 204)
  wait(lambda: console.api("GET", f"publications/{first}")["state"] == "complete")


def test_a_fleet_that_was_made_half_way_is_made_to_its_end(tmp_path, place):
  console = Console(tmp_path, place)
  words = ["init", "kiosks", "--publish", console.published, "--url", console.url]
  console.run(*words)
  # As if its end had come before its one change: the tables are there, the keys, and what was noted.
  before = console.json("keys")
  for table in ("channels", "history", "signed_keys"):
    console.sql(f"DELETE FROM {table}")
  console.sql("DELETE FROM facts WHERE name = 'fleet'")
  assert "no fleet" in console.run("status", expected=3)
  console.run(*words)
  assert [console.json("keys")[name] for name in ("roots", "signers")] == [before[name] for name in ("roots", "signers")]
  assert [line["what"] for line in console.json("history")] == ["made the fleet"]
  assert (console.published / "v1/channels/fleet/manifest").exists() and (console.published / "v1/keys/latest").exists()
  assert "already" in console.run(*words, expected=5) and console.json("config")["url"] == console.url
  # A root key that somebody else has made is not taken for the fleet's.
  other = Console(tmp_path, state="other")
  stick = tmp_path / "stick.key"
  other.run("keys", "make", stick)
  assert "exists" in other.run("init", "kiosks", "--root-key", stick, expected=4)


def test_names_of_groups_count_though_they_were_removed(tmp_path):
  """The fleet's manifest names them all, and devices take so many."""
  console = Console(tmp_path).make_bare()
  console.sql("WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 4095) INSERT INTO channels "
              "(name, version, changed, expires, manifest, stamp) SELECT 'group.g' || i, 1, 1, "
              f"{int(time.time()) + 86400}, x'', 0 FROM n")
  console.serve()
  try:
    refused = console.ask("POST", "/api/v1/groups", {"name": "lobby"})
    assert refused.status == 422 and "4096" in refused.json["detail"] and "removed" in refused.json["detail"]
    console.api("POST", "groups", {"name": "g17"}, 201)
    console.set("group.g17", ("volume", "enforce", 3))
    manifest = read_sync.cbor(read_sync.cbor(console.ask("GET", "/v1/channels/fleet/manifest", token=False).body)[1])
    assert len(manifest["versions"]) == 4096 and manifest["versions"]["g17"] == 2
  finally:
    console.stop()


def test_devices_are_listed_by_the_state_that_each_is_told_to_have(console):
  devices = join(console, 6)
  console.set("fleet", ("volume", "enforce", 20))
  for device in devices:
    device.pull()
    device.report()
  columns = ["failing = 1", "seen = 1", "failing = 1, seen = 1", "trial = 1", None, None]
  for device, column in zip(devices, columns):
    if column:
      console.sql(f"UPDATE devices SET {column} WHERE id = '{device.id}'")
  console.sql(f"UPDATE device_channels SET version = 0 WHERE device = '{devices[4].id}'")
  told = {one["id"]: one["state"] for one in console.api("GET", "devices")["items"]}
  assert [told[device.id] for device in devices] == ["failing", "silent", "failing", "trial", "behind", "right"]
  status = console.api("GET", "status")
  for state in sorted(set(told.values())):
    wanted = sorted(one for one in told if told[one] == state)
    found = console.api("GET", f"devices?state={state}&limit=10")
    assert sorted(one["id"] for one in found["items"]) == wanted and found["total"] == status[state] == len(wanted), state
  # Pages of a list follow one another.
  pages = [console.api("GET", f"devices?limit=2&offset={offset}")["items"] for offset in (0, 2, 4)]
  assert [one["id"] for page in pages for one in page] == [one["id"] for one in console.api("GET", "devices")["items"]]

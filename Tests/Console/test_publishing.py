"""The folder that a web server delivers, where several publish to it and one of them is killed."""

import fcntl
import os
import shutil
import subprocess
import time

import pytest
import read_sync
from conftest import PROGRAM, Console, Device, join, wait


def manifest(console, channel="fleet"):
  return read_sync.cbor(read_sync.cbor((console.published / "v1/channels" / channel / "manifest").read_bytes())[1])


def begin_to_publish(console, value):
  """A command that has committed, and waits for its turn to publish."""
  before = len(console.json("rollout", "list"))
  console.run("draft", "set", "fleet", "enforce", "volume", str(value))
  words = [PROGRAM, "publish", "fleet", "--state", console.state] + (["--database", console.database] if console.database else [])
  process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
  wait(lambda: len(console.json("rollout", "list")) > before)
  return process


def test_one_publishes_at_a_time_and_what_a_killed_one_left_out_comes_first(tmp_path, place):
  console = Console(tmp_path, place).make()
  console.run("draft", "set", "fleet", "enforce", "volume", "1")
  console.run("publish")
  first = manifest(console)
  folder = os.open(console.published, os.O_RDONLY)
  try:
    # Somebody else publishes: whoever has committed waits, and is done afterwards.
    fcntl.flock(folder, fcntl.LOCK_EX)
    process = begin_to_publish(console, 2)
    assert manifest(console) == first
    fcntl.flock(folder, fcntl.LOCK_UN)
    assert process.wait(20) == 0
    second = manifest(console)
    assert second["version"] == first["version"] + 1
    # Once more, and it is killed while it waits.
    fcntl.flock(folder, fcntl.LOCK_EX)
    process = begin_to_publish(console, 3)
    process.kill()
    process.wait()
  finally:
    os.close(folder)
  assert manifest(console) == second
  # What comes next refers to what was left out.
  console.run("draft", "set", "fleet", "enforce", "welcomeText", "hello")
  console.run("publish", "--steps", "50,100")
  last = manifest(console)
  assert last["version"] == second["version"] + 2 and len(last["documents"]) == 2
  for entry in last["documents"]:
    assert (console.published / "v1/blobs" / entry["hash"].hex()).exists(), entry["name"]


def draft(console, names, channel="fleet"):
  """Has a draft say these settings alone."""
  revision = console.api("GET", f"channels/{channel}/draft")["revision"]
  settings = [{"name": name, "verb": "enforce", "value": 1} for name in names]
  return console.api("PUT", f"channels/{channel}/draft", {"revision": revision, "settings": settings})["revision"]


def test_no_document_says_more_than_devices_take(tmp_path):
  console = Console(tmp_path).make_bare().serve()
  try:
    # Without a schema everything may be set.
    first = console.api("POST", "channels/fleet/publications", {"revision": draft(console, [f"a{n:04}" for n in range(2000)])}, 201)
    revision = draft(console, [f"b{n:04}" for n in range(1000)])
    for plan in ({"steps": [100, 10000]}, {"until": int(time.time()) + 3600}):
      refused = console.ask("POST", "/api/v1/channels/fleet/publications", {"revision": revision, **plan})
      assert refused.status == 422 and "3000" in refused.json["detail"] and "2048" in refused.json["detail"], plan
    # Nothing is left of it, and all at once it may be.
    assert [one["number"] for one in console.api("GET", "publications")["items"]] == [first["number"]]
    assert console.sql("SELECT COUNT(*) FROM documents") == [["1"]]
    made = console.api("POST", "channels/fleet/publications", {"revision": revision}, 201)
    assert len(console.api("GET", f"publications/{made['number']}")["settings"]) == 3000
  finally:
    console.stop()


def test_a_folder_that_cannot_be_written_keeps_nothing_else_from_being_done(tmp_path, place):
  console = Console(tmp_path, place).make().serve()
  try:
    console.set("fleet", ("volume", "enforce", 1))
    before = manifest(console)
    # A file is in the way, for root as well.
    (console.published / "v1").rename(console.published / "away")
    (console.published / "v1").write_text("in the way")
    number = console.set("fleet", ("volume", "enforce", 2), until=int(time.time()) + 2)["number"]
    wait(lambda: console.api("GET", f"publications/{number}")["state"] == "over")
    (console.published / "v1").unlink()
    (console.published / "away").rename(console.published / "v1")
    wait(lambda: manifest(console)["version"] > before["version"])
    assert len(manifest(console)["documents"]) == 1
  finally:
    console.stop()


def test_what_cannot_be_read_gives_way_to_what_comes_next(tmp_path):
  """As a document with more than devices take, of a console that did not look at their number."""
  console = Console(tmp_path).make_bare().serve()
  try:
    console.api("POST", "channels/fleet/publications", {"revision": draft(console, ["a"])}, 201)
    console.sql("UPDATE documents SET content = x'00'")
    assert console.api("GET", "publications/1")["unreadable"]
    made = console.api("POST", "channels/fleet/publications", {"revision": draft(console, ["b"])}, 201)
    assert [one["name"] for one in made["settings"]] == ["b"]
    assert console.api("GET", "channels/fleet")["changes"] == 0
    # It keeps nothing else from being shown, changed, and taken back.
    console.sql("UPDATE documents SET content = x'00'")
    assert console.api("GET", "channels")["items"][0]["changes"] == 1
    assert [one["name"] for one in console.api("GET", "channels/fleet/difference")["settings"]] == ["b"]
    assert "b: nothing" in console.run("diff")
    overlay = console.api("POST", "channels/fleet/publications", {
      "revision": draft(console, ["c"]), "from": int(time.time()) + 1}, 201)["number"]
    assert console.api("GET", "channels/fleet/draft")["settings"] == []
    wait(lambda: not console.api("GET", f"publications/{overlay}")["overlay"])
    assert [one["name"] for one in console.api("GET", "channels/fleet/draft")["settings"]] == ["c"]
    undone = console.api("POST", f"publications/{overlay}/undo", {})
    assert undone["settings"][0]["after" if "after" in undone["settings"][0] else "before"]["name"] == "c"
    draft(console, ["d"])
    assert console.ask("DELETE", "/api/v1/channels/fleet/draft").status == 204
    assert console.api("GET", "channels/fleet/draft")["settings"] == []
  finally:
    console.stop()


def test_what_cannot_be_read_is_stopped_all_the_same(console):
  device, = join(console)
  number = console.set("fleet", ("volume", "recommend", 30), steps=[100, 10000], pause=3600)["number"]
  assert "unreadable" not in console.api("GET", f"publications/{number}")
  blob = "'\\x00'::bytea" if console.database else "x'00'"
  console.sql(f"UPDATE documents SET content = {blob} WHERE hash = (SELECT hash FROM publications WHERE number = {number})")
  found = console.api("GET", f"publications/{number}")
  assert found["unreadable"] and found["settings"] == [] and found["state"] == "rolling"
  found = console.api("POST", f"publications/{number}/stop")
  assert found["unreadable"] and found["state"] == "stopped"
  assert console.set("fleet", ("volume", "recommend", 31))["state"] == "complete"
  assert device.pull() == {"volume": ("recommend", 31)}


def test_a_difference_that_was_seen_before_an_undo_is_not_published(console):
  console.set("fleet", ("volume", "recommend", 30))
  bad = console.set("fleet", ("volume", "enforce", 100))
  draft = console.api("GET", "channels/fleet/draft")
  listed = [{"name": "welcomeText", "verb": "recommend", "value": "Hello"}]
  seen = console.api("PATCH", "channels/fleet/draft", {"revision": draft["revision"], "settings": listed})["revision"]
  assert [one["name"] for one in console.api("GET", "channels/fleet/difference")["settings"]] == ["welcomeText"]
  console.api("POST", f"publications/{bad['number']}/undo")
  refused = console.ask("POST", "/api/v1/channels/fleet/publications", {"revision": seen})
  assert refused.status == 409 and "what is published" in refused.json["detail"]
  difference = console.api("GET", "channels/fleet/difference")
  # What was undone is not published again with something else.
  assert [one["name"] for one in difference["settings"]] == ["welcomeText"]
  console.api("POST", "channels/fleet/publications", {"revision": difference["revision"]}, 201)


def test_a_difference_that_was_seen_before_a_rollout_stopped_is_not_published(console):
  devices = join(console, 4)
  console.set("fleet", ("volume", "recommend", 30))
  for device in devices:
    device.report()
  number = console.set("fleet", ("volume", "enforce", 100), steps=[9999, 10000], pause=3600)["number"]
  seen = console.api("GET", "channels/fleet/difference")["revision"]
  for device in devices:
    device.report(refuses=lambda document: any(one.get("value") == 100 for one in document.get("settings", [])))
  wait(lambda: console.api("GET", f"publications/{number}")["state"] == "stopped")
  assert console.ask("POST", "/api/v1/channels/fleet/publications", {"revision": seen}).status == 409
  # Nor one that was seen before it goes on.
  seen = console.api("GET", "channels/fleet/difference")["revision"]
  console.api("POST", f"publications/{number}/resume")
  assert console.api("GET", "channels/fleet/difference")["revision"] > seen


def test_what_is_taken_out_changes_who_has_it(console):
  devices = join(console, 3)
  console.set("fleet", ("volume", "enforce", 90), ("welcomeText", "replace", "Hello"))
  for device in devices[:2]:
    device.report()
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  revision = console.api("PUT", "channels/fleet/draft", {"revision": revision, "settings": []})["revision"]
  difference = console.api("GET", "channels/fleet/difference")
  # What was replaced stays where it is.
  assert {one["name"]: one.get("devices") for one in difference["settings"]} == {"volume": 2, "welcomeText": None}
  assert difference["changed"] == 2
  listed = [{"name": "volume", "verb": "release"}, {"name": "welcomeText", "verb": "replace", "value": "Hello"}]
  console.api("PUT", "channels/fleet/draft", {"revision": revision, "settings": listed})
  difference = console.api("GET", "channels/fleet/difference")
  assert [(one["name"], one["devices"]) for one in difference["settings"]] == [("volume", 2)] and difference["changed"] == 2


def test_a_device_that_has_what_was_there_before_is_explained_by_no_later_publication(console):
  device, = join(console)
  for verb in ("enforce", "recommend"):
    first = console.set("fleet", ("volume", verb, 30))
    device.report()
    told = console.api("GET", f"devices/{device.id}/settings/volume")
    assert told["publication"] == first["number"]
    second = console.set("fleet", ("volume", verb, 60))
    told = console.api("GET", f"devices/{device.id}/settings/volume")
    assert told["value"] == 30 and "publication" not in told and "author" not in told
    assert f"has not told of publication {second['number']}" in told["decidedBy"]
    device.report()
    assert console.api("GET", f"devices/{device.id}/settings/volume")["publication"] == second["number"]


def test_a_group_of_the_same_name_takes_up_nothing_that_was_stopped_before(console):
  console.run("group", "add", "till")
  join(console, groups=["till"])
  plan = {"steps": [5000, 10000], "pause": 3600}
  plain = console.set("group.till", ("volume", "enforce", 100), **plan)["number"]
  console.api("POST", f"publications/{plain}/stop")
  laid = console.set("group.till", ("welcomeText", "enforce", "old"), until="2040-01-01T00:00Z", **plan)["number"]
  console.api("POST", f"publications/{laid}/stop")
  console.run("group", "remove", "till")
  console.run("group", "add", "till")
  device, = join(console, groups=["till"])
  for number in (plain, laid):
    refused = console.ask("POST", f"/api/v1/publications/{number}/resume")
    assert refused.status == 409 and "group" in refused.json["detail"]
    assert console.api("GET", f"publications/{number}")["reason"].startswith("stopped by")
  assert device.pull() == {}
  # Nor is that said twice where the next one goes, too.
  console.run("group", "remove", "till")
  assert console.api("GET", f"publications/{plain}")["reason"].count("the group was removed") == 1


def test_devices_that_are_silent_since_are_among_those_that_are_counted(console):
  devices = join(console, 3)
  number = console.set("fleet", ("volume", "enforce", 5))["number"]
  for device in devices:
    device.report()
  console.sql(f"UPDATE devices SET seen = seen - 200000 WHERE id <> '{devices[0].id}'")
  told = console.api("GET", f"publications/{number}")
  assert (told["applied"], told["expected"]) == (3, 3)


def test_nothing_is_undone_while_something_rolls_out(console):
  first = console.set("fleet", ("volume", "enforce", 5))["number"]
  assert console.api("GET", f"publications/{first}")["canUndo"]
  second = console.set("fleet", ("volume", "enforce", 6), steps=[100, 10000], pause=3600)["number"]
  assert not console.api("GET", f"publications/{first}")["canUndo"]
  console.api("POST", f"publications/{second}/stop")
  assert console.api("GET", f"publications/{first}")["canUndo"]


def test_a_folder_that_cannot_be_written_is_told_of_until_it_is(console):
  console.set("fleet", ("volume", "enforce", 30))
  assert "publishing" not in console.api("GET", "status")
  folder = console.published / "v1/channels/fleet"
  folder.rename(console.published / "away")
  folder.write_text("in the way")
  version = read_sync.cbor(read_sync.cbor((console.published / "away/manifest").read_bytes())[1])["version"]
  console.set("fleet", ("volume", "enforce", 31))
  told = console.api("GET", "status")["publishing"]
  assert told["place"] == str(console.published) and told["waiting"] >= 1 and told["problem"] and told["since"] > 0
  assert console.json("status")["publishing"] == told
  # Nor can a device join; where the folder lies is nothing for it.
  device = Device(console, console.code())
  refused = device.enroll()
  assert refused.status == 503 and b"ask again" in refused.body and str(console.published).encode() not in refused.body
  folder.unlink()
  (console.published / "away").rename(folder)
  wait(lambda: "publishing" not in console.api("GET", "status"))
  assert "publishing" not in console.json("status")
  assert device.enroll().status == 204
  assert manifest(console)["version"] == version + 1


def test_another_password_makes_nobody_an_editor(tmp_path):
  console = Console(tmp_path).make_bare()
  console.run("admin", "add", "vera", "--role", "viewer", text="only looking\n")
  console.run("admin", "set", "vera", text="still looking\n")
  roles = {one["name"]: one["role"] for one in console.json("admin", "list")}
  assert roles == {"eva": "editor", "vera": "viewer"}
  console.run("admin", "set", "vera", "--role", "editor", text="not only looking\n")
  console.run("admin", "add", "nils", text="somebody else\n")
  assert {one["name"]: one["role"] for one in console.json("admin", "list")} == {"eva": "editor", "nils": "editor", "vera": "editor"}


def test_what_was_told_before_a_step_began_does_not_count_for_it(console):
  devices = join(console, 2)
  bad = lambda document: any(one.get("value") == 100 for one in document.get("settings", []))  # noqa: E731
  console.set("fleet", ("volume", "recommend", 30))
  number = console.set("fleet", ("volume", "enforce", 100), steps=[9999, 10000], pause=3600)["number"]
  for device in devices:
    device.report(refuses=bad)
  wait(lambda: console.api("GET", f"publications/{number}")["state"] == "stopped")
  # What was the matter has been mended.
  console.api("POST", f"publications/{number}/resume")
  told = console.api("GET", f"publications/{number}")
  assert (told["state"], told["failed"]) == ("rolling", 0)
  time.sleep(2.5)
  assert console.api("GET", f"publications/{number}")["state"] == "rolling"
  for device in devices:
    device.report()
  wait(lambda: console.api("GET", f"publications/{number}")["applied"] == 2)
  # Nor does what was told of the step before.
  console.api("POST", f"publications/{number}/stop")
  console.api("POST", f"publications/{number}/resume")
  assert console.api("GET", f"publications/{number}")["applied"] == 0


def test_what_was_stopped_or_undone_does_not_come_with_the_next_publication(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30))

  def drafted():
    return {one["name"]: one.get("value") for one in console.api("GET", "channels/fleet/draft")["settings"]}

  number = console.set("fleet", ("volume", "enforce", 100), steps=[9999, 10000], pause=3600)["number"]
  console.api("POST", f"publications/{number}/stop")
  assert drafted() == {"volume": 30}
  console.api("POST", f"publications/{number}/resume")
  assert drafted() == {"volume": 100}
  console.api("POST", f"publications/{number}/stop")
  number = console.set("fleet", ("welcomeText", "recommend", "Hello"))["number"]
  assert device.pull() == {"volume": ("recommend", 30), "welcomeText": ("recommend", "Hello")}
  console.api("POST", f"publications/{number}/undo")
  assert drafted() == {"volume": 30}
  # What somebody is about to change stays theirs.
  number = console.set("fleet", ("volume", "enforce", 99))["number"]
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [{"name": "volume", "verb": "enforce", "value": 98}]})
  console.api("POST", f"publications/{number}/undo")
  assert drafted() == {"volume": 98}


def test_a_device_is_explained_by_what_it_has_told(console):
  device, = join(console)
  console.set("fleet", ("servicePin", "enforce", "4711"), ("volume", "replace", 28))
  device.report()

  def decided(name):
    return console.api("GET", f"devices/{device.id}/settings/{name}")["decidedBy"]

  # Devices tell of no secret.
  console.sql("DELETE FROM device_values WHERE name = 'servicePin'")
  assert decided("servicePin") == "publication 1 of fleet: a secret, which devices do not tell"
  assert decided("volume") == "replaced by publication 1 of fleet"
  console.sql("UPDATE device_values SET layer = 'user' WHERE name = 'volume'")
  assert decided("volume") == "the layer user of the device, chosen after publication 1 of fleet had replaced what was there"
  device.report(verdict="refused")
  assert decided("volume").endswith("which has refused publication 1 of fleet")


def test_a_verdict_is_of_a_publication_in_its_own_channel(console):
  for name in ("lobby", "shop"):
    console.run("group", "add", name)
  device, = join(console, groups=["lobby"])

  def verdict():
    one, = console.api("GET", "devices/" + device.id)["verdicts"]
    return one["publication"], one["channel"]

  lobby = console.set("group.lobby", ("volume", "recommend", 30))["number"]
  device.report()
  assert verdict() == (lobby, "group.lobby")
  # Others that say the same are others' first.
  shop = console.set("group.shop", ("volume", "recommend", 30))["number"]
  assert verdict() == (lobby, "group.lobby")
  assert console.run("device", "groups", device.id).split() == ["lobby"]
  assert console.json("device", "groups", device.id) == {"groups": ["lobby"]}
  assert "groups or --none" in console.run("device", "groups", device.id, "shop", "--none", expected=2)
  console.run("device", "groups", device.id, "--none")
  assert console.run("device", "groups", device.id) == "" and console.json("device", "groups", device.id) == {"groups": []}
  assert verdict() == (shop, "group.shop")
  fleet = console.set("fleet", ("volume", "recommend", 30))["number"]
  assert verdict() == (fleet, "fleet")


def test_the_history_of_a_group_that_was_removed_counts_devices_that_are_there(console):
  console.run("group", "add", "till")
  gone, there = join(console, 2, groups=["till"])
  console.run("device", "remove", gone.id)
  console.run("group", "remove", "till")
  assert console.api("GET", "history")["items"][0]["detail"] == "1 devices"
  assert there.pull() == {}


def test_a_code_is_withdrawn_unless_its_device_is_there(console):
  device, = join(console)
  code, = console.api("GET", "enrollments")["items"]
  place = f"enrollments/{code['id']}"
  assert "remove the device" in console.api("DELETE", place, expected=409)["detail"]
  assert "remove the device" in console.run("enroll", "withdraw", code["id"], expected=5)
  console.run("device", "remove", device.id)
  assert console.api("GET", place)["device"] == device.id
  console.api("DELETE", place, expected=204)
  assert console.api("GET", "enrollments")["items"] == []
  assert device.enroll().status == 403


def test_who_is_there_is_not_added_and_who_is_not_is_not_changed(tmp_path, place):
  console = Console(tmp_path, place).make_bare().serve()

  def signs_in(password):
    signed = console.ask("POST", "/api/v1/session", {"name": "eva", "password": password}, token=False)
    return signed.status == 201

  try:
    before = console.json("history")
    assert "admin set" in console.run("admin", "add", "eva", text="another horse\n", expected=5)
    assert "admin add" in console.run("admin", "set", "vera", text="only looking\n", expected=3)
    assert "password" in console.run("admin", "add", "vera", text="", expected=4)
    assert console.json("history") == before and [one["name"] for one in console.json("admin", "list")] == ["eva"]
    # A role alone leaves the password.
    console.run("admin", "add", "otto", text="battery staple\n")
    for text in ("", "\n"):
      console.run("admin", "set", "eva", "--role", "viewer", text=text)
      assert signs_in("correct horse")
      console.run("admin", "set", "eva", "--role", "editor", text=text)
    assert "8 to" in console.run("admin", "set", "eva", text="short\n", expected=4)
    console.run("admin", "set", "eva", text="another horse\n")
    assert signs_in("another horse") and not signs_in("correct horse")
    # Nothing is noted of what was no change.
    before = console.json("history")
    console.run("admin", "set", "eva", text="")
    assert console.json("history") == before
  finally:
    console.stop()


@pytest.mark.parametrize("how", ["exchanged", "made anew", "emptied", "half"])
def test_a_folder_in_place_of_another_gets_everything(console, how):
  console.set("fleet", ("volume", "enforce", 6))
  device, = join(console)
  before = sorted(str(path.relative_to(console.published)) for path in console.published.rglob("*") if path.is_file())
  if how == "exchanged":
    console.published.rename(console.folder / "former")
    console.published.mkdir()
  elif how == "made anew":
    # In one step: who serves makes it anew by itself.
    console.published.rename(console.folder / "former")
    shutil.rmtree(console.folder / "former")
    console.published.mkdir()
  elif how == "half":
    # As somebody leaves it who is killed while all of it is written anew.
    for part in ("blobs", "channels"):
      (console.published / "v1" / part).rename(console.folder / part)
  else:
    (console.published / "v1").rename(console.folder / "former")
  # By a command, which takes up where another process was, and by the one that serves.
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  if how != "exchanged":
    console.run("draft", "set", "fleet", "enforce", "volume", "7")
    console.run("publish")
  else:
    console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [{"name": "volume", "verb": "enforce", "value": 7}]})
    console.api("POST", "channels/fleet/publications", {"revision": revision + 1}, 201)
  after = [str(path.relative_to(console.published)) for path in console.published.rglob("*") if path.is_file()]
  assert set(before) <= set(after), set(before) - set(after)
  assert "publishing" not in console.api("GET", "status")
  assert read_sync.cbor(read_sync.cbor((console.published / "v1/channels/fleet/manifest").read_bytes())[1])["version"] >= 2


def test_a_folder_that_is_gone_is_told_until_it_is_back(console):
  console.set("fleet", ("volume", "enforce", 6))
  console.published.rename(console.folder / "former")
  console.set("fleet", ("volume", "enforce", 7))
  told = console.api("GET", "status")["publishing"]
  assert "no such folder" in told["problem"]
  console.published.mkdir()
  wait(lambda: "publishing" not in console.api("GET", "status") and (console.published / "v1/keys/latest").exists(), 60)


def test_a_folder_that_is_not_there_takes_away_only_what_is_published(tmp_path):
  console = Console(tmp_path).make()
  console.published.rename(tmp_path / "former")
  assert console.json("status")["fleet"] == "kiosks"
  console.run("draft", "set", "fleet", "enforce", "volume", "7")
  console.run("publish", "fleet")
  assert "publication 1" in console.run("history")
  console.serve()
  try:
    assert "no such folder" in wait(lambda: console.api("GET", "status").get("publishing"))["problem"]
    console.published.mkdir()
    wait(lambda: (console.published / "v1/channels/fleet/manifest").exists(), 60)
  finally:
    console.stop()
  assert "no such folder" in console.run("config", "set", "publish", str(tmp_path / "none"), expected=4)


def test_what_devices_keep_themselves_is_not_published(tmp_path):
  console = Console(tmp_path).make_bare()
  assert "devices keep themselves" in console.run("draft", "set", "fleet", "enforce", "sync.x", "5", expected=4)


def test_history_tells_what_was_discarded_and_what_became_of_people(console):
  console.run("draft", "set", "fleet", "enforce", "volume", "42")
  console.run("draft", "discard", "fleet")
  console.run("admin", "add", "bob", text="correct horse\n")
  console.run("admin", "set", "bob", "--role", "viewer", text="")
  console.run("admin", "set", "bob", text="battery staple\n")
  told = [line["detail"] for line in console.api("GET", "history")["items"]]
  assert told[:2] == ["another password", "editor → viewer"] and told[3] == "volume: enforce 42 → nothing", told[:4]
  assert "told with this name" in console.run("admin", "add", "console", text="correct horse\n", expected=4)

"""Pulling, applying, reporting."""

import hashlib
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import livery
import livery.secrets
import livery.sync
import pytest
from conftest import BUILD, ROOT, SCHEMA, wait
from publisher import Key, image

PNG = (ROOT / "Tests" / "Fixtures" / "images" / "rgba.png").read_bytes()


def layers(store, name):
  return {layer["layer"]: layer["value"] for layer in store.inspect(name)["layers"]}


def pull(store, **options):
  return livery.sync.pull(store, **options).result(20)


def push(store):
  return livery.sync.push(store).result(20)


# -- Pulling


def test_a_pull_gives_version_and_values_and_is_one_commit(device, console):
  console.publisher.settings("fleet", "opening", ("volume", "recommend", 40), ("title", "enforce", "Kiosk"))
  values = pull(device)
  assert values["Version"] == 1 and values["Values"]["volume"] == 40 and values["Values"]["title"] == "Kiosk"
  assert not [name for name in values["Values"] if name.startswith("sync.")]
  changes = [commit for commit in device.history() if any(change["name"] in ("volume", "title") for change in commit["changes"])]
  applied = [commit for commit in changes if commit["origin"].startswith("sync")]
  assert len(applied) == 1 and "opening" in applied[0]["origin"]


def origins(store, name="volume"):
  return [commit["origin"] for commit in store.history() if any(change["name"] == name for change in commit["changes"])]


def test_the_history_says_who_has_published_what_and_why(device, console):
  publisher = console.publisher
  name = f"device.{livery.sync.status(device)['device']}"
  eva = {"author": "eva", "comment": "Quieter shops"}
  base = (*publisher.document([("volume", "recommend", 40), ("title", "recommend", "a")]), "p1", eva)
  publisher.publish("fleet", base)
  pull(device)
  assert origins(device)[0] == "sync: p1 by eva: Quieter shops"
  # Two of two authors in one commit, one of which repeats what is there.
  publisher.publish("fleet", base, (*publisher.document([("title", "recommend", "b"), ("volume", "recommend", 40)]), "p2", {"author": "otto"}))
  publisher.publish(name, (*publisher.document([("logo", "release")]), "p3", {"author": "ida", "comment": "without effect"}))
  pull(device)
  assert origins(device, "title")[0] == "sync: p3 by ida, p2 by otto"
  explained = {name: device.inspect(name)["layers"][0]["origin"] for name in ("volume", "title")}
  assert explained == {"volume": "sync: p1 by eva: Quieter shops", "title": "sync: p2 by otto"}
  documents = {one["name"]: one for one in livery.sync.status(device)["documents"]}
  assert documents["p1"]["author"] == "eva" and documents["p1"]["comment"] == "Quieter shops"
  assert "author" in documents["p2"] and "comment" not in documents["p2"]
  # It is taken back.
  publisher.publish("fleet", base)
  pull(device)
  assert origins(device, "title")[0] == "sync: withdrawn p2 by otto"
  # Its time is over.
  end = int(time.time()) + 3
  publisher.publish("fleet", base, (*publisher.document([("volume", "recommend", 60)], until=end), "p4", {"author": "otto"}))
  with livery.sync.start(device):
    wait(lambda: device.get("volume") == 60)
    wait(lambda: device.get("volume") == 40)
  assert origins(device)[:2] == ["sync: ended p4 by otto", "sync: p4 by otto"]


def test_who_has_published_a_trial_is_told_when_it_is_superseded(device, console):
  publisher = console.publisher
  document = publisher.document([("volume", "recommend", 40)], trial={"seconds": 600, "check": "screen"})
  publisher.publish("fleet", (*document, "p1", {"author": "eva", "comment": "Louder"}))
  with livery.sync.start(device):
    wait(lambda: device.trial()["state"] == "pending")
    publisher.publish("fleet", (*publisher.document([("volume", "recommend", 60)]), "p2", {"author": "otto"}))
    pull(device)
  assert origins(device)[:3] == ["sync: p2 by otto", "sync: superseded: p2 by otto", "sync: p1 by eva: Louder"]


@pytest.mark.parametrize("entry", [
  {"author": "eva\n38  2026-11-25T09:12:40Z  enforced  sync: p9 by otto"}, {"author": ""}, {"author": 7}, {"author": "e" * 65},
  {"comment": "\x1b[2J"}, {"comment": "\u202egnp.exe"}, {"comment": "a\u2028b"}, {"comment": "é" * 101}, {"comment": None}])
def test_who_has_published_is_a_line_or_the_manifest_is_none(device, console, entry):
  entry = {name: value for name, value in entry.items() if value is not None} or {"editor": "eva"}
  console.publisher.publish("fleet", (*console.publisher.document([("volume", "recommend", 40)]), "p1", entry))
  with pytest.raises(livery.LiveryError):
    pull(device)
  assert device.get("volume") == 20
  assert livery.sync.status(device)["problem"]["reason"] in ("malformed", "unsupported")


def test_nothing_new_is_304_without_body_and_without_commit(device, console):
  console.publisher.settings("fleet", "opening", ("volume", "recommend", 40))
  pull(device)
  before, asked = device.revision, len(console.requests)
  pull(device)
  answers = [(path, status) for path, status, _ in console.requests[asked:] if "manifest" in path]
  assert answers and all(status == 304 for _, status in answers)
  assert device.revision == before
  assert not [path for path, _, _ in console.requests[asked:] if "blobs" in path]


def test_the_channels_of_a_device_are_merged(device, console):
  name = livery.sync.status(device)["device"]
  console.publisher.settings("group.front", "group", ("volume", "recommend", 50), ("title", "recommend", "group"))
  console.publisher.settings("fleet", "fleet", ("volume", "recommend", 40), ("title", "recommend", "fleet"))
  console.publisher.publish(
    f"device.{name}", (*console.publisher.document([("title", "recommend", "device")]), "own"), groups=["front"])
  pull(device)
  assert device.get("volume") == 50 and device.get("title") == "device"
  assert [channel["name"] for channel in livery.sync.status(device)["channels"]] == ["fleet", "group.front", f"device.{name}"]


def test_what_is_not_wanted_any_more_is_taken_back(device, console):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 40), ("title", "recommend", "a"))
  pull(device)
  console.publisher.settings("fleet", "two", ("title", "recommend", "b"))
  pull(device)
  assert device.get("volume") == 20 and device.get("title") == "b"
  device.set("volume", 33)
  assert device.get("volume") == 33


def test_an_image_is_there_before_the_setting_that_shows_it(device, console):
  asset = console.publisher.asset(PNG)
  console.publisher.settings("fleet", "look", ("logo", "recommend", image(asset["hash"].hex())), assets=[asset])
  pull(device)
  assert device.assets.get(asset["hash"].hex()) == PNG
  assert str(device.get("logo")) == asset["hash"].hex()


def test_documents_of_other_apps_are_passed_over(device, console):
  mine, others = (console.publisher.document([("volume", "recommend", number)]) for number in (1, 2))
  console.publisher.publish(
    "fleet", (*mine, "mine", {"scope": "till"}), (*others, "others", {"scope": "sign"}))
  pull(device, scope="till")
  assert device.get("volume") == 1


def test_a_schedule_begins_and_ends_without_the_network(device, console):
  now = int(time.time())
  begins, ends = now + 3, now + 6
  first = console.publisher.document([("volume", "recommend", 70)], from_=begins, until=ends)
  console.publisher.publish("fleet", (*first, "later"))
  with livery.sync.start(device):
    pull(device)
    assert device.get("volume") == 20
    assert [document["verdict"] for document in livery.sync.status(device)["documents"]] == ["scheduled"]
    console.is_down = True
    wait(lambda: device.get("volume") == 70, "the beginning")
    assert time.time() >= begins
    wait(lambda: device.get("volume") == 20, "the end")
    assert time.time() >= ends


def test_polling_alone_finds_a_change(device, console):
  console.publisher.interval = 10
  console.publisher.publish("fleet")
  with livery.sync.start(device):
    wait(lambda: livery.sync.status(device).get("taken"), "the first pull")
    console.publisher.settings("fleet", "polled", ("volume", "recommend", 44))
    wait(lambda: device.get("volume") == 44, "the change", 25)


def test_what_a_restore_has_put_back_comes_again(device, console, tmp_path):
  console.publisher.settings("fleet", "one", ("volume", "recommend", 40))
  with livery.sync.start(device):
    pull(device)
    device.backup(tmp_path / "backup")
    console.publisher.settings("fleet", "two", ("volume", "recommend", 60))
    pull(device)
    assert device.get("volume") == 60
    with livery.open(tmp_path / "store") as other:
      other.restore(tmp_path / "backup")
    # Its own time is an hour away.
    wait(lambda: device.get("volume") == 60, "what was published last")
    push(device)
  assert [document["verdict"] for document in console.reports()[-1]["documents"]] == ["applied"]


# -- Upgrades


def upgrade(device, old, new, more=""):
  """Applies the next version of the schema, with something else in one place."""
  assert old in SCHEMA
  device.apply_schema(SCHEMA.replace('"Version": 1', '"Version": 2' + more).replace(old, new))


VOLUME = next(line for line in SCHEMA.splitlines() if '"volume"' in line)
RENAMED = ', "Migrations": [{"To": 2, "Steps": [{"Op": "rename", "From": "volume", "Into": "loudness"}]}]'


def test_a_setting_that_the_schema_drops_is_in_nobodys_way(device, console):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 40), ("title", "recommend", "a"))
  pull(device)
  upgrade(device, VOLUME, "")
  assert layers(device, "volume") == {"enforced": 40}
  console.publisher.settings("fleet", "two", ("title", "recommend", "b"))
  pull(device)
  assert device.get("title") == "b"
  # A later version does not find what nobody wants any more.
  with pytest.raises(livery.NotFoundError):
    device.inspect("volume")


@pytest.mark.parametrize("new, more", [("", ""), (VOLUME.replace('"volume"', '"loudness"'), RENAMED)])
def test_leaving_does_not_fail_for_what_the_schema_does_not_know_any_more(device, console, new, more):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 40), ("title", "recommend", "a"))
  pull(device)
  upgrade(device, VOLUME, new, more)
  livery.sync.leave(device)
  assert device.get("title") == "none" and not livery.sync.status(device)["enrolled"]


@pytest.mark.parametrize("aliases", ["", ', "Aliases": ["volume"]'])
def test_the_new_name_of_a_setting_takes_the_place_of_the_former_one(device, console, aliases):
  console.publisher.settings("fleet", "one", ("volume", "recommend", 40))
  pull(device)
  upgrade(device, VOLUME, VOLUME.replace('"volume"', '"loudness"' + aliases), RENAMED)
  assert device.get("loudness") == 40
  console.publisher.settings("fleet", "two", ("loudness", "recommend", 60))
  pull(device)
  assert layers(device, "loudness")["recommended"] == 60 and device.get("loudness") == 60
  console.publisher.publish("fleet")
  pull(device)
  assert device.get("loudness") == 20


@pytest.mark.parametrize("aliases", ["", ', "Aliases": ["volume"]'])
def test_what_an_upgrade_has_renamed_is_taken_back_by_its_new_name(device, console, aliases):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 80))
  with livery.sync.start(device):
    pull(device)
    upgrade(device, VOLUME, VOLUME.replace('"volume"', '"loudness"' + aliases), RENAMED)
    if aliases:
      pull(device)
      assert layers(device, "loudness") == {"enforced": 80, "defaults": 20}
    else:
      # It is for a setting that there is not any more.
      with pytest.raises(livery.InvalidValueError, match="volume"):
        pull(device)
    assert device.get("loudness") == 80
    console.publisher.publish("fleet")
    pull(device)
    assert device.get("loudness") == 20
    device.set("loudness", 30)
    assert device.get("loudness") == 30


def test_what_is_for_another_schema_is_taken_back_by_its_new_name(device, console):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 80), schema=[1, 1])
  with livery.sync.start(device):
    pull(device)
    upgrade(device, VOLUME, VOLUME.replace('"volume"', '"loudness"'), RENAMED)
    wait(lambda: device.get("loudness") == 20, "that it is taken back")
    push(device)
  assert [document["verdict"] for document in console.reports()[-1]["documents"]] == ["passed-over"]


def test_leaving_takes_back_what_was_renamed_and_nothing_of_others(device, console):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 80))
  pull(device)
  device.set("title", "of the app", "recommended")
  upgrade(device, VOLUME, VOLUME.replace('"volume"', '"loudness"'), RENAMED)
  livery.sync.leave(device)
  assert device.get("loudness") == 20 and device.get("title") == "of the app"
  device.set("loudness", 30)


def test_what_does_not_fit_an_upgrade_is_told_as_refused(device, console):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 80), ("title", "recommend", "hello"))
  with livery.sync.start(device):
    pull(device)
    upgrade(device, '"Maximum": 100', '"Maximum": 50')
    with pytest.raises(livery.InvalidValueError, match="volume"):
      pull(device)
    push(device)
    assert [document["verdict"] for document in livery.sync.status(device)["documents"]] == ["refused"]
    report = console.reports()[-1]
    assert [document["verdict"] for document in report["documents"]] == ["refused"] and report["schema"] == 2
    assert [violation["name"] for violation in report["violations"]] == ["volume"]
    console.publisher.settings("fleet", "two", ("volume", "enforce", 40), ("title", "recommend", "hello"))
    pull(device)
    assert device.get("volume") == 40 and "violations" not in livery.sync.status(device)


def test_status_tells_nothing_of_a_fleet_that_the_device_has_left(device, console):
  pull(device)
  console.answers["/v1/reports"] = lambda handler: handler.give(403, b"removed")
  with livery.sync.start(device), pytest.raises(livery.RefusedError):
    push(device)
  # It stops in a moment.
  wait(lambda: livery.sync.status(device)["state"] == "stopped")
  former = livery.sync.status(device)
  assert former["problem"]["reason"] == "refused" and former["taken"] and "next" not in former
  time.sleep(1.1)
  livery.sync.leave(device)
  livery.sync.enroll(device, console.code()).result(20)
  status = livery.sync.status(device)
  assert "problem" not in status and status.get("taken", status["since"]) != former["taken"]


# -- Verbs against the operator's own values


@pytest.mark.parametrize("offline", [False, True])
@pytest.mark.parametrize("verb, before, after", [("recommend", 7, 9), ("replace", 30, 9), ("enforce", 30, 30)])
def test_verbs_and_the_operators_own_value(device, console, verb, before, after, offline):
  pull(device)
  if offline:
    console.is_down = True
    with pytest.raises(livery.LiveryError):
      pull(device)
  device.set("volume", 7)
  console.publisher.settings("fleet", "verb", ("volume", verb, 30))
  console.is_down = False
  pull(device)
  assert device.get("volume") == before
  if verb == "enforce":
    with pytest.raises(livery.LockedError):
      device.set("volume", 9)
    # What lies beneath stays the operator's.
    console.publisher.publish("fleet")
    pull(device)
    assert device.get("volume") == 7
  else:
    device.set("volume", 9)
    pull(device)
    assert device.get("volume") == after


def test_replace_is_done_once_for_a_serial_and_again_for_another(device, console):
  console.publisher.settings("fleet", "one", ("volume", "replace", 30, 1))
  pull(device)
  device.set("volume", 9)
  console.publisher.settings("fleet", "two", ("volume", "replace", 30, 1), ("title", "recommend", "x"))
  pull(device)
  assert device.get("volume") == 9
  console.publisher.settings("fleet", "three", ("volume", "replace", 30, 2))
  pull(device)
  assert device.get("volume") == 30


@pytest.mark.parametrize("verb", ["recommend", "replace"])
def test_what_is_covered_is_on_trial_once_it_is_not(device, console, verb):
  name = livery.sync.status(device)["device"]
  console.publisher.settings(f"device.{name}", "own", ("volume", "enforce", 40))
  pull(device)
  setting = ("volume", verb, 30) + ((1,) if verb == "replace" else ())
  console.publisher.settings("fleet", "one", setting, trial={"seconds": 600, "check": "screen"})
  for _ in range(2):
    pull(device)
    assert device.get("volume") == 40 and device.trial()["state"] == "none"
  console.publisher.publish(f"device.{name}")
  pull(device)
  assert device.get("volume") == 30 and device.trial()["state"] == "pending"


def test_what_covers_what_went_back_is_on_no_trial(device, console):
  name = livery.sync.status(device)["device"]
  console.publisher.settings("fleet", "bad", ("volume", "recommend", 50), trial={"seconds": 1, "check": "nobody"})
  with livery.sync.start(device):
    wait(lambda: livery.sync.status(device).get("violations"), "that it goes back")
    console.publisher.settings(f"device.{name}", "own", ("volume", "recommend", 40))
    pull(device)
    assert device.get("volume") == 40 and device.trial()["state"] == "reverted"
    assert "violations" not in livery.sync.status(device)


@pytest.mark.parametrize("how", ["published", "upgraded", "restarted"])
def test_what_is_chosen_while_a_replacement_is_on_trial_stays_when_that_is_begun_anew(device, console, how):
  name = livery.sync.status(device)["device"]
  device.set("volume", 7)
  console.publisher.settings("fleet", "one", ("volume", "replace", 30, 1), trial={"seconds": 600, "check": "screen"})
  with livery.sync.start(device):
    pull(device)
    assert device.get("volume") == 30
    device.set("volume", 9)
    before = device.trial()["revision"]
    if how != "restarted":
      if how == "upgraded":
        upgrade(device, '"Maximum": 100', '"Maximum": 99')
      else:
        console.publisher.settings(f"device.{name}", "other", ("title", "recommend", "x"))
        pull(device)
      wait(lambda: device.trial()["state"] != "pending" or device.trial()["revision"] > before, "that it goes back")
      wait(lambda: layers(device, "volume").get("recommended") == 30, "that it is begun anew")
  if how == "restarted":
    device.revert_trial(origin="sync: superseded: by hand")
    assert layers(device, "volume") == {"user": 9, "defaults": 20}
    with livery.sync.start(device):
      pull(device)
      wait(lambda: layers(device, "volume").get("recommended") == 30, "that it is begun anew")
  assert device.get("volume") == 9


@pytest.mark.parametrize("above", [("volume", "recommend", 40), ("volume", "enforce", 40), ("volume", "release"), ("volume", "replace", 40, 2)])
def test_what_was_replaced_once_is_not_replaced_again_when_something_stronger_ends(device, console, above):
  name = livery.sync.status(device)["device"]
  console.publisher.settings("fleet", "one", ("volume", "replace", 30, 1))
  pull(device)
  device.set("volume", 9)
  console.publisher.settings(f"device.{name}", "own", above)
  pull(device)
  if above[1] == "replace":
    assert device.get("volume") == 40
    device.set("volume", 9)
  console.publisher.settings("fleet", "two", ("volume", "replace", 30, 1), ("title", "recommend", "x"))
  pull(device)
  console.publisher.publish(f"device.{name}")
  pull(device)
  assert device.get("volume") == 9 and layers(device, "volume")["recommended"] == 30
  device.reset("volume")
  assert device.get("volume") == 30


def test_what_was_replaced_once_is_not_replaced_again_by_the_name_that_an_upgrade_gives(device, console):
  console.publisher.settings("fleet", "one", ("volume", "replace", 30, 1))
  pull(device)
  device.set("volume", 9)
  upgrade(device, VOLUME, VOLUME.replace('"volume"', '"loudness", "Aliases": ["volume"]'), RENAMED)
  pull(device)
  assert device.get("loudness") == 9 and layers(device, "loudness")["recommended"] == 30


def test_release_gives_a_setting_back(device, console):
  name = livery.sync.status(device)["device"]
  console.publisher.settings("fleet", "all", ("volume", "enforce", 30))
  console.publisher.settings(f"device.{name}", "own", ("volume", "release"))
  pull(device)
  assert device.get("volume") == 20
  device.set("volume", 5)
  assert device.get("volume") == 5


# -- Refusals


def test_one_bad_value_refuses_all_and_the_report_says_which(device, console):
  console.publisher.settings("fleet", "good", ("title", "recommend", "good"))
  pull(device)
  console.publisher.settings("fleet", "bad", ("title", "recommend", "bad"), ("volume", "recommend", 300), ("nothing", "enforce", 1))
  with pytest.raises(livery.InvalidValueError, match="volume|nothing"):
    pull(device)
  assert device.get("title") == "good" and device.get("volume") == 20
  push(device)
  report = console.reports()[-1]
  assert {violation["name"] for violation in report["violations"]} == {"volume", "nothing"}
  assert [document["verdict"] for document in report["documents"]] == ["refused"]
  status = livery.sync.status(device)
  assert {violation["name"] for violation in status["violations"]} == {"volume", "nothing"}
  assert [document["verdict"] for document in status["documents"]] == ["refused"]
  console.publisher.settings("fleet", "mended", ("title", "recommend", "mended"))
  pull(device)
  assert device.get("title") == "mended" and "violations" not in livery.sync.status(device)


def test_who_takes_part_next_forgets_no_problem_that_it_knows_nothing_of(device, console):
  publisher = console.publisher
  publisher.settings("fleet", "old", ("volume", "recommend", 1))
  old = publisher.contents["fleet"]
  publisher.settings("fleet", "new", ("volume", "recommend", 2))
  pull(device)

  def reason():
    return livery.sync.status(device).get("problem", {}).get("reason")

  def taking_part(what):
    with livery.sync.start(device):
      what(device)
      seen = reason()
    wait(lambda: livery.sync.status(device)["state"] == "stopped")
    assert reason() == seen
    return seen

  publisher.write("v1/channels/fleet/manifest", old)
  with pytest.raises(livery.RefusedError):
    pull(device)
  wait(lambda: livery.sync.status(device)["state"] == "stopped")
  # A report says nothing of what is published.
  assert taking_part(push) == "rollback"
  publisher.write("v1/channels/fleet/manifest", publisher.contents["fleet"])
  assert taking_part(pull) is None
  # Nor does what is published say that the console takes reports; or a server that is busy.
  console.answers["/v1/reports"] = lambda handler: handler.give(403, b"removed")
  with pytest.raises(livery.RefusedError):
    push(device)
  wait(lambda: livery.sync.status(device)["state"] == "stopped")
  assert taking_part(pull) == "refused"
  console.answers["/v1/reports"] = lambda handler: handler.give(503, b"busy")
  with pytest.raises(livery.UnavailableError):
    push(device)
  assert reason() == "refused"
  del console.answers["/v1/reports"]
  assert taking_part(push) is None


def test_a_rollback_is_refused_and_the_present_one_is_the_way_back(device, console):
  publisher = console.publisher
  publisher.settings("fleet", "old", ("volume", "recommend", 1))
  old = publisher.contents["fleet"]
  publisher.settings("fleet", "new", ("volume", "recommend", 2))
  pull(device)
  publisher.write("v1/channels/fleet/manifest", old)
  with livery.sync.start(device):
    with pytest.raises(livery.RefusedError, match="rollback"):
      pull(device)
    assert device.get("volume") == 2
    problem = livery.sync.status(device)["problem"]
    assert problem["reason"] == "rollback" and problem["advice"]
    publisher.write("v1/channels/fleet/manifest", publisher.contents["fleet"])
    pull(device)
    assert "problem" not in livery.sync.status(device)


def test_what_a_stranger_signs_is_refused(device, console):
  console.publisher.settings("fleet", "good", ("volume", "recommend", 1))
  pull(device)
  version = console.publisher.versions["fleet"]
  console.publisher.publish(
    "fleet", (*console.publisher.document([("volume", "enforce", 99)]), "evil"), version=version + 1, keys=[Key()])
  with pytest.raises(livery.RefusedError, match="unsigned"):
    pull(device)
  assert device.get("volume") == 1
  console.publisher.settings("fleet", "better", ("volume", "recommend", 3))
  pull(device)
  assert device.get("volume") == 3


def test_what_is_of_another_fleet_is_refused(device, console):
  console.publisher.fleet = "others"
  console.publisher.publish("fleet")
  with pytest.raises(livery.RefusedError, match="foreign"):
    pull(device)


def test_a_stolen_signing_key_is_shut_out_by_a_key_document(device, console):
  publisher = console.publisher
  publisher.settings("fleet", "good", ("volume", "recommend", 1))
  pull(device)
  stolen = publisher.signers
  publisher.publish("fleet", (*publisher.document([("volume", "enforce", 99)]), "evil"), version=1 << 40, keys=stolen)
  pull(device)
  assert device.get("volume") == 99
  publisher.publish_keys(signers=[Key()])
  publisher.publish("fleet", (*publisher.document([("volume", "recommend", 4)]), "back"), version=10)
  name = livery.sync.status(device)["device"]
  publisher.publish(f"device.{name}")
  pull(device)
  assert device.get("volume") == 4


def test_a_document_that_is_not_there_leaves_all_as_it_is(device, console):
  console.publisher.settings("fleet", "good", ("volume", "recommend", 1))
  pull(device)
  hashed, size = console.publisher.document([("volume", "recommend", 2)])
  (console.publisher.folder / "v1" / "blobs" / hashed.hex()).unlink()
  console.publisher.publish("fleet", (hashed, size, "gone"))
  with pytest.raises(livery.LiveryError):
    pull(device)
  assert device.get("volume") == 1


def test_more_than_a_manifest_may_be_is_not_read(device, console):
  console.answers["/v1/channels/fleet/manifest"] = lambda handler: handler.give(200, os.urandom(300 << 10), {"ETag": '"x"'})
  with pytest.raises(livery.LiveryError):
    pull(device)


def test_what_a_cache_has_too_much_of_is_asked_for_past_it(device, console):
  publisher, asked = console.publisher, []
  publisher.settings("fleet", "one", ("volume", "recommend", 41))
  channel = "/v1/channels/fleet/manifest"

  def cached(handler):
    asked.append(handler.headers.get("Cache-Control"))
    handler.give(200, publisher.contents["fleet"] if asked[-1] == "no-cache" else b"x" * 300_000)

  console.answers[channel] = cached
  assert livery.sync.pull(device).result(20)["Values"]["volume"] == 41
  assert asked == [None, "no-cache"]
  console.answers[channel] = lambda handler: handler.give(200, b"x" * 300_000)
  with pytest.raises(livery.LiveryError, match="larger than may be"):
    livery.sync.pull(device).result(20)


def test_redirects_are_followed(device, console):
  console.publisher.settings("fleet", "moved", ("volume", "recommend", 11))
  data = console.publisher.contents["fleet"]
  console.answers["/v1/channels/fleet/manifest"] = lambda handler: handler.give(302, b"", {"Location": "/elsewhere"})
  console.answers["/elsewhere"] = lambda handler: handler.give(200, data, {"ETag": '"e"'})
  pull(device)
  assert device.get("volume") == 11


def test_what_breaks_off_is_asked_for_again(device, console):
  console.publisher.settings("fleet", "broken", ("volume", "recommend", 12))
  data, broken = console.publisher.contents["fleet"], []

  def breaking(handler):
    broken.append(1)
    if len(broken) < 3:
      handler.give(200, data[:100], {"ETag": '"e"'}, length=len(data))
    else:
      handler.give(200, data, {"ETag": '"e"'})

  console.answers["/v1/channels/fleet/manifest"] = breaking
  with livery.sync.start(device):
    wait(lambda: device.get("volume") == 12, "the change", 30)


def test_a_server_that_asks_to_wait_is_heeded(device, console):
  pull(device)
  console.answers["/v1/channels/fleet/manifest"] = lambda handler: handler.give(503, b"", {"Retry-After": "3000"})
  with livery.sync.start(device):
    with pytest.raises(livery.LiveryError):
      pull(device)
    assert (livery.sync.status(device)["next"].timestamp() - time.time()) > 2900


# -- Reports


def test_a_report_tells_what_is_in_effect_but_no_secrets(device, console):
  console.publisher.settings("fleet", "opening", ("volume", "enforce", 40))
  device.set("token", "hush")
  device.set("title", "mine")
  pull(device)
  push(device)
  report = console.reports()[-1]
  values = {value["name"]: (value["layer"], value["value"]) for value in report["values"]}
  assert values["volume"] == ("enforced", 40) and values["title"] == ("user", "mine")
  assert "token" not in values and not [name for name in values if name.startswith("sync.")]
  assert b"hush" not in repr(report).encode()
  assert [document["verdict"] for document in report["documents"]] == ["applied"]
  assert report["channels"]["fleet"] == console.publisher.versions["fleet"] and report["schema"] == 1


def test_the_next_report_has_what_has_changed_and_full_asks_for_all(device, console):
  pull(device)
  push(device)
  device.set("title", "other")
  push(device)
  assert [value["name"] for value in console.reports()[-1]["values"]] == ["title"]
  console.publisher.wants_full = True
  push(device)
  console.publisher.wants_full = False
  push(device)
  report = console.reports()[-1]
  assert "since" not in report and "volume" in [value["name"] for value in report["values"]]
  assert [one["sequence"] for one in console.reports()] == sorted({one["sequence"] for one in console.reports()})


def test_health_is_told(device, console):
  pull(device)
  livery.sync.health(device, "the printer is out of paper")
  push(device)
  assert console.reports()[-1]["health"] == "the printer is out of paper"
  livery.sync.health(device, "\tno paper\r\nno ink\n")
  push(device)
  assert console.reports()[-1]["health"] == "no paper no ink"
  livery.sync.health(device, " \n")
  push(device)
  assert "health" not in console.reports()[-1]
  livery.sync.health(device)
  push(device)
  assert "health" not in console.reports()[-1]


def test_who_may_not_report_is_told_so(device, console):
  pull(device)
  console.answers["/v1/reports"] = lambda handler: handler.give(403, b"the device is not of this fleet")
  with livery.sync.start(device):
    with pytest.raises(livery.RefusedError):
      push(device)
    problem = livery.sync.status(device)["problem"]
    assert problem["reason"] == "refused" and "not of this fleet" in problem["message"] and "enroll anew" in problem["advice"]
    del console.answers["/v1/reports"]
    push(device)
    assert "problem" not in livery.sync.status(device)


def test_who_cannot_report_since_it_knows_no_keys_hears_why_at_once(device, console):
  console.is_down = True
  begun = time.monotonic()
  with pytest.raises((livery.NetworkError, livery.UnavailableError)):
    livery.sync.push(device, timeout=60).result(50)
  assert time.monotonic() - begun < 40


def test_a_report_that_cannot_be_sent_waits(device, console):
  pull(device)
  console.is_down = True
  with pytest.raises(livery.LiveryError):
    push(device)
  assert livery.sync.status(device)["outbox"] == 1
  console.is_down = False
  push(device)
  assert livery.sync.status(device)["outbox"] == 0


def test_a_device_that_was_put_back_goes_on_above_what_the_console_has(device, console):
  pull(device)
  push(device)
  last = console.reports()[-1]
  # As if it had reported many times more before.
  last["sequence"] += 1000
  device.set("title", "restored")
  push(device)
  assert [status for path, status, _ in console.requests if path == "/v1/reports"][-2:] == [409, 204]
  report = console.reports()[-1]
  assert report["sequence"] > last["sequence"] and "since" not in report
  assert {value["name"]: value.get("value") for value in report["values"]}["title"] == "restored"


# -- Trials


def test_a_trial_stays_once_the_server_was_reached(device, console):
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 60})
  with livery.sync.start(device):
    pull(device)
    assert device.get("volume") == 60
    wait(lambda: device.trial()["state"] == "confirmed", "the confirmation")
    wait(lambda: "trial" not in livery.sync.status(device), "the end of the trial")
    push(device)
  assert device.get("volume") == 60
  assert [document["verdict"] for document in console.reports()[-1]["documents"]] == ["applied"]


def test_nor_does_a_document_that_is_none_keep_it_from_staying(device, console):
  publisher = console.publisher
  risky = publisher.document([("volume", "recommend", 60)], trial={"seconds": 60})
  junk = b"no document"
  publisher.write("v1/blobs/" + hashlib.sha256(junk).hexdigest(), junk)
  publisher.publish("fleet", (*risky, "risky"))
  channel, first = "/v1/channels/fleet/manifest", publisher.contents["fleet"]

  def follow(handler):
    del console.answers[channel]
    publisher.publish("fleet", (*risky, "risky"), (hashlib.sha256(junk).digest(), len(junk), "junk"))
    handler.give(200, first)

  console.answers[channel] = follow
  with livery.sync.start(device):
    wait(lambda: device.get("volume") == 60, "the trial")
    wait(lambda: device.trial()["state"] == "confirmed", "the confirmation")
    wait(lambda: livery.sync.status(device)["documents"][1]["verdict"] == "unusable", "the verdict")
    assert device.get("volume") == 60


def test_a_trial_that_cuts_off_goes_back_and_counts_as_refused(device, console):
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 3})
  name = console.publisher.contents["fleet"]

  def cut(handler):
    # The document comes, and then nothing any more.
    handler.give(200, name, {"ETag": '"c"'})
    console.is_down = True

  del cut
  blobs = [path for path in (console.publisher.folder / "v1" / "blobs").iterdir()]
  for blob in blobs:
    def deliver(handler, data=blob.read_bytes()):
      handler.give(200, data)
      console.is_down = True
    console.answers[f"/v1/blobs/{blob.name}"] = deliver
  with livery.sync.start(device):
    wait(lambda: device.get("volume") == 60, "the trial")
    wait(lambda: device.get("volume") == 20, "its end")
    console.is_down = False
    console.answers.clear()
    pull_error(device)
    push(device)
  assert [document["verdict"] for document in console.reports()[-1]["documents"]] == ["refused"]
  assert console.reports()[-1]["violations"][0]["name"] == "trial"
  assert device.get("volume") == 20


def pull_error(device):
  """What has gone back is not tried again."""
  with pytest.raises(livery.InvalidValueError, match="went back"):
    pull(device)


@pytest.mark.parametrize("answer, value", [(True, 60), (False, 20)])
def test_a_check_decides(device, console, answer, value):
  asked = []

  def check(name):
    asked.append(name)
    return None if len(asked) < 2 else answer

  livery.sync.set_check(device, "screen", check)
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 30, "check": "screen"})
  with livery.sync.start(device):
    livery.sync.pull(device).result(20) if answer else wait(lambda: device.get("volume") == 60, "the trial")
    wait(lambda: device.trial()["state"] == ("confirmed" if answer else "reverted"), "the verdict")
    assert asked[:2] == ["screen", "screen"] and device.get("volume") == value
    push(device)
    wait(lambda: console.reports()[-1]["documents"][0]["verdict"] == ("applied" if answer else "refused"), "the report")


@pytest.mark.parametrize("raised", [RuntimeError("no \udcff"), SystemExit(0), KeyboardInterrupt(), livery.BusyError("later")], ids=repr)
def test_a_check_that_raises_anything_says_no(device, console, monkeypatch, raised):
  monkeypatch.setattr("sys.unraisablehook", lambda _: None)

  def check(name):
    raise raised

  livery.sync.set_check(device, "screen", check)
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 60, "check": "screen"})
  with livery.sync.start(device):
    wait(lambda: device.trial()["state"] in ("confirmed", "reverted"), "the verdict")
  assert device.trial()["state"] == "reverted" and device.get("volume") == 20


def test_a_check_that_is_removed_and_provided_again_is_asked(device, console):
  asked = []
  livery.sync.set_check(device, "screen", lambda name: asked.append(1))
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 60, "check": "screen"})
  with livery.sync.start(device):
    wait(lambda: asked, "the first call")
    livery.sync.set_check(device, "screen", None)
    time.sleep(1.5)
    livery.sync.set_check(device, "screen", lambda name: True)
    wait(lambda: device.trial()["state"] == "confirmed", "the verdict")
  assert device.get("volume") == 60


def test_of_trials_that_begin_together_all_checks_are_asked_wherever_they_are(device, console, tmp_path):
  asked = {"screen": 0, "camera": 0}

  def check(name):
    asked[name] += 1
    return True if name == "camera" or asked[name] > 2 else None

  publisher = console.publisher
  risky = publisher.document([("volume", "recommend", 60)], trial={"seconds": 30, "check": "screen"})
  other = publisher.document([("title", "recommend", "x")], trial={"seconds": 60, "check": "camera"})
  third = publisher.document([("token", "recommend", "t")], trial={"seconds": 60})
  publisher.publish("fleet", (*risky, "risky"), (*other, "other"), (*third, "third"))
  with livery.open(tmp_path / "store") as elsewhere, livery.sync.start(device):
    wait(lambda: device.get("volume") == 60, "the trial")
    livery.sync.set_check(elsewhere, "camera", check)
    wait(lambda: livery.sync.status(device)["trial"]["checks"] == ["screen"], "the first that says yes")
    assert asked == {"screen": 0, "camera": 1} and device.trial()["state"] == "pending"
    livery.sync.set_check(device, "screen", check)
    wait(lambda: device.trial()["state"] == "confirmed", "the verdict")
    wait(lambda: "trial" not in livery.sync.status(device), "the end of the trial")
    assert asked == {"screen": 3, "camera": 1} and device.get("title") == "x"
    push(device)
  assert {document["verdict"] for document in console.reports()[-1]["documents"]} == {"applied"}


def test_and_one_that_says_no_takes_all_back(device, console):
  publisher = console.publisher
  risky = publisher.document([("volume", "recommend", 60)], trial={"seconds": 30, "check": "screen"})
  other = publisher.document([("title", "recommend", "x")], trial={"seconds": 60, "check": "camera"})
  publisher.publish("fleet", (*risky, "risky"), (*other, "other"))
  livery.sync.set_check(device, "screen", lambda name: True)
  with livery.sync.start(device):
    wait(lambda: livery.sync.status(device).get("trial", {}).get("checks") == ["camera"], "the first that says yes")
    livery.sync.set_check(device, "camera", lambda name: False)
    wait(lambda: device.trial()["state"] == "reverted", "the verdict")
    assert device.get("volume") == 20 and device.get("title") == "none"
    push(device)
  assert {document["verdict"] for document in console.reports()[-1]["documents"]} == {"refused"}


def test_without_whoever_checks_it_goes_back(device, console):
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 2, "check": "nobody"})
  with livery.sync.start(device):
    wait(lambda: device.get("volume") == 60, "the trial")
    wait(lambda: device.get("volume") == 20, "its end")
    push(device)
    wait(lambda: console.reports()[-1]["documents"][0]["verdict"] == "refused", "the report")
    # Nothing of what was seen of versions went back with it.
    assert console.reports()[-1]["channels"]["fleet"] == console.publisher.versions["fleet"]
  # It is forgotten once it is kept that it counts as refused, and not before: the power may go between.
  written = [{change["name"] for change in commit["changes"]} for commit in device.history()]
  assert {"sync.trial", "sync.record.state"} <= next(names for names in written if "sync.trial" in names)


@pytest.mark.parametrize("kept", [True, False])
def test_what_went_back_while_nobody_took_part_is_not_tried_again_though_another_trial_came_after_it(device, console, tmp_path, kept):
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 2, "check": "nobody"})
  with subprocess.Popen([sys.executable, Path(__file__).parent / "member.py", tmp_path / "store"], stdout=subprocess.PIPE) as member:
    wait(lambda: device.get("volume") == 60, "the trial")
    member.kill()
  wait(lambda: device.get("volume") == 20, "its end")
  with device.change() as change:
    change.trial(60)
    change.set("title", "mine")
  device.confirm_trial(device.trial()["revision"]) if kept else device.revert_trial(device.trial()["revision"])
  pull_error(device)
  assert device.get("volume") == 20 and "trial" not in livery.sync.status(device)
  push(device)
  report = console.reports()[-1]
  assert [document["verdict"] for document in report["documents"]] == ["refused"] and report["violations"][0]["name"] == "trial"


def test_what_comes_after_a_trial_takes_its_place(device, console):
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), ("title", "recommend", "x"), trial={"seconds": 60, "check": "nobody"})
  with livery.sync.start(device):
    wait(lambda: device.get("volume") == 60, "the trial")
    console.publisher.settings("fleet", "safe", ("volume", "recommend", 50))
    wait(lambda: livery.sync.pull(device).result(20) is not None and device.get("volume") == 50, "what follows")
    assert device.get("title") == "none"


def test_what_is_taken_is_told_before_what_others_take(device, console):
  """Of more documents than a report has room for."""
  publisher = console.publisher
  others = [(*publisher.document([("title", "recommend", str(number))]), f"d{number}", {"scope": "other"}) for number in range(200)]
  publisher.publish("fleet", *others)
  own = publisher.document([("volume", "enforce", 33)])
  publisher.publish("device." + livery.sync.status(device)["device"], (*own, "own"))
  livery.sync.pull(device).result(20)
  livery.sync.push(device).result(20)
  documents = livery.sync.status(device)["documents"]
  assert len(documents) == 201 and documents[-1]["name"] == "own" and documents[-1]["verdict"] == "applied"
  told = {document["hash"]: document["verdict"] for document in console.reports()[-1]["documents"]}
  assert len(told) == 192 and told[own[0]] == "applied"


def test_a_document_that_one_channel_passes_over_and_another_takes(device, console):
  """As one that was tried on a device, and rolls out afterwards."""
  publisher = console.publisher
  document = publisher.document([("volume", "recommend", 33)])
  publisher.publish("fleet", (*document, "first", {"share": 0, "salt": b"s" * 16}))
  publisher.publish("device." + livery.sync.status(device)["device"], (*document, "first"))
  livery.sync.pull(device).result(20)
  livery.sync.push(device).result(20)
  assert device.get("volume") == 33
  assert [one["verdict"] for one in livery.sync.status(device)["documents"]] == ["passed-over", "applied"]
  assert [(one["hash"], one["verdict"]) for one in console.reports()[-1]["documents"]] == [(document[0], "applied")]


def test_another_channels_manifest_is_asked_for_past_the_cache(device, console):
  publisher, asked = console.publisher, []
  publisher.settings("fleet", "one", ("volume", "recommend", 41))
  other = publisher.contents["device." + livery.sync.status(device)["device"]]

  def cached(handler):
    asked.append(handler.headers.get("Cache-Control"))
    handler.give(200, publisher.contents["fleet"] if asked[-1] == "no-cache" else other)

  console.answers["/v1/channels/fleet/manifest"] = cached
  assert livery.sync.pull(device).result(20)["Values"]["volume"] == 41
  assert asked == [None, "no-cache"]


def test_how_it_takes_part_is_said_anew_by_who_begins_while_a_pull_waits(device, console):
  publisher, gate = console.publisher, threading.Event()
  publisher.publish("fleet", (*publisher.document([("title", "recommend", "for b")]), "b", {"scope": "b"}))

  def slow(handler):
    gate.wait(20)
    handler.give(200, publisher.contents["fleet"])

  console.answers["/v1/channels/fleet/manifest"] = slow
  first = livery.sync.start(device, scope="a")
  task = livery.sync.pull(device)
  wait(lambda: livery.sync.status(device).get("asked"), "the first request")
  first.stop()
  with livery.sync.start(device, scope="b"):
    gate.set()
    task.result(20)
    wait(lambda: device.get("title") == "for b", "what is for the second")


def test_leaving_keeps_what_the_app_says_of_itself(store, console):
  livery.sync.health(store, "the printer is out of paper")
  before = store.revision
  livery.sync.leave(store)
  assert store.revision == before
  livery.sync.enroll(store, console.code()).result(20)
  livery.sync.leave(store)
  assert [item["name"] for item in store.list("sync.**")] == ["sync.health"]


def test_what_documents_say_is_secret(device, console, tmp_path):
  key = tmp_path / "store.key"
  subprocess.run([BUILD / "livery", "secrets", "key", "--key-file", key], check=True)
  with livery.secrets.open(device, file=key):
    console.publisher.settings("fleet", "wifi", ("token", "enforce", "HUNTER2"))
    livery.sync.pull(device).result(20)
    device.backup()
    assert device["token"] == "HUNTER2"
    livery.sync.push(device).result(20)
    console.publisher.publish("fleet")
    livery.sync.pull(device).result(20)
  files = [file for file in (tmp_path / "store").rglob("*") if file.is_file()]
  assert len(files) > 3 and not [file for file in files if b"HUNTER2" in file.read_bytes()]
  exported = device.export_json(layers=True)
  assert "sync.record" not in exported and "sync.fleet" in exported


def test_an_export_of_a_device_is_imported(device, console, tmp_path):
  console.publisher.settings("fleet", "opening", ("volume", "enforce", 33))
  livery.sync.pull(device).result(20)
  device.set("title", "mine")
  for layers in (False, True):
    exported = tmp_path / f"{layers}.json"
    exported.write_text(device.export_json(layers=layers))
    done = subprocess.run([BUILD / "livery", "import", exported, "--store", tmp_path / "store"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "only who has claimed `sync.` may set it" in done.stdout + done.stderr
  assert livery.sync.status(device)["fleet"] == "kiosks" and device["title"] == "mine"


def test_the_app_that_was_named_last_counts_for_who_names_none(device, console):
  console.publisher.publish("fleet", (*console.publisher.document([("volume", "replace", 40), ("title", "enforce", "Kiosk")]), "one",
                                      {"scope": "kiosk"}))
  livery.sync.pull(device, scope="kiosk").result(20)
  assert (device["volume"], device["title"]) == (40, "Kiosk")
  device.set("volume", 77)
  livery.sync.push(device).result(20)
  livery.sync.pull(device).result(20)
  assert (device["volume"], device["title"]) == (77, "Kiosk")
  livery.sync.pull(device, scope="till").result(20)
  assert device["title"] == "none"


@pytest.mark.parametrize("name, value", [("sync.record.state", "x"), ("sync.health", "fine"), ("sync.trial", {"a": 1})])
def test_what_the_library_keeps_is_nothing_to_publish(device, console, name, value):
  console.publisher.settings("fleet", "silence", (name, "enforce", value))
  with pytest.raises(livery.LiveryError, match="the namespace sync. is kept by the library that syncs"):
    livery.sync.pull(device).result(20)
  livery.sync.health(device, "paper")
  livery.sync.push(device).result(20)
  assert console.reports()[-1]["violations"] and console.reports()[-1]["health"] == "paper"


def test_what_keeps_a_change_from_being_made_is_told(device, console):
  with device.change(trial=3600) as change:
    change["title"] = "mine"
  console.publisher.settings("fleet", "louder", ("volume", "recommend", 44), trial={"seconds": 60})
  with livery.sync.start(device):
    wait(lambda: livery.sync.status(device).get("problem"), "a problem")
    problem = livery.sync.status(device)["problem"]
    assert problem["reason"] == "postponed" and "is on trial until" in problem["message"]
    device.revert_trial()
    wait(lambda: device["volume"] == 44, "the change", 30)
    wait(lambda: not livery.sync.status(device).get("problem"), "that it is well", 30)


def test_the_strongest_document_counts_by_whatever_name(store, console):
  store.apply_schema({"Version": 2, "Groups": [{"Title": "One", "Settings": [
    {"Type": "Number", "Format": "integer", "Title": "Zoom", "Key": "aa.zoom", "Aliases": ["zoom"], "Value": 0}]}]})
  livery.sync.enroll(store, console.code()).result(20)
  device = f"device.{livery.sync.status(store)['device']}"
  console.publisher.settings("fleet", "all", ("zoom", "recommend", 1))
  console.publisher.settings(device, "this", ("aa.zoom", "recommend", 2))
  livery.sync.pull(store).result(20)
  assert store["zoom"] == 2
  console.publisher.settings("fleet", "all", ("zoom", "enforce", 4))
  console.publisher.settings(device, "this", ("aa.zoom", "enforce", 3))
  livery.sync.pull(store).result(20)
  assert store["zoom"] == 3
  console.publisher.settings(device, "this", ("aa.zoom", "release"))
  livery.sync.pull(store).result(20)
  assert store["zoom"] == 0 and store.inspect("zoom")["layers"][-1]["layer"] == "defaults"


HOLD = """if True:
  import livery, sys, time
  with livery.open(sys.argv[1]) as store:
    def slow(change):
      print(flush=True)
      time.sleep(0.4)
    store.edit(slow)"""


def test_who_cannot_claim_is_nothing_to_others(tmp_path, console):
  with livery.open(tmp_path / "store", create=True) as store:
    store.apply_schema(SCHEMA)
  with livery.open(tmp_path / "store", busy_timeout=0.1) as store:
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path / "store"], stdout=subprocess.PIPE) as holder:
      holder.stdout.readline()
      taking = []

      def take_part():
        try:
          taking.append(livery.sync.start(store))
        except livery.BusyError:
          pass

      threads = [threading.Thread(target=lambda wait=number / 20: (time.sleep(wait), take_part())) for number in range(16)]
      for thread in threads:
        thread.start()
      for thread in threads:
        thread.join()
    assert taking
    livery.sync.enroll(store, console.code()).result(20)
    console.publisher.settings("fleet", "opening", ("volume", "enforce", 33))
    wait(lambda: store["volume"] == 33, "that somebody takes part")
    for one in taking:
      one.stop()


def test_what_went_back_is_tried_again_once_it_is_to_be_tried_otherwise(device, console):
  console.publisher.settings("fleet", "louder", ("volume", "enforce", 44), trial={"seconds": 1, "check": "nobody"})
  with livery.sync.start(device):
    wait(lambda: any(one["verdict"] == "refused" for one in livery.sync.status(device)["documents"]), "that it went back")
    assert device["volume"] == 20
    console.publisher.settings("fleet", "louder", ("volume", "enforce", 44))
    livery.sync.pull(device).result(20)
    assert device["volume"] == 44 and device.trial()["state"] == "reverted"
    assert [one["verdict"] for one in livery.sync.status(device)["documents"]] == ["applied"]


def test_who_takes_a_trial_back_is_told_and_not_that_its_time_was_over(device, console):
  console.publisher.settings("fleet", "risky", ("volume", "recommend", 60), trial={"seconds": 600, "check": "nobody"})
  with livery.sync.start(device):
    wait(lambda: device.get("volume") == 60, "the trial")
    device.revert_trial(origin="eva at the till")
    push(device)
    wait(lambda: console.reports()[-1]["documents"][0]["verdict"] == "refused", "the report")
  assert [one["message"] for one in console.reports()[-1]["violations"]] == ["it was taken back: eva at the till"]


def test_a_document_that_grew_on_the_way_is_another_one(device, console):
  console.publisher.settings("fleet", "first", ("volume", "recommend", 60))
  for blob in (console.publisher.folder / "v1/blobs").iterdir():
    blob.write_bytes(blob.read_bytes() + b"<html>sign in</html>")
  with pytest.raises(livery.LiveryError):
    pull(device)
  assert livery.sync.status(device)["problem"]["reason"] == "wrong-hash"


def test_what_could_not_be_made_to_hold_does_not_keep_what_comes_after(device, console):
  with device.change("user", trial=3600) as change:
    change.set("title", "app")
  console.publisher.settings("fleet", "tried", ("volume", "recommend", 46), trial={"seconds": 600})
  with pytest.raises(livery.ConflictError):
    pull(device)
  console.publisher.settings("fleet", "plain", ("volume", "recommend", 47))
  pull(device)
  assert device.get("volume") == 47

"""Publications for a time, for an app, for versions of the schema, and on trial: what the console says, lists and explains."""

import contextlib
import sqlite3
import time

import pytest
from conftest import SCHEMA, Console, join, wait


def wall(seconds):
  """What a clock in Greenwich shows so many seconds from now."""
  return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + seconds))


def entries(device, channel="fleet"):
  return device.manifest(channel).get("documents", [])


def draft(console, *settings):
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  listed = [{"name": name, "verb": verb, "value": value} for name, verb, value in settings]
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": listed})


def document(device, number=-1, channel="fleet"):
  """One of the documents of a channel, as it travels."""
  return device.wanted()[number][1]


def test_what_holds_for_a_time_takes_nothing_away(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30), ("welcomeText", "enforce", "Hello"))
  until = int(time.time()) + 3600
  made = console.set("fleet", ("welcomeText", "enforce", "Merry Christmas"), name="christmas", until=until, comment="look")
  assert made["overlay"] and made["name"] == "christmas" and made["until"] == until and made["state"] == "complete"
  assert [one["name"] for one in made["settings"]] == ["welcomeText"]
  assert [entry["name"] for entry in entries(device)] == ["p1", "christmas"]
  base, above = (found for _, found in device.wanted())
  assert [one["name"] for one in base["settings"]] == ["volume", "welcomeText"]
  assert [one["name"] for one in above["settings"]] == ["welcomeText"] and above["until"] == until
  # The draft is what the channel says: nothing is left to publish.
  channel = next(line for line in console.api("GET", "channels")["items"] if line["name"] == "fleet")
  assert channel["changes"] == 0 and channel["overlays"] == [made["number"]] and channel["publication"] == 1
  assert console.api("GET", "channels/fleet/difference")["overlays"][0]["number"] == made["number"]
  # What is published meanwhile lies beneath it.
  console.set("fleet", ("volume", "recommend", 40))
  assert device.pull() == {"volume": ("recommend", 40), "welcomeText": ("enforce", "Merry Christmas")}
  assert device.report().status in (200, 204)
  told = console.api("GET", "devices/" + device.id)
  assert told["state"] == "right"
  assert [one["state"] for one in told["publications"]] == ["holds", "holds"]
  undone = console.api("POST", f"publications/{made['number']}/undo", {})
  assert undone["state"] == "undone" and not undone["canUndo"]
  assert device.pull() == {"volume": ("recommend", 40), "welcomeText": ("enforce", "Hello")}
  assert console.api("GET", "history")["items"][0]["what"] == f"took back publication {made['number']}"


def test_what_is_over_goes_by_itself(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30))
  number = console.set("fleet", ("volume", "recommend", 90), until=int(time.time()) + 2)["number"]
  assert device.pull()["volume"] == ("recommend", 90)
  wait(lambda: console.api("GET", f"publications/{number}")["state"] == "over")
  assert device.pull()["volume"] == ("recommend", 30)
  assert console.api("GET", "history")["items"][0]["what"] == f"ended publication {number}"
  assert console.ask("POST", f"/api/v1/publications/{number}/undo", {}).status == 409


def test_what_has_begun_for_good_is_what_the_channel_says(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30), ("welcomeText", "recommend", "Hello"))
  number = console.set("fleet", ("volume", "recommend", 60), **{"from": int(time.time()) + 2})["number"]
  # Somebody is about to change something else meanwhile.
  draft = console.api("GET", "channels/fleet/draft")
  console.api("PATCH", "channels/fleet/draft", {"revision": draft["revision"], "settings": [
    {"name": "welcomeText", "verb": "recommend", "value": "Hi"}]})
  before = document(device)
  assert before["from"] and [one["name"] for one in before["settings"]] == ["volume"]
  wait(lambda: not console.api("GET", f"publications/{number}")["overlay"])
  assert [entry["name"] for entry in entries(device)] == [f"p{number}"]
  assert device.pull() == {"volume": ("recommend", 60), "welcomeText": ("recommend", "Hello")}
  difference = console.api("GET", "channels/fleet/difference")["settings"]
  assert [(one["name"], one["after"]["value"]) for one in difference] == [("welcomeText", "Hi")]
  shown = console.api("GET", f"publications/{number}")
  assert [(one["name"], one["before"]["value"], one["after"]["value"]) for one in shown["settings"]] == [("volume", 30, 60)]
  console.api("POST", f"publications/{number}/undo", {})
  assert device.pull()["volume"] == ("recommend", 30)


def test_who_has_changed_the_same_sees_that_what_it_is_compared_with_is_another(console):
  console.set("fleet", ("volume", "recommend", 40))
  number = console.set("fleet", ("volume", "recommend", 60), **{"from": int(time.time()) + 2})["number"]
  draft = console.api("GET", "channels/fleet/draft")
  console.api("PATCH", "channels/fleet/draft", {"revision": draft["revision"], "settings": [
    {"name": "volume", "verb": "recommend", "value": 50}]})
  seen = console.api("GET", "channels/fleet/difference")
  assert [(one["before"]["value"], one["after"]["value"]) for one in seen["settings"]] == [(40, 50)]
  wait(lambda: not console.api("GET", f"publications/{number}")["overlay"])
  console.api("POST", "channels/fleet/publications", {"revision": seen["revision"]}, 409)
  present = console.api("GET", "channels/fleet/difference")
  assert [(one["before"]["value"], one["after"]["value"]) for one in present["settings"]] == [(60, 50)]


def test_what_has_begun_stays_above_what_is_weaker(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30))
  weaker = console.set("fleet", ("volume", "recommend", 10), schema=[1, 5])["number"]
  begins = int(time.time()) + 1
  number = console.set("fleet", ("volume", "recommend", 50), **{"from": begins})["number"]
  assert device.pull()["volume"] == ("recommend", 50)
  # It was looked at meanwhile.
  time.sleep(max(0, begins - time.time()) + 3)
  assert device.pull()["volume"] == ("recommend", 50) and console.api("GET", f"publications/{number}")["overlay"]
  console.api("POST", f"publications/{weaker}/undo", {})
  wait(lambda: not console.api("GET", f"publications/{number}")["overlay"])
  assert device.pull()["volume"] == ("recommend", 50)
  assert [entry["name"] for entry in entries(device)] == [f"p{number}"]


def test_what_has_begun_is_what_the_channel_says_beneath_weaker_ones_about_other_things(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30))
  weaker = console.set("fleet", ("welcomeText", "recommend", "Hello"), schema=[1, 5])["number"]
  number = console.set("fleet", ("volume", "recommend", 50), **{"from": int(time.time()) + 1})["number"]
  wait(lambda: not console.api("GET", f"publications/{number}")["overlay"])
  assert device.pull() == {"volume": ("recommend", 50), "welcomeText": ("recommend", "Hello")}
  assert [entry["name"] for entry in entries(device)] == [f"p{number}", f"p{weaker}"]


def test_what_was_stopped_is_not_resumed_above_what_was_stronger(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30))
  same, other = (console.set("fleet", setting, schema=[1, 5], steps=[1, 10000], pause=3600)["number"]
                 for setting in (("volume", "recommend", 10), ("welcomeText", "recommend", "Hello")))
  for stopped in (same, other):
    console.api("POST", f"publications/{stopped}/stop", {})
  number = console.set("fleet", ("volume", "recommend", 50), **{"from": int(time.time()) + 1})["number"]
  # As long as that is above the channel it is the stronger of the two.
  console.api("POST", f"publications/{same}/resume", {})
  assert [entry["name"] for entry in entries(device)][-1] == f"p{number}"
  console.api("POST", f"publications/{same}/stop", {})
  wait(lambda: not console.api("GET", f"publications/{number}")["overlay"])
  refused = console.api("POST", f"publications/{same}/resume", {}, 409)
  assert f"Publication {number}" in refused["detail"] and "publish it anew" in refused["detail"]
  console.api("POST", f"publications/{other}/resume", {})
  console.api("POST", f"publications/{other}/raise", {})
  assert device.pull() == {"volume": ("recommend", 50), "welcomeText": ("recommend", "Hello")}


def test_a_setting_that_is_not_said_for_a_time_is_released(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 30))
  draft = console.api("GET", "channels/fleet/draft")
  draft = console.api("PATCH", "channels/fleet/draft", {"revision": draft["revision"], "settings": [{"name": "volume"}]})
  body = {"revision": draft["revision"], "from": wall(86400)}
  refused = console.ask("POST", "/api/v1/channels/fleet/publications", body)
  assert refused.status == 422 and refused.json["pointer"] == "/from" and "volume" in refused.json["detail"]
  console.api("POST", "channels/fleet/publications", {**body, "until": wall(172800)}, 201)
  assert document(device)["settings"] == [{"name": "volume", "verb": "release"}]


def test_the_same_for_two_apps(console):
  device, = join(console)
  for app in ("till", "kiosk"):
    console.set("fleet", ("volume", "recommend", 5), app=app)
  console.set("fleet", ("volume", "recommend", 5), app="board", until=int(time.time()) + 3600, **{"from": wall(-60)})
  console.set("fleet", ("volume", "recommend", 5))
  found = entries(device)
  assert [entry.get("scope") for entry in found] == [None, "till", "kiosk", "board"]
  assert len({entry["hash"] for entry in found}) == 4
  for _, sent in device.wanted():
    assert sent["settings"] == [{"name": "volume", "verb": "recommend", "value": 5}]
    assert "from" not in sent or isinstance(sent["from"], str) or sent["from"] < 1000


def test_a_scheduled_rollout_waits_until_devices_have_it(console):
  devices = join(console, 3)
  console.set("fleet", ("volume", "recommend", 10))
  made = console.set("fleet", ("volume", "recommend", 20), until=int(time.time()) + 3600, steps=[9999, 10000])
  number = made["number"]
  for device in devices:
    assert device.report("scheduled").status in (200, 204)
  told = console.api("GET", f"publications/{number}")
  assert told["state"] == "rolling" and told["scheduled"] == 3 and told["applied"] == 0
  # The channel itself may be published all the same.
  console.set("fleet", ("welcomeText", "recommend", "Hi"))
  for device in devices:
    assert device.report().status in (200, 204)
  assert wait(lambda: (told := console.api("GET", f"publications/{number}"))["state"] == "complete" and told)["applied"] == 3


def test_a_trial_that_goes_back_stops_the_rollout(console):
  devices = join(console, 3)
  console.set("fleet", ("volume", "recommend", 10))
  trial = {"seconds": 600, "check": "screen"}
  number = console.set("fleet", ("volume", "recommend", 20), trial=trial, steps=[9999, 10000])["number"]
  assert document(devices[0])["trial"] == trial and console.api("GET", f"publications/{number}")["trial"] == trial
  devices[0].report("scheduled")
  told = console.api("GET", "devices/" + devices[0].id)
  assert told["state"] == "trial" and console.api("GET", "status")["trial"] == 1
  assert [one["id"] for one in console.api("GET", "devices?state=trial")["items"]] == [devices[0].id]
  last = told["publications"][-1]
  assert last["state"] == "trial" and "10 minutes" in last["about"] and "screen" in last["about"]
  assert "on trial" in next(one for one in told["settings"] if one["name"] == "volume")["decidedBy"]
  assert console.api("GET", f"publications/{number}")["scheduled"] == 1
  devices[0].report(refuses=lambda found: "trial" in found)
  stopped = wait(lambda: (told := console.api("GET", f"publications/{number}"))["state"] == "stopped" and told)
  assert stopped["failed"] == 1 and devices[1].pull()["volume"] == ("recommend", 10)


def test_what_was_on_trial_goes_out_for_good_with_what_is_published_next_and_that_is_said(console):
  join(console)
  console.set("fleet", ("volume", "recommend", 10))
  assert "trial" not in console.api("GET", "channels/fleet/difference")
  number = console.set("fleet", ("volume", "recommend", 20), trial={"seconds": 600, "check": "screen"})["number"]
  draft(console, ("welcomeText", "recommend", "Hi"))
  assert console.api("GET", "channels/fleet/difference")["trial"] == number
  assert f"Publication {number} was, or is, on trial" in console.run("diff", "fleet")
  console.api("POST", "channels/fleet/publications", {"revision": console.api("GET", "channels/fleet/draft")["revision"]}, 201)
  draft(console, ("welcomeText", "recommend", "Hello"))
  assert "trial" not in console.api("GET", "channels/fleet/difference")


def test_who_was_outside_of_a_rollout_is_waited_for_once_it_is_for_all(console):
  devices = join(console, 8)
  console.set("fleet", ("volume", "recommend", 10))
  number = console.set("fleet", ("volume", "recommend", 20), steps=[5000, 10000])["number"]

  def left_out():
    return [device for device in devices if device.pull()["volume"] == ("recommend", 10)]

  # Each one's number is chance: some of both kinds there shall be.
  while not 0 < len(left_out()) < len(devices):
    devices += join(console)
  outside = left_out()
  for device in devices:
    told = [{"hash": entry["hash"], "verdict": "applied" if entry["hash"] in dict(device.wanted()) else "passed-over"}
            for entry in entries(device)]
    assert device.report(documents=sorted(told, key=lambda one: one["hash"])).status in (200, 204)
  told = wait(lambda: (told := console.api("GET", f"publications/{number}"))["state"] == "complete" and told)
  assert told["applied"] == len(devices) - len(outside) and told["passedOver"] == 0
  explained = console.api("GET", "devices/" + outside[0].id)
  assert explained["state"] == "behind"
  assert next(one for one in explained["publications"] if one["publication"] == number)["about"] == "not told of yet"
  for device in outside:
    device.report()
  assert console.api("GET", f"publications/{number}")["applied"] == len(devices)


def test_what_is_said_of_a_device(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 10))
  later = console.set("fleet", ("volume", "recommend", 20), name="later", **{"from": wall(86400 * 3)}, until=wall(86400 * 4))["number"]
  newer = console.set("fleet", ("volume", "recommend", 30), schema=[2, 4])["number"]
  other = console.set("fleet", ("volume", "recommend", 40), app="till")["number"]
  listed = [({"p3": "passed-over", "p4": "passed-over", "later": "scheduled"}.get(entry["name"], "applied"))
            for entry in entries(device)]
  verdicts = [{"hash": hashed, "verdict": verdict} for (hashed, _), verdict in zip(device.wanted(), listed)]
  values = device.wanted()[:1]
  assert device.report(documents=verdicts).status in (200, 204) and values
  told = console.api("GET", "devices/" + device.id)
  found = {one["publication"]: one for one in told["publications"]}
  assert found[1]["state"] == "holds"
  assert found[later]["state"] == "scheduled" and "where the device is" in found[later]["about"] and found[later]["name"] == "later"
  assert found[newer]["state"] == "passed-over" and "versions 2 to 4 of the schema, and the device has version 1" in found[newer]["about"]
  assert found[other]["state"] == "passed-over" and "the app till" in found[other]["about"]
  volume, = (one for one in told["settings"] if one["name"] == "volume")
  assert [(one["publication"], one["value"]) for one in volume["later"]] == [(later, 20)]
  assert console.api("GET", f"publications/{newer}")["passedOver"] == 1
  text = console.run("explain", device.id)
  assert "publication 2 later of fleet: from " in text and "the app till, which this is not" in text


def test_the_command_says_when_and_for_whom(console):
  console.run("draft", "set", "fleet", "recommend", "volume", "30")
  when = ("--from", "2126-12-24T18:00", "--until", "2126-12-27T00:00", "--trial", "10m", "--check", "screen")
  words = "from 2126-12-24 18:00 until 2126-12-27 00:00 where the device is; on trial for 10 minutes, checked by screen"
  assert words in console.run("diff", *when)
  assert console.json("rollout", "list") == []
  told = console.run("publish", "--name", "christmas", "--app", "till", "--schema", "1..5", *when)
  assert told == f"publication 1 christmas: complete, {words}; for the app till; for versions 1 to 5 of the schema\n"
  assert "christmas" in console.run("rollout", "list") and words in console.run("rollout", "show", "1")
  assert f"publication 1 christmas, {words}" in console.run("history")
  line, = console.json("rollout", "list")
  assert line["from"] == "2126-12-24T18:00:00" and line["schema"] == [1, 5] and line["trial"] == {"seconds": 600, "check": "screen"}
  assert "above: publication 1 christmas" in console.run("diff")
  told = console.json("diff", "--until", "2126-12-24T18:00", "--trial", "10m", "--app", "kiosk")
  assert (told["until"], told["trial"], told["app"]) == ("2126-12-24T18:00:00", {"seconds": 600}, "kiosk")
  console.run("undo", "1")
  console.run("draft", "set", "fleet", "recommend", "volume", "30")
  assert "--from" in console.run("publish", "--from", "2126-02-30T10:00", expected=2)
  assert "over already" in console.run("publish", "--until", "2020-01-01T00:00Z", expected=4)
  assert "--trial" in console.run("publish", "--check", "screen", expected=2)
  assert "--schema" in console.run("publish", "--schema", "5..3", expected=2)


@pytest.mark.parametrize("more, pointer", [
    ({"from": wall(7200), "until": wall(3600)}, "/until"),
    ({"from": 4102444800, "until": 4102444800}, "/until"),
    ({"until": 1000}, "/until"),
    ({"from": 1000, "until": 4102444800}, "/from"),
    ({"from": "2126-02-30T10:00:00"}, "/from"),
    ({"until": "2126-12-24 18:00:00"}, "/until"),
    ({"until": "2126-12-24T24:00:00"}, "/until"),
    ({"until": True}, "/until"),
    ({"app": "A till"}, "/app"),
    ({"app": ""}, "/app"),
    ({"name": "-"}, "/name"),
    ({"schema": [3, 2]}, "/schema"),
    ({"schema": [3]}, "/schema"),
    ({"schema": [0, 2]}, "/schema/0"),
    ({"trial": {"seconds": 0}}, "/trial/seconds"),
    ({"trial": {"check": "screen"}}, "/trial/seconds"),
    ({"trial": {"seconds": 60, "check": "no check"}}, "/trial/check"),
    ({"trial": {"seconds": 60, "checks": "screen"}}, "/trial/checks"),
    ({"trial": 60}, "/trial"),
])
def test_what_is_wrong_with_a_time_or_a_name_is_told_with_its_place(serving, more, pointer):
  revision = serving.api("GET", "channels/fleet/draft")["revision"]
  refused = serving.ask("POST", "/api/v1/channels/fleet/publications", {"revision": revision, **more})
  assert refused.status == 422 and refused.json["pointer"] == pointer, refused.body


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
  console = Console(tmp_path_factory.mktemp("serving")).make().serve()
  console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [{"name": "volume", "verb": "recommend", "value": 30}]})
  yield console
  console.stop()


def test_values_fit_the_schemas_that_they_are_for(console, tmp_path):
  import json
  narrow = json.loads(json.dumps(SCHEMA))
  narrow["Groups"][0]["Settings"][0]["Maximum"] = 60
  narrow["Version"] = 2
  (tmp_path / "narrow.json").write_text(json.dumps(narrow))
  wide = json.loads(json.dumps(SCHEMA))
  wide["Version"] = 3
  wide["Groups"][0]["Settings"][0]["Maximum"] = 200
  (tmp_path / "wide.json").write_text(json.dumps(wide))
  for name in ("narrow", "wide"):
    console.run("schema", "add", tmp_path / f"{name}.json")
  draft = console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [
    {"name": "volume", "verb": "recommend", "value": 90}]})
  refused = console.ask("POST", "/api/v1/channels/fleet/publications", {"revision": draft["revision"], "schema": [1, 9]})
  assert refused.status == 422 and refused.json["pointer"] == "/schema" and "version 2 of the schema" in refused.json["detail"]
  console.api("POST", "channels/fleet/publications", {"revision": draft["revision"], "schema": [3, 9]}, 201)


def test_a_channel_has_16_at_most(console):
  for number in range(16):
    console.set("fleet", ("volume", "recommend", number), app="till")
  refused = console.api("PATCH", "channels/fleet/draft", {
    "revision": console.api("GET", "channels/fleet/draft")["revision"],
    "settings": [{"name": "volume", "verb": "recommend", "value": 20}]})
  answer = console.ask("POST", "/api/v1/channels/fleet/publications", {"revision": refused["revision"], "app": "till"})
  assert answer.status == 409 and "16" in answer.json["detail"]


def test_a_group_that_is_removed_has_none_left(console):
  console.api("POST", "groups", {"name": "lobby"}, 201)
  device, = join(console, groups=["lobby"])
  number = console.set("group.lobby", ("volume", "enforce", 2), until=wall(86400 * 2))["number"]
  assert device.pull()["volume"] == ("enforce", 2)
  console.api("DELETE", "groups/lobby", expected=204)
  console.api("POST", "groups", {"name": "lobby"}, 201)
  console.api("PATCH", "devices/" + device.id, {"groups": ["lobby"]})
  assert device.pull() == {} and console.api("GET", f"publications/{number}")["state"] == "stopped"
  refused = console.ask("POST", f"/api/v1/publications/{number}/resume", {})
  assert refused.status == 409 and "with its group" in refused.json["detail"]


def test_what_begins_to_roll_out_while_something_settles_stays_a_rollout(tmp_path):
  """Whoever settles has looked before the rollout began, and comes after it."""
  console = Console(tmp_path).make().serve()
  try:
    console.set("fleet", ("welcomeText", "recommend", "Hello"))
    rolling = console.set("fleet", ("welcomeText", "recommend", "BAD"), steps=[1, 10000], pause=3600)["number"]
    console.api("POST", f"publications/{rolling}/stop", {})
    number = console.set("fleet", ("volume", "recommend", 60), **{"from": int(time.time()) + 2})["number"]
    with contextlib.closing(sqlite3.connect(console.state / "console.db", isolation_level=None)) as database:
      database.execute("BEGIN IMMEDIATE")
      settles = database.execute("SELECT settles_at FROM publications WHERE number = ?", [number]).fetchone()[0]
      time.sleep(max(0, settles - time.time()) + 4)
      database.execute("UPDATE publications SET state = 'rolling' WHERE number = ?", [rolling])
      database.execute("UPDATE standing SET rolling = ? WHERE channel = 'fleet'", [rolling])
      database.execute("COMMIT")
    time.sleep(3)
    assert console.sql("SELECT base, rolling FROM standing WHERE channel = 'fleet'") == [["1", str(rolling)]]
    assert console.api("GET", f"publications/{number}")["overlay"]
    # Once nothing rolls out any more it settles upon what is said to all.
    console.api("POST", f"publications/{rolling}/stop", {})
    # After one look that took long the next one may be a minute off, but not for a console that starts.
    console.stop()
    console.serve()
    wait(lambda: not console.api("GET", f"publications/{number}")["overlay"])
    assert {one["name"]: one["value"] for one in console.api("GET", "channels/fleet/draft")["settings"]}["volume"] == 60
    assert console.sql("SELECT previous FROM publications WHERE number = %d" % number) == [["1"]]
  finally:
    console.stop()


def test_what_settles_loses_nothing_of_what_the_channel_says(tmp_path):
  """A document that cannot be read for the moment keeps it from settling; others go on."""
  console = Console(tmp_path).make().serve()
  try:
    for group in ("lobby", "shop"):
      console.api("POST", "groups", {"name": group}, 201)
    device, = join(console, groups=["lobby"])
    console.set("group.lobby", ("volume", "recommend", 30), ("welcomeText", "recommend", "Hello"))
    console.set("group.shop", ("volume", "recommend", 20))
    begin = int(time.time()) + 3
    first = console.set("group.lobby", ("volume", "recommend", 60), **{"from": begin})["number"]
    second = console.set("group.shop", ("volume", "recommend", 70), **{"from": begin})["number"]
    (held,), = console.sql("SELECT hex(content) FROM documents WHERE hash = (SELECT hash FROM publications WHERE number = 1)")
    (hashed,), = console.sql("SELECT hex(hash) FROM publications WHERE number = 1")
    console.sql(f"DELETE FROM documents WHERE hash = x'{hashed}'")
    # The later one is looked at after the first.
    wait(lambda: not console.api("GET", f"publications/{second}")["overlay"])
    assert console.sql(f"SELECT overlay FROM publications WHERE number = {first}") == [["1"]]
    console.sql(f"INSERT INTO documents (hash, content, stamp) VALUES (x'{hashed}', x'{held}', 1)")
    wait(lambda: not console.api("GET", f"publications/{first}")["overlay"])
    assert device.pull() == {"volume": ("recommend", 60), "welcomeText": ("recommend", "Hello")}
  finally:
    console.stop()


def test_what_says_the_same_as_an_overlay_has_a_document_of_its_own(console):
  """Also while it rolls out, and where it goes on after it was stopped."""
  device, = join(console)
  first = console.set("fleet", ("volume", "enforce", 1))["number"]
  # The document of the overlay has nothing but what differs, and its end.
  overlay = console.set("fleet", ("welcomeText", "enforce", "Hi"), app="till")["number"]
  names = lambda: [entry["name"] for entry in entries(device)]

  def put(*settings, **plan):
    """Publishes these settings, and no others."""
    revision = console.api("GET", "channels/fleet/draft")["revision"]
    listed = [{"name": name, "verb": verb, **({} if verb == "release" else {"value": value})} for name, verb, value in settings]
    revision = console.api("PUT", "channels/fleet/draft", {"revision": revision, "settings": listed})["revision"]
    return console.api("POST", "channels/fleet/publications", {"revision": revision, **plan}, 201)["number"]

  # While it rolls out it says what the overlay of another app does: volume is released.
  above = put(("volume", "release", None), ("welcomeText", "enforce", "Ho"), app="sign")
  rolling = put(("welcomeText", "enforce", "Ho"), steps=[10, 10000], pause=3600)
  assert names() == [f"p{first}", f"p{rolling}", f"p{overlay}", f"p{above}"]
  console.api("POST", f"publications/{rolling}/raise", {})
  assert names() == [f"p{rolling}", f"p{overlay}", f"p{above}"]
  # It was stopped, and something that says the same has come above it.
  stopped = put(("volume", "enforce", 7), ("welcomeText", "enforce", "Hu"), steps=[10, 10000], pause=3600)
  console.api("POST", f"publications/{stopped}/stop", {})
  same = put(("volume", "enforce", 7), ("welcomeText", "enforce", "Hu"), app="desk")
  console.api("POST", f"publications/{stopped}/resume", {})
  assert names() == [f"p{number}" for number in (rolling, stopped, overlay, above, same)]
  assert len({entry["hash"] for entry in entries(device)}) == 5

"""What may become of a publication: undone, resumed, followed by another, and tried by no device."""

import copy
import time

from conftest import SCHEMA, join, wait


def quieter(console, version=2):
  """Another schema, which takes half of the volume."""
  schema = copy.deepcopy(SCHEMA)
  schema["Version"] = version
  schema["Groups"][0]["Settings"][0]["Maximum"] = 50
  console.api("POST", "schemas", schema, 201)


def test_what_an_undo_or_a_resume_publishes_fits_the_schema(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 80))
  quieter(console)
  console.set("fleet", ("volume", "recommend", 40), ("welcomeText", "recommend", "Hello"))
  before = console.api("GET", "history")
  refused = console.api("POST", "publications/2/undo", expected=422)["detail"]
  assert refused.startswith("With the present schema: volume: ")
  assert refused.split(": ", 2)[2] in console.run("undo", "2", expected=4)
  assert console.api("GET", "history") == before and device.pull()["volume"] == ("recommend", 40)


def test_what_was_stopped_is_not_resumed_with_what_the_schema_does_not_take(console):
  device, = join(console)
  console.set("fleet", ("welcomeText", "recommend", "Hello"))
  above = console.set("fleet", ("volume", "recommend", 80), until=int(time.time()) + 3600, steps=[100, 10000], pause=3600)["number"]
  console.api("POST", f"publications/{above}/stop")
  older = console.set("fleet", ("volume", "recommend", 81), schema=[1, 1], steps=[100, 10000], pause=3600)["number"]
  console.api("POST", f"publications/{older}/stop")
  plain = console.set("fleet", ("volume", "recommend", 82), steps=[100, 10000], pause=3600)["number"]
  console.api("POST", f"publications/{plain}/stop")
  quieter(console)
  for number in (above, plain):
    assert console.api("POST", f"publications/{number}/resume", expected=422)["detail"].startswith("With the present schema: volume: ")
    assert console.api("GET", f"publications/{number}")["state"] == "stopped"
  # It is for devices with another one.
  console.api("POST", f"publications/{older}/resume")


def test_an_undo_that_takes_settings_out_always_goes(console):
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 80))
  text = console.set("fleet", ("welcomeText", "recommend", "Hello"))["number"]
  quieter(console)
  # What nobody changes by it may be for devices with another schema.
  console.api("POST", f"publications/{text}/undo")
  assert device.pull() == {"volume": ("recommend", 80)}
  console.api("POST", "publications/1/undo", expected=409)


def counted(console, number):
  told = console.api("GET", f"publications/{number}")
  return told["holds"], told["applied"], told["expected"]


def test_what_another_has_followed_waits_for_nobody(console):
  devices = join(console, 3)
  for value in (30, 31):
    console.set("fleet", ("volume", "recommend", value))
    for device in devices:
      device.report()
  assert counted(console, 1) == (False, 0, 0) and counted(console, 2) == (True, 3, 3)
  assert "does not hold any more" in console.run("rollout", "show", "1")
  assert "3 of 3 devices have it" in console.run("rollout", "show", "2")
  # Nor is it counted by what says the same later.
  console.set("fleet", ("volume", "recommend", 30))
  for device in devices:
    device.report()
  assert counted(console, 1) == (False, 0, 0) and counted(console, 3) == (True, 3, 3)
  # While something rolls out, what was there before is what the others have.
  rolling = console.set("fleet", ("volume", "recommend", 32), steps=[9999, 10000], pause=3600)["number"]
  assert counted(console, 3)[0] and counted(console, rolling)[0]
  console.api("POST", f"publications/{rolling}/raise")
  assert not counted(console, 3)[0] and counted(console, rolling)[0]
  # What holds above a channel goes on when that says something else.
  above = console.set("fleet", ("welcomeText", "recommend", "Hi"), until=int(time.time()) + 3600)["number"]
  console.set("fleet", ("volume", "recommend", 33))
  assert counted(console, above)[0]
  console.api("POST", f"publications/{above}/undo")
  assert not counted(console, above)[0]


def test_devices_of_a_group_of_the_same_name_are_not_counted_for_the_former_one(console):
  console.run("group", "add", "till")
  first, = join(console, groups=["till"])
  number = console.set("group.till", ("volume", "recommend", 30))["number"]
  first.report()
  assert counted(console, number) == (True, 1, 1)
  console.run("group", "remove", "till")
  assert counted(console, number) == (False, 0, 0)
  console.run("group", "add", "till")
  device, _ = join(console, 2, groups=["till"])
  assert counted(console, number) == (False, 0, 0)
  # Also where it says the same.
  later = console.set("group.till", ("volume", "recommend", 30))["number"]
  device.report()
  assert counted(console, number) == (False, 0, 0) and counted(console, later) == (True, 1, 2)


def test_the_first_step_of_a_small_fleet_has_somebody(console):
  devices = join(console, 3)
  console.set("fleet", ("volume", "recommend", 30))
  for value in range(40, 46):
    number = console.set("fleet", ("volume", "enforce", value), steps=[200, 10000], pause=3600)["number"]
    told = console.api("GET", f"publications/{number}")
    assert told["expected"] >= 1
    assert sum(device.pull() == {"volume": ("enforce", value)} for device in devices) == told["expected"]
    console.api("POST", f"publications/{number}/stop")



def possible(console, number):
  """What may become of a publication, which is so: what is not is refused."""
  told = console.api("GET", f"publications/{number}")
  for step, word in (("undo", "canUndo"), ("resume", "canResume")):
    if not told[word]:
      assert console.ask("POST", f"/api/v1/publications/{number}/{step}").status in (404, 409), step
  return told["canUndo"], told["canResume"]


def test_what_has_changed_nothing_is_not_undone(console):
  console.set("fleet", ("volume", "recommend", 30))
  console.set("fleet", ("volume", "recommend", 40), trial={"seconds": 600})
  # It is the same, and not on trial any more.
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  same = console.api("POST", "channels/fleet/publications", {"revision": revision}, 201)
  assert same["settings"] == [] and possible(console, same["number"]) == (False, False)
  assert "has changed nothing" in console.run("undo", str(same["number"]), expected=5)
  # What is on trial alone is taken off it.
  trial = console.api("POST", "channels/fleet/publications", {"revision": revision, "trial": {"seconds": 600}}, 201)
  assert trial["settings"] == [] and trial["canUndo"]
  assert "trial" not in console.api("POST", f"publications/{trial['number']}/undo")


def test_nothing_is_offered_of_what_was_removed(console):
  console.run("group", "add", "till")
  device, = join(console, groups=["till"])
  plan = {"steps": [5000, 10000], "pause": 3600}
  channels = ("group.till", "device." + device.id)
  whole = [console.set(channel, ("volume", "enforce", 10))["number"] for channel in channels]
  stopped = [console.set(channel, ("volume", "enforce", 11), **plan)["number"] for channel in channels]
  for number in stopped:
    assert console.api("POST", f"publications/{number}/stop")["canResume"]
  assert all(console.api("GET", f"publications/{number}")["canUndo"] for number in whole)
  console.run("group", "remove", "till")
  console.run("device", "remove", device.id)
  assert [possible(console, number) for number in whole + stopped] == [(False, False)] * 4
  # Nor of a group that has come after it.
  console.run("group", "add", "till")
  assert [possible(console, number) for number in whole + stopped] == [(False, False)] * 4


def test_what_was_stopped_goes_on_only_as_long_as_nothing_else_came(console):
  console.set("fleet", ("volume", "enforce", 10))
  number = console.set("fleet", ("volume", "enforce", 11), steps=[5000, 10000], pause=3600)["number"]
  assert possible(console, number) == (False, False)
  console.api("POST", f"publications/{number}/stop")
  assert console.api("GET", f"publications/{number}")["canResume"]
  above = console.set("fleet", ("welcomeText", "enforce", "Hi"), until=int(time.time()) + 3600, steps=[5000, 10000], pause=3600)["number"]
  console.api("POST", f"publications/{above}/stop")
  assert console.api("GET", f"publications/{above}")["canResume"] and console.api("GET", f"publications/{number}")["canResume"]
  console.set("fleet", ("volume", "enforce", 12))
  assert possible(console, number) == (False, False) and console.api("GET", f"publications/{above}")["canResume"]

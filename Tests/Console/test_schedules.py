"""Real devices take what the console publishes for a time, for an app, for versions of the schema, and on trial."""

import json
import os
import sys
import time

import pytest
from conftest import BUILD, ROOT, SCHEMA, Console, wait
from test_devices import joined, pull
from test_devices import livery as run

os.environ.setdefault("LIVERY_LIBRARY", str(BUILD / "liblivery.so"))
sys.path[:0] = [str(ROOT / "bindings" / "python")]

import livery.sync  # noqa: E402


@pytest.fixture
def console(tmp_path):
  console = Console(tmp_path).make().serve()
  yield console
  console.stop()


@pytest.fixture
def device(console, tmp_path):
  """A store that has joined, opened by an app."""
  store = joined(console, tmp_path / "till")
  with livery.open(store) as opened:
    yield opened


def told(console):
  line, = console.api("GET", "devices")["items"]
  return console.api("GET", "devices/" + line["id"])


def states(console):
  return {one["publication"]: one["state"] for one in told(console)["publications"]}


def reports(device, condition):
  """It comes to that, once the device has told: by itself it does so every minute at most."""
  def look():
    livery.sync.push(device).result(20)
    return condition()
  return wait(look, 60)


def test_what_begins_and_ends_does_so_without_being_asked(console, device, tmp_path):
  console.set("fleet", ("volume", "recommend", 10))
  now = int(time.time())
  number = console.set("fleet", ("volume", "recommend", 90), name="evening", **{"from": now + 8}, until=now + 16)["number"]
  with livery.sync.start(device):
    livery.sync.pull(device).result(20)
    assert device.get("volume") == 10
    livery.sync.push(device).result(20)
    if time.time() < now + 7:
      assert states(console)[number] == "scheduled"
      volume, = (one for one in told(console)["settings"] if one["name"] == "volume")
      assert [one["value"] for one in volume["later"]] == [90]
    wait(lambda: device.get("volume") == 90, 60)
    wait(lambda: device.get("volume") == 10, 60)
    wait(lambda: console.api("GET", f"publications/{number}")["state"] == "over", 60)
  assert "evening" in run("history", "--store", tmp_path / "till" / "store")


def test_what_proves_good_stays_and_what_does_not_goes_back(console, device):
  answers = {"screen": None}
  livery.sync.set_check(device, "screen", lambda name: answers["screen"])
  console.set("fleet", ("volume", "recommend", 10))
  with livery.sync.start(device):
    livery.sync.pull(device).result(20)
    trial = {"seconds": 120, "check": "screen"}
    number = console.set("fleet", ("volume", "recommend", 20), trial=trial, steps=[9999, 10000])["number"]
    asked = livery.sync.pull(device)
    wait(lambda: device.get("volume") == 20, 60)
    reports(device, lambda: told(console)["state"] == "trial")
    assert states(console) == {1: "holds", number: "trial"}
    # The next step waits for its end.
    shown = console.api("GET", f"publications/{number}")
    assert shown["state"] == "rolling" and shown["scheduled"] == 1
    answers["screen"] = True
    asked.result(60)
    reports(device, lambda: console.api("GET", f"publications/{number}")["state"] == "complete")
    livery.sync.pull(device).result(20)
    reports(device, lambda: told(console)["state"] == "right")
    answers["screen"] = None
    number = console.set("fleet", ("volume", "recommend", 30), trial=trial, steps=[9999, 10000])["number"]
    livery.sync.pull(device)
    wait(lambda: device.get("volume") == 30, 60)
    answers["screen"] = False
    wait(lambda: device.get("volume") == 20, 60)
    stopped = reports(device, lambda: (found := console.api("GET", f"publications/{number}"))["state"] == "stopped" and found)
    assert stopped["failed"] == 1 and "trial" in stopped["failures"][0]["problem"]
    # What the console has taken back is not refused any more.
    livery.sync.pull(device).result(20)
    reports(device, lambda: told(console)["state"] == "right")
    assert device.get("volume") == 20


def test_an_app_and_a_schema_are_passed_over_by_others(console, device):
  console.set("fleet", ("volume", "recommend", 10))
  till = console.set("fleet", ("volume", "recommend", 20), app="till")["number"]
  newer = console.set("fleet", ("welcomeText", "recommend", "New"), schema=[2, 9])["number"]
  with livery.sync.start(device):
    livery.sync.pull(device).result(20)
    livery.sync.push(device).result(20)
    assert device.get("volume") == 10 and device.get("welcomeText") == "Welcome"
    found = {one["publication"]: one for one in told(console)["publications"]}
    assert "the app till, which this is not" in found[till]["about"]
    assert "the device has version 1" in found[newer]["about"]
    assert console.api("GET", f"publications/{till}")["passedOver"] == 1
  with livery.sync.start(device, scope="till"):
    livery.sync.pull(device, scope="till").result(20)
    wait(lambda: device.get("volume") == 20, 60)
    wider = json.loads(json.dumps(SCHEMA))
    wider["Version"] = 2
    device.apply_schema(json.dumps(wider))
    wait(lambda: device.get("welcomeText") == "New", 60)
    livery.sync.push(device).result(20)
    assert states(console)[newer] == "holds" and states(console)[till] == "holds"


def test_the_command_alone(console, tmp_path):
  store = joined(console, tmp_path / "till")
  console.set("fleet", ("volume", "recommend", 10))
  # Where the device is, which has been there for an hour.
  def wall(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(time.time() + seconds))
  console.set("fleet", ("volume", "recommend", 20), **{"from": wall(-3600)}, until=wall(86400))
  assert pull(store)["volume"] == 20
  console.run("undo", "2")
  assert pull(store)["volume"] == 10

"""Real devices: the program `livery sync` on stores, against the console."""

import json
import subprocess

import pytest
from conftest import BUILD, SCHEMA, Console, wait


@pytest.fixture
def console(tmp_path):
  console = Console(tmp_path).make().serve()
  yield console
  console.stop()


def livery(*words, expected=0):
  done = subprocess.run([str(word) for word in (BUILD / "livery", *words)], capture_output=True, text=True, timeout=60)
  assert done.returncode == expected, (words, done.stderr)
  return done.stdout


def joined(console, folder, schema=SCHEMA, **more):
  folder.mkdir()
  (folder / "schema.json").write_text(json.dumps(schema))
  livery("init", "--store", folder / "store", "--schema", folder / "schema.json")
  livery("sync", "--store", folder / "store", "enroll", console.code(**more), "--name", folder.name)
  return folder / "store"


def pull(store):
  return json.loads(livery("sync", "--store", store, "pull", "--json"))["Values"]


def test_a_device_takes_what_the_console_says_and_tells_so(console, tmp_path):
  console.api("POST", "groups", {"name": "lobby"}, 201)
  store = joined(console, tmp_path / "till", groups=["lobby"])
  console.set("fleet", ("volume", "recommend", 30), ("welcomeText", "enforce", "Hello"))
  console.set("group.lobby", ("volume", "recommend", 20))
  assert pull(store) == {"volume": 20, "welcomeText": "Hello"}
  livery("set", "--store", store, "volume", "11")
  livery("sync", "--store", store, "push")
  line, = console.api("GET", "devices")["items"]
  assert line["name"] == "till" and line["state"] == "right"
  settings = {one["name"]: one for one in console.api("GET", "devices/" + line["id"])["settings"]}
  assert settings["volume"]["value"] == 11 and settings["volume"]["layer"] == "user"
  assert "over what publication 2 of group.lobby recommends" in settings["volume"]["decidedBy"]
  assert settings["welcomeText"]["decidedBy"] == "enforced by publication 1 of fleet"


def test_a_value_that_devices_refuse_stops_by_itself(console, tmp_path):
  narrow = json.loads(json.dumps(SCHEMA))
  narrow["Groups"][0]["Settings"][0]["Maximum"] = 60
  stores = [joined(console, tmp_path / f"till{index}", narrow) for index in range(3)]
  console.set("fleet", ("volume", "enforce", 10))
  for store in stores:
    assert pull(store)["volume"] == 10
  number = console.set("fleet", ("volume", "enforce", 99), steps=[9999, 10000], pause=3600)["number"]
  for store in stores:
    subprocess.run([BUILD / "livery", "sync", "--store", store, "pull"], capture_output=True, timeout=60)
    subprocess.run([BUILD / "livery", "sync", "--store", store, "push"], capture_output=True, timeout=60)
  wait(lambda: console.api("GET", f"publications/{number}")["state"] == "stopped")
  for store in stores:
    assert pull(store)["volume"] == 10


def test_signers_change_and_a_device_goes_on(console, tmp_path):
  store = joined(console, tmp_path / "till")
  console.set("fleet", ("volume", "enforce", 1))
  assert pull(store)["volume"] == 1
  console.stop()
  console.run("keys", "revoke", "--root-key", console.state / "root.key")
  console.serve()
  console.set("fleet", ("volume", "enforce", 2))
  assert pull(store)["volume"] == 2


def origins(store):
  return [commit["origin"] for commit in json.loads(livery("history", "--store", store, "--json"))
          if any(change["name"] in ("volume", "welcomeText") for change in commit["changes"])]


def origin_of(store, name):
  explained = json.loads(livery("explain", "--store", store, name, "--json"))
  return next(layer["origin"] for layer in explained["layers"] if layer["state"] == "wins")


def test_the_history_of_a_device_says_who_has_published_what_and_why(console, tmp_path):
  console.api("POST", "groups", {"name": "lobby"}, 201)
  store = joined(console, tmp_path / "till", groups=["lobby"])
  first = console.set("fleet", ("volume", "recommend", 30), comment="Quieter shops of the summer")["number"]
  pull(store)
  assert origins(store)[0] == f"sync: p{first} by eva: Quieter shops of the summer"
  # Two authors in one commit: both are named, and each value has its own.
  console.run("admin", "add", "otto", text="another password\n")
  eva, otto = console.token, console.run("token", "make", "otto").strip()
  console.token = otto
  second = console.set("group.lobby", ("welcomeText", "enforce", "Hello"), comment="Christmas")["number"]
  console.token = eva
  third = console.set("fleet", ("volume", "recommend", 40), comment="Louder")["number"]
  pull(store)
  assert origins(store)[0] == f"sync: p{second} by otto, p{third} by eva"
  assert origin_of(store, "volume") == f"sync: p{third} by eva: Louder"
  assert origin_of(store, "welcomeText") == f"sync: p{second} by otto: Christmas"
  assert f"p{second} by otto: Christmas" in livery("explain", "--store", store, "welcomeText")
  # Somebody else takes it back.
  console.api("POST", f"publications/{second}/undo")
  pull(store)
  assert origins(store)[0].startswith("sync: p") and f"by eva: Undoes publication {second}" in origins(store)[0]
  # A rollout that is stopped.
  console.token = otto
  rolling = console.set("fleet", ("volume", "recommend", 50), steps=[9999, 10000], pause=3600)["number"]
  pull(store)
  console.api("POST", f"publications/{rolling}/stop")
  assert pull(store)["volume"] == 40
  assert origins(store)[0] == f"sync: withdrawn p{rolling} by otto"
  text = livery("history", "--store", store)
  assert f"withdrawn p{rolling} by otto" in text and f"p{first} by eva: Quieter shops of the summer" in text

"""The operator and the console change the same settings, offline and online: after each step both sides say what the verbs say, by a
second implementation of docs/sync.md's table. `LIVERY_VERB_STEPS` makes it longer."""

import json
import os
import random
import subprocess

import pytest
from conftest import BUILD, SCHEMA

SEED = int(os.environ.get("LIVERY_SEED", random.randrange(1 << 30)))
STEPS = int(os.environ.get("LIVERY_VERB_STEPS", 60))
NAMES = ("volume", "welcomeText")


class Channel:
  """What a channel says: verb, value and, of a value that replaces, since which publication it does."""

  def __init__(self):
    self.says = {}

  def publish(self, number, settings):
    before, self.says = self.says, {}
    for name, (verb, value) in settings.items():
      was = before.get(name)
      keeps = verb == "replace" and was is not None and was[:2] == (verb, value)
      self.says[name] = (verb, value, was[2] if keeps else number)


class Expected:
  """What the device has of a setting: the operator's value, and what the console has set."""

  def __init__(self, default):
    self.default, self.user, self.recommended, self.enforced, self.replaced = default, None, None, None, set()

  def take(self, wanted, named):
    """Something is wanted now: a verb, a value and a number; None for nothing. `named` is what all channels name to replace with."""
    verb, value, number = wanted or ("release", None, None)
    self.enforced = value if verb == "enforce" else None
    self.recommended = value if verb in ("recommend", "replace") else None
    if verb == "replace" and (number, value) not in self.replaced:
      self.user = None
      self.replaced.add((number, value))
    self.replaced &= named

  def holds(self):
    for layer, value in (("enforced", self.enforced), ("user", self.user), ("recommended", self.recommended)):
      if value is not None:
        return layer, value
    return "defaults", self.default


class Scene:
  def __init__(self, console, folder):
    self.console, self.store = console, folder / "store"
    schema = folder / "device.json"
    schema.write_text(json.dumps(SCHEMA))
    self.livery("init", schema)
    console.api("POST", "groups", {"name": "lobby"}, 201)
    self.livery("sync", "enroll", console.code(groups=["lobby"]))
    self.id = json.loads(self.livery("sync", "status", "--json"))["device"]
    self.channels = {name: Channel() for name in ("fleet", "group.lobby", f"device.{self.id}")}
    self.expected = {"volume": Expected(50), "welcomeText": Expected("Welcome")}

  def livery(self, *words, expected=0):
    done = subprocess.run([str(word) for word in (BUILD / "livery", *words, "--store", self.store)], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "PATH": f"{BUILD}:{os.environ['PATH']}"})
    assert done.returncode == expected, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout

  def wanted(self, name):
    """Of the strongest channel that names it; a release there leaves nothing."""
    for channel in reversed(self.channels.values()):
      if name in channel.says:
        says = channel.says[name]
        return None if says[0] == "release" else says
    return None

  def operate(self, chance, value):
    """The operator chooses, or takes the choice back: what is enforced is locked."""
    name = chance.choice(NAMES)
    setting = self.expected[name]
    locked = 5 if setting.enforced is not None else 0
    if chance.random() < 0.3:
      self.livery("reset", name, expected=locked)
      if not locked:
        setting.user = None
    else:
      value = value if name == "volume" else f"operator {value}"
      self.livery("set", name, value, expected=locked)
      if not locked:
        setting.user = value

  def publish(self, chance, value):
    channel = chance.choice(list(self.channels))
    settings = {}
    for name in NAMES:
      verb = chance.choice(("recommend", "replace", "enforce", "release", None, "same"))
      if verb == "same" and name in self.channels[channel].says:
        settings[name] = self.channels[channel].says[name][:2]
      elif verb == "release":
        settings[name] = ("release", None)
      elif verb not in (None, "same"):
        settings[name] = (verb, value if name == "volume" else f"console {value}")
    draft = self.console.api("GET", f"channels/{channel}/draft")
    listed = [{"name": name, "verb": verb, **({} if verb == "release" else {"value": value})} for name, (verb, value) in settings.items()]
    draft = self.console.api("PUT", f"channels/{channel}/draft", {"revision": draft["revision"], "settings": listed})
    answer = self.console.ask("POST", f"/api/v1/channels/{channel}/publications", {"revision": draft["revision"]})
    if answer.status == 201:
      self.channels[channel].publish(answer.json["number"], settings)
    else:
      # What would change nothing is no publication.
      assert {name: says[:2] for name, says in self.channels[channel].says.items()} == settings, answer.body

  def meet(self):
    """The device is online: it asks, and tells."""
    self.livery("sync", "pull")
    for name in NAMES:
      named = {(says[2], says[1]) for channel in self.channels.values() for says in [channel.says.get(name)] if says and says[0] == "replace"}
      self.expected[name].take(self.wanted(name), named)
    self.look()
    self.livery("sync", "push")
    for name in NAMES:
      layer, value = self.expected[name].holds()
      told = self.console.api("GET", f"devices/{self.id}/settings/{name}")
      assert (told["layer"], told["value"]) == (layer, value), told

  def look(self):
    """What the device has, each layer of it."""
    for name in NAMES:
      setting = self.expected[name]
      told = json.loads(self.livery("explain", name, "--json"))
      layers = {one["layer"]: one["value"] for one in told["layers"]}
      assert (told["effective"]["layer"], told["effective"]["value"]) == setting.holds(), told
      for layer in ("user", "recommended", "enforced"):
        assert layers.get(layer) == getattr(setting, layer), (layer, told)


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_both_sides_say_what_the_verbs_say(console, tmp_path):
  print(f"LIVERY_SEED={SEED}")
  chance = random.Random(SEED)
  scene = Scene(console, tmp_path)
  scene.meet()
  offline = 0
  for number in range(STEPS):
    value = number % 100 + 1 if number % 100 != 49 else 99
    if chance.random() < 0.5:
      scene.operate(chance, value)
    else:
      scene.publish(chance, value)
    # It is offline for a while, every now and then.
    offline = offline - 1 if offline else chance.choice((0, 0, 0, 3, 8))
    if not offline:
      scene.meet()
    elif chance.random() < 0.3:
      scene.look()
  scene.meet()

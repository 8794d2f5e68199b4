"""What a console and an operator do to the same settings, in random order, against a model of it."""

import random

import livery
import pytest

NAMES = ["volume", "greeting", "lamp"]
LAYERS = ["recommended", "user", "session", "enforced"]
PEOPLE = ["user", "session"]
SEQUENCES, STEPS = 1000, 24


class Model:
  """Layers of values, and of each commit what it replaced and what it left."""

  def __init__(self):
    self.layers = {layer: {} for layer in LAYERS}
    self.commits = []

  def value(self, name):
    return next(((layer, self.layers[layer][name]) for layer in reversed(LAYERS) if name in self.layers[layer]), None)

  def is_locked(self, layer, name):
    return layer != "enforced" and name in self.layers["enforced"]

  def commit(self, revision, edits):
    """Carries out edits: a list of layer, name and value, None for none."""
    done = {}
    for layer, name, value in edits:
      done.setdefault((layer, name), self.layers[layer].get(name))
      if value is None:
        self.layers[layer].pop(name, None)
      else:
        self.layers[layer][name] = value
    left = {place: (old, self.layers[place[0]].get(place[1])) for place, old in done.items()}
    self.commits.append((revision, {place: values for place, values in left.items() if values[0] != values[1]}))

  def would_change(self, edits):
    return any(self.layers[layer].get(name) != value for layer, name, value in edits)

  def undoing(self, index):
    """The edits that take a commit back, and whether later ones are in the way."""
    revision, done = self.commits[index]
    names = {name for _, name in done}
    later = any(name in names for _, others in self.commits[index + 1:] for _, name in others)
    return revision, [(layer, name, old) for (layer, name), (old, _) in done.items()], later


def replacing(model, name, value):
  return [("recommended", name, value)] + [(layer, name, None) for layer in PEOPLE if name in model.layers[layer]]


def agree(store, model, told):
  for name in NAMES:
    expected = model.value(name)
    assert store.get(name, None) == (expected and expected[1]), told


def agree_in_all_layers(store, model, told):
  agree(store, model, told)
  for name in NAMES:
    expected = model.value(name)
    if expected:
      report = store.inspect(name)
      assert report["effective"]["layer"] == expected[0], told
      found = {layer["layer"]: layer["value"] for layer in report["layers"]}
      assert found == {layer: values[name] for layer, values in model.layers.items() if name in values}, told


def step(chance, store, model, told):
  """One act of somebody; what was done, for messages."""
  name, value = chance.choice(NAMES), chance.randrange(4)
  verb = chance.choices(["recommend", "replace", "enforce", "release", "operator", "reset", "session", "logout", "both", "undo"],
                        [3, 4, 2, 3, 5, 2, 3, 1, 2, 4])[0]
  before = store.revision
  if verb == "undo":
    if not model.commits:
      return verb
    index = max(0, len(model.commits) - 1 - int(chance.expovariate(0.7)))
    revision, edits, is_late = model.undoing(index)
    try:
      made = store.undo(revision)
    except livery.ConflictError:
      assert is_late, told
      return verb
    except livery.LockedError:
      assert not is_late and any(model.is_locked(layer, name) for layer, name, _ in edits)
      return verb
    assert not is_late, (told, verb, revision, model.commits)
    model.commit(made, edits)
    return f"undo {revision}"
  edits = {
    "recommend": lambda: [("recommended", name, value)], "replace": lambda: replacing(model, name, value),
    "enforce": lambda: [("enforced", name, value)], "release": lambda: [("enforced", name, None)],
    "operator": lambda: [("user", name, value)], "reset": lambda: [("user", name, None)],
    "session": lambda: [("session", name, value)], "logout": lambda: [("session", name, None)],
    "both": lambda: [("user", name, value), ("recommended", chance.choice(NAMES), value)],
  }[verb]()
  layer = edits[0][0]
  told = f"{verb} {edits}"
  try:
    with store.change(layer, origin="console" if layer in ("recommended", "enforced") else "operator") as change:
      if verb == "replace":
        change.replace(name, value)
      else:
        for layer, name, value in edits:
          change.use(layer)
          if value is None:
            change.reset(name)
          else:
            change.set(name, value)
  except livery.LockedError:
    assert any(model.is_locked(layer, name) for layer, name, _ in edits), told
    assert store.revision == before, told
    return told
  assert not any(model.is_locked(layer, name) for layer, name, value in edits if value is not None), told
  changed = model.would_change(edits)
  assert store.revision == before + (1 if changed else 0), told
  if changed:
    model.commit(store.revision, edits)
  return told


@pytest.mark.parametrize("part", range(10))
def test_verbs_agree_with_a_model(part):
  for seed in range(part * SEQUENCES // 10, (part + 1) * SEQUENCES // 10):
    chance = random.Random(seed)
    with livery.open(f"verbs{seed}", create=True, memory=True) as store:
      model, told = Model(), []
      for _ in range(STEPS):
        told.append(step(chance, store, model, (seed, told)))
        agree(store, model, (seed, told))
      agree_in_all_layers(store, model, (seed, told))

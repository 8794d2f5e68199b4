"""Schema upgrades: what becomes of values, and functions of Python's own."""

import gc
import json

import pytest

import livery
from conftest import FIXTURES

OPEN = {"Version": 1, "Open": True, "Groups": []}


def sample(version):
  return (FIXTURES / "asm" / f"SettingsSchema.v{version}.json").read_bytes()


def upgrade(*steps, version=2):
  return {"Version": version, "Open": True, "Groups": [], "Migrations": [{"To": version, "Steps": list(steps)}]}


def field(key):
  return {"Type": "TextField", "Title": key, "Key": key}


def test_a_comparison_finds_what_loses_values():
  old = {"Version": 1, "Groups": [{"Title": "G", "Settings": [field("idleTime")]}]}
  new = {"Version": 2, "Groups": [{"Title": "G", "Settings": [field("idle_time")]}]}
  report = livery.compare_schemas(old, new)
  assert (report["errors"], report["oldVersion"], report["version"]) == (1, 1, 2)
  assert [finding["code"] for finding in report["findings"]] == ["removed-key"]
  new["Migrations"] = [{"To": 2, "Steps": [{"Op": "rename", "From": "idleTime", "Into": "idle_time"}]}]
  assert livery.compare_schemas(old, new)["findings"] == []
  assert livery.compare_schemas(sample(1), sample(2))["errors"] == 0
  with pytest.raises(livery.SchemaInvalidError):
    livery.compare_schemas(old, {})


CALL = upgrade({"Op": "call", "Name": "host"})


@pytest.fixture
def opened(store):
  store.apply_schema(OPEN)
  store.set("a", 2)
  store.set("b", "three")
  return store


@pytest.mark.parametrize("versions", [(2, 3), (3,)])
def test_the_sample_comes_out_the_same_either_way(kiosk, versions):
  for version in versions:
    assert kiosk.apply_schema(sample(version))["applied"]
  assert json.loads(kiosk.export_json()) == {
    "Version": 3,
    "Values": {
      "adminPassword": "s3cr3t",
      "progressIndicator": False,
      "idleResetSeconds": 60,
      "cacheKey": True,
      "mediaUrl": "https://media.example/loop.mp4",
      "screensaverPlaylist": [
        {"content": "https://media.example/a.png", "cacheKey": True, "seconds": 10},
        {"content": "https://media.example/b.png", "cacheKey": False, "seconds": 10},
      ],
    },
  }


def test_a_plan_tells_and_touches_nothing(kiosk):
  before, revision = kiosk.export_json(layers=True), kiosk.revision
  plan = kiosk.check_schema(sample(3))
  assert next(step for step in plan["steps"] if step["version"] == 3) == {
    "version": 3, "step": 1, "op": "rename", "layer": "user", "name": "duration", "into": ["idleResetSeconds"],
    "before": "1", "after": "1", "outcome": "moved", "secret": False,
  }  # fmt: skip
  assert kiosk.export_json(layers=True) == before and kiosk.revision == revision
  assert kiosk.apply_schema(sample(3))["steps"] == plan["steps"]


def test_a_step_that_fails_is_an_exception_with_the_report(opened):
  with pytest.raises(livery.MigrationError, match="step 1 .convert.: `b` in the layer user") as caught:
    opened.apply_schema(upgrade({"Op": "convert", "Key": "b", "Type": "integer"}))
  assert caught.value.setting == "b"
  assert [step["outcome"] for step in caught.value.report["steps"]] == ["failed"]
  assert opened.schema_version == 1 and opened["b"] == "three"


def test_a_function_works_on_a_mapping_of_the_layer(opened):
  seen = []

  def step(migration):
    seen.append((migration.layer, migration.version, list(migration), len(migration)))
    assert "a" in migration and "c" not in migration and 1 not in migration
    assert migration["a"] == 2 and migration.get("c", 7) == 7
    with pytest.raises(livery.NoValueError):
      del migration["c"]
    migration["list"] = [{"n": migration.pop("a")}]
    migration["b"] = migration["b"].upper()

  opened.register_migration("host", step)
  gc.collect()
  report = opened.apply_schema(CALL)
  assert seen == [(livery.Layer.USER, 2, ["a", "b"], 2)]
  assert "a" not in opened and opened["list"] == [{"n": 2}] and opened["b"] == "THREE"
  assert {step["outcome"] for step in report["steps"]} == {"set", "removed"}


def test_an_exception_in_a_function_leaves_the_store_as_it_was(opened):
  def step(migration):
    migration["a"] = 3
    raise LookupError("no such panel")

  opened.register_migration("host", step)
  with pytest.raises(livery.MigrationError, match="LookupError: no such panel") as caught:
    opened.apply_schema(CALL)
  assert isinstance(caught.value.__cause__, LookupError)
  assert opened["a"] == 2 and opened.schema_version == 1
  with pytest.raises(livery.MigrationError):
    opened.check_schema(CALL)


def test_an_interrupt_in_a_function_is_not_swallowed(opened):
  def step(migration):
    raise KeyboardInterrupt

  opened.register_migration("host", step)
  with pytest.raises(KeyboardInterrupt):
    opened.apply_schema(CALL)
  assert opened.schema_version == 1


def test_a_migration_that_is_kept_is_closed(opened):
  kept = []
  opened.register_migration("host", kept.append)
  opened.apply_schema(CALL)
  for use in (lambda m: m["a"], lambda m: m.layer, lambda m: m.version, list, lambda m: m.update(a=1)):
    with pytest.raises(livery.ClosedError):
      use(kept[0])


def test_functions_live_as_long_as_the_store(path):
  import weakref

  class Step:
    def __call__(self, migration):
      pass

  first, second = Step(), Step()
  gone = [weakref.ref(first), weakref.ref(second)]
  with livery.open(path, create=True) as store:
    store.register_migration("host", first)
    store.register_migration("host", second)
    del first, second
    gc.collect()
    assert gone[0]() is None and gone[1]() is not None
  gc.collect()
  assert gone[1]() is None


def test_mistakes_are_exceptions(opened):
  with pytest.raises(TypeError):
    opened.register_migration("host", 1)
  with pytest.raises(livery.InvalidArgumentError):
    opened.register_migration("", print)
  with pytest.raises(livery.MigrationError, match="no function is registered"):
    opened.apply_schema(CALL)


def test_orphans_are_kept_for_so_many_versions(tmp_path):
  def schema(version, *keys):
    return {"Version": version, "Groups": [{"Title": "G", "Settings": [field(key) for key in keys]}]}

  with livery.open(tmp_path / "store", create=True, orphan_versions=2) as store:
    store.apply_schema(schema(1, "a", "b"))
    store.set("a", "kept")
    store.apply_schema(schema(2, "b"))
    assert "a" not in store
    found = store.inspect("a")
    assert found["orphaned"] == {"since": 2, "until": 3}
    assert [(layer["state"], layer["value"]) for layer in found["layers"]] == [("orphaned", "kept")]
    assert store.apply_schema(schema(3, "b"))["dropped"] == []
    plan = store.check_schema(schema(4, "b"))
    assert plan["dropped"] == [
      {
        "name": "a",
        "layer": "user",
        "value": "kept",
        "since": 2,
        "until": 3,
        "secret": False,
        "message": "orphaned since version 2, kept up to version 3",
      }
    ]
    assert store.check_schema(schema(4, "a", "b"))["dropped"] == []
    assert store.apply_schema(schema(4, "b"))["dropped"] == plan["dropped"]
    with pytest.raises(livery.NotFoundError):
      store.inspect("a")
  with pytest.raises(livery.InvalidArgumentError):
    livery.open(tmp_path / "store", orphan_versions=-1)


def test_as_many_backups_are_kept_as_the_option_says(tmp_path):
  with livery.open(tmp_path / "store", create=True, backups=2) as store:
    for version in range(1, 6):
      store.apply_schema({"Version": version, "Groups": []})
    assert [backup["schemaVersion"] for backup in store.backups()] == [4, 3]


def test_what_is_declared_no_more_locks_nothing(store):
  store.apply_schema({"Version": 1, "Groups": [{"Title": "G", "Settings": [field("a"), field("b")]}]})
  store.set("b", "the app's", layer="bundle")
  store.set("b", "the console's", layer="enforced")
  with pytest.raises(livery.LockedError):
    store.reset("b", layer="bundle")
  store.apply_schema({"Version": 2, "Groups": [{"Title": "G", "Settings": [field("a")]}]})
  assert "b" not in store
  assert not store.inspect("b")["locked"]
  store.reset("b", layer="bundle")
  assert [layer["layer"] for layer in store.inspect("b")["layers"]] == ["enforced"]

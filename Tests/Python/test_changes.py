"""A change set is committed whole or not at all."""

import threading
import time
from datetime import datetime, timedelta, timezone

import livery
import pytest


def test_leaving_the_block_commits_once(store):
  before = store.revision
  with store.change("user", origin="service") as change:
    change["a"] = 1
    change["b"] = [2]
    assert "a" not in store and change.revision is None
  assert change.revision == store.revision == before + 1
  assert store["a"] == 1 and store["b"] == [2]
  assert store.inspect("a")["layers"][0]["origin"] == "service"
  assert change.closed and change.layer is livery.Layer.USER


def test_an_exception_discards(store):
  before = store.revision
  with pytest.raises(ZeroDivisionError):
    with store.change() as change:
      change["a"] = 1
      raise ZeroDivisionError
  assert "a" not in store and store.revision == before and change.closed
  with pytest.raises(livery.ClosedError):
    change["a"] = 2


def test_discarding_inside_the_block_leaves_quietly(store):
  with store.change() as change:
    change["a"] = 1
    change.discard()
  assert "a" not in store


def test_a_change_of_nothing_makes_no_revision(store):
  store.set("a", 1)
  before = store.revision
  store.set("a", 1)
  with store.change() as change:
    change["a"] = 1
  with store.change():
    pass
  assert store.revision == before == change.revision


def test_deleting_uncovers_the_layer_beneath(declared):
  declared.set("title", "Bundled", "bundle")
  declared.set("title", "Mine")
  assert declared["title"] == "Mine"
  with declared.change() as change:
    del change["title"]
  assert declared["title"] == "Bundled"
  declared.reset("title", livery.Layer.BUNDLE)
  assert declared["title"] == "Welcome"
  declared.reset("title")


def test_reset_all_is_logging_out(declared):
  with declared.change("session") as change:
    change["title"] = "Hello"
    change["status"] = "busy"
  with declared.change("session") as change:
    change.reset_all()
    change["status"] = "idle"
  assert declared["title"] == "Welcome" and declared["status"] == "idle"


def test_every_violation_is_reported(declared):
  before = declared.revision
  with pytest.raises(livery.LiveryError) as caught:
    with declared.change() as change:
      change["volume"] = 101
      change["mode"] = "dusk"
      change["nothing"] = 1
      change["sound"] = "perhaps"
      change["title"] = "fine"
  names = [violation["name"] for violation in caught.value.violations]
  assert names == ["volume", "mode", "nothing", "sound"]
  assert caught.value.violations[0]["constraint"] == "Maximum"
  assert caught.value.violations[2]["status"] == "LIVERY_ERROR_NOT_FOUND"
  assert isinstance(caught.value, livery.InvalidValueError) and caught.value.setting == "volume"
  assert declared.revision == before and declared["title"] == "Welcome" and change.closed


def test_a_failed_commit_can_be_corrected(declared):
  change = declared.change()
  change["volume"] = 101
  with pytest.raises(livery.InvalidValueError):
    change.commit()
  assert change.violations()[0]["name"] == "volume" and not change.closed
  change["volume"] = 99
  assert change.commit() == declared.revision and declared["volume"] == 99


def test_secrets_are_masked(declared):
  with pytest.raises(livery.InvalidValueError) as caught:
    declared.set("secret", "hunter2-hunter2")
  assert "hunter2" not in str(caught.value)


def test_single_writes_name_what_is_wrong(declared):
  with pytest.raises(livery.NotFoundError, match="volume"):
    declared.set("volum", 1)
  with pytest.raises(livery.TypeMismatchError):
    declared.set("volume", "loud")
  with pytest.raises(livery.ReadOnlyError):
    declared.set("serial", "1")
  declared.set("serial", "1", "enforced")
  declared.set("volume", "7")
  assert declared["volume"] == 7 and type(declared["volume"]) is int


def test_an_enforced_value_locks(declared):
  declared.set("title", "Brand", "enforced")
  with pytest.raises(livery.LockedError) as caught:
    declared.set("title", "Mine")
  assert caught.value.setting == "title"
  assert declared.list("title")[0]["locked"] is True


def test_expectations_find_conflicts(store):
  store.set("a", 1)
  known = store.revision
  store.set("a", 2)
  with pytest.raises(livery.ConflictError):
    with store.change() as change:
      change.expect("a", known)
      change["a"] = 3
  with store.change() as change:
    change.expect("a", store.revision)
    change.expect("new", 0)
    change["a"] = 3
  assert store["a"] == 3
  for wrong in (-1, 1 << 64):
    with pytest.raises(livery.InvalidArgumentError):
      store.change().expect("a", wrong)


def test_override_needs_permission_and_expiry(path):
  with livery.open(path, create=True) as store:
    with pytest.raises(livery.ReadOnlyError):
      store.change("override")
  with livery.open(path, allow_override=True) as store:
    with pytest.raises(livery.InvalidValueError):
      store.set("a", 1, "override")
    with store.change("override") as change:
      change.expires(timedelta(seconds=1))
      change["a"] = 1
      change.expires(datetime.now(timezone.utc) + timedelta(hours=1))
      change["b"] = 1
    assert store["a"] == store["b"] == 1
    import time

    time.sleep(1.1)
    assert "a" not in store and store["b"] == 1


def test_an_expiry_is_a_moment_in_the_future(store):
  change = store.change("session")
  change.expires(datetime(1970, 1, 1, tzinfo=timezone.utc))
  change["a"] = 1
  with pytest.raises(livery.InvalidValueError):
    change.commit()
  change.expires(None)
  change["a"] = 1
  change.commit()
  change = store.change("session")
  with pytest.raises(livery.InvalidValueError):
    change.expires(datetime(2026, 1, 1))
  with pytest.raises(livery.InvalidArgumentError):
    change.expires(timedelta.max)
  with pytest.raises(TypeError):
    change.expires("5")
  with pytest.raises(livery.InvalidArgumentError):
    store.change("user").expires(timedelta(1))


@pytest.mark.parametrize("layer", ["", "USER", "users", 7, -1, 1 << 32, (1 << 32) + 3])
def test_there_is_no_such_layer(store, layer):
  for attempt in (lambda: store.set("a", 1, layer), lambda: store.change(layer), lambda: store.reset("a", layer)):
    with pytest.raises(livery.InvalidArgumentError):
      attempt()


def test_layers_are_names_numbers_or_members(store):
  for layer in ("bundle", 1, livery.Layer.BUNDLE):
    store.set("a", 1, layer)
  for layer in (None, 1.0, True, b"user"):
    with pytest.raises(TypeError):
      store.set("a", 1, layer)
  with pytest.raises(livery.ReadOnlyError):
    store.set("a", 1, "defaults")


def test_origins_are_short_text(store):
  for origin in ("x" * 64, "a\nb", "a\0b", "\ud800"):
    with pytest.raises(livery.InvalidArgumentError):
      store.change(origin=origin)


def test_what_the_console_replaces_counts(declared):
  declared.set("volume", 20)
  with declared.change("recommended", origin="console") as change:
    change.replace("volume", 60)
    assert change.get("volume") == 60
    assert declared.get("volume") == 20
  assert declared.get("volume") == 60
  told = declared.history(limit=1)[0]["changes"][0]
  assert told["layer"] == "recommended" and told["replaced"] == ["user"]
  assert "The console replaced the operator's 20 by 60 at revision" in declared.inspect("volume")["reason"]
  declared.undo(change.revision)
  assert declared.get("volume") == 20


def test_a_change_set_of_several_layers_is_one_commit(declared):
  before = declared.revision
  with declared.change("user") as change:
    change["volume"] = 20
    change.use("recommended")
    assert change.layer is livery.Layer.RECOMMENDED
    change["volume"] = 30
    change.use(livery.Layer.USER)
    del change["volume"]
  assert declared.revision == before + 1
  assert declared.get("volume") == 30
  with declared.change() as change:
    with pytest.raises(livery.ReadOnlyError):
      change.use("defaults")
    with pytest.raises(livery.InvalidArgumentError):
      change.use("no layer")
    with pytest.raises(livery.NotFoundError):
      change.get("no setting")


def test_an_edit_counts_up_among_threads(store):
  store.set("count", 0)

  def count(change):
    change.set("count", change.get("count") + 1)

  def many():
    for _ in range(50):
      store.edit(count, origin="counter")

  threads = [threading.Thread(target=many) for _ in range(4)]
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  assert store["count"] == 200
  assert store.inspect("count")["layers"][0]["origin"] == "counter"


def test_an_edit_is_made_whole_or_not_at_all(declared):
  before = declared.revision
  kept = []

  def fails(change):
    kept.append(change)
    change["volume"] = 20
    raise ZeroDivisionError

  with pytest.raises(ZeroDivisionError):
    declared.edit(fails)
  assert declared.edit(lambda change: (change.set("volume", 30), change.discard())) == before
  with pytest.raises(livery.LiveryError) as refused:
    declared.edit(lambda change: change.set("volume", 1000))
  assert [violation["name"] for violation in refused.value.violations] == ["volume"]
  with pytest.raises(livery.NotFoundError):
    declared.edit(lambda change: change.get("no setting"))
  with pytest.raises(livery.InvalidArgumentError):
    declared.edit(lambda change: change.commit())
  with pytest.raises(livery.ReadOnlyError):
    declared.edit(lambda change: None, "defaults")
  with pytest.raises(TypeError):
    declared.edit(None)
  assert declared.revision == before and kept[0].closed
  assert declared.edit(lambda change: change.set("volume", 40), "recommended") == before + 1


def test_a_claimed_namespace_is_checked_by_its_owner(declared, tmp_path):
  def check(name, value):
    if not isinstance(value, int):
      raise ValueError("counts only")
    if value == 13:
      raise livery.ConflictError("not that")
    return abs(value)

  with pytest.raises(livery.NotFoundError):
    declared.set("kept.a", 1)
  declared.claim("kept.", check)
  declared.set("kept.a", -7)
  assert declared["kept.a"] == 7
  with pytest.raises(livery.InvalidValueError, match="kept.a.*counts only"):
    declared.set("kept.a", "seven")
  with pytest.raises(livery.ConflictError, match="not that"):
    declared.set("kept.a", 13)
  with pytest.raises(livery.ConflictError):
    declared.claim("branding.", check)
  with pytest.raises(livery.InvalidArgumentError):
    declared.claim("kept", check)
  with pytest.raises(TypeError):
    declared.claim("other.", None)
  assert declared["kept.a"] == 7


def commits(store, layer, name, revision, value):
  """Whether a commit that expects a setting as of a revision is taken."""
  change = store.change(layer)
  change.expect(name, revision)
  change.set(name, value)
  try:
    change.commit()
  except livery.ConflictError as error:
    change.discard()
    assert "changed at revision" in str(error)
    return False
  return True


def test_what_was_removed_has_changed_also_where_a_stronger_layer_covers_it(store):
  store.set("a", "mine")
  store.set("a", "session", layer="session")
  seen = store.revision
  store.reset("a")
  change = store.change("user")
  change.expect("a", seen)
  with pytest.raises(livery.ConflictError, match=f"changed at revision {seen + 1}"):
    change.commit()
  change.discard()
  assert not commits(store, "user", "a", seen, "new") and commits(store, "user", "a", store.revision, "new")
  with store.change("bundle") as change:
    change.expect("never", 0)
    change["never"] = 1


ALIASED = {"Version": 1, "Groups": [{"Title": "G", "Settings": [
  {"Type": "Number", "Format": "integer", "Key": "n", "Title": "n", "Maximum": 10, "Aliases": ["m", "o"]}]}]}


def test_of_edits_by_name_and_alias_the_last_counts(store):
  store.apply_schema(ALIASED)
  change = store.change("user")
  change.set("m", 99)
  change.set("n", 3)
  assert change.get("n") == change.get("m") == 3
  change.commit()
  assert store["n"] == 3
  with store.change("user") as change:
    change["n"], change["o"] = 99, 4
  assert store["n"] == 4
  before = store.revision
  with store.change("user") as change:
    change["m"], change["n"] = 1, 4
  with store.change("user") as change:
    change.trial(30)
    change["o"], change["n"] = 1, 4
  assert store.revision == before and store.trial()["state"] == "none"
  # The members of a document have no order.
  with pytest.raises(livery.ParseError):
    store.import_json({"m": 5, "n": 6})
  assert store["n"] == 4
  # Each layer for itself.
  with store.change("user") as change:
    change["m"] = 7
    change.use("bundle")
    change["n"] = 8
  assert [layer["value"] for layer in store.inspect("n")["layers"]] == [7, 8]


def test_names_of_a_layer_are_those_that_it_holds_until_they_are_removed(store):
  with store.change("session") as change:
    change.expires(0.05)
    change["b"] = "x"
    change.expires(60)
    change["c"] = "y"
  time.sleep(0.1)
  change = store.change("session")
  # Who clears a layer by its names is to find also what a clock that is ahead has ended for a while.
  assert change.names("session") == ["b", "c"]
  change.discard()
  with store.snapshot() as snapshot:
    assert snapshot.names("session") == ["b", "c"]
  store.set("other", 1)
  with store.snapshot() as snapshot:
    assert snapshot.names("session") == ["c"]


def test_a_restored_backup_changes_what_was_read_before(store):
  store.set("a", "one", layer="recommended")
  store.set("a", "mine")
  store.backup()
  store.set("a", "two", layer="recommended")
  seen = store.revision
  store.restore()
  assert not commits(store, "recommended", "a", seen, "three") and commits(store, "recommended", "a", store.revision, "three")
  with store.change("user") as change:
    change.expect("never", 0)
    change["never"] = 1


def test_of_a_partial_import_by_name_and_alias_the_last_that_fits_counts(store):
  store.apply_schema(ALIASED)
  assert store.import_json({"m": 3, "n": 99}, partial=True)["imported"] == 1 and store["n"] == 3
  assert store.import_json({"m": 4, "o": 5, "n": 99}, partial=True)["imported"] == 1 and store["n"] == 5


def test_names_of_a_layer_count_the_last_edit_by_whatever_name(store):
  store.apply_schema(ALIASED)
  store.set("n", 1)
  change = store.change("recommended")
  change.replace("m", 5)
  change.set("n", 6)
  assert change.names("user") == ["n"] and change.get("n", "user") == 1
  change.commit()
  assert [layer["value"] for layer in store.inspect("n")["layers"]] == [1, 6]


def test_what_the_console_lets_count_stays_when_a_trial_goes_back():
  store = livery.open(memory=True)
  store.set("volume", 10)
  with store.change(trial=60) as change:
    change.reset("volume")
  with store.change("recommended") as change:
    change.replace("volume", 5)
  store.revert_trial()
  assert store["volume"] == 5

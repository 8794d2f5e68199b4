"""The log is told as asked for, and a commit is taken back whole."""

from datetime import datetime, timedelta, timezone

import livery
import pytest
from livery import Layer


def revisions(commits):
  return [commit["revision"] for commit in commits]


@pytest.fixture
def past(store):
  """Three commits."""
  store.set("a", 1)
  with store.change("bundle", origin="shipped") as change:
    change["b"] = 2
  with store.change("user", origin="test") as change:
    change["a"], change["b"] = 3, 4
  return store


def test_the_latest_comes_first(past):
  latest, shipped, first = past.history()
  assert revisions([latest, shipped, first]) == [3, 2, 1]
  assert latest["origin"] == "test" and latest["layer"] == "user" and latest["kind"] == "change"
  assert latest["changes"] == [
    {"name": "a", "layer": "user", "old": 1, "new": 3},
    {"name": "b", "layer": "user", "old": 2, "new": 4},
  ]
  assert first["changes"] == [{"name": "a", "layer": "user", "new": 1}]
  assert abs(datetime.now(timezone.utc) - first["time"]) < timedelta(minutes=1)


def test_it_is_narrowed(past):
  assert revisions(past.history("b")) == [3, 2]
  assert [change["name"] for change in past.history("b")[0]["changes"]] == ["b"]
  assert revisions(past.history(layer="bundle")) == revisions(past.history(layer=Layer.BUNDLE)) == [2]
  assert revisions(past.history(origin="test")) == [3]
  assert revisions(past.history(limit=2)) == [3, 2] and past.history(limit=0) == []
  assert revisions(past.history(before=3)) == [2, 1] and past.history(before=0) == []
  middle = past.history()[1]["time"]
  assert revisions(past.history(since=middle)) == [3, 2]
  assert revisions(past.history(until=middle)) == [1]
  epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
  assert past.history(until=epoch) == [] and len(past.history(since=epoch)) == 3


def test_undo_brings_back_what_was(past):
  assert past.undo(3) == 4
  assert dict(past) == {"a": 1, "b": 2}
  assert past.history(limit=1)[0]["changes"][0] == {"name": "a", "layer": "user", "old": 3, "new": 1}
  with pytest.raises(livery.ConflictError, match="a"):
    past.undo(3)
  assert past.undo(3, force=True) in (4, 5)
  with pytest.raises(livery.NotFoundError):
    past.undo(1000)


def test_mistakes_are_told(past):
  for arguments in ({"limit": -1}, {"before": -1}, {"before": 1 << 64}, {"layer": "usr"}, {"pattern": ""}):
    with pytest.raises(livery.InvalidArgumentError):
      past.history(**arguments)
  with pytest.raises(livery.InvalidValueError):
    past.history(since=datetime.now())
  with pytest.raises(livery.InvalidArgumentError):
    past.undo(-1)


def test_the_log_is_as_long_as_asked_for(path):
  with livery.open(path, create=True, log_entries=3, log_age=timedelta(days=1)) as store:
    for number in range(10):
      store.set("a", number)
    assert len(store.history()) == 3
    with pytest.raises(livery.NotFoundError):
      store.undo(1)
  for mistake in ({"log_entries": 0}, {"log_entries": 1 << 32}, {"log_age": 0}, {"log_age": float("nan")}):
    with pytest.raises(livery.InvalidArgumentError):
      livery.open(path, **mistake)


def test_the_log_is_bounded_in_bytes(path):
  with livery.open(path, create=True, log_bytes=1 << 20, deferred=True) as store:
    for number in range(40):
      store.set("a", bytes([number]) * 100_000)
    figures = store.stats()
    assert figures["logBytes"] <= figures["maxLogBytes"] == 1 << 20
    assert len(store.history()) < 10
    store.undo(store.revision)
    assert store["a"] == bytes([38]) * 100_000
  for mistake in (0, -1, 1 << 64):
    with pytest.raises(livery.InvalidArgumentError):
      livery.open(path, log_bytes=mistake)


def test_what_is_large_is_undone_and_never_gone_back_over(store):
  store.set("s7", 1)
  with store.change("user") as change:
    for number in range(10_001):
      change[f"s{number}"] = 2
  assert store.history(limit=1)[0]["tooLarge"] is True and store.history(limit=1)[0]["changes"] == []
  with pytest.raises(livery.ConflictError, match="s7"):
    store.undo(1)
  assert store["s7"] == 2
  store.undo(2)
  assert dict(store) == {"s7": 1}


def test_a_commit_of_several_layers_is_found_by_each_of_them(store):
  with store.change("recommended") as change:
    change["a"] = 1
    change.use("enforced")
    change["b"] = 2
  assert [[one["name"] for one in commit["changes"]] for commit in store.history(layer="enforced")] == [["a", "b"]]
  assert len(store.history("b", layer="enforced")) == 1 and store.history("a", layer="enforced") == []
  assert len(store.history("a", layer="recommended")) == 1 and store.history("b", layer="recommended") == []


def test_the_confirmation_of_a_trial_is_of_all_its_layers(store):
  with store.change("user") as change:
    change.trial(600)
    change["a"] = 1
    change.use("session")
    change["b"] = 2
  store.confirm_trial(store.trial()["revision"])
  for layer in ("user", "session"):
    assert [commit["kind"] for commit in store.history(layer=layer)] == ["confirmed", "trial"]
  assert store.history(layer="bundle") == [] and store.history("a", layer="session") == []


def test_the_log_takes_room_from_its_first_entry(store):
  assert store.stats()["logBytes"] == 0
  store.set("a", 1)
  assert store.stats()["logBytes"] > 0


def test_a_name_is_suggested_only_if_there_is_such_a_setting(store):
  store.set("volume1", 1)
  store.set("volume2", 1)
  store.reset("volume1")
  with pytest.raises(livery.NotFoundError, match=r"did you mean `volume2`\?"):
    store["volume"]

"""What is on trial goes back by itself unless it is confirmed."""

import time
from datetime import timedelta

import livery
import pytest

SHORT = timedelta(milliseconds=30)


def wait_for_end(store):
  while store.trial()["state"] == "pending":
    time.sleep(0.005)


def test_it_counts_at_once_and_stays_once_it_is_confirmed(store):
  store.set("a", 1)
  with store.change("user", origin="service", trial=timedelta(minutes=10)) as change:
    change["a"] = 2
  status = store.trial()
  assert store["a"] == 2 and status["state"] == "pending" and status["revision"] == change.revision
  assert status["length"] == 600_000_000 and 0 < status["remaining"] <= 600_000_000
  assert status["settings"] == [{"name": "a", "layer": "user"}]
  assert store.inspect("a")["trial"]["former"] == [{"layer": "user", "value": 1}]
  with pytest.raises(livery.ConflictError):
    store.confirm_trial(change.revision + 1)
  store.confirm_trial(change.revision, origin="console")
  store.confirm_trial(change.revision, origin="console")
  assert store["a"] == 2 and store.trial()["endOrigin"] == "console"
  assert [commit["kind"] for commit in store.history()] == ["confirmed", "trial", "change"]


def test_what_nobody_confirms_goes_back(store):
  store.set("a", 1)
  with store.change() as change:
    change["a"] = 2
    change["b"] = 2
    change.trial(SHORT)
  wait_for_end(store)
  assert store["a"] == 1 and "b" not in store
  with pytest.raises(livery.NotFoundError, match="went back"):
    store.confirm_trial(change.revision)


def test_it_is_taken_back(store):
  with store.change(trial=timedelta(hours=1)) as change:
    change["a"] = 2
  with pytest.raises(livery.ConflictError, match="is on trial until"):
    with store.change(trial=timedelta(hours=1)) as other:
      other["b"] = 2
  store.revert_trial()
  assert "a" not in store and store.trial()["state"] == "reverted"
  store.revert_trial(change.revision)
  with pytest.raises(livery.NotFoundError):
    store.revert_trial()


@pytest.mark.parametrize("wrong", [timedelta(0), timedelta(seconds=-1), timedelta(days=367), timedelta.max])
def test_no_length_is_refused(store, wrong):
  with pytest.raises(livery.InvalidArgumentError):
    store.change(trial=wrong)
  with store.change() as change:
    with pytest.raises(livery.InvalidArgumentError):
      change.trial(wrong)
    with pytest.raises(TypeError):
      change.trial(10)
    change.trial(None)
    change["a"] = 1
  assert store.trial() == {"state": "none"}


def test_watches_hear_of_it(store):
  with store.watch("other") as events:
    with store.change(trial=timedelta(hours=1)) as change:
      change["a"] = 2
    store.confirm_trial(change.revision)
    assert [next(events).kind for _ in range(2)] == [livery.EventKind.TRIAL, livery.EventKind.CONFIRMED]

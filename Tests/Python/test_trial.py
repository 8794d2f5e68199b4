"""What is on trial goes back by itself unless it is confirmed."""

import os
import plistlib
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

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


@pytest.mark.parametrize("wrong", [timedelta(0), timedelta(seconds=-1), timedelta(days=367), timedelta.max, 0, -1, 1e300, float("nan")])
def test_no_length_is_refused(store, wrong):
  with pytest.raises(livery.InvalidArgumentError):
    store.change(trial=wrong)
  with store.change() as change:
    with pytest.raises(livery.InvalidArgumentError):
      change.trial(wrong)
    with pytest.raises(TypeError):
      change.trial("10m")
    change.trial(None)
    change["a"] = 1
  assert store.trial() == {"state": "none"}


def test_watches_hear_of_it(store):
  with store.watch("other") as events:
    with store.change(trial=timedelta(hours=1)) as change:
      change["a"] = 2
    store.confirm_trial(change.revision)
    assert [next(events).kind for _ in range(2)] == [livery.EventKind.TRIAL, livery.EventKind.CONFIRMED]


def brand(red, **more):
  color = {"red": red, "green": 0, "blue": 0, "alpha": 1}
  return plistlib.dumps({name: color for name in ("Toolbar", *more)})


def brands(store):
  return {one["id"]: one["active"] for one in store.branding.brands()}


@pytest.mark.parametrize("what", ["use", "disable", "remove", "apply", "console"])
def test_brands_are_not_mixed_with_one_on_trial(store, what):
  branding = store.branding
  branding.apply_plist(brand(1, Extra=1), brand="a")
  for name, red in (("b", 0.5), ("c", 0.25)):
    branding.apply_plist(brand(red), brand=name, keep=True)
  command = Path(os.environ["LIVERY_LIBRARY"]).parent / "livery"
  if not command.exists():
    pytest.skip("the command is not beside the library")
  subprocess.run([command, "brand", "use", "b", "--trial", "10m"], check=True, env={**os.environ, "LIVERY_STORE": store.stats()["path"]})
  if what == "use":
    branding.use("c")
    active, colors = "c", {"Toolbar"}
  elif what == "disable":
    branding.set_enabled("bundle", False)
    active, colors = "a", set()
  elif what == "remove":
    branding.remove("b")
    active, colors = "a", {"Toolbar", "Extra"}
  elif what == "apply":
    branding.apply_plist(brand(0.75, Extra=1), brand="a", keep=True)
    active, colors = "a", {"Toolbar", "Extra"}
  else:
    branding.apply_console({"Colors": {"Toolbar": "#102030"}})
    active, colors = "a", {"Toolbar", "Extra"}
  assert store.trial()["state"] == "reverted"
  assert brands(store) == {name: name == active for name in ("a", "b", "c") if (what, name) != ("remove", "b")}
  assert set(branding.get().get("colors", {})) == colors
  assert set(branding.get("a")["colors"]) == {"Toolbar", "Extra"}


def test_what_the_console_has_sent_does_not_come_back_when_it_is_wiped(store):
  store.branding.apply_console({"Colors": {"Toolbar": "#102030", "Extra": "#203040"}})
  with store.change("recommended", trial=timedelta(minutes=10)) as change:
    change.reset("branding.color.Extra")
  store.branding.wipe()
  assert store.trial()["state"] == "reverted" and store.branding.get().get("colors", {}) == {}


def slept(seconds, code, *words):
  """Runs Python where the system has slept for so long since."""
  return subprocess.run(["unshare", "--time", "--fork", "--boottime", str(seconds), sys.executable, "-c", code, *words],
                        capture_output=True, text=True, timeout=60)


def test_its_time_goes_on_while_the_system_sleeps(store, path):
  if os.geteuid() != 0 or slept(1, "").returncode != 0:
    pytest.skip("clocks of one's own are root's, with unshare")
  store.set("a", 1)
  with store.change(trial=timedelta(minutes=10)) as change:
    change["a"] = 2
  read = "import livery, sys; s = livery.open(sys.argv[1], read_only=True); print(s['a'], s.trial()['state'])"
  assert slept(590, read, path).stdout == "2 pending\n"
  assert slept(610, read, path).stdout == "1 reverted\n"
  assert store["a"] == 2
  # Whoever watches makes a commit of it, for all.
  watch = """if True:
    import livery, sys, time
    with livery.open(sys.argv[1]) as store, store.watch("a"):
      while store.history(limit=1)[0]["kind"] != "reverted": time.sleep(0.01)"""
  assert slept(610, watch, path).returncode == 0
  assert store["a"] == 1 and store.trial()["state"] == "reverted"


def test_a_value_that_is_removed_on_trial_is_explained(store):
  store.set("a", "old")
  with store.change("user") as change:
    change.trial(600)
    change.reset("a")
  told = store.inspect("a")
  assert told["layers"] == [] and "effective" not in told
  assert told["trial"]["former"] == [{"layer": "user", "value": "old"}] and "goes back to" in told["reason"]


def test_what_was_read_before_a_trial_that_went_back_may_be_expected(store):
  store.set("a", 1, layer="bundle")
  store.set("a", 2)
  store.set("a", 3, layer="recommended")
  seen = store.revision
  with store.change("recommended") as change:
    change.trial(600)
    change["a"] = 4
  tried = store.revision
  store.revert_trial()
  for revision, fits in ((tried, False), (seen, True)):
    change = store.change("recommended")
    change.expect("a", revision)
    change.set("a", 5)
    if fits:
      change.commit()
    else:
      with pytest.raises(livery.ConflictError):
        change.commit()
      change.discard()

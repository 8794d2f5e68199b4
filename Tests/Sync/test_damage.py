"""What a store may hold below `sync.`, whoever wrote it: nothing of it stops a process, and there is a way back."""

import fcntl
import random
from datetime import timedelta
from pathlib import Path

import livery
import livery.sync
import pytest
from conftest import wait

JUNK = [0, -1, "", "x" * 1000, b"", b"\xff" * 4096, [], {}, [[]], {"settings": 3}, {"settings": [["a", 9, 0, b""]], "applied": b"x"},
        {"manifest": b"\xa0", "signers": [b"1"], "tag": 3}, {"fleet": "kiosks", "fingerprint": b"\0" * 32, "floors": [{}]}, True, 1.5]


def records(store):
  return [item["name"] for item in store.list("sync.record.**")]


def joined(device, console):
  console.publisher.settings("fleet", "one", ("volume", "enforce", 30), ("title", "replace", "x", 1))
  livery.sync.pull(device).result(20)
  livery.sync.push(device).result(20)
  wait(lambda: rests(device), "the end of what was asked for")


def rests(store):
  """Whether nobody takes part just now: whoever does next reads what the store holds."""
  with open(Path(store.stats()["path"]) / "sync.lock", "r+b") as lease:
    try:
      fcntl.lockf(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
      return True
    except OSError:
      return False


@pytest.mark.parametrize("seed", range(4))
def test_records_that_are_damaged(device, console, seed):
  joined(device, console)
  chance = random.Random(seed)
  names = records(device)
  assert len(names) >= 6
  for name in names:
    if name.endswith(".trust"):
      continue
    device.set(name, chance.choice(JUNK), "bundle")
  livery.sync.status(device)
  console.publisher.settings("fleet", "two", ("volume", "enforce", 31))
  livery.sync.pull(device).result(20)
  assert device.get("volume") == 31


@pytest.mark.parametrize("value", JUNK)
def test_without_trust_nothing_is_taken_and_leaving_is_the_way_back(device, console, value):
  joined(device, console)
  device.set("sync.record.trust", value, "bundle")
  status = livery.sync.status(device)
  assert status["problem"]["reason"] == "damaged" and "enroll anew" in status["problem"]["advice"]
  with pytest.raises(livery.LiveryError):
    livery.sync.pull(device, timeout=5).result(20)
  livery.sync.leave(device)
  assert device.get("volume") == 20
  livery.sync.enroll(device, console.code()).result(20)
  livery.sync.pull(device).result(20)
  assert device.get("volume") == 30


def test_what_is_no_membership_is_not_kept(device):
  for name in ("sync.fleet", "sync.key", "sync.trial", "sync.anything", "sync.health"):
    with pytest.raises(livery.LiveryError):
      device.set(name, 3, "bundle")


def test_a_layer_above_does_not_take_the_place_of_what_is_kept(device, console):
  joined(device, console)
  kept = livery.sync.status(device)["device"]
  for name in records(device) + ["sync.trial", "sync.request.1", "sync.answer.1"]:
    try:
      device.set(name, {"kind": "pull", "number": "1", "fingerprint": b"x", "after": 0, "seconds": 1}, "user")
    except livery.LiveryError:
      pass
  with livery.sync.start(device):
    console.publisher.settings("fleet", "two", ("volume", "enforce", 31))
    livery.sync.pull(device).result(20)
    wait(lambda: device.get("volume") == 31, "the change")
  assert livery.sync.status(device)["device"] == kept


def test_a_key_that_is_not_the_one_that_has_joined_is_damage(device, console):
  livery.sync.pull(device).result(20)
  wait(lambda: rests(device), "the end of what was asked for")
  device.set("sync.key", b"k" * 32, "bundle")
  with pytest.raises(livery.CorruptError, match="not the one that has joined"):
    livery.sync.pull(device, timeout=5).result(20)
  assert livery.sync.status(device)["problem"]["reason"] == "damaged"
  livery.sync.leave(device)
  livery.sync.enroll(device, console.code()).result(20)
  livery.sync.push(device).result(20)


def test_the_trial_of_an_app_is_no_refusal_of_the_consoles(device, console):
  """The power went after it was kept that something is to be on trial, and before that was."""
  livery.sync.pull(device).result(20)
  wait(lambda: rests(device), "the end of what was asked for")
  device.set("sync.trial", {"fingerprint": b"x" * 32, "after": device.revision, "seconds": 60}, "bundle")
  with device.change(trial=timedelta(seconds=60)) as change:
    change.set("title", "mine")
  device.revert_trial()
  console.publisher.settings("fleet", "one", ("volume", "recommend", 41))
  livery.sync.pull(device).result(20)
  assert device.get("volume") == 41
  assert "violations" not in livery.sync.status(device)

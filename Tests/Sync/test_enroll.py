"""Joining a fleet, and leaving it."""

import subprocess
import time

import livery
import livery.sync
import pytest
from conftest import BUILD, wait


def test_a_device_joins_and_is_told_what_it_is(store, console):
  status = livery.sync.enroll(store, f"  {console.code()}\n", name="till 4").result(20)
  assert status["enrolled"] and status["fleet"] == "kiosks" and status["url"] == console.url and status["name"] == "till 4"
  (device, content), = console.publisher.devices.items()
  assert status["device"] == device and status["key"] == content["device"] and content["name"] == "till 4"
  assert status["state"] == "stopped"


def test_the_key_is_a_secret_and_no_report_has_it(device, console):
  listed = {item["name"]: item for item in device.list("sync.**")}
  assert listed["sync.key"]["secret"]
  assert "sync.key" not in device.settings()["Values"]


@pytest.mark.parametrize("text", ["", "nonsense", "livery:2?x", "livery:1?u=http://a&f=b"])
def test_what_is_no_code_says_so(store, text):
  with pytest.raises(livery.ParseError):
    livery.sync.enroll(store, text).result(20)


def test_a_mistyped_code_is_known_before_anybody_is_asked(store, console):
  code = console.code()
  with pytest.raises(livery.ParseError, match="not read or typed"):
    livery.sync.enroll(store, code.replace("f=kiosks", "f=kiosk5")).result(20)
  assert not console.requests


def test_an_expired_code_says_that_it_has_expired(store, console):
  with pytest.raises(livery.RefusedError, match="expired"):
    livery.sync.enroll(store, console.code(life=-10)).result(20)
  assert not console.requests


def test_a_used_code_says_that_it_was_used(store, console, tmp_path):
  code = console.code()
  livery.sync.enroll(store, code).result(20)
  with livery.open(tmp_path / "other", create=True) as other:
    with pytest.raises(livery.RefusedError, match="used"):
      livery.sync.enroll(other, code).result(20)


@pytest.mark.parametrize("status", [200, 201])
def test_a_page_that_stands_in_the_way_lets_nobody_in(store, console, status):
  console.answers["/v1/enroll"] = lambda handler: handler.give(status, b"<html>Accept the terms</html>")
  code = console.code()
  with pytest.raises(livery.RefusedError, match=str(status)):
    livery.sync.enroll(store, code).result(20)
  assert not livery.sync.status(store)["enrolled"]
  del console.answers["/v1/enroll"]
  livery.sync.enroll(store, code).result(20)
  assert livery.sync.status(store)["enrolled"]


def test_a_foreign_code_says_that_it_is_foreign(store, console):
  with pytest.raises(livery.RefusedError, match="foreign"):
    livery.sync.enroll(store, console.code(fleet="others")).result(20)
  assert not livery.sync.status(store)["enrolled"]


def test_two_that_enroll_at_once_have_one_key(console, tmp_path):
  for number in range(4):
    path = tmp_path / f"store {number}"
    with livery.open(path, create=True) as one, livery.open(path) as other:
      code = console.code()
      tasks = [livery.sync.enroll(handle, code) for handle in (one, other)]
      outcomes = []
      for task in tasks:
        try:
          outcomes.append(task.result(20)["enrolled"])
        except livery.ConflictError:
          outcomes.append(False)
      assert any(outcomes)
      livery.sync.push(one).result(20)


def test_an_answer_that_is_lost_lets_the_same_code_be_given_again(store, console):
  code = console.code()

  def lose(handler):
    console.publisher.enroll(lost.pop()) if lost else None
    handler.close_connection = True

  lost = []
  console.answers["/v1/enroll"] = lose
  with pytest.raises((livery.NetworkError, livery.UnavailableError)):
    livery.sync.enroll(store, code).result(20)
  del console.answers["/v1/enroll"]
  first = livery.sync.enroll(store, code).result(20)
  assert first["enrolled"]


def test_a_device_of_a_fleet_has_to_leave_it_first(device, console):
  with pytest.raises(livery.ConflictError, match="leave"):
    livery.sync.enroll(device, console.code()).result(20)


def test_no_server_is_said_as_such(store, console):
  code = console.code()
  console.close()
  with pytest.raises(livery.NetworkError):
    livery.sync.enroll(store, code).result(20)


def test_a_server_that_says_nothing_ends_with_the_time(store, console):
  console.answers["/v1/enroll"] = lambda handler: time.sleep(5)
  with pytest.raises(livery.TimedOutError):
    livery.sync.enroll(store, console.code(), timeout=0.5).result(20)


def test_cancelling_is_told(store, console):
  console.answers["/v1/enroll"] = lambda handler: time.sleep(5)
  task = livery.sync.enroll(store, console.code())
  wait(lambda: task._handle.value, "the handle")
  task.cancel()
  with pytest.raises(livery.CancelledError):
    task.result(20)


def test_leaving_takes_back_what_the_console_has_set_in_one_commit(device, console):
  device.set("title", "mine")
  console.publisher.settings(
    "fleet", "first", ("volume", "enforce", 30), ("title", "recommend", "theirs"))
  livery.sync.pull(device).result(20)
  assert device.get("volume") == 30 and device.get("title") == "mine"
  before = device.revision
  livery.sync.leave(device)
  assert device.get("volume") == 20 and device.get("title") == "mine"
  assert device.revision == before + 1
  assert not livery.sync.status(device)["enrolled"] and not device.list("sync.**")
  assert all(layer["layer"] == "user" for layer in device.inspect("title")["layers"] if layer["layer"] != "defaults")


def test_leaving_during_a_trial_takes_back_also_what_that_has_taken_away(device, console):
  device.set("title", "mine")
  console.publisher.settings("fleet", "first", ("volume", "enforce", 30), ("title", "recommend", "theirs"))
  livery.sync.pull(device).result(20)
  console.publisher.settings("fleet", "risky", ("title", "replace", "risky"), trial={"seconds": 600, "check": "nobody"})
  with livery.sync.start(device):
    wait(lambda: device.trial()["state"] == "pending", "the trial")
    assert device.get("volume") == 20 and device.get("title") == "risky"
    before = device.revision
    livery.sync.leave(device)
    assert [(commit["origin"], commit["kind"]) for commit in device.history(limit=2)] == [("sync: left", "reverted"), ("sync: left", "change")]
    assert device.revision == before + 2 and device.trial()["state"] == "reverted"
  # Others may begin one.
  with device.change(trial=60) as change:
    change["title"] = "yours"
  device.revert_trial()
  assert device.get("volume") == 20 and not device.list("sync.**")
  assert [layer["layer"] for layer in device.inspect("volume")["layers"]] == ["defaults"]
  # The operator's own is there again.
  assert {layer["layer"]: layer["value"] for layer in device.inspect("title")["layers"]} == {"user": "mine", "defaults": "none"}


def test_a_device_whose_key_is_lost_leaves(device, console, tmp_path):
  console.publisher.settings("fleet", "opening", ("volume", "enforce", 33))
  livery.sync.pull(device).result(20)
  key = tmp_path / "lost.key"
  for words in (("key",), ("seal", "--store", tmp_path / "store")):
    subprocess.run([BUILD / "livery", "secrets", *words, "--key-file", key], check=True, capture_output=True)
  key.unlink()
  problem = livery.sync.status(device)["problem"]
  assert problem["reason"] == "sealed" and "enroll anew" in problem["advice"]
  livery.sync.leave(device)
  assert livery.sync.status(device) == {"enrolled": False, "state": "none"}
  assert device.get("volume") == 20 and not device.list("sync.**")


def test_leaving_what_nobody_joined_changes_nothing(store):
  livery.sync.leave(store)
  before = store.revision
  livery.sync.leave(store)
  assert store.revision == before


def test_a_device_that_has_left_joins_again_as_another(device, console):
  former = livery.sync.status(device)["device"]
  livery.sync.leave(device)
  status = livery.sync.enroll(device, console.code()).result(20)
  assert status["device"] != former


def test_without_a_fleet_there_is_nothing_to_pull(store):
  with pytest.raises(livery.NotFoundError, match="no fleet"):
    livery.sync.pull(store).result(20)


def test_a_proxy_is_kept_where_nobody_reads_it_and_certificates_where_all_find_them(store, console, tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  # A link leads to newer certificates one day.
  (tmp_path / "old.pem").write_text("")
  (tmp_path / "own.pem").symlink_to("old.pem")
  livery.sync.enroll(store, console.code(), proxy="http://user:PROXYPASS@proxy.invalid:3128", ca_file="own.pem").result(20)
  told = subprocess.run([BUILD / "livery", "history", "--json", "--store", tmp_path / "store"], check=True, capture_output=True, text=True).stdout
  assert "PROXYPASS" not in store.export_json(layers=True) + str(store.inspect("sync.fleet")) + told
  assert store["sync.fleet"]["caFile"] == str(tmp_path / "own.pem")
  # It is used, once the environment lets it.
  for name in ("no_proxy", "NO_PROXY"):
    monkeypatch.delenv(name)
  with pytest.raises(livery.LiveryError, match="proxy"):
    livery.sync.pull(store, timeout=5).result(20)

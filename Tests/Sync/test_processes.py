"""Several processes on a store, processes that are killed, and hints."""

import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import livery
import livery.sync
import pytest
from conftest import wait
from kill import kill_devices

MEMBER = Path(__file__).with_name("member.py")


def start(path, *more):
  process = subprocess.Popen([sys.executable, str(MEMBER), str(path), *more], stdout=subprocess.PIPE, text=True)
  assert process.stdout.readline() == "ready\n"
  return process


def test_one_of_two_processes_asks_and_another_follows_when_it_dies(device, console, tmp_path):
  first, second = start(tmp_path / "store"), start(tmp_path / "store")
  try:
    wait(lambda: livery.sync.status(device).get("process") in (first.pid, second.pid), "a process that takes part")
    asking = {first.pid: first, second.pid: second}
    former = livery.sync.status(device)["process"]
    console.publisher.settings("fleet", "one", ("volume", "recommend", 41))
    # A third process has it done by the one that asks.
    assert livery.sync.pull(device).result(20)["Values"]["volume"] == 41
    assert livery.sync.status(device)["process"] == former
    asking[former].kill()
    wait(lambda: livery.sync.status(device).get("process") == next(pid for pid in asking if pid != former), "another one")
    console.publisher.settings("fleet", "two", ("volume", "recommend", 42))
    assert livery.sync.pull(device).result(20)["Values"]["volume"] == 42
    # Reports are of one device, whoever sends them.
    livery.sync.push(device).result(20)
    numbers = [report["sequence"] for report in console.reports()]
    assert numbers == sorted(set(numbers))
  finally:
    for process in (first, second):
      process.kill()
      process.wait()
  wait(lambda: livery.sync.status(device)["state"] == "stopped", "that nobody takes part")


def test_a_pull_whose_process_dies_is_made_by_the_one_that_waits(device, console, tmp_path):
  process = start(tmp_path / "store")
  wait(lambda: livery.sync.status(device).get("taken"), "the first pull")
  console.answers["/v1/channels/fleet/manifest"] = lambda handler: time.sleep(3)
  console.publisher.settings("fleet", "one", ("volume", "recommend", 41))
  task = livery.sync.pull(device, timeout=30)
  time.sleep(0.5)
  process.kill()
  process.wait()
  console.answers.clear()
  assert task.result(30)["Values"]["volume"] == 41


def test_what_another_process_asks_survives_the_end_of_the_one_that_asked(device, console, tmp_path):
  with livery.open(tmp_path / "store") as other:
    taking_part = livery.sync.start(other)
    wait(lambda: livery.sync.status(device).get("taken"), "the first pull")
    console.answers["/v1/channels/fleet/manifest"] = lambda handler: time.sleep(3)
    console.publisher.settings("fleet", "one", ("volume", "recommend", 41))
    task = livery.sync.pull(device, timeout=30)
    wait(lambda: device.list("sync.request.**"), "the request")
    time.sleep(0.5)
    taking_part.stop()
    console.answers.clear()
    assert task.result(30)["Values"]["volume"] == 41


def test_nobody_who_asks_at_once_writes_over_another(device, console, tmp_path):
  process = start(tmp_path / "store")
  handles = [livery.open(tmp_path / "store") for _ in range(3)]
  try:
    wait(lambda: livery.sync.status(device).get("taken"), "the first pull")
    for number in range(4):
      console.publisher.settings("fleet", "one", ("volume", "recommend", number))
      tasks = [livery.sync.pull(handle, timeout=15) for handle in handles]
      assert [task.result(20)["Values"]["volume"] for task in tasks] == [number] * 3
    with pytest.raises(livery.TimedOutError):
      console.answers["/v1/channels/fleet/manifest"] = lambda handler: time.sleep(2)
      livery.sync.pull(handles[0], timeout=0.5).result(20)
    console.answers.clear()
    # Nothing of it stays behind.
    wait(lambda: not device.list("sync.request.**") + device.list("sync.answer.**"), "that all is read")
  finally:
    for handle in handles:
      handle.close()
    process.kill()
    process.wait()


def test_what_nobody_waits_for_any_more_goes(device, console):
  livery.sync.status(device)
  left = ("sync.request.1", "sync.request.2", "sync.answer.1", "sync.answer.2")
  for name, until in zip(left, (1, 1 << 62, 1, "soon")):
    device.set(name, {"kind": "pull", "until": until}, "bundle")
  with livery.sync.start(device):
    wait(lambda: not device.list("sync.request.**") + device.list("sync.answer.**"), "that it is gone")


def test_a_pull_is_not_ended_by_who_begins_to_take_part(device, console):
  livery.sync.pull(device).result(20)
  console.publisher.settings("fleet", "one", ("volume", "recommend", 41))
  data = console.publisher.contents["fleet"]

  def slow(handler):
    time.sleep(1)
    handler.give(200, data, {"ETag": '"x"'})

  console.answers["/v1/channels/fleet/manifest"] = slow
  task = livery.sync.pull(device)
  time.sleep(0.3)
  with livery.sync.start(device):
    assert task.result(20)["Values"]["volume"] == 41


def test_where_the_lease_cannot_be_opened_nobody_takes_part(store, console, tmp_path):
  place = tmp_path / "store" / "sync.lock"
  place.mkdir()
  livery.sync.enroll(store, console.code()).result(20)
  with livery.sync.start(store):
    with pytest.raises(livery.TimedOutError, match="sync.lock"):
      livery.sync.pull(store, timeout=2).result(20)
    assert not console.asked("manifest")
    status = livery.sync.status(store)
    assert status["state"] == "stopped" and status["problem"]["reason"] == "barred" and "data.mdb" in status["problem"]["advice"]
    (tmp_path / "store" / "data.mdb").chmod(0o664)
    place.rmdir()
    wait(lambda: livery.sync.status(store).get("taken"), "that it takes part")
    assert place.stat().st_mode & 0o777 == 0o664
    assert "problem" not in livery.sync.status(store)


def test_no_failure_of_a_request_to_another_process_is_lost(device, console, tmp_path):
  process = start(tmp_path / "store")
  try:
    wait(lambda: livery.sync.status(device).get("taken"), "the first pull")
    console.publisher.settings("fleet", "bad", ("volume", "recommend", 300))
    with pytest.raises(livery.InvalidValueError, match="volume"):
      livery.sync.pull(device).result(20)
  finally:
    process.kill()
    process.wait()


def test_kills_lose_nothing_and_double_nothing(console, tmp_path):
  """A slice: Tests/Sync/kill.py has as many kills as are wanted."""
  with livery.open(tmp_path / "plain", create=True) as plain:
    livery.sync.enroll(plain, console.code()).result(20)
    told = kill_devices(plain, console, tmp_path / "plain", 12, random.Random(7))
  assert told["wrong"] == [] and told["kills"] >= 12


# -- Hints


def free_port():
  with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    return probe.getsockname()[1]


def start_broker(folder, port):
  program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin")
  if program is None:
    pytest.skip("mosquitto is not installed")
  (folder / "broker.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
  process = subprocess.Popen([program, "-c", str(folder / "broker.conf")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
  wait(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "the broker")
  return process


@pytest.fixture
def broker(tmp_path):
  port = free_port()
  process = start_broker(tmp_path, port)
  yield port
  process.terminate()
  process.wait()


def hint(port, topic, content):
  """Has a broker keep a message, in MQTT 3.1.1."""

  def packet(kind, body):
    return bytes([kind, len(body)]) + body

  def text(value):
    return len(value).to_bytes(2, "big") + value.encode()

  with socket.create_connection(("127.0.0.1", port)) as broker:
    broker.sendall(packet(0x10, text("MQTT") + bytes([4, 2, 0, 60]) + text(f"test{random.random()}")))
    assert broker.recv(4) == bytes([0x20, 2, 0, 0])
    broker.sendall(packet(0x31, text(topic) + str(content).encode()) + packet(0xe0, b""))
    assert broker.recv(1) == b""


def test_a_hint_brings_a_change_long_before_its_time(device, console, broker):
  with livery.sync.start(device, broker=f"mqtt://127.0.0.1:{broker}"):
    wait(lambda: livery.sync.status(device).get("hints") == "connected" and livery.sync.status(device).get("taken"), "the connection")
    for number in (51, 52):
      version = console.publisher.settings("fleet", "hinted", ("volume", "recommend", number))
      hint(broker, "livery/kiosks/fleet", version)
      # It does not wait for its own time, which is an hour away.
      wait(lambda: device.get("volume") == number, "what was hinted at", 10)
    # What is no hint is passed over.
    asked = len(console.requests)
    for nonsense in ("", "x", "-1", "99999999999999999999", "1 "):
      hint(broker, "livery/kiosks/fleet", nonsense)
    hint(broker, "livery/kiosks/fleet", 1)
    time.sleep(1)
    assert not [path for path, _, _ in console.requests[asked:] if "manifest" in path]


def test_what_was_said_while_the_broker_was_away_is_found_when_it_is_back(device, console, tmp_path):
  """One that was killed keeps no hint: the device asks, and not only once its own time has come, which is an hour away."""
  port = free_port()
  process = start_broker(tmp_path, port)
  try:
    with livery.sync.start(device, broker=f"mqtt://127.0.0.1:{port}"):
      wait(lambda: livery.sync.status(device).get("hints") == "connected" and livery.sync.status(device).get("taken"), "the connection")
      process.kill()
      process.wait()
      wait(lambda: livery.sync.status(device).get("hints") == "disconnected", "that it is lost")
      console.publisher.settings("fleet", "missed", ("volume", "recommend", 53))
      process = start_broker(tmp_path, port)
      # Clients come back one after another, within 20 seconds or after the failures of before.
      wait(lambda: device.get("volume") == 53, "what was missed", 200)
  finally:
    process.kill()
    process.wait()


def test_without_a_broker_it_goes_on_and_says_why_there_is_none(device, console, tmp_path):
  password = tmp_path / "password"
  broker = f"mqtt://127.0.0.1:{free_port()}"
  with livery.sync.start(device, broker=broker, broker_user="kiosk", broker_password_file=password):
    wait(lambda: livery.sync.status(device).get("taken"), "the first pull")
    wait(lambda: str(password) in livery.sync.status(device).get("hintsProblem", ""), "what is wrong")
    status = livery.sync.status(device)
    assert status["hints"] == "disconnected" and "No such file" in status["hintsProblem"]
  wait(lambda: livery.sync.status(device)["state"] == "stopped")
  assert "hintsProblem" not in livery.sync.status(device)
  with livery.sync.start(device, broker=broker):
    wait(lambda: "refused" in livery.sync.status(device).get("hintsProblem", ""), "what is wrong now")


# -- Keys that are sealed


def test_a_process_that_cannot_open_the_key_leaves_it_to_one_that_can(console, tmp_path):
  pytest.importorskip("livery.secrets")
  key = tmp_path / "settings.key"
  livery.secrets.make_key(file=key)
  with livery.open(tmp_path / "sealed", create=True) as store:
    secrets = livery.secrets.open(store, file=key)
    livery.sync.enroll(store, console.code()).result(20)
    console.publisher.settings("fleet", "opening", ("a", "enforce", 1))
    blind = start(tmp_path / "sealed")
    try:
      time.sleep(0.5)
      if livery.sync.status(store)["state"] == "running":
        wait(lambda: livery.sync.status(store)["state"] == "stopped", "that it gives up")
      assert livery.sync.pull(store).result(20)["Values"]["a"] == 1
    finally:
      blind.kill()
      blind.wait()
    secrets.close()


def test_nor_does_one_that_took_part_before_the_device_joined(console, tmp_path):
  pytest.importorskip("livery.secrets")
  key, path = tmp_path / "settings.key", tmp_path / "sealed"
  livery.secrets.make_key(file=key)
  with livery.open(path, create=True) as store:
    secrets = livery.secrets.open(store, file=key)
    blind = start(path)
    try:
      livery.sync.enroll(store, console.code()).result(20)
      console.publisher.settings("fleet", "opening", ("a", "enforce", 1))
      assert livery.sync.pull(store, timeout=10).result(20)["Values"]["a"] == 1
      wait(lambda: livery.sync.status(store).get("problem", {}).get("reason") in (None, "sealed"), "what is told of it")
    finally:
      blind.kill()
      blind.wait()
    secrets.close()


def test_who_waits_in_another_process_hears_that_the_device_has_left(device, console, tmp_path):
  process = start(tmp_path / "store")
  try:
    wait(lambda: livery.sync.status(device).get("taken"), "the first pull")
    console.answers["/v1/channels/fleet/manifest"] = lambda handler: time.sleep(5)
    task = livery.sync.pull(device, timeout=30)
    wait(lambda: [item for item in device.list("sync.request.**")], "what is asked for")
    livery.sync.leave(device)
    with pytest.raises(livery.NotFoundError, match="no fleet"):
      task.result(4)
    assert not [item for item in device.list("sync.**")]
  finally:
    process.kill()
    process.wait()


# -- Brokers that are none


@pytest.mark.parametrize("options", [
  {"broker": "mqtt://"}, {"broker": "mqtt://host:0"}, {"broker": "mqtt://host:65536"}, {"broker": "mqtt://host/more"},
  {"broker": "mqtt://me:secret@host"}, {"broker": "mqtts://[::1"}, {"broker": "http://host"}, {"broker": "mqtt://ho st"},
  {"broker": "mqtt://host", "broker_user": "u" * 257}, {"broker": "mqtt://host", "broker_user": ""},
  {"broker": "mqtt://host", "broker_password_file": "/etc/hostname"},
])
def test_a_broker_that_is_none_is_refused(device, options):
  with pytest.raises(livery.InvalidArgumentError, match="broker"):
    livery.sync.start(device, **options)


# -- Stores that cannot take it now


def test_what_others_keep_busy_is_told_as_such_and_made_afterwards(console, tmp_path):
  path = tmp_path / "busy"
  with livery.open(path, create=True, busy_timeout=0.2) as store, livery.open(path) as other:
    livery.sync.enroll(store, console.code()).result(20)
    livery.sync.pull(store).result(20)
    console.publisher.settings("fleet", "one", ("a", "enforce", 1))
    with livery.sync.start(store):
      wait(lambda: livery.sync.status(store)["state"] == "running", "that it runs")
      wait(lambda: store.get("a") == 1, "the first change")
      console.publisher.settings("fleet", "two", ("a", "enforce", 2))
      is_held, ends = threading.Event(), threading.Event()

      def hold(_):
        is_held.set()
        ends.wait(90)

      keeper = threading.Thread(target=lambda: other.edit(hold))
      keeper.start()
      assert is_held.wait(20)
      with pytest.raises(livery.BusyError):
        livery.sync.pull(store).result(60)
      assert store.get("a") == 1
      ends.set()
      keeper.join()
      wait(lambda: store.get("a") == 2, "what was put off", 30)
      livery.sync.push(store).result(20)
    assert [document["verdict"] for document in console.reports()[-1]["documents"]] == ["applied"]

"""PostgreSQL goes away while the console is at work, and comes back."""

import re
import subprocess
import threading

import pytest
from conftest import Console, Server, join, wait


@pytest.fixture
def own(tmp_path_factory):
  """A server for this test alone, since it is killed."""
  server = Server.make(tmp_path_factory.mktemp("own"))
  yield server
  server.stop()


@pytest.fixture
def console(tmp_path, own):
  console = Console(tmp_path, own.database()).make().serve()
  yield console
  console.stop()


def test_a_console_without_its_database_says_so_and_goes_on_by_itself(console, own):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 5))
  assert device.report().status == 204
  own.kill()
  for method, path, body in [("GET", "/api/v1/status", None), ("GET", "/api/v1/devices", None), ("GET", "/api/v1/health", None),
                             ("PATCH", "/api/v1/channels/fleet/draft", {"revision": 1, "settings": []})]:
    answer = console.ask(method, path, body)
    assert answer.status == 503 and int(answer.headers["Retry-After"]) >= 1, (path, answer.status, answer.body)
    assert answer.json["status"] == 503
    # Where the database is tells the log, and nobody who asks.
    assert b"127.0.0.1" not in answer.body and str(own.port).encode() not in answer.body, answer.body
  # Somebody who has signed in is not sent to sign in again.
  for path in ("/devices", "/api/v1/status"):
    answer = console.ask("GET", path, None, {"Cookie": f"livery-{console.port}=somebody"}, token=False)
    assert answer.status == 503 and int(answer.headers["Retry-After"]) >= 1, (path, answer.status)
  # What devices report is refused, so that it comes again; what they are to have is in files.
  report = device.last
  answer = console.ask("POST", "/v1/reports", report, token=False)
  assert answer.status == 503 and int(answer.headers["Retry-After"]) >= 1 and b"cannot be reached" in answer.body
  assert str(own.port).encode() not in answer.body
  assert (console.published / "v1/channels/fleet/manifest").exists()
  assert console.process.poll() is None
  own.start()
  wait(lambda: console.ask("GET", "/api/v1/status").status == 200)
  # It was taken before; and the next one is taken now.
  assert console.ask("POST", "/v1/reports", report, token=False).status == 409
  assert device.report().status in (200, 204)
  console.set("fleet", ("volume", "enforce", 6))
  assert device.pull()["volume"] == ("enforce", 6)


def test_connections_that_are_ended_lose_and_double_nothing(console, own):
  device, = join(console)
  numbers, unclear, stop = [], [], threading.Event()

  def end():
    while not stop.wait(0.03):
      own.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> 'psql' AND pid <> "
                "pg_backend_pid() AND backend_type = 'client backend'")

  ending = threading.Thread(target=end)
  ending.start()
  try:
    for number in range(25):
      try:
        numbers.append(console.set("fleet", ("volume", "enforce", number))["number"])
      except AssertionError as error:
        # 503: it may be there or not. 409 and 422: what was unclear was there after all.
        assert re.search("50[03]|409|422", str(error)), error
        unclear.append(number)
  finally:
    stop.set()
    ending.join()
  wait(lambda: console.ask("GET", "/api/v1/status").status == 200)
  listed = [one["number"] for one in console.api("GET", "publications?limit=1000")["items"]]
  assert len(listed) == len(set(listed)) and set(numbers) <= set(listed)
  assert sorted(listed) == list(range(1, len(listed) + 1)) and len(listed) <= len(numbers) + len(unclear)
  console.set("fleet", ("volume", "enforce", 99))
  assert device.pull()["volume"] == ("enforce", 99)
  assert (console.published / "v1/channels/fleet/manifest").read_bytes() == console.ask(
    "GET", "/v1/channels/fleet/manifest", token=False).body


def test_a_server_that_is_started_again_is_found_again(console, own):
  device, = join(console)
  for number in range(3):
    own.restart()
    assert wait(lambda: console.ask("GET", "/api/v1/status").status == 200)
    assert device.report().status in (200, 204)
    console.set("fleet", ("volume", "enforce", number))
  assert device.pull()["volume"] == ("enforce", 2)


def test_what_only_reads_does_not_notice_that_a_connection_was_lost(console, own):
  """Also what asks for the first time after a server was away, which is there again."""
  for _ in range(20):
    own.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name <> 'psql' AND pid <> "
              "pg_backend_pid() AND backend_type = 'client backend'")
    for path in ("status", "devices", "channels/fleet/draft"):
      assert console.ask("GET", "/api/v1/" + path).status == 200


def test_a_writer_that_does_not_end_keeps_nobody_for_good(console, own):
  """As another console does whose machine lost its power within a change."""
  words = ["psql", "-X", "-q", "-t", "-A", console.database]
  with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/") as other:
    other.stdin.write("SELECT pg_advisory_lock(7598807748135284), 'held';\n")
    other.stdin.flush()
    assert "held" in other.stdout.readline()
    answer = console.ask("POST", "/api/v1/groups", {"name": "lobby"})
    assert answer.status == 503 and int(answer.headers["Retry-After"]) >= 1 and "somebody else" in answer.json["detail"]
    assert console.ask("GET", "/api/v1/status").status == 200
    other.stdin.close()
  console.api("POST", "groups", {"name": "lobby"}, 201)

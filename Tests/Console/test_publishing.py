"""The folder that a web server delivers, where several publish to it and one of them is killed."""

import fcntl
import os
import subprocess
import time

import read_sync
from conftest import PROGRAM, Console, wait


def manifest(console, channel="fleet"):
  return read_sync.cbor(read_sync.cbor((console.published / "v1/channels" / channel / "manifest").read_bytes())[1])


def begin_to_publish(console, value):
  """A command that has committed, and waits for its turn to publish."""
  before = len(console.json("rollout", "list"))
  console.run("draft", "set", "fleet", "enforce", "volume", str(value))
  words = [PROGRAM, "publish", "fleet", "--state", console.state] + (["--database", console.database] if console.database else [])
  process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
  wait(lambda: len(console.json("rollout", "list")) > before)
  return process


def test_one_publishes_at_a_time_and_what_a_killed_one_left_out_comes_first(tmp_path, place):
  console = Console(tmp_path, place).make()
  console.run("draft", "set", "fleet", "enforce", "volume", "1")
  console.run("publish")
  first = manifest(console)
  folder = os.open(console.published, os.O_RDONLY)
  try:
    # Somebody else publishes: whoever has committed waits, and is done afterwards.
    fcntl.flock(folder, fcntl.LOCK_EX)
    process = begin_to_publish(console, 2)
    assert manifest(console) == first
    fcntl.flock(folder, fcntl.LOCK_UN)
    assert process.wait(20) == 0
    second = manifest(console)
    assert second["version"] == first["version"] + 1
    # Once more, and it is killed while it waits.
    fcntl.flock(folder, fcntl.LOCK_EX)
    process = begin_to_publish(console, 3)
    process.kill()
    process.wait()
  finally:
    os.close(folder)
  assert manifest(console) == second
  # What comes next refers to what was left out.
  console.run("draft", "set", "fleet", "enforce", "welcomeText", "hello")
  console.run("publish", "--steps", "50,100")
  last = manifest(console)
  assert last["version"] == second["version"] + 2 and len(last["documents"]) == 2
  for entry in last["documents"]:
    assert (console.published / "v1/blobs" / entry["hash"].hex()).exists(), entry["name"]


def draft(console, names, channel="fleet"):
  """Has a draft say these settings alone."""
  revision = console.api("GET", f"channels/{channel}/draft")["revision"]
  settings = [{"name": name, "verb": "enforce", "value": 1} for name in names]
  return console.api("PUT", f"channels/{channel}/draft", {"revision": revision, "settings": settings})["revision"]


def test_no_document_says_more_than_devices_take(tmp_path):
  console = Console(tmp_path).make_bare().serve()
  try:
    # Without a schema everything may be set.
    first = console.api("POST", "channels/fleet/publications", {"revision": draft(console, [f"a{n:04}" for n in range(2000)])}, 201)
    revision = draft(console, [f"b{n:04}" for n in range(1000)])
    for plan in ({"steps": [100, 10000]}, {"until": int(time.time()) + 3600}):
      refused = console.ask("POST", "/api/v1/channels/fleet/publications", {"revision": revision, **plan})
      assert refused.status == 422 and "3000" in refused.json["detail"] and "2048" in refused.json["detail"], plan
    # Nothing is left of it, and all at once it may be.
    assert [one["number"] for one in console.api("GET", "publications")["items"]] == [first["number"]]
    assert console.sql("SELECT COUNT(*) FROM documents") == [["1"]]
    made = console.api("POST", "channels/fleet/publications", {"revision": revision}, 201)
    assert len(console.api("GET", f"publications/{made['number']}")["settings"]) == 3000
  finally:
    console.stop()


def test_a_folder_that_cannot_be_written_keeps_nothing_else_from_being_done(tmp_path, place):
  console = Console(tmp_path, place).make().serve()
  try:
    console.set("fleet", ("volume", "enforce", 1))
    before = manifest(console)
    # A file is in the way, for root as well.
    (console.published / "v1").rename(console.published / "away")
    (console.published / "v1").write_text("in the way")
    number = console.set("fleet", ("volume", "enforce", 2), until=int(time.time()) + 2)["number"]
    wait(lambda: console.api("GET", f"publications/{number}")["state"] == "over")
    (console.published / "v1").unlink()
    (console.published / "away").rename(console.published / "v1")
    wait(lambda: manifest(console)["version"] > before["version"])
    assert len(manifest(console)["documents"]) == 1
  finally:
    console.stop()


def test_what_cannot_be_read_gives_way_to_what_comes_next(tmp_path):
  """As a document with more than devices take, of a console that did not look at their number."""
  console = Console(tmp_path).make_bare().serve()
  try:
    console.api("POST", "channels/fleet/publications", {"revision": draft(console, ["a"])}, 201)
    console.sql("UPDATE documents SET content = x'00'")
    assert console.ask("GET", "/api/v1/publications/1").status == 422
    made = console.api("POST", "channels/fleet/publications", {"revision": draft(console, ["b"])}, 201)
    assert [one["name"] for one in made["settings"]] == ["b"]
    assert console.api("GET", "channels/fleet")["changes"] == 0
    # It keeps nothing else from being shown, changed, and taken back.
    console.sql("UPDATE documents SET content = x'00'")
    assert console.api("GET", "channels")["items"][0]["changes"] == 1
    assert [one["name"] for one in console.api("GET", "channels/fleet/difference")["settings"]] == ["b"]
    assert "b: nothing" in console.run("diff")
    overlay = console.api("POST", "channels/fleet/publications", {
      "revision": draft(console, ["c"]), "from": int(time.time()) + 1}, 201)["number"]
    assert console.api("GET", "channels/fleet/draft")["settings"] == []
    wait(lambda: not console.api("GET", f"publications/{overlay}")["overlay"])
    assert [one["name"] for one in console.api("GET", "channels/fleet/draft")["settings"]] == ["c"]
    undone = console.api("POST", f"publications/{overlay}/undo", {})
    assert undone["settings"][0]["after" if "after" in undone["settings"][0] else "before"]["name"] == "c"
    draft(console, ["d"])
    assert console.ask("DELETE", "/api/v1/channels/fleet/draft").status == 204
    assert console.api("GET", "channels/fleet/draft")["settings"] == []
  finally:
    console.stop()

"""The folder that a web server delivers, where several publish to it and one of them is killed."""

import fcntl
import os
import subprocess

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

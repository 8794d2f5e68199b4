"""Consoles that are killed, and several at the same time."""

import hashlib
import os
import random
import threading

import read_sync
from conftest import Console, Device, join, wait

SEED = int(os.environ.get("LIVERY_SEED", random.randrange(1 << 30)))
KILLS = int(os.environ.get("LIVERY_CONSOLE_KILLS", 6))


def test_a_console_that_is_killed_loses_nothing(console):
  print(f"LIVERY_SEED={SEED}")
  chance = random.Random(SEED)
  device, = join(console)
  versions = []
  for number in range(KILLS):
    failed = []

    def publish():
      try:
        console.set("fleet", ("volume", "enforce", number))
      except Exception as error:  # the console was killed
        failed.append(error)

    thread = threading.Thread(target=publish)
    thread.start()
    thread.join(chance.uniform(0, 0.08))
    console.kill()
    thread.join()
    # Whatever was committed is published once it starts again.
    console.serve()
    listed = console.api("GET", "publications")["items"]
    manifest = device.manifest("fleet")
    versions.append(manifest["version"])
    assert (console.published / "v1/channels/fleet/manifest").read_bytes() == console.ask(
      "GET", "/v1/channels/fleet/manifest", token=False).body
    if listed:
      assert manifest["documents"][-1]["name"] == f"p{listed[0]['number']}"
      held = hashlib.sha256((console.published / "v1/blobs" / manifest["documents"][-1]["hash"].hex()).read_bytes())
      assert held.digest() == manifest["documents"][-1]["hash"]
    if not failed:
      assert device.pull()["volume"] == ("enforce", number)
  assert versions == sorted(versions)


def test_several_consoles_are_at_work_at_the_same_time(tmp_path, console):
  other = Console(tmp_path, console.database, state="state")
  other.token = console.token
  other.serve()
  try:
    device, = join(console)
    seen, stop = {}, threading.Event()

    def look():
      while not stop.is_set():
        for one in (console, other):
          data = one.ask("GET", "/v1/channels/fleet/manifest", token=False).body
          version = read_sync.cbor(read_sync.cbor(data)[1])["version"]
          assert seen.setdefault(version, data) == data, "two manifests of a version"

    watcher = threading.Thread(target=look)
    watcher.start()
    refused = []

    def publish(one, name, values):
      for value in values:
        try:
          one.set("fleet", (name, "enforce", value))
        except AssertionError as error:
          assert "409" in str(error) or "422" in str(error), error
          refused.append(error)

    threads = [threading.Thread(target=publish, args=(console, "volume", range(10))),
               threading.Thread(target=publish, args=(other, "welcomeText", [f"t{n}" for n in range(10)]))]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    console.set("fleet", ("volume", "enforce", 77))
    stop.set()
    watcher.join()
    assert Device.pull(device)["volume"] == ("enforce", 77)
    device.console = other
    assert wait(lambda: device.pull()["volume"] == ("enforce", 77))
    assert console.api("GET", "publications")["total"] + len(refused) >= 20
  finally:
    other.stop()

#!/usr/bin/env python3
"""A console with many devices: its pages and API, and how many reports it takes.

    python3 benchmarks/console.py [DEVICES] [RUNS]

The devices are written into the console's SQLite file, with a group for each thousand, twenty values and three channels each; then the
console is asked over HTTP on loopback, each question once in each of the runs, one after another. Rows: median and most, in milliseconds.
Reports are those of 64 real keys, sent one at a time and by 32 connections at once, in turn; the row is the ratio of the two rates.
"""

import hashlib
import http.client
import os
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Tests" / "Console")]

from conftest import Console, join, publisher  # noqa: E402

VALUES = 20


def fill(path, count):
  """Devices that have never been: as a console would have them after a report of each."""
  database = sqlite3.connect(path)
  now = int(time.time())
  state = os.urandom(16)
  ids = [hashlib.sha256(state + number.to_bytes(8, "big")).hexdigest()[:32] for number in range(count)]
  groups = [f"g{number}" for number in range(max(1, min(200, count // 1000)))]
  fleet = database.execute("SELECT version FROM channels WHERE name = 'fleet'").fetchone()[0]
  with database:
    database.executemany("INSERT INTO device_groups (name, place) VALUES (?, ?)",
                         [(name, 1000 + place) for place, name in enumerate(groups)])
    database.executemany(
      "INSERT INTO devices (id, public_key, name, enrolled, seen, reported, sequence, schema_version, failing) "
      "VALUES (?, ?, ?, ?, ?, ?, 1, 1, ?)",
      [(one, bytes.fromhex(one) * 2, f"till {number}", now, now if number % 50 else now - 200_000, now, number % 97 == 0)
       for number, one in enumerate(ids)])
    database.executemany("INSERT INTO members (device, in_group) VALUES (?, ?)",
                         [(one, groups[number % len(groups)]) for number, one in enumerate(ids)])
    for name in ("fleet", None):
      database.executemany("INSERT INTO device_channels (device, channel, version) VALUES (?, ?, ?)",
                           [(one, name or "device." + one, fleet - (number % 31 == 0)) for number, one in enumerate(ids)])
    manifest = database.execute("SELECT manifest FROM channels WHERE name = 'fleet'").fetchone()[0]
    database.executemany("INSERT INTO channels (name, version, changed, expires, manifest, stamp) VALUES (?, 1, 1, ?, ?, 1)",
                         [("device." + one, now + 600_000, manifest) for one in ids])
    for value in range(VALUES):
      content = publisher.cbor(value)
      database.executemany(
        "INSERT INTO device_values (device, name, layer, content, digest) VALUES (?, ?, 'user', ?, ?)",
        [(one, "volume" if value == 0 else f"setting{value}", content, b"12345678") for one in ids])
    database.execute("ANALYZE")
  database.close()
  return ids


def measure(console, questions, runs):
  times = {name: [] for name, _ in questions}
  connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=600)
  for _ in range(runs):
    for name, path in questions:
      begun = time.monotonic()
      connection.request("GET", path, headers={"Authorization": "Bearer " + console.token})
      response = connection.getresponse()
      body = response.read()
      assert response.status == 200, (path, response.status, body)
      times[name].append((time.monotonic() - begun) * 1000)
  for name, found in times.items():
    print(f"{name:40} {statistics.median(found):9.1f} {max(found):9.1f}")


def rate(console, devices, connections, seconds):
  """Reports a second, each signed beforehand."""
  each = 4
  bodies = [[] for _ in range(connections)]
  for index, device in enumerate(devices):
    for _ in range(each):
      device.sequence += 1
      content = {"fleet": "kiosks", "device": device.key.public, "sequence": device.sequence, "time": int(time.time()), "schema": 1,
                 "keys": 1, "channels": {"fleet": 1}, "digest": hashlib.sha256(b"").digest()}
      bodies[index % connections].append(publisher.signed("report", content, device.key))

  def send(own):
    connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=600)
    for body in own:
      connection.request("POST", "/v1/reports", body)
      response = connection.getresponse()
      response.read()
      assert response.status in (200, 204), response.status

  threads = [threading.Thread(target=send, args=(own,)) for own in bodies]
  begun = time.monotonic()
  for thread in threads:
    thread.start()
  for thread in threads:
    thread.join()
  return each * len(devices) / (time.monotonic() - begun)


def main():
  count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
  runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
  with tempfile.TemporaryDirectory() as folder:
    console = Console(Path(folder)).make()
    begun = time.monotonic()
    ids = fill(console.state / "console.db", count)
    print(f"{count} devices, written in {time.monotonic() - begun:.0f} s")
    begun = time.monotonic()
    console.serve()
    print(f"the first start, which publishes all of them: {time.monotonic() - begun:.0f} s")
    try:
      console.set("fleet", ("volume", "recommend", 30))
      draft = console.api("GET", "channels/fleet/draft")
      console.api("PATCH", "channels/fleet/draft",
                  {"revision": draft["revision"], "settings": [{"name": "volume", "verb": "recommend", "value": 40}]})
      measure(console, [
        ("status", "/api/v1/status"), ("devices, the first hundred", "/api/v1/devices"),
        ("devices, the last hundred", f"/api/v1/devices?offset={count - 100}"),
        ("devices by a part of their name", "/api/v1/devices?query=till%20777"), ("devices of a group", "/api/v1/devices?group=g0"),
        ("devices that fail", "/api/v1/devices?state=failing"), ("devices that are behind", "/api/v1/devices?state=behind"),
        ("one device, explained", "/api/v1/devices/" + ids[count // 2]), ("the difference, on all devices", "/api/v1/channels/fleet/difference"),
        ("schemas, and who has them", "/api/v1/schemas"),
      ], runs)
      devices = join(console, 64)
      alone, together = [], []
      for _ in range(runs):
        alone.append(rate(console, devices, 1, 1))
        together.append(rate(console, devices, 32, 1))
        time.sleep(4)
      print(f"reports: {statistics.median(together) / statistics.median(alone):.1f} times as many a second by 32 connections as by one "
            f"({statistics.median(together):.0f} and {statistics.median(alone):.0f})")
      status = Path(f"/proc/{console.process.pid}/smaps_rollup").read_text()
      print("memory: " + next(line for line in status.splitlines() if line.startswith("Pss:")))
    finally:
      console.stop()


if __name__ == "__main__":
  main()

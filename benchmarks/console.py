#!/usr/bin/env python3
"""A console with many devices: its pages and API, and how many reports it takes.

    python3 benchmarks/console.py [DEVICES] [RUNS] [--database sqlite|postgresql]

The devices are written into the console's database, a file of SQLite or a server of PostgreSQL that it starts, with a group for each
thousand, twenty values and three channels each; then the console is asked over HTTP on loopback, each question once in each of the
runs, one after another. Rows: median and most, in milliseconds.
Reports are those of 64 real keys, sent one at a time and by 32 connections at once, in turn; the row is the ratio of the two rates.
"""

import argparse
import contextlib
import hashlib
import http.client
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Tests" / "Console")]

import servers  # noqa: E402
from conftest import Console, join, publisher  # noqa: E402

VALUES = 20


def rows(count, ids, fleet, manifest):
  """What is written: a table, its columns, and its rows. Devices that have never been, as a console has them after a report of each."""
  now = int(time.time())
  groups = [f"g{number}" for number in range(max(1, min(200, count // 1000)))]
  yield "device_groups", "name, place", ((name, 1000 + place) for place, name in enumerate(groups))
  yield ("devices", "id, public_key, name, enrolled, seen, reported, sequence, schema_version, failing",
         ((one, bytes.fromhex(one) * 2, f"till {number}", now, now if number % 50 else now - 200_000, now, 1, 1, int(number % 97 == 0))
          for number, one in enumerate(ids)))
  yield "members", "device, in_group", ((one, groups[number % len(groups)]) for number, one in enumerate(ids))
  for name in ("fleet", None):
    yield ("device_channels", "device, channel, version",
           ((one, name or "device." + one, fleet - (number % 31 == 0)) for number, one in enumerate(ids)))
  yield ("channels", "name, version, changed, expires, manifest, stamp",
         (("device." + one, 1, 1, now + 600_000, manifest, 1) for one in ids))
  for value in range(VALUES):
    content, name = publisher.cbor(value), "volume" if value == 0 else f"setting{value}"
    yield "device_values", "device, name, layer, content, digest", ((one, name, "user", content, b"12345678") for one in ids)


def written(value):
  """As PostgreSQL copies it from text."""
  return "\\\\x" + value.hex() if isinstance(value, bytes) else str(value)


def fill(console, count):
  state = os.urandom(16)
  ids = [hashlib.sha256(state + number.to_bytes(8, "big")).hexdigest()[:32] for number in range(count)]
  manifest_hex = "encode(manifest, 'hex')" if console.database else "hex(manifest)"
  (fleet, manifest), = console.sql(f"SELECT version, {manifest_hex} FROM channels WHERE name = 'fleet'")
  tables = rows(count, ids, int(fleet), bytes.fromhex(manifest))
  if console.database:
    with subprocess.Popen(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-1", console.database], stdin=subprocess.PIPE, text=True,
                          cwd="/") as psql:
      for table, columns, lines in tables:
        psql.stdin.write(f"COPY {table} ({columns}) FROM STDIN;\n")
        psql.stdin.writelines("\t".join(map(written, line)) + "\n" for line in lines)
        psql.stdin.write("\\.\n")
      psql.stdin.write("ANALYZE;\n")
      psql.stdin.close()
    assert psql.returncode == 0
  else:
    with contextlib.closing(sqlite3.connect(console.state / "console.db")) as database, database:
      for table, columns, lines in tables:
        places = ", ".join("?" for _ in columns.split(","))
        database.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", lines)
      database.execute("ANALYZE")
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


def rate(console, devices, connections):
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


def measure_all(console, count, runs):
  begun = time.monotonic()
  ids = fill(console, count)
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
      alone.append(rate(console, devices, 1))
      together.append(rate(console, devices, 32))
      time.sleep(4)
    print(f"reports: {statistics.median(together) / statistics.median(alone):.1f} times as many a second by 32 connections as by one "
          f"({statistics.median(together):.0f} and {statistics.median(alone):.0f})")
    status = Path(f"/proc/{console.process.pid}/smaps_rollup").read_text()
    print("memory: " + next(line for line in status.splitlines() if line.startswith("Pss:")))
  finally:
    console.stop()


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("devices", type=int, nargs="?", default=100_000)
  parser.add_argument("runs", type=int, nargs="?", default=5)
  parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
  chosen = parser.parse_args()
  with contextlib.ExitStack() as stack:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    # PostgreSQL runs as a user of its own.
    folder.chmod(0o755)
    postgres = servers.Postgres(folder) if chosen.database == "postgresql" else None
    if postgres:
      stack.callback(postgres.kill)
    measure_all(Console(folder, postgres and postgres.url).make(), chosen.devices, chosen.runs)


if __name__ == "__main__":
  main()

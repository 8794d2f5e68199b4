#!/usr/bin/env python3
"""How long a change takes from its publication to the store of a device, with hints of a broker, and what the process takes.

    python3 benchmarks/sync.py [CHANGES]

A console of the tests' own on loopback, mosquitto, and `livery sync run` in a process of its own. The time is from when the manifest is there
and the hint is sent until another process reads the new value. Rows: median, 95 of 100, most; in milliseconds.
"""

import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Tests" / "Sync"), str(ROOT / "bindings" / "python")]


def resident(process):
  """Bytes of its own and shared with others, and those of its own alone, in KiB."""
  rows = dict(line.split(":") for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()[1:])
  return [int(rows[name].split()[0]) for name in ("Rss", "Pss")]


def main():
  import livery
  import livery.sync
  from conftest import BUILD, SCHEMA, Console, wait
  from test_processes import free_port, hint
  changes = int(sys.argv[1]) if len(sys.argv) > 1 else 50
  mosquitto = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
  with tempfile.TemporaryDirectory() as folder:
    port, configuration = free_port(), Path(folder) / "broker.conf"
    configuration.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n")
    broker = subprocess.Popen([mosquitto, "-c", configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "the broker")
    console = Console(Path(folder) / "console")
    store = livery.open(Path(folder) / "store", create=True)
    store.apply_schema(SCHEMA)
    livery.sync.enroll(store, console.code()).result(20)
    device = subprocess.Popen([BUILD / "livery-sync", "--store", Path(folder) / "store", "--broker", f"mqtt://127.0.0.1:{port}", "run"])
    wait(lambda: livery.sync.status(store).get("hints") == "connected" and livery.sync.status(store).get("taken"), "the connection")
    times = []
    for number in range(changes):
      version = console.publisher.settings("fleet", "bench", ("title", "recommend", f"title {number}"))
      start = time.monotonic()
      hint(port, "livery/kiosks/fleet", version)
      while store.get("title") != f"title {number}":
        time.sleep(0.002)
      times.append((time.monotonic() - start) * 1000)
      time.sleep(0.2)
    times.sort()
    rss, pss = resident(device)
    print(f"{changes} changes: median {statistics.median(times):.0f} ms, 95 % {times[int(len(times) * 0.95)]:.0f} ms, most {times[-1]:.0f} ms")
    print(f"the process: {rss} KiB resident, {pss} KiB of its own share")
    for process in (device, broker):
      process.terminate()
      process.wait()
    console.close()


if __name__ == "__main__":
  main()

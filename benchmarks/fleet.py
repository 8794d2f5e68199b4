"""A fleet of real devices, on real sockets: how soon a change is right on all, and what a broker's restart does.

    fleet.py BUILD [--devices N] [--a-process N] [--folder FOLDER] [--changes N] [--quiet SECONDS] [--broker-kills N] [--json]

mosquitto, nginx and livery-console on the loopback, as docs/console.md has them; devices, several in a process, each with a store of
its own. They join by codes of the console's, report to it, and are told what is published by its API. A request that changes nothing
is answered by nginx alone.
"""

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# How clients of a broker that was lost come back: each at a moment drawn of so many seconds.
SPREAD = 20


class Memory:
  """The most that a process takes (PSS), looked at twice a second, and what it has computed."""

  def __init__(self, process):
    self.pid, self.most, self.is_over = process.pid, 0, False
    self.thread = threading.Thread(target=self.look, daemon=True)
    self.thread.start()

  def look(self):
    while not self.is_over:
      with open(f"/proc/{self.pid}/smaps_rollup") as file:
        self.most = max(self.most, next(int(line.split()[1]) for line in file if line.startswith("Pss:")) / 1024)
      time.sleep(0.5)

  def processor(self):
    """In seconds."""
    return sum(map(int, Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

  def stop(self):
    self.is_over = True
    self.thread.join()


def processor_of(processes):
  return sum(sum(map(int, Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) for process in processes) \
    / os.sysconf("SC_CLK_TCK")


def busiest(moments):
  """The most of them within one second, wherever that begins."""
  moments, most, first = sorted(moments), 0, 0
  for last, moment in enumerate(moments):
    while moment - moments[first] >= 1:
      first += 1
    most = max(most, last - first + 1)
  return most


def percentile(values, share):
  return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("build", type=Path)
  parser.add_argument("--devices", type=int, default=2000)
  parser.add_argument("--a-process", type=int, default=200)
  parser.add_argument("--folder", type=Path, help="where stores and files lie; a temporary one without it")
  parser.add_argument("--changes", type=int, default=5)
  parser.add_argument("--quiet", type=float, default=2, help="seconds before each change; after more than a minute all devices report it")
  parser.add_argument("--broker-kills", type=int, default=1)
  parser.add_argument("--json", action="store_true")
  options = parser.parse_args()
  resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
  build = options.build.resolve()
  os.environ["LIVERY_BUILD"] = str(build)
  sys.path.insert(0, str(ROOT / "Tests" / "Console"))
  import conftest
  import servers
  folder = Path(tempfile.mkdtemp(dir=options.folder))
  (folder / "devices").mkdir()
  (folder / "published").mkdir()
  os.chmod(folder, 0o755)
  broker = servers.Broker(folder)
  console = conftest.Console(folder)
  nginx = servers.Nginx(folder, folder / "published", console.url)
  console.url = nginx.url
  console.make("--broker", broker.url).serve()
  memory = Memory(console.process)
  results = {"devices": options.devices}
  devices = None

  def publish(value):
    console.set("fleet", ("volume", "enforce", value))

  def tell(name, value):
    results[name] = value
    if not options.json:
      print(f"{name}: {value if isinstance(value, (int, str)) else f'{value:.3f}'}", flush=True)

  try:
    began = time.monotonic()
    codes = [console.code() for _ in range(options.devices)]
    tell("seconds until all codes were made", time.monotonic() - began)
    devices = servers.Devices(build / "benchmarks" / "bench-fleet", folder / "devices", codes, options.a_process, broker.url)
    while len(devices.ids) < options.devices or len(broker.connected) <= options.devices:
      time.sleep(0.1)
      assert all(process.poll() is None for process in devices.processes), "a process of devices has ended"
      assert time.monotonic() - began < 600, f"{len(devices.ids)} devices are ready, {len(broker.connected)} clients connected"
    tell("seconds until all have joined", time.monotonic() - began)
    # What they do after joining is over once all of them are known to be right.
    conftest.wait(lambda: console.api("GET", "devices?limit=1&state=right")["total"] == options.devices, 300)
    tell("load before the first change", f"{os.getloadavg()[0]:.1f}")
    late, used = [], [memory.processor(), processor_of(devices.processes)]
    for change in range(options.changes):
      time.sleep(options.quiet)
      value, start = 10 + change, time.monotonic()
      publish(value)
      found = devices.wait(value, options.devices)
      late += [moment - start for moment in found.values()]
      assert len(found) == options.devices, f"{options.devices - len(found)} devices never had a change"
    tell("seconds from publication until right, median", statistics.median(late))
    tell("seconds from publication until right, p95", percentile(late, 0.95))
    tell("seconds from publication until right, most", max(late))
    conftest.wait(lambda: console.api("GET", "devices?limit=1&state=right")["total"] == options.devices, 300)
    # A device reports once a minute at most.
    tell("seconds from the last publication until the console knows all to be right", time.monotonic() - start)
    tell("milliseconds of processor for each device and change, console", (memory.processor() - used[0]) * 1000 / options.devices / options.changes)
    tell("milliseconds of processor for each device and change, devices",
         (processor_of(devices.processes) - used[1]) * 1000 / options.devices / options.changes)
    tell("MiB of all devices", devices.memory())

    waits, rates = [], []
    for kill in range(options.broker_kills):
      broker.kill()
      time.sleep(random.uniform(0.5, 3))
      before = len(broker.moments)
      broker.connected.clear()
      broker.channels.clear()
      broker.start()
      start, value = time.monotonic(), 50 + kill
      publish(value)
      found = devices.wait(value, options.devices)
      assert len(found) == options.devices, f"{options.devices - len(found)} devices never had a change"
      numbers = {device: number for number, device in devices.ids.items()}
      for client, device in list(broker.channels.items()):
        if client in broker.connected and device in numbers:
          waits.append(found[numbers[device]] - broker.connected[client])
      # The last ones have no change to wait for.
      while len(broker.connected) <= options.devices and time.monotonic() - start < 300:
        time.sleep(0.5)
      back = broker.moments[before:]
      rates.append((busiest(back), len(back) / (max(back) - min(back))))
    if waits:
      tell("seconds from reconnecting until right, median", statistics.median(waits))
      tell("seconds from reconnecting until right, p95", percentile(waits, 0.95))
    if rates:
      tell("connections in the busiest second after a restart", max(rate[0] for rate in rates))
      tell("connections a second on average until all are back", statistics.mean(rate[1] for rate in rates))
      tell("busiest second beside that average", max(rate[0] / rate[1] for rate in rates))
      tell("busiest second beside devices / spread", max(rate[0] for rate in rates) * SPREAD / options.devices)
    answers = nginx.answers()
    tell("304 by nginx alone", sum(count for key, count in answers.items() if key.startswith("304") and "console" not in key))
    tell("304 by the console", sum(count for key, count in answers.items() if key.startswith("304") and "console" in key))
    tell("answers of nginx", json.dumps(answers, sort_keys=True))
    tell("MiB of the console at its highest", memory.most)
  finally:
    if devices:
      devices.stop()
    memory.stop()
    nginx.stop()
    broker.kill()
    console.stop()
    shutil.rmtree(folder, ignore_errors=True)
  if options.json:
    print(json.dumps(results))
  return 0


if __name__ == "__main__":
  sys.exit(main())

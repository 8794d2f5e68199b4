"""A fleet of real devices, on real sockets: how soon a change is right on all, and what a broker's restart does.

    fleet.py BUILD [--devices N] [--a-process N] [--folder FOLDER] [--broker-kills N] [--json]

mosquitto and nginx on the loopback; devices, several in a process, each with a store of its own; behind nginx a console of the tests'
own takes enrollments and reports. A request that changes nothing is answered by nginx alone.
"""

import argparse
import importlib.util
import json
import os
import queue
import random
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tests_of(build):
  os.environ["LIVERY_BUILD"] = str(build)
  place = importlib.util.spec_from_file_location("fleet_console", ROOT / "Tests" / "Sync" / "conftest.py")
  module = importlib.util.module_from_spec(place)
  place.loader.exec_module(module)
  return module


def free_port():
  with socket.socket() as found:
    found.bind(("127.0.0.1", 0))
    return found.getsockname()[1]


class Broker:
  """mosquitto; `connected` has the moment at which each client was last let in, `channels` which device it is."""

  def __init__(self, folder):
    self.port, self.folder = free_port(), folder
    self.url = f"mqtt://127.0.0.1:{self.port}"
    self.connected, self.channels, self.moments = {}, {}, []
    (folder / "mosquitto.conf").write_text(
      f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence true\npersistence_location {folder}/\nautosave_interval 1\n"
      "user root\nlog_dest stderr\nlog_type all\nmax_connections -1\n")
    self.start()

  def start(self):
    self.process = subprocess.Popen(
      ["/usr/sbin/mosquitto", "-c", self.folder / "mosquitto.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    threading.Thread(target=self.read, args=(self.process.stderr,), daemon=True).start()
    while True:
      with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", self.port)) == 0:
          return
      time.sleep(0.01)

  def read(self, lines):
    for line in lines:
      moment = time.monotonic()
      if found := re.search(r"New client connected from \S+ as (\S+)", line):
        self.connected[found[1]] = moment
        self.moments.append(moment)
        client = found[1]
      elif found := re.search(r"Received SUBSCRIBE from (\S+)", line):
        client = found[1]
      elif found := re.search(r"/device\.([0-9a-f]{32})", line):
        self.channels.setdefault(client, found[1])

  def kill(self):
    self.process.kill()
    self.process.wait()


class Nginx:
  """Delivers the folder; what is sent goes to the console."""

  def __init__(self, folder, published, console):
    self.port = free_port()
    self.url = f"http://127.0.0.1:{self.port}"
    self.log = folder / "access.log"
    (folder / "nginx.conf").write_text(f"""
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log; {"user root;" if os.getuid() == 0 else ""}
worker_rlimit_nofile 20000;
events {{ worker_connections 8000; }}
http {{
  log_format short '$status $request_method $uri';
  access_log {self.log} short buffer=64k flush=1s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u;
  scgi_temp_path {folder}/s; client_max_body_size 2m; default_type application/octet-stream; etag on; keepalive_timeout 10s;
  server {{
    listen 127.0.0.1:{self.port} backlog=4096;
    root {published};
    location = /v1/enroll {{ proxy_pass {console}; }}
    location = /v1/reports {{ proxy_pass {console}; }}
  }}
}}
""")
    self.process = subprocess.Popen(["/usr/sbin/nginx", "-c", folder / "nginx.conf", "-p", folder])
    while True:
      with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", self.port)) == 0:
          return
      time.sleep(0.01)

  def answers(self):
    time.sleep(1.5)
    counts = {}
    for line in self.log.read_text().splitlines():
      key = " ".join(line.split()[:2])
      counts[key] = counts.get(key, 0) + 1
    return counts

  def stop(self):
    self.process.terminate()
    self.process.wait()


class Devices:
  """Processes of bench-fleet; `ids` are the devices' by their numbers."""

  def __init__(self, program, folder, codes, a_process, broker):
    self.ids, self.values, self.processes = {}, queue.Queue(), []
    for first in range(0, len(codes), a_process):
      process = subprocess.Popen(
        [program, "devices", folder, str(first), broker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
      self.processes.append(process)
      threading.Thread(target=self.read, args=(process,), daemon=True).start()
      process.stdin.write("".join(code + "\n" for code in codes[first : first + a_process]) + "\n")
      process.stdin.flush()

  def read(self, process):
    for line in process.stdout:
      word, number, *rest = line.split()
      if word == "ready":
        self.ids[int(number)] = rest[0]
      else:
        self.values.put((int(number), int(rest[0]), int(rest[1]) / 1e9))

  def wait(self, value, count, seconds=120):
    """The moments at which the devices had a value."""
    found, end = {}, time.monotonic() + seconds
    while len(found) < count and time.monotonic() < end:
      try:
        number, seen, moment = self.values.get(timeout=0.2)
      except queue.Empty:
        continue
      if seen == value:
        found.setdefault(number, moment)
    return found

  def memory(self):
    total = 0
    for process in self.processes:
      with open(f"/proc/{process.pid}/smaps_rollup") as file:
        total += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total / 1024

  def stop(self):
    for process in self.processes:
      process.stdin.close()
    for process in self.processes:
      process.wait()


def percentile(values, share):
  return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("build", type=Path)
  parser.add_argument("--devices", type=int, default=2000)
  parser.add_argument("--a-process", type=int, default=200)
  parser.add_argument("--folder", type=Path, help="where stores and files lie; a temporary one without it")
  parser.add_argument("--changes", type=int, default=5)
  parser.add_argument("--broker-kills", type=int, default=1)
  parser.add_argument("--json", action="store_true")
  options = parser.parse_args()
  resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
  build = options.build.resolve()
  tests = tests_of(build)
  folder = Path(tempfile.mkdtemp(dir=options.folder))
  (folder / "devices").mkdir()
  os.chmod(folder, 0o755)
  program = build / "benchmarks" / "bench-fleet"
  console = tests.Console(folder / "console")
  broker, nginx = Broker(folder), Nginx(folder, folder / "console", console.url)
  results = {"devices": options.devices}
  devices = None

  def publish(value):
    version = console.publisher.settings("fleet", f"to-{value}", ("volume", "enforce", value))
    subprocess.run([program, "hint", broker.url, f"livery/{console.publisher.fleet}/fleet", str(version)], check=True)

  def tell(name, value):
    results[name] = value
    if not options.json:
      print(f"{name}: {value if isinstance(value, (int, str)) else f'{value:.3f}'}", flush=True)

  try:
    began = time.monotonic()
    codes = [console.publisher.code(nginx.url) for _ in range(options.devices)]
    devices = Devices(program, folder / "devices", codes, options.a_process, broker.url)
    while len(devices.ids) < options.devices or len(broker.connected) < options.devices:
      time.sleep(0.1)
      assert all(process.poll() is None for process in devices.processes), "a process of devices has ended"
      assert time.monotonic() - began < 600, f"{len(devices.ids)} devices are ready, {len(broker.connected)} clients connected"
    tell("seconds until all have joined", time.monotonic() - began)
    # What they do after joining is over.
    time.sleep(5)
    late = []
    for change in range(options.changes):
      value, start = 10 + change, time.monotonic()
      publish(value)
      found = devices.wait(value, options.devices)
      late += [moment - start for moment in found.values()]
      assert len(found) == options.devices, f"{options.devices - len(found)} devices never had a change"
      time.sleep(2)
    tell("seconds from publication until right, median", statistics.median(late))
    tell("seconds from publication until right, p95", percentile(late, 0.95))
    tell("seconds from publication until right, most", max(late))
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
      while len(broker.connected) < options.devices and time.monotonic() - start < 300:
        time.sleep(0.5)
      seconds = [int(moment - start) for moment in broker.moments[before:]]
      rates.append((max(seconds.count(second) for second in set(seconds)), len(seconds) / (max(seconds) + 1)))
    if waits:
      tell("seconds from reconnecting until right, median", statistics.median(waits))
      tell("seconds from reconnecting until right, p95", percentile(waits, 0.95))
    if rates:
      tell("connections in the busiest second after a restart", max(rate[0] for rate in rates))
      tell("connections a second on average until all are back", statistics.mean(rate[1] for rate in rates))
      tell("busiest second beside the average", max(rate[0] / rate[1] for rate in rates))
    tell("answers of nginx", json.dumps(nginx.answers()))
  finally:
    if devices:
      devices.stop()
    nginx.stop()
    broker.kill()
    console.close()
    shutil.rmtree(folder, ignore_errors=True)
  if options.json:
    print(json.dumps(results))
  return 0


if __name__ == "__main__":
  sys.exit(main())

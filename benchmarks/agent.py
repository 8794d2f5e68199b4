"""What the agent takes of memory, with each part and with all of them: a process of its own each time, medians.

    agent.py BUILD [--rounds N]

PSS counts a page that processes share by its share; private is what no other process has.
"""

import argparse
import importlib.util
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tests_of(build):
  """What the tests of the agent have: an agent on two stores, and a console."""
  os.environ["LIVERY_BUILD"] = str(build)
  place = importlib.util.spec_from_file_location("agent_tests", ROOT / "Tests" / "Agent" / "conftest.py")
  module = importlib.util.module_from_spec(place)
  place.loader.exec_module(module)
  return module


def taken(process):
  with open(f"/proc/{process.pid}/smaps_rollup") as file:
    kib = {line.split(":")[0]: int(line.split()[1]) for line in file if line.rstrip().endswith("kB")}
  return kib["Pss"] / 1024, (kib["Private_Clean"] + kib["Private_Dirty"]) / 1024


def broker():
  """A mosquitto, and where it listens."""
  port = free_port()
  server = subprocess.Popen(["/usr/sbin/mosquitto", "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
  return server, f"mqtt://127.0.0.1:{port}"


def free_port():
  with socket.socket() as found:
    found.bind(("127.0.0.1", 0))
    return found.getsockname()[1]


def measure(tests, parts):
  server, url = broker()
  folder = Path(tempfile.mkdtemp())
  console = tests.fleet_console.Console(folder / "console")
  console.answers["/logo.png"] = lambda handler: handler.give(200, (ROOT / "Tests" / "Fixtures" / "images" / "rgba.png").read_bytes())
  agent = tests.Agent(folder)
  try:
    with tests.livery.open(agent.settings, create=True) as store:
      store.apply_schema(tests.SCHEMA)
      agent.start()
      if "sync" in parts:
        tests.livery.sync.enroll(store, console.code()).result(30)
        console.publisher.settings("fleet", "loud", ("volume", "enforce", 77))
      if "fetch" in parts:
        store.branding.apply_console({"images": {"logo": console.url + "/logo.png"}})
      agent.set(**{f"{part}_enabled": True for part in parts}, page_listen=f"127.0.0.1:{free_port()}", sync_broker=url)
      tests.wait(lambda: all(agent.part(part)["state"] == "running" for part in parts))
      if "sync" in parts:
        tests.wait(lambda: agent.part("sync")["fleet"].get("hints") == "connected", seconds=60)
        tests.wait(lambda: store["volume"] == 77, seconds=60)
      if "fetch" in parts:
        tests.wait(lambda: store.branding.image("logo")["state"] == "ready", seconds=60)
      if "page" in parts:
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(), urllib.request.ProxyHandler({}))
        for _ in range(20):
          browser.open(agent.part("page")["address"]).read()
    time.sleep(1)
    return taken(agent.process)
  finally:
    agent.end()
    server.kill()
    server.wait()
    console.close()
    shutil.rmtree(folder, ignore_errors=True)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("build", type=Path)
  parser.add_argument("--rounds", type=int, default=5)
  parser.add_argument("--json", action="store_true")
  options = parser.parse_args()
  tests = tests_of(options.build.resolve())
  kinds = {"nothing": [], "page": ["page"], "fetch": ["fetch"], "sync": ["sync"], "all three": ["page", "fetch", "sync"]}
  found = {name: [] for name in kinds}
  for _ in range(options.rounds):
    for name, parts in kinds.items():
      found[name].append(measure(tests, parts))
  for name, rounds in found.items():
    pss, private = (statistics.median(column) for column in zip(*rounds))
    if options.json:
      print(json.dumps({"parts": name, "pss": pss, "private": private}))
    else:
      print(f"{name:10} PSS {pss:5.1f} MiB, private {private:5.1f} MiB")
  return 0


if __name__ == "__main__":
  sys.exit(main())

#!/usr/bin/env python3
"""Kills a console, its commands, its broker and its database at random moments, while administrators publish, devices join, report, go
offline and come back; and looks whether anything was lost or done twice.

    kill.py [KILLS [SEED]] [--database sqlite|postgresql] [--devices N] [--folder FOLDER]

What was answered is noted by those who asked, and compared in the end with the database itself, read by SQLite's or PostgreSQL's own
programs, with the files that nginx delivers, and with the stores of real devices. It ends with a line of figures.
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import conftest  # noqa: E402
import evidence  # noqa: E402
import servers  # noqa: E402
from workers import Administrator, Commander, Joiner, Reporter, Watcher  # noqa: E402


class Scene:
  """All that runs. `attempts` has what was tried, by who did it, with what came of it."""

  def __init__(self, folder, kind, devices, seed, victims):
    self.folder, self.kind, self.chance = folder, kind, random.Random(seed)
    folder.chmod(0o755)
    self.seed, self.is_over, self.wrong, self.victims = seed, False, [], victims
    self.postgres = servers.Postgres(folder) if kind == "postgresql" else None
    self.broker = servers.Broker(folder)
    self.console = conftest.Console(folder, self.postgres.url if self.postgres else None)
    (folder / "published").mkdir()
    self.nginx = servers.Nginx(folder, folder / "published", self.console.url)
    self.console.url = self.nginx.url
    self.console.make("--broker", self.broker.url).serve()
    for name in ("north", "south"):
      self.console.api("POST", "groups", {"name": name}, 201)
    (folder / "devices").mkdir()
    self.devices = servers.Devices(
      conftest.BUILD / "benchmarks" / "bench-fleet", folder / "devices",
      [self.console.code(groups=[self.chance.choice(("north", "south"))]) for _ in range(devices)], 5, self.broker.url)
    conftest.wait(lambda: len(self.devices.ids) == devices, 120)
    self.real = devices
    self.workers = [*(Administrator(self, number) for number in range(3)), Commander(self, 3), *(Joiner(self, number) for number in range(2)),
                    Reporter(self, 0), Watcher(self)]

  def fail(self, text):
    self.wrong.append(text)

  def start_console(self):
    """It does not start as long as its database is not there."""
    for _ in range(300):
      try:
        return self.console.serve()
      except AssertionError:
        self.console.process.wait()
        time.sleep(0.2)
    raise AssertionError("the console does not start any more")

  def kill_one(self):
    shares = {"console": 5, "command": 2, "broker": 2, "postgres": 2 if self.postgres else 0}
    victim = self.chance.choice([name for name in self.victims for _ in range(shares[name])])
    pause = self.chance.choice((0, 0, 0, 0.05, 0.3, 1))
    if victim == "command":
      if not self.workers[3].kill():
        victim = "console"
    if victim == "console":
      if self.console.process.poll() is not None:
        self.fail(f"the console has ended by itself with {self.console.process.returncode}")
      self.console.kill()
      time.sleep(pause)
      self.start_console()
    elif victim == "broker":
      self.broker.kill()
      time.sleep(pause)
      self.broker.start()
    elif victim == "postgres":
      self.postgres.kill()
      time.sleep(pause)
      self.postgres.start()
    return victim

  def offline(self):
    """Some devices stand still for a while."""
    process = self.chance.choice(self.devices.processes)
    process.send_signal(19)
    return process

  def run(self, kills):
    told = {}
    for worker in self.workers:
      worker.start()
    away = []
    for number in range(kills):
      if self.chance.random() < 0.2:
        away.append(self.offline())
      time.sleep(self.chance.random() ** 2 * 0.8)
      victim = self.kill_one()
      told[victim] = told.get(victim, 0) + 1
      if away and self.chance.random() < 0.3:
        away.pop(0).send_signal(18)
      if number % 25 == 24:
        print(f"  {number + 1} kills, {len(self.wrong)} wrong", file=sys.stderr, flush=True)
    self.is_over = True
    for process in self.devices.processes:
      process.send_signal(18)
    for worker in self.workers:
      worker.join(120)
      if worker.is_alive():
        self.fail(f"{type(worker).__name__} does not come to its end")
      if worker.failure:
        self.fail(f"{type(worker).__name__}: {worker.failure}")
    return told

  def settle(self, is_patient):
    """What is published last has to be right on all real devices, by what their stores say; and the console is to know, if there is time:
    a device reports once a minute at most."""
    # A database that was killed last is looked for once in a while.
    conftest.wait(lambda: self.console.ask("GET", "/api/v1/status").status == 200, 60)
    for line in self.console.api("GET", "publications?limit=1000")["items"]:
      if line["state"] == "rolling":
        stopped = self.console.ask("POST", f"/api/v1/publications/{line['number']}/stop")
        # It may have come to its end meanwhile.
        assert stopped.status in (200, 409), (line, stopped.status, stopped.body)
    for channel in ("north", "south", "fleet"):
      name = channel if channel == "fleet" else f"group.{channel}"
      draft = self.console.api("GET", f"channels/{name}/draft")
      settings = [{"name": "welcomeText", "verb": "enforce", "value": f"last of {name}"}]
      if channel == "fleet":
        settings.append({"name": "volume", "verb": "enforce", "value": 100})
      draft = self.console.api("PUT", f"channels/{name}/draft", {"revision": draft["revision"], "settings": settings})
      self.console.api("POST", f"channels/{name}/publications", {"revision": draft["revision"], "comment": f"last {name}"}, 201)
    began = time.monotonic()
    # Clients of a broker that is lost again and again come back after 160 seconds, and all ask every five minutes.
    found = self.devices.wait(100, self.real, 420)
    if len(found) < self.real:
      self.fail(f"{self.real - len(found)} devices never had what was published last")
    if not is_patient:
      return time.monotonic() - began
    ids = set(self.devices.ids.values())

    def told():
      return ids <= {one["id"] for one in self.console.api("GET", "devices?limit=1000&state=right")["items"]}

    try:
      conftest.wait(told, 120)
    except AssertionError:
      right = {one["id"] for one in self.console.api("GET", "devices?limit=1000&state=right")["items"]}
      self.fail(f"the console does not know of {len(ids - right)} devices that they are right")
    return time.monotonic() - began

  def close(self):
    self.is_over = True
    self.devices.stop()
    if self.console.process.poll() is None:
      self.console.kill()
    self.nginx.stop()
    self.broker.kill()
    if self.postgres:
      self.postgres.stop()


VICTIMS = ("console", "command", "broker", "postgres")


def kill(kills, seed, kind, devices, folder, victims=VICTIMS, is_patient=True):
  folder = Path(tempfile.mkdtemp(dir=folder))
  scene = None
  try:
    scene = Scene(folder, kind, devices, seed, victims)
    told = scene.run(kills)
    seconds = scene.settle(is_patient)
    scene.console.stop()
    figures = evidence.examine(scene)
    return told, figures, seconds, scene.wrong
  finally:
    if scene:
      scene.close()
    if not os.environ.get("LIVERY_KEEP"):
      shutil.rmtree(folder, ignore_errors=True)


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("kills", type=int, nargs="?", default=500)
  parser.add_argument("seed", type=int, nargs="?", default=random.SystemRandom().randrange(1 << 32))
  parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
  parser.add_argument("--devices", type=int, default=20)
  parser.add_argument("--folder", type=Path)
  options = parser.parse_args()
  told, figures, seconds, wrong = kill(options.kills, options.seed, options.database, options.devices, options.folder)
  listed = ", ".join(f"{count} {name}" for name, count in sorted(told.items()))
  print(f"seed {options.seed}, {options.database}: {options.kills} kills ({listed}), {json.dumps(figures)}, right after {seconds:.1f} s, "
        f"{len(wrong)} wrong")
  for line in wrong[:40]:
    print(line)
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main())

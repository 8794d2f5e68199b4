"""An agent, its two stores, and a fleet's console of the tests' own."""

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))

_place = importlib.util.spec_from_file_location("fleet_console", ROOT / "Tests" / "Sync" / "conftest.py")
fleet_console = importlib.util.module_from_spec(_place)
_place.loader.exec_module(fleet_console)

import livery  # noqa: E402
import livery.sync  # noqa: E402

wait = fleet_console.wait
SCHEMA = fleet_console.SCHEMA


def free_port():
  with socket.socket() as taken:
    taken.bind(("127.0.0.1", 0))
    return taken.getsockname()[1]


class Agent:
  """A process on two stores in a folder."""

  def __init__(self, folder):
    self.settings, self.config, self.process = folder / "settings", folder / "agent", None
    self.log = folder / "log"

  def command(self, *words, **options):
    return subprocess.run(
      [BUILD / "livery-agent", *words, "--settings", self.settings, "--config", self.config], capture_output=True, text=True, timeout=60, **options)

  def start(self, **environment):
    with open(self.log, "ab") as log:
      self.process = subprocess.Popen(
        [BUILD / "livery-agent", "run", "--settings", self.settings, "--config", self.config], stderr=log, env={**os.environ, **environment})
    wait(lambda: self.command("status", "--json").returncode == 0, "an agent")
    return self.process

  def status(self):
    done = self.command("status", "--json")
    assert done.returncode == 0, done.stdout
    return json.loads(done.stdout)

  def part(self, name):
    return self.status()["parts"][name]

  def set(self, **values):
    """`page_listen="…"` is the setting agent.page.listen; all in one commit."""
    with livery.open(self.config) as config, config.change("user") as change:
      for name, value in values.items():
        change.set("agent." + name.replace("_", ".", 1), value)

  def end(self, how=signal.SIGTERM):
    self.process.send_signal(how)
    return self.process.wait(30)


@pytest.fixture
def agent(tmp_path):
  with livery.open(tmp_path / "settings", create=True) as store:
    store.apply_schema(SCHEMA)
  made = Agent(tmp_path)
  yield made
  if made.process and made.process.poll() is None:
    made.process.kill()
    made.process.wait()


@pytest.fixture
def console(tmp_path):
  made = fleet_console.Console(tmp_path / "console")
  yield made
  made.close()

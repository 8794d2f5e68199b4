"""The console as it is installed, with devices that take part by `livery sync`: what is set in the page is what they have."""

import os
import re
import signal
import socket
import subprocess

import pytest
from conftest import PASSWORDS, ROOT, SCHEMA
from pathlib import Path

BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))


def run(*words, text=None, expected=0):
  done = subprocess.run([BUILD / "livery", *words], input=text, capture_output=True, text=True, timeout=120)
  assert done.returncode == expected, (words, done.stdout, done.stderr)
  return done.stdout


class Console:
  """`livery console serve`, with somebody who may sign in."""

  def __init__(self, folder):
    with socket.create_server(("127.0.0.1", 0)) as free:
      self.base = f"http://127.0.0.1:{free.getsockname()[1]}"
    self.state = ["--state", folder / "console"]
    run("console", "init", "signage", *self.state, "--root-key", folder / "root.key", "--url", self.base)
    for name, role in (("alice", "editor"), ("vera", "viewer")):
      run("console", "admin", "add", name, "--role", role, *self.state, text=PASSWORDS[name] + "\n")
    run("console", "schema", "add", SCHEMA, *self.state)
    self.program = subprocess.Popen([BUILD / "livery", "console", "serve", *self.state, "--listen", self.base.removeprefix("http://")],
                                    stdout=subprocess.PIPE, text=True)
    assert self.base in self.program.stdout.readline()

  def close(self):
    self.program.send_signal(signal.SIGTERM)
    try:
      assert self.program.wait(20) == 0
    finally:
      self.program.stdout.close()


class Device:
  """A store that takes part."""

  def __init__(self, store, code):
    self.store = ["--store", store]
    run("init", *self.store)
    run("apply", SCHEMA, *self.store)
    run("sync", *self.store, "enroll", code)

  def look(self, expected=0):
    run("sync", *self.store, "pull", expected=expected)
    run("sync", *self.store, "push")

  def get(self, name):
    return run("get", *self.store, name).strip()


@pytest.fixture
def console(tmp_path):
  if not (BUILD / "livery-console").exists() or not (BUILD / "livery-sync").exists():
    pytest.skip("there is no device build with the console and sync")
  served = Console(tmp_path)
  yield served
  served.close()


def code(page, base, label):
  """A code by which a device joins, made in the page."""
  page.goto(base + "/enrollment")
  page.fill("#label", label)
  page.click("text=Make a code")
  page.wait_for_selector("#notice code")
  return page.inner_text("#notice code")


def test_three_values_reach_two_devices_by_sync(console, visit, tmp_path):
  page = visit(console, "/enrollment")
  devices = [Device(tmp_path / f"device{number}", code(page, console.base, f"Display {number}")) for number in range(2)]
  page.goto(console.base + "/channels/fleet/form")
  page.fill("[name='v:volume']", "70")
  page.select_option("[name='w:volume']", "enforce")
  page.fill("[name='v:mediaUrl']", "https://media.example/tonight.mp4")
  page.check("[name='v:theme'][value=dark]")
  page.select_option("[name='w:theme']", "replace")
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  page.click("#banner a.button")
  page.fill("#steps", "100")
  page.click(".save button.main")
  page.wait_for_selector("#progress")
  for number, device in enumerate(devices):
    assert device.get("volume") == "50"
    device.look()
    assert [device.get(name) for name in ("volume", "mediaUrl", "theme")] == ["70", "https://media.example/tonight.mp4", "dark"]
    # The page that is open says so by itself.
    page.wait_for_selector(f"progress[value='{number + 1}']")
  page.goto(console.base + "/devices")
  assert page.locator(".chip.good").count() == 2
  page.click("tbody a >> nth=0")
  shown = re.sub(r"\s+", " ", page.inner_text("main"))
  assert "enforced" in shown and "alice" in shown and "70" in shown
  # Back again, by the page of what was published.
  page.goto(console.base + "/publications/1")
  page.click("text=Undo")
  page.wait_for_selector("text=Undone")
  devices[0].look()
  assert devices[0].get("volume") == "50"


def test_a_rollout_that_devices_refuse_stops(console, visit, tmp_path):
  page = visit(console, "/enrollment")
  device = Device(tmp_path / "device", code(page, console.base, "Display"))
  # It has a stricter schema than the console knows.
  strict = tmp_path / "strict.json"
  strict.write_text(SCHEMA.read_text().replace('"Version": 1', '"Version": 2').replace('"Maximum": 100', '"Maximum": 80'))
  run("apply", strict, *device.store)
  page.goto(console.base + "/channels/fleet/form")
  page.fill("[name='v:volume']", "90")
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  page.click("#banner a.button")
  page.fill("#steps", "99.99, 100")
  page.click(".save button.main")
  page.wait_for_selector("text=Rolling out")
  # It says that what is published does not fit.
  device.look(expected=4)
  page.wait_for_selector("text=Stopped", timeout=30_000)
  assert "Display" in page.inner_text("main")
  device.look()
  assert device.get("volume") == "50"

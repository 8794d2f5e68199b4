"""A screen, a session bus and the app on it, driven as assistive technology does: by names and roles, with a pointer."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APP = ROOT / "examples" / "characters"
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(APP), str(APP / "api")]
os.environ.setdefault("LIVERY_LIBRARY", str(ROOT / "build" / "liblivery.so"))
os.environ["PYTHONPATH"] = str(ROOT / "bindings" / "python")
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
# Loopback is reached without a proxy, whatever the environment says.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "*"

import livery  # noqa: E402
import serve  # noqa: E402
from driver import App, Desktop, missing  # noqa: E402

PHONE, TABLET = (360, 720), (1024, 768)
LIGHTHOUSE, ORCHARD = "com.example.lighthouse", "com.example.orchard"


@pytest.fixture(scope="session")
def desktop(tmp_path_factory):
  lacks = missing()
  if lacks:
    pytest.skip(f"{lacks} is not installed: scripts/deps --sample")
  with Desktop(tmp_path_factory.mktemp("desktop")) as started:
    yield started


@pytest.fixture
def server():
  with serve.Server() as started:
    thread = threading.Thread(target=started.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield started
    started.shutdown()
    thread.join()


@pytest.fixture
def start(desktop, tmp_path):
  """Starts the app on the test's store; it is ended with the test."""
  apps = []

  def begin(origin, size=PHONE, use=LIGHTHOUSE, wait=True):
    app = App(desktop, tmp_path / "store", origin, size, use)
    apps.append(app)
    if wait:
      app.find("list item")
    return app

  yield begin
  for app in apps:
    app.stop()


@pytest.fixture
def store(tmp_path):
  """The store of an app that was started, as another process opens it."""
  opened = []

  def open_store():
    opened.append(livery.open(tmp_path / "store"))
    return opened[-1]

  yield open_store
  for each in opened:
    each.close()

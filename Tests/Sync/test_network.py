"""Devices that lose their network and get it back, without a broker: in a network of their own, by real interfaces."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

# Run where there is nothing but a loopback.
SCENE = """
import subprocess, sys, time
from pathlib import Path
from conftest import Console
import livery, livery.sync

def address(word):
  subprocess.run(["ip", "address", word, "127.0.0.1/8", "dev", "lo"], check=True)

def wait(condition, what):
  end = time.monotonic() + 100
  while not condition():
    assert time.monotonic() < end, what
    time.sleep(0.02)

folder = Path(sys.argv[1])
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
console = Console(folder / "console")
with livery.open(folder / "store", create=True) as store:
  livery.sync.enroll(store, console.code()).result(20)
  with livery.sync.start(store):
    wait(lambda: livery.sync.status(store).get("taken"), "the first pull")
    address("del")
    console.publisher.settings("fleet", "missed", ("volume", "recommend", 1))
    # It finds out by asking, and waits for minutes then.
    for _ in range(9):
      try:
        livery.sync.pull(store).result(60)
      except livery.LiveryError:
        pass
    assert store.get("volume", None) is None
    address("add")
    began = time.monotonic()
    wait(lambda: store.get("volume", None) == 1, "what was published while there was no network")
    print(f"waited {time.monotonic() - began:.3f} s", flush=True)
console.close()
"""


def test_what_was_published_without_a_network_comes_with_it(tmp_path):
  if os.geteuid() != 0 or not (shutil.which("unshare") and shutil.which("ip")):
    pytest.skip("networks of one's own are root's, with unshare and ip")
  done = subprocess.run(["unshare", "--net", sys.executable, "-c", SCENE, str(tmp_path)], capture_output=True, text=True, timeout=300,
                        env={**os.environ, "PYTHONPATH": str(HERE)}, cwd=HERE)
  assert done.returncode == 0, done.stderr
  print(done.stdout)

"""The example service works on a real store, and says what is wrong."""

import json
import os
import signal
import subprocess
import sys

import livery
import pytest
from conftest import FIXTURES, ROOT

SERVICE = ROOT / "examples" / "python_service.py"
V1 = json.loads((FIXTURES / "asm" / "SettingsSchema.v1.json").read_text(encoding="utf-8"))


def run(*arguments):
  command = [sys.executable, str(SERVICE), *map(str, arguments)]
  return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)


@pytest.fixture
def schema(tmp_path):
  """The sample schema, open for the service's status."""
  file = tmp_path / "schema.json"
  file.write_text(json.dumps({**V1, "Open": True}))
  return file


def test_one_round_reads_the_settings_and_keeps_a_status(path, schema):
  result = run(path, "--schema", schema, "--once")
  assert (result.returncode, result.stdout, result.stderr) == (0, "after 2 min: nothing to play\n", "")
  with livery.open(path) as store:
    assert store["service.status"] == "idle"
    layer = store.inspect("service.status")["layers"][0]
    assert layer["layer"] == "session" and layer["origin"] == "screensaver" and "expires" in layer
    store.import_json((FIXTURES / "asm" / "values.v1.json").read_bytes())
  result = run(path, "--once")
  assert result.stdout == "after 1 min: https://media.example/a.png, https://media.example/b.png\n"


def test_a_store_without_the_status_is_served_all_the_same(kiosk, path):
  result = run(path, "--once")
  assert result.returncode == 0 and result.stdout.startswith("after 1 min: ") and "service.status" in result.stderr


def test_what_is_wrong_is_said_in_a_line(path, tmp_path):
  result = run(path, "--once")
  assert result.returncode == 1 and result.stdout == "" and "Traceback" not in result.stderr
  broken = tmp_path / "broken.json"
  broken.write_text('{"Version": 1,\n "Groups": [{"Title": "G", "Settings": [{"Type": "TextField"}]}]}')
  result = run(path, "--once", "--schema", broken)
  assert result.returncode == 2 and "broken.json:2:" in result.stderr and "Traceback" not in result.stderr


def test_it_follows_changes_and_stops_when_told(kiosk, path):
  process = subprocess.Popen(
    [sys.executable, str(SERVICE), str(path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
  )
  try:
    assert process.stdout.readline().startswith("after 1 min")
    kiosk.set("duration", "2")
    assert process.stdout.readline().startswith("after 2 min")
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(20) == 0
  finally:
    process.kill()
    process.stdout.close()
    process.wait()

"""The API against its description: what is asked for by it, and what is answered."""

import json
import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, Console, join

EXAMPLES = int(os.environ.get("LIVERY_API_EXAMPLES", 15))


@pytest.fixture
def console(tmp_path):
  console = Console(tmp_path).make().serve()
  yield console
  console.stop()


def test_the_console_tells_its_description(console):
  subprocess.run([sys.executable, ROOT / "tools" / "openapi", "--check"], check=True)
  told = console.ask("GET", "/api/v1/openapi.json", token=False)
  assert told.json == json.loads((ROOT / "docs" / "console-api.openapi.json").read_text())


def test_all_that_is_answered_is_described(console):
  """By schemathesis, which makes requests of all kinds from the description: no status and no body that it does not have."""
  found = os.environ.get("LIVERY_SCHEMATHESIS") or shutil.which("schemathesis") or next(
    (str(path) for path in [ROOT / "build/venv/bin/schemathesis"] if path.exists()), None)
  if found is None:
    pytest.skip("schemathesis of PyPI is not installed")
  device, = join(console)
  console.set("fleet", ("volume", "recommend", 30))
  device.report()
  done = subprocess.run(
    [found, "run", ROOT / "docs" / "console-api.openapi.json", "--url", f"http://127.0.0.1:{console.port}/api/v1",
     "-H", "Authorization: Bearer " + console.token, "--max-examples", str(EXAMPLES), "--generation-database", "none",
     "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
     "--exclude-operation-id", "removeToken", "--exclude-operation-id", "putAdmin", "--exclude-operation-id", "removeAdmin"],
    capture_output=True, text=True, cwd=console.folder, timeout=1500)
  assert done.returncode == 0, done.stdout[-6000:]
  assert console.api("GET", "status")["fleet"] == "kiosks"

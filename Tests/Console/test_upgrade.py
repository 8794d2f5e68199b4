"""A fleet that was made when the console's tables had their first form goes on with the present one."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from conftest import Console, join

FIXTURES = Path(__file__).parents[1] / "Fixtures" / "console"


@pytest.fixture
def former(tmp_path):
  console = Console(tmp_path)
  console.state.mkdir(mode=0o700)
  console.published.mkdir()
  with sqlite3.connect(console.state / "console.db") as database:
    database.executescript((FIXTURES / "version-1.sql").read_text())
  for name in ("signing.key", "root.key"):
    shutil.copy(FIXTURES / f"version-1.{name}", console.state / name)
    (console.state / name).chmod(0o400)
  (console.state / "console.json").write_text(
    json.dumps({"publish": str(console.published), "url": f"http://127.0.0.1:{console.port}"}))
  yield console
  console.stop()


def test_what_was_there_is_there(former):
  assert [line["what"] for line in former.json("history")][::-1] == [
    "made the fleet", "added schema version 1", "added editor eva", "added group shop", "changed the draft of fleet",
    "published fleet", "changed the draft of group.shop", "published group.shop", "changed the draft of fleet",
    "made enrollment 7df47bf7172c6053"]
  lines = {line["number"]: line for line in former.json("rollout", "list")}
  assert lines[1]["comment"] == "quieter" and lines[1]["state"] == "complete" and lines[2]["state"] == "rolling"
  assert "volume: recommend 30 → recommend 40" in former.run("diff", "fleet")
  assert former.run("draft", "show", "group.shop").split("\n")[1] == 'welcomeText\tenforce "Salut"'


def test_it_goes_on(former):
  # By now its key document may be over: another key signs.
  former.run("keys", "rotate", "--root-key", former.state / "root.key")
  former.run("publish", "fleet", "--until", "2999-01-01T00:00Z", "--name", "for-a-time")
  former.run("rollout", "stop", "2")
  former.token = former.run("token", "make", "eva").strip()
  former.serve()
  device, = join(former)
  names = [entry["name"] for entry in device.manifest("fleet")["documents"]]
  assert names == ["p1", "for-a-time"]
  assert former.api("GET", "publications/2")["state"] == "stopped"


def test_a_console_of_before_would_not_know_it(former):
  former.run("status")
  with sqlite3.connect(former.state / "console.db") as database:
    database.execute("INSERT INTO migrations (number) SELECT MAX(number) + 1 FROM migrations")
  assert "later version" in former.run("status", expected=4)

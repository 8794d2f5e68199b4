"""The console's pages without a browser: who may do what by which method, and what nobody means well with."""

import re
import urllib.parse

import pytest
from conftest import Console, join

PASSWORDS = {"eva": "correct horse", "vera": "battery staple"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PATHS = ["/", "/devices", "/devices/DEVICE", "/devices/DEVICE/name", "/devices/DEVICE/groups", "/groups", "/groups/lobby", "/channels",
         "/channels/fleet", "/channels/fleet/form", "/channels/fleet/form/at/0", "/channels/fleet/form/draft",
         "/channels/fleet/form/brand", "/channels/fleet/form/list", "/channels/fleet/difference", "/channels/fleet/publish",
         "/channels/fleet/discard", "/publications", "/publications/1", "/publications/1/stop", "/publications/1/raise",
         "/publications/1/resume", "/publications/1/undo", "/enrollment", "/enrollment/1/withdraw", "/schemas", "/history", "/events",
         "/sign-in", "/sign-out", "/style.css", "/nothing"]


@pytest.fixture
def console(tmp_path):
  console = Console(tmp_path).make()
  console.run("admin", "add", "vera", "--role", "viewer", text=PASSWORDS["vera"] + "\n")
  console.run("group", "add", "lobby")
  console.serve()
  yield console
  console.stop()


class Person:
  """Somebody who has signed in."""

  def __init__(self, console, name):
    self.console = console
    answer = console.ask("POST", "/sign-in", encoded(name=name, password=PASSWORDS[name]), FORM, token=False)
    assert answer.status == 303, answer.body
    self.cookie = {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}
    self.csrf = re.search(r'name="csrf" value="([^"]+)"', self.ask("GET", "/devices").body.decode())[1]

  def ask(self, method, path, **fields):
    body = None if method in ("GET", "HEAD") else encoded(csrf=self.csrf, **fields)
    return self.console.ask(method, path, body, {**self.cookie, **(FORM if body else {})}, token=False)


def encoded(**fields):
  return urllib.parse.urlencode(fields, doseq=True).encode()


def test_a_viewer_changes_nothing_by_any_method(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 5))
  console.set("fleet", ("volume", "enforce", 6), steps=[100, 10000], pause=3600)
  console.api("PATCH", "channels/fleet/draft", {"revision": 2, "settings": [{"name": "volume", "verb": "enforce", "value": 7}]})
  vera = Person(console, "vera")
  before = console.api("GET", "status")["generation"]
  fields = {"name": "evil", "op": "remove", "label": "x", "hours": "1", "revision": "3", "steps": "100", "pause": "0", "bound": "2",
            "s:volume": "enforce.3", "v:volume": "9", "w:volume": "enforce"}
  for path in PATHS:
    path = path.replace("DEVICE", device.id)
    for method in ("PUT", "PATCH", "DELETE"):
      answer = vera.ask(method, path, **fields)
      assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD, POST", (method, path, answer.status)
    if path not in ("/sign-in", "/sign-out"):
      assert vera.ask("POST", path, **fields).status == 403, path
    assert vera.ask("HEAD", path).status in (200, 303, 404), path
  assert console.api("GET", "status")["generation"] == before
  # Editors use no other methods either.
  eva = Person(console, "eva")
  for method in ("PUT", "PATCH", "DELETE"):
    assert eva.ask(method, "/groups", name="evil").status == 405
  assert eva.ask("POST", "/groups", name="west").status == 303

"""What one version of the schema calls secret is told nobody, whatever another one makes of it."""

import json
import stat
import urllib.parse

import pytest
from conftest import Console, join, wait

PIN = "geheim-4711"


def schema(version, **setting):
  return {"Version": version, "Groups": [{"Title": "Kiosk", "Settings": [{"Title": "PIN", "Key": "pin", **setting}]}]}


SECRET = schema(1, Type="TextField", Class=["Password"])
NUMBER = schema(2, Type="Number", Format="integer", Value=1)
PLAIN = schema(1, Type="TextField")
LATER_SECRET = schema(2, Type="TextField", Class=["Password"])


@pytest.fixture
def console(tmp_path, place):
  made = Console(tmp_path, place).make_bare().serve()
  yield made
  made.stop()


def add(console, content):
  path = console.folder / f"schema-{content['Version']}.json"
  path.write_text(json.dumps(content))
  console.run("schema", "add", path)


def draft(console, value):
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [{"name": "pin", "verb": "enforce", "value": value}]})


def everything(console):
  """All that a viewer may read."""
  paths = ["channels/fleet/draft", "channels/fleet/difference", "publications", "history", "devices", "status"]
  paths += [f"publications/{one['number']}" for one in console.api("GET", "publications")["items"]]
  paths += [f"devices/{one['id']}" for one in console.api("GET", "devices")["items"]]
  return json.dumps([console.api("GET", path) for path in paths], ensure_ascii=False) + console.run("diff") + console.run("history")


def test_a_later_schema_without_the_secret_does_not_tell_it(console):
  add(console, SECRET)
  device, = join(console)
  draft(console, PIN)
  console.run("publish")
  refuses = [{"name": "pin", "message": f'`pin`: expected int, found string "{PIN}"'}]
  assert device.report(verdict="refused", schema=2, violations=refuses).status in (200, 204)
  draft(console, PIN + "-2")
  add(console, NUMBER)
  told = everything(console)
  assert "is secret" in told and PIN not in told, told
  for words in (("publish",), ("publish", "--schema", "2")):
    for text in (console.run(*words, expected=4), console.run(*words, "--json", expected=4)):
      assert PIN not in text, text
  # What a schema that knows of it says has no value in it, and is told.
  short = [{"name": "pin", "message": "it is too short"}]
  assert device.report(verdict="refused", schema=1, violations=short).status in (200, 204)
  assert console.api("GET", "devices/" + device.id)["violations"][0]["message"] == "it is too short"


def pages(console):
  """What a person sees of it, signed in."""
  form = {"Content-Type": "application/x-www-form-urlencoded"}
  signed = console.ask("POST", "/sign-in", urllib.parse.urlencode({"name": "eva", "password": "correct horse"}).encode(), form, token=False)
  assert signed.status == 303
  cookie = {"Cookie": signed.headers["Set-Cookie"].split(";")[0]}
  paths = ["/channels/fleet/form", "/channels/fleet/form?q=pin", "/channels/fleet/difference", "/publications/1", "/history", "/devices"]
  paths += ["/devices/" + one["id"] for one in console.api("GET", "devices")["items"]]
  return {path: console.ask("GET", path, None, cookie, token=False) for path in paths}


def test_a_form_of_a_schema_without_the_secret_does_not_show_it(console):
  add(console, SECRET)
  draft(console, PIN)
  console.run("publish")
  assert all(page.status == 200 and PIN.encode() not in page.body for page in pages(console).values())
  # It fits, and the schema that the form is drawn of does not know that it is a secret.
  add(console, schema(2, Type="TextField"))
  shown = pages(console)
  for path, page in shown.items():
    assert page.status == 200 and PIN.encode() not in page.body, path
  assert all(b"value is secret" in shown["/channels/fleet/" + page].body for page in ("form", "difference"))
  # It is said all the same.
  assert console.api("GET", "channels/fleet/draft")["settings"] == [{"name": "pin", "verb": "enforce", "secret": True}]


def test_what_became_a_secret_is_gone_from_what_was_kept_of_failures(console):
  add(console, PLAIN)
  device, = join(console)
  draft(console, PIN)
  number = console.api("POST", "channels/fleet/publications", {"revision": 1, "steps": [9999, 10000], "pause": 3600}, 201)["number"]
  refuses = [{"name": "pin", "message": f'`pin`: "{PIN}" is too short'}]
  assert device.report(verdict="refused", violations=refuses).status in (200, 204)
  stopped = wait(lambda: (told := console.api("GET", f"publications/{number}"))["state"] == "stopped" and told)
  assert PIN in stopped["failures"][0]["problem"]
  add(console, LATER_SECRET)
  told = everything(console)
  assert PIN not in told and "refused: pin: its value is secret" in told, told


def test_what_becomes_a_secret_is_gone_from_history(console):
  add(console, PLAIN)
  draft(console, PIN)
  assert PIN in console.run("history")
  add(console, LATER_SECRET)
  draft(console, "another")
  told = everything(console)
  assert PIN not in told and "another" not in told and "enforce … → enforce …" in told, told


def test_the_database_is_for_the_console_alone(tmp_path):
  state = tmp_path / "state"
  state.mkdir(mode=0o755)
  console = Console(tmp_path).make()
  for path in state.glob("console.db*"):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
  assert console.run("status")

"""Serves the console's pages on a fleet in memory, and opens them in a real browser, with a script and without."""

import http.client
import json
import os
import re
import shutil
import subprocess
import urllib.parse
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = Path(os.environ.get("LIVERY_CONSOLE_SAMPLE", ROOT / ".build/debug/console-sample"))
SCHEMA = Path(__file__).parent / "fixtures" / "signage.json"
SCREENSHOTS = ROOT / "build" / "screenshots"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
PASSWORDS = {"alice": "correct horse", "vera": "battery staple"}


class Fleet:
  """The program, and the devices that it knows: in memory, or of a real console with a database in a folder."""

  def __init__(self, devices=8, schema=SCHEMA, hosts=(), console=None):
    environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no"}
    self.program = subprocess.Popen([SAMPLE, schema, str(devices), *(["--console", console] if console else []), *hosts], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True, env=environment)
    self.base = self.program.stdout.readline().strip()
    self.host = self.base.removeprefix("http://")

  def close(self):
    self.program.stdin.close()
    try:
      assert self.program.wait(20) == 0
    finally:
      self.program.stdout.close()

  def path(self, path):
    """With the id of the first device for DEVICE, and of the third for THIRD."""
    for word, number in (("DEVICE", 0), ("THIRD", 2)):
      if word in path:
        path = path.replace(word, self.page(number).removeprefix("/devices/"))
    return path

  def ask(self, method, path, body=None, headers=None):
    path = self.path(path)
    connection = http.client.HTTPConnection(self.host, timeout=20)
    try:
      connection.request(method, path, body, headers or {})
      answer = connection.getresponse()
      answer.text = answer.read().decode("utf-8", "replace")
      return answer
    finally:
      connection.close()

  def device(self, number):
    """What a device holds: verb and value of each setting."""
    return json.loads(self.ask("GET", f"/sample/{number}").text)["held"]

  def page(self, number):
    """The address of a device's page."""
    return "/devices/" + json.loads(self.ask("GET", f"/sample/{number}").text)["id"]

  def report(self, number, verdict="applied"):
    assert self.ask("POST", f"/sample/{number}/{verdict}", b"").status == 204


class Person:
  """Somebody without a browser."""

  def __init__(self, fleet, name="alice", password=None):
    self.fleet = fleet
    self.answer = fleet.ask("POST", "/sign-in", urllib.parse.urlencode({"name": name, "password": password or PASSWORDS[name]}),
                            {"Content-Type": "application/x-www-form-urlencoded"})
    cookie = self.answer.getheader("Set-Cookie")
    self.cookie = cookie.split(";")[0] if cookie else None
    self.csrf = None

  def get(self, path, **headers):
    answer = self.fleet.ask("GET", path, headers={"Cookie": self.cookie, **headers})
    found = re.search(r'name="csrf" value="([^"]+)"', answer.text)
    if found:
      self.csrf = found[1]
    return answer

  def post(self, path, fields=(), csrf=True, **headers):
    if csrf is True and self.csrf is None:
      self.get("/devices")
    pairs = list(fields.items()) if isinstance(fields, dict) else list(fields)
    if csrf:
      pairs.append(("csrf", self.csrf if csrf is True else csrf))
    return self.fleet.ask("POST", path, urllib.parse.urlencode(pairs), {
      "Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded", **headers})

  def form(self, path):
    """What a form would send that nobody has touched."""
    text = self.get(path).text
    fields = {}
    for tag in re.findall(r"<input[^>]*>", text[text.index('<form id="form"'):]):
      name, value, kind = (re.search(rf'{part}="([^"]*)"', tag) for part in ("name", "value", "type"))
      if name and not (kind and kind[1] in ("checkbox", "radio", "file") and " checked" not in tag):
        fields[name[1]] = value[1] if value else ""
    for name, options in re.findall(r'<select[^>]*name="([^"]*)"[^>]*>(.*?)</select>', text, re.S):
      chosen = re.search(r'<option value="([^"]*)" selected', options)
      if chosen:
        fields[name] = chosen[1]
    return fields

  def set(self, channel="fleet", page=0, **settings):
    """Sets settings in a channel's form: a verb, or a verb and a value."""
    fields = self.form(f"/channels/{channel}/form/at/{page}")
    for name, (verb, *value) in settings.items():
      fields[f"w:{name}"] = verb
      if value:
        fields[f"v:{name}"] = value[0]
    return self.post(f"/channels/{channel}/form/at/{page}", {**fields, "op": "save"})

  def publish(self, channel="fleet", **plan):
    page = self.get(f"/channels/{channel}/difference").text
    revision = re.search(r'name="revision" value="(\d+)"', page)[1]
    answer = self.post(f"/channels/{channel}/publish",
                       {"revision": revision, "comment": "", "steps": "100", "pause": "0", "bound": "2", **plan})
    assert answer.status == 303, answer.text
    return int(re.search(r"/publications/(\d+)", answer.getheader("Location"))[1])


@pytest.fixture(params=["memory", "console"])
def fleet(request, tmp_path):
  """A function that serves a fleet of so many devices."""
  made = []

  def make(*args, **options):
    if request.param == "console":
      options["console"] = tmp_path / f"fleet{len(made)}"
      options["console"].mkdir()
    made.append(Fleet(*args, **options))
    return made[-1]

  yield make
  for served in made:
    served.close()


@pytest.fixture(scope="session")
def chromium():
  playwright = pytest.importorskip("playwright.sync_api")
  assert CHROMIUM, "there is no Chromium: scripts/deps installs it"
  with playwright.sync_playwright() as started:
    browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
    yield browser
    browser.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
  outcome = yield
  if outcome.get_result().failed:
    item.failed = True


@pytest.fixture
def visit(chromium, request):
  """A function that signs in with a browser of its own; a picture is kept of what is shown when a test fails."""
  contexts = []

  def open_page(served, path="/", name="alice", script=True, **options):
    context = chromium.new_context(java_script_enabled=script, locale="en-US", **options)
    contexts.append(context)
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.problems, page.foreign = [], []
    page.on("request", lambda asked: asked.url.startswith((served.base, "data:")) or page.foreign.append(asked.url))
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    harmless = ("status of", "net::ERR")
    page.on("console", lambda told: told.type == "error" and not any(text in told.text for text in harmless)
            and page.problems.append(told.text))
    page.goto(served.base + "/sign-in")
    if name:
      page.fill("#name", name)
      page.fill("#password", PASSWORDS[name])
      page.click("button.main")
      page.goto(served.base + path)
    return page

  yield open_page
  problems, foreign = [], []
  for index, context in enumerate(contexts):
    for page in context.pages:
      if getattr(request.node, "failed", False):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{request.node.name}-{index}.png", full_page=True)
      problems += page.problems
      foreign += page.foreign
    context.close()
  assert not problems and not foreign, (problems, foreign)

"""Prompts at the page: each kind with each end, in a browser and byte by byte; with a script and without."""

import http.client
import json
import re
import subprocess
import sys
import threading
import time
import urllib.parse
from html import unescape
from pathlib import Path

import livery
import livery.page
import livery.prompt
import pytest

from conftest import BUILD
from test_access import LOOKS, axe, violations

SECRET = "Zq-secret-7731"
# Each kind, with what is typed and the answer that comes of it. A control is named by its place in the form.
KINDS = {
  "login": ({"m:0.0": "ada", "m:0.1": SECRET}, {"user": "ada", "password": SECRET}),
  "device-provisioning": ({"m:0.0": "livery:1?x"}, {"code": "livery:1?x"}),
  "location-consent": ({"m:0.0": "1", "m:0.1": "approximate"}, {"granted": True, "precision": "approximate"}),
  "passcode": ({"m:0.0": SECRET}, {"passcode": SECRET}),
  "geofence": ({"m:0.0": "leave"}, {"action": "leave"}),
  "bluetooth-consent": ({}, {"granted": False}),
  "photo-upload": ({"f:0.0": "picture"}, {"photo": "picture"}),
  "user-agreement": ({"m:0.0": "1", "m:0.1": "3"}, {"accepted": True, "version": "3"}),
  "time-restriction": ({"m:0.0": "retry"}, {"action": "retry"}),
  "server-switch": ({"m:0.0": "1", "m:0.1": "https://example.com/"}, {"switch": True, "server": "https://example.com/"}),
  "email-recovery": ({"m:0.0": "1", "m:0.1": "ada@example.com"}, {"recover": True, "email": "ada@example.com"}),
  "badge-picker": ({"m:0.0": "7"}, {"badge": "7"}),
  "sso-confirmation": ({"m:0.0": "1"}, {"confirmed": True}),
  "revoked": ({"m:0.0": "1"}, {"acknowledged": True}),
}
# Those that have an answer if nobody shows them.
DEFAULTED = {"server-switch", "email-recovery", "badge-picker", "sso-confirmation", "revoked"}


def picture():
  import struct
  import zlib

  def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

  return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
          + chunk(b"IDAT", zlib.compress(b"\0\xff\0\0\0\xff\0" * 2)) + chunk(b"IEND", b""))


class Answer:
  def __init__(self, answer):
    self.status = answer.status
    self.headers = dict(answer.getheaders())
    self.text = answer.read().decode(errors="replace")

  @property
  def notice(self):
    found = re.search(r'id="notice"[^>]*>(.*?)</(?:div|p)>', self.text, re.S)
    return unescape(re.sub(r"<[^>]*>", "", found[1])) if found else None

  @property
  def waiting(self):
    """The prompts that are told of above the page."""
    return [int(number) for number in re.findall(r'<p data-prompt="(\d+)"', self.text)]


class Client:
  """A browser with a session and without a script."""

  def __init__(self, served):
    self.address = urllib.parse.urlparse(served.base).netloc
    self.cookie = None
    opened = self.ask("GET", urllib.parse.urlparse(served.link()).path)
    assert opened.status == 303
    self.cookie = opened.headers["Set-Cookie"].split(";")[0]
    self.csrf = re.search(r'name="csrf" value="([^"]+)"', self.get("/").text)[1]

  def ask(self, method, path, body=None, headers=()):
    connection = http.client.HTTPConnection(self.address, timeout=20)
    try:
      connection.request(method, path, body, {**({"Cookie": self.cookie} if self.cookie else {}), **dict(headers)})
      return Answer(connection.getresponse())
    finally:
      connection.close()

  def get(self, path):
    return self.ask("GET", path)

  @property
  def waiting(self):
    """What a page with a script is told of prompts."""
    return self.ask("GET", "/prompts", headers={"X-Livery-Script": "1"}).waiting

  def post(self, path, fields, csrf=None):
    fields = {"csrf": self.csrf if csrf is None else csrf, **fields}
    files = {name: value for name, value in fields.items() if isinstance(value, bytes)}
    if not files:
      return self.ask("POST", path, urllib.parse.urlencode(fields), {"Content-Type": "application/x-www-form-urlencoded"})
    body = b""
    for name, value in fields.items():
      more = '; filename="a.png"' if name in files else ""
      body += f'--xx\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode()
      body += (value if isinstance(value, bytes) else value.encode()) + b"\r\n"
    return self.ask("POST", path, body + b"--xx--\r\n", {"Content-Type": "multipart/form-data; boundary=xx"})

  def prompt(self, wanted=1):
    """The number of the topmost prompt, once there are so many."""
    for _ in range(500):
      waiting = self.waiting
      if len(waiting) == wanted:
        return waiting[0] if waiting else None
      time.sleep(0.01)
    raise AssertionError(f"{wanted} prompts are wanted, and there are {waiting}")

  def give(self, number, typed):
    fields = {name: picture() if value == "picture" else value for name, value in typed.items()}
    return self.post(f"/prompt?id={number}", {"n:": "1", "op": "answer", **fields})


class Asked:
  """A request of this process, and how often it was told of its end."""

  def __init__(self, store, kind, decisions="", **options):
    self.answers, self.ends = [], []

    def look(request, answer):
      self.answers.append(answer)
      decision = decisions[len(self.answers) - 1:][:1] or "a"
      if decision == "a":
        request.accept()
      elif decision != "w":
        request.reject("The answer is <b>wrong</b>", retry=decision == "r")

    self.request = livery.prompt.request(store, kind, answered=look if decisions else None, **options)

  def end(self, timeout=20):
    try:
      return self.request.result(timeout).content
    except livery.LiveryError as error:
      return type(error).__name__

  @property
  def hangs(self):
    return not self.request.done


def same(kind, store, answer):
  wanted = dict(KINDS[kind][1])
  if kind == "photo-upload":
    assert store.assets.get(answer["photo"]) == picture()
    wanted = answer
  return answer == wanted


@pytest.fixture
def page(serve):
  """A page that shows prompts, with somebody who has it open."""
  served = serve("every.json", "--prompts")
  served.client = Client(served)
  return served


def ended(client, number, text):
  """The page of a prompt that is over says why, and no page tells of it any more."""
  for _ in range(500):
    if not client.waiting:
      break
    time.sleep(0.01)
  assert client.get("/at/1").waiting == []
  assert text in client.get(f"/prompt?id={number}").text
  assert client.give(number, {"m:0.0": "late"}).status in (409, 422)


def test_every_kind_with_every_end(page):
  client, store = page.client, page.store
  assert livery.prompt.missing(store) == []
  for kind, (typed, _) in KINDS.items():
    # Answered.
    asked = Asked(store, kind)
    number = client.prompt()
    assert client.get("/").waiting == [number]
    answer = client.give(number, typed)
    assert answer.status == 303, (kind, answer.text)
    assert same(kind, store, asked.end()), kind
    assert "Answered." in client.get(answer.headers["Location"]).text
    ended(client, number, "Answered.")
    # Rejected, and then answered.
    asked = Asked(store, kind, "ra")
    number = client.prompt()
    answer = client.give(number, typed)
    assert answer.status == 422 and answer.notice == "The answer is <b>wrong</b>", kind
    assert SECRET not in answer.text and SECRET not in client.get(f"/prompt?id={number}").text
    if kind == "photo-upload":
      typed = {"m:0.0": re.search(r'name="m:0.0" value="(\w+)"', answer.text)[1]}
    if kind == "login":
      assert 'value="ada"' in answer.text
    assert client.give(number, typed).status == 303
    assert same(kind, store, asked.end()) and len(asked.answers) == 2, kind
    # Rejected for good.
    asked = Asked(store, kind, "x")
    number = client.prompt()
    client.give(number, typed)
    assert asked.end() == "RefusedError", kind
    ended(client, number, "The answer is &lt;b&gt;wrong&lt;/b&gt;")
    # Declined.
    asked = Asked(store, kind)
    number = client.prompt()
    assert client.post(f"/prompt?id={number}", {"n:": "1", "op": "decline"}).status == 303
    assert asked.end() == "CancelledError", kind
    ended(client, number, "dismissed")
    # Taken back.
    asked = Asked(store, kind)
    number = client.prompt()
    asked.request.cancel()
    assert asked.end() == "CancelledError", kind
    ended(client, number, "taken back")
    # Its time is over.
    asked = Asked(store, kind, timeout=0.05)
    assert asked.end() == "TimedOutError", kind
    assert client.prompt(0) is None


def test_requesters_and_pages_that_are_killed(serve):
  for kind in KINDS:
    served = serve("every.json", "--prompts")
    client = Client(served)
    requester = subprocess.Popen([str(BUILD / "livery-prompt"), "request", kind, "--store", str(served.path)],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    number = client.prompt()
    requester.kill()
    requester.communicate()
    ended(client, number, "has ended")
    for is_killed in (True, False):
      asked = Asked(served.store, kind, "r" if kind in DEFAULTED else "")
      number = client.prompt()
      if kind in DEFAULTED:
        # A page shows it before who asked hears of that, and until then is free to take the default. A rejection has been heard.
        assert client.give(number, KINDS[kind][0]).status == 422
      (served.program.kill if is_killed else served.program.terminate)()
      served.program.wait(20)
      assert asked.end() == "UnavailableError", kind
      # Another page is asked from then on.
      served._start()
      client = Client(served)
      assert client.waiting == []
    served.close()
    assert [name for name in served.path.iterdir() if "prompt." in name.name] == []


def test_a_page_that_ends_hands_prompts_on(serve):
  served = serve("every.json", "--prompts")
  other = subprocess.Popen([str(BUILD / "livery-page"), "--store", str(served.path), "--prompts"], stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, text=True)
  second = Served(served.path, other)
  asked = Asked(served.store, "login")
  client = Client(second)
  client.prompt()
  other.kill()
  other.wait()
  heir = Client(served)
  heir.give(heir.prompt(), KINDS["login"][0])
  assert asked.end() == KINDS["login"][1]


class Served:
  def __init__(self, path, program):
    self.path, self.program = path, program
    self.first = program.stdout.readline().strip()
    self.base = self.first[:self.first.index("/open/")]

  def link(self):
    self.program.stdin.write("\n")
    self.program.stdin.flush()
    return self.program.stdout.readline().strip()


def test_programs_that_name_a_kind_come_first(page):
  class Login(livery.prompt.Provider):
    def present(self, prompt, request):
      prompt.answer({"user": "eve", "password": "x"})

  with livery.prompt.provide(page.store, "login", Login()):
    assert Asked(page.store, "login").end()["user"] == "eve"
  asked = Asked(page.store, "login")
  page.client.give(page.client.prompt(), KINDS["login"][0])
  assert asked.end()["user"] == "ada"


def test_what_is_wrong_is_told_beside_its_field(page):
  client = page.client
  asked = Asked(page.store, "login")
  number = client.prompt()
  answer = client.give(number, {"m:0.0": "", "m:0.1": ""})
  assert answer.status == 422 and answer.text.count('class="error"') == 2
  answer = client.give(number, {"m:0.0": "ada", "m:0.1": ""})
  assert answer.status == 422 and answer.text.count('class="error"') == 1 and 'value="ada"' in answer.text
  answer = client.give(number, {"m:0.0": "a" * 3000, "m:0.1": SECRET})
  assert answer.status == 422 and answer.text.count('class="error"') == 1 and SECRET not in answer.text
  assert asked.hangs
  client.give(number, KINDS["login"][0])
  assert asked.end() == KINDS["login"][1]
  asked = Asked(page.store, "photo-upload")
  number = client.prompt()
  answer = client.give(number, {"f:0.0": b"no image"})
  assert answer.status == 422 and "notice bad" in answer.text
  client.post(f"/prompt?id={number}", {"op": "decline"})
  assert asked.end() == "CancelledError"
  # An address that is left out is left out.
  asked = Asked(page.store, "server-switch")
  client.give(client.prompt(), {"m:0.0": "1", "m:0.1": ""})
  assert asked.end() == {"switch": True}


def test_kinds_with_names_of_ones_own(page):
  client = page.client
  schema = json.dumps({"Version": 1, "Title": "Tea", "Groups": [{"Title": "Tea", "Settings": [
    {"Type": "Header", "Title": "What"}, {"Type": "Number", "Format": "integer", "Key": "cups", "Title": "Cups", "Value": 2, "Maximum": 9},
    {"Type": "Date", "Key": "when", "Title": "When"}, {"Type": "Color", "Key": "color", "Title": "Color", "Value": "#336699"},
    {"Type": "Pane", "Title": "More", "Settings": [{"Type": "TextField", "Key": "note", "Title": "Note"}]},
    {"Type": "List", "Key": "guests", "Title": "Guests", "ItemTemplate": [{"Type": "TextField", "Key": "name", "Title": "Name"}]}]}]})
  asked = Asked(page.store, "tea", schema=schema)
  number = client.prompt()
  drawn = client.get(f"/prompt?id={number}").text
  assert "<h1>Tea</h1>" in drawn and 'value="2"' in drawn and "Guests" in drawn
  fields = {"n:": "1", "m:0.0": "3", "m:0.1": "2026-11-23T12:00", "m:0.2": "#112233", "m:0.3": "hot", "n:0.4": "0"}
  added = client.post(f"/prompt?id={number}", {**fields, "op": "add:0.4"})
  assert added.status == 200 and 'name="m:0.4.0.0"' in added.text and asked.hangs
  wrong = client.give(number, {**fields, "m:0.0": "77", "n:0.4": "1", "m:0.4.0.0": "Ada"})
  assert wrong.status == 422 and wrong.text.count('class="error"') == 1
  assert client.give(number, {**fields, "n:0.4": "1", "m:0.4.0.0": "Ada"}).status == 303
  answer = asked.end()
  assert answer["cups"] == 3 and answer["guests"] == [{"name": "Ada"}] and answer["note"] == "hot"
  # Without a form any value would do: it is a text.
  asked = Asked(page.store, "coffee")
  client.give(client.prompt(), {"m:0.0": "black"})
  assert asked.end() == "black"


def test_prompts_lie_upon_each_other(page):
  client = page.client
  asked = [Asked(page.store, kind) for kind in ("login", "passcode", "geofence")]
  top = client.prompt(3)
  assert client.get("/").waiting == [top, top - 1, top - 2]
  assert client.get("/prompt").text.count("<h1>Outside of the permitted area</h1>") == 1
  client.give(top - 1, KINDS["passcode"][0])
  assert asked[1].end() == KINDS["passcode"][1]
  assert client.get("/").waiting == [top, top - 2]
  client.give(top, KINDS["geofence"][0])
  client.give(top - 2, KINDS["login"][0])
  assert asked[0].end() == KINDS["login"][1] and asked[2].end() == {"action": "leave"}
  assert "Nobody waits" in client.get("/prompt").text


def test_of_two_who_answer_one_wins(page):
  clients = [Client(page) for _ in range(2)]
  for _ in range(20):
    asked = Asked(page.store, "login", "a")
    number = clients[0].prompt()
    answers = []
    threads = [threading.Thread(target=lambda client=client: answers.append(client.give(number, KINDS["login"][0]).status))
               for client in clients]
    for thread in threads:
      thread.start()
    for thread in threads:
      thread.join()
    assert asked.end() == KINDS["login"][1] and len(asked.answers) == 1
    assert sorted(answers) == [303, 409]


def test_an_answer_that_is_looked_at_for_long(page):
  client = page.client
  asked = Asked(page.store, "login", "ww")
  number = client.prompt()
  answer = client.give(number, KINDS["login"][0])
  assert answer.status == 202 and "looked at" in answer.notice and answer.headers["Refresh"].startswith("1; url=/prompt?id=")
  assert client.give(number, KINDS["login"][0]).status == 409
  # Others are not kept waiting.
  begin = time.monotonic()
  assert client.get("/").status == 200 and time.monotonic() - begin < 0.25
  asked.request.reject("No", retry=True)
  for _ in range(200):
    drawn = client.get(f"/prompt?id={number}")
    if drawn.notice == "No":
      break
    time.sleep(0.01)
  assert drawn.notice == "No" and SECRET not in drawn.text and 'value="ada"' in drawn.text
  # What one person has typed is not for another one.
  assert 'value="ada"' not in Client(page).get(f"/prompt?id={number}").text
  client.give(number, KINDS["login"][0])
  asked.request.accept()
  assert asked.end() == KINDS["login"][1]


def test_what_attacks(page):
  client = page.client
  evil = '"><script>alert(1)</script><!--'
  asked = Asked(page.store, "login", "rw", subject={evil: evil, "user": evil, "nested": {"a": [evil] * 3}, "long": "x" * 5000})
  number = client.prompt()
  drawn = client.get(f"/prompt?id={number}").text
  assert "<script>alert" not in drawn and "&lt;script&gt;alert" in drawn and "x" * 1000 not in drawn
  # Nobody answers for another page, or without a session.
  fields = {"n:": "1", "op": "answer", "m:0.0": "ada", "m:0.1": SECRET}
  assert client.post(f"/prompt?id={number}", fields, csrf="").status == 403
  assert client.post(f"/prompt?id={number}", fields, csrf=Client(page).csrf).status == 403
  stranger = Client(page)
  stranger.cookie = None
  assert stranger.post(f"/prompt?id={number}", fields).status == 403
  assert stranger.get(f"/prompt?id={number}").status == 403 and stranger.get("/prompt").status == 403
  body = urllib.parse.urlencode({"csrf": client.csrf, **fields})
  kind = {"Content-Type": "application/x-www-form-urlencoded"}
  assert client.ask("POST", f"/prompt?id={number}", body, {**kind, "Origin": "http://evil.example"}).status == 403
  # Ids that are none.
  for other in ("0", "-1", str(number + 1), "18446744073709551616", "x", "", "%00", evil):
    path = "/prompt?id=" + urllib.parse.quote(other)
    assert client.get(path).status == 404 and client.post(path, fields).status == 404, other
  # Bodies that are too large, cut or senseless.
  assert client.ask("POST", f"/prompt?id={number}", b"", {**kind, "Content-Length": str(2 << 20)}).status == 413
  for odd in ({}, {"n:": "0"}, {"n:": "2"}, {"n:": "-1"}, {"n:": "99999999999999999999"}, {"n:": "x"}):
    assert client.post(f"/prompt?id={number}", {"op": "answer", **odd}).status in (404, 422), odd
  for odd in ({"op": "add:9.9.9"}, {"op": "remove:"}, {"op": "remove:0"}, {"op": "up:0.0"}, {"f:0.0": b"x"}, {"f:9": b"x"}, {"f:": b"x"}):
    assert client.post(f"/prompt?id={number}", {**fields, "m:0.1": "", **odd}).status in (200, 404, 422), odd
  assert asked.hangs and asked.answers == []
  # An answer twice.
  assert client.give(number, {"m:0.0": evil, "m:0.1": SECRET}).status == 422
  assert client.give(number, fields).status == 202
  assert client.give(number, fields).status == 409
  assert len(asked.answers) == 2
  asked.request.accept()
  assert asked.end()["user"] == "ada"
  assert client.give(number, fields).status == 409
  # In the store and what it is made of there is nothing of it.
  for path in page.path.iterdir():
    if path.is_file():
      assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_what_was_typed_is_not_in_the_memory_of_the_page(page):
  """Strings of more than 15 bytes lie on the heap."""
  secret = "Wq-8842-a-secret-of-some-length-7731"
  client = page.client
  for _ in range(3):
    asked = Asked(page.store, "login", "ra")
    number = client.prompt()
    assert client.give(number, {"m:0.0": "ada", "m:0.1": secret}).status == 422
    assert client.give(number, {"m:0.0": "ada", "m:0.1": secret}).status == 303
    assert asked.end()["password"] == secret
  client.get("/")
  found = 0
  process = page.program.pid
  with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
    for line in maps:
      area, rights, _, _, _, *path = line.split(None, 5)
      if not rights.startswith("rw"):
        continue
      start, end = (int(part, 16) for part in area.split("-"))
      try:
        memory.seek(start)
        found += memory.read(end - start).count(secret.encode()[4:])
      except OSError:
        continue
  assert found == 0


def type_in(page, typed):
  for name, value in typed.items():
    field = page.locator(f"[name='{name}']")
    if value == "picture":
      field.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": picture()})
    elif field.first.get_attribute("type") == "checkbox":
      field.check()
    elif field.first.get_attribute("type") == "radio":
      page.locator(f"[name='{name}'][value='{value}']").check()
    else:
      field.fill(value)


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_every_kind_in_a_browser(page, visit, script):
  shown = visit(page.link(), script)
  for kind, (typed, _) in KINDS.items():
    asked = Asked(page.store, kind, "ra")
    page.client.prompt()
    if not script:
      shown.reload()
    shown.locator("#prompts a").click()
    type_in(shown, typed)
    shown.locator("button.main").click()
    shown.wait_for_selector("#notice.bad")
    assert shown.locator("#notice").inner_text() == "The answer is <b>wrong</b>"
    again = {name: value for name, value in typed.items() if value == SECRET}
    for name in again:
      assert shown.locator(f"[name='{name}']").input_value() == ""
    type_in(shown, again)
    shown.locator("button.main").click()
    shown.wait_for_selector("main >> text=Answered.")
    assert same(kind, page.store, asked.end()), kind
    shown.locator("main a.button").click()
    shown.wait_for_selector("#form")
    assert shown.locator("#prompts p").count() == 0


def test_every_tab_hears_of_it(page, visit):
  first, second = visit(page.link()), visit(page.link())
  first.goto(page.base + "/at/1")
  for tab in (first, second):
    tab.wait_for_timeout(300)
  first.locator("#q").focus()
  asked = Asked(page.store, "login")
  for tab in (first, second):
    tab.wait_for_selector("#prompts >> text=Log in")
    assert "Log in" in tab.locator("#live").inner_text()
  # Whoever types is not disturbed.
  assert first.evaluate("document.activeElement.id") == "q"
  second.locator("#prompts a").click()
  second.locator("[name='m:0.0']").fill("ada")
  asked.request.cancel()
  for tab in (first, second):
    tab.wait_for_function("() => !document.querySelector('#prompts p')")
  second.wait_for_selector("main >> text=taken back")
  assert second.evaluate("document.activeElement.id") == "main"
  assert asked.end() == "CancelledError"
  # Back to where the person was.
  asked = Asked(page.store, "login")
  first.locator("#prompts a").click()
  first.locator("button[value=decline]").click()
  first.wait_for_url("**/at/1")
  assert asked.end() == "CancelledError"


def test_the_keyboard_alone_answers(page, visit):
  shown = visit(page.link())
  shown.wait_for_timeout(300)
  asked = Asked(page.store, "login", "ra")
  shown.wait_for_selector("#prompts a")
  shown.locator("#prompts a").focus()
  shown.keyboard.press("Enter")
  shown.wait_for_selector("[name='m:0.0']")
  for _ in range(2):
    shown.locator("[name='m:0.0']").focus()
    shown.keyboard.press("Control+A")
    shown.keyboard.type("ada")
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.name") == "m:0.1"
    shown.keyboard.type(SECRET)
    shown.keyboard.press("Enter")
    shown.wait_for_selector("#notice")
    if len(asked.answers) == 1:
      shown.wait_for_function("() => document.activeElement.id == 'notice'")
  assert asked.end() == KINDS["login"][1]


def test_a_decision_that_takes_long_is_seen(page, visit):
  for script in (True, False):
    shown = visit(page.link(), script)
    asked = Asked(page.store, "login", "ww")
    number = page.client.prompt()
    shown.goto(f"{page.base}/prompt?id={number}")
    type_in(shown, KINDS["login"][0])
    shown.locator("button.main").click()
    shown.wait_for_selector("main >> text=looked at")
    asked.request.reject("Not so", retry=True)
    shown.wait_for_selector("#notice.bad >> text=Not so")
    assert shown.locator("[name='m:0.0']").input_value() == "ada"
    type_in(shown, {"m:0.1": SECRET})
    shown.locator("button.main").click()
    shown.wait_for_selector("main >> text=looked at")
    asked.request.accept()
    shown.wait_for_selector("main >> text=Answered.")
    assert asked.end() == KINDS["login"][1]


# With the page's script and without, each time.
@pytest.mark.parametrize("width, scheme", [(width, scheme) for width, scheme, script in LOOKS if script])
def test_axe_finds_nothing_in_prompts(page, visit, width, scheme):
  source = axe()
  page.store.set("branding.color.PrimaryHighlight", "#ffdd55")
  shown = visit(page.link(), True, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
  asked = [Asked(page.store, kind, "r" if kind == "login" else "", subject={"server": "https://example.com/", "count": 3})
           for kind in KINDS]
  top = page.client.prompt(len(KINDS))
  for script in (True, False):
    if not script:
      shown.route("**/script.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    for number in range(top - len(KINDS) + 1, top + 1):
      shown.goto(f"{page.base}/prompt?id={number}")
      assert violations(shown, source) == []
      assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    first = f"{page.base}/prompt?id={top - len(KINDS) + 1}"
    shown.goto(first)
    shown.locator("button.main").click()
    shown.wait_for_selector(".error")
    assert violations(shown, source) == []
    type_in(shown, KINDS["login"][0])
    shown.locator("button.main").click()
    shown.wait_for_function("() => document.querySelector('#notice.bad')?.textContent.includes('wrong')")
    assert violations(shown, source) == []
    asked[0].answers.clear()
  for one in asked:
    one.request.cancel()
  page.client.prompt(0)
  shown.goto(first)
  assert violations(shown, source) == []


def test_in_german(page, visit):
  shown = visit(page.link(), False, locale="de-AT")
  asked = Asked(page.store, "login")
  page.client.prompt()
  shown.reload()
  assert "Wartet auf eine Antwort" in shown.locator("#prompts").inner_text()
  shown.locator("#prompts a").click()
  assert shown.locator("button.main").inner_text() == "Antworten"
  shown.locator("button[value=decline]").click()
  assert asked.end() == "CancelledError"


def test_a_page_without_prompts_has_none(serve):
  served = serve("every.json")
  client = Client(served)
  assert "id=\"prompts\"" not in client.get("/").text
  assert client.get("/prompt").status == 404 and client.post("/prompt?id=1", {"op": "answer"}).status == 404
  assert len(livery.prompt.missing(served.store)) == len(KINDS)


def test_python(tmp_path):
  with livery.open(tmp_path / "store", create=True) as store:
    with livery.page.start(store, prompts=True) as page:
      assert livery.prompt.missing(store) == []
      assert page.address().startswith("http://127.0.0.1:")
    assert len(livery.prompt.missing(store)) == len(KINDS)


def switches(process):
  """How often the threads of a process have run."""
  found = [re.findall(r"ctxt_switches:\s*(\d+)", (task / "status").read_text()) for task in Path(f"/proc/{process}/task").iterdir()]
  return sum(int(number) for numbers in found for number in numbers)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_prompts_that_wait_wake_nobody(serve):
  served = serve("every.json", "--prompts")
  for waiting in (0, 3):
    asked = [Asked(served.store, "login") for _ in range(waiting)]
    # The thread that has told of them ends after a while.
    time.sleep(3)
    before = switches(served.program.pid)
    time.sleep(3)
    assert switches(served.program.pid) == before, waiting
  for one in asked:
    one.request.cancel()

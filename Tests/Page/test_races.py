"""Without a browser: two tabs and a console on one setting, in random order, and sessions that end at random."""

import html
import http.client
import os
import random
import re
import signal
import threading
import urllib.parse

import livery


class Tab:
  """A browser's requests, without one."""

  def __init__(self, served):
    self.served = served
    self.host = served.base[len("http://"):]
    self.cookie = ""
    self.connection = http.client.HTTPConnection(self.host, timeout=30)
    answer = self.ask("GET", urllib.parse.urlsplit(served.link()).path)
    assert answer.status == 303, answer.status
    self.cookie = answer.headers["Set-Cookie"].split(";")[0]

  def ask(self, method, path, fields=None):
    body = urllib.parse.urlencode(fields, doseq=True) if fields is not None else None
    headers = {"Cookie": self.cookie} if self.cookie else {}
    if body is not None:
      headers["Content-Type"] = "application/x-www-form-urlencoded"
    self.connection.request(method, path, body, headers)
    answer = self.connection.getresponse()
    answer.text = answer.read().decode()
    return answer

  def load(self):
    self.fields = self.read(self.ask("GET", "/at/0").text)
    return self.fields

  @staticmethod
  def read(text):
    """The fields of a form as a browser would send them."""
    fields = {}
    for tag in re.findall(r"<input [^>]*>", text):
      named = dict((name, html.unescape(value)) for name, value in re.findall(r'([\w-]+)="([^"]*)"', tag))
      if "name" in named and "disabled" not in tag and named.get("type") not in ("checkbox", "radio", "file"):
        fields[named["name"]] = named.get("value", "")
    return fields

  def save(self, **changes):
    return self.ask("POST", "/at/0", {**self.fields, **changes})


SCHEMA = {"Version": 1, "Groups": [{"Title": "One", "Settings": [
  {"Type": "TextField", "Title": "Text", "Key": "text", "Value": "start"},
  {"Type": "TextField", "Title": "Other", "Key": "other", "Value": "start"}]}]}


def test_a_thousand_interleavings_lose_nothing(serve):
  served = serve(SCHEMA)
  tabs = [Tab(served), Tab(served)]
  store = served.store
  chance = random.Random(7)
  loaded = {}
  refused = 0
  for turn in range(1000):
    who = chance.choice([0, 1, "console"])
    if who == "console":
      store.set("text", f"console {turn}", chance.choice(["user", "recommended"]))
      continue
    tab = tabs[who]
    if who not in loaded or chance.random() < 0.4:
      loaded[who] = tab.load()["v:text"]
      assert loaded[who] == store.get("text")
      continue
    seen, now, mine = loaded.pop(who), store.get("text"), f"tab {who} {turn}"
    revision = store.revision
    answer = tab.save(**{"v:text": mine})
    if answer.status == 303:
      # What was replaced is what the person saw, and "saved" is true.
      assert now == seen and store.get("text") == mine, (turn, seen, now)
      assert store.revision == revision + 1
    else:
      refused += 1
      assert answer.status == 409 and store.get("text") == now and store.revision == revision
      # Both values are shown, and the decision holds.
      assert html.escape(now, quote=False) in answer.text and html.escape(mine, quote=False) in answer.text
      tab.fields = Tab.read(answer.text)
      choice = chance.choice(["mine", "theirs"])
      second = tab.save(**{"v:text": mine, "c:text": choice})
      assert second.status == 303
      assert store.get("text") == (mine if choice == "mine" else now)
  assert refused > 50


def test_what_a_person_did_not_touch_is_never_in_conflict(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.load()
  served.store.set("other", "by the console")
  assert tab.save(**{"v:text": "mine"}).status == 303
  assert served.store.get("other") == "by the console" and served.store.get("text") == "mine"


def test_a_thousand_sessions_end_once_each(serve):
  served = serve(SCHEMA)
  chance = random.Random(3)
  ended = {"done": 0, "stopped": 0}
  opened = []
  for number in range(1000):
    tab = Tab(served)
    changes = chance.random() < 0.2
    if changes:
      tab.load()
      assert tab.save(**{"v:text": f"session {number}"}).status == 303
    if chance.random() < 0.97 or len(opened) > 20:
      tab.load()
      assert tab.ask("POST", "/done", {"csrf": tab.fields["csrf"]}).status == 200
      assert served.line() == ("finished: done, changed text" if changes else "finished: done")
      ended["done"] += 1
    else:
      opened.append(tab)
  served.program.send_signal(signal.SIGTERM)
  for _ in opened:
    assert served.line().startswith("finished: stopped")
    ended["stopped"] += 1
  assert served.program.wait(20) == 0
  assert served.program.stdout.read() == ""
  assert sum(ended.values()) == 1000


def test_saved_is_only_said_of_what_is_there(serve):
  """The program is killed at random moments of requests: whatever was answered with "saved" is in the store."""
  chance = random.Random(11)
  served = serve(SCHEMA)
  for number in range(30):
    tab = Tab(served)
    tab.load()
    told = []

    def request(value=f"kill {number}"):
      try:
        if tab.save(**{"v:text": value}).status == 303:
          told.append(value)
      except (OSError, http.client.HTTPException):
        pass

    thread = threading.Thread(target=request)
    thread.start()
    threading.Event().wait(chance.random() * 0.004)
    os.kill(served.program.pid, signal.SIGKILL)
    thread.join()
    served.program.wait()
    if told:
      assert served.store.get("text") == told[0]
    served.program.stdin.close()
    served.program.stdout.close()
    served._start()

"""What requests may and may not do, without a browser: each of these was got wrong once."""

import datetime
import http.client
import re
import socket
import threading
import time
import urllib.parse

import livery
import livery.page
import pytest
from test_races import Tab

PASSWORD = {"Type": "TextField", "Class": ["Password"], "Value": ""}
SCHEMA = {"Version": 1, "Title": "Rules", "Groups": [{"Title": "One", "Settings": [
  {"Type": "Number", "Format": "integer", "Title": "Volume", "Key": "volume", "Value": 50},
  {"Type": "TextField", "Title": "Notice", "Key": "notice", "Value": "start"},
  {"Type": "TextField", "Title": "Hidden", "Key": "hidden", "Value": "h", "Hidden": True},
  {"Type": "TextField", "Title": "Longest", "Key": "longest", "Value": "", "MaxLength": 2 ** 62},
  {"Type": "ToggleSwitch", "Title": "On", "Key": "on", "Value": True},
  {"Type": "TextField", "Title": "Needs it", "Key": "needs", "Value": "", "EnabledBy": {"Key": "on", "Equals": True}},
  {"Type": "Image", "Title": "Picture", "Key": "picture"}]},
  {"Title": "Two", "Settings": [{"Type": "List", "Title": "Users", "Key": "users", "ItemTemplate": [
    {"Type": "TextField", "Title": "Name", "Key": "name", "Value": ""}, {**PASSWORD, "Title": "Secret", "Key": "secret"},
    {"Type": "List", "Title": "Inner", "Key": "inner", "ItemTemplate": [{"Type": "TextField", "Title": "X", "Key": "x"}]}]}]}]}


class Events:
  """A stream of events: what has come so far."""

  def __init__(self, tab):
    self.socket = socket.create_connection(("127.0.0.1", int(tab.host.rsplit(":", 1)[1])))
    self.socket.sendall(f"GET /events HTTP/1.1\r\nHost: {tab.host}\r\nCookie: {tab.cookie}\r\n\r\n".encode())
    self.text = b""

  def until(self, text, seconds=5):
    end = time.monotonic() + seconds
    while text not in self.text:
      self.socket.settimeout(max(0.01, end - time.monotonic()))
      more = self.socket.recv(65536)
      assert more, self.text
      self.text += more
    return self.text


def upload(tab, path, fields, files):
  """A form with files."""
  body = b""
  for name, value in fields.items():
    body += f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
  for name, content in files.items():
    body += f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n\r\n'.encode() + content + b"\r\n"
  tab.connection.request("POST", path, body + b"--b--\r\n",
                         {"Cookie": tab.cookie, "Content-Type": "multipart/form-data; boundary=b"})
  answer = tab.connection.getresponse()
  answer.text = answer.read().decode()
  return answer


def test_empty_lines_come_with_live_changes(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.load()
  events = Events(tab)
  events.until(b"event: now\ndata: ")
  served.store.set("notice", "one\n\nthree\n\n\nsix")
  text = events.until(b"data: six")
  assert b"data: one\ndata: \ndata: three\ndata: \ndata: \ndata: six" in text


def test_what_depends_on_a_change_is_drawn_anew(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.load()
  events = Events(tab)
  events.until(b"event: now")
  served.store.set("on", False)
  text = events.until(b'data-name="needs"')
  assert b"Without effect as long as" in text and f"id: {served.store.revision}".encode() in text


def test_a_stream_says_from_where_it_tells(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.load()
  served.store.set("volume", 51)
  assert f"data: {served.store.revision}\n".encode() in Events(tab).until(b"event: now\ndata: ")


def test_a_small_request_makes_no_large_lists(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.fields = Tab.read(tab.ask("GET", "/list?name=users").text)
  fields = {**tab.fields, "n:": "60", "op": "add:", **{f"n:{item}.2": "10000" for item in range(60)}}
  begin = time.monotonic()
  answer = tab.ask("POST", "/list?name=users", fields)
  assert answer.status == 400 and time.monotonic() - begin < 10
  assert answer.text.count('name="m:') <= 100
  assert served.program.poll() is None


def test_only_ones_own_layer_is_taken_back(serve):
  served = serve(SCHEMA)
  served.store.set("volume", 33, "enforced")
  locked = served.store.revision
  served.store.set("hidden", "mine")
  hidden = served.store.revision
  tab = Tab(served)
  tab.load()
  for revision in (locked, hidden, locked + 100, 0, 2 ** 64 - 1):
    answer = tab.ask("POST", "/undo?name=volume", {"csrf": tab.fields["csrf"], "revision": str(revision)})
    assert answer.status == 403, revision
  assert served.store.get("volume") == 33 and served.store.get("hidden") == "mine"
  page = tab.ask("GET", "/history?name=volume").text
  assert "33" in page and 'formaction="/undo' not in page


def test_what_is_hidden_stays_so(serve):
  served = serve(SCHEMA)
  served.store.set("hidden", "UNSEEN")
  tab = Tab(served)
  for path in ("/history", "/at/0", "/search?q=unseen", "/why?name=hidden", "/history?name=hidden"):
    assert "UNSEEN" not in tab.ask("GET", path).text, path
  assert tab.ask("GET", "/history?name=hidden").status == 404
  tab.load()
  revision = served.store.revision
  assert tab.ask("POST", "/at/0", {**tab.fields, "op": "reset:hidden"}).status == 404
  assert served.store.revision == revision


def test_a_reset_of_something_else_by_now_is_refused(serve):
  served = serve(SCHEMA)
  served.store.set("volume", 10)
  tab = Tab(served)
  tab.load()
  served.store.set("volume", 70)
  assert tab.save(op="reset:volume", **{"v:on": "1"}).status == 409
  assert served.store.get("volume") == 70
  tab.load()
  assert tab.save(op="reset:volume", **{"v:on": "1"}).status == 303
  assert served.store.get("volume") == 50


def test_secrets_of_a_list_stay_with_their_items(serve):
  served = serve(SCHEMA)
  served.store.set("users", [{"name": "a", "secret": "pwA"}, {"name": "b", "secret": "pwB"}, {"name": "c", "secret": "pwC"}])
  tab = Tab(served)
  tab.fields = Tab.read(tab.ask("GET", "/list?name=users").text)
  served.store.set("users", [{"name": "b", "secret": "pwB"}, {"name": "c", "secret": "new"}])
  answer = tab.ask("POST", "/list?name=users", {**tab.fields, "m:1.0": "b2"})
  assert answer.status == 409
  fields = {**Tab.read(answer.text), "c:users": "mine"}
  # The item that was removed has lost its secret: it is asked for.
  refused = tab.ask("POST", "/list?name=users", fields)
  assert refused.status == 422 and "type it again" in refused.text
  assert tab.ask("POST", "/list?name=users", {**fields, "m:0.1": "again"}).status == 303
  assert [(item["name"], item["secret"]) for item in served.store.get("users")] == [("a", "again"), ("b2", "pwB"), ("c", "new")]


def test_only_a_secret_that_was_there_is_asked_for_again(serve):
  served = serve(SCHEMA)
  served.store.set("users", [{"name": "a"}, {"name": "b"}])
  tab = Tab(served)
  fields = Tab.read(tab.ask("GET", "/list?name=users").text)
  served.store.set("users", [{"name": "a2"}, {"name": "b"}])
  answer = tab.ask("POST", "/list?name=users", {**fields, "m:1.0": "MINE"})
  assert answer.status == 409 and "type it again" not in answer.text
  assert tab.ask("POST", "/list?name=users", {**Tab.read(answer.text), "c:users": "mine"}).status == 303
  assert [item["name"] for item in served.store.get("users")] == ["a", "MINE"]


def test_a_secret_that_is_lost_is_asked_for_at_its_field(serve):
  file = {"Type": "Data", "Title": "Key", "Key": "key"}
  inner = {"Type": "List", "Title": "Inner", "Key": "inner", "ItemTemplate": [{"Type": "TextField", "Title": "X", "Key": "x"},
    {**PASSWORD, "Title": "Token", "Key": "token"}]}
  served = serve({"Version": 1, "Groups": [{"Title": "One", "Settings": [{"Type": "List", "Title": "Users", "Key": "users", "ItemTemplate": [
    {"Type": "TextField", "Title": "Name", "Key": "name", "Value": ""}, {**PASSWORD, "Title": "Secret", "Key": "secret"}, file, inner]}]}]})
  served.store.set("users", [{"name": "a"}, {"name": "b", "secret": "pwB", "key": b"123"},
                             {"name": "c", "inner": [{"x": "1"}, {"x": "2", "token": "T2"}]}])
  tab = Tab(served)
  fields = Tab.read(tab.ask("GET", "/list?name=users").text)
  served.store.set("users", [{"name": "other"}])
  answer = upload(tab, "/list?name=users", {**fields, "m:0.1": "typed"}, {})
  assert answer.status == 409

  def asked(answer):
    """What is said above, and which controls it is said at."""
    above = dict(re.findall(r'<li><a href="#(m[0-9_]+)">([^<]*)</a>', answer.text))
    below = set(re.findall(r'id="(m[0-9_]+)" name="[^"]*" aria-invalid="true" aria-describedby="e\1[ "]', answer.text))
    assert below == set(above) == set(re.findall(r'<p class="error" id="e(m[0-9_]+)">Please', answer.text))
    return set(above.values())

  lost = {"Item 2, Secret", "Item 2, Key", "Item 3, Inner, Item 2, Token"}
  # What was typed is not sent back.
  assert asked(answer) == {"Item 1, Secret", *lost}
  fields = {**Tab.read(answer.text), "c:users": "mine", "m:0.1": "typed"}
  answer = upload(tab, "/list?name=users", fields, {})
  assert answer.status == 422 and asked(answer) == {"Item 1, Secret", *lost}
  fields |= {"m:1.1": "B2", "m:2.3.1.1": "T3"}
  answer = upload(tab, "/list?name=users", fields, {})
  assert answer.status == 422 and "Item 2, Key" in asked(answer)
  assert upload(tab, "/list?name=users", fields, {"f:1.2": b"456"}).status == 303
  now = served.store.get("users")
  assert [item["name"] for item in now] == ["a", "b", "c"] and now[1]["key"] == b"456"
  assert [now[0]["secret"], now[1]["secret"], now[2]["inner"][1]["token"]] == ["typed", "B2", "T3"]


def test_a_list_in_conflict_is_told_as_people_read_it(serve):
  served = serve({"Version": 1, "Groups": [{"Title": "One", "Settings": [{"Type": "List", "Title": "Users", "Key": "users", "ItemTemplate": [
    {"Type": "TextField", "Title": "Name", "Key": "name", "Value": ""}, {**PASSWORD, "Title": "Secret", "Key": "secret"},
    {"Type": "Pane", "Title": "More", "Settings": [{"Type": "ToggleSwitch", "Title": "On", "Key": "on", "Value": False}]},
    {"Type": "List", "Title": "Inner", "Key": "inner", "ItemTemplate": [{"Type": "TextField", "Title": "X", "Key": "x"}]}]},
    {"Type": "List", "Title": "Words", "Key": "words", "ItemTemplate": [{"Type": "TextField", "Title": "Word"}]}]}]})
  served.store.set("words", ["one"])
  tab = Tab(served)
  users, words = (Tab.read(tab.ask("GET", f"/list?name={name}").text) for name in ("users", "words"))
  served.store.set("users", [{"name": "<a>", "secret": "hush"}, {"name": "b", "on": True, "inner": [{"x": "1"}]}])
  served.store.set("words", ["two", "three"])
  told = tab.ask("POST", "/list?name=users", {**users, "n:": "1", "m:0.0": "mine", "n:0.3": "0"})
  assert told.status == 409 and "hush" not in told.text
  lines = re.search(r'<ol id="now">(.*?)</ol>', told.text)[1]
  assert "<b>2 items</b>" in told.text
  assert re.findall("<li>([^<]*)</li>", lines)[0].startswith("Name: &lt;a&gt;, Secret: secret, On: off")
  assert re.findall("<li>([^<]*)</li>", lines)[1] == "Name: b, On: on, Inner: 1 items"
  told = tab.ask("POST", "/list?name=words", {**words, "m:0.0": "mine"})
  assert told.status == 409 and '<ol id="now"><li>two</li><li>three</li></ol>' in told.text


def test_nothing_is_changed_after_the_end_was_told(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.load()
  body = urllib.parse.urlencode({**tab.fields, "v:volume": "77"}).encode()
  slow = socket.create_connection(("127.0.0.1", int(tab.host.rsplit(":", 1)[1])))
  slow.sendall(f"POST /at/0 HTTP/1.1\r\nHost: {tab.host}\r\nCookie: {tab.cookie}\r\nContent-Length: {len(body)}\r\n"
               "Content-Type: application/x-www-form-urlencoded\r\n\r\n".encode() + body[:20])
  time.sleep(0.2)
  assert tab.ask("POST", "/done", {"csrf": tab.fields["csrf"]}).status == 200
  assert served.line() == "finished: done"
  slow.sendall(body[20:])
  assert slow.recv(100).startswith(b"HTTP/1.1 403") and served.store.get("volume") == 50


def test_the_end_tells_what_was_taken_back(serve):
  served = serve(SCHEMA)
  with served.store.change() as change:
    change["volume"] = 1
    change["notice"] = "both"
  tab = Tab(served)
  tab.load()
  fields = {"csrf": tab.fields["csrf"], "revision": str(served.store.revision)}
  assert tab.ask("POST", "/undo?name=volume", fields).status == 303
  tab.ask("POST", "/done", {"csrf": tab.fields["csrf"]})
  assert served.line() == "finished: done, changed notice, volume"


def test_nul_and_lines_of_others_are_no_edit(serve):
  served = serve(SCHEMA)
  served.store.set("notice", "a\0b\r\nc")
  tab = Tab(served)
  page = tab.ask("GET", "/at/0").text
  fields = Tab.read(page)
  revision = served.store.revision
  assert tab.ask("POST", "/at/0", {**fields, "v:on": "1", "v:notice": "a\ufffdb\r\nc"}).headers["Location"] == "/at/0?saved=0"
  assert served.store.revision == revision


def test_read_only_shows_and_changes_nothing(serve):
  served = serve(SCHEMA, "--read-only")
  served.store.set("users", [{"name": "a", "secret": "s"}])
  served.store.set("volume", 7)
  tab = Tab(served)
  page = tab.ask("GET", "/at/0").text
  assert 'value="save"' not in page.split('class="first"')[1].split(">", 1)[1] and "reset:" not in page
  assert 'name="v:volume" disabled' in page
  revision, assets = served.store.revision, len(served.store.assets.list())
  token = {"csrf": Tab.read(page)["csrf"]}
  png = b"\x89PNG\r\n\x1a\n"
  for path, fields in (("/at/0", {"v:volume": "8", "s:volume": "1.x"}), ("/at/0", {"op": "reset:volume"}),
                       ("/list?name=users", {"n:": "0"}), ("/list?name=users", {"op": "add:"}), ("/undo", {"revision": str(revision)}),
                       ("/brand", {"use": "default"})):
    upload(tab, path, {**token, **fields}, {"f:picture": png, "f:0.1": png})
  assert served.store.revision == revision and len(served.store.assets.list()) == assets


def test_files_in_conflict_are_decided_on_too(serve):
  pixel = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010804000000b51c0c020000000b4944415478da6364f80f000105010"
                        "127189b600000000049454e44ae426082")
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.load()
  served.store.set("picture", livery.Image("https://a.example/theirs.png"))
  theirs = served.store.get("picture")
  answer = upload(tab, "/at/0", tab.fields, {"f:picture": pixel})
  assert answer.status == 409 and "choose the file again" in answer.text
  fields = Tab.read(answer.text)
  assert upload(tab, "/at/0", {**fields, "c:picture": "mine"}, {}).status == 409
  assert upload(tab, "/at/0", {**fields, "c:picture": "theirs"}, {"f:picture": pixel}).status == 303
  assert served.store.get("picture") == theirs
  assert upload(tab, "/at/0", {**fields, "c:picture": "mine"}, {"f:picture": pixel}).status == 303
  assert served.store.get("picture") != theirs


def test_any_accept_language_is_fine(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  for header in ("x00a", "*", "", ";;;", "de-", "-", "a" * 4000, "en-US-" + "x" * 40, "de;q=abc", "q=1", "zz-12345678", "de-AT-1-2-3"):
    tab.connection.request("GET", "/at/0", headers={"Cookie": tab.cookie, "Accept-Language": header})
    answer = tab.connection.getresponse()
    assert answer.status == 200 and answer.read(), header


def shown(tab, header, path="/at/0"):
  """The language of a document, whether it is mirrored, and the document."""
  tab.connection.request("GET", path, headers={"Cookie": tab.cookie, "Accept-Language": header})
  text = tab.connection.getresponse().read().decode()
  found = re.search(r'<html lang="([^"]*)"( dir="rtl")?>', text)
  return found[1], found[2] is not None, text


LANGUAGES = {**SCHEMA, "Texts": {"de": {"Volume": "Laut"}, "ar": {"Volume": "Sawt"}, "pt-BR": {"Volume": "Som"}, "fr": {"Volume": "Son"}}}


@pytest.mark.parametrize("header, language, title", [
  ("he", "en", "Volume"), ("fa, he;q=0.9", "en", "Volume"), ("sv", "en", "Volume"), ("sv, de;q=0.8", "de", "Laut"),
  ("sv-FI, ar;q=0.5, de;q=0.4", "ar", "Sawt"), ("de;q=0.4, ar;q=0.5", "ar", "Sawt"), ("de;q=0.5, ar;q=0.5", "de", "Laut"),
  ("ar-EG", "ar", "Sawt"), ("fr-CA, en;q=0.9", "fr", "Son"), ("FR-ca", "fr", "Son"), ("pt-br", "pt-BR", "Som"), ("pt", "en", "Volume"),
  ("pt-BR-x-shop", "pt-BR", "Som"), ("en, de", "en", "Volume"), ("en-US, de;q=0.9", "en", "Volume"), ("sv, en;q=0.2, de;q=0.1", "en", "Volume"),
  ("de;q=0, ar;q=0.1", "ar", "Sawt"), ("de-AT, de;q=0", "en", "Volume"), ("de;Q=0.1, ar;q=0.2", "ar", "Sawt"),
  ("*", "en", "Volume"), ("*, de;q=0.5", "de", "Laut"), ("sv, *;q=0.5", "en", "Volume"), ("en;q=0, *", "de", "Laut"), ("*;q=0", "en", "Volume"),
  ("", "en", "Volume"), ("sv, " * 31 + "de", "de", "Laut"), ("sv, " * 5000 + "de", "en", "Volume")])
def test_the_first_language_that_there_is_is_shown(serve, header, language, title):
  tab = Tab(serve(LANGUAGES))
  tag, is_mirrored, text = shown(tab, header)
  assert (tag, is_mirrored) == (language, language == "ar")
  assert f">{title}</label>" in text
  assert (">Speichern<" in text) == (language == "de")
  # What has no texts of the schema is in the words of the page.
  tab.cookie = "none"
  tag, is_mirrored, text = shown(tab, header)
  assert not is_mirrored and tag in ("en", "de") and (tag == "de") == ("ffnen" in text)


def test_a_language_that_the_schema_gets_or_loses_is_shown_from_then_on(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  assert shown(tab, "ar")[:2] == ("en", False)
  served.store.apply_schema({**LANGUAGES, "Version": 2})
  assert shown(tab, "ar")[:2] == ("ar", True)
  assert "Sawt" in shown(tab, "ar", "/search?q=sawt")[2]
  served.store.apply_schema({**SCHEMA, "Version": 3})
  assert shown(tab, "ar")[:2] == ("en", False)


@pytest.mark.parametrize("locale, is_mirrored, title", [("ar", True, "Sawt"), ("ar-EG", True, "Sawt"), ("he", False, "Volume")])
def test_what_is_asked_for_at_the_start_is_mirrored_as_it_is_shown(serve, locale, is_mirrored, title):
  served = serve(LANGUAGES, "--locale", locale)
  tab = Tab(served)
  tag, mirrored, text = shown(tab, "de")
  assert (tag, mirrored) == (locale, is_mirrored) and f">{title}</label>" in text
  # Of a brand there are no texts of the schema.
  assert 'dir="rtl"' not in livery.page.brand_html(served.store, locale=locale)


def test_every_language_hears(serve):
  languages = [f"x{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(70)]
  served = serve({**SCHEMA, "Texts": {language: {"Volume": f"In {language}"} for language in languages}})
  tabs = []
  for language in languages:
    tab = Tab(served)
    tab.connection.request("GET", "/at/0", headers={"Cookie": tab.cookie, "Accept-Language": language})
    tab.connection.getresponse().read()
    tabs.append(Events(tab))
  for events in tabs:
    events.until(b"event: now")
  served.store.set("volume", 99)
  for language, events in zip(languages, tabs):
    assert f">In {language}</label>".encode() in events.until(b'value="99"')


def test_two_stops_both_wait(tmp_path):
  with livery.open(tmp_path / "store", create=True) as store:
    store.apply_schema(SCHEMA)
    for _ in range(20):
      page = livery.page.start(store)
      handle = page._handle
      done = []
      threads = [threading.Thread(target=lambda: (livery.page._library().livery_page_stop(handle), done.append(time.monotonic())))
                 for _ in range(2)]
      port = int(page.address().split(":")[2].split("/")[0])
      for thread in threads:
        thread.start()
      for thread in threads:
        thread.join(10)
      with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
      page.stop()


LISTS = {"Version": 1, "Groups": [{"Title": "One", "Settings": [
  {"Type": "List", "Title": "Ports", "Key": "ports", "ItemTemplate": [{"Type": "Number", "Format": "integer"}], "Value": [80, 443]},
  {"Type": "List", "Title": "Users", "Key": "users", "Value": [{"name": "a", "inner": [{"x": "1"}]}], "ItemTemplate": [
    {"Type": "TextField", "Title": "Name", "Key": "name"}, {**PASSWORD, "Title": "Secret", "Key": "secret"},
    {"Type": "List", "Title": "Inner", "Key": "inner", "ItemTemplate": [{"Type": "TextField", "Title": "X", "Key": "x"}]}]}]}]}


def test_a_list_that_nobody_changed_is_not_saved(serve):
  served = serve(LISTS)
  tab = Tab(served)
  for name in ("ports", "users"):
    page = f"/list?name={name}"
    fields = Tab.read(tab.ask("GET", page).text)
    answer = tab.ask("POST", page, {**fields, "op": "save"})
    assert answer.status == 303 and answer.headers["Location"].endswith("?saved=0")
    assert "user" not in [layer["layer"] for layer in served.store.inspect(name)["layers"]]
  fields = Tab.read(tab.ask("GET", "/list?name=users").text)
  assert not tab.ask("POST", "/list?name=users", {**fields, "m:0.1": "new", "op": "save"}).headers["Location"].endswith("=0")
  assert served.store.get("users")[0]["secret"] == "new"
  fields = Tab.read(tab.ask("GET", "/list?name=users").text)
  assert not tab.ask("POST", "/list?name=users", {**fields, "m:0.2.0.0": "2", "op": "save"}).headers["Location"].endswith("=0")
  assert served.store.get("users")[0]["inner"] == [{"x": "2"}]


def test_a_list_without_its_numbers_of_items_is_refused(serve):
  served = serve(LISTS)
  tab = Tab(served)
  for name, place in (("ports", "n:"), ("users", "n:"), ("users", "n:0.2")):
    page = f"/list?name={name}"
    fields = Tab.read(tab.ask("GET", page).text)
    before = served.store.get(name)
    for number in (None, "", "-1", "0x", "99999999999999999999"):
      sent = {key: value for key, value in fields.items() if key != place} | ({} if number is None else {place: number})
      answer = tab.ask("POST", page, {**sent, "op": "save"})
      assert answer.status == 400 and 'name="n:"' in answer.text, (name, place, number)
    assert served.store.get(name) == before


def test_a_search_that_cannot_be_is_told_on_the_page(serve):
  tab = Tab(serve(SCHEMA))
  for query in ("a" * 1025, "ä" * 600, " ".join(f"w{number}" for number in range(65)), "a\0"):
    answer = tab.ask("GET", "/search?q=" + urllib.parse.quote(query))
    assert answer.status == 400 and "<main" in answer.text, query[:10]


def test_a_link_stays_good_where_nobody_can_get_in(serve):
  served = serve(SCHEMA)
  tabs = [Tab(served) for _ in range(128)]
  for tab in tabs:
    tab.connection.close()
  path = urllib.parse.urlsplit(served.link()).path

  def opened():
    connection = http.client.HTTPConnection(tabs[0].host, timeout=30)
    connection.request("GET", path)
    return connection.getresponse().status

  assert opened() == 503
  tab = tabs.pop()
  assert tab.ask("POST", "/done", {"csrf": Tab.read(tab.ask("GET", "/at/0").text)["csrf"]}).status == 200
  assert opened() == 303


@pytest.mark.parametrize("locale, tag", [("de_AT.UTF-8", "de-AT"), ("C", "en"), ("C.UTF-8", "en"), ("POSIX", "en"), ("pt-BR", "pt-BR"), ("x-home", "x-home")])
def test_a_locale_of_the_system_becomes_a_tag(serve, locale, tag):
  tab = Tab(serve(SCHEMA, "--locale", locale))
  assert f'<html lang="{tag}"' in tab.ask("GET", "/at/0").text


def test_options_that_cannot_be_are_refused(tmp_path):
  with livery.open(tmp_path / "store", create=True) as store:
    store.apply_schema(SCHEMA)
    for locale in ("!!", "", "x", '"><b>', "de-" + "a" * 9):
      with pytest.raises(livery.InvalidArgumentError, match="locale"):
        livery.page.start(store, locale=locale)
      with pytest.raises(livery.InvalidArgumentError, match="locale"):
        livery.page.brand_html(store, locale=locale)
    for setting in ("nothing", "on", ""):
      with pytest.raises(livery.InvalidArgumentError, match="pin_setting"):
        livery.page.start(store, pin_setting=setting)
    for place in ("file", "folder"):
      (tmp_path / "file").touch()
      (tmp_path / "folder").mkdir(exist_ok=True)
      with pytest.raises(livery.InvalidArgumentError, match=place):
        livery.page.start(store, unix_socket=str(tmp_path / place))
      assert (tmp_path / place).exists()


def test_what_was_locked_meanwhile_is_told_and_nothing_is_saved(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  tab.load()
  served.store.set("volume", 30, "enforced")
  revision = served.store.revision
  answer = tab.save(**{"v:volume": "70", "v:notice": "typed"})
  assert answer.status == 422 and answer.text.count("Decided by") >= 2
  assert "typed" in answer.text and served.store.revision == revision
  # Who sends it once more means the rest.
  tab.fields = Tab.read(answer.text)
  assert tab.save().status == 303
  assert served.store.get("notice") == "typed" and served.store.get("volume") == 30
  # What nobody has touched is in nobody's way.
  tab.load()
  served.store.set("on", False, "enforced")
  assert tab.save(**{"v:notice": "once more"}).status == 303


def test_a_list_that_is_too_long_for_a_form_loses_nothing(serve):
  served = serve(SCHEMA)
  names = [{"name": str(number)} for number in range(10_001)]
  served.store.set("users", names)
  tab = Tab(served)
  tab.fields = Tab.read(tab.ask("GET", "/list?name=users").text)
  fields = {name: value for name, value in tab.fields.items() if not name.startswith("m:")}
  assert tab.ask("POST", "/list?name=users", {**fields, "op": "save"}).status in (400, 413)
  assert len(served.store.get("users")) == len(names)


def test_what_has_ended_by_the_clock_is_shown_no_more(serve):
  served = serve(SCHEMA)
  tab = Tab(served)
  with served.store.change("session") as change:
    change.expires(datetime.timedelta(seconds=1))
    change.set("volume", 93)
  assert tab.load()["v:volume"] == "93"
  time.sleep(1.2)
  assert tab.load()["v:volume"] == "50"


def test_a_long_text_of_any_script_is_cut_to_its_beginning(serve):
  served = serve(SCHEMA)
  served.store.set("notice", "設定" * 150)
  text = Tab(served).ask("GET", "/why?name=notice").text
  assert "設定" * 66 in text and "設定" * 67 not in text and "…" in text


def test_what_is_wrong_leads_to_its_field(serve):
  choices = {"Options": [{"Title": letter, "Value": letter} for letter in "abc"], "Value": []}
  served = serve({"Version": 1, "Groups": [{"Title": "One", "Settings": [
    {"Type": "ComboBox", "Class": ["Multiple"], "Title": "Several", "Key": "several", **choices}]}]})
  tab = Tab(served)
  tab.load()
  served.store.set("several", ["c"])
  text = tab.save(**{"v:several": "a"}).text
  link, = re.findall(r'<li><a href="#(i[^"]+)"', text)
  assert f'id="{link}"' in text


def test_what_nobody_has_touched_in_a_list_stays_as_it_is(serve):
  served = serve({"Version": 1, "Groups": [{"Title": "One", "Settings": [
    {"Type": "List", "Title": "Slides", "Key": "slides", "ItemTemplate": [
      {"Type": "TextField", "Title": "Name", "Key": "name"}, {"Type": "TextField", "Title": "Words", "Key": "words"},
      {"Type": "ToggleSwitch", "Title": "On", "Key": "on"}, {"Type": "Number", "Title": "Seconds", "Key": "seconds"}]}]}]})
  slides = [{"name": "a", "words": "one\r\ntwo"}, {"words": "three", "seconds": 5}, {}]
  served.store.set("slides", slides)
  tab = Tab(served)
  fields = Tab.read(tab.ask("GET", "/list?name=slides").text)
  assert tab.ask("POST", "/list?name=slides", {**fields, "m:0.1": "one\r\ntwo", "m:1.0": "b", "op": "save"}).status == 303
  assert served.store.get("slides") == [slides[0], {**slides[1], "name": "b"}, {}]


def items_of(*members):
  return {"Version": 1, "Groups": [{"Title": "One", "Settings": [
    {"Type": "List", "Title": "Slides", "Key": "slides", "ItemTemplate": list(members)}]}]}


def as_set(store, name):
  """What the operator's layer holds, without defaults of members."""
  return next(layer["value"] for layer in store.inspect(name)["layers"] if layer["layer"] == "user")


def test_a_list_keeps_the_defaults_of_members_that_nobody_has_touched(serve):
  template = [
    {"Type": "TextField", "Title": "Name", "Key": "name"}, {"Type": "Number", "Title": "Seconds", "Key": "seconds", "Value": 10},
    {"Type": "TextField", "Title": "By", "Key": "by", "Value": "v1", "ReadOnly": True},
    {"Type": "ToggleSwitch", "Title": "On", "Key": "on", "Value": True},
    {"Type": "TextField", "Title": "Must", "Key": "must", "Value": "m", "Required": True},
    {"Type": "List", "Title": "Parts", "Key": "parts", "Value": [{"p": "one"}], "ItemTemplate": [
      {"Type": "TextField", "Title": "P", "Key": "p"}, {"Type": "Number", "Title": "Q", "Key": "q", "Value": 3}]}]
  served = serve(items_of(*template))
  slides = [{"name": "a", "must": "x"}, {"name": "b", "must": "y", "seconds": 10, "parts": [{"p": "two"}]}]
  served.store.set("slides", slides)
  tab = Tab(served)

  def read(answer):
    # Switches that are on.
    return {**Tab.read(answer.text), **dict.fromkeys(re.findall(r'name="(m:[0-9.]+)" value="1" checked', answer.text), "1")}

  def save(**more):
    fields = read(tab.ask("GET", "/list?name=slides"))
    assert tab.ask("POST", "/list?name=slides", {**fields, **more, "op": "save"}).status == 303
    return as_set(served.store, "slides")

  slides[0]["name"] = "c"
  assert save(**{"m:0.0": "c"}) == slides
  slides[1]["seconds"] = 7
  assert save(**{"m:1.1": "7"}) == slides
  # What is changed in a list of defaults is set with all of it, and what its items leave out stays out.
  slides[0]["parts"] = [{"p": "three"}]
  assert save(**{"m:0.5.0.0": "three"}) == slides
  fields = read(tab.ask("POST", "/list?name=slides", {**read(tab.ask("GET", "/list?name=slides")), "op": "add:"}))
  assert fields["m:2.1"] == "10.0" and fields["m:2.2"] == "v1"
  assert tab.ask("POST", "/list?name=slides", {**fields, "m:2.0": "new", "op": "save"}).status == 303
  assert as_set(served.store, "slides") == [*slides, {"name": "new", "must": "m"}]
  assert served.store.get("slides")[2] == {
    "name": "new", "must": "m", "seconds": 10, "by": "v1", "on": True, "parts": [{"p": "one", "q": 3}]}


def test_what_cannot_be_changed_in_an_item_looks_like_it(serve):
  served = serve(items_of(
    {"Type": "TextField", "Title": "Name", "Key": "name"},
    {"Type": "ComboBox", "Class": ["Multiple"], "Title": "Days", "Key": "days", "ReadOnly": True, "Options": [
      {"Title": "Monday", "Value": "mo"}, {"Title": "Tuesday", "Value": "tu"}]},
    {"Type": "ToggleSwitch", "Title": "Fades", "Key": "fades", "ReadOnly": True},
    {"Type": "TextField", "Title": "By", "Key": "by", "Class": ["Password"], "ReadOnly": True},
    {"Type": "ToggleSwitch", "Title": "Timed", "Key": "timed"},
    {"Type": "Number", "Title": "Seconds", "Key": "seconds", "EnabledBy": {"Key": "timed", "Equals": True}}))
  slides = [{"name": "a", "days": ["mo", "tu"], "fades": True, "by": "secret", "timed": False, "seconds": 1},
            {"name": "b", "days": [], "fades": False, "timed": True, "seconds": 2}]
  with served.store.change("recommended") as change:
    change.set("slides", slides)
  tab = Tab(served)
  text = tab.ask("GET", "/list?name=slides").text
  assert text.count("Read-only: it is set by the administrator") == 6 and text.count("Without effect as long as") == 1
  assert re.search(r'<input type="checkbox"[^>]*name="m:0.2"[^>]* disabled', text)
  fields = {**Tab.read(text), "m:0.1": ["mo", "tu"], "m:1.4": "1"}
  assert text.count('<input type="hidden" name="m:0.1"') == 2
  assert tab.ask("POST", "/list?name=slides", {**fields, "m:0.0": "c", "op": "save"}).status == 303
  assert as_set(served.store, "slides") == [{**slides[0], "name": "c"}, slides[1]]


def test_secrets_of_a_list_that_are_not_sent_back_are_told(serve):
  served = serve(items_of({"Type": "TextField", "Title": "Name", "Key": "name", "MinLength": 1},
                          {"Type": "TextField", "Title": "PIN", "Key": "pin", "Class": ["Password"]}))
  served.store.set("slides", [{"name": "a", "pin": "old"}, {"name": "b"}])
  tab = Tab(served)
  again = "Please type it again: it was not saved, and is not sent back."
  fields = Tab.read(tab.ask("GET", "/list?name=slides").text)
  for more in ({"op": "down:0"}, {"op": "add:"}, {"op": "save", "m:1.0": ""}):
    answer = tab.ask("POST", "/list?name=slides", {**fields, "m:0.1": "4711", **more})
    assert again in answer.text and "4711" not in answer.text
  assert again not in tab.ask("POST", "/list?name=slides", {**fields, "op": "down:0"}).text


def test_a_secret_that_may_not_be_empty_is_not_offered_to_be(serve):
  served = serve({"Version": 1, "Groups": [{"Title": "One", "Settings": [
    {"Type": "TextField", "Title": name, "Key": name, "Class": ["Password"], **more}
    for name, more in (("any", {}), ("long", {"MinLength": 4}))]}]})
  for name in ("any", "long"):
    served.store.set(name, "secret")
  text = Tab(served).ask("GET", "/at/0").text
  assert 'name="x:any"' in text and 'name="x:long"' not in text


LIMITED = {"Version": 1, "Title": "Limits", "Groups": [{"Title": "One", "Settings": [
  {"Type": "Number", "Format": "integer", "Title": "Idle", "Key": "idle", "Value": 10, "Minimum": 10, "Maximum": 600, "Step": 5},
  {"Type": "Number", "Format": "number", "Title": "Zoom", "Key": "zoom", "Value": 1},
  {"Type": "TextField", "Title": "Name", "Key": "name", "Value": "abc", "MaxLength": 5, "Required": True},
  {"Type": "TextField", "Title": "Code", "Key": "code", "Value": "AB", "Pattern": "^[A-Z]+$"},
  {"Type": "URL", "Title": "Home", "Key": "home", "Value": ""},
  {"Type": "Color", "Title": "Accent", "Key": "accent", "Value": "#102030"},
  {"Type": "List", "Title": "Names", "Key": "names", "ItemTemplate": [
    {"Type": "TextField", "Title": "First name", "Key": "first", "Value": "", "MaxLength": 3},
    {"Type": "ToggleSwitch", "Title": "Shown", "Key": "shown", "Value": True},
    {"Type": "TextField", "Class": ["Password"], "Title": "Word", "Key": "word", "Value": ""}]},
  {"Type": "List", "Title": "Plain", "Key": "plain", "Value": ["a", "b"], "ItemTemplate": [{"Type": "TextField", "Title": "One"}]}]}]}


@pytest.mark.parametrize("name, typed, english, german", [
  ("idle", "a few", "Please enter a whole number.", "Bitte geben Sie eine ganze Zahl ein."),
  ("idle", "3", "Allowed: 10 to 600, in steps of 5", "Erlaubt: 10 bis 600, in Schritten von 5"),
  ("zoom", "wide", "Please enter a number.", "Bitte geben Sie eine Zahl ein."),
  ("name", "far too long", "Allowed: at most 5 characters", "Erlaubt: höchstens 5 Zeichen"),
  ("name", "", "Please enter a value.", "Bitte geben Sie einen Wert ein."),
  ("code", "ab", "This does not have the form that is wanted here.", "Das hat nicht die Form, die hier verlangt ist."),
  ("home", "nowhere", "Please enter a whole address, such as https://example.com/.",
   "Bitte geben Sie eine ganze Adresse ein, etwa https://example.com/."),
  ("accent", "reddish", "Please enter a color, such as #336699.", "Bitte geben Sie eine Farbe ein, etwa #336699.")])
def test_what_is_wrong_is_told_in_words_for_people(serve, name, typed, english, german):
  served = serve(LIMITED)
  tab = Tab(served)
  for language, words in (("en", english), ("de", german)):
    headers = {"Cookie": tab.cookie, "Accept-Language": language, "Content-Type": "application/x-www-form-urlencoded"}
    for path, status in (("/at/0", 422), ("/check", 200)):
      tab.connection.request("GET", "/at/0", headers={"Cookie": tab.cookie, "Accept-Language": language})
      fields = Tab.read(tab.connection.getresponse().read().decode())
      tab.connection.request("POST", path, urllib.parse.urlencode({**fields, "v:" + name: typed}), headers)
      answer = tab.connection.getresponse()
      assert answer.status == status and words in answer.read().decode(), (language, path)
  assert served.store.get("name") == "abc"


def test_lists_are_told_in_words(serve):
  text = {"Type": "TextField", "Title": "First name", "Key": "first", "Value": ""}
  lists = [
    {"Key": "plain", "Value": ["a", "b"], "ItemTemplate": [{"Type": "TextField", "Title": "One"}]},
    {"Key": "headed", "ItemTemplate": [{"Type": "Header", "Title": "Head"}, {"Type": "TextField", "Title": "One"}]},
    {"Key": "records", "ItemTemplate": [text, {"Type": "ToggleSwitch", "Title": "Shown", "Key": "shown", "Value": True},
                                        {"Type": "List", "Title": "Tags", "Key": "tags", "ItemTemplate": [{"Type": "TextField", "Title": "T"}]}]},
    {"Key": "paned", "ItemTemplate": [{"Type": "Pane", "Title": "More", "Settings": [text]}]},
    {"Key": "names", "ItemTemplate": [text, {**PASSWORD, "Title": "Word", "Key": "word"}]},
    {"Key": "former", "ItemTemplate": [text]}]
  settings = [{"Type": "List", "Title": one["Key"], **one} for one in lists]
  schema = {"Version": 1, "Title": "Lists", "Groups": [{"Title": "One", "Settings": settings}]}
  former = {"Type": "TextField", "Title": "former", "Key": "former", "Value": ""}
  served = serve({**schema, "Groups": [{"Title": "One", "Settings": [*settings[:-1], former]}]})
  values = {"plain": ["x", "y"], "headed": ["v", "w"], "paned": [{"first": "Cy"}], "former": "was a text",
            "records": [{"first": "Ada", "shown": False, "tags": ["m", "n"]}, {"first": "Bo", "shown": True}],
            "names": [{"first": "Ada", "word": "hush"}]}
  for name, value in values.items():
    served.store.set(name, value)
  served.store.apply_schema({**schema, "Version": 2})
  tab = Tab(served)
  shown = {"plain": "x; y", "headed": "v; w", "paned": "First name: Cy", "former": "was a text", "names": "secret",
           "records": "First name: Ada, Shown: off, Tags: m; n; First name: Bo, Shown: on"}
  for name, words in shown.items():
    for path in (f"/why?name={name}", f"/history?name={name}"):
      text = tab.ask("GET", path).text
      assert words in text and "hush" not in text and "{" not in text.split("<h1>")[1], path
  assert "a; b" in tab.ask("GET", "/why?name=plain").text


def test_what_is_saved_and_covered_is_told(serve):
  served = serve(LIMITED)
  served.store.set("zoom", 7, "session")
  tab = Tab(served)
  tab.load()
  answer = tab.save(**{"v:zoom": "3", "v:name": "new"})
  assert answer.status == 303
  text = tab.ask("GET", answer.headers["Location"]).text
  assert "goes on to count for:</p><ul><li>Zoom: Decided by the session</li></ul>" in text
  served.store.reset("zoom", "session")
  assert "goes on to count" not in tab.ask("GET", answer.headers["Location"]).text

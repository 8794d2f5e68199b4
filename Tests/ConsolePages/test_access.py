"""Who gets in, what a viewer may do, and what foreign pages may not."""

import re
import socket
import urllib.parse

import pytest
from conftest import PASSWORDS, Person

PAGES = ["/", "/devices", "/devices/DEVICE", "/groups", "/channels", "/channels/fleet/form", "/channels/fleet/form/at/1",
         "/channels/fleet/form/brand", "/channels/fleet/form/search?q=volume", "/channels/fleet/form/list?name=playlist",
         "/channels/fleet/difference", "/publications", "/publications/1", "/enrollment", "/schemas", "/history", "/password", "/events"]
CHANGES = ["/devices/DEVICE/name", "/devices/DEVICE/groups", "/groups", "/groups/lobby", "/channels/fleet/form/at/0",
           "/channels/fleet/form/list?name=playlist", "/channels/fleet/form/draft", "/channels/fleet/form/brand",
           "/channels/fleet/publish", "/channels/fleet/discard", "/publications/1/stop", "/publications/1/raise",
           "/publications/1/resume", "/publications/1/undo", "/enrollment", "/enrollment/1/withdraw", "/schemas"]
TYPE = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def used(fleet):
  """A fleet to which something was published, and who did that."""
  served = fleet(2)
  alice = Person(served)
  alice.set(volume=("enforce", "61"))
  alice.publish(steps="50, 100")
  return served, alice


def test_who_is_not_signed_in_sees_nothing(used):
  served, _ = used
  for path in PAGES:
    answer = served.ask("GET", path)
    way = "/sign-in" if path == "/" else "/sign-in?" + urllib.parse.urlencode({"to": served.path(path).split("?")[0]})
    assert (answer.status, answer.getheader("Location")) == (303, way), path
    assert "61" not in answer.text and served.ask("GET", path, headers={"X-Livery-Script": "1"}).status == 403
  for path in CHANGES:
    assert served.ask("POST", path, "op=stop", TYPE).status in (303, 403), path
  assert "Rolling" in used[1].get("/publications/1").text


def test_a_viewer_sees_everything_and_changes_nothing(used):
  served, alice = used
  vera = Person(served, "vera")
  before = alice.get("/history").text
  for path in PAGES[:-1]:
    answer = vera.get(path)
    assert answer.status in (200, 303), path
    # There is nothing to be sent but the way out, the own password, and what is looked for.
    forms = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"|<form[^>]*action="([^"]*)"[^>]*method="post"', answer.text)
    assert all("".join(form) in ("/sign-out", "/password") or path.startswith("/channels/fleet/form") for form in forms), (path, forms)
  for path in CHANGES:
    assert vera.post(path, {"op": "save", "s:volume": "1.x", "v:volume": "3", "name": "x", "revision": "1"}).status == 403, path
  assert alice.get("/history").text == before


def test_forms_need_the_sessions_token(used):
  served, alice = used
  other = Person(served)
  other.get("/devices")
  for path in [*CHANGES, "/sign-out"]:
    for csrf in (False, "", "x", other.csrf):
      assert alice.post(path, {"op": "save"}, csrf=csrf).status == 403, (path, csrf)
  assert alice.get("/devices").status == 200


def test_foreign_pages_send_no_forms(used):
  served, alice = used
  for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Referer": "https://evil.example/x"},
                  {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}):
    assert alice.post("/groups", {"name": "evil"}, **headers).status == 403, headers
    # Nor do they sign somebody in.
    answer = served.ask("POST", "/sign-in", "name=alice&password=correct+horse", {**TYPE, **headers})
    assert answer.status == 403 and not answer.getheader("Set-Cookie"), headers
  assert alice.post("/groups", {"name": "own"}, Origin=served.base).status == 303


def test_names_that_lead_here_are_not_the_consoles(used):
  served, alice = used
  for host in ("evil.example", "evil.example:80", "", "127.0.0.1", "127.0.0.1:1"):
    answer = served.ask("GET", "/devices", headers={"Cookie": alice.cookie, "Host": host})
    assert answer.status in (400, 421) and "tbody" not in answer.text, host


def test_each_sign_in_is_a_new_session(used):
  served, _ = used
  planted = "livery-" + served.host.rsplit(":", 1)[1] + "=planted"
  answer = served.ask("POST", "/sign-in", "name=alice&password=correct+horse", {**TYPE, "Cookie": planted})
  cookie = answer.getheader("Set-Cookie")
  assert "planted" not in cookie and all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/"))
  first, second = Person(served), Person(served)
  assert first.cookie != second.cookie
  assert served.ask("GET", "/devices", headers={"Cookie": planted}).status == 303


def test_signing_in_leads_to_where_one_wanted_to_go_and_nowhere_else(used):
  served, _ = used
  for page, leads in (("/publications/1", "/publications/1"), ("/channels/a%20b/form", "/channels/a%20b/form"), ("//evil.example", "/"),
                      ("https://evil.example", "/"), ("/\\evil", "/"), ("/a\r\nX: y", "/"), ("", "/")):
    fields = urllib.parse.urlencode({"name": "alice", "password": PASSWORDS["alice"], "to": page})
    answer = served.ask("POST", "/sign-in", fields, TYPE)
    assert (answer.status, answer.getheader("Location")) == (303, leads) and not answer.getheader("X"), page
  assert 'name="to" value="/publications/1"' in served.ask("GET", "/sign-in?to=%2Fpublications%2F1").text


def test_somebody_else_may_sign_in_where_somebody_has(used):
  served, _ = used
  alice = Person(served)
  fields = urllib.parse.urlencode({"name": "vera", "password": PASSWORDS["vera"]})
  answer = served.ask("POST", "/sign-in", fields, {**TYPE, "Cookie": alice.cookie})
  assert answer.status == 303 and answer.getheader("Set-Cookie").split(";")[0] != alice.cookie
  assert alice.get("/devices").status == 303


def test_signing_out_ends_the_session(used):
  served, _ = used
  alice = Person(served)
  answer = alice.post("/sign-out")
  assert answer.getheader("Location") == "/sign-in" and "Max-Age=0" in answer.getheader("Set-Cookie")
  assert alice.get("/devices").status == 303
  assert alice.post("/groups", {"name": "late"}).status in (303, 403)


def test_streams_end_with_the_session(used):
  served, _ = used
  alice, bob = Person(served), Person(served)
  streams = []
  for person in (alice, bob):
    raw = socket.create_connection(("127.0.0.1", int(served.host.rsplit(":", 1)[1])), 10)
    raw.sendall(f"GET /events HTTP/1.1\r\nHost: {served.host}\r\nCookie: {person.cookie}\r\n\r\n".encode())
    told = b""
    while b"event: all" not in told:
      told += raw.recv(4096)
    assert b"text/event-stream" in told
    streams.append(raw)
  alice.post("/sign-out")
  # The last piece of it.
  assert streams[0].recv(4096).endswith(b"0\r\n\r\n")
  bob.post("/groups", {"name": "late"})
  assert b"event: all" in streams[1].recv(4096)
  for raw in streams:
    raw.close()


def test_guesses_are_slowed_down(fleet):
  served = fleet(1)
  same = {Person(served, name, "wrong").answer.text.replace(name, "") for name in ("alice", "nobody")}
  assert len(same) == 1, "names that are known look like others"
  for _ in range(2):
    assert Person(served, "alice", "wrong").answer.status in (403, 429)
  late = Person(served)
  assert late.answer.status == 429 and int(late.answer.getheader("Retry-After")) >= 1 and not late.cookie


def test_every_answer_says_what_browsers_may_do(used):
  served, alice = used
  for path in [*PAGES[:-1], "/nowhere", "/style.css", "/script.js"]:
    answer = alice.get(path)
    policy = answer.getheader("Content-Security-Policy")
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy, path
    assert answer.getheader("X-Frame-Options") == "DENY" and answer.getheader("X-Content-Type-Options") == "nosniff"
    if path.endswith((".css", ".js")):
      continue
    assert answer.getheader("Cache-Control") == "no-store", path
    assert not re.search(r"<script(?![^>]* src=)|<style| style=|\son\w+=", answer.text), path


def test_no_secret_is_in_a_page(fleet):
  served = fleet(1)
  alice = Person(served)
  assert alice.set(page=1, password=("enforce", "hunter2hunter2")).status == 303
  paths = ["/channels/fleet/form/at/1", "/channels/fleet/difference"]
  for path in paths:
    assert "hunter2" not in alice.get(path).text, path
  number = alice.publish()
  served.report(0)
  for path in [*paths, f"/publications/{number}", "/devices/DEVICE", "/history"]:
    text = alice.get(path).text
    assert "hunter2" not in text and PASSWORDS["alice"] not in text and alice.cookie.split("=", 1)[1] not in text, path
  assert served.device(0)["password"]["value"] == "hunter2hunter2"


def test_what_makes_no_sense_is_answered(used):
  served, alice = used
  for path in ("/devices/x", "/devices/%00", "/devices/../x", "/channels/group.none/form", "/channels/x/y/z", "/publications/0",
               "/publications/99999999999999999999", "/publications/x/stop", "/enrollment/77", "/groups/x/y", "/history/x",
               "/channels/fleet/form/at/99", "/channels/fleet/form/at/0.0.0", "/channels/fleet/form/why?name=volume",
               "/channels/fleet/form/events", "/devices?from=-1", "/devices?from=99999999999999999999", "/devices?schema=x"):
    assert alice.get(path).status in (200, 303, 400, 404), path
  for path, fields in (("/channels/fleet/publish", {"revision": "1", "steps": "5", "pause": "1", "bound": "1"}),
                       ("/channels/fleet/publish", {"steps": "100, 5", "pause": "1", "bound": "1"}),
                       ("/channels/fleet/publish", {"steps": "5", "pause": "-1", "bound": "1"}),
                       ("/channels/fleet/publish", {"steps": "5", "pause": "1", "bound": "101"}),
                       ("/channels/fleet/publish", {"steps": "x" * 5000}), ("/groups", {"name": ""}), ("/groups", {}),
                       ("/groups/lobby", {"op": "explode"}), ("/enrollment", {"hours": "0"}), ("/schemas", {}),
                       ("/channels/fleet/form/at/0", {"s:volume": "x", "w:volume": "explode", "v:volume": "1"}),
                       ("/channels/fleet/form/at/0", {"s:volume": "1.x", "w:volume": "explode", "z:volume": "?", "op": "save"})):
    assert alice.post(path, fields).status in (303, 400, 404, 409, 422), (path, fields)
  with socket.create_connection(("127.0.0.1", int(served.host.rsplit(":", 1)[1]))) as raw:
    raw.sendall(f"POST /groups HTTP/1.1\r\nHost: {served.host}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    assert b" 411 " in raw.recv(200)
  assert alice.get("/devices").status == 200


def test_https_in_front_makes_cookies_secure(fleet):
  served = fleet(1, hosts=("console.example:443", "--secure"))
  answer = served.ask("POST", "/sign-in", "name=alice&password=correct+horse",
                      {**TYPE, "Host": "console.example", "Origin": "https://console.example"})
  cookie = answer.getheader("Set-Cookie")
  assert cookie.startswith("__Host-") and "; Secure" in cookie

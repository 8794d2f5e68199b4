"""The console's pages without a browser: who may do what by which method, and what nobody means well with."""

import contextlib
import html
import http.client
import json
import re
import urllib.parse

import pytest
from conftest import ROOT, SCHEMA, Console, Device, join

PASSWORDS = {"eva": "correct horse", "vera": "battery staple"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
PATHS = ["/", "/devices", "/devices/DEVICE", "/devices/DEVICE/name", "/devices/DEVICE/groups", "/groups", "/groups/lobby", "/channels",
         "/channels/fleet", "/channels/fleet/form", "/channels/fleet/form/at/0", "/channels/fleet/form/draft",
         "/channels/fleet/form/brand", "/channels/fleet/form/list", "/channels/fleet/difference", "/channels/fleet/publish",
         "/channels/fleet/discard", "/publications", "/publications/1", "/publications/1/stop", "/publications/1/raise",
         "/publications/1/resume", "/publications/1/undo", "/enrollment", "/enrollment/1/withdraw", "/schemas", "/history", "/events",
         "/sign-in", "/sign-out", "/password", "/style.css", "/nothing"]


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
    if path not in ("/sign-in", "/sign-out", "/password"):
      assert vera.ask("POST", path, **fields).status == 403, path
    assert vera.ask("HEAD", path).status in (200, 303, 404), path
  assert console.api("GET", "status")["generation"] == before
  # Nor does anybody know others, and each is told what there is.
  for method in ("OPTIONS", "PROPFIND"):
    answer = vera.ask(method, "/groups")
    assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD, POST", method
    answer = console.ask(method, "/v1/channels/fleet/manifest", token=False)
    assert answer.status == 405 and answer.headers["Allow"] == "GET, HEAD", method
  # Editors use no other methods either.
  eva = Person(console, "eva")
  for method in ("PUT", "PATCH", "DELETE"):
    assert eva.ask(method, "/groups", name="evil").status == 405
  assert eva.ask("POST", "/groups", name="west").status == 303


NUMBERS = ["-1", "0", "1", "9999999999", "999999999999999", "9007199254740992", "9223372036854775807", "9223372036854775808",
           "-9223372036854775808", "18446744073709551615", "99999999999999999999999", "1e999", "0.00000000001", "1.99", "+1", "٣"]


def test_no_number_ends_the_console(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 5))
  eva = Person(console, "eva")
  for number in NUMBERS:
    quoted = urllib.parse.quote(number)
    for path in ("/devices?from=", "/devices?schema=", "/devices?schema=1&from=", "/history?before=", "/publications?before=",
                 "/publications/", "/channels/fleet/form/at/", "/channels/fleet/form/list?name=volume&at=", "/channels/fleet/form/search?q=a&from="):
      assert eva.ask("GET", path + quoted).status in (200, 303, 404), (path, number)
    for path in ("devices?offset=", "devices?limit=", "devices?schema=", "history?before=", "history?limit=", "publications?before=",
                 "publications?limit=", "publications/", "tokens/"):
      assert console.ask("GET", "/api/v1/" + path + quoted).status in (200, 400, 404, 405), (path, number)
    good = {"revision": "1", "steps": "100", "pause": "0", "bound": "2"}
    for name in (*good, "schema", "trial", "from", "until"):
      answer = eva.ask("POST", "/channels/fleet/publish", op="look", **{**good, name: number})
      assert answer.status in (200, 409, 422), (name, number)
    assert eva.ask("POST", "/enrollment", label="x", hours=number).status in (200, 422), number
    assert eva.ask("POST", f"/publications/{quoted}/undo").status in (303, 404, 409, 422), number
    for path, name, more in (("channels/fleet/publications", "revision", {}), ("channels/fleet/publications", "pause", {"revision": 1}),
                             ("channels/fleet/publications", "from", {"revision": 1}), ("enrollments", "hours", {}),
                             ("channels/fleet/publications", "until", {"revision": 1}), ("tokens", "days", {})):
      try:
        value = int(number)
      except ValueError:
        continue
      assert console.ask("POST", "/api/v1/" + path, {**more, name: value}).status in (201, 400, 409, 422), (path, name, number)
  assert b"till 0" in eva.ask("GET", "/devices?from=-9").body and console.process.poll() is None


def test_a_draft_is_discarded_as_it_was_seen(console):
  eva = Person(console, "eva")
  volume = {"name": "volume", "verb": "enforce", "value": 7}
  seen = console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [volume]})["revision"]
  shown = eva.ask("GET", "/channels/fleet/difference").body.decode()
  form = shown[shown.index('action="/channels/fleet/discard"'):]
  assert re.search(r'name="revision" value="(\d+)"', form)[1] == str(seen)
  # Somebody else saves something meanwhile.
  latest = console.api("PATCH", "channels/fleet/draft", {"revision": seen, "settings": [{**volume, "value": 8}]})["revision"]
  assert eva.ask("POST", "/channels/fleet/discard", revision=str(seen)).status == 409
  assert console.api("GET", "channels/fleet/draft")["settings"] == [{**volume, "value": 8}]
  assert "revision" in console.run("draft", "discard", "fleet", "--revision", str(seen), expected=5)
  assert eva.ask("POST", "/channels/fleet/discard", revision=str(latest)).status == 303
  assert console.api("GET", "channels/fleet/draft")["settings"] == []


def test_a_nul_is_left_out_or_refused(tmp_path, place):
  """On either database: it keeps nobody waiting for what will never be there."""
  console = Console(tmp_path, place).make().serve()
  try:
    console.api("POST", "groups", {"name": "lobby"}, 201)
    device = Device(console, console.code())
    assert device.enroll("a\0b").status == 204
    assert console.api("GET", "devices")["items"][0]["name"] == "ab"
    eva = Person(console, "eva")
    console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [{"name": "volume", "verb": "enforce", "value": 7}]})
    plan = {"revision": "1", "steps": "100", "pause": "0", "bound": "2"}
    for name in ("name", "app", "schema", "trial", "from", "until", "steps", "pause", "comment"):
      assert eva.ask("POST", "/channels/fleet/publish", **{**plan, name: "a\0b"}).status == 422, name
    assert eva.ask("POST", "/channels/fleet/publish", **plan).status == 303
    for path, fields in ((f"/devices/{device.id}/name", {"name": "a\0"}), (f"/devices/{device.id}/groups", {"group": "lobby\0"}),
                         ("/groups", {"name": "a\0"}), ("/enrollment", {"hours": "1", "label": "a\0"}),
                         ("/enrollment", {"hours": "1", "label": "a", "group": "lobby\0"})):
      assert eva.ask("POST", path, **fields).status == 422, (path, fields)
    for path in ("/devices?q=a%00", "/devices?group=lobby%00", "/publications?channel=fleet%00", "/devices?state=%00&schema=%00"):
      assert eva.ask("GET", path).status == 200, path
    signed = console.ask("POST", "/sign-in", encoded(name="eva\0", password="x\0"), FORM, token=False)
    assert signed.status == 403
  finally:
    console.stop()


def test_steps_are_read_by_the_page_as_by_the_command(console):
  eva = Person(console, "eva")
  console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [{"name": "volume", "verb": "enforce", "value": 7}]})
  plan = {"revision": "1", "pause": "0", "bound": "2.5 %"}
  for steps in ("5,,100", "5,100,", "", ",", "2%5", "2.555", "1e1", ".", "50,5", "50,50", "101", "0,100", "-1"):
    answer = eva.ask("POST", "/channels/fleet/publish", **plan, steps=steps)
    assert answer.status == 422 and b"rising percentages" in answer.body, steps
    # What does not rise is no mistake in writing.
    console.run("publish", "--revision", 1, "--steps=" + steps, expected=4 if steps in ("50,5", "50,50") else 2)
  assert eva.ask("POST", "/channels/fleet/publish", **plan, steps=" 2.5 %, 25,100 ").status == 303
  number = console.api("GET", "publications")["items"][0]["number"]
  detail = console.api("GET", f"publications/{number}")
  assert detail["steps"] == [250, 2500, 10000] and detail["bound"] == 250


def test_everybody_changes_their_own_password(console):
  vera, elsewhere = Person(console, "vera"), Person(console, "vera")
  eva = Person(console, "eva")
  assert 'href="/password"' in vera.ask("GET", "/devices").body.decode()

  def change(present, new, again=None):
    answer = vera.ask("POST", "/password", password=present, new=new, again=again or new)
    return answer.status, answer.body.decode()

  assert change(PASSWORDS["vera"], "another horse", "another house")[0] == 422
  status, text = change(PASSWORDS["vera"], "short")
  assert status == 422 and "8 to 128 bytes" in text
  status, text = change("wrong", "another horse")
  assert status == 403 and "present password is wrong" in text and 'type="password"' in text
  assert change(PASSWORDS["vera"], "another horse")[0] == 303
  # Here it goes on, elsewhere and with the former one it does not; others are as they were.
  text = vera.ask("GET", "/password?done=password").body.decode()
  assert "The password is changed" in text and "another horse" not in text
  assert elsewhere.ask("GET", "/devices").status == 303 and eva.ask("GET", "/devices").status == 200
  for password, status in ((PASSWORDS["vera"], 403), ("another horse", 303)):
    assert console.ask("POST", "/sign-in", encoded(name="vera", password=password), FORM, token=False).status == status
  line = console.api("GET", "history")["items"][0]
  assert (line["author"], line["what"], line["detail"]) == ("vera", "changed viewer vera", "another password")
  # Whoever sits down at a screen that was left does not guess there either.
  assert [change("wrong", "a third horse")[0] for _ in range(4)][-1] == 429


def test_signing_out_by_the_api_ends_what_the_session_was_told_of(console):
  signed = console.ask("POST", "/api/v1/session", {"name": "eva", "password": PASSWORDS["eva"]}, token=False)
  cookie = {"Cookie": signed.headers["Set-Cookie"].split(";")[0]}
  connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=20)
  try:
    connection.request("GET", "/events", headers=cookie)
    stream = connection.getresponse()
    assert stream.status == 200 and stream.readline() == b"event: all\n"
    left = console.ask("DELETE", "/api/v1/session", None, {**cookie, "X-Livery-CSRF": signed.json["csrf"]}, token=False)
    assert left.status == 204 and console.ask("GET", "/api/v1/status", headers=cookie, token=False).status == 401
    try:
      while stream.readline():
        pass
    except (http.client.IncompleteRead, ConnectionError):
      pass
  finally:
    connection.close()


def test_another_password_ends_what_sessions_were_told_of(console):
  """The one who gives it may have asked another console."""
  with contextlib.ExitStack() as stack:
    streams = []
    for headers in (Person(console, "eva").cookie, Person(console, "vera").cookie):
      connection = http.client.HTTPConnection("127.0.0.1", console.port, timeout=30)
      stack.callback(connection.close)
      connection.request("GET", "/events", headers=headers)
      streams.append(connection.getresponse())
      assert streams[-1].status == 200 and streams[-1].readline() == b"event: all\n"
    console.run("admin", "set", "eva", text="another horse\n")
    try:
      while streams[0].readline():
        pass
    except (http.client.IncompleteRead, ConnectionError):
      pass
    # Others go on.
    console.set("fleet", ("volume", "enforce", 9))
    while not streams[1].readline().startswith(b"event"):
      pass


def test_what_was_secret_once_stays_so(console, tmp_path):
  """A later version of the schema, which does not have it any more, shows nothing of it."""
  device, = join(console)
  pin = {"name": "servicePin", "verb": "enforce", "value": "hunter22"}
  revision = console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [pin]})["revision"]
  console.api("POST", "channels/fleet/publications", {"revision": revision}, 201)
  narrow = json.loads(json.dumps(SCHEMA))
  narrow["Version"] = 2
  del narrow["Groups"][0]["Settings"][2]
  (tmp_path / "narrow.json").write_text(json.dumps(narrow))
  console.run("schema", "add", tmp_path / "narrow.json")
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [{"name": "servicePin"}]})
  eva = Person(console, "eva")
  told = [console.api("GET", "channels/fleet/difference"), console.api("GET", "publications/1"), console.run("diff"),
          console.api("GET", "history"), eva.ask("GET", "/channels/fleet/difference").body, eva.ask("GET", "/publications/1").body,
          eva.ask("GET", "/history").body, console.run("draft", "show"), console.run("history")]
  assert all("servicePin" in str(one) for one in told[:6])
  assert not any("hunter22" in str(one) for one in told)
  assert device.pull()["servicePin"] == ("enforce", "hunter22")


def test_what_a_device_tells_of_a_secret_is_shown_to_nobody(console):
  """As one does whose schema does not call it a secret yet."""
  device, = join(console)
  pin = {"name": "servicePin", "verb": "enforce", "value": "hunter22"}
  revision = console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [pin]})["revision"]
  console.api("POST", "channels/fleet/publications", {"revision": revision}, 201)
  assert device.report().status in (200, 204)
  one = console.api("GET", f"devices/{device.id}/settings/servicePin")
  assert one["secret"] is True and "value" not in one and one["layer"] == "enforced"
  pages = [Person(console, name).ask("GET", "/devices/" + device.id).body.decode() for name in ("eva", "vera")]
  told = [one, console.api("GET", "devices/" + device.id), console.run("explain", device.id), console.json("explain", device.id),
          console.run("explain", device.id, "servicePin"), *pages]
  assert all("servicePin" in str(answer) for answer in told)
  assert not any("hunter22" in str(answer) for answer in told)
  assert all("•••" in page for page in pages)


def test_what_fits_the_schema_no_more_is_told_where_it_is_set_and_published(console, tmp_path):
  console.set("fleet", ("volume", "enforce", 90))
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  settings = [{"name": "welcomeText", "verb": "enforce", "value": "hello"}]
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": settings})
  schema = json.loads(json.dumps(SCHEMA))
  schema["Version"] += 1
  next(one for group in schema["Groups"] for one in group["Settings"] if one["Key"] == "volume")["Maximum"] = 60
  file = tmp_path / "narrower.json"
  file.write_text(json.dumps(schema))
  eva = Person(console, "eva")
  assert 'id="unfit"' not in eva.ask("GET", "/channels/fleet/difference").body.decode()
  console.run("schema", "add", str(file))
  for path in ("/channels/fleet/form/at/0", "/channels/fleet/difference"):
    told = re.search(r'id="unfit">(.*?)</ul>', eva.ask("GET", path).body.decode(), re.S)[1]
    assert "<b>volume</b>" in told and "60" in told and "welcomeText" not in told
  # It is taken out on the page itself, by who may change something.
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  assert Person(console, "vera").ask("POST", "/channels/fleet/take-out", name="volume", revision=revision).status == 403
  assert eva.ask("POST", "/channels/fleet/take-out", name="volume", revision=revision - 1).status == 409
  taken = eva.ask("POST", "/channels/fleet/take-out", name="volume", revision=revision, page="form")
  assert (taken.status, taken.headers["Location"]) == (303, "/channels/fleet/form")
  assert [one["name"] for one in console.api("GET", "channels/fleet/draft")["settings"]] == ["welcomeText"]
  assert 'id="unfit"' not in eva.ask("GET", "/channels/fleet/form/at/0").body.decode()


def test_what_is_tried_on_a_brand_is_of_one_channel_and_its_images_are_found(console):
  eva = Person(console, "eva")
  image = (ROOT / "Tests" / "Fixtures" / "images" / "rgba.png").read_bytes()
  logo = console.ask("POST", "/api/v1/assets", image, {"Content-Type": "image/png"}).json["id"]
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  console.api("PATCH", "channels/fleet/draft", {"revision": revision, "settings": [
    {"name": "branding.image.Logo", "verb": "recommend", "value": [{"image": logo}]}]})
  page = eva.ask("GET", "/channels/fleet/form/brand").body.decode()
  addresses = set(re.findall(r'href="([^"]*/asset\?id=[^"]*)"', page))
  assert addresses and all(one.startswith("/channels/fleet/form/asset?") for one in addresses)
  assert all(eva.ask("GET", one.replace("&amp;", "&")).status == 200 for one in addresses)
  draft = "/channels/fleet/form/draft"
  mark = re.search(r'name="s:branding.color.Toolbar" value="([^"]*)"', eva.ask("GET", draft).body.decode())[1]
  tried = {f"{kind}:branding.color.Toolbar": text for kind, text in (("s", mark), ("v", "#AB1234"), ("w", "recommend"))}
  assert eva.ask("POST", draft, op="show", **tried).status == 200
  assert "AB1234" in eva.ask("GET", draft).body.decode().upper()
  assert "AB1234" not in eva.ask("GET", "/channels/group.lobby/form/draft").body.decode().upper()


def test_a_page_leads_to_no_channel_that_was_removed(console):
  device, = join(console, groups=["lobby"])
  for channel in ("fleet", "group.lobby", "device." + device.id):
    console.set(channel, ("volume", "enforce", 5))
    number = console.set(channel, ("volume", "enforce", 6), steps=[100, 10000], pause=3600)["number"]
    console.api("POST", f"publications/{number}/stop")
  eva = Person(console, "eva")

  def page(path):
    return eva.ask("GET", path).body.decode()

  for number, channel in ((4, "group.lobby"), (6, "device." + device.id)):
    assert f"/publications/{number}/resume" in page(f"/publications/{number}")
    assert f'href="/channels/{channel}"' in page("/publications") and f'href="/channels/{channel}"' in page(f"/publications/{number}")
  console.run("group", "remove", "lobby")
  console.run("device", "remove", device.id)
  shown = page("/publications")
  assert shown.count('href="/channels/') == shown.count('href="/channels/fleet"') == 2
  assert "Group lobby, removed" in shown and f"Device {device.id}, removed" in shown
  for number in (3, 4, 5, 6):
    shown = page(f"/publications/{number}")
    assert ", removed" in shown and 'href="/channels/' not in shown
    assert f"/publications/{number}/resume" not in shown and f"/publications/{number}/undo" not in shown
  assert "/publications/2/resume" in page("/publications/2")


def test_a_comment_is_one_line_by_the_page_as_well(console):
  console.api("PATCH", "channels/fleet/draft", {"revision": 0, "settings": [{"name": "volume", "verb": "enforce", "value": 7}]})
  eva = Person(console, "eva")
  plan = {"revision": "1", "steps": "100", "pause": "0", "bound": "2"}
  for text in ("a\nb", "a\x1b[2J", "a\u2028b", "a\u202eb", "a\0b", "x" * 1001):
    for op in ("", "look"):
      answer = eva.ask("POST", "/channels/fleet/publish", **plan, comment=text, op=op)
      shown = answer.body.decode()
      assert answer.status == 422 and 'id="comment-error"' in shown and shown.count("aria-invalid") == 1, (text, op)
  assert console.api("GET", "publications")["total"] == 0
  assert eva.ask("POST", "/channels/fleet/publish", **plan, comment="Für alle, 入口 " + "x" * 900).status == 303
  assert console.api("GET", "publications/1")["comment"].startswith("Für alle, 入口 x")


def test_a_code_whose_device_was_removed_is_withdrawn(console):
  gone, there = join(console, 2)
  eva = Person(console, "eva")
  codes = {one["device"]: one["id"] for one in console.api("GET", "enrollments")["items"]}
  console.run("device", "remove", gone.id)
  shown = eva.ask("GET", "/enrollment").body.decode()
  assert f"{gone.id}, removed" in shown and f"/devices/{gone.id}" not in shown and f"/devices/{there.id}" in shown
  assert f"/enrollment/{codes[gone.id]}/withdraw" in shown and f"/enrollment/{codes[there.id]}/withdraw" not in shown
  assert eva.ask("POST", f"/enrollment/{codes[gone.id]}/withdraw").status == 303
  assert eva.ask("POST", f"/enrollment/{codes[there.id]}/withdraw").status == 409
  assert 'id="label" name="label" maxlength="64"' in shown


def test_the_form_leaves_a_setting_as_it_is_written(console, tmp_path):
  console.run("draft", "set", "fleet", "recommend", "volume", "30")
  console.run("publish")
  later = json.loads(json.dumps(SCHEMA).replace('"volume"', '"loudness"'))
  later["Version"] = 2
  later["Groups"][0]["Settings"][0]["Aliases"] = ["volume"]
  console.api("POST", "schemas", later, 201)
  eva = Person(console, "eva")
  page = eva.ask("GET", "/channels/fleet/form/at/0").body.decode()
  fields = {name: html.unescape(value) for name, value in re.findall(r'name="([sz]:loudness)" value="([^"]*)"', page)}
  done = eva.ask("POST", "/channels/fleet/form/at/0", **fields, **{"v:loudness": "41", "w:loudness": "recommend"})
  assert done.status in (200, 303), done.body
  assert console.api("GET", "channels/fleet/draft")["settings"] == [
      {"name": "loudness", "written": "volume", "verb": "recommend", "value": 41}]


def test_each_page_tells_what_keeps_the_console_from_its_work(console):
  eva = Person(console, "eva")
  signing = console.state / "signing.key"
  assert "signing.key" not in eva.ask("GET", "/groups").body.decode()
  own = signing.read_bytes()
  signing.unlink()
  console.run("keys", "make", signing)
  for path in ("/devices", "/groups", "/channels/fleet/difference"):
    assert "do not sign for this fleet" in eva.ask("GET", path).body.decode(), path
  signing.unlink()
  signing.write_bytes(own)
  signing.chmod(0o400)


def changed(schema, version, *more, **members):
  made = json.loads(json.dumps(schema))
  made.update({"Version": version, **members})
  made["Groups"][0]["Settings"] += more
  return made


READ_ONLY = {"Type": "TextField", "Title": "Site", "Key": "site", "ReadOnly": True}


def test_what_is_left_to_the_console_is_set_by_it(console):
  """What the schema declares read-only: by command, API and form, and devices take it."""
  console.api("POST", "schemas", changed(SCHEMA, 2, READ_ONLY), 201)
  for verb in ("recommend", "replace", "enforce"):
    console.run("draft", "set", "fleet", verb, "site", "north")
  eva = Person(console, "eva")
  page = eva.ask("GET", "/channels/fleet/form/at/0").body.decode()
  assert "Read-only" not in page and 'name="v:site"' in page
  fields = {name: html.unescape(value) for name, value in re.findall(r'name="([sz]:site)" value="([^"]*)"', page)}
  done = eva.ask("POST", "/channels/fleet/form/at/0", **fields, **{"v:site": "south", "w:site": "recommend"})
  assert done.status in (200, 303), done.body
  assert console.api("GET", "channels/fleet/draft")["settings"] == [{"name": "site", "verb": "recommend", "value": "south"}]
  console.run("publish")


def test_what_is_published_leaves_out_what_was_left_out(console):
  """Defaults of members of items are those of each device's schema."""
  stops = {"Type": "List", "Title": "Stops", "Key": "stops", "ItemTemplate": [
    {"Type": "TextField", "Title": "Name", "Key": "name"},
    {"Type": "Number", "Title": "Minutes", "Key": "minutes", "Format": "integer", "Value": 10}]}
  console.api("POST", "schemas", changed(SCHEMA, 2, stops), 201)
  console.run("draft", "set", "fleet", "recommend", "stops", '[{"name":"a"}]')
  assert console.api("GET", "channels/fleet/draft")["settings"][0]["value"] == [{"name": "a"}]
  console.set("fleet", ("stops", "enforce", [{"name": "b"}, {"name": "c", "minutes": 3}]))
  assert console.api("GET", "channels/fleet/draft")["settings"][0]["value"] == [{"name": "b"}, {"name": "c", "minutes": 3}]


def test_what_has_no_row_is_seen_and_taken_out(console):
  console.api("POST", "schemas", changed(SCHEMA, 2, Open=True), 201)
  console.set("fleet", ("free", "recommend", "x"), ("volume", "recommend", 5))
  eva = Person(console, "eva")
  for path in ("/channels/fleet/form", "/channels/fleet/difference"):
    page = eva.ask("GET", path).body.decode()
    assert "<b>free</b>: it has no row in the form" in page and "<b>volume</b>" not in page, path
  revision = console.api("GET", "channels/fleet/draft")["revision"]
  assert eva.ask("POST", "/channels/fleet/take-out", name="free", revision=str(revision), page="form").status == 303
  assert "<b>free</b>" not in eva.ask("GET", "/channels/fleet/form").body.decode()


def test_a_secret_stays_with_another_verb(console):
  console.run("draft", "set", "fleet", "enforce", "servicePin", "hunter22")
  eva = Person(console, "eva")
  page = eva.ask("GET", "/channels/fleet/form/at/0").body.decode()
  fields = {name: html.unescape(value) for name, value in re.findall(r'name="([sz]:servicePin)" value="([^"]*)"', page)}
  assert "hunter22" not in page and fields
  done = eva.ask("POST", "/channels/fleet/form/at/0", **fields, **{"v:servicePin": "", "w:servicePin": "recommend"})
  assert done.status in (200, 303), done.body
  console.run("publish")
  device, = join(console)
  assert device.pull()["servicePin"] == ("recommend", "hunter22")


def test_names_can_be_seen(console):
  device, = join(console)
  for name in ("   ", "\u200b", "\ufeff \u00a0"):
    assert console.api("PATCH", "devices/" + device.id, {"name": name}, 422)["pointer"] == "/name"
    assert console.api("POST", "enrollments", {"label": name, "hours": 1}, 422)["pointer"] == "/label"
  console.api("PATCH", "devices/" + device.id, {"name": ""})


def test_what_a_device_tells_is_shown_as_text(console):
  device, = join(console)
  console.set("fleet", ("volume", "enforce", 5))
  assert device.report(verdict="refused", violations=[{"name": "volume", "message": "bad\u202egood\x1b]0;x\x07"}]).status == 204
  page = Person(console, "eva").ask("GET", "/devices/" + device.id).body.decode()
  assert "\u202e" not in page and "\x1b" not in page and "bad\ufffdgood" in page


def test_addresses_say_what_they_take(console):
  for path in ("/v1/reports", "/v1/enroll"):
    for method in ("GET", "PUT"):
      answer = console.ask(method, path, token=False)
      assert (answer.status, answer.headers["Allow"]) == (405, "POST"), (method, path)
  for body in (b"", b"{", b"\xff"):
    assert console.ask("POST", "/api/v1/schemas", body, {"Content-Type": "application/json"}).status == 400
  assert console.ask("POST", "/api/v1/schemas", changed(SCHEMA, 1 << 53)).status == 422
  console.set("fleet", ("volume", "enforce", 5))
  console.set("fleet", ("volume", "enforce", 6), steps=[100, 10000], pause=3600)
  assert "stop it" in console.api("POST", "publications/2/undo", None, 409)["detail"]

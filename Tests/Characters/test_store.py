"""What the store does to the app while it runs: brands, settings, what was fetched."""

import html.parser
import http.cookiejar
import subprocess
import sys
import urllib.parse
import urllib.request

from conftest import APP, LIGHTHOUSE, ORCHARD, PHONE, ROOT, TABLET
from driver import App, until


def test_another_brand_dresses_the_running_app(start, server, store, desktop):
  app = start(server.origin, TABLET)
  dark = desktop.pixels()[400][400 * 3 : 400 * 3 + 3]
  store().branding.use(ORCHARD)
  until(lambda: app.root.clear_cache() or app.root.get_name() == "Orchard Street", "the other name")
  app.find("list item", "Agnes Pippin")
  app.find("image", "Logo of Orchard Street")
  light = until(lambda: (lambda pixel: pixel != dark and pixel)(desktop.pixels()[400][400 * 3 : 400 * 3 + 3]), "other colors")
  assert max(dark) < 128 < min(light)
  store().branding.use(LIGHTHOUSE)
  app.find("list item", "Ada Quill")


def test_a_color_that_is_set_is_shown(start, server, store, desktop):
  start(server.origin, PHONE)
  with store().change("recommended") as change:
    for end in ("Dark", "Light"):
      change.set(f"branding.color.listBackground{end}", "#ff0000")
  until(lambda: desktop.pixels()[640][300 * 3 : 300 * 3 + 3] == b"\xff\0\0", "red")


def test_everything_is_there_without_network(start, server, tmp_path, desktop):
  app = start(server.origin, TABLET)
  app.press(app.find("list item", "Ada Quill"))
  until(lambda: len({path for path in server.requests if path.startswith("/i/")}) == 21, "all images")
  app.find("image", "Image of Ada Quill")
  app.stop()
  server.shutdown()
  server.server_close()
  again = start(server.origin, TABLET, use=None)
  until(lambda: again.names()[:1] == ["Ada Quill"], "the first name")
  again.find("image", "Image of Ada Quill")
  again.enter("castellan")
  again.press(again.find("list item", "Zoë Castellan"))
  until(lambda: any("nobody has seen her ashore" in text for text in again.texts()), "a detail that was never shown before")
  again.enter("winifred")
  again.find("image", "Image of Winifred Moss")
  until(lambda: any("Offline" in text for text in again.texts()), "that it is offline")


def test_without_network_and_store_it_says_so(start, server):
  server.shutdown()
  server.server_close()
  app = start(server.origin, wait=False)
  until(lambda: any("There is no list yet" in text for text in app.texts()), "why there is nothing")


def test_an_answer_that_is_none_is_told(start, server, store, monkeypatch):
  import serve

  monkeypatch.setattr(serve, "answer", lambda name, count: {"Topics": []})
  app = start(server.origin, wait=False)
  until(lambda: any("has no list RelatedTopics" in text for text in app.texts()), "what is wrong")


def test_settings_take_effect_at_once(start, server, store):
  app = start(server.origin)
  until(lambda: app.names()[:1] == ["Ada Quill"], "the first name")
  settings = store()
  settings.set("list.sort", "backwards")
  until(lambda: app.names()[:1] == ["Zoë Castellan"], "backwards")
  app.find("image", "Image of Winifred Moss")
  settings.set("list.images", False)
  until(lambda: not [each for each in app.all("image") if each.get_name().startswith("Image of")], "no image")
  settings.reset("list.images")
  app.find("image", "Image of Winifred Moss")
  height = app.place(app.find("label", "Zoë"))[2]
  settings.set("text.size", "large")
  until(lambda: app.place(app.find("label", "Zoë"))[2] > height, "larger text")


class Form(html.parser.HTMLParser):
  """The form of a page: where it goes to, and what it sends."""

  def __init__(self, text):
    super().__init__()
    self.action, self.fields, self._inside = "", {}, False
    self.feed(text)

  def handle_starttag(self, tag, attributes):
    given = dict(attributes)
    if tag == "form":
      self._inside = given.get("id") == "form"
      self.action = given["action"] if self._inside else self.action
    elif tag == "input" and self._inside and given.get("name") and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
      self.fields[given["name"]] = given.get("value") or ""


def test_the_menu_opens_the_page_of_the_settings(start, server, store, desktop):
  app = start(server.origin, TABLET)
  app.press(app.find("push button", "Menu"))
  app.choose("Settings")
  address = until(lambda: desktop.opened.is_file() and desktop.opened.read_text(), "the address in the browser")
  desktop.opened.unlink()
  opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
  answer = opener.open(address, timeout=5)
  form = Form(answer.read().decode())
  assert {"v:list.sort", "v:list.images"} <= form.fields.keys()
  # Saved as a browser without script does: what the form has, with another choice.
  url = urllib.parse.urljoin(answer.geturl(), form.action)
  fields = {**form.fields, "v:list.sort": "backwards", "op": "save"}
  opener.open(urllib.request.Request(url, urllib.parse.urlencode(fields).encode()), timeout=5).read()
  until(lambda: app.names()[:1] == ["Zoë Castellan"], "backwards")


def test_starting_again_commits_nothing(start, server, store):
  start(server.origin).stop()
  opened = store()
  until(lambda: len(opened.assets.list()) >= 25, "images of brands and characters")
  revision = opened.revision
  app = start(server.origin, use=None)
  app.find("image", "Image of Ada Quill")
  app.stop()
  assert opened.revision - revision <= 21  # Images that were not there yet; nothing else.
  assert [commit["origin"] for commit in opened.history(limit=50)].count("characters") == 2


def test_complaints_are_sentences():
  def run(*arguments):
    return subprocess.run([sys.executable, str(APP), *arguments], capture_output=True, text=True, timeout=20)

  for arguments, words in (
    (["--size", "wide"], "is no size such as 360x720"),
    (["--store", "/dev/null/store"], "characters: "),
    (["--variants", "/nowhere", "--store", "/dev/null/x"], "characters: "),
  ):
    ended = run(*arguments)
    assert ended.returncode != 0 and words in ended.stderr and "Traceback" not in ended.stderr


def test_the_app_stays_small():
  lines = sum(len(path.read_text().splitlines()) for path in APP.glob("*.py"))
  assert lines <= 800
  assert App and ROOT

"""The brand as the app sees it, and a draft of it: tried, looked at, saved or dropped; with a script and without."""

import base64
import pathlib
import re
import subprocess

import livery
import livery.page
import pytest
from conftest import BUILD, ROOT
from test_races import Tab
from test_rules import upload

FIXTURES = pathlib.Path(ROOT) / "Tests" / "Fixtures"
PNG = (FIXTURES / "images" / "rgb.png").read_bytes()
SCHEMA = {"Version": 1, "Title": "Kiosk", "Groups": [{"Title": "One", "Settings": [
  {"Type": "TextField", "Title": "Text", "Key": "text", "Value": "start"},
  {"Type": "TextField", "Title": "Key", "Key": "branding.url.secret", "Value": "", "Class": ["Password"]}]}]}
COLORS = {"Toolbar": "#1B5C72", "ToolbarText": "#FFFFFF", "PrimaryHighlight": "#14485A", "PrimaryText": "#FDF6EA",
          "SecondaryHighlight": "#F0B451", "SecondaryText": "#2A1B05"}


def branded(serve, *options, **colors):
  served = serve(SCHEMA, *options)
  with served.store.change("bundle") as change:
    change["branding.name"] = "Harbor <Coffee>"
    for role, color in {**COLORS, **colors}.items():
      change[f"branding.color.{role}"] = color
  return served


def field(page, role):
  return page.locator(f"[name='v:branding.color.{role}']")


def press(page, op):
  with page.expect_response(lambda answer: answer.request.method == "POST"):
    page.locator(f".save [name=op][value={op}]").click()
  page.wait_for_timeout(200)


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_draft_is_seen_before_it_is_saved(serve, visit, script):
  served = branded(serve)
  revision = served.store.revision
  page = visit(served.link(), script)
  page.goto(served.base + "/brand")
  assert "passes" in page.locator("#verdict").inner_text()
  page.get_by_role("link", name="Try changes").click()
  page.wait_for_url("**/draft")
  field(page, "Toolbar").fill("#fafafa")
  press(page, "show")
  page.wait_for_selector("#verdict.bad")
  assert "does not pass" in page.locator("#verdict").inner_text()
  assert "ToolbarText #FFFFFF on Toolbar #FAFAFA" in page.locator("#findings").inner_text()
  assert page.locator(".device rect[fill='#FAFAFAFF']").count() > 0
  # The page wears it, and nobody else has heard of it.
  assert page.locator("header.bar").evaluate("(bar) => getComputedStyle(bar).backgroundColor") == "rgb(250, 250, 250)"
  assert served.store.revision == revision
  # It stays while the person looks elsewhere.
  page.goto(served.base + "/at/0")
  page.goto(served.base + "/brand")
  assert "There is a draft" in page.locator("main").inner_text()
  page.get_by_role("link", name="Try changes").click()
  page.wait_for_url("**/draft")
  assert field(page, "Toolbar").input_value() == "#fafafa"
  field(page, "Toolbar").fill("#14485a")
  field(page, "ToolbarText").fill("#ffeedd")
  press(page, "show")
  page.wait_for_selector("#verdict:has-text('0 errors')")
  press(page, "save")
  page.wait_for_selector("#notice.good")
  assert "/brand" in page.url and "Saved" in page.locator("#notice").inner_text()
  assert served.store.revision == revision + 1
  assert served.store.get("branding.color.Toolbar") == livery.Color.parse("#14485a")
  assert served.store.get("branding.color.ToolbarText") == livery.Color.parse("#ffeedd")
  commit = served.store.history(limit=1)[0]
  assert commit["layer"] == "user" and commit["origin"] == "page"


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_commit_of_the_brand_is_told_by_history_and_taken_back(serve, visit, script):
  served = branded(serve)
  page = visit(served.link(), script)
  before = served.store.get("branding.color.Toolbar")
  page.goto(served.base + "/draft")
  field(page, "Toolbar").fill("#14485a")
  press(page, "save")
  page.wait_for_selector("#notice.good")
  page.goto(served.base + "/history?name=branding.color.Toolbar")
  assert "14485A" in page.locator(".commits").inner_text().upper()
  page.locator(".commits button").first.click()
  page.wait_for_selector("#verdict")
  assert served.store.get("branding.color.Toolbar") == before


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_an_image_is_tried_too(serve, visit, script):
  served = branded(serve)
  page = visit(served.link(), script)
  page.goto(served.base + "/draft")
  logo = page.locator("[name='f:branding.image.logo']")
  logo.set_input_files({"name": "a.txt", "mimeType": "image/png", "buffer": b"no image"})
  press(page, "show")
  page.wait_for_selector(".row.wrong")
  assert "no image" in page.locator(".row[data-name='branding.image.logo'] .error").inner_text()
  logo.set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": PNG})
  press(page, "show")
  page.wait_for_selector("img[src^='/draft/image']")
  assert page.locator("img[src^='/draft/image']").evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
  assert page.locator("symbol image[href^='/draft/image']").count() == 1
  assert page.locator(".device use").count() > 0
  assert served.store.assets.list() == []
  # Without choosing it again it is still there.
  field(page, "Toolbar").fill("#203040")
  press(page, "show")
  page.wait_for_selector("img[src^='/draft/image']")
  press(page, "save")
  page.wait_for_selector("#notice.good")
  image = served.store.branding.image("logo")
  assert image["type"] == "image/png" and served.store.assets.get(image["image"]) == PNG
  page.wait_for_selector("symbol image[href^='/asset']", state="attached")


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_what_is_dropped_leaves_nothing(serve, visit, script):
  served = branded(serve)
  revision = served.store.revision
  page = visit(served.link(), script)
  page.goto(served.base + "/draft")
  field(page, "Toolbar").fill("#ff0000")
  press(page, "show")
  page.wait_for_selector("rect[fill='#FF0000FF'] >> nth=0")
  press(page, "drop")
  page.wait_for_url("**/brand")
  assert "There is a draft" not in page.locator("main").inner_text()
  page.goto(served.base + "/draft")
  assert field(page, "Toolbar").input_value() == "#1B5C72FF"
  assert served.store.revision == revision and served.store.assets.list() == []


def test_what_somebody_else_has_changed_is_decided_on(serve, visit):
  served = branded(serve)
  page = visit(served.link(), False)
  page.goto(served.base + "/draft")
  field(page, "Toolbar").fill("#400000")
  field(page, "PrimaryText").fill("#ffffff")
  press(page, "show")
  served.store.set("branding.color.Toolbar", "#004000")
  press(page, "save")
  assert "conflict" in page.locator(".row[data-name='branding.color.Toolbar']").get_attribute("class")
  question = page.locator(".row[data-name='branding.color.Toolbar'] .decide").inner_text()
  assert "#004000FF" in question and "#400000" in question
  # Looking again is no answer.
  press(page, "show")
  press(page, "save")
  assert page.locator(".decide").count() == 1
  assert served.store.get("branding.color.PrimaryText") == livery.Color.parse("#FDF6EA")
  page.locator("input[name='c:branding.color.Toolbar'][value=mine]").check()
  press(page, "save")
  page.wait_for_selector("#notice.good")
  assert served.store.get("branding.color.Toolbar") == livery.Color.parse("#400000")
  assert served.store.get("branding.color.PrimaryText") == livery.Color.parse("#ffffff")


def test_what_is_no_color_is_told_and_left_out(serve):
  served = branded(serve)
  tab = Tab(served)
  fields = Tab.read(tab.ask("GET", "/draft").text)
  answer = upload(tab, "/draft", {**fields, "v:branding.color.Toolbar": "reddish", "op": "show"}, {})
  assert "reddish" in answer.text and 'class="row wrong"' in answer.text
  answer = upload(tab, "/draft", {**fields, "v:branding.color.Toolbar": "reddish", "op": "save"}, {})
  assert answer.status == 422
  assert served.store.get("branding.color.Toolbar") == livery.Color.parse("#1B5C72")
  assert tab.ask("POST", "/check", {"csrf": fields["csrf"], "s:branding.color.Toolbar": "1.x", "v:branding.color.Toolbar": "x"}).text
  for path in ("/why", "/history"):
    assert tab.ask("GET", path + "?name=branding.color.Toolbar").status == 200


def test_drafts_have_bounds(serve):
  served = branded(serve)
  tab = Tab(served)
  fields = Tab.read(tab.ask("GET", "/draft").text)
  answer = upload(tab, "/draft", {**fields, "op": "show"}, {"f:branding.image.logo": PNG + bytes(17 << 20)})
  assert answer.status == 422 and "too large" in answer.text
  assert upload(tab, "/draft", {**fields, "op": "show", "csrf": "x"}, {}).status == 403
  assert tab.ask("GET", "/draft/image?id=" + "0" * 64).status == 404


def test_a_locked_color_and_a_read_only_page_take_no_draft(serve):
  served = branded(serve)
  served.store.set("branding.color.Toolbar", "#111111", "enforced")
  tab = Tab(served)
  text = tab.ask("GET", "/draft").text
  assert 'name="v:branding.color.Toolbar" disabled' in text and "Decided by the console" in text
  fields = Tab.read(text)
  answer = upload(tab, "/draft", {**fields, "v:branding.color.Toolbar": "#ff0000", "s:branding.color.Toolbar": "1.x", "op": "save"}, {})
  # Who typed it before it was locked is told.
  assert answer.status == 422 and "Decided by the console" in answer.text
  assert served.store.get("branding.color.Toolbar") == livery.Color.parse("#111111")
  assert upload(tab, "/draft", {**Tab.read(answer.text), "op": "save"}, {}).status == 303
  shown = branded(serve, "--read-only")
  tab = Tab(shown)
  assert "Try changes" not in tab.ask("GET", "/brand").text
  assert tab.ask("GET", "/draft").status == 404
  token = Tab.read(tab.ask("GET", "/brand").text)["csrf"]
  revision = shown.store.revision
  assert tab.ask("POST", "/draft", {"csrf": token, "op": "save", "s:branding.color.Toolbar": "1.x",
                                    "v:branding.color.Toolbar": "#ff0000"}).status == 404
  assert shown.store.revision == revision


HIDING = {**SCHEMA, "Groups": [{"Title": "One", "Settings": [
  {"Type": "Color", "Title": "Bar", "Key": "branding.color.Toolbar", "Value": "#1B5C72", "Hidden": True, "ReadOnly": True},
  {"Type": "Color", "Title": "Extra", "Key": "branding.color.Extra", "Value": "#123456", "Hidden": True,
   "Aliases": ["branding.color.SecondaryText"]},
  {"Type": "Pane", "Title": "Pane", "Hidden": True, "Settings": [{"Type": "Image", "Title": "Logo", "Key": "branding.image.logo"}]},
  {"Type": "Color", "Title": "Fixed", "Key": "branding.color.ToolbarText", "Value": "#FFFFFF", "ReadOnly": True},
  {"Type": "Color", "Title": "Free", "Key": "branding.color.PrimaryText", "Value": "#FDF6EA"}]}]}
HIDDEN = ["branding.color.Toolbar", "branding.color.Extra", "branding.image.logo"]


def test_what_the_schema_hides_of_a_brand_stays_so(serve):
  served = serve(HIDING)
  assert served.store.get("branding.color.SecondaryText") == livery.Color.parse("#123456")
  served.store.set("branding.color.Extra", "#654321")
  served.store.set("branding.color.Loose", "#101010")
  revision = served.store.revision
  tab = Tab(served)
  text = tab.ask("GET", "/draft").text
  fields = Tab.read(text)
  for name in [*HIDDEN, "branding.color.SecondaryText"]:
    assert f'data-name="{name}"' not in text
    for path in ("why", "history"):
      answer = tab.ask("GET", f"/{path}?name={name}")
      assert answer.status == 404 and "#654321" not in answer.text, (path, name)
    fields.update({f"s:{name}": f"{revision}.x", f"v:{name}": "#ff0000"})
  assert tab.ask("POST", "/check", {**fields, "v:branding.color.Extra": "none", "v:branding.color.Toolbar": "none"}).text == ""
  answer = tab.ask("POST", "/undo?name=branding.color.Extra", {"csrf": fields["csrf"], "revision": str(revision - 1)})
  assert answer.status == 403
  for op in ("show", "save"):
    assert "#ff0000" not in upload(tab, "/draft", {**fields, "op": op}, {"f:branding.image.logo": PNG}).text.lower()
  assert served.store.revision == revision
  # Whatever else there is can be changed as before.
  assert 'name="v:branding.color.ToolbarText" disabled' in text and "Read-only" in text
  fields = Tab.read(tab.ask("GET", "/draft").text)
  change = {"v:branding.color.PrimaryText": "#FFFFFF", "v:branding.color.Loose": "#202020", "op": "save"}
  assert upload(tab, "/draft", {**fields, **change}, {}).status == 303
  assert served.store.get("branding.color.PrimaryText") == livery.Color.parse("#FFFFFF")
  assert served.store.get("branding.color.Loose") == livery.Color.parse("#202020")


def test_what_the_schema_hides_of_a_brand_is_shown_where_that_is_asked_for(serve):
  served = serve(HIDING, "--hidden")
  tab = Tab(served)
  text = tab.ask("GET", "/draft").text
  for name in HIDDEN:
    assert f'data-name="{name}"' in text and tab.ask("GET", f"/why?name={name}").status == 200
  assert 'name="v:branding.color.Toolbar" disabled' in text
  served.store.set("branding.color.Extra", "#222222", "enforced")
  text = tab.ask("GET", "/draft").text
  assert 'name="v:branding.color.Extra" disabled' in text and "Decided by the console" in text


def test_a_draft_of_a_source_that_is_switched_off_is_refused(serve):
  served = branded(serve, "--layer", "bundle")
  tab = Tab(served)
  assert tab.ask("GET", "/draft").status == 200
  served.store.branding.set_enabled("bundle", False)
  assert tab.ask("GET", "/draft").status == 404
  served.store.branding.set_enabled("bundle", True)
  assert tab.ask("GET", "/draft").status == 200


def test_a_draft_of_a_source_that_waits_for_another_is_refused(serve):
  served = branded(serve, "--layer", "bundle")
  tab = Tab(served)
  served.store.branding.apply_console({"colors": {"PrimaryColor": "#336699"}}, whole=True)
  assert tab.ask("GET", "/draft").status == 404
  served.store.branding.apply_console({"colors": {"PrimaryColor": "#336699"}}, whole=False)
  assert tab.ask("GET", "/draft").status == 200


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_device_is_chosen(serve, visit, script):
  served = branded(serve)
  phone = served.store.assets.put(PNG)
  tv = served.store.assets.put((FIXTURES / "images" / "rgba.png").read_bytes())
  served.store.set("branding.image.background", [{"image": str(phone), "idiom": "phone"}, {"image": str(tv), "idiom": "tv"}])
  page = visit(served.link(), script)
  page.goto(served.base + "/brand")
  assert page.locator(".device").count() == 3
  page.get_by_label("Device").select_option("tv")
  page.get_by_role("button", name="Show").click()
  page.wait_for_url("**/brand?idiom=tv*")
  assert page.locator(".device").count() == 1
  symbol = page.locator(".device use").first.get_attribute("href")
  assert str(tv) in page.locator(f"symbol{symbol} image").get_attribute("href")
  page.get_by_label("Device").select_option("watch")
  page.get_by_role("button", name="Show").click()
  page.wait_for_url("**/brand?idiom=watch*")
  assert page.locator(".device use").count() == 0


def test_what_the_command_writes_is_what_the_page_shows(serve, tmp_path):
  served = branded(serve, listBackgroundDark="#0A0A0A", listBackgroundLight="#3C3C3C")
  served.store.set("branding.url.secret", "https://hush.example/")
  served.store.set("branding.image.logo", served.store.assets.put(PNG))
  tab = Tab(served)
  shown = tab.ask("GET", "/brand").text
  written = tmp_path / "brand.html"
  command = [str(BUILD / "livery"), "--store", str(served.path), "brand", "show", "--html", str(written)]
  subprocess.run(command, check=True)
  document = written.read_text()

  def drawing(text):
    """Without where images are: the document has them within."""
    return re.sub(r'<image href="[^"]*"', "<image", text[text.index('<svg class="unseen"'):text.index("</main>")])

  assert drawing(shown) == drawing(document)
  assert "linearGradient" in document and "hush.example" not in document and "hush.example" not in shown
  assert base64.b64encode(PNG).decode() in document and "Harbor &lt;Coffee&gt;" in document
  assert livery.page.brand_html(served.store) == document
  with pytest.raises(livery.NotFoundError):
    livery.page.brand_html(served.store, "nobody")


@pytest.mark.parametrize("language, words", [
  ("en", ["loading", "could not be loaded", "placeholder"]),
  ("de", ["wird geladen", "konnte nicht geladen werden", "Platzhalter"])])
def test_an_image_says_how_it_stands(serve, language, words):
  served = branded(serve)
  former = served.store.assets.put(PNG)
  other = served.store.assets.put((FIXTURES / "images" / "rgba.png").read_bytes())
  stands_in = served.store.assets.put((FIXTURES / "images" / "still.gif").read_bytes())
  branding = served.store.branding
  branding.set_image("logo", [{"image": former}], layer="bundle")
  branding.set_image("logo", [{"image": "https://h.example/logo"}], layer="bundle")
  branding.set_image("splash", [{"image": "https://h.example/splash", "state": "failed"}], layer="bundle")
  branding.set_image("loading", [{"image": other, "state": "placeholder"}], layer="bundle")
  branding.set_image("background", [{"image": ""}], layer="bundle")
  branding.set_image("placeholder", [{"image": stands_in}], layer="bundle")
  tab = Tab(served)
  tab.connection.request("GET", "/brand", headers={"Cookie": tab.cookie, "Accept-Language": language})
  text = tab.connection.getresponse().read().decode()
  told = dict(re.findall(r'<figcaption><b>(\w+)</b>(?:<span class="chip state">([^<]*)</span>)?', text[text.rindex('class="cards"'):]))
  assert told == {"logo": words[0], "splash": words[1], "loading": words[2], "background": words[2], "placeholder": ""}
  # What was there before is seen, and what stands in for the others.
  symbols = dict(re.findall(r'<symbol id="(a\d+)"[^>]*><image href="/asset\?id=(\w+)"', text))
  assert set(symbols.values()) == {str(former), str(other), str(stands_in)}
  devices = text[text.index('class="device"'):]
  assert {symbols[number] for number in re.findall(r'<use href="#(a\d+)"', devices)} >= {str(former), str(stands_in)}

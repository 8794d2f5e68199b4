"""Everybody can use it: axe finds nothing, and the keyboard alone reaches and changes everything."""

import itertools
import os
import time
from pathlib import Path

import pytest

# How pages are looked at: the width, the scheme, and whether with the page's script. All of it takes minutes: `scripts/test --browser`.
LOOKS = [(320, "light", True), (1280, "dark", True), (320, "dark", False), (768, "light", False)]
if os.environ.get("LIVERY_BROWSER") == "full":
  LOOKS = list(itertools.product([320, 768, 1280], ["light", "dark"], [True, False]))
ADDRESSES = ["/at/0", "/at/1", "/at/2", "/at/3", "/at/1.3.0", "/list?name=stations", "/why?name=volume", "/history?name=volume",
             "/search?q=o", "/brand", "/brand?idiom=watch&appearance=dark&scale=2", "/draft"]


def axe():
  package = pytest.importorskip("axe_playwright_python")
  return (Path(package.__file__).parent / "axe.min.js").read_text()


@pytest.fixture(scope="module")
def source():
  return axe()


def violations(page, source):
  """What axe finds. It needs a script, which the page's own policy would not let in."""
  page.evaluate(source)
  found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
  return [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found]


@pytest.mark.parametrize("width, scheme, script", LOOKS)
def test_axe_finds_nothing(serve, visit, source, width, scheme, script):
  served = serve()
  served.store.set("branding.color.Toolbar", "#ffee00")
  served.store.set("branding.color.PrimaryHighlight", "#ffdd55")
  served.store.set("volume", 60)
  page = visit(served.link(), True, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
  if not script:
    page.route("**/script.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
  for address in ADDRESSES:
    page.goto(served.base + address)
    assert violations(page, source) == [], address
  # A brand that nobody could read is shown so that people can.
  page.goto(served.base + "/draft")
  page.locator("[name='v:branding.color.ToolbarText']").fill("#fff0f0")
  page.locator("[name='v:branding.color.PrimaryText']").fill("no color")
  page.locator(".save [value=show]").click()
  page.wait_for_selector("#verdict.bad")
  assert violations(page, source) == []
  assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
  # What is wrong, and a conflict, have to be readable as well.
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("999")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  assert violations(page, source) == []
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("70")
  page.evaluate("document.querySelectorAll('*').length")
  served.store.set("volume", 80)
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  assert violations(page, source) == []
  assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_keyboard_alone(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  reached = set()
  for _ in range(120):
    page.keyboard.press("Tab")
    reached.add(page.evaluate("document.activeElement.name || document.activeElement.id || document.activeElement.href || ''"))
  for name in ("name", "code", "notice", "password", "address", "volume", "zoom", "sound", "opening", "accent"):
    assert f"v:{name}" in reached, name
  page.locator("[name='v:sound']").focus()
  page.keyboard.press("Space")
  page.locator("[name='v:volume']").focus()
  page.keyboard.press("Control+A")
  page.keyboard.type("35")
  page.keyboard.press("Enter")
  page.wait_for_selector("#notice.good")
  assert served.store.get("volume") == 35 and served.store.get("sound") is False
  page.keyboard.press("Control+s")
  page.goto(served.base + "/at/1")
  page.locator("[name='v:few']:checked").focus()
  page.keyboard.press("ArrowUp")
  page.locator("[name='v:many']").focus()
  page.keyboard.press("ArrowDown")
  page.keyboard.press("Control+s")
  page.wait_for_selector("#notice.good")
  assert served.store.get("few") == "a" and served.store.get("many") == "4"


def test_search_from_the_keyboard(serve, visit):
  served = serve()
  page = visit(served.link())
  page.keyboard.press("/")
  page.keyboard.type("buried")
  # What was found for the first letters may be there a moment before.
  page.wait_for_selector(".results a mark >> text=/^buried$/i")
  page.keyboard.press("Tab")
  page.locator(".results a").first.focus()
  page.keyboard.press("Enter")
  page.wait_for_selector(".row[data-name=buried]")


def test_languages(serve, visit):
  schema = b"""{"Version": 1, "Title": "Shop", "Texts": {"de": {"Shop": "Laden", "Volume": "Lautst\\u00e4rke"}, "ar": {"Volume": "\\u0635"}},
    "Groups": [{"Title": "Shop", "Settings": [{"Type": "Number", "Format": "integer", "Title": "Volume", "Key": "volume", "Value": 1}]}]}"""
  served = serve(schema)
  page = visit(served.link(), locale="de-AT")
  assert page.locator("label.title").inner_text() == "Lautst\u00e4rke"
  assert page.locator("button.main").inner_text() == "Speichern"
  assert page.evaluate("document.documentElement.lang") == "de"
  page = visit(served.link(), locale="ar")
  assert page.evaluate("document.documentElement.dir") == "rtl"
  page = visit(served.link(), locale="he")
  assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["en", ""]
  assert page.locator("label.title").inner_text() == "Volume"

"""Makes the pictures of docs/page.md: a sample store, in Chromium. `scripts/pictures` runs it.

    pictures.py FOLDER
"""

import io
import pathlib
import sys
import tempfile

from conftest import CHROMIUM, Served
from PIL import Image
from playwright.sync_api import sync_playwright

SCHEMA = {"Version": 1, "Title": "Lobby screen", "Groups": [
  {"Title": "Playback", "Description": "What the screen in the lobby shows.", "Settings": [
    {"Type": "TextField", "Title": "Media", "Key": "mediaUrl", "Description": "A film or a page, played over and over.",
     "Value": "https://media.example/loop.mp4"},
    {"Type": "Number", "Format": "integer", "Title": "Volume", "Key": "volume", "Value": 40, "Minimum": 0, "Maximum": 100,
     "Unit": "%"},
    {"Type": "ToggleSwitch", "Title": "Sound at night", "Key": "night", "Value": False},
    {"Type": "ComboBox", "Title": "Language", "Key": "language", "Class": ["Single"], "Value": "en",
     "Options": [{"Title": "English", "Value": "en"}, {"Title": "Deutsch", "Value": "de"}]}]},
  {"Title": "Stations", "Settings": [
    {"Type": "List", "Title": "Stations", "Key": "stations", "Description": "In the order in which they are offered.", "ItemTemplate": [
      {"Type": "TextField", "Title": "Name", "Key": "name", "Value": ""},
      {"Type": "TextField", "Title": "Address", "Key": "address", "Value": ""}]}]},
  {"Title": "Access", "Settings": [
    {"Type": "TextField", "Title": "Password", "Key": "password", "Value": "", "Class": ["Password"]}]}]}
COLORS = {"Toolbar": "#0B2A35", "ToolbarText": "#FFFFFF", "PrimaryHighlight": "#14485A", "PrimaryText": "#FDF6EA",
          "SecondaryHighlight": "#F0B451", "SecondaryText": "#2A1B05"}
LOGO = (b'<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100"><path d="M20 34h60v26a26 26 0 0 1-26 26h-8a26 26 0 0 1-26-26z" '
        b'fill="#FDF6EA"/><text x="104" y="76" font-family="Georgia,serif" font-size="52" font-weight="700" fill="#F0B451">Harbor</text></svg>')
# The largest picture, in bytes.
LIMIT = 60_000


def sample(folder):
  served = Served(pathlib.Path(folder) / "store", SCHEMA, ("--locale", "en"))
  store = served.store
  with store.change("bundle", origin="app") as change:
    change["branding.name"] = "Harbor Coffee"
    change["branding.image.logo"] = change.put(LOGO)
    for role, color in COLORS.items():
      change[f"branding.color.{role}"] = color
  store.set("mediaUrl", "https://fleet.example/spring.mp4", layer="recommended")
  store.set("volume", 55)
  store.set("volume", 35)
  store.set("night", False, layer="enforced")
  store.set("stations", [{"name": "News", "address": "https://radio.example/news"},
                         {"name": "Jazz", "address": "https://radio.example/jazz"}])
  return served


def keep(page, path):
  """A picture of what is in view, with as many colors as fit."""
  page.wait_for_timeout(300)
  raw = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
  for colors in (256, 128, 64, 32, 16):
    raw.quantize(colors, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size <= LIMIT:
      break
  assert path.stat().st_size <= LIMIT, f"{path} has {path.stat().st_size} bytes"
  print(path)


def main():
  folder = pathlib.Path(sys.argv[1])
  with tempfile.TemporaryDirectory() as work, sync_playwright() as started:
    served = sample(work)
    browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--hide-scrollbars"])

    def visit(path, width, height, scheme="light"):
      page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, locale="en-US")
      page.goto(served.link())
      page.goto(served.base + path)
      return page

    try:
      keep(visit("/at/0", 390, 844), folder / "page-phone.png")
      keep(visit("/at/0", 1000, 700, "dark"), folder / "page-dark.png")
      page = visit("/at/0", 1000, 720)
      row = page.locator(".row[data-name=volume]")
      row.get_by_role("link", name="Why this value").click()
      row.locator(".part table").wait_for()
      row.scroll_into_view_if_needed()
      keep(page, folder / "page-why.png")
      page = visit("/at/0", 1000, 720)
      page.locator("[name='v:volume']").fill("60")
      page.wait_for_timeout(300)
      served.store.set("volume", 20)
      page.locator(".meanwhile").wait_for()
      page.locator("button.main").click()
      page.locator(".decide").wait_for()
      keep(page, folder / "page-conflict.png")
      keep(visit("/list?name=stations", 1000, 720), folder / "page-list.png")
      page = visit("/draft", 1000, 900)
      page.locator("[name='v:branding.color.PrimaryHighlight']").fill("#E8DFC8")
      page.locator(".save [value=show]").click()
      page.locator("#verdict.bad").wait_for()
      page.locator("#verdict").evaluate("(place) => scrollTo(0, place.getBoundingClientRect().top + scrollY - 160)")
      keep(page, folder / "page-draft.png")
    finally:
      browser.close()
      served.close()


main()

"""Makes the pictures of docs/console.md: a fleet in memory, in Chromium. `scripts/pictures` runs it.

    pictures.py FOLDER
"""

import io
import pathlib
import sys

from conftest import CHROMIUM, PASSWORDS, Fleet, Person
from PIL import Image
from playwright.sync_api import sync_playwright

# The largest picture, in bytes.
LIMIT = 60_000


def keep(page, path):
  """A picture of what is in view, with as many colors as fit."""
  page.wait_for_timeout(300)
  raw = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
  for colors in (256, 128, 64, 32, 16):
    raw.quantize(colors, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size <= LIMIT:
      break
  print(path)


def sample():
  served = Fleet(48)
  alice = Person(served)
  alice.set(mediaUrl=("recommend", "https://media.example/spring.mp4"), volume=("replace", "40"))
  alice.publish(comment="Spring")
  for number in range(48):
    served.report(number)
  alice.set(volume=("enforce", "90"), theme=("recommend", "dark"))
  alice.publish(comment="Louder", steps="25, 50, 100", pause="60", bound="20")
  for number in range(12):
    served.report(number, "refused" if number in (4, 9) else "applied")
  return served, alice


def main():
  folder = pathlib.Path(sys.argv[1])
  served, alice = sample()
  with sync_playwright() as started:
    browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])

    def open_page(scheme="light", width=1120, height=720):
      page = browser.new_context(locale="en-US", color_scheme=scheme, viewport={"width": width, "height": height}).new_page()
      page.goto(served.base + "/sign-in")
      page.fill("#name", "alice")
      page.fill("#password", PASSWORDS["alice"])
      page.click("button.main")
      return page

    page = open_page()
    page.goto(served.base + "/devices")
    keep(page, folder / "console-devices.png")
    page.goto(served.base + "/publications/2")
    keep(page, folder / "console-rollout.png")
    served.report(10, "refused")
    page.wait_for_selector("text=Stopped")
    keep(page, folder / "console-stopped.png")
    page.goto(served.base + "/channels/fleet/form")
    keep(page, folder / "console-form.png")
    page.goto(served.base + "/channels/fleet/difference")
    keep(page, folder / "console-difference.png")
    page = open_page("dark", 390, 800)
    page.goto(served.base + served.page(1))
    keep(page, folder / "console-device.png")
    browser.close()
  served.close()


if __name__ == "__main__":
  main()

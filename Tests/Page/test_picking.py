"""Picking an image through the page: a program asks, a person uploads in a browser, and the image is shown."""

import struct
import zlib

import livery
import livery.picker
import pytest

LOGO = "branding.image.logo"


def picture(side):
  """A PNG of so many pixels, each with a color of its own."""

  def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

  lines = b"".join(b"\0" + bytes((x * 7 + y * 13 + part * 31) % 256 for x in range(side) for part in range(3)) for y in range(side))
  return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
          + chunk(b"IDAT", zlib.compress(lines, 0)) + chunk(b"IEND", b""))


def upload(page, content):
  page.locator("[name='f:0.0']").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": content})
  page.locator("button.main").click()


def opened(page, script):
  while not script and not page.locator("#prompts a").count():
    page.reload()
  page.locator("#prompts a").click()
  page.wait_for_selector("[name='f:0.0']")


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_person_uploads_what_a_program_asks_for(serve, visit, script):
  served = serve(None, "--prompts")
  page = visit(served.link(), script)
  good, large = picture(8), picture(64)
  asked = []
  picking = livery.picker.pick(
    served.store, "upload", setting=LOGO, max_size=2000, permission=lambda *words: asked.append(words) or True)
  opened(page, script)
  # What is no image, or too large, is told, and the person tries again.
  upload(page, b"no image")
  page.wait_for_selector("#notice.bad")
  assert not picking._ended.is_set()
  upload(page, large)
  page.wait_for_selector("#notice.bad >> text=at most 2000 are taken")
  assert not picking._ended.is_set() and LOGO not in served.store
  upload(page, good)
  page.wait_for_selector("main >> text=Answered.")
  picked = picking.result(10)
  assert picked.source is livery.picker.Source.UPLOAD and picked.info["width"] == 8
  assert served.store[LOGO] == picked.asset and served.store.assets.get(picked.asset) == good
  assert len(asked) == 1 and livery.picker.known_permission(served.store, "upload") is livery.picker.Permission.GRANTED


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_person_who_declines_ends_it(serve, visit, script):
  served = serve(None, "--prompts")
  page = visit(served.link(), script)
  picking = livery.picker.pick(served.store, "upload", setting=LOGO)
  opened(page, script)
  page.locator("button[value=decline]").click()
  with pytest.raises(livery.CancelledError):
    picking.result(10)
  assert LOGO not in served.store


def test_a_prompt_goes_with_the_picking(serve, visit):
  served = serve(None, "--prompts")
  page = visit(served.link())
  for end in ("cancelled", "timeout"):
    picking = livery.picker.pick(served.store, "upload", timeout=1 if end == "timeout" else None)
    page.wait_for_selector("#prompts a")
    if end == "cancelled":
      picking.cancel()
    with pytest.raises(livery.CancelledError if end == "cancelled" else livery.TimedOutError):
      picking.result(10)
    page.wait_for_selector("#prompts a", state="detached")

"""The extension `images` from Python: 200 images are judged as an independent program judges them, pixel by pixel."""

import io
import os
import pathlib
import random
import struct
import sys
import zlib

import numpy
import pytest
from PIL import Image, ImageOps

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("LIVERY_LIBRARY", str(ROOT / "build" / "liblivery.so"))
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(pathlib.Path(__file__).parent)]

import generate  # noqa: E402
import livery  # noqa: E402
from livery import Color, images  # noqa: E402

WHITE, BLACK = Color(1, 1, 1, 1), Color(0, 0, 0, 1)
HALF = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="20" height="20" fill="#fff"/></svg>'
#: How far the share may be from what the pixels say. Colors with alpha are kept as 250 at most.
OPAQUE, WITH_ALPHA = 0.004, 0.01


@pytest.fixture
def store(tmp_path):
  with livery.open(tmp_path / "store", create=True) as opened:
    yield opened


def color(rgb):
  return Color(*(component / 255 for component in rgb), 1)


def test_200_images_are_judged_as_their_pixels_say(store, tmp_path):
  wrong = []
  judged = generate.judge_all(tmp_path)
  for path, text, background, share in judged:
    image = images.put(store, path.read_bytes())
    found = images.illegible_share(store, image, color(text), color(background))
    facts = store.assets.fact(image, "legibility")
    assert len(facts) <= 4096
    tolerance = WITH_ALPHA if facts[2] else OPAQUE
    if abs(found - share) > tolerance or (found > generate.TOLERATED) != (share > generate.TOLERATED):
      wrong.append((path.name, text, background, share, found))
  assert len(judged) == 200 and not wrong, wrong


def test_where_text_lies_counts_by_its_weight(store):
  image = images.put(store, HALF)
  left, right = images.Area(0, 0, 0.4, 1), images.Area(0.6, 0, 0.4, 1, 3)
  assert images.illegible_share(store, image, WHITE, BLACK) == 0.5
  assert images.illegible_share(store, image, WHITE, BLACK, areas=[left]) == 1
  assert images.illegible_share(store, image, WHITE, BLACK, areas=[right]) == 0
  assert images.illegible_share(store, image, WHITE, BLACK, areas=[left, right]) == pytest.approx(0.25)
  with pytest.raises(livery.InvalidValueError):
    images.illegible_share(store, image, WHITE, areas=[images.Area(2, 2, 1, 1)])


def test_an_image_comes_with_the_setting_that_shows_it(store):
  with store.change("user") as change:
    change["branding.image.background"] = images.put_into(change, HALF)
  assert images.illegible_share(store, store["branding.image.background"], BLACK, WHITE) == 0


def test_images_are_judged_later_and_once(store):
  image = store.assets.put(HALF)
  with pytest.raises(livery.NoValueError, match="livery images judge"):
    images.illegible_share(store, image, WHITE)
  assert images.judge(store) == {"judged": 1, "known": 0, "refused": []}
  assert images.judge(store, image) == {"judged": 0, "known": 1, "refused": []}
  assert images.judge(store, again=True)["judged"] == 1


def test_what_cannot_be_judged_says_why(store):
  gif = (ROOT / "Tests" / "Fixtures" / "images" / "still.gif").read_bytes()
  with pytest.raises(livery.ParseError, match="only PNG, JPEG, WebP and SVG"):
    images.put(store, gif)
  image = images.put(store, gif, any=True)
  with pytest.raises(livery.NoValueError, match="only PNG, JPEG, WebP and SVG"):
    images.illegible_share(store, image, WHITE)
  assert images.judge(store, again=True)["refused"][0]["id"] == image


def test_a_white_background_fails_the_check_of_the_brand(store):
  store.set("branding.color.PrimaryText", WHITE)
  store.set("branding.image.background", store.assets.put(HALF.replace(b'width="20"', b'width="40"')))
  assert [note["code"] for note in store.branding.check()["notes"]] == ["unjudged-image"]
  images.judge(store)
  report = store.branding.check()
  found = {finding["text"]: finding for finding in report["findings"] if finding["code"] == "illegible-image"}
  assert report["notes"] == [] and set(found) == {"PrimaryText", "white"}
  assert found["white"]["severity"] == "error" and found["white"]["share"] == 1


def chunk(kind, content):
  return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def interlaced(image):
  """A PNG in the seven passes of Adam7, which Pillow cannot write."""
  pixels = numpy.asarray(image)
  height, width, channels = pixels.shape
  rows = b""
  for x, y, right, down in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
    part = pixels[y::down, x::right]
    if part.size:
      rows += b"".join(b"\0" + row.tobytes() for row in part)
  header = struct.pack(">IIBBBBB", width, height, 8, 6 if channels == 4 else 2, 0, 0, 1)
  return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(1, 1), (2, 9), (5, 3), (40, 31), (131, 77)])
@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_an_interlaced_image_is_judged_as_the_same_one_that_is_not(store, mode, size):
  chance = random.Random(size[0])
  image = generate.noise(chance, *size, 0, 255)
  if mode == "RGBA":
    image = generate.with_alpha(chance, image)
  plain = io.BytesIO()
  image.save(plain, "PNG")
  facts = [store.assets.fact(images.put(store, content), "legibility") for content in (plain.getvalue(), interlaced(image))]
  assert facts[0] == facts[1]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_an_image_is_judged_as_it_is_shown(store, orientation):
  image = Image.new("RGB", (80, 48), "black")
  image.paste("white", (0, 0, 40, 24))
  exif = Image.Exif()
  exif[0x0112] = orientation
  content = io.BytesIO()
  image.save(content, "JPEG", quality=95, exif=exif)
  shown = numpy.asarray(ImageOps.exif_transpose(Image.open(content)).convert("L"))
  stored = images.put(store, content.getvalue())
  for x, y in ((0, 0), (0.5, 0), (0, 0.5), (0.5, 0.5)):
    is_white = shown[int((y + 0.25) * shown.shape[0]), int((x + 0.25) * shown.shape[1])] > 128
    assert images.illegible_share(store, stored, WHITE, areas=[images.Area(x + 0.1, y + 0.1, 0.3, 0.3)]) == is_white

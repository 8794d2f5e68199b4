"""Limits and kinds, by headers that are made by hand, with what is said of each; and flat colors on both sides of the contrast."""

import os
import pathlib
import struct
import sys
import zlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
os.environ.setdefault("LIVERY_LIBRARY", str(ROOT / "build" / "liblivery.so"))
sys.path[:0] = [str(ROOT / "bindings" / "python")]

import livery  # noqa: E402
from livery import Color, images  # noqa: E402

SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1">%s</svg>'


@pytest.fixture
def store(tmp_path):
  with livery.open(tmp_path / "store", create=True) as opened:
    yield opened


def fixture(name):
  return (ROOT / "Tests" / "Fixtures" / "images" / name).read_bytes()


def png(width, height, rows=b""):
  """8 bits of red, green and blue."""
  def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

  head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
  return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg(width, height, process=0xC0, precision=8, components=3, scans=1):
  """Without any content but a table of one code for nothing."""
  def segment(marker, content):
    return bytes([0xFF, marker]) + struct.pack(">H", len(content) + 2) + content

  kinds = b"".join(bytes([number, 0x11, 0]) for number in range(1, components + 1))
  frame = segment(process, struct.pack(">BHHB", precision, height, width, components) + kinds)
  tables = segment(0xDB, bytes(1) + bytes([1] * 64)) + segment(0xC4, bytes([0, 1] + [0] * 15 + [0]))
  last = 0 if process == 0xC2 else 63
  shown = min(components, 4)
  places = b"".join(bytes([number, 0]) for number in range(1, shown + 1))
  scan = segment(0xDA, bytes([shown]) + places + bytes([0, last, 0])) + b"\x1f"
  return b"\xff\xd8" + frame + tables + scan * scans + b"\xff\xd9"


def webp(width, height):
  """Without loss, and without content."""
  bits = (width - 1) | (height - 1) << 14
  content = b"\x2f" + struct.pack("<I", bits) + bytes(9)
  return b"RIFF" + struct.pack("<I", len(content) + 12) + b"WEBPVP8L" + struct.pack("<I", len(content)) + content


def cut(content):
  """A WebP image without its end, as if there had been none."""
  content = content[:-20]
  return content[:4] + struct.pack("<I", len(content) - 8) + content[8:16] + struct.pack("<I", len(content) - 20) + content[20:]


PIXELS, MEMORY = "more than 67,108,864 pixels", "takes more than 256 MiB"
LIMITS = {
  "a high PNG": (lambda: png(1, 70_000_000), PIXELS),
  "a wide PNG": (lambda: png(70_000_000, 1), PIXELS),
  "a large PNG": (lambda: png(8192, 8193), PIXELS),
  "the largest PNG": (lambda: png(8192, 8192), "the PNG image is damaged"),
  "a PNG with long rows": (lambda: png(12_000_000, 1), MEMORY),
  "a large JPEG": (lambda: jpeg(10_000, 10_000), PIXELS),
  "a wide JPEG": (lambda: jpeg(65_535, 1), "not supported: Maximum supported image dimension is 65500 pixels"),
  "a JPEG of 12 bits": (lambda: jpeg(8, 8, precision=12), "not supported: Unsupported JPEG data precision 12"),
  "a lossless JPEG": (lambda: jpeg(8, 8, process=0xC3), "not supported: Unsupported JPEG process"),
  "a JPEG of eleven colors": (lambda: jpeg(8, 8, components=11), "not supported: Too many color components"),
  "a large progressive JPEG": (lambda: jpeg(8000, 8000, process=0xC2), MEMORY),
  "a JPEG of many scans": (lambda: jpeg(8, 8, process=0xC2, scans=200), "more than 100 scans"),
  "a large WebP": (lambda: webp(16_383, 16_383), PIXELS),
  "a WebP of 25 megapixels": (lambda: webp(5000, 5000), MEMORY),
  "a cut lossless WebP": (lambda: cut(fixture("lossless.webp")), "the WebP image is damaged: its data makes no sense, or is cut short"),
  "a cut lossy WebP": (lambda: cut(fixture("lossy.webp")), "the WebP image is damaged: it is cut short"),
  "a WebP without content": (lambda: webp(4000, 4000), "the WebP image is damaged: its data makes no sense, or is cut short"),
  "a long SVG": (lambda: SVG % (b" " * (4 << 20)), "more than 4 MiB"),
}


@pytest.mark.parametrize("name", LIMITS)
def test_each_limit_is_refused_by_its_name(store, name):
  make, message = LIMITS[name]
  with pytest.raises(livery.ParseError) as refused:
    images.put(store, make())
  assert message in refused.value.message
  # It is known from then on.
  image = images.put(store, make(), any=True)
  assert images.judge(store, image) == {"judged": 0, "known": 1, "refused": []}


def luminance(rgb):
  def linear(value):
    share = value / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
  return sum(weight * linear(value) for weight, value in zip((0.2126, 0.7152, 0.0722), rgb))


def contrast(one, other):
  low, high = sorted((luminance(one), luminance(other)))
  return (high + 0.05) / (low + 0.05)


def near(text, required=4.5, reach=0.1):
  """Colors that have about the contrast with a text, some below it and some above."""
  grays = [(value,) * 3 for value in range(256)]
  tinted = [(value, other, 90) for value in range(0, 256, 5) for other in range(0, 256, 3)]
  return [rgb for rgb in grays + tinted if 0.003 < abs(contrast(rgb, text) - required) < reach]


@pytest.mark.parametrize("text", [(255, 255, 255), (0, 0, 0), (238, 238, 119)])
def test_a_flat_color_is_on_the_right_side_of_the_contrast(store, text):
  below = above = 0
  for rgb in near(text):
    image = images.put(store, png(12, 11, (b"\0" + bytes(rgb) * 12) * 11))
    wanted = 1 if contrast(rgb, text) < 4.5 else 0
    shown = Color(*(value / 255 for value in text), 1)
    assert images.illegible_share(store, image, shown) == wanted, rgb
    for area in (images.Area(0, 0, 1, 1), images.Area(0.2, 0.31, 0.15, 0.4)):
      assert images.illegible_share(store, image, shown, areas=[area]) == wanted, rgb
    below, above = below + wanted, above + 1 - wanted
  assert below > 3 and above > 3


def test_two_flat_colors_side_by_side_are_each_on_their_side(store):
  # 4.48 and 4.54 with white.
  row = bytes([0x77] * 3) * 10 + bytes([0x76] * 3) * 10
  image = images.put(store, png(20, 20, (b"\0" + row) * 20))
  white = Color(1, 1, 1, 1)
  assert images.illegible_share(store, image, white, areas=[images.Area(0, 0, 0.5, 1)]) == 1
  assert images.illegible_share(store, image, white, areas=[images.Area(0.5, 0, 0.5, 1)]) == 0
  assert images.illegible_share(store, image, white) == pytest.approx(0.5, abs=0.004)

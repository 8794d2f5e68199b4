"""The extension `images` from Python: 200 images are judged as an independent program judges them, pixel by pixel."""

import os
import pathlib
import sys

import pytest

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

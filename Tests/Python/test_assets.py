"""Images are kept under their digest, alone and together with the settings that show them."""

import hashlib
from datetime import timedelta

import livery
import pytest
from conftest import FIXTURES
from livery import Color, Image


def content(name):
  return (FIXTURES / "images" / name).read_bytes()


def facts():
  lines = (FIXTURES / "images" / "facts.txt").read_text().splitlines()
  return [line.split() for line in lines if not line.startswith("#")]


@pytest.mark.parametrize("name, kind, width, height, orientation", facts())
def test_the_header_tells_what_an_image_is(store, name, kind, width, height, orientation):
  image = store.assets.put(content(name))
  info = store.assets.info(image)
  assert image == info["id"] == hashlib.sha256(content(name)).hexdigest()
  assert (info["type"], info.get("width", 0), info.get("height", 0)) == (kind, int(width), int(height))
  assert info.get("orientation", 1) == int(orientation) and info["bytes"] == len(content(name))
  described = livery.describe_image(content(name))
  assert {**described, "time": info["time"]} == info


def test_bytes_come_back(store):
  image = store.assets.put(bytearray(content("rgb.png")))
  assert isinstance(image, Image)
  assert store.assets.get(image) == store.assets.get(image.upper()) == content("rgb.png")
  assert store.assets.put(memoryview(content("rgb.png"))) == image and len(store.assets.list()) == 1
  assert image in store.assets and "0" * 64 not in store.assets and "logo" not in store.assets and 1 not in store.assets
  assert store.revision == 0


def test_what_is_no_image_is_refused(store):
  for broken in (b"<html/>", content("rgb.png")[:20], b"\xff\xd8\xff"):
    with pytest.raises(livery.ParseError):
      store.assets.put(broken)
    with pytest.raises(livery.ParseError):
      livery.describe_image(broken)
  with pytest.raises(livery.InvalidValueError):
    store.assets.put(b"", any=True)
  with pytest.raises(TypeError):
    store.assets.put("text")
  with pytest.raises(livery.NotFoundError):
    store.assets.get("0" * 64)
  with pytest.raises(livery.InvalidArgumentError):
    store.assets.info("logo.png")
  assert store.assets.list() == []
  assert store.assets.info(store.assets.put(b"\0ttf", any=True))["type"] == "application/octet-stream"


def test_a_brand_is_one_commit(store):
  with store.change("bundle") as change:
    change["branding.image.logo"] = change.put(content("lossy.webp"))
    change["branding.color.Toolbar"] = Color(1.0, 0.0, 0.0)
  assert store.revision == 1
  assert store.assets.get(store["branding.image.logo"]) == content("lossy.webp")
  assert store.assets.list()[0]["uses"] == ["branding.image.logo"]
  change = store.change()
  image = change.put(content("rgb.png"))
  change.discard()
  assert image not in store.assets


def test_a_snapshot_keeps_what_is_removed(store):
  image = store.assets.put(content("rgb.png"))
  with store.snapshot() as snapshot:
    store.assets.remove(image)
    assert image not in store.assets and snapshot.asset(image) == content("rgb.png")


def test_removing_what_is_in_use_needs_force(store):
  image = store.assets.put(content("rgb.png"))
  store.set("logo", image)
  with pytest.raises(livery.ConflictError) as caught:
    store.assets.remove(image)
  assert caught.value.setting == "logo"
  store.assets.remove(image, force=True)
  assert store["logo"] == image and image not in store.assets


def test_collecting(store):
  used, former, loose = (store.assets.put(content(name)) for name in ("rgb.png", "gray.png", "palette.png"))
  store.set("logo", former)
  store.set("logo", used)
  assert store.assets.collect(min_age=timedelta(hours=1)) == {"removed": [], "bytes": 0, "kept": 3}
  foreseen = {"removed": [loose], "bytes": len(content("palette.png")), "kept": 2}
  assert store.assets.collect(dry_run=True) == store.assets.collect() == foreseen
  assert store.assets.collect(ignore_log=True)["removed"] == [former]
  assert used in store.assets
  for wrong in (-1, float("nan")):
    with pytest.raises(livery.InvalidArgumentError):
      store.assets.collect(min_age=wrong)

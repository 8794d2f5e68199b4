"""What is shown until an image has come: the one before, or a placeholder."""

import os
import signal
import subprocess
import sys
import zlib

import livery
import livery.fetch
import pytest
from conftest import IMAGES, PNG, ROOT
from livery.testing import Answer, ScriptedTransport

GIF = (IMAGES / "still.gif").read_bytes()
WEBP = (IMAGES / "alpha.webp").read_bytes()
OLD, NEW = "https://example.com/old", "https://example.com/new"
ANSWERS = {OLD: Answer(body=PNG, headers={"ETag": '"old"'}), NEW: Answer(body=GIF, headers={"ETag": '"new"'})}


@pytest.fixture
def transport(store):
  made = ScriptedTransport(ANSWERS)
  livery.fetch.set_transport(store, made)
  return made


def console(store, url):
  store.branding.apply_console({"images": {"logo": url}})


def plist(store, url):
  list_ = f"""<plist><dict><key>CharacterVariantsConfiguration</key><dict><key>URL</key><dict><key>logoImage</key><string>{url}</string>
    </dict></dict></dict></plist>"""
  store.branding.apply_plist(list_.encode())


def set_variants(store, url):
  store.branding.set_image("logo", [{"image": url}], layer="user")


def set_url(store, url):
  store.set("branding.image.logo", livery.URL(url), layer="bundle")


def undo(store, url):
  """As undoing a commit brings an image back that nobody holds any more."""
  if url == OLD:
    return set_variants(store, url)
  set_variants(store, NEW)
  livery.fetch.brand(store).result(30)
  revision = store.revision
  set_variants(store, OLD)
  livery.fetch.brand(store).result(30)
  asset = next(asset["id"] for asset in store.assets.list() if asset["type"] == "image/gif")
  store.assets.remove(asset, force=True)
  store.undo(store.revision, force=True)
  store.undo(revision + 1, force=True)


WAYS = [console, plist, set_variants, set_url, undo]


def shown(store, **traits):
  image = store.branding.image("logo", livery.Traits(**traits))
  return image["state"], store.assets.get(image["image"]), image["source"], image["etag"]


@pytest.mark.parametrize("change", WAYS)
def test_the_former_image_is_shown_until_the_new_one_is_there(store, transport, change):
  change(store, OLD)
  livery.fetch.brand(store).result(30)
  fetched = store.branding.image("logo")["fetched"]
  change(store, NEW)
  assert shown(store) == ("loading", PNG, OLD, '"old"')
  if change is not undo:
    assert store.branding.image("logo")["fetched"] == fetched
  assert "former" not in store.branding.image("logo")
  transport.offline = True
  report = livery.fetch.brand(store, attempts=1, placeholder=store.assets.put(WEBP), revalidate=True).result(30)
  assert report["failed"] == 1 and report["images"][0]["state"] == "failed"
  assert shown(store) == ("failed", PNG, OLD, '"old"')
  # Said again it is the same.
  change(store, NEW) if change is not undo else None
  assert shown(store)[1:] == (PNG, OLD, '"old"')
  transport.offline = False
  livery.fetch.brand(store).result(30)
  assert shown(store) == ("ready", GIF, NEW, '"new"')
  value = store.get("branding.image.logo")
  assert "former" not in (value[0] if isinstance(value, list) else value)


def test_no_reader_sees_a_moment_without_an_image(store, transport):
  console(store, OLD)
  livery.fetch.brand(store).result(30)
  with store.watch("branding.image.logo") as events:
    for number in range(20):
      console(store, f"https://example.com/{number}")
      event = next(events)
      assert event.new[0]["former"]["source"] == OLD
  assert shown(store)[:2] == ("loading", PNG)
  with store.snapshot() as snapshot:
    assert snapshot.get("branding.image.logo")[0]["image"] == "https://example.com/19"


def test_each_device_keeps_what_it_was_shown(store, transport):
  transport.set("https://example.com/tablet", Answer(body=WEBP, headers={"ETag": '"t"'}))
  store.branding.set_image("logo", [{"image": OLD}, {"image": "https://example.com/tablet", "idiom": "tablet"}], layer="bundle")
  livery.fetch.brand(store).result(30)
  store.branding.set_image("logo", [{"image": NEW, "idiom": "tablet", "scale": 2}, {"image": NEW, "idiom": "phone"}], layer="bundle")
  assert shown(store, idiom="tablet") == ("loading", WEBP, "https://example.com/tablet", '"t"')
  assert shown(store, idiom="phone") == ("loading", PNG, OLD, '"old"')


def test_a_source_that_is_not_in_effect_keeps_none(store, transport):
  set_variants(store, OLD)
  livery.fetch.brand(store).result(30)
  console(store, NEW)
  assert "former" not in str(store.branding.explain("logo"))
  store.reset("branding.image.logo", layer="user")
  assert store.branding.image("logo")["state"] == "loading" and store.branding.image("logo")["image"] == NEW


def test_a_brand_that_is_set_aside_keeps_none(store, transport):
  def mentions(name):
    return "former" in str(store.get(name))

  console(store, OLD)
  livery.fetch.brand(store).result(30)
  console(store, NEW)
  assert mentions("branding.image.logo")
  store.branding.set_enabled("recommended", False)
  assert not mentions("brands.console.kept")
  store.branding.set_enabled("recommended", True)
  assert store.branding.image("logo")["image"] == NEW


def test_another_brand_begins_without_the_images_of_the_one_before(store, transport):
  plist(store, OLD)
  livery.fetch.brand(store).result(30)
  other = f"""<plist><dict><key>CharacterVariantsConfiguration</key><dict><key>URL</key><dict><key>logoImage</key><string>{NEW}</string>
    </dict></dict></dict></plist>"""
  store.branding.apply_plist(other.encode(), brand="other")
  image = store.branding.image("logo")
  assert (image["state"], image["image"]) == ("loading", NEW)
  # Its own are there at once.
  livery.fetch.brand(store).result(30)
  store.branding.use("default")
  assert shown(store) == ("ready", PNG, OLD, '"old"')
  store.branding.use("other")
  assert shown(store) == ("ready", GIF, NEW, '"new"')


def test_it_is_kept_while_it_is_shown_and_goes_afterwards(store, transport):
  former = store.assets.put(WEBP)
  store.branding.set_image("logo", [{"image": livery.Image(former)}], layer="bundle")
  set_url(store, NEW)
  with pytest.raises(livery.ConflictError):
    store.assets.remove(former)
  image = store.branding.image("logo")
  assert (image["image"], image["state"], "source" in image) == (former, "loading", False)
  livery.fetch.brand(store).result(30)
  store.assets.remove(former)
  set_variants(store, "https://example.com/none")
  assert store.assets.get(store.branding.image("logo")["image"]) == GIF


def test_it_survives_a_kill(tmp_path):
  path = tmp_path / "store"
  program = f"""
import os, signal, sys
sys.path[:0] = {[str(ROOT / "bindings" / "python")]!r}
import livery, livery.fetch
from livery.testing import Answer, ScriptedTransport
store = livery.open({str(path)!r}, create=True)
livery.fetch.set_transport(store, ScriptedTransport({{{OLD!r}: Answer(body=open({str(IMAGES / "rgba.png")!r}, "rb").read())}}))
store.branding.apply_console({{"images": {{"logo": {OLD!r}}}}})
livery.fetch.brand(store).result(30)
store.branding.apply_console({{"images": {{"logo": {NEW!r}}}}})
os.kill(os.getpid(), signal.SIGKILL)
"""
  assert subprocess.run([sys.executable, "-c", program], env=dict(os.environ)).returncode == -signal.SIGKILL
  with livery.open(path) as store:
    image = store.branding.image("logo")
    assert (image["state"], image["source"]) == ("loading", OLD)
    assert store.assets.get(image["image"]) == PNG


def test_a_schema_that_wants_a_url_gets_one(store, transport):
  store.apply_schema({"Version": 1, "Groups": [{"Settings": [{"Type": "URL", "Key": "branding.image.logo"}]}]})
  former = store.assets.put(PNG)
  set_url(store, OLD)
  assert store.get("branding.image.logo") == OLD and former
  set_url(store, NEW)
  assert store.get("branding.image.logo") == NEW


# Placeholders


def pixel(image):
  """The one pixel of a PNG: its bytes, as anybody reads them."""
  data = bytes(image["data"])
  assert data[:8] == b"\x89PNG\r\n\x1a\n" and image["type"] == "image/png"
  assert (image["pixelWidth"], image["pixelHeight"]) == (1, 1)
  chunks, offset = {}, 8
  while offset < len(data):
    length = int.from_bytes(data[offset:offset + 4], "big")
    kind, body = data[offset + 4:offset + 8], data[offset + 8:offset + 8 + length]
    assert zlib.crc32(kind + body) == int.from_bytes(data[offset + 8 + length:offset + 12 + length], "big")
    chunks[kind] = body
    offset += 12 + length
  assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
  row = zlib.decompress(chunks[b"IDAT"])
  assert row[0] == 0
  return tuple(row[1:])


def test_without_anything_else_there_is_the_color_of_the_brand(store, transport):
  console(store, OLD)
  image = store.branding.image("logo")
  assert (image["state"], image["image"]) == ("loading", OLD)
  assert pixel(image) == (0x2A, 0x4D, 0x69, 255)
  store.set("branding.color.PrimaryHighlight", livery.Color.parse("#0064a080"), layer="bundle")
  assert pixel(store.branding.image("logo")) == (0, 0x64, 0xA0, 0x80)
  assert store.branding.image("logo")["data"] == store.branding.image("logo")["data"]
  store.assets.put(bytes(store.branding.image("logo")["data"]))
  transport.offline = True
  livery.fetch.brand(store, attempts=1).result(30)
  failed = store.branding.image("logo")
  assert failed["state"] == "failed" and pixel(failed) == (0, 0x64, 0xA0, 0x80)


@pytest.mark.parametrize("blank", [[{"image": ""}], {"image": "", "note": "x"}, ""])
def test_a_blank_url_is_a_placeholder(store, blank):
  store.branding.set_image("logo", blank, layer="bundle")
  image = store.branding.image("logo")
  assert image["state"] == "placeholder" and pixel(image)
  placeholder = store.assets.put(WEBP)
  store.branding.set_image("placeholder", livery.Image(placeholder), layer="bundle")
  image = store.branding.image("logo")
  assert (image["state"], image["image"]) == ("placeholder", placeholder) and "data" not in image and "source" not in image


def test_the_placeholder_of_a_brand_stands_in_for_what_is_not_there(store, transport):
  phone, tablet = store.assets.put(WEBP), store.assets.put(GIF)
  with pytest.raises(livery.NoValueError):
    store.branding.image("logo")
  store.branding.set_image(
    "placeholder", [{"image": livery.Image(phone), "idiom": "phone"}, {"image": livery.Image(tablet), "idiom": "tablet"}],
    layer="bundle")
  # There is none at all, it is on its way, it failed, its asset is gone, or no variant fits.
  image = store.branding.image("logo", livery.Traits("tablet"))
  assert (image["state"], image["image"], image["type"]) == ("placeholder", tablet, "image/gif")
  console(store, NEW)
  image = store.branding.image("logo", livery.Traits("phone"))
  assert (image["state"], image["image"], image["source"]) == ("loading", phone, NEW) and image["pixelWidth"] > 0
  assert store.branding.explain("logo", livery.Traits("phone"))["image"] == image
  transport.offline = True
  livery.fetch.brand(store, attempts=1).result(30)
  image = store.branding.image("logo", livery.Traits("phone"))
  assert (image["state"], image["image"]) == ("failed", phone)
  store.branding.set_image("logo", {"image": livery.Image("0" * 64)}, layer="user")
  image = store.branding.image("logo", livery.Traits("phone"))
  assert (image["state"], image["image"]) == ("failed", phone)
  store.branding.set_image("logo", {"image": "own-name", "idiom": "tv"}, layer="user")
  assert store.branding.image("logo", livery.Traits("phone"))["state"] == "placeholder"
  with pytest.raises(livery.NoValueError):
    store.branding.image("placeholder", livery.Traits("tv"))
  # What is switched off is not there, and a name is the app's.
  assert "state" not in store.branding.image("logo", livery.Traits("tv"))
  store.set("branding.option.UseSecondaryImage", False, layer="bundle")
  with pytest.raises(livery.NoValueError):
    store.branding.image("logo", livery.Traits("phone"))

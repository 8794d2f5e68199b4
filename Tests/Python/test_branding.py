"""Branding: colors, sources, brands and images, from Python."""

import livery
import pytest
from conftest import FIXTURES
from livery import Color, Traits

SKIN = (FIXTURES / "branding" / "skin.plist").read_bytes()
WIRE = (FIXTURES / "variants" / "Wire-Info.plist").read_bytes()
SIMPSONS = (FIXTURES / "variants" / "Simpsons-Info.plist").read_bytes()


def test_colors_are_read_written_and_measured():
  navy = Color.parse(" rgb(0 0 128) ")
  assert navy == Color.from_hex("#000080")
  assert [navy.format(style) for style in ("hex", "hexalpha", "rgb", "hsl", "name")] == [
    "#000080",
    "#000080FF",
    "rgb(0, 0, 128)",
    "hsl(240, 100%, 25.1%)",
    "navy",
  ]
  white = Color.parse("white")
  assert abs(Color.parse("#777").contrast(white) - 4.48) < 0.01
  assert Color.parse("yellow").legible_text() == Color.parse("black")
  assert Color.parse("#777").nearest_passing(white).format() == "#767676"
  for bad in ("reddish", "", "#12345", "\ud800"):
    with pytest.raises(livery.ParseError):
      Color.parse(bad)
  with pytest.raises(livery.InvalidArgumentError):
    navy.format("lab")
  with pytest.raises(livery.NoValueError):
    Color.parse("#777").nearest_passing(Color.parse("#888"), 7)


def test_console_is_over_bundle_and_the_switches_act_at_once(store):
  branding = store.branding
  report = branding.apply_plist(SKIN)
  assert report["dialect"] == "skin" and report["applied"] and report["problems"] == []
  assert branding.color("Toolbar").format() == "#0D2640"
  branding.apply_console({"colors": {"Toolbar": "#123456"}, "images": {"logo": {"phone": "https://a.example/p.png"}}})
  assert branding.color("Toolbar").format() == "#123456"
  assert store.get_color("branding.color.Toolbar") == branding.color("Toolbar")
  branding.set_enabled("recommended", False)
  assert not branding.enabled("recommended")
  assert branding.color("Toolbar").format() == "#0D2640"
  branding.set_enabled("bundle", False)
  with pytest.raises(livery.NoValueError):
    branding.color("Toolbar")
  branding.set_enabled("recommended", True)
  branding.set_enabled("bundle", True)
  branding.wipe()
  assert branding.color("Toolbar").format() == "#0D2640"
  branding.set_color("Toolbar", "hsl(0 100% 50%)")
  assert store["branding.color.Toolbar"] == Color(1.0, 0.0, 0.0)


def test_brands_are_switched_as_one_commit(store):
  branding = store.branding
  branding.apply_plist(WIRE)
  branding.apply_plist(SIMPSONS, keep=True)
  assert [(one["id"], one["active"]) for one in branding.brands()] == [
    ("com.sample.simpsonsviewer", False),
    ("com.sample.wireviewer", True),
  ]
  before = store.revision
  branding.use("com.sample.simpsonsviewer")
  assert store.revision == before + 1
  assert store["branding.name"] == "Simpsons Character Viewer"
  assert branding.get("com.sample.wireviewer")["colors"]["font"].format() == "#F0F0F0"
  assert branding.get()["options"] == {"AnimateLoadingImage": True}
  with pytest.raises(livery.NotFoundError, match="did you mean `com.sample.wireviewer`"):
    branding.use("com.sample.wireviewers")
  branding.remove("com.sample.wireviewer")
  assert len(branding.brands()) == 1


def test_images_are_matched_to_the_device(store, tmp_path):
  png = (FIXTURES / "images" / "rgba.png").read_bytes()
  for name in ("background-ipad.png", "background-ipad@2x.png", "background-iphone-568h@2x.png"):
    (tmp_path / name).write_bytes(png)
  report = store.branding.apply_plist(SKIN, bundle=tmp_path)
  assert report["images"] == 3 and len(report["ignored"]) == 6
  image = store.branding.image("background", Traits(idiom="tablet", scale=2))
  assert image["scale"] == 2 and image["type"] == "image/png" and image["pixelWidth"] > 0
  phone = Traits("phone", 2, 320, 568, locale="de")
  assert store.branding.image("background", phone)["longest"] == 568
  explained = store.branding.explain("background", Traits("tv"))
  assert "index" not in explained and explained["steps"][0]["stage"] == "contradiction"
  with pytest.raises(livery.NoValueError):
    store.branding.image("background", Traits("tv"))
  with pytest.raises(livery.InvalidArgumentError):
    store.branding.image("background", Traits("fridge"))
  store.branding.set_image("logo", [{"image": livery.URL("https://a.example/l.png")}], "bundle")
  assert store.branding.image("logo")["image"] == "https://a.example/l.png"
  assert livery.match([{"image": "a", "scale": 1}, {"image": "b", "scale": 2}], Traits(scale=2))["index"] == 1
  assert livery.aspect_fit(100, 50, 200, 200) == livery.Rect(0, 50, 200, 100)


def test_what_is_malformed_is_refused_with_a_report(store):
  plist = b"""<plist version="1.0"><dict><key>Toolbar</key><dict><key>red</key><real>0.5</real></dict>
    <key>PrimaryiPad</key><string>../x.png</string></dict></plist>"""
  with pytest.raises(livery.InvalidValueError) as caught:
    store.branding.apply_plist(plist)
  problems = caught.value.report["problems"]
  assert [(one["path"], one["code"]) for one in problems] == [
    ("/Toolbar", "missing-component"),
    ("/Toolbar", "missing-component"),
    ("/PrimaryiPad", "outside-bundle"),
  ]
  with pytest.raises(livery.ParseError):
    store.branding.apply_plist(b"no plist")
  with pytest.raises(livery.InvalidValueError):
    store.branding.apply_console({"colors": {"Toolbar": 5}})
  assert store.revision == 0


def test_a_check_finds_the_whitish_background(store):
  store.branding.apply_console({"colors": {"PrimaryHighlight": "whitesmoke", "PrimaryText": "#999"}})
  report = store.branding.check()
  findings = {one["code"]: one for one in report["findings"]}
  assert not report["passes"]
  assert findings["whitish-background"]["nearest"].contrast(Color.parse("white")) >= 4.5
  assert findings["low-contrast"]["ratio"] < 3
  assert store.branding.check(traits=Traits("phone"))["errors"] == 2

"""Branding: colors, sources, brands and images, from Python."""

import livery
import pytest
from conftest import FIXTURES
from livery import Color, ColorRole, Traits

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


def test_a_blank_url_is_a_placeholder(store):
  for payload in ({"CompanyLogo": ""}, {"images": {"logo": ""}}, {"logo": {"phone": ""}}):
    report = store.branding.apply_console({"colors": {"Toolbar": "#123456"}, **payload})
    assert report["applied"] and report["problems"] == []
    assert store.branding.image("logo", traits=Traits("phone"))["image"] == ""
    assert store.branding.color("Toolbar").format() == "#123456"


def test_a_check_finds_the_whitish_background(store):
  store.branding.apply_console({"colors": {"PrimaryHighlight": "whitesmoke", "PrimaryText": "#999"}})
  report = store.branding.check()
  findings = {one["code"]: one for one in report["findings"]}
  assert not report["passes"]
  assert findings["whitish-background"]["nearest"].contrast(Color.parse("white")) >= 4.5
  assert findings["low-contrast"]["ratio"] < 3
  assert store.branding.check(traits=Traits("phone"))["errors"] == 2


def test_the_roles_are_names_and_a_slip_is_told(store):
  store.branding.apply_plist(SKIN)
  assert store.branding.color(ColorRole.PRIMARY_HIGHLIGHT) == store.branding.color("PrimaryHighlight")
  assert [str(role) for role in ColorRole] == [
    "Toolbar",
    "ToolbarText",
    "PrimaryHighlight",
    "PrimaryText",
    "SecondaryHighlight",
    "SecondaryText",
  ]
  report = store.branding.apply_console({"colors": {"PrimaryColor": "#123456"}, "CompanyLogo": "https://a.example/l.png"})
  assert [one["code"] for one in report["problems"]] == ["misspelled-role"]
  assert "PrimaryHighlight" in report["problems"][0]["message"]
  assert store.branding.image("logo")["image"] == "https://a.example/l.png"
  assert "misspelled-role" in [one["code"] for one in store.branding.check()["findings"]]


def test_options_are_truth_values(store):
  store.set("branding.option.UsePrimaryImage", "NO", layer="bundle")
  assert store["branding.option.UsePrimaryImage"] is False
  with pytest.raises(livery.TypeMismatchError, match="true and false"):
    store.set("branding.option.UsePrimaryImage", "maybe", layer="bundle")


def test_what_waits_is_explained(store):
  store.branding.apply_console({"colors": {"Toolbar": "#222222"}})
  store.branding.set_enabled("recommended", False)
  with pytest.raises(livery.NotFoundError, match="the console's branding is switched off"):
    store.get_color("branding.color.Toolbar")
  explained = store.inspect("branding.color.Toolbar")
  assert "effective" not in explained and explained["waits"][0]["source"] == "console"
  assert explained["waits"][0]["value"] == Color.parse("#222222")


def test_a_payload_may_count_as_a_whole_and_replace(store):
  store.branding.apply_plist(SKIN)
  store.branding.set_color("Toolbar", "white")
  store.branding.apply_console({"colors": {"Toolbar": "#333333"}}, whole=True, replace=True)
  assert store.branding.color("Toolbar").format() == "#333333"
  with pytest.raises(livery.NoValueError, match="counts as a whole"):
    store.branding.color("PrimaryText")
  store.branding.apply_console({"whole": True, "colors": {}}, whole=False)
  assert store.branding.color("PrimaryText").format() == "#FFFFFF"


def test_a_directory_is_looked_through_for_a_brand(store, tmp_path):
  with pytest.raises(livery.NotFoundError, match="skin.plist.*AWSDKDefaultSettings.plist.*Info.plist"):
    store.branding.apply_directory(tmp_path)
  (tmp_path / "Wire-Info.plist").write_bytes(WIRE)
  (tmp_path / "logoWire.png").write_bytes((FIXTURES / "images" / "rgb.png").read_bytes())
  report = store.branding.apply_directory(tmp_path)
  assert report["file"] == "Wire-Info.plist" and report["images"] == 1
  assert store.branding.image("logo")["type"] == "image/png"
  assert store.branding.check()["passes"]
  gradient = store.branding.gradient("listBackground")
  assert gradient == livery.Gradient(Color.parse("#0A0A0A"), Color.parse("#3C3C3C"))
  with pytest.raises(livery.NoValueError):
    store.branding.gradient("none")


def test_what_is_missing_and_what_is_alike_is_told(store):
  store.branding.apply_plist(SKIN.replace(b"SecondaryiPad2X", b"Renamed"))
  assert "skin.plist has no SecondaryiPad2X" in [one["message"] for one in store.branding.check()["findings"]]
  store.branding.apply_plist(WIRE, keep=True)
  report = store.branding.apply_plist(WIRE, brand="twin", keep=True)
  assert {one["code"] for one in report["problems"]} == {"same-name", "same-identifier", "same-url"}
  assert store.branding.brands()[0]["twins"][0]["brand"] == "twin"
  report = store.branding.apply_plist(SIMPSONS, brand="com.sample.wireviewer", keep=True)
  assert report["former"]["name"] == "The Wire Character Viewer"


def test_where_nobody_has_set_a_role_it_is_built_in(store):
  shown = store.branding.shown_color(ColorRole.PRIMARY_TEXT)
  assert shown.is_built_in and shown.color == Color.parse("white")
  store.branding.set_color("PrimaryHighlight", "white")
  assert store.branding.shown_color("PrimaryText") == livery.ShownColor(Color.parse("black"), True)
  assert not store.branding.shown_color("PrimaryHighlight").is_built_in
  assert list(store.branding.get()["colors"]) == ["PrimaryHighlight"]
  with pytest.raises(livery.NoValueError):
    store.branding.color("PrimaryText")


def test_a_brand_is_looked_at_before_it_is_committed(store):
  with store.change() as change:
    change["branding.color.Toolbar"] = "#FFFFFF"
    change["branding.color.ToolbarText"] = "#FFFF00"
    brand, report = store.branding.preview(change)
    assert brand["colors"]["Toolbar"] == Color.parse("white")
    assert "low-contrast" in [finding["code"] for finding in report["findings"]]
    change.discard()
  with pytest.raises(livery.LiveryError):
    store.branding.color("Toolbar")

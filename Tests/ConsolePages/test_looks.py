"""That everybody can use every page: axe, widths, the keyboard, light and dark."""

import shutil
import subprocess

import pytest
from conftest import Person
from test_access import PAGES

axe = pytest.importorskip("axe_playwright_python.sync_playwright")


@pytest.fixture(scope="module")
def served():
  from conftest import Fleet
  made = Fleet(130)
  alice = Person(made)
  alice.set(volume=("enforce", "61"), mediaUrl=("recommend", "https://media.example/" + "a" * 120 + ".mp4"), theme=("release",))
  alice.publish(steps="100")
  alice.set(volume=("replace", "62"))
  alice.publish(steps="50, 100", comment="Louder", bound="60")
  for number in range(4):
    made.report(number, "refused" if number == 2 else "applied")
  alice.set(volume=("",), subtitles=("enforce", "1"))
  alice.post("/groups", {"name": "a-group-with-a-name-of-32-letter"})
  alice.post("/enrollment", {"label": "Shop 4", "hours": "24", "group": "shops"})
  yield made
  made.close()


SHOWN = [path for path in PAGES if path not in ("/", "/events")] + ["/devices/THIRD", "/publications/2", "/groups/lobby/remove", "/nowhere"]


@pytest.mark.parametrize("name", ["alice", "vera"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(served, visit, scheme, name):
  page = visit(served, name=name, color_scheme=scheme)
  found = []
  for path in SHOWN:
    page.goto(served.base + served.path(path))
    for violation in axe.Axe().run(page).response["violations"]:
      found.append((path, violation["id"], [node["html"][:120] for node in violation["nodes"]][:3]))
  assert not found, found


def test_axe_finds_nothing_before_anybody_is_signed_in(served, visit):
  page = visit(served, name=None)
  assert not axe.Axe().run(page).response["violations"]


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_nothing_is_wider_than_the_screen(served, visit, width):
  page = visit(served, viewport={"width": width, "height": 800})
  for path in SHOWN:
    page.goto(served.base + served.path(path))
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, (path, wide)


def test_targets_are_large_enough(served, visit):
  page = visit(served, viewport={"width": 1280, "height": 800})
  for path in SHOWN:
    page.goto(served.base + served.path(path))
    small = page.evaluate("""() => [...document.querySelectorAll('a, button, input:not([type=hidden]), select, summary')]
      .filter((one) => one.checkVisibility() && !one.matches('.skip, .first, .unseen'))
      .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
      .filter(([, box]) => box.width > 1 && (box.height < 23.5 || box.width < 23.5)).map(([html]) => html)""")
    assert not small, (path, small)


def test_the_keyboard_leads_to_the_content(served, visit):
  page = visit(served, "/devices")
  page.keyboard.press("Tab")
  assert page.evaluate("document.activeElement.className") == "skip"
  page.keyboard.press("Enter")
  assert page.evaluate("document.activeElement.id") == "main"


def test_devices_are_found_and_come_by_pages(served, visit):
  page = visit(served, "/devices")
  assert "130 devices" in page.inner_text("main") and page.locator("tbody tr").count() == 100
  page.click("text=Next")
  assert page.locator("tbody tr").count() == 30 and "101 to 130 of 130" in page.inner_text("main")
  page.fill("#find", "Display 12")
  page.press("#find", "Enter")
  page.wait_for_selector("text=11 devices")
  page.select_option("[name=state]", "failing")
  page.fill("main [name=q]", "")
  page.click("text=Show")
  page.wait_for_selector("text=1 device")
  assert "Display 2" in page.inner_text("tbody")


def test_what_is_typed_stays_while_others_change_something(served, visit):
  page = visit(served, "/channels/fleet/form")
  page.fill("[name='v:host'], [name='v:volume']", "33")
  Person(served).set("group.lobby", volume=("enforce", "5"))
  served.report(5)
  page.wait_for_timeout(1500)
  assert page.input_value("[name='v:volume']") == "33"
  page.goto("about:blank")


def test_a_code_is_shown_once(served, visit, tmp_path):
  page = visit(served, "/enrollment")
  page.fill("#label", "Shop 5")
  page.click("text=Make a code")
  page.wait_for_selector("img.code")
  assert page.locator("img.code").evaluate("image => image.naturalWidth > 0")
  code = page.inner_text("#notice code")
  assert code.startswith("livery:1?")
  if shutil.which("zbarimg"):
    (tmp_path / "code.png").write_bytes(page.locator("img.code").screenshot())
    read = subprocess.run(["zbarimg", "--quiet", "--raw", tmp_path / "code.png"], stdout=subprocess.PIPE, text=True)
    assert read.stdout.strip() == code
  page.goto(served.base + "/enrollment")
  assert "livery:1?" not in page.inner_text("main") and "Shop 5" in page.inner_text("main")


def test_groups_are_ordered(served, visit):
  page = visit(served, "/groups")
  names = page.locator("ol.items .title").all_inner_texts()
  page.locator("text=Move down").first.click()
  page.wait_for_selector("#notice.good")
  assert page.locator("ol.items .title").all_inner_texts() == [names[1], names[0], *names[2:]]


@pytest.mark.parametrize("script", [True, False])
def test_settings_are_found_by_what_they_are_called(served, visit, script):
  page = visit(served, "/channels/fleet/form/at/1", script=script)
  page.fill("#q", "volume")
  if not script:
    page.press("#q", "Enter")
  page.locator("ul.results a").first.wait_for()
  assert page.input_value("#q") == "volume"
  page.locator("ul.results a").first.click()
  page.wait_for_selector("[name='v:volume']")
  assert page.url.startswith(f"{served.base}/channels/fleet/form/at/")

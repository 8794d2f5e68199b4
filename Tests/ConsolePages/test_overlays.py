"""Publications for a time, for some, and on trial: typed in a form, and shown wherever they count. On a real console."""

import re

import pytest
from conftest import Person

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.parametrize("fleet", ["console"], indirect=True)


def text(page, selector="main"):
  return re.sub(r"\s+", " ", page.inner_text(selector))


def violations(page):
  return [(one["id"], [node["html"][:120] for node in one["nodes"]][:3]) for one in axe.Axe().run(page).response["violations"]]


def test_a_look_for_christmas(fleet, visit):
  served = fleet(2)
  alice = Person(served)
  alice.set(volume=("enforce", "30"))
  alice.publish()
  alice.set(volume=("enforce", "90"))
  page = visit(served, "/channels/fleet/difference")
  page.fill("#steps", "100")
  page.fill("#from", "2126-12-24T18:00")
  page.fill("#until", "2126-12-27T00:00")
  page.fill("#name", "christmas")
  page.click("text=Show when and for whom")
  page.wait_for_selector("#when")
  words = "from 2126-12-24 18:00 until 2126-12-27 00:00 where the device is"
  assert words in text(page, "#when") and "above what holds otherwise" in text(page, "#when")
  # What was typed is still there, and nothing was published by looking.
  assert page.input_value("#from").startswith("2126-12-24T18:00") and page.input_value("#name") == "christmas"
  assert served.device(0) == {"volume": {"verb": "enforce", "value": 30}}
  page.click(".save button.main")
  page.wait_for_selector("#progress")
  assert "Publication 2 christmas" in text(page) and words in text(page) and "Waiting for its time" in text(page)
  assert not violations(page)
  assert served.device(0) == {"volume": {"verb": "enforce", "value": 30}}
  page.goto(served.base + "/publications")
  assert words in text(page) and not violations(page)
  page.goto(served.base + "/channels")
  assert page.locator("td[data-of='Above it'] a").count() == 1 and not violations(page)
  page.goto(served.base + "/channels/fleet/form")
  assert "Above it, for a time or for some: publication 2." in text(page) and "All of it is published." in text(page)
  served.report(0, "scheduled")
  page.goto(served.base + served.page(0))
  assert f"publication 2 christmas: {words}" in text(page) and "Later Enforce: 90" in text(page) and not violations(page)
  page.goto(served.base + "/publications/2")
  page.click("text=Take back")
  page.wait_for_selector("text=Taken back: it does not hold any more.")
  page.goto(served.base + "/history")
  assert "took back publication 2" in text(page) and words in text(page)


def test_what_is_wrong_stands_at_its_field(fleet, visit):
  served = fleet(1)
  Person(served).set(volume=("enforce", "30"))
  page = visit(served, "/channels/fleet/difference")
  wrong = [
    ({"from": "2126-12-24T18:00", "until": "2126-12-24T17:00"}, "until", "before the beginning"),
    ({"until": "2020-01-01T00:00"}, "until", "over already"),
    ({"app": "A Till"}, "app", "An app's name"),
    ({"schema": "5..3"}, "schema", "3..5"),
    ({"trial": "soon"}, "trial", "90s"),
    ({"trial": "10m", "check": "Is it good?"}, "check", "A check's name"),
    ({"check": "screen"}, "trial", "how long"),
    ({"name": "Merry Christmas"}, "name", "name is"),
    ({"steps": "50, 20"}, "steps", "rising"),
    ({"pause": "soon"}, "pause", "minutes"),
  ]
  for typed, field, words in wrong:
    page.goto(served.base + "/channels/fleet/difference")
    for name, value in typed.items():
      page.fill(f"#{name}", value)
    page.click(".save button.main")
    page.wait_for_selector("#notice.bad")
    assert words in page.text_content(f"#{field}-error"), typed
    assert page.get_attribute(f"#{field}", "aria-invalid") == "true"
    assert f"{field}-error" in page.get_attribute(f"#{field}", "aria-describedby")
    assert page.locator("[aria-invalid]").count() == 1
    for name, value in typed.items():
      assert page.input_value(f"#{name}").startswith(value)
  assert not violations(page)
  # A browser has no date that there is not: without one it is refused as well.
  alice = Person(served)
  shown = alice.get("/channels/fleet/difference").text
  fields = {"revision": re.search(r'name="revision" value="(\d+)"', shown)[1], "steps": "100", "pause": "0", "bound": "2"}
  answer = alice.post("/channels/fleet/publish", {**fields, "from": "2126-02-30T10:00"})
  assert answer.status == 422 and "no such date" in answer.text
  answer = alice.post("/channels/fleet/publish", {**fields, "comment": "a\x1bb"})
  assert answer.status == 422 and 'id="comment-error"' in answer.text and "one line" in answer.text
  assert served.device(0) == {}


def test_a_trial_is_seen_as_one(fleet, visit):
  served = fleet(2)
  alice = Person(served)
  alice.set(volume=("enforce", "30"))
  number = alice.publish(trial="10m", check="screen", steps="100")
  served.report(0, "scheduled")
  page = visit(served, "/devices")
  assert "On trial" in text(page) and not violations(page)
  page.goto(served.base + served.page(0))
  assert "on trial for 10 minutes: it goes back unless screen says that it is good" in text(page)
  page.goto(served.base + f"/publications/{number}")
  assert "on trial for 10 minutes, checked by screen" in text(page) and "On trial 1" in text(page)
  served.report(0)
  page.goto(served.base + served.page(0))
  assert "Up to date" in text(page) and "in effect" in text(page)


def test_utc_an_app_and_versions_without_a_script(fleet, visit):
  served = fleet(1)
  Person(served).set(volume=("enforce", "30"))
  page = visit(served, "/channels/fleet/difference", script=False)
  page.fill("#steps", "100")
  page.fill("#until", "2126-12-27T00:00")
  page.select_option("#clock", "utc")
  page.fill("#app", "till")
  page.fill("#schema", "1..4")
  page.click(".save button.main")
  assert "until 2126-12-27 00:00 UTC; for the app till; for versions 1 to 4 of the schema" in text(page)
  assert "it holds above what holds otherwise" in text(page)

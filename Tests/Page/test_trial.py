"""What is on trial is said on every page, with what can be done about it."""

from datetime import timedelta

import pytest
from test_races import Tab


def begin(served, layer="user", length=timedelta(minutes=10), value=75):
  with served.store.change(layer, trial=length) as change:
    change["volume"] = value
  return change.revision


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("keeps", [True, False], ids=["keep", "back"])
def test_people_confirm_or_take_back(serve, visit, script, keeps):
  served = serve()
  served.store.set("volume", 10)
  page = visit(served.link(), script)
  assert page.locator("#trial").count() == 0
  begin(served)
  page.goto(served.base + "/at/0")
  assert page.locator("#trial [role=timer]").inner_text().startswith(("9:", "10:"))
  page.locator(f"#trial button[value={'confirm' if keeps else 'revert'}]").click()
  page.wait_for_selector("#trial", state="detached")
  assert served.store.get("volume") == (75 if keeps else 10)
  assert served.store.trial()["state"] == ("confirmed" if keeps else "reverted")
  assert served.store.trial()["endOrigin"] == "page"


def test_it_appears_counts_down_and_goes_by_itself(serve, visit):
  served = serve()
  served.store.set("volume", 10)
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.wait_for_timeout(300)
  begin(served, length=timedelta(seconds=4))
  page.wait_for_selector("#trial")
  assert page.locator("[name='v:volume']").input_value() == "75"
  page.wait_for_selector("#trial", state="detached", timeout=20_000)
  assert page.locator("[name='v:volume']").input_value() == "10"


def test_it_is_said_in_german(serve, visit):
  served = serve()
  begin(served)
  page = visit(served.link(), False, locale="de-DE")
  assert "Auf Probe" in page.locator("#trial").inner_text()
  assert page.locator("#trial button").all_inner_texts() == ["Behalten", "Jetzt zurücknehmen"]


def test_what_others_decide_on_has_no_buttons(serve, visit):
  served = serve()
  begin(served, "recommended")
  page = visit(served.link(), False)
  assert page.locator("#trial").count() == 1 and page.locator("#trial button").count() == 0


def test_what_went_back_meanwhile_is_said(serve, visit):
  served = serve()
  begin(served)
  page = visit(served.link(), False)
  page.goto(served.base + "/at/0")
  served.store.revert_trial()
  page.locator("#trial button[value=confirm]").click()
  assert "went back" in page.locator("#notice").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_axe_finds_nothing(serve, visit, width, scheme):
  from test_access import axe, violations

  source = axe()
  served = serve()
  served.store.set("branding.color.PrimaryHighlight", "#ffdd55")
  begin(served)
  page = visit(served.link(), True, viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)
  assert page.locator("#trial button").count() == 2
  assert violations(page, source) == []
  assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("keeps", [True, False], ids=["keep", "back"])
def test_what_is_being_typed_stays_when_somebody_decides(serve, visit, keeps):
  served = serve()
  served.store.set("volume", 10)
  begin(served)
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.fill("[name='v:notice']", "being typed")
  page.locator(f"#trial button[value={'confirm' if keeps else 'revert'}]").click()
  page.wait_for_selector("#trial", state="detached")
  assert page.input_value("[name='v:notice']") == "being typed"
  assert page.input_value("[name='v:volume']") == ("75" if keeps else "10")
  page.click(".save button.main")
  page.wait_for_selector("#notice.good")
  assert served.store.get("notice") == "being typed" and served.store.get("volume") == (75 if keeps else 10)


def test_a_trial_that_begins_while_somebody_types_is_said(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.fill("[name='v:notice']", "being typed")
  begin(served)
  page.wait_for_selector("#trial")
  assert page.input_value("[name='v:notice']") == "being typed"


@pytest.mark.parametrize("keeps", [True, False], ids=["keep", "back"])
def test_what_somebody_took_back_is_told_at_the_end(serve, keeps):
  served = serve()
  served.store.set("volume", 10)
  revision = begin(served)
  tab = Tab(served)
  fields = tab.load()
  operation = "confirm" if keeps else "revert"
  answer = tab.ask("POST", "/trial", {"csrf": fields["csrf"], "revision": str(revision), "op": operation})
  assert answer.status == 303
  tab.load()
  assert tab.ask("POST", "/done", {"csrf": fields["csrf"]}).status == 200
  assert served.line() == ("finished: done" if keeps else "finished: done, changed volume")


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_what_a_person_saves_stays_though_it_is_what_is_on_trial(serve, visit, script):
  served = serve()
  served.store.set("volume", 10)
  page = visit(served.link(), script)
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("75")
  begin(served)
  # What is said of it moves the button.
  if script:
    page.wait_for_selector("#trial")
  page.locator(".save button.main").click()
  page.wait_for_selector("#notice")
  assert served.store.trial()["settings"] == [] and page.locator("#trial").count() == 0
  # Nothing of it is left, so that another one may begin, and goes back to what was saved.
  served.store.revert_trial(begin(served, value=20))
  assert served.store.get("volume") == 75


def test_what_a_person_saves_is_set_though_another_layer_has_the_same(serve, visit):
  served = serve()
  page = visit(served.link(), False)
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("75")
  served.store.set("volume", 75, layer="session")
  page.locator(".save button.main").click()
  served.store.reset("volume", layer="session")
  assert served.store.get("volume") == 75

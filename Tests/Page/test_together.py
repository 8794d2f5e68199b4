"""Several people, processes and tabs at once; the end of sessions."""

import random
import re
import signal
import threading
import time
from datetime import datetime, timedelta, timezone

import livery
import pytest


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_nobody_is_overwritten_silently(serve, visit, script):
  served = serve()
  first, second = visit(served.link(), script), visit(served.link(), script)
  for page in (first, second):
    page.goto(served.base + "/at/0")
  first.locator("[name='v:volume']").fill("10")
  second.locator("[name='v:volume']").fill("20")
  second.locator("[name='v:code']").fill("ZZ-00")
  first.locator("button.main").click()
  first.wait_for_selector("#notice.good")
  second.locator("button.main").click()
  second.wait_for_selector("#notice.bad")
  assert served.store.get("volume") == 10 and served.store.get("code") == "AB-12"
  question = second.locator(".row[data-name=volume] .decide")
  assert "10" in question.inner_text() and "20" in question.inner_text()
  # Without a decision it is asked again.
  second.locator("button.main").click()
  second.wait_for_selector("#notice.bad")
  assert served.store.get("volume") == 10
  second.locator("input[name='c:volume'][value=mine]").check()
  second.locator("button.main").click()
  second.wait_for_selector("#notice.good")
  assert served.store.get("volume") == 20 and served.store.get("code") == "ZZ-00"


def test_their_value_may_stay(serve, visit):
  served = serve()
  page = visit(served.link(), False)
  page.goto(served.base + "/at/0")
  served.store.set("volume", 90)
  page.locator("[name='v:volume']").fill("20")
  page.locator("[name='v:zoom']").fill("3")
  page.locator("button.main").click()
  page.locator("input[name='c:volume'][value=theirs]").check()
  page.locator("button.main").click()
  page.wait_for_selector("#notice.good")
  assert served.store.get("volume") == 90 and served.store.get("zoom") == 3


def test_what_others_change_is_seen_at_once(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.wait_for_timeout(300)
  page.evaluate("""() => { window.seen = null; new MutationObserver(() => {
    const field = document.querySelector("[name='v:volume']");
    if (field && field.value === "85" && !window.seen) window.seen = Date.now(); }).observe(document.body, {childList: true, subtree: true}); }""")
  served.store.set("volume", 85)
  page.wait_for_function("() => document.querySelector(\"[name='v:volume']\").value === '85'")
  # What is being typed stays, and is told about.
  page.locator("[name='v:zoom']").fill("3.5")
  served.store.set("zoom", 2)
  page.wait_for_selector(".row[data-name=zoom] .meanwhile")
  assert page.locator("[name='v:zoom']").input_value() == "3.5"
  # The console locks it: it looks locked, and says who decides.
  served.store.set("volume", 5, "enforced")
  page.wait_for_function("() => document.querySelector(\"[name='v:volume']\").disabled")
  assert "Decided by the console" in page.locator(".row[data-name=volume]").text_content()


def test_reset_and_undo(serve, visit):
  served = serve()
  served.store.set("volume", 10)
  page = visit(served.link(), False)
  page.goto(served.base + "/at/0")
  page.locator("[name='v:zoom']").fill("3")
  page.locator("button[value='reset:volume']").click()
  assert served.store.get("volume") == 50
  assert page.locator("[name='v:zoom']").input_value() == "3"
  page.goto(served.base + "/history?name=volume")
  page.get_by_role("button", name="Undo").first.click()
  assert served.store.get("volume") == 10
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.locator(".row[data-name=volume]").get_by_role("link", name="History").click()
  page.wait_for_selector(".row[data-name=volume] .part button")
  page.locator(".row[data-name=volume] .part button").first.click()
  page.wait_for_function("() => document.querySelector(\"[name='v:volume']\").value === '50'")
  page.locator(".row[data-name=volume]").get_by_role("link", name="Why").click()
  page.wait_for_selector(".row[data-name=volume] .part table")


def test_the_end_is_told_once(serve, visit):
  served = serve("every.json", "--idle", "10")
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("15")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.good")
  page.get_by_role("button", name="Done").click()
  page.wait_for_selector("h1:has-text('Finished')")
  assert served.line() == "finished: done, changed volume"
  page = visit(served.link())
  page.context.close()
  assert served.line() == "finished: idle"
  page = visit(served.link())
  served.program.send_signal(signal.SIGTERM)
  assert served.line() == "finished: stopped"
  assert served.program.wait(20) == 0


def test_markup_in_everything(serve, visit):
  evil = "<script>window.bad=1</script>\"'><img src=x onerror=window.bad=1>"
  schema = {"Version": 1, "Title": evil, "Groups": [{"Title": evil, "Description": evil, "Settings": [
    {"Type": "TextField", "Title": evil, "Description": evil, "Placeholder": evil, "Key": "a<b>\"'&", "Value": evil, "Unit": evil},
    {"Type": "ComboBox", "Title": evil, "Key": "choice", "Value": evil, "Class": ["Single"],
     "Options": [{"Title": evil, "Value": evil}, {"Title": "x", "Value": "x"}]},
    {"Type": "Pane", "Title": evil, "Description": evil, "Settings": [{"Type": "TextField", "Title": evil, "Key": "deep", "Value": evil}]},
    {"Type": "List", "Title": evil, "Key": "list", "Value": [{"m": evil}],
     "ItemTemplate": [{"Type": "TextField", "Title": evil, "Key": "m", "Value": evil}]}]}]}
  served = serve(schema)
  name = "a<b>\"'&"
  with served.store.change(origin=evil[:60]) as change:
    change.set(name, evil + "2")
  page = visit(served.link())
  from urllib.parse import quote
  for address in ("/at/0", "/at/0.2", "/list?name=list", f"/why?name={quote(name)}", f"/history?name={quote(name)}",
                  f"/search?q={quote('<script>')}", f"/search?q={quote(evil)}", f"/at/{quote(evil)}", "/brand"):
    page.goto(served.base + address)
    assert page.evaluate("window.bad") is None, address
    assert page.locator("main img[src=x]").count() == 0
  page.goto(served.base + "/at/0")
  assert page.locator(".row input[type=text]").first.input_value() == evil + "2"
  page.locator(".row input[type=text]").first.fill(evil + "3")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.good")
  assert served.store.get(name) == evil + "3"
  served.store.set(name, evil + "4")
  page.wait_for_function("() => document.querySelector('.row input[type=text]').value.endsWith('4')")
  assert page.evaluate("window.bad") is None


def test_many_tabs_of_one_browser(serve, visit):
  """A browser has six connections to an address; all tabs hear what changes over one of them."""
  served = serve()
  first = visit(served.link())
  tabs = [first] + [first.context.new_page() for _ in range(11)]
  for tab in tabs:
    tab.goto(served.base + "/at/0")
  tabs[0].wait_for_timeout(300)
  served.store.set("volume", 65)
  for tab in tabs:
    tab.wait_for_function("() => document.querySelector(\"[name='v:volume']\").value === '65'")
  # Of these, one that is looked at again hears first; that it goes then keeps nobody from hearing.
  tabs[3].evaluate("() => dispatchEvent(new Event('focus'))")
  tabs[3].wait_for_timeout(100)
  tabs.pop(3).close()
  served.store.set("volume", 70)
  for tab in tabs:
    tab.wait_for_function("() => document.querySelector(\"[name='v:volume']\").value === '70'")


def test_what_was_typed_outlives_the_session(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("25")
  other = page.context.new_page()
  other.goto(served.base + "/at/0")
  other.get_by_role("button", name="Done").click()
  other.wait_for_selector("h1:has-text('Finished')")
  assert served.line() == "finished: done"
  page.locator("button.main").click()
  page.wait_for_function("() => document.querySelector('#unsaved').textContent.includes('session is over')")
  assert page.locator("[name='v:volume']").input_value() == "25" and served.store.get("volume") == 50
  other.goto(served.link())
  page.locator("button.main").click()
  page.wait_for_selector("#notice.good")
  assert served.store.get("volume") == 25


def test_what_came_back_refused_is_still_being_typed(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("999")
  page.locator("[name='v:zoom']").fill("3")
  page.locator("[name='v:notice']").fill("first\n\nlast")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  served.store.set("zoom", 2)
  page.wait_for_selector(".row[data-name=zoom] .meanwhile")
  assert page.locator("[name='v:zoom']").input_value() == "3"
  page.locator("#q").fill("volume")
  page.wait_for_timeout(300)
  assert page.locator("[name='v:zoom']").input_value() == "3"
  assert page.locator("#unsaved").inner_text() == "Not saved yet"


def test_a_double_click_saves_once(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.locator("[name='v:password']").fill("twice")
  before = served.store.revision
  page.locator("button.main").dblclick()
  page.wait_for_selector("#notice")
  page.wait_for_timeout(300)
  assert "bad" not in page.locator("#notice").get_attribute("class")
  assert served.store.revision == before + 1


def test_live_changes_keep_empty_lines(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.wait_for_timeout(300)
  served.store.set("notice", "\none\n\nthree\n")
  page.wait_for_function("() => document.querySelector(\"[name='v:notice']\").value === '\\none\\n\\nthree\\n'")
  page.locator("[name='v:volume']").fill("35")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.good")
  assert served.store.get("notice") == "\none\n\nthree\n"


def test_what_depends_on_a_change_is_not_said_to_have_changed(serve, visit):
  served = serve({"Version": 1, "Groups": [{"Title": "One", "Settings": [
    {"Type": "ToggleSwitch", "Title": "On", "Key": "on", "Value": True},
    {"Type": "TextField", "Title": "Needs it", "Key": "needs", "Value": "a", "EnabledBy": {"Key": "on", "Equals": True}}]}]})
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.fill("[name='v:needs']", "typed")
  page.wait_for_timeout(300)
  served.store.set("on", False)
  page.wait_for_selector("[name='v:on']:not(:checked)")
  assert page.locator(".row[data-name=needs] .meanwhile").count() == 0
  served.store.set("needs", "b")
  page.wait_for_selector(".row[data-name=needs] .meanwhile")
  assert page.input_value("[name='v:needs']") == "typed"


def test_who_types_hears_that_the_session_is_over(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.fill("[name='v:notice']", "being typed")
  page.wait_for_timeout(500)
  page.evaluate("""async () => { await fetch("/done", { method: "POST", body: new URLSearchParams(
    { csrf: document.querySelector("input[name=csrf]").value }) }); }""")
  page.fill("[name='v:notice']", "more of it")
  page.wait_for_function("() => document.getElementById('unsaved').textContent.includes('This session is over')")
  assert page.input_value("[name='v:notice']") == "more of it"


def test_what_had_expired_before_is_said_and_keeps_nobody_from_undoing(serve, visit):
  served = serve()
  served.store.set("volume", 10)
  with served.store.change("session") as change:
    change.expires(datetime.now(timezone.utc) + timedelta(milliseconds=300))
    change["volume"] = 30
  time.sleep(0.4)
  served.store.set("volume", 20)
  page = visit(served.link(), False)
  page.goto(served.base + "/history?name=volume")
  latest = page.locator(".commits > li").first
  assert "30 → 10, expired" in latest.inner_text() and "10 → 20" in latest.inner_text()
  latest.locator("button").click()
  assert served.store.get("volume") == 10

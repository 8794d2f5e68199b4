"""The PIN that the page asks for, as a setting that the page shows."""

import subprocess

import pytest
from conftest import BUILD

SCHEMA = b"""{"Version": 1, "Title": "Kiosk", "Groups": [{"Title": "All", "Settings": [
  {"Type": "TextField", "Title": "PIN", "Key": "pin", "Value": "", "Class": ["Password"]},
  {"Type": "Number", "Format": "integer", "Title": "Number", "Key": "number"},
  {"Type": "TextField", "Title": "Note", "Key": "note", "Value": ""}]}]}"""


def keep(served, pin):
  subprocess.run([BUILD / "livery-page", "pin", "pin", "--store", served.path], input=pin.encode() + b"\n", check=True, capture_output=True)


def enter(page, pin):
  page.locator("[name=pin]").fill(pin)
  page.locator("button.main, form button").first.click()


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_what_is_typed_for_it_is_kept_as_its_hash(serve, visit, script):
  served = serve(SCHEMA, "--pin-setting", "pin")
  keep(served, "4711")
  page = visit(served.link(), script)
  enter(page, "4711")
  page.wait_for_selector("[name='v:pin']")
  page.locator("[name='v:pin']").fill("987654")
  page.locator("button.main").click()
  page.wait_for_selector("#notice")
  assert served.store.get("pin").startswith("$argon2id$")
  # One that is no PIN is none.
  page.locator("[name='v:pin']").fill("12")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  assert "4 to 128 bytes" in page.content()
  other = visit(served.link(), False)
  enter(other, "4711")
  assert other.locator("[name='v:note']").count() == 0
  other.wait_for_timeout(2100)
  enter(other, "987654")
  assert other.locator("[name='v:note']").count() == 1


def test_only_a_text_holds_it(serve):
  for name in ("number", "nothing"):
    served = serve(SCHEMA, "--pin-setting", name)
    assert served.first == "" and served.program.wait(20) != 0

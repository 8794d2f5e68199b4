"""Every control is seen, changed, refused with its message when wrong, and saved; with a script and without."""

import base64
import datetime
import re

import livery
import pytest

SCHEMAS = [f"step{number}.json" for number in range(1, 8)] + ["every.json"]
ASM = [f"SettingsSchema.v{number}.json" for number in (1, 2, 3)]
PIXEL = base64.b64decode(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def pages(form):
  """Each page of a form: its path, title and elements, panes included."""
  def walk(path, title, elements):
    yield path, title, elements
    for index, element in enumerate(elements):
      if element["kind"] == "pane":
        yield from walk(f"{path}.{index}", element["title"], element["elements"])
  for index, group in enumerate(form["groups"]):
    yield from walk(str(index), group["title"], group["elements"])


def row(page, element):
  return page.locator(f'.row[data-name="{element["name"]}"]')


def another(element):
  """Text to type for another value, and what the store holds then."""
  kind, value = element["kind"], element.get("value")
  return {
    "text": lambda: ("CD-34", "CD-34") if element.get("pattern") else ("typed <b>&amp;</b>", "typed <b>&amp;</b>"),
    "secret": lambda: ("hush hush", "hush hush"),
    "url": lambda: ("https://example.org/other?a=1&b=2", "https://example.org/other?a=1&b=2"),
    "integer": lambda: (str((value or 0) + (element.get("step") or 1)), (value or 0) + (element.get("step") or 1)),
    "number": lambda: ("2.5", 2.5),
    "date": lambda: ("2027-05-06T07:08", datetime.datetime(2027, 5, 6, 7, 8, tzinfo=datetime.timezone.utc)),
    "color": lambda: ("#336699", livery.Color.parse("#336699") if hasattr(livery.Color, "parse") else None),
  }[kind]()


def change(page, element):
  """Gives a setting another value; what the store is to hold then."""
  place = row(page, element)
  kind = element["kind"]
  if kind == "switch":
    box = place.locator("input[type=checkbox]")
    box.set_checked(not element["value"])
    return not element["value"]
  if kind == "choice":
    wanted = [option for option in element["options"] if option["value"] != element.get("value")][0]
    if len(element["options"]) <= 4:
      place.get_by_label(wanted["title"], exact=True).check()
    else:
      place.locator("select").select_option(label=wanted["title"])
    return wanted["value"]
  if kind == "choices":
    wanted = [option["value"] for option in element["options"]][1:]
    for option in element["options"]:
      place.get_by_label(option["title"], exact=True).set_checked(option["value"] in wanted)
    return wanted
  if kind == "image":
    place.locator("input[type=file]").set_input_files({"name": "a.png", "mimeType": "image/png", "buffer": PIXEL})
    return livery.Image if False else None
  if kind == "data":
    place.locator("input[type=file]").set_input_files({"name": "a.bin", "mimeType": "text/plain", "buffer": b"\0\1\2"})
    return b"\0\1\2"
  typed, expected = another(element)
  place.locator("[name^='v:']").first.fill(typed)
  return expected


def save(page, script):
  """Saves, and tells what is said of it: of this time, not of a former one."""
  button, former = page.locator("button.main"), page.query_selector("#notice")
  if script:
    button.click()
    if former:
      former.wait_for_element_state("hidden")
  else:
    with page.expect_navigation():
      button.click()
  page.wait_for_selector("#notice")
  return page.locator("#notice").inner_text()


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("schema", SCHEMAS + ASM)
def test_every_control(serve, visit, schema, script):
  if schema in ASM:
    from conftest import ROOT
    served = serve((ROOT / "Tests" / "Fixtures" / "asm" / schema).read_bytes())
  else:
    served = serve(schema)
  page = visit(served.link(), script)
  for path, title, _ in list(pages(served.store.form())):
    # As it is now: a switch elsewhere may have enabled something.
    elements = {place: elements for place, _, elements in pages(served.store.form())}[path]
    page.goto(f"{served.base}/at/{path}")
    assert page.locator("h1").inner_text() == (title or "Settings")
    expected = {}
    for element in elements:
      if element["kind"] == "header":
        assert page.get_by_role("heading", name=element["title"]).count() >= 1
      elif element["kind"] == "pane":
        assert page.get_by_role("link", name=element["title"]).is_visible()
      else:
        assert row(page, element).is_visible()
        if element["kind"] == "list":
          continue
        if element.get("reason") in ("read-only", "locked"):
          assert row(page, element).locator("[name^='v:']").is_disabled()
          continue
        expected[element["name"]] = change(page, element)
    if not expected:
      continue
    assert "Saved" in save(page, script)
    for name, value in expected.items():
      if value is not None:
        assert served.store.get(name) == value, name
      else:
        assert served.store.get(name) is not None


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_what_is_wrong_is_told_at_its_field_and_nothing_is_lost(serve, visit, script):
  served = serve()
  page = visit(served.link(), script)
  wrong = {"name": "x", "code": "nonsense", "address": "no address", "volume": "250", "zoom": "wide", "accent": "reddish"}
  for name, text in wrong.items():
    page.locator(f"[name='v:{name}']").first.fill(text)
  page.locator("[name='v:notice']").fill("kept\nas typed")
  page.locator("[name='v:sound']").uncheck()
  before = served.store.revision
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  assert served.store.revision == before
  for name, text in wrong.items():
    field = page.locator(f"[name='v:{name}']").first
    assert field.input_value() == text
    assert field.get_attribute("aria-invalid") == "true"
    assert page.locator(f".row[data-name='{name}'] .error").text_content(), name
  assert page.locator("[name='v:notice']").input_value() == "kept\nas typed"
  assert not page.locator("[name='v:sound']").is_checked()
  for name, text in {"name": "fine", "code": "XY-99", "address": "https://a.example/", "volume": "75", "zoom": "0.75",
                     "accent": "#010203"}.items():
    page.locator(f"[name='v:{name}']").first.fill(text)
  assert "Saved" in save(page, script)
  assert served.store.get("volume") == 75 and served.store.get("sound") is False
  assert served.store.get("notice") == "kept\nas typed"


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_lists(serve, visit, script):
  served = serve()
  page = visit(served.link(), script)
  page.goto(f"{served.base}/list?name=stations")
  page.get_by_role("button", name="Add an item").click()
  page.wait_for_selector("[name='m:1.0']")
  assert page.locator("[name='m:1.1']").input_value() == "10"
  page.locator("[name='m:1.0']").fill("two")
  page.locator("[name='m:1.2']").check()
  page.get_by_role("button", name="Move up").click()
  page.wait_for_function("() => document.querySelector(\"[name='m:0.0']\").value === 'two'") if script else page.wait_for_load_state()
  page.locator("button.main").click()
  page.wait_for_selector("#notice")
  assert served.store.get("stations") == [
    {"name": "two", "seconds": 10, "loop": True}, {"name": "one", "seconds": 10, "loop": True}]
  page.goto(f"{served.base}/list?name=stations")
  page.locator("[name='m:0.0']").fill("one")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  assert page.locator("[name='m:0.0']").input_value() == "one"
  page.get_by_role("button", name="Remove").first.click()
  page.wait_for_function("() => !document.querySelector(\"[name='m:1.0']\")") if script else page.wait_for_load_state()
  page.locator("button.main").click()
  page.wait_for_selector("#notice:not(.bad)")
  assert served.store.get("stations") == [{"name": "one", "seconds": 10, "loop": True}]
  page.goto(f"{served.base}/list?name=tags")
  page.locator("[name='m:1.0']").fill("c & d")
  page.locator("button.main").click()
  page.wait_for_selector("#notice")
  assert served.store.get("tags") == ["a", "c & d"]


def test_a_secret_stays_where_it_is(serve, visit):
  served = serve()
  served.store.set("password", "do not show")
  page = visit(served.link())
  bodies = []
  page.on("response", lambda answer: bodies.append(answer.body()) if answer.ok and "events" not in answer.url else None)
  for address in ("/at/0", "/why?name=password", "/history?name=password", "/search?q=show", "/search?q=password", "/brand"):
    page.goto(served.base + address)
  assert bodies and not any(b"do not show" in body for body in bodies)
  page.goto(served.base + "/at/0")
  save(page, True)
  assert served.store.get("password") == "do not show"
  page.locator("[name='x:password']").check()
  save(page, True)
  assert served.store.get("password") == ""


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("schema", ["every.json", "odd.json"])
def test_what_nobody_touches_stays(serve, visit, schema, script):
  """Saving a page, or a list, as it was drawn changes nothing: not an order, not a default, not what has no control."""
  served = serve(schema)
  if schema == "odd.json":
    served.store.set("order", ["z", "x"])
    served.store.set("lines", "a\r\nb\rc")
    served.store.set("rows", [{"deep": "one", "color": "#01020304", "secret": "kept", "blob": b"\0\1"}])
  page = visit(served.link(), script)
  before = served.store.revision
  for path, _, elements in pages(served.store.form()):
    page.goto(f"{served.base}/at/{path}")
    if page.locator("button.main").count():
      assert "Nothing was changed" in save(page, script), path
    assert served.store.revision == before, path
    for element in elements:
      if element["kind"] == "list":
        values = served.store.get(element["name"])
        page.goto(f"{served.base}/list?name={element['name']}")
        page.locator("button.main").click()
        page.wait_for_selector("#notice")
        assert served.store.get(element["name"]) == values
        before = served.store.revision


def test_a_typed_secret_is_not_sent_back(serve, visit):
  served = serve()
  page = visit(served.link(), False)
  bodies = []
  page.on("response", lambda answer: bodies.append(answer.body()) if answer.ok or answer.status == 422 else None)
  page.goto(served.base + "/at/0")
  page.locator("[name='v:password']").fill("typed and hidden")
  page.locator("[name='v:volume']").fill("999")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  assert bodies and not any(b"typed and hidden" in body for body in bodies)
  assert "type it again" in page.locator(".row[data-name=password] .error").text_content()
  # With a script it stays in the field.
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.locator("[name='v:password']").fill("typed and hidden")
  page.locator("[name='v:volume']").fill("999")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.bad")
  page.locator("[name='v:volume']").fill("15")
  page.locator("button.main").click()
  page.wait_for_selector("#notice.good")
  assert served.store.get("password") == "typed and hidden"


def test_what_is_too_large_is_said_and_is_no_end_of_the_session(serve, visit):
  served = serve()
  page = visit(served.link())
  page.goto(served.base + "/at/0")
  page.fill("[name='v:notice']", "x" * (1 << 20))
  page.click(".save button.main")
  page.wait_for_function("() => document.getElementById('unsaved').textContent.includes('large')")
  assert len(page.input_value("[name='v:notice']")) == 1 << 20


def test_secrets_that_are_being_typed_move_with_their_items(serve, visit):
  served = serve({"Version": 1, "Groups": [{"Title": "One", "Settings": [
    {"Type": "List", "Title": "Users", "Key": "users", "Value": [{"name": name} for name in "abc"], "ItemTemplate": [
      {"Type": "TextField", "Title": "Name", "Key": "name"},
      {"Type": "TextField", "Title": "Secret", "Key": "secret", "Class": ["Password"]}]}]}]})
  page = visit(served.link())
  page.goto(f"{served.base}/list?name=users")
  for place, secret in enumerate(("for a", "for b", "for c")):
    page.fill(f"[name='m:{place}.1']", secret)
  page.get_by_role("button", name="Move up").nth(1).click()
  page.wait_for_function("() => document.querySelector(\"[name='m:1.0']\").value === 'c'")
  page.get_by_role("button", name="Remove").first.click()
  page.wait_for_function("() => !document.querySelector(\"[name='m:2.0']\")")
  page.get_by_role("button", name="Move down").first.click()
  page.wait_for_function("() => document.querySelector(\"[name='m:0.0']\").value === 'b'")
  page.click("button.main")
  page.wait_for_selector("#notice:not(.bad)")
  assert served.store.get("users") == [{"name": "b", "secret": "for b"}, {"name": "c", "secret": "for c"}]


ALIKE = """{"Version": 1, "Groups": [{"Title": "All", "Settings": [
  {"Type": "ComboBox", "Title": "Combo", "Key": "combo", "Value": 1, "Options": [{"Title": "One", "Value": 1},
    {"Title": "Text one", "Value": "1"}, {"Title": "True", "Value": true}, {"Title": "Text true", "Value": "true"},
    {"Title": "Half", "Value": 0.5}]},
  {"Type": "ComboBox", "Title": "Empty", "Key": "empty", "Options": [{"Title": "Nothing", "Value": ""},
    {"Title": "NUL", "Value": "a\\u0000b"}, {"Title": "Return", "Value": "a\\rb"}, {"Title": "Line", "Value": "a\\nb"}, {"Title": "P", "Value": "p"}]},
  {"Type": "ComboBox", "Title": "Few", "Key": "few", "Options": [{"Title": "One", "Value": 1}, {"Title": "Text one", "Value": "1"}]},
  {"Type": "ComboBox", "Title": "Several", "Key": "several", "Class": ["Multiple"], "Options": [
    {"Title": "One", "Value": 1}, {"Title": "Text one", "Value": "1"}, {"Title": "Separator", "Value": "a\\u001fb"}]}
]}]}""".encode()


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_options_that_look_alike_are_told_apart(serve, visit, script):
  served = serve(ALIKE)
  page = visit(served.link(), script)

  def shown(name):
    return page.locator(f"select[name='v:{name}'] option[selected]").all_inner_texts()

  assert shown("combo") == ["One"] and shown("empty") == ["Please choose"]
  for name, title, value in (("combo", "Text one", "1"), ("combo", "True", True), ("combo", "Text true", "true"), ("combo", "Half", 0.5),
                             ("combo", "One", 1), ("empty", "Nothing", ""), ("empty", "NUL", "a\0b"), ("empty", "Return", "a\rb"),
                             ("empty", "Line", "a\nb")):
    page.locator(f"select[name='v:{name}']").select_option(label=title)
    assert "Saved" in save(page, script)
    assert served.store.get(name) == value and type(served.store.get(name)) is type(value)
    page.reload()
    assert shown(name) == [title]
  for name, title, value in (("few", "Text one", "1"), ("few", "One", 1), ("several", "Separator", ["a\x1fb"]), ("several", "Text one", ["1", "a\x1fb"])):
    page.locator(f".row[data-name='{name}'] label.option", has_text=re.compile(f"^\\s*{title}\\s*$")).locator("input").check()
    assert "Saved" in save(page, script)
    assert served.store.get(name) == value
    page.reload()


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
def test_a_number_whose_field_is_emptied_is_the_layers_no_more(serve, visit, script):
  served = serve()
  default = served.store.get("volume")
  served.store.set("volume", 75)
  page = visit(served.link(), script)
  page.goto(served.base + "/at/0")
  page.locator("[name='v:volume']").fill("")
  page.locator("button.main").click()
  page.wait_for_selector("#notice")
  assert served.store.get("volume") == default and default != 75

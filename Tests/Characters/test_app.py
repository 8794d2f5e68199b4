"""What people see and do: on a phone and on a tablet, in both variants."""

import pytest
from conftest import LIGHTHOUSE, ORCHARD, PHONE, TABLET
from driver import until

VARIANTS = {
  LIGHTHOUSE: ("The Lighthouse", "Ada Quill", "Keeper of the north light, who writes a letter to every ship that passes."),
  ORCHARD: ("Orchard Street", "Agnes Pippin", "Keeps the gate, and the key to a second gate that nobody has found."),
}


@pytest.mark.parametrize("use", VARIANTS)
def test_phone_shows_one_after_the_other(start, server, use):
  title, name, description = VARIANTS[use]
  app = start(server.origin, PHONE, use)
  assert app.root.get_name() == title
  until(lambda: app.names()[:1] == [name], "the first name")
  assert not app.all("push button", "Back")
  app.press(app.find("list item", name))
  back = app.find("push button", "Back")
  until(lambda: description in app.texts() and name in app.texts(), "title and description")
  app.find("image", f"Image of {name}")
  assert until(lambda: not app.names(), "the list gone")
  app.press(back)
  assert app.find("list item", name)
  until(lambda: description not in app.texts(), "the detail gone")


@pytest.mark.parametrize("use", VARIANTS)
def test_tablet_shows_both_side_by_side(start, server, use):
  _, name, description = VARIANTS[use]
  app = start(server.origin, TABLET, use)
  assert "Choose somebody from the list." in app.texts()
  app.press(app.find("list item", name))
  until(lambda: description in app.texts(), "the description")
  assert name in app.names() and not app.all("push button", "Back")
  big = until(lambda: [each for each in app.all("image", f"Image of {name}") if app.place(each)[2] > 100], "the large image")[0]
  left = app.place(app.find("list item", name))
  assert left[0] + left[2] <= app.place(big)[0]


def test_search_finds_titles_and_descriptions_while_typing(start, server):
  app = start(server.origin)
  everybody = app.names()
  app.enter("ZOE")
  until(lambda: app.names() == ["Zoë Castellan"], "found without accent and letter case")
  app.enter("soup century")
  until(lambda: app.names() == ["Nell Abernathy"], "found by words of the description")
  app.enter("xyzzy")
  until(lambda: not app.names() and "Nobody is called so." in app.texts(), "nobody")
  app.enter("")
  until(lambda: app.names() == everybody, "everybody")


def test_characters_without_an_image_have_a_placeholder(start, server):
  app = start(server.origin)
  app.find("image", "Image of Ada Quill")
  assert app.find("image", "No image of Hollis Wren")


def test_a_thousand_characters(start, server):
  server.count = 1000
  app = start(server.origin, TABLET)
  app.enter("barnaby CASTELLAN ii")
  until(lambda: app.names() == ["Barnaby Castellan II", "Barnaby Castellan III"], "two of a thousand")
  app.press(app.find("list item", "Castellan III"))
  until(lambda: app.texts().count("Barnaby Castellan III") == 2, "the detail")


def test_while_loading_the_brand_s_image_is_shown(start, server):
  server.delay = 1.5
  app = start(server.origin, wait=False)
  app.find("image", "Loading")
  app.find("list item")
  assert not app.all("image", "Loading")


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_all_widgets_have_names(start, server, size):
  app = start(server.origin, size)

  def nameless():
    named = {"push button", "toggle button", "entry", "list", "list item", "image", "label", "text", "check box", "menu item"}
    return [
      f"{each.get_role_name()} {each.get_name()!r} at {app.place(each)}" for each in app.walk()
      if each.get_role_name() in named and (not each.get_name().strip() or each.get_name().startswith(("Gtk", "Adw")))
    ]  # fmt: skip

  assert nameless() == []
  app.press(app.find("list item", "Ada Quill"))
  until(lambda: any("north light" in text for text in app.texts()), "the detail")
  assert nameless() == []

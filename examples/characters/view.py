"""The widgets: a list and a detail, side by side or one after the other. Shows the view model, and tells what people do."""

from __future__ import annotations

from collections import OrderedDict
from typing import Callable, Optional

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("Adw", "1")
from gi.repository import Adw, Gdk, Gio, GLib, GObject, Gtk, Pango  # noqa: E402

import livery  # noqa: E402

import style  # noqa: E402
from model import Character  # noqa: E402
from viewmodel import BRAND, LIST, SELECTION, STATUS, TEXT, ViewModel  # noqa: E402

PLACEHOLDER = "avatar-default-symbolic"
#: As many rows as a screen has are there at once; the others follow, as many at a time, when nothing else is to be done.
ROWS = 16


def label(widget: Gtk.Widget, text: str) -> None:
  """What a screen reader calls a widget."""
  widget.update_property([Gtk.AccessibleProperty.LABEL], [text])


def texture(data: Optional[bytes]) -> Optional[Gdk.Texture]:
  try:
    return None if data is None else Gdk.Texture.new_from_bytes(GLib.Bytes.new(data))
  except GLib.Error:
    return None


class Textures:
  """Decoded images, the latest ones: scrolling back does not decode again."""

  def __init__(self, model: ViewModel) -> None:
    self._model = model
    self._kept: OrderedDict[str, Gdk.Texture] = OrderedDict()

  def give(self, character: Character, done: Callable[[Optional[Gdk.Texture]], object]) -> None:
    url = character.image or ""
    if self._model.images and url in self._kept:
      self._kept.move_to_end(url)
      done(self._kept[url])
      return

    def decode(data: Optional[bytes]) -> None:
      decoded = texture(data)
      if decoded is not None:
        self._kept[url] = decoded
        while len(self._kept) > 200:
          self._kept.popitem(last=False)
      done(decoded)

    self._model.image(character, decode)


class Item(GObject.Object):
  """A character in GTK's list."""

  def __init__(self, character: Character) -> None:
    super().__init__()
    self.character = character


class Picture(Gtk.Image):
  """The image of the character that it was asked for last, or the placeholder."""

  def __init__(self, size: int, textures: Textures) -> None:
    super().__init__(pixel_size=size, icon_name=PLACEHOLDER)
    self._textures = textures
    self._wanted: Optional[Character] = None

  def show_character(self, character: Optional[Character]) -> None:
    self._wanted = character
    self.set_from_icon_name(PLACEHOLDER)
    if character is None:
      return
    label(self, f"No image of {character.title}")
    self._textures.give(character, lambda found: self._take(character, found))

  def _take(self, character: Character, found: Optional[Gdk.Texture]) -> None:
    # A row that was scrolled away shows somebody else by now.
    if found is not None and character is self._wanted:
      self.set_from_paintable(found)
      label(self, f"Image of {character.title}")


class ListPane(Gtk.Box):
  """Header, search, what there is to say, and the names."""

  def __init__(self, model: ViewModel, textures: Textures, chosen: Callable[[Character], object], menu: Gio.Menu) -> None:
    super().__init__(orientation=Gtk.Orientation.VERTICAL, width_request=300)
    self.add_css_class("list-pane")
    self._model, self._textures = model, textures
    self.logo = Gtk.Image(pixel_size=28, visible=False)
    self.heading = Gtk.Label(ellipsize=Pango.EllipsizeMode.END, css_classes=["title"])
    title = Gtk.Box(spacing=8)
    title.append(self.logo)
    title.append(self.heading)
    button = Gtk.MenuButton(icon_name="open-menu-symbolic", menu_model=menu, tooltip_text="Menu")
    label(button, "Menu")
    self.bar = Adw.HeaderBar(title_widget=title)
    self.bar.pack_end(button)
    self.entry = Gtk.SearchEntry(placeholder_text="Search", margin_start=12, margin_end=12, margin_top=6, margin_bottom=6)
    label(self.entry, "Search titles and descriptions")
    # search-changed waits for a pause in typing; every key is answered here. A text in place of another is two changes.
    self.entry.connect("changed", lambda _: GLib.idle_add(self._search, priority=GLib.PRIORITY_HIGH))
    self.status = Gtk.Label(wrap=True, xalign=0, margin_start=14, margin_end=14, margin_bottom=6, visible=False)
    self.loading = Gtk.Image(pixel_size=64, css_classes=["loading"], vexpand=True, visible=False)
    label(self.loading, "Loading")
    self.rows = Gio.ListStore(item_type=Item)
    self._items: dict[int, Item] = {}
    self._filling = 0
    self.names = Gtk.ListView(
      model=Gtk.SingleSelection(model=self.rows, autoselect=False, can_unselect=True), factory=self._factory(), single_click_activate=True)
    label(self.names, "Characters")
    self.names.connect("activate", lambda _, position: chosen(self.rows.get_item(position).character))
    self.scroller = Gtk.ScrolledWindow(child=self.names, vexpand=True, hscrollbar_policy=Gtk.PolicyType.NEVER)
    for child in (self.bar, self.entry, self.status, self.loading, self.scroller):
      self.append(child)

  def _factory(self) -> Gtk.SignalListItemFactory:
    factory = Gtk.SignalListItemFactory()

    def setup(_: object, item: Gtk.ListItem) -> None:
      box = Gtk.Box(spacing=12, margin_top=6, margin_bottom=6, margin_start=6, margin_end=6)
      box.picture = Picture(40, self._textures)
      box.title = Gtk.Label(xalign=0, ellipsize=Pango.EllipsizeMode.END, css_classes=["read"])
      box.append(box.picture)
      box.append(box.title)
      item.set_child(box)

    def bind(_: object, item: Gtk.ListItem) -> None:
      box, character = item.get_child(), item.get_item().character
      box.title.set_text(character.title)
      box.picture.show_character(character)
      label(box.get_parent(), character.title)

    factory.connect("setup", setup)
    factory.connect("bind", bind)
    return factory

  def _search(self) -> None:
    if self.entry.get_text() != self._model.query:
      self._model.search(self.entry.get_text())

  def show_list(self) -> None:
    if self._filling:
      GLib.source_remove(self._filling)
    # GTK keeps the row of an item that stays, so each character has one item.
    self._items = {id(each): self._items.get(id(each)) or Item(each) for each in self._model.arranged}
    self.rows.splice(0, self.rows.get_n_items(), self._next(0))
    self.show_selection()
    self._filling = GLib.idle_add(self._fill, priority=GLib.PRIORITY_LOW)

  def _next(self, begin: int) -> list[Item]:
    return [self._items[id(each)] for each in self._model.shown[begin : begin + ROWS]]

  def _fill(self) -> bool:
    items = self._next(self.rows.get_n_items())
    if items:
      self.rows.splice(self.rows.get_n_items(), 0, items)
      return GLib.SOURCE_CONTINUE
    self._filling = 0
    self.show_selection()
    return GLib.SOURCE_REMOVE

  def show_selection(self) -> None:
    shown, selected = self._model.shown, self._model.selected
    self.names.get_model().set_selected(shown.index(selected) if selected in shown else Gtk.INVALID_LIST_POSITION)

  def show_status(self) -> None:
    model = self._model
    nobody = model.query and not model.loading and not model.shown and not model.message
    text = "Nobody is called so." if nobody else model.message
    self.status.set_text(text)
    self.status.set_visible(bool(text))
    self.loading.set_visible(model.loading and not model.shown)
    self.scroller.set_visible(not self.loading.get_visible())

  def show_brand(self, traits: livery.Traits) -> None:
    self.heading.set_text(self._model.name)
    logo = texture(self._model.brand_image("logo", traits))
    self.logo.set_from_paintable(logo)
    self.logo.set_visible(logo is not None)
    label(self.logo, f"Logo of {self._model.name}")
    waiting = texture(self._model.brand_image("loading", traits))
    self.loading.set_from_paintable(waiting) if waiting else self.loading.set_from_icon_name("content-loading-symbolic")


class DetailPane(Gtk.Box):
  """Image, title and description of one character."""

  def __init__(self, model: ViewModel, textures: Textures, back: Callable[[], object]) -> None:
    super().__init__(orientation=Gtk.Orientation.VERTICAL, width_request=320, hexpand=True)
    self.add_css_class("detail-pane")
    self._model = model
    self.back = Gtk.Button(icon_name="go-previous-symbolic", tooltip_text="Back", visible=False)
    label(self.back, "Back")
    self.back.connect("clicked", lambda _: back())
    self.bar = Adw.HeaderBar(title_widget=Gtk.Box())
    self.bar.pack_start(self.back)
    self.picture = Picture(192, textures)
    self.title = Gtk.Label(wrap=True, css_classes=["title-1"])
    self.description = Gtk.Label(wrap=True, selectable=True, can_focus=False, wrap_mode=Pango.WrapMode.WORD_CHAR, max_width_chars=60)
    content = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=18, margin_top=24, margin_start=24, margin_end=24, css_classes=["read"])
    for child in (self.picture, self.title, self.description):
      content.append(child)
    self.append(self.bar)
    self.append(Gtk.ScrolledWindow(child=content, vexpand=True, hscrollbar_policy=Gtk.PolicyType.NEVER))

  def show_selection(self) -> None:
    selected = self._model.selected
    self.title.set_text(selected.title if selected else "")
    self.title.set_visible(selected is not None)
    self.description.set_text(selected.description if selected else "Choose somebody from the list.")
    self.picture.set_visible(selected is not None)
    self.picture.show_character(selected)


class Window(Adw.ApplicationWindow):
  """Both panes; a phone shows one of them at a time."""

  def __init__(self, app: Adw.Application, model: ViewModel, size: tuple[int, int], chosen: Callable[[Character], object],
               back: Callable[[], object], menu: Gio.Menu) -> None:  # fmt: skip
    super().__init__(application=app, default_width=size[0], default_height=size[1])
    self._model = model
    textures = Textures(model)
    self.list, self.detail = ListPane(model, textures, chosen, menu), DetailPane(model, textures, back)
    self.leaflet = Adw.Leaflet(transition_type=Adw.LeafletTransitionType.SLIDE, can_navigate_back=True)
    self.leaflet.append(self.list)
    self.leaflet.append(Gtk.Separator()).set_navigatable(False)
    self.leaflet.append(self.detail)
    self.leaflet.connect("notify::folded", lambda *_: self._show_folded())
    self.toasts = Adw.ToastOverlay(child=self.leaflet)
    self.set_content(self.toasts)
    self._provider = Gtk.CssProvider()
    Gtk.StyleContext.add_provider_for_display(self.get_display(), self._provider, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION + 1)
    model.observe(self.show)
    for part in (BRAND, TEXT, LIST, SELECTION, STATUS):
      self.show(part)
    self._show_folded()

  def show(self, part: str) -> None:
    if part in (BRAND, TEXT):
      self._provider.load_from_data(style.css(self._model).encode())
    if part == BRAND:
      scheme = Adw.ColorScheme.FORCE_DARK if style.prefers_dark(self._model) else Adw.ColorScheme.FORCE_LIGHT
      # For what the brand does not color, such as menus: reading the theme anew takes a frame, and the brand is painted first.
      change = Adw.StyleManager.get_default().set_color_scheme
      GLib.timeout_add(32, change, scheme) if self.get_mapped() else change(scheme)
      self.set_title(self._model.name)
      self.list.show_brand(self._traits())
    elif part == LIST:
      self.list.show_list()
      self.list.show_status()
      # Whether images are shown may have changed.
      self.detail.show_selection()
    elif part == SELECTION:
      self.list.show_selection()
      self.detail.show_selection()
    elif part == STATUS:
      self.list.show_status()

  def show_detail(self) -> None:
    self.leaflet.set_visible_child(self.detail)

  def show_names(self) -> None:
    self.leaflet.set_visible_child(self.list)

  def _show_folded(self) -> None:
    folded = self.leaflet.get_folded()
    self.detail.back.set_visible(folded)
    # A phone's screen is the app's; beside the list there is room for the buttons of a window.
    self.list.bar.set_show_end_title_buttons(False)
    self.detail.bar.set_show_end_title_buttons(not folded)

  def _traits(self) -> livery.Traits:
    width, height = self.get_default_size()
    idiom = "phone" if min(width, height) < 600 else "tablet"
    return livery.Traits(idiom, scale=self.get_scale_factor(), width=width, height=height)

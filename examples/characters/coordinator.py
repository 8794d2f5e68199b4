"""Brings store, view model and window together, and decides what follows what."""

from __future__ import annotations

from typing import Optional

from view import Window  # First: it says which versions of GTK and libadwaita are meant.
from gi.repository import Adw, Gio, GLib

import livery
import livery.page

from model import Character
from viewmodel import ViewModel


class Coordinator:
  def __init__(self, store: livery.Store, size: tuple[int, int], origin: Optional[str] = None) -> None:
    self.store, self.size = store, size
    self.model = ViewModel(store, origin, lambda call: GLib.timeout_add(32, call))
    self.window: Optional[Window] = None
    self._page: Optional[livery.page.Page] = None
    # Each variant is an application of its own to the desktop.
    identifier = str(store.get("branding.identifier") or "com.example.characters")
    self.app = Adw.Application(application_id=identifier, flags=Gio.ApplicationFlags.NON_UNIQUE)
    self.app.connect("activate", lambda _: self._start())
    for name, function, keys in (("settings", self.open_settings, ["<Control>comma"]), ("reload", self.model.load, ["F5"]), ("quit", self.app.quit, ["<Control>q"])):
      action = Gio.SimpleAction.new(name, None)
      action.connect("activate", lambda *_, function=function: function())
      self.app.add_action(action)
      self.app.set_accels_for_action(f"app.{name}", keys)

  def run(self) -> int:
    try:
      return int(self.app.run([]))
    finally:
      self.model.close()
      if self._page is not None:
        self._page.stop()

  def _start(self) -> None:
    menu = Gio.Menu()
    menu.append("Settings", "app.settings")
    menu.append("Reload", "app.reload")
    self.window = Window(self.app, self.model, self.size, self.show_character, self.show_names, menu)
    # The store wakes the main loop: nothing polls, and callbacks are called where widgets may be touched.
    GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.store.event_fd, GLib.IOCondition.IN, self._dispatch)
    self.model.load()
    self.window.present()

  def _dispatch(self, *_: object) -> bool:
    try:
      self.model.dispatch()
    except livery.ClosedError:
      return GLib.SOURCE_REMOVE
    return GLib.SOURCE_CONTINUE

  def show_character(self, character: Character) -> None:
    self.model.select(character)
    if self.window is not None:
      self.window.show_detail()

  def show_names(self) -> None:
    if self.window is not None:
      self.window.show_names()

  def open_settings(self) -> None:
    """The operator's settings, in the device's own browser."""
    try:
      if self._page is None:
        self._page = livery.page.start(self.store, title=self.model.name)
      Gio.AppInfo.launch_default_for_uri(self._page.address(), None)
    except (livery.LiveryError, GLib.Error) as error:
      text = getattr(error, "message", None) or str(error)
      if self.window is not None:
        self.window.toasts.add_toast(Adw.Toast(title=GLib.markup_escape_text(f"The settings cannot be opened: {text}"), timeout=10))

"""What the screen shows, and how that changes. Observes the store; knows no widgets."""

from __future__ import annotations

from typing import Callable, List, Optional
from urllib.parse import urljoin, urlsplit

import livery
import livery.fetch

from model import Character, RecordsError, arrange, parse, search
from records import Records

#: Parts of what is shown: an observer is told which has changed.
BRAND, LIST, SELECTION, STATUS, TEXT = "brand", "list", "selection", "status", "text"
OFFLINE = "Offline: what was stored before is shown."


class ViewModel:
  """``origin`` takes the place of that of the brand's API; ``later`` calls a function once what was told of is painted."""

  def __init__(self, store: livery.Store, origin: Optional[str] = None, later: Callable[..., object] = lambda call: call()) -> None:
    self.store = store
    self.shown: List[Character] = []
    #: All of them in the order that is set, of which the search shows some.
    self.arranged: List[Character] = []
    self.selected: Optional[Character] = None
    self.query = ""
    self.loading = False
    self.message = ""
    self._origin, self._later = origin, later
    self._records = Records(store)
    self._served: List[Character] = []
    self._observers: List[Callable[[str], object]] = []
    self._changed: set[str] = set()
    self._address = ""
    self._read_settings()
    # What fetching writes is not looked at: it would wake the app for each image.
    for pattern in ("branding.**", "list.**", "text.**"):
      store.watch(pattern, lambda event: self._changed.add(str(event.name or "")), dispatch=True)

  # -- Observing

  def observe(self, observer: Callable[[str], object]) -> None:
    self._observers.append(observer)

  def _tell(self, *parts: str) -> None:
    for part in parts:
      for observer in self._observers:
        observer(part)

  def dispatch(self) -> None:
    """Let the store tell what it has to; whatever one commit has changed, each part is told of once."""
    self.store.dispatch()
    names, self._changed = self._changed, set()
    if not names:
      return
    former = self.images, self.sort
    self._read_settings()
    self._tell(BRAND if any(name == "" or name.startswith("branding.") for name in names) else TEXT)
    if (self.images, self.sort) != former:
      self._arrange()
    if self.address != self._address:
      self._later(self.load)

  def _read_settings(self) -> None:
    self.sort = self.store.get_string("list.sort")
    self.images = self.store.get_bool("list.images")
    self.text_size = self.store.get_string("text.size")

  def close(self) -> None:
    self._records.close()

  # -- The brand

  @property
  def name(self) -> str:
    return str(self.store.get("branding.name") or "Characters")

  @property
  def address(self) -> str:
    """Where the brand's records are; empty if it does not say."""
    address = str(self.store.get("branding.url.api") or "")
    if address and self._origin:
      parts = urlsplit(address)
      address = urljoin(self._origin, f"{parts.path}?{parts.query}")
    return address

  def gradient(self, name: str) -> livery.Gradient:
    """The two ends of a gradient; a brand that has none gets the color of all screens."""
    try:
      return self.store.branding.gradient(name)
    except (livery.NoValueError, livery.NotFoundError):
      color = self.store.branding.shown_color(livery.ColorRole.PRIMARY_HIGHLIGHT).color
      return livery.Gradient(color, color)

  @property
  def font(self) -> livery.Color:
    try:
      return self.store.branding.color("font")
    except (livery.NoValueError, livery.NotFoundError):
      return self.store.branding.shown_color(livery.ColorRole.PRIMARY_TEXT).color

  @property
  def animates(self) -> bool:
    return bool(self.store.get("branding.option.AnimateLoadingImage", False))

  def brand_image(self, name: str, traits: livery.Traits) -> Optional[bytes]:
    """The bytes of the brand's image that fits the device, such as its logo."""
    try:
      found = self.store.branding.image(name, traits)
      return found.get("data") or self.store.assets.get(found["image"])
    except (livery.LiveryError, KeyError):
      return None

  # -- Records

  def load(self) -> None:
    """Show what the store holds at once, and then what the server has."""
    self._address = address = self.address
    self._records.forget()
    self._served, self.selected, self.message = [], None, ""
    self.loading = True
    self._arrange()
    self._tell(SELECTION, STATUS)
    if not address:
      self._end("The brand has no address of an API.")
      return

    def stored(fetched: Optional[livery.fetch.Fetched], _: str) -> None:
      if fetched is not None:
        self._take(address, fetched.data)
      self._records.document(address, served)

    def served(fetched: Optional[livery.fetch.Fetched], message: str) -> None:
      if address != self._address:
        return
      if fetched is None:
        self._end(OFFLINE if self._served else f"There is no list yet: {message}")
      elif self._take(address, fetched.data):
        self._end("" if fetched.state is livery.fetch.State.READY else OFFLINE)

    self._records.document(address, stored, offline=True)

  def _take(self, address: str, data: bytes) -> bool:
    if address != self._address:
      return False
    try:
      characters = parse(data, address)
    except RecordsError as error:
      self._end(str(error))
      return False
    if characters != self._served:
      self._served = characters
      self._arrange()
      if self.selected is not None:
        self.select(next((each for each in characters if each.title == self.selected.title), None))
    return True

  def _end(self, message: str) -> None:
    self.loading, self.message = False, message
    self._tell(STATUS)
    if self.images:
      for url in {character.image for character in self._served if character.image}:
        self._records.keep(url)

  def image(self, character: Character, done: Callable[[Optional[bytes]], object]) -> None:
    """The bytes of a character's image, now or later; None if there is none, or none is to be shown."""
    if character.image is None or not self.images:
      done(None)
    else:
      self._records.image(character.image, lambda fetched, _: done(fetched.data if fetched else None))

  # -- What a person does

  def search(self, query: str) -> None:
    self.query = query
    self.shown = search(self.arranged, query)
    self._tell(LIST)

  def select(self, character: Optional[Character]) -> None:
    if character != self.selected:
      self.selected = character
      self._tell(SELECTION)

  def _arrange(self) -> None:
    self.arranged = arrange(self._served, self.sort)
    self.search(self.query)

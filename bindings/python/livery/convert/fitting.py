"""What a file can hold: characters and values that it has no way to write are replaced or left out, and told."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Dict, Optional

from .place import Place

#: What no file in XML 1.0 may hold (§2.2), not even escaped.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
#: Halves of characters, which no text may hold.
NOT_TEXT = re.compile("[\ud800-\udfff]")


class Unfit(Exception):
  """A value that cannot be written at all, with the reason."""


def fit_xml(document: Any) -> None:
  """Make a document, which document.py defines, one that XML can hold."""
  _Fitting(document, NOT_XML, "XML has no way to write all characters of").fit()


def fit_lines(document: Any) -> None:
  """Make a document one that XML can hold whose writers know no carriage returns."""
  fit_xml(document)
  _Fitting(document, re.compile("\r\n?"), "a carriage return is a line's end in", "\n").fit()


def fit_json(document: Any) -> None:
  """Make a document one that JSON can hold."""
  _Fitting(document, NOT_TEXT, "there are halves of characters in").fit()


class _Fitting:
  def __init__(self, document: Any, unfit: "re.Pattern[str]", reason: str, by: str = "\ufffd") -> None:
    self.document, self.unfit, self.reason, self.by = document, unfit, reason, by

  def fit(self) -> None:
    document = self.document
    for group in document.groups:
      self.value(group, group.place, "")
    places = {setting["Key"]: setting.place for setting in document.settings()}
    self.members(document.values, lambda name: places.get(name) or document.place)
    here = document.place
    document.title = self.text(document.title, here, "")
    document.texts = {self.text(language, here, ""): {self.text(text, here, ""): self.text(one, here, "") for text, one in texts.items()}
                      for language, texts in document.texts.items()}

  def text(self, text: str, place: Place, setting: str) -> str:
    fitting = self.unfit.sub(self.by, text)
    if fitting != text:
      self.document.lose(place, setting, f"{self.reason} {self.document.shown(setting, text)}: they are replaced")
    return fitting

  def value(self, value: Any, place: Place, setting: str) -> Any:
    """A value that fits; Unfit where there is none."""
    if isinstance(value, str):
      return self.text(value, place, setting)
    if value is None or isinstance(value, bool):
      return value
    if isinstance(value, int):
      if not -2**63 <= value < 2**63:
        raise Unfit(f"{short(value)} has more than 64 bits")
      return value
    if isinstance(value, float):
      if not math.isfinite(value):
        raise Unfit(f"{value} is no number that is kept")
      return value
    if isinstance(value, dict):
      place = getattr(value, "place", place)
      key = value.get("Key")
      setting = setting or (key if isinstance(key, str) else "")
      self.members(value, lambda _: place, setting)
      return value
    if isinstance(value, list):
      value[:] = [one for one in (self.item(one, place, setting) for one in value) if one is not self]
      return value
    raise Unfit(f"a value of the type {type(value).__name__} is not kept")

  def members(self, values: Dict[Any, Any], place_of: Any, setting: Optional[str] = None) -> None:
    for name in list(values):
      place = place_of(name)
      owner = name if setting is None else setting
      try:
        made = self.value(values[name], place, owner)
      except Unfit as error:
        del values[name]
        self.document.lose(place, owner, f"`{name}` is left out: {error}")
        continue
      fitting = self.text(str(name), place, owner)
      if fitting == name:
        values[name] = made
      else:
        del values[name]
        values[fitting] = made

  def item(self, value: Any, place: Place, setting: str) -> Any:
    """A value that fits; this itself where there is none."""
    try:
      return self.value(value, place, setting)
    except Unfit as error:
      self.document.lose(place, setting, f"an item is left out: {error}")
      return self


def short(value: Any) -> str:
  """A value as a message shows it."""
  text = json.dumps(value, ensure_ascii=False, default=str)
  return text if len(text) <= 60 else text[:57] + "..."

"""Characters, as an API tells of them, and the search through them. Knows neither the store nor the screen."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass, field
from typing import Any, Iterable, Iterator, List, Optional
from urllib.parse import urljoin


class RecordsError(Exception):
  """What the API has answered is not what it should be; the message names the place."""


def fold(text: str) -> str:
  """What texts are compared by: without letter case and without accents, so that "zoe" finds "Zoë"."""
  parts = unicodedata.normalize("NFKD", text.casefold())
  return "".join(part for part in parts if not unicodedata.combining(part))


@dataclass(frozen=True)
class Character:
  title: str
  description: str
  image: Optional[str]
  page: Optional[str]
  folded: str = field(init=False, repr=False, compare=False)
  sort_key: str = field(init=False, repr=False, compare=False)

  def __post_init__(self) -> None:
    # Folding takes longer than searching: it is done once for each character, and not for each key that is typed.
    object.__setattr__(self, "folded", fold(f"{self.title}\n{self.description}"))
    object.__setattr__(self, "sort_key", fold(self.title))


def parse(data: bytes, address: str) -> List[Character]:
  """The characters of an answer; addresses of images may be relative to that of the answer.

  RecordsError if it is no such answer. Entries without a text are left out, as the API has such for its own links.
  """
  try:
    answer = json.loads(data)
  except ValueError as error:
    raise RecordsError(f"{address} is not JSON: {error}") from error
  if not isinstance(answer, dict) or not isinstance(answer.get("RelatedTopics"), list):
    raise RecordsError(f"{address} has no list RelatedTopics")
  return [_character(topic, address) for topic in _topics(answer["RelatedTopics"]) if _text(topic, "Text")]


def _topics(entries: List[Any]) -> Iterator[dict[str, Any]]:
  """Entries are topics, or groups of them."""
  for entry in entries:
    if isinstance(entry, dict):
      group = entry.get("Topics")
      yield from (topic for topic in group if isinstance(topic, dict)) if isinstance(group, list) else (entry,)


def _character(topic: dict[str, Any], address: str) -> Character:
  title, _, description = _text(topic, "Text").partition(" - ")
  icon = topic.get("Icon")
  image = _text(icon, "URL") if isinstance(icon, dict) else ""
  return Character(title.strip(), description.strip(), _absolute(address, image), _absolute(address, _text(topic, "FirstURL")))


def _text(entry: dict[str, Any], member: str) -> str:
  found = entry.get(member)
  return found.strip() if isinstance(found, str) else ""


def _absolute(address: str, reference: str) -> Optional[str]:
  if not reference:
    return None
  try:
    joined = urljoin(address, reference)
  except ValueError:
    return None
  return joined if joined.startswith(("http://", "https://")) else None


def search(characters: Iterable[Character], query: str) -> List[Character]:
  """Those that have every word of the query in title or description, in their order; all for an empty query."""
  words = fold(query).split()
  return [character for character in characters if all(word in character.folded for word in words)]


def arrange(characters: Iterable[Character], order: str) -> List[Character]:
  """In the order that the setting list.sort names."""
  if order == "served":
    return list(characters)
  return sorted(characters, key=lambda character: character.sort_key, reverse=order == "backwards")

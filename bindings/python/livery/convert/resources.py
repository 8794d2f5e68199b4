"""Resources of Android: texts, arrays, numbers and truth values, in the languages that they are there in."""

from __future__ import annotations

import glob
import os
import re
from typing import Dict, List, Optional, Tuple

from .place import Place
from .source import Source, Tag, read_xml

REFERENCE = re.compile(r"@(?:\+?(?P<package>[\w.]+):)?(?P<kind>\w+)/(?P<name>[\w.]+)\Z")
#: What a text consists of: escapes, quotes, white space, and the rest.
_PART = re.compile(r'(?P<escape>\\(?:u[0-9a-fA-F]{4}|.))|(?P<quote>")|(?P<space>\s+)|[^\\"\s]+|\\', re.DOTALL)
_QUALIFIER = re.compile(r"values-(?:([a-z]{2,3})(?:-r([A-Z]{2}))?|b\+([A-Za-z0-9+]+))\Z")


def language_of(folder: str) -> Optional[str]:
  """The language tag of a folder `values-…`; None for one of another kind."""
  match = _QUALIFIER.match(folder)
  if not match:
    return None
  if match.group(3):
    return match.group(3).replace("+", "-")
  return match.group(1) + (f"-{match.group(2)}" if match.group(2) else "")


def folder_of(language: str) -> str:
  """The folder `values-…` of a language tag."""
  parts = language.split("-")
  if len(parts) == 1:
    return f"values-{parts[0]}"
  return f"values-{parts[0]}-r{parts[1]}" if len(parts) == 2 and re.match(r"[A-Z]{2}\Z", parts[1]) else f"values-b+{'+'.join(parts)}"


class _Written(List[str]):
  """The text of a resource, or its texts, as they are written."""

  def __init__(self, source: Source, holder: Tag, tags: List[Tag]) -> None:
    super().__init__(tag.text for tag in tags)
    #: Where it is, if it has markup; placeholders for translators are none.
    self.marked: Optional[Place] = source.place(holder.line) if any(one.name != "g" for tag in tags for one in tag.children) else None


class Resources:
  """The resources that references of a file may mean."""

  def __init__(self, file: Source, given: List[Source]) -> None:
    #: By kind and name.
    self.values: Dict[Tuple[str, str], _Written] = {}
    #: Texts in other languages, by the language, and kind and name.
    self.translated: Dict[str, Dict[Tuple[str, str], _Written]] = {}
    #: Where texts have been taken that have markup, which is not.
    self.unmarked: List[Place] = []
    for source in given:
      self.collect(source, self.values)
    parent = os.path.join(os.path.dirname(file.path), "..")
    for folder in sorted(glob.glob(os.path.join(glob.escape(parent), "values*"))):
      language, base = language_of(os.path.basename(folder)), os.path.basename(folder) == "values"
      if base or language:
        into = self.values if base else self.translated.setdefault(str(language), {})
        for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.xml"))):
          self.collect(Source.open(path), into)

  @staticmethod
  def collect(source: Source, into: Dict[Tuple[str, str], _Written]) -> None:
    root = read_xml(source)
    for tag in root.children if root.name == "resources" else []:
      name = tag.get("name")
      if tag.name in ("string", "integer", "bool", "dimen", "color"):
        into.setdefault((tag.name, name), _Written(source, tag, [tag]))
      elif tag.name in ("string-array", "integer-array", "array"):
        into.setdefault(("array", name), _Written(source, tag, tag.all("item")))

  def texts(self, written: str, language: str = "") -> Optional[List[str]]:
    """What a value means: itself, or what it refers to, in another language where it is there; None if that is not there."""
    translated = self.translated.get(language, {})
    for _ in range(10):
      match = REFERENCE.match(written.strip())
      if not match:
        return [_text(written)]
      key = match.group("kind"), match.group("name")
      found = None if match.group("package") else translated.get(key, self.values.get(key))
      if found is None:
        return None
      if found.marked:
        self.unmarked.append(found.marked)
      if len(found) != 1 or match.group("kind") == "array":
        return [one for item in found for one in (self.texts(item, language) or [_text(item)])]
      written = found[0]
    return None

  def in_languages(self, written: str) -> Dict[str, List[str]]:
    """What a reference means in other languages."""
    match = REFERENCE.match(written)
    key = (match.group("kind"), match.group("name")) if match else ("", "")
    return {language: self.texts(written, language) or [] for language, found in self.translated.items() if key in found}


def _text(raw: str) -> str:
  """A text as resources write it: escapes, and white space that counts only in quotes."""
  made: List[str] = []
  quoted = spaced = False
  for match in _PART.finditer(raw):
    if match.lastgroup == "quote":
      quoted = not quoted
    elif match.lastgroup == "space" and not quoted:
      spaced = bool(made)
    else:
      made += [" "] * spaced + [_unescaped(match.group()) if match.lastgroup == "escape" else match.group()]
      spaced = False
  return "".join(made)


def _unescaped(escape: str) -> str:
  return chr(int(escape[2:], 16)) if len(escape) == 6 else {"n": "\n", "t": "\t"}.get(escape[1], escape[1])


def text_of(text: str) -> str:
  """A text as resources write it, XML not yet escaped."""
  for character, escape in (("\\", "\\\\"), ("'", "\\'"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\u000d")):
    text = text.replace(character, escape)
  if text[:1] in ("@", "?"):
    text = "\\" + text
  return f'"{text}"' if text != " ".join(text.split()) else text

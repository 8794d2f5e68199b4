"""Resources of Android: texts, arrays, numbers and truth values, in the languages that they are there in."""

from __future__ import annotations

import glob
import os
import re
from typing import Dict, List, Optional, Tuple

from .source import Source, Tag, read_xml

REFERENCE = re.compile(r"@(?:\+?(?P<package>[\w.]+):)?(?P<kind>\w+)/(?P<name>[\w.]+)\Z")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
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


class Resources:
  """The resources that references of a file may mean."""

  def __init__(self, file: Source, given: List[Source]) -> None:
    #: By kind and name; a text, or texts, as they are written.
    self.values: Dict[Tuple[str, str], List[str]] = {}
    #: Texts in other languages, by the language, and kind and name.
    self.translated: Dict[str, Dict[Tuple[str, str], List[str]]] = {}
    for source in given:
      self.collect(read_xml(source), self.values)
    parent = os.path.join(os.path.dirname(file.path), "..")
    for folder in sorted(glob.glob(os.path.join(glob.escape(parent), "values*"))):
      language, base = language_of(os.path.basename(folder)), os.path.basename(folder) == "values"
      if base or language:
        into = self.values if base else self.translated.setdefault(str(language), {})
        for path in sorted(glob.glob(os.path.join(glob.escape(folder), "*.xml"))):
          self.collect(read_xml(Source.open(path)), into)

  @staticmethod
  def collect(root: Tag, into: Dict[Tuple[str, str], List[str]]) -> None:
    for tag in root.children if root.name == "resources" else []:
      name = tag.get("name")
      if tag.name in ("string", "integer", "bool", "dimen", "color"):
        into.setdefault((tag.name, name), [tag.text])
      elif tag.name in ("string-array", "integer-array", "array"):
        into.setdefault(("array", name), [one.text for one in tag.all("item")])

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
  raw = raw.strip()
  if raw[:1] == '"' and raw[-1:] == '"' and len(raw) > 1:
    raw = raw[1:-1]
  else:
    raw = re.sub(r"\s+", " ", raw)
  known = {"n": "\n", "t": "\t"}
  return _ESCAPE.sub(lambda match: chr(int(match.group(1)[1:], 16)) if len(match.group(1)) == 5 else known.get(match.group(1), match.group(1)), raw)


def text_of(text: str) -> str:
  """A text as resources write it, XML not yet escaped."""
  for character, escape in (("\\", "\\\\"), ("'", "\\'"), ('"', '\\"'), ("\n", "\\n"), ("\t", "\\t"), ("\r", "\\u000d")):
    text = text.replace(character, escape)
  if text[:1] in ("@", "?"):
    text = "\\" + text
  return f'"{text}"' if text != " ".join(text.split()) else text

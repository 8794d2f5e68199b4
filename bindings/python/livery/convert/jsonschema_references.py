"""What a JSON Schema refers to, and what it is made of."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from . import fitting
from .document import Document
from .source import Object, Source

DEEPEST = 24
#: Which of two bounds holds where both do.
TIGHTER = {"minimum": max, "exclusiveMinimum": max, "maximum": min, "exclusiveMaximum": min, "minLength": max, "maxLength": min,
           "minItems": max, "maxItems": min, "minProperties": max, "maxProperties": min, "uniqueItems": max}
#: What can hold twice, and be kept once.
BESIDE = {"type", "pattern", "multipleOf", "enum", "const", "format"}
#: The references by which a schema was reached, and "" for each level of objects and lists.
Refs = Tuple[str, ...]


class References:
  """Follows references within a file."""

  def __init__(self, document: Document, file: Source, root: Dict[str, Any]) -> None:
    self.document, self.file, self.root = document, file, root
    #: The setting whose schema is being read.
    self.here = ""

  def resolved(self, raw: Any, line: int, refs: Refs) -> Optional[Tuple[Object, Refs]]:
    """A schema with what it refers to and what it is made of, and by which references; None if it cannot be had."""
    if not isinstance(raw, dict) or len(refs) > DEEPEST:
      return None
    made = Object(raw)
    made.line, made.lines = getattr(raw, "line", line) or line, getattr(raw, "lines", {})
    self.document.bound(self.file.place(made.line))
    followed = refs
    for part in self.parts(made):
      found = None
      if not isinstance(part, str):
        found = self.resolved(part, made.line, (*refs, ""))
      elif part not in refs:
        found = self.resolved(self.pointed(part), made.line, (*refs, part))
      if found is None:
        return None
      followed += found[1][len(refs):]
      for keyword, value in found[0].items():
        if keyword == "properties" and isinstance(made.get(keyword), dict) and isinstance(value, dict):
          made[keyword] = _merged(made[keyword], value)
        elif keyword == "required" and isinstance(made.get(keyword), list) and isinstance(value, list):
          made[keyword] = made[keyword] + value
        elif keyword in TIGHTER and _is_number(made.get(keyword)) and _is_number(value):
          # All of it holds.
          made[keyword] = TIGHTER[keyword](made[keyword], value)
        elif keyword == "type" and _narrower(made.get("type"), value) is not None:
          made["type"] = _narrower(made.get("type"), value)
        else:
          if keyword in BESIDE and made.get(keyword, value) != value:
            self.document.lose(self.file.place(found[0].at(keyword)), self.here, f"`{keyword}` {fitting.short(value)} is not kept beside {fitting.short(made[keyword])}")
          made.setdefault(keyword, value)
    return made, followed

  @staticmethod
  def parts(raw: Object) -> List[Any]:
    """What else holds for a value: a reference, and the parts of `allOf`, of which it needs all."""
    found: List[Any] = [raw.pop("$ref")] if isinstance(raw.get("$ref"), str) else []
    return found + (raw.pop("allOf") if isinstance(raw.get("allOf"), list) else [])

  def pointed(self, reference: str) -> Any:
    """What a reference within the file means, by a pointer (RFC 6901), an anchor, or an `id`."""
    if not reference.startswith("#/") and reference != "#":
      return self.anchored(self.root, reference.lstrip("#"), 0)
    here: Any = self.root
    for step in reference.split("/")[1:]:
      step = step.replace("~1", "/").replace("~0", "~")
      here = here.get(step) if isinstance(here, dict) else None
    return here

  def anchored(self, here: Any, name: str, depth: int) -> Any:
    if depth > DEEPEST:
      return None
    if isinstance(here, dict) and name in (here.get("$anchor"), here.get("id")):
      return here
    for inner in here.values() if isinstance(here, dict) else here if isinstance(here, list) else ():
      found = self.anchored(inner, name, depth + 1)
      if found is not None:
        return found
    return None


def _narrower(first: Any, second: Any) -> Any:
  """What two types have in common; None where that is nothing, or one of them is none."""
  if first is None or first == second:
    return second
  kinds = [set(one) if isinstance(one, list) and all(isinstance(kind, str) for kind in one) else {one} if isinstance(one, str) else set()
           for one in (first, second)]
  both = {kind for kind in kinds[0] | kinds[1]
          if all(kind in one or kind == "integer" and "number" in one for one in kinds)}
  return None if not both else next(iter(both)) if len(both) == 1 else sorted(both)


def _is_number(value: Any) -> bool:
  return isinstance(value, (int, float))


def _merged(first: Dict[str, Any], second: Dict[str, Any]) -> Object:
  made = Object({**second, **first})
  for one in (second, first):
    if isinstance(one, Object):
      made.line = one.line
      made.lines.update(one.lines)
  return made

"""The files of Chromium's policy templates: a literal of Python or JSON, or YAML, with the lines; and texts as they are read."""

from __future__ import annotations

import ast
import importlib
import os
import re
import warnings
from typing import Any, Dict, List, Sequence, Tuple

from .place import Refused
from .source import MOST_DEPTH, Object, Source, read_json

#: The names that texts of templates have by number.
PRODUCTS = {"$1": "Chromium", "$2": "ChromiumOS", "$3": "Chromium Frame"}
#: What the group of a folder of policies in YAML is called.
DETAILS = ".group.details.yaml"
#: Files beside those of policies, which tell of groups of them.
OF_GROUPS = (DETAILS, "policy_atomic_groups.yaml")
#: Schemas that policies in YAML refer to by name, two folders above them.
COMMON = ("..", "..", "common_schemas.yaml")
_PLACEHOLDER = re.compile(r"<ph[^<>]*>|</ph>|<ex>[^<]*</ex>")


def said(text: Any) -> str:
  """A text of a template as it is read: no placeholders of translators, lines that belong together in one."""
  if not isinstance(text, str):
    return ""
  text = _PLACEHOLDER.sub("", text)
  for number, name in PRODUCTS.items():
    text = text.replace(number, name)
  return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))


def is_yaml(file: Source) -> bool:
  return os.path.splitext(file.name)[1] in (".yaml", ".yml")


def group_of(file: Source) -> Tuple[str, str]:
  """What the group is called whose folder a policy lies in, and its description."""
  details = file.beside(DETAILS)
  told = read_yaml(details) if details else Object()
  return said(told.get("caption")) or os.path.basename(os.path.dirname(file.path)) or "Policies", said(told.get("desc"))


def named_schemas(contents: Sequence[Tuple[Source, Any]]) -> Dict[str, Any]:
  """The schemas that others refer to: by their `id`, and those that policies in YAML share."""
  found: Dict[str, Any] = {}
  for folder in dict.fromkeys(os.path.dirname(file.path) for file, _ in contents if is_yaml(file)):
    common = next(file for file, _ in contents if os.path.dirname(file.path) == folder).beside(*COMMON)
    if common:
      found.update(read_yaml(common))
  ahead: List[Any] = [content for _, content in contents]
  while ahead:
    here = ahead.pop()
    if isinstance(here, dict):
      if isinstance(here.get("id"), str):
        found.setdefault(here["id"], here)
      ahead += here.values()
    elif isinstance(here, list):
      ahead += here
  return found


def read_templates(file: Source) -> Any:
  """JSON, or a literal of Python, with comments and texts over several lines. Nothing of it is ever run."""
  try:
    return read_json(file)
  except Refused:
    pass
  text = file.text
  above = text[:len(text) - len(text.lstrip())].count("\n")
  try:
    with warnings.catch_warnings():
      warnings.simplefilter("ignore")
      return _literal(file, ast.parse(text.strip(), mode="eval").body, above, 0)
  except SyntaxError as error:
    column = f"column {error.offset}: " if error.lineno and error.offset else ""
    raise Refused(file.place((error.lineno or 1) + above), column + error.msg) from None
  except (ValueError, RecursionError, MemoryError) as error:
    raise Refused(file.place(), str(error) or "nested too deep") from None


def _literal(file: Source, node: ast.expr, above: int, depth: int) -> Any:
  line = node.lineno + above
  if depth > MOST_DEPTH:
    raise Refused(file.place(line), "nested too deep")
  if isinstance(node, ast.Dict):
    made = Object()
    made.line = line
    for key, value in zip(node.keys, node.values):
      if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
        raise Refused(file.place(line), "a name is a text")
      if key.value in made:
        raise Refused(file.place(key.lineno + above), f"`{key.value}` is there twice")
      made[key.value] = _literal(file, value, above, depth + 1)
      made.lines[key.value] = key.lineno + above
    return made
  if isinstance(node, (ast.List, ast.Tuple)):
    return [_literal(file, one, above, depth + 1) for one in node.elts]
  if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (str, int, float))):
    return node.value
  if isinstance(node, ast.Name) and node.id in ("true", "false", "null"):
    return {"true": True, "false": False, "null": None}[node.id]
  if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, (int, float)):
    return -node.operand.value
  raise Refused(file.place(line), "not a literal")


def read_yaml(file: Source) -> Object:
  try:
    yaml: Any = importlib.import_module("yaml")
  except ImportError:
    raise Refused(file.place(), "policies in YAML need the Python package PyYAML (Debian: python3-yaml)") from None

  class Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Keeps the lines, takes what JSON has alone, and no references, which could grow without bound."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
      line = self.peek_event().start_mark.line + 1
      if self.check_event(yaml.events.AliasEvent):
        raise Refused(file.place(line), "references are not taken")
      self.depth += 1
      if self.depth > MOST_DEPTH:
        raise Refused(file.place(line), "nested too deep")
      node = super().compose_node(parent, index)
      self.depth -= 1
      return node

  def mapping(loader: Any, node: Any) -> Object:
    made = Object()
    made.line = node.start_mark.line + 1
    for key, value in node.value:
      line = key.start_mark.line + 1
      name = loader.construct_object(key, deep=True)
      if not isinstance(name, str):
        raise Refused(file.place(line), "a name is a text")
      if name in made:
        raise Refused(file.place(line), f"`{name}` is there twice")
      made[name] = loader.construct_object(value, deep=True)
      made.lines[name] = line
    return made

  def as_written(loader: Any, node: Any) -> str:
    return str(loader.construct_scalar(node))

  def refused(loader: Any, node: Any) -> None:
    raise Refused(file.place(node.start_mark.line + 1), f"{node.tag} is not of policies")

  Loader.add_constructor("tag:yaml.org,2002:map", mapping)
  Loader.add_constructor("tag:yaml.org,2002:timestamp", as_written)
  for tag in ("binary", "omap", "pairs", "set"):
    Loader.add_constructor(f"tag:yaml.org,2002:{tag}", refused)
  try:
    found = yaml.load(file.text, Loader)
  except yaml.MarkedYAMLError as error:
    raise Refused(file.place(error.problem_mark.line + 1 if error.problem_mark else 0), " ".join(str(error.problem).split())) from None
  except yaml.reader.ReaderError as error:
    raise Refused(file.place(), f"character {error.position + 1}: {error.reason}") from None
  except (yaml.YAMLError, ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError) as error:
    raise Refused(file.place(), " ".join(str(error).split())) from None
  if not isinstance(found, Object):
    raise Refused(file.place(1), "not a policy")
  return found

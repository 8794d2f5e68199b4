"""The settings as a page in Markdown."""

from __future__ import annotations

from typing import List

from . import reference
from .model import Model, Setting


def write(model: Model, name: str) -> str:
  lines = [f"# {escaped(model.title or name)}", "", f"Version {model.version}; {len(model.settings)} settings."]
  for group in model.groups:
    lines += ["", f"## {escaped(' › '.join((*group.path, group.title)))}"]
    if group.description:
      lines += ["", escaped(group.description)]
    for setting in group.settings:
      lines += ["", f"### {escaped(setting.title)}", "", f"{code(setting.name)}", *_told(setting)]
  return "\n".join(lines) + "\n"


def _told(setting: Setting) -> List[str]:
  lines: List[str] = []
  if setting.raw.get("Description"):
    lines += ["", escaped(str(setting.raw["Description"]))]
  lines += ["", "| | |", "|---|---|"]
  lines += [f"| {heading} | {_cell(told)} |" for heading, told in reference.facts(setting)]
  for member in reference.members(setting):
    facts = "; ".join(f"{heading.lower()}: {_cell(told)}" for heading, told in reference.facts(member))
    name = _cell([reference.Code(member.name)]) if member.name else "item"
    lines.append(f"| {name} | {escaped(member.title)}; {facts} |".replace("\n", " "))
  return lines


def escaped(text: str) -> str:
  """Text that Markdown takes for nothing else."""
  flat = " ".join(text.split())
  return "".join(f"\\{one}" if one in "\\`*_[]<>#|&" else one for one in flat)


def code(text: str) -> str:
  """Text in code, between more backquotes than it has in a row."""
  fence = "`"
  while fence in text:
    fence += "`"
  text = " ".join(text.split())
  space = " " if text.startswith("`") or text.endswith("`") else ""
  return f"{fence}{space}{text}{space}{fence}"


def _cell(parts: List[str]) -> str:
  """What is told, in a cell of a table, which a bar ends also in code."""
  return "".join(code(part).replace("|", "\\|") if isinstance(part, reference.Code) else escaped_inline(part) for part in parts)


def escaped_inline(text: str) -> str:
  lead, trail = text[:len(text) - len(text.lstrip())], text[len(text.rstrip()):] if text.strip() else ""
  return lead + escaped(text) + trail

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
  lines += [f"| {heading} | {_cell(text)} |" for heading, text in reference.facts(setting)]
  for member in reference.members(setting):
    told = "; ".join(f"{heading.lower()}: {_cell(text)}" for heading, text in reference.facts(member))
    name = code(member.name) if member.name else "item"
    lines.append(f"| {name} | {escaped(member.title)}; {told} |".replace("\n", " "))
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
  space = " " if text.startswith("`") or text.endswith("`") else ""
  return f"{fence}{space}{' '.join(text.split())}{space}{fence}".replace("|", "\\|")


def _cell(text: str) -> str:
  """Text with values in backquotes, in a cell of a table."""
  parts = text.split("`")
  if len(parts) % 2 == 0:
    return escaped(text)
  return "".join(code(part) if index % 2 and part else escaped_inline(part) for index, part in enumerate(parts))


def escaped_inline(text: str) -> str:
  lead, trail = text[:len(text) - len(text.lstrip())], text[len(text.rstrip()):] if text.strip() else ""
  return lead + escaped(text) + trail

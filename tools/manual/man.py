"""Manual pages, by man(7)."""
from __future__ import annotations

import re
from typing import Dict, List

from .model import Command, HelpError, Livery, Option

VARIABLES = {
  "LIVERY_STORE": "the directory of the store, where none is given",
  "LIVERY_KEY_FILE": "a file with the key of a store that seals its secrets, where none is given",
  "LIVERY_AGENT_CONFIG": "the directory of the agent's own store, where none is given",
  "LIVERY_CONSOLE": "the console's folder, where none is given",
  "STATE_DIRECTORY": "where both stores are, where nothing else says so: systemd sets it for a service",
  "AWS_ACCESS_KEY_ID": "who puts things into a bucket, where no file of credentials is given",
  "AWS_SECRET_ACCESS_KEY": "what belongs to it",
  "AWS_SESSION_TOKEN": "what belongs to it, if it is for a while",
  "AWS_REGION": "the region of a bucket, where none is given",
  "AWS_DEFAULT_REGION": "the same, where that is not set either",
  "NO_COLOR": "if it is not empty, nothing is printed in color",
}


def text(line: str) -> str:
  """A line of a page: what roff would take for its own is escaped."""
  line = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
  line = re.sub(r"\\\(ga(.+?)\\\(ga", r"\\fB\1\\fR", line)
  return "\\&" + line if line.startswith((".", "'")) else line


def usage(program: str, words: str) -> str:
  """Words in upper case are for the caller to fill in."""
  marked = re.sub(r"[A-Z][A-Z,]*[A-Z]|\b[A-Z]+\b", lambda found: f"\\fI{found[0]}\\fR", text(words))
  return f"\\fB{program}\\fR {marked}".rstrip()


def option_lines(options: List[Option]) -> List[str]:
  lines = []
  for option in options:
    short = f"\\fB\\-{option.short}\\fR, " if option.short else ""
    value = f" \\fI{text(option.value)}\\fR" if option.value else ""
    lines += [".TP", f"{short}\\fB{text('--' + option.name)}\\fR{value}", text(option.help)]
  return lines


def page(name: str, version: str, summary: str, sections: Dict[str, List[str]]) -> str:
  lines = [f'.\\" Made by tools/manual.', f'.TH {name.upper()} 1 "" "Livery {version}" "Livery"',
           ".SH NAME", f"{text(name)} \\- {text(summary)}"]
  for title, content in sections.items():
    if content:
      lines += [f'.SH "{title}"', *content]
  return "\n".join(lines) + "\n"


def statuses(found: List[List[str]]) -> List[str]:
  lines = []
  for number, meaning in found:
    lines += [".TP", f"\\fB{number}\\fR", text(meaning)]
  return lines


def environment(names: List[str]) -> List[str]:
  return [line for name in VARIABLES if name in names for line in (".TP", f"\\fB{text(name)}\\fR", text(VARIABLES[name]))]


def main_page(livery: Livery) -> str:
  commands: List[str] = []
  for command in livery.commands:
    if command.program:
      commands += [".TP", f"\\fBlivery {command.name}\\fR …", f"{text(command.summary)}: see \\fBlivery\\-{command.name}\\fR(1)."]
      continue
    commands += [".TP", usage(f"livery {command.name}", command.usages[0].words), text(command.summary)]
    if command.options:
      commands += [".RS", *option_lines(command.options), ".RE"]
  also = ", ".join(f"\\fBlivery\\-{command.name}\\fR(1)" for command in livery.commands if command.program)
  return page("livery", livery.version, "read and change the settings of a store", {
    "SYNOPSIS": ["\\fBlivery\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR]"],
    "COMMANDS": commands,
    "OPTIONS OF ALL COMMANDS": option_lines(livery.options)
    + [".PP", text("`-` in place of a file is standard input; `--` ends the options.")],
    "EXIT STATUS": statuses(livery.statuses),
    "ENVIRONMENT": environment(["LIVERY_STORE", "NO_COLOR"]),
    "SEE ALSO": [also] if also else [],
  })


def extension_page(livery: Livery, command: Command) -> str:
  synopsis: List[str] = []
  for item in command.usages:
    program = f"livery {command.name}"
    words = item.words
    if words.startswith("livery "):
      program, words = "livery", words.removeprefix("livery ")
    synopsis += [".TP", usage(program, words), text(item.help)]
  return page(f"livery-{command.name}", livery.version, command.summary, {
    "SYNOPSIS": synopsis,
    "OPTIONS": option_lines(command.options),
    "NOTES": [line for note in command.notes for line in (".PP", text(note))],
    "EXIT STATUS": statuses(command.statuses or livery.statuses),
    "ENVIRONMENT": environment(command.variables),
    "SEE ALSO": ["\\fBlivery\\fR(1)"],
  })


def pages(livery: Livery) -> Dict[str, str]:
  unknown = {name for command in livery.commands for name in command.variables} - VARIABLES.keys()
  if unknown:
    raise HelpError(f"tools/manual/man.py does not say what {', '.join(sorted(unknown))} is")
  made = {"man/livery.1": main_page(livery)}
  for command in livery.commands:
    if command.program:
      made[f"man/livery-{command.name}.1"] = extension_page(livery, command)
  return made

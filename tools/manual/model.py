"""What the programs say of themselves: their `--help`, read back."""
from __future__ import annotations

import json
import pathlib
import re
import subprocess
from typing import List, NamedTuple, Optional

LAYERS = ["bundle", "recommended", "user", "session", "enforced", "override"]
OPTION = re.compile(r"  (?:-(\w), )?--([a-z-]+)(?: (\S+))?(?:\s{2,}(\S.*))?$")
USAGE = re.compile(r"  (livery (?:\S| (?! ))+)(?:\s{2,}(\S.*))?$")


class Option(NamedTuple):
  name: str
  short: Optional[str]
  #: What it takes; None for nothing.
  value: Optional[str]
  help: str


class Usage(NamedTuple):
  """A way to call a program, without the program's name, and what that does."""
  words: str
  help: str


class Command(NamedTuple):
  """A word behind `livery`."""
  name: str
  summary: str
  usages: List[Usage]
  options: List[Option]
  #: What else there is to say.
  notes: List[str]
  #: The program that it is, of an extension; None for livery's own.
  program: Optional[str]
  #: Its exit statuses; none where they are those of all.
  statuses: List[List[str]]

  @property
  def variables(self) -> List[str]:
    """Those of the environment that it reads."""
    texts = [option.help for option in self.options] + self.notes
    return sorted({name for text in texts for name in re.findall(r"\$([A-Z_]+)", text)})

  @property
  def words(self) -> List[str]:
    """Those that may follow, such as `login` of `livery session`."""
    found = []
    for usage in self.usages:
      # Another command that does the same.
      if usage.words.startswith("livery "):
        continue
      alternatives = [part.strip().lstrip("[").split(" ")[0] for part in usage.words.split(" | ")]
      if self.program is None and len(alternatives) == 1 and "|" in alternatives[0]:
        alternatives = alternatives[0].split("|")
      found += [word for word in alternatives if re.fullmatch(r"[a-z]+", word) and word not in found]
    return found


class Livery(NamedTuple):
  version: str
  commands: List[Command]
  #: Of all commands of livery's own.
  options: List[Option]
  statuses: List[List[str]]


class HelpError(Exception):
  """A program's help that is not understood."""


def run(program: pathlib.Path, *arguments: str) -> str:
  return subprocess.run([str(program), *arguments], check=True, capture_output=True, text=True).stdout


def options(lines: List[str]) -> List[Option]:
  """Of lines of a table, of which long ones go on in the next."""
  found: List[Option] = []
  for line in lines:
    match = OPTION.match(line)
    if match:
      found.append(Option(match[2], match[1], match[3], match[4] or ""))
    elif found and line.startswith("      "):
      found[-1] = found[-1]._replace(help=(found[-1].help + " " + line.strip()).strip())
    else:
      raise HelpError(f"no option: {line}")
  return found


def usages(lines: List[str], noun: str) -> List[Usage]:
  found: List[Usage] = []
  for line in lines:
    match = USAGE.match(line)
    if match:
      words = match[1].removeprefix("livery ").removeprefix(noun).strip() if match[1].startswith(f"livery {noun}") else match[1]
      found.append(Usage(words, match[2] or ""))
    elif found and line.startswith("      "):
      found[-1] = found[-1]._replace(help=(found[-1].help + " " + line.strip()).strip())
    else:
      raise HelpError(f"no usage: {line}")
  return found


def blocks(text: str) -> List[List[str]]:
  return [block.split("\n") for block in text.strip("\n").split("\n\n")]


def extension(program: pathlib.Path) -> Command:
  noun = program.name.removeprefix("livery-")
  first, *rest = blocks(run(program, "--help"))
  title, _, summary = first[0].partition(": ")
  if title != f"livery {noun}" or not summary:
    raise HelpError(f"{program.name}: {first[0]}")
  command = Command(noun, summary, [], [], [], program.name, [])
  for block in rest:
    if block[0] == "exit status":
      command.statuses.extend(line.split(None, 1) for line in block[1:])
    elif USAGE.match(block[0]):
      command.usages.extend(usages(block, noun))
    elif OPTION.match(block[0]):
      command.options.extend(options(block))
    else:
      command.notes.append(" ".join(line.strip() for line in block))
  if not command.usages or not command.options:
    raise HelpError(f"{program.name} tells no usage, or no options")
  return command


def section(text: str, title: str) -> List[str]:
  """The lines under a title."""
  for block in blocks(text):
    if block[0] == title:
      return block[1:]
  return []


def own(program: pathlib.Path, name: str) -> Command:
  text = run(program, "help", name)
  usage, summary = text.split("\n")[0].removeprefix(f"usage: livery {name}").strip(), text.split("\n")[2]
  return Command(name, summary, [Usage(usage, "")], options(section(text, "options")), [], None, [])


def read(folder: pathlib.Path) -> Livery:
  """Of the programs that are built in a folder."""
  program = folder / "livery"
  overview = run(program, "help")
  listed = json.loads(run(program, "help", "--json"))
  commands = [own(program, item["name"]) for item in listed if "program" not in item]
  commands += [extension(folder / item["program"]) for item in listed if "program" in item]
  statuses = [line.split(None, 1) for line in section(overview, "exit status")]
  return Livery(run(program, "--version").split()[1], commands, options(section(overview, "options of all commands")), statuses)

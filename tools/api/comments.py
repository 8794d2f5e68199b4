"""The comments of the headers: prose, then `@param`, `@return` and the like."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import List, Optional, Tuple

from .model import HeaderError, Returns, Status

PARAMETER = re.compile(r"@param(?:\[(\S*)\])?\s+(\w+(?:, \w+)*)\s+(\S.*)", re.S)
DIRECTIONS = ("in", "out", "in,out")


@dataclass
class Described:
  """A parameter, as the comment has it."""

  name: str
  direction: str
  text: str
  line: int


@dataclass
class Comment:
  """A comment, taken apart."""

  line: int
  #: All prose, line by line.
  text: str = ""
  file: Optional[str] = None
  parameters: List[Described] = field(default_factory=list)
  returns: Optional[Returns] = None
  since: Optional[str] = None
  deprecated: Optional[str] = None

  @property
  def paragraphs(self) -> List[str]:
    return [each for each in re.split(r"\n\n+", self.text) if each.strip()]

  @property
  def summary(self) -> str:
    return joined(next((each for each in self.paragraphs[:1] if not each.startswith("Threads:")), ""))

  @property
  def threads(self) -> str:
    return next((joined(each[len("Threads:"):]) for each in self.paragraphs if each.startswith("Threads:")), "")

  @property
  def description(self) -> str:
    """What is neither the summary nor about threads, line by line."""
    return "\n\n".join(each for each in self.paragraphs[1:] if not each.startswith("Threads:"))

  @property
  def has_tags(self) -> bool:
    return bool(self.parameters or self.returns or self.since or self.deprecated)


def joined(text: str) -> str:
  return " ".join(text.split())


def stripped(comment: str) -> List[str]:
  """The lines of a comment without what makes them a comment."""
  first, *others = comment[3:-2].split("\n")
  lines = [first.strip()]
  for line in others:
    match = re.match(r"\s*\*(?: |$)(.*)", line)
    lines.append((match[1] if match else line.lstrip()).rstrip())
  return lines


def read_comment(comment: str, file: object, line: int) -> Comment:
  if comment.startswith("/**<"):
    raise HeaderError(file, line, "a comment behind what it describes: write it above")
  found = Comment(line)
  prose: List[str] = []
  tags: List[Tuple[int, List[str]]] = []
  for number, text in enumerate(stripped(comment), line):
    if text.startswith("@file "):
      found.file = text[len("@file "):].strip()
    elif text.startswith("@"):
      tags.append((number, [text]))
    elif not tags:
      prose.append(text)
    elif text and not tags[-1][1][-1]:
      raise HeaderError(file, number, "prose behind the tags: write it before them")
    else:
      tags[-1][1].append(text)
  found.text = "\n".join(prose).strip("\n")
  for number, lines in tags:
    read_tag(found, file, number, lines)
  return found


def read_tag(found: Comment, file: object, line: int, lines: List[str]) -> None:
  text = "\n".join(lines).strip()
  tag = text.split()[0]
  rest = joined(text[len(tag):])
  if tag.startswith("@param"):
    match = PARAMETER.fullmatch(text)
    if match is None:
      raise HeaderError(file, line, "@param or @param[out] goes with a name and what it is")
    if match[1] is not None and match[1] not in DIRECTIONS:
      raise HeaderError(file, line, f"[{match[1]}] is none of {', '.join(DIRECTIONS)}")
    found.parameters += [Described(name, match[1] or "in", joined(match[3]), line) for name in match[2].split(", ")]
    return
  name = tag[1:] if tag != "@return" else "returns"
  if name not in ("returns", "since", "deprecated"):
    raise HeaderError(file, line, f"{tag} is not understood")
  if getattr(found, name) is not None:
    raise HeaderError(file, line, f"{tag} is there already")
  if not rest:
    raise HeaderError(file, line, f"{tag} says nothing")
  setattr(found, name, read_returns(file, line, lines) if name == "returns" else rest)


def read_returns(file: object, line: int, lines: List[str]) -> Returns:
  """A sentence; or `#LIVERY_OK, or` and a list of the statuses of failures."""
  items = [(line, lines[0][len("@return"):])]
  for number, text in enumerate(lines[1:], line + 1):
    if text.lstrip().startswith("- "):
      items.append((number, text.lstrip()[2:]))
    else:
      items[-1] = items[-1][0], items[-1][1] + " " + text
  returns = Returns(joined(items[0][1]))
  success = re.fullmatch(r"#LIVERY_OK\b *(.*?)(, or)?", returns.text)
  if success:
    returns.statuses.append(Status("LIVERY_OK", line, success[1]))
  if len(items) > 1 and not (success and success[2]):
    raise HeaderError(file, line, "statuses are listed behind `@return #LIVERY_OK, or`")
  if success and success[2] and len(items) == 1:
    raise HeaderError(file, line, "no statuses are listed behind `or`")
  for number, text in items[1:]:
    match = re.fullmatch(r"#(LIVERY_ERROR_\w+) (.+)", joined(text))
    if match is None:
      raise HeaderError(file, number, f"{joined(text)!r} is not a status, as #LIVERY_ERROR_CLOSED, and when it comes")
    if match[1] in [each.name for each in returns.statuses]:
      raise HeaderError(file, number, f"{match[1]} is listed twice")
    returns.statuses.append(Status(match[1], number, match[2]))
  return returns

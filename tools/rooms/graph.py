"""Which room of a target stands on which, from the index of a build."""
from __future__ import annotations

import pathlib
from dataclasses import dataclass, field
from typing import Dict, List, Set, Tuple


@dataclass(frozen=True, order=True)
class Use:
  """A name that one room uses of another."""

  file: str
  line: int
  name: str
  declared: str


@dataclass
class Target:
  name: str
  rooms: List[str]
  uses: Dict[Tuple[str, str], Set[Use]] = field(default_factory=dict)

  def below(self, room: str) -> List[str]:
    """What a room stands on."""
    return [other for other in self.rooms if (room, other) in self.uses]

  def reach(self, room: str) -> Set[str]:
    """What a room stands on, also through others."""
    found: Set[str] = set()
    ahead = self.below(room)
    while ahead:
      other = ahead.pop()
      if other not in found:
        found.add(other)
        ahead += self.below(other)
    return found

  def circles(self) -> List[List[str]]:
    """Rooms that stand on each other."""
    reach = {room: self.reach(room) for room in self.rooms}
    groups = {tuple(other for other in self.rooms if other in reach[room] and room in reach[other]) for room in self.rooms}
    return [list(group) for group in sorted(groups) if group]

  def arrows(self) -> List[Tuple[str, str]]:
    """What stands on what, without what follows from that."""
    return [(room, other) for room in self.rooms for other in self.below(room)
            if not any(other in self.reach(between) for between in self.below(room) if between != other)]

  def levels(self) -> List[List[str]]:
    """The rooms from the ground up: each above all that it stands on."""
    height: Dict[str, int] = {}

    def measure(room: str) -> int:
      if room not in height:
        height[room] = 1 + max((measure(other) for other in self.below(room)), default=-1)
      return height[room]
    for room in self.rooms:
      measure(room)
    return [[room for room in self.rooms if height[room] == level] for level in range(max(height.values()) + 1)]


def read(index, folder: pathlib.Path) -> Target:
  """The rooms of a target in the folder of its sources."""
  files = sorted(folder.glob("*/*.swift"))
  declared: Dict[str, pathlib.Path] = {}
  occurrences = list(index.occurrences(files))
  for each in occurrences:
    if each.is_definition:
      declared.setdefault(each.symbol, each.file)
  target = Target(folder.name, sorted({file.parent.name for file in files}))
  for each in occurrences:
    source = declared.get(each.symbol)
    if source is not None and source.parent != each.file.parent:
      rooms = (each.file.parent.name, source.parent.name)
      target.uses.setdefault(rooms, set()).add(Use(each.file.name, each.line, each.name, source.name))
  return target

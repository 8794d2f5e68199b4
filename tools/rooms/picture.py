"""The picture of rooms: each above what it stands on, as SVG."""
from __future__ import annotations

from typing import Dict, List, Tuple

from rooms.graph import Target

BOX = (108, 30)
GAP = (24, 44)
MARGIN, TITLE = 24, 34

STYLE = """
  text { font: 14px system-ui, sans-serif; text-anchor: middle; fill: #1b1f24 }
  .target { font-weight: bold; text-anchor: start }
  rect { fill: #eef3f8; stroke: #4a6a8a }
  .ground { fill: #ffffff; stroke: none }
  path { fill: none; stroke: #7d8b99; stroke-width: 1.2 }
  marker path { fill: #7d8b99; stroke: none }
"""


def ordered(target: Target) -> List[List[str]]:
  """The levels from the top down, each room near those that stand on it."""
  levels = target.levels()[::-1]
  arrows = target.arrows()
  place: Dict[str, float] = {}
  for level in levels:
    def wish(room: str) -> float:
      above = [place[top] for top, bottom in arrows if bottom == room and top in place]
      return sum(above) / len(above) if above else 0.5
    level.sort(key=lambda room: (wish(room), room))
    for number, room in enumerate(level):
      place[room] = (number + 0.5) / len(level)
  return levels


def boxes(target: Target, top: int, width: int) -> Tuple[Dict[str, Tuple[float, float]], int]:
  """Where the upper left corner of each room is, and where the picture of the target ends."""
  found: Dict[str, Tuple[float, float]] = {}
  y = top + TITLE
  for level in ordered(target):
    across = len(level) * BOX[0] + (len(level) - 1) * GAP[0]
    x = (width - across) / 2
    for room in level:
      found[room] = (x, y)
      x += BOX[0] + GAP[0]
    y += BOX[1] + GAP[1]
  return found, y - GAP[1]


def arrow(start: Tuple[float, float], end: Tuple[float, float]) -> str:
  x, y = start[0] + BOX[0] / 2, start[1] + BOX[1]
  to, down = end[0] + BOX[0] / 2, end[1] - 2
  bend = (down - y) / 2
  return f'<path d="M{x:g} {y:g}C{x:g} {y + bend:g} {to:g} {down - bend:g} {to:g} {down:g}" marker-end="url(#tip)"/>'


def draw(targets: List[Target]) -> str:
  widest = max(len(level) for target in targets for level in target.levels())
  width = 2 * MARGIN + widest * BOX[0] + (widest - 1) * GAP[0]
  lines: List[str] = []
  y = MARGIN
  # What stands on the other target comes first.
  for target in targets[::-1]:
    lines.append(f'<text class="target" x="{MARGIN}" y="{y + 14}">{target.name}</text>')
    places, end = boxes(target, y, width)
    lines += [arrow(places[top], places[bottom]) for top, bottom in target.arrows()]
    for room, (x, top) in places.items():
      lines.append(f'<rect x="{x:g}" y="{top:g}" width="{BOX[0]}" height="{BOX[1]}" rx="5"/>'
                   f'<text x="{x + BOX[0] / 2:g}" y="{top + 20:g}">{room}</text>')
    y = end + MARGIN + TITLE // 2
  height = y - TITLE // 2
  return "\n".join([
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}">',
    "<title>The rooms of Livery and LiveryCore: an arrow leads to what a room stands on</title>",
    f"<style>{STYLE}</style>",
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0L8 4L0 8z"/></marker></defs>',
    '<rect class="ground" width="100%" height="100%"/>', *lines, "</svg>", ""])

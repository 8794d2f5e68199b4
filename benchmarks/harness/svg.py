"""Two kinds of charts as SVG, with a light and a dark face: dots in rows, and lines."""
import math
from html import escape
from typing import Callable, List, NamedTuple, Sequence, Tuple


class Face(NamedTuple):
  name: str
  ground: str
  text: str
  quiet: str
  grid: str
  own: str
  other: str
  band: str


FACES = [
  Face("light", "#ffffff", "#1f2328", "#59636e", "#e4e7eb", "#0a5fb4", "#7d8590", "#f0f6fc"),
  Face("dark", "#0d1117", "#e6edf3", "#9198a1", "#262c36", "#4ba3ff", "#8b949e", "#121d2f"),
]

WIDTH, ROW, LEFT, RIGHT, TOP, BOTTOM = 820, 27, 196, 76, 82, 44


class Dot(NamedTuple):
  value: float
  least: float
  most: float


class Row(NamedTuple):
  label: str
  is_own: bool
  #: One for each series; None where nothing was measured.
  dots: Sequence


class Line(NamedTuple):
  label: str
  is_own: bool
  is_dashed: bool
  points: List[Tuple[float, Dot]]


class Drawing:
  def __init__(self, face: Face, height: float, title: str, subtitle: str) -> None:
    self.face, self.parts = face, []
    self.parts.append(
      f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}" height="{height:g}" '
      f'role="img" font-family="system-ui, -apple-system, \'Segoe UI\', \'DejaVu Sans\', sans-serif" font-size="13">')
    self.parts.append(f"<title>{escape(title)}: {escape(subtitle)}</title>")
    self.parts.append(f'<rect width="{WIDTH}" height="{height:g}" rx="8" fill="{face.ground}"/>')
    self.text(24, 32, title, face.text, size=17, weight="600")
    self.text(24, 53, subtitle, face.quiet)

  def text(self, x: float, y: float, text: str, color: str, anchor: str = "start", size: float = 13,
           weight: str = "400") -> None:
    self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{color}" text-anchor="{anchor}" font-size="{size:g}" '
                      f'font-weight="{weight}">{escape(text)}</text>')

  def line(self, x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1, more: str = "") -> None:
    self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" '
                      f'stroke-width="{width:g}" {more}/>')

  def dot(self, x: float, y: float, color: str, is_hollow: bool, radius: float = 5) -> None:
    fill = self.face.ground if is_hollow else color
    self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{fill}" stroke="{color}" '
                      'stroke-width="2"/>')

  def done(self) -> str:
    return "\n".join([*self.parts, "</svg>\n"])


class Axis:
  """A logarithmic axis from a power of ten to another, or to twice or five times one."""

  def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
    steps = [m * 10.0 ** e for e in range(-3, 10) for m in (1, 2, 5)]
    self.low = max(step for step in steps if step <= min(values) * 0.999)
    self.high = min(step for step in steps if step >= max(values) * 1.001)
    self.begin, self.end = begin, end
    decades = math.log10(self.high / self.low)
    self.ticks = [step for step in steps if self.low <= step <= self.high
                  and (decades < 2.2 or math.isclose(math.log10(step) % 1, 0, abs_tol=1e-6))]

  def at(self, value: float) -> float:
    share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
    return self.begin + share * (self.end - self.begin)


def dots(face: Face, title: str, subtitle: str, series: Sequence[str], rows: List[Row],
         shown: Callable[[float], str]) -> str:
  height = TOP + ROW * len(rows) + BOTTOM
  drawing = Drawing(face, height, title, subtitle)
  values = [number for row in rows for dot in row.dots if dot for number in (dot.value,)]
  axis = Axis(values, LEFT + 64, WIDTH - RIGHT)
  bottom = height - BOTTOM
  x = WIDTH - 24.0
  for index in reversed(range(len(series) if len(series) > 1 else 0)):
    x -= 7.6 * len(series[index])
    drawing.text(x, 32, series[index], face.quiet)
    drawing.dot(x - 12, 27.5, face.quiet, index > 0)
    x -= 36
  for tick in axis.ticks:
    drawing.line(axis.at(tick), TOP - 8, axis.at(tick), bottom, face.grid)
    drawing.text(axis.at(tick), bottom + 20, shown(tick), face.quiet, "middle", 12)
  for index, row in enumerate(rows):
    y, color = TOP + ROW * (index + 0.5), face.own if row.is_own else face.other
    if row.is_own:
      drawing.parts.append(f'<rect x="12" y="{y - ROW / 2 + 1:.1f}" width="{WIDTH - 24}" height="{ROW - 2}" rx="5" '
                           f'fill="{face.band}"/>')
      for tick in axis.ticks:
        drawing.line(axis.at(tick), y - ROW / 2, axis.at(tick), y + ROW / 2, face.grid)
    weight = "600" if row.is_own else "400"
    drawing.text(LEFT, y + 4.5, row.label, face.text, "end", weight=weight)
    there = [(axis.at(dot.value), place, dot) for place, dot in enumerate(row.dots) if dot]
    if not there:
      continue
    there.sort(key=lambda item: item[0])
    drawing.line(there[0][0], y, there[-1][0], y, color, 2, 'stroke-opacity="0.45"')
    for at, place, dot in there:
      drawing.dot(at, y, color, place > 0)
    drawing.text(there[-1][0] + 11, y + 4.5, shown(there[-1][2].value), face.text, size=12, weight=weight)
    if len(there) > 1:
      drawing.text(there[0][0] - 11, y + 4.5, shown(there[0][2].value), face.text, "end", 12, weight)
  return drawing.done()


def lines(face: Face, title: str, subtitle: str, bottom_label: str, items: List[Line],
          shown: Callable[[float], str]) -> str:
  height, bottom, right = 400, 400 - 62, WIDTH - 190
  drawing = Drawing(face, height, title, subtitle)
  xs = [x for item in items for x, _ in item.points]
  across = Axis([min(xs) * 1.01, max(xs) * 0.99], 84, right)
  up = Axis([dot.value for item in items for _, dot in item.points], bottom, TOP)
  for tick in up.ticks:
    drawing.line(84, up.at(tick), right, up.at(tick), face.grid)
    drawing.text(74, up.at(tick) + 4.5, shown(tick), face.quiet, "end", 12)
  for tick in sorted(set(xs)):
    drawing.line(across.at(tick), TOP, across.at(tick), bottom, face.grid)
    drawing.text(across.at(tick), bottom + 20, f"{tick:,.0f}", face.quiet, "middle", 12)
  drawing.text((84 + right) / 2, bottom + 42, bottom_label, face.quiet, "middle")
  labels = []
  for item in items:
    color = face.own if item.is_own else face.other
    places = [(across.at(x), up.at(dot.value)) for x, dot in item.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dash = ' stroke-dasharray="6 4"' if item.is_dashed else ""
    drawing.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.2"{dash}/>')
    for x, y in places:
      drawing.dot(x, y, color, item.is_dashed, 3.6)
    labels.append([places[-1][1], f"{item.label} {shown(item.points[-1][1].value)}", color, item.is_own])
  labels.sort(key=lambda label: label[0])
  for index in range(1, len(labels)):
    labels[index][0] = max(labels[index][0], labels[index - 1][0] + 17)
  for y, text, color, is_own in labels:
    drawing.text(right + 12, y + 4.5, text, color, weight="600" if is_own else "400")
  return drawing.done()

"""Figures as they come in, and the rows that are made of them."""
import statistics
from typing import Dict, List, NamedTuple, Optional, Tuple

Place = Tuple[str, str, int]


class Unit(NamedTuple):
  name: str
  #: What a figure is divided by.
  scale: float


NS, US, MS = Unit("ns", 1), Unit("us", 1e3), Unit("ms", 1e6)
KB, PER_SECOND, TIMES = Unit("KB", 1), Unit("1/s", 1), Unit("x", 1)


class Samples:
  """For each subject, measure and count one figure a round."""

  def __init__(self) -> None:
    self.figures: Dict[Place, List[float]] = {}
    self.units: Dict[Place, Unit] = {}
    #: What raw LMDB did just before, for each of the figures.
    self.bases: Dict[Place, List[float]] = {}

  def add(self, subject: str, measure: str, count: int, unit: Unit, figure: float,
          base: Optional[float] = None) -> None:
    place = subject, measure, count
    self.figures.setdefault(place, []).append(figure)
    self.units[place] = unit
    if base is not None:
      self.bases.setdefault(place, []).append(base)

  def of(self, subject: str, measure: str, count: int) -> List[float]:
    return self.figures.get((subject, measure, count), [])

  def add_ratio(self, subject: str, measure: str, count: int, above: List[float], below: List[float]) -> None:
    """A measure of its own made of two others, round by round."""
    for one, other in zip(above, below):
      if other > 0:
        self.add(subject, measure, count, TIMES, one / other)

  def rows(self) -> List[dict]:
    rows = []
    for place, figures in self.figures.items():
      subject, measure, count = place
      scale, bases = self.units[place].scale, self.bases.get(place)
      ratio = statistics.median(one / other for one, other in zip(figures, bases)) if bases else None
      rows.append({
        "subject": subject, "measure": measure, "n": count, "unit": self.units[place].name,
        "median": _rounded(statistics.median(figures) / scale), "min": _rounded(min(figures) / scale),
        "max": _rounded(max(figures) / scale), "ratio_to_raw_lmdb": None if ratio is None else _rounded(ratio),
      })
    return rows


def _rounded(number: float) -> float:
  """Four digits are more than are true."""
  return float(f"{number:.4g}")

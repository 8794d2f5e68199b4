"""Which charts are drawn of the rows."""
import pathlib
from typing import Callable, Dict, List, Optional

from . import svg
from .subjects import SUBJECTS

OWN = "Livery"


class Rows:
  def __init__(self, result: dict) -> None:
    self.found: Dict[tuple, dict] = {(row["subject"], row["measure"], row["n"]): row for row in result["results"]}

  def dot(self, subject: str, measure: str, count: int) -> Optional[svg.Dot]:
    row = self.found.get((subject, measure, count))
    return row and svg.Dot(row["median"], row["min"], row["max"])

  def counts(self, subject: str, measure: str) -> List[int]:
    return sorted(count for one, other, count in self.found if (one, other) == (subject, measure))


def time(nanoseconds: float) -> str:
  for limit, unit in ((1e3, "ns"), (1e6, "µs"), (1e9, "ms")):
    if nanoseconds < limit:
      return f"{_short(nanoseconds / limit * 1e3)} {unit}"
  return f"{_short(nanoseconds / 1e9)} s"


def _short(number: float) -> str:
  return f"{number:.3g}" if number < 1000 else f"{number:,.0f}"


def from_us(microseconds: float) -> str:
  return time(microseconds * 1e3)


def from_ms(milliseconds: float) -> str:
  return time(milliseconds * 1e6)


def size(kb: float) -> str:
  return f"{_short(kb)} KB" if kb < 1000 else f"{_short(kb / 1000)} MB"


def _rows(rows: Rows, places: List[tuple]) -> List[svg.Row]:
  """`places` are labels, each with the places of its series; sorted by the first that is there."""
  made = []
  for label, dots in places:
    found = [rows.dot(*dot) for dot in dots]
    if any(found):
      made.append(svg.Row(label, label.startswith(OWN), found))
  return sorted(made, key=lambda row: next(dot.value for dot in row.dots if dot))


def _each(measures: List[str], counts: List[int], but: List[str] = ()) -> List[tuple]:
  return [(subject.label, [(subject.name, measure, count) for measure in measures for count in counts])
          for subject in SUBJECTS if subject.name not in but and subject.name != "empty-loop"]


def _reads(rows: Rows, small: int, large: int) -> List[svg.Row]:
  both = lambda subject, measure: [(subject, measure, small), (subject, measure, large)]
  own = [("Livery, C, by key", both("livery-c", "read_key")), ("Livery, C, by name", both("livery-c", "read_name")),
         ("Livery, Swift, by key", both("livery-swift", "read_key")),
         ("Livery, Swift, by name", both("livery-swift", "read_name")),
         ("Livery, Python, by key", both("livery-python", "read_key")),
         ("Livery, Python, by name", both("livery-python", "read_name"))]
  others = [item for item in _each(["read_name"], [small, large]) if not item[0].startswith(OWN)]
  return _rows(rows, own + others)


def drawn(result: dict) -> Dict[str, Callable[[svg.Face], str]]:
  rows = Rows(result)
  sizes = [count for count in (1_000, 100_000) if count in rows.counts("livery-swift", "read_name")
           or count in rows.counts("sqlite", "read_name")] or rows.counts("raw-lmdb", "gain_2threads") or [600]
  small, large = sizes[0], sizes[-1]
  series = [f"{small:,} settings"] + ([f"{large:,}"] if large != small else [])
  growth = [
    svg.Line(label, own, dashed,
             [(count, rows.dot(subject, measure, count)) for count in rows.counts(subject, measure)])
    for label, own, dashed, subject, measure in (
      ("Livery by key", True, False, "livery-c", "read_key"), ("Livery by name", True, False, "livery-c", "read_name"),
      ("Livery, cold", True, True, "livery-c", "read_cold"), ("raw LMDB", False, False, "raw-lmdb", "read_name"),
      ("raw LMDB, cold", False, True, "raw-lmdb", "read_cold"))
    if rows.counts(subject, measure)
  ]
  no_python = ["python-dict", "python-dbm", "python-sqlite3"]
  return {
    "reads": lambda face: svg.dots(face, "Reading a setting", "a scalar, warm; median; logarithmic scale", series,
                                   _reads(rows, small, large), time),
    "growth": lambda face: svg.lines(face, "Reading as the store grows",
                                     "a scalar in C; cold: among the first six after a commit by another process", "settings in the store", growth, time),
    "starts": lambda face: svg.dots(face, "From process start to the first value",
                                    "start, open, read one, close; logarithmic scale", series,
                                    _rows(rows, _each(["first_read"], [small, large], no_python)), from_ms),
    "memory": lambda face: svg.dots(face, "What that process weighs",
                                    "peak resident memory, and the libraries it maps beside libc; logarithmic scale",
                                    ["memory", "libraries"],
                                    _rows(rows, _each(["peak_rss", "closure"], [small], no_python)), size),
    "commits": lambda face: svg.dots(face, "Committing, durably", f"{small:,} settings; median; logarithmic scale",
                                     ["1 setting", "100 settings at once"],
                                     _rows(rows, _each(["commit_1", "commit_100"], [small])), from_us),
  }


def write(result: dict, directory: pathlib.Path) -> None:
  directory.mkdir(parents=True, exist_ok=True)
  for name, draw in drawn(result).items():
    for face in svg.FACES:
      (directory / f"{name}-{face.name}.svg").write_text(draw(face), encoding="utf-8")

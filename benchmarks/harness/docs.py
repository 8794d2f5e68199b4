"""Puts figures between the marks `<!-- bench:NAME -->` and `<!-- /bench -->` of a page."""
import pathlib
import re
from typing import Dict, List

from .bars import judge
from .charts import Rows, from_ms, from_us, size, time
from .report import figure
from .subjects import SUBJECTS

COLUMNS = [
  ("read, 1,000", "read_name", 1_000, time), ("read, 100,000", "read_name", 100_000, time),
  ("16-byte text", "read_string", 1_000, time), ("start", "first_read", 1_000, from_ms),
  ("commit of 1", "commit_1", 1_000, from_us), ("commit of 100", "commit_100", 1_000, from_us),
  ("memory", "peak_rss", 1_000, size), ("libraries", "closure", 1_000, size),
  ("on disk, 100,000", "disk", 100_000, size),
]


def _table(head: List[str], lines: List[List[str]]) -> str:
  return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *lines])


def _bars(result: dict) -> str:
  """A line for each bar; two sizes side by side."""
  lines: Dict[str, Dict[int, str]] = {}
  for bar, measured, verdict in judge(result["results"]):
    sign = "≥" if bar.at_least else "≤"
    text = "not measured" if measured is None else f"{figure(measured)} ({sign} {bar.limit:g})"
    lines.setdefault(bar.text, {})[bar.n] = f"**{text}**" if verdict == "NOT MET" else text
  rows = []
  for text, found in lines.items():
    small = next((cell for count, cell in found.items() if count != 100_000), "")
    rows.append([text, small, found.get(100_000, "")])
  return _table(["measure", "1,000 settings", "100,000 settings"], rows)


def _figures(result: dict) -> str:
  rows = Rows(result)
  lines = []
  for subject in SUBJECTS:
    cells = []
    for _, measure, count, shown in COLUMNS:
      dot = rows.dot(subject.name, measure, count)
      cells.append(shown(dot.value) if dot else "")
    if any(cells[1:]):
      lines.append([subject.label, *cells])
  by_key = rows.dot("livery-c", "read_key", 1_000), rows.dot("livery-c", "read_key", 100_000)
  if all(by_key):
    lines.insert(1, ["Livery, C, by key", *(time(dot.value) for dot in by_key), *[""] * (len(COLUMNS) - 2)])
  return _table(["", *(title for title, *_ in COLUMNS)], lines)


BLOCKS = {"machine": lambda result: f"Measured on: {result['machine']}.", "bars": _bars, "figures": _figures}


def patch(result: dict, page: pathlib.Path) -> None:
  text = page.read_text(encoding="utf-8")
  for name, block in BLOCKS.items():
    pattern = re.compile(rf"(<!-- bench:{name} -->\n).*?(<!-- /bench -->)", re.DOTALL)
    if not pattern.search(text):
      raise ValueError(f"{page} has no mark for {name}")
    text = pattern.sub(lambda found, block=block: found.group(1) + block(result) + "\n" + found.group(2), text)
  page.write_text(text, encoding="utf-8")

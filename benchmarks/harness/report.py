"""Rows as a table for people, and as JSON."""
import json
import os
import pathlib
import platform
from typing import List

from .bars import judge

KEYS = ("subject", "measure", "n", "unit", "median", "min", "max", "ratio_to_raw_lmdb")


def machine() -> str:
  model, memory, system = platform.machine(), "", f"{platform.system()} {platform.release()}"
  try:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
      model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
    with open("/proc/meminfo", encoding="utf-8") as file:
      memory = f"{int(file.readline().split()[1]) / (1 << 20):.0f} GiB memory, "
    with open("/etc/os-release", encoding="utf-8") as file:
      system = next(line.split("=", 1)[1].strip().strip('"') for line in file if line.startswith("PRETTY_NAME"))
  except (OSError, StopIteration):
    pass
  # What else runs counts among the conditions.
  load = os.getloadavg()[0]
  busy = f", busy with other work (load {load:.1f})" if load >= 1 else ""
  return f"{model}, {os.cpu_count()} cores, {memory}{system}, {platform.system()} {platform.release()}{busy}"


def figure(number: float) -> str:
  if number >= 1000:
    return f"{number:,.0f}"
  return f"{number:.0f}" if number >= 100 else f"{number:.1f}" if number >= 10 else f"{number:.2f}"


def print_table(result: dict) -> None:
  print(f"\n{result['machine']}\n")
  print(f"{'subject':16} {'measure':28} {'n':>9} {'median':>10} {'min':>10} {'max':>10} {'unit':4} {'x LMDB':>8}")
  order = {name: index for index, name in enumerate(dict.fromkeys(row["measure"] for row in result["results"]))}
  for row in sorted(result["results"], key=lambda row: (order[row["measure"]], row["n"])):
    ratio = "" if row["ratio_to_raw_lmdb"] is None else figure(row["ratio_to_raw_lmdb"])
    print(f"{row['subject']:16} {row['measure']:28} {row['n']:>9,} {figure(row['median']):>10} "
          f"{figure(row['min']):>10} {figure(row['max']):>10} {row['unit']:4} {ratio:>8}")


def print_bars(rows: List[dict]) -> None:
  print(f"\n{'bar':54} {'n':>9} {'limit':>8} {'measured':>9}")
  for bar, measured, verdict in judge(rows):
    limit = f"{'>=' if bar.at_least else '<='} {bar.limit:g}"
    print(f"{bar.text:54} {bar.n:>9,} {limit:>8} {figure(measured) if measured is not None else '':>9}  {verdict}")


def write_json(result: dict, path: pathlib.Path) -> None:
  lines = ",\n".join("  " + json.dumps({key: row[key] for key in KEYS}) for row in result["results"])
  path.write_text(f'{{"machine": {json.dumps(result["machine"])},\n "results": [\n{lines}\n]}}\n', encoding="utf-8")

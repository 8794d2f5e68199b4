#!/usr/bin/env python3
"""Measures the mixed workload beside raw LMDB: a hundred groups of settings of five types in turn, with values in the layer `user`
that one commit has set, read and written in random order.

    mixed.py --programs DIRECTORY --library FILE [--quick | --smoke] [--json FILE] [--out FILE]

Each figure is a median of rounds, in which raw LMDB and Livery take turns; the ratio is the median of the rounds' ratios. A loop
of the lowest priority keeps a core awake meanwhile.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
from typing import Dict, List, NamedTuple

from harness import report
from harness.subjects import Spinner

SUBJECTS = ("lmdb", "livery")
#: KiB.
PAGE = os.sysconf("SC_PAGE_SIZE") / 1024


class Plan(NamedTuple):
  sizes: List[int]
  rounds: int
  #: How long a loop of reads goes on, in nanoseconds.
  loop: int
  #: How many commits there are in a round.
  commits: int
  starts: int


FULL = Plan([1_000, 100_000], 15, 40_000_000, 20, 101)
QUICK = Plan([1_000, 100_000], 5, 15_000_000, 10, 21)
SMOKE = Plan([500], 2, 1_000_000, 2, 1)


class Measure(NamedTuple):
  name: str
  text: str
  unit: str
  #: By the number of settings: at most so many times raw LMDB, or with `absolute` at most so much.
  goal: Dict[int, float]
  absolute: bool = False


MEASURES = [
  Measure("commit_1", "commit of one", "us", {1_000: 1.2, 100_000: 1.2}),
  Measure("commit_100", "commit of 100", "us", {1_000: 2.0, 100_000: 2.0}),
  Measure("pages_1", "pages written by a commit of one", "", {1_000: 7, 100_000: 7}, absolute=True),
  Measure("pages_100", "pages written by a commit of 100", "", {}),
  Measure("file", "file", "KiB", {1_000: 3, 100_000: 2.5}),
  Measure("read", "warm read by name", "ns", {1_000: 0.2, 100_000: 0.3}),
  Measure("first_read", "first read, from process start", "us", {1_000: 1.3, 100_000: 1.3}),
  Measure("resident", "resident after reading all, above an empty process", "KiB", {100_000: 2}),
]


class Store:
  """A store of each subject with so many settings, and what was measured of them: pairs, raw LMDB first."""

  def __init__(self, programs: pathlib.Path, work: pathlib.Path, count: int, schema: bool) -> None:
    self.programs, self.work, self.count, self.schema = programs, work, count, schema
    self.samples: Dict[str, List[List[float]]] = {}

  def command(self, subject: str, mode: str) -> List[str]:
    return [str(self.programs / f"bench-mixed-{subject}"), mode, str(self.work / subject), str(self.count)]

  def run(self, subject: str, mode: str, *more: str) -> str:
    return subprocess.run([*self.command(subject, mode), *more], check=True, stdout=subprocess.PIPE, text=True).stdout

  def add(self, measure: str, pair: List[float]) -> None:
    self.samples.setdefault(measure, []).append(pair)

  def made(self) -> None:
    for subject in SUBJECTS:
      self.run(subject, "make", *(["schema"] if self.schema else []))
    self.add("file", [(self.work / subject / "data.mdb").stat().st_size / 1024 for subject in SUBJECTS])

  def started(self, plan: Plan) -> None:
    lines = "".join(" ".join(self.command(subject, "first")) + "\n" for subject in SUBJECTS)
    output = subprocess.run([self.programs / "bench-spawn", str(plan.starts)], input=lines, text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    times = [float(line.split()[1]) / 1e3 for line in output.splitlines()]
    for place in range(0, len(times), 2):
      self.add("first_read", times[place:place + 2])

  def resident(self) -> None:
    # How much of libc lies around what a process touches varies by some 100 KiB: more than a small store takes.
    empty = min(float(self.run("lmdb", "empty")) for _ in range(5))
    self.add("resident", [max(float(self.run(subject, "memory")) - empty, PAGE) for subject in SUBJECTS])

  def served(self, plan: Plan) -> None:
    servers = [subprocess.Popen(self.command(subject, "serve"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
               for subject in SUBJECTS]

    def answer(server: subprocess.Popen) -> List[float]:
      line = server.stdout.readline()
      if not line:
        raise RuntimeError(f"{server.args} ended")
      return [] if line == "ready\n" else [float(word) for word in line.split()]

    def ask(server: subprocess.Popen, command: str) -> List[float]:
      server.stdin.write(command + "\n")
      server.stdin.flush()
      return answer(server)

    for server in servers:
      answer(server)
    with Spinner():
      for batch in (1, 100):
        # Those after loading find no free pages.
        for server in servers:
          ask(server, f"commit {batch} {plan.commits}")
      for number in range(plan.rounds):
        turn = servers if number % 2 == 0 else servers[::-1]
        asked = {}
        for command in (f"read {plan.loop}", f"commit 1 {plan.commits}", f"commit 100 {plan.commits}"):
          asked[command[:10]] = [answers for _, answers in sorted((servers.index(server), ask(server, command)) for server in turn)]
        for name, answers in asked.items():
          if name.startswith("read"):
            self.add("read", [item[0] for item in answers])
            continue
          batch = name.split()[1]
          self.add(f"commit_{batch}", [statistics.median(item[0::2]) / 1e3 for item in answers])
          self.add(f"pages_{batch}", [statistics.median(item[1::2]) for item in answers])
    for server in servers:
      ask(server, "check")
      server.stdin.close()
      if server.wait() != 0:
        raise RuntimeError(f"{server.args} failed")
      server.stdout.close()

  def rows(self) -> List[dict]:
    rows = []
    for measure in MEASURES:
      pairs = self.samples[measure.name]
      raw, own = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
      ratio = statistics.median(pair[1] / pair[0] for pair in pairs)
      goal = measure.goal.get(self.count)
      judged = own if measure.absolute else ratio
      rows.append({"measure": measure.name, "n": self.count, "schema": self.schema, "unit": measure.unit, "raw_lmdb": round(raw, 3),
                   "livery": round(own, 3), "ratio_to_raw_lmdb": round(ratio, 3), "goal": goal,
                   "met": None if goal is None else judged <= goal})
    return rows


def measured(programs: pathlib.Path, library: pathlib.Path, plan: Plan) -> List[dict]:
  # How a file that was just linked lies in the page cache decides how much of it the system maps around what is used.
  with open(library, "rb") as file:
    os.fsync(file.fileno())
    os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
  rows = []
  for schema in (True, False):
    for count in plan.sizes:
      print(f"{count} settings, {'declared' if schema else 'without a schema'}", file=sys.stderr, flush=True)
      with tempfile.TemporaryDirectory(prefix="livery-mixed-") as work:
        store = Store(programs, pathlib.Path(work), count, schema)
        store.made()
        store.started(plan)
        for _ in range(3):
          store.resident()
        store.served(plan)
        rows += store.rows()
  return rows


def print_tables(rows: List[dict]) -> None:
  texts = {measure.name: measure for measure in MEASURES}
  for schema in (True, False):
    print(f"\n{'with a schema that declares all, with defaults' if schema else 'without a schema':52} {'n':>8} {'unit':4} "
          f"{'raw LMDB':>9} {'Livery':>9} {'x LMDB':>7}  goal")
    for row in sorted((row for row in rows if row["schema"] == schema), key=lambda row: list(texts).index(row["measure"])):
      measure, goal = texts[row["measure"]], ""
      if row["goal"] is not None:
        unit = " pages" if measure.absolute else " x"
        goal = f"<= {row['goal']:g}{unit}{'' if row['met'] else '  MISSED'}"
      print(f"{measure.text:52} {row['n']:>8,} {row['unit']:4} {report.figure(row['raw_lmdb']):>9} {report.figure(row['livery']):>9} "
            f"{report.figure(row['ratio_to_raw_lmdb']):>7}  {goal}".rstrip())


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--programs", type=pathlib.Path, required=True)
  parser.add_argument("--library", type=pathlib.Path, required=True)
  parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
  parser.add_argument("--smoke", action="store_true", help="whether everything works, with few settings and no care")
  parser.add_argument("--json", type=pathlib.Path)
  parser.add_argument("--out", type=pathlib.Path, help="another file for the JSON")
  arguments = parser.parse_args()
  machine = report.machine()
  plan = SMOKE if arguments.smoke else QUICK if arguments.quick else FULL
  rows = measured(arguments.programs.resolve(), arguments.library.resolve(), plan)
  print(f"\n{machine}")
  print_tables(rows)
  for path in (arguments.json, arguments.out):
    if path:
      lines = ",\n".join("  " + json.dumps(row) for row in rows)
      path.write_text(f'{{"machine": {json.dumps(machine)}, "workload": "mixed",\n "results": [\n{lines}\n]}}\n', encoding="utf-8")
  return 0


if __name__ == "__main__":
  sys.exit(main())

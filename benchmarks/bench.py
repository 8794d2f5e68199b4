#!/usr/bin/env python3
"""Measures Livery beside what could be used in its place, and writes a table, JSON and charts.

    bench.py --programs DIRECTORY --library FILE [--swift-programs DIRECTORY] [--quick | --smoke] [--json FILE]
             [--charts DIRECTORY] [--docs FILE] [--only SUBJECT,...]
    bench.py --from FILE [--charts DIRECTORY] [--docs FILE]      from the JSON of an earlier run

The subjects are in harness/subjects.py, the measures in harness/measures.py, the bars in harness/bars.py.
"""
import argparse
import json
import pathlib
import sys
import tempfile
import time

from harness import bars, charts, docs, measures, report, subjects
from harness.samples import Samples

FULL = measures.Plan([1_000, 100_000], [100, 10_000, 1_000_000], 9, 50_000_000, 101, 400, 5)
QUICK = measures.Plan([1_000, 100_000], [100, 10_000, 1_000_000], 5, 15_000_000, 15, 200, 2)
SMOKE = measures.Plan([600], [120], 1, 1_000_000, 1, 100, 1)
GROWING = ["raw-lmdb", "livery-c"]


def measured(bench: subjects.Bench, plan: measures.Plan) -> Samples:
  samples = Samples()
  growing = [bench.by_name[name] for name in GROWING]
  for count in [*plan.sizes, *plan.growth]:
    who = bench.subjects if count in plan.sizes else growing
    measures.say(f"making stores with {count} settings")
    for subject in who:
      if "store" in subject.can and subject.most >= count:
        bench.make(subject, count)
        measures.on_disk(bench, samples, subject, count)

  for count in plan.sizes:
    who = [item for item in bench.subjects if "first" in item.can and item.most >= count and item.name != subjects.BASE]
    measures.say(f"starting processes on {count} settings")
    measures.starts(bench, samples, plan, [(item, count) for item in who])
  own, most = bench.by_name["livery-c"], max(plan.growth)
  sizes = sorted({*plan.growth, plan.sizes[0]})
  growth = Samples()
  measures.starts(bench, growth, plan, [(own, count) for count in sizes])
  for (name, measure, count), figures in growth.figures.items():
    if count in plan.growth:
      for index, figure in enumerate(figures):
        base = growth.bases.get((name, measure, count))
        samples.add(name, measure, count, growth.units[name, measure, count], figure, base[index] if base else None)
  samples.add_ratio(own.name, f"first_read_over_{plan.sizes[0]}", most, growth.of(own.name, "first_read", most),
                    growth.of(own.name, "first_read", plan.sizes[0]))
  measures.closures(bench, samples, plan.sizes[0])
  measures.notifications(bench, samples, plan)
  measures.upgrades(bench, samples, plan)
  measures.searches(bench, samples, plan)

  for count in plan.sizes:
    measures.in_processes(bench, samples, plan, count, [], measures.MEASURES)
  for count in plan.growth:
    measures.in_processes(bench, samples, plan, count, GROWING, measures.GROWTH_MEASURES)
  bars.derive(samples, plan.sizes)
  return samples


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--programs", type=pathlib.Path)
  parser.add_argument("--swift-programs", type=pathlib.Path)
  parser.add_argument("--library", type=pathlib.Path)
  parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a few minutes")
  parser.add_argument("--smoke", action="store_true", help="whether everything works, with few settings and no care")
  parser.add_argument("--only", help="these subjects, with commas between them; raw-lmdb and livery-c are needed")
  parser.add_argument("--from", dest="earlier", type=pathlib.Path, help="measure nothing; read this JSON")
  parser.add_argument("--json", type=pathlib.Path)
  parser.add_argument("--out", type=pathlib.Path, help="another file for the JSON")
  parser.add_argument("--charts", type=pathlib.Path, help="write SVG charts into this directory")
  parser.add_argument("--docs", type=pathlib.Path, help="put the figures between the marks of this page")
  arguments = parser.parse_args()
  if arguments.earlier:
    result = json.loads(arguments.earlier.read_text(encoding="utf-8"))
  else:
    begin, machine = time.monotonic(), report.machine()
    plan = SMOKE if arguments.smoke else QUICK if arguments.quick else FULL
    with tempfile.TemporaryDirectory(prefix="livery-bench-") as work:
      swift_programs = arguments.swift_programs and arguments.swift_programs.resolve()
      bench = subjects.Bench(arguments.programs.resolve(), swift_programs, arguments.library.resolve(),
                             pathlib.Path(work), arguments.only and arguments.only.split(","))
      try:
        result = {"machine": machine, "results": measured(bench, plan).rows()}
      finally:
        bench.close()
    measures.say(f"measured in {time.monotonic() - begin:.0f} s")
  report.print_table(result)
  report.print_bars(result["results"])
  for path in (arguments.json, arguments.out):
    if path:
      report.write_json(result, path)
  if arguments.charts:
    charts.write(result, arguments.charts)
  if arguments.docs:
    docs.patch(result, arguments.docs)
  return 0


if __name__ == "__main__":
  sys.exit(main())

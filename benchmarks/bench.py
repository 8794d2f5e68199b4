#!/usr/bin/env python3
"""Measures Livery beside raw LMDB, prints a table, and writes JSON.

    bench.py --programs DIRECTORY --library FILE [--quick] [--json FILE]

Process figures are medians of interleaved runs, from before the spawn, with the files in the page cache. "bar" is what
the project asks of itself.
"""
import argparse
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

SIZES = (1_000, 100_000)


def machine():
  model = ""
  try:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
      model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
  except OSError:
    pass
  return f"{model or platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def row(subject, measure, n, unit, values, ratio=None, bar=""):
  return {"subject": subject, "measure": measure, "n": n, "unit": unit, "median": statistics.median(values),
          "min": min(values), "max": max(values), "ratio_to_raw_lmdb": ratio, "bar": bar}


def process_rows(programs, rounds, work):
  commands, keys = [], []
  for size in SIZES:
    stores = [str(work / f"livery-{size}"), str(work / f"lmdb-{size}")]
    subprocess.run([programs / "bench-make_stores", str(size), *stores], check=True)
    for subject, program, store in (("raw LMDB", "start_lmdb", stores[1]), ("livery", "start_livery", stores[0])):
      commands.append(f"{programs}/bench-{program} {store} {size}")
      keys.append((subject, size))
  output = subprocess.run([programs / "bench-spawn", str(rounds)], input="\n".join(commands) + "\n", text=True,
                          check=True, stdout=subprocess.PIPE).stdout
  times, memory = {key: [] for key in keys}, {key: [] for key in keys}
  for line in output.splitlines():
    index, nanoseconds, kib = line.split()
    times[keys[int(index)]].append(int(nanoseconds) / 1e6)
    memory[keys[int(index)]].append(int(kib))

  rows = []
  for size in SIZES:
    raw, own = ("raw LMDB", size), ("livery", size)
    # Each run against the one of raw LMDB just before it.
    ratio = statistics.median(mine / theirs for mine, theirs in zip(times[own], times[raw]))
    rows.append(row(*raw[:1], "start: open, read one, close", size, "ms", times[raw], 1.0))
    rows.append(row(*own[:1], "start: open, read one, close", size, "ms", times[own], ratio, "<= 2 x raw LMDB"))
    more = [mine - theirs for mine, theirs in zip(memory[own], memory[raw])]
    rows.append(row("raw LMDB", "peak memory", size, "KiB", memory[raw], 1.0))
    rows.append(row("livery", "peak memory", size, "KiB", memory[own],
                    statistics.median(memory[own]) / statistics.median(memory[raw])))
    rows.append(row("livery", "peak memory above raw LMDB", size, "KiB", more, None, "<= 1536 KiB"))
  growth = [large / small for large, small in zip(times["livery", SIZES[1]], times["livery", SIZES[0]])]
  rows.append(row("livery", f"start at {SIZES[1]:,} / at {SIZES[0]:,}", SIZES[1], "x", growth, None, "<= 1.5 x"))
  return rows


def notify_rows(programs, rounds, work):
  """Each figure is one of a run: its median and extremes are those of the runs."""
  figures = {}
  for index in range(rounds):
    output = subprocess.run([programs / "bench-notify", str(work / f"notify-{index}"), "400"], text=True, check=True,
                            stdout=subprocess.PIPE).stdout
    for line in output.splitlines():
      name, nanoseconds = line.split()
      figures.setdefault(name, []).append(int(nanoseconds) / 1e3)

  def ratios(name, other):
    return [mine / theirs for mine, theirs in zip(figures[name], figures[other])]

  return [
    row("futex", "ping_p50: bare futex to another process", None, "us", figures["ping_p50"]),
    row("livery", "notify_p50: commit to callback elsewhere", None, "us", figures["callback_p50"], None, "<= 25 us"),
    row("livery", "notify_p50 / ping_p50", None, "x", ratios("callback_p50", "ping_p50"), None, "<= 4 x"),
    row("livery", "notify_p99", None, "us", figures["callback_p99"], None, "<= 200 us"),
    row("livery", "notify_fd_p50: by descriptor and dispatch", None, "us", figures["descriptor_p50"], None, "<= 60 us"),
    row("livery", "commit_p50", None, "us", figures["commit_alone_p50"]),
    row("livery", "commit_p50, 8 watching processes / none", None, "x",
        ratios("commit_watched_p50", "commit_alone_p50"), None, "<= 1.3 x"),
  ]


def library_rows(library):
  size = library.resolve().stat().st_size / 1024
  dynamic = subprocess.run(["readelf", "-d", library], check=True, stdout=subprocess.PIPE, text=True).stdout
  needed = [line.split("[", 1)[1].rstrip("]") for line in dynamic.splitlines() if "(NEEDED)" in line]
  return [row("livery", "library, stripped", None, "KiB", [size], None, "<= 600 KiB"),
          row("livery", "libraries needed: " + " ".join(needed), None, "count", [len(needed)])]


def print_table(rows):
  print(f"{'subject':9} {'measure':44} {'n':>7} {'median':>9} {'min':>9} {'max':>9} {'unit':5} {'x LMDB':>6}  bar")
  for item in rows:
    ratio = "" if item["ratio_to_raw_lmdb"] is None else f"{item['ratio_to_raw_lmdb']:.2f}"
    count = "" if item["n"] is None else f"{item['n']}"
    measure = item["measure"] if len(item["measure"]) <= 44 else item["measure"].split(":")[0]
    print(f"{item['subject']:9} {measure:44} {count:>7} {item['median']:9.2f} {item['min']:9.2f} {item['max']:9.2f} "
          f"{item['unit']:5} {ratio:>6}  {item['bar']}")
    if measure != item["measure"]:
      print(f"{'':9}   {item['measure'].split(': ', 1)[1]}")


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--programs", type=pathlib.Path, required=True)
  parser.add_argument("--library", type=pathlib.Path, required=True)
  parser.add_argument("--quick", action="store_true", help="15 runs of each program in place of 101, 2 of 5")
  parser.add_argument("--json", type=pathlib.Path)
  arguments = parser.parse_args()
  with tempfile.TemporaryDirectory(prefix="livery-bench-") as work:
    programs, quick = arguments.programs.resolve(), arguments.quick
    rows = process_rows(programs, 15 if quick else 101, pathlib.Path(work))
    rows += notify_rows(programs, 2 if quick else 5, pathlib.Path(work))
  rows += library_rows(arguments.library)
  result = {"machine": machine(), "results": rows}
  print(result["machine"])
  print_table(rows)
  if arguments.json:
    arguments.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
  return 0


if __name__ == "__main__":
  sys.exit(main())

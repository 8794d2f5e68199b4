#!/usr/bin/env python3
"""Guards what reads and commits cost, without a clock, and ends with "N passed, N failed".

    guard.py PROGRAM [--write]

Instructions, as callgrind counts them, may be 5 % away from Tests/Speed/instructions.txt (--write writes them anew);
10^6 warm reads of each kind allocate nothing and make no system call; what a program runs of the library to open a store
and read a setting lies together, in so few pages that the rest stays out of its memory (order.py sees to that, with the
toolchain that its list names).
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import order

EXPECTED = pathlib.Path(__file__).with_name("instructions.txt")
TOLERANCE = 0.05
READS = 1_000_000
CODE_PAGES = 36
#: Measure, function that callgrind looks into, number of calls.
MEASURES = [("read_name", "measured_read_name", 5000), ("read_key", "measured_read_key", 5000),
            ("read_string", "measured_read_string", 5000), ("read_any", "measured_read_any", 5000),
            ("read_cold", "measured_read_name", 200),
            ("commit", "measured_commit", 200)]


def run(command, **options):
  result = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, **options)
  if result.returncode != 0:
    raise RuntimeError(f"{command[0]} failed ({result.returncode}): {result.stderr.strip()[-2000:]}")
  return result


def counted(program, work, measure, function, calls):
  """Instructions of all calls of a function; the program makes so many beside those that fill the cache."""
  store, out = work / f"{measure}-{calls}", work / f"{measure}-{calls}.out"
  text = run(["valgrind", "--tool=callgrind", f"--toggle-collect={function}", f"--callgrind-out-file={out}", program,
              store, measure, calls]).stderr
  found = re.search(r"Collected : (\d+)", text)
  if not found:
    raise RuntimeError(f"callgrind says nothing of {measure}")
  return int(found.group(1))


def instructions(program, work):
  figures = {}
  for measure, function, calls in MEASURES:
    few, many = (counted(program, work, measure, function, count) for count in (calls // 5, calls))
    figures[measure] = round((many - few) / (calls - calls // 5))
  return figures


def system_calls(program, work, reads):
  out = work / f"strace-{reads}"
  allocations = run(["strace", "-f", "-qq", "-o", out, program, work / f"store-{reads}", "reads", reads]).stdout
  # Closing waits for a thread that copies, the longer the slower everything is: no read sleeps.
  lines = [line for line in out.read_text(encoding="utf-8").splitlines()
           if "resumed>" not in line and "clock_nanosleep(" not in line]
  return len(lines), int(allocations)


def pages_of_code(program, work):
  store = work / "first"
  run([program, store, "commit", 1])
  return {place >> 12 for place in order.executed(store, program, work / "first.out")}


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("program", type=pathlib.Path)
  parser.add_argument("--write", action="store_true")
  arguments = parser.parse_args()
  passed = failed = 0

  def tell(is_right, text):
    nonlocal passed, failed
    passed, failed = passed + is_right, failed + (not is_right)
    print(f"{'ok' if is_right else 'NOT OK'}  {text}")

  work = pathlib.Path(tempfile.mkdtemp(prefix="livery-guard-"))
  try:
    figures = instructions(arguments.program, work)
    if arguments.write:
      EXPECTED.write_text("".join(f"{name} {count}\n" for name, count in figures.items()), encoding="utf-8")
    expected = dict(line.split() for line in EXPECTED.read_text(encoding="utf-8").splitlines())
    for name, count in figures.items():
      least, most = (round(int(expected[name]) * (1 + sign * TOLERANCE)) for sign in (-1, 1))
      tell(least <= count <= most, f"{name}: {count} instructions, expected {expected[name]} (from {least} to {most})")
    # A wait for a lock or a thread's end may take a call more, in one run and not in the next.
    for _ in range(4):
      none, _ = system_calls(arguments.program, work, 0)
      many, allocations = system_calls(arguments.program, work, READS)
      if many == none:
        break
    tell(many == none, f"{4 * READS:,} warm reads: {many - none} system calls")
    tell(allocations == 0, f"{4 * READS:,} warm reads: {allocations} allocations")
    pages = pages_of_code(arguments.program, work)
    tell(0 < len(pages) <= CODE_PAGES, f"opening and reading runs {len(pages)} pages of code; at most {CODE_PAGES} are "
         "expected (python3 Tests/Speed/order.py writes their order anew)")
    here, (there, _) = order.toolchain(), order.ordered_by()
    tell(here == there, f"the order of functions is made with {there}, the compiler is {here}")
  finally:
    shutil.rmtree(work)
  print(f"{passed} passed, {failed} failed")
  return 1 if failed else 0


if __name__ == "__main__":
  sys.exit(main())

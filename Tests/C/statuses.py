#!/usr/bin/env python3
"""Checks that every status that a header lists for a function was reached by a test.

    statuses.py --headers include/livery [--list] [FILE...]

Each FILE holds lines `function STATUS`, written by the tests (see check.h). The statuses listed are those in the
comment of a function; those that livery.h says any function may return are not listed at each. Prints what no test
reached and what tests reached without the header listing it, and fails if there is any.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))

import api  # noqa: E402

# Any function that looks at a setting may say UNAVAILABLE; those list it that have more to tell.
COMMON = {"LIVERY_ERROR_" + name for name in (*api.COMMON, "UNAVAILABLE")}


def listed(headers):
  """The statuses of each function, in the order of the headers."""
  return {function.name: function.statuses for function in api.read_or_exit(headers).functions}


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--headers", type=pathlib.Path, required=True)
  parser.add_argument("--list", action="store_true", help="print what the headers list, and stop")
  parser.add_argument("files", nargs="*", type=pathlib.Path)
  arguments = parser.parse_args()

  functions = listed(arguments.headers)
  pairs = [(name, status) for name, statuses in functions.items() for status in statuses]
  if arguments.list:
    for name, statuses in functions.items():
      print(name, *(status.removeprefix("LIVERY_ERROR_").removeprefix("LIVERY_") for status in statuses))
    return 0

  reached = set()
  for file in arguments.files:
    if file.exists():
      reached |= {tuple(line.split()) for line in file.read_text().splitlines() if len(line.split()) == 2}
  missing = [pair for pair in pairs if pair not in reached]
  unlisted = sorted(pair for pair in reached if pair[0] in functions and functions[pair[0]] and pair not in set(pairs)
                    and pair[1] not in COMMON)
  for name, status in missing:
    print(f"not reached: {name} {status}")
  for name, status in unlisted:
    print(f"not listed in the header: {name} {status}")
  print(f"{len(pairs) - len(missing)} of {len(pairs)} pairs of function and status reached, in {len(functions)} functions")
  return 1 if missing or unlisted else 0


if __name__ == "__main__":
  sys.exit(main())

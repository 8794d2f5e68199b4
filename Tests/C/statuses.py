#!/usr/bin/env python3
"""Checks that every status that a header lists for a function was reached by a test.

    statuses.py --headers include/livery [--list] [FILE...]

Each FILE holds lines `function STATUS`, written by the tests (see check.h). The statuses listed are those in the
comment of a function: `- #LIVERY_ERROR_X` after `@return #LIVERY_OK`; those that livery.h says any function may return are
not listed at each. Prints what no test reached and what tests reached without the header listing it, and fails if there
is any.
"""
import argparse
import pathlib
import re
import sys

#: As livery.h says under *Status and errors*.
COMMON = {"LIVERY_ERROR_NO_MEMORY", "LIVERY_ERROR_GONE"}
COMMENT = re.compile(r"/\*\*(?P<comment>(?:[^*]|\*(?!/))*)\*/\s*LIVERY_API\s+(?P<declaration>[^;]*);")


def listed(headers):
  """The statuses of each function, in the order of the headers."""
  functions = {}
  for header in sorted(headers.glob("*.h")):
    for match in COMMENT.finditer(header.read_text(encoding="utf-8")):
      declaration = match["declaration"]
      name = re.search(r"(livery_\w+)\s*\(", declaration)[1]
      if not declaration.startswith("livery_status"):
        functions[name] = []
        continue
      result = match["comment"].split("@return", 1)[1].split("@since", 1)[0]
      functions[name] = ["LIVERY_OK"] + re.findall(r"^\s*\*\s+- #(LIVERY_ERROR_\w+)", result, re.M)
  return functions


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

"""Compares the statuses that can arise in each function of C with those that its comment lists, and how long it may wait.

    python3 tools/statuses [--index FOLDER]       print what differs; 1 if anything does
    python3 tools/statuses --why FUNCTION         print all that a function can come to, and from where

It follows the sources from each function to all that it calls, by the index that a debug build of the package leaves;
docs/internals/statuses.md tells how.
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tools")

import api  # noqa: E402
from statuses import check, functions, index  # noqa: E402
from statuses.flow import Flow  # noqa: E402
from statuses.known import Known  # noqa: E402

TARGETS = ("LMDB", "LiveryCore", "Livery", "LiveryABI")


def main() -> int:
  parser = argparse.ArgumentParser(prog="tools/statuses", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--index", type=pathlib.Path, default=ROOT / ".build/debug/index/store")
  parser.add_argument("--why", metavar="FUNCTION")
  arguments = parser.parse_args()

  interface = api.read_or_exit(ROOT / "include" / "livery")
  files = [file for target in TARGETS for file in sorted((ROOT / "Sources" / target).rglob("*.swift"))]
  try:
    flow = Flow(*functions.read(index.Index(arguments.index), files),
                Known(interface, {file.name: file.read_text(encoding="utf-8") for file in files}))
  except index.NoIndex as error:
    print(f"tools/statuses: {error}", file=sys.stderr)
    return 2
  if arguments.why:
    function = check.exported(flow.functions.values())[arguments.why]
    for outcome in sorted(function.outcomes, key=lambda each: (each.is_wait, flow.label(each), each.is_told)):
      print(f"{flow.label(outcome)}{' (told by livery.h)' if outcome.is_told else ''}: {flow.why(function, outcome)}")
    return 0
  found = list(check.findings(interface, flow, (ROOT / "include/livery.h").read_text(encoding="utf-8")))
  for line in found:
    print(line)
  print(f"{len(interface.functions)} functions: " + (f"{len(found)} differences" if found else "headers and sources agree"))
  return 1 if found else 0


if __name__ == "__main__":
  sys.exit(main())

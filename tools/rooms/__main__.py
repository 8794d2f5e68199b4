"""Draws the rooms of LiveryCore and Livery, and what each stands on, and sees to it that no two stand on each other.

    python3 tools/rooms [--index FOLDER]              write docs/internals/rooms.svg; 1 if rooms stand in a circle
    python3 tools/rooms --check                       write nothing; 1 if the picture is not what the sources are
    python3 tools/rooms --why ROOM OTHER              print what of one is used in the other, and where

A room is a folder of a target. It stands on another if it names what that declares, by the index that a debug build of
the package leaves. The picture leaves out what follows from other arrows.
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tools")

from rooms import graph, picture  # noqa: E402
from statuses import index  # noqa: E402

PICTURE = ROOT / "docs" / "internals" / "rooms.svg"


def main() -> int:
  parser = argparse.ArgumentParser(prog="tools/rooms", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--index", type=pathlib.Path, default=ROOT / ".build/debug/index/store")
  parser.add_argument("--check", action="store_true")
  parser.add_argument("--why", nargs=2, metavar=("ROOM", "OTHER"))
  arguments = parser.parse_args()

  try:
    targets = [graph.read(index.Index(arguments.index), ROOT / "Sources" / name) for name in ("LiveryCore", "Livery")]
  except index.NoIndex as error:
    print(f"tools/rooms: {error}", file=sys.stderr)
    return 2
  if arguments.why:
    for target in targets:
      for use in sorted(target.uses.get(tuple(arguments.why), ())):
        print(f"{use.file}:{use.line} {use.name} of {use.declared}")
    return 0
  circles = [circle for target in targets for circle in target.circles()]
  for circle in circles:
    print("rooms that stand on each other: " + ", ".join(circle))
  if circles:
    return 1
  drawn = picture.draw(targets)
  if not arguments.check:
    PICTURE.write_text(drawn, encoding="utf-8")
  elif not PICTURE.is_file() or PICTURE.read_text(encoding="utf-8") != drawn:
    print(f"{PICTURE.relative_to(ROOT)} is not what the sources are: run python3 tools/rooms")
    return 1
  print(f"{sum(len(target.rooms) for target in targets)} rooms, no circle")
  return 0


if __name__ == "__main__":
  sys.exit(main())

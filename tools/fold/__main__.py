"""Writes the tables by which searching folds letter case and marks, from the Unicode data that Python has.

    python3 tools/fold             write Sources/CSystem/fold-table.h
    python3 tools/fold --check     write nothing; 1 if the tables are not what Unicode's data says

What a character folds to is its full case folding, decomposed canonically, without nonspacing marks. Python has to know the
version of Unicode that the tables are of.
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tools")

from fold import table  # noqa: E402

TABLE = ROOT / "Sources" / "CSystem" / "fold-table.h"


def main() -> int:
  parser = argparse.ArgumentParser(prog="tools/fold", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--check", action="store_true")
  arguments = parser.parse_args()
  if table.VERSION != table.known_version():
    print(f"tools/fold: the tables are of Unicode {table.VERSION}, and this Python has {table.known_version()}",
          file=sys.stderr)
    return 2
  text = table.text()
  if not arguments.check:
    TABLE.write_text(text, encoding="utf-8")
  elif not TABLE.is_file() or TABLE.read_text(encoding="utf-8") != text:
    print(f"{TABLE.relative_to(ROOT)} is not what Unicode's data says: run python3 tools/fold")
    return 1
  return 0


if __name__ == "__main__":
  sys.exit(main())

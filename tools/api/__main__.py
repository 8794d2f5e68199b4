"""What the headers of the C interface declare, as data.

    python3 tools/api json [FOLDER]       print it as JSON; the folder is include/livery unless told
    python3 tools/api python [--check]    make what the Python package has of it: bindings/python/livery/_constants.py
                                          and _native/interface.py; --check compares them, and changes nothing

Every parser of the headers is here: scripts and tests import `api` from this folder. A header that is not understood is
refused with file and line, so that no declaration is passed over.
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tools")

from api import plain, python, read_or_exit  # noqa: E402


def main() -> int:
  parser = argparse.ArgumentParser(prog="tools/api", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
  commands = parser.add_subparsers(dest="command", required=True)
  as_json = commands.add_parser("json", help="print the interface as JSON")
  as_json.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "include" / "livery")
  for_python = commands.add_parser("python", help="make what the Python package has of it")
  for_python.add_argument("--check", action="store_true", help="compare, and change nothing")
  arguments = parser.parse_args()

  interface = read_or_exit(getattr(arguments, "folder", ROOT / "include" / "livery"))
  if arguments.command == "json":
    print(json.dumps(plain(interface), indent=2, ensure_ascii=False))
    return 0
  old = 0
  for name, text in python.files(interface).items():
    file = ROOT / "bindings" / "python" / "livery" / name
    if arguments.check and (not file.is_file() or file.read_text(encoding="utf-8") != text):
      print(f"{file.relative_to(ROOT)} is not what the headers declare: run python3 tools/api python")
      old += 1
    elif not arguments.check:
      file.write_text(text, encoding="utf-8")
  return 1 if old else 0


if __name__ == "__main__":
  sys.exit(main())

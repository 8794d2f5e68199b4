"""Makes the manual pages and the shells' completions of what the programs in a folder say of themselves.

    python3 tools/manual [FOLDER]            docs/man/ and docs/completion/; the folder is build unless told
    python3 tools/manual [FOLDER] --check    write nothing; 1 if they are not what the programs say
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "tools")

from manual import completion, man, model  # noqa: E402


def main() -> int:
  parser = argparse.ArgumentParser(prog="tools/manual", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "build")
  parser.add_argument("--check", action="store_true")
  arguments = parser.parse_args()
  livery = model.read(arguments.folder.resolve())
  made = {**man.pages(livery), **completion.files(livery)}
  wrong = 0
  for name, content in made.items():
    path = ROOT / "docs" / name
    if not arguments.check:
      path.parent.mkdir(parents=True, exist_ok=True)
      path.write_text(content, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != content:
      print(f"docs/{name} is not what the programs say: run python3 tools/manual")
      wrong += 1
  for folder in ("man", "completion"):
    for path in (ROOT / "docs" / folder).iterdir():
      if f"{folder}/{path.name}" not in made:
        print(f"docs/{folder}/{path.name} belongs to no program")
        wrong += 1
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main())

#!/usr/bin/env python3
"""Checks that docs/abi-changes.md is complete: every function of the headers, and the size and members of every struct.

    abi_changes.py [CC]
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
  compiler = sys.argv[1] if len(sys.argv) > 1 else "cc"
  text = (ROOT / "docs/abi-changes.md").read_text(encoding="utf-8")
  headers = {path.name: path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("include/livery/*.h"))}
  source = "".join(re.sub(r"/\*.*?\*/", "", header, flags=re.S) for header in headers.values())
  results = []

  def check(passed, what):
    results.append(passed)
    if not passed:
      print(f"not ok - {what}")

  functions = set(re.findall(r"\bLIVERY_API\b[^;{]*?\b(livery_\w+)\s*\(", source))
  named = set(re.findall(r"`(livery_\w+)`", text))
  structs = dict(re.findall(r"typedef struct (livery_\w+) \{(.*?)\}", source, re.S))
  types = set(re.findall(r"\btypedef [^;{]*?\b(livery_\w+);", source)) | set(structs)
  types |= set(re.findall(r"\(\*(livery_\w+)\)", source))
  for name in sorted(functions | types):
    check(name in named, f"{name} is not listed")
  for name in sorted(named - functions - types):
    check(False, f"{name} is listed, and in no header")
  for name in re.findall(r"\b(LIVERY_[A-Z_]+)\b", text):
    check(re.search(rf"\b{name}\b", source) is not None, f"{name} is listed, and in no header")

  asserts = []
  for name, members in structs.items():
    row = re.search(rf"^\| `{name}` \| (\d+) \| (.*) \|$", text, re.M)
    check(row is not None, f"the struct {name} has no size")
    if row:
      asserts.append(f'_Static_assert(sizeof(void *) != 8 || sizeof({name}) == {row[1]}, "{name}");')
      declared = re.findall(r"(\w+)\s*[,;]", members)
      check(declared == [word for word in re.findall(r"`(\w+)`", row[2])][:len(declared)], f"members of {name}")
  with tempfile.TemporaryDirectory() as work:
    program = pathlib.Path(work, "sizes.c")
    program.write_text("#include <livery.h>\n" + "\n".join(asserts) + "\n", encoding="utf-8")
    command = [compiler, "-std=c11", f"-I{ROOT / 'include'}", "-fsyntax-only", os.fspath(program)]
    built = subprocess.run(command, capture_output=True, text=True)
    check(built.returncode == 0, f"sizes of structs: {built.stderr}")

  print(f"{results.count(True)} passed, {results.count(False)} failed")
  return 0 if all(results) else 1


if __name__ == "__main__":
  sys.exit(main())

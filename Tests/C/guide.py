#!/usr/bin/env python3
"""Compiles and runs the examples of a guide: every ```c block that has a main.

    guide.py GUIDE.md --include DIRECTORY --library DIRECTORY [--cc COMMAND]

An example runs in a directory of its own. If a ```text block follows it, that is what it must print.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```c\n(.*?)^```\n(?:\s*(?:[^\n`]+\n)?\s*```text\n(.*?)^```\n)?", re.M | re.S)
FLAGS = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("guide", type=pathlib.Path)
  parser.add_argument("--include", required=True)
  parser.add_argument("--library", required=True)
  parser.add_argument("--cc", default="cc")
  arguments = parser.parse_args()

  text = arguments.guide.read_text(encoding="utf-8")
  passed = failed = 0
  for match in BLOCK.finditer(text):
    code, expected = match[1], match[2]
    if "int main(" not in code:
      continue
    line = text.count("\n", 0, match.start()) + 1
    place = f"{arguments.guide.name}:{line}"
    with tempfile.TemporaryDirectory(prefix="livery-guide-") as work:
      source = pathlib.Path(work, "example.c")
      source.write_text(code, encoding="utf-8")
      library = os.path.abspath(arguments.library)
      build = subprocess.run(
        [arguments.cc, *FLAGS, f"-I{os.path.abspath(arguments.include)}", "-o", "example", source.name, f"-L{library}",
         "-llivery", "-lpthread", f"-Wl,-rpath,{library}"], cwd=work, capture_output=True, text=True)
      if build.returncode != 0:
        print(f"not ok - {place} does not compile\n{build.stderr}")
        failed += 1
        continue
      run = subprocess.run(["./example"], cwd=work, capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
      print(f"not ok - {place} ends with status {run.returncode}\n{run.stdout}{run.stderr}")
      failed += 1
    elif expected is not None and run.stdout != expected:
      print(f"not ok - {place} prints\n{run.stdout}and not\n{expected}")
      failed += 1
    else:
      print(f"ok - {place}")
      passed += 1
  print(f"{passed} passed, {failed} failed")
  return 0 if passed and not failed else 1


if __name__ == "__main__":
  sys.exit(main())

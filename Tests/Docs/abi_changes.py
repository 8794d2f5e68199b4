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
sys.path.insert(0, str(ROOT / "tools"))

import api  # noqa: E402


def main():
  compiler = sys.argv[1] if len(sys.argv) > 1 else "cc"
  text = (ROOT / "docs/abi-changes.md").read_text(encoding="utf-8")
  interface = api.read_or_exit(ROOT / "include/livery")
  results = []

  def check(passed, what):
    results.append(passed)
    if not passed:
      print(f"not ok - {what}")

  named = set(re.findall(r"`(livery_\w+)`", text))
  declared = {function.name for function in interface.functions} | set(interface.types)
  for name in sorted(declared):
    check(name in named, f"{name} is not listed")
  for name in sorted(named - declared):
    check(False, f"{name} is listed, and in no header")
  constants = {macro.name for macro in interface.macros} | set(interface.constants)
  for name in re.findall(r"\b(LIVERY_[A-Z_]+)\b", text):
    check(name in constants, f"{name} is listed, and in no header")

  asserts = []
  for struct in interface.structs:
    name = struct.name
    row = re.search(rf"^\| `{name}` \| (\d+) \| (.*) \|$", text, re.M)
    check(row is not None, f"the struct {name} has no size")
    if row:
      asserts.append(f'_Static_assert(sizeof(void *) != 8 || sizeof({name}) == {row[1]}, "{name}");')
      members = [member.name for member in struct.members]
      check(members == re.findall(r"`(\w+)`", row[2])[:len(members)], f"members of {name}")
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

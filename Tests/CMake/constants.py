#!/usr/bin/env python3
"""Checks that constants of the same name have the same content in all modules.

    constants.py SWIFT_BUILD_FOLDER/{release,debug} CLANG

A release's objects are what the linker is to compile: clang writes them out.

The compiler gives the constant arrays of a function that several modules specialize weak symbols with numbers, and the
numbers can differ from module to module: the linker then keeps one for all, and the others read the wrong array.
"""
import collections
import concurrent.futures
import pathlib
import re
import subprocess
import sys

SECTION = re.compile(r"^\s*\[\s*(\d+)\]\s+\S+\s+(\S+)\s+[0-9a-f]+\s+([0-9a-f]+)\s+[0-9a-f]+", re.M)

GLOBAL = re.compile(r'^@("[^"]+"|\S+) = (?:weak|linkonce)\S* .*?\b(?:global|constant) (.*)$', re.M)


def readelf(option, file):
  return subprocess.run(["readelf", option, file], stdout=subprocess.PIPE, check=True, text=True,
                        errors="replace").stdout


def weak_objects(file):
  sections = {int(number): (kind, int(offset, 16)) for number, kind, offset in SECTION.findall(readelf("-SW", file))}
  content = pathlib.Path(file).read_bytes()
  for line in readelf("-sW", file).splitlines():
    field = line.split()
    if len(field) < 8 or field[3] != "OBJECT" or field[4] != "WEAK" or not field[6].isdigit():
      continue
    kind, offset = sections[int(field[6])]
    if kind != "NOBITS":
      start = offset + int(field[1], 16)
      yield field[7], content[start:start + int(field[2], 0)]


def weak_globals(file):
  """The same of an object that the linker is to compile; by the names of what they refer to."""
  text = subprocess.run([sys.argv[2], "-S", "-emit-llvm", "-x", "ir", file, "-o", "-"], stdout=subprocess.PIPE,
                        stderr=subprocess.DEVNULL, check=True, text=True).stdout
  return [(name, re.sub(r", (align|section|comdat|!dbg)\b.*", "", content)) for name, content in GLOBAL.findall(text)]


def constants(file):
  return weak_globals(file) if pathlib.Path(file).read_bytes()[:2] == b"BC" else list(weak_objects(file))


def main():
  found = collections.defaultdict(set)
  files = [file.strip("'\"") for file in
           pathlib.Path(sys.argv[1], "livery.product/Objects.LinkFileList").read_text().split()]
  with concurrent.futures.ThreadPoolExecutor() as pool:
    for name, content in (entry for entries in pool.map(constants, files) for entry in entries):
      found[name].add(content)
  mixed = sorted(name for name, contents in found.items() if len(contents) > 1)
  for name in mixed:
    print(f"not ok - {name} has {len(found[name])} contents")
  print(f"{len(found)} constants, {len(mixed)} mixed up")
  return 1 if mixed or not found else 0


if __name__ == "__main__":
  sys.exit(main())

#!/usr/bin/env python3
"""Runs the shell examples of a guide: every ```sh block that begins with `$ livery`.

    run_sh.py [--files FOLDER]… LIVERY GUIDE.md…

The commands of a guide run in order in one directory of their own, where LIVERY_STORE is `store`, beside the files of the
folders. A ```json block
after a paragraph that names `NAME.json` is that file. What follows a command up to the next `$` is what it must print,
on standard output and error together; a line `…` stands for any lines. Moments as of RFC 3339 and ids of 32
hexadecimal digits may differ from those shown. A command may fail only if a line that begins with `livery: ` is shown.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
FILE = re.compile(r"`([\w-]+\.json)`(?:(?!\n\n).)*\n\n\Z", re.S)
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
IDENTIFIER = re.compile(r"\b[0-9a-f]{32}\b")


def comparable(text):
  return IDENTIFIER.sub("ID", MOMENT.sub("MOMENT", text)).rstrip("\n")


def matches(shown, printed):
  parts = comparable(shown).split("\n…")
  pattern = r"(?:\n.*)?".join(re.escape(part) for part in parts)
  return re.fullmatch(pattern, comparable(printed), re.S) is not None


def commands(block):
  """The commands of a block, each with its place in the block and what it is shown to print."""
  found = []
  for number, line in enumerate(block.splitlines()):
    if line.startswith("$ "):
      found.append([number, line[2:], []])
    elif found:
      found[-1][2].append(line)
  return [(number, command, "\n".join(shown)) for number, command, shown in found]


def run(livery, guide, work, folders):
  tools = work / "tools"
  tools.mkdir()
  (tools / "livery").symlink_to(livery)
  directory = work / "work"
  directory.mkdir()
  for folder in folders:
    shutil.copytree(folder, directory, dirs_exist_ok=True)
  environment = dict(os.environ, LIVERY_STORE="store", NO_COLOR="1", PATH=f"{tools}:{os.environ['PATH']}")
  text = guide.read_text(encoding="utf-8")
  results = []
  for block in BLOCK.finditer(text):
    if block[1] == "json" and (name := FILE.search(text, 0, block.start())):
      (directory / name[1]).write_text(block[2], encoding="utf-8")
    if block[1] != "sh" or not block[2].startswith("$ livery"):
      continue
    first = text.count("\n", 0, block.start(2)) + 1
    for number, command, shown in commands(block[2]):
      process = subprocess.run(
        ["bash", "-c", command], cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, timeout=60)
      may_fail = any(line.startswith("livery: ") for line in shown.splitlines())
      passed = matches(shown, process.stdout) and (process.returncode == 0 or may_fail)
      place = f"{guide.name}:{first + number}: {command}"
      print(f"ok - {place}" if passed else f"not ok - {place}: status {process.returncode}, and it prints")
      if not passed:
        print(process.stdout)
      results.append(passed)
  return results


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--files", metavar="FOLDER", type=pathlib.Path, action="append", default=[])
  parser.add_argument("livery", type=pathlib.Path)
  parser.add_argument("guides", metavar="GUIDE", type=pathlib.Path, nargs="+")
  arguments = parser.parse_args()
  results = []
  for guide in arguments.guides:
    with tempfile.TemporaryDirectory(prefix="livery-guide-") as work:
      results += run(arguments.livery.resolve(strict=True), guide, pathlib.Path(work), arguments.files)
  print(f"{results.count(True)} passed, {results.count(False)} failed")
  return 0 if results and all(results) else 1


if __name__ == "__main__":
  sys.exit(main())

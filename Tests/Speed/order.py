#!/usr/bin/env python3
"""Writes tools/link/order.txt: the functions that come first in the library, since every program runs them, and after
those the ones that commits run, and those that watches run. Its first line, a comment, names the toolchain: another one
may give functions other names. And writes tools/link/whole.csv: the functions that warm reads and commits run, of which
nothing is shared with others that have the same instructions.

    order.py PROGRAM LIBRARY      the program that is built of work.c, and the library with its symbols

A function that is renamed merely drops out. Tests/Speed/guard.py tells when so many did that it is time for this,
and when the toolchain is another one.
"""
import bisect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ORDER = pathlib.Path(__file__).parents[2] / "tools/link/order.txt"
WHOLE = ORDER.with_name("whole.csv")


def toolchain():
  """The version of the compiler that builds the library."""
  said = subprocess.run(["swiftc", "--version"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
  return re.search(r"Swift version .*", said.stdout)[0].strip()


def ordered_by():
  """The toolchain that the order is made of, and the functions in their order."""
  first, *names = ORDER.read_text(encoding="utf-8").splitlines()
  return first.removeprefix("# "), names


def executed(store, program, out, environment=None, cwd=None, measure="first", within=None):
  """Where in the library a program executes instructions that opens a store, reads a setting and closes it; or another
  measure of the program's, within one of its functions."""
  options = [f"--toggle-collect={within}"] if within else []
  if measure == "first":
    # Whether an opening looks at the whole file is not to depend on how quickly the store was closed: this one does.
    os.utime(pathlib.Path(cwd or ".") / store / "data.mdb")
  subprocess.run(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", f"--callgrind-out-file={out}",
                  *options, program, store, measure, "1"], check=True, env=environment, cwd=cwd,
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
  names, current, places = {}, "", set()
  for line in out.read_text(encoding="utf-8").splitlines():
    found = re.match(r"(c?ob)=\((\d+)\)(?: (.*))?", line)
    if found:
      names.setdefault(found[2], found[3] or "")
      current = names[found[2]] if found[1] == "ob" else current
    elif "liblivery.so" in current and line.startswith("0x"):
      places.add(int(line.split()[0], 16))
  return places


def run_functions(functions, places):
  """The names of the functions that hold any of the places."""
  places = sorted(places)
  names = set()
  for (begin, size), alike in functions.items():
    if bisect.bisect_left(places, begin) < bisect.bisect_left(places, begin + size):
      # Functions that are alike are one, under several names. With some of them treated otherwise they would be alike no more.
      names.update(alike)
  return sorted(names)


def main():
  program, library = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
  with tempfile.TemporaryDirectory(prefix="livery-order-") as work:
    work = pathlib.Path(work)
    # valgrind does not read the debug information.
    subprocess.run(["objcopy", "--strip-debug", library, str(work / "liblivery.so.0")], check=True)
    functions = {}
    for line in subprocess.run(["nm", "-nS", "--defined-only", str(work / "liblivery.so.0")], check=True,
                               stdout=subprocess.PIPE, text=True).stdout.splitlines():
      words = line.split()
      # What the linker numbers is another function after the next change: tools/link/layout.ld has its place.
      if len(words) == 4 and words[2] in "tTwW" and not re.search(r"^OUTLINED_FUNCTION_|\.\d+$", words[3]):
        functions.setdefault((int(words[0], 16), int(words[1], 16)), []).append(words[3])
    environment = {"LD_LIBRARY_PATH": str(work), "PATH": "/usr/bin:/bin"}
    # A short path and a long one, which strings keep in different ways.
    places = [set(), set(), set(), set()]
    for store in (work / "s", work / ("a-longer-path-" * 3)):
      subprocess.run([program, str(store), "commit", "1"], check=True, env=environment, stdout=subprocess.DEVNULL,
                     cwd=work)
      places[0] |= executed(store.name, program, work / "out", environment, cwd=work)
      for number, measure, within in ((1, "commit", "measured_commit"), (2, "watch", "run_task")):
        shutil.rmtree(store)
        places[number] |= executed(store.name, program, work / "out", environment, cwd=work, measure=measure, within=within)
      for measure in ("read_name", "read_key", "read_string", "read_any"):
        shutil.rmtree(store)
        places[3] |= executed(store.name, program, work / "out", environment, cwd=work, measure=measure,
                              within=f"measured_{measure}")
  order = []
  for executed_places in places[:3]:
    order += [name for name in run_functions(functions, executed_places) if name not in order]
  ORDER.write_text("".join(f"{line}\n" for line in [f"# {toolchain()}", *order]), encoding="utf-8")
  whole = run_functions(functions, places[1] | places[3])
  WHOLE.write_text("".join(f"{name},nooutline=true\n" for name in whole), encoding="utf-8")
  print(f"{len(order)} functions, {len(whole)} of them whole")


if __name__ == "__main__":
  main()

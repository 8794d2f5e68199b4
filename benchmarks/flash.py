#!/usr/bin/env python3
"""Counts the bytes that 1,000 commits of one setting write to the device, of the mixed workload, for Livery and for raw LMDB.

    flash.py --programs DIRECTORY --recorder librecorder.so [--library FILE] [--commits COUNT] [--sizes COUNT…]

What is written is what the recorder of the power cuts notes, so each page counts as often as it is handed to the system.
With another liblivery.so the same program tells what that one writes.
"""
import argparse
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
from typing import NamedTuple

from harness import report

# Tests/Torture/write_log.h
ENTRY = struct.Struct("=IIQQQ")
WRITE, SYNC = 2, 4
FIRST = 100


class Written(NamedTuple):
  bytes: int
  syncs: int


def written(log: pathlib.Path) -> Written:
  content, place, total, syncs = log.read_bytes(), 0, 0, 0
  while place < len(content):
    kind, flags, _, _, length = ENTRY.unpack_from(content, place)
    place += ENTRY.size + length
    if kind == WRITE:
      total += length
    syncs += kind == SYNC or (kind == WRITE and flags & 1)
  return Written(total, syncs)


def measure(arguments: argparse.Namespace, subject: str, count: int, schema: bool) -> Written:
  environment = dict(os.environ)
  if arguments.library:
    environment["LD_LIBRARY_PATH"] = str(arguments.library.resolve().parent)
  program = str(arguments.programs.resolve() / f"bench-mixed-{subject}")

  def recorded(commits: int) -> Written:
    with tempfile.TemporaryDirectory(prefix="livery-flash-") as work:
      store, log = f"{work}/store", pathlib.Path(work, "log")
      subprocess.run([program, "make", store, str(count), *(["schema"] if schema else [])], check=True, env=environment)
      recording = {**environment, "LD_PRELOAD": str(arguments.recorder.resolve()), "RECORD_LOG": str(log), "RECORD_ROOT": store}
      subprocess.run([program, "serve", store, str(count)], check=True, env=recording, text=True, stdout=subprocess.DEVNULL,
                     input=f"commit 1 {commits}\n")
      return written(log)

  # The first ones find no free pages; what opening, reading and closing write is not asked for either.
  before, after = recorded(FIRST), recorded(FIRST + arguments.commits)
  return Written(after.bytes - before.bytes, after.syncs - before.syncs)


def main() -> int:
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--programs", type=pathlib.Path, required=True)
  parser.add_argument("--recorder", type=pathlib.Path, required=True)
  parser.add_argument("--library", type=pathlib.Path)
  parser.add_argument("--commits", type=int, default=1000)
  parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 100_000])
  arguments = parser.parse_args()
  print(report.machine())
  print(f"{'':10} {'n':>8} {'':>10} {'bytes a commit':>15} {'syncs':>6} {'x LMDB':>7}")
  for count in arguments.sizes:
    raw = measure(arguments, "lmdb", count, False)
    rows = [("raw LMDB", "", raw)]
    for schema in (True, False):
      rows.append(("Livery", "declared" if schema else "no schema", measure(arguments, "livery", count, schema)))
    for name, how, found in rows:
      print(f"{name:10} {count:>8,} {how:>10} {found.bytes / arguments.commits:>15,.0f} {found.syncs / arguments.commits:>6.2f} "
            f"{found.bytes / raw.bytes:>7.2f}")
  return 0


if __name__ == "__main__":
  sys.exit(main())

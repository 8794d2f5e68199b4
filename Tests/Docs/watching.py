#!/usr/bin/env python3
"""Runs a program that follows the volume of a store while the command changes it.

    watching.py LIVERY PROGRAM [ARGUMENT…]

The program gets the store as its last argument. It is to print the present volume, then each change, and to end at 0.
"""
import pathlib
import subprocess
import sys
import tempfile
import threading

WANTED = ["volume is 30", "volume: 30 -> 40", "volume: 40 -> 0"]


def main():
  livery, program = sys.argv[1], sys.argv[2:]
  with tempfile.TemporaryDirectory(prefix="livery-watching-") as work:
    store = pathlib.Path(work, "store")

    def change(*words):
      subprocess.run([livery, "--store", store, *words], check=True, stdout=subprocess.DEVNULL, timeout=60)

    change("init")
    change("set", "volume", "30", "--value-json")
    watcher = subprocess.Popen([*program, store], stdout=subprocess.PIPE, text=True)
    timer = threading.Timer(60, watcher.kill)
    timer.start()
    printed = []
    for line, volume in zip(watcher.stdout, ["40", "0", None]):
      printed.append(line.rstrip("\n"))
      if volume:
        change("set", "other", volume)
        change("set", "volume", volume, "--value-json")
    printed += watcher.stdout.read().splitlines()
    status = watcher.wait()
    timer.cancel()
  if printed == WANTED and status == 0:
    print("1 passed, 0 failed")
    return 0
  print(f"printed {printed}, ended with {status}\n0 passed, 1 failed")
  return 1


if __name__ == "__main__":
  sys.exit(main())

#!/usr/bin/env python3
"""Treats the Python package badly: collects garbage and drops everything in callbacks, raises in them, and leaves the
interpreter while watches are on. Each a number of times; nothing ends by a signal, nothing hangs, no event is lost.

    python_abuse.py [--rounds N] [--seed S] [--only garbage|exception|exit]

Prints one line of figures.
"""
import argparse
import asyncio
import faulthandler
import gc
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("LIVERY_LIBRARY", str(ROOT / "build" / "liblivery.so"))
sys.path.insert(0, str(ROOT / "bindings" / "python"))

import livery  # noqa: E402

findings = []
# For seeing it fail: another event than the last is awaited.
is_broken = False


def wrong(kind, number, text):
  findings.append(text)
  print(f"python_abuse: {kind} {number}: {text}\n  again: scripts/torture again python_abuse --only {kind} --seed {number} --rounds 1",
        file=sys.stderr)


def wait_until(condition, seconds=20):
  limit = time.monotonic() + seconds
  while not condition():
    if time.monotonic() > limit:
      return False
    time.sleep(0.0005)
  return True


class Held:
  """Something in a cycle with what the library calls."""


def garbage(path, number):
  """A callback that collects, and drops the very things that call it."""
  draw = random.Random(number)
  seen = []
  sys.unraisablehook = lambda raised: wrong("garbage", number, f"a callback raised {raised.exc_value!r}")
  held = Held()
  held.store = livery.open(path, create=True)
  held.itself = held

  # A callback may still run when this function has let go of its own name for what is held.
  def callback(event, held=held):
    seen.append(event.new)
    held.event = event
    gc.collect(draw.randrange(3))
    if draw.randrange(3) == 0:
      held.__dict__.pop("watch", None)
    if draw.randrange(8) == 0:
      held.__dict__.pop("store", None)
      gc.collect()

  held.watch = held.store.watch("abuse", callback)
  held.extra = [held.store.watch("*", lambda event, held=held: gc.collect(0)) for _ in range(draw.randrange(3))]
  with livery.open(path) as writer:
    for value in range(draw.randrange(1, 5)):
      writer.set("abuse", number * 10 + value)
  # A watch goes on without anybody keeping it, until its store has gone.
  if not wait_until(lambda: seen or "store" not in held.__dict__):
    wrong("garbage", number, "no event came")
  held.__dict__.clear()
  del held
  gc.collect()


class Strange(Exception):
  def __str__(self):
    raise ValueError("no text")


def exception(path, number):
  """A callback that raises; the next event comes nevertheless."""
  draw = random.Random(number)
  raised, seen = [], []
  kinds = [ValueError("x"), Strange(), RecursionError(), MemoryError(), KeyError("k"), livery.LiveryError, OSError(5, "io"),
           StopIteration(), AssertionError()]
  hook, sys.unraisablehook = sys.unraisablehook, lambda *_: raised.append(1)
  try:
    with livery.open(path, create=True) as store:
      def callback(event):
        seen.append(event.new)
        error = draw.choice(kinds)
        raise error
      store.watch("abuse", callback)
      last = None
      for value in range(3):
        last = number * 10 + value
        store.set("abuse", last)
        if draw.randrange(2):
          time.sleep(0.0005)
      if not wait_until(lambda: seen and seen[-1] == last + is_broken, 20 if not is_broken else 1):
        wrong("exception", number, f"the last event is {seen[-1:]} and not {last}")
  finally:
    sys.unraisablehook = hook


def leave(path, number):
  """What a process does before it ends."""
  draw = random.Random(number)
  store = livery.open(path, create=True)
  keep = [store]
  busy = threading.Event()

  def callback(event):
    busy.set()
    if draw.randrange(4) == 0:
      sys.exit(3)
    if draw.randrange(4) == 0:
      time.sleep(0.002)

  way = draw.randrange(6)
  if way in (0, 1, 4, 5):
    keep.append(store.watch("*", callback, initial=bool(draw.randrange(2))))
  if way in (1, 2):
    iterator = store.watch("*")
    thread = threading.Thread(target=lambda: list(iterator), daemon=True)
    thread.start()
    keep += [iterator, thread]
  if way == 3:
    async def follow():
      async for _ in store.watch("*"):
        break
    async def main():
      task = asyncio.ensure_future(follow())
      await asyncio.sleep(0)
      store.set("abuse", number)
      await asyncio.wait([task], timeout=0.005 if draw.randrange(2) else 5)
      if draw.randrange(2):
        sys.exit(0)
    asyncio.run(main())
  store.set("abuse", number)
  if draw.randrange(2):
    busy.wait(0.005)
  if way == 4:
    def writer():
      value = 0
      while True:
        value += 1
        store.set("abuse.more", value)
    threading.Thread(target=writer, daemon=True).start()
    time.sleep(0.002)
  if way == 5:
    module = sys.modules[__name__]
    module.kept_for_ever = keep
    # Also when the interpreter is half gone.
    class Last:
      def __del__(self, store=store):
        try:
          store.set("abuse", -1)
        except Exception:
          pass
    module.last = Last()
  if draw.randrange(4) == 0:
    store.close()


def exits(path, number):
  """In a process of its own."""
  sys.stdout.flush()
  child = os.fork()
  if child == 0:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 2)
    leave(path, number)
    # To the interpreter's own end, by way of main().
    raise SystemExit(0)
  limit = time.monotonic() + 30
  while True:
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
      break
    if time.monotonic() > limit:
      os.kill(child, signal.SIGKILL)
      os.waitpid(child, 0)
      return wrong("exit", number, "the process does not end")
    time.sleep(0.0005)
  if os.WIFSIGNALED(status):
    wrong("exit", number, f"the process ended by signal {os.WTERMSIG(status)}")
  elif os.WEXITSTATUS(status) != 0:
    wrong("exit", number, f"the process ended with {os.WEXITSTATUS(status)}")


def in_child(kind, body, folder, seed, rounds):
  """Rounds in a process of their own: a crash is a finding and not the end. The store's name is left to each round."""
  sys.stdout.flush()
  child = os.fork()
  if child == 0:
    number = seed
    try:
      for number in range(seed, seed + rounds):
        body(os.path.join(folder, f"{kind}{number % 8}"), number)
      os._exit(min(len(findings), 9))
    except BaseException as error:
      wrong(kind, number, repr(error))
      os._exit(9)
  _, status = os.waitpid(child, 0)
  if status != 0:
    findings.append(f"{kind}: status {status:#x}")
    if os.WIFSIGNALED(status):
      wrong(kind, seed, f"ended by signal {os.WTERMSIG(status)} within {rounds} rounds")


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--rounds", type=int, default=1000)
  parser.add_argument("--seed", type=int, default=1)
  parser.add_argument("--only", choices=["garbage", "exception", "exit"])
  parser.add_argument("--broken", action="store_true")
  arguments = parser.parse_args()
  global is_broken
  is_broken = arguments.broken
  faulthandler.enable()
  base = os.environ.get("TORTURE_DIR") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
  folder = tempfile.mkdtemp(prefix="livery-python-", dir=base)
  process = os.getpid()
  began = time.monotonic()
  counts = {}
  try:
    for kind, body in (("garbage", garbage), ("exception", exception)):
      if arguments.only in (None, kind):
        in_child(kind, body, folder, arguments.seed, arguments.rounds)
        counts[kind] = arguments.rounds
    if arguments.only in (None, "exit"):
      for number in range(arguments.seed, arguments.seed + arguments.rounds):
        exits(os.path.join(folder, f"exit{number % 8}"), number)
      counts["exit"] = arguments.rounds
  finally:
    if os.getpid() == process:
      shutil.rmtree(folder, ignore_errors=True)
  print(f"python_abuse: garbage={counts.get('garbage', 0)} exceptions={counts.get('exception', 0)} exits={counts.get('exit', 0)} "
        f"errors={len(findings)} seconds={time.monotonic() - began:.1f} seed={arguments.seed}")
  return 1 if findings else 0


if __name__ == "__main__":
  sys.exit(main())

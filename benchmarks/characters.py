#!/usr/bin/env python3
"""Measures the search of examples/characters over 1,000 characters, and how soon another brand is painted.

    benchmarks/characters.py        on a screen: xvfb-run -a /usr/bin/python3 benchmarks/characters.py

Searching is from the text in the entry until the list of the window has its rows: 16 ms is a frame. Dressing is from before the
commit, by another process, until the window is painted. Beside the time on the clock is what the app's main thread needs of the
processor, which other programs change less.
"""
import importlib.util
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
APP = ROOT / "examples" / "characters"
sys.path[:0] = [str(ROOT / "bindings" / "python"), str(APP), str(APP / "api")]
os.environ.setdefault("LIVERY_LIBRARY", str(ROOT / "build" / "liblivery.so"))
os.environ["no_proxy"] = "*"
os.environ["PYTHONPATH"] = str(ROOT / "bindings" / "python")
os.environ.setdefault("GSK_RENDERER", "cairo")
QUERIES = ("a", "ad", "ada", "ada q", "zoe", "soup century", "xyzzy", "")
SWITCHER = """
import sys, time, livery
with livery.open(sys.argv[1]) as store:
  for line in sys.stdin:
    begun = time.monotonic()
    store.branding.use(line.strip())
    print(begun, flush=True)
"""

import livery  # noqa: E402
import serve  # noqa: E402
from coordinator import Coordinator  # noqa: E402
from gi.repository import GLib  # noqa: E402
from model import search  # noqa: E402
from view import ROWS  # noqa: E402

spec = importlib.util.spec_from_file_location("characters_main", APP / "__main__.py")
program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(program)


def until(condition, seconds=60):
  end = time.monotonic() + seconds
  while not condition():
    if time.monotonic() > end:
      sys.exit("characters.py: the app did not come so far")
    GLib.MainContext.default().iteration(False) or time.sleep(0.0005)


def report(what, times, bar):
  """Pairs of seconds on the clock and of the processor."""
  for name, column in zip(("clock", "processor"), zip(*times)):
    found = sorted(1000 * each for each in column)
    print(f"{what}, {name}: median {statistics.median(found):.2f} ms, 95 of 100 {found[len(found) * 95 // 100]:.2f}, longest {found[-1]:.2f} ms of {len(found)}; {bar}")


def now():
  return time.monotonic(), time.thread_time()


def since(begun, end=None):
  return tuple(one - other for one, other in zip(end or now(), begun))


def measure(app, path):
  until(lambda: app.window and len(app.model.shown) == 1000 and not app.model.loading)
  alone, whole, filled = [], [], []
  for _ in range(20):
    for query in QUERIES:
      begun = now()
      found = len(search(app.model.arranged, query))
      alone.append(since(begun))
      begun = now()
      app.window.list.entry.set_text(query)
      until(lambda: app.model.query == query)
      whole.append(since(begun))
      assert app.window.list.rows.get_n_items() >= min(found, ROWS)
      until(lambda: app.window.list.rows.get_n_items() == found and not GLib.MainContext.default().pending())
      filled.append(since(begun))
  report("search of 1,000, found", alone, "a frame has 16 ms")
  report("search of 1,000, in the list as far as the screen shows it", whole, "a frame has 16 ms")
  report("search of 1,000, in the list to its end", filled, "nobody waits for it")
  switcher = subprocess.Popen([sys.executable, "-c", SWITCHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
  dressed, painted = [], []
  clock = app.window.get_surface().get_frame_clock()
  state = {}
  app.model.observe(lambda part: part == "brand" and state.setdefault("dressed", now()))
  clock.connect("after-paint", lambda _: "dressed" in state and state.setdefault("painted", now()))
  for index in range(20):
    until(lambda: not app.model.loading and app.window.list.rows.get_n_items() == 1000 and not GLib.MainContext.default().pending())
    state.clear()
    idle = time.thread_time()
    switcher.stdin.write(("com.example.orchard", "com.example.lighthouse")[index % 2] + "\n")
    switcher.stdin.flush()
    until(lambda: "painted" in state)
    dressed.append(since((float(switcher.stdout.readline()), idle), state["dressed"]))
    painted.append(since(state["dressed"], state["painted"]))
  switcher.stdin.close()
  switcher.wait()
  report("another brand, from before the commit until the style is loaded", dressed, "the commit is in it")
  report("another brand, from the style until painted", painted, "a frame has 16 ms")


def main():
  with tempfile.TemporaryDirectory() as folder, serve.Server(count=1000) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = pathlib.Path(folder) / "store"
    with livery.open(path, create=True) as store:
      program.prepare(store, APP / "variants")
      app = Coordinator(store, (1024, 768), server.origin)
      app.app.register(None)
      app.app.activate()
      measure(app, path)
      app.model.close()
      sys.stdout.flush()
      os._exit(0)


if __name__ == "__main__":
  main()

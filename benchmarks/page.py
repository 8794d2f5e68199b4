#!/usr/bin/env python3
"""Measures the page in Chromium, headless: what is sent, the first paint, searching while typing, and how soon a change shows.

    benchmarks/page.py [--build FOLDER] [--json FILE]

Medians of several rounds. The bars are what the page asks of itself.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDS = 7
sys.path[:0] = [str(ROOT / "bindings" / "python")]


def schema(count):
  """Settings of several types, fifty to a group."""
  groups = []
  for first in range(0, count, 50):
    settings = []
    for number in range(first, min(first + 50, count)):
      title = {"Title": f"Setting {number}", "Key": f"setting.{number}", "Description": f"What number {number} is for."}
      settings.append([
        {**title, "Type": "TextField", "Value": f"text {number}"}, {**title, "Type": "ToggleSwitch", "Value": number % 2 == 0},
        {**title, "Type": "Number", "Format": "integer", "Value": number, "Minimum": 0},
        {**title, "Type": "ComboBox", "Value": "a", "Class": ["Single"], "Options": [{"Title": t.upper(), "Value": t} for t in "abc"]},
        {**title, "Type": "URL", "Value": "https://a.example/"},
      ][number % 5])
    groups.append({"Title": f"Group {first // 50}", "Settings": settings})
  return {"Version": 1, "Title": "Measured", "Groups": groups}


def one_group(count):
  whole = schema(count)
  return {**whole, "Groups": [{"Title": "All", "Settings": [s for g in whole["Groups"] for s in g["Settings"]]}]}


class Served:
  def __init__(self, livery, build, content):
    self.folder = tempfile.TemporaryDirectory(prefix="livery-page-")
    self.store = livery.open(self.folder.name + "/store", create=True)
    self.store.apply_schema(content)
    self.program = subprocess.Popen([str(build / "livery-page"), "--store", self.folder.name + "/store"], stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, text=True)
    self.base = self.program.stdout.readline().split("/open/")[0]

  def link(self):
    self.program.stdin.write("\n")
    self.program.stdin.flush()
    return self.program.stdout.readline().strip()

  def memory(self):
    text = pathlib.Path(f"/proc/{self.program.pid}/smaps_rollup").read_text()
    return sum(int(line.split()[1]) for line in text.splitlines() if line.startswith(("Private_Dirty:", "Anonymous:"))) // 2

  def switches(self):
    total = 0
    for task in pathlib.Path(f"/proc/{self.program.pid}/task").iterdir():
      text = (task / "status").read_text()
      total += sum(int(line.split()[1]) for line in text.splitlines() if "ctxt_switches" in line)
    return total

  def close(self):
    self.program.terminate()
    self.program.wait()
    self.store.close()
    self.folder.cleanup()


def first_paint(context, served, path="/at/0"):
  """From the request to the first paint with content, in milliseconds."""
  page = context.new_page()
  page.goto(served.base + path)
  page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
  value = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
                        " - performance.getEntriesByType('navigation')[0].requestStart")
  page.close()
  return value


def keystrokes(context, served, word="setting 7"):
  """From each key in the search field to its results, in milliseconds."""
  page = context.new_page()
  page.goto(served.base + "/at/0")
  page.evaluate("""() => {
    window.times = [];
    document.getElementById("q").addEventListener("input", () => { window.begun = performance.now(); }, true);
    new MutationObserver(() => { if (document.querySelector(".results") && window.begun) {
      window.times.push(performance.now() - window.begun); window.begun = 0; } })
      .observe(document.getElementById("main"), {childList: true});
  }""")
  page.locator("#q").focus()
  for letter in word:
    page.keyboard.type(letter)
    page.wait_for_timeout(60)
  times = page.evaluate("() => window.times")
  page.close()
  return times


def sent(context, served, path):
  """Bytes of all answers as they were sent."""
  sizes, foreign = [], []
  page = context.new_page()
  client = context.new_cdp_session(page)
  client.send("Network.enable")
  client.send("Network.setCacheDisabled", {"cacheDisabled": True})
  client.on("Network.loadingFinished", lambda told: sizes.append(told["encodedDataLength"]))
  page.on("request", lambda asked: asked.url.startswith((served.base, "data:")) or foreign.append(asked.url))
  page.goto(served.base + path)
  page.wait_for_timeout(500)
  page.close()
  return sum(sizes), len(foreign)


WHEN_SEEN = """() => { window.seen = {}; new MutationObserver(() => {
  const field = document.querySelector("[name='v:setting.0']");
  if (field && !(field.value in window.seen)) window.seen[field.value] = Date.now(); })
  .observe(document.body, {childList: true, subtree: true}); }"""


def opened(browser, served, count):
  """So many pages of one browser; the first is the one that is looked at."""
  context = browser.new_context()
  pages = []
  for number in range(count):
    page = context.new_page()
    page.goto(served.link() if number == 0 else served.base + "/at/0")
    pages.append(page)
  pages[0].goto(served.base + "/at/0")
  pages[0].bring_to_front()
  for page in pages:
    page.evaluate(WHEN_SEEN)
  time.sleep(2)
  return pages


def change(served, text):
  """Sets the value; when that was done, in milliseconds."""
  served.store.set("setting.0", text)
  return time.time() * 1000


def shown(page, text):
  page.wait_for_function("text => text in window.seen", arg=text, polling=100)
  return page.evaluate("text => window.seen[text]", text)


def live(browser, served, count, rounds=30):
  """From a commit of this process to the change in the page that is looked at, in all pages, and in the one that is looked at
  while the pages still draw the former change, in milliseconds."""
  pages = opened(browser, served, count)
  watched, every, hurried = [], [], []
  for number in range(rounds):
    text = f"round {number}"
    done = change(served, text)
    time.sleep(0.5)
    delays = [max(0, shown(page, text) - done) for page in pages]
    watched.append(delays[0])
    every += delays
  time.sleep(1)
  for number in range(rounds):
    text = f"at once {number}"
    done = change(served, text)
    hurried.append(max(0, shown(pages[0], text) - done))
    pages[0].wait_for_timeout(50)
  pages[0].context.close()
  return watched, every, hurried


def launch(playwright):
  return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"])


def main():
  parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
  parser.add_argument("--json", type=pathlib.Path)
  parser.add_argument("--pages", type=int, default=100)
  arguments = parser.parse_args()
  os.environ.setdefault("LIVERY_LIBRARY", str(arguments.build / "liblivery.so"))
  import livery
  from playwright.sync_api import sync_playwright
  figures = {}
  with sync_playwright() as playwright:
    browser = launch(playwright)
    for count, content in ((100, one_group(100)), (1000, schema(1000)), (10_000, schema(10_000)), (-1000, one_group(1000))):
      served = Served(livery, arguments.build, content)
      context = browser.new_context()
      page = context.new_page()
      page.goto(served.link())
      page.close()
      name = f"{count:,}" if count > 0 else f"{-count:,} on one page"
      figures[f"first paint, {name} [ms]"] = statistics.median(first_paint(context, served) for _ in range(ROUNDS))
      figures[f"keystroke, {name} [ms]"] = statistics.median(t for _ in range(3) for t in keystrokes(context, served))
      if count == 100:
        figures["sent for 100 settings, compressed [bytes]"], figures["requests elsewhere"] = sent(context, served, "/at/0")
        context.close()
        time.sleep(1)
        before = served.switches()
        time.sleep(5)
        figures["context switches a second, idle"] = (served.switches() - before) / 5
        figures["private memory of the process [KiB]"] = served.memory()
      served.close()
    # Last, and in browsers of their own: so many pages keep a machine busy for a while after they are closed.
    browser.close()
    for count in (1, arguments.pages):
      served = Served(livery, arguments.build, one_group(100))
      browser = launch(playwright)
      watched, every, hurried = live(browser, served, count)
      browser.close()
      served.close()
      for name, delays in (("", watched), (", in any of them", every), (", changes without a pause", hurried)):
        figures[f"a change shows, pages: {count}{name}, median [ms]"] = statistics.median(delays)
        figures[f"a change shows, pages: {count}{name}, 95 % [ms]"] = sorted(delays)[int(len(delays) * 0.95)]
  figures["liblivery-page.so [bytes]"] = (arguments.build / "liblivery-page.so").stat().st_size
  for name, value in figures.items():
    print(f"{name:60} {value:12.1f}")
  if arguments.json:
    arguments.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
  main()

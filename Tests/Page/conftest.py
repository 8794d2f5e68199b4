"""Serves pages of stores made for it, and opens them in a real browser, with a script and without."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LIVERY_BUILD", ROOT / "build"))
FIXTURES = Path(__file__).parent / "fixtures"
SCREENSHOTS = ROOT / "build" / "screenshots"
os.environ.setdefault("LIVERY_LIBRARY", str(BUILD / "liblivery.so"))
sys.path[:0] = [str(ROOT / "bindings" / "python")]

import livery  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Served:
  """A store, and the program that serves it."""

  def __init__(self, path, schema, options=()):
    self.path = path
    self.store = livery.open(path, create=True)
    if schema is not None:
      self.store.apply_schema(schema)
    self.options = options
    self._start()

  def _start(self):
    self.program = subprocess.Popen(
      [str(BUILD / "livery-page"), "--store", str(self.path), *self.options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
      text=True)
    self.first = self.program.stdout.readline().strip()

  @property
  def base(self):
    return self.first[:self.first.index("/open/")]

  def link(self):
    """An address that opens a session."""
    self.program.stdin.write("\n")
    self.program.stdin.flush()
    return self.program.stdout.readline().strip()

  def line(self):
    return self.program.stdout.readline().strip()

  def close(self):
    if self.program.poll() is None:
      self.program.terminate()
    try:
      self.program.wait(20)
    finally:
      if self.program.poll() is None:
        self.program.kill()
      self.program.stdin.close()
      self.program.stdout.close()
      self.store.close()


@pytest.fixture
def serve(tmp_path):
  """A function that serves a store with a schema: the name of a fixture, bytes, or None."""
  made = []

  def make(schema="every.json", *options):
    content = (FIXTURES / schema).read_bytes() if isinstance(schema, str) else schema
    made.append(Served(tmp_path / f"store{len(made)}", content, options))
    return made[-1]

  yield make
  for served in made:
    served.close()


@pytest.fixture(scope="session")
def chromium():
  playwright = pytest.importorskip("playwright.sync_api")
  assert CHROMIUM, "there is no Chromium: scripts/deps installs it"
  with playwright.sync_playwright() as started:
    browser = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
    yield browser
    browser.close()


@pytest.fixture
def visit(chromium, request):
  """A function that opens an address in a browser of its own; a picture is kept of what is shown when a test fails."""
  contexts = []

  def open_page(address, script=True, **options):
    context = chromium.new_context(java_script_enabled=script, locale=options.pop("locale", "en-US"), **options)
    contexts.append(context)
    page = context.new_page()
    page.set_default_timeout(10_000)
    foreign = []
    page.on("request", lambda asked: asked.url.startswith(("http://127.0.0.1:", "data:")) or foreign.append(asked.url))
    page.problems = []
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    harmless = ("status of", "net::ERR")
    page.on("console", lambda told: told.type == "error" and not any(text in told.text for text in harmless)
            and page.problems.append(told.text))
    page.foreign = foreign
    page.goto(address)
    return page

  yield open_page
  failed = getattr(request.node, "failed", False)
  for index, context in enumerate(contexts):
    for page in context.pages:
      if failed:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SCREENSHOTS / f"{request.node.name}-{index}.png", full_page=True)
      problems, foreign = getattr(page, "problems", []), getattr(page, "foreign", [])
    context.close()
    if not failed:
      assert not problems, problems
      assert not foreign, foreign


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
  outcome = yield
  if outcome.get_result().failed:
    item.failed = True

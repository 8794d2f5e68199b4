"""Every example of docs/python.md runs."""

import re

import livery
from conftest import ROOT

GUIDE = ROOT / "docs" / "python.md"


def test_every_example_of_the_guide_runs(tmp_path, monkeypatch):
  monkeypatch.chdir(tmp_path)
  text = GUIDE.read_text(encoding="utf-8")
  namespace = {"__name__": "guide"}
  blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
  assert len(blocks) >= 10
  try:
    for block in blocks:
      line = text.count("\n", 0, block.start(1))
      # Blank lines in front, so that a traceback has the guide's own line numbers.
      exec(compile("\n" * line + block.group(1), str(GUIDE), "exec"), namespace)
  finally:
    livery.set_log_handler(None)
    for value in list(namespace.values()):
      if isinstance(value, livery.Store):
        value.close()


def test_the_guide_names_every_exception_and_every_public_name():
  text = GUIDE.read_text(encoding="utf-8")
  missing = [name for name in livery.__all__ if f"`{name}" not in text and f"livery.{name}" not in text]
  assert missing == []
